//! `taut simulate`: scenes from the library and from files.

use serde_json::Value;

use crate::run::{Folder, Report, RunOutput, taut};

const SHEET_SCENE: &str = r#"
[[model]]
name = "sheet"
drape = { size = 6 }
"#;

/// The value in the line of the summary table with this name.
fn summary_value(output: &RunOutput, name: &str) -> String {
    let line = output.out.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("'{name}' is missing: {}", output.out));
    line.trim_start()[name.len()..].trim().to_owned()
}

/// The hash in the summary table.
fn hash(output: &RunOutput) -> String {
    summary_value(output, "hash of the positions")
}

#[test]
fn the_list_has_a_line_for_each_scene() {
    let output = taut("simulate --list").assert_success();
    for name in ["mosegaard", "curtain", "rope-bridge", "ragdolls-3d"] {
        assert!(output.out.lines().any(|line| line.contains(name)), "{name}: {}", output.out);
    }
}

#[test]
fn a_simulation_prints_a_summary() {
    let output = taut("simulate drape --size 6 --frames 5").assert_success();
    assert!(
        output.out.starts_with("drape 6: 5 frames of 0.0167 s, 4 substep(s)"),
        "{}",
        output.out
    );
    assert_eq!(summary_value(&output, "particles"), "36");
    assert_eq!(summary_value(&output, "sticks"), "190");
    assert_eq!(summary_value(&output, "torn sticks"), "0");
    for name in [
        "faces",
        "time per frame, median",
        "time per frame, fastest",
        "fraction of time, sticks",
        "kinetic energy",
        "stretch, rms",
        "compression, rms",
    ] {
        assert!(!summary_value(&output, name).is_empty(), "{name}: {}", output.out);
    }
}

/// Parses the JSON summary and checks that its shares add up to 1.
fn checked_summary(output: &RunOutput) -> Value {
    let summary = output.report().value;
    let shares = summary["shares"].as_object().unwrap();
    let parts =
        ["sticks", "motion", "forces", "tethers", "ties", "contacts", "obstacles", "tearing"];
    for part in parts {
        assert!((0.0..=1.0).contains(&shares[part].as_f64().unwrap()), "{part}: {summary}");
    }
    let sum: f64 = shares.values().map(|share| share.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && shares.len() == parts.len(), "{summary}");
    let [fastest, median] =
        ["frame_us_fastest", "frame_us_median"].map(|key| summary[key].as_f64().unwrap());
    assert!(0.0 < fastest && fastest <= median, "{summary}");
    summary
}

#[test]
fn only_scenes_with_self_collision_report_contacts() {
    let contacts =
        checked_summary(&taut("simulate layers --size 10 --frames 20 --json -").assert_success());
    assert!(contacts["contacts"].as_u64().unwrap() > 0, "{contacts}");
    assert_eq!(contacts["crossings_max"].as_u64(), Some(0), "{contacts}");
    assert!(contacts["penetration_max_m"].as_f64().unwrap() >= 0.0, "{contacts}");
    assert!(contacts["pairs_excluded"].is_u64(), "{contacts}");
    let none =
        checked_summary(&taut("simulate drape --size 6 --frames 2 --json -").assert_success());
    assert!(none.get("contacts").is_none(), "{none}");
}

#[test]
fn json_output_is_one_object_and_nothing_else() {
    let arguments = "simulate drape --size 12 --substeps 3 --iterations 2 --tethers on";
    for frames in [1, 2, 40] {
        let output = taut(&format!("{arguments} --frames {frames} --json -")).assert_success();
        assert_eq!(output.err, "");
        let summary = checked_summary(&output);
        for (key, value) in [
            ("frames", frames),
            ("substeps", 3),
            ("iterations", 2),
            ("passes", 1),
            ("threads", 1),
            ("particles", 144),
            ("tethers", 132), // of all particles except the 12 pinned ones
            ("torn", 0),
        ] {
            assert_eq!(summary[key], value, "{key}: {summary}");
        }
        assert_eq!((&summary["scene"], &summary["finite"]), (&"drape 12".into(), &true.into()));
        assert_eq!(summary["formula"], "halley");
        assert_eq!(summary["kernel"], "grid", "{summary}");
        let value_of = |key: &str| summary[key].as_f64().unwrap();
        for quantity in ["stretch", "compression"] {
            let [rms, max] = ["rms", "max"].map(|kind| value_of(&format!("{quantity}_{kind}")));
            assert!(0.0 <= rms && rms <= max && max < 1.0, "{summary}");
        }
        assert!(value_of("damping_rate").is_finite() && summary["isa"].is_string(), "{summary}");
        let shares = &summary["shares"];
        assert!(shares["tethers"].as_f64().unwrap() > 0.0, "{summary}");

        let folder = Folder::new();
        let output =
            folder.taut(&format!("{arguments} --frames {frames} --json out.json")).assert_success();
        let written = Report::parse(&folder.read("out.json")).value;
        assert_eq!(written["hash"], summary["hash"]);
        assert_eq!(written["hash"], hash(&output));
    }
    let mosegaard =
        checked_summary(&taut("simulate mosegaard --size 24 --frames 3 --json -").assert_success());
    assert_eq!(mosegaard["kernel"], "grid");
    // Every other particle has a tether to each of the two pinned corners.
    assert_eq!(mosegaard["tethers"], 2 * (24 * 19 - 2));
    assert!(mosegaard["shares"]["obstacles"].as_f64().unwrap() > 0.0, "{mosegaard}");
}

