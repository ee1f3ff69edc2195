//! From arguments to a scene.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use clap::ValueEnum;
use taut::Tuned;
use taut::world::{LibraryScene, Model, StickSet};
use taut_mesh::{LoadOptions, Origin, TriangleMesh};

use crate::words::{parse, within};

/// The mean length of a stick of a mesh from a file, m: scans come in any unit, and a step of
/// gravity must not be longer than a stick.
const MEAN_STICK: f64 = 0.05;

/// How large a shape is when nobody says it.
const USUAL_SIZE: usize = 128;

/// The shapes that a name stands for.
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
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Drape => "drape",
            Self::Disc => "disc",
            Self::Sphere => "sphere",
        }
    }
}

/// What `--scene` names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SceneName {
    Shape(Shape),
    Library(&'static LibraryScene),
}

impl FromStr for SceneName {
    type Err = String;

    /// Shapes come first: the library has a drape, too, which is the same sheet.
    fn from_str(name: &str) -> Result<Self, String> {
        if let Ok(shape) = <Shape as ValueEnum>::from_str(name, false) {
            return Ok(Self::Shape(shape));
        }
        LibraryScene::named(name).map(Self::Library).map_err(|_| {
            let names: Vec<&str> = LibraryScene::ALL.iter().map(|scene| scene.name).collect();
            format!("choose drape, disc, sphere, or a scene of the library: {}", names.join(", "))
        })
    }
}

/// Which scene is relaxed.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Source {
    /// The scene: a shape (drape, disc, sphere), whose sticks are relaxed. For taut compare also
    /// a scene of the library (taut simulate --list), whose whole steps are compared.
    #[arg(long, value_name = "NAME", default_value = "drape", conflicts_with = "mesh",
          value_parser = parse::<SceneName>)]
    scene: SceneName,
    /// A mesh instead: OBJ, PLY, glTF or GLB. It is pinned at its highest 2 % of vertices.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// How large the scene is: a sheet of N by N particles, and others of about as many. A scene
    /// of the library otherwise has its own size. [default: 128]
    #[arg(long, value_name = "N", conflicts_with = "mesh",
          value_parser = within::<usize>(1..=4096))]
    size: Option<usize>,
    /// Which sticks: structural, shear, or all (with those against bending). [default: all]
    #[arg(long, value_name = "SET", value_parser = parse::<StickSet>)]
    sticks: Option<StickSet>,
    /// Keep the original scale of a mesh. Otherwise it is scaled to a mean edge of 0.05 m.
    #[arg(long, requires = "mesh", conflicts_with_all = ["scene", "size"])]
    keep_scale: bool,
    /// Number particles and sticks at random first, by this seed: the worst case for memory locality.
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,
}

impl Source {
    /// The shape or mesh.
    pub(crate) fn load(&self) -> anyhow::Result<Named> {
        let set = self.sticks.unwrap_or_default();
        let mut named = match (&self.mesh, self.scene) {
            (Some(path), _) => mesh(path, set, self.keep_scale)?,
            (None, SceneName::Shape(it)) => shape(it, self.size.unwrap_or(USUAL_SIZE), set)?,
            (None, SceneName::Library(listed)) => {
                anyhow::bail!(
                    "'{}' is for taut simulate and taut compare only: use drape, disc, sphere or --mesh",
                    listed.name
                )
            }
        };
        if let Some(seed) = self.shuffle {
            named.scene = named.scene.shuffled(seed);
            named.name = format!("{}, shuffled by seed {seed}", named.name);
        }
        Ok(named)
    }

    /// The scene of the library, with the size asked for, if it is one that was named.
    ///
    /// # Errors
    /// If something was asked for that such a scene does not have.
    pub(crate) fn library(&self) -> anyhow::Result<Option<(&'static LibraryScene, usize)>> {
        let (None, SceneName::Library(listed)) = (&self.mesh, self.scene) else { return Ok(None) };
        for (given, option) in
            [(self.sticks.is_some(), "--sticks"), (self.shuffle.is_some(), "--shuffle")]
        {
            anyhow::ensure!(!given, "{option} is for shapes and meshes, not for {}", listed.name);
        }
        Ok(Some((listed, self.size.unwrap_or(listed.size))))
    }
}

/// A scene, and what to call it.
pub(crate) struct Named {
    pub(crate) scene: Model,
    pub(crate) name: String,
    /// What was done to it, a line each.
    pub(crate) notes: Vec<String>,
    /// What the vertices of its file became, if it has one.
    pub(crate) origin: Option<Origin>,
}

/// One of the shapes.
pub(crate) fn shape(shape: Shape, size: usize, set: StickSet) -> anyhow::Result<Named> {
    let scene = match shape {
        Shape::Drape => Model::drape(size, set),
        Shape::Disc => Model::disc(size, set),
        Shape::Sphere => Model::sphere(size, set),
    };
    let name = format!("{} {size}, {set} sticks", shape.name());
    let scene = scene.with_context(|| format!("no scene {name}"))?;
    Ok(Named { scene, name, notes: Vec::new(), origin: None })
}

/// A mesh from a file, hanging from its highest vertices.
pub(crate) fn mesh(path: &Path, set: StickSet, keep_scale: bool) -> anyhow::Result<Named> {
    let loaded = taut_mesh::load(path, &LoadOptions::default())?;
    let mut mesh = loaded.mesh;
    let mut notes = vec![format!("{}: {}", path.display(), loaded.report)];
    if !keep_scale {
        let factor = MEAN_STICK / mean_edge(&mesh);
        anyhow::ensure!(
            factor.is_finite() && factor > 0.0,
            "{}: the edges have no mean length that could be scaled to {MEAN_STICK} m; \
             try --keep-scale",
            path.display()
        );
        for x in mesh.positions.as_flattened_mut() {
            *x = (f64::from(*x) * factor) as f32;
        }
        notes.push(format!("scaled by {factor:.6}, so that its mean edge is {MEAN_STICK} m"));
    }
    let scene = Model::hanging(&mesh.positions, &mesh.triangles, set)
        .with_context(|| path.display().to_string())?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = format!("{file}, {set} sticks");
    Ok(Named { scene, name, notes, origin: Some(loaded.origin) })
}

/// Over the edges, each once, in the mesh's unit.
fn mean_edge(mesh: &TriangleMesh) -> f64 {
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let corner = |name: u32| mesh.positions[name as usize].map(f64::from);
    let length = |[a, b]: [u32; 2]| {
        let (a, b) = (corner(a), corner(b));
        (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt()
    };
    edges.iter().copied().map(length).sum::<f64>() / edges.len() as f64
}

/// What `taut tune --save` wrote, for these sticks.
pub(crate) fn tuned(path: &Path, scene: &Model) -> anyhow::Result<Tuned> {
    let file = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", file()))?;
    let tuned: Tuned =
        serde_json::from_str(&text).with_context(|| format!("{}: not a tuning file", file()))?;
    tuned.check(&scene.sticks).with_context(file)?;
    Ok(tuned)
}
