//! A page without a browser: sends commands to a host and decodes its messages.

use serde_json::Value;
use taut_view::{Host, Message, Options, PageId};

/// The length of a step, s.
pub(crate) const STEP: f64 = 1.0 / 60.0;

/// The index in place of each corner of a removed face and each end of a torn stick.
pub(crate) const REMOVED: u32 = u32::MAX;

/// A decoded message of the host. `State` and `Figures` have the whole JSON message. The `u32` of `Mesh`
/// and `Rests` is the epoch.
#[derive(Clone, Debug)]
pub(crate) enum ReceivedMessage {
    State(Value),
    Figures(Value),
    Error(String),
    Mesh(u32, Value),
    Indices { epoch: u32, faces: Vec<[u32; 3]>, sticks: Vec<[u32; 2]> },
    Removed { epoch: u32, faces: Vec<u32>, sticks: Vec<u32> },
    Frame(Frame),
    Rests(u32, Vec<f32>),
}

/// A decoded frame: positions of the vertices, and poses of the obstacles.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) epoch: u32,
    pub(crate) step: u32,
    pub(crate) vertices: Vec<[f32; 3]>,
    /// For each obstacle its position, m, then its rotation as a quaternion x, y, z, w.
    pub(crate) poses: Vec<[f32; 7]>,
}

impl ReceivedMessage {
    /// Decodes a text message.
    pub(crate) fn from_text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap();
        match value["say"].as_str().unwrap() {
            "state" => Self::State(value),
            "figures" => Self::Figures(value),
            "error" => Self::Error(value["text"].as_str().unwrap().to_owned()),
            other => panic!("unknown message {other}"),
        }
    }

    /// Decodes a binary message, and checks its length.
    pub(crate) fn from_binary(bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let (&[kind, epoch, first, second], body) = words.split_first_chunk().unwrap();
        // The meaning of `first` and `second` depends on the kind.
        let [first, second] = [first as usize, second as usize];
        let to_f32 = |word: &u32| f32::from_bits(*word);
        // Kind 1 has JSON, whose length need not be a multiple of 4 bytes.
        if kind != 1 {
            assert!(rest.is_empty());
        }
        match kind {
            1 => Self::Mesh(epoch, serde_json::from_slice(&bytes[16..]).unwrap()),
            2 => {
                let (faces, sticks) = body.split_at(3 * first);
                assert_eq!(sticks.len(), 2 * second);
                let (faces, sticks) = (faces.as_chunks().0.to_vec(), sticks.as_chunks().0.to_vec());
                Self::Indices { epoch, faces, sticks }
            }
            3 => {
                let (faces, sticks) = body.split_at(first);
                assert_eq!(sticks.len(), second);
                Self::Removed { epoch, faces: faces.to_vec(), sticks: sticks.to_vec() }
            }
            4 => {
                let (vertices, poses) = body.split_at(3 * second);
                let to_f32s = |words: &[u32]| -> Vec<f32> { words.iter().map(to_f32).collect() };
                assert_eq!(poses.len() % 7, 0);
                Self::Frame(Frame {
                    epoch,
                    step: first as u32,
                    vertices: to_f32s(vertices).as_chunks().0.to_vec(),
                    poses: to_f32s(poses).as_chunks().0.to_vec(),
                })
            }
            5 => {
                assert_eq!(body.len(), first);
                Self::Rests(epoch, body.iter().map(to_f32).collect())
            }
            other => panic!("unknown kind {other}"),
        }
    }

    fn from_message(message: &Message) -> Self {
        match message {
            Message::Text(text) => Self::from_text(text),
            Message::Binary(bytes) => Self::from_binary(bytes),
        }
    }
}

/// A connected page, with its host.
pub(crate) struct Page {
    pub(crate) host: Host,
    pub(crate) id: PageId,
}

impl Page {
    /// A page on a new host with this library scene.
    pub(crate) fn new(scene: &str, size: usize) -> Self {
        let options =
            Options { scene: scene.to_owned(), size: Some(size), threads: 2, ..Options::default() };
        let mut host = Host::new(options).unwrap();
        let id = host.connect();
        Self { host, id }
    }

    /// Sends a command.
    pub(crate) fn send(&mut self, command: &str) -> &mut Self {
        self.host.receive(self.id, command);
        self
    }

    /// Advances the simulation by a number of steps.
    pub(crate) fn run_steps(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            // Slightly more than the time of a step, so that rounding errors do not delay the step.
            self.host.advance(STEP * 1.000_01);
        }
        self
    }

    /// Takes all messages.
    pub(crate) fn messages(&mut self) -> Vec<ReceivedMessage> {
        messages_of(&mut self.host, self.id)
    }

    /// Takes all messages, which must not be errors.
    fn messages_without_errors(&mut self) -> Vec<ReceivedMessage> {
        let messages = self.messages();
        for message in &messages {
            if let ReceivedMessage::Error(text) = message {
                panic!("unexpected error: {text}");
            }
        }
        messages
    }

    /// Requests a frame, takes all messages, and returns the frame. Panics if there is none, or if a
    /// message is an error.
    pub(crate) fn frame(&mut self) -> Frame {
        self.send(r#"{"do":"next"}"#);
        let mut frames =
            self.messages_without_errors().into_iter().filter_map(|message| match message {
                ReceivedMessage::Frame(frame) => Some(frame),
                _ => None,
            });
        frames.next_back().expect("no newer frame")
    }

    /// Takes all messages, and returns the last state. Panics if there is none, or if a message is an
    /// error.
    pub(crate) fn state(&mut self) -> Value {
        let mut states =
            self.messages_without_errors().into_iter().filter_map(|message| match message {
                ReceivedMessage::State(state) => Some(state),
                _ => None,
            });
        states.next_back().expect("no new state")
    }

    /// Takes all messages, and returns the last figures. Panics if there are none, or if a message is an
    /// error.
    pub(crate) fn figures(&mut self) -> Value {
        let mut figures =
            self.messages_without_errors().into_iter().filter_map(|message| match message {
                ReceivedMessage::Figures(figures) => Some(figures),
                _ => None,
            });
        figures.next_back().expect("no new figures")
    }

    /// Takes all messages, and returns the errors.
    pub(crate) fn errors(&mut self) -> Vec<String> {
        let messages = self.messages().into_iter();
        messages
            .filter_map(|message| match message {
                ReceivedMessage::Error(text) => Some(text),
                _ => None,
            })
            .collect()
    }
}

/// Takes all messages for a page.
pub(crate) fn messages_of(host: &mut Host, page: PageId) -> Vec<ReceivedMessage> {
    std::iter::from_fn(|| host.take(page))
        .map(|message| ReceivedMessage::from_message(&message))
        .collect()
}
