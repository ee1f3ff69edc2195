//! Broad phase: pairs of points that are near each other, found in a hashed grid of cells
//! (Teschner et al., "Optimized Spatial Hashing for Collision Detection of Deformable Objects",
//! 2003).

/// Number of pairs per point for which memory is reserved: enough for cloth in folds.
const PAIRS: usize = 12;

/// A point, with its cell.
#[derive(Clone, Copy, Debug)]
struct Entry<const D: usize> {
    cell: [i32; D],
    number: u32,
    x: [f32; D],
}

/// Finds pairs of near points. Reuses its memory.
#[derive(Clone, Debug)]
pub(crate) struct Cells<const D: usize> {
    entries: Vec<Entry<D>>,
    /// The entries, by bucket of their cell, and within a bucket by cell.
    sorted: Vec<Entry<D>>,
    /// The bucket of each entry.
    buckets: Vec<u32>,
    /// The first sorted entry of each bucket, and the end of the last.
    first: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl<const D: usize> Cells<D> {
    /// With memory for so many points and usual numbers of pairs.
    pub(crate) fn with_capacity(points: usize) -> Self {
        Self {
            entries: Vec::with_capacity(points),
            sorted: Vec::with_capacity(points),
            buckets: Vec::with_capacity(points),
            first: Vec::with_capacity(bucket_count(points) + 2),
            pairs: Vec::with_capacity(PAIRS * points),
        }
    }
}

/// Pairs of numbers: for each number the greater numbers with which it forms a pair, in ascending
/// order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairList {
    /// Where the list of each number begins in `others`, and the end of the last.
    first: Vec<u32>,
    others: Vec<u32>,
}

impl PairList {
    /// For each number the greater numbers with which it forms a pair.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.first.windows(2).map(|range| &self.others[range[0] as usize..range[1] as usize])
    }

    /// Whether two numbers, the lower first, are a pair.
    #[inline]
    pub(crate) fn contains(&self, [low, high]: [u32; 2]) -> bool {
        let Some(&[first, end]) = self.first.get(low as usize..low as usize + 2) else {
            return false;
        };
        self.others[first as usize..end as usize].contains(&high)
    }

    /// With memory for usual numbers of pairs of so many numbers.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let (first, others) = (Vec::with_capacity(count + 2), Vec::with_capacity(PAIRS * count));
        Self { first, others }
    }

    /// Lists pairs, the lower number first, of numbers below `count`.
    pub(crate) fn fill(&mut self, count: usize, pairs: &[[u32; 2]]) {
        let Self { first, others } = self;
        first.clear();
        first.resize(count + 2, 0);
        for &[low, _] in pairs {
            first[low as usize + 2] += 1;
        }
        for number in 2..first.len() {
            first[number] += first[number - 1];
        }
        others.clear();
        others.resize(pairs.len(), 0);
        for &[low, high] in pairs {
            let place = &mut first[low as usize + 1];
            others[*place as usize] = high;
            *place += 1;
        }
        first.truncate(count + 1);
        for range in first.windows(2) {
            others[range[0] as usize..range[1] as usize].sort_unstable();
        }
    }
}

/// The offsets from a cell to the half of its neighbours that come after it.
fn forward_neighbours<const D: usize>() -> impl Iterator<Item = [i32; D]> {
    let cells = 3_i32.pow(D as u32);
    (cells / 2 + 1..cells).map(|code| {
        let mut rest = code;
        core::array::from_fn(|_| {
            let digit = rest % 3;
            rest /= 3;
            digit - 1
        })
    })
}

/// Number of buckets for so many points, a power of 2.
fn bucket_count(points: usize) -> usize {
    (2 * points.max(1)).next_power_of_two()
}

/// The bucket of a cell; `mask` is one less than their number, a power of 2.
#[inline]
fn bucket_of<const D: usize>(cell: [i32; D], mask: u32) -> u32 {
    const FACTORS: [u32; 4] = [0x9E37_79B1, 0x85EB_CA6B, 0xC2B2_AE35, 0x27D4_EB2F];
    let mut hash = 0_u32;
    for (axis, along) in cell.into_iter().enumerate() {
        hash = hash.rotate_left(11) ^ along.cast_unsigned().wrapping_mul(FACTORS[axis % 4]);
    }
    (hash ^ hash >> 15).wrapping_mul(FACTORS[1]) >> 7 & mask
}

