//! The largest stable substep with springs. (The report on soft bodies, phase III in
//! docs/articles.md, says that "these limits have to be empirically derived". Here they are
//! computed.)
//!
//! Each mode of the springs obeys `x'' = -ω² x - γ x'`. One substep is a linear map of the position
//! and velocity of a mode. Jury's conditions on its characteristic polynomial state when both roots
//! lie within the unit circle:
//!
//! - Semi-implicit Euler and Verlet, where the damping rate λ of the step multiplies velocities by
//!   `k = exp(-λ h)`: `z² - (1 + k - h γ - h² ω²) z + (k - h γ)`, so `h² ω² + 2 h γ < 2 (1 + k)`.
//!   Undamped it is `h < 2 / ω`. The left side grows with h and the right side falls, so there is
//!   one limit, found by bisection. The coefficients are Rayleigh quotients of symmetric matrices,
//!   so it suffices to insert the largest ω² and the largest γ of all modes, even if they belong to
//!   different modes.
//! - Explicit Euler: `z² - (2 - h γ) z + (1 - h γ + h² ω²)`, so `h ω² < γ` and
//!   `2 h γ < 4 + h² ω²`. Undamped, no step is stable. The first condition holds for every mode if
//!   it holds for the stiffness and damping of every spring; `h γ < 2` implies the second.
//!
//! The largest ω² is the largest eigenvalue of `W^½ B K Bᵀ W^½`, with the directions of the springs
//! in B, their stiffness in K and the inverse masses in W. `K^½ Bᵀ W B K^½`, with one row per
//! spring, has the same largest eigenvalue. By Gershgorin's theorem, after scaling with `K^½`, it
//! is at most the largest row sum: at both ends of a spring, the inverse mass times the stiffness
//! of all springs that meet there. For a single spring the bound is exact. A spring compressed
//! below half its rest length has a lateral stiffness of greater magnitude, but a negative one: it
//! buckles instead of oscillating.

use super::{SpringError, Springs};
use crate::motion::Integrator;

impl Springs {
    /// The longest stable substep, s: exact for a single spring, conservative for many; infinite if
    /// no spring moves a particle. `damping_rate` is that of the step, 1/s; semi-implicit Euler and
    /// Verlet use it.
    pub fn largest_substep(
        &self,
        inverse_masses: &[f32],
        integrator: Integrator,
        damping_rate: f32,
    ) -> f64 {
        // Bounds of ω², 1/s², and of γ, 1/s.
        let squared_frequency = self.largest_row_sum(&self.stiffness, inverse_masses);
        let decay_rate = self.largest_row_sum(&self.damping, inverse_masses);
        if squared_frequency == 0.0 && decay_rate == 0.0 {
            return f64::INFINITY;
        }
        match integrator {
            Integrator::ExplicitEuler => {
                let moves =
                    |ends: &[u32; 2]| ends.iter().any(|&end| inverse_masses[end as usize] > 0.0);
                let springs = self.ends.iter().zip(self.damping.iter().zip(&self.stiffness));
                let elastic =
                    springs.filter(|(ends, (_, stiffness))| moves(ends) && **stiffness > 0.0);
                let smallest = elastic
                    .map(|(_, (damping, stiffness))| f64::from(*damping) / f64::from(*stiffness))
                    .fold(f64::INFINITY, f64::min);
                smallest.min(2.0 / decay_rate)
            }
            Integrator::SemiImplicitEuler | Integrator::Verlet => {
                // The positive root h of `h² ω² + 2 h γ = bound`.
                let root = |bound: f64| {
                    bound
                        / (decay_rate
                            + libm::sqrt(decay_rate * decay_rate + bound * squared_frequency))
                };
                if damping_rate <= 0.0 {
                    return root(4.0);
                }
                let is_stable = |h: f64| {
                    let retention = libm::exp(-f64::from(damping_rate) * h);
                    h * (h * squared_frequency + 2.0 * decay_rate) < 2.0 * (1.0 + retention)
                };
                // The limits for full damping and for none. Their ratio is at most 2.
                let (mut low, mut high) = (root(2.0), root(4.0));
                for _ in 0..f64::MANTISSA_DIGITS {
                    let middle = 0.5 * (low + high);
                    if is_stable(middle) { low = middle } else { high = middle }
                }
                low
            }
        }
    }

    /// Rejects steps that are too long for Verlet integration.
    pub(crate) fn check(
        &self,
        inverse_masses: &[f32],
        h: f32,
        damping_rate: f32,
    ) -> Result<(), SpringError> {
        if self.is_empty() {
            return Ok(()); // many models may share the particles
        }
        let h = f64::from(h);
        let largest = self.largest_substep(inverse_masses, Integrator::Verlet, damping_rate);
        if h < largest { Ok(()) } else { Err(SpringError::Unstable { h, largest }) }
    }

    /// The largest row sum: over the two ends of a spring, the inverse mass times the sum of the
    /// `coefficients` of all springs there.
    fn largest_row_sum(&self, coefficients: &[f32], inverse_masses: &[f32]) -> f64 {
        let mut sums = vec![0.0; inverse_masses.len()];
        for (ends, &coefficient) in self.ends.iter().zip(coefficients) {
            for end in ends.map(|end| end as usize) {
                sums[end] += f64::from(inverse_masses[end]) * f64::from(coefficient);
            }
        }
        let active = self.ends.iter().zip(coefficients).filter(|(_, value)| **value > 0.0);
        active.map(|(&[a, b], _)| sums[a as usize] + sums[b as usize]).fold(0.0, f64::max)
    }
}
