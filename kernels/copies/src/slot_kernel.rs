//! The kernel's part of the plan: constants, and the order of the loops over the groups of copies.

use core::iter::once;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{
    Copies, Executor, Factor, Formula, ParticleView, Particles, SlotLayout, Sticks, WithFactor,
    arrays,
};
use taut_lanes::slots::{
    Changes, Positions, SlotBuffers, SlotKernel, SlotLoop, SlotPlan, SubstepRun, integrate,
};
use taut_lanes::{Machine, Operation, STICKS_PER_THREAD_MIN, SharedPtr, Team, Vector};

use crate::constants::Constants;
use crate::coordinate::Coordinate;
use crate::layout::{GROUP, Layout};
use crate::relax::relax_group;

/// The plan of a [`CopiesKernel`](crate::CopiesKernel).
pub type CopiesPlan<M, const D: usize> = SlotPlan<CopiesSlotKernel<M>, D>;

/// The constants of the sticks of all copies, and the loops over the groups.
#[derive(Debug)]
pub struct CopiesSlotKernel<M> {
    machine: M,
    constants: Constants,
    team: Team,
}

impl<M: Machine> CopiesSlotKernel<M> {
    pub(crate) fn new(machine: M, copies: &Copies, layout: Layout, formula: Formula) -> Self {
        Self { machine, constants: Constants::new(copies, layout, formula), team: Team::default() }
    }
}

impl<M: Machine, const D: usize> SlotKernel<D> for CopiesSlotKernel<M> {
    fn particles(&self) -> usize {
        self.constants.layout.copies * self.constants.layout.particles
    }

    fn slots(&self) -> usize {
        self.constants.layout.len()
    }

    fn slot(&self, particle: usize) -> usize {
        self.constants.layout.slot(particle)
    }

    fn slot_layout(&self) -> SlotLayout<'_> {
        let Layout { copies, particles } = self.constants.layout;
        SlotLayout::Copies { first: 0, copies, particles }
    }

    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks, changes: Changes<'_>) {
        self.constants.refresh(particles, sticks, changes);
    }

    fn set_inverse_h2(&mut self, particles: &Particles<D>, sticks: &Sticks, inverse_h2: f32) {
        self.constants.set_inverse_h2(particles, sticks, inverse_h2);
    }

    fn fuses_substeps(&self, _: &dyn Executor) -> bool {
        true
    }

    fn run_substeps(
        &mut self,
        executor: &dyn Executor,
        buffers: SlotBuffers<'_, D>,
        run: SubstepRun<'_, D>,
    ) -> bool {
        let Self { machine, constants, team } = self;
        let (machine, constants) = (*machine, &*constants);
        let finite = AtomicBool::new(true);
        let SlotBuffers { target, source, inverse_mass } = buffers;
        let layout = constants.layout;
        let (target, source) = (addresses(target, layout), addresses(source, layout));
        let run_group = |group: usize| {
            let groups = Groups { constants, target, source, inverse_mass };
            // SAFETY: all columns and slots are borrowed exclusively, and each group is run once.
            machine.run(unsafe { GroupRun::new(groups, group, run, &finite) });
        };
        let groups = constants.layout.groups();
        let sticks = constants.ends().len() * constants.layout.copies;
        let threads = executor.threads().min(groups).min(sticks / STICKS_PER_THREAD_MIN);
        if threads <= 1 {
            (0..groups).for_each(run_group);
        } else {
            // One round: a group runs all substeps and iterations.
            team.run(executor, threads, 1, || once(0..groups), run_group);
        }
        finite.into_inner()
    }

    fn run_loop(
        &mut self,
        executor: &dyn Executor,
        buffers: SlotBuffers<'_, D>,
        slot_loop: SlotLoop<'_, D>,
    ) -> bool {
        let run = SubstepRun { leading_loop: Some(slot_loop), ..SubstepRun::default() };
        self.run_substeps(executor, buffers, run)
    }
}

/// The addresses of all columns and slots, after a check of their lengths.
fn addresses<const D: usize>(positions: Positions<'_, D>, layout: Layout) -> [Coordinate; D] {
    let Positions { columns, slots } = positions;
    let particles = layout.copies * layout.particles;
    let mut slots = slots.map(|column| SharedPtr(column[..layout.len()].as_mut_ptr())).into_iter();
    columns.map(|column| Coordinate {
        column: SharedPtr(column[..particles].as_mut_ptr()),
        slots: slots.next().expect("columns and slots have the same axes"),
    })
}

/// The particles of all groups. In a [`GroupRun`], the slots and inverse masses are only those of
/// its group.
#[derive(Clone, Copy)]
struct Groups<'a, const D: usize> {
    constants: &'a Constants,
    /// The positions that a loop changes or copies.
    target: [Coordinate; D],
    /// The positions that integration starts from.
    source: [Coordinate; D],
    /// The inverse masses in slots.
    inverse_mass: &'a [f32],
}

/// The operation that runs all substeps on one group.
struct GroupRun<'a, const D: usize> {
    groups: Groups<'a, D>,
    /// The index of the group to run.
    group: usize,
    run: SubstepRun<'a, D>,
    /// Becomes false if a position written back is not finite.
    finite: &'a AtomicBool,
}

