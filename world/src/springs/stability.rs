//! The largest stable step with springs. (The article on soft bodies: "these limits have to be
//! empirically derived". They can be computed.)
//!
//! Per mode of the springs, `x'' = -ω² x - γ x'`. One step is a linear map of two numbers, and
//! Jury's conditions on its characteristic polynomial say when both its roots are within the unit
//! circle:
//!
//! - Semi-implicit Euler and Verlet, of which the damping rate λ of the step leaves the share
//!   `k = exp(-λ h)` of the velocity: `z² - (1 + k - h γ - h² ω²) z + (k - h γ)`, so
//!   `h² ω² + 2 h γ < 2 (1 + k)`. Undamped it is `h < 2 / ω`. The left side grows with h and the right
//!   one falls, so there is one limit, found by bisection. As the polynomial's coefficients are Rayleigh quotients of symmetric matrices, the
//!   greatest ω² and γ of all modes will do, whether or not they belong to the same.
//! - Explicit Euler: `z² - (2 - h γ) z + (1 - h γ + h² ω²)`, so `h ω² < γ` and
//!   `2 h γ < 4 + h² ω²`. Undamped there is no such step. The first holds for every mode if it does
//!   for the stiffness and damping of every spring; for the second, `h γ < 2` will do.
//!
//! The greatest ω² is that of `W^½ B K Bᵀ W^½`, with the springs' directions in B, their stiffness
//! in K and the inverse masses in W, and that is the one of `K^½ Bᵀ W B K^½`, a matrix of one row a
//! spring. By Gershgorin's theorem, after scaling with `K^½`, it is at most the greatest sum of a
//! row: at each end of a spring, the inverse mass times the stiffness of all springs that meet
//! there. One spring alone has exactly this frequency. A spring that is compressed to less than
//! half its length pushes sideways more than that; it does not swing, it buckles.

use super::{SpringError, Springs};
use crate::motion::Integrator;

impl Springs {
    /// The longest stable step, s: exact for a single spring, conservative for many; infinite if no
    /// spring moves a particle. `damping_rate` is that of the step, 1/s, which matters for Verlet
    /// only.
    pub fn largest_step(
        &self,
        inverse_masses: &[f32],
        integrator: Integrator,
        damping_rate: f32,
    ) -> f64 {
        let squared_frequency = self.greatest(&self.stiffness, inverse_masses);
        let rate = self.greatest(&self.damping, inverse_masses);
        if squared_frequency == 0.0 && rate == 0.0 {
            return f64::INFINITY;
        }
        match integrator {
            Integrator::ExplicitEuler => {
                let ratios = self.damping.iter().zip(&self.stiffness);
                let ratios = ratios.filter(|(_, stiffness)| **stiffness > 0.0);
                let least = ratios
                    .map(|(damping, stiffness)| f64::from(*damping) / f64::from(*stiffness))
                    .fold(f64::INFINITY, f64::min);
                least.min(2.0 / rate)
            }
            Integrator::SemiImplicitEuler | Integrator::Verlet => {
                let within =
                    |room: f64| room / (rate + libm::sqrt(rate * rate + room * squared_frequency));
                if damping_rate <= 0.0 {
                    return within(4.0);
                }
                let is_stable = |h: f64| {
                    let kept = libm::exp(-f64::from(damping_rate) * h);
                    h * (h * squared_frequency + 2.0 * rate) < 2.0 * (1.0 + kept)
                };
                // The limits for full damping and for none. Their ratio is at most 2.
                let (mut low, mut high) = (within(2.0), within(4.0));
                for _ in 0..f64::MANTISSA_DIGITS {
                    let middle = 0.5 * (low + high);
                    if is_stable(middle) { low = middle } else { high = middle }
                }
                low
            }
        }
    }

    /// Refuses steps that are too long for Verlet integration.
    pub(crate) fn check(
        &self,
        inverse_masses: &[f32],
        h: f32,
        damping_rate: f32,
    ) -> Result<(), SpringError> {
        let h = f64::from(h);
        let largest = self.largest_step(inverse_masses, Integrator::Verlet, damping_rate);
        if h < largest { Ok(()) } else { Err(SpringError::Unstable { h, largest }) }
    }

    /// The largest sum, over the two ends of a spring, of the inverse mass times the sum of
    /// `measure` of all springs there.
    fn greatest(&self, measure: &[f32], inverse_masses: &[f32]) -> f64 {
        let mut at = vec![0.0; inverse_masses.len()];
        for (ends, &measure) in self.ends.iter().zip(measure) {
            for end in ends.map(|end| end as usize) {
                at[end] += f64::from(inverse_masses[end]) * f64::from(measure);
            }
        }
        let sums = self.ends.iter().zip(measure).filter(|(_, measure)| **measure > 0.0);
        sums.map(|(&[a, b], _)| at[a as usize] + at[b as usize]).fold(0.0, f64::max)
    }
}
