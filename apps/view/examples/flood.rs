//! Floods a server on this machine with a million small messages on 200 connections, and prints how
//! long a page beside them waits for its frames, and the server's memory before and after.
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

type Failure = Box<dyn Error + Send + Sync>;
type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

/// What the flood consists of.
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

/// How many frames a page beside the flood takes, and as many more as come while messages are sent.
const FRAMES: usize = 500;

/// On how many threads the flood is sent: more would keep the processor from the server.
const THREADS: usize = 2;

/// For how long a page may wait at most for anything before the flood is given up.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("serve") {
        return serve();
    }
    let messages = first.map_or(Ok(1_000_000), |it| it.parse())?;
    let connections = arguments.next().map_or(Ok(200), |it| it.parse())?;
    let program = std::env::current_exe()?;
    let mut server = Command::new(program).arg("serve").stdout(Stdio::piped()).spawn()?;
    let flooded = flood(&mut server, messages, connections);
    server.kill()?;
    server.wait()?;
    flooded
}

/// The server, in a process of its own, so that its memory is its own.
fn serve() -> Result<(), Failure> {
    let options = Options { scene: "drape".into(), size: Some(32), ..Options::default() };
    let server = Server::bind(Host::new(options)?, None)?;
    writeln!(io::stdout(), "{}", server.address())?;
    Ok(server.run()?)
}

fn flood(server: &mut Child, messages: usize, connections: usize) -> Result<(), Failure> {
    let mut line = String::new();
    let stdout = server.stdout.take().ok_or("the server has no output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let address: SocketAddr = line.trim().parse()?;
    let mut page = connect(address)?;
    wait_for_frame(&mut page)?;
    let memory_before = memory(server);

    let come: Vec<_> = (0..connections).map(|_| connect(address)).collect();
    let mut flooders: Vec<Socket> = come.into_iter().filter_map(Result::ok).collect();
    let (taken, each) = (flooders.len(), messages / flooders.len().max(1));
    let (begun, sent, is_over) = (Instant::now(), AtomicUsize::new(0), AtomicBool::new(false));
    let ((mut waits, memory_during), took) = thread::scope(|scope| {
        let (sent, is_over) = (&sent, &is_over);
        let send = |flooders| scope.spawn(move || send(flooders, each, sent, is_over));
        let all: Vec<_> = flooders.chunks_mut(taken.div_ceil(THREADS).max(1)).map(send).collect();
        let (mut waits, mut took) = (Ok(Vec::new()), None);
        while let Ok(so_far) = &mut waits
            && (took.is_none() || so_far.len() < FRAMES)
        {
            match wait_for_frame(&mut page) {
                Ok(wait) => so_far.push(wait),
                Err(error) => waits = Err(error),
            }
            if sent.load(Ordering::Relaxed) == taken {
                took.get_or_insert_with(|| begun.elapsed());
            }
        }
        let during = memory(server);
        is_over.store(true, Ordering::Relaxed);
        for one in all {
            one.join().map_err(|_| "a thread of the flood panicked")??;
        }
        Ok::<_, Failure>(((waits?, during), took.unwrap_or_default()))
    })?;
    let after = wait_for_frame(&mut page)?;
    waits.sort_unstable();
    let (median, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    let out = &mut io::stdout();
    writeln!(
        out,
        "connections    {connections}, of which {taken} were taken and the others refused"
    )?;
    writeln!(out, "messages       {}, sent within {took:.1?}", each * taken)?;
    writeln!(
        out,
        "a frame took   {median:.1?} (median of {}), {longest:.1?} (longest)",
        waits.len()
    )?;
    writeln!(out, "afterwards     {after:.1?}")?;
    let memory_after = memory(server);
    writeln!(
        out,
        "memory         {memory_before} before, {memory_during} during, {memory_after} after"
    )?;
    Ok(())
}

fn connect(address: SocketAddr) -> Result<Socket, Failure> {
    let (mut socket, _) = tungstenite::connect(format!("ws://{address}/socket"))?;
    let stream = stream(&mut socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(socket)
}

fn stream(socket: &mut Socket) -> Result<&mut TcpStream, Failure> {
    match socket.get_mut() {
        MaybeTlsStream::Plain(stream) => Ok(stream),
        _ => Err("there is TLS on this machine's own address".into()),
    }
}

/// Sends so many messages on each socket and drops what comes. The sockets stay open until the
/// flood is over, as the server drops the commands of pages that have gone.
fn send(
    sockets: &mut [Socket],
    messages: usize,
    sent: &AtomicUsize,
    is_over: &AtomicBool,
) -> Result<(), Failure> {
    let mut drains = Vec::new();
    for socket in &mut *sockets {
        let mut answers = stream(socket)?.try_clone()?;
        // An error is the end, too.
        drains.push(thread::spawn(move || drop(io::copy(&mut answers, &mut io::sink()))));
    }
    let all = (0..messages).try_for_each(|message| {
        let command = COMMANDS[message % COMMANDS.len()];
        sockets.iter_mut().try_for_each(|socket| socket.send(Message::text(command)))
    });
    // Also after an error, which is reported below: no thread waits for what is not sent.
    sent.fetch_add(sockets.len(), Ordering::Relaxed);
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10));
    }
    for socket in &mut *sockets {
        stream(socket)?.shutdown(Shutdown::Both)?;
    }
    for drain in drains {
        drain.join().map_err(|_| "a thread that reads panicked")?;
    }
    Ok(all?)
}

/// Requests a frame; returns the time until it arrived.
fn wait_for_frame(page: &mut Socket) -> Result<Duration, Failure> {
    const FRAME: u8 = 4;
    let begun = Instant::now();
    page.send(Message::text(r#"{"do":"next"}"#))?;
    loop {
        if matches!(page.read()?, Message::Binary(bytes) if bytes.first() == Some(&FRAME)) {
            return Ok(begun.elapsed());
        }
    }
}

/// The memory that the process has of the machine's, if the system says so.
fn memory(process: &Child) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()));
    let status = status.unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident.map_or_else(|| "not known".to_owned(), |it| it.trim().to_owned())
}
