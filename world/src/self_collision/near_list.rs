//! A list of near balls, which is kept until balls have moved too far (Verlet, "Computer Experiments
//! on Classical Fluids", 1967).

use super::clusters::Balls;
use super::near_rows::{Margin, NearRows, Pairings, Row};
use super::travel::{DisplacementBounds, ExpectedMotion, Travel};
use super::workers::Workers;

/// How many substeps at the present speed the margin of slow balls should last.
const SUBSTEPS: f32 = 4.0;
/// Least and greatest margin of slow balls, as multiples of the greatest thickness. Balls that are too
/// fast for the greatest margin get a list that takes account of their motion.
const MARGINS: [f32; 2] = [0.2, 1.0];

/// Largest number of substeps for which a list for fast balls is built.
const SUBSTEPS_AHEAD: f32 = 6.0;
/// How far the balls of a cluster may move relative to each other in the substeps for which a list for
/// fast balls is built, as a multiple of the greatest thickness. With more, it would have too many pairs.
const MOTION_AHEAD: f32 = 0.5;
/// How far two balls may deviate from uniform motion relative to each other while such a list is valid,
/// as a multiple of the greatest thickness.
const DEVIATION: f32 = 0.4;
/// Least number of substeps for which a list for several substeps must be used to be worthwhile.
const SUBSTEPS_LEAST: u32 = 3;
/// Number of lists for one substep each that are built after a list that was not worthwhile.
const SINGLE_LISTS: u32 = 16;

/// The pairs of balls that may touch, and some more. Which pairs touch, and how their contacts are
/// resolved, does not depend on the age of the list.
#[derive(Clone, Debug)]
pub(crate) struct NearList<const D: usize> {
    near: NearRows<D>,
    /// The positions from which balls are expected to move, m.
    start: [Vec<f32>; D],
    /// In a list for fast balls, their expected displacements in a substep, m.
    motion: [Vec<f32>; D],
    /// None before the first list.
    validity: Option<Validity>,
    /// How many of the next lists for fast balls are for one substep each.
    single_lists: u32,
    /// How many lists have been built.
    built: u64,
}

/// How long a list is valid.
#[derive(Clone, Copy, Debug)]
struct Validity {
    /// How far the offset of two balls may be from the expected one, m.
    margin: f32,
    /// The age of a list for fast balls, which are expected to move uniformly; None for slow balls.
    age: Option<Age>,
}

/// For how many substeps, including this one, a list for fast balls has been used, and the largest
/// number allowed.
#[derive(Clone, Copy, Debug)]
struct Age {
    substeps: u32,
    max: u32,
}

/// A list without pairs: while no two balls have moved by its margin relative to each other, none
/// touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmptyList<'a, const D: usize> {
    /// How many lists had been built, this one included; identifies the list.
    pub(crate) number: u64,
    /// Positions by axis and slot when it was built, m.
    pub(crate) positions: &'a [Vec<f32>; D],
    /// How far two balls may have moved relative to each other, m.
    pub(crate) margin: f32,
}

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
            validity: None,
            single_lists: 0,
            built: 0,
        }
    }

    /// The list, if it is for slow balls and has no pairs.
    pub(crate) fn empty(&self) -> Option<EmptyList<'_, D>> {
        match self.validity {
            Some(Validity { margin, age: None }) if self.near.is_empty() => {
                Some(EmptyList { number: self.built, positions: &self.start, margin })
            }
            _ => None,
        }
    }

    /// The rows for this substep, by part.
    pub(crate) fn refreshed(
        &mut self,
        balls: &Balls<D>,
        pairings: &impl Pairings,
        workers: &mut Workers<'_>,
    ) -> &[Vec<Row>] {
        let uniform = match &mut self.validity {
            Some(Validity { age: Some(age), .. }) => {
                age.substeps += 1;
                Some((slices(&self.motion), age.substeps as f32))
            }
            _ => None,
        };
        let expected = ExpectedMotion { start: slices(&self.start), uniform };
        let mut displacements = DisplacementBounds::NONE;
        displacements.add(slices(&balls.position), slices(&balls.previous), expected);
        let Travel { in_substep, from_expected } = displacements.travel();
        let is_valid = self.validity.is_some_and(|Validity { margin, age }| {
            from_expected <= margin && age.is_none_or(|age| age.substeps <= age.max)
        });
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
        let thickness = pairings.thickness();
        let [least, greatest] = MARGINS.map(|it| it * thickness);
        let wanted_margin = SUBSTEPS * in_substep;
        let (margin, validity) = if wanted_margin > greatest {
            for (start, previous) in self.start.iter_mut().zip(&balls.previous) {
                start.copy_from_slice(previous);
            }
            for axis in 0..D {
                let ends = balls.position[axis].iter().zip(&balls.previous[axis]);
                for (motion, (now, before)) in self.motion[axis].iter_mut().zip(ends) {
                    *motion = now - before;
                }
            }
            // `substeps` includes this substep, in which the old list is not used.
            if let Some(Age { substeps, max }) = self.validity.and_then(|it| it.age)
                && max > 1
                && substeps <= SUBSTEPS_LEAST
            {
                self.single_lists = SINGLE_LISTS;
            }
            let ahead = if self.single_lists > 0 {
                self.single_lists -= 1;
                0.0
            } else {
                MOTION_AHEAD * thickness / self.near.local_motion(balls)
            };
            #[allow(clippy::cast_sign_loss, reason = "not negative")]
            let substeps = 1 + ahead.min(SUBSTEPS_AHEAD - 1.0) as u32;
            let deviation = if substeps > 1 { DEVIATION * thickness } else { 0.0 };
            let age = Some(Age { substeps: 1, max: substeps });
            let validity = Validity { margin: deviation, age };
            (Margin::Uniform { substeps, deviation }, validity)
        } else {
            for (start, position) in self.start.iter_mut().zip(&balls.position) {
                start.copy_from_slice(position);
            }
            let margin = wanted_margin.max(least);
            (Margin::Distance(margin), Validity { margin, age: None })
        };
        self.near.search(balls, pairings, margin, workers);
        self.validity = Some(validity);
        self.built += 1;
    }
}
