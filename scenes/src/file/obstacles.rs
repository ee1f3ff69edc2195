//! Tables of obstacles: a shape, a surface, a path and a spin.

use std::sync::Arc;

use serde::Deserialize;
#[cfg(feature = "parry")]
use taut_world::{BodyContacts, Facing, TriMesh};
use taut_world::{
    Bounds, Capsule, Cuboid, HalfSpace, LimbContacts, Obstacle, Path, Shape, Solid, Sphere, Spin,
    Surface,
};

use super::error::{At, BuildError};
use super::options::options;
use super::paths::{PathTable, SpinTable};
use super::triangles::TriangleReader;
#[cfg(feature = "parry")]
use super::triangles::triangles;
use super::values::{Vector, non_negative, points};
use super::{Build, Context, exactly_one};

/// The parameters of one shape, or of one kind of contacts.
trait ObstacleKind<const D: usize> {
    fn obstacle(
        &self,
        common: &Common<D>,
        files: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, BuildError>;
}

/// The keys that the table of any obstacle may have, besides its shape. Each kind rejects those that
/// it does not use.
struct Common<const D: usize> {
    /// The key of the shape or kind of contacts.
    kind: &'static str,
    surface: Option<SurfaceTable>,
    path: Option<Path<D>>,
    spin: Option<Spin<D>>,
    swept: Option<bool>,
    edges: Option<bool>,
}

impl<const D: usize> Common<D> {
    /// Returns an error if the key `swept` or `edges` is given: meshes and contacts do not take them.
    fn check_no_swept_or_edges(&self) -> Result<(), BuildError> {
        for (key, value) in [("swept", self.swept), ("edges", self.edges)] {
            if value.is_some() {
                Err(format!("{} takes no '{key}'", self.kind)).at(key)?;
            }
        }
        Ok(())
    }

    /// Makes an obstacle of a shape given by a formula, with all common keys.
    fn finish_shape<S: Shape<D> + 'static>(
        &self,
        shape: S,
    ) -> Result<Arc<dyn Obstacle<D>>, BuildError> {
        let mut solid = Solid::new(shape);
        if self.swept == Some(true) {
            solid = solid.swept();
        }
        if self.edges == Some(true) {
            solid = solid.with_edges();
        }
        self.finish(solid)
    }

    /// Makes an obstacle of `solid` with the surface, path and spin.
    fn finish<S>(&self, solid: Solid<S, D>) -> Result<Arc<dyn Obstacle<D>>, BuildError>
    where
        Solid<S, D>: Obstacle<D> + 'static,
    {
        let surface = self.surface.as_ref().map(SurfaceTable::options).unwrap_or_default();
        let path = self.path.clone().unwrap_or_default();
        let mut solid = solid.with(surface).at("surface")?.along(path).at("path")?;
        if let Some(spin) = self.spin {
            solid = solid.turning(spin);
        }
        Ok(Arc::new(solid))
    }
}

