//! Geodesic distances on flat and curved meshes, compared with closed forms and with paths over many
//! points on the edges.

use core::f64::consts::PI;

use proptest::prelude::*;
use taut_core::Family;

use super::{
    MAX_EXCESS, MAX_SHORTFALL, Point, Random, check, distance, distances_over_points, rest_shape,
    sheet,
};
use crate::model::{Cloth, Model};
use crate::tether::RestShape;
use crate::vector::{difference, to_f64};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The sheets are rectangular; pins, sticks, aspect ratio and whether there are faces vary.
    #[test]
    fn distances_on_a_flat_sheet_are_straight_lines(
        columns in 2_usize..30,
        rows in 2_usize..30,
        aspect in 0.2_f32..5.0,
        (diagonal, antidiagonal, bending, has_faces) in any::<(bool, bool, bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let mut families = Family::STRUCTURAL.to_vec();
        families.extend(diagonal.then_some(Family::Diagonal));
        families.extend(antidiagonal.then_some(Family::Antidiagonal));
        families.extend(bending.then_some([Family::Row2, Family::Diagonal2]).into_iter().flatten());
        let height = aspect * rows as f32;
        let width = columns as f32;
        let cloth = Cloth { columns, rows, width, height, families, ..Cloth::default() };
        let mut model = Model::<3>::cloth(&cloth).unwrap();
        let corner = model.particles.position(0);
        // The position of a particle of the cloth, shuffled or not, before rounding.
        let spacing = [columns, rows].map(|count| (count - 1) as f64);
        let spacing = [f64::from(cloth.width) / spacing[0], f64::from(cloth.height) / spacing[1]];
        let position = |model: &Model, particle: usize| {
            let [x, y, _] = to_f64(difference(model.particles.position(particle), corner));
            let [i, j] = [libm::round(x / spacing[0]), libm::round(y / spacing[1])];
            [spacing[0] * i, spacing[1] * j, 0.0]
        };
        let to_pins = |model: &Model, pins: &[u32], particle: usize| {
            let here = position(model, particle);
            let distances = pins.iter().map(|&pin| distance(here, position(model, pin as usize)));
            distances.fold(f64::INFINITY, f64::min)
        };
        let mut random = Random::new(seed);
        let pins: Vec<u32> = (0..=random.below(5)).map(|_| random.below(columns * rows)).collect();
        let shuffled = model.shuffled(seed);
        // In a shuffled cloth, which is no regular sheet, the sides of faces without sticks have the
        // lengths between rounded positions: hence the larger tolerances.
        let found = RestShape::of(&shuffled).distances_from(&pins);
        check(&found, 1e-5, 1e-4, |it| to_pins(&shuffled, &pins, it));

        if !has_faces {
            model.faces = Vec::new().into();
        }
        let top: Vec<u32> = (0..columns as u32).collect();
        let shape = RestShape::of(&model);
        for pins in [&pins[..], &top, &[0, columns as u32 - 1]] {
            let found = shape.distances_from(pins);
            check(&found, MAX_SHORTFALL, MAX_EXCESS, |it| to_pins(&model, pins, it));
            for (particle, nearest) in found.iter().enumerate() {
                let to_source = to_pins(&model, &[nearest.source], particle);
                let distance = f64::from(nearest.distance);
                prop_assert!((distance - to_source).abs() <= MAX_EXCESS * distance);
            }
        }
    }

    /// Distances from few and from many pins on a flat sheet of irregular triangles.
    #[test]
    fn an_irregular_triangulation_changes_no_distance(seed in any::<u64>(), size in 3_usize..40) {
        let mut random = Random::new(seed);
        let mut mesh = sheet(size, size, [0.05; 2], |i, j| (i * i + 3 * j) % 5 < 2);
        for (particle, point) in mesh.0.iter_mut().enumerate() {
            let [i, j] = [particle % size, particle / size];
            if i.min(j) > 0 && i.max(j) < size - 1 {
                point[0] += 0.0199 * (random.fraction() - 0.5);
                point[1] += 0.0199 * (random.fraction() - 0.5);
            }
        }
        let shape = rest_shape(&mesh);
        for density in [0.002, 0.02, 0.2] {
            let all = 0..(size * size) as u32;
            let mut pins: Vec<u32> = all.filter(|_| random.fraction() < density).collect();
            pins.push(random.below(size * size));
            check(&shape.distances_from(&pins), MAX_SHORTFALL, MAX_EXCESS, |particle| {
                let here = mesh.0[particle];
                let distances = pins.iter().map(|&pin| distance(here, mesh.0[pin as usize]));
                distances.fold(f64::INFINITY, f64::min)
            });
        }
    }

    /// The surfaces have curvature of both signs, holes, slits and separate pieces.
    #[test]
    fn distances_match_paths_over_many_points_on_the_edges(
        seed in any::<u64>(),
        roughness in 0.0_f64..0.15,
        holes in 0.0_f64..0.3,
    ) {
        let mut random = Random::new(seed);
        let mut mesh = sheet(13, 11, [0.05, 0.06], |i, j| (i * i + 3 * j) % 5 < 2);
        for point in &mut mesh.0 {
            point[2] = roughness * random.fraction();
        }
        mesh.1.retain(|_| random.fraction() >= holes);
        let pins: Vec<u32> = (0..3).map(|_| random.below(13 * 11)).collect();
        let found = rest_shape(&mesh).distances_from(&pins);
        // With few points per edge, paths over points that graze an edge are up to 1 % too long:
        // then more points are used.
        let mut least_error = 0.0_f64;
        for count in [20, 60, 180] {
            least_error = 0.0;
            let upper_bounds = distances_over_points(&mesh, count, &pins);
            for (nearest, upper_bound) in found.iter().zip(upper_bounds) {
                let found = f64::from(nearest.distance);
                prop_assert_eq!(found.is_finite(), upper_bound.is_finite());
                if upper_bound.is_finite() && upper_bound > 0.0 {
                    let error = found / upper_bound - 1.0;
                    prop_assert!(
                        error <= 1.001e-3,
                        "{} m, expected at most 0.1 % more than {} m",
                        found,
                        upper_bound
                    );
                    least_error = least_error.min(error);
                }
            }
            if least_error >= -0.002 {
                break;
            }
        }
        prop_assert!(
            least_error >= -0.002,
            "a distance is too short by the fraction {}",
            -least_error
        );
    }
}

