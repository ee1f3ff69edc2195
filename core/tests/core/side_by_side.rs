//! Several cloths side by side: particles, sticks and schedules keep their values.

use std::iter::repeat_n;
use std::ops::Range;

use taut_core::{
    CLOTH_STICKS, Family, PADDING, Particles, Renumbering, Schedule, ScheduleError, Sticks,
};

use crate::meshes::{Mesh, Random, Recipe, for_all, particles_at, sheet_mesh, unit_sticks};
use proptest::collection::vec;

/// The batches of the sticks in a range, in sequence, with stick numbers relative to its start.
fn batches_of(schedule: &Schedule, sticks: Range<usize>) -> Vec<Vec<u32>> {
    let within = |batch: &[u32]| {
        let selected = batch.iter().filter(|&&stick| sticks.contains(&(stick as usize)));
        selected.map(|stick| stick - sticks.start as u32).collect::<Vec<_>>()
    };
    schedule.batches().map(within).filter(|batch| !batch.is_empty()).collect()
}

/// Checks that meshes side by side keep the values of particles and sticks, and their batches.
fn assert_side_by_side(meshes: &[Mesh]) {
    let particles = Particles::side_by_side(meshes.iter().map(|mesh| &mesh.particles)).unwrap();
    let sticks = Sticks::side_by_side(meshes.iter().map(|mesh| &mesh.sticks)).unwrap();
    assert_eq!(sticks.particles(), particles.len());
    let (mut first_particle, mut first_stick) = (0, 0);
    for Mesh { particles: own_particles, sticks: own_sticks, .. } in meshes {
        for i in 0..own_particles.len() {
            let merged = first_particle + i;
            assert_eq!(particles.position(merged), own_particles.position(i));
            assert_eq!(particles.previous(0)[merged], own_particles.previous(0)[i]);
            assert_eq!(particles.inverse_masses()[merged], own_particles.inverse_masses()[i]);
        }
        for i in 0..own_sticks.len() {
            let merged = first_stick + i;
            let ends = own_sticks.ends()[i].map(|end| end + first_particle as u32);
            assert_eq!(sticks.ends()[merged], ends);
            assert_eq!(sticks.rest(merged), own_sticks.rest(i));
            assert_eq!(sticks.stiffness(merged), own_sticks.stiffness(i));
            assert_eq!(sticks.compliance(merged), own_sticks.compliance(i));
            assert_eq!(sticks.kind(merged), own_sticks.kind(i));
            assert_eq!(sticks.is_torn(merged), own_sticks.is_torn(i));
        }
        first_particle += own_particles.len();
        first_stick += own_sticks.len();
    }
    assert_eq!((particles.len(), sticks.len()), (first_particle, first_stick));

    for build in [Schedule::coloured, Schedule::packed, Schedule::authored] {
        let alone: Vec<Schedule> = meshes.iter().map(|mesh| build(&mesh.sticks)).collect();
        let together = Schedule::side_by_side(&sticks, &alone).unwrap();
        let mut first = 0;
        for schedule in &alone {
            let own = first..first + schedule.sticks();
            assert_eq!(batches_of(&together, own.clone()), batches_of(schedule, 0..own.len()));
            first = own.end;
        }
        let plain = |stick: &u32| sticks.is_plain(*stick as usize);
        let is_unmixed = |batch: &[u32]| batch.iter().all(plain) || !batch.iter().any(plain);
        assert!(together.batches().all(is_unmixed), "a batch has both plain and non-plain sticks");
        let large = alone.iter().filter(|schedule| schedule.sticks() > CLOTH_STICKS);
        let phases_max = large.map(|schedule| schedule.phases().count()).max().unwrap_or(1);
        assert!(together.phases().count() <= phases_max, "small cloths must not add a phase");
    }
}

