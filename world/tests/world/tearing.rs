//! Sticks tear where they are stretched or cut, and nowhere else.

use std::collections::BTreeSet;

use proptest::prelude::*;
use taut_core::{Duplicates, Kind, Particles, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    HexSheet, Limb, LimbContacts, Model, Obstacle, REMOVED, Ragdoll, Rope, Scene, SelfCollision,
    StepTime, StickSet, World,
};

#[cfg(feature = "serde")]
use taut_world::SnapshotError;

use crate::make::{drape, scene, steps, world};

/// The sticks that are longer than `factor` times their rest length, in `f64`, by their indices in
/// the world.
fn overstretched(world: &World, factor: f64) -> BTreeSet<usize> {
    let sticks = (0..stick_count(world)).filter(|&stick| {
        let (island, index) = world.locate_stick(stick).unwrap();
        let model = &world.islands()[island].model;
        let [a, b] = model.sticks.ends()[index].map(|end| model.particles.position(end as usize));
        let length = (0..3).map(|axis| f64::from(b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
        length > factor * f64::from(model.sticks.rest(index))
    });
    sticks.collect()
}

#[test]
fn overstretched_sticks_tear_and_their_faces_are_removed() {
    for is_shuffled in [false, true] {
        let mut model = drape(24, StickSet::All);
        if is_shuffled {
            model = model.shuffled(3);
        }
        let factor = 1.4;
        let mut scene = scene("sheet", model.tearing_at(factor));
        scene.settings.step.iterations = 2;
        let mut world = world(&scene);
        // A weight of 1000 kg in the middle tears the sheet.
        let middle = world.nearest([0.6, -0.8, 0.0], 0.1).unwrap();
        world.set_inverse_mass(middle, 1e-3).unwrap();
        let faces = world.faces().count();
        let mut torn = BTreeSet::new();
        for _ in 0..90 {
            let outcome = world.step().unwrap();
            assert!(outcome.finite);
            let before = torn.len();
            // Every stick that is clearly overstretched is torn. The factor 1.00001 allows for rounding.
            let expected = overstretched(&world, f64::from(factor) * 1.00001);
            torn = (0..stick_count(&world)).filter(|&stick| world.is_torn(stick)).collect();
            assert!(expected.is_subset(&torn));
            assert_eq!(torn.len(), before + outcome.torn);
            assert_eq!(torn.len(), world.torn());
        }
        assert!(!torn.is_empty() && torn.len() < stick_count(&world) / 2);
        // A face remains if none of its edges is torn.
        let edges: BTreeSet<[u32; 2]> = torn
            .iter()
            .map(|&stick| {
                let (island, index) = world.locate_stick(stick).unwrap();
                let mut ends = world.islands()[island].model.sticks.ends()[index];
                ends.sort_unstable();
                ends
            })
            .collect();
        let remaining: BTreeSet<[u32; 3]> = world.faces().collect();
        let scene_faces = scene.models().next().unwrap().1.faces.to_vec();
        let expected = scene_faces.into_iter().filter(|&[a, b, c]| {
            [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| !edges.contains(&[a.min(b), a.max(b)]))
        });
        assert_eq!(remaining, expected.collect());
        assert!(remaining.len() < faces);
    }
}

#[test]
fn the_cut_off_part_falls_and_the_rest_hangs() {
    let mut world = world(&scene("sheet", drape(12, StickSet::All)));
    let blade_at = |y: f32| [[[-1.0, y, -1.0], [-1.0, y, 1.0]], [[2.0, y, -1.0], [2.0, y, 1.0]]];
    let [from, to] = blade_at(-0.275); // between rows 5 and 6
    let torn = world.cut_swept(from, to);
    // Vertical and diagonal sticks over one row, then vertical and diagonal ones over two rows.
    assert_eq!(torn, 12 + 22 + 24 + 40);
    assert_eq!(world.cut_swept(from, to), 0, "a second cut at the same place tears sticks");
    // One of the 11 rows of cells has lost its faces.
    assert_eq!(world.faces().count(), 2 * 11 * 10);
    steps(&mut world, 60);
    for particle in 0..144 {
        let [_, y, _] = world.position(particle);
        let fallen = particle >= 72;
        assert_eq!(y < -2.0, fallen, "particle {particle} is at {y} m");
    }
    assert_eq!(world.faces().count(), 2 * 11 * 10);
}

#[test]
fn exactly_the_faces_at_torn_sticks_are_removed() {
    let sheet = HexSheet { columns: 12, rows: 12, spacing: 0.1, ..HexSheet::default() };
    let mut world = world(&scene("sheet", Model::hex_sheet(&sheet).unwrap()));
    let before = world.drawing();
    let [x, y] =
        [0, 1].map(|axis| world.positions().map(|position| position[axis]).sum::<f32>() / 144.0);
    // An oblique cut through half of the sheet, and a tear of a single stick.
    let blade = |x: f32, y: f32| [[x, y, -1.0], [x, y, 1.0]];
    world.cut_swept(blade(x - 0.01, y + 0.02), blade(x + 2.0, y + 0.9));
    world.tear(5).unwrap();
    let after = world.drawing();
    let torn: BTreeSet<[u32; 2]> = (0..before.sticks.len())
        .filter(|&stick| world.is_torn(stick))
        .map(|stick| before.sticks[stick])
        .flat_map(|[a, b]| [[a, b], [b, a]])
        .collect();
    assert!(torn.len() > 20);
    let mut removed = BTreeSet::new();
    for (triangle, &[a, b, c]) in before.triangles.iter().enumerate() {
        if [[a, b], [b, c], [c, a]].iter().any(|edge| torn.contains(edge)) {
            assert_eq!(after.triangles[triangle], [REMOVED; 3]);
            removed.insert(triangle as u32);
        } else {
            assert_eq!(after.triangles[triangle], [a, b, c]);
        }
    }
    assert_eq!(removed, world.removed().triangles.iter().copied().collect());
    assert_eq!(removed.len(), world.removed().triangles.len());
}

#[test]
fn a_reordered_world_equals_one_built_without_torn_sticks() {
    let mut world = world(&scene("sheet", drape(12, StickSet::All)));
    world.cut_swept(
        [[0.275, 1.0, -1.0], [0.275, 1.0, 1.0]],
        [[0.275, -0.3, -1.0], [0.275, -0.3, 1.0]],
    );
    let torn_flags = |world: &World| -> Vec<bool> {
        (0..stick_count(world)).map(|stick| world.is_torn(stick)).collect()
    };
    let (torn, before) = (world.torn(), torn_flags(&world));
    assert!(torn > 20);
    assert_eq!(world.reorder(|_| ScalarKernel).unwrap(), torn);
    assert_eq!(world.reorder(|_| ScalarKernel).unwrap(), 0);
    assert_eq!((world.torn(), torn_flags(&world)), (torn, before));

    // A world of the same model, built without the torn sticks.
    let remaining = world.islands()[0].model.clone();
    assert_eq!(remaining.sticks.len() + torn, stick_count(&world));
    let remaining = Model { faces: Vec::new().into(), ..remaining };
    let mut twin = crate::make::world(&scene("sheet", remaining));
    for _ in 0..20 {
        steps(&mut world, 1);
        steps(&mut twin, 1);
    }
    assert_eq!(world.hash(), twin.hash());
    // Sticks keep their indices.
    let stick = (0..stick_count(&world)).find(|&stick| !world.is_torn(stick)).unwrap();
    assert!(world.tear(stick).unwrap() && !world.tear(stick).unwrap() && world.is_torn(stick));
    assert!(world.tear(stick_count(&world)).is_err());
}

/// The number of sticks of the sheet, the first model, including torn ones.
fn stick_count(world: &World) -> usize {
    world.sticks_of("sheet").unwrap().end
}

/// Whether two segments cross, by the intersection of their lines. None if rounding might decide: the
/// lines are nearly parallel, or meet near an end of a segment.
fn intersect([a, b]: [[f64; 2]; 2], [p, q]: [[f64; 2]; 2]) -> Option<bool> {
    let cross = |[x, y]: [f64; 2], [u, v]: [f64; 2]| x * v - y * u;
    let minus = |[x, y]: [f64; 2], [u, v]: [f64; 2]| [x - u, y - v];
    let (along, across) = (minus(b, a), minus(q, p));
    let det = cross(along, across);
    let [s, t] = [across, along].map(|direction| cross(minus(p, a), direction) / det);
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
        let [mut in_2d, mut reversed] = [world(&scene), world(&scene)];
        let torn = in_2d.cut(blade);
        prop_assert_eq!(torn, in_2d.torn());
        reversed.cut([blade[1], blade[0]]);

        // The same in 3D, with a blade perpendicular to the plane.
        let vertical = |[x, y]: [f32; 2]| [[x, y, -1.0], [x, y, 1.0]];
        let points: Vec<[f32; 3]> = points.iter().map(|&[x, y]| [x, y, 0.0]).collect();
        let particles = Particles::new(&points, &vec![1.0; points.len()]).unwrap();
        let sticks = Sticks::joining(&particles, &pairs, Duplicates::Keep).unwrap();
        let mut scene = Scene::<3>::new();
        scene.add("line", Model::new(particles, sticks)).unwrap();
        let mut in_3d = world(&scene);
        in_3d.cut_swept(vertical(blade[0]), vertical(blade[1]));

        let blade = blade.map(|point| point.map(f64::from));
        for (stick, &[a, b]) in pairs.iter().enumerate() {
            let end = |end: u32| in_2d.position(end as usize).map(f64::from);
            if let Some(crossed) = intersect([end(a), end(b)], blade) {
                prop_assert_eq!(in_2d.is_torn(stick), crossed);
                prop_assert_eq!(reversed.is_torn(stick), crossed);
                prop_assert_eq!(in_3d.is_torn(stick), crossed);
            }
        }
    }
}

#[test]
fn a_blade_that_is_nan_or_does_not_move_tears_nothing() {
    let mut world = world(&scene("sheet", drape(6, StickSet::All)));
    let nan_blade = [[f32::NAN; 3], [0.1, f32::NAN, 0.0]];
    assert_eq!(world.cut_swept(nan_blade, [[0.0; 3], [1.0; 3]]), 0);
    let at_rest = [[0.1, -0.1, -1.0], [0.1, -0.1, 1.0]];
    assert_eq!(world.cut_swept(at_rest, at_rest), 0);
}

#[test]
fn tear_factors_may_change_between_steps() {
    let mut world = world(&scene("sheet", drape(8, StickSet::All)));
    steps(&mut world, 10);
    world.set_tear_factor(3, 0.5).unwrap();
    assert_eq!(world.step().unwrap().torn, 1);
    assert!(world.is_torn(3));
    // A shorter rest length lowers the length at which a stick tears, too.
    world.set_tear_factor(9, 2.0).unwrap();
    assert_eq!(world.step().unwrap().torn, 0);
    let (island, index) = world.locate_stick(9).unwrap();
    world.islands_mut()[island].model.sticks.set_rest(index, 1e-3).unwrap();
    assert_eq!(world.step().unwrap().torn, 1);
    assert!(world.is_torn(9) && world.torn() == 2);
}

#[test]
fn sticks_that_only_push_do_not_tear_by_stretch() {
    // A stick that keeps its ends at least 0.1 m apart, at a distance of 1 m, and one that pulls.
    let particles = Particles::new(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0; 2]).unwrap();
    let model = |kind| {
        let mut sticks = Sticks::with_rests(2, &[[0, 1]], &[0.1], Duplicates::Keep).unwrap();
        sticks.set_kind(0, kind).unwrap();
        Model::new(particles.clone(), sticks).tearing_at(2.0)
    };
    for (kind, torn) in [(Kind::Minimum, 0), (Kind::Maximum, 1)] {
        let mut scene = scene("pair", model(kind));
        scene.settings.step.iterations = 0;
        assert_eq!(world(&scene).step().unwrap().torn, torn, "{kind:?}");
    }
}

