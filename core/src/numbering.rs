//! Renumbering algorithms: they give particles that are joined by a stick, or near each other in
//! space, close numbers, and so places near each other in memory.

use alloc::vec::Vec;

use crate::lists::GroupedLists;
use crate::particles::Particles;
use crate::real::Real;
use crate::renumbering::Renumbering;
use crate::sticks::Sticks;

impl Renumbering {
    /// Reverse Cuthill-McKee: breadth-first order from a pseudo-peripheral particle of each
    /// connected component, neighbours with fewer sticks first, then reversed. The ends of a stick
    /// get close numbers (George and Liu, "Computer Solution of Large Sparse Positive Definite
    /// Systems", 1981). It takes linear time, except for sorting the neighbours of each particle.
    pub fn reverse_cuthill_mckee<S: Real>(sticks: &Sticks<S>) -> Self {
        let neighbours = Neighbours::new(sticks.ends(), sticks.particles());
        let mut search = BreadthFirst::new(sticks.particles());
        let mut order = Vec::with_capacity(sticks.particles());
        for seed in 0..sticks.particles() as u32 {
            if !search.is_numbered(seed) {
                let start = search.pseudo_peripheral(&neighbours, seed);
                search.number_component(&neighbours, start, &mut order);
            }
        }
        order.reverse();
        Self::from_permutation(order)
    }

    /// The order of a Hilbert curve through the positions: particles that are near in space get
    /// close numbers (Hilbert 1891; by the bit transposition of Skilling, "Programming the Hilbert
    /// curve", 2004). Particles in the same cell of the curve keep their order. The longest side of
    /// the bounding box of all particles has about 2²⁰ cells in 3 dimensions, and 2³⁰ in 1 or 2.
    pub fn hilbert<const D: usize, S: Real>(particles: &Particles<D, S>) -> Self {
        Self::from_permutation(hilbert_order(particles, 0.0))
    }

    /// [`from_order`](Self::from_order) for an order that is a permutation by construction.
    fn from_permutation(old_of_new: Vec<u32>) -> Self {
        let mut new_of_old = alloc::vec![0; old_of_new.len()];
        for (new, &old) in old_of_new.iter().enumerate() {
            new_of_old[old as usize] = new as u32;
        }
        Self { old_of_new, new_of_old }
    }

    /// The particles and sticks with new particle numbers. Sticks keep their numbers.
    ///
    /// # Panics
    /// If the number of particles is not that of the renumbering.
    #[must_use]
    pub fn apply<const D: usize, S: Real>(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> (Particles<D, S>, Sticks<S>) {
        let len = self.old_of_new.len();
        assert_eq!(particles.len(), len, "the number of particles is not that of the renumbering");
        assert_eq!(
            sticks.particles(),
            len,
            "the number of particles of the sticks is not that of the renumbering"
        );
        (particles.renumbered(&self.old_of_new), sticks.renumbered(&self.new_of_old))
    }

    /// Puts renumbered particles back into their old order.
    ///
    /// # Panics
    /// If the number of particles is not that of the renumbering.
    #[must_use]
    pub fn undo<const D: usize, S: Real>(&self, particles: &Particles<D, S>) -> Particles<D, S> {
        let len = self.new_of_old.len();
        assert_eq!(particles.len(), len, "the number of particles is not that of the renumbering");
        particles.renumbered(&self.new_of_old)
    }
}

/// The neighbours of each particle: the other ends of its sticks.
struct Neighbours(GroupedLists);

impl Neighbours {
    fn new(ends: &[[u32; 2]], particles: usize) -> Self {
        Self(GroupedLists::new(particles, ends.iter().flat_map(|&[a, b]| [(a, b), (b, a)])))
    }

    fn of(&self, particle: u32) -> &[u32] {
        self.0.of(particle)
    }

    fn degree(&self, particle: u32) -> usize {
        self.of(particle).len()
    }
}

/// Repeated breadth-first searches over the same particles. `visited_in` holds the numbers of
/// searches, so that it need not be cleared between them.
struct BreadthFirst {
    /// The number of the last search that visited each particle; [`NUMBERED`] once the particle has
    /// its new number.
    visited_in: Vec<u32>,
    /// The number of searches so far, which is the number of the last one.
    searches: u32,
    /// The particles that the last search visited, in order.
    queue: Vec<u32>,
}

/// In [`BreadthFirst::visited_in`]: the particle has its new number.
const NUMBERED: u32 = u32::MAX;

impl BreadthFirst {
    fn new(particles: usize) -> Self {
        Self { visited_in: alloc::vec![0; particles], searches: 0, queue: Vec::new() }
    }

    fn is_numbered(&self, particle: u32) -> bool {
        self.visited_in[particle as usize] == NUMBERED
    }

    /// A pseudo-peripheral particle of the component of `seed`: one at an end of it. Makes at most four
    /// searches, each from the farthest particle of the one before, while that distance grows.
    fn pseudo_peripheral(&mut self, neighbours: &Neighbours, seed: u32) -> u32 {
        let (mut start, mut depth) = (seed, 0);
        for _ in 0..4 {
            let (far, distance) = self.farthest(neighbours, start);
            if distance <= depth {
                break;
            }
            (start, depth) = (far, distance);
        }
        start
    }

