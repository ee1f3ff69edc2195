//! Contacts of sticks, triangles and tetrahedra: equations (*) and (**) of Jakobsen 2001.

use core::array::from_fn;

use taut_core::Particles;

use crate::vector::{difference, dot, length};

/// A point of matter: `p = c1 x1 + c2 x2 + c3 x3 + c4 x4`, the sum of the weights being 1. On a
/// stick two of the weights are not 0, on a triangle three, in a tetrahedron four.
///
/// ```
/// use taut_core::Particles;
/// use taut_world::Anchor;
///
/// // Figure 4b: a quarter of the stick's length from its first end.
/// let mut stick = Particles::new(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]], &[1.0, 1.0])?;
/// let p = Anchor::on_stick([0, 1], 0.25);
/// assert_eq!(p.position(&stick), [1.0, 0.0, 0.0]);
///
/// // Moved to q, it takes the near end along more than the far one, as 0.75 to 0.25.
/// p.push(&mut stick, [0.0, 1.0, 0.0]);
/// assert_eq!(p.position(&stick), [1.0, 1.0, 0.0]);
/// assert_eq!([stick.position(0)[1], stick.position(1)[1]], [1.2, 0.4]);
/// # Ok::<(), taut_core::ParticleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The particles. One whose weight is 0 is not touched, and may be any.
    pub particles: [u32; 4],
    /// Their weights c1 to c4.
    pub weights: [f32; 4],
}

