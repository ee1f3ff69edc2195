//! The settings of a step, and its status.

use crate::error::PlanError;
use crate::real::Real;

/// Why a step is rejected. A rejected step moves no particle.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// `dt / substeps` is out of range.
    #[error("the substep is {substep} s; it must be from 1e-5 to 10 s")]
    Substep {
        /// The length of the substep, s.
        substep: f64,
    },
    /// The step of a fixed-time-step clock (`Clock` of `taut-world`) is out of range.
    #[error("the step is {dt} s; it must be finite and at least 1e-5 s")]
    Length {
        /// The length of the step, s.
        dt: f64,
    },
    /// No substeps.
    #[error("a step needs at least one substep")]
    NoSubsteps,
    /// The damping rate is negative, too large, or not a number.
    #[error("the damping rate is {damping_rate} 1/s; it must be from 0 to 1e9")]
    DampingRate {
        /// The damping rate, 1/s.
        damping_rate: f64,
    },
    /// The acceleration is out of range or NaN.
    #[error("the acceleration on axis {axis} is {value} m/s²; it must be from -1e9 to 1e9")]
    Acceleration {
        /// Which axis, 0 for x.
        axis: usize,
        /// The acceleration along that axis, m/s².
        value: f64,
    },
    /// The plan does not fit the particles and sticks.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// One step of fixed length: it runs `substeps` substeps, and each of them integrates once and then
/// relaxes all sticks `iterations` times. (A world can have several such passes in a substep.) `S` is the
/// number type of the particles.
///
/// Length, acceleration and damping are in SI units, so their meaning does not depend on the number
/// of substeps. `n` substeps of one iteration leave less stretch than one substep of `n` iterations
/// (Macklin et al., "Small Steps in Physics Simulation", 2019).
///
/// ```
/// let step = taut_core::Step::<3> { substeps: 4, iterations: 2, ..Default::default() };
/// assert_eq!(step.acceleration, [0.0, -9.81, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    // Rejects the field `damping` of earlier versions, which was a fraction per substep.
    serde(deny_unknown_fields)
)]
pub struct Step<const D: usize, S = f32> {
    /// The length of the step, s. Default: 1/60.
    pub dt: S,
    /// The number of substeps, each `dt / substeps` long. Default: 8.
    pub substeps: u32,
    /// How many times a substep (in a world, each pass of a substep) relaxes all sticks. Default: 1.
    pub iterations: u32,
    /// The acceleration of every free particle, m/s². Default: -9.81 along the second axis.
    #[cfg_attr(feature = "serde", serde(with = "crate::array"))]
    #[cfg_attr(
        feature = "serde",
        serde(bound(
            serialize = "S: serde::Serialize",
            deserialize = "S: serde::Deserialize<'de>"
        ))
    )]
    pub acceleration: [S; D],
    /// The rate at which a free particle loses velocity, 1/s, 0 to
    /// [`DAMPING_RATE_MAX`](Self::DAMPING_RATE_MAX): without acceleration its velocity decays as
    /// `exp(-damping_rate t)`, whatever the number of substeps. Default: 0.603, a loss of 1 %
    /// in 1/60 s.
    pub damping_rate: S,
}

impl<const D: usize, S: Real> Default for Step<D, S> {
    fn default() -> Self {
        let gravity = |axis| S::from_f64(if axis == 1 { -9.81 } else { 0.0 });
        Self {
            dt: S::from_f64(1.0 / 60.0),
            substeps: 8,
            iterations: 1,
            acceleration: core::array::from_fn(gravity),
            damping_rate: S::from_f64(0.603),
        }
    }
}

/// The parameters of [`verlet`](crate::verlet) for a substep of `h` seconds, and `1 / h²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<const D: usize, S = f32> {
    /// The fraction of the velocity that remains after the substep: `exp(-damping_rate h)`.
    pub retention: S,
    /// The acceleration times `h²`, m.
    pub displacement: [S; D],
    /// `1 / h²`, 1/s², for compliance.
    pub inverse_h2: S,
}

impl<const D: usize, S: Real> Step<D, S> {
    /// The largest damping rate, 1/s: in the shortest substep (1e-5 s) it leaves no velocity,
    /// as `exp(-1e4)` is 0 in `f64`.
    pub const DAMPING_RATE_MAX: f64 = 1e9;

