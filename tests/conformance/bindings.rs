//! Worlds of either dimension as one type, which programs and bindings use; and the hashes that programs in all languages
//! must print: `bindings/hashes.txt`.

use taut::world::{AnyScene, LibraryScene, Simulation, World, resize_vector};
use taut::{AnyWorld, AnyWorldError, KernelChoice, KernelName, MeshCloth};

/// Rows of `example NAME HASH` or `library SCENE SIZE STEPS HASH`.
const TABLE: &str = include_str!("../../bindings/hashes.txt");

/// The simulation of `bindings/c/examples/falling_sheet.c`.
fn falling_sheet(kernels: &KernelChoice) -> Result<AnyWorld, AnyWorldError> {
    const SIDE: u32 = 17;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..SIDE {
        for column in 0..SIDE {
            positions.push([0.0625 * column as f32, 0.0, 0.0625 * row as f32]);
            if row + 1 < SIDE && column + 1 < SIDE {
                let a = SIDE * row + column;
                let [b, c, d] = [a + 1, a + SIDE, a + SIDE + 1];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    let mut world = AnyWorld::from_mesh(&positions, &triangles, &MeshCloth::default(), kernels)?;
    world.pin(0)?;
    world.pin(SIDE as usize - 1)?;
    assert!(world.step(120)?.finite);
    Ok(world)
}

/// The simulation of `bindings/c/examples/torn_flag.cpp`, without the restart from a snapshot.
fn torn_flag(kernels: &KernelChoice) -> Result<AnyWorld, AnyWorldError> {
    let mut world = AnyWorld::from_library("flag", Some(24), kernels)?;
    world.set_wind(Some([6.0, 0.0, 2.0]))?;
    assert!(world.step(90)?.finite);
    let triangles = world.triangles().count();
    let blade = |y| [[-0.3, y, -5.0], [-0.3, y, 5.0]];
    let torn = world.cut(blade(0.1), blade(5.0));
    assert!(torn > 0 && world.triangles().count() < triangles);
    assert!(world.step(60)?.finite);
    Ok(world)
}

/// The final world of a row of the table without its hash.
fn simulated(row: &[&str], kernels: &KernelChoice) -> Result<AnyWorld, AnyWorldError> {
    match *row {
        ["example", "falling-sheet"] => falling_sheet(kernels),
        ["example", "torn-flag"] => torn_flag(kernels),
        ["library", name, size, steps] => {
            let mut world = AnyWorld::from_library(name, size.parse().ok(), kernels)?;
            assert!(world.step(steps.parse().unwrap())?.finite, "{row:?}");
            Ok(world)
        }
        _ => panic!("{row:?}: unknown row"),
    }
}

#[test]
fn the_hashes_of_all_languages_are_those_of_rust() {
    let scalar = KernelChoice { kernel: Some(KernelName::Scalar), ..KernelChoice::default() };
    let two_threads = KernelChoice { threads: 2, ..KernelChoice::default() };
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in rows {
        let mut row: Vec<&str> = line.split_whitespace().collect();
        let expected = row.pop().unwrap();
        for kernels in [&KernelChoice::default(), &scalar, &two_threads] {
            let hash = format!("{:016x}", simulated(&row, kernels).unwrap().hash());
            if hash != expected {
                wrong.push(format!("{line}: {hash} on {kernels:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_restored_world_draws_only_sticks_and_triangles_that_are_not_removed() {
    let kernels = KernelChoice::default();
    let mut world = AnyWorld::from_library("curtain", Some(16), &kernels).unwrap();
    assert!(world.step(5).unwrap().finite);
    let whole = world.snapshot_json();
    let [triangles, lines] = [world.triangles().count(), world.lines().count()];
    let version = world.drawing_version();
    assert!(world.tear(40).unwrap() && !world.tear(40).unwrap());
    assert_eq!(world.stick(40).unwrap(), None);
    assert!(world.drawing_version() > version && world.lines().count() == lines - 1);
    assert!(world.triangles().count() < triangles);
    let torn = world.snapshot_json();
    for (snapshot, missing) in [(&whole, 0), (&torn, 1)] {
        world.restore_json(snapshot).unwrap();
        assert_eq!(world.lines().count(), lines - missing);
        assert_eq!(world.stick(40).unwrap().is_none(), missing == 1);
    }
    let error = world.restore_json(b"{}").unwrap_err();
    assert!(error.to_string().starts_with("not a snapshot: missing field"), "{error}");
}

#[test]
fn points_of_a_plane_have_a_third_coordinate_of_zero() {
    let text = r#"
        dimensions = 2
        [[model]]
        name = "rope"
        rope = { path = [[0.0, 0.0], [1.0, 0.0]] }
    "#;
    let scene = AnyScene::from_toml(text).unwrap();
    let mut world = AnyWorld::new(scene, &KernelChoice::default()).unwrap();
    assert_eq!((world.dimensions(), world.triangles().count()), (2, 0));
    world.set_position(0, [0.0, 0.5, 7.0]).unwrap();
    assert_eq!(world.position(0).unwrap(), [0.0, 0.5, 0.0]);
    let mut coordinates = vec![1.0; 3 * world.vertices()];
    world.copy_positions(&mut coordinates).unwrap();
    assert!(coordinates.as_chunks::<3>().0.iter().all(|[_, _, z]| *z == 0.0));
    world.copy_normals(&mut coordinates).unwrap();
    assert_eq!(coordinates[..3], [0.0, 0.0, 1.0]);
    let error = world.copy_normals(&mut coordinates[1..]).unwrap_err();
    assert!(matches!(error, AnyWorldError::Length { what: "normals", .. }), "{error}");
    assert!(matches!(world.set_wind(None), Err(AnyWorldError::WindInPlane)));
    let error = world.set_wind(Some([0.0, f32::NAN, 0.0])).unwrap_err();
    assert!(matches!(error, AnyWorldError::Wind { component } if component.is_nan()), "{error}");
    assert_eq!(world.settings().step.acceleration, [0.0, -9.81, 0.0]);
    assert!(world.position(99_999).unwrap_err().to_string().contains("99999"));
}

/// Checks that `any` reports what the world in it reports.
fn check_reports<const D: usize>(any: &AnyWorld, world: &World<D>, name: &str)
where
    World<D>: Simulation<D>,
{
    let [of_any, of_world] =
        [any.diagnostics().unwrap().stretch, world.diagnostics().unwrap().stretch];
    assert_eq!(of_any, of_world, "{name}");
    let momentum = resize_vector(world.diagnostics().unwrap().momentum);
    assert_eq!(any.diagnostics().unwrap().momentum, momentum, "{name}");
    assert_eq!(any.contacts(), world.contacts(), "{name}");
    assert_eq!(any.removed(), world.removed(), "{name}");
    assert_eq!(any.hidden_particles(), world.hidden_particles().collect::<Vec<_>>(), "{name}");
    let ties: Vec<_> = any.ties().iter().map(|tie| tie.ends).collect();
    let ends = world.ties().map(|tie| tie.ends.map(resize_vector));
    assert_eq!(ties, ends.collect::<Vec<_>>(), "{name}");
    let figures = any.obstacles();
    assert_eq!(figures.len(), world.obstacles().len(), "{name}");
    for (figure, obstacle) in figures.iter().zip(world.obstacles()) {
        let expected = obstacle.figure(world.time());
        let pose = figure.map(|figure| (figure.position, figure.rotation));
        let expected = expected.map(|figure| (resize_vector(figure.position), figure.rotation));
        assert_eq!(pose, expected, "{name}");
    }
}

/// Checks that the vertices and triangles of a model's bodies are those of the model.
fn check_bodies(world: &AnyWorld, name: &str) {
    let drawing = world.drawing();
    for model in &drawing.models {
        let Some(last) = model.bodies.last() else { continue };
        let mut vertex = model.mesh_vertices.start;
        for body in &model.bodies {
            assert_eq!(body.vertices.start, vertex, "{name}");
            vertex = body.vertices.end;
            let corners = drawing.triangles[body.triangles.clone()].as_flattened();
            assert!(corners.iter().all(|&it| body.vertices.contains(&(it as usize))), "{name}");
            let mut particles = body.particles.iter();
            assert!(particles.all(|&it| model.particles.contains(&(it as usize))), "{name}");
        }
        let ends = (model.mesh_vertices.end, model.triangles.end);
        assert_eq!((vertex, last.triangles.end), ends, "{name}");
    }
}

#[test]
fn worlds_of_either_dimension_report_the_same_as_the_worlds_in_them() {
    let kernels = KernelChoice::default();
    for listed in LibraryScene::ALL {
        let mut world = AnyWorld::from_library(listed.name, None, &kernels).unwrap();
        assert!(world.step(8).unwrap().finite);
        for stick in (0..world.drawing().sticks.len()).step_by(7) {
            world.tear(stick).unwrap();
        }
        if let Some(world_2d) = world.two_d() {
            check_reports(&world, world_2d, listed.name);
        }
        if let Some(world_3d) = world.three_d() {
            check_reports(&world, world_3d, listed.name);
        }
        check_bodies(&world, listed.name);

        let scene = listed.scene(listed.size).unwrap();
        let kernels = kernels.find().unwrap();
        let mut resumed =
            AnyWorld::resume(scene.clone(), kernels.clone(), &world.snapshot()).unwrap();
        assert_eq!(resumed.drawing(), world.drawing(), "{}", listed.name);
        let mut carried = AnyWorld::with_kernels(scene, kernels.clone()).unwrap();
        assert_eq!(carried.carry_over(&world), carried.drawing().models.len(), "{}", listed.name);
        world.replan(world.formula(), kernels).unwrap();
        let started = AnyWorld::from_library(listed.name, None, &KernelChoice::default()).unwrap();
        for world in [&mut world, &mut resumed, &mut carried] {
            assert!(world.step(2).unwrap().finite);
        }
        assert_eq!(resumed.hash(), world.hash(), "{}", listed.name);
        assert_eq!(carried.hash(), world.hash(), "{}", listed.name);
        assert!(resumed.has_same_positions(&world) && !resumed.has_same_positions(&started));
    }
}

#[test]
fn all_packages_have_the_same_version() {
    let version = |line: &str| line.rsplit('"').nth(1).map(str::to_owned);
    let manifests = [
        ("Cargo.toml", include_str!("../../Cargo.toml")),
        ("bindings/bevy/Cargo.toml", include_str!("../../bindings/bevy/Cargo.toml")),
        ("bindings/c/Cargo.toml", include_str!("../../bindings/c/Cargo.toml")),
        ("bindings/js/Cargo.toml", include_str!("../../bindings/js/Cargo.toml")),
        ("bindings/js/package.json", include_str!("../../bindings/js/package.json")),
        ("bindings/python/Cargo.toml", include_str!("../../bindings/python/Cargo.toml")),
    ];
    for (name, text) in manifests {
        let mut lines = text.lines().map(str::trim_start);
        let line =
            lines.find(|line| line.starts_with("version = ") || line.starts_with("\"version\":"));
        assert_eq!(line.and_then(version).as_deref(), Some(env!("CARGO_PKG_VERSION")), "{name}");
    }
    // Crates of the workspace are published with the version that they require of each other.
    let own =
        manifests[0].1.lines().filter(|line| line.starts_with("taut") && line.contains("path = "));
    for line in own {
        let required = line.split_once("version = \"").and_then(|(_, rest)| rest.split('"').next());
        assert_eq!(required, Some(env!("CARGO_PKG_VERSION")), "{line}");
    }
}