impl<'a, const D: usize> GroupRun<'a, D> {
    /// # Safety
    /// - The columns hold all copies of the layout, and the slots [`Layout::len`] values; while
    ///   the operation runs, no other code accesses the values of the group.
    unsafe fn new(
        groups: Groups<'a, D>,
        group: usize,
        run: SubstepRun<'a, D>,
        finite: &'a AtomicBool,
    ) -> Self {
        let layout = groups.constants.layout;
        assert!(group < layout.groups() && groups.inverse_mass.len() == layout.len());
        let first = group * layout.group_len();
        let at_group = |coordinate: Coordinate| Coordinate {
            slots: SharedPtr(coordinate.slots.0.wrapping_add(first)),
            ..coordinate
        };
        let groups = Groups {
            target: groups.target.map(at_group),
            source: groups.source.map(at_group),
            inverse_mass: &groups.inverse_mass[first..][..layout.group_len()],
            ..groups
        };
        Self { groups, group, run, finite }
    }
}

impl<const D: usize> Operation for GroupRun<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct RunSubsteps<'a, V: Vector, const D: usize>(V::Cpu, GroupRun<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for RunSubsteps<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, group_run) = self;
                group_run.run_substeps::<V, F>(cpu);
            }
        }
        self.groups.constants.formula.dispatch(RunSubsteps::<V, D>(cpu, self));
    }
}

impl<const D: usize> GroupRun<'_, D> {
    #[inline(always)]
    fn run_substeps<V: Vector, F: Factor>(&self, cpu: V::Cpu) {
        let Self { groups, group, run, finite } = self;
        let SubstepRun { leading_loop, substeps, iterations, .. } = *run;
        let Groups { constants, target, source, inverse_mass } = *groups;
        for substep in 0..substeps {
            let substeps_left = substeps - 1 - substep;
            // Source and target alternate, so that the last substep ends in `target`.
            let (target, source) =
                if substeps_left % 2 == 0 { (target, source) } else { (source, target) };
            if let Some(slot_loop) = leading_loop {
                self.run_loop::<V>(cpu, target, source, slot_loop);
            }
            let position = arrays::map(target, |coordinate| coordinate.slots.0);
            for _ in 0..iterations {
                // SAFETY: by the contract of `new`; `inverse_mass` is as long as the group.
                unsafe {
                    relax_group::<V, F, D>(cpu, constants, *group, position, inverse_mass.as_ptr());
                }
            }
        }
        // `finite` covers the new positions only.
        let buffers = [(target, run.write_back, true), (source, run.write_back_previous, false)];
        for (coordinates, is_written, is_checked) in buffers {
            if is_written && !self.write_back::<V>(cpu, coordinates) && is_checked {
                finite.store(false, Ordering::Relaxed);
            }
        }
    }

    #[inline(always)]
    fn run_loop<V: Vector>(
        &self,
        cpu: V::Cpu,
        target: [Coordinate; D],
        source: [Coordinate; D],
        slot_loop: SlotLoop<'_, D>,
    ) {
        let Groups { constants, inverse_mass, .. } = self.groups;
        let Layout { copies, particles } = constants.layout;
        let len = inverse_mass.len();
        match slot_loop {
            SlotLoop::Integrate(motion, stage) => {
                let slots = |coordinate: Coordinate| {
                    // SAFETY: by the contract of `new`; the group has `len` slots.
                    unsafe { slice::from_raw_parts_mut(coordinate.slots.0, len) }
                };
                let (mut source, mut target) = (source.map(slots), target.map(slots));
                integrate::<V, D>(
                    cpu,
                    source.each_ref().map(|column| &**column),
                    target.each_mut().map(|column| &mut **column),
                    inverse_mass,
                    motion,
                );
                if let Some(stage) = stage {
                    stage.run(ParticleView {
                        position: target,
                        previous: source.each_mut().map(|column| &mut **column),
                        inverse_mass,
                        layout: SlotLayout::Copies { first: self.group * GROUP, copies, particles },
                    });
                }
            }
            SlotLoop::Fill | SlotLoop::FillPrevious => {
                // `Fill` adds +0.0, which turns -0.0 into +0.0; `FillPrevious` adds -0.0, which
                // changes nothing.
                let signed_zero = if matches!(slot_loop, SlotLoop::Fill) { 0.0 } else { -0.0 };
                for coordinate in target {
                    // SAFETY: by the contract of `new`.
                    unsafe {
                        coordinate.fill::<V>(cpu, constants.layout, self.group, signed_zero);
                    }
                }
            }
            SlotLoop::WriteBack => {
                if !self.write_back::<V>(cpu, target) {
                    self.finite.store(false, Ordering::Relaxed);
                }
            }
        }
    }

    /// Copies slots to the columns. Returns whether all values are finite.
    #[inline(always)]
    fn write_back<V: Vector>(&self, cpu: V::Cpu, coordinates: [Coordinate; D]) -> bool {
        let layout = self.groups.constants.layout;
        let mut nan_or_zero = 0.0;
        for coordinate in coordinates {
            // SAFETY: by the contract of `new`.
            nan_or_zero += unsafe { coordinate.write_back::<V>(cpu, layout, self.group) };
        }
        nan_or_zero.is_finite()
    }
}
