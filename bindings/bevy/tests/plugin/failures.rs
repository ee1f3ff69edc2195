//! Invalid components and settings are reported as errors that say what is wrong, and never panic. 0 threads are
//! valid.

use super::*;
use bevy_shape::Sphere;
use bevy_taut::{
    Cloth, ClothCollider, Pins, Rope, Simulated, TautError, TautFailure, TautSettings, TautWind,
};
use bevy_transform::prelude::Transform;

#[test]
fn each_invalid_entity_is_reported_once_and_the_others_are_simulated() {
    let mut app = app();
    let good = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), Pins::group("top"))).id();
    let lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0_f32; 3]; 2]);
    let empty = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    let no_such_vertex = triangle_mesh(vec![[0.0; 3], [1.0, 0.0, 0.0]], &[[0, 1, 2]]);
    let degenerate = triangle_mesh(vec![[0.0; 3], [1.0, 0.0, 0.0]], &[[0, 1, 1]]);
    let not_finite = triangle_mesh(vec![[0.0; 3], [1.0, 0.0, 0.0], [f32::NAN; 3]], &[[0, 1, 2]]);
    let too_far = Transform::from_xyz(1e30, 0.0, 0.0);
    let nan = Transform::from_xyz(f32::NAN, 0.0, 0.0);
    let sheet = || Cloth::sheet(4, 4, 0.1);
    let mut expected = Vec::new();
    for (mesh, text) in [
        (lines, "it has LineList"),
        (empty, "it has no positions"),
        (no_such_vertex, "triangle 0 of the mesh has the corner 2"),
        (degenerate, "no triangle with three distinct corners: 1 triangle(s)"),
        (not_finite, "NaN"),
    ] {
        let mesh = Mesh3d(add_mesh(&mut app, mesh));
        expected.push((app.world_mut().spawn((Cloth::from_mesh(), mesh)).id(), text));
    }
    let world = app.world_mut();
    expected.extend([
        (world.spawn(Cloth::from_mesh()).id(), "needs the component Mesh3d"),
        (world.spawn(Rope::new([Vec3::ONE])).id(), "number of points of a rope's path is 1"),
        (world.spawn(Rope::new([Vec3::ONE, Vec3::ONE])).id(), "distance between two points"),
        (world.spawn(Cloth::sheet(1, 4, 0.1)).id(), "number of columns of a cloth is 1"),
        (world.spawn(Cloth { density: -1.0, ..sheet() }).id(), "density"),
        (world.spawn(sheet().tearing_at(0.5)).id(), "tear factor is 0.5; it must be above 1"),
        (world.spawn((sheet(), nan)).id(), "is not finite or has a scale of 0"),
        (world.spawn((sheet(), Transform::from_scale(Vec3::ZERO))).id(), "a scale of 0"),
        (world.spawn((sheet(), too_far)).id(), "particle 0"),
        (
            world.spawn((sheet(), Pins::group("middle"))).id(),
            "no group 'middle'; there are: bottom",
        ),
        (
            world.spawn((sheet(), Pins::particles([16]))).id(),
            "there is no particle 16; there are 16 particles",
        ),
        (world.spawn(ClothCollider::new(Sphere { radius: -1.0 })).id(), "radius of a sphere"),
        (world.spawn((ClothCollider::new(Sphere::new(1.0)), nan)).id(), "is not finite"),
        (world.spawn(ClothCollider::new(Sphere::new(1.0)).with_friction(-1.0)).id(), "friction"),
    ]);
    run(&mut app, 5);
    let all = failures(&mut app);
    for &(entity, text) in &expected {
        let failure = app.world().get::<TautFailure>(entity).unwrap_or_else(|| panic!("{text}"));
        assert!(failure.0.to_string().contains(text), "{} lacks {text}", failure.0);
        assert!(app.world().get::<Simulated>(entity).is_none(), "{text}");
        assert!(taut(&mut app).positions(entity).is_err());
    }
    assert_eq!(all.len(), expected.len(), "{all:#?}"); // one for each invalid entity, and no others
    assert_eq!(taut(&mut app).entities().collect::<Vec<_>>(), [good]);
    assert_eq!(taut(&mut app).steps(), 5);

    // A corrected entity is tried again.
    let entity =
        |text: &str| expected.iter().find(|(_, message)| message.contains(text)).unwrap().0;
    let [bad_factor, bad_transform, no_mesh] =
        ["tear factor", "not finite or", "Mesh3d"].map(entity);
    app.world_mut().get_mut::<Cloth>(bad_factor).unwrap().tear_factor = Some(2.0);
    app.world_mut().get_mut::<Transform>(bad_transform).unwrap().translation.x = 2.0;
    let grid = add_mesh(&mut app, grid(5, 0.1));
    app.world_mut().entity_mut(no_mesh).insert(Mesh3d(grid));
    run(&mut app, 2);
    for corrected in [bad_factor, bad_transform, no_mesh] {
        assert!(app.world().get::<TautFailure>(corrected).is_none());
        assert!(app.world().get::<Simulated>(corrected).is_some());
    }
    assert!(failures(&mut app).is_empty());
}

