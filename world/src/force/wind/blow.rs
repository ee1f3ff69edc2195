//! The pass of wind over triangles, and from them to particles.

use super::THIRD;
use super::laws::Law;
use crate::force::gusts::Lattice;
use crate::model::{BLOCK, Block, Corners, Layout, Share};
use crate::simd::Pass;

/// One number for each triangle of a block.
type Lanes = [f32; BLOCK];

/// Where gusts are.
pub(super) trait Gusty: Copy {
    /// By what the wind is multiplied at a place, m.
    fn at(self, place: [f32; 3]) -> f32;
}

#[derive(Clone, Copy)]
pub(super) struct Steady;

impl Gusty for Steady {
    #[inline(always)]
    fn at(self, _: [f32; 3]) -> f32 {
        1.0
    }
}

impl Gusty for Lattice {
    #[inline(always)]
    fn at(self, place: [f32; 3]) -> f32 {
        self.factor(place)
    }
}

/// The force on each triangle, and what each particle gets of the triangles around it: as soon as all
/// of them are known, so that they are still in the nearest cache.
pub(super) struct Blow<'a, L, G> {
    pub(super) layout: &'a Layout,
    pub(super) position: [&'a [f32]; 3],
    pub(super) previous: [&'a [f32]; 3],
    pub(super) inverse_mass: &'a [f32],
    pub(super) velocity: [f32; 3],
    pub(super) third_per_h: f32,
    pub(super) third_of_most_h: f32,
    pub(super) law: L,
    pub(super) gusts: G,
    pub(super) on_triangles: [&'a mut [f32]; 3],
    pub(super) on_particles: [&'a mut [f32]; 3],
}

/// What is known of particles, in columns of one length.
#[derive(Clone, Copy)]
struct Columns<'a> {
    now: [&'a [f32]; 3],
    then: [&'a [f32]; 3],
    inverse_mass: &'a [f32],
}

/// A column at the corners a, b and c of the triangles of a block.
#[derive(Clone, Copy)]
struct At<'a>(&'a Lanes, &'a Lanes, &'a Lanes);

/// One coordinate of the corners: now and a substep ago.
#[derive(Clone, Copy)]
struct Along<'a> {
    now: At<'a>,
    then: At<'a>,
}

// Passes have neither closures that return arrays nor loops over axes around a block: the compiler
// would put what they share into memory.
impl Along<'_> {
    /// From a to b and to c.
    #[inline(always)]
    fn edges(self, lane: usize) -> (f32, f32) {
        let At(a, b, c) = self.now;
        (b[lane] - a[lane], c[lane] - a[lane])
    }

    #[inline(always)]
    fn middle(self, lane: usize) -> f32 {
        let At(a, b, c) = self.now;
        ((a[lane] + b[lane]) + c[lane]) * THIRD
    }

    /// How far the corners moved, all together.
    #[inline(always)]
    fn moved(self, lane: usize) -> f32 {
        let (At(a, b, c), At(was_a, was_b, was_c)) = (self.now, self.then);
        ((a[lane] - was_a[lane]) + (b[lane] - was_b[lane])) + (c[lane] - was_c[lane])
    }
}

/// The block of a column that begins at a place.
#[inline(always)]
fn block(column: &[f32], from: usize) -> &Lanes {
    column[from..from + BLOCK].first_chunk().expect("it is a block")
}

/// Blocks of a column.
#[inline(always)]
fn blocks(column: &[f32], [a, b, c]: [u32; 3]) -> At<'_> {
    At(block(column, a as usize), block(column, b as usize), block(column, c as usize))
}

/// Numbers of a column, collected.
#[inline(always)]
fn collected(column: &[f32], from: &[[u32; BLOCK]; 3]) -> [Lanes; 3] {
    let mut all = [[0.0; BLOCK]; 3];
    for (lanes, from) in all.iter_mut().zip(from) {
        for (lane, &from) in lanes.iter_mut().zip(from) {
            *lane = column[from as usize];
        }
    }
    all
}

#[inline(always)]
fn of_each([a, b, c]: &[Lanes; 3]) -> At<'_> {
    At(a, b, c)
}

impl<L: Law, G: Gusty> Pass for Blow<'_, L, G> {
    #[inline(always)]
    fn run(mut self) {
        // The same length, so that one check is enough; and no part of `self`, or the compiler would
        // not know.
        let particles = self.inverse_mass.len();
        let ([x, y, z], [was_x, was_y, was_z]) = (self.position, self.previous);
        let columns = Columns {
            now: [&x[..particles], &y[..particles], &z[..particles]],
            then: [&was_x[..particles], &was_y[..particles], &was_z[..particles]],
            inverse_mass: self.inverse_mass,
        };

        let slots = self.layout.slots;
        let [x, y, z] = self.on_triangles;
        self.on_triangles = [&mut x[..slots], &mut y[..slots], &mut z[..slots]];

        let layout = self.layout;
        let mut shares = &layout.around.shares[..];
        for block in &layout.blocks {
            // Each with a loop of its own: registers are loaded whole where corners lie in rows.
            match &block.corners {
                Corners::Consecutive(firsts) => self.on_row(columns, *firsts, block),
                Corners::Scattered(corners) => self.on_scattered(columns, corners, block),
            }
            let (complete, rest) = shares.split_at(block.completes as usize);
            shares = rest;
            for share in complete {
                self.gather(share);
            }
        }
    }
}

