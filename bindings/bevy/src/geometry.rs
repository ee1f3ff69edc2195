//! The triangles of a mesh, with vertices at the same position welded into one particle.

use std::collections::HashMap;

use bevy_mesh::{Mesh, MeshAccessError, PrimitiveTopology, VertexAttributeValues};

use crate::error::TautError;

/// The triangles of a mesh with particles as their corners, and how particles and triangles correspond to the
/// vertices and triangles of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Welded {
    /// The position of each particle, in the space of the mesh.
    pub(crate) positions: Vec<[f32; 3]>,
    /// The corners of each triangle, as indices of particles.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The particle of each vertex of the mesh; [`NONE`] for vertices without a triangle.
    pub(crate) particle_of: Vec<u32>,
    /// The first vertex of each particle.
    pub(crate) vertex_of: Vec<u32>,
    /// The triangle of the mesh for each of `triangles`.
    pub(crate) triangle_of: Vec<u32>,
}

/// The value in `particle_of` for a vertex that has no particle.
pub(crate) const NONE: u32 = u32::MAX;

/// The positions of a mesh.
pub(crate) fn positions(mesh: &Mesh) -> Result<&[[f32; 3]], TautError> {
    let values = mesh.try_attribute_option(Mesh::ATTRIBUTE_POSITION);
    match values.map_err(|_| TautError::NotInMainWorld)? {
        Some(VertexAttributeValues::Float32x3(positions)) => Ok(positions),
        Some(other) => {
            let found = format!("{:?}", bevy_mesh::VertexFormat::from(other));
            Err(TautError::Positions { found })
        }
        None => Err(TautError::Positions { found: "no positions".to_owned() }),
    }
}

/// The corners of the triangles of a mesh.
fn triangles(mesh: &Mesh, vertices: usize) -> Result<Vec<[u32; 3]>, TautError> {
    if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
        return Err(TautError::Topology { found: mesh.primitive_topology() });
    }
    let corners: Vec<u32> = match mesh.try_indices() {
        Ok(indices) => indices.iter().map(|index| index as u32).collect(),
        Err(MeshAccessError::NotFound) => (0..vertices as u32).collect(),
        Err(MeshAccessError::ExtractedToRenderWorld) => return Err(TautError::NotInMainWorld),
    };
    let (triangles, _) = corners.as_chunks::<3>();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&corner) = corners.iter().find(|corner| **corner as usize >= vertices) {
            return Err(TautError::NoSuchVertex { triangle, corner, vertices });
        }
    }
    Ok(triangles.to_vec())
}

/// Reads the triangles of a mesh. Exporters split vertices along seams of normals and texture
/// coordinates, where cloth would come apart: vertices at the same position become one particle. Then
/// triangles without three distinct corners are dropped, and vertices that no triangle uses.
pub(crate) fn weld(mesh: &Mesh) -> Result<Welded, TautError> {
    let vertices = positions(mesh)?;
    let mesh_triangles = triangles(mesh, vertices.len())?;
    // `first_at`: the first vertex at each position. `first`: for each vertex, the first one at its position.
    let mut first_at = HashMap::with_capacity(vertices.len());
    // Adding 0.0 makes -0.0 and 0.0 equal.
    let key = |position: &[f32; 3]| position.map(|x| (x + 0.0).to_bits());
    let first: Vec<u32> = (0..)
        .zip(vertices)
        .map(|(vertex, position)| *first_at.entry(key(position)).or_insert(vertex))
        .collect();
    let mut welded = Welded {
        positions: Vec::new(),
        triangles: Vec::with_capacity(mesh_triangles.len()),
        particle_of: vec![NONE; vertices.len()],
        vertex_of: Vec::new(),
        triangle_of: Vec::with_capacity(mesh_triangles.len()),
    };
    for (index, triangle) in (0..).zip(&mesh_triangles) {
        let [a, b, c] = triangle.map(|corner| first[corner as usize]);
        if a != b && b != c && c != a {
            welded.triangles.push([a, b, c]);
            welded.triangle_of.push(index);
        }
    }
    if welded.triangles.is_empty() {
        return Err(TautError::NoTriangles { triangles: mesh_triangles.len() });
    }
    let mut used = vec![false; vertices.len()];
    for &vertex in welded.triangles.as_flattened() {
        used[vertex as usize] = true;
    }
    // Particles are in the order of the vertices, so that a grid that is numbered row by row stays one.
    for (vertex, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        welded.particle_of[vertex] = welded.vertex_of.len() as u32;
        welded.vertex_of.push(vertex as u32);
        welded.positions.push(vertices[vertex].map(|x| x + 0.0));
    }
    for (vertex, &first) in first.iter().enumerate() {
        welded.particle_of[vertex] = welded.particle_of[first as usize];
    }
    for corner in welded.triangles.as_flattened_mut() {
        *corner = welded.particle_of[*corner as usize];
    }
    Ok(welded)
}
