//! The constants of the sticks, by row. Sticks *begin* in the row of their upper end; their first
//! end is the left one or, in sticks along a column, the upper one.

use alloc::vec::Vec;

use taut_core::{ABSENT, Column, Family, Formula, Particles, Response, Sheet, Sticks, weight};

use crate::layout::Layout;

/// The constants of the sticks of one family that begin in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowConstants {
    /// Plain sticks of one rest length between masses of 1 kg.
    Unit { rest_term: f32 },
    /// Plain sticks of one rest length between rows of one inverse mass each; the inverse mass of
    /// the first ends comes first.
    Equal { rest_term: f32, weight_term: f32, inverse_masses: [f32; 2] },
    /// Plain sticks of one rest length between any masses: the weight terms are in the family's
    /// columns.
    Plain { rest_term: f32 },
    /// Anything else: all constants are in the family's columns.
    Mixed,
}

/// The constants of one family of a sheet.
#[derive(Clone, Debug)]
pub(crate) struct FamilyConstants {
    pub(crate) family: Family,
    /// The number of columns that its sticks span.
    pub(crate) across: usize,
    /// The number of rows that its sticks span.
    pub(crate) down: usize,
    /// Whether the first (left) ends of its sticks are the lower ones.
    pub(crate) leans_left: bool,
    /// One entry for each row that sticks begin in.
    pub(crate) rows: Vec<RowConstants>,
    /// Allocated for the first row that is [`RowConstants::Plain`] or [`RowConstants::Mixed`].
    pub(crate) columns: Option<ConstantColumns>,
}

/// Columns of constants, with the registers of a whole row of the layout for each row that sticks
/// begin in.
#[derive(Clone, Debug)]
pub(crate) struct ConstantColumns {
    pub(crate) rest_term: Column<f32>,
    pub(crate) weight_term: Column<f32>,
    /// Multiplies the factor of a stretched stick; [`ABSENT`] if the stick is torn or the slot has
    /// no stick.
    pub(crate) stretched: Column<f32>,
    /// Multiplies the factor of a compressed stick.
    pub(crate) compressed: Column<f32>,
}

/// The constants of all sticks of a sheet, and the inverse masses of its rows.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(crate) formula: Formula,
    pub(crate) layout: Layout,
    pub(crate) sheet: Sheet,
    pub(crate) families: Vec<FamilyConstants>,
    /// The inverse mass of each row, if all its particles have the same.
    row_inverse_mass: Vec<Option<f32>>,
    /// `1 / h²` of the substeps, 1/s².
    inverse_h2: f32,
    /// Whether any stick has had a compliance other than 0 since all rows were last refreshed.
    any_compliance: bool,
}

impl Constants {
    /// The constants of a sheet, to be filled by [`refresh_all`](Self::refresh_all).
    pub(crate) fn new(sheet: &Sheet, layout: Layout, formula: Formula) -> Self {
        let of_family = |&family: &Family| {
            let [across, down] = family.span();
            let row_count =
                if sheet.width() > across { sheet.height().saturating_sub(down) } else { 0 };
            FamilyConstants {
                family,
                across,
                down,
                leans_left: family.leans_left(),
                rows: alloc::vec![RowConstants::Mixed; row_count],
                columns: None,
            }
        };
        Self {
            formula,
            layout,
            sheet: sheet.clone(),
            families: sheet.families().iter().map(of_family).collect(),
            row_inverse_mass: alloc::vec![None; layout.height],
            inverse_h2: 0.0,
            any_compliance: false,
        }
    }

