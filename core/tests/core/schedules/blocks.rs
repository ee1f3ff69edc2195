//! Blocks and bands, and which of them are the default.

use taut_core::{MeshOrder, Particles};

use super::*;

#[test]
fn blocked_schedules_have_many_small_blocks_and_few_phases() {
    for families in [Family::STRUCTURAL, Family::BEND] {
        let Mesh { particles, sticks } = sheet_mesh(128, 128, families).1;
        let phases = phases(&Schedule::blocked(&particles, &sticks));
        let fraction = phases[0].iter().flatten().flatten().count() as f64 / sticks.len() as f64;
        assert!(phases.len() <= 4, "{} phases, expected at most 4", phases.len());
        assert_eq!(phases[0].len(), 128 * 128 / BLOCK_PARTICLES);
        assert!(fraction > 0.8, "only {fraction} of the sticks are in the first phase");
        // A fourth phase is one block of any number of particles.
        for block in phases.iter().take(3).flatten() {
            let particles: BTreeSet<u32> =
                block.iter().flat_map(|batch| particles_of(&sticks, batch)).collect();
            assert!(
                particles.len() <= BLOCK_PARTICLES,
                "a block has {} particles",
                particles.len()
            );
        }
    }
    // Sticks between particles far apart are in no block of the first three phases.
    let Mesh { particles, sticks } = Recipe::large(0).mesh::<3, f32>();
    let phases = phases(&Schedule::blocked(&particles, &sticks));
    assert_eq!(
        (phases.len(), phases[3].len()),
        (4, 1),
        "the sticks left over are one block of a fourth phase"
    );
}

/// The particles of each block of the schedule, phase by phase.
fn particles_of_blocks(schedule: &Schedule, sticks: &Sticks) -> Vec<Vec<BTreeSet<u32>>> {
    let of_block = |block: &Vec<Vec<u32>>| {
        block.iter().flat_map(|batch| particles_of(sticks, batch)).collect::<BTreeSet<u32>>()
    };
    phases(schedule).iter().map(|blocks| blocks.iter().map(of_block).collect()).collect()
}

#[test]
fn bands_are_consecutive_particles_and_are_relaxed_direction_by_direction() {
    let Mesh { sticks, .. } = sheet_mesh(128, 128, Family::BEND).1;
    let schedule = Schedule::banded(&sticks);
    let phases = phases(&schedule);
    assert_eq!(phases.len(), 2, "the second phase has the seams of the first, in shifted bands");
    let fraction = phases[0].iter().flatten().flatten().count() as f64 / sticks.len() as f64;
    assert!(
        phases[0].len() >= 8 && fraction > 0.85,
        "{} bands, expected at least 8, hold a fraction of {fraction} of the sticks, expected 0.85",
        phases[0].len()
    );
    for bands in particles_of_blocks(&schedule, &sticks) {
        for adjacent in bands.windows(2) {
            assert!(adjacent[0].last() < adjacent[1].first(), "bands overlap");
        }
    }
    // In a band, the batches of a direction are consecutive.
    let direction = |&stick: &u32| {
        let [a, b] = sticks.ends()[stick as usize];
        b.wrapping_sub(a)
    };
    for band in phases.iter().flatten() {
        let mut directions: Vec<u32> = Vec::new();
        for batch in band {
            let first = direction(&batch[0]);
            if batch.len() >= RUN_STICKS && batch.iter().all(|stick| direction(stick) == first) {
                directions.push(first);
            }
        }
        directions.dedup();
        let count = directions.len();
        directions.sort_unstable();
        directions.dedup();
        assert_eq!(directions.len(), count, "the batches of a direction are not consecutive");
    }
}

#[test]
fn the_default_is_bands_for_meshes_with_runs_a_block_for_small_meshes_and_stars_for_others() {
    for (width, height) in [(128, 128), (300, 200), (40, 10), (32, 32), (41, 25)] {
        let Mesh { particles, sticks } = sheet_mesh(width, height, Family::SHEAR).1;
        assert_eq!(Schedule::for_mesh(&particles, &sticks), Schedule::banded(&sticks));
        let mut order: Vec<u32> = (0..particles.len() as u32).collect();
        Random::new(9).shuffle(&mut order);
        let (particles, sticks) =
            Renumbering::from_order(order).unwrap().apply(&particles, &sticks);
        let expected = if particles.len() > BLOCK_PARTICLES {
            starred_in_a_good_numbering(&particles, &sticks)
        } else {
            Schedule::blocked(&particles, &sticks)
        };
        assert_eq!(Schedule::for_mesh(&particles, &sticks), expected);
    }
    let Mesh { particles, sticks } = Recipe::large(0).mesh::<3, f32>();
    let expected = starred_in_a_good_numbering(&particles, &sticks);
    assert_eq!(Schedule::for_mesh(&particles, &sticks), expected);
    let (particles, none) = (particles_at(&vec![[0.0; 3]; 5000]), unit_sticks(5000, &[]));
    assert_eq!(MeshOrder::of(&none), MeshOrder::Blocked);
    assert_eq!(Schedule::for_mesh(&particles, &none).sticks(), 0);
}

