//! Rigid bodies as models.

use taut_core::{Duplicates, Particles, Sticks};

use super::checks::check_positive;
use super::{Model, ModelError};
use crate::body::{Bodies, CORNERS, MassProperties, checked_mass, mean};
use crate::error::BodyError;
use crate::linear::Vector;
use crate::vector::{difference, length};

/// The edges of a tetrahedron, in pairs of opposite edges, which share no particle.
const EDGES: [[u32; 2]; 6] = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]];

/// The faces of a tetrahedron of positive volume, counter-clockwise from outside.
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

impl Model {
    /// A regular tetrahedron of four particles and six sticks ("this is actually enough to simulate
    /// a rigid body", Jakobsen 2001), with an edge length, m, and a mass, kg, around the origin.
    /// The faces of the tetrahedron are its mesh.
    ///
    /// # Errors
    /// If the edge length is not above 0 or too large, or the mass is not from 4e-9 to 4e9 kg.
    ///
    /// ```
    /// use taut_world::Model;
    ///
    /// let body = Model::tetrahedron(0.5, 2.0)?;
    /// assert_eq!(body.sticks.len(), 6);
    /// assert_eq!(body.sticks.rest(0), 0.5);
    /// assert_eq!(body.particles.inverse_masses(), [2.0; 4]);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn tetrahedron(edge: f32, mass: f32) -> Result<Self, ModelError> {
        let edge = check_positive("edge", "the edge of a tetrahedron, m,", edge)?;
        let scale = edge / 8.0_f64.sqrt();
        from_four_particles(CORNERS.map(|corner| corner.map(|x| x * scale)), f64::from(mass), None)
    }

    /// A rigid body of four particles "in the pattern of a coordinate system basis" (Jakobsen
    /// 2001): one at the origin and one on each axis, at the distance `edge`, m. Three sticks of
    /// this length keep the distances, and three of √2 `edge` the right angles. `mass` is the
    /// total, kg. The faces of the tetrahedron are its mesh.
    ///
    /// # Errors
    /// If the edge length is not above 0 or too large, or the mass is not from 4e-9 to 4e9 kg.
    ///
    /// ```
    /// use taut_world::Model;
    ///
    /// let basis = Model::basis(1.0, 4.0)?;
    /// assert_eq!(basis.particles.position(2), [0.0, 1.0, 0.0]);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn basis(edge: f32, mass: f32) -> Result<Self, ModelError> {
        let edge = check_positive("edge", "the edge of a basis, m,", edge)?;
        let points = [[0.0; 3], [edge, 0.0, 0.0], [0.0, edge, 0.0], [0.0, 0.0, edge]];
        from_four_particles(points, f64::from(mass), None)
    }

    /// A rigid body of any mass, centre and inertia, carried by the four particles that
    /// [`MassProperties::four_points`] finds. It has no mesh: it is not drawn and does not collide.
    ///
    /// # Errors
    /// If no body with a volume has such an inertia, or a value is out of range.
    ///
    /// ```
    /// use taut_world::{MassProperties, Model, ModelError};
    ///
    /// let inertia = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.5]];
    /// let top = Model::rigid(&MassProperties { mass: 3.0, centre: [0.0, 1.0, 0.0], inertia })?;
    /// assert_eq!(top.particles.len(), 4);
    ///
    /// // No mass distribution has a principal moment of inertia above the sum of the other two.
    /// let inertia = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.5]];
    /// let impossible = Model::rigid(&MassProperties { mass: 3.0, centre: [0.0; 3], inertia });
    /// assert!(matches!(impossible, Err(ModelError::Body(_))));
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn rigid(properties: &MassProperties) -> Result<Self, ModelError> {
        from_four_particles(properties.four_points()?, properties.mass, Some((&[], &[])))
    }

    /// A closed mesh as a rigid body of uniform density, kg/m³: `vertices` in m, `triangles`
    /// counter-clockwise seen from outside. Mass and inertia are those of the mesh. Its vertices
    /// collide with obstacles, its convex hull with other bodies, limbs, cloth and ropes (feature
    /// `parry`).
    ///
    /// # Errors
    /// If the mesh is not closed, encloses no volume, or is too flat; if a value is out of range.
    ///
    /// ```
    /// use taut_world::Model;
    ///
    /// let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let wedge = Model::rigid_mesh(&vertices, &triangles, 6000.0)?;
    /// let mass: f32 = wedge.particles.inverse_masses().iter().map(|w| 1.0 / w).sum();
    /// assert!((mass - 1000.0).abs() < 1e-3);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn rigid_mesh(
        vertices: &[[f32; 3]],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, ModelError> {
        let properties = MassProperties::of_mesh(vertices, triangles, density)?;
        let vertices: Vec<Vector> = vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
        from_four_particles(
            properties.four_points()?,
            properties.mass,
            Some((&vertices, triangles)),
        )
    }

    /// A box around the origin as a rigid body, with a length along each axis, m, and a density,
    /// kg/m³.
    ///
    /// # Errors
    /// If a length or the density is not above 0, or the box is too flat.
    ///
    /// ```
    /// use taut_world::Model;
    ///
    /// let brick = Model::rigid_box([0.24, 0.071, 0.115], 1800.0)?.moved([0.0, 2.0, 0.0]);
    /// assert_eq!(brick.bodies.triangles().len(), 12);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn rigid_box(size: [f32; 3], density: f64) -> Result<Self, ModelError> {
        for edge in size {
            check_positive("size", "an edge of a box, m,", edge)?;
        }
        let size = size.map(f64::from);
        let properties = MassProperties::of_box(size, density)?;
        let (corners, triangles) = box_mesh(size);
        from_four_particles(
            properties.four_points()?,
            properties.mass,
            Some((&corners, &triangles)),
        )
    }
}

