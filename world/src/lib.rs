//! What sticks are built into, and what happens to it: cloth, ropes, plants, bodies; forces and
//! obstacles; scenes of all of these, and worlds in which they move.
//!
//! - A [`Model`] is matter: particles and sticks, faces and named groups. Builders make models.
//! - A [`Scene`] is models by name, forces ([`Force`]), obstacles ([`Obstacle`]) and a step.
//! - A [`World`] is a scene on its way through time, each part of it on a kernel that suits it.
//! - An [`Arrangement`] lays a model out before a kernel gets it, by name.
//!
//! All of it is the same, to the bit, on every machine: coordinates are computed in `f64` with
//! the crate `libm` and rounded once, motion uses only operations that are rounded the same
//! everywhere, and chance comes from a seeded generator (`ChaCha8Rng`). It knows no kernel by name and
//! no file.
#![forbid(unsafe_code)]

mod body;
mod drawing;
mod emitter;
mod force;
mod model;
mod motion;
mod obstacle;
mod scene;
mod simd;
mod springs;
mod sweep;
mod tether;
mod vector;
mod world;

#[cfg(feature = "parry")]
pub use body::BodyContacts;
pub use body::{
    Anchor, Bodies, Body, BodyError, BodyPose, Limb, LimbContacts, Limbs, MassProperties, Twist,
};
pub use drawing::{Figure, Form, GONE, Look, normals};
pub use emitter::{Emission, Emitter, Living, Source};
pub use force::{
    Acceleration, Attractor, Drag, Field, Force, Forces, Gusts, Law, Region, Sampling, Subject,
    Wind, WindLaw,
};
pub use model::{
    Arranged, Arrangement, ArrangementError, Axes, Bridge, Cloth, Diagonals, Faces, Guide,
    HexSheet, JointLimit, Model, ModelError, Numbering, Order, PINNED_SHARE, Plant, Ragdoll, Rope,
    StickSet, UnknownStickSet,
};
pub use motion::{Integrator, Oscillator, fallen};
pub use obstacle::{
    Bounds, Capsule, Cuboid, HalfSpace, Nearest, Obstacle, Path, Pose, Shape, Side, Solid, Sphere,
    Spin, Surface,
};
#[cfg(feature = "parry")]
pub use obstacle::{Facing, TriMesh};
pub use scene::{Scene, SceneError};
pub use springs::{Spring, SpringError, Springs};
pub use tether::Tethers;
pub use world::{
    Clock, Diagnostics, Drawing, DrawnPart, Frame, Matter, Moment, Outcome, Pass, Piece, Removed,
    Settings, Snapshot, SnapshotError, Warning, World, WorldError,
};
