//! Plans that keep the particles in columns of their own, in an order that suits the kernel. An index
//! into these columns is a *slot*.
//!
//! [`SlotPlan`] implements [`Engine`](taut_core::Engine) for all of them. It tracks whether the
//! columns of [`Particles`] (here just *columns*) or the slots hold the newer values, reads what
//! changed in the columns, and handles particles without a slot. A kernel provides a layout and the
//! loops over it, as a [`SlotKernel`].

mod engine;
mod limit;
mod motion;
mod sync;
mod unslotted;

use alloc::sync::Arc;

use taut_core::{
    Column, Columns, Cursor, Executor, Motion, Particles, PlanError, Residence, SlotLayout, Stage,
    Sticks, Substeps,
};

pub use limit::check_slots;
pub use motion::integrate;

/// Arrays whose distance is a multiple of this many values (4096 bytes) map to the same sets of the
/// L1 cache.
const PAGE: usize = 1024;
/// The distance between the slots of two consecutive axes modulo [`PAGE`], in values: about a third
/// of a page, in whole cache lines. It avoids 4K aliasing: a load waits for a pending store with the
/// same low 12 address bits. With the slots of all axes at the same offset in their pages, a step
/// takes nearly twice as long.
const STAGGER: usize = 336;

/// A layout of particles in slots, and the loops over it.
pub trait SlotKernel<const D: usize> {
    /// The number of particles that have a slot. They are the particles with the lowest indices.
    fn particles(&self) -> usize;
    /// The number of slots, padding included.
    fn slots(&self) -> usize;
    /// The slot of a particle.
    fn slot(&self, particle: usize) -> usize;
    /// The indices of the particles in all slots.
    fn slot_layout(&self) -> SlotLayout<'_>;

    /// Recomputes the constants that depend on the masses and sticks that changed.
    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks, changes: Changes<'_>);
    /// Sets `1 / h²` of the substeps, 1/s², for compliance.
    fn set_inverse_h2(&mut self, particles: &Particles<D>, sticks: &Sticks, inverse_h2: f32);

    /// Whether [`run_substeps`](Self::run_substeps) runs several substeps in one call on this
    /// executor.
    fn fuses_substeps(&self, executor: &dyn Executor) -> bool;
    /// Runs substeps. Returns false if a new position that it wrote back is not finite; previous
    /// positions are not checked.
    fn run_substeps(
        &mut self,
        executor: &dyn Executor,
        buffers: SlotBuffers<'_, D>,
        run: SubstepRun<'_, D>,
    ) -> bool;
    /// Runs a loop over all slots. Returns whether all values written back are finite.
    fn run_loop(
        &mut self,
        executor: &dyn Executor,
        buffers: SlotBuffers<'_, D>,
        slot_loop: SlotLoop<'_, D>,
    ) -> bool;
}

/// The changes since the last refresh.
#[derive(Clone, Copy, Debug)]
pub enum Changes<'a> {
    /// Only these changed. An entry may occur more than once.
    Listed {
        /// Particles whose inverse mass changed.
        particles: &'a [u32],
        /// Sticks that changed.
        sticks: &'a [u32],
    },
    /// Anything may have changed.
    Everything,
}

/// A loop over slots.
#[derive(Clone, Copy)]
pub enum SlotLoop<'a, const D: usize> {
    /// Integrates one substep in slots, from the source, overwriting the target; then runs the
    /// stage, if there is one.
    Integrate(Motion<D>, Option<&'a dyn Stage<D>>),
    /// Copies the target's columns into its slots and turns -0.0 into +0.0.
    Fill,
    /// Copies the target's columns into its slots unchanged.
    FillPrevious,
    /// Copies the target's slots to its columns.
    WriteBack,
}

/// The substeps to run: in each substep the leading loop, then `iterations` relaxations of all
/// sticks.
#[derive(Clone, Copy)]
pub struct SubstepRun<'a, const D: usize> {
    /// The loop that each substep runs before it relaxes, if any. If there are several substeps, it
    /// is [`SlotLoop::Integrate`], and source and target swap after each, so that the last substep
    /// ends with the new positions in [`SlotBuffers::target`].
    pub leading_loop: Option<SlotLoop<'a, D>>,
    /// The number of substeps.
    pub substeps: usize,
    /// How many times each substep relaxes all sticks.
    pub iterations: usize,
    /// Whether the new positions are written back to the columns.
    pub write_back: bool,
    /// Whether the previous positions are written back to the columns too, after the stage of the
    /// last substep, which may change them.
    pub write_back_previous: bool,
}

impl<const D: usize> Default for SubstepRun<'_, D> {
    /// One substep that does nothing.
    fn default() -> Self {
        Self {
            leading_loop: None,
            substeps: 1,
            iterations: 0,
            write_back: false,
            write_back_previous: false,
        }
    }
}

