//! The result of a simulation, as a table and as JSON.

use serde::{Serialize, Serializer};
use taut::world::{Contacts, Settings};
use taut::{AnyWorld, Kernel, KernelSet, Stretch};
use taut_bench::{FrameTimes, Shares};

use crate::table;

/// The settings and the final state of a world, and its frame times. Numbers that are not finite are null in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    scene: String,
    frames: u64,
    /// The length of a frame, s.
    dt_s: f32,
    substeps: u32,
    iterations: u32,
    passes: u32,
    /// 1/s.
    damping_rate: f32,
    /// The kernel of the island with the most sticks.
    kernel: &'static str,
    /// The instruction set of that kernel.
    isa: &'static str,
    /// The number of threads that each kernel runs on.
    threads: usize,
    formula: &'static str,
    particles: usize,
    sticks: usize,
    faces: usize,
    /// The number of tethers in the last step; 0 before the first step.
    tethers: usize,
    torn: usize,
    /// The number of models that sleep at the end, if models may sleep.
    #[serde(skip_serializing_if = "Option::is_none")]
    sleeping: Option<usize>,
    frame_us_median: f64,
    frame_us_fastest: f64,
    /// The fraction of the time of the watched steps that each part takes.
    shares: Shares,
    stretch_rms: f64,
    stretch_max: f64,
    compression_rms: f64,
    compression_max: f64,
    /// The contacts of models with self-collision; `None` if the world can have no such contacts, or
    /// if no frame was examined, because the simulation blew up.
    #[serde(flatten)]
    contacts: Option<ContactSummary>,
    kinetic_j: f64,
    potential_j: f64,
    /// Whether every position is finite.
    finite: bool,
    /// The hash of the final positions.
    #[serde(serialize_with = "hexadecimal")]
    hash: u64,
}

/// The contacts of models with self-collision in the frames in which they were examined.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct ContactSummary {
    /// The number of pairs of particles that touched in the last examined frame.
    contacts: usize,
    /// The largest number of pairs of an edge and a face that cross in one examined frame.
    crossings_max: usize,
    /// The deepest penetration of a pair of particles in all examined frames, m.
    penetration_max_m: f32,
    /// The number of contacts of limbs and bodies with particles, and of limbs with bodies, in the
    /// last examined frame.
    contacts_on_colliders: usize,
    /// The deepest penetration in the contacts that `contacts_on_colliders` counts, in all examined frames, m.
    penetration_of_colliders_max_m: f32,
    /// The number of pairs of particles that do not collide, because they are closer than the thickness
    /// when the scene begins, and joined by a short path along sticks. (Pairs that a stick joins do not
    /// collide either, and are not counted.)
    pairs_excluded: usize,
}

impl ContactSummary {
    /// Adds the contacts of an examined frame to the summary; `None`: the world can have no contacts.
    pub(crate) fn add(summary: &mut Option<Self>, contacts: Option<Contacts>) {
        let Some(contacts) = contacts else { return };
        let Contacts {
            touching,
            penetration,
            on_colliders,
            penetration_of_colliders,
            crossings,
            excluded,
        } = contacts;
        let summary = summary.get_or_insert_default();
        summary.contacts = touching;
        summary.contacts_on_colliders = on_colliders;
        summary.pairs_excluded = excluded;
        summary.penetration_of_colliders_max_m =
            summary.penetration_of_colliders_max_m.max(penetration_of_colliders);
        summary.crossings_max = summary.crossings_max.max(crossings);
        summary.penetration_max_m = summary.penetration_max_m.max(penetration);
    }
}

/// Serializes a hash as 16 hexadecimal digits.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn hexadecimal<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}

