//! Plants: stems, branches and leaves that support sticks hold up.

use core::f64::consts::PI;
use std::collections::{BTreeSet, VecDeque};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_core::check_limit;

use super::parts::{Parts, at_least, not_negative, positive, share};
use super::{Model, ModelError};
use crate::drawing::Look;
use crate::vector::{dot, length, perpendicular, scaled, sum, unit};

/// Largest number of particles of a plant.
const PARTICLES_MAX: usize = 1 << 20;
/// Length and thickness of a branch, as shares of those of its stem from its joint on.
const BRANCH_LENGTH: f64 = 0.7;
const BRANCH_THICKNESS: f64 = 0.6;
/// Thickness of the tip of a shoot, as a share of that at its base.
const TIP_THICKNESS: f64 = 0.3;
/// Tangents of the turn of a shoot at each joint: systematic and random.
const KINK: f64 = 0.3;
const WOBBLE: f64 = 0.1;
/// From one joint to the next of a shoot in space, its sides turn by the golden angle, rad (as
/// leaves do: Vogel, "A better way to construct the sunflower head", 1979).
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Distance of the roots' ends from the stem, as a share of its length.
const ROOT_REACH: f64 = 0.25;
/// Width of a leaf, as a share of its length.
const LEAF_WIDTH: f64 = 0.5;

/// The parameters of a plant.
///
/// The default is a shrub, 1 m high, of a stem and branches with leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Length of the stem above the ground, m: slightly more than the height of the plant.
    pub height: f32,
    /// Number of pieces of the stem, at least 2; shorter branches have fewer. A branch grows at
    /// each joint above the first.
    pub pieces: usize,
    /// Depth of branching: 0 is a bare stem, 1 has branches, 2 has branches of branches.
    pub levels: u32,
    /// The angle between a branch and its stem, rad, from 0 to π.
    pub angle: f32,
    /// Length of a leaf, m; 0 for none. Leaves grow at the joints and tips of the last shoots.
    pub leaf: f32,
    /// Thickness of the stem at the ground, m.
    pub thickness: f32,
    /// The density of wood, kg/m³.
    pub wood_density: f32,
    /// The mass of leaves per area, kg/m².
    pub leaf_density: f32,
    /// The stiffness of support sticks, above 0 and up to 1.
    pub stiffness: f32,
    /// Seed of the random numbers: each seed gives a different plant.
    pub seed: u64,
}

impl Default for Plant {
    fn default() -> Self {
        Self {
            height: 1.0,
            pieces: 8,
            levels: 1,
            angle: 0.9,
            leaf: 0.1,
            thickness: 0.02,
            wood_density: 600.0,
            leaf_density: 0.2,
            stiffness: 1.0,
            seed: 0,
        }
    }
}

/// A stem or branch that is still to grow.
struct Shoot<const D: usize> {
    /// The particle that it leaves from.
    from: u32,
    /// Its direction of growth; its pieces lean to alternating sides of it.
    axis: [f64; D],
    length: f64,
    pieces: usize,
    thickness: f64,
    level: u32,
}

