//! Positions of copies of a model.

use serde::Deserialize;
use taut_core::{COORDINATE_MAX, check_limit};
use taut_world::{Model, ModelError};

use crate::file::error::{At, BuildError};
use crate::file::exactly_one;
use crate::file::values::{Vector, position};

/// Maximum number of copies in a grid. Without this limit, a few bytes of text could request any
/// number of models.
const COPIES_MAX: usize = 1 << 16;

/// The positions of copies relative to that of the model, m: a list (`at`), or a grid (`grid` and
/// `spacing`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CopiesTable<const D: usize> {
    at: Option<Vec<Vector<D>>>,
    grid: Option<Vector<D, u32>>,
    spacing: Option<Vector<D>>,
}

impl<const D: usize> CopiesTable<D> {
    /// Returns the positions, after a check that they and the particles of all copies of `model` are
    /// in range.
    pub(super) fn positions(self, model: &Model<D>) -> Result<Vec<[f32; D]>, BuildError> {
        let Self { at, grid, spacing } = self;
        if grid.is_some() != spacing.is_some() {
            Err("copies in a grid need both 'grid' and 'spacing'".to_owned())?;
        }
        if at.as_ref().is_some_and(Vec::is_empty) {
            Err("expected the position of at least one copy, found none".to_owned()).at("at")?;
        }
        let listed = at.map(|positions| -> Result<Vec<[f32; D]>, BuildError> {
            let checked = positions
                .into_iter()
                .enumerate()
                .map(|(nth, at)| position("at", "the position of a copy, m,", at).at(nth).at("at"));
            checked.collect()
        });
        let spaced = grid.zip(spacing).map(|(counts, spacing)| in_grid(counts.into(), spacing));
        let given: Vec<_> = listed.into_iter().chain(spaced).collect();
        let positions = exactly_one("'copies'", "key", &["at", "grid"], given)??;
        check_particles(model, &positions)?;
        Ok(positions)
    }
}

/// Checks the positions of the particles of copies of a model at `positions`.
fn check_particles<const D: usize>(
    model: &Model<D>,
    positions: &[[f32; D]],
) -> Result<(), ModelError> {
    let range = -COORDINATE_MAX..=COORDINATE_MAX;
    for axis in 0..D {
        let coordinates = || model.particles.positions(axis).iter().copied();
        // Rounding keeps the order, so a copy is in range if its two extreme coordinates are.
        let extremes = [coordinates().reduce(f32::min), coordinates().reduce(f32::max)];
        for x in extremes.into_iter().flatten() {
            for position in positions {
                let what = "a coordinate of a particle of a copy, m,";
                let moved = x + position[axis];
                ModelError::check("at", what, moved.into(), range.clone(), "from -1e12 to 1e12")?;
            }
        }
    }
    Ok(())
}

/// Positions in a grid; the index along the first axis varies fastest.
fn in_grid<const D: usize>(
    counts: [u32; D],
    spacing: Vector<D>,
) -> Result<Vec<[f32; D]>, BuildError> {
    let spacing = position("spacing", "the spacing of copies, m,", spacing).at("spacing")?;
    let product = counts.iter().map(|&count| u128::from(count)).fold(1, u128::saturating_mul);
    let total = check_limit("copies", product, COPIES_MAX).at("grid")?;
    if total == 0 {
        Err("a grid of copies needs at least 1 along each axis".to_owned()).at("grid")?;
    }
    let position_of = |mut nth: usize| {
        core::array::from_fn(|axis| {
            let count = counts[axis] as usize;
            let coordinate = (nth % count) as f32 * spacing[axis];
            nth /= count;
            coordinate
        })
    };
    let too_far = position_of(total - 1)
        .into_iter()
        .find(|coordinate: &f32| f64::from(coordinate.abs()) > COORDINATE_MAX);
    if let Some(coordinate) = too_far {
        Err(format!("the last copy is {coordinate} m from the first; it must be within 1e12 m"))
            .at("spacing")?;
    }
    Ok((0..total).map(position_of).collect())
}
