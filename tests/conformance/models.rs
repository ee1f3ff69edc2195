//! Models equal their definitions, rebuilt here with simple code.

use std::collections::BTreeSet;

use taut::world::{Model, ModelError, StickSet};
use taut::{Family, Particles, Sticks};

use crate::meshes::component_of_each;

/// The bits of all data of a model.
fn bits(Model { particles, sticks, .. }: &Model) -> impl Eq + std::fmt::Debug + use<> {
    let points: Vec<[u32; 3]> = points(particles).map(|point| point.map(f32::to_bits)).collect();
    let previous: Vec<Vec<u32>> =
        (0..3).map(|axis| particles.previous(axis).iter().map(|x| x.to_bits()).collect()).collect();
    let inverse_masses: Vec<u32> = particles.inverse_masses().iter().map(|w| w.to_bits()).collect();
    let rests: Vec<u32> = sticks.rests().iter().map(|rest| rest.to_bits()).collect();
    (points, previous, inverse_masses, rests, sticks.ends().to_vec())
}

fn points(particles: &Particles<3>) -> impl Iterator<Item = [f32; 3]> {
    (0..particles.len()).map(|particle| particles.position(particle))
}

/// The set of sticks, each with its lower end first.
fn edges(sticks: &Sticks) -> BTreeSet<[u32; 2]> {
    sticks.ends().iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect()
}

#[test]
fn drape_matches_its_definition() {
    for n in [2_u32, 3, 17, 64] {
        for set in StickSet::ALL {
            let Model { particles, sticks, sheet, .. } = Model::drape(n as usize, set).unwrap();
            assert_eq!(particles.len(), (n * n) as usize);
            for j in 0..n {
                for i in 0..n {
                    let (x, y) = (f64::from(i), f64::from(j));
                    let z = 1e-3 * libm::sin(0.37 * x + 0.71 * y);
                    // Adding zero turns -0.0 into +0.0.
                    let point = [0.05 * x, -0.05 * y, z].map(|x| (x as f32 + 0.0).to_bits());
                    let particle = (j * n + i) as usize;
                    assert_eq!(particles.position(particle).map(f32::to_bits), point);
                    for (axis, bits) in point.into_iter().enumerate() {
                        assert_eq!(particles.previous(axis)[particle].to_bits(), bits);
                    }
                    let inverse_mass = particles.inverse_masses()[particle];
                    assert_eq!(inverse_mass.to_bits(), if j == 0 { 0 } else { 1.0_f32.to_bits() });
                }
            }
            let expected = drape_sticks(n, set);
            assert_eq!(sticks.len(), expected.len());
            for (stick, ([a, b], rest)) in expected.into_iter().enumerate() {
                let [a, b] = [a, b].map(|(i, j)| j * n + i);
                assert_eq!(sticks.ends()[stick], [a, b], "size {n}, {set}, stick {stick}");
                let rest = rest as f32;
                assert_eq!(
                    sticks.rest(stick).to_bits(),
                    rest.to_bits(),
                    "size {n}, {set}, stick {stick}"
                );
                assert!(sticks.is_plain(stick) && !sticks.is_torn(stick));
            }
            let sheet = sheet.unwrap();
            assert_eq!((sheet.width(), sheet.height()), (n as usize, n as usize));
            assert_eq!(sheet.families().len(), set.families().len());
        }
    }
    assert_eq!(Model::drape(1, StickSet::All).err(), Some(ModelError::NoSticks { particles: 1 }));
}

/// The column and the row of a particle.
type Cell = (u32, u32);

