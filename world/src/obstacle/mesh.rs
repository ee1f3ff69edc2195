//! Triangle meshes of any shape, with continuous collision detection for particles.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use taut_core::Particles;

use super::Obstacle;
use super::solid::Solid;
use super::triangle::{Facing, Point, Triangle};
use crate::body::Probe;
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::matter::{ContactScratch, Matter};
use crate::model::Model;
use crate::path::{Displacement, Pose, check_point, coordinate_axes};
use crate::settings::StepTime;
use crate::surface::{ContactLaw, Nearest, SurfaceContact, VerletState};
use crate::vector::{add_scaled, difference, dot, length, unit};

/// A triangle mesh, convex or not, closed or not, static or moving as a whole.
///
/// In the coordinates of the mesh, a particle moves in a substep along a segment from its start to
/// the position after forces and sticks. If the segment crosses a triangle from a side that collides
/// ([`Facing`]), the particle collides with the plane of the first triangle that it crosses. If the end of the segment is closer to the
/// mesh than the thickness of the surface plus the radius of the particle, the particle collides
/// with the nearest point. This repeats until the segment from start to end crosses no triangle and
/// its end is far enough from the mesh. If eight collisions do not suffice, as in a crack that is too
/// narrow, the particle gets the last of these positions that crossed no triangle and was not on one; if
/// there was none, it stops in front of the first triangle or at its start. So it stays on such a side at
/// any speed, also at edges and corners, where triangles meet. (With [`Facing::Front`], particles from
/// behind pass through.) Its distance from the mesh is at least
/// about half a millionth of the largest coordinate of particle and mesh, so that rounding cannot move
/// it through.
///
/// (Crossings are found as in Ericson, "Real-Time Collision Detection", 5.3.4, with signs of volumes that
/// are exact: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997.)
///
/// (The report on soft bodies, phase II in docs/articles.md, tests edges by rounded angles, which
/// leaves gaps between triangles through which a particle can fall.)
///
/// An obstacle that moves particles later in a substep can put them on the other side of the mesh,
/// where they stay: list meshes last in a scene.
///
/// Rigid bodies collide at their vertices, each tested from a point slightly further inside; limbs
/// collide at sample points of their axes. A body that hits so hard that it is flattened may get
/// through, and a ridge of the mesh may pass between the sample points of a fast limb.
///
/// ```
/// use taut_world::{Facing, Solid, Surface, TriMesh};
///
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, -1.0], [0.0, 0.0, -1.0]];
/// let table = TriMesh::new(&points, &[[0, 1, 2], [0, 2, 3]], Facing::Both)?;
/// let table = Solid::mesh(table).with(Surface { thickness: 0.005, ..Surface::default() })?;
/// assert!(TriMesh::new(&points, &[[0, 1, 4]], Facing::Front).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriMesh {
    /// The vertices, m.
    points: Vec<[f32; 3]>,
    /// The corners of each triangle, as indices of vertices.
    triangles: Vec<[u32; 3]>,
    facing: Facing,
    /// The bounding volume hierarchy of the triangles.
    tree: Bvh,
    /// The largest absolute value of a coordinate, m.
    extent: f64,
}

/// Largest number of collisions of a particle with a mesh in a pass; after these the particle gets a safe
/// position.
const COLLISIONS_MAX: usize = 8;

/// The least distance to which contacts move a particle from a mesh, as a fraction of the largest
/// coordinate of both: eight times the machine epsilon of `f32`. Because of rounding, half of it is
/// accepted.
const SKIN: f64 = 1.0 / (1 << 20) as f64;

/// A box that contains all points within `contact_distance`, m, of the segment between two points,
/// rounded outwards.
#[inline]
fn box_around(a: Point, b: Point, contact_distance: f64) -> Aabb {
    let bound = |round: fn(f64, f64) -> f64, outwards: f64, next: fn(f32) -> f32| {
        let bound: [f64; 3] = core::array::from_fn(|axis| round(a[axis], b[axis]) + outwards);
        Vector::from(bound.map(|x| next(x as f32)))
    };
    Aabb::new(
        bound(f64::min, -contact_distance, f32::next_down),
        bound(f64::max, contact_distance, f32::next_up),
    )
}

/// Whether two boxes overlap; false if a bound is NaN.
#[inline]
fn overlap(one: &Aabb, other: &Aabb) -> bool {
    one.mins.cmple(other.maxs).all() && one.maxs.cmpge(other.mins).all()
}

/// The nearest point of a mesh.
struct NearestPoint {
    triangle: usize,
    /// Its position, m.
    point: Point,
    /// Its distance from the particle, m.
    distance: f64,
}

