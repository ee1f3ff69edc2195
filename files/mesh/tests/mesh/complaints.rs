//! What each kind of bad file is told.

use std::fs;

use taut_mesh::{LoadOptions, Place, Problem, load, read_gltf, read_obj};

use crate::make::{complaint, cube, data_uri, glb, read};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";

/// `text`, once `from` in it has become `to`.
fn with(text: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(text.contains(from), "nothing to replace: {from}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn files_that_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        let error = load(&path, &LoadOptions::default()).unwrap_err();
        assert_eq!(error.file.as_deref(), Some(path.as_path()));
        error.to_string().replace(&path.display().to_string(), name)
    };
    assert!(told("gone.obj", None).starts_with("gone.obj: cannot be read: "));
    fs::create_dir(folder.path().join("folder.obj")).unwrap();
    assert_eq!(
        told("folder.obj", None),
        "folder.obj: is not a regular file: expected an OBJ, PLY or glTF file"
    );
    assert_eq!(told("empty.obj", Some(b"")), "empty.obj: is empty: expected a mesh");
    assert_eq!(told("empty.xyz", Some(b"")), "empty.xyz: is empty: expected a mesh");
    assert_eq!(
        told("notes.txt", Some(b"hello world")),
        "notes.txt: is of no known format: expected a name in .obj, .ply, .gltf or .glb, or a file that starts like PLY \
         or glTF, found `hello world`"
    );
    assert_eq!(
        told("image.ply", Some(PNG)),
        "image.ply: is not PLY: expected it to start with a line `ply`, found a PNG image"
    );
    assert_eq!(
        told("image.obj", Some(PNG)),
        "image.obj: is not OBJ: expected it to start with text, found a PNG image"
    );
    assert_eq!(
        told("text.glb", Some(b"this is not a mesh")),
        "text.glb: is not glTF: expected it to start with `glTF` or with a JSON object, found `this is not a mesh`"
    );
    assert_eq!(
        told("bytes.glb", Some(&[1, 2, 0, 0xff])),
        "bytes.glb: is not glTF: expected it to start with `glTF` or with a JSON object, found the bytes 01 02 00 ff"
    );
    assert_eq!(
        told("bad.obj", Some(b"v 0 0 0\nf 1 2 3")),
        "bad.obj: line 2: face 1 names vertex 2, but the only one is number 1"
    );
}

#[test]
fn obj() {
    let told = |text: &str| complaint("test.obj", text.as_bytes());
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_eq!(told(""), "is empty: expected a mesh");
    assert_eq!(told("# only this\n"), "has 0 vertices but no faces: not a mesh");
    assert_eq!(told(triangle), "has 3 vertices but no faces: not a mesh");
    assert_eq!(told("v 1 2 3\np 1\n"), "has 1 vertex but no faces: not a mesh");
    assert_eq!(told("v 1 2\n"), "line 1: expected `v` with three coordinates, found `v 1 2`");
    assert_eq!(
        told("\nv 1 two 3\n"),
        "line 2: expected `v` with three coordinates, found `v 1 two 3`"
    );
    assert_eq!(
        told("v 0 0 0\nv 1 nan 3"),
        "line 2: vertex 2 lies at (1, NaN, 3), where three finite numbers were expected"
    );
    assert_eq!(
        told("v 1e39 -inf 3"),
        "line 1: vertex 1 lies at (inf, -inf, 3), where three finite numbers were expected"
    );
    assert_eq!(
        told("v 1 2 3 0"),
        "line 1: vertex 1 lies at (inf, inf, inf), where three finite numbers were expected"
    );
    assert_eq!(
        told(&format!("{triangle}f 1 2 3\nf 1 2 4\n")),
        "line 5: face 2 names vertex 4, but the 3 there are go from 1 to 3"
    );
    assert_eq!(
        told(&format!("{triangle}f 0 1 2")),
        "line 4: face 1 names vertex 0, but the 3 there are go from 1 to 3"
    );
    assert_eq!(
        told(&format!("{triangle}f 1 2 -4")),
        "line 4: face 1 names vertex -4, but the 3 there are go from 1 to 3"
    );
    assert_eq!(told("f 1 2 3"), "line 1: face 1 names vertex 1, but there are none");
    for far in ["4294967297", "9223372036854775807", "-9223372036854775808"] {
        let expected =
            format!("line 4: face 1 names vertex {far}, but the 3 there are go from 1 to 3");
        assert_eq!(told(&format!("{triangle}f 1 2 {far}")), expected);
    }
    assert_eq!(
        told(&format!("{triangle}f 1 2 x")),
        "line 4: expected `f` with vertex numbers, found `f 1 2 x`"
    );
    assert_eq!(
        told(&format!("{triangle}\nf 1 2 \\\n\\\n1.5")),
        "line 5: expected `f` with vertex numbers, found `f 1 2   1.5`"
    );
    assert_eq!(
        told(&format!("{triangle}f 1 1 2\nf 3 3 3")),
        "has 2 triangles but each has two corners in one place: no mesh is left"
    );
    let long = format!("v {}", "x".repeat(1000));
    assert_eq!(
        told(&long),
        format!("line 1: expected `v` with three coordinates, found `v {}…`", "x".repeat(46))
    );
}

