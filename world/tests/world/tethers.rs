//! Tethers keep hanging cloth from stretching, even after changes of its pins and sticks.

use std::sync::Arc;

use taut_core::{Duplicates, Particles, Step, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    Axes, Capsule, Cloth, Model, ModelError, Path, Rope, Scene, Solid, StickSet, Surface, Tethers,
    Warning, World, WorldError,
};

use super::make::{coarse, drape, scene, steps, unconnected, world};

/// A scene of one model, with `substeps` substeps of one iteration.
fn substepped(model: Model, substeps: u32) -> Scene {
    let mut scene = scene("sheet", model);
    scene.settings.step = Step { substeps, iterations: 1, ..scene.settings.step };
    scene
}

fn tethered(model: Model) -> Model {
    model.tethered(Tethers::default()).unwrap()
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
}

#[test]
fn cloth_that_hangs_from_a_row_does_not_stretch() {
    for set in [StickSet::Structural, StickSet::All] {
        let rms_stretch = [false, true].map(|is_tethered| {
            let model = drape(24, set);
            let model = if is_tethered { tethered(model) } else { model };
            let mut world = world(&substepped(model, 1));
            steps(&mut world, 240);
            assert_eq!(world.tether_count(), if is_tethered { 24 * 23 } else { 0 });
            world.diagnostics().unwrap().stretch.rms
        });
        assert!(
            rms_stretch[1] < 1e-4 && rms_stretch[1] < 0.01 * rms_stretch[0],
            "rms stretch without and with tethers: {rms_stretch:?}"
        );
    }
}

#[test]
fn the_distance_to_the_opposite_corner_is_the_diagonal() {
    // The sheet is pinned at one corner and pulled at the opposite one. The distance along the sheet is
    // the diagonal of 2.5 m, not the path along two edges.
    let cloth = Cloth { columns: 21, rows: 16, width: 2.0, height: 1.5, ..Cloth::default() };
    let model = Model::cloth(&cloth).unwrap().with_group("pin", [0]).unwrap().pinned("pin");
    let mut world = world(&substepped(tethered(model), 8));
    steps(&mut world, 1);
    let last = 21 * 16 - 1;
    world.grab(last).unwrap();
    world.drag(last, [0.0, -10.0, 0.0]).unwrap();
    steps(&mut world, 1);
    world.release(last).unwrap();
    steps(&mut world, 240);
    let length = distance(world.position(0), world.position(last));
    assert!(length < 2.5 * 1.0001, "{length} m");
    assert_eq!(world.tether_count(), 21 * 16 - 1);
}

#[test]
fn particles_are_tethered_to_the_requested_number_of_pin_clusters() {
    let cloth = || Model::cloth(&Cloth { columns: 9, rows: 9, ..Cloth::default() }).unwrap();
    // Of the 81 particles, 77 are free. Each pinned corner is a pin cluster, so there are four.
    for (anchors, expected) in [(1, 77), (2, 2 * 77), (3, 3 * 77), (16, 4 * 77)] {
        let tethers = Tethers { anchors, ..Tethers::default() };
        let mut world = world(&substepped(cloth().pinned("corners").tethered(tethers).unwrap(), 8));
        steps(&mut world, 1);
        assert_eq!(world.tether_count(), expected);
    }
}

#[test]
fn slack_is_a_multiple_of_the_distance_along_the_rest_shape() {
    let model = drape(12, StickSet::Structural);
    let mut model = model.tethered(Tethers { slack: 1.25, anchors: 1 }).unwrap();
    for stick in 0..model.sticks.len() {
        model.sticks.set_compliance(stick, 10.0).unwrap(); // so soft that it hardly acts
    }
    let rest = distance(model.particles.position(0), model.particles.position(11 * 12));
    let mut world = world(&substepped(model, 8));
    steps(&mut world, 600);
    let slack = distance(world.position(0), world.position(11 * 12)) / rest;
    assert!((slack - 1.25).abs() < 1e-4, "{slack} times the distance along the rest shape");
}

