//! Positions of single particles of an island in the middle of a step: in [`Particles`], or in the
//! working copy of the plan that relaxes them.

use taut_core::{Engine, Executor, Particles, Real};

use super::island::Island;
use crate::matter::{PlanAccess, Progress};
use crate::model::Model;

/// Moves a particle without changing its previous position, so that its velocity changes.
fn set_position<const D: usize>(
    plan: &mut dyn Engine<D>,
    progress: &Progress,
    particles: &mut Particles<D>,
    particle: usize,
    point: [f32; D],
) {
    if progress.columns_current {
        particles.displace(particle, point);
    } else {
        // The current positions are in the working copy of the plan.
        plan.set_position(particles, particle, point);
    }
}

impl<const D: usize> Island<D> {
    /// The position of a particle, m.
    pub(super) fn position(&self, particle: usize) -> [f32; D] {
        self.plan.position(&self.model.particles, particle)
    }

    /// Moves a particle without changing its previous position, so that its velocity changes. -0.0
    /// becomes +0.0.
    pub(super) fn set_position(&mut self, particle: usize, point: [f32; D]) {
        let Self { model: Model { particles, .. }, plan, progress, .. } = self;
        set_position(&mut **plan, progress, particles, particle, point.map(Real::positive_zero));
    }

    /// Moves particles to the positions that guides, and then drag targets, give them at the end of a
    /// substep, which is at `time`, s: a drag target overrides a guide.
    pub(super) fn apply_guides_and_drags(&mut self, substep: u32, substeps: u32, time: f64) {
        let Self { model: Model { guides, particles, .. }, plan, progress, .. } = self;
        let Self { drag_targets, tethering, moved_pins, may_have_contacts, .. } = self;
        moved_pins.clear();
        let mut move_pin = |particles: &mut Particles<D>, particle, point| {
            if *may_have_contacts && particles.inverse_masses()[particle] == 0.0 {
                moved_pins.record(particle, plan.position(particles, particle));
            }
            set_position(&mut **plan, progress, particles, particle, point);
        };
        for guide in &mut *guides {
            guide.for_each_position(time, |particle, point| {
                if particles.inverse_masses()[particle] == 0.0 {
                    move_pin(particles, particle, point);
                }
            });
        }
        for target in &*drag_targets {
            let point = target.position_at(substep, substeps);
            move_pin(particles, target.number, point);
        }
        if let Some(tethering) = tethering {
            if !(guides.is_empty() && drag_targets.is_empty()) {
                tethering.update_anchor_positions(&**plan, particles);
            }
            // Anchors that are tied, not pinned, move in the substep: their positions at its end are
            // predicted.
            tethering.predict_tied_anchors(&**plan, particles);
        }
    }

    /// Stops the pinned particles that guides and drags moved in this substep.
    pub(super) fn stop_moved_pins(&mut self, executor: &dyn Executor) {
        let Self { model, plan, progress, moved_pins, .. } = self;
        let mut plan = PlanAccess { engine: &mut **plan, executor, progress, moved_pins };
        plan.stop_moved_pins(&mut model.particles);
    }
}
