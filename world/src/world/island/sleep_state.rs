//! Whether an island is asleep.

use taut_core::Particles;

use super::Island;
use crate::body::box_around;
use crate::model::Model;
use crate::self_collision::SelfCollision;
use crate::settings::Settings;

/// The lower and upper corner of a box, m.
pub(in crate::world) type Corners<const D: usize> = [[f32; D]; 2];

/// Whether an island is asleep, and how long it has been quiet.
#[derive(Clone, Debug)]
pub(in crate::world) struct SleepState<const D: usize> {
    asleep: bool,
    /// The quiet time: how long all particles have stayed near their reference positions, s.
    quiet: f32,
    /// The positions at the beginning of the quiet time, m, by axis. Empty if the quiet time begins at
    /// the next step.
    reference_positions: [Vec<f32>; D],
    /// A box around the particles at the last time when the island was quiet for long enough, m.
    bounds: Corners<D>,
    /// How far the models extend beyond their particles, m.
    extent: f32,
    /// The self-collision settings of its models, joined: the greatest thickness, and all categories
    /// and masks. None if no model has self-collision: then it has no contacts with other islands.
    self_collision: Option<SelfCollision>,
}

/// How far a model extends beyond its particles, m: the radii of particles and limbs, and the
/// distance of the vertices of a body from its first particle.
fn extent<const D: usize>(model: &Model<D>) -> f32 {
    let Model { radii, limbs, bodies, particles, .. } = model;
    let radii = radii.iter().copied().chain(limbs.all().iter().map(|limb| limb.radius));
    let vertices = bodies.vertices(particles);
    let distances = bodies.all().iter().flat_map(|body| {
        let first = particles.position(body.particles()[0] as usize);
        vertices[body.vertices()].iter().map(move |vertex| {
            let squares = vertex.iter().zip(first).map(|(x, first)| (x - first) * (x - first));
            squares.sum::<f32>().sqrt()
        })
    });
    radii.chain(distances).fold(0.0, f32::max)
}

impl<const D: usize> SleepState<D> {
    /// The state of an island that is awake.
    pub(in crate::world) fn new(model: &Model<D>) -> Self {
        Self {
            asleep: false,
            quiet: 0.0,
            reference_positions: core::array::from_fn(|_| Vec::new()),
            bounds: [[0.0; D]; 2],
            extent: extent(model),
            self_collision: None,
        }
    }

    /// Joins the self-collision settings of a model of the island with those of the others.
    pub(in crate::world) fn add_self_collision(&mut self, of_model: &SelfCollision) {
        let thickness = Some(of_model.distance());
        let joined = self.self_collision.get_or_insert(SelfCollision { thickness, ..*of_model });
        joined.thickness = Some(joined.distance().max(of_model.distance()));
        joined.categories |= of_model.categories;
        joined.mask |= of_model.mask;
    }

    /// Whether the island is asleep.
    pub(in crate::world) fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Resets the quiet time: it begins at the next step.
    fn reset_quiet_time(&mut self) {
        self.quiet = 0.0;
        for reference_positions in &mut self.reference_positions {
            reference_positions.clear();
        }
    }

    /// Adds `duration`, s, to the quiet time, unless a particle is farther than `radius`, m, from its
    /// reference position: then the quiet time begins now. Returns the quiet time, s.
    pub(in crate::world) fn update_quiet_time(
        &mut self,
        particles: &Particles<D>,
        radius: f32,
        duration: f32,
    ) -> f32 {
        if self.is_near_reference_positions(particles, radius) {
            self.quiet += duration;
        } else {
            self.quiet = 0.0;
            for (axis, reference_positions) in self.reference_positions.iter_mut().enumerate() {
                reference_positions.clear();
                reference_positions.extend_from_slice(particles.positions(axis));
            }
        }
        self.quiet
    }

    /// Whether all particles are near their reference positions; false if a position is not finite.
    fn is_near_reference_positions(&self, particles: &Particles<D>, radius: f32) -> bool {
        let count = particles.len();
        let positions: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        self.reference_positions
            .iter()
            .all(|reference_positions| reference_positions.len() == count)
            && (0..count).all(|particle| {
                let mut square = 0.0;
                for (positions, reference_positions) in
                    positions.iter().zip(&self.reference_positions)
                {
                    let moved = positions[particle] - reference_positions[particle];
                    square += moved * moved;
                }
                square <= radius * radius
            })
    }

