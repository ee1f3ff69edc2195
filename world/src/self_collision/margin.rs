//! How far apart balls may be to be near each other.

use super::motions::Motions;

/// How far apart balls may be to be near each other, in addition to their thickness.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Margin<'a> {
    /// Far enough to find all pairs that touch in this and the next substeps, `substeps` in all, if two
    /// balls deviate from uniform motion by at most `deviation`, m, relative to each other.
    Uniform { substeps: u32, deviation: f32 },
    /// A distance between their positions now, m.
    Distance(f32),
    /// The sum of the radii of their clusters, m, between their positions now.
    Radii(&'a [f32]),
}

/// The margin of two clusters.
#[derive(Clone, Copy)]
pub(super) enum ClusterMargin<'a, const D: usize> {
    /// A distance, m.
    Distance(f32),
    /// How far they move relative to each other in a number of substeps, and a distance, m. From the
    /// positions, at the end of this substep, its beginning is one displacement back, and the end of
    /// the last substep one ahead for each later one; the larger number suffices for both.
    Motions { motions: &'a Motions<D>, substeps: f32, distance: f32 },
    /// The sum of their radii, m.
    Radii(&'a [f32]),
}

impl<const D: usize> ClusterMargin<'_, D> {
    #[inline(always)]
    pub(super) fn of(self, clusters: [usize; 2]) -> f32 {
        match self {
            Self::Distance(distance) => distance,
            Self::Motions { motions, substeps, distance } => {
                distance + substeps * motions.relative(clusters)
            }
            Self::Radii(radii) => radii[clusters[0]] + radii[clusters[1]],
        }
    }

    /// The part of the margin that the boxes of clusters do not contain.
    #[inline(always)]
    pub(super) fn between_boxes(self) -> f32 {
        match self {
            Self::Distance(distance) | Self::Motions { distance, .. } => distance,
            Self::Radii(_) => 0.0,
        }
    }
}
