//! The scalar kernel: one stick at a time.
//!
//! It runs any schedule, in any number of dimensions, in `f32` and in `f64` (the reference
//! for measuring errors). It has no `unsafe` code and uses no SIMD types. Its results define the
//! results of every other kernel.
//!
//! ```
//! use taut_core::{Duplicates, Formula, Kernel, Particles, Plan, Schedule, Step, Sticks};
//! use taut_scalar::ScalarKernel;
//!
//! // A rope of five particles that hangs from its first particle.
//! let points: Vec<[f32; 2]> = (0..5).map(|i| [0.1 * i as f32, 0.0]).collect();
//! let mut rope = Particles::new(&points, &[0.0, 1.0, 1.0, 1.0, 1.0])?;
//! let sticks = Sticks::joining(&rope, &[[0, 1], [1, 2], [2, 3], [3, 4]], Duplicates::Keep)?;
//!
//! let mut plan =
//!     ScalarKernel.plan(&rope, &sticks, &Schedule::coloured(&sticks), Formula::Halley)?;
//! for _ in 0..60 {
//!     let status = plan.step(&mut rope, &sticks, &Step::default())?;
//!     assert!(status.finite);
//! }
//! assert_eq!(rope.position(0), [0.0, 0.0]); // It is pinned.
//! assert!(rope.position(4)[1] < -0.1); // It has fallen by more than 0.1 m.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod operation_count;

use alloc::sync::Arc;
use alloc::vec::Vec;

use taut_core::{
    Columns, Cursor, Delta, Engine, Executor, Factor, Formula, Inline, Kernel, Motion, PADDING,
    ParticleView, Particles, PlanError, Real, Residence, Response, Schedule, SlotLayout, Stage,
    Status, Sticks, Substeps, WithFactor, integrate, relax, weight,
};
use taut_program::{Program, Slots};

pub use operation_count::count_operations;

/// The kernel that relaxes one stick at a time, on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScalarKernel;

/// The plan of a [`ScalarKernel`].
#[derive(Clone, Debug)]
pub struct ScalarPlan<const D: usize, S: Real = f32> {
    program: Program<S>,
    /// The working copy. The coordinates and the inverse mass of a particle are adjacent, so that
    /// an access to an end of a stick reads one cache line or two instead of `D + 1`. Previous
    /// positions stay in their columns.
    records: Vec<Record<D, S>>,
    /// Where the current positions are.
    residence: Residence,
    /// The cursors into [`Particles::position_changes`] and [`Particles::mass_changes`]; `None`
    /// until the records are first filled.
    synced_at: Option<[Cursor; 2]>,
    /// Columns of the positions that one call of a stage reads and writes, by axis.
    scratch: [Vec<S>; D],
}

/// Particles per call of a stage: their columns fit the L1 cache.
const STAGE_PARTICLES: usize = 256;
const _: () = assert!(STAGE_PARTICLES.is_multiple_of(PADDING));

/// A particle in the working copy.
#[derive(Clone, Copy, Debug)]
struct Record<const D: usize, S> {
    position: [S; D],
    inverse_mass: S,
}

impl<const D: usize, S: Real> Kernel<D, S> for ScalarKernel {
    type Plan = ScalarPlan<D, S>;

    fn name(&self) -> &'static str {
        "scalar"
    }

    fn isa(&self) -> &'static str {
        "scalar"
    }

    fn lanes(&self) -> usize {
        1
    }

    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError> {
        Ok(ScalarPlan {
            program: Program::new(1, 1, particles, sticks, schedule, formula)?,
            records: Vec::new(),
            residence: Residence::Columns,
            synced_at: None,
            scratch: core::array::from_fn(|_| Vec::new()),
        })
    }
}