#[test]
fn pins_may_change_and_grabbed_particles_are_not_anchors() {
    let mut world = world(&substepped(tethered(drape(8, StickSet::All)), 8));
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 8 * 7);
    world.grab(60).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 8 * 7); // the tether of the particle stays, but does not act
    world.pin(60).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 8 * 7); // still grabbed, so not an anchor
    world.release(60).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 2 * (8 * 7 - 1)); // to the row and to the new pin
    world.unpin(60).unwrap();
    for pin in 0..8 {
        world.set_inverse_mass(pin, 1.0).unwrap();
    }
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 0);
}

#[test]
fn a_pin_that_jumps_pulls_at_30_m_per_s_at_most() {
    let mut scene = substepped(tethered(drape(8, StickSet::Structural)), 1);
    scene.settings.step.iterations = 0; // so that only tethers move particles
    scene.settings.step.acceleration = [0.0; 3];
    let mut world = world(&scene);
    steps(&mut world, 1);
    let mut before: Vec<_> = world.positions().collect();
    for pin in 0..8 {
        let [x, y, z] = world.position(pin);
        world.set_position(pin, [x + 100.0, y, z]).unwrap();
    }
    for _ in 0..20 {
        steps(&mut world, 1);
        for (particle, before) in before.iter_mut().enumerate().skip(8) {
            let now = world.position(particle);
            let moved = distance(*before, now);
            assert!(moved > 0.49 && moved <= 30.0 / 60.0 * 1.000_1, "moved by {moved} m");
            *before = now;
        }
    }
}

#[test]
fn guided_pins_move_their_tethers() {
    let path = Path::Oscillating { amplitude: [0.0, 0.5, 0.0], period: 1.0 };
    let guided = drape(10, StickSet::Structural).guided("top", path, None).unwrap();
    let mut world = world(&substepped(tethered(guided), 8));
    let length = distance(world.position(0), world.position(90));
    for _ in 0..120 {
        steps(&mut world, 1);
        for column in 0..10 {
            let now = distance(world.position(column), world.position(90 + column));
            assert!(now < 1.01 * length, "{now} m, at rest {length} m");
        }
    }
}

/// Tears the sticks of a sheet of `size` x `size` particles that cross the line below `row` in the first
/// `columns` columns.
fn cut(world: &mut World, size: usize, row: usize, columns: usize) {
    let range = world.sticks_of("sheet").unwrap();
    for stick in range {
        let (island, index) = world.locate_stick(stick).unwrap();
        let [a, b] = world.islands()[island].model.sticks.ends()[index].map(|end| end as usize);
        let rows = [a.min(b) / size, a.max(b) / size];
        if rows[0] <= row && rows[1] > row && (a % size).min(b % size) < columns {
            world.tear(stick).unwrap();
        }
    }
}

#[test]
fn after_a_cut_tethers_follow_a_path_around_it_or_are_removed() {
    let size = 12;
    let mut world = world(&substepped(tethered(drape(size, StickSet::All)), 8));
    steps(&mut world, 30);
    let whole = world.tether_count();
    // A slit with a path around it.
    cut(&mut world, size, 5, size / 2);
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), whole);
    let above_slit = distance(world.position(0), world.position(5 * size));
    steps(&mut world, 300);
    let to_corner = distance(world.position(0), world.position((size - 1) * size));
    assert!(
        to_corner > 2.0 * above_slit,
        "the corner below the slit has not sunk: it is {to_corner} m from the top"
    );
    // A cut across the whole sheet.
    cut(&mut world, size, 5, size);
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 5 * size); // the five free rows above the cut
    steps(&mut world, 120);
    assert!(world.position(size * size - 1)[1] < -2.0, "the part below the cut does not fall");
}

#[test]
fn a_hole_of_one_particle_leaves_the_particles_below_it_tethered() {
    let size = 12;
    let mut world = world(&substepped(tethered(drape(size, StickSet::Structural)), 8));
    steps(&mut world, 1);
    // Tears all sticks of one particle.
    for stick in world.sticks_of("sheet").unwrap() {
        let (island, index) = world.locate_stick(stick).unwrap();
        let ends = world.islands()[island].model.sticks.ends()[index];
        if ends.contains(&(5 * size as u32 + 6)) {
            world.tear(stick).unwrap();
        }
    }
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), size * (size - 1) - 1); // all free particles but the loose one
    steps(&mut world, 240);
    let hanging = distance(world.position(6), world.position(11 * size + 6));
    let length = distance(world.position(0), world.position(11 * size));
    assert!(hanging < 1.1 * length, "{hanging} m, at rest {length} m");
}

