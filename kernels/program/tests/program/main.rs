//! Programs: a small interpreter runs a program, and the result is compared with relaxing one stick
//! after the other.

#![allow(clippy::float_cmp, reason = "the guarantee is equal numbers, not close ones")]

// Shared with the tests of taut-core.
#[path = "../../../../core/tests/core/meshes.rs"]
#[allow(dead_code, reason = "the tests of taut-core use the rest")]
mod meshes;
#[path = "../../../../core/tests/core/one_stick.rs"]
#[allow(dead_code, reason = "the tests of taut-core use the rest")]
mod one_stick;

mod interpreter;

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;
use taut_core::{Family, Formula, Kind, Particles, PlanError, Real, Schedule};
use taut_program::{Access, Program, Slots};

use interpreter::{
    INVERSE_H2, STRIDE, assert_same, check_against_reference, program_of, relax_one_by_one, run,
    schedule_of,
};
use meshes::{Component, Mesh, Random, Recipe, for_all, make_non_plain, sheet_mesh, unit_sticks};

#[test]
fn programs_of_any_lane_count_give_the_bits_of_relaxing_one_stick_after_the_other() {
    for_all(150, (Recipe::any(), 1..=16_usize, 0..6_usize), |(recipe, lanes, schedule_index)| {
        let mesh = recipe.mesh::<3, f32>();
        check_against_reference(&mesh, &schedule_of(&mesh, schedule_index), lanes);
    });
    let mesh = Recipe::large(30).mesh::<3, f32>();
    for lanes in 1..=16 {
        check_against_reference(&mesh, &schedule_of(&mesh, lanes % 5), lanes);
        check_against_reference(&mesh, &Schedule::starred(&mesh.sticks), lanes);
    }
}

#[test]
fn programs_in_other_dimensions_and_f64_give_the_bits_of_relaxing_one_stick_after_the_other() {
    fn check<const D: usize, S: Real>(recipe: &Recipe) {
        let mesh = recipe.mesh::<D, S>();
        let schedule = Schedule::blocked(&mesh.particles, &mesh.sticks);
        check_against_reference(&mesh, &schedule, 4);
    }
    for_all(20, Recipe::any(), |recipe| {
        check::<1, f32>(&recipe);
        check::<2, f32>(&recipe);
        check::<4, f32>(&recipe);
        check::<2, f64>(&recipe);
        check::<3, f64>(&recipe);
        check::<4, f64>(&recipe);
    });
}

#[test]
fn tasks_of_a_phase_share_no_particle_and_long_batches_are_split() {
    let mut mesh = sheet_mesh(90, 90, Family::STRUCTURAL).1;
    let coloured = Schedule::coloured(&mesh.sticks);
    for schedule in [&coloured, &Schedule::blocked(&mesh.particles, &mesh.sticks)] {
        for lanes in [1, 3, 16] {
            let program = program_of(&mesh, schedule, lanes, Formula::Halley);
            let mut max_tasks_per_phase = 0;
            for phase in program.phases() {
                max_tasks_per_phase = max_tasks_per_phase.max(phase.len());
                let mut ends_of_phase = BTreeSet::new();
                for task in phase {
                    let ends = program.task(task).flat_map(|slots| [slots.a, slots.b].concat());
                    let ends_of_task: BTreeSet<u32> = ends.collect();
                    assert!(ends_of_task.is_disjoint(&ends_of_phase), "tasks share a particle");
                    ends_of_phase.extend(ends_of_task);
                }
            }
            assert!(max_tasks_per_phase > 1, "no phase has several tasks for threads");
            assert!(program.slots() >= mesh.sticks.len(), "some stick has no slot");
        }
    }
    // Non-plain and torn sticks in the middle of long batches are relaxed correctly, too.
    let mut random = Random::new(15);
    for _ in 0..50 {
        let stick = random.below(mesh.sticks.len());
        make_non_plain(&mut random, &mut mesh.sticks, stick);
    }
    check_against_reference(&mesh, &coloured, 5);
}