/// The positions of the particles at one point in time, by axis.
#[derive(Debug)]
pub struct Positions<'a, const D: usize> {
    /// The columns of the particles that have a slot, [`SlotKernel::particles`] values each.
    pub columns: [&'a mut [f32]; D],
    /// The slots, [`SlotKernel::slots`] values each.
    pub slots: [&'a mut [f32]; D],
}

/// The values that a loop or a run of substeps reads and writes.
#[derive(Debug)]
pub struct SlotBuffers<'a, const D: usize> {
    /// The positions that a loop changes or copies. Integration reads the older positions from it,
    /// and writes the new ones to it.
    pub target: Positions<'a, D>,
    /// The positions that integration starts from.
    pub source: Positions<'a, D>,
    /// The inverse masses in slots.
    pub inverse_mass: &'a [f32],
}

impl<const D: usize> Positions<'_, D> {
    /// The same, borrowed for a shorter time.
    fn reborrow(&mut self) -> Positions<'_, D> {
        Positions {
            columns: self.columns.each_mut().map(|column| &mut **column),
            slots: self.slots.each_mut().map(|column| &mut **column),
        }
    }
}

impl<const D: usize> SlotBuffers<'_, D> {
    /// The same, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> SlotBuffers<'_, D> {
        let Self { target, source, inverse_mass } = self;
        SlotBuffers { target: target.reborrow(), source: source.reborrow(), inverse_mass }
    }
}

/// The plan of a kernel that keeps the particles in slots.
#[derive(Debug)]
pub struct SlotPlan<K, const D: usize> {
    kernel: K,
    /// The positions in slots: the values of each axis, [`span`] values apart.
    positions: Column<f32>,
    /// The previous positions in slots, in the same layout.
    previous: Column<f32>,
    /// The inverse masses in slots.
    inverse_mass: Column<f32>,
    /// Where the newest positions are.
    position_residence: Residence,
    /// Where the newest previous positions are.
    previous_residence: Residence,
    /// The cursor into [`Particles::position_changes`]; `None` until the first
    /// synchronization.
    synced_at: Option<Cursor>,
    /// Whether the positions in slots were finite when they were last written back; `None` if the
    /// slots are outdated, or if a position in the columns was changed since. Not valid while
    /// `position_residence` is [`Residence::WorkingCopy`].
    finite: Option<bool>,
    /// The ends of the sticks that the plan was made for.
    ends: Arc<[[u32; 2]]>,
    /// The cursor into [`Sticks::changes`].
    stick_cursor: Cursor,
    /// The cursor into [`Particles::mass_changes`].
    mass_cursor: Cursor,
}

/// Which buffer is the target of a loop. The other buffer is its source.
#[derive(Clone, Copy)]
enum Buffer {
    Positions,
    Previous,
}

/// The distance between the values of consecutive axes in a buffer of slots, in values.
fn span(slots: usize) -> usize {
    slots + (STAGGER + PAGE - slots % PAGE) % PAGE
}

/// Checks that there are at least `needed` particles.
fn check_particles<const D: usize>(
    particles: &Particles<D>,
    needed: usize,
) -> Result<(), PlanError> {
    if particles.len() < needed {
        return Err(PlanError::TooFewParticles { needed, particles: particles.len() });
    }
    Ok(())
}

impl<K: SlotKernel<D>, const D: usize> SlotPlan<K, D> {
    /// Makes a plan; the kernel reads all constants of the sticks.
    ///
    /// # Errors
    /// [`PlanError::TooFewParticles`] if there are fewer particles than the kernel has slots for.
    pub fn new(
        mut kernel: K,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) -> Result<Self, PlanError> {
        check_particles(particles, kernel.particles())?;
        kernel.refresh(particles, sticks, Changes::Everything);
        let slots = kernel.slots();
        let column = |len: usize| {
            let mut column = Column::new(0);
            column.resize(len, 0.0);
            column
        };
        let mut plan = Self {
            kernel,
            positions: column(D * span(slots)),
            previous: column(D * span(slots)),
            inverse_mass: column(slots),
            position_residence: Residence::Columns,
            previous_residence: Residence::Columns,
            synced_at: None,
            finite: None,
            ends: sticks.shared_ends(),
            stick_cursor: sticks.changes().now(),
            mass_cursor: particles.mass_changes().now(),
        };
        plan.copy_masses(particles);
        Ok(plan)
    }

    /// Runs substeps. With `write_back`, a kernel that fuses substeps also writes back the values that
    /// are newer in the slots.
    fn advance_slots(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
        write_back: bool,
    ) {
        let Substeps { motion, count, iterations, after_motion } = *substeps;
        self.kernel.set_inverse_h2(particles, sticks, motion.inverse_h2);
        let fused = self.kernel.fuses_substeps(executor);
        let leading_loop = Some(SlotLoop::Integrate(motion, after_motion));
        let iterations = iterations as usize;
        // Particles without a slot have no sticks, so all their substeps may run first.
        for _ in 0..count {
            self.begin_substep(executor, particles, &motion);
            if let Some(stage) = after_motion {
                self.run_unslotted_stage(particles, stage);
                // The stage may change the previous positions in the slots.
                self.previous_residence = Residence::WorkingCopy;
            }
            if !fused {
                let run = SubstepRun { leading_loop, iterations, ..SubstepRun::default() };
                self.run_substeps(executor, particles, run);
            }
        }
        if fused && count > 0 {
            let write_back_previous =
                write_back && self.previous_residence == Residence::WorkingCopy;
            let substeps = count as usize;
            let run =
                SubstepRun { leading_loop, substeps, iterations, write_back, write_back_previous };
            let finite = self.run_substeps(executor, particles, run);
            if write_back {
                self.finite = Some(finite);
                self.position_residence = Residence::Both;
                self.previous_residence = Residence::Both;
            }
        }
        self.mark_synced(particles);
    }