impl Anchor {
    /// A particle itself.
    #[must_use]
    pub fn at(particle: u32) -> Self {
        Self { particles: [particle; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// On the stick between two particles, at `share` of its length from the first: 0 to 1.
    #[must_use]
    pub fn on_stick([a, b]: [u32; 2], share: f32) -> Self {
        Self { particles: [a, b, b, b], weights: [1.0 - share, share, 0.0, 0.0] }
    }

    /// On a triangle, by the weights of its second and third corner.
    #[must_use]
    pub fn on_triangle([a, b, c]: [u32; 3], [of_b, of_c]: [f32; 2]) -> Self {
        Self { particles: [a, b, c, c], weights: [(1.0 - of_b) - of_c, of_b, of_c, 0.0] }
    }

    /// In a tetrahedron, by the weights of its second to fourth corner.
    #[must_use]
    pub fn in_tetrahedron(corners: [u32; 4], [b, c, d]: [f32; 3]) -> Self {
        Self { particles: corners, weights: [((1.0 - b) - c) - d, b, c, d] }
    }

    /// Where it is, m.
    ///
    /// # Panics
    /// If it names a particle that there is not, as all here.
    pub fn position<const D: usize>(&self, particles: &Particles<D>) -> [f32; D] {
        from_fn(|axis| self.mean(particles.positions(axis)))
    }

    /// Where it was a substep ago, m.
    ///
    /// # Panics
    /// If it names a particle that there is not.
    pub fn previous<const D: usize>(&self, particles: &Particles<D>) -> [f32; D] {
        from_fn(|axis| self.mean(particles.previous(axis)))
    }

    fn mean(&self, column: &[f32]) -> f32 {
        let [x1, x2, x3, x4] = self.particles.map(|particle| column[particle as usize]);
        let [_, c2, c3, c4] = self.weights;
        ((c2 * (x2 - x1) + c3 * (x3 - x1)) + c4 * (x4 - x1)) + x1
    }

    /// By how much a unit of push moves it: `Σ c² w` with the inverse masses w, 1/kg; 0 if all that
    /// carry it are pinned.
    ///
    /// # Panics
    /// If it names a particle that there is not.
    pub fn inverse_mass<const D: usize>(&self, particles: &Particles<D>) -> f32 {
        let masses = particles.inverse_masses();
        let [a, b, c, d] =
            from_fn(|i| (self.weights[i] * self.weights[i]) * masses[self.particles[i] as usize]);
        (a + b) + (c + d)
    }

    /// Moves it `by` so much, m, exactly (up to rounding): equation (**). Each particle moves by `λ
    /// c w` times that, equation (*) with inverse masses, and `λ = 1 / Σ c² w`. Pinned particles stay,
    /// and if all are pinned, nothing moves. Previous positions stay, so its velocity changes too.
    ///
    /// # Panics
    /// If it names a particle that there is not.
    pub fn push<const D: usize>(&self, particles: &mut Particles<D>, by: [f32; D]) {
        let own = self.inverse_mass(particles);
        if own > 0.0 {
            self.shift(particles, by.map(|by| by / own), Columns::Positions);
        }
    }

    /// Moves this point away from the other, so that the way from there to here grows `by` so much,
    /// m, exactly (up to rounding): "both p and q are moved towards each other". The momentum of all
    /// stays what it was. The two must not share a particle.
    ///
    /// # Panics
    /// If one names a particle that there is not.
    pub fn push_apart<const D: usize>(
        &self,
        from: &Self,
        particles: &mut Particles<D>,
        by: [f32; D],
    ) {
        let both = self.inverse_mass(particles) + from.inverse_mass(particles);
        if both > 0.0 {
            self.shift(particles, by.map(|by| by / both), Columns::Positions);
            from.shift(particles, by.map(|by| -by / both), Columns::Positions);
        }
    }

    /// Moves each particle by `push c w`.
    fn shift<const D: usize>(
        &self,
        particles: &mut Particles<D>,
        push: [f32; D],
        columns: Columns,
    ) {
        for (particle, weight) in self.particles.into_iter().zip(self.weights) {
            let particle = particle as usize;
            let share = weight * particles.inverse_masses()[particle];
            for (axis, push) in push.into_iter().enumerate() {
                let column = match columns {
                    Columns::Positions => particles.positions_mut(axis),
                    Columns::Previous => particles.previous_mut(axis),
                };
                column[particle] += push * share;
            }
        }
    }
}

/// How often contacts are gone through: each is affected by the others of its body. A box on its
/// face has four, and stands on them evenly after 8 rounds; the sticks do the rest.
const ROUNDS: usize = 8;

/// The other side of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other<const D: usize> {
    /// Matter that gives way.
    Matter(Anchor),
    /// A point of something that does not, where it is and where it was a substep ago, m.
    Fixed { position: [f32; D], previous: [f32; D] },
}

/// A point of matter that may have gone into something, and the way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact<const D: usize> {
    point: Anchor,
    other: Other<D>,
    /// The direction in which the point leaves, of length 1.
    normal: [f32; D],
    /// How far from each other the two are to stay that way, m.
    apart: f32,
    /// Of both sides, 1/kg: `1 / λ`.
    inverse_mass: f32,
    /// The push out, kg m, never below 0.
    out: f32,
    /// The push against sliding, kg m.
    back: [f32; D],
}

/// Which columns a push moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    Positions,
    Previous,
}

impl<const D: usize> Contact<D> {
    /// None if neither side can move.
    pub(super) fn new(
        particles: &Particles<D>,
        point: Anchor,
        other: Other<D>,
        normal: [f32; D],
    ) -> Option<Self> {
        let of_other = match &other {
            Other::Matter(anchor) => anchor.inverse_mass(particles),
            Other::Fixed { .. } => 0.0,
        };
        let inverse_mass = point.inverse_mass(particles) + of_other;
        (inverse_mass > 0.0).then_some(Self {
            point,
            other,
            normal,
            apart: 0.0,
            inverse_mass,
            out: 0.0,
            back: [0.0; D],
        })
    }

    /// The same, the two sides staying `apart`, m.
    pub(super) fn keeping(self, apart: f32) -> Self {
        Self { apart, ..self }
    }

    /// How far the point is inside, m; below 0 outside.
    pub(super) fn depth(&self, particles: &Particles<D>) -> f32 {
        -self.gaps(particles)[0]
    }

