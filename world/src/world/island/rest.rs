//! Whether an island is at rest.

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
pub(in crate::world) struct Rest<const D: usize> {
    asleep: bool,
    /// How long no particle has left the neighbourhood of its anchor, s.
    quiet: f32,
    /// Positions at the beginning of the quiet time, m, by axis; empty if it begins at the next step.
    anchors: [Vec<f32>; D],
    /// A box around the particles, when the island was last found to be quiet for long enough, m.
    bounds: Corners<D>,
    /// How far the models extend beyond their particles, m.
    extent: f32,
    /// With which other islands it may have contacts; None if with none.
    collides: Option<SelfCollision>,
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

impl<const D: usize> Rest<D> {
    /// Of an island that is awake.
    pub(in crate::world) fn new(model: &Model<D>) -> Self {
        Self {
            asleep: false,
            quiet: 0.0,
            anchors: core::array::from_fn(|_| Vec::new()),
            bounds: [[0.0; D]; 2],
            extent: extent(model),
            collides: None,
        }
    }

    /// Adds the collisions of a model of the island.
    pub(in crate::world) fn add_collisions(&mut self, of_model: &SelfCollision) {
        let thickness = Some(of_model.distance());
        let all = self.collides.get_or_insert(SelfCollision { thickness, ..*of_model });
        all.thickness = Some(all.distance().max(of_model.distance()));
        all.categories |= of_model.categories;
        all.mask |= of_model.mask;
    }

    pub(in crate::world) fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Resets the quiet time: it begins at the next step.
    fn forget_anchors(&mut self) {
        self.quiet = 0.0;
        for anchors in &mut self.anchors {
            anchors.clear();
        }
    }

    /// Counts the last step as quiet, unless a particle is farther than `radius`, m, from its anchor.
    /// Returns how long the island has been quiet, s.
    pub(in crate::world) fn count_quiet(
        &mut self,
        particles: &Particles<D>,
        radius: f32,
        duration: f32,
    ) -> f32 {
        if self.is_near_anchors(particles, radius) {
            self.quiet += duration;
        } else {
            self.quiet = 0.0;
            for (axis, anchors) in self.anchors.iter_mut().enumerate() {
                anchors.clear();
                anchors.extend_from_slice(particles.positions(axis));
            }
        }
        self.quiet
    }

    /// Whether no particle has left its anchor; false if a position is not finite.
    fn is_near_anchors(&self, particles: &Particles<D>, radius: f32) -> bool {
        let count = particles.len();
        let positions: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        self.anchors.iter().all(|anchors| anchors.len() == count)
            && (0..count).all(|particle| {
                let mut square = 0.0;
                for (positions, anchors) in positions.iter().zip(&self.anchors) {
                    let moved = positions[particle] - anchors[particle];
                    square += moved * moved;
                }
                square <= radius * radius
            })
    }

    /// Finds the box around the particles at rest.
    pub(in crate::world) fn update_bounds(&mut self, particles: &Particles<D>) {
        let positions = (0..particles.len()).map(|particle| particles.position(particle));
        self.bounds = box_around(positions);
    }

    /// A box around the models at rest, m.
    pub(in crate::world) fn bounds(&self) -> Corners<D> {
        enlarged(self.bounds, [self.extent; D])
    }

    /// The collisions of all its models as one; None if it has no contacts with other islands.
    pub(in crate::world) fn collisions(&self) -> Option<&SelfCollision> {
        self.collides.as_ref()
    }

    /// A box around everything that the island may touch in the next step, m; None if it has no
    /// contacts with other islands.
    pub(in crate::world) fn reach(
        &self,
        particles: &Particles<D>,
        settings: &Settings<D>,
    ) -> Option<Corners<D>> {
        let margin = self.extent + self.collides?.distance();
        if self.asleep {
            return Some(enlarged(self.bounds, [margin; D]));
        }
        let substeps = settings.step.substeps as f32;
        let path = |particle: usize| {
            let x = particles.position(particle);
            let before = particles.previous_position(particle);
            [x, core::array::from_fn(|axis| x[axis] + (x[axis] - before[axis]) * substeps)]
        };
        let bounds = box_around((0..particles.len()).flat_map(path));
        let fall =
            settings.step.acceleration.map(|it| it.abs() * settings.step.dt * settings.step.dt);
        Some(enlarged(bounds, fall.map(|fall| fall + margin)))
    }

    /// For snapshots: whether it is asleep, the quiet time, s, and the anchors.
    pub(in crate::world) fn state(&self) -> (bool, f32, &[Vec<f32>; D]) {
        (self.asleep, self.quiet, &self.anchors)
    }

    /// Restores the [`state`](Self::state) of a snapshot.
    pub(in crate::world) fn restore(&mut self, asleep: bool, quiet: f32, anchors: [Vec<f32>; D]) {
        (self.asleep, self.quiet, self.anchors) = (asleep, quiet, anchors);
    }
}

fn enlarged<const D: usize>([low, high]: Corners<D>, by: [f32; D]) -> Corners<D> {
    let moved = |x: [f32; D], sign: f32| core::array::from_fn(|axis| x[axis] + sign * by[axis]);
    [moved(low, -1.0), moved(high, 1.0)]
}

impl<const D: usize> Island<D> {
    /// Lets the island sleep.
    pub(in crate::world) fn prepare_rest(&mut self) {
        self.rest = Some(Rest::new(&self.model));
    }

    /// Whether it is asleep: it does not move, and steps skip it.
    pub(in crate::world) fn is_asleep(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.asleep)
    }

    /// Wakes it; if it is awake, resets its quiet time.
    pub(in crate::world) fn wake(&mut self) {
        let Some(rest) = &mut self.rest else { return };
        if rest.asleep {
            // Steps that skipped the island have not refreshed its tethers.
            self.tether_cursors = None;
        }
        rest.asleep = false;
        rest.forget_anchors();
    }

    /// Puts it to sleep: its particles stop.
    pub(in crate::world) fn fall_asleep(&mut self) {
        let Some(rest) = &mut self.rest else { return };
        rest.asleep = true;
        rest.forget_anchors();
        let columns = self.model.particles.columns();
        for (positions, previous) in columns.position.into_iter().zip(columns.previous) {
            previous.copy_from_slice(positions);
        }
    }
}
