//! Scenes as TOML text. Keys are the parameters of builders, forces and obstacles.

mod error;
mod forces;
mod models;
mod numbers;
mod obstacles;
mod options;
mod paths;
mod triangles;
mod values;

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use taut_core::{Formula, Step};
use taut_world::{Force, Model, ModelError, Obstacle, Scene, Settings};
use toml::Spanned;

use crate::AnyScene;

use numbers::place_of;
use values::{OrderWord, Vector};

pub use error::SceneFileError;
pub use triangles::{TriangleReader, Triangles};

/// Why an entry cannot be built.
type Complaint = Box<dyn Error>;

/// An error about a byte range of the text.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct SpannedError {
    span: Range<usize>,
    message: String,
}

/// What entries need besides their own text.
struct Context<'a, const D: usize> {
    files: &'a TriangleReader<'a>,
    settings: Settings<D>,
    /// The names of the groups of all models.
    groups: BTreeSet<String>,
}

impl<const D: usize> Context<'_, D> {
    /// The length of a substep, s.
    fn h(&self) -> f32 {
        self.settings.step.dt / self.settings.step.substeps as f32
    }
}

/// A table that builds a model, force or obstacle.
trait Build<const D: usize>: DeserializeOwned {
    type Built;

    fn build(self, context: &Context<D>) -> Result<Self::Built, Complaint>;
}

/// Parsed first: the dimensions decide which keys are valid.
#[derive(Deserialize)]
struct Head {
    dimensions: Option<Spanned<u64>>,
}

/// The tables of a scene file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "M: Build<D>, F: Build<D>, O: Build<D>")]
struct Text<M, F, O, const D: usize> {
    #[serde(rename = "dimensions")]
    _dimensions: Option<u64>,
    #[serde(default)]
    formula: Formula,
    #[serde(default)]
    order: Option<OrderWord>,
    #[serde(default)]
    step: Option<Spanned<StepText<D>>>,
    #[serde(default = "Vec::new")]
    model: Vec<Spanned<M>>,
    #[serde(default = "Vec::new")]
    force: Vec<Spanned<F>>,
    #[serde(default = "Vec::new")]
    obstacle: Vec<Spanned<O>>,
}

/// The table `step`; absent keys are as in [`Settings::default`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText<const D: usize> {
    dt: Option<f32>,
    substeps: Option<u32>,
    iterations: Option<u32>,
    passes: Option<u32>,
    gravity: Option<Vector<D>>,
    damping_rate: Option<f32>,
    /// Of earlier versions: a share per substep. Refused, with the rate to write instead.
    damping: Option<Spanned<f32>>,
}

impl<const D: usize> StepText<D> {
    fn change(&self, settings: &mut Settings<D>) -> Result<(), Complaint> {
        let step = &mut settings.step;
        step.dt = self.dt.unwrap_or(step.dt);
        step.substeps = self.substeps.unwrap_or(step.substeps);
        step.iterations = self.iterations.unwrap_or(step.iterations);
        step.acceleration = self.gravity.map_or(step.acceleration, Into::into);
        step.damping_rate = self.damping_rate.unwrap_or(step.damping_rate);
        settings.passes = self.passes.unwrap_or(settings.passes);
        step.motion()?;
        settings.check()?;
        if let Some(share) = &self.damping {
            let message = self.damping_rate_for(*share.get_ref(), settings.step.dt);
            return Err(SpannedError { span: share.span(), message }.into());
        }
        Ok(())
    }

    /// The hint for replacing `damping`, a share of the velocity lost per substep. Old files
    /// without `substeps` had one.
    fn damping_rate_for(&self, share: f32, dt: f32) -> String {
        let substeps = self.substeps.unwrap_or(1);
        let renamed = "\"damping\" is now \"damping_rate\", in 1/s";
        if !(0.0..=1.0).contains(&share) {
            return format!("{renamed}, and {share} is not a share from 0 to 1");
        }
        let rate = Step::<D>::rate_of_share(share, dt / substeps as f32);
        // At most four digits.
        let rate: f64 = format!("{rate:.3e}").parse().unwrap_or(f64::NAN);
        let plural = if substeps == 1 { "" } else { "s" };
        format!(
            "{renamed}: write damping_rate = {rate:?} for the same motion at {substeps} substep{plural}"
        )
    }
}

impl AnyScene {
    /// Reads a scene written in TOML: `dimensions` (2 or 3; default: 3), `formula`, `order`, a
    /// table `step`, and any number of `model`, `force` and `obstacle`. Their keys are the
    /// parameters of the builders of the same name; the folder `files` of this crate has examples.
    ///
    /// Besides its one builder a model may have `turned`, `at` and `velocity`; `groups` of
    /// particles by name; groups that are `pinned`, or `guided` along a path; `stiffness`,
    /// `compliance` and `tears_at` of all its sticks; and `springs`, which then take the place of
    /// its sticks. They are applied in this order.
    ///
    /// ```
    /// use taut_scenes::AnyScene;
    ///
    /// let scene = AnyScene::from_toml(
    ///     r#"
    ///     [step]
    ///     substeps = 4
    ///     iterations = 1
    ///
    ///     [[model]]
    ///     name = "sheet"
    ///     drape = { size = 16 }
    ///     "#,
    /// )?;
    /// assert_eq!((scene.dimensions(), scene.particles()), (3, 256));
    ///
    /// let error = AnyScene::from_toml("[step]\nsubstep = 4").unwrap_err();
    /// assert_eq!(error.line, 2);
    /// assert!(error.to_string().contains("unknown field `substep`"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The error and its line (that of its table, if a number occurs there more than once): text
    /// that is not TOML, an unknown key, a value that a builder refuses, a model that
    /// [`Scene::add`] refuses, the file of a mesh.
    pub fn from_toml(text: &str) -> Result<Self, SceneFileError> {
        Self::from_toml_with(text, &|file| {
            Err(format!("mesh files are not supported here, found {file}"))?
        })
    }

