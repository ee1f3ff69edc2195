//! Scripted disturbance of a world: kicks, grabs, cuts, pins that are freed, and a wind that turns. The script is a
//! function of the seed and of the world, so two worlds with the same bits are disturbed in the same way.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use taut::world::{Drag, Field, Force, Simulation, Wind, World, WorldError};

/// Out of each minute, s: the rest is calm, so models can fall asleep.
const DISTURBED: u64 = 40;
/// Largest velocity of a kick, m/s along each axis.
const KICK: f32 = 2.0;
/// Number of particles with consecutive numbers that a kick moves.
const KICKED: usize = 8;
/// Largest velocity of a grabbed particle along each axis, in diagonals of the initial bounding box per second. It is
/// dragged for a second, however much that stretches the sticks.
const GRAB: f32 = 0.05;
/// A cut comes on average after this number of seconds of disturbance.
const SECONDS_PER_CUT: u32 = 60;
/// The share of torn sticks, 1 in so many, at which a scene begins again.
const TORN_SHARE: usize = 5;
/// Wind speed, m/s.
const WIND: f32 = 3.0;
/// Cosine and sine of the angle by which the wind turns in a second: 22 s for a whole turn.
const TURN: [f32; 2] = [0.96, 0.28];
/// How long a pin is free, as a fraction of a second: it falls by 0.3 m. From farther away, its return in a second
/// would stretch the model without limit.
const FREED_FRACTION: u64 = 4;
/// Length of the blade of a cut, in the same diagonals.
const BLADE: f32 = 0.05;
/// How far particles may move away from the initial bounding box: in m, and in diagonals of that box.
const RANGE: [f32; 2] = [20.0, 5.0];

/// What differs between two and three dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actions<const D: usize> {
    /// Wind with a horizontal velocity, m/s.
    wind: fn([f32; 2]) -> Arc<dyn Force<D>>,
    /// Cuts near a point, with a blade of this length, m.
    cut: fn(&mut World<D>, [f32; D], f32) -> usize,
}

/// Wind that blows along x, and short vertical cuts.
pub(super) const PLANAR: Actions<2> = Actions {
    wind: |[x, _]| Arc::new(Field::new(Drag { linear: 0.05, quadratic: 0.0, air: [x, 0.0] })),
    cut: |world, [x, y], length| world.cut([[x, y], [x, y + length]]),
};

/// Wind on faces, and cuts by a blade along z that moves down.
pub(super) const SPATIAL: Actions<3> = Actions {
    wind: |[x, z]| Arc::new(Wind::new([x, 0.0, z])),
    cut: |world, [x, y, z], length| {
        let blade = |y| [[x, y, z - length], [x, y, z + length]];
        world.cut_swept(blade(y), blade(y - length))
    },
};

/// A grabbed particle.
#[derive(Clone, Copy, Debug)]
struct Grabbed<const D: usize> {
    particle: usize,
    from: [f32; D],
    /// m/s
    velocity: [f32; D],
    since: u64,
}

/// A pin that is free for a moment, and then returns within a second.
#[derive(Clone, Copy, Debug)]
struct FreedPin<const D: usize> {
    particle: usize,
    /// Where it was when it was pinned again.
    from: [f32; D],
    since: u64,
}

/// The script and its state.
#[derive(Debug)]
pub(super) struct Disturbance<const D: usize> {
    random: ChaCha8Rng,
    actions: Actions<D>,
    /// The number of steps per simulated second.
    second: u64,
    initial_positions: Vec<[f32; D]>,
    /// The initial bounding box: its centre, and its diagonal, m.
    centre: [f32; D],
    diagonal: f32,
    /// Pins that can be freed.
    pins: Vec<usize>,
    /// Inverse mass of a freed pin, 1/kg.
    inverse_mass: f32,
    wind: [f32; 2],
    /// The number of the wind among the forces of the world.
    force: usize,
    grabbed: Option<Grabbed<D>>,
    freed: Option<FreedPin<D>>,
}

