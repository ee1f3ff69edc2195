//! Columns of sticks: errors, duplicates, order and changes.

use taut_core::{
    Delta, Duplicates, Kind, Particles, PermutationError, PlanError, REST_MAX, REST_MIN, Real,
    Schedule, StickError, Sticks,
};

use crate::meshes::{Random, Recipe, for_all, particles_at, unit_sticks};

fn with_rests(particles: usize, pairs: &[[u32; 2]], rests: &[f32]) -> Result<Sticks, StickError> {
    Sticks::with_rests(particles, pairs, rests, Duplicates::Keep)
}

#[test]
fn the_first_invalid_pair_is_reported() {
    let rests = [1.0; 3];
    assert_eq!(
        with_rests(3, &[[0, 1], [2, 3], [9, 9]], &rests).unwrap_err(),
        StickError::NoSuchParticle { stick: 1, particle: 3, particles: 3 }
    );
    assert_eq!(
        with_rests(3, &[[0, 1], [1, 2], [2, 2]], &rests).unwrap_err(),
        StickError::SameEnds { stick: 2, particle: 2 }
    );
    assert_eq!(
        with_rests(3, &[[0, 1]], &rests).unwrap_err(),
        StickError::UnequalCounts { pairs: 1, rests: 3 }
    );
    let particles = particles_at(&[[0.0_f32, 0.0], [1.0, 0.0], [1.0, 0.0]]);
    let joining = |pairs: &[[u32; 2]]| Sticks::joining(&particles, pairs, Duplicates::Merge);
    assert_eq!(joining(&[[0, 1], [1, 2]]).unwrap_err(), StickError::Rest { stick: 1, value: 0.0 });
    assert_eq!(
        joining(&[[0, 1], [0, 3]]).unwrap_err(),
        StickError::NoSuchParticle { stick: 1, particle: 3, particles: 3 }
    );
}

#[test]
fn invalid_values_are_rejected_and_change_nothing() {
    let mut sticks = unit_sticks(3, &[[0, 1], [1, 2]]);
    let cursor = sticks.changes().now();
    for rest in [0.0, -1.0, 0.999e-15, 1.001e10, f32::INFINITY, f32::NAN] {
        assert!(matches!(
            with_rests(2, &[[0, 1]], &[rest]),
            Err(StickError::Rest { stick: 0, .. })
        ));
        assert!(matches!(sticks.set_rest(1, rest), Err(StickError::Rest { stick: 1, .. })));
    }
    for stiffness in [0.0, -0.5, 1.001, f32::NAN] {
        let rejected = sticks.set_stiffness(1, stiffness);
        assert!(matches!(rejected, Err(StickError::Stiffness { stick: 1, .. })));
    }
    for compliance in [-1e-9, 100.1, f32::INFINITY, f32::NAN] {
        let rejected = sticks.set_compliance(1, compliance);
        assert!(matches!(rejected, Err(StickError::Compliance { stick: 1, .. })));
    }
    let unknown = Err(StickError::NoSuchStick { stick: 2, sticks: 2 });
    assert_eq!(sticks.set_rest(2, 1.0), unknown);
    assert_eq!(sticks.set_stiffness(2, 1.0), unknown);
    assert_eq!(sticks.set_compliance(2, 0.0), unknown);
    assert_eq!(sticks.set_kind(2, Kind::Minimum), unknown);
    assert_eq!(sticks.tear(2), unknown);
    assert_eq!(sticks.mend(2), unknown);
    assert_eq!(sticks.changes().since(cursor), Delta::Entries(&[]));
    assert!(sticks.is_plain(1) && sticks.rest(1) == 1.0 && !sticks.is_torn(1));
}

