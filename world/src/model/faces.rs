//! Triangles, and the order in which wind visits them.

use core::ops::Deref;
use core::{array, iter};
use std::sync::OnceLock;

use taut_core::Column;

/// Triangles are visited in blocks of this many: the widest register of `f32` there is.
pub(crate) const BLOCK: usize = taut_core::PADDING;

/// Triangles by the numbers of their corners, counter-clockwise from outside: read like a slice,
/// made from a list.
///
/// What blows at them needs them in another order, in which neighbours lie side by side. That order
/// is made when it is first asked for, kept, and made anew after a change; triangles that vanish
/// ([`retain`](Self::retain)) are only left out.
///
/// ```
/// use taut_world::Faces;
///
/// let mut square = Faces::from(vec![[0, 1, 2], [0, 2, 3]]);
/// square.retain(|corners| !corners.contains(&3)); // torn off
/// assert_eq!(*square, [[0, 1, 2]]);
/// square.extend([[2, 1, 4]]);
/// assert_eq!(square.len(), 2);
/// // Each keeps the number that it had first.
/// assert_eq!((square.numbers(), square.gone()), (&[0, 2][..], &[1][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Faces {
    corners: Vec<[u32; 3]>,
    /// The number of each.
    numbers: Vec<u32>,
    /// The numbers of those that vanished.
    gone: Vec<u32>,
    layout: OnceLock<Layout>,
}

impl Faces {
    /// Removes the triangles of which `stays` says no. Cheap: the others are not laid out anew.
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
        leave_out(&mut self.numbers, &gone);
        if let Some(layout) = self.layout.get_mut() {
            layout.remove(&gone);
        }
    }

    /// The number of each: 0 for the first that ever was, and so on, whatever vanished since.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The numbers of the triangles that vanished, in the order in which they did.
    pub fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// In which order they are visited.
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

/// Leaves out the entries of these places, in ascending order; those after them move up.
fn leave_out(column: &mut Vec<u32>, gone: &[usize]) {
    let mut gone = gone.iter().peekable();
    let mut place = 0;
    column.retain(|_| {
        let leaves = gone.next_if_eq(&&place).is_some();
        place += 1;
        !leaves
    });
}

/// Where the corners of sixteen triangles in sequence are.
#[derive(Clone, Debug)]
pub(crate) enum Corners {
    /// The next triangle's corners are those of this one, plus one: rows of a sheet.
    Consecutive([u32; 3]),
    /// Anywhere.
    Scattered(Box<[[u32; BLOCK]; 3]>),
}

/// Sixteen triangles, and the first of the sixteen slots for what is found out about them. Blocks
/// may overlap: what they have in common is found out twice, and is the same.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) corners: Corners,
    pub(crate) slot: u32,
}

/// Triangles in the order in which their corners lie in memory, each with a slot, and the way back:
/// for each particle the slots of its triangles, in the order of the faces.
///
/// So what a particle sums up over its triangles is summed in the order of the faces, whatever the
/// order in memory is: the numbering of particles cannot be seen in the bits.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<Block>,
    pub(crate) around: Around,
    /// The share of each slot's triangle that a corner gets: a third; none if it is gone.
    pub(crate) share: Column<f32>,
    /// The slot of each face.
    slot_of: Vec<u32>,
}

