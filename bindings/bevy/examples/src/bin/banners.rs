//! A hundred banners in gusts of wind. They have the same sticks, so they are stepped together as copies.

use bevy::prelude::*;
use bevy_taut::{Cloth, Pins, TautWind, TautWorld};
use bevy_taut_examples::{cloth_material, example_app};

fn main() -> AppExit {
    example_app("Banners", Vec3::new(0.0, 6.0, 17.0), Vec3::new(0.0, 1.0, 0.0), 0.0)
        .insert_resource(TautWind {
            gusts: 0.9,
            lift: 1.0,
            ..TautWind::new(Vec3::new(2.0, 0.0, 4.0))
        })
        .add_systems(Startup, spawn)
        .add_systems(Update, log_islands)
        .run()
}

fn spawn(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    for nth in 0_u8..100 {
        let [column, row] = [nth % 10, nth / 10].map(f32::from);
        commands.spawn((
            // With tethers, each banner would have an island of its own.
            Cloth { tethered: false, ..Cloth::sheet(12, 24, 0.06) },
            Pins::group("top"),
            MeshMaterial3d(materials.add(cloth_material(Color::hsl(
                36.0 * row + 3.0 * column,
                0.7,
                0.5,
            )))),
            Transform::from_xyz(1.5 * (column - 4.5), 2.0, 2.0 * (row - 4.5)),
        ));
    }
}

/// Logs once how many islands the banners are in.
fn log_islands(world: Res<TautWorld>, mut logged: Local<bool>) {
    if let Some(taut) = world.world()
        && !*logged
    {
        info!("{} banners in {} island(s)", world.entities().count(), taut.islands().len());
        *logged = true;
    }
}
