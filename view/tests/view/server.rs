//! The server, by real sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};

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
        let (socket, _) = tungstenite::connect(format!("ws://{}/socket", self.address)).unwrap();
        Visitor(socket)
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

    /// Asks for a frame, and waits for it.
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
    assert!(taken.unwrap_err().to_string().contains("cannot be had"));
}

#[test]
fn nobody_waits_for_pages_when_it_ends() {
    let running = Running::new();
    let mut visitor = running.visit();
    visitor.hear();
    drop(running);
    while visitor.0.read().is_ok() {}
}
