//! The same benches as in `kernels.rs`, in ticks of the time-stamp counter of x86-64:
//! `cargo bench -p taut-bench --features ticks --bench ticks`.
//!
//! The counter runs at a constant rate near the nominal clock of the processor. Ticks are core
//! cycles only while the core runs at that clock.

mod suite;

#[cfg(target_arch = "x86_64")]
mod counter;

#[cfg(target_arch = "x86_64")]
fn main() {
    let criterion = criterion::Criterion::default().with_measurement(counter::Ticks);
    let (unit, folder) = ("ticks", "ticks/");
    suite::run(criterion, &counter::Ticks, unit, folder);
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!(
        "Ticks are counted only on x86-64; `cargo bench --bench kernels` measures wall-clock time."
    );
}
