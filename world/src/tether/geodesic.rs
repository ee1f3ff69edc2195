//! Shortest distances along a surface, from the nearest of some particles.
//!
//! The continuous Dijkstra method (Mitchell, Mount, Papadimitriou, "The discrete geodesic problem",
//! 1987; Surazhsky et al., "Fast exact and approximate geodesics on meshes", 2005): a *window* is an
//! interval of an edge whose points are reached in straight lines from one *apex*, unfolded into a
//! plane. An apex is a source, or a particle at which paths bend. Windows cross triangles in the order
//! of their distances. Where two meet, each point of the edge keeps the nearer one; windows that a way
//! by a corner beats are dropped (Xin, Wang, "Improving Chen and Han's algorithm on the discrete
//! geodesic problem", 2009).
//!
//! Neighbouring windows of one apex become one before they go on: where the surface is flat they
//! continue each other, so that every edge has few. Where it is curved, the one that replaces them is
//! nowhere nearer than they are, and at most [`JOIN`] of the distance farther. So a distance is never
//! below the shortest one, but for rounding.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::surface::Surface;

/// The nearest source of a particle, along the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// The source; `u32::MAX` if none can be reached.
    pub(crate) source: u32,
    /// The distance to it, m, rounded up; infinite if none can be reached.
    pub(crate) distance: f32,
}

/// How much farther than the shortest distance joined windows may say that something is, as a share
/// of it.
const JOIN: f64 = 1e-3;
/// Distances that differ by less, as a share of them, are the same one.
const SAME: f64 = 1e-11;
/// The shortest interval worth keeping, and the widest gap that is closed, as shares of the edge.
const SHORTEST: f64 = 1e-9;
const GAP: f64 = 1e-6;
/// How much longer than until its greatest distance a window waits for others that continue it, as a
/// share of its side. Around a particle many have the same greatest distance.
const WAIT: f64 = 0.1;
/// The least height of a triangle, as a share of its base: flatter ones have this height.
const LEAST_HEIGHT: f64 = 1e-6;

const NONE: u32 = u32::MAX;
/// Marks queue entries that are particles.
const PARTICLE: u32 = 1 << 31;

impl Surface {
    /// The distance along the surface from each particle to the nearest of the `sources`. Of sources
    /// that are equally near the one of the lower number counts.
    ///
    /// Never below the shortest distance, but for rounding, and at most 0.1 % above it; where the
    /// surface is flat, or bent without stretching, it is that distance to rounding.
    pub(crate) fn from_sources(&self, sources: &[u32]) -> Vec<Nearest> {
        let mut search = Search::new(self);
        for &source in sources {
            if (source as usize) < self.particles() {
                search.begin(source);
            }
        }
        search.run();
        while search.begin_at_gaps() {
            search.run();
        }
        search.labels.iter().map(|label| label.rounded()).collect()
    }
}

/// What is known of a particle.
#[derive(Clone, Copy, Debug)]
struct Label {
    distance: f64,
    source: u32,
    /// Whether paths go on from here into all directions: it is a source, or the path that leads here
    /// ends with an edge that has no triangle.
    restarts: bool,
}

impl Label {
    fn rounded(&self) -> Nearest {
        let nearest = self.distance as f32;
        let distance = if f64::from(nearest) < self.distance { nearest.next_up() } else { nearest };
        Nearest { source: self.source, distance }
    }
}

/// An interval of a side of a triangle through which straight lines from an apex enter the triangle.
///
/// Coordinates are those of the side: its first corner is the origin, its second one lies on the
/// x-axis, and the triangle is above it.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: f64,
    to: f64,
    /// Where the apex is when the triangles up to here are unfolded, m; y is negative.
    image: [f64; 2],
    /// The distance from the apex to its source, m, and what joins added.
    offset: f64,
    /// By how much joins may have increased the distance, m, at most.
    excess: f64,
    apex: u32,
    source: u32,
    side: u32,
    /// The next window on this side.
    next: u32,
    /// Whether it is still to cross the triangle.
    waits: bool,
}

impl Window {
    /// The distance of a point of the side, m.
    #[inline]
    fn at(&self, x: f64) -> f64 {
        let [px, py] = self.image;
        self.offset + ((x - px) * (x - px) + py * py).sqrt()
    }

