//! A list of the pairs of balls that may touch, which is kept until balls have moved too far (Verlet,
//! "Computer Experiments on Classical Fluids", 1967).

use super::cells::{Cells, PairList};
use super::contacts::Ball;
use crate::vector::{difference, dot};

/// How many substeps at the present speed the margin should last.
const SUBSTEPS: f32 = 4.0;
/// Least margin, and greatest one that is chosen to last, as multiples of the greatest thickness.
const MARGINS: [f32; 2] = [0.2, 1.0];
/// Greatest margin, as a multiple of the greatest thickness.
const MARGIN_MAX: f32 = 4.0;
/// Largest number of pairs per ball. Only a heap of balls in one place has more.
const PAIRS_MAX: usize = 256;

/// Pairs of balls closer than their thickness plus a margin, for as long as no ball has moved by
/// more than half the margin.
#[derive(Clone, Debug)]
pub(crate) struct NearPairs<const D: usize> {
    cells: Cells<D>,
    list: PairList,
    /// Positions when the pairs were found, m; empty if there is no valid list.
    found_at: Vec<[f32; D]>,
    /// How far a ball may be from there, m.
    slack: f32,
}

impl<const D: usize> NearPairs<D> {
    /// No pairs yet, with memory for usual numbers of pairs of so many balls.
    pub(crate) fn with_capacity(balls: usize) -> Self {
        Self {
            cells: Cells::with_capacity(balls),
            list: PairList::with_capacity(balls),
            found_at: Vec::with_capacity(balls),
            slack: 0.0,
        }
    }

    /// Discards the pairs.
    pub(crate) fn discard(&mut self) {
        self.found_at.clear();
    }

    /// The pairs that may touch in this substep, and some that do not: what is done with those that
    /// do is the same however old the list is. `wanted` says which pairs collide, and
    /// `displacement` is the greatest of this substep, m.
    pub(crate) fn refreshed(
        &mut self,
        balls: &[Ball<D>],
        thickness: f32,
        displacement: f32,
        wanted: impl Fn([u32; 2]) -> bool,
    ) -> &PairList {
        if !self.is_valid(balls) {
            let [least, lasting] = MARGINS.map(|it| it * thickness);
            let clamped = |margin: f32, [least, most]: [f32; 2]| {
                let margin = if margin > least { margin } else { least };
                if margin < most { margin } else { most }
            };
            let margin = clamped(2.0 * SUBSTEPS * displacement, [least, lasting]);
            // It must be enough for this substep at least.
            let margin = clamped(margin, [2.01 * displacement, MARGIN_MAX * thickness]);
            let Self { cells, list, found_at, slack } = self;
            found_at.clear();
            found_at.extend(balls.iter().map(|ball| ball.x));
            // A thousandth for rounding.
            *slack = 0.499 * margin;
            let points = found_at.iter().copied();
            cells.near_pairs(points, thickness + margin, PAIRS_MAX * balls.len(), wanted, list);
        }
        &self.list
    }

    /// Whether no ball has been too far from where it was.
    fn is_valid(&self, balls: &[Ball<D>]) -> bool {
        if self.found_at.len() != balls.len() {
            return false;
        }
        let mut farthest = 0.0;
        for (ball, &found_at) in balls.iter().zip(&self.found_at) {
            for x in [ball.x, ball.previous] {
                let moved = difference(x, found_at);
                let square = dot(moved, moved);
                farthest = if square > farthest { square } else { farthest };
            }
        }
        farthest <= self.slack * self.slack
    }
}
