//! Points on sticks, triangles and in tetrahedra, and impulses on them: equations (*) and (**) of
//! Jakobsen 2001.

use core::array::from_fn;

use taut_core::Particles;

/// A point of a model as a weighted mean of particles: `p = c1 x1 + c2 x2 + c3 x3 + c4 x4`, where
/// the sum of the weights is 1. On a stick two weights are not 0, on a triangle three, in a
/// tetrahedron four.
///
/// ```
/// use taut_core::Particles;
/// use taut_world::WeightedPoint;
///
/// // Figure 4b of Jakobsen 2001: a quarter of the stick's length from its first end.
/// let mut stick = Particles::new(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]], &[1.0, 1.0])?;
/// let p = WeightedPoint::on_stick([0, 1], 0.25);
/// assert_eq!(p.position(&stick), [1.0, 0.0, 0.0]);
///
/// // Moving the point by 1 m moves the near end more than the far one, in the ratio 0.75 to 0.25.
/// p.move_by(&mut stick, [0.0, 1.0, 0.0]);
/// assert_eq!(p.position(&stick), [1.0, 1.0, 0.0]);
/// assert_eq!([stick.position(0)[1], stick.position(1)[1]], [1.2, 0.4]);
/// # Ok::<(), taut_core::ParticleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedPoint {
    /// The particles. A particle with a weight of 0 does not move, so any particle may fill an unused
    /// entry.
    pub particles: [u32; 4],
    /// Their weights c1 to c4.
    pub weights: [f32; 4],
}

