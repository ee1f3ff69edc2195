//! Error messages of unreadable files, OBJ and PLY.

use std::fs;

use taut_mesh::{LoadOptions, Location, Problem, load, read_obj};

use crate::shapes::{cube, error_message, read, replaced};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";

#[test]
fn unreadable_files_are_rejected_with_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        let error = load(&path, &LoadOptions::default()).unwrap_err();
        assert_eq!(error.file.as_deref(), Some(path.as_path()));
        error.to_string().replace(&path.display().to_string(), name)
    };
    assert!(message("gone.obj", None).starts_with("gone.obj: cannot be read: "));
    fs::create_dir(folder.path().join("folder.obj")).unwrap();
    assert_eq!(
        message("folder.obj", None),
        "folder.obj: is not a regular file: expected an OBJ, PLY or glTF file"
    );
    assert_eq!(message("empty.obj", Some(b"")), "empty.obj: is empty: expected a mesh");
    assert_eq!(message("empty.xyz", Some(b"")), "empty.xyz: is empty: expected a mesh");
    assert_eq!(
        message("notes.txt", Some(b"hello world")),
        "notes.txt: has an unknown format: expected the extension .obj, .ply, .gltf or .glb, or \
         the start of a PLY or glTF file, found `hello world`"
    );
    assert_eq!(
        message("image.ply", Some(PNG)),
        "image.ply: is not PLY: expected it to start with a line `ply`, found a PNG image"
    );
    assert_eq!(
        message("image.obj", Some(PNG)),
        "image.obj: is not OBJ: expected it to start with text, found a PNG image"
    );
    assert_eq!(
        message("text.glb", Some(b"this is not a mesh")),
        "text.glb: is not glTF: expected it to start with `glTF` or with a JSON object, found \
         `this is not a mesh`"
    );
    assert_eq!(
        message("bytes.glb", Some(&[1, 2, 0, 0xff])),
        "bytes.glb: is not glTF: expected it to start with `glTF` or with a JSON object, found \
         the bytes 01 02 00 ff"
    );
    assert_eq!(
        message("bad.obj", Some(b"v 0 0 0\nf 1 2 3")),
        "bad.obj: line 2: face 1 refers to vertex 2, but the only valid number is 1"
    );
}

#[test]
fn invalid_obj_is_rejected_with_its_line() {
    let message = |text: &str| error_message("test.obj", text.as_bytes());
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_eq!(message(""), "is empty: expected a mesh");
    assert_eq!(message("# only this\n"), "has 0 vertices and 0 faces: expected at least 1 face");
    assert_eq!(message(triangle), "has 3 vertices and 0 faces: expected at least 1 face");
    assert_eq!(message("v 1 2 3\np 1\n"), "has 1 vertex and 0 faces: expected at least 1 face");
    assert_eq!(message("v 1 2\n"), "line 1: expected `v` with three coordinates, found `v 1 2`");
    assert_eq!(
        message("\nv 1 two 3\n"),
        "line 2: expected `v` with three coordinates, found `v 1 two 3`"
    );
    assert_eq!(
        message("v 0 0 0\nv 1 nan 3"),
        "line 2: vertex 2 is at (1, NaN, 3): expected finite coordinates"
    );
    assert_eq!(
        message("v 1e39 -inf 3"),
        "line 1: vertex 1 is at (inf, -inf, 3): expected finite coordinates"
    );
    assert_eq!(
        message("v 1 2 3 0"),
        "line 1: vertex 1 is at (inf, inf, inf): expected finite coordinates"
    );
    assert_eq!(
        message(&format!("{triangle}f 1 2 3\nf 1 2 4\n")),
        "line 5: face 2 refers to vertex 4, but valid numbers are 1 to 3"
    );
    assert_eq!(
        message(&format!("{triangle}f 0 1 2")),
        "line 4: face 1 refers to vertex 0, but valid numbers are 1 to 3"
    );
    assert_eq!(
        message(&format!("{triangle}f 1 2 -4")),
        "line 4: face 1 refers to vertex -4, but valid numbers are 1 to 3"
    );
    assert_eq!(message("f 1 2 3"), "line 1: face 1 refers to vertex 1, but there are none");
    for far in ["4294967297", "9223372036854775807", "-9223372036854775808"] {
        let expected =
            format!("line 4: face 1 refers to vertex {far}, but valid numbers are 1 to 3");
        assert_eq!(message(&format!("{triangle}f 1 2 {far}")), expected);
    }
    assert_eq!(
        message(&format!("{triangle}f 1 2 x")),
        "line 4: expected `f` with vertex numbers, found `f 1 2 x`"
    );
    assert_eq!(
        message(&format!("{triangle}\nf 1 2 \\\n\\\n1.5")),
        "line 5: expected `f` with vertex numbers, found `f 1 2   1.5`"
    );
    assert_eq!(
        message(&format!("{triangle}f 1 1 2\nf 3 3 3")),
        "has 2 triangles, but in each of them two corners coincide: expected a mesh"
    );
    let long = format!("v {}", "x".repeat(1000));
    assert_eq!(
        message(&long),
        format!("line 1: expected `v` with three coordinates, found `v {}…`", "x".repeat(46))
    );
}

