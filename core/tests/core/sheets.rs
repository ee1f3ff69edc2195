//! Regular sheets, which imply their sticks and schedule.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use taut_core::{BLOCK_ROWS, Duplicates, Family, Kind, Schedule, Sheet, SheetBlock, Sticks};

use crate::meshes::{sheet_mesh, unit_sticks};

/// The ends of the sticks in the authored order, by its definition: structural and shear sticks cell
/// by cell, then the sticks of span 2.
fn authored_pairs(width: usize, height: usize, shear: bool, bend: bool) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    let mut join = |[i, j]: [usize; 2], [k, l]: [usize; 2]| {
        if i.max(k) < width && j.max(l) < height {
            pairs.push([(j * width + i) as u32, (l * width + k) as u32]);
        }
    };
    for j in 0..height {
        for i in 0..width {
            join([i, j], [i + 1, j]);
            join([i, j], [i, j + 1]);
            if shear {
                join([i, j], [i + 1, j + 1]);
                join([i + 1, j], [i, j + 1]);
            }
        }
    }
    for j in 0..height {
        for i in 0..width {
            if bend {
                join([i, j], [i + 2, j]);
                join([i, j], [i, j + 2]);
                join([i, j], [i + 2, j + 2]);
                join([i + 2, j], [i, j + 2]);
            }
        }
    }
    pairs
}

/// Widths and heights; some are too small for some families.
const SIZES: [[usize; 2]; 14] = [
    [0, 3],
    [3, 0],
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
    [3, 1],
    [3, 2],
    [1, 9],
    [4, 3],
    [5, 8],
    [3, 17],
    [17, 9],
    [16, 25],
];

#[test]
fn sticks_are_numbered_in_the_authored_order() {
    for [width, height] in SIZES {
        for (families, shear, bend) in [
            (Family::STRUCTURAL, false, false),
            (Family::SHEAR, true, false),
            (Family::BEND, true, true),
        ] {
            let sheet = Sheet::new(width, height, families);
            let expected = authored_pairs(width, height, shear, bend);
            assert_eq!(sheet.pairs(), expected, "{width} x {height}, {families:?}");
        }
    }
}

#[test]
fn families_are_sorted_and_deduplicated() {
    let some = [Family::Column2, Family::Diagonal, Family::Row, Family::Diagonal];
    let sheet = Sheet::new(5, 4, &some);
    assert_eq!(sheet.families(), [Family::Row, Family::Diagonal, Family::Column2]);
    assert_eq!((sheet.width(), sheet.height()), (5, 4));
    let locations: Vec<_> = sheet.stick_locations().collect();
    assert_eq!(locations[0], (Family::Row, 0, 0));
    assert_eq!(locations.last(), Some(&(Family::Column2, 4, 1)));
    for (family, span) in [(Family::Antidiagonal2, [2, 2]), (Family::Column, [0, 1])] {
        assert_eq!(family.span(), span);
    }
}

#[test]
fn the_number_of_a_stick_is_its_index_in_stick_locations() {
    for subset in (0..1_u32 << Family::ALL.len()).step_by(7) {
        let chosen = |&family: &Family| subset >> (family as u32) & 1 == 1;
        let families: Vec<Family> = Family::ALL.iter().copied().filter(chosen).collect();
        for [width, height] in SIZES {
            let sheet = Sheet::new(width, height, &families);
            let mut indices: HashMap<_, _> = sheet.stick_locations().zip(0_u32..).collect();
            for &family in Family::ALL {
                for cell in 0..(width + 2) * (height + 2) {
                    let [i, j] = [cell % (width + 2), cell / (width + 2)];
                    let expected = indices.remove(&(family, i, j));
                    assert_eq!(sheet.stick_number(family, i, j), expected, "{sheet:?}, {i}, {j}");
                }
            }
            assert!(indices.is_empty());
        }
    }
}

/// The sort key of a stick in the schedule, and its number. The key is: 1 in a seam, else 0; block;
/// band; family; row; 1 in the second batch of the row, else 0.
type Keyed = ([usize; 6], u32);