/// The starred schedule in the numbering of reverse Cuthill-McKee, for particles that keep their
/// numbers.
fn starred_in_a_good_numbering(particles: &Particles<3>, sticks: &Sticks) -> Schedule {
    let renumbering = Renumbering::reverse_cuthill_mckee(sticks);
    let (_, numbered) = renumbering.apply(particles, sticks);
    Schedule::starred(&numbered).renumbered(sticks).unwrap()
}

/// Of every 16 windows of 256 particles, one has a run of 255 sticks, and the others have together more
/// sticks, none of them in a run.
fn mesh_with_runs_in_every_16th_window(particles: usize) -> Mesh {
    let pairs: Vec<[u32; 2]> = (0..particles as u32 / 256)
        .flat_map(|window| {
            let pairs: Vec<[u32; 2]> = if window.is_multiple_of(16) {
                (0..255).map(|i| [i, i + 1]).collect()
            } else {
                (0..40).map(|i| [i, 2 * i + 1]).collect()
            };
            pairs.into_iter().map(move |pair| pair.map(|end| 256 * window + end))
        })
        .collect();
    let points: Vec<[f32; 3]> = (0..particles).map(|i| [i as f32, 0.0, 0.0]).collect();
    Mesh { particles: particles_at(&points), sticks: unit_sticks(particles, &pairs) }
}

#[test]
fn the_default_of_a_mesh_of_more_than_65_536_particles_depends_on_every_16th_window() {
    let Mesh { particles, sticks } = mesh_with_runs_in_every_16th_window(1 << 16);
    let expected = starred_in_a_good_numbering(&particles, &sticks);
    assert_eq!(Schedule::for_mesh(&particles, &sticks), expected);
    let Mesh { particles, sticks } = mesh_with_runs_in_every_16th_window((1 << 16) + 1024);
    assert_eq!(Schedule::for_mesh(&particles, &sticks), Schedule::banded(&sticks));
}

#[test]
fn small_meshes_are_one_block() {
    let Mesh { particles, sticks } = sheet_mesh(32, 32, Family::SHEAR).1;
    for schedule in [
        Schedule::blocked(&particles, &sticks),
        Schedule::banded(&sticks),
        Schedule::starred(&sticks),
    ] {
        let phases = phases(&schedule);
        assert_eq!((phases.len(), phases[0].len()), (1, 1));
    }
}

#[test]
fn blocks_do_not_depend_on_particle_numbers() {
    let Mesh { particles, sticks } = sheet_mesh(80, 70, Family::SHEAR).1;
    let mut order: Vec<u32> = (0..particles.len() as u32).collect();
    Random::new(9).shuffle(&mut order);
    let shuffled = Renumbering::from_order(order).unwrap().apply(&particles, &sticks);
    let blocks = |schedule: &Schedule| -> Vec<BTreeSet<BTreeSet<u32>>> {
        let of_block = |block: Vec<Vec<u32>>| block.into_iter().flatten().collect();
        let of_phase = |blocks: Vec<_>| blocks.into_iter().map(of_block).collect();
        phases(schedule).into_iter().map(of_phase).collect()
    };
    assert_eq!(
        blocks(&Schedule::blocked(&particles, &sticks)),
        blocks(&Schedule::blocked(&shuffled.0, &shuffled.1)),
    );
}

#[test]
fn a_hub_of_a_hundred_thousand_rays_is_scheduled() {
    let rays = 100_000;
    let mesh = Recipe::plain(vec![Component::Bipartite(1, rays)]).mesh();
    let schedules = schedules_of_all_builders(&mesh);
    for (name, schedule) in &schedules {
        assert_eq!(schedule.batches().count(), rays, "{name}: one batch per ray");
    }
}
