//! Random scenes with contacts and ties, changed at random while they run: the same bits on the scalar
//! kernel, on the best kernel of each schedule, and on the best general kernel, and through snapshots.
//! These scenes are too small for a second thread; `threads.rs` has larger ones.

use proptest::prelude::*;
use taut::{AnyKernel, Inline, Schedule};
use taut_tests::programs::{Change, Point, Program, RandomModel, RandomTie};

fn model() -> impl Strategy<Value = RandomModel> {
    let builders =
        prop_oneof![4 => 0..RandomModel::BUILDERS_OF_CLOTH, 1 => 0..RandomModel::BUILDERS];
    let builder = (builders, any::<u8>(), any::<bool>());
    let motion = (any::<Point>(), any::<Point>());
    let contacts = (prop::bool::weighted(0.8), prop::option::of(any::<u8>()), any::<u8>());
    (builder, motion, contacts, any::<bool>()).prop_map(|(builder, motion, contacts, tears)| {
        RandomModel {
            builder: builder.0,
            size: builder.1,
            is_pinned: builder.2,
            at: motion.0,
            velocity: motion.1,
            collides: contacts.0,
            thickness: contacts.1,
            mask: contacts.2,
            tears,
        }
    })
}

fn tie() -> impl Strategy<Value = RandomTie> {
    let force = prop::option::of(0..100_u8);
    (any::<[[u8; 2]; 2]>(), any::<[u16; 2]>(), any::<[u8; 3]>(), force).prop_map(
        |([models, places], indices, [kind, distance, compliance], breaking_force)| RandomTie {
            models,
            places,
            indices,
            kind,
            distance,
            compliance,
            breaking_force,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<u16>;
    let point = any::<Point>;
    prop_oneof![
        10 => Just(Change::Step),
        1 => index().prop_map(Change::Pin),
        1 => index().prop_map(Change::Unpin),
        2 => (index(), point()).prop_map(|(particle, to)| Change::Drag(particle, to)),
        1 => index().prop_map(Change::Release),
        1 => (index(), any::<u8>()).prop_map(|(i, quarters)| Change::SetInverseMass(i, quarters)),
        1 => (index(), point()).prop_map(|(i, velocity)| Change::SetVelocity(i, velocity)),
        1 => index().prop_map(Change::Tear),
        1 => any::<[[Point; 2]; 2]>().prop_map(Change::Cut),
        1 => index().prop_map(Change::BreakTie),
        1 => any::<[u8; 3]>().prop_map(Change::SetStepCounts),
        1 => Just(Change::Reorder),
        1 => any::<u8>().prop_map(Change::SetFormula),
        1 => Just(Change::Resume),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let models = prop::collection::vec(model(), 1..5);
    let ties = prop::collection::vec(tie(), 0..4);
    let changes = prop::collection::vec(change(), 10..60);
    (models, ties, prop::bool::weighted(0.3), changes)
        .prop_map(|(models, ties, sleeps, changes)| Program { models, ties, sleeps, changes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_programs_have_the_same_bits_on_every_kernel(program in program()) {
        let scene = program.scene();
        let scalar = |_: &Schedule| AnyKernel::named("scalar").unwrap();
        let expected = program.run(&scene, &Inline, false, scalar);
        let is_finite = expected.iter().all(|(outcome, _)| outcome.finite);
        prop_assert!(is_finite || !program.must_stay_finite());
        prop_assert_eq!(&program.run(&scene, &Inline, true, AnyKernel::best_for), &expected);
        let general = |_: &Schedule| AnyKernel::best();
        prop_assert_eq!(&program.run(&scene, &Inline, true, general), &expected);
    }
}
