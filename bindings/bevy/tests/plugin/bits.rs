//! Positions have the same bits as in Taut without Bevy, and do not depend on other entities.

use super::*;
use bevy_taut::{Cloth, Pins, TautSettings, TautWind};
use bevy_transform::prelude::Transform;

/// The text of bindings/hashes.txt: the hashes that all bindings must get.
#[cfg(feature = "scenes")]
const TABLE: &str = include_str!("../../../hashes.txt");

/// The example `falling-sheet` of bindings/hashes.txt, as a cloth of this plugin.
#[test]
fn a_cloth_from_a_mesh_has_the_hash_of_all_bindings() {
    let mut app = app();
    let mesh = add_mesh(&mut app, grid(17, 0.0625));
    app.world_mut().spawn((Cloth::from_mesh(), Mesh3d(mesh), Pins::vertices([0, 16])));
    run(&mut app, 120);
    assert_eq!(taut(&mut app).steps(), 120);
    assert_eq!(format!("{:016x}", taut(&mut app).hash()), "351e0295b3d9c55f");
    assert!(failures(&mut app).is_empty());
}

#[cfg(feature = "scenes")]
#[test]
fn scenes_have_the_hashes_of_all_bindings() {
    use bevy_taut::TautScene;

    let mut wrong = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split_whitespace().collect();
        let (name, size, steps) = match row[..] {
            ["library", name, size, steps, _] => {
                (name, size.parse().unwrap(), steps.parse().unwrap())
            }
            ["example", "torn-flag", _] => ("flag", 24, 90),
            // See `a_cloth_from_a_mesh_has_the_hash_of_all_bindings`.
            ["example", "falling-sheet", _] => continue,
            _ => panic!("{line}: unknown row"),
        };
        let mut app = app();
        let scene = TautScene::from_library(name, Some(size)).unwrap();
        let entity = app.world_mut().spawn(scene).id();
        if row[1] == "torn-flag" {
            let mut scene = app.world_mut().get_mut::<TautScene>(entity).unwrap();
            scene.world_mut().set_wind(Some([6.0, 0.0, 2.0])).unwrap();
        }
        run(&mut app, steps);
        if row[1] == "torn-flag" {
            let blade = |y| [[-0.3, y, -5.0], [-0.3, y, 5.0]];
            let mut scene = app.world_mut().get_mut::<TautScene>(entity).unwrap();
            assert!(scene.world_mut().cut(blade(0.1), blade(5.0)) > 0);
            run(&mut app, 60);
        }
        let world = app.world().get::<TautScene>(entity).unwrap().world();
        if !world.drawing().triangles.is_empty() {
            assert_eq!(vertices(mesh(&app, entity)).len(), world.vertices(), "{line}");
        }
        let hash = format!("{:016x}", world.hash());
        if row.last() != Some(&&*hash) {
            wrong.push(format!("{line}: {hash}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn banner(app: &mut App, nth: usize) -> Entity {
    let position = Vec3::new(1.5 * (nth % 10) as f32, 3.0, -2.0 * (nth / 10) as f32);
    let transform = Transform::from_translation(position)
        .with_rotation(bevy_math::Quat::from_rotation_y(0.1 * nth as f32));
    let cloth = Cloth { tethered: false, ..Cloth::sheet(12, 20, 0.05) };
    app.world_mut().spawn((cloth, transform, Pins::group("top"))).id()
}

#[test]
fn a_hundred_banners_are_copies_in_one_island_with_the_bits_of_each_alone() {
    let wind = TautWind { gusts: 0.5, lift: 1.0, ..TautWind::new(Vec3::new(3.0, 0.0, 4.0)) };
    let mut app = app();
    app.insert_resource(wind);
    let banners: Vec<Entity> = (0..100).map(|nth| banner(&mut app, nth)).collect();
    run(&mut app, 20);
    let islands = taut(&mut app).world().unwrap().islands().len();
    assert_eq!(islands, 1);
    assert_eq!(taut(&mut app).entities().count(), 100);
    for nth in [0, 37, 99] {
        let mut alone = super::app();
        alone.insert_resource(wind);
        let banner = banner(&mut alone, nth);
        run(&mut alone, 20);
        assert_eq!(positions(&app, banners[nth]), positions(&alone, banner), "banner {nth}");
    }
}

#[test]
fn spawning_and_despawning_others_does_not_change_a_bit() {
    let settings = TautSettings { substeps: 4, ..TautSettings::default() };
    let simulate = |others: bool| {
        let mut app = app();
        app.insert_resource(settings);
        app.insert_resource(TautWind { gusts: 0.8, ..TautWind::new(Vec3::Z * 4.0) });
        let flag = app.world_mut().spawn((Cloth::sheet(20, 12, 0.05), Pins::group("left"))).id();
        run(&mut app, 10);
        taut(&mut app).grab(flag, 239).unwrap();
        assert!(taut(&mut app).tear(flag, 40).unwrap());
        run(&mut app, 5);
        let mut spawned = Vec::new();
        if others {
            spawned.extend((0..20).map(|nth| banner(&mut app, nth)));
            // An equal cloth, which might share a plan with the flag.
            let far_away = Transform::from_xyz(50.0, 0.0, 0.0);
            spawned.push(app.world_mut().spawn((Cloth::sheet(20, 12, 0.05), far_away)).id());
        }
        run(&mut app, 5);
        taut(&mut app).drag(flag, 239, Vec3::new(0.4, 0.1, 0.2)).unwrap();
        run(&mut app, 5);
        for entity in spawned {
            assert!(app.world_mut().despawn(entity));
        }
        run(&mut app, 5);
        taut(&mut app).release(flag, 239).unwrap();
        run(&mut app, 5);
        assert_eq!(taut(&mut app).entities().collect::<Vec<_>>(), [flag]);
        assert_eq!(torn(&mut app).len(), 1);
        positions(&app, flag)
    };
    assert_eq!(simulate(false), simulate(true));
}