#[test]
fn invalid_ply_headers_are_rejected() {
    let good = cube().ply_ascii();
    let message = |from: &str, to: &str| error_message("test.ply", &replaced(&good, from, to));
    assert_eq!(
        message("ply\n", "plx\n"),
        "is not PLY: expected it to start with a line `ply`, found `plx\\nformat ascii 1.0\\nele`"
    );
    assert_eq!(
        message("end_header\n", ""),
        "the file ends inside the header: expected a line `end_header`"
    );
    assert_eq!(
        error_message("test.ply", b"ply"),
        "the file ends inside the header: expected a line `end_header`"
    );
    assert_eq!(
        message("format ascii", "format askii"),
        "line 2: expected a line of a PLY header, found `format askii 1.0`"
    );
    assert_eq!(
        message("format ascii 1.0\n", ""),
        "expected a header with a line like `format ascii 1.0`, found none that can be read"
    );
    assert_eq!(
        message("vertex 8", "vertex eight"),
        "line 3: expected a line of a PLY header, found `element vertex eight`"
    );
    assert_eq!(
        message("vertex 8", "vertex 99999999999999999999"),
        "line 3: expected a line of a PLY header, found `element vertex 99999999999999999999`"
    );
    assert_eq!(
        message("element vertex", "element vortex"),
        "expected an element `vertex` in the header, found none"
    );
    assert_eq!(
        message("property float y", "property float why"),
        "expected a number `y` among the properties of element `vertex`, found none in the header"
    );
    assert_eq!(
        message("property float z", "property list uchar float z"),
        "expected a number `z` among the properties of element `vertex`, found none in the header"
    );
    for bad in [
        "property list uchar float vertex_indices",
        "property list uchar int corners",
        "property int vertex_indices",
    ] {
        assert_eq!(
            message("property list uchar int vertex_indices", bad),
            "expected a list of integers `vertex_indices` in element `face`, found none in the \
             header"
        );
    }
    assert_eq!(
        message("list uchar int", "list float int"),
        "expected list lengths of an integer type, found a floating-point type in the header"
    );
    for bad in [
        "property float y\nproperty float y",
        "property float y\nelement vertex 8\nproperty float y",
    ] {
        assert_eq!(
            message("property float y", bad),
            "expected a header that declares each element and property once, found one that \
             repeats a name"
        );
    }
    assert_eq!(
        message("element face", "element tristrips"),
        "uses triangle strips (element `tristrips`), which this reader does not support"
    );
    let cloud = "ply\nformat ascii 1.0\nelement vertex 2\n\
        property int x\nproperty int y\nproperty int z\nend_header\n1 2 3\n4 5 6\n";
    assert_eq!(
        error_message("test.ply", cloud.as_bytes()),
        "has 2 vertices and 0 faces: expected at least 1 face"
    );
}

#[test]
fn invalid_rows_of_ascii_ply_are_rejected_with_their_line() {
    let good = cube().ply_ascii();
    let message = |from: &str, to: &str| error_message("test.ply", &replaced(&good, from, to));
    // Vertex 1 is on line 11, face 0 on line 18.
    assert_eq!(
        message("\n1 0 0\n", "\n1 0\n"),
        "line 11: expected vertex 1 as `x y z`, found `1 0`"
    );
    assert_eq!(
        message("\n1 0 0\n", "\n1 0 0 0\n"),
        "line 11: expected vertex 1 as `x y z`, found `1 0 0 0`"
    );
    assert_eq!(
        message("\n1 0 0\n", "\n1 O 0\n"),
        "line 11: expected vertex 1 as `x y z`, found `1 O 0`"
    );
    assert_eq!(
        message("\n1 0 0\n", "\n1 -nan 0\n"),
        "line 11: vertex 1 is at (1, NaN, 0): expected finite coordinates"
    );
    assert_eq!(
        message("4 0 2 3 1", "5 0 2 3 1"),
        "line 18: expected face 0 as `n vertex_indices[n]`, found `5 0 2 3 1`"
    );
    assert_eq!(
        message("4 0 2 3 1", "4 0 2 3 8"),
        "line 18: face 0 refers to vertex 8, but valid numbers are 0 to 7"
    );
    assert_eq!(
        message("4 0 2 3 1", "4 0 2 3 -1"),
        "line 18: face 0 refers to vertex -1, but valid numbers are 0 to 7"
    );
    assert_eq!(
        message("face 6", "face 5"),
        "line 23: expected the end of the file after the last declared element, found `4 1 3 7 5`"
    );
    assert_eq!(
        message("face 6", "face 7"),
        "line 23: the file ends inside element `face` 6 (the header declares 7, numbered from 0)"
    );
    assert_eq!(
        message("vertex 8", "vertex 4000000000"),
        "declares 4000000000 rows of element `vertex`, which take at least 23999999999 bytes, \
         but only 108 bytes are left: the file is truncated, or the count is wrong"
    );
}

