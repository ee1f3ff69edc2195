//! Scenes as TOML text. Keys are the parameters of builders, forces and obstacles.

mod error;
mod forces;
mod models;
mod obstacles;
mod options;
mod paths;
mod triangles;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use taut_core::{Formula, Step, check_limit};
use taut_world::{Force, Obstacle, Scene, Settings};

use crate::AnyScene;

use error::{At, Complaint};
use models::NamedModel;
use values::{OrderWord, Vector};

pub use error::SceneFileError;
pub use triangles::{TriangleReader, Triangles};

/// The most copies of models, times the length of the text: all that a text says of a model (names,
/// groups, paths) is there for each copy.
const COPIED_MAX: usize = 1 << 30;

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
    dimensions: Option<u64>,
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
    step: Option<StepText<D>>,
    #[serde(default = "Vec::new")]
    model: Vec<M>,
    #[serde(default = "Vec::new")]
    force: Vec<F>,
    #[serde(default = "Vec::new")]
    obstacle: Vec<O>,
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
    damping: Option<f32>,
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
        if let Some(share) = self.damping {
            Err(self.damping_rate_for(share, settings.step.dt)).at("damping")?;
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
    /// `compliance` and `tears_at` of all its sticks; `springs`, which then take the place of
    /// its sticks; and places of `copies`. They are applied in this order.
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
    /// The error and the line of the value, or of the table that lacks one: text that is not TOML, an unknown key, a value that a builder refuses, a model that
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
        let read = || match toml::from_str::<Head>(text)?.dimensions.unwrap_or(3) {
            2 => flat(text, files).map(Self::Flat),
            3 => solid(text, files).map(Self::Solid),
            other => Err(format!("a scene has 2 or 3 dimensions, not {other}")).at("dimensions"),
        };
        read().map_err(|error| SceneFileError::new(text, &error))
    }
}

fn flat(text: &str, files: &TriangleReader) -> Result<Scene<2>, Complaint> {
    scene::<models::Flat, forces::Flat, obstacles::Flat, 2>(text, files)
}

fn solid(text: &str, files: &TriangleReader) -> Result<Scene<3>, Complaint> {
    scene::<models::Solid, forces::Solid, obstacles::Solid, 3>(text, files)
}

fn scene<M, F, O, const D: usize>(text: &str, files: &TriangleReader) -> Result<Scene<D>, Complaint>
where
    M: Build<D, Built = NamedModel<D>>,
    F: Build<D, Built = Arc<dyn Force<D>>>,
    O: Build<D, Built = Arc<dyn Obstacle<D>>>,
{
    let read: Text<M, F, O, D> = toml::from_str(text)?;
    let order = read.order.map(Into::into);
    let mut scene = Scene::new();
    (scene.formula, scene.order) = (read.formula, order);
    if let Some(step) = read.step {
        step.change(&mut scene.settings).at("step")?;
    }
    let mut context = Context { files, settings: scene.settings, groups: BTreeSet::new() };
    for (nth, model) in read.model.into_iter().enumerate() {
        let NamedModel { name, model, places } = model.build(&context).at(nth).at("model")?;
        context.groups.extend(model.groups.keys().cloned());
        match places {
            None => scene.add(name, model),
            Some(places) => {
                let bytes = places.len() as u128 * text.len() as u128;
                let counted =
                    check_limit("copies, times the bytes of the file,", bytes, COPIED_MAX);
                counted.at("copies").at(nth).at("model")?;
                scene.add_copies(&name, &model, places)
            }
        }
        .at(nth)
        .at("model")?;
    }
    for (nth, force) in read.force.into_iter().enumerate() {
        scene.forces.push(force.build(&context).at(nth).at("force")?);
    }
    for (nth, obstacle) in read.obstacle.into_iter().enumerate() {
        scene.obstacles.push(obstacle.build(&context).at(nth).at("obstacle")?);
    }
    Ok(scene)
}

/// The only one that is `given` of the keys of a table that exclude each other.
fn only<T>(table: &str, kind: &str, known: &[&str], given: Vec<T>) -> Result<T, Complaint> {
    let [only] = <[T; 1]>::try_from(given).map_err(|given| {
        let (found, known) = (given.len(), known.join(", "));
        format!("{table} needs exactly one {kind}, found {found}; there are: {known}")
    })?;
    Ok(only)
}
