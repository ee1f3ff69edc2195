//! Parameters of tethers.

use crate::error::ModelError;

/// The parameters of a model's tethers.
///
/// A tether keeps a particle within a distance of a pinned particle, its *anchor*. That distance is
/// measured along the rest shape of the model. So hanging cloth does not stretch even with few iterations. A
/// tether never pushes (Kim, Chentanez, Müller-Fischer, "Long Range Attachments: A Method to
/// Simulate Inextensible Clothing in Computer Games", 2012).
///
/// Pinned particles (*pins*) that are joined by sides of faces or by sticks, except those that only
/// resist bending, form a *pin cluster*, such as a row or a corner. A particle has a
/// tether to the nearest pin of each of the nearest pin clusters. (If there are more than 16 clusters,
/// consecutive ones count as one.) Particles that are not connected to a pin have none. A particle
/// that is [tied](crate::Tie) at zero distance counts as pinned while the point at the other end of
/// the tie is pinned, or has at least 10 times the mass of the particle's model.
///
/// ```
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Scene, StickSet, Tethers, World};
///
/// let mut scene = Scene::new();
/// let sheet = Model::drape(16, StickSet::All)?.tethered(Tethers::default())?;
/// scene.add("sheet", sheet)?;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..120 {
///     assert!(world.step()?.finite);
/// }
/// assert!(world.tether_count() == 16 * 15); // one for each particle below the pinned row
/// assert!(world.diagnostics()?.stretch.residual_rms() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tethers {
    /// Length of a tether as a multiple of the distance along the rest shape, 1 to 1e6. Default: 1.
    pub slack: f32,
    /// Largest number of pin clusters to which a particle is tethered, 1 to 16. Default: 4.
    pub anchors: u32,
}

impl Default for Tethers {
    fn default() -> Self {
        Self { slack: 1.0, anchors: 4 }
    }
}

/// Limit of [`Tethers::anchors`].
pub(crate) const ANCHORS_MAX: u32 = 16;

impl Tethers {
    /// Checks the ranges of the values.
    pub(crate) fn checked(self) -> Result<Self, ModelError> {
        let slack = f64::from(self.slack);
        ModelError::check("slack", "the slack of tethers", slack, 1.0..=1e6, "from 1 to 1e6")?;
        let anchors = f64::from(self.anchors);
        let (range, must) = (1.0..=f64::from(ANCHORS_MAX), "from 1 to 16");
        ModelError::check("anchors", "the number of anchors of tethers", anchors, range, must)?;
        Ok(self)
    }
}
