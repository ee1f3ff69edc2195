//! An order of sticks in which SIMD code computes all stretches fast.

use taut_core::{RunKey, Sticks};

/// Largest number of sticks that are computed together.
pub(super) const CHUNK: usize = 64;

/// Shorter runs are not worth it: their sticks are computed one by one.
const RUN_MIN: usize = 8;

/// A permutation of sticks: first the runs, whose ends are consecutive particles (as in a sheet),
/// then the single sticks. Each stick has a place in it.
#[derive(Clone, Debug, Default)]
pub(super) struct RunLayout {
    pub(super) runs: Vec<Run>,
    /// The ends of the single sticks, which have the last places.
    pub(super) single: Vec<[u32; 2]>,
    /// The stick at each place.
    pub(super) sticks: Vec<u32>,
    /// For each stick its place; [`NO_PLACE`] if it was left out.
    places: Vec<u32>,
}

/// Sticks `a - b`, `a + 1 - b + 1`, ... at the places from `first` on, at most [`CHUNK`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) first: usize,
    pub(super) len: usize,
}

const NO_PLACE: u32 = u32::MAX;

impl RunLayout {
    /// The sticks that `wanted` selects.
    pub(super) fn of(sticks: &Sticks, wanted: impl Fn(usize) -> bool) -> Self {
        let ends = sticks.ends();
        let wanted = (0..).zip(ends).filter(|&(stick, _)| wanted(stick as usize));
        let sorted = RunKey::sorted(wanted.map(|(stick, &ends)| RunKey::stick(stick, ends)));
        let (mut runs, mut places, mut single) = (Vec::new(), Vec::new(), Vec::new());
        for run in RunKey::runs(&sorted, 1).flat_map(|run| run.chunks(CHUNK)) {
            let numbers = run.iter().map(|stick| stick.number);
            if run.len() < RUN_MIN {
                single.extend(numbers);
            } else {
                let [a, b] = ends[run[0].number as usize].map(|end| end as usize);
                runs.push(Run { a, b, first: places.len(), len: run.len() });
                places.extend(numbers);
            }
        }
        // By number, which keeps memory accesses local.
        single.sort_unstable();
        places.extend(&single);
        let mut place_of = vec![NO_PLACE; sticks.len()];
        for (place, &stick) in places.iter().enumerate() {
            place_of[stick as usize] = place as u32;
        }
        Self {
            runs,
            single: single.iter().map(|&stick| ends[stick as usize]).collect(),
            sticks: places,
            places: place_of,
        }
    }

    /// The place of a stick, if it was not left out.
    pub(super) fn place(&self, stick: usize) -> Option<usize> {
        let place = self.places[stick];
        (place != NO_PLACE).then_some(place as usize)
    }

    /// The place of the first single stick.
    #[inline(always)]
    pub(super) fn first_single(&self) -> usize {
        self.sticks.len() - self.single.len()
    }
}
