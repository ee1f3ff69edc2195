//! Triangles of a model.

mod incidence;
mod layout;

use core::ops::Deref;
use std::sync::OnceLock;

pub(crate) use incidence::{CHUNK, ParticleChunk};
pub(crate) use layout::{FaceLayout, Slots, Triangles};

/// Triangles by the indices of their corners, counter-clockwise seen from outside. They are made from
/// a list, and dereference to a slice.
///
/// Wind visits the triangles in another order, in which neighbours are adjacent in memory. That order
/// is computed on first use and cached. Adding triangles discards it; [`retain`](Self::retain) only
/// removes triangles from it.
///
/// ```
/// use taut_world::Faces;
///
/// let mut square = Faces::from(vec![[0, 1, 2], [0, 2, 3]]);
/// square.retain(|corners| !corners.contains(&3)); // torn off
/// assert_eq!(*square, [[0, 1, 2]]);
/// square.extend([[2, 1, 4]]);
/// assert_eq!(square.len(), 2);
/// // Each triangle keeps its number.
/// assert_eq!((square.numbers(), square.removed()), (&[0, 2][..], &[1][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Faces {
    corners: Vec<[u32; 3]>,
    /// The number of each triangle.
    numbers: Vec<u32>,
    /// The numbers of the removed triangles.
    removed: Vec<u32>,
    /// How many entries of `removed` [`take_unrecorded`](Self::take_unrecorded) has returned.
    recorded: usize,
    /// The order in which wind visits the triangles; computed on first use.
    layout: OnceLock<FaceLayout>,
}

impl Faces {
    /// Removes the triangles for which `keep` is false. Cheap: the order in which wind visits the
    /// remaining triangles is not computed again.
    pub fn retain(&mut self, mut keep: impl FnMut([u32; 3]) -> bool) {
        let mut removed = Vec::new();
        let mut face = 0;
        self.corners.retain(|&corners| {
            let is_kept = keep(corners);
            if !is_kept {
                removed.push(face);
            }
            face += 1;
            is_kept
        });
        self.removed.extend(removed.iter().map(|&face| self.numbers[face]));
        remove_indices(&mut self.numbers, &removed);
        if let Some(layout) = self.layout.get_mut() {
            layout.remove(&removed);
        }
    }

    /// The permanent number of each triangle: 0 for the first one ever added, and so on; removals
    /// do not change it.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The numbers of the removed triangles, in order of removal.
    pub fn removed(&self) -> &[u32] {
        &self.removed
    }

    /// The numbers of the triangles that were removed since the last call of this method.
    pub(crate) fn take_unrecorded(&mut self) -> &[u32] {
        let first = core::mem::replace(&mut self.recorded, self.removed.len());
        &self.removed[first..]
    }

    /// The triangles whose corners are all in `particles`, which are in ascending order; the result
    /// numbers them from 0. `new_of` returns the new index of a particle, or None if it is not in
    /// `particles`. If the layout is computed, the number of triangles that it has for each particle is
    /// kept, so that the wind on the triangles is the same as before.
    pub(crate) fn part(&self, particles: &[u32], new_of: impl Fn(u32) -> Option<u32>) -> Self {
        let triangles = self.corners.iter().filter_map(|corners| {
            let [a, b, c] = corners.map(&new_of);
            Some([a?, b?, c?])
        });
        let part: Self = triangles.collect();
        if let Some(layout) = self.layout.get() {
            let part_layout = FaceLayout::new(&part.corners).with_counts_of(layout, particles);
            return Self { layout: OnceLock::from(part_layout), ..part };
        }
        part
    }

    /// The order in which wind visits the triangles.
    pub(crate) fn layout(&self) -> &FaceLayout {
        self.layout.get_or_init(|| FaceLayout::new(&self.corners))
    }
}

impl Deref for Faces {
    type Target = [[u32; 3]];

    fn deref(&self) -> &[[u32; 3]] {
        &self.corners
    }
}

impl From<Vec<[u32; 3]>> for Faces {
    fn from(corners: Vec<[u32; 3]>) -> Self {
        let numbers = (0..corners.len() as u32).collect();
        Self { corners, numbers, removed: Vec::new(), recorded: 0, layout: OnceLock::new() }
    }
}

impl FromIterator<[u32; 3]> for Faces {
    fn from_iter<I: IntoIterator<Item = [u32; 3]>>(faces: I) -> Self {
        Self::from(Vec::from_iter(faces))
    }
}

impl Extend<[u32; 3]> for Faces {
    fn extend<I: IntoIterator<Item = [u32; 3]>>(&mut self, faces: I) {
        let next = (self.numbers.len() + self.removed.len()) as u32;
        self.corners.extend(faces);
        let new = (self.corners.len() - self.numbers.len()) as u32;
        self.numbers.extend(next..next + new);
        self.layout = OnceLock::new();
    }
}

impl IntoIterator for Faces {
    type Item = [u32; 3];
    type IntoIter = std::vec::IntoIter<[u32; 3]>;

    fn into_iter(self) -> Self::IntoIter {
        self.corners.into_iter()
    }
}

impl<'a> IntoIterator for &'a Faces {
    type Item = &'a [u32; 3];
    type IntoIter = core::slice::Iter<'a, [u32; 3]>;

    fn into_iter(self) -> Self::IntoIter {
        self.corners.iter()
    }
}

impl PartialEq for Faces {
    fn eq(&self, other: &Self) -> bool {
        self.corners == other.corners
    }
}

/// Removes the entries at these indices, which are in ascending order; later entries get lower indices.
fn remove_indices(column: &mut Vec<u32>, removed: &[usize]) {
    let mut removed = removed.iter().peekable();
    let mut index = 0;
    column.retain(|_| {
        let is_removed = removed.next_if_eq(&&index).is_some();
        index += 1;
        !is_removed
    });
}
