//! What came of it, as a table.

use std::time::Duration;

use taut::world::{Diagnostics, Settings, World};
use taut::{Kernel, KernelPair};
use taut_bench::PassTimes;

use crate::table;

/// A world at its end, and how long it took.
pub(crate) struct Summary<const D: usize> {
    frames: u64,
    particles: usize,
    sticks: usize,
    faces: usize,
    diagnostics: Diagnostics<D>,
    hash: u64,
    times: PassTimes,
    /// Relaxations of all sticks in a frame.
    relaxations: f64,
}

impl<const D: usize> Summary<D> {
    pub(crate) fn new<K: Kernel<D>>(
        world: &World<K, D>,
        frames: u64,
        times: PassTimes,
    ) -> anyhow::Result<Self> {
        let step = &world.settings().step;
        let matter = || world.pieces().iter().map(|piece| &piece.matter);
        Ok(Self {
            frames,
            particles: world.len(),
            sticks: matter().map(|it| it.sticks.len()).sum(),
            faces: matter().map(|it| it.faces.len()).sum(),
            diagnostics: world.diagnostics()?,
            hash: world.hash(),
            times,
            relaxations: f64::from(step.substeps)
                * f64::from(world.settings().passes)
                * f64::from(step.iterations),
        })
    }

    /// What was run.
    pub(crate) fn sentence<K: Kernel<D>>(
        &self,
        name: &str,
        world: &World<K, D>,
        kernels: &KernelPair,
    ) -> String {
        let Settings { step, passes } = world.settings();
        format!(
            "{name}: {} frames of {:.4} s, {} substep(s) of {} pass(es) of {} iteration(s), formula {}; \
             {kernels}.",
            self.frames,
            step.dt,
            step.substeps,
            passes.max(&1),
            step.iterations,
            world.formula()
        )
    }

    pub(crate) fn table(&self) -> String {
        let frame = self.times.total();
        let us = |time: Duration| time.as_secs_f64() * 1e6 / self.frames as f64;
        let share = |time: Duration| {
            // A scene without particles takes no time at all.
            let percent = 100.0 * time.as_secs_f64() / frame.as_secs_f64().max(1e-9);
            format!("{:.1} µs, {percent:.0} %", us(time))
        };
        let sticks = self.times.sticks();
        let diagnostics = &self.diagnostics;
        let relaxed = self.sticks as f64 * self.relaxations;
        let per_stick = if relaxed > 0.0 {
            format!("{:.2} ns", us(sticks) * 1e3 / relaxed)
        } else {
            "there are none".to_owned()
        };
        let mut table = table::plain();
        for (what, value) in [
            ("particles", self.particles.to_string()),
            ("sticks", self.sticks.to_string()),
            ("of them torn", diagnostics.torn.to_string()),
            ("faces", self.faces.to_string()),
            ("time per frame", format!("{:.1} µs", us(frame))),
            ("the sticks' share", share(sticks)),
            ("all other passes", share(self.times.others())),
            ("per stick and iteration", per_stick),
            ("stretch, rms", format!("{:.6}", diagnostics.stretch.rms)),
            ("stretch, largest", format!("{:.4}", diagnostics.stretch.max)),
            ("compression, rms", format!("{:.6}", diagnostics.stretch.compression_rms)),
            ("compression, largest", format!("{:.4}", diagnostics.stretch.compression_max)),
            ("kinetic energy", joules(diagnostics.kinetic)),
            ("potential energy", joules(diagnostics.potential)),
            ("hash of the positions", format!("{:016x}", self.hash)),
        ] {
            table.add_row([what.to_owned(), value]);
        }
        table.to_string()
    }
}

/// An energy, in digits as long as there are few.
fn joules(energy: f64) -> String {
    if energy.abs() < 1e9 { format!("{energy:.6} J") } else { format!("{energy:.6e} J") }
}