#[test]
fn invalid_rows_of_binary_ply_are_rejected_with_their_byte() {
    for big in [false, true] {
        let good = cube().ply_binary(big);
        // A vertex has 12 bytes; a face 17: the number of corners and four corners.
        let body = good.len() - 8 * 12 - 6 * 17;
        let message = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            error_message("test.ply", &bytes)
        };
        let bytes_of = |word: u32| if big { word.to_be_bytes() } else { word.to_le_bytes() };
        let second_face = body + 8 * 12 + 17;
        assert_eq!(
            message(&|bytes| bytes[second_face + 1..second_face + 5].copy_from_slice(&bytes_of(8))),
            format!("byte {second_face}: face 1 refers to vertex 8, but valid numbers are 0 to 7")
        );
        assert_eq!(
            message(&|bytes| bytes[second_face + 1..second_face + 5]
                .copy_from_slice(&bytes_of(u32::MAX))),
            format!("byte {second_face}: face 1 refers to vertex -1, but valid numbers are 0 to 7")
        );
        assert_eq!(
            message(&|bytes| bytes[body + 12..body + 16]
                .copy_from_slice(&bytes_of(f32::INFINITY.to_bits()))),
            format!("byte {}: vertex 1 is at (inf, 0, 0): expected finite coordinates", body + 12)
        );
        assert_eq!(
            message(&|bytes| bytes.truncate(second_face + 6)),
            format!(
                "byte {second_face}: the file ends inside element `face` 1 (the header declares 6, \
                 numbered from 0)"
            )
        );
        assert_eq!(
            message(&|bytes| bytes.truncate(body + 50)),
            "declares 8 rows of element `vertex`, which take at least 96 bytes, but only 50 bytes \
             are left: the file is truncated, or the count is wrong"
        );
        assert_eq!(
            message(&|bytes| bytes.extend([1, 2, 3])),
            format!(
                "byte {}: expected the end of the file after the last declared element, found 3 \
                 more bytes",
                good.len()
            )
        );
        assert_eq!(
            message(&|bytes| {
                let start = bytes.windows(10).position(|window| window == b"list uchar").unwrap();
                // The header becomes one byte shorter.
                bytes.splice(start + 5..start + 10, *b"char");
                let face = body - 1 + 8 * 12;
                bytes[face] = 0x80;
            }),
            format!(
                "byte {}: expected face 0 as `n vertex_indices[n]`, found a list of negative \
                 length",
                body - 1 + 8 * 12
            )
        );
    }
}

#[test]
fn meshes_beyond_the_limits_are_rejected() {
    let few_vertices = LoadOptions { max_vertices: 7, ..LoadOptions::default() };
    let few_triangles = LoadOptions { max_triangles: 11, ..LoadOptions::default() };
    let exact = LoadOptions { max_vertices: 8, max_triangles: 12, ..LoadOptions::default() };
    for (name, bytes) in cube().files() {
        let message = |options| read(name, &bytes, options).unwrap_err().problem.to_string();
        assert_eq!(
            message(&few_vertices),
            "has more than 7 vertices, the limit for loading",
            "{name}"
        );
        assert_eq!(
            message(&few_triangles),
            "has more than 11 triangles, the limit for loading",
            "{name}"
        );
        assert!(read(name, &bytes, &exact).is_ok(), "{name}");
    }
}

#[test]
fn callers_can_match_errors() {
    let error = read_obj(b"v 0 0 0\nf 1 2 3", &LoadOptions::default()).unwrap_err();
    assert_eq!((error.file, error.location), (None, Some(Location::Line(2))));
    assert!(matches!(
        error.problem,
        Problem::IndexOutOfRange { face: 1, index: 2, vertices: 1, first: 1 }
    ));
}
