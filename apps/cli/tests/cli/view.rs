//! `taut view`: it prints its address, serves the page there, and stops on an interrupt.

use crate::run::{Folder, taut};

#[test]
fn unknown_scenes_and_invalid_options_give_an_error() {
    taut("view nowhere").assert_usage_error(&["nowhere", "curtain"]);
    taut("view drape --size 0").assert_usage_error(&["--size"]);
    taut("view drape --port 0").assert_usage_error(&["--port"]);
    taut("view drape --kernel abacus").assert_usage_error(&["abacus", "scalar"]);
    taut("view drape --isa z80").assert_error(&["z80", "scalar"]);
    taut("view plants --kernel grid").assert_error(&["grid", "sheet"]);
    let folder = Folder::with_files(&[("bad.toml", b"[step]\nsubstep = 4\n".to_vec())]);
    folder.taut("view bad.toml").assert_error(&["bad.toml", "line 2", "substep"]);
    folder.taut("view bad.toml --size 3").assert_error(&["--size"]);
}

/// A process that ends with the test.
#[cfg(unix)]
struct Server(std::process::Child);

#[cfg(unix)]
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn scripts_of_the_page_are_served_until_an_interrupt() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::Stdio;

    // The model is so far from the origin that the program prints a warning.
    let far = "[[model]]\nname = \"sheet\"\ndrape = { size = 8 }\nat = [0, 70000, 0]\n";
    let folder = Folder::with_files(&[("far.toml", far.as_bytes().to_vec())]);
    let mut command = folder.command("view far.toml");
    let mut server = Server(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let child = &mut server.0;
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("http://").and_then(|rest| rest.split_once(' ')).unwrap().0;

    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /worker.js HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("postMessage"), "{response}");

    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(
        errors.starts_with("taut: warning: model 'sheet' is too far from the origin"),
        "{errors}"
    );
}