#[test]
fn ply_headers() {
    let good = cube().ply_ascii();
    let told = |from: &str, to: &str| complaint("test.ply", &with(&good, from, to));
    assert_eq!(
        told("ply\n", "plx\n"),
        "is not PLY: expected it to start with a line `ply`, found `plx\\nformat ascii 1.0\\nele`"
    );
    assert_eq!(
        told("end_header\n", ""),
        "the file ends inside the header: expected a line `end_header`"
    );
    assert_eq!(
        complaint("test.ply", b"ply"),
        "the file ends inside the header: expected a line `end_header`"
    );
    assert_eq!(
        told("format ascii", "format askii"),
        "line 2: expected a line of a PLY header, found `format askii 1.0`"
    );
    assert_eq!(
        told("format ascii 1.0\n", ""),
        "expected a header with a line like `format ascii 1.0`, found none that can be read"
    );
    assert_eq!(
        told("vertex 8", "vertex eight"),
        "line 3: expected a line of a PLY header, found `element vertex eight`"
    );
    assert_eq!(
        told("vertex 8", "vertex 99999999999999999999"),
        "line 3: expected a line of a PLY header, found `element vertex 99999999999999999999`"
    );
    assert_eq!(
        told("element vertex", "element vortex"),
        "expected an element `vertex` in the header, found none"
    );
    assert_eq!(
        told("property float y", "property float why"),
        "expected a number `y` among the properties of element `vertex`, found none in the header"
    );
    assert_eq!(
        told("property float z", "property list uchar float z"),
        "expected a number `z` among the properties of element `vertex`, found none in the header"
    );
    for bad in [
        "property list uchar float vertex_indices",
        "property list uchar int corners",
        "property int vertex_indices",
    ] {
        assert_eq!(
            told("property list uchar int vertex_indices", bad),
            "expected a list of integers `vertex_indices` in element `face`, found none in the header"
        );
    }
    assert_eq!(
        told("list uchar int", "list float int"),
        "expected list lengths of an integer type, found a floating-point one in the header"
    );
    for bad in [
        "property float y\nproperty float y",
        "property float y\nelement vertex 8\nproperty float y",
    ] {
        assert_eq!(
            told("property float y", bad),
            "expected a header that declares each element and property once, found one that repeats a name"
        );
    }
    assert_eq!(
        told("element face", "element tristrips"),
        "uses triangle strips (element `tristrips`), which this reader does not support"
    );
    let cloud = "ply\nformat ascii 1.0\nelement vertex 2\nproperty int x\nproperty int y\nproperty int z\nend_header\n1 2 3\n4 5 6\n";
    assert_eq!(complaint("test.ply", cloud.as_bytes()), "has 2 vertices but no faces: not a mesh");
}

