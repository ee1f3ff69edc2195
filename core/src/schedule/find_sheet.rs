//! Recognises the sticks of a regular sheet.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::sheet::{Family, Sheet};
use crate::real::Real;
use crate::sticks::Sticks;

impl Sheet {
    /// The sheet whose sticks these are, in whatever order and direction, and for each stick of the
    /// sheet, in the order of [`pairs`](Self::pairs), the number of the given one. The particles
    /// must be numbered row by row, and the sheet must have rows and columns of sticks. `None` if a
    /// stick is missing, superfluous or there twice.
    ///
    /// Takes linear time; for an irregular mesh it stops after a few sticks.
    ///
    /// ```
    /// use taut_core::{Bending, Duplicates, Family, Particles, Sheet, Sticks};
    ///
    /// // A mesh of 3 by 2 squares, each split from its upper left to its lower right corner.
    /// let points: Vec<_> = (0..12).map(|it| [(it % 4) as f32, (it / 4) as f32]).collect();
    /// let corners = [0, 1, 2, 4, 5, 6];
    /// let halves = |it: u32| [[it, it + 5, it + 1], [it, it + 4, it + 5]];
    /// let triangles: Vec<_> = corners.into_iter().flat_map(halves).collect();
    /// let particles = Particles::new(&points, &[1.0; 12])?;
    ///
    /// let sticks = Sticks::from_triangles(&particles, &triangles, Bending::Free)?;
    /// let (sheet, order) = Sheet::find(&sticks).expect("a regular sheet");
    /// assert_eq!((sheet.width(), sheet.height()), (4, 3));
    /// assert_eq!(sheet.families(), [Family::Row, Family::Column, Family::Diagonal]);
    /// let rests: Vec<f32> = order.iter().map(|&stick| sticks.rest(stick as usize)).collect();
    /// let sticks = Sticks::with_rests(12, &sheet.pairs(), &rests, Duplicates::Keep)?;
    /// assert!(sheet.schedule(&sticks).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find<S: Real>(sticks: &Sticks<S>) -> Option<(Self, Vec<u32>)> {
        let particles = sticks.particles();
        // The ends of a family's sticks differ by the same number, and in the columns by the width.
        let mut differences = BTreeSet::new();
        for &[a, b] in sticks.ends() {
            differences.insert(a.abs_diff(b) as usize);
            if differences.len() > Family::EVERY.len() {
                return None;
            }
        }
        let fits = |width: &usize| *width > 1 && particles.is_multiple_of(*width);
        let mut widths = differences.iter().copied().filter(fits);
        widths.find_map(|width| of_width(sticks, width))
    }
}

/// The sheet of this width, if the sticks are those of one.
fn of_width<S: Real>(sticks: &Sticks<S>, width: usize) -> Option<(Sheet, Vec<u32>)> {
    let placed = |&ends: &[u32; 2]| placed(ends, width);
    let mut has = [false; Family::EVERY.len()];
    for ends in sticks.ends() {
        let (family, ..) = placed(ends)?;
        has[family as usize] = true;
    }
    let families: Vec<Family> =
        Family::EVERY.iter().copied().filter(|&family| has[family as usize]).collect();
    let sheet = Sheet::new(width, sticks.particles() / width, &families);
    let structural = Family::STRUCTURAL.iter().all(|family| families.contains(family));
    if !structural || sheet.stick_count() != sticks.len() {
        return None;
    }
    // As many sticks as the sheet has, each of its own: all of them.
    let mut order = alloc::vec![u32::MAX; sticks.len()];
    for (ends, stick) in sticks.ends().iter().zip(0..) {
        let (family, i, j) = placed(ends)?;
        let place = &mut order[sheet.number(family, i, j)? as usize];
        if *place != u32::MAX {
            return None;
        }
        *place = stick;
    }
    Some((sheet, order))
}

/// The family of a stick with these ends in a sheet of this width, and the column and row at which
/// its bounding box begins.
fn placed(ends: [u32; 2], width: usize) -> Option<(Family, usize, usize)> {
    let upper = *ends.iter().min()? as usize;
    let lower = *ends.iter().max()? as usize;
    let [upper, lower] = [upper, lower].map(|end| [end % width, end / width]);
    let span = [upper[0].abs_diff(lower[0]), lower[1] - upper[1]];
    let leans_left = span[1] > 0 && lower[0] < upper[0];
    let same = |family: &Family| family.span() == span && family.leans_left() == leans_left;
    let family = Family::EVERY.iter().copied().find(same)?;
    Some((family, upper[0].min(lower[0]), upper[1]))
}
