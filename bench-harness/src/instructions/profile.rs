//! Parses the output of callgrind.

use std::collections::BTreeMap;

/// How often each instruction of a program was executed while callgrind counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// How many instructions were executed in all, in libraries too.
    pub total: u64,
    /// By address in the program's own file.
    pub executed: BTreeMap<u64, u64>,
}

/// Text that callgrind does not write with the options that a profile needs
/// ([`Profile::OPTIONS`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse line {line} of callgrind's output: '{text}'")]
pub struct ProfileError {
    /// Which line, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
}

impl Profile {
    /// The options of valgrind that make it write what is read here.
    pub const OPTIONS: [&str; 6] = [
        "--tool=callgrind",
        "--dump-instr=yes",
        "--dump-line=no",
        "--compress-strings=no",
        "--compress-pos=no",
        "--collect-atstart=no",
    ];

    /// Reads the output of callgrind. Instructions in other files than `object`, the program's, go
    /// into the total only.
    ///
    /// # Errors
    /// At the first line that is none of callgrind's.
    pub fn parse(text: &str, object: &str) -> Result<Self, ProfileError> {
        let mut profile = Self::default();
        let (mut in_object, mut is_call) = (false, false);
        for (at, line) in text.lines().enumerate() {
            let error = || ProfileError { line: at + 1, text: line.to_owned() };
            if let Some(name) = line.strip_prefix("ob=") {
                in_object = name == object;
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if let Some(cost) = line.strip_prefix("0x") {
                // The line after a call is what the callee cost; it has lines of its own.
                if !std::mem::take(&mut is_call) {
                    let (address, count) = cost.split_once(' ').ok_or_else(error)?;
                    let address = u64::from_str_radix(address, 16).map_err(|_| error())?;
                    let count = count.trim().parse::<u64>().map_err(|_| error())?;
                    profile.total += count;
                    if in_object {
                        *profile.executed.entry(address).or_default() += count;
                    }
                }
            } else if line.starts_with(['+', '-', '*']) || line.starts_with(char::is_numeric) {
                return Err(error());
            }
        }
        Ok(profile)
    }
}
