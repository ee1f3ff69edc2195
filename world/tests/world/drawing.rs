//! Drawings match the world, and their indices are stable.

use std::collections::BTreeSet;

use proptest::prelude::*;
use taut_scalar::ScalarKernel;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{
    Bounds, Capsule, Cloth, Cuboid, Drawing, FigureShape, HalfSpace, Model, ModelKind, Obstacle,
    ObstacleFigure, Path, Plant, REMOVED, Rope, Scene, Simulation, Solid, Sphere, Spin, StickSet,
    World, normals,
};

use crate::make::{drape, scene, steps, world};

/// A sheet, which has an island of its own; and a large mesh that the world renumbers, bodies and a
/// rope, which share one.
fn mixed() -> Scene {
    let mut scene = Scene::<3>::new();
    scene
        .add("brick", Model::rigid_box([0.2, 0.1, 0.3], 900.0).unwrap().moved([0.0, 3.0, 0.0]))
        .unwrap();
    scene.add("sheet", drape(12, StickSet::All)).unwrap();
    let disc = Model::disc(80, StickSet::All).unwrap().shuffled(7);
    scene.add("disc", disc.moved([5.0, 0.0, 0.0])).unwrap();
    scene.add("tetrahedron", Model::tetrahedron(0.5, 1.0).unwrap().moved([0.0, 4.0, 0.0])).unwrap();
    let rope = Model::rope(&[[0.0, 2.0, 1.0], [1.0, 2.0, 1.0]], &Rope::default()).unwrap();
    scene.add("rope", rope).unwrap();
    scene
}

#[test]
fn copied_positions_have_the_order_of_the_world() {
    let mut world = world(&mixed());
    steps(&mut world, 3);
    let mut rows = vec![[f32::NAN; 3]; world.len()];
    world.copy_positions(&mut rows);
    assert!(rows.iter().copied().eq(world.positions()));
    let mut rows_of_4 = vec![[f32::NAN; 4]; world.vertices()];
    world.copy_vertices(&mut rows_of_4);
    let is_padded = |(padded, row): (&[f32; 4], &[f32; 3])| padded[..3] == *row && padded[3] == 0.0;
    assert!(rows_of_4.iter().zip(&rows).all(is_padded));
    // After the particles, the vertices of the meshes of bodies follow.
    let mut mesh_vertices = rows_of_4[world.len()..].iter();
    for island in world.islands() {
        for vertex in island.model.bodies.vertices(&island.model.particles) {
            assert_eq!(mesh_vertices.next().unwrap()[..3], vertex);
        }
    }
    assert_eq!(mesh_vertices.len(), 0);

    let flat = Model::<2>::cloth(&Cloth::default()).unwrap();
    let mut rows = vec![[f32::NAN; 3]; flat.particles.len()];
    flat.particles.copy_positions(&mut rows);
    assert!(rows.iter().all(|row| row[2] == 0.0 && row[0].is_finite()));
}

/// The indices of those triangles or sticks of a drawing that are not removed.
fn remaining<const C: usize>(all: &[[u32; C]]) -> BTreeSet<usize> {
    (0..all.len()).filter(|&i| all[i][0] != REMOVED).collect()
}

