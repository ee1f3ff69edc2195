//! Sticks tear where they are stretched or cut, and nowhere else.

use std::collections::BTreeSet;

use proptest::prelude::*;
use taut_core::{Duplicates, Particles, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{HexSheet, Model, REMOVED, Scene, StickSet, World};

use crate::make::{drape, scene, steps, world};

/// The sticks that are longer than `factor` times their rest length, in `f64`, by name.
fn overstretched(world: &World<ScalarKernel>, factor: f64) -> BTreeSet<usize> {
    let sticks = (0..world.sticks_of("sheet").unwrap().end).filter(|&stick| {
        let (piece, number) = world.locate_stick(stick).unwrap();
        let matter = &world.islands()[piece].matter;
        let [a, b] =
            matter.sticks.ends()[number].map(|end| matter.particles.position(end as usize));
        let length = (0..3).map(|axis| f64::from(b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
        length > factor * f64::from(matter.sticks.rest(number))
    });
    sticks.collect()
}

#[test]
fn a_sheet_that_is_torn_keeps_every_other_stick() {
    for (mut model, regular) in
        [(drape(24, StickSet::All), true), (drape(24, StickSet::All), false)]
    {
        if !regular {
            model = model.shuffled(3);
        }
        let factor = 1.4;
        let mut scene = scene("sheet", model.tearing_at(factor));
        scene.settings.step.iterations = 2;
        let mut world = world(&scene);
        // A weight in the middle pulls it to pieces.
        let middle = world.nearest([0.6, -0.8, 0.0], 0.1).unwrap();
        world.set_inverse_mass(middle, 1e-3).unwrap();
        let faces = world.faces().count();
        let mut torn = BTreeSet::new();
        for _ in 0..90 {
            let outcome = world.step().unwrap();
            assert!(outcome.finite);
            let before = torn.len();
            // A straightforward check finds exactly the torn sticks.
            let near = |slack: f64| overstretched(&world, f64::from(factor) * slack);
            torn = (0..world.sticks_of("sheet").unwrap().end)
                .filter(|&stick| world.is_torn(stick))
                .collect();
            assert!(near(1.00001).is_subset(&torn));
            assert_eq!(torn.len(), before + outcome.torn);
            assert_eq!(torn.len(), world.torn());
        }
        assert!(!torn.is_empty() && torn.len() < world.sticks_of("sheet").unwrap().end / 2);
        // A face is left where none of its edges is torn.
        let edges: BTreeSet<[u32; 2]> = torn
            .iter()
            .map(|&stick| {
                let (piece, number) = world.locate_stick(stick).unwrap();
                let mut ends = world.islands()[piece].matter.sticks.ends()[number];
                ends.sort_unstable();
                ends
            })
            .collect();
        let left: BTreeSet<[u32; 3]> = world.faces().collect();
        let scene_faces = scene.models().next().unwrap().1.faces.to_vec();
        let whole = scene_faces.into_iter().filter(|&[a, b, c]| {
            [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| !edges.contains(&[a.min(b), a.max(b)]))
        });
        assert_eq!(left, whole.collect());
        assert!(left.len() < faces);
    }
}

#[test]
fn the_cut_off_part_falls_and_the_rest_hangs() {
    let mut world = world(&scene("sheet", drape(12, StickSet::All)));
    let below = |y: f32| [[[-1.0, y, -1.0], [-1.0, y, 1.0]], [[2.0, y, -1.0], [2.0, y, 1.0]]];
    let [from, to] = below(-0.275); // between rows 5 and 6
    let torn = world.sweep(from, to);
    // 12 down, 22 across, and of those over two rows 24 down and 40 across.
    assert_eq!(torn, 12 + 22 + 24 + 40);
    assert_eq!(world.sweep(from, to), 0, "once is enough");
    assert_eq!(world.faces().count(), 2 * 11 * 10);
    steps(&mut world, 60);
    for particle in 0..144 {
        let [_, y, _] = world.position(particle);
        let fallen = particle >= 72;
        assert_eq!(y < -2.0, fallen, "particle {particle} is at {y}");
    }
    assert_eq!(world.faces().count(), 2 * 11 * 10);
}

#[test]
fn a_hole_is_the_faces_at_torn_sticks_and_no_others() {
    let sheet = HexSheet { columns: 12, rows: 12, spacing: 0.1, ..HexSheet::default() };
    let mut world = world(&scene("sheet", Model::hex_sheet(&sheet).unwrap()));
    let whole = world.drawing();
    let [x, y] = [0, 1].map(|axis| world.positions().map(|at| at[axis]).sum::<f32>() / 144.0);
    // Half through, askew; and a stick on its own.
    let blade = |x: f32, y: f32| [[x, y, -1.0], [x, y, 1.0]];
    world.sweep(blade(x - 0.01, y + 0.02), blade(x + 2.0, y + 0.9));
    world.tear(5).unwrap();
    let now = world.drawing();
    let torn: BTreeSet<[u32; 2]> = (0..whole.sticks.len())
        .filter(|&stick| world.is_torn(stick))
        .map(|stick| whole.sticks[stick])
        .flat_map(|[a, b]| [[a, b], [b, a]])
        .collect();
    assert!(torn.len() > 20);
    let mut gone = BTreeSet::new();
    for (triangle, &[a, b, c]) in whole.triangles.iter().enumerate() {
        if [[a, b], [b, c], [c, a]].iter().any(|edge| torn.contains(edge)) {
            assert_eq!(now.triangles[triangle], [REMOVED; 3]);
            gone.insert(triangle as u32);
        } else {
            assert_eq!(now.triangles[triangle], [a, b, c]);
        }
    }
    assert_eq!(gone, world.removed().triangles.iter().copied().collect());
    assert_eq!(gone.len(), world.removed().triangles.len());
}

#[test]
fn a_reordered_world_equals_one_built_without_torn_sticks() {
    let mut world = world(&scene("sheet", drape(12, StickSet::All)));
    world.sweep([[0.275, 1.0, -1.0], [0.275, 1.0, 1.0]], [[0.275, -0.3, -1.0], [0.275, -0.3, 1.0]]);
    let whole = |world: &World<ScalarKernel>| -> Vec<bool> {
        (0..world.sticks_of("sheet").unwrap().end).map(|stick| world.is_torn(stick)).collect()
    };
    let (torn, before) = (world.torn(), whole(&world));
    assert!(torn > 20);
    assert_eq!(world.reorder(|_| ScalarKernel).unwrap(), torn);
    assert_eq!(world.reorder(|_| ScalarKernel).unwrap(), 0);
    assert_eq!((world.torn(), whole(&world)), (torn, before));

    // The same matter built without those sticks.
    let left = world.islands()[0].matter.clone();
    assert_eq!(left.sticks.len() + torn, world.sticks_of("sheet").unwrap().end);
    let mut twin = crate::make::world(&scene("sheet", Model { faces: Vec::new().into(), ..left }));
    for _ in 0..20 {
        steps(&mut world, 1);
        steps(&mut twin, 1);
    }
    assert_eq!(world.hash(), twin.hash());
    // Sticks keep their names.
    let stick = (0..before_len(&world)).find(|&stick| !world.is_torn(stick)).unwrap();
    assert!(world.tear(stick).unwrap() && !world.tear(stick).unwrap() && world.is_torn(stick));
    assert!(world.tear(before_len(&world)).is_err());
}

fn before_len(world: &World<ScalarKernel>) -> usize {
    world.sticks_of("sheet").unwrap().end
}

/// Whether two segments cross, by the intersection of their lines; None if too close to tell.
fn meet([a, b]: [[f64; 2]; 2], [p, q]: [[f64; 2]; 2]) -> Option<bool> {
    let cross = |[x, y]: [f64; 2], [u, v]: [f64; 2]| x * v - y * u;
    let minus = |[x, y]: [f64; 2], [u, v]: [f64; 2]| [x - u, y - v];
    let (along, across) = (minus(b, a), minus(q, p));
    let det = cross(along, across);
    let [s, t] = [across, along].map(|with| cross(minus(p, a), with) / det);
    let near = |x: f64| x.abs() < 1e-6 || (x - 1.0).abs() < 1e-6;
    let inside = |x: f64| (0.0..1.0).contains(&x);
    (det.abs() > 1e-9 && !near(s) && !near(t)).then(|| inside(s) && inside(t))
}

proptest! {
    #[test]
    fn a_cut_tears_the_sticks_that_it_crosses(
        points in prop::collection::vec([-1.0..1.0_f32, -1.0..1.0_f32], 2..20),
        blade in [[-1.5..1.5_f32, -1.5..1.5_f32], [-1.5..1.5_f32, -1.5..1.5_f32]],
    ) {
        let pairs: Vec<[u32; 2]> = (1..points.len() as u32).map(|i| [i - 1, i]).collect();
        let particles = Particles::new(&points, &vec![1.0; points.len()]).unwrap();
        let Ok(sticks) = Sticks::joining(&particles, &pairs, Duplicates::Keep) else { return Ok(()) };
        let mut scene = Scene::<2>::new();
        scene.add("line", Model::new(particles, sticks)).unwrap();
        let [mut plane, mut turned] = [world(&scene), world(&scene)];
        let torn = plane.cut(blade);
        prop_assert_eq!(torn, plane.torn());
        turned.cut([blade[1], blade[0]]);

        // The same in space, with a blade that is a long needle through the plane.
        let deep = |[x, y]: [f32; 2]| [[x, y, -1.0], [x, y, 1.0]];
        let points: Vec<[f32; 3]> = points.iter().map(|&[x, y]| [x, y, 0.0]).collect();
        let particles = Particles::new(&points, &vec![1.0; points.len()]).unwrap();
        let sticks = Sticks::joining(&particles, &pairs, Duplicates::Keep).unwrap();
        let mut scene = Scene::<3>::new();
        scene.add("line", Model::new(particles, sticks)).unwrap();
        let mut space = world(&scene);
        space.sweep(deep(blade[0]), deep(blade[1]));

        for (stick, &[a, b]) in pairs.iter().enumerate() {
            let end = |end: u32| plane.position(end as usize).map(f64::from);
            if let Some(crossed) = meet([end(a), end(b)], blade.map(|point| point.map(f64::from))) {
                prop_assert_eq!(plane.is_torn(stick), crossed);
                prop_assert_eq!(turned.is_torn(stick), crossed);
                prop_assert_eq!(space.is_torn(stick), crossed);
            }
        }
    }
}

#[test]
fn a_nan_or_still_blade_tears_nothing() {
    let mut world = world(&scene("sheet", drape(6, StickSet::All)));
    let nowhere = [[f32::NAN; 3], [0.1, f32::NAN, 0.0]];
    assert_eq!(world.sweep(nowhere, [[0.0; 3], [1.0; 3]]), 0);
    let still = [[0.1, -0.1, -1.0], [0.1, -0.1, 1.0]];
    assert_eq!(world.sweep(still, still), 0);
}

#[test]
fn tear_factors_may_change_while_it_moves() {
    let mut world = world(&scene("sheet", drape(8, StickSet::All)));
    steps(&mut world, 10);
    world.set_tear_factor(3, 0.5).unwrap();
    assert_eq!(world.step().unwrap().torn, 1);
    assert!(world.is_torn(3));
    // A shorter rest length is another limit, too.
    world.set_tear_factor(9, 2.0).unwrap();
    assert_eq!(world.step().unwrap().torn, 0);
    let (piece, number) = world.locate_stick(9).unwrap();
    world.islands_mut()[piece].matter.sticks.set_rest(number, 1e-3).unwrap();
    assert_eq!(world.step().unwrap().torn, 1);
    assert!(world.is_torn(9) && world.torn() == 2);
}

#[test]
fn tear_factors_changed_in_an_island_apply_from_the_next_step_on() {
    let mut world = world(&scene("sheet", drape(8, StickSet::All).tearing_at(9.0)));
    steps(&mut world, 3);
    let number = |world: &World<ScalarKernel>, stick| world.locate_stick(stick).unwrap().1;
    let factors = |world: &mut World<ScalarKernel>, change: &dyn Fn(&mut Vec<f32>)| {
        change(&mut world.islands_mut()[0].matter.tear_factors);
        world.step().unwrap().torn
    };
    // Another factor; one of a stick that never tore before; one of a stick that no longer tears.
    let [a, b, c] = [3, 9, 20].map(|stick| number(&world, stick));
    assert_eq!(factors(&mut world, &|all| all[a] = 0.5), 1);
    assert_eq!(factors(&mut world, &|all| all.fill(f32::INFINITY)), 0);
    assert_eq!(factors(&mut world, &|all| all[b] = 0.5), 1);
    assert!(world.is_torn(3) && world.is_torn(9) && world.torn() == 2);
    // Sticks beyond the end of a short or empty list never tear.
    assert_eq!(factors(&mut world, &|all| *all = vec![9.0; c]), 0);
    assert_eq!(factors(&mut world, &Vec::clear), 0);
    assert_eq!(factors(&mut world, &|all| *all = vec![0.5; c + 1]), c + 1 - 2);
    assert!(world.is_torn(20));
    // A world in which no stick could tear before.
    let mut whole = crate::make::world(&scene("sheet", drape(8, StickSet::All)));
    assert_eq!(factors(&mut whole, &|all| *all = vec![0.5; 7]), 7);
}
