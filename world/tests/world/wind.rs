//! Wind forces match the formulas, independent of triangulation, numbering and tears.

use std::array::from_fn;
use std::iter::repeat;
use std::sync::Arc;

use taut_core::{Renumbering, Step};
use taut_world::{
    Acceleration, Cloth, Diagonals, Field, Force, Forces, Gusts, Model, ModelError, Moment,
    Sampling, StickSet, Wind, WindLaw,
};

use super::make::{drape, scene, steps, unconnected, world};

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn moment(h: f32) -> Moment {
    let step = Step { dt: h, substeps: 1, acceleration: [0.0; 3], ..Step::default() };
    Moment { time: 0.4, h, hold: h, motion: step.motion().unwrap() }
}

fn pushed(wind: &Wind, model: &Model) -> Vec<[f32; 3]> {
    let mut forces = Forces::none(&model.particles);
    wind.push(model, &moment(1.0 / 60.0), &mut forces);
    (0..model.particles.len()).map(|it| from_fn(|axis| forces.along(axis)[it])).collect()
}

fn total(forces: &[[f32; 3]]) -> Vector {
    from_fn(|axis| forces.iter().map(|force| f64::from(force[axis])).sum())
}

/// A parallelogram of `cells` by `cells`, pinned, cut along one diagonal or the other.
fn plate(sides: [Vector; 2], cells: usize, other: bool) -> Model {
    let row = cells + 1;
    let place = |it: usize| -> [f32; 3] {
        let [p, q] = [it % row, it / row].map(|nth| nth as f64 / cells as f64);
        from_fn(|axis| (sides[0][axis] * p + sides[1][axis] * q) as f32)
    };
    let points: Vec<_> = (0..row * row).map(place).collect();
    let mut model = unconnected(&points, &vec![0.0; points.len()]);
    for cell in (0..cells * row).filter(|cell| cell % row < cells) {
        let [a, b, c, d] = [0, 1, row + 1, row].map(|step| (cell + step) as u32);
        let cut = if other { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] };
        model.faces.extend(cut);
    }
    model
}

