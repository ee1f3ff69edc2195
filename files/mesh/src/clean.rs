//! Cleaning: welds vertices, drops degenerate triangles and unused vertices, numbers grids row by
//! row, and counts every change.
//!
//! The order matters: welding may make a triangle degenerate, and dropping a triangle may leave a
//! vertex unused.

use std::collections::HashMap;

use crate::error::{Problem, Result};
use crate::grid::{self, Grid};
use crate::soup::Soup;
use crate::{Format, LoadOptions, Loaded, Report, TriangleMesh, VertexMap};

/// Cleans the output of a reader, as the module describes.
pub(crate) fn clean(soup: Soup, format: Format, options: &LoadOptions) -> Result<Loaded, Problem> {
    let Soup { mut positions, mut triangles, .. } = soup;
    if triangles.is_empty() {
        return Err(Problem::NoFaces { vertices: positions.len() as u64 });
    }
    let mut report = Report {
        format,
        vertices: positions.len(),
        faces: soup.faces,
        triangles: triangles.len(),
        welded: 0,
        degenerate: 0,
        unreferenced: 0,
        unreferenced_kept: options.keep_unreferenced,
        not_faces: soup.not_faces,
        unknown_lines: soup.unknown_lines,
        other_scenes: soup.other_scenes,
        grid: None,
    };

    // The new index of each vertex of the file.
    let mut vertices: Vec<u32> = (0..positions.len() as u32).collect();
    // The triangles of the mesh, with the vertices of the file as corners.
    let mut file_triangles = triangles.clone();
    if options.weld {
        report.welded = weld(&mut positions, &mut vertices);
        renumber(&mut triangles, &vertices);
    }

    let not_degenerate = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let mut welded_triangles = triangles.iter();
    file_triangles.retain(|_| welded_triangles.next().is_some_and(not_degenerate));
    triangles.retain(not_degenerate);
    report.degenerate = report.triangles - triangles.len();
    if triangles.is_empty() {
        return Err(Problem::AllDegenerate { triangles: report.triangles as u64 });
    }

    // `None` for a vertex that is dropped below.
    let mut vertices: Vec<Option<u32>> = vertices.into_iter().map(Some).collect();
    let mut used = vec![false; positions.len()];
    for &corner in triangles.as_flattened() {
        used[corner as usize] = true;
    }
    report.unreferenced = used.iter().filter(|used| !**used).count();
    if report.unreferenced > 0 && !options.keep_unreferenced {
        let new_index = drop_unused(&used, &mut positions);
        renumber(&mut triangles, &new_index);
        for vertex in &mut vertices {
            let is_used = |index: &u32| used[*index as usize];
            *vertex = vertex.filter(is_used).map(|index| new_index[index as usize]);
        }
    }

    let mut mesh = TriangleMesh { positions, triangles };
    let grid = options.number_grids.then(|| grid::find(&mesh)).flatten();
    if let Some(Grid { width, vertices: order }) = grid {
        report.grid = Some([width, order.len() / width]);
        let mut new_index = vec![0; order.len()];
        for (new, &old) in (0..).zip(&order) {
            new_index[old as usize] = new;
        }
        mesh.positions = order.iter().map(|&old| mesh.positions[old as usize]).collect();
        renumber(&mut mesh.triangles, &new_index);
        for vertex in vertices.iter_mut().flatten() {
            *vertex = new_index[*vertex as usize];
        }
    }
    let vertex_map = VertexMap { vertices, triangles: file_triangles };
    Ok(Loaded { mesh, vertex_map, report })
}

/// Welds each vertex to the first one at its position. The remaining vertices keep their order. Sets
/// the new index of each vertex, and returns the number of removed vertices.
fn weld(positions: &mut Vec<[f32; 3]>, new_index: &mut [u32]) -> usize {
    let before = positions.len();
    let mut kept: Vec<[f32; 3]> = Vec::with_capacity(before);
    let mut index_at = HashMap::with_capacity(before);
    for (position, index) in positions.iter().zip(new_index) {
        // Readers return only finite coordinates and no -0.0, so equal coordinates have equal bits.
        *index = *index_at.entry(position.map(f32::to_bits)).or_insert_with(|| {
            kept.push(*position);
            kept.len() as u32 - 1
        });
    }
    *positions = kept;
    before - positions.len()
}

/// Drops unused vertices; the used ones keep their order. Returns the new index of each vertex, which
/// is meaningless for an unused one.
fn drop_unused(used: &[bool], positions: &mut Vec<[f32; 3]>) -> Vec<u32> {
    let mut next = 0;
    let index = |used: &bool| {
        let index = next;
        next += u32::from(*used);
        index
    };
    let new_index = used.iter().map(index).collect();
    let mut used = used.iter();
    positions.retain(|_| used.next() == Some(&true));
    new_index
}

/// Replaces each corner by its new index.
fn renumber(triangles: &mut [[u32; 3]], new_index: &[u32]) {
    for corner in triangles.as_flattened_mut() {
        *corner = new_index[*corner as usize];
    }
}
