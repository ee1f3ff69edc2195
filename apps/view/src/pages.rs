//! The pages that look on, and what each has been told.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A page that looks on, by a number that no other ever has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(u64);

/// How many errors wait at most for a page that does not take its messages.
const ERRORS_MAX: usize = 16;

/// What was told last of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Models and obstacles.
    Mesh,
    /// Faces and sticks.
    Indices,
    /// Rest lengths: it knows all.
    Rests,
}

/// What a page has been told. Nothing waits for it but a few errors: what it has not heard is said
/// when it takes its next message, and is then the newest.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) errors: VecDeque<String>,
    /// Which state.
    pub(crate) state: Option<u64>,
    /// Of which epoch, and of that what.
    pub(crate) told: Option<(u32, Told)>,
    /// How many of the faces and of the sticks that went.
    pub(crate) gone: [usize; 2],
    pub(crate) wants_frame: bool,
    /// Which frame: epoch and step.
    pub(crate) frame: Option<(u32, u64)>,
    /// Which figures.
    pub(crate) figures: Option<u64>,
    /// Particles that it holds.
    pub(crate) held: BTreeSet<usize>,
}

impl Page {
    pub(crate) fn complain(&mut self, text: String) {
        if self.errors.len() == ERRORS_MAX {
            self.errors.pop_front();
        }
        self.errors.push_back(text);
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    next: u64,
    all: BTreeMap<PageId, Page>,
}

impl Pages {
    pub(crate) fn add(&mut self) -> PageId {
        self.next += 1;
        let id = PageId(self.next);
        self.all.insert(id, Page::default());
        id
    }

    pub(crate) fn remove(&mut self, id: PageId) -> Option<Page> {
        self.all.remove(&id)
    }

    pub(crate) fn get(&mut self, id: PageId) -> Option<&mut Page> {
        self.all.get_mut(&id)
    }

    #[cfg(feature = "server")]
    pub(crate) fn look_at(&self, id: PageId) -> Option<&Page> {
        self.all.get(&id)
    }

    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut Page> {
        self.all.values_mut()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether any of them holds a particle.
    pub(crate) fn hold(&self, particle: usize) -> bool {
        self.all.values().any(|page| page.held.contains(&particle))
    }
}
