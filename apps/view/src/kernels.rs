//! The kernels that pages can choose, and their names.

use taut::{AnyKernel, Kernel, KernelSet, SheetsAndCopies};

use crate::protocol::KernelEntry;

/// The name and the instruction set of a kernel.
pub(crate) fn name_and_isa(kernel: &AnyKernel) -> [&'static str; 2] {
    let inner = kernel.inner();
    [Kernel::<3>::name(inner), Kernel::<3>::isa(inner)]
}

/// The kernels of this build and machine, each with the reason why it does not suit the scene, if it
/// does not. `scene_has` says whether the scene has sheets for the grid kernel and copies for the
/// copies kernel.
pub(crate) fn available_kernels(scene_has: SheetsAndCopies) -> Vec<KernelEntry> {
    let mut entries: Vec<KernelEntry> = Vec::new();
    for set in KernelSet::available(SheetsAndCopies::ALL) {
        match entries.iter_mut().find(|entry| entry.name == set.name()) {
            Some(entry) => entry.instructions.push(set.isa()),
            None => entries.push(KernelEntry {
                name: set.name(),
                instructions: vec![set.isa()],
                reason: if set.main_kernel().is_for_sheets() && !scene_has.sheets {
                    Some(
                        "needs the schedule 'sheet' and a regular sheet of at least 4 columns; \
                         this scene has another schedule or no such sheet",
                    )
                } else if set.main_kernel().is_for_copies() && !scene_has.copies {
                    Some(
                        "needs 6 or more models with the same sticks, or 16 or more if they are \
                         sheets of 24 to 47 columns (wider sheets, sheets with tethers, rigid bodies \
                         and models that can sleep alone do not count); this scene has fewer",
                    )
                } else {
                    None
                },
            }),
        }
    }
    entries
}
