//! Change records: what changed in a table since a reader's cursor. A *table* is particles or
//! sticks, and its *entries* are the single particles or sticks.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A record of which entries of a table were changed, for any number of readers.
///
/// Plans keep copies of a table's values in an order of their own. Each plan keeps a [`Cursor`] and
/// reads the [`Delta`] since that cursor, so that it refreshes only what changed. A clone of a table
/// is a different table, so a clone of a record is a new record without changes.
#[derive(Debug)]
pub struct Changes {
    /// Identifies the table.
    table: usize,
    /// How many changes were recorded before those in `log`.
    dropped: u64,
    /// The entries changed most recently, the oldest change first.
    log: Vec<u32>,
}

/// How far a reader has read in the record of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Identifies the table.
    table: usize,
    /// How many changes the reader has read.
    changes: u64,
}

/// What changed since a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// These entries changed, in this order; an entry may occur repeatedly. Often empty.
    Entries(&'a [u32]),
    /// Any entry may have changed: the record no longer reaches back to the cursor.
    Everything,
    /// The cursor belongs to another table, so nothing is known about the changes since.
    ForeignCursor,
}

impl Changes {
    /// The record of a new table.
    pub fn new() -> Self {
        // The number of tables so far.
        static TABLES: AtomicUsize = AtomicUsize::new(0);
        Self { table: TABLES.fetch_add(1, Ordering::Relaxed), dropped: 0, log: Vec::new() }
    }

    /// The first change reserves memory for as many entries as the table has, at most this many, so
    /// that the record of a small table allocates once.
    const RESERVED: usize = 4096;

    /// Records that `entry` of a table of `length` entries has changed. The record keeps at most
    /// `length` entries: beyond that, refreshing everything is cheaper than reading them.
    pub fn record(&mut self, entry: u32, length: usize) {
        self.log.reserve(length.min(Self::RESERVED).saturating_sub(self.log.len()));
        if self.log.len() >= length {
            self.dropped += self.log.len() as u64;
            self.log.clear();
        }
        self.log.push(entry);
    }

    /// Records that any entry may have changed.
    pub fn record_all(&mut self) {
        // Counts one change more than the log has, so that all earlier cursors, even one after the
        // whole log, lie before the start of the new log.
        self.dropped += self.log.len() as u64 + 1;
        self.log.clear();
    }

    /// The cursor after all changes so far.
    pub fn now(&self) -> Cursor {
        Cursor { table: self.table, changes: self.dropped + self.log.len() as u64 }
    }

    /// What changed since `cursor`.
    pub fn since(&self, cursor: Cursor) -> Delta<'_> {
        if cursor.table != self.table {
            return Delta::ForeignCursor;
        }
        let first_unread = cursor.changes.checked_sub(self.dropped);
        match first_unread.and_then(|first| self.log.get(usize::try_from(first).ok()?..)) {
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
