//! Draws 2D scenes as shapes and lines, with `tiny-skia`.

use glam::{Vec2, Vec3};
use taut_export::{DrawnScene, Frame, Material};
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder,
    Pixmap, Point, Rect, SpreadMode, Stroke, Transform,
};

use crate::camera::Bounds;
use crate::colour::{Background, linear, srgb};
use crate::{Options, Picture};

/// Draws frames of a 2D scene in a fixed rectangle of the plane.
#[derive(Debug)]
pub(crate) struct Painter2d {
    /// The position at the centre of the picture, m.
    centre_position: Vec2,
    /// Pixels per m.
    scale: f32,
    /// The centre of the picture, pixels.
    centre: Vec2,
}

/// The margin at each side, as a fraction of the picture.
const MARGIN: f32 = 0.05;

fn colour(linear_colour: Vec3, alpha: f32) -> Color {
    let [r, g, b] = srgb(linear_colour);
    Color::from_rgba8(r, g, b, crate::colour::byte(alpha * 255.0))
}

fn paint(linear_colour: Vec3, alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(linear_colour, alpha));
    paint.anti_alias = true;
    paint
}

impl Painter2d {
    pub(crate) fn new(bounds: &Bounds, options: &Options) -> Self {
        let bounds = bounds.or_default_cube();
        let (min, max) = (bounds.min.truncate(), bounds.max.truncate());
        let extent = (max - min).max(Vec2::splat(1e-6));
        let size = Vec2::new(options.width as f32, options.height as f32);
        let scale = (size * (1.0 - 2.0 * MARGIN) / extent).min_element() * options.view.zoom;
        Self { centre_position: min.midpoint(max), scale, centre: size / 2.0 }
    }

    /// The pixel at which a position is drawn.
    pub(crate) fn pixel_of(&self, [x, y, _]: [f32; 3]) -> Vec2 {
        let offset = (Vec2::new(x, y) - self.centre_position) * self.scale;
        self.centre + Vec2::new(offset.x, -offset.y)
    }

    pub(crate) fn paint(&self, scene: &DrawnScene, frame: &Frame, options: &Options) -> Picture {
        let Options { width, height, background, .. } = *options;
        // `None` if the picture has no pixels or is too large.
        let Some(mut pixmap) = Pixmap::new(width, height) else {
            return Picture {
                width,
                height,
                pixels: vec![[0; 3]; width as usize * height as usize],
            };
        };
        fill_background(&mut pixmap, background);
        for (index, (shape, pose)) in scene.rigid_shapes.iter().zip(&frame.poses).enumerate() {
            // Of an unbounded rigid shape only the faces perpendicular to the plane of the scene,
            // z = 0, are drawn.
            let mesh = &shape.mesh;
            let is_perpendicular = |it: &&[u32; 3]| mesh.normals[it[0] as usize][2].abs() < 0.5;
            let triangles =
                mesh.triangles.iter().filter(|it| !shape.unbounded || is_perpendicular(it));
            let corners = triangles.map(|triangle| {
                triangle.map(|corner| self.pixel_of(pose.point(mesh.points[corner as usize])))
            });
            if shape.unbounded {
                let grey = paint(linear([0x7c, 0x88, 0x99]), 0.8);
                // Seen from the front, each of these faces is a line, on which all its edges lie.
                let edges = corners.flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
                stroke(&mut pixmap, lines_path(edges), &grey, 1.5);
                continue;
            }
            let linear_colour = linear(shape.material.colour(index));
            fill(&mut pixmap, triangles_path(corners), &paint(linear_colour, 1.0));
        }
        for (index, part) in scene.parts.iter().enumerate() {
            let linear_colour = linear(part.material.colour(index));
            let pixel = |vertex: u32| self.pixel_of(frame.positions[vertex as usize]);
            let faces = part.faces.clone().filter(|&face| frame.has_face(face));
            let corners = faces.map(|face| scene.faces[face].map(pixel));
            fill(&mut pixmap, triangles_path(corners), &paint(linear_colour, 0.4));
            let sticks = part.sticks.clone().filter(|&stick| frame.has_stick(stick));
            let ends = sticks.map(|stick| scene.sticks[stick].map(pixel));
            let line_width =
                if part.material == Material::Cloth { 0.0 } else { 2.0 * part.radius * self.scale };
            stroke(&mut pixmap, lines_path(ends), &paint(linear_colour, 1.0), line_width.max(1.1));
            for vertex in part.vertices.clone() {
                let ball_radius = scene.ball_radii.get(vertex).copied().unwrap_or(0.0) * self.scale;
                let radius = if part.are_vertices_drawn() {
                    ball_radius.max(part.radius * self.scale).max(1.5)
                } else {
                    ball_radius
                };
                if radius > 0.0 && frame.has_vertex(vertex) {
                    fill_circle(
                        &mut pixmap,
                        pixel(vertex as u32),
                        radius,
                        &paint(linear_colour, 1.0),
                    );
                }
            }
        }
        let pin_colour = match background {
            Background::Light => linear([0x30, 0x38, 0x44]),
            Background::Dark => linear([0xe6, 0xea, 0xf0]),
        };
        for &vertex in &scene.pinned {
            let centre = self.pixel_of(frame.positions[vertex as usize]);
            fill_circle(&mut pixmap, centre, 2.0, &paint(pin_colour, 1.0));
        }
        let pixels = pixmap.pixels().iter().map(|it| [it.red(), it.green(), it.blue()]).collect();
        Picture { width, height, pixels }
    }
}

