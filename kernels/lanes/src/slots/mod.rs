//! Plans that keep the particles in *slots*: columns in an order of the kernel's own.
//!
//! [`SlotPlan`] implements [`Engine`](taut_core::Engine) for all of them. It tracks which values
//! are newest (columns or slots) and what changed in the columns, and handles particles without a
//! slot. A kernel provides a layout and the loops over it, as a [`SlotEngine`].

mod engine;
mod motion;
mod outside;
mod sync;

use alloc::sync::Arc;

use taut_core::{
    Column, Columns, Cursor, Executor, Motion, Particles, PlanError, Residence, SlotLayout, Stage,
    Sticks, Substeps,
};

pub use motion::integrate;

/// Columns whose distance is a multiple of this many numbers (4096 bytes) map to the same sets of
/// the L1 cache.
const PAGE: usize = 1024;
/// The distance of the columns of the axes modulo [`PAGE`]: a third of it, in whole cache lines.
/// It avoids 4K aliasing: a load waits for a pending store with the same low 12 address bits, and
/// columns at the same page offset nearly double the time.
const STAGGER: usize = 336;

/// A layout of particles in slots, and the loops over it.
pub trait SlotEngine<const D: usize> {
    /// The number of particles that have a slot: those with the lowest numbers.
    fn particles(&self) -> usize;
    /// The number of slots, padding included.
    fn slots(&self) -> usize;
    /// The slot of a particle.
    fn slot(&self, particle: usize) -> usize;
    /// The numbers of the particles in all slots.
    fn slot_layout(&self) -> SlotLayout<'_>;

    /// Reads what changed in the masses and sticks.
    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks, changed: Changed<'_>);
    /// Sets `1 / h²` of the substeps, 1/s², for compliance.
    fn set_inverse_h2(&mut self, particles: &Particles<D>, sticks: &Sticks, inverse_h2: f32);

    /// Whether [`sweep`](Self::sweep) runs several substeps in one call on this executor.
    fn fuses_substeps(&self, executor: &dyn Executor) -> bool;
    /// Runs the substeps of a sweep. Returns whether all positions written back are finite.
    fn sweep(
        &mut self,
        executor: &dyn Executor,
        fields: SlotFields<'_, D>,
        sweep: Sweep<'_, D>,
    ) -> bool;
    /// Runs a pass over all slots. Returns whether all values written back are finite.
    fn pass(
        &mut self,
        executor: &dyn Executor,
        fields: SlotFields<'_, D>,
        pass: SlotPass<'_, D>,
    ) -> bool;
}

/// What changed since the last refresh.
#[derive(Clone, Copy, Debug)]
pub enum Changed<'a> {
    /// Only these; an entry may occur more than once.
    Listed {
        /// Particles whose inverse mass changed.
        particles: &'a [u32],
        /// Sticks that changed.
        sticks: &'a [u32],
    },
    /// Anything may have changed.
    Everything,
}

/// A pass over slots.
#[derive(Clone, Copy)]
pub enum SlotPass<'a, const D: usize> {
    /// Integrates one substep in slots, from the previous points, overwriting the present ones;
    /// then runs the stage, if there is one.
    Integrate(Motion<D>, Option<&'a dyn Stage<D>>),
    /// Copies columns into slots and turns -0.0 into +0.0.
    Fill,
    /// Copies columns into slots unchanged.
    FillPrevious,
    /// Copies slots to columns.
    WriteBack,
}

/// Substeps on slots.
#[derive(Clone, Copy)]
pub struct Sweep<'a, const D: usize> {
    /// The pass that each substep runs before it relaxes. If there are several substeps, it is
    /// [`SlotPass::Integrate`], and present and previous points swap after each, so that the last
    /// substep ends with the present points in [`SlotFields::present`].
    pub first_pass: Option<SlotPass<'a, D>>,
    /// The number of substeps.
    pub substeps: usize,
    /// How many times each relaxes all sticks.
    pub iterations: usize,
    /// Whether the positions of the last two substeps are written back to the columns.
    pub write_back: bool,
}

