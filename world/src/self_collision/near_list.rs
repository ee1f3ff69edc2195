//! A list of near balls, which is kept until balls have moved too far (Verlet, "Computer Experiments
//! on Classical Fluids", 1967).

use super::clusters::Balls;
use super::margin::Margin;
use super::near_rows::{NearRows, Pairings, Row};
use super::radii::Radii;
use super::travel::{DisplacementBounds, ExpectedMotion, Travel};
use super::workers::Workers;

/// For how many substeps at the current speed the margin of a list for slow balls should suffice.
const MARGIN_SUBSTEPS: f32 = 4.0;
/// Least and greatest margin of slow balls, as multiples of the greatest thickness. Balls that are too
/// fast for the greatest margin get a list that takes account of their motion.
const MARGIN_LIMITS: [f32; 2] = [0.2, 1.0];

/// Largest number of substeps for which a list for fast balls is built.
const SUBSTEPS_MAX: f32 = 6.0;
/// How far the balls of a cluster may move relative to each other, on average over the clusters, in the
/// substeps after this one for which a list for fast balls is built, as a multiple of the greatest
/// thickness. With more, the list would have too many pairs.
const MOTION_AHEAD_MAX: f32 = 0.5;
/// How far two balls may deviate from uniform motion relative to each other while a list for fast balls
/// is valid, as a multiple of the greatest thickness.
const DEVIATION_MAX: f32 = 0.4;
/// Mean radius of clusters below which a list for balls that move back and forth is built, as a
/// multiple of the greatest thickness. With larger radii, the list would have too many pairs.
const RADIUS_MEAN_MAX: f32 = 0.25;
/// The least number of substeps in which a list for several substeps must be used to be worthwhile.
const USED_SUBSTEPS_MIN: u32 = 3;
/// After a list that was not worthwhile: the number of lists for which its kind is not chosen again.
/// Lists for slow balls do not count.
const OTHER_LISTS: u32 = 16;

/// The pairs of balls that may touch, and some more. Which pairs touch, and how their contacts are
/// resolved, does not depend on the age of the list.
#[derive(Clone, Debug)]
pub(crate) struct NearList<const D: usize> {
    near: NearRows<D>,
    /// The positions of balls when the list was built, m; in a list for fast balls, those at the
    /// beginning of that substep.
    start: [Vec<f32>; D],
    /// In a list for fast balls, their expected displacements in a substep, m.
    motion: [Vec<f32>; D],
    radii: Radii,
    /// None before the first list.
    validity: Option<Validity>,
    /// For how many substeps the list has been used, this one included.
    substeps: u32,
    /// For how many of the next lists, without those for slow balls, [`Validity::Radii`] is not chosen.
    without_radii: u32,
    /// For how many of the next lists, without those for slow balls, [`Validity::Uniform`] is for one
    /// substep only.
    single_lists: u32,
    /// How many lists have been built.
    built: u64,
}

/// How long a list is valid.
#[derive(Clone, Copy, Debug)]
enum Validity {
    /// While no two balls have moved by more than this distance, m, relative to each other: for slow
    /// balls.
    Distance(f32),
    /// For at most `substeps` substeps, while no two balls deviate by more than `deviation`, m, from
    /// uniform motion relative to each other: for fast balls.
    Uniform { substeps: u32, deviation: f32 },
    /// While no ball is farther from its position when the list was built than the radius of its
    /// cluster: for balls of which some move back and forth, as in a heap.
    Radii,
}

/// A list without pairs: while no two balls have moved by more than its margin relative to each other,
/// none touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmptyList<'a, const D: usize> {
    /// Identifies the list: how many lists were built up to this one.
    pub(crate) number: u64,
    /// Positions by axis and slot when it was built, m.
    pub(crate) positions: &'a [Vec<f32>; D],
    /// How far two balls may have moved relative to each other, m.
    pub(crate) margin: f32,
}

/// The columns as slices.
fn slices<const D: usize>(columns: &[Vec<f32>; D]) -> [&[f32]; D] {
    columns.each_ref().map(Vec::as_slice)
}

impl<const D: usize> NearList<D> {
    /// No list yet.
    pub(crate) fn new(balls: &Balls<D>) -> Self {
        Self {
            near: NearRows::new(balls),
            start: balls.position.clone(),
            motion: balls.position.clone(),
            radii: Radii::with_capacity(balls.models.len()),
            validity: None,
            substeps: 0,
            without_radii: 0,
            single_lists: 0,
            built: 0,
        }
    }

