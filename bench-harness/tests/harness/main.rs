//! The harness: what a comparison measures is what a kernel did, and a row that is wrong is found
//! out. No test asserts a speed.

mod accuracy;
mod arrangements;
mod claims;
mod comparison;
mod courses;
#[allow(clippy::needless_pass_by_value, reason = "the text takes what its reader has")]
mod generated;
mod instructions;
mod machine;
mod make;
mod roofline;
mod rows;
mod snippets;
mod stability;
mod textbook;
mod tuning;
