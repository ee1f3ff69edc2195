//! What each pass of a world's step costs, on a hanging sheet: `cargo run --release -p taut
//! --features colour --example passes -- 100 1` for 100 x 100 particles and one iteration.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use taut::world::{Force, Forces, Model, Moment, Pass, Scene, StickSet, World};
use taut::{AnyKernel, Inline, Schedule};

/// Pushes nothing, so that what is measured is the way by columns.
#[derive(Debug)]
struct Nothing;

impl Force for Nothing {
    fn push(&self, _: &Model, _: &Moment, _: &mut Forces) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let size: usize = arguments.next().map_or(Ok(100), |it| it.parse())?;
    let iterations: u32 = arguments.next().map_or(Ok(1), |it| it.parse())?;
    let mut cases = Vec::new();
    for (set, sticks) in [(StickSet::Structural, "structural"), (StickSet::All, "all sticks")] {
        for (kind, regular) in [("sheet", true), ("mesh", false)] {
            for (way, forced, tearing) in
                [("in one go", false, false), ("by columns", true, false), ("tearing", false, true)]
            {
                let mut model = Model::drape(size, set)?;
                if !regular {
                    model.sheet = None;
                }
                if tearing {
                    model = model.tearing_at(1e6);
                }
                let mut scene = Scene::new();
                scene.add("sheet", model)?;
                scene.settings.step.iterations = iterations;
                if forced {
                    scene.forces.push(Arc::new(Nothing));
                }
                let world =
                    World::<AnyKernel>::new(&scene, |it: &Schedule| AnyKernel::best_for(it))?;
                cases.push((
                    format!("{kind}, {sticks}, {way}"),
                    world,
                    BTreeMap::new(),
                    Vec::new(),
                ));
            }
        }
    }
    // In turns, so that noise is the same for all.
    for _ in 0..600 {
        for (_, world, passes, diagnostics) in &mut cases {
            let mut last = Instant::now();
            let mut step = BTreeMap::<Pass, f64>::new();
            let outcome = world.step_watched(&Inline, &mut |pass| {
                *step.entry(pass).or_default() += last.elapsed().as_secs_f64() * 1e6;
                last = Instant::now();
            })?;
            assert!(outcome.finite);
            for (pass, time) in step {
                passes.entry(pass).or_insert_with(Vec::new).push(time);
            }
            let begin = Instant::now();
            let figures = world.diagnostics()?;
            diagnostics.push(begin.elapsed().as_secs_f64() * 1e6);
            assert!(figures.kinetic.is_finite());
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    println!("{size} x {size}, {iterations} iteration(s): median µs a step");
    for (name, _, passes, diagnostics) in &mut cases {
        let passes: Vec<String> = passes
            .iter_mut()
            .map(|(pass, times)| format!("{pass:?} {:.1}", median(times)))
            .collect();
        println!("{name:<32} {}, diagnostics {:.1}", passes.join(", "), median(diagnostics));
    }
    Ok(())
}
