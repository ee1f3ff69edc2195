//! Places of copies of a model.

use serde::Deserialize;
use taut_core::{COORDINATE_MAX, check_limit};

use crate::file::error::{At, Complaint};
use crate::file::only;
use crate::file::values::{Vector, place};

/// The most copies of a grid: a few bytes of text must not ask for any number of models.
const COPIES_MAX: usize = 1 << 16;

/// Where copies are, from the place of the model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CopiesText<const D: usize> {
    at: Option<Vec<Vector<D>>>,
    grid: Option<Vector<D, u32>>,
    spacing: Option<Vector<D>>,
}

impl<const D: usize> CopiesText<D> {
    /// Checks them.
    pub(super) fn places(self) -> Result<Vec<[f32; D]>, Complaint> {
        let Self { at, grid, spacing } = self;
        if grid.is_some() != spacing.is_some() {
            Err("copies in a grid need both 'grid' and 'spacing'".to_owned())?;
        }
        if at.as_ref().is_some_and(Vec::is_empty) {
            Err("no copy has a place".to_owned()).at("at")?;
        }
        let listed = at.map(|places| -> Result<Vec<[f32; D]>, Complaint> {
            let each = places.into_iter().enumerate();
            each.map(|(nth, at)| place("at", "where a copy is, m,", at).at(nth).at("at")).collect()
        });
        let spaced = grid.zip(spacing).map(|(counts, spacing)| in_grid(counts.into(), spacing));
        let made: Vec<_> = listed.into_iter().chain(spaced).collect();
        only("'copies'", "key", &["at", "grid"], made)?
    }
}

/// Rows along the first axis, one after the other along the second, and so on.
fn in_grid<const D: usize>(
    counts: [u32; D],
    spacing: Vector<D>,
) -> Result<Vec<[f32; D]>, Complaint> {
    let spacing = place("spacing", "the spacing of copies, m,", spacing).at("spacing")?;
    let product = counts.iter().map(|&count| u128::from(count)).fold(1, u128::saturating_mul);
    let all = check_limit("copies", product, COPIES_MAX).at("grid")?;
    if all == 0 {
        Err("a grid of copies needs one or more along each axis".to_owned()).at("grid")?;
    }
    let place = |mut nth: usize| {
        core::array::from_fn(|axis| {
            let count = counts[axis] as usize;
            let along = (nth % count) as f32 * spacing[axis];
            nth /= count;
            along
        })
    };
    let far =
        place(all - 1).into_iter().find(|along: &f32| f64::from(along.abs()) > COORDINATE_MAX);
    if let Some(along) = far {
        Err(format!("the last copy is {along} m from the first; it must be within 1e12 m"))
            .at("spacing")?;
    }
    Ok((0..all).map(place).collect())
}
