//! Tests of geodesic distances on models from builders, with and without tears.

use taut_core::{Bending, Kind};

use super::{MAX_EXCESS, MAX_SHORTFALL, Point, check, distance};
use crate::model::{Bridge, Cloth, HexSheet, Model, Plant, Ragdoll, Rope};
use crate::tether::RestShape;
use crate::tether::geodesic::NearestSource;
use crate::vector::to_f64;

#[test]
fn distances_on_a_sphere_are_those_of_great_circles_within_0_2_percent() {
    let model = Model::sphere(40, crate::model::StickSet::All).unwrap();
    let radius = f64::from(model.particles.position(0)[1]);
    let directions: Vec<Point> = (0..model.particles.len())
        .map(|it| to_f64(model.particles.position(it)).map(|x| x / radius))
        .collect();
    let shape = RestShape::of(&model);
    for source in [0, 1000, 1600] {
        for (particle, nearest) in shape.distances_from(&[source as u32]).iter().enumerate() {
            let chord = distance(directions[source], directions[particle]);
            let arc = 2.0 * radius * libm::asin((0.5 * chord).min(1.0));
            let found = f64::from(nearest.distance);
            // The faces are inside the ball, by 0.2 % of the radius at most.
            assert!(found >= chord * radius * (1.0 - 1e-6));
            assert!(
                found >= 0.998 * arc && found <= 1.001 * arc,
                "particle {particle}: {found} m, expected {arc} m"
            );
        }
    }
}

#[test]
fn distances_without_a_path_are_infinite() {
    let ropes = [0.0, 1.0].map(|y| {
        let rope = Rope { bending: 0.5, spacing: 0.11, ..Rope::default() };
        Model::rope(&[[0.0, y, 0.0], [0.3, y, 0.0], [0.3, y, 0.4]], &rope).unwrap()
    });
    let mut model = Model::side_by_side(&ropes).unwrap();
    let found = RestShape::of(&model).distances_from(&[0]);
    check(
        &found,
        MAX_SHORTFALL,
        MAX_EXCESS,
        |it| if it < 8 { 0.1 * it as f64 } else { f64::INFINITY },
    );
    assert_eq!(found[3].source, 0);
    assert_eq!(found[8], NearestSource { source: u32::MAX, distance: f32::INFINITY });
    assert_eq!(RestShape::of(&model).distances_from(&[])[0], found[8]);

    // Paths follow sticks that only pull, but not sticks that only push or are torn.
    model.sticks.set_kind(2, Kind::Maximum).unwrap();
    model.sticks.set_kind(4, Kind::Minimum).unwrap();
    // The fourth stick of the second rope: a rope has 7 sticks, then 6 that resist bending.
    model.sticks.tear(7 + 6 + 3).unwrap();
    let pieces: [Vec<u32>; 4] =
        [(0..5).collect(), (5..8).collect(), (8..12).collect(), (12..16).collect()];
    let shape = RestShape::of(&model);
    assert_eq!(shape.clusters(&(0..16).collect::<Vec<u32>>()), pieces);
    for piece in pieces {
        let found = shape.distances_from(&piece[..1]);
        let reached = (0..16).filter(|&it| found[it as usize].distance.is_finite());
        assert_eq!(reached.collect::<Vec<u32>>(), piece);
    }
}

#[test]
fn paths_follow_the_sticks_of_ragdolls_plants_and_bridges() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let [head, neck, foot] = ["head", "neck", "left foot"].map(|name| doll.groups[name][0]);
    let [knee, hip] = ["left knee", "left hip"].map(|name| doll.groups[name][0]);
    let position = |model: &Model, it: u32| to_f64(model.particles.position(it as usize));
    let path_length = |model: &Model, path: &[u32]| -> f64 {
        path.windows(2).map(|it| distance(position(model, it[0]), position(model, it[1]))).sum()
    };
    for path in [&[foot, knee, hip][..], &[head, neck]] {
        let found = RestShape::of(&doll).distances_from(&path[..1]);
        let bones = path_length(&doll, path);
        assert!((f64::from(found[path[path.len() - 1] as usize].distance) - bones).abs() < 1e-6);
    }

    let plant = Model::plant(&Plant { levels: 1, ..Plant::default() }).unwrap();
    let found = RestShape::of(&plant).distances_from(&plant.groups["root"]);
    let mut stem = vec![plant.groups["root"][0]];
    stem.extend(&plant.groups["stem"]);
    for joints in 1..=stem.len() {
        let joint = stem[joints - 1] as usize;
        let expected = path_length(&plant, &stem[..joints]);
        assert!((f64::from(found[joint].distance) - expected).abs() <= 1e-6 * expected.max(1.0));
    }
    assert!(found.iter().all(|nearest| nearest.distance.is_finite()));

    // Only ropes connect planks; rails are no shortcut.
    let bridge = Bridge { planks: 5, ropes: 3, sag: 0.0, ..Bridge::default() };
    let bridge = Model::bridge([0.0; 3], [11.0, 0.0, 0.0], &bridge).unwrap();
    let shape = RestShape::of(&bridge);
    let found = shape.distances_from(&bridge.groups["deck"][..3]);
    for (nth, &particle) in bridge.groups["deck"].iter().enumerate() {
        let distance = f64::from(found[particle as usize].distance);
        assert!((distance - (nth / 3) as f64).abs() < 1e-5);
    }
    let ends = [&bridge.groups["start"][..], &bridge.groups["end"][..]].concat();
    assert_eq!(shape.clusters(&ends).len(), 2 * (3 + 2)); // nothing connects ropes and rails there
}

