//! Checks of contacts: touching pairs, penetration and crossings.

use super::self_collisions::SelfCollisions;
use super::{Simulation, World};
use crate::self_collision::{Margin, NearRows, Pairings as _, SelfCollision, Workers, crossings};
use crate::vector::{difference, length, to_f64};

/// The largest gap of a touching pair, as a fraction of the distance that the pair keeps.
const TOUCHING_TOLERANCE: f64 = 0.01;

/// The contacts of models with [self-collision](crate::SelfCollision): see [`World::contacts`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Number of pairs of particles that touch, with a gap of at most a hundredth of their
    /// thickness.
    pub touching: usize,
    /// The deepest penetration of a pair of particles, m; 0 if there is none.
    pub penetration: f32,
    /// Number of contacts of limbs and bodies with particles, and of limbs with bodies, with a gap of
    /// at most a hundredth of the distance that they keep. A limb has up to one contact with a body
    /// for each of its halves.
    pub on_colliders: usize,
    /// The deepest penetration of a contact of limbs or bodies, m; 0 if there is none.
    pub penetration_of_colliders: f32,
    /// Number of pairs of an edge of a face and another face where the edge passes through the face, in
    /// cloth with self-collision. Ropes, limbs and bodies are not examined. In 2D always 0.
    pub crossings: usize,
    /// Number of pairs of particles that do not collide because they are closer than the thickness when
    /// the scene begins, and joined by a short path along sticks. (Pairs that a stick joins do not collide
    /// either, but are not counted.)
    pub excluded: usize,
}

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// The current contacts of models with [self-collision](crate::SelfCollision). This is meant for
    /// checks of the quality of a simulation, because finding the crossings takes longer than a step.
    /// None if no cloth or rope has self-collision, and not both a limb and a body have it.
    pub fn contacts(&self) -> Option<Contacts> {
        self.measure_contacts()
    }
}

impl<const D: usize> World<D> {
    /// The settings of the cloth and ropes with self-collision, in the order of the scene.
    pub fn self_collision_settings(&self) -> impl Iterator<Item = &SelfCollision> {
        let participants = self.self_collisions.iter().flat_map(|it| &it.rules.participants);
        participants.map(|participant| &participant.settings)
    }

    /// Implements [`Simulation::measure_contacts`].
    pub(super) fn contacts_generic(&self) -> Option<Contacts> {
        let balls = self.self_collisions.clone();
        let with_bodies = self.collider_contacts.clone();
        if balls.is_none() && with_bodies.is_none() {
            return None;
        }
        let participants = self.self_collisions.iter().flat_map(|it| &it.rules.participants);
        let (touching, penetration) =
            balls.map(|it| self.touching_and_penetration(it)).unwrap_or_default();
        let particles_of = |island: usize| &self.islands[island].model.particles;
        let (on_colliders, penetration_of_colliders) = with_bodies
            .map(|mut it| it.touching_and_depth(particles_of, TOUCHING_TOLERANCE as f32))
            .unwrap_or_default();
        Some(Contacts {
            touching,
            penetration,
            on_colliders,
            penetration_of_colliders,
            crossings: self.crossings(),
            excluded: participants.map(|it| it.rest.close_count).sum(),
        })
    }

    /// The number of pairs of balls that touch, and the deepest penetration of a pair, m. `copy` is a
    /// copy of the world's [`SelfCollisions`], into which the current positions are read.
    fn touching_and_penetration(&self, mut copy: SelfCollisions<D>) -> (usize, f32) {
        for (index, island) in self.islands.iter().enumerate() {
            if copy.has_particles_in(index) {
                copy.read(index, &island.model.particles);
            }
        }
        let SelfCollisions { rules, balls, .. } = &copy;
        let mut near = NearRows::new(balls);
        // Twice the largest gap, so that rounding in the search loses no touching pair.
        near.search(
            balls,
            rules,
            Margin::Distance(2.0 * TOUCHING_TOLERANCE as f32 * rules.thickness()),
            &mut Workers::caller(),
        );
        let (mut touching, mut penetration) = (0, 0.0);
        for row in near.rows() {
            let Some(pairing) = rules.of(row.models(balls)) else { continue };
            let thickness = f64::from(pairing.thickness);
            for pair in row.pairs() {
                let [one, other] = pair.map(|slot| to_f64(balls.position(slot)));
                let depth = thickness - length(difference(one, other));
                touching += usize::from(depth > -TOUCHING_TOLERANCE * thickness);
                penetration = f32::max(penetration, depth as f32);
            }
        }
        (touching, penetration)
    }

    /// Number of crossings of edges and faces of cloth with self-collision.
    fn crossings(&self) -> usize {
        let collisions = self.self_collisions.as_ref();
        let Some(collisions) = collisions.filter(|_| D == 3) else { return 0 };
        let point = |particle: usize| {
            let x = to_f64(self.position(particle));
            core::array::from_fn(|axis| x[axis])
        };
        let points: Vec<[f64; 3]> = (0..self.len()).map(point).collect();
        let participants = &collisions.rules.participants;
        let has_self_collision = |particle: u32| {
            participants.iter().any(|it| it.particles.contains(&(particle as usize)))
        };
        let mut triangles = Vec::new();
        let islands = self.islands.iter().enumerate();
        for (index, island) in islands.filter(|(it, _)| collisions.has_particles_in(*it)) {
            let world_numbers = self.particles.in_island(index);
            let in_world = |face: &[u32; 3]| face.map(|corner| world_numbers[corner as usize]);
            let faces = island.model.faces.iter().map(in_world);
            triangles.extend(faces.filter(|face| has_self_collision(face[0])));
        }
        crossings(&points, &triangles)
    }
}
