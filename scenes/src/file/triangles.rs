//! Triangles, as they are written, or in a file that somebody else reads.

use std::cell::Cell;
use std::error::Error;

use taut_core::{PARTICLES_MAX, TRIANGLES_MAX, check_limit};
use taut_world::ModelError;
use toml::Spanned;

use super::values::{Vector, points};
use super::{Complaint, There};

/// Positions, m, and three of their numbers for each triangle.
pub type Triangles = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// Finds the triangles of a file that a scene names.
pub type TriangleReader<'a> = dyn Fn(&str) -> Result<Triangles, Box<dyn Error>> + 'a;

/// Declares a table of triangles, and of what else is said about them.
macro_rules! triangles {
    (
        $(#[$about:meta])*
        $text:ident { $($field:ident: $type:ty),* $(,)? }
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $text {
            positions: Option<Vec<Vector<3>>>,
            triangles: Option<Vec<[u32; 3]>>,
            file: Option<toml::Spanned<String>>,
            scale: Option<f64>,
            $($field: $type,)*
        }

        impl $text {
            fn read(&self, files: &TriangleReader) -> Result<Triangles, Complaint> {
                let Self { positions, triangles, file, scale, .. } = self;
                let written = (positions.as_deref(), triangles.as_deref());
                super::triangles::read(written, file.as_ref(), *scale, files)
            }
        }
    };
}
pub(super) use triangles;

/// Those that are written, or those of a file, `scale` times as large.
pub(super) fn read(
    (positions, triangles): (Option<&[Vector<3>]>, Option<&[[u32; 3]]>),
    file: Option<&Spanned<String>>,
    scale: Option<f64>,
    files: &TriangleReader,
) -> Result<Triangles, Complaint> {
    match (positions, triangles, file) {
        (Some(positions), Some(triangles), None) if scale.is_none() => {
            Ok((points(positions), triangles.to_vec()))
        }
        (None, None, Some(file)) => {
            let scale = scale.unwrap_or(1.0);
            ModelError::check("the scale of a file", scale, 1e-9..=1e9, "from 1e-9 to 1e9")?;
            let (mut positions, triangles) = files(file.get_ref())
                .map_err(|error| There { span: file.span(), message: said(&*error) })?;
            for x in positions.as_flattened_mut() {
                *x = (f64::from(*x) * scale) as f32;
            }
            Ok((positions, triangles))
        }
        _ => Err("triangles are 'positions' and 'triangles', or of a 'file', which has a 'scale'")?,
    }
}

/// Reads with `files` until all that was read is more than a scene may have: a text can name one
/// large file any number of times.
pub(super) fn limited<'a>(
    files: &'a TriangleReader,
) -> impl Fn(&str) -> Result<Triangles, Box<dyn Error>> + 'a {
    let read = Cell::new([0, 0]);
    move |file| {
        let (positions, triangles) = files(file)?;
        let [vertices, faces] = read.get();
        let all = [vertices + positions.len() as u128, faces + triangles.len() as u128];
        check_limit("vertices of all mesh files", all[0], PARTICLES_MAX)?;
        check_limit("triangles of all mesh files", all[1], TRIANGLES_MAX)?;
        read.set(all);
        Ok((positions, triangles))
    }
}

/// An error and what brought it about, in a sentence.
fn said(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        said = format!("{said}: {error}");
        source = error.source();
    }
    said
}
