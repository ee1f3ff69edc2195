//! Plants: stems, branches and leaves, held up by support sticks.

use core::f64::consts::PI;
use std::collections::{BTreeSet, VecDeque};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_core::check_limit;

use super::builder::ModelBuilder;
use super::checks::{check_at_least, check_fraction, check_not_negative, check_positive};
use super::{Model, ModelError};
use crate::drawing::ModelKind;
use crate::vector::{dot, length, perpendicular, scaled, sum, unit};

/// Largest number of particles of a plant.
const PARTICLES_MAX: usize = 1 << 20;
/// Length of a branch at the base of its stem, as a fraction of the stem's length. It decreases
/// linearly to half of that at the tip.
const BRANCH_LENGTH: f64 = 0.7;
/// Thickness of a branch, as a fraction of that of its stem at the joint.
const BRANCH_THICKNESS: f64 = 0.6;
/// Thickness of the tip of a shoot, as a fraction of that at its base.
const TIP_THICKNESS: f64 = 0.3;
/// Tangent of the angle between a piece of a shoot and the axis of the shoot.
const LEAN: f64 = 0.3;
/// Largest tangent of the angle by which the axis of a shoot turns at a joint, in a random direction.
const RANDOM_TURN: f64 = 0.1;
/// The golden angle, rad. In 3D, the side to which a shoot leans, and to which its branch grows, turns
/// by this angle from joint to joint (Vogel, "A better way to construct the sunflower head", 1979).
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Distance of the root ends from the stem, as a fraction of its length.
const ROOT_DISTANCE: f64 = 0.25;
/// Width of a leaf, as a fraction of its length.
const LEAF_WIDTH: f64 = 0.5;

/// The parameters of a plant.
///
/// The default is a shrub: a stem of 1 m, and branches with leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Length of the stem, m. The stem zigzags, so its tip is slightly lower.
    pub height: f32,
    /// Number of pieces of the stem, at least 2. A piece is a cylinder, and its far end is a joint.
    /// The pieces of a branch are about as long as those of the stem. A branch grows at each joint but the first and the last.
    pub pieces: usize,
    /// Depth of branching: 0 for a stem only, 1 for branches, 2 for branches of branches.
    pub levels: u32,
    /// Angle between a branch and its stem, rad, from 0 to π.
    pub angle: f32,
    /// Length of a leaf, m; 0 for no leaves. Leaves grow on the branches of the last level (with 0
    /// levels on the stem), at each joint but the first.
    pub leaf: f32,
    /// Thickness of the stem at the ground, m.
    pub thickness: f32,
    /// Density of the wood, kg/m³.
    pub wood_density: f32,
    /// Mass of the leaves per area, kg/m².
    pub leaf_density: f32,
    /// Stiffness of the support sticks, above 0 and up to 1.
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

/// A stem or branch that is to be added.
struct Shoot<const D: usize> {
    /// The particle at which it begins.
    from: u32,
    /// Its direction at the base; its pieces lean to different sides of it.
    axis: [f64; D],
    /// Length, m.
    length: f64,
    /// Number of pieces.
    pieces: usize,
    /// Thickness at its base, m.
    thickness: f64,
    /// Depth of branching; 0 for the stem.
    level: u32,
}

impl<const D: usize> Model<D> {
    /// A plant that grows upwards (along the second axis) from the origin.
    ///
    /// Sticks join neighbours: the ends of a piece, successive corners of a leaf, and the foot of the
    /// stem and the root ends. Support sticks join every two particles that share a neighbour, which
    /// keeps every angle (Jakobsen 2001, "support sticks between strategically chosen couples of vertices
    /// sharing a neighbor"). More iterations bend the plant less; one per substep is intended.
    ///
    /// These sticks alone are not enough: with one iteration per 1/60 s, they hold up a stem of 1 m
    /// of at most four pieces in 2D, and no stem in 3D, where a joint can turn about the line between
    /// its neighbours. So further support sticks join every joint and leaf tip to the root ends, which
    /// are pinned around the foot of the stem.
    ///
    /// A leaf is a rhombus of two faces; in 3D, their upper side is the front. The pieces get thinner
    /// towards the tips. Groups: `root` (the foot of the stem and the root ends, all pinned), `stem`,
    /// `branches`, `leaves`, `tips` (the ends of all shoots, which are the stem and the branches).
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
        let mut builder = PlantBuilder::new(plant)?;
        let ground = builder.model.add_particle([0.0; D], 1.0); // 1 kg until it is pinned
        let roots = builder.add_roots(ground, up, ROOT_DISTANCE * builder.height);
        builder.add_pending_pieces(plant.pieces)?;
        let mut shoots = VecDeque::from([Shoot {
            from: ground,
            axis: up,
            length: builder.height,
            pieces: plant.pieces,
            thickness: builder.thickness,
            level: 0,
        }]);
        while let Some(shoot) = shoots.pop_front() {
            builder.add_shoot(&shoot, &mut shoots)?;
        }
        builder.check_particle_count()?; // the last leaves are not checked yet
        builder.add_support(&roots);
        Ok(Self { kind: Some(ModelKind::Plant), ..builder.model.build()?.pinned("root") })
    }
}