impl<const D: usize> Model<D> {
    /// A plant that grows upwards (along the second axis) from the origin.
    ///
    /// Sticks join neighbours; support sticks join every two particles that share a neighbour,
    /// which holds every angle (Jakobsen 2001, "support sticks between strategically chosen couples
    /// of vertices sharing a neighbor"). The number of iterations decides how much the plant bends:
    /// one per step is intended.
    ///
    /// These sticks alone, relaxed once per 1/60 s, hold up a metre of three or four pieces in 2D,
    /// and nothing in 3D, where a joint can turn about the line between its neighbours. So further
    /// support sticks join every joint and leaf tip to the roots' ends, which are pinned around the
    /// stem.
    ///
    /// A leaf is a rhomb of two faces, in three dimensions its upper side up. Pieces of wood are
    /// cylinders that get thinner towards the tips. Groups: `root` (the foot of the stem and the
    /// roots' ends, all pinned), `stem`, `branches`, `leaves`, `tips` (the ends of all shoots).
    ///
    /// ```
    /// use taut_world::{Model, Plant};
    ///
    /// let mut shrubs = Vec::new();
    /// for seed in 0..8 {
    ///     let shrub = Model::plant(&Plant { seed, ..Plant::default() })?;
    ///     shrubs.push(shrub.moved([0.8 * seed as f32, 0.0, 0.0]));
    /// }
    /// let hedge = Model::side_by_side(&shrubs)?;
    /// assert_eq!(hedge.groups["root"].len(), 8 * 4);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 pieces, or more than 2²⁰ particles; a height, thickness or density that is not
    /// above 0 and finite; a leaf below 0; an angle outside 0 to π; a stiffness that is not above
    /// 0 and at most 1; particles of less than 1e-9 or more than 1e9 kg.
    pub fn plant(plant: &Plant) -> Result<Self, ModelError> {
        const { assert!(D >= 2, "plants grow along the second axis") };
        let up: [f64; D] = core::array::from_fn(|axis| if axis == 1 { 1.0 } else { 0.0 });
        let mut growth = Growth::new(plant)?;
        let ground = growth.parts.particle([0.0; D], 1.0);
        let roots = growth.roots(ground, up, ROOT_REACH * growth.height);
        let mut shoots = VecDeque::from([Shoot {
            from: ground,
            axis: up,
            length: growth.height,
            pieces: plant.pieces,
            thickness: growth.thickness,
            level: 0,
        }]);
        while let Some(shoot) = shoots.pop_front() {
            growth.shoot(&shoot, &mut shoots)?;
        }
        growth.support(&roots);
        Ok(Self { look: Some(Look::Plant), ..growth.parts.finish()?.pinned("root") })
    }
}

/// A plant under construction, with its checked parameters.
struct Growth<'a, const D: usize> {
    plant: &'a Plant,
    height: f64,
    thickness: f64,
    wood_density: f64,
    leaf: f64,
    leaf_density: f64,
    /// Sine and cosine of the angle of branches.
    angle: (f64, f64),
    random: Random,
    parts: Parts<D>,
    /// The particles to be joined to the roots.
    root_supported: Vec<u32>,
}

impl<'a, const D: usize> Growth<'a, D> {
    fn new(plant: &'a Plant) -> Result<Self, ModelError> {
        at_least("pieces", "the number of pieces of a stem", plant.pieces, 2, "at least 2")?;
        positive("stiffness", "the stiffness of a plant", plant.stiffness)?;
        share("stiffness", "the stiffness of a plant", plant.stiffness)?;
        let (angle, &Plant { wood_density, leaf_density, .. }) = (f64::from(plant.angle), plant);
        ModelError::check("angle", "the angle of a branch, rad,", angle, 0.0..=PI, "from 0 to pi")?;
        Ok(Self {
            plant,
            height: positive("height", "the height of a plant, m,", plant.height)?,
            thickness: positive("thickness", "the thickness of a stem, m,", plant.thickness)?,
            wood_density: positive("wood_density", "the density of wood, kg/m³,", wood_density)?,
            leaf: not_negative("leaf", "the length of a leaf, m,", plant.leaf)?,
            leaf_density: positive("leaf_density", "the density of leaves, kg/m²,", leaf_density)?,
            angle: libm::sincos(angle),
            random: Random(ChaCha8Rng::seed_from_u64(plant.seed)),
            parts: Parts::new(),
            root_supported: Vec::new(),
        })
    }

    /// The ends of roots around the foot of the stem: one to each side in the plane, three in
    /// space.
    fn roots(&mut self, ground: u32, up: [f64; D], reach: f64) -> Vec<u32> {
        let across = core::array::from_fn(|axis| if axis == 0 { 1.0 } else { 0.0 });
        let mut sides = Sides::around(up, across, 2.0 * PI / 3.0);
        let roots: Vec<u32> =
            (0..D).map(|_| self.parts.particle(scaled(sides.next(up), reach), 1.0)).collect();
        for &root in &roots {
            self.parts.join([ground, root]);
        }
        self.parts.name("root", [ground]);
        self.parts.name("root", roots.iter().copied());
        roots
    }

