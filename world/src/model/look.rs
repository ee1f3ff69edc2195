//! How to draw a model.

use super::Model;
use crate::drawing::Look;

impl<const D: usize> Model<D> {
    /// How to draw the model: as its field [`look`](Self#structfield.look) says, or else derived
    /// from its contents.
    ///
    /// ```
    /// use taut_world::{Cloth, Look, Model, Plant};
    ///
    /// assert_eq!(Model::<3>::cloth(&Cloth::default())?.look(), Look::Cloth);
    /// assert_eq!(Model::<3>::plant(&Plant::default())?.look(), Look::Plant);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn look(&self) -> Look {
        let derived = || {
            if !self.bodies.is_empty() {
                Look::Body
            } else if !self.faces.is_empty() {
                Look::Cloth
            } else if !self.sticks.is_empty() || !self.springs.is_empty() {
                Look::Rope
            } else {
                Look::Grains
            }
        };
        self.look.unwrap_or_else(derived)
    }
}
