//! Calls that step a world, write its snapshot, or restore it.

use std::{ptr, slice};

use arbitrary::Arbitrary;
use taut::COORDINATE_MAX;
use taut_c::{
    Settings, Status, Steps, taut_world_copy_positions, taut_world_restore,
    taut_world_set_settings, taut_world_settings, taut_world_snapshot, taut_world_step,
};
use taut_fuzz::edit::Edit;

use crate::Handle;
use crate::faults::{Array, Effect, Fault, Messages, no_settings};

/// A snapshot, and the state of its world at that time.
pub struct Saved {
    bytes: Vec<u8>,
    hash: u64,
    /// The number of its world.
    number: usize,
    /// Whether all positions are in the valid range, with a margin, so that the snapshot can be
    /// restored.
    is_valid: bool,
}

/// Restores a snapshot, perhaps with edits of its values or of its bytes.
#[derive(Arbitrary, Debug)]
pub struct Restoration {
    /// The index of the snapshot, modulo the number of snapshots.
    nth: u8,
    edits: Vec<Edit>,
    /// Positions of bytes in the snapshot, and their new values.
    bytes: Vec<(u16, u8)>,
    /// How many bytes are removed from the end.
    missing: Option<u16>,
}

impl Handle {
    pub fn positions(&self) -> Vec<f32> {
        let mut positions = vec![0.0; 3 * self.observe().info.vertices];
        let world = self.world.pointer(Fault::None);
        // SAFETY: the world is valid, and the array has this length.
        let status =
            unsafe { taut_world_copy_positions(world, positions.as_mut_ptr(), positions.len()) };
        assert_eq!(status, Status::Ok);
        positions
    }

    fn read_settings(&self) -> Settings {
        let mut settings = no_settings();
        let world = self.world.pointer(Fault::None);
        // SAFETY: the world and the output are valid.
        assert_eq!(unsafe { taut_world_settings(world, &raw mut settings) }, Status::Ok);
        settings
    }

    /// Makes a step take about a millisecond: limits its passes and iterations, and its substeps to at
    /// most 12; a step that would need more of them gets the length 1/60 s. A step of at most 24
    /// iterations in all substeps and passes keeps its settings.
    fn shorten(&self) {
        let settings = self.read_settings();
        let Settings { dt, substeps, passes, iterations, .. } = settings;
        let repetitions = [substeps, passes, iterations.max(1)].map(u64::from);
        if repetitions.iter().product::<u64>() <= 24 {
            return;
        }
        // A substep may have at most 10 s; 8 s leave a margin.
        let substeps_min = (dt / 8.0).ceil().max(1.0) as u32;
        let settings = Settings {
            substeps: substeps.min(3).max(substeps_min),
            passes: passes.min(2),
            iterations: iterations.min(3),
            dt: if substeps_min > 12 { 1.0 / 60.0 } else { dt },
            ..settings
        };
        let settings = Settings { substeps: settings.substeps.min(12), ..settings };
        let world = self.world.pointer(Fault::None);
        // SAFETY: the world and the settings are valid.
        let status = unsafe { taut_world_set_settings(world, &raw const settings) };
        assert!(matches!(status, Status::Ok | Status::InvalidValue), "{settings:?}");
        if status != Status::Ok {
            let settings = Settings { dt: 1.0 / 60.0, substeps: 2, ..settings };
            // SAFETY: the world and the settings are valid.
            let status = unsafe { taut_world_set_settings(world, &raw const settings) };
            assert_eq!(status, Status::Ok, "{settings:?}");
        }
    }

    /// Runs this many steps, and checks their outcome.
    pub fn step(&self, messages: &mut Messages, fault: Fault, steps: u8) {
        if !self.world.is_null() {
            self.shorten();
            *messages = Messages::new(); // `shorten` may have changed the message
        }
        let mut out = Steps { finite: false, torn: usize::MAX, broken: 0 };
        let before = self.observe();
        let status = self.call(messages, fault, Effect::Steps, |world| {
            // SAFETY: the world and the output are NULL or valid.
            unsafe { taut_world_step(world, steps.into(), fault.output(&mut out)) }
        });
        if status != Status::Ok {
            assert_eq!(out.torn, usize::MAX, "a call that failed has written its output");
            return;
        }
        let after = self.observe();
        let done = after.info.steps - before.info.steps;
        assert!(done <= u64::from(steps));
        if fault == Fault::NullOutput {
            return;
        }
        let positions = self.positions();
        let is_finite = positions[..3 * after.info.particles].iter().all(|x| x.is_finite());
        assert_eq!(
            out.finite, is_finite,
            "the outcome says wrongly whether all positions are finite"
        );
        assert!(!out.finite || done == u64::from(steps), "steps are missing");
        assert!(out.torn + after.info.lines >= before.info.lines);
    }

