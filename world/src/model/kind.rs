//! The kind of a model.

use super::Model;
use crate::drawing::ModelKind;

impl<const D: usize> Model<D> {
    /// The kind of the model, which decides how it is drawn: its field
    /// [`kind`](Self#structfield.kind) if that is set. Otherwise a model with rigid bodies is a
    /// [`Body`](ModelKind::Body), else one with faces [`Cloth`](ModelKind::Cloth), else one with sticks
    /// or springs a [`Rope`](ModelKind::Rope), and any other [`Grains`](ModelKind::Grains).
    ///
    /// ```
    /// use taut_world::{Cloth, Model, ModelKind, Plant};
    ///
    /// assert_eq!(Model::<3>::cloth(&Cloth::default())?.kind(), ModelKind::Cloth);
    /// assert_eq!(Model::<3>::plant(&Plant::default())?.kind(), ModelKind::Plant);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn kind(&self) -> ModelKind {
        let derived = || {
            if !self.bodies.is_empty() {
                ModelKind::Body
            } else if !self.faces.is_empty() {
                ModelKind::Cloth
            } else if !self.sticks.is_empty() || !self.springs.is_empty() {
                ModelKind::Rope
            } else {
                ModelKind::Grains
            }
        };
        self.kind.unwrap_or_else(derived)
    }
}
