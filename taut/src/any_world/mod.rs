//! A world in two or three dimensions, made from a scene text, a library scene or a mesh.

mod changes;
mod drawing;
mod error;
mod measurements;
mod state;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{Bending, Executor, Kernel};
#[cfg(feature = "toml")]
use taut_scenes::TriangleReader;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{
    Drawing, Model, Outcome, Scene, Simulation, StepPart, Tethers, Warning, World, WorldError,
};

use crate::{AnyKernel, KernelChoice, KernelSet, SheetsAndCopies};

pub use error::AnyWorldError;

/// A [`World`] in two or three dimensions, with the scene that it was made from and its kernels.
///
/// It is for programs that learn the number of dimensions at run time, and for bindings to other
/// languages. A point always has three coordinates, in m: in two dimensions the third is ignored in
/// arguments and 0 in results. Positions and normals are rows of `f32`, written to slices of the
/// caller.
///
/// ```
/// use taut::{AnyWorld, KernelChoice};
///
/// let mut world = AnyWorld::from_library("curtain", Some(16), &KernelChoice::default())?;
/// let mut positions = vec![0.0; 3 * world.vertices()];
/// for _frame in 0..60 {
///     assert!(world.step(1)?.finite);
///     world.copy_positions(&mut positions)?;
/// }
/// println!("{:016x}", world.hash());
/// # Ok::<(), taut::AnyWorldError>(())
/// ```
///
/// The result does not depend on the kernels:
///
/// ```
/// use taut::{AnyWorld, KernelChoice, KernelName};
///
/// let scalar = KernelChoice { kernel: Some(KernelName::Scalar), ..KernelChoice::default() };
/// let hash = |kernels: &KernelChoice| -> Result<u64, taut::AnyWorldError> {
///     let mut world = AnyWorld::from_library("ragdolls", Some(1), kernels)?; // in two dimensions
///     assert!(world.step(60)?.finite);
///     Ok(world.hash())
/// };
/// assert_eq!(hash(&scalar)?, hash(&KernelChoice::default())?);
/// # Ok::<(), taut::AnyWorldError>(())
/// ```
#[derive(Debug)]
pub struct AnyWorld {
    inner: Inner,
    kernels: KernelSet,
    /// The drawing of the world, with the removed triangles and torn sticks marked as
    /// [`REMOVED`](taut_world::REMOVED).
    drawing: Drawing,
    /// How many of the removed triangles and torn sticks are already marked in `drawing`.
    removed: [usize; 2],
    /// A count that increases whenever the lines or triangles of `drawing` change or are read again.
    drawing_version: u64,
    /// Buffers that are kept so that calls do not allocate: the positions of vertices, from which
    /// normals are computed, and the normals.
    positions_and_normals: [Vec<[f32; 3]>; 2],
    /// The buffer that [`interleaved_vertices`](Self::interleaved_vertices) fills.
    interleaved: Vec<f32>,
}

/// A world and its scene.
#[derive(Debug)]
struct SceneAndWorld<const D: usize> {
    /// The scene that the world was made from, with the current forces and formula.
    scene: Scene<D>,
    world: World<D>,
}

/// A world and its scene in two or three dimensions.
#[derive(Debug)]
enum Inner {
    TwoD(Box<SceneAndWorld<2>>),
    ThreeD(Box<SceneAndWorld<3>>),
}

/// Evaluates `$call` with the name `$scene_and_world` bound to the [`SceneAndWorld`] in `$inner`,
/// in two or three dimensions.
macro_rules! with_inner {
    ($inner:expr, $scene_and_world:ident => $call:expr) => {
        match $inner {
            $crate::any_world::Inner::TwoD($scene_and_world) => $call,
            $crate::any_world::Inner::ThreeD($scene_and_world) => $call,
        }
    };
}
use with_inner;

/// Properties of the cloth that [`AnyWorld::from_mesh`] makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshCloth {
    /// Mass per area, kg/m². Default: 0.2.
    pub density: f32,
    /// How the cloth resists bending. Default: by sticks.
    pub bending: Bending,
    /// Whether particles are tethered to pinned particles, which keeps the cloth stiff with few
    /// iterations. Default: true.
    pub tethered: bool,
}

impl Default for MeshCloth {
    fn default() -> Self {
        Self { density: 0.2, bending: Bending::Sticks, tethered: true }
    }
}

impl<const D: usize> SceneAndWorld<D>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    fn new(scene: Scene<D>, kernels: &KernelSet) -> Result<Box<Self>, AnyWorldError> {
        let world = World::new(&scene, |schedule| kernels.kernel_for(schedule))?;
        Ok(Box::new(Self { scene, world }))
    }
}

impl AnyWorld {
    /// The world of a scene.
    ///
    /// ```
    /// use taut::world::{Cloth, Model, Scene};
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut scene = Scene::<3>::new();
    /// scene.add("flag", Model::cloth(&Cloth::spaced(24, 16, 0.04))?.pinned("left"))?;
    /// let mut world = AnyWorld::new(scene, &KernelChoice::default())?;
    /// assert!(world.step(10)?.finite);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`KernelChoice::find`] and [`World::new`].
    pub fn new(scene: impl Into<AnyScene>, kernels: &KernelChoice) -> Result<Self, AnyWorldError> {
        Self::with_kernels(scene, kernels.find()?)
    }

