//! The rest shapes of models.

use taut_core::{Family, Kind, Sheet, Sticks};

use super::rest_shape::{EdgeLengths, RestShape, sides_of};
use crate::disjoint_sets::DisjointSets;
use crate::model::Model;
use crate::vector::{difference, length, to_f64};

impl RestShape {
    /// The rest shape of a model, without torn sticks.
    ///
    /// For a regular sheet: the sticks between neighbours and both triangles of each cell. In a sheet
    /// without diagonals, that of a cell is as long as in a rectangle. For other models: the faces, and the
    /// sticks except those between two particles of connected faces. A side of a face has the rest
    /// length of its stick or, without a stick, the distance between its ends. Faces with a torn side
    /// are left out, and so are torn sticks, sticks that keep a minimum distance, and those that only
    /// [resist bending](Model::bending).
    pub(crate) fn of<const D: usize>(model: &Model<D>) -> Self {
        let sheet = model.sheet.as_ref().and_then(|sheet| of_sheet(model, sheet));
        sheet.unwrap_or_else(|| of_faces(model))
    }
}

/// Whether a stick is an edge of the rest shape unless it is torn.
fn is_edge<const D: usize>(model: &Model<D>, stick: usize) -> bool {
    model.sticks.kind(stick) != Kind::Minimum && model.bending.get(stick) != Some(&true)
}

/// The rest length of a stick, m; infinite if it is torn.
fn length_unless_torn(sticks: &Sticks, stick: usize) -> f32 {
    if sticks.is_torn(stick) { f32::INFINITY } else { sticks.rest(stick) }
}

/// The rest shape of a regular sheet. None if it has no rows or columns of sticks, or if the sticks are
/// not those of the sheet.
fn of_sheet<const D: usize>(model: &Model<D>, sheet: &Sheet) -> Option<RestShape> {
    let Model { sticks, particles, .. } = model;
    let has = |family: Family| sheet.families().contains(&family);
    let width = sheet.width();
    let cells = width.checked_mul(sheet.height())?;
    if !has(Family::Row) || !has(Family::Column) || cells > particles.len() {
        return None;
    }
    // For each of these four families, the rest lengths of its sticks by cell, m; infinite where there is
    // no edge.
    let mut lengths = [Family::Row, Family::Column, Family::Diagonal, Family::Antidiagonal]
        .map(|family| vec![f32::INFINITY; if has(family) { cells } else { 0 }]);
    for (stick, (family, i, j)) in sheet.stick_locations().enumerate() {
        let cell = j * width + i;
        let (list, ends) = match family {
            Family::Row => (0, [cell, cell + 1]),
            Family::Column => (1, [cell, cell + width]),
            Family::Diagonal => (2, [cell, cell + width + 1]),
            Family::Antidiagonal => (3, [cell + 1, cell + width]),
            _ => break, // the remaining families, which are last, join particles further apart
        };
        if *sticks.ends().get(stick)? != ends.map(|end| end as u32) {
            return None;
        }
        if is_edge(model, stick) {
            lengths[list][cell] = length_unless_torn(sticks, stick);
        }
    }
    let length = |list: usize, cell: usize| {
        lengths[list].get(cell).copied().filter(|length| length.is_finite())
    };
    let square = |length: f32| f64::from(length) * f64::from(length);

    let mut edges: Vec<([u32; 2], f32)> = Vec::with_capacity(4 * cells);
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(2 * cells);
    for cell in 0..cells {
        let [a, b, c, d] = [cell, cell + 1, cell + width, cell + width + 1].map(|it| it as u32);
        let [row, column] = [0, 1].map(|list| length(list, cell));
        edges.extend(row.map(|row| ([a, b], row)));
        edges.extend(column.map(|column| ([a, c], column)));
        if (b as usize).is_multiple_of(width) || d as usize >= cells {
            continue;
        }
        let [below, right] = [length(0, cell + width), length(1, cell + 1)];
        let [diagonal, antidiagonal] = [2, 3].map(|list| length(list, cell));
        // In a sheet with diagonals, a cell without a diagonal is torn.
        let is_braced = has(Family::Diagonal) || has(Family::Antidiagonal);
        let (halves, diagonal) = match (diagonal, antidiagonal) {
            (None, Some(length)) => {
                let upper = (row.is_some() && column.is_some()).then_some([a, c, b]);
                let lower = (below.is_some() && right.is_some()).then_some([b, c, d]);
                ([upper, lower], ([b, c], length))
            }
            (None, None) if is_braced => continue,
            (diagonal, antidiagonal) => {
                // The mean square of the lengths of opposite sides, of which one may be missing.
                let mean_square = |one: Option<f32>, other: Option<f32>| match (one, other) {
                    (Some(one), Some(other)) => 0.5 * (square(one) + square(other)),
                    (Some(one), None) | (None, Some(one)) => square(one),
                    (None, None) => f64::INFINITY,
                };
                let left_half = (column.is_some() && below.is_some()).then_some([a, c, d]);
                let right_half = (row.is_some() && right.is_some()).then_some([a, d, b]);
                let halves = [left_half, right_half];
                if let Some(other) = antidiagonal.filter(|_| halves.contains(&None)) {
                    edges.push(([b, c], other)); // it still joins its ends where a half is missing
                }
                let of_rectangle =
                    || (mean_square(row, below) + mean_square(column, right)).sqrt() as f32;
                (halves, ([a, d], diagonal.unwrap_or_else(of_rectangle)))
            }
        };
        if is_braced || halves != [None, None] {
            edges.push(diagonal);
        }
        triangles.extend(halves.into_iter().flatten());
    }
    Some(RestShape::new(particles.len(), edges, triangles))
}

/// The rest shape of a model by its faces, for those that [`of_sheet`] does not handle.
fn of_faces<const D: usize>(model: &Model<D>) -> RestShape {
    let Model { sticks, particles, .. } = model;
    let count = particles.len();
    let edge_sticks: Vec<usize> = (0..sticks.len()).filter(|&it| is_edge(model, it)).collect();
    let given: Vec<([u32; 2], f32)> = edge_sticks
        .iter()
        .map(|&stick| (sticks.ends()[stick], length_unless_torn(sticks, stick)))
        .collect();
    let lengths = EdgeLengths::new(sticks.particles().max(count), &given);
    let distance = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|end| to_f64(particles.position(end as usize)));
        length(difference(b, a)) as f32
    };

    let mut edges: Vec<([u32; 2], f32)> = Vec::with_capacity(given.len());
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(model.faces.len());
    let mut connected = DisjointSets::new(count);
    let mut on_faces = vec![false; count];
    for &face in &model.faces {
        if face.iter().any(|&corner| corner as usize >= count) {
            continue;
        }
        let sides = sides_of(face).map(|ends| match lengths.find(ends) {
            Some((_, length)) => (ends, length),
            None => (ends, distance(ends)),
        });
        // The length of a torn side is infinite.
        if sides.iter().all(|(_, length)| length.is_finite()) {
            edges.extend(sides);
            triangles.push(face);
            for (ends, _) in sides {
                connected.unite(ends);
                on_faces[ends[0] as usize] = true;
            }
        }
    }
    for (ends, length) in given {
        let on_surface = ends.iter().all(|&end| on_faces.get(end as usize) == Some(&true));
        if length.is_finite() && !(on_surface && connected.root(ends[0]) == connected.root(ends[1]))
        {
            edges.push((ends, length));
        }
    }
    RestShape::new(count, edges, triangles)
}
