//! Comparisons on the program's own shapes, with every option.

use crate::run::{compare, report, shown, taut};

/// Options of runs whose table is not checked: few rows.
const NARROW: &str = "--kernels pulp --schedules packed --formulas halley";

/// The words of a list, sorted.
fn sorted(list: &str) -> Vec<String> {
    let mut words: Vec<_> = list.split(',').map(str::to_owned).collect();
    words.sort();
    words
}

#[test]
fn every_shape_is_compared_and_the_table_names_everybody() {
    for shape in ["drape", "disc", "sphere"] {
        let ran = compare(&format!("--scene {shape} --size 5 --threads 1,2 --all")).succeeded();
        assert_eq!(ran.err, "");
        assert!(ran.out.starts_with(&format!("{shape} 5, all sticks: ")), "{}", ran.out);
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
            assert!(ran.out.contains(&format!(" {name} ")), "{name} is missing: {}", ran.out);
        }
        assert!(ran.out.contains(" colour("), "{}", ran.out);
        assert_eq!(ran.out.contains(" sheet "), shape == "drape", "{}", ran.out);
        let agree = "Bits: all rows of the same formula and schedule agree.\n";
        assert!(ran.out.ends_with(agree), "{}", ran.out);
        for said in ["\nFastest: ", "\nIts accuracy: ", " As 8 substeps of 1 iteration it "] {
            assert!(ran.out.contains(said), "{said}: {}", ran.out);
        }
    }
}

#[test]
fn of_many_rows_those_that_tell_the_most_are_shown() {
    let ran = compare("--size 5 --threads 1,2 --json -").succeeded();
    let report = ran.report();
    let (_, table) = ran.err.split_once("──\n").unwrap();
    let (table, said) = table.split_once("─").unwrap();
    let shown = table.lines().count();
    assert!(shown <= 20 && report.rows().len() > 20, "{}", ran.err);
    let left = format!("{shown} of {} rows; --all shows every row.", report.rows().len());
    assert!(said.contains(&left), "{}", ran.err);
    for key in ["formula", "isa", "schedule"] {
        for row in report.rows() {
            let name = shown_word(&row[key]);
            assert!(table.contains(&name), "{name} is missing: {}", ran.err);
        }
    }
    let few = compare("--size 5 --formulas halley --schedules sheet").succeeded();
    assert!(!few.out.contains("--all"), "{}", few.out);
}

fn shown_word(value: &serde_json::Value) -> String {
    format!(" {} ", shown(value))
}

#[test]
fn the_table_has_a_line_for_every_row() {
    let ran = compare("--size 4 --formulas halley --all --json -").succeeded();
    for row in ran.report().rows() {
        let columns = ["kernel", "isa", "lanes", "formula", "schedule", "threads", "hash"];
        let mut columns = columns.map(|key| shown(&row[key]));
        if row["inside"] != row["kernel"] {
            columns[0] = format!("{}({})", columns[0], shown(&row["inside"]));
        }
        let lines = ran.err.lines().filter(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let [first @ .., last] = &words[..] else { return false };
            first.len() > 6 && first[..6] == columns[..6] && *last == columns[6]
        });
        assert_eq!(lines.count(), 1, "{columns:?}: {}", ran.err);
    }
}

#[test]
fn each_set_has_its_sticks() {
    let [n, one, two] = [6, 5, 4];
    let structural = 2 * n * one;
    let shear = structural + 2 * one * one;
    let all = shear + 2 * n * two + 2 * two * two;
    for (set, sticks) in [("structural", structural), ("shear", shear), ("all", all)] {
        let report = report(&format!("--size 6 --sticks {set} {NARROW}"));
        assert_eq!(report.scene()["sticks"], sticks, "{set}");
        assert_eq!(report.all("sticks"), [sticks.to_string()], "{set}");
        assert_eq!(report.scene()["particles"], 36);
        assert_eq!(report.scene()["pinned"], 6);
        assert_eq!(report.scene()["name"], format!("drape 6, {set} sticks"));
    }
}

#[test]
fn schedules_run_as_listed_on_the_numbering_asked_for() {
    let list = "authored,coloured/rcm,packed/hilbert,packed/rcm,blocked,sheet";
    let ran = report(&format!("--size 6 --schedules {list} --formulas halley"));
    assert_eq!(ran.all("schedule"), sorted(list));
    let list = "authored/rcm,coloured,blocked/rcm,blocked/hilbert";
    let ran = report(&format!("--scene disc --size 6 --schedules {list} --kernels wide"));
    assert_eq!(ran.all("schedule"), sorted(&format!("{list},authored")), "the textbook's, besides");
    // What is asked for by name gets a row, worth it or not.
    let row =
        |row: &&serde_json::Value| row["kernel"] == "wide" && row["schedule"] == "authored/rcm";
    assert_eq!(ran.rows().iter().filter(row).count(), 4, "one for each formula");
}

#[test]
fn the_baselines_take_part_whatever_kernels_are_listed() {
    for list in
        ["scalar", "wide", "pulp", "colour", "wide,pulp", "pulp,colour", "scalar,wide,colour"]
    {
        let threads = if list.contains("colour") { "1,2" } else { "1" };
        let report = report(&format!(
            "--size 4 --kernels {list} --threads {threads} --formulas newton --schedules coloured"
        ));
        let mut expected = sorted(&format!("{list},scalar,textbook"));
        expected.dedup();
        assert_eq!(report.all("kernel"), expected, "{list}");
    }
}

