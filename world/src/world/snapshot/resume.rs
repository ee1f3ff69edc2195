//! Resuming from a snapshot.

use std::iter;

use taut_core::{COORDINATE_MAX, Formula, Kernel, Real, Schedule, Step, StickError, Sticks};

use super::{Bits, HeldState, IslandState, Snapshot, SnapshotError, damaged, signatures};
use crate::error::ModelError;
use crate::model::Model;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::world::held::{HeldParticle, check_coordinates};
use crate::world::island::Island;
use crate::world::overstretched::TearLimits;
use crate::world::planner::{Planner, planner};
use crate::world::{Simulation, World, WorldError};

/// Largest number of steps in a snapshot: numbers up to this one are exact in formats whose numbers
/// are `f64`, and counting further steps does not overflow.
const STEPS_MAX: u64 = 1 << 53;

/// Latest time of a snapshot, s: adding a step of 1 s still changes it, and the births of an emitter
/// of up to 18,000 particles per second still have distinct numbers (`u64`).
const TIME_MAX: f64 = 1e15;

impl Snapshot {
    /// Checks that the snapshot was taken in this scene.
    fn check<const D: usize>(&self, scene: &Scene<D>) -> Result<(), SnapshotError> {
        let mismatch = |what| Err(SnapshotError::OtherScene { what });
        if self.dimensions != D {
            return mismatch(format!("it has {} dimensions, expected {D}", self.dimensions));
        }
        let signatures = signatures(scene);
        for (own, signature) in self.models.iter().zip(&signatures) {
            let name = &own.name;
            if own.name != signature.name {
                return mismatch(format!("its model '{name}' should be '{}'", signature.name));
            }
            if own.particles != signature.particles {
                return mismatch(format!(
                    "its model '{name}' has {} particles, expected {}",
                    own.particles, signature.particles
                ));
            }
            if own != signature {
                let what = if own.springs == signature.springs { "sticks" } else { "springs" };
                return mismatch(format!("its model '{name}' has different {what}"));
            }
        }
        if self.models.len() != signatures.len() {
            return mismatch(format!(
                "it has {} models, expected {}",
                self.models.len(),
                signatures.len()
            ));
        }
        let (own, expected) = (self.broken_ties.len(), scene.ties().len());
        if own != expected {
            return mismatch(format!("it has {own} ties, expected {expected}"));
        }
        if self.sleep_states.is_empty() == scene.sleep.is_some() && !self.islands.is_empty() {
            let verb = |sleeps: bool| if sleeps { "may sleep" } else { "never sleep" };
            let sleeps = scene.sleep.is_some();
            return mismatch(format!(
                "its models {}, expected that they {}",
                verb(!sleeps),
                verb(sleeps)
            ));
        }
        Ok(())
    }

    /// The settings, checked.
    fn settings<const D: usize>(&self) -> Result<Settings<D>, SnapshotError> {
        let values: Vec<f32> = self.step.values().collect();
        let damping_rate = self.damping_rate.ok_or(SnapshotError::NoDampingRate)?;
        let damping_rate = f32::from_bits(damping_rate);
        let [dt, acceleration @ ..] = &values[..] else {
            return Err(damaged("the step is missing"));
        };
        let acceleration = acceleration
            .try_into()
            .map_err(|_| damaged("the acceleration has the wrong number of coordinates"))?;
        let (substeps, iterations) = (self.substeps, self.iterations);
        let step = Step { dt: *dt, substeps, iterations, acceleration, damping_rate };
        let settings = Settings { step, passes: self.passes };
        settings.check()?;
        Ok(settings)
    }