impl TriMesh {
    /// A mesh of `points`, m, and triangles by the indices of their corners.
    ///
    /// # Errors
    /// A coordinate that is not finite, or beyond 1e12 m; a corner that is not the index of a
    /// point; no triangle at all.
    pub fn new(
        points: &[[f32; 3]],
        triangles: &[[u32; 3]],
        facing: Facing,
    ) -> Result<Self, ModelError> {
        for point in points {
            check_point("positions", "a coordinate of a mesh, m,", point.map(f64::from))?;
        }
        let (count, must) = (triangles.len() as f64, "at least 1");
        ModelError::check("triangles", "the number of triangles of a mesh", count, 1.0.., must)?;
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                let vertices = points.len();
                if corner as usize >= vertices {
                    return Err(ModelError::NoSuchVertex { triangle, corner, vertices });
                }
            }
        }
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| points[corner as usize]);
        let boxes =
            triangles.iter().map(|triangle| Aabb::from_points(corners(triangle).map(Vector::from)));
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.enumerate());
        // Points of no triangle do not count.
        let used = triangles.iter().flat_map(corners).flatten();
        let extent = used.fold(0.0_f64, |extent, x| extent.max(f64::from(x).abs()));
        let (points, triangles) = (points.to_vec(), triangles.to_vec());
        Ok(Self { points, triangles, facing, tree, extent })
    }

    fn triangle(&self, triangle: usize) -> Triangle {
        Triangle(self.triangles[triangle].map(|corner| self.points[corner as usize].map(f64::from)))
    }

    /// Calls `visit` with each triangle whose box overlaps `other`.
    fn for_each_near_box(&self, other: &Aabb, mut visit: impl FnMut(usize)) {
        for triangle in self.tree.leaves(|node| overlap(other, &node.aabb())) {
            visit(triangle as usize);
        }
    }

    /// The first triangle that a segment crosses (of several at the same point, the one with the
    /// lowest index), and the fraction of the segment up to it.
    fn first_crossing(&self, from: Point, to: Point) -> Option<(usize, f64)> {
        let mut first: Option<(usize, f64)> = None;
        self.for_each_near_box(&box_around(from, to, 0.0), |triangle| {
            if let Some(fraction) = self.triangle(triangle).crossing(self.facing, from, to)
                && first.is_none_or(|(other, smallest)| (fraction, triangle) < (smallest, other))
            {
                first = Some((triangle, fraction));
            }
        });
        first
    }

    /// The point of the mesh nearest to a particle at `p`, if closer than `contact_distance`, m. With
    /// [`Facing::Front`], triangles that the particle is behind do not count.
    fn nearest(&self, p: Point, contact_distance: f64) -> Option<NearestPoint> {
        let mut nearest: Option<NearestPoint> = None;
        self.for_each_near_box(&box_around(p, p, contact_distance), |triangle| {
            let point = self.triangle(triangle).nearest(p);
            let distance = length(difference(p, point));
            let nearer =
                |other: &NearestPoint| (distance, triangle) < (other.distance, other.triangle);
            if distance < contact_distance
                && nearest.as_ref().is_none_or(nearer)
                && (self.facing == Facing::Both || self.triangle(triangle).orientation(p) >= 0.0)
            {
                nearest = Some(NearestPoint { triangle, point, distance });
            }
        });
        nearest
    }

    /// The unit normal of a triangle: in front of it or, with [`Facing::Both`], on the side of the point
    /// `from`. For a triangle with all corners on a line, which has no normal: the direction from its
    /// nearest point to `from`, or up if these are the same point.
    fn normal_towards(&self, triangle: usize, from: Point) -> Point {
        let triangle = self.triangle(triangle);
        let normal = triangle.normal();
        let length = length(normal);
        if length == 0.0 {
            let away = unit(difference(from, triangle.nearest(from)));
            return away.unwrap_or([0.0, 1.0, 0.0]);
        }
        let signed_length = if self.facing == Facing::Both && triangle.orientation(from) < 0.0 {
            -length
        } else {
            length
        };
        normal.map(|n| n / signed_length)
    }

    /// The contact with the first triangle that a particle crosses on the segment from `from` to `to`;
    /// the particle keeps `contact_distance`, m, from the plane of the triangle.
    fn crossing_contact(
        &self,
        from: Point,
        to: Point,
        contact_distance: f64,
    ) -> Option<SurfaceContact<f64, 3>> {
        let (triangle, _) = self.first_crossing(from, to)?;
        let normal = self.normal_towards(triangle, from);
        let Triangle([corner, ..]) = self.triangle(triangle);
        let depth = contact_distance - dot(normal, difference(to, corner));
        Some(SurfaceContact { normal, depth, clearance: f64::INFINITY })
    }

    /// The contact of a point that is closer to the mesh than `contact_distance`, m. None if it is not,
    /// or if it is exactly on the mesh, where the contact has no normal.
    fn near_contact(&self, p: Point, contact_distance: f64) -> Option<SurfaceContact<f64, 3>> {
        let nearest = self.nearest(p, contact_distance).filter(|nearest| nearest.distance > 0.0)?;
        let NearestPoint { point, distance, .. } = nearest;
        let normal = difference(p, point).map(|x| x / distance);
        Some(SurfaceContact {
            normal,
            depth: contact_distance - distance,
            clearance: f64::INFINITY,
        })
    }

    /// Resolves the collisions of a particle that started at `from`; `None` if there are none. All
    /// points are in the coordinates of the mesh. `skin` is the least distance to which contacts
    /// move the particle, m; `rounded` rounds a point as a particle stores it.
    fn resolve(
        &self,
        from: Point,
        state: VerletState<f64, 3>,
        [contact_distance, skin]: [f64; 2],
        law: &ContactLaw<f64>,
        rounded: impl Fn(Point) -> Point,
    ) -> Option<VerletState<f64, 3>> {
        let mut now = state;
        // The last state that crossed no triangle and was not too close to one. Half the skin is
        // the tolerance for rounding.
        let mut safe = None;
        for collisions in 0..COLLISIONS_MAX {
            let contact =
                if let Some(contact) = self.crossing_contact(from, now.x, contact_distance) {
                    contact
                } else if let Some(nearest) = self.nearest(now.x, contact_distance - 0.5 * skin) {
                    if nearest.distance >= 0.5 * skin {
                        safe = Some(now);
                    }
                    let normal = if nearest.distance > 0.0 {
                        difference(now.x, nearest.point).map(|x| x / nearest.distance)
                    } else {
                        self.normal_towards(nearest.triangle, from)
                    };
                    SurfaceContact {
                        normal,
                        depth: contact_distance - nearest.distance,
                        clearance: f64::INFINITY,
                    }
                } else {
                    return (collisions > 0).then_some(now);
                };
            now = law.resolve(now, [0.0; 3], contact);
            now.x = rounded(now.x);
        }
        // The gap is too narrow for the particle. It gets the last safe state. Without one, it stops in
        // front of the first triangle that it crossed or, if it would cross another one on the way there,
        // at its start.
        let stopped = |x| VerletState { x, previous: x };
        safe.or_else(|| {
            let (triangle, fraction) = self.first_crossing(from, state.x)?;
            let hit = add_scaled(from, fraction, difference(state.x, from));
            let in_front =
                rounded(add_scaled(hit, contact_distance, self.normal_towards(triangle, from)));
            self.first_crossing(from, in_front).is_none().then_some(stopped(in_front))
        })
        .or_else(|| Some(stopped(rounded(from))))
    }
}

