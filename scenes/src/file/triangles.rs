//! Tables of triangle meshes. The triangles are in the table, or in a mesh file that the caller
//! reads.

use std::cell::Cell;
use std::error::Error;

use taut_core::{PARTICLES_MAX, TRIANGLES_MAX, check_limit};
use taut_world::ModelError;

use super::error::{At, BuildError};
use super::values::{Vector, points};

/// The vertices of a mesh, m, and its triangles, each of three indices of vertices.
pub type Triangles = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A function that reads the triangles of a mesh file. It gets the name of the file as written in the
/// scene.
pub type TriangleReader<'a> = dyn Fn(&str) -> Result<Triangles, Box<dyn Error>> + 'a;

/// Declares a table of a triangle mesh, which may have additional keys.
macro_rules! triangles {
    (
        $(#[$about:meta])*
        $table:ident { $($field:ident: $type:ty),* $(,)? }
    ) => {
        $(#[$about])*
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $table {
            positions: Option<Vec<crate::file::values::Vector<3>>>,
            triangles: Option<Vec<[u32; 3]>>,
            file: Option<String>,
            scale: Option<f64>,
            $($field: $type,)*
        }

        impl $table {
            fn read(
                &self,
                read_file: &crate::file::TriangleReader,
            ) -> Result<crate::file::Triangles, crate::file::error::BuildError> {
                let Self { positions, triangles, file, scale, .. } = self;
                let inline = (positions.as_deref(), triangles.as_deref());
                crate::file::triangles::read(inline, file.as_deref(), *scale, read_file)
            }
        }
    };
}
pub(super) use triangles;

/// Returns the positions and triangles in the table, or those of a file, whose positions are
/// multiplied by `scale`. A table has one or the other; only a file can have a `scale`.
pub(super) fn read(
    (positions, triangles): (Option<&[Vector<3>]>, Option<&[[u32; 3]]>),
    file: Option<&str>,
    scale: Option<f64>,
    read_file: &TriangleReader,
) -> Result<Triangles, BuildError> {
    match (positions, triangles, file) {
        (Some(positions), Some(triangles), None) if scale.is_none() => {
            Ok((points(positions), triangles.to_vec()))
        }
        (None, None, Some(file)) => {
            let scale = scale.unwrap_or(1.0);
            let (range, expected) = (1e-9..=1e9, "from 1e-9 to 1e9");
            ModelError::check("scale", "the scale of a file", scale, range, expected)?;
            let (mut positions, triangles) =
                read_file(file).map_err(|error| with_sources(&*error)).at("file")?;
            for x in positions.as_flattened_mut() {
                *x = (f64::from(*x) * scale) as f32;
            }
            Ok((positions, triangles))
        }
        (Some(_), Some(_), None) => Err("only a mesh with a 'file' can have a 'scale'").at("scale"),
        (_, _, Some(_)) => Err("a mesh has 'positions' and 'triangles', or a 'file', not both")?,
        _ => Err("a mesh needs 'positions' and 'triangles', or a 'file' with an optional 'scale'")?,
    }
}

/// Returns a reader like `read_file` that limits the total size of all files that it reads: a scene can
/// name one large file any number of times.
pub(super) fn limited<'a>(
    read_file: &'a TriangleReader,
) -> impl Fn(&str) -> Result<Triangles, Box<dyn Error>> + 'a {
    let totals = Cell::new([0, 0]);
    move |file| {
        let (positions, triangles) = read_file(file)?;
        let [vertices, faces] = totals.get();
        let all = [vertices + positions.len() as u128, faces + triangles.len() as u128];
        check_limit("vertices of all mesh files", all[0], PARTICLES_MAX)?;
        check_limit("triangles of all mesh files", all[1], TRIANGLES_MAX)?;
        totals.set(all);
        Ok((positions, triangles))
    }
}

/// The messages of an error and of its sources, joined by colons.
fn with_sources(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message = format!("{message}: {error}");
        source = error.source();
    }
    message
}
