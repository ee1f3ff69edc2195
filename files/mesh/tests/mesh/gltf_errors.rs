//! Error messages of the glTF reader.

use std::fs;

use taut_mesh::{LoadOptions, Location, read_gltf};

use crate::shapes::{cube, data_uri, error_message, glb, replaced};

#[test]
fn invalid_glb_containers_are_rejected() {
    let good = cube().glb();
    let message = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        error_message("test.glb", &bytes)
    };
    assert_eq!(
        message(&|bytes| bytes.truncate(7)),
        "byte 0: the file ends inside the header of binary glTF"
    );
    assert_eq!(
        message(&|bytes| bytes[8..12].copy_from_slice(&[11, 0, 0, 0])),
        "byte 8: expected binary glTF of at least 12 bytes, found a length of 11 bytes"
    );
    assert_eq!(
        message(&|bytes| bytes.truncate(100)),
        format!(
            "byte 8: the file ends inside binary glTF (the header declares {} bytes, but the file \
             has 100)",
            good.len()
        )
    );
    assert_eq!(
        message(&|bytes| bytes[4] = 1),
        "byte 4: uses version 1 of binary glTF, which this reader does not support"
    );
    assert!(
        message(&|bytes| bytes[15] = 1)
            .starts_with("the file ends inside the JSON chunk (it declares ")
    );
    assert!(
        message(&|bytes| bytes[16] = b'X')
            .starts_with("expected a JSON chunk, then at most one BIN chunk, found ")
    );
    assert!(
        message(&|bytes| bytes[20] = b'!').starts_with("the JSON is not a glTF 2.0 document: ")
    );
    assert_eq!(
        error_message("test.glb", &glb(&cube().gltf_json(""), &cube().gltf_buffer()[..40])),
        "mesh 0, primitive 0: buffer 0 is truncated: expected 168 bytes, found 40"
    );
}

#[test]
fn invalid_gltf_documents_are_rejected() {
    let good = cube().gltf();
    let message = |from: &str, to: &str| error_message("test.gltf", &replaced(&good, from, to));
    let unsupported = |what: &str| format!("uses {what}, which this reader does not support");
    assert!(
        error_message("test.gltf", b"{")
            .starts_with("the JSON is not a glTF 2.0 document: EOF while parsing")
    );
    assert!(
        error_message("test.gltf", b"{\"hello\": 1}")
            .contains("missing field `asset` at line 1 column 12")
    );
    assert_eq!(message("\"2.0\"", "\"1.0\""), unsupported("glTF version `1.0`"));
    for extension in
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"]
    {
        let required =
            format!(r#""extensionsRequired": ["KHR_materials_unlit", "{extension}"], "scenes""#);
        assert_eq!(
            message("\"scenes\"", &required),
            unsupported(&format!("the extension `{extension}`"))
        );
    }
    assert_eq!(
        message("\"scenes\"", r#""extensionsUsed": ["EXT_mesh_gpu_instancing"], "scenes""#),
        unsupported("the extension `EXT_mesh_gpu_instancing`")
    );

    let assert_message =
        |from: &str, to: &str, expected: &str| assert_eq!(message(from, to), expected);
    assert_message(
        "\"scenes\"",
        "\"scene\": 3, \"scenes\"",
        "the document refers to scene 3, but the only valid number is 0",
    );
    assert_message(
        "\"nodes\": [0]",
        "\"nodes\": [5]",
        "a scene or node refers to node 5, but the only valid number is 0",
    );
    assert_message(
        "\"mesh\": 0",
        "\"mesh\": 4",
        "node 0 refers to mesh 4, but the only valid number is 0",
    );
    assert_message(
        "\"indices\": 1",
        "\"indices\": 2",
        "mesh 0, primitive 0: the property `indices` refers to accessor 2, but valid numbers are \
         0 to 1",
    );
    assert_message(
        "\"bufferView\": 0",
        "\"bufferView\": 7",
        "mesh 0, primitive 0: accessor 0 refers to buffer view 7, but valid numbers are 0 to 1",
    );
    assert_message(
        "\"buffer\": 0",
        "\"buffer\": 1",
        "mesh 0, primitive 0: accessor 0 refers to buffer 1, but the only valid number is 0",
    );
    let reached_twice =
        "node 0 is reached more than once or has no root: expected the nodes to form trees";
    assert_eq!(message("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [0]}"), reached_twice);
    assert_eq!(message("\"nodes\": [0]", "\"nodes\": [0, 0]"), reached_twice);
    assert_eq!(
        message(
            r#""scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}]"#,
            r#""nodes": [{"mesh": 0, "children": [1]}, {"children": [0]}]"#
        ),
        reached_twice
    );
    assert_eq!(
        message("\"nodes\": [0]", "\"nodes\": []"),
        "has 0 vertices and 0 faces: expected at least 1 face"
    );
}

#[test]
fn invalid_gltf_accessors_are_rejected() {
    let good = replaced(&cube().gltf(), "\"indices\": 1", "\"indices\": 1, \"mode\": 4");
    let message = |from: &str, to: &str| {
        let text = error_message("test.gltf", &replaced(&good, from, to));
        text.strip_prefix("mesh 0, primitive 0: ").unwrap_or(&text).to_owned()
    };
    // Points are not read, so their vertices are not counted.
    assert_eq!(
        message("\"mode\": 4", "\"mode\": 0"),
        "has 0 vertices and 0 faces: expected at least 1 face"
    );
    assert_eq!(
        message("\"mode\": 4", "\"mode\": 9"),
        "expected a primitive with a glTF 2.0 mode, found an unknown mode"
    );
    assert_eq!(
        message("\"count\": 36", "\"count\": 35"),
        "expected three corners for each triangle, found 35 corners"
    );
    assert_eq!(
        message("\"VEC3\"", "\"VEC2\""),
        "expected accessor 0 to hold VEC3 of F32, found VEC2 of F32"
    );
    assert_eq!(
        message("\"VEC3\"", "\"VEC9\""),
        "expected accessor 0 of a glTF 2.0 type, found an unknown type"
    );
    assert_eq!(
        message("5123", "5122"),
        "expected accessor 1 to hold SCALAR of U8, U16 or U32, found SCALAR of I16"
    );
    let sparse = r#""sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5123},
        "values": {"bufferView": 0}}, "count": 8"#;
    assert_eq!(
        message("\"count\": 8", sparse),
        "uses sparse data (accessor 0), which this reader does not support"
    );
    let no_view = message("\"bufferView\": 0, ", "");
    assert!(
        no_view
            .starts_with("uses accessor 0 without a buffer view (zeros, or data of an extension")
    );
    for wrong in ["0", "9", "4000000000", "18446744073709551615"] {
        assert_eq!(
            message("\"count\": 8", &format!("\"count\": {wrong}")),
            format!(
                "expected accessor 0 to hold at least 1 item and fit its buffer view, found {wrong} \
                 items, 12 bytes apart, from byte 0 of a view of 96 bytes"
            )
        );
    }
    let beyond = "expected the buffer view of accessor 1 to lie within its buffer of 168 bytes, \
                  found one that extends beyond it";
    for wrong in ["97", "18446744073709551615"] {
        assert_eq!(message("\"byteOffset\": 96", &format!("\"byteOffset\": {wrong}")), beyond);
        assert_eq!(message("\"byteLength\": 72", &format!("\"byteLength\": {wrong}")), beyond);
    }
    assert_eq!(
        message("\"byteLength\": 96", "\"byteStride\": 8, \"byteLength\": 96"),
        "expected accessor 0 with a stride of at least 12 bytes, found 8 bytes"
    );
    let mut buffer = cube().gltf_buffer();
    // The first corner of face 1: corners are `u16` and follow the positions, which have 96 bytes.
    buffer[96 + 6..96 + 8].copy_from_slice(&[8, 0]);
    assert_eq!(
        error_message("test.gltf", cube().gltf_json(&data_uri(&buffer)).as_bytes()),
        "mesh 0, primitive 0: face 1 refers to vertex 8, but valid numbers are 0 to 7"
    );
    // The y coordinate of vertex 2.
    buffer[28..32].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        error_message("test.gltf", cube().gltf_json(&data_uri(&buffer)).as_bytes()),
        "mesh 0, primitive 0: vertex 2 is at (0, NaN, 0): expected finite coordinates"
    );
    let beyond_f32 = message("{\"mesh\": 0}", "{\"mesh\": 0, \"scale\": [1e39, 1, 1]}");
    // With its feature `float_roundtrip`, which other crates enable, serde_json rejects the number.
    let expected = ["expected finite coordinates", "number out of range at line 1 column"];
    assert!(expected.iter().any(|text| beyond_f32.contains(text)), "{beyond_f32}");
}

