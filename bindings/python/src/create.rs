//! The constructors of `World`: from library scenes, scene texts and arrays.

use std::path::PathBuf;

use numpy::{AllowTypeChange, PyArrayLike2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taut::world::LibraryScene;
use taut::{AnyWorld, AnyWorldError, Bending, KernelChoice, MeshCloth};
use taut_mesh::{TriangleMesh, load_in_folder};

use crate::arguments::{corners, optional_unsigned, triples, unsigned};
use crate::arrays::lists;
use crate::exception;
use crate::world::World;

/// The names of the library scenes.
#[pyfunction]
pub(crate) fn scenes() -> Vec<&'static str> {
    LibraryScene::ALL.iter().map(|scene| scene.name).collect()
}

fn kernel_choice(kernel: Option<&str>, threads: usize) -> PyResult<KernelChoice> {
    let kernel = kernel.map(str::parse).transpose().map_err(exception)?;
    Ok(KernelChoice { kernel, isa: None, threads: threads.max(1) })
}

/// Builds a world, repeated if `copies` is given. The lock of the interpreter is released meanwhile.
fn build_world(
    py: Python<'_>,
    copies: Option<usize>,
    make: impl FnOnce() -> Result<AnyWorld, AnyWorldError> + Send,
) -> PyResult<AnyWorld> {
    let world = py.detach(|| match (make()?, copies) {
        (world, None) => Ok(world),
        (world, Some(copies)) => world.repeated(copies),
    });
    world.map_err(exception)
}

#[pymethods]
impl World {
    /// The world of a scene of the library, such as `curtain`: see `taut.scenes()`.
    ///
    /// The meaning of `size` depends on the scene; None: the default size.
    /// `copies`: the number of copies of the scene to simulate. They do not meet, and each has
    /// the bits that it has alone; a scene with self-collision, limbs, rigid bodies or ties cannot be
    /// copied. Arrays of positions and normals then have the shape (copies, vertices of a copy, 3), and
    /// the models are called `name 0`, `name 1` and so on.
    /// `kernel` (`scalar`, `pulp`, `grid`, `copies`; None: the best) and `threads` affect the speed only.
    #[staticmethod]
    #[pyo3(signature = (name, size=None, *, copies=None, kernel=None, threads=1))]
    fn from_library(
        py: Python<'_>,
        name: &str,
        #[pyo3(from_py_with = optional_unsigned)] size: Option<usize>,
        #[pyo3(from_py_with = optional_unsigned)] copies: Option<usize>,
        kernel: Option<&str>,
        #[pyo3(from_py_with = unsigned)] threads: usize,
    ) -> PyResult<Self> {
        let kernels = kernel_choice(kernel, threads)?;
        let world = build_world(py, copies, || AnyWorld::from_library(name, size, &kernels))?;
        let keywords = keywords(py, copies, kernel, threads)?;
        Self::new(py, world, copies, "from_library", (name, size), keywords)
    }

    /// The world of a scene in TOML, given as text (not as a file name): docs/scenes.md lists all keys.
    ///
    /// Mesh files that the scene names are read from `folder` or below it. Without `folder`, a scene that
    /// names a mesh file is an error.
    /// `copies`, `kernel` and `threads`: see `from_library`.
    #[staticmethod]
    #[pyo3(signature = (text, folder=None, *, copies=None, kernel=None, threads=1))]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        folder: Option<PathBuf>,
        #[pyo3(from_py_with = optional_unsigned)] copies: Option<usize>,
        kernel: Option<&str>,
        #[pyo3(from_py_with = unsigned)] threads: usize,
    ) -> PyResult<Self> {
        let kernels = kernel_choice(kernel, threads)?;
        let world = build_world(py, copies, || match &folder {
            None => AnyWorld::from_toml(text, &kernels),
            Some(folder) => {
                let load_mesh = |file: &str| {
                    let TriangleMesh { positions, triangles } = load_in_folder(folder, file)?;
                    Ok((positions, triangles))
                };
                AnyWorld::from_toml_with(text, &load_mesh, &kernels)
            }
        })?;
        let keywords = keywords(py, copies, kernel, threads)?;
        Self::new(py, world, copies, "from_toml", (text, folder), keywords)
    }

    /// The world of one cloth, made from a triangle mesh: the model `cloth`. Nothing is pinned.
    ///
    /// `vertices` are positions in m, of shape (n, 3); `triangles` are vertex indices, integers
    /// of shape (m, 3), counter-clockwise from outside. `density` is the mass per area, kg/m².
    /// `resists_bending`: whether the cloth resists bending. `tethered`: whether particles are tethered
    /// to pinned ones, which keeps the cloth stiff.
    /// `copies`, `kernel` and `threads`: see `from_library`.
    #[staticmethod]
    #[pyo3(signature = (
        vertices, triangles, *, density=0.2, resists_bending=true, tethered=true, copies=None, kernel=None, threads=1
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn from_mesh<'py>(
        py: Python<'py>,
        vertices: PyArrayLike2<'py, f32, AllowTypeChange>,
        triangles: Bound<'py, PyAny>,
        density: f32,
        resists_bending: bool,
        tethered: bool,
        #[pyo3(from_py_with = optional_unsigned)] copies: Option<usize>,
        kernel: Option<&str>,
        #[pyo3(from_py_with = unsigned)] threads: usize,
    ) -> PyResult<Self> {
        let kernels = kernel_choice(kernel, threads)?;
        let positions = triples("vertices", &vertices)?;
        let triangles = corners(&triangles, positions.len())?;
        let bending = if resists_bending { Bending::Sticks } else { Bending::Free };
        let cloth = MeshCloth { density, bending, tethered };
        // A pickle needs copies of the arrays, because the caller may change the arrays; also while the
        // world is built, when other threads run.
        let vertices = vertices.as_array().to_pyarray(py);
        let triangle_lists = lists(py, triangles.iter().copied())?;
        let world = build_world(py, copies, || {
            AnyWorld::from_mesh(&positions, &triangles, &cloth, &kernels)
        })?;
        let keywords = keywords(py, copies, kernel, threads)?;
        keywords.set_item("density", density)?;
        keywords.set_item("resists_bending", resists_bending)?;
        keywords.set_item("tethered", tethered)?;
        Self::new(py, world, copies, "from_mesh", (vertices, triangle_lists), keywords)
    }
}

/// The keyword arguments that all constructors have.
fn keywords<'py>(
    py: Python<'py>,
    copies: Option<usize>,
    kernel: Option<&str>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let keywords = PyDict::new(py);
    keywords.set_item("copies", copies)?;
    keywords.set_item("kernel", kernel)?;
    keywords.set_item("threads", threads)?;
    Ok(keywords)
}
