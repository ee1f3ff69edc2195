//! Lanes that count operations: the counts for a stick, and that counting does not change results.

use std::cell::Cell;

use taut_core::{Counted, Factor, Formula, Lane, Response, Tally, WithFactor, relax, weight};

use crate::one_stick::{Stick, bits, sticks_of_all_sizes};

/// Relaxes a stick with lanes that count. The output is the new ends, the tally of the rest and
/// weight terms (which a plan computes once), and the tally of the relaxation.
struct Count(Stick<3>);

impl WithFactor for Count {
    type Output = ([[f32; 3]; 2], Tally, Tally);

    fn with<F: Factor>(self) -> Self::Output {
        let Self(stick) = self;
        let [of_terms, of_stick] = [(); 2].map(|()| Cell::new(Tally::default()));
        let lane = |value| Counted::new(value, &of_terms);
        let sum = weight(stick.inverse_masses.map(lane), lane(0.0), lane(0.0));
        of_terms.set(Tally::default()); // the sum of inverse masses is in neither tally
        let terms = [F::rest_term(lane(stick.rest)), F::weight_term(sum)];
        let lane = |value| Counted::new(value, &of_stick);
        let [rest_term, weight_term] = terms.map(|term| lane(term.into_inner()));
        let response = stick.response.map(|Response { stretched, compressed }| Response {
            stretched: lane(stretched),
            compressed: lane(compressed),
        });
        let (a, b) = relax::<F, _, 3>(
            stick.ends[0].map(lane),
            stick.ends[1].map(lane),
            stick.inverse_masses.map(lane),
            rest_term,
            weight_term,
            response,
        );
        let ends = [a, b].map(|end| end.map(Counted::into_inner));
        (ends, of_terms.get(), of_stick.get())
    }
}

#[test]
fn a_stick_takes_the_divisions_roots_and_estimates_of_its_formula() {
    let stick = Stick::new([[0.0; 3], [1.0, 2.0, 3.0]], [1.0, 1.0], 1.0);
    for formula in Formula::ALL {
        let (_, of_terms, of_stick) = formula.dispatch(Count(stick));
        let costs = [of_stick.divisions, of_stick.square_roots, of_stick.estimates];
        let (expected, divisions_of_terms) = match formula {
            Formula::Exact => ([1, 1, 0], 0),
            Formula::Newton | Formula::Halley => ([1, 0, 0], 0),
            Formula::Quick => ([0, 0, 1], 1),
        };
        assert_eq!(costs, expected, "{formula}");
        assert_eq!(of_terms.divisions, divisions_of_terms, "{formula}");
        // Every formula: 3 + 2 additions and 3 multiplications for the squared length, 2
        // multiplications of `g` by inverse masses, and 6 of each for the new positions.
        assert!(of_stick.additions > 11 && of_stick.multiplications > 11, "{formula}");

        let response = Some(Response { stretched: 1.0, compressed: 1.0 });
        let (_, _, with_response) = formula.dispatch(Count(Stick { response, ..stick }));
        let one_more = Tally { multiplications: of_stick.multiplications + 1, ..of_stick };
        assert_eq!(with_response, one_more, "{formula}: a response costs one multiplication");
    }
}

#[test]
fn counting_changes_no_bits() {
    for formula in Formula::ALL {
        for stick in sticks_of_all_sizes(10_000) {
            let (counted, ..) = formula.dispatch(Count(stick));
            assert_eq!(bits(counted), bits(stick.relaxed(formula)), "{formula}: {stick:?}");
        }
    }
}

#[test]
fn tallies_add_up() {
    let tally = |first: u64| Tally {
        additions: first,
        multiplications: first + 1,
        divisions: first + 2,
        square_roots: first + 3,
        estimates: first + 4,
    };
    let mut sum = tally(10);
    sum += tally(100);
    let expected = Tally {
        additions: 110,
        multiplications: 112,
        divisions: 114,
        square_roots: 116,
        estimates: 118,
    };
    assert_eq!(sum, expected);
}

#[test]
fn select_of_counted_lanes_takes_the_value_that_the_mask_picks() {
    let tally = Cell::new(Tally::default());
    let [yes, no] = [1.0_f32, 2.0].map(|value| Counted::new(value, &tally));
    for (mask, expected) in [(true, 1.0), (false, 2.0)] {
        assert_eq!(Counted::select(mask, yes, no).into_inner(), expected);
    }
}
