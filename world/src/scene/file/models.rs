//! Models, as they are written: a name, a builder with what it takes, and what is done then.

use serde::Deserialize;

use super::options::options;
use super::values::{AxesText, BendingWord, DiagonalsWord, Families, KindWord, Set, Vector};
use super::{Build, Complaint, Context};
use crate::model::{Bridge, Cloth, HexSheet, Model, ModelError, Plant, Ragdoll, Rope};

/// A builder, with what it takes.
trait Make<const D: usize> {
    fn make(&self) -> Result<Model<D>, ModelError>;
}

/// Declares the table of a model: keys that all models have, and one for each builder, of which
/// one must be there.
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
            pinned: Vec<String>,
            tears_at: Option<f32>,
            $($builder: Option<$options>,)*
        }

        impl Build<$dimensions> for $text {
            type Built = (String, Model<$dimensions>);

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, Complaint> {
                const BUILDERS: &[&str] = &[$(stringify!($builder)),*];
                let mut made = Vec::new();
                $(made.extend(self.$builder.as_ref().map(Make::make));)*
                let [model] = <[_; 1]>::try_from(made).map_err(|made| {
                    format!(
                        "the model '{}' has {} builders where one belongs, of: {}",
                        self.name,
                        made.len(),
                        BUILDERS.join(", ")
                    )
                })?;
                let mut model = model?;
                if let Some(turned) = self.turned {
                    model = turned.turn(model)?;
                }
                if let Some(at) = self.at {
                    model = model.moved(at.into());
                }
                if let Some(velocity) = self.velocity {
                    model = model.moving_at(velocity.into(), context.h());
                }
                for group in self.pinned {
                    if !model.groups.contains_key(&group) {
                        let groups: Vec<&str> = model.groups.keys().map(|name| &**name).collect();
                        let of = &self.name;
                        Err(format!("'{of}' has no group '{group}' but: {}", groups.join(", ")))?;
                    }
                    model = model.pinned(&group);
                }
                if let Some(factor) = self.tears_at {
                    model = model.tearing_at(factor);
                }
                Ok((self.name, model))
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
    }
}

models! {
    /// A model in space.
    Solid: 3, turned: Turned {
        drape: DrapeText,
        cloth: ClothText<3>,
        hex_sheet: HexSheetText<3>,
        mesh: MeshText,
        rope: RopeText<3>,
        bridge: BridgeText,
        plant: PlantText,
        ragdoll: RagdollText,
        tetrahedron: TetrahedronText,
        basis: BasisText,
        rigid_box: BoxText,
        rigid_mesh: RigidMeshText,
    }
}

/// About an axis through the origin.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turned {
    axis: Vector<3>,
    /// Radians.
    angle: f32,
}

/// How a model is turned.
trait Turn<const D: usize> {
    fn turn(self, model: Model<D>) -> Result<Model<D>, ModelError>;
}

impl Turn<2> for f32 {
    fn turn(self, model: Model<2>) -> Result<Model<2>, ModelError> {
        model.turned(self)
    }
}

impl Turn<3> for Turned {
    fn turn(self, model: Model<3>) -> Result<Model<3>, ModelError> {
        model.turned(self.axis.into(), self.angle)
    }
}

/// [`Model::drape`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrapeText {
    size: usize,
    sticks: Option<Set>,
}

impl Make<3> for DrapeText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::drape(self.size, self.sticks.map(Into::into).unwrap_or_default())
    }
}

options! {
    /// [`Model::cloth`].
    ClothText<const D: usize> => Cloth<D> {
        columns: usize,
        rows: usize,
        width: f32,
        height: f32,
        axes: AxesText<D>,
        families: Families,
        density: f32,
        diagonals: DiagonalsWord,
    }
}

impl<const D: usize> Make<D> for ClothText<D> {
    fn make(&self) -> Result<Model<D>, ModelError> {
        Model::cloth(&self.options())
    }
}

