//! Stretch, compression and residual.

use taut_core::{Duplicates, Kind, Sticks, Stretch};

use crate::meshes::{particles_at, unit_sticks};

#[test]
fn torn_sticks_are_excluded_and_one_sided_sticks_count_as_0_where_they_do_not_act() {
    // Lengths 1.5, 0.8 and 2 at rest lengths of 1.
    let mut particles = particles_at(&[[0.0_f32], [1.5], [0.7], [2.7]]);
    let mut sticks = unit_sticks(4, &[[0, 1], [1, 2], [2, 3]]);
    let near = |value: f64, expected: f64| (value - expected).abs() < 1e-6;
    // `squares`: sums of squares over `count` sticks. In `squares` and in `max` the first value is of the
    // stretch, the second of the compression.
    let assert_stretch = |stretch: Stretch, squares: [f64; 2], count: f64, max: [f64; 2]| {
        assert!(
            near(stretch.rms, (squares[0] / count).sqrt()) && near(stretch.max, max[0]),
            "{stretch:?}"
        );
        let compression = (squares[1] / count).sqrt();
        assert!(near(stretch.compression_rms, compression), "{stretch:?}");
        assert!(near(stretch.compression_max, max[1]), "{stretch:?}");
        assert!(
            near(stretch.residual_rms(), ((squares[0] + squares[1]) / count).sqrt()),
            "{stretch:?}"
        );
        assert!(near(stretch.residual_max(), max[0].max(max[1])), "{stretch:?}");
    };
    assert_stretch(Stretch::of(&particles, &sticks), [0.25 + 1.0, 0.04], 3.0, [1.0, 0.2]);
    sticks.tear(2).unwrap();
    assert_stretch(Stretch::of(&particles, &sticks), [0.25, 0.04], 2.0, [0.5, 0.2]);
    sticks.set_kind(0, Kind::Minimum).unwrap();
    assert_stretch(Stretch::of(&particles, &sticks), [0.0, 0.04], 2.0, [0.0, 0.2]);
    sticks.set_kind(1, Kind::Maximum).unwrap();
    assert_stretch(Stretch::of(&particles, &sticks), [0.0, 0.0], 2.0, [0.0, 0.0]);
    sticks.set_kind(0, Kind::Maximum).unwrap();
    sticks.set_kind(1, Kind::Minimum).unwrap();
    assert_stretch(Stretch::of(&particles, &sticks), [0.25, 0.04], 2.0, [0.5, 0.2]);

    particles.positions_mut(0)[3] = f32::NAN; // an end of the torn stick only
    assert_stretch(Stretch::of(&particles, &sticks), [0.25, 0.04], 2.0, [0.5, 0.2]);
    particles.positions_mut(0)[0] = f32::NAN;
    let stretch = Stretch::of(&particles, &sticks);
    let all = [stretch.rms, stretch.max, stretch.compression_rms, stretch.compression_max];
    assert!(all.iter().all(|value| value.is_nan()), "a NaN position gives NaN");
    assert!(stretch.residual_rms().is_nan() && stretch.residual_max().is_nan(), "{stretch:?}");
    assert_eq!(Stretch::of(&particles, &unit_sticks(4, &[])), Stretch::default());
}

#[test]
fn stretch_is_relative_to_the_rest_length() {
    let particles = particles_at(&[[0.0_f32], [3.0], [4.0]]);
    let ends = [[0, 1], [1, 2]];
    let sticks = Sticks::with_rests(3, &ends, &[2.0, 4.0], Duplicates::Keep).unwrap();
    let stretch = Stretch::of(&particles, &sticks);
    assert_eq!((stretch.max, stretch.compression_max), (0.5, 0.75));
}

#[test]
fn an_infinite_position_gives_an_infinite_stretch() {
    let mut particles = particles_at(&[[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    let sticks = unit_sticks(3, &[[0, 1], [1, 2]]);
    particles.positions_mut(1)[2] = f32::INFINITY;
    let stretch = Stretch::of(&particles, &sticks);
    assert_eq!((stretch.rms, stretch.max), (f64::INFINITY, f64::INFINITY));
    assert_eq!((stretch.compression_rms, stretch.compression_max), (0.0, 0.0));
}
