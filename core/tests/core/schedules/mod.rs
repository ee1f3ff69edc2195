//! Schedules: the properties of the schedules of all builders, and errors.

mod blocks;
mod golden;
mod packets;
mod validity;

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use taut_core::{
    BLOCK_PARTICLES, Copies, Duplicates, Family, OPEN_PACKETS, PACKET_STICKS, RUN_STICKS,
    Renumbering, STAR_STICKS, Schedule, ScheduleError, Sheet, Sticks,
};

use crate::meshes::{
    Component, Mesh, Random, Recipe, for_all, make_non_plain, particles_at, sheet_mesh, unit_sticks,
};

/// Phases of blocks of batches of stick numbers.
type Phases = Vec<Vec<Vec<Vec<u32>>>>;

fn phases(schedule: &Schedule) -> Phases {
    let blocks = schedule.phases().map(|phase| {
        phase.blocks().map(|block| block.batches().map(<[u32]>::to_vec).collect()).collect()
    });
    blocks.collect()
}

/// Both ends of each stick of `group`.
fn particles_of(sticks: &Sticks, group: &[u32]) -> Vec<u32> {
    group.iter().flat_map(|&stick| sticks.ends()[stick as usize]).collect()
}

/// Whether `phases` meets the definition of a schedule, checked literally: each stick occurs once,
/// the sticks of a batch share no particle, and the blocks of a phase share no particle.
fn is_valid(sticks: &Sticks, phases: &Phases) -> bool {
    let mut order: Vec<u32> = phases.iter().flatten().flatten().flatten().copied().collect();
    order.sort_unstable();
    let each_once = (0..sticks.len() as u32).eq(order);
    let all_differ = |particles: Vec<u32>| {
        let count = particles.len();
        particles.into_iter().collect::<HashSet<_>>().len() == count
    };
    let batches_independent = || {
        let mut batches = phases.iter().flatten().flatten();
        batches.all(|batch| all_differ(particles_of(sticks, batch)))
    };
    let blocks_independent = || {
        phases.iter().all(|blocks| {
            let of_block = |block: &Vec<Vec<u32>>| -> BTreeSet<u32> {
                block.iter().flat_map(|batch| particles_of(sticks, batch)).collect()
            };
            all_differ(blocks.iter().flat_map(of_block).collect())
        })
    };
    each_once && batches_independent() && blocks_independent()
}

/// Checks the guarantees of every schedule.
fn assert_valid(name: &str, schedule: &Schedule, sticks: &Sticks) {
    let phases = phases(schedule);
    assert!(is_valid(sticks, &phases), "{name}: not a valid schedule");
    assert_eq!((schedule.sticks(), schedule.particles()), (sticks.len(), sticks.particles()));
    let flat: Vec<&[u32]> = phases.iter().flatten().flatten().map(Vec::as_slice).collect();
    assert!(schedule.batches().eq(flat.iter().copied()), "{name}: `batches` differs from `phases`");
    assert_eq!(schedule.order(), flat.concat(), "{name}: `order` differs from `phases`");
    let not_empty = |batch: &&[u32]| !batch.is_empty();
    assert!(flat.iter().all(not_empty), "{name}: an empty batch");
    assert!(phases.iter().flatten().all(|block| !block.is_empty()), "{name}: an empty block");
    assert!(phases.iter().all(|phase| !phase.is_empty()), "{name}: an empty phase");
    assert_eq!(
        Schedule::new(sticks, &phases).as_ref(),
        Ok(schedule),
        "{name}: not equal when rebuilt from its phases"
    );
}

/// Checks that no batch has both plain and non-plain sticks.
fn assert_unmixed(name: &str, schedule: &Schedule, sticks: &Sticks) {
    for batch in schedule.batches() {
        let plain = batch.iter().filter(|&&stick| sticks.is_plain(stick as usize)).count();
        assert!(
            plain == 0 || plain == batch.len(),
            "{name}: a batch has both plain and non-plain sticks"
        );
    }
}

