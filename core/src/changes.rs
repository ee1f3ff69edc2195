//! How a plan learns what changed since it last looked.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A record of which entries of a table were changed, for any number of readers.
///
/// Plans keep copies of a table's values in an order of their own. Each remembers a [`Cursor`]
/// and asks for the [`Delta`] since: so a plan is never silently stale, and refreshes only
/// what changed. A clone of the table is another table and has its own record.
#[derive(Debug)]
pub struct Changes {
    table: usize,
    forgotten: u64,
    log: Vec<u32>,
}

/// Up to where a reader has read: of which table, and how many changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    table: usize,
    changes: u64,
}

/// What a reader has missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// These entries changed, in this order, perhaps repeatedly; often none.
    Entries(&'a [u32]),
    /// The same table, but the record no longer reaches back that far.
    Everything,
    /// Another table altogether.
    DifferentTable,
}

impl Changes {
    /// The record of a new table.
    pub fn new() -> Self {
        static TABLES: AtomicUsize = AtomicUsize::new(0);
        Self { table: TABLES.fetch_add(1, Ordering::Relaxed), forgotten: 0, log: Vec::new() }
    }

    /// For so many changes a record takes memory at the first one: that of a smaller table never
    /// does so again.
    const AT_ONCE: usize = 4096;

    /// Notes that `entry` of a table of `length` entries has changed. The record is bounded
    /// by the length: beyond it, refreshing everything is cheaper than reading on.
    pub fn note(&mut self, entry: u32, length: usize) {
        self.log.reserve(length.min(Self::AT_ONCE).saturating_sub(self.log.len()));
        if self.log.len() >= length {
            self.forgotten += self.log.len() as u64;
            self.log.clear();
        }
        self.log.push(entry);
    }

    /// Notes that any entry may have changed.
    pub fn note_all(&mut self) {
        self.forgotten += self.log.len() as u64 + 1;
        self.log.clear();
    }

    /// The present.
    pub fn now(&self) -> Cursor {
        Cursor { table: self.table, changes: self.forgotten + self.log.len() as u64 }
    }

    /// What has happened since `seen`.
    pub fn since(&self, seen: Cursor) -> Delta<'_> {
        if seen.table != self.table {
            return Delta::DifferentTable;
        }
        let read = seen.changes.checked_sub(self.forgotten);
        match read.and_then(|read| self.log.get(usize::try_from(read).ok()?..)) {
            Some(entries) => Delta::Entries(entries),
            None => Delta::Everything,
        }
    }
}

impl Default for Changes {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Changes {
    fn clone(&self) -> Self {
        Self::new()
    }
}