    /// Computes the box around the particles of a quiet island.
    pub(in crate::world) fn update_bounds(&mut self, particles: &Particles<D>) {
        let positions = (0..particles.len()).map(|particle| particles.position(particle));
        self.bounds = box_around(positions);
    }

    /// A box around the models of a quiet island, m.
    pub(in crate::world) fn bounds(&self) -> Corners<D> {
        enlarged(self.bounds, [self.extent; D])
    }

    /// The joined self-collision settings of its models; None if it has no contacts with other
    /// islands.
    pub(in crate::world) fn self_collision(&self) -> Option<&SelfCollision> {
        self.self_collision.as_ref()
    }

    /// A box around the models throughout the next step, enlarged by the distance that they keep, m:
    /// islands whose boxes do not overlap have no contacts with each other, as long as only inertia,
    /// guides and the acceleration of the settings move them. `time` is that at the beginning of the
    /// step, s. None if this island has no contacts with other islands.
    pub(in crate::world) fn contact_bounds(
        &self,
        model: &Model<D>,
        settings: &Settings<D>,
        time: f64,
    ) -> Option<Corners<D>> {
        let Model { particles, guides, .. } = model;
        let margin = self.extent + self.self_collision?.distance();
        if self.asleep {
            return Some(enlarged(self.bounds, [margin; D]));
        }
        let substeps = settings.step.substeps as f32;
        let path = |particle: usize| {
            let x = particles.position(particle);
            let before = particles.previous_position(particle);
            [x, core::array::from_fn(|axis| x[axis] + (x[axis] - before[axis]) * substeps)]
        };
        let [mut low, mut high] = box_around((0..particles.len()).flat_map(path));
        for guide in guides {
            guide.for_each_position(time + f64::from(settings.step.dt), |_, end| {
                low = core::array::from_fn(|axis| low[axis].min(end[axis]));
                high = core::array::from_fn(|axis| high[axis].max(end[axis]));
            });
        }
        // The acceleration moves a particle by at most this distance in a step.
        let fall =
            settings.step.acceleration.map(|it| it.abs() * settings.step.dt * settings.step.dt);
        Some(enlarged([low, high], fall.map(|fall| fall + margin)))
    }

    /// For snapshots: whether it is asleep, the quiet time, s, and the reference positions, m.
    pub(in crate::world) fn state(&self) -> (bool, f32, &[Vec<f32>; D]) {
        (self.asleep, self.quiet, &self.reference_positions)
    }

    /// Restores the [`state`](Self::state) of a snapshot.
    pub(in crate::world) fn restore(
        &mut self,
        asleep: bool,
        quiet: f32,
        reference_positions: [Vec<f32>; D],
    ) {
        (self.asleep, self.quiet, self.reference_positions) = (asleep, quiet, reference_positions);
    }
}

/// A box, enlarged by `by`, m, on both sides along each axis.
fn enlarged<const D: usize>([low, high]: Corners<D>, by: [f32; D]) -> Corners<D> {
    let moved = |x: [f32; D], sign: f32| core::array::from_fn(|axis| x[axis] + sign * by[axis]);
    [moved(low, -1.0), moved(high, 1.0)]
}

impl<const D: usize> Island<D> {
    /// Allows the island to sleep.
    pub(in crate::world) fn allow_sleep(&mut self) {
        self.sleep_state = Some(SleepState::new(&self.model));
    }

    /// Whether it is asleep: it does not move, and steps skip it.
    pub(in crate::world) fn is_asleep(&self) -> bool {
        self.sleep_state.as_ref().is_some_and(|state| state.asleep)
    }

    /// Wakes the island if it is asleep, and resets its quiet time.
    pub(in crate::world) fn wake(&mut self) {
        let Some(state) = &mut self.sleep_state else { return };
        if state.asleep {
            // Steps that skipped the island have not refreshed its tethers.
            self.tether_cursors = None;
        }
        state.asleep = false;
        state.reset_quiet_time();
    }

    /// Puts the island to sleep: its particles stop.
    pub(in crate::world) fn fall_asleep(&mut self) {
        let Some(state) = &mut self.sleep_state else { return };
        state.asleep = true;
        state.reset_quiet_time();
        let columns = self.model.particles.columns();
        for (positions, previous) in columns.position.into_iter().zip(columns.previous) {
            previous.copy_from_slice(positions);
        }
    }
}
