//! A page without a browser: sends commands to a host and decodes its messages.

use serde_json::Value;
use taut_view::{Host, Message, Options, PageId};

/// A step, s.
pub(crate) const STEP: f64 = 1.0 / 60.0;

/// The corners of a removed face, and the ends of a torn stick.
pub(crate) const REMOVED: u32 = u32::MAX;

/// A decoded message of the host.
#[derive(Clone, Debug)]
pub(crate) enum Received {
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
    pub(crate) poses: Vec<[f32; 7]>,
}

impl Received {
    pub(crate) fn text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap();
        match value["say"].as_str().unwrap() {
            "state" => Self::State(value),
            "figures" => Self::Figures(value),
            "error" => Self::Error(value["text"].as_str().unwrap().to_owned()),
            other => panic!("unknown message {other}"),
        }
    }

    pub(crate) fn binary(bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|&it| u32::from_le_bytes(it)).collect();
        let (&[kind, epoch, a, b], body) = words.split_first_chunk().unwrap();
        let [a, b] = [a as usize, b as usize];
        let number = |it: &u32| f32::from_bits(*it);
        if kind != 1 {
            assert!(rest.is_empty());
        }
        match kind {
            1 => Self::Mesh(epoch, serde_json::from_slice(&bytes[16..]).unwrap()),
            2 => {
                let (faces, sticks) = body.split_at(3 * a);
                assert_eq!(sticks.len(), 2 * b);
                let (faces, sticks) = (faces.as_chunks().0.to_vec(), sticks.as_chunks().0.to_vec());
                Self::Indices { epoch, faces, sticks }
            }
            3 => {
                let (faces, sticks) = body.split_at(a);
                assert_eq!(sticks.len(), b);
                Self::Removed { epoch, faces: faces.to_vec(), sticks: sticks.to_vec() }
            }
            4 => {
                let (vertices, poses) = body.split_at(3 * b);
                let numbers = |it: &[u32]| -> Vec<f32> { it.iter().map(number).collect() };
                assert_eq!(poses.len() % 7, 0);
                Self::Frame(Frame {
                    epoch,
                    step: a as u32,
                    vertices: numbers(vertices).as_chunks().0.to_vec(),
                    poses: numbers(poses).as_chunks().0.to_vec(),
                })
            }
            5 => {
                assert_eq!(body.len(), a);
                Self::Rests(epoch, body.iter().map(number).collect())
            }
            other => panic!("unknown kind {other}"),
        }
    }

    fn new(message: &Message) -> Self {
        match message {
            Message::Text(text) => Self::text(text),
            Message::Binary(bytes) => Self::binary(bytes),
        }
    }
}

/// A connected page, with its host.
pub(crate) struct Page {
    pub(crate) host: Host,
    pub(crate) id: PageId,
}

impl Page {
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
    pub(crate) fn steps(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            // A little more than a step, so that rounding does not delay it.
            self.host.advance(STEP * 1.000_01);
        }
        self
    }

    /// Takes all messages.
    pub(crate) fn messages(&mut self) -> Vec<Received> {
        messages_of(&mut self.host, self.id)
    }

    /// Requests a frame, takes all messages, and returns the frame.
    pub(crate) fn frame(&mut self) -> Frame {
        self.send(r#"{"do":"next"}"#);
        let mut frames = self.messages().into_iter().filter_map(|it| match it {
            Received::Frame(frame) => Some(frame),
            _ => None,
        });
        frames.next_back().expect("no newer frame")
    }

    /// Takes all messages, and returns the last state.
    pub(crate) fn state(&mut self) -> Value {
        let mut states = self.messages().into_iter().filter_map(|it| match it {
            Received::State(state) => Some(state),
            _ => None,
        });
        states.next_back().expect("no new state")
    }

    /// Takes all messages, and returns the last figures.
    pub(crate) fn figures(&mut self) -> Value {
        let mut figures = self.messages().into_iter().filter_map(|it| match it {
            Received::Figures(figures) => Some(figures),
            _ => None,
        });
        figures.next_back().expect("no new figures")
    }

    /// Takes all messages, and returns the errors.
    pub(crate) fn errors(&mut self) -> Vec<String> {
        let messages = self.messages().into_iter();
        messages
            .filter_map(|it| if let Received::Error(text) = it { Some(text) } else { None })
            .collect()
    }
}

/// Takes all messages for a page.
pub(crate) fn messages_of(host: &mut Host, page: PageId) -> Vec<Received> {
    std::iter::from_fn(|| host.take(page)).map(|it| Received::new(&it)).collect()
}
