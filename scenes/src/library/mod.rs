//! Named scenes, shared by tests, benchmarks and tools.

mod bodies;
mod cloth_on_cloth;
mod cloth_on_colliders;
mod cloths;
mod lines;
mod stickless;

use taut_core::check_limit;
use taut_world::SceneError;

use crate::AnyScene;

/// The maximum size of a library scene, in the unit of the scene ([`LibraryScene::size_unit`]).
const SIZE_MAX: usize = 4096;

/// A named scene, built in a chosen size of at most 4096.
///
/// ```
/// use taut_scenes::LibraryScene;
///
/// let drape = LibraryScene::named("drape")?;
/// assert_eq!(drape.scene(16)?.particles(), 256);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LibraryScene {
    /// The name, as on command lines.
    pub name: &'static str,
    /// A one-line description.
    pub description: &'static str,
    /// The default size, in `size_unit`.
    pub size: usize,
    /// What the size counts, such as `particles across`.
    pub size_unit: &'static str,
    /// Whether the size is a number of models with the same sticks, which a world simulates as
    /// copies if there are enough.
    pub size_is_copies: bool,
    /// Number of dimensions, 2 or 3.
    pub dimensions: usize,
    /// Upper bound of the residual (root mean square) after every step, at the default size and
    /// settings.
    pub residual_rms_max: f64,
    // Always the name of a function of this crate: a closure would be compiled again in each crate that
    // uses the library.
    build: fn(usize) -> Result<AnyScene, SceneError>,
}

/// No library scene has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scene '{name}' in the library")]
pub struct UnknownScene {
    /// The name.
    pub name: String,
}

impl LibraryScene {
    /// All library scenes.
    pub const ALL: &'static [Self] = &[
        cloths::CURTAIN,
        cloths::MOSEGAARD,
        cloths::DRAPE,
        cloths::FLAG,
        cloths::HAMMOCK,
        cloths::TABLE_CLOTH,
        cloths::HEX_SHEET,
        cloth_on_cloth::LAYERS_ON_A_BALL,
        cloth_on_cloth::FOLDED,
        cloth_on_cloth::TWIST,
        cloth_on_cloth::KNOT,
        #[cfg(feature = "parry")]
        cloth_on_colliders::TRAMPOLINE,
        #[cfg(feature = "parry")]
        cloth_on_colliders::LAUNDRY,
        cloth_on_colliders::DOLL_IN_HAMMOCK,
        lines::ROPE_BRIDGE,
        lines::PLANTS,
        bodies::TETRA_CUBE_WORLD,
        #[cfg(feature = "parry")]
        bodies::BOXES,
        bodies::RAGDOLLS,
        bodies::RAGDOLLS_3D,
        #[cfg(feature = "parry")]
        stickless::FOUNTAIN,
        stickless::SPRINGS,
    ];

    /// Returns the library scene with this name. `table-cloth`, an earlier name of `tablecloth`, is
    /// accepted, too.
    ///
    /// # Errors
    /// If there is no scene with this name.
    pub fn named(name: &str) -> Result<&'static Self, UnknownScene> {
        let unknown = || UnknownScene { name: name.to_owned() };
        let current = if name == "table-cloth" { "tablecloth" } else { name };
        Self::ALL.iter().find(|scene| scene.name == current).ok_or_else(unknown)
    }

    /// Builds the scene in this size.
    ///
    /// # Errors
    /// If the scene cannot be built in this size, or the size is above 4096.
    pub fn scene(&self, size: usize) -> Result<AnyScene, SceneError> {
        (self.build)(check_limit(self.size_unit, size as u128, SIZE_MAX)?)
    }
}
