//! A plan is never stale: after any changes between steps it gives the bits of a new plan.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use taut::{
    AnyKernel, Duplicates, Family, Formula, Kernel, Kind, Particles, Plan, PlanError, Schedule,
    Status, Step, StepError, Sticks,
};

use crate::configurations::reference;
use crate::meshes::{Mesh, Recipe};
use crate::runner::{InitialState, Outcome, Setup, any_step, eight_iterations, for_all, rows};
use crate::values::Values;

/// A change that a host makes to its particles and sticks. An index selects the particle or the
/// stick.
#[derive(Clone, Debug)]
enum Change {
    Rest(Index, f32),
    Stiffness(Index, f32),
    Compliance(Index, f32),
    Kind(Index, Kind),
    Tear(Index),
    Mend(Index),
    InverseMass(Index, f32),
    /// Sets a position.
    Move(Index, [f32; 3]),
    /// Adds to an x coordinate in its column.
    ShiftPosition(Index, f32),
    /// Adds to a previous x coordinate in its column.
    ShiftPrevious(Index, f32),
    /// Adds a particle with this position and inverse mass.
    AddParticle([f32; 3], f32),
    /// Replaces the sticks by a clone.
    CloneSticks,
    CloneParticles,
    /// Swaps the sticks with the saved ones.
    SwapSticks,
    SwapParticles,
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let which = any::<Index>;
        let inverse_mass = prop_oneof![
            2 => Just(0.0_f32),
            2 => Just(1.0),
            1 => (-9.0..9.0_f32).prop_map(|exponent| 10.0_f32.powf(exponent).clamp(1e-9, 1e9)),
        ];
        let kind = prop_oneof![Just(Kind::TwoSided), Just(Kind::Minimum), Just(Kind::Maximum)];
        let point = || proptest::array::uniform3(-3.0..3.0_f32);
        prop_oneof![
            3 => (which(), 0.1..3.0_f32).prop_map(|(stick, rest)| Self::Rest(stick, rest)),
            2 => (which(), prop_oneof![Just(1.0), 0.01..1.0_f32])
                .prop_map(|(stick, stiffness)| Self::Stiffness(stick, stiffness)),
            2 => (which(), prop_oneof![Just(0.0), 1e-6..1e-2_f32])
                .prop_map(|(stick, compliance)| Self::Compliance(stick, compliance)),
            2 => (which(), kind).prop_map(|(stick, kind)| Self::Kind(stick, kind)),
            3 => which().prop_map(Self::Tear),
            2 => which().prop_map(Self::Mend),
            4 => (which(), inverse_mass.clone())
                .prop_map(|(particle, value)| Self::InverseMass(particle, value)),
            2 => (which(), point()).prop_map(|(particle, point)| Self::Move(particle, point)),
            1 => (which(), -0.3..0.3_f32).prop_map(|(i, by)| Self::ShiftPosition(i, by)),
            1 => (which(), -0.3..0.3_f32).prop_map(|(i, by)| Self::ShiftPrevious(i, by)),
            1 => (point(), inverse_mass).prop_map(|(point, value)| Self::AddParticle(point, value)),
            1 => Just(Self::CloneSticks),
            1 => Just(Self::CloneParticles),
            1 => Just(Self::SwapSticks),
            1 => Just(Self::SwapParticles),
        ]
    }
}

/// The particles and sticks of a host, and those that it saved.
struct Host<const D: usize>
where
    AnyKernel: Kernel<D>,
{
    particles: Particles<D>,
    sticks: Sticks,
    saved: (Particles<D>, Sticks),
}

