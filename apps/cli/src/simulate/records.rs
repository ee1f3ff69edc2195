//! CSV files of positions and energies.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use csv::Writer;
use taut::world::{Diagnostics, World};
use taut::{Kernel, Stretch};

/// A CSV file, opened before the work, so that a wrong path fails early.
struct Rows {
    path: PathBuf,
    writer: Writer<File>,
}

impl Rows {
    fn create(path: &Path, header: &[&str]) -> anyhow::Result<Self> {
        let path = path.to_owned();
        let file = File::create(&path).with_context(|| not_written(&path))?;
        let mut rows = Self { path, writer: Writer::from_writer(file) };
        rows.write(header.iter().map(ToString::to_string))?;
        Ok(rows)
    }

    fn write(&mut self, fields: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
        self.writer.write_record(fields).with_context(|| not_written(&self.path))
    }

    fn close(mut self) -> anyhow::Result<()> {
        self.writer.flush().with_context(|| not_written(&self.path))
    }
}

fn not_written(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// Positions: a row for each particle, with nine digits, which identify an `f32`.
pub(crate) struct Positions(Rows);

impl Positions {
    pub(crate) fn create<const D: usize>(path: &Path) -> anyhow::Result<Self> {
        let header = ["frame", "time_s", "particle", "x_m", "y_m", "z_m"];
        Ok(Self(Rows::create(path, &header[..3 + D])?))
    }

    pub(crate) fn write<K: Kernel<D>, const D: usize>(
        &mut self,
        world: &World<K, D>,
    ) -> anyhow::Result<()> {
        let start = [world.steps().to_string(), format!("{:.6}", world.time())];
        for particle in 0..world.len() {
            let row = start.iter().cloned().chain([particle.to_string()]);
            self.0.write(row.chain(world.position(particle).map(|x| format!("{x:.8e}"))))?;
        }
        Ok(())
    }

    pub(crate) fn close(self) -> anyhow::Result<()> {
        self.0.close()
    }
}

/// Energies, stretch and torn sticks after every frame.
pub(crate) struct Energies(Rows);

impl Energies {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let header = [
            "frame",
            "time_s",
            "kinetic_j",
            "potential_j",
            "total_j",
            "stretch_rms",
            "stretch_max",
            "compression_rms",
            "compression_max",
            "torn",
        ];
        Ok(Self(Rows::create(path, &header)?))
    }

    pub(crate) fn write<K: Kernel<D>, const D: usize>(
        &mut self,
        world: &World<K, D>,
    ) -> anyhow::Result<()> {
        let Diagnostics { kinetic, potential, stretch, torn, .. } = world.diagnostics()?;
        let Stretch { rms, max, compression_rms, compression_max } = stretch;
        let energies = [kinetic, potential, kinetic + potential];
        let sides = [rms, max, compression_rms, compression_max];
        let start = [world.steps().to_string(), format!("{:.6}", world.time())];
        let figures = energies.into_iter().chain(sides).map(|it| it.to_string());
        self.0.write(start.into_iter().chain(figures).chain([torn.to_string()]))
    }

    pub(crate) fn close(self) -> anyhow::Result<()> {
        self.0.close()
    }
}
