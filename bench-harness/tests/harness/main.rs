//! Tests of the harness: measured results are those of the kernels, and wrong results are detected.
//! No test asserts a speed.

mod accuracy;
mod arrangements;
mod bench_cases;
mod claims;
mod comparison;
mod fixtures;
#[allow(
    clippy::needless_pass_by_value,
    reason = "the code that `taut tune` prints owns its particles and sticks"
)]
mod generated;
mod instructions;
mod machine;
mod roofline;
mod rows;
mod size_scaling;
mod snippets;
mod stability;
mod textbook;
mod tuning;
