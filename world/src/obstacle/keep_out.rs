//! Collisions of particles with formula obstacles.

use pulp::{NullaryFnOnce, Simd, WithSimd};
use taut_core::Lane;
use taut_lanes::pulp::{Mask, Register};

use super::side::Side;
use crate::groups::{BOX_MAX, Extent, GroupPass, Groups};
use crate::path::Drift;
use crate::simd::widest;
use crate::surface::{Contact, Law, Mover, Nearest};

/// Resolves collisions of particles with the sides of an obstacle.
pub(super) struct KeepOut<'a, S, const D: usize> {
    pub(super) sides: &'a [S],
    pub(super) thickness: f32,
    pub(super) drift: Drift<D>,
    pub(super) law: Law<f32>,
}

impl<S: Side<D>, const D: usize> GroupPass<D> for KeepOut<'_, S, D> {
    fn run(&self, groups: &mut Groups<'_, D>) {
        widest(KeepOutPass { obstacle: self, groups });
    }
}

struct KeepOutPass<'a, 'g, 'p, S, const D: usize> {
    obstacle: &'a KeepOut<'a, S, D>,
    groups: &'g mut Groups<'p, D>,
}

impl<S: Side<D>, const D: usize> WithSimd for KeepOutPass<'_, '_, '_, S, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { obstacle, groups } = self;
        let zero = Register::splat(simd, 0.0);
        let reach = Register::splat(simd, obstacle.thickness + groups.radii.largest);
        let [box_max, box_min] = [BOX_MAX, -BOX_MAX].map(|limit| Register::splat(simd, limit));
        for group in 0..groups.count() {
            let rules_out = |Extent { low, high }: Extent<R, D>| {
                let mut near = zero.above(zero);
                for side in obstacle.sides {
                    near = near.or(side.may_reach_box(low, high, reach));
                }
                for axis in 0..D {
                    near = near.or(high[axis].above(box_max)).or(box_min.above(low[axis]));
                }
                !near.any()
            };
            if !groups.extent(simd, group).is_some_and(rules_out) {
                // A separate function: inlined, the values live here would cause register spills
                // there.
                simd.vectorize(KeepOutGroup { simd, obstacle, groups: &mut *groups, group });
            }
        }
    }
}

/// Resolves the collisions of a group.
struct KeepOutGroup<'a, 'g, 'p, R, S, const D: usize> {
    simd: R,
    obstacle: &'a KeepOut<'a, S, D>,
    groups: &'g mut Groups<'p, D>,
    group: usize,
}

impl<R: Simd, S: Side<D>, const D: usize> NullaryFnOnce for KeepOutGroup<'_, '_, '_, R, S, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { simd, obstacle, groups, group } = self;
        let KeepOut { sides, thickness, ref drift, law } = *obstacle;
        let slots = groups.slots(group);
        let Groups { position, previous, inverse_mass, radii, .. } = &mut *groups;
        let position =
            position.each_mut().map(|column| R::as_mut_simd_f32s(&mut column[slots.clone()]).0);
        let previous =
            previous.each_mut().map(|column| R::as_mut_simd_f32s(&mut column[slots.clone()]).0);
        let (masses, _) = R::as_simd_f32s(&inverse_mass[slots.clone()]);
        let position = position.map(|column| &mut column[..masses.len()]);
        let previous = previous.map(|column| &mut column[..masses.len()]);
        let mut moved = false;
        let zero = Register::splat(simd, 0.0);
        let thickness = Register::splat(simd, thickness);
        let law = law.constant(zero);
        let projection = Law::PROJECTION.constant(zero);

        for (register, &mass) in masses.iter().enumerate() {
            let reach = radii.at(simd, slots.start + register * R::F32_LANES);
            let reach = reach.map_or(thickness, |radius| thickness + radius);
            let free = Register::new(simd, mass).above(zero);
            let mut x = [zero; D];
            for (x, column) in x.iter_mut().zip(&position) {
                *x = Register::new(simd, column[register]);
            }

            let mut near = zero.above(zero);
            for side in sides {
                near = near.or(side.may_reach(x, reach));
            }
            if !near.and(free).any() {
                continue;
            }

            let mut mover = Mover { x, previous: [zero; D] };
            for (before, column) in mover.previous.iter_mut().zip(&previous) {
                *before = Register::new(simd, column[register]);
            }
            let mut hit = zero.above(zero);
            for side in sides {
                let inside = keep_out(side, &mut mover, reach, free, drift, &law);
                hit = hit.or(inside);
            }
            if !hit.any() {
                continue;
            }
            if sides.len() > 1 {
                // Friction at one side may have moved a particle back into another.
                for side in sides {
                    keep_out(side, &mut mover, reach, free, drift, &projection);
                }
            }
            for axis in 0..D {
                // -0.0 becomes +0.0.
                position[axis][register] = (mover.x[axis] + zero).lanes();
                previous[axis][register] = mover.previous[axis].lanes();
            }
            moved = true;
        }
        if moved {
            groups.moved(group);
        }
    }
}

/// Resolves collisions of one side with the free particles of a register. Returns which were
/// inside.
#[inline(always)]
fn keep_out<R: Simd, const D: usize>(
    side: &impl Side<D>,
    mover: &mut Mover<Register<R>, D>,
    reach: Register<R>,
    free: Mask<R>,
    drift: &Drift<D>,
    law: &Law<Register<R>>,
) -> Mask<R> {
    let Nearest { distance, normal } = side.nearest(mover.x);
    let inside = reach.above(distance).and(free);
    if inside.any() {
        let contact = Contact { normal, depth: reach - distance, clear: side.clear(reach) };
        let hit = law.meet(*mover, drift.at(mover.x), contact);
        for axis in 0..D {
            mover.x[axis] = Lane::select(inside, hit.x[axis], mover.x[axis]);
            mover.previous[axis] = Lane::select(inside, hit.previous[axis], mover.previous[axis]);
        }
    }
    inside
}
