//! Orders that are accepted, and orders that are rejected.

use proptest::sample::Index;

use super::*;

#[test]
fn invalid_orders_are_rejected_with_the_first_error() {
    // A chain of four particles, and a separate stick.
    let sticks = unit_sticks(6, &[[0, 1], [1, 2], [2, 3], [4, 5]]);
    let rejected = |phases: &[Vec<Vec<Vec<u32>>>]| Schedule::new(&sticks, phases).unwrap_err();
    assert_eq!(
        rejected(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![4]]]]),
        ScheduleError::NotOnce { stick: 4, batch: 3, sticks: 4 },
        "unknown stick"
    );
    assert_eq!(
        rejected(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![2]]]]),
        ScheduleError::NotOnce { stick: 2, batch: 3, sticks: 4 },
        "stick listed twice"
    );
    assert_eq!(
        rejected(&[vec![vec![vec![0, 2]]], vec![vec![vec![3]]]]),
        ScheduleError::WrongStickCount { ordered: 3, sticks: 4 }
    );
    assert_eq!(rejected(&[]), ScheduleError::WrongStickCount { ordered: 0, sticks: 4 });
    assert_eq!(
        rejected(&[vec![vec![vec![3], vec![0, 1]]], vec![vec![vec![2]]]]),
        ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 1 }
    );
    assert_eq!(
        rejected(&[vec![vec![vec![3]]], vec![vec![vec![0]], vec![vec![2]], vec![vec![1]]]]),
        ScheduleError::DependentBlocks { block: 3, particle: 1, phase: 1 }
    );
    let duplicate = unit_sticks(2, &[[0, 1], [1, 0]]);
    assert_eq!(
        Schedule::new(&duplicate, &[vec![vec![vec![0, 1]]]]),
        Err(ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 0 })
    );
}

#[test]
fn empty_phases_blocks_and_batches_are_skipped() {
    let sticks = unit_sticks(4, &[[0, 1], [2, 3]]);
    let with_empty = [
        vec![],
        vec![vec![], vec![vec![], vec![1]], vec![vec![]]],
        vec![vec![]],
        vec![vec![vec![0], vec![]]],
    ];
    let schedule = Schedule::new(&sticks, &with_empty).unwrap();
    assert_eq!(phases(&schedule), [vec![vec![vec![1]]], vec![vec![vec![0]]]]);
    for (name, schedule) in
        schedules_of_all_builders(&Recipe::plain(vec![Component::Isolated(3)]).mesh())
    {
        assert_eq!(phases(&schedule), Phases::new(), "{name}");
    }
}

/// Makes one small change to an order, after which it may or may not be valid.
fn edit(random: &mut Random, phases: &mut Phases) {
    let Some(phase) = (!phases.is_empty()).then(|| random.below(phases.len())) else { return };
    let block = random.below(phases[phase].len());
    let batch = random.below(phases[phase][block].len());
    let index = random.below(phases[phase][block][batch].len());
    match random.below(7) {
        0 => {
            phases[phase][block][batch].remove(index);
        }
        1 => {
            let stick = phases[phase][block][batch][index];
            phases[phase][block][batch].push(stick + random.below(3) as u32);
        }
        2 => phases[phase][block][batch][index] ^= 1, // another stick
        3 if batch > 0 => {
            let moved = phases[phase][block].remove(batch);
            phases[phase][block][batch - 1].extend(moved);
        }
        4 => {
            let split = phases[phase][block].split_off(batch);
            phases[phase].push(split);
        }
        5 if phase > 0 => {
            let moved = phases.remove(phase);
            phases[phase - 1].extend(moved);
        }
        6 => phases[phase][block].reverse(),
        _ => phases[phase].reverse(),
    }
}

#[test]
fn an_order_is_accepted_if_and_only_if_it_meets_the_definition() {
    let verdicts = std::cell::Cell::new([0, 0]); // invalid, valid
    let values = (Recipe::any(), any::<Index>(), 0..3_usize, any::<u64>());
    for_all(600, values, |(recipe, builder, edits, seed)| {
        let recipe =
            Recipe { components: recipe.components.into_iter().take(2).collect(), ..recipe };
        let mesh = recipe.mesh();
        let mut phases = phases(&builder.get(&schedules_of_all_builders(&mesh)).1);
        let mut random = Random::new(seed);
        for _ in 0..edits {
            edit(&mut random, &mut phases);
            for phase in &mut phases {
                for block in &mut *phase {
                    block.retain(|batch| !batch.is_empty());
                }
                phase.retain(|block| !block.is_empty());
            }
            phases.retain(|phase| !phase.is_empty());
        }
        let valid = is_valid(&mesh.sticks, &phases);
        assert_eq!(Schedule::new(&mesh.sticks, &phases).is_ok(), valid, "{phases:?}");
        let mut count = verdicts.get();
        count[usize::from(valid)] += 1;
        verdicts.set(count);
    });
    let [invalid, valid] = verdicts.get();
    assert!(
        invalid > 100 && valid > 100,
        "{invalid} invalid orders and {valid} valid ones, expected more than 100 of each"
    );
}

#[test]
fn schedules_are_equal_if_their_orders_and_ends_are() {
    // In `swapped`, the ends of the second stick are exchanged.
    let [sticks, swapped] =
        [[[0, 1], [2, 3]], [[0, 1], [3, 2]]].map(|pairs| unit_sticks(4, &pairs));
    let schedule = |sticks, batches: [u32; 2]| {
        Schedule::new(sticks, &[vec![batches.map(|stick| vec![stick]).to_vec()]]).unwrap()
    };
    let one = schedule(&sticks, [0, 1]);
    assert_eq!(one, schedule(&sticks, [0, 1]));
    assert_ne!(one, schedule(&sticks, [1, 0]));
    assert_ne!(one, schedule(&swapped, [0, 1]));
    assert_eq!(one.ends(), [[0, 1], [2, 3]]);
}
