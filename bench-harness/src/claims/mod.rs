//! Measures the claims of the articles.
//!
//! A [`Claim`] is data: its text and source, the function that measures it, and the bound of each
//! number for the claim to hold. The [`Verdict`] is computed from the numbers.

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

use crate::contest::{ContestError, Progress};

pub use verdict::{Bound, Check, Judge, Verdict};

/// Something that an article says.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// A short name to ask for it by.
    pub name: &'static str,
    /// What is said.
    pub said: &'static str,
    /// By whom.
    pub source: Source,
    /// In which section.
    pub section: &'static str,
    /// What is measured, in the order of the numbers that [`measure`](Self::measure) gives.
    pub checks: &'static [Check],
    /// How the verdict follows.
    pub judge: Judge,
    /// Measures the numbers. NaN is a missing number, which is within no bound.
    pub measure: fn(Scale) -> Result<Vec<f64>, ClaimError>,
    /// What was done to get the numbers, and what to make of them.
    pub how: &'static str,
    /// The command that shows it best.
    pub command: &'static str,
}

/// Whose text.
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
    /// Jakobsen's text once more as the chapter of a book on game development, around its
    /// equations 11.1 to 11.4.
    Chapter,
    /// Taut's own documentation.
    Taut,
}

/// How large the measurements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As large as the claims mean it.
    Full,
    /// Just large enough to see that a measurement works.
    Smoke,
}

/// A claim with its numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Its place in the list, from 1.
    pub number: usize,
    /// The claim's name.
    pub name: &'static str,
    /// What is said.
    pub said: &'static str,
    /// By whom.
    pub source: &'static str,
    /// In which section.
    pub section: &'static str,
    /// What was measured.
    pub numbers: Vec<Number>,
    /// What follows.
    pub verdict: Verdict,
    /// What was done to get the numbers.
    pub how: &'static str,
    /// The command that shows it best.
    pub command: &'static str,
}

/// A number measured, and what it was held against.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Number {
    /// What it is.
    pub what: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// How much. (JSON has no infinity: null there is what left all bounds.)
    pub value: f64,
    /// Where it must lie.
    pub bound: Bound,
    /// Whether it does.
    pub holds: bool,
}

/// Why a claim cannot be measured.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// By a scene.
    #[error(transparent)]
    Model(#[from] taut::world::ModelError),
    /// By a contest.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// By sticks.
    #[error(transparent)]
    Sticks(#[from] taut::StickError),
    /// By particles.
    #[error(transparent)]
    Particles(#[from] taut::ParticleError),
    /// By a plan.
    #[error(transparent)]
    Plan(#[from] taut::PlanError),
    /// By a step.
    #[error(transparent)]
    Step(#[from] taut::StepError),
    /// By a scene put together.
    #[error(transparent)]
    Scene(#[from] taut::world::SceneError),
    /// By a world.
    #[error(transparent)]
    World(#[from] taut::world::WorldError),
    /// By an arrangement.
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

/// What the articles claim and nothing here measures, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[(
    "\"exactly the right amount of bending\" of plants (Jakobsen, Cloth Simulation)",
    "what is right is for the eye; that they stand and bend is measured (one-pass-for-plants)",
)];

/// Measures claims, each with its number in the list.
///
/// # Errors
/// If what one measures cannot be set up.
pub fn measure(
    claims: &[(usize, &'static Claim)],
    scale: Scale,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<Vec<Finding>, ClaimError> {
    let mut findings = Vec::with_capacity(claims.len());
    for (done, &(number, claim)) in claims.iter().enumerate() {
        progress(Progress { share: done as f64 / claims.len() as f64, doing: claim.name });
        findings.push(claim.find(number, scale)?);
    }
    progress(Progress { share: 1.0, doing: "done" });
    Ok(findings)
}

impl Claim {
    /// Measures it.
    ///
    /// # Errors
    /// If what it measures cannot be set up.
    pub fn find(&self, number: usize, scale: Scale) -> Result<Finding, ClaimError> {
        Ok(self.judged(number, &(self.measure)(scale)?))
    }

    /// What follows from such numbers, one for each check; of those missing, NaN.
    pub fn judged(&self, number: usize, values: &[f64]) -> Finding {
        let value = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
        let judged = |(at, check): (usize, &Check)| {
            let &Check { what, unit, bound } = check;
            Number { what, unit, value: value(at), bound, holds: bound.holds(value(at)) }
        };
        let numbers: Vec<Number> = self.checks.iter().enumerate().map(judged).collect();
        let held: Vec<bool> = numbers.iter().map(|number| number.holds).collect();
        Finding {
            number,
            name: self.name,
            said: self.said,
            source: self.source.title(),
            section: self.section,
            numbers,
            verdict: self.judge.verdict(&held),
            how: self.how,
            command: self.command,
        }
    }
}

impl Finding {
    /// The number that says it: the first that is out of its bound, else the first of all.
    pub fn telling(&self) -> Option<&Number> {
        self.numbers.iter().find(|number| !number.holds).or(self.numbers.first())
    }
}

impl Source {
    /// What a table calls it.
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
    /// The one or the other.
    pub fn pick<T>(self, full: T, smoke: T) -> T {
        match self {
            Self::Full => full,
            Self::Smoke => smoke,
        }
    }
}
