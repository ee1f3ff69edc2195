//! Lanes that count the operations of a formula.

use core::cell::Cell;
use core::ops::{Add, AddAssign, Div, Mul, Sub};

use crate::lane::Lane;

/// Counts of operations. An operation on a register counts once, however many lanes it has; with
/// scalar lanes the counts are those of one stick. Comparisons, selections and constants are not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Additions and subtractions.
    pub additions: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Divisions.
    pub divisions: u64,
    /// Square roots.
    pub square_roots: u64,
    /// Integer estimates of the reciprocal square root.
    pub estimates: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.additions += other.additions;
        self.multiplications += other.multiplications;
        self.divisions += other.divisions;
        self.square_roots += other.square_roots;
        self.estimates += other.estimates;
    }
}

/// A lane that counts operations: the formula code of the kernels runs on it unchanged and adds
/// its operations to a [`Tally`].
///
/// ```
/// use core::cell::Cell;
/// use taut_core::{Counted, Exact, Factor, Halley, Tally};
///
/// let tally = Cell::new(Tally::default());
/// let lane = |value: f32| Counted::new(value, &tally);
/// Exact::factor(lane(4.0), lane(1.0), lane(2.0));
/// assert_eq!((tally.get().divisions, tally.get().square_roots), (1, 1));
///
/// tally.set(Tally::default());
/// Halley::factor(lane(4.0), lane(1.0), lane(2.0));
/// assert_eq!((tally.get().divisions, tally.get().square_roots), (1, 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a, L> {
    value: L,
    tally: &'a Cell<Tally>,
}

impl<'a, L> Counted<'a, L> {
    /// A value whose operations are counted in `tally`.
    pub fn new(value: L, tally: &'a Cell<Tally>) -> Self {
        Self { value, tally }
    }

    /// The value itself.
    pub fn into_inner(self) -> L {
        self.value
    }

    /// Applies `increment` to the tally.
    fn count(self, increment: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        increment(&mut tally);
        self.tally.set(tally);
    }
}

macro_rules! counted_operator {
    ($trait:ident, $method:ident, $counter:ident) => {
        impl<L: Lane> $trait for Counted<'_, L> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.count(|tally| tally.$counter += 1);
                Self { value: self.value.$method(other.value), ..self }
            }
        }
    };
}

counted_operator!(Add, add, additions);
counted_operator!(Sub, sub, additions);
counted_operator!(Mul, mul, multiplications);
counted_operator!(Div, div, divisions);

impl<L: Lane> Lane for Counted<'_, L> {
    type Mask = L::Mask;

    fn constant(self, value: f64) -> Self {
        Self { value: self.value.constant(value), ..self }
    }
    fn sqrt(self) -> Self {
        self.count(|tally| tally.square_roots += 1);
        Self { value: self.value.sqrt(), ..self }
    }
    fn reciprocal_sqrt_seed(self) -> Self {
        self.count(|tally| tally.estimates += 1);
        Self { value: self.value.reciprocal_sqrt_seed(), ..self }
    }
    fn at_least(self, other: Self) -> Self::Mask {
        self.value.at_least(other.value)
    }
    fn above(self, other: Self) -> Self::Mask {
        self.value.above(other.value)
    }
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self { value: L::select(mask, yes.value, no.value), ..yes }
    }
}
