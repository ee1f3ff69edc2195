//! Rejects requests from pages of other sites.
//!
//! Every page in a browser on this machine can send requests to a local server. A request from
//! a page of another site has the `Origin` of that site or, after DNS rebinding, the host name of that
//! site as its `Host`. The server rejects both kinds of request.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The default port of `http`.
const HTTP_PORT: u16 = 80;

/// The values of the `Host` header that the server accepts.
#[derive(Clone)]
pub(super) struct AllowedHosts(Arc<[String]>);

impl AllowedHosts {
    /// The hosts of a server at this address: `127.0.0.1` and `localhost`, with its port.
    pub(super) fn new(address: SocketAddr) -> Self {
        let names = ["127.0.0.1", "localhost"];
        let port = address.port();
        let mut hosts = names.map(|name| format!("{name}:{port}")).to_vec();
        if port == HTTP_PORT {
            // Browsers omit the default port.
            hosts.extend(names.map(str::to_owned));
        }
        Self(hosts.into())
    }

    fn is_allowed_host(&self, host: &str) -> bool {
        self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    fn is_allowed_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_allowed_host(host))
    }

    /// Whether every `Host` and every `Origin` of the request is accepted, and there is a `Host`.
    pub(super) fn accepts(&self, request: &Request) -> bool {
        let headers = request.headers();
        let all_values = |name: HeaderName, is_allowed: &dyn Fn(&str) -> bool| {
            headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_allowed))
        };
        headers.contains_key(header::HOST)
            && all_values(header::HOST, &|host| self.is_allowed_host(host))
            && all_values(header::ORIGIN, &|origin| self.is_allowed_origin(origin))
    }
}

/// Middleware: rejects requests from other sites, and adds security headers to responses.
pub(super) async fn check(
    State(hosts): State<AllowedHosts>,
    request: Request,
    next: Next,
) -> Response {
    if !hosts.accepts(&request) {
        let text = "forbidden: Host must be localhost or 127.0.0.1 with the port of this server, and Origin, if present, http:// and such a host\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let mut response = next.run(request).await;
    for (name, value) in [
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
