//! Checks, bounds, and the verdict that follows from them.

use std::fmt;

use serde::Serialize;

/// A quantity that a claim is about, and its bound.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// What the quantity is.
    pub what: &'static str,
    /// Its unit; empty if it is dimensionless.
    pub unit: &'static str,
    /// The bound for the claim to hold.
    pub bound: Bound,
}

/// A bound of a value. NaN is within no bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At or below the value.
    AtMost(f64),
    /// At or above the value.
    AtLeast(f64),
    /// Equal to the value.
    Exactly(f64),
    /// From the first to the second value.
    Between(f64, f64),
}

/// How the verdict follows from the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictRule {
    /// The claim holds if all checks hold, and in part if some hold.
    All,
    /// The first check is of the formula as printed, the second of the corrected formula.
    Printed,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All checks hold; for a printed formula, the first check.
    Holds,
    /// Some checks hold.
    HoldsInPart,
    /// No check holds.
    DoesNotHold,
    /// The check of the printed formula fails; that of the corrected formula holds.
    Misprint,
}

impl Check {
    /// A check of a dimensionless quantity.
    pub const fn dimensionless(what: &'static str, bound: Bound) -> Self {
        Self { what, unit: "", bound }
    }
}

impl Bound {
    /// Whether a value is within the bound.
    pub fn contains(self, value: f64) -> bool {
        match self {
            Self::AtMost(max) => value <= max,
            Self::AtLeast(min) => value >= min,
            // `value == expected`, without the lint against comparing floats.
            Self::Exactly(expected) => (expected..=expected).contains(&value),
            Self::Between(min, max) => (min..=max).contains(&value),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Small values are written as 1e-12.
        let short = |value: f64| {
            if value != 0.0 && value.abs() < 1e-3 {
                format!("{value:e}")
            } else {
                value.to_string()
            }
        };
        match *self {
            Self::AtMost(max) => write!(f, "at most {}", short(max)),
            Self::AtLeast(min) => write!(f, "at least {}", short(min)),
            Self::Exactly(expected) => write!(f, "exactly {}", short(expected)),
            Self::Between(min, max) => write!(f, "{} to {}", short(min), short(max)),
        }
    }
}

impl VerdictRule {
    /// The verdict, given whether each check holds.
    pub fn verdict(self, held: &[bool]) -> Verdict {
        match (self, held) {
            (Self::Printed, [false, true, ..]) => Verdict::Misprint,
            (Self::Printed, [true, ..]) => Verdict::Holds,
            (Self::All, [_, ..]) if held.iter().all(|&holds| holds) => Verdict::Holds,
            (Self::All, _) if held.iter().any(|&holds| holds) => Verdict::HoldsInPart,
            _ => Verdict::DoesNotHold,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::HoldsInPart => "holds in part",
            Self::DoesNotHold => "does not hold",
            Self::Misprint => "misprint",
        })
    }
}
