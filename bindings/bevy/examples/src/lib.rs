//! What the examples share: an app with a window, a camera, a light and a floor, and a material of cloth.

use bevy::prelude::*;
use bevy_taut::{ClothCollider, TautGizmos, TautGizmosPlugin, TautPlugin};

/// An app with a window of this title, a camera at `eye` that looks at `target`, a light, and a floor at the
/// height `floor`, m. The key G shows or hides sticks, pins and colliders as lines.
pub fn example_app(title: &str, eye: Vec3, target: Vec3, floor: f32) -> App {
    let window = Window { title: title.to_owned(), ..default() };
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }),
        TautPlugin::default(),
        TautGizmosPlugin,
    ))
    .insert_resource(Time::<Fixed>::from_hz(60.0))
    .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
    .add_systems(
        Startup,
        move |mut commands: Commands,
              mut meshes: ResMut<Assets<Mesh>>,
              mut materials: ResMut<Assets<StandardMaterial>>,
              mut gizmos: ResMut<GizmoConfigStore>| {
            gizmos.config_mut::<TautGizmos>().0.enabled = false;
            commands.spawn((
                Camera3d::default(),
                Transform::from_translation(eye).looking_at(target, Vec3::Y),
            ));
            commands.spawn((
                DirectionalLight { illuminance: 9_000.0, shadow_maps_enabled: true, ..default() },
                Transform::from_xyz(4.0, 8.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y),
            ));
            commands.spawn((
                Mesh3d(meshes.add(Plane3d::default().mesh().size(60.0, 60.0))),
                MeshMaterial3d(materials.add(Color::srgb(0.35, 0.4, 0.33))),
                ClothCollider::new(InfinitePlane3d::new(Vec3::Y)),
                Transform::from_xyz(0.0, floor, 0.0),
            ));
        },
    )
    .add_systems(Update, toggle_gizmos);
    app
}

/// A material of cloth, visible from both sides.
pub fn cloth_material(color: Color) -> StandardMaterial {
    StandardMaterial {
        base_color: color,
        perceptual_roughness: 0.9,
        double_sided: true,
        cull_mode: None,
        ..default()
    }
}

fn toggle_gizmos(keys: Res<ButtonInput<KeyCode>>, mut gizmos: ResMut<GizmoConfigStore>) {
    if keys.just_pressed(KeyCode::KeyG) {
        let (config, _) = gizmos.config_mut::<TautGizmos>();
        config.enabled = !config.enabled;
    }
}
