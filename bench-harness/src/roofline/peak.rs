//! Peak rates of the instruction sets of this machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::{Column, PulpMachine, WideMachine};
use taut_lanes::{Machine, Operation, Vector};

/// The time for which a loop is repeated in each of the [`TURNS`]; its fastest run counts.
const TIME_PER_RATE: Duration = Duration::from_millis(8);
/// The smallest working set, bytes: it fits every first-level cache.
const SMALLEST_SET: usize = 16 << 10;
/// How often all rates are measured: several times, because the computer may be slow for a while.
const TURNS: usize = 3;
/// How many times a run repeats its chains.
const ROUNDS: u32 = 1024;

/// Peak rates of one instruction set on one thread. An operation on a register counts once for each
/// lane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// The name of the instruction set, as [`Kernel::isa`](taut::Kernel::isa) gives it.
    pub isa: &'static str,
    /// Additions and multiplications per nanosecond, in equal parts.
    pub arithmetic_per_ns: f64,
    /// Divisions per nanosecond.
    pub divisions_per_ns: f64,
    /// Square roots per nanosecond.
    pub square_roots_per_ns: f64,
    /// The bandwidth of working sets, from small to large.
    pub bandwidths: Vec<Bandwidth>,
}

/// The rate at which a working set is read and written in place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bandwidth {
    /// The size of the working set, bytes.
    pub set_bytes: usize,
    /// Bytes read plus bytes written per nanosecond.
    pub bytes_per_ns: f64,
}

impl Peak {
    /// Measures each instruction set that kernels of this build use on this machine, with working
    /// sets of up to `largest_set_bytes`.
    pub fn measure(largest_set_bytes: usize) -> Vec<Self> {
        let mut best = Self::measure_once(largest_set_bytes);
        for _ in 1..TURNS {
            for (best, peak) in best.iter_mut().zip(Self::measure_once(largest_set_bytes)) {
                best.take_maximum(&peak);
            }
        }
        best
    }

    /// Measures all rates once: one of the [`TURNS`].
    fn measure_once(largest_set_bytes: usize) -> Vec<Self> {
        let mut peaks: Vec<Self> = Vec::new();
        for machine in PulpMachine::available() {
            peaks.push(Self::of(machine, largest_set_bytes));
        }
        if peaks.iter().all(|peak| peak.isa != WideMachine.isa()) {
            peaks.push(Self::of(WideMachine, largest_set_bytes));
        }
        peaks
    }

    fn take_maximum(&mut self, other: &Self) {
        self.arithmetic_per_ns = self.arithmetic_per_ns.max(other.arithmetic_per_ns);
        self.divisions_per_ns = self.divisions_per_ns.max(other.divisions_per_ns);
        self.square_roots_per_ns = self.square_roots_per_ns.max(other.square_roots_per_ns);
        for (best, other) in self.bandwidths.iter_mut().zip(&other.bandwidths) {
            best.bytes_per_ns = best.bytes_per_ns.max(other.bytes_per_ns);
        }
    }

    fn of(machine: impl Machine, largest_set_bytes: usize) -> Self {
        Self {
            isa: machine.isa(),
            arithmetic_per_ns: throughput(machine, MultiplyAdd),
            divisions_per_ns: throughput(machine, Divide),
            square_roots_per_ns: throughput(machine, Root),
            bandwidths: bandwidths(machine, largest_set_bytes),
        }
    }

    /// An upper bound of the bandwidth of a working set, in bytes read and written per nanosecond:
    /// the highest bandwidth of the largest measured set that is not larger, and of all larger ones.
    pub fn bytes_per_ns(&self, set_bytes: f64) -> f64 {
        // Each measured set is 4 times as large as the one before.
        let is_included = |measured: &&Bandwidth| measured.set_bytes as f64 > set_bytes / 4.0;
        let last = self.bandwidths.last().into_iter();
        let included = self.bandwidths.iter().filter(is_included).chain(last);
        included.map(|measured| measured.bytes_per_ns).fold(0.0, f64::max)
    }
}

/// A link in a chain of dependent operations: its operand is the result of the previous link.
/// `Link` is a trait and not a closure, because a closure cannot be `#[inline(always)]`, and so be
/// compiled with the target features of its caller.
trait Link: Copy {
    /// The number of operations in a link.
    const OPERATIONS: u32;
    /// The result of a link, from the result of the previous link and two constants.
    fn next<V: Vector>(chain: V, constants: [V; 2]) -> V;
}

