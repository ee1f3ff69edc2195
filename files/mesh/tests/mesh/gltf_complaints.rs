//! The error messages of glTF.

use std::fs;

use taut_mesh::{LoadOptions, Place, read_gltf};

use crate::make::{complaint, cube, data_uri, glb, with};

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