#[test]
fn ply_lines() {
    let good = cube().ply_ascii();
    let told = |from: &str, to: &str| complaint("test.ply", &with(&good, from, to));
    // Vertex 1 is on line 11, face 0 on line 18.
    assert_eq!(told("\n1 0 0\n", "\n1 0\n"), "line 11: expected vertex 1 as `x y z`, found `1 0`");
    assert_eq!(
        told("\n1 0 0\n", "\n1 0 0 0\n"),
        "line 11: expected vertex 1 as `x y z`, found `1 0 0 0`"
    );
    assert_eq!(
        told("\n1 0 0\n", "\n1 O 0\n"),
        "line 11: expected vertex 1 as `x y z`, found `1 O 0`"
    );
    assert_eq!(
        told("\n1 0 0\n", "\n1 -nan 0\n"),
        "line 11: vertex 1 lies at (1, NaN, 0), where three finite numbers were expected"
    );
    assert_eq!(
        told("4 0 2 3 1", "5 0 2 3 1"),
        "line 18: expected face 0 as `n vertex_indices[n]`, found `5 0 2 3 1`"
    );
    assert_eq!(
        told("4 0 2 3 1", "4 0 2 3 8"),
        "line 18: face 0 names vertex 8, but the 8 there are go from 0 to 7"
    );
    assert_eq!(
        told("4 0 2 3 1", "4 0 2 3 -1"),
        "line 18: face 0 names vertex -1, but the 8 there are go from 0 to 7"
    );
    assert_eq!(
        told("face 6", "face 5"),
        "line 23: expected the end of the file after the last declared element, found `4 1 3 7 5`"
    );
    assert_eq!(
        told("face 6", "face 7"),
        "line 23: the file ends inside element `face` 6 (the header declares 7, numbered from 0)"
    );
    assert_eq!(
        told("vertex 8", "vertex 4000000000"),
        "declares 4000000000 of element `vertex`, which take at least 23999999999 bytes, but only 108 are left: cut \
         short, or a false count"
    );
}

#[test]
fn ply_bytes() {
    for big in [false, true] {
        let good = cube().ply_binary(big);
        let body = good.len() - 8 * 12 - 6 * 17;
        let told = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            complaint("test.ply", &bytes)
        };
        let ordered = |word: u32| if big { word.to_be_bytes() } else { word.to_le_bytes() };
        let second_face = body + 8 * 12 + 17;
        assert_eq!(
            told(&|bytes| bytes[second_face + 1..second_face + 5].copy_from_slice(&ordered(8))),
            format!(
                "byte {second_face}: face 1 names vertex 8, but the 8 there are go from 0 to 7"
            )
        );
        assert_eq!(
            told(&|bytes| bytes[second_face + 1..second_face + 5]
                .copy_from_slice(&ordered(u32::MAX))),
            format!(
                "byte {second_face}: face 1 names vertex -1, but the 8 there are go from 0 to 7"
            )
        );
        assert_eq!(
            told(&|bytes| bytes[body + 12..body + 16]
                .copy_from_slice(&ordered(f32::INFINITY.to_bits()))),
            format!(
                "byte {}: vertex 1 lies at (inf, 0, 0), where three finite numbers were expected",
                body + 12
            )
        );
        assert_eq!(
            told(&|bytes| bytes.truncate(second_face + 6)),
            format!(
                "byte {second_face}: the file ends inside element `face` 1 (the header declares 6, numbered from 0)"
            )
        );
        assert_eq!(
            told(&|bytes| bytes.truncate(body + 50)),
            "declares 8 of element `vertex`, which take at least 96 bytes, but only 50 are left: cut short, or a false count"
        );
        assert_eq!(
            told(&|bytes| bytes.extend([1, 2, 3])),
            format!(
                "byte {}: expected the end of the file after the last declared element, found 3 more bytes",
                good.len()
            )
        );
        assert_eq!(
            told(&|bytes| {
                let start = bytes.windows(10).position(|at| at == b"list uchar").unwrap();
                bytes.splice(start + 5..start + 10, *b"char");
                let face = body - 1 + 8 * 12;
                bytes[face] = 0x80;
            }),
            format!(
                "byte {}: expected face 0 as `n vertex_indices[n]`, found a list of negative length",
                body - 1 + 8 * 12
            )
        );
    }
}

