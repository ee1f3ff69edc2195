//! The engine of the kernels that name particles by index.
//!
//! It keeps the particles as 16-byte [`Record`]s for the length of a step: an end of a stick
//! is then one aligned 128-bit load, transposed in registers. For each register of sticks:
//!
//! ```text
//! names -> records of the ends -> columns -> law -> columns -> records
//! ```
//!
//! The records are filled from the columns and integrated in one pass, and brought back, with
//! the check for finiteness, in another. Threads share out the tasks of a phase, which have no
//! particle in common.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use aligned_vec::{AVec, ConstAlign};
use taut_core::{
    Columns, Executor, Factor, Formula, Kernel, Motion, PADDING, Particles, Plan, PlanError,
    Program, Real, Schedule, Status, Sticks, WithFactor, integrate,
};

use crate::machine::{Machine, Operation};
use crate::record::{HALVES, Record};
use crate::relax::relax_slots;
use crate::team::{Shared, Team};
use crate::vector::Vector;

/// How many particles a thread takes at a time outside relaxation.
const SHARE: usize = 4096;
const _: () = assert!(SHARE.is_multiple_of(PADDING));
/// With fewer particles than this for each, threads are not worth calling for a pass over them.
const PARTICLES_A_THREAD: usize = 2 * SHARE;
/// With fewer sticks than this for each, threads cost more than they save: mostly because the
/// seams' particles go from cache to cache. Measured with 1 here, by `taut compare --threads 1,2
/// --kernels pulp,colour --schedules blocked --size N`: two threads are 0.9 times as fast as one
/// at N = 40 (12,000 sticks), 1.1 times at 48 (17,000), 1.6 times at 64 (32,000).
const STICKS_A_THREAD: usize = 8192;

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

/// Its plan: the sticks in the order of the schedule, and the records.
#[derive(Debug)]
pub struct IndexedPlan<M, const D: usize> {
    machine: M,
    program: Program<f32>,
    records: AVec<Record, ConstAlign<64>>,
    motion: Motion<D>,
    /// Whether the records still wait to be filled from the columns.
    pending: bool,
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
            motion: Motion { keep: 1.0, push: [0.0; D], inverse_h2: 0.0 },
            pending: true,
            team: Team::default(),
        })
    }
}

impl<M: Machine, const D: usize> Plan<D> for IndexedPlan<M, D> {
    fn begin(
        &mut self,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        motion: &Motion<D>,
    ) -> Result<(), PlanError> {
        self.program.refresh(particles, sticks)?;
        self.program.set_inverse_h2(particles, motion.inverse_h2);
        self.records.resize(particles.columns().inverse_mass.len(), Record::default());
        self.motion = *motion;
        self.pending = true;
        Ok(())
    }

    fn integrate(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        let from = if self.pending { Source::Columns } else { Source::Records };
        self.pending = false;
        self.over_particles(particles, executor, Pass::Integrate(from));
    }

    fn relax(&mut self, particles: &mut Particles<D>, iterations: u32, executor: &dyn Executor) {
        self.fill(particles, executor);
        let (machine, program) = (self.machine, &self.program);
        // The one check of names: they are below `program.particles()`.
        assert!(self.records.len() >= program.particles(), "the session was not begun");
        let records = Shared(self.records.as_mut_ptr());
        let tasks = program.phases().last().map_or(0, |phase| phase.end);
        // The tasks of one phase never meet, so each may do all its iterations while its
        // particles are in the caches.
        let apart = program.phases().count() == 1;
        let widest = program.phases().map(|phase| phase.len()).max().unwrap_or(0);
        let threads = executor.threads().min(widest).min(program.slots() / STICKS_A_THREAD);
        if threads <= 1 {
            let together = if apart { 1 } else { tasks.max(1) };
            for first in (0..tasks).step_by(together) {
                let tasks = first..first + together;
                // SAFETY: as many records as asserted; `&mut self`, and this thread alone.
                machine.run(unsafe { Relax::<D>::new(program, records, tasks, iterations) });
            }
            return;
        }
        let (rounds, iterations) = if apart { (1, iterations) } else { (iterations, 1) };
        let relax = |task| {
            let tasks = task..task + 1;
            // SAFETY: as many records as asserted; `&mut self`, and the tasks of a phase, each
            // done once and before the next phase, have no particle in common.
            machine.run(unsafe { Relax::<D>::new(program, records, tasks, iterations) });
        };
        self.team.run(executor, threads, rounds, || program.phases(), relax);
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        if self.pending {
            return particles.position(particle).map(Real::positive_zero);
        }
        assert!(particle < particles.len(), "there is no particle {particle}");
        let Record(record) = self.records[particle];
        core::array::from_fn(|axis| record[axis])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        assert!(particle < particles.len(), "there is no particle {particle}");
        if self.pending {
            for (axis, x) in point.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x;
            }
        } else {
            self.records[particle].0[..D].copy_from_slice(&point);
        }
    }

    fn finish(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) -> Status {
        self.fill(particles, executor);
        let finite = AtomicBool::new(true);
        self.over_particles(particles, executor, Pass::Return(&finite));
        Status { finite: finite.into_inner() }
    }
}

