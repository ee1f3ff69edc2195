//! `taut simulate`: scenes from the library and from files.

use serde_json::Value;

use crate::run::{Folder, Report, RunOutput, taut};

const FILE: &str = r#"
[[model]]
name = "sheet"
drape = { size = 6 }
"#;

/// The value in the table line with this name.
fn figure(ran: &RunOutput, name: &str) -> String {
    let line = ran.out.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("'{name}' is missing: {}", ran.out));
    line.trim_start()[name.len()..].trim().to_owned()
}

fn hash(ran: &RunOutput) -> String {
    figure(ran, "hash of the positions")
}

#[test]
fn the_list_has_a_line_for_each_scene() {
    let ran = taut("simulate --list").succeeded();
    for name in ["mosegaard", "curtain", "rope-bridge", "ragdolls-3d"] {
        assert!(ran.out.lines().any(|line| line.contains(name)), "{name}: {}", ran.out);
    }
}

#[test]
fn a_simulation_prints_a_summary() {
    let ran = taut("simulate drape --size 6 --frames 5").succeeded();
    assert!(ran.out.starts_with("drape 6: 5 frames of 0.0167 s, 4 substep(s)"), "{}", ran.out);
    assert_eq!(figure(&ran, "particles"), "36");
    assert_eq!(figure(&ran, "sticks"), "190");
    assert_eq!(figure(&ran, "torn sticks"), "0");
    for name in [
        "faces",
        "time per frame, median",
        "time per frame, fastest",
        "share of time, sticks",
        "kinetic energy",
        "stretch, rms",
        "compression, rms",
    ] {
        assert!(!figure(&ran, name).is_empty(), "{name}: {}", ran.out);
    }
}

/// Parses the JSON object and checks that its shares add up to 1.
fn object(ran: &RunOutput) -> Value {
    let object = ran.report().value;
    let shares = object["shares"].as_object().unwrap();
    let parts =
        ["sticks", "motion", "forces", "tethers", "ties", "contacts", "obstacles", "tearing"];
    for part in parts {
        assert!((0.0..=1.0).contains(&shares[part].as_f64().unwrap()), "{part}: {object}");
    }
    let sum: f64 = shares.values().map(|share| share.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && shares.len() == parts.len(), "{object}");
    let [fastest, median] =
        ["frame_us_fastest", "frame_us_median"].map(|key| object[key].as_f64().unwrap());
    assert!(0.0 < fastest && fastest <= median, "{object}");
    object
}

#[test]
fn only_scenes_with_self_collision_report_contacts() {
    let contacts = object(&taut("simulate layers --size 10 --frames 20 --json -").succeeded());
    assert!(contacts["contacts"].as_u64().unwrap() > 0, "{contacts}");
    assert_eq!(contacts["crossings_max"].as_u64(), Some(0), "{contacts}");
    assert!(contacts["penetration_max_m"].as_f64().unwrap() >= 0.0, "{contacts}");
    assert!(contacts["pairs_left_out"].is_u64(), "{contacts}");
    let none = object(&taut("simulate drape --size 6 --frames 2 --json -").succeeded());
    assert!(none.get("contacts").is_none(), "{none}");
}