    /// Grows a shoot to its tip, with its leaves; branches that leave it are added to `shoots`.
    fn shoot(
        &mut self,
        shoot: &Shoot<D>,
        shoots: &mut VecDeque<Shoot<D>>,
    ) -> Result<(), ModelError> {
        let (sine, cosine) = self.angle;
        let is_last = shoot.level == self.plant.levels;
        let piece = shoot.length / shoot.pieces as f64;
        let mut axis = shoot.axis;
        let mut sides = Sides::around(axis, self.random.beside(axis), GOLDEN_ANGLE);
        let mut here = shoot.from;
        for joint in 1..=shoot.pieces {
            let along = joint as f64 / shoot.pieces as f64;
            let thickness = shoot.thickness * (1.0 - (1.0 - TIP_THICKNESS) * along);
            let side = sides.next(axis);
            let to = mixed(axis, 1.0, side, KINK);
            here = self.piece(here, scaled(to, piece), thickness, shoot.level)?;
            let out = mixed(axis, cosine, side, sine);
            let (is_first, is_tip) = (joint == 1, joint == shoot.pieces);
            if is_last && !is_first && self.leaf > 0.0 {
                self.leaf(here, if is_tip { axis } else { out });
            }
            if is_tip {
                self.parts.name("tips", [here]);
            } else if !is_last && !is_first {
                let length = BRANCH_LENGTH * shoot.length * (1.0 - along / 2.0);
                #[allow(clippy::cast_sign_loss, reason = "a count")]
                let pieces = (libm::round(length / piece) as usize).max(2);
                shoots.push_back(Shoot {
                    from: here,
                    axis: out,
                    length,
                    pieces,
                    thickness: BRANCH_THICKNESS * thickness,
                    level: shoot.level + 1,
                });
            }
            axis = mixed(axis, 1.0, self.random.beside(axis), WOBBLE * self.random.number());
        }
        Ok(())
    }

    /// A round piece of wood, half of its mass at each end; returns the joint at its end.
    fn piece(
        &mut self,
        from: u32,
        along: [f64; D],
        thickness: f64,
        level: u32,
    ) -> Result<u32, ModelError> {
        let parts = &mut self.parts;
        check_limit("particles of a plant", parts.points.len() as u128 + 1, PARTICLES_MAX)?;
        let volume = PI / 4.0 * thickness * thickness * length(along);
        let half = self.wood_density * volume / 2.0;
        let to = parts.particle(sum(parts.points[from as usize], along), half);
        parts.masses[from as usize] += half;
        parts.join([from, to]);
        parts.name(if level == 0 { "stem" } else { "branches" }, [to]);
        self.root_supported.push(to);
        Ok(to)
    }

    /// Adds a leaf: a rhomb from `base` towards `out`, as level as possible.
    fn leaf(&mut self, base: u32, out: [f64; D]) {
        let mut across = self.random.direction();
        if D > 2 {
            across[1] = 0.0;
        }
        let mut across =
            unit(perpendicular(across, out)).unwrap_or_else(|| self.random.beside(out));
        // `across` to the left, seen from above.
        if D > 2 && out[2] * across[0] - out[0] * across[2] < 0.0 {
            across = scaled(across, -1.0);
        }
        let half_width = LEAF_WIDTH * self.leaf / 2.0;
        let quarter = self.leaf_density * self.leaf * half_width / 4.0;
        let parts = &mut self.parts;
        let start = parts.points[base as usize];
        let middle = sum(start, scaled(out, self.leaf / 2.0));
        let left = parts.particle(sum(middle, scaled(across, half_width)), quarter);
        let right = parts.particle(sum(middle, scaled(across, -half_width)), quarter);
        let tip = parts.particle(sum(start, scaled(out, self.leaf)), quarter);
        parts.masses[base as usize] += quarter;
        for ends in [[base, left], [base, right], [left, tip], [right, tip]] {
            parts.join(ends);
        }
        parts.name("leaves", [left, right, tip]);
        parts.faces.extend([[base, right, left], [right, tip, left]]);
        self.root_supported.push(tip);
    }

