//! Orders that are accepted and orders that are refused.

use super::*;

#[test]
fn orders_that_are_no_schedules_are_refused_by_name() {
    // A chain of four particles, and one stick apart.
    let sticks = joined(6, &[[0, 1], [1, 2], [2, 3], [4, 5]]);
    let refused = |phases: &[Vec<Vec<Vec<u32>>>]| Schedule::new(&sticks, phases).unwrap_err();
    assert_eq!(
        refused(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![4]]]]),
        ScheduleError::NotOnce { stick: 4, batch: 3, sticks: 4 },
        "unknown"
    );
    assert_eq!(
        refused(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![2]]]]),
        ScheduleError::NotOnce { stick: 2, batch: 3, sticks: 4 },
        "twice"
    );
    assert_eq!(
        refused(&[vec![vec![vec![0, 2]]], vec![vec![vec![3]]]]),
        ScheduleError::Missing { ordered: 3, sticks: 4 }
    );
    assert_eq!(refused(&[]), ScheduleError::Missing { ordered: 0, sticks: 4 });
    assert_eq!(
        refused(&[vec![vec![vec![3], vec![0, 1]]], vec![vec![vec![2]]]]),
        ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 1 }
    );
    assert_eq!(
        refused(&[vec![vec![vec![3]]], vec![vec![vec![0]], vec![vec![2]], vec![vec![1]]]]),
        ScheduleError::DependentBlocks { block: 3, particle: 1, phase: 1 }
    );
    let duplicate = joined(2, &[[0, 1], [1, 0]]);
    assert_eq!(
        Schedule::new(&duplicate, &[vec![vec![vec![0, 1]]]]),
        Err(ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 0 })
    );
}

#[test]
fn empty_phases_blocks_and_batches_leave_no_trace() {
    let sticks = joined(4, &[[0, 1], [2, 3]]);
    let holes = [
        vec![],
        vec![vec![], vec![vec![], vec![1]], vec![vec![]]],
        vec![vec![]],
        vec![vec![vec![0], vec![]]],
    ];
    let schedule = Schedule::new(&sticks, &holes).unwrap();
    assert_eq!(phases(&schedule), [vec![vec![vec![1]]], vec![vec![vec![0]]]]);
    for (name, schedule) in all_builders(&Recipe::plain(vec![Part::Dust(3)]).mesh()) {
        assert_eq!(phases(&schedule), Phases::new(), "{name}");
    }
}

/// One small change to an order, that may make it wrong or leave it right.
fn edit(random: &mut Random, phases: &mut Phases) {
    let Some(phase) = (!phases.is_empty()).then(|| random.below(phases.len())) else { return };
    let block = random.below(phases[phase].len());
    let batch = random.below(phases[phase][block].len());
    let place = random.below(phases[phase][block][batch].len());
    match random.below(7) {
        0 => {
            phases[phase][block][batch].remove(place);
        }
        1 => {
            let stick = phases[phase][block][batch][place];
            phases[phase][block][batch].push(stick + random.below(3) as u32);
        }
        2 => phases[phase][block][batch][place] ^= 1,
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
fn an_order_is_accepted_exactly_if_it_meets_the_definition() {
    let verdicts = std::cell::Cell::new([0, 0]);
    let values = (Recipe::any(), 0..4_usize, 0..3_usize, any::<u64>());
    for_all(600, values, |(recipe, builder, edits, seed)| {
        let recipe = Recipe { parts: recipe.parts.into_iter().take(2).collect(), ..recipe };
        let mesh = recipe.mesh();
        let mut phases = phases(&all_builders(&mesh)[builder].1);
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
    let [wrong, right] = verdicts.get();
    assert!(wrong > 100 && right > 100, "{wrong} wrong orders, {right} right ones");
}
