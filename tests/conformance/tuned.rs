//! Saved tunings are read back, used, and rejected for other meshes.

use taut::world::{Arranged, Model, StickSet};
use taut::{Fingerprint, Formula, Kernel, Particles, Plan, Tuned, TunedError};

use crate::runner::eight_iterations;

fn model() -> Model {
    Model::disc(9, StickSet::All).unwrap().shuffled(2)
}

fn tuned(kernel: &str, threads: usize, schedule: &str) -> Tuned {
    Tuned {
        kernel: kernel.to_owned(),
        threads,
        schedule: schedule.parse().unwrap(),
        formula: Formula::Quick,
        mesh: Fingerprint::of(&model().sticks),
        copies: 1,
        substeps: 1,
        iterations: 8,
        residual_rms: 0.1,
        ns_per_stick: 1.5,
        machine: "some".to_owned(),
    }
}

/// The hash after five steps, in the numbering of the model.
fn hash(tuned: &Tuned) -> u64 {
    particles_after_steps(tuned).hash()
}

/// The particles after five steps, in the numbering of the model.
fn particles_after_steps(tuned: &Tuned) -> Particles<3> {
    let Arranged { mut particles, sticks, schedule, renumbering } =
        tuned.arrange(&model()).unwrap();
    let kernel = tuned.to_kernel().unwrap();
    assert_eq!(Kernel::<3>::threads(&kernel), tuned.threads);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, tuned.formula).unwrap();
    for _ in 0..5 {
        assert!(plan.step(&mut particles, &sticks, &eight_iterations()).unwrap().finite);
    }
    renumbering.map_or(particles.clone(), |renumbering| renumbering.undo(&particles))
}

#[test]
fn a_tuning_survives_a_round_trip_through_text() {
    for schedule in ["packed", "packed/rcm", "blocked+hilbert"] {
        let tuned = tuned("wide", 3, schedule);
        let text = serde_json::to_string(&tuned).unwrap();
        assert!(text.contains(&format!("\"{schedule}\"")), "{text}");
        assert_eq!(serde_json::from_str::<Tuned>(&text).unwrap(), tuned);
    }
    // Files of earlier versions have no `copies`, and `stretch_rms` instead of `residual_rms`.
    let mut value = serde_json::to_value(tuned("wide", 1, "packed")).unwrap();
    let object = value.as_object_mut().unwrap();
    object.remove("copies");
    let residual = object.remove("residual_rms").unwrap();
    object.insert("stretch_rms".to_owned(), residual.clone());
    let read = serde_json::from_value::<Tuned>(value).unwrap();
    assert_eq!((read.copies, serde_json::json!(read.residual_rms)), (1, residual));
}

/// The kernel, the threads and a numbering after the order do not change the bits; the order does.
#[test]
fn tunings_with_the_same_order_give_the_same_bits() {
    let expected = hash(&tuned("scalar", 1, "blocked"));
    for (kernel, threads) in [("scalar", 1), ("wide", 1), ("pulp", 2), ("wide", 3)] {
        for schedule in ["blocked", "blocked+rcm", "blocked+hilbert"] {
            assert_eq!(hash(&tuned(kernel, threads, schedule)), expected, "{kernel} {schedule}");
        }
        assert_ne!(hash(&tuned(kernel, threads, "blocked/hilbert")), expected);
    }
}

/// Each copy has the bits of the model alone; only the kernel `copies` needs several.
#[test]
fn tunings_of_copies_give_each_copy_the_bits_of_the_model() {
    let one = hash(&tuned("scalar", 1, "blocked"));
    for (kernel, threads) in [("copies", 1), ("copies", 2), ("scalar", 1)] {
        for schedule in ["blocked", "blocked+rcm"] {
            let tuned = Tuned { copies: 18, ..tuned(kernel, threads, schedule) };
            let after = particles_after_steps(&tuned);
            let len = model().particles.len();
            for copy in 0..tuned.copies {
                let points: Vec<_> =
                    (copy * len..(copy + 1) * len).map(|i| after.position(i)).collect();
                let inverse_masses = &after.inverse_masses()[copy * len..][..len];
                let particles = Particles::new(&points, inverse_masses).unwrap();
                assert_eq!(particles.hash(), one, "{kernel} {schedule}, copy {copy}");
            }
        }
    }
}

#[test]
fn tunings_for_other_meshes_are_rejected() {
    let other = Model::disc(10, StickSet::All).unwrap();
    let error = tuned("wide", 1, "packed").arrange(&other).unwrap_err();
    assert!(matches!(error, TunedError::OtherMesh { .. }), "{error}");
    // As many particles and sticks, joined differently.
    let shuffled = Model::disc(9, StickSet::All).unwrap().shuffled(3);
    assert!(tuned("wide", 1, "packed").check(&shuffled.sticks).is_err());

    let error = tuned("wide", 1, "sheet").arrange(&model()).unwrap_err();
    assert!(matches!(error, TunedError::Arrangement(_)), "{error}");
    let with_copies = |copies| Tuned { copies, ..tuned("copies", 1, "packed") };
    assert_eq!(with_copies(0).arrange(&model()).unwrap_err(), TunedError::NoCopies);
    let error = with_copies(usize::MAX).arrange(&model()).unwrap_err();
    assert!(matches!(error, TunedError::Limit(_)), "{error}");
    let error = tuned("abacus", 1, "packed").to_kernel().unwrap_err();
    assert_eq!(error, TunedError::UnknownKernel { name: "abacus".to_owned() });
    for threads in [0, 1025, usize::MAX] {
        let error = tuned("wide", threads, "packed").to_kernel().unwrap_err();
        assert_eq!(error, TunedError::Threads { threads });
        assert!(error.to_string().ends_with(" threads: expected 1 to 1024"), "{error}");
    }
}

#[test]
fn text_that_is_not_a_tuning_is_rejected() {
    let valid = serde_json::to_value(tuned("wide", 1, "packed")).unwrap();
    for (key, value) in
        [("schedule", "random"), ("formula", "euler"), ("threads", "two"), ("mesh", "mine")]
    {
        let mut changed = valid.clone();
        changed[key] = value.into();
        assert!(serde_json::from_value::<Tuned>(changed).is_err(), "{key}");
    }
    let mut changed = valid;
    changed["mesh"]["ends"] = "no number".into();
    let error = serde_json::from_value::<Tuned>(changed).unwrap_err();
    assert!(error.to_string().contains("'no number'"), "{error}");
}
