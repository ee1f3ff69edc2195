//! A plan is never stale: whatever changes between steps, it does what a fresh plan would do.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use taut::world::{Scene, StickSet};
use taut::{
    AnyKernel, Duplicates, Formula, Kernel, Kind, Particles, Plan, PlanError, Schedule, Step,
    StepError, Sticks,
};

use crate::contestants::contestants;
use crate::meshes::{Manner, Mesh, Recipe};
use crate::play::{Ending, Setup, all_agree, all_end_as, any_step, for_all, rows};

/// Something that a host does to its particles and sticks.
#[derive(Clone, Debug)]
enum Change {
    Rest(Index, f32),
    Stiffness(Index, f32),
    Compliance(Index, f32),
    Kind(Index, Kind),
    Tear(Index),
    Mend(Index),
    InverseMass(Index, f32),
    Move(Index, [f32; 3]),
    /// A particle more.
    Push([f32; 3], f32),
    /// Other tables of the same contents.
    CloneSticks,
    CloneParticles,
    /// What was put aside comes back, and what there was is put aside.
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
            1 => (point(), inverse_mass).prop_map(|(point, value)| Self::Push(point, value)),
            1 => Just(Self::CloneSticks),
            1 => Just(Self::CloneParticles),
            1 => Just(Self::SwapSticks),
            1 => Just(Self::SwapParticles),
        ]
    }
}

/// What a host has, and what it has put aside.
struct Host<const D: usize> {
    particles: Particles<D>,
    sticks: Sticks,
    aside: (Particles<D>, Sticks),
}

