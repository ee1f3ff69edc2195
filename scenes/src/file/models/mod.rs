//! Tables of models: a name, a builder with its parameters, and keys that change the built model.

mod bodies;
mod changes;
mod copies;
mod lines;
mod particles;
mod sheets;

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_world::Model;

use super::error::{At, BuildError};
use super::triangles::TriangleReader;
use super::values::Vector;
use super::{Build, Context, exactly_one};
use bodies::{BasisTable, BoxTable, RagdollTable, RigidMeshTable, RigidTable, TetrahedronTable};
use changes::{Changes, GuideTable, RotationTable, SelfCollisionTable, SpringsTable, TethersTable};
use copies::CopiesTable;
use lines::{BridgeTable, PlantTable, RopeTable};
use particles::{EmitterTable, ParticlesTable};
use sheets::{BallTable, ClothTable, DiscTable, DrapeTable, HexSheetTable, MeshTable};

/// The parameters of one builder.
trait ModelBuilder<const D: usize> {
    fn model(&self, files: &TriangleReader) -> Result<Model<D>, BuildError>;
}

/// Implements [`ModelBuilder`] for a table: in the first two forms for one number of dimensions, in the
/// third for both. The first form also declares the table, for a 3D model.
macro_rules! builder {
    ($(#[$about:meta])* $table:ident { $($key:ident: $type:ty),* } => $model:expr) => {
        $(#[$about])*
        #[derive(Clone, Copy, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            $($key: $type,)*
        }

        builder! {
            3, $table => |table, _| {
                let $table { $($key),* } = *table;
                $model
            }
        }
    };
    ($dimensions:literal, $table:ty => |$this:ident, $files:pat_param| $model:expr) => {
        impl super::ModelBuilder<$dimensions> for $table {
            fn model(&self, $files: &TriangleReader) -> Result<Model<$dimensions>, BuildError> {
                let $this = self;
                Ok($model?)
            }
        }
    };
    (<$D:ident> $table:ty => |$this:ident, $files:pat_param| $model:expr) => {
        impl<const $D: usize> super::ModelBuilder<$D> for $table {
            fn model(&self, $files: &TriangleReader) -> Result<Model<$D>, BuildError> {
                let $this = self;
                Ok($model?)
            }
        }
    };
}
use builder;

/// A model that is built from its table, with its name.
pub(super) struct NamedModel<const D: usize> {
    pub(super) name: String,
    pub(super) model: Model<D>,
    /// If the scene gets copies of the model instead of the model itself: the offsets of the copies
    /// from it, m.
    pub(super) copies: Option<Vec<[f32; D]>>,
}

/// Declares the table of a model: the keys that all models have, and a key for each builder, of
/// which a model needs exactly one.
macro_rules! models {
    (
        $(#[$about:meta])*
        $table:ident: $dimensions:literal, turned: $rotation:ty {
            $($builder:ident: $options:ty),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            name: String,
            turned: Option<$rotation>,
            at: Option<Vector<$dimensions>>,
            velocity: Option<Vector<$dimensions>>,
            #[serde(default)]
            groups: BTreeMap<String, Vec<u32>>,
            #[serde(default)]
            pinned: Vec<String>,
            #[serde(default)]
            guided: Vec<GuideTable<$dimensions>>,
            stiffness: Option<f32>,
            compliance: Option<f32>,
            tears_at: Option<f32>,
            tethers: Option<TethersTable>,
            springs: Option<SpringsTable>,
            self_collision: Option<SelfCollisionTable>,
            copies: Option<CopiesTable<$dimensions>>,
            $($builder: Option<$options>,)*
        }

        impl Build<$dimensions> for $table {
            type Built = NamedModel<$dimensions>;

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, BuildError> {
                const BUILDERS: &[&str] = &[$(stringify!($builder)),*];
                let Self {
                    name, turned, at, velocity, groups, pinned, guided, stiffness, compliance,
                    tears_at, tethers, springs, self_collision, copies, $($builder),*
                } = self;
                let mut built = Vec::new();
                $(if let Some(builder) = $builder {
                    built.push(builder.model(context.files).at(stringify!($builder)));
                })*
                let table = format!("the model '{name}'");
                let model = exactly_one(&table, "builder", BUILDERS, built)??;
                let changes = Changes {
                    turned, at, velocity, groups, pinned, guided, stiffness, compliance, tears_at,
                    tethers, springs, self_collision,
                };
                let model = changes.apply(&name, model, context)?;
                let copies = copies.map(|copies| copies.positions(&model)).transpose();
                let copies = copies.at("copies")?;
                Ok(NamedModel { name, model, copies })
            }
        }
    };
}

models! {
    /// A model in 2D.
    Model2: 2, turned: f32 {
        cloth: ClothTable<2>,
        hex_sheet: HexSheetTable<2>,
        rope: RopeTable<2>,
        plant: PlantTable,
        ragdoll: RagdollTable,
        emitter: EmitterTable<2>,
        particles: ParticlesTable<2>,
    }
}

models! {
    /// A model in 3D.
    Model3: 3, turned: RotationTable {
        drape: DrapeTable,
        disc: DiscTable,
        ball: BallTable,
        cloth: ClothTable<3>,
        hex_sheet: HexSheetTable<3>,
        mesh: MeshTable,
        rope: RopeTable<3>,
        bridge: BridgeTable,
        plant: PlantTable,
        ragdoll: RagdollTable,
        tetrahedron: TetrahedronTable,
        basis: BasisTable,
        rigid: RigidTable,
        rigid_box: BoxTable,
        rigid_mesh: RigidMeshTable,
        emitter: EmitterTable<3>,
        particles: ParticlesTable<3>,
    }
}
