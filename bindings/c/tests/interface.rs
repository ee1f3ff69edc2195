//! The C interface, called as C calls it: with pointers and lengths.
#![allow(clippy::float_cmp, reason = "numbers are copied, not computed")]

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

use taut::*;

const HASHES: &str = include_str!("../../hashes.txt");

/// A world that is freed when it is dropped.
struct OwnedWorld(*mut World);

impl Drop for OwnedWorld {
    fn drop(&mut self) {
        // SAFETY: the pointer is NULL or a valid world.
        unsafe { taut_world_free(self.0) }
    }
}

fn text(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

fn message() -> String {
    // SAFETY: the pointer is valid until the next failure of this thread.
    unsafe { CStr::from_ptr(taut_last_error()) }.to_str().unwrap().to_owned()
}

/// Runs a call that creates a world.
fn create(call: impl FnOnce(*mut *mut World) -> Status) -> Result<OwnedWorld, Status> {
    let mut world = ptr::null_mut();
    match call(&raw mut world) {
        Status::Ok => Ok(OwnedWorld(world)),
        status => Err(status),
    }
}

fn library(name: &str, size: usize) -> Result<OwnedWorld, Status> {
    let (name, length) = text(name);
    // SAFETY: the text has this length, and `out` is valid.
    create(|out| unsafe { taut_world_from_library(name, length, size, ptr::null(), out) })
}

fn from_toml(scene: &str) -> Result<OwnedWorld, Status> {
    let (scene, length) = text(scene);
    // SAFETY: the text has this length, and `out` is valid.
    create(|out| unsafe { taut_world_from_toml(scene, length, ptr::null(), out) })
}

fn from_file(path: &str) -> Result<OwnedWorld, Status> {
    let (path, length) = text(path);
    // SAFETY: the text has this length, and `out` is valid.
    create(|out| unsafe { taut_world_from_file(path, length, ptr::null(), out) })
}

/// Runs a call that must succeed, and returns its output.
fn read<T>(call: impl FnOnce(*mut T) -> Status) -> T {
    let mut out = MaybeUninit::uninit();
    assert_eq!(call(out.as_mut_ptr()), Status::Ok, "{}", message());
    // SAFETY: a call that succeeds has written its output.
    unsafe { out.assume_init() }
}

fn hash(world: &OwnedWorld) -> u64 {
    // SAFETY: the world is valid.
    read(|out| unsafe { taut_world_hash(world.0, out) })
}

fn info(world: &OwnedWorld) -> Info {
    // SAFETY: the world is valid.
    read(|out| unsafe { taut_world_info(world.0, out) })
}

#[test]
fn library_scenes_have_the_hashes_of_all_languages() {
    let mut rows = 0;
    for line in HASHES.lines() {
        let row: Vec<&str> = line.split_whitespace().collect();
        let ["library", name, size, steps, expected] = row[..] else { continue };
        let world = library(name, size.parse().unwrap()).unwrap();
        // SAFETY: the world is valid.
        let steps = read(|out| unsafe { taut_world_step(world.0, steps.parse().unwrap(), out) });
        assert!(steps.finite);
        assert_eq!(format!("{:016x}", hash(&world)), expected, "{line}");
        rows += 1;
    }
    // Rows in another format would be skipped, and the test would check nothing.
    assert!(rows > 2, "hashes.txt has {rows} rows of library scenes, expected at least 3");
}

#[test]
fn each_copy_has_the_bits_of_the_scene_alone() {
    const COPIES: usize = 20;
    // Without tethers: the copies of a sheet with tethers are not relaxed together.
    let one = from_toml("[[model]]\nname = \"sheet\"\ndrape = { size = 9 }").unwrap();
    // SAFETY: the world and the output are valid.
    let many = OwnedWorld(read(|out| unsafe { taut_world_repeated(one.0, COPIES, out) }));
    let [vertices, all_vertices] = [&one, &many].map(|world| info(world).vertices);
    assert_eq!(all_vertices, COPIES * vertices);
    let positions = |world: &OwnedWorld, vertices: usize| {
        let mut positions = vec![0.0_f32; 3 * vertices];
        // SAFETY: the world and the array are valid.
        unsafe {
            read(|out| taut_world_step(world.0, 30, out));
            let status =
                taut_world_copy_positions(world.0, positions.as_mut_ptr(), positions.len());
            assert_eq!(status, Status::Ok);
        }
        positions
    };
    let alone = positions(&one, vertices);
    assert!(positions(&many, all_vertices).chunks_exact(alone.len()).all(|copy| copy == alone));
    let mut none = ptr::null_mut();
    // SAFETY: the world is valid.
    let status = unsafe { taut_world_repeated(one.0, usize::MAX, &raw mut none) };
    assert!(status != Status::Ok && none.is_null(), "{status:?}: {}", message());
}

#[test]
fn null_pointers_are_errors() {
    let mut world = ptr::null_mut();
    let name = text("drape");
    // SAFETY: all pointers are NULL or valid.
    unsafe {
        let kernels = ptr::null();
        let status = taut_world_from_library(ptr::null(), 5, 0, kernels, &raw mut world);
        assert_eq!((status, &*message()), (Status::NullPointer, "name is NULL"));
        let status = taut_world_from_library(name.0, name.1, 0, kernels, ptr::null_mut());
        assert_eq!((status, &*message()), (Status::NullPointer, "out is NULL"));
        let status = taut_world_from_mesh(
            ptr::null(),
            9,
            ptr::null(),
            3,
            ptr::null(),
            kernels,
            &raw mut world,
        );
        assert_eq!((status, &*message()), (Status::NullPointer, "positions is NULL"));
        assert!(world.is_null());

        assert_eq!(taut_world_step(world, 1, ptr::null_mut()), Status::NullPointer);
        assert_eq!(message(), "world is NULL");
        assert_eq!(taut_world_pin(world, 0), Status::NullPointer);
        taut_world_free(world);
    }
    let world = library("drape", 8).unwrap();
    // SAFETY: all pointers are NULL or valid.
    unsafe {
        assert_eq!(taut_world_hash(world.0, ptr::null_mut()), Status::NullPointer);
        assert_eq!(taut_world_info(world.0, ptr::null_mut()), Status::NullPointer);
        assert_eq!(taut_world_set_settings(world.0, ptr::null()), Status::NullPointer);
        let mut length = 0;
        let bytes = ptr::null_mut();
        assert_eq!(taut_world_snapshot(world.0, bytes, &raw mut length), Status::NullPointer);
        assert_eq!(taut_world_copy_positions(world.0, ptr::null_mut(), 192), Status::NullPointer);
        assert_eq!(taut_world_step(world.0, 1, ptr::null_mut()), Status::Ok); // the output is optional
    }
}

#[test]
fn wrong_lengths_and_unaligned_arrays_are_errors() {
    let world = library("drape", 8).unwrap();
    let mut positions = vec![7.0_f32; 3 * 64];
    // SAFETY: the arrays have at least the given lengths, or the call does not use them.
    unsafe {
        for length in [0, 3, 191, usize::MAX] {
            let status = taut_world_copy_positions(world.0, positions.as_mut_ptr(), length);
            assert_eq!(status, Status::WrongLength, "{length}");
            // `usize::MAX` is rejected earlier, with another message.
            if length != usize::MAX {
                let expected =
                    format!("the slice of positions has the length {length}, expected 192");
                assert_eq!(message(), expected);
            }
        }
        assert!(positions.iter().all(|&x| x == 7.0));
        // One number less than in `positions`, so that the array is within it.
        let unaligned = positions.as_mut_ptr().byte_add(1);
        assert_eq!(taut_world_copy_positions(world.0, unaligned, 191), Status::WrongLength);
        assert_eq!(message(), "to is not aligned to 4 bytes");
        assert_eq!(taut_world_copy_positions(world.0, positions.as_mut_ptr(), 192), Status::Ok);
        assert_eq!(positions[0], 0.0);

        let mut corners = vec![0; 3];
        let status = taut_world_copy_triangles(world.0, corners.as_mut_ptr(), 3);
        assert_eq!(status, Status::WrongLength);
        let expected = 3 * info(&world).triangles;
        let tail = format!("has the length 3, expected {expected}");
        assert!(message().ends_with(&tail), "{}", message());

        let mut other = ptr::null_mut();
        let status = taut_world_from_mesh(
            positions.as_ptr(),
            191,
            corners.as_ptr(),
            3,
            ptr::null(),
            ptr::null(),
            &raw mut other,
        );
        assert_eq!(status, Status::WrongLength);
        assert_eq!(message(), "the length of positions is 191, not a multiple of 3");
    }
}

#[test]
fn unknown_names_and_invalid_values_are_errors() {
    assert_eq!(library("drapes", 8).err(), Some(Status::UnknownName));
    assert!(message().contains("there is no scene 'drapes' in the library; it has: curtain, "));
    assert_eq!(library("drape", 5000).err(), Some(Status::InvalidScene));

    let world = library("drape", 8).unwrap();
    let (model, length) = text("sheets");
    // SAFETY: the world and the arguments are valid.
    unsafe {
        let mut found = MaybeUninit::uninit();
        let status = taut_world_model_named(world.0, model, length, found.as_mut_ptr());
        assert_eq!(status, Status::UnknownName);
        assert_eq!(message(), "the world has no model 'sheets'");
        assert_eq!(taut_world_model(world.0, 1, found.as_mut_ptr()), Status::OutOfRange);

        assert_eq!(taut_world_pin(world.0, 64), Status::OutOfRange);
        assert!(message().contains("64"));
        assert_eq!(taut_world_tear(world.0, usize::MAX), Status::OutOfRange);
        let nan_point = Point { x: f32::NAN, y: 0.0, z: 0.0 };
        assert_eq!(taut_world_set_position(world.0, 63, nan_point), Status::InvalidValue);
        let origin = Point { x: 0.0, ..nan_point };
        // A free particle cannot be dragged.
        assert_eq!(taut_world_drag(world.0, 63, origin), Status::InvalidValue);
        assert_eq!(taut_world_set_tear_factor(world.0, f32::NAN), Status::InvalidValue);

        let name = "abacus";
        let (kernel, kernel_length) = text(name);
        let kernels = Kernels { kernel, kernel_length, threads: 1 };
        assert_eq!(taut_world_set_kernels(world.0, &raw const kernels), Status::UnknownName);
        let kernels = Kernels { kernel: ptr::null(), kernel_length: 0, threads: u32::MAX };
        assert_eq!(taut_world_set_kernels(world.0, &raw const kernels), Status::Kernels);
        let kernels = Kernels { kernel: c"\xff".as_ptr(), kernel_length: 1, threads: 1 };
        assert_eq!(taut_world_set_kernels(world.0, &raw const kernels), Status::InvalidText);
    }
}

#[test]
fn errors_in_scenes_name_the_line_or_the_file() {
    assert_eq!(from_toml("[step]\nsubstep = 4").err(), Some(Status::InvalidScene));
    assert!(message().starts_with("line 2: unknown field `substep`"), "{}", message());

    // First a file that exists, so that a wrong folder does not cause the error of the next call.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/files");
    assert!(from_file(&format!("{folder}/washing-line.toml")).is_ok(), "{}", message());
    assert_eq!(from_file(&format!("{folder}/no-such.toml")).err(), Some(Status::File));
    assert!(message().contains("no-such.toml: "), "{}", message());
}

#[test]
fn a_mesh_file_that_cannot_be_read_gives_the_status_file() {
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/mesh-files");
    std::fs::create_dir_all(format!("{folder}/folder.obj")).unwrap();
    std::fs::write(format!("{folder}/invalid.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    let cases = [
        ("no-such.obj", Status::File),
        ("folder.obj", Status::File),
        ("invalid.obj", Status::InvalidScene),
        ("../no-such.obj", Status::InvalidScene),
    ];
    for (file, expected) in cases {
        let path = format!("{folder}/scene.toml");
        let scene =
            format!("[[model]]\nname = \"cloth\"\nmesh = {{ file = \"{file}\", density = 1 }}\n");
        std::fs::write(&path, scene).unwrap();
        assert_eq!(from_file(&path).err(), Some(expected), "{}", message());
        assert!(message().starts_with(&format!("{path}: line 3: ")), "{}", message());
        assert!(message().contains(file), "{}", message());
    }
}

#[test]
fn a_scene_that_cannot_become_a_world_gives_the_status_invalid_scene() {
    let springs = "[[model]]\nname = \"sheet\"\ndrape = { size = 8 }\nsprings = { stiffness = 1e9, damping = 0 }";
    assert_eq!(from_toml(springs).err(), Some(Status::InvalidScene), "{}", message());
    assert!(message().contains("substep"), "{}", message());

    // In a later call an invalid value is an argument of that call, not of the scene, so the status is different.
    // A step of 1000 s has 8 substeps, which are longer than the limit of 10 s.
    let world = from_toml("[[model]]\nname = \"sheet\"\ndrape = { size = 8 }").unwrap();
    // SAFETY: the arguments are valid.
    unsafe {
        let settings = read(|out| taut_world_settings(world.0, out));
        for settings in [
            Settings { dt: 1e3, ..settings },
            Settings { substeps: 0, ..settings },
            Settings { passes: 1001, ..settings },
        ] {
            let status = taut_world_set_settings(world.0, &raw const settings);
            assert_eq!(status, Status::InvalidValue, "{}", message());
        }
    }
}

#[test]
fn a_torn_stick_has_no_ends_and_is_not_among_the_lines() {
    let world = library("drape", 8).unwrap();
    let before = info(&world);
    let ends = |stick| {
        // SAFETY: the world is valid.
        let read_ends = |out: *mut [u32; 2]| unsafe {
            let a = out.cast::<u32>();
            taut_world_stick(world.0, stick, a, a.add(1))
        };
        read(read_ends)
    };
    assert_eq!(ends(1), [0, 8]);
    // SAFETY: the world is valid.
    assert_eq!(unsafe { taut_world_tear(world.0, 1) }, Status::Ok);
    assert_eq!(ends(1), [u32::MAX; 2]);
    let after = info(&world);
    assert_eq!(after.lines, before.lines - 1);
    assert!(after.triangles < before.triangles && after.drawing_version > before.drawing_version);
    assert_eq!(after.sticks, before.sticks);

    let mut lines = vec![0_u32; 2 * after.lines];
    // SAFETY: the array has this length.
    let status = unsafe { taut_world_copy_lines(world.0, lines.as_mut_ptr(), lines.len()) };
    assert_eq!(status, Status::Ok);
    assert!(!lines.as_chunks::<2>().0.contains(&[0, 8]));
}

#[test]
fn a_mesh_with_an_invalid_triangle_or_position_is_an_error() {
    let positions = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f32];
    let make = |triangle: [u32; 3], positions: [f32; 9]| {
        let mut world = ptr::null_mut();
        // SAFETY: the arguments are valid.
        let status = unsafe {
            let (cloth, kernels) = (ptr::null(), ptr::null());
            let (positions, corners) = (positions.as_ptr(), triangle.as_ptr());
            taut_world_from_mesh(positions, 9, corners, 3, cloth, kernels, &raw mut world)
        };
        drop(OwnedWorld(world));
        status
    };
    assert_eq!(make([0, 1, 2], positions), Status::Ok);
    assert_eq!(make([0, 1, 3], positions), Status::InvalidScene);
    assert!(message().contains('3'), "{}", message());
    assert_eq!(make([0, 1, 1], positions), Status::InvalidScene);
    let mut positions = positions;
    positions[4] = f32::NAN;
    assert_eq!(make([0, 1, 2], positions), Status::InvalidScene);
}

#[test]
fn a_world_may_move_between_threads() {
    struct SendWorld(OwnedWorld);
    // SAFETY: any thread may use a world, one at a time.
    unsafe impl Send for SendWorld {}
    let simulate = |world: SendWorld| {
        let SendWorld(world) = world;
        // SAFETY: the world is valid.
        let status = unsafe { taut_world_step(world.0, 30, ptr::null_mut()) };
        assert_eq!(status, Status::Ok);
        (hash(&world), SendWorld(world))
    };
    let worlds = [(); 3].map(|()| SendWorld(library("drape", 16).unwrap()));
    let threads = worlds.map(|world| std::thread::spawn(move || simulate(world)));
    let [(one, world), (two, _), (three, _)] = threads.map(|thread| thread.join().unwrap());
    assert!(one == two && two == three);
    let (after, _world) = simulate(world);
    assert_ne!(after, one);
}

#[test]
fn a_world_in_which_a_call_panicked_can_only_be_freed() {
    let world = library("drape", 8).unwrap();
    // SAFETY: the world is valid.
    unsafe {
        let status = guard::with_world(world.0, |_| panic!("test panic"));
        assert_eq!((status, &*message()), (Status::Panicked, "the call panicked: test panic"));
        assert_eq!(taut_world_step(world.0, 1, ptr::null_mut()), Status::Poisoned);
        assert!(message().contains("can only be freed"));
        let mut hash = 0;
        assert_eq!(taut_world_hash(world.0, &raw mut hash), Status::Poisoned);
    }
    // Each thread has its own message, and other worlds are not affected.
    std::thread::spawn(|| {
        assert_eq!(message(), "");
        assert!(library("drape", 8).is_ok());
    })
    .join()
    .unwrap();
}

#[test]
fn a_restored_world_repeats_its_steps_and_lends_its_vertices() {
    let world = library("curtain", 16).unwrap();
    let step = |steps| {
        // SAFETY: the world is valid.
        assert!(read(|out| unsafe { taut_world_step(world.0, steps, out) }).finite);
    };
    step(10);
    let (mut bytes, mut length) = (ptr::null(), 0);
    // SAFETY: the arguments are valid.
    let status = unsafe { taut_world_snapshot(world.0, &raw mut bytes, &raw mut length) };
    assert_eq!(status, Status::Ok);
    // SAFETY: the bytes are valid until the next snapshot.
    let snapshot = unsafe { std::slice::from_raw_parts(bytes, length) }.to_vec();
    step(10);
    let after = hash(&world);
    // SAFETY: the arguments are valid.
    unsafe {
        let (bytes, length) = (snapshot.as_ptr(), snapshot.len());
        assert_eq!(taut_world_restore(world.0, bytes, length - 1), Status::InvalidSnapshot);
        assert_eq!(hash(&world), after);
        assert_eq!(taut_world_restore(world.0, bytes, length), Status::Ok);
    }
    assert_eq!(info(&world).steps, 10);
    step(10);
    assert_eq!(hash(&world), after);

    let vertices = info(&world).vertices;
    let (mut lent, mut length) = (ptr::null(), 0);
    let (mut positions, mut normals) = (vec![0.0; 3 * vertices], vec![0.0; 3 * vertices]);
    let mut copied = vec![0.0; 6 * vertices];
    // SAFETY: the arguments are valid, and nothing changes the world while the vertices are read.
    let lent = unsafe {
        let status = taut_world_lend_vertices(world.0, &raw mut lent, &raw mut length);
        assert_eq!((status, length), (Status::Ok, 6 * vertices));
        let (to, len) = (positions.as_mut_ptr(), positions.len());
        assert_eq!(taut_world_copy_positions(world.0, to, len), Status::Ok);
        let (to, len) = (normals.as_mut_ptr(), normals.len());
        assert_eq!(taut_world_copy_normals(world.0, to, len), Status::Ok);
        let (to, len) = (copied.as_mut_ptr(), copied.len());
        assert_eq!(taut_world_copy_vertices(world.0, to, len), Status::Ok);
        std::slice::from_raw_parts(lent, length)
    };
    assert_eq!(copied, lent);
    let rows = positions.as_chunks::<3>().0.iter().zip(normals.as_chunks::<3>().0);
    assert!(
        lent.as_chunks::<6>()
            .0
            .iter()
            .zip(rows)
            .all(|(row, (p, n))| row[..3] == *p && row[3..] == *n)
    );
}
