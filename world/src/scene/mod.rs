//! What there is before time begins.

mod any;
#[cfg(feature = "toml")]
mod file;
mod library;

use std::sync::Arc;

use taut_core::Formula;

use crate::force::Force;
use crate::model::{Model, ModelError, Order};
use crate::obstacle::Obstacle;
use crate::springs::SpringError;
use crate::world::Settings;

pub use any::AnyScene;
#[cfg(feature = "toml")]
pub use file::{SceneFileError, TriangleReader, Triangles};
pub use library::{LibraryScene, UnknownScene};

/// Why something cannot be put into a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// By a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// By its springs.
    #[error(transparent)]
    Springs(#[from] SpringError),
    /// Models are told apart by their names.
    #[error("there are two models called '{name}'")]
    TwoOfAName {
        /// The name.
        name: String,
    },
}

/// Models by name, forces, obstacles and a step: all that a [`World`](crate::World) begins with.
///
/// ```
/// use taut_world::{Model, Scene, StickSet};
///
/// let mut scene = Scene::new();
/// scene.add("sheet", Model::drape(16, StickSet::All)?)?;
/// assert_eq!(scene.particles(), 256);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene<const D: usize = 3> {
    models: Vec<(String, Model<D>)>,
    /// What pushes, in this order.
    pub forces: Vec<Arc<dyn Force<D>>>,
    /// What keeps out, in this order.
    pub obstacles: Vec<Arc<dyn Obstacle<D>>>,
    /// How sticks are relaxed.
    pub formula: Formula,
    /// In which order the sticks of each model are, if not in that of the sheet or the mesh that it is;
    /// models that cannot have this order have their own. Another order is another answer.
    pub order: Option<Order>,
    /// How it moves.
    pub settings: Settings<D>,
}

impl<const D: usize> Scene<D> {
    /// Nothing yet, under gravity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model, by a name of its own.
    ///
    /// # Errors
    /// If there is one of that name; nothing is added then.
    pub fn add(&mut self, name: impl Into<String>, model: Model<D>) -> Result<(), SceneError> {
        let name = name.into();
        if self.models.iter().any(|(other, _)| *other == name) {
            return Err(SceneError::TwoOfAName { name });
        }
        self.models.push((name, model));
        Ok(())
    }

    /// The models, with their names, in the order in which they were added.
    pub fn models(&self) -> impl Iterator<Item = (&str, &Model<D>)> {
        self.models.iter().map(|(name, model)| (&**name, model))
    }

    /// How many particles there are.
    pub fn particles(&self) -> usize {
        self.models.iter().map(|(_, model)| model.particles.len()).sum()
    }
}