impl Solid<TriMesh> {
    /// A mesh as a static obstacle with the default surface.
    pub fn mesh(mesh: TriMesh) -> Self {
        Self::of(mesh)
    }

    /// The distance that a particle keeps from the mesh, m: the thickness plus its radius.
    #[inline]
    fn contact_distance(&self, model: &Model, particle: usize) -> f64 {
        let radius = model.radii.get(particle).copied().unwrap_or_default();
        f64::from(self.surface.thickness) + f64::from(radius)
    }

    /// A function that returns the signed distance of a probe from the mesh: from the first
    /// triangle that it crossed since the substep began (starting at its inner point), or else from
    /// the nearest triangle within its contact distance. Infinite if there is no such triangle.
    fn nearest(
        &self,
        starts: &[[f32; 3]],
        [before, after]: [Pose; 2],
    ) -> impl Fn(&Particles<3>, &Probe) -> Nearest<3> {
        move |particles, probe| {
            let to = after.point_to_local(probe.point.position(particles).map(f64::from));
            let start = probe.start(particles, starts);
            let from = before.point_to_local(start.map(f64::from));
            let contact_distance = f64::from(probe.contact_distance);
            let contact = self.shape.crossing_contact(from, to, contact_distance);
            let contact = contact.or_else(|| self.shape.near_contact(to, contact_distance));
            let out_of_reach = Nearest { distance: f32::INFINITY, normal: [0.0; 3] };
            contact.map_or(out_of_reach, |contact| Nearest {
                distance: (contact_distance - contact.depth) as f32,
                normal: after.direction(contact.normal).map(|x| x as f32),
            })
        }
    }

