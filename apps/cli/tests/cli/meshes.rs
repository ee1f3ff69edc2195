//! `taut compare` on meshes from files.

use crate::mesh_files::{CELLS, edge_mean_and_count, obj, valid_files};
use crate::run::Folder;

/// Options that reduce a comparison to a few rows.
const FEW_ROWS: &str = "--kernels pulp --schedules packed,blocked/hilbert --formulas halley";

#[test]
fn every_format_gives_the_same_bits() {
    let folder = Folder::with_files(&valid_files());
    let expected = folder.report("--mesh patch.obj").hashes();
    for (name, _) in valid_files() {
        let report = folder.report(&format!("--mesh {name}"));
        assert_eq!(report.hashes(), expected, "{name}");
        assert_eq!(report.scene()["name"], format!("{name}, all sticks"));
    }
}

#[test]
fn the_output_describes_the_file_and_the_scaling() {
    let folder = Folder::with_files(&valid_files());
    let factor = 0.05 / edge_mean_and_count(1.0).0;
    let [vertices, faces] = [(CELLS + 1) * (CELLS + 1), 2 * CELLS * CELLS];
    for (name, format) in [("patch.obj", "OBJ"), ("little.ply", "PLY"), ("patch.glb", "glTF")] {
        let output = folder.compare(&format!("--mesh {name}")).assert_success();
        assert_eq!(output.err, "");
        let mut lines = output.out.lines();
        assert_eq!(
            lines.next().unwrap(),
            format!("{name}: {format}: {vertices} vertices, {faces} faces, {faces} triangles")
        );
        assert_eq!(
            lines.next().unwrap(),
            format!("scaled by {factor:.6} to a mean edge of 0.05 m")
        );
        for kernel in ["textbook", "scalar", "wide", "pulp"] {
            assert!(output.out.contains(&format!(" {kernel} ")), "{}", output.out);
        }
        assert!(output.out.ends_with("same formula and schedule.\n"), "{}", output.out);
    }
}

#[test]
fn two_percent_of_the_vertices_are_pinned() {
    let folder = Folder::with_files(&valid_files());
    let structural = folder.report(&format!("--mesh big.ply --sticks structural {FEW_ROWS}"));
    let particles = (CELLS + 1) * (CELLS + 1);
    assert_eq!(structural.scene()["particles"], particles);
    assert_eq!(structural.scene()["pinned"], particles.div_ceil(50));
    assert_eq!(
        structural.scene()["sticks"],
        edge_mean_and_count(1.0).1,
        "one stick for each unique edge"
    );
    let all = folder.report(&format!("--mesh big.ply --sticks all {FEW_ROWS}"));
    assert!(all.scene()["sticks"].as_u64() > structural.scene()["sticks"].as_u64());
}

/// The sizes of the two meshes differ by a power of two, so both are rounded to the same coordinates.
#[test]
fn the_unit_of_a_file_matters_only_with_keep_scale() {
    let folder = Folder::with_files(&[("one.obj", obj(1.0)), ("large.obj", obj(1024.0))]);
    let hashes = |arguments: &str| folder.report(&format!("{arguments} {FEW_ROWS}")).hashes();
    assert_eq!(hashes("--mesh one.obj"), hashes("--mesh large.obj"));
    let unscaled = hashes("--mesh one.obj --keep-scale");
    assert_ne!(unscaled, hashes("--mesh one.obj"));
    assert_ne!(unscaled, hashes("--mesh large.obj --keep-scale"));
    let output =
        folder.compare(&format!("--mesh one.obj --keep-scale {FEW_ROWS}")).assert_success();
    assert!(!output.out.contains("scaled"), "{}", output.out);
}

#[test]
fn options_can_be_combined_with_a_mesh() {
    let folder = Folder::with_files(&valid_files());
    for arguments in [
        "--shuffle 1 --sticks structural",
        "--shuffle 7 --threads 1,2,4 --schedules coloured,blocked/rcm,blocked/hilbert",
        "--keep-scale --substeps 4 --iterations 1",
        "--formulas quick,exact --kernels wide,colour --threads 1,2",
    ] {
        let output = folder.compare(&format!("--mesh patch.glb {arguments}")).assert_success();
        assert!(output.out.ends_with("same formula and schedule.\n"), "{}", output.out);
    }
    let shuffled = folder.report(&format!("--mesh patch.obj --shuffle 1 {FEW_ROWS}"));
    assert_eq!(shuffled.scene()["name"], "patch.obj, all sticks, shuffled by seed 1");
}

#[test]
fn repairs_of_a_mesh_are_reported() {
    // Two triangles with a duplicated common edge, a degenerate one, and an unused vertex.
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\n\
        f 1 2 3\nf 4 5 6\nf 1 1 2\n";
    let folder = Folder::with_files(&[("split.obj", obj.to_vec())]);
    let output = folder.compare(&format!("--mesh split.obj {FEW_ROWS}")).assert_success();
    for expected in ["2 vertices welded", "1 degenerate triangle", "1 unreferenced vertex dropped"]
    {
        assert!(output.out.lines().next().unwrap().contains(expected), "{}", output.out);
    }
}
