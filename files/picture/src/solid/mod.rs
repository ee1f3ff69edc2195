//! Scenes in space: triangles with a depth buffer, a main light with soft shadows, and the sky, which
//! is occluded by what is above.
//!
//! A floor is drawn as the background with shadows on it, so it has no edge. A scene without a floor
//! gets one slightly below it.

mod light;
mod raster;
mod shadow;
mod soup;

use std::sync::{Mutex, PoisonError};
use std::thread;

use glam::{Vec2, Vec3};
use taut_export::{Frame, Stage};

use crate::camera::{Bounds, Camera, floor};
use crate::colour::{Background, srgb};
use crate::{Options, Picture};

use light::Lights;
use raster::Samples;
use soup::Soup;

/// Samples along each side of a pixel.
const FINE: u32 = 3;
/// Rows of pixels that a thread draws at a time.
const BAND: u32 = 16;

/// Camera, lights and floor for all frames.
#[derive(Debug)]
pub(crate) struct Studio {
    camera: Camera,
    lights: Lights,
    /// The height of the floor if no solid is one, m.
    floor: f32,
}

impl Studio {
    pub(crate) fn new(bounds: &Bounds, options: &Options) -> Self {
        let bounds = bounds.or_default_cube();
        let camera = Camera::framing(&bounds, &options.view, [options.width, options.height]);
        let floor = bounds.min.y - 0.04 * bounds.size();
        Self { camera, lights: Lights::new(&bounds, &camera, floor), floor }
    }

    pub(crate) fn camera(&self) -> &Camera {
        &self.camera
    }

    pub(crate) fn paint(&self, stage: &Stage, frame: &Frame, options: &Options) -> Picture {
        let soup = Soup::new(stage, frame, &self.camera);
        let floor = floor(stage, frame).unwrap_or(self.floor);
        let lit = self.lights.over(&soup);
        let camera = self.camera.finer(FINE as f32);
        let seen: Vec<Vec3> = soup.points.iter().map(|&point| camera.project(point)).collect();

        let Options { width, height, background, .. } = *options;
        let mut pixels = vec![[0; 3]; (width * height) as usize];
        let bands = Mutex::new(pixels.chunks_mut((width * BAND) as usize).enumerate());
        let next = || bands.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            let mut samples = Samples::new(width * FINE, BAND * FINE);
            while let Some((band, pixels)) = next() {
                let top = band as u32 * BAND;
                samples.clear(top * FINE);
                samples.draw(&soup, &seen);
                for (at, pixel) in pixels.iter_mut().enumerate() {
                    let (x, y) = (at as u32 % width, top + at as u32 / width);
                    let back = background.at(y as f32 / height as f32);
                    let mut sum = Vec3::ZERO;
                    for fine in 0..FINE * FINE {
                        let at = [x * FINE + fine % FINE, y * FINE + fine / FINE];
                        let ray = camera.ray(Vec2::new(at[0] as f32 + 0.5, at[1] as f32 + 0.5));
                        // The floor hides what is below it and extends to the horizon.
                        let below = (floor - camera.eye.y) / ray.y;
                        let floor = (ray.y < 0.0 && below > 0.0).then_some(below);
                        let sample = samples
                            .at(at)
                            .filter(|it| floor.is_none_or(|floor| it.depth < 1.0001 * floor));
                        let fine = fine as usize;
                        sum += match (sample, floor) {
                            (Some(sample), _) => lit.shade(&soup, &sample, ray, fine),
                            (None, Some(depth)) => {
                                back * lit.floor(depth, ray, fine, background.depth())
                            }
                            (None, None) => back,
                        };
                    }
                    *pixel = srgb(sum / (FINE * FINE) as f32);
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
    /// The strength of shadows on it.
    pub(crate) fn depth(self) -> f32 {
        match self {
            Self::Light => 0.42,
            Self::Dark => 0.62,
        }
    }
}
