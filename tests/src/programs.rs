//! Random programs: a scene with contacts and ties, and changes of it while it runs. The conformance
//! tests make them with `proptest`, the fuzz targets with `arbitrary`.
//!
//! Their values are small integers, so that every program is valid and either source can make it.

use std::sync::Arc;

use taut::world::{
    Attachment, Axes, Cloth, HalfSpace, HexSheet, LimbContacts, Model, Outcome, Place, Ragdoll,
    Rope, Scene, SelfCollision, Sleep, Solid, StickSet, Tie, World,
};
use taut::{AnyKernel, Executor, Formula, Kind, Schedule};

/// A scene and changes of it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Program {
    /// The models.
    pub parts: Vec<Part>,
    /// Ties between them.
    pub ties: Vec<RandomTie>,
    /// Whether models at rest fall asleep.
    pub sleeps: bool,
    /// What happens, in sequence.
    pub changes: Vec<Change>,
}

/// A point or a direction: each coordinate is this many 128ths of a length that depends on its use.
pub type Point = [i8; 3];

/// A model: a builder, where it is, and its self-collision.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Part {
    /// The builder; counts from 0 again after the last.
    pub builder: u8,
    /// Its number of columns or rings, from 2 to 26, and of rows, from 3 to 9.
    pub size: u8,
    /// Its place, 128ths of 0.2 m.
    pub at: Point,
    /// Its velocity, 128ths of 3 m/s.
    pub velocity: Point,
    /// Whether it has self-collision.
    pub collides: bool,
    /// Its thickness, mm above 10, or the default.
    pub thickness: Option<u8>,
    /// With what it collides.
    pub mask: u8,
    /// Whether its sticks tear.
    pub tears: bool,
    /// Whether its first group is pinned.
    pub is_pinned: bool,
}

/// Two particles that are tied, of two parts. Numbers count from 0 again after the last.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct RandomTie {
    /// The parts.
    pub parts: [u8; 2],
    /// The particle of each.
    pub particles: [u16; 2],
    /// Whether it is [two-sided, a maximum or a minimum](Kind).
    pub kind: u8,
    /// N, if it can break.
    pub breaking_force: Option<u8>,
}

/// A change of the world. Numbers of particles, sticks and ties count from 0 again after the last.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Change {
    /// A step.
    Step,
    /// Pins a particle.
    Pin(u16),
    /// Frees a pinned particle.
    Unpin(u16),
    /// Grabs a particle, and drags it to a point, 128ths of 0.4 m.
    Drag(u16, Point),
    /// Releases a grabbed particle.
    Release(u16),
    /// Sets an inverse mass, quarters of 1/kg.
    SetInverseMass(u16, u8),
    /// Sets a velocity, 128ths of 3 m/s.
    SetVelocity(u16, Point),
    /// Tears a stick.
    Tear(u16),
    /// Cuts with a segment that moves, 128ths of 0.4 m.
    Cut([[Point; 2]; 2]),
    /// Breaks a tie.
    BreakTie(u16),
    /// Sets the repetitions of a step: substeps, iterations and passes.
    Repeat([u8; 3]),
    /// Removes torn sticks from the schedules.
    Reorder,
    /// Changes the formula.
    SetFormula(u8),
    /// Resumes from a snapshot, if the run does so.
    Resume,
}

/// A number below `count`, which must not be 0.
fn nth(number: u16, count: usize) -> usize {
    usize::from(number) % count
}

fn scaled(point: Point, by: f32) -> [f32; 3] {
    point.map(|x| f32::from(x) / 128.0 * by)
}

impl Part {
    /// The number of builders.
    pub const BUILDERS: u8 = 7;
    /// The number of builders of cloth and ropes; then come a ragdoll and a rigid body.
    pub const BUILDERS_OF_CLOTH: u8 = 5;
    const RIGID_BOX: u8 = 6;

    fn nth_builder(&self) -> u8 {
        self.builder % Self::BUILDERS
    }

    fn model(&self) -> Model {
        let axes = Axes::HORIZONTAL;
        let columns = 2 + usize::from(self.size % 25);
        let rows = 3 + usize::from(self.size / 25 % 7);
        let size = Cloth { columns, rows, width: 0.4, height: 0.3, ..Cloth::default() };
        let (built, group) = match self.nth_builder() {
            0 => (Model::cloth(&Cloth { axes, ..size }), "left"),
            1 => (Model::cloth(&size), "top"),
            2 => {
                let sheet = HexSheet { columns, rows, axes, ..HexSheet::default() };
                (Model::hex_sheet(&sheet), "right")
            }
            3 => (Model::rope(&[[-0.3, 0.0, 0.0], [0.3, 0.02, 0.0]], &Rope::default()), "ends"),
            4 => (Model::disc(2 + columns / 6, StickSet::All), "none"),
            5 => (Model::<3>::ragdoll(&Ragdoll { height: 0.5, ..Ragdoll::default() }), "head"),
            _ => (Model::rigid_box([0.1, 0.15, 0.2], 200.0), "body"),
        };
        let mut model = built.expect("the sizes are valid");
        if self.tears {
            model = model.tearing_at(1.4);
        }
        if self.is_pinned && model.groups.contains_key(group) {
            model = model.pinned(group);
        }
        if self.collides {
            let settings = SelfCollision {
                thickness: self.thickness.map(|it| 0.01 + 0.001 * f32::from(it % 110)),
                mask: u32::from(self.mask % 4),
                ..SelfCollision::default()
            };
            model = model.self_colliding(settings).expect("the thickness is valid");
        }
        model.moved(scaled(self.at, 0.2)).moving_at(scaled(self.velocity, 3.0), 1.0 / 240.0)
    }
}

