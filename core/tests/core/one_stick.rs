//! A single stick: the input of `relax`, and its result in exact arithmetic.

use taut_core::{Factor, Formula, Real, Response, WithFactor, relax, weight};

use crate::meshes::Random;

/// All values on which the relaxation of a stick depends, in the units of [`relax`] and [`weight`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stick<const D: usize, S = f32> {
    pub(crate) ends: [[S; D]; 2],
    pub(crate) inverse_masses: [S; 2],
    pub(crate) rest: S,
    pub(crate) compliance: S,
    pub(crate) inverse_h2: S,
    pub(crate) response: Option<Response<S>>,
}

impl<const D: usize, S: Real> Stick<D, S> {
    /// A plain stick: without compliance and response.
    pub(crate) fn new(ends: [[S; D]; 2], inverse_masses: [S; 2], rest: S) -> Self {
        let (compliance, inverse_h2) = (S::ZERO, S::ZERO);
        Self { ends, inverse_masses, rest, compliance, inverse_h2, response: None }
    }

    /// The positions of its ends after one relaxation.
    pub(crate) fn relaxed(self, formula: Formula) -> [[S; D]; 2] {
        formula.dispatch(self)
    }

    /// The same stick with its ends exchanged.
    pub(crate) fn swapped(mut self) -> Self {
        self.ends.reverse();
        self.inverse_masses.reverse();
        self
    }
}

impl<const D: usize, S: Real> WithFactor for Stick<D, S> {
    type Output = [[S; D]; 2];

    fn with<F: Factor>(self) -> [[S; D]; 2] {
        let (a, b) = relax::<F, S, D>(
            self.ends[0],
            self.ends[1],
            self.inverse_masses,
            F::rest_term(self.rest),
            F::weight_term(weight(self.inverse_masses, self.compliance, self.inverse_h2)),
            self.response,
        );
        [a, b]
    }
}

/// The distance between two points, in `f64`.
pub(crate) fn length<const D: usize, S: Real>([a, b]: [[S; D]; 2]) -> f64 {
    (0..D).map(|axis| b[axis].to_f64() - a[axis].to_f64()).map(|d| d * d).sum::<f64>().sqrt()
}

/// The bits of both ends, for comparisons that tell +0.0 from -0.0.
pub(crate) fn bits<const D: usize, S: Real>(ends: [[S; D]; 2]) -> [[u64; D]; 2] {
    ends.map(|end| end.map(Real::canonical_bits))
}

/// The length that a stick of length `l` and rest length `r` has after one relaxation in
/// exact arithmetic.
pub(crate) fn new_length(formula: Formula, l: f64, r: f64) -> f64 {
    match formula {
        Formula::Exact | Formula::Quick => r,
        Formula::Newton => 2.0 * r * r * l / (l * l + r * r),
        Formula::Halley => l * (l * l + 3.0 * r * r) / (r * r + 3.0 * l * l),
    }
}

/// Sticks with lengths, rest lengths and inverse masses in the whole valid range, most of them not
/// far from rest, in all directions, with at least one free end. The origin lies between the ends,
/// so that positions are not rounded more than lengths.
pub(crate) fn sticks_of_all_sizes(count: usize) -> impl Iterator<Item = Stick<3>> {
    let mut random = Random::new(1);
    let stick = move || {
        let l = random.magnitude(1e-15, 1e10);
        let r = match random.below(3) {
            0 => random.magnitude(1e-15, 1e10),
            1 => l * random.magnitude(0.1, 10.0),
            _ => l * (1.0 + random.between(-1e-3, 1e-3)),
        };
        let direction: [f64; 3] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        let fraction = random.between(0.0, 1.0);
        let ends = [-fraction, 1.0 - fraction]
            .map(|along| direction.map(|x| (x / norm * l * along) as f32));
        let [wa, wb] = [random.inverse_mass(), random.inverse_mass()];
        let wb = if wa == 0.0 && wb == 0.0 { 1.0 } else { wb };
        Stick::new(ends, [wa, wb], r.clamp(1e-15, 1e10) as f32)
    };
    std::iter::repeat_with(stick).take(count)
}