    /// Swaps positions and previous positions in the slots, so that [`SlotLoop::Integrate`] can
    /// overwrite the older ones. Also swaps them in the columns if the columns have the newest
    /// positions. Integrates the particles without a slot; the particles with a slot are integrated
    /// later, by the loop. This may be called for several substeps before the loop runs for all of
    /// them.
    fn begin_substep(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        motion: &Motion<D>,
    ) {
        self.fill(executor, particles);
        let slotted = self.kernel.particles();
        unslotted::integrate(particles, slotted, motion);
        core::mem::swap(&mut self.positions, &mut self.previous);
        if self.position_residence == Residence::Both {
            particles.swap_columns();
            // Swaps particles without a slot back: these are integrated in place.
            let Columns { position, previous, .. } = particles.columns();
            for (position, previous) in position.into_iter().zip(previous) {
                position[slotted..].swap_with_slice(&mut previous[slotted..]);
            }
        }
        (self.previous_residence, self.position_residence) =
            (self.position_residence, Residence::WorkingCopy);
        self.mark_synced(particles);
    }

    /// Relaxes all sticks `iterations` times; fills the slots first if they are outdated.
    fn relax_slots(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        iterations: u32,
    ) {
        let leading_loop =
            (self.position_residence == Residence::Columns).then_some(SlotLoop::Fill);
        let iterations = iterations as usize;
        let run = SubstepRun { leading_loop, iterations, ..SubstepRun::default() };
        // The executor may panic in the run: then the newer positions are in the columns if the run
        // fills the slots, and otherwise in the slots.
        if self.position_residence == Residence::Both {
            self.position_residence = Residence::WorkingCopy;
        }
        self.run_substeps(executor, particles, run);
        self.position_residence = Residence::WorkingCopy;
    }

    /// Runs a stage on the particles without a slot.
    fn run_unslotted_stage(&mut self, particles: &mut Particles<D>, stage: &dyn Stage<D>) {
        let len = particles.len();
        let (columns, cursor) = particles.columns_and_cursor();
        // The cursor is set before the stage runs, because the stage may panic.
        self.synced_at = Some(cursor);
        unslotted::run_stage(columns, self.kernel.particles()..len, stage);
    }

    /// See [`SlotKernel::run_substeps`].
    fn run_substeps(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        run: SubstepRun<'_, D>,
    ) -> bool {
        let (kernel, buffers) = self.buffers(particles, Buffer::Positions);
        kernel.run_substeps(executor, buffers, run)
    }

    /// See [`SlotKernel::run_loop`]; the target of the loop is `buffer`.
    fn run_loop(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        buffer: Buffer,
        slot_loop: SlotLoop<'_, D>,
    ) -> bool {
        let (kernel, buffers) = self.buffers(particles, buffer);
        kernel.run_loop(executor, buffers, slot_loop)
    }

    /// The kernel, and the buffers for a loop whose target is `buffer`.
    fn buffers<'a>(
        &'a mut self,
        particles: &'a mut Particles<D>,
        buffer: Buffer,
    ) -> (&'a mut K, SlotBuffers<'a, D>) {
        let Self { kernel, positions, previous, inverse_mass, synced_at, .. } = self;
        let (columns, cursor) = particles.columns_and_cursor();
        // The cursor is set before the loop runs, because the executor may panic in it.
        *synced_at = Some(cursor);
        let (slotted, slots) = (kernel.particles(), kernel.slots());
        let positions_of = |columns: [&'a mut [f32]; D], values| Positions {
            columns: columns.map(|column| &mut column[..slotted]),
            slots: axes(values, slots),
        };
        let positions = positions_of(columns.position, positions);
        let previous = positions_of(columns.previous, previous);
        let (target, source) = match buffer {
            Buffer::Positions => (positions, previous),
            Buffer::Previous => (previous, positions),
        };
        (kernel, SlotBuffers { target, source, inverse_mass })
    }
}

/// The slots of each axis in a buffer: `slots` values each, [`span`] values apart.
fn axes<const D: usize>(buffer: &mut [f32], slots: usize) -> [&mut [f32]; D] {
    let mut axes = buffer.chunks_exact_mut(span(slots));
    core::array::from_fn(|_| &mut axes.next().unwrap_or_default()[..slots])
}
