//! Narrow phase and response of contacts between balls.

use super::clusters::Balls;
use super::near_rows::{Pairing, Pairings, Row};
use super::touching::find_touching;
use crate::surface::stopped_slip;
use crate::vector::{add_scaled, difference, dot, length, scaled, sum};

/// Two balls that touch in this substep.
#[derive(Clone, Copy, Debug)]
struct Contact<const D: usize> {
    /// Their slots.
    balls: [u32; 2],
    /// From the second ball to the first, of length 1.
    normal: [f32; D],
    /// How far they have to move apart along the normal, m.
    depth: f32,
    /// Displacement of the first relative to the second in this substep, m.
    relative: [f32; D],
    /// The share of each in their motion apart: negative for the second.
    shares: [f32; 2],
    /// Coulomb's μ.
    friction: f32,
    /// How far they may be pushed apart in a substep, in addition to their approach, m.
    push_max: f32,
}

/// What the contacts of a ball have added to its position and previous position, m.
#[derive(Clone, Copy, Debug)]
struct Change<const D: usize> {
    x: [f32; D],
    previous: [f32; D],
}

impl<const D: usize> Change<D> {
    const NONE: Self = Self { x: [0.0; D], previous: [0.0; D] };
}

/// Resolves contacts: it finds all contacts of a pass from the positions before, then resolves them
/// one after the other (Gauss-Seidel), by colour: contacts that follow each other have no ball in
/// common, so that a CPU resolves several at a time.
///
/// (Tried: all at once, each ball divided into equal parts for its contacts, as in Tonge,
/// Benevolenski, Voroshilov, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation", 2012.
/// Five sheets that land on a ball then have some ten times as many crossings. With repeated contacts
/// in a pass they have hundreds, without them none.)
#[derive(Clone, Debug)]
pub(crate) struct ContactSolver<const D: usize> {
    /// The pairs of balls that touch.
    touching: Vec<Row>,
    contacts: Vec<Contact<D>>,
    /// The contacts in the order in which they are resolved: by colour.
    order: Vec<u32>,
    /// The colour of each contact.
    colours: Vec<u8>,
    /// By slot: the colours of its contacts, as bits.
    used: Vec<u64>,
    /// By slot; 0 between calls.
    changes: Vec<Change<D>>,
    /// Which slots have contacts; false between calls.
    is_touched: Vec<bool>,
    /// The slots that have contacts.
    touched: Vec<u32>,
}

/// Number of contacts per ball for which memory is reserved.
const CONTACTS: usize = 6;
/// Largest number of contacts per ball. Only a heap of balls in one place has more.
const CONTACTS_MAX: usize = 64;

