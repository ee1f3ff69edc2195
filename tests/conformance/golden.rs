//! Golden hashes: the same bits next year, and on every machine.
//!
//! `golden.txt` has a line for each scene, formula and schedule: the hash of the positions after
//! some steps (see `taut_tests`, which the example `hashes` shares). Every configuration must give it.
//! And a line for each scene of the library (that all kernels agree there, is a test of its own). A
//! change that alters a hash alters what users' simulations do, and is a breaking change: when it
//! is meant, renew the table with
//!
//! ```text
//! TAUT_BLESS=1 cargo test -p taut-tests golden
//! ```
//!
//! which raises the version if a hash changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use taut::AnyKernel;
use taut::world::LibraryScene;
use taut_tests::{Exhibit, STEPS, exhibits, scene_hash, scene_name, step};

use crate::meshes::Mesh;
use crate::play::Setup;

const TABLE: &str = include_str!("../golden.txt");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");
const HEAD: &str = "\
# Hashes of the positions after 8 steps of 4 iterations, in the caller's numbering; see
# `Particles::hash`. `own own`: a scene of the library, after 24 steps of its own. Renewed by TAUT_BLESS=1 cargo test -p taut-tests golden
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

/// The hashes of all configurations.
fn hashes() -> Hashes {
    let mut hashes = Hashes::new();
    for Exhibit { name, arranged, formula } in exhibits() {
        let mesh =
            Mesh { particles: arranged.particles, sticks: arranged.sticks, sheet: None, copies: 1 };
        let setup = Setup { mesh: &mesh, schedule: &arranged.schedule, formula };
        let ending = setup.all_agree(&name, |start| start.steps(&step(), STEPS));
        assert!(ending.notes.iter().all(|&finite| finite == 1));
        hashes.insert(name, ending.particles.hash());
    }
    for listed in LibraryScene::ALL {
        hashes.insert(scene_name(listed), scene_hash(listed, AnyKernel::best_for).unwrap());
    }
    hashes
}

#[test]
fn golden_hashes_are_what_every_configuration_gives() {
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
    assert!(changed.is_empty(), "other hashes than version {version}: {changed:#?}");
    // The same lines, and nothing by hand: what was read is what would be written.
    assert_eq!(TABLE, write(version, &now));
    // Different formulas and orders are different answers.
    assert_eq!(now.values().collect::<BTreeSet<_>>().len(), now.len());
}