impl<L: Law, G: Gusty> Blow<'_, L, G> {
    #[inline(always)]
    fn on_row(&mut self, columns: Columns, corners: [u32; 3], of: &Block) {
        let Columns { now: [x, y, z], then: [was_x, was_y, was_z], inverse_mass } = columns;
        let x = Along { now: blocks(x, corners), then: blocks(was_x, corners) };
        let y = Along { now: blocks(y, corners), then: blocks(was_y, corners) };
        let z = Along { now: blocks(z, corners), then: blocks(was_z, corners) };
        self.on_block(x, y, z, blocks(inverse_mass, corners), of);
    }

    #[inline(always)]
    fn on_scattered(&mut self, columns: Columns, corners: &[[u32; BLOCK]; 3], of: &Block) {
        let Columns { now: [x, y, z], then: [was_x, was_y, was_z], inverse_mass } = columns;
        let (x, was_x) = (collected(x, corners), collected(was_x, corners));
        let (y, was_y) = (collected(y, corners), collected(was_y, corners));
        let (z, was_z) = (collected(z, corners), collected(was_z, corners));
        let inverse_mass = collected(inverse_mass, corners);
        let x = Along { now: of_each(&x), then: of_each(&was_x) };
        let y = Along { now: of_each(&y), then: of_each(&was_y) };
        let z = Along { now: of_each(&z), then: of_each(&was_z) };
        self.on_block(x, y, z, of_each(&inverse_mass), of);
    }

    /// The force on the triangles of a block.
    #[inline(always)]
    fn on_block(&mut self, x: Along, y: Along, z: Along, inverse_mass: At, of: &Block) {
        let (slot, At(w_a, w_b, w_c)) = (of.slot as usize, inverse_mass);
        let [wind_x, wind_y, wind_z] = self.velocity;
        let (law, gusts) = (self.law, self.gusts);
        let (third_per_h, third_of_most_h) = (self.third_per_h, self.third_of_most_h);
        let (mut on_x, mut on_y, mut on_z) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        for lane in 0..BLOCK {
            let ((bx, cx), (by, cy), (bz, cz)) = (x.edges(lane), y.edges(lane), z.edges(lane));
            let normal = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
            let gust = gusts.at([x.middle(lane), y.middle(lane), z.middle(lane)]);
            let u = [
                wind_x * gust - x.moved(lane) * third_per_h,
                wind_y * gust - y.moved(lane) * third_per_h,
                wind_z * gust - z.moved(lane) * third_per_h,
            ];
            let most = |a: f32, b: f32| if a > b { a } else { b };
            let loose = most(most(w_a[lane], w_b[lane]), w_c[lane]) * third_of_most_h;
            let [force_x, force_y, force_z] = law.force(normal, u, loose);
            on_x[lane] = force_x * THIRD;
            on_y[lane] = force_y * THIRD;
            on_z[lane] = force_z * THIRD;
        }
        let [column_x, column_y, column_z] = &mut self.on_triangles;
        column_x[slot..slot + BLOCK].copy_from_slice(&on_x);
        column_y[slot..slot + BLOCK].copy_from_slice(&on_y);
        column_z[slot..slot + BLOCK].copy_from_slice(&on_z);
        // Not as a selection above: the compiler would load what is there alone, which takes longer.
        let mut gaps = !of.there;
        while gaps != 0 {
            let gap = slot + gaps.trailing_zeros() as usize;
            (column_x[gap], column_y[gap], column_z[gap]) = (0.0, 0.0, 0.0);
            gaps &= gaps - 1;
        }
    }

    /// Adds to each particle of a share what is in the slots around it.
    #[inline(always)]
    fn gather(&mut self, share: &Share) {
        let len = share.len;
        if len == BLOCK as u32 {
            match share.done {
                0 => self.add::<BLOCK>(share, 0, 0),
                done => self.add::<BLOCK>(share, 0, done),
            }
            return;
        }
        // In as few pieces as can be.
        let mut nth = 0;
        if len & 8 > 0 {
            self.add::<8>(share, nth, 0);
            nth += 8;
        }
        if len & 4 > 0 {
            self.add::<4>(share, nth, 0);
            nth += 4;
        }
        if len & 2 > 0 {
            self.add::<2>(share, nth, 0);
            nth += 2;
        }
        if len & 1 > 0 {
            self.add::<1>(share, nth, 0);
        }
    }

    /// The same for those from the `nth` on; the first `done` of them already have theirs.
    #[inline(always)]
    fn add<const N: usize>(&mut self, share: &Share, nth: usize, done: u32) {
        let ([of_x, of_y, of_z], [on_x, on_y, on_z]) = (&self.on_triangles, &mut self.on_particles);
        let (mut x, mut y, mut z) = ([0.0; N], [0.0; N], [0.0; N]);
        for slot in self.layout.around.of(share) {
            let from = slot + nth;
            accumulate(&mut x, &of_x[from..from + N]);
            accumulate(&mut y, &of_y[from..from + N]);
            accumulate(&mut z, &of_z[from..from + N]);
        }
        let first = share.first as usize + nth;
        for (sums, on) in [(x, on_x), (y, on_y), (z, on_z)] {
            for (lane, (on, sum)) in on[first..first + N].iter_mut().zip(sums).enumerate() {
                *on = if lane as u32 >= done { *on + sum } else { *on };
            }
        }
    }
}

/// Adds number by number.
#[inline(always)]
fn accumulate<const N: usize>(sums: &mut [f32; N], some: &[f32]) {
    for (sum, more) in sums.iter_mut().zip(some) {
        *sum += more;
    }
}