#[test]
fn removals_are_recorded_by_stable_indices() {
    let whole = mixed();
    let mut world = world(&whole);
    let before = world.drawing();
    assert_eq!(before.vertices, world.len() + 8 + 4); // those of the box and of the tetrahedron
    assert_eq!(
        before.models.iter().map(|drawn| drawn.kind).collect::<Vec<_>>(),
        [ModelKind::Body, ModelKind::Cloth, ModelKind::Cloth, ModelKind::Body, ModelKind::Rope,]
    );
    // A drawing has the models in the order of the scene, with the indices of the world. `vertex` is the
    // first particle of a model, and `mesh_vertex` the first vertex of the meshes of its bodies.
    let (mut vertex, mut mesh_vertex) = (0, world.len() as u32);
    for (drawn, (name, model)) in before.models.iter().zip(whole.models()) {
        assert_eq!((&*drawn.name, drawn.particles.start as u32), (name, vertex));
        let sticks = model.sticks.ends().iter().map(|ends| ends.map(|end| vertex + end));
        assert!(before.sticks[drawn.sticks.clone()].iter().copied().eq(sticks));
        let faces = model.faces.iter().map(|face| face.map(|corner| vertex + corner));
        let of_bodies =
            model.bodies.triangles().iter().map(|face| face.map(|corner| mesh_vertex + corner));
        assert!(
            before.triangles[drawn.triangles.clone()].iter().copied().eq(faces.chain(of_bodies))
        );
        vertex += model.particles.len() as u32;
        mesh_vertex += drawn.mesh_vertices.len() as u32;
    }

    let check = |world: &World| {
        let (drawing, removed) = (world.drawing(), world.removed());
        for (all, now, gone) in [
            (remaining(&before.sticks), remaining(&drawing.sticks), &removed.sticks),
            (remaining(&before.triangles), remaining(&drawing.triangles), &removed.triangles),
        ] {
            let gone: BTreeSet<usize> = gone.iter().map(|&index| index as usize).collect();
            assert_eq!(all.difference(&gone).copied().collect::<BTreeSet<_>>(), now);
        }
        assert_eq!(removed.sticks.len(), world.torn());
        drawing
    };
    // Tears in the sheet, in the disc and in the sheet again. A face is removed with the first of its
    // edges that tears. The last stick of the list is torn already when its turn comes.
    let [sheet, disc] = ["sheet", "disc"].map(|name| world.sticks_of(name).unwrap().start);
    for stick in [sheet + 30, disc + 1000, disc + 5, sheet + 3, disc + 1000] {
        world.tear(stick).unwrap();
        check(&world);
    }
    let expected = [sheet + 30, disc + 1000, disc + 5, sheet + 3];
    assert!(world.removed().sticks.iter().map(|&stick| stick as usize).eq(expected));
    assert!(world.removed().triangles.len() >= 4);
    let cut =
        world.cut_swept([[0.2, 1.0, -1.0], [0.2, 1.0, 1.0]], [[0.2, -0.2, -1.0], [0.2, -0.2, 1.0]]);
    assert_eq!(world.removed().sticks.len(), 4 + cut);
    let drawing = check(&world);
    assert!(world.reorder(|_| ScalarKernel).unwrap() > 0);
    assert_eq!(check(&world), drawing);
    world.tear(sheet + 200).unwrap();
    let drawing = check(&world);
    steps(&mut world, 2);

    let resumed = World::resume(&whole, |_| ScalarKernel, &world.snapshot()).unwrap();
    assert_eq!(check(&resumed), drawing);
}

#[test]
fn normals_of_a_sphere_point_outwards_and_are_weighted_by_area() {
    let ball = Model::sphere(24, StickSet::Structural).unwrap();
    let mut rows = vec![[0.0; 3]; ball.particles.len()];
    ball.particles.copy_positions(&mut rows);
    let mut found = rows.clone();
    let check_outward = |found: &[[f32; 3]]| {
        for (row, normal) in rows.iter().zip(found) {
            let dot: f32 = row.iter().zip(normal).map(|(x, n)| x * n).sum();
            let radius = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((dot / radius - 1.0).abs() < 0.01);
        }
    };
    normals(&rows, &ball.faces, &mut found);
    check_outward(&found);

    // Normals are weighted by area: two perpendicular triangles, one twice as large as the other.
    let points = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut found = [[0.0; 3]; 4];
    normals(&points, &[[0, 1, 2], [0, 2, 3]], &mut found);
    assert!((found[0][2] / found[0][0] - 2.0).abs() < 1e-6);
}

proptest! {
    #[test]
    fn normals_always_have_length_one(
        points in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 1..9),
        triangles in prop::collection::vec(prop::array::uniform3(0..10_u32), 0..9),
    ) {
        let mut found = vec![[f32::NAN; 3]; points.len()];
        normals(&points, &triangles, &mut found);
        for normal in found {
            let length = normal.iter().map(|component| component * component).sum::<f32>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-6, "{normal:?}");
        }
    }
}

/// Converts a point from the coordinates of a figure to world coordinates.
fn to_world<const D: usize>(figure: &ObstacleFigure<D>, point: [f64; D]) -> [f64; D] {
    let coordinate = |axis: usize| point.get(axis).copied().unwrap_or(0.0);
    let [x, y, z, w] = figure.rotation;
    assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 1e-12);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    // Rotation of v by a quaternion (q, w): v + 2 w (q × v) + 2 q × (q × v).
    let (v, q) = ([coordinate(0), coordinate(1), coordinate(2)], [x, y, z]);
    let once = cross(q, v);
    let twice = cross(q, once);
    core::array::from_fn(|i| v[i] + 2.0 * (w * once[i] + twice[i]) + figure.position[i])
}

