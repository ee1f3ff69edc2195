//! Models with limbs.

use taut_core::ParticleError;

use super::{Model, ModelError};

impl<const D: usize> Model<D> {
    /// Adds limbs with a common, new owner: capsules between two particles, or balls around one
    /// particle (if both ends are that particle), with a radius, m. They collide with limbs of other
    /// owners if [`LimbContacts`](crate::LimbContacts) are among the obstacles. They also collide with
    /// each other if `own_limbs` of the `LimbContacts` is set, except for pairs whose axes, when they
    /// are added, are nearer than half the sum of their radii.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// let rope = Model::rope(&[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], &Rope::default())?;
    /// let links = rope.sticks.ends().to_vec();
    /// let thick = rope.with_limbs(links.into_iter().map(|link| (link, 0.02)))?;
    /// assert_eq!(thick.limbs.all().len(), thick.sticks.len());
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// Add limbs before [self-collision](Model::self_colliding), whose default thickness is the spacing for
    /// cloth and ropes, and 0 for limbs.
    ///
    /// # Errors
    /// An end that is not a particle, or a radius that is not from 0 to 1e12 m.
    pub fn with_limbs(
        mut self,
        limbs: impl IntoIterator<Item = ([u32; 2], f32)>,
    ) -> Result<Self, ModelError> {
        let particles = self.particles.len();
        let limbs: Vec<_> = limbs.into_iter().collect();
        for &(ends, radius) in &limbs {
            if let Some(&particle) = ends.iter().find(|&&end| end as usize >= particles) {
                let particle = particle as usize;
                return Err(ParticleError::NoSuchParticle { particle, particles }.into());
            }
            let (range, must) = (0.0..=taut_core::COORDINATE_MAX, "from 0 to 1e12");
            ModelError::check("radius", "the radius of a limb, m,", radius.into(), range, must)?;
        }
        self.limbs.extend(limbs, &self.particles);
        Ok(self)
    }
}
