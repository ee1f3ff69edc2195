//! The scene and the settings of a session with a request applied.

use std::sync::Arc;

use taut::Step;
use taut::world::{
    AnyScene, Drag, Field, Force, Gusts, Integrator, Model, Scene, SelfCollision, Settings, Sleep,
    SpringError, Tethers, Wind, WindLaw, WorldError,
};

use crate::protocol::CollisionFilter;
use crate::request::{ContactOverrides, SettingRequest};

/// A scene with a request applied, except for the values of sticks.
pub(super) fn requested_scene(
    scene: &AnyScene,
    request: &SettingRequest,
) -> Result<AnyScene, WorldError> {
    Ok(match scene {
        AnyScene::TwoD(scene) => with_request(scene, request, uniform_wind)?.into(),
        AnyScene::ThreeD(scene) => with_request(scene, request, wind_on_faces)?.into(),
    })
}

/// `default_wind` makes the wind that pages can switch on in scenes without forces. `Scene::set_settings` scales previous
/// positions to the requested substep, so models keep their velocities.
fn with_request<const D: usize>(
    scene: &Scene<D>,
    request: &SettingRequest,
    default_wind: fn(&Scene<D>) -> Arc<dyn Force<D>>,
) -> Result<Scene<D>, WorldError> {
    let mut scene = scene.clone();
    scene.formula = request.formula.unwrap_or(scene.formula);
    scene.order = request.order.or(scene.order);
    match request.wind {
        Some(false) => scene.forces.clear(),
        Some(true) if scene.forces.is_empty() => scene.forces = vec![default_wind(&scene)],
        _ => {}
    }
    if let Some(on) = request.tethers {
        scene = scene.tethered(on.then(Tethers::default))?;
    }
    if let Some(on) = request.collisions {
        scene = scene.self_colliding(on.then(SelfCollision::default))?;
    }
    let ContactOverrides { thickness, friction, ref filters } = request.contacts;
    scene = scene.with_self_collision(|name, model, settings| {
        settings.friction = friction.unwrap_or(settings.friction);
        if !model.has_colliders() {
            settings.thickness = thickness.or(settings.thickness);
        }
        if let Some(&CollisionFilter { categories, mask }) = filters.get(name) {
            (settings.categories, settings.mask) = (categories, mask);
        }
    })?;
    if let Some(on) = request.sleep {
        scene.sleep = on.then(Sleep::default);
    }
    scene.set_settings(requested_settings(scene.settings, request))?;
    Ok(scene)
}

/// Settings with a request applied.
pub(super) fn requested_settings<const D: usize>(
    mut settings: Settings<D>,
    request: &SettingRequest,
) -> Settings<D> {
    settings.passes = request.passes.unwrap_or(settings.passes);
    let step = &mut settings.step;
    step.substeps = request.substeps.unwrap_or(step.substeps);
    step.iterations = request.iterations.unwrap_or(step.iterations);
    step.damping_rate = request.damping_rate.unwrap_or(step.damping_rate);
    if !request.gravity {
        step.acceleration = [0.0; D];
    }
    settings
}

/// Checks that the springs of a scene are stable with the substeps of `settings`. (`AnyWorld::set_settings` checks this,
/// too, but it treats held particles as pinned. When they are released, the springs may become unstable.)
pub(super) fn check_springs(scene: &AnyScene, settings: &Settings) -> Result<(), WorldError> {
    match scene {
        AnyScene::TwoD(scene) => check_springs_of(scene, settings),
        AnyScene::ThreeD(scene) => check_springs_of(scene, settings),
    }
}

fn check_springs_of<const D: usize>(
    scene: &Scene<D>,
    settings: &Settings,
) -> Result<(), WorldError> {
    let Step { dt, substeps, damping_rate, .. } = settings.step;
    // The length of a substep, s: `h` in `SpringError`.
    let h = f64::from(dt / substeps as f32);
    for (_, model) in scene.models() {
        let inverse_masses = model.particles.inverse_masses();
        // The largest stable substep, s.
        let largest =
            model.springs.largest_substep(inverse_masses, Integrator::Verlet, damping_rate);
        if h >= largest {
            return Err(SpringError::Unstable { h, largest }.into());
        }
    }
    Ok(())
}

/// Wind in gusts on the faces of a scene; uniform wind if it has no faces.
fn wind_on_faces(scene: &Scene) -> Arc<dyn Force> {
    let models = || scene.models().map(|(_, model)| model);
    let area: f64 = models().map(face_area).sum();
    if area <= 0.0 {
        return uniform_wind(scene);
    }
    // Scales the density of the air, 1.2 kg/m³, with the mass per area of the scene, so that any cloth
    // moves like one of 0.2 kg/m².
    let mass: f64 = models().map(Model::mass).sum();
    let density = (1.2 * (mass / area) / 0.2) as f32;
    let law = WindLaw::Plate { density, drag: 1.3, lift: 0.0 };
    let gusts = Some(Gusts { strength: 0.6, size: 1.0, seed: 1 });
    Arc::new(Wind { gusts, law, ..Wind::new([1.5, 0.0, 3.0]) })
}

/// The area of all faces of a model, m².
fn face_area(model: &Model) -> f64 {
    let triangle_area = |corners: [u32; 3]| {
        let [a, b, c] =
            corners.map(|corner| model.particles.position(corner as usize).map(f64::from));
        let [u, v]: [[f64; 3]; 2] =
            [b, c].map(|to| core::array::from_fn(|axis| to[axis] - a[axis]));
        let normal: [f64; 3] = core::array::from_fn(|axis| {
            let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
            u[j] * v[k] - u[k] * v[j]
        });
        0.5 * normal.iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    model.faces.iter().copied().map(triangle_area).sum()
}

/// Uniform wind of 6 m/s along x. Its drag brings a particle of mean mass to that velocity with a time constant of 2 s.
fn uniform_wind<const D: usize>(scene: &Scene<D>) -> Arc<dyn Force<D>> {
    let mass: f64 = scene.models().map(|(_, model)| model.mass()).sum();
    let linear = 0.5 * (mass / scene.particles().max(1) as f64) as f32;
    let air = core::array::from_fn(|axis| if axis == 0 { 6.0 } else { 0.0 });
    Arc::new(Field::new(Drag { linear, quadratic: 0.0, air }))
}