/// The ends and the rest lengths, m, of the sticks of a drape of `n` x `n` particles, in authored
/// order.
fn drape_sticks(n: u32, set: StickSet) -> Vec<([Cell; 2], f64)> {
    let mut sticks = Vec::new();
    let mut join = |a: Cell, b: Cell, rest: f64| {
        if [a.0, a.1, b.0, b.1].iter().all(|&index| index < n) {
            sticks.push(([a, b], rest));
        }
    };
    for j in 0..n {
        for i in 0..n {
            join((i, j), (i + 1, j), 0.05);
            join((i, j), (i, j + 1), 0.05);
            if set != StickSet::Structural {
                join((i, j), (i + 1, j + 1), 0.05 * 2.0_f64.sqrt());
                join((i + 1, j), (i, j + 1), 0.05 * 2.0_f64.sqrt());
            }
        }
    }
    if set == StickSet::All {
        for j in 0..n {
            for i in 0..n {
                join((i, j), (i + 2, j), 0.1);
                join((i, j), (i, j + 2), 0.1);
                join((i, j), (i + 2, j + 2), 0.1 * 2.0_f64.sqrt());
                join((i + 2, j), (i, j + 2), 0.1 * 2.0_f64.sqrt());
            }
        }
    }
    sticks
}

/// Makes a hanging mesh and checks it: connected, finite, without duplicate sticks, its highest 2 %
/// pinned, at rest, and equal each time it is made.
fn checked_mesh(name: &str, make: impl Fn() -> Model) -> Model {
    let model = make();
    assert_eq!(bits(&make()), bits(&model), "{name}");
    let Model { particles, sticks, sheet, .. } = &model;
    assert!(sheet.is_none(), "{name}");
    assert!(points(particles).flatten().all(f32::is_finite), "{name}");
    let components = component_of_each(particles.len(), sticks.ends().iter().copied());
    let unconnected = components.iter().filter(|&&component| component != 0).count();
    assert_eq!(unconnected, 0, "{name}: particles not connected to particle 0");
    assert_eq!(edges(sticks).len(), sticks.len(), "{name}: duplicate sticks");
    for axis in 0..3 {
        assert_eq!(particles.previous(axis), particles.positions(axis), "{name}");
    }
    for (stick, &ends) in sticks.ends().iter().enumerate() {
        let [a, b] = ends.map(|end| particles.position(end as usize).map(f64::from));
        let length = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
        let error = (f64::from(sticks.rest(stick)) - length).abs();
        assert!(error <= 1e-7 * length, "{name}: stick {stick} is {length} m");
    }

    let heights_of = |pinned: bool| {
        let inverse_masses = particles.inverse_masses().iter();
        let heights = inverse_masses.zip(particles.positions(1));
        heights.filter(move |(w, _)| (**w == 0.0) == pinned).map(|(_, &y)| y)
    };
    // 2 %, rounded up.
    assert_eq!(heights_of(true).count(), particles.len().div_ceil(50), "{name}");
    let [lowest_pinned, highest_free] =
        [heights_of(true).reduce(f32::min), heights_of(false).reduce(f32::max)].map(Option::unwrap);
    assert!(
        lowest_pinned >= highest_free,
        "{name}: pinned at {lowest_pinned} m, free at {highest_free} m"
    );
    assert!(particles.inverse_masses().iter().all(|&w| w == 0.0 || w == 1.0), "{name}");
    model
}

#[test]
fn discs_are_connected_with_six_sticks_per_particle() {
    for size in (2..40).chain([64, 100]) {
        for set in [StickSet::Structural, StickSet::All] {
            let name = format!("disc {size} {set}");
            let Model { particles, sticks, .. } =
                checked_mesh(&name, || Model::disc(size, set).unwrap());
            let ratio = particles.len() as f64 / (size * size) as f64;
            assert!(size < 8 || (0.95..1.05).contains(&ratio), "{name}: {ratio} of size²");
            if set == StickSet::Structural {
                let mut degrees = vec![0; particles.len()];
                for &end in sticks.ends().as_flattened() {
                    degrees[end as usize] += 1;
                }
                // About the radius of a disc of size² particles, 0.05 m apart.
                let radius = size as f32 * 0.05 * 0.52;
                for (point, degree) in points(&particles).zip(degrees) {
                    let far_from_rim = point[0].hypot(point[1]) < radius - 0.15;
                    assert!(
                        degree == 6 || !far_from_rim && degree < 6,
                        "{name}: {degree} sticks at {point:?}"
                    );
                }
            }
        }
    }
    for size in [0, 1] {
        let error = Model::disc(size, StickSet::All).err();
        assert!(matches!(error, Some(ModelError::NoSticks { .. })), "{size}: {error:?}");
    }
}

