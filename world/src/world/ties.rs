//! Relaxing and breaking ties between points of islands.

use taut_core::{Factor, Kind, Response, WithFactor, factor, squared_length, weight};

use super::{Island, NumberMap, World, WorldError};
use crate::body::WeightedPoint;
use crate::scene::Scene;
use crate::settings::{Settings, StepTime};
use crate::vector::{add_scaled, difference, length, to_f64};

/// A tie of a world.
#[derive(Clone, Debug)]
pub(super) struct IslandTie<const D: usize> {
    /// The numbers of the models of its two points.
    pub(super) models: [usize; 2],
    /// The numbers of the islands of its two points.
    pub(super) islands: [usize; 2],
    /// Its two points; their particle numbers are those within the islands.
    pub(super) points: [WeightedPoint; 2],
    /// The distance of the points, m.
    pub(super) distance: f32,
    pub(super) kind: Kind,
    /// Compliance, m/N.
    compliance: f32,
    /// Breaking force, N; infinite if the tie does not break.
    breaking_force: f32,
    pub(super) broken: bool,
    /// The sum of the Lagrange multipliers of this step, as a vector, kg m. A multiplier λ moves
    /// particle i of the first point by `c_i w_i λ`, and of the second by `-c_i w_i λ`, where `c_i`
    /// is its weight in the point and `w_i` its inverse mass.
    lambda: [f32; D],
    /// The mean force of the last step, N.
    pub(super) force: f64,
}

/// The current state of a tie: see [`World::ties`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieState<const D: usize = 3> {
    /// The two points, m.
    pub ends: [[f32; D]; 2],
    /// The distance that it enforces, m.
    pub distance: f32,
    /// Whether this is a fixed distance, a maximum or a minimum.
    pub kind: Kind,
    /// Whether it is broken.
    pub broken: bool,
    /// The magnitude of its mean force over the last step, N; 0 before the first step.
    pub force: f64,
}

impl<const D: usize> IslandTie<D> {
    /// The ties of a scene. `first_particles` has the world number of the first particle of each model;
    /// `numbers` are the numbers of the world's particles.
    pub(super) fn all_of(
        scene: &Scene<D>,
        first_particles: &[usize],
        numbers: &NumberMap,
    ) -> Vec<Self> {
        let locate = |model: usize, particle: u32| {
            let location = numbers.locate(first_particles[model] + particle as usize);
            location.expect("attaching has checked that the particle exists")
        };
        let island_tie = |tie: &crate::tie::BoundTie| Self {
            models: tie.models,
            islands: [0, 1].map(|end| locate(tie.models[end], tie.points[end].particles[0]).0),
            points: [0, 1].map(|end| {
                tie.points[end].renumbered(|particle| locate(tie.models[end], particle).1 as u32)
            }),
            distance: tie.distance,
            kind: tie.kind,
            compliance: tie.compliance,
            breaking_force: tie.breaking_force,
            broken: false,
            lambda: [0.0; D],
            force: 0.0,
        };
        scene.ties().iter().map(island_tie).collect()
    }

    /// Whether both of its islands sleep. (Islands joined by an unbroken tie sleep and wake
    /// together.)
    fn is_asleep(&self, islands: &[Island<D>]) -> bool {
        self.islands.iter().all(|&island| islands[island].is_asleep())
    }

    /// Breaks the tie, and wakes the islands that it joined.
    fn break_up(&mut self, islands: &mut [Island<D>]) {
        self.broken = true;
        for island in self.islands {
            islands[island].wake();
        }
    }

    /// The positions of its two points, m.
    fn ends(&self, islands: &[Island<D>]) -> [[f32; D]; 2] {
        [0, 1].map(|end| {
            let island = &islands[self.islands[end]];
            self.points[end].position_by(|particle| island.position(particle as usize))
        })
    }

