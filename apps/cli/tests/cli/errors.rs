//! Invalid input gives exit code 2, an error message that names the input and the problem, and
//! nothing on the standard output. The message is one line, or the usage error of the argument parser.

use crate::mesh_files::{glb, obj, ply_binary, ply_wrong_count, valid_files};
use crate::run::{Folder, compare, report, taut};

/// The first half of a file.
fn first_half(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() / 2);
    bytes
}

#[test]
fn an_invalid_mesh_file_gives_an_error_with_its_name_and_problem() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let invalid: [(&str, Vec<u8>, &[&str]); 17] = [
        ("empty.obj", Vec::new(), &["empty"]),
        ("empty.ply", Vec::new(), &["empty"]),
        ("empty.glb", Vec::new(), &["empty"]),
        ("cut.ply", first_half(ply_binary(1.0, false)), &["ends inside", "`face`"]),
        ("cut-header.ply", b"ply\nformat ascii 1.0\nelement ver".to_vec(), &["header"]),
        ("count.ply", ply_wrong_count(), &["4000000000", "vertex"]),
        ("image.ply", png.clone(), &["PLY", "PNG"]),
        ("image.obj", png.clone(), &["OBJ", "PNG"]),
        ("image.png", png, &["format", "PNG"]),
        ("text.glb", b"hello, this is text".to_vec(), &["glTF", "hello"]),
        ("cut.glb", first_half(glb(1.0)), &["ends inside"]),
        ("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec(), &["3 vertices", "0 faces"]),
        ("range.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n".to_vec(), &["line 3", "vertex 3"]),
        ("word.obj", b"v 0 zero 0\n".to_vec(), &["line 1", "zero"]),
        ("infinite.obj", b"v 0 inf 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec(), &["vertex 1"]),
        ("line.obj", b"v 0 0 0\nv 0 0 0\nv 1 1 1\nf 1 2 3\n".to_vec(), &["1 triangle"]),
        ("mesh.stl", b"solid nothing\n".to_vec(), &["format", ".obj", ".ply", ".glb"]),
    ];
    let files = invalid.each_ref().map(|(name, bytes, _)| (*name, bytes.clone()));
    let folder = Folder::with_files(&files);
    for (name, _, expected) in invalid {
        let output = folder.compare(&format!("--mesh {name}"));
        output.assert_error(&[&[name], expected].concat());
        assert!(output.err.starts_with(&format!("taut: {name}: ")), "{}", output.err);
    }
}

#[test]
fn a_path_without_a_file_gives_an_error_with_the_path() {
    compare("--mesh nowhere.obj").assert_error(&["nowhere.obj", "cannot be read"]);
    compare("--mesh .").assert_error(&["taut: .: ", "file"]);
}

#[test]
fn a_mesh_that_is_too_large_unscaled_gives_an_error_with_its_name() {
    let huge = b"v 0 0 0\nv 1e30 0 0\nv 0 1e30 0\nf 1 2 3\n".to_vec();
    let folder = Folder::with_files(&[("huge.obj", huge)]);
    folder.compare("--mesh huge.obj --formulas exact").assert_success();
    folder.compare("--mesh huge.obj --keep-scale").assert_error(&["huge.obj"]);
}

#[test]
fn a_scene_without_sticks_is_rejected() {
    for (arguments, scene) in [("--size 1", "drape 1"), ("--scene disc --size 1", "disc 1")] {
        compare(arguments).assert_error(&[scene, "nothing to relax"]);
    }
}

#[test]
fn the_schedule_sheet_is_rejected_for_other_meshes() {
    let folder = Folder::with_files(&valid_files());
    for arguments in [
        "--mesh patch.obj --schedules sheet",
        "--scene disc --size 4 --schedules packed,sheet",
        "--size 4 --shuffle 1 --schedules sheet",
        "--size 4 --schedules sheet/rcm",
    ] {
        folder.compare(arguments).assert_error(&["'sheet'", "regular sheet"]);
    }
}

#[test]
fn too_many_copies_and_kernels_that_cannot_run_any_schedule_are_rejected() {
    compare("--size 4 --kernels copies").assert_error(&["kernel copies", "--copies, 2 or more"]);
    compare("--size 4 --copies 2 --kernels grid")
        .assert_error(&["kernel grid", "one regular sheet"]);
    compare("--size 4 --kernels colour --threads 1")
        .assert_error(&["--kernels colour", "--threads with a number above 1"]);
    compare("--size 512 --copies 1000").assert_error(&["particles", "262144000", "16777216"]);
}

#[test]
fn a_library_scene_rejects_kernels_and_instruction_sets_that_it_cannot_use() {
    for (options, expected) in [
        ("--kernels colour", "--threads"),
        ("--kernels copies", "the scene does not have the models that it needs"),
        ("--isa abacus", "'abacus'"),
        // A kernel that falls back to one lane is not measured.
        ("--kernels pulp --isa scalar", "--kernels pulp"),
    ] {
        compare(&format!("--scene curtain {options}")).assert_error(&[expected]);
    }
}

#[test]
fn an_unknown_instruction_set_gives_an_error_with_the_available_ones() {
    let available = report("--size 4 --formulas exact --schedules packed").instruction_sets();
    let output = compare("--size 4 --isa abacus");
    output.assert_error(&["'abacus'", &available.join(", ")]);
}

#[test]
fn a_kernel_without_the_instruction_set_gives_an_error_with_both() {
    // An instruction set of this machine that the kernel wide of this build does not use.
    let report = report("--size 4 --kernels wide --formulas exact --schedules packed");
    let row = report.rows().iter().find(|row| row["kernel"] == "wide").unwrap();
    let other = report.instruction_sets().into_iter().find(|isa| row["isa"] != **isa).unwrap();
    let output = compare(&format!("--size 4 --kernels wide --isa {other}"));
    output.assert_error(&["--kernels wide", &format!("--isa {other}")]);
}

#[test]
fn an_output_that_cannot_be_written_is_rejected_before_measuring() {
    for arguments in ["--json nowhere/out.json", "--csv nowhere/out.csv", "--json .", "--csv ."] {
        let path = arguments.split_once(' ').unwrap().1;
        let output = compare(&format!("--size 4 {arguments}"));
        output.assert_error(&[&format!("taut: {path}: cannot be written")]);
    }
}

#[test]
fn json_and_csv_cannot_go_to_the_same_output() {
    compare("--size 4 --json - --csv -").assert_error(&["--json", "--csv", "standard output"]);
    compare("--size 4 --json out --csv out").assert_error(&["--json", "--csv", "to out"]);
}

#[test]
fn an_unknown_name_gives_an_error_with_the_valid_names() {
    for (arguments, expected) in [
        ("--scene cube", &["'cube'", "--scene", "drape", "disc", "sphere"][..]),
        ("--sticks some", &["'some'", "--sticks", "structural", "shear", "all"]),
        ("--formulas euler", &["'euler'", "--formulas", "exact", "newton", "halley", "quick"]),
        ("--formulas exact,euler", &["'euler'", "--formulas"]),
        ("--schedules random", &["'random'", "--schedules", "authored", "packed/rcm"]),
        ("--schedules packed/random", &["'packed/random'", "--schedules", "blocked+hilbert"]),
        ("--kernels gpu", &["'gpu'", "--kernels", "scalar", "wide", "pulp", "colour"]),
        ("--kernels textbook", &["'textbook'", "--kernels"]),
    ] {
        compare(&format!("--size 4 {arguments}")).assert_usage_error(expected);
    }
}

#[test]
fn a_number_out_of_range_gives_an_error_with_its_option() {
    for arguments in [
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
        let (option, _) = arguments.split_once([' ', '=']).unwrap();
        compare(arguments).assert_usage_error(&[option]);
    }
    // Not by the function `compare`, which sets `--frames` and `--warmup` itself.
    for arguments in
        ["--frames 0", "--frames 18446744073709551615", "--warmup 18446744073709551615"]
    {
        let (option, value) = arguments.split_once(' ').unwrap();
        taut(&format!("compare {arguments}")).assert_usage_error(&[option, value, "not in"]);
    }
}

#[test]
fn conflicting_arguments_are_named() {
    let folder = Folder::with_files(&[("patch.obj", obj(1.0))]);
    for (arguments, expected) in [
        ("--mesh patch.obj --size 4", ["--mesh", "--size"]),
        ("--mesh patch.obj --scene disc", ["--mesh", "--scene"]),
        ("--keep-scale", ["--mesh", "--keep-scale"]),
        ("--keep-scale --size 4", ["--keep-scale", "--size"]),
        ("--keep-scale --scene disc", ["--keep-scale", "--scene"]),
    ] {
        folder.compare(arguments).assert_usage_error(&expected);
    }
}

#[test]
fn unknown_arguments_are_quoted() {
    taut("compare --speed 11").assert_usage_error(&["'--speed'"]);
    taut("compare now").assert_usage_error(&["'now'"]);
    taut("compete").assert_usage_error(&["'compete'"]);
    taut("compare --mesh").assert_usage_error(&["--mesh"]);
}
