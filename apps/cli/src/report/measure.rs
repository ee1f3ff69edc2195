//! Measures the parts of a report.

use serde::Serialize;
use taut::world::{Model, StickSet};
use taut::{Formula, Kernel, KernelChoice, Step};
use taut_bench::accuracy::{self, Accuracy, EffortRow, EffortStudy, EffortSubject, Study};
use taut_bench::{
    Arrangement, Baselines, Comparison, Configuration, Disagreement, MachineInfo, Progress,
    Stability, Subject, Survey, disagreements, kernels_for,
};

use super::results::{self, Part};
use super::sizes;

/// A row, or a comparison that produces rows, with its scene.
#[derive(Serialize)]
pub(super) struct WithScene<R> {
    pub(super) scene: &'static str,
    pub(super) size: usize,
    /// The name of the stick set.
    pub(super) set: &'static str,
    pub(super) shuffled: bool,
    #[serde(flatten)]
    pub(super) row: R,
}

/// The stick set of all scenes, except in the part `effort`.
pub(super) const SET: StickSet = StickSet::All;
/// The seed of shuffled scenes.
pub(super) const SEED: u64 = 1;

/// Measures a part, with fewer frames and smaller scenes if `quick` is set. Returns the text of its result file, or
/// the pairs of rows that should have the same bits but do not.
///
/// # Errors
/// If a scene or kernel cannot be set up.
pub(crate) fn measure(
    part: Part,
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<Result<String, Vec<Disagreement>>> {
    let machine = MachineInfo::current();
    let comparisons = match part {
        Part::Sheets | Part::Meshes | Part::Copies | Part::Growth => {
            return Ok(match sizes::measure(part, quick, progress)? {
                Ok(rows) => Ok(results::to_json(part, quick, &machine, &rows)?),
                Err(disagreements) => Err(disagreements),
            });
        }
        Part::Comparison => comparison(quick)?,
        Part::Tradeoff => tradeoff(quick)?,
        Part::Stability => {
            let rows = stability(quick, progress)?;
            return results::to_json(part, quick, &machine, &rows).map(Ok);
        }
        Part::Iterations => {
            let Accuracy { iterations, .. } =
                study(accuracy::StudyPart::Iterations, quick, progress)?;
            return results::to_json(part, quick, &machine, &with_study_scene(iterations, quick))
                .map(Ok);
        }
        Part::Frames => {
            let Accuracy { frames, .. } = study(accuracy::StudyPart::Frames, quick, progress)?;
            return results::to_json(part, quick, &machine, &with_study_scene(frames, quick))
                .map(Ok);
        }
        Part::Effort => {
            return results::to_json(part, quick, &machine, &effort_rows(quick, progress)?).map(Ok);
        }
    };
    let total = comparisons.len() as f64;
    let mut all_rows = Vec::new();
    for (done, WithScene { scene, size, set, shuffled, row: comparison }) in
        comparisons.into_iter().enumerate()
    {
        let rows = comparison.run(|inner| {
            progress(Progress { share: (done as f64 + inner.share) / total, ..inner });
        })?;
        let disagreements = disagreements(&rows);
        if !disagreements.is_empty() {
            return Ok(Err(disagreements));
        }
        all_rows.extend(rows.into_iter().map(|row| WithScene { scene, size, set, shuffled, row }));
    }
    results::to_json(part, quick, &machine, &all_rows).map(Ok)
}

/// A step of 1/60 s with one substep of `iterations` iterations.
pub(super) fn one_substep_with_iterations(iterations: u32) -> Step<3> {
    Step { substeps: 1, iterations, ..Step::default() }
}

/// The comparison of kernels, schedules and formulas.
fn comparison(quick: bool) -> anyhow::Result<Vec<WithScene<Comparison>>> {
    let mut all_configurations = Vec::new();
    for schedule in ["authored", "banded", "starred/rcm", "sheet"] {
        for formula in Formula::ALL {
            all_configurations.extend(configurations(schedule, formula)?);
        }
    }
    let (size, warmup_and_timed) = if quick { (64, [4, 16]) } else { (128, [60, 60]) };
    let step = one_substep_with_iterations(8);
    Ok(vec![drape_comparison(size, warmup_and_timed, step, all_configurations)?])
}

/// Comparisons with increasing numbers of iterations, and with as many substeps of one iteration, on the widest kernel
/// for each schedule. Timing starts after the sheet has settled, because the stretch varies while the sheet swings.
fn tradeoff(quick: bool) -> anyhow::Result<Vec<WithScene<Comparison>>> {
    let counts = if quick { &[1, 4, 16][..] } else { &[1, 2, 4, 8, 16, 32] };
    let (size, warmup_and_timed) = if quick { (32, [48, 16]) } else { (64, [120, 24]) };
    let mut comparisons = Vec::new();
    let widest_for = |schedules: &[&str]| -> anyhow::Result<Vec<Configuration>> {
        let mut all = Vec::new();
        for schedule in schedules {
            for formula in Formula::ALL {
                all.extend(widest(schedule, formula)?);
            }
        }
        Ok(all)
    };
    for &count in counts {
        let all = widest_for(&["authored", "coloured", "banded", "starred/rcm", "sheet"])?;
        let step = one_substep_with_iterations(count);
        comparisons.push(drape_comparison(size, warmup_and_timed, step, all)?);
        if count > 1 {
            let step = Step { iterations: 1, substeps: count, ..Step::default() };
            let all = widest_for(&["starred/rcm", "sheet"])?;
            comparisons.push(drape_comparison(size, warmup_and_timed, step, all)?);
        }
    }
    Ok(comparisons)
}

/// The stability of all schedules and formulas, with few iterations, at several frame rates.
fn stability(
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<Vec<Stability>> {
    let sizes = if quick { &[32, 64][..] } else { &[32, 64, 128] };
    let rates = if quick { &[60.0][..] } else { &[120.0, 60.0, 30.0] };
    let mut steps = Vec::new();
    for &rate in rates {
        let step = |iterations| Step { dt: 1.0 / rate, ..one_substep_with_iterations(iterations) };
        steps.extend([1, 4].map(step));
    }
    let mut rows = Vec::new();
    // The progress assumes that the time is proportional to the number of particles.
    let total: usize = sizes.iter().map(|size| size * size).sum();
    let mut done = 0;
    for &size in sizes {
        let model = Model::drape(size, SET)?;
        let survey = Survey {
            subject: Subject { name: "drape".to_owned(), size, set: SET, model },
            arrangements: Arrangement::orders().collect(),
            formulas: Formula::ALL.to_vec(),
            steps: steps.clone(),
            frames: 360,
            bound: taut_bench::BOUND,
        };
        let done_before = done as f64;
        done += size * size;
        rows.extend(survey.run(|inner| {
            let share = (done_before + inner.share * (size * size) as f64) / total as f64;
            progress(Progress { share, ..inner });
        })?);
    }
    Ok(rows)
}

/// Runs one part of the accuracy study of a hanging sheet, with every schedule and formula.
fn study(
    part: accuracy::StudyPart,
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<Accuracy> {
    let model = Model::drape(study_size(quick), SET)?;
    let study = Study {
        body: model.clone(), // only for the part `drift`, which is not run here
        model,
        step: one_substep_with_iterations(8),
        frames: 256,
        formulas: Formula::ALL.to_vec(),
        arrangements: Arrangement::orders().collect(),
        effort: effort_study(Vec::new())?,
    };
    Ok(study.run(&[part], progress)?)
}

/// A study, on one thread, of the cheapest frame that keeps the stretch within a bound.
fn effort_study(subjects: Vec<EffortSubject>) -> anyhow::Result<EffortStudy> {
    Ok(EffortStudy {
        subjects,
        kernels: KernelChoice::default().find()?,
        formula: Formula::default(),
    })
}

/// The cheapest frames that keep the stretch of hanging sheets within bounds, with all sticks
/// and with structural sticks only.
fn effort_rows(
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<Vec<EffortRow>> {
    let sizes = if quick { &[8, 16][..] } else { &[16, 32, 64, 128] };
    let sets = [StickSet::All, StickSet::Structural];
    let mut rows = Vec::new();
    // The progress assumes that the time is proportional to the number of particles. Larger sheets take
    // longer than that, because without tethers they also need more substeps.
    let total: usize = sizes.iter().map(|size| size * size * sets.len()).sum();
    let mut done = 0;
    for (&size, set) in sizes.iter().flat_map(|size| sets.map(|set| (size, set))) {
        let study = effort_study(EffortSubject::sheets(size, set)?.into())?;
        let done_before = done as f64;
        done += size * size;
        let effort = study.run(|inner| {
            let share = (done_before + inner.share * (size * size) as f64) / total as f64;
            progress(Progress { share, ..inner });
        })?;
        rows.extend(effort.rows);
    }
    Ok(rows)
}

/// The size of the sheet of the accuracy study.
fn study_size(quick: bool) -> usize {
    if quick { 16 } else { 32 }
}

/// The rows of the accuracy study, with its scene.
fn with_study_scene<R>(rows: Vec<R>, quick: bool) -> Vec<WithScene<R>> {
    let size = study_size(quick);
    rows.into_iter()
        .map(|row| WithScene { scene: "drape", size, set: SET.name(), shuffled: false, row })
        .collect()
}

/// A comparison on a hanging sheet, with these numbers of warm-up and timed frames.
fn drape_comparison(
    size: usize,
    [warmup, frames]: [usize; 2],
    step: Step<3>,
    configurations: Vec<Configuration>,
) -> anyhow::Result<WithScene<Comparison>> {
    let model = Model::drape(size, SET)?;
    let comparison = Comparison {
        model,
        copies: 1,
        step,
        warmup,
        frames,
        repeats: 1,
        configurations,
        baselines: Baselines::default(),
    };
    Ok(WithScene { scene: "drape", size, set: SET.name(), shuffled: false, row: comparison })
}

/// Every kernel that suits a schedule, on every instruction set of this machine, those with the most lanes first.
pub(super) fn configurations(
    schedule: &str,
    formula: Formula,
) -> anyhow::Result<Vec<Configuration>> {
    let arrangement: Arrangement = schedule.parse()?;
    let kernels = kernels_for(arrangement.order).into_iter();
    Ok(kernels.map(|kernel| Configuration { kernel, formula, arrangement }).collect())
}

/// The kernel with the most lanes for a schedule; among kernels with equally many lanes, one for sheets.
fn widest(schedule: &str, formula: Formula) -> anyhow::Result<Option<Configuration>> {
    let rank = |configuration: &Configuration| {
        let kernel = &configuration.kernel;
        (Kernel::<3>::lanes(kernel), kernel.is_for_sheets())
    };
    Ok(configurations(schedule, formula)?.into_iter().max_by_key(rank))
}
