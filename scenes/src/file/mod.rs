//! Scenes as TOML text: a table for each model, force, obstacle and tie.

mod deserializer;
mod error;
mod forces;
mod models;
mod obstacles;
mod options;
mod paths;
mod ties;
mod triangles;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use taut_core::{Formula, Step, check_limit};
use taut_world::{Force, Obstacle, Scene, Settings, Sleep};

use crate::AnyScene;

use deserializer::{ReadError, TomlValue, parse, read};
use error::{At, BuildError};
use models::NamedModel;
use ties::TieTable;
use values::{OrderWord, Vector};

pub use error::SceneFileError;
pub use triangles::{TriangleReader, Triangles};

/// Limit of the number of copies of all models, multiplied by the length of the scene file in bytes.
/// Each copy has its own names, groups and paths, so this limits the memory that copies take.
const COPIED_BYTES_MAX: usize = 1 << 30;

/// What a model, force or obstacle is built from, besides its own table.
struct Context<'a, const D: usize> {
    /// Reads mesh files.
    files: &'a TriangleReader<'a>,
    settings: Settings<D>,
    /// The names of the groups of all models built so far.
    groups: BTreeSet<String>,
}

impl<const D: usize> Context<'_, D> {
    /// The length of a substep, s.
    fn substep_length(&self) -> f32 {
        self.settings.step.dt / self.settings.step.substeps as f32
    }
}

/// A table that builds a model, force or obstacle.
trait Build<const D: usize>: DeserializeOwned {
    type Built;

    fn build(self, context: &Context<D>) -> Result<Self::Built, BuildError>;
}

/// The keys and tables of a scene file. The types of its entries are `M` for models, `F` for forces
/// and `O` for obstacles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "M: Build<D>, F: Build<D>, O: Build<D>")]
struct SceneTable<M, F, O, const D: usize> {
    /// Read first, by [`dimensions`], because it decides which keys are valid; this field makes the key known.
    #[serde(rename = "dimensions")]
    _dimensions: Option<u64>,
    #[serde(default)]
    formula: Formula,
    #[serde(default)]
    order: Option<OrderWord>,
    #[serde(default)]
    step: Option<StepTable<D>>,
    #[serde(default)]
    sleep: Option<SleepTable>,
    #[serde(default = "Vec::new")]
    model: Vec<M>,
    #[serde(default)]
    tie: Vec<TieTable>,
    #[serde(default = "Vec::new")]
    force: Vec<F>,
    #[serde(default = "Vec::new")]
    obstacle: Vec<O>,
}

/// The table `sleep`; an absent key keeps the value of [`Sleep::default`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SleepTable {
    speed: Option<f32>,
    time: Option<f32>,
}

impl SleepTable {
    fn build(&self) -> Result<Sleep, BuildError> {
        let Sleep { speed, time } = Sleep::default();
        let sleep = Sleep { speed: self.speed.unwrap_or(speed), time: self.time.unwrap_or(time) };
        sleep.check()?;
        Ok(sleep)
    }
}

/// The table `step`; an absent key keeps the value of [`Settings::default`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTable<const D: usize> {
    dt: Option<f32>,
    substeps: Option<u32>,
    iterations: Option<u32>,
    passes: Option<u32>,
    gravity: Option<Vector<D>>,
    damping_rate: Option<f32>,
    /// The key of earlier versions: the fraction of the velocity lost per substep. It is rejected;
    /// the error states the equivalent `damping_rate`.
    damping: Option<f32>,
}

impl<const D: usize> StepTable<D> {
    /// Overrides the settings whose keys are given, and checks the result.
    fn apply_to(&self, settings: &mut Settings<D>) -> Result<(), BuildError> {
        let step = &mut settings.step;
        step.dt = self.dt.unwrap_or(step.dt);
        step.substeps = self.substeps.unwrap_or(step.substeps);
        step.iterations = self.iterations.unwrap_or(step.iterations);
        step.acceleration = self.gravity.map_or(step.acceleration, Into::into);
        step.damping_rate = self.damping_rate.unwrap_or(step.damping_rate);
        settings.passes = self.passes.unwrap_or(settings.passes);
        step.motion()?;
        settings.check()?;
        if let Some(damping) = self.damping {
            Err(self.damping_hint(damping, settings.step.dt)).at("damping")?;
        }
        Ok(())
    }

    /// The error for the key `damping`, with the equivalent `damping_rate`.
    fn damping_hint(&self, damping: f32, dt: f32) -> String {
        // The default of the versions that had `damping`.
        let substeps = self.substeps.unwrap_or(1);
        let renamed = "\"damping\" is now \"damping_rate\", in 1/s";
        if !(0.0..=1.0).contains(&damping) {
            return format!("{renamed}; {damping} is not from 0 to 1");
        }
        let rate = Step::<D>::damping_rate_from_fraction(damping, dt / substeps as f32);
        // Rounded to four digits.
        let rate: f64 = format!("{rate:.3e}").parse().unwrap_or(f64::NAN);
        let and_substeps = match self.substeps {
            Some(_) => String::new(),
            None => format!(" and substeps = {substeps}, the default at that time,"),
        };
        format!("{renamed}: write damping_rate = {rate:?}{and_substeps} for the same motion")
    }
}

