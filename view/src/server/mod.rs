//! The page and its host for the browsers of this machine.

mod door;
mod simulation;

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{Message as Frame, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use rust_embed::Embed;
use tokio::sync::mpsc;

use crate::host::Host;
use crate::protocol::Message;

use door::Door;
use simulation::{Event, News, Simulation};

/// No command is as long.
const COMMAND_MAX: usize = 1 << 16;

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
/// answer pages of other origins, nor requests that name another host.
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
        let site = Site { events: simulation.events(), visitors: Arc::default() };
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
    events: std::sync::mpsc::Sender<Event>,
    visitors: Arc<AtomicU64>,
}

/// The files of the page; in a debug build they are read when they are asked for.
#[derive(Embed)]
#[folder = "web/"]
#[exclude = "dist/*"]
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

async fn socket(State(site): State<Site>, upgrade: WebSocketUpgrade, _: Request) -> Response {
    upgrade.max_message_size(COMMAND_MAX).on_upgrade(async move |socket| {
        let visitor = site.visitors.fetch_add(1, Ordering::Relaxed);
        let tell = |news| site.events.send(Event { visitor, news }).is_ok();
        // The simulation has ended, or the page has: either way there is no more to say.
        let _ = converse(socket, &tell).await;
        let _ = tell(News::Left);
    })
}

/// Carries messages to and fro, until one side ends.
async fn converse(mut socket: WebSocket, tell: &impl Fn(News) -> bool) -> Option<()> {
    // One message at a time: when it is sent, the next is made, and is then the newest.
    let (outbox, mut inbox) = mpsc::channel(1);
    let told = |heard: bool| heard.then_some(());
    told(tell(News::Came(outbox)))?;
    loop {
        tokio::select! {
            message = inbox.recv() => {
                let frame = match message? {
                    Message::Text(text) => Frame::Text(text.into()),
                    Message::Binary(bytes) => Frame::Binary(bytes.into()),
                };
                socket.send(frame).await.ok()?;
                told(tell(News::Ready))?;
            }
            frame = socket.recv() => match frame?.ok()? {
                Frame::Text(text) => told(tell(News::Said(text.to_string())))?,
                Frame::Binary(_) => told(tell(News::Said(String::new())))?,
                Frame::Close(_) => return None,
                Frame::Ping(_) | Frame::Pong(_) => {}
            },
        }
    }
}
