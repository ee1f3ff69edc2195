//! The convex hull of a body's mesh, and the contacts of two hulls, which the crate `parry3d` finds.

use core::ops::Range;
use std::sync::Arc;

use parry3d::math::{Pose3, Rot3, Vec3};
use parry3d::query::ContactManifold;
use parry3d::query::details::contact_manifold_pfm_pfm;
use parry3d::shape::{
    ConvexPolyhedron, FeatureId, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, SupportMap,
};

use super::colliders::Face;
use crate::linear::{Vector, apply, direction, matrix, per_axis, transposed};
use crate::pose::BodyPose;
use crate::vector::{difference, dot, sum};

/// The cosine of the angle up to which two normals count as equal, 0.08 degrees.
const SAME_DIRECTION: f64 = 0.999_999;

/// The convex hull of a body's mesh, in body coordinates (the body's axes, from its centre).
#[derive(Clone, Debug)]
pub(super) struct Hull {
    shape: Arc<ConvexPolyhedron>,
    /// The centre of its bounding box, m.
    pub(super) centre: Vector,
    /// Half the extents of its bounding box, m.
    pub(super) half_extents: Vector,
}

/// The contact points of two hulls, each in the coordinates of its body.
pub(super) type Manifold = ContactManifold<(), ()>;

impl Hull {
    /// The hull of points; None if they enclose no volume. If the mesh is so finely divided that
    /// neighbouring faces have almost the same direction, it is the hull of the outermost points only.
    pub(super) fn around(points: &[Vector]) -> Option<Self> {
        let shape = polyhedron(points).or_else(|| polyhedron(&outermost(points)))?;
        let bound = |axis: usize, better: fn(f64, f64) -> bool| {
            points.iter().map(|point| point[axis]).reduce(|a, b| if better(b, a) { b } else { a })
        };
        let low = per_axis(|axis| bound(axis, |b, a| b < a).unwrap_or(0.0));
        let high = per_axis(|axis| bound(axis, |b, a| b > a).unwrap_or(0.0));
        Some(Self {
            shape: Arc::new(shape),
            centre: sum(low, high).map(|x| 0.5 * x),
            half_extents: difference(high, low).map(|extent| 0.5 * extent),
        })
    }

    /// The lower and upper corner of its bounding box in the world, grown by `margin`, m.
    pub(super) fn bounds(&self, pose: &BodyPose, margin: f64) -> [Vector; 2] {
        let centre = pose.point(self.centre);
        let half_extents = apply(&pose.rotation.map(|row| row.map(f64::abs)), self.half_extents);
        let grown = half_extents.map(|half| half + margin);
        [difference(centre, grown), sum(centre, grown)]
    }

    /// Its faces, and those faces of its bounding box that have other directions, for a body whose
    /// particles are at `particles` in body coordinates, m.
    pub(super) fn faces(&self, particles: &[Vector; 4]) -> Vec<Face> {
        let points: Vec<Vector> =
            self.shape.points().iter().map(|point| point.to_array().map(f64::from)).collect();
        let face_normals =
            self.shape.faces().iter().map(|face| face.normal.to_array().map(f64::from));
        let mut normals: Vec<Vector> = face_normals.filter_map(direction).collect();
        for axis in 0..3 {
            for side in [1.0, -1.0] {
                let mut normal = [0.0; 3];
                normal[axis] = side;
                if normals.iter().all(|other| dot(*other, normal) < SAME_DIRECTION) {
                    normals.push(normal);
                }
            }
        }
        let face = |normal: Vector| {
            let height = points.iter().map(|point| dot(*point, normal)).fold(f64::MIN, f64::max);
            particles.map(|particle| dot(particle, normal) - height)
        };
        normals.into_iter().map(face).collect()
    }

    /// Writes to `manifold` the contact points with another hull at most `margin` away, m.
    pub(super) fn find_contacts(
        &self,
        pose: &BodyPose,
        other: &Self,
        other_pose: &BodyPose,
        margin: f32,
        manifold: &mut Manifold,
    ) {
        let to_local = transposed(&pose.rotation);
        let relative = BodyPose {
            centre: apply(&to_local, difference(other_pose.centre, pose.centre)),
            rotation: matrix(|row, column| {
                (0..3).map(|i| to_local[row][i] * other_pose.rotation[i][column]).sum()
            }),
        };
        let [x, y, z, w] = relative.quaternion().map(|x| x as f32);
        let relative_pose =
            Pose3::from_parts(to_vec3(relative.centre), Rot3::from_xyzw(x, y, z, w));
        manifold.clear();
        // The search starts from this normal. With the normal of the last call, the result would depend on
        // that call.
        manifold.local_n1 = Vec3::ZERO;
        let (one, two) = (&SpreadCorners(&self.shape), &SpreadCorners(&other.shape));
        contact_manifold_pfm_pfm(&relative_pose, one, 0.0, None, two, 0.0, None, margin, manifold);
    }
}

/// A polyhedron with up to four corners of a face that are far from each other. `parry3d` takes four
/// consecutive ones, on which a body with round faces would not stand.
struct SpreadCorners<'a>(&'a ConvexPolyhedron);

