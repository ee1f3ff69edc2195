//! Scripted disturbances of a world: kicks, grabs, cuts, freed pins and a rotating wind. The script is a
//! function of the seed and of the world, so two worlds with the same bits are disturbed in the same way.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use taut::world::{Drag, Field, Force, Simulation, Wind, World, WorldError};

/// Disturbed part of each minute, s. In the rest no disturbance begins, and the wind is constant, so models can fall
/// asleep.
const DISTURBED_SECONDS: u64 = 40;
/// Largest velocity that a kick gives to particles, m/s along each axis.
const KICK_SPEED_MAX: f32 = 2.0;
/// Largest number of particles, with consecutive numbers, whose velocity a kick sets.
const KICKED_PARTICLES_MAX: usize = 8;
/// Largest velocity of a grabbed particle along each axis, in diagonals of the initial bounding box per second. Small,
/// because a particle is dragged for a second, which stretches the sticks.
const GRAB_SPEED_MAX: f32 = 0.05;
/// Mean number of disturbed seconds between cuts.
const SECONDS_PER_CUT: u32 = 60;
/// A scene restarts when more than 1 / `TORN_DIVISOR` of its sticks are torn.
const TORN_DIVISOR: usize = 5;
/// Wind speed, m/s.
const WIND_SPEED: f32 = 3.0;
/// Cosine and sine of the angle by which the wind turns in each disturbed second: 16.3°.
const WIND_ROTATION: [f32; 2] = [0.96, 0.28];
/// A freed pin is free for 1 / `FREE_TIME_DIVISOR` s. In that time it falls by 0.3 m; if it fell farther, moving it back
/// within a second would stretch the sticks too much.
const FREE_TIME_DIVISOR: u64 = 4;
/// Length of a cut in two dimensions, in diagonals of the initial bounding box. In three dimensions, a blade of twice
/// this length moves down by this length.
const CUT_LENGTH: f32 = 0.05;
/// A scene restarts when a particle is farther from the centre of the initial bounding box, along an axis, than this
/// distance, m, plus this many diagonals of that box.
const RANGE_MAX: f32 = 20.0;
const RANGE_DIAGONALS_MAX: f32 = 5.0;

/// The actions that differ between two and three dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actions<const D: usize> {
    /// Wind with a horizontal velocity, m/s.
    wind: fn([f32; 2]) -> Arc<dyn Force<D>>,
    /// Cuts near a point, with a length in m; returns the number of torn sticks.
    cut: fn(&mut World<D>, [f32; D], f32) -> usize,
}

/// The actions in two dimensions: wind along x as a drag force (its rotation changes its sign), and short vertical cuts.
pub(super) const PLANAR: Actions<2> = Actions {
    wind: |[x, _]| Arc::new(Field::new(Drag { linear: 0.05, quadratic: 0.0, air: [x, 0.0] })),
    cut: |world, [x, y], length| world.cut([[x, y], [x, y + length]]),
};

/// The actions in three dimensions: wind on faces, and cuts by a blade along z that moves down.
pub(super) const SPATIAL: Actions<3> = Actions {
    wind: |[x, z]| Arc::new(Wind::new([x, 0.0, z])),
    cut: |world, [x, y, z], length| {
        let blade = |y| [[x, y, z - length], [x, y, z + length]];
        world.cut_swept(blade(y), blade(y - length))
    },
};

/// A grabbed particle.
#[derive(Clone, Copy, Debug)]
struct GrabbedParticle<const D: usize> {
    particle: usize,
    /// Its position when it was grabbed.
    start: [f32; D],
    /// The velocity with which it is dragged, m/s.
    velocity: [f32; D],
    /// The step at which it was grabbed.
    start_step: u64,
}

/// A pin that was freed. It is pinned again after 1 / [`FREE_TIME_DIVISOR`] s, and then moves back within a second.
#[derive(Clone, Copy, Debug)]
struct FreedPin<const D: usize> {
    particle: usize,
    /// Its position when it was pinned again; not used before.
    return_start: [f32; D],
    /// The step at which it was freed.
    start_step: u64,
}

