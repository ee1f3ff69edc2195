//! Motion of particles in slots.

use taut_core::{Motion, PADDING, arrays};

use crate::vector::Vector;

/// Integrates slots by one substep: `start` has the positions; `to` has the previous positions and
/// receives the new ones.
///
/// # Panics
/// If the slices have different lengths, or one that [`PADDING`] does not divide.
#[inline(always)]
pub fn integrate<V: Vector, const D: usize>(
    cpu: V::Cpu,
    start: [&[f32]; D],
    to: [&mut [f32]; D],
    inverse_mass: &[f32],
    motion: Motion<D>,
) {
    let len = inverse_mass.len();
    assert!(len.is_multiple_of(PADDING));
    assert!(
        start.iter().all(|column| column.len() == len)
            && to.iter().all(|column| column.len() == len)
    );
    const { assert!(PADDING.is_multiple_of(V::LANES)) };
    let retention = V::splat(cpu, motion.retention);
    let displacement = arrays::map(motion.displacement, |component| V::splat(cpu, component));
    let (start, to) = (start.map(<[f32]>::as_ptr), to.map(<[f32]>::as_mut_ptr));
    for at in (0..len).step_by(V::LANES) {
        // SAFETY: the lanes divide `len`, so `at + LANES <= len`, which all have.
        unsafe {
            let inverse_mass = V::load(cpu, inverse_mass.as_ptr().add(at));
            for axis in 0..D {
                let [position, previous] =
                    arrays::map([start[axis], to[axis].cast_const()], |column| {
                        V::load(cpu, column.add(at))
                    });
                taut_core::integrate(
                    position,
                    previous,
                    inverse_mass,
                    retention,
                    displacement[axis],
                )
                .store(to[axis].add(at));
            }
        }
    }
}