#[test]
fn distances_on_a_cylinder_are_those_of_the_unrolled_rectangle() {
    // Number of particles of a row, which goes around the cylinder; number of rows; their distance, m.
    let (around, rows, rise) = (60, 80, 0.07);
    let points = (0..around * rows).map(|particle| {
        let angle = 2.0 * PI * (particle % around) as f64 / around as f64;
        [libm::cos(angle), libm::sin(angle), rise * (particle / around) as f64]
    });
    let triangles = (0..around * (rows - 1)).flat_map(|particle| {
        let [i, j] = [particle % around, particle / around];
        let [a, b] = [particle, j * around + (i + 1) % around].map(|corner| corner as u32);
        let [c, d] = [a, b].map(|corner| corner + around as u32);
        if (i + j) % 3 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] }
    });
    let shape = rest_shape(&(points.collect(), triangles.collect()));
    let width = 2.0 * libm::sin(PI / around as f64);
    let unrolled_distance = |from: usize, to: usize| {
        let columns = (to % around).abs_diff(from % around);
        let horizontal = width * columns.min(around - columns) as f64;
        libm::hypot(horizontal, rise * (to / around).abs_diff(from / around) as f64)
    };
    let source = 10 * around + 7;
    check(&shape.distances_from(&[source as u32]), MAX_SHORTFALL, MAX_EXCESS, |particle| {
        unrolled_distance(source, particle)
    });
    let rim: Vec<u32> = (0..around as u32).collect();
    check(&shape.distances_from(&rim), MAX_SHORTFALL, MAX_EXCESS, |particle| {
        rise * (particle / around) as f64
    });
}

#[test]
fn shortest_paths_go_around_a_slit() {
    // Cells of row 20 are missing from the left side to column 40.
    let (columns, rows, spacing) = (81, 61, 0.05);
    let mut mesh = sheet(columns, rows, [spacing; 2], |i, j| (i * 5 + j * 3) % 7 < 4);
    let mut triangle_cells = (0..).map(|triangle| triangle / 2);
    mesh.1.retain(|_| {
        let cell: usize = triangle_cells.next().unwrap();
        cell / (columns - 1) != 20 || cell % (columns - 1) >= 40
    });
    let source = mesh.0[5 * columns + 10];
    // The corners at the closed end of the slit, on the side of the source and on the other side.
    let [near, far] = [20.0, 21.0].map(|row| [40.0 * spacing, row * spacing, 0.0]);
    // Whether p is to the left of the line from a to b, with y up.
    let is_left_of = |a: Point, b: Point, p: Point| {
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 1e-9
    };
    check(
        &rest_shape(&mesh).distances_from(&[(5 * columns + 10) as u32]),
        MAX_SHORTFALL,
        MAX_EXCESS,
        |particle| {
            let here = mesh.0[particle];
            let is_beyond = here[1] > near[1] + 1e-9;
            if !is_beyond || !is_left_of(source, near, here) {
                distance(source, here)
            } else if here[0] >= near[0] - 1e-9 || !is_left_of(near, far, here) {
                distance(source, near) + distance(near, here)
            } else {
                distance(source, near) + spacing + distance(far, here)
            }
        },
    );
}

