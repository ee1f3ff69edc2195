//! Resuming from a snapshot.

use taut_core::{COORDINATE_MAX, Formula, Kernel, Real, Schedule, Step, StickError, Sticks};

use super::{Bits, IslandState, Snapshot, SnapshotError, damaged, shapes};
use crate::error::ModelError;
use crate::model::Model;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::world::hands::Held;
use crate::world::island::Island;
use crate::world::overstretched::Tearing;
use crate::world::{World, WorldError};

/// Largest number of steps in a snapshot: exact in formats whose numbers are `f64`, and no later
/// step overflows.
const STEPS_MAX: u64 = 1 << 53;

/// Latest time of a snapshot, s: adding a step of 1 s still changes it, and the births of an
/// emitter still have distinct numbers.
const TIME_MAX: f64 = 1e15;

impl Snapshot {
    /// Checks that it was taken in this scene.
    fn check<const D: usize>(&self, scene: &Scene<D>) -> Result<(), SnapshotError> {
        let other = |what| Err(SnapshotError::OtherScene { what });
        if self.dimensions != D {
            return other(format!("it has {} dimensions, expected {D}", self.dimensions));
        }
        let shapes = shapes(scene);
        for (own, shape) in self.models.iter().zip(&shapes) {
            let name = &own.name;
            if own.name != shape.name {
                return other(format!("its model '{name}' should be '{}'", shape.name));
            }
            if own.particles != shape.particles {
                return other(format!(
                    "its model '{name}' has {} particles, expected {}",
                    own.particles, shape.particles
                ));
            }
            if own != shape {
                let what = if own.springs == shape.springs { "sticks" } else { "springs" };
                return other(format!("its model '{name}' has different {what}"));
            }
        }
        if self.models.len() != shapes.len() {
            return other(format!(
                "it has {} models, expected {}",
                self.models.len(),
                shapes.len()
            ));
        }
        Ok(())
    }

