//! The rows of a PLY file after the header, and their locations in the file.

use std::io::ErrorKind;

use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{ElementDef, Encoding, PropertyType, ScalarType};

use super::row::Row;
use crate::error::{Location, Problem, Result, quote};

/// A file after its header, and how far it has been read.
pub(super) struct Body<'a> {
    encoding: Encoding,
    /// The bytes that have not been read.
    rest: &'a [u8],
    /// The length of the whole file, bytes.
    file_length: usize,
    /// The number of lines that have been read, including those of the header.
    lines: u64,
}

impl<'a> Body<'a> {
    pub(super) fn new(encoding: Encoding, rest: &'a [u8], file_length: usize, lines: u64) -> Self {
        Self { encoding, rest, file_length, lines }
    }

    /// Checks that the rest of the file is long enough for the declared rows of `element`.
    pub(super) fn check_count(&self, element: &ElementDef) -> Result<(), Problem> {
        let properties = element.properties.values().map(|property| &property.data_type);
        let (row_size, missing_at_end): (usize, usize) = match self.encoding {
            // A value takes at least a digit and a separator, which may be missing at the end of
            // the file.
            Encoding::Ascii => (2 * properties.count(), 1),
            _ => (properties.map(min_size).sum(), 0),
        };
        let needed =
            (element.count as u128 * row_size as u128).saturating_sub(missing_at_end as u128);
        if needed <= self.rest.len() as u128 {
            return Ok(());
        }
        Err(Problem::CountTooLarge {
            element: element.name.clone(),
            declared: element.count as u64,
            needed,
            left: self.rest.len() as u64,
        })
    }

    /// Reads the next row, which has `index` in `element`. Returns it with the location where it starts.
    pub(super) fn row(&mut self, element: &ElementDef, index: usize) -> Result<(Location, Row)> {
        if self.encoding == Encoding::Ascii {
            let line = self.line();
            let location = Location::Line(self.lines);
            let row = match line {
                Some(line) => Row::from_line(line, element).ok_or_else(|| {
                    Problem::malformed(expected_row(element, index), quote(line.trim_ascii()))
                }),
                None => Err(truncated(element, index)),
            };
            return row.map(|row| (location, row)).map_err(|problem| problem.at(location));
        }
        let location = Location::Byte((self.file_length - self.rest.len()) as u64);
        let parser = Parser::<Row>::new();
        let row = if self.encoding == Encoding::BinaryBigEndian {
            parser.read_big_endian_element(&mut self.rest, element)
        } else {
            parser.read_little_endian_element(&mut self.rest, element)
        };
        match row {
            Ok(row) => Ok((location, row)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(truncated(element, index).at(location))
            }
            // The check of the header rules out all other errors.
            Err(_) => {
                let found = "a list of negative length";
                Err(Problem::malformed(expected_row(element, index), found).at(location))
            }
        }
    }

    /// Returns the next line that is not blank.
    fn line(&mut self) -> Option<&'a str> {
        while !self.rest.is_empty() {
            let end = self
                .rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.rest.len(), |newline| newline + 1);
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest;
            self.lines += 1;
            if !line.trim_ascii().is_empty() {
                // Rows are ASCII. The replacement text fails to parse as a number.
                return Some(std::str::from_utf8(line).unwrap_or("bytes that are not text"));
            }
        }
        None
    }

    /// Checks that nothing is left, because faces beyond the declared count would be lost silently.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.rest.trim_ascii().is_empty() {
            return Ok(());
        }
        let (location, found) = if self.encoding == Encoding::Ascii {
            let line = self.line().unwrap_or_default();
            (Location::Line(self.lines), quote(line.trim_ascii()))
        } else {
            (
                Location::Byte((self.file_length - self.rest.len()) as u64),
                format!("{} more bytes", self.rest.len()),
            )
        };
        Err(Problem::malformed("the end of the file after the last declared element", found)
            .at(location))
    }
}

/// The minimum number of bytes of a property in a binary row; for a list, the size of its length.
fn min_size(property: &PropertyType) -> usize {
    let (PropertyType::Scalar(scalar) | PropertyType::List(scalar, _)) = property;
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

fn truncated(element: &ElementDef, index: usize) -> Problem {
    let ElementDef { name, count, .. } = element;
    Problem::Truncated {
        inside: format!("element `{name}` {index} (the header declares {count}, numbered from 0)"),
    }
}

/// Describes the expected row: its element, its index and its values.
fn expected_row(element: &ElementDef, index: usize) -> String {
    let values: Vec<_> = element
        .properties
        .iter()
        .map(|(name, property)| match property.data_type {
            PropertyType::Scalar(_) => name.clone(),
            PropertyType::List(..) => format!("n {name}[n]"),
        })
        .collect();
    format!("{} {index} as {}", element.name, quote(&values.join(" ")))
}
