//! Tables of models: a name, a builder with its parameters, and changes to the built model.

mod bodies;
mod changes;
mod copies;
mod lines;
mod particles;
mod sheets;

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_world::Model;

use super::error::{At, Complaint};
use super::triangles::TriangleReader;
use super::values::Vector;
use super::{Build, Context, only};
use bodies::{BasisText, BoxText, RagdollText, RigidMeshText, RigidText, TetrahedronText};
use changes::{Changes, GuideText, SpringsText, TethersText, Turned};
use copies::CopiesText;
use lines::{BridgeText, PlantText, RopeText};
use particles::{EmitterText, ParticlesText};
use sheets::{BallText, ClothText, DiscText, DrapeText, HexSheetText, MeshText};

/// A builder, with its parameters.
trait Make<const D: usize> {
    fn make(&self, files: &TriangleReader) -> Result<Model<D>, Complaint>;
}

/// Declares what a table makes, with a reader of mesh files; and the table, if it has all keys of
/// a model in space.
macro_rules! make {
    ($(#[$about:meta])* $text:ident { $($key:ident: $type:ty),* } => $made:expr) => {
        $(#[$about])*
        #[derive(Clone, Copy, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $text {
            $($key: $type,)*
        }

        make! {
            3, $text => |text, _| {
                let $text { $($key),* } = *text;
                $made
            }
        }
    };
    ($dimensions:literal, $text:ty => |$it:ident, $files:pat_param| $made:expr) => {
        impl super::Make<$dimensions> for $text {
            fn make(&self, $files: &TriangleReader) -> Result<Model<$dimensions>, Complaint> {
                let $it = self;
                Ok($made?)
            }
        }
    };
    (<$D:ident> $text:ty => |$it:ident, $files:pat_param| $made:expr) => {
        impl<const $D: usize> super::Make<$D> for $text {
            fn make(&self, $files: &TriangleReader) -> Result<Model<$D>, Complaint> {
                let $it = self;
                Ok($made?)
            }
        }
    };
}
use make;

/// What a table makes: a model, or copies of it at these places from its own.
pub(super) struct NamedModel<const D: usize> {
    pub(super) name: String,
    pub(super) model: Model<D>,
    pub(super) places: Option<Vec<[f32; D]>>,
}

/// Declares the table of a model: keys that all models have, and one for each builder, of which
/// exactly one is required.
macro_rules! models {
    (
        $(#[$about:meta])*
        $text:ident: $dimensions:literal, turned: $turned:ty {
            $($builder:ident: $options:ty),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $text {
            name: String,
            turned: Option<$turned>,
            at: Option<Vector<$dimensions>>,
            velocity: Option<Vector<$dimensions>>,
            #[serde(default)]
            groups: BTreeMap<String, Vec<u32>>,
            #[serde(default)]
            pinned: Vec<String>,
            #[serde(default)]
            guided: Vec<GuideText<$dimensions>>,
            stiffness: Option<f32>,
            compliance: Option<f32>,
            tears_at: Option<f32>,
            tethers: Option<TethersText>,
            springs: Option<SpringsText>,
            copies: Option<CopiesText<$dimensions>>,
            $($builder: Option<$options>,)*
        }

        impl Build<$dimensions> for $text {
            type Built = NamedModel<$dimensions>;

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, Complaint> {
                const BUILDERS: &[&str] = &[$(stringify!($builder)),*];
                let Self {
                    name, turned, at, velocity, groups, pinned, guided, stiffness, compliance,
                    tears_at, tethers, springs, copies, $($builder),*
                } = self;
                let mut made = Vec::new();
                $(made.extend($builder.map(|it| it.make(context.files).at(stringify!($builder))));)*
                let model = only(&format!("the model '{name}'"), "builder", BUILDERS, made)??;
                let changes = Changes {
                    turned, at, velocity, groups, pinned, guided, stiffness, compliance, tears_at,
                    tethers, springs,
                };
                let model = changes.apply(&name, model, context)?;
                let places = copies.map(CopiesText::places).transpose().at("copies")?;
                Ok(NamedModel { name, model, places })
            }
        }
    };
}

models! {
    /// A model in the plane.
    Flat: 2, turned: f32 {
        cloth: ClothText<2>,
        hex_sheet: HexSheetText<2>,
        rope: RopeText<2>,
        plant: PlantText,
        ragdoll: RagdollText,
        emitter: EmitterText<2>,
        particles: ParticlesText<2>,
    }
}

models! {
    /// A model in space.
    Solid: 3, turned: Turned {
        drape: DrapeText,
        disc: DiscText,
        ball: BallText,
        cloth: ClothText<3>,
        hex_sheet: HexSheetText<3>,
        mesh: MeshText,
        rope: RopeText<3>,
        bridge: BridgeText,
        plant: PlantText,
        ragdoll: RagdollText,
        tetrahedron: TetrahedronText,
        basis: BasisText,
        rigid: RigidText,
        rigid_box: BoxText,
        rigid_mesh: RigidMeshText,
        emitter: EmitterText<3>,
        particles: ParticlesText<3>,
    }
}
