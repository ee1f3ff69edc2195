//! Renumbering of particles.

use taut_core::{
    Duplicates, Family, Particles, PermutationError, Real, Renumbering, Schedule, ScheduleError,
    Sticks,
};

use crate::meshes::{
    Component, Mesh, Random, Recipe, for_all, particles_at, sheet_mesh, unit_sticks,
};

/// Checks that `old_of` permutes the numbers below `particles`, and that `new_of` is its inverse.
fn assert_permutation(renumbering: &Renumbering, particles: usize) {
    let mut old: Vec<u32> = (0..particles as u32).map(|new| renumbering.old_of(new)).collect();
    for (new, &old) in old.iter().enumerate() {
        assert_eq!(renumbering.new_of(old), new as u32);
    }
    old.sort_unstable();
    assert!(old.into_iter().eq(0..particles as u32));
}

/// The mesh with random particle numbers.
fn shuffled(mesh: &Mesh, seed: u64) -> Mesh {
    let mut order: Vec<u32> = (0..mesh.particles.len() as u32).collect();
    Random::new(seed).shuffle(&mut order);
    let renumbering = Renumbering::from_order(order).unwrap();
    let (particles, sticks) = renumbering.apply(&mesh.particles, &mesh.sticks);
    Mesh { particles, sticks }
}

/// The largest difference of the numbers of a stick's ends.
fn bandwidth(sticks: &Sticks) -> u32 {
    sticks.ends().iter().map(|&[a, b]| a.abs_diff(b)).max().unwrap_or(0)
}

#[test]
fn renumbering_permutes_every_column_and_undo_restores_it() {
    fn check<const D: usize, S: Real>(recipe: &Recipe) {
        let Mesh { mut particles, sticks } = recipe.mesh::<D, S>();
        if let Some(previous) = particles.previous_mut(0).first_mut() {
            *previous = S::from_f64(0.1);
        }
        let renumberings =
            [Renumbering::reverse_cuthill_mckee(&sticks), Renumbering::hilbert(&particles)];
        for renumbering in renumberings {
            assert_permutation(&renumbering, particles.len());
            let (renumbered, new_sticks) = renumbering.apply(&particles, &sticks);
            for old in 0..particles.len() {
                let new = renumbering.new_of(old as u32) as usize;
                assert_eq!(renumbered.position(new), particles.position(old));
                assert_eq!(renumbered.inverse_masses()[new], particles.inverse_masses()[old]);
            }
            for stick in 0..sticks.len() {
                let ends = sticks.ends()[stick].map(|old| renumbering.new_of(old));
                assert_eq!(new_sticks.ends()[stick], ends, "sticks keep their numbers");
                assert_eq!(new_sticks.rest(stick), sticks.rest(stick));
                assert_eq!(new_sticks.kind(stick), sticks.kind(stick));
                assert_eq!(new_sticks.is_torn(stick), sticks.is_torn(stick));
            }
            let back = renumbering.undo(&renumbered);
            assert_eq!(back.hash(), particles.hash());
            for axis in 0..D {
                assert_eq!(back.previous(axis), particles.previous(axis));
            }
            assert_eq!(back.inverse_masses(), particles.inverse_masses());
        }
    }
    for_all(30, Recipe::any(), |recipe| {
        check::<2, f32>(&recipe);
        check::<3, f32>(&recipe);
        check::<4, f64>(&recipe);
    });
    check::<3, f32>(&Recipe::large(20));
}

#[test]
fn from_order_rejects_lists_that_are_not_permutations() {
    let rejected = |order: &[u32]| Renumbering::from_order(order.to_vec()).unwrap_err();
    assert_eq!(rejected(&[0, 2, 2, 1]), PermutationError::OldNumber { new: 2, old: 2 });
    assert_eq!(rejected(&[0, 4, 2, 1]), PermutationError::OldNumber { new: 1, old: 4 });
    assert_eq!(rejected(&[u32::MAX]), PermutationError::OldNumber { new: 0, old: u32::MAX });
    assert_permutation(&Renumbering::from_order(vec![]).unwrap(), 0);
    let rotation = Renumbering::from_order(vec![1, 2, 0]).unwrap();
    assert_eq!((rotation.old_of(0), rotation.new_of(0)), (1, 2));
}

