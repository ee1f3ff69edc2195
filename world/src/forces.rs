//! Accumulated forces on particles.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use taut_core::{Column, PADDING, Particles, SlotLayout};

/// The force on each particle, N: a column for each axis.
///
/// ```
/// use taut_core::Particles;
/// use taut_world::Forces;
///
/// let particles = Particles::new(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0; 2])?;
/// let mut forces = Forces::none(&particles);
/// assert_eq!(forces.along(1), [0.0, 0.0]);
/// forces.add(0, [1.0, 2.0, 3.0]);
/// forces.columns_mut()[1][0] += 0.5;
/// assert_eq!(forces.along(1), [2.5, 0.0]);
/// forces.clear();
/// assert_eq!(forces.along(1), [0.0, 0.0]);
/// # Ok::<(), taut_core::ParticleError>(())
/// ```
#[derive(Debug)]
pub struct Forces<const D: usize = 3> {
    columns: [Column<f32>; D],
    len: usize,
    /// The forces by slot of a plan; computed when a stage needs them after a change.
    /// (A mutex, because stages run on several threads.)
    by_slot: Mutex<BySlot<D>>,
    /// Whether the columns are stale and count as 0, because zeros were not written after a clear. A
    /// loop that writes the force on every particle overwrites them; other code first calls
    /// [`write_pending_zeros`](Self::write_pending_zeros).
    zeros_pending: bool,
    /// A column of zeros, which [`along`](Self::along) returns while `zeros_pending` is set.
    zero_column: OnceLock<Vec<f32>>,
    /// Scratch memory for the force on each triangle, N, by its slot in the model's layout of faces.
    on_triangles: [Column<f32>; D],
}

/// The force in each slot of a plan, N.
#[derive(Debug)]
pub(crate) struct BySlot<const D: usize> {
    /// Whether the columns contain all forces added so far.
    up_to_date: bool,
    pub(crate) columns: [Vec<f32>; D],
}

impl<const D: usize> Default for BySlot<D> {
    fn default() -> Self {
        Self { up_to_date: false, columns: core::array::from_fn(|_| Vec::new()) }
    }
}

