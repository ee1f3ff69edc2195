//! Recognition of regular sheets among triangle meshes.

use taut_core::{Duplicates, Sheet, Sticks};

use super::Model;

/// The minimum number of columns of a mesh that is run as a sheet: narrower ones gain too little to
/// justify a schedule that differs from that of other meshes.
const COLUMNS_MIN: usize = 16;

impl<const D: usize> Model<D> {
    /// If the sticks are exactly those of a regular sheet, renumbers them as the sheet numbers
    /// them. The sticks must be plain, and of the lists with an entry per stick only `bending` may
    /// have entries.
    pub(super) fn recognize_sheet(self) -> Self {
        let found = Sheet::find(&self.sticks);
        let Some((sheet, order)) = found.filter(|(sheet, _)| sheet.width() >= COLUMNS_MIN) else {
            return self;
        };
        let old = order.iter().map(|&stick| stick as usize);
        let rests: Vec<f32> = old.clone().map(|stick| self.sticks.rest(stick)).collect();
        let bending = old.filter_map(|stick| self.bending.get(stick).copied()).collect();
        let pairs = sheet.pairs();
        let sticks = Sticks::with_rests(self.sticks.particles(), &pairs, &rests, Duplicates::Keep)
            .expect("the same sticks were valid in another order");
        Self { sticks, bending, sheet: Some(sheet), ..self }
    }
}
