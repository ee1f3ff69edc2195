//! Ties between models: forces, momentum, breaking, snapshots and errors.

use taut_core::{Duplicates, Formula, Kind, Particles, Step, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    Cloth, Model, Place, Ragdoll, Rope, Scene, SnapshotError, StickSet, Tie, TieEnd, TieProblem,
    WhichEnd, World, WorldError,
};

use crate::make::{steps, unconnected, world};

/// A tie of two particles, each given by the name of its model and its index there.
fn tie_of_particles([from, to]: [(&str, u32); 2]) -> Tie {
    let tie_end = |(model, particle)| TieEnd::new(model, Place::Particle(particle));
    Tie::between([from, to].map(tie_end))
}

/// A pinned hook at the origin and a weight of `mass` kg 1 m below it, joined by the tie.
fn hanging(mass: f32, tie: &Tie) -> Scene {
    let mut scene = Scene::new();
    scene.add("hook", unconnected(&[[0.0; 3]], &[0.0])).unwrap();
    scene.add("weight", unconnected(&[[0.0, -1.0, 0.0]], &[1.0 / mass])).unwrap();
    scene.attach(tie).unwrap();
    scene
}

/// A tie of 1 m between the hook and the weight of [`hanging`].
fn hook_and_weight() -> Tie {
    Tie { distance: 1.0, ..tie_of_particles([("hook", 0), ("weight", 0)]) }
}

#[test]
fn a_tie_of_particles_has_the_bits_of_a_stick() {
    let points = [[0.0, 0.0, 0.0], [0.6, 0.1, 0.2]];
    let inverse_masses = [0.0, 3.0];
    for formula in Formula::ALL {
        for (kind, compliance) in
            [(Kind::TwoSided, 0.0), (Kind::Maximum, 1e-3), (Kind::Minimum, 0.0)]
        {
            let particles_of_all = Particles::new(&points, &inverse_masses).unwrap();
            let pairs = [[0, 1]];
            let mut sticks = Sticks::with_rests(2, &pairs, &[0.7], Duplicates::Keep).unwrap();
            sticks.set_kind(0, kind).unwrap();
            sticks.set_compliance(0, compliance).unwrap();
            let mut joined = Scene::new();
            joined.add("all", Model::new(particles_of_all, sticks)).unwrap();

            let mut tied = Scene::new();
            for (i, name) in ["one", "other"].into_iter().enumerate() {
                let model = unconnected(&points[i..=i], &inverse_masses[i..=i]);
                tied.add(name, model).unwrap();
            }
            let ends = tie_of_particles([("one", 0), ("other", 0)]).ends;
            let tie = Tie { distance: 0.7, kind, compliance, ..Tie::between(ends) };
            tied.attach(&tie).unwrap();

            let [joined, tied] = [joined, tied].map(|mut scene| {
                scene.formula = formula;
                scene.settings.passes = 2;
                scene.settings.step.iterations = 3;
                let mut world = world(&scene);
                steps(&mut world, 40);
                world.hash()
            });
            assert_eq!(tied, joined, "{formula} {kind:?}");
        }
    }
}

/// The momentum in kg m per substep: the sum of mass times displacement in the last substep.
fn momentum(world: &World) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for island in world.islands() {
        let particles = &island.model.particles;
        for (particle, inverse_mass) in particles.inverse_masses().iter().enumerate() {
            for (axis, component) in sum.iter_mut().enumerate() {
                let [x, previous] = [particles.positions(axis), particles.previous(axis)];
                let displacement = f64::from(x[particle]) - f64::from(previous[particle]);
                *component += displacement / f64::from(*inverse_mass);
            }
        }
    }
    sum
}

