//! Models with an emitter.

use taut_core::{Duplicates, Particles, Sticks};

use super::{Model, ModelError};
use crate::emitter::{Emitter, EmitterSettings};

impl<const D: usize> Model<D> {
    /// An emitter and its particles, as many as can be alive at once. At first, none is alive.
    ///
    /// # Errors
    /// If a value is not finite; if the rate, a lifetime or the mass is out of range; if there
    /// would be more than 2²⁴ particles; if the polygons have no area.
    pub fn emitter(settings: EmitterSettings<D>) -> Result<Self, ModelError> {
        let emitter = Emitter::new(settings)?;
        let (settings, count) = (emitter.settings(), emitter.particles().len());
        let position = settings.source.initial_position();
        let particles = Particles::new(&vec![position; count], &vec![0.0; count])?;
        let sticks = Sticks::with_rests(count, &[], &[], Duplicates::Keep)?;
        let mut model = Self::new(particles, sticks);
        model.groups.insert(settings.group.clone(), emitter.particles().to_vec());
        model.emitters.push(emitter);
        Ok(model)
    }
}
