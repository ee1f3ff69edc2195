//! Loads the scene that an argument names.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use taut::world::{AnyScene, LibraryScene, Scene, StickSet};
use taut_mesh::{TriangleMesh, VertexMap, load_in_folder};

use crate::input;

/// The scene to simulate: one of the library, or a scene file (TOML).
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Library(&'static LibraryScene),
    File(PathBuf),
}

/// A scene with its name.
pub(crate) struct NamedScene {
    pub(crate) scene: AnyScene,
    pub(crate) name: String,
    /// For a mesh file: the particle of each vertex of the file.
    pub(crate) vertex_map: Option<VertexMap>,
    /// How a mesh file was cleaned and scaled: sentences for the output.
    pub(crate) notes: Vec<String>,
}

/// Loads a mesh file as a scene of one model, whose highest 2 % of vertices are pinned. It is scaled to
/// the default mean edge, unless `keep_scale` is set.
pub(crate) fn load_mesh(path: &Path, keep_scale: bool) -> anyhow::Result<NamedScene> {
    let input::NamedModel { model, name, vertex_map, notes } =
        input::load_mesh(path, StickSet::All, keep_scale)?;
    let mut scene = Scene::new();
    scene.add("mesh", model)?;
    Ok(NamedScene { scene: scene.into(), name, vertex_map, notes })
}

impl std::str::FromStr for Source {
    type Err = String;

    /// A name with the extension `.toml` is the path of a scene file; any other name is that of a library scene.
    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
            return Ok(Self::File(path));
        }
        LibraryScene::named(text).map(Self::Library).map_err(|error| {
            let names: Vec<&str> = LibraryScene::ALL.iter().map(|scene| scene.name).collect();
            format!(
                "{error}; available: {}; the name of a scene file ends with .toml",
                names.join(", ")
            )
        })
    }
}

impl Source {
    /// Loads the scene. `size` is the size of a library scene; `None` is its default.
    ///
    /// # Errors
    /// If `size` is given for a scene file, or the scene cannot be read or built.
    pub(crate) fn load(&self, size: Option<usize>) -> anyhow::Result<NamedScene> {
        match self {
            Self::Library(library_scene) => {
                let size = size.unwrap_or(library_scene.size);
                let name = format!("{} {size}", library_scene.name);
                let scene =
                    library_scene.scene(size).with_context(|| format!("cannot build {name}"))?;
                Ok(NamedScene { scene, name, vertex_map: None, notes: Vec::new() })
            }
            Self::File(path) => {
                let file = path.display().to_string();
                anyhow::ensure!(size.is_none(), "--size applies to library scenes, not to {file}");
                let text =
                    fs::read_to_string(path).with_context(|| format!("{file}: cannot be read"))?;
                // Mesh paths are relative to the folder of the scene file, and must be inside it.
                let folder = path.parent().unwrap_or(Path::new(""));
                let scene = AnyScene::from_toml_with(&text, &|mesh_path| {
                    let TriangleMesh { positions, triangles } = load_in_folder(folder, mesh_path)?;
                    Ok((positions, triangles))
                });
                let scene = scene.with_context(|| file.clone())?;
                Ok(NamedScene { scene, name: file, vertex_map: None, notes: Vec::new() })
            }
        }
    }
}
