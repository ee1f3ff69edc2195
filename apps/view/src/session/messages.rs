//! Makes the binary messages of a session.

use std::ops::Range;

use taut::world::{Drawing, FigureShape, ModelKind, ObstacleFigure};

use super::Session;
use super::properties::SceneProperties;
use crate::pages::{Page, TopologySent};
use crate::protocol::{DrawnModel, Mesh, Message, MessageKind, ObstacleShape, Writer};

impl Session {
    /// The next message about the topology that the page has not been sent, if any. Records it as sent.
    pub(crate) fn topology_message(&self, page: &mut Page, epoch: u32) -> Option<Message> {
        let sent = page.topology_sent.filter(|sent| sent.0 == epoch).map(|sent| sent.1);
        let next = match sent {
            None => TopologySent::Mesh,
            Some(TopologySent::Mesh) => TopologySent::Indices,
            Some(TopologySent::Indices | TopologySent::Rests) => TopologySent::Rests,
        };
        page.topology_sent = Some((epoch, next));
        let removed = self.runner.world.removed();
        let removed_counts = [removed.triangles.len(), removed.sticks.len()];
        let writer = match sent {
            None => {
                let mut writer = Writer::new(MessageKind::Mesh, epoch, [0, 0], 0);
                writer.json(&self.mesh());
                writer
            }
            Some(TopologySent::Mesh) => {
                page.removed_sent = removed_counts;
                let world = &self.runner.world;
                let Drawing { vertices, triangles, sticks, springs, .. } = world.drawing();
                let ties = (0..world.ties().len())
                    .map(|tie| [0, 1].map(|end| (vertices + 2 * tie + end) as u32));
                let counts = [triangles.len(), sticks.len() + springs.len() + ties.len()];
                let bytes = 12 * counts[0] + 8 * counts[1];
                let mut writer = Writer::new(MessageKind::Indices, epoch, counts, bytes);
                writer.u32s(triangles.as_flattened().iter().copied());
                writer.u32s(sticks.iter().chain(springs).copied().chain(ties).flatten());
                writer
            }
            Some(TopologySent::Indices) => {
                let SceneProperties { sticks, spring_rests, .. } = &self.properties;
                let ties = self.runner.world.ties().len();
                let count = sticks.len() + spring_rests.len() + ties;
                let mut writer = Writer::new(MessageKind::Rests, epoch, [count, 0], 4 * count);
                writer.f32s(sticks.iter().map(|stick| stick.rest));
                writer.f32s(spring_rests.iter().copied());
                writer.f32s(core::iter::repeat_n(0.0, ties));
                writer
            }
            Some(TopologySent::Rests) if page.removed_sent == removed_counts => return None,
            Some(TopologySent::Rests) => {
                let [triangles_sent, sticks_sent] =
                    core::mem::replace(&mut page.removed_sent, removed_counts);
                let [triangles, sticks] =
                    [&removed.triangles[triangles_sent..], &removed.sticks[sticks_sent..]];
                let counts = [triangles.len(), sticks.len()];
                let mut writer =
                    Writer::new(MessageKind::Removed, epoch, counts, 4 * (counts[0] + counts[1]));
                writer.u32s(triangles.iter().chain(sticks).copied());
                writer
            }
        };
        Some(writer.finish())
    }

    /// The message with the current positions of vertices and poses of obstacles.
    ///
    /// # Panics
    /// Never: the slice has the length that the world expects.
    pub(crate) fn frame(&self, epoch: u32) -> Message {
        let world = &self.runner.world;
        let mut points = vec![[0.0_f32; 3]; world.vertices()];
        world.copy_positions(points.as_flattened_mut()).expect("the slice has the right length");
        // Pages do not draw positions that are NaN.
        for particle in world.hidden_particles() {
            points[particle] = [f32::NAN; 3];
        }
        let ties = world.ties().into_iter();
        points.extend(ties.flat_map(|tie| if tie.broken { [[f32::NAN; 3]; 2] } else { tie.ends }));
        let header_numbers = [world.steps() as usize, points.len()];
        let obstacles = world.obstacles();
        let bytes = 12 * points.len() + 28 * obstacles.len();
        let mut writer = Writer::new(MessageKind::Frame, epoch, header_numbers, bytes);
        writer.points(&points);
        for ObstacleFigure { position, rotation, .. } in obstacles.into_iter().flatten() {
            writer.f32s(position.map(|x| x as f32));
            writer.f32s(rotation.map(|x| x as f32));
        }
        writer.finish()
    }

