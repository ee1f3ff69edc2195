//! The rest shape on which distances are measured: edges and triangles, given by lengths only.

use taut_core::GroupedLists;

use crate::disjoint_sets::DisjointSets;

/// Marks an edge that is not a side of any triangle.
const NONE: u32 = u32::MAX;

/// A rest shape: triangles that paths may cross, and edges that they may follow.
///
/// It has lengths and no positions, so bending does not change it.
#[derive(Clone, Debug)]
pub(crate) struct RestShape {
    /// All edges, with and without triangles, and their lengths, m.
    edges: Vec<([u32; 2], f32)>,
    /// The corners of the triangles.
    pub(super) corners: Vec<[u32; 3]>,
    /// The sides of each triangle, m: side `k` joins the corners `k` and `k + 1`.
    pub(super) lengths: Vec<[f64; 3]>,
    /// For each side the next side on the same edge, in a ring; the side itself if no other triangle has
    /// the edge. Side `k` of triangle `t` has the number `3 t + k`.
    pub(super) ring: Vec<u32>,
    /// For each particle the sides that begin there, one for each triangle around it.
    pub(super) sides_at: GroupedLists<u32>,
    /// For each particle the other ends of edges without triangles, and their lengths, m.
    pub(super) bare_edges: GroupedLists<(u32, f64)>,
    /// The particles at which shortest paths can bend: those around which there is more surface
    /// than in a plane (or than in a half-plane, at a boundary), those whose triangles do not form one
    /// fan, and the ends of edges without triangles.
    pub(super) bends: Vec<bool>,
}

/// Largest excess of the angle around a particle over that in a plane, rad, at which paths count as
/// straight there. Straight lines that pass the particle on both sides leave a gap of at most this
/// angle; a path that bends into the gap is relatively longer by about the square of the angle.
const FLAT_EXCESS: f64 = 1e-4;

/// Because of rounding, the square of a triangle's height may be below 0 by this fraction of the square
/// of its base. If it is farther below 0, the sides cannot meet.
const CLOSURE_TOLERANCE: f64 = 1e-6;

