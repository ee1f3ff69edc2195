//! Schedules: the order in which sticks are relaxed. It decides the result; kernels decide the
//! speed.

mod banded;
mod blocked;
mod builder;
mod coloured;
mod copies;
mod error;
mod find_sheet;
mod mesh_order;
mod packed;
mod parts;
mod sheet;
mod side_by_side;
mod starred;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::PlanError;
use crate::lists::item_range;
use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::Sticks;

pub use banded::{BAND_PARTICLES, RUN_STICKS};
pub use blocked::BLOCK_PARTICLES;
use builder::Builder;
pub use copies::Copies;
pub use error::ScheduleError;
pub use mesh_order::MeshOrder;
pub use packed::{OPEN_PACKETS, PACKET_STICKS};
pub use parts::{Block, Phase};
pub use sheet::{
    BAND_ROWS, BAND_WIDTH_MAX, BLOCK_ROWS, Family, Sheet, SheetBlock, SheetError, WIDE_BAND_ROWS,
};
pub use starred::{STAR_BAND_PARTICLES, STAR_STICKS};

/// [`Schedule::side_by_side`] makes a cloth of at most this many sticks one block: they are too few
/// to share among threads.
pub const CLOTH_STICKS: usize = 8192;

/// A validated order of relaxation.
///
/// A schedule is a sequence of *phases*; a phase is a set of *blocks* that share no particle;
/// a block is a sequence of *batches*; a batch is a set of sticks no two of which share a
/// particle, pinned or not. So SIMD lanes can relax a batch and threads the blocks of a phase
/// in parallel, and every kernel gives the same bits on the same schedule.
///
/// A schedule is built and validated once. It depends on the sticks (and, for
/// [`Schedule::blocked`], on the positions), never on the machine. Batches that a builder makes
/// hold either only plain sticks or no plain sticks.
///
/// The order affects stability too. Relaxing all sticks of a particle before those of the next, as
/// in authored lists, is slow (each stick waits for the one before it) and unstable for large
/// sheets with one iteration per step; see the constructors.
///
/// ```
/// use taut_core::{Duplicates, Schedule, Sticks};
///
/// let chain: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
/// let sticks = Sticks::with_rests(100, &chain, &[1.0; 99], Duplicates::Keep)?;
/// let schedule = Schedule::coloured(&sticks);
/// // Two colours suffice: every other stick.
/// assert_eq!(schedule.batches().map(<[u32]>::len).collect::<Vec<_>>(), [50, 49]);
/// # Ok::<(), taut_core::StickError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The numbers of the sticks.
    order: Vec<u32>,
    /// Where each batch ends in `order`.
    batch_ends: Vec<u32>,
    /// Where each block ends in `batch_ends`.
    block_ends: Vec<u32>,
    /// Where each phase ends in `block_ends`.
    phase_ends: Vec<u32>,
    /// The ends of the sticks that the order was validated against.
    ends: Arc<[[u32; 2]]>,
    /// The number of particles: every end is below this.
    particles: usize,
    sheet: Option<Sheet>,
    copies: Option<Copies>,
}

/// Equal if the order, the ends of the sticks and the number of particles are equal, even if only one
/// of the two has a [`sheet`](Schedule::sheet) or [`copies`](Schedule::copies).
impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.has_order_of(other) && self.ends == other.ends
    }
}

impl Eq for Schedule {}

impl Schedule {
    /// A schedule from phases of blocks of batches of stick numbers.
    ///
    /// # Errors
    /// If a stick is missing, unknown or listed twice, if two sticks of a batch share a particle,
    /// or if two blocks of a phase do.
    pub fn new<S: Real>(
        sticks: &Sticks<S>,
        phases: &[Vec<Vec<Vec<u32>>>],
    ) -> Result<Self, ScheduleError> {
        let mut builder = Builder::new(sticks.len());
        for phase in phases {
            for block in phase {
                for batch in block {
                    builder.add_batch(batch.iter().copied());
                }
                builder.end_block();
            }
            builder.end_phase();
        }
        builder.finish(sticks)
    }

    /// The order as [`Schedule::new`] takes it: phases of blocks of batches of stick numbers.
    ///
    /// With the feature `serde` a schedule is serialized in this form. To read it back, pass it and
    /// the sticks to `Schedule::new`. ([`sheet`](Self::sheet) is then `None`; [`Sheet::schedule`]
    /// rebuilds the schedule of a sheet.)
    pub fn to_phases(&self) -> Vec<Vec<Vec<Vec<u32>>>> {
        let batches = |block: Block<'_>| block.batches().map(<[u32]>::to_vec).collect();
        self.phases().map(|phase| phase.blocks().map(batches).collect()).collect()
    }

