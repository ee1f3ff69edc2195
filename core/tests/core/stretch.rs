//! The residual.

use taut_core::{Kind, Stretch};

use crate::meshes::{at, joined};

#[test]
fn the_residual_is_over_sticks_that_act() {
    // Lengths 1.5, 0.8 and 2 at rest lengths of 1.
    let mut particles = at(&[[0.0_f32], [1.5], [0.7], [2.7]]);
    let mut sticks = joined(4, &[[0, 1], [1, 2], [2, 3]]);
    let assert_is = |stretch: Stretch, squares: f64, count: f64, max: f64| {
        assert!((stretch.rms - (squares / count).sqrt()).abs() < 1e-6, "{stretch:?}");
        assert!((stretch.max - max).abs() < 1e-6, "{stretch:?}");
    };
    assert_is(Stretch::of(&particles, &sticks), 0.25 + 0.04 + 1.0, 3.0, 1.0);
    sticks.tear(2).unwrap();
    assert_is(Stretch::of(&particles, &sticks), 0.25 + 0.04, 2.0, 0.5);
    sticks.set_kind(0, Kind::Minimum).unwrap();
    assert_is(Stretch::of(&particles, &sticks), 0.04, 2.0, 0.2);
    sticks.set_kind(1, Kind::Maximum).unwrap();
    assert_is(Stretch::of(&particles, &sticks), 0.0, 2.0, 0.0);
    sticks.set_kind(0, Kind::Maximum).unwrap();
    sticks.set_kind(1, Kind::Minimum).unwrap();
    assert_is(Stretch::of(&particles, &sticks), 0.25 + 0.04, 2.0, 0.5);

    particles.positions_mut(0)[3] = f32::NAN;
    assert_is(Stretch::of(&particles, &sticks), 0.25 + 0.04, 2.0, 0.5);
    particles.positions_mut(0)[0] = f32::NAN;
    let stretch = Stretch::of(&particles, &sticks);
    assert!(stretch.rms.is_nan() && stretch.max.is_nan(), "NaN is not hidden");
    assert_eq!(Stretch::of(&particles, &joined(4, &[])), Stretch::default());
}

#[test]
fn infinity_does_not_hide_either() {
    let mut particles = at(&[[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    let sticks = joined(3, &[[0, 1], [1, 2]]);
    particles.positions_mut(1)[2] = f32::INFINITY;
    let stretch = Stretch::of(&particles, &sticks);
    assert_eq!((stretch.rms, stretch.max), (f64::INFINITY, f64::INFINITY));
}
