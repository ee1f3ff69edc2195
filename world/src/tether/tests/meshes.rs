//! Flat and curved meshes, against closed forms and against paths over many points of the edges.

use core::f64::consts::PI;

use proptest::prelude::*;
use taut_core::Family;

use super::{Chance, EXACT, Point, ROUNDING, check, distance, over_points, sheet, surface};
use crate::model::{Cloth, Model};
use crate::tether::Surface;
use crate::vector::{difference, wide};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// From any pins of a rectangle of cloth, whatever its sticks, its aspect and its faces.
    #[test]
    fn a_flat_sheet_has_straight_distances(
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
        let cloth = Cloth { columns, rows, width: columns as f32, height, families, ..Cloth::default() };
        let mut model = Model::<3>::cloth(&cloth).unwrap();
        let corner = model.particles.position(0);
        // Where a particle of the cloth, or of the cloth shuffled, was before it was rounded.
        let spacing = [columns, rows].map(|count| (count - 1) as f64);
        let spacing = [f64::from(cloth.width) / spacing[0], f64::from(cloth.height) / spacing[1]];
        let place = |model: &Model, particle: usize| {
            let [x, y, _] = wide(difference(model.particles.position(particle), corner));
            [spacing[0] * libm::round(x / spacing[0]), spacing[1] * libm::round(y / spacing[1]), 0.0]
        };
        let to_pins = |model: &Model, pins: &[u32], particle: usize| {
            let here = place(model, particle);
            let distances = pins.iter().map(|&pin| distance(here, place(model, pin as usize)));
            distances.fold(f64::INFINITY, f64::min)
        };
        let mut chance = Chance::new(seed);
        let pins: Vec<u32> = (0..=chance.below(5)).map(|_| chance.below(columns * rows)).collect();
        let shuffled = model.shuffled(seed);
        // Diagonals without sticks are as long as between rounded places.
        check(&Surface::of(&shuffled).distances_from(&pins), 1e-5, 1e-4, |it| to_pins(&shuffled, &pins, it));

        if !has_faces {
            model.faces = Vec::new().into();
        }
        let top: Vec<u32> = (0..columns as u32).collect();
        let shape = Surface::of(&model);
        for pins in [&pins[..], &top, &[0, columns as u32 - 1]] {
            let found = shape.distances_from(pins);
            check(&found, ROUNDING, EXACT, |it| to_pins(&model, pins, it));
            for (particle, nearest) in found.iter().enumerate() {
                let to_source = to_pins(&model, &[nearest.source], particle);
                let distance = f64::from(nearest.distance);
                prop_assert!((distance - to_source).abs() <= EXACT * distance);
            }
        }
    }

    /// Where triangles are irregular, and many pins have small neighbourhoods.
    #[test]
    fn an_irregular_triangulation_changes_no_distance(seed in any::<u64>(), size in 3_usize..40) {
        let mut chance = Chance::new(seed);
        let mut mesh = sheet(size, size, [0.05; 2], |i, j| (i * i + 3 * j) % 5 < 2);
        for (particle, point) in mesh.0.iter_mut().enumerate() {
            let [i, j] = [particle % size, particle / size];
            if i.min(j) > 0 && i.max(j) < size - 1 {
                point[0] += 0.0199 * (chance.share() - 0.5);
                point[1] += 0.0199 * (chance.share() - 0.5);
            }
        }
        let shape = surface(&mesh);
        for density in [0.002, 0.02, 0.2] {
            let all = 0..(size * size) as u32;
            let mut pins: Vec<u32> = all.filter(|_| chance.share() < density).collect();
            pins.push(chance.below(size * size));
            check(&shape.distances_from(&pins), ROUNDING, EXACT, |it| {
                let here = mesh.0[it];
                let distances = pins.iter().map(|&pin| distance(here, mesh.0[pin as usize]));
                distances.fold(f64::INFINITY, f64::min)
            });
        }
    }

    /// With curvature of both signs, holes, slits and separate pieces.
    #[test]
    fn distances_are_those_over_many_points_of_the_edges(
        seed in any::<u64>(),
        roughness in 0.0_f64..0.15,
        holes in 0.0_f64..0.3,
    ) {
        let mut chance = Chance::new(seed);
        let mut mesh = sheet(13, 11, [0.05, 0.06], |i, j| (i * i + 3 * j) % 5 < 2);
        for point in &mut mesh.0 {
            point[2] = roughness * chance.share();
        }
        mesh.1.retain(|_| chance.share() >= holes);
        let pins: Vec<u32> = (0..3).map(|_| chance.below(13 * 11)).collect();
        let found = surface(&mesh).distances_from(&pins);
        // Shortest paths over points are up to 1 % too long with few points of an edge, where paths
        // graze it: then more are taken.
        let mut least_error = 0.0_f64;
        for count in [20, 60, 180] {
            least_error = 0.0;
            for (nearest, above) in found.iter().zip(over_points(&mesh, count, &pins)) {
                let found = f64::from(nearest.distance);
                prop_assert_eq!(found.is_finite(), above.is_finite());
                if above.is_finite() && above > 0.0 {
                    let error = found / above - 1.0;
                    prop_assert!(error <= 1.001e-3, "{} and not {}", found, above);
                    least_error = least_error.min(error);
                }
            }
            if least_error >= -0.002 {
                break;
            }
        }
        prop_assert!(least_error >= -0.002, "{} below", -least_error);
    }
}