    /// The sticks in the order of their numbers, one per batch: a plain Gauss-Seidel sweep over a
    /// list, as in papers and tutorials.
    ///
    /// **Warning**: lists generated particle by particle relax slowly in this order, because each
    /// stick waits for the one before it. And with one iteration per step a large sheet with shear
    /// and bend sticks blows up, in `f64` too: 64 x 64 with every formula except
    /// [`Halley`](crate::Halley), 128 x 128 with every formula (docs/stability.md). This order is
    /// meant for comparison.
    pub fn authored<S: Real>(sticks: &Sticks<S>) -> Self {
        let mut builder = Builder::new(sticks.len());
        for stick in 0..sticks.len() as u32 {
            builder.add_batch([stick]);
        }
        builder.end_block();
        builder.end_phase();
        builder.finish_proven(sticks)
    }

    /// Colours that span the whole mesh; each colour is a phase of one block of one batch. Each stick
    /// gets the first colour that is free at both ends, [in the order of their ends](Sticks::by_ends),
    /// plain sticks first. Then sticks move from large colours to small ones that are free at both
    /// ends.
    ///
    /// There are at most `2 Δ - 1` colours of plain sticks, where Δ is the largest number of plain
    /// sticks at one particle, usually Δ to Δ + 2. The same holds for non-plain sticks. With one
    /// iteration per step the order was stable on every sheet of docs/stability.md, but it converges
    /// worse than the other schedules and reads all particles once per colour.
    pub fn coloured<S: Real>(sticks: &Sticks<S>) -> Self {
        let mut builder = Builder::new(sticks.len());
        let mut colouring = coloured::Colouring::new(sticks.particles());
        for group in plain_first(sticks, sticks.by_ends()) {
            colouring.colour(sticks.ends(), &group, |batch| {
                builder.add_batch(batch.iter().copied());
                builder.end_block();
                builder.end_phase();
            });
        }
        builder.finish_proven(sticks)
    }

    /// Packets of [`PACKET_STICKS`] independent sticks from a local window: each stick, [in the
    /// order of their ends](Sticks::by_ends), joins the first of at most [`OPEN_PACKETS`] open
    /// packets in which its ends do not occur yet. One phase, one block.
    ///
    /// The order is fast and cache-friendly, and converges like the authored order. With one
    /// iteration per step it was stable on every sheet of docs/stability.md. It is not a default,
    /// because a packet mixes sticks of several directions.
    pub fn packed<S: Real>(sticks: &Sticks<S>) -> Self {
        let mut builder = Builder::new(sticks.len());
        let mut packer = packed::Packer::new(sticks.particles());
        for group in plain_first(sticks, sticks.by_ends()) {
            packer.pack_sticks(sticks, &group, &mut builder);
        }
        builder.end_block();
        builder.end_phase();
        builder.finish_proven(sticks)
    }

    /// Bands of at most [`STAR_BAND_PARTICLES`] consecutive particles (longer ones only if sticks reach
    /// far), each relaxed in packets of [`PACKET_STICKS`] *stars* that share no particle, from a local window as in
    /// [`Schedule::packed`]. A star is a particle, its *centre*, with [`STAR_STICKS`] of its sticks.
    /// A packet has [`STAR_STICKS`] batches, each with one stick of every star; kernels keep the
    /// centres of a packet in registers. The sticks of a band that are in no full packet of stars are
    /// packed last. Then come the seam sticks between those bands, in bands with shifted boundaries,
    /// and then the sticks left over.
    ///
    /// This is the fastest schedule for large meshes without runs, and in the numbering of
    /// [`Renumbering::reverse_cuthill_mckee`](crate::Renumbering::reverse_cuthill_mckee) their default
    /// (see [`Schedule::for_mesh`]). With one iteration per step it was stable on every sheet of
    /// docs/stability.md (with the formula `newton` on all but one), and on three of its four spheres.
    pub fn starred<S: Real>(sticks: &Sticks<S>) -> Self {
        let mut builder = Builder::new(sticks.len());
        starred::build(sticks, &mut builder);
        builder.finish_proven(sticks)
    }

