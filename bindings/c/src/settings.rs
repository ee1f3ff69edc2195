//! Settings, kernels and wind of a world.

use taut_rs::Step;
use taut_rs::world;

use crate::create::{Kernels, choice};
use crate::guard::{World, read_to, with_world};
use crate::status::{Failure, Status};

/// The settings of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Length of a step, s.
    pub dt: f32,
    /// Number of substeps of a step, 1 to 1000.
    pub substeps: u32,
    /// Number of passes of a substep, 1 to 1000.
    pub passes: u32,
    /// Number of iterations of a pass, 0 to 100000.
    pub iterations: u32,
    /// Gravity, m/s². In two dimensions the third coordinate is ignored.
    pub gravity: [f32; 3],
    /// Damping rate, 1/s.
    pub damping_rate: f32,
}

/// Reads the settings.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to settings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_settings(world: *mut World, out: *mut Settings) -> Status {
    let read = |world: &mut World| {
        let world::Settings { step, passes } = world.inner.settings();
        let Step { dt, substeps, iterations, acceleration: gravity, damping_rate } = step;
        Ok(Settings { dt, substeps, passes, iterations, gravity, damping_rate })
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Changes the settings; velocities are kept.
///
/// # Safety
/// `world` must be NULL or a valid world, and `settings` must be NULL or point to settings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_settings(
    world: *mut World,
    settings: *const Settings,
) -> Status {
    let change = |world: &mut World| {
        // SAFETY: the promise of the caller.
        let settings = unsafe { settings.as_ref() }.ok_or_else(|| Failure::null("settings"))?;
        let Settings { dt, substeps, passes, iterations, gravity, damping_rate } = *settings;
        let step = Step { dt, substeps, iterations, acceleration: gravity, damping_rate };
        Ok(world.inner.set_settings(&world::Settings { step, passes })?)
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, change) }
}

/// Changes the kernels; the state is kept. `kernels` may be NULL: the best, on one thread.
///
/// # Safety
/// `world` must be NULL or a valid world, and `kernels` must be NULL or point to kernels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_kernels(
    world: *mut World,
    kernels: *const Kernels,
) -> Status {
    // SAFETY: the promise of the caller.
    let change = |world: &mut World| Ok(world.inner.set_kernels(&unsafe { choice(kernels) }?)?);
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, change) }
}

/// Replaces all forces of the scene by a uniform wind on all triangles, m/s. It needs a world in
/// three dimensions.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_wind(world: *mut World, x: f32, y: f32, z: f32) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.set_wind(Some([x, y, z]))?)) }
}
