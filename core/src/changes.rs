//! Change records: what changed in a table since a reader's cursor.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A record of which entries of a table were changed, for any number of readers.
///
/// Plans keep copies of a table's values in an order of their own. Each keeps a [`Cursor`] and
/// reads the [`Delta`] since, so that it refreshes only what changed. A clone of the table is a
/// different table with its own record.
#[derive(Debug)]
pub struct Changes {
    table: usize,
    forgotten: u64,
    log: Vec<u32>,
}

/// How far a reader has read: the table, and the number of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    table: usize,
    changes: u64,
}

/// What changed since a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// These entries changed, in this order, perhaps repeatedly; often none.
    Entries(&'a [u32]),
    /// Any entry may have changed: the record no longer reaches back to the cursor.
    Everything,
    /// The cursor belongs to another table.
    ForeignCursor,
}

impl Changes {
    /// The record of a new table.
    pub fn new() -> Self {
        static TABLES: AtomicUsize = AtomicUsize::new(0);
        Self { table: TABLES.fetch_add(1, Ordering::Relaxed), forgotten: 0, log: Vec::new() }
    }

    /// The first change reserves memory for this many: smaller tables never allocate again.
    const RESERVED: usize = 4096;

    /// Notes that `entry` of a table of `length` entries has changed. The record has at most
    /// `length` entries: beyond that, refreshing everything is cheaper than reading them.
    pub fn record(&mut self, entry: u32, length: usize) {
        self.log.reserve(length.min(Self::RESERVED).saturating_sub(self.log.len()));
        if self.log.len() >= length {
            self.forgotten += self.log.len() as u64;
            self.log.clear();
        }
        self.log.push(entry);
    }

    /// Notes that any entry may have changed.
    pub fn record_all(&mut self) {
        self.forgotten += self.log.len() as u64 + 1;
        self.log.clear();
    }

    /// The cursor after all changes so far.
    pub fn now(&self) -> Cursor {
        Cursor { table: self.table, changes: self.forgotten + self.log.len() as u64 }
    }

    /// What changed since `seen`.
    pub fn since(&self, seen: Cursor) -> Delta<'_> {
        if seen.table != self.table {
            return Delta::ForeignCursor;
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
