//! For each particle the slots of the triangles around it.

use taut_core::Lists;

/// Number of triangles in a block: the lanes of the widest register of `f32`.
pub(crate) const BLOCK: usize = taut_core::PADDING;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The result for a triangle.
    Face,
    /// A gap in a row, written as 0.
    Gap,
    /// Padding that is never written.
    Never,
}

/// For each particle the slots of its triangles, in the order of the faces.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) shares: Vec<Share>,
    slots: Vec<u32>,
    /// For each particle, up to the last that is a corner, the number of its triangles.
    pub(crate) counts: Vec<f32>,
    /// Number of particles with triangles.
    pub(crate) particles: usize,
}

/// At most [`BLOCK`] consecutive particles; the slots around each are those around the one before,
/// plus one. If a particle has fewer triangles, some of its slots are gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) first: u32,
    pub(crate) len: u32,
    /// How many of the first particles an earlier share has handled.
    pub(crate) done: u32,
    /// The range of slots in [`Around`]; adding `nth` gives those around the first particle.
    slots: [u32; 2],
    pub(crate) nth: u32,
}

impl Around {
    pub(super) fn new(faces: &[[u32; 3]], slot_of: &[u32], contents: &[Slot]) -> Self {
        let particles = faces.as_flattened().iter().max().map_or(0, |&last| last as usize + 1);
        let pairs = faces.iter().zip(slot_of);
        let pairs = pairs.flat_map(|(corners, &slot)| corners.map(|corner| (corner, slot)));
        let slots_of = Lists::new(particles, pairs);
        let mut around =
            Self { shares: Vec::new(), slots: Vec::new(), counts: Vec::new(), particles: 0 };
        let (mut first, mut len, mut slots) = (0, 0, Vec::new());
        for (particle, of_one) in (0..).zip(slots_of.iter()) {
            around.counts.push(of_one.len() as f32);
            if of_one.is_empty() {
                continue;
            }
            around.particles += 1;
            let follows = len > 0 && first + len == particle;
            let joined = follows.then(|| joined(&slots, len, of_one, contents)).flatten();
            if let Some(joined) = joined {
                (len, slots) = (len + 1, joined);
            } else {
                around.push_shares(first, len, &slots);
                (first, len, slots) = (particle, 1, of_one.to_vec());
            }
        }
        around.push_shares(first, len, &slots);
        around
    }

    /// Adds the shares of `len` consecutive particles, given the slots around the first.
    fn push_shares(&mut self, first: u32, len: u32, slots: &[u32]) {
        let from = self.slots.len() as u32;
        self.slots.extend(slots);
        let slots = [from, self.slots.len() as u32];
        let block = BLOCK as u32;
        let mut done = 0;
        while done < len {
            // Start at a multiple of the block size if possible; shares are whole blocks even if
            // part of one is done already.
            let aligned = ((first + done) / block * block).saturating_sub(first);
            let nth = aligned.min(len.saturating_sub(block));
            let of_share = block.min(len - nth);
            self.shares.push(Share {
                first: first + nth,
                len: of_share,
                done: done - nth,
                slots,
                nth,
            });
            done = nth + of_share;
        }
    }

    /// The slots around the first particle of a share.
    #[inline(always)]
    pub(crate) fn of(&self, share: &Share) -> impl Iterator<Item = usize> {
        let nth = share.nth as usize;
        let slots = &self.slots[share.slots[0] as usize..share.slots[1] as usize];
        slots.iter().map(move |&slot| slot as usize + nth)
    }
}

/// Extends `slots`, those around the first of `len` consecutive particles, so that they also fit
/// the following particle with slots `next`. The order must suit all; an additional slot must be a
/// gap for the others. None if that is impossible.
fn joined(slots: &[u32], len: u32, next: &[u32], contents: &[Slot]) -> Option<Vec<u32>> {
    let is_gap = |slot: u32| contents.get(slot as usize) == Some(&Slot::Gap);
    let new = |&slot: &u32| {
        let of_first = slot.checked_sub(len)?;
        (of_first..slot).all(is_gap).then_some(of_first)
    };
    let mut joined = Vec::with_capacity(slots.len());
    let mut rest = next;
    for &slot in slots {
        if let Some(at) = rest.iter().position(|&of_next| of_next == slot + len) {
            let before: Option<Vec<u32>> = rest[..at].iter().map(new).collect();
            joined.extend(before?);
            rest = &rest[at + 1..];
        } else if !is_gap(slot + len) {
            return None;
        }
        joined.push(slot);
    }
    let after: Option<Vec<u32>> = rest.iter().map(new).collect();
    joined.extend(after?);
    Some(joined)
}
