//! Sessions: all parts of a step in sequence give the bits of the step, and kernels agree on any
//! sequence of calls.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use taut::{
    AnyKernel, Engine, Family, Formula, Inline, Kernel, ParticleView, Plan, Real, Schedule, Stage,
    Step, Substeps,
};

use crate::meshes::{Mesh, Recipe};
use crate::runner::{InitialState, Outcome, Setup, any_step, eight_iterations, for_all};
use crate::values::Values;

/// How a session ends: with a call of `finish`, or dropped without it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Finished,
    Dropped,
}

#[test]
fn a_session_of_all_parts_gives_the_bits_of_the_step() {
    fn check<const D: usize>()
    where
        AnyKernel: Kernel<D>,
    {
        let formula = select(&Formula::ALL[..]);
        let cases = (Recipe::any(Values::Extreme), any::<Index>(), formula, any_step::<D>());
        for_all(150, cases, |(recipe, order, formula, step)| {
            let mesh = recipe.mesh();
            let (order, schedule) = mesh.any_schedule(order);
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
            let expected = setup.assert_all_agree(order, |start| start.steps(&step, 2));
            for in_one_call in [true, false] {
                setup.assert_all_agree_with(&expected, order, |start| {
                    let InitialState { mut plan, mut particles, sticks } = start;
                    let mut notes = Vec::new();
                    for _ in 0..2 {
                        let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
                        for _ in 0..step.substeps {
                            session.integrate();
                            if in_one_call {
                                session.relax(step.iterations);
                            } else {
                                (0..step.iterations).for_each(|_| session.relax(1));
                            }
                        }
                        notes.push(u64::from(session.finish().finite));
                    }
                    Outcome { particles, notes }
                });
            }
        });
    }
    check::<2>();
    check::<3>();
}

/// A call that a host may make in a session.
#[derive(Clone, Debug)]
enum Call {
    Integrate,
    /// A number of substeps and of iterations in each, and what runs after the motion.
    Advance(u32, u32, AfterMotion),
    Relax(u32),
    ReadPosition(Index),
    SetPosition(Index, [f32; 3]),
    /// Runs [`Drift`] on all particles.
    Visit,
    /// Moves a particle in its columns and keeps its previous position.
    Displace(Index, [f32; 3]),
    /// Sets the position of a particle in its columns, at rest.
    PlaceAtRest(Index, [f32; 3]),
    /// Writes to a whole column.
    ShiftColumn(f32),
    /// Writes -0.0 to a coordinate and to its previous value in their columns.
    NegativeZero(Index),
    /// Runs a stage that panics before it changes anything.
    Panic,
    /// Pins a particle or frees it.
    SetInverseMass(Index, f32),
}

/// The stage that [`Call::Advance`] runs after the motion of each substep.
#[derive(Clone, Copy, Debug)]
enum AfterMotion {
    Nothing,
    Fence,
    Drift,
}

impl AfterMotion {
    fn stage<const D: usize>(self) -> Option<&'static dyn Stage<D>> {
        match self {
            Self::Nothing => None,
            Self::Fence => Some(&Fence),
            Self::Drift => Some(&Drift),
        }
    }
}

/// A stage that moves each free particle by a distance that depends on its index and inverse mass
/// and on the signs of its coordinates and previous coordinates, and then removes a quarter of its velocity. It replaces a
/// coordinate above 2 m by -0.0, which must become +0.0.
struct Drift;

impl<const D: usize> Stage<D> for Drift {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { mut position, mut previous, inverse_mass, layout } = particles;
        for (slot, &w) in inverse_mass.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let by = (layout.particle(slot) % 7) as f32 * 0.01 - 0.03 * w;
            for (x, previous) in position.iter_mut().zip(&mut previous) {
                let by = by + x[slot].signum() * 0.001 + previous[slot].signum() * 0.0005;
                x[slot] = if x[slot] > 2.0 { -0.0 } else { x[slot] + by };
                previous[slot] += 0.25 * (x[slot] - previous[slot]);
            }
        }
    }
}