#[test]
fn joins_never_shorten_distances_and_lengthen_them_by_at_most_the_given_excess() {
    // Smooth surfaces of positive and negative curvature, and scattered pins. Where paths do not bend,
    // nearly all windows join. (Particle 0 is a corner of a surface, 1830 is in its middle.)
    let coordinate = |index: usize, count: usize| index as f64 / (count - 1) as f64 - 0.5;
    let mesh = |height: &dyn Fn(f64, f64) -> f64, size: usize| {
        let mut mesh = sheet(size, size, [1.0; 2], |i, j| (i * i + 3 * j) % 5 < 2);
        for (index, point) in mesh.0.iter_mut().enumerate() {
            let [x, y] = [coordinate(index % size, size), coordinate(index / size, size)];
            *point = [x, y, height(x, y)];
        }
        rest_shape(&mesh)
    };
    // A sphere. Every second ring of points is rotated by half the angle between two points.
    let (rings, around) = (60, 120);
    let index = |ring: usize, spoke: usize| (1 + (ring - 1) * around + spoke % around) as u32;
    let mut ball = (vec![[0.0, 0.0, 1.0]], Vec::new());
    for ring in 1..rings {
        let polar = PI * ring as f64 / rings as f64;
        for spoke in 0..around {
            let angle = 2.0 * PI * (spoke as f64 + 0.5 * (ring % 2) as f64) / around as f64;
            let [x, y] = [libm::cos(angle), libm::sin(angle)].map(|x| x * libm::sin(polar));
            ball.0.push([x, y, libm::cos(polar)]);
            let [here, right] = [index(ring, spoke), index(ring, spoke + 1)];
            if ring == 1 {
                ball.1.push([0, here, right]);
            }
            if ring + 1 == rings {
                ball.1.push([index(rings, 0), right, here]);
                continue;
            }
            let [below, next] = [index(ring + 1, spoke), index(ring + 1, spoke + 1)];
            let halves = [[here, below, next], [here, next, right]];
            let halves_if_even = [[here, below, right], [right, below, next]];
            ball.1.extend(if ring % 2 == 0 { halves_if_even } else { halves });
        }
    }
    ball.0.push([0.0, 0.0, -1.0]);
    let shapes = [
        ("saddle", mesh(&|x, y| 2.0 * x * y, 60), vec![0, 1830]),
        ("bowl", mesh(&|x, y| x * x + y * y, 60), vec![0, 1830]),
        ("waves", mesh(&|x, y| 0.05 * libm::sin(12.0 * x) * libm::cos(17.0 * y), 60), vec![61]),
        ("pins on a saddle", mesh(&|x, y| x * y, 40), (0..1600).step_by(37).collect()),
        ("gentle saddle", mesh(&|x, y| 0.5 * x * y, 60), vec![0, 1830]),
        ("ball", rest_shape(&ball), vec![2000, 2001, 2500, 4321]),
    ];
    for (name, shape, sources) in shapes {
        let exact = shape.distances_within(0.0, &sources);
        let mut greatest = 0.0;
        for excess in [1e-3, 1e-2] {
            let joined = shape.distances_within(excess, &sources);
            for (particle, (joined, exact)) in joined.iter().zip(&exact).enumerate() {
                let [joined, exact] = [joined, exact].map(|it| f64::from(it.distance));
                let error = if exact > 0.0 { joined / exact - 1.0 } else { joined };
                assert!(error > -2e-7, "{name}, particle {particle}: relative error {error:e}");
                assert!(
                    error < 1.001 * excess,
                    "{name}, particle {particle}: relative error {error:e}, expected at most {excess:e}"
                );
                greatest = if error > greatest { error } else { greatest };
            }
        }
        // Paths bend at each particle of a saddle, so few windows have one apex and can join.
        assert!(greatest > 1e-6 || name.contains("saddle"), "{name}: no windows were joined");
    }
}

#[test]
fn invalid_edges_and_triangles_are_ignored() {
    // Sides that cannot meet, a missing side, a corner twice, and a corner that is not a particle.
    let edges =
        [([0, 1], 1.0), ([1, 2], 1.0), ([2, 0], 3.0), ([2, 3], 1.0), ([3, 0], 1.0), ([3, 9], 1.0)];
    let triangles = [[0, 1, 2], [1, 2, 3], [0, 0, 1], [2, 3, 9]];
    let found = RestShape::new(4, edges, triangles).distances_from(&[0, 77]);
    assert_eq!(found.iter().map(|it| it.distance).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 1.0]);

    // A duplicate triangle, two triangles that meet at one particle, and three at one edge.
    let unit = |[a, b]: [u32; 2]| ([a, b], 1.0);
    let pairs = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2], [3, 5], [5, 4], [3, 6], [6, 4]];
    let shape =
        RestShape::new(7, pairs.map(unit), [[0, 1, 2], [1, 0, 2], [2, 3, 4], [4, 3, 5], [3, 4, 6]]);
    let found = shape.distances_from(&[5]);
    let height = libm::sqrt(3.0);
    check(&found, MAX_SHORTFALL, MAX_EXCESS, |it| {
        [height + 1.0, height + 1.0, height, 1.0, 1.0, 0.0, height][it]
    });
}