#[test]
fn the_whole_force_is_that_of_the_formula_however_a_plate_is_cut() {
    let sides = [[1.5, 0.2, -0.3], [0.1, 1.1, 0.6]];
    let [p, q] = sides;
    let normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    let area = dot(normal, normal).sqrt();
    let n = normal.map(|along| along / area);
    for wind in [[3.0, -1.0, 2.0], [-3.0, -1.0, 1.0], [0.0, 4.0, 0.0], [0.0; 3]] {
        let u = wind.map(f64::from);
        let (across, speed) = (dot(n, u), dot(u, u).sqrt());
        let lee = across.signum();
        let lift: Vector = from_fn(|axis| {
            if speed == 0.0 { 0.0 } else { lee * (n[axis] - across * u[axis] / (speed * speed)) }
        });
        let plate_force = |drag: f64, lifts: f64| -> Vector {
            let pressure = 0.5 * 1.2 * area * across.abs();
            from_fn(|axis| pressure * (drag * u[axis] + lifts * speed * lift[axis]))
        };
        let cases = [
            (WindLaw::Normal { pressure: 0.8 }, from_fn(|axis| 0.8 * area * across * n[axis])),
            (WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 }, plate_force(1.3, 0.0)),
            (WindLaw::Plate { density: 1.2, drag: 1.1, lift: 1.7 }, plate_force(1.1, 1.7)),
        ];
        for (law, expected) in cases {
            for (cells, other) in [(1, false), (1, true), (5, true), (40, false), (40, true)] {
                let model = plate(sides, cells, other);
                let sum = total(&pushed(&Wind { law, ..Wind::new(wind) }, &model));
                for axis in 0..3 {
                    let off = (sum[axis] - expected[axis]).abs();
                    assert!(
                        off < 2e-5 * (1.0 + speed * speed),
                        "{law:?} {cells}: {sum:?} {expected:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_plate_of_any_size_gets_a_force() {
    for size in [0.0, 1e-22, 1e-18, 1e-12, 1e9, 1e10, 6e11] {
        let sides = [[1.5 * size, 0.2 * size, -0.3 * size], [0.1 * size, 1.1 * size, 0.6 * size]];
        for law in [
            WindLaw::Normal { pressure: 0.8 },
            WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 },
            WindLaw::Plate { density: 1.2, drag: 1.1, lift: 1.7 },
        ] {
            for (lighter, cells) in [0.0, 1.0].into_iter().flat_map(|it| [(it, 1), (it, 20)]) {
                let mut plate = plate(sides, cells, false);
                for i in 0..plate.particles.len() {
                    plate.particles.set_inverse_mass(i, lighter).unwrap();
                }
                let forces = pushed(&Wind { law, ..Wind::new([3.0, -1.0, 2.0]) }, &plate);
                let finite = forces.iter().flatten().all(|along| along.is_finite());
                assert!(finite, "{size} {law:?} {lighter} {cells}");
            }
        }
    }
}

#[test]
fn each_corner_gets_its_third() {
    let mut triangle = unconnected(&[[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], &[0.0; 3]);
    triangle.faces.extend([[0, 1, 2]]);
    let law = WindLaw::Normal { pressure: 1.0 };
    // 2 m² in 3 m/s across them.
    for force in pushed(&Wind { law, ..Wind::new([5.0, 0.0, 3.0]) }, &triangle) {
        assert!((force[2] - 2.0).abs() < 1e-6 && force[0] == 0.0 && force[1] == 0.0);
    }
}

#[test]
fn numbering_and_tearing_do_not_change_bits() {
    let gusts = Some(Gusts { strength: 0.7, size: 0.3, seed: 5 });
    let law = WindLaw::Plate { density: 1.2, drag: 1.0, lift: 1.5 };
    let wind = Wind { gusts, law, ..Wind::new([3.0, 0.5, -2.0]) };
    let sheet = |columns, diagonals| {
        let cloth = Cloth { columns, rows: 23, diagonals, ..Cloth::default() };
        let mut cloth = Model::cloth(&cloth).unwrap();
        // Not in one plane.
        let points: Vec<_> =
            (0..cloth.particles.len()).map(|i| cloth.particles.position(i)).collect();
        for (particle, [x, y, _]) in points.into_iter().enumerate() {
            let z = x * x * y - 0.3 * x * y * y;
            cloth.particles.set_position(particle, [x, y, z]).unwrap();
        }
        cloth
    };
    let mut sheets = vec![drape(40, StickSet::Structural)];
    // Around the numbers of lanes, one particle a row more or less.
    for columns in [2, 5, 14, 15, 16, 17, 18, 31, 33, 40] {
        sheets.extend([Diagonals::Parallel, Diagonals::Alternating].map(|cut| sheet(columns, cut)));
    }
    // Nothing so light that it limits the force; some of it; all of it.
    let weighed = |lighter: f32| {
        move |mut sheet: Model| {
            let particles = &mut sheet.particles;
            for i in 0..particles.len() {
                particles.set_inverse_mass(i, particles.inverse_masses()[i] * lighter).unwrap();
            }
            sheet
        }
    };
    let weights = [0.01, 1.0, 100.0];
    let sheets = weights.map(|it| sheets.clone().into_iter().map(weighed(it)).zip(repeat(it)));
    for (mut sheet, lighter) in sheets.into_iter().flatten() {
        let forces = pushed(&wind, &sheet);
        assert!(forces.iter().flatten().all(|along| along.is_finite()));

        // By numbers without any order nothing lies in rows.
        for renumbering in [Renumbering::hilbert(&sheet.particles), {
            let len = sheet.particles.len() as u32;
            let odd_before_even = (1..len).step_by(2).chain((0..len).step_by(2));
            Renumbering::from_order(odd_before_even.collect()).unwrap()
        }] {
            let renumbered = pushed(&wind, &sheet.renumbered(&renumbering));
            for (particle, force) in forces.iter().enumerate() {
                assert_eq!(renumbered[renumbering.new_of(particle as u32) as usize], *force);
            }
        }

        // Torn twice, while the layout is there, and then once more in a model made of what is
        // left.
        let mut left = sheet.clone();
        let gone = |corners: [u32; 3], by: u32| corners[0].is_multiple_of(by);
        sheet.faces.retain(|corners| !gone(corners, 7));
        sheet.faces.retain(|corners| !gone(corners, 5));
        let torn = pushed(&wind, &sheet);
        left.faces = sheet.faces.to_vec().into();
        assert_ne!(torn, forces);
        // (What limits the force goes by how many faces met in a particle at first.)
        assert!(torn == pushed(&wind, &left) || lighter > 0.01);
    }
}

#[test]
fn a_first_force_equals_one_added_to_zeros() {
    let wind = |velocity| Arc::new(Wind::new(velocity)) as Arc<dyn Force>;
    let nothing = || Arc::new(Field::new(Acceleration([0.0; 3]))) as Arc<dyn Force>;
    let cloth = Cloth { columns: 21, rows: 19, ..Cloth::default() };
    let cloth = Model::cloth(&cloth).unwrap().pinned("top").tearing_at(1.05);
    // Where it is not a sheet of its own, what has no faces is in the same columns.
    for sheet in [cloth.sheet.clone(), None] {
        let hash = |forces: Vec<Arc<dyn Force>>| {
            let sheet = sheet.clone();
            let mut scene = scene("cloth", Model { sheet, ..cloth.clone() });
            scene.add("grain", unconnected(&[[3.0, 0.0, 0.0]], &[1.0])).unwrap();
            scene.forces = forces;
            let mut world = world(&scene);
            steps(&mut world, 60);
            assert!(world.torn() > 0);
            let forces = world.islands().iter().flat_map(|piece| piece.forces().along(2));
            (world.hash(), forces.map(|along| along.to_bits()).collect::<Vec<_>>())
        };
        let [breeze, storm] = [[0.0, 1.0, 2.0], [9.0, 0.0, 40.0]];
        let alone = hash(vec![wind(breeze), wind(storm)]);
        assert_eq!(hash(vec![nothing(), wind(breeze), wind(storm)]), alone);
        assert_ne!(hash(vec![wind(breeze)]), alone);
    }
}

#[test]
fn light_particles_do_not_exceed_the_wind_speed() {
    let laws = [
        WindLaw::Normal { pressure: 1e6 },
        WindLaw::Plate { density: 1e3, drag: 2.0, lift: 0.0 },
        WindLaw::Plate { density: 1e3, drag: 1.0, lift: 2.0 },
    ];
    for (law, substeps) in laws.into_iter().flat_map(|law| [(law, 1), (law, 8)]) {
        let mut model = drape(12, StickSet::Structural);
        let masses = vec![1e6; 144];
        let points: Vec<_> = (0..144).map(|it| model.particles.position(it)).collect();
        let unconnected = unconnected(&points, &masses);
        model.sheet = None;
        let model = Model { faces: model.faces, ..unconnected };
        let mut scene = scene("sheet", model);
        scene.settings.step.acceleration = [0.0; 3];
        scene.settings.step.substeps = substeps;
        scene.forces.push(Arc::new(Wind { law, ..Wind::new([0.0, 2.0, 8.0]) }));
        let mut world = world(&scene);
        let mut was: Vec<_> = world.positions().collect();
        for _ in 0..50 {
            steps(&mut world, 1);
            for (was, now) in was.iter_mut().zip(world.positions()) {
                let moved: f32 = (0..3).map(|axis| (now[axis] - was[axis]).powi(2)).sum();
                assert!(moved.sqrt() * 60.0 < 2.0 * 8.3, "{law:?}: {}", moved.sqrt() * 60.0);
                *was = now;
            }
        }
    }
}

/// The mean over six seconds of where the free edge of a flag in gusts is, m, and of the kinetic
/// energy, J.
fn flag_in_gusts(sampling: Sampling, seed: u64) -> ([f64; 3], f64) {
    let cloth = Cloth { columns: 19, rows: 13, width: 1.5, ..Cloth::default() };
    let mut scene = scene("flag", Model::cloth(&cloth).unwrap().pinned("left"));
    let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed });
    scene.forces.push(Arc::new(Wind { gusts, sampling, ..Wind::new([7.0, 0.0, 2.0]) }));
    scene.settings.step = Step { substeps: 8, iterations: 1, ..scene.settings.step };
    let mut world = world(&scene);
    let (mut place, mut energy) = ([0.0; 3], 0.0);
    let (before, frames) = (120, 360_u32);
    steps(&mut world, before);
    for _ in 0..frames {
        steps(&mut world, 1);
        for row in 0..13 {
            let x = world.position(row * 19 + 18);
            for axis in 0..3 {
                place[axis] += f64::from(x[axis]) / f64::from(13 * frames);
            }
        }
        energy += world.diagnostics().unwrap().kinetic / f64::from(frames);
    }
    (place, energy)
}

#[test]
fn wind_may_be_sampled_once_a_step() {
    // Flutter differs from one seed to the next by a factor of two, so the mean of some is
    // compared: energies of 6.6 and 7.5 mJ, and edges 5 mm apart.
    let mean = |sampling| {
        let (mut place, mut energy) = ([0.0; 3], 0.0);
        for seed in 1..5 {
            let (x, kinetic) = flag_in_gusts(sampling, seed);
            place = from_fn(|axis| place[axis] + x[axis] / 4.0);
            energy += kinetic / 4.0;
        }
        (place, energy)
    };
    let ((each, each_energy), (once, once_energy)) =
        (mean(Sampling::Substep), mean(Sampling::Step));
    let away: Vector = from_fn(|axis| each[axis] - once[axis]);
    assert!(dot(away, away).sqrt() < 0.01, "{each:?} {once:?}");
    assert!((0.7..1.4).contains(&(once_energy / each_energy)), "{each_energy} {once_energy}");
}

#[test]
fn gusts_are_smooth_and_carried_and_of_all_strengths() {
    let gusts = Gusts { strength: 1.0, size: 2.0, seed: 3 };
    let still = |x: f32, y: f32| gusts.at([x, y, 0.3], [0.0; 3], 0.0);
    let samples: Vec<f32> = (0..200)
        .flat_map(|i| (0..50).map(move |j| (i, j)))
        .map(|(i, j)| still(i as f32 * 0.37, j as f32 * 0.91))
        .collect();
    let mean = samples.iter().sum::<f32>() / samples.len() as f32;
    assert!((mean - 1.0).abs() < 0.06, "{mean}");
    assert!(samples.iter().all(|it| (0.0..=2.0).contains(it)));
    assert!(samples.iter().any(|it| *it < 0.5) && samples.iter().any(|it| *it > 1.5));
    // No jump, and no kink: over all cells, slopes change little by little.
    let slope = |x: f32| (still(x + 1e-2, 0.7) - still(x - 1e-2, 0.7)) / 2e-2;
    for nth in -400..400 {
        let x = nth as f32 * 0.05;
        assert!((slope(x + 0.05) - slope(x)).abs() < 0.4, "{x}");
    }
    let other = Gusts { seed: 4, ..gusts };
    assert_ne!(other.at([0.5; 3], [0.0; 3], 0.0), gusts.at([0.5; 3], [0.0; 3], 0.0));
    // After an hour they are as smooth.
    let wind = [7.3, -0.2, 1.1];
    let [early, late] = [3600.0, 3600.001].map(|time| gusts.at([1.0, 2.0, 3.0], wind, time));
    assert!((early - late).abs() < 0.05 && early != late);
}

#[test]
fn a_box_feels_the_wind_on_its_windward_faces() {
    let pressure = 0.8;
    let edges = [0.4, 0.2, 0.5];
    let model = Model::rigid_box(edges, 300.0).unwrap().moved([3.0, 1.0, -2.0]);
    for velocity in [[5.0, 0.0, 0.0], [-5.0, 0.0, 0.0], [3.0, -2.0, 1.0]] {
        let wind = Wind { law: WindLaw::Normal { pressure }, ..Wind::new(velocity) };
        assert!(wind.touches(&model));
        let forces = pushed(&wind, &model);
        let sum = total(&forces);
        let mut torque = [0.0; 3];
        for (particle, force) in forces.iter().enumerate() {
            let x = model.particles.position(particle).map(f64::from);
            let from: Vector = from_fn(|axis| x[axis] - [3.0, 1.0, -2.0][axis]);
            for (axis, torque) in torque.iter_mut().enumerate() {
                let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
                *torque += from[i] * f64::from(force[j]) - from[j] * f64::from(force[i]);
            }
        }
        for axis in 0..3 {
            let area = f64::from(edges[(axis + 1) % 3]) * f64::from(edges[(axis + 2) % 3]);
            let expected = f64::from(pressure) * area * f64::from(velocity[axis]);
            assert!((sum[axis] - expected).abs() < 1e-5, "{sum:?}");
            // The wind's middle is the box's.
            assert!(torque[axis].abs() < 1e-5, "{torque:?}");
        }
    }
}

#[test]
fn gusts_of_any_size_give_a_number_everywhere() {
    assert!(matches!(Gusts::new(0.5, 9e-7, 1), Err(ModelError::Measure { .. })));
    assert!(Gusts::new(0.5, Gusts::LEAST_SIZE, 1).is_ok());
    // What was not made by `new` is as if it were of the least size.
    for size in [0.0, 1e-45, 2.9e-39, 1e-38, 1e-6, 1.0, f32::MAX, f32::INFINITY] {
        let gusts = Gusts { strength: 0.5, size, seed: 4 };
        for x in [0.0, -0.0, 1e-30, 0.3, -1e12, 1e12] {
            for (velocity, time) in [(0.0, 0.0), (1e9, 0.0), (-1e9, 1e15)] {
                let factor = gusts.at([x, 0.0, -x], [velocity, 0.0, 1.0], time);
                assert!((0.5..=1.5).contains(&factor), "{size} {x} {velocity} {time}: {factor}");
                let least = Gusts { size: Gusts::LEAST_SIZE, ..gusts };
                let least = least.at([x, 0.0, -x], [velocity, 0.0, 1.0], time);
                assert!(size > Gusts::LEAST_SIZE || factor == least, "{size}: {factor} {least}");
            }
        }
    }
    // Which NaN it is cannot be seen.
    let gusts = Gusts { strength: 0.5, size: 1.0, seed: 4 };
    let at = |bits| gusts.at([f32::from_bits(bits), 0.2, 0.4], [1.0; 3], 2.0).to_bits();
    assert_eq!(at(0x7fc0_0000), at(0xffc0_0001));
}
