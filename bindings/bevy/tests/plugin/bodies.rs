//! Cloths and ropes: from the components of their entities to the vertices of their meshes.

use super::*;
use bevy_math::{Dir3, Quat};
use bevy_shape::Ray3d;
use bevy_taut::{Cloth, Pins, Rope, Simulated, TautError, TautFailure};
use bevy_transform::prelude::{GlobalTransform, Transform};

#[test]
fn positions_and_normals_are_written_in_place_in_the_space_of_the_entity() {
    let mut app = app();
    let transform = Transform::from_xyz(3.0, -2.0, 1.0)
        .with_rotation(Quat::from_rotation_y(1.0))
        .with_scale(Vec3::new(2.0, 1.0, 0.5));
    let cloth = (
        Cloth::sheet(9, 7, 0.1),
        transform,
        Pins::where_(|candidate| candidate.uv.unwrap().y == 0.0),
    );
    let cloth = app.world_mut().spawn(cloth).id();
    run(&mut app, 1);
    assert_eq!(app.world().get::<Simulated>(cloth).unwrap().particles, 63);
    let address = vertices(mesh(&app, cloth)).as_ptr();
    let width = positions(&app, cloth)[8][0] - positions(&app, cloth)[0][0];
    assert!((width - 1.6 * 1.0_f32.cos()).abs() < 1e-5); // 0.8 m, scaled by 2, rotated by 1 rad
    // Moving the entity later moves the mesh, not the particles.
    run(&mut app, 30);
    app.world_mut().get_mut::<Transform>(cloth).unwrap().translation.x = 7.0;
    let before = positions(&app, cloth); // drawn after the next tick, because drawing interpolates
    run(&mut app, 1);
    let to_world = app.world().get::<GlobalTransform>(cloth).unwrap().affine();
    for (vertex, expected) in vertices(mesh(&app, cloth)).iter().zip(&before) {
        let drawn = to_world.transform_point3(Vec3::from(*vertex));
        assert!(drawn.distance(Vec3::from(*expected)) < 1e-5, "{drawn} {expected:?}");
    }
    assert_eq!(vertices(mesh(&app, cloth)).as_ptr(), address);
    match mesh(&app, cloth).attribute(Mesh::ATTRIBUTE_NORMAL) {
        Some(VertexAttributeValues::Float32x3(normals)) => {
            assert!(normals.iter().all(|normal| (Vec3::from(*normal).length() - 1.0).abs() < 1e-5));
            assert!(mean(normals).z > 0.9);
        }
        other => panic!("{other:?}"),
    }
}

/// Two unit squares side by side, a triangle without an area, and a vertex that is in no triangle. The common
/// edge of the squares has separate vertices on each side, as exporters write it at a seam of a texture.
fn seam() -> Mesh {
    let positions = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [9.0, 9.0, 9.0],
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [1.0, -1.0, -0.0],
        [2.0, -1.0, 0.0],
    ];
    triangle_mesh(positions, &[[0, 2, 3], [0, 3, 1], [1, 5, 3], [5, 7, 8], [5, 8, 6]])
}

#[test]
fn seams_are_welded_and_torn_triangles_collapse() {
    let mut app = app();
    let source = add_mesh(&mut app, seam());
    let cloth = (Cloth::from_mesh(), Mesh3d(source.clone()), Pins::vertices([0, 6]));
    let cloth = app.world_mut().spawn(cloth).id();
    run(&mut app, 30);
    assert_eq!(positions(&app, cloth).len(), 6);
    let drawn = vertices(mesh(&app, cloth));
    assert_eq!([drawn[1], drawn[3]], [drawn[5], drawn[7]]);
    assert!(drawn[1][1] < 0.0 && drawn[0] == [0.0, 0.0, 0.0]); // it hangs by the two pins at its sides
    assert_eq!(drawn[4], [9.0, 9.0, 9.0]); // is in no triangle, so it has no particle
    let world = app.world().resource::<TautWorld>();
    assert_eq!(
        world.particle_of_vertex(cloth, 7).unwrap(),
        world.particle_of_vertex(cloth, 3).unwrap()
    );
    assert_eq!(world.particle_of_vertex(cloth, 4).unwrap(), None);
    assert!(torn(&mut app).is_empty());

    // One downward sweep of a blade through the right square, at x = 1.5 m.
    let blade = [Vec3::new(1.5, 1.0, -3.0), Vec3::new(1.5, 1.0, 3.0)];
    let cut = taut(&mut app).cut(blade, blade.map(|point| point.with_y(-4.0)));
    assert!(cut > 0);
    app.update();
    let messages = torn(&mut app);
    assert_eq!(messages.len(), cut);
    assert!(messages.iter().all(|it| it.entity == cloth && it.particles.iter().all(|it| *it < 6)));
    let indices: Vec<usize> = mesh(&app, cloth).indices().unwrap().iter().collect();
    assert_eq!(indices[..9], [0, 2, 3, 0, 3, 1, 1, 5, 3]);
    assert_eq!(indices[9..], [5, 5, 5, 5, 5, 5]);
    run(&mut app, 60);
    assert!(vertices(mesh(&app, cloth))[8][1] < -0.5); // the part beyond the cut hangs from its pin or falls
    // The mesh of the user has not changed, and a changed cloth begins with it.
    assert_eq!(
        vertices(app.world().resource::<Assets<Mesh>>().get(&source).unwrap())[8],
        [2.0, -1.0, 0.0]
    );
    app.world_mut().get_mut::<Cloth>(cloth).unwrap().density = 0.5;
    run(&mut app, 1);
    assert_eq!(vertices(mesh(&app, cloth))[8], [2.0, -1.0, 0.0]);
    assert_eq!(mesh(&app, cloth).indices().unwrap().iter().collect::<Vec<_>>()[9..12], [5, 7, 8]);
    assert!(failures(&mut app).is_empty());
}

