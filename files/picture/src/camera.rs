//! Views, the bounds of an animation, and the camera.

use std::str::FromStr;

use glam::{Vec2, Vec3};
use taut_export::{DrawnScene, Frame, Pose, RigidShape};

/// The direction from which the camera sees a scene, and the zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Degrees; 0: from the front, 90: from the right.
    pub azimuth: f32,
    /// Degrees, from -89 to 89; 0: from the side, 89: almost from above. Other values are limited to
    /// this range.
    pub elevation: f32,
    /// At 1 the whole scene just fits into the picture.
    pub zoom: f32,
}

/// The greatest elevation of a view, degrees.
const ELEVATION_MAX: f32 = 89.0;

impl Default for View {
    fn default() -> Self {
        Self { azimuth: 28.0, elevation: 16.0, zoom: 1.0 }
    }
}

impl FromStr for View {
    type Err = String;

    /// Parses `AZIMUTH,ELEVATION` or `AZIMUTH,ELEVATION,ZOOM`.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f32>, _> =
            text.split(',').map(|number| number.trim().parse()).collect();
        let (azimuth, elevation, zoom) = match numbers.as_deref() {
            Ok([azimuth, elevation]) => (*azimuth, *elevation, 1.0),
            Ok([azimuth, elevation, zoom]) => (*azimuth, *elevation, *zoom),
            _ => return Err("expected AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,ZOOM".into()),
        };
        if !(azimuth.abs() <= 360.0
            && elevation.abs() <= ELEVATION_MAX
            && (0.05..=20.0).contains(&zoom))
        {
            return Err(
                "expected an azimuth from -360 to 360, an elevation from -89 to 89 (degrees) \
                 and a zoom from 0.05 to 20"
                    .into(),
            );
        }
        Ok(Self { azimuth, elevation, zoom })
    }
}

/// The extent of all frames of an animation, from which the camera is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates, m.
    pub(crate) min: Vec3,
    /// The largest coordinates, m.
    pub(crate) max: Vec3,
    /// For each of the [`directions`] the farthest point, and its distance along that direction, m.
    farthest: Vec<(Vec3, f32)>,
}

