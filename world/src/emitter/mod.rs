//! Particle emitters.

mod source;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut_core::{
    COORDINATE_MAX, INVERSE_MASS_MAX, INVERSE_MASS_MIN, PARTICLES_MAX, Particles, check_limit,
};

use crate::error::ModelError;
use crate::settings::StepTime;

pub use source::Source;
use source::{in_ball, uniform};

/// The parameters of an emitter, for [`Model::emitter`](crate::Model::emitter).
#[derive(Clone, Debug, PartialEq)]
pub struct EmitterSettings<const D: usize = 3> {
    /// The shape on which particles start.
    pub source: Source<D>,
    /// Particles per second.
    pub rate: f64,
    /// Mean velocity, m/s.
    pub velocity: [f32; D],
    /// Speed along the normal of the source, m/s, added to the mean velocity. (A point has no normal,
    /// and in two dimensions no source has one.)
    pub normal_speed: f32,
    /// Largest deviation of a velocity from the mean, m/s: velocities are distributed uniformly in a
    /// ball of this radius.
    pub spread: f32,
    /// Shortest and longest lifetime, s; lifetimes are distributed uniformly between them.
    pub lifetime: [f64; 2],
    /// Mass of each particle, kg.
    pub mass: f32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Name of the group of the model that contains all particles of the emitter.
    pub group: String,
}

impl<const D: usize> Default for EmitterSettings<D> {
    /// 100 particles of 1 g per second from the origin, each alive for 1 s.
    fn default() -> Self {
        Self {
            source: Source::Point([0.0; D]),
            rate: 100.0,
            velocity: [0.0; D],
            normal_speed: 0.0,
            spread: 0.0,
            lifetime: [1.0, 1.0],
            mass: 1e-3,
            seed: 0,
            group: "particles".to_owned(),
        }
    }
}

/// An emitter of particles of a model. It starts `rate` particles per second. Each is alive for its
/// own lifetime; a dead particle is pinned where it died, until it is used again.
///
/// Birth n, counted from 0, takes place at the time `(n + 1) / rate`. The substep that contains this
/// time places the particle on the parabola of its flight. Its position, velocity and lifetime are
/// drawn from the seed and n; the particle is number n modulo the number of particles of the emitter.
/// So the time determines the whole state of the emitter, and a step allocates nothing.
///
/// ```
/// use std::sync::Arc;
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Drag, EmitterSettings, Field, Model, Scene, Source, World};
///
/// let fountain = Model::emitter(EmitterSettings {
///     source: Source::Disc { centre: [0.0; 3], axes: [[0.0, 0.0, 0.1], [0.1, 0.0, 0.0]] },
///     normal_speed: 6.0,
///     spread: 0.5,
///     lifetime: [0.8, 1.2],
///     ..EmitterSettings::default()
/// })?;
/// let mut scene = Scene::new();
/// scene.add("fountain", fountain)?;
/// scene.forces.push(Arc::new(Field::new(Drag::linear(1e-4)).on("particles")));
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..120 {
///     assert!(world.step()?.finite);
/// }
/// let emitter = &world.islands()[0].model.emitters[0];
/// let alive = emitter.particles_at(world.time()).count();
/// assert!((80..120).contains(&alive)); // 100 per second, for about a second
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Emitter<const D: usize = 3> {
    settings: EmitterSettings<D>,
    /// Cumulative areas of the polygons of the source, m².
    cumulative_areas: Vec<f64>,
    /// The seeded generator. Each birth draws from a stream of its own.
    random: ChaCha8Rng,
    /// Its particles, by their indices in the model.
    particles: Vec<u32>,
    /// Number of births so far, with those that were omitted.
    births: u64,
    /// Number of births that were omitted, because the emitter started later than its world.
    omitted: u64,
    /// For each particle the end of its latest lifetime, s.
    deaths: Vec<f64>,
}

/// A living particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmittedParticle {
    /// Its index in the model, or in an island of a world.
    pub particle: u32,
    /// The number of its birth: n in the description of [`Emitter`].
    pub birth: u64,
    /// Its age, s.
    pub age: f64,
    /// Its lifetime, s.
    pub lifetime: f64,
}

