//! Which requests a server accepts, depending on its port. Compiles the source file of the server here,
//! because a test cannot start a server on port 80.

#[path = "../../src/server/allowed_hosts.rs"]
#[allow(dead_code, unreachable_pub, reason = "only the server uses the rest")]
mod implementation;

use std::net::{Ipv4Addr, SocketAddr};

use axum::body::Body;
use axum::extract::Request;

/// Whether a server on that port accepts a request with this `Host` and `Origin`.
fn accepts(port: u16, host: &str, origin: Option<&str>) -> bool {
    let mut request = Request::builder().uri("/socket").header("Host", host);
    if let Some(origin) = origin {
        request = request.header("Origin", origin);
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let hosts = implementation::AllowedHosts::new(address);
    hosts.accepts(&request.body(Body::empty()).unwrap())
}

#[test]
fn browsers_omit_the_default_port_of_http() {
    for name in ["127.0.0.1", "localhost", "LocalHost"] {
        let origin = format!("http://{name}");
        assert!(accepts(80, name, Some(&origin)));
        assert!(accepts(80, &format!("{name}:80"), Some(&format!("{origin}:80"))));
        assert!(!accepts(80, name, Some(&format!("{origin}:8080"))));
        assert!(!accepts(8080, name, None) && !accepts(443, name, None));
        assert!(!accepts(8080, &format!("{name}:8080"), Some(&origin)));
    }
    assert!(!accepts(80, "elsewhere.example", None));
    assert!(!accepts(80, "localhost", Some("https://localhost")));
    assert!(!accepts(80, "localhost", Some("http://elsewhere.example")));
}
