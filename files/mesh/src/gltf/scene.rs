//! Traverses the nodes of a scene, and reads the primitives of their meshes.

use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Mesh, Node, Root};
use ::gltf::scene::Transform;

use super::buffer::Buffers;
use super::{accessor, find};
use crate::error::{Location, Problem, Result};
use crate::soup::Soup;

/// Adds the triangles of the default scene, or of the first scene if there is no default. Without
/// scenes, all nodes are read; without scenes and nodes, each mesh is read once.
pub(super) fn read(root: &Root, buffers: &mut Buffers, soup: &mut Soup) -> Result<()> {
    let scene = match root.scene {
        Some(id) => Some(find(root, id, "scene", || "the document".into())?),
        None => root.scenes.first(),
    };
    soup.other_scenes = root.scenes.len().saturating_sub(1);
    let mut stack: Vec<(Index<Node>, Matrix)> = match scene {
        Some(scene) => stack_entries(&scene.nodes, IDENTITY),
        None => stack_entries(&root_nodes(root), IDENTITY),
    };
    if scene.is_none() && root.nodes.is_empty() {
        for mesh in 0..root.meshes.len() {
            read_mesh(root, buffers, Index::new(mesh as u32), "the document", &IDENTITY, soup)?;
        }
    }

    // An explicit stack instead of recursion, because the file decides how deep nodes are nested.
    let mut reached = vec![false; root.nodes.len()];
    while let Some((id, parent)) = stack.pop() {
        let index = id.value();
        let node = find(root, id, "node", || "a scene or node".into())?;
        if std::mem::replace(&mut reached[index], true) {
            return Err(Problem::NotATree { node: index }.into());
        }
        let matrix = product(&parent, &local_matrix(node));
        if let Some(mesh) = node.mesh {
            read_mesh(root, buffers, mesh, &format!("node {index}"), &matrix, soup)?;
        }
        stack.extend(stack_entries(node.children.as_deref().unwrap_or_default(), matrix));
    }
    // Without scenes, all nodes are read, except those of a cycle, which has no root.
    match reached.iter().position(|reached| !reached) {
        Some(node) if scene.is_none() => Err(Problem::NotATree { node }.into()),
        _ => Ok(()),
    }
}

/// Pairs nodes with the matrix of their parent, in reverse, so that the first node is on top of the
/// stack.
fn stack_entries(nodes: &[Index<Node>], parent: Matrix) -> Vec<(Index<Node>, Matrix)> {
    nodes.iter().rev().map(|id| (*id, parent)).collect()
}

/// The nodes without a parent.
fn root_nodes(root: &Root) -> Vec<Index<Node>> {
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
        if let Some(is_child) = is_child.get_mut(child.value()) {
            *is_child = true;
        }
    }
    (0..)
        .zip(is_child)
        .filter(|(_, is_child)| !is_child)
        .map(|(index, _)| Index::new(index))
        .collect()
}

fn read_mesh(
    root: &Root,
    buffers: &mut Buffers,
    id: Index<Mesh>,
    by: &str,
    matrix: &Matrix,
    soup: &mut Soup,
) -> Result<()> {
    let mesh = find(root, id, "mesh", || by.to_owned())?;
    for (index, primitive) in mesh.primitives.iter().enumerate() {
        let location = Location::Primitive { mesh: id.value(), primitive: index };
        read_primitive(root, buffers, primitive, matrix, soup)
            .map_err(|problem| problem.at(location))?;
    }
    Ok(())
}

fn read_primitive(
    root: &Root,
    buffers: &mut Buffers,
    primitive: &Primitive,
    matrix: &Matrix,
    soup: &mut Soup,
) -> Result<(), Problem> {
    let Checked::Valid(mode) = primitive.mode else {
        return Err(Problem::malformed("a primitive with a glTF 2.0 mode", "an unknown mode"));
    };
    let positions = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
    let (Some(positions), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) =
        (positions, mode)
    else {
        return soup.count_not_a_face(); // points, lines, or no positions
    };
    let positions = accessor::positions(root, buffers, *positions)?;
    let corners = match primitive.indices {
        Some(id) => accessor::indices(root, buffers, id)?,
        None => (0..positions.len() as u32).collect(),
    };

    let first = soup.vertex_count();
    for (vertex, position) in positions.iter().enumerate() {
        soup.add_vertex(vertex as u64, transform(matrix, *position))?;
    }
    let vertices = positions.len() as u64;
    let mirrored = determinant(matrix) < 0.0;
    for face in 0..triangle_count(mode, corners.len())? {
        let mut triangle = [0; 3];
        for (corner, at) in triangle.iter_mut().zip(corners_of(mode, face)) {
            let index = corners[at];
            if u64::from(index) >= vertices {
                let (face, index) = (face as u64, i64::from(index));
                return Err(Problem::IndexOutOfRange { face, index, vertices, first: 0 });
            }
            *corner = first + index;
        }
        if mirrored {
            triangle.swap(1, 2);
        }
        soup.add_face(&triangle)?;
    }
    Ok(())
}

/// The number of triangles of a primitive with this many corners.
fn triangle_count(mode: Mode, corners: usize) -> Result<usize, Problem> {
    let (is_valid, expected) = match mode {
        Mode::Triangles => (corners.is_multiple_of(3), "three corners for each triangle"),
        _ => (corners >= 3, "at least three corners in a strip or fan"),
    };
    match (is_valid, mode) {
        (true, Mode::Triangles) => Ok(corners / 3),
        (true, _) => Ok(corners - 2),
        _ => Err(Problem::malformed(expected, format!("{corners} corners"))),
    }
}

/// The indices, in the list of corners, of the three corners of triangle `face`, by section 3.7.2.1 of
/// the glTF 2.0 specification.
fn corners_of(mode: Mode, face: usize) -> [usize; 3] {
    match mode {
        Mode::TriangleStrip => [face, face + 1 + face % 2, face + 2 - face % 2],
        Mode::TriangleFan => [face + 1, face + 2, 0],
        _ => [3 * face, 3 * face + 1, 3 * face + 2],
    }
}

/// Four columns, as in glTF. In `f64`, so that positions below deeply nested nodes round to `f32`
/// only once.
type Matrix = [[f64; 4]; 4];

const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The transform of a node relative to its parent.
fn local_matrix(node: &Node) -> Matrix {
    let transform = match node.matrix {
        Some(columns) => {
            let mut matrix = [[0.0; 4]; 4];
            matrix.as_flattened_mut().copy_from_slice(&columns);
            Transform::Matrix { matrix }
        }
        None => Transform::Decomposed {
            translation: node.translation.unwrap_or_default(),
            rotation: node.rotation.unwrap_or_default().0,
            scale: node.scale.unwrap_or([1.0; 3]),
        },
    };
    transform.matrix().map(|column| column.map(f64::from))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|column| [0, 1, 2, 3].map(|row| (0..4).map(|k| a[k][row] * column[k]).sum()))
}

/// Transforms a position. A non-finite one is returned unchanged, so that the error shows the
/// position in the file.
fn transform(matrix: &Matrix, position: [f32; 3]) -> [f32; 3] {
    if !position.iter().all(|coordinate| coordinate.is_finite()) {
        return position;
    }
    let [x, y, z] = position.map(f64::from);
    [0, 1, 2].map(|row| {
        (matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z + matrix[3][row]) as f32
    })
}

/// The determinant of the linear part; negative if the matrix mirrors.
fn determinant([a, b, c, _]: &Matrix) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}
