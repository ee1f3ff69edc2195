//! The meshes of spheres and capsules.

use taut_export::Mesh;

#[test]
fn spheres_and_capsules_have_no_triangle_without_area() {
    for mesh in [Mesh::sphere(0.5), Mesh::capsule(0.2, 1.0, 12)] {
        let has_area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|i| glam::Vec3::from(mesh.points[i as usize]));
            (b - a).cross(c - a).length() > 1e-6
        };
        assert!(mesh.triangles.iter().all(has_area));
    }
    // A ring of 48 triangles at each pole, and 2 x 48 in each of the 22 rings between them.
    assert_eq!(Mesh::sphere(0.5).triangles.len(), 48 * (2 + 2 * 22));
}
