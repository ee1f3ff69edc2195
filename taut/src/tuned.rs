//! Saved tunings.

use alloc::format;
use alloc::string::String;

use taut_core::{Formula, LimitError, PARTICLES_MAX, STICKS_MAX, Sticks, check_limit};
use taut_world::{Arranged, Arrangement, ArrangementError, Model};

use crate::{AnyKernel, KernelChoice};

/// A tuning: the kernel, number of threads, order and formula that were chosen for a mesh by
/// measurement on a machine. `taut tune --save` writes it; with the feature `serde` it can be read
/// from any serde format.
///
/// The schedule and the formula decide the result, so a different tuning can change the result. The
/// kernel, its threads and a renumbering after ordering (`blocked+hilbert`) cannot.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use taut::prelude::*;
/// use taut::Tuned;
/// use taut::world::{Arranged, Model, StickSet};
///
/// let model = Model::sphere(10, StickSet::All)?; // or a model of your own mesh
/// # let taut::Fingerprint { particles, sticks, ends } = taut::Fingerprint::of(&model.sticks);
/// # let text = format!(r#"{{ "kernel": "scalar", "threads": 1, "schedule": "blocked+hilbert",
/// #   "formula": "halley", "mesh": {{ "particles": {particles}, "sticks": {sticks},
/// #   "ends": "{ends:016x}" }}, "substeps": 1, "iterations": 8, "residual_rms": 0.01,
/// #   "ns_per_stick": 4.0, "machine": "" }}"#);
/// let tuned: Tuned = serde_json::from_str(&text)?;
/// let Arranged { mut particles, sticks, schedule, .. } = tuned.arrange(&model)?;
/// let mut plan = tuned.to_kernel()?.plan(&particles, &sticks, &schedule, tuned.formula)?;
/// assert!(plan.step(&mut particles, &sticks, &Step::default())?.finite);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tuned {
    /// The kernel's name; its instruction set is the best that the machine has for it.
    pub kernel: String,
    /// The number of threads.
    pub threads: usize,
    /// The arrangement: the order of the sticks and the numbering of the particles.
    pub schedule: Arrangement,
    /// The formula.
    pub formula: Formula,
    /// The mesh that was tuned.
    pub mesh: Fingerprint,
    /// How many copies of the mesh were stepped together, side by side; 1 if a file does not have
    /// this field.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub copies: usize,
    /// Substeps per frame in the measurement.
    pub substeps: u32,
    /// Iterations per substep in the measurement.
    pub iterations: u32,
    /// Root mean square residual (stretch and compression together) in the measurement, relative to
    /// the rest lengths.
    // Tunings that were saved before the field was renamed have the key `stretch_rms`.
    #[cfg_attr(feature = "serde", serde(alias = "stretch_rms"))]
    pub residual_rms: f64,
    /// Median time of a whole frame in the measurement, divided by sticks, iterations and substeps,
    /// ns.
    pub ns_per_stick: f64,
    /// The machine of the measurement.
    pub machine: String,
}

/// Identifies the sticks of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fingerprint {
    /// The number of particles.
    pub particles: usize,
    /// The number of sticks.
    pub sticks: usize,
    /// The [hash of their ends](Sticks::fingerprint).
    #[cfg_attr(feature = "serde", serde(with = "hexadecimal"))]
    pub ends: u64,
}

/// Why a tuning cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TunedError {
    /// The tuning was made for different sticks.
    #[error(
        "the tuning was made for another mesh: expected {} particles and {} sticks with \
         fingerprint {:016x}, found {} particles and {} sticks with fingerprint {:016x}",
        .tuned.particles, .tuned.sticks, .tuned.ends, .given.particles, .given.sticks, .given.ends
    )]
    OtherMesh {
        /// The sticks that the tuning was made for.
        tuned: Fingerprint,
        /// The sticks given.
        given: Fingerprint,
    },
    /// The kernel is not in this build, or this machine lacks an instruction set that it needs.
    #[error(
        "the tuning names the kernel '{name}', which is not in this build or needs an \
             instruction set that this machine lacks"
    )]
    UnknownKernel {
        /// The name of the kernel.
        name: String,
    },
    /// The number of copies is 0.
    #[error("the tuning names 0 copies of its mesh: expected 1 or more")]
    NoCopies,
    /// The copies together have too many particles or sticks.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The number of threads is out of range, this build lacks the feature `colour` that more than
    /// one thread needs, or the operating system cannot start them.
    #[error("the tuning names {threads} threads: {}", threads_problem(*threads))]
    Threads {
        /// The number of threads.
        threads: usize,
    },
    /// The arrangement does not fit the model.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
}

