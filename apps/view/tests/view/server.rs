//! The server, tested through real sockets.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taut_view::protocol::{COMMAND_BYTES_MAX, SOCKETS_MAX};
use taut_view::{Host, Options, ServeError, Server};
use tokio::sync::oneshot;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::page::{Frame, ReceivedMessage};

/// A server that runs until it is dropped.
struct TestServer {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl TestServer {
    fn new() -> Self {
        let options = Options { scene: "drape".into(), size: Some(16), ..Options::default() };
        let server = Server::bind(Host::new(options).unwrap(), None).unwrap();
        let address = server.address();
        let (end, end_signal) = oneshot::channel();
        let run = move || server.run_until(async move { drop(end_signal.await) });
        Self { address, end: Some(end), thread: Some(thread::spawn(run)) }
    }

    fn connect(&self) -> Client {
        self.try_connect().unwrap()
    }

    fn try_connect(&self) -> Result<Client, tungstenite::Error> {
        let (socket, _) = tungstenite::connect(format!("ws://{}/socket", self.address))?;
        Ok(Client(socket))
    }

    /// Retries while the server answers that all slots are taken, until it frees the slot of a closed
    /// connection.
    fn connect_when_a_slot_is_free(&self) -> Client {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            match self.try_connect() {
                Ok(client) => return client,
                Err(tungstenite::Error::Http(response)) => assert_eq!(response.status(), 503),
                Err(other) => panic!("{other}"),
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not free the slot of a closed connection");
    }

    /// The response to a GET request with these header lines, each of which ends in `\r\n`.
    fn get(&self, path: &str, header_lines: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{header_lines}Connection: close\r\n\r\n").unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        String::from_utf8_lossy(&response).into_owned()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.end.take());
        let result = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(result, Some(Ok(Ok(())))));
    }
}

/// A WebSocket client in place of a page.
struct Client(WebSocket<MaybeTlsStream<TcpStream>>);

impl Client {
    fn stream(&mut self) -> &mut TcpStream {
        match self.0.get_mut() {
            MaybeTlsStream::Plain(stream) => stream,
            other => panic!("unexpected TLS: {other:?}"),
        }
    }

    /// Reads and discards all messages on another thread. Otherwise the server would wait for this
    /// client to read, and stop reading its commands.
    fn drain(&mut self) -> JoinHandle<()> {
        let mut stream = self.stream().try_clone().unwrap();
        // The thread ends at the end of the stream or at an error.
        thread::spawn(move || drop(io::copy(&mut stream, &mut io::sink())))
    }

    /// Whether reading fails within the next 30 messages. The server sends figures ten times per
    /// second, so this takes at most about 3 s.
    fn is_soon_closed(&mut self) -> bool {
        (0..30).any(|_| self.0.read().is_err())
    }

    fn send(&mut self, command: &str) {
        self.0.send(Message::text(command)).unwrap();
    }

    /// Waits for the next message.
    fn receive(&mut self) -> ReceivedMessage {
        match self.0.read().unwrap() {
            Message::Text(text) => ReceivedMessage::from_text(&text),
            Message::Binary(bytes) => ReceivedMessage::from_binary(&bytes),
            other => panic!("unexpected message {other:?}"),
        }
    }