impl Summary {
    pub(crate) fn new(
        name: &str,
        world: &AnyWorld,
        frames: u64,
        finite: bool,
        times: &FrameTimes,
        contacts: Option<ContactSummary>,
    ) -> anyhow::Result<Self> {
        let Settings { step, passes } = world.settings();
        let kernel = world.main_kernel();
        let diagnostics = world.diagnostics()?;
        let Stretch { rms, max, compression_rms, compression_max } = diagnostics.stretch;
        Ok(Self {
            scene: name.to_owned(),
            frames,
            dt_s: step.dt,
            substeps: step.substeps,
            iterations: step.iterations,
            passes: passes.max(1),
            damping_rate: step.damping_rate,
            kernel: Kernel::<3>::name(kernel.inner()),
            isa: Kernel::<3>::isa(&kernel),
            threads: world.kernels().threads(),
            formula: world.formula().name(),
            particles: world.particles(),
            sticks: world.sticks(),
            faces: world.faces(),
            tethers: world.tether_count(),
            torn: diagnostics.torn,
            sleeping: world.sleep().map(|_| world.sleeping_models().len()),
            frame_us_median: times.median_us(),
            frame_us_fastest: times.fastest_us(),
            shares: times.shares(),
            stretch_rms: rms,
            stretch_max: max,
            compression_rms,
            compression_max,
            contacts,
            kinetic_j: diagnostics.kinetic,
            potential_j: diagnostics.potential,
            finite,
            hash: world.hash(),
        })
    }

    /// A sentence about the scene and its settings.
    pub(crate) fn sentence(&self, kernels: &KernelSet) -> String {
        let Self { scene, frames, dt_s, substeps, passes, iterations, formula, .. } = self;
        format!(
            "{scene}: {frames} frames of {dt_s:.4} s, {substeps} substep(s) of {passes} pass(es) \
             of {iterations} iteration(s), formula {formula}; {kernels}."
        )
    }

    /// A table with a line for each value.
    pub(crate) fn table(&self) -> String {
        let frame_us = self.frame_us_median;
        let relaxations = self.sticks as f64
            * f64::from(self.substeps)
            * f64::from(self.passes)
            * f64::from(self.iterations);
        let stick_time = if relaxations > 0.0 {
            format!("{:.2} ns", self.shares.sticks * frame_us * 1e3 / relaxations)
        } else {
            "no relaxations".to_owned()
        };
        let mut table = table::plain();
        let mut add_row = |name: &str, value: String| {
            table.add_row([name.to_owned(), value]);
        };
        add_row("particles", self.particles.to_string());
        add_row("sticks", self.sticks.to_string());
        add_row("torn sticks", self.torn.to_string());
        add_row("faces", self.faces.to_string());
        add_row("tethers", self.tethers.to_string());
        add_row("time per frame, median", format!("{frame_us:.1} µs"));
        add_row("time per frame, fastest", format!("{:.1} µs", self.frame_us_fastest));
        for (step_part, share) in self.shares.each() {
            if share > 0.0 {
                let percent = 100.0 * share;
                add_row(&format!("fraction of time, {step_part}"), format!("{percent:.0} %"));
            }
        }
        add_row("time per stick and iteration", stick_time);
        add_row("stretch, rms", format!("{:.6}", self.stretch_rms));
        add_row("stretch, largest", format!("{:.4}", self.stretch_max));
        add_row("compression, rms", format!("{:.6}", self.compression_rms));
        add_row("compression, largest", format!("{:.4}", self.compression_max));
        if let Some(contacts) = self.contacts {
            let millimetres = |metres: f32| format!("{:.2} mm", 1e3 * metres);
            add_row("contacts between particles", contacts.contacts.to_string());
            add_row("penetration, deepest", millimetres(contacts.penetration_max_m));
            add_row("contacts with limbs and bodies", contacts.contacts_on_colliders.to_string());
            add_row(
                "penetration into limbs and bodies, deepest",
                millimetres(contacts.penetration_of_colliders_max_m),
            );
            add_row(
                "crossings of edges and faces, largest number",
                contacts.crossings_max.to_string(),
            );
            add_row(
                "excluded pairs, close when the scene begins",
                contacts.pairs_excluded.to_string(),
            );
        }
        add_row("kinetic energy", joules(self.kinetic_j));
        add_row("potential energy", joules(self.potential_j));
        add_row("hash of the positions", format!("{:016x}", self.hash));
        table.to_string()
    }
}

/// Formats an energy, in scientific notation from 1e9 J on.
fn joules(energy: f64) -> String {
    if energy.abs() < 1e9 { format!("{energy:.6} J") } else { format!("{energy:.6e} J") }
}
