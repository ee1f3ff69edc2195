//! Tables of forces.

use std::sync::Arc;

use serde::Deserialize;
use taut_world::{
    Acceleration, Attractor, Drag, Field, Force, Gusts, Law, ModelError, Region, Sampling, Wind,
    WindLaw,
};

use super::error::{At, BuildError};
use super::values::{Vector, finite, non_negative, position, vector};
use super::{Build, Context, exactly_one};

/// The parameters of one kind of force.
trait ForceKind<const D: usize> {
    fn force(&self, target: Target<D>) -> Result<Arc<dyn Force<D>>, BuildError>;
}

/// The particles on which a force acts: those that satisfy both conditions.
struct Target<const D: usize> {
    /// The region in which the force acts. None: everywhere.
    within: Option<Region<D>>,
    /// The name of the groups on whose particles it acts, in all models. None: on all particles.
    on: Option<String>,
}

impl<const D: usize> Target<D> {
    /// The force field of a law, limited to the target.
    fn field(self, law: impl Law<D> + 'static) -> Arc<dyn Force<D>> {
        let mut field = Field::new(law).within(self.within.unwrap_or_default());
        if let Some(group) = self.on {
            field = field.on(group);
        }
        Arc::new(field)
    }
}

/// Declares the table of a force: the particles on which it acts, and a key for each kind, of which
/// a force needs exactly one.
macro_rules! forces {
    (
        $(#[$about:meta])*
        $table:ident: $dimensions:literal { $($kind:ident: $options:ty),* $(,)? }
    ) => {
        $(#[$about])*
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            within: Option<RegionTable<$dimensions>>,
            on: Option<String>,
            $($kind: Option<$options>,)*
        }

        impl Build<$dimensions> for $table {
            type Built = Arc<dyn Force<$dimensions>>;

            fn build(self, context: &Context<$dimensions>) -> Result<Self::Built, BuildError> {
                const KINDS: &[&str] = &[$(stringify!($kind)),*];
                let mut given: Vec<(&'static str, &dyn ForceKind<$dimensions>)> = Vec::new();
                $(given.extend(self.$kind.iter().map(|kind| (stringify!($kind), kind as _)));)*
                let (key, kind) = exactly_one("a force", "kind", KINDS, given)?;
                let within = self.within.map(RegionTable::region).transpose().at("within")?;
                if let Some(group) = &self.on
                    && !context.groups.contains(group)
                {
                    let error = format!("a force acts on the group '{group}', which no model has");
                    Err(error).at("on")?;
                }
                kind.force(Target { within, on: self.on.clone() }).at(key)
            }
        }
    };
}

forces! {
    /// A force in 2D.
    Force2: 2 { drag: DragTable<2>, acceleration: Vector<2>, attractor: AttractorTable<2> }
}

forces! {
    /// A force in 3D.
    Force3: 3 {
        wind: WindTable,
        drag: DragTable<3>,
        acceleration: Vector<3>,
        attractor: AttractorTable<3>,
    }
}

/// The parameters of a [`Region`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum RegionTable<const D: usize> {
    Ball { centre: Vector<D>, radius: f32 },
    Box { from: Vector<D>, to: Vector<D> },
    Behind { normal: Vector<D>, offset: f32 },
}

impl<const D: usize> RegionTable<D> {
    fn region(self) -> Result<Region<D>, ModelError> {
        Ok(match self {
            Self::Ball { centre, radius } => Region::Ball {
                centre: position("centre", "the centre of a region, m,", centre)?,
                radius: non_negative("radius", "the radius of a region, m,", radius)?,
            },
            Self::Box { from, to } => {
                let from = position("from", "a corner of a region, m,", from)?;
                let to = position("to", "a corner of a region, m,", to)?;
                for (from, to) in from.into_iter().zip(to) {
                    non_negative("to", "the width of a region, m,", to - from)?;
                }
                Region::Box { from, to }
            }
            Self::Behind { normal, offset } => {
                let normal = vector("normal", "the normal of a region", normal)?;
                let length =
                    normal.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
                let what = "the length of the normal of a region";
                ModelError::check("normal", what, length, 1e-12.., "at least 1e-12")?;
                let offset = finite("offset", "the offset of a region", offset)?;
                Region::Behind { normal, offset }
            }
        })
    }
}

/// The parameters of a [`Wind`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindTable {
    velocity: Vector<3>,
    gusts: Option<GustsTable>,
    law: Option<WindLawTable>,
    sampling: Option<SamplingWord>,
}