    /// The data that does not change within an epoch.
    fn mesh(&self) -> Mesh {
        let Drawing { vertices, models, sticks, springs, hidden_sticks, radii, .. } =
            self.runner.world.drawing();
        let ties = self.runner.world.ties().len();
        let all_ties = (ties > 0).then(|| DrawnModel {
            name: "ties".to_owned(),
            kind: "tie",
            faces: [0, 0],
            sticks: [sticks.len() + springs.len(), ties],
            particles: [*vertices, 0],
            columns: None,
        });
        // The indices of springs follow those of sticks. Springs of models with faces are not drawn,
        // because the faces hide them.
        let springs: Vec<DrawnModel> = models
            .iter()
            .filter(|model| !model.springs.is_empty() && model.triangles.is_empty())
            .map(|model| DrawnModel {
                name: model.name.clone(),
                kind: ModelKind::Rope.name(),
                faces: [0, 0],
                sticks: [sticks.len() + model.springs.start, model.springs.len()],
                particles: [model.particles.start, 0],
                columns: None,
            })
            .collect();
        let start_and_len = |range: &Range<usize>| [range.start, range.len()];
        let inverse_masses = self.properties.inverse_masses.iter();
        // Grains that are not alive have the inverse mass 0, but are not pinned. No grain counts as pinned.
        let is_grain = |particle: &usize| {
            models
                .iter()
                .any(|model| model.kind == ModelKind::Grains && model.particles.contains(particle))
        };
        let immovable =
            inverse_masses.enumerate().filter(|(_, inverse_mass)| **inverse_mass == 0.0);
        let pinned = immovable
            .map(|(particle, _)| particle)
            .filter(|particle| !is_grain(particle))
            .map(|particle| particle as u32)
            .collect();
        let balls = radii.iter().enumerate().filter(|(_, radius)| **radius > 0.0);
        Mesh {
            vertices: vertices + 2 * ties,
            particles: radii.len(),
            parts: models
                .iter()
                .zip(&self.properties.models)
                .map(|(drawn, model)| DrawnModel {
                    kind: drawn.kind.name(),
                    name: drawn.name.clone(),
                    faces: start_and_len(&drawn.triangles),
                    sticks: start_and_len(&drawn.sticks),
                    particles: start_and_len(&drawn.particles),
                    columns: model.columns,
                })
                .chain(springs)
                .chain(all_ties)
                .collect(),
            obstacles: self
                .runner
                .world
                .obstacles()
                .into_iter()
                .flatten()
                .map(|figure| obstacle_shape(&figure.shape))
                .collect(),
            pinned,
            hidden_sticks: hidden_sticks.clone(),
            radii: balls.map(|(particle, &radius)| (particle as u32, radius)).collect(),
        }
    }
}

/// The shape of an obstacle, as pages receive it.
fn obstacle_shape(shape: &FigureShape<'_>) -> ObstacleShape {
    let half_extents = |half: [f64; 3]| half.map(|x| x as f32);
    match *shape {
        FigureShape::Sphere { radius } => ObstacleShape::Sphere { radius: radius as f32 },
        FigureShape::Capsule { radius, half } => {
            ObstacleShape::Capsule { radius: radius as f32, half: half as f32 }
        }
        FigureShape::Cuboid { half } => ObstacleShape::Cuboid { half: half_extents(half) },
        FigureShape::Bounds { half } => ObstacleShape::Bounds { half: half_extents(half) },
        FigureShape::Mesh { points, triangles } => ObstacleShape::Mesh {
            points: points.as_flattened().to_vec(),
            triangles: triangles.as_flattened().to_vec(),
        },
        FigureShape::HalfSpace => ObstacleShape::HalfSpace,
        // `FigureShape` is non-exhaustive; an unknown shape draws nothing.
        _ => ObstacleShape::Mesh { points: Vec::new(), triangles: Vec::new() },
    }
}
