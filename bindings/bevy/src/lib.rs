#![doc = include_str!("../README.md")]
//!
//! # A first cloth
//!
#![doc = include_str!("../../../docs/bevy.md")]

mod bodies;
mod build;
mod cloth;
mod collider;
mod colliders;
mod draw;
mod error;
mod geometry;
#[cfg(feature = "gizmos")]
mod gizmos;
mod motion;
mod pinning;
mod pins;
mod plugin;
mod rope;
#[cfg(feature = "scenes")]
mod scene;
mod settings;
mod step;
mod world;

pub use build::Simulated;
pub use cloth::{Cloth, Sheet};
pub use collider::{ClothCollider, ColliderShape};
pub use error::{TautError, TautFailed, TautFailure};
#[cfg(feature = "gizmos")]
pub use gizmos::{TautGizmos, TautGizmosPlugin};
pub use pins::{PinCandidate, Pins};
pub use plugin::{TautPlugin, TautSystems};
pub use rope::Rope;
#[cfg(feature = "scenes")]
pub use scene::TautScene;
pub use settings::{TautSettings, TautWind};
/// Taut itself, for [`TautWorld::world`].
#[doc(no_inline)]
pub use taut;
pub use world::{Hit, StickTorn, TautWorld};
