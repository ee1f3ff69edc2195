//! Worlds for JavaScript. The doc comments of public items become the comments of the TypeScript types.

mod arguments;

use js_sys::{Float32Array, Uint32Array};
use taut::world::{LibraryScene, Settings};
use taut::{AnyWorld, KernelChoice, MeshCloth};
use wasm_bindgen::prelude::*;

pub use arguments::{Cloth, ClothObject, Unsigned};
use arguments::{optional_unsigned, triples, unsigned};

/// The exception of a call that failed.
fn exception(error: impl core::fmt::Display) -> JsError {
    JsError::new(&error.to_string())
}

/// The exception for an array of the wrong length.
fn wrong_length(name: &str, found: &[f32], expected: usize) -> JsError {
    exception(format!("the length of {name} is {}, expected {expected}", found.len()))
}

/// The names of the library scenes.
#[wasm_bindgen]
pub fn scenes() -> Vec<String> {
    LibraryScene::ALL.iter().map(|scene| scene.name.to_owned()).collect()
}

/// The outcome of `step`.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Whether all positions are finite; if not, the simulation has blown up, and steps stop.
    #[wasm_bindgen(readonly)]
    pub finite: bool,
    /// Number of sticks that tore.
    #[wasm_bindgen(readonly)]
    pub torn: usize,
    /// Number of ties that broke.
    #[wasm_bindgen(readonly)]
    pub broken: usize,
}

/// The settings of a step.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct StepSettings {
    /// Length of a step, s.
    pub dt: f32,
    /// Number of substeps of a step, 1 to 1000.
    #[wasm_bindgen(getter_with_clone)]
    pub substeps: Unsigned,
    /// Number of passes of a substep, 1 to 1000.
    #[wasm_bindgen(getter_with_clone)]
    pub passes: Unsigned,
    /// Number of iterations of a pass, 0 to 100000.
    #[wasm_bindgen(getter_with_clone)]
    pub iterations: Unsigned,
    /// The x coordinate of gravity, m/s².
    #[wasm_bindgen(js_name = gravityX)]
    pub gravity_x: f32,
    /// The y coordinate of gravity, m/s².
    #[wasm_bindgen(js_name = gravityY)]
    pub gravity_y: f32,
    /// The z coordinate of gravity, m/s². In two dimensions it is ignored.
    #[wasm_bindgen(js_name = gravityZ)]
    pub gravity_z: f32,
    /// Damping rate, 1/s.
    #[wasm_bindgen(js_name = dampingRate)]
    pub damping_rate: f32,
}

/// Cloth, ropes and bodies in two or three dimensions.
///
/// A particle is given by its index. Points are in m; in two dimensions the third coordinate is
/// ignored in arguments and 0 in results. A call that fails throws an `Error` and changes nothing, except
/// that steps before a step that fails stay. Call `free()` when a world is no longer needed.
#[wasm_bindgen]
#[derive(Debug)]
pub struct World {
    inner: AnyWorld,
    /// A buffer for positions and normals, from which they are copied to an array of JavaScript.
    buffer: Vec<f32>,
}

/// Makes the object for JavaScript from a world, repeated if `copies` is given.
fn build_world(
    world: Result<AnyWorld, taut::AnyWorldError>,
    copies: Option<Unsigned>,
) -> Result<World, JsError> {
    let world = world.map_err(exception)?;
    let inner = match optional_unsigned("copies", copies)? {
        None => world,
        Some(copies) => world.repeated(copies).map_err(exception)?,
    };
    Ok(World { inner, buffer: Vec::new() })
}

#[wasm_bindgen]
impl World {
    /// The world of a scene of the library: see `scenes()`. The meaning of `size` depends on the
    /// scene; without it, the scene has its default size. `copies`: the number of copies of the scene to
    /// simulate. They do not meet, and each has the bits that it has alone; a scene with self-collision,
    /// limbs, rigid bodies or ties cannot be copied. The vertices of a copy follow those of the copy
    /// before it; its models are called `name 0`, `name 1` and so on.
    #[wasm_bindgen(js_name = fromLibrary)]
    pub fn from_library(
        name: &str,
        size: Option<Unsigned>,
        copies: Option<Unsigned>,
    ) -> Result<World, JsError> {
        let size = optional_unsigned("size", size)?;
        build_world(AnyWorld::from_library(name, size, &KernelChoice::default()), copies)
    }