impl<const D: usize, S: Real> Engine<D, S> for ScalarPlan<D, S> {
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    fn sync_in(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError> {
        self.program.refresh(particles, sticks)?;
        self.sync_particles(particles);
        Ok(())
    }

    fn advance(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.program.set_inverse_h2(particles, substeps.motion.inverse_h2);
        for _ in 0..substeps.count {
            self.fill(particles);
            self.integrate(particles, &substeps.motion);
            if let Some(stage) = substeps.after_motion {
                self.visit_records(particles, stage);
            }
            self.relax_records(substeps.iterations);
        }
        Ok(())
    }

    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<Status, PlanError> {
        self.advance(executor, particles, sticks, substeps)?;
        Ok(self.write_back(executor, particles))
    }

    fn relax(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        inverse_h2: S,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.program.set_inverse_h2(particles, inverse_h2);
        self.fill(particles);
        self.relax_records(iterations);
        Ok(())
    }

    /// Runs the stage on the columns if they are up to date, else on the working copy.
    fn visit(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        stage: &dyn Stage<D, S>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        if self.residence != Residence::WorkingCopy {
            self.residence = Residence::Columns;
            particles.visit(stage);
            return Ok(());
        }
        self.visit_records(particles, stage);
        Ok(())
    }

    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D] {
        if self.residence != Residence::WorkingCopy || !self.records_belong_to(particles) {
            return particles.position(particle).map(Real::positive_zero);
        }
        assert!(particle < particles.len(), "there is no particle {particle}");
        self.records[particle].position
    }

    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]) {
        assert!(particle < particles.len(), "there is no particle {particle}");
        self.sync_particles(particles);
        self.fill(particles);
        self.records[particle].position = point.map(Real::positive_zero);
    }

    fn write_back(&mut self, _: &dyn Executor, particles: &mut Particles<D, S>) -> Status {
        self.sync_particles(particles);
        self.fill(particles);
        let Columns { mut position, .. } = particles.columns();
        let mut nan_or_zero = S::ZERO;
        for (i, record) in self.records.iter().enumerate() {
            for (&x, column) in record.position.iter().zip(&mut position) {
                // Becomes NaN at the first `x` that is not finite, and stays NaN.
                nan_or_zero = nan_or_zero + x * S::ZERO;
                column[i] = x;
            }
        }
        self.mark_synced(particles);
        self.residence = Residence::Both;
        Status { finite: nan_or_zero.is_finite() }
    }

    fn write_back_inline(&mut self, particles: &mut Particles<D, S>) {
        let _ = self.write_back(&Inline, particles);
    }
}

impl<const D: usize, S: Real> ScalarPlan<D, S> {
    /// Whether the records belong to these particles.
    fn records_belong_to(&self, particles: &Particles<D, S>) -> bool {
        let Some([position_cursor, _]) = self.synced_at else { return false };
        // Adding a particle is not recorded as a change of a position.
        particles.position_changes().since(position_cursor) != Delta::ForeignCursor
            && self.records.len() == particles.len()
    }

    /// Copies positions and inverse masses that were changed in the columns into the records. If it
    /// is not known which positions were changed, drops the working copy.
    fn sync_particles(&mut self, particles: &Particles<D, S>) {
        let has_copy = self.residence != Residence::Columns && self.records_belong_to(particles);
        let cursors = self.synced_at.filter(|_| has_copy);
        let changes = cursors.map(|[position_cursor, mass_cursor]| {
            (particles.position_changes().since(position_cursor), mass_cursor)
        });
        let Some((Delta::Entries(moved), mass_cursor)) = changes else {
            self.residence = Residence::Columns;
            return;
        };
        for &particle in moved {
            let point = particles.position(particle as usize);
            self.records[particle as usize].position = point.map(Real::positive_zero);
        }
        let inverse_masses = particles.inverse_masses();
        match particles.mass_changes().since(mass_cursor) {
            Delta::Entries(changed) => changed.iter().for_each(|&particle| {
                self.records[particle as usize].inverse_mass = inverse_masses[particle as usize];
            }),
            _ => {
                self.records
                    .iter_mut()
                    .zip(inverse_masses)
                    .for_each(|(record, &w)| record.inverse_mass = w);
            }
        }
        self.mark_synced(particles);
    }

    /// Moves the cursors to the end of the lists of changes: the next synchronization reads only
    /// later writes.
    fn mark_synced(&mut self, particles: &Particles<D, S>) {
        self.synced_at = Some([particles.position_changes().now(), particles.mass_changes().now()]);
    }

    /// Copies values that are only in the columns into the working copy. Then marks the working
    /// copy as the only one with current values, because the caller is about to change it.
    fn fill(&mut self, particles: &mut Particles<D, S>) {
        if self.residence == Residence::Columns {
            let (len, columns) = (particles.len(), particles.columns());
            self.records.clear();
            self.records.extend((0..len).map(|i| Record {
                position: columns.position.each_ref().map(|column| column[i].positive_zero()),
                inverse_mass: columns.inverse_mass[i],
            }));
            self.mark_synced(particles);
        }
        self.residence = Residence::WorkingCopy;
    }

    /// Moves all particles by one substep: updates the positions in the records and the columns of
    /// previous positions.
    fn integrate(&mut self, particles: &mut Particles<D, S>, motion: &Motion<D, S>) {
        let Columns { previous, .. } = particles.columns();
        let Motion { retention, displacement, .. } = *motion;
        for (i, record) in self.records.iter_mut().enumerate() {
            for axis in 0..D {
                let x = record.position[axis];
                let old_previous = core::mem::replace(&mut previous[axis][i], x);
                record.position[axis] =
                    integrate(x, old_previous, record.inverse_mass, retention, displacement[axis]);
            }
        }
        self.mark_synced(particles);
    }