impl<const D: usize> Host<D>
where
    AnyKernel: Kernel<D>,
{
    fn apply(&mut self, change: &Change) {
        let Self { particles, sticks, saved } = self;
        let point_of = |point: &[f32; 3]| std::array::from_fn(|axis| point[axis]);
        match change {
            Change::AddParticle(point, inverse_mass) => {
                particles.push(point_of(point), *inverse_mass).unwrap();
            }
            Change::CloneSticks => *sticks = sticks.clone(),
            Change::CloneParticles => *particles = particles.clone(),
            Change::SwapSticks => std::mem::swap(sticks, &mut saved.1),
            Change::SwapParticles => std::mem::swap(particles, &mut saved.0),
            Change::InverseMass(which, value) if !particles.is_empty() => {
                particles.set_inverse_mass(which.index(particles.len()), *value).unwrap();
            }
            Change::Move(which, point) if !particles.is_empty() => {
                particles.set_position(which.index(particles.len()), point_of(point)).unwrap();
            }
            Change::ShiftPosition(which, by) if !particles.is_empty() => {
                let particle = which.index(particles.len());
                particles.positions_mut(0)[particle] += by;
            }
            Change::ShiftPrevious(which, by) if !particles.is_empty() => {
                let particle = which.index(particles.len());
                particles.previous_mut(0)[particle] += by;
            }
            _ if sticks.is_empty() => {}
            Change::Rest(which, rest) => {
                sticks.set_rest(which.index(sticks.len()), *rest).unwrap();
            }
            Change::Stiffness(which, stiffness) => {
                sticks.set_stiffness(which.index(sticks.len()), *stiffness).unwrap();
            }
            Change::Compliance(which, compliance) => {
                sticks.set_compliance(which.index(sticks.len()), *compliance).unwrap();
            }
            Change::Kind(which, kind) => {
                sticks.set_kind(which.index(sticks.len()), *kind).unwrap();
            }
            Change::Tear(which) => sticks.tear(which.index(sticks.len())).unwrap(),
            Change::Mend(which) => sticks.mend(which.index(sticks.len())).unwrap(),
            Change::InverseMass(..)
            | Change::Move(..)
            | Change::ShiftPosition(..)
            | Change::ShiftPrevious(..) => {}
        }
    }
}

/// Each element: changes, and the step after them.
type Script<const D: usize> = Vec<(Vec<Change>, Step<D>)>;

/// Applies the changes and runs the steps with `run_step`. Notes statuses and hashes.
fn run_script<const D: usize>(
    script: &Script<D>,
    particles: Particles<D>,
    sticks: Sticks,
    mut run_step: impl FnMut(&mut Particles<D>, &Sticks, &Step<D>) -> Status,
) -> Outcome<D>
where
    AnyKernel: Kernel<D>,
{
    let saved = (particles.clone(), sticks.clone());
    let mut host = Host { particles, sticks, saved };
    let mut notes = Vec::new();
    for (changes, step) in script {
        for change in changes {
            host.apply(change);
        }
        let status = run_step(&mut host.particles, &host.sticks, step);
        notes.extend([u64::from(status.finite), host.particles.hash()]);
    }
    Outcome { particles: host.particles, notes }
}

/// Runs the script with a new plan for each step, made from clones, which have no change records.
fn run_with_new_plans<const D: usize>(setup: &Setup<D>, script: &Script<D>) -> Outcome<D>
where
    AnyKernel: Kernel<D>,
{
    let Mesh { particles, sticks, .. } = setup.mesh.clone();
    run_script(script, particles, sticks, |particles, sticks, step| {
        let (mut copy, sticks) = (particles.clone(), sticks.clone());
        let kernel = reference();
        let mut plan = kernel.plan(&copy, &sticks, setup.schedule, setup.formula).unwrap();
        let status = plan.step(&mut copy, &sticks, step).unwrap();
        for axis in 0..D {
            particles.positions_mut(axis).copy_from_slice(copy.positions(axis));
            particles.previous_mut(axis).copy_from_slice(copy.previous(axis));
        }
        status
    })
}

fn check_live_plans<const D: usize>()
where
    AnyKernel: Kernel<D>,
{
    let formula = select(&Formula::ALL[..]);
    let script = vec((vec(Change::any(), 0..8), any_step::<D>()), 1..8);
    let cases = (Recipe::any(Values::Moderate), any::<Index>(), formula, script);
    for_all(250, cases, |(recipe, order, formula, script)| {
        let mesh = recipe.mesh();
        let (order, schedule) = mesh.any_schedule(order);
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let expected = run_with_new_plans(&setup, &script);
        setup.assert_all_agree_with(
            &expected,
            order,
            |InitialState { mut plan, particles, sticks }| {
                run_script(&script, particles, sticks, |particles, sticks, step| {
                    plan.step(particles, sticks, step).unwrap()
                })
            },
        );
    });
}

