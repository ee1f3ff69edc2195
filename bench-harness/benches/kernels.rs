//! `cargo bench`: every kernel on every scenario, in wall-clock time.
//!
//! One scenario, formula, kernel or size: `cargo bench -- drape-all/halley`. Charts are in
//! `target/criterion/report/index.html`.
#![forbid(unsafe_code)]

mod suite;

use criterion::Criterion;
use criterion::measurement::WallTime;

fn main() {
    suite::run(Criterion::default(), &WallTime, "ns", "");
}
