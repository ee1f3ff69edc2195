//! Commands of pages to the host: one per line, as JSON. After each command, time advances by 1/60 s,
//! and the page takes its messages.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut::world::AnyScene;
use taut_view::protocol::Command;
use taut_view::{Host, Message, Options};

/// The scene `file` of the host: two models, a tie, an obstacle and a wind.
const SCENE: &str = r#"
    [step]
    substeps = 2
    [[model]]
    name = "flag"
    cloth = { columns = 5, rows = 4, width = 0.4, height = 0.3 }
    pinned = ["left"]
    tears_at = 1.5
    tethers = {}
    self_collision = {}
    [[model]]
    name = "rope"
    rope = { path = [[0.3, 0.1, 0.0], [0.5, 0.1, 0.0]], spacing = 0.05 }
    [[tie]]
    from = { model = "flag", particle = 4 }
    to = { model = "rope", group = "start" }
    [[force]]
    wind = { velocity = [1.0, 0.0, 0.5] }
    [[obstacle]]
    sphere = { centre = [0.0, -0.2, 0.0], radius = 0.1 }
"#;

/// The largest number of commands of an input.
const COMMANDS_MAX: usize = 12;

/// Whether a line takes little time. A page may request sizes and counts that take long, such as 10,000
/// iterations. Counts above 100,000 must be rejected, so they are kept, as is text that is not a command.
fn is_quick(text: &str) -> bool {
    match serde_json::from_str(text) {
        Ok(Command::Scene { scene, size }) => {
            scene == "file" || size.is_some_and(|size| size <= 2 || size > 1 << 20)
        }
        Ok(Command::Set(change)) => {
            let counts = [change.substeps, change.iterations, change.passes];
            counts.into_iter().flatten().flatten().all(|count| count <= 4 || count > 100_000)
        }
        _ => true,
    }
}

fn host() -> Host {
    let scene = AnyScene::from_toml(SCENE).expect("the scene is valid");
    let options = Options {
        scene: "file".to_owned(),
        file: Some(("a scene".to_owned(), scene)),
        ..Options::default()
    };
    Host::new(options).expect("the scene can be simulated")
}

/// Checks that a message is JSON, or a header with its body.
fn check(message: &Message) {
    match message {
        Message::Text(text) => {
            serde_json::from_str::<serde_json::Value>(text).expect("a notice is JSON");
        }
        Message::Binary(bytes) => assert!(bytes.len() >= 16, "a message without a header"),
    }
}

fuzz_target!(|text: &str| {
    let mut host = host();
    let pages = [host.connect(), host.connect()];
    for (nth, line) in text.lines().filter(|line| is_quick(line)).take(COMMANDS_MAX).enumerate() {
        // The second page sends every eighth command.
        let page = pages[nth % 8 / 7];
        host.receive(page, line);
        host.advance(1.0 / 60.0);
        // A message is made when it is taken, and there are only a few of each kind (state, topology,
        // frame, figures, errors) at a time, so far fewer than 64 are taken.
        let mut messages_left = 64;
        while let Some(message) = host.take(page) {
            check(&message);
            messages_left -= 1;
            assert!(messages_left > 0, "the messages of a page do not end");
        }
    }
    for page in pages {
        host.disconnect(page);
    }
});