options! {
    /// [`Model::hex_sheet`].
    HexSheetText<const D: usize> => HexSheet<D> {
        columns: usize,
        rows: usize,
        spacing: f32,
        axes: AxesText<D>,
        bending: BendingWord,
        density: f32,
    }
}

impl<const D: usize> Make<D> for HexSheetText<D> {
    fn make(&self) -> Result<Model<D>, ModelError> {
        Model::hex_sheet(&self.options())
    }
}

/// [`Model::from_triangles`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshText {
    positions: Vec<Vector<3>>,
    triangles: Vec<[u32; 3]>,
    bending: Option<BendingWord>,
    density: f32,
}

impl Make<3> for MeshText {
    fn make(&self) -> Result<Model, ModelError> {
        let positions: Vec<[f32; 3]> = self.positions.iter().map(|&point| point.into()).collect();
        let bending = self.bending.map(Into::into).unwrap_or_default();
        Model::from_triangles(&positions, &self.triangles, bending, self.density)
    }
}

options! {
    /// [`Model::rope`].
    RopeText<const D: usize> => Rope {
        spacing: f32,
        density: f32,
        kind: KindWord,
        bending: f32,
    }
    own { path: Vec<Vector<D>> }
}

impl<const D: usize> Make<D> for RopeText<D> {
    fn make(&self) -> Result<Model<D>, ModelError> {
        let path: Vec<[f32; D]> = self.path.iter().map(|&point| point.into()).collect();
        Model::rope(&path, &self.options())
    }
}

options! {
    /// [`Model::bridge`].
    BridgeText => Bridge {
        planks: usize,
        ropes: usize,
        width: f32,
        sag: f32,
        rails: f32,
        plank_mass: f32,
        density: f32,
    }
    own { from: Vector<3>, to: Vector<3> }
}

impl Make<3> for BridgeText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::bridge(self.from.into(), self.to.into(), &self.options())
    }
}

options! {
    /// [`Model::plant`].
    PlantText => Plant {
        height: f32,
        pieces: usize,
        levels: u32,
        angle: f32,
        leaf: f32,
        thickness: f32,
        wood_density: f32,
        leaf_density: f32,
        stiffness: f32,
        seed: u64,
    }
}

impl<const D: usize> Make<D> for PlantText {
    fn make(&self) -> Result<Model<D>, ModelError> {
        Model::plant(&self.options())
    }
}

options! {
    /// `Model::ragdoll`.
    RagdollText => Ragdoll { height: f32, mass: f32, posture: f32 }
}

impl Make<2> for RagdollText {
    fn make(&self) -> Result<Model<2>, ModelError> {
        Model::<2>::ragdoll(&self.options())
    }
}

impl Make<3> for RagdollText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::<3>::ragdoll(&self.options())
    }
}

/// [`Model::tetrahedron`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TetrahedronText {
    edge: f32,
    mass: f32,
}

impl Make<3> for TetrahedronText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::tetrahedron(self.edge, self.mass)
    }
}

/// [`Model::basis`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BasisText {
    edge: f32,
    mass: f32,
}

impl Make<3> for BasisText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::basis(self.edge, self.mass)
    }
}

/// [`Model::rigid_box`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoxText {
    size: Vector<3>,
    density: f64,
}

impl Make<3> for BoxText {
    fn make(&self) -> Result<Model, ModelError> {
        Model::rigid_box(self.size.into(), self.density)
    }
}

/// [`Model::rigid_mesh`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RigidMeshText {
    positions: Vec<Vector<3>>,
    triangles: Vec<[u32; 3]>,
    density: f64,
}

impl Make<3> for RigidMeshText {
    fn make(&self) -> Result<Model, ModelError> {
        let vertices: Vec<[f32; 3]> = self.positions.iter().map(|&point| point.into()).collect();
        Model::rigid_mesh(&vertices, &self.triangles, self.density)
    }
}