#[test]
#[should_panic(expected = "the number of particles is not that of the renumbering")]
fn apply_panics_if_the_number_of_particles_differs() {
    let swap = Renumbering::from_order(vec![1, 0]).unwrap();
    let _ = swap.apply(&particles_at(&[[0.0_f32], [1.0], [2.0]]), &unit_sticks(2, &[[0, 1]]));
}

#[test]
#[should_panic(expected = "the number of particles of the sticks is not that")]
fn apply_panics_if_the_sticks_have_another_number_of_particles() {
    // Without the check, renumbered ends could be out of range: `Sticks::particles` or more.
    let rotation = Renumbering::from_order(vec![1, 2, 0]).unwrap();
    let _ = rotation.apply(&particles_at(&[[0.0_f32], [1.0], [2.0]]), &unit_sticks(2, &[[0, 1]]));
}

#[test]
fn cuthill_mckee_gives_shuffled_sheets_and_chains_a_small_bandwidth() {
    let chains = Recipe::plain(vec![Component::Chain(500), Component::Chain(77)]);
    let Mesh { particles, sticks } = chains.mesh::<3, f32>();
    let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
    assert_eq!(bandwidth(&renumbering.apply(&particles, &sticks).1), 1);

    for (width, height) in [(10, 40), (24, 24), (50, 13)] {
        // `factor`: the allowed bandwidth, divided by (shorter side + 1). A numbering line by line along
        // the shorter side needs at most 1, 1 and 2.
        for (families, factor) in [(Family::STRUCTURAL, 1), (Family::SHEAR, 2), (Family::BEND, 4)] {
            let mesh = shuffled(&sheet_mesh(width, height, families).1, 11);
            let renumbering = Renumbering::reverse_cuthill_mckee(&mesh.sticks);
            let found = bandwidth(&renumbering.apply(&mesh.particles, &mesh.sticks).1);
            let bound = factor * (width.min(height) + 1);
            assert!(found <= bound as u32, "{width} x {height}: {found}, expected at most {bound}");
        }
    }
}

#[test]
fn cuthill_mckee_is_breadth_first_from_an_end_fewest_sticks_first_and_reversed() {
    // The chain 0 - 1 - 2 - 4, and 3 joined to 2. The particles farthest from 0 are 4 and 3; the
    // search starts at 4. Then come 2, its neighbours 3 (one stick) and 1 (two sticks), and 0. This
    // order is reversed.
    let renumbering =
        Renumbering::reverse_cuthill_mckee(&unit_sticks(5, &[[0, 1], [1, 2], [2, 4], [2, 3]]));
    assert_eq!([0, 1, 2, 3, 4].map(|new| renumbering.old_of(new)), [0, 1, 3, 2, 4]);
}

/// A cube of `2^bits` particles along each axis, shuffled.
fn cube<const D: usize>(bits: u32) -> Particles<D> {
    let mut points: Vec<[f32; D]> = (0..1_u32 << (bits * D as u32))
        .map(|i| std::array::from_fn(|axis| (i >> (bits * axis as u32) & ((1 << bits) - 1)) as f32))
        .collect();
    Random::new(12).shuffle(&mut points);
    particles_at(&points)
}

#[test]
fn consecutive_particles_of_the_hilbert_order_are_neighbours() {
    fn check<const D: usize>(bits: u32) {
        let particles = cube::<D>(bits);
        let renumbering = Renumbering::hilbert(&particles);
        assert_permutation(&renumbering, particles.len());
        for new in 1..particles.len() as u32 {
            let [previous, next] =
                [new - 1, new].map(|new| particles.position(renumbering.old_of(new) as usize));
            // The sum of the differences along all axes, m.
            let distance: f32 = (0..D).map(|axis| (next[axis] - previous[axis]).abs()).sum();
            assert_eq!(distance, 1.0, "from {previous:?} to {next:?}");
        }
    }
    check::<1>(6);
    check::<2>(6);
    check::<3>(4);
    check::<4>(3);
}

