//! Measures claims of the articles on Verlet integration with sticks ([`Source`]), and of Taut's own
//! documentation.
//!
//! A [`Claim`] is data: its text and source, the function that measures it, and the bound of each
//! value for the claim to hold. The [`Verdict`] is computed from the values.

mod body;
mod cloth;
mod cost;
mod formula;
mod misprint;
mod motion;
pub mod printed;
mod run;
mod systems;
mod verdict;

use serde::Serialize;

use crate::comparison::{ComparisonError, Progress};

pub use verdict::{Bound, Check, Verdict, VerdictRule};

/// A claim of an article or of Taut's documentation.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// A short name, for the option `--show`.
    pub name: &'static str,
    /// The text of the claim, quoted or condensed.
    pub quote: &'static str,
    /// The text that makes the claim.
    pub source: Source,
    /// The section of the source.
    pub section: &'static str,
    /// The checks of the values, in the order in which [`measure`](Self::measure) returns them.
    pub checks: &'static [Check],
    /// How the verdict follows from the checks.
    pub rule: VerdictRule,
    /// Measures the values. NaN stands for a missing value, which fails every bound.
    pub measure: fn(Scale) -> Result<Vec<f64>, ClaimError>,
    /// How the values are measured, and how to read them.
    pub method: &'static str,
    /// A command that shows the measured effect.
    pub command: &'static str,
}

/// The text that makes a claim: an article, or Taut's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Thomas Jakobsen, "Advanced Character Physics", GDC 2001; on Gamasutra 2003, page 3.
    Jakobsen,
    /// A student's report on cloth and soft bodies, in four phases.
    Report,
    /// "Simulate Fabric and Ragdolls With Simple Verlet Integration", Envato Tuts+.
    Ragdolls,
    /// Jesper Mosegaard, "Mosegaards Cloth Simulation Coding Tutorial", 2009.
    Mosegaard,
    /// Jakobsen's text as a chapter of a book on game development, around its equations 11.1 to
    /// 11.4.
    Chapter,
    /// Taut's own documentation.
    Taut,
}

/// The size of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The sizes that the claims are about.
    Full,
    /// Small sizes, to test that a measurement works.
    Smoke,
}

/// A claim with its measured values and its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The claim's number in the list of [all] claims, from 1.
    pub number: usize,
    /// The claim's name.
    pub name: &'static str,
    /// The text of the claim.
    pub quote: &'static str,
    /// The [title](Source::title) of the source.
    pub source: &'static str,
    /// The section of the source.
    pub section: &'static str,
    /// The measured values.
    #[serde(rename = "numbers")]
    pub values: Vec<MeasuredValue>,
    /// The verdict that follows from them.
    pub verdict: Verdict,
    /// How the values were measured.
    pub method: &'static str,
    /// A command that shows the measured effect.
    pub command: &'static str,
}

/// A measured value and its bound.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasuredValue {
    /// What it is.
    pub what: &'static str,
    /// Its unit; empty if it is dimensionless.
    pub unit: &'static str,
    /// Its value; `null` in JSON if it is infinite or NaN.
    pub value: f64,
    /// The bound for the claim to hold.
    pub bound: Bound,
    /// Whether it is within the bound.
    pub holds: bool,
}

/// Why a claim cannot be measured.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// A model could not be built.
    #[error(transparent)]
    Model(#[from] taut::world::ModelError),
    /// A comparison failed.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
    /// Sticks are invalid.
    #[error(transparent)]
    Sticks(#[from] taut::StickError),
    /// Particles are invalid.
    #[error(transparent)]
    Particles(#[from] taut::ParticleError),
    /// A plan could not be built.
    #[error(transparent)]
    Plan(#[from] taut::PlanError),
    /// A step is invalid.
    #[error(transparent)]
    Step(#[from] taut::StepError),
    /// A scene is invalid.
    #[error(transparent)]
    Scene(#[from] taut::world::SceneError),
    /// A world could not be created or stepped.
    #[error(transparent)]
    World(#[from] taut::world::WorldError),
    /// An arrangement is unknown or does not suit a model.
    #[error(transparent)]
    Arrangement(#[from] crate::ArrangementError),
}

/// All claims with their numbers, from 1.
pub fn all() -> impl Iterator<Item = (usize, &'static Claim)> {
    let groups = [
        cost::CLAIMS,
        formula::CLAIMS,
        cloth::CLAIMS,
        body::CLAIMS,
        systems::CLAIMS,
        motion::CLAIMS,
        misprint::CLAIMS,
    ];
    (1..).zip(groups.into_iter().flatten())
}

/// Claims of the articles that are not measured, and why.
pub const NOT_MEASURED: &[(&str, &str)] = &[(
    "\"exactly the right amount of bending\" of plants (Jakobsen, Cloth Simulation)",
    "the right amount is a matter of taste; whether they stand and bend is measured \
     (one-pass-for-plants)",
)];

/// Measures claims, each with its number in the list.
///
/// # Errors
/// If a measurement cannot be set up.
pub fn measure(
    claims: &[(usize, &'static Claim)],
    scale: Scale,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<Vec<Finding>, ClaimError> {
    let mut findings = Vec::with_capacity(claims.len());
    for (done, &(number, claim)) in claims.iter().enumerate() {
        progress(Progress { share: done as f64 / claims.len() as f64, doing: claim.name });
        findings.push(claim.finding(number, scale)?);
    }
    progress(Progress { share: 1.0, doing: "done" });
    Ok(findings)
}

impl Claim {
    /// Measures the claim.
    ///
    /// # Errors
    /// If the measurement cannot be set up.
    pub fn finding(&self, number: usize, scale: Scale) -> Result<Finding, ClaimError> {
        Ok(self.finding_from(number, &(self.measure)(scale)?))
    }

    /// The finding from these values, one for each check; a missing value counts as NaN.
    pub fn finding_from(&self, number: usize, values: &[f64]) -> Finding {
        let compared = |(index, check): (usize, &Check)| {
            let &Check { what, unit, bound } = check;
            let value = values.get(index).copied().unwrap_or(f64::NAN);
            MeasuredValue { what, unit, value, bound, holds: bound.contains(value) }
        };
        let values: Vec<MeasuredValue> = self.checks.iter().enumerate().map(compared).collect();
        let held: Vec<bool> = values.iter().map(|value| value.holds).collect();
        Finding {
            number,
            name: self.name,
            quote: self.quote,
            source: self.source.title(),
            section: self.section,
            values,
            verdict: self.rule.verdict(&held),
            method: self.method,
            command: self.command,
        }
    }
}

impl Finding {
    /// The decisive value: the first that is out of its bound, or else the first.
    pub fn decisive(&self) -> Option<&MeasuredValue> {
        self.values.iter().find(|value| !value.holds).or(self.values.first())
    }
}

impl Source {
    /// Its name in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Jakobsen => "Jakobsen 2001",
            Self::Report => "Cloth report",
            Self::Ragdolls => "Simple Verlet Integration",
            Self::Mosegaard => "Mosegaard 2009",
            Self::Chapter => "Jakobsen, book chapter",
            Self::Taut => "Taut",
        }
    }
}

impl Scale {
    /// Selects the value for this scale.
    pub fn pick<T>(self, full: T, smoke: T) -> T {
        match self {
            Self::Full => full,
            Self::Smoke => smoke,
        }
    }
}
