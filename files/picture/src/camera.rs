//! From where a scene is seen.

use std::str::FromStr;

use glam::{Vec2, Vec3};
use taut_export::{Frame, Pose, Solid, Stage};

/// From what side, and how near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From the front (0) round to the right (90), degrees.
    pub azimuth: f32,
    /// From the height of the scene (0) up to above it (90), degrees.
    pub elevation: f32,
    /// How large: at 1 all of it just fits.
    pub zoom: f32,
}

impl Default for View {
    fn default() -> Self {
        Self { azimuth: 28.0, elevation: 16.0, zoom: 1.0 }
    }
}

impl FromStr for View {
    type Err = String;

    /// `AZIMUTH,ELEVATION` or `AZIMUTH,ELEVATION,ZOOM`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f32>, _> = text.split(',').map(|it| it.trim().parse()).collect();
        let (azimuth, elevation, zoom) = match numbers.as_deref() {
            Ok([azimuth, elevation]) => (*azimuth, *elevation, 1.0),
            Ok([azimuth, elevation, zoom]) => (*azimuth, *elevation, *zoom),
            _ => return Err("takes AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,ZOOM".into()),
        };
        if !(azimuth.abs() <= 360.0 && elevation.abs() <= 89.0 && (0.05..=20.0).contains(&zoom)) {
            return Err(
                "takes an azimuth from -360 to 360, an elevation from -89 to 89 (degrees) \
                 and a zoom from 0.05 to 20"
                    .into(),
            );
        }
        Ok(Self { azimuth, elevation, zoom })
    }
}

/// Where things are in the frames of a run: what it takes to see all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates, m.
    pub(crate) min: Vec3,
    /// The greatest, m.
    pub(crate) max: Vec3,
    /// For each of some directions the point that is farthest that way, and how far.
    farthest: Vec<(Vec3, f32)>,
}

/// Directions evenly on a ball, by the golden angle.
fn directions() -> impl Iterator<Item = Vec3> {
    const MANY: u32 = 256;
    let golden = std::f32::consts::PI * (3.0 - 5.0_f32.sqrt());
    (0..MANY).map(move |nth| {
        let y = 1.0 - (2 * nth + 1) as f32 / MANY as f32;
        let (sine, cosine) = (golden * nth as f32).sin_cos();
        let wide = (1.0 - y * y).sqrt();
        Vec3::new(wide * cosine, y, wide * sine)
    })
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
            farthest: directions().map(|_| (Vec3::ZERO, f32::NEG_INFINITY)).collect(),
        }
    }
}

/// How high the points of a solid are, the lowest and the highest.
fn heights(solid: &Solid, pose: &Pose) -> [f32; 2] {
    let heights = solid.mesh.points.iter().map(|&point| pose.point(point)[1]);
    heights.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
}

/// Whether a solid is level ground without an end.
pub(crate) fn is_floor(solid: &Solid, pose: &Pose) -> bool {
    let [low, high] = heights(solid, pose);
    solid.endless && high - low <= 1e-4 * (1.0 + high.abs())
}

/// How high the floor is, if there is one: the highest ground, or the bottom of a room.
pub(crate) fn floor(stage: &Stage, frame: &Frame) -> Option<f32> {
    let endless = stage.solids.iter().zip(&frame.poses).filter(|(solid, _)| solid.endless);
    endless.map(|(solid, pose)| heights(solid, pose)[0]).reduce(f32::max)
}

/// How thick vertices are drawn, m: as balls, or as ends of sticks.
fn thickness(stage: &Stage) -> Vec<f32> {
    let mut thickness = vec![0.0_f32; stage.vertices];
    for (thickness, ball) in thickness.iter_mut().zip(&stage.balls) {
        *thickness = *ball;
    }
    for part in stage.parts.iter().filter(|part| !part.sticks.is_empty()) {
        for vertex in stage.sticks[part.sticks.clone()].as_flattened() {
            let thickness = &mut thickness[*vertex as usize];
            *thickness = thickness.max(part.radius);
        }
    }
    thickness
}

impl Bounds {
    /// Takes in all of a frame that has an end, and rooms, as far as it is above the floor.
    pub fn add(&mut self, stage: &Stage, frame: &Frame) {
        let floor = floor(stage, frame).filter(|_| !stage.flat).unwrap_or(f32::NEG_INFINITY);
        let rooms = stage.solids.iter().zip(&frame.poses);
        let rooms = rooms.filter(|(solid, pose)| solid.endless && !is_floor(solid, pose));
        let of_rooms = rooms.flat_map(|(solid, pose)| {
            solid.mesh.points.iter().map(|&point| Vec3::from(pose.point(point)))
        });
        let thickness = thickness(stage);
        let points: Vec<(Vec3, f32)> = stage
            .points(frame)
            .enumerate()
            .filter(|(nth, _)| *nth >= stage.vertices || frame.has_vertex(*nth))
            .map(|(nth, point)| (point.into(), thickness.get(nth).copied().unwrap_or_default()))
            .chain(of_rooms.map(|point| (point, 0.0)))
            .filter(|(point, _)| point.is_finite())
            .map(|(point, radius)| (point.with_y(point.y.max(floor)), radius))
            .collect();
        for &(point, radius) in &points {
            self.min = self.min.min(point - radius);
            self.max = self.max.max(point + radius);
        }
        for (farthest, direction) in self.farthest.iter_mut().zip(directions()) {
            for &(point, radius) in &points {
                let far = point.dot(direction) + radius;
                if far > farthest.1 {
                    *farthest = (point + radius * direction, far);
                }
            }
        }
    }

