//! Wind on triangles.

use super::gusts::{Gusts, Lattice};
use super::{Force, Forces};
use crate::model::{Around, BLOCK, Block, Corners, Layout, Model, Span};
use crate::simd::{Pass, widest};
use crate::world::Moment;

const THIRD: f32 = 1.0 / 3.0;

/// One number for each triangle of a block.
type Lanes = [f32; BLOCK];

/// What moving air does to a triangle.
///
/// In both, `u` is the velocity of the air less that of the triangle (the mean of its corners'), A
/// its area and `n` its unit normal, on whichever side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindLaw {
    /// `F = p A (n·u) n`: along the normal alone, and in proportion to the wind (Mosegaard 2009). His
    /// `direction` is `p u / 2`, for the normal that he takes has the length 2 A; and as printed each
    /// of the three corners gets the whole force. Here each gets its third.
    Normal {
        /// p: pressure by speed, N s/m³.
        pressure: f32,
    },
    /// Drag along `u` and lift across it, as on a flat plate:
    /// `F = ½ ρ A |n·u| (drag u + lift |u| t)`, where `t = ±n - (±n·u) u / |u|²` is what is across
    /// `u` in the normal on the leeward side.
    Plate {
        /// ρ: density of the air, kg/m³; 1.2 at sea level.
        density: f32,
        /// Coefficient of drag; 1 to 2 for a plate across the wind.
        drag: f32,
        /// Coefficient of lift. As the lift is `sin α cos α` of that, about 2 is a plate's.
        lift: f32,
    },
}

/// Wind on the faces of a model, uniform or in gusts. Each corner of a triangle gets a third of its
/// force.
///
/// However light the particles and long the step, it never makes triangles overshoot the air: a
/// force that would is cut down to what lets them drift with it.
///
/// ```
/// use std::sync::Arc;
/// use taut_world::{Gusts, Scene, Wind, WindLaw};
///
/// let mut scene = Scene::new();
/// scene.forces.push(Arc::new(Wind {
///     gusts: Some(Gusts { strength: 0.5, size: 3.0, seed: 7 }),
///     ..Wind::new([4.0, 0.0, 1.0])
/// }));
/// scene.forces.push(Arc::new(Wind {
///     law: WindLaw::Normal { pressure: 0.5 },
///     ..Wind::new([0.0, 0.0, 2.0])
/// }));
/// ```
///
/// Sources: J. Mosegaard, "Mosegaards Cloth Simulation Coding Tutorial" (2009), for the normal law;
/// G. K. Batchelor, "An Introduction to Fluid Dynamics" (1967), section 5.11, for drag and lift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// The velocity of the air where no gust is, m/s.
    pub velocity: [f32; 3],
    /// Whether and how it varies.
    pub gusts: Option<Gusts>,
    /// What it does to a triangle.
    pub law: WindLaw,
}

impl Wind {
    /// A uniform wind of air at sea level on plates with drag alone; `velocity` in m/s.
    pub fn new(velocity: [f32; 3]) -> Self {
        let law = WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 };
        Self { velocity, gusts: None, law }
    }
}

impl Force for Wind {
    /// # Panics
    /// If a face has a corner that is no particle.
    fn push(&self, matter: &Model, moment: &Moment, forces: &mut Forces) {
        match self.law {
            WindLaw::Normal { pressure } => {
                let law = Normal { half_pressure: 0.5 * pressure };
                self.blow_by(matter, moment, forces, law);
            }
            WindLaw::Plate { density, drag, lift: 0.0 } => {
                let law = Drag { quarter_density: 0.25 * density, drag };
                self.blow_by(matter, moment, forces, law);
            }
            WindLaw::Plate { density, drag, lift } => {
                let law = DragAndLift {
                    quarter_density: 0.25 * density,
                    drag,
                    lift,
                    reach: drag / (drag * drag + lift * lift),
                };
                self.blow_by(matter, moment, forces, law);
            }
        }
    }

    fn touches(&self, matter: &Model) -> bool {
        !matter.faces.is_empty()
    }
}

impl Wind {
    fn blow_by(&self, matter: &Model, moment: &Moment, forces: &mut Forces, law: impl Law) {
        match self.gusts {
            None => self.blow(matter, moment, forces, law, Steady),
            Some(gusts) => {
                let lattice = gusts.lattice(self.velocity, moment.time);
                self.blow(matter, moment, forces, law, lattice);
            }
        }
    }

