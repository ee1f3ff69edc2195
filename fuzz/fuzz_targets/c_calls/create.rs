//! Creation of worlds from all sources.

use std::ffi::c_char;
use std::ptr;

use arbitrary::Arbitrary;
use taut::world::LibraryScene;
use taut_c::{
    Cloth, Kernels, Status, World, taut_cloth_default, taut_world_from_file,
    taut_world_from_library, taut_world_from_mesh, taut_world_from_toml,
};
use taut_fuzz::counts::has_allowed_counts;
use taut_fuzz::grammar::SceneText;
use taut_fuzz::numbers::{Count, Number};
use taut_fuzz::scenes::{BODIES, FLAT, SCENES};

use crate::faults::{Array, Fault, Messages, Owned, Text};

/// How to create a world.
#[derive(Arbitrary, Debug)]
pub struct Creation {
    pub source: Source,
    kernels: Option<KernelInput>,
    fault: Fault,
}

/// What a world is made of.
#[derive(Arbitrary, Debug)]
pub enum Source {
    /// The index of a scene of the library, and its size.
    Library(u8, Count),
    /// The index of a valid scene.
    Scene(u8),
    /// The text of a scene file.
    Text(SceneText),
    /// Any bytes, as the text of a scene file.
    Bytes(Vec<u8>),
    /// The index of a path at which there is no readable file.
    File(u8),
    /// A mesh that is a sheet: columns and rows (modulo 7, plus 2), and how it becomes cloth.
    Sheet(u8, u8, Option<ClothInput>),
    /// A mesh: its positions, the corners of its triangles, and how it becomes cloth.
    Mesh(Vec<[Number; 3]>, Vec<[u8; 3]>, Option<ClothInput>),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct ClothInput {
    density: Number,
    resists_bending: bool,
    tethered: bool,
}

impl ClothInput {
    fn cloth(self) -> Cloth {
        let Self { density, resists_bending, tethered } = self;
        Cloth { density: density.value(), resists_bending, tethered }
    }
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct KernelInput {
    kernel: u8,
    threads: u8,
}

impl KernelInput {
    pub fn kernels(self) -> Kernels {
        const NAMES: [&[u8]; 9] =
            [b"scalar", b"pulp", b"grid", b"copies", b"wide", b"colour", b"abacus", b"", b"\xff"];
        let name = NAMES.get(usize::from(self.kernel) % (NAMES.len() + 1));
        let threads = match self.threads {
            255 => u32::MAX,
            254 => 1025,
            other => u32::from(other % 3),
        };
        // The length is ignored if the name is NULL.
        let kernel = name.map_or(ptr::null(), |name| name.as_ptr().cast::<c_char>());
        Kernels { kernel, kernel_length: name.map_or(7, |name| name.len()), threads }
    }
}

impl Source {
    /// Whether all counts that this source requests are small, or so large that they must be rejected.
    fn is_small(&self) -> bool {
        match self {
            Self::Text(SceneText(text)) => has_allowed_counts(text),
            Self::Bytes(bytes) => str::from_utf8(bytes).map_or(true, has_allowed_counts),
            _ => true,
        }
    }

