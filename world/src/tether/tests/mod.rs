//! Tests of distances along surfaces, and helpers for them.
#![allow(clippy::float_cmp, reason = "0 and infinity are exact")]

mod meshes;
mod models;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::RestShape;
use super::geodesic::NearestSource;
use crate::vector::{difference, length};

type Point = [f64; 3];
/// The points, and the triangles as indices of points.
type Mesh = (Vec<Point>, Vec<[u32; 3]>);

fn distance(a: Point, b: Point) -> f64 {
    length(difference(b, a))
}

/// A rectangular grid, numbered row by row. If `cut` is true for a column and a row, their cell is
/// split along its diagonal, otherwise along its antidiagonal.
fn sheet(
    width: usize,
    height: usize,
    spacing: [f64; 2],
    cut: impl Fn(usize, usize) -> bool,
) -> Mesh {
    let points = (0..height)
        .flat_map(|j| (0..width).map(move |i| [spacing[0] * i as f64, spacing[1] * j as f64, 0.0]))
        .collect();
    let mut triangles = Vec::new();
    for j in 0..height - 1 {
        for i in 0..width - 1 {
            let [a, b] = [j * width + i, j * width + i + 1].map(|it| it as u32);
            let [c, d] = [a, b].map(|it| it + width as u32);
            let halves = if cut(i, j) { [[a, c, d], [a, d, b]] } else { [[a, c, b], [b, c, d]] };
            triangles.extend(halves);
        }
    }
    (points, triangles)
}

fn rest_shape((points, triangles): &Mesh) -> RestShape {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges =
        sides.map(|[a, b]| ([a, b], distance(points[a as usize], points[b as usize]) as f32));
    RestShape::new(points.len(), edges, triangles.iter().copied())
}

/// Asserts that the relative error of each distance is between `-below` and `above`. `expected` has
/// the distance of each particle, m.
#[track_caller]
fn check(found: &[NearestSource], below: f64, above: f64, expected: impl Fn(usize) -> f64) {
    for (particle, nearest) in found.iter().enumerate() {
        let (found, expected) = (f64::from(nearest.distance), expected(particle));
        if expected == 0.0 || expected.is_infinite() {
            assert_eq!(found, expected, "particle {particle}");
        } else {
            let error = found / expected - 1.0;
            assert!(
                error > -below && error < above,
                "particle {particle}: {found} m, expected {expected} m"
            );
        }
    }
}

/// Relative error by which lengths rounded to `f32` may shorten a distance.
const MAX_SHORTFALL: f64 = 1e-6;
/// Relative error by which a distance that is exact except for rounding may be too long.
const MAX_EXCESS: f64 = 5e-6;

/// Distances by Dijkstra's algorithm over the particles and `count` points on each edge, where all points
/// of a triangle are connected to each other. The results are upper bounds of the distances along the
/// surface.
fn distances_over_points((points, triangles): &Mesh, count: usize, sources: &[u32]) -> Vec<f64> {
    let mut nodes = points.clone();
    // The first node on each edge.
    let mut first_on_edge = BTreeMap::new();
    // The triangles at each node, and the nodes of each triangle.
    let mut triangles_at = vec![Vec::new(); points.len()];
    let mut nodes_of = Vec::new();
    for triangle in triangles {
        let mut on_triangle = triangle.to_vec();
        for k in 0..3 {
            let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
            let [low, high] = [a.min(b), a.max(b)];
            let first = *first_on_edge.entry([low, high]).or_insert_with(|| {
                let [from, to] = [low, high].map(|end| points[end as usize]);
                for nth in 1..=count {
                    let fraction = nth as f64 / (count + 1) as f64;
                    let point: Point =
                        core::array::from_fn(|x| from[x] + fraction * (to[x] - from[x]));
                    nodes.push(point);
                    triangles_at.push(Vec::new());
                }
                (nodes.len() - count) as u32
            });
            on_triangle.extend(first..first + count as u32);
        }
        for &node in &on_triangle {
            triangles_at[node as usize].push(nodes_of.len());
        }
        nodes_of.push(on_triangle);
    }
    let mut distances = vec![f64::INFINITY; nodes.len()];
    let mut queue = BinaryHeap::new();
    for &source in sources {
        distances[source as usize] = 0.0;
        queue.push(Reverse((0, source)));
    }
    while let Some(Reverse((key, node))) = queue.pop() {
        let here = distances[node as usize];
        if here.to_bits() != key {
            continue;
        }
        for &triangle in &triangles_at[node as usize] {
            for &next in &nodes_of[triangle] {
                let new = here + distance(nodes[node as usize], nodes[next as usize]);
                if new < distances[next as usize] {
                    distances[next as usize] = new;
                    queue.push(Reverse((new.to_bits(), next)));
                }
            }
        }
    }
    distances.truncate(points.len());
    distances
}

/// Random numbers, reproducible by seed.
struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from 0 to 1.
    fn fraction(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    /// A number below `count`.
    fn below(&mut self, count: usize) -> u32 {
        self.0.next_u32() % count as u32
    }
}
