//! Calls that read a world, or find particles of it.

use std::{ptr, slice, str};

use arbitrary::Arbitrary;
use taut_c::{
    Info, Kind, Model, Point, Status, World, taut_world_copy_lines, taut_world_copy_normals,
    taut_world_copy_positions, taut_world_copy_triangles, taut_world_copy_vertices,
    taut_world_group, taut_world_hash, taut_world_info, taut_world_lend_vertices, taut_world_model,
    taut_world_model_named, taut_world_nearest, taut_world_nearest_to_ray, taut_world_position,
    taut_world_settings, taut_world_stick,
};
use taut_fuzz::numbers::{Index, Number};

use crate::faults::{Array, Effect, Fault, Messages, Text, no_info, no_settings, point};
use crate::{Handle, Point3, c_point};

/// The content of an array before a call fills it. It is never a vertex index, and as the bits of a
/// float it is NaN.
const UNTOUCHED: u32 = 0xfff0_0001;

/// A call that reads.
#[derive(Arbitrary, Debug)]
pub enum Read {
    Hash,
    Info,
    Settings,
    Model(Index),
    ModelNamed(u8),
    /// The indices of the names of a model and a group, and whether to read the particles of the group or
    /// only their number.
    Group(u8, u8, bool),
    Position(Index),
    Stick(Index),
    Nearest(Point3, Number),
    NearestToRay(Point3, Point3, Number),
    Positions,
    Normals,
    Vertices,
    Lend,
    Triangles,
    Lines,
}

/// Names of models in the scenes of this target and of the library, and names that no model has.
const MODELS: [&str; 10] =
    ["cloth", "rope", "curtain", "flag", "rug", "disc 3", "doll", "m0", "", "no such"];
/// Names of groups, and names that no group has.
const GROUPS: [&str; 8] = ["top", "left", "corners", "body", "head", "particles", "", "no such"];

/// Makes calls that read, and checks their outputs.
struct Reader<'a> {
    handle: &'a Handle,
    messages: &'a mut Messages,
    fault: Fault,
    info: Info,
}

impl Read {
    pub fn run(&self, handle: &Handle, messages: &mut Messages, fault: Fault) {
        let info = handle.observe().info;
        let mut reader = Reader { handle, messages, fault, info };
        match self {
            Self::Hash | Self::Info | Self::Settings => reader.hash_info_or_settings(self),
            Self::Model(nth) => reader.model(nth.of(info.models)),
            Self::ModelNamed(nth) => {
                reader.model_named(MODELS[usize::from(*nth) % MODELS.len()]);
            }
            Self::Group(model, group, reads) => {
                let model = MODELS[usize::from(*model) % MODELS.len()];
                reader.group(model, GROUPS[usize::from(*group) % GROUPS.len()], *reads);
            }
            Self::Position(nth) => reader.position(nth.of(info.particles)),
            Self::Stick(nth) => reader.stick(nth.of(info.sticks)),
            Self::Nearest(..) | Self::NearestToRay(..) => reader.nearest(self),
            Self::Positions => {
                reader.floats(3, taut_world_copy_positions);
            }
            Self::Normals => reader.normals(),
            Self::Vertices | Self::Lend => reader.lent_vertices(),
            Self::Triangles => {
                reader.indices(3 * info.triangles, info.vertices, taut_world_copy_triangles);
            }
            Self::Lines => reader.indices(2 * info.lines, info.particles, taut_world_copy_lines),
        }
    }
}

