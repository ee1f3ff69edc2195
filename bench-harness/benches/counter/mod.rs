//! The time-stamp counter as a measurement for criterion.

use std::arch::x86_64::{_mm_lfence, _rdtsc};

use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter};

/// Ticks of the time-stamp counter.
pub(crate) struct Ticks;

fn now() -> u64 {
    // SAFETY: every x86-64 processor has both instructions. (The fences keep the timed work from
    // being reordered across the read.)
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

impl Measurement for Ticks {
    type Intermediate = u64;
    type Value = u64;

    fn start(&self) -> u64 {
        now()
    }

    fn end(&self, start: u64) -> u64 {
        now().saturating_sub(start)
    }

    fn add(&self, one: &u64, other: &u64) -> u64 {
        one + other
    }

    fn zero(&self) -> u64 {
        0
    }

    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for Ticks {
    fn scale_values(&self, _typical: f64, _values: &mut [f64]) -> &'static str {
        "ticks"
    }

    fn scale_throughputs(
        &self,
        _typical: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str {
        if let Throughput::Elements(sticks) = throughput {
            for value in values {
                *value /= *sticks as f64;
            }
        }
        "ticks per stick and iteration"
    }

    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        "ticks"
    }
}