/// Points on the surface of a figure, in its own coordinates.
fn surface<const D: usize>(shape: FigureShape<D>) -> Vec<[f64; D]> {
    let on_axis = |axis: usize, x: f64| core::array::from_fn(|i| if i == axis { x } else { 0.0 });
    match shape {
        FigureShape::Sphere { radius } => (0..D).map(|axis| on_axis(axis, -radius)).collect(),
        FigureShape::Capsule { radius, half } => {
            let beside: [f64; D] = core::array::from_fn(|i| [radius, half, 0.0][i]);
            vec![on_axis(1, half + radius), on_axis(1, -half - radius), beside]
        }
        FigureShape::Cuboid { half } | FigureShape::Bounds { half } => (0..D)
            .flat_map(|axis| [on_axis(axis, half[axis]), on_axis(axis, -half[axis])])
            .collect(),
        FigureShape::HalfSpace => {
            (0..D).map(|axis| on_axis(axis, if axis == 1 { 0.0 } else { 7.0 })).collect()
        }
        FigureShape::Mesh { points, .. } => {
            points.iter().map(|point| point.map(f64::from)).collect()
        }
        _ => Vec::new(),
    }
}

/// Checks that a particle collides 1 cm inside the drawn surface of an obstacle, and not 1 cm outside.
/// `outwards` is 1 if a point leaves the obstacle as it moves away from the origin of the figure (for a
/// half-space: along y), and -1 if it enters.
fn check_surface<const D: usize>(obstacle: &dyn Obstacle<D>, outwards: f64) {
    use taut_core::{Motion, Step};
    use taut_world::StepTime;

    for time in [0.0, 0.4, 3.7] {
        let figure = obstacle.figure(time).unwrap();
        let points = surface(figure.shape);
        assert!(!points.is_empty());
        for point in points {
            // The point, moved away from the origin of the figure, or along y for a half-space.
            let moved = |by: f64| -> [f64; D] {
                if figure.shape == FigureShape::HalfSpace {
                    core::array::from_fn(|i| point[i] + if i == 1 { by } else { 0.0 })
                } else {
                    let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
                    point.map(|x| x * (1.0 + by / length))
                }
            };
            let motion: Motion<D> = Step::default().motion().unwrap();
            let now = StepTime { time, h: 1e-3, duration: 1e-3, motion };
            let depth = |by: f64| {
                let x = to_world(&figure, moved(by)).map(|x| x as f32);
                let particles = taut_core::Particles::new(&[x], &[1.0]).unwrap();
                let sticks =
                    taut_core::Sticks::with_rests(1, &[], &[], taut_core::Duplicates::Keep)
                        .unwrap();
                obstacle.depth(&Model::new(particles, sticks), &now)
            };
            assert!(depth(-0.01 * outwards) > 0.001, "{:?} at {point:?}", figure.shape);
            assert_eq!(depth(0.01 * outwards), 0.0, "{:?} at {point:?}", figure.shape);
        }
    }
}

