//! Distances along surfaces, against closed forms and against paths over many points of the edges.
#![allow(clippy::float_cmp, reason = "0 and infinity are exact")]

use core::f64::consts::PI;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_core::{Bending, Family, Kind};

use super::Surface;
use super::geodesic::Nearest;
use crate::model::{Bridge, Cloth, HexSheet, Model, Plant, Ragdoll, Rope};
use crate::vector::{difference, length, wide};

type Point = [f64; 3];
type Mesh = (Vec<Point>, Vec<[u32; 3]>);

fn distance(a: Point, b: Point) -> f64 {
    length(difference(b, a))
}

/// Points of a rectangle row by row, each cell cut by one diagonal or the other.
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

fn surface((points, triangles): &Mesh) -> Surface {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges =
        sides.map(|[a, b]| ([a, b], distance(points[a as usize], points[b as usize]) as f32));
    Surface::new(points.len(), edges, triangles.iter().copied())
}

/// Checks that distances are below and above the truth by these shares at most.
#[track_caller]
fn check(found: &[Nearest], below: f64, above: f64, truth: impl Fn(usize) -> f64) {
    for (particle, nearest) in found.iter().enumerate() {
        let (found, truth) = (f64::from(nearest.distance), truth(particle));
        if truth == 0.0 || truth.is_infinite() {
            assert_eq!(found, truth, "particle {particle}");
        } else {
            let error = found / truth - 1.0;
            assert!(error > -below && error < above, "particle {particle}: {found}, not {truth}");
        }
    }
}

/// How lengths rounded to `f32` may shorten a distance, and what adds up over a mesh besides.
const ROUNDING: f64 = 1e-6;
const EXACT: f64 = 5e-6;

/// Dijkstra's algorithm over the particles and `count` points of each edge, joined across
/// triangles: never below the shortest distances.
fn over_points((points, triangles): &Mesh, count: usize, sources: &[u32]) -> Vec<f64> {
    let mut nodes = points.clone();
    let mut on_edge = BTreeMap::new();
    let mut around = vec![Vec::new(); points.len()];
    let mut corners = Vec::new();
    for triangle in triangles {
        let mut here = triangle.to_vec();
        for k in 0..3 {
            let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
            let [low, high] = [a.min(b), a.max(b)];
            let first = *on_edge.entry([low, high]).or_insert_with(|| {
                let [from, to] = [low, high].map(|end| points[end as usize]);
                for nth in 1..=count {
                    let share = nth as f64 / (count + 1) as f64;
                    let along: Point =
                        core::array::from_fn(|x| from[x] + share * (to[x] - from[x]));
                    nodes.push(along);
                    around.push(Vec::new());
                }
                (nodes.len() - count) as u32
            });
            here.extend(first..first + count as u32);
        }
        for &node in &here {
            around[node as usize].push(corners.len());
        }
        corners.push(here);
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
        for &triangle in &around[node as usize] {
            for &next in &corners[triangle] {
                let there = here + distance(nodes[node as usize], nodes[next as usize]);
                if there < distances[next as usize] {
                    distances[next as usize] = there;
                    queue.push(Reverse((there.to_bits(), next)));
                }
            }
        }
    }
    distances.truncate(points.len());
    distances
}

struct Chance(ChaCha8Rng);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    fn below(&mut self, count: usize) -> u32 {
        self.0.next_u32() % count as u32
    }
}

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
fn a_sphere_has_nearly_great_circles() {
    let model = Model::sphere(40, crate::model::StickSet::All).unwrap();
    let radius = f64::from(model.particles.position(0)[1]);
    let directions: Vec<Point> = (0..model.particles.len())
        .map(|it| wide(model.particles.position(it)).map(|x| x / radius))
        .collect();
    let shape = Surface::of(&model);
    for source in [0, 1000, 1600] {
        for (particle, nearest) in shape.distances_from(&[source as u32]).iter().enumerate() {
            let chord = distance(directions[source], directions[particle]);
            let arc = 2.0 * radius * libm::asin((0.5 * chord).min(1.0));
            let found = f64::from(nearest.distance);
            // Its faces are within the ball, 0.2 % of the radius at most.
            assert!(found >= chord * radius * (1.0 - 1e-6));
            assert!(found >= 0.998 * arc && found <= 1.001 * arc, "{particle}: {found}, not {arc}");
        }
    }
}