#[test]
fn tear_factors_changed_in_an_island_apply_from_the_next_step() {
    let mut world = world(&scene("sheet", drape(8, StickSet::All).tearing_at(9.0)));
    steps(&mut world, 3);
    let index_in_island = |world: &World, stick| world.locate_stick(stick).unwrap().1;
    let torn_after = |world: &mut World, change: &dyn Fn(&mut Vec<f32>)| {
        change(&mut world.islands_mut()[0].model.tear_factors);
        world.step().unwrap().torn
    };
    // Changes a factor, then makes all infinite, then one finite again.
    let [a, b, c] = [3, 9, 20].map(|stick| index_in_island(&world, stick));
    assert_eq!(torn_after(&mut world, &|all| all[a] = 0.5), 1);
    assert_eq!(torn_after(&mut world, &|all| all.fill(f32::INFINITY)), 0);
    assert_eq!(torn_after(&mut world, &|all| all[b] = 0.5), 1);
    assert!(world.is_torn(3) && world.is_torn(9) && world.torn() == 2);
    // Sticks beyond the end of a short or empty list never tear.
    assert_eq!(torn_after(&mut world, &|all| *all = vec![9.0; c]), 0);
    assert_eq!(torn_after(&mut world, &Vec::clear), 0);
    // Sticks 0 to c tear, except the two that are torn already.
    assert_eq!(torn_after(&mut world, &|all| *all = vec![0.5; c + 1]), c + 1 - 2);
    assert!(world.is_torn(20));
    // A world in which no stick could tear before.
    let mut cannot_tear = crate::make::world(&scene("sheet", drape(8, StickSet::All)));
    assert_eq!(torn_after(&mut cannot_tear, &|all| *all = vec![0.5; 7]), 7);
}