#[test]
fn invalid_settings_and_wind_are_reported_and_not_used() {
    let mut app = app();
    let cloth = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), Pins::group("top"))).id();
    run(&mut app, 2);
    let valid = *app.world().resource::<TautSettings>();
    for (settings, text) in [
        (TautSettings { substeps: 0, ..valid }, "number of substeps is 0"),
        (TautSettings { damping_rate: -1.0, ..valid }, "damping"),
        (TautSettings { gravity: Vec3::NAN, ..valid }, "NaN"),
        (TautSettings { threads: 5000, ..valid }, "threads"),
    ] {
        app.insert_resource(settings);
        run(&mut app, 3);
        let all = failures(&mut app);
        assert!(all.len() == 1 && all[0].contains(text), "{text}: {all:?}");
    }
    app.insert_resource(valid);
    app.insert_resource(TautWind::new(Vec3::new(0.0, f32::INFINITY, 0.0)));
    run(&mut app, 3);
    assert_eq!(failures(&mut app), ["TautWind: velocity.y is inf; it must be finite"]);
    assert_eq!(taut(&mut app).steps(), 2 + 4 * 3 + 3, "invalid settings stopped the steps");
    assert!(positions(&app, cloth).as_flattened().iter().all(|x| x.is_finite()));
}

#[test]
fn a_cloth_that_blows_up_leaves_the_world_and_the_others_continue() {
    let mut app = app();
    let held = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), Pins::where_(|_| true))).id();
    let free = app.world_mut().spawn(Cloth::sheet(4, 4, 0.1)).id();
    run(&mut app, 2);
    app.insert_resource(TautWind { lift: 2.0, ..TautWind::new(Vec3::splat(1e38)) });
    run(&mut app, 3);
    assert_eq!(app.world().get::<TautFailure>(free), Some(&TautFailure(TautError::BlownUp)));
    assert_eq!(failures(&mut app).len(), 1);
    assert_eq!(taut(&mut app).entities().collect::<Vec<_>>(), [held]);
    assert!(vertices(mesh(&app, free)).as_flattened().iter().all(|x| x.is_finite()));
    let steps = taut(&mut app).steps();
    run(&mut app, 3);
    assert_eq!(taut(&mut app).steps(), steps + 3);
}

#[test]
fn a_failure_of_changed_pins_lasts_until_they_are_corrected() {
    let mut app = app();
    let cloth = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), Pins::group("top"))).id();
    run(&mut app, 5);
    app.world_mut().entity_mut(cloth).insert(Pins::group("middle"));
    run(&mut app, 5);
    let all = failures(&mut app);
    assert!(all.len() == 1 && all[0].contains("no group 'middle'"), "{all:?}");
    let failure = app.world().get::<TautFailure>(cloth).expect("it is not cleared");
    assert!(matches!(failure.0, TautError::NoSuchGroup { .. }));
    assert!(app.world().get::<Simulated>(cloth).is_none());
    app.world_mut().entity_mut(cloth).insert(Pins::group("top"));
    run(&mut app, 5);
    assert!(app.world().get::<TautFailure>(cloth).is_none());
    assert!(app.world().get::<Simulated>(cloth).is_some());
    assert!(failures(&mut app).is_empty());
}

#[test]
fn a_failure_ends_once_the_component_that_caused_it_is_removed() {
    check_removed_causes(&mut app());
    // Three frames per tick; the components are removed in each of them.
    for frames_before in 0..3 {
        let mut app = app();
        let frame = Duration::from_secs_f64(1.0 / 180.0);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        run(&mut app, frames_before);
        check_removed_causes(&mut app);
    }
}