    /// The number of steps, and the time, s, checked.
    fn progress(&self) -> Result<(u64, f64), SnapshotError> {
        if self.steps > STEPS_MAX {
            // As `f64`, 2^53 + 1 would be 2^53.
            let (what, value) = ("the number of steps", self.steps as f64);
            return Err(
                ModelError::OutOfRange { key: "steps", what, value, must: "at most 2^53" }.into()
            );
        }
        let time = f64::from_bits(self.time);
        ModelError::check("time", "the time, s,", time, 0.0..=TIME_MAX, "from 0 to 1e15")?;
        Ok((self.steps, time))
    }
}

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// Creates a world that resumes from a snapshot, with the same bits with any kernels. Forces,
    /// obstacles and the order of sticks (unless reordered) are those of the scene.
    ///
    /// # Errors
    /// Same as [`new`](Self::new), or if the snapshot is of a different scene, is damaged, or was
    /// taken while a position was not finite.
    pub fn resume<K: Kernel<D>>(
        scene: &Scene<D>,
        kernel_for: impl FnMut(&Schedule) -> K,
        snapshot: &Snapshot,
    ) -> Result<Self, SnapshotError> {
        Self::rebuild(scene, &mut planner(kernel_for), snapshot)
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::rebuild`].
    pub(in crate::world) fn rebuild_generic(
        scene: &Scene<D>,
        planner: &mut Planner<'_, D>,
        snapshot: &Snapshot,
    ) -> Result<Self, SnapshotError> {
        snapshot.check(scene)?;
        let formula: Formula =
            snapshot.formula.parse().map_err(|_| damaged("the formula is unknown"))?;
        let mut scene = scene.clone();
        scene.formula = formula;
        scene.settings = snapshot.settings()?;
        // Without a check of the springs: it would use the masses of the scene instead of those of the
        // snapshot.
        let mut world = Self::without_spring_check(&scene, planner)?;
        (world.steps, world.time) = snapshot.progress()?;
        world.resume_split_islands(snapshot, planner)?;
        world.resume_particles(snapshot)?;
        if snapshot.islands.len() != world.islands.len() {
            return Err(damaged("the number of islands is wrong"));
        }
        for (island, state) in snapshot.islands.iter().enumerate() {
            world.resume_island(island, state, planner)?;
            let omitted = state.omitted_births.iter().copied().chain(iter::repeat(0));
            let emitters = &mut world.islands[island].model.emitters;
            for (emitter, omitted) in emitters.iter_mut().zip(omitted) {
                emitter.restore(world.time, omitted);
            }
        }
        for (tie, &broken) in world.ties.iter_mut().zip(&snapshot.broken_ties) {
            tie.broken = broken;
        }
        for (tie, &force) in world.ties.iter_mut().zip(&snapshot.tie_forces) {
            tie.force = f64::from_bits(force);
            if !(0.0..f64::INFINITY).contains(&tie.force) {
                return Err(damaged("the force of a tie is negative or not finite"));
            }
        }
        world.resume_sleep_states(snapshot)?;
        world.record_removed();
        world.removed.sticks =
            (0..world.sticks.len()).filter(|&it| world.is_torn(it)).map(|it| it as u32).collect();
        Ok(world)
    }

    /// Splits models off islands of copies, as they were split off in the original world.
    fn resume_split_islands(
        &mut self,
        snapshot: &Snapshot,
        planner: &mut Planner<'_, D>,
    ) -> Result<(), SnapshotError> {
        // Split-off islands follow those that were made from the scene.
        for state in snapshot.islands.iter().skip(self.islands.len()) {
            let models = state.models_that_left_copies.as_deref().unwrap_or_default();
            let all_in = |island: usize| {
                let is_in = |&index: &usize| {
                    self.models.get(index).is_some_and(|model| model.island == island)
                };
                models.iter().all(is_in) && models.len() < self.models_in(island).count()
            };
            let island = models.first().and_then(|&first| Some(self.models.get(first)?.island));
            let island =
                island.filter(|&island| self.splittable_copies(island).is_some() && all_in(island));
            let island = island.filter(|_| models.is_sorted_by(|one, next| one < next));
            let island =
                island.ok_or(damaged("models that left an island are not copies in it"))?;
            self.split_off(island, models, planner)?;
        }
        Ok(())
    }

    /// Restores the particles, and what is pinned, grabbed and dragged.
    fn resume_particles(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let Snapshot { positions, previous, inverse_masses, held, targets, .. } = snapshot;
        let len = self.len();
        if [positions, previous].iter().any(|it| it.0.len() != D * len)
            || inverse_masses.0.len() != len
        {
            return Err(damaged("the number of positions or masses is wrong"));
        }
        for (particle, inverse_mass) in inverse_masses.values().enumerate() {
            let (island, number) = self.locate(particle);
            let particles = &mut self.islands[island].model.particles;
            let point = |bits: &Bits| -> [f32; D] {
                core::array::from_fn(|axis| f32::from_bits(bits.0[D * particle + axis]))
            };
            // Checks the coordinates; the columns are then set directly to keep -0.0.
            particles.set_position(number, point(previous))?;
            particles.set_position(number, point(positions))?;
            for axis in 0..D {
                particles.positions_mut(axis)[number] = point(positions)[axis];
                particles.previous_mut(axis)[number] = point(previous)[axis];
            }
            particles.set_inverse_mass(number, inverse_mass)?;
        }
        for state in held {
            let &HeldState { particle, pinned, grabbed, .. } = state;
            if particle >= len {
                return Err(damaged("a held particle does not exist"));
            }
            let displacement = state.displacement.point()?;
            for component in displacement {
                // The largest difference of two valid coordinates.
                let range = -2.0 * COORDINATE_MAX..=2.0 * COORDINATE_MAX;
                let what = "the displacement per substep of a held particle, m,";
                let component = f64::from(component);
                // The key in JSON is "drift".
                ModelError::check("drift", what, component, range, "from -2e12 to 2e12")?;
            }
            let inverse_mass = f32::from_bits(state.inverse_mass);
            // Setting the inverse mass checks its value. The particle then gets its current inverse mass
            // again, which is not always 0: an emitter gives it a mass even while it is held.
            let (island, number) = self.locate(particle);
            let particles = &mut self.islands[island].model.particles;
            let current = particles.inverse_masses()[number];
            particles.set_inverse_mass(number, inverse_mass)?;
            particles.set_inverse_mass(number, current)?;
            let new = HeldParticle { inverse_mass, pinned, grabbed, displacement };
            self.held.insert(particle, new);
        }
        for (particle, to) in targets {
            self.find(*particle)?;
            let to = to.point()?;
            check_coordinates(*particle, to)?;
            self.drag_targets.insert(*particle, to);
        }
        Ok(())
    }

    /// Restores the sticks, faces and limbs of an island.
    fn resume_island(
        &mut self,
        index: usize,
        state: &IslandState,
        planner: &mut Planner<'_, D>,
    ) -> Result<(), SnapshotError> {
        let island = &mut self.islands[index];
        if let Some((kept, phases)) = &state.reordered {
            let stick_in_island = |&world_number: &u32| {
                let location = self.sticks.try_locate(world_number as usize);
                location.filter(|&(island, _)| island == index).map(|(_, number)| number as u32)
            };
            let kept: Option<Vec<u32>> = kept.iter().map(stick_in_island).collect();
            let kept = kept.filter(|kept| kept.is_sorted_by(|one, next| one < next)).ok_or(
                damaged("a list of sticks is not ascending or has sticks of other islands"),
            )?;
            let remaining = island.model.sticks.selected(&kept)?;
            let schedule = Schedule::new(&remaining, phases)?;
            island
                .replace_sticks(remaining, &kept, schedule, self.formula, planner)
                .map_err(WorldError::from)?;
            self.sticks.keep_only(index, &kept);
        }
        let particle_in_island = |world_number: u32| {
            let location = self.particles.try_locate(world_number as usize);
            location.filter(|&(island, _)| island == index).map(|(_, number)| number as u32)
        };
        let face_in_island = |face: &[u32; 3]| {
            let [a, b, c] = face.map(particle_in_island);
            Some([a?, b?, c?])
        };
        let faces: Option<Vec<[u32; 3]>> = state.faces.iter().map(face_in_island).collect();
        resume_faces(
            island,
            &faces.ok_or(damaged("a face refers to particles of another island"))?,
        );
        if let Some(limbs) = &state.limbs {
            let limb_in_island = |ends: &[u32; 2]| {
                let [a, b] = ends.map(particle_in_island);
                Some([a?, b?])
            };
            let limbs: Option<Vec<[u32; 2]>> = limbs.iter().map(limb_in_island).collect();
            resume_limbs(island, &limbs.ok_or(LIMBS_DAMAGED)?)?;
        }
        resume_sticks(island, state)?;
        if state.limbs.is_none() {
            // A snapshot of an earlier version, without a list of limbs.
            island.remove_limbs_at_torn_sticks();
        }
        Ok(())
    }
}

/// Removes the faces that are not in `remaining`, as the original world did, so that the other faces
/// have the same order.
fn resume_faces<const D: usize>(island: &mut Island<D>, remaining: &[[u32; 3]]) {
    let mut next = remaining.iter().peekable();
    let faces = &mut island.model.faces;
    faces.retain(|face| next.next_if_eq(&&face).is_some());
    if **faces != *remaining {
        // A caller had replaced the faces of the original world.
        *faces = remaining.to_vec().into();
    }
}

const LIMBS_DAMAGED: SnapshotError =
    damaged("a list of limbs has a limb that the scene does not have");

/// Removes the limbs that are not in `remaining`, which are the ends of limbs.
fn resume_limbs<const D: usize>(
    island: &mut Island<D>,
    remaining: &[[u32; 2]],
) -> Result<(), SnapshotError> {
    let mut next = remaining.iter().peekable();
    island.lost_limbs |= island.model.limbs.retain(|ends| next.next_if_eq(&&ends).is_some());
    next.next().map_or(Ok(()), |_| Err(LIMBS_DAMAGED))
}

/// Restores the values of the sticks of an island.
fn resume_sticks<const D: usize>(
    island: &mut Island<D>,
    state: &IslandState,
) -> Result<(), SnapshotError> {
    let Model { sticks, tear_factors, .. } = &mut island.model;
    let count = sticks.len();
    let columns = [&state.rests, &state.stiffness, &state.compliance];
    if columns.iter().any(|column| column.0.len() != count)
        || state.kinds.len() != count
        || state.torn.len() != count
        || state.tear_factors.0.len() > count
    {
        return Err(damaged(
            "the number of rest lengths, kinds or other values of sticks is wrong",
        ));
    }
    let value = |bits: &Bits, stick: usize| f32::from_bits(bits.0[stick]);
    for stick in 0..count {
        set_stick(sticks, stick, columns.map(|column| value(column, stick)))?;
        if sticks.kind(stick) != state.kinds[stick] {
            sticks.set_kind(stick, state.kinds[stick])?;
        }
        if state.torn[stick] { sticks.tear(stick)? } else { sticks.mend(stick)? }
    }
    *tear_factors = state.tear_factors.values().collect();
    island.tear_limits = TearLimits::new(sticks, tear_factors);
    Ok(())
}

/// Sets the values of a stick that differ from the given ones, so that plans see no unnecessary
/// changes.
fn set_stick(
    sticks: &mut Sticks,
    stick: usize,
    [rest, stiffness, compliance]: [f32; 3],
) -> Result<(), StickError> {
    let same = |one: f32, other: f32| one.canonical_bits() == other.canonical_bits();
    if !same(sticks.rest(stick), rest) {
        sticks.set_rest(stick, rest)?;
    }
    if !same(sticks.stiffness(stick), stiffness) {
        sticks.set_stiffness(stick, stiffness)?;
    }
    if !same(sticks.compliance(stick), compliance) {
        sticks.set_compliance(stick, compliance)?;
    }
    Ok(())
}
