//! Golden hashes: the bits are the same in every version and on every machine.
//!
//! `golden.txt` has a line for each model, order and formula: the hash of the positions after
//! some steps (see `taut_tests`, which the program `hashes` shares). Every configuration must give
//! this hash. The table also has a line for each scene of the library. (`library.rs` checks that
//! all kernels agree on these scenes.) A change that alters a hash alters users' simulations, so it
//! is a breaking change. If it is intended, renew the table with
//!
//! ```text
//! TAUT_BLESS=1 cargo test -p taut-tests golden
//! ```
//!
//! which increments the version of the table if a hash changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use taut::AnyKernel;
use taut::world::LibraryScene;
use taut_tests::{GoldenCase, SCENE_STEPS, STEPS, golden_cases, scene_hash, scene_name, step};

use crate::meshes::Mesh;
use crate::runner::Setup;

const TABLE: &str = include_str!("../golden.txt");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");
const HEAD: &str = "\
# Hashes of the positions after 8 steps of 4 iterations, in the caller's numbering; see
# `Particles::hash`. `own own`: a scene of the library, after 24 steps with its own settings.
# To renew: TAUT_BLESS=1 cargo test -p taut-tests golden
";

type Hashes = BTreeMap<String, u64>;

/// The version and the hashes of a table.
fn parse(table: &str) -> (u32, Hashes) {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let version = lines.next().and_then(|line| line.strip_prefix("version "));
    let entry = |line: &str| {
        let (name, hash) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), u64::from_str_radix(hash, 16).unwrap())
    };
    (version.unwrap().parse().unwrap(), lines.map(entry).collect())
}

fn write(version: u32, hashes: &Hashes) -> String {
    let mut table = format!("{HEAD}version {version}\n");
    for (name, hash) in hashes {
        writeln!(table, "{name} {hash:016x}").unwrap();
    }
    table
}

/// The hash of each case, after a check that all configurations give it.
fn hashes() -> Hashes {
    let mut hashes = Hashes::new();
    for GoldenCase { name, arranged, formula } in golden_cases() {
        let mesh =
            Mesh { particles: arranged.particles, sticks: arranged.sticks, sheet: None, copies: 1 };
        let setup = Setup { mesh: &mesh, schedule: &arranged.schedule, formula };
        let outcome = setup.assert_all_agree(&name, |start| start.steps(&step(), STEPS));
        assert!(outcome.notes.iter().all(|&finite| finite == 1));
        hashes.insert(name, outcome.particles.hash());
    }
    for listed in LibraryScene::ALL {
        let hash = scene_hash(listed, SCENE_STEPS, AnyKernel::best_for).unwrap();
        hashes.insert(scene_name(listed), hash);
    }
    hashes
}

#[test]
fn every_configuration_gives_the_golden_hashes() {
    let (mut version, golden) = parse(TABLE);
    let now = hashes();
    let changed: Vec<&String> = golden
        .iter()
        .filter(|(name, hash)| now.get(*name).is_some_and(|now| now != *hash))
        .map(|(name, _)| name)
        .collect();
    if std::env::var_os("TAUT_BLESS").is_some() {
        version += u32::from(!changed.is_empty());
        std::fs::write(PATH, write(version, &now)).unwrap();
        return;
    }
    assert!(changed.is_empty(), "hashes differ from version {version}: {changed:#?}");
    // The file has exactly the lines that would be written, without manual edits.
    assert_eq!(TABLE, write(version, &now));
    // Different formulas and orders give different hashes.
    assert_eq!(now.values().collect::<BTreeSet<_>>().len(), now.len());
}
