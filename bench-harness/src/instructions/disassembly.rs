//! Parses the output of objdump on x86.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::instructions::Profile;

/// The instructions of a program that divide floating-point numbers, take square roots, or estimate
/// reciprocals or reciprocal roots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disassembly {
    /// The operations of one execution of each such instruction, by address.
    operations: BTreeMap<u64, Executed>,
}

/// Numbers of executed operations. An instruction counts once for each of its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Divisions (`div`).
    pub divisions: u64,
    /// Square roots (`sqrt`).
    pub square_roots: u64,
    /// Hardware estimates (`rcp`, `rsqrt`), whose bits differ between CPU vendors.
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
    /// The options of objdump for the output that [`parse`](Self::parse) reads.
    pub const OPTIONS: [&str; 2] = ["--disassemble", "--no-show-raw-insn"];

    /// Parses the output of objdump for x86. Lines with other instructions, or none, are ignored.
    pub fn parse(text: &str) -> Self {
        Self { operations: text.lines().filter_map(parse_line).collect() }
    }

    /// The operations that were executed, according to a profile.
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

/// Parses a line such as `1a32a0: vdivps %ymm0,%ymm1,%ymm2` into the address and the operations of
/// one execution.
fn parse_line(line: &str) -> Option<(u64, Executed)> {
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
    // The names of AVX-512 estimates end with their precision in bits: `rcp14`.
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
