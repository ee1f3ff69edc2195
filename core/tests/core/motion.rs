//! Steps and the motion of free particles.

use taut_core::{Motion, Real, Step, StepError, integrate, verlet};

use crate::meshes::Random;

#[test]
fn the_default_step_is_one_sixtieth_of_a_second_under_gravity() {
    let step = Step::<3>::default();
    let expected = Step {
        dt: 1.0_f32 / 60.0,
        substeps: 8,
        iterations: 1,
        acceleration: [0.0, -9.81, 0.0],
        damping_rate: 0.603,
    };
    assert_eq!(step, expected);
    assert_eq!(Step::<1, f64>::default().acceleration, [0.0], "no second axis, no gravity");
    assert_eq!(Step::<2, f64>::default().acceleration, [0.0, -9.81]);
}

#[test]
fn motion_is_computed_in_the_documented_order() {
    fn check<S: Real>() {
        let mut random = Random::new(6);
        for _ in 0..1000 {
            let mut magnitude = |low, high| S::from_f64(random.magnitude(low, high));
            let (dt, damping_rate) = (magnitude(1e-4, 1.0), magnitude(1e-6, 1e3));
            let acceleration = [magnitude(1e-3, 1e9), S::ZERO - magnitude(1e-3, 1e9)];
            let substeps = 1 + random.below(9) as u32;
            let step = Step { dt, substeps, acceleration, damping_rate, ..Step::default() };
            let h = dt / S::from_f64(f64::from(substeps));
            let h2 = h * h;
            let expected = Motion {
                retention: S::from_f64(libm::exp(-(damping_rate.to_f64() * h.to_f64()))),
                displacement: [acceleration[0] * h2, acceleration[1] * h2],
                inverse_h2: S::ONE / h2,
            };
            assert_eq!(step.motion(), Ok(expected));
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn every_invalid_step_is_rejected_with_its_value() {
    let valid = Step::<2> { substeps: 1, ..Step::default() };
    let rejected = |step: Step<2>| step.motion().unwrap_err();
    assert_eq!(rejected(Step { substeps: 0, ..valid }), StepError::NoSubsteps);
    for dt in [0.0, -1.0, 0.999e-5, 10.001, f32::INFINITY, f32::NAN] {
        let StepError::Substep { substep } = rejected(Step { dt, ..valid }) else {
            panic!("another error for a substep of {dt} s");
        };
        assert_eq!(substep.to_bits(), f64::from(dt).to_bits());
    }
    let too_fine = Step { substeps: 2000, ..valid };
    assert!(matches!(rejected(too_fine), StepError::Substep { substep } if substep < 1e-5));
    for damping_rate in [-1e-6, 1.001e9, f32::INFINITY, f32::NAN] {
        let StepError::DampingRate { damping_rate: reported } =
            rejected(Step { damping_rate, ..valid })
        else {
            panic!("another error for a damping rate of {damping_rate} 1/s");
        };
        assert_eq!(reported.to_bits(), f64::from(damping_rate).to_bits());
    }
    for value in [-1.001e9, 1.001e9, f32::INFINITY, f32::NAN] {
        for axis in 0..2 {
            let mut step = valid;
            step.acceleration[axis] = value;
            let StepError::Acceleration { axis: reported, value: found } = rejected(step) else {
                panic!("another error for an acceleration of {value} m/s²");
            };
            assert_eq!((reported, found.to_bits()), (axis, f64::from(value).to_bits()));
        }
    }
}

#[test]
fn the_limits_of_the_valid_ranges_are_valid() {
    for dt in [1e-5, 10.0] {
        for (damping_rate, retention) in [(0.0, 1.0), (1e9, 0.0)] {
            for value in [-1e9, 1e9] {
                let (substeps, acceleration) = (1, [value; 3]);
                let step =
                    Step::<3> { dt, substeps, damping_rate, acceleration, ..Step::default() };
                let motion = step.motion().unwrap();
                assert!(motion.inverse_h2.is_finite() && motion.displacement[0].is_finite());
                assert_eq!(motion.retention.to_bits(), f32::to_bits(retention));
            }
        }
    }
}

#[test]
fn damping_per_second_does_not_depend_on_the_number_of_substeps() {
    // The velocity after 1 s, m/s, of a particle that starts at 1 m/s.
    let speed = |substeps: u32, damping_rate: f64| {
        let step = Step::<1, f64> { substeps, damping_rate, ..Step::default() };
        let Motion { retention, displacement: [displacement], .. } = step.motion().unwrap();
        let h = step.dt / f64::from(substeps);
        let (mut previous, mut x) = (-h, 0.0);
        for _ in 0..60 * substeps {
            (previous, x) = (x, verlet(x, previous, retention, displacement));
        }
        (x - previous) / h
    };
    for damping_rate in [0.0, 1e-3, 0.603, 3.0, 60.0] {
        let decay = libm::exp(-damping_rate);
        for substeps in [1, 4, 8, 16, 300] {
            let error = speed(substeps, damping_rate) - decay;
            assert!(
                error.abs() < 1e-10,
                "{substeps} substeps, {damping_rate} 1/s: {error} m/s off"
            );
        }
    }
}

#[test]
fn a_fraction_lost_per_substep_converts_to_a_damping_rate() {
    type StepF64 = Step<1, f64>;
    for h in [1e-5, 1.0 / 480.0, 1.0 / 60.0, 10.0] {
        assert_eq!(StepF64::damping_rate_from_fraction(0.0, h).to_bits(), 0);
        assert_eq!(StepF64::damping_rate_from_fraction(1.0, h), StepF64::DAMPING_RATE_MAX);
        for fraction in [-0.1, 1.1, f64::NAN] {
            let rate = StepF64::damping_rate_from_fraction(fraction, h);
            let step = StepF64 { dt: h, substeps: 1, damping_rate: rate, ..Step::default() };
            assert!(step.motion().is_err(), "no error for {fraction}, which is {rate} 1/s");
        }
        for fraction in [1e-6, 0.005, 0.01, 0.5, 0.999] {
            let rate = Step::<1>::damping_rate_from_fraction(fraction, h as f32);
            let step =
                Step::<1> { dt: h as f32, substeps: 1, damping_rate: rate, ..Step::default() };
            let lost = 1.0 - step.motion().unwrap().retention;
            // The rate and the retention are each rounded by up to half an ulp.
            assert!((lost - fraction).abs() < 1e-7, "lost {lost} in {h} s, expected {fraction}");
        }
    }
}

#[test]
fn verlet_adds_the_retained_motion_first_and_then_that_of_the_acceleration() {
    // With these values, the other order gives different bits.
    let (x, previous, retention, displacement) = (1.0_f32, 0.3, 0.99, -1e-7);
    assert_eq!(
        verlet(x, previous, retention, displacement),
        (x + (x - previous) * retention) + displacement
    );
    assert_ne!(
        verlet(x, previous, retention, displacement),
        x + ((x - previous) * retention + displacement)
    );
    assert_eq!(verlet(5.0_f64, 4.0, 0.5, 0.25), 5.75);
}

#[test]
fn free_particles_move_by_verlet_and_pinned_ones_keep_their_bits() {
    for inverse_mass in [1e-9_f32, 1.0, 1e9] {
        assert_eq!(integrate(1.0, 0.3, inverse_mass, 0.99, -1e-7), verlet(1.0, 0.3, 0.99, -1e-7));
    }
    for previous in [0.3, f32::NAN, f32::INFINITY] {
        assert_eq!(integrate(0.1, previous, 0.0, 0.99, -9.81).to_bits(), 0.1_f32.to_bits());
    }
}

#[test]
fn motion_gives_no_negative_zero() {
    let values = [0.0, 1e-45, -1e-45, 1e-20, -1e-20, 1.0, -1.0, 1e12, -1e12];
    for x in values {
        for previous in values {
            for retention in [0.0, 0.5, 1.0] {
                for displacement in values {
                    let moved: f32 = verlet(x, previous, retention, displacement);
                    assert_ne!(
                        moved.to_bits(),
                        (-0.0_f32).to_bits(),
                        "-0.0 from x {x}, previous {previous}, retention {retention}, \
                         displacement {displacement}"
                    );
                }
            }
        }
    }
    // The displacement of a step is not -0.0 either: it is +0.0 for accelerations of 0.0 and -0.0,
    // and for a negative one that underflows.
    for zero in [0.0, -0.0, -1e-45] {
        let step = Step::<1> { acceleration: [zero], ..Step::default() };
        assert_eq!(step.motion().unwrap().displacement[0].to_bits(), 0);
    }
}

#[test]
fn a_particle_at_rest_begins_to_move_below_the_rounding_limit_only() {
    fn check<S: Real>(dts: [f64; 3]) {
        for dt in dts.map(S::from_f64) {
            let accelerations = [9.81, -9.81, 1e-6, -1e9, 1.0].map(S::from_f64);
            let step =
                Step::<5, S> { dt, substeps: 4, acceleration: accelerations, ..Step::default() };
            let displacements = step.motion().unwrap().displacement;
            let limits = step.rounding_limit().unwrap();
            for (limit, displacement) in limits.into_iter().zip(displacements) {
                // On the side of 0 to which the particle falls, because there the floats just beyond
                // the limit have the spacing of floats at `limit`.
                let sign = if displacement < S::ZERO { -1.0 } else { 1.0 };
                let moves = |fraction: f64| {
                    let x = limit * S::from_f64(sign * fraction);
                    x + displacement != x
                };
                assert!(limit > S::ZERO && !moves(1.0), "{displacement:?} moves at {limit:?}");
                let all_move = [0.999, 0.75, 0.501].into_iter().all(moves);
                assert!(all_move, "{displacement:?} does not move below {limit:?}");
            }
        }
    }
    check::<f32>([1e-3, 1.0 / 60.0, 1.0]);
    check::<f64>([1e-3, 1.0 / 60.0, 1.0]);
    let step = Step::<3> { acceleration: [0.0, -9.81, -0.0], ..Step::default() };
    let limits = step.rounding_limit().unwrap();
    assert!(limits[0].is_infinite() && limits[1].is_finite() && limits[2].is_infinite());
    assert!(Step::<3> { substeps: 0, ..step }.rounding_limit().is_err());
}