impl Program {
    /// Whether a step must leave all positions finite: not with rigid bodies, which lose their shape if
    /// their sticks tear or are not relaxed, and can then throw themselves and cloth without limit.
    pub fn must_stay_finite(&self) -> bool {
        self.parts.iter().all(|part| part.nth_builder() < Part::RIGID_BOX)
    }

    /// The scene: the parts, the ties that are valid, a sloping floor, and contacts of limbs.
    ///
    /// # Panics
    /// Never, because all parts are valid.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::new();
        let mut counts = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let model = part.model();
            counts.push(model.particles.len());
            scene.add(format!("part {number}"), model).expect("the names are unique");
        }
        for tie in self.ties.iter().filter(|_| !counts.is_empty()) {
            let ends = [0, 1].map(|end| {
                let part = usize::from(tie.parts[end]) % counts.len();
                let particle = nth(tie.particles[end], counts[part]) as u32;
                Attachment::new(format!("part {part}"), Place::Particle(particle))
            });
            let kind = [Kind::TwoSided, Kind::Maximum, Kind::Minimum][usize::from(tie.kind % 3)];
            let breaking_force = tie.breaking_force.map(|it| 1.0 + f32::from(it));
            // Ties of a model to itself, and second ones, are rejected.
            let _ =
                scene.attach(&Tie { kind, breaking_force, distance: 0.1, ..Tie::between(ends) });
        }
        let floor = HalfSpace::new([0.0, -0.3, 0.0], [0.0, 1.0, 0.1]).expect("a unit normal");
        scene.obstacles.push(Arc::new(Solid::new(floor)));
        scene.obstacles.push(Arc::new(LimbContacts::default()));
        scene.sleep = self.sleeps.then_some(Sleep { speed: 0.5, time: 0.02 });
        scene.settings.step.substeps = 4;
        scene
    }

    /// The outcome and the hash after each step.
    ///
    /// # Panics
    /// If a call returns an error that the program does not expect.
    pub fn run(
        &self,
        scene: &Scene,
        executor: &dyn Executor,
        resumes: bool,
        mut kernel_for: impl FnMut(&Schedule) -> AnyKernel,
    ) -> Vec<(Outcome, u64)> {
        let mut world = World::new(scene, &mut kernel_for).expect("the scene is valid");
        let mut results = Vec::new();
        if scene.particles() == 0 {
            return results;
        }
        for change in &self.changes {
            match *change {
                Change::Step => {
                    let outcome = world.step_on(executor).expect("the settings are valid");
                    results.push((outcome, world.hash()));
                }
                Change::Resume if resumes => {
                    let snapshot = world.snapshot();
                    match World::resume(scene, &mut kernel_for, &snapshot) {
                        Ok(resumed) => world = resumed,
                        Err(error) => assert!(!is_valid(&world), "no resumption: {error}"),
                    }
                }
                Change::Resume => {}
                ref change => change.apply(&mut world, &mut kernel_for),
            }
        }
        results
    }
}

/// Whether all positions are within the range of snapshots.
fn is_valid(world: &World) -> bool {
    world.positions().flatten().all(|x| x.abs() < 1e11)
}

impl Change {
    /// Applies a change other than a step. Calls that the state of the world forbids return an error
    /// and change nothing; the result is then that of all kernels.
    fn apply(&self, world: &mut World, kernel_for: &mut dyn FnMut(&Schedule) -> AnyKernel) {
        let particle = |number: u16| nth(number, world.len());
        match *self {
            Self::Step | Self::Resume => {}
            Self::Pin(number) => world.pin(particle(number)).expect("the particle exists"),
            // A particle without a mass cannot be freed.
            Self::Unpin(number) => drop(world.unpin(particle(number))),
            Self::Drag(number, to) => {
                let particle = particle(number);
                world.grab(particle).expect("the particle exists");
                world.drag(particle, scaled(to, 0.4)).expect("the particle is grabbed");
            }
            Self::Release(number) => world.release(particle(number)).expect("the particle exists"),
            Self::SetInverseMass(number, quarters) => {
                let particle = particle(number);
                world.set_inverse_mass(particle, 0.25 * f32::from(quarters)).expect("it is valid");
            }
            // A particle may be too far away.
            Self::SetVelocity(number, velocity) => {
                drop(world.set_velocity(particle(number), scaled(velocity, 3.0)));
            }
            Self::Tear(number) => {
                let sticks: usize = world.islands().iter().map(|it| it.model.sticks.len()).sum();
                let _ = world.tear(nth(number, sticks.max(1)));
            }
            Self::Cut([from, to]) => {
                let segment = |points: [Point; 2]| points.map(|point| scaled(point, 0.4));
                world.cut_swept(segment(from), segment(to));
            }
            Self::BreakTie(number) => {
                let count = world.ties().len();
                if count > 0 {
                    world.break_tie(nth(number, count)).expect("the tie exists");
                }
            }
            Self::Repeat([substeps, iterations, passes]) => {
                let mut settings = *world.settings();
                settings.step.substeps = 1 + u32::from(substeps % 4);
                settings.step.iterations = u32::from(iterations % 4);
                settings.passes = 1 + u32::from(passes % 2);
                world.set_settings(settings).expect("the settings are valid");
            }
            Self::Reorder => drop(world.reorder(kernel_for).expect("the schedules are valid")),
            Self::SetFormula(number) => {
                let formula = Formula::ALL[usize::from(number) % Formula::ALL.len()];
                world.replan(formula, kernel_for).expect("the schedules are valid");
            }
        }
    }
}