fn check_removed_causes(app: &mut App) {
    let world = app.world_mut();
    let cloth = world.spawn((Cloth::sheet(4, 4, 0.1), Pins::group("middle"))).id();
    let invalid = || ClothCollider::new(Sphere::new(-1.0));
    let collider = world.spawn(invalid()).id();
    let despawned = world.spawn(invalid()).id();
    run(app, 9);
    assert_eq!(failures(app).len(), 3);
    app.world_mut().entity_mut(cloth).remove::<Pins>();
    app.world_mut().entity_mut(collider).remove::<ClothCollider>();
    app.world_mut().entity_mut(despawned).despawn();
    run(app, 9);
    for entity in [cloth, collider] {
        assert!(app.world().get::<TautFailure>(entity).is_none());
    }
    assert!(app.world().get::<Simulated>(cloth).is_some());
    assert!(failures(app).is_empty());
}

#[test]
fn an_entity_with_a_cloth_and_a_rope_fails_until_one_of_them_is_removed() {
    let mut app = app();
    let rope = || Rope::new([Vec3::ZERO, Vec3::X]);
    let both = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), rope())).id();
    let cloth = app.world_mut().spawn(Cloth::sheet(4, 4, 0.1)).id();
    run(&mut app, 3);
    app.world_mut().entity_mut(cloth).insert(rope());
    run(&mut app, 3);
    let text = TautError::ClothAndRope.to_string();
    assert_eq!(failures(&mut app), [text.clone(), text]);
    for entity in [both, cloth] {
        let failure = app.world().get::<TautFailure>(entity);
        assert_eq!(failure, Some(&TautFailure(TautError::ClothAndRope)));
        assert!(app.world().get::<Simulated>(entity).is_none());
    }
    app.world_mut().entity_mut(both).remove::<Cloth>();
    app.world_mut().entity_mut(cloth).remove::<Rope>();
    run(&mut app, 3);
    for (entity, particles) in [(both, 21), (cloth, 16)] {
        assert!(app.world().get::<TautFailure>(entity).is_none());
        assert!(app.world().get::<Simulated>(entity).is_some());
        assert_eq!(positions(&app, entity).len(), particles);
    }
    assert!(failures(&mut app).is_empty());
}

#[test]
fn an_invalid_transform_is_tried_again_once_a_parent_or_followed_entity_is_corrected() {
    let mut app = app();
    let world = app.world_mut();
    let parent = world.spawn(Transform::from_scale(Vec3::new(1.0, 0.0, 1.0))).id();
    let child = world.spawn((Cloth::sheet(4, 4, 0.1), ChildOf(parent))).id();
    let collider = world.spawn((ClothCollider::new(Sphere::new(0.1)), ChildOf(parent))).id();
    let hand = world.spawn(Transform::from_xyz(f32::NAN, 0.0, 0.0)).id();
    let pins = Pins::group("top").following(hand);
    let held = world.spawn((Cloth::sheet(4, 4, 0.1), pins)).id();
    run(&mut app, 5);
    let mut all = failures(&mut app);
    all.sort();
    // The failure of `held` names the entity with the invalid transform, `hand`.
    let mut expected = [child, collider, hand]
        .map(|entity| TautError::Transform { entity })
        .map(|error| error.to_string());
    expected.sort();
    assert_eq!(all, expected);
    *app.world_mut().get_mut::<Transform>(parent).unwrap() = Transform::default();
    *app.world_mut().get_mut::<Transform>(hand).unwrap() = Transform::default();
    run(&mut app, 2);
    for entity in [child, collider, held] {
        assert!(app.world().get::<TautFailure>(entity).is_none());
    }
    for cloth in [child, held] {
        assert!(app.world().get::<Simulated>(cloth).is_some());
    }
    assert!(failures(&mut app).is_empty());
}

#[test]
fn zero_threads_give_the_bits_of_one_thread() {
    let simulate = |threads| {
        let mut app = app();
        app.insert_resource(TautSettings { threads, ..TautSettings::default() });
        app.world_mut().spawn((Cloth::sheet(20, 20, 0.1), Pins::group("top")));
        run(&mut app, 5);
        assert!(failures(&mut app).is_empty());
        assert_eq!(taut(&mut app).steps(), 5);
        taut(&mut app).hash()
    };
    assert_eq!(simulate(0), simulate(1));
}
