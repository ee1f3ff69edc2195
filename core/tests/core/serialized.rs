//! Particles and sticks through JSON: bits are preserved, and invalid values rejected.

use serde_json::{Value, from_value, json, to_value};
use taut_core::{Formula, Kind, PARTICLES_MAX, Particles, Schedule, Step, Sticks};

use crate::meshes::{Mesh, Random, Recipe, at};

#[test]
fn particles_come_back_to_the_bit() {
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
    assert_eq!(to_value(at(&[[1.0_f64, 2.0], [3.0, 4.0]])).unwrap(), expected);
}

/// Of every size: a reader that rounds twice returns about one in ten of them one ulp off.
#[test]
fn f64_comes_back_to_the_bit() {
    let mut random = Random::new(9);
    let points: Vec<[f64; 2]> = (0..10_000)
        .map(|_| [random.magnitude(1e-300, 1e12), -random.magnitude(1e-3, 1e3)])
        .collect();
    let particles = at(&points);
    let text = serde_json::to_string(&particles).unwrap();
    let back: Particles<2, f64> = serde_json::from_str(&text).unwrap();
    for axis in 0..2 {
        let pairs = back.positions(axis).iter().zip(particles.positions(axis));
        let differ = pairs.filter(|(back, sent)| back.to_bits() != sent.to_bits()).count();
        assert_eq!(differ, 0, "of {} on axis {axis}", points.len());
    }
}

#[test]
fn sticks_come_back_with_every_column() {
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

/// `sane` with `value` put at the path given.
fn with(sane: &Value, path: &str, value: Value) -> Value {
    let mut changed = sane.clone();
    *changed.pointer_mut(path).unwrap() = value;
    changed
}

#[test]
fn particles_that_are_not_sane_are_refused() {
    let sane = to_value(at(&[[1.0_f32, 2.0], [3.0, 4.0]])).unwrap();
    let read = |value: Value| from_value::<Particles<2>>(value).map_err(|e| e.to_string());
    assert!(read(sane.clone()).is_ok());
    let refused = |path, value, part: &str| {
        let error = read(with(&sane, path, value)).unwrap_err();
        assert!(error.contains(part), "{path}: {error}");
    };
    refused("/dimensions", json!(3), "in 2 dimensions");
    refused("/positions", json!([1.0, 2.0, 3.0]), "in 2 dimensions");
    refused("/positions", json!([1.0, 2.0]), "differ in number");
    refused("/previous", json!([]), "differ in number");
    refused("/inverse_masses", json!([1.0]), "2 points came with 1 inverse masses");
    refused("/inverse_masses/1", json!(-1.0), "particle 1 has the inverse mass -1");
    refused("/positions/3", json!(1e13), "particle 1 is at");
    refused("/positions/3", json!(1e39), "particle 1 is at inf");
    refused("/previous/2", json!(-1e13), "particle 1 is at");
    refused("/positions/0", Value::Null, "null");
    assert!(from_value::<Particles<3>>(sane.clone()).is_err());
    let zeros = read(with(&sane, "/previous/0", json!(-0.0))).unwrap();
    assert_eq!(zeros.previous(0)[0].to_bits(), 0, "-0.0 becomes +0.0");
}

#[test]
fn sticks_that_are_not_sane_are_refused() {
    let sane = to_value(crate::meshes::joined(3, &[[0, 1], [1, 2]])).unwrap();
    let read = |value: Value| from_value::<Sticks>(value).map_err(|e| e.to_string());
    assert!(read(sane.clone()).is_ok());
    let refused = |path, value, part: &str| {
        let error = read(with(&sane, path, value)).unwrap_err();
        assert!(error.contains(part), "{path}: {error}");
    };
    refused("/ends/1/1", json!(3), "stick 1 ends at particle 3");
    refused("/ends/1/1", json!(1), "stick 1 has particle 1 at both ends");
    refused("/particles", json!(2), "stick 1 ends at particle 2");
    refused("/rest/1", json!(0.0), "stick 1 has the rest length 0");
    refused("/rest", json!([1.0]), "2 pairs came with 1 rest lengths");
    refused("/stiffness/1", json!(0.0), "stick 1 has the stiffness 0");
    refused("/compliance/0", json!(-1.0), "stick 0 has the compliance -1");
    refused("/kind/0", json!("Elastic"), "Elastic");
    for column in ["/stiffness", "/compliance", "/kind", "/torn"] {
        refused(column, json!([]), "differ in length");
    }
}

/// Schedules allocate for every particle that sticks claim to be of.
#[test]
fn sticks_may_not_claim_any_number_of_particles() {
    let sane = to_value(crate::meshes::joined(3, &[[0, 1], [1, 2]])).unwrap();
    let read = |particles: u64| from_value::<Sticks>(with(&sane, "/particles", json!(particles)));
    let most = PARTICLES_MAX as u64;
    assert_eq!(read(most).unwrap().particles(), PARTICLES_MAX, "isolated particles are fine");
    for asked in [most + 1, 4_294_967_294, u64::MAX] {
        let error = read(asked).unwrap_err().to_string();
        let expected =
            format!("the number of particles of the sticks is {asked}; it must be at most {most}");
        assert_eq!(error, expected);
    }
}

#[test]
fn kinds_and_formulas_have_names() {
    assert_eq!(to_value([Kind::TwoSided, Kind::Maximum]).unwrap(), json!(["TwoSided", "Maximum"]));
    for formula in Formula::ALL {
        assert_eq!(to_value(formula).unwrap(), json!(formula.name()));
        assert_eq!(from_value::<Formula>(json!(formula.name())).unwrap(), formula);
    }
}

#[test]
fn steps_come_back_and_schedules_go_through_their_sticks() {
    let step = Step::<2> { dt: 0.1, acceleration: [1.0, -2.5], ..Step::default() };
    let text = serde_json::to_string(&step).unwrap();
    assert_eq!(serde_json::from_str::<Step<2>>(&text).unwrap(), step);
    let error = serde_json::from_str::<Step<3>>(&text).unwrap_err().to_string();
    assert!(error.contains("expected 3 numbers, found 2"), "{error}");
    let old = text.replace("damping_rate", "damping"); // a share per substep, not a rate
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
