//! What is wrong gets one sentence that says what and where, exit code 2, and nothing on the
//! standard output.

use crate::files::{glb, good, obj, ply_binary, ply_lying};
use crate::run::{Folder, compare, report, taut};

/// The first half of a file.
fn half(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() / 2);
    bytes
}

#[test]
fn a_bad_file_is_named_with_what_is_wrong_in_it() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let bad: [(&str, Vec<u8>, &[&str]); 17] = [
        ("empty.obj", Vec::new(), &["empty"]),
        ("empty.ply", Vec::new(), &["empty"]),
        ("empty.glb", Vec::new(), &["empty"]),
        ("cut.ply", half(ply_binary(1.0, false)), &["ends inside", "`face`"]),
        ("cut-header.ply", b"ply\nformat ascii 1.0\nelement ver".to_vec(), &["header"]),
        ("lying.ply", ply_lying(), &["4000000000", "vertex"]),
        ("image.ply", png.clone(), &["PLY", "PNG"]),
        ("image.obj", png.clone(), &["OBJ", "PNG"]),
        ("image.png", png, &["format", "PNG"]),
        ("text.glb", b"hello, this is text".to_vec(), &["glTF", "hello"]),
        ("cut.glb", half(glb(1.0)), &["ends inside"]),
        ("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec(), &["3 vertices", "no faces"]),
        ("range.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n".to_vec(), &["line 3", "vertex 3"]),
        ("word.obj", b"v 0 zero 0\n".to_vec(), &["line 1", "zero"]),
        ("infinite.obj", b"v 0 inf 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec(), &["vertex 1"]),
        ("line.obj", b"v 0 0 0\nv 0 0 0\nv 1 1 1\nf 1 2 3\n".to_vec(), &["1 triangle"]),
        ("mesh.stl", b"solid nothing\n".to_vec(), &["format", ".obj", ".ply", ".glb"]),
    ];
    let files = bad.each_ref().map(|(name, bytes, _)| (*name, bytes.clone()));
    let folder = Folder::with(&files);
    for (name, _, mentioned) in bad {
        let ran = folder.compare(&format!("--mesh {name}"));
        ran.failed_with(&[&[name], mentioned].concat());
        assert!(ran.err.starts_with(&format!("taut: {name}: ")), "{}", ran.err);
    }
}

#[test]
fn a_path_that_is_no_file_is_named() {
    compare("--mesh nowhere.obj").failed_with(&["nowhere.obj", "cannot be read"]);
    compare("--mesh .").failed_with(&["taut: .: ", "file"]);
}

#[test]
fn a_mesh_that_no_scale_makes_sane_is_named() {
    let huge = b"v 0 0 0\nv 1e30 0 0\nv 0 1e30 0\nf 1 2 3\n".to_vec();
    let folder = Folder::with(&[("huge.obj", huge)]);
    folder.compare("--mesh huge.obj --formulas exact").succeeded();
    folder.compare("--mesh huge.obj --keep-scale").failed_with(&["huge.obj"]);
}

#[test]
fn a_scene_without_a_stick_is_none() {
    for (words, named) in [("--size 1", "drape 1"), ("--scene disc --size 1", "disc 1")] {
        compare(words).failed_with(&[named, "nothing to relax"]);
    }
}

#[test]
fn the_order_of_a_sheet_is_refused_to_what_is_none() {
    let folder = Folder::with(&good());
    for words in [
        "--mesh patch.obj --schedules sheet",
        "--scene disc --size 4 --schedules packed,sheet",
        "--size 4 --shuffle 1 --schedules sheet",
        "--size 4 --schedules sheet/rcm",
    ] {
        folder.compare(words).failed_with(&["'sheet'", "regular sheet"]);
    }
}

#[test]
fn the_kernel_for_copies_is_refused_to_what_is_none_and_too_many_copies_to_all() {
    compare("--size 4 --kernels copies").failed_with(&["kernel copies", "--copies, 2 or more"]);
    compare("--size 4 --copies 2 --kernels grid")
        .failed_with(&["kernel grid", "one regular sheet"]);
    compare("--size 512 --copies 1000").failed_with(&["particles", "262144000", "16777216"]);
}

#[test]
fn an_instruction_set_that_nobody_has_is_answered_with_those_there_are() {
    let features = report("--size 4 --formulas exact --schedules packed").features();
    let ran = compare("--size 4 --isa abacus");
    ran.failed_with(&["'abacus'", &features.join(", ")]);
}

#[test]
fn kernels_and_instruction_sets_that_never_meet_are_both_named() {
    let wide = report("--size 4 --kernels wide --formulas exact --schedules packed");
    let row = wide.rows().iter().find(|row| row["kernel"] == "wide").unwrap();
    let other = wide.features().into_iter().find(|isa| row["isa"] != **isa).unwrap();
    let ran = compare(&format!("--size 4 --kernels wide --isa {other}"));
    ran.failed_with(&["--kernels wide", &format!("--isa {other}")]);
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_work() {
    for words in ["--json nowhere/out.json", "--csv nowhere/out.csv", "--json .", "--csv ."] {
        let path = words.split_once(' ').unwrap().1;
        let ran = compare(&format!("--size 4 {words}"));
        ran.failed_with(&[&format!("taut: {path}: cannot be written")]);
    }
}

#[test]
fn two_reports_do_not_go_to_one_place() {
    compare("--size 4 --json - --csv -").failed_with(&["--json", "--csv", "standard output"]);
    compare("--size 4 --json out --csv out").failed_with(&["--json", "--csv", "to out"]);
}

#[test]
fn an_argument_that_is_no_name_is_answered_with_the_names() {
    for (words, mentioned) in [
        ("--scene cube", &["'cube'", "--scene", "drape", "disc", "sphere"][..]),
        ("--sticks some", &["'some'", "--sticks", "structural", "shear", "all"]),
        ("--formulas euler", &["'euler'", "--formulas", "exact", "newton", "halley", "quick"]),
        ("--formulas exact,euler", &["'euler'", "--formulas"]),
        ("--schedules random", &["'random'", "--schedules", "authored", "packed/rcm"]),
        ("--schedules packed/random", &["'packed/random'", "--schedules", "blocked+hilbert"]),
        ("--kernels gpu", &["'gpu'", "--kernels", "scalar", "wide", "pulp", "colour"]),
        ("--kernels textbook", &["'textbook'", "--kernels"]),
    ] {
        compare(&format!("--size 4 {words}")).was_usage_error_with(mentioned);
    }
}

#[test]
fn a_number_that_makes_no_sense_is_answered_with_the_range() {
    for words in [
        "--size 0",
        "--size 4097",
        "--size 18446744073709551616",
        "--iterations 0",
        "--iterations 4294967296",
        "--substeps 0",
        "--substeps 1001",
        "--threads 0",
        "--threads 1,0",
        "--threads 1025",
        "--threads two",
        "--shuffle=-1",
        "--shuffle one",
    ] {
        let (option, _) = words.split_once([' ', '=']).unwrap();
        compare(words).was_usage_error_with(&[option]);
    }
    for words in ["--frames 0", "--frames 18446744073709551615", "--warmup 18446744073709551615"] {
        let (option, number) = words.split_once(' ').unwrap();
        taut(&format!("compare {words}")).was_usage_error_with(&[option, number, "not in"]);
    }
}

#[test]
fn arguments_that_exclude_each_other_are_named() {
    let folder = Folder::with(&[("patch.obj", obj(1.0))]);
    for (words, mentioned) in [
        ("--mesh patch.obj --size 4", ["--mesh", "--size"]),
        ("--mesh patch.obj --scene disc", ["--mesh", "--scene"]),
        ("--keep-scale", ["--mesh", "--keep-scale"]),
        ("--keep-scale --size 4", ["--keep-scale", "--size"]),
        ("--keep-scale --scene disc", ["--keep-scale", "--scene"]),
    ] {
        folder.compare(words).was_usage_error_with(&mentioned);
    }
}

#[test]
fn words_that_mean_nothing_are_quoted() {
    taut("compare --speed 11").was_usage_error_with(&["'--speed'"]);
    taut("compare now").was_usage_error_with(&["'now'"]);
    taut("compete").was_usage_error_with(&["'compete'"]);
    taut("compare --mesh").was_usage_error_with(&["--mesh"]);
}