/// Evenly distributed directions: a Fibonacci sphere.
fn directions() -> impl Iterator<Item = Vec3> {
    const COUNT: u32 = 256;
    let golden_angle = std::f32::consts::PI * (3.0 - 5.0_f32.sqrt());
    (0..COUNT).map(move |nth| {
        let y = 1.0 - (2 * nth + 1) as f32 / COUNT as f32;
        let (sine, cosine) = (golden_angle * nth as f32).sin_cos();
        let radius = (1.0 - y * y).sqrt();
        Vec3::new(radius * cosine, y, radius * sine)
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

/// The heights of the lowest and the highest point of a rigid shape, m.
fn heights(shape: &RigidShape, pose: &Pose) -> [f32; 2] {
    let heights = shape.mesh.points.iter().map(|&point| pose.point(point)[1]);
    heights.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
}

/// Whether a rigid shape is an unbounded plane.
fn is_plane(shape: &RigidShape) -> bool {
    let [low, high] = heights(shape, &Pose::REST);
    shape.unbounded && high <= low
}

/// Whether a rigid shape is an unbounded horizontal plane: ground, or a ceiling.
pub(crate) fn is_horizontal_plane(shape: &RigidShape, pose: &Pose) -> bool {
    let [low, high] = heights(shape, pose);
    // Coordinates that a pose has rotated are not exactly equal.
    shape.unbounded && high - low <= 1e-4 * (1.0 + high.abs())
}

/// Whether a rigid shape is an unbounded plane that faces down.
fn is_ceiling(shape: &RigidShape, pose: &Pose) -> bool {
    is_horizontal_plane(shape, pose)
        && shape.mesh.normals.iter().any(|&normal| pose.direction(normal)[1] < 0.0)
}

/// The height of the floor, m, if there is one: that of the lowest point of an unbounded rigid
/// shape, ceilings excluded. If there are several such shapes, the greatest of these heights.
pub(crate) fn floor(scene: &DrawnScene, frame: &Frame) -> Option<f32> {
    let shapes = scene.rigid_shapes.iter().zip(&frame.poses);
    let floors = shapes.filter(|(shape, pose)| shape.unbounded && !is_ceiling(shape, pose));
    floors.map(|(shape, pose)| heights(shape, pose)[0]).reduce(f32::max)
}

/// The radii with which vertices are drawn (as balls or as ends of sticks), m.
fn radii(scene: &DrawnScene) -> Vec<f32> {
    let mut radii = vec![0.0_f32; scene.vertices];
    for (radius, ball) in radii.iter_mut().zip(&scene.ball_radii) {
        *radius = *ball;
    }
    for part in &scene.parts {
        let ends = scene.sticks[part.sticks.clone()].as_flattened().iter().map(|end| *end as usize);
        let grains = if part.are_vertices_drawn() { part.vertices.clone() } else { 0..0 };
        for vertex in ends.chain(grains) {
            radii[vertex] = radii[vertex].max(part.radius);
        }
    }
    radii
}

impl Bounds {
    /// Extends the bounds by the part of a frame above the floor. Of the unbounded rigid shapes,
    /// floors are left out and rooms are included. In 2D, planes of any angle are left out.
    pub fn add(&mut self, scene: &DrawnScene, frame: &Frame) {
        let floor = floor(scene, frame).filter(|_| !scene.flat).unwrap_or(f32::NEG_INFINITY);
        // In 3D, a tilted plane is treated like a room: the painter skips triangles that reach behind
        // the camera, so the whole mesh of the plane must be in front of it.
        let is_room = |shape: &RigidShape, pose: &Pose| {
            shape.unbounded && !is_horizontal_plane(shape, pose) && !(scene.flat && is_plane(shape))
        };
        let shapes = scene.rigid_shapes.iter().zip(&frame.poses);
        let rooms = shapes.filter(|(shape, pose)| is_room(shape, pose));
        let room_points = rooms.flat_map(|(shape, pose)| {
            shape.mesh.points.iter().map(|&point| Vec3::from(pose.point(point)))
        });
        let radii = radii(scene);
        let points: Vec<(Vec3, f32)> = scene
            .points(frame)
            .enumerate()
            .filter(|(nth, _)| *nth >= scene.vertices || frame.has_vertex(*nth))
            .map(|(nth, point)| (point.into(), radii.get(nth).copied().unwrap_or_default()))
            .chain(room_points.map(|point| (point, 0.0)))
            .filter(|(point, _)| point.is_finite())
            .map(|(point, radius)| (point.with_y(point.y.max(floor)), radius))
            .collect();
        for &(point, radius) in &points {
            self.min = self.min.min(point - radius);
            self.max = self.max.max(point + radius);
        }
        for (farthest, direction) in self.farthest.iter_mut().zip(directions()) {
            for &(point, radius) in &points {
                let distance = point.dot(direction) + radius;
                if distance > farthest.1 {
                    *farthest = (point + radius * direction, distance);
                }
            }
        }
    }

    /// These bounds, or those of a cube with edges of 2 m if they are empty.
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

/// A perspective camera for pictures of a given size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    /// The position of the camera, m.
    pub(crate) eye: Vec3,
    right: Vec3,
    up: Vec3,
    pub(crate) forward: Vec3,
    /// Pixels per m at depth 1 m.
    focal: f32,
    /// The centre of the picture, pixels.
    centre: Vec2,
}

/// Half the height of the picture at depth 1: the vertical field of view is 30 degrees.
const HALF_HEIGHT: f32 = 0.268;
/// The margin at each side, as a fraction of the picture.
const MARGIN: f32 = 0.06;

impl Camera {
    /// The nearest camera that sees everything within bounds.
    ///
    /// In coordinates along its axes (right, up, forward), a camera at (cx, cy, cw) sees a point
    /// (x, y, w) if |x - cx| <= t (w - cw), where t is the tangent of half the field of view, and
    /// likewise for y. The largest x - t w and the largest -x - t w of all points give cx and a
    /// value of cw; y gives cy and another value of cw. The camera takes the smaller cw.
    pub(crate) fn framing(bounds: &Bounds, view: &View, [width, height]: [u32; 2]) -> Self {
        // Straight from above or below, there is no direction that is up in the picture.
        let elevation = view.elevation.clamp(-ELEVATION_MAX, ELEVATION_MAX).to_radians();
        let azimuth = view.azimuth.to_radians();
        let back = Vec3::new(
            azimuth.sin() * elevation.cos(),
            elevation.sin(),
            azimuth.cos() * elevation.cos(),
        );
        let forward = -back;
        let right = Vec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let (width, height) = (width as f32, height as f32);
        // With a zoom above 1 the scene fits a wider field than that of the picture, so the camera
        // is nearer.
        let half_height = HALF_HEIGHT * (1.0 - 2.0 * MARGIN) * view.zoom;
        let slope = Vec2::new(half_height * width / height, half_height);
        // The largest x - t w and -x - t w, and the same for y; `slope` is t.
        let (mut above, mut below) = (Vec2::NEG_INFINITY, Vec2::NEG_INFINITY);
        let mut nearest = f32::INFINITY;
        for &(point, _) in &bounds.farthest {
            let across = Vec2::new(point.dot(right), point.dot(up));
            let depth = point.dot(forward);
            above = above.max(across - slope * depth);
            below = below.max(-across - slope * depth);
            nearest = nearest.min(depth);
        }
        let depths = (above + below) / (-2.0 * slope);
        // The distance to the nearest point is at least 5 % of the size of the scene.
        let depth = depths.min_element().min(nearest - 0.05 * bounds.size());
        let across = (above - below) / 2.0;
        Self {
            eye: right * across.x + up * across.y + forward * depth,
            right,
            up,
            forward,
            focal: height / (2.0 * HALF_HEIGHT),
            centre: Vec2::new(width, height) / 2.0,
        }
    }

    /// The same camera for a picture with `factor` times as many pixels in each row and column.
    pub(crate) fn supersampled(&self, factor: f32) -> Self {
        Self { focal: self.focal * factor, centre: self.centre * factor, ..*self }
    }

    /// Projects a point: x and y are its pixel, z is its depth, m.
    pub(crate) fn project(&self, point: Vec3) -> Vec3 {
        let offset = point - self.eye;
        let depth = offset.dot(self.forward);
        let x = self.centre.x + self.focal * offset.dot(self.right) / depth;
        let y = self.centre.y - self.focal * offset.dot(self.up) / depth;
        Vec3::new(x, y, depth)
    }

    pub(crate) fn pixel_of(&self, point: Vec3) -> Vec2 {
        self.project(point).truncate()
    }

    /// The vector from the eye to a pixel at depth 1.
    pub(crate) fn ray(&self, pixel: Vec2) -> Vec3 {
        let offset = (pixel - self.centre) / self.focal;
        self.forward + self.right * offset.x - self.up * offset.y
    }

    /// Converts a length, m, at the depth of a point to pixels.
    pub(crate) fn pixels(&self, length: f32, point: Vec3) -> f32 {
        self.focal * length / (point - self.eye).dot(self.forward)
    }

    /// The unit vector of a direction with three components: to the right of the camera, upwards in
    /// the world, and backwards from the camera.
    pub(crate) fn direction(&self, [right, up, back]: [f32; 3]) -> Vec3 {
        (self.right * right + Vec3::Y * up - self.forward * back).normalize()
    }
}
