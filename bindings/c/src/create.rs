//! Creates and frees worlds.

use std::cell::Cell;
use std::ffi::c_char;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use taut_mesh::{LoadInFolderError, MeshError, Problem, TriangleMesh, load_in_folder};
use taut_rs::{AnyWorld, Bending, KernelChoice, KernelName, MeshCloth, UnknownKernelName};

use crate::guard::{World, array, check_output, guard, read_to, text};
use crate::status::{Failure, Status};

/// The kernels of a world. They affect its speed, not its results.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// The name of the kernel: `scalar`, `pulp`, `grid` or `copies`. NULL: the best of this machine.
    pub kernel: *const c_char,
    /// The length of the name, without a NUL at its end.
    pub kernel_length: usize,
    /// The number of threads, counting the one that calls: at most 1024. 0 is treated as 1.
    pub threads: u32,
}

/// Properties of the cloth that a mesh becomes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Cloth {
    /// Mass per area, kg/m².
    pub density: f32,
    /// Whether it resists bending.
    pub resists_bending: bool,
    /// Whether its particles are tethered to pinned ones, which keeps it stiff.
    pub tethered: bool,
}

/// The cloth that `taut_world_from_mesh` makes if its argument `cloth` is NULL: 0.2 kg/m², resists
/// bending, tethered.
#[unsafe(no_mangle)]
pub extern "C" fn taut_cloth_default() -> Cloth {
    let MeshCloth { density, bending, tethered } = MeshCloth::default();
    Cloth { density, resists_bending: bending == Bending::Sticks, tethered }
}

impl From<UnknownKernelName> for Failure {
    fn from(error: UnknownKernelName) -> Self {
        Self::new(Status::UnknownName, error.to_string())
    }
}

/// The kernel choice that `kernels` points to; NULL: the best, on one thread.
///
/// # Safety
/// `kernels` must be NULL or point to a [`Kernels`], whose `kernel` must be NULL or point to
/// `kernel_length` bytes.
pub(crate) unsafe fn choice(kernels: *const Kernels) -> Result<KernelChoice, Failure> {
    // SAFETY: the promise of the caller.
    let Some(&Kernels { kernel, kernel_length, threads }) = (unsafe { kernels.as_ref() }) else {
        return Ok(KernelChoice::default());
    };
    let name = if kernel.is_null() {
        None
    } else {
        // SAFETY: the promise of the caller.
        Some(unsafe { text(kernel, kernel_length, "kernel") }?)
    };
    let kernel = name.map(str::parse::<KernelName>).transpose()?;
    Ok(KernelChoice { kernel, isa: None, threads: threads.max(1) as usize })
}

/// Runs a call that makes a world, and writes the pointer to the world to `out`.
///
/// # Safety
/// `out` must be NULL or point to a pointer that may be written.
unsafe fn create(out: *mut *mut World, make: impl FnOnce() -> Result<AnyWorld, Failure>) -> Status {
    guard(|| {
        check_output(out, "out")?;
        let world = Box::into_raw(Box::new(World::new(make()?)));
        // SAFETY: it is not NULL, and the caller promises that it may be written.
        unsafe { out.write(world) };
        Ok(())
    })
}

/// Makes the world of a scene of the library, such as `curtain`. `size` 0 selects the default size.
/// `kernels` may be NULL: the best, on one thread.
///
/// # Safety
/// `name` must have `name_length` bytes. `kernels` must be NULL or point to kernels, and `out` must
/// be NULL or point to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_from_library(
    name: *const c_char,
    name_length: usize,
    size: usize,
    kernels: *const Kernels,
    out: *mut *mut World,
) -> Status {
    let make = || {
        // SAFETY: the promise of the caller.
        let (name, kernels) = unsafe { (text(name, name_length, "name")?, choice(kernels)?) };
        AnyWorld::from_library(name, (size > 0).then_some(size), &kernels)
            .map_err(Failure::of_creation)
    };
    // SAFETY: the promise of the caller.
    unsafe { create(out, make) }
}

/// Makes the world of a scene in TOML that names no mesh files: docs/scenes.md lists all keys.
/// `kernels` may be NULL: the best, on one thread.
///
/// # Safety
/// `scene` must have `scene_length` bytes. `kernels` must be NULL or point to kernels, and `out`
/// must be NULL or point to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_from_toml(
    scene: *const c_char,
    scene_length: usize,
    kernels: *const Kernels,
    out: *mut *mut World,
) -> Status {
    let make = || {
        // SAFETY: the promise of the caller.
        let (scene, kernels) = unsafe { (text(scene, scene_length, "scene")?, choice(kernels)?) };
        AnyWorld::from_toml(scene, &kernels).map_err(Failure::of_creation)
    };
    // SAFETY: the promise of the caller.
    unsafe { create(out, make) }
}

