//! Tables of models: a name, a builder with its parameters, and changes to the built model.

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_core::{Duplicates, INVERSE_MASS_MAX, INVERSE_MASS_MIN, Particles, Sticks};
use taut_world::{
    Bridge, Cloth, Emission, HexSheet, MassProperties, Model, ModelError, Plant, Ragdoll, Rope,
    Source, Spring, Springs, Tethers,
};

use super::options::options;
use super::paths::{PathText, SpinText};
use super::triangles::{TriangleReader, Triangles, triangles};
use super::values::{
    AxesText, BendingWord, DiagonalsWord, Families, KindWord, Set, Vector, place, points, vector,
};
use super::{Build, Complaint, Context};

/// A builder, with its parameters.
trait Make<const D: usize> {
    fn make(&self, files: &TriangleReader) -> Result<Model<D>, Complaint>;
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
            $($builder: Option<$options>,)*
        }

        impl Build<$dimensions> for $text {
            type Built = (String, Model<$dimensions>);

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, Complaint> {
                const BUILDERS: &[&str] = &[$(stringify!($builder)),*];
                let mut made = Vec::new();
                $(made.extend(self.$builder.as_ref().map(|it| it.make(context.files)));)*
                let [model] = <[_; 1]>::try_from(made).map_err(|made| {
                    format!(
                        "the model '{}' needs exactly one builder, found {}; there are: {}",
                        self.name,
                        made.len(),
                        BUILDERS.join(", ")
                    )
                })?;
                let mut model = model?;
                let moves = self.turned.is_some() || self.velocity.is_some();
                if moves && !model.emitters.is_empty() {
                    Err(format!(
                        "the model '{}' is an emitter: turn its source, and set its velocity there",
                        self.name
                    ))?;
                }
                let of_sticks = [self.stiffness, self.compliance, self.tears_at];
                if self.springs.is_some() && of_sticks.iter().any(Option::is_some) {
                    Err(format!(
                        "the model '{}' has springs instead of sticks: it takes neither \
                         'stiffness' nor 'compliance' nor 'tears_at'",
                        self.name
                    ))?;
                }
                if let Some(turned) = self.turned {
                    model = turned.turn(model)?;
                }
                if let Some(at) = self.at {
                    model = model.moved(place("where a model is, m,", at)?);
                }
                if let Some(velocity) = self.velocity {
                    let velocity = vector("the velocity of a model, m/s,", velocity)?;
                    model = model.moving_at(velocity, context.h());
                }
                for (group, particles) in self.groups {
                    model = model.with_group(group, particles)?;
                }
                for group in self.pinned {
                    model = with_known_group(&self.name, &group, model)?.pinned(&group);
                }
                for GuideText { group, path, spin } in self.guided {
                    let spin = spin.map(SpinText::spin).transpose()?;
                    let path = path.map(Into::into).unwrap_or_default();
                    model = with_known_group(&self.name, &group, model)?.guided(&group, path, spin)?;
                }
                for stick in 0..model.sticks.len() {
                    if let Some(stiffness) = self.stiffness {
                        model.sticks.set_stiffness(stick, stiffness)?;
                    }
                    if let Some(compliance) = self.compliance {
                        model.sticks.set_compliance(stick, compliance)?;
                    }
                }
                if let Some(factor) = self.tears_at {
                    let stretch = "the stretch at which sticks tear";
                    ModelError::check(stretch, factor.into(), 1.0.., "at least 1 and finite")?;
                    model = model.tearing_at(factor);
                }
                if let Some(TethersText { slack, anchors }) = self.tethers {
                    model = model.tethered(Tethers { slack, anchors })?;
                }
                if let Some(SpringsText { stiffness, damping }) = self.springs {
                    model = model.sprung(stiffness, damping)?;
                }
                Ok((self.name, model))
            }
        }
    };
}

/// Returns the model if it has a group of that name.
fn with_known_group<const D: usize>(
    of: &str,
    group: &str,
    model: Model<D>,
) -> Result<Model<D>, Complaint> {
    if model.groups.contains_key(group) {
        return Ok(model);
    }
    let groups: Vec<&str> = model.groups.keys().map(|name| &**name).collect();
    let groups = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
    Err(format!("'{of}' has no group '{group}'; its groups are: {groups}"))?
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

/// A rotation about an axis through the origin.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turned {
    axis: Vector<3>,
    /// Radians.
    angle: f32,
}

/// A rotation of a model.
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

/// Declares the table of a hanging mesh: a size and a set of sticks.
macro_rules! hanging {
    ($($(#[$about:meta])* $text:ident => $builder:expr;)*) => { $(
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $text {
            size: usize,
            sticks: Option<Set>,
        }

        impl Make<3> for $text {
            fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
                Ok($builder(self.size, self.sticks.map(Into::into).unwrap_or_default())?)
            }
        }
    )* };
}

hanging! {
    /// [`Model::drape`].
    DrapeText => Model::drape;
    /// [`Model::disc`].
    DiscText => Model::disc;
    /// [`Model::sphere`]; not the obstacle.
    BallText => Model::sphere;
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
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        Ok(Model::cloth(&self.options())?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        Ok(Model::hex_sheet(&self.options())?)
    }
}

triangles! {
    /// [`Model::from_triangles`].
    MeshText { bending: Option<BendingWord>, density: f32 }
}