    /// Adds support sticks between every two particles that share a neighbour and are not joined,
    /// and from the roots.
    fn support(&mut self, roots: &[u32]) {
        let parts = &mut self.parts;
        let mut neighbours = vec![Vec::new(); parts.points.len()];
        let mut joined = BTreeSet::new();
        for stick in &parts.sticks {
            let [a, b] = stick.ends;
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
            joined.insert([a.min(b), a.max(b)]);
        }
        let mut support = |one: u32, other: u32| {
            let ends = [one.min(other), one.max(other)];
            if joined.insert(ends) {
                let stick = parts.join(ends);
                stick.stiffness = self.plant.stiffness;
                stick.unseen = true;
                stick.bending = true;
            }
        };
        for around in &neighbours {
            for (nth, &one) in around.iter().enumerate() {
                for &other in &around[nth + 1..] {
                    support(one, other);
                }
            }
        }
        for &root_supported in &self.root_supported {
            for &root in roots {
                support(root, root_supported);
            }
        }
    }
}

/// The direction between two.
fn mixed<const D: usize>(one: [f64; D], of_one: f64, other: [f64; D], of_other: f64) -> [f64; D] {
    unit(sum(scaled(one, of_one), scaled(other, of_other))).unwrap_or(one)
}

/// Random numbers and directions, reproducible by seed on every machine.
struct Random(ChaCha8Rng);

impl Random {
    /// From -1 to 1.
    fn number(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    /// Any direction.
    fn direction<const D: usize>(&mut self) -> [f64; D] {
        // From the unit ball: the cube would favour its corners.
        loop {
            let point = core::array::from_fn(|_| self.number());
            if let Some(direction) = unit(point).filter(|_| dot(point, point) <= 1.0) {
                return direction;
            }
        }
    }

    /// A direction perpendicular to one.
    fn beside<const D: usize>(&mut self, direction: [f64; D]) -> [f64; D] {
        loop {
            let beside = perpendicular(self.direction(), direction);
            // Nearly parallel directions have a negligible perpendicular part.
            if let Some(side) = unit(beside).filter(|_| dot(beside, beside) > 1e-4) {
                return side;
            }
        }
    }
}

/// The sides of a shoot to which its joints go, one after the other.
struct Sides<const D: usize> {
    one: [f64; D],
    /// Perpendicular to it and to the shoot; nothing in the plane.
    other: [f64; D],
    /// From one side to the next, rad.
    turn: f64,
    turned: f64,
}

impl<const D: usize> Sides<D> {
    fn around(axis: [f64; D], one: [f64; D], turn: f64) -> Self {
        // The axis direction that is most independent of the other two.
        let rests = (0..D).map(|which| {
            let along = core::array::from_fn(|axis| if axis == which { 1.0 } else { 0.0 });
            perpendicular(perpendicular(along, axis), one)
        });
        let most = rests.max_by(|a, b| dot(*a, *a).total_cmp(&dot(*b, *b))).unwrap_or([0.0; D]);
        let (other, turn) =
            if D > 2 { (unit(most).unwrap_or([0.0; D]), turn) } else { ([0.0; D], PI) };
        Self { one, other, turn, turned: 0.0 }
    }

    fn next(&mut self, axis: [f64; D]) -> [f64; D] {
        let (sine, cosine) = libm::sincos(self.turned);
        self.turned += self.turn;
        let side = sum(scaled(self.one, cosine), scaled(self.other, sine));
        // The shoot may have turned since.
        unit(perpendicular(side, axis)).unwrap_or(self.one)
    }
}
