//! Narrow phase and response of contacts between balls.

use super::clusters::{Balls, CLUSTER, PART};
use super::near_rows::{Pairing, Pairings, Row};
use super::touching::TouchingRows;
use super::workers::{Workers, by_part, share_unused};
use crate::surface::stopped_slip;
use crate::vector::{add_scaled, difference, dot, length, scaled, sum};

/// Two balls that touch in this substep.
#[derive(Clone, Copy, Debug)]
struct BallContact<const D: usize> {
    /// Their slots.
    balls: [u32; 2],
    /// From the second ball to the first, of length 1.
    normal: [f32; D],
    /// How far the balls have to move apart along the normal, m.
    depth: f32,
    /// Displacement of the first relative to the second in this substep, m.
    relative: [f32; D],
    /// The fraction of the correction by which each ball moves: negative for the second.
    fractions: [f32; 2],
    /// Coulomb's μ.
    friction: f32,
    /// How far the contact may move the balls apart in a pass, in addition to their approach, m.
    separation_max: f32,
}

impl<const D: usize> BallContact<D> {
    const NONE: Self = Self {
        balls: [0; 2],
        normal: [0.0; D],
        depth: 0.0,
        relative: [0.0; D],
        fractions: [0.0; 2],
        friction: 0.0,
        separation_max: 0.0,
    };
}

/// What the contacts of a ball have added to its position and previous position, m.
#[derive(Clone, Copy, Debug)]
struct Correction<const D: usize> {
    /// Added to the position.
    x: [f32; D],
    /// Added to the previous position.
    previous: [f32; D],
}

impl<const D: usize> Correction<D> {
    const NONE: Self = Self { x: [0.0; D], previous: [0.0; D] };
}

/// Resolves contacts: finds all contacts of a pass from the positions at its start, then resolves
/// them one after the other (Gauss-Seidel), sorted by colour. Contacts of one colour have no movable
/// ball in common, so that a CPU executes the code for several of them at a time.
///
/// (Tried: all at once with mass splitting (Jacobi), as in Tonge, Benevolenski, Voroshilov, "Mass
/// Splitting for Jitter-Free Parallel Rigid Body Simulation", 2012: with a thickness of 0.8 of the
/// spacing, five sheets that land on a ball then have 700 to 1,100 crossings instead of 50 to 270.
/// Also tried: three iterations over the contacts of a pass. The sheets then have 400 to 800 crossings
/// where one iteration leaves none at rest.)
#[derive(Clone, Debug)]
pub(crate) struct ContactSolver<const D: usize> {
    parts: Vec<PartContacts<D>>,
    /// The contacts of this pass in the order in which they are resolved: by colour. Further entries
    /// are unused.
    sorted: Vec<BallContact<D>>,
    /// The colours of the contacts of all parts.
    colours: Vec<u8>,
    /// By slot: the colours of its contacts, as bits; 0 between calls.
    used: Vec<u64>,
    /// By slot: its correction; 0 between calls.
    corrections: Vec<Correction<D>>,
    /// The slots that contacts move: the first `movable_count` entries. Further entries are unused.
    movable: Vec<u32>,
    movable_count: usize,
}

/// The contacts of the clusters of a part.
#[derive(Clone, Debug)]
struct PartContacts<const D: usize> {
    /// The pairs of balls that touch.
    touching: TouchingRows,
    contacts: Vec<BallContact<D>>,
}

/// Number of contacts per ball for which memory is reserved.
const CONTACTS_RESERVED: usize = 6;
/// Largest number of contacts, as a multiple of the number of slots. Only a heap of balls
/// in one place has more.
const CONTACTS_MAX: usize = 64;

/// Number of colours. A contact for which no colour is free gets the last one.
const COLOURS: usize = 64;

/// How far a contact may move two balls apart in a pass, in addition to their approach, as a multiple
/// of their thickness: so balls that overlap deeply separate over several passes.
const SEPARATION_MAX: f32 = 0.2;

/// The direction of a vector of a given length; the second axis if the length is 0.
fn direction<const D: usize>(a: [f32; D], length: f32) -> [f32; D] {
    if length > f32::MIN_POSITIVE {
        scaled(a, 1.0 / length)
    } else {
        core::array::from_fn(|axis| if axis == 1 { 1.0 } else { 0.0 })
    }
}

