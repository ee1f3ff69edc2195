//! Tables of obstacles: a shape, a surface, a path and a spin.

use std::sync::Arc;

use serde::Deserialize;
#[cfg(feature = "parry")]
use taut_world::{BodyContacts, Facing, TriMesh};
use taut_world::{
    Bounds, Capsule, Cuboid, HalfSpace, LimbContacts, Obstacle, Path, Shape, Solid as Moving,
    Sphere, Spin, Surface,
};

use super::options::options;
use super::paths::{PathText, SpinText};
use super::triangles::TriangleReader;
#[cfg(feature = "parry")]
use super::triangles::{Triangles, triangles};
use super::values::{Vector, not_negative, points};
use super::{Build, Complaint, Context};

/// A shape, with its parameters.
trait Make<const D: usize> {
    fn make(
        &self,
        common: &Common<D>,
        files: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint>;
}

/// The keys that all shapes have.
struct Common<const D: usize> {
    surface: Option<SurfaceText>,
    path: Option<Path<D>>,
    spin: Option<Spin<D>>,
}

impl<const D: usize> Common<D> {
    fn of(&self, shape: impl Shape<D> + 'static) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        self.finish(Moving::new(shape))
    }

    fn finish<S>(&self, made: Moving<S, D>) -> Result<Arc<dyn Obstacle<D>>, Complaint>
    where
        Moving<S, D>: Obstacle<D> + 'static,
    {
        let mut made = made
            .with(self.surface.as_ref().map(SurfaceText::options).unwrap_or_default())?
            .along(self.path.clone().unwrap_or_default())?;
        if let Some(spin) = self.spin {
            made = made.turning(spin);
        }
        Ok(Arc::new(made))
    }
}

/// Declares the table of an obstacle: keys that all have, and one for each shape, of which exactly
/// one is required.
macro_rules! obstacles {
    (
        $(#[$about:meta])*
        $text:ident: $dimensions:literal {
            $($(#[$if:meta])* $shape:ident: $options:ty),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $text {
            surface: Option<SurfaceText>,
            path: Option<PathText<$dimensions>>,
            spin: Option<SpinText<$dimensions>>,
            $($(#[$if])* $shape: Option<$options>,)*
        }

        impl Build<$dimensions> for $text {
            type Built = Arc<dyn Obstacle<$dimensions>>;

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, Complaint> {
                const SHAPES: &[&str] = &[$($(#[$if])* stringify!($shape)),*];
                let common = Common {
                    surface: self.surface,
                    path: self.path.map(Into::into),
                    spin: self.spin.map(|text| text.spin()).transpose()?,
                };
                let mut made = Vec::new();
                $($(#[$if])* made.extend(self.$shape.as_ref().map(|shape| shape.make(&common, context.files)));)*
                let [obstacle] = <[_; 1]>::try_from(made).map_err(|made| {
                    let (given, shapes) = (made.len(), SHAPES.join(", "));
                    format!("an obstacle needs exactly one shape, found {given}; there are: {shapes}")
                })?;
                obstacle
            }
        }
    };
}

obstacles! {
    /// An obstacle in the plane.
    Flat: 2 {
        sphere: SphereText<2>,
        capsule: CapsuleText<2>,
        cuboid: CuboidText<2>,
        tilted_cuboid: TiltedText<2>,
        half_space: HalfSpaceText<2>,
        bounds: BoundsText<2>,
        limb_contacts: LimbContactsText,
    }
}

obstacles! {
    /// An obstacle in space.
    Solid: 3 {
        sphere: SphereText<3>,
        capsule: CapsuleText<3>,
        cuboid: CuboidText<3>,
        tilted_cuboid: TiltedText<3>,
        half_space: HalfSpaceText<3>,
        bounds: BoundsText<3>,
        limb_contacts: LimbContactsText,
        #[cfg(feature = "parry")]
        mesh: MeshText,
        #[cfg(feature = "parry")]
        body_contacts: BodyContactsText,
    }
}

options! {
    SurfaceText => Surface {
        friction: f32,
        restitution: f32,
        restitution_threshold: f32,
        thickness: f32,
    }
}

/// [`Sphere`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SphereText<const D: usize> {
    centre: Vector<D, f64>,
    radius: f64,
}

impl<const D: usize> Make<D> for SphereText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        common.of(Sphere::new(self.centre.into(), self.radius)?)
    }
}

/// [`Capsule`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CapsuleText<const D: usize> {
    ends: [Vector<D, f64>; 2],
    radius: f64,
}

impl<const D: usize> Make<D> for CapsuleText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        common.of(Capsule::new(self.ends.map(Into::into), self.radius)?)
    }
}

/// [`Cuboid::new`]: axis-aligned.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CuboidText<const D: usize> {
    min: Vector<D, f64>,
    max: Vector<D, f64>,
}

impl<const D: usize> Make<D> for CuboidText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        common.of(Cuboid::new(self.min.into(), self.max.into())?)
    }
}

/// [`Cuboid::oriented`]: a centre and half edges.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TiltedText<const D: usize> {
    centre: Vector<D, f64>,
    half_edges: Vec<Vector<D, f64>>,
}

impl<const D: usize> Make<D> for TiltedText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        let edges = points(&self.half_edges);
        let edges = <[[f64; D]; D]>::try_from(edges);
        let edges =
            edges.map_err(|edges| format!("{} half edges where {D} belong", edges.len()))?;
        common.of(Cuboid::oriented(self.centre.into(), edges)?)
    }
}

