//! Changes of particles and sticks.

use crate::guard::{World, check_output, with_world};
use crate::status::Status;

/// A point, m, or a vector (a velocity: m/s). In two dimensions `z` is ignored in arguments and 0 in results.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The first coordinate.
    pub x: f32,
    /// The second coordinate; by default gravity points in its negative direction.
    pub y: f32,
    /// The third coordinate.
    pub z: f32,
}

impl From<Point> for [f32; 3] {
    fn from(Point { x, y, z }: Point) -> Self {
        [x, y, z]
    }
}

/// Moves a particle, pinned or free, to a point, and stops it.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_position(
    world: *mut World,
    particle: usize,
    to: Point,
) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.set_position(particle, to.into())?)) }
}

/// Sets the velocity of a particle, m/s.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_velocity(
    world: *mut World,
    particle: usize,
    velocity: Point,
) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.set_velocity(particle, velocity.into())?)) }
}

/// Sets the inverse mass of a particle, 1/kg; 0 pins it permanently.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_inverse_mass(
    world: *mut World,
    particle: usize,
    inverse_mass: f32,
) -> Status {
    let change = |world: &mut World| Ok(world.inner.set_inverse_mass(particle, inverse_mass)?);
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, change) }
}

/// Pins a particle at its position, until it is unpinned.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_pin(world: *mut World, particle: usize) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.pin(particle)?)) }
}

/// Unpins a particle: it gets its mass back and starts at rest. The call fails for a particle that
/// the scene pins, which has no mass.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_unpin(world: *mut World, particle: usize) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.unpin(particle)?)) }
}

/// Grabs a particle: it stays in place, or follows a drag, until it is released.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_grab(world: *mut World, particle: usize) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.grab(particle)?)) }
}

/// Sets the position of a grabbed or pinned particle at the end of the next step.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_drag(world: *mut World, particle: usize, to: Point) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.drag(particle, to.into())?)) }
}

/// Releases a grabbed particle. If the last step dragged it, it keeps the velocity of that drag.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_release(world: *mut World, particle: usize) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.release(particle)?)) }
}

/// Tears a stick and removes the triangles at it.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_tear(world: *mut World, stick: usize) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.tear(stick).map(drop)?)) }
}

/// From now on each stick tears at the end of a step in which it is longer than `factor` times its
/// rest length; none tears if `factor` is infinite. A factor of 1 or less is an error.
///
/// # Safety
/// `world` must be NULL or a valid world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_set_tear_factor(world: *mut World, factor: f32) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, |world| Ok(world.inner.set_tear_factor(factor)?)) }
}

/// Tears all sticks that a blade crosses. The blade is the segment `a0`, `b0`, and sweeps to the
/// segment `a1`, `b1`; in two dimensions the blade is the segment `a0`, `a1`. `torn`, which may be
/// NULL, gets the number of torn sticks.
///
/// # Safety
/// `world` must be NULL or a valid world, and `torn` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_cut(
    world: *mut World,
    a0: Point,
    b0: Point,
    a1: Point,
    b1: Point,
    torn: *mut usize,
) -> Status {
    let change = |world: &mut World| {
        if !torn.is_null() {
            check_output(torn, "torn")?;
        }
        let count = world.inner.cut([a0.into(), b0.into()], [a1.into(), b1.into()]);
        if !torn.is_null() {
            // SAFETY: it is not NULL, and the caller promises that it may be written.
            unsafe { torn.write(count) };
        }
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, change) }
}
