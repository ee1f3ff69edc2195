//! Runs the `taut` binary and checks its output, files, exit codes and error messages. Scenes are
//! small; no test asserts a speed.

mod accuracy;
mod claims;
mod errors;
mod exports;
mod help;
mod json_csv;
mod mesh_files;
mod meshes;
mod report;
mod report_readme;
mod roofline;
mod run;
mod shapes;
mod simulate;
mod soak;
mod stability;
mod tune;
mod view;
