//! The default order of a mesh.

use super::banded::is_mostly_runs;
use super::{BLOCK_PARTICLES, Builder, Schedule, starred};
use crate::particles::Particles;
use crate::real::Real;
use crate::renumbering::Renumbering;
use crate::sticks::Sticks;

/// The order that [`Schedule::for_mesh`] makes of a mesh.
///
/// ```
/// use taut_core::{Duplicates, MeshOrder, Sticks};
///
/// let chain: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
/// let sticks = Sticks::with_rests(100, &chain, &[1.0; 99], Duplicates::Keep)?;
/// assert_eq!(MeshOrder::of(&sticks), MeshOrder::Banded);
/// # Ok::<(), taut_core::StickError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshOrder {
    /// [`Schedule::banded`], for a mesh whose numbering has runs.
    Banded,
    /// [`Schedule::blocked`], which makes one coloured block of a small mesh.
    Blocked,
    /// [`Schedule::starred`] in the numbering of [`Renumbering::reverse_cuthill_mckee`], for a larger
    /// mesh. The particles keep their numbers.
    Starred,
}

impl MeshOrder {
    /// [`Banded`](Self::Banded) if at least half of the sticks are in runs of at least
    /// [`RUN_STICKS`](super::RUN_STICKS) sticks. Otherwise [`Blocked`](Self::Blocked) if there are no
    /// sticks, or at most [`BLOCK_PARTICLES`] particles (too few to fill packets of stars); else
    /// [`Starred`](Self::Starred). For more than 65,536 particles the fraction is estimated from a
    /// sample of the sticks, which is the same on every machine.
    pub fn of<S: Real>(sticks: &Sticks<S>) -> Self {
        if is_mostly_runs(sticks) {
            Self::Banded
        } else if sticks.particles() <= BLOCK_PARTICLES || sticks.is_empty() {
            Self::Blocked
        } else {
            Self::Starred
        }
    }
}

impl Schedule {
    /// The default for a mesh: the schedule that [`MeshOrder::of`] names.
    ///
    /// A large mesh whose sticks join particles far apart in memory is relaxed faster, above all on
    /// several threads, if its particles are first renumbered by
    /// [`Renumbering::reverse_cuthill_mckee`]; [`Schedule::starred`] of the renumbered sticks is the
    /// same order as this one. That numbering depends on the ends of the sticks and on the order in
    /// which they are listed.
    ///
    /// # Panics
    /// If the order is [`MeshOrder::Blocked`] and there are fewer particles than
    /// [`Sticks::particles`].
    pub fn for_mesh<const D: usize, S: Real>(
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Self {
        match MeshOrder::of(sticks) {
            MeshOrder::Banded => Self::banded(sticks),
            MeshOrder::Blocked => Self::blocked(particles, sticks),
            MeshOrder::Starred => {
                let renumbering = Renumbering::reverse_cuthill_mckee(sticks);
                let mut builder = Builder::new(sticks.len());
                starred::build(&sticks.renumbered(&renumbering.new_of_old), &mut builder);
                builder.finish_proven(sticks)
            }
        }
    }
}
