//! The host on a thread of its own, at a fixed step.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::mpsc as outboxes;

use crate::host::Host;
use crate::pages::PageId;
use crate::protocol::Message;

/// Something that a visitor does.
pub(super) struct Event {
    pub(super) visitor: u64,
    pub(super) news: News,
}

/// What a visitor does.
pub(super) enum News {
    /// It wants its messages here.
    Came(outboxes::Sender<Message>),
    /// A command.
    Said(String),
    /// It has sent what it was given.
    Ready,
    /// It is gone.
    Left,
}

/// The thread.
pub(super) struct Simulation {
    events: Sender<Event>,
    thread: JoinHandle<()>,
}

impl Simulation {
    pub(super) fn start(host: Host) -> io::Result<Self> {
        let (events, inbox) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || Room { host, visitors: BTreeMap::new() }.serve(&inbox))?;
        Ok(Self { events, thread })
    }

    pub(super) fn events(&self) -> Sender<Event> {
        self.events.clone()
    }

    /// Waits until it ends, which it does when nobody is left who could tell it of visitors.
    pub(super) fn end(self) {
        let Self { events, thread } = self;
        drop(events);
        // A panic was said by the thread itself.
        let _ = thread.join();
    }
}

/// The host and who is there.
struct Room {
    host: Host,
    visitors: BTreeMap<u64, (PageId, outboxes::Sender<Message>)>,
}

impl Room {
    fn serve(&mut self, inbox: &Receiver<Event>) {
        let mut last = Instant::now();
        loop {
            let event = match self.host.due() {
                None => {
                    let event = inbox.recv().map_err(|_| RecvTimeoutError::Disconnected);
                    // Time in which nothing moves does not count.
                    last = Instant::now();
                    event
                }
                Some(seconds) => {
                    let due = last + Duration::from_secs_f64(seconds);
                    inbox.recv_timeout(due.saturating_duration_since(Instant::now()))
                }
            };
            match event {
                Ok(event) => {
                    self.hear(event);
                    for event in inbox.try_iter() {
                        self.hear(event);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let now = Instant::now();
            self.host.advance((now - last).as_secs_f64());
            last = now;
            self.tell();
        }
    }

    fn hear(&mut self, Event { visitor, news }: Event) {
        match news {
            News::Came(outbox) => {
                self.visitors.insert(visitor, (self.host.connect(), outbox));
            }
            News::Said(text) => {
                if let Some((page, _)) = self.visitors.get(&visitor) {
                    self.host.receive(*page, &text);
                }
            }
            News::Ready => {}
            News::Left => {
                if let Some((page, _)) = self.visitors.remove(&visitor) {
                    self.host.disconnect(page);
                }
            }
        }
    }

    /// Gives everybody who is ready the next message.
    fn tell(&mut self) {
        for (page, outbox) in self.visitors.values() {
            if let Ok(place) = outbox.try_reserve()
                && let Some(message) = self.host.take(*page)
            {
                place.send(message);
            }
        }
    }
}
