//! How bright things are.

use glam::{Vec2, Vec3};

use super::raster::Sample;
use super::shadow::Shadows;
use super::soup::Soup;
use crate::camera::{Bounds, Camera};

/// The lights of a scene: one from the left above the camera, and the sky.
#[derive(Debug)]
pub(super) struct Lights {
    main: Shadows,
    sky: Shadows,
    /// How large the scene is, m.
    size: f32,
    eye: Vec3,
}

/// The same, over what is in a frame.
#[derive(Debug)]
pub(super) struct Lit<'a> {
    lights: &'a Lights,
    main: Shadows,
    sky: Shadows,
}

const SUN: Vec3 = Vec3::new(1.02, 0.97, 0.88);
const SKY: Vec3 = Vec3::new(0.52, 0.57, 0.64);
const BOUNCE: Vec3 = Vec3::new(0.34, 0.32, 0.30);
/// How many places of a shadow's edge a sample looks at; a pixel has nine samples.
const PLACES: usize = 4;

impl Lights {
    pub(super) fn new(bounds: &Bounds, camera: &Camera, floor: f32) -> Self {
        let main = camera.direction([-0.55, 1.0, 0.62]);
        Self {
            main: Shadows::new(bounds, floor, main, 1024),
            sky: Shadows::new(bounds, floor, Vec3::Y, 384),
            size: bounds.size(),
            eye: camera.eye,
        }
    }

    pub(super) fn over(&self, soup: &Soup) -> Lit<'_> {
        Lit { lights: self, main: self.main.of(soup), sky: self.sky.of(soup) }
    }
}

/// Places on a disc of radius 1, other ones at each sample, but the same in every frame.
fn places([x, y]: [u32; 2]) -> [Vec2; PLACES] {
    let mut hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297a_2d39);
    hash ^= hash >> 15;
    let turn = (hash & 0xffff) as f32 / 65536.0;
    let out = (hash >> 16) as f32 / 65536.0;
    std::array::from_fn(|nth| {
        let share = (nth as f32 + out) / PLACES as f32;
        // The golden angle keeps them apart.
        let angle = std::f32::consts::TAU * (turn + 0.381_966 * nth as f32);
        Vec2::from_angle(angle) * share.sqrt()
    })
}

impl Lit<'_> {
    /// How much of both lights comes to a place: the main one, and the sky.
    fn at(&self, place: Vec3, normal: Vec3, sample: [u32; 2]) -> [f32; 2] {
        let places = places(sample);
        let size = self.lights.size;
        let off = |grain: f32| place + normal * (1.6 * grain);
        let main = off(self.main.grain()) + self.main.towards * self.main.grain();
        let sky = off(self.sky.grain()) + Vec3::Y * self.sky.grain();
        [
            self.main.light(main, (0.012 * size).max(self.main.grain()), f32::INFINITY, &places),
            self.sky.light(sky, 0.07 * size, 0.5 * size, &places),
        ]
    }

    /// The light from a sample of a thing.
    pub(super) fn shade(&self, soup: &Soup, sample: &Sample, ray: Vec3, at: [u32; 2]) -> Vec3 {
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
        // Edges catch light, as fibres and rounded corners do.
        let rim = 0.10 * (1.0 - normal.dot(view).clamp(0.0, 1.0)).powi(3) * sky;
        albedo * (SUN * (through * main) + ambient) + Vec3::splat(shine + rim * 0.5)
    }

    /// The share of its light that the floor has at a height, or what is behind everything.
    pub(super) fn floor(&self, height: f32, ray: Vec3, at: [u32; 2], dark: f32) -> Vec3 {
        let eye = self.lights.eye;
        let depth = (height - eye.y) / ray.y;
        if !(ray.y < 0.0 && depth.is_finite() && depth > 0.0) {
            return Vec3::ONE;
        }
        let [main, sky] = self.at(eye + ray * depth, Vec3::ZERO, at);
        let light = (1.0 - dark * (1.0 - main)) * (1.0 - 0.8 * dark * (1.0 - sky));
        // Shadows are not black but blue.
        Vec3::new(light, light, light.powf(0.92))
    }
}
