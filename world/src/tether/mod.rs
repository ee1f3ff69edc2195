//! Tethers (long-range attachments: Kim, Chentanez, Müller-Fischer, "Long Range Attachments: A
//! Method to Simulate Inextensible Clothing in Computer Games", 2012): their lengths, which are
//! distances along the rest shape, and the stage that enforces them.

mod geodesic;
mod model;
mod rest_shape;
mod stage;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use rest_shape::RestShape;
pub(crate) use stage::{TETHER_SPEED_MAX, Tether, TetherColumns, TetherList};
