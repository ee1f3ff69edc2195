//! Mesh files for the tests: one patch in every valid format, and a file with a wrong count.

use std::fmt::Write as _;

/// The number of cells of the patch along a side.
pub(crate) const CELLS: u32 = 6;

/// An upright, bumpy patch of right triangles.
struct Patch {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// A patch with cells of width `cell_width`, in the length unit of the file.
fn patch(cell_width: f32) -> Patch {
    // Vertex (i, j) is in column i and row j.
    let vertex = |i, j| j * (CELLS + 1) + i;
    let mut patch = Patch { positions: Vec::new(), triangles: Vec::new() };
    for (j, i) in (0..=CELLS).flat_map(|j| (0..=CELLS).map(move |i| (j, i))) {
        let bump = (i * j % 3) as f32 * 0.125;
        patch.positions.push([i as f32, -(j as f32), bump].map(|x| x * cell_width));
    }
    for (j, i) in (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (j, i))) {
        let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
        patch.triangles.extend([[a, b, c], [a, c, d]]);
    }
    patch
}

/// The mean length of the edges of a patch, each counted once, and their number.
pub(crate) fn edge_mean_and_count(cell_width: f32) -> (f64, usize) {
    let Patch { positions, triangles } = patch(cell_width);
    let mut edges = std::collections::BTreeSet::new();
    for [a, b, c] in triangles {
        edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
    }
    let length = |&[a, b]: &[u32; 2]| {
        let difference = |axis: usize| {
            f64::from(positions[a as usize][axis]) - f64::from(positions[b as usize][axis])
        };
        (0..3).map(|axis| difference(axis).powi(2)).sum::<f64>().sqrt()
    };
    (edges.iter().map(length).sum::<f64>() / edges.len() as f64, edges.len())
}

/// The patch as an OBJ file, with cells of width `cell_width`.
pub(crate) fn obj(cell_width: f32) -> Vec<u8> {
    let Patch { positions, triangles } = patch(cell_width);
    let mut text = String::new();
    for [x, y, z] in positions {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| corner + 1);
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
    text.into()
}

/// A PLY header with the given numbers of vertices and faces.
fn ply_header(format: &str, vertices: usize, faces: usize) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
         property float z\nelement face {faces}\nproperty list uchar int vertex_indices\n\
         end_header\n"
    )
}

/// The patch as a PLY file in ASCII.
pub(crate) fn ply_ascii(cell_width: f32) -> Vec<u8> {
    let Patch { positions, triangles } = patch(cell_width);
    let mut text = ply_header("ascii", positions.len(), triangles.len());
    for [x, y, z] in positions {
        writeln!(text, "{x} {y} {z}").unwrap();
    }
    for [a, b, c] in triangles {
        writeln!(text, "3 {a} {b} {c}").unwrap();
    }
    text.into()
}

/// The patch as a binary PLY file.
pub(crate) fn ply_binary(cell_width: f32, big_endian: bool) -> Vec<u8> {
    let Patch { positions, triangles } = patch(cell_width);
    let format = if big_endian { "binary_big_endian" } else { "binary_little_endian" };
    let encode = |word: u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
    let mut bytes = ply_header(format, positions.len(), triangles.len()).into_bytes();
    bytes.extend(positions.as_flattened().iter().flat_map(|x| encode(x.to_bits())));
    for corners in triangles {
        bytes.push(3);
        bytes.extend(corners.into_iter().flat_map(encode));
    }
    bytes
}

/// A PLY file whose header states four billion vertices, and that has one vertex.
pub(crate) fn ply_wrong_count() -> Vec<u8> {
    (ply_header("ascii", 4_000_000_000, 1) + "0 0 0\n3 0 0 0\n").into()
}

/// The patch as a binary glTF file.
pub(crate) fn glb(cell_width: f32) -> Vec<u8> {
    let Patch { positions, triangles } = patch(cell_width);
    let [vertices, corners] = [positions.len(), 3 * triangles.len()];
    // The buffer has the positions, then, from byte `start`, the vertex indices.
    let [start, length] = [12 * vertices, 4 * corners]; // bytes
    let total = start + length;
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": {vertices}, "type": "VEC3"}},
{{"bufferView": 1, "componentType": 5125, "count": {corners}, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteLength": {start}}},
{{"buffer": 0, "byteOffset": {start}, "byteLength": {length}}}],
"buffers": [{{"byteLength": {total}}}]}}"#
    );
    let mut binary: Vec<u8> =
        positions.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    binary.extend(triangles.as_flattened().iter().flat_map(|corner| corner.to_le_bytes()));
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(4), b' ');
        [&(padded.len() as u32).to_le_bytes(), &kind[..], &padded].concat()
    };
    let chunks = [chunk(b"JSON", json.as_bytes()), chunk(b"BIN\0", &binary)].concat();
    let [version, length] = [2, 12 + chunks.len() as u32].map(u32::to_le_bytes);
    [b"glTF", &version[..], &length, &chunks].concat()
}

/// The same patch in every format.
pub(crate) fn valid_files() -> [(&'static str, Vec<u8>); 6] {
    [
        ("patch.obj", obj(1.0)),
        ("CAPITALS.OBJ", obj(1.0)),
        ("ascii.ply", ply_ascii(1.0)),
        ("little.ply", ply_binary(1.0, false)),
        ("big.ply", ply_binary(1.0, true)),
        ("patch.glb", glb(1.0)),
    ]
}
