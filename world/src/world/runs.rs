//! An order of sticks in which computing the stretch of all of them is fast.

use taut_core::Sticks;

/// How many sticks are looked at together.
pub(super) const CHUNK: usize = 64;

/// Fewer consecutive sticks than this are looked at one by one.
const LEAST: usize = 8;

/// Sticks in another order: first those whose ends are consecutive particles, as those of a sheet
/// are, one after the other; then the rest. Each has a place in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    pub(super) rows: Vec<Run>,
    /// The ends of the sticks at the last places.
    pub(super) loose: Vec<[u32; 2]>,
    /// The stick at each place.
    pub(super) sticks: Vec<u32>,
    /// For each stick its place; none for those that were left out.
    places: Vec<u32>,
}

/// Sticks `a - b`, `a + 1 - b + 1`, ... from the place `first` on, [`CHUNK`] of them at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) first: usize,
    pub(super) len: usize,
}

const NOWHERE: u32 = u32::MAX;

impl Runs {
    /// Of those sticks that are wanted.
    pub(super) fn of(sticks: &Sticks, wanted: impl Fn(usize) -> bool) -> Self {
        let ends = sticks.ends();
        let mut order: Vec<u32> =
            (0..sticks.len() as u32).filter(|&stick| wanted(stick as usize)).collect();
        order.sort_by_key(|&stick| {
            let [a, b] = ends[stick as usize];
            (b.wrapping_sub(a), a, stick)
        });
        let follows = |&one: &u32, &next: &u32| {
            let [one, next] = [one, next].map(|stick| ends[stick as usize]);
            [one[0] + 1, one[1] + 1] == next
        };
        let (mut rows, mut places, mut loose) = (Vec::new(), Vec::new(), Vec::new());
        for run in order.chunk_by(follows).flat_map(|run| run.chunks(CHUNK)) {
            if run.len() < LEAST {
                loose.extend(run);
            } else {
                let [a, b] = ends[run[0] as usize].map(|end| end as usize);
                rows.push(Run { a, b, first: places.len(), len: run.len() });
                places.extend(run);
            }
        }
        // As they were numbered, which is as near each other as they are in memory.
        loose.sort_unstable();
        places.extend(&loose);
        let mut place_of = vec![NOWHERE; sticks.len()];
        for (place, &stick) in places.iter().enumerate() {
            place_of[stick as usize] = place as u32;
        }
        Self {
            rows,
            loose: loose.iter().map(|&stick| ends[stick as usize]).collect(),
            sticks: places,
            places: place_of,
        }
    }

    /// The place of a stick, if it was not left out.
    pub(super) fn place(&self, stick: usize) -> Option<usize> {
        let place = self.places[stick];
        (place != NOWHERE).then_some(place as usize)
    }

    /// The place of the first that is in no run.
    #[inline(always)]
    pub(super) fn first_loose(&self) -> usize {
        self.sticks.len() - self.loose.len()
    }
}
