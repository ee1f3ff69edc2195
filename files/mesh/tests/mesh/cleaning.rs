//! Welding, degenerate triangles, strays: what is done, and that it is counted.

use taut_mesh::{LoadOptions, Loaded};

use crate::make::{Shape, cube, loaded, patch, read};

/// One vertex for every corner of every face, as exporters write seams.
fn torn(shape: &Shape) -> Shape {
    let mut torn = Shape { positions: Vec::new(), faces: Vec::new() };
    for face in &shape.faces {
        let first = torn.positions.len() as u32;
        torn.positions.extend(face.iter().map(|corner| shape.positions[*corner as usize]));
        torn.faces.push((first..torn.positions.len() as u32).collect());
    }
    torn
}

/// Holds in every report, for every option.
fn assert_balanced(name: &str, loaded: &Loaded) {
    let Loaded { mesh, origin, report } = loaded;
    let dropped = if report.unreferenced_kept { 0 } else { report.unreferenced };
    assert_eq!(report.vertices, mesh.positions.len() + report.welded + dropped, "{name}");
    assert_eq!(report.triangles, mesh.triangles.len() + report.degenerate, "{name}");
    assert!(
        mesh.triangles
            .as_flattened()
            .iter()
            .all(|corner| (*corner as usize) < mesh.positions.len()),
        "{name}"
    );
    assert!(mesh.triangles.iter().all(|[a, b, c]| a != b && b != c && c != a), "{name}");
    // The file's vertices lead to the mesh: each triangle by its corners, and every vertex of the mesh
    // from somewhere.
    assert_eq!(origin.vertices.len(), report.vertices, "{name}");
    assert_eq!(origin.vertices.iter().filter(|it| it.is_none()).count(), dropped, "{name}");
    let corners =
        origin.triangles.iter().map(|it| it.map(|corner| origin.vertices[corner as usize]));
    assert!(corners.eq(mesh.triangles.iter().map(|it| it.map(Some))), "{name}");
    let mut met: Vec<u32> = origin.vertices.iter().copied().flatten().collect();
    met.sort_unstable();
    met.dedup();
    assert_eq!(met.len(), mesh.positions.len(), "{name}");
}

#[test]
fn a_torn_mesh_is_sewn_up_again() {
    for shape in [cube(), patch(6)] {
        for (name, bytes) in torn(&shape).files() {
            let sewn = loaded(name, &bytes);
            assert_eq!(sewn.mesh.positions.len(), shape.positions.len(), "{name}");
            assert_eq!(
                sewn.report.welded,
                torn(&shape).positions.len() - shape.positions.len(),
                "{name}"
            );
            assert_balanced(name, &sewn);
            let as_is =
                read(name, &bytes, &LoadOptions { weld: false, ..LoadOptions::default() }).unwrap();
            assert_eq!(as_is.mesh.positions, torn(&shape).positions, "{name}");
            assert_eq!(as_is.report.welded, 0, "{name}");
        }
    }
}

#[test]
fn the_first_vertex_of_a_place_keeps_its_turn() {
    let obj = b"v 5 0 0\nv 0 0 0\nv 5 -0 0\nv 0 7 0\nv -0.0 0 0\nf 3 2 4\nf 5 4 1\n";
    let loaded = loaded("test.obj", obj);
    assert_eq!(loaded.mesh.positions, [[5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 7.0, 0.0]]);
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [1, 2, 0]]);
    assert_eq!(loaded.report.welded, 2);
}

#[test]
fn close_vertices_are_not_welded() {
    let next = 1.0_f32.next_up();
    let obj = format!("v 0 0 0\nv 1 0 0\nv {next} 0 0\nv 0 1 0\nf 1 2 4\nf 1 3 4");
    assert_eq!(loaded("test.obj", obj.as_bytes()).mesh.positions.len(), 4);
}

#[test]
fn degenerate_triangles_are_dropped_after_welding() {
    // Face 2 names a vertex twice; face 3 only by place; the quad is half degenerate; vertex 6 is
    // left without a triangle by that.
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nv 9 9 9\nf 1 2 3\nf 1 1 3\nf 2 5 6\nf 2 4 3 3\n";
    let loaded = loaded("test.obj", obj);
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
    let report = loaded.report;
    assert_eq!((report.faces, report.triangles, report.degenerate), (4, 5, 3));
    assert_eq!((report.welded, report.unreferenced), (1, 1));
    assert_balanced("default", &loaded);

    let options = LoadOptions { weld: false, ..LoadOptions::default() };
    let as_is = read("test.obj", obj, &options).unwrap();
    assert_eq!((as_is.report.degenerate, as_is.report.unreferenced), (2, 0));
    assert_balanced("without welding", &as_is);
}

#[test]
fn strays_are_dropped_or_kept_and_counted_either_way() {
    for n in 0..4 {
        let mut shape = cube();
        // Before, between and behind the others, so that numbers must shift.
        for at in [8, 3, 0].iter().take(n) {
            shape.positions.insert(*at, [100.0 + *at as f32, 0.0, 0.0]);
            for corner in shape.faces.iter_mut().flatten() {
                *corner += u32::from(*corner >= *at as u32);
            }
        }
        for (name, bytes) in shape.files() {
            let clean = loaded(name, &bytes);
            assert_eq!(clean.mesh.positions, cube().positions, "{name}");
            assert_eq!(clean.mesh.triangles, cube().triangles(), "{name}");
            assert_eq!(clean.report.unreferenced, n, "{name}");
            assert_balanced(name, &clean);
            let options = LoadOptions { keep_unreferenced: true, ..LoadOptions::default() };
            let kept = read(name, &bytes, &options).unwrap();
            assert_eq!(kept.mesh.positions, shape.positions, "{name}");
            assert_eq!(
                (kept.report.unreferenced, kept.report.unreferenced_kept),
                (n, true),
                "{name}"
            );
            assert_balanced(name, &kept);
        }
    }
}

#[test]
fn the_report_is_one_line() {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nv 9 9 9\nf 1 2 3\nf 1 1 3\nf 5 4 3 3\nl 1 2\nhello";
    assert_eq!(
        loaded("test.obj", obj).report.to_string(),
        "OBJ: 6 vertices, 3 faces, 4 triangles; 1 vertex welded; 2 degenerate triangles dropped; \
         1 unreferenced vertex dropped; 1 item that is no face passed over; 1 unknown line passed over"
    );
    assert_eq!(
        loaded("cube.ply", &cube().ply_ascii()).report.to_string(),
        "PLY: 8 vertices, 6 faces, 12 triangles"
    );
}