/// The normal and the depth of the contact of two balls; None if they do not touch. The centre of
/// the first, relative to that of the second, was at `start` at the beginning of the substep and is
/// at `end` now.
#[inline]
pub(crate) fn swept_contact<const D: usize>(
    start: [f32; D],
    end: [f32; D],
    thickness: f32,
) -> Option<([f32; D], f32)> {
    let thickness2 = thickness * thickness;
    let end2 = dot(end, end);
    if end2 < thickness2 && dot(start, end) > 0.0 {
        // They overlap and have not passed each other.
        let distance = end2.sqrt();
        return Some((direction(end, distance), thickness - distance));
    }
    // Otherwise, their offset when they met gives the normal. They met at the beginning, if they were
    // nearer than the thickness then, or else at the fraction of the substep at which
    // |start + fraction path| = thickness.
    let path = difference(end, start);
    let (path2, along, start2) = (dot(path, path), dot(start, path), dot(start, start));
    let met = if start2 < thickness2 {
        start
    } else {
        let discriminant = along * along - path2 * (start2 - thickness2);
        let approaches = along < 0.0 && discriminant > 0.0;
        // 2: the balls do not meet in this substep.
        let fraction = if approaches { (-along - discriminant.sqrt()) / path2 } else { 2.0 };
        if fraction > 1.0 {
            return None;
        }
        add_scaled(start, fraction, path)
    };
    let normal = direction(met, length(met));
    let depth = thickness - dot(end, normal);
    (depth > 0.0).then_some((normal, depth))
}

impl<const D: usize> ContactSolver<D> {
    /// With memory for a number of clusters and the usual number of contacts.
    pub(crate) fn new(clusters: usize) -> Self {
        let slots = CLUSTER * clusters;
        let reserved = CONTACTS_RESERVED * CLUSTER * PART.min(clusters);
        let part = || PartContacts {
            touching: TouchingRows::with_capacity(reserved),
            contacts: Vec::with_capacity(reserved),
        };
        Self {
            parts: by_part(clusters, part),
            sorted: Vec::with_capacity(CONTACTS_RESERVED * slots),
            colours: Vec::with_capacity(CONTACTS_RESERVED * slots),
            used: vec![0; slots],
            corrections: vec![Correction::NONE; slots],
            movable: vec![0; slots + 1],
            movable_count: 0,
        }
    }

    /// Resolves the contacts among near balls, given by part, and returns the slots of the balls that
    /// contacts may have moved.
    pub(crate) fn resolve(
        &mut self,
        balls: &mut Balls<D>,
        near: &[Vec<Row>],
        pairings: &impl Pairings,
        workers: &mut Workers<'_>,
    ) -> &[u32] {
        let limit = CONTACTS_MAX * CLUSTER * PART;
        workers.for_each(&mut self.parts, |index, part| {
            part.touching.find(balls, &near[index], pairings);
            part.find(balls, pairings, limit);
        });
        let count = |part: &PartContacts<D>| part.contacts.len();
        share_unused(&mut self.parts, limit, count, |_, part, limit| {
            part.find(balls, pairings, limit);
        });
        let count = self.sort_by_colour();
        for contact in &self.sorted[..count] {
            let [one, other] = contact.balls.map(|slot| slot as usize);
            let [correction, other_correction] = [one, other].map(|slot| self.corrections[slot]);
            let moved = difference(correction.x, other_correction.x);
            let normal = contact.normal;
            let depth = contact.depth - dot(moved, normal);
            if depth <= 0.0 {
                continue; // resolved by other contacts
            }
            let previous_moved = difference(correction.previous, other_correction.previous);
            let relative = sum(contact.relative, difference(moved, previous_moved));
            let outgoing = dot(relative, normal);
            let incoming = if outgoing < 0.0 { -outgoing } else { 0.0 };
            let slip = stopped_slip(relative, normal, outgoing, contact.friction * incoming);
            let largest = incoming + contact.separation_max;
            let separation = if depth < largest { depth } else { largest };
            let x = difference(scaled(normal, separation), slip);
            // As at obstacles, the separation adds no velocity, and the approach velocity becomes 0.
            let previous = scaled(normal, separation - incoming);
            for (slot, fraction) in [one, other].into_iter().zip(contact.fractions) {
                let correction = &mut self.corrections[slot];
                correction.x = add_scaled(correction.x, fraction, x);
                correction.previous = add_scaled(correction.previous, fraction, previous);
            }
        }
        let movable = &self.movable[..self.movable_count];
        for &slot in movable {
            let slot = slot as usize;
            let correction = core::mem::replace(&mut self.corrections[slot], Correction::NONE);
            for axis in 0..D {
                balls.position[axis][slot] += correction.x[axis];
                balls.previous[axis][slot] += correction.previous[axis];
            }
        }
        movable
    }