/// A moving rope, a box, a doll and a cloth without gravity: ties of a particle, a stick, a body, a
/// limb and a face.
#[test]
fn ties_conserve_momentum() {
    let mut scene = Scene::new();
    scene.settings.step =
        Step { acceleration: [0.0; 3], damping_rate: 0.0, iterations: 2, ..Step::default() };
    let h = 1.0 / 480.0;
    let path = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let rope = Model::rope(&path, &Rope { spacing: 0.1, ..Rope::default() }).unwrap();
    scene.add("rope", rope.moving_at([0.0, 2.0, 0.5], h)).unwrap();
    let bag = Model::rigid_box([0.2, 0.2, 0.1], 50.0).unwrap();
    scene.add("bag", bag.moved([1.1, 0.0, 0.0])).unwrap();
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    scene.add("doll", doll.moved([0.0, -1.0, 0.0])).unwrap();
    let cloth = Model::cloth(&Cloth { columns: 8, rows: 8, ..Cloth::default() }).unwrap();
    scene.add("cloth", cloth.moved([0.0, 0.6, 0.0])).unwrap();
    let corner = Place::Body { body: 0, point: Some([-0.1, 0.1, 0.05]) };
    for ends in [
        [TieEnd::group("rope", "end"), TieEnd::new("bag", corner)],
        [
            TieEnd::group("rope", "start"),
            TieEnd::new("doll", Place::Limb { limb: 2, fraction: 0.25 }),
        ],
        [
            TieEnd::new("rope", Place::Stick { stick: 4, fraction: 0.5 }),
            TieEnd::new("cloth", Place::Face { face: 11, weights: [0.25, 0.5] }),
        ],
    ] {
        scene.attach(&Tie { distance: 0.05, ..Tie::between(ends) }).unwrap();
    }
    let mut world = world(&scene);
    let before = momentum(&world);
    steps(&mut world, 30);
    let after = momentum(&world);
    // The rope has 0.1 kg and moves at 2 m/s: a momentum of 4e-4 kg m per substep. Rounding the positions
    // of the doll of 70 kg at coordinates of 1 m changes the sum by up to 70 x 6e-8 kg m.
    for (axis, (before, after)) in before.iter().zip(after).enumerate() {
        assert!((after - before).abs() < 2e-5, "axis {axis}: {before} kg m, then {after} kg m");
    }
    assert!(world.ties().all(|tie| tie.force > 1e-3), "{:?}", world.ties().collect::<Vec<_>>());
}

#[test]
fn ropes_tied_at_zero_distance_hold_a_weight() {
    let mut scene = Scene::new();
    let rope = |from: f32, to: f32| {
        Model::rope(&[[0.0, from, 0.0], [0.0, to, 0.0]], &Rope::default()).unwrap()
    };
    scene.add("upper", rope(2.0, 1.0).pinned("start")).unwrap();
    scene.add("lower", rope(1.0, 0.0)).unwrap();
    scene.add("weight", unconnected(&[[0.0; 3]], &[1.0])).unwrap();
    let weight = TieEnd::new("weight", Place::Particle(0));
    for ends in [
        [TieEnd::group("upper", "end"), TieEnd::group("lower", "start")],
        [TieEnd::group("lower", "end"), weight],
    ] {
        scene.attach(&Tie::between(ends)).unwrap();
    }
    scene.settings.step = Step { substeps: 32, damping_rate: 5.0, ..Step::default() };
    let mut world = world(&scene);
    steps(&mut world, 300);
    for tie in world.ties() {
        let apart = (tie.ends[0][1] - tie.ends[1][1]).abs();
        assert!(apart < 1e-3, "the ends of a tie are {apart} m apart");
    }
    // The upper tie holds the lower rope of 0.1 kg and the weight of 1 kg, the lower tie only the weight.
    for (tie, mass) in world.ties().zip([1.1, 1.0]) {
        assert!((tie.force / (mass * 9.81) - 1.0).abs() < 0.01, "{} N for {mass} kg", tie.force);
    }
}

#[test]
fn a_maximum_acts_only_beyond_its_distance_and_a_minimum_only_below_it() {
    for (kind, distance, slack) in [
        (Kind::Maximum, 1.5, true),
        (Kind::Maximum, 0.5, false),
        (Kind::Minimum, 0.5, true),
        (Kind::TwoSided, 1.5, false),
    ] {
        let scene = hanging(1.0, &Tie { distance, kind, ..hook_and_weight() });
        let mut world = world(&scene);
        steps(&mut world, 1);
        let force = world.ties().next().unwrap().force;
        assert_eq!(force == 0.0, slack, "{kind:?}, {distance} m: {force} N");
    }
    // A maximum of 1.5 m stops the fall, a minimum of 0.5 m does not.
    for (kind, distance, bound) in [(Kind::Maximum, 1.5, -1.5), (Kind::Minimum, 0.5, -12.0)] {
        let scene = hanging(1.0, &Tie { distance, kind, ..hook_and_weight() });
        let mut world = world(&scene);
        steps(&mut world, 120);
        let y = world.position(1)[1];
        let is_right = if kind == Kind::Maximum { (y - bound).abs() < 1e-3 } else { y < bound };
        assert!(is_right, "{kind:?}: height {y} m, bound {bound} m");
    }
}