impl Reader<'_> {
    fn call(&mut self, call: impl FnOnce(*mut World) -> Status) -> Status {
        self.handle.call(self.messages, self.fault, Effect::Reads, call)
    }

    fn has_world(&self) -> bool {
        !self.handle.world.pointer(self.fault).is_null()
    }

    /// Checks that a call failed with `error`, or succeeded if that is `None`. (`Handle::call` checks
    /// calls without a world.)
    fn expect(&self, status: Status, error: Option<Status>) {
        if self.has_world() {
            assert_eq!(status, error.unwrap_or(Status::Ok), "{:?}", self.fault);
        }
    }

    fn hash_info_or_settings(&mut self, read: &Read) {
        let fault = self.fault;
        let (mut hash, mut info) = (0, no_info());
        let mut settings = no_settings();
        let status = self.call(|world| {
            // SAFETY: the world and the outputs are NULL or valid.
            unsafe {
                match read {
                    Read::Hash => taut_world_hash(world, fault.output(&mut hash)),
                    Read::Info => taut_world_info(world, fault.output(&mut info)),
                    _ => taut_world_settings(world, fault.output(&mut settings)),
                }
            }
        });
        self.expect(status, fault.output_error());
        if status != Status::Ok {
            assert!(hash == 0 && info == no_info() && settings.dt == 0.0);
        }
    }

    fn check_model(&self, model: &Model) {
        let Model { first_particle, particles, first_stick, sticks, .. } = *model;
        assert!(first_particle + particles <= self.info.particles);
        assert!(first_stick + sticks <= self.info.sticks);
        // SAFETY: the name is valid until the world is freed or restored.
        let name = unsafe { slice::from_raw_parts(model.name.cast::<u8>(), model.name_length) };
        let name = str::from_utf8(name).expect("names are UTF-8");
        let mut found = no_model();
        let (start, length) = (name.as_ptr().cast(), name.len());
        let world = self.handle.world.pointer(Fault::None);
        // SAFETY: the arguments are valid.
        let status = unsafe { taut_world_model_named(world, start, length, &raw mut found) };
        assert_eq!((status, found.first_particle), (Status::Ok, first_particle));
    }

    fn model(&mut self, nth: usize) {
        let (fault, mut found) = (self.fault, no_model());
        let status = self.call(|world| {
            // SAFETY: the world and the output are NULL or valid.
            unsafe { taut_world_model(world, nth, fault.output(&mut found)) }
        });
        let missing = (nth >= self.info.models).then_some(Status::OutOfRange);
        self.expect(status, fault.output_error().or(missing));
        if status == Status::Ok {
            self.check_model(&found);
        }
    }

    fn model_named(&mut self, name: &str) {
        let (fault, mut found) = (self.fault, no_model());
        let name = Text::new(name, fault);
        let status = self.call(|world| {
            // SAFETY: the world and the output are NULL or valid; the name has its length, or the
            // length is rejected.
            unsafe {
                taut_world_model_named(
                    world,
                    name.pointer(),
                    name.length(),
                    fault.output(&mut found),
                )
            }
        });
        match fault.output_error().or(name.error()) {
            Some(error) => self.expect(status, Some(error)),
            None if status == Status::Ok => self.check_model(&found),
            None => self.expect(status, Some(Status::UnknownName)),
        }
    }

    fn group(&mut self, model: &str, group: &str, reads: bool) {
        let model = Text::new(model, self.fault);
        let group = Text::new(group, Fault::None);
        let (status, count) = self.call_group(&model, &group, ptr::null_mut(), 0);
        if status != Status::Ok {
            let error = self.fault.output_error().or(model.error());
            self.expect(status, Some(error.unwrap_or(Status::UnknownName)));
            assert_eq!(count, usize::MAX, "a call that failed has written its output");
            return;
        }
        assert!(count <= self.info.particles);
        let mut array = Array::new(vec![usize::MAX; count], self.fault);
        let (to, length) = (array.pointer(), array.length());
        if !reads || length == 0 {
            return;
        }
        let (status, _) = self.call_group(&model, &group, to, length);
        self.expect(status, array.error());
        let all = array.elements();
        assert!(match status {
            Status::Ok => all.iter().all(|&particle| particle < self.info.particles),
            _ => all.iter().all(|&untouched| untouched == usize::MAX),
        });
    }

    /// Reads the particles of a group into an array. Returns the status, and the number of particles
    /// that the call has written to its output.
    fn call_group(
        &mut self,
        model: &Text,
        group: &Text,
        to: *mut usize,
        length: usize,
    ) -> (Status, usize) {
        let (fault, mut count) = (self.fault, usize::MAX);
        let status = self.call(|world| {
            // SAFETY: the world, the output and the array are NULL or valid; the names and the array
            // have their lengths, or the length is rejected.
            unsafe {
                taut_world_group(
                    world,
                    model.pointer(),
                    model.length(),
                    group.pointer(),
                    group.length(),
                    to,
                    length,
                    fault.output(&mut count),
                )
            }
        });
        (status, count)
    }

    fn position(&mut self, nth: usize) {
        let (fault, mut found) = (self.fault, point([0.0; 3]));
        let status = self.call(|world| {
            // SAFETY: the world and the output are NULL or valid.
            unsafe { taut_world_position(world, nth, fault.output(&mut found)) }
        });
        let missing = (nth >= self.info.particles).then_some(Status::OutOfRange);
        self.expect(status, fault.output_error().or(missing));
        if status == Status::Ok {
            let Point { x, y, z } = found;
            let all = self.handle.positions();
            let row = [x, y, z].map(f32::to_bits);
            let copied = all[3 * nth..][..3].iter().map(|x| x.to_bits());
            assert!(copied.eq(row), "a position differs from the copy of all positions");
        }
    }

    fn stick(&mut self, nth: usize) {
        let fault = self.fault;
        let (mut a, mut b) = (UNTOUCHED, UNTOUCHED);
        let status = self.call(|world| {
            // SAFETY: the world and the outputs are NULL or valid.
            unsafe { taut_world_stick(world, nth, &raw mut a, fault.output(&mut b)) }
        });
        let missing = (nth >= self.info.sticks).then_some(Status::OutOfRange);
        self.expect(status, fault.output_error().or(missing));
        let exists = [a, b].iter().all(|&end| (end as usize) < self.info.particles);
        assert!(match status {
            // A torn stick has `u32::MAX` for both ends.
            Status::Ok => exists || [a, b] == [u32::MAX; 2],
            _ => [a, b] == [UNTOUCHED; 2],
        });
    }

    fn nearest(&mut self, read: &Read) {
        let (fault, mut found) = (self.fault, 1 << 40);
        let status = self.call(|world| {
            let out = fault.output(&mut found);
            // SAFETY: the world and the output are NULL or valid.
            unsafe {
                match read {
                    Read::Nearest(to, within) => {
                        taut_world_nearest(world, c_point(*to), within.value(), out)
                    }
                    Read::NearestToRay(origin, direction, within) => taut_world_nearest_to_ray(
                        world,
                        c_point(*origin),
                        c_point(*direction),
                        within.value(),
                        out,
                    ),
                    _ => unreachable!("neither Nearest nor NearestToRay"),
                }
            }
        });
        self.expect(status, fault.output_error());
        if status == Status::Ok {
            assert!(found < self.info.particles || found == usize::MAX);
        }
    }

    /// Makes a call that copies `per_vertex` floats for each vertex. Returns them if it succeeded.
    fn floats(
        &mut self,
        per_vertex: usize,
        copy: unsafe extern "C" fn(*mut World, *mut f32, usize) -> Status,
    ) -> Option<Vec<f32>> {
        let untouched = vec![f32::from_bits(UNTOUCHED); per_vertex * self.info.vertices];
        let mut array = Array::new(untouched, self.fault);
        let status = self.call(|world| {
            // SAFETY: the world is NULL or valid; the array is NULL or has its length, or is rejected.
            unsafe { copy(world, array.pointer(), array.length()) }
        });
        self.expect(status, array.error());
        let is_untouched = array.elements().iter().all(|x| x.to_bits() == UNTOUCHED);
        assert!(status == Status::Ok || is_untouched, "a call that failed has written");
        (status == Status::Ok).then(|| array.elements().to_vec())
    }

    fn normals(&mut self) {
        let Some(normals) = self.floats(3, taut_world_copy_normals) else { return };
        // Normals may be inaccurate where coordinates are large.
        let is_usual = self.handle.positions().iter().all(|x| x.abs() < 1e3);
        for row in normals.as_chunks::<3>().0 {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!(!is_usual || (length - 1.0).abs() < 1e-3, "not a unit normal: {row:?}");
        }
    }

    /// Checks that the vertices that the library lends equal those that it copies.
    fn lent_vertices(&mut self) {
        let Some(copied) = self.floats(6, taut_world_copy_vertices) else { return };
        let (fault, mut vertices, mut length) = (self.fault, ptr::null(), 0);
        let status = self.call(|world| {
            // SAFETY: the world and the outputs are NULL or valid.
            unsafe { taut_world_lend_vertices(world, fault.output(&mut vertices), &raw mut length) }
        });
        self.expect(status, fault.output_error());
        if status == Status::Ok && length > 0 {
            // SAFETY: the array is valid until the world is changed.
            let lent = unsafe { slice::from_raw_parts(vertices, length) };
            let bits = |floats: &[f32]| floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(lent), bits(&copied));
        }
    }

    /// Makes a call that copies `count` indices, and checks that all are less than `below`.
    fn indices(
        &mut self,
        count: usize,
        below: usize,
        copy: unsafe extern "C" fn(*mut World, *mut u32, usize) -> Status,
    ) {
        let mut array = Array::new(vec![UNTOUCHED; count], self.fault);
        let status = self.call(|world| {
            // SAFETY: the world is NULL or valid; the array is NULL or has its length, or is rejected.
            unsafe { copy(world, array.pointer(), array.length()) }
        });
        self.expect(status, array.error());
        let all = array.elements();
        assert!(match status {
            Status::Ok => all.iter().all(|&index| (index as usize) < below),
            _ => all.iter().all(|&index| index == UNTOUCHED),
        });
    }
}

/// The content of an output before a call writes it.
fn no_model() -> Model {
    Model {
        name: ptr::null(),
        name_length: 0,
        kind: Kind::Cloth,
        first_particle: 0,
        particles: 0,
        first_stick: 0,
        sticks: 0,
    }
}
