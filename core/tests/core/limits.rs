//! Limits on counts in the input.

use taut_core::{LimitError, check_limit};

#[test]
fn a_count_at_the_limit_is_allowed_and_one_above_it_is_not() {
    assert_eq!(check_limit("sticks", 7, 7), Ok(7));
    let error = LimitError { what: "sticks", requested: 8, limit: 7 };
    assert_eq!(check_limit("sticks", 8, 7), Err(error));
    assert!(check_limit("sticks", 1 << 64, usize::MAX).is_err());
}