impl Layout {
    fn new(faces: &[[u32; 3]]) -> Self {
        // Where the corners lie to each other, and then where they are: rows of a sheet come
        // together.
        let place = |face: u32| {
            let [a, b, c] = faces[face as usize].map(i64::from);
            [b - a, c - a, a]
        };
        let mut order: Vec<u32> = (0..faces.len() as u32).collect();
        order.sort_by_key(|&face| place(face));
        let follows = |one: &u32, next: &u32| {
            let [b, c, a] = place(*one);
            place(*next) == [b, c, a + 1]
        };
        let (rows, scattered): (Vec<&[u32]>, Vec<&[u32]>) =
            order.chunk_by(follows).partition(|row| row.len() >= BLOCK);
        let mut blocks = Vec::new();
        let mut first_slot = 0;
        for row in &rows {
            let last = row.len() - BLOCK;
            for first in (0..last).step_by(BLOCK).chain([last]) {
                let corners = Corners::Consecutive(faces[row[first] as usize]);
                blocks.push(Block { corners, slot: first_slot + first as u32 });
            }
            first_slot += row.len() as u32;
        }
        let mut scattered = scattered.concat();
        // Those that lie near each other in memory come together.
        scattered.sort_by_key(|&face| faces[face as usize].into_iter().min());
        for some in scattered.chunks(BLOCK) {
            // A block that is not full repeats its last triangle.
            let face_in = |lane: usize| some[lane.min(some.len() - 1)] as usize;
            let corners =
                array::from_fn(|corner| array::from_fn(|lane| faces[face_in(lane)][corner]));
            blocks.push(Block { corners: Corners::Scattered(Box::new(corners)), slot: first_slot });
            first_slot += some.len() as u32;
        }

        let mut slot_of = vec![0; faces.len()];
        for (slot, &face) in rows.into_iter().flatten().chain(&scattered).enumerate() {
            slot_of[face as usize] = slot as u32;
        }
        let slots = (faces.len() + BLOCK).next_multiple_of(BLOCK);
        let shares = iter::repeat_n(1.0 / 3.0, faces.len());
        let share = Column::from_iter(0, shares.chain(iter::repeat_n(0.0, slots - faces.len())));
        let around = Around::new(faces, &slot_of);
        Self { blocks, around, share, slot_of }
    }

    /// Leaves out the faces of these numbers, in ascending order; those after them move up.
    fn remove(&mut self, gone: &[usize]) {
        for &face in gone {
            self.share[self.slot_of[face] as usize] = 0.0;
        }
        leave_out(&mut self.slot_of, gone);
    }

    /// How many slots there are, padding included.
    pub(crate) fn slots(&self) -> usize {
        self.share.len()
    }
}

/// For each particle the slots of its triangles, in the order of the faces.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) spans: Vec<Span>,
    slots: Vec<u32>,
    /// The most triangles that meet in a particle.
    pub(crate) most: u32,
}

/// Particles in sequence, the slots around each of which are those around the one before, plus one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) first: u32,
    pub(crate) len: u32,
    /// Where the slots around the first of them are.
    slots: [u32; 2],
}

impl Around {
    fn new(faces: &[[u32; 3]], slot_of: &[u32]) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(3 * faces.len());
        for (corners, &slot) in faces.iter().zip(slot_of) {
            pairs.extend(corners.map(|corner| [corner, slot]));
        }
        pairs.sort_by_key(|&[particle, _]| particle); // stable: by faces
        let mut around = Self { spans: Vec::new(), slots: Vec::new(), most: 0 };
        for of_one in pairs.chunk_by(|one, next| one[0] == next[0]) {
            let particle = of_one[0][0];
            around.most = around.most.max(of_one.len() as u32);
            let next_to = |span: &Span| {
                let slots = around.of(span);
                span.first + span.len == particle
                    && slots.len() == of_one.len()
                    && slots.iter().zip(of_one).all(|(slot, next)| slot + span.len == next[1])
            };
            if around.spans.last().is_some_and(next_to) {
                let last = around.spans.len() - 1;
                around.spans[last].len += 1;
            } else {
                let from = around.slots.len() as u32;
                around.slots.extend(of_one.iter().map(|&[_, slot]| slot));
                let slots = [from, around.slots.len() as u32];
                around.spans.push(Span { first: particle, len: 1, slots });
            }
        }
        around
    }

    /// The slots around the first particle of a span.
    #[inline(always)]
    pub(crate) fn of(&self, span: &Span) -> &[u32] {
        &self.slots[span.slots[0] as usize..span.slots[1] as usize]
    }
}
