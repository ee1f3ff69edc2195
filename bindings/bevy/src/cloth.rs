//! Cloths: the component, and the model and mesh that are made from it.

use bevy_asset::RenderAssetUsages;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_mesh::{Indices, Mesh, PrimitiveTopology};
use bevy_reflect::prelude::*;
use bevy_transform::prelude::Transform;
use taut::world::{self as model, Model, SelfCollision, Tethers};
use taut::{Bending, Family};

use crate::error::TautError;
use crate::geometry::Welded;

/// The size of a rectangular cloth: see [`Cloth::sheet`].
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Particles from left to right, at least 2.
    pub columns: usize,
    /// Particles from top to bottom, at least 2.
    pub rows: usize,
    /// Width and height without the scale of the entity, m.
    pub size: Vec2,
}

/// A cloth, made from the mesh of its entity ([`Mesh3d`](bevy_mesh::Mesh3d)) or from a size.
///
/// The plugin gives the entity a mesh of its own, a copy, and writes positions and normals into it in
/// each frame. The cloth begins at the transform of its entity; from then on it moves freely in the
/// world, and only [`Pins`](crate::Pins) follow entities. If this component is changed, or another
/// `Mesh3d` is inserted for a cloth from a mesh, the cloth is built again, at rest. A change of the asset of the mesh
/// has no effect.
///
/// Vertices of the mesh at exactly the same position are one particle, so that a cloth does not
/// come apart where normals or texture coordinates have a seam. The topology of the mesh must be
/// `TriangleList`. Attributes other than positions and normals, such as tangents, are not changed.
///
/// ```
/// use bevy_taut::Cloth;
///
/// let flag = Cloth::sheet(48, 32, 0.03); // 48 by 32 particles, 3 cm apart
/// let cape = Cloth { density: 0.4, tear_factor: Some(1.5), ..Cloth::from_mesh() };
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[require(Transform)]
pub struct Cloth {
    /// The size of a rectangle. `None`, the default: the mesh of the entity.
    pub sheet: Option<Sheet>,
    /// Mass per area, kg/m². Default: 0.2, that of cotton.
    pub density: f32,
    /// Whether it resists bending. Default: true.
    pub resists_bending: bool,
    /// Whether its particles are tethered to pinned ones, so that it hardly stretches. Default: true.
    pub tethered: bool,
    /// The multiple of its rest length at which a stick tears. Default: `None`, never.
    pub tear_factor: Option<f32>,
    /// Whether it collides with itself and with other cloths and ropes that have this field set. Steps then
    /// take longer. Default: false.
    pub self_collision: bool,
}

impl Default for Cloth {
    fn default() -> Self {
        Self {
            sheet: None,
            density: 0.2,
            resists_bending: true,
            tethered: true,
            tear_factor: None,
            self_collision: false,
        }
    }
}

impl Cloth {
    /// A cloth from the mesh of its entity.
    pub fn from_mesh() -> Self {
        Self::default()
    }

    /// A rectangle of particles with this spacing, m, in the plane of x and y, with its centre at the origin
    /// of the entity and its top row towards +y. Particle i of row j from the top has the index `j * columns + i`. The
    /// plugin makes its mesh, with normals towards +z.
    pub fn sheet(columns: usize, rows: usize, spacing: f32) -> Self {
        let length = |particles: usize| particles.saturating_sub(1) as f32 * spacing;
        let size = Vec2::new(length(columns), length(rows));
        Self { sheet: Some(Sheet { columns, rows, size }), ..Self::default() }
    }

    /// Makes sticks tear at a multiple of their rest length.
    #[must_use]
    pub fn tearing_at(self, factor: f32) -> Self {
        Self { tear_factor: Some(factor), ..self }
    }

    /// The model of a mesh, in the space of the entity, multiplied by the entity's scale.
    pub(crate) fn model_of_mesh(
        &self,
        welded: &Welded,
        scale: [f64; 3],
    ) -> Result<Model, TautError> {
        let scaled = |position: &[f32; 3]| -> [f32; 3] {
            core::array::from_fn(|axis| (f64::from(position[axis]) * scale[axis]) as f32)
        };
        let positions: Vec<[f32; 3]> = welded.positions.iter().map(scaled).collect();
        let bending = if self.resists_bending { Bending::Sticks } else { Bending::Free };
        let model = Model::from_triangles(&positions, &welded.triangles, bending, self.density)?;
        self.with_properties(model)
    }

    /// The model of a rectangle, in the space of the entity, multiplied by the entity's scale.
    pub(crate) fn model_of_sheet(
        &self,
        sheet: &Sheet,
        scale: [f64; 3],
    ) -> Result<Model, TautError> {
        let Sheet { columns, rows, size } = *sheet;
        let scaled = |length: f32, axis: usize| (f64::from(length) * scale[axis].abs()) as f32;
        let families = if self.resists_bending { Family::BEND } else { Family::SHEAR };
        let cloth = model::Cloth {
            columns,
            rows,
            width: scaled(size.x, 0),
            height: scaled(size.y, 1),
            families: families.to_vec(),
            density: self.density,
            ..model::Cloth::default()
        };
        self.with_properties(Model::cloth(&cloth)?)
    }

    /// Adds the properties of this component that do not depend on how the model is built.
    fn with_properties(&self, model: Model) -> Result<Model, TautError> {
        with_properties(model, self.tethered, self.tear_factor, self.self_collision)
    }
}

/// Adds tethers, a tear factor and self-collision to a model.
pub(crate) fn with_properties(
    mut model: Model,
    tethered: bool,
    tear_factor: Option<f32>,
    self_collision: bool,
) -> Result<Model, TautError> {
    if tethered {
        model = model.tethered(Tethers::default())?;
    }
    if let Some(factor) = tear_factor {
        if factor.is_nan() || factor <= 1.0 {
            return Err(TautError::TearFactor { factor });
        }
        model = model.tearing_at(factor);
    }
    if self_collision {
        model = model.self_colliding(SelfCollision::default())?;
    }
    Ok(model)
}

/// The mesh of a rectangle: a vertex for each particle and a triangle for each face of the model, in the same
/// orders.
pub(crate) fn mesh_of_sheet(sheet: &Sheet, faces: &[[u32; 3]]) -> Mesh {
    let Sheet { columns, rows, size } = *sheet;
    let count = columns * rows;
    let uv = |particle: usize| {
        let (column, row) = (particle % columns, particle / columns);
        [column as f32 / (columns - 1) as f32, row as f32 / (rows - 1) as f32]
    };
    let uvs: Vec<[f32; 2]> = (0..count).map(uv).collect();
    let position = |&[u, v]: &[f32; 2]| [(u - 0.5) * size.x, (0.5 - v) * size.y, 0.0];
    let positions: Vec<[f32; 3]> = uvs.iter().map(position).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 0.0, 1.0]; count])
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U32(faces.as_flattened().to_vec()))
}
