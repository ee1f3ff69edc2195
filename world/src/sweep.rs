//! Broad phase: sweep and prune (Ericson, "Real-Time Collision Detection", 7.5).

/// The axis-aligned bounding box of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundingBox<const D: usize> {
    /// The index of the object.
    pub(crate) object: usize,
    /// The lower corner, m.
    pub(crate) low: [f64; D],
    /// The upper corner, m.
    pub(crate) high: [f64; D],
}

/// Writes to `pairs` all pairs of objects whose boxes overlap and that `wanted` accepts: sorted,
/// with the lower index of a pair first. The order of `boxes` does not change the result.
pub(crate) fn pairs<const D: usize>(
    boxes: &mut [BoundingBox<D>],
    wanted: impl Fn(usize, usize) -> bool,
    pairs: &mut Vec<[usize; 2]>,
) {
    pairs.clear();
    for_each_pair(boxes, |one, other| {
        if wanted(one, other) {
            pairs.push([one.min(other), one.max(other)]);
        }
    });
    pairs.sort_unstable();
}

/// Calls `visit` once with each pair of objects whose boxes overlap. Sweeps along the axis with the largest
/// variance.
pub(crate) fn for_each_pair<const D: usize>(
    boxes: &mut [BoundingBox<D>],
    mut visit: impl FnMut(usize, usize),
) {
    let axis = axis_of_largest_variance(boxes);
    boxes
        .sort_unstable_by(|a, b| a.low[axis].total_cmp(&b.low[axis]).then(a.object.cmp(&b.object)));
    for (i, one) in boxes.iter().enumerate() {
        for other in boxes[i + 1..].iter().take_while(|other| other.low[axis] <= one.high[axis]) {
            let overlaps =
                |axis| one.low[axis] <= other.high[axis] && other.low[axis] <= one.high[axis];
            if (0..D).all(overlaps) {
                visit(one.object, other.object);
            }
        }
    }
}

/// The axis along which the lower corners have the largest variance; y if all variances are 0.
fn axis_of_largest_variance<const D: usize>(boxes: &[BoundingBox<D>]) -> usize {
    let variance = |axis: usize| {
        let count = boxes.len() as f64;
        let mean = boxes.iter().map(|bounds| bounds.low[axis]).sum::<f64>() / count;
        boxes
            .iter()
            .map(|bounds| (bounds.low[axis] - mean) * (bounds.low[axis] - mean))
            .sum::<f64>()
    };
    let mut largest = 1;
    for axis in (0..D).filter(|&axis| axis != 1) {
        if variance(axis) > variance(largest) {
            largest = axis;
        }
    }
    largest
}
