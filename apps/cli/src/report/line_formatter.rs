//! The layout of JSON in result files.

use std::io;

use serde_json::ser::Formatter;

/// A JSON formatter that breaks lines between the items at nesting depths 1 and 2, so that a result file has one row
/// per line.
#[derive(Default)]
pub(crate) struct LineFormatter {
    /// The number of arrays and objects that are open.
    depth: usize,
}

impl LineFormatter {
    /// Writes what precedes an item of an array or object: a comma, unless it is the `first` item, and a line break or
    /// a space.
    fn write_separator<W: ?Sized + io::Write>(
        &self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        let separator: &[u8] = match (first, self.depth) {
            (true, 1) => b"\n ",
            (true, 2) => b"\n  ",
            (true, _) => b"",
            (false, 1) => b",\n ",
            (false, 2) => b",\n  ",
            (false, _) => b", ",
        };
        writer.write_all(separator)
    }

    /// Closes an array or object. Breaks the line before the bracket if its nesting depth was 1 or 2.
    fn write_closing_bracket<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        bracket: &[u8],
    ) -> io::Result<()> {
        self.depth -= 1;
        match self.depth {
            0 => writer.write_all(b"\n")?,
            1 => writer.write_all(b"\n ")?,
            _ => (),
        }
        writer.write_all(bracket)
    }
}

impl Formatter for LineFormatter {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.write_separator(writer, first)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.write_closing_bracket(writer, b"]")
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.write_separator(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.write_closing_bracket(writer, b"}")
    }
}
