//! The constants of the sticks, and which inverse masses the copies have in common.

use alloc::vec::Vec;

use taut_core::{Column, Copies, Formula, Particles, Response, Sticks, weight};
use taut_lanes::Vector;
use taut_lanes::slots::Changes;

use crate::layout::{GROUP, Layout};

/// The constants of the sticks of all copies.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(crate) formula: Formula,
    pub(crate) layout: Layout,
    /// The ends of the sticks of one copy in the order of its schedule, as offsets in a group:
    /// each is below [`Layout::group_len`], and a multiple of [`GROUP`].
    ends: Vec<[u32; 2]>,
    /// The sticks of one copy (their indices in the copy) in the order of its schedule.
    order: Vec<u32>,
    /// The inverse of `order`: for each stick of a copy, its index in the schedule.
    schedule_index: Vec<u32>,
    /// One entry per group.
    pub(crate) groups: Vec<GroupConstants>,
    /// `1 / h²` of the substeps, 1/s².
    pub(crate) inverse_h2: f32,
}

/// The constants of a group of copies.
#[derive(Clone, Debug)]
pub(crate) struct GroupConstants {
    /// The formula's [rest term](taut_core::Factor::rest_term).
    pub(crate) rest_term: StickColumns<1>,
    /// The compliance, then the multipliers `stretched` and `compressed` of the [`Response`]; `None`
    /// until a stick is torn or not plain.
    pub(crate) non_plain: Option<StickColumns<3>>,
    /// Whether any stick has had a compliance other than 0 since all constants were last refreshed.
    pub(crate) compliant: bool,
    /// The formula's [weight term](taut_core::Factor::weight_term); empty unless the formula
    /// [stores](taut_core::Factor::STORES_WEIGHT) it.
    pub(crate) weight_term: StickColumns<1>,
    /// For each particle of a copy, its inverse mass, if that is the same in all copies of the group;
    /// else NaN.
    pub(crate) inverse_masses: Vec<f32>,
    /// The value that more than half of `inverse_masses` have, NaN not counted; if there is none, any
    /// of them; [`NO_INVERSE_MASS`] if all are NaN. It affects only the performance.
    pub(crate) majority_inverse_mass: f32,
    /// The weight term of a stick both of whose ends have `majority_inverse_mass`.
    pub(crate) majority_weight_term: f32,
}

/// Columns of values of the sticks, in the order of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct StickColumns<const N: usize> {
    /// Whether each stick has [`GROUP`] values in a column, one per copy; otherwise it has one for
    /// all copies.
    by_copy: bool,
    columns: [Column<f32>; N],
}

/// Stands for no inverse mass. (Inverse masses are never negative.)
const NO_INVERSE_MASS: f32 = -1.0;

/// The compliance, `stretched` and `compressed` of a plain stick.
const PLAIN: [f32; 3] = [0.0, 1.0, 1.0];

impl Constants {
    /// Constants whose values are not set until [`refresh`](Self::refresh) is called.
    pub(crate) fn new(copies: &Copies, layout: Layout, formula: Formula) -> Self {
        let one = copies.one();
        let order = one.order().to_vec();
        let mut schedule_index = alloc::vec![0; order.len()];
        for (index, &stick) in order.iter().enumerate() {
            schedule_index[stick as usize] = index as u32;
        }
        let ends = order.iter().map(|&stick| {
            one.ends()[stick as usize].map(|end| {
                let offset = end as usize * GROUP;
                assert!(offset < layout.group_len(), "an end is not a particle of the copy");
                offset as u32
            })
        });
        let group = GroupConstants {
            rest_term: StickColumns::filled(0, [0.0]),
            non_plain: None,
            compliant: false,
            weight_term: StickColumns::filled(0, [0.0]),
            inverse_masses: Vec::new(),
            majority_inverse_mass: NO_INVERSE_MASS,
            majority_weight_term: 0.0,
        };
        Self {
            formula,
            layout,
            ends: ends.collect(),
            order,
            schedule_index,
            groups: alloc::vec![group; layout.groups()],
            inverse_h2: 0.0,
        }
    }

