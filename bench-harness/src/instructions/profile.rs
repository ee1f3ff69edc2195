//! Parses the output of callgrind.

use std::collections::BTreeMap;

/// How often each instruction of a program was executed while callgrind counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The number of executed instructions, including those of libraries.
    pub total: u64,
    /// The executions of each instruction of the program's own file, by address.
    pub executed: BTreeMap<u64, u64>,
}

/// A line that callgrind does not write when it runs with [`Profile::OPTIONS`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse line {line} of callgrind's output: '{text}'")]
pub struct ProfileError {
    /// The line number, from 1.
    pub line: usize,
    /// The text of the line.
    pub text: String,
}

impl Profile {
    /// The options of valgrind for the output that [`parse`](Self::parse) reads.
    pub const OPTIONS: [&str; 6] = [
        "--tool=callgrind",
        "--dump-instr=yes",
        "--dump-line=no",
        "--compress-strings=no",
        "--compress-pos=no",
        "--collect-atstart=no",
    ];

    /// Parses the output of callgrind. `object` is the path of the program's file; instructions of other
    /// files count only in the total.
    ///
    /// # Errors
    /// The first line that callgrind does not write with [`OPTIONS`](Self::OPTIONS).
    pub fn parse(text: &str, object: &str) -> Result<Self, ProfileError> {
        let mut profile = Self::default();
        let (mut in_object, mut is_call) = (false, false);
        for (index, line) in text.lines().enumerate() {
            let error = || ProfileError { line: index + 1, text: line.to_owned() };
            if let Some(name) = line.strip_prefix("ob=") {
                in_object = name == object;
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if let Some(cost) = line.strip_prefix("0x") {
                // The line after `calls=` has the cost of the callee, whose own lines count it
                // already.
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
