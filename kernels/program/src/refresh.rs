//! Refreshes the constants of sticks after changes of sticks and inverse masses.

use core::ops::Range;

use taut_core::{Delta, Particles, PlanError, Real, Response, Sticks, item_range, weight};

use crate::layout::TRANSPOSED_REGISTERS;
use crate::{Access, Form, Program, Register, Segment, TWO_AT_ONCE_LANES};

impl<S: Real> Program<S> {
    /// Recomputes the constants that depend on sticks and masses that changed since the last call.
    ///
    /// # Errors
    /// If the ends of these sticks differ from those that the program was made for, or there are
    /// too few particles. Nothing is changed then.
    pub fn refresh<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError> {
        self.check_particle_count(particles)?;
        let (stick_changes, mass_changes) = (
            sticks.changes().since(self.stick_cursor),
            particles.mass_changes().since(self.mass_cursor),
        );
        if stick_changes == Delta::ForeignCursor {
            sticks.check_ends(&self.ends)?;
        }
        match (stick_changes, mass_changes) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed_sticks), Delta::Entries(changed_masses)) => {
                for &stick in changed_sticks {
                    self.refresh_stick(sticks, stick as usize);
                }
                // A changed inverse mass may change the inverse mass of a segment even if no register
                // changes its form.
                let mut rebuild = !changed_masses.is_empty();
                for &stick in changed_sticks {
                    rebuild |= self.refresh_masses_of(particles, sticks, stick as usize);
                }
                if !changed_masses.is_empty() {
                    self.set_mass_changed(changed_masses, true);
                    for (stick, ends) in sticks.ends().iter().enumerate() {
                        if ends.iter().any(|&end| self.mass_changed[end as usize]) {
                            self.refresh_masses_of(particles, sticks, stick);
                        }
                    }
                    self.set_mass_changed(changed_masses, false);
                }
                if rebuild {
                    self.rebuild_segments(particles);
                }
            }
            _ => self.refresh_all(particles, sticks),
        }
        self.stick_cursor = sticks.changes().now();
        self.mass_cursor = particles.mass_changes().now();
        Ok(())
    }

    /// Sets the `mass_changed` flags of `particles`; ignores particles whose numbers are so high that
    /// no stick has them.
    fn set_mass_changed(&mut self, particles: &[u32], changed: bool) {
        for &particle in particles {
            if let Some(flag) = self.mass_changed.get_mut(particle as usize) {
                *flag = changed;
            }
        }
    }

    /// Recomputes the constants of a stick that depend on the masses at its ends. Returns whether
    /// the form of its register changed.
    fn refresh_masses_of<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        stick: usize,
    ) -> bool {
        self.refresh_weight_of(particles, stick);
        self.refresh_form(particles, sticks, self.slot_of[stick] as usize / self.lanes)
    }

    /// Sets `1 / h²` of the substeps, 1/s², for compliance.
    pub fn set_inverse_h2<const D: usize>(&mut self, particles: &Particles<D, S>, inverse_h2: S) {
        if self.inverse_h2 != inverse_h2 {
            self.inverse_h2 = inverse_h2;
            if !self.non_plain.compliance.is_empty() {
                self.refresh_weights(particles);
            }
        }
    }

    /// `1 / h²` of the substeps, 1/s².
    pub fn inverse_h2(&self) -> S {
        self.inverse_h2
    }

    /// Checks that there are at least as many particles as the sticks need.
    pub(super) fn check_particle_count<const D: usize>(
        &self,
        particles: &Particles<D, S>,
    ) -> Result<(), PlanError> {
        if particles.len() < self.particles {
            return Err(PlanError::TooFewParticles {
                needed: self.particles,
                particles: particles.len(),
            });
        }
        Ok(())
    }

    /// Recomputes all constants, forms and segments.
    pub(super) fn refresh_all<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) {
        for stick in 0..sticks.len() {
            self.refresh_stick(sticks, stick);
        }
        self.refresh_weights(particles);
        for register in 0..self.registers.len() {
            self.refresh_form(particles, sticks, register);
        }
        self.rebuild_segments(particles);
    }

    /// Recomputes all constants of a stick that do not depend on masses.
    fn refresh_stick(&mut self, sticks: &Sticks<S>, stick: usize) {
        let rest_term = self.formula.rest_term(sticks.rest(stick));
        for slot in self.register_slots_of(stick) {
            if self.stick_of[slot] as usize == stick {
                self.rest_term[slot] = rest_term;
            }
        }
        if self.non_plain.stretched.is_empty() {
            if sticks.is_plain(stick) && !sticks.is_torn(stick) {
                return;
            }
            let slot_count = self.slots();
            self.non_plain.stretched.resize(slot_count, S::ONE);
            self.non_plain.compressed.resize(slot_count, S::ONE);
            self.non_plain.compliance.resize(slot_count, S::ZERO);
        }
        let Response { stretched, compressed } = sticks.response(stick);
        for slot in self.register_slots_of(stick) {
            if self.stick_of[slot] as usize == stick {
                self.non_plain.stretched[slot] = stretched;
                self.non_plain.compressed[slot] = compressed;
                self.non_plain.compliance[slot] = sticks.compliance(stick);
            }
        }
    }

    /// The slots of the register that a stick is in.
    fn register_slots_of(&self, stick: usize) -> Range<usize> {
        let first = self.slot_of[stick] as usize / self.lanes * self.lanes;
        first..first + self.lanes
    }

    /// Recomputes the form of a register. Returns whether it changed.
    fn refresh_form<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        register: usize,
    ) -> bool {
        let slots = register * self.lanes..(register + 1) * self.lanes;
        let plain =
            |&stick: &u32| sticks.is_plain(stick as usize) && !sticks.is_torn(stick as usize);
        let inverse_mass = |&end: &u32| particles.inverse_masses()[(end / self.stride) as usize];
        let first_inverse_mass = inverse_mass(&self.a[slots.start]);
        let form = if !self.stick_of[slots.clone()].iter().all(plain) {
            Form::NonPlain
        } else if self.lanes.is_multiple_of(TRANSPOSED_REGISTERS)
            && [&self.a, &self.b].into_iter().all(|ends| {
                ends[slots.clone()].iter().all(|end| inverse_mass(end) == first_inverse_mass)
            })
        {
            Form::EqualMasses
        } else {
            Form::MixedMasses
        };
        core::mem::replace(&mut self.registers[register].form, form) != form
    }

    /// Merges consecutive registers with the same access, form and inverse mass into segments.
    fn rebuild_segments<const D: usize>(&mut self, particles: &Particles<D, S>) {
        self.segments.clear();
        self.segment_ends.clear();
        for task in 0..self.task_ends.len() {
            let begin = self.segments.len();
            let mut registers = item_range(&self.task_ends, task);
            while !registers.is_empty() {
                let group = self.register_group(registers.start);
                registers.start = group.end;
                let first_key = self.segment_key(particles, group.start);
                let uniform =
                    group.clone().all(|index| self.segment_key(particles, index) == first_key);
                let mixed = !uniform && self.is_relaxed_as_mixed(group.clone());
                for index in group {
                    let (mut register, mut inverse_mass) = self.segment_key(particles, index);
                    if mixed {
                        (register.form, inverse_mass) = (Form::MixedMasses, None);
                    } else if !uniform {
                        // These registers are relaxed one by one.
                        register.access = Access::Scattered;
                    }
                    let slots = (index * self.lanes) as u32..((index + 1) * self.lanes) as u32;
                    match self.segments[begin..].last_mut() {
                        Some(segment)
                            if segment.register == register
                                && segment.inverse_mass == inverse_mass =>
                        {
                            segment.slots.end = slots.end;
                        }
                        _ => self.segments.push(Segment { slots, register, inverse_mass }),
                    }
                }
            }
            self.segment_ends.push(self.segments.len() as u32);
        }
    }

    /// Whether the registers of a group whose forms or inverse masses differ are relaxed together,
    /// all with [`Form::MixedMasses`]; otherwise they are relaxed one by one. A group with a register
    /// that is [`Form::NonPlain`] is always relaxed one by one. In a group that is relaxed together,
    /// registers of equal masses lose their faster loop. With narrow registers, that costs more than
    /// grouping gains, unless most registers have mixed masses anyway.
    fn is_relaxed_as_mixed(&self, group: Range<usize>) -> bool {
        let registers = &self.registers[group];
        let count = |form| registers.iter().filter(|register| register.form == form).count();
        count(Form::NonPlain) == 0
            && (self.lanes >= TWO_AT_ONCE_LANES || 2 * count(Form::MixedMasses) > registers.len())
    }

    /// The properties of a register by which registers are merged into segments: access, form and,
    /// for [`Form::EqualMasses`], the inverse mass of all ends.
    fn segment_key<const D: usize>(
        &self,
        particles: &Particles<D, S>,
        index: usize,
    ) -> (Register, Option<S>) {
        let register = self.registers[index];
        let inverse_mass = (register.form == Form::EqualMasses).then(|| {
            particles.inverse_masses()[(self.a[index * self.lanes] / self.stride) as usize]
        });
        (register, inverse_mass)
    }

    /// Recomputes all stored weight terms.
    fn refresh_weights<const D: usize>(&mut self, particles: &Particles<D, S>) {
        for slot in 0..self.weight_term.len() {
            self.refresh_weight(particles, slot);
        }
    }

    /// Recomputes the stored weight term of a stick, if the formula stores it.
    fn refresh_weight_of<const D: usize>(&mut self, particles: &Particles<D, S>, stick: usize) {
        if !self.weight_term.is_empty() {
            for slot in self.register_slots_of(stick) {
                if self.stick_of[slot] as usize == stick {
                    self.refresh_weight(particles, slot);
                }
            }
        }
    }

    /// Recomputes the stored weight term in a slot.
    fn refresh_weight<const D: usize>(&mut self, particles: &Particles<D, S>, slot: usize) {
        let inverse_masses = [self.a[slot], self.b[slot]]
            .map(|end| particles.inverse_masses()[(end / self.stride) as usize]);
        let compliance = self.non_plain.compliance.get(slot).copied().unwrap_or(S::ZERO);
        let weight = weight(inverse_masses, compliance, self.inverse_h2);
        self.weight_term[slot] = self.formula.weight_term(weight);
    }
}