/// Why [`Tuned::to_kernel`] rejects a number of threads.
fn threads_problem(threads: usize) -> String {
    match threads {
        1..=KernelChoice::THREADS_MAX if cfg!(feature = "colour") => {
            "the operating system could not start them".into()
        }
        1..=KernelChoice::THREADS_MAX => "more than 1 needs the feature `colour`".into(),
        _ => format!("expected 1 to {}", KernelChoice::THREADS_MAX),
    }
}

impl Fingerprint {
    /// The fingerprint of `sticks`.
    pub fn of(sticks: &Sticks) -> Self {
        Self { particles: sticks.particles(), sticks: sticks.len(), ends: sticks.fingerprint() }
    }
}

impl Tuned {
    /// The kernel, on [`threads`](Self::threads) threads.
    ///
    /// # Errors
    /// If this build does not have the kernel on this machine, or cannot start the threads (more
    /// than one thread needs the feature `colour`).
    pub fn to_kernel(&self) -> Result<AnyKernel, TunedError> {
        let unknown = |_| TunedError::UnknownKernel { name: self.kernel.clone() };
        let kernel = AnyKernel::named(&self.kernel).map_err(unknown)?;
        match self.threads {
            1 => Some(kernel),
            threads @ 2..=KernelChoice::THREADS_MAX => on_threads(kernel, threads),
            _ => None,
        }
        .ok_or(TunedError::Threads { threads: self.threads })
    }

    /// Checks that the tuning was made for these sticks, or for others with the same ends, and that
    /// its number of copies is at least 1. All copies together may have up to [`PARTICLES_MAX`]
    /// particles and [`STICKS_MAX`] sticks.
    ///
    /// # Errors
    /// If the tuning was made for other sticks, or has no copies or too many.
    pub fn check(&self, sticks: &Sticks) -> Result<(), TunedError> {
        let given = Fingerprint::of(sticks);
        if given != self.mesh {
            return Err(TunedError::OtherMesh { tuned: self.mesh, given });
        }
        if self.copies == 0 {
            return Err(TunedError::NoCopies);
        }
        let total = |count: usize| count as u128 * self.copies as u128;
        check_limit("particles", total(given.particles), PARTICLES_MAX)?;
        check_limit("sticks", total(given.sticks), STICKS_MAX)?;
        Ok(())
    }

    /// The model in the tuned numbering and order; if the tuning is for several copies, that many
    /// copies side by side ([`Arrangement::of_copies`]). Its particles have new numbers; see
    /// [`Arranged::renumbering`].
    ///
    /// # Errors
    /// Same as [`check`](Self::check), or if the arrangement does not fit the model.
    pub fn arrange(&self, model: &Model) -> Result<Arranged, TunedError> {
        self.check(&model.sticks)?;
        Ok(self.schedule.of_copies(model, self.copies)?)
    }
}

/// The kernel on a pool of threads, if this build can start one.
#[cfg(feature = "colour")]
fn on_threads(kernel: AnyKernel, threads: usize) -> Option<AnyKernel> {
    Some(kernel.on_threads(crate::Pool::new(threads).ok()?))
}

#[cfg(not(feature = "colour"))]
fn on_threads(_: AnyKernel, _: usize) -> Option<AnyKernel> {
    None
}

/// [`Tuned::copies`] if a file does not have that field.
#[cfg(feature = "serde")]
const fn one() -> usize {
    1
}

/// Serializes 64 bits as text, because not every JSON reader supports integers of that size.
#[cfg(feature = "serde")]
mod hexadecimal {
    use alloc::string::String;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(bits: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{bits:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(|_| {
            D::Error::custom(format_args!("'{text}' is not a fingerprint of 16 hexadecimal digits"))
        })
    }
}