#[test]
fn formulas_run_as_listed_and_the_textbook_in_its_own() {
    for list in ["exact", "newton", "halley", "quick", "quick,newton"] {
        let report = report(&format!("--size 4 --formulas {list} --schedules packed"));
        let kernels = report.rows().iter().filter(|row| row["kernel"] != "textbook");
        let mut formulas: Vec<_> = kernels.map(|row| shown(&row["formula"])).collect();
        formulas.sort();
        formulas.dedup();
        assert_eq!(formulas, sorted(list));
        assert_eq!(report.rows()[0]["formula"], "exact");
    }
}

#[test]
fn only_the_instruction_sets_asked_for_are_used_beside_the_baselines() {
    let features = report(&format!("--size 4 {NARROW}")).features();
    assert!(!features.is_empty());
    for isa in &features {
        for kernels in ["", "--kernels colour", "--kernels scalar,colour"] {
            let ran = report(&format!(
                "--size 4 --isa {isa} {kernels} --threads 1,2 --formulas exact \
                 --schedules coloured,sheet"
            ));
            for row in ran.rows() {
                let is_baseline = row["kernel"] == "textbook" || row["kernel"] == "scalar";
                assert!(is_baseline || row["isa"] == **isa, "--isa {isa} {kernels}: {row}");
            }
            let expected =
                if kernels.is_empty() { &["colour", "grid"][..] } else { &["colour"][..] };
            for kernel in expected {
                assert!(ran.all("kernel").contains(&(*kernel).to_owned()), "{kernel} on {isa}");
            }
        }
    }
    let all = features.join(",");
    let report = report(&format!("--size 4 --isa {all} --formulas exact --schedules packed"));
    assert_eq!(report.all("isa"), sorted(&all));
}

#[test]
fn threads_go_around_the_best_of_the_kernels_that_are_listed() {
    let around = |kernels: &str| {
        let ran =
            report(&format!("--size 4 --kernels {kernels} --threads 1,2 --schedules coloured"));
        let row = |name: &str| {
            let row = ran.rows().iter().find(|row| row["kernel"] == name);
            row.map(|row| row["isa"].clone())
        };
        (row("colour"), row(kernels.split_once(',').unwrap().0))
    };
    for kernels in ["scalar,colour", "wide,colour", "pulp,colour"] {
        let (colour, inside) = around(kernels);
        assert!(colour.is_some() && colour == inside, "{kernels}: {colour:?}, {inside:?}");
    }
}

#[test]
fn more_than_one_thread_is_the_kernel_colour_and_changes_no_bit() {
    let list = "--schedules coloured,blocked/hilbert --formulas halley,quick";
    let ran = report(&format!("--size 12 --threads 1,2,4 {list}"));
    assert_eq!(ran.all("threads"), ["1", "2", "4"]);
    for row in ran.rows() {
        assert_eq!(row["kernel"] == "colour", row["threads"] != 1, "{row}");
    }
    // Without 1 only the baselines have it.
    let ran = report(&format!("--size 6 --threads 2 {list}"));
    for row in ran.rows().iter().filter(|row| row["threads"] == 1) {
        assert!(row["kernel"] == "textbook" || row["kernel"] == "scalar", "{row}");
    }
}

#[test]
fn steps_and_frames_are_those_asked_for() {
    let words = "compare --size 4 --substeps 3 --iterations 2 --frames 5 --warmup 4";
    let ran = taut(&format!("{words} {NARROW} --json -")).succeeded();
    let report = ran.report();
    let scene = report.scene();
    assert_eq!([&scene["substeps"], &scene["iterations"]], [3, 2]);
    assert_eq!([&scene["timed_frames"], &scene["warmup_frames"]], [5, 4]);
    assert_eq!(scene["error_vs_f64_frame"], 9);
    for row in report.rows() {
        assert_eq!([&row["substeps"], &row["iterations"], &row["frames"]], [3, 2, 5]);
    }
    for said in ["3 substep(s) of 2 iteration(s)", "4 frames to warm up, 5 timed", "after frame 9"]
    {
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn each_step_option_is_part_of_the_answer() {
    let hash = |words: &str| {
        let ran = taut(&format!("compare --size 4 {words} {NARROW} --json -")).succeeded();
        ran.report().hashes()
    };
    let usual = hash("--frames 2 --warmup 2");
    assert_eq!(hash("--frames 4 --warmup 0"), usual, "warming up or timed is all the same");
    for other in ["--frames 3", "--frames 2 --iterations 9", "--frames 2 --substeps 2"] {
        assert_ne!(hash(&format!("--warmup 2 {other}")), usual, "{other}");
    }
}

#[test]
fn a_seed_is_a_shuffle_and_another_seed_another() {
    let shuffled = |seed| report(&format!("--size 6 --shuffle {seed}"));
    let one = shuffled(1);
    assert_eq!(one.scene()["shuffle_seed"], 1);
    assert_eq!(one.scene()["name"], "drape 6, all sticks, shuffled by seed 1");
    assert!(!one.all("schedule").contains(&"sheet".to_owned()), "it is no sheet any more");
    assert_eq!(one.hashes(), shuffled(1).hashes());
    assert_ne!(one.hashes(), shuffled(2).hashes());
    assert_eq!(shuffled(u64::MAX).scene()["shuffle_seed"], u64::MAX);
}

#[test]
fn the_smallest_scenes_run() {
    for words in ["--size 2", "--scene disc --size 2", "--scene sphere --size 1"] {
        for set in ["structural", "all"] {
            compare(&format!("{words} --sticks {set} --formulas halley")).succeeded();
        }
    }
}
