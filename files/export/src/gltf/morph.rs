//! Deformable parts as glTF meshes with morph targets.

use std::io;

use gltf_json::Index;
use gltf_json::accessor::Accessor;
use gltf_json::mesh::{Mode, MorphTarget};

use super::document::{Document, MorphSize, ShapeAccessors, primitive};
use super::rods::Rods;
use crate::{DrawnScene, Frame, Part};

/// The glTF mesh of a part: its vertices and primitives.
#[derive(Debug)]
pub(super) struct MorphMesh {
    /// The index of the part.
    part: usize,
    /// For each vertex of the mesh the vertex of the drawn scene. Each corner of a face that will
    /// be removed is a separate vertex, and so is each end of a stick that will be torn; these separate
    /// vertices are last.
    vertices: Vec<u32>,
    /// For each of the separate vertices its face or stick, and the vertex of the drawn scene onto
    /// which it collapses when that is removed.
    collapsing: Vec<(Element, u32)>,
    /// Three corners for each face, as vertices of the mesh.
    triangles: Vec<u32>,
    /// Two ends for each stick that is drawn as a line, as vertices of the mesh.
    lines: Vec<u32>,
    /// Whether the vertices are drawn as points.
    points: bool,
}

/// A face or a stick of the drawn scene, by its index.
#[derive(Clone, Copy, Debug)]
enum Element {
    Face(usize),
    Stick(usize),
}

impl Element {
    fn is_in(self, frame: &Frame) -> bool {
        match self {
            Self::Face(face) => frame.has_face(face),
            Self::Stick(stick) => frame.has_stick(stick),
        }
    }
}

impl MorphMesh {
    /// The meshes of all parts that need one. `last` is the last frame: what it lacks is removed
    /// during the animation.
    pub(super) fn all(scene: &DrawnScene, last: &Frame) -> Vec<Self> {
        let parts = scene.parts.iter().enumerate();
        parts
            .map(|(nth, part)| Self::new(scene, nth, part, last))
            .filter(|mesh| !mesh.vertices.is_empty())
            .collect()
    }

    /// The mesh of a part; without vertices if the part needs none.
    fn new(scene: &DrawnScene, nth: usize, part: &Part, last: &Frame) -> Self {
        let mut mesh = Self {
            part: nth,
            vertices: Vec::new(),
            collapsing: Vec::new(),
            triangles: Vec::new(),
            lines: Vec::new(),
            points: part.are_vertices_drawn(),
        };
        let lines = if Rods::are_nodes(scene) { 0..0 } else { part.sticks.clone() };
        if part.faces.is_empty() && lines.is_empty() && !mesh.points {
            return mesh;
        }
        mesh.vertices = part.vertices.clone().map(|vertex| vertex as u32).collect();
        let first = part.vertices.start as u32;
        for face in part.faces.clone() {
            let corners = mesh.add_element(Element::Face(face), scene.faces[face], first, last);
            mesh.triangles.extend(corners);
        }
        for stick in lines {
            let ends = mesh.add_element(Element::Stick(stick), scene.sticks[stick], first, last);
            mesh.lines.extend(ends);
        }
        mesh
    }

    /// Returns the vertices of the mesh for those of a face or stick. `first_vertex` is the first
    /// vertex of the part.
    fn add_element<const N: usize>(
        &mut self,
        element: Element,
        vertices: [u32; N],
        first_vertex: u32,
        last: &Frame,
    ) -> [u32; N] {
        if element.is_in(last) {
            return vertices.map(|vertex| vertex - first_vertex);
        }
        vertices.map(|vertex| {
            self.vertices.push(vertex);
            self.collapsing.push((element, vertices[0]));
            self.vertices.len() as u32 - 1
        })
    }

    /// The number of vertices of the mesh.
    pub(super) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Its size.
    pub(super) fn size(&self) -> MorphSize {
        MorphSize { vertices: self.len(), has_normals: self.has_normals() }
    }

    /// Whether it has normals: only meshes with faces have them.
    pub(super) fn has_normals(&self) -> bool {
        !self.triangles.is_empty()
    }

