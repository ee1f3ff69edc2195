//! The server, by real sockets.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};

use taut_view::protocol::{COMMAND_BYTES_MAX, SOCKETS_MAX};
use taut_view::{Host, Options, ServeError, Server};
use tokio::sync::oneshot;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::hear::{Frame, Heard};

/// A server that runs until it is dropped.
struct Running {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Running {
    fn new() -> Self {
        let options = Options { scene: "drape".into(), size: Some(16), ..Options::default() };
        let server = Server::bind(Host::new(options).unwrap(), None).unwrap();
        let address = server.address();
        let (end, ended) = oneshot::channel();
        let run = move || server.run_until(async move { drop(ended.await) });
        Self { address, end: Some(end), thread: Some(thread::spawn(run)) }
    }

    fn visit(&self) -> Visitor {
        self.try_to_visit().unwrap()
    }

    fn try_to_visit(&self) -> Result<Visitor, tungstenite::Error> {
        let (socket, _) = tungstenite::connect(format!("ws://{}/socket", self.address))?;
        Ok(Visitor(socket))
    }

    /// Retries until the server has noticed a closed connection.
    fn visit_when_there_is_room(&self) -> Visitor {
        loop {
            match self.try_to_visit() {
                Ok(visitor) => return visitor,
                Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 503),
                Err(other) => panic!("{other}"),
            }
        }
    }

    /// The answer to a request with these lines of header.
    fn ask(&self, path: &str, header: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{header}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.end.take());
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(Ok(())))));
    }
}

struct Visitor(WebSocket<MaybeTlsStream<TcpStream>>);

impl Visitor {
    fn stream(&mut self) -> &mut TcpStream {
        match self.0.get_mut() {
            MaybeTlsStream::Plain(stream) => stream,
            other => panic!("there is no TLS: {other:?}"),
        }
    }

    /// Reads and drops everything from now on, on another thread, so that it can send for ever.
    fn drain(&mut self) -> JoinHandle<()> {
        let mut stream = self.stream().try_clone().unwrap();
        // An error is the end, too.
        thread::spawn(move || drop(io::copy(&mut stream, &mut io::sink())))
    }

    /// Whether the server closes the socket, rather than going on with figures.
    fn is_closed(&mut self) -> bool {
        (0..30).any(|_| self.0.read().is_err())
    }

    fn say(&mut self, command: &str) {
        self.0.send(Message::text(command)).unwrap();
    }

    fn hear(&mut self) -> Heard {
        match self.0.read().unwrap() {
            Message::Text(text) => Heard::text(&text),
            Message::Binary(bytes) => Heard::binary(&bytes),
            other => panic!("what is {other:?}?"),
        }
    }

