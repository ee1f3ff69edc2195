//! Narrow phase and response of contacts between balls.

use super::cells::PairList;
use crate::surface::stopped_slip;
use crate::vector::{add_scaled, difference, dot, length, scaled, sum};

/// A particle that collides with others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<const D: usize> {
    /// Position, m.
    pub(crate) x: [f32; D],
    /// Previous position, m.
    pub(crate) previous: [f32; D],
    /// 1/kg.
    pub(crate) inverse_mass: f32,
    /// Its diameter, m.
    pub(crate) thickness: f32,
}

/// Two balls that touch in this substep.
#[derive(Clone, Copy, Debug)]
struct Contact<const D: usize> {
    balls: [u32; 2],
    /// From the second ball to the first, of length 1.
    normal: [f32; D],
    /// How far they have to move apart along the normal, m.
    depth: f32,
    /// Displacement of the first relative to the second in this substep, m.
    relative: [f32; D],
}

/// What the contacts of a ball have added to its position and previous position, m.
#[derive(Clone, Copy, Debug)]
struct Change<const D: usize> {
    x: [f32; D],
    previous: [f32; D],
}

/// Resolves contacts: it finds all contacts of a pass from the positions before, then resolves them
/// one after the other (Gauss-Seidel), in the order of the list of pairs.
///
/// (Tried: all at once, each ball divided into equal parts for its contacts, as in Tonge,
/// Benevolenski, Voroshilov, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation", 2012.
/// Five sheets that land on a ball then have some ten times as many crossings. With repeated contacts
/// in a pass they have hundreds, without them none.)
#[derive(Clone, Debug)]
pub(crate) struct ContactSolver<const D: usize> {
    contacts: Vec<Contact<D>>,
    /// By ball; 0 between calls.
    changes: Vec<Change<D>>,
    /// Which balls have contacts; false between calls.
    is_touched: Vec<bool>,
    /// The balls that have contacts.
    touched: Vec<u32>,
}

/// Number of contacts per ball for which memory is reserved.
const CONTACTS: usize = 6;

/// How far a contact may push two balls apart in a substep, in addition to their approach, as a
/// multiple of their thickness: two that overlap part smoothly.
const PUSH_MAX: f32 = 0.2;

/// The direction of a vector; the second axis if the vector has no length.
fn direction<const D: usize>(a: [f32; D], length: f32) -> [f32; D] {
    if length > f32::MIN_POSITIVE {
        scaled(a, 1.0 / length)
    } else {
        core::array::from_fn(|axis| if axis == 1 { 1.0 } else { 0.0 })
    }
}