/// A stage that panics.
struct Panics;

impl<const D: usize> Stage<D> for Panics {
    fn run(&self, _: ParticleView<'_, D>) {
        // Unlike `panic!`, this prints no message.
        resume_unwind(Box::new(()))
    }
}

/// A stage that keeps each free particle below a height that depends on its index.
struct Fence;

impl<const D: usize> Stage<D> for Fence {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { position, inverse_mass, layout, .. } = particles;
        for (slot, _) in inverse_mass.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let height = (layout.particle(slot) % 5) as f32 * 0.1 - 0.2;
            let y = &mut position[1][slot];
            *y = if *y > height { height } else { *y };
        }
    }
}

impl Call {
    fn any() -> impl Strategy<Value = Self> {
        let special = select(&[-0.0_f32, f32::INFINITY, f32::NAN, 1e19, 2e19][..]);
        let x = prop_oneof![1 => special, 40 => -3.0..3.0_f32];
        let point = || proptest::array::uniform3(-3.0..3.0_f32);
        let stage = select(&[AfterMotion::Nothing, AfterMotion::Fence, AfterMotion::Drift][..]);
        prop_oneof![
            2 => Just(Self::Integrate),
            2 => (0..4_u32, 0..4_u32, stage)
                .prop_map(|(count, iterations, stage)| Self::Advance(count, iterations, stage)),
            2 => (0..3_u32).prop_map(Self::Relax),
            3 => any::<Index>().prop_map(Self::ReadPosition),
            2 => (any::<Index>(), proptest::array::uniform3(x))
                .prop_map(|(particle, point)| Self::SetPosition(particle, point)),
            2 => Just(Self::Visit),
            1 => (any::<Index>(), point()).prop_map(|(i, point)| Self::Displace(i, point)),
            1 => (any::<Index>(), point()).prop_map(|(i, point)| Self::PlaceAtRest(i, point)),
            1 => (-0.1..0.1_f32).prop_map(Self::ShiftColumn),
            1 => any::<Index>().prop_map(Self::NegativeZero),
            1 => Just(Self::Panic),
            1 => (any::<Index>(), select(&[0.0_f32, 0.5, 1.0][..]))
                .prop_map(|(i, w)| Self::SetInverseMass(i, w)),
        ]
    }
}

/// Makes the calls and notes the positions that were read. With `together`, [`Call::Advance`] runs
/// its substeps in one call of the session.
fn run_calls<const D: usize>(
    start: InitialState<D>,
    step: &Step<D>,
    calls: &[Call],
    end: End,
    together: bool,
) -> Outcome<D>
where
    AnyKernel: Kernel<D>,
{
    let InitialState { mut plan, mut particles, sticks } = start;
    let mut notes = Vec::new();
    let mut session = plan.session(&mut particles, &sticks, step).unwrap();
    for call in calls {
        let len = session.len();
        match call {
            Call::Integrate => session.integrate(),
            Call::Advance(count, iterations, after_motion) if together => {
                session.advance(*count, *iterations, after_motion.stage());
            }
            Call::Advance(count, iterations, after_motion) => {
                for _ in 0..*count {
                    session.integrate();
                    if let Some(stage) = after_motion.stage() {
                        session.visit(stage);
                    }
                    session.relax(*iterations);
                }
            }
            Call::Relax(iterations) => session.relax(*iterations),
            _ if session.is_empty() => {}
            Call::ReadPosition(which) => {
                notes.extend(session.position(which.index(len)).map(Real::canonical_bits));
            }
            Call::SetPosition(which, point) => {
                let point = std::array::from_fn(|axis| point[axis]);
                session.set_position(which.index(len), point);
            }
            Call::Visit => session.visit(&Drift),
            Call::Displace(which, point) => {
                let point = std::array::from_fn(|axis| point[axis]);
                session.particles_mut().displace(which.index(len), point);
            }
            Call::PlaceAtRest(which, point) => {
                let point = std::array::from_fn(|axis| point[axis]);
                session.particles_mut().set_position(which.index(len), point).unwrap();
            }
            Call::ShiftColumn(by) => {
                session.particles_mut().positions_mut(0).iter_mut().for_each(|x| *x += by);
            }
            Call::NegativeZero(which) => {
                session.particles_mut().positions_mut(0)[which.index(len)] = -0.0;
                session.particles_mut().previous_mut(0)[which.index(len)] = -0.0;
            }
            Call::Panic => {
                let visit = catch_unwind(AssertUnwindSafe(|| session.visit(&Panics)));
                assert!(visit.is_err(), "the panic of a stage does not reach the caller");
            }
            Call::SetInverseMass(which, w) => {
                session.particles_mut().set_inverse_mass(which.index(len), *w).unwrap();
            }
        }
    }
    if end == End::Finished {
        let status = session.finish();
        let all_finite = (0..D).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
        assert_eq!(status.finite, all_finite);
    } else {
        drop(session);
    }
    Outcome { particles, notes }
}

