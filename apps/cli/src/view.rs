//! `taut view`: simulates a scene and shows it on a web page, on which users can drag particles.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use taut::{Formula, KernelName};
use taut_bench::MachineInfo;
use taut_view::protocol::Change;
use taut_view::{Host, Options, Server};

use crate::Failure;
use crate::output::warn;
use crate::parsers::{parse, within};
use crate::simulate::source::Source;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// The scene: a library name (see taut simulate --list), or a scene file (TOML).
    #[arg(value_name = "SCENE|FILE.toml", default_value = "curtain")]
    source: Source,
    /// Size of a library scene, in the unit that taut simulate --list shows. [default: that of the
    /// scene]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=2048))]
    size: Option<usize>,
    /// The initial kernel: scalar, wide, pulp, grid (for regular sheets of at least 4 columns) or
    /// copies (for at least 6 models with the same sticks; at least 16 if these are sheets of 24 to 47
    /// columns; not for wider sheets). [default: the best for each island]
    #[arg(long, value_name = "NAME", value_parser = parse::<KernelName>)]
    kernel: Option<KernelName>,
    /// The instruction set, one that this machine has (avx512, avx2, sse2, neon, ...). [default:
    /// the best]
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// The formula: exact, newton, halley or quick. [default: that of the scene]
    #[arg(long, value_name = "NAME", value_parser = parse::<Formula>)]
    formula: Option<Formula>,
    /// The initial number of threads. [default: 1]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=1024))]
    threads: Option<usize>,
    /// The port on this machine. [default: any free port]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Open the page in the default browser.
    #[arg(long)]
    open: bool,
}

/// Serves the page until Ctrl-C.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { source, size, kernel, isa, formula, threads, port, open } = arguments;
    let (scene, file) = match &source {
        Source::Library(library_scene) => (library_scene.name.to_owned(), None),
        Source::File(path) => {
            let scene = source.load(size)?.scene;
            // The host gives every scene from a file the name `file`.
            ("file".to_owned(), Some((path.display().to_string(), scene)))
        }
    };
    let machine = MachineInfo::current();
    let start = Instant::now();
    let host = Host::new(Options {
        scene,
        size,
        file,
        settings: Change {
            kernel: kernel.map(|kernel| Some(kernel.to_string())),
            instructions: isa.map(Some),
            formula: formula.map(|formula| Some(formula.to_string())),
            threads: threads.map(Some),
            ..Change::default()
        },
        // The largest number of kernel threads that users of the page may select.
        threads: threads.unwrap_or(1).max(machine.cores),
        machine: machine.cpu,
        stopwatch: Box::new(move || start.elapsed().as_secs_f64()),
    })?;
    warn(&host.warnings());
    let server = Server::bind(host, port)?;
    let address = format!("http://{}", server.address());
    writeln!(io::stdout(), "{address} (stop with Ctrl-C)")
        .context("the address was not written")?;
    if open && let Err(error) = open::that_detached(&address) {
        // Not fatal: the user can open the printed address.
        let _ = writeln!(io::stderr(), "taut: cannot open a browser: {error}");
    }
    Ok(server.run()?)
}
