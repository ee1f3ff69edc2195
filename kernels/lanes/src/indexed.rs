//! The engine of the kernels that access particles by index.
//!
//! It keeps the particles as 16-byte [`Record`]s: one aligned 128-bit load reads an end of a stick. For
//! each register of plain sticks:
//!
//! ```text
//! indices -> records of the ends -> differences, transposed -> factors -> records
//! ```
//!
//! For other sticks all values of the ends are transposed: see `relax`. Loops over all particles
//! ([`ParticleLoop`]) fill the records from the columns, integrate, run stages, and write positions back
//! and check that they are finite. Threads take the tasks of a phase, which share no particle.

use alloc::sync::Arc;
use core::ops::Range;
use core::sync::atomic::AtomicBool;

use aligned_vec::{AVec, ConstAlign};
use taut_core::{
    Columns, Cursor, Delta, Engine, Executor, Factor, Formula, Inline, Kernel, PADDING, Particles,
    PlanError, Real, Residence, Schedule, Stage, Status, Sticks, Substeps, WithFactor,
};
use taut_program::Program;

use crate::machine::{Machine, Operation};
use crate::particles::{ParticleLoop, RawParticles, RunParticleLoop, Source};
use crate::record::{HALVES, Record};
use crate::relax::relax_slots;
use crate::team::{PARTICLES_PER_THREAD_MIN, STICKS_PER_THREAD_MIN, SharedPtr, Team};
use crate::vector::Vector;

/// Particles per job of a loop over all particles.
const JOB_PARTICLES: usize = 4096;
const _: () = assert!(JOB_PARTICLES.is_multiple_of(PADDING));

/// A kernel for particles in 2 and 3 dimensions, on the registers of a machine.
#[derive(Clone, Copy, Debug)]
pub struct IndexedKernel<M> {
    machine: M,
}

impl<M> IndexedKernel<M> {
    /// The kernel on this machine.
    pub const fn on(machine: M) -> Self {
        Self { machine }
    }
}

/// The plan of an [`IndexedKernel`]: the sticks in the order of the schedule, and the records.
#[derive(Debug)]
pub struct IndexedPlan<M, const D: usize> {
    machine: M,
    program: Program<f32>,
    /// The working copy, padded to a multiple of [`PADDING`].
    records: AVec<Record, ConstAlign<64>>,
    /// The number of particles: records without padding.
    len: usize,
    /// Where the positions are; previous positions stay in their columns.
    residence: Residence,
    /// The cursors into [`Particles::position_changes`] and [`Particles::mass_changes`]; `None`
    /// until the first loop over the particles.
    synced_at: Option<[Cursor; 2]>,
    /// Whether all positions were finite at the last check; `None` if the columns have changed
    /// since. Valid only while the residence is [`Residence::Both`].
    finite: Option<bool>,
    team: Team,
}

impl<M: Machine, const D: usize> Kernel<D> for IndexedKernel<M> {
    type Plan = IndexedPlan<M, D>;

    fn name(&self) -> &'static str {
        self.machine.name()
    }

    fn isa(&self) -> &'static str {
        self.machine.isa()
    }

    fn lanes(&self) -> usize {
        self.machine.lanes()
    }

    fn plan(
        &self,
        particles: &Particles<D>,
        sticks: &Sticks,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError> {
        if !(2..=3).contains(&D) {
            return Err(PlanError::Dimensions { dimensions: D });
        }
        Ok(IndexedPlan {
            machine: self.machine,
            program: Program::new(
                self.machine.lanes(),
                HALVES,
                particles,
                sticks,
                schedule,
                formula,
            )?,
            records: AVec::new(0),
            len: 0,
            residence: Residence::Columns,
            synced_at: None,
            finite: None,
            team: Team::default(),
        })
    }
}