    /// The same, with somewhat to see of an empty world.
    pub(crate) fn sane(&self) -> Self {
        if self.min.cmple(self.max).all() {
            return self.clone();
        }
        Self {
            min: Vec3::NEG_ONE,
            max: Vec3::ONE,
            farthest: directions().map(|direction| (direction, 1.0)).collect(),
        }
    }

    /// How far it is from corner to corner, m.
    pub(crate) fn size(&self) -> f32 {
        (self.max - self.min).length().max(1e-6)
    }
}

/// A camera with its picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub(crate) eye: Vec3,
    right: Vec3,
    up: Vec3,
    pub(crate) forward: Vec3,
    /// Pixels per unit at depth 1.
    focal: f32,
    middle: Vec2,
}

/// Half the height of a picture at depth 1: an angle of view of 30 degrees.
const HALF: f32 = 0.268;
/// The share of a picture that is kept free at each side.
const MARGIN: f32 = 0.06;

impl Camera {
    /// The camera that just sees all within bounds.
    ///
    /// In coordinates along its axes a point (x, y, w) is seen if |x - cx| <= t (w - cw), and
    /// likewise for y: so cx and cw follow from the greatest x - t w and -x - t w of all points, and
    /// the smaller cw of both counts.
    pub(crate) fn framing(bounds: &Bounds, view: &View, [width, height]: [u32; 2]) -> Self {
        let (azimuth, elevation) = (view.azimuth.to_radians(), view.elevation.to_radians());
        let back = Vec3::new(
            azimuth.sin() * elevation.cos(),
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let forward = -back;
        let right = Vec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let (width, height) = (width as f32, height as f32);
        let half = HALF * (1.0 - 2.0 * MARGIN) * view.zoom;
        let slope = Vec2::new(half * width / height, half);
        let (mut above, mut below) = (Vec2::NEG_INFINITY, Vec2::NEG_INFINITY);
        let mut nearest = f32::INFINITY;
        for &(point, _) in &bounds.farthest {
            let flat = Vec2::new(point.dot(right), point.dot(up));
            let depth = point.dot(forward);
            above = above.max(flat - slope * depth);
            below = below.max(-flat - slope * depth);
            nearest = nearest.min(depth);
        }
        let back_off = (above + below) / (-2.0 * slope);
        let depth = back_off.min_element().min(nearest - 0.05 * bounds.size());
        let flat = (above - below) / 2.0;
        Self {
            eye: right * flat.x + up * flat.y + forward * depth,
            right,
            up,
            forward,
            focal: height / (2.0 * HALF),
            middle: Vec2::new(width, height) / 2.0,
        }
    }

    /// The same for a picture with `times` as many pixels in each row and column.
    pub(crate) fn finer(&self, times: f32) -> Self {
        Self { focal: self.focal * times, middle: self.middle * times, ..*self }
    }

    /// At what pixel, and how deep.
    pub(crate) fn project(&self, place: Vec3) -> Vec3 {
        let off = place - self.eye;
        let depth = off.dot(self.forward);
        let x = self.middle.x + self.focal * off.dot(self.right) / depth;
        let y = self.middle.y - self.focal * off.dot(self.up) / depth;
        Vec3::new(x, y, depth)
    }

    pub(crate) fn pixel_of(&self, place: Vec3) -> Vec2 {
        self.project(place).truncate()
    }

    /// The way to a pixel, as long as it takes to depth 1.
    pub(crate) fn ray(&self, pixel: Vec2) -> Vec3 {
        let off = (pixel - self.middle) / self.focal;
        self.forward + self.right * off.x - self.up * off.y
    }

    /// How many pixels a length is at a place.
    pub(crate) fn pixels(&self, length: f32, place: Vec3) -> f32 {
        self.focal * length / (place - self.eye).dot(self.forward)
    }

    /// A direction as the picture has it: to the right, up and back.
    pub(crate) fn direction(&self, [right, up, back]: [f32; 3]) -> Vec3 {
        (self.right * right + Vec3::Y * up - self.forward * back).normalize()
    }
}
