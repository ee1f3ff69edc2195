//! The external tools that counting needs.

use std::process::Command;

/// A required program, and how to install it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name or path.
    pub name: &'static str,
    /// A command.
    pub remedy: &'static str,
}

impl Tool {
    /// Runs programs and counts.
    pub const VALGRIND: Self = Self { name: "valgrind", remedy: "apt-get install valgrind" };
    /// Disassembles.
    pub const OBJDUMP: Self = Self { name: "objdump", remedy: "apt-get install binutils" };

    /// A sentence about the first of them that is missing.
    pub fn missing(tools: &[Self]) -> Option<String> {
        let is_missing = |tool: &&Self| Command::new(tool.name).arg("--version").output().is_err();
        let Self { name, remedy } = tools.iter().find(is_missing)?;
        Some(format!("{name} is missing, so nothing was counted; try: {remedy}"))
    }
}
