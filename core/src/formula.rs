//! The four formulas for the correction of a stick.
//!
//! A stick between particles `a` and `b` with `d = b - a`, length `l = |d|`, rest length `r`
//! and inverse masses `wa`, `wb` (`w = wa + wb`) is relaxed by `a += d (wa g)` and
//! `b -= d (wb g)`. The formulas differ in the factor `g`. The new length is `l' = l (1 - w g)`:
//!
//! | formula | `w g` | new length `l'` | error `l' - r` | divisions | roots |
//! |---|---|---|---|--:|--:|
//! | [`Exact`] | `(l - r) / l` | `r` | 0 | 1 | 1 |
//! | [`Newton`] | `(l² - r²) / (l² + r²)` | `2 r² l / (l² + r²)` | `-r (l - r)² / (l² + r²)` | 1 | 0 |
//! | [`Halley`] | `2 (l² - r²) / (r² + 3 l²)` | `l (l² + 3 r²) / (r² + 3 l²)` | `(l - r)³ / (r² + 3 l²)` | 1 | 0 |
//! | [`Quick`] | `1 - r y`, `y ≈ 1 / l` | `r` (1 ± 5e-7) | ± 5e-7 `r` | 0 | 0 |
//!
//! Rounding to `f32` adds at most 3 ulp of the longer of `l` and `l'` (10 where `l² w` or
//! `r² w` is subnormal).
//!
//! # Derivations
//!
//! *Exact* projects the two ends onto the constraint `l = r` in proportion to their inverse
//! masses: Jakobsen, "Advanced Character Physics" (GDC 2001), and Müller et al., "Position
//! Based Dynamics" (2007), section 3.3.
//!
//! *Newton* replaces `l = sqrt(l²)` by one Newton step from the guess `r`:
//! `l ≈ (l² + r²) / (2 r)` (Jakobsen 2001, the square-root approximation). By the AM-GM inequality
//! the estimate is never below `l`, so `l'` is never above `r`. The error is of second order in
//! `l - r`, and it leaves the stick too short, whether `l` is above or below `r`. A stick with
//! `l = 3 r` ends at `0.6 r`; for `l → ∞`, `l' → 2 r² / l → 0`.
//!
//! *Halley* takes one step of Halley's rational iteration for the same root from the same
//! guess: `sqrt(l²) ≈ r (r² + 3 l²) / (l² + 3 r²)`. Inserted into `l' = l r / sqrt(l²)`, it gives
//! `l' - r = (l - r)³ / (r² + 3 l²)`. The error keeps the sign of `l - r`, so the formula never
//! overshoots; near rest the error is of third order in `l - r`, with a single division. Far from
//! rest, `l' → l / 3` for a long stick and `l' → 3 l` for a short one: the length changes by a factor
//! of 3 at most. *Halley* is the default.
//!
//! *Quick* is *Exact* written as `1 - r / l`, with `1 / l` from an integer seed and two
//! refinements `y (p - q l² y²)`. The seed and the coefficients minimize the largest relative
//! error over two octaves: 6.5e-4 after the first refinement, 3.2e-7 after the second, below 5e-7
//! with `f32` rounding. (Tuning the coefficients of Newton's iteration to the seed is from Kadlec,
//! "Improving the fast inverse square root", 2010, and Walczyk, Moroz and Cieśliński, "Improving
//! the accuracy of the fast inverse square root algorithm", arXiv:1802.06302, 2018.) With `1 / w`
//! stored, it needs no division and no root. It uses only integer shifts, multiplications and
//! subtractions, so the bits are the same on every machine.

use core::fmt;
use core::str::FromStr;

use crate::lane::Lane;

/// A formula for the factor `g` (see the [module](self)), written once for all lanes.
pub trait Factor: Copy + Default + Send + Sync + 'static {
    /// Which formula this is.
    const FORMULA: Formula;
    /// Whether the weight term needs a division: a kernel should then compute it once, when it
    /// makes the plan.
    const STORES_WEIGHT: bool;
    /// Whether `g` is infinite where `l²` is; in the other formulas it is NaN there.
    const MAY_BE_INFINITE: bool;

    /// The term that depends on the rest length: `r` or `r²`.
    fn rest_term<L: Lane>(rest: L) -> L;
    /// The term that depends on `w`, the sum of inverse masses from [`weight`](crate::weight): `w`,
    /// `w / 2` or `1 / w`. It is 0 for a `w` of 0, because [`relax`](crate::relax) compares the term
    /// with 0 to mask sticks between pinned particles.
    fn weight_term<L: Lane>(w: L) -> L;
    /// The factor `g`, from the squared length and the two terms above.
    fn factor<L: Lane>(l2: L, rest_term: L, weight_term: L) -> L;
}

/// The projection itself: one division and one square root.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

/// One Newton step for the root (Jakobsen); one division.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newton;

/// One Halley step for the root; one division, third order. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Halley;

/// The projection by a refined estimate of the reciprocal square root: no division, no root.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quick;

impl Factor for Exact {
    const FORMULA: Formula = Formula::Exact;
    const STORES_WEIGHT: bool = false;
    const MAY_BE_INFINITE: bool = false;

    #[inline(always)]
    fn rest_term<L: Lane>(rest: L) -> L {
        rest
    }
    #[inline(always)]
    fn weight_term<L: Lane>(w: L) -> L {
        w
    }
    #[inline(always)]
    fn factor<L: Lane>(l2: L, r: L, w: L) -> L {
        let l = l2.sqrt();
        (l - r) / (l * w)
    }
}

