//! Shapes, written in every format.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use taut_mesh::{LoadOptions, Loaded, MeshError, read_gltf, read_obj, read_ply};

/// Points and polygons.
pub(crate) struct Shape {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) faces: Vec<Vec<u32>>,
}

/// A cube of six squares.
pub(crate) fn cube() -> Shape {
    let bit = |n: u32, k: u32| (n >> k & 1) as f32;
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Shape {
        positions: (0..8).map(|n| [bit(n, 0), bit(n, 1), bit(n, 2)]).collect(),
        faces: faces.map(Vec::from).into(),
    }
}

/// A bumpy patch of `n` by `n` cells, alternately a square and two triangles.
pub(crate) fn patch(n: u32) -> Shape {
    let at = |i, j| j * (n + 1) + i;
    let mut shape = Shape { positions: Vec::new(), faces: Vec::new() };
    for (j, i) in (0..=n).flat_map(|j| (0..=n).map(move |i| (j, i))) {
        shape.positions.push([i as f32 * 0.1, (i * j % 7) as f32 * 1e-3, j as f32 * -0.3]);
    }
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if (i + j) % 2 == 0 {
            shape.faces.push(vec![a, b, c, d]);
        } else {
            shape.faces.extend([vec![a, b, d], vec![b, c, d]]);
        }
    }
    shape
}

impl Shape {
    /// The triangles into which the faces are split.
    pub(crate) fn triangles(&self) -> Vec<[u32; 3]> {
        let fan = |face: &Vec<u32>| {
            (1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]).collect::<Vec<_>>()
        };
        self.faces.iter().flat_map(fan).collect()
    }

    pub(crate) fn obj(&self) -> Vec<u8> {
        let mut text = String::new();
        for [x, y, z] in &self.positions {
            writeln!(text, "v {x} {y} {z}").unwrap();
        }
        for face in &self.faces {
            let corners: Vec<_> = face.iter().map(|corner| (corner + 1).to_string()).collect();
            writeln!(text, "f {}", corners.join(" ")).unwrap();
        }
        text.into()
    }

    fn ply_header(&self, format: &str) -> String {
        let [vertices, faces] = [self.positions.len(), self.faces.len()];
        format!(
            "ply\nformat {format} 1.0\n\
             element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
             element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    }

    pub(crate) fn ply_ascii(&self) -> Vec<u8> {
        let mut text = self.ply_header("ascii");
        for [x, y, z] in &self.positions {
            writeln!(text, "{x} {y} {z}").unwrap();
        }
        for face in &self.faces {
            let corners: Vec<_> = face.iter().map(u32::to_string).collect();
            writeln!(text, "{} {}", face.len(), corners.join(" ")).unwrap();
        }
        text.into()
    }

    pub(crate) fn ply_binary(&self, big_endian: bool) -> Vec<u8> {
        let format = if big_endian { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = self.ply_header(format).into_bytes();
        let bytes_of = |word: u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
        bytes.extend(
            self.positions.as_flattened().iter().flat_map(|number| bytes_of(number.to_bits())),
        );
        for face in &self.faces {
            bytes.push(face.len() as u8);
            bytes.extend(face.iter().flat_map(|corner| bytes_of(*corner)));
        }
        bytes
    }

    /// The buffer that [`gltf_json`](Self::gltf_json) describes: positions, then triangles of
    /// `u16`.
    pub(crate) fn gltf_buffer(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            self.positions.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(
            self.triangles()
                .as_flattened()
                .iter()
                .flat_map(|corner| (*corner as u16).to_le_bytes()),
        );
        bytes
    }

    /// The document. `uri` says where its buffer is: `"uri": "...",` or an empty string.
    pub(crate) fn gltf_json(&self, uri: &str) -> String {
        let [vertices, corners] = [self.positions.len(), 3 * self.triangles().len()];
        let [start, length] = [12 * vertices, 2 * corners];
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": {vertices}, "type": "VEC3"}},
{{"bufferView": 1, "componentType": 5123, "count": {corners}, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteLength": {start}}}, {{"buffer": 0, "byteOffset": {start}, "byteLength": {length}}}],
"buffers": [{{{uri}"byteLength": {}}}]}}"#,
            start + length
        )
    }

    pub(crate) fn gltf(&self) -> Vec<u8> {
        self.gltf_json(&data_uri(&self.gltf_buffer())).into()
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(&self.gltf_json(""), &self.gltf_buffer())
    }

    /// This shape in every format, with a file name.
    pub(crate) fn files(&self) -> [(&'static str, Vec<u8>); 6] {
        [
            ("cube.obj", self.obj()),
            ("ascii.ply", self.ply_ascii()),
            ("little.ply", self.ply_binary(false)),
            ("big.ply", self.ply_binary(true)),
            ("cube.gltf", self.gltf()),
            ("cube.glb", self.glb()),
        ]
    }
}

/// The property `"uri": "data:...",` with these bytes.
pub(crate) fn data_uri(bytes: &[u8]) -> String {
    format!(r#""uri": "data:application/octet-stream;base64,{}", "#, STANDARD.encode(bytes))
}

/// A binary glTF file.
pub(crate) fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], padding: u8| {
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(4), padding);
        [&(padded.len() as u32).to_le_bytes(), &kind[..], &padded].concat()
    };
    let chunks = [chunk(b"JSON", json.as_bytes(), b' '), chunk(b"BIN\0", binary, 0)].concat();
    let [version, length] = [2, 12 + chunks.len() as u32].map(u32::to_le_bytes);
    [b"glTF", &version[..], &length, &chunks].concat()
}

/// Reads a file of any format, chosen by the extension of its name.
pub(crate) fn read(name: &str, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, MeshError> {
    match name.rsplit('.').next() {
        Some("obj") => read_obj(bytes, options),
        Some("ply") => read_ply(bytes, options),
        _ => read_gltf(bytes, None, options),
    }
}

/// Reads a valid file with the default options.
pub(crate) fn loaded(name: &str, bytes: &[u8]) -> Loaded {
    read(name, bytes, &LoadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The error message of an invalid file.
pub(crate) fn error_message(name: &str, bytes: &[u8]) -> String {
    match read(name, bytes, &LoadOptions::default()) {
        Ok(loaded) => panic!("{name} was read: {}", loaded.report),
        Err(error) => error.to_string(),
    }
}

/// Replaces the first `from` in `text` by `to`.
pub(crate) fn replaced(text: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(text.contains(from), "nothing to replace: {from}");
    text.replacen(from, to, 1).into_bytes()
}
