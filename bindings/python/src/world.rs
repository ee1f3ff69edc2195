//! The class `World`.

use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLikeDyn, PyUntypedArrayMethods, ToPyArray,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use taut::world::Settings;
use taut::{AnyWorld, COORDINATE_MAX, ParticleError, Step};

use crate::arguments::{optional_unsigned, points, unsigned};
use crate::arrays::{Rows, filled, lists};
use crate::exception;

/// The outcome of `step`: `finite` says whether all positions are finite, `torn` how many sticks tore,
/// and `broken` how many ties broke.
#[pyclass(frozen, get_all, module = "taut")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    finite: bool,
    torn: usize,
    broken: usize,
}

#[pymethods]
impl Outcome {
    fn __repr__(&self) -> String {
        let Self { finite, torn, broken } = self;
        let finite = if *finite { "True" } else { "False" };
        format!("Outcome(finite={finite}, torn={torn}, broken={broken})")
    }
}

/// Cloth, ropes and bodies in two or three dimensions, made by `from_library`, `from_toml` or
/// `from_mesh`.
///
/// A particle is given by its index. Points have three coordinates, m. A call that fails raises
/// `TautError`, a ValueError, and changes nothing, except that steps before a step that fails stay. A count
/// or an index that is negative or too large raises `TautError`, too, and so does a point without exactly three
/// numbers. An argument of a wrong type raises TypeError. Worlds can be pickled.
#[pyclass(module = "taut")]
#[derive(Debug)]
pub(crate) struct World {
    inner: AnyWorld,
    /// `None` for a world that was made without the argument `copies`.
    copies: Option<usize>,
    /// The name of the constructor and its arguments, for pickles.
    constructor: &'static str,
    arguments: Py<PyTuple>,
    keywords: Py<PyDict>,
    /// The argument of the last call of `set_wind`, if any: wind is not part of a snapshot.
    wind: Option<(Option<[f32; 3]>,)>,
}

impl World {
    pub(crate) fn new<'py>(
        py: Python<'py>,
        inner: AnyWorld,
        copies: Option<usize>,
        constructor: &'static str,
        arguments: impl IntoPyObject<
            'py,
            Target = PyTuple,
            Output = Bound<'py, PyTuple>,
            Error: Into<PyErr>,
        >,
        keywords: Bound<'py, PyDict>,
    ) -> PyResult<Self> {
        let arguments = arguments.into_pyobject(py).map_err(Into::into)?.unbind();
        let keywords = keywords.unbind();
        Ok(Self { inner, copies, constructor, arguments, keywords, wind: None })
    }

    /// The shape of positions and normals.
    fn shape(&self) -> Vec<usize> {
        let vertices = self.inner.vertices();
        match self.copies {
            None => vec![vertices, 3],
            Some(copies) => vec![copies, vertices / copies.max(1), 3],
        }
    }
}