impl RestShape {
    /// A rest shape of `particles` particles: `edges` with their rest lengths, m, and triangles
    /// whose sides are all among the edges. If an edge is given twice, the shorter length counts. A
    /// triangle is left out if a side is missing, if its sides cannot meet, or if it is a
    /// duplicate.
    pub(crate) fn new(
        particles: usize,
        edges: impl IntoIterator<Item = ([u32; 2], f32)>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Self {
        let mut given: Vec<([u32; 2], f32)> = Vec::new();
        given.extend(edges.into_iter().filter_map(|([a, b], length)| {
            let is_valid = a != b && (a.max(b) as usize) < particles;
            (is_valid && length > 0.0 && length.is_finite()).then_some(([a, b], length))
        }));
        let by_ends = EdgeLengths::new(particles, &given);

        let mut corners: Vec<[u32; 3]> = Vec::new();
        let mut lengths: Vec<[f64; 3]> = Vec::new();
        let mut ring: Vec<u32> = Vec::new();
        // The last side on each edge so far.
        let mut last = vec![NONE; by_ends.len()];
        for triangle in triangles {
            let [a, b, c] = triangle;
            if a == b || b == c || c == a || a.max(b).max(c) as usize >= particles {
                continue;
            }
            let [Some(ab), Some(bc), Some(ca)] = sides_of(triangle).map(|side| by_ends.find(side))
            else {
                continue;
            };
            let sides = [ab, bc, ca].map(|(_, length)| f64::from(length));
            if (0..3).any(|k| height_squared(sides, k) < -CLOSURE_TOLERANCE * sides[k] * sides[k]) {
                continue;
            }
            // A triangle on the edge `ab` with the corner `c` is the same triangle.
            let mut other = last[ab.0];
            let mut is_duplicate = false;
            while other != NONE {
                is_duplicate |= corners[other as usize / 3].contains(&c);
                other = ring[other as usize];
                if other == last[ab.0] {
                    break;
                }
            }
            if is_duplicate {
                continue;
            }
            for (edge, _) in [ab, bc, ca] {
                let side = ring.len() as u32;
                if last[edge] == NONE {
                    ring.push(side);
                } else {
                    let before = last[edge] as usize;
                    ring.push(ring[before]);
                    ring[before] = side;
                }
                last[edge] = side;
            }
            corners.push(triangle);
            lengths.push(sides);
        }

        let sides_at = GroupedLists::new(
            particles,
            corners.as_flattened().iter().copied().zip(0..ring.len() as u32),
        );
        let mut edges = Vec::with_capacity(by_ends.len());
        let mut bare: Vec<([u32; 2], f64)> = Vec::new();
        by_ends.for_each(|edge, ends, length| {
            edges.push((ends, length));
            if last[edge] == NONE {
                bare.push((ends, f64::from(length)));
            }
        });
        let both_ways = |&([a, b], length): &([u32; 2], f64)| [(a, (b, length)), (b, (a, length))];
        let bare_edges = GroupedLists::new(particles, bare.iter().flat_map(both_ways));
        let mut shape = Self {
            edges,
            corners,
            lengths,
            ring,
            sides_at,
            bare_edges,
            bends: Vec::with_capacity(particles),
        };
        shape.bends = (0..particles as u32).map(|particle| shape.may_bend(particle)).collect();
        shape
    }

    /// Number of particles.
    pub(crate) fn particles(&self) -> usize {
        self.bends.len()
    }

    /// Whether shortest paths can bend at a particle.
    fn may_bend(&self, particle: u32) -> bool {
        if !self.bare_edges.of(particle).is_empty() {
            return true;
        }
        let mut angle = AngleSum::default();
        let mut boundary_edges = 0;
        for &side in self.sides_at.of(particle) {
            let (triangle, k) = (side as usize / 3, side as usize % 3);
            let lengths = self.lengths[triangle];
            let [one, other] = [lengths[k], lengths[(k + 2) % 3]];
            let opposite = lengths[(k + 1) % 3];
            let cosine = (one * one + other * other - opposite * opposite) / (2.0 * one * other);
            angle.add(cosine);
            for side in [k, (k + 2) % 3].map(|k| 3 * triangle + k) {
                let next = self.ring[side] as usize;
                if next == side {
                    boundary_edges += 1;
                } else if self.ring[next] as usize != side {
                    return true; // three triangles or more at one edge
                }
            }
        }
        // A plane has two half turns around a particle, a half-plane one at its boundary.
        match boundary_edges {
            0 => angle.exceeds(2) || !self.is_one_fan(particle),
            2 => angle.exceeds(1) || !self.is_one_fan(particle),
            _ => true,
        }
    }

    /// Whether the triangles around a particle form one fan, connected by edges at the particle.
    /// No edge there may have more than two triangles.
    fn is_one_fan(&self, particle: u32) -> bool {
        let sides = self.sides_at.of(particle);
        let Some(&first) = sides.first() else { return true };
        let mut visited = 1;
        // Walks from the first triangle over its side that begins at the particle and then, if the
        // fan is open, over the one that ends there.
        let triangle = first as usize / 3;
        for begin in [first as usize, 3 * triangle + (first as usize + 2 - 3 * triangle) % 3] {
            let mut side = begin;
            loop {
                let next = self.ring[side] as usize;
                if next == side {
                    break;
                }
                // The fan is closed.
                if next / 3 == triangle {
                    return visited == sides.len();
                }
                visited += 1;
                let (other, k) = (next / 3, next % 3);
                // The other side of that triangle at the particle.
                let begins = self.corners[other][k] == particle;
                side = 3 * other + if begins { (k + 2) % 3 } else { (k + 1) % 3 };
            }
        }
        visited == sides.len()
    }

    /// Clusters of the given particles: connected components along the edges between them. They are
    /// ordered by their lowest particle numbers, and the particles of a cluster by number.
    pub(crate) fn clusters(&self, particles: &[u32]) -> Vec<Vec<u32>> {
        let mut inside = vec![false; self.particles()];
        for &particle in particles {
            if let Some(inside) = inside.get_mut(particle as usize) {
                *inside = true;
            }
        }
        let mut sets = DisjointSets::new(self.particles());
        for &(ends, _) in &self.edges {
            if ends.iter().all(|&end| inside[end as usize]) {
                sets.unite(ends);
            }
        }
        let mut clusters: Vec<Vec<u32>> = Vec::new();
        let mut cluster_of = vec![0; self.particles()];
        for particle in (0..self.particles() as u32).filter(|&it| inside[it as usize]) {
            let root = sets.root(particle);
            // The root has the lowest number, so it comes first.
            if root == particle {
                cluster_of[root as usize] = clusters.len();
                clusters.push(Vec::new());
            }
            clusters[cluster_of[root as usize]].push(particle);
        }
        clusters
    }
}

/// The sides of a triangle: side `k` joins the corners `k` and `k + 1`.
pub(super) fn sides_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The square of the height of a triangle over its side `k`, m².
fn height_squared(sides: [f64; 3], k: usize) -> f64 {
    let [base, right, left] = [sides[k], sides[(k + 1) % 3], sides[(k + 2) % 3]];
    let foot = (base * base + left * left - right * right) / (2.0 * base);
    left * left - foot * foot
}

/// Lengths of edges by their ends.
pub(super) struct EdgeLengths {
    /// By lower end: the higher end and the length, sorted.
    lists: GroupedLists<(u32, f32)>,
}

impl EdgeLengths {
    pub(super) fn new(particles: usize, given: &[([u32; 2], f32)]) -> Self {
        let by_lower = |&([a, b], length): &([u32; 2], f32)| (a.min(b), (a.max(b), length));
        let mut lists = GroupedLists::new(particles, given.iter().map(by_lower));
        for low in 0..particles as u32 {
            let range = lists.range(low);
            lists.items_mut()[range]
                .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        }
        Self { lists }
    }