    /// The ends of the sticks of one copy: see the field `ends`.
    pub(crate) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Recomputes the constants that depend on the masses and sticks that changed.
    pub(crate) fn refresh<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changes: Changes<'_>,
    ) {
        match changes {
            Changes::Listed { particles: changed_particles, sticks: changed_sticks } => {
                // Particles after the last copy have no group.
                let mut groups: Vec<usize> = changed_particles
                    .iter()
                    .map(|&particle| particle as usize / self.layout.particles / GROUP)
                    .filter(|&group| group < self.groups.len())
                    .collect();
                groups.sort_unstable();
                groups.dedup();
                for group in groups {
                    self.refresh_masses(particles, group);
                    self.refresh_weight_terms(particles, sticks, group);
                }
                for &stick in changed_sticks {
                    let (copy, stick_of_copy) =
                        (stick as usize / self.ends.len(), stick as usize % self.ends.len());
                    let (group, index) =
                        (copy / GROUP, self.schedule_index[stick_of_copy] as usize);
                    self.refresh_stick(sticks, group, index);
                    self.refresh_weight_term(particles, sticks, group, index);
                }
            }
            Changes::Everything => {
                for group in 0..self.groups.len() {
                    self.refresh_masses(particles, group);
                    let constants = &mut self.groups[group];
                    constants.rest_term = StickColumns::filled(self.ends.len(), [0.0]);
                    (constants.non_plain, constants.compliant) = (None, false);
                    for index in 0..self.ends.len() {
                        self.refresh_stick(sticks, group, index);
                    }
                    self.refresh_weight_terms(particles, sticks, group);
                }
            }
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
            for group in 0..self.groups.len() {
                if self.groups[group].compliant {
                    self.refresh_weight_terms(particles, sticks, group);
                }
            }
        }
    }

    /// Reads the inverse masses of a group, and finds that of the majority.
    fn refresh_masses<const D: usize>(&mut self, particles: &Particles<D>, group: usize) {
        let particles_of_copy = self.layout.particles;
        let all = particles.inverse_masses();
        let copies = self.copies(group);
        let GroupConstants { inverse_masses, majority_inverse_mass, majority_weight_term, .. } =
            &mut self.groups[group];
        inverse_masses.clear();
        inverse_masses.extend((0..particles_of_copy).map(|particle| {
            let mut of_copies = copies.clone().map(|copy| all[copy * particles_of_copy + particle]);
            let first = of_copies.next().unwrap_or(f32::NAN);
            let same = of_copies.all(|w| w.to_bits() == first.to_bits());
            if same { first } else { f32::NAN }
        }));
        // Finds the majority, if there is one (Boyer and Moore, "MJRTY", 1981).
        *majority_inverse_mass = NO_INVERSE_MASS;
        let mut votes = 0_usize;
        for &inverse_mass in inverse_masses.iter().filter(|w| !w.is_nan()) {
            if votes == 0 {
                *majority_inverse_mass = inverse_mass;
            }
            let agrees = inverse_mass.to_bits() == majority_inverse_mass.to_bits();
            votes = if agrees { votes + 1 } else { votes - 1 };
        }
        *majority_weight_term =
            self.formula.weight_term(*majority_inverse_mass + *majority_inverse_mass);
    }

    /// The indices of the copies of a group.
    fn copies(&self, group: usize) -> core::ops::Range<usize> {
        let first = group * GROUP;
        first..first + self.layout.copies_in(group)
    }

    /// Reads the constants of the stick at an index of the schedule, in all copies of a group, except
    /// the weight term.
    fn refresh_stick(&mut self, sticks: &Sticks, group: usize, index: usize) {
        let (len, formula) = (self.ends.len(), self.formula);
        let rest_terms =
            self.values_by_lane(group, index, |stick| [formula.rest_term(sticks.rest(stick))]);
        let non_plains = self.values_by_lane(group, index, |stick| {
            let Response { stretched, compressed } = sticks.response(stick);
            [sticks.compliance(stick), stretched, compressed]
        });
        let GroupConstants { rest_term, non_plain, compliant, .. } = &mut self.groups[group];
        rest_term.set(index, &rest_terms);
        if non_plain.is_none() && non_plains != [PLAIN; GROUP] {
            *non_plain = Some(StickColumns::filled(len, PLAIN));
        }
        *compliant |= non_plains.iter().any(|&[compliance, ..]| compliance != 0.0);
        if let Some(non_plain) = non_plain {
            non_plain.set(index, &non_plains);
        }
    }

    /// Computes the weight terms of all sticks of a group, if the formula stores them.
    fn refresh_weight_terms<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        group: usize,
    ) {
        if self.formula.stores_weight() {
            self.groups[group].weight_term = StickColumns::filled(self.ends.len(), [0.0]);
            for index in 0..self.ends.len() {
                self.refresh_weight_term(particles, sticks, group, index);
            }
        }
    }

    /// Computes the weight terms of one stick of a group, if the formula stores them.
    fn refresh_weight_term<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        group: usize,
        index: usize,
    ) {
        let (formula, inverse_h2) = (self.formula, self.inverse_h2);
        if formula.stores_weight() {
            let weight_terms = self.values_by_lane(group, index, |stick| {
                let ends = sticks.ends()[stick];
                let inverse_masses = ends.map(|end| particles.inverse_masses()[end as usize]);
                let weight = weight(inverse_masses, sticks.compliance(stick), inverse_h2);
                [formula.weight_term(weight)]
            });
            self.groups[group].weight_term.set(index, &weight_terms);
        }
    }

    /// Evaluates `values` for the stick at an index of the schedule in each copy of a group. Lanes
    /// without a copy get the values of the first copy.
    fn values_by_lane<const N: usize>(
        &self,
        group: usize,
        index: usize,
        values: impl Fn(usize) -> [f32; N],
    ) -> [[f32; N]; GROUP] {
        let (len, stick_of_copy) = (self.ends.len(), self.order[index] as usize);
        let mut copies = self.copies(group);
        let first = values(copies.start * len + stick_of_copy);
        core::array::from_fn(|_| {
            copies.next().map_or(first, |copy| values(copy * len + stick_of_copy))
        })
    }
}

