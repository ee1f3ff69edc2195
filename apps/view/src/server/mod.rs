//! The page and its host for the browsers of this machine.

mod door;
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

use door::Door;
use simulation::{Handle, Queues, ReadCommand, Simulation};

/// Why nobody can be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port cannot be had.
    #[error("port {port} on this machine cannot be had: {cause}")]
    Port {
        /// Which; 0 is any.
        port: u16,
        /// Why.
        cause: io::Error,
    },
    /// The system does not give threads, or took the port away.
    #[error("the server ended: {0}")]
    Ended(#[from] io::Error),
}

/// The page, and a [`Host`] behind a web socket (`/socket`), for this machine alone. It does not
/// answer pages of other origins, nor requests that name another host. It has at most
/// [`SOCKETS_MAX`] pages at the same time, and refuses others with status 503; what each of them may
/// send is bounded, too (see the limits of the [protocol](crate::protocol)).
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
    /// On a port of this machine's own address, or on any that is free.
    ///
    /// # Errors
    /// [`ServeError::Port`] if it cannot be had.
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

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until Ctrl-C.
    ///
    /// # Errors
    /// [`ServeError::Ended`].
    pub fn run(self) -> Result<(), ServeError> {
        self.run_until(async {
            // Without such a signal it runs until it is killed.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    /// Serves until something happens.
    ///
    /// # Errors
    /// [`ServeError::Ended`].
    pub fn run_until(self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Self { host, listener, address } = self;
        let simulation = Simulation::start(host)?;
        let site = Site {
            simulation: simulation.handle(),
            sockets: Arc::new(Semaphore::new(SOCKETS_MAX)),
        };
        let router = Router::new()
            .route("/socket", any(socket))
            .fallback(file)
            .with_state(site)
            .layer(middleware::from_fn_with_state(Door::of(address), door::check));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            // The end of a frame is not held back until the page has confirmed its beginning.
            let listener = tokio::net::TcpListener::from_std(listener)?.tap_io(|stream| {
                // Without it, it is only slower.
                let _ = stream.set_nodelay(true);
            });
            tokio::select! {
                ended = axum::serve(listener, router) => ended,
                () = end => Ok(()),
            }
        });
        // Open sockets are closed with it.
        drop(runtime);
        simulation.end();
        Ok(ended?)
    }
}

/// What handlers share.
#[derive(Clone)]
struct Site {
    simulation: Handle,
    /// How many more sockets there may be.
    sockets: Arc<Semaphore>,
}

/// The files of the page; in a debug build they are read when they are asked for.
#[derive(Embed)]
#[folder = "web/"]
struct Files;

async fn file(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    match Files::get(path) {
        Some(file) => {
            let kind = file.metadata.mimetype().to_owned();
            ([(header::CONTENT_TYPE, kind)], Body::from(file.data.into_owned())).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

async fn socket(
    State(site): State<Site>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // The page asks again without an upgrade, as a WebSocket does not tell why it was refused.
    let Ok(place) = site.sockets.try_acquire_owned() else {
        let sentence =
            format!("{SOCKETS_MAX} pages show this simulation, which is the most: close one\n");
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
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
            // The simulation has ended, or the page has: either way there is no more to say.
            let _ = converse(socket, &site.simulation).await;
            // The queues are closed, which the simulation sees when it wakes.
            site.simulation.wake();
            drop(place);
        })
}

/// Carries messages to and fro, until one side ends.
async fn converse(mut socket: WebSocket, simulation: &Handle) -> Option<()> {
    // One message at a time: when it is sent, the next is made, and is then the newest.
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

/// Reads the next command, once the queue has room for one. None if the page has gone.
async fn read_command(socket: &mut WebSocket, queue: &mpsc::Sender<ReadCommand>) -> Option<()> {
    let place = queue.reserve().await.ok()?;
    let command = loop {
        match socket.recv().await?.ok()? {
            Frame::Text(text) => break serde_json::from_str(&text),
            // A command is a text: this is none, which is an error.
            Frame::Binary(_) => break serde_json::from_str(""),
            Frame::Close(_) => return None,
            Frame::Ping(_) | Frame::Pong(_) => {}
        }
    };
    place.send(command);
    Some(())
}