#[test]
fn nothing_is_reached_where_no_path_leads() {
    let ropes = [0.0, 1.0].map(|y| {
        let rope = Rope { bending: 0.5, spacing: 0.11, ..Rope::default() };
        Model::rope(&[[0.0, y, 0.0], [0.3, y, 0.0], [0.3, y, 0.4]], &rope).unwrap()
    });
    let mut model = Model::side_by_side(&ropes).unwrap();
    let found = Surface::of(&model).distances_from(&[0]);
    check(&found, ROUNDING, EXACT, |it| if it < 8 { 0.1 * it as f64 } else { f64::INFINITY });
    assert_eq!(found[3].source, 0);
    assert_eq!(found[8], Nearest { source: u32::MAX, distance: f32::INFINITY });
    assert_eq!(Surface::of(&model).distances_from(&[])[0], found[8]);

    // Paths use sticks that only pull, and none that only push or are torn.
    model.sticks.set_kind(2, Kind::Maximum).unwrap();
    model.sticks.set_kind(4, Kind::Minimum).unwrap();
    model.sticks.tear(7 + 6 + 3).unwrap();
    let pieces: [Vec<u32>; 4] =
        [(0..5).collect(), (5..8).collect(), (8..12).collect(), (12..16).collect()];
    let shape = Surface::of(&model);
    assert_eq!(shape.clusters(&(0..16).collect::<Vec<u32>>()), pieces);
    for piece in pieces {
        let found = shape.distances_from(&piece[..1]);
        let reached = (0..16).filter(|&it| found[it as usize].distance.is_finite());
        assert_eq!(reached.collect::<Vec<u32>>(), piece);
    }
}

#[test]
fn paths_lead_along_bones_wood_and_planks() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let [head, neck, foot] = ["head", "neck", "left foot"].map(|name| doll.groups[name][0]);
    let [knee, hip] = ["left knee", "left hip"].map(|name| doll.groups[name][0]);
    let place = |model: &Model, it: u32| wide(model.particles.position(it as usize));
    let along = |model: &Model, path: &[u32]| -> f64 {
        path.windows(2).map(|ends| distance(place(model, ends[0]), place(model, ends[1]))).sum()
    };
    for path in [&[foot, knee, hip][..], &[head, neck]] {
        let found = Surface::of(&doll).distances_from(&path[..1]);
        let bones = along(&doll, path);
        assert!((f64::from(found[path[path.len() - 1] as usize].distance) - bones).abs() < 1e-6);
    }

    let plant = Model::plant(&Plant { levels: 1, ..Plant::default() }).unwrap();
    let found = Surface::of(&plant).distances_from(&plant.groups["root"]);
    let mut stem = vec![plant.groups["root"][0]];
    stem.extend(&plant.groups["stem"]);
    for joints in 1..=stem.len() {
        let joint = stem[joints - 1] as usize;
        let wood = along(&plant, &stem[..joints]);
        assert!((f64::from(found[joint].distance) - wood).abs() <= 1e-6 * wood.max(1.0));
    }
    assert!(found.iter().all(|nearest| nearest.distance.is_finite()));

    // Between planks there are ropes alone; rails are no short cut.
    let bridge = Bridge { planks: 5, ropes: 3, sag: 0.0, ..Bridge::default() };
    let bridge = Model::bridge([0.0; 3], [11.0, 0.0, 0.0], &bridge).unwrap();
    let shape = Surface::of(&bridge);
    let found = shape.distances_from(&bridge.groups["deck"][..3]);
    for (nth, &particle) in bridge.groups["deck"].iter().enumerate() {
        let distance = f64::from(found[particle as usize].distance);
        assert!((distance - (nth / 3) as f64).abs() < 1e-5);
    }
    let ends = [&bridge.groups["start"][..], &bridge.groups["end"][..]].concat();
    assert_eq!(shape.clusters(&ends).len(), 2 * (3 + 2)); // nothing joins ropes and rails there
}