    /// Relaxes the tie once, as [`taut_core::relax`] relaxes a stick. At zero distance the
    /// constraint is linear and has no direction, so the formulas are not needed.
    fn relax<F: Factor>(&mut self, islands: &mut [Island<D>], inverse_h2: f32) {
        let ends = self.ends(islands);
        let inverse_masses = [0, 1]
            .map(|end| self.points[end].inverse_mass(&islands[self.islands[end]].model.particles));
        let denominator = weight(inverse_masses, self.compliance, inverse_h2);
        if denominator < f32::MIN_POSITIVE {
            return; // its inverse may be infinite
        }
        let d = difference(ends[1], ends[0]);
        let g = if self.distance > 0.0 {
            let as_factor = |acts: bool| f32::from(u8::from(acts));
            let response = Response {
                stretched: as_factor(self.kind.pulls()),
                compressed: as_factor(self.kind.pushes()),
            };
            let terms = [F::rest_term(self.distance), F::weight_term(denominator)];
            factor::<F, f32>(squared_length(d), terms[0], terms[1], Some(response))
        } else if self.kind.pulls() {
            1.0 / denominator
        } else {
            0.0
        };
        if g == 0.0 {
            return;
        }
        // The multiplier of this relaxation, as a vector, is g d: an impulse, kg m.
        self.lambda = add_scaled(self.lambda, g, d);
        for (end, g) in [g, -g].into_iter().enumerate() {
            let island = &mut islands[self.islands[end]];
            let per_impulse = self.points[end].displacements_per_impulse(&island.model.particles);
            for (particle, per_impulse) in self.points[end].particles.into_iter().zip(per_impulse) {
                if per_impulse != 0.0 {
                    let from = island.position(particle as usize);
                    island.set_position(particle as usize, add_scaled(from, per_impulse * g, d));
                }
            }
        }
    }
}

/// Relaxes all unbroken ties in order, `iterations` times, with any formula.
struct RelaxAll<'a, const D: usize> {
    ties: &'a mut [IslandTie<D>],
    islands: &'a mut [Island<D>],
    /// 1 / h², where h is the length of a substep, 1/s².
    inverse_h2: f32,
    iterations: u32,
}

impl<const D: usize> WithFactor for RelaxAll<'_, D> {
    type Output = ();

    fn with<F: Factor>(self) {
        for _ in 0..self.iterations {
            for tie in self.ties.iter_mut().filter(|tie| !tie.broken) {
                if tie.is_asleep(self.islands) {
                    continue;
                }
                tie.relax::<F>(self.islands, self.inverse_h2);
            }
        }
    }
}

/// Begins a step: resets the multipliers of the ties that are not asleep, and marks the islands of the
/// unbroken ones among them as tied.
pub(super) fn begin_step<const D: usize>(ties: &mut [IslandTie<D>], islands: &mut [Island<D>]) {
    for island in &mut *islands {
        island.tied = false;
    }
    for tie in ties {
        if tie.is_asleep(islands) {
            continue;
        }
        tie.lambda = [0.0; D];
        if !tie.broken {
            for island in tie.islands {
                islands[island].tied = true;
            }
        }
    }
}

/// Relaxes all unbroken ties in order, `iterations` times. Returns whether there are any.
pub(super) fn relax<const D: usize>(
    ties: &mut [IslandTie<D>],
    islands: &mut [Island<D>],
    formula: taut_core::Formula,
    iterations: u32,
    now: &StepTime<D>,
) -> bool {
    let inverse_h2 = now.motion.inverse_h2;
    let any_unbroken = ties.iter().any(|tie| !tie.broken);
    if any_unbroken {
        formula.dispatch(RelaxAll { ties, islands, inverse_h2, iterations });
    }
    any_unbroken
}

/// Ends a step: computes the force of each tie, breaks the ties whose force was above their breaking
/// force, and wakes the islands that they joined. Returns the number of ties that broke.
pub(super) fn finish_step<const D: usize>(
    ties: &mut [IslandTie<D>],
    islands: &mut [Island<D>],
    settings: &Settings<D>,
) -> usize {
    let (substeps, dt) = (f64::from(settings.step.substeps), f64::from(settings.step.dt));
    let h = dt / substeps;
    let mut broken = 0;
    for tie in ties {
        if tie.is_asleep(islands) {
            continue;
        }
        // The multipliers of a substep add up to its force times h². So those of a step add up to the
        // mean force times h² times the number of substeps, which is `dt / h`.
        tie.force = length(to_f64(tie.lambda)) / (h * dt);
        if !tie.broken && tie.force > f64::from(tie.breaking_force) {
            tie.break_up(islands);
            broken += 1;
        }
    }
    broken
}

impl<const D: usize> World<D> {
    /// The ties, in the order of their numbers: as they were [attached](Scene::attach).
    pub fn ties(&self) -> impl ExactSizeIterator<Item = TieState<D>> {
        self.ties.iter().map(|tie| TieState {
            ends: tie.ends(&self.islands),
            distance: tie.distance,
            kind: tie.kind,
            broken: tie.broken,
            force: tie.force,
        })
    }

    /// Breaks a tie: it no longer acts. Returns whether it was not broken before.
    ///
    /// # Errors
    /// No such tie.
    pub fn break_tie(&mut self, tie: usize) -> Result<bool, WorldError> {
        let ties = self.ties.len();
        let tie = self.ties.get_mut(tie).ok_or(WorldError::NoSuchTie { tie, ties })?;
        let was_broken = tie.broken;
        if !was_broken {
            tie.break_up(&mut self.islands);
        }
        Ok(!was_broken)
    }
}
