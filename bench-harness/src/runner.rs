//! Runs the frames of a comparison or a bench, with the textbook loop or a kernel's plan.

use taut::world::{Arranged, Model};
use taut::{
    AnyKernel, BoxedPlan, Formula, Kernel, Particles, Plan, PlanError, Renumbering, Status, Step,
    StepError, Sticks,
};

use crate::textbook::Textbook;

/// A simulation of one model, by the textbook loop or by a plan of a kernel.
#[derive(Debug)]
pub(crate) enum Runner {
    Textbook(Textbook),
    Kernel(Box<KernelRunner>),
}

/// A plan with the particles and sticks that it steps.
#[derive(Debug)]
pub(crate) struct KernelRunner {
    plan: BoxedPlan,
    particles: Particles<3>,
    sticks: Sticks,
    /// From the model's numbering to that of the particles; `None` if both are the same.
    renumbering: Option<Renumbering>,
}

/// Positions and previous positions of a runner, in its own numbering.
#[derive(Clone, Debug)]
pub(crate) struct State {
    position: [Vec<f32>; 3],
    previous: [Vec<f32>; 3],
}

impl Runner {
    pub(crate) fn textbook(model: &Model) -> Self {
        Self::Textbook(Textbook::new(&model.particles, &model.sticks))
    }

    pub(crate) fn kernel(
        kernel: &AnyKernel,
        arranged: &Arranged,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        let plan =
            kernel.plan(&arranged.particles, &arranged.sticks, &arranged.schedule, formula)?;
        let Arranged { particles, sticks, renumbering, .. } = arranged.clone();
        Ok(Self::Kernel(Box::new(KernelRunner { plan, particles, sticks, renumbering })))
    }

    pub(crate) fn step(&mut self, step: &Step<3>) -> Result<Status, StepError> {
        match self {
            Self::Textbook(textbook) => {
                textbook.step(step);
                Ok(Status { finite: true }) // not computed here; checked after the last frame
            }
            Self::Kernel(runner) => {
                let KernelRunner { plan, particles, sticks, .. } = &mut **runner;
                plan.step(particles, sticks, step)
            }
        }
    }

    /// Positions in the model's numbering.
    pub(crate) fn positions(&self) -> Vec<[f32; 3]> {
        match self {
            Self::Textbook(textbook) => {
                textbook.particles.iter().map(|particle| particle.position).collect()
            }
            Self::Kernel(runner) => {
                let renumbering = runner.renumbering.as_ref();
                let undone = renumbering.map(|renumbering| renumbering.undo(&runner.particles));
                let particles = undone.as_ref().unwrap_or(&runner.particles);
                (0..particles.len()).map(|i| particles.position(i)).collect()
            }
        }
    }

    /// The model's particles at their current positions. (`Particles::new` is not used: it rejects
    /// positions that are not finite.)
    pub(crate) fn particles(&self, model: &Model) -> Particles<3> {
        let (mut particles, positions) = (model.particles.clone(), self.positions());
        for axis in 0..3 {
            for (x, position) in particles.positions_mut(axis).iter_mut().zip(&positions) {
                *x = position[axis];
            }
        }
        particles
    }

    pub(crate) fn state(&self) -> State {
        let axes = [0, 1, 2];
        match self {
            Self::Textbook(Textbook { particles, .. }) => State {
                position: axes.map(|axis| particles.iter().map(|it| it.position[axis]).collect()),
                previous: axes.map(|axis| particles.iter().map(|it| it.previous[axis]).collect()),
            },
            Self::Kernel(runner) => State {
                position: axes.map(|axis| runner.particles.positions(axis).to_vec()),
                previous: axes.map(|axis| runner.particles.previous(axis).to_vec()),
            },
        }
    }

    /// Restores a state of the same model and numbering.
    pub(crate) fn rewind(&mut self, state: &State) {
        for (axis, (position, previous)) in state.position.iter().zip(&state.previous).enumerate() {
            match self {
                Self::Textbook(textbook) => {
                    let saved = position.iter().zip(previous);
                    for (particle, (&x, &previous)) in textbook.particles.iter_mut().zip(saved) {
                        (particle.position[axis], particle.previous[axis]) = (x, previous);
                    }
                }
                Self::Kernel(runner) => {
                    runner.particles.positions_mut(axis).copy_from_slice(position);
                    runner.particles.previous_mut(axis).copy_from_slice(previous);
                }
            }
        }
    }
}
