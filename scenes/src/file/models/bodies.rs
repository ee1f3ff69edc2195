//! Tables of ragdolls and rigid bodies.

use taut_world::{MassProperties, Model, Ragdoll};

use super::builder;
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::{TriangleReader, triangles};
use crate::file::values::Vector;

options! {
    /// The parameters of [`Model::ragdoll`].
    RagdollTable => Ragdoll { height: f32, mass: f32, posture: f32 }
}

builder! { 2, RagdollTable => |table, _| Model::<2>::ragdoll(&table.options()) }
builder! { 3, RagdollTable => |table, _| Model::<3>::ragdoll(&table.options()) }

builder! {
    /// The parameters of [`Model::tetrahedron`].
    TetrahedronTable { edge: f32, mass: f32 } => Model::tetrahedron(edge, mass)
}

builder! {
    /// The parameters of [`Model::basis`].
    BasisTable { edge: f32, mass: f32 } => Model::basis(edge, mass)
}

builder! {
    /// The parameters of [`Model::rigid`].
    RigidTable { mass: f64, centre: Vector<3, f64>, inertia: [[f64; 3]; 3] }
    => Model::rigid(&MassProperties { mass, centre: centre.into(), inertia })
}

builder! {
    /// The parameters of [`Model::rigid_box`].
    BoxTable { size: Vector<3>, density: f64 } => Model::rigid_box(size.into(), density)
}

triangles! {
    /// The parameters of [`Model::rigid_mesh`].
    RigidMeshTable { density: f64 }
}

builder! {
    3, RigidMeshTable => |table, files| {
        let (vertices, triangles) = table.read(files)?;
        Model::rigid_mesh(&vertices, &triangles, table.density)
    }
}
