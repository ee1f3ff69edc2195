//! Counts, models, particles, and arrays that are copied to the caller.

use std::ffi::c_char;

use taut_rs::AnyWorldError;
use taut_rs::world::{DrawnModel, ModelKind};

use crate::change::Point;
use crate::guard::{World, array_mut, check_output, copy_to, read_to, text, with_world};
use crate::status::{Failure, Status};

/// The size and the progress of a world. Tears and `taut_world_restore` change the
/// counts of triangles and lines; the other counts of parts are constant.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Number of dimensions, 2 or 3.
    pub dimensions: u32,
    /// Number of models.
    pub models: usize,
    /// Number of particles.
    pub particles: usize,
    /// Number of vertices: the particles, then the vertices of the meshes of rigid bodies.
    pub vertices: usize,
    /// Number of sticks, torn ones included.
    pub sticks: usize,
    /// Number of triangles that were not removed.
    pub triangles: usize,
    /// Number of lines to draw: springs, and untorn sticks that are not hidden.
    pub lines: usize,
    /// A counter that increases when triangles or lines change.
    pub drawing_version: u64,
    /// Number of steps so far.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
}

/// What a model is.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cloth.
    Cloth = 0,
    /// A rope, chain or bridge.
    Rope = 1,
    /// A plant.
    Plant = 2,
    /// Rigid bodies.
    Body = 3,
    /// A ragdoll.
    Ragdoll = 4,
    /// Particles only.
    Grains = 5,
}

impl From<ModelKind> for Kind {
    fn from(kind: ModelKind) -> Self {
        match kind {
            ModelKind::Cloth => Self::Cloth,
            ModelKind::Rope => Self::Rope,
            ModelKind::Plant => Self::Plant,
            ModelKind::Body => Self::Body,
            ModelKind::Ragdoll => Self::Ragdoll,
            ModelKind::Grains => Self::Grains,
        }
    }
}

/// A model, and the ranges of its particles and sticks.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name, without a NUL at its end. It is valid until the world is freed or restored.
    pub name: *const c_char,
    /// The length of the name.
    pub name_length: usize,
    /// What it is.
    pub kind: Kind,
    /// The index of its first particle.
    pub first_particle: usize,
    /// Number of particles.
    pub particles: usize,
    /// The index of its first stick.
    pub first_stick: usize,
    /// Number of sticks.
    pub sticks: usize,
}

impl From<&DrawnModel> for Model {
    fn from(model: &DrawnModel) -> Self {
        Self {
            name: model.name.as_ptr().cast(),
            name_length: model.name.len(),
            kind: model.kind.into(),
            first_particle: model.particles.start,
            particles: model.particles.len(),
            first_stick: model.sticks.start,
            sticks: model.sticks.len(),
        }
    }
}

impl World {
    /// The numbers of triangles and of lines, counted again when the drawing has changed.
    fn counts(&mut self) -> [usize; 2] {
        let version = self.inner.drawing_version();
        match self.counts {
            Some((counted, counts)) if counted == version => counts,
            _ => {
                let counts = [self.inner.triangles().count(), self.inner.lines().count()];
                self.counts = Some((version, counts));
                counts
            }
        }
    }
}