    fn blow(
        &self,
        matter: &Model,
        moment: &Moment,
        forces: &mut Forces,
        law: impl Law,
        gusts: impl Gusty,
    ) {
        if matter.faces.is_empty() {
            return;
        }
        let layout = matter.faces.layout();
        let [on_particles, mut on_triangles] = forces.and_on_triangles(layout.slots());
        widest(Blow {
            layout,
            position: [0, 1, 2].map(|axis| matter.particles.positions(axis)),
            previous: [0, 1, 2].map(|axis| matter.particles.previous(axis)),
            inverse_mass: matter.particles.inverse_masses(),
            velocity: self.velocity,
            third_per_h: THIRD / moment.h,
            third_of_most_h: layout.around.most as f32 * THIRD * moment.h,
            law,
            gusts,
            on_triangles: on_triangles.each_mut().map(|column| &mut column[..]),
        });
        let on_triangles = on_triangles.map(|column| &*column);
        widest(Gather { around: &layout.around, on_triangles, on_particles });
    }
}

/// What a law makes of a triangle.
trait Law: Copy {
    /// Its force, N, by its normal of length 2 A, m²; the velocity of the air to it, m/s; and what
    /// one over is the most, kg/s, that may come of force by velocity.
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3];
}

#[inline(always)]
fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    (ax * bx + ay * by) + az * bz
}

#[inline(always)]
fn scaled([x, y, z]: [f32; 3], by: f32) -> [f32; 3] {
    [x * by, y * by, z * by]
}

/// Whether something of this squared length has a direction: not too short, and not too long.
#[inline(always)]
fn has_direction(squared_length: f32) -> bool {
    (f32::MIN_POSITIVE..=f32::MAX).contains(&squared_length)
}

#[derive(Clone, Copy)]
struct Normal {
    half_pressure: f32,
}

impl Law for Normal {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let l2 = dot(normal, normal);
        let l = l2.sqrt();
        let across = dot(normal, u);
        let gentle = (self.half_pressure * l) * loose <= 1.0;
        let above = if gentle { self.half_pressure * across } else { across };
        let below = if gentle { l } else { l2 * loose };
        scaled(normal, if has_direction(l2) { above / below } else { 0.0 })
    }
}

#[derive(Clone, Copy)]
struct Drag {
    quarter_density: f32,
    drag: f32,
}

impl Law for Drag {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let by_speed = self.drag * (self.quarter_density * dot(normal, u).abs());
        scaled(u, if by_speed * loose <= 1.0 { by_speed } else { 1.0 / loose })
    }
}

#[derive(Clone, Copy)]
struct DragAndLift {
    quarter_density: f32,
    drag: f32,
    lift: f32,
    /// How much of both together lets nothing grow: with d of drag and l of lift, `u` becomes
    /// `(1 - d) u` and `l |u|` across it; that is no longer than `u` if `d² + l² <= 2 d`.
    reach: f32,
}

impl Law for DragAndLift {
    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let (across, u2) = (dot(normal, u), dot(u, u));
        let by_speed = self.quarter_density * across.abs();
        let by_speed = if by_speed * loose <= self.reach { by_speed } else { self.reach / loose };
        let r2 = dot(normal, normal) * u2;
        let lift = self.lift * (if across < 0.0 { -by_speed } else { by_speed });
        let lift = if has_direction(r2) { lift / r2.sqrt() } else { 0.0 };
        let along = self.drag * by_speed - lift * across;
        let lift = lift * u2;
        core::array::from_fn(|axis| u[axis] * along + normal[axis] * lift)
    }
}

/// Where gusts are.
trait Gusty: Copy {
    /// By what the wind is multiplied at a place, m.
    fn at(self, place: [f32; 3]) -> f32;
}

#[derive(Clone, Copy)]
struct Steady;

impl Gusty for Steady {
    #[inline(always)]
    fn at(self, _: [f32; 3]) -> f32 {
        1.0
    }
}

impl Gusty for Lattice {
    #[inline(always)]
    fn at(self, place: [f32; 3]) -> f32 {
        self.factor(place)
    }
}