    /// The least distance to which contacts move a particle at `x` from the mesh, m: a fraction [`SKIN`]
    /// of the largest coordinate of the particle and the mesh.
    #[inline]
    fn skin(&self, x: Point, pose: &Pose) -> f64 {
        let origin = pose.point([0.0; 3]);
        let largest =
            |point: Point| point.into_iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        SKIN * largest(x).max(largest(origin) + self.shape.extent)
    }
}

impl Obstacle for Solid<TriMesh> {
    fn may_push(&self, corners: &[[f32; 3]; 2], step: &StepTime) -> bool {
        self.moves() && self.travel(corners, step) != 0.0
    }

    fn begin(&self, matter: &mut Matter<'_>) {
        let (Model { particles, .. }, scratch) = matter.model_and_scratch();
        scratch.record_starts(particles);
    }

    fn resolve(&self, matter: &mut Matter<'_>, now: &StepTime) {
        let (model, scratch) = matter.model_and_scratch();
        let ContactScratch { starts, bodies: body_scratch, limbs: limb_scratch, .. } = scratch;
        let [before, after] = self.poses(now);
        let law = ContactLaw::new(&self.surface, now);
        let to_world = |p| after.point(p).map(|x| x as f32);
        let rounded = |p| after.point_to_local(to_world(p).map(f64::from));
        let mesh_box = self.shape.tree.root_aabb();
        for particle in 0..model.particles.len() {
            // Particles of bodies do not collide: the vertices of the bodies do instead.
            let of_body = model.radii.get(particle) == Some(&f32::NEG_INFINITY);
            if of_body || model.particles.inverse_masses()[particle] == 0.0 {
                continue;
            }
            let x = model.particles.position(particle).map(f64::from);
            let previous = model.particles.previous_position(particle).map(f64::from);
            let start = starts.get(particle).map_or(previous, |start| start.map(f64::from));
            let from = before.point_to_local(start);
            let state = VerletState {
                x: after.point_to_local(x),
                previous: before.point_to_local(previous),
            };
            let skin = self.skin(x, &after);
            let contact_distance = self.contact_distance(model, particle).max(skin);
            let segment_box = box_around(from, state.x, contact_distance);
            if !overlap(&segment_box, &mesh_box) {
                continue;
            }
            if let Some(resolved) =
                self.shape.resolve(from, state, [contact_distance, skin], &law, rounded)
            {
                let (x, previous) = (to_world(resolved.x), before.point(resolved.previous));
                for axis in 0..3 {
                    model.particles.positions_mut(axis)[particle] = x[axis];
                    model.particles.previous_mut(axis)[particle] = previous[axis] as f32;
                }
            }
        }
        let Model { particles, bodies, limbs, .. } = model;
        let nearest = self.nearest(starts, [before, after]);
        let displacement = Displacement::between(&before, &after);
        let displacement = |x| displacement.at(x);
        bodies.resolve(particles, &nearest, displacement, &self.surface, body_scratch);
        let may_reach_box = |_, _| true; // `nearest` tests boxes, too
        let surface = &self.surface;
        limbs.resolve(particles, may_reach_box, &nearest, displacement, surface, limb_scratch);
    }

    /// The penetration of a particle is by how much it is closer to the mesh than the thickness plus its
    /// radius. (With [`Facing::Front`], triangles that the particle is behind do not count.
    /// With [`Facing::Both`] its side does not matter.)
    fn depth(&self, model: &Model, now: &StepTime) -> f32 {
        let pose = self.pose(now.time);
        let mut deepest = 0.0_f64;
        for (particle, &inverse_mass) in model.particles.inverse_masses().iter().enumerate() {
            let contact_distance = self.contact_distance(model, particle);
            let p = pose.point_to_local(model.particles.position(particle).map(f64::from));
            let free = inverse_mass > 0.0;
            if let Some(nearest) = free.then(|| self.shape.nearest(p, contact_distance)).flatten() {
                deepest = deepest.max(contact_distance - nearest.distance);
            }
        }
        let Model { particles, bodies, limbs, .. } = model;
        let (nearest, thickness) = (self.nearest(&[], [pose; 2]), self.surface.thickness);
        let of_bodies = bodies.depth(particles, &nearest, thickness);
        of_bodies.max(limbs.depth(particles, &nearest, thickness)).max(deepest as f32)
    }

    fn figure(&self, time: f64) -> Option<ObstacleFigure<'_>> {
        let TriMesh { points, triangles, .. } = &self.shape;
        let shape = FigureShape::Mesh { points, triangles };
        Some(self.pose(time).figure(shape, [0.0; 3], coordinate_axes()))
    }
}
