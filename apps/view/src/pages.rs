//! The connected pages, and what each of them has been sent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The id of a connected page; ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(u64);

/// The maximum number of errors that are queued for a page.
const ERRORS_MAX: usize = 16;

/// The last part of a topology that was sent to a page. The parts are sent in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopologySent {
    /// The message `Mesh`: models and obstacles, without faces and sticks.
    Mesh,
    /// Faces and sticks.
    Indices,
    /// Rest lengths: the topology is complete.
    Rests,
}

/// A connected page, and what it has been sent. Only errors are queued; other messages are made when
/// the page can receive them, so that a slow page gets the newest state.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) errors: VecDeque<String>,
    /// Version of the last state (`Notice::State`).
    pub(crate) state_sent: Option<u64>,
    /// The epoch (the version of a topology), and the last part of that topology that was sent.
    pub(crate) topology_sent: Option<(u32, TopologySent)>,
    /// How many removed faces and how many removed sticks the page has been sent.
    pub(crate) removed_sent: [usize; 2],
    /// Whether the page has requested a frame that it has not been sent.
    pub(crate) wants_frame: bool,
    /// Epoch and step of the last frame.
    pub(crate) frame_sent: Option<(u32, u64)>,
    /// Version of the last live numbers (`Notice::Figures`).
    pub(crate) figures_sent: Option<u64>,
    /// Particles that the page has grabbed and not released.
    pub(crate) grabbed: BTreeSet<usize>,
}

impl Page {
    /// Queues an error; if the queue is full, the oldest error is dropped.
    pub(crate) fn push_error(&mut self, text: String) {
        if self.errors.len() == ERRORS_MAX {
            self.errors.pop_front();
        }
        self.errors.push_back(text);
    }
}

/// All connected pages.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Number of ids that have been assigned.
    ids_assigned: u64,
    pages: BTreeMap<PageId, Page>,
}

impl Pages {
    pub(crate) fn add(&mut self) -> PageId {
        self.ids_assigned += 1;
        let id = PageId(self.ids_assigned);
        self.pages.insert(id, Page::default());
        id
    }

    pub(crate) fn remove(&mut self, id: PageId) -> Option<Page> {
        self.pages.remove(&id)
    }

    pub(crate) fn get_mut(&mut self, id: PageId) -> Option<&mut Page> {
        self.pages.get_mut(&id)
    }

    #[cfg(feature = "server")]
    pub(crate) fn get(&self, id: PageId) -> Option<&Page> {
        self.pages.get(&id)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        self.pages.values_mut()
    }

    /// Queues an error for every page.
    pub(crate) fn push_error(&mut self, text: &str) {
        self.pages.values_mut().for_each(|page| page.push_error(text.to_owned()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Whether any page has grabbed this particle.
    pub(crate) fn has_grabbed(&self, particle: usize) -> bool {
        self.pages.values().any(|page| page.grabbed.contains(&particle))
    }
}
