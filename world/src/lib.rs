//! Models made of sticks (cloth, ropes, plants, bodies), forces and obstacles, scenes that combine
//! them, and worlds that simulate scenes.
//!
//! - A [`Model`] consists of particles and sticks, faces and named groups. Builders make models.
//! - A [`Scene`] consists of named models, ties ([`Tie`]), forces ([`Force`]), obstacles
//!   ([`Obstacle`]) and [`Settings`].
//! - A [`World`] simulates a scene, each island on a kernel that suits it.
//! - An [`Arrangement`] names a numbering of particles and an order of sticks.
//!
//! Results have the same bits on every machine: builders compute the initial coordinates in `f64`
//! with the crate `libm` and round them once, motion uses only operations that are rounded the same
//! everywhere, and random numbers come from a seeded generator (`ChaCha8Rng`). This crate depends on
//! no kernel and reads no files.
#![forbid(unsafe_code)]

mod body;
mod by_layout;
mod disjoint_sets;
mod drawing;
mod emitter;
mod error;
mod force;
mod forces;
mod grouping;
mod linear;
mod matter;
mod model;
mod motion;
mod obstacle;
mod path;
mod pose;
mod scene;
mod self_collision;
mod settings;
mod simd;
mod sleep;
mod springs;
mod surface;
mod sweep;
mod tether;
mod tie;
mod tiles;
mod vector;
mod world;

pub use body::{Bodies, Body, Limb, Limbs, MassProperties, Twist, WeightedPoint};
pub use drawing::{FigureShape, ModelKind, ObstacleFigure, REMOVED, normals, resize_vector};
pub use emitter::{EmittedParticle, Emitter, EmitterSettings, Source};
pub use error::{BodyError, ModelError};
pub use force::{
    Acceleration, Attractor, Drag, Field, Force, Gusts, Law, ParticleState, Region, Sampling, Wind,
    WindLaw,
};
pub use forces::Forces;
pub use matter::{ContactScratch, Islands, Matter};
pub use model::{
    Arranged, Arrangement, ArrangementError, Axes, Bridge, Cloth, Diagonals, Faces, Guide,
    HexSheet, JointLimit, Model, Numbering, Order, PINNED_FRACTION, Plant, Ragdoll, Rope, StickSet,
    Tethers, UnknownStickSet,
};
pub use motion::{Integrator, Oscillator, free_fall};
pub use obstacle::{
    AnalyticCollisionPass, Bounds, Capsule, Cuboid, HalfSpace, LimbContacts, Obstacle, Shape, Side,
    Solid, Sphere,
};
#[cfg(feature = "parry")]
pub use obstacle::{BodyContacts, Facing, TriMesh};
pub use path::{Path, Pose, Spin};
pub use pose::BodyPose;
pub use scene::{Scene, SceneError};
pub use self_collision::SelfCollision;
pub use settings::{Settings, StepTime};
#[cfg(all(
    feature = "test-isas",
    not(all(target_arch = "wasm32", target_feature = "simd128"))
))]
#[doc(hidden)]
pub use simd::on_each_isa;
pub use sleep::Sleep;
pub use springs::{Spring, SpringError, Springs};
pub use surface::{Nearest, Surface};
pub use tie::{Place, Tie, TieEnd, TieError, TieProblem, WhichEnd};
pub use world::{
    Clock, Contacts, Diagnostics, Drawing, DrawnBody, DrawnModel, Frame, Island, Outcome, Removed,
    Simulation, Snapshot, SnapshotError, StepPart, TieState, Warning, World, WorldError,
};