/// Reads the size and the progress of a world.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to an info.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_info(world: *mut World, out: *mut Info) -> Status {
    let read = |world: &mut World| {
        let [triangles, lines] = world.counts();
        let world = &world.inner;
        Ok(Info {
            dimensions: if world.dimensions() == 2 { 2 } else { 3 },
            models: world.drawing().models.len(),
            particles: world.particles(),
            vertices: world.vertices(),
            sticks: world.drawing().sticks.len(),
            triangles,
            lines,
            drawing_version: world.drawing_version(),
            steps: world.steps(),
            time: world.time(),
        })
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Reads a model by its index, from 0.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_model(
    world: *mut World,
    model: usize,
    out: *mut Model,
) -> Status {
    let read = |world: &mut World| {
        let models = &world.inner.drawing().models;
        models.get(model).map(Model::from).ok_or_else(|| {
            let message = format!("there is no model {model}: the world has {}", models.len());
            Failure::new(Status::OutOfRange, message)
        })
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Reads a model by its name.
///
/// # Safety
/// `world` must be NULL or a valid world, `name` must have `name_length` bytes, and `out` must be
/// NULL or point to a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_model_named(
    world: *mut World,
    name: *const c_char,
    name_length: usize,
    out: *mut Model,
) -> Status {
    let read = |world: &mut World| {
        // SAFETY: the promise of the caller.
        let name = unsafe { text(name, name_length, "name") }?;
        let named = world.inner.drawing().models.iter().find(|model| model.name == name);
        let unknown = || AnyWorldError::NoSuchModel { model: name.to_owned() };
        Ok(named.ok_or_else(unknown)?.into())
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Finds the particles of a group of a model, such as `top` of a mesh. `count` gets how many there
/// are. `to` gets their indices; its length must be that count, or 0 to read only the count.
///
/// # Safety
/// `world` must be NULL or a valid world, each name must have as many bytes as its length says, `to` must have `length`
/// initialized elements, and `count` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_group(
    world: *mut World,
    model: *const c_char,
    model_length: usize,
    group: *const c_char,
    group_length: usize,
    to: *mut usize,
    length: usize,
    count: *mut usize,
) -> Status {
    let read = |world: &mut World| {
        check_output(count, "count")?;
        // SAFETY: the promise of the caller.
        let (model, group, to) = unsafe {
            let model = text(model, model_length, "model")?;
            (model, text(group, group_length, "group")?, array_mut(to, length, "to")?)
        };
        let particles = world.inner.group(model, group)?;
        if !to.is_empty() {
            if to.len() != particles.len() {
                let (found, expected) = (to.len(), particles.len());
                let message =
                    format!("the array of particles has the length {found}, expected {expected}");
                return Err(Failure::new(Status::WrongLength, message));
            }
            to.copy_from_slice(&particles);
        }
        // SAFETY: it is not NULL, and the caller promises that it may be written.
        unsafe { count.write(particles.len()) };
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, read) }
}

/// Reads the position of a particle.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_position(
    world: *mut World,
    particle: usize,
    out: *mut Point,
) -> Status {
    let read = |world: &mut World| {
        let [x, y, z] = world.inner.position(particle)?;
        Ok(Point { x, y, z })
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Reads the particles at the ends of a stick; both get `UINT32_MAX` if it is torn.
///
/// # Safety
/// `world` must be NULL or a valid world, and `a` and `b` must be NULL or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_stick(
    world: *mut World,
    stick: usize,
    a: *mut u32,
    b: *mut u32,
) -> Status {
    let read = |world: &mut World| {
        check_output(a, "a")?;
        check_output(b, "b")?;
        let ends = world.inner.stick(stick)?.unwrap_or([u32::MAX; 2]);
        // SAFETY: they are not NULL, and the caller promises that they may be written.
        unsafe {
            a.write(ends[0]);
            b.write(ends[1]);
        }
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, read) }
}

/// Finds the particle nearest to a point, at most `within` m away; `out` gets `SIZE_MAX` if there is
/// none.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_nearest(
    world: *mut World,
    to: Point,
    within: f32,
    out: *mut usize,
) -> Status {
    let read = |world: &mut World| Ok(world.inner.nearest(to.into(), within).unwrap_or(usize::MAX));
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Finds the particle nearest to a ray, at most `within` m away and not behind its origin; `out`
/// gets `SIZE_MAX` if there is none.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_nearest_to_ray(
    world: *mut World,
    origin: Point,
    direction: Point,
    within: f32,
    out: *mut usize,
) -> Status {
    let read = |world: &mut World| {
        let found = world.inner.nearest_to_ray(origin.into(), direction.into(), within);
        Ok(found.unwrap_or(usize::MAX))
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, read) }
}

/// Fills an array with `count` rows of `N` numbers. The length of the array must be `N * count`.
fn fill<const N: usize>(
    to: &mut [u32],
    name: &str,
    count: usize,
    rows: impl Iterator<Item = [u32; N]>,
) -> Result<(), Failure> {
    if to.len() != N * count {
        let message =
            format!("the array of {name} has the length {}, expected {}", to.len(), N * count);
        return Err(Failure::new(Status::WrongLength, message));
    }
    let (to, _) = to.as_chunks_mut();
    to.iter_mut().zip(rows).for_each(|(to, row)| *to = row);
    Ok(())
}

/// Copies the positions of all vertices, m: x, y, z, so `length` is 3 times the number of vertices.
/// Nothing is allocated.
///
/// # Safety
/// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_copy_positions(
    world: *mut World,
    to: *mut f32,
    length: usize,
) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { copy_to(world, to, length, |world, to| Ok(world.inner.copy_positions(to)?)) }
}

/// Copies the unit normals of all vertices: x, y, z, so `length` is 3 times the number of vertices.
/// Nothing is allocated after the first call.
///
/// # Safety
/// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_copy_normals(
    world: *mut World,
    to: *mut f32,
    length: usize,
) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { copy_to(world, to, length, |world, to| Ok(world.inner.copy_normals(to)?)) }
}

/// Copies the position and the normal of each vertex: x, y, z, nx, ny, nz, so `length` is 6 times
/// the number of vertices. Nothing is allocated after the first call.
///
/// # Safety
/// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_copy_vertices(
    world: *mut World,
    to: *mut f32,
    length: usize,
) -> Status {
    // SAFETY: the promise of the caller.
    unsafe {
        copy_to(world, to, length, |world, to| Ok(world.inner.copy_positions_and_normals(to)?))
    }
}

/// Copies the triangles that were not removed, as three vertex indices each, counter-clockwise from
/// outside. `length` is 3 times the number of triangles.
///
/// # Safety
/// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_copy_triangles(
    world: *mut World,
    to: *mut u32,
    length: usize,
) -> Status {
    let copy = |world: &mut World, to: &mut [u32]| {
        let [triangles, _] = world.counts();
        fill(to, "triangles", triangles, world.inner.triangles())
    };
    // SAFETY: the promise of the caller.
    unsafe { copy_to(world, to, length, copy) }
}

/// Copies the lines to draw, as two particle indices each. `length` is 2 times the number of lines.
///
/// # Safety
/// `world` must be NULL or a valid world, and `to` must have `length` initialized elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_copy_lines(
    world: *mut World,
    to: *mut u32,
    length: usize,
) -> Status {
    let copy = |world: &mut World, to: &mut [u32]| {
        let [_, lines] = world.counts();
        fill(to, "lines", lines, world.inner.lines())
    };
    // SAFETY: the promise of the caller.
    unsafe { copy_to(world, to, length, copy) }
}
