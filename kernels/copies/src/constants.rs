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

/// The constants of a group of copies. The vectors are in the order of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct GroupConstants {
    /// The constants of each stick.
    pub(crate) sticks: Vec<StickConstants>,
    /// The rest term of each stick in the first copy of the group.
    pub(crate) rest_terms: Vec<f32>,
    /// Whether each stick is [`Plain`](StickConstants::Plain), with the inverse mass and the weight
    /// term of the majority. These sticks need only their rest terms.
    pub(crate) is_majority: Vec<bool>,
    /// The inverse mass at both ends of most plain sticks, if one is that of more than half of them.
    /// It affects only the performance.
    pub(crate) majority_inverse_mass: f32,
    /// The weight term of the sticks of the majority.
    pub(crate) majority_weight_term: f32,
    /// The constants of sticks that are [`ByCopy`](StickConstants::ByCopy).
    pub(crate) by_copy: Vec<ByCopy>,
    /// Whether any stick has had a compliance other than 0 since all constants were last refreshed.
    compliant: bool,
}

/// The constants of a stick in the copies of a group.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))] // An index is then a shift, not a multiplication by 28.
pub(crate) enum StickConstants {
    /// The stick is plain in all copies, with these constants.
    Plain(Shared),
    /// All copies have these constants, and this response; the stick is not torn.
    Responding(Shared, Response<f32>),
    /// The constants have differed between copies, or the stick was torn, since all constants were
    /// last refreshed. They are at this index of [`GroupConstants::by_copy`].
    ByCopy(u32),
}

/// Constants of a stick that all copies of a group have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    /// The inverse masses of the ends, 1/kg.
    pub(crate) inverse_masses: [f32; 2],
    /// The formula's [rest term](taut_core::Factor::rest_term).
    pub(crate) rest_term: f32,
    /// The formula's [weight term](taut_core::Factor::weight_term), compliance included.
    pub(crate) weight_term: f32,
}

/// The constants of a stick for each copy of a group, except the inverse masses, which are in slots.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct ByCopy {
    pub(crate) rest_term: [f32; GROUP],
    pub(crate) weight_term: [f32; GROUP],
    pub(crate) stretched: [f32; GROUP],
    pub(crate) compressed: [f32; GROUP],
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
                self.refresh_sticks_at(particles, sticks, changed_particles);
                for &stick in changed_sticks {
                    let (copy, stick_of_copy) =
                        (stick as usize / self.ends.len(), stick as usize % self.ends.len());
                    let index = self.schedule_index[stick_of_copy] as usize;
                    self.refresh_stick(particles, sticks, copy / GROUP, index);
                }
            }
            Changes::Everything => {
                for group in 0..self.groups.len() {
                    self.groups[group] = GroupConstants::unset(self.ends.len());
                    self.refresh_group(particles, sticks, group);
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
                    self.refresh_group(particles, sticks, group);
                }
            }
        }
    }

    /// Recomputes the constants of all sticks at the given particles.
    fn refresh_sticks_at<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changed_particles: &[u32],
    ) {
        let len = self.layout.particles;
        // The group and the particle of a copy. Particles after the last copy have no group.
        let mut changed: Vec<(usize, usize)> = changed_particles
            .iter()
            .map(|&particle| (particle as usize / len / GROUP, particle as usize % len))
            .filter(|&(group, _)| group < self.groups.len())
            .collect();
        changed.sort_unstable();
        let mut is_changed = alloc::vec![false; len];
        for of_group in changed.chunk_by(|(one, _), (other, _)| one == other) {
            let mark = |is_changed: &mut [bool], mark| {
                for &(_, particle) in of_group {
                    is_changed[particle] = mark;
                }
            };
            mark(&mut is_changed, true);
            for index in 0..self.ends.len() {
                if self.ends[index].iter().any(|&end| is_changed[end as usize / GROUP]) {
                    self.refresh_stick(particles, sticks, of_group[0].0, index);
                }
            }
            mark(&mut is_changed, false);
        }
    }

    /// Recomputes the constants of all sticks of a group.
    fn refresh_group<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        group: usize,
    ) {
        for index in 0..self.ends.len() {
            self.refresh_stick(particles, sticks, group, index);
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
            let shared = Shared {
                inverse_masses,
                rest_term: formula.rest_term(sticks.rest(stick)),
                weight_term: formula.weight_term(weight(inverse_masses, compliance, inverse_h2)),
            };
            (shared, sticks.response(stick))
        };
        let first = group * GROUP;
        // Lanes without a copy get the constants of the first copy.
        let copies = self.layout.copies_in(group);
        let lanes: [_; GROUP] =
            core::array::from_fn(|lane| constants_in(first + if lane < copies { lane } else { 0 }));
        constants.set(index, &lanes);
    }
}

impl GroupConstants {
    /// Constants whose values are not set yet.
    fn unset(sticks: usize) -> Self {
        let unset = Shared { inverse_masses: [0.0; 2], rest_term: 0.0, weight_term: 0.0 };
        Self {
            sticks: alloc::vec![StickConstants::Plain(unset); sticks],
            rest_terms: alloc::vec![0.0; sticks],
            is_majority: alloc::vec![false; sticks],
            majority_inverse_mass: 0.0,
            majority_weight_term: 0.0,
            by_copy: Vec::new(),
            compliant: false,
        }
    }

    /// Sets the constants of the stick at an index; `lanes` has those of each copy.
    fn set(&mut self, index: usize, lanes: &[(Shared, Response<f32>); GROUP]) {
        let (shared, response) = lanes[0];
        let Response { stretched, compressed } = response;
        let bits = |(shared, response): &(Shared, Response<f32>)| {
            let Shared { inverse_masses: [wa, wb], rest_term, weight_term } = *shared;
            let Response { stretched, compressed } = *response;
            [wa, wb, rest_term, weight_term, stretched, compressed].map(f32::to_bits)
        };
        let is_shared = lanes.iter().all(|lane| bits(lane) == bits(&lanes[0]));
        let stick = &mut self.sticks[index];
        *stick = match *stick {
            StickConstants::ByCopy(row) => {
                self.by_copy[row as usize] = ByCopy::new(lanes);
                StickConstants::ByCopy(row)
            }
            _ if !is_shared || stretched == ABSENT => {
                self.by_copy.push(ByCopy::new(lanes));
                StickConstants::ByCopy(self.by_copy.len() as u32 - 1)
            }
            _ if [stretched, compressed] == [1.0; 2] => StickConstants::Plain(shared),
            _ => StickConstants::Responding(shared, response),
        };
        self.rest_terms[index] = shared.rest_term;
        self.set_is_majority(index);
    }

    /// Sets whether the stick at an index is of the majority.
    fn set_is_majority(&mut self, index: usize) {
        self.is_majority[index] = match self.sticks[index] {
            StickConstants::Plain(Shared { inverse_masses, weight_term, .. }) => {
                let bits = [inverse_masses[0], inverse_masses[1], weight_term].map(f32::to_bits);
                let w = self.majority_inverse_mass;
                bits == [w, w, self.majority_weight_term].map(f32::to_bits)
            }
            _ => false,
        };
    }

    /// Finds the inverse mass and the weight term of the majority of plain sticks with ends of equal
    /// mass (Boyer and Moore, "MJRTY", 1981), and the sticks that have them.
    fn find_majority(&mut self) {
        let mut votes = 0_usize;
        for stick in &self.sticks {
            let StickConstants::Plain(Shared { inverse_masses: [wa, wb], weight_term, .. }) =
                *stick
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
            self.set_is_majority(index);
        }
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