impl<const D: usize> Host<D> {
    fn apply(&mut self, change: &Change) {
        let Self { particles, sticks, aside } = self;
        let point_of = |point: &[f32; 3]| std::array::from_fn(|axis| point[axis]);
        match change {
            Change::Push(point, inverse_mass) => {
                particles.push(point_of(point), *inverse_mass).unwrap();
            }
            Change::CloneSticks => *sticks = sticks.clone(),
            Change::CloneParticles => *particles = particles.clone(),
            Change::SwapSticks => std::mem::swap(sticks, &mut aside.1),
            Change::SwapParticles => std::mem::swap(particles, &mut aside.0),
            Change::InverseMass(which, value) if !particles.is_empty() => {
                particles.set_inverse_mass(which.index(particles.len()), *value).unwrap();
            }
            Change::Move(which, point) if !particles.is_empty() => {
                particles.set_position(which.index(particles.len()), point_of(point)).unwrap();
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
            Change::InverseMass(..) | Change::Move(..) => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plans {
    /// One, for ever.
    Live,
    /// One each step, made from copies that have no past.
    Fresh,
}

type Story<const D: usize> = Vec<(Vec<Change>, Step<D>)>;

fn live<const D: usize>(
    setup: &Setup<D>,
    story: &Story<D>,
    plans: Plans,
    kernel: &AnyKernel,
) -> Ending<D> {
    let (mut plan, particles, sticks) = setup.plan(kernel);
    let aside = (particles.clone(), sticks.clone());
    let mut host = Host { particles, sticks, aside };
    let mut notes = Vec::new();
    for (changes, step) in story {
        for change in changes {
            host.apply(change);
        }
        let Host { particles, sticks, .. } = &mut host;
        let status = if plans == Plans::Live {
            plan.step(particles, sticks, step).unwrap()
        } else {
            let (mut copy, sticks) = (particles.clone(), sticks.clone());
            let mut plan = kernel.plan(&copy, &sticks, setup.schedule, setup.formula).unwrap();
            let status = plan.step(&mut copy, &sticks, step).unwrap();
            *particles = copy;
            status
        };
        notes.extend([u64::from(status.finite), particles.hash()]);
    }
    Ending { particles: host.particles, notes }
}

fn live_plans_are_as_fresh<const D: usize>() {
    let formula = proptest::sample::select(&Formula::ALL[..]);
    let story = vec((vec(Change::any(), 0..8), any_step::<D>()), 1..8);
    let cases = (Recipe::any(Manner::Tame), any::<Index>(), formula, story);
    for_all(400, cases, |(recipe, order, formula, story)| {
        let mesh = recipe.mesh();
        let schedules = mesh.schedules();
        let (order, schedule) = order.get(&schedules);
        let setup = Setup { mesh: &mesh, schedule, formula };
        let expected = live(&setup, &story, Plans::Fresh, &crate::contestants::reference());
        all_end_as(&expected, order, |kernel| live(&setup, &story, Plans::Live, kernel));
    });
}

#[test]
fn live_plans_do_what_fresh_plans_would_in_2_dimensions() {
    live_plans_are_as_fresh::<2>();
}

#[test]
fn live_plans_do_what_fresh_plans_would_in_3_dimensions() {
    live_plans_are_as_fresh::<3>();
}

fn drape() -> Mesh {
    Scene::drape(9, StickSet::All).unwrap().into()
}

#[test]
fn other_sticks_and_too_few_particles_are_refused_and_nothing_moves() {
    let mesh = drape();
    let schedule = Schedule::coloured(&mesh.sticks);
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Quick };
    let mut pairs = mesh.sticks.ends().to_vec();
    pairs[11].reverse();
    let sticks_with = |pairs: &[[u32; 2]]| {
        let rests = &mesh.sticks.rests()[..pairs.len()];
        Sticks::with_rests(81, pairs, rests, Duplicates::Keep).unwrap()
    };
    let others = sticks_with(&pairs);
    let fewer = sticks_with(&mesh.sticks.ends()[..20]);
    let too_few = Particles::new(&[[0.5; 3]; 80], &[1.0; 80]).unwrap();
    let step = Step::default();
    let expected = all_agree("no refusals", |kernel| setup.steps(kernel, &step, 1));
    all_end_as(&expected, "a step after refusals", |kernel| {
        let (mut plan, mut particles, sticks) = setup.plan(kernel);
        let mut refused = |particles: &Particles<3>, sticks: &Sticks, step: &Step<3>| {
            let mut after = particles.clone();
            let error = plan.step(&mut after, sticks, step).unwrap_err();
            assert_eq!(plan.session(&mut after, sticks, step).err(), Some(error));
            assert!(rows(&after) == rows(particles), "{error}");
            error
        };
        let other = |stick| StepError::Plan(PlanError::OtherSticks { stick });
        assert_eq!(refused(&particles, &others, &step), other(11));
        assert_eq!(refused(&particles, &fewer, &step), other(20));
        let error = PlanError::TooFewParticles { needed: 81, particles: 80 };
        assert_eq!(refused(&too_few, &sticks, &step), StepError::Plan(error));
        for (step, error) in insane_steps() {
            assert_eq!(refused(&particles, &sticks, &step), error);
        }
        // The plan is as good as before.
        let status = plan.step(&mut particles, &sticks, &step).unwrap();
        Ending { particles, notes: vec![u64::from(status.finite)] }
    });
}

fn insane_steps() -> [(Step<3>, StepError); 4] {
    let sane = Step::default();
    [
        (Step { substeps: 0, ..sane }, StepError::NoSubsteps),
        (Step { dt: 0.0, ..sane }, StepError::Substep { substep: 0.0 }),
        (Step { damping: 2.0, ..sane }, StepError::Damping { damping: 2.0 }),
        (
            Step { acceleration: [0.0, 0.0, 2e9], ..sane },
            StepError::Acceleration { axis: 2, value: 2e9 },
        ),
    ]
}

#[test]
fn particles_that_come_after_planning_just_fall() {
    let mesh = drape();
    let schedule = Schedule::coloured(&mesh.sticks);
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let step = Step::default();
    let alone = all_agree("nobody comes", |kernel| setup.steps(kernel, &step, 4));
    // Within the padding of the 81 particles, and beyond it.
    for newcomers in [1, 15, 16, 40] {
        let ending = all_agree("newcomers", |kernel| {
            let (mut plan, mut particles, sticks) = setup.plan(kernel);
            let mut notes = Vec::new();
            for round in 0..4 {
                if round == 1 {
                    for _ in 0..newcomers {
                        particles.push([1.0, 2.0, 3.0], 1.0).unwrap();
                    }
                }
                let status = plan.step(&mut particles, &sticks, &step).unwrap();
                notes.push(u64::from(status.finite));
            }
            Ending { particles, notes }
        });
        assert!(rows(&ending.particles)[..81] == rows(&alone.particles)[..]);
        let (mut y, mut previous) = (2.0_f32, 2.0_f32);
        let h2 = step.dt * step.dt;
        for _ in 0..3 {
            let fallen = (y + (y - previous) * (1.0 - step.damping)) + step.acceleration[1] * h2;
            (y, previous) = (fallen, y);
        }
        for newcomer in 81..81 + newcomers {
            assert_eq!(ending.particles.position(newcomer), [1.0, y, 3.0]);
        }
    }
}

#[test]
fn a_plan_that_saw_more_changes_than_are_recorded_is_not_stale() {
    let mesh = drape();
    let schedule = Schedule::coloured(&mesh.sticks);
    let step = Step::default();
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let mut changed = mesh.clone();
        let change = |particles: &mut Particles<3>, sticks: &mut Sticks| {
            for round in 1..4_u8 {
                for stick in 0..sticks.len() {
                    sticks.set_rest(stick, 0.01 * f32::from(round)).unwrap();
                }
                for particle in 0..particles.len() {
                    particles.set_inverse_mass(particle, f32::from(round)).unwrap();
                }
            }
        };
        change(&mut changed.particles, &mut changed.sticks);
        let fresh = Setup { mesh: &changed, ..setup };
        let expected = all_agree("fresh", |kernel| fresh.steps(kernel, &step, 1));
        all_end_as(&expected, "live", |kernel| {
            let (mut plan, mut particles, mut sticks) = setup.plan(kernel);
            change(&mut particles, &mut sticks);
            let status = plan.step(&mut particles, &sticks, &step).unwrap();
            Ending { particles, notes: vec![u64::from(status.finite)] }
        });
    }
}

#[test]
fn one_plan_serves_several_worlds_by_turns() {
    let mesh = drape();
    let schedule = Schedule::coloured(&mesh.sticks);
    let step = Step::default();
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let mut other = mesh.clone();
        for stick in 0..other.sticks.len() {
            other.sticks.set_rest(stick, 0.07).unwrap();
        }
        (9..18).for_each(|pinned| other.particles.set_inverse_mass(pinned, 0.0).unwrap());
        let fresh = Setup { mesh: &other, ..setup };
        for contestant in contestants() {
            let [one, two] = [setup, fresh].map(|setup| setup.steps(&contestant.kernel, &step, 3));
            let (mut plan, mut particles, sticks) = setup.plan(&contestant.kernel);
            let mut others = other.clone();
            for _ in 0..3 {
                assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
                assert!(plan.step(&mut others.particles, &others.sticks, &step).unwrap().finite);
            }
            let same = rows(&particles) == rows(&one.particles)
                && rows(&others.particles) == rows(&two.particles);
            assert!(same, "{formula}: {}", contestant.name);
        }
    }
}
