//! Particles and sticks, ready to hang.

use core::fmt;
use core::str::FromStr;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut_core::{
    Bending, Family, NotAPermutation, ParticleError, Particles, Renumbering, Sheet, StickError,
    Sticks, TriangleError,
};

/// The share of a mesh's particles that are pinned: its highest.
pub const PINNED_SHARE: f64 = 0.02;

/// Which sticks a scene has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StickSet {
    /// Rows and columns of a sheet; the edges of a mesh.
    Structural,
    /// Besides, the diagonals of a sheet.
    Shear,
    /// Besides, sticks that resist bending.
    #[default]
    All,
}

/// A name that is none of the sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such set of sticks: choose structural, shear or all")]
pub struct UnknownStickSet;

impl StickSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Structural, Self::Shear, Self::All];

    /// Its name in tables and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Shear => "shear",
            Self::All => "all",
        }
    }

    /// The families of a sheet.
    pub const fn families(self) -> &'static [Family] {
        match self {
            Self::Structural => Family::STRUCTURAL,
            Self::Shear => Family::SHEAR,
            Self::All => Family::ALL,
        }
    }

    /// Whether a mesh has sticks against bending.
    pub const fn bending(self) -> Bending {
        match self {
            Self::Structural | Self::Shear => Bending::Free,
            Self::All => Bending::Sticks,
        }
    }
}

impl fmt::Display for StickSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StickSet {
    type Err = UnknownStickSet;

    fn from_str(name: &str) -> Result<Self, UnknownStickSet> {
        Self::ALL.into_iter().find(|set| set.name() == name).ok_or(UnknownStickSet)
    }
}

/// Why a scene cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// By its particles.
    #[error(transparent)]
    Particles(#[from] ParticleError),
    /// By its sticks.
    #[error(transparent)]
    Sticks(#[from] StickError),
    /// By its triangles.
    #[error(transparent)]
    Triangles(#[from] TriangleError),
    /// There is nothing to relax.
    #[error("there is nothing to relax: no stick joins any of the {particles} particle(s)")]
    NoSticks {
        /// How many particles there are.
        particles: usize,
    },
}

/// Particles and sticks, hanging.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The particles, at rest.
    pub particles: Particles<3>,
    /// Their sticks, in authored order.
    pub sticks: Sticks,
    /// The regular sheet that it is, if it is one, and not shuffled.
    pub sheet: Option<Sheet>,
}

impl Scene {
    /// A triangle mesh that hangs from its highest particles (a share of [`PINNED_SHARE`],
    /// at least one; of equally high ones the first). `positions` in m, y up; all masses 1 kg.
    ///
    /// # Errors
    /// If a position or triangle is not sane, or there are no sticks.
    pub fn hanging(
        positions: &[[f32; 3]],
        triangles: &[[u32; 3]],
        set: StickSet,
    ) -> Result<Self, SceneError> {
        let mut by_height: Vec<usize> = (0..positions.len()).collect();
        by_height.sort_by(|&one, &other| positions[other][1].total_cmp(&positions[one][1]));
        #[allow(clippy::cast_sign_loss, reason = "a share of a count")]
        let pinned = (positions.len() as f64 * PINNED_SHARE).ceil() as usize;
        let mut inverse_masses = vec![1.0; positions.len()];
        for &particle in &by_height[..pinned] {
            inverse_masses[particle] = 0.0;
        }
        let particles = Particles::new(positions, &inverse_masses)?;
        let sticks = Sticks::from_triangles(&particles, triangles, set.bending())?;
        if sticks.is_empty() {
            return Err(SceneError::NoSticks { particles: particles.len() });
        }
        Ok(Self { particles, sticks, sheet: None })
    }

    /// The same scene with particles and sticks numbered at random: the honest hard case, as
    /// meshes come from tools that care about triangles and not about memory.
    ///
    /// # Panics
    /// Never: a shuffled list of numbers is a permutation.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order = |len: usize| {
            let mut order: Vec<u32> = (0..len as u32).collect();
            order.shuffle(&mut random);
            order
        };
        let (particle_order, stick_order) = (order(self.particles.len()), order(self.sticks.len()));
        let shuffle = || -> Result<Self, NotAPermutation> {
            let renumbering = Renumbering::from_order(particle_order)?;
            let (particles, sticks) = renumbering.apply(&self.particles, &self.sticks);
            Ok(Self { particles, sticks: sticks.reordered(&stick_order)?, sheet: None })
        };
        shuffle().expect("a shuffled list of numbers is a permutation")
    }
}
