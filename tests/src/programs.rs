//! Random programs. Here a program is a scene with contacts and ties, and a sequence of steps and
//! changes; it has nothing to do with the programs of kernels. The conformance tests make random
//! programs with `proptest`, the fuzz targets with `arbitrary`.
//!
//! All values are small integers, so that every program is valid and both crates can make it.

use std::sync::Arc;

use taut::world::{
    Axes, Cloth, HalfSpace, HexSheet, LimbContacts, Model, Outcome, Place, Ragdoll, Rope, Scene,
    SelfCollision, Sleep, Solid, StickSet, Tie, TieEnd, World,
};
use taut::{AnyKernel, Executor, Formula, Kind, Schedule};

/// A scene and changes of it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Program {
    /// The models.
    pub models: Vec<RandomModel>,
    /// Ties between them.
    pub ties: Vec<RandomTie>,
    /// Whether models at rest fall asleep.
    pub sleeps: bool,
    /// The steps and changes, in sequence.
    pub changes: Vec<Change>,
}

/// A point or a direction: each coordinate is this many 128ths of a length that depends on its use.
pub type Point = [i8; 3];

/// A model: a builder, where it is, and its self-collision.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct RandomModel {
    /// The index of the builder, modulo [`BUILDERS`](Self::BUILDERS).
    pub builder: u8,
    /// Encodes the number of columns, `2 + size % 25`, and of rows, `3 + size / 25 % 7`. A disc has
    /// the size `2 + columns / 6`; ropes, ragdolls and rigid bodies always have the same size.
    pub size: u8,
    /// Its position, 128ths of 0.2 m.
    pub at: Point,
    /// Its velocity, 128ths of 3 m/s.
    pub velocity: Point,
    /// Whether it has self-collision.
    pub collides: bool,
    /// Encodes its thickness, `10 + thickness % 110` mm; `None`: the default.
    pub thickness: Option<u8>,
    /// Its collision mask, modulo 4.
    pub mask: u8,
    /// Whether its sticks tear.
    pub tears: bool,
    /// Whether a group of it is pinned: the group that `build` names beside its builder.
    pub is_pinned: bool,
}

/// A tie between two models. Indices are modulo the number of what they count.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct RandomTie {
    /// The models.
    pub models: [u8; 2],
    /// The kind of place on each: a particle, a stick, a limb, a face or a body; a particle if the
    /// model has none of that kind.
    pub places: [u8; 2],
    /// The index of the particle, stick, limb, face or body.
    pub indices: [u16; 2],
    /// The index of its [kind](Kind), modulo 3: two-sided, maximum, minimum.
    pub kind: u8,
    /// Its distance, 50ths of a metre, modulo 8.
    pub distance: u8,
    /// Its compliance, thousandths of 1 m/N, modulo 3.
    pub compliance: u8,
    /// Encodes its breaking force, `1 + breaking_force` N; `None`: it cannot break.
    pub breaking_force: Option<u8>,
}

/// A step or a change of the world. Indices of particles, sticks and ties are modulo their number.
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
    /// Sets the numbers of substeps, iterations and passes.
    SetStepCounts([u8; 3]),
    /// Makes the schedules again without torn sticks: `World::reorder`.
    Reorder,
    /// Sets the formula, by its index modulo the number of formulas.
    SetFormula(u8),
    /// Resumes from a snapshot, if the run does so (see [`Program::run`]).
    Resume,
}

/// The index modulo `count`, which must not be 0.
fn wrapped(index: u16, count: usize) -> usize {
    usize::from(index) % count
}

/// The vector that `point` encodes, in the unit of `scale`.
fn scaled(point: Point, scale: f32) -> [f32; 3] {
    point.map(|x| f32::from(x) / 128.0 * scale)
}

impl RandomModel {
    /// The number of builders.
    pub const BUILDERS: u8 = 7;
    /// The number of builders of cloth and ropes, which have the lowest indices. The builders of a
    /// ragdoll and of a rigid body have the next two.
    pub const BUILDERS_OF_CLOTH: u8 = 5;
    /// The index of the builder of a rigid body.
    const RIGID_BOX: u8 = 6;

    fn builder_index(&self) -> u8 {
        self.builder % Self::BUILDERS
    }

    fn build(&self) -> Model {
        let axes = Axes::HORIZONTAL;
        let columns = 2 + usize::from(self.size % 25);
        let rows = 3 + usize::from(self.size / 25 % 7);
        let cloth = Cloth { columns, rows, width: 0.4, height: 0.3, ..Cloth::default() };
        let (built, group) = match self.builder_index() {
            0 => (Model::cloth(&Cloth { axes, ..cloth }), "left"),
            1 => (Model::cloth(&cloth), "top"),
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
                thickness: self.thickness.map(|mm| 0.01 + 0.001 * f32::from(mm % 110)),
                mask: u32::from(self.mask % 4),
                ..SelfCollision::default()
            };
            model = model.self_colliding(settings).expect("the thickness is valid");
        }
        // The scene has four substeps per step of 1/60 s.
        model.moved(scaled(self.at, 0.2)).moving_at(scaled(self.velocity, 3.0), 1.0 / 240.0)
    }
}

impl RandomTie {
    /// The place of one end, on a model with these numbers of particles, sticks, limbs, faces and bodies.
    fn place(&self, end: usize, counts: [usize; 5]) -> Place {
        let kind = usize::from(self.places[end] % 5);
        let index = |kind: usize| wrapped(self.indices[end], counts[kind]) as u32;
        match kind {
            1 if counts[1] > 0 => Place::Stick { stick: index(1), fraction: 0.25 },
            2 if counts[2] > 0 => Place::Limb { limb: index(2), fraction: 0.5 },
            3 if counts[3] > 0 => Place::Face { face: index(3), weights: [0.25, 0.5] },
            4 if counts[4] > 0 => Place::Body { body: index(4), point: Some([0.0, 0.05, 0.1]) },
            _ => Place::Particle(index(0)),
        }
    }
}

