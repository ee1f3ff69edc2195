//! One row of a PLY element: filled by `ply-rs-bw` from binary files, and here from ASCII lines.

use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyType};

/// The two names in use for the list of the vertices of a face.
pub(super) const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// The values of a row that a mesh needs.
pub(super) struct Row {
    pub(super) position: [f32; 3],
    pub(super) corners: Vec<i64>,
}

impl Row {
    fn set_coordinate(&mut self, name: &str, value: f32) {
        match name {
            "x" => self.position[0] = value,
            "y" => self.position[1] = value,
            "z" => self.position[2] = value,
            _ => {}
        }
    }

    /// Parses a line of an ASCII file. Returns `None` unless it has exactly the expected values.
    pub(super) fn from_line(line: &str, element: &ElementDef) -> Option<Self> {
        let mut row = Self::new();
        let mut words = line.split_ascii_whitespace();
        for (name, property) in &element.properties {
            let word = words.next()?;
            match property.data_type {
                PropertyType::Scalar(_) => row.set_coordinate(name, word.parse().ok()?),
                PropertyType::List(..) => {
                    let length: usize = word.parse().ok()?;
                    let are_corners = CORNERS.contains(&name.as_str());
                    for _ in 0..length {
                        let word = words.next()?;
                        if are_corners {
                            row.corners.push(word.parse().ok()?);
                        }
                    }
                }
            }
        }
        words.next().is_none().then_some(row)
    }
}

impl PropertyAccess for Row {
    fn new() -> Self {
        Self { position: [0.0; 3], corners: Vec::new() }
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        if let Some(value) = value.to_f32_lossy() {
            self.set_coordinate(name, value);
        } else if CORNERS.contains(&name) {
            self.corners = integers(&value);
        }
        PropertyAccessResult::Set
    }
}

/// Converts a list of any integer type. Any other value gives no corners; the check of the header
/// requires a list of integers.
fn integers(list: &Property) -> Vec<i64> {
    fn widen<T: Copy + Into<i64>>(list: &[T]) -> Vec<i64> {
        list.iter().map(|&item| item.into()).collect()
    }
    match list {
        Property::ListChar(list) => widen(list),
        Property::ListUChar(list) => widen(list),
        Property::ListShort(list) => widen(list),
        Property::ListUShort(list) => widen(list),
        Property::ListInt(list) => widen(list),
        Property::ListUInt(list) => widen(list),
        _ => Vec::new(),
    }
}