#[test]
fn only_registers_with_non_plain_sticks_have_the_non_plain_columns() {
    let non_plain_slots = |mesh: &Mesh, schedule_index| {
        let program = program_of(mesh, &schedule_of(mesh, schedule_index), 8, Formula::Halley);
        let tasks = program.phases().flatten();
        let all = tasks.flat_map(|task| program.task(task).collect::<Vec<_>>());
        all.filter(|slots| slots.non_plain.is_some()).map(|slots| slots.a.len()).sum::<usize>()
    };
    let mut mesh = sheet_mesh(20, 20, Family::BEND).1;
    // All schedules except the starred one.
    let schedule_indices = [0, 1, 2, 3, 4];
    assert_eq!(schedule_indices.map(|index| non_plain_slots(&mesh, index)), [0; 5]);
    mesh.sticks.set_kind(9, Kind::Maximum).unwrap();
    assert_eq!(schedule_indices.map(|index| non_plain_slots(&mesh, index)), [8; 5], "one register");
    mesh.sticks.set_kind(9, Kind::TwoSided).unwrap();
    mesh.sticks.tear(7).unwrap();
    assert_eq!(schedule_indices.map(|index| non_plain_slots(&mesh, index)), [8; 5], "one register");
}

/// The fraction of slots with one of the given kinds of access, and the fraction of slots in
/// registers in which all ends have the same inverse mass.
fn slot_fractions(program: &Program<f32>, access: &[Access]) -> [f64; 2] {
    let tasks = program.phases().flatten();
    let all: Vec<_> = tasks.flat_map(|task| program.task(task).collect::<Vec<_>>()).collect();
    let fraction = |is_counted: &dyn Fn(&Slots<'_, f32>) -> bool| {
        let slots = all.iter().filter(|slots| is_counted(slots)).map(|slots| slots.a.len());
        slots.sum::<usize>() as f64 / program.slots() as f64
    };
    [
        fraction(&|slots| access.contains(&slots.access)),
        fraction(&|slots| slots.inverse_mass.is_some()),
    ]
}

/// Accesses of consecutive particles: the first ends and the second ends apart, or both together.
const CONSECUTIVE: [Access; 3] = [Access::Runs, Access::Pairs, Access::InterleavedPairs];

#[test]
fn a_mesh_numbered_row_by_row_is_mostly_consecutive_particles_of_equal_masses() {
    let mut mesh = sheet_mesh(128, 128, Family::BEND).1;
    let schedule = Schedule::banded(&mesh.sticks);
    for lanes in [4, 8, 16] {
        let program = program_of(&mesh, &schedule, lanes, Formula::Halley);
        let [consecutive, equal] = slot_fractions(&program, &CONSECUTIVE);
        // Registers of four lanes have no interleaved pairs, so fewer of them are consecutive.
        assert!(
            if lanes == 4 { equal > 0.95 } else { consecutive > 0.8 && equal > 0.9 },
            "{lanes} lanes: fraction of consecutive particles {consecutive}, of equal masses {equal}"
        );
        let [pairs, _] = slot_fractions(&program, &[Access::Pairs]);
        assert!(pairs > 0.1, "{lanes} lanes: fraction of pairs {pairs}");
        let [interleaved, _] = slot_fractions(&program, &[Access::InterleavedPairs]);
        assert_eq!(interleaved > 0.1, lanes > 4, "{lanes} lanes: interleaved {interleaved}");
    }
    // A refresh reads a mass that becomes different, and then one that becomes equal again.
    let mut program = program_of(&mesh, &schedule, 16, Formula::Quick);
    let [_, before] = slot_fractions(&program, &[]);
    mesh.particles.set_inverse_mass(5000, 3.0).unwrap();
    program.refresh(&mesh.particles, &mesh.sticks).unwrap();
    assert!(slot_fractions(&program, &[])[1] < before, "the mass that differs was not read");
    mesh.particles.set_inverse_mass(5000, 1.0).unwrap();
    program.refresh(&mesh.particles, &mesh.sticks).unwrap();
    let [_, after] = slot_fractions(&program, &[]);
    assert_eq!(after.to_bits(), before.to_bits(), "the mass that is equal again was not read");
    // Registers of one or three lanes cannot be transposed.
    for lanes in [1, 3] {
        let program = program_of(&mesh, &schedule, lanes, Formula::Halley);
        assert!(slot_fractions(&program, &CONSECUTIVE).iter().all(|fraction| *fraction == 0.0));
    }
}