impl<M: Machine, const D: usize> IndexedPlan<M, D> {
    fn fill(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if core::mem::take(&mut self.pending) {
            self.over_particles(particles, executor, Pass::Fill);
        }
    }

    /// One pass over all particles, padding included.
    fn over_particles(
        &mut self,
        particles: &mut Particles<D>,
        executor: &dyn Executor,
        pass: Pass<'_>,
    ) {
        let Columns { position, previous, inverse_mass } = particles.columns();
        let len = inverse_mass.len();
        assert!(self.records.len() == len && len.is_multiple_of(PADDING), "not begun with these");
        let (machine, motion) = (self.machine, &self.motion);
        let columns = RawColumns {
            position: position.map(|column| Shared(column.as_mut_ptr())),
            previous: previous.map(|column| Shared(column.as_mut_ptr())),
            inverse_mass,
            records: Shared(self.records.as_mut_ptr()),
        };
        let threads = executor.threads().min(len / PARTICLES_A_THREAD);
        if threads <= 1 {
            // SAFETY: all have `len` entries, as asserted, and are borrowed exclusively; this
            // thread alone.
            machine.run(unsafe { OverParticles::new(&columns, motion, 0..len, pass) });
        } else {
            let shares = || core::iter::once(0..len.div_ceil(SHARE));
            self.team.run(executor, threads, 1, shares, |share| {
                let range = share * SHARE..len.min((share + 1) * SHARE);
                // SAFETY: all have `len` entries, as asserted, and are borrowed exclusively;
                // the ranges, each passed over once, do not overlap.
                machine.run(unsafe { OverParticles::new(&columns, motion, range, pass) });
            });
        }
    }
}

/// Relaxes tasks, in sequence, some times over.
struct Relax<'a, const D: usize> {
    program: &'a Program<f32>,
    records: Shared<Record>,
    tasks: Range<usize>,
    iterations: u32,
}

impl<'a, const D: usize> Relax<'a, D> {
    /// # Safety
    /// While it runs,
    /// - `records` is valid for reading and writing `program.particles()` records,
    /// - and nobody else uses the records that the tasks name.
    unsafe fn new(
        program: &'a Program<f32>,
        records: Shared<Record>,
        tasks: Range<usize>,
        iterations: u32,
    ) -> Self {
        Self { program, records, tasks, iterations }
    }
}

impl<const D: usize> Operation for Relax<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct With<'a, V: Vector, const D: usize>(V::Cpu, Relax<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for With<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, Relax { program, records, tasks, iterations }) = self;
                for _ in 0..iterations {
                    for slots in tasks.clone().flat_map(|task| program.task(task)) {
                        // SAFETY: the names are below `program.particles()`, and registers of
                        // independent sticks, by its construction; the rest is the contract
                        // of `Relax::new`.
                        unsafe {
                            relax_slots::<V, F, D>(cpu, slots, records.0, program.inverse_h2());
                        }
                    }
                }
            }
        }
        assert_eq!(self.program.lanes(), V::LANES, "laid out for other registers");
        self.program.formula().dispatch(With::<V, D>(cpu, self));
    }
}