#[test]
fn particles_at_the_same_position_keep_their_order() {
    let mut random = Random::new(13);
    let points: Vec<[f32; 3]> =
        (0..300).map(|_| std::array::from_fn(|_| random.below(2) as f32)).collect();
    let particles = particles_at(&points);
    let renumbering = Renumbering::hilbert(&particles);
    let mut last_at = std::collections::HashMap::new();
    for new in 0..300 {
        let old = renumbering.old_of(new);
        let position = particles.position(old as usize).map(f32::to_bits);
        if let Some((last_old, last_new)) = last_at.insert(position, (old, new)) {
            assert!(last_old < old, "particle {old} comes after {last_old}, out of order");
            assert_eq!(last_new + 1, new, "a particle at another position comes between them");
        }
    }
    let coincident = Renumbering::hilbert(&particles_at(&[[2.5_f32, 2.5]; 20]));
    assert!((0..20).all(|i| coincident.old_of(i) == i));
}

#[test]
fn any_positions_have_a_hilbert_order() {
    let coordinates =
        [0.0, 1e-45, -1e12, 1e12, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX];
    let mut random = Random::new(14);
    for round in 0..50 {
        let mut particles = particles_at(&[[0.0_f32, 0.0]; 40]);
        for axis in 0..2 {
            for x in particles.positions_mut(axis) {
                *x = coordinates[random.below(2 + round % (coordinates.len() - 1))];
            }
        }
        let renumbering = Renumbering::hilbert(&particles);
        assert_permutation(&renumbering, 40);
        assert_eq!(renumbering, Renumbering::hilbert(&particles));
    }
    let tiny = particles_at(&[[0.0_f64], [1e-320], [3e-320]]);
    assert_permutation(&Renumbering::hilbert(&tiny), 3);
}

#[test]
fn a_renumbered_schedule_keeps_its_order_and_rejects_other_sticks() {
    for_all(30, Recipe::any(), |recipe| {
        let Mesh { particles, sticks } = recipe.mesh::<3, f32>();
        let schedule = Schedule::blocked(&particles, &sticks);
        let (_, new_sticks) = Renumbering::hilbert(&particles).apply(&particles, &sticks);
        let renumbered = schedule.renumbered(&new_sticks).unwrap();
        assert!(renumbered.batches().eq(schedule.batches()));
        assert!(renumbered.check(&new_sticks).is_ok());
    });
    let sticks = |pairs: &[[u32; 2]]| {
        Sticks::with_rests(9, pairs, &vec![1.0_f32; pairs.len()], Duplicates::Keep).unwrap()
    };
    let schedule = Schedule::coloured(&sticks(&[[0, 1], [2, 3]]));
    assert!(schedule.renumbered(&sticks(&[[5, 4], [8, 7]])).is_ok());
    let rejected = schedule.renumbered(&sticks(&[[0, 1], [1, 2]])).unwrap_err();
    assert!(matches!(rejected, ScheduleError::DependentBatch { particle: 1, .. }), "{rejected}");
    let rejected = schedule.renumbered(&sticks(&[[0, 1]])).unwrap_err();
    assert!(matches!(rejected, ScheduleError::NotOnce { stick: 1, .. }), "{rejected}");
}

#[test]
fn a_fingerprint_depends_on_the_ends_only() {
    let mesh = Recipe::large(30).mesh::<3, f32>();
    let mut changed = mesh.sticks.clone();
    changed.tear(0).unwrap();
    assert_eq!(changed.fingerprint(), mesh.sticks.fingerprint());
    let (_, renumbered) =
        Renumbering::hilbert(&mesh.particles).apply(&mesh.particles, &mesh.sticks);
    assert_ne!(renumbered.fingerprint(), mesh.sticks.fingerprint());
    // FNV-1a of both ends, 1 and 0, as 4 bytes each: 01 00 00 00 00 00 00 00.
    let one = Sticks::with_rests(2, &[[1, 0]], &[1.0_f32], Duplicates::Keep).unwrap();
    let expected =
        [1_u64, 0, 0, 0, 0, 0, 0, 0].iter().fold(14_695_981_039_346_656_037_u64, |hash, byte| {
            (hash ^ byte).wrapping_mul(1_099_511_628_211)
        });
    assert_eq!(one.fingerprint(), expected);
}
