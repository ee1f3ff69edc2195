//! Counting executed instructions: parsing the output of valgrind and objdump, cases and limits.

use taut_bench::instructions::{
    Case, Disassembly, Executed, ITERATIONS, Limit, Limits, Profile, Tool, counted_frame,
};

/// Output of callgrind 3.19, shortened.
const CALLGRIND: &str = "\
# callgrind format
version: 1
desc: I1 cache:

positions: instr
events: Ir
summary: 921286

ob=/usr/lib/libc.so.6
fl=libc-start.c
fn=__libc_start_main
calls=1 0x271d0
0x27300 921286
0x1a32a4 7

ob=/target/taut
fl=/kernels/scalar/src/lib.rs
fn=relax
0x1a32a0 8
0x1a32a4 3
cob=/usr/lib/libc.so.6
cfn=memcpy
calls=5 0xa3bb0
0x1abaa 900000
fi=/core/src/cmp.rs
0x1abaa 5
0x1a32a4 4

totals: 921286
";

#[test]
fn a_profile_sums_each_instruction_of_the_program_and_no_callee_twice() {
    let profile = Profile::parse(CALLGRIND, "/target/taut").unwrap();
    assert_eq!(profile.total, 7 + 8 + 3 + 5 + 4);
    let executed: Vec<_> = profile.executed.into_iter().collect();
    assert_eq!(executed, [(0x1abaa, 5), (0x001a_32a0, 8), (0x001a_32a4, 3 + 4)]);
}

#[test]
fn callgrind_output_with_other_options_is_rejected_with_its_line() {
    for wrong in ["+3 1", "-1 2", "* 5", "12 7", "0x12", "0xhello 1", "0x12 one", "0x12 1 1"] {
        let text = format!("ob=/target/taut\n{wrong}\n");
        let error = Profile::parse(&text, "/target/taut").unwrap_err();
        assert_eq!((error.line, &*error.text), (2, wrong));
    }
}

#[test]
fn operations_are_recognized_by_name_and_counted_by_lane() {
    for (instruction, divisions, square_roots, estimates) in [
        ("divss  %xmm1,%xmm0", 1, 0, 0),
        ("vdivsd 0x8(%rax),%xmm1,%xmm0", 1, 0, 0),
        ("divps  %xmm1,%xmm0", 4, 0, 0),
        ("vdivps 0x20(%rdi,%rax,4),%ymm1,%ymm0", 8, 0, 0),
        ("vdivps %zmm1,%zmm2,%zmm3{%k1}", 16, 0, 0),
        ("vdivpd %ymm1,%ymm2,%ymm3", 4, 0, 0),
        ("sqrtss %xmm1,%xmm0", 0, 1, 0),
        ("vsqrtps %ymm1,%ymm0", 0, 8, 0),
        ("rcpps  %xmm1,%xmm0", 0, 0, 4),
        ("vrsqrtps %ymm1,%ymm0", 0, 0, 8),
        ("vrcp14ps %zmm1,%zmm0", 0, 0, 16),
        ("vrsqrt14ss %xmm1,%xmm1,%xmm0", 0, 0, 1),
        ("div    %rcx", 0, 0, 0), // an integer division
        ("vmulps %ymm1,%ymm2,%ymm3", 0, 0, 0),
        ("ret", 0, 0, 0),
    ] {
        let text = format!("0000000000001000 <divps>:\n  1a32a4:\t{instruction}\n");
        let profile = Profile::parse(CALLGRIND, "/target/taut").unwrap();
        let times = profile.executed[&0x001a_32a4];
        let expected = Executed {
            divisions: times * divisions,
            square_roots: times * square_roots,
            estimates: times * estimates,
        };
        assert_eq!(Disassembly::parse(&text).executed(&profile), expected, "{instruction}");
    }
}

