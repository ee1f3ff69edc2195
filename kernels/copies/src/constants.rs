//! The constants of the sticks: which the copies have in common, and which differ.

use alloc::vec::Vec;

use taut_core::{ABSENT, Copies, Formula, Particles, Response, Sticks, weight};
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
    inverse_h2: f32,
}

/// The constants of a group of copies. The vectors without another order are in the order of the
/// schedule.
#[derive(Clone, Debug)]
pub(crate) struct GroupConstants {
    /// The constants of each stick.
    pub(crate) sticks: Vec<StickConstants>,
    /// The rest term of each stick in the first copy of the group; sticks of the majority need no
    /// other constants.
    pub(crate) rest_terms: Vec<f32>,
    /// Whether each stick is [`WithoutResponse`](StickConstants::WithoutResponse), with the inverse mass and the weight
    /// term of the majority.
    pub(crate) in_majority: Vec<bool>,
    /// The inverse mass at both ends that, together with `majority_weight_term`, more than half of
    /// the `WithoutResponse` sticks with ends of equal mass have; if there is no majority, that of any of them.
    /// It affects only the performance.
    pub(crate) majority_inverse_mass: f32,
    /// The weight term of the majority.
    pub(crate) majority_weight_term: f32,
    /// The rest terms of sticks that are [`PlainByCopy`](StickConstants::PlainByCopy).
    pub(crate) rest_terms_by_copy: Rows<[f32; GROUP]>,
    /// The constants of sticks that are [`ByCopy`](StickConstants::ByCopy).
    pub(crate) by_copy: Rows<ByCopy>,
    /// Whether any stick has had a compliance other than 0 since all constants were last refreshed.
    compliant: bool,
}

/// The constants of a stick in the copies of a group.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))] // never across two cache lines
pub(crate) enum StickConstants {
    /// All copies have these constants; the stick is two-sided, of stiffness 1, and not torn.
    WithoutResponse(Shared),
    /// All copies have these constants, and this response; the stick is not torn.
    WithResponse(Shared, Response<f32>),
    /// The rest lengths or masses differ between copies; the stick is plain in all of them, and the
    /// formula does not store weight terms. The rest terms are at this index of [`GroupConstants::rest_terms_by_copy`].
    PlainByCopy(u32),
    /// Any other stick. The constants are at this index of [`GroupConstants::by_copy`].
    ByCopy(u32),
}

/// Constants of a stick that all copies of a group have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    /// The inverse masses of the ends, 1/kg.
    pub(crate) inverse_masses: [f32; 2],
    /// The formula's [rest term](taut_core::Factor::rest_term).
    pub(crate) rest_term: f32,
    /// The compliance, m/N.
    compliance: f32,
    /// The formula's [weight term](taut_core::Factor::weight_term), compliance included.
    pub(crate) weight_term: f32,
}

/// The constants of a stick for each copy of a group, except the inverse masses, which are in slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByCopy {
    pub(crate) rest_term: [f32; GROUP],
    pub(crate) weight_term: [f32; GROUP],
    pub(crate) stretched: [f32; GROUP],
    pub(crate) compressed: [f32; GROUP],
}

