//! Hanging bridges.

use super::builder::ModelBuilder;
use super::checks::{
    check_at_least, check_not_negative, check_positive, check_rectangle, check_sticks,
};
use super::{Model, ModelError};
use crate::drawing::ModelKind;
use crate::vector::{cross, difference, length, scaled, sum, to_f64, unit};

/// Largest number of ropes. It is limited because all particles of a plank are joined to each
/// other, so the number of sticks grows with the square of the number of ropes.
const ROPES_MAX: usize = 16;

const UP: [f64; 3] = [0.0, 1.0, 0.0];

/// The parameters of a hanging bridge.
///
/// The default has 24 planks of 4 kg on two ropes of 1 kg/m, 1 m apart, sags by 0.5 m, and has hand
/// rails 1 m above the deck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge {
    /// Number of planks, at least 1. Planks and the gaps between them are of equal length.
    pub planks: usize,
    /// Number of ropes that carry the planks, at equal distances, from 2 to 16.
    pub ropes: usize,
    /// Distance between the outer ropes, m.
    pub width: f32,
    /// Depth of the parabola on which the particles of the deck lie, in the middle between the ends, m; 0
    /// for a straight bridge.
    pub sag: f32,
    /// Height of a hand rail above each outer rope, m; 0 for none.
    pub rails: f32,
    /// The mass of a plank, kg.
    pub plank_mass: f32,
    /// Mass per length of every rope and rail, kg/m.
    pub density: f32,
}

impl Default for Bridge {
    fn default() -> Self {
        Self {
            planks: 24,
            ropes: 2,
            width: 1.0,
            sag: 0.5,
            rails: 1.0,
            plank_mass: 4.0,
            density: 1.0,
        }
    }
}