impl<const D: usize> EmitterSettings<D> {
    /// Checks the parameters; returns the number of particles that can be alive at once.
    ///
    /// # Errors
    /// Same as [`Model::emitter`](crate::Model::emitter).
    fn checked(&self) -> Result<usize, ModelError> {
        let Self { source, rate, velocity, normal_speed, spread, lifetime, mass, .. } = self;
        let [shortest, longest] = *lifetime;
        // The limits in `f32`, which may be smaller than those in `f64`.
        let mass_range = [1.0 / INVERSE_MASS_MAX, 1.0 / INVERSE_MASS_MIN].map(|mass| mass as f32);
        let mass_range = mass_range[0].into()..=mass_range[1].into();
        let (above_zero, at_least_shortest) =
            ("above 0, and at most 1e9", "not below the shortest, and at most 1e9");
        for (key, what, value, range, must) in [
            ("rate", "the rate of an emitter, 1/s,", *rate, 1e-9..=1e9, "from 1e-9 to 1e9"),
            (
                "lifetime",
                "the shortest lifetime, s,",
                shortest,
                f64::MIN_POSITIVE..=1e9,
                above_zero,
            ),
            ("lifetime", "the longest lifetime, s,", longest, shortest..=1e9, at_least_shortest),
            ("mass", "a mass, kg,", f64::from(*mass), mass_range, "from 1e-9 to 1e9"),
        ] {
            ModelError::check(key, what, value, range, must)?;
        }
        let speeds = velocity.iter().map(|&speed| ("velocity", speed));
        let speeds = speeds.chain([("normal_speed", *normal_speed), ("spread", *spread)]);
        let speeds = speeds.map(|(key, speed)| (key, "a speed, m/s,", speed));
        let coordinates = source.coordinates().into_iter();
        let coordinates = coordinates.map(|x| ("source", "a coordinate of a source, m,", x));
        for (key, what, value) in speeds.chain(coordinates) {
            ModelError::check(key, what, value.into(), -1e9..=1e9, "from -1e9 to 1e9")?;
        }
        if let Source::Polygons(_) = source {
            let area = source.cumulative_areas().last().copied().unwrap_or_default();
            ModelError::check(
                "source",
                "the area of a source, m²,",
                area,
                f64::MIN_POSITIVE..,
                "above 0",
            )?;
        }
        let count = libm::ceil(rate * longest) + 1.0;
        #[allow(clippy::cast_sign_loss, reason = "a count is not negative")]
        Ok(check_limit("particles", count as u128, PARTICLES_MAX)?)
    }
}

impl<const D: usize> Emitter<D> {
    /// An emitter whose particles have the indices from 0 on.
    pub(crate) fn new(settings: EmitterSettings<D>) -> Result<Self, ModelError> {
        let particles = settings.checked()?;
        Ok(Self {
            random: ChaCha8Rng::seed_from_u64(settings.seed),
            cumulative_areas: settings.source.cumulative_areas(),
            settings,
            particles: (0..particles as u32).collect(),
            births: 0,
            omitted: 0,
            deaths: vec![f64::NEG_INFINITY; particles],
        })
    }

    /// Its parameters.
    pub fn settings(&self) -> &EmitterSettings<D> {
        &self.settings
    }

    /// All its particles, alive or not.
    pub fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// The particles alive at `time`, s, which must be the time of the world after its last step.
    pub fn particles_at(&self, time: f64) -> impl Iterator<Item = EmittedParticle> {
        let births = self.births;
        let first = births.saturating_sub(self.particles.len() as u64);
        (first..births).filter_map(move |birth| {
            let (index, born) = (self.index_of(birth), self.birth_time(birth));
            let death = self.deaths[index];
            (death > time).then(|| EmittedParticle {
                particle: self.particles[index],
                birth,
                age: time - born,
                lifetime: death - born,
            })
        })
    }

    /// The particles not alive at `time`, s.
    pub(crate) fn dead(&self, time: f64) -> impl Iterator<Item = u32> {
        let deaths = self.particles.iter().zip(&self.deaths);
        deaths.filter(move |(_, death)| **death <= time).map(|(&particle, _)| particle)
    }

    /// The index in `particles` and `deaths` of the particle of a birth.
    fn index_of(&self, birth: u64) -> usize {
        (birth % self.particles.len() as u64) as usize
    }

    /// The time of a birth, s.
    fn birth_time(&self, birth: u64) -> f64 {
        (birth + 1) as f64 / self.settings.rate
    }

    /// Number of births up to `time`, s.
    #[allow(clippy::cast_sign_loss, reason = "the cast of a negative number gives 0")]
    fn births_until(&self, time: f64) -> u64 {
        (self.settings.rate * time) as u64
    }