#[test]
fn a_limb_whose_stick_is_torn_no_longer_collides() {
    // A rope falls across a pinned rod of one stick, which has a limb.
    let rope_along = |points: &[[f32; 3]], spacing| {
        let rope = Rope { spacing, density: 1.0, ..Rope::default() };
        Model::rope(points, &rope).unwrap()
    };
    let settings = SelfCollision::default();
    let rod = rope_along(&[[0.0, 0.0, -0.3], [0.0, 0.0, 0.3]], 10.0).pinned("ends");
    let rod = rod.with_limbs([([0, 1], 0.05)]).unwrap().self_colliding(settings).unwrap();
    let rope = rope_along(&[[-0.4, 0.1, 0.0], [0.4, 0.1, 0.0]], 0.03);
    let mut scene = Scene::new();
    scene.add("rod", rod).unwrap();
    scene.add("rope", rope.self_colliding(settings).unwrap()).unwrap();
    let mut world = world(&scene);
    let highest = |world: &World| {
        let rope = world.model("rope").unwrap();
        rope.map(|particle| world.position(particle)[1]).fold(f32::NEG_INFINITY, f32::max)
    };
    steps(&mut world, 60);
    assert!(highest(&world) > 0.0);
    assert!(world.tear(0).unwrap());
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    for world in [&mut world, &mut resumed] {
        steps(world, 60);
        assert!(highest(world) < -1.0, "{} m", highest(world));
    }
    assert_eq!(world.hash(), resumed.hash());

    // A world resumes without the limb after reordering, too, which removes the torn stick.
    world.reorder(|_| ScalarKernel).unwrap();
    let resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    assert!(resumed.islands().iter().all(|island| island.model.limbs.is_empty()));
}

