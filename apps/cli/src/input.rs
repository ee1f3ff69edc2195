//! Loads the model that the arguments select.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use clap::ValueEnum;
use taut::world::{LibraryScene, Model, StickSet};
use taut::{PARTICLES_MAX, STICKS_MAX, Tuned, check_limit};
use taut_mesh::{LoadOptions, TriangleMesh, VertexMap};

use crate::parsers::{parse, within};

/// The mean edge length to which meshes from files are scaled, m. Scans have arbitrary units: if a mesh
/// were too small, gravity would move a particle by more than the length of a stick in one step.
const MEAN_EDGE: f64 = 0.05;

/// The default of `--size` for a built-in shape.
const DEFAULT_SIZE: usize = 128;

/// The built-in shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// A square sheet hanging from its top row.
    Drape,
    /// A jittered disc of triangles.
    Disc,
    /// A ball of triangles.
    Sphere,
}

impl Shape {
    /// The name of the shape on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Drape => "drape",
            Self::Disc => "disc",
            Self::Sphere => "sphere",
        }
    }
}

/// The value of `--scene`: a built-in shape or a scene of the library.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SceneName {
    Shape(Shape),
    Library(&'static LibraryScene),
}

impl FromStr for SceneName {
    type Err = String;

    /// Shapes take precedence over library scenes: `drape` is both, with the same sheet.
    fn from_str(name: &str) -> Result<Self, String> {
        if let Ok(shape) = <Shape as ValueEnum>::from_str(name, false) {
            return Ok(Self::Shape(shape));
        }
        LibraryScene::named(name).map(Self::Library).map_err(|_| {
            let names: Vec<&str> = LibraryScene::ALL.iter().map(|scene| scene.name).collect();
            format!("expected drape, disc, sphere or a library scene ({})", names.join(", "))
        })
    }
}

/// Options that select the scene.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SceneOptions {
    /// The scene: a shape (drape, disc, sphere), which has only sticks; for taut compare also a
    /// library scene (see taut simulate --list), whose steps include forces and collisions.
    #[arg(long, value_name = "NAME", default_value = "drape", conflicts_with = "mesh",
          value_parser = parse::<SceneName>)]
    scene: SceneName,
    /// A mesh file instead of a scene (OBJ, PLY, glTF or GLB); its highest 2 % of vertices are
    /// pinned.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Size of the scene: a sheet has N by N particles, other shapes about as many. [default: 128;
    /// for a library scene its own default]
    #[arg(long, value_name = "N", conflicts_with = "mesh",
          value_parser = within::<usize>(1..=4096))]
    size: Option<usize>,
    /// Stick set: structural, shear, or all (including bending). [default: all]
    #[arg(long, value_name = "SET", value_parser = parse::<StickSet>)]
    sticks: Option<StickSet>,
    /// Keep the original scale of a mesh instead of scaling it to a mean edge of 0.05 m.
    #[arg(long, requires = "mesh", conflicts_with_all = ["scene", "size"])]
    keep_scale: bool,
    /// Shuffle the numbering of particles and sticks with this seed: the worst case for memory
    /// locality.
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,
    /// Number of copies of the shape or mesh, side by side and stepped together. Times are per
    /// stick of all copies. [default: 1; with --tuned, that of the tuning file]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1_000_000))]
    pub(crate) copies: Option<usize>,
}

impl SceneOptions {
    /// Builds the selected shape or loads the selected mesh, and shuffles it if requested.
    ///
    /// # Errors
    /// If `--scene` names a library scene, or the mesh cannot be loaded or built.
    pub(crate) fn load(&self) -> anyhow::Result<NamedModel> {
        let set = self.sticks.unwrap_or_default();
        let mut named = match (&self.mesh, self.scene) {
            (Some(path), _) => load_mesh(path, set, self.keep_scale)?,
            (None, SceneName::Shape(shape)) => {
                build_shape(shape, self.size.unwrap_or(DEFAULT_SIZE), set)?
            }
            (None, SceneName::Library(scene)) => {
                anyhow::bail!(
                    "'{}' works with taut simulate and taut compare only: use drape, disc, sphere \
                     or --mesh",
                    scene.name
                )
            }
        };
        if let Some(seed) = self.shuffle {
            named.model = named.model.shuffled(seed);
            named.name = format!("{}, shuffled by seed {seed}", named.name);
        }
        Ok(named)
    }

