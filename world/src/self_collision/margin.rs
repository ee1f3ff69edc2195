//! How far apart balls may be to be near each other.

use super::motions::Motions;

/// How far apart balls may be to be near each other, in addition to their thickness: the distance of
/// their positions at the end of this substep counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Margin<'a> {
    /// A margin that depends on the motion of the balls. It is large enough to find all pairs that touch
    /// in this substep or the following ones, `substeps` in all, if two balls deviate from uniform motion
    /// by at most `deviation`, m, relative to each other.
    Uniform { substeps: u32, deviation: f32 },
    /// This margin, m, for all balls.
    Distance(f32),
    /// The sum of the radii of the clusters of the two balls, m. The list has the radius of each cluster.
    Radii(&'a [f32]),
}

impl Margin<'_> {
    /// The margin of the balls of two clusters, m. `motions` are those of this substep; only
    /// [`Margin::Uniform`] needs them.
    #[inline(always)]
    pub(super) fn of<const D: usize>(self, clusters: [usize; 2], motions: &Motions<D>) -> f32 {
        match self {
            // Positions are those at the end of this substep. Its beginning is one displacement back,
            // and the end of the last substep is `substeps - 1` displacements ahead. The larger of the
            // two numbers of displacements covers both.
            Self::Uniform { substeps, deviation } => {
                deviation + (substeps - 1).max(1) as f32 * motions.relative(clusters)
            }
            Self::Distance(distance) => distance,
            Self::Radii(radii) => radii[clusters[0]] + radii[clusters[1]],
        }
    }

    /// The part of the margin that the boxes of clusters do not contain, m. (The boxes contain the
    /// motions and the radii.)
    #[inline(always)]
    pub(super) fn between_boxes(self) -> f32 {
        match self {
            Self::Uniform { deviation, .. } => deviation,
            Self::Distance(distance) => distance,
            Self::Radii(_) => 0.0,
        }
    }
}
