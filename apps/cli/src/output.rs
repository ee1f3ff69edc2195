//! Progress bars, and the files and streams to which results are written.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use taut::world::Warning;
use taut_bench::{MachineInfo, Progress};

/// Options for machine-readable results.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct OutputOptions {
    /// Write the result as JSON to a file, or with - to the standard output (the table then goes
    /// to the standard error).
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the rows as CSV to a file, or with - to the standard output.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// The opened outputs of [`OutputOptions`].
pub(crate) struct Outputs {
    json: Option<Output>,
    csv: Option<Output>,
}

impl OutputOptions {
    /// Opens the outputs. Call it before measuring, so that a wrong path fails early.
    pub(crate) fn open(&self) -> anyhow::Result<Outputs> {
        if let (Some(json), Some(csv)) = (&self.json, &self.csv)
            && json == csv
        {
            let target = if json == Path::new("-") {
                "the standard output".to_owned()
            } else {
                json.display().to_string()
            };
            anyhow::bail!("only one of --json and --csv can go to {target}");
        }
        let open_if_some = |path: &Option<PathBuf>| path.as_deref().map(Output::open).transpose();
        Ok(Outputs { json: open_if_some(&self.json)?, csv: open_if_some(&self.csv)? })
    }
}

impl Outputs {
    /// Writes `report` as JSON, `rows` as CSV, and `text` to the standard output, or to the
    /// standard error if JSON or CSV goes to the standard output. If writing one of the three fails,
    /// the other two are still written, because the measurement took long.
    pub(crate) fn write(
        self,
        report: &impl Serialize,
        rows: &[impl Serialize],
        text: &str,
    ) -> anyhow::Result<()> {
        let uses_stdout = [&self.json, &self.csv]
            .into_iter()
            .any(|output| matches!(output, Some(Output::Standard)));
        let written = [
            self.json.map_or(Ok(()), |output| output.write(&json(report)?)),
            self.csv.map_or(Ok(()), |output| output.write(&csv(rows)?)),
            if uses_stdout {
                io::stderr().write_all(text.as_bytes()).context("the table was not written")
            } else {
                Output::Standard.write(text.as_bytes())
            },
        ];
        written.into_iter().collect()
    }
}

/// Prints warnings to the standard error.
pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        // A closed standard error is ignored: the command can still succeed.
        let _ = writeln!(io::stderr(), "taut: warning: {warning}");
    }
}

/// An output for one JSON value. Open it before measuring, so that a wrong path fails early.
pub(crate) struct JsonOutput(Output);

impl JsonOutput {
    /// Opens a file; here `-` is a file name like any other.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(Output::open_file(path)?))
    }

    /// Like `open`, but `-` is the standard output.
    pub(crate) fn open_or_standard(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(Output::open(path)?))
    }

    /// Whether the value goes to the standard output.
    pub(crate) fn is_standard(&self) -> bool {
        matches!(self.0, Output::Standard)
    }

    pub(crate) fn write(self, value: &impl Serialize) -> anyhow::Result<()> {
        self.0.write(&json(value)?)
    }
}

fn json(report: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    Ok(text)
}

fn csv(rows: &[impl Serialize]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().context("the CSV was not written")
}

/// Runs `work`, and shows its progress as a bar on the standard error, if that is a terminal. `work` reports its
/// progress by calling the function that it receives.
pub(crate) fn with_progress<T>(
    work: impl FnOnce(&mut dyn FnMut(Progress<'_>)) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let style = ProgressStyle::with_template(
        "{bar:30} {percent:>3} %  {elapsed} of ~{duration}  {wide_msg}",
    )?;
    // The bar counts thousandths of the work.
    let bar =
        if io::stderr().is_terminal() { ProgressBar::new(1000) } else { ProgressBar::hidden() };
    bar.set_style(style);
    let result = work(&mut |Progress { share, doing }| {
        #[allow(clippy::cast_sign_loss, reason = "a fraction is not negative")]
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(doing.to_owned());
    })?;
    bar.finish_and_clear();
    Ok(result)
}

/// A sentence about the machine and the build: processor, instruction sets, compiler and commit.
pub(crate) fn machine_sentence(machine: &MachineInfo) -> String {
    let MachineInfo { cpu, features, cores, rustc, target, flags, commit } = machine;
    let features = features.join(", ");
    format!("{cpu}, {cores} core(s), {features}; {rustc}, {target}, {flags}, commit {commit}.")
}

/// A file or stream that is written once.
pub(crate) enum Output {
    /// The standard output: `-`.
    Standard,
    /// A file; its old content is kept until `write`.
    File { path: PathBuf, file: File },
}

impl Output {
    /// Opens a file without changing its content; `-` is the standard output.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard);
        }
        Self::open_file(path)
    }

    fn open_file(path: &Path) -> anyhow::Result<Self> {
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.with_context(|| cannot_write(path))?;
        Ok(Self::File { path: path.to_owned(), file })
    }

    /// Writes `bytes`; they replace the whole content of a file.
    pub(crate) fn write(self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Standard => {
                io::stdout().write_all(bytes).context("the standard output cannot be written")
            }
            Self::File { path, mut file } => {
                let mut replace_content = || {
                    // Pipes and devices cannot be truncated.
                    if file.metadata()?.is_file() {
                        file.set_len(0)?;
                    }
                    file.write_all(bytes)
                };
                replace_content().with_context(|| cannot_write(&path))
            }
        }
    }
}

/// The message for a file that cannot be created or written.
pub(crate) fn cannot_write(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}