    /// The library scene that `--scene` names, and its size; `None` for a shape or a mesh.
    ///
    /// # Errors
    /// If `--sticks` or `--shuffle` is given, which do not apply to library scenes.
    pub(crate) fn library_scene(&self) -> anyhow::Result<Option<(&'static LibraryScene, usize)>> {
        let (None, SceneName::Library(scene)) = (&self.mesh, self.scene) else { return Ok(None) };
        for (given, option) in
            [(self.sticks.is_some(), "--sticks"), (self.shuffle.is_some(), "--shuffle")]
        {
            anyhow::ensure!(!given, "{option} applies to shapes and meshes, not to {}", scene.name);
        }
        Ok(Some((scene, self.size.unwrap_or(scene.size))))
    }
}

/// A model with its name.
pub(crate) struct NamedModel {
    pub(crate) model: Model,
    pub(crate) name: String,
    /// Lines about how a mesh from a file was cleaned and scaled; empty for a shape.
    pub(crate) notes: Vec<String>,
    /// For a mesh from a file: the particle of each vertex of the file.
    pub(crate) vertex_map: Option<VertexMap>,
}

impl NamedModel {
    /// Checks that this number of copies of the model does not exceed the limits on particles and
    /// sticks.
    pub(crate) fn check_copies(&self, copies: usize) -> anyhow::Result<()> {
        let total = |count: usize| count as u128 * copies as u128;
        check_limit("particles", total(self.model.particles.len()), PARTICLES_MAX)?;
        check_limit("sticks", total(self.model.sticks.len()), STICKS_MAX)?;
        Ok(())
    }

    /// A name for `copies` copies of the model.
    pub(crate) fn name_of(&self, copies: usize) -> String {
        match copies {
            1 => self.name.clone(),
            _ => format!("{copies} copies of {}", self.name),
        }
    }
}

/// Builds a shape. `size` is the value of `--size`.
pub(crate) fn build_shape(shape: Shape, size: usize, set: StickSet) -> anyhow::Result<NamedModel> {
    let model = match shape {
        Shape::Drape => Model::drape(size, set),
        Shape::Disc => Model::disc(size, set),
        Shape::Sphere => Model::sphere(size, set),
    };
    let name = format!("{} {size}, {set} sticks", shape.name());
    let model = model.with_context(|| format!("cannot build {name}"))?;
    Ok(NamedModel { model, name, notes: Vec::new(), vertex_map: None })
}

/// Loads a mesh from a file and pins its highest 2 % of vertices. Scales it to a mean edge of
/// [`MEAN_EDGE`], unless `keep_scale` is set.
pub(crate) fn load_mesh(
    path: &Path,
    set: StickSet,
    keep_scale: bool,
) -> anyhow::Result<NamedModel> {
    let loaded = taut_mesh::load(path, &LoadOptions::default())?;
    let mut mesh = loaded.mesh;
    let mut notes = vec![format!("{}: {}", path.display(), loaded.report)];
    if !keep_scale {
        let factor = MEAN_EDGE / mean_edge(&mesh);
        anyhow::ensure!(
            factor.is_finite() && factor > 0.0,
            "{}: the mean edge length is not a positive finite number, so the mesh cannot be \
             scaled to {MEAN_EDGE} m; try --keep-scale",
            path.display()
        );
        for coordinate in mesh.positions.as_flattened_mut() {
            *coordinate = (f64::from(*coordinate) * factor) as f32;
        }
        notes.push(format!("scaled by {factor:.6} to a mean edge of {MEAN_EDGE} m"));
    }
    let model = Model::hanging(&mesh.positions, &mesh.triangles, set)
        .with_context(|| path.display().to_string())?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = format!("{file}, {set} sticks");
    Ok(NamedModel { model, name, notes, vertex_map: Some(loaded.vertex_map) })
}

/// The mean length of the edges, each counted once, in the unit of the mesh.
fn mean_edge(mesh: &TriangleMesh) -> f64 {
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let position = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
    let length = |[a, b]: [u32; 2]| {
        let (a, b) = (position(a), position(b));
        (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt()
    };
    edges.iter().copied().map(length).sum::<f64>() / edges.len() as f64
}

/// Reads a file that `taut tune --save` wrote, and checks that it was made for these sticks.
pub(crate) fn read_tuned(path: &Path, model: &Model) -> anyhow::Result<Tuned> {
    let path_text = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{path_text}: cannot be read"))?;
    let tuned: Tuned =
        serde_json::from_str(&text).with_context(|| format!("{path_text}: not a tuning file"))?;
    tuned.check(&model.sticks).with_context(|| path_text.to_string())?;
    Ok(tuned)
}
