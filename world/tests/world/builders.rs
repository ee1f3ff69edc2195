//! Builders return a valid model or an error for all parameters.

use proptest::prelude::*;
use taut_core::{Bending, Family, Kind};
use taut_scenes::LibraryScene;
use taut_world::{
    Axes, Bridge, Cloth, Diagonals, HexSheet, Model, ModelError, Plant, Ragdoll, Rope, SceneError,
};

/// Valid and invalid values of a parameter.
fn parameter() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => 0.01_f32..10.0,
        1 => -1.0_f32..1.0,
        1 => any::<f32>(),
        1 => prop::sample::select(vec![
            0.0, -0.0, 1.0, 1e-30, 1e-12, 1e-6, 1e6, 1e12, 1e30, f32::MAX, f32::MIN_POSITIVE,
            f32::INFINITY, f32::NEG_INFINITY, f32::NAN,
        ]),
    ]
}

/// A count that is small, 0 included, or far too large.
fn count() -> impl Strategy<Value = usize> {
    let too_large = vec![1 << 25, usize::MAX / 2, usize::MAX];
    prop_oneof![9 => 0_usize..12, 1 => prop::sample::select(too_large)]
}

/// A point whose coordinates are valid or invalid.
fn point<const D: usize>() -> impl Strategy<Value = [f32; D]> {
    prop::collection::vec(parameter(), D).prop_map(|point| core::array::from_fn(|axis| point[axis]))
}

/// The points and triangles of a mesh that is sometimes valid: most points are valid, and a strip of
/// triangles joins them all. A further triangle may have corners that do not exist or are the same.
fn mesh() -> impl Strategy<Value = (Vec<[f32; 3]>, Vec<[u32; 3]>)> {
    let valid = prop::array::uniform3(0.01_f32..10.0);
    let point = prop_oneof![20 => valid, 1 => point::<3>()];
    let further = prop::option::weighted(0.3, [0_u32..7, 0_u32..7, 0_u32..7]);
    (prop::collection::vec(point, 0..6), further).prop_map(|(points, further)| {
        let strip = (2..points.len() as u32).map(|corner| [corner - 2, corner - 1, corner]);
        (points, strip.chain(further).collect())
    })
}