/// The sheet's schedule by its definition: phases of blocks of batches. Blocks before seams; in a
/// block by band, family and row; the sticks along a row are two batches of alternate sticks.
fn phases_as_defined(sheet: &Sheet) -> Vec<Vec<Vec<Vec<u32>>>> {
    let mut keyed: Vec<_> = sheet
        .stick_locations()
        .enumerate()
        .map(|(stick, (family, i, j))| {
            let [across, down] = family.span();
            let block = j / BLOCK_ROWS;
            let seam = usize::from((j + down) / BLOCK_ROWS != block);
            let second = usize::from(down == 0 && i % (2 * across) >= across);
            ([seam, block, j / sheet.band_rows(), family as usize, j, second], stick as u32)
        })
        .collect();
    keyed.sort_unstable();
    let batches = |block: &[Keyed]| {
        let batches = block.chunk_by(|previous, next| previous.0 == next.0);
        batches.map(|batch| batch.iter().map(|&(_, stick)| stick).collect()).collect()
    };
    // Entry 0 of the key tells the phases apart, entry 1 the blocks of a phase.
    let blocks = |phase: &[Keyed]| {
        phase.chunk_by(|previous, next| previous.0[1] == next.0[1]).map(batches).collect()
    };
    keyed.chunk_by(|previous, next| previous.0[0] == next.0[0]).map(blocks).collect()
}

#[test]
fn the_schedule_is_blocks_of_bands_of_families_of_rows() {
    // Tall sheets have seams; a sheet wider than 512 has bands of fewer rows.
    let tall_or_wide = [[3, 64], [4, 65], [3, 66], [2, 130], [512, 9], [513, 9]];
    for [width, height] in SIZES.iter().copied().chain(tall_or_wide) {
        for families in [Family::STRUCTURAL, Family::SHEAR, Family::BEND, Family::ALL] {
            let sheet = Sheet::new(width, height, families);
            let sticks = unit_sticks(width * height, &sheet.pairs());
            let schedule = sheet.schedule(&sticks).unwrap();
            let written_out = Schedule::new(&sticks, &phases_as_defined(&sheet)).unwrap();
            assert_eq!(schedule.sheet(), Some(&sheet), "the schedule has its sheet");
            assert_eq!(
                (written_out.sheet(), &written_out),
                (None, &schedule),
                "valid, and equal when written out"
            );
            let [blocks, seams] = sheet.phases();
            for block in blocks.iter().chain(&seams) {
                let mut strips = block.strips(sheet.families());
                assert!(strips.all(|(_, rows)| !rows.is_empty()), "an empty strip");
            }
            // Sticks that cross a seam begin in the last two rows of a block.
            let seams: Vec<_> = seams.iter().map(SheetBlock::rows).collect();
            let ends = (BLOCK_ROWS..height).step_by(BLOCK_ROWS);
            assert_eq!(seams, ends.map(|end| end - 2..end).collect::<Vec<_>>());
        }
    }
}

#[test]
fn non_plain_sticks_of_a_sheet_get_batches_of_their_own() {
    let (sheet, mut mesh) = sheet_mesh(9, 10, Family::BEND);
    let plain = sheet.schedule(&mesh.sticks).unwrap();
    for stick in (0..mesh.sticks.len()).step_by(7) {
        mesh.sticks.set_kind(stick, Kind::Maximum).unwrap();
    }
    let schedule = sheet.schedule(&mesh.sticks).unwrap();
    for batch in schedule.batches() {
        let non_plain = batch.iter().filter(|&&stick| stick % 7 == 0).count();
        assert!(
            non_plain == 0 || non_plain == batch.len(),
            "a batch has both plain and non-plain sticks"
        );
    }
    // Each batch of `plain` is kept, or split into two consecutive ones.
    let mut parts = schedule.batches().peekable();
    for whole in plain.batches() {
        let sorted = |batch: &[u32]| batch.iter().copied().collect::<BTreeSet<u32>>();
        let mut joined = BTreeSet::new();
        while let Some(part) = parts.next_if(|part| sorted(part).is_subset(&sorted(whole))) {
            joined.extend(part);
        }
        assert_eq!(joined, sorted(whole));
    }
}

/// `Sheet::schedule` must reject these sticks without iterating over all sticks or cells of the sheet.
#[test]
fn sticks_are_rejected_without_allocating_those_of_a_huge_sheet() {
    let sticks = unit_sticks(4, &[[0, 1], [1, 2]]);
    for (size, families, expected, difference) in [
        ([usize::MAX, 2], Family::BEND, usize::MAX, 1),
        ([usize::MAX, usize::MAX], Family::STRUCTURAL, usize::MAX, 1),
        ([usize::MAX, 1], &[Family::Row], usize::MAX - 1, 2),
        ([1, usize::MAX], &[Family::Row], 0, 0),
        ([usize::MAX, usize::MAX], &[], 0, 0),
    ] {
        let error = Sheet::new(size[0], size[1], families).schedule(&sticks).unwrap_err();
        assert_eq!(
            (error.expected, error.given, error.first_difference),
            (expected, 2, Some(difference))
        );
    }
    // No particles and no sticks: it is the height that is huge.
    let empty = Sheet::new(0, usize::MAX, Family::BEND);
    assert_eq!(empty.schedule(&unit_sticks(0, &[])).unwrap().phases().count(), 0);
    assert!(empty.phases().iter().all(Vec::is_empty));
}

