//! Runs the host on a separate thread, with a fixed step.
//!
//! Whatever pages send, memory and waiting times are bounded (see the limits of the
//! [protocol](crate::protocol)). Each connection has its own queue of commands. The thread runs
//! commands in turns of a few milliseconds, and in each turn visits the connections in rotation.
//! Between turns it runs the steps that are due and makes messages.

use std::collections::VecDeque;
use std::io;
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::host::Host;
use crate::pages::PageId;
use crate::protocol::{Command, Message, SOCKETS_MAX};

/// The maximum number of commands of a connection in a turn.
const COMMANDS_PER_TURN_MAX: usize = 32;

/// The maximum time of the commands of a turn, not counting the expensive command. When it is used up,
/// further commands wait for the next turn.
const COMMAND_TIME_MAX: Duration = Duration::from_millis(5);

/// The maximum time for which expensive commands wait until all pages have been sent a new
/// topology.
const TOPOLOGY_WAIT_MAX: Duration = Duration::from_millis(100);

/// A parsed command, or its parse error.
pub(super) type ReadCommand = serde_json::Result<Command>;

/// The ends of the two queues of a connection that the simulation thread uses.
pub(super) struct Queues {
    /// Commands of the page; closed when the page has disconnected.
    pub(super) commands: Receiver<ReadCommand>,
    /// Messages for the page.
    pub(super) outbox: Sender<Message>,
}

/// Gives connections access to the simulation thread.
#[derive(Clone)]
pub(super) struct Handle {
    new_connections: Sender<Queues>,
    thread: Thread,
}

impl Handle {
    /// Adds a connection; `None` if the simulation has ended.
    pub(super) async fn connect(&self, queues: Queues) -> Option<()> {
        self.new_connections.send(queues).await.ok()?;
        self.wake();
        Some(())
    }

    /// Wakes the simulation thread. Call it after writing to, reading from or closing a queue.
    pub(super) fn wake(&self) {
        self.thread.unpark();
    }
}

/// The simulation thread.
pub(super) struct Simulation {
    handle: Handle,
    thread: JoinHandle<()>,
}

impl Simulation {
    /// Starts the thread.
    pub(super) fn start(host: Host) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel(SOCKETS_MAX);
        let simulation_loop = Loop {
            host,
            connections: VecDeque::new(),
            new_connections: receiver,
            topology_deadline: None,
        };
        let thread = thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || simulation_loop.run())?;
        let handle = Handle { new_connections: sender, thread: thread.thread().clone() };
        Ok(Self { handle, thread })
    }

    /// A handle for connections. The thread runs until all handles are dropped.
    pub(super) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Drops the handle of the simulation, and waits until the thread ends, which happens when all other handles are
    /// dropped, too.
    pub(super) fn end(self) {
        let Self { handle: Handle { new_connections, thread: simulation_thread }, thread } = self;
        drop(new_connections);
        simulation_thread.unpark();
        // If the thread panicked, it has already reported the panic.
        let _ = thread.join();
    }
}

/// A connected page.
struct Connection {
    page: PageId,
    queues: Queues,
    /// A command that was taken from the queue and not yet run.
    next: Option<ReadCommand>,
}

impl Connection {
    /// Whether `next` is an expensive command.
    fn next_is_expensive(&self) -> bool {
        matches!(&self.next, Some(Ok(command)) if command.is_expensive())
    }
}

/// The commands that may still run in a turn.
struct Budget {
    /// Whether an expensive command may be run.
    expensive: bool,
    /// The remaining time for commands that are not expensive.
    time: Duration,
}

/// The state of the simulation thread.
struct Loop {
    host: Host,
    connections: VecDeque<Connection>,
    new_connections: Receiver<Queues>,
    /// If set, expensive commands wait until this time, or until all pages have been sent the current topology.
    topology_deadline: Option<Instant>,
}

impl Loop {
    /// Runs the simulation until all handles are dropped.
    fn run(mut self) {
        let mut last_advance = Instant::now();
        loop {
            let is_running = self.host.seconds_until_step().is_some();
            self.wait(last_advance);
            if !is_running {
                // Time in which the simulation was paused is not simulated later.
                last_advance = Instant::now();
            }
            if !self.accept() {
                return;
            }
            self.run_commands();
            let now = Instant::now();
            self.host.advance((now - last_advance).as_secs_f64());
            last_advance = now;
            self.send_messages();
        }
    }

    /// Waits until the next step is due, a command may be run, or a connection wakes the thread.
    fn wait(&mut self, last_advance: Instant) {
        let expensive_allowed = self.expensive_allowed();
        let has_work = |connection: &Connection| {
            connection.queues.commands.is_closed()
                || match &connection.next {
                    Some(_) => expensive_allowed || !connection.next_is_expensive(),
                    None => !connection.queues.commands.is_empty(),
                }
        };
        if self.connections.iter().any(has_work) {
            return;
        }
        let due_time = self
            .host
            .seconds_until_step()
            .map(|seconds| last_advance + Duration::from_secs_f64(seconds));
        match due_time.into_iter().chain(self.topology_deadline).min() {
            Some(until) => thread::park_timeout(until.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
    }

    /// Accepts new connections. Returns false if all handles are dropped.
    fn accept(&mut self) -> bool {
        loop {
            match self.new_connections.try_recv() {
                Ok(queues) => {
                    let page = self.host.connect();
                    self.connections.push_back(Connection { page, queues, next: None });
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Whether expensive commands may run now. Clears `topology_deadline` if the wait is over.
    fn expensive_allowed(&mut self) -> bool {
        let wait_is_over = self.topology_deadline.is_some_and(|until| {
            until <= Instant::now()
                || self
                    .connections
                    .iter()
                    .all(|connection| self.host.has_sent_topology(connection.page))
        });
        if wait_is_over {
            self.topology_deadline = None;
        }
        self.topology_deadline.is_none()
    }

    /// Runs the commands of a turn. For the next turn the connections are rotated by one or, if this
    /// turn runs out of time, by those that it has visited.
    fn run_commands(&mut self) {
        let mut budget = Budget { expensive: self.expensive_allowed(), time: COMMAND_TIME_MAX };
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
        self.connections.rotate_left(self.connections.len().min(1));
    }

    /// Runs commands of a connection, within the budget of the turn. Returns false if the page has disconnected.
    fn run_commands_of(&mut self, connection: &mut Connection, budget: &mut Budget) -> bool {
        if connection.queues.commands.is_closed() {
            return false;
        }
        for _ in 0..COMMANDS_PER_TURN_MAX {
            if connection.next.is_none() {
                connection.next = connection.queues.commands.try_recv().ok();
            }
            let is_expensive = connection.next_is_expensive();
            if is_expensive && !budget.expensive {
                return true;
            }
            let Some(command) = connection.next.take() else { return true };
            let (start, epoch) = (Instant::now(), self.host.epoch());
            self.host.execute(connection.page, command);
            if is_expensive {
                budget.expensive = false;
                if self.host.epoch() != epoch {
                    self.topology_deadline = Some(Instant::now() + TOPOLOGY_WAIT_MAX);
                }
            } else {
                budget.time = budget.time.saturating_sub(start.elapsed());
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
            if let Ok(permit) = outbox.try_reserve()
                && let Some(message) = self.host.take(*page)
            {
                permit.send(message);
            }
        }
    }
}
