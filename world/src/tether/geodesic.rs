//! Shortest distances along a surface, from each particle to the nearest of some sources.
//!
//! The continuous Dijkstra method (Mitchell, Mount, Papadimitriou, "The discrete geodesic problem",
//! 1987; Surazhsky et al., "Fast exact and approximate geodesics on meshes", 2005): a *window* is
//! an interval of an edge whose points are reached in straight lines from one *apex*, with the
//! triangles unfolded into a plane. An apex is a source, or a particle at which paths bend. Windows
//! cross triangles in the order of their distances. Where two windows overlap, each point of the
//! edge keeps the nearer one. Windows that are dominated by a path through a corner are dropped
//! (Xin, Wang, "Improving Chen and Han's algorithm on the discrete geodesic problem", 2009).
//!
//! Neighbouring windows of one apex are joined before they are propagated. Where the surface is
//! flat, the images of their apex agree, so an edge has few windows. Where it is curved, the
//! distances of the joined window are at least those of its parts, and larger by at most a fraction
//! of [`JOIN_EXCESS_MAX`]. So a result is never below the shortest distance, except for rounding.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rest_shape::RestShape;
use super::window::{
    EQUAL_TOLERANCE, HEIGHT_MIN, Owner, Pieces, WINDOW_MIN, Window, divide, join, third_corner,
};

/// The nearest source of a particle, along the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearestSource {
    /// The source; `u32::MAX` if none can be reached.
    pub(crate) source: u32,
    /// The distance to it, m, rounded up; infinite if none can be reached.
    pub(crate) distance: f32,
}

/// Largest excess of the distances of joined windows over the shortest distances, as a fraction of
/// these.
const JOIN_EXCESS_MAX: f64 = 1e-3;
/// Delay of a window in the queue, as a fraction of the length of its side. Windows on sides that share
/// the end that is farther from the source have about the same key without it, the distance of that end.
/// Because of the delay, all of them are inserted and joined before one is propagated.
const QUEUE_DELAY: f64 = 0.1;

/// No source, side or window.
const NONE: u32 = u32::MAX;
/// The bit that marks queue entries that are particles.
const PARTICLE: u32 = 1 << 31;

impl RestShape {
    /// The distance along the surface from each particle to the nearest of the `sources`. If
    /// several are equally near, the one with the lowest number counts. Numbers that are not
    /// particles are ignored.
    ///
    /// A distance is never below the shortest one, except for rounding, and at most 0.1 % above it.
    /// It is exact to rounding where the surface is flat, or bent without stretching. On such surfaces
    /// the time is `O(n log n)`; on rough ones, the number of windows per edge grows with the size of
    /// the mesh.
    pub(crate) fn distances_from(&self, sources: &[u32]) -> Vec<NearestSource> {
        self.distances_within(JOIN_EXCESS_MAX, sources)
    }

    /// Like [`distances_from`](Self::distances_from), with distances above the shortest ones by at
    /// most a fraction of `excess_max`.
    pub(super) fn distances_within(&self, excess_max: f64, sources: &[u32]) -> Vec<NearestSource> {
        let mut search = Search::new(self, excess_max);
        for &source in sources {
            if (source as usize) < self.particles() {
                search.begin(source);
            }
        }
        search.run();
        while search.restart_at_unreached() {
            search.run();
        }
        search.labels.iter().map(Label::rounded).collect()
    }
}

/// The shortest path found to a particle so far.
#[derive(Clone, Copy, Debug)]
struct Label {
    /// The length of the path from the source, m.
    distance: f64,
    /// Upper bound of its excess over the shortest path, added by joins, m.
    excess: f64,
    /// The particle where the path begins.
    source: u32,
}

impl Label {
    /// The label with its distance rounded up to `f32`.
    fn rounded(&self) -> NearestSource {
        let nearest = self.distance as f32;
        let distance = if f64::from(nearest) < self.distance { nearest.next_up() } else { nearest };
        NearestSource { source: self.source, distance }
    }
}