    /// Whether two windows are parts of one.
    fn continues(&self, other: &Self) -> bool {
        let far = self.image[0] - other.image[0];
        let off = self.image[1] - other.image[1];
        let size = SAME * (self.image[0].abs() + self.image[1].abs());
        self.apex == other.apex
            && (self.offset - other.offset).abs() <= SAME * self.offset
            && far.abs() <= size
            && off.abs() <= size
    }
}

struct Search<'a> {
    surface: &'a Surface,
    labels: Vec<Label>,
    windows: Vec<Window>,
    /// The first window of each side.
    first: Vec<u32>,
    /// By distance (whose bits sort like it): windows by the greatest distance on their side, so that
    /// those that join are there before one of them goes on.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Search<'a> {
    fn new(surface: &'a Surface) -> Self {
        let unknown = Label { distance: f64::INFINITY, source: NONE, restarts: false };
        Self {
            surface,
            labels: vec![unknown; surface.particles()],
            windows: Vec::new(),
            first: vec![NONE; surface.ring.len()],
            queue: BinaryHeap::new(),
        }
    }

    fn begin(&mut self, source: u32) {
        self.labels[source as usize] = Label { distance: 0.0, source, restarts: true };
        self.queue.push(Reverse((0, source | PARTICLE)));
    }

    fn run(&mut self) {
        while let Some(Reverse((key, number))) = self.queue.pop() {
            if number & PARTICLE == 0 {
                self.cross(number as usize);
            } else {
                let particle = number & !PARTICLE;
                if self.labels[particle as usize].distance.to_bits() == key {
                    self.leave(particle);
                }
            }
        }
    }

    /// Goes on along edges to particles that no window reached, should rounding have closed all ways
    /// to them. Returns whether there are such.
    fn begin_at_gaps(&mut self) -> bool {
        let surface = self.surface;
        let mut found = false;
        for particle in 0..surface.particles() as u32 {
            if self.labels[particle as usize].distance.is_finite() {
                continue;
            }
            for &side in surface.around.of(particle) {
                let (triangle, k) = (side as usize / 3, side as usize % 3);
                for (end, side) in [((k + 1) % 3, k), ((k + 2) % 3, (k + 2) % 3)] {
                    let end = surface.corners[triangle][end] as usize;
                    let Label { distance, source, .. } = self.labels[end];
                    if distance.is_finite() {
                        let length = surface.lengths[triangle][side];
                        self.improve(particle, distance + length, source, true);
                        found = true;
                    }
                }
            }
        }
        found
    }

    /// Takes over a way to a particle if it is shorter than the one known.
    fn improve(&mut self, particle: u32, distance: f64, source: u32, restarts: bool) {
        let label = &mut self.labels[particle as usize];
        if distance < label.distance * (1.0 - SAME) {
            *label = Label { distance, source, restarts };
            if restarts || self.surface.bends[particle as usize] {
                self.queue.push(Reverse((distance.to_bits(), particle | PARTICLE)));
            }
        } else if source < label.source && distance <= label.distance * (1.0 + SAME) {
            label.source = source;
        }
    }

    /// Goes on from a particle at which paths bend, or begin.
    fn leave(&mut self, particle: u32) {
        let surface = self.surface;
        let Label { distance, source, .. } = self.labels[particle as usize];
        for &(end, length) in surface.lone.of(particle) {
            self.improve(end, distance + length, source, true);
        }
        for &side in surface.around.of(particle) {
            let (triangle, k) = (side as usize / 3, side as usize % 3);
            let corners = surface.corners[triangle];
            let lengths = surface.lengths[triangle];
            let [left, base, right] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| lengths[k]);
            self.improve(corners[(k + 1) % 3], distance + left, source, false);
            self.improve(corners[(k + 2) % 3], distance + right, source, false);
            let [x, y] = corner(base, left, right);
            let window = Window {
                from: 0.0,
                to: base,
                image: [x, -y],
                offset: distance,
                excess: 0.0,
                apex: particle,
                source,
                side: NONE,
                next: NONE,
                waits: true,
            };
            self.pass((3 * triangle + (k + 1) % 3) as u32, window, base);
        }
    }

    /// Takes a window across its triangle.
    fn cross(&mut self, number: usize) {
        let window = self.windows[number];
        if !window.waits {
            return;
        }
        self.windows[number].waits = false;
        let surface = self.surface;
        let (triangle, k) = (window.side as usize / 3, window.side as usize % 3);
        let [ka, kb, kc] = [k, (k + 1) % 3, (k + 2) % 3];
        let [a, b, c] = [ka, kb, kc].map(|k| surface.corners[triangle][k]);
        let [ab, bc, ca] = [ka, kb, kc].map(|k| surface.lengths[triangle][k]);
        let [cx, cy] = corner(ab, ca, bc);
        let [px, py] = window.image;
        let Window { from, to, offset, source, .. } = window;
        let [at_from, at_to] = [window.at(from), window.at(to)];

        // Where the straight line to the corner crosses the side.
        let x = px + (cx - px) * (-py / (cy - py));
        let straight = offset + ((cx - px) * (cx - px) + (cy - py) * (cy - py)).sqrt();
        if straight <= self.labels[c as usize].distance * (1.0 + SAME) {
            let bent = |x: f64, at: f64| at + ((cx - x) * (cx - x) + cy * cy).sqrt();
            let distance = if x < from {
                bent(from, at_from)
            } else if x > to {
                bent(to, at_to)
            } else {
                straight
            };
            self.improve(c, distance, source, false);
        }
        for (end, length) in [(a, ca), (b, bc)] {
            let Label { distance, source, .. } = self.labels[end as usize];
            if distance.is_finite() {
                self.improve(c, distance + length, source, false);
            }
        }

        // A way by the corner that meets all lines to one side before they leave the triangle.
        let by_corner =
            |x: f64| self.labels[c as usize].distance + ((cx - x) * (cx - x) + cy * cy).sqrt();
        let beaten = |x: f64, at: f64| by_corner(x) < at * (1.0 - SAME) - window.excess;
        let to_left = x > from && !beaten(from, at_from);
        let to_right = x < to && !beaten(to, at_to);
        // Where a line through a point of the base leaves the left side, as a share of it.
        let leaves = |x: f64, px: f64, cx: f64| {
            let share = -py * x / (cx * -py - cy * (x - px));
            if share < 1.0 { share } else { 1.0 }
        };
        if to_left {
            let length = if cy > LEAST_HEIGHT * ab { ca } else { (cx * cx + cy * cy).sqrt() };
            let image = [(px * cx + py * cy) / length, -((px * cy - py * cx) / length).abs()];
            let to = if x <= to { 1.0 } else { leaves(to, px, cx) };
            let from = leaves(from, px, cx);
            let child = Window { from: ca * (1.0 - to), to: ca * (1.0 - from), ..window };
            // Side c begins at the corner, and the share is counted from its end.
            let child = Window { image: [ca - image[0], image[1]], ..child };
            self.pass((3 * triangle + kc) as u32, child, ca);
        }
        if to_right {
            let (px, cx) = (ab - px, ab - cx);
            let length = if cy > LEAST_HEIGHT * ab { bc } else { (cx * cx + cy * cy).sqrt() };
            let image = [(px * cx + py * cy) / length, -((px * cy - py * cx) / length).abs()];
            let from_share = if x >= from { 1.0 } else { leaves(ab - from, px, cx) };
            let to_share = leaves(ab - to, px, cx);
            let child = Window { from: bc * to_share, to: bc * from_share, image, ..window };
            self.pass((3 * triangle + kb) as u32, child, bc);
        }
    }

    /// Takes a window that leaves a triangle by `side` into the others at the same edge. Its
    /// coordinates are those of that side.
    fn pass(&mut self, side: u32, window: Window, length: f64) {
        let surface = self.surface;
        if window.to - window.from <= SHORTEST * length
            || -window.image[1] <= SHORTEST * length.min(window.image[0].abs())
        {
            return;
        }
        let (triangle, k) = (side as usize / 3, side as usize % 3);
        let [start, end] = [k, (k + 1) % 3].map(|k| surface.corners[triangle][k]);
        // Along the edge from one of its ends: what is nearer so at the far end of the window is so
        // everywhere in it.
        let [from_start, from_end] =
            [start, end].map(|corner| self.labels[corner as usize].distance);
        let least = |x: f64| window.at(x) * (1.0 - SAME) - window.excess;
        if from_start + window.to < least(window.to)
            || from_end + (length - window.from) < least(window.from)
        {
            return;
        }
        let mut next = surface.ring[side as usize];
        while next != side {
            let same_way = surface.corners[next as usize / 3][next as usize % 3] == start;
            let entering = if same_way {
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
            next = surface.ring[next as usize];
        }
    }

    /// Puts a window among those of its side, each keeping the points that it is nearer to.
    fn insert(&mut self, window: Window, length: f64) {
        let side = window.side;
        let mut rest = window;
        let (mut before, mut here) = (NONE, self.first[side as usize]);
        while here != NONE && self.windows[here as usize].to <= rest.from {
            (before, here) = (here, self.windows[here as usize].next);
        }
        while here != NONE && self.windows[here as usize].from < rest.to {
            let old = self.windows[here as usize];
            let [first, last] = [old.from.max(rest.from), old.to.min(rest.to)];
            let mut pieces = Pieces::default();
            if rest.from < first {
                pieces.push(Which::New, rest.from, first);
            } else if old.from < first {
                pieces.push(Which::Old, old.from, first);
            }
            if old.continues(&rest) {
                pieces.push(Which::Old, first, last);
            } else {
                nearer([&old, &rest], [first, last], &mut pieces);
            }
            if old.to > last {
                pieces.push(Which::Old, last, old.to);
            }

            // The old window keeps the first of its pieces, and gets copies for the others.
            let mut is_kept = false;
            let reaches_on = rest.to > last;
            for piece in 0..pieces.len {
                let (which, from, to) = pieces.all[piece];
                if which == Which::New {
                    if reaches_on && piece + 1 == pieces.len {
                        rest.from = from;
                    } else {
                        before = self.append(before, Window { from, to, ..rest }, length);
                    }
                } else if is_kept {
                    before = self.append(before, Window { from, to, ..old }, length);
                } else if to - from > SHORTEST * length {
                    is_kept = true;
                    let kept = &mut self.windows[here as usize];
                    (kept.from, kept.to) = (from, to);
                    before = self.link(before, here, side, length);
                }
            }
            if reaches_on && pieces.last() == Some(Which::Old) {
                rest.from = last;
            }
            if !is_kept {
                self.windows[here as usize].waits = false;
            }
            here = old.next;
            if !reaches_on {
                rest.from = rest.to;
            }
        }
        before = self.append(before, rest, length);
        self.link(before, here, side, length);
    }

    /// Puts a window behind another one of its side, and into the queue if it is still to go on.
    /// Returns the last window so far.
    fn append(&mut self, before: u32, window: Window, length: f64) -> u32 {
        if window.to - window.from <= SHORTEST * length {
            return before;
        }
        if before != NONE {
            let last = &mut self.windows[before as usize];
            if let Some(joined) = joined(last, &window, length) {
                *last = joined;
                return before;
            }
        }
        let number = self.windows.len() as u32;
        self.windows.push(window);
        if window.waits {
            let [start, end] = [window.at(0.0), window.at(length)];
            let key = if start > end { start } else { end } + WAIT * length;
            self.queue.push(Reverse((key.to_bits(), number)));
        }
        self.link(before, number, window.side, length)
    }

    /// Lets a window follow another one of its side, or becomes one with it. Returns the last window
    /// so far.
    fn link(&mut self, before: u32, number: u32, side: u32, length: f64) -> u32 {
        if before == NONE {
            self.first[side as usize] = number;
            return number;
        }
        if number != NONE {
            let [last, window] = [before, number].map(|number| self.windows[number as usize]);
            if let Some(joined) = joined(&last, &window, length) {
                self.windows[before as usize] = Window { next: window.next, ..joined };
                self.windows[number as usize].waits = false;
                return before;
            }
        }
        self.windows[before as usize].next = number;
        number
    }
}