/// The script: its parameters, random generator, and the grabbed particle and the freed pin.
#[derive(Debug)]
pub(super) struct Disturbance<const D: usize> {
    random: ChaCha8Rng,
    actions: Actions<D>,
    /// The number of steps per simulated second.
    steps_per_second: u64,
    initial_positions: Vec<[f32; D]>,
    /// The initial bounding box: its centre, and its diagonal, m.
    centre: [f32; D],
    diagonal: f32,
    /// Pins that can be freed: those that no guide moves and no emitter emits.
    pins: Vec<usize>,
    /// Inverse mass of a freed pin, 1/kg: that of the first particle that is not pinned.
    inverse_mass: f32,
    /// Horizontal velocity of the wind, m/s.
    wind: [f32; 2],
    /// The index of the wind among the forces of the world.
    wind_index: usize,
    grabbed: Option<GrabbedParticle<D>>,
    freed: Option<FreedPin<D>>,
}

impl<const D: usize> Disturbance<D>
where
    World<D>: Simulation<D>,
{
    /// A script for a world in its initial state.
    pub(super) fn new(
        world: &World<D>,
        actions: Actions<D>,
        steps_per_second: u64,
        seed: u64,
    ) -> Self {
        let initial_positions: Vec<[f32; D]> = world.positions().collect();
        let (mut low, mut high) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
        for point in &initial_positions {
            for axis in 0..D {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let sides: [f32; D] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let can_be_freed = |&particle: &usize| {
            let (island, index) = world.locate(particle);
            let guides = &world.islands()[island].model.guides;
            let is_guided = guides.iter().any(|guide| guide.particles().contains(&(index as u32)));
            world.inverse_mass(particle) == 0.0
                && !is_guided
                && !belongs_to_emitter(world, particle)
        };
        let inverse_masses = (0..world.len()).map(|particle| world.inverse_mass(particle));
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            actions,
            steps_per_second,
            centre: std::array::from_fn(|axis| low[axis] + 0.5 * sides[axis]),
            diagonal: sides.iter().map(|side| side * side).sum::<f32>().sqrt(),
            pins: (0..world.len()).filter(can_be_freed).collect(),
            inverse_mass: inverse_masses
                .into_iter()
                .find(|&inverse_mass| inverse_mass > 0.0)
                .unwrap_or(1.0),
            initial_positions,
            wind: [WIND_SPEED, 0.0],
            wind_index: 0,
            grabbed: None,
            freed: None,
        }
    }

    /// Prepares a new world: forgets the grabbed particle and the freed pin, and adds the wind to the forces.
    pub(super) fn begin(&mut self, world: &mut World<D>) {
        (self.grabbed, self.freed) = (None, None);
        self.wind_index = world.forces_mut().len();
        world.forces_mut().push((self.actions.wind)(self.wind));
    }

    /// Whether a particle is out of range ([`RANGE_MAX`]), or too many sticks are torn ([`TORN_DIVISOR`]).
    pub(super) fn needs_restart(&self, world: &World<D>) -> bool {
        let distance_max = RANGE_MAX + RANGE_DIAGONALS_MAX * self.diagonal;
        let is_outside = |point: [f32; D]| {
            (0..D).any(|axis| (point[axis] - self.centre[axis]).abs() > distance_max)
        };
        let sticks: usize = world.islands().iter().map(|island| island.model.sticks.len()).sum();
        world.torn() * TORN_DIVISOR > sticks || world.positions().any(is_outside)
    }

    /// Disturbs the world before step number `step`.
    pub(super) fn disturb(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        self.drag_grabbed(world, step)?;
        self.return_pin(world, step)?;
        let second = step / self.steps_per_second;
        if !step.is_multiple_of(self.steps_per_second) || second % 60 >= DISTURBED_SECONDS {
            return Ok(());
        }
        let ([x, y], [cosine, sine]) = (self.wind, WIND_ROTATION);
        self.wind = [x * cosine - y * sine, x * sine + y * cosine];
        world.forces_mut()[self.wind_index] = (self.actions.wind)(self.wind);
        if self.random.random_ratio(1, SECONDS_PER_CUT) {
            let point = world.position(self.random.random_range(0..world.len()));
            (self.actions.cut)(world, point, CUT_LENGTH * self.diagonal);
        }
        match self.random.random_range(0..3) {
            0 => self.free_pin(world, step),
            1 => self.grab(world, step),
            _ => self.kick(world),
        }
    }

    /// A random vector with components from -`max` to `max`.
    fn random_vector(&mut self, max: f32) -> [f32; D] {
        std::array::from_fn(|_| self.random.random_range(-max..=max))
    }

    /// A random particle, or `None` if the chosen particle is pinned or grabbed.
    fn random_free_particle(&mut self, world: &World<D>) -> Option<usize> {
        let particle = self.random.random_range(0..world.len());
        is_free(world, particle).then_some(particle)
    }

    /// Gives one random velocity to the free ones among up to [`KICKED_PARTICLES_MAX`] consecutive particles; does nothing
    /// if the first of these is not free.
    fn kick(&mut self, world: &mut World<D>) -> Result<(), WorldError> {
        let velocity = self.random_vector(KICK_SPEED_MAX);
        let Some(first) = self.random_free_particle(world) else { return Ok(()) };
        for particle in first..(first + KICKED_PARTICLES_MAX).min(world.len()) {
            if is_free(world, particle) {
                world.set_velocity(particle, velocity)?;
            }
        }
        Ok(())
    }

    /// Grabs a random particle. Does nothing if a particle is grabbed already, or if the chosen one is not free, is the
    /// freed pin, or belongs to an emitter.
    fn grab(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let velocity = self.random_vector(GRAB_SPEED_MAX * self.diagonal);
        let Some(particle) = self.random_free_particle(world) else { return Ok(()) };
        let is_freed_pin = self.freed.is_some_and(|freed| freed.particle == particle);
        if self.grabbed.is_none() && !is_freed_pin && !belongs_to_emitter(world, particle) {
            world.grab(particle)?;
            let start = world.position(particle);
            self.grabbed = Some(GrabbedParticle { particle, start, velocity, start_step: step });
        }
        Ok(())
    }

    /// Drags the grabbed particle for a second, then releases it.
    fn drag_grabbed(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let Some(GrabbedParticle { particle, start, velocity, start_step }) = self.grabbed else {
            return Ok(());
        };
        if step - start_step > self.steps_per_second {
            self.grabbed = None;
            return world.release(particle);
        }
        let time = (step - start_step) as f32 / self.steps_per_second as f32;
        world.drag(particle, std::array::from_fn(|axis| start[axis] + velocity[axis] * time))
    }

    /// Frees a random pin, unless a freed pin has not yet returned.
    fn free_pin(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        if self.pins.is_empty() || self.freed.is_some() {
            return Ok(());
        }
        let particle = self.pins[self.random.random_range(0..self.pins.len())];
        let return_start = self.initial_positions[particle];
        self.freed = Some(FreedPin { particle, return_start, start_step: step });
        world.set_inverse_mass(particle, self.inverse_mass)
    }

    /// Pins the freed particle again when its time is over, then moves it to its initial position within a second.
    fn return_pin(&mut self, world: &mut World<D>, step: u64) -> Result<(), WorldError> {
        let Some(freed) = &mut self.freed else { return Ok(()) };
        let particle = freed.particle;
        let free_steps = (self.steps_per_second / FREE_TIME_DIVISOR).max(1);
        let Some(return_steps) = (step - freed.start_step).checked_sub(free_steps) else {
            return Ok(());
        };
        if return_steps == 0 {
            world.set_inverse_mass(particle, 0.0)?;
            freed.return_start = world.position(particle);
        }
        let (from, to) = (freed.return_start, self.initial_positions[particle]);
        let fraction = return_steps as f32 / self.steps_per_second as f32;
        if return_steps == self.steps_per_second {
            self.freed = None;
        }
        world.drag(
            particle,
            std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * fraction),
        )
    }
}

/// Whether a particle is neither pinned nor grabbed.
fn is_free<const D: usize>(world: &World<D>, particle: usize) -> bool {
    world.inverse_mass(particle) > 0.0
}

/// Whether an emitter can emit the particle. Such particles are not grabbed: emission would release them, and the next
/// drag would fail.
fn belongs_to_emitter<const D: usize>(world: &World<D>, particle: usize) -> bool {
    let (island, index) = world.locate(particle);
    let emitters = &world.islands()[island].model.emitters;
    emitters.iter().any(|emitter| emitter.particles().contains(&(index as u32)))
}