    /// Runs a stage on the working copy.
    fn visit_records(&mut self, particles: &mut Particles<D, S>, stage: &dyn Stage<D, S>) {
        for column in &mut self.scratch {
            column.resize(STAGE_PARTICLES, S::ZERO);
        }
        let mass_cursor = particles.mass_changes().now();
        let (Columns { mut previous, inverse_mass, .. }, position_cursor) =
            particles.columns_and_cursor();
        // `columns_and_cursor` records a change of all positions. The cursors are set before the stage
        // runs, because the stage may panic: then the next call still reads only later changes.
        self.synced_at = Some([position_cursor, mass_cursor]);
        // The columns are padded to whole registers, as stages expect; the records are not.
        for first in (0..inverse_mass.len()).step_by(STAGE_PARTICLES) {
            let range = first..inverse_mass.len().min(first + STAGE_PARTICLES);
            let record_range = first..self.records.len().min(first + STAGE_PARTICLES);
            for (index, record) in self.records[record_range.clone()].iter().enumerate() {
                for (column, x) in self.scratch.iter_mut().zip(record.position) {
                    column[index] = x;
                }
            }
            stage.run(ParticleView {
                position: self.scratch.each_mut().map(|column| &mut column[..range.len()]),
                previous: previous.each_mut().map(|column| &mut column[range.clone()]),
                inverse_mass: &inverse_mass[range.clone()],
                layout: SlotLayout::Run(first),
            });
            for (index, record) in self.records[record_range].iter_mut().enumerate() {
                record.position =
                    self.scratch.each_ref().map(|column| column[index].positive_zero());
            }
        }
    }

    /// Relaxes all sticks `iterations` times, on the working copy.
    fn relax_records(&mut self, iterations: u32) {
        for _ in 0..iterations {
            self.program.formula().dispatch(RelaxAll(&self.program, &mut self.records));
        }
    }
}

/// Relaxes all sticks of the program once, in sequence.
struct RelaxAll<'a, const D: usize, S: Real>(&'a Program<S>, &'a mut [Record<D, S>]);

impl<const D: usize, S: Real> WithFactor for RelaxAll<'_, D, S> {
    type Output = ();

    fn with<F: Factor>(self) {
        let Self(program, records) = self;
        for slots in program.phases().flatten().flat_map(|task| program.task(task)) {
            relax_slots::<F, D, S>(&slots, records, program.inverse_h2());
        }
    }
}

/// Relaxes the sticks of consecutive slots once.
fn relax_slots<F: Factor, const D: usize, S: Real>(
    slots: &Slots<'_, S>,
    records: &mut [Record<D, S>],
    inverse_h2: S,
) {
    // A separate loop for plain sticks: with a branch per stick, the compiler spills the addresses
    // of the columns to the stack, and the loop runs a sixth slower.
    match slots.non_plain {
        None if F::STORES_WEIGHT => {
            relax_each::<F, D, S>(slots, records, |slot, _| (slots.weight_term[slot], None));
        }
        None => {
            relax_each::<F, D, S>(slots, records, |_, [wa, wb]| (F::weight_term(wa + wb), None));
        }
        Some(non_plain) => relax_each::<F, D, S>(slots, records, |slot, inverse_masses| {
            let weight_term = if F::STORES_WEIGHT {
                slots.weight_term[slot]
            } else {
                F::weight_term(weight(inverse_masses, non_plain.compliance[slot], inverse_h2))
            };
            (
                weight_term,
                Some(Response {
                    stretched: non_plain.stretched[slot],
                    compressed: non_plain.compressed[slot],
                }),
            )
        }),
    }
}

/// Relaxes the sticks one by one. `terms` returns the weight term and the response of a stick,
/// given its slot and the inverse masses of its ends.
#[inline(always)]
fn relax_each<F: Factor, const D: usize, S: Real>(
    slots: &Slots<'_, S>,
    records: &mut [Record<D, S>],
    terms: impl Fn(usize, [S; 2]) -> (S, Option<Response<S>>),
) {
    let ends_and_rest_terms = slots.a.iter().zip(slots.b).zip(slots.rest_term);
    for (slot, ((&a, &b), &rest_term)) in ends_and_rest_terms.enumerate() {
        let (record_a, record_b) = (records[a as usize], records[b as usize]);
        let inverse_masses = [record_a.inverse_mass, record_b.inverse_mass];
        let (weight_term, response) = terms(slot, inverse_masses);
        let (new_a, new_b) = relax::<F, S, D>(
            record_a.position,
            record_b.position,
            inverse_masses,
            rest_term,
            weight_term,
            response,
        );
        records[a as usize].position = new_a;
        records[b as usize].position = new_b;
    }
}