    /// The list, if it is for slow balls and has no pairs.
    pub(crate) fn empty(&self) -> Option<EmptyList<'_, D>> {
        match self.validity {
            Some(Validity::Distance(margin)) if self.near.is_empty() => {
                Some(EmptyList { number: self.built, positions: &self.start, margin })
            }
            _ => None,
        }
    }

    /// Returns the rows for this substep, by part. Builds a new list if the old one is no longer valid.
    pub(crate) fn refreshed(
        &mut self,
        balls: &Balls<D>,
        pairings: &impl Pairings,
        workers: &mut Workers<'_>,
    ) -> &[Vec<Row>] {
        self.substeps = self.substeps.saturating_add(1);
        let is_within_radii = matches!(self.validity, Some(Validity::Radii))
            && self.radii.contain(balls, &self.start);
        if is_within_radii {
            return self.near.parts();
        }
        let uniform = matches!(self.validity, Some(Validity::Uniform { .. }))
            .then(|| (slices(&self.motion), self.substeps as f32));
        let expected = ExpectedMotion { start: slices(&self.start), uniform };
        let mut displacements = DisplacementBounds::NONE;
        displacements.add(slices(&balls.position), slices(&balls.previous), expected);
        let Travel { in_substep, from_expected } = displacements.travel();
        let is_valid = match self.validity {
            Some(Validity::Distance(margin)) => from_expected <= margin,
            Some(Validity::Uniform { substeps, deviation }) => {
                self.substeps <= substeps && from_expected <= deviation
            }
            Some(Validity::Radii) | None => false,
        };
        if !is_valid {
            self.build(balls, pairings, in_substep, workers);
        }
        self.near.parts()
    }

    /// Builds a list; `in_substep` bounds the displacements relative to each other in this substep, m.
    fn build(
        &mut self,
        balls: &Balls<D>,
        pairings: &impl Pairings,
        in_substep: f32,
        workers: &mut Workers<'_>,
    ) {
        let old = self.validity.take(); // None until the list is complete: a thread may panic
        let thickness = pairings.thickness();
        let [least, greatest] = MARGIN_LIMITS.map(|it| it * thickness);
        let wanted_margin = MARGIN_SUBSTEPS * in_substep;
        let validity = if wanted_margin > greatest {
            self.validity_for_fast_balls(old, balls, thickness)
        } else {
            Validity::Distance(wanted_margin.max(least))
        };
        let margin = match validity {
            Validity::Distance(margin) => Margin::Distance(margin),
            Validity::Uniform { substeps, deviation } => Margin::Uniform { substeps, deviation },
            Validity::Radii => Margin::Radii(self.radii.by_cluster()),
        };
        let is_uniform = matches!(validity, Validity::Uniform { .. });
        for axis in 0..D {
            let (position, previous) = (&balls.position[axis], &balls.previous[axis]);
            let from = if is_uniform { previous } else { position };
            // Displacements of NaN are ignored. With a start of NaN, the displacement of a ball that
            // becomes finite again would be NaN, too, and the list would stay valid.
            for (start, &x) in self.start[axis].iter_mut().zip(from) {
                *start = if x.is_nan() { f32::MAX } else { x };
            }
            if is_uniform {
                let ends = position.iter().zip(previous);
                for (motion, (now, before)) in self.motion[axis].iter_mut().zip(ends) {
                    let displacement = now - before;
                    *motion = if displacement.is_nan() { 0.0 } else { displacement };
                }
            }
        }
        self.near.search(balls, pairings, margin, workers);
        self.validity = Some(validity);
        self.substeps = 1;
        self.built += 1;
    }

    /// Chooses the kind of a new list for balls of which some are fast; `old` is that of the old list.
    fn validity_for_fast_balls(
        &mut self,
        old: Option<Validity>,
        balls: &Balls<D>,
        thickness: f32,
    ) -> Validity {
        // `substeps` includes this substep, in which the old list is not used.
        if self.substeps <= USED_SUBSTEPS_MIN {
            match old {
                Some(Validity::Radii) => self.without_radii = OTHER_LISTS,
                Some(Validity::Uniform { substeps: 2.., .. }) => self.single_lists = OTHER_LISTS,
                _ => {}
            }
        }
        let (may_have_radii, is_single) = (self.without_radii == 0, self.single_lists > 0);
        self.without_radii = self.without_radii.saturating_sub(1);
        self.single_lists = self.single_lists.saturating_sub(1);
        let motions = self.near.measure_motions(balls);
        let radius_max = RADIUS_MEAN_MAX * thickness;
        if may_have_radii && self.radii.fit(motions, thickness) < radius_max {
            return Validity::Radii;
        }
        if is_single {
            return Validity::Uniform { substeps: 1, deviation: 0.0 };
        }
        let ahead = MOTION_AHEAD_MAX * thickness / motions.local();
        #[allow(clippy::cast_sign_loss, reason = "not negative")]
        let substeps = 1 + ahead.min(SUBSTEPS_MAX - 1.0) as u32;
        let deviation = if substeps > 1 { DEVIATION_MAX * thickness } else { 0.0 };
        Validity::Uniform { substeps, deviation }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clusters::CLUSTER;
    use super::super::near_rows::Pairing;
    use super::super::rest_exclusions::ExcludedPairs;
    use super::*;

    /// Balls with a diameter of 1 m.
    struct Unit(ExcludedPairs);

    impl Pairings for Unit {
        fn of(&self, _: [u32; 2]) -> Option<Pairing> {
            Some(Pairing { thickness: 1.0, friction: 0.0 })
        }
        fn thickness(&self) -> f32 {
            1.0
        }
        fn excluded(&self) -> &ExcludedPairs {
            &self.0
        }
    }

    #[test]
    fn a_list_ends_if_a_ball_that_was_nan_is_finite_again() {
        let mut balls = Balls::<2>::new([1, 1].into_iter());
        let pairings = Unit(ExcludedPairs::new(2, [].into_iter()));
        let mut found = |list: &mut NearList<2>, x: f32, dx: f32| {
            for axis in 0..2 {
                balls.position[axis][..CLUSTER].fill(x);
                balls.previous[axis][..CLUSTER].fill(x - dx);
            }
            let parts = list.refreshed(&balls, &pairings, &mut Workers::caller());
            parts.iter().map(Vec::len).sum::<usize>()
        };
        for dx in [0.0, 0.01, 0.2, 5.0] {
            let mut list = NearList::new(&Balls::new([1, 1].into_iter()));
            assert_eq!(found(&mut list, f32::NAN, dx), 0);
            assert_eq!(found(&mut list, 0.5, dx), 1, "displacement {dx}");
        }
    }
}