    /// Requests a frame and waits for it.
    fn frame(&mut self) -> Frame {
        self.send(r#"{"do":"next"}"#);
        self.receive_frame()
    }

    /// Waits for the next frame.
    fn receive_frame(&mut self) -> Frame {
        loop {
            if let ReceivedMessage::Frame(frame) = self.receive() {
                return frame;
            }
        }
    }
}

#[test]
fn pages_can_connect_again() {
    let server = TestServer::new();
    let mut client = server.connect();
    assert!(matches!(client.receive(), ReceivedMessage::State(_)));
    let first = client.frame();
    let later = client.frame();
    assert!(later.step > first.step, "the simulation did not advance");
    drop(client);
    let mut client = server.connect();
    assert!(matches!(client.receive(), ReceivedMessage::State(_)));
    assert!(client.frame().step >= later.step, "the simulation restarted");
}

#[test]
fn pages_share_a_world_and_release_their_particles_when_they_disconnect() {
    let server = TestServer::new();
    let [mut one, mut other] = [server.connect(), server.connect()];
    one.send(r#"{"do":"grab","particle":255}"#);
    one.send(r#"{"do":"drag","particle":255,"to":[0.5,0.25,0.125]}"#);
    let is_dragged = |client: &mut Client| client.frame().vertices[255] == [0.5, 0.25, 0.125];
    while !is_dragged(&mut other) {}
    // A page that disconnects without a close message releases its particles.
    drop(one);
    while is_dragged(&mut other) {}
    other.send("nonsense");
    while !matches!(other.receive(), ReceivedMessage::Error(_)) {}
}

#[test]
fn after_an_unread_frame_a_slow_page_receives_the_newest_frame() {
    let server = TestServer::new();
    let [mut slow, mut quick] = [server.connect(), server.connect()];
    let first = slow.frame().step;
    slow.send(r#"{"do":"next"}"#); // not read until the quick page is 20 steps ahead
    while quick.frame().step < first + 20 {}
    slow.receive_frame();
    assert!(slow.frame().step >= first + 20, "the slow page received an older frame");
}

#[test]
fn other_origins_and_host_names_are_rejected() {
    let server = TestServer::new();
    let own_host = format!("Host: {}\r\n", server.address);
    let port = server.address.port();
    for (path, header, status) in [
        ("/worker.js", own_host.clone(), "200"),
        ("/worker.js", format!("Host: localhost:{port}\r\n"), "200"),
        ("/worker.js", format!("{own_host}Origin: http://{}\r\n", server.address), "200"),
        ("/worker.js", format!("{own_host}Origin: http://elsewhere.example\r\n"), "403"),
        ("/worker.js", format!("{own_host}Origin: null\r\n"), "403"),
        ("/worker.js", format!("{own_host}Origin: https://{}\r\n", server.address), "403"),
        ("/worker.js", format!("Host: elsewhere.example:{port}\r\n"), "403"),
        ("/worker.js", "Host: 127.0.0.1:1\r\n".to_owned(), "403"),
        ("/nothing.js", own_host.clone(), "404"),
        ("/../Cargo.toml", own_host.clone(), "404"),
        ("/%2e%2e/Cargo.toml", own_host.clone(), "404"),
    ] {
        let response = server.get(path, &header);
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{path} {header}: {response}");
    }
    let response = server.get("/worker.js", &own_host).to_lowercase();
    assert!(response.contains("content-type: text/javascript"), "{response}");

    // The same holds for WebSockets: otherwise a page of another site could connect.
    let url = format!("ws://{}/socket", server.address);
    let with_origin = |origin: String| {
        let mut request = url.as_str().into_client_request().unwrap();
        request.headers_mut().insert("Origin", HeaderValue::from_str(&origin).unwrap());
        tungstenite::connect(request)
    };
    assert!(with_origin(format!("http://{}", server.address)).is_ok());
    match with_origin("http://elsewhere.example".to_owned()) {
        Err(tungstenite::Error::Http(response)) => assert_eq!(response.status(), 403),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_occupied_port_gives_an_error() {
    let server = TestServer::new();
    let host = Host::new(Options::default()).unwrap();
    let result = Server::bind(host, Some(server.address.port()));
    assert!(result.unwrap_err().to_string().contains("cannot listen on port"));
}

#[test]
fn shutdown_does_not_wait_for_pages() {
    let server = TestServer::new();
    let mut client = server.connect();
    client.receive();
    drop(server);
    while client.0.read().is_ok() {}
}

#[test]
fn a_command_that_is_too_long_closes_the_socket() {
    let server = TestServer::new();
    let mut client = server.connect();
    // The header of a WebSocket frame of 16 MiB: a masked text, with its length in eight bytes.
    let length = (16_u64 << 20).to_be_bytes();
    client.stream().write_all(&[&[0x81, 0xff], &length[..], &[0; 4]].concat()).unwrap();
    assert!(client.is_soon_closed());

    let with_spaces = |bytes: usize| format!("{:bytes$}", r#"{"do":"next"}"#);
    let mut client = server.connect();
    client.send(&with_spaces(COMMAND_BYTES_MAX));
    while !matches!(client.receive(), ReceivedMessage::Frame(_)) {}
    client.send(&with_spaces(COMMAND_BYTES_MAX + 1));
    assert!(client.is_soon_closed());
}

#[test]
fn pages_beyond_the_maximum_are_refused_with_a_message() {
    let server = TestServer::new();
    let mut clients: Vec<Client> = (0..SOCKETS_MAX).map(|_| server.connect()).collect();
    match server.try_connect() {
        Err(tungstenite::Error::Http(response)) => assert_eq!(response.status(), 503),
        other => panic!("{:?}", other.map(|_| "the connection was accepted")),
    }
    // A WebSocket does not report the reason, so the page requests it by HTTP.
    let response = server.get("/socket", &format!("Host: {}\r\n", server.address));
    assert!(response.starts_with("HTTP/1.1 503"), "{response}");
    assert!(response.contains("32 pages show this simulation"), "{response}");
    // Connected pages are still served, and so is a page that connects after another has disconnected.
    clients[SOCKETS_MAX - 1].frame();
    drop(clients.pop());
    server.connect_when_a_slot_is_free().frame();
}

#[test]
fn a_page_that_sends_many_resets_does_not_delay_others() {
    let server = TestServer::new();
    let mut watcher = server.connect();
    let mut flooder = server.connect();
    let drain = flooder.drain();
    let first = watcher.frame().epoch;
    for _ in 0..20_000 {
        flooder.send(r#"{"do":"reset"}"#);
    }
    let mut last = first;
    for _ in 0..20 {
        // A frame arrives long before all 20,000 resets have run. (On a busy machine, some dozens of resets
        // run while this thread waits for a processor.)
        let epoch = watcher.frame().epoch;
        assert!(epoch - last <= 500, "{} resets between two frames", epoch - last);
        last = epoch;
    }
    assert!(last > first, "no reset was run");
    flooder.stream().shutdown(Shutdown::Both).unwrap();
    drain.join().unwrap();
}

#[test]
fn the_server_responds_after_a_flood_of_messages_and_connections() {
    // Each flooding page sends these commands in turn.
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
    let server = TestServer::new();
    let mut watcher = server.connect();
    let attempts: Vec<_> = (0..60).map(|_| server.try_connect()).collect();
    let flooders: Vec<Client> = attempts.into_iter().filter_map(Result::ok).collect();
    assert_eq!(flooders.len(), SOCKETS_MAX - 1);
    thread::scope(|scope| {
        for (index, mut flooder) in flooders.into_iter().enumerate() {
            scope.spawn(move || {
                let drain = flooder.drain();
                for command in 0..20_000 / SOCKETS_MAX {
                    flooder.send(COMMANDS[(index + command) % COMMANDS.len()]);
                }
                flooder.stream().shutdown(Shutdown::Both).unwrap();
                drain.join().unwrap();
            });
        }
        for _ in 0..10 {
            watcher.frame();
        }
    });
    let response = server.get("/worker.js", &format!("Host: {}\r\n", server.address));
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    watcher.frame();
    server.connect_when_a_slot_is_free().frame();
}
