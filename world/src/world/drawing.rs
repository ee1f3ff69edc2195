//! A world as whoever draws it wants it: vertices in rows, and what joins them, by numbers that
//! stay.

use std::ops::Range;
use std::sync::Arc;

use taut_core::Kernel;

use super::World;
use crate::drawing::{GONE, Look, row};
use crate::model::Model;
use crate::obstacle::Obstacle;

/// What there is to draw in a world: see [`World::drawing`]. Vertices are the particles, and after
/// them the vertices of the meshes that are fastened to rigid bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// How many vertices there are.
    pub vertices: usize,
    /// The models, in the order of their numbers.
    pub parts: Vec<DrawnPart>,
    /// All triangles, by the numbers of their vertices, counter-clockwise from outside: of each
    /// model its faces, and after them the triangles of its bodies' meshes. One that is gone keeps
    /// its number and has [`GONE`] for its corners.
    pub triangles: Vec<[u32; 3]>,
    /// All sticks, by the numbers of the particles at their ends. A torn one has [`GONE`] for both.
    pub sticks: Vec<[u32; 2]>,
    /// All springs, by the numbers of the particles at their ends, model by model.
    pub springs: Vec<[u32; 2]>,
    /// The numbers of the sticks that are not to be seen, in ascending order: see
    /// [`Model::unseen`].
    pub unseen: Vec<u32>,
    /// The radius of each particle, m; 0 for points.
    pub radii: Vec<f32>,
}

/// A model in a [`Drawing`].
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPart {
    /// What it is called in the scene.
    pub name: String,
    /// What it is meant to be seen as.
    pub look: Look,
    /// Its particles, which are the vertices of these numbers.
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

/// What went since a world began, by the numbers of its [`Drawing`], in the order in which it went.
/// Whoever remembers how much of it has been seen finds what is new behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Triangles.
    pub triangles: Vec<u32>,
    /// Sticks that tore.
    pub sticks: Vec<u32>,
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// What keeps out, in this order.
    pub fn obstacles(&self) -> &[Arc<dyn Obstacle<D>>] {
        &self.obstacles
    }

    /// Copies where all particles are, m, in the order of their numbers: `N` numbers each, of which
    /// those beyond the dimensions of the world are 0.
    ///
    /// Rows are what a GPU wants: `rows.as_flattened()` is one contiguous `[f32]`, and
    /// `bytemuck::cast_slice(rows)` its bytes.
    ///
    /// # Panics
    /// If there are not as many rows as particles.
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
        self.parts.last().map_or(self.len(), |part| part.skin.end)
    }

    /// Copies where all vertices are, m: particles as [`copy_positions`](Self::copy_positions) has
    /// them, and then the vertices of the meshes fastened to rigid bodies, model by model.
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
    /// assert!((corners[7][1] - corners[5][1] - 0.1).abs() < 1e-5); // as high as ever
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as [`vertices`](Self::vertices).
    pub fn copy_vertices<const N: usize>(&self, rows: &mut [[f32; N]]) {
        assert_eq!(rows.len(), self.vertices(), "each vertex needs a row");
        let (particles, _) = rows.split_at_mut(self.len());
        self.copy_positions(particles);
        for part in &self.parts {
            let Model { particles, bodies, .. } = &self.islands[part.island].matter;
            bodies.copy_vertices_of(part.bodies.clone(), particles, &mut rows[part.skin.clone()]);
        }
    }

    /// The numbers of the particles that are not to be seen for now: those of emitters that are not
    /// alive.
    pub fn absent(&self) -> impl Iterator<Item = usize> {
        self.islands.iter().enumerate().flat_map(move |(at, island)| {
            let dead = island.matter.emitters.iter().flat_map(|it| it.dead(self.time));
            dead.map(move |number| self.particles.of(at)[number as usize] as usize)
        })
    }

    /// What there is to draw now. Numbers of vertices, triangles and sticks stay as they are for as
    /// long as the world lives; [`removed`](Self::removed) says what goes.
    pub fn drawing(&self) -> Drawing {
        let last = self.parts.last();
        let mut drawing = Drawing {
            vertices: self.vertices(),
            parts: Vec::with_capacity(self.parts.len()),
            triangles: vec![[GONE; 3]; last.map_or(0, |part| part.triangles.end)],
            sticks: vec![[GONE; 2]; self.sticks.len()],
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
        // Islands have models in their order, but not one after the other.
        let part_of = |ends: &[u32; 2]| {
            self.parts.partition_point(|part| part.particles.end <= ends[0] as usize)
        };
        drawing.springs.sort_by_key(part_of);
        for part in &self.parts {
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

    /// What went since the world began, or was resumed, or was part of it then but is not whole. What
    /// is torn or taken away directly in the [islands](Self::islands_mut) is not in it.
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

    /// Writes down what tore in the islands.
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
