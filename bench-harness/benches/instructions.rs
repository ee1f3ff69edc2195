//! For each kernel and formula, counts the instructions of a frame and compares the count with a
//! limit; compares the executed divisions and square roots with those counted in the formula.
//!
//!     cargo bench -p taut-bench --bench instructions             # exit code 1 if a check fails
//!     cargo bench -p taut-bench --bench instructions -- --renew  # writes the counts as new limits
//!
//! It needs valgrind and objdump, and prints a message if they are missing.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::{env, fs};

use taut_bench::MachineInfo;
use taut_bench::instructions::{
    COUNTED_FRAME, Case, Disassembly, Executed, Limit, Limits, Profile, TOLERANCE, Tool,
    counted_frame,
};

const LIMITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/limits.csv");
const RENEW_COMMAND: &str = "cargo bench -p taut-bench --bench instructions -- --renew";
/// The option, followed by a case, with which this program runs itself under valgrind.
const FRAME_OPTION: &str = "--frame";

fn main() -> ExitCode {
    let arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        [] => compare(),
        ["--renew"] => renew(),
        [FRAME_OPTION, case] => run_frame(case),
        _ => {
            Err(format!("unknown arguments '{}': expected none or --renew", arguments.join(" "))
                .into())
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("instructions: {error}");
        ExitCode::from(2)
    })
}

type BenchResult<T = ExitCode> = Result<T, Box<dyn Error>>;

fn run_frame(case: &str) -> BenchResult {
    counted_frame(&mut case.parse::<Case>()?.frame()?);
    Ok(ExitCode::SUCCESS)
}

/// The operations that a case executed, and those expected.
struct Count {
    case: Case,
    /// Instructions per stick and iteration.
    instructions: f64,
    executed: Executed,
    /// The operations of the formula, counted by running its source.
    by_formula: Executed,
    /// The lanes that are relaxed, minus the stick relaxations: negative where sticks between
    /// pinned particles are skipped.
    extra_lanes: i64,
}

impl Count {
    fn expected(&self) -> Executed {
        let Executed { divisions, square_roots, estimates } = self.by_formula;
        let padded =
            |count: u64| if count > 0 { count.saturating_add_signed(self.extra_lanes) } else { 0 };
        Executed {
            divisions: padded(divisions),
            square_roots: padded(square_roots),
            estimates: padded(estimates),
        }
    }

    /// The text `executed = by formula + extra lanes` for one operation.
    fn equation(&self, operation: impl Fn(Executed) -> u64) -> String {
        let [executed, by_formula] = [self.executed, self.by_formula].map(operation);
        let padding = if by_formula > 0 { self.extra_lanes } else { 0 };
        let sign = if padding < 0 { '-' } else { '+' };
        format!("{executed} = {by_formula} {sign} {}", padding.unsigned_abs())
    }
}

fn compare() -> BenchResult {
    if let Some(message) = why_nothing_is_counted() {
        println!("instructions: {message}");
        return Ok(ExitCode::SUCCESS);
    }
    let limits = Limits::parse(&fs::read_to_string(LIMITS)?)?;
    let (mut above_limit, mut below_limit, mut unexpected) = (0, 0, 0);
    println!(
        "Instructions per stick and iteration; divisions and square roots per frame: \
         executed = counted in the formula + padding.\n"
    );
    println!(
        "{:<28}{:>12}{:>9}{:>9}  {:^32}  {:^32}",
        "case", "instructions", "limit", "change", "divisions", "square roots"
    );
    count_all(|count| {
        // Without a limit, the change is infinite.
        let limit = limits.of(&count.case).unwrap_or(0.0);
        let change = count.instructions / limit - 1.0;
        let verdict = if count.executed != count.expected() {
            unexpected += 1;
            "  NOT AS EXPECTED"
        } else if change > TOLERANCE {
            above_limit += 1;
            if limit > 0.0 { "  TOO MANY" } else { "  HAS NO LIMIT" }
        } else if change < -TOLERANCE {
            below_limit += 1;
            "  fewer"
        } else {
            ""
        };
        println!(
            "{:<28}{:>12.3}{:>9.3}{:>+8.1}%  {:>32}  {:>32}{verdict}",
            count.case.to_string(),
            count.instructions,
            limit,
            (1e3 * change).round() / 1e1 + 0.0, // no -0.0
            count.equation(|operations| operations.divisions),
            count.equation(|operations| operations.square_roots),
        );
    })?;
    if unexpected > 0 {
        println!(
            "{unexpected} cases do not execute the operations of the formula plus padding, or use \
             hardware estimates, which no formula may use."
        );
    }
    let compiler = MachineInfo::current().rustc;
    if above_limit + below_limit > 0 && limits.compiler != compiler {
        println!("The limits were counted with {}; this is {compiler}.", limits.compiler);
    }
    if above_limit > 0 {
        println!("{above_limit} cases exceed their limits by more than {:.0} %.", 1e2 * TOLERANCE);
    }
    if above_limit + below_limit > 0 {
        println!("If this is intended: {RENEW_COMMAND}");
    }
    Ok(ExitCode::from(u8::from(above_limit + unexpected > 0)))
}

fn renew() -> BenchResult {
    if let Some(message) = why_nothing_is_counted() {
        return Err(message.into());
    }
    let compiler = MachineInfo::current().rustc.to_owned();
    let mut limits = Limits { compiler, all: Vec::new() };
    count_all(|count| {
        println!("{:<28}{:>14.3}", count.case.to_string(), count.instructions);
        limits.all.push(Limit::new(&count.case, count.instructions));
    })?;
    fs::write(LIMITS, limits.text()?)?;
    Ok(ExitCode::SUCCESS)
}

/// Why nothing can be counted: divisions are not recognized, or a tool is missing; else `None`.
fn why_nothing_is_counted() -> Option<String> {
    if cfg!(target_arch = "x86_64") {
        Tool::missing_message(&[Tool::VALGRIND, Tool::OBJDUMP])
    } else {
        Some("skipped: divisions are recognized only on x86-64".to_owned())
    }
}

fn count_all(mut each: impl FnMut(Count)) -> BenchResult<()> {
    let program = env::current_exe()?.canonicalize()?;
    let disassembled = run(Command::new("objdump").args(Disassembly::OPTIONS).arg(&program))?;
    let disassembly = Disassembly::parse(&String::from_utf8_lossy(&disassembled.stdout));
    for case in Case::all() {
        each(count(case, &program, &disassembly)?);
    }
    Ok(())
}

fn count(case: Case, program: &Path, disassembly: &Disassembly) -> BenchResult<Count> {
    let profile_path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("callgrind.out");
    run(Command::new("valgrind")
        .args(Profile::OPTIONS)
        .arg(format!("--toggle-collect={COUNTED_FRAME}"))
        .arg(format!("--callgrind-out-file={}", profile_path.display()))
        .arg(program)
        .args([FRAME_OPTION, &case.to_string()]))?;
    let profile = Profile::parse(&fs::read_to_string(&profile_path)?, &program.to_string_lossy())?;
    Ok(Count {
        case,
        instructions: profile.total as f64 / case.relaxations()?,
        executed: disassembly.executed(&profile),
        by_formula: case.formula_operations()?,
        extra_lanes: case.padding()?,
    })
}

fn run(command: &mut Command) -> BenchResult<Output> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed: {}", stderr.trim()).into())
}
