//! From arguments to a scene.

use std::path::Path;

use anyhow::Context;
use taut::world::{Scene, StickSet};
use taut_mesh::{LoadOptions, TriangleMesh};

/// The mean length of a stick of a mesh from a file, m: scans come in any unit, and a step of
/// gravity must not be longer than a stick.
const MEAN_STICK: f64 = 0.05;

/// The shapes that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

/// A scene, and what to call it.
pub(crate) struct Named {
    pub(crate) scene: Scene,
    pub(crate) name: String,
    /// What was done to it, a line each.
    pub(crate) notes: Vec<String>,
}

/// One of the shapes.
pub(crate) fn shape(shape: Shape, size: usize, set: StickSet) -> anyhow::Result<Named> {
    let scene = match shape {
        Shape::Drape => Scene::drape(size, set),
        Shape::Disc => Scene::disc(size, set),
        Shape::Sphere => Scene::sphere(size, set),
    };
    let name = format!("{} {size}, {set} sticks", shape.name());
    let scene = scene.with_context(|| format!("no scene {name}"))?;
    Ok(Named { scene, name, notes: Vec::new() })
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
    let scene = Scene::hanging(&mesh.positions, &mesh.triangles, set)
        .with_context(|| path.display().to_string())?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    Ok(Named { scene, name: format!("{file}, {set} sticks"), notes })
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