#[test]
fn stars_of_different_masses_stay_stars_in_wide_registers() {
    let mut mesh = sheet_mesh(128, 128, Family::BEND).1;
    let schedule = Schedule::starred(&mesh.sticks);
    for lanes in [4, 8, 16] {
        let mut program = program_of(&mesh, &schedule, lanes, Formula::Quick);
        let before = slot_fractions(&program, &[Access::Stars]);
        assert!(before.iter().all(|&fraction| fraction > 0.85), "{lanes} lanes: {before:?}");
        // In a packet with one different mass, narrow registers are relaxed one by one instead of as
        // stars.
        mesh.particles.set_inverse_mass(5000, 3.0).unwrap();
        program.refresh(&mesh.particles, &mesh.sticks).unwrap();
        let [stars, equal] = slot_fractions(&program, &[Access::Stars]);
        assert!(0.85 < equal && equal < before[1], "fraction of equal masses: {equal}");
        assert_eq!(
            stars.to_bits() == before[0].to_bits(),
            lanes == 16,
            "{lanes} lanes: whether as many stars are left"
        );
        let expected = relax_one_by_one(&mesh, &schedule, Formula::Quick, INVERSE_H2);
        assert_same(&run(&program, &mesh.particles), &expected, "a different mass");
        mesh.particles.set_inverse_mass(5000, 1.0).unwrap();
        program.refresh(&mesh.particles, &mesh.sticks).unwrap();
        let after = slot_fractions(&program, &[Access::Stars]);
        assert_eq!(after.map(f64::to_bits), before.map(f64::to_bits), "equal masses again");
    }
    // There are no stars for lane counts that are not a multiple of 4 or do not divide a packet.
    for lanes in [1, 3, 12] {
        let program = program_of(&mesh, &schedule, lanes, Formula::Halley);
        assert!(slot_fractions(&program, &[Access::Stars])[0] == 0.0, "{lanes} lanes: stars");
    }
}

/// Ranges of the arms of the `match` in [`make_a_change`]: all changes, changes of sticks, changes
/// of masses.
const CHANGE_RANGES: [Range<usize>; 3] = [0..9, 0..7, 7..9];

/// Makes a random change that a refresh must read: one of the arms in `range`.
fn make_a_change<const D: usize, S: Real>(
    random: &mut Random,
    mesh: &mut Mesh<D, S>,
    range: &Range<usize>,
) {
    let Mesh { particles, sticks } = mesh;
    let stick = random.below(sticks.len());
    let particle = random.below(particles.len());
    let value = S::from_f64(random.between(0.1, 1.0));
    match range.start + random.below(range.len()) {
        0 => sticks.set_rest(stick, value).unwrap(),
        1 => sticks.set_stiffness(stick, value).unwrap(),
        2 => {
            sticks.set_stiffness(stick, S::ONE).unwrap();
            sticks.set_compliance(stick, S::ZERO).unwrap();
            sticks.set_kind(stick, Kind::TwoSided).unwrap();
        }
        3 => sticks.set_compliance(stick, S::from_f64(random.magnitude(1e-6, 1e-2))).unwrap(),
        4 => {
            let kinds = [Kind::TwoSided, Kind::Minimum, Kind::Maximum];
            sticks.set_kind(stick, kinds[random.below(3)]).unwrap();
        }
        5 => sticks.tear(stick).unwrap(),
        6 => sticks.mend(stick).unwrap(),
        7 => particles.set_inverse_mass(particle, value).unwrap(),
        _ => particles.set_inverse_mass(particle, S::ZERO).unwrap(),
    }
}

