//! The available kernels and their names.

use taut::{Kernel, KernelPair, Schedule};

use crate::protocol::KernelEntry;

/// The name and the instruction set of the kernel for a schedule.
pub(crate) fn names_for(kernels: &KernelPair, schedule: &Schedule) -> [&'static str; 2] {
    let kernel = kernels.kernel_for(schedule);
    let inside = kernel.inside();
    [Kernel::<3>::name(inside), Kernel::<3>::isa(inside)]
}

/// The available kernels; `sheets`: whether the scene has a sheet that suits the grid kernel.
pub(crate) fn available(sheets: bool) -> Vec<KernelEntry> {
    let mut entries: Vec<KernelEntry> = Vec::new();
    for pair in KernelPair::available(true) {
        match entries.iter_mut().find(|entry| entry.name == pair.name()) {
            Some(entry) => entry.instructions.push(pair.isa()),
            None => entries.push(KernelEntry {
                name: pair.name(),
                instructions: vec![pair.isa()],
                reason: (pair.sheets.is_for_sheets() && !sheets).then_some(
                    "needs a regular sheet of at least 24 columns in the schedule 'sheet'; this \
                     scene has none",
                ),
            }),
        }
    }
    entries
}