/// The normal and the depth of the contact of two balls whose centres were at `start` relative to
/// each other at the beginning of the substep and are at `end` now; None if they do not touch.
#[inline]
pub(crate) fn swept<const D: usize>(
    start: [f32; D],
    end: [f32; D],
    thickness: f32,
) -> Option<([f32; D], f32)> {
    let reach2 = thickness * thickness;
    let end2 = dot(end, end);
    if end2 < reach2 && dot(start, end) > 0.0 {
        let distance = end2.sqrt();
        return Some((direction(end, distance), thickness - distance));
    }
    // They were or came nearer than the thickness in between. Where they met first decides the side:
    // |start + fraction path| = thickness.
    let path = difference(end, start);
    let (path2, along, start2) = (dot(path, path), dot(start, path), dot(start, start));
    let met = if start2 < reach2 {
        start
    } else {
        let discriminant = along * along - path2 * (start2 - reach2);
        let approaches = along < 0.0 && discriminant > 0.0;
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
    /// With memory for so many balls and usual numbers of contacts.
    pub(crate) fn with_capacity(balls: usize) -> Self {
        Self {
            contacts: Vec::with_capacity(CONTACTS * balls),
            changes: Vec::with_capacity(balls),
            is_touched: Vec::with_capacity(balls),
            touched: Vec::with_capacity(balls),
        }
    }

    /// Resolves the contacts of the pairs in a list, and returns the balls that have moved, in
    /// ascending order. No ball moved by more than `displacement` in this substep, m; `friction`
    /// is that of two balls.
    pub(crate) fn resolve(
        &mut self,
        balls: &mut [Ball<D>],
        near: &PairList,
        displacement: f32,
        friction: impl Fn([u32; 2]) -> f32,
    ) -> &[u32] {
        self.find(balls, near, displacement);
        for contact in &self.contacts {
            let [one, other] = contact.balls.map(|ball| ball as usize);
            let [w, other_w] = [one, other].map(|ball| balls[ball].inverse_mass);
            let [mine, others] = [self.changes[one], self.changes[other]];
            let moved = difference(mine.x, others.x);
            let depth = contact.depth - dot(moved, contact.normal);
            if depth <= 0.0 {
                continue; // resolved by others
            }
            let moved_before = difference(mine.previous, others.previous);
            let relative = sum(contact.relative, difference(moved, moved_before));
            let normal = contact.normal;
            let outgoing = dot(relative, normal);
            let incoming = if outgoing < 0.0 { -outgoing } else { 0.0 };
            let limit = friction(contact.balls) * incoming;
            let slip = stopped_slip(relative, normal, outgoing, limit);
            let fastest = incoming + PUSH_MAX * thickness_of(&balls[one], &balls[other]);
            let out = if depth < fastest { depth } else { fastest };
            let x = difference(scaled(normal, out), slip);
            // As in `ContactLaw::resolve`: pushing apart adds no velocity, and what is left of the
            // approach is lost.
            let previous = scaled(normal, out - incoming);
            let total = w + other_w;
            for (ball, share) in [(one, w / total), (other, -(other_w / total))] {
                let change = &mut self.changes[ball];
                change.x = add_scaled(change.x, share, x);
                change.previous = add_scaled(change.previous, share, previous);
            }
        }
        for &ball in &self.touched {
            let change = &mut self.changes[ball as usize];
            let moved = &mut balls[ball as usize];
            if moved.inverse_mass > 0.0 {
                moved.x = sum(moved.x, change.x);
                moved.previous = sum(moved.previous, change.previous);
            }
            *change = Change { x: [0.0; D], previous: [0.0; D] };
            self.is_touched[ball as usize] = false;
        }
        &self.touched
    }

    /// Finds the contacts, in the order of the list.
    fn find(&mut self, balls: &[Ball<D>], near: &PairList, displacement: f32) {
        let Self { contacts, changes, is_touched, touched } = self;
        is_touched.resize(balls.len(), false);
        changes.resize(balls.len(), Change { x: [0.0; D], previous: [0.0; D] });
        contacts.clear();
        touched.clear();
        for ((number, others), ball) in (0_u32..).zip(near.rows()).zip(balls) {
            for &other_number in others {
                let other = &balls[other_number as usize];
                let end = difference(ball.x, other.x);
                let thickness = thickness_of(ball, other);
                // Most pairs are too far apart, even if both balls came from anywhere they could.
                let reach = thickness + 2.0 * displacement;
                let free = ball.inverse_mass + other.inverse_mass > 0.0;
                if !(dot(end, end) < 1.001 * (reach * reach) && free) {
                    continue;
                }
                let start = difference(ball.previous, other.previous);
                let Some((normal, depth)) = swept(start, end, thickness) else { continue };
                let relative = difference(end, start);
                let balls = [number, other_number];
                contacts.push(Contact { balls, normal, depth, relative });
                for ball in balls {
                    if !core::mem::replace(&mut is_touched[ball as usize], true) {
                        touched.push(ball);
                    }
                }
            }
        }
        touched.sort_unstable();
    }
}

/// The distance that two balls keep, m.
#[inline]
fn thickness_of<const D: usize>(one: &Ball<D>, other: &Ball<D>) -> f32 {
    if one.thickness > other.thickness { one.thickness } else { other.thickness }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Ball, ContactSolver, PUSH_MAX, PairList, swept};
    use crate::vector::{add_scaled, difference, length};

    proptest! {
        #[test]
        fn balls_touch_if_they_come_near_on_the_way(
            start in prop::array::uniform3(-2.0..2.0_f32),
            end in prop::array::uniform3(-2.0..2.0_f32),
        ) {
            let path = difference(end, start);
            let nearest = (0..=1000)
                .map(|part| length(add_scaled(start, part as f32 / 1000.0, path)))
                .fold(f32::INFINITY, f32::min);
            match swept(start, end, 1.0) {
                Some((normal, depth)) => {
                    prop_assert!(nearest < 1.0 + 1e-4);
                    prop_assert!((length(normal) - 1.0).abs() < 1e-5);
                    // Afterwards they are apart.
                    let resolved = add_scaled(end, depth, normal);
                    prop_assert!(length(resolved) > 1.0 - 1e-4);
                }
                // A contact that ends outside, on the side where the balls met, needs nothing.
                None => prop_assert!(nearest > 1.0 - 1e-4 || length(end) > 1.0 - 1e-4),
            }
        }
    }

    fn ball(x: [f32; 3], velocity: [f32; 3], inverse_mass: f32) -> Ball<3> {
        Ball { x, previous: difference(x, velocity), inverse_mass, thickness: 1.0 }
    }

    fn resolved(mut balls: Vec<Ball<3>>, friction: f32) -> Vec<Ball<3>> {
        let count = balls.len() as u32;
        let pairs: Vec<[u32; 2]> =
            (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other])).collect();
        let mut list = PairList::default();
        list.fill(balls.len(), &pairs);
        ContactSolver::with_capacity(0).resolve(&mut balls, &list, 10.0, |_| friction);
        balls
    }

    #[test]
    fn momentum_is_kept_whatever_the_masses_and_the_number_of_contacts() {
        let balls = vec![
            ball([0.0, 0.0, 0.0], [0.1, 0.0, 0.0], 1.0),
            ball([0.5, 0.2, 0.0], [-0.3, 0.1, 0.0], 2.0),
            ball([0.2, 0.6, 0.1], [0.0, -0.2, 0.3], 0.5),
            ball([0.3, -0.7, 0.1], [0.0, 0.2, 0.0], 4.0),
        ];
        let momentum = |balls: &[Ball<3>]| {
            balls.iter().fold([0.0; 3], |momentum, ball| {
                let moved = difference(ball.x, ball.previous);
                add_scaled(momentum, 1.0 / ball.inverse_mass, moved)
            })
        };
        let after = resolved(balls.clone(), 0.5);
        assert!(length(difference(momentum(&after), momentum(&balls))) < 1e-6);
        let moved = |(after, before): (&Ball<3>, &Ball<3>)| length(difference(after.x, before.x));
        assert!(after.iter().zip(&balls).all(|both| moved(both) > 0.01));
    }

    #[test]
    fn a_contact_takes_away_the_approach_and_limits_friction() {
        let above = ball([0.0, 0.9, 0.0], [0.3, -0.2, 0.0], 1.0);
        let pinned = ball([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0);
        let [after, still] = resolved(vec![above, pinned], 0.5)[..] else { panic!() };
        assert_eq!(still.x.map(f32::to_bits), [0; 3]);
        let velocity = difference(after.x, after.previous);
        // μ times the lost approach of 0.2 m is 0.1 m.
        assert!(length(difference(velocity, [0.2, 0.0, 0.0])) < 1e-6, "{velocity:?}");
        assert!((after.x[1] - 1.0).abs() < 1e-6);
        // One that already leaves keeps its velocity.
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
        let coincident = resolved(vec![ball([0.0; 3], [0.0; 3], 1.0), pinned], 0.0);
        assert_eq!(coincident[0].x.map(f32::to_bits), [0.0, PUSH_MAX, 0.0].map(f32::to_bits));
    }
}