/// The force on each triangle.
struct Blow<'a, L, G> {
    layout: &'a Layout,
    position: [&'a [f32]; 3],
    previous: [&'a [f32]; 3],
    inverse_mass: &'a [f32],
    velocity: [f32; 3],
    third_per_h: f32,
    third_of_most_h: f32,
    law: L,
    gusts: G,
    on_triangles: [&'a mut [f32]; 3],
}

/// A column at the corners of a block.
#[inline(always)]
fn lanes(column: &[f32], corners: &Corners) -> [Lanes; 3] {
    let mut all = [[0.0; BLOCK]; 3];
    // Loops, as `map` of an array may not be inlined.
    match corners {
        Corners::Consecutive(firsts) => {
            for (lanes, first) in all.iter_mut().zip(firsts) {
                *lanes = *block(column, *first as usize);
            }
        }
        Corners::Scattered(particles) => {
            for (lanes, particles) in all.iter_mut().zip(&**particles) {
                for (lane, particle) in lanes.iter_mut().zip(particles) {
                    *lane = column[*particle as usize];
                }
            }
        }
    }
    all
}

/// The block of a column that begins at a place.
#[inline(always)]
fn block(column: &[f32], from: usize) -> &Lanes {
    column[from..].first_chunk().expect("blocks lie within columns")
}

impl<L: Law, G: Gusty> Pass for Blow<'_, L, G> {
    #[inline(always)]
    fn run(self) {
        let mut on_triangles = self.on_triangles;
        for Block { corners, slot } in &self.layout.blocks {
            let [mut to_b, mut to_c, mut moved, mut middle] = [[[0.0; BLOCK]; 3]; 4];
            for axis in 0..3 {
                let [a, b, c] = lanes(self.position[axis], corners);
                let [was_a, was_b, was_c] = lanes(self.previous[axis], corners);
                for lane in 0..BLOCK {
                    to_b[axis][lane] = b[lane] - a[lane];
                    to_c[axis][lane] = c[lane] - a[lane];
                    middle[axis][lane] = ((a[lane] + b[lane]) + c[lane]) * THIRD;
                    moved[axis][lane] = ((a[lane] - was_a[lane]) + (b[lane] - was_b[lane]))
                        + (c[lane] - was_c[lane]);
                }
            }
            let inverse_masses = lanes(self.inverse_mass, corners);
            let share = block(&self.layout.share, *slot as usize);
            let mut force = [[0.0; BLOCK]; 3];
            for lane in 0..BLOCK {
                let of_lane = |vectors: &[Lanes; 3]| [0, 1, 2].map(|axis| vectors[axis][lane]);
                let [bx, by, bz] = of_lane(&to_b);
                let [cx, cy, cz] = of_lane(&to_c);
                let normal = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
                let gust = self.gusts.at(of_lane(&middle));
                let moved = of_lane(&moved);
                let u = [0, 1, 2]
                    .map(|axis| self.velocity[axis] * gust - moved[axis] * self.third_per_h);
                let [a, b, c] = [0, 1, 2].map(|corner| inverse_masses[corner][lane]);
                let most = |a: f32, b: f32| if a > b { a } else { b };
                let loose = most(most(a, b), c) * self.third_of_most_h;
                let on_triangle = self.law.force(normal, u, loose);
                for axis in 0..3 {
                    force[axis][lane] = on_triangle[axis] * share[lane];
                }
            }
            for (column, force) in on_triangles.iter_mut().zip(&force) {
                column[*slot as usize..][..BLOCK].copy_from_slice(force);
            }
        }
    }
}

/// What each particle gets of the triangles around it.
struct Gather<'a> {
    around: &'a Around,
    on_triangles: [&'a [f32]; 3],
    on_particles: [&'a mut [f32]; 3],
}

impl Pass for Gather<'_> {
    #[inline(always)]
    fn run(mut self) {
        for span in &self.around.spans {
            let mut nth = 0;
            while nth + BLOCK <= span.len as usize {
                self.add::<BLOCK>(span, &mut nth);
            }
            // What is left of a row, in as few pieces as can be.
            let rest = span.len as usize - nth;
            if rest & 8 > 0 {
                self.add::<8>(span, &mut nth);
            }
            if rest & 4 > 0 {
                self.add::<4>(span, &mut nth);
            }
            if rest & 2 > 0 {
                self.add::<2>(span, &mut nth);
            }
            if rest & 1 > 0 {
                self.add::<1>(span, &mut nth);
            }
        }
    }
}

impl Gather<'_> {
    /// Adds to the next particles of a span what is in the slots around them.
    #[inline(always)]
    fn add<const N: usize>(&mut self, span: &Span, nth: &mut usize) {
        let slots = self.around.of(span);
        for (particles, column) in self.on_particles.iter_mut().zip(self.on_triangles) {
            let mut sums = [0.0; N];
            for &slot in slots {
                let column = &column[slot as usize + *nth..];
                let some: &[f32; N] = column.first_chunk().expect("spans lie within columns");
                for lane in 0..N {
                    sums[lane] += some[lane];
                }
            }
            let particles = &mut particles[span.first as usize + *nth..];
            let particles: &mut [f32; N] =
                particles.first_chunk_mut().expect("spans lie within columns");
            for lane in 0..N {
                particles[lane] += sums[lane];
            }
        }
        *nth += N;
    }
}