#[test]
fn a_world_with_tethers_resumes_to_the_same_bits() {
    let scene = substepped(tethered(drape(10, StickSet::All).tearing_at(1.5)), 8);
    let mut first = world(&scene);
    steps(&mut first, 20);
    first.grab(95).unwrap();
    first.drag(95, [2.0, -2.0, 0.5]).unwrap();
    steps(&mut first, 5);
    assert!(first.torn() > 0);
    for reordered in [false, true] {
        if reordered {
            first.reorder(|_| ScalarKernel).unwrap();
        }
        let snapshot = first.snapshot();
        let mut second = World::resume(&scene, |_| ScalarKernel, &snapshot).unwrap();
        for _ in 0..30 {
            steps(&mut first, 1);
            steps(&mut second, 1);
            assert_eq!(first.hash(), second.hash());
            assert_eq!(first.tether_count(), second.tether_count());
        }
    }
}

#[test]
fn a_watched_step_with_tethers_has_the_same_bits() {
    let scene = substepped(tethered(drape(20, StickSet::All)), 8);
    let (mut plain, mut watched) = (world(&scene), world(&scene));
    let mut parts = std::collections::BTreeSet::new();
    for _ in 0..20 {
        steps(&mut plain, 1);
        let mut record = |part| {
            parts.insert(part);
        };
        assert!(watched.step_watched(&taut_core::Inline, &mut record).unwrap().finite);
        assert_eq!(plain.hash(), watched.hash());
    }
    assert!(parts.contains(&taut_world::StepPart::Tethers));
}

#[test]
fn a_tether_over_a_pole_pulls_no_particle_into_it() {
    // The cloth is pinned on one side of a pole, and hangs over it on the other side.
    let cloth = Cloth {
        columns: 9,
        rows: 41,
        width: 0.4,
        height: 2.0,
        axes: Axes::HORIZONTAL,
        ..Cloth::default()
    };
    let model = Model::cloth(&cloth).unwrap().pinned("top").moved([0.0, 1.0, 0.0]);
    let mut scene = substepped(tethered(model), 8);
    let pole = Capsule::new([[-2.0, 0.85, -0.2], [2.0, 0.85, -0.2]], 0.1).unwrap();
    let surface = Surface { friction: 0.0, thickness: 0.02, ..Surface::default() };
    scene.obstacles.push(Arc::new(Solid::new(pole).with(surface).unwrap()));
    let mut world = world(&scene);
    for _ in 0..300 {
        steps(&mut world, 1);
        assert!(world.diagnostics().unwrap().depth < 1e-3);
    }
    let end = world.position(9 * 41 - 1);
    assert!(end[1] < 0.6, "{end:?} does not hang");
}

/// Simulates a sheet that starts horizontal and is pinned along an edge. Returns how far its centre
/// falls, and how far it then swings back up, m.
fn swing(model: Model, substeps: u32) -> [f64; 2] {
    let mut world = world(&substepped(model, substeps));
    let height = |world: &World| {
        let sum: f64 = world.positions().map(|[_, y, _]| f64::from(y)).sum();
        sum / world.len() as f64
    };
    let start = height(&world);
    let (mut lowest, mut rise) = (start, 0.0_f64);
    for _ in 0..300 {
        steps(&mut world, 1);
        let now = height(&world);
        lowest = lowest.min(now);
        rise = rise.max(now - lowest);
    }
    [start - lowest, rise]
}

#[test]
fn tethers_do_not_make_a_sheet_swing_back_higher() {
    // Inextensible cloth swings to the other side, where it rises by 55 % of its fall, as 64 substeps
    // without tethers show. Tethers must not make it rise higher.
    let cloth = Cloth { columns: 24, rows: 24, axes: Axes::HORIZONTAL, ..Cloth::default() };
    let cloth = Model::cloth(&cloth).unwrap().pinned("top");
    let [_, untethered_rise] = swing(cloth.clone(), 64);
    for substeps in [4, 8, 16] {
        let [fall, rise] = swing(tethered(cloth.clone()), substeps);
        assert!(fall > 0.49 && fall < 0.501, "{substeps} substeps: falls by {fall} m");
        assert!(
            rise < untethered_rise + 0.02 * fall,
            "{substeps} substeps: rises by {rise} m, without tethers {untethered_rise} m"
        );
    }
}

