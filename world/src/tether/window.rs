//! Windows of the continuous Dijkstra method: how they are joined and cut.

/// Relative difference up to which distances count as equal.
pub(super) const EQUAL_TOLERANCE: f64 = 1e-11;
/// The length of the shortest window that is kept, as a fraction of the edge.
pub(super) const WINDOW_MIN: f64 = 1e-9;
/// The length of the widest gap that a join closes, as a fraction of the edge.
const GAP_MAX: f64 = 1e-6;
/// The smallest height of a triangle, as a fraction of its base: flatter ones get this height.
pub(super) const HEIGHT_MIN: f64 = 1e-6;

/// An interval of a side of a triangle through which straight lines from an apex enter the
/// triangle.
///
/// Coordinates are those of the side: its first corner is the origin, its second one lies on the
/// x-axis, and the triangle is above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Where the interval begins and ends, m.
    pub(super) from: f64,
    pub(super) to: f64,
    /// Position of the apex, with the triangles up to here unfolded into the plane, m; y is
    /// negative.
    pub(super) image: [f64; 2],
    /// The distance from the apex to its source, plus all amounts by which joins raised it, m.
    pub(super) offset: f64,
    /// Upper bound of how much the distances of the window exceed the shortest ones because of joins,
    /// m.
    pub(super) excess: f64,
    /// The particle where the straight lines begin.
    pub(super) apex: u32,
    /// The particle where paths through the window begin.
    pub(super) source: u32,
    /// The side that the interval lies on; side `k` of triangle `t` has the number `3 t + k`.
    pub(super) side: u32,
    /// The next window on this side.
    pub(super) next: u32,
    /// Whether it has yet to be propagated.
    pub(super) is_pending: bool,
}

impl Window {
    /// The distance from the source to a point of the side, m.
    #[inline]
    pub(super) fn distance_at(&self, x: f64) -> f64 {
        let [px, py] = self.image;
        self.offset + ((x - px) * (x - px) + py * py).sqrt()
    }

    /// Whether two windows have the same apex, at the same position and distance.
    pub(super) fn continues(&self, other: &Self) -> bool {
        let dx = self.image[0] - other.image[0];
        let dy = self.image[1] - other.image[1];
        let tolerance = EQUAL_TOLERANCE * (self.image[0].abs() + self.image[1].abs());
        self.apex == other.apex
            && (self.offset - other.offset).abs() <= EQUAL_TOLERANCE * self.offset
            && dx.abs() <= tolerance
            && dy.abs() <= tolerance
    }
}

/// Joins two adjacent pending windows of one apex. No distance gets shorter. `None` if the windows
/// do not fit, or the excess would be more than `excess_max` times the distance. `length` is that of
/// the side, m.
pub(super) fn join(left: &Window, right: &Window, length: f64, excess_max: f64) -> Option<Window> {
    let fits = left.is_pending
        && right.is_pending
        && left.apex == right.apex
        && left.source == right.source
        && right.from - left.to <= GAP_MAX * length;
    if !fits {
        return None;
    }
    let excess = left.excess.max(right.excess);
    let both = Window { from: left.from, to: right.to, excess, next: right.next, ..*left };
    if left.continues(right) {
        return Some(both);
    }
    let (major, minor) =
        if left.to - left.from >= right.to - right.from { (left, right) } else { (right, left) };
    // The largest excess of the distances of `minor` over those of `major`, and the reverse.
    let (mut minor_above, mut major_above) = (0.0, 0.0);
    for x in [minor.from, 0.5 * (minor.from + minor.to), minor.to] {
        let difference = minor.distance_at(x) - major.distance_at(x);
        if difference > minor_above {
            minor_above = difference;
        }
        if -difference > major_above {
            major_above = -difference;
        }
    }
    // Between the three points the difference may be a little larger, hence 5 % more.
    let raise = minor_above * 1.05;
    let by_major = major.excess + raise;
    let by_minor = minor.excess + major_above + raise;
    let excess = if by_major > by_minor { by_major } else { by_minor };
    let nearest =
        if both.distance_at(both.from) < both.distance_at(both.to) { both.from } else { both.to };
    (excess <= excess_max * major.distance_at(nearest)).then_some(Window {
        image: major.image,
        offset: major.offset + raise,
        excess,
        ..both
    })
}

