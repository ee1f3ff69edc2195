//! Stanford PLY: reads the elements `vertex` and `face`, and skips all others.
//!
//! The crate `ply-rs-bw` parses the header and the rows of binary files, one at a time. This module
//! - splits off the header first, so that comments may have any encoding and the offset of every
//!   later byte is known;
//! - checks counts against the length of the file before it reads or allocates anything;
//! - parses the lines of ASCII files itself, because the crate rejects `5.`, `.5` and `nan`, and
//!   ignores surplus values.

mod body;
mod header;
mod row;

use crate::LoadOptions;
use crate::error::{Problem, Result};
use crate::format::{Format, is_ply};
use crate::soup::Soup;

pub(crate) fn read(bytes: &[u8], options: &LoadOptions) -> Result<Soup> {
    Format::Ply.expect(bytes, is_ply(bytes))?;
    let (header, mut body) = header::parse(bytes)?;
    let vertices = header::checked_vertex_count(&header)?;
    let mut soup = Soup::new(options);
    // An element without properties takes no bytes: its count cannot be checked, and there is
    // nothing to read.
    for element in header.elements.values().filter(|element| !element.properties.is_empty()) {
        body.check_count(element)?;
        if element.name == "vertex" {
            soup.reserve_vertices(element.count);
        }
        for index in 0..element.count {
            let (location, row) = body.row(element, index)?;
            match element.name.as_str() {
                "vertex" => soup.add_vertex(index as u64, row.position),
                "face" => add_face(&mut soup, index as u64, &row.corners, vertices),
                _ => Ok(()),
            }
            .map_err(|problem| problem.at(location))?;
        }
    }
    body.finish()?;
    Ok(soup)
}

/// Adds a face, after checking that its vertices exist.
fn add_face(soup: &mut Soup, face: u64, indices: &[i64], vertices: u64) -> Result<(), Problem> {
    let corner = |&index: &i64| match u32::try_from(index) {
        Ok(corner) if u64::from(corner) < vertices => Ok(corner),
        _ => Err(Problem::IndexOutOfRange { face, index, vertices, first: 0 }),
    };
    let corners: Vec<u32> = indices.iter().map(corner).collect::<Result<_, _>>()?;
    soup.add_face(&corners)
}