#[test]
fn spheres_are_connected_and_closed() {
    for size in (1..30).chain([50]) {
        let name = format!("sphere {size}");
        let make = |set| checked_mesh(&name, || Model::sphere(size, set).unwrap());
        let [structural, all] = [StickSet::Structural, StickSet::All].map(make);
        // Euler's formula for a closed surface of triangles.
        let edge_count = 3 * structural.particles.len() - 6;
        assert_eq!(structural.sticks.len(), edge_count, "{name}");
        assert!(edges(&all.sticks).is_superset(&edges(&structural.sticks)), "{name}");
        assert!(size < 2 || all.sticks.len() > edge_count, "{name}");
        for point in points(&all.particles) {
            let radius = point.map(f64::from).iter().map(|x| x * x).sum::<f64>().sqrt();
            // On the equator, the particles of a ring (twice `size`, at least 3) are 0.05 m apart.
            let expected = 0.05 * (2 * size).max(3) as f64 / std::f64::consts::TAU;
            assert!((radius - expected).abs() < 1e-6 * expected, "{name}: {point:?}");
        }
    }
    assert_eq!(Model::sphere(0, StickSet::All).err(), Some(ModelError::NoSticks { particles: 0 }));
}

/// The mesh without its order: the bits of position and inverse mass of each particle, and the ends
/// and the rest length of each stick, sorted.
fn graph(Model { particles, sticks, .. }: &Model) -> impl Eq + std::fmt::Debug + use<> {
    let vertex = |particle: u32| {
        let [x, y, z] = particles.position(particle as usize).map(f32::to_bits);
        [x, y, z, particles.inverse_masses()[particle as usize].to_bits()]
    };
    let mut vertices: Vec<_> = (0..particles.len() as u32).map(vertex).collect();
    let mut edges: Vec<_> = (0..sticks.len())
        .map(|stick| (sticks.ends()[stick].map(vertex), sticks.rest(stick).to_bits()))
        .collect();
    vertices.sort_unstable();
    edges.sort_unstable();
    (vertices, edges)
}

#[test]
fn a_shuffled_model_is_the_same_graph_in_another_order() {
    let models = [
        Model::drape(12, StickSet::All).unwrap(),
        Model::disc(12, StickSet::All).unwrap(),
        Model::sphere(9, StickSet::All).unwrap(),
    ];
    for model in models {
        let shuffled = model.shuffled(1);
        assert_eq!(graph(&shuffled), graph(&model));
        assert!(shuffled.sheet.is_none());
        assert_eq!(bits(&model.shuffled(1)), bits(&shuffled));
        let others = [bits(&model), bits(&model.shuffled(2)), bits(&model.shuffled(u64::MAX))];
        assert!(others.iter().all(|other| *other != bits(&shuffled)));
        // Few sticks still join neighbours in memory, so this is the hard case for caches.
        let near = |[a, b]: &&[u32; 2]| a.abs_diff(*b) <= 3;
        let [still_near, sticks] =
            [shuffled.sticks.ends().iter().filter(near).count(), shuffled.sticks.len()];
        assert!(
            10 * still_near < sticks,
            "{still_near} of {sticks} sticks join neighbours in memory"
        );
    }
}

#[test]
fn stick_sets_match_their_families() {
    let families = |set: StickSet| set.families().to_vec();
    assert_eq!(families(StickSet::Structural), Family::STRUCTURAL);
    assert_eq!(families(StickSet::All), Family::BEND);
    for set in StickSet::ALL {
        assert_eq!(set.name().parse(), Ok(set));
    }
}