    /// Searches from `start`. Returns the particle with the fewest sticks among those farthest from
    /// `start`, and their distance from it, in sticks.
    fn farthest(&mut self, neighbours: &Neighbours, start: u32) -> (u32, usize) {
        self.searches += 1;
        self.queue.clear();
        self.queue.push(start);
        self.visited_in[start as usize] = self.searches;
        // The particles at distance `depth` from the start, as a range of the queue.
        let (mut level, mut depth) = (0..1, 0);
        loop {
            for index in level.clone() {
                for &next in neighbours.of(self.queue[index]) {
                    let visited_in = &mut self.visited_in[next as usize];
                    if *visited_in != self.searches {
                        *visited_in = self.searches;
                        self.queue.push(next);
                    }
                }
            }
            if level.end == self.queue.len() {
                let last = self.queue[level].iter().copied();
                let far = last.min_by_key(|&particle| neighbours.degree(particle));
                return (far.unwrap_or(start), depth);
            }
            level = level.end..self.queue.len();
            depth += 1;
        }
    }

    /// Appends the connected component of `start` to `order`, breadth first, and marks its
    /// particles as numbered.
    fn number_component(&mut self, neighbours: &Neighbours, start: u32, order: &mut Vec<u32>) {
        let mut index = order.len();
        order.push(start);
        self.visited_in[start as usize] = NUMBERED;
        while index < order.len() {
            let first_new = order.len();
            for &next in neighbours.of(order[index]) {
                if !self.is_numbered(next) {
                    self.visited_in[next as usize] = NUMBERED;
                    order.push(next);
                }
            }
            order[first_new..].sort_by_key(|&particle| neighbours.degree(particle));
            index += 1;
        }
    }
}

/// The particles in the order of a Hilbert curve. `shift`, from 0 to 1 as a fraction of the side of their
/// bounding cube, shifts the cells of the curve, and with them the boundaries of blocks.
pub(crate) fn hilbert_order<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    shift: f64,
) -> Vec<u32> {
    let axes: [&[S]; D] = core::array::from_fn(|axis| particles.positions(axis));
    // The lowest and the highest coordinate of a column, m.
    let extent = |column: &[S]| {
        column.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            let x = x.to_f64();
            [if x < low { x } else { low }, if x > high { x } else { high }]
        })
    };
    let extents = axes.map(extent);
    let side = extents
        .iter()
        .fold(0.0, |side, [low, high]| if high - low > side { high - low } else { side });
    // The number of bits per axis: at most 31 in a coordinate of a cell (`u32`), and 63 in an index along
    // the curve (`u64`).
    let bits = (63 / D as u32).min(31);
    // The cells along the side of the bounding cube. The curve fills a cube of twice that side, which
    // contains the shifted particles.
    let cells_per_side = f64::from(1_u32 << (bits - 1)) - 1.0;
    let scale = if side > 0.0 { cells_per_side / side } else { 0.0 };
    // The index of each particle along the curve, and its number.
    let mut keyed: Vec<(u64, u32)> = Vec::with_capacity(particles.len());
    for first in (0..particles.len()).step_by(CELLS_AT_ONCE) {
        let count = CELLS_AT_ONCE.min(particles.len() - first);
        let mut cells = [[0; CELLS_AT_ONCE]; D];
        for (axis, column) in cells.iter_mut().enumerate() {
            for (cell, x) in column.iter_mut().zip(&axes[axis][first..first + count]) {
                // The cast saturates and turns NaN into 0.
                #[allow(clippy::cast_sign_loss, reason = "no coordinate is below the lowest")]
                let scaled =
                    ((x.to_f64() - extents[axis][0]) * scale + shift * cells_per_side) as u32;
                *cell = scaled;
            }
        }
        let indices = hilbert_indices(cells, bits);
        keyed.extend(indices.into_iter().zip(first as u32..).take(count));
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, particle)| particle).collect()
}

/// The number of cells processed together: the compiler vectorizes loops over them, which take half
/// the time of a scalar loop with its unpredictable branches.
const CELLS_AT_ONCE: usize = 16;

/// The indices of cells along the Hilbert curve with `bits` bits per axis. `cells[axis][i]` is a
/// coordinate of cell `i`.
#[allow(clippy::needless_range_loop, reason = "the same index in several columns")]
fn hilbert_indices<const D: usize>(
    mut cells: [[u32; CELLS_AT_ONCE]; D],
    bits: u32,
) -> [u64; CELLS_AT_ONCE] {
    // Undo the rotations and reflections, highest bit first. Where an axis has the bit set, invert
    // the lower bits of the first axis; else exchange the lower bits of that axis and the first.
    for bit in (1..bits).rev() {
        let lower_bits = (1 << bit) - 1;
        for axis in 0..D {
            for i in 0..CELLS_AT_ONCE {
                let (on_first_axis, on_axis) = (cells[0][i], cells[axis][i]);
                let set = (on_axis >> bit & 1).wrapping_neg(); // all bits or none
                let differing = (on_first_axis ^ on_axis) & lower_bits & !set;
                cells[0][i] ^= differing ^ lower_bits & set;
                cells[axis][i] ^= differing;
            }
        }
    }
    // Gray encode.
    for axis in 1..D {
        for i in 0..CELLS_AT_ONCE {
            cells[axis][i] ^= cells[axis - 1][i];
        }
    }
    // Every bit of the last axis flips all bits below it.
    let flips = cells[D - 1].map(|last| {
        let shifts = [1, 2, 4, 8, 16];
        shifts.into_iter().fold(last >> 1, |flip, shift| flip ^ flip >> shift)
    });
    // Interleave the bits of all axes; the bits of the first axis are the highest.
    let mut indices = [0; CELLS_AT_ONCE];
    for bit in (0..bits).rev() {
        for column in &cells {
            for i in 0..CELLS_AT_ONCE {
                indices[i] = indices[i] << 1 | u64::from((column[i] ^ flips[i]) >> bit & 1);
            }
        }
    }
    indices
}
