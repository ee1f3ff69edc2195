//! The features of each format, and that all formats give the same mesh.

use std::fs;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use taut_mesh::{Format, LoadOptions, TriangleMesh, load, read_gltf};

use crate::shapes::{Shape, cube, data_uri, glb, loaded, patch};

#[test]
fn every_format_gives_the_same_mesh() {
    for shape in [cube(), patch(9)] {
        let expected =
            TriangleMesh { positions: shape.positions.clone(), triangles: shape.triangles() };
        for (name, bytes) in shape.files() {
            let loaded = loaded(name, &bytes);
            assert_eq!(loaded.mesh, expected, "{name}");
            let report = loaded.report;
            assert_eq!(report.vertices, expected.positions.len(), "{name}");
            assert_eq!(report.triangles, expected.triangles.len(), "{name}");
            let faces = if report.format == Format::Gltf {
                expected.triangles.len()
            } else {
                shape.faces.len()
            };
            assert_eq!(report.faces, faces, "{name}");
            assert_eq!([report.welded, report.degenerate, report.unreferenced], [0; 3], "{name}");
        }
    }
}

#[test]
fn the_name_and_the_first_bytes_decide_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let cube = cube();
    let assert_format = |name: &str, bytes: &[u8], format: Format| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        assert_eq!((loaded.report.format, loaded.mesh.triangles.len()), (format, 12), "{name}");
    };
    assert_format("cube.obj", &cube.obj(), Format::Obj);
    assert_format("CUBE.OBJ", &cube.obj(), Format::Obj);
    assert_format("cube.Ply", &cube.ply_binary(true), Format::Ply);
    assert_format("cube.glb", &cube.glb(), Format::Gltf);
    assert_format("cube.gltf", &cube.gltf(), Format::Gltf);
    // The start of PLY or of binary glTF takes precedence over the extension.
    assert_format("ply.obj", &cube.ply_ascii(), Format::Ply);
    assert_format("binary.gltf", &cube.glb(), Format::Gltf);
    assert_format("json.glb", &cube.gltf(), Format::Gltf);
    assert_format("no-extension", &cube.ply_ascii(), Format::Ply);
    assert_format("json.unknown", &cube.gltf(), Format::Gltf);
}

#[test]
fn polygons_become_fans() {
    let obj = b"v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 2 0\nv -1 1 0\nf 1 2 3 4 5\n";
    let loaded = loaded("pentagon.obj", obj);
    assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!((loaded.report.faces, loaded.report.triangles), (1, 3));
}

#[test]
fn minus_zero_becomes_zero() {
    let shape = Shape {
        positions: vec![[-0.0, 0.0, -0.0], [1.0, -0.0, 0.0], [0.0, 1.0, 0.0]],
        faces: vec![vec![0, 1, 2]],
    };
    for (name, bytes) in shape.files() {
        let mesh = loaded(name, &bytes).mesh;
        assert!(mesh.positions.as_flattened().iter().all(|x| x.is_sign_positive()), "{name}");
    }
}

mod obj {
    use super::*;