impl<M: Machine, const D: usize> Engine<D> for IndexedPlan<M, D> {
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    fn sync_in(&mut self, particles: &mut Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        self.program.refresh(particles, sticks)?;
        self.sync_particles(particles);
        Ok(())
    }

    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.program.set_inverse_h2(particles, substeps.motion.inverse_h2);
        for _ in 0..substeps.count {
            // Columns are preferred, because records must be transposed.
            let source = match self.residence {
                Residence::Columns | Residence::Both => Source::Columns,
                Residence::WorkingCopy => Source::Records,
            };
            if self.residence == Residence::Both {
                // The residence is set before the loop, because the executor may panic in it.
                self.residence = Residence::Columns;
            }
            self.run_particle_loop(
                particles,
                executor,
                ParticleLoop::Integrate(source, &substeps.motion),
            );
            self.residence = Residence::WorkingCopy;
            if let Some(stage) = substeps.after_motion {
                self.run_particle_loop(particles, executor, ParticleLoop::Visit(stage));
            }
            self.relax_records(executor, substeps.iterations);
        }
        Ok(())
    }

    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<Status, PlanError> {
        self.advance(executor, particles, sticks, substeps)?;
        Ok(self.write_back(executor, particles))
    }

    fn relax(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        inverse_h2: f32,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.program.set_inverse_h2(particles, inverse_h2);
        self.fill(particles, executor);
        self.residence = Residence::WorkingCopy;
        self.relax_records(executor, iterations);
        Ok(())
    }

    /// Runs the stage on the columns, on the calling thread, if they are up to date; else on the
    /// records.
    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        stage: &dyn Stage<D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        if self.residence == Residence::WorkingCopy {
            self.run_particle_loop(particles, executor, ParticleLoop::Visit(stage));
        } else {
            self.residence = Residence::Columns;
            particles.visit(stage);
        }
        Ok(())
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        if self.residence != Residence::WorkingCopy || !self.records_belong_to(particles) {
            return particles.position(particle).map(Real::positive_zero);
        }
        assert!(particle < particles.len(), "there is no particle {particle}");
        let Record(record) = self.records[particle];
        core::array::from_fn(|axis| record[axis])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        assert!(particle < particles.len(), "there is no particle {particle}");
        self.sync_particles(particles);
        self.fill(particles, &Inline);
        self.residence = Residence::WorkingCopy;
        let record = &mut self.records[particle].0;
        record[..D].copy_from_slice(&point.map(Real::positive_zero));
        // A blow-up may have made the inverse mass of the record NaN.
        record[D] = particles.inverse_masses()[particle];
    }

    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) -> Status {
        self.sync_particles(particles);
        self.fill(particles, executor);
        let last_check = self.finite.filter(|_| self.residence == Residence::Both);
        let finite = last_check.unwrap_or_else(|| {
            let finite = AtomicBool::new(true);
            self.run_particle_loop(particles, executor, ParticleLoop::WriteBack(&finite));
            finite.into_inner()
        });
        (self.finite, self.residence) = (Some(finite), Residence::Both);
        Status { finite }
    }

    fn write_back_inline(&mut self, particles: &mut Particles<D>) {
        let _ = self.write_back(&Inline, particles);
    }
}

impl<M: Machine, const D: usize> IndexedPlan<M, D> {
    /// Whether the records belong to these particles.
    fn records_belong_to(&self, particles: &Particles<D>) -> bool {
        let Some([position_cursor, _]) = self.synced_at else { return false };
        // Adding a particle is not recorded as a change of a position.
        particles.position_changes().since(position_cursor) != Delta::ForeignCursor
            && self.len == particles.len()
    }

    /// Copies positions and inverse masses that were changed in the columns into the records. If it
    /// is not known which positions were changed, drops the working copy.
    fn sync_particles(&mut self, particles: &mut Particles<D>) {
        let has_copy = self.residence != Residence::Columns && self.records_belong_to(particles);
        let cursors = self.synced_at.filter(|_| has_copy);
        let changes = cursors.map(|[position_cursor, mass_cursor]| {
            (particles.position_changes().since(position_cursor), mass_cursor)
        });
        let Some((Delta::Entries(moved), mass_cursor)) = changes else {
            self.residence = Residence::Columns;
            self.len = particles.len();
            self.records.resize(self.len.next_multiple_of(PADDING), Record::default());
            return;
        };
        for &particle in moved {
            let point = particles.position(particle as usize).map(Real::positive_zero);
            let record = &mut self.records[particle as usize].0;
            record[..D].copy_from_slice(&point);
            // A blow-up may have made the record's inverse mass NaN, too.
            record[D] = particles.inverse_masses()[particle as usize];
            self.finite = None;
        }
        let inverse_masses = particles.inverse_masses();
        match particles.mass_changes().since(mass_cursor) {
            Delta::Entries(entries) => entries.iter().for_each(|&particle| {
                self.records[particle as usize].0[D] = inverse_masses[particle as usize];
            }),
            _ => {
                self.records
                    .iter_mut()
                    .zip(inverse_masses)
                    .for_each(|(record, &w)| record.0[D] = w);
            }
        }
        self.mark_synced(particles);
    }

    /// Moves the cursors to the end of the lists of changes: the next synchronization reads only
    /// later writes.
    fn mark_synced(&mut self, particles: &Particles<D>) {
        self.synced_at = Some([particles.position_changes().now(), particles.mass_changes().now()]);
    }

    /// Copies values that are only in the columns into the records.
    fn fill(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if self.residence == Residence::Columns {
            self.run_particle_loop(particles, executor, ParticleLoop::Fill);
            // Not `Both`: the columns may hold -0.0, which is +0.0 in the records.
            self.residence = Residence::WorkingCopy;
        }
    }