/// A value of [`Sampling`].
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SamplingWord {
    Step,
    Substep,
}

/// The parameters of [`Gusts`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GustsTable {
    strength: f32,
    size: f32,
    seed: u64,
}

/// The parameters of a [`WindLaw`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum WindLawTable {
    Normal { pressure: f32 },
    Plate { density: f32, drag: f32, lift: f32 },
}

impl WindLawTable {
    fn law(self) -> Result<WindLaw, ModelError> {
        Ok(match self {
            Self::Normal { pressure } => WindLaw::Normal {
                pressure: non_negative("pressure", "the pressure of a wind, N s/m³,", pressure)?,
            },
            Self::Plate { density, drag, lift } => WindLaw::Plate {
                density: non_negative("density", "the density of a wind, kg/m³,", density)?,
                drag: non_negative("drag", "the drag of a wind", drag)?,
                lift: non_negative("lift", "the lift of a wind", lift)?,
            },
        })
    }
}

impl ForceKind<3> for WindTable {
    fn force(&self, target: Target<3>) -> Result<Arc<dyn Force>, BuildError> {
        if target.within.is_some() || target.on.is_some() {
            Err("a wind acts on all faces: it takes neither 'within' nor 'on'")?;
        }
        let mut wind =
            Wind::new(vector("velocity", "the velocity of a wind, m/s,", self.velocity)?);
        if let Some(GustsTable { strength, size, seed }) = self.gusts {
            wind.gusts = Some(Gusts::new(strength, size, seed).at("gusts")?);
        }
        match self.sampling {
            None => {}
            Some(SamplingWord::Step) => wind.sampling = Sampling::Step,
            Some(SamplingWord::Substep) => wind.sampling = Sampling::Substep,
        }
        if let Some(law) = self.law {
            wind.law = law.law().at("law")?;
        }
        Ok(Arc::new(wind))
    }
}

/// The parameters of a [`Drag`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DragTable<const D: usize> {
    #[serde(default)]
    linear: f32,
    #[serde(default)]
    quadratic: f32,
    air: Option<Vector<D>>,
}

impl<const D: usize> ForceKind<D> for DragTable<D> {
    fn force(&self, target: Target<D>) -> Result<Arc<dyn Force<D>>, BuildError> {
        let air = self.air.map(|air| vector("air", "the velocity of air, m/s,", air));
        Ok(target.field(Drag {
            linear: non_negative("linear", "the linear drag, kg/s,", self.linear)?,
            quadratic: non_negative("quadratic", "the quadratic drag, kg/m,", self.quadratic)?,
            air: air.transpose()?.unwrap_or([0.0; D]),
        }))
    }
}

/// [`Acceleration`], whose only parameter is this vector.
impl<const D: usize> ForceKind<D> for Vector<D> {
    fn force(&self, target: Target<D>) -> Result<Arc<dyn Force<D>>, BuildError> {
        Ok(target.field(Acceleration(vector("acceleration", "an acceleration, m/s²,", *self)?)))
    }
}

/// The parameters of an [`Attractor`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttractorTable<const D: usize> {
    place: Vector<D>,
    strength: f32,
    softening: f32,
}

impl<const D: usize> ForceKind<D> for AttractorTable<D> {
    fn force(&self, target: Target<D>) -> Result<Arc<dyn Force<D>>, BuildError> {
        let what = "the strength of an attractor, m³/s²,";
        // The `f32` nearest to 1e24 is a little above it, and is accepted.
        let limit = f64::from(1e24_f32);
        ModelError::check(
            "strength",
            what,
            self.strength.into(),
            -limit..=limit,
            "from -1e24 to 1e24",
        )?;
        Ok(target.field(Attractor {
            position: position("place", "the position of an attractor, m,", self.place)?,
            strength: self.strength,
            softening: non_negative(
                "softening",
                "the softening of an attractor, m,",
                self.softening,
            )?,
        }))
    }
}