#[test]
fn different_sticks_are_rejected_with_the_first_difference() {
    let sheet = Sheet::new(4, 3, Family::STRUCTURAL);
    let pairs = sheet.pairs();
    let rejected = |particles, pairs: &[[u32; 2]]| {
        let error = sheet.schedule(&unit_sticks(particles, pairs)).unwrap_err();
        assert_eq!((error.expected, error.particles), (17, 12));
        let found = match error.first_difference {
            Some(stick) => format!("{} sticks (first difference: stick {stick})", pairs.len()),
            None => format!("the same sticks of {particles} particles"),
        };
        let message = error.to_string();
        assert!(message.ends_with(&format!("17 sticks of a sheet of 12 particles, found {found}")));
        (error.given, error.first_difference)
    };
    assert_eq!(rejected(12, &pairs[..10]), (10, Some(10)));
    assert_eq!(rejected(12, &[&pairs[..], &[[0, 11]]].concat()), (18, Some(17)));
    assert_eq!(rejected(13, &pairs), (17, None), "a different number of particles");
    let mut reversed = pairs.clone();
    reversed[5].reverse();
    assert_eq!(rejected(12, &reversed), (17, Some(5)));
    let rests = vec![0.5_f64; 17];
    let in_f64 = Sticks::with_rests(12, &pairs, &rests, Duplicates::Keep).unwrap();
    assert!(sheet.schedule(&in_f64).is_ok(), "rest lengths and number types may differ");
}

/// The sticks of a sheet in a random order, some with their ends exchanged.
fn shuffled_pairs(sheet: &Sheet, seed: u64) -> Vec<[u32; 2]> {
    let hash = |&[a, b]: &[u32; 2]| {
        let ends = u64::from(a) << 32 | u64::from(b);
        (ends ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(seed | 1)
    };
    let mut pairs = sheet.pairs();
    pairs.sort_by_key(hash);
    for pair in &mut pairs {
        if hash(pair) & 1 == 1 {
            pair.reverse();
        }
    }
    pairs
}

proptest! {
    #[test]
    fn find_recognizes_a_sheet_in_any_order_and_no_other_mesh(
        width in 2..40_usize,
        height in 2..20_usize,
        subset in 0..1_u32 << Family::ALL.len(),
        seed: u64,
    ) {
        let chosen = |family: &&Family| {
            Family::STRUCTURAL.contains(family) || subset >> (**family as u32) & 1 == 1
        };
        let families: Vec<Family> = Family::ALL.iter().filter(chosen).copied().collect();
        let sheet = Sheet::new(width, height, &families);
        let sticks = unit_sticks(width * height, &shuffled_pairs(&sheet, seed));
        let (found, order) = Sheet::find(&sticks).expect("the sticks of a sheet");
        // In sheets of 4 or more columns, only rows join a particle with the next one, so the first
        // such pair without a stick gives the width. A narrower sheet can have the sticks of
        // another one: 3 x 6 and 2 x 9 do if each particle is joined with the next 3.
        let is_unique = width >= 4;
        if is_unique {
            prop_assert_eq!((found.width(), found.height()), (width, height));
        }
        let sticks = sticks.reordered(&order).unwrap();
        let sorted = |ends: &[u32; 2]| [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let ends: Vec<_> = sticks.ends().iter().map(sorted).collect();
        prop_assert_eq!(&ends, &found.pairs().iter().map(sorted).collect::<Vec<_>>());
        // A family that has no stick in a small sheet is not found, so compare numbers of sticks,
        // not families.
        prop_assert_eq!(ends.len(), sheet.stick_count());

        let removed = seed as usize % ends.len();
        let without: Vec<_> = [&ends[..removed], &ends[removed + 1..]].concat();
        let duplicated: Vec<_> = [&ends[..], &ends[removed..=removed]].concat();
        let replaced: Vec<_> = [&without[..], &[[0, (width * height - 1) as u32]]].concat();
        let count = width * height;
        // The last mesh has a particle without sticks.
        for (particles, pairs) in
            [(count, without), (count, duplicated), (count, replaced), (count + 1, ends.clone())]
        {
            let sticks = unit_sticks(particles, &pairs);
            if let Some((other, order)) = Sheet::find(&sticks) {
                prop_assert!(!is_unique, "{sheet:?} with changed stick {removed} is {other:?}");
                prop_assert!(other.schedule(&sticks.reordered(&order).unwrap()).is_ok());
            }
        }
    }
}