/// A plant under construction, with its checked parameters.
struct PlantBuilder<'a, const D: usize> {
    plant: &'a Plant,
    height: f64,
    thickness: f64,
    wood_density: f64,
    leaf: f64,
    leaf_density: f64,
    /// Sine and cosine of the angle between a branch and its stem.
    angle: (f64, f64),
    random: Random,
    model: ModelBuilder<D>,
    /// Number of pieces of all shoots that are not added yet.
    pending_pieces: u128,
    /// The particles to join to the root ends by support sticks.
    root_supported: Vec<u32>,
}

impl<'a, const D: usize> PlantBuilder<'a, D> {
    fn new(plant: &'a Plant) -> Result<Self, ModelError> {
        check_at_least("pieces", "the number of pieces of a stem", plant.pieces, 2, "at least 2")?;
        check_positive("stiffness", "the stiffness of a plant", plant.stiffness)?;
        check_fraction("stiffness", "the stiffness of a plant", plant.stiffness)?;
        let &Plant { angle, wood_density, leaf_density, .. } = plant;
        let (angle, range) = (f64::from(angle), 0.0..=f64::from(core::f32::consts::PI));
        ModelError::check("angle", "the angle of a branch, rad,", angle, range, "from 0 to pi")?;
        Ok(Self {
            plant,
            height: check_positive("height", "the height of a plant, m,", plant.height)?,
            thickness: check_positive("thickness", "the thickness of a stem, m,", plant.thickness)?,
            wood_density: check_positive(
                "wood_density",
                "the density of wood, kg/m³,",
                wood_density,
            )?,
            leaf: check_not_negative("leaf", "the length of a leaf, m,", plant.leaf)?,
            leaf_density: check_positive(
                "leaf_density",
                "the density of leaves, kg/m²,",
                leaf_density,
            )?,
            angle: libm::sincos(angle),
            random: Random(ChaCha8Rng::seed_from_u64(plant.seed)),
            model: ModelBuilder::new(),
            pending_pieces: 0,
            root_supported: Vec::new(),
        })
    }

    /// Adds the root ends around the foot of the stem: two in 2D, one to each side; three in 3D.
    fn add_roots(&mut self, ground: u32, up: [f64; D], distance: f64) -> Vec<u32> {
        let across = core::array::from_fn(|axis| if axis == 0 { 1.0 } else { 0.0 });
        let mut sides = Sides::around(up, across, 2.0 * PI / 3.0);
        let roots: Vec<u32> = (0..D)
            .map(|_| self.model.add_particle(scaled(sides.next(up), distance), 1.0))
            .collect();
        for &root in &roots {
            self.model.join([ground, root]);
        }
        self.model.add_to_group("root", [ground]);
        self.model.add_to_group("root", roots.iter().copied());
        roots
    }

    /// Counts the pieces of a shoot that is not added yet, so that a plant that would be too large
    /// is rejected before it is built.
    fn add_pending_pieces(&mut self, pieces: usize) -> Result<(), ModelError> {
        self.pending_pieces += pieces as u128;
        self.check_particle_count()
    }

    fn check_particle_count(&self) -> Result<(), ModelError> {
        let total = self.model.points.len() as u128 + self.pending_pieces;
        check_limit("particles of a plant", total, PARTICLES_MAX)?;
        Ok(())
    }

