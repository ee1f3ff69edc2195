//! Stacks of rigid bodies.

use std::sync::Arc;

use taut_world::{BodyContacts, Model, Surface};

use crate::body_contacts::pairs::poses;
use crate::body_contacts::{floor, length, scene, twists, world};

#[test]
fn a_stack_of_two_boxes_comes_to_rest_and_stays() {
    check_stack(&Model::rigid_box([0.5; 3], 300.0).unwrap());
}

/// Their ends are polygons with 16 corners.
#[test]
fn a_stack_of_two_drums_comes_to_rest_and_stays() {
    check_stack(&drum(16));
}

/// A prism of height 0.5 m whose ends are regular polygons with a diameter of 0.6 m.
fn drum(sides: u32) -> Model {
    let corner = |side: u32, y: f32| {
        let (sine, cosine) = (core::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
        [0.3 * cosine, y, 0.3 * sine]
    };
    let vertices: Vec<[f32; 3]> =
        [-0.25, 0.25].into_iter().flat_map(|y| (0..sides).map(move |it| corner(it, y))).collect();
    let mut triangles = Vec::new();
    for side in 0..sides {
        let [a, b] = [side, (side + 1) % sides];
        let [c, d] = [a + sides, b + sides];
        triangles.extend([[a, c, b], [b, c, d]]);
        if side > 1 {
            triangles.extend([[0, side - 1, side], [sides, sides + side, sides + side - 1]]);
        }
    }
    Model::rigid_mesh(&vertices, &triangles, 300.0).unwrap()
}

/// Checks that two bodies of height 0.5 m come to rest on each other.
fn check_stack(body: &Model) {
    let mut scene = scene();
    scene.obstacles.push(floor([0.0, 1.0, 0.0], Surface::default()));
    scene.obstacles.push(Arc::new(BodyContacts::default()));
    scene.add("lower", body.clone().moved([0.0, 0.3, 0.0])).unwrap();
    scene.add("upper", body.clone().moved([0.05, 0.9, 0.02])).unwrap();
    let mut world = world(&scene);
    let mut after_a_second = Vec::new();
    for step in 0..3600 {
        assert!(world.step().unwrap().finite);
        if step == 60 {
            after_a_second = poses(&world);
        }
    }
    for ((pose, before), height) in poses(&world).iter().zip(&after_a_second).zip([0.25, 0.75]) {
        assert!((pose.centre[1] - height).abs() < 2e-3, "{pose:?}");
        for axis in 0..3 {
            assert!((pose.centre[axis] - before.centre[axis]).abs() < 1e-2, "{pose:?} {before:?}");
        }
    }
    for twist in twists(&world) {
        assert!(length(twist.velocity) < 1e-3 && length(twist.spin) < 5e-3, "{twist:?}");
    }
}