#[test]
fn paths_go_around_tears_even_where_bending_sticks_bridge_them() {
    // All sticks between the columns 5 and 6 are torn, except those of the two lowest rows.
    let cloth = Cloth::spaced(12, 16, 0.1);
    let mut model = Model::<3>::cloth(&cloth).unwrap();
    let column = |particle: u32| particle % 12;
    let crosses = |[a, b]: [u32; 2]| {
        column(a).min(column(b)) == 5 && column(a).max(column(b)) == 6 && a.min(b) < 14 * 12
    };
    let mut torn = 0;
    for stick in 0..model.sticks.len() {
        let ends = model.sticks.ends()[stick];
        if crosses(ends) {
            model.sticks.tear(stick).unwrap();
            torn += 1;
        }
    }
    assert!(torn > 3 * 13);
    let by_sheet = RestShape::of(&model);
    model.faces.retain(|[a, b, c]| ![[a, b], [b, c], [c, a]].iter().any(|&[a, b]| crosses([a, b])));
    model.sheet = None;
    let by_faces = RestShape::of(&model);
    let distance_across = |shape: &RestShape| f64::from(shape.distances_from(&[5])[6].distance);
    // Down to row 14 and up again.
    let around = 14.0 * 0.1 * 2.0 + 0.1;
    for shape in [&by_sheet, &by_faces] {
        let found = distance_across(shape);
        assert!((found - around).abs() < 1e-5 * around, "{found} m, expected {around} m");
    }
}

#[test]
fn bending_sticks_of_a_mesh_are_marked() {
    let sheet = HexSheet { columns: 9, rows: 8, spacing: 0.1, ..HexSheet::default() };
    let [free, stiff] = [Bending::Free, Bending::Sticks]
        .map(|bending| Model::<3>::hex_sheet(&HexSheet { bending, ..sheet }).unwrap());
    assert!(free.bending.is_empty());
    let marked = |model: &Model| model.bending.iter().filter(|&&marked| marked).count();
    assert_eq!(marked(&stiff), stiff.sticks.len() - free.sticks.len());
    let both = Model::side_by_side([&free, &stiff]).unwrap().shuffled(5);
    assert_eq!(marked(&both), marked(&stiff));
    let is_long = |stick: usize| both.sticks.rest(stick) > 0.11;
    assert!((0..both.sticks.len()).all(|stick| both.bending[stick] == is_long(stick)));

    // A mesh cut into two pieces that bending sticks still connect.
    let mut model = stiff;
    let is_upper = |particle: u32| particle < 4 * 9;
    for stick in 0..free.sticks.len() {
        let [a, b] = model.sticks.ends()[stick];
        if is_upper(a) != is_upper(b) {
            model.sticks.tear(stick).unwrap();
        }
    }
    model.faces.retain(|[a, b, c]| is_upper(a) == is_upper(b) && is_upper(b) == is_upper(c));
    let found = RestShape::of(&model).distances_from(&[0]);
    for (particle, nearest) in found.iter().enumerate() {
        assert_eq!(nearest.distance.is_finite(), is_upper(particle as u32));
    }
}

#[test]
fn clusters_are_connected_by_edges_between_pins_only() {
    let model = Model::<3>::cloth(&Cloth::spaced(6, 4, 0.1)).unwrap();
    let shape = RestShape::of(&model);
    assert_eq!(shape.clusters(&[5, 0, 1, 2, 12, 18, 4]), [vec![0, 1, 2], vec![4, 5], vec![12, 18]]);
    assert_eq!(shape.clusters(&[23, 23]), [vec![23]]);
    assert!(shape.clusters(&[]).is_empty());
}
