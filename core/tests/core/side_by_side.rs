//! Several cloths in one: particles, sticks and schedules keep their values.

use std::iter::repeat_n;
use std::ops::Range;

use taut_core::{CLOTH_STICKS, PADDING, Particles, Schedule, ScheduleError, Sticks};

use crate::meshes::{Mesh, Random, Recipe, at, for_all, joined};
use proptest::collection::vec;

/// The batches of some of the sticks, in the order in which they are relaxed, by the numbers that
/// the sticks have among these.
fn batches_of(schedule: &Schedule, sticks: Range<usize>) -> Vec<Vec<u32>> {
    let own = |batch: &[u32]| {
        let own = batch.iter().filter(|&&stick| sticks.contains(&(stick as usize)));
        own.map(|stick| stick - sticks.start as u32).collect::<Vec<_>>()
    };
    schedule.batches().map(own).filter(|batch| !batch.is_empty()).collect()
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
        let together = Schedule::side_by_side(&sticks, &alone).unwrap();
        let mut first = 0;
        for schedule in &alone {
            let own = first..first + schedule.sticks();
            assert_eq!(batches_of(&together, own.clone()), batches_of(schedule, 0..own.len()));
            first = own.end;
        }
        let plain = |stick: &u32| sticks.is_plain(*stick as usize);
        let pure = |batch: &[u32]| batch.iter().all(plain) || !batch.iter().any(plain);
        assert!(together.batches().all(pure), "plain sticks are in batches of their own");
        let most =
            alone.iter().filter(|it| it.sticks() > CLOTH_STICKS).map(|it| it.phases().count());
        assert!(together.phases().count() <= most.max().unwrap_or(1), "small cloths wait for none");
    }
}

#[test]
fn narrow_cloths_fill_registers_together() {
    // Batches of a ladder of 7 rungs have 7 sticks at most; some sticks are not plain.
    let rungs = 7;
    let rails = (0..rungs - 1).flat_map(|i| [[2 * i, 2 * i + 2], [2 * i + 1, 2 * i + 3]]);
    let pairs: Vec<[u32; 2]> = (0..rungs).map(|i| [2 * i, 2 * i + 1]).chain(rails).collect();
    let mut ladder = joined(2 * rungs as usize, &pairs);
    ladder.set_stiffness(3, 0.5).unwrap();
    let schedule = Schedule::coloured(&ladder);
    let registers = |schedule: &Schedule| -> usize {
        schedule.batches().map(|batch| batch.len().div_ceil(PADDING)).sum()
    };
    let (cloths, alone) = (500, registers(&schedule));
    let all = Sticks::side_by_side(repeat_n(&ladder, cloths)).unwrap();
    let together = Schedule::side_by_side(&all, repeat_n(&schedule, cloths)).unwrap();
    let least = all.len() / PADDING;
    assert!(alone * cloths > 3 * least, "alone they do not fill registers");
    assert!(registers(&together) * 10 < 11 * least, "{} registers", registers(&together));
    // And there is work for threads.
    let blocks: Vec<usize> = together.phases().map(|phase| phase.blocks().count()).collect();
    assert!(blocks.len() == 1 && blocks[0] >= 8, "{blocks:?}");
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
    // The last particle of one is the first of the other.
    let meeting = joined(5, &[[0, 1], [1, 2], [2, 3], [3, 4]]);
    assert_eq!(
        Schedule::side_by_side(&meeting, [&schedule, &schedule]),
        Err(ScheduleError::DependentParts { part: 1, particle: 2 })
    );
}

#[test]
fn a_cloth_that_is_nowhere_is_refused() {
    let mut particles: Particles<2> = at(&[[0.0, 0.0]]);
    particles.positions_mut(1)[0] = f32::NAN;
    assert!(Particles::side_by_side([&particles]).is_err());
}
