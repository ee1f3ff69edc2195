//! Particles and sticks through JSON: bits are preserved, and invalid values rejected.

use serde_json::{Value, from_value, json, to_value};
use taut_core::{Formula, Kind, PARTICLES_MAX, Particles, Schedule, Step, Sticks};

use crate::meshes::{Mesh, Random, Recipe, particles_at};

#[test]
fn particles_round_trip_exactly() {
    let mut particles = Recipe::large(0).mesh::<3, f32>().particles;
    particles.previous_mut(1)[4] = 0.1;
    let text = serde_json::to_string(&particles).unwrap();
    let mut back: Particles<3> = serde_json::from_str(&text).unwrap();
    assert_eq!(back.hash(), particles.hash());
    for axis in 0..3 {
        assert_eq!(back.previous(axis), particles.previous(axis));
    }
    assert_eq!(back.inverse_masses(), particles.inverse_masses());
    assert_eq!(back.columns().inverse_mass.as_ptr().addr() % 64, 0);
    let expected = json!({
        "dimensions": 2,
        "positions": [1.0, 2.0, 3.0, 4.0],
        "previous": [1.0, 2.0, 3.0, 4.0],
        "inverse_masses": [1.0, 1.0],
    });
    assert_eq!(to_value(particles_at(&[[1.0_f64, 2.0], [3.0, 4.0]])).unwrap(), expected);
}

#[test]
fn f64_particles_round_trip_exactly() {
    // Coordinates of all magnitudes: a parser that rounds twice reads about one in ten of them with
    // an error of one ulp.
    let mut random = Random::new(9);
    let points: Vec<[f64; 2]> = (0..10_000)
        .map(|_| [random.magnitude(1e-300, 1e12), -random.magnitude(1e-3, 1e3)])
        .collect();
    let particles = particles_at(&points);
    let text = serde_json::to_string(&particles).unwrap();
    let back: Particles<2, f64> = serde_json::from_str(&text).unwrap();
    for axis in 0..2 {
        let pairs = back.positions(axis).iter().zip(particles.positions(axis));
        let differ = pairs.filter(|(back, original)| back.to_bits() != original.to_bits()).count();
        assert_eq!(differ, 0, "of {} positions differ on axis {axis}", points.len());
    }
}

#[test]
fn sticks_round_trip_with_every_column() {
    let Mesh { sticks, .. } = Recipe::large(50).mesh::<3, f32>();
    let text = serde_json::to_string(&sticks).unwrap();
    let back: Sticks = serde_json::from_str(&text).unwrap();
    assert_eq!((back.ends(), back.particles()), (sticks.ends(), sticks.particles()));
    assert_eq!(back.rests(), sticks.rests());
    for stick in 0..sticks.len() {
        assert_eq!(back.stiffness(stick), sticks.stiffness(stick));
        assert_eq!(back.compliance(stick), sticks.compliance(stick));
        assert_eq!(back.kind(stick), sticks.kind(stick));
        assert_eq!(back.is_torn(stick), sticks.is_torn(stick));
    }
}

/// `valid` with `value` at `path`.
fn with(valid: &Value, path: &str, value: Value) -> Value {
    let mut changed = valid.clone();
    *changed.pointer_mut(path).unwrap() = value;
    changed
}

#[test]
fn invalid_particles_are_rejected() {
    let valid = to_value(particles_at(&[[1.0_f32, 2.0], [3.0, 4.0]])).unwrap();
    let read = |value: Value| from_value::<Particles<2>>(value).map_err(|e| e.to_string());
    assert!(read(valid.clone()).is_ok());
    let rejected = |path, value, expected: &str| {
        let error = read(with(&valid, path, value)).unwrap_err();
        assert!(error.contains(expected), "{path}: {error}");
    };
    rejected("/dimensions", json!(3), "the particles have 3 dimensions: expected 2");
    let odd = "the positions have 3 coordinates: expected a multiple of 2";
    rejected("/positions", json!([1.0, 2.0, 3.0]), odd);
    rejected("/positions", json!([1.0, 2.0]), "differ in number: 2 and 4 coordinates");
    rejected("/previous", json!([]), "differ in number: 4 and 0 coordinates");
    rejected("/inverse_masses", json!([1.0]), "2 points came with 1 inverse masses");
    rejected("/inverse_masses/1", json!(-1.0), "particle 1 has the inverse mass -1");
    rejected("/positions/3", json!(1e13), "particle 1 is at");
    rejected("/positions/3", json!(1e39), "particle 1 is at inf");
    rejected("/previous/2", json!(-1e13), "particle 1 is at");
    rejected("/positions/0", Value::Null, "null");
    assert!(from_value::<Particles<3>>(valid.clone()).is_err());
    let zeros = read(with(&valid, "/previous/0", json!(-0.0))).unwrap();
    assert_eq!(zeros.previous(0)[0].to_bits(), 0, "-0.0 becomes +0.0");
}