#[test]
fn live_plans_give_the_bits_of_new_plans_in_2_dimensions() {
    check_live_plans::<2>();
}

#[test]
fn live_plans_give_the_bits_of_new_plans_in_3_dimensions() {
    check_live_plans::<3>();
}

/// A small sheet in the coloured order, the same in its own order, which kernels for sheets run,
/// and one whose rows fill whole registers.
pub(crate) fn sheets() -> [(Mesh, Schedule); 3] {
    [([9, 9], "coloured"), ([9, 9], "sheet"), ([64, 3], "sheet")].map(|(size, order)| {
        let mesh: Mesh = Recipe::sheet(size, Family::BEND, 0, Values::Uniform).mesh();
        let schedule = mesh.schedule(order);
        (mesh, schedule)
    })
}

#[test]
fn other_sticks_too_few_particles_and_invalid_steps_are_rejected_and_no_particle_moves() {
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Quick };
        let needed = mesh.particles.len();
        let mut pairs = mesh.sticks.ends().to_vec();
        pairs[11].reverse();
        let sticks_of = |pairs: &[[u32; 2]]| {
            let rests = &mesh.sticks.rests()[..pairs.len()];
            Sticks::with_rests(needed, pairs, rests, Duplicates::Keep).unwrap()
        };
        let different = sticks_of(&pairs);
        let fewer = sticks_of(&mesh.sticks.ends()[..20]);
        let particles = needed - 1;
        let too_few = Particles::new(&vec![[0.5; 3]; particles], &vec![1.0; particles]).unwrap();
        let step = eight_iterations();
        let expected = setup.assert_all_agree("no rejections", |start| start.steps(&step, 1));
        setup.assert_all_agree_with(&expected, "a step after rejections", |mut start| {
            let InitialState { plan, particles, sticks } = &mut start;
            let mut error_of = |particles: &Particles<3>, sticks: &Sticks, step: &Step<3>| {
                let mut after = particles.clone();
                let error = plan.step(&mut after, sticks, step).unwrap_err();
                assert_eq!(plan.session(&mut after, sticks, step).err(), Some(error));
                assert!(rows(&after) == rows(particles), "{error}");
                error
            };
            let other_sticks = |stick| StepError::Plan(PlanError::OtherSticks { stick });
            assert_eq!(error_of(particles, &different, &step), other_sticks(11));
            assert_eq!(error_of(particles, &fewer, &step), other_sticks(20));
            let error = PlanError::TooFewParticles { needed, particles: needed - 1 };
            assert_eq!(error_of(&too_few, sticks, &step), StepError::Plan(error));
            for (step, error) in invalid_steps() {
                assert_eq!(error_of(particles, sticks, &step), error);
            }
            // The plan is unchanged.
            start.steps(&step, 1)
        });
    }
}

/// Invalid settings of a step, each with its error.
fn invalid_steps() -> [(Step<3>, StepError); 4] {
    let valid = eight_iterations();
    [
        (Step { substeps: 0, ..valid }, StepError::NoSubsteps),
        (Step { dt: 0.0, ..valid }, StepError::Substep { substep: 0.0 }),
        (Step { damping_rate: -2.0, ..valid }, StepError::DampingRate { damping_rate: -2.0 }),
        (
            Step { acceleration: [0.0, 0.0, 2e9], ..valid },
            StepError::Acceleration { axis: 2, value: 2e9 },
        ),
    ]
}

#[test]
fn particles_added_after_planning_fall_and_are_checked() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Halley };
        let alone =
            setup.assert_all_agree("no added particles", |start| start.steps(&step, 4)).particles;
        // So few particles that they fit into the padding, if there is any, and more.
        for added in [1, 15, 16, 40] {
            let all = setup.assert_all_agree("added particles", |mut start| {
                start.step(&step);
                for _ in 0..added {
                    start.particles.push([1.0, 2.0, 3.0], 1.0).unwrap();
                }
                start.steps(&step, 3)
            });
            assert!(rows(&all.particles)[..alone.len()] == rows(&alone)[..]);
            // The added particles fall freely from y = 2 m.
            let (mut y, mut previous) = (2.0_f32, 2.0_f32);
            let displacement = step.acceleration[1] * (step.dt * step.dt);
            let retention = step.motion().unwrap().retention;
            for _ in 0..3 {
                let new_y = (y + (y - previous) * retention) + displacement;
                (y, previous) = (new_y, y);
            }
            for particle in alone.len()..alone.len() + added {
                assert_eq!(all.particles.position(particle), [1.0, y, 3.0]);
            }
        }
        let outcome = setup.assert_all_agree("an added position is not finite", |mut start| {
            let added = start.particles.push([1.0, 2.0, 3.0], 1.0).unwrap() as usize;
            start.particles.positions_mut(0)[added] = -0.0;
            start.particles.positions_mut(2)[added] = f32::NAN;
            start.steps(&step, 1)
        });
        assert_eq!(outcome.notes, [0]);
        // Kernels store no -0.0.
        assert_eq!(outcome.particles.previous(0).last().unwrap().to_bits(), 0);
    }
}

