//! Many cloths in one: each moves exactly as it would alone.

use taut::world::{Model, StickSet};
use taut::{Formula, Particles, Schedule, Step, Sticks};

use crate::meshes::{Manner, Mesh, Pattern, Recipe, Shape};
use crate::play::{Setup, rows};

/// Cloths, each in an order of its own.
fn assert_as_alone(game: &str, cloths: &[(Mesh, Schedule)], step: &Step<3>) {
    let particles = Particles::side_by_side(cloths.iter().map(|(cloth, _)| &cloth.particles));
    let sticks = Sticks::side_by_side(cloths.iter().map(|(cloth, _)| &cloth.sticks)).unwrap();
    let schedules = cloths.iter().map(|(_, schedule)| schedule);
    let schedule = &Schedule::side_by_side(&sticks, schedules).unwrap();
    let all = Mesh { particles: particles.unwrap(), sticks, sheet: None, copies: 1 };
    for formula in [Formula::Halley, Formula::Quick] {
        let alone = cloths.iter().flat_map(|(mesh, schedule)| {
            let setup = Setup { mesh, schedule, formula };
            rows(&setup.all_agree(game, |start| start.steps(step, 2)).particles)
        });
        let together = Setup { mesh: &all, schedule, formula };
        let ending = together.all_agree(game, |start| start.steps(step, 2));
        assert_eq!(rows(&ending.particles), alone.collect::<Vec<_>>(), "{game}, {formula}");
    }
}

#[test]
fn cloths_of_every_kind_move_as_they_would_alone() {
    let pattern = Pattern::Shapes(vec![Shape::Grid(30, 50), Shape::Star(70), Shape::Chain(9)]);
    let recipe = Recipe { pattern, duplicates: 5, special: 4, manner: Manner::Tame, seed: 3 };
    let mesh = recipe.mesh();
    let disc: Mesh = Model::disc(50, StickSet::All).unwrap().shuffled(2).into();
    let sheet: Mesh = Model::drape(20, StickSet::All).unwrap().into();
    let orders = [(mesh, "coloured"), (disc, "blocked"), (sheet, "sheet")];
    let cloths = orders.map(|(mesh, order)| {
        let schedule = mesh.schedule(order);
        (mesh, schedule)
    });
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    assert_as_alone("of every kind", &cloths, &step);
}

#[test]
fn small_cloths_of_one_block_each_move_as_they_would_alone() {
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
fn narrow_models_that_share_batches_move_as_they_would_alone() {
    // Torn and special sticks, and a cloth that is large enough to be relaxed by itself.
    let shapes = [
        Pattern::Shapes(vec![Shape::Chain(9)]),
        Pattern::Shapes(vec![Shape::Star(11)]),
        Pattern::Shapes(vec![Shape::Grid(4, 3), Shape::Chain(30)]),
        Pattern::Shapes(vec![Shape::Grid(30, 40)]),
    ];
    let cloths: Vec<(Mesh, Schedule)> = (0..40)
        .map(|seed| {
            let pattern = shapes[seed as usize % shapes.len()].clone();
            let special = if seed % 3 == 0 { 30 } else { 0 };
            let recipe = Recipe { pattern, duplicates: 2, special, manner: Manner::Tame, seed };
            let mesh = recipe.mesh();
            let schedule = mesh.schedule(if seed % 2 == 0 { "blocked" } else { "authored" });
            (mesh, schedule)
        })
        .collect();
    assert_as_alone("narrow", &cloths, &Step { substeps: 1, iterations: 3, ..Step::default() });
}
