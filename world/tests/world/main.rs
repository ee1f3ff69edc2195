//! Models, forces, obstacles and worlds, against what is known.

mod bodies;
#[cfg(feature = "parry")]
mod body_contacts;
mod worlds;