#[test]
fn cloth_that_is_pulled_too_far_tears_and_a_rope_falls_apart() {
    let mut app = app();
    let cloth = (Cloth::sheet(16, 16, 0.05).tearing_at(1.3), Pins::group("top"));
    let cloth = app.world_mut().spawn(cloth).id();
    let rope = Rope::new([Vec3::new(2.0, 0.0, 0.0), Vec3::new(2.0, -1.0, 0.0)]);
    let rope = app.world_mut().spawn((rope, Pins::group("start"))).id();
    run(&mut app, 5);
    assert!(torn(&mut app).is_empty());
    // The lower right corner, seen from the front.
    let ray = Ray3d::new(Vec3::new(0.37, -0.36, 5.0), Dir3::NEG_Z);
    let hit = taut(&mut app).nearest_to_ray(ray, 0.1).unwrap();
    assert_eq!((hit.entity, hit.particle), (cloth, 255));
    taut(&mut app).grab(cloth, 255).unwrap();
    for tick in 1..30 {
        let to = hit.position + Vec3::new(0.05, -0.02, 0.0) * tick as f32;
        taut(&mut app).drag(hit.entity, hit.particle, to).unwrap();
        run(&mut app, 1);
        assert_eq!(positions(&app, cloth)[255], to.to_array());
    }
    let messages = torn(&mut app);
    assert!(messages.len() > 2 && messages.iter().all(|it| it.entity == cloth));

    assert!(taut(&mut app).tear(rope, 9).unwrap() && !taut(&mut app).tear(rope, 9).unwrap());
    run(&mut app, 60);
    let mut messages = torn(&mut app);
    messages.retain(|it| it.entity == rope);
    assert_eq!(messages, [StickTorn { entity: rope, stick: 9, particles: [9, 10] }]);
    let particles = positions(&app, rope);
    assert!(particles[9][1] > -0.6 && particles[10][1] < -3.0);
    let indices: Vec<usize> = mesh(&app, rope).indices().unwrap().iter().collect();
    let is_collapsed = |triangle: &[usize]| triangle[0] == triangle[1];
    let collapsed: Vec<usize> =
        (0..indices.len() / 3).filter(|&triangle| is_collapsed(&indices[3 * triangle..])).collect();
    // Two triangles for each of the eight sides of segment 9.
    assert_eq!(collapsed, (144..160).collect::<Vec<_>>());
    let error = taut(&mut app).tear(rope, 20).unwrap_err();
    assert_eq!(error, TautError::NoSuchStick { entity: rope, stick: 20, sticks: 20 });
    assert!(taut(&mut app).grab(rope, 21).is_err());
    app.world_mut().despawn(rope);
    run(&mut app, 1);
    assert_eq!(taut(&mut app).release(rope, 3), Err(TautError::NotSimulated { entity: rope }));
}

