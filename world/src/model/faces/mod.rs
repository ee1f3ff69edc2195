//! Triangles of a model.

mod around;
mod layout;

use core::ops::Deref;
use std::sync::OnceLock;

pub(crate) use around::{BLOCK, Share};
pub(crate) use layout::{Layout, Slots, Triangles};

/// Triangles by the numbers of their corners, counter-clockwise from outside: read like a slice,
/// made from a list.
///
/// Wind visits them in another order, in which neighbours lie side by side. That order is computed
/// on first use, cached, and recomputed after a change; [`retain`](Self::retain) only removes
/// triangles from it.
///
/// ```
/// use taut_world::Faces;
///
/// let mut square = Faces::from(vec![[0, 1, 2], [0, 2, 3]]);
/// square.retain(|corners| !corners.contains(&3)); // torn off
/// assert_eq!(*square, [[0, 1, 2]]);
/// square.extend([[2, 1, 4]]);
/// assert_eq!(square.len(), 2);
/// // Each keeps its first number.
/// assert_eq!((square.numbers(), square.gone()), (&[0, 2][..], &[1][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Faces {
    corners: Vec<[u32; 3]>,
    /// The number of each.
    numbers: Vec<u32>,
    /// The numbers of the removed triangles.
    gone: Vec<u32>,
    layout: OnceLock<Layout>,
}

impl Faces {
    /// Removes the triangles for which `stays` is false. Cheap: the layout of the others is kept.
    pub fn retain(&mut self, mut stays: impl FnMut([u32; 3]) -> bool) {
        let mut gone = Vec::new();
        let mut face = 0;
        self.corners.retain(|&corners| {
            let stays = stays(corners);
            if !stays {
                gone.push(face);
            }
            face += 1;
            stays
        });
        self.gone.extend(gone.iter().map(|&face| self.numbers[face]));
        remove_indices(&mut self.numbers, &gone);
        if let Some(layout) = self.layout.get_mut() {
            layout.remove(&gone);
        }
    }

    /// The number of each triangle: 0 for the first one ever added, and so on; removals do not
    /// change it.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The numbers of the removed triangles, in order of removal.
    pub fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// The order in which wind visits them.
    pub(crate) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(&self.corners))
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
        Self { corners, numbers, gone: Vec::new(), layout: OnceLock::new() }
    }
}

impl FromIterator<[u32; 3]> for Faces {
    fn from_iter<I: IntoIterator<Item = [u32; 3]>>(faces: I) -> Self {
        Self::from(Vec::from_iter(faces))
    }
}

impl Extend<[u32; 3]> for Faces {
    fn extend<I: IntoIterator<Item = [u32; 3]>>(&mut self, faces: I) {
        let next = (self.numbers.len() + self.gone.len()) as u32;
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

/// Removes the entries at these indices, in ascending order; later ones move up.
fn remove_indices(column: &mut Vec<u32>, gone: &[usize]) {
    let mut gone = gone.iter().peekable();
    let mut place = 0;
    column.retain(|_| {
        let leaves = gone.next_if_eq(&&place).is_some();
        place += 1;
        !leaves
    });
}