/// One of two windows that overlap: the one that is in the list of the side, or the one that is
/// inserted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    #[default]
    Old,
    New,
}

/// The pieces of an interval that two windows share, from left to right.
#[derive(Default)]
pub(super) struct Pieces {
    /// The owner of each piece, and where it begins and ends, m. At most one piece is before the
    /// overlap of the windows, at most four come from [`divide`], and at most one is after it.
    pub(super) all: [(Owner, f64, f64); 6],
    /// Number of pieces.
    pub(super) len: usize,
}

impl Pieces {
    /// Adds a piece that begins where the last one ends, or extends the last one if the owner is the
    /// same.
    pub(super) fn push(&mut self, owner: Owner, from: f64, to: f64) {
        if self.last() == Some(owner) {
            self.all[self.len - 1].2 = to;
        } else {
            self.all[self.len] = (owner, from, to);
            self.len += 1;
        }
    }

    /// The owner of the last piece.
    pub(super) fn last(&self) -> Option<Owner> {
        self.len.checked_sub(1).map(|last| self.all[last].0)
    }
}

/// Divides an interval between two windows: each point goes to the window with the shorter distance, or
/// to the old one if the distances are equal.
pub(super) fn divide([old, new]: [&Window; 2], [from, to]: [f64; 2], pieces: &mut Pieces) {
    // Above 0 where the new window is nearer.
    let gain = |x: f64| {
        let old_distance = old.distance_at(x);
        old_distance - new.distance_at(x) - EQUAL_TOLERANCE * old_distance
    };
    // The gain changes its sign at most twice. If it does so twice, one window is nearer at both
    // ends, and the other one at the foot of the perpendicular from its own image. So the ends and
    // feet divide the interval into parts in which the sign changes at most once.
    let [one, other] = [old.image[0], new.image[0]];
    let feet = if one < other { [one, other] } else { [other, one] };
    let mut begin = (from, gain(from));
    for (nth, end) in [feet[0], feet[1], to].into_iter().enumerate() {
        if nth < 2 && !(end > begin.0 && end < to) {
            continue;
        }
        let end = (end, gain(end));
        let owner = |gain: f64| if gain > 0.0 { Owner::New } else { Owner::Old };
        if owner(begin.1) == owner(end.1) {
            pieces.push(owner(end.1), begin.0, end.0);
        } else {
            let x = root_between(begin, end, gain);
            pieces.push(owner(begin.1), begin.0, x);
            pieces.push(owner(end.1), x, end.0);
        }
        begin = end;
    }
}

/// The root of a function between two points, each given with the value of the function there, by at
/// most 40 iterations of regula falsi with the Illinois method (Dowell, Jarratt 1971).
pub(super) fn root_between(
    mut a: (f64, f64),
    mut b: (f64, f64),
    function: impl Fn(f64) -> f64,
) -> f64 {
    let width = b.0 - a.0;
    let mut x = a.0;
    // The end that the last iteration moved: -1 for `a`, 1 for `b`.
    let mut last_moved = 0;
    for _ in 0..40 {
        x = b.0 - b.1 * ((b.0 - a.0) / (b.1 - a.1));
        if !(x > a.0 && x < b.0) {
            x = 0.5 * (a.0 + b.0);
        }
        let value = function(x);
        if (value > 0.0) == (b.1 > 0.0) {
            if b.0 - x <= 1e-12 * width {
                break;
            }
            b = (x, value);
            if last_moved == 1 {
                a.1 *= 0.5;
            }
            last_moved = 1;
        } else {
            if x - a.0 <= 1e-12 * width {
                break;
            }
            a = (x, value);
            if last_moved == -1 {
                b.1 *= 0.5;
            }
            last_moved = -1;
        }
    }
    x
}

/// The position of the third corner of a triangle above its base, from the lengths of its sides, m.
/// The base begins at the origin, as does the side `left`.
pub(super) fn third_corner(base: f64, left: f64, right: f64) -> [f64; 2] {
    let x = (base * base + left * left - right * right) / (2.0 * base);
    let square = left * left - x * x;
    let min = HEIGHT_MIN * base;
    [x, if square > min * min { square.sqrt() } else { min }]
}
