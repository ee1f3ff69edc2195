//! Operations that differ between 2-D and 3-D: cuts and the default wind.

use std::sync::Arc;

use taut::world::{Drag, Field, Force, Gusts, Model, Scene, Wind, WindLaw, World};

/// Operations on scenes that differ between 2-D and 3-D.
pub(crate) trait SceneOps<const D: usize> {
    /// Tears the sticks that a blade crosses as it moves from the segment `from` to the segment `to`;
    /// returns the number of torn sticks. In 2-D only the first points of the two segments matter: the
    /// cut is the line between them.
    fn cut(world: &mut World<D>, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize;

    /// The wind that pages can switch on in scenes without forces.
    fn default_wind(&self) -> Arc<dyn Force<D>>;
}

impl SceneOps<2> for Scene<2> {
    fn cut(world: &mut World<2>, [from, _]: [[f32; 3]; 2], [to, _]: [[f32; 3]; 2]) -> usize {
        world.cut([from, to].map(|[x, y, _]| [x, y]))
    }

    fn default_wind(&self) -> Arc<dyn Force<2>> {
        uniform_wind(self)
    }
}

impl SceneOps<3> for Scene<3> {
    fn cut(world: &mut World, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize {
        world.cut_swept(from, to)
    }

    fn default_wind(&self) -> Arc<dyn Force<3>> {
        let models = || self.models().map(|(_, model)| model);
        let area: f64 = models().map(face_area).sum();
        if area <= 0.0 {
            return uniform_wind(self);
        }
        // Scales the density of the air, 1.2 kg/m³, with the mass per area of the scene, so that any cloth
        // moves like one of 0.2 kg/m².
        let mass: f64 = models().map(Model::mass).sum();
        let density = (1.2 * (mass / area) / 0.2) as f32;
        let law = WindLaw::Plate { density, drag: 1.3, lift: 0.0 };
        let gusts = Some(Gusts { strength: 0.6, size: 1.0, seed: 1 });
        Arc::new(Wind { gusts, law, ..Wind::new([1.5, 0.0, 3.0]) })
    }
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