/// What to do with each particle.
#[derive(Clone, Copy)]
enum Pass<'a> {
    /// Columns to records.
    Fill,
    /// A substep of motion, from the columns or from the records to the records.
    Integrate(Source),
    /// Records to columns, noting whether all are finite.
    Return(&'a AtomicBool),
}

/// Where the positions are that a pass begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Columns,
    Records,
}

/// The particles, both ways: as columns and as records.
struct RawColumns<'a, const D: usize> {
    position: [Shared<f32>; D],
    previous: [Shared<f32>; D],
    inverse_mass: &'a [f32],
    records: Shared<Record>,
}

/// A pass over a range of particles.
struct OverParticles<'a, const D: usize> {
    columns: &'a RawColumns<'a, D>,
    motion: &'a Motion<D>,
    range: Range<usize>,
    pass: Pass<'a>,
}

impl<'a, const D: usize> OverParticles<'a, D> {
    /// # Safety
    /// While it runs,
    /// - all columns and records are valid for reading and writing in `range`, which is a
    ///   whole number of [`PADDING`]s,
    /// - and nobody else uses that part of them.
    unsafe fn new(
        columns: &'a RawColumns<'a, D>,
        motion: &'a Motion<D>,
        range: Range<usize>,
        pass: Pass<'a>,
    ) -> Self {
        Self { columns, motion, range, pass }
    }
}

impl<const D: usize> Operation for OverParticles<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { columns, motion, range, pass } = self;
        let keep = V::splat(cpu, motion.keep);
        let push = motion.push.map(|push| V::splat(cpu, push));
        let zero = V::splat(cpu, 0.0);
        let mut unsound = zero;
        const { assert!(PADDING.is_multiple_of(V::LANES)) };
        for at in range.step_by(V::LANES) {
            // SAFETY: `LANES` divides `PADDING`, so `at..at + LANES` is within the range, which
            // is within the columns and ours alone, by the contract of `new`.
            let load = |column: &Shared<f32>| unsafe { V::load(cpu, column.0.add(at)) };
            let record = |lane: usize| columns.records.0.wrapping_add(at + lane).cast::<[f32; 4]>();
            // SAFETY: as above.
            let inverse_mass = unsafe { V::load(cpu, columns.inverse_mass.as_ptr().add(at)) };
            let mut fields = [zero; 4];
            let from = match pass {
                Pass::Fill => Source::Columns,
                Pass::Integrate(from) => from,
                Pass::Return(_) => Source::Records,
            };
            if from == Source::Records {
                // SAFETY: as above.
                fields = unsafe { V::gather(cpu, |lane| record(lane).cast_const()) };
            } else {
                for (field, column) in fields.iter_mut().zip(&columns.position) {
                    *field = load(column) + zero; // -0.0 becomes +0.0
                }
            }
            match pass {
                Pass::Fill => {}
                Pass::Integrate(_) => {
                    for axis in 0..D {
                        let x = fields[axis];
                        let previous = load(&columns.previous[axis]);
                        fields[axis] = integrate(x, previous, inverse_mass, keep, push[axis]);
                        // SAFETY: as above.
                        unsafe { x.store(columns.previous[axis].0.add(at)) };
                    }
                }
                Pass::Return(_) => {
                    for (field, column) in fields.into_iter().zip(&columns.position) {
                        // NaN, and stays so, unless the position is finite.
                        unsound = unsound + field * zero;
                        // SAFETY: as above.
                        unsafe { field.store(column.0.add(at)) };
                    }
                    continue;
                }
            }
            fields[D] = inverse_mass;
            // SAFETY: as above.
            unsafe { V::scatter(fields, record) };
        }
        if let Pass::Return(finite) = pass {
            let mut lanes = [0.0; PADDING];
            // SAFETY: no register has more lanes than `PADDING`.
            unsafe { unsound.store(lanes.as_mut_ptr()) };
            if lanes.iter().any(|lane| lane.is_nan()) {
                finite.store(false, Ordering::Relaxed);
            }
        }
    }
}