    /// Requests a frame and waits for it.
    fn look(&mut self) -> Frame {
        self.say(r#"{"do":"next"}"#);
        loop {
            if let Heard::Frame(frame) = self.hear() {
                return frame;
            }
        }
    }
}

#[test]
fn pages_come_look_and_come_again() {
    let running = Running::new();
    let mut visitor = running.visit();
    assert!(matches!(visitor.hear(), Heard::State(_)));
    let first = visitor.look();
    let later = visitor.look();
    assert!(later.step > first.step, "it moves by itself");
    drop(visitor);
    let mut again = running.visit();
    assert!(matches!(again.hear(), Heard::State(_)));
    assert!(again.look().step >= later.step, "it went on from there");
}

#[test]
fn two_pages_see_the_same_world() {
    let running = Running::new();
    let [mut one, mut other] = [running.visit(), running.visit()];
    one.say(r#"{"do":"grab","particle":255}"#);
    one.say(r#"{"do":"drag","particle":255,"to":[0.5,0.25,0.125]}"#);
    let is_there = |visitor: &mut Visitor| visitor.look().vertices[255] == [0.5, 0.25, 0.125];
    while !is_there(&mut other) {}
    // A page that vanishes, without a word, holds nothing any more.
    drop(one);
    while is_there(&mut other) {}
    other.say("nonsense");
    while !matches!(other.hear(), Heard::Error(_)) {}
}

#[test]
fn a_slow_page_gets_one_frame_and_it_is_the_newest() {
    let running = Running::new();
    let [mut slow, mut quick] = [running.visit(), running.visit()];
    let first = slow.look().step;
    while quick.look().step < first + 20 {}
    assert!(slow.look().step >= first + 20, "none of those between");
}

#[test]
fn other_origins_and_other_names_are_not_let_in() {
    let running = Running::new();
    let own = format!("Host: {}\r\n", running.address);
    let port = running.address.port();
    for (path, header, status) in [
        ("/worker.js", own.clone(), "200"),
        ("/worker.js", format!("Host: localhost:{port}\r\n"), "200"),
        ("/worker.js", format!("{own}Origin: http://{}\r\n", running.address), "200"),
        ("/worker.js", format!("{own}Origin: http://elsewhere.example\r\n"), "403"),
        ("/worker.js", format!("{own}Origin: null\r\n"), "403"),
        ("/worker.js", format!("{own}Origin: https://{}\r\n", running.address), "403"),
        ("/worker.js", format!("Host: elsewhere.example:{port}\r\n"), "403"),
        ("/worker.js", "Host: 127.0.0.1:1\r\n".to_owned(), "403"),
        ("/nothing.js", own.clone(), "404"),
        ("/../Cargo.toml", own.clone(), "404"),
        ("/%2e%2e/Cargo.toml", own.clone(), "404"),
    ] {
        let answer = running.ask(path, &header);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path} {header}: {answer}");
    }
    let answer = running.ask("/worker.js", &own).to_lowercase();
    assert!(answer.contains("content-type: text/javascript"), "{answer}");

    // The same of sockets: a page elsewhere would otherwise reach it.
    let url = format!("ws://{}/socket", running.address);
    let with_origin = |origin: String| {
        let mut request = url.as_str().into_client_request().unwrap();
        request.headers_mut().insert("Origin", HeaderValue::from_str(&origin).unwrap());
        tungstenite::connect(request)
    };
    assert!(with_origin(format!("http://{}", running.address)).is_ok());
    match with_origin("http://elsewhere.example".to_owned()) {
        Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 403),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_port_that_is_taken_is_said() {
    let running = Running::new();
    let host = Host::new(Options::default()).unwrap();
    let taken = Server::bind(host, Some(running.address.port()));
    assert!(taken.unwrap_err().to_string().contains("cannot listen on port"));
}

#[test]
fn shutdown_does_not_wait_for_pages() {
    let running = Running::new();
    let mut visitor = running.visit();
    visitor.hear();
    drop(running);
    while visitor.0.read().is_ok() {}
}

#[test]
fn more_bytes_than_a_command_has_are_not_waited_for() {
    let running = Running::new();
    let mut visitor = running.visit();
    // The header of a frame of 16 MiB: a text, masked, with its length in eight bytes.
    let length = (16_u64 << 20).to_be_bytes();
    visitor.stream().write_all(&[&[0x81, 0xff], &length[..], &[0; 4]].concat()).unwrap();
    assert!(visitor.is_closed());

    let with_spaces = |bytes: usize| format!("{:bytes$}", r#"{"do":"next"}"#);
    let mut visitor = running.visit();
    visitor.say(&with_spaces(COMMAND_BYTES_MAX));
    while !matches!(visitor.hear(), Heard::Frame(_)) {}
    visitor.say(&with_spaces(COMMAND_BYTES_MAX + 1));
    assert!(visitor.is_closed());
}

#[test]
fn more_pages_than_there_may_be_are_refused_in_a_sentence() {
    let running = Running::new();
    let mut visitors: Vec<Visitor> = (0..SOCKETS_MAX).map(|_| running.visit()).collect();
    match running.try_to_visit() {
        Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 503),
        other => panic!("{:?}", other.map(|_| "it was let in")),
    }
    // The page then requests the reason by HTTP, as a WebSocket does not report it.
    let answer = running.ask("/socket", &format!("Host: {}\r\n", running.address));
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("32 pages show this simulation"), "{answer}");
    // Those who are there are served, and so is who comes after one of them has gone.
    visitors[SOCKETS_MAX - 1].look();
    drop(visitors.pop());
    running.visit_when_there_is_room().look();
}

#[test]
fn a_page_that_resets_without_end_does_not_keep_others_waiting() {
    let running = Running::new();
    let mut looker = running.visit();
    let mut flooder = running.visit();
    let drain = flooder.drain();
    let first = looker.look().epoch;
    for _ in 0..20_000 {
        flooder.say(r#"{"do":"reset"}"#);
    }
    let mut last = first;
    for _ in 0..20 {
        // The frame comes before all commands of the flood have run.
        let epoch = looker.look().epoch;
        assert!(epoch - last <= 50, "{} resets between two frames", epoch - last);
        last = epoch;
    }
    assert!(last > first, "the flood is followed, too");
    flooder.stream().shutdown(Shutdown::Both).unwrap();
    drain.join().unwrap();
}

#[test]
fn a_flood_of_messages_and_connections_leaves_it_answering() {
    const COMMANDS: [&str; 12] = [
        r#"{"do":"next"}"#,
        r#"{"do":"reset"}"#,
        r#"{"do":"grab","particle":7}"#,
        r#"{"do":"drag","particle":7,"to":[0.1,0.2,0.3]}"#,
        "nonsense",
        r#"{"do":"set","damping_rate":0.5}"#,
        r#"{"do":"step"}"#,
        r#"{"do":"set","schedule":"coloured"}"#,
        r#"{"do":"cut","from":[[9,9,9],[9,9,8]],"to":[[9,8,9],[9,8,8]]}"#,
        r#"{"do":"race","kernel":"scalar"}"#,
        r#"{"do":"set","schedule":null}"#,
        r#"{"do":"race"}"#,
    ];
    let running = Running::new();
    let mut looker = running.visit();
    let come: Vec<_> = (0..60).map(|_| running.try_to_visit()).collect();
    let flooders: Vec<Visitor> = come.into_iter().filter_map(Result::ok).collect();
    assert_eq!(flooders.len(), SOCKETS_MAX - 1);
    thread::scope(|scope| {
        for (nth, mut flooder) in flooders.into_iter().enumerate() {
            scope.spawn(move || {
                let drain = flooder.drain();
                for command in 0..20_000 / SOCKETS_MAX {
                    flooder.say(COMMANDS[(nth + command) % COMMANDS.len()]);
                }
                flooder.stream().shutdown(Shutdown::Both).unwrap();
                drain.join().unwrap();
            });
        }
        for _ in 0..10 {
            looker.look();
        }
    });
    let answer = running.ask("/worker.js", &format!("Host: {}\r\n", running.address));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    looker.look();
    running.visit_when_there_is_room().look();
}
