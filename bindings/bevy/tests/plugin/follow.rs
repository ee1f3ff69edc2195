//! Pins that follow entities, colliders that move, and the interpolation of drawn positions.

use super::*;
use bevy_app::FixedUpdate;
use bevy_math::{Quat, Vec2};
use bevy_shape::{Capsule3d, Cuboid, InfinitePlane3d, Sphere};
use bevy_taut::{
    Cloth, ClothCollider, Pins, Rope, Sheet, Simulated, TautFailure, TautSettings, TautSystems,
};
use bevy_time::Time;
use bevy_transform::prelude::Transform;

/// Moves an entity at a velocity, m/s, and turns it about y, rad/s, in each tick.
#[derive(Component, Clone, Copy)]
struct Moving(Vec3, f32);

fn moving_app() -> App {
    let mut app = app();
    let advance = |mut moving: Query<(&Moving, &mut Transform)>, time: Res<Time>| {
        for (Moving(velocity, rate), mut transform) in &mut moving {
            transform.translation += *velocity * time.delta_secs();
            transform.rotate_y(rate * time.delta_secs());
        }
    };
    app.add_systems(FixedUpdate, advance.before(TautSystems::Build));
    app
}

#[test]
fn pins_follow_an_entity_in_a_hierarchy_until_they_are_removed() {
    let mut app = moving_app();
    let moving = Moving(Vec3::new(0.5, 0.0, 0.0), 2.0);
    let carrier = app.world_mut().spawn((Transform::from_xyz(0.0, 1.0, 0.0), moving)).id();
    let hand = app.world_mut().spawn((Transform::from_xyz(0.3, 0.5, 0.0), ChildOf(carrier))).id();
    let pins = Pins::group("top").following(hand).and(Pins::particles([90]));
    let cloth = app.world_mut().spawn((Cloth::sheet(10, 10, 0.05), pins)).id();
    run(&mut app, 1);
    let before = positions(&app, cloth);
    // In the local space of `hand`, pinned particles do not move.
    let hand_transform = |app: &App| {
        let transform = app.world().get::<Transform>(carrier).unwrap();
        *transform * *app.world().get::<Transform>(hand).unwrap()
    };
    let in_hand = |app: &App, position: [f32; 3]| {
        hand_transform(app).to_matrix().inverse().transform_point3(position.into())
    };
    let local: Vec<Vec3> = before[..10].iter().map(|at| in_hand(&app, *at)).collect();
    run(&mut app, 45);
    let after = positions(&app, cloth);
    assert!(mean(&after[..10]).distance(mean(&before[..10])) > 0.3);
    for (particle, local) in local.iter().enumerate() {
        assert!(in_hand(&app, after[particle]).distance(*local) < 1e-5, "particle {particle}");
    }
    assert_eq!(after[90], before[90]); // a pin that follows no entity
    assert!(mean(&after[50..60]).distance(mean(&before[50..60])) > 0.1); // free particles are pulled along

    app.world_mut().entity_mut(cloth).insert(Pins::particles([0]));
    run(&mut app, 60);
    let freed = positions(&app, cloth);
    assert_eq!(freed[0], after[0]);
    assert!(freed[90] != after[90] && freed[9] != after[9]);
    app.world_mut().entity_mut(cloth).remove::<Pins>();
    run(&mut app, 30);
    assert!(positions(&app, cloth)[0][1] < freed[0][1] - 0.5);
    // The followed entity is despawned; the pins keep their positions.
    app.world_mut().entity_mut(cloth).insert(Pins::where_(|_| true).following(hand));
    run(&mut app, 2);
    app.world_mut().despawn(hand);
    let held = positions(&app, cloth);
    run(&mut app, 5);
    assert_eq!(positions(&app, cloth), held);
    assert!(failures(&mut app).is_empty());
}

#[test]
fn a_moving_ball_pushes_a_curtain_and_stays_outside_of_it() {
    let mut app = moving_app();
    let curtain = app.world_mut().spawn((Cloth::sheet(24, 24, 0.05), Pins::group("top"))).id();
    let start = Transform::from_xyz(0.0, -0.2, -1.0);
    let moving = Moving(Vec3::Z, 0.0);
    let ball = ClothCollider::new(Sphere::new(0.25)).with_thickness(0.02);
    let ball = app.world_mut().spawn((ball, start, moving)).id();
    run(&mut app, 66);
    let centre = app.world().get::<Transform>(ball).unwrap().translation;
    assert!((centre.z - 0.1).abs() < 1e-3);
    let curtain_positions = positions(&app, curtain);
    let distances = curtain_positions.iter().map(|at| Vec3::from(*at).distance(centre));
    let nearest = distances.fold(9.0, f32::min);
    assert!(nearest >= 0.27 - 1e-4, "a particle is {nearest} m from the centre of the ball");
    assert!(curtain_positions.iter().any(|at| at[2] > 0.3)); // pushed
    app.world_mut().despawn(ball);
    run(&mut app, 240);
    assert!(mean(&positions(&app, curtain)).z.abs() < 0.1); // hangs again
}