    /// The emitter with renumbered particles.
    pub(crate) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let particles = self.particles.iter().map(|&old| new_of(old)).collect();
        Self { particles, ..self.clone() }
    }

    /// Translates the source, m.
    pub(crate) fn move_by(&mut self, by: [f32; D]) {
        self.settings.source.move_by(by);
    }

    /// Rotates the source and the mean velocity about the origin by a linear map.
    pub(crate) fn rotate(&mut self, map: impl Fn([f32; D]) -> [f32; D]) {
        self.settings.velocity = map(self.settings.velocity);
        self.settings.source.rotate(map);
        self.cumulative_areas = self.settings.source.cumulative_areas();
    }

    /// Pins the particles that die in this substep, and starts those born in it such that the
    /// following integration places them on their parabolas at the end of the substep.
    pub(crate) fn emit(&mut self, particles: &mut Particles<D>, now: &StepTime<D>) {
        let count = self.particles.len() as u64;
        for (&particle, &death) in self.particles.iter().zip(&self.deaths) {
            if death <= now.time && particles.inverse_masses()[particle as usize] > 0.0 {
                let pinned = particles.set_inverse_mass(particle as usize, 0.0);
                debug_assert!(pinned.is_ok(), "an emitter's particles belong to its model");
            }
        }
        let due = self.births_until(now.time);
        // If more births are due than there are particles, only the last ones take place.
        for birth in self.births.max(due.saturating_sub(count))..due {
            self.start(birth, particles, now);
        }
        self.births = self.births.max(due);
    }

    /// Restores the state of the emitter at the end of the step that ended at `time`, s, given how many
    /// births it has omitted. Draws the lifetimes of the last births again, because a snapshot does not
    /// contain them.
    pub(crate) fn restore(&mut self, time: f64, omitted: u64) {
        self.omitted = omitted;
        self.births = self.births_until(time);
        let first = self.births.saturating_sub(self.particles.len() as u64).max(omitted);
        for birth in first..self.births {
            let (index, [_, _], lifetime) = self.draw(birth);
            self.deaths[index] = self.birth_time(birth) + lifetime;
        }
    }

    /// Omits all births up to `time`, s.
    pub(crate) fn start_at(&mut self, time: f64) {
        self.omitted = self.births_until(time);
        self.births = self.omitted;
    }

    /// Number of births that it has omitted.
    pub(crate) fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Draws a birth: the index of its particle, its position and velocity, m and m/s, and its
    /// lifetime, s.
    fn draw(&self, birth: u64) -> (usize, [[f64; D]; 2], f64) {
        let EmitterSettings { source, velocity, normal_speed, spread, lifetime, .. } =
            &self.settings;
        let mut random = self.random.clone();
        random.set_stream(birth);
        let [shortest, longest] = *lifetime;
        let lifetime = shortest + (longest - shortest) * uniform(&mut random);
        let deviation: [f64; D] = in_ball(&mut random);
        let [position, normal] = source.draw(&self.cumulative_areas, &mut random);
        let velocity = core::array::from_fn(|axis| {
            f64::from(velocity[axis])
                + (normal[axis] * f64::from(*normal_speed) + deviation[axis] * f64::from(*spread))
        });
        (self.index_of(birth), [position, velocity], lifetime)
    }

    /// Unpins the particle of a birth. Its position and previous position are those that it would have
    /// had at the beginning of the substep if it had already been on its parabola.
    fn start(&mut self, birth: u64, particles: &mut Particles<D>, now: &StepTime<D>) {
        let (index, [position, velocity], lifetime) = self.draw(birth);
        let particle = self.particles[index] as usize;
        let born = self.birth_time(birth);
        self.deaths[index] = born + lifetime;
        let (h, retention) = (f64::from(now.h), f64::from(now.motion.retention));
        let age = now.time - born;
        for axis in 0..D {
            // The displacement that gravity adds in a substep, m.
            let gravity_displacement = f64::from(now.motion.displacement[axis]);
            // The position and previous position from which a Verlet step leads to the point of
            // the parabola at the end of the substep.
            let parabola = |t: f64| {
                position[axis] + (velocity[axis] + 0.5 * gravity_displacement / (h * h) * t) * t
            };
            let start = parabola(age - h);
            let damped_displacement = parabola(age) - start - gravity_displacement;
            particles.positions_mut(axis)[particle] = start as f32;
            // If damping leaves almost no velocity, this quotient is too large for a coordinate: use 0.
            let last_displacement = damped_displacement / retention;
            let last_displacement =
                if last_displacement.abs() <= COORDINATE_MAX { last_displacement } else { 0.0 };
            particles.previous_mut(axis)[particle] = (start - last_displacement) as f32;
        }
        let freed = particles.set_inverse_mass(particle, 1.0 / self.settings.mass);
        debug_assert!(freed.is_ok(), "`EmitterSettings::checked` checks the mass");
    }
}