/// Columns for a loop over triangles.
pub(crate) struct TriangleScratch<'a, const D: usize> {
    /// Whether the columns of the particles are stale: they must be overwritten, not added to.
    pub(crate) overwrites: bool,
    /// The force on each particle, N.
    pub(crate) on_particles: [&'a mut [f32]; D],
    /// Scratch memory for the force on each triangle, N.
    pub(crate) on_triangles: [&'a mut [f32]; D],
}

impl<const D: usize> Forces<D> {
    /// A force of 0 on each of the particles.
    pub fn none(particles: &Particles<D>) -> Self {
        Self::with_len(particles.len())
    }

    fn with_len(len: usize) -> Self {
        let padded = len.next_multiple_of(PADDING);
        let column = || Column::from_iter(0, core::iter::repeat_n(0.0, padded));
        Self {
            columns: core::array::from_fn(|_| column()),
            len,
            by_slot: Mutex::default(),
            zeros_pending: true,
            zero_column: OnceLock::new(),
            on_triangles: core::array::from_fn(|_| Column::with_capacity(0, 0)),
        }
    }

    /// The forces on these particles, in their order.
    pub(crate) fn selected(&self, particles: &[u32]) -> Self {
        let mut selected = Self::with_len(particles.len());
        if !self.zeros_pending {
            for (column, from) in selected.columns_mut().into_iter().zip(&self.columns) {
                for (force, &particle) in column.iter_mut().zip(particles) {
                    *force = from[particle as usize];
                }
            }
        }
        selected
    }

    /// Removes all forces.
    pub fn clear(&mut self) {
        self.zeros_pending = true;
        self.invalidate_slots();
    }

    /// Copies the forces of `other`.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.clear();
        if !other.zeros_pending {
            self.zeros_pending = false;
            for (column, from) in self.columns.iter_mut().zip(&other.columns) {
                column.copy_from_slice(from);
            }
        }
    }

    fn invalidate_slots(&mut self) {
        self.by_slot.get_mut().unwrap_or_else(PoisonError::into_inner).up_to_date = false;
    }

    /// The forces by slot of the whole plan; 0 in padding slots of rows and copies. Requires
    /// [`write_pending_zeros`](Self::write_pending_zeros).
    pub(crate) fn by_slot(&self, layout: &SlotLayout<'_>) -> MutexGuard<'_, BySlot<D>> {
        let mut by_slot = self.by_slot.lock().unwrap_or_else(PoisonError::into_inner);
        if !by_slot.up_to_date {
            for (column, from) in by_slot.columns.iter_mut().zip(&self.columns) {
                column.clear();
                let from = &from[..self.len];
                if let SlotLayout::Rows { width, offsets, .. } = *layout {
                    // Row by row: a division per slot would be slow.
                    for row in from.chunks(width.max(1)) {
                        // The offset of padding is out of bounds.
                        let force_at =
                            |&offset: &u32| row.get(offset as usize).copied().unwrap_or_default();
                        column.extend(offsets.iter().map(force_at));
                    }
                } else if let SlotLayout::Copies { particles, copies, .. } = *layout {
                    for (first_copy, particle) in (0..copies)
                        .step_by(PADDING)
                        .flat_map(|first| (0..particles).map(move |particle| (first, particle)))
                    {
                        let force_on = |copy: usize| {
                            if copy < copies { from[copy * particles + particle] } else { 0.0 }
                        };
                        column.extend((first_copy..first_copy + PADDING).map(force_on));
                    }
                } else {
                    column.extend(from);
                }
            }
            by_slot.up_to_date = true;
        }
        by_slot
    }

    /// Writes zeros to the columns if no force was added, and marks the columns by slot as out of
    /// date.
    pub(crate) fn write_pending_zeros(&mut self) {
        self.invalidate_slots();
        if core::mem::take(&mut self.zeros_pending) {
            for column in &mut self.columns {
                column.fill(0.0);
            }
        }
    }

    /// The column of forces along an axis, N.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn along(&self, axis: usize) -> &[f32] {
        let column = &self.columns[axis][..self.len];
        if self.zeros_pending {
            self.zero_column.get_or_init(|| vec![0.0; self.len])
        } else {
            column
        }
    }

    /// The column of an axis with its padding. Requires
    /// [`write_pending_zeros`](Self::write_pending_zeros).
    pub(crate) fn padded(&self, axis: usize) -> &[f32] {
        &self.columns[axis]
    }

    /// All columns, mutable, N.
    pub fn columns_mut(&mut self) -> [&mut [f32]; D] {
        self.write_pending_zeros();
        let len = self.len;
        self.columns.each_mut().map(|column| &mut column[..len])
    }

    /// All columns, and scratch columns with at least `triangle_slots` entries for forces on triangles.
    /// `writes_all` states that the caller writes the force on every particle: then pending
    /// zeros are not written first.
    pub(crate) fn triangle_scratch(
        &mut self,
        writes_all: bool,
        triangle_slots: usize,
    ) -> TriangleScratch<'_, D> {
        if !writes_all {
            self.write_pending_zeros();
        }
        for column in &mut self.on_triangles {
            if column.len() < triangle_slots {
                column.resize(triangle_slots, 0.0);
            }
        }
        self.invalidate_slots();
        let len = self.len;
        TriangleScratch {
            overwrites: core::mem::take(&mut self.zeros_pending),
            on_particles: self.columns.each_mut().map(|column| &mut column[..len]),
            on_triangles: self.on_triangles.each_mut().map(|column| &mut column[..]),
        }
    }

    /// Adds to the force on one particle, N.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn add(&mut self, particle: usize, force: [f32; D]) {
        // The columns are padded.
        assert!(particle < self.len, "there is no particle {particle}");
        self.write_pending_zeros();
        for (column, component) in self.columns.iter_mut().zip(force) {
            column[particle] += component;
        }
    }
}