#[test]
fn a_plan_is_not_stale_after_more_changes_than_are_recorded() {
    let step = eight_iterations();
    // One change that must not be lost, then more of other changes than are recorded. The last stick and
    // the last particle are free.
    let change_sticks = |sticks: &mut Sticks| {
        sticks.set_rest(sticks.len() - 1, 0.5).unwrap();
        for _ in 0..=sticks.len() {
            sticks.set_rest(1, 0.7).unwrap();
        }
    };
    let change_masses = |particles: &mut Particles<3>| {
        let last = particles.len() - 1;
        particles.set_inverse_mass(last, 3.0).unwrap();
        for _ in 0..=particles.len() {
            particles.set_inverse_mass(last - 1, 0.5).unwrap();
        }
    };
    for (mesh, schedule) in &sheets() {
        for formula in Formula::ALL {
            let setup = Setup { mesh, schedule, formula };
            let unchanged = setup.assert_all_agree("no changes", |start| start.steps(&step, 3));
            // A plan copies the particles in its first step, so changes come after that.
            let after_a_step = setup.assert_all_agree("a step", |start| start.steps(&step, 1));
            for (sticks_change, masses_change) in [(true, false), (false, true), (true, true)] {
                let change = |particles: &mut Particles<3>, sticks: &mut Sticks| {
                    if sticks_change {
                        change_sticks(sticks);
                    }
                    if masses_change {
                        change_masses(particles);
                    }
                };
                let mut changed = mesh.clone();
                changed.particles = after_a_step.particles.clone();
                change(&mut changed.particles, &mut changed.sticks);
                let new_plans = Setup { mesh: &changed, ..setup };
                let expected =
                    new_plans.assert_all_agree("new plans", |start| start.steps(&step, 2));
                assert!(rows(&expected.particles) != rows(&unchanged.particles), "no effect");
                setup.assert_all_agree_with(&expected, "live plans", |mut start| {
                    assert_eq!(start.step(&step), 1);
                    change(&mut start.particles, &mut start.sticks);
                    start.steps(&step, 2)
                });
            }
        }
    }
}

#[test]
fn one_plan_steps_two_sets_of_particles_in_turn() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let mut other = mesh.clone();
        for stick in 0..other.sticks.len() {
            other.sticks.set_rest(stick, 0.07).unwrap();
        }
        (9..18).for_each(|pinned| other.particles.set_inverse_mass(pinned, 0.0).unwrap());
        for formula in Formula::ALL {
            let one = Setup { mesh, schedule, formula };
            let two = Setup { mesh: &other, ..one };
            let [one_alone, two_alone] = [one, two]
                .map(|setup| setup.assert_all_agree("alone", |start| start.steps(&step, 3)));
            let in_turn = |InitialState { mut plan, particles, sticks }| {
                let mut both =
                    [(particles, sticks), (other.particles.clone(), other.sticks.clone())];
                for _ in 0..3 {
                    for (particles, sticks) in &mut both {
                        assert!(plan.step(particles, sticks, &step).unwrap().finite);
                    }
                }
                // The statuses of three steps that stay finite.
                both.map(|(particles, _)| Outcome { particles, notes: vec![1; 3] })
            };
            one.assert_all_agree_with(&one_alone, "in turn", |start| {
                let [first, second] = in_turn(start);
                assert_eq!(second.difference(&two_alone), None, "the second, in turn");
                first
            });
        }
    }
}