/// [`HalfSpace`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HalfSpaceText<const D: usize> {
    point: Vector<D, f64>,
    normal: Vector<D, f64>,
}

impl<const D: usize> Make<D> for HalfSpaceText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        common.of(HalfSpace::new(self.point.into(), self.normal.into())?)
    }
}

/// [`Bounds`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsText<const D: usize> {
    min: Vector<D, f64>,
    max: Vector<D, f64>,
}

impl<const D: usize> Make<D> for BoundsText<D> {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        common.of(Bounds::new(self.min.into(), self.max.into())?)
    }
}

options! {
    LimbContactsText => LimbContacts { friction: f32, margin: f32 }
}

impl<const D: usize> Make<D> for LimbContactsText {
    fn make(
        &self,
        common: &Common<D>,
        _: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle<D>>, Complaint> {
        if common.surface.is_some() || common.path.is_some() || common.spin.is_some() {
            Err("contacts between limbs take neither 'surface' nor 'path' nor 'spin'")?;
        }
        let limbs = self.options();
        not_negative("the friction of contacts between limbs", limbs.friction)?;
        not_negative("the margin of contacts between limbs, m,", limbs.margin)?;
        Ok(Arc::new(limbs))
    }
}

/// [`BodyContacts`]; their surface is the key `surface`.
#[cfg(feature = "parry")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyContactsText {
    margin: Option<f32>,
}

#[cfg(feature = "parry")]
impl Make<3> for BodyContactsText {
    fn make(&self, common: &Common<3>, _: &TriangleReader) -> Result<Arc<dyn Obstacle>, Complaint> {
        if common.path.is_some() || common.spin.is_some() {
            Err("contacts between bodies take neither 'path' nor 'spin'")?;
        }
        let usual = BodyContacts::default();
        let margin = self.margin.unwrap_or(usual.margin);
        let surface =
            common.surface.as_ref().map_or(usual.surface, |text| text.over(usual.surface));
        Ok(Arc::new(BodyContacts {
            surface: surface.checked()?,
            margin: not_negative("the margin of contacts between bodies, m,", margin)?,
        }))
    }
}

#[cfg(feature = "parry")]
triangles! {
    /// [`TriMesh`].
    MeshText { facing: FacingWord }
}

#[cfg(feature = "parry")]
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FacingWord {
    Front,
    Both,
}

#[cfg(feature = "parry")]
impl Make<3> for MeshText {
    fn make(
        &self,
        common: &Common<3>,
        files: &TriangleReader,
    ) -> Result<Arc<dyn Obstacle>, Complaint> {
        let (positions, triangles) = self.read(files)?;
        let facing = match self.facing {
            FacingWord::Front => Facing::Front,
            FacingWord::Both => Facing::Both,
        };
        common.finish(Moving::mesh(TriMesh::new(&positions, &triangles, facing)?))
    }
}