impl AnyScene {
    /// Reads a scene from TOML: `dimensions` (2 or 3; default: 3), `formula`, `order`, tables
    /// `step` and `sleep`, and any number of tables `model`, `tie`, `force` and `obstacle`. A
    /// model has a table with the name of its builder, whose keys are the builder's parameters; forces
    /// and obstacles likewise. `docs/scenes.md` lists all keys; the folder `files` of this crate has
    /// examples.
    ///
    /// A model has one builder. It may also have, applied in this order: `turned`, `at` and
    /// `velocity`; named `groups` of particles; groups that are `pinned`, or `guided` along a path;
    /// `stiffness`, `compliance` and `tears_at` of all its sticks; `tethers`; `springs`, which
    /// replace its sticks; `self_collision`; and `copies`.
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
    /// Invalid TOML, an unknown key, a value that a builder rejects, a model that [`Scene::add`]
    /// or a tie that [`Scene::attach`] rejects, or a mesh file. The error has the line of the
    /// value, or of the innermost table that is known to contain the cause.
    pub fn from_toml(text: &str) -> Result<Self, SceneFileError> {
        Self::from_toml_with(text, &|file| {
            Err(format!("mesh files are not supported here, found {file}"))?
        })
    }

    /// Like [`from_toml`](Self::from_toml), for a scene whose meshes may be in other files: a mesh
    /// has the keys `file` and `scale`, a factor for its coordinates, instead of `positions` and
    /// `triangles`.
    ///
    /// `files` reads a mesh file. It gets the name as written, which may be `../secret` or
    /// `/etc/passwd`, so it should resolve the name with `taut_mesh::path_in_folder`, which allows
    /// only files in or below the folder of the scene.
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
    ///     assert_eq!(file, "kerchief.obj"); // a program reads it with the crate `taut-mesh`
    ///     Ok((vec![[0.0, 0.0, 0.0], [50.0, 0.0, 0.0], [0.0, 50.0, 0.0]], vec![[0, 1, 2]]))
    /// })?;
    /// assert_eq!(scene.particles(), 3);
    /// # Ok::<(), taut_scenes::SceneFileError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`from_toml`](Self::from_toml); errors of `files`, with the line that names the
    /// file; and if all files together have more than 2²⁴ vertices or 2²⁶ triangles. A file that is
    /// named twice counts twice.
    pub fn from_toml_with(text: &str, files: &TriangleReader) -> Result<Self, SceneFileError> {
        let (root, files) = (&parse(text)?, &triangles::limited(files));
        let build = || match dimensions(root)? {
            2 => two_d(text, root, files).map(Self::TwoD),
            3 => three_d(text, root, files).map(Self::ThreeD),
            other => Err(format!("expected 2 or 3 dimensions, found {other}")).at("dimensions"),
        };
        build().map_err(|error| SceneFileError::of_value(text, root, &error))
    }
}

/// The number of dimensions of a scene; the default is 3.
fn dimensions(root: &TomlValue) -> Result<u64, ReadError> {
    root.get_ref().get("dimensions").map_or(Ok(3), read)
}

fn two_d(text: &str, root: &TomlValue, files: &TriangleReader) -> Result<Scene<2>, BuildError> {
    scene::<models::Model2, forces::Force2, obstacles::Obstacle2, 2>(text, root, files)
}

fn three_d(text: &str, root: &TomlValue, files: &TriangleReader) -> Result<Scene<3>, BuildError> {
    scene::<models::Model3, forces::Force3, obstacles::Obstacle3, 3>(text, root, files)
}

/// Builds a scene from a document, with tables of the types `M` for models, `F` for forces and `O` for
/// obstacles.
fn scene<M, F, O, const D: usize>(
    text: &str,
    root: &TomlValue,
    files: &TriangleReader,
) -> Result<Scene<D>, BuildError>
where
    M: Build<D, Built = NamedModel<D>>,
    F: Build<D, Built = Arc<dyn Force<D>>>,
    O: Build<D, Built = Arc<dyn Obstacle<D>>>,
{
    let tables: SceneTable<M, F, O, D> = read(root)?;
    let order = tables.order.map(Into::into);
    let mut scene = Scene::new();
    (scene.formula, scene.order) = (tables.formula, order);
    if let Some(step) = tables.step {
        step.apply_to(&mut scene.settings).at("step")?;
    }
    scene.sleep = tables.sleep.map(|table| table.build()).transpose().at("sleep")?;
    let mut context = Context { files, settings: scene.settings, groups: BTreeSet::new() };
    let mut total_copies = 0;
    for (nth, model) in tables.model.into_iter().enumerate() {
        let NamedModel { name, model, copies } = model.build(&context).at(nth).at("model")?;
        context.groups.extend(model.groups.keys().cloned());
        match copies {
            None => scene.add(name, model),
            Some(positions) => {
                total_copies += positions.len() as u128;
                let bytes = total_copies * text.len() as u128;
                let what = "copies of all models, multiplied by the bytes of the file,";
                check_limit(what, bytes, COPIED_BYTES_MAX).at("copies").at(nth).at("model")?;
                scene.add_copies(&name, &model, positions)
            }
        }
        .at(nth)
        .at("model")?;
    }
    for (nth, tie) in tables.tie.into_iter().enumerate() {
        tie.attach(&mut scene).at(nth).at("tie")?;
    }
    for (nth, force) in tables.force.into_iter().enumerate() {
        scene.forces.push(force.build(&context).at(nth).at("force")?);
    }
    for (nth, obstacle) in tables.obstacle.into_iter().enumerate() {
        scene.obstacles.push(obstacle.build(&context).at(nth).at("obstacle")?);
    }
    Ok(scene)
}

/// Returns the only element of `given`, which has the values of those keys of `known` that a table has.
/// The keys are mutually exclusive. The error message calls the table `table`, and its keys `kind`.
fn exactly_one<T>(table: &str, kind: &str, known: &[&str], given: Vec<T>) -> Result<T, BuildError> {
    let [only] = <[T; 1]>::try_from(given).map_err(|given| {
        let (found, known) = (given.len(), known.join(", "));
        format!("{table} needs exactly one {kind}, found {found}; expected one of: {known}")
    })?;
    Ok(only)
}
