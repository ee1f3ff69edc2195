//! `taut simulate`: exported files and pictures.

use gltf::Gltf;

use crate::run::{Folder, taut};

/// The little-endian `u32` at a byte offset, as `usize`.
fn u32_at(bytes: &[u8], offset: usize) -> usize {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap()) as usize
}

/// The samples of a PC2 point cache: the positions of all points at each time. Its header has 32
/// bytes: the number of points is at byte 16, the number of samples at byte 28.
fn samples(cache: &[u8]) -> Vec<Vec<[f32; 3]>> {
    assert!(cache.starts_with(b"POINTCACHE2\0"));
    let points: Vec<[f32; 3]> = cache[32..]
        .chunks_exact(12)
        .map(|point| {
            [0, 4, 8].map(|start| f32::from_le_bytes(point[start..start + 4].try_into().unwrap()))
        })
        .collect();
    let samples: Vec<_> = points.chunks_exact(u32_at(cache, 16)).map(<[_]>::to_vec).collect();
    assert_eq!(samples.len(), u32_at(cache, 28));
    samples
}

#[test]
fn one_run_writes_all_formats_with_the_same_positions() {
    let folder = Folder::new();
    folder.make_folder("out");
    let files =
        "--out a.glb --out a.pc2 --out out/%02d.obj --out a.ply --positions a.csv --every 3";
    let pictures = "--png a.png --apng a.apng --gif a.gif --width 80 --height 60";
    let output = folder
        .taut(&format!("simulate mosegaard --size 8 --seconds 0.2 --fps 20 {files} {pictures}"));
    output.assert_success();

    let cache = samples(&folder.bytes("a.pc2"));
    assert_eq!(cache.len(), 5, "samples at 0, 3, 6, 9 and 12 of 12 steps");
    let positions = folder.read("a.csv");
    let rows: Vec<[f32; 3]> = positions
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            [3, 4, 5].map(|cell| cells[cell].parse().unwrap())
        })
        .collect();
    let particles = rows.len() / 5; // 5 recorded frames
    // A sample lists the particles first, and then the points of the obstacle, a ball.
    for (sample, expected) in cache.iter().zip(rows.chunks_exact(particles)) {
        assert_eq!(&sample[..particles], expected, "expected the bits of the CSV file");
    }
    let obj = folder.read("out/04.obj");
    let [x, y, z] = cache[4][particles - 1];
    let line = obj.lines().filter(|line| line.starts_with("v ")).nth(particles - 1);
    assert_eq!(line, Some(&*format!("v {x} {y} {z}")));

    let glb = Gltf::from_slice(&folder.bytes("a.glb")).unwrap();
    let cloth = glb.meshes().last().unwrap();
    // The first sample is the base mesh; each of the other four is a morph target.
    assert_eq!(cloth.primitives().next().unwrap().morph_targets().len(), 4);
    assert_eq!(
        glb.animations().next().unwrap().channels().count(),
        3,
        "weights of the cloth, translation and rotation of the ball"
    );
    assert!(folder.bytes("a.ply").starts_with(b"ply\nformat binary_little_endian 1.0\n"));
    for (name, start) in [("a.png", &b"\x89PNG"[..]), ("a.apng", b"\x89PNG"), ("a.gif", b"GIF89a")]
    {
        assert!(folder.bytes(name).starts_with(start), "{name}");
    }
}

#[test]
fn exports_of_a_welded_mesh_have_the_vertex_numbering_of_its_file() {
    // Two squares with a duplicated common edge, and a vertex without a face.
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\n\
               v 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nf 1 2 3 4\nf 6 7 8 9\n";
    let folder = Folder::with_files(&[("bag.obj", obj.as_bytes().to_vec())]);
    folder
        .taut("simulate --mesh bag.obj --keep-scale --frames 12 --fps 30 --out a.pc2 --out a.obj")
        .assert_success();
    let output = folder.taut("simulate --mesh bag.obj --frames 1").assert_success().out;
    assert!(output.contains("scaled by"), "{output}");
    let samples = samples(&folder.bytes("a.pc2"));
    for sample in &samples {
        assert_eq!(sample.len(), 9);
        assert_eq!((sample[1], sample[2]), (sample[5], sample[8]), "the common edge separates");
    }
    assert_ne!(samples[0], samples[6], "the mesh does not move");
    let faces: Vec<String> = folder
        .read("a.obj")
        .lines()
        .filter(|line| line.starts_with("f "))
        .map(str::to_owned)
        .collect();
    assert_eq!(faces, ["f 1 2 3", "f 1 3 4", "f 6 7 8", "f 6 8 9"]);
}

#[test]
fn every_scene_can_be_drawn_and_exported() {
    let folder = Folder::new();
    let list = taut("simulate --list").assert_success().out;
    let scenes = list.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let mut drawn = 0;
    // Names of scenes have lower-case letters, hyphens and the digit 3; the other lines are rules of
    // `─`.
    for scene in
        scenes.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || "-3".contains(c)))
    {
        let output = folder.taut(&format!(
            "simulate {scene} --size 4 --frames 30 --fps 2 --png %d.png --out a.glb --width 64 \
             --height 48"
        ));
        output.assert_success();
        Gltf::from_slice(&folder.bytes("a.glb")).unwrap_or_else(|error| panic!("{scene}: {error}"));
        assert_ne!(folder.bytes("0.png"), folder.bytes("1.png"), "{scene} does not move");
        drawn += 1;
    }
    assert!(drawn >= 15, "only {drawn} scenes were drawn, expected at least 15");
}

