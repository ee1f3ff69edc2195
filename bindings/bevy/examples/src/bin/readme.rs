//! The program of README.md.

use bevy::prelude::*;
use bevy_taut::{Cloth, Pins, TautPlugin, TautWind};

fn main() -> AppExit {
    App::new().add_plugins((DefaultPlugins, TautPlugin::default())).add_systems(Startup, hang).run()
}

fn hang(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    let material = materials.add(StandardMaterial { cull_mode: None, ..default() });
    commands.spawn((Cloth::sheet(33, 33, 0.03), Pins::group("top"), MeshMaterial3d(material)));
    commands.insert_resource(TautWind { gusts: 0.5, ..TautWind::new(Vec3::new(1.0, 0.0, -3.0)) });
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 0.0, 2.0)));
    commands.spawn(DirectionalLight::default());
}