    /// Blocks of at most [`BLOCK_PARTICLES`] particles that lie near each other, coloured
    /// inside; then the seam sticks between those blocks, in blocks with shifted boundaries;
    /// then the seams between the shifted blocks in the same way. The sticks left over form one block.
    ///
    /// Blocks follow a Hilbert curve through the positions. Particles in the same cell of the curve
    /// are in the order of their numbers (see [`Renumbering::hilbert`](crate::Renumbering::hilbert)),
    /// but otherwise blocks do not depend on the numbers of the particles. They fit in the cache, and
    /// threads can work on different blocks. With one iteration per step the order was stable on
    /// every sheet of docs/stability.md, but only on two of its four spheres. A mesh that fits in one
    /// block is coloured: the default for small meshes without runs (see [`Schedule::for_mesh`]).
    ///
    /// # Panics
    /// If there are fewer particles than [`Sticks::particles`].
    pub fn blocked<const D: usize, S: Real>(
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Self {
        assert!(particles.len() >= sticks.particles(), "the sticks need more particles");
        let mut builder = Builder::new(sticks.len());
        blocked::build(particles, sticks, &mut builder);
        builder.finish_proven(sticks)
    }

    /// Bands of at least [`BAND_PARTICLES`] consecutive particles. A band relaxes its runs of at
    /// least [`RUN_STICKS`] sticks, one *direction* (the difference of the numbers of a stick's
    /// ends) after the other, and then its other sticks by colours. Then come the seam sticks
    /// between those bands, in bands with shifted boundaries, and then the sticks left over.
    ///
    /// It is meant for meshes that are numbered row by row, as modelling tools and generators number
    /// cloth: kernels load runs without gathering. The order depends on particle numbers only. It is as
    /// parallel as [`Schedule::blocked`], and converges better, because a band is relaxed direction by
    /// direction. With one iteration per step it was stable on every sheet of docs/stability.md.
    pub fn banded<S: Real>(sticks: &Sticks<S>) -> Self {
        let mut builder = Builder::new(sticks.len());
        banded::build(sticks, &mut builder);
        builder.finish_proven(sticks)
    }

    /// Merges the schedules of several cloths into one for the sticks of [`Sticks::side_by_side`].
    /// Each cloth is relaxed, bit for bit, as it would be alone:
    ///
    /// - A cloth of at most [`CLOTH_STICKS`] becomes one block, with its phases in sequence, or
    ///   shares one with others (see below).
    /// - For larger cloths, the first phases are merged into one phase, then the second ones, and
    ///   so on.
    /// - Small cloths whose batches do not fill a register, such as ropes, plants and ragdolls,
    ///   share blocks, in which the next batches of all are merged again and again: plain ones with
    ///   plain ones, as long as there are any.
    ///
    /// Where each cloth is one block (a small cloth, a [packed](Self::packed) one, or a sheet of
    /// one block), threads can run all iterations of a cloth without waiting for another cloth.
    ///
    /// ```
    /// use std::iter::repeat_n;
    /// use taut_core::{Duplicates, Family, Schedule, Sheet, Sticks};
    ///
    /// let sheet = Sheet::new(32, 32, Family::BEND);
    /// let rests = vec![1.0; sheet.pairs().len()];
    /// let sticks = Sticks::with_rests(32 * 32, &sheet.pairs(), &rests, Duplicates::Keep)?;
    /// let schedule = sheet.schedule(&sticks)?;
    ///
    /// let many = Sticks::side_by_side(repeat_n(&sticks, 100))?;
    /// let schedule = Schedule::side_by_side(&many, repeat_n(&schedule, 100))?;
    /// let phases: Vec<_> = schedule.phases().map(|phase| phase.blocks().count()).collect();
    /// assert_eq!(phases, [100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sticks of all schedules is not that of `sticks`, if cloths share a particle,
    /// or if a schedule is not valid for the ends of its sticks.
    pub fn side_by_side<'a, S: Real>(
        sticks: &Sticks<S>,
        schedules: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Self, ScheduleError> {
        let schedules: Vec<&Self> = schedules.into_iter().collect();
        side_by_side::merge(sticks, &schedules)
    }

    /// The same order for the same sticks after [`Renumbering::apply`](crate::Renumbering::apply).
    /// The renumbering changes the memory layout of the particles, but no bit of the result.
    /// [`sheet`](Self::sheet) and [`copies`](Self::copies) become `None`.
    ///
    /// # Errors
    /// If the number of sticks differs, or if this order is not valid for their ends.
    pub fn renumbered<S: Real>(&self, sticks: &Sticks<S>) -> Result<Self, ScheduleError> {
        Builder { schedule: Self { sheet: None, copies: None, ..self.clone() } }.finish(sticks)
    }

    /// The phases, in sequence.
    pub fn phases(&self) -> impl Iterator<Item = Phase<'_>> {
        (0..self.phase_ends.len())
            .map(|phase| Phase { schedule: self, blocks: item_range(&self.phase_ends, phase) })
    }

