//! The settings that pages request, and their validation.

use core::fmt::Debug;
use core::ops::RangeInclusive;
use core::str::FromStr;
use std::collections::BTreeMap;

use taut::world::{Arrangement, ArrangementError, Numbering, Order, Settings};
use taut::{Formula, KernelChoice, UnknownKernelName};

use crate::protocol::{Change, CollisionFilter};

/// The maximum number of iterations in a step (substeps x passes x iterations). It bounds the time of the steps that a
/// page can request.
const ITERATIONS_MAX: u64 = 10_000;

/// The settings that users requested. `None`: the value of the scene applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingRequest {
    pub(crate) kernels: KernelChoice,
    pub(crate) formula: Option<Formula>,
    /// The order of the sticks, which pages call the schedule.
    pub(crate) order: Option<Order>,
    pub(crate) substeps: Option<u32>,
    pub(crate) iterations: Option<u32>,
    pub(crate) passes: Option<u32>,
    /// Relative rate at which free particles lose velocity, 1/s.
    pub(crate) damping_rate: Option<f32>,
    pub(crate) sticks: StickOverrides,
    /// Whether gravity acts.
    pub(crate) gravity: bool,
    /// Whether the forces of the scene act, or a default wind if the scene has none.
    pub(crate) wind: Option<bool>,
    /// Whether particles have tethers.
    pub(crate) tethers: Option<bool>,
    /// Whether models have self-collision.
    pub(crate) collisions: Option<bool>,
    pub(crate) contacts: ContactOverrides,
    /// Whether models may sleep.
    pub(crate) sleep: Option<bool>,
}

/// Contact settings that replace those of models with self-collision.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContactOverrides {
    /// Thickness of every model, m; models with limbs or bodies keep theirs.
    pub(crate) thickness: Option<f32>,
    /// Coefficient of friction of every model.
    pub(crate) friction: Option<f32>,
    /// Collision filters by the name of the model.
    pub(crate) filters: BTreeMap<String, CollisionFilter>,
}

/// Values that replace those of every stick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StickOverrides {
    /// Compliance, m/N.
    pub(crate) compliance: Option<f32>,
    /// Stiffness, above 0 and at most 1.
    pub(crate) stiffness: Option<f32>,
    /// Tear factor: the length at which a stick tears, in rest lengths.
    pub(crate) tear: Option<f32>,
}

