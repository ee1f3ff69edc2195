//! The description of the machine and the build in reports.

use taut::{AnyKernel, Kernel};
use taut_bench::MachineInfo;

#[test]
fn no_field_is_empty() {
    let MachineInfo { cpu, features, cores, rustc, target, flags, commit } = MachineInfo::current();
    for (field, value) in [
        ("cpu", cpu.as_str()),
        ("rustc", rustc),
        ("target", target),
        ("flags", flags),
        ("commit", commit),
    ] {
        assert!(!value.trim().is_empty() && !value.contains('\n'), "{field}: {value:?}");
    }
    assert!(rustc.starts_with("rustc "), "{rustc}");
    assert!(!features.is_empty());
    assert!(cores >= 1);
}

#[test]
fn the_features_are_the_instruction_sets_of_the_kernels_without_repeats() {
    let mut features = MachineInfo::current().features;
    let mut expected: Vec<_> = AnyKernel::available().iter().map(Kernel::<3>::isa).collect();
    features.sort_unstable();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(features, expected);
}