#[test]
fn kernels_agree_on_any_session_and_dropping_it_writes_back() {
    fn check<const D: usize>()
    where
        AnyKernel: Kernel<D>,
    {
        let formula = select(&Formula::ALL[..]);
        let calls = vec(Call::any(), 0..16);
        // Particles that are added after planning have no sticks.
        let added = prop_oneof![Just(0), 0..40_u8];
        let recipe = Recipe::any(Values::Extreme);
        let cases = (recipe, any::<Index>(), formula, any_step::<D>(), calls, added);
        for_all(250, cases, |(recipe, order, formula, step, calls, added)| {
            let mesh = recipe.mesh();
            let (order, schedule) = mesh.any_schedule(order);
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
            let run = |end, together| {
                let (step, calls) = (&step, &calls);
                move |mut start: InitialState<D>| {
                    for particle in 0..added {
                        let point = [f32::from(particle) * 0.1 - 1.0; D];
                        start.particles.push(point, f32::from(particle % 3)).unwrap();
                    }
                    run_calls(start, step, calls, end, together)
                }
            };
            let finished = setup.assert_all_agree(order, run(End::Finished, true));
            setup.assert_all_agree_with(&finished, order, run(End::Dropped, true));
            setup.assert_all_agree_with(&finished, order, run(End::Finished, false));
        });
    }
    check::<2>();
    check::<3>();
}

/// A stage that removes a quarter of the velocity of each free particle.
struct Slow;

impl<const D: usize> Stage<D> for Slow {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { position, mut previous, inverse_mass, .. } = particles;
        for (slot, _) in inverse_mass.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for (x, previous) in position.iter().zip(&mut previous) {
                previous[slot] += 0.25 * (x[slot] - previous[slot]);
            }
        }
    }
}

#[test]
fn a_stage_after_the_motion_may_change_previous_positions() {
    fn check<const D: usize>()
    where
        AnyKernel: Kernel<D>,
    {
        let cases =
            (Recipe::any(Values::Moderate), any::<Index>(), any_step::<D>(), any::<Index>());
        for_all(100, cases, |(recipe, order, step, moved)| {
            let mesh = recipe.mesh();
            let (order, schedule) = mesh.any_schedule(order);
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
            setup.assert_all_agree(order, |start| {
                let InitialState { mut plan, mut particles, sticks } = start;
                let substeps = step.to_substeps().unwrap();
                let substeps = Substeps { after_motion: Some(&Slow), ..substeps };
                let mut notes = Vec::new();
                for _ in 0..3 {
                    let status = plan
                        .advance_and_write_back(&Inline, &mut particles, &sticks, &substeps)
                        .unwrap();
                    notes.push(u64::from(status.finite));
                    let previous = (0..D).flat_map(|axis| particles.previous(axis));
                    notes.extend(previous.map(|x| x.canonical_bits()));
                    if !particles.is_empty() {
                        // The plan reads this particle, and its previous position, again.
                        let moved = moved.index(particles.len());
                        let point = particles.position(moved);
                        particles.displace(moved, point.map(|x| x + 0.125));
                    }
                }
                Outcome { particles, notes }
            });
        });
    }
    check::<2>();
    check::<3>();
}

