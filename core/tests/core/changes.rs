//! The record of changes that plans read. It belongs to a table (particles or sticks), whose entries
//! are the single particles or sticks: `changes.record(entry, length)` records that an entry of a
//! table of `length` entries has changed.

use taut_core::{Changes, Delta, Particles};

use crate::meshes::Random;

#[test]
fn a_reader_gets_the_changes_since_its_cursor() {
    let mut changes = Changes::new();
    let start = changes.now();
    assert_eq!(changes.since(start), Delta::Entries(&[]));
    changes.record(3, 10);
    let later = changes.now();
    changes.record(1, 10);
    changes.record(3, 10);
    assert_eq!(changes.since(start), Delta::Entries(&[3, 1, 3]));
    assert_eq!(changes.since(later), Delta::Entries(&[1, 3]));
    assert_eq!(changes.since(changes.now()), Delta::Entries(&[]));
}

#[test]
fn a_clone_is_the_record_of_a_different_table() {
    let changes = Changes::new();
    let clone = changes.clone();
    assert_eq!(clone.since(changes.now()), Delta::ForeignCursor);
    assert_eq!(changes.since(clone.now()), Delta::ForeignCursor);
    assert_eq!(Changes::default().since(changes.now()), Delta::ForeignCursor);
}

#[test]
fn the_record_is_bounded_and_readers_miss_no_change() {
    let mut random = Random::new(5);
    for length in [1, 2, 7, 30] {
        let mut changes = Changes::new();
        // A reader that reads after every change, and one that reads rarely. Each has the mean
        // interval between its reads, in changes; its cursor; and the changes since its last read.
        let mut readers = [1, 4 * length].map(|interval| (interval, changes.now(), Vec::new()));
        for _ in 0..1000 {
            let entry = random.below(length) as u32;
            changes.record(entry, length);
            for (interval, cursor, unread) in &mut readers {
                unread.push(entry);
                if random.one_in(*interval) {
                    match changes.since(*cursor) {
                        Delta::Entries(entries) => {
                            assert_eq!(entries, *unread);
                            assert!(entries.len() <= length, "more than {length} entries");
                        }
                        Delta::Everything => assert!(
                            unread.len() > 1,
                            "a single unread change must be reported as an entry"
                        ),
                        Delta::ForeignCursor => {
                            panic!("unexpected ForeignCursor: the cursor belongs to this table")
                        }
                    }
                    *cursor = changes.now();
                    unread.clear();
                }
            }
        }
    }
}

#[test]
fn position_writes_are_recorded() {
    type Write = fn(&mut Particles<2>);
    let column_writes: [Write; 4] = [
        |particles| particles.positions_mut(0)[1] = 2.0,
        |particles| particles.previous_mut(1)[1] = 2.0,
        |particles| particles.columns().position[0][1] = 2.0,
        Particles::swap_columns,
    ];
    let mut particles = Particles::<2>::new(&[[0.0; 2]; 3], &[1.0; 3]).unwrap();
    for write in column_writes {
        let cursor = particles.position_changes().now();
        write(&mut particles);
        assert_eq!(particles.position_changes().since(cursor), Delta::Everything);
        let cursor = particles.position_changes().now();
        particles.set_position(1, [4.0, 5.0]).unwrap();
        assert!(particles.set_position(0, [f32::NAN, 5.0]).is_err());
        let mass_cursor = particles.mass_changes().now();
        particles.set_inverse_mass(2, 2.0).unwrap();
        assert_eq!(particles.mass_changes().since(mass_cursor), Delta::Entries(&[2]));
        assert_eq!(particles.position_changes().since(cursor), Delta::Entries(&[1]));
    }
    assert_eq!(
        particles.clone().position_changes().since(particles.position_changes().now()),
        Delta::ForeignCursor
    );
}

#[test]
fn swap_columns_exchanges_positions_and_previous_positions() {
    let mut particles = Particles::<2>::new(&[[1.0, 2.0]], &[1.0]).unwrap();
    particles.previous_mut(1)[0] = 3.0;
    particles.swap_columns();
    assert_eq!(particles.position(0), [1.0, 3.0]);
    assert_eq!([0, 1].map(|axis| particles.previous(axis)[0]), [1.0, 2.0]);
}