    /// The world of a scene with kernels that were [found](KernelChoice::find) before.
    ///
    /// # Errors
    /// Same as [`World::new`].
    pub fn with_kernels(
        scene: impl Into<AnyScene>,
        kernels: KernelSet,
    ) -> Result<Self, AnyWorldError> {
        let inner = match scene.into() {
            AnyScene::TwoD(scene) => Inner::TwoD(SceneAndWorld::new(scene, &kernels)?),
            AnyScene::ThreeD(scene) => Inner::ThreeD(SceneAndWorld::new(scene, &kernels)?),
        };
        Ok(Self::from_inner(inner, kernels))
    }

    fn from_inner(inner: Inner, kernels: KernelSet) -> Self {
        let mut world = Self {
            inner,
            kernels,
            drawing: Drawing::default(),
            removed: [0; 2],
            drawing_version: 0,
            positions_and_normals: Default::default(),
            interleaved: Vec::new(),
        };
        world.reload_drawing();
        world
    }

    /// The kernel sets of this build and machine that suit a scene: see [`KernelSet::available`].
    ///
    /// ```
    /// use taut::world::LibraryScene;
    /// use taut::AnyWorld;
    ///
    /// let curtain = LibraryScene::named("curtain")?.scene(16)?;
    /// for kernels in AnyWorld::available_kernels(&curtain) {
    ///     let mut world = AnyWorld::with_kernels(curtain.clone(), kernels)?;
    ///     assert!(world.step(1)?.finite);
    ///     println!("{:016x} {}", world.hash(), world.kernels()); // always the same hash
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn available_kernels(scene: &AnyScene) -> Vec<KernelSet> {
        KernelSet::available(match scene {
            AnyScene::TwoD(scene) => SheetsAndCopies::of(scene.sheets(), scene.may_have_copies()),
            AnyScene::ThreeD(scene) => SheetsAndCopies::of(scene.sheets(), scene.may_have_copies()),
        })
    }

    /// The world of a scene of the library, in this size (see [`LibraryScene::size`]) or, without
    /// one, in its default size.
    ///
    /// # Errors
    /// If there is no such scene, if it cannot be built in this size, or for a reason of
    /// [`new`](Self::new).
    pub fn from_library(
        name: &str,
        size: Option<usize>,
        kernels: &KernelChoice,
    ) -> Result<Self, AnyWorldError> {
        let scene = LibraryScene::named(name)?;
        Self::new(scene.scene(size.unwrap_or(scene.size))?, kernels)
    }