#[test]
fn obstacles_are_drawn_where_they_collide() {
    let path = || Path::Elliptical { radii: [[0.3, 0.1, 0.2], [-0.2, 0.5, 0.1]], period: 2.0 };
    let spin = Spin::about([1.0, 2.0, -0.5], [0.3, 0.2, 0.1], 1.3).unwrap();
    let half_edges = [[0.0, 0.6, 0.8], [0.5, 0.0, 0.0], [0.0, 0.4, -0.3]];
    macro_rules! moving {
        ($shape:expr) => {
            &Solid::new($shape.unwrap()).along(path()).unwrap().turning(spin)
        };
    }
    let ends = [[0.1, 0.2, 0.3], [0.5, -0.8, 0.2]];
    check_surface(moving!(Sphere::new([0.1, 0.2, 0.3], 0.4)), 1.0);
    check_surface(moving!(Capsule::new(ends, 0.2)), 1.0);
    check_surface(moving!(Capsule::new([[1.0; 3]; 2], 0.2)), 1.0);
    check_surface(moving!(Cuboid::new([0.0; 3], [1.0, 2.0, 3.0])), 1.0);
    check_surface(moving!(Cuboid::oriented([0.5; 3], half_edges)), 1.0);
    check_surface(moving!(HalfSpace::new([0.1, 0.2, 0.3], [1.0, -2.0, 0.5])), 1.0);
    check_surface(moving!(Bounds::new([-1.0, 0.0, -3.0], [1.0, 2.0, 3.0])), -1.0);

    let path = || Path::Oscillating { amplitude: [0.3, 0.1], period: 2.0 };
    let spin = Spin::in_plane([[1.0, 0.0], [0.0, 1.0]], [0.3, 0.1], -0.7).unwrap();
    // The same in two dimensions.
    macro_rules! flat {
        ($shape:expr) => {
            &Solid::new($shape.unwrap()).along(path()).unwrap().turning(spin)
        };
    }
    check_surface(flat!(Sphere::new([0.1, 0.2], 0.4)), 1.0);
    check_surface(flat!(Capsule::new([[0.1, 0.2], [0.8, -0.3]], 0.2)), 1.0);
    check_surface(flat!(Cuboid::oriented([0.0; 2], [[0.5, 0.5], [-0.5, 0.5]])), 1.0);
    check_surface(flat!(Cuboid::oriented([0.0; 2], [[0.5, 0.5], [0.25, -0.25]])), 1.0);
    check_surface(flat!(HalfSpace::new([0.1, 0.2], [1.0, -2.0])), 1.0);
    check_surface(flat!(HalfSpace::new([0.1, 0.2], [-1.0, 2.0])), 1.0);
    check_surface(flat!(Bounds::new([-1.0, 0.0], [1.0, 2.0])), -1.0);
}

#[cfg(feature = "parry")]
#[test]
fn the_figure_of_a_mesh_has_its_triangles_and_pose() {
    use taut_world::{Facing, TriMesh};

    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let spin = Spin::about([1.0, 2.0, -0.5], [0.3, 0.2, 0.1], 1.3).unwrap();
    let mesh = Solid::mesh(TriMesh::new(&points, &triangles, Facing::Front).unwrap()).turning(spin);
    let figure = mesh.figure(2.0).unwrap();
    assert_eq!(figure.shape, FigureShape::Mesh { points: &points, triangles: &triangles });
    for point in points {
        let point = point.map(f64::from);
        let (drawn, expected) = (to_world(&figure, point), mesh.pose(2.0).point(point));
        assert!(drawn.iter().zip(expected).all(|(x, expected)| (x - expected).abs() < 1e-12));
    }
}

#[test]
fn library_scenes_have_drawings_with_the_expected_kinds_of_models() {
    fn drawing_of<const D: usize>(scene: &Scene<D>) -> Drawing
    where
        World<D>: Simulation<D>,
    {
        let world = world(scene);
        let mut rows = vec![[f32::NAN; 3]; world.vertices()];
        world.copy_vertices(&mut rows);
        assert!(rows.as_flattened().iter().all(|x| x.is_finite()));
        for obstacle in world.obstacles() {
            let name = format!("{obstacle:?}");
            let has_no_shape =
                ["BodyContacts", "LimbContacts"].iter().any(|kind| name.starts_with(kind));
            assert_eq!(obstacle.figure(1.0).is_none(), has_no_shape);
        }
        world.drawing()
    }
    for library in LibraryScene::ALL {
        let drawing = match library.scene(library.size.min(16)).unwrap() {
            AnyScene::TwoD(scene) => drawing_of(&scene),
            AnyScene::ThreeD(scene) => drawing_of(&scene),
        };
        let kinds: BTreeSet<&str> = drawing.models.iter().map(|drawn| drawn.kind.name()).collect();
        let expected: &[&str] = match library.name {
            "rope-bridge" | "knot" => &["rope"],
            "plants" => &["plant"],
            "tetra-cube-world" | "boxes" => &["body"],
            "ragdolls" | "ragdolls-3d" => &["ragdoll"],
            "fountain" => &["grains"],
            "trampoline" => &["body", "cloth"],
            "doll-in-hammock" => &["cloth", "ragdoll"],
            "laundry" => &["body", "cloth", "ragdoll"],
            _ => &["cloth"],
        };
        assert_eq!(kinds, expected.iter().copied().collect(), "{}", library.name);
        let has_triangles = library.name != "knot"
            && expected.iter().any(|kind| !["ragdoll", "grains"].contains(kind));
        assert_eq!(!drawing.triangles.is_empty(), has_triangles);
    }
}

