//! The test runner: runs a session on all kernels and compares the results.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use taut::{AnyKernel, Formula, Kernel, Particles, Plan, PlanError, Real, Schedule, Step, Sticks};

use crate::configurations::{configurations, reference};
use crate::meshes::Mesh;

/// The result of a session: the particles, and the notes.
pub(crate) struct Ending<const D: usize> {
    pub(crate) particles: Particles<D>,
    pub(crate) notes: Vec<u64>,
}

impl<const D: usize> Ending<D> {
    /// Says where two endings differ, if they do: to the bit, every NaN being one.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let [own, others] = [self, other].map(|ending| rows(&ending.particles));
        if own.len() != others.len() {
            return Some(format!("{} particles, not {}", own.len(), others.len()));
        }
        if let Some(particle) = (0..own.len()).find(|&i| own[i] != others[i]) {
            let [now, before] = [&self.particles, &other.particles].map(|particles| {
                let previous: [f32; D] =
                    std::array::from_fn(|axis| particles.previous(axis)[particle]);
                (particles.position(particle), previous)
            });
            return Some(format!(
                "particle {particle} of {} and its previous position are {now:?}, not {before:?}",
                own.len()
            ));
        }
        let note = (0..self.notes.len().max(other.notes.len()))
            .find(|&at| self.notes.get(at) != other.notes.get(at))?;
        let [own, others] = [self, other].map(|ending| ending.notes.get(note));
        Some(format!("note {note} is {own:x?}, not {others:x?}"))
    }
}

/// The canonical bits of each position and previous position.
pub(crate) fn rows<const D: usize>(particles: &Particles<D>) -> Vec<[[u64; D]; 2]> {
    let bits = |column: &[f32], particle: usize| column[particle].canonical_bits();
    (0..particles.len())
        .map(|particle| {
            [
                std::array::from_fn(|axis| bits(particles.positions(axis), particle)),
                std::array::from_fn(|axis| bits(particles.previous(axis), particle)),
            ]
        })
        .collect()
}

/// A mesh in an order, by a formula.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a, const D: usize> {
    pub(crate) mesh: &'a Mesh<D>,
    pub(crate) schedule: &'a Schedule,
    pub(crate) formula: Formula,
}

/// The initial state of a session: a plan, and its own particles and sticks.
pub(crate) struct Start<const D: usize>
where
    AnyKernel: Kernel<D>,
{
    pub(crate) plan: <AnyKernel as Kernel<D>>::Plan,
    pub(crate) particles: Particles<D>,
    pub(crate) sticks: Sticks,
}

impl<const D: usize> Setup<'_, D>
where
    AnyKernel: Kernel<D>,
{
    /// `None` if the kernel does not support the schedule, such as the kernels for sheets and for copies.
    pub(crate) fn start(&self, kernel: &AnyKernel) -> Option<Start<D>> {
        let (particles, sticks) = (self.mesh.particles.clone(), self.mesh.sticks.clone());
        match kernel.plan(&particles, &sticks, self.schedule, self.formula) {
            Ok(plan) => Some(Start { plan, particles, sticks }),
            Err(PlanError::NotASheet) if self.schedule.sheet().is_none() => None,
            Err(PlanError::NotCopies) if self.schedule.copies().is_none() => None,
            Err(error) => panic!("{}: {error}", Kernel::<D>::name(kernel)),
        }
    }

    /// Every configuration ends the game as the reference kernel does. Returns that ending.
    pub(crate) fn all_agree(&self, game: &str, play: impl Fn(Start<D>) -> Ending<D>) -> Ending<D> {
        let expected = play(self.start(&reference()).unwrap());
        self.all_end_as(&expected, game, play);
        expected
    }

    /// Every configuration ends the game so.
    pub(crate) fn all_end_as(
        &self,
        expected: &Ending<D>,
        game: &str,
        play: impl Fn(Start<D>) -> Ending<D>,
    ) {
        for configuration in configurations() {
            let ending = self.start(&configuration.kernel).map(&play);
            if let Some(difference) = ending.and_then(|ending| ending.difference(expected)) {
                panic!("{game}: {}: {difference}", configuration.name);
            }
        }
    }
}

impl<const D: usize> Start<D>
where
    AnyKernel: Kernel<D>,
{
    /// Some steps; notes the statuses.
    pub(crate) fn steps(mut self, step: &Step<D>, steps: usize) -> Ending<D> {
        let notes = (0..steps).map(|_| self.step(step)).collect();
        Ending { particles: self.particles, notes }
    }

    /// One step; gives its status as a note.
    pub(crate) fn step(&mut self, step: &Step<D>) -> u64 {
        let Self { plan, particles, sticks } = self;
        u64::from(plan.step(particles, sticks, step).unwrap().finite)
    }
}

/// Runs a property on the same `cases` values every time, and shrinks the first that fails.
pub(crate) fn for_all<T: Strategy>(cases: u32, values: T, property: impl Fn(T::Value)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        rng_seed: RngSeed::Fixed(1),
        ..Default::default()
    };
    let outcome = TestRunner::new(config).run(&values, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// One substep of 1/60 s with 8 iterations: kernels may fuse these.
pub(crate) fn eight_iterations<const D: usize>() -> Step<D> {
    Step { substeps: 1, iterations: 8, ..Step::default() }
}

/// Steps of all sorts.
pub(crate) fn any_step<const D: usize>() -> impl Strategy<Value = Step<D>> + Clone {
    let acceleration = prop_oneof![Just([0.0; D]), proptest::array::uniform(-20.0..20.0_f32)];
    // Up to rates that leave no velocity.
    let damping_rate = prop_oneof![Just(0.0), Just(0.603), Just(1e9), 0.0..1e3_f32];
    (1e-3..0.1_f32, 1..4_u32, 0..4_u32, acceleration, damping_rate).prop_map(
        |(dt, substeps, iterations, acceleration, damping_rate)| Step {
            dt,
            substeps,
            iterations,
            acceleration,
            damping_rate,
        },
    )
}
