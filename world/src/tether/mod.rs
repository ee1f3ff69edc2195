//! Tethers (long-range attachments: Kim, Chentanez, Müller-Fischer, "Long range attachments", 2012):
//! the distances along the rest shape that they keep.

mod geodesic;
mod model;
mod surface;
#[cfg(test)]
mod tests;

pub(crate) use geodesic::Nearest;
pub(crate) use surface::Surface;
