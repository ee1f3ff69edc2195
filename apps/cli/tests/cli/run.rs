//! Runs the program in a temporary folder.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use tempfile::TempDir;

/// Options of `taut compare` for few frames, which are enough to compare bits.
const FEW_FRAMES: [&str; 2] = ["--warmup=1", "--frames=3"];

/// A temporary folder in which the program runs.
pub(crate) struct Folder(TempDir);

/// The exit code and output of a run.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these files: name and content of each.
    pub(crate) fn with_files(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = Self::new();
        for (name, bytes) in files {
            let path = folder.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    /// The content of a text file that the program wrote.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// The content of a file that the program wrote.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    pub(crate) fn make_folder(&self, name: &str) {
        fs::create_dir(self.0.path().join(name)).unwrap();
    }

    /// The command in this folder, with arguments that are separated by spaces.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(cargo_bin!("taut"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        command.env("RUST_BACKTRACE", "1"); // so that panics are visible
        command
    }

    /// Runs the program in this folder, with arguments that are separated by spaces.
    pub(crate) fn taut(&self, arguments: &str) -> RunOutput {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        RunOutput::from(command.timeout(Duration::from_secs(300)).output().unwrap())
    }

    /// Runs the program with a closed standard output, as with `| head`.
    pub(crate) fn run_with_closed_output(&self, arguments: &str) -> RunOutput {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        RunOutput::from(child.wait_with_output().unwrap())
    }

    /// Runs `taut compare` with few frames.
    pub(crate) fn compare(&self, arguments: &str) -> RunOutput {
        self.taut(&format!("compare {} {arguments}", FEW_FRAMES.join(" ")))
    }

    /// The JSON report of `taut compare` with few frames.
    pub(crate) fn report(&self, arguments: &str) -> Report {
        self.compare(&format!("{arguments} --json -")).assert_success().report()
    }
}

/// Runs the program in a new folder.
pub(crate) fn taut(arguments: &str) -> RunOutput {
    Folder::new().taut(arguments)
}

/// Runs `taut compare` with few frames, in a new folder.
pub(crate) fn compare(arguments: &str) -> RunOutput {
    Folder::new().compare(arguments)
}

/// The JSON report of `taut compare` with few frames, in a new folder.
pub(crate) fn report(arguments: &str) -> Report {
    Folder::new().report(arguments)
}

impl From<Output> for RunOutput {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl RunOutput {
    /// Checks for exit code 0.
    #[track_caller]
    pub(crate) fn assert_success(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Parses the standard output as JSON.
    pub(crate) fn report(&self) -> Report {
        Report::parse(&self.out)
    }

    /// Checks for exit code 2 and a one-line error message that contains these texts.
    #[track_caller]
    pub(crate) fn assert_error(&self, expected: &[&str]) {
        self.assert_failure("taut: ", expected);
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.ends_with('\n'), "{self:?}");
    }

    /// Checks for exit code 2 and a usage error that contains these texts.
    #[track_caller]
    pub(crate) fn assert_usage_error(&self, expected: &[&str]) {
        self.assert_failure("error: ", expected);
        assert!(self.err.contains("--help"), "{self:?}");
    }

    /// Checks for exit code 2, an empty standard output, and an error message that begins with `start`,
    /// contains these texts, and has no debug output, such as that of a panic.
    #[track_caller]
    fn assert_failure(&self, start: &str, expected: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.starts_with(start), "{self:?}");
        for text in expected {
            assert!(self.err.contains(text), "'{text}' is missing: {self:?}");
        }
        for debug_text in ["panicked", "backtrace", "Error", "Err(", "Caused by", "{", "Some("] {
            assert!(!self.err.contains(debug_text), "{self:?}");
        }
    }
}

/// A report in JSON.
pub(crate) struct Report {
    pub(crate) value: Value,
}

impl Report {
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Self {
        let value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        Self { value }
    }

    pub(crate) fn scene(&self) -> &Value {
        &self.value["scene"]
    }

    pub(crate) fn rows(&self) -> &[Value] {
        self.value["rows"].as_array().unwrap()
    }

    /// The distinct values of a field in all rows, sorted, without quotation marks.
    pub(crate) fn distinct(&self, key: &str) -> Vec<String> {
        let mut values: Vec<_> = self.rows().iter().map(|row| value_text(&row[key])).collect();
        values.sort();
        values.dedup();
        values
    }

    /// The kernel, formula, schedule and hash of each row.
    pub(crate) fn hashes(&self) -> Vec<[String; 4]> {
        let keys = ["kernel", "formula", "schedule", "hash"];
        self.rows().iter().map(|row| keys.map(|key| value_text(&row[key]))).collect()
    }

    /// The instruction sets that kernels use on this machine.
    pub(crate) fn instruction_sets(&self) -> Vec<String> {
        self.value["machine"]["features"].as_array().unwrap().iter().map(value_text).collect()
    }
}

/// A value as text, without quotation marks.
pub(crate) fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