#[test]
fn cloths_with_short_batches_fill_registers_together() {
    // Batches of a ladder of 7 rungs have at most 7 sticks; one stick is not plain.
    let rungs = 7;
    let rails = (0..rungs - 1).flat_map(|i| [[2 * i, 2 * i + 2], [2 * i + 1, 2 * i + 3]]);
    let pairs: Vec<[u32; 2]> = (0..rungs).map(|i| [2 * i, 2 * i + 1]).chain(rails).collect();
    let mut ladder = unit_sticks(2 * rungs as usize, &pairs);
    ladder.set_stiffness(3, 0.5).unwrap();
    let schedule = Schedule::coloured(&ladder);
    // How many registers hold the sticks of all batches, padding included.
    let registers = |schedule: &Schedule| -> usize {
        schedule.batches().map(|batch| batch.len().div_ceil(PADDING)).sum()
    };
    let (cloths, registers_alone) = (500, registers(&schedule));
    let all = Sticks::side_by_side(repeat_n(&ladder, cloths)).unwrap();
    let together = Schedule::side_by_side(&all, repeat_n(&schedule, cloths)).unwrap();
    let full = all.len() / PADDING; // registers without padding
    assert!(
        registers_alone * cloths > 3 * full,
        "the batches of one cloth must not fill registers"
    );
    assert!(
        registers(&together) * 10 < 11 * full,
        "{} registers, expected at most 10 % more than {full}",
        registers(&together)
    );
    // There are enough blocks for several threads.
    let blocks: Vec<usize> = together.phases().map(|phase| phase.blocks().count()).collect();
    assert!(blocks.len() == 1 && blocks[0] >= 8, "blocks by phase: {blocks:?}");
}

/// Batches of exactly as many sticks as the widest register has lanes are not short.
/// Lines of cloth whose batches have one stick each.
#[test]
fn up_to_1024_sticks_of_cloths_with_short_batches_share_a_block() {
    for (cloths, sticks, blocks) in [(2, 512, 1), (2, 513, 2), (4, 512, 2), (5, 512, 3)] {
        let pairs: Vec<[u32; 2]> = (0..sticks).map(|stick| [stick, stick + 1]).collect();
        let line = unit_sticks(sticks as usize + 1, &pairs);
        let together = Sticks::side_by_side(repeat_n(&line, cloths)).unwrap();
        let alone = vec![Schedule::authored(&line); cloths];
        let schedule = Schedule::side_by_side(&together, &alone).unwrap();
        let found: usize = schedule.phases().map(|phase| phase.blocks().count()).sum();
        assert_eq!(found, blocks, "{cloths} cloths of {sticks} sticks");
    }
}

#[test]
fn cloths_whose_batches_fill_the_widest_register_keep_blocks_of_their_own() {
    for (sticks_per_cloth, blocks) in [(PADDING as u32, 2), (PADDING as u32 - 1, 1)] {
        let pairs: Vec<_> = (0..sticks_per_cloth).map(|i| [2 * i, 2 * i + 1]).collect();
        let cloth = unit_sticks(2 * pairs.len(), &pairs);
        let alone = Schedule::coloured(&cloth);
        let both = Sticks::side_by_side([&cloth, &cloth]).unwrap();
        let together = Schedule::side_by_side(&both, [&alone, &alone]).unwrap();
        let count: usize = together.phases().map(|phase| phase.blocks().count()).sum();
        assert_eq!(count, blocks, "{sticks_per_cloth} sticks");
    }
}

#[test]
fn cloths_side_by_side_keep_their_values_and_batches() {
    assert_side_by_side(&[]);
    for_all(60, vec(Recipe::any(), 1..5), |recipes| {
        let mut random = Random::new(recipes.len() as u64);
        let mut meshes: Vec<Mesh> = recipes.iter().map(Recipe::mesh).collect();
        for Mesh { particles, sticks, .. } in &mut meshes {
            // With velocities and torn sticks.
            for x in particles.previous_mut(0) {
                *x += random.between(-1.0, 1.0) as f32;
            }
            for stick in 0..sticks.len() {
                if random.one_in(5) {
                    sticks.tear(stick).unwrap();
                }
            }
        }
        assert_side_by_side(&meshes);
        if recipes.len() == 1 {
            // Again beside a cloth with too many sticks for one block.
            let links = CLOTH_STICKS as u32 + 1;
            let chain = (0..links).map(|link| [link, link + 1]).collect::<Vec<_>>();
            let points = (0..=links).map(|i| [i as f32, 0.0, 0.0]).collect::<Vec<_>>();
            let sticks = unit_sticks(points.len(), &chain);
            meshes.push(Mesh { particles: particles_at(&points), sticks });
            assert_side_by_side(&meshes);
        }
    });
}

