//! The pass of wind over triangles, and from them to particles.

use pulp::NullaryFnOnce;

use super::air::{Air, Corner, Gusty};
use super::laws::{Law, Thirds, at_least};
use crate::model::{BLOCK, Layout, Share, Slots, Triangles};

/// One number for each triangle of a block.
type Lanes = [f32; BLOCK];

/// The force on each triangle, and what each particle gets of the triangles around it: as soon as all
/// of them are known, so that they are still in the nearest cache.
pub(super) struct Blow<'a, L, G> {
    pub(super) layout: &'a Layout,
    pub(super) position: [&'a [f32]; 3],
    pub(super) previous: [&'a [f32]; 3],
    pub(super) inverse_mass: &'a [f32],
    pub(super) air: Air<G>,
    /// A third of the time that the force acts, s: times the inverse mass of a corner and the number of triangles that
    /// meet there, that is how loose the corner is, s/kg.
    pub(super) third_hold: f32,
    pub(super) thirds: Thirds<L>,
    pub(super) on_triangles: [&'a mut [f32]; 3],
    pub(super) on_particles: [&'a mut [f32]; 3],
    /// Whether nothing has pushed the particles yet, and what is there does not count.
    pub(super) first: bool,
}

/// What is known of particles, in columns of one length.
#[derive(Clone, Copy)]
struct Columns<'a> {
    now: [&'a [f32]; 3],
    then: [&'a [f32]; 3],
    inverse_mass: &'a [f32],
    /// How many triangles meet there; shorter, if the last particles are no corners.
    counts: &'a [f32],
}

/// The same corner of each triangle of a block. (In a pass no array of them is made by `map`, which
/// the compiler would call, and put what it gives into memory.)
#[derive(Clone, Copy)]
struct Corners<'a> {
    now: [&'a Lanes; 3],
    then: [&'a Lanes; 3],
}

impl<'a> Corners<'a> {
    /// Particles in sequence.
    #[inline(always)]
    fn row(columns: Columns<'a>, first: u32) -> Self {
        let Columns { now: [x, y, z], then: [was_x, was_y, was_z], .. } = columns;
        Self {
            now: [block(x, first), block(y, first), block(z, first)],
            then: [block(was_x, first), block(was_y, first), block(was_z, first)],
        }
    }

    #[inline(always)]
    fn of(self, lane: usize) -> Corner {
        let ([x, y, z], [was_x, was_y, was_z]) = (self.now, self.then);
        Corner { now: [x[lane], y[lane], z[lane]], then: [was_x[lane], was_y[lane], was_z[lane]] }
    }
}

/// The block of a column that begins at a place.
#[inline(always)]
fn block(column: &[f32], from: u32) -> &Lanes {
    let from = from as usize;
    column[from..from + BLOCK].first_chunk().expect("it is a block")
}

/// The same corner of triangles anywhere.
struct Collected {
    now: [Lanes; 3],
    then: [Lanes; 3],
}

impl Collected {
    #[inline(always)]
    fn new(columns: Columns, from: &[u32; BLOCK]) -> Self {
        let Columns { now: [x, y, z], then: [was_x, was_y, was_z], .. } = columns;
        Self {
            now: [collected(x, from), collected(y, from), collected(z, from)],
            then: [collected(was_x, from), collected(was_y, from), collected(was_z, from)],
        }
    }

    #[inline(always)]
    fn corners(&self) -> Corners<'_> {
        Corners { now: self.now.each_ref(), then: self.then.each_ref() }
    }
}

/// Numbers of a column, collected.
#[inline(always)]
fn collected(column: &[f32], from: &[u32; BLOCK]) -> Lanes {
    let mut lanes = [0.0; BLOCK];
    for (lane, &from) in lanes.iter_mut().zip(from) {
        *lane = column[from as usize];
    }
    lanes
}

impl<L: Law, G: Gusty> NullaryFnOnce for Blow<'_, L, G> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        // The same length, so that one check is enough; and no part of `self`, or the compiler would
        // not know.
        let particles = self.inverse_mass.len();
        let ([x, y, z], [was_x, was_y, was_z]) = (self.position, self.previous);
        let columns = Columns {
            now: [&x[..particles], &y[..particles], &z[..particles]],
            then: [&was_x[..particles], &was_y[..particles], &was_z[..particles]],
            inverse_mass: self.inverse_mass,
            counts: &self.layout.around.counts,
        };

        let slots = self.layout.slots;
        let [x, y, z] = self.on_triangles;
        self.on_triangles = [&mut x[..slots], &mut y[..slots], &mut z[..slots]];

        // Numbers that are not negative are in the order of their bits.
        let corners = columns.inverse_mass.iter().zip(columns.counts);
        let loosest = corners.fold(0, |most, (w, count)| most.max((w * count).to_bits()));
        let loosest = f32::from_bits(loosest) * self.third_hold;

        let layout = self.layout;
        let mut shares = &layout.around.shares[..];
        // How many more pairs may turn out not to be free, which then are done again.
        let mut retries_left = layout.blocks.len() / 16 + 1;
        for block in &layout.blocks {
            // Each with a loop of its own: registers are loaded whole where corners lie in rows.
            match &block.triangles {
                &Triangles::Pairs(corners, slots) => {
                    let found =
                        retries_left > 0 && self.on_free_pairs(columns, corners, slots, loosest);
                    if !found {
                        retries_left = retries_left.saturating_sub(1);
                        let ([a, b, c, d], [abc, acd]) = (corners, slots);
                        self.on_row(columns, [a, b, c], abc);
                        self.on_row(columns, [a, c, d], acd);
                    }
                }
                &Triangles::Row(corners, slots) => self.on_row(columns, corners, slots),
                Triangles::Scattered(corners, slots) => {
                    self.on_scattered(columns, corners, *slots);
                }
            }
            let (complete, rest) = shares.split_at(block.completes as usize);
            shares = rest;
            for share in complete {
                if self.first {
                    self.hand_out::<true>(share);
                } else {
                    self.hand_out::<false>(share);
                }
            }
        }
    }
}

impl<L: Law, G: Gusty> Blow<'_, L, G> {
    /// The force on both triangles of pairs, if nothing limits it even where all is as loose as the
    /// loosest; and whether that is so. Both share two corners, and no masses are asked for.
    #[inline(always)]
    fn on_free_pairs(
        &mut self,
        columns: Columns,
        [a, b, c, d]: [u32; 4],
        [abc, acd]: [Slots; 2],
        loosest: f32,
    ) -> bool {
        let (a, b) = (Corners::row(columns, a), Corners::row(columns, b));
        let (c, d) = (Corners::row(columns, c), Corners::row(columns, d));
        let (air, thirds) = (self.air, self.thirds);
        let (mut x1, mut y1, mut z1) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let (mut x2, mut y2, mut z2) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let (there1, there2) = (u32::from(abc.there), u32::from(acd.there));
        let mut limited = 0;
        for lane in 0..BLOCK {
            let (a, b, c, d) = (a.of(lane), b.of(lane), c.of(lane), d.of(lane));
            let nth = 1 << lane;

            let (normal, u) = air.meets([a, b, c]);
            let ([x, y, z], free) = thirds.if_free(normal, u, loosest);
            (x1[lane], y1[lane], z1[lane]) = (x, y, z);
            limited |= u32::from(there1 & nth != 0 && !free);

            let (normal, u) = air.meets([a, c, d]);
            let ([x, y, z], free) = thirds.if_free(normal, u, loosest);
            (x2[lane], y2[lane], z2[lane]) = (x, y, z);
            limited |= u32::from(there2 & nth != 0 && !free);
        }
        let free = limited == 0;
        if free {
            self.keep(abc, &x1, &y1, &z1);
            self.keep(acd, &x2, &y2, &z2);
        }
        free
    }

    #[inline(always)]
    fn on_row(&mut self, columns: Columns, [a, b, c]: [u32; 3], slots: Slots) {
        let (w, n) = (columns.inverse_mass, columns.counts);
        let w = [block(w, a), block(w, b), block(w, c)];
        let n = [block(n, a), block(n, b), block(n, c)];
        let (a, b) = (Corners::row(columns, a), Corners::row(columns, b));
        self.on_block([a, b, Corners::row(columns, c)], w, n, slots);
    }

    #[inline(always)]
    fn on_scattered(&mut self, columns: Columns, [a, b, c]: &[[u32; BLOCK]; 3], slots: Slots) {
        let (w, n) = (columns.inverse_mass, columns.counts);
        let w = [&collected(w, a), &collected(w, b), &collected(w, c)];
        let n = [&collected(n, a), &collected(n, b), &collected(n, c)];
        let (a, b) = (Collected::new(columns, a), Collected::new(columns, b));
        let c = Collected::new(columns, c);
        self.on_block([a.corners(), b.corners(), c.corners()], w, n, slots);
    }

    /// The force on the triangles of a block, by their corners, the inverse masses of those, and how
    /// many triangles meet there.
    #[inline(always)]
    fn on_block(
        &mut self,
        [a, b, c]: [Corners; 3],
        [wa, wb, wc]: [&Lanes; 3],
        [na, nb, nc]: [&Lanes; 3],
        slots: Slots,
    ) {
        let (air, thirds, third_hold) = (self.air, self.thirds, self.third_hold);
        let (mut xs, mut ys, mut zs) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        for lane in 0..BLOCK {
            let (normal, u) = air.meets([a.of(lane), b.of(lane), c.of(lane)]);
            let (a_moves, b_moves) = (wa[lane] * na[lane], wb[lane] * nb[lane]);
            let loosest = at_least(at_least(a_moves, b_moves), wc[lane] * nc[lane]);
            let loose = loosest * third_hold;
            let [x, y, z] = thirds.of(normal, u, loose);
            (xs[lane], ys[lane], zs[lane]) = (x, y, z);
        }
        self.keep(slots, &xs, &ys, &zs);
    }

    /// Keeps what was found out about a block.
    #[inline(always)]
    fn keep(&mut self, slots: Slots, x: &Lanes, y: &Lanes, z: &Lanes) {
        let first = slots.first as usize;
        let [column_x, column_y, column_z] = &mut self.on_triangles;
        column_x[first..first + BLOCK].copy_from_slice(x);
        column_y[first..first + BLOCK].copy_from_slice(y);
        column_z[first..first + BLOCK].copy_from_slice(z);
        // Not by selecting lanes: the compiler would load what is there alone, which takes longer.
        let mut gaps = !slots.there;
        while gaps != 0 {
            let gap = first + gaps.trailing_zeros() as usize;
            (column_x[gap], column_y[gap], column_z[gap]) = (0.0, 0.0, 0.0);
            gaps &= gaps - 1;
        }
    }

    /// Adds to each particle of a share what is in the slots around it, in as few pieces as can be.
    #[inline(always)]
    fn hand_out<const FIRST: bool>(&mut self, share: &Share) {
        let nth = self.piece::<BLOCK, FIRST>(share, 0);
        let nth = self.piece::<8, FIRST>(share, nth);
        let nth = self.piece::<4, FIRST>(share, nth);
        let nth = self.piece::<2, FIRST>(share, nth);
        self.piece::<1, FIRST>(share, nth);
    }

    /// The same for `N` particles from the `nth` on, if the share has a piece of that size. Returns
    /// where the next piece begins.
    #[inline(always)]
    fn piece<const N: usize, const FIRST: bool>(&mut self, share: &Share, nth: usize) -> usize {
        if share.len as usize & N == 0 {
            return nth;
        }
        // Only a whole block has particles that are done already.
        match if N == BLOCK { share.done } else { 0 } {
            0 => self.add::<N, FIRST>(share, nth, 0),
            done => self.add::<N, FIRST>(share, nth, done),
        }
        nth + N
    }

    /// The same for those from the `nth` on; the first `done` of them already have theirs.
    #[inline(always)]
    fn add<const N: usize, const FIRST: bool>(&mut self, share: &Share, nth: usize, done: u32) {
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
                let sum = if FIRST { sum } else { *on + sum };
                *on = if lane as u32 >= done { sum } else { *on };
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
