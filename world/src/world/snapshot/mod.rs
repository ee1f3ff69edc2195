//! Snapshots of a world, and resuming from them.

mod error;
mod resume;
mod take;

use taut_core::{Kind, Real};

pub use self::error::SnapshotError;
use crate::model::Model;
use crate::scene::Scene;

/// All state of a world that changes: positions and previous positions, masses, sticks, faces,
/// settings, time, pins, grabs, drags, and schedules after reordering. What never changes (names,
/// groups, forces, obstacles) belongs to the scene and is not included.
///
/// With the feature `serde` it can be written in any format: floats are written as their bits, so
/// that none is rounded.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    dimensions: usize,
    models: Vec<Shape>,
    steps: u64,
    /// The bits of the time.
    time: u64,
    formula: String,
    /// Step length and acceleration.
    step: Bits,
    /// As bits; snapshots of older versions have none.
    damping_rate: Option<u32>,
    substeps: u32,
    iterations: u32,
    passes: u32,
    /// By the numbers of the world; `dimensions` coordinates per particle.
    positions: Bits,
    previous: Bits,
    inverse_masses: Bits,
    held: Vec<Hold>,
    targets: Vec<(usize, Bits)>,
    /// The key is that of earlier versions.
    #[cfg_attr(feature = "serde", serde(rename = "pieces"))]
    islands: Vec<IslandState>,
}

/// What identifies a model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Shape {
    name: String,
    particles: usize,
    sticks: usize,
    fingerprint: u64,
    springs: u64,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Hold {
    particle: usize,
    inverse_mass: u32,
    pinned: bool,
    grabbed: bool,
    drift: Bits,
}

/// What changes in an island besides its particles: sticks by their numbers in the island.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct IslandState {
    rests: Bits,
    stiffness: Bits,
    compliance: Bits,
    kinds: Vec<Kind>,
    torn: Vec<bool>,
    tear_factors: Bits,
    /// By the numbers of the world.
    faces: Vec<[u32; 3]>,
    /// If it was reordered: the remaining sticks, by the numbers of the world, and their order.
    reordered: Option<(Vec<u32>, Phases)>,
}

/// Phases of blocks of batches of sticks.
type Phases = Vec<Vec<Vec<Vec<u32>>>>;

/// Numbers that keep their bits in every format.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Bits(Vec<u32>);

impl Bits {
    fn of(numbers: impl IntoIterator<Item = f32>) -> Self {
        // All NaNs become one, as instruction sets make different ones.
        Self(numbers.into_iter().map(|number| number.canonical_bits() as u32).collect())
    }

    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.0.iter().copied().map(f32::from_bits)
    }

    fn point<const D: usize>(&self) -> Result<[f32; D], SnapshotError> {
        let point: Vec<f32> = self.numbers().collect();
        point.try_into().map_err(|_| damaged("a point has the wrong number of coordinates"))
    }
}

fn damaged(what: &'static str) -> SnapshotError {
    SnapshotError::Damaged { what }
}

pub(super) fn shapes<const D: usize>(scene: &Scene<D>) -> Vec<Shape> {
    let shape = |(name, model): (&str, &Model<D>)| Shape {
        name: name.to_owned(),
        particles: model.particles.len(),
        sticks: model.sticks.len(),
        fingerprint: model.sticks.fingerprint(),
        springs: model.springs.fingerprint(),
    };
    scene.models().map(shape).collect()
}