/// The place of the corner of a triangle above its base, by the other sides at the base's two ends.
fn corner(base: f64, left: f64, right: f64) -> [f64; 2] {
    let x = (base * base + left * left - right * right) / (2.0 * base);
    let square = left * left - x * x;
    let least = LEAST_HEIGHT * base;
    [x, if square > least * least { square.sqrt() } else { least }]
}

/// Two windows of one apex that wait side by side, as one: nowhere nearer than they are.
fn joined(left: &Window, right: &Window, length: f64) -> Option<Window> {
    let can = left.waits
        && right.waits
        && left.apex == right.apex
        && left.source == right.source
        && right.from - left.to <= GAP * length;
    if !can {
        return None;
    }
    let excess = left.excess.max(right.excess);
    let both = Window { from: left.from, to: right.to, excess, next: right.next, ..*left };
    if left.continues(right) {
        return Some(both);
    }
    let (major, minor) =
        if left.to - left.from >= right.to - right.from { (left, right) } else { (right, left) };
    let (mut raise, mut over) = (0.0, 0.0);
    for x in [minor.from, 0.5 * (minor.from + minor.to), minor.to] {
        let difference = minor.at(x) - major.at(x);
        if difference > raise {
            raise = difference;
        }
        if -difference > over {
            over = -difference;
        }
    }
    // Between the three points the difference may be a little greater.
    raise *= 1.05;
    let by_major = major.excess + raise;
    let by_minor = minor.excess + over + raise;
    let excess = if by_major > by_minor { by_major } else { by_minor };
    let nearest = if both.at(both.from) < both.at(both.to) { both.from } else { both.to };
    (excess <= JOIN * (major.at(nearest) - major.offset)).then(|| Window {
        image: major.image,
        offset: major.offset + raise,
        excess,
        ..both
    })
}