/// The state of a search.
struct Search<'a> {
    shape: &'a RestShape,
    /// Largest excess of a window, as a fraction of its distance.
    excess_max: f64,
    /// By particle.
    labels: Vec<Label>,
    /// All windows so far; other fields refer to them by index.
    windows: Vec<Window>,
    /// The first window of each side; side `k` of triangle `t` has the number `3 t + k`.
    first: Vec<u32>,
    /// Windows and particles (marked with [`PARTICLE`]) by the bits of their distance, which sort like
    /// the distance. For a window it is the greater distance at the ends of its side, plus
    /// [`QUEUE_DELAY`] times the length of the side, so that all windows that can join are inserted
    /// before one is propagated.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Search<'a> {
    fn new(shape: &'a RestShape, excess_max: f64) -> Self {
        let unreached = Label { distance: f64::INFINITY, excess: 0.0, source: NONE };
        Self {
            shape,
            excess_max,
            labels: vec![unreached; shape.particles()],
            windows: Vec::new(),
            first: vec![NONE; shape.ring.len()],
            queue: BinaryHeap::new(),
        }
    }

    /// Adds a source.
    fn begin(&mut self, source: u32) {
        self.labels[source as usize] = Label { distance: 0.0, excess: 0.0, source };
        self.queue.push(Reverse((0, source | PARTICLE)));
    }

    /// Handles the entries of the queue until it is empty.
    fn run(&mut self) {
        while let Some(Reverse((key, entry))) = self.queue.pop() {
            if entry & PARTICLE == 0 {
                self.propagate(entry as usize);
            } else {
                let particle = entry & !PARTICLE;
                if self.labels[particle as usize].distance.to_bits() == key {
                    self.emit_windows(particle);
                }
            }
        }
    }

    /// Continues paths along edges to particles that no window reached, because one was dropped due to
    /// rounding. Returns whether a path to such a particle was found.
    fn restart_at_unreached(&mut self) -> bool {
        let shape = self.shape;
        let mut found = false;
        for particle in 0..shape.particles() as u32 {
            if self.labels[particle as usize].distance.is_finite() {
                continue;
            }
            for &side in shape.sides_at.of(particle) {
                let (triangle, k) = (side as usize / 3, side as usize % 3);
                // The other two corners, and the sides that join them to the particle.
                for (corner, side) in [((k + 1) % 3, k), ((k + 2) % 3, (k + 2) % 3)] {
                    let end = shape.corners[triangle][corner];
                    found |= self.labels[end as usize].distance.is_finite();
                    self.extend(end, shape.lengths[triangle][side], particle, true);
                }
            }
        }
        found
    }

    /// Replaces the label of a particle if the new path is shorter. The particle then becomes an apex if
    /// shortest paths can bend there, or if `restarts` is set: after a path along an edge without
    /// triangles, or to a particle that no window reached.
    fn improve(&mut self, particle: u32, new: Label, restarts: bool) {
        let label = &mut self.labels[particle as usize];
        if new.distance < label.distance * (1.0 - EQUAL_TOLERANCE) {
            *label = new;
            if restarts || self.shape.bends[particle as usize] {
                self.queue.push(Reverse((new.distance.to_bits(), particle | PARTICLE)));
            }
        } else if new.source < label.source
            && new.distance <= label.distance * (1.0 + EQUAL_TOLERANCE)
        {
            label.source = new.source;
        }
    }

    /// Improves the label of the end `to` of an edge by the path through its end `from`; `length` is
    /// that of the edge, m.
    fn extend(&mut self, from: u32, length: f64, to: u32, restarts: bool) {
        let label = self.labels[from as usize];
        if label.distance.is_finite() {
            self.improve(to, Label { distance: label.distance + length, ..label }, restarts);
        }
    }

    /// Makes a particle an apex: follows the edges from it, and creates a window on the opposite side of
    /// each of its triangles.
    fn emit_windows(&mut self, particle: u32) {
        let shape = self.shape;
        let Label { distance, excess, source } = self.labels[particle as usize];
        for &(end, length) in shape.bare_edges.of(particle) {
            self.extend(particle, length, end, true);
        }
        for &side in shape.sides_at.of(particle) {
            let (triangle, k) = (side as usize / 3, side as usize % 3);
            let corners = shape.corners[triangle];
            let lengths = shape.lengths[triangle];
            let [left, base, right] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| lengths[k]);
            self.extend(particle, left, corners[(k + 1) % 3], false);
            self.extend(particle, right, corners[(k + 2) % 3], false);
            // The window is the whole opposite side. It enters the triangles beyond that side, so
            // the particle is below it.
            let [x, y] = third_corner(base, left, right);
            let window = Window {
                from: 0.0,
                to: base,
                image: [x, -y],
                offset: distance,
                excess,
                apex: particle,
                source,
                side: NONE,
                next: NONE,
                is_pending: true,
            };
            self.enter_neighbours((3 * triangle + (k + 1) % 3) as u32, window, base);
        }
    }

    /// Propagates a window across its triangle to the other two sides.
    fn propagate(&mut self, index: usize) {
        let window = self.windows[index];
        if !window.is_pending {
            return;
        }
        self.windows[index].is_pending = false;
        let shape = self.shape;
        let (triangle, k) = (window.side as usize / 3, window.side as usize % 3);
        let [ka, kb, kc] = [k, (k + 1) % 3, (k + 2) % 3];
        let [a, b, c] = [ka, kb, kc].map(|k| shape.corners[triangle][k]);
        let [ab, bc, ca] = [ka, kb, kc].map(|k| shape.lengths[triangle][k]);
        let [cx, cy] = third_corner(ab, ca, bc);
        let [px, py] = window.image;
        let Window { from, to, offset, excess, source, .. } = window;
        let [distance_from, distance_to] = [from, to].map(|x| window.distance_at(x));

        // The point of the side at which the straight line from the apex to the corner crosses it.
        let x = px + (cx - px) * (-py / (cy - py));
        let straight = offset + ((cx - px) * (cx - px) + (cy - py) * (cy - py)).sqrt();
        if straight <= self.labels[c as usize].distance * (1.0 + EQUAL_TOLERANCE) {
            let bent = |x: f64, distance: f64| distance + ((cx - x) * (cx - x) + cy * cy).sqrt();
            let distance = if x < from {
                bent(from, distance_from)
            } else if x > to {
                bent(to, distance_to)
            } else {
                straight
            };
            self.improve(c, Label { distance, excess, source }, false);
        }
        self.extend(a, ca, c, false);
        self.extend(b, bc, c, false);

        // All lines that leave through one side cross the segment from the corner to one end of the
        // window, so a shorter path through the corner dominates all of them.
        let through_corner =
            |x: f64| self.labels[c as usize].distance + ((cx - x) * (cx - x) + cy * cy).sqrt();
        let is_dominated = |x: f64, distance: f64| {
            through_corner(x) < distance * (1.0 - EQUAL_TOLERANCE) - window.excess
        };
        let reaches_left = x > from && !is_dominated(from, distance_from);
        let reaches_right = x < to && !is_dominated(to, distance_to);
        // Where the line from the apex through a point of the base crosses the left side, as a
        // fraction of its length.
        let crossing = |x: f64, px: f64, cx: f64| {
            let fraction = -py * x / (cx * -py - cy * (x - px));
            if fraction < 1.0 { fraction } else { 1.0 }
        };
        if reaches_left {
            // In a flat triangle, `third_corner` has moved the corner, and so changed the length of this
            // side.
            let length = if cy > HEIGHT_MIN * ab { ca } else { (cx * cx + cy * cy).sqrt() };
            let image = [(px * cx + py * cy) / length, -((px * cy - py * cx) / length).abs()];
            let to_fraction = if x <= to { 1.0 } else { crossing(to, px, cx) };
            let from_fraction = crossing(from, px, cx);
            // Side `kc` begins at the corner `c`, and the fractions count from its other end.
            let [from, to] = [to_fraction, from_fraction].map(|fraction| ca * (1.0 - fraction));
            let child = Window { from, to, ..window };
            let child = Window { image: [ca - image[0], image[1]], ..child };
            self.enter_neighbours((3 * triangle + kc) as u32, child, ca);
        }
        if reaches_right {
            let (px, cx) = (ab - px, ab - cx);
            let length = if cy > HEIGHT_MIN * ab { bc } else { (cx * cx + cy * cy).sqrt() };
            let image = [(px * cx + py * cy) / length, -((px * cy - py * cx) / length).abs()];
            // Mirrored: the right side of the triangle takes the place of the left one.
            let from_fraction = if x >= from { 1.0 } else { crossing(ab - from, px, cx) };
            let to_fraction = crossing(ab - to, px, cx);
            let child = Window { from: bc * to_fraction, to: bc * from_fraction, image, ..window };
            self.enter_neighbours((3 * triangle + kb) as u32, child, bc);
        }
    }

    /// Inserts a window that leaves a triangle by `side` into the other triangles at that edge. Its
    /// coordinates are those of `side`, whose length is `length`, m.
    fn enter_neighbours(&mut self, side: u32, window: Window, length: f64) {
        let shape = self.shape;
        // Drops windows that are too short, or whose apex is on the line of the side.
        if window.to - window.from <= WINDOW_MIN * length
            || -window.image[1] <= WINDOW_MIN * length.min(window.image[0].abs())
        {
            return;
        }
        let (triangle, k) = (side as usize / 3, side as usize % 3);
        let [start, end] = [k, (k + 1) % 3].map(|k| shape.corners[triangle][k]);
        // If a path along the edge is shorter even at the far end of the window, it is shorter
        // everywhere on the window: the window is dominated.
        let [from_start, from_end] =
            [start, end].map(|corner| self.labels[corner as usize].distance);
        let lower_bound = |x: f64| window.distance_at(x) * (1.0 - EQUAL_TOLERANCE) - window.excess;
        if from_start + window.to < lower_bound(window.to)
            || from_end + (length - window.from) < lower_bound(window.from)
        {
            return;
        }
        let mut next = shape.ring[side as usize];
        while next != side {
            let is_same_direction = shape.corners[next as usize / 3][next as usize % 3] == start;
            let entering = if is_same_direction {
                Window { side: next, ..window }
            } else {
                Window {
                    side: next,
                    from: length - window.to,
                    to: length - window.from,
                    image: [length - window.image[0], window.image[1]],
                    ..window
                }
            };
            self.insert(entering, length);
            next = shape.ring[next as usize];
        }
    }

    /// Inserts a window among those of its side, whose length is `length`, m. Each point of an
    /// overlap goes to the nearer window.
    fn insert(&mut self, window: Window, length: f64) {
        let side = window.side;
        // The part of the window that is not inserted yet.
        let mut remaining = window;
        let (mut before, mut current) = (NONE, self.first[side as usize]);
        while current != NONE && self.windows[current as usize].to <= remaining.from {
            (before, current) = (current, self.windows[current as usize].next);
        }
        while current != NONE && self.windows[current as usize].from < remaining.to {
            let old = self.windows[current as usize];
            let [first, last] = [old.from.max(remaining.from), old.to.min(remaining.to)];
            let mut pieces = Pieces::default();
            if remaining.from < first {
                pieces.push(Owner::New, remaining.from, first);
            } else if old.from < first {
                pieces.push(Owner::Old, old.from, first);
            }
            if old.continues(&remaining) {
                pieces.push(Owner::Old, first, last);
            } else {
                divide([&old, &remaining], [first, last], &mut pieces);
            }
            if old.to > last {
                pieces.push(Owner::Old, last, old.to);
            }

            // The old window keeps the first of its pieces; the others become copies of it.
            let mut is_kept = false;
            let extends_beyond = remaining.to > last;
            for piece in 0..pieces.len {
                let (owner, from, to) = pieces.all[piece];
                if owner == Owner::New {
                    // The last piece continues beyond the old window.
                    if extends_beyond && piece + 1 == pieces.len {
                        remaining.from = from;
                    } else {
                        before = self.append(before, Window { from, to, ..remaining }, length);
                    }
                } else if is_kept {
                    before = self.append(before, Window { from, to, ..old }, length);
                } else if to - from > WINDOW_MIN * length {
                    is_kept = true;
                    let kept = &mut self.windows[current as usize];
                    (kept.from, kept.to) = (from, to);
                    before = self.link(before, current, side, length);
                }
            }
            if extends_beyond && pieces.last() == Some(Owner::Old) {
                remaining.from = last;
            }
            if !is_kept {
                self.windows[current as usize].is_pending = false;
            }
            current = old.next;
            if !extends_beyond {
                remaining.from = remaining.to;
            }
        }
        before = self.append(before, remaining, length);
        self.link(before, current, side, length);
    }

    /// Joins a new window to the window `before`, or links it after that one in the list of its
    /// side, and queues it if it is pending. Returns the last window of the list up to here.
    fn append(&mut self, before: u32, window: Window, length: f64) -> u32 {
        if window.to - window.from <= WINDOW_MIN * length {
            return before;
        }
        if before != NONE {
            let last = &mut self.windows[before as usize];
            if let Some(joined) = join(last, &window, length, self.excess_max) {
                *last = joined;
                return before;
            }
        }
        let index = self.windows.len() as u32;
        self.windows.push(window);
        if window.is_pending {
            let [start, end] = [window.distance_at(0.0), window.distance_at(length)];
            let key = if start > end { start } else { end } + QUEUE_DELAY * length;
            self.queue.push(Reverse((key.to_bits(), index)));
        }
        self.link(before, index, window.side, length)
    }

    /// Links a window after `before` in the list of its side, or joins the two. Returns the last
    /// window of the list up to here.
    fn link(&mut self, before: u32, index: u32, side: u32, length: f64) -> u32 {
        if before == NONE {
            self.first[side as usize] = index;
            return index;
        }
        if index != NONE {
            let [last, window] = [before, index].map(|index| self.windows[index as usize]);
            if let Some(joined) = join(&last, &window, length, self.excess_max) {
                self.windows[before as usize] = Window { next: window.next, ..joined };
                self.windows[index as usize].is_pending = false;
                return before;
            }
        }
        self.windows[before as usize].next = index;
        index
    }
}