impl<const N: usize> StickColumns<N> {
    /// Columns with the same values for each of `len` sticks.
    fn filled(len: usize, values: [f32; N]) -> Self {
        let columns = values.map(|value| {
            let mut column = Column::new(0);
            column.resize(len, value);
            column
        });
        Self { by_copy: false, columns }
    }

    /// Sets the values of the stick at an index; `lanes` has the values of each copy. Once the
    /// values of a stick differ between copies, all columns are expanded to one value per copy.
    fn set(&mut self, index: usize, lanes: &[[f32; N]; GROUP]) {
        let bits = |values: &[f32; N]| values.map(f32::to_bits);
        if !self.by_copy && lanes.iter().any(|values| bits(values) != bits(&lanes[0])) {
            self.by_copy = true;
            for column in &mut self.columns {
                let expanded = column.iter().flat_map(|&value| [value; GROUP]);
                *column = Column::from_iter(0, expanded);
            }
        }
        let per_stick = self.per_stick();
        for (field, column) in self.columns.iter_mut().enumerate() {
            for (lane, values) in lanes[..per_stick].iter().enumerate() {
                column[index * per_stick + lane] = values[field];
            }
        }
    }

    /// The number of values of a stick in each column.
    const fn per_stick(&self) -> usize {
        if self.by_copy { GROUP } else { 1 }
    }

    /// The columns, if all copies share their values.
    pub(crate) fn shared_by_copies(&self) -> Option<&[Column<f32>; N]> {
        (!self.by_copy).then_some(&self.columns)
    }

    /// Whether there are values for `sticks` sticks.
    pub(crate) fn has_len(&self, sticks: usize) -> bool {
        self.columns.iter().all(|column| column.len() == sticks * self.per_stick())
    }

    /// The values of the stick at an index of the schedule, for the copies in one register: the
    /// copies in `V::LANES` lanes of the group, from `lane` on.
    #[inline(always)]
    pub(crate) fn load<V: Vector>(&self, cpu: V::Cpu, index: usize, lane: usize) -> [V; N] {
        let Self { by_copy, columns } = self;
        let mut loaded = [V::splat(cpu, 0.0); N];
        // This is a loop, because a closure cannot be `#[inline(always)]`, and would be compiled
        // without the target features of its caller.
        for (loaded, column) in loaded.iter_mut().zip(columns) {
            *loaded = if *by_copy {
                let values = &column[index * GROUP + lane..][..V::LANES];
                // SAFETY: the slice has as many values as there are lanes.
                unsafe { V::load(cpu, values.as_ptr()) }
            } else {
                V::splat(cpu, column[index])
            };
        }
        loaded
    }
}
