//! Sequences of calls of the C interface, with valid pointers and lengths, or with pointers and lengths
//! that must be rejected. No call panics; the status and the message of a call agree; a call that fails
//! writes nothing, and changes nothing except by the steps before one that fails; a step says whether all positions are finite; a world that is restored
//! repeats its bits.
#![no_main]

#[path = "c_calls/create.rs"]
mod create;
#[path = "c_calls/faults.rs"]
mod faults;
#[path = "c_calls/read.rs"]
mod read;
#[path = "c_calls/state.rs"]
mod state;

use std::ptr;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use taut_c::{
    Settings, Status, TAUT_ABI_VERSION, World, taut_abi_version, taut_world_cut, taut_world_drag,
    taut_world_free, taut_world_grab, taut_world_pin, taut_world_release,
    taut_world_set_inverse_mass, taut_world_set_kernels, taut_world_set_position,
    taut_world_set_settings, taut_world_set_tear_factor, taut_world_set_velocity,
    taut_world_set_wind, taut_world_tear, taut_world_unpin,
};
use taut_fuzz::numbers::{Index, Number};

use create::{Creation, KernelInput};
use faults::{Effect, Fault, Messages, Observed, Owned, no_info, point};
use read::Read;
use state::{Restoration, Saved};

/// The largest number of calls that run, so that an input takes some milliseconds.
const CALLS_MAX: usize = 24;
/// The largest number of particles of a world, for the same reason.
const PARTICLES_MAX: usize = 300;

#[derive(Arbitrary, Debug)]
struct Input {
    /// Creates the first world.
    first: Creation,
    calls: Vec<Call>,
}

/// A call on one of two worlds.
#[derive(Arbitrary, Debug)]
struct Call {
    is_second: bool,
    fault: Fault,
    action: Action,
}

type Point3 = [Number; 3];

#[derive(Arbitrary, Debug)]
enum Action {
    Create(Box<Creation>),
    Free,
    Step(u8),
    Read(Read),
    Change(Change),
    Snapshot,
    Restore(Restoration),
    /// Runs the same steps twice from the same snapshot: the results must be equal.
    Repeat,
}

#[derive(Arbitrary, Debug)]
enum Change {
    SetPosition(Index, Point3),
    SetVelocity(Index, Point3),
    SetInverseMass(Index, Number),
    Pin(Index),
    Unpin(Index),
    Grab(Index),
    /// Grabs a particle, and drags it if that succeeded.
    Pull(Index, Point3),
    Drag(Index, Point3),
    Release(Index),
    Tear(Index),
    SetTearFactor(Number),
    Cut([Point3; 4]),
    SetSettings(SettingsInput),
    SetKernels(Option<KernelInput>),
    SetWind(Point3),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct SettingsInput {
    dt: Option<Number>,
    substeps: u16,
    passes: u16,
    iterations: u32,
    gravity: Point3,
    damping_rate: Number,
}

impl SettingsInput {
    fn settings(self) -> Settings {
        let Self { dt, substeps, passes, iterations, gravity, damping_rate } = self;
        Settings {
            dt: dt.map_or(1.0 / 60.0, Number::value),
            substeps: substeps.into(),
            passes: passes.into(),
            iterations,
            gravity: gravity.map(Number::value),
            damping_rate: damping_rate.value(),
        }
    }
}

/// A world as a C program holds it: a pointer, which may be NULL.
struct Handle {
    world: Owned,
    /// The number of the world, which no other world has: worlds are counted from 1. 0 for NULL.
    number: usize,
}

/// Runs the calls of an input.
struct Runner {
    /// The two worlds that calls use.
    handles: [Handle; 2],
    /// The first four snapshots, of any of the worlds.
    saved: Vec<Saved>,
    messages: Messages,
    /// How many worlds have been given a number.
    created: usize,
}

/// Converts an arbitrary point to one of the C interface.
fn c_point(point3: Point3) -> taut_c::Point {
    point(point3.map(Number::value))
}

impl Handle {
    fn null() -> Self {
        Self { world: Owned::new(ptr::null_mut()), number: 0 }
    }

    fn observe(&self) -> Observed {
        if self.world.is_null() {
            return Observed { hash: 0, info: no_info() };
        }
        self.world.observe()
    }

    /// Makes a call on the world, or on NULL if the fault says so, and checks its status and effect.
    fn call(
        &self,
        messages: &mut Messages,
        fault: Fault,
        effect: Effect,
        call: impl FnOnce(*mut World) -> Status,
    ) -> Status {
        let before = self.observe();
        let world = self.world.pointer(fault);
        let status = messages.check(call(world));
        if world.is_null() {
            assert_eq!(status, Status::NullPointer, "a call without a world");
        }
        let may_change = effect == Effect::Steps && !world.is_null()
            || effect == Effect::Changes && status == Status::Ok;
        if !may_change {
            assert_eq!(self.observe(), before, "{status:?}: the world has changed");
        }
        status
    }
}

impl Runner {
    fn create(&mut self, nth: usize, creation: &Creation) {
        let Some(world) = creation.run(&mut self.messages) else { return };
        if world.observe().info.particles <= PARTICLES_MAX {
            self.created += 1;
            self.handles[nth] = Handle { world, number: self.created };
        }
    }