#[test]
fn unconnected_particles_have_no_tethers_and_cause_a_warning() {
    let mut scene = substepped(tethered(drape(6, StickSet::All)), 8);
    let rope = Model::rope(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &Rope::default()).unwrap();
    let particles = rope.particles.len();
    scene.add("rope", tethered(rope)).unwrap();
    let warnings = scene.warnings();
    assert_eq!(warnings, [Warning::Untethered { model: "rope".to_owned(), particles }]);
    assert!(warnings[0].to_string().contains("model 'rope'"));
    let mut world = world(&scene);
    steps(&mut world, 1);
    assert_eq!(world.tether_count(), 30);
    // A grabbed particle is no anchor.
    let last = world.len() - 1;
    world.grab(last).unwrap();
    steps(&mut world, 1);
    assert_eq!((world.warnings(), world.tether_count()), (warnings, 30));
}

#[test]
fn ropes_unconnected_particles_and_empty_models_can_be_tethered() {
    let rope = Model::rope(&[[0.0, 0.0, 0.0], [0.0, -2.0, 0.0]], &Rope::default()).unwrap();
    let mut world = world(&substepped(tethered(rope.pinned("start")), 8));
    let last = world.len() - 1;
    steps(&mut world, 240);
    let length = distance(world.position(0), world.position(last));
    assert!(length < 2.0002, "{length} m");

    let unconnected = unconnected(&[[0.0; 3], [1.0, 0.0, 0.0]], &[0.0, 1.0]);
    let mut world = super::make::world(&substepped(tethered(unconnected), 8));
    steps(&mut world, 2);
    assert_eq!(world.tether_count(), 0);

    let none = Sticks::with_rests(0, &[], &[], Duplicates::Keep).unwrap();
    let empty = Model::new(Particles::new(&[], &[]).unwrap(), none);
    let mut world = super::make::world(&substepped(tethered(empty), 8));
    steps(&mut world, 2);
}

#[test]
fn tether_parameters_out_of_range_are_rejected() {
    for (slack, anchors) in
        [(0.999, 4), (f32::NAN, 4), (f32::INFINITY, 4), (-1.0, 4), (1.0, 0), (1.0, 1000)]
    {
        let result = drape(4, StickSet::All).tethered(Tethers { slack, anchors });
        assert!(
            matches!(result, Err(ModelError::OutOfRange { .. })),
            "slack {slack}, anchors {anchors}"
        );
    }
}

#[test]
fn a_model_among_many_has_as_many_tethers_as_alone() {
    // Each rope is pinned at both ends, so twenty ropes have more than 16 pin clusters.
    let rope = Model::rope(&[[0.0; 3], [1.0, 0.0, 0.0]], &Rope::default()).unwrap();
    let rope = rope.pinned("ends").tethered(Tethers::default()).unwrap();
    let mut alone = world(&scene("rope", rope.clone()));
    steps(&mut alone, 1);
    let mut many = Scene::new();
    many.settings.step = coarse();
    many.add_copies("rope", &rope, (0..20).map(|copy| [0.0, 0.0, copy as f32])).unwrap();
    let mut many = world(&many);
    steps(&mut many, 1);
    assert_eq!(many.tether_count(), 20 * alone.tether_count());
}

#[test]
fn more_sticks_in_a_tethered_island_are_an_error() {
    let sheet =
        |size| Model::drape(size, StickSet::All).unwrap().tethered(Tethers::default()).unwrap();
    let mut scene = Scene::<3>::new();
    scene.add("sheet", sheet(4)).unwrap();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    assert!(world.step().unwrap().finite);
    world.islands_mut()[0].model.sticks = sheet(5).sticks;
    assert!(matches!(world.step(), Err(WorldError::Plan(_))));
}
