//! The rows of a PLY file after its header, with the place of each.

use std::io::ErrorKind;

use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{ElementDef, Encoding, PropertyType, ScalarType};

use super::row::Row;
use crate::error::{Place, Problem, Result, quote};

/// The part of the file after the header that has not been read.
pub(super) struct Body<'a> {
    encoding: Encoding,
    rest: &'a [u8],
    /// Bytes in the whole file.
    file_length: usize,
    /// Lines that have been read, those of the header included.
    lines: u64,
}

impl<'a> Body<'a> {
    pub(super) fn new(encoding: Encoding, rest: &'a [u8], file_length: usize, lines: u64) -> Self {
        Self { encoding, rest, file_length, lines }
    }

    /// Checks that the rest of the file is long enough for the declared rows of `element`.
    pub(super) fn check_count(&self, element: &ElementDef) -> Result<(), Problem> {
        let properties = element.properties.values().map(|property| &property.data_type);
        let (row, last): (usize, usize) = match self.encoding {
            // Each value takes a digit and a space or line end, except at the end of the file.
            Encoding::Ascii => (2 * properties.count(), 1),
            _ => (properties.map(least_size).sum(), 0),
        };
        let needed = (element.count as u128 * row as u128).saturating_sub(last as u128);
        if needed <= self.rest.len() as u128 {
            return Ok(());
        }
        Err(Problem::LyingCount {
            element: element.name.clone(),
            declared: element.count as u64,
            needed,
            left: self.rest.len() as u64,
        })
    }

    /// The next row, which is number `number` of `element`, and where it starts.
    pub(super) fn row(&mut self, element: &ElementDef, number: usize) -> Result<(Place, Row)> {
        if self.encoding == Encoding::Ascii {
            let line = self.line();
            let place = Place::Line(self.lines);
            let row = match line {
                Some(line) => Row::from_line(line, element).ok_or_else(|| {
                    Problem::malformed(shape(element, number), quote(line.trim_ascii()))
                }),
                None => Err(truncated(element, number)),
            };
            return row.map(|row| (place, row)).map_err(|problem| problem.at(place));
        }
        let place = Place::Byte((self.file_length - self.rest.len()) as u64);
        let parser = Parser::<Row>::new();
        let row = if self.encoding == Encoding::BinaryBigEndian {
            parser.read_big_endian_element(&mut self.rest, element)
        } else {
            parser.read_little_endian_element(&mut self.rest, element)
        };
        match row {
            Ok(row) => Ok((place, row)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(truncated(element, number).at(place))
            }
            // The check of the header excludes other errors.
            Err(_) => {
                Err(Problem::malformed(shape(element, number), "a list of negative length")
                    .at(place))
            }
        }
    }

    /// The next line that is not blank.
    fn line(&mut self) -> Option<&'a str> {
        while !self.rest.is_empty() {
            let end = self
                .rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.rest.len(), |at| at + 1);
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest;
            self.lines += 1;
            if !line.trim_ascii().is_empty() {
                // Rows are ASCII; anything else fails to parse as a number.
                return Some(std::str::from_utf8(line).unwrap_or("bytes that are not text"));
            }
        }
        None
    }

    /// Checks that nothing is left: faces beyond the declared count would be lost silently.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.rest.trim_ascii().is_empty() {
            return Ok(());
        }
        let (place, found) = if self.encoding == Encoding::Ascii {
            let line = self.line().unwrap_or_default();
            (Place::Line(self.lines), quote(line.trim_ascii()))
        } else {
            (
                Place::Byte((self.file_length - self.rest.len()) as u64),
                format!("{} more bytes", self.rest.len()),
            )
        };
        Err(Problem::malformed("the end of the file after the last declared element", found)
            .at(place))
    }
}

/// The minimum number of bytes of a property in a binary row: for a list, that of its length.
fn least_size(property: &PropertyType) -> usize {
    let (PropertyType::Scalar(scalar) | PropertyType::List(scalar, _)) = property;
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

fn truncated(element: &ElementDef, number: usize) -> Problem {
    let ElementDef { name, count, .. } = element;
    Problem::Truncated {
        inside: format!("element `{name}` {number} (the header declares {count}, numbered from 0)"),
    }
}

/// The expected form of a row, such as `vertex 3 as "x y z"`.
fn shape(element: &ElementDef, number: usize) -> String {
    let values: Vec<_> = element
        .properties
        .iter()
        .map(|(name, property)| match property.data_type {
            PropertyType::Scalar(_) => name.clone(),
            PropertyType::List(..) => format!("n {name}[n]"),
        })
        .collect();
    format!("{} {number} as {}", element.name, quote(&values.join(" ")))
}