#[test]
fn a_cylinder_is_unrolled() {
    let (around, rows, rise) = (60, 80, 0.07);
    let points = (0..around * rows).map(|it| {
        let turn = 2.0 * PI * (it % around) as f64 / around as f64;
        [libm::cos(turn), libm::sin(turn), rise * (it / around) as f64]
    });
    let triangles = (0..around * (rows - 1)).flat_map(|it| {
        let [i, j] = [it % around, it / around];
        let [a, b] = [it, j * around + (i + 1) % around].map(|it| it as u32);
        let [c, d] = [a, b].map(|it| it + around as u32);
        if (i + j) % 3 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] }
    });
    let shape = surface(&(points.collect(), triangles.collect()));
    let step = 2.0 * libm::sin(PI / around as f64);
    let from_column = |from: usize, it: usize| {
        let apart = (it % around).abs_diff(from % around);
        let level = step * apart.min(around - apart) as f64;
        libm::hypot(level, rise * (it / around).abs_diff(from / around) as f64)
    };
    let source = 10 * around + 7;
    check(&shape.distances_from(&[source as u32]), ROUNDING, EXACT, |it| from_column(source, it));
    let rim: Vec<u32> = (0..around as u32).collect();
    check(&shape.distances_from(&rim), ROUNDING, EXACT, |it| rise * (it / around) as f64);
}

#[test]
fn a_slit_is_gone_round() {
    // Cells of row 20 are missing from the left side to column 40.
    let (columns, rows, spacing) = (81, 61, 0.05);
    let mut mesh = sheet(columns, rows, [spacing; 2], |i, j| (i * 5 + j * 3) % 7 < 4);
    let mut cell = (0..).map(|half| half / 2);
    mesh.1.retain(|_| {
        let cell: usize = cell.next().unwrap();
        cell / (columns - 1) != 20 || cell % (columns - 1) >= 40
    });
    let source = mesh.0[5 * columns + 10];
    let [upper, lower] = [20.0, 21.0].map(|row| [40.0 * spacing, row * spacing, 0.0]);
    // To the left of the line through two points, seen with y down.
    let beyond = |a: Point, b: Point, p: Point| {
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 1e-9
    };
    check(&surface(&mesh).distances_from(&[(5 * columns + 10) as u32]), ROUNDING, EXACT, |it| {
        let here = mesh.0[it];
        let is_below = here[1] > upper[1] + 1e-9;
        if !is_below || !beyond(source, upper, here) {
            distance(source, here)
        } else if here[0] >= upper[0] - 1e-9 || !beyond(upper, lower, here) {
            distance(source, upper) + distance(upper, here)
        } else {
            distance(source, upper) + spacing + distance(lower, here)
        }
    });
}