#[test]
fn colliders_of_all_shapes_carry_cloth_along_as_they_move_and_turn() {
    let shapes = [
        ("cuboid", ClothCollider::new(Cuboid::new(2.0, 0.2, 2.0)), Quat::IDENTITY, 0.1),
        ("capsule", ClothCollider::new(Capsule3d::new(0.4, 1.6)), Quat::from_rotation_z(1.57), 0.4),
        ("half-space", ClothCollider::new(InfinitePlane3d::new(Vec3::Y)), Quat::IDENTITY, 0.0),
    ];
    let size = Vec2::splat(0.5);
    let sheet = Cloth { sheet: Some(Sheet { columns: 10, rows: 10, size }), ..Cloth::default() };
    for (name, collider, rotation, top) in shapes {
        let mut app = moving_app();
        let horizontal = Transform::from_xyz(0.3, top + 0.02, 0.0)
            .with_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
        let cloth = app.world_mut().spawn((sheet, horizontal)).id();
        let collider = collider.with_friction(1.0).with_edges();
        let platform = Transform::from_rotation(rotation);
        let platform = app.world_mut().spawn((collider, platform)).id();
        run(&mut app, 30); // comes to rest
        let before = mean(&positions(&app, cloth));
        app.world_mut().entity_mut(platform).insert(Moving(Vec3::new(0.0, 0.0, 0.6), 0.0));
        run(&mut app, 60);
        let carried = mean(&positions(&app, cloth)) - before;
        assert!((carried.z - 0.6).abs() < 0.1, "{name}: {carried}");
        if name == "cuboid" {
            // A quarter of a turn (0.5 rad/s for 3.13 s) about the centre of the platform, 0.3 m from the cloth.
            app.world_mut().entity_mut(platform).insert(Moving(Vec3::ZERO, 0.5));
            run(&mut app, 188);
            let centre = app.world().get::<Transform>(platform).unwrap().translation;
            let offset = mean(&positions(&app, cloth)) - centre;
            assert!((offset.x.abs() < 0.12) && (offset.z + 0.3).abs() < 0.12, "{offset}");
        }
        assert!(failures(&mut app).is_empty(), "{name}");
    }
}

#[test]
fn drawn_positions_lie_between_two_ticks() {
    let mut app = app();
    let rope = Rope::new([Vec3::ZERO, Vec3::X]);
    let rope = app.world_mut().spawn((rope, Pins::group("start"))).id();
    let cloth = app.world_mut().spawn(Cloth::sheet(4, 4, 0.1)).id();
    run(&mut app, 10);
    let before = positions(&app, cloth);
    run(&mut app, 1);
    let after = positions(&app, cloth);
    // No time has passed since the last tick, so the positions of the tick before it are drawn.
    assert_eq!(vertices(mesh(&app, cloth)), before);
    let quarter = app.world().resource::<Time<Fixed>>().timestep() / 4;
    app.insert_resource(TimeUpdateStrategy::ManualDuration(quarter));
    app.update();
    for ((drawn, before), after) in vertices(mesh(&app, cloth)).iter().zip(&before).zip(&after) {
        let expected = Vec3::from(*before).lerp(Vec3::from(*after), 0.25);
        assert!(Vec3::from(*drawn).distance(expected) < 1e-6);
    }
    app.world_mut().resource_mut::<TautSettings>().interpolate = false;
    app.update();
    assert_eq!(vertices(mesh(&app, cloth)), after);
    assert_eq!(positions(&app, rope).len(), 21);
    // The tube has the radius of the rope: the first ring is around its first particle.
    let tube = vertices(mesh(&app, rope));
    assert_eq!(tube.len(), 9 * 21);
    assert!(tube[..9].iter().all(|at| (Vec3::from(*at).length() - 0.01).abs() < 1e-5));
    assert_eq!(tube[8], tube[0], "the ring is not closed");
}

#[test]
fn a_change_of_pins_loses_no_motion_of_the_followed_entity() {
    let mut app = moving_app();
    let moving = Moving(Vec3::new(0.6, 0.0, 0.0), 0.0);
    let hand = app.world_mut().spawn((Transform::default(), moving)).id();
    let pins = Pins::group("top").following(hand);
    let cloth = app.world_mut().spawn((Cloth::sheet(10, 10, 0.05), pins)).id();
    run(&mut app, 5);
    let before = positions(&app, cloth);
    let pins = Pins::group("top").and(Pins::particles([99])).following(hand);
    app.world_mut().entity_mut(cloth).insert(pins);
    run(&mut app, 1);
    // Then the entity stops, so that later ticks cannot make up for a motion that was lost.
    app.world_mut().entity_mut(hand).remove::<Moving>();
    run(&mut app, 3);
    let after = positions(&app, cloth);
    for particle in (0..10).chain([99]) {
        let moved = Vec3::from(after[particle]) - Vec3::from(before[particle]);
        assert!(moved.distance(Vec3::X * 0.01) < 1e-5, "particle {particle}: {moved}");
    }
}

#[test]
fn pins_of_an_entity_that_no_longer_exists_stay_and_the_others_follow() {
    let mut app = moving_app();
    let gone = app.world_mut().spawn(Transform::default()).id();
    app.world_mut().despawn(gone);
    let hand = (Transform::default(), Moving(Vec3::X, 0.0));
    let hand = app.world_mut().spawn(hand).id();
    let pins = || Pins::particles([0, 1]).following(gone).and(Pins::particles([9]).following(hand));
    // The pins are added with one cloth, and later to the other.
    let new = app.world_mut().spawn((Cloth::sheet(10, 10, 0.05), pins())).id();
    let old = app.world_mut().spawn((Cloth::sheet(10, 10, 0.05), Pins::group("top"))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(old).insert(pins());
    run(&mut app, 1);
    let before = [new, old].map(|cloth| positions(&app, cloth));
    run(&mut app, 10);
    for (cloth, before) in [new, old].into_iter().zip(before) {
        let after = positions(&app, cloth);
        assert_eq!(after[..2], before[..2]);
        assert!((after[9][0] - before[9][0] - 10.0 / 60.0).abs() < 1e-5);
        assert!(app.world().get::<Simulated>(cloth).is_some());
        assert!(app.world().get::<TautFailure>(cloth).is_none());
    }
    let text = "no longer exists, or it or one of its ancestors has no Transform";
    let text = format!("entity {gone} {text}");
    assert_eq!(failures(&mut app), [text.clone(), text]);
}