impl<const D: usize> Disturbance<D>
where
    World<D>: Simulation<D>,
{
    /// A script for a world in its initial state.
    pub(super) fn new(world: &World<D>, actions: Actions<D>, second: u64, seed: u64) -> Self {
        let initial_positions: Vec<[f32; D]> = world.positions().collect();
        let (mut low, mut high) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
        for point in &initial_positions {
            for axis in 0..D {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let sides: [f32; D] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let is_pin = |&particle: &usize| {
            let (island, number) = world.locate(particle);
            let guides = &world.islands()[island].model.guides;
            let is_guided = guides.iter().any(|it| it.particles().contains(&(number as u32)));
            world.inverse_mass(particle) == 0.0 && !is_guided && !is_emitted(world, particle)
        };
        let masses = (0..world.len()).map(|particle| world.inverse_mass(particle));
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            actions,
            second,
            centre: std::array::from_fn(|axis| low[axis] + 0.5 * sides[axis]),
            diagonal: sides.iter().map(|side| side * side).sum::<f32>().sqrt(),
            pins: (0..world.len()).filter(is_pin).collect(),
            inverse_mass: masses.into_iter().find(|&inverse| inverse > 0.0).unwrap_or(1.0),
            initial_positions,
            wind: [WIND, 0.0],
            force: 0,
            grabbed: None,
            freed: None,
        }
    }

    /// Prepares a new world.
    pub(super) fn begin(&mut self, world: &mut World<D>) {
        (self.grabbed, self.freed) = (None, None);
        self.force = world.forces_mut().len();
        world.forces_mut().push((self.actions.wind)(self.wind));
    }

    /// Whether a particle has left the range, or too many sticks are torn.
    pub(super) fn is_over(&self, world: &World<D>) -> bool {
        let range = RANGE[0] + RANGE[1] * self.diagonal;
        let outside =
            |point: [f32; D]| (0..D).any(|axis| (point[axis] - self.centre[axis]).abs() > range);
        let sticks: usize = world.islands().iter().map(|it| it.model.sticks.len()).sum();
        world.torn() * TORN_SHARE > sticks || world.positions().any(outside)
    }

    /// Disturbs the world before a step.
    pub(super) fn disturb(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        self.drag_grabbed(world, step)?;
        self.return_pin(world, step)?;
        let second = step / self.second;
        if !step.is_multiple_of(self.second) || second % 60 >= DISTURBED {
            return Ok(());
        }
        let ([x, y], [cosine, sine]) = (self.wind, TURN);
        self.wind = [x * cosine - y * sine, x * sine + y * cosine];
        world.forces_mut()[self.force] = (self.actions.wind)(self.wind);
        if self.random.random_ratio(1, SECONDS_PER_CUT) {
            let at = world.position(self.random.random_range(0..world.len()));
            (self.actions.cut)(world, at, BLADE * self.diagonal);
        }
        match self.random.random_range(0..3) {
            0 => self.free_pin(world, step),
            1 => self.grab(world, step),
            _ => self.kick(world),
        }
    }

    /// A random vector with components up to `max`.
    fn vector(&mut self, max: f32) -> [f32; D] {
        std::array::from_fn(|_| self.random.random_range(-max..=max))
    }

    /// A random particle that is free to move.
    fn free_particle(&mut self, world: &World<D>) -> Option<usize> {
        let particle = self.random.random_range(0..world.len());
        is_free(world, particle).then_some(particle)
    }

    fn kick(&mut self, world: &mut World<D>) -> Result<(), WorldError> {
        let velocity = self.vector(KICK);
        let Some(first) = self.free_particle(world) else { return Ok(()) };
        for particle in first..(first + KICKED).min(world.len()) {
            if is_free(world, particle) {
                world.set_velocity(particle, velocity)?;
            }
        }
        Ok(())
    }

    fn grab(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let velocity = self.vector(GRAB * self.diagonal);
        let Some(particle) = self.free_particle(world) else { return Ok(()) };
        let is_freed_pin = self.freed.is_some_and(|freed| freed.particle == particle);
        if self.grabbed.is_none() && !is_freed_pin && !is_emitted(world, particle) {
            world.grab(particle)?;
            let from = world.position(particle);
            self.grabbed = Some(Grabbed { particle, from, velocity, since: step });
        }
        Ok(())
    }

    /// Drags the grabbed particle for a second, then releases it.
    fn drag_grabbed(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let Some(Grabbed { particle, from, velocity, since }) = self.grabbed else { return Ok(()) };
        if step - since > self.second {
            self.grabbed = None;
            return world.release(particle);
        }
        let time = (step - since) as f32 / self.second as f32;
        world.drag(particle, std::array::from_fn(|axis| from[axis] + velocity[axis] * time))
    }

    fn free_pin(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        if self.pins.is_empty() || self.freed.is_some() {
            return Ok(());
        }
        let particle = self.pins[self.random.random_range(0..self.pins.len())];
        self.freed =
            Some(FreedPin { particle, from: self.initial_positions[particle], since: step });
        world.set_inverse_mass(particle, self.inverse_mass)
    }

    fn return_pin(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let Some(freed) = &mut self.freed else { return Ok(()) };
        let (particle, free) = (freed.particle, self.second / FREED_FRACTION);
        let Some(steps) = (step - freed.since).checked_sub(free) else { return Ok(()) };
        if steps == 0 {
            world.set_inverse_mass(particle, 0.0)?;
            freed.from = world.position(particle);
        }
        let (from, to) = (freed.from, self.initial_positions[particle]);
        let share = steps as f32 / self.second as f32;
        if steps == self.second {
            self.freed = None;
        }
        world.drag(particle, std::array::from_fn(|i| from[i] + (to[i] - from[i]) * share))
    }
}

fn is_free<const D: usize>(world: &World<D>, particle: usize) -> bool {
    world.inverse_mass(particle) > 0.0
}

/// Whether an emitter may emit the particle, which ends each hold on it.
fn is_emitted<const D: usize>(world: &World<D>, particle: usize) -> bool {
    let (island, number) = world.locate(particle);
    let emitters = &world.islands()[island].model.emitters;
    emitters.iter().any(|it| it.particles().contains(&(number as u32)))
}
