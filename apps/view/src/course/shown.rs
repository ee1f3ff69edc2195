//! What pages are shown of a course.

use taut::world::{Drawing, Figure, Form, Look};
use taut::{AnyKernel, Kernel};

use super::{Course, space};
use crate::pages::{Page, Told};
use crate::protocol::{Collider, Kind, Mesh, Message, Part, Writer};

impl<const D: usize> Course<D>
where
    AnyKernel: Kernel<D>,
{
    /// What a page does not know yet of what there is and what went, if there is anything.
    pub(crate) fn news(&self, page: &mut Page, epoch: u32) -> Option<Message> {
        let told = page.told.filter(|told| told.0 == epoch).map(|told| told.1);
        let now = match told {
            None => Told::Mesh,
            Some(Told::Mesh) => Told::Indices,
            Some(Told::Indices | Told::Rests) => Told::Rests,
        };
        page.told = Some((epoch, now));
        let removed = self.runner.world.removed();
        let gone = [removed.triangles.len(), removed.sticks.len()];
        let writer = match told {
            None => {
                let mut writer = Writer::new(Kind::Mesh, epoch, [0, 0], 0);
                writer.json(&self.mesh());
                writer
            }
            Some(Told::Mesh) => {
                page.gone = gone;
                let Drawing { triangles, sticks, springs, .. } = self.runner.world.drawing();
                let numbers = [triangles.len(), sticks.len() + springs.len()];
                let bytes = 12 * numbers[0] + 8 * numbers[1];
                let mut writer = Writer::new(Kind::Indices, epoch, numbers, bytes);
                writer.names(triangles.into_iter().flatten());
                writer.names(sticks.into_iter().chain(springs).flatten());
                writer
            }
            Some(Told::Indices) => {
                let models = || self.scene.models().map(|(_, model)| model);
                let all = models().map(|model| model.sticks.len() + model.springs.len()).sum();
                let mut writer = Writer::new(Kind::Rests, epoch, [all, 0], 4 * all);
                writer.numbers(models().flat_map(|model| model.sticks.rests().iter().copied()));
                writer.numbers(models().flat_map(|model| model.springs.rests().iter().copied()));
                writer
            }
            Some(Told::Rests) if page.gone == gone => return None,
            Some(Told::Rests) => {
                let [triangles, sticks] = core::mem::replace(&mut page.gone, gone);
                let [triangles, sticks] =
                    [&removed.triangles[triangles..], &removed.sticks[sticks..]];
                let new = [triangles.len(), sticks.len()];
                let mut writer = Writer::new(Kind::Removed, epoch, new, 4 * (new[0] + new[1]));
                writer.names(triangles.iter().chain(sticks).copied());
                writer
            }
        };
        Some(writer.finish())
    }

    /// Where everything is.
    pub(crate) fn frame(&self, epoch: u32) -> Message {
        let world = &self.runner.world;
        let mut rows = vec![[0.0_f32; 3]; world.vertices()];
        world.copy_vertices(&mut rows);
        // What is not to be seen has no place.
        for particle in world.absent() {
            rows[particle] = [f32::NAN; 3];
        }
        let numbers = [world.steps() as usize, rows.len()];
        let bytes = 12 * rows.len() + 28 * world.obstacles().len();
        let mut writer = Writer::new(Kind::Frame, epoch, numbers, bytes);
        writer.rows(&rows);
        for Figure { position, rotation, .. } in self.figures() {
            writer.numbers(space(position.map(|x| x as f32)));
            writer.numbers(rotation.map(|x| x as f32));
        }
        writer.finish()
    }

    /// The obstacles that can be drawn, where they are now.
    fn figures(&self) -> impl Iterator<Item = Figure<'_, D>> {
        let world = &self.runner.world;
        world.obstacles().iter().filter_map(|it| it.figure(world.time()))
    }

    fn mesh(&self) -> Mesh {
        let Drawing { vertices, parts, sticks, unseen, radii, .. } = self.runner.world.drawing();
        // Springs come after the sticks; those of cloth are under its faces.
        let springs: Vec<Part> = parts
            .iter()
            .filter(|part| !part.springs.is_empty() && part.triangles.is_empty())
            .map(|part| Part {
                name: part.name.clone(),
                look: Look::Rope.name(),
                faces: [0, 0],
                sticks: [sticks.len() + part.springs.start, part.springs.len()],
                particles: [part.particles.start, 0],
                columns: None,
            })
            .collect();
        let models = || self.scene.models().map(|(_, model)| model);
        let span = |range: std::ops::Range<usize>| [range.start, range.len()];
        let masses = models().flat_map(|it| it.particles.inverse_masses());
        // Drops are held while they are not alive: that is not meant.
        let is_drop = |it: &usize| {
            parts.iter().any(|part| part.look == Look::Grains && part.particles.contains(it))
        };
        let held = masses.enumerate().filter(|(_, mass)| **mass == 0.0).map(|(it, _)| it);
        let pinned = held.filter(|it| !is_drop(it)).map(|it| it as u32).collect();
        let balls = radii.iter().enumerate().filter(|(_, radius)| **radius > 0.0);
        Mesh {
            vertices,
            particles: radii.len(),
            parts: parts
                .into_iter()
                .zip(models())
                .map(|(part, model)| Part {
                    look: part.look.name(),
                    name: part.name,
                    faces: span(part.triangles),
                    sticks: span(part.sticks),
                    particles: span(part.particles),
                    columns: model.sheet.as_ref().map(taut::Sheet::width),
                })
                .chain(springs)
                .collect(),
            colliders: self.figures().map(|figure| collider(&figure.form)).collect(),
            pinned,
            thin: unseen,
            radii: balls.map(|(it, &radius)| (it as u32, radius)).collect(),
        }
    }
}

fn collider<const D: usize>(form: &Form<'_, D>) -> Collider {
    let half = |half: [f64; D]| space(half.map(|x| x as f32));
    match *form {
        Form::Sphere { radius } => Collider::Sphere { radius: radius as f32 },
        Form::Capsule { radius, half } => {
            Collider::Capsule { radius: radius as f32, half: half as f32 }
        }
        Form::Cuboid { half: it } => Collider::Cuboid { half: half(it) },
        Form::Bounds { half: it } => Collider::Bounds { half: half(it) },
        Form::Mesh { points, triangles } => Collider::Mesh {
            points: points.iter().flat_map(|&point| space(point)).collect(),
            triangles: triangles.as_flattened().to_vec(),
        },
        Form::HalfSpace => Collider::HalfSpace,
        // Of a form to come there is nothing to see.
        _ => Collider::Mesh { points: Vec::new(), triangles: Vec::new() },
    }
}