#[test]
fn glb_containers() {
    let good = cube().glb();
    let told = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        complaint("test.glb", &bytes)
    };
    assert_eq!(
        told(&|bytes| bytes.truncate(7)),
        "byte 0: the file ends inside the header of binary glTF"
    );
    assert_eq!(
        told(&|bytes| bytes[8..12].copy_from_slice(&[11, 0, 0, 0])),
        "byte 8: expected binary glTF of 12 bytes or more, found a length of 11 bytes"
    );
    assert_eq!(
        told(&|bytes| bytes.truncate(100)),
        format!(
            "byte 8: the file ends inside binary glTF (its header declares {} bytes, the file has 100)",
            good.len()
        )
    );
    assert_eq!(
        told(&|bytes| bytes[4] = 1),
        "byte 4: uses version 1 of binary glTF, which this reader does not support"
    );
    assert!(
        told(&|bytes| bytes[15] = 1)
            .starts_with("the file ends inside its JSON chunk (which declares ")
    );
    assert!(
        told(&|bytes| bytes[16] = b'X')
            .starts_with("expected a JSON chunk, then at most one BIN chunk, found ")
    );
    assert!(
        told(&|bytes| bytes[20] = b'!')
            .starts_with("the JSON is not that of a glTF 2.0 document: ")
    );
    assert_eq!(
        complaint("test.glb", &glb(&cube().gltf_json(""), &cube().gltf_buffer()[..40])),
        "mesh 0, primitive 0: buffer 0 should hold 168 bytes, but holds 40"
    );
}