#[test]
fn joins_only_add_and_by_little() {
    // Smooth, of either curvature, where nearly all windows join; and scattered pins.
    let along = |it: usize, count: usize| it as f64 / (count - 1) as f64 - 0.5;
    let mesh = |height: &dyn Fn(f64, f64) -> f64, size: usize| {
        let mut mesh = sheet(size, size, [1.0; 2], |i, j| (i * i + 3 * j) % 5 < 2);
        for (it, point) in mesh.0.iter_mut().enumerate() {
            let [x, y] = [along(it % size, size), along(it / size, size)];
            *point = [x, y, height(x, y)];
        }
        surface(&mesh)
    };
    // A ball whose rings of points are turned against each other.
    let (rings, around) = (60, 120);
    let ring = |ring: usize, spoke: usize| (1 + (ring - 1) * around + spoke % around) as u32;
    let mut ball = (vec![[0.0, 0.0, 1.0]], Vec::new());
    for down in 1..rings {
        let polar = PI * down as f64 / rings as f64;
        for spoke in 0..around {
            let turn = 2.0 * PI * (spoke as f64 + 0.5 * (down % 2) as f64) / around as f64;
            let [x, y] = [libm::cos(turn), libm::sin(turn)].map(|side| side * libm::sin(polar));
            ball.0.push([x, y, libm::cos(polar)]);
            let [here, right] = [ring(down, spoke), ring(down, spoke + 1)];
            if down == 1 {
                ball.1.push([0, here, right]);
            }
            if down + 1 == rings {
                ball.1.push([ring(rings, 0), right, here]);
                continue;
            }
            let [below, next] = [ring(down + 1, spoke), ring(down + 1, spoke + 1)];
            let halves = [[here, below, next], [here, next, right]];
            let turned = [[here, below, right], [right, below, next]];
            ball.1.extend(if down % 2 == 0 { turned } else { halves });
        }
    }
    ball.0.push([0.0, 0.0, -1.0]);
    let shapes = [
        ("saddle", mesh(&|x, y| 2.0 * x * y, 60), vec![0, 1830]),
        ("bowl", mesh(&|x, y| x * x + y * y, 60), vec![0, 1830]),
        ("waves", mesh(&|x, y| 0.05 * libm::sin(12.0 * x) * libm::cos(17.0 * y), 60), vec![61]),
        ("pins on a saddle", mesh(&|x, y| x * y, 40), (0..1600).step_by(37).collect()),
        ("gentle saddle", mesh(&|x, y| 0.5 * x * y, 60), vec![0, 1830]),
        ("ball", surface(&ball), vec![2000, 2001, 2500, 4321]),
    ];
    for (name, shape, sources) in shapes {
        let exact = shape.distances_within(0.0, &sources);
        let mut greatest = 0.0;
        for excess in [1e-3, 1e-2] {
            let joined = shape.distances_within(excess, &sources);
            for (particle, (joined, exact)) in joined.iter().zip(&exact).enumerate() {
                let [joined, exact] = [joined, exact].map(|it| f64::from(it.distance));
                let above = if exact > 0.0 { joined / exact - 1.0 } else { joined };
                assert!(above > -2e-7, "{name}, particle {particle}: {above:e} below");
                assert!(above < 1.001 * excess, "{name}, particle {particle}: {above:e} above");
                greatest = if above > greatest { above } else { greatest };
            }
        }
        // Behind each particle of a saddle there is a gap, and so nothing to join.
        assert!(greatest > 1e-6 || name.contains("saddle"), "{name}: nothing joined");
    }
}

#[test]
fn invalid_edges_and_triangles_are_ignored() {
    // Sides that cannot meet, a missing side, a corner twice, a particle that is not there, a
    // triangle twice, two triangles that meet in one particle, and three at one edge.
    let edges =
        [([0, 1], 1.0), ([1, 2], 1.0), ([2, 0], 3.0), ([2, 3], 1.0), ([3, 0], 1.0), ([3, 9], 1.0)];
    let triangles = [[0, 1, 2], [1, 2, 3], [0, 0, 1], [2, 3, 9]];
    let found = Surface::new(4, edges, triangles).distances_from(&[0, 77]);
    assert_eq!(found.iter().map(|it| it.distance).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 1.0]);

    let unit = |[a, b]: [u32; 2]| ([a, b], 1.0);
    let pairs = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2], [3, 5], [5, 4], [3, 6], [6, 4]];
    let shape =
        Surface::new(7, pairs.map(unit), [[0, 1, 2], [1, 0, 2], [2, 3, 4], [4, 3, 5], [3, 4, 6]]);
    let found = shape.distances_from(&[5]);
    let height = libm::sqrt(3.0);
    check(&found, ROUNDING, EXACT, |it| {
        [height + 1.0, height + 1.0, height, 1.0, 1.0, 0.0, height][it]
    });
}