#[test]
fn schedules_of_other_sticks_or_of_cloths_that_share_a_particle_are_rejected() {
    let chain = unit_sticks(3, &[[0, 1], [1, 2]]);
    let schedule = Schedule::authored(&chain);
    let two = Sticks::side_by_side([&chain, &chain]).unwrap();
    for (count, ordered) in [(1, 2), (3, 6)] {
        assert_eq!(
            Schedule::side_by_side(&two, repeat_n(&schedule, count)),
            Err(ScheduleError::WrongStickCount { ordered, sticks: 4 })
        );
    }
    // The last particle of the first cloth is the first particle of the second.
    let overlapping = unit_sticks(5, &[[0, 1], [1, 2], [2, 3], [3, 4]]);
    assert_eq!(
        Schedule::side_by_side(&overlapping, [&schedule, &schedule]),
        Err(ScheduleError::DependentCloths { cloth: 1, particle: 2 })
    );
}

#[test]
fn a_cloth_with_a_position_of_nan_is_rejected() {
    let mut particles: Particles<2> = particles_at(&[[0.0, 0.0]]);
    particles.positions_mut(1)[0] = f32::NAN;
    assert!(Particles::side_by_side([&particles]).is_err());
}

#[test]
fn equal_parts_are_copies_and_a_renumbered_schedule_has_none() {
    let (sheet, Mesh { sticks, .. }) = sheet_mesh(4, 3, Family::BEND);
    let alone = sheet.schedule(&sticks).unwrap();
    assert!(alone.sheet().is_some() && alone.renumbered(&sticks).unwrap().sheet().is_none());

    let both = Sticks::side_by_side([&sticks, &sticks]).unwrap();
    let together = Schedule::side_by_side(&both, &[alone.clone(), alone.clone()]).unwrap();
    let copies = together.copies().unwrap();
    assert_eq!((copies.count(), copies.one()), (2, &alone));
    assert!(copies.one().sheet().is_none() && copies.one().copies().is_none());
    assert!(together.renumbered(&both).unwrap().copies().is_none());

    // `one` belongs to the sticks given, not to those of the parts' schedules, and has no copies itself.
    let reversed: Vec<[u32; 2]> = sticks.ends().iter().map(|&[a, b]| [b, a]).collect();
    let of_reversed = alone.renumbered(&unit_sticks(sticks.particles(), &reversed)).unwrap();
    let together_again = Schedule::side_by_side(&both, [&of_reversed, &of_reversed]).unwrap();
    assert_eq!(together_again.copies().unwrap().one(), &alone.renumbered(&sticks).unwrap());
    let four = Sticks::side_by_side([&both, &both]).unwrap();
    let four = Schedule::side_by_side(&four, [&together, &together]).unwrap();
    assert!(four.copies().unwrap().one().copies().is_none());

    // One part is no copies, and neither are parts without sticks.
    let single = Schedule::side_by_side(&sticks, [&alone]).unwrap();
    assert!(single.copies().is_none());
    let no_sticks = unit_sticks(2, &[]);
    let empty = Schedule::coloured(&no_sticks);
    let both_empty = Sticks::side_by_side([&no_sticks, &no_sticks]).unwrap();
    assert!(Schedule::side_by_side(&both_empty, [&empty, &empty]).unwrap().copies().is_none());

    // `repeated` renumbers each copy.
    let renumbering = Renumbering::from_order(vec![1, 0, 2]).unwrap().repeated(2);
    let new: Vec<u32> = (0..6).map(|old| renumbering.new_of(old)).collect();
    assert_eq!((new, renumbering.len()), (vec![1, 0, 2, 4, 3, 5], 6));
    assert!(!renumbering.is_empty() && renumbering.repeated(0).is_empty());
}
