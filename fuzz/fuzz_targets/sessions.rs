//! Plans: steps and sessions, with changes of particles and sticks between the calls. They run on the
//! scalar kernel and, on the widest registers, on every other kernel that runs the schedule. All must
//! give equal bits.
#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use taut::{AnyKernel, Formula, Kernel, Plan, Real, Schedule, Step};
use taut_fuzz::graph::{Graph, InverseMass, Mesh, StickChange};

#[derive(Arbitrary, Debug)]
struct Input {
    graph: Graph,
    schedule: u8,
    formula: u8,
    substeps: u8,
    iterations: u8,
    gravity: i8,
    calls: Vec<Call>,
}

/// A step, a session, or a change of a particle or stick. Indices are modulo the number of particles or
/// sticks.
#[derive(Arbitrary, Debug)]
enum Call {
    Step,
    SetInverseMass(u8, InverseMass),
    ChangeStick(u16, StickChange),
    /// A stick, and its rest length in 16ths of a metre, minus one: 0 is 1/16 m.
    SetRest(u16, u8),
    /// A particle, and its position in 16ths of a metre; the previous position is set to it, too.
    SetPosition(u8, [i8; 3]),
    /// A particle, and its position in 16ths of a metre; the previous position is kept.
    Displace(u8, [i8; 3]),
    /// The calls in a session, and whether the session is finished (true) or dropped.
    Session(Vec<SessionCall>, bool),
}

#[derive(Arbitrary, Debug)]
enum SessionCall {
    Integrate,
    /// A number of iterations.
    Relax(u8),
    /// The number of substeps, and of iterations in each substep.
    Advance(u8, u8),
    /// Reads the position of a particle.
    Read(u8),
    /// A particle, and its position in 16ths of a metre.
    SetPosition(u8, [i8; 3]),
    SetInverseMass(u8, InverseMass),
}

/// The largest number of calls of an input that run, and of calls in a session.
const CALLS_MAX: usize = 12;

/// Each kernel but `scalar` once, on the widest registers of this machine: `available` lists kernels with
/// the most lanes first.
static WIDEST: LazyLock<Vec<AnyKernel>> = LazyLock::new(|| {
    let mut found: Vec<AnyKernel> = Vec::new();
    for kernel in AnyKernel::available() {
        let name = Kernel::<3>::name(&kernel);
        if name != "scalar" && found.iter().all(|other| Kernel::<3>::name(other) != name) {
            found.push(kernel);
        }
    }
    found
});

/// A point, m, from its coordinates in 16ths of a metre.
fn point(sixteenths: [i8; 3]) -> [f32; 3] {
    sixteenths.map(|x| f32::from(x) / 16.0)
}

/// `index` modulo `count`.
fn wrap(index: impl Into<usize>, count: usize) -> usize {
    index.into() % count
}

impl Input {
    /// Runs the calls on a kernel. Returns the values that were read during the calls, then the bits of
    /// all positions and previous positions at the end.
    fn run(&self, kernel: &AnyKernel, schedule: &Schedule) -> Vec<u64> {
        let Mesh { mut particles, mut sticks, .. } = self.graph.mesh();
        let formula = Formula::ALL[wrap(self.formula, Formula::ALL.len())];
        let plan = kernel.plan(&particles, &sticks, schedule, formula);
        let mut plan = plan.expect("the schedule is that of the sticks");
        let step = Step {
            substeps: 1 + u32::from(self.substeps % 3),
            iterations: u32::from(self.iterations % 4),
            acceleration: [0.0, f32::from(self.gravity), 0.0],
            ..Step::default()
        };
        let mut observed = Vec::new();
        for call in self.calls.iter().take(CALLS_MAX) {
            match call {
                Call::Step => {
                    let status = plan.step(&mut particles, &sticks, &step);
                    let status = status.expect("the step and the sticks are valid");
                    let finite =
                        (0..3).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
                    assert_eq!(
                        status.finite, finite,
                        "the status says wrongly whether all positions are finite"
                    );
                }
                Call::ChangeStick(..) | Call::SetRest(..) if sticks.is_empty() => {}
                Call::ChangeStick(index, change) => {
                    let stick = wrap(*index, sticks.len());
                    change.apply(&mut sticks, stick);
                }
                Call::SetRest(index, rest) => {
                    let stick = wrap(*index, sticks.len());
                    let result = sticks.set_rest(stick, (f32::from(*rest) + 1.0) / 16.0);
                    result.expect("the rest length is valid");
                }
                _ if particles.is_empty() => {}
                Call::SetInverseMass(index, inverse_mass) => {
                    let particle = wrap(*index, particles.len());
                    let result = particles.set_inverse_mass(particle, inverse_mass.value());
                    result.expect("the inverse mass is valid");
                }
                Call::SetPosition(index, at) => {
                    let particle = wrap(*index, particles.len());
                    particles.set_position(particle, point(*at)).expect("the position is valid");
                }
                Call::Displace(index, at) => {
                    let particle = wrap(*index, particles.len());
                    particles.displace(particle, point(*at));
                }
                Call::Session(calls, finishes) => {
                    let session = plan.session(&mut particles, &sticks, &step);
                    let mut session = session.expect("the step and the sticks are valid");
                    for call in calls.iter().take(CALLS_MAX) {
                        let len = session.len();
                        match *call {
                            SessionCall::Integrate => session.integrate(),
                            SessionCall::Relax(count) => session.relax(u32::from(count % 3)),
                            SessionCall::Advance(count, iterations) => {
                                session.advance((count % 3).into(), (iterations % 3).into(), None);
                            }
                            SessionCall::Read(index) => {
                                let at = session.position(wrap(index, len));
                                observed.extend(at.map(Real::canonical_bits));
                            }
                            SessionCall::SetPosition(index, at) => {
                                session.set_position(wrap(index, len), point(at));
                            }
                            SessionCall::SetInverseMass(index, inverse_mass) => {
                                let particles = session.particles_mut();
                                let particle = wrap(index, len);
                                let result =
                                    particles.set_inverse_mass(particle, inverse_mass.value());
                                result.expect("the inverse mass is valid");
                            }
                        }
                    }
                    if *finishes {
                        observed.push(session.finish().finite.into());
                    }
                }
            }
        }
        for axis in 0..3 {
            let columns = [particles.positions(axis), particles.previous(axis)];
            observed.extend(columns.into_iter().flatten().map(|x| x.canonical_bits()));
        }
        observed
    }
}

fuzz_target!(|input: Input| {
    let mesh = input.graph.mesh();
    let schedule = mesh.schedule(input.schedule);
    let expected = input.run(&taut_fuzz::world::scalar(), &schedule);
    for kernel in WIDEST.iter().filter(|kernel| kernel.runs(&schedule)) {
        let found = input.run(kernel, &schedule);
        assert!(found == expected, "{} gives different bits", Kernel::<3>::name(kernel));
    }
});
