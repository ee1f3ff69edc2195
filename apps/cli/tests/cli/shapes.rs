//! `taut compare` on the built-in shapes, with every option.

use crate::run::{compare, report, taut, value_text};

/// Options that reduce a comparison to a few rows.
const FEW_ROWS: &str = "--kernels pulp --schedules packed --formulas halley";

/// The names in a list that is separated by commas, sorted.
fn sorted(list: &str) -> Vec<String> {
    let mut names: Vec<_> = list.split(',').map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn every_shape_is_compared_on_all_kernels_formulas_and_schedules() {
    for shape in ["drape", "disc", "sphere"] {
        let output =
            compare(&format!("--scene {shape} --size 5 --threads 1,2 --all")).assert_success();
        assert_eq!(output.err, "");
        assert!(output.out.starts_with(&format!("{shape} 5, all sticks: ")), "{}", output.out);
        let kernels = ["textbook", "scalar", "wide", "pulp"];
        let formulas = ["exact", "newton", "halley", "quick"];
        let schedules = [
            "authored",
            "coloured",
            "packed",
            "packed/rcm",
            "starred/rcm",
            "banded",
            "blocked/hilbert",
        ];
        for name in [&kernels[..], &formulas, &schedules].concat() {
            assert!(output.out.contains(&format!(" {name} ")), "{name} is missing: {}", output.out);
        }
        assert!(output.out.contains(" colour("), "{}", output.out);
        assert_eq!(output.out.contains(" grid "), shape == "drape", "{}", output.out);
        assert_eq!(output.out.contains(" sheet "), shape == "drape", "{}", output.out);
        let agree = "Results: bit-identical in all rows of the same formula and schedule.\n";
        assert!(output.out.ends_with(agree), "{}", output.out);
        for expected in
            ["\nFastest: ", "\nIts accuracy: ", "With 8 substeps of 1 iteration instead "]
        {
            assert!(output.out.contains(expected), "{expected}: {}", output.out);
        }
    }
}

#[test]
fn a_long_table_shows_a_selection_of_rows() {
    let output = compare("--size 5 --threads 1,2 --json -").assert_success();
    let report = output.report();
    let (_, table) = output.err.split_once("──\n").unwrap();
    let (table, below) = table.split_once("─").unwrap();
    let lines = table.lines().count();
    assert!(lines <= 20 && report.rows().len() > 20, "{}", output.err);
    let counts = format!("{lines} of {} rows; --all shows every row.", report.rows().len());
    assert!(below.contains(&counts), "{}", output.err);
    for key in ["formula", "isa", "schedule"] {
        for row in report.rows() {
            let name = format!(" {} ", value_text(&row[key]));
            assert!(table.contains(&name), "{name} is missing: {}", output.err);
        }
    }
    // A `packed` schedule has one block, so a second thread has no work.
    let is_on_two_threads = |schedule: &str| {
        report.rows().iter().any(|row| row["schedule"] == schedule && row["threads"] == 2)
    };
    assert!(is_on_two_threads("starred/rcm") && !is_on_two_threads("packed/rcm"));
    let few = compare("--size 5 --formulas halley --schedules sheet").assert_success();
    assert!(!few.out.contains("--all"), "{}", few.out);
}

#[test]
fn the_whole_table_has_a_line_for_every_row() {
    let output = compare("--size 4 --formulas halley --all --json -").assert_success();
    for row in output.report().rows() {
        let columns = ["kernel", "isa", "lanes", "formula", "schedule", "threads", "hash"];
        let mut columns = columns.map(|key| value_text(&row[key]));
        if row["inner"] != row["kernel"] {
            columns[0] = format!("{}({})", columns[0], value_text(&row["inner"]));
        }
        let lines = output.err.lines().filter(|line| {
            let cells: Vec<_> = line.split_whitespace().collect();
            let [first @ .., last] = &cells[..] else { return false };
            first.len() > 6 && first[..6] == columns[..6] && *last == columns[6]
        });
        assert_eq!(lines.count(), 1, "{columns:?}: {}", output.err);
    }
}

#[test]
fn each_stick_set_has_the_expected_number_of_sticks() {
    // The numbers of sticks of a sheet of n x n particles.
    let [n, n_minus_1, n_minus_2] = [6, 5, 4];
    let structural = 2 * n * n_minus_1;
    let shear = structural + 2 * n_minus_1 * n_minus_1;
    let all = shear + 2 * n * n_minus_2 + 2 * n_minus_2 * n_minus_2;
    for (set, sticks) in [("structural", structural), ("shear", shear), ("all", all)] {
        let report = report(&format!("--size 6 --sticks {set} {FEW_ROWS}"));
        assert_eq!(report.scene()["sticks"], sticks, "{set}");
        assert_eq!(report.distinct("sticks"), [sticks.to_string()], "{set}");
        assert_eq!(report.scene()["particles"], 36);
        assert_eq!(report.scene()["pinned"], 6);
        assert_eq!(report.scene()["name"], format!("drape 6, {set} sticks"));
    }
}

#[test]
fn the_listed_schedules_and_numberings_are_measured() {
    let list = "authored,coloured/rcm,packed/hilbert,packed/rcm,blocked,sheet";
    let results = report(&format!("--size 6 --schedules {list} --formulas halley"));
    assert_eq!(results.distinct("schedule"), sorted(list));
    let list = "authored/rcm,coloured,blocked/rcm,blocked/hilbert";
    let results = report(&format!("--scene disc --size 6 --schedules {list} --kernels wide"));
    assert_eq!(
        results.distinct("schedule"),
        sorted(&format!("{list},authored")),
        "the textbook loop adds authored"
    );
    // A kernel listed by name gets a row also in schedules in which it is slow.
    let is_slow_row =
        |row: &&serde_json::Value| row["kernel"] == "wide" && row["schedule"] == "authored/rcm";
    assert_eq!(
        results.rows().iter().filter(is_slow_row).count(),
        4,
        "expected one row for each formula"
    );
}

#[test]
fn the_baselines_are_measured_besides_the_listed_kernels() {
    for list in
        ["scalar", "wide", "pulp", "colour", "wide,pulp", "pulp,colour", "scalar,wide,colour"]
    {
        let threads = if list.contains("colour") { "1,2" } else { "1" };
        let report = report(&format!(
            "--size 4 --kernels {list} --threads {threads} --formulas newton --schedules coloured"
        ));
        let mut expected = sorted(&format!("{list},scalar,textbook"));
        expected.dedup();
        assert_eq!(report.distinct("kernel"), expected, "{list}");
    }
}

#[test]
fn the_listed_formulas_are_measured_and_the_textbook_loop_keeps_its_own() {
    for list in ["exact", "newton", "halley", "quick", "quick,newton"] {
        let report = report(&format!("--size 4 --formulas {list} --schedules packed"));
        let kernels = report.rows().iter().filter(|row| row["kernel"] != "textbook");
        let mut formulas: Vec<_> = kernels.map(|row| value_text(&row["formula"])).collect();
        formulas.sort();
        formulas.dedup();
        assert_eq!(formulas, sorted(list));
        assert_eq!(report.rows()[0]["formula"], "exact");
    }
}

#[test]
fn only_the_listed_instruction_sets_are_used_besides_the_baselines() {
    let available = report(&format!("--size 4 {FEW_ROWS}")).instruction_sets();
    assert!(!available.is_empty());
    for isa in &available {
        for kernels in ["", "--kernels colour", "--kernels scalar,colour"] {
            let results = report(&format!(
                "--size 4 --isa {isa} {kernels} --threads 1,2 --formulas exact \
                 --schedules coloured,sheet"
            ));
            for row in results.rows() {
                let is_baseline = row["kernel"] == "textbook" || row["kernel"] == "scalar";
                assert!(is_baseline || row["isa"] == **isa, "--isa {isa} {kernels}: {row}");
            }
            let expected =
                if kernels.is_empty() { &["colour", "grid"][..] } else { &["colour"][..] };
            for kernel in expected {
                assert!(
                    results.distinct("kernel").contains(&(*kernel).to_owned()),
                    "{kernel} on {isa}"
                );
            }
        }
    }
    let all = available.join(",");
    let report = report(&format!("--size 4 --isa {all} --formulas exact --schedules packed"));
    assert_eq!(report.distinct("isa"), sorted(&all));
}

#[test]
fn several_threads_run_the_listed_kernel() {
    for kernel in ["scalar", "wide", "pulp"] {
        let arguments = "--size 4 --threads 1,2 --schedules coloured";
        let results = report(&format!("{arguments} --kernels {kernel},colour"));
        let isas_of = |name: &str| -> Vec<_> {
            let rows = results.rows().iter().filter(|row| row["kernel"] == name);
            rows.map(|row| (row["inner"].clone(), row["isa"].clone())).collect()
        };
        let (listed, on_threads) = (isas_of(kernel), isas_of("colour"));
        assert!(!on_threads.is_empty(), "{kernel}");
        for (inner, isa) in on_threads {
            assert_eq!((inner, &isa), (kernel.into(), &listed[0].1));
        }
    }
}

#[test]
fn several_threads_use_the_kernel_colour_with_the_same_bits() {
    let list = "--schedules coloured,blocked/hilbert --formulas halley,quick";
    // `report` checks the exit code, and `taut compare` fails if rows of the same formula and
    // schedule differ in bits.
    let results = report(&format!("--size 12 --threads 1,2,4 {list}"));
    assert_eq!(results.distinct("threads"), ["1", "2", "4"]);
    for row in results.rows() {
        assert_eq!(row["kernel"] == "colour", row["threads"] != 1, "{row}");
    }
    // If 1 is not listed, only the baselines run on one thread.
    let results = report(&format!("--size 6 --threads 2 {list}"));
    for row in results.rows().iter().filter(|row| row["threads"] == 1) {
        assert!(row["kernel"] == "textbook" || row["kernel"] == "scalar", "{row}");
    }
}

#[test]
fn step_and_frame_options_are_respected() {
    let arguments = "compare --size 4 --substeps 3 --iterations 2 --frames 5 --warmup 4";
    let output = taut(&format!("{arguments} {FEW_ROWS} --json -")).assert_success();
    let report = output.report();
    let scene = report.scene();
    assert_eq!([&scene["substeps"], &scene["iterations"]], [3, 2]);
    assert_eq!([&scene["timed_frames"], &scene["warmup_frames"]], [5, 4]);
    assert_eq!(scene["error_vs_f64_frame"], 9);
    for row in report.rows() {
        assert_eq!([&row["substeps"], &row["iterations"], &row["frames"]], [3, 2, 5]);
    }
    for expected in
        ["3 substep(s) of 2 iteration(s)", "4 frames to warm up, 5 timed", "after frame 9"]
    {
        assert!(output.err.contains(expected), "{}", output.err);
    }
}

#[test]
fn each_step_option_changes_the_result() {
    let hashes = |arguments: &str| {
        let output =
            taut(&format!("compare --size 4 {arguments} {FEW_ROWS} --json -")).assert_success();
        output.report().hashes()
    };
    let default = hashes("--frames 2 --warmup 2");
    assert_eq!(
        hashes("--frames 4 --warmup 0"),
        default,
        "warm-up frames are simulated differently"
    );
    for other in ["--frames 3", "--frames 2 --iterations 9", "--frames 2 --substeps 2"] {
        assert_ne!(hashes(&format!("--warmup 2 {other}")), default, "{other}");
    }
}

#[test]
fn each_seed_gives_its_own_shuffle() {
    let shuffled = |seed| report(&format!("--size 6 --shuffle {seed}"));
    let one = shuffled(1);
    assert_eq!(one.scene()["shuffle_seed"], 1);
    assert_eq!(one.scene()["name"], "drape 6, all sticks, shuffled by seed 1");
    assert!(
        !one.distinct("schedule").contains(&"sheet".to_owned()),
        "a shuffled sheet has the schedule sheet"
    );
    assert_eq!(one.hashes(), shuffled(1).hashes());
    assert_ne!(one.hashes(), shuffled(2).hashes());
    assert_eq!(shuffled(u64::MAX).scene()["shuffle_seed"], u64::MAX);
}

#[test]
fn the_smallest_scenes_run() {
    for arguments in ["--size 2", "--scene disc --size 2", "--scene sphere --size 1"] {
        for set in ["structural", "all"] {
            compare(&format!("{arguments} --sticks {set} --formulas halley")).assert_success();
        }
    }
}
