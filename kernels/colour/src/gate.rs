//! Work on loan to other threads: all the unsafe code of this crate.
//!
//! Threads that outlive a call can be given a closure that borrows from it only by hiding how
//! long it lives; scoped threads do without, but starting one costs more than a whole step.

use std::any::Any;
use std::cell::UnsafeCell;
use std::hint;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// In the state of a gate: whether it is open. Below, how many are inside; above, how often it
/// has been opened.
const OPEN: u64 = 1 << 32;
const OPENINGS: u32 = 33;
/// How often the lender looks whether all have left before it gives its core away.
const LOOKS: u32 = 200;

/// A closure as the gate keeps it: for how long it lives is the gate's business.
#[derive(Clone, Copy)]
struct Loan {
    threads: usize,
    work: *const (dyn Fn(usize) + Sync + 'static),
}

/// Lends a closure to whoever comes while it is open.
pub(crate) struct Gate {
    /// Somebody is lending.
    busy: AtomicBool,
    state: AtomicU64,
    /// Written by the lender while the gate is closed and nobody is inside; read inside.
    loan: UnsafeCell<Option<Loan>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `loan` is the one field that is not `Send`: a pointer to a closure that is `Sync`.
unsafe impl Send for Gate {}
// SAFETY: `loan` is written by one thread at a time (`busy`), while nobody reads it (`state`),
// and what was written is seen by those who come in (`state`, by release and acquire).
unsafe impl Sync for Gate {}

impl Gate {
    pub(crate) const fn new() -> Self {
        Self {
            busy: AtomicBool::new(false),
            state: AtomicU64::new(0),
            loan: UnsafeCell::new(None),
            panic: Mutex::new(None),
        }
    }

    /// Calls `work(0)`, and lets other threads call it meanwhile, each with a number below
    /// `threads`; `call` is to fetch them. Returns when all have left.
    ///
    /// A gate that is in use, by another thread or by the work that is lent, lends nothing:
    /// the calling thread then works alone.
    ///
    /// # Panics
    /// If a call does, with what it said.
    pub(crate) fn lend(&self, threads: usize, work: &(dyn Fn(usize) + Sync), call: impl FnOnce()) {
        if self.busy.swap(true, Ordering::Acquire) {
            return work(0);
        }
        let lending = Lending(self);
        // SAFETY: the types differ in the closure's lifetime only. `lending` is dropped before
        // this function is left, in whatever way, and then nobody uses the closure any more.
        let kept: &'static (dyn Fn(usize) + Sync) = unsafe { mem::transmute(work) };
        // SAFETY: `busy` was false, so the gate is closed and nobody is inside, see `Lending`;
        // and it is ours, so nobody else writes.
        unsafe { *self.loan.get() = Some(Loan { threads, work: kept }) };
        let openings = (self.state.load(Ordering::Relaxed) >> OPENINGS) + 1;
        self.state.store(openings << OPENINGS | OPEN, Ordering::Release);
        call();
        work(0);
        if let Some(panic) = lending.end() {
            panic::resume_unwind(panic);
        }
    }

    /// Calls what is lent, as `thread`, if it is not what was `seen` the last time. False if
    /// there is nothing to do.
    pub(crate) fn enter(&self, thread: usize, seen: &mut u64) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let opening = state >> OPENINGS;
            if state & OPEN == 0 || opening == *seen {
                return false;
            }
            let (entered, not) = (Ordering::Acquire, Ordering::Relaxed);
            match self.state.compare_exchange_weak(state, state + 1, entered, not) {
                Ok(_) => {
                    *seen = opening;
                    let done = self.work_inside(thread);
                    self.state.fetch_sub(1, Ordering::Release);
                    return done;
                }
                Err(other) => state = other,
            }
        }
    }

    /// Whether this thread was wanted. Only for who is inside.
    fn work_inside(&self, thread: usize) -> bool {
        // SAFETY: we are inside, so the gate was open when we came, after `loan` was written,
        // and it is not written again before we leave.
        let Some(Loan { threads, work }) = (unsafe { *self.loan.get() }) else { return false };
        if thread >= threads {
            return false;
        }
        // SAFETY: the lender does not return before we leave, so its closure lives.
        let work = unsafe { &*work };
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(|| work(thread))) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        true
    }
}

/// A gate in use: dropped, it is closed and empty, and may be lent again.
struct Lending<'a>(&'a Gate);

impl Lending<'_> {
    /// Closes the gate and waits until all have left. Gives what one of them panicked with.
    fn end(&self) -> Option<Box<dyn Any + Send>> {
        let Gate { state, panic, .. } = self.0;
        state.fetch_and(!OPEN, Ordering::Relaxed);
        let mut looks = 0;
        while state.load(Ordering::Acquire) & (OPEN - 1) != 0 {
            if looks < LOOKS {
                looks += 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Lending<'_> {
    fn drop(&mut self) {
        // If `work(0)` panics, that is what the caller hears.
        drop(self.end());
        self.0.busy.store(false, Ordering::Release);
    }
}
