//! Collisions of particles with analytic obstacles.

use pulp::{NullaryFnOnce, Simd, WithSimd};
use taut_core::Lane;
use taut_lanes::pulp::{Mask, Register};

use super::side::Side;
use crate::path::Displacement;
use crate::simd::widest;
use crate::surface::{ContactLaw, Nearest, SurfaceContact, VerletState};
use crate::tiles::{BOX_MAX, BoxRegisters, Chunk, CollisionPass};

/// Resolves collisions of particles with the sides of an obstacle.
pub(super) struct SideCollisions<'a, S, const D: usize> {
    pub(super) sides: &'a [S],
    /// The thickness of the obstacle's surface, m.
    pub(super) thickness: f32,
    /// The displacement of the obstacle in the substep.
    pub(super) displacement: Displacement<D>,
    pub(super) law: ContactLaw<f32>,
}

impl<S: Side<D>, const D: usize> CollisionPass<D> for SideCollisions<'_, S, D> {
    fn run(&self, chunk: &mut Chunk<'_, D>) {
        widest(ChunkCollisions { obstacle: self, chunk });
    }
}

/// Resolves the collisions of a chunk, with run-time SIMD dispatch.
struct ChunkCollisions<'a, 'c, 'p, S, const D: usize> {
    obstacle: &'a SideCollisions<'a, S, D>,
    chunk: &'c mut Chunk<'p, D>,
}

impl<S: Side<D>, const D: usize> WithSimd for ChunkCollisions<'_, '_, '_, S, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { obstacle, chunk } = self;
        let zero = Register::splat(simd, 0.0);
        let contact_distance = Register::splat(simd, obstacle.thickness + chunk.radii.largest);
        let [box_max, box_min] = [BOX_MAX, -BOX_MAX].map(|bound| Register::splat(simd, bound));
        for tile in 0..chunk.tiles() {
            let out_of_reach = |BoxRegisters { low, high }: BoxRegisters<R, D>| {
                let mut near = zero.above(zero);
                for side in obstacle.sides {
                    near = near.or(side.may_reach_box(low, high, contact_distance));
                }
                // Bounds beyond `BOX_MAX` may be infinite: such a tile is never skipped.
                for axis in 0..D {
                    near = near.or(high[axis].above(box_max)).or(box_min.above(low[axis]));
                }
                !near.any()
            };
            if !chunk.lane_boxes(simd, tile).is_some_and(out_of_reach) {
                // A separate function, because if it were inlined, it would spill registers: the values
                // that are live in this loop occupy some.
                simd.vectorize(TileCollisions { simd, obstacle, chunk: &mut *chunk, tile });
            }
        }
    }
}

/// Resolves the collisions of a tile.
struct TileCollisions<'a, 'c, 'p, R, S, const D: usize> {
    simd: R,
    obstacle: &'a SideCollisions<'a, S, D>,
    chunk: &'c mut Chunk<'p, D>,
    tile: usize,
}

impl<R: Simd, S: Side<D>, const D: usize> NullaryFnOnce for TileCollisions<'_, '_, '_, R, S, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { simd, obstacle, chunk, tile } = self;
        let SideCollisions { sides, thickness, ref displacement, law } = *obstacle;
        let slots = chunk.slots(tile);
        let Chunk { position, previous, inverse_mass, radii, .. } = &mut *chunk;
        let (inverse_masses, _) = R::as_simd_f32s(&inverse_mass[slots.clone()]);
        let [position, previous] = [position, previous].map(|columns| {
            columns.each_mut().map(|column| {
                &mut R::as_mut_simd_f32s(&mut column[slots.clone()]).0[..inverse_masses.len()]
            })
        });
        let mut any_hit = false;
        let zero = Register::splat(simd, 0.0);
        let thickness = Register::splat(simd, thickness);
        let law = law.constant(zero);
        let projection = ContactLaw::PROJECTION.constant(zero);

        for (register, &inverse_mass) in inverse_masses.iter().enumerate() {
            let contact_distance = radii.at(simd, slots.start + register * R::F32_LANES);
            let contact_distance = contact_distance.map_or(thickness, |radius| thickness + radius);
            let free = Register::new(simd, inverse_mass).above(zero);
            let mut x = [zero; D];
            for (x, column) in x.iter_mut().zip(&position) {
                *x = Register::new(simd, column[register]);
            }

            let mut near = zero.above(zero);
            for side in sides {
                near = near.or(side.may_reach(x, contact_distance));
            }
            if !near.and(free).any() {
                continue;
            }

            let mut state = VerletState { x, previous: [zero; D] };
            for (x, column) in state.previous.iter_mut().zip(&previous) {
                *x = Register::new(simd, column[register]);
            }
            let mut hit = zero.above(zero);
            for side in sides {
                let inside = resolve(side, &mut state, contact_distance, free, displacement, &law);
                hit = hit.or(inside);
            }
            if !hit.any() {
                continue;
            }
            if sides.len() > 1 {
                // Friction at one side may have moved a particle into another side.
                for side in sides {
                    resolve(side, &mut state, contact_distance, free, displacement, &projection);
                }
            }
            for axis in 0..D {
                // -0.0 becomes +0.0.
                position[axis][register] = (state.x[axis] + zero).lanes();
                previous[axis][register] = state.previous[axis].lanes();
            }
            any_hit = true;
        }
        if any_hit {
            chunk.invalidate_boxes(tile);
        }
    }
}

/// Resolves collisions of one side with the free particles of a register. Returns which particles
/// were inside.
#[inline(always)]
fn resolve<R: Simd, const D: usize>(
    side: &impl Side<D>,
    state: &mut VerletState<Register<R>, D>,
    contact_distance: Register<R>,
    free: Mask<R>,
    displacement: &Displacement<D>,
    law: &ContactLaw<Register<R>>,
) -> Mask<R> {
    let Nearest { distance, normal } = side.nearest(state.x);
    let inside = contact_distance.above(distance).and(free);
    if inside.any() {
        let (depth, clearance) = (contact_distance - distance, side.clearance(contact_distance));
        let contact = SurfaceContact { normal, depth, clearance };
        let after = law.resolve(*state, displacement.at(state.x), contact);
        for axis in 0..D {
            state.x[axis] = Lane::select(inside, after.x[axis], state.x[axis]);
            state.previous[axis] = Lane::select(inside, after.previous[axis], state.previous[axis]);
        }
    }
    inside
}