impl<const D: usize> Cells<D> {
    /// Lists all pairs of points closer than `reach`, m, that `wanted` accepts; it gets the lower
    /// number first. Points that are not finite are in no pair. The list has at most `pairs_max`
    /// pairs; the others are left out.
    pub(crate) fn near_pairs(
        &mut self,
        points: impl ExactSizeIterator<Item = [f32; D]>,
        reach: f32,
        pairs_max: usize,
        wanted: impl Fn([u32; 2]) -> bool,
        list: &mut PairList,
    ) {
        let count = points.len();
        self.sort(points, reach);
        let Self { sorted, first, pairs, .. } = self;
        pairs.clear();
        let reach2 = reach * reach;
        let mask = first.len() as u32 - 2;
        let bucket = |bucket: u32| {
            let range = first[bucket as usize] as usize..first[bucket as usize + 1] as usize;
            range.start..range.end
        };
        let mut test = |one: &Entry<D>, other: &Entry<D>| {
            let mut square = 0.0;
            for (a, b) in one.x.into_iter().zip(other.x) {
                square += (a - b) * (a - b);
            }
            if square < reach2 && pairs.len() < pairs_max {
                let pair = [one.number.min(other.number), one.number.max(other.number)];
                if wanted(pair) {
                    pairs.push(pair);
                }
            }
        };
        for in_cell in sorted.chunk_by(|one, other| one.cell == other.cell) {
            for (nth, one) in in_cell.iter().enumerate() {
                for other in &in_cell[nth + 1..] {
                    test(one, other);
                }
            }
            let cell = in_cell[0].cell;
            for offset in forward_neighbours::<D>() {
                // Far away, where cells saturate, this wraps round, to points that are too far.
                let near: [i32; D] =
                    core::array::from_fn(|axis| cell[axis].wrapping_add(offset[axis]));
                let others = &sorted[bucket(bucket_of(near, mask))];
                for other in others.iter().filter(|other| other.cell == near) {
                    for one in in_cell {
                        test(one, other);
                    }
                }
            }
        }
        list.fill(count, pairs);
    }

    /// Sorts points into cells.
    fn sort(&mut self, points: impl ExactSizeIterator<Item = [f32; D]>, reach: f32) {
        let Self { entries, sorted, buckets, first, .. } = self;
        // A little wider than the reach, so that rounding moves no near point beyond a neighbour.
        let per_cell = 1.0 / (1.001 * f64::from(reach));
        let mask = bucket_count(points.len()) as u32 - 1;
        entries.clear();
        buckets.clear();
        first.clear();
        first.resize(mask as usize + 3, 0);
        for (number, x) in points.enumerate() {
            let cell = x.map(|x| (f64::from(x) * per_cell).floor() as i32);
            let bucket = bucket_of(cell, mask);
            entries.push(Entry { cell, number: number as u32, x });
            buckets.push(bucket);
            first[bucket as usize + 2] += 1;
        }
        for bucket in 2..first.len() {
            first[bucket] += first[bucket - 1];
        }
        sorted.clear();
        sorted.resize(entries.len(), Entry { cell: [0; D], number: 0, x: [0.0; D] });
        for (entry, &bucket) in entries.iter().zip(&*buckets) {
            let place = &mut first[bucket as usize + 1];
            sorted[*place as usize] = *entry;
            *place += 1;
        }
        first.pop();
        // Different cells in one bucket are rare.
        for range in first.windows(2) {
            let in_bucket = &mut sorted[range[0] as usize..range[1] as usize];
            if in_bucket.windows(2).any(|two| two[0].cell != two[1].cell) {
                in_bucket.sort_unstable_by_key(|entry| (entry.cell, entry.number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cells, PairList};

    fn check<const D: usize>(points: &[[f32; D]], reach: f32) {
        let distance2 =
            |a: [f32; D], b: [f32; D]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let mut expected = Vec::new();
        for low in 0..points.len() {
            for high in low + 1..points.len() {
                if distance2(points[low], points[high]) < reach * reach && (low + high) % 5 != 0 {
                    expected.push([low as u32, high as u32]);
                }
            }
        }
        let mut list = PairList::default();
        let wanted = |[low, high]: [u32; 2]| (low + high) % 5 != 0;
        let all = points.iter().copied();
        Cells::with_capacity(0).near_pairs(all, reach, usize::MAX, wanted, &mut list);
        let found: Vec<[u32; 2]> = list
            .rows()
            .enumerate()
            .flat_map(|(low, others)| others.iter().map(move |&high| [low as u32, high]))
            .collect();
        assert_eq!(found, expected);
        for pair in expected {
            assert!(list.contains(pair));
        }
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_a_search_over_all(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 0..150),
            reach in 0.01..0.8_f32,
            far in prop::sample::select(vec![0.0_f32, 100.0, -1e7, 1e11]),
        ) {
            check(&points, reach);
            let moved: Vec<[f32; 3]> = points.iter().map(|point| point.map(|x| x + far)).collect();
            check(&moved, reach);
            let flat: Vec<[f32; 2]> = points.iter().map(|&[x, y, _]| [x, y]).collect();
            check(&flat, reach);
        }
    }

    #[test]
    fn points_that_are_not_finite_are_in_no_pair() {
        let points = [[f32::NAN; 3], [0.0; 3], [f32::INFINITY; 3], [f32::INFINITY; 3], [0.1; 3]];
        check(&points, 0.5);
        check::<3>(&[], 0.5);
    }
}
