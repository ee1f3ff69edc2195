//! The header of a PLY file: parsed by `ply-rs-bw`, then checked for what a mesh needs.

use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Header, PropertyType, ScalarType};

use super::body::Body;
use super::row::{CORNERS, Row};
use crate::error::{Location, Problem, Result, quote};

/// Parses the header, and returns it with the rest of the file.
pub(super) fn parse(bytes: &[u8]) -> Result<(Header, Body<'_>)> {
    let mut length = 0;
    let mut lines = 0;
    let has_end = bytes.split_inclusive(|byte| *byte == b'\n').any(|line| {
        length += line.len();
        lines += 1;
        line.trim_ascii() == b"end_header"
    });
    if !has_end {
        return Err(Problem::Truncated {
            inside: "the header: expected a line `end_header`".into(),
        }
        .into());
    }
    let (text, rest) = bytes.split_at(length);
    let text = String::from_utf8_lossy(text);
    let mut reader = Reader::new(text.as_bytes());
    let header =
        Parser::<Row>::new().read_header(&mut reader).map_err(|error| match error.line() {
            Some(number) => {
                let line = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
                Problem::malformed("a line of a PLY header", quote(line))
                    .at(Location::Line(number as u64))
            }
            // The only errors without a line concern the `format` line.
            None => Problem::malformed(
                "a header with a line like `format ascii 1.0`",
                "none that can be read",
            )
            .into(),
        })?;
    check_unique(&header, &text)?;
    let body = Body::new(header.encoding, rest, bytes.len(), lines);
    Ok((header, body))
}

/// Checks that no name is declared twice. `ply-rs-bw` keeps only the last of two elements or
/// properties with the same name, and would then read rows of the wrong length.
fn check_unique(header: &Header, text: &str) -> Result<(), Problem> {
    let lines = |keyword| {
        text.lines().filter(|line| line.split_ascii_whitespace().next() == Some(keyword)).count()
    };
    let properties: usize = header.elements.values().map(|element| element.properties.len()).sum();
    if lines("element") == header.elements.len() && lines("property") == properties {
        Ok(())
    } else {
        Err(Problem::malformed(
            "a header that declares each element and property once",
            "one that repeats a name",
        ))
    }
}

/// Checks the declared types of lists, vertices and faces; returns the declared number of vertices.
pub(super) fn checked_vertex_count(header: &Header) -> Result<u64, Problem> {
    let expect = |is_met: bool, expected: &str, found: &str| {
        if is_met { Ok(()) } else { Err(Problem::malformed(expected, found)) }
    };
    for element in header.elements.values() {
        for property in element.properties.values() {
            if let PropertyType::List(length, _) = &property.data_type {
                expect(
                    is_integer(length),
                    "list lengths of an integer type",
                    "a floating-point type in the header",
                )?;
            }
        }
    }
    let Some(vertex) = header.elements.get("vertex") else {
        return Err(Problem::malformed("an element `vertex` in the header", "none"));
    };
    for name in ["x", "y", "z"] {
        let is_number = |property: &PropertyType| matches!(property, PropertyType::Scalar(_));
        let is_met =
            vertex.properties.get(name).is_some_and(|property| is_number(&property.data_type));
        expect(
            is_met,
            &format!("a number `{name}` among the properties of element `vertex`"),
            "none in the header",
        )?;
    }
    match header.elements.get("face") {
        Some(face) if face.count > 0 => {
            let mut corners = CORNERS.iter().filter_map(|name| face.properties.get(*name));
            let is_met = corners.any(|property| is_integer_list(&property.data_type));
            expect(
                is_met,
                "a list of integers `vertex_indices` in element `face`",
                "none in the header",
            )?;
        }
        _ if header.elements.contains_key("tristrips") => {
            return Err(Problem::Unsupported {
                what: "triangle strips (element `tristrips`)".into(),
            });
        }
        _ => {}
    }
    Ok(vertex.count as u64)
}

fn is_integer_list(property: &PropertyType) -> bool {
    matches!(property, PropertyType::List(_, item) if is_integer(item))
}

fn is_integer(scalar: &ScalarType) -> bool {
    !matches!(scalar, ScalarType::Float | ScalarType::Double)
}
