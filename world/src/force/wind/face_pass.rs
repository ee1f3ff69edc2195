//! Wind on the faces of a model: computes the forces and adds them to its particles.

use pulp::NullaryFnOnce;

use super::air::{Air, Corner, GustFactor};
use super::laws::{CornerForce, TriangleLaw, larger};
use crate::model::{CHUNK, FaceLayout, ParticleChunk, Slots, Triangles};

/// One value for each triangle of a chunk.
type Lanes = [f32; CHUNK];

/// Computes the force on each corner of each triangle, and adds it to the particles: to each
/// particle as soon as all its triangles are done, while their forces are still in the L1 cache.
pub(super) struct FacePass<'a, L, G> {
    pub(super) layout: &'a FaceLayout,
    pub(super) position: [&'a [f32]; 3],
    pub(super) previous: [&'a [f32]; 3],
    pub(super) inverse_mass: &'a [f32],
    pub(super) air: Air<G>,
    /// A third of the duration of the force, s. Times the inverse mass of a corner and the number
    /// of triangles that meet there, it is the mobility of the corner, s/kg.
    pub(super) third_duration: f32,
    pub(super) corner_force: CornerForce<L>,
    /// The force on each corner of a triangle, N, by slot.
    pub(super) on_triangles: [&'a mut [f32]; 3],
    /// The force on each particle, N.
    pub(super) on_particles: [&'a mut [f32]; 3],
    /// Whether the forces on particles are overwritten: as long as no force was added, they are stale.
    pub(super) overwrites: bool,
}

/// Columns of the particles, of one length.
#[derive(Clone, Copy)]
struct Columns<'a> {
    now: [&'a [f32]; 3],
    previous: [&'a [f32]; 3],
    inverse_mass: &'a [f32],
    /// The number of triangles at each particle; shorter if the last particles are not corners.
    counts: &'a [f32],
}

/// One corner of each triangle of a chunk. (Arrays in this file are written out. The compiler would not
/// inline `map`, so arrays built with it would go through memory.)
#[derive(Clone, Copy)]
struct Corners<'a> {
    now: [&'a Lanes; 3],
    previous: [&'a Lanes; 3],
}

impl<'a> Corners<'a> {
    /// Corners at consecutive particles.
    #[inline(always)]
    fn consecutive(columns: Columns<'a>, first: u32) -> Self {
        let Columns { now: [x, y, z], previous: [old_x, old_y, old_z], .. } = columns;
        Self {
            now: [chunk(x, first), chunk(y, first), chunk(z, first)],
            previous: [chunk(old_x, first), chunk(old_y, first), chunk(old_z, first)],
        }
    }

    /// The corner of the triangle in a lane.
    #[inline(always)]
    fn of(self, lane: usize) -> Corner {
        let ([x, y, z], [old_x, old_y, old_z]) = (self.now, self.previous);
        Corner {
            now: [x[lane], y[lane], z[lane]],
            previous: [old_x[lane], old_y[lane], old_z[lane]],
        }
    }
}

/// The `CHUNK` entries of a column from an index on.
#[inline(always)]
fn chunk(column: &[f32], first: u32) -> &Lanes {
    let first = first as usize;
    column[first..first + CHUNK].first_chunk().expect("the slice has CHUNK entries")
}

/// One corner of each triangle of a chunk, gathered from any particles.
struct Gathered {
    now: [Lanes; 3],
    previous: [Lanes; 3],
}

impl Gathered {
    #[inline(always)]
    fn new(columns: Columns, indices: &[u32; CHUNK]) -> Self {
        let Columns { now: [x, y, z], previous: [old_x, old_y, old_z], .. } = columns;
        Self {
            now: [gather(x, indices), gather(y, indices), gather(z, indices)],
            previous: [gather(old_x, indices), gather(old_y, indices), gather(old_z, indices)],
        }
    }

    #[inline(always)]
    fn corners(&self) -> Corners<'_> {
        Corners { now: self.now.each_ref(), previous: self.previous.each_ref() }
    }
}

/// Gathers entries of a column.
#[inline(always)]
fn gather(column: &[f32], indices: &[u32; CHUNK]) -> Lanes {
    let mut lanes = [0.0; CHUNK];
    for (lane, &index) in lanes.iter_mut().zip(indices) {
        *lane = column[index as usize];
    }
    lanes
}

impl<L: TriangleLaw, G: GustFactor> NullaryFnOnce for FacePass<'_, L, G> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        // Slices of equal length need only one bounds check. They must be in locals, because the compiler
        // does not know the lengths of slices in `self`.
        let particle_count = self.inverse_mass.len();
        let ([x, y, z], [old_x, old_y, old_z]) = (self.position, self.previous);
        let columns = Columns {
            now: [&x[..particle_count], &y[..particle_count], &z[..particle_count]],
            previous: [
                &old_x[..particle_count],
                &old_y[..particle_count],
                &old_z[..particle_count],
            ],
            inverse_mass: self.inverse_mass,
            counts: &self.layout.incidence.counts,
        };

        let slots = self.layout.slots;
        let [x, y, z] = self.on_triangles;
        self.on_triangles = [&mut x[..slots], &mut y[..slots], &mut z[..slots]];

        // The greatest product of inverse mass and number of triangles. The bits of non-negative floats
        // sort like the numbers.
        let corners = columns.inverse_mass.iter().zip(columns.counts);
        let bits = corners.fold(0, |max: u32, (w, count)| max.max((w * count).to_bits()));
        let max_mobility = f32::from_bits(bits) * self.third_duration;

        let layout = self.layout;
        let mut particle_chunks = &layout.incidence.particle_chunks[..];
        // How many more chunks of pairs may turn out to be unstable without the limit: each of them
        // is computed again with the limit. Once more than a 16th of all chunks have been unstable, the
        // others are computed with the limit only.
        let mut retries_left = layout.chunks.len() / 16 + 1;
        for chunk in &layout.chunks {
            // Each kind of chunk has its own loop. Where corners are consecutive, it loads whole
            // registers.
            match &chunk.triangles {
                &Triangles::Pairs(corners, slots) => {
                    let is_stored =
                        retries_left > 0 && self.try_pairs(columns, corners, slots, max_mobility);
                    if !is_stored {
                        retries_left = retries_left.saturating_sub(1);
                        let ([a, b, c, d], [abc, acd]) = (corners, slots);
                        self.compute_run(columns, [a, b, c], abc);
                        self.compute_run(columns, [a, c, d], acd);
                    }
                }
                &Triangles::Run(corners, slots) => self.compute_run(columns, corners, slots),
                Triangles::Scattered(corners, slots) => {
                    self.compute_scattered(columns, corners, *slots);
                }
            }
            let (complete, rest) = particle_chunks.split_at(chunk.completed as usize);
            particle_chunks = rest;
            for particles in complete {
                if self.overwrites {
                    self.add_to_particles::<true>(particles);
                } else {
                    self.add_to_particles::<false>(particles);
                }
            }
        }
    }
}

impl<L: TriangleLaw, G: GustFactor> FacePass<'_, L, G> {
    /// Computes the forces on a chunk of pairs without a limit. If they are stable for
    /// `max_mobility`, the mobility of the most mobile corner of all, stores them and returns true.
    /// This is faster than with the limit: the two triangles of a pair share the loads of two corners,
    /// and no masses are read.
    #[inline(always)]
    fn try_pairs(
        &mut self,
        columns: Columns,
        [a, b, c, d]: [u32; 4],
        [abc, acd]: [Slots; 2],
        max_mobility: f32,
    ) -> bool {
        let (a, b) = (Corners::consecutive(columns, a), Corners::consecutive(columns, b));
        let (c, d) = (Corners::consecutive(columns, c), Corners::consecutive(columns, d));
        let (air, corner_force) = (self.air, self.corner_force);
        let (mut x1, mut y1, mut z1) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
        let (mut x2, mut y2, mut z2) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
        let (present1, present2) = (u32::from(abc.present), u32::from(acd.present));
        let mut unstable = 0;
        for lane in 0..CHUNK {
            let (a, b, c, d) = (a.of(lane), b.of(lane), c.of(lane), d.of(lane));
            let bit = 1 << lane;

            let (normal, u) = air.relative_to([a, b, c]);
            let ([x, y, z], is_stable) = corner_force.unlimited(normal, u, max_mobility);
            (x1[lane], y1[lane], z1[lane]) = (x, y, z);
            unstable |= u32::from(present1 & bit != 0 && !is_stable);

            let (normal, u) = air.relative_to([a, c, d]);
            let ([x, y, z], is_stable) = corner_force.unlimited(normal, u, max_mobility);
            (x2[lane], y2[lane], z2[lane]) = (x, y, z);
            unstable |= u32::from(present2 & bit != 0 && !is_stable);
        }
        let is_stable = unstable == 0;
        if is_stable {
            self.store(abc, &x1, &y1, &z1);
            self.store(acd, &x2, &y2, &z2);
        }
        is_stable
    }

    /// Computes a chunk of triangles with consecutive corners.
    #[inline(always)]
    fn compute_run(&mut self, columns: Columns, [a, b, c]: [u32; 3], slots: Slots) {
        let (w, n) = (columns.inverse_mass, columns.counts);
        let w = [chunk(w, a), chunk(w, b), chunk(w, c)];
        let n = [chunk(n, a), chunk(n, b), chunk(n, c)];
        let (a, b) = (Corners::consecutive(columns, a), Corners::consecutive(columns, b));
        self.compute_chunk([a, b, Corners::consecutive(columns, c)], w, n, slots);
    }

    /// Computes a chunk of triangles with any corners.
    #[inline(always)]
    fn compute_scattered(&mut self, columns: Columns, [a, b, c]: &[[u32; CHUNK]; 3], slots: Slots) {
        let (w, n) = (columns.inverse_mass, columns.counts);
        let w = [&gather(w, a), &gather(w, b), &gather(w, c)];
        let n = [&gather(n, a), &gather(n, b), &gather(n, c)];
        let (a, b) = (Gathered::new(columns, a), Gathered::new(columns, b));
        let c = Gathered::new(columns, c);
        self.compute_chunk([a.corners(), b.corners(), c.corners()], w, n, slots);
    }

    /// Computes and stores the forces on a chunk, from the corners, their inverse masses and the
    /// numbers of triangles that meet there.
    #[inline(always)]
    fn compute_chunk(
        &mut self,
        [a, b, c]: [Corners; 3],
        [wa, wb, wc]: [&Lanes; 3],
        [na, nb, nc]: [&Lanes; 3],
        slots: Slots,
    ) {
        let (air, corner_force, third_duration) =
            (self.air, self.corner_force, self.third_duration);
        let (mut xs, mut ys, mut zs) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
        for lane in 0..CHUNK {
            let (normal, u) = air.relative_to([a.of(lane), b.of(lane), c.of(lane)]);
            let (of_a, of_b) = (wa[lane] * na[lane], wb[lane] * nb[lane]);
            let mobility = larger(larger(of_a, of_b), wc[lane] * nc[lane]) * third_duration;
            let [x, y, z] = corner_force.limited(normal, u, mobility);
            (xs[lane], ys[lane], zs[lane]) = (x, y, z);
        }
        self.store(slots, &xs, &ys, &zs);
    }

    /// Stores the forces of a chunk, and 0 for the triangles that are not present.
    #[inline(always)]
    fn store(&mut self, slots: Slots, x: &Lanes, y: &Lanes, z: &Lanes) {
        let first = slots.first as usize;
        let [column_x, column_y, column_z] = &mut self.on_triangles;
        column_x[first..first + CHUNK].copy_from_slice(x);
        column_y[first..first + CHUNK].copy_from_slice(y);
        column_z[first..first + CHUNK].copy_from_slice(z);
        // A select per lane would be slower, because the compiler would turn it into masked loads.
        let mut gaps = !slots.present;
        while gaps != 0 {
            let gap = first + gaps.trailing_zeros() as usize;
            (column_x[gap], column_y[gap], column_z[gap]) = (0.0, 0.0, 0.0);
            gaps &= gaps - 1;
        }
    }

    /// Adds to each particle of a chunk the forces in its slots. The chunk is divided into pieces of 16,
    /// 8, 4, 2 and 1 particles, according to the bits of its length.
    #[inline(always)]
    fn add_to_particles<const OVERWRITE: bool>(&mut self, particles: &ParticleChunk) {
        let nth = self.add_piece::<CHUNK, OVERWRITE>(particles, 0);
        let nth = self.add_piece::<8, OVERWRITE>(particles, nth);
        let nth = self.add_piece::<4, OVERWRITE>(particles, nth);
        let nth = self.add_piece::<2, OVERWRITE>(particles, nth);
        self.add_piece::<1, OVERWRITE>(particles, nth);
    }

    /// Adds the forces to the `N` particles from the `nth` on, if the chunk has a piece of that size.
    /// Returns the start of the next piece.
    #[inline(always)]
    fn add_piece<const N: usize, const OVERWRITE: bool>(
        &mut self,
        particles: &ParticleChunk,
        nth: usize,
    ) -> usize {
        if particles.len as usize & N == 0 {
            return nth;
        }
        // Only a whole chunk may begin with particles to which an earlier chunk has added forces.
        match if N == CHUNK { particles.done } else { 0 } {
            0 => self.add::<N, OVERWRITE>(particles, nth, 0),
            done => self.add::<N, OVERWRITE>(particles, nth, done),
        }
        nth + N
    }

    /// Adds the forces to the `N` particles from the `nth` on, except the first `done` of them.
    #[inline(always)]
    fn add<const N: usize, const OVERWRITE: bool>(
        &mut self,
        particles: &ParticleChunk,
        nth: usize,
        done: u32,
    ) {
        let ([of_x, of_y, of_z], [on_x, on_y, on_z]) = (&self.on_triangles, &mut self.on_particles);
        let (mut x, mut y, mut z) = ([0.0; N], [0.0; N], [0.0; N]);
        for slot in self.layout.incidence.slots_of(particles) {
            let from = slot + nth;
            accumulate(&mut x, &of_x[from..from + N]);
            accumulate(&mut y, &of_y[from..from + N]);
            accumulate(&mut z, &of_z[from..from + N]);
        }
        let first = particles.first as usize + nth;
        for (sums, on) in [(x, on_x), (y, on_y), (z, on_z)] {
            for (lane, (on, sum)) in on[first..first + N].iter_mut().zip(sums).enumerate() {
                let sum = if OVERWRITE { sum } else { *on + sum };
                *on = if lane as u32 >= done { sum } else { *on };
            }
        }
    }
}

/// Adds element by element.
#[inline(always)]
fn accumulate<const N: usize>(sums: &mut [f32; N], terms: &[f32]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}
