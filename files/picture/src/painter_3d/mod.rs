//! Draws 3D scenes: triangles with a depth buffer, a main light with soft shadows, and a sky light
//! that surfaces above a point occlude.
//!
//! A floor is drawn as the background with shadows on it, so no edge of the floor is visible. A scene
//! without a floor gets one slightly below its lowest point.

mod light;
mod raster;
mod shadow;
mod soup;

use std::sync::{Mutex, PoisonError};
use std::thread;

use glam::{Vec2, Vec3};
use taut_export::{DrawnScene, Frame};

use crate::camera::{Bounds, Camera, floor};
use crate::colour::{Background, srgb};
use crate::{Options, Picture};

use light::Lights;
use raster::Samples;
use soup::Soup;

/// Samples along each side of a pixel.
const SAMPLES_PER_SIDE: u32 = 3;
/// Rows of pixels that a thread draws at a time.
const STRIP_ROWS: u32 = 16;

/// Draws frames of a 3D scene from a fixed camera.
#[derive(Debug)]
pub(crate) struct Painter3d {
    camera: Camera,
    lights: Lights,
    /// The height of the floor if no rigid shape of the scene is unbounded, m.
    floor: f32,
}

impl Painter3d {
    pub(crate) fn new(bounds: &Bounds, options: &Options) -> Self {
        let bounds = bounds.or_default_cube();
        let camera = Camera::framing(&bounds, &options.view, [options.width, options.height]);
        let floor = bounds.min.y - 0.04 * bounds.size();
        Self { camera, lights: Lights::new(&bounds, &camera, floor), floor }
    }

    pub(crate) fn camera(&self) -> &Camera {
        &self.camera
    }

    pub(crate) fn paint(&self, scene: &DrawnScene, frame: &Frame, options: &Options) -> Picture {
        let soup = Soup::new(scene, frame, &self.camera);
        let floor = floor(scene, frame).unwrap_or(self.floor);
        let lights = self.lights.with_shadows_of(&soup);
        let camera = self.camera.supersampled(SAMPLES_PER_SIDE as f32);
        let projected: Vec<Vec3> = soup.points.iter().map(|&point| camera.project(point)).collect();

        let Options { width, height, background, .. } = *options;
        let mut pixels = vec![[0; 3]; width as usize * height as usize];
        let strip_pixels = width as usize * STRIP_ROWS as usize;
        let strips = Mutex::new(pixels.chunks_mut(strip_pixels.max(1)).enumerate());
        let next_strip = || strips.lock().unwrap_or_else(PoisonError::into_inner).next();
        let per_side = SAMPLES_PER_SIDE;
        let work = || {
            let mut samples = Samples::new(width * per_side, STRIP_ROWS * per_side);
            while let Some((strip, pixels)) = next_strip() {
                let top = strip as u32 * STRIP_ROWS;
                samples.clear(top * per_side);
                samples.draw(&soup, &projected);
                for (index, pixel) in pixels.iter_mut().enumerate() {
                    let (x, y) = (index as u32 % width, top + index as u32 / width);
                    let backdrop = background.at(y as f32 / height as f32);
                    let mut sum = Vec3::ZERO;
                    for nth in 0..per_side * per_side {
                        let position =
                            [x * per_side + nth % per_side, y * per_side + nth / per_side];
                        let centre = position.map(|coordinate| coordinate as f32 + 0.5);
                        let ray = camera.ray(Vec2::from(centre));
                        // The floor hides everything below it, and extends to the horizon.
                        let depth = (floor - camera.eye.y) / ray.y;
                        let floor_depth = (ray.y < 0.0 && depth > 0.0).then_some(depth);
                        // The factor lets a surface that lies on the floor hide it.
                        let sample = samples
                            .at(position)
                            .filter(|it| floor_depth.is_none_or(|depth| it.depth < 1.0001 * depth));
                        let nth = nth as usize;
                        sum += match (sample, floor_depth) {
                            (Some(sample), _) => lights.surface(&soup, &sample, ray, nth),
                            (None, Some(depth)) => {
                                backdrop
                                    * lights.floor(depth, ray, nth, background.shadow_strength())
                            }
                            (None, None) => backdrop,
                        };
                    }
                    *pixel = srgb(sum / (per_side * per_side) as f32);
                }
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        Picture { width, height, pixels }
    }
}

impl Background {
    /// The strength of shadows on the background.
    pub(crate) fn shadow_strength(self) -> f32 {
        match self {
            Self::Light => 0.42,
            Self::Dark => 0.62,
        }
    }
}