#[pymethods]
impl World {
    /// Runs `count` steps, and stops after the first one that leaves a position that is not finite.
    ///
    /// Other Python threads run meanwhile.
    #[pyo3(signature = (count=1))]
    fn step(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = unsigned)] count: u32,
    ) -> PyResult<Outcome> {
        let inner = &mut self.inner;
        let outcome = py.detach(|| inner.step(count)).map_err(exception)?;
        let taut::world::Outcome { finite, torn, broken } = outcome;
        Ok(Outcome { finite, torn, broken })
    }

    /// The positions of all vertices, m: float32 of shape (vertices, 3) or, in a world with copies,
    /// (copies, vertices of a copy, 3).
    ///
    /// The vertices are the particles, then the vertices of the meshes of rigid bodies. If `out`, a
    /// C-contiguous float32 array of that shape, is given, it is filled and returned, and nothing is
    /// allocated.
    #[pyo3(signature = (out=None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        filled(py, &self.shape(), out, |values| self.inner.copy_positions(values))
    }

    /// The unit normals of all vertices, in the shape of `positions`. For `out` see `positions`.
    #[pyo3(signature = (out=None))]
    fn normals<'py>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        filled(py, &self.shape(), out, |values| self.inner.copy_normals(values))
    }

    /// The triangles that were not removed by tears, as vertex indices: uint32 of shape (n, 3).
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        lists(py, self.inner.triangles())
    }

    /// The sticks and springs to draw, as particle indices: uint32 of shape (n, 2).
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        lists(py, self.inner.lines())
    }

    /// A counter that increases when `triangles()` or `lines()` change.
    #[getter]
    fn drawing_version(&self) -> u64 {
        self.inner.drawing_version()
    }

    /// The number of dimensions, 2 or 3. In two dimensions the third coordinate is ignored in arguments and
    /// 0 in results.
    #[getter]
    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    /// The number of copies; None if the world was made without `copies`.
    #[getter]
    fn copies(&self) -> Option<usize> {
        self.copies
    }

    /// The number of particles, of all copies together.
    #[getter]
    fn particles(&self) -> usize {
        self.inner.particles()
    }

    /// The number of vertices, of all copies together.
    #[getter]
    fn vertices(&self) -> usize {
        self.inner.vertices()
    }

    /// The number of steps so far.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    /// The simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.inner.time()
    }

    /// A description of the kernels that the world uses.
    #[getter]
    fn kernels(&self) -> String {
        self.inner.kernels().to_string()
    }

    /// Warnings about parts of the scene that will probably not work as intended.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings().iter().map(ToString::to_string).collect()
    }

    /// A hash of all positions: the same on every machine, with every kernel and number of threads.
    fn hash(&self) -> u64 {
        self.inner.hash()
    }

    /// The range of the particle indices of a model: the first index, and one past the last.
    fn model(&self, name: &str) -> PyResult<(usize, usize)> {
        let range = self.inner.model(name).map_err(exception)?;
        Ok((range.start, range.end))
    }

    /// The indices of the particles in a group of a model, such as `top` of a cloth.
    fn group<'py>(
        &self,
        py: Python<'py>,
        model: &str,
        group: &str,
    ) -> PyResult<Bound<'py, PyArray1<usize>>> {
        Ok(self.inner.group(model, group).map_err(exception)?.to_pyarray(py))
    }

    /// The position of a particle, m.
    fn position(&self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<[f32; 3]> {
        self.inner.position(particle).map_err(exception)
    }

    /// Moves a particle to a point, m, and stops it.
    fn set_position(
        &mut self,
        #[pyo3(from_py_with = unsigned)] particle: usize,
        #[pyo3(from_py_with = points)] to: [f32; 3],
    ) -> PyResult<()> {
        self.inner.set_position(particle, to).map_err(exception)
    }

    /// Moves particles with consecutive indices, from `first` on, to points, m, and stops them.
    ///
    /// `positions` is a C-contiguous array of shape (..., 3): a row for each particle.
    #[pyo3(signature = (positions, first=0))]
    fn set_positions(
        &mut self,
        positions: PyArrayLikeDyn<'_, f32, AllowTypeChange>,
        #[pyo3(from_py_with = unsigned)] first: usize,
    ) -> PyResult<()> {
        if !positions.is_c_contiguous() {
            return Err(exception("positions is not C-contiguous"));
        }
        if positions.shape().last() != Some(&3) {
            let shape = positions.shape();
            return Err(exception(format!(
                "the shape of positions is {shape:?}, expected (..., 3)"
            )));
        }
        let values = positions.as_slice().map_err(|_| exception("positions is not aligned"))?;
        let (rows, _) = values.as_chunks::<3>();
        let particles = self.inner.particles();
        if rows.len() > particles.saturating_sub(first) {
            let found = rows.len();
            return Err(exception(format!(
                "positions has {found} rows from particle {first} on, but there are only {particles} particles"
            )));
        }
        // Checks all coordinates before any particle moves, so that a call that fails changes nothing.
        for (particle, row) in (first..).zip(rows) {
            for (axis, &value) in row[..self.inner.dimensions()].iter().enumerate() {
                let value = f64::from(value);
                if !(-COORDINATE_MAX..=COORDINATE_MAX).contains(&value) {
                    return Err(exception(ParticleError::Coordinate { particle, axis, value }));
                }
            }
        }
        for (particle, &to) in rows.iter().enumerate() {
            self.inner.set_position(first + particle, to).map_err(exception)?;
        }
        Ok(())
    }

    /// Sets the velocity of a particle, m/s.
    fn set_velocity(
        &mut self,
        #[pyo3(from_py_with = unsigned)] particle: usize,
        #[pyo3(from_py_with = points)] velocity: [f32; 3],
    ) -> PyResult<()> {
        self.inner.set_velocity(particle, velocity).map_err(exception)
    }

    /// The inverse mass of a particle, 1/kg; 0 while it is pinned or grabbed.
    fn inverse_mass(&self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<f32> {
        self.inner.inverse_mass(particle).map_err(exception)
    }

    /// Sets the inverse mass of a particle, 1/kg; 0 pins it until another call sets a value above 0. If
    /// the particle is pinned by `pin` or grabbed, the value applies as soon as it is free.
    fn set_inverse_mass(
        &mut self,
        #[pyo3(from_py_with = unsigned)] particle: usize,
        inverse_mass: f32,
    ) -> PyResult<()> {
        self.inner.set_inverse_mass(particle, inverse_mass).map_err(exception)
    }

    /// Pins a particle at its position, until it is unpinned.
    fn pin(&mut self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<()> {
        self.inner.pin(particle).map_err(exception)
    }

    /// Unpins a particle: it gets its mass back and starts at rest.
    ///
    /// Raises TautError for a particle that the scene pins, or whose inverse mass was set to 0: it has no
    /// mass to get back. `set_inverse_mass` frees it.
    fn unpin(&mut self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<()> {
        self.inner.unpin(particle).map_err(exception)
    }

    /// Grabs a particle: it stays in place, or follows a drag, until it is released.
    fn grab(&mut self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<()> {
        self.inner.grab(particle).map_err(exception)
    }

    /// Sets the position of a grabbed or pinned particle at the end of the next step, m.
    fn drag(
        &mut self,
        #[pyo3(from_py_with = unsigned)] particle: usize,
        #[pyo3(from_py_with = points)] to: [f32; 3],
    ) -> PyResult<()> {
        self.inner.drag(particle, to).map_err(exception)
    }

    /// Releases a grabbed particle. If the last step dragged it, it keeps the velocity of that drag.
    fn release(&mut self, #[pyo3(from_py_with = unsigned)] particle: usize) -> PyResult<()> {
        self.inner.release(particle).map_err(exception)
    }

    /// The particle nearest to a point, at most `within` m away; None if there is none.
    #[pyo3(signature = (point, within=f32::INFINITY))]
    fn nearest(
        &self,
        #[pyo3(from_py_with = points)] point: [f32; 3],
        within: f32,
    ) -> Option<usize> {
        self.inner.nearest(point, within)
    }

    /// The particle nearest to a ray, at most `within` m away and not behind its origin; None if there is
    /// none.
    fn nearest_to_ray(
        &self,
        #[pyo3(from_py_with = points)] origin: [f32; 3],
        #[pyo3(from_py_with = points)] direction: [f32; 3],
        within: f32,
    ) -> Option<usize> {
        self.inner.nearest_to_ray(origin, direction, within)
    }

    /// Tears all sticks that a blade crosses, and returns their number.
    ///
    /// The blade is a segment between two points, which sweeps from the points `start` to the points `end`.
    /// In two dimensions the blade is the segment from the first point of `start` to the first point of `end`.
    fn cut(
        &mut self,
        #[pyo3(from_py_with = points)] start: [[f32; 3]; 2],
        #[pyo3(from_py_with = points)] end: [[f32; 3]; 2],
    ) -> usize {
        self.inner.cut(start, end)
    }

    /// Tears a stick, and removes the triangles at it. Returns False if it was torn before.
    ///
    /// Sticks are numbered model by model, in the order in which the model was built. (The rows of
    /// `lines` have other numbers: they leave out hidden and torn sticks.)
    fn tear(&mut self, #[pyo3(from_py_with = unsigned)] stick: usize) -> PyResult<bool> {
        self.inner.tear(stick).map_err(exception)
    }

    /// From now on each stick tears at the end of a step in which it is longer than `factor` times
    /// its rest length; none tears if `factor` is infinite. `factor` must be above 1.
    fn set_tear_factor(&mut self, factor: f32) -> PyResult<()> {
        self.inner.set_tear_factor(factor).map_err(exception)
    }

    /// Replaces all forces of the scene by a uniform wind on all triangles, m/s; None: no force but gravity.
    /// It needs a world in three dimensions.
    fn set_wind(
        &mut self,
        #[pyo3(from_py_with = points)] velocity: Option<[f32; 3]>,
    ) -> PyResult<()> {
        self.inner.set_wind(velocity).map_err(exception)?;
        self.wind = Some((velocity,));
        Ok(())
    }

    /// The settings of a step, as a dict with the keyword arguments of `set_settings`.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Settings { step, passes } = self.inner.settings();
        let settings = PyDict::new(py);
        settings.set_item("dt", step.dt)?;
        settings.set_item("substeps", step.substeps)?;
        settings.set_item("iterations", step.iterations)?;
        settings.set_item("passes", passes)?;
        settings.set_item("gravity", step.acceleration)?;
        settings.set_item("damping_rate", step.damping_rate)?;
        Ok(settings)
    }

    /// Changes the given settings; velocities stay.
    ///
    /// `dt` is the length of a step, s. A step has `substeps` substeps (1 to 1000), a substep has `passes` passes
    /// (1 to 1000), and a pass has `iterations` iterations (0 to 100000). `gravity` is in m/s², `damping_rate` in
    /// 1/s.
    #[pyo3(signature = (*, dt=None, substeps=None, iterations=None, passes=None, gravity=None, damping_rate=None))]
    fn set_settings(
        &mut self,
        dt: Option<f32>,
        #[pyo3(from_py_with = optional_unsigned)] substeps: Option<u32>,
        #[pyo3(from_py_with = optional_unsigned)] iterations: Option<u32>,
        #[pyo3(from_py_with = optional_unsigned)] passes: Option<u32>,
        #[pyo3(from_py_with = points)] gravity: Option<[f32; 3]>,
        damping_rate: Option<f32>,
    ) -> PyResult<()> {
        let Settings { step: old, passes: old_passes } = self.inner.settings();
        let step = Step {
            dt: dt.unwrap_or(old.dt),
            substeps: substeps.unwrap_or(old.substeps),
            iterations: iterations.unwrap_or(old.iterations),
            acceleration: gravity.unwrap_or(old.acceleration),
            damping_rate: damping_rate.unwrap_or(old.damping_rate),
        };
        let passes = passes.unwrap_or(old_passes);
        self.inner.set_settings(&Settings { step, passes }).map_err(exception)
    }

    /// The whole state as bytes: positions, velocities, masses, pins, grabs and drags, torn sticks, broken
    /// ties, tear factors, sleep, settings and time. Only wind and kernels are not included.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.snapshot_json())
    }

    /// Resumes from a snapshot of a world of the same scene. After an error the world is unchanged.
    fn restore(&mut self, snapshot: &[u8]) -> PyResult<()> {
        self.inner.restore_json(snapshot).map_err(exception)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = (self.snapshot(py), self.wind);
        let arguments = (self.constructor, &self.arguments, &self.keywords, state);
        Ok((py.import("taut")?.getattr("_unpickled")?, arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let (particles, time) = (self.inner.particles(), self.inner.time());
        let copies = self.copies.map_or_else(String::new, |copies| format!(", {copies} copies"));
        format!("<taut.World: {particles} particles{copies}, {time:.3} s>")
    }
}
