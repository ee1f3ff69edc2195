//! Broad phase: sweep and prune (Ericson, "Real-Time Collision Detection", 7.5).

/// A bounding box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<const D: usize> {
    /// The number of the boxed object.
    pub(crate) of: usize,
    pub(crate) low: [f64; D],
    pub(crate) high: [f64; D],
}

/// All pairs of objects whose boxes touch, sorted by their numbers, lower number first. Sweeps
/// along the axis with the largest variance. The order of `boxes` does not matter.
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

/// The axis with the largest variance of the boxes; y if all are 0.
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