    /// The world of a scene in TOML that names no mesh files. For `copies` see `fromLibrary`.
    #[cfg(feature = "toml")]
    #[wasm_bindgen(js_name = fromToml)]
    pub fn from_toml(scene: &str, copies: Option<Unsigned>) -> Result<World, JsError> {
        build_world(AnyWorld::from_toml(scene, &KernelChoice::default()), copies)
    }

    /// The world of one cloth, made from a triangle mesh: the model `cloth`. `vertices` has x, y, z of
    /// each vertex, m, and `triangles` three vertex indices per triangle, counter-clockwise from
    /// outside. Nothing is pinned. For `copies` see `fromLibrary`.
    #[wasm_bindgen(js_name = fromMesh)]
    pub fn from_mesh(
        vertices: &[f32],
        triangles: &[u32],
        cloth: Option<ClothObject>,
        copies: Option<Unsigned>,
    ) -> Result<World, JsError> {
        let cloth = cloth.map_or_else(|| Ok(MeshCloth::default()), |cloth| cloth.read())?;
        let (vertices, triangles) =
            (triples("vertices", vertices)?, triples("triangles", triangles)?);
        build_world(
            AnyWorld::from_mesh(&vertices, &triangles, &cloth, &KernelChoice::default()),
            copies,
        )
    }

    /// Runs `count` steps, 1 by default, and stops after the first one that leaves a position that is
    /// not finite.
    pub fn step(&mut self, count: Option<Unsigned>) -> Result<Outcome, JsError> {
        let count = optional_unsigned("count", count)?.unwrap_or(1);
        let outcome = self.inner.step(count).map_err(exception)?;
        let taut::world::Outcome { finite, torn, broken } = outcome;
        Ok(Outcome { finite, torn, broken })
    }

    /// The positions of all vertices, m: x, y, z of each. The vertices are the particles, then the
    /// vertices of the meshes of rigid bodies. If `out` is given, such as the array of a buffer
    /// attribute, it is filled and returned. The arrays do not share the memory of the module, so they
    /// stay valid when it grows.
    pub fn positions(&mut self, out: Option<Float32Array>) -> Result<Float32Array, JsError> {
        self.filled(3, out, |world, values| world.copy_positions(values))
    }

    /// The unit normals of all vertices: x, y, z of each. For `out` see `positions`.
    pub fn normals(&mut self, out: Option<Float32Array>) -> Result<Float32Array, JsError> {
        self.filled(3, out, AnyWorld::copy_normals)
    }

    /// The position and the unit normal of each vertex: x, y, z, nx, ny, nz, as an interleaved vertex
    /// buffer has them. For `out` see `positions`.
    pub fn interleaved(&mut self, out: Option<Float32Array>) -> Result<Float32Array, JsError> {
        self.filled(6, out, AnyWorld::copy_positions_and_normals)
    }

    /// Fills `out`, or a new array if there is none, with `per_vertex` numbers for each vertex.
    fn filled(
        &mut self,
        per_vertex: usize,
        out: Option<Float32Array>,
        fill: impl FnOnce(&mut AnyWorld, &mut [f32]) -> Result<(), taut::AnyWorldError>,
    ) -> Result<Float32Array, JsError> {
        let expected = per_vertex * self.inner.vertices();
        let out = out.unwrap_or_else(|| Float32Array::new_with_length(expected as u32));
        // JavaScript may pass any value. An exception thrown by the copy below would leave the world
        // borrowed for ever, so the type and the length are checked before.
        if !out.is_instance_of::<Float32Array>() {
            return Err(exception("out is not a Float32Array"));
        }
        if out.length() as usize != expected {
            return Err(exception(format!(
                "the length of out is {}, expected {expected}",
                out.length()
            )));
        }
        self.buffer.resize(expected, 0.0);
        fill(&mut self.inner, &mut self.buffer).map_err(exception)?;
        out.copy_from(&self.buffer);
        Ok(out)
    }

    /// The triangles that were not removed by tears, as three vertex indices each.
    pub fn triangles(&self) -> Uint32Array {
        let indices: Vec<u32> = self.inner.triangles().flatten().collect();
        Uint32Array::from(&*indices)
    }