#[test]
fn json_output_is_one_object_and_nothing_else() {
    let arguments = "simulate drape --size 12 --substeps 3 --iterations 2 --tethers on";
    for frames in [1, 2, 40] {
        let ran = taut(&format!("{arguments} --frames {frames} --json -")).succeeded();
        assert_eq!(ran.err, "");
        let it = object(&ran);
        for (key, value) in [
            ("frames", frames),
            ("substeps", 3),
            ("iterations", 2),
            ("passes", 1),
            ("threads", 1),
            ("particles", 144),
            ("tethers", 132),
            ("torn", 0),
        ] {
            assert_eq!(it[key], value, "{key}: {it}");
        }
        assert_eq!((&it["scene"], &it["finite"]), (&"drape 12".into(), &true.into()));
        assert_eq!(it["formula"], "halley");
        assert_eq!(it["kernel"], "grid", "{it}");
        let number = |key: &str| it[key].as_f64().unwrap();
        for side in ["stretch", "compression"] {
            let [rms, max] = ["rms", "max"].map(|which| number(&format!("{side}_{which}")));
            assert!(0.0 <= rms && rms <= max && max < 1.0, "{it}");
        }
        assert!(number("damping_rate").is_finite() && it["isa"].is_string(), "{it}");
        let shares = &it["shares"];
        assert!(shares["tethers"].as_f64().unwrap() > 0.0, "{it}");

        let folder = Folder::new();
        let ran = folder.taut(&format!("{arguments} --frames {frames} --json it.json")).succeeded();
        let written = Report::from(&folder.read("it.json")).value;
        assert_eq!(written["hash"], it["hash"]);
        assert_eq!(written["hash"], hash(&ran));
    }
    let wide = object(&taut("simulate mosegaard --size 24 --frames 3 --json -").succeeded());
    assert_eq!(wide["kernel"], "grid");
    assert_eq!(wide["tethers"], 2 * (24 * 19 - 2)); // to both corners
    assert!(wide["shares"]["obstacles"].as_f64().unwrap() > 0.0, "{wide}");
}

#[test]
fn a_blow_up_is_reported_as_json_and_exit_code() {
    // Raster order: with one iteration it gains energy.
    let file = format!("order = \"authored\"\nformula = \"exact\"\n{FILE}").replace("= 6", "= 32");
    let folder = Folder::with(&[("it.toml", file.into_bytes())]);
    let ran = folder.taut("simulate it.toml --substeps 1 --iterations 1 --frames 2000 --json -");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("blew up"), "{ran:?}");
    let it = ran.report().value;
    assert_eq!(it["finite"], false);
    assert!(it["stretch_rms"].is_null() && it["hash"].is_string(), "{it}");
}

#[test]
fn settings_change_the_bits_and_kernels_do_not() {
    let hash_of = |arguments: &str| {
        hash(&taut(&format!("simulate drape --size 9 --frames 5 {arguments}")).succeeded())
    };
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
    let whole = folder.taut("simulate mosegaard --size 9 --frames 20").succeeded();
    folder.taut("simulate mosegaard --size 9 --frames 13 --snapshot half.json").succeeded();
    let rest =
        folder.taut("simulate mosegaard --size 9 --frames 7 --resume half.json --kernel scalar");
    assert_eq!(hash(&rest.succeeded()), hash(&whole));
    folder
        .taut("simulate mosegaard --size 8 --frames 7 --resume half.json")
        .assert_error(&["half.json", "different scene"]);
    folder.taut("simulate drape --resume none.json").assert_error(&["none.json", "cannot be read"]);
}

#[test]
fn positions_and_energies_are_written_with_all_digits() {
    let folder = Folder::with(&[("sheet.toml", FILE.into())]);
    let arguments = "simulate sheet.toml --frames 4 --positions p.csv --every 2 --energy e.csv";
    folder.taut(arguments).succeeded();
    let positions = folder.read("p.csv");
    let mut lines = positions.lines();
    assert_eq!(lines.next(), Some("frame,time_s,particle,x_m,y_m,z_m"));
    // The initial positions, and those after frames 2 and 4.
    assert_eq!(lines.clone().count(), 3 * 36);
    let second: Vec<&str> = lines.nth(1).unwrap().split(',').collect();
    assert_eq!(second[3].parse::<f32>().unwrap().to_bits(), 0.05_f32.to_bits());
    let energies = folder.read("e.csv");
    assert_eq!(energies.lines().count(), 1 + 4);
    assert!(energies.starts_with("frame,time_s,kinetic_j,potential_j,total_j,"), "{energies}");
}