    /// Loads three vertices, then `lines`.
    fn load_triangle_and(lines: &str) -> taut_mesh::Loaded {
        loaded("test.obj", format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{lines}\n").as_bytes())
    }

    #[test]
    fn corners_may_be_relative_and_have_texture_and_normal() {
        for face in [
            "f 1 2 3",
            "f -3 -2 -1",
            "f 1/1 2/2 3/3",
            "f 1//4 2//5 3//6",
            "f 1/1/1 -2/2/2 3/3/3",
            "fo 1 2 3", // an obsolete keyword, read as `f`
        ] {
            assert_eq!(load_triangle_and(face).mesh.triangles, [[0, 1, 2]], "{face}");
        }
    }

    #[test]
    fn lines_may_be_continued_indented_and_have_comments() {
        for face in [
            "f 1 2 \\\n 3",
            "f 1 \\\r\n2\\\r\n 3\r",
            "\t f 1 2 3 # not 4",
            "f 1 2 3\n#f 1 2 9",
            "f 1 2 3 \\",
            "# C:\\\nf 1 2 3", // a backslash at the end of a comment
            "f 1 \\\n 2 3 # not 4 \\\nf 1 2",
        ] {
            assert_eq!(load_triangle_and(face).mesh.triangles, [[0, 1, 2]], "{face}");
        }
    }

    #[test]
    fn a_face_may_come_before_its_vertices() {
        let loaded = loaded("test.obj", b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0");
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn weights_divide_coordinates_and_colours_are_ignored() {
        let lines = "v 2 4 6 2\nv 1 2 4 0.5 0.5 0.5\nv 1 2 5 1 0.5 0.5 0.5\nf 4 5 6";
        assert_eq!(
            load_triangle_and(lines).mesh.positions,
            [[1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [1.0, 2.0, 5.0]]
        );
    }

    #[test]
    fn items_that_are_not_faces_are_counted() {
        let report = load_triangle_and(
            "f 1 2 3\np 1 2\nl 1 2 3\nf 1 2\nf\ncurv 0 1 1 2\nmagic 1\n\nvt 0 0\ng a b\ns off",
        )
        .report;
        assert_eq!(
            (report.faces, report.triangles, report.not_faces, report.unknown_lines),
            (1, 1, 5, 1)
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_a_keyword() {
        let loaded = loaded("test.obj", "\u{feff}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3".as_bytes());
        assert_eq!((loaded.report.vertices, loaded.report.unknown_lines), (3, 0));
    }

    #[test]
    fn names_may_be_in_any_encoding() {
        let bytes = b"g Gr\xfc\xdfe\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        assert_eq!(loaded("test.obj", bytes).mesh.triangles.len(), 1);
    }

    #[test]
    fn tobj_reads_the_same_mesh() {
        let bytes = patch(7).obj();
        let ours = loaded("patch.obj", &bytes).mesh;
        let options =
            tobj::LoadOptions { triangulate: true, single_index: true, ..Default::default() };
        let no_materials = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
        let (models, _) = tobj::load_obj_buf(&mut &bytes[..], &options, no_materials).unwrap();
        let [model] = &models[..] else { panic!("one model expected") };
        let position =
            |corner: &u32| -> [f32; 3] { model.mesh.positions.as_chunks().0[*corner as usize] };
        let theirs: Vec<_> = model.mesh.indices.iter().map(position).collect();
        let ours: Vec<_> = ours
            .triangles
            .as_flattened()
            .iter()
            .map(|corner| ours.positions[*corner as usize])
            .collect();
        assert_eq!(ours, theirs);
    }
}

mod ply {
    use super::*;

    #[test]
    fn properties_may_be_of_any_type_and_order() {
        let text = "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info none\r\n\
            element camera 1\r\nproperty float view\r\nproperty list uint8 double lens\r\n\
            element vertex 3\r\nproperty uchar red\r\n\
            property double z\r\nproperty int8 y\r\nproperty float32 x\r\n\
            element face 1\r\nproperty uchar flag\r\nproperty list uint16 uint32 vertex_index\r\n\
            property list uchar float texcoord\r\nend_header\r\n\
            1.5 2 .5 5.\r\n255 3. 2 .1e1\r\n\r\n0 0.5 0 -1\r\n7 0 1 +2.5\r\n\
            0 3 2 1 0 2 0.1 0.2\r\n\r\n";
        let mesh = loaded("test.ply", text.as_bytes()).mesh;
        assert_eq!(mesh.positions, [[1.0, 2.0, 3.0], [-1.0, 0.0, 0.5], [2.5, 1.0, 0.0]]);
        assert_eq!(mesh.triangles, [[2, 1, 0]]);
    }

    #[test]
    fn binary_rows_are_as_long_as_the_header_says() {
        let header = "ply\nformat binary_little_endian 1.0\ncomment Gr\u{f6}\u{df}e\n\
            element edge 2\nproperty short a\nproperty list char ushort more\n\
            element vertex 3\nproperty double x\nproperty ushort y\nproperty float z\n\
            property uchar red\n\
            element face 1\nproperty list ushort uchar vertex_indices\nend_header\n";
        // The comment is in Latin-1, as in old files.
        let mut bytes: Vec<u8> = header.chars().map(|c| c as u8).collect();
        bytes.extend([1, 0, 2, 9, 9, 9, 9, 1, 0, 0]);
        for n in 0..3_u8 {
            bytes.extend(f64::from(n).to_le_bytes());
            bytes.extend(u16::from(n * n).to_le_bytes());
            bytes.extend(0.5_f32.to_le_bytes());
            bytes.push(200);
        }
        bytes.extend([3, 0, 2, 1, 0]);
        let mesh = loaded("test.ply", &bytes).mesh;
        assert_eq!(mesh.positions, [[0.0, 0.0, 0.5], [1.0, 1.0, 0.5], [2.0, 4.0, 0.5]]);
        assert_eq!(mesh.triangles, [[2, 1, 0]]);
    }

    #[test]
    fn faces_may_come_first_and_have_few_corners() {
        let text = "ply\nformat ascii 1.0\n\
            element face 3\nproperty list uchar int vertex_indices\n\
            element vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n\
            2 0 1\n0\n3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n";
        let loaded = loaded("test.ply", text.as_bytes());
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2]]);
        assert_eq!((loaded.report.faces, loaded.report.not_faces), (1, 2));
    }
}

mod gltf {
    use super::*;

    /// Loads a right triangle in a document with the JSON properties `nodes` (`"nodes": [...]`) and
    /// `scenes` (`"scenes": [...],`, or an empty string).
    fn load_with(nodes: &str, scenes: &str) -> taut_mesh::Loaded {
        let json = right_triangle().gltf_json("").replace(r#""nodes": [{"mesh": 0}]"#, nodes);
        let json = json.replace(r#""scenes": [{"nodes": [0]}],"#, scenes);
        loaded("test.glb", &glb(&json, &right_triangle().gltf_buffer()))
    }

    fn right_triangle() -> Shape {
        Shape {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            faces: vec![vec![0, 1, 2]],
        }
    }

    const ONE_SCENE: &str = r#""scenes": [{"nodes": [0]}],"#;

    #[test]
    fn nodes_transform_their_meshes() {
        let half = 0.5_f32.sqrt();
        let nodes = format!(
            r#""nodes": [{{"children": [1], "translation": [10, 0, 0]}},
            {{"mesh": 0, "rotation": [0, 0, {half}, {half}], "scale": [2, 1, 1]}}]"#
        );
        let positions = load_with(&nodes, ONE_SCENE).mesh.positions;
        // Scaled by 2 along x, a quarter turn counter-clockwise about z, then moved by 10 along x.
        for (found, expected) in
            positions.iter().zip([[10.0, 0.0, 0.0], [10.0, 2.0, 0.0], [8.0, 0.0, 0.0]])
        {
            assert!(
                (0..3).all(|k| (found[k] - expected[k]).abs() < 1e-6),
                "{found:?} {expected:?}"
            );
        }
        let matrix = r#""nodes": [{"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1]}]"#;
        assert_eq!(
            load_with(matrix, ONE_SCENE).mesh.positions,
            [[5.0, 6.0, 7.0], [6.0, 6.0, 7.0], [5.0, 8.0, 7.0]]
        );
    }

    #[test]
    fn a_mirroring_node_keeps_triangles_facing_outwards() {
        let mesh = load_with(r#""nodes": [{"mesh": 0, "scale": [-1, 1, 1]}]"#, ONE_SCENE).mesh;
        assert_eq!(mesh.positions[1..2], [[-1.0, 0.0, 0.0]]);
        assert_eq!(mesh.triangles, [[0, 2, 1]]);
    }

    #[test]
    fn all_nodes_of_the_scene_make_one_mesh() {
        let nodes = r#""nodes": [{"mesh": 0}, {"mesh": 0, "translation": [0, 0, 1]},
            {"mesh": 0, "scale": [7, 7, 7]}]"#;
        let loaded =
            load_with(nodes, r#""scenes": [{"nodes": [2]}, {"nodes": [0, 1]}], "scene": 1,"#);
        assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(loaded.mesh.positions[3..4], [[0.0, 0.0, 1.0]]);
        assert_eq!((loaded.report.vertices, loaded.report.other_scenes), (6, 1));
        // Without a default scene, the first is read; without scenes, all root nodes; without
        // nodes, all meshes.
        assert_eq!(
            load_with(nodes, r#""scenes": [{"nodes": [2]}],"#).mesh.positions[1..2],
            [[7.0, 0.0, 0.0]]
        );
        assert_eq!(
            load_with(r#""nodes": [{"children": [1]}, {"mesh": 0}, {"mesh": 0}]"#, "")
                .report
                .vertices,
            6
        );
        assert_eq!(load_with(r#""nodes": []"#, "").report.vertices, 3);
    }

    /// Loads a mesh of three primitives: a zigzag of six vertices, 16 bytes apart, without indices and
    /// with this mode; the same vertices as lines; and a primitive without positions.
    fn zigzag(mode: u32) -> taut_mesh::Loaded {
        let row =
            |n: u8| [f32::from(n), f32::from(n % 2), 0.0, f32::NAN].map(f32::to_le_bytes).concat();
        let buffer: Vec<u8> = (0..6).flat_map(row).collect();
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "mode": {mode}}},
                {{"attributes": {{"POSITION": 0}}, "mode": 1}}, {{"attributes": {{"_AGE": 3}}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 96, "byteStride": 16}}],
            "buffers": [{{{}"byteLength": 96}}]}}"#,
            data_uri(&buffer)
        );
        loaded("zigzag.gltf", json.as_bytes())
    }

    #[test]
    fn strips_and_fans_are_triangles_and_lines_are_counted() {
        // The modes 4, 5 and 6 are triangles, a strip and a fan.
        assert_eq!(zigzag(4).mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(zigzag(5).mesh.triangles, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
        assert_eq!(zigzag(6).mesh.triangles, [[1, 2, 0], [2, 3, 0], [3, 4, 0], [4, 5, 0]]);
        // `not_faces` counts the lines and the primitive without positions.
        assert_eq!(zigzag(5).report.not_faces, 2);
    }

    #[test]
    fn indices_may_be_of_any_width() {
        // The buffer has 36 bytes of positions, and then the indices: 6 bytes as `u16` (component
        // type 5123). The test replaces these by indices as `u8` (5121), `u16` and `u32` (5125).
        for (component, bytes) in [
            (5121, vec![2, 0, 1]),
            (5123, vec![2, 0, 0, 0, 1, 0]),
            (5125, vec![2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        ] {
            let buffer = [&right_triangle().gltf_buffer()[..36], &bytes].concat();
            let json = right_triangle()
                .gltf_json(&data_uri(&buffer))
                .replace("5123", &component.to_string());
            let json =
                json.replace(r#""byteLength": 6}"#, &format!(r#""byteLength": {}}}"#, bytes.len()));
            let json =
                json.replace(r#""byteLength": 42"#, &format!(r#""byteLength": {}"#, buffer.len()));
            assert_eq!(
                loaded("test.gltf", json.as_bytes()).mesh.triangles,
                [[2, 0, 1]],
                "{component}"
            );
        }
    }

    #[test]
    fn buffers_may_be_in_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cube.gltf");
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("data/all of it.bin"), cube().gltf_buffer()).unwrap();
        let json = cube().gltf_json(r#""uri": "data/all%20of%20it.bin", "#);
        fs::write(&path, &json).unwrap();
        assert_eq!(
            load(&path, &LoadOptions::default()).unwrap().mesh.triangles,
            cube().triangles()
        );
        assert!(read_gltf(json.as_bytes(), Some(folder.path()), &LoadOptions::default()).is_ok());
    }

    #[test]
    fn data_other_than_geometry_may_be_invalid() {
        let json = cube().gltf_json(&data_uri(&cube().gltf_buffer()));
        let extra = r#""extensionsRequired": ["KHR_texture_transform"],
            "images": [{"uri": "gone.png"}], "textures": [{"source": 9}],
            "materials": [{"normalTexture": {"index": 7}}], "scenes""#;
        let json = json
            .replacen(r#""scenes""#, extra, 1)
            .replace(r#""POSITION": 0}"#, r#""POSITION": 0, "_WEAR": 8}, "material": 5"#);
        assert_eq!(loaded("cube.gltf", json.as_bytes()).mesh.triangles, cube().triangles());
    }

    #[test]
    fn a_buffer_may_be_padded_or_not_and_need_not_be_base64() {
        // One byte more than is declared, so that the base64 text ends with two padding characters.
        let buffer = [&cube().gltf_buffer()[..], b"!"].concat();
        let text = cube().gltf_json(&data_uri(&buffer));
        assert!(text.contains("=="));
        for text in [text.replace("==", ""), text] {
            assert_eq!(loaded("cube.gltf", text.as_bytes()).mesh.triangles, cube().triangles());
        }
        let escaped = percent_encode(&buffer, NON_ALPHANUMERIC);
        let json = cube().gltf_json(&format!(r#""uri": "data:,{escaped}", "#));
        assert_eq!(loaded("cube.gltf", json.as_bytes()).mesh.triangles, cube().triangles());
    }
}
