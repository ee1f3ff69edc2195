//! Cleaning: weld vertices, drop degenerate triangles, drop unused vertices, number grids by rows, and
//! count all of it.
//!
//! The order matters: welding may make a triangle degenerate, and dropping that may leave a vertex
//! unused.

use std::collections::HashMap;

use crate::error::{Problem, Result};
use crate::grid::{self, Grid};
use crate::soup::Soup;
use crate::{Format, LoadOptions, Loaded, Origin, Report, TriangleMesh};

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

    // `vertices[v]` is the new index of vertex `v` of the file.
    let mut vertices: Vec<u32> = (0..positions.len() as u32).collect();
    let mut corners = triangles.clone();
    if options.weld {
        report.welded = weld(&mut positions, &mut vertices);
        rename(&mut triangles, &vertices);
    }

    let whole = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let mut welded = triangles.iter();
    corners.retain(|_| welded.next().is_some_and(whole));
    triangles.retain(whole);
    report.degenerate = report.triangles - triangles.len();
    if triangles.is_empty() {
        return Err(Problem::AllDegenerate { triangles: report.triangles as u64 });
    }

    let mut vertices: Vec<Option<u32>> = vertices.into_iter().map(Some).collect();
    let mut used = vec![false; positions.len()];
    for &corner in triangles.as_flattened() {
        used[corner as usize] = true;
    }
    report.unreferenced = used.iter().filter(|used| !**used).count();
    if report.unreferenced > 0 && !options.keep_unreferenced {
        let new_name = keep(&used, &mut positions);
        rename(&mut triangles, &new_name);
        for vertex in &mut vertices {
            *vertex = vertex.filter(|it| used[*it as usize]).map(|it| new_name[it as usize]);
        }
    }

    let mut mesh = TriangleMesh { positions, triangles };
    let grid = options.number_grids.then(|| grid::find(&mesh)).flatten();
    if let Some(Grid { width, vertices: order }) = grid {
        report.grid = Some([width, order.len() / width]);
        let mut new_name = vec![0; order.len()];
        for (new, &old) in (0..).zip(&order) {
            new_name[old as usize] = new;
        }
        mesh.positions = order.iter().map(|&old| mesh.positions[old as usize]).collect();
        rename(&mut mesh.triangles, &new_name);
        for vertex in vertices.iter_mut().flatten() {
            *vertex = new_name[*vertex as usize];
        }
    }
    let origin = Origin { vertices, triangles: corners };
    Ok(Loaded { mesh, origin, report })
}

/// Welds each vertex to the first one at its position; the rest stay in order. Returns the number of
/// removed vertices.
fn weld(positions: &mut Vec<[f32; 3]>, new_name: &mut [u32]) -> usize {
    let before = positions.len();
    let mut kept: Vec<[f32; 3]> = Vec::with_capacity(before);
    let mut at = HashMap::with_capacity(before);
    for (position, name) in positions.iter().zip(new_name) {
        // Finite and never -0.0 (the readers ensure it), so equal bits are equal numbers.
        *name = *at.entry(position.map(f32::to_bits)).or_insert_with(|| {
            kept.push(*position);
            kept.len() as u32 - 1
        });
    }
    *positions = kept;
    before - positions.len()
}

/// Keeps the used vertices, in order. Returns their new indices; those of unused ones are meaningless.
fn keep(used: &[bool], positions: &mut Vec<[f32; 3]>) -> Vec<u32> {
    let mut next = 0;
    let name = |used: &bool| {
        let name = next;
        next += u32::from(*used);
        name
    };
    let new_name = used.iter().map(name).collect();
    let mut used = used.iter();
    positions.retain(|_| used.next() == Some(&true));
    new_name
}

fn rename(triangles: &mut [[u32; 3]], new_name: &[u32]) {
    for corner in triangles.as_flattened_mut() {
        *corner = new_name[*corner as usize];
    }
}
