//! Snapshots of a world, and resuming from them.

mod error;
mod resume;
mod sleep_states;
mod take;

use taut_core::{Kind, Real};

pub use self::error::SnapshotError;
use crate::model::Model;
use crate::scene::Scene;

/// What a world needs to resume: its settings, formula and time, and what steps and calls have
/// changed in its models (positions, masses, sticks, faces, limbs, ties, pins, drags, sleep, and
/// schedules after reordering). Forces, obstacles and groups are not included: a resumed world has
/// those of the scene, even if they were changed by
/// [`forces_mut`](crate::World::forces_mut) or [`obstacles_mut`](crate::World::obstacles_mut).
///
/// With the feature `serde` it can be written in any format. Floats are written as their bits, so
/// none are rounded.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    dimensions: usize,
    models: Vec<ModelSignature>,
    steps: u64,
    /// The bits of the time.
    time: u64,
    formula: String,
    /// The length of a step, s, and the components of the acceleration, m/s².
    step: Bits,
    /// The bits of the damping rate, 1/s; None in snapshots of earlier versions.
    damping_rate: Option<u32>,
    substeps: u32,
    iterations: u32,
    passes: u32,
    /// Positions, m, in the order of the world's numbers; `dimensions` coordinates per particle.
    positions: Bits,
    /// Previous positions, m, in the same order.
    previous: Bits,
    /// Inverse masses, 1/kg, in the same order.
    inverse_masses: Bits,
    /// The particles that are pinned or grabbed.
    held: Vec<HeldState>,
    /// The dragged particles, and their positions at the end of the next step, m.
    targets: Vec<(usize, Bits)>,
    /// For each tie, whether it is broken; empty in snapshots of versions without ties.
    #[cfg_attr(feature = "serde", serde(default))]
    broken_ties: Vec<bool>,
    /// The bits of the force of each tie in the last step, N; empty in snapshots of earlier versions.
    #[cfg_attr(feature = "serde", serde(default))]
    tie_forces: Vec<u64>,
    /// The state of each island. The serialized key is that of earlier versions.
    #[cfg_attr(feature = "serde", serde(rename = "pieces"))]
    islands: Vec<IslandState>,
    /// The sleep state of each island; empty if models do not sleep, and in snapshots of versions
    /// without sleeping. The serialized key is that of earlier versions.
    #[cfg_attr(feature = "serde", serde(default, rename = "rests"))]
    sleep_states: Vec<SavedSleepState>,
}

/// The values by which a snapshot recognizes a model of its scene.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ModelSignature {
    name: String,
    particles: usize,
    sticks: usize,
    /// A hash of the ends of the sticks.
    fingerprint: u64,
    /// A hash of the ends and parameters of the springs.
    springs: u64,
}

/// A particle that is pinned or grabbed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct HeldState {
    particle: usize,
    /// Its inverse mass once it is free again, 1/kg, as bits.
    inverse_mass: u32,
    pinned: bool,
    grabbed: bool,
    /// Its displacement per substep in the last step, m. The serialized key is that of earlier versions.
    #[cfg_attr(feature = "serde", serde(rename = "drift"))]
    displacement: Bits,
}

/// The state of an island besides its particles. Sticks are in the order of the island's numbers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct IslandState {
    /// Rest lengths, m.
    rests: Bits,
    stiffness: Bits,
    /// Compliances, m/N.
    compliance: Bits,
    kinds: Vec<Kind>,
    torn: Vec<bool>,
    tear_factors: Bits,
    /// The corners of the remaining faces, by the numbers of the world.
    faces: Vec<[u32; 3]>,
    /// The ends of the remaining limbs, by the numbers of the world. None in snapshots of earlier
    /// versions.
    limbs: Option<Vec<[u32; 2]>>,
    /// If it was reordered: the remaining sticks, by the numbers of the world, and their schedule.
    reordered: Option<(Vec<u32>, Phases)>,
    /// If its models left an island of copies: their numbers in the scene, ascending. None in
    /// snapshots of earlier versions.
    #[cfg_attr(feature = "serde", serde(rename = "left_copies"))]
    models_that_left_copies: Option<Vec<usize>>,
    /// For each emitter how many births it has omitted; empty in snapshots of earlier versions.
    #[cfg_attr(feature = "serde", serde(default))]
    omitted_births: Vec<u64>,
}

/// Whether an island is asleep, and how long it has been quiet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "RestState"))]
struct SavedSleepState {
    asleep: bool,
    /// The quiet time, s, as bits.
    quiet: u32,
    /// The positions at the beginning of the quiet time, m, by axis, in the order of the island's
    /// numbers; empty if the quiet time begins at the next step. The serialized key is that of earlier versions.
    #[cfg_attr(feature = "serde", serde(rename = "anchors"))]
    reference_positions: Vec<Bits>,
}

/// Phases of blocks of batches of sticks.
type Phases = Vec<Vec<Vec<Vec<u32>>>>;

/// `f32` values as bits, which no format rounds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Bits(Vec<u32>);

impl Bits {
    /// The bits of values.
    fn of(values: impl IntoIterator<Item = f32>) -> Self {
        // All NaNs get the same bits, because instruction sets produce different ones.
        Self(values.into_iter().map(|value| value.canonical_bits() as u32).collect())
    }

    fn values(&self) -> impl Iterator<Item = f32> {
        self.0.iter().copied().map(f32::from_bits)
    }

    /// The values as a point; an error if their number is not `D`.
    fn point<const D: usize>(&self) -> Result<[f32; D], SnapshotError> {
        let point: Vec<f32> = self.values().collect();
        point.try_into().map_err(|_| damaged("a point has the wrong number of coordinates"))
    }
}

/// The error of a damaged snapshot; `what` says what is wrong.
const fn damaged(what: &'static str) -> SnapshotError {
    SnapshotError::Damaged { what }
}

/// The signatures of the models of a scene.
pub(super) fn signatures<const D: usize>(scene: &Scene<D>) -> Vec<ModelSignature> {
    let signature = |(name, model): (&str, &Model<D>)| ModelSignature {
        name: name.to_owned(),
        particles: model.particles.len(),
        sticks: model.sticks.len(),
        fingerprint: model.sticks.fingerprint(),
        springs: model.springs.fingerprint(),
    };
    scene.models().map(signature).collect()
}
