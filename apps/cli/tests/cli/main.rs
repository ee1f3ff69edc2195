//! The program `taut`, run as its users run it: what it prints, what it writes, and how it
//! answers what is wrong. Scenes are tiny; no test asserts a speed.

mod accuracy;
mod claims;
mod complaints;
mod files;
mod films;
mod meshes;
mod report;
mod reports;
mod roofline;
mod run;
mod scenes;
mod simulate;
mod stability;
mod tune;
mod view;
mod words;