/// The points of the particles at one time, by axis.
#[derive(Debug)]
pub struct Points<'a, const D: usize> {
    /// In the columns of the particles, [`SlotEngine::particles`] numbers each.
    pub columns: [&'a mut [f32]; D],
    /// In slots, [`SlotEngine::slots`] numbers each.
    pub slots: [&'a mut [f32]; D],
}

/// What a sweep works on.
#[derive(Debug)]
pub struct SlotFields<'a, const D: usize> {
    /// The points that a pass changes or copies.
    pub present: Points<'a, D>,
    /// The points that integration starts from.
    pub previous: Points<'a, D>,
    /// The inverse masses in slots.
    pub inverse_mass: &'a [f32],
}

impl<const D: usize> Points<'_, D> {
    fn reborrow(&mut self) -> Points<'_, D> {
        Points {
            columns: self.columns.each_mut().map(|column| &mut **column),
            slots: self.slots.each_mut().map(|column| &mut **column),
        }
    }
}

impl<const D: usize> SlotFields<'_, D> {
    /// The same, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> SlotFields<'_, D> {
        let Self { present, previous, inverse_mass } = self;
        SlotFields { present: present.reborrow(), previous: previous.reborrow(), inverse_mass }
    }
}

/// The plan of a kernel that keeps the particles in slots.
#[derive(Debug)]
pub struct SlotPlan<E, const D: usize> {
    engine: E,
    /// The columns of the axes one after another, [`span`] apart.
    positions: Column<f32>,
    previous: Column<f32>,
    inverse_mass: Column<f32>,
    /// Where the positions are.
    position_residence: Residence,
    /// Where the previous positions are.
    previous_residence: Residence,
    /// The cursor into [`Particles::position_changes`].
    synced: Option<Cursor>,
    /// Whether the positions in slots are finite; `None` if they changed since the last check.
    finite: Option<bool>,
    ends: Arc<[[u32; 2]]>,
    seen_sticks: Cursor,
    seen_masses: Cursor,
}

/// The points that a pass processes.
#[derive(Clone, Copy)]
enum Buffer {
    Positions,
    Previous,
}

/// The distance between the columns of consecutive axes, in numbers.
fn span(slots: usize) -> usize {
    slots + (STAGGER + PAGE - slots % PAGE) % PAGE
}

fn check_particles<const D: usize>(
    particles: &Particles<D>,
    needed: usize,
) -> Result<(), PlanError> {
    if particles.len() < needed {
        return Err(PlanError::TooFewParticles { needed, particles: particles.len() });
    }
    Ok(())
}

impl<E: SlotEngine<D>, const D: usize> SlotPlan<E, D> {
    /// Makes a plan; the engine reads all constants of the sticks.
    ///
    /// # Errors
    /// [`PlanError::TooFewParticles`].
    pub fn new(
        mut engine: E,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) -> Result<Self, PlanError> {
        check_particles(particles, engine.particles())?;
        engine.refresh(particles, sticks, Changed::Everything);
        let slots = engine.slots();
        let column = |len: usize| {
            let mut column = Column::new(0);
            column.resize(len, 0.0);
            column
        };
        let mut plan = Self {
            engine,
            positions: column(D * span(slots)),
            previous: column(D * span(slots)),
            inverse_mass: column(slots),
            position_residence: Residence::Columns,
            previous_residence: Residence::Columns,
            synced: None,
            finite: None,
            ends: sticks.shared_ends(),
            seen_sticks: sticks.changes().now(),
            seen_masses: particles.mass_changes().now(),
        };
        plan.copy_masses(particles);
        Ok(plan)
    }