#[test]
fn unreadable_gltf_buffers_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("short.bin"), [0; 12]).unwrap();
    let message = |uri: &str| {
        let json = cube().gltf_json(&format!(r#""uri": "{uri}", "#));
        let error =
            read_gltf(json.as_bytes(), Some(folder.path()), &LoadOptions::default()).unwrap_err();
        assert_eq!(error.location, Some(Location::Primitive { mesh: 0, primitive: 0 }));
        error.problem.to_string()
    };
    assert!(message("gone.bin").starts_with("buffer 0 cannot be read from `gone.bin`: "));
    assert_eq!(message("short.bin"), "buffer 0 is truncated: expected 168 bytes, found 12");
    fs::create_dir(folder.path().join("data")).unwrap();
    assert_eq!(message("data"), "buffer 0 cannot be read from `data`: not a regular file");
    for elsewhere in ["http://example.org/cube.bin", "file:///etc/hostname"] {
        assert!(
            message(elsewhere).ends_with("expected `data:` or a path relative to the glTF file"),
            "{elsewhere}"
        );
    }
    assert!(message("%ff.bin").ends_with("the path is not UTF-8"));
    assert!(
        message("data:application/octet-stream;base64")
            .ends_with("expected a comma before the data")
    );
    assert!(
        message("data:application/octet-stream;base64,???").ends_with("the data is not base64")
    );
    assert_eq!(
        message("data:application/octet-stream;base64,AAAA"),
        "buffer 0 is truncated: expected 168 bytes, found 3"
    );

    let json = cube().gltf_json(r#""uri": "cube.bin", "#);
    assert!(
        error_message("test.gltf", json.as_bytes())
            .ends_with("`cube.bin`: no folder was given for files")
    );
    let json = cube().gltf_json("");
    assert_eq!(
        error_message("test.gltf", json.as_bytes()),
        "mesh 0, primitive 0: buffer 0 cannot be read from the binary chunk: only buffer 0 of \
         binary glTF may omit its `uri`"
    );
}
