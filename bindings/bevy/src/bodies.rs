//! The data of each entity with a cloth or rope that is in the world.

use core::ops::Range;

use bevy_asset::{AssetId, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_mesh::{Indices, Mesh, VertexAttributeValues};
use taut::world::{Model, ModelError, REMOVED};

use crate::cloth::{Cloth, mesh_of_sheet};
use crate::error::TautError;
use crate::geometry::{NONE, weld};
use crate::motion::Placement;
use crate::pins::PinCandidates;
use crate::rope::{self, Rope, tube};

/// How a cloth or rope is drawn.
#[derive(Debug)]
pub(crate) enum Drawn {
    /// Each vertex of the mesh is at a particle.
    Vertices,
    /// As a tube of this radius, m.
    Tube(f32),
    /// Not at all.
    Nothing,
}

/// A soft body: a cloth or rope in the world.
#[derive(Debug)]
pub(crate) struct SoftBody {
    pub(crate) entity: Entity,
    /// The name of its model. A cloth that replaces another cloth of the same entity has a new name.
    pub(crate) name: String,
    /// Its model, at its initial positions in world space.
    pub(crate) model: Model,
    /// Its initial positions in the space of the entity, multiplied by the entity's scale, m.
    pub(crate) rest: Vec<[f32; 3]>,
    pub(crate) drawn: Drawn,
    /// The mesh that the user gave, if any. A cloth from a mesh is made from it; for a sheet or rope, the mesh of
    /// the plugin replaces it.
    pub(crate) source: Option<Handle<Mesh>>,
    /// The mesh that is drawn: a copy of `source`, or a mesh that the plugin made; none for a rope that is
    /// not drawn.
    pub(crate) mesh: Option<Handle<Mesh>>,
    /// The particle of each vertex of the mesh; empty if their indices are equal.
    pub(crate) particle_of: Vec<u32>,
    /// The first vertex of the mesh at each particle; empty if their indices are equal.
    vertex_of: Vec<u32>,
    /// The triangle of the mesh for each face of the model; empty if their indices are equal.
    triangle_of: Vec<u32>,
    /// Texture coordinates and colours of the vertices; empty if the mesh has none.
    uvs: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
    /// Its faces, with indices of its own particles; the corners of a removed face are [`REMOVED`].
    pub(crate) faces: Vec<[u32; 3]>,
    /// Its ranges of indices in the world.
    pub(crate) particles: Range<usize>,
    pub(crate) sticks: Range<usize>,
    pub(crate) triangles: Range<usize>,
    /// Triangles of the mesh that are to be collapsed when it is next drawn.
    pub(crate) torn_triangles: Vec<usize>,
    /// What was drawn last: the number of steps, the bits of the fraction by which positions were
    /// interpolated between two steps, and the transform.
    pub(crate) last_drawn: Option<(u64, u32, Affine3A)>,
    /// The pinned particles, with indices in the model, ascending.
    pub(crate) pins: Vec<Pin>,
    /// The entities that pins follow, with their transforms in the last tick.
    pub(crate) followed: Vec<(Entity, Affine3A)>,
    /// Whether `pins` agree with the component `Pins` of the entity: false for a new body, and after an error.
    pub(crate) pins_applied: bool,
}

/// A pinned particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pin {
    pub(crate) particle: usize,
    pub(crate) follow: Option<Entity>,
    /// Its position in the space of the entity that it follows.
    pub(crate) local: [f32; 3],
}

impl SoftBody {
    fn new(
        entity: Entity,
        name: String,
        model: Model,
        placement: &Placement,
    ) -> Result<Self, TautError> {
        let rest: Vec<[f32; 3]> = model.particles.points().collect();
        let faces = model.faces.to_vec();
        let mut this = Self {
            entity,
            name,
            model,
            rest,
            drawn: Drawn::Vertices,
            source: None,
            mesh: None,
            particle_of: Vec::new(),
            vertex_of: Vec::new(),
            triangle_of: Vec::new(),
            uvs: Vec::new(),
            colors: Vec::new(),
            faces,
            particles: 0..0,
            sticks: 0..0,
            triangles: 0..0,
            torn_triangles: Vec::new(),
            last_drawn: None,
            pins: Vec::new(),
            followed: Vec::new(),
            pins_applied: false,
        };
        this.place(placement)?;
        Ok(this)
    }

    /// Sets the positions of the model, in world space, to the initial positions at this placement.
    fn place(&mut self, placement: &Placement) -> Result<(), TautError> {
        for (particle, &local) in self.rest.iter().enumerate() {
            let position = placement.point(local.map(f64::from)).map(|x| x as f32);
            self.model.particles.set_position(particle, position).map_err(ModelError::from)?;
        }
        Ok(())
    }