    /// Relaxes all sticks `iterations` times, on the threads of the executor if there are enough
    /// sticks.
    fn relax_records(&mut self, executor: &dyn Executor, iterations: u32) {
        let (machine, program) = (self.machine, &self.program);
        // Replaces a bounds check of each index: every index is `HALVES` times a particle number below
        // `program.particles()`.
        assert!(
            self.records.len() >= program.particles(),
            "there are fewer records than particles in the program"
        );
        let records = SharedPtr(self.records.as_mut_ptr());
        let task_count = program.phases().last().map_or(0, |phase| phase.end);
        // With a single phase, no two tasks share a particle, so each runs all its iterations while
        // its particles are in the caches.
        let single_phase = program.phases().count() == 1;
        let max_tasks_per_phase = program.phases().map(|phase| phase.len()).max().unwrap_or(0);
        let threads = executor
            .threads()
            .min(max_tasks_per_phase)
            .min(program.slots() / STICKS_PER_THREAD_MIN);
        if threads <= 1 {
            let tasks_per_run = if single_phase { 1 } else { task_count.max(1) };
            for first in (0..task_count).step_by(tasks_per_run) {
                let tasks = first..first + tasks_per_run;
                // SAFETY: there are as many records as asserted, borrowed exclusively (`&mut
                // self`); only this thread uses them.
                machine.run(unsafe { Relax::<D>::new(program, records, tasks, iterations) });
            }
            return;
        }
        let (rounds, iterations) = if single_phase { (1, iterations) } else { (iterations, 1) };
        let relax = |task| {
            let tasks = task..task + 1;
            // SAFETY: there are as many records as asserted, borrowed exclusively (`&mut self`);
            // the tasks of a phase, each run once and before the next phase, have no particle in
            // common.
            machine.run(unsafe { Relax::<D>::new(program, records, tasks, iterations) });
        };
        self.team.run(executor, threads, rounds, || program.phases(), relax);
    }

    /// Runs a loop over all particles, padding included.
    fn run_particle_loop(
        &mut self,
        particles: &mut Particles<D>,
        executor: &dyn Executor,
        particle_loop: ParticleLoop<'_, D>,
    ) {
        let mass_cursor = particles.mass_changes().now();
        let (columns, position_cursor) = particles.columns_and_cursor();
        // The cursors are set before the loop, because the executor may panic in it.
        self.synced_at = Some([position_cursor, mass_cursor]);
        let Columns { position, previous, inverse_mass } = columns;
        let len = inverse_mass.len();
        assert!(
            self.records.len() == len && len.is_multiple_of(PADDING),
            "the records do not match the particles"
        );
        let machine = self.machine;
        let raw_particles = RawParticles {
            position: position.map(|column| SharedPtr(column.as_mut_ptr())),
            previous: previous.map(|column| SharedPtr(column.as_mut_ptr())),
            inverse_mass,
            records: SharedPtr(self.records.as_mut_ptr()),
        };
        let threads = executor.threads().min(len / PARTICLES_PER_THREAD_MIN);
        if threads <= 1 {
            // SAFETY: columns and records have `len` entries, as asserted, and are borrowed
            // exclusively; only this thread uses them.
            machine.run(unsafe { RunParticleLoop::new(&raw_particles, 0..len, particle_loop) });
        } else {
            let phases = || core::iter::once(0..len.div_ceil(JOB_PARTICLES));
            self.team.run(executor, threads, 1, phases, |job| {
                let range = job * JOB_PARTICLES..len.min((job + 1) * JOB_PARTICLES);
                // SAFETY: columns and records have `len` entries, as asserted, and are borrowed
                // exclusively; each job runs once, and the ranges of the jobs do not overlap.
                machine.run(unsafe { RunParticleLoop::new(&raw_particles, range, particle_loop) });
            });
        }
    }
}

/// The operation that relaxes tasks in sequence, `iterations` times.
struct Relax<'a, const D: usize> {
    program: &'a Program<f32>,
    records: SharedPtr<Record>,
    tasks: Range<usize>,
    iterations: u32,
}

impl<'a, const D: usize> Relax<'a, D> {
    /// # Safety
    /// While the operation runs,
    /// - `records` is valid for reading and writing `program.particles()` records,
    /// - and no other code accesses the records of the tasks.
    unsafe fn new(
        program: &'a Program<f32>,
        records: SharedPtr<Record>,
        tasks: Range<usize>,
        iterations: u32,
    ) -> Self {
        Self { program, records, tasks, iterations }
    }
}

impl<const D: usize> Operation for Relax<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct RelaxTasks<'a, V: Vector, const D: usize>(V::Cpu, Relax<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for RelaxTasks<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, Relax { program, records, tasks, iterations }) = self;
                for _ in 0..iterations {
                    for slots in tasks.clone().flat_map(|task| program.task(task)) {
                        // SAFETY: by the program's construction, its indices are `HALVES` times
                        // particle numbers below `program.particles()`, and the sticks of a
                        // register are independent, except for repetitions of the last one; the
                        // rest is the contract of `Relax::new`.
                        unsafe {
                            relax_slots::<V, F, D>(cpu, slots, records.0, program.inverse_h2());
                        }
                    }
                }
            }
        }
        assert_eq!(
            self.program.lanes(),
            V::LANES,
            "the program was laid out for another number of lanes"
        );
        self.program.formula().dispatch(RelaxTasks::<V, D>(cpu, self));
    }
}
