//! Errors in the settings of contacts in scene files.

use crate::errors::{assert_error, model};

#[test]
fn invalid_settings_of_contacts_are_rejected_at_their_line() {
    for (text, line, expected) in [
        (
            "[[obstacle]]\nlimb_contacts = { friction = nan }".to_owned(),
            2,
            "friction of contacts between limbs is NaN",
        ),
        (
            "[[obstacle]]\nlimb_contacts = {}\nswept = true".to_owned(),
            3,
            "limb_contacts takes no 'swept'",
        ),
        ("[[obstacle]]\nlimb_contacts = {}\nedges = 1".to_owned(), 3, "expected a boolean"),
        ("[[obstacle]]\nlimb_contacts = { own_limbs = 1 }".to_owned(), 2, "expected a boolean"),
        (
            "[[obstacle]]\nbody_contacts = {}\nswept = true".to_owned(),
            3,
            "body_contacts takes no 'swept'",
        ),
        (
            model("ragdoll = {}\nself_collision = { thickness = -0.1 }"),
            4,
            "the thickness of limbs and bodies, m, is -0.1; it must be from 0 to 1e12",
        ),
        (
            model("cloth = {}\nself_collision = { thickness = 0.0 }"),
            4,
            "the thickness of cloth, m, is 0; it must be above 0 and at most 1e12",
        ),
        (
            model("cloth = {}\nself_collision = { friction = -1.0 }"),
            4,
            "the friction of self-collision is -1; it must be at least 0",
        ),
        (model("cloth = {}\nself_collision = { margin = 1.0 }"), 4, "unknown field `margin`"),
        (
            model("ragdoll = {}\nself_collision = { mask = -1 }"),
            4,
            "an integer from 0 to 4294967295",
        ),
    ] {
        assert_error(&text, line, expected);
    }
}