    /// The world of a scene in TOML that names no mesh files: see [`AnyScene::from_toml`].
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let text = r#"
    ///     [[model]]
    ///     name = "sheet"
    ///     drape = { size = 16 }
    /// "#;
    /// let mut world = AnyWorld::from_toml(text, &KernelChoice::default())?;
    /// assert!(world.step(10)?.finite);
    ///
    /// let error = AnyWorld::from_toml("[step]\nsubstep = 4", &KernelChoice::default()).unwrap_err();
    /// assert!(error.to_string().starts_with("line 2: unknown field `substep`"));
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`AnyScene::from_toml`] and [`new`](Self::new).
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str, kernels: &KernelChoice) -> Result<Self, AnyWorldError> {
        Self::new(AnyScene::from_toml(text)?, kernels)
    }

    /// The world of a scene in TOML; `files` reads the mesh files that it names: see
    /// [`AnyScene::from_toml_with`].
    ///
    /// # Errors
    /// Same as [`AnyScene::from_toml_with`] and [`new`](Self::new).
    #[cfg(feature = "toml")]
    pub fn from_toml_with(
        text: &str,
        files: &TriangleReader,
        kernels: &KernelChoice,
    ) -> Result<Self, AnyWorldError> {
        Self::new(AnyScene::from_toml_with(text, files)?, kernels)
    }

    /// The world of a triangle mesh as cloth, the model `cloth`, in three dimensions: see
    /// [`Model::from_triangles`]. Positions are in m. Nothing is pinned.
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice, MeshCloth};
    ///
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, -1.0, 0.0]];
    /// let triangles = [[0, 2, 1], [0, 3, 2]];
    /// let kernels = KernelChoice::default();
    /// let mut world = AnyWorld::from_mesh(&square, &triangles, &MeshCloth::default(), &kernels)?;
    /// world.pin(0)?;
    /// world.pin(1)?;
    /// assert!(world.step(60)?.finite);
    /// assert_eq!(world.position(0)?, [0.0, 0.0, 0.0]);
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Model::from_triangles`] and [`new`](Self::new).
    pub fn from_mesh(
        positions: &[[f32; 3]],
        triangles: &[[u32; 3]],
        cloth: &MeshCloth,
        kernels: &KernelChoice,
    ) -> Result<Self, AnyWorldError> {
        let MeshCloth { density, bending, tethered } = *cloth;
        let mut model = Model::from_triangles(positions, triangles, bending, density)?;
        if tethered {
            model = model.tethered(Tethers::default())?;
        }
        let mut scene = Scene::<3>::new();
        scene.add("cloth", model)?;
        Self::new(scene, kernels)
    }

    /// A new world of the same scene with this number of copies of all its models: see
    /// [`Scene::repeated`]. It has the [wind](Self::set_wind) and the formula of this world, but the state,
    /// settings and tear factors of the scene. The vertices of a copy follow those of the copy before it.
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut curtain = AnyWorld::from_library("curtain", Some(16), &KernelChoice::default())?;
    /// let mut curtains = curtain.repeated(64)?;
    /// assert_eq!(curtains.vertices(), 64 * curtain.vertices());
    /// assert!(curtain.step(10)?.finite && curtains.step(10)?.finite);
    /// assert_eq!(curtains.position(curtain.vertices() + 5)?, curtain.position(5)?);
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Scene::repeated`] and [`World::new`].
    pub fn repeated(&self, copies: usize) -> Result<Self, AnyWorldError> {
        let scene = match &self.inner {
            Inner::TwoD(inner) => AnyScene::TwoD(inner.scene.repeated(copies)?),
            Inner::ThreeD(inner) => AnyScene::ThreeD(inner.scene.repeated(copies)?),
        };
        Self::with_kernels(scene, self.kernels.clone())
    }

    /// The world, if it is in two dimensions.
    pub fn two_d(&self) -> Option<&World<2>> {
        match &self.inner {
            Inner::TwoD(inner) => Some(&inner.world),
            Inner::ThreeD(_) => None,
        }
    }

    /// The world, if it is in three dimensions.
    pub fn three_d(&self) -> Option<&World<3>> {
        match &self.inner {
            Inner::TwoD(_) => None,
            Inner::ThreeD(inner) => Some(&inner.world),
        }
    }

    /// Number of dimensions: 2 or 3.
    pub fn dimensions(&self) -> usize {
        match self.inner {
            Inner::TwoD(_) => 2,
            Inner::ThreeD(_) => 3,
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        with_inner!(&self.inner, inner => inner.world.len())
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        with_inner!(&self.inner, inner => inner.world.steps())
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        with_inner!(&self.inner, inner => inner.world.time())
    }

    /// See [`World::hash`].
    pub fn hash(&self) -> u64 {
        with_inner!(&self.inner, inner => inner.world.hash())
    }

    /// See [`World::warnings`].
    pub fn warnings(&self) -> Vec<Warning> {
        with_inner!(&self.inner, inner => inner.world.warnings())
    }

    /// The kernels of the world.
    pub fn kernels(&self) -> &KernelSet {
        &self.kernels
    }

    /// The numbers of a model's particles.
    ///
    /// # Errors
    /// There is no such model.
    pub fn model(&self, name: &str) -> Result<Range<usize>, AnyWorldError> {
        let range = with_inner!(&self.inner, inner => inner.world.model(name));
        range.ok_or_else(|| AnyWorldError::NoSuchModel { model: name.into() })
    }

    /// The numbers of the particles in a group of a model: see [`World::group`].
    ///
    /// # Errors
    /// There is no such model, or it has no such group.
    pub fn group(&self, model: &str, group: &str) -> Result<Vec<usize>, AnyWorldError> {
        self.model(model)?;
        let particles = with_inner!(&self.inner, inner => inner.world.group(model, group));
        particles
            .ok_or_else(|| AnyWorldError::NoSuchGroup { model: model.into(), group: group.into() })
    }

    /// Runs up to `steps` steps, and stops after the first one that leaves a position that is not
    /// finite. The outcome counts the torn sticks and broken ties of all these steps.
    ///
    /// # Errors
    /// Same as [`World::step`].
    pub fn step(&mut self, steps: u32) -> Result<Outcome, AnyWorldError> {
        let outcome = with_inner!(&mut self.inner, inner => run_steps(&mut inner.world, steps));
        // Also updated if a step failed, because earlier steps may have torn sticks.
        self.update_drawing();
        Ok(outcome?)
    }

    /// Runs a step and calls `after` at the end of each part: see [`World::step_watched`].
    ///
    /// # Errors
    /// Same as [`World::step`].
    pub fn step_watched(
        &mut self,
        executor: &dyn Executor,
        after: &mut dyn FnMut(StepPart),
    ) -> Result<Outcome, AnyWorldError> {
        let outcome =
            with_inner!(&mut self.inner, inner => inner.world.step_watched(executor, after));
        self.update_drawing();
        Ok(outcome?)
    }
}

/// See [`AnyWorld::step`]. With 0 steps, only checks whether all positions are finite.
fn run_steps<const D: usize>(world: &mut World<D>, steps: u32) -> Result<Outcome, WorldError>
where
    World<D>: Simulation<D>,
{
    let finite = steps > 0 || world.positions().flatten().all(f32::is_finite);
    let mut total = Outcome { finite, torn: 0, broken: 0 };
    for _ in 0..steps {
        total = total.then(world.step()?);
        if !total.finite {
            break;
        }
    }
    Ok(total)
}