#[test]
fn a_cloth_that_is_added_again_begins_with_the_mesh_of_the_user() {
    let mut app = app();
    let source = add_mesh(&mut app, grid(5, 0.1));
    let original = vertices_of(&app, &source);
    let all = || Pins::where_(|_| true);
    let cloth = (Cloth::from_mesh(), Mesh3d(source.clone()), Pins::vertices([0, 4]));
    let cloth = app.world_mut().spawn(cloth).id();
    run(&mut app, 30);
    app.world_mut().entity_mut(cloth).remove::<Cloth>();
    run(&mut app, 3);
    assert!(taut(&mut app).positions(cloth).is_err());
    assert_ne!(vertices(mesh(&app, cloth)), original); // what was drawn last stays
    app.world_mut().entity_mut(cloth).insert((Cloth::from_mesh(), all()));
    run(&mut app, 1);
    assert_eq!(positions(&app, cloth), original);

    // A sheet replaces the mesh of the user, if there is one. A cloth from a mesh that is inserted later is made
    // from the mesh of the user, not from that of the sheet.
    let sheet = app.world_mut().spawn((Cloth::sheet(4, 4, 0.1), Mesh3d(source), all())).id();
    let bare = app.world_mut().spawn(Cloth::sheet(4, 4, 0.1)).id();
    run(&mut app, 3);
    for entity in [sheet, bare] {
        app.world_mut().entity_mut(entity).insert(Cloth::from_mesh());
    }
    run(&mut app, 3);
    assert_eq!(positions(&app, sheet), original);
    assert_eq!(failures(&mut app), [TautError::NoMesh.to_string()]);
    assert_eq!(app.world().get::<TautFailure>(bare), Some(&TautFailure(TautError::NoMesh)));
}

#[test]
fn a_rope_whose_radius_becomes_0_loses_its_tube() {
    let mut app = app();
    let source = add_mesh(&mut app, grid(5, 0.1));
    let rope = || Rope::new([Vec3::ZERO, Vec3::X]);
    let bare = app.world_mut().spawn(rope()).id();
    let with_mesh = app.world_mut().spawn((rope(), Mesh3d(source.clone()))).id();
    for radius in [0.02, 0.01] {
        for rope in [bare, with_mesh] {
            app.world_mut().get_mut::<Rope>(rope).unwrap().radius = radius;
        }
        run(&mut app, 2);
        for rope in [bare, with_mesh] {
            assert_eq!(vertices(mesh(&app, rope)).len(), 9 * 21); // eight sides and the seam of the texture
            app.world_mut().get_mut::<Rope>(rope).unwrap().radius = 0.0;
        }
        run(&mut app, 2);
        assert_eq!(app.world().get::<Mesh3d>(bare), None);
        assert_eq!(app.world().get::<Mesh3d>(with_mesh), Some(&Mesh3d(source.clone())));
    }
    assert!(failures(&mut app).is_empty());
}

#[test]
fn inserting_the_mesh_of_the_user_again_changes_nothing() {
    let simulate = |inserts: bool| {
        let mut app = app();
        let source = add_mesh(&mut app, grid(5, 0.1));
        let original = vertices_of(&app, &source);
        let mut spawn = |cloth: Cloth| {
            let cloth = (cloth, Mesh3d(source.clone()), Pins::particles([0, 3]));
            app.world_mut().spawn(cloth).id()
        };
        let cloths = [spawn(Cloth::from_mesh()), spawn(Cloth::sheet(4, 4, 0.1))];
        run(&mut app, 10);
        let drawn = cloths.map(|cloth| app.world().get::<Mesh3d>(cloth).unwrap().clone());
        if inserts {
            for cloth in cloths {
                app.world_mut().entity_mut(cloth).insert(Mesh3d(source.clone()));
            }
        }
        run(&mut app, 10);
        for (cloth, drawn) in cloths.iter().zip(&drawn) {
            assert_eq!(app.world().get::<Mesh3d>(*cloth), Some(drawn));
        }
        assert_eq!(vertices_of(&app, &source), original);
        assert!(failures(&mut app).is_empty());
        cloths.map(|cloth| (positions(&app, cloth), vertices(mesh(&app, cloth)).to_vec()))
    };
    assert_eq!(simulate(true), simulate(false));
}

#[test]
fn vertices_of_sheets_and_ropes_have_the_indices_of_their_particles() {
    let mut app = app();
    let pins = || Pins::vertices([0, 9]);
    let sheet = app.world_mut().spawn((Cloth::sheet(10, 10, 0.05), pins())).id();
    let rope = app.world_mut().spawn((Rope::new([Vec3::ZERO, Vec3::X]), pins())).id();
    run(&mut app, 1);
    let before = [positions(&app, sheet), positions(&app, rope)];
    run(&mut app, 20);
    for (entity, before) in [sheet, rope].into_iter().zip(before) {
        let after = positions(&app, entity);
        assert_eq!([after[0], after[9]], [before[0], before[9]]);
        assert!(after[4] != before[4] && after[20] != before[20]);
    }
    app.world_mut().entity_mut(sheet).insert(Pins::vertices([100]));
    run(&mut app, 1);
    assert_eq!(failures(&mut app), ["Pins: there is no particle 100; there are 100 particles"]);
}
