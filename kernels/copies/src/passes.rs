//! Copies between the columns of the particles and the slots of a group.

use taut_core::PADDING;
use taut_lanes::{Shared, Vector};

use crate::layout::{GROUP, Layout};

/// Particles that are transposed at once: four numbers of each copy, to four registers.
const AT_ONCE: usize = 4;

/// One coordinate of a group of copies, in its column and in slots.
#[derive(Clone, Copy)]
pub(crate) struct Coordinate {
    /// Copy after copy: valid for reading and writing the particles of all copies.
    pub(crate) column: Shared<f32>,
    /// Valid for reading and writing [`Layout::group_len`] numbers.
    pub(crate) slots: Shared<f32>,
}

impl Coordinate {
    /// Copies the column into slots and adds `signed_zero` to each number.
    ///
    /// # Safety
    /// - Both are valid as the fields say; no other code accesses these copies meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn fill<V: Vector>(
        self,
        cpu: V::Cpu,
        layout: Layout,
        group: usize,
        signed_zero: f32,
    ) {
        let Self { column: Shared(column), slots: Shared(slots) } = self;
        let zero = V::splat(cpu, signed_zero);
        // Of lanes without a copy.
        let absent = [0.0; AT_ONCE];
        let tiles = Tiles::new::<V>(layout, group);
        // SAFETY: the tiles are of particles and copies that exist, or `absent` is read.
        unsafe {
            for Tile { particle, lane, copy } in tiles.fours::<V>() {
                let four = V::gather(cpu, |nth| {
                    if copy + nth < layout.copies {
                        column.add((copy + nth) * layout.particles + particle).cast_const().cast()
                    } else {
                        &raw const absent
                    }
                });
                for (at, numbers) in four.into_iter().enumerate() {
                    (numbers + zero).store(slots.add((particle + at) * GROUP + lane));
                }
            }
            for Tile { particle, lane, copy } in tiles.ones() {
                let number = *column.add(copy * layout.particles + particle);
                *slots.add(particle * GROUP + lane) = number + signed_zero;
            }
        }
    }

    /// Copies slots to the column. Returns NaN if a number is not finite, else 0.
    ///
    /// # Safety
    /// - As [`fill`](Self::fill).
    #[inline(always)]
    pub(crate) unsafe fn write_back<V: Vector>(
        self,
        cpu: V::Cpu,
        layout: Layout,
        group: usize,
    ) -> f32 {
        let Self { column: Shared(column), slots: Shared(slots) } = self;
        let zero = V::splat(cpu, 0.0);
        let (mut not_finite, mut sum) = (zero, 0.0);
        let mut absent = [0.0; AT_ONCE];
        let absent = &raw mut absent;
        let tiles = Tiles::new::<V>(layout, group);
        // SAFETY: as in `fill`; `absent` is of this call alone.
        unsafe {
            for Tile { particle, lane, copy } in tiles.fours::<V>() {
                let mut four = [zero; AT_ONCE];
                for (at, numbers) in four.iter_mut().enumerate() {
                    *numbers = V::load(cpu, slots.add((particle + at) * GROUP + lane));
                    not_finite = not_finite + *numbers * zero;
                }
                V::scatter(four, |nth| {
                    if copy + nth < layout.copies {
                        column.add((copy + nth) * layout.particles + particle).cast()
                    } else {
                        absent
                    }
                });
            }
            for Tile { particle, lane, copy } in tiles.ones() {
                let number = *slots.add(particle * GROUP + lane);
                sum += number * 0.0;
                *column.add(copy * layout.particles + particle) = number;
            }
        }
        let mut lanes = [0.0; PADDING];
        // SAFETY: no register has more lanes than `PADDING`.
        unsafe { not_finite.store(lanes.as_mut_ptr()) };
        lanes.iter().sum::<f32>() + sum
    }
}

/// A (first) particle, the lane of its (first) copy, and that copy.
struct Tile {
    particle: usize,
    lane: usize,
    copy: usize,
}

/// A group in tiles: each particle of each copy is in one of them at least.
struct Tiles {
    particles: usize,
    first_copy: usize,
    /// How many lanes are processed by registers, and how many have a copy.
    lanes: usize,
    copies: usize,
}

impl Tiles {
    fn new<V: Vector>(layout: Layout, group: usize) -> Self {
        const { assert!(GROUP.is_multiple_of(V::LANES)) };
        let (copies, particles) = (layout.copies_in(group), layout.particles);
        let lanes = if particles < AT_ONCE { 0 } else { copies.next_multiple_of(V::LANES) };
        Self { particles, first_copy: group * GROUP, lanes, copies }
    }

    /// Four particles of a register of copies each, perhaps with lanes without a copy; the last four
    /// overlap the ones before them.
    #[inline(always)]
    fn fours<V: Vector>(&self) -> impl Iterator<Item = Tile> {
        let Self { particles, first_copy, lanes, .. } = *self;
        (0..lanes).step_by(V::LANES).flat_map(move |lane| {
            (0..particles).step_by(AT_ONCE).map(move |particle| Tile {
                particle: particle.min(particles - AT_ONCE),
                lane,
                copy: first_copy + lane,
            })
        })
    }

    /// One particle of one copy each, if registers do not process them.
    #[inline(always)]
    fn ones(&self) -> impl Iterator<Item = Tile> {
        let Self { particles, first_copy, lanes, copies } = *self;
        (lanes..copies).flat_map(move |lane| {
            (0..particles).map(move |particle| Tile { particle, lane, copy: first_copy + lane })
        })
    }
}