/// Fills the picture with the gradient of the background.
fn fill_background(pixmap: &mut Pixmap, background: Background) {
    let (width, height) = (pixmap.width() as f32, pixmap.height() as f32);
    let stop = |fraction: f32| GradientStop::new(fraction, colour(background.at(fraction), 1.0));
    let shader = LinearGradient::new(
        Point::from_xy(0.0, 0.0),
        Point::from_xy(0.0, height),
        vec![stop(0.0), stop(1.0)],
        SpreadMode::Pad,
        Transform::identity(),
    );
    let (Some(shader), Some(all)) = (shader, Rect::from_xywh(0.0, 0.0, width, height)) else {
        return;
    };
    pixmap.fill_rect(all, &Paint { shader, ..Paint::default() }, Transform::identity(), None);
}

/// All triangles as one path: if each were filled on its own, anti-aliasing would leave gaps between
/// them.
fn triangles_path(triangles: impl Iterator<Item = [Vec2; 3]>) -> Option<Path> {
    let mut path = PathBuilder::new();
    for [a, b, c] in triangles {
        // All triangles get the same winding, because otherwise overlaps would be holes.
        let (b, c) = if (b - a).perp_dot(c - a) < 0.0 { (b, c) } else { (c, b) };
        path.move_to(a.x, a.y);
        path.line_to(b.x, b.y);
        path.line_to(c.x, c.y);
        path.close();
    }
    path.finish()
}

fn lines_path(lines: impl Iterator<Item = [Vec2; 2]>) -> Option<Path> {
    let mut path = PathBuilder::new();
    for [a, b] in lines {
        path.move_to(a.x, a.y);
        path.line_to(b.x, b.y);
    }
    path.finish()
}

fn fill(pixmap: &mut Pixmap, path: Option<Path>, paint: &Paint<'_>) {
    if let Some(path) = path {
        pixmap.fill_path(&path, paint, FillRule::Winding, Transform::identity(), None);
    }
}

/// Draws the lines of a path with a width, pixels.
fn stroke(pixmap: &mut Pixmap, path: Option<Path>, paint: &Paint<'_>, width: f32) {
    let stroke =
        Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    if let Some(path) = path {
        pixmap.stroke_path(&path, paint, &stroke, Transform::identity(), None);
    }
}

/// Fills a circle, whose centre and radius are in pixels.
fn fill_circle(pixmap: &mut Pixmap, centre: Vec2, radius: f32, paint: &Paint<'_>) {
    fill(pixmap, PathBuilder::from_circle(centre.x, centre.y, radius), paint);
}
