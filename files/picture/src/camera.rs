//! Cameras: view directions, bounds of a film, and projection.

use std::str::FromStr;

use glam::{Vec2, Vec3};
use taut_export::{Frame, Pose, Solid, Stage};

/// The direction from which a scene is seen, and the zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// 0: from the front; 90: from the right; degrees.
    pub azimuth: f32,
    /// 0: from the side; 90: from above; degrees.
    pub elevation: f32,
    /// At 1 the whole scene just fits.
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

/// The extent of all frames of a film, to frame a camera by.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates, m.
    pub(crate) min: Vec3,
    /// The largest coordinates, m.
    pub(crate) max: Vec3,
    /// For each of [`directions`] the farthest point, and its distance along that direction, m.
    farthest: Vec<(Vec3, f32)>,
}

/// Evenly distributed directions, by the golden angle.
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

/// Heights of the lowest and the highest point of a solid, m.
fn heights(solid: &Solid, pose: &Pose) -> [f32; 2] {
    let heights = solid.mesh.points.iter().map(|&point| pose.point(point)[1]);
    heights.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
}

/// Whether a solid is level ground of unlimited extent.
pub(crate) fn is_floor(solid: &Solid, pose: &Pose) -> bool {
    let [low, high] = heights(solid, pose);
    solid.endless && high - low <= 1e-4 * (1.0 + high.abs())
}

/// The height of the floor, if there is one, m: the highest ground, or the bottom of a room.
pub(crate) fn floor(stage: &Stage, frame: &Frame) -> Option<f32> {
    let endless = stage.solids.iter().zip(&frame.poses).filter(|(solid, _)| solid.endless);
    endless.map(|(solid, pose)| heights(solid, pose)[0]).reduce(f32::max)
}

/// The radii with which vertices are drawn, as balls or as ends of sticks, m.
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
    /// Extends the bounds by the part of a frame above the floor; of endless solids only rooms count.
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

    /// These bounds, or those of a cube of 2 m if they are empty.
    pub(crate) fn or_default_cube(&self) -> Self {
        if self.min.cmple(self.max).all() {
            return self.clone();
        }
        Self {
            min: Vec3::NEG_ONE,
            max: Vec3::ONE,
            farthest: directions().map(|direction| (direction, 1.0)).collect(),
        }
    }

    /// The length of the diagonal, m.
    pub(crate) fn size(&self) -> f32 {
        (self.max - self.min).length().max(1e-6)
    }
}

/// A perspective camera for a picture of a given size.
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

/// Half the height of a picture at depth 1: a vertical field of view of 30 degrees.
const HALF: f32 = 0.268;
/// Margin at each side, as a share of the picture.
const MARGIN: f32 = 0.06;

impl Camera {
    /// The nearest camera that sees everything within bounds.
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

    /// The same camera for a picture with `times` as many pixels in each row and column.
    pub(crate) fn finer(&self, times: f32) -> Self {
        Self { focal: self.focal * times, middle: self.middle * times, ..*self }
    }

    /// Projects a point: its pixel (x, y), and its depth, m (z).
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

    /// The vector from the eye to a pixel at depth 1.
    pub(crate) fn ray(&self, pixel: Vec2) -> Vec3 {
        let off = (pixel - self.middle) / self.focal;
        self.forward + self.right * off.x - self.up * off.y
    }

    /// The length in pixels of a length in m at a place.
    pub(crate) fn pixels(&self, length: f32, place: Vec3) -> f32 {
        self.focal * length / (place - self.eye).dot(self.forward)
    }

    /// The unit vector of a direction given as right, (world) up and back.
    pub(crate) fn direction(&self, [right, up, back]: [f32; 3]) -> Vec3 {
        (self.right * right + Vec3::Y * up - self.forward * back).normalize()
    }
}