    /// Sorts the contacts of all parts by colour. Each contact has the first colour that is free at both
    /// balls, so contacts of one colour have no movable ball in common, except for the last colour.
    /// Returns the number of contacts.
    fn sort_by_colour(&mut self) -> usize {
        let Self { parts, sorted, colours, used, movable, .. } = self;
        let mut movable_count = 0;
        // For a counting sort: the index in `sorted` at which the contacts of each colour begin.
        let mut first = [0_u32; COLOURS + 1];
        colours.clear();
        for contact in parts.iter().flat_map(|part| &part.contacts) {
            let [one, other] = contact.balls.map(|slot| slot as usize);
            let colour = (!(used[one] | used[other])).trailing_zeros().min(COLOURS as u32 - 1);
            // Two contacts may have a colour in common if they share only a ball that does not move.
            for (slot, fraction) in contact.balls.into_iter().zip(contact.fractions) {
                if fraction != 0.0 {
                    let used = &mut used[slot as usize];
                    // No branch, which a CPU would often mispredict: about half of the slots are new.
                    movable[movable_count] = slot;
                    movable_count += usize::from(*used == 0);
                    *used |= 1 << colour;
                }
            }
            colours.push(colour as u8);
            first[colour as usize + 1] += 1;
        }
        for colour in 1..COLOURS {
            first[colour] += first[colour - 1];
        }
        if sorted.len() < colours.len() {
            sorted.resize(colours.len(), BallContact::NONE);
        }
        let contacts = parts.iter().flat_map(|part| &part.contacts);
        for (&contact, &colour) in contacts.zip(&*colours) {
            let next = &mut first[usize::from(colour)];
            sorted[*next as usize] = contact;
            *next += 1;
        }
        for &slot in &movable[..movable_count] {
            used[slot as usize] = 0;
        }
        self.movable_count = movable_count;
        colours.len()
    }
}

