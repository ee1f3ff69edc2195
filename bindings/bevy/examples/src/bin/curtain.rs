//! A curtain: the left mouse button drags it, the right one cuts it.

use bevy::prelude::*;
use bevy_taut::{Cloth, Hit, Pins, StickTorn, TautWorld};
use bevy_taut_examples::{cloth_material, example_app};

/// The largest distance from the ray of the mouse at which a particle is grabbed, m.
const GRAB_RADIUS: f32 = 0.1;
/// The length of the part of the ray that cuts, m: longer than the distance from the camera to the curtain.
const CUT_LENGTH: f32 = 20.0;

fn main() -> AppExit {
    let (eye, target, floor) = (Vec3::new(0.0, 1.4, 4.5), Vec3::new(0.0, 1.2, 0.0), 0.0);
    example_app("Curtain", eye, target, floor)
        .add_systems(Startup, spawn)
        .add_systems(Update, (drag, cut, log_torn))
        .run()
}

fn spawn(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    commands.spawn((
        Cloth::sheet(64, 48, 0.04).tearing_at(2.5),
        // Every 7th particle of the top row.
        Pins::where_(|candidate| candidate.particle < 64 && candidate.particle % 7 == 0),
        MeshMaterial3d(materials.add(cloth_material(Color::srgb(0.7, 0.15, 0.2)))),
        Transform::from_xyz(0.0, 1.4, 0.0),
    ));
}

/// The ray from the camera through the mouse; `None` if the mouse is outside the window.
fn mouse_ray(window: &Window, camera: (&Camera, &GlobalTransform)) -> Option<Ray3d> {
    let (camera, transform) = camera;
    camera.viewport_to_world(transform, window.cursor_position()?).ok()
}

/// Drags the particle nearest to the ray of the mouse while the left button is pressed.
fn drag(
    mut world: ResMut<TautWorld>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut dragged: Local<Option<Hit>>,
) -> Result {
    // The button may be released outside the window.
    if !buttons.pressed(MouseButton::Left)
        && let Some(hit) = dragged.take()
    {
        world.release(hit.entity, hit.particle)?;
    }
    let Some(ray) = mouse_ray(&window, *camera) else { return Ok(()) };
    if buttons.just_pressed(MouseButton::Left) {
        *dragged = world.nearest_to_ray(ray, GRAB_RADIUS);
        if let Some(hit) = *dragged {
            world.grab(hit.entity, hit.particle)?;
        }
    }
    if let Some(hit) = *dragged {
        // The particle moves in the plane that faces the camera and contains the position where it was grabbed.
        let plane = InfinitePlane3d::new(camera.1.forward());
        if let Some(distance) = ray.intersect_plane(hit.position, plane) {
            world.drag(hit.entity, hit.particle, ray.get_point(distance))?;
        }
    }
    Ok(())
}

/// Cuts with the ray of the mouse while the right button is pressed.
fn cut(
    mut world: ResMut<TautWorld>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut last: Local<Option<Ray3d>>,
) {
    let ray = mouse_ray(&window, *camera).filter(|_| buttons.pressed(MouseButton::Right));
    if let (Some(from), Some(to)) = (*last, ray) {
        world.cut_with_rays(from, to, CUT_LENGTH);
    }
    *last = ray;
}

/// Logs how many sticks tore in a frame.
fn log_torn(mut torn: MessageReader<StickTorn>) {
    if !torn.is_empty() {
        info!("{} sticks torn", torn.read().count());
    }
}
