//! `taut report`: measures, stores the results in files, and writes a page or Markdown tables.

mod chart;
mod line_formatter;
mod measure;
mod page;
mod results;
mod sizes;
mod tables;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use taut_bench::{MachineInfo, Progress};

use crate::Failure;
use crate::output::{Output, with_progress};
use results::{Part, Results};

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// Measure fewer frames and smaller scenes: about a minute, but less precise results.
    #[arg(long, conflicts_with = "from")]
    quick: bool,
    /// Parts to measure. [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum, conflicts_with = "from")]
    parts: Vec<Part>,
    /// Store the results as JSON, one file per part, in a subfolder named after the processor.
    #[arg(long, alias = "keep", value_name = "FOLDER", conflicts_with = "from")]
    save: Option<PathBuf>,
    /// Use stored results instead of measuring: files, or folders of files. Results of several
    /// machines or builds are shown side by side.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Output file of the page, or - for the standard output.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "taut-report.html",
        conflicts_with = "readme"
    )]
    out: PathBuf,
    /// Instead of writing a page, update the tables in this file, between its lines
    /// `<!-- made by taut report: PART -->` and `<!-- end of taut report output -->`.
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Do not update the tables; fail if one differs from the results.
    #[arg(long, requires = "readme")]
    check: bool,
}

/// Measures or reads results, and writes the page or the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.readme {
        return update_tables(path, arguments);
    }
    // Stored results are read before the page is opened, so that an invalid result file leaves no empty
    // page behind. The page is opened before measuring, so that a wrong path fails early.
    let stored = arguments.stored_results()?;
    let output = Output::open(&arguments.out)?;
    let results = stored.map_or_else(|| arguments.measure_parts(), Ok)?;
    output.write(page::render(&results).as_bytes())?;
    if arguments.out != Path::new("-") {
        writeln!(io::stdout(), "The report is in {}.", arguments.out.display())?;
    }
    Ok(())
}

/// Updates or checks the tables in a file.
fn update_tables(path: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let name = || path.display().to_string();
    let old = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", name()))?;
    let marked = tables::MarkedText::find(&old).with_context(name)?;
    let new = marked.with_updated_tables(&arguments.results()?)?;
    if old == new {
        Ok(())
    } else if arguments.check {
        Err(Failure::OutdatedTable(path.to_owned()))
    } else {
        Ok(Output::open(path)?.write(new.as_bytes())?)
    }
}

impl Arguments {
    /// The stored results that `--from` names, or newly measured ones.
    fn results(&self) -> Result<Vec<Results>, Failure> {
        self.stored_results()?.map_or_else(|| self.measure_parts(), Ok)
    }

    /// The stored results that `--from` names; `None` without `--from`.
    fn stored_results(&self) -> anyhow::Result<Option<Vec<Results>>> {
        if self.from.is_empty() { Ok(None) } else { results::read(&self.from).map(Some) }
    }

    /// Measures the selected parts, and stores each one when it is measured.
    fn measure_parts(&self) -> Result<Vec<Results>, Failure> {
        let parts = if self.parts.is_empty() { Part::value_variants() } else { &self.parts };
        // Opened before measuring, so that a wrong path fails early.
        let files =
            parts.iter().map(|part| self.open_result_file(*part)).collect::<Result<Vec<_>, _>>()?;
        let mut all = Vec::new();
        for (done, (&part, file)) in parts.iter().zip(files).enumerate() {
            let measured = with_progress(|progress| {
                measure::measure(part, self.quick, &mut |inner| {
                    let share = (done as f64 + inner.share) / parts.len() as f64;
                    progress(Progress { share, ..inner });
                })
            })?;
            let text = measured.map_err(Failure::Disagreement)?;
            if let Some(file) = file {
                file.write(text.as_bytes())?;
            }
            results::add(&mut all, &text)?;
        }
        Ok(all)
    }

    /// Opens the file in which the results of a part are stored; `None` without `--save`.
    fn open_result_file(&self, part: Part) -> anyhow::Result<Option<Output>> {
        let Some(folder) = &self.save else { return Ok(None) };
        let folder = folder.join(results::Machine::folder_name(&MachineInfo::current().cpu));
        fs::create_dir_all(&folder)
            .with_context(|| format!("{}: cannot be created", folder.display()))?;
        let name =
            part.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        Output::open(&folder.join(format!("{name}.json"))).map(Some)
    }
}
