//! The data of a world for renderers: vertices as rows of coordinates; and triangles, sticks and
//! springs, whose numbers never change.

use std::ops::Range;
use std::sync::Arc;

use super::{Simulation, World};
use crate::drawing::{ModelKind, REMOVED, resize_vector};
use crate::model::Model;
use crate::obstacle::Obstacle;

/// The data of a world for renderers: see [`World::drawing`]. The vertices are the particles, then
/// the vertices of the meshes that are attached to rigid bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Number of vertices.
    pub vertices: usize,
    /// The models, in the order of the scene.
    pub models: Vec<DrawnModel>,
    /// All triangles, as the numbers of their vertices, counter-clockwise from outside: for each
    /// model its faces, then the triangles of its bodies' meshes. A removed triangle keeps its
    /// number; its corners are [`REMOVED`].
    pub triangles: Vec<[u32; 3]>,
    /// All sticks, as the numbers of the particles at their ends. The ends of a torn stick are
    /// [`REMOVED`].
    pub sticks: Vec<[u32; 2]>,
    /// All springs, as the numbers of the particles at their ends, model by model.
    pub springs: Vec<[u32; 2]>,
    /// The numbers of the sticks that should not be drawn, in ascending order: see
    /// [`Model::hidden_sticks`].
    pub hidden_sticks: Vec<u32>,
    /// The radius of each particle, m; 0 for points.
    pub radii: Vec<f32>,
}

/// A model in a [`Drawing`].
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnModel {
    /// Its name in the scene.
    pub name: String,
    /// Its kind, which decides how it is drawn.
    pub kind: ModelKind,
    /// The numbers of its particles, which are also their vertex numbers.
    pub particles: Range<usize>,
    /// The numbers of the vertices of its bodies' meshes.
    pub mesh_vertices: Range<usize>,
    /// The numbers of its triangles.
    pub triangles: Range<usize>,
    /// The numbers of its sticks.
    pub sticks: Range<usize>,
    /// The numbers of its springs.
    pub springs: Range<usize>,
    /// Its rigid bodies.
    pub bodies: Vec<DrawnBody>,
}

/// A rigid body in a [`Drawing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnBody {
    /// The numbers of its particles, which determine its pose.
    pub particles: [u32; 4],
    /// The numbers of the vertices of its mesh.
    pub vertices: Range<usize>,
    /// The numbers of the triangles of its mesh.
    pub triangles: Range<usize>,
}

/// What was removed since a world was created, by the numbers of its [`Drawing`], in order of
/// removal. (In a resumed world, what was removed before the snapshot comes first, in another order.)
/// The lists only grow: a reader that remembers their lengths finds new entries after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The removed triangles.
    pub triangles: Vec<u32>,
    /// The sticks that tore.
    pub sticks: Vec<u32>,
}

impl<const D: usize> World<D> {
    /// The obstacles, in the order in which they act.
    pub fn obstacles(&self) -> &[Arc<dyn Obstacle<D>>] {
        &self.obstacles
    }

    /// Copies all positions, m, in the order of the particles' numbers: `N` coordinates each, 0
    /// beyond the dimensions of the world.
    ///
    /// A GPU can read rows directly: `rows.as_flattened()` is one contiguous `[f32]`, and
    /// `bytemuck::cast_slice(rows)` has its bytes.
    ///
    /// # Panics
    /// If the number of rows is not the number of particles.
    pub fn copy_positions<const N: usize>(&self, rows: &mut [[f32; N]]) {
        assert_eq!(rows.len(), self.len(), "each particle needs a row");
        for (index, island) in self.islands.iter().enumerate() {
            let particles = &island.model.particles;
            let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
            for (number, &particle) in self.particles.in_island(index).iter().enumerate() {
                rows[particle as usize] = resize_vector(columns.map(|column| column[number]));
            }
        }
    }

