//! Several cloths in one: particles, sticks and schedules keep all that they were.

use std::iter::repeat_n;

use taut_core::{CLOTH_STICKS, Particles, Schedule, ScheduleError, Sticks};

use crate::meshes::{Mesh, Random, Recipe, at, for_all, joined};
use proptest::collection::vec;

type Batches = Vec<Vec<u32>>;

/// Phases of blocks of batches, with `first` added to the sticks.
fn phases(schedule: &Schedule, first: u32) -> Vec<Vec<Batches>> {
    let shifted = |batch: &[u32]| batch.iter().map(|stick| first + stick).collect();
    let blocks = schedule
        .phases()
        .map(|phase| phase.blocks().map(|block| block.batches().map(shifted).collect()).collect());
    blocks.collect()
}

fn assert_side_by_side(meshes: &[Mesh]) {
    let particles = Particles::side_by_side(meshes.iter().map(|mesh| &mesh.particles)).unwrap();
    let sticks = Sticks::side_by_side(meshes.iter().map(|mesh| &mesh.sticks)).unwrap();
    assert_eq!(sticks.particles(), particles.len());
    let (mut first_particle, mut first_stick) = (0, 0);
    for Mesh { particles: alone, sticks: of_part, .. } in meshes {
        for i in 0..alone.len() {
            let now = first_particle + i;
            assert_eq!(particles.position(now), alone.position(i));
            assert_eq!(particles.previous(0)[now], alone.previous(0)[i]);
            assert_eq!(particles.inverse_masses()[now], alone.inverse_masses()[i]);
        }
        for i in 0..of_part.len() {
            let now = first_stick + i;
            let ends = of_part.ends()[i].map(|end| end + first_particle as u32);
            assert_eq!(sticks.ends()[now], ends);
            assert_eq!(sticks.rest(now), of_part.rest(i));
            assert_eq!(sticks.stiffness(now), of_part.stiffness(i));
            assert_eq!(sticks.compliance(now), of_part.compliance(i));
            assert_eq!(sticks.kind(now), of_part.kind(i));
            assert_eq!(sticks.is_torn(now), of_part.is_torn(i));
        }
        first_particle += alone.len();
        first_stick += of_part.len();
    }
    assert_eq!((particles.len(), sticks.len()), (first_particle, first_stick));

    for of in [Schedule::coloured, Schedule::packed, Schedule::authored] {
        let alone: Vec<Schedule> = meshes.iter().map(|mesh| of(&mesh.sticks)).collect();
        let together = phases(&Schedule::side_by_side(&sticks, &alone).unwrap(), 0);
        let mut first = 0;
        let mut expected = Vec::new();
        for schedule in &alone {
            let mut phases = phases(schedule, first);
            if schedule.sticks() <= CLOTH_STICKS {
                let batches = phases.into_iter().flatten().flatten().collect::<Batches>();
                phases = if batches.is_empty() { vec![] } else { vec![vec![batches]] };
            }
            for (at, blocks) in phases.into_iter().enumerate() {
                expected.resize(expected.len().max(at + 1), Vec::new());
                expected[at].extend(blocks);
            }
            first += schedule.sticks() as u32;
        }
        assert_eq!(together, expected);
    }
}

#[test]
fn cloths_side_by_side_are_what_they_were() {
    assert_side_by_side(&[]);
    for_all(60, vec(Recipe::any(), 1..5), |recipes| {
        let mut random = Random::new(recipes.len() as u64);
        let mut meshes: Vec<Mesh> = recipes.iter().map(Recipe::mesh).collect();
        for Mesh { particles, sticks, .. } in &mut meshes {
            // Moving, and with holes.
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
            // Beside one that has too many sticks to be one block.
            let links = CLOTH_STICKS as u32 + 1;
            let chain = (0..links).map(|link| [link, link + 1]).collect::<Vec<_>>();
            let points = (0..=links).map(|i| [i as f32, 0.0, 0.0]).collect::<Vec<_>>();
            let sticks = joined(points.len(), &chain);
            meshes.push(Mesh { particles: at(&points), sticks });
            assert_side_by_side(&meshes);
        }
    });
}

#[test]
fn schedules_of_other_sticks_or_of_cloths_that_meet_are_refused() {
    let chain = joined(3, &[[0, 1], [1, 2]]);
    let schedule = Schedule::authored(&chain);
    let two = Sticks::side_by_side([&chain, &chain]).unwrap();
    for (count, ordered) in [(1, 2), (3, 6)] {
        assert_eq!(
            Schedule::side_by_side(&two, repeat_n(&schedule, count)),
            Err(ScheduleError::Missing { ordered, sticks: 4 })
        );
    }
    // The end of one is the beginning of the other.
    let meeting = joined(5, &[[0, 1], [1, 2], [2, 3], [3, 4]]);
    assert_eq!(
        Schedule::side_by_side(&meeting, [&schedule, &schedule]),
        Err(ScheduleError::DependentBlocks { block: 1, particle: 2, phase: 0 })
    );
}

#[test]
fn a_cloth_that_is_nowhere_is_refused() {
    let mut particles: Particles<2> = at(&[[0.0, 0.0]]);
    particles.positions_mut(1)[0] = f32::NAN;
    assert!(Particles::side_by_side([&particles]).is_err());
}