impl Make<3> for MeshText {
    fn make(&self, files: &TriangleReader) -> Result<Model, Complaint> {
        let (positions, triangles) = self.read(files)?;
        let bending = self.bending.map(Into::into).unwrap_or_default();
        Ok(Model::from_triangles(&positions, &triangles, bending, self.density)?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        let path = points(&self.path);
        Ok(Model::rope(&path, &self.options())?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        Ok(Model::bridge(self.from.into(), self.to.into(), &self.options())?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        Ok(Model::plant(&self.options())?)
    }
}

options! {
    /// `Model::ragdoll`.
    RagdollText => Ragdoll { height: f32, mass: f32, posture: f32 }
}

impl Make<2> for RagdollText {
    fn make(&self, _: &TriangleReader) -> Result<Model<2>, Complaint> {
        Ok(Model::<2>::ragdoll(&self.options())?)
    }
}

impl Make<3> for RagdollText {
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        Ok(Model::<3>::ragdoll(&self.options())?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        Ok(Model::tetrahedron(self.edge, self.mass)?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        Ok(Model::basis(self.edge, self.mass)?)
    }
}

/// [`Model::rigid`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RigidText {
    mass: f64,
    centre: Vector<3, f64>,
    inertia: [[f64; 3]; 3],
}

impl Make<3> for RigidText {
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        let Self { mass, centre, inertia } = *self;
        Ok(Model::rigid(&MassProperties { mass, centre: centre.into(), inertia })?)
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
    fn make(&self, _: &TriangleReader) -> Result<Model, Complaint> {
        Ok(Model::rigid_box(self.size.into(), self.density)?)
    }
}

triangles! {
    /// [`Model::rigid_mesh`].
    RigidMeshText { density: f64 }
}

impl Make<3> for RigidMeshText {
    fn make(&self, files: &TriangleReader) -> Result<Model, Complaint> {
        let (vertices, triangles) = self.read(files)?;
        Ok(Model::rigid_mesh(&vertices, &triangles, self.density)?)
    }
}

options! {
    /// [`Model::emitter`].
    EmitterText<const D: usize> => Emission<D> {
        source: SourceText<D>,
        rate: f64,
        velocity: Vector<D>,
        normal_speed: f32,
        spread: f32,
        lifetime: [f64; 2],
        mass: f32,
        seed: u64,
        group: String,
    }
}

impl<const D: usize> Make<D> for EmitterText<D> {
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        Ok(Model::emitter(self.options())?)
    }
}

/// [`Source`].
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum SourceText<const D: usize> {
    Point(Vector<D>),
    Disc { centre: Vector<D>, axes: [Vector<D>; 2] },
    Polygons(Vec<[Vector<D>; 3]>),
}

impl<const D: usize> From<SourceText<D>> for Source<D> {
    fn from(text: SourceText<D>) -> Self {
        match text {
            SourceText::Point(place) => Self::Point(place.into()),
            SourceText::Disc { centre, axes } => {
                Self::Disc { centre: centre.into(), axes: axes.map(Into::into) }
            }
            SourceText::Polygons(triangles) => {
                Self::Polygons(triangles.into_iter().map(|it| it.map(Into::into)).collect())
            }
        }
    }
}

/// Particles one by one, with sticks and springs between them: [`Model::new`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParticlesText<const D: usize> {
    positions: Vec<Vector<D>>,
    /// kg.
    masses: Vec<f64>,
    #[serde(default)]
    sticks: Vec<[u32; 2]>,
    #[serde(default)]
    springs: Vec<SpringText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpringText {
    ends: [u32; 2],
    rest: f32,
    stiffness: f32,
    damping: f32,
}

impl<const D: usize> Make<D> for ParticlesText<D> {
    fn make(&self, _: &TriangleReader) -> Result<Model<D>, Complaint> {
        let positions = points(&self.positions);
        let sane = 1.0 / INVERSE_MASS_MAX..=1.0 / INVERSE_MASS_MIN;
        let inverse = |&mass: &f64| {
            let mass = ModelError::check("a mass, kg,", mass, sane.clone(), "from 1e-9 to 1e9")?;
            Ok((1.0 / mass) as f32)
        };
        let inverse_masses: Vec<f32> =
            self.masses.iter().map(inverse).collect::<Result<_, ModelError>>()?;
        let particles = Particles::new(&positions, &inverse_masses)?;
        let sticks = Sticks::joining(&particles, &self.sticks, Duplicates::Keep)?;
        let ends: Vec<[u32; 2]> = self.springs.iter().map(|spring| spring.ends).collect();
        let spring = |&SpringText { rest, stiffness, damping, .. }: &SpringText| Spring {
            rest,
            stiffness,
            damping,
        };
        let springs: Vec<Spring> = self.springs.iter().map(spring).collect();
        let springs = Springs::new(particles.len(), &ends, &springs)?;
        Ok(Model { springs, ..Model::new(particles, sticks) })
    }
}

/// [`Model::sprung`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpringsText {
    stiffness: f32,
    damping: f32,
}

/// [`Model::tethered`].
#[derive(Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as { slack = 1.0, anchors = 4 }")]
struct TethersText {
    slack: f32,
    anchors: u32,
}

impl Default for TethersText {
    fn default() -> Self {
        let Tethers { slack, anchors } = Tethers::default();
        Self { slack, anchors }
    }
}

/// [`Model::guided`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
struct GuideText<const D: usize> {
    group: String,
    path: Option<PathText<D>>,
    spin: Option<SpinText<D>>,
}
