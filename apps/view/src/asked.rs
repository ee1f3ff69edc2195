//! What users asked for, checked.

use core::fmt::Debug;
use core::ops::RangeInclusive;
use core::str::FromStr;

use taut::world::{Arrangement, ArrangementError, Numbering, Order, Settings};
use taut::{Formula, KernelChoice, UnknownKernelName};

use crate::protocol::Change;

/// The most relaxations of all sticks in a step: substeps x passes x iterations.
const RELAXATIONS_MAX: u64 = 10_000;

/// The settings that users requested. None: the scene's own value applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingRequest {
    pub(crate) kernels: KernelChoice,
    pub(crate) formula: Option<Formula>,
    pub(crate) order: Option<Order>,
    pub(crate) substeps: Option<u32>,
    pub(crate) iterations: Option<u32>,
    pub(crate) passes: Option<u32>,
    pub(crate) damping_rate: Option<f32>,
    pub(crate) sticks: OfSticks,
    pub(crate) gravity: bool,
    /// None: as the scene has it.
    pub(crate) wind: Option<bool>,
    /// None: as the scene has it.
    pub(crate) tethers: Option<bool>,
}

/// What every stick is to have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct OfSticks {
    pub(crate) compliance: Option<f32>,
    pub(crate) stiffness: Option<f32>,
    pub(crate) tear: Option<f32>,
}

/// Why something cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadSetting {
    #[error("{what} must be from {least} to {most}, and is {value}")]
    Range { what: &'static str, least: String, most: String, value: String },
    #[error("stiffness must be above 0")]
    NoStiffness,
    #[error(
        "{relaxations} relaxations of all sticks in a step are more than {RELAXATIONS_MAX}: take \
         fewer substeps, passes or iterations"
    )]
    TooMuch { relaxations: u64 },
    #[error(transparent)]
    Kernel(#[from] UnknownKernelName),
    #[error("there is no formula '{name}': choose exact, newton, halley or quick")]
    Formula { name: String },
    #[error(transparent)]
    Order(#[from] ArrangementError),
}

impl SettingRequest {
    /// No requests: the scene's own values, the default kernels and gravity.
    pub(crate) fn nothing() -> Self {
        Self {
            kernels: KernelChoice::default(),
            formula: None,
            order: None,
            substeps: None,
            iterations: None,
            passes: None,
            damping_rate: None,
            sticks: OfSticks::default(),
            gravity: true,
            wind: None,
            tethers: None,
        }
    }

    /// The part of the request that also applies to another scene: kernel, instructions, threads.
    pub(crate) fn elsewhere(&self) -> Self {
        Self { kernels: self.kernels.clone(), ..Self::nothing() }
    }

    /// The same with a change.
    pub(crate) fn changed(
        mut self,
        change: Change,
        threads_max: usize,
    ) -> Result<Self, BadSetting> {
        let Change {
            kernel,
            instructions,
            formula,
            schedule,
            threads,
            substeps,
            iterations,
            passes,
            damping_rate,
            compliance,
            stiffness,
            tear,
        } = change;
        if let Some(kernel) = kernel {
            // What instruction sets there are depends on it.
            self.kernels.isa = None;
            self.kernels.kernel = kernel.map(|name| name.parse()).transpose()?;
        }
        if let Some(instructions) = instructions {
            self.kernels.isa = instructions;
        }
        if let Some(threads) = within("threads", threads, 1..=threads_max)? {
            self.kernels.threads = threads.unwrap_or(1);
        }
        if let Some(name) = formula {
            let unknown = |name: String| BadSetting::Formula { name };
            let parse = |name: String| Formula::from_str(&name).map_err(|_| unknown(name));
            self.formula = name.map(parse).transpose()?;
        }
        if let Some(name) = schedule {
            self.order = name.map(|name| order(&name)).transpose()?;
        }
        self.substeps = within("substeps", substeps, 1..=1000)?.unwrap_or(self.substeps);
        self.iterations = within("iterations", iterations, 0..=1000)?.unwrap_or(self.iterations);
        self.passes = within("passes", passes, 1..=100)?.unwrap_or(self.passes);
        let damping_rate = within("damping_rate", damping_rate, 0.0..=1e9)?;
        self.damping_rate = damping_rate.unwrap_or(self.damping_rate);
        let of = &mut self.sticks;
        of.compliance = within("compliance", compliance, 0.0..=100.0)?.unwrap_or(of.compliance);
        of.stiffness = within("stiffness", stiffness, 0.0..=1.0)?.unwrap_or(of.stiffness);
        if of.stiffness == Some(0.0) {
            return Err(BadSetting::NoStiffness);
        }
        of.tear = within("the tear factor", tear, 1.0..=1e6)?.unwrap_or(of.tear);
        Ok(self)
    }
}

/// Checks that a step needs at most `RELAXATIONS_MAX` relaxations.
pub(crate) fn check_work<const D: usize>(settings: &Settings<D>) -> Result<(), BadSetting> {
    let Settings { step, passes } = settings;
    let relaxations = u64::from(step.substeps) * u64::from(step.iterations) * u64::from(*passes);
    if relaxations > RELAXATIONS_MAX {
        return Err(BadSetting::TooMuch { relaxations });
    }
    Ok(())
}

#[allow(clippy::option_option, reason = "not there, null, and a value are three things")]
fn within<T: PartialOrd + Debug>(
    what: &'static str,
    value: Option<Option<T>>,
    range: RangeInclusive<T>,
) -> Result<Option<Option<T>>, BadSetting> {
    match &value {
        Some(Some(it)) if !range.contains(it) => Err(BadSetting::Range {
            what,
            least: format!("{:?}", range.start()),
            most: format!("{:?}", range.end()),
            value: format!("{it:?}"),
        }),
        _ => Ok(value),
    }
}

/// An order by its name.
fn order(name: &str) -> Result<Order, ArrangementError> {
    match name.parse()? {
        Arrangement { order, numbering: Numbering::Given } => Ok(order),
        Arrangement { .. } => Err(ArrangementError::Unknown { name: name.to_owned() }),
    }
}

/// The name of an order.
pub(crate) fn name(order: Order) -> String {
    Arrangement { order, numbering: Numbering::Given }.to_string()
}
