//! Messages, read as a page reads them.

use serde_json::Value;
use taut_view::{Host, Message, Options, PageId};

/// A step, s.
pub(crate) const STEP: f64 = 1.0 / 60.0;

/// What is gone.
pub(crate) const GONE: u32 = u32::MAX;

/// A message.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    State(Value),
    Figures(Value),
    Error(String),
    Mesh(u32, Value),
    Indices { epoch: u32, faces: Vec<[u32; 3]>, sticks: Vec<[u32; 2]> },
    Removed { epoch: u32, faces: Vec<u32>, sticks: Vec<u32> },
    Frame(Frame),
    Rests(u32, Vec<f32>),
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) epoch: u32,
    pub(crate) step: u32,
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) poses: Vec<[f32; 7]>,
}

impl Heard {
    pub(crate) fn text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap();
        match value["say"].as_str().unwrap() {
            "state" => Self::State(value),
            "figures" => Self::Figures(value),
            "error" => Self::Error(value["text"].as_str().unwrap().to_owned()),
            other => panic!("what does it say by {other}?"),
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
            other => panic!("what is kind {other}?"),
        }
    }

    fn new(message: &Message) -> Self {
        match message {
            Message::Text(text) => Self::text(text),
            Message::Binary(bytes) => Self::binary(bytes),
        }
    }
}

/// A host with a page.
pub(crate) struct Visit {
    pub(crate) host: Host,
    pub(crate) page: PageId,
}

impl Visit {
    pub(crate) fn new(scene: &str, size: usize) -> Self {
        let options =
            Options { scene: scene.to_owned(), size: Some(size), threads: 2, ..Options::default() };
        let mut host = Host::new(options).unwrap();
        let page = host.connect();
        Self { host, page }
    }

    pub(crate) fn say(&mut self, command: &str) -> &mut Self {
        self.host.receive(self.page, command);
        self
    }

    /// Lets so many steps be done.
    pub(crate) fn steps(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            // A little more than a step, so that rounding keeps none back.
            self.host.advance(STEP * 1.000_01);
        }
        self
    }

    /// All that there is to hear.
    pub(crate) fn hear(&mut self) -> Vec<Heard> {
        hear(&mut self.host, self.page)
    }

    /// Everything that there is to hear, and a frame.
    pub(crate) fn look(&mut self) -> Frame {
        self.say(r#"{"do":"next"}"#);
        let mut frames = self.hear().into_iter().filter_map(|it| match it {
            Heard::Frame(frame) => Some(frame),
            _ => None,
        });
        frames.next_back().expect("there is a newer frame")
    }

    /// The last state that it heard, and forgets all else.
    pub(crate) fn state(&mut self) -> Value {
        let mut states = self.hear().into_iter().filter_map(|it| match it {
            Heard::State(state) => Some(state),
            _ => None,
        });
        states.next_back().expect("the state changed")
    }

    /// The last figures that it heard, and forgets all else.
    pub(crate) fn figures(&mut self) -> Value {
        let mut figures = self.hear().into_iter().filter_map(|it| match it {
            Heard::Figures(figures) => Some(figures),
            _ => None,
        });
        figures.next_back().expect("the figures changed")
    }

    /// The errors that it heard, and forgets all else.
    pub(crate) fn errors(&mut self) -> Vec<String> {
        let heard = self.hear().into_iter();
        heard.filter_map(|it| if let Heard::Error(text) = it { Some(text) } else { None }).collect()
    }
}

pub(crate) fn hear(host: &mut Host, page: PageId) -> Vec<Heard> {
    std::iter::from_fn(|| host.take(page)).map(|it| Heard::new(&it)).collect()
}