/// The schedule of each builder for a mesh, with the builder's name.
fn schedules_of_all_builders(mesh: &Mesh) -> [(&'static str, Schedule); 6] {
    [
        ("authored", Schedule::authored(&mesh.sticks)),
        ("coloured", Schedule::coloured(&mesh.sticks)),
        ("packed", Schedule::packed(&mesh.sticks)),
        ("starred", Schedule::starred(&mesh.sticks)),
        ("banded", Schedule::banded(&mesh.sticks)),
        ("blocked", Schedule::blocked(&mesh.particles, &mesh.sticks)),
    ]
}

/// Checks the schedules of all builders for a mesh.
fn assert_builders_valid(mesh: &Mesh) {
    for (name, schedule) in schedules_of_all_builders(mesh) {
        assert_valid(name, &schedule, &mesh.sticks);
        assert_unmixed(name, &schedule, &mesh.sticks);
    }
}

#[test]
fn every_builder_makes_a_schedule_of_any_mesh() {
    for_all(150, Recipe::any(), |recipe| assert_builders_valid(&recipe.mesh()));
    for non_plain in [0, 30] {
        assert_builders_valid(&Recipe::large(non_plain).mesh());
    }
}

#[test]
fn every_builder_is_deterministic() {
    let check = |recipe: &Recipe| {
        let [mesh, same] = [recipe.mesh(), recipe.mesh()];
        assert_eq!(schedules_of_all_builders(&mesh), schedules_of_all_builders(&mesh.clone()));
        assert_eq!(schedules_of_all_builders(&mesh), schedules_of_all_builders(&same));
    };
    for_all(40, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(10));
}

#[test]
fn every_builder_makes_a_schedule_of_renumbered_meshes() {
    let check = |recipe: &Recipe| {
        let Mesh { particles, sticks } = recipe.mesh::<3, f32>();
        let renumberings =
            [Renumbering::reverse_cuthill_mckee(&sticks), Renumbering::hilbert(&particles)];
        for renumbering in renumberings {
            let (particles, sticks) = renumbering.apply(&particles, &sticks);
            assert_builders_valid(&Mesh { particles, sticks });
        }
    };
    for_all(40, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(10));
}

/// The largest number of sticks at one particle, of the sticks selected by `counted`.
fn largest_degree(sticks: &Sticks, counted: impl Fn(usize) -> bool) -> usize {
    let mut degrees = vec![0; sticks.particles()];
    for (stick, ends) in sticks.ends().iter().enumerate() {
        if counted(stick) {
            for &end in ends {
                degrees[end as usize] += 1;
            }
        }
    }
    degrees.into_iter().max().unwrap_or(0)
}

#[test]
fn colours_are_phases_and_at_most_twice_the_largest_degree_minus_one() {
    let check = |recipe: &Recipe| {
        let sticks = recipe.mesh::<3, f32>().sticks;
        let schedule = Schedule::coloured(&sticks);
        let phases = phases(&schedule);
        assert!(phases.iter().all(|phase| phase.len() == 1 && phase[0].len() == 1));
        for plain in [true, false] {
            let in_group = |stick: usize| sticks.is_plain(stick) == plain;
            let colours = schedule.batches().filter(|batch| in_group(batch[0] as usize)).count();
            let bound = (2 * largest_degree(&sticks, in_group)).saturating_sub(1);
            assert!(colours <= bound, "{colours} colours, expected at most {bound}");
        }
    };
    for_all(100, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(30));
}

#[test]
fn sheets_have_few_colours_of_nearly_equal_size() {
    for (families, side) in [(Family::STRUCTURAL, 63), (Family::SHEAR, 64), (Family::BEND, 64)] {
        let sticks = sheet_mesh(side, side, families).1.sticks;
        let sizes: Vec<usize> = Schedule::coloured(&sticks).batches().map(<[u32]>::len).collect();
        let degree = largest_degree(&sticks, |_| true);
        assert!(
            (degree..=degree + 2).contains(&sizes.len()),
            "{} colours, expected {degree} to {degree} + 2",
            sizes.len()
        );
        let mean = sticks.len() / sizes.len();
        assert!(sizes.iter().all(|&size| 100 * size > 95 * mean), "{sizes:?}, mean {mean}");
    }
}

#[test]
fn the_authored_order_is_the_order_of_stick_numbers() {
    let sticks = Recipe::large(30).mesh::<3, f32>().sticks;
    let schedule = Schedule::authored(&sticks);
    assert!(schedule.order().iter().copied().eq(0..sticks.len() as u32));
    assert!(schedule.batches().all(|batch| batch.len() == 1));
    assert_eq!(phases(&schedule).len(), 1);
}
