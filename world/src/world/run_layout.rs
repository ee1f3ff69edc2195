//! An order of sticks in which SIMD code computes all lengths fast.

use taut_core::{RunKey, Sticks};

/// Largest number of sticks whose lengths are computed together: the size of the buffer for them.
pub(super) const CHUNK: usize = 64;

/// Smallest number of sticks in a run. Shorter runs become single sticks, because computing their
/// lengths one by one is faster.
const RUN_MIN: usize = 8;

/// An order of the selected sticks: first the runs, whose ends are consecutive particles (as in a
/// sheet), then the single sticks. The index of a stick in this order is its slot.
#[derive(Clone, Debug, Default)]
pub(super) struct RunLayout {
    pub(super) runs: Vec<Run>,
    /// The ends of the single sticks, whose slots follow those of the runs.
    pub(super) single: Vec<[u32; 2]>,
    /// The stick in each slot.
    pub(super) sticks: Vec<u32>,
    /// The slot of each stick; [`NO_SLOT`] if it was not selected.
    slots: Vec<u32>,
}

/// Sticks between particles `a` and `b`, `a + 1` and `b + 1`, ... in the slots from `first` on. At
/// most [`CHUNK`] sticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) first: usize,
    pub(super) len: usize,
}

/// Marks a stick without a slot.
const NO_SLOT: u32 = u32::MAX;

impl RunLayout {
    /// The layout of the sticks for which `wanted` is true.
    pub(super) fn of(sticks: &Sticks, wanted: impl Fn(usize) -> bool) -> Self {
        let ends = sticks.ends();
        let selected = (0..).zip(ends).filter(|&(stick, _)| wanted(stick as usize));
        let sorted = RunKey::sorted(selected.map(|(stick, &ends)| RunKey::stick(stick, ends)));
        let (mut runs, mut in_order, mut single) = (Vec::new(), Vec::new(), Vec::new());
        for run in RunKey::runs(&sorted, 1).flat_map(|run| run.chunks(CHUNK)) {
            let numbers = run.iter().map(|stick| stick.number);
            if run.len() < RUN_MIN {
                single.extend(numbers);
            } else {
                let [a, b] = ends[run[0].number as usize].map(|end| end as usize);
                runs.push(Run { a, b, first: in_order.len(), len: run.len() });
                in_order.extend(numbers);
            }
        }
        // The order of their numbers keeps memory accesses local.
        single.sort_unstable();
        in_order.extend(&single);
        let mut slots = vec![NO_SLOT; sticks.len()];
        for (slot, &stick) in in_order.iter().enumerate() {
            slots[stick as usize] = slot as u32;
        }
        Self {
            runs,
            single: single.iter().map(|&stick| ends[stick as usize]).collect(),
            sticks: in_order,
            slots,
        }
    }

    /// The slot of a stick, if it was selected.
    pub(super) fn slot(&self, stick: usize) -> Option<usize> {
        let slot = self.slots[stick];
        (slot != NO_SLOT).then_some(slot as usize)
    }

    /// The slot of the first single stick.
    #[inline(always)]
    pub(super) fn first_single(&self) -> usize {
        self.sticks.len() - self.single.len()
    }
}
