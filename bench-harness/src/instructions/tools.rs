//! The external programs that the benches of instructions and cycles need.

use std::process::Command;

/// A required program, and how to install it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name or path.
    pub name: &'static str,
    /// The command that installs it.
    pub install_command: &'static str,
}

impl Tool {
    /// Valgrind, which runs a program and counts its instructions.
    pub const VALGRIND: Self =
        Self { name: "valgrind", install_command: "apt-get install valgrind" };
    /// Objdump, which disassembles a program.
    pub const OBJDUMP: Self = Self { name: "objdump", install_command: "apt-get install binutils" };

    /// A message about the first missing tool; `None` if all are installed.
    pub fn missing_message(tools: &[Self]) -> Option<String> {
        let is_missing = |tool: &&Self| Command::new(tool.name).arg("--version").output().is_err();
        let Self { name, install_command } = tools.iter().find(is_missing)?;
        Some(format!(
            "{name} is missing, so nothing was counted; install it with: {install_command}"
        ))
    }
}
