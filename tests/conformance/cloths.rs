//! Many cloths in one set of particles: each gets the bits that it gets alone.

use taut::world::{Model, StickSet};
use taut::{Formula, Particles, Schedule, Step, Sticks};

use crate::configurations::reference;
use crate::meshes::{Mesh, Pattern, Recipe, Shape};
use crate::runner::{Setup, rows};
use crate::values::Values;

/// Asserts that cloths side by side, each in its own order, move as each does alone.
fn assert_as_alone(case: &str, cloths: &[(Mesh, Schedule)], step: &Step<3>) {
    let particles = Particles::side_by_side(cloths.iter().map(|(cloth, _)| &cloth.particles));
    let sticks = Sticks::side_by_side(cloths.iter().map(|(cloth, _)| &cloth.sticks)).unwrap();
    let schedules = cloths.iter().map(|(_, schedule)| schedule);
    let schedule = &Schedule::side_by_side(&sticks, schedules).unwrap();
    let all = Mesh { particles: particles.unwrap(), sticks, sheet: None, copies: 1 };
    for formula in [Formula::Halley, Formula::Quick] {
        let alone = cloths.iter().flat_map(|(mesh, schedule)| {
            let setup = Setup { mesh, schedule, formula };
            rows(&setup.start(&reference()).unwrap().steps(step, 2).particles)
        });
        let together = Setup { mesh: &all, schedule, formula };
        let outcome = together.assert_all_agree(case, |start| start.steps(step, 2));
        assert_eq!(rows(&outcome.particles), alone.collect::<Vec<_>>(), "{case}, {formula}");
    }
}

#[test]
fn different_cloths_move_as_each_alone() {
    let pattern = Pattern::Shapes(vec![Shape::Grid(30, 50), Shape::Star(70), Shape::Chain(9)]);
    let recipe = Recipe { pattern, duplicates: 5, non_plain: 4, values: Values::Moderate, seed: 3 };
    let mesh = recipe.mesh();
    let disc: Mesh = Model::disc(50, StickSet::All).unwrap().shuffled(2).into();
    let sheet: Mesh = Model::drape(20, StickSet::All).unwrap().into();
    let orders = [(mesh, "coloured"), (disc, "blocked"), (sheet, "sheet")];
    let cloths = orders.map(|(mesh, order)| {
        let schedule = mesh.schedule(order);
        (mesh, schedule)
    });
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    assert_as_alone("different cloths", &cloths, &step);
}

#[test]
fn small_cloths_of_one_block_move_as_each_alone() {
    let cloths: Vec<(Mesh, Schedule)> = (0..20)
        .map(|seed| {
            let mesh: Mesh = Model::drape(32, StickSet::All).unwrap().shuffled(seed).into();
            let schedule = mesh.schedule(if seed % 2 == 0 { "blocked" } else { "packed" });
            assert_eq!(schedule.phases().count(), 1);
            (mesh, schedule)
        })
        .collect();
    assert_as_alone(
        "one block each",
        &cloths,
        &Step { substeps: 1, iterations: 5, ..Step::default() },
    );
}

#[test]
fn narrow_cloths_that_share_batches_move_as_each_alone() {
    // Some sticks are torn or not plain, and one cloth is large enough for batches of its own.
    let patterns = [
        Pattern::Shapes(vec![Shape::Chain(9)]),
        Pattern::Shapes(vec![Shape::Star(11)]),
        Pattern::Shapes(vec![Shape::Grid(4, 3), Shape::Chain(30)]),
        Pattern::Shapes(vec![Shape::Grid(30, 40)]),
    ];
    let cloths: Vec<(Mesh, Schedule)> = (0..40)
        .map(|seed| {
            let pattern = patterns[seed as usize % patterns.len()].clone();
            let non_plain = if seed % 3 == 0 { 30 } else { 0 };
            let recipe =
                Recipe { pattern, duplicates: 2, non_plain, values: Values::Moderate, seed };
            let mesh = recipe.mesh();
            let schedule = mesh.schedule(if seed % 2 == 0 { "blocked" } else { "authored" });
            (mesh, schedule)
        })
        .collect();
    assert_as_alone("narrow", &cloths, &Step { substeps: 1, iterations: 3, ..Step::default() });
}