#[derive(Clone, Copy)]
struct MultiplyAdd;
#[derive(Clone, Copy)]
struct Divide;
#[derive(Clone, Copy)]
struct Root;

impl Link for MultiplyAdd {
    const OPERATIONS: u32 = 2;
    #[inline(always)]
    fn next<V: Vector>(chain: V, [factor, term]: [V; 2]) -> V {
        chain * factor + term
    }
}

impl Link for Divide {
    const OPERATIONS: u32 = 1;
    #[inline(always)]
    fn next<V: Vector>(chain: V, [numerator, _]: [V; 2]) -> V {
        numerator / chain
    }
}

impl Link for Root {
    const OPERATIONS: u32 = 1;
    #[inline(always)]
    fn next<V: Vector>(chain: V, _: [V; 2]) -> V {
        chain.sqrt()
    }
}

/// Runs `N` independent chains of `LINKS` links each, `ROUNDS` times.
struct Chains<L, const N: usize, const LINKS: u32>(L);

impl<L: Link, const N: usize, const LINKS: u32> Operation for Chains<L, N, LINKS> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        // With these constants and the start of 1.3, all results are between 0.5 and 3, far from
        // denormal numbers, which would be slow.
        let constants = black_box([V::splat(cpu, 0.7), V::splat(cpu, 0.9)]);
        for _ in 0..ROUNDS {
            let mut chains = [V::splat(cpu, 1.3); N];
            for chain in &mut chains {
                *chain = black_box(*chain); // hides that all chains are equal
            }
            for _ in 0..LINKS {
                for chain in &mut chains {
                    *chain = L::next(*chain, constants);
                }
            }
            for chain in chains {
                black_box(chain);
            }
        }
    }
}

/// Operations per nanosecond, with the best of several numbers of chains: with few chains the
/// processor waits for results, and many chains do not fit into the registers. With registers of one
/// lane, one chain runs at a time, because the compiler would vectorize several chains. That chain is
/// short, so that the processor overlaps it with the following ones.
fn throughput<L: Link>(machine: impl Machine, link: L) -> f64 {
    let ns_per_link = |chains: u32, links: u32, run: &mut dyn FnMut()| {
        fastest_ns(run) / f64::from(ROUNDS * chains * links)
    };
    let ns = if machine.lanes() == 1 {
        ns_per_link(1, 4, &mut || machine.run(Chains::<L, 1, 4>(link)))
    } else {
        ns_per_link(6, 32, &mut || machine.run(Chains::<L, 6, 32>(link)))
            .min(ns_per_link(12, 32, &mut || machine.run(Chains::<L, 12, 32>(link))))
            .min(ns_per_link(24, 32, &mut || machine.run(Chains::<L, 24, 32>(link))))
    };
    machine.lanes() as f64 * f64::from(L::OPERATIONS) / ns
}

/// Reads, changes and writes back every value.
struct InPlace<'a>(&'a mut [f32]);

impl Operation for InPlace<'_> {
    /// A plain loop, which the compiler vectorizes for the instruction set of the caller.
    #[inline(always)]
    fn run<V: Vector>(self, _: V::Cpu) {
        for x in black_box(self.0) {
            *x = *x * 0.5 + 0.5;
        }
    }
}

fn bandwidths(machine: impl Machine, largest_set_bytes: usize) -> Vec<Bandwidth> {
    let largest_set_bytes = largest_set_bytes.max(SMALLEST_SET);
    let mut values = Column::<f32>::new(0);
    values.resize(largest_set_bytes / size_of::<f32>(), 1.0);
    let sets = std::iter::successors(Some(SMALLEST_SET), |set| set.checked_mul(4));
    let sets = sets.take_while(|&set| set <= largest_set_bytes);
    sets.map(|set_bytes| {
        let values = &mut values[..set_bytes / size_of::<f32>()];
        let sweep_ns = fastest_ns(|| machine.run(InPlace(values)));
        Bandwidth { set_bytes, bytes_per_ns: 2.0 * set_bytes as f64 / sweep_ns }
    })
    .collect()
}

/// The time of the fastest run, ns, after an uncounted first one.
fn fastest_ns(mut work: impl FnMut()) -> f64 {
    work();
    let begin = Instant::now();
    let mut fastest = f64::INFINITY;
    while fastest == f64::INFINITY || begin.elapsed() < TIME_PER_RATE {
        let start = Instant::now();
        work();
        // A coarse clock may measure 0, which would be an infinite rate.
        fastest = fastest.min(start.elapsed().as_nanos().max(1) as f64);
    }
    fastest
}
