//! Sticks from triangle meshes.

use std::collections::{BTreeMap, BTreeSet};

use taut_core::{Bending, Particles, Sticks, TriangleError};

use crate::meshes::{Random, particles_at};

/// A sheet of `width` by `height` corners. Each cell is split along a random diagonal; the
/// triangles are shuffled, and their corners rotated or exchanged.
fn split_sheet(width: u32, height: u32) -> (Particles<2>, Vec<[u32; 3]>) {
    let mut random = Random::new(u64::from(width * 100 + height));
    let corners = (0..width * height).map(|i| [(i % width) as f32, (i / width) as f32]);
    let mut triangles = Vec::new();
    for i in (0..(height - 1) * width).filter(|i| i % width + 1 < width) {
        let [a, b, c, d] = [i, i + 1, i + width + 1, i + width];
        let split = if random.one_in(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        triangles.extend(split);
    }
    random.shuffle(&mut triangles);
    for triangle in &mut triangles {
        triangle.rotate_left(random.below(3));
        if random.one_in(2) {
            triangle.swap(0, 1);
        }
    }
    (particles_at(&corners.collect::<Vec<_>>()), triangles)
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[test]
fn each_edge_is_one_stick_in_order_of_appearance() {
    for (width, height) in [(2, 2), (5, 3), (9, 12)] {
        let (particles, triangles) = split_sheet(width, height);
        let sticks = Sticks::from_triangles(&particles, &triangles, Bending::Free).unwrap();
        let mut seen = BTreeSet::new();
        let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let expected: Vec<[u32; 2]> = edges.filter(|&edge| seen.insert(sorted(edge))).collect();
        assert_eq!(sticks.ends(), expected);
        // Euler: a disc of V corners and F triangles has V + F - 1 edges.
        assert_eq!(sticks.len(), particles.len() + triangles.len() - 1);
        for (stick, &[a, b]) in sticks.ends().iter().enumerate() {
            let diagonal = (a % width != b % width) && (a / width != b / width);
            assert_eq!(sticks.rest(stick), if diagonal { 2.0_f32.sqrt() } else { 1.0 });
            assert!(sticks.is_plain(stick));
        }
    }
}

#[test]
fn bending_sticks_join_the_opposite_corners_of_adjacent_triangles_unless_an_edge_does() {
    // Three triangles around particle 0: the opposite corners of any two are joined by an edge.
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, -1.0], [-1.0, -1.0_f32]];
    let fan = (particles_at(&corners), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]);
    let sheets = [(2, 2), (5, 3), (9, 12)].map(|(width, height)| split_sheet(width, height));
    for (particles, triangles) in sheets.into_iter().chain([fan]) {
        let edges = Sticks::from_triangles(&particles, &triangles, Bending::Free).unwrap();
        let sticks = Sticks::from_triangles(&particles, &triangles, Bending::Sticks).unwrap();
        assert_eq!(sticks.ends()[..edges.len()], *edges.ends());

        let mut opposite_of_edge = BTreeMap::<_, Vec<u32>>::new();
        for &[a, b, c] in &triangles {
            for (edge, opposite) in [([a, b], c), ([b, c], a), ([c, a], b)] {
                opposite_of_edge.entry(sorted(edge)).or_default().push(opposite);
            }
        }
        let mut expected = BTreeSet::new();
        for opposite in opposite_of_edge.values() {
            if let &[one, other] = &opposite[..] {
                expected.insert(sorted([one, other]));
            }
        }
        expected.retain(|pair| !opposite_of_edge.contains_key(pair));
        let bending = sticks.ends()[edges.len()..].iter().map(|&ends| sorted(ends));
        let bending: Vec<[u32; 2]> = bending.collect();
        assert_eq!(bending.len(), expected.len(), "a bending stick is missing or listed twice");
        assert_eq!(bending.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn each_triangle_of_an_edge_is_joined_to_the_next_one_listed() {
    // Three triangles that share the edge 0 - 1.
    let points =
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [-1.0, 0.5, 0.0_f32]];
    let triangles = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
    let sticks =
        Sticks::from_triangles(&particles_at(&points), &triangles, Bending::Sticks).unwrap();
    assert_eq!(sticks.len(), 7 + 2);
    assert_eq!(sticks.ends()[7..], [[2, 3], [3, 4]]);
    // A triangle listed twice is not joined to itself.
    let doubled = [[0, 1, 2], [2, 1, 0]];
    let sticks = Sticks::from_triangles(&particles_at(&points), &doubled, Bending::Sticks).unwrap();
    assert_eq!(sticks.ends(), [[0, 1], [1, 2], [2, 0]]);
    // In a tetrahedron, an edge joins the opposite corners of any two faces.
    let faces = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
    let sticks = Sticks::from_triangles(&particles_at(&points), &faces, Bending::Sticks).unwrap();
    assert_eq!(sticks.len(), 6);
}

#[test]
fn invalid_corners_are_reported_before_lengths() {
    let particles = particles_at(&[[0.0_f32, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    let rejected = |triangles: &[[u32; 3]]| {
        Sticks::from_triangles(&particles, triangles, Bending::Free).unwrap_err()
    };
    assert_eq!(
        rejected(&[[0, 1, 2], [0, 4, 1], [1, 1, 1]]),
        TriangleError::NoSuchCorner { triangle: 1, corner: 4, particles: 4 }
    );
    for degenerate in [[1, 1, 2], [2, 1, 1], [1, 2, 1]] {
        let error = TriangleError::Degenerate { triangle: 1, corner: 1 };
        assert_eq!(rejected(&[[0, 1, 2], degenerate]), error);
    }
    // Particles 1 and 3 are at the same position.
    let edge = TriangleError::Edge { triangle: 1, corners: [1, 3], length: 0.0 };
    for triangle in [[2, 1, 3], [1, 3, 2], [3, 2, 1]] {
        assert_eq!(rejected(&[[0, 1, 2], triangle]), edge);
    }
    assert_eq!(
        rejected(&[[2, 1, 3], [0, 4, 1]]),
        TriangleError::NoSuchCorner { triangle: 1, corner: 4, particles: 4 }
    );
    let message = edge.to_string();
    assert!(message.starts_with("the edge of triangle 1 between the corners 1 and 3"), "{message}");
    let folded = [[0, 1, 2], [0, 2, 3]];
    assert!(Sticks::from_triangles(&particles, &folded, Bending::Free).is_ok());
    assert_eq!(
        Sticks::from_triangles(&particles, &folded, Bending::Sticks).unwrap_err(),
        TriangleError::OppositeCorners { corners: [1, 3], length: 0.0 }
    );
}
