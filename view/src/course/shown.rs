//! What pages are shown of a course.

use taut::Kind as StickKind;
use taut::world::Model;

use super::{Course, space};
use crate::pages::{Page, Told};
use crate::protocol::{Collider, Kind, Mesh, Message, Part, Writer};

/// The number of a corner or an end of what is gone.
const GONE: u32 = u32::MAX;

impl<const D: usize> Course<D> {
    /// What a page does not know yet of what there is and what went, if there is anything.
    pub(crate) fn news(&self, page: &mut Page, epoch: u32) -> Option<Message> {
        let told = page.told.filter(|told| told.0 == epoch).map(|told| told.1);
        let now = match told {
            None => Told::Mesh,
            Some(Told::Mesh) => Told::Indices,
            Some(Told::Indices | Told::Rests) => Told::Rests,
        };
        page.told = Some((epoch, now));
        let gone = [self.gone.faces.len(), self.gone.sticks.len()];
        let [faces, sticks] = [self.faces.len(), self.sticks.len()];
        let writer = match told {
            None => {
                let mut writer = Writer::new(Kind::Mesh, epoch, [0, 0], 0);
                writer.json(&self.mesh());
                writer
            }
            Some(Told::Mesh) => {
                page.gone = gone;
                let bytes = 12 * faces + 8 * sticks;
                let mut writer = Writer::new(Kind::Indices, epoch, [faces, sticks], bytes);
                self.write_indices(&mut writer);
                writer
            }
            Some(Told::Indices) => {
                let mut writer = Writer::new(Kind::Rests, epoch, [sticks, 0], 4 * sticks);
                let models = self.scene.models().map(|(_, model)| model);
                writer.numbers(models.flat_map(|model| model.sticks.rests().iter().copied()));
                writer
            }
            Some(Told::Rests) if page.gone == gone => return None,
            Some(Told::Rests) => {
                let [faces, sticks] = core::mem::replace(&mut page.gone, gone);
                let [faces, sticks] = [&self.gone.faces[faces..], &self.gone.sticks[sticks..]];
                let gone = [faces.len(), sticks.len()];
                let mut writer = Writer::new(Kind::Removed, epoch, gone, 4 * (gone[0] + gone[1]));
                writer.names(faces.iter().chain(sticks).copied());
                writer
            }
        };
        Some(writer.finish())
    }

    /// Where everything is.
    pub(crate) fn frame(&self, epoch: u32) -> Message {
        let world = &self.runner.world;
        let numbers = [world.steps() as usize, world.len()];
        let mut writer = Writer::new(Kind::Frame, epoch, numbers, 12 * world.len());
        writer.numbers(world.positions().flat_map(space));
        writer.finish()
    }

    fn mesh(&self) -> Mesh {
        let world = &self.runner.world;
        let mut parts = Vec::new();
        let (mut thin, mut radii) = (Vec::new(), Vec::new());
        let [mut particles, mut sticks] = [0, 0];
        for (name, model) in self.scene.models() {
            let of = &model.sticks;
            thin.extend(
                (0..of.len())
                    .filter(|&it| of.kind(it) != StickKind::TwoSided || of.stiffness(it) < 1.0)
                    .map(|it| (sticks + it) as u32),
            );
            let balls = model.radii.iter().enumerate().filter(|(_, radius)| **radius > 0.0);
            radii.extend(balls.map(|(it, &radius)| ((particles + it) as u32, radius)));
            parts.push(Part {
                name: name.to_owned(),
                look: look(model),
                faces: [0, 0],
                sticks: [sticks, of.len()],
                particles: [particles, model.particles.len()],
                columns: model.sheet.as_ref().map(taut::Sheet::width),
            });
            particles += model.particles.len();
            sticks += of.len();
        }
        self.number_faces(&mut parts);
        let pinned = (0..world.len()).filter(|&it| world.inverse_mass(it) == 0.0);
        Mesh {
            vertices: world.len(),
            particles: world.len(),
            parts,
            colliders: self.colliders(),
            pinned: pinned.map(|it| it as u32).collect(),
            thin,
            radii,
        }
    }

    /// Faces come piece by piece: those of regular sheets first.
    fn number_faces(&self, parts: &mut [Part]) {
        let mut first = 0;
        for sheets in [true, false] {
            for ((_, model), part) in self.scene.models().zip(&mut *parts) {
                if model.sheet.is_some() == sheets {
                    part.faces = [first, model.faces.len()];
                    first += model.faces.len();
                }
            }
        }
    }

    fn colliders(&self) -> Vec<Collider> {
        let _ = &self.scene.obstacles;
        Vec::new()
    }

    fn write_indices(&self, to: &mut Writer) {
        let [gone_faces, gone_sticks] = &self.is_gone;
        let faces = self.faces.iter().zip(gone_faces);
        to.names(faces.flat_map(|(it, &gone)| if gone { [GONE; 3] } else { *it }));
        let sticks = self.sticks.iter().zip(gone_sticks);
        to.names(sticks.flat_map(|(it, &gone)| if gone { [GONE; 2] } else { *it }));
    }
}

fn look<const D: usize>(model: &Model<D>) -> &'static str {
    if !model.emitters.is_empty() {
        "grains"
    } else if !model.bodies.is_empty() {
        "body"
    } else if model.faces.is_empty() {
        "rope"
    } else {
        "cloth"
    }
}