    /// Number of vertices to draw: particles, and vertices of meshes attached to bodies.
    pub fn vertices(&self) -> usize {
        self.models.last().map_or(self.len(), |model| model.mesh_vertices.end)
    }

    /// Copies the positions of all vertices, m: the particles as
    /// [`copy_positions`](Self::copy_positions) does, then the vertices of the meshes attached to
    /// rigid bodies, model by model.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, World, normals};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("box", Model::rigid_box([0.1; 3], 700.0)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// let drawing = world.drawing();
    /// let mut rows = vec![[0.0_f32; 3]; world.vertices()];
    /// let mut normal_rows = rows.clone();
    /// for _ in 0..10 {
    ///     assert!(world.step()?.finite);
    ///     world.copy_vertices(&mut rows);
    ///     normals(&rows, &drawing.triangles, &mut normal_rows);
    /// }
    /// let corners = &rows[drawing.models[0].mesh_vertices.clone()];
    /// assert!((corners[7][1] - corners[5][1] - 0.1).abs() < 1e-5); // its height is unchanged
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the number of rows is not [`vertices`](Self::vertices).
    pub fn copy_vertices<const N: usize>(&self, rows: &mut [[f32; N]]) {
        assert_eq!(rows.len(), self.vertices(), "each vertex needs a row");
        let (particle_rows, _) = rows.split_at_mut(self.len());
        self.copy_positions(particle_rows);
        for model in &self.models {
            let Model { particles, bodies, .. } = &self.islands[model.island].model;
            let rows = &mut rows[model.mesh_vertices.clone()];
            bodies.copy_vertices_of(model.bodies.clone(), particles, rows);
        }
    }

    /// The numbers of the particles that are currently hidden: the dead particles of emitters, and
    /// those that were not emitted yet.
    pub fn hidden_particles(&self) -> impl Iterator<Item = usize> {
        self.islands.iter().enumerate().flat_map(move |(index, island)| {
            let dead = island.model.emitters.iter().flat_map(|it| it.dead(self.time));
            dead.map(move |number| self.particles.in_island(index)[number as usize] as usize)
        })
    }

    /// The vertices, triangles, sticks and springs to draw now. Their numbers never change; what is
    /// removed later is listed in [`removed`](Self::removed).
    pub fn drawing(&self) -> Drawing
    where
        Self: Simulation<D>,
    {
        self.make_drawing()
    }