#[test]
fn an_operation_that_is_not_executed_does_not_count() {
    let profile = Profile::parse(CALLGRIND, "/target/taut").unwrap();
    let disassembly = Disassembly::parse("  1a32a5:\tdivss  %xmm1,%xmm0\n");
    assert_eq!(disassembly.executed(&profile), Executed::default());
}

#[test]
fn every_case_is_parsed_from_its_displayed_text_and_runs() {
    let cases = Case::all();
    for kernel in ["scalar", "wide", "grid", "copies"] {
        assert!(cases.iter().any(|case| case.kernel == kernel), "{kernel}");
    }
    for case in cases {
        assert_eq!(case.to_string().parse::<Case>().unwrap(), case);
        assert_ne!(case.isa, "avx512", "valgrind does not support it");
        counted_frame(&mut case.frame().unwrap());
    }
    for text in
        ["", "drape-64", "drape-64 no-such-kernel scalar halley", "disc-32 grid avx2 halley"]
    {
        assert!(text.parse::<Case>().unwrap_err().to_string().contains(text));
    }
}

#[test]
fn a_stick_is_counted_once_per_iteration_and_one_lane_has_no_padding() {
    for case in Case::all() {
        let sticks = case.scene().unwrap().0.sticks.len() as u64;
        let relaxations = sticks * u64::from(ITERATIONS);
        let Executed { divisions, square_roots, estimates } = case.formula_operations().unwrap();
        assert_eq!(divisions, if case.formula == "quick" { 0 } else { relaxations }, "{case}");
        assert_eq!(square_roots, if case.formula == "exact" { relaxations } else { 0 }, "{case}");
        assert_eq!(estimates, 0, "estimates are integer operations here: {case}");
        assert_eq!(case.padding().unwrap() <= 0, case.isa == "scalar", "{case}");
    }
}

#[test]
fn limits_are_parsed_as_they_are_written() {
    let cases = Case::all();
    let limit = |(index, case): (usize, &Case)| Limit::new(case, 10.0 + index as f64 / 7.0);
    let limits = Limits {
        compiler: "rustc 1.0".to_owned(),
        all: cases.iter().enumerate().map(limit).collect(),
    };
    let text = limits.text().unwrap();
    assert_eq!(text.lines().count(), 2 + cases.len());
    assert_eq!(Limits::parse(&text).unwrap(), limits);
    for (index, case) in cases.iter().enumerate() {
        assert!((limits.of(case).unwrap() - (10.0 + index as f64 / 7.0)).abs() < 1e-3);
    }
    assert_eq!(limits.of(&Case { kernel: "no-such-kernel", ..cases[0] }), None);
    assert!(Limits::parse("scene,kernel\na,b\n").is_err());
}

/// The limits are renewed by `cargo bench -p taut-bench --bench instructions -- --renew`.
#[test]
fn the_stored_limits_cover_every_kernel_and_formula() {
    let limits = Limits::parse(include_str!("../../limits.csv")).unwrap();
    for kernel in ["scalar scalar", "wide sse2", "pulp avx2", "grid avx2", "copies avx2"] {
        for formula in taut::Formula::ALL {
            let matches = |limit: &&Limit| {
                format!("{} {}", limit.kernel, limit.isa) == kernel
                    && limit.formula == formula.name()
            };
            let mut matching = limits.all.iter().filter(matches).peekable();
            assert!(matching.peek().is_some(), "{kernel} {formula}");
            assert!(matching.all(|limit| limit.instructions > 1.0), "{kernel} {formula}");
        }
    }
}

#[test]
fn the_message_about_a_missing_tool_names_it_and_its_installation() {
    let cargo = Tool { name: env!("CARGO"), install_command: "" };
    let missing = Tool { name: "no-such-program", install_command: "install it" };
    assert_eq!(Tool::missing_message(&[cargo]), None);
    let message = Tool::missing_message(&[cargo, missing]).unwrap();
    assert!(
        message.contains(missing.name) && message.contains(missing.install_command),
        "{message}"
    );
}
