//! Models, forces, obstacles and worlds, against what is known.

mod obstacles;
mod worlds;