#[test]
fn gltf_documents() {
    let good = cube().gltf();
    let told = |from: &str, to: &str| complaint("test.gltf", &with(&good, from, to));
    let unsupported = |what: &str| format!("uses {what}, which this reader does not support");
    assert!(
        complaint("test.gltf", b"{")
            .starts_with("the JSON is not that of a glTF 2.0 document: EOF while parsing")
    );
    assert!(
        complaint("test.gltf", b"{\"hello\": 1}")
            .contains("missing field `asset` at line 1 column 12")
    );
    assert_eq!(told("\"2.0\"", "\"1.0\""), unsupported("glTF version `1.0`"));
    for extension in
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"]
    {
        let required =
            format!(r#""extensionsRequired": ["KHR_materials_unlit", "{extension}"], "scenes""#);
        assert_eq!(
            told("\"scenes\"", &required),
            unsupported(&format!("the extension `{extension}`"))
        );
    }
    assert_eq!(
        told("\"scenes\"", r#""extensionsUsed": ["EXT_mesh_gpu_instancing"], "scenes""#),
        unsupported("the extension `EXT_mesh_gpu_instancing`")
    );

    let dangling = |from: &str, to: &str, sentence: &str| assert_eq!(told(from, to), sentence);
    dangling(
        "\"scenes\"",
        "\"scene\": 3, \"scenes\"",
        "the document refers to scene 3, but the only one is number 0",
    );
    dangling(
        "\"nodes\": [0]",
        "\"nodes\": [5]",
        "a scene or node refers to node 5, but the only one is number 0",
    );
    dangling("\"mesh\": 0", "\"mesh\": 4", "node 0 refers to mesh 4, but the only one is number 0");
    dangling(
        "\"indices\": 1",
        "\"indices\": 2",
        "mesh 0, primitive 0: attribute indices refers to accessor 2, but the 2 there are go from 0 to 1",
    );
    dangling(
        "\"bufferView\": 0",
        "\"bufferView\": 7",
        "mesh 0, primitive 0: accessor 0 refers to buffer view 7, but the 2 there are go from 0 to 1",
    );
    dangling(
        "\"buffer\": 0",
        "\"buffer\": 1",
        "mesh 0, primitive 0: accessor 0 refers to buffer 1, but the only one is number 0",
    );
    let circle = "node 0 is reached more than once: expected the nodes to form trees";
    assert_eq!(told("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [0]}"), circle);
    assert_eq!(told("\"nodes\": [0]", "\"nodes\": [0, 0]"), circle);
    assert_eq!(told("\"nodes\": [0]", "\"nodes\": []"), "has 0 vertices but no faces: not a mesh");
}

#[test]
fn gltf_accessors() {
    let good = with(&cube().gltf(), "\"indices\": 1", "\"indices\": 1, \"mode\": 4");
    let told = |from: &str, to: &str| {
        let sentence = complaint("test.gltf", &with(&good, from, to));
        sentence.strip_prefix("mesh 0, primitive 0: ").unwrap_or(&sentence).to_owned()
    };
    assert_eq!(told("\"mode\": 4", "\"mode\": 0"), "has 0 vertices but no faces: not a mesh");
    assert_eq!(
        told("\"mode\": 4", "\"mode\": 9"),
        "expected a primitive of a mode that glTF knows, found another"
    );
    assert_eq!(
        told("\"count\": 36", "\"count\": 35"),
        "expected three corners for each triangle, found 35 corners in all"
    );
    assert_eq!(
        told("\"VEC3\"", "\"VEC2\""),
        "expected accessor 0 to hold VEC3 of F32, found VEC2 of F32"
    );
    assert_eq!(
        told("\"VEC3\"", "\"VEC9\""),
        "expected accessor 0 of a type that glTF knows, found another"
    );
    assert_eq!(
        told("5123", "5122"),
        "expected accessor 1 to hold SCALAR of U8, U16 or U32, found SCALAR of I16"
    );
    let sparse = r#""sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5123}, "values": {"bufferView": 0}}, "count": 8"#;
    assert_eq!(
        told("\"count\": 8", sparse),
        "uses sparse data (accessor 0), which this reader does not support"
    );
    assert!(told("\"bufferView\": 0, ", "").starts_with("uses accessor 0 without a buffer view: zeros, or data that an extension such as Draco packs"));
    for lie in ["0", "9", "4000000000", "18446744073709551615"] {
        assert_eq!(
            told("\"count\": 8", &format!("\"count\": {lie}")),
            format!(
                "expected accessor 0 to hold 1 item or more, within its buffer view, found a view of 96 bytes for a count of {lie}"
            )
        );
    }
    let beyond = "expected the buffer view of accessor 1 to lie within its buffer of 168 bytes, found one that reaches beyond";
    for lie in ["97", "18446744073709551615"] {
        assert_eq!(told("\"byteOffset\": 96", &format!("\"byteOffset\": {lie}")), beyond);
        assert_eq!(told("\"byteLength\": 72", &format!("\"byteLength\": {lie}")), beyond);
    }
    assert_eq!(
        told("\"byteLength\": 96", "\"byteStride\": 8, \"byteLength\": 96"),
        "expected accessor 0 with 12 bytes an item, found a stride of 8"
    );
    let mut buffer = cube().gltf_buffer();
    buffer[96 + 6..96 + 8].copy_from_slice(&[8, 0]);
    assert_eq!(
        complaint("test.gltf", cube().gltf_json(&data_uri(&buffer)).as_bytes()),
        "mesh 0, primitive 0: face 1 names vertex 8, but the 8 there are go from 0 to 7"
    );
    buffer[28..32].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        complaint("test.gltf", cube().gltf_json(&data_uri(&buffer)).as_bytes()),
        "mesh 0, primitive 0: vertex 2 lies at (0, NaN, 0), where three finite numbers were expected"
    );
    let beyond_f32 = told("{\"mesh\": 0}", "{\"mesh\": 0, \"scale\": [1e39, 1, 1]}");
    // With its feature `float_roundtrip`, which other crates switch on, serde_json refuses the number.
    let told_by = ["where three finite numbers", "number out of range at line 1 column"];
    assert!(told_by.iter().any(|text| beyond_f32.contains(text)), "{beyond_f32}");
}

#[test]
fn gltf_buffers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("short.bin"), [0; 12]).unwrap();
    let told = |uri: &str| {
        let json = cube().gltf_json(&format!(r#""uri": "{uri}", "#));
        let error =
            read_gltf(json.as_bytes(), Some(folder.path()), &LoadOptions::default()).unwrap_err();
        assert_eq!(error.place, Some(Place::Primitive { mesh: 0, primitive: 0 }));
        error.problem.to_string()
    };
    assert!(told("gone.bin").starts_with("buffer 0 cannot be read from `gone.bin`: "));
    assert_eq!(told("short.bin"), "buffer 0 should hold 168 bytes, but holds 12");
    fs::create_dir(folder.path().join("data")).unwrap();
    assert_eq!(told("data"), "buffer 0 cannot be read from `data`: not a regular file");
    for elsewhere in ["http://example.org/cube.bin", "file:///etc/hostname"] {
        assert!(
            told(elsewhere).ends_with("expected `data:` or a path relative to the glTF file"),
            "{elsewhere}"
        );
    }
    assert!(told("%ff.bin").ends_with("the path is not UTF-8"));
    assert!(
        told("data:application/octet-stream;base64").ends_with("expected a comma before the data")
    );
    assert!(told("data:application/octet-stream;base64,???").ends_with("the data is not base64"));
    assert_eq!(
        told("data:application/octet-stream;base64,AAAA"),
        "buffer 0 should hold 168 bytes, but holds 3"
    );

    let json = cube().gltf_json(r#""uri": "cube.bin", "#);
    assert!(
        complaint("test.gltf", json.as_bytes())
            .ends_with("`cube.bin`: no folder was given to look in")
    );
    let json = cube().gltf_json("");
    assert_eq!(
        complaint("test.gltf", json.as_bytes()),
        "mesh 0, primitive 0: buffer 0 cannot be read from the file itself: only buffer 0 of binary glTF lies there"
    );
}

#[test]
fn limits() {
    let tight = LoadOptions { max_vertices: 7, ..LoadOptions::default() };
    let flat = LoadOptions { max_triangles: 11, ..LoadOptions::default() };
    let exact = LoadOptions { max_vertices: 8, max_triangles: 12, ..LoadOptions::default() };
    for (name, bytes) in cube().files() {
        let told = |options| read(name, &bytes, options).unwrap_err().problem.to_string();
        assert_eq!(
            told(&tight),
            "has more than 7 vertices, the limit that was set for loading",
            "{name}"
        );
        assert_eq!(
            told(&flat),
            "has more than 11 triangles, the limit that was set for loading",
            "{name}"
        );
        assert!(read(name, &bytes, &exact).is_ok(), "{name}");
    }
}

#[test]
fn errors_can_be_matched_on() {
    let error = read_obj(b"v 0 0 0\nf 1 2 3", &LoadOptions::default()).unwrap_err();
    assert_eq!((error.file, error.place), (None, Some(Place::Line(2))));
    assert!(matches!(
        error.problem,
        Problem::IndexOutOfRange { face: 1, index: 2, vertices: 1, first: 1 }
    ));
}
