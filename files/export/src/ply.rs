//! Stanford PLY, binary and little-endian, with normals: Greg Turk, "The PLY Polygon File Format"
//! (1994). Points and faces are those of the [OBJ file](crate::obj). A part without faces is a
//! cloud of points.

use std::io::{self, BufWriter, Write};

use ply_rs_bw::ply::{
    Addable, ElementDef, Encoding, Header, PropertyAccess, PropertyDef, PropertyType, ScalarType,
};
use ply_rs_bw::writer::Writer;

use crate::{DrawnScene, Frame};

/// A row of the file.
#[derive(Debug)]
enum Row {
    Vertex([f32; 6]),
    Face([i32; 3]),
}

const VERTEX: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];
const CORNERS: &str = "vertex_indices";

impl PropertyAccess for Row {
    fn new() -> Self {
        Self::Vertex([0.0; 6])
    }

    fn get_float(&self, name: &str) -> Option<f32> {
        let Self::Vertex(vertex) = self else { return None };
        VERTEX.iter().position(|property| *property == name).map(|index| vertex[index])
    }

    fn get_list_int(&self, name: &str) -> Option<&[i32]> {
        match self {
            Self::Face(corners) if name == CORNERS => Some(corners),
            _ => None,
        }
    }
}

/// Writes a frame.
///
/// # Errors
/// If `to` returns an error.
pub fn write(to: impl Write, scene: &DrawnScene, frame: &Frame) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    let faces = scene.triangles(frame).flat_map(|(_, triangles)| triangles);
    let faces: Vec<Row> = faces.map(|corners| Row::Face(corners.map(u32::cast_signed))).collect();

    let mut vertex = ElementDef::new("vertex".into());
    for name in VERTEX {
        let kind = PropertyType::Scalar(ScalarType::Float);
        vertex.properties.add(PropertyDef::new(name.into(), kind));
    }
    vertex.count = scene.point_count();
    let mut face = ElementDef::new("face".into());
    let corners = PropertyType::List(ScalarType::UChar, ScalarType::Int);
    face.properties.add(PropertyDef::new(CORNERS.into(), corners));
    face.count = faces.len();
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.comments.push(format!("{:.6} s, metres, y up", frame.time));
    header.elements.add(vertex);
    header.elements.add(face);

    let writer = Writer::new();
    writer.write_header(&mut to, &header)?;
    for (point, normal) in scene.points(frame).zip(normals(scene, frame)) {
        let ([x, y, z], [nx, ny, nz]) = (point, normal);
        let row = Row::Vertex([x, y, z, nx, ny, nz]);
        writer.write_little_endian_element(&mut to, &row, &header.elements["vertex"])?;
    }
    for row in &faces {
        writer.write_little_endian_element(&mut to, row, &header.elements["face"])?;
    }
    to.flush()
}

/// The normals of all points, in the order of [`DrawnScene::points`].
fn normals<'a>(scene: &'a DrawnScene, frame: &'a Frame) -> impl Iterator<Item = [f32; 3]> + 'a {
    let of_shapes = scene.bounded_shapes().flat_map(|(nth, shape)| {
        let pose = frame.poses[nth];
        shape.mesh.normals.iter().map(move |&normal| pose.direction(normal))
    });
    frame.normals.iter().copied().chain(of_shapes)
}