/// Rows that can be inserted and removed.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    rows: Vec<T>,
    /// The indices of rows that are not in use.
    free: Vec<u32>,
}

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
        Self {
            formula,
            layout,
            ends: ends.collect(),
            groups: alloc::vec![GroupConstants::unset(order.len()); layout.groups()],
            order,
            schedule_index,
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
                if !changed_particles.is_empty() {
                    self.refresh_sticks_at(particles, sticks, changed_particles);
                }
                let len = self.ends.len();
                let group_and_index = |&stick: &u32| {
                    let (copy, stick_of_copy) = (stick as usize / len, stick as usize % len);
                    (copy / GROUP, self.schedule_index[stick_of_copy] as usize)
                };
                let mut changed: Vec<_> = changed_sticks.iter().map(group_and_index).collect();
                changed.sort_unstable();
                changed.dedup(); // the same stick of several copies
                for of_group in changed.chunk_by(|(one, _), (other, _)| one == other) {
                    let group = of_group[0].0;
                    for &(_, index) in of_group {
                        self.refresh_stick(particles, sticks, group, index);
                    }
                    // A few sticks do not change the majority.
                    if of_group.len() * 8 > len {
                        self.groups[group].find_majority();
                    }
                }
            }
            Changes::Everything => {
                for group in 0..self.groups.len() {
                    self.groups[group] = GroupConstants::unset(self.ends.len());
                    for index in 0..self.ends.len() {
                        self.refresh_stick(particles, sticks, group, index);
                    }
                    self.groups[group].find_majority();
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

    /// Recomputes the weight terms of all sticks of a group that may have a compliance.
    fn refresh_weight_terms<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        group: usize,
    ) {
        let (formula, inverse_h2) = (self.formula, self.inverse_h2);
        for index in 0..self.ends.len() {
            match &mut self.groups[group].sticks[index] {
                StickConstants::WithoutResponse(shared)
                | StickConstants::WithResponse(shared, _) => {
                    if shared.compliance != 0.0 {
                        shared.set_weight_term(formula, inverse_h2);
                    }
                }
                StickConstants::PlainByCopy(_) => {} // no compliance
                StickConstants::ByCopy(_) => self.refresh_stick(particles, sticks, group, index),
            }
        }
        self.groups[group].find_majority();
    }

    /// Recomputes the constants of all sticks at the given particles, in all copies of their groups.
    fn refresh_sticks_at<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changed_particles: &[u32],
    ) {
        let Layout { copies, particles: len } = self.layout;
        let mut changed: Vec<(usize, usize)> = changed_particles
            .iter()
            .map(|&particle| (particle as usize / len, particle as usize % len))
            .filter(|&(copy, _)| copy < copies) // others have no sticks
            .map(|(copy, particle)| (copy / GROUP, particle))
            .collect();
        changed.sort_unstable();
        let mut is_changed = alloc::vec![false; len];
        for of_group in changed.chunk_by(|(one, _), (other, _)| one == other) {
            let group = of_group[0].0;
            for &(_, particle) in of_group {
                is_changed[particle] = true;
            }
            for index in 0..self.ends.len() {
                if self.ends[index].iter().any(|&end| is_changed[end as usize / GROUP]) {
                    self.refresh_stick(particles, sticks, group, index);
                }
            }
            self.groups[group].find_majority();
            for &(_, particle) in of_group {
                is_changed[particle] = false;
            }
        }
    }

    /// Recomputes the constants of the stick at an index of the schedule, in all copies of a group.
    fn refresh_stick<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        group: usize,
        index: usize,
    ) {
        let (formula, inverse_h2) = (self.formula, self.inverse_h2);
        let (len, stick_of_copy) = (self.ends.len(), self.order[index] as usize);
        let constants = &mut self.groups[group];
        let mut constants_in = |copy: usize| {
            let stick = copy * len + stick_of_copy;
            let compliance = sticks.compliance(stick);
            constants.compliant |= compliance != 0.0;
            let ends = sticks.ends()[stick];
            let inverse_masses = ends.map(|end| particles.inverse_masses()[end as usize]);
            let mut shared = Shared {
                inverse_masses,
                rest_term: formula.rest_term(sticks.rest(stick)),
                compliance,
                weight_term: 0.0,
            };
            shared.set_weight_term(formula, inverse_h2);
            (shared, sticks.response(stick))
        };
        let first = group * GROUP;
        // Lanes without a copy get the constants of the first copy.
        let copies = self.layout.copies_in(group);
        let lanes: [_; GROUP] =
            core::array::from_fn(|lane| constants_in(first + if lane < copies { lane } else { 0 }));
        constants.set(index, &lanes, formula.stores_weight());
    }
}

impl GroupConstants {
    /// Constants whose values are not set yet.
    fn unset(sticks: usize) -> Self {
        let unset =
            Shared { inverse_masses: [0.0; 2], rest_term: 0.0, compliance: 0.0, weight_term: 0.0 };
        Self {
            sticks: alloc::vec![StickConstants::WithoutResponse(unset); sticks],
            rest_terms: alloc::vec![0.0; sticks],
            in_majority: alloc::vec![false; sticks],
            majority_inverse_mass: 0.0,
            majority_weight_term: 0.0,
            rest_terms_by_copy: Rows::new(),
            by_copy: Rows::new(),
            compliant: false,
        }
    }