#[test]
fn a_blow_up_is_reported_as_json_and_exit_code() {
    // In authored (raster) order and with one iteration, a sheet gains energy.
    let file =
        format!("order = \"authored\"\nformula = \"exact\"\n{SHEET_SCENE}").replace("= 6", "= 32");
    let folder = Folder::with_files(&[("unstable.toml", file.into_bytes())]);
    let simulate = |arguments: &str| {
        folder.taut(&format!("simulate unstable.toml --substeps 1 --iterations 1 {arguments}"))
    };
    let output = simulate("--frames 2000 --json -");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.err.contains("blew up"), "{output:?}");
    let summary = output.report().value;
    assert_eq!(summary["finite"], false);
    assert!(summary["stretch_rms"].is_null() && summary["hash"].is_string(), "{summary}");
    // The first exported frame would come later.
    let with_export = simulate("--frames 2000 --json - --from 30 --out a.pc2 --snapshot b.json");
    assert_eq!(with_export.code, Some(1), "{with_export:?}");
    assert!(["blew up", "a.pc2"].iter().all(|text| with_export.err.contains(text)));
    assert_eq!(with_export.report().value["hash"], summary["hash"]);
    assert!(!folder.bytes("b.json").is_empty());
}

#[test]
fn settings_change_the_bits_and_kernels_do_not() {
    let hash_of = |arguments: &str| {
        hash(&taut(&format!("simulate drape --size 9 --frames 5 {arguments}")).assert_success())
    };
    // By default, the fastest kernel runs.
    let best = hash_of("");
    for kernel in ["scalar", "wide", "pulp", "grid"] {
        assert_eq!(hash_of(&format!("--kernel {kernel}")), best, "{kernel}");
    }
    assert_eq!(hash_of("--threads 2"), best);
    for arguments in ["--substeps 2", "--iterations 3", "--passes 2", "--formula exact"] {
        assert_ne!(hash_of(arguments), best, "{arguments}");
    }
}

#[test]
fn a_resumed_snapshot_gives_the_same_bits() {
    let folder = Folder::new();
    let whole = folder.taut("simulate mosegaard --size 9 --frames 20").assert_success();
    folder.taut("simulate mosegaard --size 9 --frames 13 --snapshot half.json").assert_success();
    let rest =
        folder.taut("simulate mosegaard --size 9 --frames 7 --resume half.json --kernel scalar");
    assert_eq!(hash(&rest.assert_success()), hash(&whole));
    folder
        .taut("simulate mosegaard --size 8 --frames 7 --resume half.json")
        .assert_error(&["half.json", "different scene"]);
    folder.taut("simulate drape --resume none.json").assert_error(&["none.json", "cannot be read"]);
}

#[test]
fn positions_and_energies_are_written_with_all_digits() {
    let folder = Folder::with_files(&[("sheet.toml", SHEET_SCENE.into())]);
    let arguments = "simulate sheet.toml --frames 4 --positions p.csv --every 2 --energy e.csv";
    folder.taut(arguments).assert_success();
    let positions = folder.read("p.csv");
    let mut lines = positions.lines();
    assert_eq!(lines.next(), Some("frame,time_s,particle,x_m,y_m,z_m"));
    // The initial positions, and those after frames 2 and 4.
    assert_eq!(lines.clone().count(), 3 * 36);
    // Neighbouring particles of a drape are 0.05 m apart.
    let second_particle: Vec<&str> = lines.nth(1).unwrap().split(',').collect();
    assert_eq!(second_particle[3].parse::<f32>().unwrap().to_bits(), 0.05_f32.to_bits());
    let energies = folder.read("e.csv");
    assert_eq!(energies.lines().count(), 1 + 4);
    assert!(energies.starts_with("frame,time_s,kinetic_j,potential_j,total_j,"), "{energies}");
}

/// They do not depend on the folder in which the program runs.
#[test]
fn mesh_paths_are_relative_to_the_scene_file() {
    let scene = |file: &str| {
        format!("[[model]]\nname = \"tent\"\nmesh = {{ file = \"{file}\", density = 1 }}").into()
    };
    let folder = Folder::with_files(&[
        ("scenes/tent.toml", scene("meshes/tent.obj")),
        ("scenes/lost.toml", scene("lost.obj")),
        ("scenes/outside.toml", scene("../scenes/meshes/tent.obj")),
        ("scenes/meshes/tent.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".into()),
    ]);
    folder.taut("simulate scenes/tent.toml --frames 2").assert_success();
    folder.taut("simulate scenes/lost.toml").assert_error(&["lost.toml: line 3", "lost.obj"]);
    let output = folder.taut("simulate scenes/outside.toml");
    output.assert_error(&["outside.toml: line 3", "`../scenes/meshes/tent.obj` contains `..`"]);
}

