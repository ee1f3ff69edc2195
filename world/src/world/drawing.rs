//! What a renderer needs of a world: vertices in rows, and the triangles, sticks and springs that
//! join them, by stable numbers.

use std::ops::Range;
use std::sync::Arc;

use taut_core::Kernel;

use super::World;
use crate::drawing::{Look, REMOVED, row};
use crate::model::Model;
use crate::obstacle::Obstacle;

/// What a renderer needs of a world: see [`World::drawing`]. Vertices are the particles, and after
/// them the vertices of the meshes that are fastened to rigid bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// How many vertices there are.
    pub vertices: usize,
    /// The models, in the order of their numbers.
    pub parts: Vec<DrawnPart>,
    /// All triangles, by the numbers of their vertices, counter-clockwise from outside: for each
    /// model its faces, then the triangles of its bodies' meshes. A removed triangle keeps its
    /// number and has [`REMOVED`] as its corners.
    pub triangles: Vec<[u32; 3]>,
    /// All sticks, by the numbers of the particles at their ends. A torn stick has [`REMOVED`] as
    /// both.
    pub sticks: Vec<[u32; 2]>,
    /// All springs, by the numbers of the particles at their ends, model by model.
    pub springs: Vec<[u32; 2]>,
    /// The numbers of the sticks that are not to be drawn, in ascending order: see
    /// [`Model::unseen`].
    pub unseen: Vec<u32>,
    /// The radius of each particle, m; 0 for points.
    pub radii: Vec<f32>,
}

/// A model in a [`Drawing`].
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPart {
    /// Its name in the scene.
    pub name: String,
    /// How to draw it.
    pub look: Look,
    /// The numbers of its particles, which are vertex numbers, too.
    pub particles: Range<usize>,
    /// The vertices of its bodies' meshes.
    pub skin: Range<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its sticks.
    pub sticks: Range<usize>,
    /// Its springs.
    pub springs: Range<usize>,
}

