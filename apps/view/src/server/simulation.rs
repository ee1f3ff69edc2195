//! The host on a thread of its own, at a fixed step.
//!
//! Memory and waiting times are bounded whatever pages send (see the limits of the
//! [protocol](crate::protocol)). Each connection has a queue of its own. The thread runs commands of
//! all connections in rotation, in turns of a few milliseconds; between turns it does the steps that
//! are due and makes messages.

use std::collections::VecDeque;
use std::io;
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::host::Host;
use crate::pages::PageId;
use crate::protocol::{Command, Message, SOCKETS_MAX};

/// The most commands of a connection in a turn.
const COMMANDS_A_TURN: usize = 32;

/// How long commands may take in a turn before the rest waits for the next one; the expensive one
/// does not count.
const COMMAND_TIME: Duration = Duration::from_millis(5);

/// How long expensive commands wait at most until all pages have been sent a new topology.
const TOPOLOGY_TIME: Duration = Duration::from_millis(100);

/// A parsed command, or its parse error.
pub(super) type ReadCommand = serde_json::Result<Command>;

/// The simulation's ends of the queues of a connection.
pub(super) struct Queues {
    /// Closed when the page has gone.
    pub(super) commands: Receiver<ReadCommand>,
    pub(super) outbox: Sender<Message>,
}

/// What connections need to reach the thread.
#[derive(Clone)]
pub(super) struct Handle {
    arrivals: Sender<Queues>,
    thread: Thread,
}

impl Handle {
    /// Adds a connection; none if the simulation has ended.
    pub(super) async fn connect(&self, queues: Queues) -> Option<()> {
        self.arrivals.send(queues).await.ok()?;
        self.wake();
        Some(())
    }

    /// To be called after a queue was written, read or closed.
    pub(super) fn wake(&self) {
        self.thread.unpark();
    }
}

/// The thread.
pub(super) struct Simulation {
    handle: Handle,
    thread: JoinHandle<()>,
}

impl Simulation {
    pub(super) fn start(host: Host) -> io::Result<Self> {
        let (arrivals, inbox) = mpsc::channel(SOCKETS_MAX);
        let state = Loop { host, connections: VecDeque::new(), arrivals: inbox, hold_until: None };
        let thread =
            thread::Builder::new().name("simulation".to_owned()).spawn(move || state.run())?;
        let handle = Handle { arrivals, thread: thread.thread().clone() };
        Ok(Self { handle, thread })
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Waits until the thread ends, which it does when there is no other handle.
    pub(super) fn end(self) {
        let Self { handle: Handle { arrivals, thread: parked }, thread } = self;
        drop(arrivals);
        parked.unpark();
        // The thread itself has reported a panic.
        let _ = thread.join();
    }
}

/// A page that is connected.
struct Connection {
    page: PageId,
    queues: Queues,
    /// A command that was taken from the queue and not yet run.
    next: Option<ReadCommand>,
}

impl Connection {
    fn next_is_expensive(&self) -> bool {
        matches!(&self.next, Some(Ok(command)) if command.is_expensive())
    }
}

/// What a turn may still do.
struct Budget {
    /// Whether an expensive command may be run.
    expensive: bool,
    /// For other commands.
    time: Duration,
}

/// What the thread works on.
struct Loop {
    host: Host,
    connections: VecDeque<Connection>,
    arrivals: Receiver<Queues>,
    /// Until when expensive commands wait, unless all pages have been sent the topology before.
    hold_until: Option<Instant>,
}

impl Loop {
    fn run(mut self) {
        let mut last = Instant::now();
        loop {
            let moves = self.host.due().is_some();
            self.wait(last);
            if !moves {
                // Time in which nothing moves does not count.
                last = Instant::now();
            }
            if !self.accept() {
                return;
            }
            self.run_commands();
            let now = Instant::now();
            self.host.advance((now - last).as_secs_f64());
            last = now;
            self.send_messages();
        }
    }

    /// Waits until the next step is due, a command may be run, or a connection wakes the thread.
    fn wait(&mut self, last: Instant) {
        let may_be_expensive = self.may_be_expensive();
        let has_work = |it: &Connection| {
            it.queues.commands.is_closed()
                || match &it.next {
                    Some(_) => may_be_expensive || !it.next_is_expensive(),
                    None => !it.queues.commands.is_empty(),
                }
        };
        if self.connections.iter().any(has_work) {
            return;
        }
        let due = self.host.due().map(|seconds| last + Duration::from_secs_f64(seconds));
        match due.into_iter().chain(self.hold_until).min() {
            Some(until) => thread::park_timeout(until.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
    }

    /// Takes over new connections; false if there can be none any more.
    fn accept(&mut self) -> bool {
        loop {
            match self.arrivals.try_recv() {
                Ok(queues) => {
                    let page = self.host.connect();
                    self.connections.push_back(Connection { page, queues, next: None });
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Whether expensive commands need not wait for a topology to be sent.
    fn may_be_expensive(&mut self) -> bool {
        let is_over = self.hold_until.is_some_and(|until| {
            until <= Instant::now() || self.connections.iter().all(|it| self.host.has_told(it.page))
        });
        if is_over {
            self.hold_until = None;
        }
        self.hold_until.is_none()
    }

    /// Runs the commands of a turn, each time beginning with another connection.
    fn run_commands(&mut self) {
        let mut budget = Budget { expensive: self.may_be_expensive(), time: COMMAND_TIME };
        self.connections.rotate_left(self.connections.len().min(1));
        for _ in 0..self.connections.len() {
            let Some(mut connection) = self.connections.pop_front() else { return };
            if self.run_commands_of(&mut connection, &mut budget) {
                self.connections.push_back(connection);
            } else {
                self.host.disconnect(connection.page);
            }
            if budget.time.is_zero() {
                return;
            }
        }
    }

    /// Runs commands of a connection; false if its page has gone.
    fn run_commands_of(&mut self, connection: &mut Connection, budget: &mut Budget) -> bool {
        if connection.queues.commands.is_closed() {
            return false;
        }
        for _ in 0..COMMANDS_A_TURN {
            if connection.next.is_none() {
                connection.next = connection.queues.commands.try_recv().ok();
            }
            let is_expensive = connection.next_is_expensive();
            if is_expensive && !budget.expensive {
                return true;
            }
            let Some(command) = connection.next.take() else { return true };
            let (begun, epoch) = (Instant::now(), self.host.epoch());
            self.host.execute(connection.page, command);
            if is_expensive {
                budget.expensive = false;
                if self.host.epoch() != epoch {
                    self.hold_until = Some(Instant::now() + TOPOLOGY_TIME);
                }
            } else {
                budget.time = budget.time.saturating_sub(begun.elapsed());
                if budget.time.is_zero() {
                    return true;
                }
            }
        }
        true
    }

    /// Makes the next message of each connection whose outbox is empty.
    fn send_messages(&mut self) {
        for Connection { page, queues: Queues { outbox, .. }, .. } in &self.connections {
            if let Ok(place) = outbox.try_reserve()
                && let Some(message) = self.host.take(*page)
            {
                place.send(message);
            }
        }
    }
}