impl SupportMap for SpreadCorners<'_> {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.0.local_support_point(direction)
    }
}

impl PolygonalFeatureMap for SpreadCorners<'_> {
    fn local_support_feature(&self, direction: Vec3, feature: &mut PolygonalFeature) {
        self.local_support_feature_toward(direction, Vec3::ZERO, feature);
    }

    /// Of a face with more than four corners: the corner that is nearest to `hint`, the one that is
    /// farthest from it, and on each side of the line between them the one that is farthest from the
    /// line.
    fn local_support_feature_toward(
        &self,
        direction: Vec3,
        hint: Vec3,
        feature: &mut PolygonalFeature,
    ) {
        self.0.local_support_feature(direction, feature);
        let FeatureId::Face(face) = feature.fid.unpack() else { return };
        let face = &self.0.faces()[face as usize];
        let count = face.num_vertices_or_edges as usize;
        if count <= feature.vertices.len() {
            return;
        }
        let first = face.first_vertex_or_edge as usize;
        let corners = &self.0.vertices_adj_to_face()[first..first + count];
        let edges = &self.0.edges_adj_to_face()[first..first + count];
        let point = |corner: usize| self.0.points()[corners[corner % count] as usize];
        // The corner in a range with the greatest value; the first of equal ones.
        let greatest = |range: Range<usize>, value: &dyn Fn(Vec3) -> f32| {
            let better = |best: usize, other: usize| {
                if value(point(other)) > value(point(best)) { other } else { best }
            };
            range.reduce(better)
        };
        let Some(near) = greatest(0..count, &|x| -x.distance_squared(hint)) else { return };
        let around = near + 1..near + count;
        let Some(far) = greatest(around.clone(), &|x| x.distance_squared(point(near))) else {
            return;
        };
        let line = point(far) - point(near);
        let from_line = |x: Vec3| line.cross(x - point(near)).length_squared();
        let sides = [around.start..far, far + 1..around.end].map(|side| greatest(side, &from_line));
        let chosen = [Some(near), sides[0], Some(far), sides[1]];
        feature.num_vertices = 0;
        for corner in chosen.into_iter().flatten() {
            let slot = feature.num_vertices;
            feature.vertices[slot] = point(corner);
            feature.vids[slot] = PackedFeatureId::vertex(corners[corner % count]);
            feature.eids[slot] = PackedFeatureId::edge(edges[corner % count]);
            feature.num_vertices += 1;
        }
    }

    fn is_convex_polyhedron(&self) -> bool {
        true
    }
}

/// The convex hull of points; None if they enclose no volume, or if faces are missing: `parry3d` joins
/// triangles whose directions differ by less than 1.5 degrees, so a finely divided sphere has no faces.
fn polyhedron(points: &[Vector]) -> Option<ConvexPolyhedron> {
    let points: Vec<Vec3> = points.iter().map(|point| to_vec3(*point)).collect();
    ConvexPolyhedron::from_convex_hull(&points).filter(has_all_faces)
}

/// Whether the planes of the faces enclose no more than the points. From a point inside, no plane is
/// farther in any direction than the outermost point in that direction.
fn has_all_faces(shape: &ConvexPolyhedron) -> bool {
    /// A ratio of distances, for rounding and for faces that were joined although they are not quite
    /// flat.
    const TOLERANCE: f32 = 1.05;
    let points = shape.points();
    let centre = points.iter().sum::<Vec3>() / points.len() as f32;
    let height =
        |normal: Vec3| points.iter().map(|&it| normal.dot(it - centre)).fold(0.0, f32::max);
    let planes: Vec<(Vec3, f32)> =
        shape.faces().iter().map(|face| (face.normal, height(face.normal))).collect();
    directions().all(|along| {
        let distances = planes.iter().filter_map(|&(normal, height)| {
            let slope = normal.dot(along);
            (slope > 0.0).then(|| height / slope)
        });
        distances.fold(f32::INFINITY, f32::min) <= TOLERANCE * height(along)
    })
}

/// For each of many directions the outermost point.
fn outermost(points: &[Vector]) -> Vec<Vector> {
    let outermost = directions().filter_map(|along| {
        let height = |point: &Vector| dot(*point, along.to_array().map(f64::from));
        points.iter().max_by(|one, other| height(one).total_cmp(&height(other)))
    });
    outermost.copied().collect()
}

/// Unit vectors about 10 degrees from each other: through the points of a grid on the sides of a cube.
fn directions() -> impl Iterator<Item = Vec3> {
    const COLUMNS: u32 = 8;
    let coordinate = |index: u32| (2 * index + 1) as f32 / COLUMNS as f32 - 1.0;
    let sides = (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]);
    sides.flat_map(move |(axis, side): (usize, f32)| {
        (0..COLUMNS * COLUMNS).map(move |cell| {
            let mut direction = [side; 3];
            direction[(axis + 1) % 3] = coordinate(cell % COLUMNS);
            direction[(axis + 2) % 3] = coordinate(cell / COLUMNS);
            Vec3::from_array(direction).normalize()
        })
    })
}

fn to_vec3(vector: Vector) -> Vec3 {
    Vec3::from_array(vector.map(|x| x as f32))
}