#[test]
fn errors_name_the_file_line_and_value() {
    let folder = Folder::with_files(&[("bad.toml", SHEET_SCENE.replace("drape", "cloak").into())]);
    let output = folder.taut("simulate bad.toml");
    output.assert_error(&["bad.toml: line 4: ", "`cloak`", "`cloth`"]);
    folder.taut("simulate gone.toml").assert_error(&["gone.toml", "cannot be read"]);
    folder.taut("simulate bad.toml --size 3").assert_error(&["--size", "bad.toml"]);
    taut("simulate drape --size 1").assert_error(&["drape 1", "nothing to relax"]);
    taut("simulate drape --positions no/where.csv")
        .assert_error(&["no/where.csv", "cannot be written"]);
    taut("simulate drape --isa abacus").assert_error(&["'abacus'"]);
    taut("simulate cloak").assert_usage_error(&["'cloak'", "drape", ".toml"]);
    taut("simulate").assert_usage_error(&["<SCENE|FILE.toml>"]);
    taut("simulate drape --every 2").assert_usage_error(&["--positions"]);
    let options_of_one_scene =
        "--frames 9,--size 8,--kernel pulp,--threads 2,--positions a.csv,--out a.glb";
    for option in options_of_one_scene.split(',') {
        let name = option.split(' ').next().unwrap();
        taut(&format!("simulate --check {option}")).assert_usage_error(&["--check", name]);
    }
}

#[test]
fn compare_runs_whole_scenes() {
    let output = taut("compare --scene mosegaard --size 24 --warmup 1 --frames 3").assert_success();
    assert!(output.out.starts_with("mosegaard 24: "), "{}", output.out);
    for kernel in ["scalar", "wide", "pulp", "grid"] {
        assert!(output.out.contains(&format!(" {kernel} ")), "{kernel}: {}", output.out);
    }
    assert!(output.out.ends_with("Results: bit-identical in all rows.\n"), "{}", output.out);
    // Too narrow for the grid kernel.
    let narrow = taut("compare --scene mosegaard --size 3 --warmup 1 --frames 3").assert_success();
    assert!(!narrow.out.contains(" grid "), "{}", narrow.out);
    let options = "--threads 1,2 --kernels pulp --substeps 3 --iterations 2";
    let report = Folder::new().report(&format!("--scene mosegaard --size 8 {options}"));
    let scene = report.scene();
    let counts = ["substeps", "passes", "iterations"].map(|key| &scene[key]);
    assert_eq!(counts, [3, 1, 2]);
    assert_eq!(report.distinct("hash").len(), 1);
    assert_eq!(report.distinct("threads"), ["1", "2"]);
    for (arguments, expected) in [
        ("--schedules packed", "--schedules"),
        ("--shuffle 1", "--shuffle"),
        ("--formulas exact,halley", "--formulas"),
    ] {
        taut(&format!("compare --scene mosegaard --size 8 {arguments}")).assert_error(&[expected]);
    }
    taut("tune --scene mosegaard").assert_error(&["mosegaard"]);
}

#[test]
fn a_model_too_far_from_the_origin_gives_a_warning() {
    let far = format!("{SHEET_SCENE}at = [0, -2000, 0]\n");
    let folder = Folder::with_files(&[("far.toml", far.into_bytes())]);
    // The fewer substeps, the farther from the origin a model may be.
    let one_substep = folder.taut("simulate far.toml --frames 2 --substeps 1").assert_success();
    assert_eq!(one_substep.err, "");
    for (arguments, within) in [
        ("simulate far.toml --frames 2", "1024 m"),
        ("compare --scene mosegaard --size 4 --substeps 1000 --warmup 0 --frames 1", "0.0625 m"),
    ] {
        let output = folder.taut(arguments).assert_success();
        assert_eq!(output.err.lines().count(), 1, "{output:?}");
        for part in ["taut: warning: model '", "is too far from the origin", within] {
            assert!(output.err.contains(part), "'{part}' is missing: {output:?}");
        }
    }
}

#[test]
fn substep_options_keep_initial_velocities() {
    let thrown = r#"
        [step]
        substeps = 4
        gravity = [0, 0, 0]
        damping_rate = 0

        [[model]]
        name = "rope"
        rope = { path = [[0, 0, 0], [1, 0, 0]] }
        velocity = [3, 4, 0]
    "#;
    let folder = Folder::with_files(&[("thrown.toml", thrown.into())]);
    let energy = |arguments: &str| {
        let output =
            folder.taut(&format!("simulate thrown.toml --frames 2 {arguments}")).assert_success();
        summary_value(&output, "kinetic energy").split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let expected = energy("");
    assert!(expected > 0.0);
    for arguments in ["--substeps 1", "--substeps 16"] {
        let energy = energy(arguments);
        assert!(
            (energy / expected - 1.0).abs() < 1e-3,
            "{arguments}: {energy} J, not {expected} J"
        );
    }
}