    /// The way from the other side to the point, m, now and a substep ago.
    fn ways(&self, particles: &Particles<D>) -> [[f32; D]; 2] {
        let p = [self.point.position(particles), self.point.previous(particles)];
        let q = match &self.other {
            Other::Matter(anchor) => [anchor.position(particles), anchor.previous(particles)],
            Other::Fixed { position, previous } => [*position, *previous],
        };
        [difference(p[0], q[0]), difference(p[1], q[1])]
    }

    /// How far the point is outside, m, now and a substep ago.
    fn gaps(&self, particles: &Particles<D>) -> [f32; 2] {
        self.ways(particles).map(|way| dot(way, self.normal) - self.apart)
    }

    /// How far the point slid in this substep, m.
    fn slip(&self, particles: &Particles<D>) -> [f32; D] {
        let [now, before] = self.ways(particles);
        let way = difference(now, before);
        let closing = dot(way, self.normal);
        from_fn(|axis| way[axis] - closing * self.normal[axis])
    }

    /// Where the point is, m, which way it leaves, and how far what is not matter moved there in
    /// this substep, m: if the last rounds had to push it out.
    pub(super) fn met(&self, particles: &Particles<D>) -> Option<[[f32; D]; 3]> {
        let drift = match &self.other {
            Other::Matter(_) => [0.0; D],
            Other::Fixed { position, previous } => difference(*position, *previous),
        };
        (self.out > 0.0).then(|| [self.point.position(particles), self.normal, drift])
    }

    fn forget_pushes(&mut self) {
        self.out = 0.0;
        self.back = [0.0; D];
    }

    /// Pushes both sides, against each other.
    fn push(&self, particles: &mut Particles<D>, push: [f32; D], columns: Columns) {
        self.point.shift(particles, push, columns);
        if let Other::Matter(other) = &self.other {
            other.shift(particles, push.map(|push| -push), columns);
        }
    }

    /// The push that is missing for `gap` to close, or less push if there was too much; all
    /// together never a pull.
    fn missing(&mut self, gap: f32) -> [f32; D] {
        let out = self.out - gap / self.inverse_mass;
        let out = if out > 0.0 { out } else { 0.0 };
        let more = out - self.out;
        self.out = out;
        self.normal.map(|along| along * more)
    }

    /// The push that is missing to stop `slip`, all together never more than friction can be.
    fn missing_against(&mut self, slip: [f32; D], friction: f32) -> [f32; D] {
        let back: [f32; D] = from_fn(|axis| self.back[axis] - slip[axis] / self.inverse_mass);
        let (length, most) = (length(back), friction * self.out);
        let back = if length > most { back.map(|back| back * (most / length)) } else { back };
        let more = difference(back, self.back);
        self.back = back;
        more
    }
}

/// Moves the two sides of every contact apart where one is in the other, and slows their sliding by
/// friction. They do not bounce: that is done when all is solved (`bounce`). Contacts are taken in their order, several times (Gauss and
/// Seidel, as sticks are); a push that later contacts made needless is taken back.
pub(super) fn resolve<const D: usize>(
    contacts: &mut [Contact<D>],
    friction: f32,
    particles: &mut Particles<D>,
) {
    // What was inside a substep ago already leaves without gaining velocity, or bodies that were
    // put into each other would burst apart.
    for contact in &mut *contacts {
        contact.forget_pushes();
    }
    for _ in 0..ROUNDS {
        for contact in &mut *contacts {
            let [gap, before] = contact.gaps(particles);
            let push = contact.missing(if gap > before { gap } else { before });
            contact.push(particles, push, Columns::Positions);
            contact.push(particles, push, Columns::Previous);
        }
    }
    for contact in &mut *contacts {
        contact.forget_pushes();
    }
    for _ in 0..ROUNDS {
        for contact in &mut *contacts {
            let [gap, _] = contact.gaps(particles);
            let push = contact.missing(gap);
            contact.push(particles, push, Columns::Positions);
            let push = contact.missing_against(contact.slip(particles), friction);
            contact.push(particles, push, Columns::Positions);
        }
    }
}
