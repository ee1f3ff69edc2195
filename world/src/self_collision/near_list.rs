//! A list of near balls, which is kept until balls have moved too far (Verlet, "Computer Experiments
//! on Classical Fluids", 1967).

use super::clusters::{Balls, Travel};
use super::near_rows::{Margin, NearRows, Pairings, Row};

/// How many substeps at the present speed the margin should last.
const SUBSTEPS: f32 = 4.0;
/// Least and greatest margin, as multiples of the greatest thickness. Balls that are too fast for the
/// greatest get a list for one substep.
const MARGINS: [f32; 2] = [0.2, 1.0];

/// The pairs of balls that may touch, and some more: what is done with those that do is the same
/// however old the list is.
#[derive(Clone, Debug)]
pub(crate) struct NearList<const D: usize> {
    near: NearRows<D>,
    /// Positions when the list was made, m.
    made_at: [Vec<f32>; D],
    /// How far two balls may have moved relative to each other since then, m; None if there is no
    /// valid list.
    margin: Option<f32>,
}

impl<const D: usize> NearList<D> {
    /// No list yet.
    pub(crate) fn new(balls: &Balls<D>) -> Self {
        Self { near: NearRows::new(balls), made_at: balls.position.clone(), margin: None }
    }

    /// The rows for this substep.
    pub(crate) fn refreshed(&mut self, balls: &Balls<D>, pairings: &impl Pairings) -> &[Row] {
        let Travel { in_substep, since } = balls.travel(&self.made_at);
        if self.margin.is_none_or(|margin| since > margin) {
            let [least, greatest] = MARGINS.map(|it| it * pairings.thickness());
            let lasting = SUBSTEPS * in_substep;
            let (margin, kept) = if lasting > greatest {
                (Margin::Motion, None)
            } else {
                let margin = lasting.max(least);
                for (made_at, position) in self.made_at.iter_mut().zip(&balls.position) {
                    made_at.copy_from_slice(position);
                }
                (Margin::Distance(margin), Some(margin))
            };
            self.near.search(balls, pairings, margin);
            self.margin = kept;
        }
        self.near.rows()
    }
}
