//! A flag on a pole, which a character (a capsule) carries in a circle past a pillar.

use bevy::prelude::*;
use bevy_taut::{Cloth, ClothCollider, Pins, TautSystems, TautWind};
use bevy_taut_examples::{cloth_material, example_app};

/// Marks the character, which moves in a circle and carries the pole.
#[derive(Component)]
struct Walking;

fn main() -> AppExit {
    example_app("Flag", Vec3::new(0.0, 3.0, 9.0), Vec3::new(0.0, 1.6, 0.0), 0.0)
        .insert_resource(TautWind {
            gusts: 0.6,
            lift: 1.0,
            ..TautWind::new(Vec3::new(3.0, 0.0, 1.0))
        })
        .add_systems(Startup, spawn)
        // Moves the character once per tick, before the plugin reads transforms.
        .add_systems(FixedUpdate, walk.before(TautSystems::Build))
        .run()
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let wood = materials.add(Color::srgb(0.45, 0.3, 0.2));
    let body = Capsule3d::new(0.3, 1.0);
    let walker = commands
        .spawn((
            Walking,
            Mesh3d(meshes.add(body)),
            MeshMaterial3d(materials.add(Color::srgb(0.3, 0.35, 0.6))),
            ClothCollider::new(body),
            walker_transform(0.0),
        ))
        .id();
    let pole = Capsule3d::new(0.03, 3.0);
    let pole = commands
        .spawn((
            ChildOf(walker),
            Mesh3d(meshes.add(pole)),
            MeshMaterial3d(wood.clone()),
            Transform::from_xyz(0.45, 0.8, 0.0),
        ))
        .id();
    commands.spawn((
        Cloth::sheet(40, 26, 0.04),
        Pins::group("left").following(pole),
        MeshMaterial3d(materials.add(cloth_material(Color::srgb(0.85, 0.65, 0.1)))),
        // The left side of the flag is at the surface of the pole.
        walker_transform(0.0) * Transform::from_xyz(0.45 + 0.81, 1.75, 0.0),
    ));
    let pillar = Capsule3d::new(0.25, 3.0);
    commands.spawn((
        Mesh3d(meshes.add(pillar)),
        MeshMaterial3d(wood),
        ClothCollider::new(pillar).with_edges(),
        Transform::from_xyz(3.4, 1.5, 0.0),
    ));
}

/// The transform of the character after a time, s.
fn walker_transform(time: f32) -> Transform {
    let rotation = Quat::from_rotation_y(0.5 * time);
    Transform::from_translation(rotation * Vec3::X * 2.0 + Vec3::Y * 0.8).with_rotation(rotation)
}

/// Moves the character along its circle.
fn walk(time: Res<Time>, mut walkers: Query<&mut Transform, With<Walking>>) {
    for mut transform in &mut walkers {
        *transform = walker_transform(time.elapsed_secs());
    }
}