impl<const D: usize> PartContacts<D> {
    /// Finds the contacts, in the order of the rows; at most `limit` of them.
    fn find(&mut self, balls: &Balls<D>, pairings: &impl Pairings, limit: usize) {
        let Self { touching, contacts } = self;
        contacts.clear();
        for row in touching.rows() {
            let Some(pairing) = pairings.of(row.models(balls)) else { continue };
            let Pairing { thickness, friction } = pairing;
            for pair in row.pairs() {
                let [x, other_x] = pair.map(|slot| balls.position(slot));
                let [moved, other_moved] = pair.map(|slot| balls.displacement(slot));
                let end = difference(x, other_x);
                let relative = difference(moved, other_moved);
                let Some((normal, depth)) =
                    swept_contact(difference(end, relative), end, thickness)
                else {
                    continue;
                };
                let [w, other_w] = pair.map(|slot| balls.inverse_mass[slot]);
                let total = w + other_w;
                if total > 0.0 && contacts.len() < limit {
                    contacts.push(BallContact {
                        balls: pair.map(|slot| slot as u32),
                        normal,
                        depth,
                        relative,
                        fractions: [w / total, -(other_w / total)],
                        friction,
                        separation_max: SEPARATION_MAX * thickness,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::clusters::CLUSTER;
    use super::super::margin::Margin;
    use super::super::near_rows::NearRows;
    use super::super::rest_exclusions::ExcludedPairs;
    use super::{Balls, ContactSolver, Pairing, Pairings, SEPARATION_MAX, Workers, swept_contact};
    use crate::vector::{add_scaled, difference, length};

    proptest! {
        #[test]
        fn swept_balls_touch_if_their_paths_come_near(
            start in prop::array::uniform3(-2.0..2.0_f32),
            end in prop::array::uniform3(-2.0..2.0_f32),
        ) {
            let path = difference(end, start);
            let least_distance = (0..=1000)
                .map(|nth| length(add_scaled(start, nth as f32 / 1000.0, path)))
                .fold(f32::INFINITY, f32::min);
            match swept_contact(start, end, 1.0) {
                Some((normal, depth)) => {
                    prop_assert!(least_distance < 1.0 + 1e-4);
                    prop_assert!((length(normal) - 1.0).abs() < 1e-5);
                    // After the correction they are apart.
                    let resolved = add_scaled(end, depth, normal);
                    prop_assert!(length(resolved) > 1.0 - 1e-4);
                }
                // Balls that are apart at the end, on the side where they met, need no correction.
                None => {
                    prop_assert!(least_distance > 1.0 - 1e-4 || length(end) > 1.0 - 1e-4);
                }
            }
        }
    }

    /// A ball with a diameter of 1 m.
    #[derive(Clone, Copy, Debug)]
    struct Ball {
        x: [f32; 3],
        previous: [f32; 3],
        inverse_mass: f32,
    }

    /// `velocity` is in m per substep.
    fn ball(x: [f32; 3], velocity: [f32; 3], inverse_mass: f32) -> Ball {
        Ball { x, previous: difference(x, velocity), inverse_mass }
    }

    struct AllCollide {
        friction: f32,
        excluded: ExcludedPairs,
    }

    impl Pairings for AllCollide {
        fn of(&self, _: [u32; 2]) -> Option<Pairing> {
            Some(Pairing { thickness: 1.0, friction: self.friction })
        }
        fn thickness(&self) -> f32 {
            1.0
        }
        fn excluded(&self) -> &ExcludedPairs {
            &self.excluded
        }
    }

    /// The balls after their contacts are resolved once.
    fn resolved(mut all: Vec<Ball>, friction: f32) -> Vec<Ball> {
        let mut balls = Balls::<3>::new([all.len()].into_iter());
        for slot in 0..CLUSTER {
            let ball = all[slot.min(all.len() - 1)]; // padding repeats the last ball
            for axis in 0..3 {
                balls.position[axis][slot] = ball.x[axis];
                balls.previous[axis][slot] = ball.previous[axis];
            }
            balls.inverse_mass[slot] = ball.inverse_mass;
        }
        let pairings = AllCollide { friction, excluded: ExcludedPairs::new(1, [].into_iter()) };
        let mut near = NearRows::new(&balls);
        let workers = &mut Workers::caller();
        near.measure_motions(&balls);
        near.search(&balls, &pairings, Margin::Uniform { substeps: 1, deviation: 0.0 }, workers);
        let mut solver = ContactSolver::new(balls.models.len());
        solver.resolve(&mut balls, near.parts(), &pairings, workers);
        for (slot, ball) in all.iter_mut().enumerate() {
            ball.x = balls.position(slot);
            ball.previous = difference(ball.x, balls.displacement(slot));
        }
        all
    }

    #[test]
    fn contacts_conserve_momentum_with_different_masses_and_several_contacts_per_ball() {
        let balls = vec![
            ball([0.0, 0.0, 0.0], [0.1, 0.0, 0.0], 1.0),
            ball([0.5, 0.2, 0.0], [-0.3, 0.1, 0.0], 2.0),
            ball([0.2, 0.6, 0.1], [0.0, -0.2, 0.3], 0.5),
            ball([0.3, -0.7, 0.1], [0.0, 0.2, 0.0], 4.0),
        ];
        let momentum = |balls: &[Ball]| {
            balls.iter().fold([0.0; 3], |momentum, ball: &Ball| {
                let moved = difference(ball.x, ball.previous);
                add_scaled(momentum, 1.0 / ball.inverse_mass, moved)
            })
        };
        let after = resolved(balls.clone(), 0.5);
        assert!(length(difference(momentum(&after), momentum(&balls))) < 1e-6);
        let moved = |(after, before): (&Ball, &Ball)| length(difference(after.x, before.x));
        assert!(after.iter().zip(&balls).all(|both| moved(both) > 0.01));
    }

    #[test]
    fn a_contact_stops_the_approach_and_limits_friction() {
        let above = ball([0.0, 0.9, 0.0], [0.3, -0.2, 0.0], 1.0);
        let pinned = ball([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0);
        let [after, pinned_after] = resolved(vec![above, pinned], 0.5)[..] else { panic!() };
        assert_eq!(pinned_after.x.map(f32::to_bits), [0; 3]);
        let velocity = difference(after.x, after.previous);
        // μ times the lost approach of 0.2 m is 0.1 m.
        assert!(length(difference(velocity, [0.2, 0.0, 0.0])) < 1e-6, "{velocity:?}");
        assert!((after.x[1] - 1.0).abs() < 1e-6);
        // A ball that already moves away keeps its velocity.
        let leaving = ball([0.0, 0.9, 0.0], [0.3, 0.05, 0.0], 1.0);
        let [after, _] = resolved(vec![leaving, pinned], 0.5)[..] else { panic!() };
        let velocity = difference(after.x, after.previous);
        assert!(length(difference(velocity, [0.3, 0.05, 0.0])) < 1e-6, "{velocity:?}");
    }

    #[test]
    fn a_ball_that_passed_another_is_put_back() {
        let fast = ball([0.1, -3.0, 0.0], [0.0, -6.0, 0.0], 1.0);
        let pinned = ball([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0);
        let [after, _] = resolved(vec![fast, pinned], 0.0)[..] else { panic!() };
        assert!(after.x[1] > 0.9, "{:?}", after.x);
        // Balls at the same point separate along the second axis.
        let coincident = resolved(vec![ball([0.0; 3], [0.0; 3], 1.0), pinned], 0.0);
        assert_eq!(coincident[0].x.map(f32::to_bits), [0.0, SEPARATION_MAX, 0.0].map(f32::to_bits));
    }
}