/// Why a requested setting is invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadSetting {
    #[error("{what} must be from {min} to {max}, found {value}")]
    Range { what: &'static str, min: String, max: String, value: String },
    #[error("stiffness must be above 0 and at most 1, found {stiffness:?}")]
    Stiffness { stiffness: f32 },
    #[error("substeps x passes x iterations must be at most {ITERATIONS_MAX}, found {iterations}")]
    TooManyIterations { iterations: u64 },
    #[error(transparent)]
    Kernel(#[from] UnknownKernelName),
    #[error("unknown formula '{name}': expected exact, newton, halley or quick")]
    Formula { name: String },
    #[error(transparent)]
    Order(#[from] ArrangementError),
}

impl SettingRequest {
    /// A request for the values of the scene, the default kernels, and gravity.
    pub(crate) fn defaults() -> Self {
        Self {
            kernels: KernelChoice::default(),
            formula: None,
            order: None,
            substeps: None,
            iterations: None,
            passes: None,
            damping_rate: None,
            sticks: StickOverrides::default(),
            gravity: true,
            wind: None,
            tethers: None,
            collisions: None,
            contacts: ContactOverrides::default(),
            sleep: None,
        }
    }

    /// The part of the request that is kept for another scene: kernel, instruction set, threads.
    pub(crate) fn for_other_scene(&self) -> Self {
        Self { kernels: self.kernels.clone(), ..Self::defaults() }
    }

    /// This request with a change applied. At most `threads_max` threads may be requested.
    ///
    /// # Errors
    /// If a value of the change is invalid.
    pub(crate) fn with_change(
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
            thickness,
            friction,
            filters,
        } = change;
        if let Some(kernel) = kernel {
            // The available instruction sets depend on the kernel.
            self.kernels.isa = None;
            self.kernels.kernel = kernel.map(|name| name.parse()).transpose()?;
        }
        if let Some(instructions) = instructions {
            self.kernels.isa = instructions;
        }
        if let Some(threads) = check_range("threads", threads, 1..=threads_max)? {
            self.kernels.threads = threads.unwrap_or(1);
        }
        if let Some(name) = formula {
            let unknown_formula = |name: String| BadSetting::Formula { name };
            let parse = |name: String| Formula::from_str(&name).map_err(|_| unknown_formula(name));
            self.formula = name.map(parse).transpose()?;
        }
        if let Some(name) = schedule {
            self.order = name.map(|name| parse_order(&name)).transpose()?;
        }
        // The units are those of the fields of `Change`.
        self.substeps = check_range("substeps", substeps, 1..=1000)?.unwrap_or(self.substeps);
        self.iterations =
            check_range("iterations", iterations, 0..=1000)?.unwrap_or(self.iterations);
        self.passes = check_range("passes", passes, 1..=100)?.unwrap_or(self.passes);
        let damping_rate = check_range("damping_rate", damping_rate, 0.0..=1e9)?;
        self.damping_rate = damping_rate.unwrap_or(self.damping_rate);
        let sticks = &mut self.sticks;
        let compliance = check_range("compliance", compliance, 0.0..=100.0)?;
        sticks.compliance = compliance.unwrap_or(sticks.compliance);
        if let Some(Some(stiffness)) = stiffness
            && !(stiffness > 0.0 && stiffness <= 1.0)
        {
            return Err(BadSetting::Stiffness { stiffness });
        }
        sticks.stiffness = stiffness.unwrap_or(sticks.stiffness);
        sticks.tear = check_range("the tear factor", tear, 1.0..=1e6)?.unwrap_or(sticks.tear);
        let contacts = &mut self.contacts;
        let thickness = check_range("thickness", thickness, 1e-4..=1.0)?;
        contacts.thickness = thickness.unwrap_or(contacts.thickness);
        contacts.friction =
            check_range("friction", friction, 0.0..=100.0)?.unwrap_or(contacts.friction);
        match filters {
            None => {}
            Some(None) => contacts.filters.clear(),
            Some(Some(filters)) => contacts.filters.extend(filters),
        }
        Ok(self)
    }
}

/// Checks that the number of iterations in a step does not exceed its maximum.
pub(crate) fn check_iterations<const D: usize>(settings: &Settings<D>) -> Result<(), BadSetting> {
    let Settings { step, passes } = settings;
    let iterations = u64::from(step.substeps) * u64::from(*passes) * u64::from(step.iterations);
    if iterations > ITERATIONS_MAX {
        return Err(BadSetting::TooManyIterations { iterations });
    }
    Ok(())
}

/// Checks that a value, if there is one, is within a range. `what` names the value in the error.
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
fn check_range<T: PartialOrd + Debug>(
    what: &'static str,
    value: Option<Option<T>>,
    range: RangeInclusive<T>,
) -> Result<Option<Option<T>>, BadSetting> {
    match &value {
        Some(Some(value)) if !range.contains(value) => Err(BadSetting::Range {
            what,
            min: format!("{:?}", range.start()),
            max: format!("{:?}", range.end()),
            value: format!("{value:?}"),
        }),
        _ => Ok(value),
    }
}

/// Parses the name of an order. A name with a numbering, such as `packed/rcm`, is an error.
fn parse_order(name: &str) -> Result<Order, ArrangementError> {
    match name.parse()? {
        Arrangement { order, numbering: Numbering::Given } => Ok(order),
        Arrangement { .. } => Err(ArrangementError::Unknown { name: name.to_owned() }),
    }
}

/// The name of an order, as pages show it.
pub(crate) fn order_name(order: Order) -> String {
    Arrangement { order, numbering: Numbering::Given }.to_string()
}