#[test]
fn limbs_at_sticks_that_are_torn_in_the_scene_do_not_exist() {
    let mut doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let stick_around = |limb: &Limb| {
        let is_around = |ends: &[u32; 2]| BTreeSet::from(*ends) == BTreeSet::from(limb.ends);
        doll.sticks.ends().iter().position(is_around)
    };
    let stick = doll.limbs.all().iter().find_map(stick_around).unwrap();
    doll.sticks.tear(stick).unwrap();
    let scene = scene("doll", doll.clone());
    let world = world(&scene);
    let mut carried_over = crate::make::world(&scene);
    carried_over.carry_over(&world);
    for world in [&world, &carried_over] {
        assert_eq!(world.islands()[0].model.limbs.all().len(), doll.limbs.all().len() - 1);
    }
}

#[cfg(feature = "serde")]
#[test]
fn damaged_lists_of_limbs_are_rejected() {
    type Damage = fn(&mut Vec<serde_json::Value>);
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let limbs = doll.limbs.all().len();
    let scene = scene("doll", doll);
    let good = serde_json::to_value(world(&scene).snapshot()).unwrap();
    let resume = |change: &dyn Fn(&mut Vec<serde_json::Value>)| {
        let mut changed = good.clone();
        // In JSON, the islands of a snapshot are called `pieces`.
        change(changed["pieces"][0]["limbs"].as_array_mut().unwrap());
        let snapshot = serde_json::from_value(changed).unwrap();
        let world = World::resume(&scene, |_| ScalarKernel, &snapshot)?;
        Ok::<_, SnapshotError>(world.islands()[0].model.limbs.all().len())
    };
    assert_eq!(resume(&|_| ()).unwrap(), limbs);
    assert_eq!(resume(&|all| drop(all.remove(1))).unwrap(), limbs - 1);
    let damages: [Damage; 4] = [
        |all| all.swap(0, 1),
        |all| all.push(all[0].clone()),
        |all| all[0] = serde_json::json!([0, 9999]),
        |all| all.rotate_left(1),
    ];
    for damage in damages {
        let error = resume(&damage).unwrap_err().to_string();
        assert!(
            error.contains("a list of limbs has a limb that the scene does not have"),
            "{error}"
        );
    }
}

#[test]
fn removing_a_limb_keeps_the_allowed_overlaps_of_the_others() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let contacts = LimbContacts { own_limbs: true, margin: 0.0, ..LimbContacts::default() };
    let scene = scene("doll", doll.clone());
    let motion = scene.settings.step.motion().unwrap();
    let now = StepTime { time: 0.0, h: 1e-3, duration: 1e-3, motion };
    for removed in doll.limbs.all() {
        let mut world = world(&scene);
        let is_around = |ends: &[u32; 2]| BTreeSet::from(*ends) == BTreeSet::from(removed.ends);
        let Some(stick) = doll.sticks.ends().iter().position(is_around) else { continue };
        world.tear(stick).unwrap();
        let model = &world.islands()[0].model;
        assert_eq!(model.limbs.all().len(), doll.limbs.all().len() - 1);
        // In the initial pose, limbs of one doll overlap only as much as is allowed. If the allowed
        // overlaps were those of other limbs, the depth would change.
        assert_eq!(contacts.depth(model, &now), contacts.depth(&doll, &now));
    }
}