    /// Adds a shoot with its leaves, and appends its branches to `shoots`.
    fn add_shoot(
        &mut self,
        shoot: &Shoot<D>,
        shoots: &mut VecDeque<Shoot<D>>,
    ) -> Result<(), ModelError> {
        let (sine, cosine) = self.angle;
        let is_last_level = shoot.level == self.plant.levels;
        let piece_length = shoot.length / shoot.pieces as f64;
        let mut axis = shoot.axis;
        let mut sides = Sides::around(axis, self.random.perpendicular_to(axis), GOLDEN_ANGLE);
        let mut end = shoot.from;
        for joint in 1..=shoot.pieces {
            let fraction = joint as f64 / shoot.pieces as f64;
            let thickness = shoot.thickness * (1.0 - (1.0 - TIP_THICKNESS) * fraction);
            let side = sides.next(axis);
            let direction = blended(axis, 1.0, side, LEAN);
            end = self.add_piece(end, scaled(direction, piece_length), thickness, shoot.level)?;
            let out = blended(axis, cosine, side, sine);
            let (is_first_joint, is_tip) = (joint == 1, joint == shoot.pieces);
            if is_last_level && !is_first_joint && self.leaf > 0.0 {
                self.add_leaf(end, if is_tip { axis } else { out });
            }
            if is_tip {
                self.model.add_to_group("tips", [end]);
            } else if !is_last_level && !is_first_joint {
                let length = BRANCH_LENGTH * shoot.length * (1.0 - fraction / 2.0);
                #[allow(clippy::cast_sign_loss, reason = "a count")]
                let pieces = (libm::round(length / piece_length) as usize).max(2);
                self.add_pending_pieces(pieces)?;
                shoots.push_back(Shoot {
                    from: end,
                    axis: out,
                    length,
                    pieces,
                    thickness: BRANCH_THICKNESS * thickness,
                    level: shoot.level + 1,
                });
            }
            axis = blended(
                axis,
                1.0,
                self.random.perpendicular_to(axis),
                RANDOM_TURN * self.random.uniform(),
            );
        }
        Ok(())
    }

    /// Adds a cylinder of wood, with half its mass at each end. Returns the joint at its end.
    fn add_piece(
        &mut self,
        from: u32,
        offset: [f64; D],
        thickness: f64,
        level: u32,
    ) -> Result<u32, ModelError> {
        self.check_particle_count()?; // leaves add particles, too, and are not counted in advance
        self.pending_pieces -= 1;
        let builder = &mut self.model;
        let volume = PI / 4.0 * thickness * thickness * length(offset);
        let half_mass = self.wood_density * volume / 2.0;
        let to = builder.add_particle(sum(builder.points[from as usize], offset), half_mass);
        builder.masses[from as usize] += half_mass;
        builder.join([from, to]);
        builder.add_to_group(if level == 0 { "stem" } else { "branches" }, [to]);
        self.root_supported.push(to);
        Ok(to)
    }

    /// Adds a leaf: a rhombus from `base` in the direction `out`. Its width has a random direction,
    /// in 3D the part perpendicular to `out` of a random horizontal one.
    fn add_leaf(&mut self, base: u32, out: [f64; D]) {
        let mut across = self.random.direction();
        if D > 2 {
            across[1] = 0.0;
        }
        let mut across =
            unit(perpendicular(across, out)).unwrap_or_else(|| self.random.perpendicular_to(out));
        // Makes `across` point to the left of `out`, seen from above.
        if D > 2 && out[2] * across[0] - out[0] * across[2] < 0.0 {
            across = scaled(across, -1.0);
        }
        let half_width = LEAF_WIDTH * self.leaf / 2.0;
        let quarter_mass = self.leaf_density * self.leaf * half_width / 4.0;
        let builder = &mut self.model;
        let start = builder.points[base as usize];
        let middle = sum(start, scaled(out, self.leaf / 2.0));
        let left = builder.add_particle(sum(middle, scaled(across, half_width)), quarter_mass);
        let right = builder.add_particle(sum(middle, scaled(across, -half_width)), quarter_mass);
        let tip = builder.add_particle(sum(start, scaled(out, self.leaf)), quarter_mass);
        builder.masses[base as usize] += quarter_mass;
        for ends in [[base, left], [base, right], [left, tip], [right, tip]] {
            builder.join(ends);
        }
        builder.add_to_group("leaves", [left, right, tip]);
        builder.faces.extend([[base, right, left], [right, tip, left]]);
        self.root_supported.push(tip);
    }

