//! New numbers for particles.

use taut_core::{
    Duplicates, Family, NotAPermutation, Particles, Real, Renumbering, Schedule, ScheduleError,
    Sticks,
};

use crate::meshes::{Mesh, Part, Random, Recipe, at, for_all, joined, sheet};

fn assert_permutation(renumbering: &Renumbering, particles: usize) {
    let mut old: Vec<u32> = (0..particles as u32).map(|new| renumbering.old_of(new)).collect();
    for (new, &old) in old.iter().enumerate() {
        assert_eq!(renumbering.new_of(old), new as u32);
    }
    old.sort_unstable();
    assert!(old.into_iter().eq(0..particles as u32));
}

fn shuffled(mesh: &Mesh, seed: u64) -> Mesh {
    let mut order: Vec<u32> = (0..mesh.particles.len() as u32).collect();
    Random::new(seed).shuffle(&mut order);
    let renumbering = Renumbering::from_order(order).unwrap();
    let (particles, sticks) = renumbering.apply(&mesh.particles, &mesh.sticks);
    Mesh { particles, sticks }
}

fn bandwidth(sticks: &Sticks) -> u32 {
    sticks.ends().iter().map(|&[a, b]| a.abs_diff(b)).max().unwrap_or(0)
}

#[test]
fn renumbering_moves_everything_and_back_to_the_bit() {
    fn check<const D: usize, S: Real>(recipe: &Recipe) {
        let Mesh { mut particles, sticks } = recipe.mesh::<D, S>();
        if let Some(previous) = particles.previous_mut(0).first_mut() {
            *previous = S::from_f64(0.1);
        }
        let renumberings =
            [Renumbering::reverse_cuthill_mckee(&sticks), Renumbering::hilbert(&particles)];
        for renumbering in renumberings {
            assert_permutation(&renumbering, particles.len());
            let (moved, joined) = renumbering.apply(&particles, &sticks);
            for old in 0..particles.len() {
                let new = renumbering.new_of(old as u32) as usize;
                assert_eq!(moved.position(new), particles.position(old));
                assert_eq!(moved.inverse_masses()[new], particles.inverse_masses()[old]);
            }
            for stick in 0..sticks.len() {
                let ends = sticks.ends()[stick].map(|old| renumbering.new_of(old));
                assert_eq!(joined.ends()[stick], ends, "sticks keep their numbers");
                assert_eq!(joined.rest(stick), sticks.rest(stick));
                assert_eq!(joined.kind(stick), sticks.kind(stick));
                assert_eq!(joined.is_torn(stick), sticks.is_torn(stick));
            }
            let back = renumbering.undo(&moved);
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
fn an_order_that_is_no_permutation_is_refused_by_name() {
    let refused = |order: &[u32]| Renumbering::from_order(order.to_vec()).unwrap_err();
    assert_eq!(refused(&[0, 2, 2, 1]), NotAPermutation { new: 2, old: 2 });
    assert_eq!(refused(&[0, 4, 2, 1]), NotAPermutation { new: 1, old: 4 });
    assert_eq!(refused(&[u32::MAX]), NotAPermutation { new: 0, old: u32::MAX });
    assert_permutation(&Renumbering::from_order(vec![]).unwrap(), 0);
    let swap = Renumbering::from_order(vec![1, 2, 0]).unwrap();
    assert_eq!((swap.old_of(0), swap.new_of(0)), (1, 2));
}

#[test]
#[should_panic(expected = "the number of particles differs")]
fn particles_of_another_number_are_refused() {
    let swap = Renumbering::from_order(vec![1, 0]).unwrap();
    let _ = swap.apply(&at(&[[0.0_f32], [1.0], [2.0]]), &joined(2, &[[0, 1]]));
}

#[test]
#[should_panic(expected = "the number of particles differs")]
fn sticks_of_another_number_of_particles_are_refused() {
    // Else ends would be renamed to particles that the sticks say they never name.
    let swap = Renumbering::from_order(vec![1, 2, 0]).unwrap();
    let _ = swap.apply(&at(&[[0.0_f32], [1.0], [2.0]]), &joined(2, &[[0, 1]]));
}

#[test]
fn cuthill_mckee_finds_the_band_of_shuffled_sheets_and_chains() {
    let chains = Recipe::plain(vec![Part::Chain(500), Part::Chain(77)]);
    let Mesh { particles, sticks } = chains.mesh::<3, f32>();
    let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
    assert_eq!(bandwidth(&renumbering.apply(&particles, &sticks).1), 1);

    for (width, height) in [(10, 40), (24, 24), (50, 13)] {
        for (families, factor) in [(Family::STRUCTURAL, 1), (Family::SHEAR, 2), (Family::ALL, 4)] {
            let mesh = shuffled(&sheet(width, height, families).1, 11);
            let renumbering = Renumbering::reverse_cuthill_mckee(&mesh.sticks);
            let found = bandwidth(&renumbering.apply(&mesh.particles, &mesh.sticks).1);
            let bound = factor * (width.min(height) + 1);
            assert!(found <= bound as u32, "{width} x {height}: {found}, not {bound}");
        }
    }
}

#[test]
fn cuthill_mckee_is_breadth_first_from_an_end_fewest_sticks_first_and_reversed() {
    // 0 - 1 - 2 - 4 with 3 at 2: found from 0, the far end is 4; then 2; then of its
    // neighbours 3, which has one stick, before 1, which has two; then 0.
    let renumbering =
        Renumbering::reverse_cuthill_mckee(&joined(5, &[[0, 1], [1, 2], [2, 4], [2, 3]]));
    assert_eq!([0, 1, 2, 3, 4].map(|new| renumbering.old_of(new)), [0, 1, 3, 2, 4]);
}

/// A cube of `2^bits` particles along each axis, shuffled.
fn cube<const D: usize>(bits: u32) -> Particles<D> {
    let mut points: Vec<[f32; D]> = (0..1_u32 << (bits * D as u32))
        .map(|i| std::array::from_fn(|axis| (i >> (bits * axis as u32) & ((1 << bits) - 1)) as f32))
        .collect();
    Random::new(12).shuffle(&mut points);
    at(&points)
}

#[test]
fn along_the_hilbert_curve_each_step_is_to_a_neighbour() {
    fn check<const D: usize>(bits: u32) {
        let particles = cube::<D>(bits);
        let renumbering = Renumbering::hilbert(&particles);
        assert_permutation(&renumbering, particles.len());
        for new in 1..particles.len() as u32 {
            let [one, next] =
                [new - 1, new].map(|new| particles.position(renumbering.old_of(new) as usize));
            let steps: f32 = (0..D).map(|axis| (next[axis] - one[axis]).abs()).sum();
            assert_eq!(steps, 1.0, "from {one:?} to {next:?}");
        }
    }
    check::<1>(6);
    check::<2>(6);
    check::<3>(4);
    check::<4>(3);
}

#[test]
fn particles_at_one_place_keep_their_order() {
    let mut random = Random::new(13);
    let points: Vec<[f32; 3]> =
        (0..300).map(|_| std::array::from_fn(|_| random.below(2) as f32)).collect();
    let particles = at(&points);
    let renumbering = Renumbering::hilbert(&particles);
    let mut last_at = std::collections::HashMap::new();
    for new in 0..300 {
        let old = renumbering.old_of(new);
        let place = particles.position(old as usize).map(f32::to_bits);
        if let Some(before) = last_at.insert(place, (old, new)) {
            assert!(before.0 < old && before.1 + 1 == new, "together and in order");
        }
    }
    let all_at_one = Renumbering::hilbert(&at(&[[2.5_f32, 2.5]; 20]));
    assert!((0..20).all(|i| all_at_one.old_of(i) == i));
}

#[test]
fn any_positions_at_all_have_a_hilbert_order() {
    let numbers =
        [0.0, 1e-45, -1e12, 1e12, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX];
    let mut random = Random::new(14);
    for round in 0..50 {
        let mut particles = at(&[[0.0_f32, 0.0]; 40]);
        for axis in 0..2 {
            for x in particles.positions_mut(axis) {
                *x = numbers[random.below(2 + round % (numbers.len() - 1))];
            }
        }
        let renumbering = Renumbering::hilbert(&particles);
        assert_permutation(&renumbering, 40);
        assert_eq!(renumbering, Renumbering::hilbert(&particles));
    }
    let tiny = at(&[[0.0_f64], [1e-320], [3e-320]]);
    assert_permutation(&Renumbering::hilbert(&tiny), 3);
}

#[test]
fn a_schedule_of_renumbered_sticks_is_the_same_order_and_fits_no_others() {
    for_all(30, Recipe::any(), |recipe| {
        let Mesh { particles, sticks } = recipe.mesh::<3, f32>();
        let schedule = Schedule::blocked(&particles, &sticks);
        let (_, moved) = Renumbering::hilbert(&particles).apply(&particles, &sticks);
        let renumbered = schedule.renumbered(&moved).unwrap();
        assert!(renumbered.batches().eq(schedule.batches()));
        assert!(renumbered.check(&moved).is_ok());
    });
    let chain = |pairs: &[[u32; 2]]| {
        Sticks::with_rests(9, pairs, &vec![1.0_f32; pairs.len()], Duplicates::Keep).unwrap()
    };
    let schedule = Schedule::coloured(&chain(&[[0, 1], [2, 3]]));
    assert!(schedule.renumbered(&chain(&[[5, 4], [8, 7]])).is_ok());
    let refused = schedule.renumbered(&chain(&[[0, 1], [1, 2]])).unwrap_err();
    assert!(matches!(refused, ScheduleError::DependentBatch { particle: 1, .. }), "{refused}");
    let refused = schedule.renumbered(&chain(&[[0, 1]])).unwrap_err();
    assert!(matches!(refused, ScheduleError::NotOnce { stick: 1, .. }), "{refused}");
}

#[test]
fn a_fingerprint_is_of_the_ends_alone() {
    let mesh = Recipe::large(30).mesh::<3, f32>();
    let mut changed = mesh.sticks.clone();
    changed.tear(0).unwrap();
    assert_eq!(changed.fingerprint(), mesh.sticks.fingerprint());
    let (_, moved) = Renumbering::hilbert(&mesh.particles).apply(&mesh.particles, &mesh.sticks);
    assert_ne!(moved.fingerprint(), mesh.sticks.fingerprint());
    // FNV-1a of 01 00 00 00 00 00 00 00.
    let one = Sticks::with_rests(2, &[[1, 0]], &[1.0_f32], Duplicates::Keep).unwrap();
    let expected =
        [1_u64, 0, 0, 0, 0, 0, 0, 0].iter().fold(14_695_981_039_346_656_037_u64, |hash, byte| {
            (hash ^ byte).wrapping_mul(1_099_511_628_211)
        });
    assert_eq!(one.fingerprint(), expected);
}