    /// The body of a cloth. `source` is the mesh that the user gave the entity.
    pub(crate) fn of_cloth(
        entity: Entity,
        name: String,
        cloth: &Cloth,
        source: Option<&Handle<Mesh>>,
        meshes: &mut Assets<Mesh>,
        placement: &Placement,
    ) -> Result<Self, TautError> {
        if let Some(sheet) = &cloth.sheet {
            let model = cloth.model_of_sheet(sheet, placement.scale)?;
            let mesh = mesh_of_sheet(sheet, &model.faces);
            let mut body = Self::new(entity, name, model, placement)?;
            body.read_attributes(&mesh);
            body.source = source.cloned();
            body.mesh = Some(meshes.add(mesh));
            return Ok(body);
        }
        let source = source.ok_or(TautError::NoMesh)?;
        let mesh = meshes.get(source).ok_or(TautError::NoMesh)?;
        let welded = weld(mesh)?;
        let model = cloth.model_of_mesh(&welded, placement.scale)?;
        let mut copy = mesh.clone();
        copy.asset_usage = bevy_asset::RenderAssetUsages::default();
        let vertices = welded.particle_of.len();
        if copy.indices().is_none() {
            copy.insert_indices(Indices::U32((0..vertices as u32).collect()));
        }
        if !has_normals(&copy) {
            copy.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0_f32, 0.0, 1.0]; vertices]);
        }
        let mut body = Self::new(entity, name, model, placement)?;
        body.read_attributes(&copy);
        body.source = Some(source.clone());
        body.mesh = Some(meshes.add(copy));
        body.particle_of = welded.particle_of;
        body.vertex_of = welded.vertex_of;
        body.triangle_of = welded.triangle_of;
        Ok(body)
    }

    /// The body of a rope. `source` is the mesh that the user gave the entity.
    pub(crate) fn of_rope(
        entity: Entity,
        name: String,
        rope: &Rope,
        source: Option<&Handle<Mesh>>,
        meshes: &mut Assets<Mesh>,
        placement: &Placement,
    ) -> Result<Self, TautError> {
        let mut body = Self::new(entity, name, rope.model(placement.scale)?, placement)?;
        body.source = source.cloned();
        body.drawn = Drawn::Nothing;
        if rope.radius > 0.0 {
            body.drawn = Drawn::Tube(rope.radius);
            body.mesh = Some(meshes.add(tube(body.rest.len())));
        }
        Ok(body)
    }

    /// Stores the attributes of the mesh by which pins can select particles.
    fn read_attributes(&mut self, mesh: &Mesh) {
        if let Some(VertexAttributeValues::Float32x2(uvs)) = mesh.attribute(Mesh::ATTRIBUTE_UV_0) {
            self.uvs.clone_from(uvs);
        }
        if let Some(VertexAttributeValues::Float32x4(colors)) =
            mesh.attribute(Mesh::ATTRIBUTE_COLOR)
        {
            self.colors.clone_from(colors);
        }
    }

    /// The data by which pins select particles.
    pub(crate) fn pin_candidates(&self) -> PinCandidates<'_> {
        PinCandidates {
            positions: &self.rest,
            groups: &self.model.groups,
            vertex_of: &self.vertex_of,
            particle_of: &self.particle_of,
            uvs: &self.uvs,
            colors: &self.colors,
        }
    }

    /// Whether the body need not be made again, given the mesh that its entity has now. A body that was made from
    /// a mesh needs that mesh or its copy; any mesh is right for a sheet or rope.
    pub(crate) fn still_matches(&self, mesh: Option<AssetId<Mesh>>) -> bool {
        let mut own_meshes = [&self.mesh, &self.source].into_iter().flatten();
        // Sheets and ropes are not made from a mesh, so their vertices have the indices of particles.
        own_meshes.any(|own| Some(own.id()) == mesh) || self.particle_of.is_empty()
    }

    /// The mesh of this body, if the user has replaced it in the entity by `source`: it must be inserted again.
    pub(crate) fn mesh_to_restore(&self, mesh: Option<AssetId<Mesh>>) -> Option<&Handle<Mesh>> {
        let source = self.source.as_ref()?;
        self.mesh.as_ref().filter(|_| mesh == Some(source.id()))
    }

    /// The number of segments of a rope. The first sticks of its model are those of the segments, in order.
    fn segments(&self) -> usize {
        self.rest.len() - 1
    }

    /// Removes a face of the model, and the triangle of the mesh.
    pub(crate) fn remove_face(&mut self, face: usize) {
        self.faces[face] = [REMOVED; 3];
        let triangle = self.triangle_of.get(face).map_or(face, |triangle| *triangle as usize);
        self.torn_triangles.push(triangle);
    }

    /// Hides the segment of a rope whose stick has torn.
    pub(crate) fn remove_stick(&mut self, stick: usize) {
        if matches!(self.drawn, Drawn::Tube(_)) && stick < self.segments() {
            self.torn_triangles.extend(rope::triangles_of_segment(stick));
        }
    }

    /// The particle of a vertex of the mesh.
    pub(crate) fn particle_of(&self, vertex: usize) -> Option<usize> {
        match self.particle_of.get(vertex) {
            Some(&NONE) => None,
            Some(&particle) => Some(particle as usize),
            None => Some(vertex),
        }
    }
}

fn has_normals(mesh: &Mesh) -> bool {
    matches!(mesh.attribute(Mesh::ATTRIBUTE_NORMAL), Some(VertexAttributeValues::Float32x3(_)))
}