    /// The number of indices of edges. (An edge given twice has two indices; the first one counts.)
    fn len(&self) -> usize {
        self.lists.items().len()
    }

    /// The index of an edge, and its shortest length.
    pub(super) fn find(&self, [a, b]: [u32; 2]) -> Option<(usize, f32)> {
        let range = self.lists.range(a.min(b));
        let high = a.max(b);
        let first =
            range.start + self.lists.items()[range.clone()].partition_point(|&(end, _)| end < high);
        let found = self.lists.items()[..range.end].get(first).filter(|&&(end, _)| end == high);
        found.map(|&(_, length)| (first, length))
    }

    /// Visits each edge once: its index, its ends, its shortest length.
    fn for_each(&self, mut visit: impl FnMut(usize, [u32; 2], f32)) {
        for low in 0..self.lists.owners() as u32 {
            let mut last = None;
            for index in self.lists.range(low) {
                let (high, length) = self.lists.items()[index];
                if last != Some(high) {
                    visit(index, [low, high], length);
                }
                last = Some(high);
            }
        }
    }
}

/// A sum of angles between 0 and π, as half turns plus an angle given by its cosine and sine.
struct AngleSum {
    half_turns: u32,
    cosine: f64,
    sine: f64,
}

impl Default for AngleSum {
    fn default() -> Self {
        Self { half_turns: 0, cosine: 1.0, sine: 0.0 }
    }
}

impl AngleSum {
    /// Adds the angle with this cosine.
    fn add(&mut self, cosine: f64) {
        let square = 1.0 - cosine * cosine;
        let (c, s) = if square > 0.0 {
            (cosine, square.sqrt())
        } else {
            (if cosine > 0.0 { 1.0 } else { -1.0 }, 0.0)
        };
        let cosine = self.cosine * c - self.sine * s;
        let sine = self.sine * c + self.cosine * s;
        // Both angles are at most π, so their sum is π or more if its sine is below 0, or if its sine is
        // 0 and its cosine below 0.
        let is_past_pi = sine < 0.0 || (sine <= 0.0 && cosine < 0.0);
        let sign = if is_past_pi { -1.0 } else { 1.0 };
        self.half_turns += u32::from(is_past_pi);
        (self.cosine, self.sine) = (sign * cosine, sign * sine);
    }

    /// Whether the sum exceeds a number of half turns by more than [`FLAT_EXCESS`].
    fn exceeds(&self, half_turns: u32) -> bool {
        self.half_turns > half_turns
            || self.half_turns == half_turns && (self.sine > FLAT_EXCESS || self.cosine < 0.0)
    }
}
