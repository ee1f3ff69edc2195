//! Limits on the instructions of each case.

use serde::{Deserialize, Serialize};

use crate::instructions::Case;

/// By how much a count may exceed its limit, and how much lower it must be to be worth a new one.
pub const TOLERANCE: f64 = 0.02;

/// One line of the file.
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
    /// Instructions a stick and iteration, of the whole frame.
    pub instructions: f64,
}

impl Limit {
    /// Of a case, as counted.
    pub fn new(case: &Case, instructions: f64) -> Self {
        let Case { scene, kernel, isa, formula } = *case;
        let [scene, kernel, isa, formula] = [scene, kernel, isa, formula].map(str::to_owned);
        Self { scene, kernel, isa, formula, instructions: (instructions * 1e3).round() / 1e3 }
    }
}

/// The limits, and the compiler whose code they were counted in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// As it calls itself.
    pub compiler: String,
    /// One for each case.
    pub all: Vec<Limit>,
}

/// Why limits cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot parse the limits: {0}")]
pub struct LimitsError(#[from] csv::Error);

const COMPILER: &str = "# counted with ";

impl Limits {
    /// From the text of the file: CSV after a line that names the compiler.
    ///
    /// # Errors
    /// If it is something else.
    pub fn parse(text: &str) -> Result<Self, LimitsError> {
        let first = text.lines().next().unwrap_or_default();
        let compiler = first.strip_prefix(COMPILER).unwrap_or("unknown").to_owned();
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        Ok(Self { compiler, all: reader.deserialize().collect::<Result<_, _>>()? })
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Never; the library that writes CSV cannot know that memory takes it.
    pub fn text(&self) -> Result<String, LimitsError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for limit in &self.all {
            writer.serialize(limit)?;
        }
        let rows = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(format!("{COMPILER}{}\n{}", self.compiler, String::from_utf8_lossy(&rows)))
    }

    /// Of a case, instructions a stick and iteration.
    pub fn of(&self, case: &Case) -> Option<f64> {
        let Case { scene, kernel, isa, formula } = *case;
        let is_it = |limit: &&Limit| {
            [&*limit.scene, &*limit.kernel, &*limit.isa, &*limit.formula]
                == [scene, kernel, isa, formula]
        };
        self.all.iter().find(is_it).map(|limit| limit.instructions)
    }
}
