//! Values of a session that the host sends to pages: times, operations, stretch and current settings.

use taut::world::{Arrangement, Order, SelfCollision, Settings, Warning};
use taut::{Duplicates, Formula, Particles, Sticks, Stretch, Tally};

use super::properties::StickValues;
use super::{Session, SessionError};
use crate::protocol::{
    CollisionFilter, ComparisonFigures, ComparisonKernel, Counts, CurrentSettings, FILTERS_MAX,
    ModelFilter,
};
use crate::request::{self, StickOverrides};
use crate::step_timer::StepTimes;

impl Session {
    /// The times per step of the session's world.
    pub(crate) fn step_times(&self) -> StepTimes {
        self.runner.timer.step_times()
    }

    /// The figures of the second world; `None` without a race.
    pub(crate) fn comparison_figures(&self) -> Option<ComparisonFigures> {
        self.comparison.as_ref().map(|comparison| ComparisonFigures {
            step_milliseconds: 1e3 * comparison.runner.timer.step_times().step_s,
            equal: comparison.first_difference.is_none(),
            first_difference: comparison.first_difference,
        })
    }

    /// The kernel of the second world; `None` without a race.
    pub(crate) fn comparison_kernel(&self) -> Option<ComparisonKernel> {
        let [kernel, instructions] =
            self.comparison.as_ref()?.runner.kernel_names().map(ToOwned::to_owned);
        Some(ComparisonKernel { kernel, instructions })
    }

    /// The number of iterations in a step: substeps x passes x iterations.
    pub(crate) fn iterations_per_step(&self) -> u64 {
        let Settings { step, passes } = self.runner.world.settings();
        u64::from(step.substeps) * u64::from(passes.max(1)) * u64::from(step.iterations)
    }

    /// Divisions and square roots per step: those of one relaxation of a plain stick, times the number
    /// of sticks and of iterations.
    pub(crate) fn operations(&self) -> [u64; 2] {
        let Tally { divisions, square_roots, .. } =
            operations_per_relaxation(self.runner.world.formula());
        let sticks = self.runner.world.sticks();
        [divisions, square_roots]
            .map(|per_relaxation| per_relaxation * sticks as u64 * self.iterations_per_step())
    }