    /// All batches, in sequence, ignoring blocks and phases.
    pub fn batches(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.batch_ends.len()).map(|batch| &self.order[item_range(&self.batch_ends, batch)])
    }

    /// All sticks, in sequence.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many sticks there are.
    pub fn sticks(&self) -> usize {
        self.order.len()
    }

    /// The number of particles that the ends were checked against: every end is below this.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// Checks that the schedule was made for these sticks, or for others with the same ends.
    ///
    /// # Errors
    /// [`PlanError::OtherSchedule`] with the first stick that differs.
    pub fn check<S: Real>(&self, sticks: &Sticks<S>) -> Result<(), PlanError> {
        match sticks.first_difference(&self.ends) {
            Some(stick) => Err(PlanError::OtherSchedule { stick }),
            None => Ok(()),
        }
    }

    /// The regular sheet that implies this schedule, if any: the grid kernel requires one.
    pub fn sheet(&self) -> Option<&Sheet> {
        self.sheet.as_ref()
    }

    /// The copies in this schedule, if it merges equal parts [side by side](Self::side_by_side):
    /// the copies kernel requires them.
    pub fn copies(&self) -> Option<&Copies> {
        self.copies.as_ref()
    }

    /// The ends of the sticks, in the order of their numbers.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Whether both schedules have the same order and number of particles; the ends may differ.
    fn has_order_of(&self, other: &Self) -> bool {
        self.order == other.order
            && self.batch_ends == other.batch_ends
            && self.block_ends == other.block_ends
            && self.phase_ends == other.phase_ends
            && self.particles == other.particles
    }

    fn with_sheet(self, sheet: Sheet) -> Self {
        Self { sheet: Some(sheet), ..self }
    }

    /// Returns the schedule if it meets the definition of a schedule, else the first violation.
    fn validated(self) -> Result<Self, ScheduleError> {
        let sticks = self.ends.len();
        let mut ordered = alloc::vec![false; sticks];
        // For each particle: the last batch so far that has one of its sticks, and the last phase and
        // block that have one; `u32::MAX`: none.
        let mut last_batch = alloc::vec![u32::MAX; self.particles];
        let mut last_block = alloc::vec![(u32::MAX, u32::MAX); self.particles];
        let mut block = 0;
        for phase in 0..self.phase_ends.len() {
            for _ in item_range(&self.phase_ends, phase) {
                for batch in item_range(&self.block_ends, block) {
                    for &stick in &self.order[item_range(&self.batch_ends, batch)] {
                        match ordered.get_mut(stick as usize) {
                            Some(ordered @ false) => *ordered = true,
                            _ => return Err(ScheduleError::NotOnce { stick, batch, sticks }),
                        }
                        for particle in self.ends[stick as usize] {
                            let in_batch = &mut last_batch[particle as usize];
                            if core::mem::replace(in_batch, batch as u32) == batch as u32 {
                                return Err(ScheduleError::DependentBatch {
                                    stick,
                                    particle,
                                    batch,
                                });
                            }
                            let (in_phase, in_block) = core::mem::replace(
                                &mut last_block[particle as usize],
                                (phase as u32, block as u32),
                            );
                            if in_phase == phase as u32 && in_block != block as u32 {
                                return Err(ScheduleError::DependentBlocks {
                                    block,
                                    particle,
                                    phase,
                                });
                            }
                        }
                    }
                }
                block += 1;
            }
        }
        if self.order.len() == sticks {
            Ok(self)
        } else {
            Err(ScheduleError::WrongStickCount { ordered: self.order.len(), sticks })
        }
    }
}

/// Splits `order` into plain sticks and non-plain sticks, each in that order. Either list may be
/// empty.
fn plain_first<S: Real>(sticks: &Sticks<S>, order: impl IntoIterator<Item = u32>) -> [Vec<u32>; 2] {
    let (plain, non_plain) = order.into_iter().partition(|&stick| sticks.is_plain(stick as usize));
    [plain, non_plain]
}

#[cfg(feature = "serde")]
impl serde::Serialize for Schedule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_phases().serialize(serializer)
    }
}
