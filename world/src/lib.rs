//! What sticks are built into. So far: scenes, the same for tests, benches and tools.
//!
//! A [`Scene`] is particles and sticks that hang from pinned particles, made the same way, to
//! the bit, on every machine: coordinates are computed in `f64` with the crate `libm` and
//! rounded once, and chance comes from a seeded generator (`ChaCha8Rng`). It knows no kernel and no
//! file. An [`Arrangement`] lays a scene out before a kernel gets it.
#![forbid(unsafe_code)]

mod arrangement;
mod scene;
mod shapes;

pub use arrangement::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use scene::{PINNED_SHARE, Scene, SceneError, StickSet, UnknownStickSet};
