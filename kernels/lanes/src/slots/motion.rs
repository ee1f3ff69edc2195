//! Motion of particles in slots.

use taut_core::{Motion, PADDING, arrays};

use crate::vector::Vector;

/// Integrates slots by one substep: `source` has the positions; `target` has the previous positions
/// and receives the new positions.
///
/// # Panics
/// If the slices have different lengths, or one that [`PADDING`] does not divide.
#[inline(always)]
pub fn integrate<V: Vector, const D: usize>(
    cpu: V::Cpu,
    source: [&[f32]; D],
    target: [&mut [f32]; D],
    inverse_mass: &[f32],
    motion: Motion<D>,
) {
    let len = inverse_mass.len();
    assert!(len.is_multiple_of(PADDING));
    assert!(
        source.iter().all(|column| column.len() == len)
            && target.iter().all(|column| column.len() == len)
    );
    const { assert!(PADDING.is_multiple_of(V::LANES)) };
    let retention = V::splat(cpu, motion.retention);
    let displacement = arrays::map(motion.displacement, |component| V::splat(cpu, component));
    let (source, target) = (source.map(<[f32]>::as_ptr), target.map(<[f32]>::as_mut_ptr));
    for first in (0..len).step_by(V::LANES) {
        // SAFETY: the lanes divide `len`, so `first + LANES <= len`, the length of all columns.
        unsafe {
            let inverse_mass = V::load(cpu, inverse_mass.as_ptr().add(first));
            for axis in 0..D {
                let [position, previous] =
                    arrays::map([source[axis], target[axis].cast_const()], |column| {
                        V::load(cpu, column.add(first))
                    });
                taut_core::integrate(
                    position,
                    previous,
                    inverse_mass,
                    retention,
                    displacement[axis],
                )
                .store(target[axis].add(first));
            }
        }
    }
}
