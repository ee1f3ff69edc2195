//! Counts the arithmetic operations of a relaxation.

use core::cell::Cell;

use taut_core::{Counted, Factor, Formula, Particles, Real, Sticks, Tally, WithFactor, relax};

/// Counts the operations of one relaxation of all sticks: runs the relaxation stick by stick on
/// [`Counted`] lanes, at the current positions. Terms that a plan computes beforehand are not
/// counted: rest terms, and weight terms if the formula stores them ([`Factor::STORES_WEIGHT`]).
/// Every stick is counted as a plain one.
///
/// The relaxations of a step take this count times the number of iterations in all its substeps. The
/// motion of particles is not counted, and the given particles do not change.
///
/// ```
/// # use taut_core::{Duplicates, Formula, Particles, Sticks};
/// let particles = Particles::new(&[[0.0], [1.0], [2.0]], &[1.0; 3])?;
/// let sticks = Sticks::joining(&particles, &[[0, 1], [1, 2]], Duplicates::Keep)?;
/// assert_eq!(taut_scalar::count_operations(&particles, &sticks, Formula::Exact).divisions, 2);
/// assert_eq!(taut_scalar::count_operations(&particles, &sticks, Formula::Quick).divisions, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there are fewer particles than the sticks need.
pub fn count_operations<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    sticks: &Sticks<S>,
    formula: Formula,
) -> Tally {
    formula.dispatch(CountOperations(particles, sticks))
}

/// The arguments of [`count_operations`] other than the formula.
struct CountOperations<'a, const D: usize, S: Real>(&'a Particles<D, S>, &'a Sticks<S>);

impl<const D: usize, S: Real> WithFactor for CountOperations<'_, D, S> {
    type Output = Tally;

    fn with<F: Factor>(self) -> Tally {
        let Self(particles, sticks) = self;
        let tally = Cell::new(Tally::default());
        let counted = |value| Counted::new(value, &tally);
        for (stick, ends) in sticks.ends().iter().enumerate() {
            let [a, b] = ends.map(|end| particles.position(end as usize).map(counted));
            let [wa, wb] = ends.map(|end| particles.inverse_masses()[end as usize]);
            let rest_term = counted(F::rest_term(sticks.rest(stick)));
            let weight_term = if F::STORES_WEIGHT {
                counted(F::weight_term(wa + wb))
            } else {
                F::weight_term(counted(wa) + counted(wb))
            };
            relax::<F, _, D>(a, b, [wa, wb].map(counted), rest_term, weight_term, None);
        }
        tally.get()
    }
}
