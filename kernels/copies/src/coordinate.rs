//! Copying between the columns of the particles and the slots of a group.

use taut_core::PADDING;
use taut_lanes::{SharedPtr, Vector};

use crate::layout::{GROUP, Layout};

/// The number of particles that are transposed together: the values of four particles in each copy
/// become four registers.
const TILE_PARTICLES: usize = 4;

/// One coordinate of a group of copies: the column of all copies, and the slots of the group.
#[derive(Clone, Copy)]
pub(crate) struct Coordinate {
    /// The values copy after copy. Valid for reading and writing the values of all copies.
    pub(crate) column: SharedPtr<f32>,
    /// The values in slots. Valid for reading and writing [`Layout::group_len`] values.
    pub(crate) slots: SharedPtr<f32>,
}

impl Coordinate {
    /// Copies the values of a group from the column into the slots, and adds `signed_zero` to each:
    /// +0.0 turns -0.0 into +0.0, and -0.0 changes nothing.
    ///
    /// # Safety
    /// - The column and the slots are valid as the fields say; no other code accesses the copies of
    ///   the group meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn fill<V: Vector>(
        self,
        cpu: V::Cpu,
        layout: Layout,
        group: usize,
        signed_zero: f32,
    ) {
        let Self { column: SharedPtr(column), slots: SharedPtr(slots) } = self;
        let signed_zeros = V::splat(cpu, signed_zero);
        // Lanes without a copy read this instead of the column.
        let zeros = [0.0; TILE_PARTICLES];
        let tiles = Tiles::new::<V>(layout, group);
        // SAFETY: the tiles are of particles and copies that exist, or `zeros` is read.
        unsafe {
            for Tile { particle, lane, copy } in tiles.register_tiles::<V>() {
                let registers = V::gather(cpu, |offset| {
                    if copy + offset < layout.copies {
                        column
                            .add((copy + offset) * layout.particles + particle)
                            .cast_const()
                            .cast()
                    } else {
                        &raw const zeros
                    }
                });
                for (index, values) in registers.into_iter().enumerate() {
                    (values + signed_zeros).store(slots.add((particle + index) * GROUP + lane));
                }
            }
            for Tile { particle, lane, copy } in tiles.single_tiles() {
                let value = *column.add(copy * layout.particles + particle);
                *slots.add(particle * GROUP + lane) = value + signed_zero;
            }
        }
    }

    /// Copies the slots of a group to the column. Returns NaN if a value is not finite, else 0.
    ///
    /// # Safety
    /// - Same as [`fill`](Self::fill).
    #[inline(always)]
    pub(crate) unsafe fn write_back<V: Vector>(
        self,
        cpu: V::Cpu,
        layout: Layout,
        group: usize,
    ) -> f32 {
        let Self { column: SharedPtr(column), slots: SharedPtr(slots) } = self;
        let zero = V::splat(cpu, 0.0);
        // Each becomes NaN at the first value that is not finite, and stays NaN.
        let (mut nan_or_zero, mut single_nan_or_zero) = (zero, 0.0);
        // Lanes without a copy write this instead of the column.
        let mut discarded = [0.0; TILE_PARTICLES];
        let discarded = &raw mut discarded;
        let tiles = Tiles::new::<V>(layout, group);
        // SAFETY: as in `fill`; `discarded` belongs to this call.
        unsafe {
            for Tile { particle, lane, copy } in tiles.register_tiles::<V>() {
                let mut registers = [zero; TILE_PARTICLES];
                for (index, values) in registers.iter_mut().enumerate() {
                    *values = V::load(cpu, slots.add((particle + index) * GROUP + lane));
                    nan_or_zero = nan_or_zero + *values * zero;
                }
                V::scatter(registers, |offset| {
                    if copy + offset < layout.copies {
                        column.add((copy + offset) * layout.particles + particle).cast()
                    } else {
                        discarded
                    }
                });
            }
            for Tile { particle, lane, copy } in tiles.single_tiles() {
                let value = *slots.add(particle * GROUP + lane);
                single_nan_or_zero += value * 0.0;
                *column.add(copy * layout.particles + particle) = value;
            }
        }
        let mut lanes = [0.0; PADDING];
        // SAFETY: no register has more lanes than `PADDING`.
        unsafe { nan_or_zero.store(lanes.as_mut_ptr()) };
        lanes.iter().sum::<f32>() + single_nan_or_zero
    }
}

/// Some particles of some copies: the first particle, the first lane, and the copy in that lane.
struct Tile {
    particle: usize,
    lane: usize,
    copy: usize,
}

/// The tiles of a group: each particle of each copy is in at least one of them.
struct Tiles {
    particles: usize,
    first_copy: usize,
    /// The number of lanes that registers process: 0 if a copy has fewer than [`TILE_PARTICLES`]
    /// particles.
    lanes: usize,
    /// The number of lanes that have a copy.
    copies: usize,
}

impl Tiles {
    fn new<V: Vector>(layout: Layout, group: usize) -> Self {
        const { assert!(GROUP.is_multiple_of(V::LANES)) };
        let (copies, particles) = (layout.copies_in(group), layout.particles);
        let lanes = if particles < TILE_PARTICLES { 0 } else { copies.next_multiple_of(V::LANES) };
        Self { particles, first_copy: group * GROUP, lanes, copies }
    }

    /// Tiles of four particles in a register of copies; some lanes may have no copy. The last tile
    /// of a register may overlap the one before it.
    #[inline(always)]
    fn register_tiles<V: Vector>(&self) -> impl Iterator<Item = Tile> {
        let Self { particles, first_copy, lanes, .. } = *self;
        (0..lanes).step_by(V::LANES).flat_map(move |lane| {
            (0..particles).step_by(TILE_PARTICLES).map(move |particle| Tile {
                particle: particle.min(particles - TILE_PARTICLES),
                lane,
                copy: first_copy + lane,
            })
        })
    }

    /// Tiles of one particle of one copy, in the lanes with a copy that registers do not process.
    #[inline(always)]
    fn single_tiles(&self) -> impl Iterator<Item = Tile> {
        let Self { particles, first_copy, lanes, copies } = *self;
        (lanes..copies).flat_map(move |lane| {
            (0..particles).map(move |particle| Tile { particle, lane, copy: first_copy + lane })
        })
    }
}
