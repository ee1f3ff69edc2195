//! Which kernels there are, and by what names they are known.

use taut::{Kernel, KernelPair, Schedule};

use crate::protocol::KernelEntry;

/// By what names the kernel for a part of a world is known: kernel and instruction set.
pub(crate) fn names_for(kernels: &KernelPair, schedule: &Schedule) -> [&'static str; 2] {
    let kernel = kernels.kernel_for(schedule);
    let inside = kernel.inside();
    [Kernel::<3>::name(inside), Kernel::<3>::isa(inside)]
}

/// What a user may choose from, where there are regular sheets that are wide enough, or none.
pub(crate) fn entries(sheets: bool) -> Vec<KernelEntry> {
    let mut entries: Vec<KernelEntry> = Vec::new();
    for pair in KernelPair::available(true) {
        match entries.iter_mut().find(|entry| entry.name == pair.name()) {
            Some(entry) => entry.instructions.push(pair.isa()),
            None => entries.push(KernelEntry {
                name: pair.name(),
                instructions: vec![pair.isa()],
                reason: (pair.sheets.is_for_sheets() && !sheets).then_some(
                    "it is for regular sheets of 24 columns and more in the schedule 'sheet', and \
                     there is none here",
                ),
            }),
        }
    }
    entries
}
