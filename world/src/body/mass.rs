//! Mass properties of boxes and meshes, and four particles that have given mass properties.

use std::collections::BTreeMap;

use crate::error::BodyError;
use crate::linear::{Matrix, Vector, matrix, symmetric_eigen, trace_minus};
use crate::vector::{add_scaled, cross, difference, dot, sum};

/// Lower bound of the ratio of the least to the largest eigenvalue of the covariance: the ratio for a
/// body that is 10,000 times as long as thick. The tetrahedron of a flatter body is not rigid in `f32`.
const EIGENVALUE_RATIO_MIN: f64 = 1e-8;

/// The corners of a regular tetrahedron of four unit masses whose covariance is 4 times the
/// identity matrix, and whose centre is the origin; its volume is positive.
pub(crate) const CORNERS: [Vector; 4] =
    [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];

/// Mass, centre and inertia: all that the motion of a rigid body depends on.
///
/// ```
/// use taut_world::MassProperties;
///
/// // A die of 2 cm, of 1400 kg/m³.
/// let die = MassProperties::of_box([0.02; 3], 1400.0)?;
/// assert!((die.mass - 0.0112).abs() < 1e-12);
/// assert!((die.inertia[0][0] - die.mass * 0.02 * 0.02 / 6.0).abs() < 1e-15);
///
/// // Four particles, each with a quarter of its mass, move as the die does.
/// let points = die.four_points()?;
/// let again = MassProperties::of_points(&points.map(|point| (point, die.mass / 4.0)))?;
/// assert!((again.inertia[1][1] - die.inertia[1][1]).abs() < 1e-15);
/// # Ok::<(), taut_world::BodyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Its mass, kg.
    pub mass: f64,
    /// Its centre of mass, m.
    pub centre: [f64; 3],
    /// Its inertia tensor about the centre, kg m², symmetric.
    pub inertia: [[f64; 3]; 3],
}

impl MassProperties {
    /// Mass properties of a box centred at the origin, with its size along each axis, m, and a
    /// density, kg/m³.
    ///
    /// # Errors
    /// If the mass is not above 0 and finite.
    pub fn of_box(size: [f64; 3], density: f64) -> Result<Self, BodyError> {
        let mass = checked_mass(((size[0] * size[1]) * size[2]) * density)?;
        let covariance =
            matrix(
                |row, column| if row == column { mass * size[row] * size[row] / 12.0 } else { 0.0 },
            );
        Ok(Self { mass, centre: [0.0; 3], inertia: trace_minus(&covariance, 1.0) })
    }