    /// As [`from_toml`](Self::from_toml), for a text whose meshes may be in other files: instead of
    /// `positions` and `triangles` a `file`, and a factor for its coordinates, `scale`. `files`
    /// reads them. It gets each name as written, which may be `../secret` or `/etc/passwd`: a
    /// reader takes the path from `taut_mesh::path_below`, which allows only files in the folder of
    /// the scene and below.
    ///
    /// ```
    /// use taut_scenes::AnyScene;
    ///
    /// let text = r#"
    ///     [[model]]
    ///     name = "kerchief"
    ///     mesh = { file = "kerchief.obj", scale = 0.01, density = 0.2 }
    ///     pinned = ["top"]
    /// "#;
    /// let scene = AnyScene::from_toml_with(text, &|file| {
    ///     assert_eq!(file, "kerchief.obj"); // which the crate `taut-mesh` would read
    ///     Ok((vec![[0.0, 0.0, 0.0], [50.0, 0.0, 0.0], [0.0, 50.0, 0.0]], vec![[0, 1, 2]]))
    /// })?;
    /// assert_eq!(scene.particles(), 3);
    /// # Ok::<(), taut_scenes::SceneFileError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_toml`](Self::from_toml), and errors of `files`, with the line of the file; and if
    /// all files together have more than 2²⁴ vertices or 2²⁶ triangles. A file that is named twice
    /// counts twice.
    pub fn from_toml_with(text: &str, files: &TriangleReader) -> Result<Self, SceneFileError> {
        let files = &triangles::limited(files);
        let head: Head = parse(text)?;
        match head.dimensions {
            None => Ok(Self::Solid(solid(text, files)?)),
            Some(dimensions) => match dimensions.get_ref() {
                2 => Ok(Self::Flat(flat(text, files)?)),
                3 => Ok(Self::Solid(solid(text, files)?)),
                other => Err(SceneFileError::at(
                    text,
                    dimensions.span(),
                    format_args!("a scene has 2 or 3 dimensions, not {other}"),
                )),
            },
        }
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, SceneFileError> {
    toml::from_str(text).map_err(|error| SceneFileError::of_toml(text, &error))
}

fn flat(text: &str, files: &TriangleReader) -> Result<Scene<2>, SceneFileError> {
    scene::<models::Flat, forces::Flat, obstacles::Flat, 2>(text, files)
}

fn solid(text: &str, files: &TriangleReader) -> Result<Scene<3>, SceneFileError> {
    scene::<models::Solid, forces::Solid, obstacles::Solid, 3>(text, files)
}

fn scene<M, F, O, const D: usize>(
    text: &str,
    files: &TriangleReader,
) -> Result<Scene<D>, SceneFileError>
where
    M: Build<D, Built = (String, Model<D>)>,
    F: Build<D, Built = Arc<dyn Force<D>>>,
    O: Build<D, Built = Arc<dyn Obstacle<D>>>,
{
    let read: Text<M, F, O, D> = parse(text)?;
    let order = read.order.map(Into::into);
    let mut scene = Scene::new();
    (scene.formula, scene.order) = (read.formula, order);
    if let Some(step) = read.step {
        let span = step.span();
        let changed = step.into_inner().change(&mut scene.settings);
        changed.map_err(|error| refused(text, ("step", 0), span, &*error))?;
    }
    let mut context = Context { files, settings: scene.settings, groups: BTreeSet::new() };
    for (nth, model) in read.model.into_iter().enumerate() {
        let span = model.span();
        let (name, model) = build(text, ("model", nth), model, &context)?;
        context.groups.extend(model.groups.keys().cloned());
        scene.add(name, model).map_err(|error| SceneFileError::at(text, span, error))?;
    }
    for (nth, force) in read.force.into_iter().enumerate() {
        scene.forces.push(build(text, ("force", nth), force, &context)?);
    }
    for (nth, obstacle) in read.obstacle.into_iter().enumerate() {
        scene.obstacles.push(build(text, ("obstacle", nth), obstacle, &context)?);
    }
    Ok(scene)
}

fn build<B: Build<D>, const D: usize>(
    text: &str,
    entry: (&str, usize),
    read: Spanned<B>,
    context: &Context<D>,
) -> Result<B::Built, SceneFileError> {
    let span = read.span();
    read.into_inner().build(context).map_err(|error| refused(text, entry, span, &*error))
}

/// An error about an entry of a list of tables that spans `table`; it points to the wrong number if
/// that is unique.
fn refused(
    text: &str,
    (key, nth): (&str, usize),
    table: Range<usize>,
    error: &(dyn Error + 'static),
) -> SceneFileError {
    let number = match error.downcast_ref() {
        Some(ModelError::Measure { value, .. }) => Some(*value),
        _ => None,
    };
    let there = error.downcast_ref().map(|SpannedError { span, .. }| span.clone());
    let place = there.or_else(|| place_of(text, key, nth, number?));
    SceneFileError::at(text, place.unwrap_or(table), error)
}
