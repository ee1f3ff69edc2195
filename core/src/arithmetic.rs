//! The arithmetic of the simulation: relaxing a stick and integrating a particle.
//!
//! All kernels run this code over their own [`Lane`]. The operations and their order are fixed,
//! so that all kernels give the same bits.

use crate::arrays;
use crate::formula::Factor;
use crate::lane::Lane;

/// The squared length, m², below which a stick has no direction: the smallest normal `f32`.
pub const LEAST_SQUARED_LENGTH: f64 = f32::MIN_POSITIVE as f64;

/// The value of [`Response::stretched`] where there is no stick to relax: for a torn stick, and for
/// a slot that is padding.
pub const ABSENT: f32 = -1.0;

/// Multipliers of the factor of a stick: `stretched` where it is longer than its rest length,
/// `compressed` where it is shorter. A plain stick has 1 in both, and any two-sided stick its
/// stiffness in both. A one-sided stick has its stiffness for the side on which it acts, and 0 for
/// the other side. A negative `stretched` ([`ABSENT`]) means that there is no stick: the ends do not
/// change, even if they are infinite.
#[derive(Clone, Copy, Debug)]
pub struct Response<L> {
    /// Multiplies the factor of a stretched stick.
    pub stretched: L,
    /// Multiplies the factor of a compressed stick.
    pub compressed: L,
}

/// Relaxes a stick once and returns the new positions of its ends.
///
/// - `a`, `b`: the positions of the ends, m.
/// - `inverse_masses`: `wa` and `wb` of these ends, 1/kg; 0 for a pinned end.
/// - `rest_term`, `weight_term`: from [`Factor::rest_term`] and [`Factor::weight_term`].
/// - `response`: `None` for plain sticks, which gives the same bits as a response of 1 and 1.
///
/// The operations, in this order: `d = b - a` per axis; `l2 = (dx² + dy²) + dz²`; the factor `g`;
/// `a + d (wa g)` and `b - d (wb g)`. Neither end moves if the ends coincide (`l2` below the smallest
/// normal `f32`) or are both pinned. Kernels that keep ends and factors in different layouts call
/// [`squared_length`], [`factor`] and [`displaced`] instead.
#[inline(always)]
pub fn relax<F: Factor, L: Lane, const D: usize>(
    a: [L; D],
    b: [L; D],
    inverse_masses: [L; 2],
    rest_term: L,
    weight_term: L,
    response: Option<Response<L>>,
) -> ([L; D], [L; D]) {
    let mut d: [L; D] = arrays::from_fn(|axis| b[axis] - a[axis]);
    if let Some(Response { stretched, .. }) = response {
        // An absent stick gets `d = 0` and so the factor 0: its ends do not change.
        let zero = stretched.constant(0.0);
        let present = stretched.at_least(zero);
        for component in &mut d {
            *component = L::select(present, *component, zero);
        }
    }
    relax_by::<F, L, D>([a, b], d, inverse_masses, [rest_term, weight_term], response)
}

/// [`relax`] with `d = b - a` given. The caller must set `d` to zero for [`ABSENT`] sticks: then
/// their ends do not change, even if they are infinite.
#[inline(always)]
pub fn relax_by<F: Factor, L: Lane, const D: usize>(
    [a, b]: [[L; D]; 2],
    d: [L; D],
    [wa, wb]: [L; 2],
    [rest_term, weight_term]: [L; 2],
    response: Option<Response<L>>,
) -> ([L; D], [L; D]) {
    let g = factor::<F, L>(squared_length(d), rest_term, weight_term, response);
    let gains = [wa * g, wb * g];
    let mut new_ends = (a, b);
    for axis in 0..D {
        let [new_a, new_b] = displaced([a[axis], b[axis]], d[axis], gains);
        new_ends.0[axis] = new_a;
        new_ends.1[axis] = new_b;
    }
    new_ends
}

/// The squared length of `d`, m²: `(dx² + dy²) + dz²`, summed in this order.
#[inline(always)]
pub fn squared_length<L: Lane, const D: usize>(d: [L; D]) -> L {
    let mut l2 = d[0] * d[0];
    for &component in &d[1..] {
        l2 = l2 + component * component;
    }
    l2
}

/// The factor `g` of a stick, from its squared length: 0 if the ends coincide or are both pinned.
#[inline(always)]
pub fn factor<F: Factor, L: Lane>(
    l2: L,
    rest_term: L,
    weight_term: L,
    response: Option<Response<L>>,
) -> L {
    let zero = l2.constant(0.0);
    // `x >= NaN` is false, so one comparison masks both short sticks and zero weights.
    let (min, nan) = (l2.constant(LEAST_SQUARED_LENGTH), l2.constant(f64::NAN));
    let acts = l2.at_least(L::select(weight_term.above(zero), min, nan));
    let g = L::select(acts, F::factor(l2, rest_term, weight_term), zero);
    match response {
        Some(Response { stretched, compressed }) => {
            g * L::select(g.above(zero), stretched, compressed)
        }
        None => g,
    }
}

/// One coordinate of both ends, displaced: `a + d ga` and `b - d gb`, where `ga = wa g` and
/// `gb = wb g`.
#[inline(always)]
pub fn displaced<L: Lane>([a, b]: [L; 2], d: L, [ga, gb]: [L; 2]) -> [L; 2] {
    [a + d * ga, b - d * gb]
}

/// The sum `w` of inverse masses, 1/kg, by which the factor of a stick is divided, compliance
/// included: `(wa + wb) + compliance / h²` (`α / h²` in XPBD, Macklin et al. 2016, for one iteration
/// per substep). `inverse_h2` is `1 / h²`, 1/s², for a substep of `h` seconds.
///
/// It is 0 where both ends are pinned, whatever the compliance: with a tiny compliance the factor
/// would overflow to infinity, and infinity times an inverse mass of 0 is NaN.
#[inline(always)]
pub fn weight<L: Lane>([wa, wb]: [L; 2], compliance: L, inverse_h2: L) -> L {
    let w = wa + wb;
    let zero = w.constant(0.0);
    L::select(w.above(zero), w + compliance * inverse_h2, zero)
}

/// One coordinate of a free particle after one substep (Verlet, as in Jakobsen 2001):
/// `(x + (x - previous) retention) + displacement`, where `retention = exp(-damping_rate h)` and
/// `displacement = acceleration h²`.
#[inline(always)]
pub fn verlet<L: Lane>(x: L, previous: L, retention: L, displacement: L) -> L {
    (x + (x - previous) * retention) + displacement
}

/// One coordinate of any particle after one substep: free ones move by [`verlet`], pinned ones do
/// not move. (The caller stores the old position as the previous one.)
#[inline(always)]
pub fn integrate<L: Lane>(x: L, previous: L, inverse_mass: L, retention: L, displacement: L) -> L {
    let free = inverse_mass.above(inverse_mass.constant(0.0));
    L::select(free, verlet(x, previous, retention, displacement), x)
}
