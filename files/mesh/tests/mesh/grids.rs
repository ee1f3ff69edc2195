//! Regular grids are recognized and numbered row by row; other meshes are left unchanged.

use std::fmt::Write as _;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use taut_mesh::{LoadOptions, Loaded, read_obj};

/// Columns and rows of a grid, and whether its cells are split from the upper left to the lower
/// right.
#[derive(Clone, Copy, Debug)]
struct Shape {
    width: u32,
    height: u32,
    from_left: bool,
}

impl Shape {
    fn triangles(self) -> Vec<[u32; 3]> {
        let Self { width, height, from_left } = self;
        let cells = (0..height - 1).flat_map(|j| (0..width - 1).map(move |i| j * width + i));
        cells
            .flat_map(|a| {
                let [b, c, d] = [a + 1, a + width, a + width + 1];
                if from_left { [[a, c, d], [a, d, b]] } else { [[a, c, b], [b, c, d]] }
            })
            .collect()
    }

    /// The points, with row 0 at the top.
    fn points(self) -> Vec<[f32; 3]> {
        let Self { width, height, .. } = self;
        let count = width * height;
        (0..count).map(|i| [(i % width) as f32, -((i / width) as f32), 0.5]).collect()
    }
}

fn load(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Loaded {
    load_with(points, triangles, &LoadOptions::default())
}

fn load_with(points: &[[f32; 3]], triangles: &[[u32; 3]], options: &LoadOptions) -> Loaded {
    let mut obj = String::new();
    for [x, y, z] in points {
        writeln!(obj, "v {x} {y} {z}").unwrap();
    }
    for [a, b, c] in triangles.iter().map(|triangle| triangle.map(|corner| corner + 1)) {
        writeln!(obj, "f {a} {b} {c}").unwrap();
    }
    read_obj(obj.as_bytes(), options).unwrap()
}

/// The grid as an exporter may write it: vertices and triangles are shuffled, triangles start at a
/// random corner, and one column is a seam: its vertices occur twice, once for each side.
fn exported(shape: Shape, seed: u64) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut points, mut triangles) = (shape.points(), shape.triangles());
    let seam = shape.width / 2;
    let first_copy = points.len() as u32;
    for row in 0..shape.height {
        points.push(points[(row * shape.width + seam) as usize]);
    }
    for triangle in &mut triangles {
        if triangle.iter().any(|corner| corner % shape.width > seam) {
            for corner in triangle {
                if *corner % shape.width == seam {
                    *corner = first_copy + *corner / shape.width;
                }
            }
        }
    }
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.shuffle(&mut random);
    let mut new_index = vec![0; order.len()];
    for (new, &old) in (0..).zip(&order) {
        new_index[old as usize] = new;
    }
    triangles.shuffle(&mut random);
    for triangle in &mut triangles {
        *triangle = triangle.map(|corner| new_index[corner as usize]);
        triangle.rotate_left(random.random_range(0..3));
    }
    (order.iter().map(|&old| points[old as usize]).collect(), triangles)
}

#[test]
fn grids_are_numbered_row_by_row_for_any_order_in_the_file() {
    let sizes = [[16, 4], [4, 16], [16, 16], [17, 40], [64, 64], [64, 70], [100, 5]];
    for (seed, [width, height]) in (0..).zip(sizes) {
        for from_left in [true, false] {
            let shape = Shape { width, height, from_left };
            let (points, triangles) = exported(shape, seed);
            let loaded = load(&points, &triangles);
            // Rows are along the longer side, or, if both sides are long, start at the top.
            let sides = [width.max(height) as usize, width.min(height) as usize];
            let expected =
                if sides[1] >= 64 { [width, height].map(|it| it as usize) } else { sides };
            assert_eq!(loaded.report.grid, Some(expected), "{shape:?}");
            assert_eq!(loaded.report.welded, height as usize);
            let size = format!("; a regular grid of {} x {} vertices", expected[0], expected[1]);
            assert!(loaded.report.to_string().contains(&size), "{}", loaded.report);

            let at = |row: usize, column: usize| loaded.mesh.positions[row * expected[0] + column];
            let are_neighbours = |one: [f32; 3], other: [f32; 3]| {
                (one[0] - other[0]).abs() + (one[1] - other[1]).abs() == 1.0
            };
            for row in 0..expected[1] {
                assert!((1..expected[0]).all(|it| are_neighbours(at(row, it - 1), at(row, it))));
                assert!(row == 0 || are_neighbours(at(row - 1, 0), at(row, 0)));
            }
            assert!(at(0, 0)[1] >= at(expected[1] - 1, 0)[1], "the first row is not the highest");
            // The vertex map has the triangles of the file, in their order.
            assert_eq!(loaded.vertex_map.triangles, triangles);
            let file_corners = triangles.as_flattened().iter();
            let mesh_corners = loaded.mesh.triangles.as_flattened().iter();
            for (&in_file, &in_mesh) in file_corners.zip(mesh_corners) {
                assert_eq!(loaded.vertex_map.vertices[in_file as usize], Some(in_mesh));
                assert_eq!(loaded.mesh.positions[in_mesh as usize], points[in_file as usize]);
            }
        }
    }
}