    /// Mass properties of the inside of a closed mesh, convex or not, of uniform density, kg/m³:
    /// vertices, m, and triangles by their corners, counter-clockwise from outside.
    ///
    /// Volume, first and second moments are sums over the tetrahedra between a point and the
    /// triangles: Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties" (1996), in
    /// the form of Blow and Binstock, "How to find the inertia tensor of a 3D solid body" (2004).
    ///
    /// # Errors
    /// If a corner is not the index of a vertex, the mesh is not closed or encloses no volume, or
    /// the mass is not above 0 and finite.
    pub fn of_mesh(
        vertices: &[[f32; 3]],
        triangles: &[[u32; 3]],
        density: f64,
    ) -> Result<Self, BodyError> {
        check_closed(vertices.len(), triangles)?;
        let vertex = |index: u32| vertices[index as usize].map(f64::from);
        // Tetrahedra from a vertex of the mesh: those from a distant origin would lose digits by
        // cancellation.
        let origin = triangles.first().map_or([0.0; 3], |triangle| vertex(triangle[0]));
        let (mut volume, mut first_moments, mut second_moments) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| difference(vertex(corner), origin));
            let six_volumes = dot(a, cross(b, c));
            let corner_sum = sum(sum(a, b), c);
            volume += six_volumes / 6.0;
            first_moments = add_scaled(first_moments, six_volumes / 24.0, corner_sum);
            second_moments = matrix(|i, j| {
                let products =
                    ((a[i] * a[j] + b[i] * b[j]) + c[i] * c[j]) + corner_sum[i] * corner_sum[j];
                second_moments[i][j] + six_volumes / 120.0 * products
            });
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(BodyError::Volume { volume });
        }
        let from_origin = first_moments.map(|moment| moment / volume);
        let covariance = matrix(|i, j| {
            density * (second_moments[i][j] - volume * (from_origin[i] * from_origin[j]))
        });
        Ok(Self {
            mass: checked_mass(density * volume)?,
            centre: sum(origin, from_origin),
            inertia: trace_minus(&covariance, 1.0),
        })
    }

    /// Mass properties of point masses: positions, m, and masses, kg.
    ///
    /// # Errors
    /// If the total mass is not above 0 and finite.
    pub fn of_points(points: &[([f64; 3], f64)]) -> Result<Self, BodyError> {
        let mass = checked_mass(points.iter().map(|(_, mass)| mass).sum())?;
        let moment =
            points.iter().fold([0.0; 3], |sum, (point, mass)| add_scaled(sum, *mass, *point));
        let centre = moment.map(|moment| moment / mass);
        let mut covariance = [[0.0; 3]; 3];
        for (point, mass) in points {
            let r = difference(*point, centre);
            covariance = matrix(|i, j| covariance[i][j] + mass * (r[i] * r[j]));
        }
        Ok(Self { mass, centre, inertia: trace_minus(&covariance, 1.0) })
    }

    /// The positions at which four particles, each with a quarter of the mass, have exactly this
    /// mass, centre and inertia.
    ///
    /// The covariance `C = Σ m x xᵀ` about the centre is `½ tr(I) 1 - I`, where 1 is the identity
    /// matrix. A regular tetrahedron scaled along the principal axes, by the square root of each
    /// eigenvalue of `C / mass`, has this covariance: "by rearranging the positions of the
    /// particles that make up the tetrahedron, the physical properties can be changed accordingly"
    /// (Jakobsen 2001).
    ///
    /// # Errors
    /// If the mass is not above 0, a value is not finite, the tensor is not symmetric, or no body
    /// with a volume has this tensor.
    pub fn four_points(&self) -> Result<[[f64; 3]; 4], BodyError> {
        checked_mass(self.mass)?;
        if !self.centre.iter().all(|x| x.is_finite()) {
            return Err(BodyError::Centre);
        }
        let inertia = &self.inertia;
        let trace = (inertia[0][0] + inertia[1][1]) + inertia[2][2];
        // False for NaN as well.
        let symmetric =
            |i: usize, j: usize| (inertia[i][j] - inertia[j][i]).abs() <= 1e-9 * trace.abs();
        if !(trace.is_finite() && symmetric(0, 1) && symmetric(0, 2) && symmetric(1, 2)) {
            return Err(BodyError::NotSymmetric);
        }
        let (eigenvalues, axes) = symmetric_eigen(&trace_minus(inertia, 0.5));
        let has_volume = eigenvalues[2] > EIGENVALUE_RATIO_MIN * eigenvalues[0];
        if !has_volume {
            let [x, y, z] = eigenvalues;
            return Err(BodyError::Impossible { moments: [y + z, x + z, x + y] });
        }
        let scale = eigenvalues.map(|eigenvalue| (eigenvalue / self.mass).sqrt());
        Ok(CORNERS.map(|corner| {
            (0..3).fold(self.centre, |point, axis| {
                add_scaled(point, corner[axis] * scale[axis], axes[axis])
            })
        }))
    }
}

/// Returns the mass, kg, if it is above 0 and finite.
pub(crate) fn checked_mass(mass: f64) -> Result<f64, BodyError> {
    if mass > 0.0 && mass.is_finite() { Ok(mass) } else { Err(BodyError::Mass { mass }) }
}

/// Checks that the corners of triangles are vertices, and that each edge belongs to exactly two
/// triangles, in opposite directions.
fn check_closed(vertices: usize, triangles: &[[u32; 3]]) -> Result<(), BodyError> {
    let mut edges = BTreeMap::new();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&corner) = corners.iter().find(|&&corner| corner as usize >= vertices) {
            return Err(BodyError::NoSuchVertex { triangle, corner, vertices });
        }
        let [a, b, c] = *corners;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if from == to || edges.insert((from, to), triangle).is_some() {
                return Err(BodyError::NotClosed { triangle, from, to });
            }
        }
    }
    match edges.iter().find(|((from, to), _)| !edges.contains_key(&(*to, *from))) {
        Some((&(from, to), &triangle)) => Err(BodyError::NotClosed { triangle, from, to }),
        None => Ok(()),
    }
}

/// The covariance of four equal masses, 1 kg in total, about the origin.
pub(super) fn covariance_of_four(points: &[Vector; 4]) -> Matrix {
    matrix(|i, j| 0.25 * points.iter().map(|r| r[i] * r[j]).sum::<f64>())
}