/// Declares the table of an obstacle: the keys of [`Common`], and a key for each shape or kind of
/// contacts, of which an obstacle needs exactly one.
macro_rules! obstacles {
    (
        $(#[$about:meta])*
        $table:ident: $dimensions:literal {
            $($(#[$if:meta])* $shape:ident: $options:ty),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            surface: Option<SurfaceTable>,
            path: Option<PathTable<$dimensions>>,
            spin: Option<SpinTable<$dimensions>>,
            swept: Option<bool>,
            edges: Option<bool>,
            $($(#[$if])* $shape: Option<$options>,)*
        }

        impl Build<$dimensions> for $table {
            type Built = Arc<dyn Obstacle<$dimensions>>;

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, BuildError> {
                const SHAPES: &[&str] = &[$($(#[$if])* stringify!($shape)),*];
                let mut given: Vec<(&'static str, &dyn ObstacleKind<$dimensions>)> = Vec::new();
                $(
                    $(#[$if])*
                    given.extend(self.$shape.iter().map(|table| (stringify!($shape), table as _)));
                )*
                let (kind, parameters) = exactly_one("an obstacle", "shape", SHAPES, given)?;
                let common = Common {
                    kind,
                    surface: self.surface,
                    path: self.path.map(Into::into),
                    spin: self.spin.map(SpinTable::spin).transpose().at("spin")?,
                    swept: self.swept,
                    edges: self.edges,
                };
                parameters.obstacle(&common, context.files)
            }
        }
    };
}

obstacles! {
    /// An obstacle in 2D.
    Obstacle2: 2 {
        sphere: SphereTable<2>,
        capsule: CapsuleTable<2>,
        cuboid: CuboidTable<2>,
        tilted_cuboid: TiltedTable<2>,
        half_space: HalfSpaceTable<2>,
        bounds: BoundsTable<2>,
        limb_contacts: LimbContactsTable,
    }
}

obstacles! {
    /// An obstacle in 3D.
    Obstacle3: 3 {
        sphere: SphereTable<3>,
        capsule: CapsuleTable<3>,
        cuboid: CuboidTable<3>,
        tilted_cuboid: TiltedTable<3>,
        half_space: HalfSpaceTable<3>,
        bounds: BoundsTable<3>,
        limb_contacts: LimbContactsTable,
        #[cfg(feature = "parry")]
        mesh: MeshTable,
        #[cfg(feature = "parry")]
        body_contacts: BodyContactsTable,
    }
}

options! {
    /// The parameters of a [`Surface`].
    SurfaceTable => Surface {
        friction: f32,
        restitution: f32,
        restitution_threshold: f32,
        thickness: f32,
    }
}

/// Declares tables of shapes. All their keys are required. The expression after `=>` makes the shape
/// from the values of the keys.
macro_rules! shapes {
    ($(
        $(#[$about:meta])*
        $table:ident<$D:ident> { $($key:ident: $type:ty),* } => $shape:expr;
    )*) => { $(
        $(#[$about])*
        #[derive(Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $table<const $D: usize> {
            $($key: $type,)*
        }

        impl<const $D: usize> ObstacleKind<$D> for $table<$D> {
            fn obstacle(
                &self,
                common: &Common<$D>,
                _: &TriangleReader,
            ) -> Result<Arc<dyn Obstacle<$D>>, BuildError> {
                let Self { $($key),* } = self.clone();
                common.finish_shape($shape.at(common.kind)?)
            }
        }
    )* };
}

shapes! {
    /// The parameters of a [`Sphere`].
    SphereTable<D> { centre: Vector<D, f64>, radius: f64 } => Sphere::new(centre.into(), radius);
    /// The parameters of a [`Capsule`].
    CapsuleTable<D> { ends: [Vector<D, f64>; 2], radius: f64 }
        => Capsule::new(ends.map(Into::into), radius);
    /// The parameters of [`Cuboid::new`], an axis-aligned box.
    CuboidTable<D> { min: Vector<D, f64>, max: Vector<D, f64> }
        => Cuboid::new(min.into(), max.into());
    /// The parameters of [`Cuboid::oriented`]: a centre, and vectors from it to the centres of faces.
    TiltedTable<D> { centre: Vector<D, f64>, half_edges: Vec<Vector<D, f64>> } => {
        let half_edges = <[[f64; D]; D]>::try_from(points(&half_edges));
        let half_edges =
            half_edges.map_err(|found| format!("expected {D} half edges, found {}", found.len()));
        half_edges.at("half_edges").and_then(|half| Ok(Cuboid::oriented(centre.into(), half)?))
    };
    /// The parameters of a [`HalfSpace`].
    HalfSpaceTable<D> { point: Vector<D, f64>, normal: Vector<D, f64> }
        => HalfSpace::new(point.into(), normal.into());
    /// The parameters of [`Bounds`].
    BoundsTable<D> { min: Vector<D, f64>, max: Vector<D, f64> }
        => Bounds::new(min.into(), max.into());
}

options! {
    /// The parameters of [`LimbContacts`].
    LimbContactsTable => LimbContacts { friction: f32, margin: f32, own_limbs: bool }
}

impl<const D: usize> ObstacleKind<D> for LimbContactsTable {
    fn obstacle(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, BuildError> {
        if common.surface.is_some() || common.path.is_some() || common.spin.is_some() {
            Err("contacts between limbs take neither 'surface' nor 'path' nor 'spin'")?;
        }
        common.check_no_swept_or_edges()?;
        let contacts = self.options();
        non_negative("friction", "the friction of contacts between limbs", contacts.friction)
            .at(common.kind)?;
        non_negative("margin", "the margin of contacts between limbs, m,", contacts.margin)
            .at(common.kind)?;
        Ok(Arc::new(contacts))
    }
}

/// The parameters of [`BodyContacts`], besides the surface, which is the common key `surface`.
#[cfg(feature = "parry")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyContactsTable {
    margin: Option<f32>,
}

#[cfg(feature = "parry")]
impl ObstacleKind<3> for BodyContactsTable {
    fn obstacle(
        &self,
        common: &Common<3>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle>, BuildError> {
        if common.path.is_some() || common.spin.is_some() {
            Err("contacts between bodies take neither 'path' nor 'spin'")?;
        }
        common.check_no_swept_or_edges()?;
        let default = BodyContacts::default();
        let margin = self.margin.unwrap_or(default.margin);
        let surface = common
            .surface
            .as_ref()
            .map_or(default.surface, |table| table.applied_to(default.surface));
        Ok(Arc::new(BodyContacts {
            surface: surface.checked().at("surface")?,
            margin: non_negative("margin", "the margin of contacts between bodies, m,", margin)
                .at(common.kind)?,
        }))
    }
}

#[cfg(feature = "parry")]
triangles! {
    /// The parameters of a [`TriMesh`].
    MeshTable { facing: FacingWord }
}

/// A value of [`Facing`].
#[cfg(feature = "parry")]
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FacingWord {
    Front,
    Both,
}

#[cfg(feature = "parry")]
impl ObstacleKind<3> for MeshTable {
    fn obstacle(
        &self,
        common: &Common<3>,
        files: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle>, BuildError> {
        common.check_no_swept_or_edges()?;
        let (positions, triangles) = self.read(files).at(common.kind)?;
        let facing = match self.facing {
            FacingWord::Front => Facing::Front,
            FacingWord::Both => Facing::Both,
        };
        let mesh = TriMesh::new(&positions, &triangles, facing).at(common.kind)?;
        common.finish(Solid::mesh(mesh))
    }
}
