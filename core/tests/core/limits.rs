//! Limits on counts in the input.

use taut_core::{LimitError, PARTICLES_MAX, STICKS_MAX, TRIANGLES_MAX, check_limit};

#[test]
fn a_count_at_the_limit_is_allowed_and_one_above_it_is_not() {
    assert_eq!(check_limit("sticks", 7, 7), Ok(7));
    let error = LimitError { what: "sticks", requested: 8, limit: 7 };
    assert_eq!(check_limit("sticks", 8, 7), Err(error));
    assert!(check_limit("sticks", 1 << 64, usize::MAX).is_err());
}

#[test]
fn a_sheet_of_the_most_particles_is_within_the_other_limits() {
    // Such a sheet has eight sticks and two triangles for each particle, fewer at the edges.
    assert_eq!(PARTICLES_MAX, 4096 * 4096);
    assert!((6 * PARTICLES_MAX..=8 * PARTICLES_MAX).contains(&STICKS_MAX));
    assert!((2 * PARTICLES_MAX..=4 * PARTICLES_MAX).contains(&TRIANGLES_MAX));
}
