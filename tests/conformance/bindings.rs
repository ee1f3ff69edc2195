//! The hashes that programs in all languages must print: `bindings/hashes.txt`.

use taut::world::AnyScene;
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