#[test]
fn rigid_bodies_without_a_mesh_are_not_drawn() {
    let inertia = "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]";
    let spindle =
        format!("rigid = {{ mass = 1.0, centre = [0.0, 0.0, 0.0], inertia = {inertia} }}");
    let brick = "rigid_box = { size = [0.2, 0.1, 0.1], density = 500.0 }";
    let both =
        format!("[[model]]\nname = \"spindle\"\n{spindle}\n[[model]]\nname = \"brick\"\n{brick}\n");
    let folder = Folder::with_files(&[("both.toml", both.into_bytes())]);
    folder.taut("simulate both.toml --frames 3 --out a.glb").assert_success();
    let glb = Gltf::from_slice(&folder.bytes("a.glb")).unwrap();
    assert_eq!(glb.meshes().count(), 1, "that of the brick");
    assert!(glb.accessors().all(|accessor| accessor.count() > 0));
}

#[test]
fn invalid_outputs_are_rejected_before_the_simulation() {
    let simulate =
        |arguments: &str| taut(&format!("simulate drape --size 4 --frames 5 {arguments}"));
    simulate("--out cloth.fbx").assert_error(&["cloth.fbx", ".glb, .obj, .ply, .pc2"]);
    simulate("--out a.obj --out a.obj").assert_error(&["a.obj", "two output files"]);
    simulate("--out a.ply --positions a.ply").assert_error(&["a.ply", "two output files"]);
    let folder = Folder::with_files(&[("kept.pc2", b"kept".into())]);
    folder
        .taut("simulate drape --size 4 --frames 5 --out kept.pc2 --gif cloth.fbx")
        .assert_error(&["cloth.fbx", ".gif"]);
    assert_eq!(
        folder.bytes("kept.pc2"),
        b"kept",
        "an output file was overwritten although another name is invalid"
    );
    // Each request is valid but the last one.
    for (files, invalid) in [
        ("--out kept.pc2 --out kept.obj", "--gif fast.gif --fps 60"),
        ("--out kept.pc2 --png kept.png", "--out long.glb --seconds 90000"),
    ] {
        let names = ["kept.pc2", "kept.obj", "kept.png"];
        let folder = Folder::with_files(&names.map(|name| (name, b"kept".into())));
        folder
            .taut(&format!("simulate drape --size 4 {files} {invalid}"))
            .assert_error(&[invalid.split(' ').nth(1).unwrap()]);
        assert!(names.iter().all(|name| folder.bytes(name) == b"kept"), "{files} {invalid}");
    }
    simulate("--out no/cloth.glb").assert_error(&["no/cloth.glb", "there is no folder no"]);
    simulate("--gif cloth.png").assert_error(&["cloth.png", ".gif"]);
    simulate("--png %x.png").assert_error(&["%x.png", "%04d"]);
    simulate("--png a.png --fps 61").assert_error(&["--fps 61", "60 steps per second"]);
    simulate("--png a.png --camera 1").assert_usage_error(&["--camera", "AZIMUTH"]);
    taut("simulate curtain --seconds 9000 --out a.glb").assert_error(&[
        "a.glb",
        "GB",
        "reduce the frame rate",
    ]);
}

#[test]
fn ties_are_drawn_as_lines_until_they_break() {
    let scene = |breaking_force: f64| {
        let text = format!(
            r#"
            [[model]]
            name = "hook"
            particles = {{ positions = [[0.0, 2.0, 0.0]], masses = [1.0] }}
            groups = {{ all = [0] }}
            pinned = ["all"]
            [[model]]
            name = "stone"
            particles = {{ positions = [[0.0, 1.0, 0.0]], masses = [1.0] }}
            [[tie]]
            from = {{ model = "hook", particle = 0 }}
            to = {{ model = "stone", particle = 0 }}
            distance = 1.0
            breaking_force = {breaking_force:?}
            "#
        );
        text.into_bytes()
    };
    for (breaking_force, lines) in [(100.0, 1), (5.0, 0)] {
        let folder = Folder::with_files(&[("stone.toml", scene(breaking_force))]);
        let files = "--out stone.obj --out stone.ply --out stone.glb --png stone.png --width 80 \
                     --height 60";
        folder.taut(&format!("simulate stone.toml --seconds 0.2 {files}")).assert_success();
        let obj = folder.read("stone.obj");
        assert_eq!(obj.lines().filter(|line| line.starts_with("l ")).count(), lines, "{obj}");
        let glb = Gltf::from_slice(&folder.bytes("stone.glb")).unwrap();
        // A tie is a cylinder along y, which its node scales by the radius and the length.
        let is_tie = |node: &gltf::Node<'_>| {
            let (_, _, [radius, length, _]) = node.transform().decomposed();
            radius > 0.0 && length > 2.0 * radius
        };
        // A broken tie has a node, too; the animation hides it.
        assert_eq!(glb.nodes().filter(is_tie).count(), 1);
    }
}