impl Factor for Newton {
    const FORMULA: Formula = Formula::Newton;
    const STORES_WEIGHT: bool = false;
    const MAY_BE_INFINITE: bool = false;

    #[inline(always)]
    fn rest_term<L: Lane>(rest: L) -> L {
        rest * rest
    }
    #[inline(always)]
    fn weight_term<L: Lane>(w: L) -> L {
        w
    }
    #[inline(always)]
    fn factor<L: Lane>(l2: L, r2: L, w: L) -> L {
        (l2 - r2) / ((l2 + r2) * w)
    }
}

impl Factor for Halley {
    const FORMULA: Formula = Formula::Halley;
    const STORES_WEIGHT: bool = false;
    const MAY_BE_INFINITE: bool = false;

    #[inline(always)]
    fn rest_term<L: Lane>(rest: L) -> L {
        rest * rest
    }
    #[inline(always)]
    fn weight_term<L: Lane>(w: L) -> L {
        w * w.constant(0.5) // moves the factor 2 into the divisor; halving is exact
    }
    #[inline(always)]
    fn factor<L: Lane>(l2: L, r2: L, half_w: L) -> L {
        (l2 - r2) / ((r2 + l2 * l2.constant(3.0)) * half_w)
    }
}

impl Factor for Quick {
    const FORMULA: Formula = Formula::Quick;
    const STORES_WEIGHT: bool = true;
    const MAY_BE_INFINITE: bool = true;

    #[inline(always)]
    fn rest_term<L: Lane>(rest: L) -> L {
        rest
    }
    #[inline(always)]
    fn weight_term<L: Lane>(w: L) -> L {
        let zero = w.constant(0.0);
        L::select(w.above(zero), w.constant(1.0) / w, zero)
    }
    #[inline(always)]
    fn factor<L: Lane>(l2: L, r: L, reciprocal_w: L) -> L {
        (l2.constant(1.0) - r * reciprocal_sqrt(l2)) * reciprocal_w
    }
}

/// `1 / sqrt(x)` for normal positive `x`, with a relative error below 5e-7. It uses no division and
/// no root. For the coefficients see *Quick* in the [module docs](self).
#[inline(always)]
pub fn reciprocal_sqrt<L: Lane>(x: L) -> L {
    let refine = |y: L, p: f64, q: f64| y * (x.constant(p) - x * x.constant(q) * y * y);
    let first = refine(x.reciprocal_sqrt_seed(), 1.189_119_816, 0.248_776_086_6);
    refine(first, 1.500_000_369_75, 0.500_000_052_88)
}

/// A formula as a run-time value.
///
/// ```
/// use taut_core::Formula;
///
/// assert_eq!("halley".parse(), Ok(Formula::Halley));
/// assert_eq!(Formula::default().to_string(), "halley");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Formula {
    /// [`Exact`].
    Exact,
    /// [`Newton`].
    Newton,
    /// [`Halley`].
    #[default]
    Halley,
    /// [`Quick`].
    Quick,
}

/// There is no formula of the given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such formula: choose exact, newton, halley or quick")]
pub struct UnknownFormula;

/// An operation, generic over the formula, for [`Formula::dispatch`].
pub trait WithFactor {
    /// The result of the operation.
    type Output;
    /// Runs the operation with the formula as a type.
    fn with<F: Factor>(self) -> Self::Output;
}

impl Formula {
    /// All formulas.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Newton, Self::Halley, Self::Quick];

    /// The name of the formula in tables and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Newton => "newton",
            Self::Halley => "halley",
            Self::Quick => "quick",
        }
    }

    /// [`Factor::STORES_WEIGHT`] of the formula.
    pub fn stores_weight(self) -> bool {
        struct StoresWeight;
        impl WithFactor for StoresWeight {
            type Output = bool;
            fn with<F: Factor>(self) -> bool {
                F::STORES_WEIGHT
            }
        }
        self.dispatch(StoresWeight)
    }

    /// [`Factor::rest_term`] of the formula.
    pub fn rest_term<L: Lane>(self, rest: L) -> L {
        struct RestTerm<L>(L);
        impl<L: Lane> WithFactor for RestTerm<L> {
            type Output = L;
            fn with<F: Factor>(self) -> L {
                F::rest_term(self.0)
            }
        }
        self.dispatch(RestTerm(rest))
    }

    /// [`Factor::weight_term`] of the formula.
    pub fn weight_term<L: Lane>(self, w: L) -> L {
        struct WeightTerm<L>(L);
        impl<L: Lane> WithFactor for WeightTerm<L> {
            type Output = L;
            fn with<F: Factor>(self) -> L {
                F::weight_term(self.0)
            }
        }
        self.dispatch(WeightTerm(w))
    }

    /// Runs `operation` with the formula as a type: one branch outside the loop and none inside.
    #[inline(always)]
    pub fn dispatch<W: WithFactor>(self, operation: W) -> W::Output {
        match self {
            Self::Exact => operation.with::<Exact>(),
            Self::Newton => operation.with::<Newton>(),
            Self::Halley => operation.with::<Halley>(),
            Self::Quick => operation.with::<Quick>(),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Formula {
    type Err = UnknownFormula;

    fn from_str(name: &str) -> Result<Self, UnknownFormula> {
        Self::ALL.into_iter().find(|formula| formula.name() == name).ok_or(UnknownFormula)
    }
}