    /// The name of the part.
    pub(super) fn name<'a>(&self, scene: &'a DrawnScene) -> &'a str {
        &scene.parts[self.part].name
    }

    /// Adds the accessors of the indices of its primitives.
    pub(super) fn add_indices(&self, document: &mut Document) -> Vec<(Mode, Index<Accessor>)> {
        let points: Vec<u32> =
            if self.points { (0..self.len() as u32).collect() } else { Vec::new() };
        [(Mode::Triangles, &self.triangles), (Mode::Lines, &self.lines), (Mode::Points, &points)]
            .into_iter()
            .filter(|(_, indices)| !indices.is_empty())
            .map(|(mode, indices)| (mode, document.add_indices(indices)))
            .collect()
    }

    /// Adds the mesh with its morph targets.
    pub(super) fn add_mesh(
        &self,
        scene: &DrawnScene,
        document: &mut Document,
        indices: &[(Mode, Index<Accessor>)],
        keys: &[ShapeAccessors],
    ) -> Index<gltf_json::Mesh> {
        let part = &scene.parts[self.part];
        let material = document.material(part.material, self.part);
        let targets = keys[1..].iter().map(|shape| MorphTarget {
            positions: Some(shape.positions),
            normals: shape.normals,
            tangents: None,
        });
        let targets: Vec<MorphTarget> = targets.collect();
        let primitives = indices.iter().map(|&(mode, indices)| {
            let mut primitive = primitive(keys[0], indices, material, mode);
            primitive.targets = (!targets.is_empty()).then(|| targets.clone());
            primitive
        });
        let primitives = primitives.collect();
        document.add_mesh(&part.name, primitives)
    }

    /// Computes the positions and unit normals of its vertices in a frame.
    fn compute_shape(&self, frame: &Frame, shape: &mut Shape) {
        shape.positions.clear();
        shape.normals.clear();
        let not_collapsing = self.vertices.len() - self.collapsing.len();
        let collapsing =
            self.collapsing.iter().map(|&(element, onto)| (!element.is_in(frame)).then_some(onto));
        let onto = std::iter::repeat_n(None, not_collapsing).chain(collapsing);
        for (&vertex, onto) in self.vertices.iter().zip(onto) {
            shape.positions.push(frame.positions[onto.unwrap_or(vertex) as usize]);
            let normal = glam::DVec3::from(frame.normals[vertex as usize].map(f64::from));
            let normal = normal.try_normalize().unwrap_or(glam::DVec3::Z);
            shape.normals.push(normal.to_array().map(|x| x as f32));
        }
    }
}

/// The positions and normals of a mesh at a key, or their differences from those at the first key.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
}

/// Computes the data of key frames: the shape of each mesh at the first key, and the difference
/// from that shape at each later key.
pub(super) struct Deltas<'a> {
    meshes: &'a [MorphMesh],
    /// The shape of each mesh at the first key.
    first: Vec<Shape>,
    /// A buffer for the shape of one mesh at a later key.
    current: Shape,
    /// Whether `first` is computed.
    has_first: bool,
}

impl<'a> Deltas<'a> {
    pub(super) fn new(meshes: &'a [MorphMesh]) -> Self {
        let first = vec![Shape::default(); meshes.len()];
        Self { meshes, first, current: Shape::default(), has_first: false }
    }

    /// Calls `write` with the index and the data of each mesh for `frame`, the next key.
    pub(super) fn compute(
        &mut self,
        frame: &Frame,
        mut write: impl FnMut(usize, &Shape) -> io::Result<()>,
    ) -> io::Result<()> {
        for (nth, mesh) in self.meshes.iter().enumerate() {
            let first = &mut self.first[nth];
            if !self.has_first {
                mesh.compute_shape(frame, first);
                write(nth, first)?;
                continue;
            }
            mesh.compute_shape(frame, &mut self.current);
            let subtract = |current: &mut [[f32; 3]], first: &[[f32; 3]]| {
                let current = current.as_flattened_mut().iter_mut();
                for (current, first) in current.zip(first.as_flattened()) {
                    *current -= first;
                }
            };
            subtract(&mut self.current.positions, &first.positions);
            subtract(&mut self.current.normals, &first.normals);
            write(nth, &self.current)?;
        }
        self.has_first = true;
        Ok(())
    }
}
