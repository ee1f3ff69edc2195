//! Tables of ragdolls and rigid bodies.

use taut_world::{MassProperties, Model, Ragdoll};

use super::make;
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::{TriangleReader, triangles};
use crate::file::values::Vector;

options! {
    /// [`Ragdoll`].
    RagdollText => Ragdoll { height: f32, mass: f32, posture: f32 }
}

make! { 2, RagdollText => |text, _| Model::<2>::ragdoll(&text.options()) }
make! { 3, RagdollText => |text, _| Model::<3>::ragdoll(&text.options()) }

make! {
    /// [`Model::tetrahedron`].
    TetrahedronText { edge: f32, mass: f32 } => Model::tetrahedron(edge, mass)
}

make! {
    /// [`Model::basis`].
    BasisText { edge: f32, mass: f32 } => Model::basis(edge, mass)
}

make! {
    /// [`Model::rigid`].
    RigidText { mass: f64, centre: Vector<3, f64>, inertia: [[f64; 3]; 3] }
    => Model::rigid(&MassProperties { mass, centre: centre.into(), inertia })
}

make! {
    /// [`Model::rigid_box`].
    BoxText { size: Vector<3>, density: f64 } => Model::rigid_box(size.into(), density)
}

triangles! {
    /// [`Model::rigid_mesh`].
    RigidMeshText { density: f64 }
}

make! {
    3, RigidMeshText => |text, files| {
        let (vertices, triangles) = text.read(files)?;
        Model::rigid_mesh(&vertices, &triangles, text.density)
    }
}