    /// Recomputes all rows.
    pub(crate) fn refresh_all<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) {
        self.any_compliance = (0..sticks.len()).any(|stick| sticks.compliance(stick) != 0.0);
        for row in 0..self.layout.height {
            self.refresh_row_inverse_mass(particles, row);
        }
        for family in 0..self.families.len() {
            for row in 0..self.families[family].rows.len() {
                self.refresh_row(particles, sticks, family, row);
            }
        }
    }

    /// Recomputes the rows that the changed sticks begin in.
    pub(crate) fn refresh_sticks<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changed: &[u32],
    ) {
        let mut rows: Vec<(usize, usize)> = Vec::new();
        for &stick in changed {
            self.any_compliance |= sticks.compliance(stick as usize) != 0.0;
            rows.extend(self.family_and_row(sticks.ends()[stick as usize]));
        }
        rows.sort_unstable();
        rows.dedup();
        for (family, row) in rows {
            self.refresh_row(particles, sticks, family, row);
        }
    }

    /// Recomputes the rows whose sticks join particles of changed mass.
    pub(crate) fn refresh_masses<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changed: &[u32],
    ) {
        let is_in_sheet = |row: &usize| *row < self.layout.height;
        let row_of = |&particle: &u32| particle as usize / self.layout.width.max(1);
        let mut rows: Vec<usize> = changed.iter().map(row_of).filter(is_in_sheet).collect();
        rows.sort_unstable();
        rows.dedup();
        for &row in &rows {
            self.refresh_row_inverse_mass(particles, row);
        }
        let mut affected: Vec<(usize, usize)> = Vec::new();
        for (index, family) in self.families.iter().enumerate() {
            for &row in &rows {
                let begin_rows = [Some(row), row.checked_sub(family.down)].into_iter().flatten();
                let begin_rows = begin_rows.filter(|&row| row < family.rows.len());
                affected.extend(begin_rows.map(|row| (index, row)));
            }
        }
        affected.sort_unstable();
        affected.dedup();
        for (family, row) in affected {
            self.refresh_row(particles, sticks, family, row);
        }
    }

    /// Sets `1 / h²` of the substeps, 1/s², for compliance.
    pub(crate) fn set_inverse_h2<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        inverse_h2: f32,
    ) {
        if self.inverse_h2.to_bits() != inverse_h2.to_bits() {
            self.inverse_h2 = inverse_h2;
            if self.any_compliance {
                self.refresh_all(particles, sticks);
            }
        }
    }

    /// The index of the family of a stick with these ends, and the row that it begins in.
    fn family_and_row(&self, ends: [u32; 2]) -> Option<(usize, usize)> {
        let width = self.layout.width;
        // Column and row.
        let [a, b] = ends.map(|end| [end as usize % width, end as usize / width]);
        let (upper, lower) = if a[1] <= b[1] { (a, b) } else { (b, a) };
        let (across, down) = (upper[0].abs_diff(lower[0]), lower[1] - upper[1]);
        let leans_left = down > 0 && lower[0] < upper[0];
        let matches = |family: &FamilyConstants| {
            family.across == across && family.down == down && family.leans_left == leans_left
        };
        Some((self.families.iter().position(matches)?, upper[1]))
    }

    /// Determines the inverse mass of a row, if all its particles have the same.
    fn refresh_row_inverse_mass<const D: usize>(&mut self, particles: &Particles<D>, row: usize) {
        let width = self.layout.width;
        let inverse_masses = &particles.inverse_masses()[row * width..(row + 1) * width];
        let first = inverse_masses.first().copied().unwrap_or(0.0);
        self.row_inverse_mass[row] =
            inverse_masses.iter().all(|w| w.to_bits() == first.to_bits()).then_some(first);
    }

    /// Recomputes the constants of the sticks of a family that begin in a row.
    fn refresh_row<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        family_index: usize,
        row: usize,
    ) {
        let FamilyConstants { family, across, down, leans_left, .. } = self.families[family_index];
        let Layout { width, .. } = self.layout;
        let stick_at = |i| self.sheet.stick_number(family, i, row).map(|stick| stick as usize);
        let sticks_in_row = width - across;
        let first_rest = stick_at(0).map_or(0.0, |stick| sticks.rest(stick));
        let is_plain_with_first_rest = |stick: usize| {
            sticks.is_plain(stick)
                && !sticks.is_torn(stick)
                && sticks.rest(stick).to_bits() == first_rest.to_bits()
        };
        let is_plain = (0..sticks_in_row).filter_map(stick_at).all(is_plain_with_first_rest);
        let row_inverse_masses = [self.row_inverse_mass[row], self.row_inverse_mass[row + down]];
        if let (true, [Some(upper), Some(lower)]) = (is_plain, row_inverse_masses) {
            let rest_term = self.formula.rest_term(first_rest);
            let weight_term = self.formula.weight_term(upper + lower);
            let inverse_masses = if leans_left { [lower, upper] } else { [upper, lower] };
            self.families[family_index].rows[row] = match inverse_masses {
                [1.0, 1.0] => RowConstants::Unit { rest_term },
                _ => RowConstants::Equal { rest_term, weight_term, inverse_masses },
            };
            return;
        }
        let constants_by_slot: Vec<(usize, [f32; 4])> = (0..sticks_in_row)
            .filter_map(|i| Some((i, stick_at(i)?)))
            .map(|(i, stick)| {
                let [from, to] = if leans_left { [row + down, row] } else { [row, row + down] };
                let inverse_masses = [from * width + i, to * width + i + across]
                    .map(|particle| particles.inverse_masses()[particle]);
                let weight = weight(inverse_masses, sticks.compliance(stick), self.inverse_h2);
                let rest_term = self.formula.rest_term(sticks.rest(stick));
                let weight_term = self.formula.weight_term(weight);
                let Response { stretched, compressed } = sticks.response(stick);
                (self.layout.slot_in_row(i), [rest_term, weight_term, stretched, compressed])
            })
            .collect();
        let row_len = self.layout.row_lanes();
        let FamilyConstants { rows, columns, .. } = &mut self.families[family_index];
        rows[row] = match constants_by_slot.first() {
            Some(&(_, [rest_term, ..])) if is_plain => RowConstants::Plain { rest_term },
            _ => RowConstants::Mixed,
        };
        let len = rows.len() * row_len;
        let columns = columns.get_or_insert_with(|| ConstantColumns::absent(len));
        for (slot, [rest_term, weight_term, stretched, compressed]) in constants_by_slot {
            let index = row * row_len + slot;
            columns.rest_term[index] = rest_term;
            columns.weight_term[index] = weight_term;
            columns.stretched[index] = stretched;
            columns.compressed[index] = compressed;
        }
    }
}

impl ConstantColumns {
    /// The length of the columns, which is the same for all.
    pub(crate) fn len(&self) -> usize {
        self.rest_term[..].len()
    }

    /// Columns in which all sticks are absent.
    fn absent(len: usize) -> Self {
        let column = |value: f32| {
            let mut column = Column::new(0);
            column.resize(len, value);
            column
        };
        Self {
            rest_term: column(1.0),
            weight_term: column(0.0),
            stretched: column(ABSENT),
            compressed: column(0.0),
        }
    }
}
