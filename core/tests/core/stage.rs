//! Which particle each slot of a plan's layout holds.

use taut_core::{PADDING, SlotLayout};

/// Checks a part of a plan's layout. `expected` has the particle of each slot of the whole plan,
/// `None` for padding; the part begins at slot `first_slot`. `len` is the number of all particles.
fn check(part: SlotLayout<'_>, first_slot: usize, len: usize, expected: &[Option<usize>]) {
    assert_eq!(part.first_slot(), first_slot, "{part:?}");
    let particle = |layout: SlotLayout<'_>, slot| Some(layout.particle(slot)).filter(|&i| i < len);
    for (i, &expected) in expected[first_slot..].iter().enumerate() {
        assert_eq!(particle(part, i), expected, "slot {i} of {part:?}");
    }
    let (whole, slots) = part.full(len);
    assert_eq!(slots, expected.len(), "slots of {whole:?}");
    assert_eq!(whole.first_slot(), 0, "{whole:?}");
    for (i, &expected) in expected.iter().enumerate() {
        assert_eq!(particle(whole, i), expected, "slot {i} of {whole:?}");
    }
}

#[test]
fn a_run_holds_consecutive_particles_and_padding_after_the_last() {
    let (len, slots) = (2 * PADDING + 3, 3 * PADDING);
    let expected: Vec<_> = (0..slots).map(|i| Some(i).filter(|&i| i < len)).collect();
    for first in [0, PADDING, 2 * PADDING] {
        check(SlotLayout::Run(first), first, len, &expected);
    }
}

#[test]
fn rows_hold_their_columns_in_the_order_of_the_offsets() {
    // Three rows of three particles, each in five slots.
    let offsets = [2, u32::MAX, 0, 1, u32::MAX];
    let mut expected = Vec::new();
    for first in [0, 3, 6] {
        expected.extend([Some(first + 2), None, Some(first), Some(first + 1), None]);
    }
    for first_row in 0..3 {
        let rows = SlotLayout::Rows { first_row, width: 3, offsets: &offsets };
        check(rows, 5 * first_row, 9, &expected);
    }
}

#[test]
fn copies_are_side_by_side_in_groups_of_one_register() {
    let (particles, copies) = (3, PADDING + 2);
    let mut expected = Vec::new();
    for first_copy in [0, PADDING] {
        for particle in 0..particles {
            for copy in first_copy..first_copy + PADDING {
                expected.push(Some(copy * particles + particle).filter(|_| copy < copies));
            }
        }
    }
    for first in [0, PADDING] {
        let group = SlotLayout::Copies { first, particles, copies };
        check(group, first * particles, particles * copies, &expected);
    }
}