impl Model {
    /// A hanging bridge: planks on ropes whose ends are pinned. `from` and `to` are the middles of
    /// its two ends, m. Initially the ropes form the parabola of a load that is uniform along the
    /// bridge.
    ///
    /// A plank is rigid: it consists of two neighbouring particles of each rope, all joined to each
    /// other. A rail is a rope on uprights that stand on an outer rope; its ends are pinned, too.
    /// The faces are the tops of the planks. Groups: `start`, `end`, `ends` (the pinned particles);
    /// `deck` (the particles of the ropes that carry the planks, one cross-section after the other
    /// from start to end, each from right to left as seen when facing the end) and `rails`.
    ///
    /// ```
    /// use taut_world::{Bridge, Model};
    ///
    /// let bridge = Bridge { planks: 10, rails: 0.0, ..Bridge::default() };
    /// let bridge = Model::bridge([0.0, 5.0, 0.0], [8.0, 5.0, 0.0], &bridge)?;
    /// assert_eq!(bridge.groups["deck"].len(), 2 * (2 * 10 + 2)); // 2 ropes; 2 particles per plank, and the ends
    /// assert_eq!(bridge.faces.len(), 2 * 10);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// No plank, fewer than 2 or more than 16 ropes, or more than 2²⁴ particles or 2²⁷ sticks; a
    /// width, mass or density that is not above 0 and finite; a sag or rail below 0; ends without a
    /// horizontal distance.
    pub fn bridge(from: [f32; 3], to: [f32; 3], bridge: &Bridge) -> Result<Self, ModelError> {
        let Bridge { planks, ropes, .. } = *bridge;
        check_at_least("planks", "the number of planks of a bridge", planks, 1, "at least 1")?;
        let (range, must, count) = (2.0..=ROPES_MAX as f64, "from 2 to 16", ropes as f64);
        ModelError::check("ropes", "the number of ropes of a bridge", count, range, must)?;
        check_rectangle(planks.saturating_mul(2).saturating_add(2), ropes + 2)?; // and two rails
        // An upper bound. A plank has at most `2 ropes²` sticks in it and to the next one; the two
        // rails have 4 sticks along them and 8 to the deck per plank.
        check_sticks((planks as u128 + 1) * (2 * ropes * ropes + 12) as u128)?;
        let width = check_positive("width", "the width of a bridge, m,", bridge.width)?;
        let sag = check_not_negative("sag", "the sag of a bridge, m,", bridge.sag)?;
        let rails =
            check_not_negative("rails", "the height of a bridge's rails, m,", bridge.rails)?;
        let plank_mass =
            check_positive("plank_mass", "the mass of a plank, kg,", bridge.plank_mass)?;
        let density =
            check_positive("density", "the density of a bridge's ropes, kg/m,", bridge.density)?;

        let [from, to] = [from, to].map(to_f64);
        let span = difference(to, from);
        let [x, _, z] = span;
        let horizontal_span = length([x, 0.0, z]);
        let range = (core::ops::Bound::Excluded(0.0), core::ops::Bound::Unbounded);
        ModelError::check(
            "to",
            "the horizontal distance that a bridge spans, m,",
            horizontal_span,
            range,
            "above 0",
        )?;
        // Points to the left, facing the end.
        let side = unit(cross(UP, [x, 0.0, z])).unwrap_or_default();

        // Cross-sections from start to end. Between them, gaps and planks alternate, starting with a gap.
        let sections = 2 * planks + 2;
        let middle = |section: usize| {
            let t = section as f64 / (sections - 1) as f64;
            let sag_offset = scaled(UP, -4.0 * sag * t * (1.0 - t));
            sum(sum(from, scaled(span, t)), sag_offset)
        };
        let mut builder = ModelBuilder::new();
        for section in 0..sections {
            for rope in 0..ropes {
                let left = width * (rope as f64 / (ropes - 1) as f64 - 0.5);
                let particle = builder.add_particle(sum(middle(section), scaled(side, left)), 0.0);
                builder.add_to_group("deck", [particle]);
            }
        }
        let deck = |section: usize, rope: usize| (section * ropes + rope) as u32;
        for rope in 0..ropes {
            let line: Vec<u32> = (0..sections).map(|section| deck(section, rope)).collect();
            join_rope(&mut builder, &line, density);
        }
        for plank in 0..planks {
            // The sticks along the ropes exist already.
            let [near, far] = [2 * plank + 1, 2 * plank + 2];
            for one in 0..ropes {
                for other in one + 1..ropes {
                    builder.join([deck(near, one), deck(near, other)]);
                    builder.join([deck(far, one), deck(far, other)]);
                    builder.join([deck(near, one), deck(far, other)]).hidden = true;
                    builder.join([deck(far, one), deck(near, other)]).hidden = true;
                }
            }
            for section in [near, far] {
                for rope in 0..ropes {
                    builder.masses[deck(section, rope) as usize] += plank_mass / (2 * ropes) as f64;
                }
            }
            for rope in 1..ropes {
                let [a, b] = [deck(near, rope - 1), deck(near, rope)];
                let [c, d] = [deck(far, rope - 1), deck(far, rope)];
                builder.faces.extend([[a, c, d], [a, d, b]]);
            }
        }
        let mut ends: [Vec<u32>; 2] =
            [0, sections - 1].map(|section| (0..ropes).map(|rope| deck(section, rope)).collect());
        if rails > 0.0 {
            for rope in [0, ropes - 1] {
                let mut line = Vec::with_capacity(sections);
                for section in 0..sections {
                    let below = builder.points[deck(section, rope) as usize];
                    line.push(builder.add_particle(sum(below, scaled(UP, rails)), 0.0));
                }
                join_rope(&mut builder, &line, density);
                let over_planks = line.iter().enumerate().skip(1).take(2 * planks);
                for (section, &rail) in over_planks {
                    // An upright, and a hidden stick that braces it from the other side of the deck.
                    builder.join([deck(section, rope), rail]);
                    builder.join([deck(section, ropes - 1 - rope), rail]).hidden = true;
                }
                ends[0].push(line[0]);
                ends[1].push(line[sections - 1]);
                builder.add_to_group("rails", line);
            }
        }
        let [start, end] = ends;
        builder.add_to_group("ends", start.iter().chain(&end).copied());
        builder.add_to_group("start", start);
        builder.add_to_group("end", end);
        Ok(Self { kind: Some(ModelKind::Rope), ..builder.build()?.pinned("ends") })
    }
}

/// Joins consecutive particles, and adds half the mass of each stick to both its ends.
fn join_rope(builder: &mut ModelBuilder<3>, line: &[u32], density: f64) {
    for ends in line.windows(2) {
        let half_mass = density * builder.join([ends[0], ends[1]]).rest / 2.0;
        for &end in ends {
            builder.masses[end as usize] += half_mass;
        }
    }
}
