//! A list of near balls, which is kept until balls have moved too far (Verlet, "Computer Experiments
//! on Classical Fluids", 1967).

use super::clusters::Balls;
use super::near_rows::{Margin, NearRows, Pairings, Row};
use super::travel::{Displacements, Expected, Travel};

/// How many substeps at the present speed the margin of slow balls should last.
const SUBSTEPS: f32 = 4.0;
/// Least and greatest margin of slow balls, as multiples of the greatest thickness. If balls are too
/// fast for the greatest, the list takes account of their motion.
const MARGINS: [f32; 2] = [0.2, 1.0];

/// Largest number of substeps for which a list for fast balls is made.
const SUBSTEPS_AHEAD: f32 = 6.0;
/// It is made for as many substeps as the balls of a cluster take to move by so much relative to each
/// other, as a multiple of the greatest thickness. For more, it would have too many pairs.
const MOTION_AHEAD: f32 = 0.5;
/// How far two balls may then deviate from uniform motion relative to each other, as a multiple of
/// the greatest thickness.
const DEVIATION: f32 = 0.4;
/// A list for several substeps is worthwhile if it is used for so many. If collisions end one earlier,
const SUBSTEPS_LEAST: u32 = 3;
/// so many lists for one substep each follow.
const SINGLE_LISTS: u32 = 16;

/// The pairs of balls that may touch, and some more: what is done with those that do is the same
/// however old the list is.
#[derive(Clone, Debug)]
pub(crate) struct NearList<const D: usize> {
    near: NearRows<D>,
    /// The positions from which balls are expected to move, m.
    start: [Vec<f32>; D],
    /// Their expected displacements in a substep, m, if they are expected to move.
    motion: [Vec<f32>; D],
    validity: Option<Validity>,
    /// How many of the next lists for fast balls are for one substep each.
    single_lists: u32,
    /// How many lists have been made.
    made: u64,
}

/// How long a list is valid.
#[derive(Clone, Copy, Debug)]
struct Validity {
    /// How far two balls may be from where they are expected, relative to each other, m.
    margin: f32,
    /// Of a list for fast balls, which are expected to move uniformly.
    age: Option<Age>,
}

/// The number of substeps that a list for fast balls has been used, and the largest allowed.
#[derive(Clone, Copy, Debug)]
struct Age {
    substeps: u32,
    max: u32,
}

/// A list without pairs: while no two balls have moved by its margin relative to each other, none
/// touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmptyList<'a, const D: usize> {
    /// The number of the list.
    pub(crate) number: u64,
    /// Positions by axis and slot when it was made, m.
    pub(crate) made_at: &'a [Vec<f32>; D],
    /// m.
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
            made: 0,
        }
    }

    /// The list, if it is valid, without pairs, and of slow balls.
    pub(crate) fn empty(&self) -> Option<EmptyList<'_, D>> {
        match self.validity {
            Some(Validity { margin, age: None }) if self.near.rows().is_empty() => {
                Some(EmptyList { number: self.made, made_at: &self.start, margin })
            }
            _ => None,
        }
    }

    /// The rows for this substep.
    pub(crate) fn refreshed(&mut self, balls: &Balls<D>, pairings: &impl Pairings) -> &[Row] {
        let uniform = match &mut self.validity {
            Some(Validity { age: Some(age), .. }) => {
                age.substeps += 1;
                Some((slices(&self.motion), age.substeps as f32))
            }
            _ => None,
        };
        let expected = Expected { start: slices(&self.start), uniform };
        let mut displacements = Displacements::NONE;
        displacements.add(slices(&balls.position), slices(&balls.previous), expected);
        let Travel { in_substep, from_expected } = displacements.travel();
        let is_valid = self.validity.is_some_and(|Validity { margin, age }| {
            from_expected <= margin && age.is_none_or(|age| age.substeps <= age.max)
        });
        if !is_valid {
            self.make(balls, pairings, in_substep);
        }
        self.near.rows()
    }

    /// Makes a list for balls that move so far relative to each other in a substep, m.
    fn make(&mut self, balls: &Balls<D>, pairings: &impl Pairings, in_substep: f32) {
        let thickness = pairings.thickness();
        let [least, greatest] = MARGINS.map(|it| it * thickness);
        let lasting = SUBSTEPS * in_substep;
        let (margin, validity) = if lasting > greatest {
            for (start, previous) in self.start.iter_mut().zip(&balls.previous) {
                start.copy_from_slice(previous);
            }
            for axis in 0..D {
                let ends = balls.position[axis].iter().zip(&balls.previous[axis]);
                for (motion, (now, before)) in self.motion[axis].iter_mut().zip(ends) {
                    *motion = now - before;
                }
            }
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
            let margin = lasting.max(least);
            (Margin::Distance(margin), Validity { margin, age: None })
        };
        self.near.search(balls, pairings, margin);
        self.validity = Some(validity);
        self.made += 1;
    }
}
