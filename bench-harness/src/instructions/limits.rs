//! Limits on the instructions of each case.

use serde::{Deserialize, Serialize};

use crate::instructions::Case;

/// A count may exceed its limit by this fraction. A count that is below its limit by more than this
/// fraction is reported, so that the limit can be lowered.
pub const TOLERANCE: f64 = 0.02;

/// One line of `limits.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// As in [`Case`].
    pub scene: String,
    /// As in [`Case`].
    pub kernel: String,
    /// As in [`Case`].
    pub isa: String,
    /// As in [`Case`].
    pub formula: String,
    /// Instructions of the whole frame, per stick and iteration.
    pub instructions: f64,
}

impl Limit {
    /// The limit of a case from its count, rounded to three decimals.
    pub fn new(case: &Case, instructions: f64) -> Self {
        let Case { scene, kernel, isa, formula } = *case;
        let [scene, kernel, isa, formula] = [scene, kernel, isa, formula].map(str::to_owned);
        Self { scene, kernel, isa, formula, instructions: (instructions * 1e3).round() / 1e3 }
    }
}

/// The limits, and the compiler whose code was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// The output of `rustc --version`.
    pub compiler: String,
    /// One for each case.
    pub all: Vec<Limit>,
}

/// Why limits cannot be parsed or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot parse or write the limits: {0}")]
pub struct LimitsError(#[from] csv::Error);

/// The start of the first line of the file; the compiler follows.
const COMPILER_PREFIX: &str = "# counted with ";

impl Limits {
    /// Parses the text of the file: CSV after a line that names the compiler.
    ///
    /// # Errors
    /// If the text is not such CSV.
    pub fn parse(text: &str) -> Result<Self, LimitsError> {
        let first = text.lines().next().unwrap_or_default();
        let compiler = first.strip_prefix(COMPILER_PREFIX).unwrap_or("unknown").to_owned();
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        Ok(Self { compiler, all: reader.deserialize().collect::<Result<_, _>>()? })
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Never: writing CSV to memory cannot fail, but the CSV library returns a `Result`.
    pub fn text(&self) -> Result<String, LimitsError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for limit in &self.all {
            writer.serialize(limit)?;
        }
        let rows = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(format!("{COMPILER_PREFIX}{}\n{}", self.compiler, String::from_utf8_lossy(&rows)))
    }

    /// The limit of a case, in instructions per stick and iteration.
    pub fn of(&self, case: &Case) -> Option<f64> {
        let Case { scene, kernel, isa, formula } = *case;
        let matches = |limit: &&Limit| {
            [&*limit.scene, &*limit.kernel, &*limit.isa, &*limit.formula]
                == [scene, kernel, isa, formula]
        };
        self.all.iter().find(matches).map(|limit| limit.instructions)
    }
}
