//! Integrators for given accelerations, and closed-form solutions to test them against.
//!
//! A [`World`](crate::World) uses Verlet integration. The integrators here are for comparison: they
//! work on one coordinate of any number of particles, in columns.

use taut_core::Lane;

/// A method of time integration.
///
/// ```
/// use taut_world::{Integrator, free_fall};
///
/// // A stone falls for a second, at 30 steps per second.
/// let h = 1.0 / 30.0;
/// let relative_error = |integrator: Integrator| {
///     let (mut x, mut v, a) = ([0.0_f64], [0.0], [-9.81]);
///     integrator.begin(&mut v, &a, h);
///     for _ in 0..30 {
///         integrator.advance(&mut x, &mut v, &a, h);
///     }
///     x[0] / free_fall([0.0], [0.0], [-9.81], 1.0)[0] - 1.0
/// };
/// // With Euler integration it falls 3 % too short (explicit) or too far (semi-implicit); Verlet
/// // integration is exact.
/// assert!((relative_error(Integrator::ExplicitEuler) + 1.0 / 30.0).abs() < 1e-12);
/// assert!((relative_error(Integrator::SemiImplicitEuler) - 1.0 / 30.0).abs() < 1e-12);
/// assert!(relative_error(Integrator::Verlet).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Integrator {
    /// `x += h v`, then `v += h a`: first order; oscillations gain energy.
    ExplicitEuler,
    /// `v += h a`, then `x += h v`: first order; the energy of an oscillation fluctuates, but does not
    /// drift.
    SemiImplicitEuler,
    /// Semi-implicit Euler whose velocity is that of half a step earlier, `(x - previous x) / h`
    /// (Størmer 1907, Verlet 1967): second order, exact for a parabola.
    #[default]
    Verlet,
}

impl Integrator {
    /// All integrators.
    pub const ALL: [Self; 3] = [Self::ExplicitEuler, Self::SemiImplicitEuler, Self::Verlet];

    /// Converts initial velocities to those that [`advance`](Self::advance) needs: half a step
    /// earlier for Verlet. `a` are the accelerations at the beginning, m/s²; `h` is the step, s.
    pub fn begin<L: Lane>(self, v: &mut [L], a: &[L], h: L) {
        if self == Self::Verlet {
            let half = h * h.constant(0.5);
            for (v, a) in v.iter_mut().zip(a) {
                *v = *v - *a * half;
            }
        }
    }

    /// Advances positions `x`, m, and velocities `v`, m/s, by one step with the accelerations `a`
    /// at its beginning, m/s².
    pub fn advance<L: Lane>(self, x: &mut [L], v: &mut [L], a: &[L], h: L) {
        for ((x, v), a) in x.iter_mut().zip(v).zip(a) {
            let old = *v;
            *v = old + *a * h;
            *x = *x + if self == Self::ExplicitEuler { old } else { *v } * h;
        }
    }
}

/// The position after `t` seconds of the constant acceleration `a`: `x + v t + a t² / 2`.
pub fn free_fall<const D: usize>(x: [f64; D], v: [f64; D], a: [f64; D], t: f64) -> [f64; D] {
    core::array::from_fn(|axis| x[axis] + (v[axis] + 0.5 * a[axis] * t) * t)
}

/// A damped harmonic oscillator: `x'' = -frequency² x - damping x'`.
///
/// ```
/// use taut_world::Oscillator;
///
/// // A mass of 1 kg on a spring of 100 N/m: after half a period it is on the opposite side.
/// let spring = Oscillator { frequency: 10.0, damping: 0.0 };
/// let [x, _] = spring.at([1.0, 0.0], std::f64::consts::PI / 10.0);
/// assert!((x + 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// The angular frequency ω: the square root of stiffness over mass, 1/s.
    pub frequency: f64,
    /// γ: damping over mass, 1/s.
    pub damping: f64,
}

impl Oscillator {
    /// Position, m, and velocity, m/s, after `t` seconds, from the initial ones, `x` and `v`.
    pub fn at(&self, [x, v]: [f64; 2], t: f64) -> [f64; 2] {
        let decay = 0.5 * self.damping;
        let squared = self.frequency * self.frequency - decay * decay;
        // With w² = `squared`: x(t) = e^(-decay t) (x cos(w t) + (v + decay x) sin(w t) / w).
        // Cosine and sine have the factor e^(-decay t).
        let fade = libm::exp(-decay * t);
        let w = libm::sqrt(squared.abs());
        let (cos, sin_by_w) = if squared > 0.0 {
            (fade * libm::cos(w * t), fade * libm::sin(w * t) / w)
        } else if w * t > 1.0 {
            // Hyperbolic functions of large arguments would overflow.
            let slow = libm::exp(-self.frequency * self.frequency / (w + decay) * t);
            let fast = libm::exp(-(w + decay) * t);
            (0.5 * (slow + fast), 0.5 * (slow - fast) / w)
        } else if squared < 0.0 {
            (fade * libm::cosh(w * t), fade * libm::sinh(w * t) / w)
        } else {
            (fade, fade * t)
        };
        let rate = v + decay * x;
        let position = x * cos + rate * sin_by_w;
        let velocity = rate * cos - squared * x * sin_by_w - decay * position;
        [position, velocity]
    }
}
