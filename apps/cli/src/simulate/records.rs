//! CSV files of positions and energies.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use csv::Writer;
use taut::world::Diagnostics;
use taut::{AnyWorld, Stretch};

use crate::output::cannot_write;

/// A CSV file. Create it before the simulation, so that a wrong path fails early.
struct CsvFile {
    path: PathBuf,
    writer: Writer<File>,
}

impl CsvFile {
    fn create(path: &Path, header: &[&str]) -> anyhow::Result<Self> {
        let path = path.to_owned();
        let file = File::create(&path).with_context(|| cannot_write(&path))?;
        let mut file = Self { path, writer: Writer::from_writer(file) };
        file.write(header.iter().map(ToString::to_string))?;
        Ok(file)
    }

    fn write(&mut self, fields: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
        self.writer.write_record(fields).with_context(|| cannot_write(&self.path))
    }

    fn close(mut self) -> anyhow::Result<()> {
        self.writer.flush().with_context(|| cannot_write(&self.path))
    }
}

/// A CSV file of positions: a row for each particle of each recorded frame, with nine significant digits, which are
/// enough to restore each `f32` exactly.
pub(crate) struct PositionFile {
    file: CsvFile,
    dimensions: usize,
}

impl PositionFile {
    /// Creates the file and writes the header; in two dimensions it has no column `z_m`.
    pub(crate) fn create(path: &Path, dimensions: usize) -> anyhow::Result<Self> {
        let header = ["frame", "time_s", "particle", "x_m", "y_m", "z_m"];
        Ok(Self { file: CsvFile::create(path, &header[..3 + dimensions])?, dimensions })
    }

    /// Writes the current positions.
    pub(crate) fn write(&mut self, world: &AnyWorld) -> anyhow::Result<()> {
        let prefix = [world.steps().to_string(), format!("{:.6}", world.time())];
        for particle in 0..world.particles() {
            let fields = prefix.iter().cloned().chain([particle.to_string()]);
            let position = world.position(particle)?;
            let coordinates = position[..self.dimensions].iter().map(|x| format!("{x:.8e}"));
            self.file.write(fields.chain(coordinates))?;
        }
        Ok(())
    }

    pub(crate) fn close(self) -> anyhow::Result<()> {
        self.file.close()
    }
}

/// A CSV file of energies, stretch and the number of torn sticks: a row for each frame.
pub(crate) struct EnergyFile(CsvFile);

impl EnergyFile {
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
        Ok(Self(CsvFile::create(path, &header)?))
    }

    /// Writes a row with the current values.
    pub(crate) fn write(&mut self, world: &AnyWorld) -> anyhow::Result<()> {
        let Diagnostics { kinetic, potential, stretch, torn, .. } = world.diagnostics()?;
        let Stretch { rms, max, compression_rms, compression_max } = stretch;
        let energies = [kinetic, potential, kinetic + potential];
        let stretches = [rms, max, compression_rms, compression_max];
        let prefix = [world.steps().to_string(), format!("{:.6}", world.time())];
        let values = energies.into_iter().chain(stretches).map(|value| value.to_string());
        self.0.write(prefix.into_iter().chain(values).chain([torn.to_string()]))
    }

    pub(crate) fn close(self) -> anyhow::Result<()> {
        self.0.close()
    }
}
