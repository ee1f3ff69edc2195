//! Positions of copies of a model.

use serde::Deserialize;
use taut_core::{COORDINATE_MAX, check_limit};

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
    /// Checks the positions, and returns them.
    pub(super) fn positions(self) -> Result<Vec<[f32; D]>, BuildError> {
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
        exactly_one("'copies'", "key", &["at", "grid"], given)?
    }
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