    /// Adds support sticks between every two particles that share a neighbour and are not joined,
    /// and from each particle in `root_supported` to each root end.
    fn add_support(&mut self, roots: &[u32]) {
        let builder = &mut self.model;
        let mut neighbours = vec![Vec::new(); builder.points.len()];
        let mut joined = BTreeSet::new();
        for stick in &builder.sticks {
            let [a, b] = stick.ends;
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
            joined.insert([a.min(b), a.max(b)]);
        }
        let mut support = |one: u32, other: u32| {
            let ends = [one.min(other), one.max(other)];
            if joined.insert(ends) {
                let stick = builder.join(ends);
                stick.stiffness = self.plant.stiffness;
                stick.hidden = true;
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
        for &particle in &self.root_supported {
            for &root in roots {
                support(root, particle);
            }
        }
    }
}

/// The direction of a weighted sum of two directions.
fn blended<const D: usize>(
    one: [f64; D],
    weight: f64,
    other: [f64; D],
    other_weight: f64,
) -> [f64; D] {
    unit(sum(scaled(one, weight), scaled(other, other_weight))).unwrap_or(one)
}

/// Random numbers and directions, reproducible by seed on every machine.
struct Random(ChaCha8Rng);

impl Random {
    /// A number from -1 to 1, uniformly distributed.
    fn uniform(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    /// A direction, uniformly distributed.
    fn direction<const D: usize>(&mut self) -> [f64; D] {
        // Points in the unit ball only: points in a cube would favour directions to its corners.
        loop {
            let point = core::array::from_fn(|_| self.uniform());
            if let Some(direction) = unit(point).filter(|_| dot(point, point) <= 1.0) {
                return direction;
            }
        }
    }

    /// A direction perpendicular to a given one.
    fn perpendicular_to<const D: usize>(&mut self, direction: [f64; D]) -> [f64; D] {
        loop {
            let side = perpendicular(self.direction(), direction);
            // If the random direction is within 0.01 rad of a parallel to the given one, try another.
            if let Some(side) = unit(side).filter(|_| dot(side, side) > 1e-4) {
                return side;
            }
        }
    }
}

/// The directions to which a shoot leans, and to which its branches grow, joint by joint.
struct Sides<const D: usize> {
    /// The first side, of length 1.
    first: [f64; D],
    /// Perpendicular to `first` and to the shoot, of length 1; 0 in 2D.
    second: [f64; D],
    /// The angle from one side to the next, rad.
    turn: f64,
    /// The angle from `first` to the side that [`next`](Self::next) returns, rad.
    angle: f64,
}

impl<const D: usize> Sides<D> {
    /// Sides of a shoot along `axis`, of which the first is `first`, with the angle `turn`, rad, from
    /// each to the next. In 2D, where there are two sides, `turn` is ignored.
    fn around(axis: [f64; D], first: [f64; D], turn: f64) -> Self {
        // The part of each coordinate axis that is perpendicular to `axis` and `first`. The longest of
        // these parts gives the second direction.
        let perpendicular_parts = (0..D).map(|along| {
            let coordinate_axis = core::array::from_fn(|i| f64::from(u8::from(i == along)));
            perpendicular(perpendicular(coordinate_axis, axis), first)
        });
        let longest = perpendicular_parts
            .max_by(|a, b| dot(*a, *a).total_cmp(&dot(*b, *b)))
            .unwrap_or([0.0; D]);
        let (second, turn) =
            if D > 2 { (unit(longest).unwrap_or([0.0; D]), turn) } else { ([0.0; D], PI) };
        Self { first, second, turn, angle: 0.0 }
    }

    /// The next side: a unit vector perpendicular to `axis`.
    fn next(&mut self, axis: [f64; D]) -> [f64; D] {
        let (sine, cosine) = libm::sincos(self.angle);
        self.angle += self.turn;
        let side = sum(scaled(self.first, cosine), scaled(self.second, sine));
        // The axis of the shoot may have turned since `around`.
        unit(perpendicular(side, axis)).unwrap_or(self.first)
    }
}
