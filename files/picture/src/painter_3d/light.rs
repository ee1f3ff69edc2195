//! Lighting.

use glam::{Vec2, Vec3};

use super::SAMPLES_PER_SIDE;
use super::raster::Sample;
use super::shadow::ShadowMap;
use super::soup::Soup;
use crate::camera::{Bounds, Camera};

/// The lights of a scene: a main light from above, to the left of the camera and behind it, and a sky
/// light from straight above.
#[derive(Debug)]
pub(super) struct Lights {
    /// The empty shadow map of the main light.
    main: ShadowMap,
    /// The empty shadow map of the sky light.
    sky: ShadowMap,
    /// The diagonal of the bounds of the scene, m.
    size: f32,
    /// The position of the camera, m.
    eye: Vec3,
}

/// The lights with the shadow maps of a frame.
#[derive(Debug)]
pub(super) struct FrameLights<'a> {
    lights: &'a Lights,
    main: ShadowMap,
    sky: ShadowMap,
    /// For each sample of a pixel the offsets at which shadow maps are looked up.
    offsets: [[Vec2; LOOKUPS]; SAMPLES],
}

/// The colour of the main light, linear RGB.
const MAIN_LIGHT: Vec3 = Vec3::new(1.16, 1.09, 0.97);
/// The colour of the sky light, linear RGB.
const SKY_LIGHT: Vec3 = Vec3::new(0.42, 0.46, 0.53);
/// The colour of the light that the ground reflects, linear RGB.
const GROUND_LIGHT: Vec3 = Vec3::new(0.25, 0.23, 0.22);
/// Cells along each side of the shadow map of the main light.
const MAIN_MAP_SIDE: usize = 1024;
/// Cells along each side of the shadow map of the sky light. Its shadows are softer, so they need fewer
/// cells.
const SKY_MAP_SIDE: usize = 384;
/// The radius of the look-ups in the shadow map of the main light, as a fraction of the size of the
/// scene: it decides how soft the edges of shadows are.
const MAIN_SOFTNESS: f32 = 0.012;
/// The same for the sky light.
const SKY_SOFTNESS: f32 = 0.07;
/// The distance from which a surface no longer occludes the sky light, as a fraction of the size of the
/// scene.
const SKY_FADE: f32 = 0.5;
/// Shadow map look-ups per sample.
const LOOKUPS: usize = 4;
/// Samples per pixel.
const SAMPLES: usize = (SAMPLES_PER_SIDE * SAMPLES_PER_SIDE) as usize;

impl Lights {
    pub(super) fn new(bounds: &Bounds, camera: &Camera, floor: f32) -> Self {
        let main = camera.direction([-0.8, 1.0, 0.5]);
        Self {
            main: ShadowMap::new(bounds, floor, main, MAIN_MAP_SIDE),
            sky: ShadowMap::new(bounds, floor, Vec3::Y, SKY_MAP_SIDE),
            size: bounds.size(),
            eye: camera.eye,
        }
    }

    /// Computes the shadow maps of a frame.
    pub(super) fn with_shadows_of(&self, soup: &Soup) -> FrameLights<'_> {
        let (main, sky) = (self.main.with_triangles_of(soup), self.sky.with_triangles_of(soup));
        FrameLights { lights: self, main, sky, offsets: std::array::from_fn(offsets) }
    }
}

/// Points in a disc of radius 1, different for each sample of a pixel and the same for all pixels,
/// so that edges of shadows are soft without noise.
fn offsets(sample: usize) -> [Vec2; LOOKUPS] {
    std::array::from_fn(|nth| {
        let index = (nth * SAMPLES + sample) as f32 + 0.5;
        // A spiral by the golden angle fills a disc evenly.
        let angle = std::f32::consts::TAU * 0.381_966 * index;
        Vec2::from_angle(angle) * (index / (LOOKUPS * SAMPLES) as f32).sqrt()
    })
}

impl FrameLights<'_> {
    /// The fractions of the main light and of the sky light that reach a point. `nth` is the index
    /// of the sample in its pixel.
    fn visibility(&self, point: Vec3, normal: Vec3, nth: usize) -> [f32; 2] {
        let offsets = &self.offsets[nth];
        let size = self.lights.size;
        // Points are moved off the surface by a few cells, so that it does not cast shadows on itself.
        let moved = |cell_size: f32| point + normal * (1.6 * cell_size);
        let main = moved(self.main.cell_size()) + self.main.towards * self.main.cell_size();
        let sky = moved(self.sky.cell_size()) + Vec3::Y * self.sky.cell_size();
        let radius = (MAIN_SOFTNESS * size).max(self.main.cell_size());
        [
            self.main.visibility(main, radius, f32::INFINITY, offsets),
            self.sky.visibility(sky, SKY_SOFTNESS * size, SKY_FADE * size, offsets),
        ]
    }

    /// The light from a sample of a surface to the eye. `nth` is the index of the sample in its
    /// pixel.
    pub(super) fn surface(&self, soup: &Soup, sample: &Sample, ray: Vec3, nth: usize) -> Vec3 {
        let shading = &soup.shadings[sample.shading as usize];
        let albedo = if sample.front { shading.front } else { shading.back };
        let point = self.lights.eye + ray * sample.depth;
        let (normal, view) = (sample.normal, -ray.normalize());
        let towards = self.main.towards;
        let cosine = normal.dot(towards);
        // Light from behind shines through a translucent surface.
        let is_lit_through = cosine < 0.0 && shading.translucency > 0.0;
        let lit_side = if is_lit_through { -normal } else { normal };
        let [main, sky] = self.visibility(point, lit_side, nth);
        let diffuse = if cosine > 0.0 { cosine } else { -cosine * shading.translucency };
        // A surface that faces up gets the light of the sky, one that faces down that of the ground,
        // others a mixture. Occlusion removes at most 55 % of it.
        let ambient = GROUND_LIGHT.lerp(SKY_LIGHT, 0.5 + 0.5 * normal.y) * (0.45 + 0.55 * sky);
        let half_vector = (towards + view).normalize_or(normal);
        let specular = shading.specular * normal.dot(half_vector).max(0.0).powi(40) * main;
        // Rim light: fibres and rounded edges look brighter where the view grazes the surface.
        let rim = 0.10 * (1.0 - normal.dot(view).clamp(0.0, 1.0)).powi(3) * sky;
        albedo * (MAIN_LIGHT * (diffuse * main) + ambient) + Vec3::splat(specular + rim * 0.5)
    }

    /// The fraction of light, for each colour, that reaches the floor at a depth along a ray, m, for
    /// shadows of a `strength` from 0 to 1. `nth` is the index of the sample in its pixel.
    pub(super) fn floor(&self, depth: f32, ray: Vec3, nth: usize, strength: f32) -> Vec3 {
        let [main, sky] = self.visibility(self.lights.eye + ray * depth, Vec3::ZERO, nth);
        let light = (1.0 - strength * (1.0 - main)) * (1.0 - 0.8 * strength * (1.0 - sky));
        // Shadows are bluish, because the sky lights them.
        Vec3::new(light, light, light.powf(0.92))
    }
}