/// What was removed since a world began, by the numbers of its [`Drawing`], in order of removal.
/// The lists only grow: a reader that remembers their lengths finds new entries behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Triangles.
    pub triangles: Vec<u32>,
    /// Sticks that tore.
    pub sticks: Vec<u32>,
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// The obstacles, in the order in which they act.
    pub fn obstacles(&self) -> &[Arc<dyn Obstacle<D>>] {
        &self.obstacles
    }

    /// Copies all positions, m, in the order of the particles' numbers: `N` coordinates each, of
    /// which those beyond the dimensions of the world are 0.
    ///
    /// Rows suit a GPU: `rows.as_flattened()` is one contiguous `[f32]`, and
    /// `bytemuck::cast_slice(rows)` its bytes.
    ///
    /// # Panics
    /// If the number of rows is not that of particles.
    pub fn copy_positions<const N: usize>(&self, rows: &mut [[f32; N]]) {
        assert_eq!(rows.len(), self.len(), "each particle needs a row");
        for (at, island) in self.islands.iter().enumerate() {
            let particles = &island.matter.particles;
            let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
            for (number, &name) in self.particles.of(at).iter().enumerate() {
                rows[name as usize] = row(columns.map(|column| column[number]));
            }
        }
    }

    /// How many vertices there are to draw: particles, and vertices of meshes fastened to bodies.
    pub fn vertices(&self) -> usize {
        self.models.last().map_or(self.len(), |part| part.skin.end)
    }

    /// Copies the positions of all vertices, m: the particles as
    /// [`copy_positions`](Self::copy_positions) does, then the vertices of the meshes fastened to
    /// rigid bodies, model by model.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, World, normals};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("dice", Model::rigid_box([0.1; 3], 700.0)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// let drawing = world.drawing();
    /// let mut rows = vec![[0.0_f32; 3]; world.vertices()];
    /// let mut up = rows.clone();
    /// for _ in 0..10 {
    ///     assert!(world.step()?.finite);
    ///     world.copy_vertices(&mut rows);
    ///     normals(&rows, &drawing.triangles, &mut up);
    /// }
    /// let corners = &rows[drawing.parts[0].skin.clone()];
    /// assert!((corners[7][1] - corners[5][1] - 0.1).abs() < 1e-5); // its height is unchanged
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the number of rows is not that of [`vertices`](Self::vertices).
    pub fn copy_vertices<const N: usize>(&self, rows: &mut [[f32; N]]) {
        assert_eq!(rows.len(), self.vertices(), "each vertex needs a row");
        let (particles, _) = rows.split_at_mut(self.len());
        self.copy_positions(particles);
        for part in &self.models {
            let Model { particles, bodies, .. } = &self.islands[part.island].matter;
            bodies.copy_vertices_of(part.bodies.clone(), particles, &mut rows[part.skin.clone()]);
        }
    }

    /// The numbers of the particles that are not to be drawn at present: those of emitters that are
    /// not alive.
    pub fn absent(&self) -> impl Iterator<Item = usize> {
        self.islands.iter().enumerate().flat_map(move |(at, island)| {
            let dead = island.matter.emitters.iter().flat_map(|it| it.dead(self.time));
            dead.map(move |number| self.particles.of(at)[number as usize] as usize)
        })
    }

    /// What to draw now. Numbers of vertices, triangles and sticks never change;
    /// [`removed`](Self::removed) lists what was removed.
    pub fn drawing(&self) -> Drawing {
        let last = self.models.last();
        let mut drawing = Drawing {
            vertices: self.vertices(),
            parts: Vec::with_capacity(self.models.len()),
            triangles: vec![[REMOVED; 3]; last.map_or(0, |part| part.triangles.end)],
            sticks: vec![[REMOVED; 2]; self.sticks.len()],
            springs: Vec::new(),
            unseen: Vec::new(),
            radii: vec![0.0; self.len()],
        };
        for (at, island) in self.islands.iter().enumerate() {
            let Model { sticks, springs, faces, radii, unseen, .. } = &island.matter;
            let names = self.particles.of(at);
            let named = |corner: u32| names[corner as usize];
            for (&face, corners) in faces.numbers().iter().zip(faces) {
                if let Some(&triangle) = island.triangles.get(face as usize) {
                    drawing.triangles[triangle as usize] = corners.map(named);
                }
            }
            for (number, &stick) in self.sticks.of(at).iter().enumerate() {
                if !sticks.is_torn(number) {
                    drawing.sticks[stick as usize] = sticks.ends()[number].map(named);
                }
                if unseen.get(number) == Some(&true) {
                    drawing.unseen.push(stick);
                }
            }
            drawing.springs.extend(springs.ends().iter().map(|ends| ends.map(named)));
            for (&name, &radius) in names.iter().zip(radii) {
                drawing.radii[name as usize] = radius.max(0.0);
            }
        }
        drawing.unseen.sort_unstable();
        // An island keeps the order of its models, but other models may lie between them.
        let part_of = |ends: &[u32; 2]| {
            self.models.partition_point(|part| part.particles.end <= ends[0] as usize)
        };
        drawing.springs.sort_by_key(part_of);
        for part in &self.models {
            let bodies = &self.islands[part.island].matter.bodies;
            let of_bodies = bodies.triangles_of(part.bodies.clone());
            let first = part.triangles.end - of_bodies.len();
            for (triangle, corners) in of_bodies.enumerate() {
                drawing.triangles[first + triangle] =
                    corners.map(|corner| part.skin.start as u32 + corner);
            }
            let springs = [part.particles.start, part.particles.end].map(|particle| {
                drawing.springs.partition_point(|ends| (ends[0] as usize) < particle)
            });
            drawing.parts.push(DrawnPart {
                name: part.name.clone(),
                look: part.look,
                particles: part.particles.clone(),
                skin: part.skin.clone(),
                triangles: part.triangles.clone(),
                sticks: part.sticks.clone(),
                springs: springs[0]..springs[1],
            });
        }
        drawing
    }

    /// What was removed since the world began, including everything that was torn when a snapshot
    /// was resumed. Sticks torn and faces removed directly in the [islands](Self::islands_mut) are
    /// not included.
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
    /// assert_eq!(world.removed().triangles.len(), 3); // one of the sticks is at the rim
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn removed(&self) -> &Removed {
        &self.removed
    }

    /// Records what tore in the islands.
    pub(super) fn note_removed(&mut self) {
        for (at, island) in self.islands.iter_mut().enumerate() {
            let names = self.sticks.of(at);
            self.removed.sticks.extend(island.torn.drain(..).map(|stick| names[stick as usize]));
            let gone = island.matter.faces.gone();
            let triangles = &island.triangles;
            let named =
                gone[island.faces_noted..].iter().filter_map(|&it| triangles.get(it as usize));
            self.removed.triangles.extend(named);
            island.faces_noted = gone.len();
        }
    }
}
