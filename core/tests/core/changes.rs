//! The record of changes that plans read.

use taut_core::{Changes, Delta, Particles};

use crate::meshes::Random;

#[test]
fn a_reader_gets_what_changed_since_it_looked() {
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
fn a_clone_is_another_table() {
    let changes = Changes::new();
    let clone = changes.clone();
    assert_eq!(clone.since(changes.now()), Delta::ForeignCursor);
    assert_eq!(changes.since(clone.now()), Delta::ForeignCursor);
    assert_eq!(Changes::default().since(changes.now()), Delta::ForeignCursor);
}

#[test]
fn the_record_is_bounded_and_readers_miss_nothing() {
    let mut random = Random::new(5);
    for length in [1, 2, 7, 30] {
        let mut changes = Changes::new();
        // A reader that reads often, and one that reads rarely.
        let mut readers = [1, 4 * length].map(|patience| (patience, changes.now(), Vec::new()));
        for _ in 0..1000 {
            let entry = random.below(length) as u32;
            changes.record(entry, length);
            for (patience, seen, missed) in &mut readers {
                missed.push(entry);
                if random.one_in(*patience) {
                    match changes.since(*seen) {
                        Delta::Entries(entries) => {
                            assert_eq!(entries, *missed);
                            assert!(entries.len() <= length, "the record is bounded");
                        }
                        Delta::Everything => assert!(missed.len() > 1, "one look, one note"),
                        Delta::ForeignCursor => panic!("it is the same table"),
                    }
                    *seen = changes.now();
                    missed.clear();
                }
            }
        }
    }
}

#[test]
fn writes_to_particles_are_recorded_as_moves() {
    type Write = fn(&mut Particles<2>);
    let in_general: [Write; 4] = [
        |it| it.positions_mut(0)[1] = 2.0,
        |it| it.previous_mut(1)[1] = 2.0,
        |it| it.columns().position[0][1] = 2.0,
        Particles::swap_columns,
    ];
    let mut particles = Particles::<2>::new(&[[0.0; 2]; 3], &[1.0; 3]).unwrap();
    for write in in_general {
        let seen = particles.moves().now();
        write(&mut particles);
        assert_eq!(particles.moves().since(seen), Delta::Everything);
        let seen = particles.moves().now();
        particles.set_position(1, [4.0, 5.0]).unwrap();
        assert!(particles.set_position(0, [f32::NAN, 5.0]).is_err());
        particles.set_inverse_mass(2, 2.0).unwrap();
        assert_eq!(particles.moves().since(seen), Delta::Entries(&[1]));
    }
    assert_eq!(particles.clone().moves().since(particles.moves().now()), Delta::ForeignCursor);
}

#[test]
fn swapped_columns_have_changed_places() {
    let mut particles = Particles::<2>::new(&[[1.0, 2.0]], &[1.0]).unwrap();
    particles.previous_mut(1)[0] = 3.0;
    particles.swap_columns();
    assert_eq!(particles.position(0), [1.0, 3.0]);
    assert_eq!([0, 1].map(|axis| particles.previous(axis)[0]), [1.0, 2.0]);
}
