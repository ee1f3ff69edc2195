//! The sets of kernels that worlds use, and the choices from which tools find them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use taut::{
    AnyKernel, Kernel, KernelChoice, KernelChoiceError, KernelName, KernelSet, SheetsAndCopies,
};

/// A kernel's name and instruction set.
fn label(kernel: &AnyKernel) -> (&'static str, &'static str) {
    (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel))
}

fn lanes(kernel: &AnyKernel) -> usize {
    Kernel::<3>::lanes(kernel)
}

/// Distinct words in the order of their first occurrence, separated by commas.
fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut distinct = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct.join(", ")
}

#[test]
fn each_kernel_has_a_set_that_relaxes_everything_on_its_instruction_set() {
    for (sheets, copies) in [(false, false), (false, true), (true, false), (true, true)] {
        let sets = KernelSet::available(SheetsAndCopies { sheets, copies });
        let has_set = |kernel: &AnyKernel| match label(kernel).0 {
            "scalar" => true,
            _ if lanes(kernel) == 1 => false,
            "grid" => sheets,
            "copies" => copies,
            _ => true,
        };
        let kernels = AnyKernel::available();
        let expected: Vec<_> = kernels.iter().filter(|kernel| has_set(kernel)).collect();
        assert_eq!(sets.len(), expected.len());
        assert_eq!(
            sets.iter().map(|set| (set.name(), set.isa())).collect::<BTreeSet<_>>(),
            expected.into_iter().map(label).collect(),
        );
        for set in &sets {
            let main = (set.name(), set.isa());
            let others = label(&set.others);
            assert!(set.others.is_general() && others.1 == set.isa(), "{set}");
            let (for_sheets, for_copies) = match set.name() {
                "grid" => (main, ("copies", set.isa())),
                "copies" => (others, main),
                _ => (main, main),
            };
            assert_eq!(label(set.main_kernel()), main, "{set}");
            assert_eq!((label(&set.sheets), label(&set.copies)), (for_sheets, for_copies), "{set}");
        }
        assert!(sets.is_sorted_by_key(|set| {
            let rank = ["grid", "copies"].iter().position(|name| *name == set.name());
            (Reverse(lanes(set.main_kernel())), rank.unwrap_or(2))
        }));
    }
}

#[test]
fn a_set_prints_its_kernels_and_keeps_its_name_on_threads() {
    for set in KernelSet::available(SheetsAndCopies::ALL) {
        let (name, isa) = (set.name(), set.isa());
        let others = format!("{} on {isa}", label(&set.others).0);
        let sheets = format!(", regular sheets of 4 columns and more: grid on {isa}");
        let copies = format!(", copies of one mesh: copies on {isa}");
        let text = match name {
            "grid" => others + &sheets + &copies,
            "copies" => others + &copies,
            _ => others,
        };
        assert_eq!(set.to_string(), format!("{text}, 1 thread(s)"));
        let set = set.on_threads(2).unwrap();
        assert_eq!(set.to_string(), format!("{text}, 2 thread(s)"));
        assert_eq!((set.name(), set.isa(), set.threads()), (name, isa, 2));
        assert_eq!(label(&set.others), ("colour", isa));
    }
}

#[test]
fn a_choice_finds_the_first_set_with_its_name_and_instruction_set_or_says_what_there_is() {
    let sets = KernelSet::available(SheetsAndCopies::ALL);
    let isas = sets.iter().map(|set| Some(set.isa())).chain([None, Some("abacus")]);
    for isa in isas {
        for kernel in KernelName::ALL.map(Some).into_iter().chain([None]) {
            let choice = KernelChoice { kernel, isa: isa.map(Into::into), threads: 1 };
            let of_kernel: Vec<&KernelSet> =
                sets.iter().filter(|set| kernel.is_none_or(|k| k.name() == set.name())).collect();
            let expected = of_kernel.iter().find(|set| isa.is_none_or(|isa| isa == set.isa()));
            match choice.find() {
                Ok(found) => {
                    assert_eq!(found.to_string(), expected.unwrap().to_string(), "{choice:?}");
                }
                Err(KernelChoiceError::Colour) => assert_eq!(kernel, Some(KernelName::Colour)),
                Err(KernelChoiceError::KernelOnIsa { kernel: named, isa: on, available }) => {
                    assert!(expected.is_none() && on != "abacus");
                    assert_eq!((Some(named), Some(on.as_str())), (kernel, isa));
                    assert_eq!(available, list(of_kernel.iter().map(|set| set.isa())));
                }
                Err(KernelChoiceError::Isa { isa, available }) => {
                    assert_eq!(isa, "abacus");
                    assert_eq!(available, list(sets.iter().map(KernelSet::isa)));
                }
                Err(error) => panic!("{choice:?}: {error}"),
            }
        }
    }
    let threads = KernelChoice::THREADS_MAX + 1;
    let error = KernelChoice { threads, ..KernelChoice::default() }.find().unwrap_err();
    assert!(matches!(error, KernelChoiceError::TooManyThreads(_)));
}

#[test]
fn names_of_kernels_are_read_as_they_are_printed() {
    for name in KernelName::ALL {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    assert_eq!(format!("{:>8}", KernelName::Grid), "    grid");
    assert_eq!(
        "abacus".parse::<KernelName>().unwrap_err().to_string(),
        "unknown kernel 'abacus'; the kernels are scalar, wide, pulp, grid, copies, colour"
    );
}