    /// The sticks and springs to draw, as two particle indices each.
    pub fn lines(&self) -> Uint32Array {
        let indices: Vec<u32> = self.inner.lines().flatten().collect();
        Uint32Array::from(&*indices)
    }

    /// A counter that increases when `triangles()` or `lines()` change.
    #[wasm_bindgen(getter, js_name = drawingVersion)]
    pub fn drawing_version(&self) -> f64 {
        self.inner.drawing_version() as f64
    }

    /// The number of dimensions, 2 or 3.
    #[wasm_bindgen(getter)]
    pub fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    /// The number of particles, of all copies together.
    #[wasm_bindgen(getter)]
    pub fn particles(&self) -> usize {
        self.inner.particles()
    }

    /// The number of vertices, of all copies together.
    #[wasm_bindgen(getter)]
    pub fn vertices(&self) -> usize {
        self.inner.vertices()
    }

    /// The simulated time, s.
    #[wasm_bindgen(getter)]
    pub fn time(&self) -> f64 {
        self.inner.time()
    }

    /// A description of the kernels that the world uses.
    #[wasm_bindgen(getter)]
    pub fn kernels(&self) -> String {
        self.inner.kernels().to_string()
    }

    /// Warnings about parts of the scene that will probably not work as intended.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.inner.warnings().iter().map(ToString::to_string).collect()
    }

    /// A hash of all positions: the same on every machine and in every language.
    pub fn hash(&self) -> u64 {
        self.inner.hash()
    }

    /// The range of the particle indices of a model: the first index, and one past the last.
    pub fn model(&self, name: &str) -> Result<Vec<u32>, JsError> {
        let range = self.inner.model(name).map_err(exception)?;
        Ok(vec![range.start as u32, range.end as u32])
    }

    /// The indices of the particles in a group of a model, such as `top` of a cloth.
    pub fn group(&self, model: &str, group: &str) -> Result<Vec<u32>, JsError> {
        let particles = self.inner.group(model, group).map_err(exception)?;
        Ok(particles.into_iter().map(|particle| particle as u32).collect())
    }

    /// The position of a particle, m: x, y, z.
    pub fn position(&self, particle: &Unsigned) -> Result<Vec<f32>, JsError> {
        Ok(self.inner.position(unsigned("particle", particle)?).map_err(exception)?.to_vec())
    }

    /// Moves a particle to a point, m, and stops it.
    #[wasm_bindgen(js_name = setPosition)]
    pub fn set_position(
        &mut self,
        particle: &Unsigned,
        x: f32,
        y: f32,
        z: f32,
    ) -> Result<(), JsError> {
        self.inner.set_position(unsigned("particle", particle)?, [x, y, z]).map_err(exception)
    }

    /// Sets the velocity of a particle, m/s.
    #[wasm_bindgen(js_name = setVelocity)]
    pub fn set_velocity(
        &mut self,
        particle: &Unsigned,
        x: f32,
        y: f32,
        z: f32,
    ) -> Result<(), JsError> {
        self.inner.set_velocity(unsigned("particle", particle)?, [x, y, z]).map_err(exception)
    }

    /// Sets the inverse mass of a particle, 1/kg; 0 pins it until another call sets a value above 0. If
    /// the particle is pinned by `pin` or grabbed, the value applies as soon as it is free.
    #[wasm_bindgen(js_name = setInverseMass)]
    pub fn set_inverse_mass(
        &mut self,
        particle: &Unsigned,
        inverse_mass: f32,
    ) -> Result<(), JsError> {
        self.inner
            .set_inverse_mass(unsigned("particle", particle)?, inverse_mass)
            .map_err(exception)
    }

    /// Pins a particle at its position, until it is unpinned.
    pub fn pin(&mut self, particle: &Unsigned) -> Result<(), JsError> {
        self.inner.pin(unsigned("particle", particle)?).map_err(exception)
    }

    /// Unpins a particle: it gets its mass back and starts at rest. A particle that the scene pins, or
    /// whose inverse mass was set to 0, has no mass to get back: `setInverseMass` frees it.
    pub fn unpin(&mut self, particle: &Unsigned) -> Result<(), JsError> {
        self.inner.unpin(unsigned("particle", particle)?).map_err(exception)
    }

    /// Grabs a particle: it stays in place, or follows a drag, until it is released.
    pub fn grab(&mut self, particle: &Unsigned) -> Result<(), JsError> {
        self.inner.grab(unsigned("particle", particle)?).map_err(exception)
    }

    /// Sets the position of a grabbed or pinned particle at the end of the next step, m.
    pub fn drag(&mut self, particle: &Unsigned, x: f32, y: f32, z: f32) -> Result<(), JsError> {
        self.inner.drag(unsigned("particle", particle)?, [x, y, z]).map_err(exception)
    }

    /// Releases a grabbed particle. If the last step dragged it, it keeps the velocity of that drag.
    pub fn release(&mut self, particle: &Unsigned) -> Result<(), JsError> {
        self.inner.release(unsigned("particle", particle)?).map_err(exception)
    }

    /// The particle nearest to a ray, at most `within` m away and not behind its origin; `undefined` if
    /// there is none. A ray, such as that through the mouse pointer, is six numbers: the origin, then the
    /// direction.
    #[wasm_bindgen(js_name = nearestToRay)]
    pub fn nearest_to_ray(&self, ray: &[f32], within: f32) -> Result<Option<usize>, JsError> {
        let [origin, direction]: [[f32; 3]; 2] =
            triples("ray", ray)?.try_into().map_err(|_| wrong_length("ray", ray, 6))?;
        Ok(self.inner.nearest_to_ray(origin, direction, within))
    }

    /// Tears all sticks that a blade crosses, and returns their number. The blade is a segment that
    /// sweeps: twelve numbers, which are its two ends before the motion, then its two ends after the
    /// motion. In two dimensions the blade is the segment from the first to the third of these points.
    pub fn cut(&mut self, blade: &[f32]) -> Result<usize, JsError> {
        let [a, b, c, d]: [[f32; 3]; 4] =
            triples("blade", blade)?.try_into().map_err(|_| wrong_length("blade", blade, 12))?;
        Ok(self.inner.cut([a, b], [c, d]))
    }

    /// From now on each stick tears at the end of a step in which it is longer than `factor` times
    /// its rest length; none tears if `factor` is infinite. `factor` must be above 1.
    #[wasm_bindgen(js_name = setTearFactor)]
    pub fn set_tear_factor(&mut self, factor: f32) -> Result<(), JsError> {
        self.inner.set_tear_factor(factor).map_err(exception)
    }

    /// Replaces all forces of the scene by a uniform wind on all triangles, m/s. It needs a world in three
    /// dimensions.
    #[wasm_bindgen(js_name = setWind)]
    pub fn set_wind(&mut self, x: f32, y: f32, z: f32) -> Result<(), JsError> {
        self.inner.set_wind(Some([x, y, z])).map_err(exception)
    }

    /// A copy of the settings of a step. To change the settings of the world, change the copy and pass it to
    /// `setSettings`.
    pub fn settings(&self) -> StepSettings {
        let Settings { step, passes } = self.inner.settings();
        let [gravity_x, gravity_y, gravity_z] = step.acceleration;
        let taut::Step { dt, substeps, iterations, damping_rate, .. } = step;
        StepSettings {
            dt,
            substeps: substeps.into(),
            passes: passes.into(),
            iterations: iterations.into(),
            gravity_x,
            gravity_y,
            gravity_z,
            damping_rate,
        }
    }

    /// Changes the settings; velocities stay.
    #[wasm_bindgen(js_name = setSettings)]
    pub fn set_settings(&mut self, settings: &StepSettings) -> Result<(), JsError> {
        let StepSettings { dt, damping_rate, .. } = *settings;
        let substeps = unsigned("substeps", &settings.substeps)?;
        let passes = unsigned("passes", &settings.passes)?;
        let iterations = unsigned("iterations", &settings.iterations)?;
        let acceleration = [settings.gravity_x, settings.gravity_y, settings.gravity_z];
        let step = taut::Step { dt, substeps, iterations, acceleration, damping_rate };
        self.inner.set_settings(&Settings { step, passes }).map_err(exception)
    }

    /// The whole state as bytes: positions, velocities, masses, pins, grabs and drags, torn sticks, broken
    /// ties, tear factors, sleep, settings and time. Only wind is not included.
    pub fn snapshot(&self) -> Vec<u8> {
        self.inner.snapshot_json()
    }

    /// Resumes from a snapshot of a world of the same scene. After an error the world is unchanged.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), JsError> {
        self.inner.restore_json(snapshot).map_err(exception)
    }
}