/// A small sheet in the coloured order, the same in its own order, which kernels for sheets run,
/// and one whose rows fill whole registers.
pub(crate) fn sheets() -> [(Mesh, Schedule); 3] {
    [([6, 6], "coloured"), ([6, 6], "sheet"), ([64, 6], "sheet")].map(|(size, order)| {
        let mesh: Mesh = Recipe::sheet(size, Family::STRUCTURAL, 0, Values::Uniform).mesh();
        let schedule = mesh.schedule(order);
        (mesh, schedule)
    })
}

#[test]
fn positions_can_be_read_before_integration_and_relaxation_uses_positions_that_were_set() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Exact };
        let (len, middle) = (mesh.particles.len(), mesh.particles.len() / 2 + 2);
        setup.assert_all_agree("a particle lifted between iterations", |start| {
            let InitialState { mut plan, mut particles, sticks } = start;
            let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
            assert_eq!(session.len(), len);
            for particle in 0..len {
                assert_eq!(session.position(particle), mesh.particles.position(particle));
            }
            session.integrate();
            session.relax(1);
            let [lifted, neighbour] =
                [middle, middle + 1].map(|particle| session.position(particle));
            let point = [lifted[0], lifted[1], lifted[2] + 1.0];
            session.set_position(middle, point);
            assert_eq!(session.position(middle), point);
            assert_eq!(session.position(middle + 1), neighbour);
            session.relax(1);
            // The stick pulls the neighbour up and the lifted particle back.
            assert!(session.position(middle)[2] < lifted[2] + 0.99);
            assert!(session.position(middle + 1)[2] > neighbour[2] + 0.01);
            let last: Vec<[f32; 3]> = (0..len).map(|particle| session.position(particle)).collect();
            let status = session.finish();
            for (particle, point) in last.into_iter().enumerate() {
                assert_eq!(particles.position(particle), point);
            }
            Outcome { particles, notes: vec![u64::from(status.finite)] }
        });
    }
}

#[test]
fn a_session_passed_to_mem_forget_leaves_the_plan_usable() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Halley };
        let expected = setup.assert_all_agree("a step", |start| start.steps(&step, 1));
        setup.assert_all_agree_with(&expected, "a step after a forgotten session", |mut start| {
            let mut other = start.particles.clone();
            let mut session = start.plan.session(&mut other, &start.sticks, &step).unwrap();
            session.integrate();
            session.relax(2);
            std::mem::forget(session);
            start.steps(&step, 1)
        });
        // The columns have the positions from before the session, except for those that are set now.
        let moved = mesh.particles.len() / 2;
        setup.assert_all_agree("positions that are set after a forgotten session", |mut start| {
            let InitialState { plan, particles, sticks } = &mut start;
            let mut session = plan.session(particles, sticks, &step).unwrap();
            session.integrate();
            session.relax(2);
            std::mem::forget(session);
            for particle in 0..moved {
                particles.set_position(particle, [particle as f32 * 0.1, 0.5, 0.0]).unwrap();
            }
            start.steps(&step, 1)
        });
    }
}

#[test]
fn a_particle_that_does_not_exist_is_named_in_the_panic() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Halley };
        setup.assert_all_agree("a panic", |mut start| {
            let len = start.particles.len();
            let mut session =
                start.plan.session(&mut start.particles, &start.sticks, &step).unwrap();
            session.relax(1);
            let read = catch_unwind(AssertUnwindSafe(|| session.position(len))).map(drop);
            let write = catch_unwind(AssertUnwindSafe(|| session.set_position(len, [0.0; 3])));
            for panicked in [read, write] {
                let payload = panicked.unwrap_err();
                let message = payload.downcast_ref::<String>().unwrap();
                assert_eq!(*message, format!("there is no particle {len}"));
            }
            let _ = session.finish();
            Outcome { particles: start.particles, notes: Vec::new() }
        });
    }
}
