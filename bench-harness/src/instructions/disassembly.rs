//! Parses the output of objdump on x86.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::instructions::Profile;

/// Which instructions of a program divide or take roots of floating-point numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disassembly {
    operations: BTreeMap<u64, Executed>,
}

/// How many lanes were divided and so on: an instruction counts as often as it has lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Divisions (`div`).
    pub divisions: u64,
    /// Square roots (`sqrt`).
    pub square_roots: u64,
    /// Estimates by the hardware (`rcp`, `rsqrt`), which differ between makers of an instruction
    /// set.
    pub estimates: u64,
}

impl AddAssign for Executed {
    fn add_assign(&mut self, other: Self) {
        self.divisions += other.divisions;
        self.square_roots += other.square_roots;
        self.estimates += other.estimates;
    }
}

impl Disassembly {
    /// The options of objdump that make it write what is read here.
    pub const OPTIONS: [&str; 2] = ["--disassemble", "--no-show-raw-insn"];

    /// Reads the output of objdump for x86. Lines that are no such operation are passed over.
    pub fn parse(text: &str) -> Self {
        Self { operations: text.lines().filter_map(operation).collect() }
    }

    /// What was executed.
    pub fn executed(&self, profile: &Profile) -> Executed {
        let mut sum = Executed::default();
        for (address, operation) in &self.operations {
            let times = profile.executed.get(address).copied().unwrap_or_default();
            sum += Executed {
                divisions: times * operation.divisions,
                square_roots: times * operation.square_roots,
                estimates: times * operation.estimates,
            };
        }
        sum
    }
}

/// `1a32a0: vdivps %ymm0,%ymm1,%ymm2`: where it is, and what it does when executed once.
fn operation(line: &str) -> Option<(u64, Executed)> {
    let (address, instruction) = line.trim_start().split_once(":\t")?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let mut words = instruction.split_whitespace();
    let mnemonic = words.next()?;
    let operands = words.next().unwrap_or_default();
    let (name, suffix) = mnemonic.split_at_checked(mnemonic.len().checked_sub(2)?)?;
    let lanes = match suffix {
        "ss" | "sd" => 1,
        "ps" => register_bytes(operands)? / 4,
        "pd" => register_bytes(operands)? / 8,
        _ => return None,
    };
    let mut once = Executed::default();
    // AVX-512 says how good its estimates are: `rcp14`.
    match name.strip_prefix('v').unwrap_or(name).trim_end_matches(char::is_numeric) {
        "div" => once.divisions = lanes,
        "sqrt" => once.square_roots = lanes,
        "rcp" | "rsqrt" => once.estimates = lanes,
        _ => return None,
    }
    Some((address, once))
}

fn register_bytes(operands: &str) -> Option<u64> {
    let widths = [("%zmm", 64), ("%ymm", 32), ("%xmm", 16)];
    widths.into_iter().find(|(name, _)| operands.contains(name)).map(|(_, bytes)| bytes)
}