#[test]
fn a_compliant_tie_stretches_by_force_times_compliance_for_any_substeps() {
    for distance in [0.0, 1.0] {
        for substeps in [4, 8, 16] {
            let compliance = 2e-3;
            let mut scene = hanging(3.0, &Tie { distance, compliance, ..hook_and_weight() });
            scene.settings.step = Step { substeps, damping_rate: 20.0, ..Step::default() };
            let mut world = world(&scene);
            steps(&mut world, 240);
            let sag = -distance - world.position(1)[1];
            let expected = 2e-3 * 3.0 * 9.81;
            assert!(
                (sag / expected - 1.0).abs() < 2e-3,
                "{substeps} substeps: {sag} m, expected {expected} m"
            );
        }
    }
}

#[test]
fn a_tie_breaks_above_its_breaking_force() {
    for substeps in [4, 16] {
        for (mass, breaks) in [(0.99, false), (1.01, true)] {
            let tie = Tie { breaking_force: Some(9.81), ..hook_and_weight() };
            let mut scene = hanging(mass, &tie);
            scene.settings.step = Step { substeps, ..Step::default() };
            let mut world = world(&scene);
            let mut broken = 0;
            for _ in 0..60 {
                broken += world.step().unwrap().broken;
            }
            assert_eq!(broken, usize::from(breaks), "{mass} kg, {substeps} substeps");
            assert_eq!(world.ties().next().unwrap().broken, breaks);
            assert_eq!(world.position(1)[1] < -2.0, breaks);
        }
    }
}

#[test]
fn a_broken_tie_no_longer_acts() {
    let mut world = world(&hanging(1.0, &hook_and_weight()));
    steps(&mut world, 2);
    assert_eq!(world.break_tie(0), Ok(true));
    assert_eq!(world.break_tie(0), Ok(false));
    assert_eq!(world.break_tie(1), Err(WorldError::NoSuchTie { tie: 1, ties: 1 }));
    steps(&mut world, 60);
    assert!(world.position(1)[1] < -4.0);
    assert_eq!(world.ties().next().unwrap().force, 0.0);
}

/// A flag whose left edge is sewn to a pole. The pole is a body that hangs from a hook.
fn flag_on_a_pole() -> Scene {
    let mut scene = Scene::new();
    let cloth = Cloth { columns: 12, rows: 12, ..Cloth::default() };
    scene.add("flag", Model::cloth(&cloth).unwrap().tearing_at(3.0)).unwrap();
    let pole = Model::rigid_box([0.04, 2.0, 0.05], 600.0).unwrap();
    scene.add("pole", pole.moved([-0.52, -0.4, 0.0])).unwrap();
    scene.add("hook", unconnected(&[[-0.5, 1.0, 0.0]], &[0.0])).unwrap();
    let as_placed = TieEnd::new("pole", Place::Body { body: 0, point: None });
    let left = TieEnd::group("flag", "left");
    let sewn = Tie { breaking_force: Some(15.0), ..Tie::between([left, as_placed]) };
    assert_eq!(scene.attach(&sewn).unwrap(), 0..12);
    let top = TieEnd::new("pole", Place::Body { body: 0, point: Some([0.0, 1.0, 0.0]) });
    let hook = TieEnd::new("hook", Place::Particle(0));
    let rope = Tie { distance: 0.4, kind: Kind::Maximum, ..Tie::between([top, hook]) };
    assert_eq!(scene.attach(&rope).unwrap(), 12..13);
    scene
}

#[test]
fn cloth_sewn_to_a_body_stays_where_it_was_placed() {
    let mut world = world(&flag_on_a_pole());
    for tie in world.ties().take(12) {
        for axis in 0..3 {
            assert!((tie.ends[0][axis] - tie.ends[1][axis]).abs() < 1e-6, "{tie:?}");
        }
    }
    assert_eq!(world.islands().len(), 2, "the flag, a sheet, has no island of its own");
    steps(&mut world, 120);
    for tie in world.ties() {
        assert!(!tie.broken, "{tie:?}");
        let squared: f32 = (0..3).map(|axis| (tie.ends[0][axis] - tie.ends[1][axis]).powi(2)).sum();
        assert!(squared.sqrt() < tie.distance + 2e-3, "{tie:?}");
    }
}