    fn run(&mut self, call: &Call) {
        let nth = usize::from(call.is_second);
        let fault = call.fault;
        match &call.action {
            Action::Create(creation) => self.create(nth, creation),
            Action::Free => self.handles[nth] = Handle::null(),
            Action::Step(steps) => self.handles[nth].step(&mut self.messages, fault, steps % 4),
            Action::Read(read) => read.run(&self.handles[nth], &mut self.messages, fault),
            Action::Change(change) => change.run(&self.handles[nth], &mut self.messages, fault),
            Action::Snapshot => {
                let saved = self.handles[nth].snapshot(&mut self.messages, fault);
                self.saved.extend(saved.filter(|_| self.saved.len() < 4));
            }
            Action::Restore(restoration) => {
                restoration.run(&self.handles[nth], &self.saved, &mut self.messages, fault);
            }
            Action::Repeat => self.handles[nth].repeat(&mut self.messages),
        }
    }
}

impl Change {
    fn run(&self, handle: &Handle, messages: &mut Messages, fault: Fault) {
        let info = handle.observe().info;
        let particle = |index: &Index| index.of(info.particles);
        let mut torn = usize::MAX;
        let mut settings_are_null = false;
        let call = |world| {
            // SAFETY: the world is NULL or valid, and so are the outputs and what is read.
            unsafe {
                match self {
                    Self::SetPosition(index, to) => {
                        taut_world_set_position(world, particle(index), c_point(*to))
                    }
                    Self::SetVelocity(index, to) => {
                        taut_world_set_velocity(world, particle(index), c_point(*to))
                    }
                    Self::SetInverseMass(index, to) => {
                        taut_world_set_inverse_mass(world, particle(index), to.value())
                    }
                    Self::Pin(index) => taut_world_pin(world, particle(index)),
                    Self::Unpin(index) => taut_world_unpin(world, particle(index)),
                    Self::Grab(index) => taut_world_grab(world, particle(index)),
                    Self::Pull(index, to) => match taut_world_grab(world, particle(index)) {
                        Status::Ok => taut_world_drag(world, particle(index), c_point(*to)),
                        status => status,
                    },
                    Self::Drag(index, to) => taut_world_drag(world, particle(index), c_point(*to)),
                    Self::Release(index) => taut_world_release(world, particle(index)),
                    Self::Tear(index) => taut_world_tear(world, index.of(info.sticks)),
                    Self::SetTearFactor(to) => taut_world_set_tear_factor(world, to.value()),
                    Self::Cut(blade) => {
                        let [a0, b0, a1, b1] = blade.map(c_point);
                        taut_world_cut(world, a0, b0, a1, b1, fault.output(&mut torn))
                    }
                    Self::SetSettings(to) => {
                        let settings = to.settings();
                        settings_are_null = fault == Fault::NullArray;
                        let from =
                            if settings_are_null { ptr::null() } else { &raw const settings };
                        taut_world_set_settings(world, from)
                    }
                    Self::SetKernels(to) => {
                        let kernels = to.map(KernelInput::kernels);
                        let kernels = kernels.as_ref().map_or(ptr::null(), ptr::from_ref);
                        taut_world_set_kernels(world, kernels)
                    }
                    Self::SetWind(to) => {
                        let [x, y, z] = to.map(Number::value);
                        taut_world_set_wind(world, x, y, z)
                    }
                }
            }
        };
        // The effect of these three is seen in later steps only: it is checked that the hash and the info stay the same.
        let effect = match self {
            Self::SetKernels(_) | Self::SetWind(_) | Self::SetTearFactor(_) => Effect::Reads,
            _ => Effect::Changes,
        };
        let status = handle.call(messages, fault, effect, call);
        if handle.world.pointer(fault).is_null() {
            return;
        }
        match self {
            Self::Cut(_) => {
                assert_eq!(status, Status::Ok, "any blade is valid");
                assert!(fault == Fault::NullOutput || torn <= info.sticks, "{torn} torn sticks");
                let lines = handle.observe().info.lines;
                // Each torn stick hides at most one line.
                assert!(fault == Fault::NullOutput || torn >= info.lines - lines);
            }
            Self::SetWind(_) => assert!(status == Status::Ok || status == Status::InvalidValue),
            Self::SetSettings(_) => assert_eq!(settings_are_null, status == Status::NullPointer),
            _ => assert_ne!(status, Status::NullPointer),
        }
    }
}

fuzz_target!(|input: Input| {
    assert_eq!(taut_abi_version(), TAUT_ABI_VERSION);
    create::check_default_cloth();
    // SAFETY: NULL is ignored.
    unsafe { taut_world_free(ptr::null_mut()) };
    let mut runner = Runner {
        handles: [Handle::null(), Handle::null()],
        saved: Vec::new(),
        messages: Messages::new(),
        created: 0,
    };
    runner.create(0, &input.first);
    input.calls.iter().take(CALLS_MAX).for_each(|call| runner.run(call));
});