    /// Sets the constants of the stick at an index; `lanes` has those of each copy. `stores_weight`:
    /// computing a weight term from masses takes a division, so it must be stored.
    fn set(&mut self, index: usize, lanes: &[(Shared, Response<f32>); GROUP], stores_weight: bool) {
        match self.sticks[index] {
            StickConstants::WithoutResponse(_) | StickConstants::WithResponse(..) => {}
            StickConstants::PlainByCopy(row) => self.rest_terms_by_copy.remove(row),
            StickConstants::ByCopy(row) => self.by_copy.remove(row),
        }
        let (shared, response) = lanes[0];
        let has_stiffness_1 = |&Response { stretched, compressed }: &Response<f32>| {
            [stretched, compressed].map(f32::to_bits) == [1.0_f32.to_bits(); 2]
        };
        let bits = |(shared, response): &(Shared, Response<f32>)| {
            let Shared { inverse_masses: [wa, wb], rest_term, compliance, .. } = *shared;
            let Response { stretched, compressed } = *response;
            [wa, wb, rest_term, compliance, stretched, compressed].map(f32::to_bits)
        };
        let is_shared = lanes.iter().all(|lane| bits(lane) == bits(&lanes[0]));
        let is_plain = |(shared, response): &(Shared, Response<f32>)| {
            has_stiffness_1(response) && shared.compliance == 0.0
        };
        self.sticks[index] = if is_shared && has_stiffness_1(&response) {
            StickConstants::WithoutResponse(shared)
        } else if is_shared && response.stretched != ABSENT {
            StickConstants::WithResponse(shared, response)
        } else if !stores_weight && lanes.iter().all(is_plain) {
            let rest_terms = lanes.map(|(shared, _)| shared.rest_term);
            StickConstants::PlainByCopy(self.rest_terms_by_copy.insert(rest_terms))
        } else {
            StickConstants::ByCopy(self.by_copy.insert(ByCopy::new(lanes)))
        };
        self.rest_terms[index] = shared.rest_term;
        self.set_in_majority(index);
    }

    /// Sets whether the stick at an index is of the majority.
    fn set_in_majority(&mut self, index: usize) {
        self.in_majority[index] = match self.sticks[index] {
            StickConstants::WithoutResponse(Shared { inverse_masses, weight_term, .. }) => {
                let bits = [inverse_masses[0], inverse_masses[1], weight_term].map(f32::to_bits);
                let w = self.majority_inverse_mass;
                bits == [w, w, self.majority_weight_term].map(f32::to_bits)
            }
            _ => false,
        };
    }

    /// Finds the inverse mass and the weight term of the majority (Boyer and Moore, "MJRTY", 1981), and
    /// the sticks that have them.
    fn find_majority(&mut self) {
        let mut votes = 0_usize;
        for stick in &self.sticks {
            let StickConstants::WithoutResponse(Shared {
                inverse_masses: [wa, wb],
                weight_term,
                ..
            }) = *stick
            else {
                continue;
            };
            if wa.to_bits() != wb.to_bits() {
                continue;
            }
            if votes == 0 {
                (self.majority_inverse_mass, self.majority_weight_term) = (wa, weight_term);
            }
            let agrees = wa.to_bits() == self.majority_inverse_mass.to_bits()
                && weight_term.to_bits() == self.majority_weight_term.to_bits();
            votes = if agrees { votes + 1 } else { votes - 1 };
        }
        for index in 0..self.sticks.len() {
            self.set_in_majority(index);
        }
    }
}

impl Shared {
    /// Computes the weight term.
    fn set_weight_term(&mut self, formula: Formula, inverse_h2: f32) {
        let weight = weight(self.inverse_masses, self.compliance, inverse_h2);
        self.weight_term = formula.weight_term(weight);
    }
}

impl ByCopy {
    fn new(lanes: &[(Shared, Response<f32>); GROUP]) -> Self {
        Self {
            rest_term: lanes.map(|(shared, _)| shared.rest_term),
            weight_term: lanes.map(|(shared, _)| shared.weight_term),
            stretched: lanes.map(|(_, response)| response.stretched),
            compressed: lanes.map(|(_, response)| response.compressed),
        }
    }
}

impl<T> Rows<T> {
    fn new() -> Self {
        Self { rows: Vec::new(), free: Vec::new() }
    }

    /// The row at an index that [`insert`](Self::insert) returned.
    pub(crate) fn get(&self, row: u32) -> &T {
        &self.rows[row as usize]
    }

    /// Inserts a row and returns its index.
    fn insert(&mut self, values: T) -> u32 {
        if let Some(row) = self.free.pop() {
            self.rows[row as usize] = values;
            return row;
        }
        self.rows.push(values);
        self.rows.len() as u32 - 1
    }

    /// Removes a row; its index is used again.
    fn remove(&mut self, row: u32) {
        self.free.push(row);
    }
}
