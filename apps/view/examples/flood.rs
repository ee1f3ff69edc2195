//! Floods a server on this machine with a million small messages on 200 connections, of which the server
//! accepts as many as its limit allows. Prints how long another page waits for a frame during the flood
//! (and after it, if it is short), and the memory of the server before the flood, at its end with all
//! connections open, and after they are closed.
//!
//! ```sh
//! cargo run --release -p taut-view --features server --example flood -- [MESSAGES [CONNECTIONS]]
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taut_view::{Host, Options, Server};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

type AnyError = Box<dyn Error + Send + Sync>;
type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

/// The commands of the flood, sent in turn.
const COMMANDS: [&str; 8] = [
    r#"{"do":"reset"}"#,
    r#"{"do":"next"}"#,
    "nonsense",
    r#"{"do":"grab","particle":7}"#,
    r#"{"do":"drag","particle":7,"to":[0.1,0.2,0.3]}"#,
    r#"{"do":"set","damping_rate":0.5}"#,
    r#"{"do":"step"}"#,
    r#"{"do":"pause","on":false}"#,
];

/// The minimum number of frames that the other page requests. If the flood ends earlier, the rest are
/// requested after it.
const FRAMES_MIN: usize = 500;

/// The number of threads that send the flood. More would leave the server too little CPU time.
const THREADS: usize = 2;

/// The time after which reading from or writing to a socket fails.
const TIMEOUT: Duration = Duration::from_secs(60);

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("serve") {
        return serve();
    }
    let messages = first.map_or(Ok(1_000_000), |text| text.parse())?;
    let connections = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let program = std::env::current_exe()?;
    let mut server = Command::new(program).arg("serve").stdout(Stdio::piped()).spawn()?;
    let result = flood(&mut server, messages, connections);
    server.kill()?;
    server.wait()?;
    result
}

/// Runs the server, and prints its address. The server has its own process, so that its memory can be
/// measured.
fn serve() -> Result<(), AnyError> {
    let options = Options { scene: "drape".into(), size: Some(32), ..Options::default() };
    let server = Server::bind(Host::new(options)?, None)?;
    writeln!(io::stdout(), "{}", server.address())?;
    Ok(server.run()?)
}

/// Sends the flood, and prints the measurements.
fn flood(server: &mut Child, messages: usize, connections: usize) -> Result<(), AnyError> {
    let mut line = String::new();
    let stdout = server.stdout.take().ok_or("the server has no output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let address: SocketAddr = line.trim().parse()?;
    let mut page = connect(address)?;
    wait_for_frame(&mut page)?;
    let memory_before = memory(server);

    let attempts: Vec<_> = (0..connections).map(|_| connect(address)).collect();
    let mut flooders: Vec<Socket> = attempts.into_iter().filter_map(Result::ok).collect();
    let (accepted, per_connection) = (flooders.len(), messages / flooders.len().max(1));
    let (start, finished, stop) = (Instant::now(), AtomicUsize::new(0), AtomicBool::new(false));
    let ((mut waits, memory_with_connections), duration) = thread::scope(|scope| {
        let (finished, stop) = (&finished, &stop);
        let spawn = |flooders| scope.spawn(move || send(flooders, per_connection, finished, stop));
        let threads: Vec<_> =
            flooders.chunks_mut(accepted.div_ceil(THREADS).max(1)).map(spawn).collect();
        let (mut waits, mut duration) = (Ok(Vec::new()), None);
        while let Ok(so_far) = &mut waits
            && (duration.is_none() || so_far.len() < FRAMES_MIN)
        {
            match wait_for_frame(&mut page) {
                Ok(wait) => so_far.push(wait),
                Err(error) => waits = Err(error),
            }
            if finished.load(Ordering::Relaxed) == accepted {
                duration.get_or_insert_with(|| start.elapsed());
            }
        }
        let memory_with_connections = memory(server);
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().map_err(|_| "a thread of the flood panicked")??;
        }
        Ok::<_, AnyError>(((waits?, memory_with_connections), duration.unwrap_or_default()))
    })?;
    let wait_after = wait_for_frame(&mut page)?;
    waits.sort_unstable();
    let (median, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    let out = &mut io::stdout();
    writeln!(out, "connections    {connections}, of which {accepted} were accepted")?;
    writeln!(out, "messages       {}, sent in {duration:.1?}", per_connection * accepted)?;
    writeln!(
        out,
        "frame time     {median:.1?} (median of {}), {longest:.1?} (longest)",
        waits.len()
    )?;
    writeln!(out, "after flood    {wait_after:.1?}")?;
    let memory_after = memory(server);
    writeln!(
        out,
        "memory         {memory_before} before, {memory_with_connections} with all connections, {memory_after} after"
    )?;
    Ok(())
}

/// Connects a page to the server.
fn connect(address: SocketAddr) -> Result<Socket, AnyError> {
    let (mut socket, _) = tungstenite::connect(format!("ws://{address}/socket"))?;
    let stream = stream(&mut socket)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    Ok(socket)
}

/// The TCP stream of a socket.
fn stream(socket: &mut Socket) -> Result<&mut TcpStream, AnyError> {
    match socket.get_mut() {
        MaybeTlsStream::Plain(stream) => Ok(stream),
        _ => Err("unexpected TLS on a loopback connection".into()),
    }
}

/// Sends this number of messages on each socket, then adds the number of sockets to `finished`.
/// Discards what the server sends. The sockets stay open until `stop` is set, because the server
/// drops the commands of disconnected pages.
fn send(
    sockets: &mut [Socket],
    messages: usize,
    finished: &AtomicUsize,
    stop: &AtomicBool,
) -> Result<(), AnyError> {
    let mut drains = Vec::new();
    let mut send_all = || -> Result<(), AnyError> {
        for socket in &mut *sockets {
            let mut reader = stream(socket)?.try_clone()?;
            // The thread ends at the end of the stream or at an error.
            drains.push(thread::spawn(move || drop(io::copy(&mut reader, &mut io::sink()))));
        }
        for message in 0..messages {
            let command = COMMANDS[message % COMMANDS.len()];
            sockets.iter_mut().try_for_each(|socket| socket.send(Message::text(command)))?;
        }
        Ok(())
    };
    let result = send_all();
    // The sockets count as finished also after an error, which is returned below: otherwise the main
    // thread would wait forever.
    finished.fetch_add(sockets.len(), Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10));
    }
    for socket in &mut *sockets {
        stream(socket)?.shutdown(Shutdown::Both)?;
    }
    for drain in drains {
        drain.join().map_err(|_| "a reading thread panicked")?;
    }
    result
}

/// Requests a frame, and returns the time until it arrives.
fn wait_for_frame(page: &mut Socket) -> Result<Duration, AnyError> {
    /// The kind of a binary message with a frame, which is its first byte.
    const FRAME: u8 = 4;
    let start = Instant::now();
    page.send(Message::text(r#"{"do":"next"}"#))?;
    loop {
        if matches!(page.read()?, Message::Binary(bytes) if bytes.first() == Some(&FRAME)) {
            return Ok(start.elapsed());
        }
    }
}

/// The resident memory of a process, if the system reports it.
fn memory(process: &Child) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()));
    let status = status.unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident.map_or_else(|| "unknown".to_owned(), |size| size.trim().to_owned())
}