    /// Runs substeps. With `write_back`, an engine that fuses them also writes back positions and,
    /// after several substeps, previous positions.
    fn run(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
        write_back: bool,
    ) {
        let Substeps { motion, count, iterations, after_motion } = *substeps;
        self.engine.set_inverse_h2(particles, sticks, motion.inverse_h2);
        let fused = self.engine.fuses_substeps(executor);
        let first_pass = Some(SlotPass::Integrate(motion, after_motion));
        let iterations = iterations as usize;
        // Particles without a slot have no sticks, so all their substeps may run first.
        for _ in 0..count {
            self.begin_substep(executor, particles, &motion);
            if let Some(stage) = after_motion {
                outside::visit(particles, self.engine.particles(), stage);
            }
            if !fused {
                let one = Sweep { first_pass, substeps: 1, iterations, write_back: false };
                self.sweep(executor, particles, one);
            }
        }
        if fused && count > 0 {
            let all = Sweep { first_pass, substeps: count as usize, iterations, write_back };
            let finite = self.sweep(executor, particles, all);
            if write_back {
                self.finite = Some(finite);
                self.position_residence = Residence::Both;
                if count > 1 {
                    self.previous_residence = Residence::Both;
                }
            }
        }
        self.mark_synced(particles);
    }

    /// Swaps positions and previous positions, in the columns too if they are up to date, so that
    /// [`SlotPass::Integrate`] can overwrite the older ones. Integrates particles without a slot;
    /// the pass integrates the others, and several substeps may begin before it runs.
    fn begin_substep(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        motion: &Motion<D>,
    ) {
        self.fill(executor, particles);
        let slotted = self.engine.particles();
        outside::integrate(particles, slotted, motion);
        core::mem::swap(&mut self.positions, &mut self.previous);
        if self.position_residence == Residence::Both {
            particles.swap_columns();
            let Columns { position, previous, .. } = particles.columns();
            for (position, previous) in position.into_iter().zip(previous) {
                position[slotted..].swap_with_slice(&mut previous[slotted..]);
            }
        }
        (self.previous_residence, self.position_residence) =
            (self.position_residence, Residence::WorkingCopy);
        self.mark_synced(particles);
    }

    fn relax_slots(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        iterations: u32,
    ) {
        let first_pass = (self.position_residence == Residence::Columns).then_some(SlotPass::Fill);
        let iterations = iterations as usize;
        let sweep = Sweep { first_pass, substeps: 1, iterations, write_back: false };
        self.sweep(executor, particles, sweep);
        // Set after the sweep, because the executor may panic in it.
        self.position_residence = Residence::WorkingCopy;
    }

    fn sweep(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sweep: Sweep<'_, D>,
    ) -> bool {
        let (engine, fields) = self.fields(particles, Buffer::Positions);
        engine.sweep(executor, fields, sweep)
    }

    fn pass(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        buffer: Buffer,
        pass: SlotPass<'_, D>,
    ) -> bool {
        let (engine, fields) = self.fields(particles, buffer);
        engine.pass(executor, fields, pass)
    }

    fn fields<'a>(
        &'a mut self,
        particles: &'a mut Particles<D>,
        buffer: Buffer,
    ) -> (&'a mut E, SlotFields<'a, D>) {
        let Self { engine, positions, previous, inverse_mass, synced, .. } = self;
        let (columns, moves) = particles.columns_and_cursor();
        // Set before the sweep, because the executor may panic in it.
        *synced = Some(moves);
        let (slotted, slots) = (engine.particles(), engine.slots());
        let points = |columns: [&'a mut [f32]; D], buffer| Points {
            columns: columns.map(|column| &mut column[..slotted]),
            slots: axes(buffer, slots),
        };
        let positions = points(columns.position, positions);
        let previous = points(columns.previous, previous);
        let (present, previous) = match buffer {
            Buffer::Positions => (positions, previous),
            Buffer::Previous => (previous, positions),
        };
        (engine, SlotFields { present, previous, inverse_mass })
    }
}

/// The slots of each axis in a buffer of columns that are [`span`] apart.
fn axes<const D: usize>(buffer: &mut [f32], slots: usize) -> [&mut [f32]; D] {
    let mut axes = buffer.chunks_exact_mut(span(slots));
    core::array::from_fn(|_| &mut axes.next().unwrap_or_default()[..slots])
}