    /// The warnings of the session's world.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.runner.world.warnings()
    }

    /// Stretch, and kinetic and potential energy in J.
    pub(crate) fn diagnostics(&self) -> Result<(Stretch, [f64; 2]), SessionError> {
        let diagnostics = self.runner.world.diagnostics()?;
        Ok((diagnostics.stretch, [diagnostics.kinetic, diagnostics.potential]))
    }

    /// The number of steps since the start of the scene.
    pub(crate) fn steps(&self) -> u64 {
        self.runner.world.steps()
    }

    /// The length of a step, s.
    pub(crate) fn dt(&self) -> f32 {
        self.runner.world.settings().step.dt
    }

    /// The bounding box of the initial positions: minimum and maximum corner, m.
    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    /// Whether the forces of the scene, or the default wind, act.
    pub(crate) fn has_wind(&self) -> bool {
        self.request.wind.unwrap_or(self.properties.has_forces)
    }

    /// Whether particles have tethers: as requested, or as in the scene.
    pub(crate) fn has_tethers(&self) -> bool {
        let in_scene = || self.properties.models.iter().any(|model| model.has_tethers);
        self.request.tethers.unwrap_or_else(in_scene)
    }

    /// Whether models have self-collision: as requested, or as in the scene.
    pub(crate) fn has_collisions(&self) -> bool {
        let in_scene = || self.properties.models.iter().any(|model| model.self_collision.is_some());
        self.request.collisions.unwrap_or_else(in_scene)
    }

    /// Whether models may sleep.
    pub(crate) fn may_sleep(&self) -> bool {
        self.runner.world.sleep().is_some()
    }

    /// The number of models of the scene.
    pub(crate) fn model_count(&self) -> usize {
        self.properties.models.len()
    }

    /// The number of models that are asleep.
    pub(crate) fn sleeping_count(&self) -> usize {
        self.runner.world.sleeping_models().len()
    }

    /// The numbers of particles, sticks, faces and torn sticks.
    pub(crate) fn counts(&self) -> Counts {
        let world = &self.runner.world;
        Counts {
            particles: world.particles(),
            sticks: world.drawing().sticks.len(),
            faces: world.drawing().triangles.len(),
            torn: world.removed().sticks.len(),
        }
    }

    /// The names of the orders that the scene supports.
    pub(crate) fn orders(&self) -> Vec<String> {
        let orders = Arrangement::orders().map(|arrangement| arrangement.order);
        orders
            .filter(|&order| order != Order::Sheet || self.properties.has_sheets())
            .map(request::order_name)
            .collect()
    }

    /// The settings in force.
    pub(crate) fn current_settings(&self) -> CurrentSettings {
        let world = &self.runner.world;
        let Settings { step, passes } = world.settings();
        let [kernel, instructions] = self.runner.kernel_names().map(ToOwned::to_owned);
        let StickOverrides { compliance, stiffness, tear } = self.request.sticks;
        // The value that all sticks of the scene have in common, if any.
        let common = |value: fn(&StickValues) -> f32| {
            common_value(self.properties.sticks.iter().map(value))?
        };
        let contacts = world.self_collision_settings();
        CurrentSettings {
            kernel,
            instructions,
            formula: world.formula().to_string(),
            schedule: request::order_name(
                self.request
                    .order
                    .or(self.properties.order)
                    .unwrap_or(self.properties.default_order),
            ),
            threads: self.request.kernels.threads,
            substeps: step.substeps,
            iterations: step.iterations,
            passes: passes.max(1),
            damping_rate: step.damping_rate,
            compliance: compliance.or_else(|| common(|stick| stick.compliance)),
            stiffness: stiffness.or_else(|| common(|stick| stick.stiffness)),
            tear: tear.or_else(|| common(|stick| stick.tear_factor).filter(|it| it.is_finite())),
            thickness: common_value(contacts.iter().filter_map(|settings| settings.thickness)),
            friction: common_value(contacts.iter().map(|settings| settings.friction)),
            filters: self.collision_filters(),
        }
    }

    /// The collision filters of the models with self-collision; none if these are more than [`FILTERS_MAX`].
    fn collision_filters(&self) -> Vec<ModelFilter> {
        let default = match self.request.collisions {
            Some(false) => return Vec::new(),
            Some(true) => Some(SelfCollision::default()),
            None => None,
        };
        let filters = self.properties.models.iter().filter_map(|model| {
            let SelfCollision { categories, mask, .. } = model.self_collision.or(default)?;
            let requested = self.request.contacts.filters.get(&model.name).copied();
            let filter = requested.unwrap_or(CollisionFilter { categories, mask });
            Some(ModelFilter { model: model.name.clone(), filter })
        });
        let filters: Vec<_> = filters.take(FILTERS_MAX + 1).collect();
        if filters.len() > FILTERS_MAX { Vec::new() } else { filters }
    }
}

/// The value that all `values` have in common: `None` if there are no values, `Some(None)` if the values
/// differ.
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
fn common_value(mut values: impl Iterator<Item = f32>) -> Option<Option<f32>> {
    let first = values.next()?;
    Some(values.all(|value| value.to_bits() == first.to_bits()).then_some(first))
}

/// Counts the operations of one relaxation of a plain stick.
fn operations_per_relaxation(formula: Formula) -> Tally {
    let count = || {
        let particles = Particles::new(&[[0.0; 2], [2.0, 0.0]], &[1.0; 2]).ok()?;
        let sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0], Duplicates::Keep).ok()?;
        Some(taut_scalar::count_operations(&particles, &sticks, formula))
    };
    count().unwrap_or_default()
}