/// Makes the world of a scene file (TOML). Mesh files that it names are read from its folder or
/// below it. The status is `TAUT_STATUS_FILE` if the scene file or a mesh file cannot be read, and
/// `TAUT_STATUS_INVALID_SCENE` if the name of a mesh file leads out of the folder. `kernels` may be
/// NULL: the best, on one thread.
///
/// # Safety
/// `path` must have `path_length` bytes. `kernels` must be NULL or point to kernels, and `out` must
/// be NULL or point to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_from_file(
    path: *const c_char,
    path_length: usize,
    kernels: *const Kernels,
    out: *mut *mut World,
) -> Status {
    let make = || {
        // SAFETY: the promise of the caller.
        let (path, kernels) = unsafe { (text(path, path_length, "path")?, choice(kernels)?) };
        let unreadable = |error| Failure::new(Status::File, format!("{path}: {error}"));
        let scene = fs::read_to_string(path).map_err(unreadable)?;
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        // `AnyWorldError` has only the message of an error of a mesh file; its kind is stored here.
        let is_unreadable = Cell::new(false);
        let load_mesh = |file: &str| {
            let mesh = load_in_folder(folder, file);
            is_unreadable.set(mesh.as_ref().is_err_and(is_read_error));
            let TriangleMesh { positions, triangles } = mesh?;
            Ok((positions, triangles))
        };
        AnyWorld::from_toml_with(&scene, &load_mesh, &kernels).map_err(|error| {
            let Failure { status, message } = Failure::of_creation(error);
            let status = if is_unreadable.get() { Status::File } else { status };
            Failure::new(status, format!("{path}: {message}"))
        })
    };
    // SAFETY: the promise of the caller.
    unsafe { create(out, make) }
}

/// Whether a mesh file cannot be read. False for a file with invalid content, and for a file name that is rejected.
fn is_read_error(error: &LoadInFolderError) -> bool {
    let LoadInFolderError::Mesh(MeshError { problem, .. }) = error else { return false };
    matches!(problem, Problem::Unreadable { .. } | Problem::NotAFile)
}

/// Makes a world with one model, `cloth`, from a triangle mesh. `positions` has x, y, z of each
/// vertex, m; `triangles` has three vertex indices each, counter-clockwise from outside.
/// Nothing is pinned. `cloth` may be NULL: see `taut_cloth_default`. `kernels` may be NULL: the
/// best, on one thread.
///
/// # Safety
/// The arrays must have the given numbers of elements. `cloth` must be NULL or point to a cloth,
/// `kernels` must be NULL or point to kernels, and `out` must be NULL or point to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_from_mesh(
    positions: *const f32,
    positions_length: usize,
    triangles: *const u32,
    triangles_length: usize,
    cloth: *const Cloth,
    kernels: *const Kernels,
    out: *mut *mut World,
) -> Status {
    let make = || {
        // SAFETY: the promise of the caller.
        let (positions, triangles, cloth, kernels) = unsafe {
            let positions = array(positions, positions_length, "positions")?;
            let triangles = array(triangles, triangles_length, "triangles")?;
            (positions, triangles, cloth.as_ref(), choice(kernels)?)
        };
        let Cloth { density, resists_bending, tethered } =
            cloth.copied().unwrap_or(taut_cloth_default());
        let bending = if resists_bending { Bending::Sticks } else { Bending::Free };
        let cloth = MeshCloth { density, bending, tethered };
        let positions = triples("positions", positions)?;
        let triangles = triples("triangles", triangles)?;
        AnyWorld::from_mesh(positions, triangles, &cloth, &kernels).map_err(Failure::of_creation)
    };
    // SAFETY: the promise of the caller.
    unsafe { create(out, make) }
}

/// Makes a world of `copies` copies of the scene that a world was made from, with the wind of that world, but
/// with the initial state and settings of the scene, and no tear factor. Copies do not collide with each other;
/// each has the same bits as alone. The vertices are in the order of the copies. A scene with self-collision,
/// limbs, bodies or ties is an error.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_repeated(
    world: *mut World,
    copies: usize,
    out: *mut *mut World,
) -> Status {
    let make = |world: &mut World| {
        let repeated = world.inner.repeated(copies).map_err(Failure::of_creation)?;
        Ok(Box::into_raw(Box::new(World::new(repeated))))
    };
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, make) }
}

/// The numbers of an array in groups of three.
fn triples<'a, T>(name: &str, values: &'a [T]) -> Result<&'a [[T; 3]], Failure> {
    let (triples, rest) = values.as_chunks();
    if rest.is_empty() {
        return Ok(triples);
    }
    let message = format!("the length of {name} is {}, not a multiple of 3", values.len());
    Err(Failure::new(Status::WrongLength, message))
}

/// Frees a world. NULL is ignored.
///
/// # Safety
/// `world` must be NULL or a valid world. After the call it is no longer valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_free(world: *mut World) {
    if world.is_null() {
        return;
    }
    // SAFETY: `create` or `taut_world_repeated` made the pointer from a box, and the caller no longer uses it.
    let world = unsafe { Box::from_raw(world) };
    // If freeing a poisoned world panics, the rest of its memory leaks.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(world)));
}