/// One of two windows that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Which {
    #[default]
    Old,
    New,
}

/// Which of two windows has what, from left to right.
#[derive(Default)]
struct Pieces {
    all: [(Which, f64, f64); 6],
    len: usize,
}

impl Pieces {
    /// Adds a piece that begins where the last one ends.
    fn push(&mut self, which: Which, from: f64, to: f64) {
        if self.last() == Some(which) {
            self.all[self.len - 1].2 = to;
        } else {
            self.all[self.len] = (which, from, to);
            self.len += 1;
        }
    }

    fn last(&self) -> Option<Which> {
        self.len.checked_sub(1).map(|last| self.all[last].0)
    }
}

/// Which of two windows is nearer where in an interval: the new one only where it is clearly so.
fn nearer([old, new]: [&Window; 2], [from, to]: [f64; 2], pieces: &mut Pieces) {
    // Above 0 where the new one is nearer.
    let gain = |x: f64| {
        let at = old.at(x);
        at - new.at(x) - SAME * at
    };
    // The difference changes its sign twice at most. If it does, one is nearer at both ends, and the
    // other one where it is nearest.
    let [one, other] = [old.image[0], new.image[0]];
    let middles = if one < other { [one, other] } else { [other, one] };
    let mut begin = (from, gain(from));
    for (nth, end) in [middles[0], middles[1], to].into_iter().enumerate() {
        if nth < 2 && !(end > begin.0 && end < to) {
            continue;
        }
        let end = (end, gain(end));
        let which = |gain: f64| if gain > 0.0 { Which::New } else { Which::Old };
        if which(begin.1) == which(end.1) {
            pieces.push(which(end.1), begin.0, end.0);
        } else {
            let x = change(begin, end, gain);
            pieces.push(which(begin.1), begin.0, x);
            pieces.push(which(end.1), x, end.0);
        }
        begin = end;
    }
}

/// Where a function changes its sign between two points: regula falsi as the Illinois method
/// improves it (Dowell, Jarratt 1971).
fn change(mut a: (f64, f64), mut b: (f64, f64), function: impl Fn(f64) -> f64) -> f64 {
    let size = b.0 - a.0;
    let mut x = a.0;
    let mut last_side = 0;
    for _ in 0..40 {
        x = b.0 - b.1 * ((b.0 - a.0) / (b.1 - a.1));
        if !(x > a.0 && x < b.0) {
            x = 0.5 * (a.0 + b.0);
        }
        let value = function(x);
        if (value > 0.0) == (b.1 > 0.0) {
            if b.0 - x <= 1e-12 * size {
                break;
            }
            b = (x, value);
            if last_side == 1 {
                a.1 *= 0.5;
            }
            last_side = 1;
        } else {
            if x - a.0 <= 1e-12 * size {
                break;
            }
            a = (x, value);
            if last_side == -1 {
                b.1 *= 0.5;
            }
            last_side = -1;
        }
    }
    x
}