    /// The damping rate, 1/s, with which a substep of `h` seconds removes this fraction of the
    /// velocity: `-ln(1 - fraction) / h`, at most [`DAMPING_RATE_MAX`](Self::DAMPING_RATE_MAX),
    /// computed in `f64` and rounded once. It converts the damping of papers whose Verlet step
    /// multiplies the velocity by `1 - fraction` (Mosegaard 2009). For a fraction outside 0 to 1 the
    /// rate is negative or NaN, which [`motion`](Self::motion) rejects.
    ///
    /// ```
    /// use taut_core::Step;
    ///
    /// let rate = Step::<3>::damping_rate_from_fraction(0.01, 1.0 / 60.0);
    /// assert_eq!(rate, 0.60302013); // 1 % of the velocity 60 times per second
    /// let step = Step::<3> { substeps: 1, damping_rate: rate, ..Step::default() };
    /// assert_eq!(step.motion()?.retention, 0.99);
    /// # Ok::<(), taut_core::StepError>(())
    /// ```
    pub fn damping_rate_from_fraction(fraction: S, h: S) -> S {
        let rate = -libm::log1p(-fraction.to_f64()) / h.to_f64();
        let rate = if rate > Self::DAMPING_RATE_MAX { Self::DAMPING_RATE_MAX } else { rate };
        S::from_f64(rate).positive_zero()
    }

    /// Checks the step and computes the motion of its substeps: `h = dt / substeps`, `h² = h h`,
    /// `displacement = acceleration h²`, `1 / h²`, in this order and in the type `S`. `retention` is
    /// `exp(-damping_rate h)`, computed in `f64` by the crate `libm` and rounded once. So in `f32` a
    /// loss of less than 3e-8 of the velocity per substep rounds to no loss.
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn motion(&self) -> Result<Motion<D, S>, StepError> {
        if self.substeps == 0 {
            return Err(StepError::NoSubsteps);
        }
        let h = self.dt / S::from_f64(f64::from(self.substeps));
        if !(S::from_f64(1e-5)..=S::from_f64(10.0)).contains(&h) {
            return Err(StepError::Substep { substep: h.to_f64() });
        }
        let damping_rate = self.damping_rate.to_f64();
        if !(0.0..=Self::DAMPING_RATE_MAX).contains(&damping_rate) {
            return Err(StepError::DampingRate { damping_rate });
        }
        for (axis, value) in self.acceleration.iter().enumerate() {
            let value = value.to_f64();
            if !(-1e9..=1e9).contains(&value) {
                return Err(StepError::Acceleration { axis, value });
            }
        }
        let h2 = h * h;
        Ok(Motion {
            retention: S::from_f64(libm::exp(-(damping_rate * h.to_f64()))),
            displacement: self.acceleration.map(|component| (component * h2).positive_zero()),
            inverse_h2: S::ONE / h2,
        })
    }

    /// The magnitude of a coordinate, m, by axis, below which a particle at rest begins to
    /// accelerate; beyond it the particle stays at rest. Infinite along axes without acceleration.
    ///
    /// From rest, a substep adds only `acceleration h²` to a coordinate. If that is less than half an
    /// ulp of the coordinate, it is lost in rounding, and the particle never moves. Without
    /// damping, the acceleration is accurate to 2 % at a hundredth of this distance. Doubling the
    /// substeps divides the distance by four.
    ///
    /// ```
    /// use taut_core::Step;
    ///
    /// let step = Step::<3> { substeps: 1, ..Step::default() }; // 1/60 s
    /// assert_eq!(step.rounding_limit()?, [f32::INFINITY, 65_536.0, f32::INFINITY]);
    /// assert_eq!(Step::<3> { substeps: 8, ..step }.rounding_limit()?[1], 1024.0);
    /// assert_eq!(70_000.0 - 9.81 / (60.0 * 60.0), 70_000.0_f32);
    /// # Ok::<(), taut_core::StepError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`motion`](Self::motion).
    pub fn rounding_limit(&self) -> Result<[S; D], StepError> {
        let limit_along = |displacement: S| {
            let displacement =
                if displacement < S::ZERO { S::ZERO - displacement } else { displacement };
            if displacement == S::ZERO {
                return S::from_f64(f64::INFINITY);
            }
            // Finds the largest power of two that changes when the displacement is added. (Adding
            // half the spacing of floats is a tie, which rounds to even, so it does not change a
            // power of two.) All floats from that power up to twice that power have the same spacing,
            // so they change too. The displacement is at most 1e11 m, so the search begins above any
            // limit, also in `f64`.
            let mut lower = S::from_f64(libm::exp2(100.0));
            while lower + displacement == lower {
                lower = lower * S::from_f64(0.5);
            }
            lower + lower
        };
        Ok(self.motion()?.displacement.map(limit_along))
    }
}

/// The outcome of a step, or of another call that writes positions back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Status {
    /// Whether every position is finite. If not, the simulation has blown up because of its
    /// schedule, its step or its forces; later steps do not make positions finite again.
    pub finite: bool,
}
