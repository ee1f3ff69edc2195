//! Welding, degenerate triangles and unreferenced vertices: how they are handled and counted.

use taut_mesh::{LoadOptions, Loaded};

use crate::shapes::{Shape, cube, loaded, patch, read};

/// The shape with a separate vertex for each corner of each face, as exporters split vertices along
/// seams of textures and normals.
fn split(shape: &Shape) -> Shape {
    let mut split = Shape { positions: Vec::new(), faces: Vec::new() };
    for face in &shape.faces {
        let first = split.positions.len() as u32;
        split.positions.extend(face.iter().map(|corner| shape.positions[*corner as usize]));
        split.faces.push((first..split.positions.len() as u32).collect());
    }
    split
}

/// Asserts that the mesh, the vertex map and the report match, for any file and options.
fn assert_consistent(name: &str, loaded: &Loaded) {
    let Loaded { mesh, vertex_map, report } = loaded;
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
    // The vertex map maps the corners of each triangle of the file to its corners in the mesh, and
    // each vertex of the mesh is the image of a vertex of the file.
    assert_eq!(vertex_map.vertices.len(), report.vertices, "{name}");
    assert_eq!(vertex_map.vertices.iter().filter(|it| it.is_none()).count(), dropped, "{name}");
    let corners =
        vertex_map.triangles.iter().map(|it| it.map(|corner| vertex_map.vertices[corner as usize]));
    assert!(corners.eq(mesh.triangles.iter().map(|it| it.map(Some))), "{name}");
    let mut reached: Vec<u32> = vertex_map.vertices.iter().copied().flatten().collect();
    reached.sort_unstable();
    reached.dedup();
    assert_eq!(reached.len(), mesh.positions.len(), "{name}");
}

#[test]
fn a_split_mesh_is_welded() {
    for shape in [cube(), patch(6)] {
        for (name, bytes) in split(&shape).files() {
            let welded = loaded(name, &bytes);
            assert_eq!(welded.mesh.positions.len(), shape.positions.len(), "{name}");
            assert_eq!(
                welded.report.welded,
                split(&shape).positions.len() - shape.positions.len(),
                "{name}"
            );
            assert_consistent(name, &welded);
            let unwelded =
                read(name, &bytes, &LoadOptions { weld: false, ..LoadOptions::default() }).unwrap();
            assert_eq!(unwelded.mesh.positions, split(&shape).positions, "{name}");
            assert_eq!(unwelded.report.welded, 0, "{name}");
        }
    }
}

#[test]
fn welding_keeps_the_first_vertex_at_a_position_and_the_order() {
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
    // Face 2 has the same vertex twice; face 3 has two vertices at the same position; one half of
    // the quad is degenerate. That leaves vertex 6 without a triangle.
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nv 9 9 9\n\
        f 1 2 3\nf 1 1 3\nf 2 5 6\nf 2 4 3 3\n";
    let loaded = loaded("test.obj", obj);
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
    let report = loaded.report;
    assert_eq!((report.faces, report.triangles, report.degenerate), (4, 5, 3));
    assert_eq!((report.welded, report.unreferenced), (1, 1));
    assert_consistent("default", &loaded);

    let options = LoadOptions { weld: false, ..LoadOptions::default() };
    let unwelded = read("test.obj", obj, &options).unwrap();
    assert_eq!((unwelded.report.degenerate, unwelded.report.unreferenced), (2, 0));
    assert_consistent("without welding", &unwelded);
}

#[test]
fn unreferenced_vertices_are_counted_whether_dropped_or_kept() {
    for n in 0..4 {
        let mut shape = cube();
        // After, between and before the used vertices, so that some of these must be renumbered.
        for at in [8, 3, 0].iter().take(n) {
            shape.positions.insert(*at, [100.0 + *at as f32, 0.0, 0.0]);
            for corner in shape.faces.iter_mut().flatten() {
                *corner += u32::from(*corner >= *at as u32);
            }
        }
        for (name, bytes) in shape.files() {
            let dropped = loaded(name, &bytes);
            assert_eq!(dropped.mesh.positions, cube().positions, "{name}");
            assert_eq!(dropped.mesh.triangles, cube().triangles(), "{name}");
            assert_eq!(dropped.report.unreferenced, n, "{name}");
            assert_consistent(name, &dropped);
            let options = LoadOptions { keep_unreferenced: true, ..LoadOptions::default() };
            let kept = read(name, &bytes, &options).unwrap();
            assert_eq!(kept.mesh.positions, shape.positions, "{name}");
            assert_eq!(
                (kept.report.unreferenced, kept.report.unreferenced_kept),
                (n, true),
                "{name}"
            );
            assert_consistent(name, &kept);
        }
    }
}

#[test]
fn the_report_is_one_line() {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nv 9 9 9\n\
        f 1 2 3\nf 1 1 3\nf 5 4 3 3\nl 1 2\nhello";
    assert_eq!(
        loaded("test.obj", obj).report.to_string(),
        "OBJ: 6 vertices, 3 faces, 4 triangles; 1 vertex welded; 2 degenerate triangles dropped; \
         1 unreferenced vertex dropped; 1 item that is not a face skipped; 1 unknown line skipped"
    );
    assert_eq!(
        loaded("cube.ply", &cube().ply_ascii()).report.to_string(),
        "PLY: 8 vertices, 6 faces, 12 triangles"
    );
}