impl Program {
    /// Whether a step must leave all positions finite. False with rigid bodies: they lose their
    /// shape if their sticks tear or are not relaxed, and their speed can then grow without limit.
    pub fn must_stay_finite(&self) -> bool {
        self.models.iter().all(|model| model.builder_index() < RandomModel::RIGID_BOX)
    }

    /// The scene: the models, the ties that are valid, a sloping floor, and contacts of limbs.
    ///
    /// # Panics
    /// Never, because all models are valid.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::new();
        let mut counts: Vec<[usize; 5]> = Vec::new();
        for (index, model) in self.models.iter().enumerate() {
            let model = model.build();
            counts.push([
                model.particles.len(),
                model.sticks.len(),
                model.limbs.all().len(),
                model.faces.len(),
                model.bodies.all().len(),
            ]);
            scene.add(format!("model {index}"), model).expect("the names are unique");
        }
        for tie in self.ties.iter().filter(|_| !counts.is_empty()) {
            let ends = [0, 1].map(|end| {
                let model = usize::from(tie.models[end]) % counts.len();
                TieEnd::new(format!("model {model}"), tie.place(end, counts[model]))
            });
            let kind = [Kind::TwoSided, Kind::Maximum, Kind::Minimum][usize::from(tie.kind % 3)];
            let breaking_force = tie.breaking_force.map(|force| 1.0 + f32::from(force));
            let distance = 0.02 * f32::from(tie.distance % 8);
            let compliance = 0.001 * f32::from(tie.compliance % 3);
            // Ties of a place to itself, and second ties of two places, are rejected.
            let _ = scene.attach(&Tie { ends, distance, kind, compliance, breaking_force });
        }
        let floor = HalfSpace::new([0.0, -0.3, 0.0], [0.0, 1.0, 0.1]).expect("a unit normal");
        scene.obstacles.push(Arc::new(Solid::new(floor)));
        scene.obstacles.push(Arc::new(LimbContacts::default()));
        scene.sleep = self.sleeps.then_some(Sleep { speed: 0.5, time: 0.02 });
        scene.settings.step.substeps = 4;
        scene
    }

    /// The outcome and the hash after each step. [`Change::Resume`] has an effect only if `resumes`.
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
                        Err(error) => assert!(!can_resume(&world), "cannot resume: {error}"),
                    }
                }
                Change::Resume => {}
                ref change => change.apply(&mut world, &mut kernel_for),
            }
        }
        results
    }
}

/// Whether all positions are in the range that snapshots allow, up to a tenth of
/// [`COORDINATE_MAX`](taut::COORDINATE_MAX) as a margin.
fn can_resume(world: &World) -> bool {
    world.positions().flatten().all(|x| x.abs() < 1e11)
}

impl Change {
    /// Applies a change other than a step or a resumption. Calls that the state of the world does
    /// not allow return an error and change nothing, on every kernel.
    fn apply(&self, world: &mut World, kernel_for: &mut dyn FnMut(&Schedule) -> AnyKernel) {
        let particle = |index: u16| wrapped(index, world.len());
        match *self {
            Self::Step | Self::Resume => {}
            Self::Pin(index) => world.pin(particle(index)).expect("the particle exists"),
            // An error if the particle was pinned from the beginning.
            Self::Unpin(index) => drop(world.unpin(particle(index))),
            Self::Drag(index, to) => {
                let particle = particle(index);
                world.grab(particle).expect("the particle exists");
                world.drag(particle, scaled(to, 0.4)).expect("the particle is grabbed");
            }
            Self::Release(index) => world.release(particle(index)).expect("the particle exists"),
            Self::SetInverseMass(index, quarters) => {
                let particle = particle(index);
                world.set_inverse_mass(particle, 0.25 * f32::from(quarters)).expect("it is valid");
            }
            // An error if the particle is too far from the origin.
            Self::SetVelocity(index, velocity) => {
                drop(world.set_velocity(particle(index), scaled(velocity, 3.0)));
            }
            Self::Tear(index) => {
                let sticks: usize =
                    world.islands().iter().map(|island| island.model.sticks.len()).sum();
                let _ = world.tear(wrapped(index, sticks.max(1)));
            }
            Self::Cut([from, to]) => {
                let segment = |points: [Point; 2]| points.map(|point| scaled(point, 0.4));
                world.cut_swept(segment(from), segment(to));
            }
            Self::BreakTie(index) => {
                let count = world.ties().len();
                if count > 0 {
                    world.break_tie(wrapped(index, count)).expect("the tie exists");
                }
            }
            Self::SetStepCounts([substeps, iterations, passes]) => {
                let mut settings = *world.settings();
                settings.step.substeps = 1 + u32::from(substeps % 4);
                settings.step.iterations = u32::from(iterations % 4);
                settings.passes = 1 + u32::from(passes % 2);
                world.set_settings(settings).expect("the settings are valid");
            }
            Self::Reorder => drop(world.reorder(kernel_for).expect("the schedules are valid")),
            Self::SetFormula(index) => {
                let formula = Formula::ALL[usize::from(index) % Formula::ALL.len()];
                world.replan(formula, kernel_for).expect("the schedules are valid");
            }
        }
    }
}