    fn settings<const D: usize>(&self) -> Result<Settings<D>, SnapshotError> {
        let numbers: Vec<f32> = self.step.numbers().collect();
        let damping_rate = self.damping_rate.ok_or(SnapshotError::NoDampingRate)?;
        let damping_rate = f32::from_bits(damping_rate);
        let [dt, acceleration @ ..] = &numbers[..] else {
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

    /// The number of steps, and the time, s.
    fn progress(&self) -> Result<(u64, f64), SnapshotError> {
        let what = "the number of steps";
        ModelError::check("steps", what, self.steps as f64, ..=STEPS_MAX as f64, "at most 2^53")?;
        let time = f64::from_bits(self.time);
        ModelError::check("time", "the time, s,", time, 0.0..=TIME_MAX, "from 0 to 1e15")?;
        Ok((self.steps, time))
    }
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Resumes from a snapshot, with the same bits on any kernels. Forces, obstacles and the order
    /// of sticks (unless reordered) are those of the scene.
    ///
    /// # Errors
    /// If the snapshot is of a different scene, or damaged, or was taken when not every position
    /// was finite; as [`new`](Self::new).
    pub fn resume(
        scene: &Scene<D>,
        mut kernel_for: impl FnMut(&Schedule) -> K,
        snapshot: &Snapshot,
    ) -> Result<Self, SnapshotError> {
        snapshot.check(scene)?;
        let formula: Formula =
            snapshot.formula.parse().map_err(|_| damaged("the formula is unknown"))?;
        let mut scene = scene.clone();
        scene.formula = formula;
        scene.settings = snapshot.settings()?;
        let mut world = Self::new(&scene, &mut kernel_for)?;
        (world.steps, world.time) = snapshot.progress()?;
        world.resume_particles(snapshot)?;
        if snapshot.islands.len() != world.islands.len() {
            return Err(damaged("the number of islands is wrong"));
        }
        for (island, part) in snapshot.islands.iter().enumerate() {
            world.resume_island(island, part, &mut kernel_for)?;
        }
        world.note_removed();
        world.removed.sticks =
            (0..world.sticks.len()).filter(|&it| world.is_torn(it)).map(|it| it as u32).collect();
        Ok(world)
    }

    fn resume_particles(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let Snapshot { positions, previous, inverse_masses, held, targets, .. } = snapshot;
        let len = self.len();
        if [positions, previous].iter().any(|it| it.0.len() != D * len)
            || inverse_masses.0.len() != len
        {
            return Err(damaged("the number of positions or masses is wrong"));
        }
        for (name, inverse_mass) in inverse_masses.numbers().enumerate() {
            let (island, number) = self.locate(name);
            let particles = &mut self.islands[island].matter.particles;
            let point = |bits: &Bits| -> [f32; D] {
                core::array::from_fn(|axis| f32::from_bits(bits.0[D * name + axis]))
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
        for hold in held {
            if hold.particle >= len {
                return Err(damaged("a held particle does not exist"));
            }
            let inverse_mass = f32::from_bits(hold.inverse_mass);
            let drift = hold.drift.point()?;
            for along in drift {
                // The largest distance of two valid coordinates.
                let sane = -2.0 * COORDINATE_MAX..=2.0 * COORDINATE_MAX;
                let what = "the drag per substep of a held particle, m,";
                ModelError::check("drift", what, f64::from(along), sane, "from -2e12 to 2e12")?;
            }
            self.held.insert(
                hold.particle,
                Held { inverse_mass: 0.0, pinned: hold.pinned, grabbed: hold.grabbed, drift },
            );
            self.set_inverse_mass(hold.particle, inverse_mass)?;
        }
        for (particle, to) in targets {
            self.drag(*particle, to.point()?)?;
        }
        Ok(())
    }

    fn resume_island(
        &mut self,
        at: usize,
        part: &IslandState,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<(), SnapshotError> {
        let island = &mut self.islands[at];
        if let Some((kept, phases)) = &part.reordered {
            let number = |&name: &u32| {
                let place = self.sticks.try_locate(name as usize);
                place.filter(|&(island, _)| island == at).map(|(_, number)| number as u32)
            };
            let kept: Option<Vec<u32>> = kept.iter().map(number).collect();
            let kept = kept
                .filter(|kept| kept.is_sorted_by(|one, next| one < next))
                .ok_or(damaged("an order refers to sticks of another island, or unsorted ones"))?;
            let left = island.matter.sticks.selected(&kept)?;
            let schedule = Schedule::new(&left, phases)?;
            island
                .replace_sticks(left, &kept, schedule, self.formula, kernel_for)
                .map_err(WorldError::from)?;
            self.sticks.keep(at, &kept);
        }
        let face = |face: &[u32; 3]| {
            let place = |name: u32| self.particles.try_locate(name as usize);
            let own = |name| place(name).filter(|it| it.0 == at).map(|it| it.1 as u32);
            let [a, b, c] = face.map(own);
            Some([a?, b?, c?])
        };
        let faces: Option<Vec<[u32; 3]>> = part.faces.iter().map(face).collect();
        resume_faces(
            island,
            &faces.ok_or(damaged("a face refers to particles of another island"))?,
        );
        resume_sticks(island, part)
    }
}

/// Removes faces as the original world did, so that the remaining ones have the same order.
fn resume_faces<P, const D: usize>(island: &mut Island<P, D>, left: &[[u32; 3]]) {
    let mut next = left.iter().peekable();
    let faces = &mut island.matter.faces;
    faces.retain(|face| next.next_if_eq(&&face).is_some());
    if **faces != *left {
        *faces = left.to_vec().into();
    }
}

fn resume_sticks<P, const D: usize>(
    island: &mut Island<P, D>,
    part: &IslandState,
) -> Result<(), SnapshotError> {
    let Model { sticks, tear_factors, .. } = &mut island.matter;
    let len = sticks.len();
    let columns = [&part.rests, &part.stiffness, &part.compliance];
    if columns.iter().any(|column| column.0.len() != len)
        || part.kinds.len() != len
        || part.torn.len() != len
        || part.tear_factors.0.len() > len
    {
        return Err(damaged(
            "the number of rest lengths, kinds or other values of sticks is wrong",
        ));
    }
    let number = |bits: &Bits, stick: usize| f32::from_bits(bits.0[stick]);
    for stick in 0..len {
        set_stick(sticks, stick, columns.map(|column| number(column, stick)))?;
        if sticks.kind(stick) != part.kinds[stick] {
            sticks.set_kind(stick, part.kinds[stick])?;
        }
        if part.torn[stick] { sticks.tear(stick)? } else { sticks.mend(stick)? }
    }
    *tear_factors = part.tear_factors.numbers().collect();
    island.tearing = Tearing::new(sticks, tear_factors);
    Ok(())
}

/// Sets only the values that differ, so that plans see no needless changes.
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
