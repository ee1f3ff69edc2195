//! Models, forces, obstacles and worlds, against what is known.

#[cfg(feature = "parry")]
mod meshes;
mod obstacles;
mod worlds;
