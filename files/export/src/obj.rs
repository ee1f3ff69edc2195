//! Wavefront OBJ, as in "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual: `v`
//! for each point, then a group (`g`) for each part and bounded rigid shape with its faces (`f`) and
//! sticks (`l`). Unbounded rigid shapes, such as floors, are not written.
//!
//! The file has no `o` lines: programs that make an object of each `o` would reorder the points,
//! and a [point cache](crate::pc2) of the same run would not match. Coordinates have enough digits
//! to read back the same bits.

use std::io::{self, BufWriter, Write};

use crate::{DrawnScene, Frame};

/// Writes a frame.
///
/// # Errors
/// If `to` returns an error.
pub fn write(to: impl Write, scene: &DrawnScene, frame: &Frame) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    writeln!(to, "# {:.6} s", frame.time)?;
    for [x, y, z] in scene.points(frame) {
        writeln!(to, "v {x} {y} {z}")?;
    }
    let mut groups = scene.triangles(frame);
    for part in &scene.parts {
        let (name, triangles) = groups.next().unwrap_or_default();
        writeln!(to, "g {}", group_name(name))?;
        write_faces(&mut to, &triangles)?;
        for stick in part.sticks.clone().filter(|&stick| frame.has_stick(stick)) {
            // Points are numbered from 1.
            let [a, b] = scene.sticks[stick].map(|end| end + 1);
            writeln!(to, "l {a} {b}")?;
        }
    }
    for (name, triangles) in groups {
        writeln!(to, "g {}", group_name(name))?;
        write_faces(&mut to, &triangles)?;
    }
    to.flush()
}

fn write_faces(to: &mut impl Write, triangles: &[[u32; 3]]) -> io::Result<()> {
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| corner + 1);
        writeln!(to, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// Replaces white space in a name, because OBJ would read two names.
fn group_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("_")
}
