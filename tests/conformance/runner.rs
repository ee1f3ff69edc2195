//! The test runner: runs a test case on all kernels and compares the results.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use taut::{AnyKernel, Formula, Kernel, Particles, Plan, PlanError, Real, Schedule, Step, Sticks};

use crate::configurations::{Configuration, THREADS, configurations, reference};
use crate::meshes::Mesh;

/// The result of a test case: the particles, and values that it recorded, such as statuses.
pub(crate) struct Outcome<const D: usize> {
    pub(crate) particles: Particles<D>,
    pub(crate) notes: Vec<u64>,
}

impl<const D: usize> Outcome<D> {
    /// Describes the first difference of two outcomes, if any. All NaNs are equal; other values are
    /// compared by their bits.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let [found, expected] = [self, other].map(|outcome| rows(&outcome.particles));
        if found.len() != expected.len() {
            return Some(format!("{} particles, expected {}", found.len(), expected.len()));
        }
        if let Some(particle) = (0..found.len()).find(|&i| found[i] != expected[i]) {
            let count = found.len();
            let [found, expected] = [&self.particles, &other.particles].map(|particles| {
                let previous: [f32; D] =
                    std::array::from_fn(|axis| particles.previous(axis)[particle]);
                (particles.position(particle), previous)
            });
            return Some(format!(
                "particle {particle} of {count} and its previous position are {found:?}, \
                 expected {expected:?}"
            ));
        }
        let note = (0..self.notes.len().max(other.notes.len()))
            .find(|&i| self.notes.get(i) != other.notes.get(i))?;
        let [found, expected] = [self, other].map(|outcome| outcome.notes.get(note));
        Some(format!("note {note} is {found:x?}, expected {expected:x?}"))
    }
}

/// The canonical bits of the position and the previous position of each particle.
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

/// A mesh, a schedule and a formula.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a, const D: usize> {
    pub(crate) mesh: &'a Mesh<D>,
    pub(crate) schedule: &'a Schedule,
    pub(crate) formula: Formula,
}

/// What a test case starts from: a plan, with particles and sticks of its own.
pub(crate) struct InitialState<const D: usize>
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
    /// A plan of the kernel, with clones of the particles and sticks. `None` if the kernel does not
    /// support the schedule, which only kernels for sheets and for copies may reject.
    pub(crate) fn start(&self, kernel: &AnyKernel) -> Option<InitialState<D>> {
        let (particles, sticks) = (self.mesh.particles.clone(), self.mesh.sticks.clone());
        match kernel.plan(&particles, &sticks, self.schedule, self.formula) {
            Ok(plan) => Some(InitialState { plan, particles, sticks }),
            Err(PlanError::NotASheet) if self.schedule.sheet().is_none() => None,
            Err(PlanError::NotCopies) if self.schedule.copies().is_none() => None,
            Err(error) => panic!("{}: {error}", Kernel::<D>::name(kernel)),
        }
    }

    /// Asserts that every configuration has the outcome of the reference kernel, which it returns.
    pub(crate) fn assert_all_agree(
        &self,
        case: &str,
        run: impl Fn(InitialState<D>) -> Outcome<D>,
    ) -> Outcome<D> {
        let expected = run(self.start(&reference()).unwrap());
        self.assert_all_agree_with(&expected, case, run);
        expected
    }

    /// Asserts that every configuration has the expected outcome.
    pub(crate) fn assert_all_agree_with(
        &self,
        expected: &Outcome<D>,
        case: &str,
        run: impl Fn(InitialState<D>) -> Outcome<D>,
    ) {
        // The kernels use a second thread from 16,384 particles or 16,384 slots of sticks on, and padding
        // turns a stick into at most 16 slots. For smaller meshes one pool is enough, to check that it
        // changes nothing.
        let is_small = self.mesh.sticks.len() < 1024 && self.mesh.particles.len() < 16_384;
        let pools = if is_small { &THREADS[1..2] } else { &THREADS[..] };
        let takes_part = |configuration: &&Configuration| {
            configuration.pool.is_none_or(|it| pools.contains(&it))
        };
        for configuration in configurations().iter().filter(takes_part) {
            let outcome = self.start(&configuration.kernel).map(&run);
            if let Some(difference) = outcome.and_then(|outcome| outcome.difference(expected)) {
                panic!("{case}: {}: {difference}", configuration.name);
            }
        }
    }
}

impl<const D: usize> InitialState<D>
where
    AnyKernel: Kernel<D>,
{
    /// Runs steps and notes their statuses.
    pub(crate) fn steps(mut self, step: &Step<D>, steps: usize) -> Outcome<D> {
        let notes = (0..steps).map(|_| self.step(step)).collect();
        Outcome { particles: self.particles, notes }
    }

    /// Runs a step and returns its status as a note.
    pub(crate) fn step(&mut self, step: &Step<D>) -> u64 {
        let Self { plan, particles, sticks } = self;
        u64::from(plan.step(particles, sticks, step).unwrap().finite)
    }
}

/// Checks a property on a fixed sequence of random values, and shrinks the first that fails.
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

/// One substep of 1/60 s with 8 iterations, which a kernel may fuse.
pub(crate) fn eight_iterations<const D: usize>() -> Step<D> {
    Step { substeps: 1, iterations: 8, ..Step::default() }
}

/// Steps with random settings.
pub(crate) fn any_step<const D: usize>() -> impl Strategy<Value = Step<D>> + Clone {
    let acceleration = prop_oneof![Just([0.0; D]), proptest::array::uniform(-20.0..20.0_f32)];
    // Up to rates that remove all velocity.
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