impl WeightedPoint {
    /// A particle itself.
    #[must_use]
    pub fn at(particle: u32) -> Self {
        Self { particles: [particle; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// On the stick between two particles, at `fraction` of its length from the first: 0 to 1.
    #[must_use]
    pub fn on_stick([a, b]: [u32; 2], fraction: f32) -> Self {
        Self { particles: [a, b, b, b], weights: [1.0 - fraction, fraction, 0.0, 0.0] }
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

    /// The point that is at `fraction` of the way from this point to the centroid of its particles.
    pub(super) fn inwards(&self, fraction: f32) -> Self {
        Self { weights: self.weights.map(|c| (1.0 - fraction) * c + 0.25 * fraction), ..*self }
    }

    /// Its position, m.
    ///
    /// # Panics
    /// If a particle does not exist. The same holds for all methods that take particles.
    pub fn position<const D: usize>(&self, particles: &Particles<D>) -> [f32; D] {
        from_fn(|axis| self.mean(particles.positions(axis)))
    }

    /// Its position a substep ago, m.
    ///
    /// # Panics
    /// If a particle does not exist.
    pub fn previous<const D: usize>(&self, particles: &Particles<D>) -> [f32; D] {
        from_fn(|axis| self.mean(particles.previous(axis)))
    }

    /// Its position for given positions of its particles, m.
    pub(crate) fn position_by<const D: usize>(
        &self,
        position: impl Fn(u32) -> [f32; D],
    ) -> [f32; D] {
        let positions = self.particles.map(position);
        from_fn(|axis| mean(positions.map(|point| point[axis]), self.weights))
    }

    /// Its particles whose weight is not 0, and their weights.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (u32, f32)> {
        self.particles.into_iter().zip(self.weights).filter(|(_, weight)| *weight != 0.0)
    }

    /// The same point with renumbered particles.
    pub(crate) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        Self { particles: self.particles.map(new_of), ..*self }
    }

    /// The weighted mean of the values of its particles in a column.
    fn mean(&self, column: &[f32]) -> f32 {
        mean(self.particles.map(|particle| column[particle as usize]), self.weights)
    }

    /// Displacement of each particle per unit of impulse: `c w`, 1/kg.
    pub(crate) fn displacements_per_impulse<const D: usize>(
        &self,
        particles: &Particles<D>,
    ) -> [f32; 4] {
        let inverse_masses = particles.inverse_masses();
        from_fn(|i| self.weights[i] * inverse_masses[self.particles[i] as usize])
    }

    /// Displacement of the point per unit of impulse: `Σ c² w` with the inverse masses w, 1/kg; 0
    /// if all its particles are pinned.
    ///
    /// # Panics
    /// If a particle does not exist.
    #[inline]
    pub fn inverse_mass<const D: usize>(&self, particles: &Particles<D>) -> f32 {
        let inverse_masses = particles.inverse_masses();
        let [a, b, c, d] = from_fn(|i| {
            (self.weights[i] * self.weights[i]) * inverse_masses[self.particles[i] as usize]
        });
        (a + b) + (c + d)
    }

    /// Moves the point by `by`, m, exact up to rounding: equation (**). Each particle moves by
    /// `λ c w by`, equation (*) with inverse masses, where `λ = 1 / Σ c² w`. Pinned particles do
    /// not move. Previous positions do not change, so velocities do.
    ///
    /// # Panics
    /// If a particle does not exist.
    pub fn move_by<const D: usize>(&self, particles: &mut Particles<D>, by: [f32; D]) {
        let inverse_mass = self.inverse_mass(particles);
        if inverse_mass > 0.0 {
            self.apply_impulse(particles, by.map(|by| by / inverse_mass));
        }
    }

    /// Like [`move_by`](Self::move_by), but also moves the previous position of the point by
    /// `previous_by`, m.
    pub(crate) fn displace<const D: usize>(
        &self,
        particles: &mut Particles<D>,
        [by, previous_by]: [[f32; D]; 2],
    ) {
        let inverse_mass = self.inverse_mass(particles);
        if inverse_mass > 0.0 {
            self.apply_impulse(particles, by.map(|by| by / inverse_mass));
            let per_impulse = self.displacements_per_impulse(particles);
            for (axis, by) in previous_by.into_iter().enumerate() {
                let column = particles.previous_mut(axis);
                self.add_impulse(column, by / inverse_mass, per_impulse);
            }
        }
    }

    /// Moves this point and `from`, so that the vector from `from` to this point changes by `by`,
    /// m, exact up to rounding: "both p and q are moved towards each other". Momentum is conserved.
    /// The two points must not share a particle.
    ///
    /// # Panics
    /// If a particle does not exist.
    pub fn move_apart<const D: usize>(
        &self,
        from: &Self,
        particles: &mut Particles<D>,
        by: [f32; D],
    ) {
        let inverse_mass_sum = self.inverse_mass(particles) + from.inverse_mass(particles);
        if inverse_mass_sum > 0.0 {
            self.apply_impulse(particles, by.map(|by| by / inverse_mass_sum));
            from.apply_impulse(particles, by.map(|by| -by / inverse_mass_sum));
        }
    }

    /// Moves each particle by `impulse c w`.
    fn apply_impulse<const D: usize>(&self, particles: &mut Particles<D>, impulse: [f32; D]) {
        let per_impulse = self.displacements_per_impulse(particles);
        for (axis, impulse) in impulse.into_iter().enumerate() {
            self.add_impulse(particles.positions_mut(axis), impulse, per_impulse);
        }
    }

    /// Applies one component of an impulse to a column of positions or previous positions.
    fn add_impulse(&self, column: &mut [f32], impulse: f32, per_impulse: [f32; 4]) {
        for (particle, per_impulse) in self.particles.into_iter().zip(per_impulse) {
            column[particle as usize] += impulse * per_impulse;
        }
    }
}

/// A point of a body or limb to be tested against an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The point itself.
    pub(crate) point: WeightedPoint,
    /// A nearby point that is assumed to be outside the obstacle at the beginning of the substep.
    pub(crate) inner: WeightedPoint,
    /// The distance at which contacts begin, m.
    pub(crate) contact_distance: f32,
}

impl Probe {
    /// Where its inner point was at the beginning of the substep, m. `starts` has the positions of all
    /// particles at that time; if they were not recorded, the current position is returned.
    pub(crate) fn start<const D: usize>(
        &self,
        particles: &Particles<D>,
        starts: &[[f32; D]],
    ) -> [f32; D] {
        if starts.len() == particles.len() {
            self.inner.position_by(|particle| starts[particle as usize])
        } else {
            self.inner.position(particles)
        }
    }
}

/// The weighted mean of four values, computed relative to the first, which is accurate far from
/// the origin, too.
#[inline(always)]
pub(super) fn mean([x1, x2, x3, x4]: [f32; 4], [_, c2, c3, c4]: [f32; 4]) -> f32 {
    ((c2 * (x2 - x1) + c3 * (x3 - x1)) + c4 * (x4 - x1)) + x1
}