#[test]
fn tears_are_gone_round_and_bending_sticks_do_not_bridge_them() {
    // Torn down between two columns, but for the two lowest rows.
    let cloth = Cloth::spaced(12, 16, 0.1);
    let mut model = Model::<3>::cloth(&cloth).unwrap();
    let column = |particle: u32| particle % 12;
    let crosses = |[a, b]: [u32; 2]| {
        column(a).min(column(b)) == 5 && column(a).max(column(b)) == 6 && a.min(b) < 14 * 12
    };
    let mut torn = 0;
    for stick in 0..model.sticks.len() {
        let ends = model.sticks.ends()[stick];
        if crosses(ends) {
            model.sticks.tear(stick).unwrap();
            torn += 1;
        }
    }
    assert!(torn > 3 * 13);
    let by_sheet = Surface::of(&model);
    model.faces.retain(|[a, b, c]| ![[a, b], [b, c], [c, a]].iter().any(|&[a, b]| crosses([a, b])));
    model.sheet = None;
    let by_faces = Surface::of(&model);
    let across = |shape: &Surface| f64::from(shape.distances_from(&[5])[6].distance);
    // Down to row 14 and up again.
    let around = 14.0 * 0.1 * 2.0 + 0.1;
    for shape in [&by_sheet, &by_faces] {
        assert!((across(shape) - around).abs() < 1e-5 * around, "{}", across(shape));
    }
}

#[test]
fn a_mesh_knows_its_bending_sticks() {
    let sheet = HexSheet { columns: 9, rows: 8, spacing: 0.1, ..HexSheet::default() };
    let [free, stiff] = [Bending::Free, Bending::Sticks]
        .map(|bending| Model::<3>::hex_sheet(&HexSheet { bending, ..sheet }).unwrap());
    assert!(free.bending.is_empty());
    let marked = |model: &Model| model.bending.iter().filter(|&&marked| marked).count();
    assert_eq!(marked(&stiff), stiff.sticks.len() - free.sticks.len());
    let both = Model::side_by_side([&free, &stiff]).unwrap().shuffled(5);
    assert_eq!(marked(&both), marked(&stiff));
    let long = |stick: usize| both.sticks.rest(stick) > 0.11;
    assert!((0..both.sticks.len()).all(|stick| both.bending[stick] == long(stick)));

    // A mesh cut into two pieces, over which bending sticks still reach.
    let mut model = stiff;
    let is_upper = |particle: u32| particle < 4 * 9;
    for stick in 0..free.sticks.len() {
        let [a, b] = model.sticks.ends()[stick];
        if is_upper(a) != is_upper(b) {
            model.sticks.tear(stick).unwrap();
        }
    }
    model.faces.retain(|[a, b, c]| is_upper(a) == is_upper(b) && is_upper(b) == is_upper(c));
    let found = Surface::of(&model).distances_from(&[0]);
    for (particle, nearest) in found.iter().enumerate() {
        assert_eq!(nearest.distance.is_finite(), is_upper(particle as u32));
    }
}

#[test]
fn clusters_hang_together_by_pins_alone() {
    let model = Model::<3>::cloth(&Cloth::spaced(6, 4, 0.1)).unwrap();
    let shape = Surface::of(&model);
    assert_eq!(shape.clusters(&[5, 0, 1, 2, 12, 18, 4]), [vec![0, 1, 2], vec![4, 5], vec![12, 18]]);
    assert_eq!(shape.clusters(&[23, 23]), [vec![23]]);
    assert!(shape.clusters(&[]).is_empty());
}

#[test]
fn what_is_no_surface_is_left_out() {
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
