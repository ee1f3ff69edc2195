//! Hanging bridges.

use super::parts::{Parts, at_least, not_negative, positive, rectangle_checked, sticks_checked};
use super::{Model, ModelError};
use crate::drawing::Look;
use crate::vector::{cross, difference, length, scaled, sum, unit, wide};

/// Largest number of ropes: all of a plank's particles are joined to each other.
const ROPES_MAX: usize = 16;

const UP: [f64; 3] = [0.0, 1.0, 0.0];

/// The parameters of a hanging bridge.
///
/// The default has 24 planks of 4 kg on two ropes of 1 kg/m, a metre apart, and sags by half a
/// metre; hand rails are a metre above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge {
    /// Number of planks, at least 1. Planks and the gaps between them are equally long.
    pub planks: usize,
    /// The ropes that planks lie on, at equal distances, from 2 to 16.
    pub ropes: usize,
    /// Distance of the outer ropes, m.
    pub width: f32,
    /// Depth of its middle below the line between its ends, m; 0 is straight.
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
    /// its two ends, m; the ropes begin as the parabola of a load that is even along the bridge.
    ///
    /// A plank is rigid: it consists of two neighbouring particles of each rope, all joined to each
    /// other. A rail is a rope that hangs on uprights from the outer ropes, and is pinned at its
    /// ends, too. Faces are the tops of the planks. Groups: `start`, `end`, `ends`; `deck` (the
    /// ropes' particles, from the start on, in each cross-section from right to left as one walks)
    /// and `rails`.
    ///
    /// ```
    /// use taut_world::{Bridge, Model};
    ///
    /// let bridge = Bridge { planks: 10, rails: 0.0, ..Bridge::default() };
    /// let bridge = Model::bridge([0.0, 5.0, 0.0], [8.0, 5.0, 0.0], &bridge)?;
    /// assert_eq!(bridge.groups["deck"].len(), 2 * (2 * 10 + 2)); // two ends besides
    /// assert_eq!(bridge.faces.len(), 2 * 10);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// No plank, fewer than 2 or more than 16 ropes, or more than 2²⁴ particles or 2²⁷ sticks; a
    /// width, mass or density that is not above 0 and finite; a sag or rail below 0; ends with no
    /// horizontal distance.
    pub fn bridge(from: [f32; 3], to: [f32; 3], bridge: &Bridge) -> Result<Self, ModelError> {
        let Bridge { planks, ropes, .. } = *bridge;
        at_least("planks", "the number of planks of a bridge", planks, 1, "at least 1")?;
        let (sane, must, count) = (2.0..=ROPES_MAX as f64, "from 2 to 16", ropes as f64);
        ModelError::check("ropes", "the number of ropes of a bridge", count, sane, must)?;
        rectangle_checked(planks.saturating_mul(2).saturating_add(2), ropes + 2)?;
        // All particles of a plank are joined to each other, and some to the next and to rails.
        sticks_checked((planks as u128 + 1) * (2 * ropes * ropes + 12) as u128)?;
        let width = positive("width", "the width of a bridge, m,", bridge.width)?;
        let sag = not_negative("sag", "the sag of a bridge, m,", bridge.sag)?;
        let rails = not_negative("rails", "the height of a bridge's rails, m,", bridge.rails)?;
        let plank_mass = positive("plank_mass", "the mass of a plank, kg,", bridge.plank_mass)?;
        let density =
            positive("density", "the density of a bridge's ropes, kg/m,", bridge.density)?;

        let [from, to] = [from, to].map(wide);
        let along = difference(to, from);
        // Walking along, `side` points to the left.
        let [x, _, z] = along;
        let level = length([x, 0.0, z]);
        let sane = (core::ops::Bound::Excluded(0.0), core::ops::Bound::Unbounded);
        ModelError::check("to", "the level distance a bridge spans, m,", level, sane, "above 0")?;
        let side = unit(cross(UP, [x, 0.0, z])).unwrap_or_default();

        // Cross-sections from end to end: a gap, then planks and gaps alternate.
        let sections = 2 * planks + 2;
        let middle = |section: usize| {
            let t = section as f64 / (sections - 1) as f64;
            let hanging = scaled(UP, -4.0 * sag * t * (1.0 - t));
            sum(sum(from, scaled(along, t)), hanging)
        };
        let mut parts = Parts::new();
        for section in 0..sections {
            for rope in 0..ropes {
                let left = width * (rope as f64 / (ropes - 1) as f64 - 0.5);
                let particle = parts.particle(sum(middle(section), scaled(side, left)), 0.0);
                parts.name("deck", [particle]);
            }
        }
        let deck = |section: usize, rope: usize| (section * ropes + rope) as u32;
        for rope in 0..ropes {
            let line: Vec<u32> = (0..sections).map(|section| deck(section, rope)).collect();
            stretch_rope(&mut parts, &line, density);
        }
        for plank in 0..planks {
            // The sticks along the ropes exist already.
            let [near, far] = [2 * plank + 1, 2 * plank + 2];
            for one in 0..ropes {
                for other in one + 1..ropes {
                    parts.join([deck(near, one), deck(near, other)]);
                    parts.join([deck(far, one), deck(far, other)]);
                    parts.join([deck(near, one), deck(far, other)]).unseen = true;
                    parts.join([deck(far, one), deck(near, other)]).unseen = true;
                }
            }
            for section in [near, far] {
                for rope in 0..ropes {
                    parts.masses[deck(section, rope) as usize] += plank_mass / (2 * ropes) as f64;
                }
            }
            for rope in 1..ropes {
                let [a, b] = [deck(near, rope - 1), deck(near, rope)];
                let [c, d] = [deck(far, rope - 1), deck(far, rope)];
                parts.faces.extend([[a, c, d], [a, d, b]]);
            }
        }
        let mut ends: [Vec<u32>; 2] =
            [0, sections - 1].map(|section| (0..ropes).map(|rope| deck(section, rope)).collect());
        if rails > 0.0 {
            for rope in [0, ropes - 1] {
                let mut line = Vec::with_capacity(sections);
                for section in 0..sections {
                    let below = parts.points[deck(section, rope) as usize];
                    line.push(parts.particle(sum(below, scaled(UP, rails)), 0.0));
                }
                stretch_rope(&mut parts, &line, density);
                let over_planks = line.iter().enumerate().skip(1).take(2 * planks);
                for (section, &rail) in over_planks {
                    // Upright, and kept so by the other side of the deck.
                    parts.join([deck(section, rope), rail]);
                    parts.join([deck(section, ropes - 1 - rope), rail]).unseen = true;
                }
                ends[0].push(line[0]);
                ends[1].push(line[sections - 1]);
                parts.name("rails", line);
            }
        }
        let [start, end] = ends;
        parts.name("ends", start.iter().chain(&end).copied());
        parts.name("start", start);
        parts.name("end", end);
        Ok(Self { look: Some(Look::Rope), ..parts.finish()?.pinned("ends") })
    }
}

/// Joins consecutive particles, and gives each half the mass of its sticks.
fn stretch_rope(parts: &mut Parts<3>, line: &[u32], density: f64) {
    for ends in line.windows(2) {
        let half = density * parts.join([ends[0], ends[1]]).rest / 2.0;
        for &end in ends {
            parts.masses[end as usize] += half;
        }
    }
}