    /// The positions, corners and cloth options, if the source is a mesh.
    fn mesh(&self) -> Option<(Vec<f32>, Vec<u32>, Option<Cloth>)> {
        match self {
            Self::Sheet(columns, rows, cloth) => {
                let [columns, rows] = [columns, rows].map(|&count| 2 + u32::from(count % 7));
                let position =
                    |row: u32, column: u32| [0.05 * column as f32, 0.0, 0.05 * row as f32];
                let points =
                    (0..rows).flat_map(|row| (0..columns).map(move |column| position(row, column)));
                let cells =
                    (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| (row, column)));
                let corners = cells.flat_map(|(row, column)| {
                    let a = row * columns + column;
                    [a, a + columns, a + 1, a + 1, a + columns, a + columns + 1]
                });
                let cloth = cloth.map(ClothInput::cloth);
                Some((points.flatten().collect(), corners.collect(), cloth))
            }
            Self::Mesh(points, triangles, cloth) => {
                let count = points.len().min(24);
                let points = points.iter().take(count).flatten().map(|x| x.value());
                // Rarely, a corner is not the index of a vertex.
                let vertex = |corner: &u8| match *corner {
                    255 => u32::MAX,
                    254 => count as u32,
                    other => u32::from(other) % count.max(1) as u32,
                };
                let corners = triangles.iter().take(32).flatten().map(vertex);
                Some((points.collect(), corners.collect(), cloth.map(ClothInput::cloth)))
            }
            _ => None,
        }
    }
}

impl Creation {
    /// Makes a world. Checks the error if the arguments have a fault; returns `None` after any error.
    pub fn run(&self, messages: &mut Messages) -> Option<Owned> {
        if !self.source.is_small() {
            return None;
        }
        let fault = self.fault;
        // Kernels may be invalid, too. They are passed only without a fault, so that it is known which
        // error is reported.
        let kernels = self.kernels.filter(|_| fault == Fault::None).map(KernelInput::kernels);
        let kernels = kernels.as_ref().map_or(ptr::null(), ptr::from_ref);
        let mut world: *mut World = ptr::null_mut();
        let out = fault.output(&mut world);
        // SAFETY: all pointers are NULL or valid, and lengths are those of their arrays, or larger than
        // memory, which is rejected.
        let (status, error) = unsafe {
            if let Some((positions, triangles, cloth)) = self.source.mesh() {
                let mut positions = Array::new(positions, fault);
                let mut triangles = Array::new(triangles, Fault::None);
                let cloth = cloth.as_ref().map_or(ptr::null(), ptr::from_ref);
                let status = taut_world_from_mesh(
                    positions.pointer(),
                    positions.length(),
                    triangles.pointer(),
                    triangles.length(),
                    cloth,
                    kernels,
                    out,
                );
                (status, positions.error())
            } else {
                self.run_named(kernels, out)
            }
        };
        if let Some(error) = self.fault.output_error().or(error) {
            assert_eq!(status, error, "the error of {:?}", self.fault);
        }
        assert_eq!(messages.check(status) == Status::Ok, !world.is_null());
        (!world.is_null()).then(|| Owned::new(world))
    }

    /// Makes a world of a text: the name of a library scene, a path, or the text of a scene file. Returns
    /// the status, and the error that the fault of the text must give.
    ///
    /// # Safety
    /// `kernels` and `out` must be NULL or valid.
    unsafe fn run_named(
        &self,
        kernels: *const Kernels,
        out: *mut *mut World,
    ) -> (Status, Option<Status>) {
        const FILES: [&str; 4] = ["no-such.toml", ".", "", "a\0b"];
        let text: &[u8] = match &self.source {
            Source::Library(nth, _) => {
                let scene =
                    LibraryScene::ALL.get(usize::from(*nth) % (LibraryScene::ALL.len() + 1));
                scene.map_or("drapes", |scene| scene.name).as_bytes()
            }
            Source::Scene(nth) => {
                let scenes = [SCENES[0], SCENES[1], SCENES[2], FLAT, BODIES];
                scenes[usize::from(*nth) % scenes.len()].as_bytes()
            }
            Source::Text(SceneText(text)) => text.as_bytes(),
            Source::Bytes(bytes) => bytes,
            Source::File(nth) => FILES[usize::from(*nth) % FILES.len()].as_bytes(),
            Source::Sheet(..) | Source::Mesh(..) => b"",
        };
        let text = Text::new(text, self.fault);
        let (start, length) = (text.pointer(), text.length());
        // SAFETY: the text is NULL or has this length, or the length is rejected; the rest is the
        // promise of the caller.
        let status = unsafe {
            match &self.source {
                Source::Library(_, size) => {
                    taut_world_from_library(start, length, size.up_to(8), kernels, out)
                }
                Source::File(_) => taut_world_from_file(start, length, kernels, out),
                _ => taut_world_from_toml(start, length, kernels, out),
            }
        };
        (status, text.error())
    }
}

/// Checks that the default cloth has a valid density, and resists bending and has tethers.
pub fn check_default_cloth() {
    let Cloth { density, resists_bending, tethered } = taut_cloth_default();
    assert!(density > 0.0 && resists_bending && tethered);
}
