//! The schedules that every builder makes of arbitrary graphs of sticks; [`Schedule::new`] checks them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut::{Renumbering, Schedule, Sheet, Sticks};
use taut_fuzz::graph::{Graph, Mesh};

/// Checks that a schedule is valid for its sticks, and stays valid after renumbering.
fn check(schedule: &Schedule, sticks: &Sticks, renumbered: &[Sticks]) {
    let rebuilt = Schedule::new(sticks, &schedule.to_phases());
    assert_eq!(rebuilt.as_ref(), Ok(schedule), "`Schedule::new` rejects or changes a schedule");
    for sticks in renumbered {
        let renumbered = schedule.renumbered(sticks).expect("renumbering keeps the order valid");
        let rebuilt = Schedule::new(sticks, &schedule.to_phases());
        assert_eq!(rebuilt.as_ref(), Ok(&renumbered), "renumbering changes more than the ends");
    }
}

/// Checks that no batch has both plain and non-plain sticks.
fn check_unmixed(schedule: &Schedule, sticks: &Sticks) {
    for batch in schedule.batches() {
        let plain = batch.iter().filter(|&&stick| sticks.is_plain(stick as usize)).count();
        assert!(plain == 0 || plain == batch.len(), "a batch has both plain and non-plain sticks");
    }
}

/// Checks changed orders: one with a stick missing, and one with that stick inserted in the first block
/// of a phase. `choices` select the block from which the stick is taken, and its new place.
fn check_moved_stick(schedule: &Schedule, sticks: &Sticks, choices: [u8; 4]) {
    let mut phases = schedule.to_phases();
    let pick = |choice: usize, len: usize| usize::from(choices[choice]) % len.max(1);
    let moved = (|| {
        let phase = pick(0, phases.len());
        let block = phases.get(phase).map(|blocks| pick(1, blocks.len()))?;
        phases[phase].get_mut(block)?.last_mut()?.pop()
    })();
    let Some(moved) = moved else { return };
    assert!(Schedule::new(sticks, &phases).is_err(), "an order with a missing stick was accepted");
    let phase = pick(2, phases.len());
    let Some(batch) = phases[phase].first_mut().and_then(|block| block.first_mut()) else { return };
    batch.insert(pick(3, batch.len()), moved);
    // This order may be valid or not. A valid one has all sticks once. `to_phases` has no empty
    // batches, even if `phases` has one.
    if let Ok(schedule) = Schedule::new(sticks, &phases) {
        assert_eq!(schedule.sticks(), sticks.len());
        assert_eq!(Schedule::new(sticks, &schedule.to_phases()).as_ref(), Ok(&schedule));
    }
}

fuzz_target!(|input: (Graph, u8, [u8; 4])| {
    let (graph, changed, choices) = input;
    let mesh = graph.mesh();
    let Mesh { particles, sticks, .. } = &mesh;
    let numberings = [Renumbering::reverse_cuthill_mckee(sticks), Renumbering::hilbert(particles)];
    let renumbered = numberings.map(|numbering| {
        let (renumbered, renumbered_sticks) = numbering.apply(particles, sticks);
        let undone = numbering.undo(&renumbered);
        assert_eq!(undone.hash(), particles.hash(), "renumbering is not undone");
        renumbered_sticks
    });
    let schedules = mesh.schedules();
    for (nth, schedule) in schedules.iter().enumerate() {
        check(schedule, sticks, &renumbered);
        // The schedule of copies is made from a schedule of plain sticks, so its batches may have both
        // plain and non-plain sticks.
        if schedule.copies().is_none() {
            check_unmixed(schedule, sticks);
        }
        if nth == usize::from(changed) % schedules.len() {
            check_moved_stick(schedule, sticks, choices);
        }
    }
    if let Some((sheet, order)) = Sheet::find(sticks) {
        let ends = |&stick: &u32| sticks.ends()[stick as usize];
        let found: Vec<[u32; 2]> = order.iter().map(ends).collect();
        let with_sorted_ends = |pairs: Vec<[u32; 2]>| -> Vec<[u32; 2]> {
            pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect()
        };
        assert_eq!(
            with_sorted_ends(found),
            with_sorted_ends(sheet.pairs()),
            "the sticks of the sheet that was found differ from the sticks of the graph"
        );
    }
});
