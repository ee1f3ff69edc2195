//! Tuning files: read, written, and applied to a mesh.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use taut::world::{Model, StickSet};
use taut::{Kernel, Plan, Step, Tuned};
use taut_fuzz::counts;

/// The mesh for which the tunings among the seeds were made.
static MODEL: LazyLock<Model> =
    LazyLock::new(|| Model::disc(4, StickSet::All).expect("the size is valid"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(tuned) = serde_json::from_slice::<Tuned>(bytes) else { return };
    let text = serde_json::to_string(&tuned).expect("a tuning can be written");
    let read: Tuned = serde_json::from_str(&text).expect("a written tuning is read back");
    assert_eq!(read, tuned);
    // 2 to 1024 threads are valid, but left out: starting threads takes as long as many inputs. 0 and
    // larger numbers must be rejected without starting a thread.
    if !(2..=1024).contains(&tuned.threads) {
        let _ = tuned.to_kernel();
    }
    if !i64::try_from(tuned.copies).is_ok_and(counts::is_allowed) {
        return;
    }
    let Ok(mut arranged) = tuned.arrange(&MODEL) else { return };
    if tuned.threads != 1 {
        return;
    }
    let Ok(kernel) = tuned.to_kernel() else { return };
    let (sticks, schedule) = (&arranged.sticks, &arranged.schedule);
    if let Ok(mut plan) = kernel.plan(&arranged.particles, sticks, schedule, tuned.formula) {
        let status = plan.step(&mut arranged.particles, sticks, &Step::default());
        assert!(status.is_ok_and(|status| status.finite));
    }
});
