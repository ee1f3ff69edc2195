//! Who is let in on which port, by the server's own text: port 80 cannot be had everywhere.

#[path = "../../src/server/door.rs"]
#[allow(dead_code, unreachable_pub, reason = "the server uses the rest of it")]
mod own;

use std::net::{Ipv4Addr, SocketAddr};

use axum::body::Body;
use axum::extract::Request;

/// Whether a server on that port lets in a request for a host, from an origin.
fn lets_in(port: u16, host: &str, origin: Option<&str>) -> bool {
    let mut request = Request::builder().uri("/socket").header("Host", host);
    if let Some(origin) = origin {
        request = request.header("Origin", origin);
    }
    let door = own::Door::of(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    door.lets_in(&request.body(Body::empty()).unwrap())
}

#[test]
fn the_port_of_http_is_left_out_by_browsers() {
    for name in ["127.0.0.1", "localhost", "LocalHost"] {
        let origin = format!("http://{name}");
        assert!(lets_in(80, name, Some(&origin)));
        assert!(lets_in(80, &format!("{name}:80"), Some(&format!("{origin}:80"))));
        assert!(!lets_in(80, name, Some(&format!("{origin}:8080"))));
        assert!(!lets_in(8080, name, None) && !lets_in(443, name, None));
        assert!(!lets_in(8080, &format!("{name}:8080"), Some(&origin)));
    }
    assert!(!lets_in(80, "elsewhere.example", None));
    assert!(!lets_in(80, "localhost", Some("https://localhost")));
    assert!(!lets_in(80, "localhost", Some("http://elsewhere.example")));
}