/// Number of colours. Contacts that find no free one have the last.
const COLOURS: usize = 64;

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
    /// With memory for so many slots and usual numbers of contacts.
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            touching: Vec::with_capacity(CONTACTS * slots),
            contacts: Vec::with_capacity(CONTACTS * slots),
            order: Vec::with_capacity(CONTACTS * slots),
            colours: Vec::with_capacity(CONTACTS * slots),
            used: vec![0; slots],
            changes: vec![Change::NONE; slots],
            is_touched: vec![false; slots],
            touched: Vec::with_capacity(slots),
        }
    }

    /// Resolves the contacts among near balls, and returns the slots of the balls that have moved.
    pub(crate) fn resolve(
        &mut self,
        balls: &mut Balls<D>,
        near: &[Row],
        pairings: &impl Pairings,
    ) -> &[u32] {
        find_touching(balls, near, pairings, &mut self.touching);
        self.find(balls, pairings);
        self.sort_by_colour();
        for &number in &self.order {
            let contact = &self.contacts[number as usize];
            let [one, other] = contact.balls.map(|slot| slot as usize);
            let [mine, others] = [self.changes[one], self.changes[other]];
            let moved = difference(mine.x, others.x);
            let normal = contact.normal;
            let depth = contact.depth - dot(moved, normal);
            if depth <= 0.0 {
                continue; // resolved by others
            }
            let moved_before = difference(mine.previous, others.previous);
            let relative = sum(contact.relative, difference(moved, moved_before));
            let outgoing = dot(relative, normal);
            let incoming = if outgoing < 0.0 { -outgoing } else { 0.0 };
            let slip = stopped_slip(relative, normal, outgoing, contact.friction * incoming);
            let fastest = incoming + contact.push_max;
            let out = if depth < fastest { depth } else { fastest };
            let x = difference(scaled(normal, out), slip);
            // As in `ContactLaw::resolve`: pushing apart adds no velocity, and what is left of the
            // approach is lost.
            let previous = scaled(normal, out - incoming);
            for (slot, share) in [one, other].into_iter().zip(contact.shares) {
                let change = &mut self.changes[slot];
                change.x = add_scaled(change.x, share, x);
                change.previous = add_scaled(change.previous, share, previous);
            }
        }
        for &slot in &self.touched {
            let slot = slot as usize;
            let change = core::mem::replace(&mut self.changes[slot], Change::NONE);
            for axis in 0..D {
                balls.position[axis][slot] += change.x[axis];
                balls.previous[axis][slot] += change.previous[axis];
            }
            self.is_touched[slot] = false;
        }
        &self.touched
    }

    /// Sorts the contacts by colour: those of one colour have no ball in common, apart from the last
    /// colour. Each contact has the first colour that is free at both balls.
    fn sort_by_colour(&mut self) {
        let Self { contacts, order, colours, used, touched, .. } = self;
        let mut first = [0_u32; COLOURS + 1];
        colours.clear();
        for contact in &*contacts {
            let [one, other] = contact.balls.map(|slot| slot as usize);
            let colour = (!(used[one] | used[other])).trailing_zeros().min(COLOURS as u32 - 1);
            // Contacts of a ball that does not move are independent of each other.
            for (slot, share) in [one, other].into_iter().zip(contact.shares) {
                if share != 0.0 {
                    used[slot] |= 1 << colour;
                }
            }
            colours.push(colour as u8);
            first[colour as usize + 1] += 1;
        }
        for colour in 1..COLOURS {
            first[colour] += first[colour - 1];
        }
        order.clear();
        order.resize(contacts.len(), 0);
        for (number, &colour) in (0..).zip(&*colours) {
            let place = &mut first[usize::from(colour)];
            order[*place as usize] = number;
            *place += 1;
        }
        for &slot in &*touched {
            used[slot as usize] = 0;
        }
    }

    /// Finds the contacts, in the order of the rows.
    fn find(&mut self, balls: &Balls<D>, pairings: &impl Pairings) {
        let Self { touching, contacts, is_touched, touched, .. } = self;
        contacts.clear();
        touched.clear();
        let contacts_max = CONTACTS_MAX * balls.slots();
        for row in &*touching {
            let Some(pairing) = pairings.of(row.models(balls)) else { continue };
            let Pairing { thickness, friction } = pairing;
            for pair in row.pairs() {
                let [x, other_x] = pair.map(|slot| balls.position(slot));
                let [moved, other_moved] = pair.map(|slot| balls.displacement(slot));
                let end = difference(x, other_x);
                let relative = difference(moved, other_moved);
                let Some((normal, depth)) = swept(difference(end, relative), end, thickness) else {
                    continue;
                };
                let [w, other_w] = pair.map(|slot| balls.inverse_mass[slot]);
                let total = w + other_w;
                if total > 0.0 && contacts.len() < contacts_max {
                    contacts.push(Contact {
                        balls: pair.map(|slot| slot as u32),
                        normal,
                        depth,
                        relative,
                        shares: [w / total, -(other_w / total)],
                        friction,
                        push_max: PUSH_MAX * thickness,
                    });
                    for slot in pair {
                        if !is_touched[slot] && balls.inverse_mass[slot] > 0.0 {
                            is_touched[slot] = true;
                            touched.push(slot as u32);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::clusters::CLUSTER;
    use super::super::near_rows::{Margin, NearRows};
    use super::super::rest_pairs::LeftOut;
    use super::{Balls, ContactSolver, PUSH_MAX, Pairing, Pairings, swept};
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

    /// A ball of one metre.
    #[derive(Clone, Copy, Debug)]
    struct Ball {
        x: [f32; 3],
        previous: [f32; 3],
        inverse_mass: f32,
    }

    fn ball(x: [f32; 3], velocity: [f32; 3], inverse_mass: f32) -> Ball {
        Ball { x, previous: difference(x, velocity), inverse_mass }
    }

    struct All {
        friction: f32,
        left_out: LeftOut,
    }

    impl Pairings for All {
        fn of(&self, _: [u32; 2]) -> Option<Pairing> {
            Some(Pairing { thickness: 1.0, friction: self.friction })
        }
        fn thickness(&self) -> f32 {
            1.0
        }
        fn left_out(&self) -> &LeftOut {
            &self.left_out
        }
    }

    fn resolved(mut all: Vec<Ball>, friction: f32) -> Vec<Ball> {
        let mut balls = Balls::<3>::new([all.len()].into_iter());
        for slot in 0..CLUSTER {
            let ball = all[slot.min(all.len() - 1)];
            for axis in 0..3 {
                balls.position[axis][slot] = ball.x[axis];
                balls.previous[axis][slot] = ball.previous[axis];
            }
            balls.inverse_mass[slot] = ball.inverse_mass;
        }
        let pairings = All { friction, left_out: LeftOut::new(1, [].into_iter()) };
        let mut near = NearRows::new(&balls);
        near.search(&balls, &pairings, Margin::Uniform { substeps: 1, deviation: 0.0 });
        ContactSolver::new(balls.slots()).resolve(&mut balls, near.rows(), &pairings);
        for (slot, ball) in all.iter_mut().enumerate() {
            ball.x = balls.position(slot);
            ball.previous = difference(ball.x, balls.displacement(slot));
        }
        all
    }

    #[test]
    fn momentum_is_kept_whatever_the_masses_and_the_number_of_contacts() {
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