#[test]
fn particles_of_emitters_are_hidden_unless_alive() {
    use taut_world::EmitterSettings;

    let mut scene = scene("sheet", drape(5, StickSet::All));
    let rain = EmitterSettings { rate: 50.0, lifetime: [0.3, 0.4], ..EmitterSettings::default() };
    scene.add("rain", Model::emitter(rain).unwrap()).unwrap();
    let mut world = world(&scene);
    // The first 25 particles are those of the sheet.
    assert_eq!(world.hidden_particles().count(), world.len() - 25);
    for _ in 0..60 {
        steps(&mut world, 1);
        let (island, first) = world.locate(25);
        let emitter = &world.islands()[island].model.emitters[0];
        let alive =
            emitter.particles_at(world.time()).map(|living| 25 + living.particle as usize - first);
        let mut all: Vec<usize> = world.hidden_particles().chain(alive).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(25..world.len()));
    }
    assert!(world.hidden_particles().count() < world.len() - 25);
}

#[test]
fn support_and_posture_sticks_are_hidden() {
    let plant = Model::<3>::plant(&Plant::default()).unwrap();
    let mut both = Scene::<3>::new();
    let drape = drape(4, StickSet::Structural);
    both.add("drape", drape).unwrap();
    both.add("plant", plant.clone().shuffled(4)).unwrap();
    let drawing = world(&both).drawing();
    // Without support sticks a plant is a tree, except that each leaf is a loop of 4 sticks.
    let visible = plant.hidden_sticks.iter().filter(|&&hidden| !hidden).count();
    let leaves = plant.faces.len() / 2;
    assert_eq!(visible, plant.particles.len() - 1 + leaves);
    assert_eq!(drawing.hidden_sticks.len(), plant.sticks.len() - visible);
    let first = drawing.models[1].sticks.start as u32;
    assert!(drawing.hidden_sticks.iter().all(|&stick| stick >= first));
    assert!(drawing.hidden_sticks.is_sorted());

    let doll = Model::<2>::ragdoll(&taut_world::Ragdoll::default()).unwrap();
    let visible = doll.hidden_sticks.iter().filter(|&&hidden| !hidden).count();
    assert_eq!(visible, 2 + 4 * 2); // the trunk, the head, and two sticks for each arm and leg
    let drawing = world(&scene("doll", doll)).drawing();
    assert!(drawing.radii.iter().all(|&radius| radius > 0.0));
}

#[cfg(all(feature = "glam", feature = "mint"))]
#[test]
fn matrices_of_glam_and_mint_map_points_as_figures_and_poses_do() {
    use glam::{DMat4, DQuat, DVec3};

    let spin = Spin::about([1.0, 2.0, -0.5], [0.3, 0.2, 0.1], 1.3).unwrap();
    let pole = Capsule::new([[0.1, 0.2, 0.3], [0.5, -0.8, 0.2]], 0.2).unwrap();
    let figure = Solid::new(pole).turning(spin);
    let figure = figure.figure(0.7).unwrap();
    let point = [0.3, -0.7, 1.1];
    let expected = DVec3::from(to_world(&figure, point));
    let by_parts = DMat4::from_rotation_translation(
        DQuat::from_array(figure.rotation),
        DVec3::from(figure.position),
    );
    for matrix in [by_parts, figure.into()] {
        assert!(matrix.transform_point3(point.into()).distance(expected) < 1e-12);
    }
    let columns: [[f64; 4]; 4] = mint::ColumnMatrix4::from(figure).into();
    assert_eq!(columns, figure.matrix());

    let brick =
        Model::rigid_box([0.2, 0.1, 0.3], 900.0).unwrap().turned([1.0, 2.0, 3.0], 0.8).unwrap();
    let pose = brick.bodies.all()[0].pose(&brick.particles);
    let matrix: DMat4 = pose.into();
    assert!(matrix.transform_point3(point.into()).distance(pose.point(point).into()) < 1e-12);
    let columns: [[f64; 4]; 4] = mint::ColumnMatrix4::from(pose).into();
    assert_eq!(columns, matrix.to_cols_array_2d());
}