/// Checks that the builder rejected its parameters, or that the model is valid: positions and mass are
/// finite, rest lengths are above 0 and finite, and all indices are those of particles.
fn check<const D: usize>(model: Result<Model<D>, ModelError>) -> Result<(), TestCaseError> {
    let Ok(model) = model else { return Ok(()) };
    let len = model.particles.len();
    for axis in 0..D {
        let columns = [model.particles.positions(axis), model.particles.previous(axis)];
        prop_assert!(columns.into_iter().flatten().all(|x| x.is_finite()));
    }
    prop_assert!(!model.sticks.is_empty() && model.sticks.particles() == len);
    prop_assert!(model.sticks.rests().iter().all(|&rest| rest > 0.0 && rest.is_finite()));
    prop_assert!(model.faces.as_flattened().iter().all(|&corner| (corner as usize) < len));
    prop_assert!(model.groups.values().flatten().all(|&particle| (particle as usize) < len));
    prop_assert!(model.radii.is_empty() || model.radii.len() == len);
    prop_assert!(model.mass().is_finite());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_cloth_is_valid_or_rejected(
        counts in [count(), count()],
        [width, height, density] in [parameter(), parameter(), parameter()],
        [across, down] in [point::<3>(), point::<3>()],
        families in prop::sample::select(vec![&[][..], Family::STRUCTURAL, Family::BEND]),
    ) {
        let [columns, rows] = counts;
        let diagonals = Diagonals::Parallel;
        let families = families.to_vec();
        let axes = Axes { across, down };
        let cloth = Cloth { columns, rows, width, height, axes, families, density, diagonals };
        check(Model::curtain(&cloth))?;
        check(Model::cloth(&Cloth { axes: Axes::default(), ..cloth }))?;
        check(Model::<2>::cloth(&Cloth::spaced(columns, rows, width)))?;
        let bending = Bending::Sticks;
        let sheet = HexSheet { columns, rows, spacing: width, axes, bending, density };
        check(Model::hex_sheet(&sheet))?;
    }

    #[test]
    fn a_mesh_is_valid_or_rejected(
        (points, triangles) in mesh(),
        density in parameter(),
        bending in prop::sample::select(vec![Bending::Free, Bending::Sticks]),
    ) {
        check(Model::from_triangles(&points, &triangles, bending, density))?;
    }

    #[test]
    fn a_rope_is_valid_or_rejected(
        path in prop::collection::vec(point::<2>(), 0..5),
        [spacing, density, bending] in [parameter(), parameter(), parameter()],
        kind in prop::sample::select(vec![Kind::TwoSided, Kind::Maximum, Kind::Minimum]),
    ) {
        // Ropes with such a fine spacing are valid, but take long to build.
        prop_assume!(!(1e-9..1e-2).contains(&spacing));
        check(Model::rope(&path, &Rope { spacing, density, kind, bending }))?;
    }

    #[test]
    fn a_bridge_is_valid_or_rejected(
        [from, to] in [point::<3>(), point::<3>()],
        [planks, ropes] in [count(), count()],
        [width, sag, rails, plank_mass, density] in
            [parameter(), parameter(), parameter(), parameter(), parameter()],
    ) {
        let bridge = Bridge { planks, ropes, width, sag, rails, plank_mass, density };
        check(Model::bridge(from, to, &bridge))?;
    }

    #[test]
    fn a_plant_is_valid_or_rejected(
        pieces in count(),
        levels in prop_oneof![0_u32..3, Just(u32::MAX)],
        [height, leaf, thickness] in [parameter(), parameter(), parameter()],
        angle in prop_oneof![4 => 0.0_f32..3.0, 1 => parameter()],
        [wood_density, leaf_density] in [parameter(), parameter()],
        stiffness in prop_oneof![4 => 0.01_f32..1.0, 1 => parameter()],
        seed in any::<u64>(),
    ) {
        // Few pieces, so that plants of many levels are quick to build.
        let pieces = if levels > 2 { pieces.min(3) } else { pieces };
        let plant = Plant {
            height, pieces, levels, angle, leaf, thickness, wood_density, leaf_density, stiffness,
            seed,
        };
        check(Model::<2>::plant(&plant))?;
        check(Model::<3>::plant(&plant))?;
    }

    #[test]
    fn a_ragdoll_is_valid_or_rejected(
        [height, mass, posture] in [parameter(), parameter(), parameter()],
    ) {
        let ragdoll = Ragdoll { height, mass, posture };
        check(Model::<2>::ragdoll(&ragdoll))?;
        check(Model::<3>::ragdoll(&ragdoll))?;
    }
}

#[test]
fn library_scenes_and_bridges_reject_excessive_sizes() {
    for listed in LibraryScene::ALL {
        let error = listed.scene(usize::MAX).unwrap_err();
        assert!(matches!(error, SceneError::Limit(_)), "{}: {error}", listed.name);
    }
    let bridge = Bridge { planks: 300_000, ropes: 16, ..Bridge::default() };
    let error = Model::bridge([0.0; 3], [6.0, 0.0, 0.0], &bridge).unwrap_err().to_string();
    assert_eq!(error, "the number of sticks is 157200524; it must be at most 134217728");
}

#[test]
fn errors_name_the_value_and_its_range() {
    let message = |error: Result<Model, ModelError>| error.unwrap_err().to_string();
    assert_eq!(
        message(Model::cloth(&Cloth { density: -1.0, ..Cloth::default() })),
        "the density of a cloth, kg/m², is -1; it must be above 0 and finite"
    );
    assert_eq!(
        message(Model::cloth(&Cloth { rows: 1, ..Cloth::default() })),
        "the number of rows of a cloth is 1; it must be at least 2"
    );
    assert_eq!(
        message(Model::cloth(&Cloth { columns: usize::MAX, ..Cloth::default() })),
        "the number of particles is 590295810358705651680; it must be at most 16777216"
    );
    assert_eq!(
        message(Model::bridge([0.0; 3], [0.0, 5.0, 0.0], &Bridge::default())),
        "the horizontal distance that a bridge spans, m, is 0; it must be above 0"
    );
    // Particle 2 is a corner of a triangle without area only.
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(
        message(Model::from_triangles(&points, &[[0, 1, 2], [0, 1, 3]], Bending::Sticks, 0.2)),
        "the mass of particle 2, kg, is 0; it must be from 1e-9 to 1e9"
    );
}
