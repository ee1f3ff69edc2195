//! Models, forces, obstacles and worlds, against what is known.

mod bodies;
mod body_contacts;
mod obstacles;
mod worlds;
