//! A custom obstacle: a landscape of hills, onto which a cloth falls.
//!
//! An [`Obstacle`] may change particles in any way. This one changes one particle at a time, so it
//! is a [`Stage`]; an obstacle that needs several at once uses [`Matter::model_mut`]. If the
//! distance to the obstacle is a formula, implement [`taut::world::Shape`] instead: it adds
//! friction, restitution, motion and SIMD.
//!
//!     cargo run --release -p taut --example custom_obstacle

use std::sync::Arc;

use taut::prelude::*;
use taut::world::{Axes, Cloth, Matter, Model, Obstacle, Scene, StepTime, World};
use taut::{ParticleView, Stage};

/// Hills, 1 m apart.
#[derive(Debug)]
struct Hills {
    /// Height of the hills, m.
    height: f32,
}

impl Hills {
    /// The height of the ground, m. (It uses no `sin`, because only + - * /, roots and comparisons
    /// give the same bits on every machine.)
    fn ground(&self, x: f32, z: f32) -> f32 {
        let bump = |x: f32| {
            let from_summit = x - x.round();
            1.0 - 4.0 * from_summit * from_summit
        };
        self.height * bump(x) * bump(z)
    }
}

impl Obstacle for Hills {
    fn resolve(&self, matter: &mut Matter<'_>, _: &StepTime) {
        // The stage runs on the kernel's own layout of the particles.
        matter.visit(self);
    }

    fn depth(&self, model: &Model, _: &StepTime) -> f32 {
        let depth = |[x, y, z]: [f32; 3]| self.ground(x, z) - y;
        model.particles.points().map(depth).fold(0.0, f32::max)
    }
}

impl Stage<3> for Hills {
    fn run(&self, particles: ParticleView<'_, 3>) {
        let ParticleView { position: [x, y, z], previous, inverse_mass, .. } = particles;
        let [previous_x, _, previous_z] = previous;
        for slot in 0..inverse_mass.len() {
            // The cloth stays above the ground by its thickness, 1 cm.
            let lowest = self.ground(x[slot], z[slot]) + 0.01;
            if y[slot] < lowest && inverse_mass[slot] > 0.0 {
                // Moves the particle up to this height, and undoes half of its horizontal motion:
                // that is its friction.
                y[slot] = lowest;
                x[slot] = 0.5 * (x[slot] + previous_x[slot]);
                z[slot] = 0.5 * (z[slot] + previous_z[slot]);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cloth = Cloth {
        columns: 64,
        rows: 64,
        width: 3.0,
        height: 3.0,
        axes: Axes::HORIZONTAL,
        ..Cloth::default()
    };
    let mut scene = Scene::new();
    scene.add("cloth", Model::cloth(&cloth)?.moved([0.0, 1.0, 0.0]))?;
    scene.obstacles.push(Arc::new(Hills { height: 0.4 }));
    scene.settings.step = Step { substeps: 4, iterations: 4, ..Step::default() };

    let mut world = World::new(&scene, AnyKernel::best_for)?;
    for second in 1..=3 {
        for _ in 0..60 {
            if !world.step()?.finite {
                return Err("the simulation blew up".into());
            }
        }
        let heights = || world.positions().map(|[_, y, _]| y);
        let (low, high) = (heights().fold(f32::MAX, f32::min), heights().fold(0.0, f32::max));
        let deepest = world.diagnostics()?.depth;
        println!(
            "after {second} s: heights from {low:.2} m to {high:.2} m, at most {deepest:.3} m deep \
             in the ground"
        );
    }
    Ok(())
}
