//! Deformable parts as glTF meshes with morph targets.

use std::io;

use gltf_json::Index;
use gltf_json::accessor::Accessor;
use gltf_json::mesh::{Mode, MorphTarget};

use super::document::{Document, KeyTables, primitive};
use super::rods::Rods;
use crate::{Frame, Part, Stage};

/// The glTF mesh of a part: its vertices and primitives.
#[derive(Debug)]
pub(super) struct Skin {
    /// The index of the part.
    part: usize,
    /// For each vertex of the mesh the vertex of the stage. Corners of faces that will be removed are
    /// separate vertices at the end.
    vertices: Vec<u32>,
    /// For each of those at the end: its face, and the vertex onto which it collapses when removed.
    collapsing: Vec<(usize, u32)>,
    triangles: Vec<u32>,
    lines: Vec<u32>,
    points: bool,
}

impl Skin {
    /// The skins of all parts that are drawn as meshes; `torn` are the faces that are removed by the end,
    /// sorted.
    pub(super) fn all(stage: &Stage, torn: &[usize]) -> Vec<Self> {
        let skins =
            stage.parts.iter().enumerate().map(|(nth, part)| Self::of(stage, nth, part, torn));
        skins.filter(|skin| !skin.vertices.is_empty()).collect()
    }

    fn of(stage: &Stage, nth: usize, part: &Part, torn: &[usize]) -> Self {
        let first = part.vertices.start as u32;
        let mut skin = Self {
            part: nth,
            vertices: Vec::new(),
            collapsing: Vec::new(),
            triangles: Vec::new(),
            lines: Vec::new(),
            points: part.faces.is_empty() && part.sticks.is_empty(),
        };
        if !part.sticks.is_empty() && !Rods::are_nodes(stage) {
            let ends = stage.sticks[part.sticks.clone()].as_flattened();
            skin.lines = ends.iter().map(|end| end - first).collect();
        }
        if part.faces.is_empty() && skin.lines.is_empty() && !skin.points {
            return skin;
        }
        skin.vertices = part.vertices.clone().map(|vertex| vertex as u32).collect();
        for face in part.faces.clone() {
            let corners = stage.faces[face];
            if torn.binary_search(&face).is_ok() {
                for corner in corners {
                    skin.triangles.push(skin.vertices.len() as u32);
                    skin.vertices.push(corner);
                    skin.collapsing.push((face, corners[0]));
                }
            } else {
                skin.triangles.extend(corners.map(|corner| corner - first));
            }
        }
        skin
    }

    /// The number of vertices of the mesh.
    pub(super) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether it has faces, and so normals.
    pub(super) fn is_shaded(&self) -> bool {
        !self.triangles.is_empty()
    }

    pub(super) fn name<'a>(&self, stage: &'a Stage) -> &'a str {
        &stage.parts[self.part].name
    }

    /// Adds the index accessors of its primitives.
    pub(super) fn indices(&self, document: &mut Document) -> Vec<(Mode, Index<Accessor>)> {
        let points: Vec<u32> =
            if self.points { (0..self.len() as u32).collect() } else { Vec::new() };
        [(Mode::Triangles, &self.triangles), (Mode::Lines, &self.lines), (Mode::Points, &points)]
            .into_iter()
            .filter(|(_, indices)| !indices.is_empty())
            .map(|(mode, indices)| (mode, document.indices(indices)))
            .collect()
    }

    /// Adds the mesh with its morph targets.
    pub(super) fn mesh(
        &self,
        stage: &Stage,
        document: &mut Document,
        indices: &[(Mode, Index<Accessor>)],
        keys: &[KeyTables],
    ) -> Index<gltf_json::Mesh> {
        let part = &stage.parts[self.part];
        let material = document.material(part.look, self.part);
        let targets = keys[1..].iter().map(|tables| MorphTarget {
            positions: Some(tables.positions),
            normals: tables.normals,
            tangents: None,
        });
        let targets: Vec<MorphTarget> = targets.collect();
        let primitives = indices.iter().map(|&(mode, indices)| {
            let mut primitive = primitive(keys[0], indices, material, mode);
            primitive.targets = (!targets.is_empty()).then(|| targets.clone());
            primitive
        });
        let primitives = primitives.collect();
        document.deforming(&part.name, primitives)
    }

    /// Computes positions and unit normals of its vertices in a frame.
    fn fill(&self, frame: &Frame, shape: &mut Shape) {
        shape.positions.clear();
        shape.normals.clear();
        let own = self.vertices.len() - self.collapsing.len();
        let collapsing =
            self.collapsing.iter().map(|&(face, onto)| (!frame.has_face(face)).then_some(onto));
        let onto = std::iter::repeat_n(None, own).chain(collapsing);
        for (&vertex, onto) in self.vertices.iter().zip(onto) {
            shape.positions.push(frame.positions[onto.unwrap_or(vertex) as usize]);
            let normal = glam::DVec3::from(frame.normals[vertex as usize].map(f64::from));
            let normal = normal.try_normalize().unwrap_or(glam::DVec3::Z);
            shape.normals.push(normal.to_array().map(|x| x as f32));
        }
    }
}

/// Positions and normals of a skin.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
}

/// The data of key frames: the first has the shape of each skin, the others the difference from it.
pub(super) struct Deltas<'a> {
    skins: &'a [Skin],
    first: Vec<Shape>,
    now: Shape,
    begun: bool,
}

impl<'a> Deltas<'a> {
    pub(super) fn new(skins: &'a [Skin]) -> Self {
        let first = vec![Shape::default(); skins.len()];
        Self { skins, first, now: Shape::default(), begun: false }
    }

    /// Calls `take` with the data of each skin for the next frame.
    pub(super) fn of(
        &mut self,
        frame: &Frame,
        mut take: impl FnMut(usize, &Shape) -> io::Result<()>,
    ) -> io::Result<()> {
        for (nth, skin) in self.skins.iter().enumerate() {
            let first = &mut self.first[nth];
            if !self.begun {
                skin.fill(frame, first);
                take(nth, first)?;
                continue;
            }
            skin.fill(frame, &mut self.now);
            let off = |now: &mut [[f32; 3]], first: &[[f32; 3]]| {
                for (now, first) in now.as_flattened_mut().iter_mut().zip(first.as_flattened()) {
                    *now -= first;
                }
            };
            off(&mut self.now.positions, &first.positions);
            off(&mut self.now.normals, &first.normals);
            take(nth, &self.now)?;
        }
        self.begun = true;
        Ok(())
    }
}