#[test]
fn a_world_with_broken_ties_resumes_with_the_same_bits() {
    let scene = flag_on_a_pole();
    let mut original = world(&scene);
    let corner = original.model("flag").unwrap().end - 1;
    original.grab(corner).unwrap();
    let mut snapshots = Vec::new();
    for step in 0..60 {
        let x = 0.5 + 0.01 * step as f32;
        original.drag(corner, [x, -0.5, 0.0]).unwrap();
        snapshots.push(original.snapshot());
        steps(&mut original, 1);
    }
    let broken = |world: &World| world.ties().filter(|tie| tie.broken).count();
    assert!((1..13).contains(&broken(&original)), "{} broken ties", broken(&original));
    for start in [0, 20, 40, 59] {
        let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshots[start]).unwrap();
        assert_eq!(resumed.snapshot(), snapshots[start]);
        assert!(start < 59 || broken(&resumed) > 0, "the last snapshot has no broken tie");
        for step in start..60 {
            if step > start {
                resumed.drag(corner, [0.5 + 0.01 * step as f32, -0.5, 0.0]).unwrap();
            }
            steps(&mut resumed, 1);
        }
        assert_eq!(resumed.hash(), original.hash(), "resumed at step {start}");
        assert_eq!(resumed.snapshot(), original.snapshot(), "resumed at step {start}");
    }
    let mut other = scene;
    let ends = [("flag", 11), ("hook", 0)];
    other.attach(&tie_of_particles(ends)).unwrap();
    let error = World::resume(&other, |_| ScalarKernel, &snapshots[0]).unwrap_err();
    assert!(matches!(error, SnapshotError::OtherScene { .. }));
    assert!(error.to_string().contains("it has 13 ties, expected 14"), "{error}");
}

#[test]
fn ties_do_not_change_the_bits_of_other_models() {
    let mut scene = flag_on_a_pole();
    let disc = Model::disc(6, StickSet::All).unwrap();
    scene.add("disc", disc.clone()).unwrap();
    let mut together = world(&scene);
    let mut alone = Scene::new();
    alone.add("disc", disc).unwrap();
    let mut alone = world(&alone);
    steps(&mut together, 30);
    steps(&mut alone, 30);
    let first = together.model("disc").unwrap().start;
    for particle in 0..alone.len() {
        assert_eq!(together.position(first + particle), alone.position(particle));
    }
}