    /// Implements [`Simulation::make_drawing`].
    pub(super) fn drawing_generic(&self) -> Drawing {
        let last = self.models.last();
        let mut drawing = Drawing {
            vertices: self.vertices(),
            models: Vec::with_capacity(self.models.len()),
            triangles: vec![[REMOVED; 3]; last.map_or(0, |model| model.triangles.end)],
            sticks: vec![[REMOVED; 2]; self.sticks.len()],
            springs: Vec::new(),
            hidden_sticks: Vec::new(),
            radii: vec![0.0; self.len()],
        };
        for (index, island) in self.islands.iter().enumerate() {
            let Model { sticks, springs, faces, radii, hidden_sticks, .. } = &island.model;
            let particles = self.particles.in_island(index);
            let world_number = |number: u32| particles[number as usize];
            for (&face, corners) in faces.numbers().iter().zip(faces) {
                if let Some(&triangle) = island.triangles.get(face as usize) {
                    drawing.triangles[triangle as usize] = corners.map(world_number);
                }
            }
            for (number, &stick) in self.sticks.in_island(index).iter().enumerate() {
                if !sticks.is_torn(number) {
                    drawing.sticks[stick as usize] = sticks.ends()[number].map(world_number);
                }
                if hidden_sticks.get(number) == Some(&true) {
                    drawing.hidden_sticks.push(stick);
                }
            }
            drawing.springs.extend(springs.ends().iter().map(|ends| ends.map(world_number)));
            for (&particle, &radius) in particles.iter().zip(radii) {
                drawing.radii[particle as usize] = radius.max(0.0);
            }
        }
        drawing.hidden_sticks.sort_unstable();
        // Springs are now ordered by island. An island keeps the order of its models, but models of
        // other islands may come between them.
        let model_of = |ends: &[u32; 2]| {
            self.models.partition_point(|model| model.particles.end <= ends[0] as usize)
        };
        drawing.springs.sort_by_key(model_of);
        for model in &self.models {
            let bodies = &self.islands[model.island].model.bodies;
            let body_triangles = bodies.triangles_of(model.bodies.clone());
            let first = model.triangles.end - body_triangles.len();
            for (triangle, corners) in body_triangles.enumerate() {
                drawing.triangles[first + triangle] =
                    corners.map(|corner| model.mesh_vertices.start as u32 + corner);
            }
            let particles = self.particles.in_island(model.island);
            let bodies = bodies.all()[model.bodies.clone()].iter();
            let bodies = bodies.scan([model.mesh_vertices.start, first], |next, body| {
                let [vertices, triangles] = [body.vertices(), body.triangles()];
                let [vertex, triangle] = *next;
                *next = [vertex + vertices.len(), triangle + triangles.len()];
                Some(DrawnBody {
                    particles: body.particles().map(|number| particles[number as usize]),
                    vertices: vertex..next[0],
                    triangles: triangle..next[1],
                })
            });
            let bodies = bodies.collect();
            let springs = [model.particles.start, model.particles.end].map(|particle| {
                drawing.springs.partition_point(|ends| (ends[0] as usize) < particle)
            });
            drawing.models.push(DrawnModel {
                name: model.name.clone(),
                kind: model.kind,
                particles: model.particles.clone(),
                mesh_vertices: model.mesh_vertices.clone(),
                triangles: model.triangles.clone(),
                sticks: model.sticks.clone(),
                springs: springs[0]..springs[1],
                bodies,
            });
        }
        drawing
    }

    /// What was removed since the world was created; if it was resumed from a snapshot, including
    /// everything that was removed before. Sticks torn directly in the [islands](Self::islands_mut)
    /// are not included, and faces removed there are included only once a stick tears.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Cloth, Model, Scene, World};
    ///
    /// let mut scene = Scene::<3>::new();
    /// scene.add("cloth", Model::cloth(&Cloth::default())?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// let mut seen = 0;
    /// world.tear(40)?;
    /// world.tear(50)?;
    /// assert_eq!(world.removed().sticks[seen..], [40, 50]);
    /// seen = world.removed().sticks.len();
    /// assert!(world.removed().sticks[seen..].is_empty());
    /// assert_eq!(world.removed().triangles.len(), 3); // one of the sticks is at the edge
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn removed(&self) -> &Removed {
        &self.removed
    }

    /// Adds to [`Removed`] the sticks and faces that were removed from the islands since the last
    /// call. Also drops removed limbs from the contacts of colliders.
    pub(super) fn record_removed(&mut self) {
        for (index, island) in self.islands.iter_mut().enumerate() {
            let sticks = self.sticks.in_island(index);
            let torn = island.unrecorded_torn.drain(..).map(|stick| sticks[stick as usize]);
            self.removed.sticks.extend(torn);
            let (faces, triangles) = (&mut island.model.faces, &island.triangles);
            // A caller may have replaced the faces by a longer list, whose last faces have no triangle in
            // the world.
            let removed = faces.take_unrecorded().iter();
            let new_triangles = removed.filter_map(|&face| triangles.get(face as usize));
            self.removed.triangles.extend(new_triangles);
        }
        self.drop_lost_limbs();
    }

    /// Drops removed limbs from the contacts of colliders.
    pub(super) fn drop_lost_limbs(&mut self) {
        for (index, island) in self.islands.iter_mut().enumerate() {
            let lost_limbs = core::mem::take(&mut island.lost_limbs);
            if let Some(contacts) = self.collider_contacts.as_mut().filter(|_| lost_limbs) {
                contacts.remove_limbs(index, &island.model.limbs);
            }
        }
    }
}
