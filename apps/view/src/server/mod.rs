//! Serves the page to browsers on this machine, and connects it to the host.

mod allowed_hosts;
mod simulation;

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message as Frame, WebSocket, WebSocketUpgrade};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use rust_embed::Embed;
use tokio::sync::{Semaphore, mpsc};

use crate::host::Host;
use crate::protocol::{COMMAND_BYTES_MAX, COMMANDS_QUEUED_MAX, Message, SOCKETS_MAX};

use allowed_hosts::AllowedHosts;
use simulation::{Handle, Queues, ReadCommand, Simulation};

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Listening on the port failed.
    #[error("cannot listen on port {port}: {cause}")]
    Port {
        /// The requested port; 0: any free port.
        port: u16,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A thread could not be started, or the listening socket failed.
    #[error("the server ended: {0}")]
    Ended(#[from] io::Error),
}

/// Serves the page, and a [`Host`] behind a WebSocket (`/socket`), on the loopback address only. It
/// rejects requests from other origins and requests with another host name. It accepts at most
/// [`SOCKETS_MAX`] pages, and answers further pages with status 503. What each page may send is
/// limited, too: see the limits of the [protocol](crate::protocol).
///
/// ```no_run
/// use taut_view::{Host, Options, Server};
///
/// let server = Server::bind(Host::new(Options::default())?, None)?;
/// println!("http://{}", server.address());
/// server.run()?; // until Ctrl-C
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    host: Host,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on a port of the loopback address; `None`: any free port.
    ///
    /// # Errors
    /// [`ServeError::Port`] if listening fails, for example because the port is occupied.
    pub fn bind(host: Host, port: Option<u16>) -> Result<Self, ServeError> {
        let port = port.unwrap_or(0);
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|cause| ServeError::Port { port, cause })?;
        Ok(Self { host, listener, address })
    }

    /// The address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until Ctrl-C.
    ///
    /// # Errors
    /// [`ServeError::Ended`] if a thread cannot be started, or the listening socket fails.
    pub fn run(self) -> Result<(), ServeError> {
        self.run_until(async {
            // Without a signal handler the server runs until it is killed.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    /// Serves until the future `end` completes.
    ///
    /// # Errors
    /// [`ServeError::Ended`] if a thread cannot be started, or the listening socket fails.
    pub fn run_until(self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Self { host, listener, address } = self;
        let simulation = Simulation::start(host)?;
        let shared = Shared {
            simulation: simulation.handle(),
            sockets: Arc::new(Semaphore::new(SOCKETS_MAX)),
        };
        let router = Router::new()
            .route("/socket", any(serve_socket))
            .fallback(serve_file)
            .with_state(shared)
            .layer(middleware::from_fn_with_state(
                AllowedHosts::new(address),
                allowed_hosts::check,
            ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(async {
            // Without `nodelay`, Nagle's algorithm would delay the last packet of a frame. An error is
            // ignored: frames are then late.
            let listener = tokio::net::TcpListener::from_std(listener)?.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            tokio::select! {
                result = axum::serve(listener, router) => result,
                () = end => Ok(()),
            }
        });
        // Closes open sockets.
        drop(runtime);
        simulation.end();
        Ok(result?)
    }
}

/// What all request handlers share.
#[derive(Clone)]
struct Shared {
    simulation: Handle,
    /// A permit for each socket that may still connect.
    sockets: Arc<Semaphore>,
}

/// The files of the page; a debug build reads them from the file system at each request.
#[derive(Embed)]
#[folder = "web/"]
struct Files;

/// Responds with a file of the page.
async fn serve_file(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    match Files::get(path) {
        Some(file) => {
            let mime_type = file.metadata.mimetype().to_owned();
            ([(header::CONTENT_TYPE, mime_type)], Body::from(file.data.into_owned()))
                .into_response()
        }
        None => (StatusCode::NOT_FOUND, "file not found\n").into_response(),
    }
}

/// Upgrades a request to a WebSocket, and connects it to the simulation.
async fn serve_socket(
    State(shared): State<Shared>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // The number of sockets is checked before the upgrade. A WebSocket does not report to the page why it
    // was refused, so the page then requests this address by plain HTTP, and shows the message.
    let Ok(permit) = shared.sockets.try_acquire_owned() else {
        let text =
            format!("{SOCKETS_MAX} pages show this simulation, which is the maximum: close one\n");
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    upgrade
        .read_buffer_size(COMMAND_BYTES_MAX)
        .max_frame_size(COMMAND_BYTES_MAX)
        .max_message_size(COMMAND_BYTES_MAX)
        .on_upgrade(async move |socket| {
            let _ = forward_messages(socket, &shared.simulation).await;
            // Wakes the simulation, so that it notices the closed queues.
            shared.simulation.wake();
            drop(permit);
        })
}

/// Forwards commands from the page to the simulation, and messages from the simulation to the page, until the page
/// disconnects or the simulation ends. Then returns `None`.
async fn forward_messages(mut socket: WebSocket, simulation: &Handle) -> Option<()> {
    // The capacity is 1, so that the simulation makes each message as late as possible.
    let (outbox, mut inbox) = mpsc::channel(1);
    let (queue, commands) = mpsc::channel(COMMANDS_QUEUED_MAX);
    simulation.connect(Queues { commands, outbox }).await?;
    loop {
        tokio::select! {
            message = inbox.recv() => {
                let frame = match message? {
                    Message::Text(text) => Frame::Text(text.into()),
                    Message::Binary(bytes) => Frame::Binary(bytes.into()),
                };
                socket.send(frame).await.ok()?;
            }
            read = read_command(&mut socket, &queue) => read?,
        }
        simulation.wake();
    }
}

/// Reads the next command, once the queue has room for it. `None` if the page has disconnected, the socket has failed
/// or the simulation has ended.
async fn read_command(socket: &mut WebSocket, queue: &mpsc::Sender<ReadCommand>) -> Option<()> {
    let permit = queue.reserve().await.ok()?;
    let command = loop {
        match socket.recv().await?.ok()? {
            Frame::Text(text) => break serde_json::from_str(&text),
            Frame::Binary(_) => {
                break Err(serde::de::Error::custom("a binary message: expected JSON text"));
            }
            Frame::Close(_) => return None,
            Frame::Ping(_) | Frame::Pong(_) => {}
        }
    };
    permit.send(command);
    Some(())
}