#[test]
fn invalid_ties_are_errors() {
    let scene = flag_on_a_pole();
    let end = |model: &str, place: Place| TieEnd::new(model, place);
    let hook = || end("hook", Place::Particle(0));
    let pole = |point| end("pole", Place::Body { body: 0, point });
    let (from, to) = (Some(WhichEnd::From), Some(WhichEnd::To));
    // The ends of a tie, the end that the error names, and a part of its message.
    let cases = [
        ([end("mast", Place::Particle(0)), hook()], from, "there is no model 'mast'"),
        ([hook(), TieEnd::group("flag", "hem")], to, "the model 'flag' has no group 'hem'"),
        (
            [hook(), end("flag", Place::Particle(144))],
            to,
            "has no particle 144 (counted from 0); it has 144",
        ),
        ([hook(), end("flag", Place::Stick { stick: 9999, fraction: 0.5 })], to, "no stick 9999"),
        ([hook(), end("flag", Place::Limb { limb: 0, fraction: 0.5 })], to, "no limb 0"),
        ([end("flag", Place::Face { face: 242, weights: [0.1; 2] }), hook()], from, "no face 242"),
        ([hook(), end("pole", Place::Body { body: 1, point: None })], to, "has no body 1"),
        (
            [hook(), end("flag", Place::Stick { stick: 0, fraction: 1.5 })],
            to,
            "is 1.5; it must be from 0",
        ),
        (
            [hook(), end("flag", Place::Face { face: 0, weights: [0.6; 2] })],
            to,
            "a weight of a corner",
        ),
        ([hook(), pole(Some([0.0, f32::NAN, 0.0]))], to, "a point of a body, m, is NaN"),
        ([pole(None), pole(None)], from, "body 0 of the model 'pole' needs a 'point'"),
        (
            [TieEnd::group("flag", "corners"), TieEnd::group("flag", "right")],
            None,
            "its ends have 4 and 12 points",
        ),
        ([pole(Some([0.0; 3])), pole(Some([0.1; 3]))], None, "both ends move particle 0"),
        (
            [hook(), end("pole", Place::Body { body: 0, point: Some([0.0, 1.0, 0.0]) })],
            None,
            "its two points are already joined by tie 1",
        ),
        (
            [TieEnd::group("flag", "left"), pole(None)],
            None,
            "its two points are already joined by tie 0",
        ),
    ];
    for (ends, end, message) in cases {
        let mut tied = scene.clone();
        let error = tied.attach(&Tie::between(ends)).unwrap_err();
        assert_eq!((error.tie, error.end), (2, end), "{error}");
        assert!(error.to_string().contains(message), "{error}");
        // The scene still has its 13 ties.
        assert_eq!(world(&tied).ties().len(), 13);
    }
    let free = || tie_of_particles([("hook", 0), ("flag", 11)]);
    for (tie, key) in [
        (Tie { distance: -1.0, ..free() }, "distance"),
        (Tie { distance: f32::NAN, ..free() }, "distance"),
        (Tie { compliance: 101.0, ..free() }, "compliance"),
        (Tie { breaking_force: Some(0.0), ..free() }, "breaking_force"),
        (Tie { breaking_force: Some(f32::INFINITY), ..free() }, "breaking_force"),
    ] {
        let error = scene.clone().attach(&tie).unwrap_err();
        let TieProblem::Value(taut_world::ModelError::OutOfRange { key: found, .. }) =
            error.problem
        else {
            panic!("{error}")
        };
        assert_eq!(found, key);
    }
    // Groups and a face that are invalid because a caller changed the model.
    let mut cloth = Model::cloth(&Cloth { columns: 2, rows: 2, ..Cloth::default() }).unwrap();
    cloth.groups.insert("none".into(), Vec::new());
    cloth.groups.insert("wrong".into(), vec![77]);
    cloth.faces.extend([[0, 1, 99]]);
    let mut scene = scene;
    scene.add("cloth", cloth).unwrap();
    for (place, message) in [
        (Place::Group("none".into()), "the group 'none' of the model 'cloth' has no particles"),
        (Place::Group("wrong".into()), "no particle 77"),
        (Place::Face { face: 2, weights: [0.2; 2] }, "no particle 99"),
        (Place::Face { face: 2, weights: [0.2, 0.0] }, "no particle 99"),
    ] {
        let error = scene.attach(&Tie::between([hook(), end("cloth", place)])).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn emitted_particles_cannot_be_tied() {
    let mut scene = flag_on_a_pole();
    let drops = Model::emitter(taut_world::EmitterSettings::default()).unwrap();
    scene.add("drops", drops).unwrap();
    let error = scene.attach(&tie_of_particles([("hook", 0), ("drops", 0)])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tie 2 (counted from 0, ties of a group as one), 'to': particle 0 of the model 'drops' is emitted, \
         and cannot be tied"
    );
}

/// Rounding does not make the weight of the first corner negative.
#[test]
fn a_tie_to_a_point_between_two_corners_of_a_face_is_valid() {
    for weights in [[0.8, 0.2], [0.67, 0.33], [0.6, 0.4], [0.5, 0.5], [1.0, 0.0]] {
        let mut scene = flag_on_a_pole();
        let place = Place::Face { face: 0, weights };
        let ends = [TieEnd::new("hook", Place::Particle(0)), TieEnd::new("flag", place)];
        scene.attach(&Tie::between(ends)).unwrap_or_else(|error| panic!("{weights:?}: {error}"));
        steps(&mut world(&scene), 1);
    }
}

/// The first end of the stick is pinned, and the weight of the second one is almost 0.
#[test]
fn a_tie_to_an_almost_immovable_point_gives_no_nan() {
    let rope = Model::<3>::rope(&[[0.0; 3], [1.0, 0.0, 0.0]], &Rope::default()).unwrap();
    let mut scene = Scene::new();
    scene.add("rope", rope.pinned("start")).unwrap();
    let hook = Model::<3>::rope(&[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], &Rope::default()).unwrap();
    scene.add("hook", hook.pinned("start")).unwrap();
    let place = Place::Stick { stick: 0, fraction: 1e-20 };
    let ends = [TieEnd::new("hook", Place::Particle(0)), TieEnd::new("rope", place)];
    scene.attach(&Tie::between(ends)).unwrap();
    steps(&mut world(&scene), 3);
}
