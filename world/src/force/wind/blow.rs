//! The pass of wind over triangles, and from them to particles.

use super::THIRD;
use super::laws::Law;
use crate::force::gusts::Lattice;
use crate::model::{BLOCK, Corners, Layout, Span};
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
        // The same length, so that one check is enough.
        let particles = self.inverse_mass.len();
        let [x, y, z] = self.position;
        self.position = [&x[..particles], &y[..particles], &z[..particles]];
        let [x, y, z] = self.previous;
        self.previous = [&x[..particles], &y[..particles], &z[..particles]];

        let slots = self.layout.share.len();
        let [x, y, z] = self.on_triangles;
        self.on_triangles = [&mut x[..slots], &mut y[..slots], &mut z[..slots]];

        let layout = self.layout;
        let mut spans = &layout.around.spans[..];
        for block in &layout.blocks {
            // Each with a loop of its own: registers are loaded whole where corners lie in rows.
            match &block.corners {
                Corners::Consecutive(firsts) => self.on_row(*firsts, block.slot),
                Corners::Scattered(corners) => self.on_scattered(corners, block.slot),
            }
            let (complete, rest) = spans.split_at(block.completes as usize);
            spans = rest;
            for span in complete {
                self.gather(span);
            }
        }
    }
}

impl<L: Law, G: Gusty> Blow<'_, L, G> {
    #[inline(always)]
    fn on_row(&mut self, corners: [u32; 3], slot: u32) {
        let ([x, y, z], [was_x, was_y, was_z]) = (self.position, self.previous);
        let x = Along { now: blocks(x, corners), then: blocks(was_x, corners) };
        let y = Along { now: blocks(y, corners), then: blocks(was_y, corners) };
        let z = Along { now: blocks(z, corners), then: blocks(was_z, corners) };
        self.on_block(x, y, z, blocks(self.inverse_mass, corners), slot);
    }

    #[inline(always)]
    fn on_scattered(&mut self, corners: &[[u32; BLOCK]; 3], slot: u32) {
        let ([x, y, z], [was_x, was_y, was_z]) = (self.position, self.previous);
        let (x, was_x) = (collected(x, corners), collected(was_x, corners));
        let (y, was_y) = (collected(y, corners), collected(was_y, corners));
        let (z, was_z) = (collected(z, corners), collected(was_z, corners));
        let inverse_mass = collected(self.inverse_mass, corners);
        let x = Along { now: of_each(&x), then: of_each(&was_x) };
        let y = Along { now: of_each(&y), then: of_each(&was_y) };
        let z = Along { now: of_each(&z), then: of_each(&was_z) };
        self.on_block(x, y, z, of_each(&inverse_mass), slot);
    }

    /// The force on the triangles of a block.
    #[inline(always)]
    fn on_block(&mut self, x: Along, y: Along, z: Along, inverse_mass: At, slot: u32) {
        let (slot, At(w_a, w_b, w_c)) = (slot as usize, inverse_mass);
        let share = block(&self.layout.share, slot);
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
            on_x[lane] = force_x * share[lane];
            on_y[lane] = force_y * share[lane];
            on_z[lane] = force_z * share[lane];
        }
        let [column_x, column_y, column_z] = &mut self.on_triangles;
        column_x[slot..slot + BLOCK].copy_from_slice(&on_x);
        column_y[slot..slot + BLOCK].copy_from_slice(&on_y);
        column_z[slot..slot + BLOCK].copy_from_slice(&on_z);
    }

    /// Adds to each particle of a span what is in the slots around it.
    #[inline(always)]
    fn gather(&mut self, span: &Span) {
        let len = span.len;
        if len < BLOCK as u32 {
            // In as few pieces as can be.
            let mut nth = 0;
            if len & 8 > 0 {
                self.add::<8>(span, nth, 0);
                nth += 8;
            }
            if len & 4 > 0 {
                self.add::<4>(span, nth, 0);
                nth += 4;
            }
            if len & 2 > 0 {
                self.add::<2>(span, nth, 0);
                nth += 2;
            }
            if len & 1 > 0 {
                self.add::<1>(span, nth, 0);
            }
            return;
        }
        let mut nth = 0;
        while nth + BLOCK as u32 <= len {
            self.add::<BLOCK>(span, nth, 0);
            nth += BLOCK as u32;
        }
        if nth < len {
            let last = len - BLOCK as u32;
            self.add::<BLOCK>(span, last, nth - last);
        }
    }

    /// The same for those from the `nth` on; the first `done` of them already have theirs.
    #[inline(always)]
    fn add<const N: usize>(&mut self, span: &Span, nth: u32, done: u32) {
        let slots = self.layout.around.of(span);
        let nth = nth as usize;
        let first = span.first as usize + nth;
        for (on_particles, on_triangles) in self.on_particles.iter_mut().zip(&self.on_triangles) {
            let mut sums = [0.0; N];
            for &slot in slots {
                let from = slot as usize + nth;
                let some: &[f32; N] =
                    on_triangles[from..from + N].first_chunk().expect("it is as long");
                for lane in 0..N {
                    sums[lane] += some[lane];
                }
            }
            let on_particles: &mut [f32; N] =
                on_particles[first..first + N].first_chunk_mut().expect("it is as long");
            for lane in 0..N {
                let sum = on_particles[lane] + sums[lane];
                on_particles[lane] = if lane as u32 >= done { sum } else { on_particles[lane] };
            }
        }
    }
}
