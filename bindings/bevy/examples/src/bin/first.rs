//! The first program of docs/bevy.md.

use bevy::prelude::*;
use bevy_taut::{Cloth, ClothCollider, Pins, TautPlugin};

fn main() -> AppExit {
    App::new()
        .add_plugins((DefaultPlugins, TautPlugin::default()))
        .add_systems(Startup, spawn)
        .run()
}

fn spawn(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    // A cloth of about 1 m by 1 m that hangs from its top row, and a ball that it rests on.
    commands.spawn((
        Cloth::sheet(33, 33, 0.03),
        Pins::group("top"),
        Transform::from_xyz(0.0, 2.0, 0.0),
        MeshMaterial3d(materials.add(StandardMaterial {
            double_sided: true,
            cull_mode: None,
            ..default()
        })),
    ));
    commands.spawn((ClothCollider::new(Sphere::new(0.3)), Transform::from_xyz(0.0, 1.5, 0.2)));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(1.0, 1.8, 3.0).looking_at(Vec3::Y * 1.5, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(4.0, 8.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}