#[test]
fn invalid_sticks_are_rejected() {
    let valid = to_value(crate::meshes::unit_sticks(3, &[[0, 1], [1, 2]])).unwrap();
    let read = |value: Value| from_value::<Sticks>(value).map_err(|e| e.to_string());
    assert!(read(valid.clone()).is_ok());
    let rejected = |path, value, expected: &str| {
        let error = read(with(&valid, path, value)).unwrap_err();
        assert!(error.contains(expected), "{path}: {error}");
    };
    rejected("/ends/1/1", json!(3), "stick 1 ends at particle 3");
    rejected("/ends/1/1", json!(1), "stick 1 has particle 1 at both ends");
    rejected("/particles", json!(2), "stick 1 ends at particle 2");
    rejected("/rest/1", json!(0.0), "stick 1 has the rest length 0");
    rejected("/rest", json!([1.0]), "2 pairs came with 1 rest lengths");
    rejected("/stiffness/1", json!(0.0), "stick 1 has the stiffness 0");
    rejected("/compliance/0", json!(-1.0), "stick 0 has the compliance -1");
    rejected("/kind/0", json!("Elastic"), "Elastic");
    for column in ["/stiffness", "/compliance", "/kind", "/torn"] {
        rejected(column, json!([]), "differ in length");
    }
}

/// Schedules allocate memory for as many particles as the sticks state.
#[test]
fn the_number_of_particles_of_sticks_is_limited() {
    let valid = to_value(crate::meshes::unit_sticks(3, &[[0, 1], [1, 2]])).unwrap();
    let read = |particles: u64| from_value::<Sticks>(with(&valid, "/particles", json!(particles)));
    let limit = PARTICLES_MAX as u64;
    assert_eq!(read(limit).unwrap().particles(), PARTICLES_MAX, "isolated particles are allowed");
    for requested in [limit + 1, 4_294_967_294, u64::MAX] {
        let error = read(requested).unwrap_err().to_string();
        let expected = format!(
            "the number of particles of the sticks is {requested}; it must be at most {limit}"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn kinds_and_formulas_are_serialized_as_names() {
    assert_eq!(to_value([Kind::TwoSided, Kind::Maximum]).unwrap(), json!(["TwoSided", "Maximum"]));
    for formula in Formula::ALL {
        assert_eq!(to_value(formula).unwrap(), json!(formula.name()));
        assert_eq!(from_value::<Formula>(json!(formula.name())).unwrap(), formula);
    }
}

#[test]
fn steps_round_trip_and_schedules_are_validated_against_their_sticks() {
    let step = Step::<2> { dt: 0.1, acceleration: [1.0, -2.5], ..Step::default() };
    let text = serde_json::to_string(&step).unwrap();
    assert_eq!(serde_json::from_str::<Step<2>>(&text).unwrap(), step);
    let error = serde_json::from_str::<Step<3>>(&text).unwrap_err().to_string();
    assert!(error.contains("expected 3 numbers, found 2"), "{error}");
    // Earlier versions had `damping`, the fraction of velocity lost per substep.
    let old = text.replace("damping_rate", "damping");
    let error = serde_json::from_str::<Step<2>>(&old).unwrap_err().to_string();
    assert!(error.contains("unknown field `damping`"), "{error}");
    assert!(error.contains("`damping_rate`"), "{error}");

    let Mesh { particles, sticks, .. } = Recipe::large(50).mesh::<3, f32>();
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mut phases: Vec<Vec<Vec<Vec<u32>>>> = from_value(to_value(&schedule).unwrap()).unwrap();
    assert_eq!(Schedule::new(&sticks, &phases).unwrap(), schedule);
    phases[0][0][0].pop();
    assert!(Schedule::new(&sticks, &phases).is_err());
}
