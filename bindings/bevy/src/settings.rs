//! The resources for settings and wind.

use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use taut::Step;
use taut::world::{Force, Gusts, Settings, Wind, WindLaw};

use crate::error::TautError;

/// The settings of the simulation of cloths and ropes. The length of a step is that of a fixed tick
/// (`Time<Fixed>`). A change applies from the next tick on; invalid settings are reported and not used.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct TautSettings {
    /// The acceleration of all particles by gravity, m/s². Default: 9.81 towards -y.
    pub gravity: Vec3,
    /// Number of substeps in a tick, 1 to 1000. More substeps make cloth stiffer. Default: 8.
    pub substeps: u32,
    /// Number of iterations in a substep, up to 100,000. Default: 1.
    pub iterations: u32,
    /// The rate at which particles lose velocity, 1/s. Default: 0.603, which is 1 % in 1/60 s.
    pub damping_rate: f32,
    /// Whether drawn positions are interpolated between the last two ticks. They are then drawn one tick late.
    /// Default: true.
    pub interpolate: bool,
    /// Number of threads, up to 1024. With 1, only the thread that runs the system is used; with 0, one per
    /// logical processor. It does not change results. Default: 1.
    pub threads: usize,
}

impl Default for TautSettings {
    fn default() -> Self {
        let Step { substeps, iterations, acceleration, damping_rate, .. } = Step::<3>::default();
        Self {
            gravity: acceleration.into(),
            substeps,
            iterations,
            damping_rate,
            interpolate: true,
            threads: 1,
        }
    }
}

impl TautSettings {
    /// The settings of the world for ticks of this length.
    pub(crate) fn with_tick(&self, tick: Duration) -> Settings<3> {
        let step = Step {
            dt: tick.as_secs_f32(),
            substeps: self.substeps,
            iterations: self.iterations,
            acceleration: self.gravity.to_array(),
            damping_rate: self.damping_rate,
        };
        Settings { step, passes: 1 }
    }
}

/// The density of air, kg/m³.
const AIR_DENSITY: f32 = 1.2;

/// The wind on all cloths: uniform, or in gusts.
///
/// ```
/// use bevy_math::Vec3;
/// use bevy_taut::TautWind;
///
/// let wind = TautWind { gusts: 0.5, ..TautWind::new(Vec3::new(6.0, 0.0, 1.0)) };
/// ```
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct TautWind {
    /// The velocity of the air without gusts, m/s. Default: 0, no wind.
    pub velocity: Vec3,
    /// The largest relative change of the velocity by gusts, 0 or more. Default: 0.
    pub gusts: f32,
    /// The size of gusts, m: about half the length of one. Default: 3.
    pub gust_size: f32,
    /// The seed of the gusts. Default: 0.
    pub seed: u64,
    /// The drag coefficient. Default: 1.3.
    pub drag: f32,
    /// The lift coefficient; about 2 for a plate. Default: 0.
    pub lift: f32,
}

impl Default for TautWind {
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, gusts: 0.0, gust_size: 3.0, seed: 0, drag: 1.3, lift: 0.0 }
    }
}

impl TautWind {
    /// A uniform wind, m/s.
    pub fn new(velocity: Vec3) -> Self {
        Self { velocity, ..Self::default() }
    }

    /// The wind as a force; none if the velocity is 0.
    pub(crate) fn forces(&self) -> Result<Vec<Arc<dyn Force>>, TautError> {
        let Self { velocity, gusts, gust_size, seed, drag, lift } = *self;
        for (what, value) in [
            ("velocity.x", velocity.x),
            ("velocity.y", velocity.y),
            ("velocity.z", velocity.z),
            ("gusts", gusts),
            ("gust_size", gust_size),
            ("drag", drag),
            ("lift", lift),
        ] {
            if !value.is_finite() {
                return Err(TautError::Wind { what, value });
            }
        }
        if velocity == Vec3::ZERO {
            return Ok(Vec::new());
        }
        let gusts = Gusts { strength: gusts, size: gust_size, seed };
        let wind = Wind {
            gusts: Some(gusts).filter(|gusts| gusts.strength > 0.0),
            law: WindLaw::Plate { density: AIR_DENSITY, drag, lift },
            ..Wind::new(velocity.to_array())
        };
        Ok(vec![Arc::new(wind)])
    }
}