/// The corners of a box, with the index `4 x + 2 y + z` for the upper (1) or lower (0) end along
/// each axis, and two triangles per face.
fn box_mesh(size: Vector) -> ([Vector; 8], [[u32; 3]; 12]) {
    let corners = core::array::from_fn(|corner| {
        core::array::from_fn(|axis| {
            if corner >> (2 - axis) & 1 == 1 { 0.5 * size[axis] } else { -0.5 * size[axis] }
        })
    });
    let faces: [[u32; 4]; 6] =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = core::array::from_fn(|triangle| {
        let [a, b, c, d] = faces[triangle / 2];
        if triangle % 2 == 0 { [a, b, c] } else { [a, c, d] }
    });
    (corners, triangles)
}

/// A rigid body of four particles at `points`, m, with a quarter of `mass`, kg, each, six sticks, and
/// a mesh. `mesh` has the vertices, m, in the coordinates of `points`, and the triangles; `None`: the
/// mesh is the faces of the tetrahedron.
fn from_four_particles(
    points: [Vector; 4],
    mass: f64,
    mesh: Option<(&[Vector], &[[u32; 3]])>,
) -> Result<Model, ModelError> {
    let mass = checked_mass(mass)?;
    let range = f64::from(4e-9_f32)..=4e9; // the lower limit in `f32` is smaller than in `f64`
    ModelError::check("mass", "the mass of a body, kg,", mass, range, "from 4e-9 to 4e9")?;
    let particles =
        Particles::new(&points.map(|point| point.map(|x| x as f32)), &[(4.0 / mass) as f32; 4])?;
    let rests =
        EDGES.map(|[a, b]| length(difference(points[b as usize], points[a as usize])) as f32);
    let sticks = Sticks::with_rests(4, &EDGES, &rests, Duplicates::Keep)?;
    let centre = mean(&points);
    let from_centre = points.map(|point| difference(point, centre));
    let bodies = match mesh {
        None => Bodies::single(from_centre, &from_centre, &FACES),
        Some((vertices, triangles)) => {
            let vertices: Vec<Vector> =
                vertices.iter().map(|vertex| difference(*vertex, centre)).collect();
            Bodies::single(from_centre, &vertices, triangles)
        }
    };
    let bodies = bodies.ok_or(BodyError::Volume { volume: 0.0 })?;
    // The vertices of the mesh collide with obstacles. The particles may be outside the mesh and
    // must not collide: a radius of -∞ excludes them.
    let radii = vec![f32::NEG_INFINITY; 4];
    let mut model = Model { radii, bodies, ..Model::new(particles, sticks) };
    model.groups.insert("body".to_owned(), vec![0, 1, 2, 3]);
    Ok(model)
}
