//! The commands that pages send to the host.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// A command of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Loads a scene, or the current one in another size.
    Scene {
        /// The name of a library scene, or `file`.
        scene: String,
        /// The size, in units of [`State::size_unit`](super::State::size_unit). Absent: the scene's
        /// default size.
        #[serde(default)]
        size: Option<usize>,
    },
    /// Changes settings. Restarts the scene only if the current state cannot be kept.
    Set(Change),
    /// Grabs a particle.
    Grab {
        /// The id of the particle.
        particle: usize,
    },
    /// Sets the position that a held particle reaches at the end of the next step.
    Drag {
        /// The id of the particle.
        particle: usize,
        /// The target, m; the last coordinate is ignored in 2-D scenes.
        to: [f32; 3],
    },
    /// Releases a particle.
    Release {
        /// The id of the particle.
        particle: usize,
    },
    /// Cuts the sticks that a blade crosses. In 3-D the blade is a segment that moves from `from` to `to`.
    /// In 2-D the blade is the segment from the first point of `from` to the first point of `to`.
    Cut {
        /// The segment before the movement, m.
        from: [[f32; 3]; 2],
        /// The segment after the movement, m.
        to: [[f32; 3]; 2],
    },
    /// Switches gravity on or off.
    Gravity {
        /// Whether gravity acts.
        on: bool,
    },
    /// Switches the forces of the scene on or off, or a default wind if the scene has no forces.
    Wind {
        /// Whether these forces act.
        on: bool,
    },
    /// Switches tethers on or off: adds tethers to all models without tethers, or removes all tethers.
    Tethers {
        /// Whether there are tethers.
        on: bool,
    },
    /// Switches the self-collision of all models on or off.
    Collisions {
        /// Whether models collide with themselves and each other.
        on: bool,
    },
    /// Switches sleeping on or off, and restarts the scene. If models may sleep, steps skip a model that has been
    /// quiet for some time, until something wakes it.
    Sleep {
        /// Whether models may sleep.
        on: bool,
    },
    /// Pauses or continues the simulation.
    Pause {
        /// Whether to pause.
        on: bool,
    },
    /// Runs one step, also while paused.
    Step,
    /// Restarts the scene with the current settings.
    Reset,
    /// Starts or stops a race: the same scene also runs on a second kernel, and the positions are
    /// compared.
    Race {
        /// The second kernel. Absent or null: stops the race.
        #[serde(default)]
        kernel: Option<String>,
        /// The instruction set of the second kernel. Absent or null: the best.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Requests one frame, which is sent as soon as there is one that the page has not been sent.
    Next,
}

impl Command {
    /// Whether the command loads or restarts the scene, changes settings, or starts or stops a race. Most of these
    /// commands make new worlds or plans, which may take long.
    #[cfg(feature = "server")]
    pub(crate) fn is_expensive(&self) -> bool {
        matches!(
            self,
            Self::Scene { .. }
                | Self::Set(_)
                | Self::Gravity { .. }
                | Self::Wind { .. }
                | Self::Tethers { .. }
                | Self::Collisions { .. }
                | Self::Sleep { .. }
                | Self::Reset
                | Self::Race { .. }
        )
    }
}

/// Settings to change. Absent: unchanged; null: reset to the scene's default.
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Kernel; null: the best for each island.
    #[serde(deserialize_with = "present")]
    pub kernel: Option<Option<String>>,
    /// Instruction set; null: the best of the kernel.
    #[serde(deserialize_with = "present")]
    pub instructions: Option<Option<String>>,
    /// Formula.
    #[serde(deserialize_with = "present")]
    pub formula: Option<Option<String>>,
    /// Order of the sticks, such as `coloured`.
    #[serde(deserialize_with = "present")]
    pub schedule: Option<Option<String>>,
    /// Number of threads; null: 1.
    #[serde(deserialize_with = "present")]
    pub threads: Option<Option<usize>>,
    /// Number of substeps of a step.
    #[serde(deserialize_with = "present")]
    pub substeps: Option<Option<u32>>,
    /// Number of iterations of a pass.
    #[serde(deserialize_with = "present")]
    pub iterations: Option<Option<u32>>,
    /// Number of passes (iterations, then ties, then collisions) of a substep.
    #[serde(deserialize_with = "present")]
    pub passes: Option<Option<u32>>,
    /// Relative rate at which a free particle loses velocity, 1/s.
    #[serde(deserialize_with = "present")]
    pub damping_rate: Option<Option<f32>>,
    /// Compliance of every stick, m/N.
    #[serde(deserialize_with = "present")]
    pub compliance: Option<Option<f32>>,
    /// Stiffness of every stick, above 0 and at most 1.
    #[serde(deserialize_with = "present")]
    pub stiffness: Option<Option<f32>>,
    /// Tear factor of every stick: the length at which it tears, in rest lengths.
    #[serde(deserialize_with = "present")]
    pub tear: Option<Option<f32>>,
    /// Thickness of every model with self-collision that has no limbs or bodies, m.
    #[serde(deserialize_with = "present")]
    pub thickness: Option<Option<f32>>,
    /// Coefficient of friction of every model with self-collision.
    #[serde(deserialize_with = "present")]
    pub friction: Option<Option<f32>>,
    /// Collision filters by the name of the model. Models that are not named keep theirs.
    #[serde(deserialize_with = "present")]
    pub filters: Option<Option<BTreeMap<String, CollisionFilter>>>,
}

/// What a model with self-collision collides with. Two models collide if the mask of each has a bit of the categories
/// of the other; a model collides with itself if its mask has a bit of its own categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollisionFilter {
    /// The categories of the model, as bits.
    pub categories: u32,
    /// The categories with which the model collides, as bits.
    pub mask: u32,
}

/// Deserializes a field that is present: `Some(None)` for null. (For an absent field, `Change::default` gives `None`.)
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
fn present<'de, T: Deserialize<'de>, R: Deserializer<'de>>(
    from: R,
) -> Result<Option<Option<T>>, R::Error> {
    Option::deserialize(from).map(Some)
}
