//! Recognition of the sticks of a regular sheet.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::sheet::{Family, Sheet};
use crate::real::Real;
use crate::sticks::Sticks;

impl Sheet {
    /// Recognizes the sticks of a sheet, in any order and with their ends in either order. Returns
    /// the sheet and, for each of its sticks in the order of [`pairs`](Self::pairs), the number of
    /// that stick in `sticks`. The particles must be numbered row by row, and the sheet must have
    /// the families [`STRUCTURAL`](Family::STRUCTURAL). `None` if a stick is missing, superfluous
    /// or duplicated.
    ///
    /// It takes linear time. For an irregular mesh it returns after a few sticks.
    ///
    /// ```
    /// use taut_core::{Bending, Duplicates, Family, Particles, Sheet, Sticks};
    ///
    /// // A mesh of 3 by 2 squares, each split from its upper left to its lower right corner.
    /// let points: Vec<_> = (0..12).map(|i| [(i % 4) as f32, (i / 4) as f32]).collect();
    /// let corners = [0, 1, 2, 4, 5, 6];
    /// let halves = |i: u32| [[i, i + 5, i + 1], [i, i + 4, i + 5]];
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
        // The ends of all sticks of a family differ by the same number; for `Column` it is the
        // width.
        let mut differences = BTreeSet::new();
        for &[a, b] in sticks.ends() {
            differences.insert(a.abs_diff(b) as usize);
            if differences.len() > Family::ALL.len() {
                return None;
            }
        }
        let fits = |width: &usize| *width > 1 && particles.is_multiple_of(*width);
        let mut widths = differences.iter().copied().filter(fits);
        widths.find_map(|width| find_with_width(sticks, width))
    }
}

/// [`Sheet::find`] for a given width.
fn find_with_width<S: Real>(sticks: &Sticks<S>, width: usize) -> Option<(Sheet, Vec<u32>)> {
    let mut present = [false; Family::ALL.len()];
    for ends in sticks.ends() {
        let (family, ..) = locate(*ends, width)?;
        present[family as usize] = true;
    }
    let families: Vec<Family> =
        Family::ALL.iter().copied().filter(|&family| present[family as usize]).collect();
    let sheet = Sheet::new(width, sticks.particles() / width, &families);
    let structural = Family::STRUCTURAL.iter().all(|family| families.contains(family));
    if !structural || sheet.stick_count() != sticks.len() {
        return None;
    }
    // The number of sticks is that of the sheet, so if no two are the same, none is missing.
    let mut order = alloc::vec![u32::MAX; sticks.len()];
    for (ends, stick) in sticks.ends().iter().zip(0..) {
        let (family, i, j) = locate(*ends, width)?;
        let entry = &mut order[sheet.stick_number(family, i, j)? as usize];
        if *entry != u32::MAX {
            return None;
        }
        *entry = stick;
    }
    Some((sheet, order))
}

/// The family of the stick with these ends in a sheet of this width, and the column and row at
/// which its bounding box begins. `None` if no family has such a stick.
fn locate(ends: [u32; 2], width: usize) -> Option<(Family, usize, usize)> {
    let upper = *ends.iter().min()? as usize;
    let lower = *ends.iter().max()? as usize;
    let [upper, lower] = [upper, lower].map(|end| [end % width, end / width]);
    let span = [upper[0].abs_diff(lower[0]), lower[1] - upper[1]];
    let leans_left = span[1] > 0 && lower[0] < upper[0];
    let matches = |family: &Family| family.span() == span && family.leans_left() == leans_left;
    let family = Family::ALL.iter().copied().find(matches)?;
    Some((family, upper[0].min(lower[0]), upper[1]))
}
