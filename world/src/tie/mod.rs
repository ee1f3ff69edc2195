//! Ties: distance constraints between points of models.

mod bind;
mod error;

use taut_core::Kind;

pub(crate) use bind::{BoundTie, TieList};
pub use error::{TieError, TieProblem, WhichEnd};

/// A distance constraint between points of two models, or of one: the distance of the points is fixed,
/// or has a maximum or minimum. See [`Scene::attach`](crate::Scene::attach).
///
/// A tie between particles acts as a stick between them. A point on a face, stick, limb or body is
/// a weighted mean of its particles, which move by their weights ("c1 to c4" of Jakobsen,
/// "Advanced Character Physics", 2001: [`WeightedPoint`](crate::WeightedPoint)). A tie moves both
/// points along the line between them, in opposite directions, so it conserves momentum.
///
/// Ties have a schedule of their own: in each pass, after the iterations of all sticks and before
/// collisions, all ties are relaxed [`Step::iterations`](taut_core::Step::iterations) times, one by one
/// in the order in which they were attached. So models keep
/// their islands, schedules and kernels. The result does not depend on kernels or threads.
///
/// ```
/// use taut_scalar::ScalarKernel;
/// use taut_world::{TieEnd, Model, Place, Rope, Scene, Tie, World};
///
/// // A bag of 2 kg on a rope.
/// let mut scene = Scene::new();
/// let rope = Model::rope(&[[0.0, 2.0, 0.0], [0.0, 1.0, 0.0]], &Rope::default())?;
/// scene.add("rope", rope.pinned("start"))?;
/// scene.add("bag", Model::rigid_box([0.2, 0.2, 0.1], 500.0)?.moved([0.0, 0.9, 0.0]))?;
/// let handle = Place::Body { body: 0, point: Some([0.0, 0.1, 0.0]) };
/// let ends = [TieEnd::group("rope", "end"), TieEnd::new("bag", handle)];
/// assert_eq!(scene.attach(&Tie::between(ends))?, 0..1);
///
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let tie = world.ties().next().unwrap();
/// assert!((tie.ends[0][1] - tie.ends[1][1]).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tie {
    /// What it ties. If both ends have the same number of points, the first point of one end is tied
    /// to the first point of the other, and so on; if one end has one point, this is tied to all
    /// points of the other. So two groups can be sewn together with one tie.
    pub ends: [TieEnd; 2],
    /// The distance of the points, m: 0, or a rest length of a stick (from 1e-15 to 1e10).
    pub distance: f32,
    /// Whether the distance is fixed, a maximum (as for a rope) or a minimum.
    pub kind: Kind,
    /// The compliance, as of a stick, m/N: 0 (rigid) to 100. With one iteration and one pass per
    /// substep a force F stretches the tie by F times the compliance.
    pub compliance: f32,
    /// The tie breaks at the end of a step in which its mean force was larger than this, N. None:
    /// it never breaks. If this `Tie` makes several ties, as between groups, each breaks on its own.
    pub breaking_force: Option<f32>,
}

impl Tie {
    /// A rigid tie at zero distance, which does not break.
    pub fn between(ends: [TieEnd; 2]) -> Self {
        let (distance, compliance) = (0.0, 0.0);
        Self { ends, distance, kind: Kind::TwoSided, compliance, breaking_force: None }
    }
}

/// A place on a model.
#[derive(Clone, Debug, PartialEq)]
pub struct TieEnd {
    /// The name of the model in the scene.
    pub model: String,
    /// The place on it.
    pub place: Place,
}

impl TieEnd {
    /// A place on a model.
    pub fn new(model: impl Into<String>, place: Place) -> Self {
        Self { model: model.into(), place }
    }

    /// The particles of a group of a model.
    pub fn group(model: impl Into<String>, group: impl Into<String>) -> Self {
        Self::new(model, Place::Group(group.into()))
    }
}

/// One or more points of a model. Numbers are those of the model, from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// A particle.
    Particle(u32),
    /// All particles of a group, in the order of the group.
    Group(String),
    /// A point on the segment between the ends of a stick. (If the stick tears, the point remains
    /// on the segment.)
    Stick {
        /// The stick.
        stick: u32,
        /// The fraction of its length from its first end, 0 to 1.
        fraction: f32,
    },
    /// A point on the axis of a limb.
    Limb {
        /// The limb.
        limb: u32,
        /// The fraction of its length from its first end, 0 to 1.
        fraction: f32,
    },
    /// A point on a face. (If the face is removed, the point remains on the plane of its corners.)
    Face {
        /// The face.
        face: u32,
        /// The weights of its second and third corner, each at least 0; their sum is at most 1. The
        /// weight of the first corner is 1 minus this sum. Weights below 1e-6 become 0.
        weights: [f32; 2],
    },
    /// A point that is fixed to a rigid body.
    Body {
        /// The body.
        body: u32,
        /// The point in body coordinates (the body's axes, from its centre of mass), m. None: each
        /// point of the other end is tied to the point of the body that is at the same position in
        /// the scene, as when cloth is sewn to a body.
        point: Option<[f32; 3]>,
    },
}