#[test]
fn the_limits_of_the_valid_ranges_are_valid_in_both_types() {
    fn check<S: Real>() {
        let real = S::from_f64;
        let rests = [real(REST_MIN), real(REST_MAX)];
        let pairs = [[0, 1], [1, 0]];
        let mut sticks = Sticks::with_rests(2, &pairs, &rests, Duplicates::Keep).unwrap();
        sticks.set_stiffness(0, real(1e-30)).unwrap();
        sticks.set_compliance(0, real(100.0)).unwrap();
        sticks.set_compliance(1, real(-0.0)).unwrap();
        assert_eq!(sticks.compliance(1).canonical_bits(), 0, "-0.0 becomes +0.0");
        assert!(sticks.is_plain(1) && !sticks.is_plain(0));
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn changes_are_stored_and_recorded() {
    let mut sticks = unit_sticks(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]);
    let cursor = sticks.changes().now();
    sticks.set_rest(0, 2.0).unwrap();
    sticks.set_stiffness(1, 0.5).unwrap();
    sticks.set_compliance(2, 0.25).unwrap();
    sticks.set_kind(3, Kind::Maximum).unwrap();
    assert_eq!(sticks.changes().since(cursor), Delta::Entries(&[0, 1, 2, 3]));
    assert_eq!((sticks.rest(0), sticks.rests()), (2.0, &[2.0, 1.0, 1.0, 1.0][..]));
    assert_eq!((sticks.stiffness(1), sticks.compliance(2)), (0.5, 0.25));
    assert_eq!(sticks.kind(3), Kind::Maximum);
    let plain = [0, 1, 2, 3].map(|stick| sticks.is_plain(stick));
    assert_eq!(plain, [true, false, false, false]);

    let cursor = sticks.changes().now();
    sticks.mend(0).unwrap(); // no change: the stick is not torn
    sticks.tear(0).unwrap();
    sticks.tear(0).unwrap();
    assert_eq!(sticks.changes().since(cursor), Delta::Entries(&[0]), "a tear is recorded once");
    assert!(sticks.is_torn(0) && sticks.is_plain(0), "a torn stick is still plain");
    sticks.mend(0).unwrap();
    assert!(!sticks.is_torn(0));
    assert_eq!(sticks.clone().changes().since(cursor), Delta::ForeignCursor);
}

#[test]
fn rest_lengths_are_computed_in_f64_and_rounded_once() {
    let far: Particles<2> = particles_at(&[[1e12, 0.0], [0.0, 1e12]]);
    let sticks = Sticks::joining(&far, &[[0, 1]], Duplicates::Keep);
    assert!(matches!(sticks, Err(StickError::Rest { .. })), "1.4e12 m is too long");
    let [a, b] = [[1e9_f32, 3.0, -7.0], [-2e8, 5e9, 11.5]];
    let sticks = Sticks::joining(&particles_at(&[a, b]), &[[0, 1]], Duplicates::Keep).unwrap();
    let d: [f64; 3] = std::array::from_fn(|axis| f64::from(b[axis]) - f64::from(a[axis]));
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    assert_eq!(sticks.rest(0), length as f32);
}

#[test]
fn merging_keeps_the_first_of_each_pair_in_order() {
    for_all(64, Recipe::any(), |recipe| {
        let kept = recipe.mesh::<2, f32>().sticks;
        let merged =
            Sticks::with_rests(kept.particles(), kept.ends(), kept.rests(), Duplicates::Merge)
                .unwrap();
        let mut seen = std::collections::HashSet::new();
        let is_first = |&stick: &usize| {
            let [a, b] = kept.ends()[stick];
            seen.insert((a.min(b), a.max(b)))
        };
        let first: Vec<usize> = (0..kept.len()).filter(is_first).collect();
        let ends: Vec<[u32; 2]> = first.iter().map(|&stick| kept.ends()[stick]).collect();
        let rests: Vec<f32> = first.iter().map(|&stick| kept.rest(stick)).collect();
        assert_eq!((merged.ends(), merged.rests()), (&ends[..], &rests[..]));
    });
}

#[test]
fn by_ends_sorts_by_lower_end_then_higher_then_number() {
    for_all(64, Recipe::any(), |recipe| {
        let sticks = recipe.mesh::<2, f32>().sticks;
        let mut expected: Vec<u32> = (0..sticks.len() as u32).collect();
        expected.sort_by_key(|&stick| {
            let [a, b] = sticks.ends()[stick as usize];
            (a.min(b), a.max(b), stick)
        });
        assert_eq!(sticks.by_ends(), expected);
        assert_eq!(sticks.is_empty(), expected.is_empty());
    });
}

#[test]
fn reordering_permutes_every_column() {
    let sticks = Recipe::large(50).mesh::<3, f32>().sticks;
    let mut order: Vec<u32> = (0..sticks.len() as u32).collect();
    Random::new(16).shuffle(&mut order);
    let reordered = sticks.reordered(&order).unwrap();
    assert_eq!((reordered.len(), reordered.particles()), (sticks.len(), sticks.particles()));
    for (new, &old) in order.iter().enumerate() {
        let old = old as usize;
        assert_eq!(reordered.ends()[new], sticks.ends()[old]);
        assert_eq!(reordered.rest(new), sticks.rest(old));
        assert_eq!(reordered.stiffness(new), sticks.stiffness(old));
        assert_eq!(reordered.compliance(new), sticks.compliance(old));
        assert_eq!(reordered.kind(new), sticks.kind(old));
        assert_eq!(reordered.is_torn(new), sticks.is_torn(old));
    }
    let three = unit_sticks(4, &[[0, 1], [1, 2], [2, 3]]);
    let rejected = |order: &[u32]| three.reordered(order).unwrap_err();
    assert_eq!(rejected(&[0, 2, 2]), PermutationError::OldNumber { new: 2, old: 2 });
    assert_eq!(rejected(&[0, 3, 1]), PermutationError::OldNumber { new: 1, old: 3 });
    assert_eq!(rejected(&[1, 0]), PermutationError::Len { len: 2, expected: 3 });
    let message = rejected(&[0, 1, 2, 3]).to_string();
    assert_eq!(message, "the list has 4 numbers: expected 3");
}

#[test]
fn plans_and_schedules_are_matched_to_sticks_by_their_ends() {
    let sticks = unit_sticks(4, &[[0, 1], [1, 2], [2, 3]]);
    let planned = sticks.shared_ends();
    assert_eq!(*planned, *sticks.ends());
    for same in [&sticks, &sticks.clone(), &unit_sticks(4, sticks.ends())] {
        assert_eq!(same.check_ends(&planned), Ok(()));
        assert_eq!(Schedule::coloured(same).check(&sticks), Ok(()));
    }
    for (pairs, stick) in [(&[[0, 1], [2, 1], [2, 3]][..], 1), (&[[0, 1], [1, 2]], 2)] {
        let other = unit_sticks(4, pairs);
        assert_eq!(other.check_ends(&planned), Err(PlanError::OtherSticks { stick }));
        let schedule = Schedule::coloured(&other);
        assert_eq!(schedule.check(&sticks), Err(PlanError::OtherSchedule { stick }));
    }
}

#[test]
fn converting_keeps_every_column() {
    let sticks = Recipe::large(50).mesh::<3, f32>().sticks;
    let in_f64 = sticks.convert::<f64>();
    assert_eq!((in_f64.ends(), in_f64.particles()), (sticks.ends(), sticks.particles()));
    for stick in 0..sticks.len() {
        assert_eq!(in_f64.rest(stick), f64::from(sticks.rest(stick)));
        assert_eq!(in_f64.stiffness(stick), f64::from(sticks.stiffness(stick)));
        assert_eq!(in_f64.compliance(stick), f64::from(sticks.compliance(stick)));
        assert_eq!(in_f64.kind(stick), sticks.kind(stick));
        assert_eq!(in_f64.is_torn(stick), sticks.is_torn(stick));
    }
}

#[test]
fn a_converted_stiffness_is_above_0() {
    let mut sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0_f64], Duplicates::Keep).unwrap();
    sticks.set_stiffness(0, 1e-50).unwrap();
    assert_eq!(sticks.convert::<f64>().stiffness(0), 1e-50);
    let mut in_f32 = sticks.convert::<f32>();
    assert!(in_f32.stiffness(0) > 0.0);
    in_f32.set_stiffness(0, in_f32.stiffness(0)).unwrap();
}