#[test]
fn grids_that_are_numbered_row_by_row_keep_their_numbers() {
    for [width, height] in [[16, 4], [16, 40], [70, 80], [80, 70]] {
        let shape = Shape { width, height, from_left: true };
        // Upside down; the given rows are kept nevertheless.
        let points: Vec<_> = shape.points().into_iter().map(|[x, y, z]| [x, -y, z]).collect();
        let loaded = load(&points, &shape.triangles());
        assert_eq!(loaded.report.grid, Some([width, height].map(|it| it as usize)));
        assert_eq!((loaded.mesh.positions, loaded.mesh.triangles), (points, shape.triangles()));
    }
}

/// The kernel for sheets needs rows of at least 16 vertices.
#[test]
fn grids_with_short_rows_get_long_ones() {
    let shape = Shape { width: 15, height: 40, from_left: true };
    let loaded = load(&shape.points(), &shape.triangles());
    assert_eq!(loaded.report.grid, Some([40, 15]));
}

#[test]
fn meshes_that_are_almost_grids_are_left_unchanged() {
    let shape = Shape { width: 20, height: 18, from_left: true };
    let (points, triangles) = (shape.points(), shape.triangles());
    let changed = |at: usize, change: &dyn Fn(&mut Vec<[u32; 3]>, usize)| {
        let mut changed = triangles.clone();
        change(&mut changed, at);
        load(&points, &changed)
    };
    assert!(load(&points, &triangles).report.grid.is_some());
    for at in (0..triangles.len() - 1).step_by(2) {
        let flipped = changed(at, &|all, at| {
            let [[a, c, d], [_, _, b]] = [all[at], all[at + 1]];
            (all[at], all[at + 1]) = ([a, c, b], [b, c, d]);
        });
        let hole = changed(at, &|all, at| {
            all.remove(at);
        });
        let duplicate = changed(at, &|all, at| all[at + 1] = all[at]);
        let displaced = changed(at, &|all, at| all[at][0] = (all[at][0] + 7) % (20 * 18));
        for loaded in [flipped, hole, duplicate, displaced] {
            assert_eq!(loaded.report.grid, None, "cell {}", at / 2);
        }
    }
    // A tube, a Möbius strip, alternating diagonals, small grids.
    let joined = |twist: bool| -> Vec<[u32; 3]> {
        // Replaces the last column by the first one, upside down if twisted.
        let close = |corner: u32| match [corner % 20, corner / 20] {
            [19, row] if twist => (17 - row) * 20,
            [19, row] => row * 20,
            [column, row] => row * 20 + column,
        };
        triangles.iter().map(|triangle| triangle.map(close)).collect()
    };
    let alternating: Vec<_> = triangles
        .chunks(2)
        .enumerate()
        .flat_map(|(cell, two)| {
            let [[a, c, d], [_, _, b]] = [two[0], two[1]];
            if cell % 2 == 0 { [[a, c, d], [a, d, b]] } else { [[a, c, b], [b, c, d]] }
        })
        .collect();
    for triangles in [joined(false), joined(true), alternating] {
        assert_eq!(load(&points, &triangles).report.grid, None);
    }
    for [width, height] in [[15, 15], [30, 3], [2, 2], [2, 100]] {
        let shape = Shape { width, height, from_left: false };
        assert_eq!(load(&shape.points(), &shape.triangles()).report.grid, None, "{shape:?}");
    }
}

#[test]
fn grids_keep_their_numbers_without_the_option_to_number_them() {
    let (points, triangles) = exported(Shape { width: 20, height: 18, from_left: true }, 1);
    assert!(load(&points, &triangles).report.grid.is_some());
    let options = LoadOptions { number_grids: false, ..LoadOptions::default() };
    let loaded = load_with(&points, &triangles, &options);
    assert_eq!(loaded.report.grid, None);
    // Welding keeps the first vertex at each position, in the order of the file.
    let mut first_points: Vec<[f32; 3]> = Vec::new();
    for point in points {
        if !first_points.contains(&point) {
            first_points.push(point);
        }
    }
    assert_eq!(loaded.mesh.positions, first_points);
}