    /// Writes a snapshot of the world. Returns it if that succeeded.
    pub fn snapshot(&self, messages: &mut Messages, fault: Fault) -> Option<Saved> {
        let (mut bytes, mut length) = (ptr::null(), 0);
        let status = self.call(messages, fault, Effect::Reads, |world| {
            // SAFETY: the world and the outputs are NULL or valid.
            unsafe { taut_world_snapshot(world, fault.output(&mut bytes), &raw mut length) }
        });
        if status != Status::Ok {
            assert!(bytes.is_null() && length == 0, "a call that failed has written its output");
            return None;
        }
        // SAFETY: the bytes are valid until the next snapshot of this world.
        let bytes = unsafe { slice::from_raw_parts(bytes, length) }.to_vec();
        let limit = 0.1 * COORDINATE_MAX;
        let is_valid = self.positions().iter().all(|&x| f64::from(x.abs()) < limit);
        Some(Saved { bytes, hash: self.observe().hash, number: self.number, is_valid })
    }

    /// Restores a snapshot that this world has written. Returns whether that succeeded.
    fn resume(&self, messages: &mut Messages, saved: &Saved) -> bool {
        let (bytes, length) = (saved.bytes.as_ptr(), saved.bytes.len());
        let status = self.call(messages, Fault::None, Effect::Changes, |world| {
            // SAFETY: the world is valid, and the bytes have this length.
            unsafe { taut_world_restore(world, bytes, length) }
        });
        if status != Status::Ok {
            assert!(!saved.is_valid, "{status:?}: a world does not resume from its own snapshot");
            return false;
        }
        assert_eq!(self.observe().hash, saved.hash, "a restored world has different bits");
        let again = self.snapshot(messages, Fault::None).expect("the world is valid");
        assert!(again.bytes == saved.bytes, "a restored world has a different state");
        true
    }

    /// Runs two steps, restores the state before them, and runs them again: the bits must be equal.
    pub fn repeat(&self, messages: &mut Messages) {
        let Some(saved) = self.snapshot(messages, Fault::None) else { return };
        self.shorten();
        *messages = Messages::new();
        // A snapshot has the settings, which `shorten` may have changed.
        let saved = self.snapshot(messages, Fault::None).unwrap_or(saved);
        self.step(messages, Fault::None, 2);
        let expected = self.observe();
        if self.resume(messages, &saved) {
            self.step(messages, Fault::None, 2);
            assert_eq!(self.observe().hash, expected.hash, "repeated steps have different bits");
        }
    }
}

impl Restoration {
    pub fn run(&self, handle: &Handle, all: &[Saved], messages: &mut Messages, fault: Fault) {
        let Some(saved) = all.get(usize::from(self.nth) % all.len().max(1)) else { return };
        let is_own = saved.number == handle.number && !handle.world.is_null();
        let is_changed = !self.edits.is_empty() || !self.bytes.is_empty() || self.missing.is_some();
        if is_own && fault == Fault::None && !is_changed {
            handle.resume(messages, saved);
            return;
        }
        let mut bytes = saved.bytes.clone();
        if !self.edits.is_empty() {
            let mut value = serde_json::from_slice(&bytes).expect("a snapshot is JSON");
            self.edits.iter().take(4).for_each(|edit| edit.apply(&mut value));
            bytes = serde_json::to_vec(&value).expect("JSON can be written");
        }
        for &(at, byte) in self.bytes.iter().take(4) {
            let length = bytes.len().max(1);
            bytes.get_mut(usize::from(at) % length).into_iter().for_each(|old| *old = byte);
        }
        if let Some(missing) = self.missing {
            bytes.truncate(bytes.len().saturating_sub(usize::from(missing)));
        }
        let mut bytes = Array::new(bytes, fault);
        let status = handle.call(messages, fault, Effect::Changes, |world| {
            // SAFETY: the world is NULL or valid; the array has this length, or the length is
            // rejected.
            unsafe { taut_world_restore(world, bytes.pointer(), bytes.length()) }
        });
        if handle.world.pointer(fault).is_null() {
            return;
        }
        match fault {
            Fault::NullArray | Fault::Endless => {
                assert_eq!(status, bytes.error().unwrap_or(Status::InvalidSnapshot));
            }
            _ => assert!(
                matches!(status, Status::Ok | Status::InvalidSnapshot),
                "{status:?}: not a status of an edited snapshot"
            ),
        }
    }
}