/// The current folder does not matter.
#[test]
fn mesh_paths_are_relative_to_the_scene_file() {
    let scene = |file: &str| {
        format!("[[model]]\nname = \"tent\"\nmesh = {{ file = \"{file}\", density = 1 }}").into()
    };
    let folder = Folder::with(&[
        ("scenes/tent.toml", scene("meshes/tent.obj")),
        ("scenes/lost.toml", scene("lost.obj")),
        ("scenes/outside.toml", scene("../scenes/meshes/tent.obj")),
        ("scenes/meshes/tent.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".into()),
    ]);
    folder.taut("simulate scenes/tent.toml --frames 2").succeeded();
    folder.taut("simulate scenes/lost.toml").assert_error(&["lost.toml: line 3", "lost.obj"]);
    let ran = folder.taut("simulate scenes/outside.toml");
    ran.assert_error(&["outside.toml: line 3", "`../scenes/meshes/tent.obj` contains `..`"]);
}

#[test]
fn errors_name_the_file_line_and_value() {
    let folder = Folder::with(&[("bad.toml", FILE.replace("drape", "cloak").into())]);
    let ran = folder.taut("simulate bad.toml");
    ran.assert_error(&["bad.toml: line 4: ", "`cloak`", "`cloth`"]);
    folder.taut("simulate gone.toml").assert_error(&["gone.toml", "cannot be read"]);
    folder.taut("simulate bad.toml --size 3").assert_error(&["--size", "bad.toml"]);
    taut("simulate drape --size 1").assert_error(&["drape 1", "nothing to relax"]);
    taut("simulate drape --positions no/where.csv")
        .assert_error(&["no/where.csv", "cannot be written"]);
    taut("simulate drape --isa abacus").assert_error(&["'abacus'"]);
    taut("simulate cloak").assert_usage_error(&["'cloak'", "drape", ".toml"]);
    taut("simulate").assert_usage_error(&["<SCENE|FILE.toml>"]);
    taut("simulate drape --every 2").assert_usage_error(&["--positions"]);
}

#[test]
fn compare_runs_whole_scenes() {
    let ran = taut("compare --scene mosegaard --size 24 --warmup 1 --frames 3").succeeded();
    assert!(ran.out.starts_with("mosegaard 24: "), "{}", ran.out);
    for kernel in ["scalar", "wide", "pulp", "grid"] {
        assert!(ran.out.contains(&format!(" {kernel} ")), "{kernel}: {}", ran.out);
    }
    assert!(ran.out.ends_with("Results: bit-identical in all rows.\n"), "{}", ran.out);
    // Too narrow for the grid kernel.
    let narrow = taut("compare --scene mosegaard --size 3 --warmup 1 --frames 3").succeeded();
    assert!(!narrow.out.contains(" grid "), "{}", narrow.out);
    let report = Folder::new().report("--scene mosegaard --size 8 --threads 1,2 --kernels pulp");
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
    let far = format!("{FILE}at = [0, -2000, 0]\n");
    let folder = Folder::with(&[("far.toml", far.into_bytes())]);
    let near = folder.taut("simulate far.toml --frames 2 --substeps 1").succeeded();
    assert_eq!(near.err, "");
    for (arguments, within) in [
        ("simulate far.toml --frames 2", "1024 m"),
        ("compare --scene mosegaard --size 4 --substeps 1000 --warmup 0 --frames 1", "0.0625 m"),
    ] {
        let ran = folder.taut(arguments).succeeded();
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
        for part in ["taut: warning: model '", "is too far from the origin", within] {
            assert!(ran.err.contains(part), "'{part}' is missing: {ran:?}");
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
    let folder = Folder::with(&[("thrown.toml", thrown.into())]);
    let energy = |arguments: &str| {
        let ran = folder.taut(&format!("simulate thrown.toml --frames 2 {arguments}")).succeeded();
        figure(&ran, "kinetic energy").split(' ').next().unwrap().parse::<f64>().unwrap()
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
