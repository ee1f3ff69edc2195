//! What may touch: sweep and prune (Ericson, "Real-Time Collision Detection", 7.5).

/// A box around something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<const D: usize> {
    /// Its number.
    pub(crate) of: usize,
    pub(crate) low: [f64; D],
    pub(crate) high: [f64; D],
}

/// All pairs of things whose boxes touch, in ascending order of their numbers, the lower one first:
/// found by sweeping along the axis along which the boxes vary most. Of their order nothing depends
/// on more than the boxes.
pub(crate) fn pairs<const D: usize>(
    boxes: &mut [Extent<D>],
    wanted: impl Fn(usize, usize) -> bool,
    pairs: &mut Vec<[usize; 2]>,
) {
    let axis = axis_of_most_variance(boxes);
    boxes.sort_unstable_by(|a, b| a.low[axis].total_cmp(&b.low[axis]).then(a.of.cmp(&b.of)));
    pairs.clear();
    for (i, one) in boxes.iter().enumerate() {
        for other in boxes[i + 1..].iter().take_while(|other| other.low[axis] <= one.high[axis]) {
            let near =
                |axis| one.low[axis] <= other.high[axis] && other.low[axis] <= one.high[axis];
            if (0..D).all(near) && wanted(one.of, other.of) {
                pairs.push([one.of.min(other.of), one.of.max(other.of)]);
            }
        }
    }
    pairs.sort_unstable();
}

/// Along which the boxes vary most; y if they do not.
fn axis_of_most_variance<const D: usize>(boxes: &[Extent<D>]) -> usize {
    let variance = |axis: usize| {
        let count = boxes.len() as f64;
        let mean = boxes.iter().map(|it| it.low[axis]).sum::<f64>() / count;
        boxes.iter().map(|it| (it.low[axis] - mean) * (it.low[axis] - mean)).sum::<f64>()
    };
    let mut most = 1;
    for axis in (0..D).filter(|&axis| axis != 1) {
        if variance(axis) > variance(most) {
            most = axis;
        }
    }
    most
}
