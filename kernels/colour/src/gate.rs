//! Lends closures to threads that outlive the call. All unsafe code of this crate is here.
//!
//! To run a borrowing closure on a long-lived thread, its lifetime must be erased. Scoped threads
//! need no unsafe code, but starting one costs more than a whole step.

use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use crate::sync::{AtomicBool, AtomicU64, Mutex, UnsafeCell, spin_loop, yield_now};

/// Bit 32 of the state of a gate is set while it is open. Bits 0 to 31 count the threads inside.
const OPEN: u64 = 1 << 32;
/// The first of the bits that count how many times the gate was opened.
const OPENINGS_SHIFT: u32 = 33;
/// Spin count before the lender yields while it waits for the threads inside. The count is small
/// for the model checker, because it explores each spin.
const SPINS: u32 = if cfg!(loom) { 2 } else { 200 };

/// A closure with its lifetime erased.
#[derive(Clone, Copy)]
struct LentWork {
    /// Threads with an index below this may call `work`.
    threads: usize,
    work: *const (dyn Fn(usize) + Sync + 'static),
}

/// Lends a closure to threads that enter while it is open.
pub(crate) struct Gate {
    /// Whether a thread is lending.
    busy: AtomicBool,
    /// See [`OPEN`] and [`OPENINGS_SHIFT`].
    state: AtomicU64,
    /// Written by the lender while the gate is closed and no thread is inside; read by the threads
    /// inside.
    lent: UnsafeCell<Option<LentWork>>,
    /// The payload of the first panic of a thread that entered.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: only `lent` is not `Send`: a pointer to a closure that is `Sync`.
unsafe impl Send for Gate {}
// SAFETY: `lent` is written by one thread at a time (`busy`), while no thread reads it (`state`),
// and threads that enter see the write (release and acquire on `state`).
unsafe impl Sync for Gate {}

impl Gate {
    pub(crate) fn new() -> Self {
        Self {
            busy: AtomicBool::new(false),
            state: AtomicU64::new(0),
            lent: UnsafeCell::new(None),
            panic: Mutex::new(None),
        }
    }

    /// Calls `work(0)`, and lets other threads call it meanwhile, each with an index below
    /// `threads`; `wake` must wake them. Returns when all have left.
    ///
    /// If the gate is in use, by another thread or by the lent work itself, only the calling thread
    /// works.
    ///
    /// # Panics
    /// If a call panics, with its payload.
    pub(crate) fn lend(&self, threads: usize, work: &(dyn Fn(usize) + Sync), wake: impl FnOnce()) {
        if self.busy.swap(true, Ordering::Acquire) {
            return work(0);
        }
        let lending = Lending(self);
        // SAFETY: the types differ in the closure's lifetime only. `lending` is dropped before this
        // function returns or unwinds, and then no thread uses the closure any more.
        let erased: &'static (dyn Fn(usize) + Sync) = unsafe { mem::transmute(work) };
        // SAFETY: `busy` was false, so the gate is closed and no thread is inside, see `Lending`;
        // it is true now, so no other thread writes.
        self.lent.with_mut(|lent| unsafe { *lent = Some(LentWork { threads, work: erased }) });
        let openings = (self.state.load(Ordering::Relaxed) >> OPENINGS_SHIFT) + 1;
        self.state.store(openings << OPENINGS_SHIFT | OPEN, Ordering::Release);
        wake();
        work(0);
        if let Some(panic) = lending.end() {
            panic::resume_unwind(panic);
        }
    }

    /// Runs the lent closure as `thread` if the gate is open and was opened again since
    /// `last_opening`, which is then updated. Returns whether the closure ran.
    pub(crate) fn enter(&self, thread: usize, last_opening: &mut u64) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let opening = state >> OPENINGS_SHIFT;
            if state & OPEN == 0 || opening == *last_opening {
                return false;
            }
            let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
            match self.state.compare_exchange_weak(state, state + 1, success, failure) {
                Ok(_) => {
                    *last_opening = opening;
                    let ran = self.work_inside(thread);
                    self.state.fetch_sub(1, Ordering::Release);
                    return ran;
                }
                Err(current) => state = current,
            }
        }
    }

    /// Runs the lent closure; called only by threads inside. Returns false without running it if
    /// `thread` is not below the number of threads that may work.
    fn work_inside(&self, thread: usize) -> bool {
        // SAFETY: this thread is inside, so it entered after `lent` was written, and `lent` is not
        // written again before it leaves.
        let lent = self.lent.with(|lent| unsafe { *lent });
        let Some(LentWork { threads, work }) = lent else { return false };
        if thread >= threads {
            return false;
        }
        // SAFETY: the lender does not return before this thread leaves, so its closure lives.
        let work = unsafe { &*work };
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(|| work(thread))) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        true
    }
}

/// A gate in use. Dropping it closes the gate, waits until it is empty and clears `busy`.
struct Lending<'a>(&'a Gate);

impl Lending<'_> {
    /// Closes the gate and waits until all threads have left. Returns the payload of a panic, if
    /// any.
    fn end(&self) -> Option<Box<dyn Any + Send>> {
        let Gate { state, panic, .. } = self.0;
        state.fetch_and(!OPEN, Ordering::Relaxed);
        let mut spins = 0;
        while state.load(Ordering::Acquire) & (OPEN - 1) != 0 {
            if spins < SPINS {
                spins += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
        panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Lending<'_> {
    fn drop(&mut self) {
        // If `work(0)` panicked, its panic is the one that propagates.
        drop(self.end());
        self.0.busy.store(false, Ordering::Release);
    }
}