#[test]
fn after_any_changes_a_refreshed_program_equals_a_new_one() {
    let values = (Recipe::any(), 1..=16_usize, 0..5_usize, any::<u64>());
    for_all(120, values, |(mut recipe, lanes, schedule_index, seed)| {
        recipe.components.push(Component::Chain(9));
        let mut mesh = recipe.mesh::<3, f32>();
        // The schedule stays the same while sticks become non-plain or plain.
        let schedule = schedule_of(&mesh, schedule_index);
        let mut programs = Formula::ALL.map(|formula| program_of(&mesh, &schedule, lanes, formula));
        let mut random = Random::new(seed);
        for changes_max in [1, 10, 3 * mesh.sticks.len()] {
            let range = &CHANGE_RANGES[random.below(CHANGE_RANGES.len())];
            for _ in 0..=random.below(changes_max) {
                make_a_change(&mut random, &mut mesh, range);
            }
            // Sometimes replaces the sticks or the particles by a clone, which has its own record of
            // changes.
            if random.one_in(4) {
                mesh.sticks = mesh.sticks.clone();
            }
            if random.one_in(4) {
                mesh.particles = mesh.particles.clone();
            }
            for program in &mut programs {
                let formula = program.formula();
                program.refresh(&mesh.particles, &mesh.sticks).unwrap();
                let refreshed = run(program, &mesh.particles);
                let new = program_of(&mesh, &schedule, lanes, formula);
                let expected = relax_one_by_one(&mesh, &schedule, formula, INVERSE_H2);
                assert_same(&refreshed, &expected, &format!("{formula}, refreshed"));
                assert_same(&run(&new, &mesh.particles), &expected, &format!("{formula}, new"));
            }
        }
    });
}

#[test]
fn another_substep_length_changes_compliant_sticks() {
    let mesh = Recipe::large(100).mesh::<3, f32>(); // No stick is plain.
    let schedule = Schedule::packed(&mesh.sticks);
    for formula in Formula::ALL {
        let mut program = program_of(&mesh, &schedule, 8, formula);
        let before = run(&program, &mesh.particles);
        // The second call sets the value that the program has already.
        for inverse_h2 in [100.0, 100.0, 1e6] {
            program.set_inverse_h2(&mesh.particles, inverse_h2 as f32);
            let expected = relax_one_by_one(&mesh, &schedule, formula, inverse_h2);
            let after = run(&program, &mesh.particles);
            assert_same(&after, &expected, &format!("{formula}, 1 / h² = {inverse_h2}"));
            assert_ne!(after, before, "the substep length has no effect");
        }
    }
}

#[test]
fn different_sticks_and_too_few_particles_are_rejected() {
    let mesh = Recipe::plain(vec![Component::Chain(20)]).mesh::<3, f32>();
    let schedule = Schedule::coloured(&mesh.sticks);
    let mut program = program_of(&mesh, &schedule, 4, Formula::Quick);
    let before = run(&program, &mesh.particles);

    let mut pairs = mesh.sticks.ends().to_vec();
    pairs[7].reverse();
    let reversed = unit_sticks(20, &pairs);
    let shorter = unit_sticks(20, &mesh.sticks.ends()[..9]);
    let mut few = Particles::with_capacity(19);
    (0..19).for_each(|_| drop(few.push([0.5; 3], 2.0)));
    let rejections = [
        (&mesh.particles, &reversed, PlanError::OtherSticks { stick: 7 }),
        (&mesh.particles, &shorter, PlanError::OtherSticks { stick: 9 }),
        (&few, &mesh.sticks, PlanError::TooFewParticles { needed: 20, particles: 19 }),
    ];
    for (particles, sticks, error) in rejections {
        assert_eq!(program.refresh(particles, sticks), Err(error));
        let error = match error {
            PlanError::OtherSticks { stick } => PlanError::OtherSchedule { stick },
            other => other,
        };
        let rejected = Program::new(4, STRIDE, particles, sticks, &schedule, Formula::Halley);
        assert_eq!(rejected.unwrap_err(), error);
    }
    assert_same(&run(&program, &mesh.particles), &before, "unchanged after errors");

    // Rebuilt sticks with the same ends are accepted, and their values are read again. More
    // particles are accepted too.
    let rebuilt = unit_sticks(20, mesh.sticks.ends());
    let mut more = mesh.particles.clone();
    more.push([0.25; 3], 1.0).unwrap();
    program.refresh(&more, &rebuilt).unwrap();
    let mesh = Mesh { particles: more, sticks: rebuilt };
    let expected = relax_one_by_one(&mesh, &schedule, Formula::Quick, INVERSE_H2);
    assert_same(&run(&program, &mesh.particles), &expected, "rebuilt");
}

#[test]
fn without_sticks_a_program_is_empty() {
    let mesh = Mesh { particles: Particles::<3>::with_capacity(0), sticks: unit_sticks(0, &[]) };
    let program = program_of(&mesh, &Schedule::coloured(&mesh.sticks), 8, Formula::Quick);
    assert_eq!((program.slots(), program.phases().count()), (0, 0));
}
