//! Lighting.

use glam::{Vec2, Vec3};

use super::FINE;
use super::raster::Sample;
use super::shadow::Shadows;
use super::soup::Soup;
use crate::camera::{Bounds, Camera};

/// The lights of a scene: a main light from the upper left of the camera, and the sky.
#[derive(Debug)]
pub(super) struct Lights {
    main: Shadows,
    sky: Shadows,
    /// The size of the scene, m.
    size: f32,
    eye: Vec3,
}

/// The lights with the shadow maps of a frame.
#[derive(Debug)]
pub(super) struct Lit<'a> {
    lights: &'a Lights,
    main: Shadows,
    sky: Shadows,
    places: [[Vec2; PLACES]; SAMPLES],
}

const SUN: Vec3 = Vec3::new(1.16, 1.09, 0.97);
const SKY: Vec3 = Vec3::new(0.42, 0.46, 0.53);
const BOUNCE: Vec3 = Vec3::new(0.25, 0.23, 0.22);
/// Shadow map look-ups per sample.
const PLACES: usize = 4;
/// Samples per pixel.
const SAMPLES: usize = (FINE * FINE) as usize;

impl Lights {
    pub(super) fn new(bounds: &Bounds, camera: &Camera, floor: f32) -> Self {
        let main = camera.direction([-0.8, 1.0, 0.5]);
        Self {
            main: Shadows::new(bounds, floor, main, 1024),
            sky: Shadows::new(bounds, floor, Vec3::Y, 384),
            size: bounds.size(),
            eye: camera.eye,
        }
    }

    pub(super) fn over(&self, soup: &Soup) -> Lit<'_> {
        let (main, sky) = (self.main.of(soup), self.sky.of(soup));
        Lit { lights: self, main, sky, places: std::array::from_fn(places) }
    }
}

/// Points on a disc of radius 1, different for each sample of a pixel and the same for all pixels, so
/// that edges are soft without noise.
fn places(sample: usize) -> [Vec2; PLACES] {
    std::array::from_fn(|nth| {
        let place = (nth * SAMPLES + sample) as f32 + 0.5;
        // A spiral by the golden angle fills a disc evenly.
        let angle = std::f32::consts::TAU * 0.381_966 * place;
        Vec2::from_angle(angle) * (place / (PLACES * SAMPLES) as f32).sqrt()
    })
}

impl Lit<'_> {
    /// The shares of the main light and of the sky that reach a place.
    fn at(&self, place: Vec3, normal: Vec3, sample: usize) -> [f32; 2] {
        let places = &self.places[sample];
        let size = self.lights.size;
        let off = |grain: f32| place + normal * (1.6 * grain);
        let main = off(self.main.cell_size()) + self.main.towards * self.main.cell_size();
        let sky = off(self.sky.cell_size()) + Vec3::Y * self.sky.cell_size();
        [
            self.main.light(main, (0.012 * size).max(self.main.cell_size()), f32::INFINITY, places),
            self.sky.light(sky, 0.07 * size, 0.5 * size, places),
        ]
    }

    /// The light from a sample of a surface to the eye.
    pub(super) fn shade(&self, soup: &Soup, sample: &Sample, ray: Vec3, at: usize) -> Vec3 {
        let material = &soup.materials[sample.material as usize];
        let albedo = if sample.front { material.front } else { material.back };
        let place = self.lights.eye + ray * sample.depth;
        let (normal, view) = (sample.normal, -ray.normalize());
        let towards = self.main.towards;
        let falling = normal.dot(towards);
        let side = if falling < 0.0 && material.sheer > 0.0 { -normal } else { normal };
        let [main, sky] = self.at(place, side, at);
        let through = if falling > 0.0 { falling } else { -falling * material.sheer };
        let ambient = BOUNCE.lerp(SKY, 0.5 + 0.5 * normal.y) * (0.45 + 0.55 * sky);
        let half = (towards + view).normalize_or(normal);
        let shine = material.shine * normal.dot(half).max(0.0).powi(40) * main;
        // Rim light, as of fibres and rounded edges.
        let rim = 0.10 * (1.0 - normal.dot(view).clamp(0.0, 1.0)).powi(3) * sky;
        albedo * (SUN * (through * main) + ambient) + Vec3::splat(shine + rim * 0.5)
    }

    /// The share of light that reaches the floor, at a depth along a ray.
    pub(super) fn floor(&self, depth: f32, ray: Vec3, at: usize, dark: f32) -> Vec3 {
        let [main, sky] = self.at(self.lights.eye + ray * depth, Vec3::ZERO, at);
        let light = (1.0 - dark * (1.0 - main)) * (1.0 - 0.8 * dark * (1.0 - sky));
        // Shadows are bluish, lit by the sky.
        Vec3::new(light, light, light.powf(0.92))
    }
}
