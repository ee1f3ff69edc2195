//! The search of a tuning: a first timing, residual checks, successive halving, a final comparison.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use taut::world::{Arranged, Arrangement};
use taut::{AnyKernel, Fingerprint, Kernel, Step, Tuned};

use crate::comparison::{
    Baselines, Comparison, ComparisonError, Configuration, EARLY_FRAME, Progress, all_copies,
};
use crate::machine::MachineInfo;
use crate::runner::Runner;
use crate::stability::{BOUND, BoundedRun};

use super::{
    Candidate, Choice, NOISE, RESIDUAL_CHECK_FRAMES, Trial, TrialOutcome, Tuning, TuningError,
    faster_half,
};

/// If no limit is given, the residual of another order may be this multiple of that of the
/// reference order.
const SLACK: f64 = 1.1;
/// Frames that a candidate runs in a turn, before the next candidate runs. The first frame has cold
/// caches; the median over the frames hardly depends on it.
const FRAMES_PER_TURN: usize = 4;
/// The number of candidates in the final comparison.
const FINALISTS: usize = 3;
/// The number of candidates that have a plan at the same time: plans of large meshes are large.
const PLANS_AT_ONCE: usize = 8;
/// Short turns are repeated so often that the repeated turns of the default kernel take this long, s.
const TURN_SECONDS: f64 = 5e-3;
/// The maximum number of repeats of a short turn.
const TURN_REPEATS_MAX: f64 = 16.0;
/// Minimum and maximum number of frames of the final comparison, including its warm-up.
const FINAL_FRAMES: [usize; 2] = [8, 160];
/// Short frames of the final comparison are repeated for this long, s, if the budget allows.
const FINAL_SECONDS: f64 = 3.0;
/// The fraction of the budget after which the first timing stops.
const TIMING_END: f64 = 0.4;
/// The fraction of the budget after which the residual checks stop.
const CHECKS_END: f64 = 0.6;
/// The fraction of the budget after which the halving stops.
const HALVING_END: f64 = 0.75;

/// The state of a search.
pub(super) struct Search<'a, P> {
    tuning: &'a Tuning,
    progress: P,
    start: Instant,
    arranged: BTreeMap<Arrangement, Arranged>,
    /// [`AnyKernel::best_for`] the reference order; times are relative to it.
    default_kernel: AnyKernel,
    /// One for each candidate, with the same index.
    trials: Vec<Trial>,
    /// The latest median frame time of the default kernel, s; until it is measured, that of the
    /// textbook loop.
    default_frame: f64,
    /// The median frame time of the textbook loop, s.
    textbook_frame: f64,
    /// The indices of the remaining candidates.
    remaining: Vec<usize>,
    /// The index of the fastest candidate with a different result, if that is not allowed.
    other_result: Option<usize>,
}

impl<'a, P: FnMut(Progress<'_>)> Search<'a, P> {
    pub(super) fn new(tuning: &'a Tuning, mut progress: P) -> Result<Self, ComparisonError> {
        let start = Instant::now();
        tuning.step.motion()?;
        progress(Progress { share: 0.0, doing: "arranging the model" });
        let whole_model = all_copies(&tuning.model, tuning.copies)?;
        let reference = tuning.reference.of_copies(&tuning.model, tuning.copies)?;
        let default_kernel = AnyKernel::best_for(&reference.schedule);
        let trial = |Candidate { kernel, arrangement }: &Candidate| Trial {
            kernel: Kernel::<3>::name(kernel.inner()),
            isa: Kernel::<3>::isa(kernel),
            threads: Kernel::<3>::threads(kernel),
            schedule: arrangement.to_string(),
            same_result: arrangement.canonical() == tuning.reference.canonical(),
            time_ratio: None,
            residual_rms: None,
            outcome: TrialOutcome::NotReached,
        };
        let mut textbook = Runner::textbook(&whole_model);
        let textbook_frame = median(frame_times(&mut textbook, &tuning.step, 2)?);
        Ok(Self {
            tuning,
            progress,
            start,
            arranged: BTreeMap::from([(tuning.reference, reference)]),
            default_kernel,
            trials: tuning.candidates.iter().map(trial).collect(),
            default_frame: textbook_frame,
            textbook_frame,
            remaining: Vec::new(),
            other_result: None,
        })
    }

    /// Whether this fraction of the budget is spent.
    fn is_spent(&self, fraction: f64) -> bool {
        self.start.elapsed() >= self.tuning.budget.mul_f64(fraction)
    }

    fn report(&mut self, doing: &str) {
        let share = self.start.elapsed().as_secs_f64() / self.tuning.budget.as_secs_f64();
        (self.progress)(Progress { share: share.clamp(0.0, 1.0), doing });
    }

    /// The model in the reference arrangement.
    fn reference(&self) -> &Arranged {
        &self.arranged[&self.tuning.reference]
    }

    /// Runs a few frames of all candidates, arrangement by arrangement. When the time for it is spent,
    /// only arrangements that keep the result are still timed.
    pub(super) fn time_all(&mut self) -> Result<(), ComparisonError> {
        let same_arrangement =
            |one: &Candidate, other: &Candidate| one.arrangement == other.arrangement;
        let mut first = 0;
        for group in self.tuning.candidates.chunk_by(same_arrangement) {
            let members: Vec<usize> = (first..first + group.len()).collect();
            first += group.len();
            let arrangement = group[0].arrangement;
            if self.is_spent(TIMING_END) && !self.trials[members[0]].same_result {
                continue;
            }
            self.report(&format!("timing: {arrangement}"));
            let arranged = arrangement.of_copies(&self.tuning.model, self.tuning.copies)?;
            // Different arrangements can give the same order.
            let same_result = arranged.schedule.order() == self.reference().schedule.order();
            self.arranged.insert(arrangement, arranged);
            for &member in &members {
                self.trials[member].same_result = same_result;
            }
            self.time_in_turns(&members, 1)?;
        }
        Ok(())
    }

    /// Runs `turns` turns of the candidates with the indices `members`, alternating with the
    /// default kernel, and stores the ratios of their times. Short turns are repeated.
    fn time_in_turns(&mut self, members: &[usize], turns: usize) -> Result<(), ComparisonError> {
        let Tuning { formula, step, candidates, .. } = self.tuning;
        let repeats = TURN_SECONDS / (FRAMES_PER_TURN as f64 * self.default_frame);
        let turns = turns * floor_to_usize(repeats.clamp(1.0, TURN_REPEATS_MAX));
        for members in members.chunks(PLANS_AT_ONCE) {
            let mut runners =
                vec![Runner::kernel(&self.default_kernel, self.reference(), *formula)?];
            for &member in members {
                let Candidate { kernel, arrangement } = &candidates[member];
                runners.push(Runner::kernel(kernel, &self.arranged[arrangement], *formula)?);
            }
            let mut times = vec![Vec::new(); runners.len()];
            for _ in 0..turns {
                for (runner, times) in runners.iter_mut().zip(&mut times) {
                    times.extend(frame_times(runner, step, FRAMES_PER_TURN)?);
                }
            }
            let medians: Vec<f64> = times.into_iter().map(median).collect();
            self.default_frame = medians[0];
            for (&member, time) in members.iter().zip(&medians[1..]) {
                self.trials[member].time_ratio = Some(time / medians[0]);
            }
        }
        Ok(())
    }

    /// The indices and time ratios of the timed trials for which `predicate` holds.
    fn timed(&self, predicate: impl Fn(&Trial) -> bool) -> Vec<(usize, f64)> {
        let timed = |(index, trial): (usize, &Trial)| {
            trial.time_ratio.filter(|_| predicate(trial)).map(|ratio| (index, ratio))
        };
        self.trials.iter().enumerate().filter_map(timed).collect()
    }

    /// Checks the residuals of the orders: the reference order, then the others, fastest first.
    pub(super) fn check_residuals(&mut self) -> Result<(), TuningError> {
        let Tuning { reference, any_schedule, max_residual, candidates, .. } = self.tuning;
        let reference_run = self.run_residual_check(*reference, &self.default_kernel.clone())?;
        let same_result = self.timed(|trial| trial.same_result);
        self.set_outcomes(&same_result, &reference_run, max_residual.unwrap_or(f64::INFINITY));
        // If the reference order is not bounded, its residual limits no other order: the limit is
        // infinite or NaN, and no residual is above it.
        let slack = if reference_run.left_bounds_at.is_none() { SLACK } else { f64::INFINITY };
        let residual_limit =
            max_residual.unwrap_or(slack * reference_run.stretch.residual_rms().max(0.0));

        // All of them, fastest first: with `usize::MAX`, `faster_half` only sorts.
        let others = faster_half(&self.timed(|trial| !trial.same_result), usize::MAX);
        for &index in &others {
            if self.is_spent(CHECKS_END) {
                break;
            }
            if self.trials[index].outcome == TrialOutcome::NotReached {
                let Candidate { kernel, arrangement } = &candidates[index];
                let run = self.run_residual_check(*arrangement, kernel)?;
                let schedule = self.trials[index].schedule.clone();
                let members = self.timed(|trial| !trial.same_result && trial.schedule == schedule);
                self.set_outcomes(&members, &run, residual_limit);
            }
            if self.trials[index].outcome == TrialOutcome::Slower && !any_schedule {
                // Only the fastest candidate with a different result is reported.
                self.other_result = Some(index);
                break;
            }
        }
        if self.other_result.is_some() {
            for &index in &others {
                let outcome = &mut self.trials[index].outcome;
                *outcome = if *outcome == TrialOutcome::NotReached {
                    TrialOutcome::Slower
                } else {
                    *outcome
                };
            }
        }
        let may_be_chosen = |trial: &Trial| {
            trial.outcome == TrialOutcome::Slower && (*any_schedule || trial.same_result)
        };
        self.remaining = faster_half(&self.timed(may_be_chosen), usize::MAX);
        if self.remaining.is_empty() { Err(self.nothing_accepted()) } else { Ok(()) }
    }

    /// Runs the frames of the residual check of an order.
    fn run_residual_check(
        &mut self,
        arrangement: Arrangement,
        kernel: &AnyKernel,
    ) -> Result<BoundedRun, ComparisonError> {
        self.report(&format!("checking the residual: {arrangement}"));
        let Tuning { formula, step, .. } = self.tuning;
        BoundedRun::simulate(
            &self.arranged[&arrangement],
            kernel,
            *formula,
            step,
            RESIDUAL_CHECK_FRAMES,
            BOUND,
        )
    }

    /// Stores the result of the residual check of an order in the trials of that order, `members`
    /// (index and time ratio). `limit` is the largest accepted rms residual.
    fn set_outcomes(&mut self, members: &[(usize, f64)], run: &BoundedRun, limit: f64) {
        let outcome = match run.left_bounds_at {
            Some(_) => TrialOutcome::BlewUp,
            None if run.stretch.residual_rms() > limit => TrialOutcome::AboveResidualLimit,
            // Accepted; the outcome of the finalists changes at the end.
            None => TrialOutcome::Slower,
        };
        for &(index, _) in members {
            self.trials[index].outcome = outcome;
            self.trials[index].residual_rms = Some(run.stretch.residual_rms());
        }
    }

    fn nothing_accepted(&self) -> TuningError {
        let is_allowed = |trial: &&Trial| self.tuning.any_schedule || trial.same_result;
        let residual = |trial: &Trial| trial.residual_rms.unwrap_or(f64::INFINITY);
        let allowed = self.trials.iter().filter(is_allowed);
        let best = allowed.min_by(|one, other| residual(one).total_cmp(&residual(other)));
        TuningError::NothingAccepted {
            schedule: best.map_or(String::new(), |trial| trial.schedule.clone()),
            residual_rms: best.map_or(f64::INFINITY, residual),
        }
    }

    /// Repeatedly runs more frames of the faster half.
    pub(super) fn halve(&mut self) -> Result<(), ComparisonError> {
        let mut turns = 2;
        while self.remaining.len() > FINALISTS && !self.is_spent(HALVING_END) {
            self.report(&format!("halving: {} candidates left", self.remaining.len()));
            let with_ratio =
                |index: usize| (index, self.trials[index].time_ratio.unwrap_or(f64::INFINITY));
            let ratios: Vec<(usize, f64)> =
                self.remaining.iter().copied().map(with_ratio).collect();
            let faster = faster_half(&ratios, FINALISTS);
            self.time_in_turns(&faster, turns)?;
            self.remaining = faster;
            turns *= 2;
        }
        let ratio = |index: &usize| self.trials[*index].time_ratio.unwrap_or(f64::INFINITY);
        self.remaining.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        self.remaining.truncate(FINALISTS);
        Ok(())
    }

    /// The number of frames that fit into the rest of the budget, for the textbook loop and
    /// configurations with these time ratios; and how often to repeat them if they are short.
    fn final_frames(&self, ratios: impl Iterator<Item = f64>) -> (usize, usize) {
        let seconds_left = self.tuning.budget.saturating_sub(self.start.elapsed()).as_secs_f64();
        // Two sums of times, s: of one frame of the textbook loop and of each configuration, and of one
        // frame of each configuration's `f64` reference, which takes about as long as the textbook loop.
        let (frame_seconds, reference_seconds) =
            ratios.fold((self.textbook_frame, 0.0), |(frame_sum, reference_sum), ratio| {
                (frame_sum + ratio * self.default_frame, reference_sum + self.textbook_frame)
            });
        let seconds_left = seconds_left - reference_seconds * EARLY_FRAME as f64;
        let frames =
            floor_to_usize(seconds_left / frame_seconds).clamp(FINAL_FRAMES[0], FINAL_FRAMES[1]);
        let repeats = seconds_left.min(FINAL_SECONDS) / (frames as f64 * frame_seconds);
        (frames, floor_to_usize(repeats).max(1))
    }

    /// Compares the remaining candidates and chooses one.
    pub(super) fn final_comparison(mut self) -> Result<Choice, TuningError> {
        let Tuning { model, copies, step, formula, reference, candidates, .. } = self.tuning;
        let (copies, formula) = (*copies, *formula);
        let finalists: Vec<usize> =
            self.remaining.iter().copied().chain(self.other_result).collect();
        let mut configurations: Vec<Configuration> = finalists
            .iter()
            .map(|&index| {
                let Candidate { kernel, arrangement } = candidates[index].clone();
                Configuration { kernel, formula, arrangement }
            })
            .collect();
        let is_default = |configuration: &Configuration| {
            let name = |kernel| (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel));
            configuration.arrangement == *reference
                && name(&configuration.kernel) == name(&self.default_kernel)
        };
        let default = configurations.iter().position(is_default).unwrap_or_else(|| {
            let kernel = self.default_kernel.clone();
            configurations.push(Configuration { kernel, formula, arrangement: *reference });
            configurations.len() - 1
        });
        let ratios = finalists.iter().filter_map(|&index| self.trials[index].time_ratio);
        let (frames, repeats) = self.final_frames(ratios.chain([1.0]));
        let warmup = frames / 4;
        let (model, frames) = (model.clone(), frames - warmup);
        let comparison = Comparison {
            model,
            copies,
            step: *step,
            warmup,
            frames,
            repeats,
            configurations,
            baselines: Baselines::default(),
        };
        let share_before = self.start.elapsed().as_secs_f64() / self.tuning.budget.as_secs_f64();
        let share_before = share_before.min(1.0);
        let rows = comparison.run(|Progress { share, doing }| {
            let share = share_before + share * (1.0 - share_before);
            (self.progress)(Progress { share, doing });
        })?;

        // Row 0 is that of the textbook loop.
        let time = |row: usize| rows[row].frame_us_median;
        let mut allowed: Vec<usize> = (1..=self.remaining.len()).collect();
        allowed.sort_by(|&one, &other| time(one).total_cmp(&time(other)));
        let fastest = time(allowed[0]);
        let as_fast = allowed.iter().filter(|&&row| time(row) <= fastest * (1.0 + NOISE));
        let complexity = |row: &&usize| {
            let Candidate { kernel, arrangement } = &candidates[finalists[**row - 1]];
            (Kernel::<3>::threads(kernel), arrangement.numbering)
        };
        let chosen = as_fast.min_by_key(complexity).copied().unwrap_or(allowed[0]);
        for &index in &finalists {
            self.trials[index].outcome = TrialOutcome::Finalist;
        }
        let trial = &self.trials[finalists[chosen - 1]];
        Ok(Choice {
            tuned: Tuned {
                kernel: trial.kernel.to_owned(),
                threads: trial.threads,
                schedule: candidates[finalists[chosen - 1]].arrangement,
                formula,
                mesh: Fingerprint::of(&self.tuning.model.sticks),
                copies,
                substeps: step.substeps,
                iterations: step.iterations,
                residual_rms: trial.residual_rms.unwrap_or(f64::NAN),
                ns_per_stick: rows[chosen].ns_per_stick_median,
                machine: MachineInfo::current().cpu,
            },
            chosen,
            runner_up: allowed.into_iter().find(|&row| row != chosen),
            default_choice: 1 + default,
            other_result: self.other_result.map(|_| 1 + self.remaining.len()),
            same_result: trial.same_result,
            trials: self.trials,
            rows,
            finalists,
        })
    }
}

/// Runs frames and returns their times.
fn frame_times(
    runner: &mut Runner,
    step: &Step<3>,
    count: usize,
) -> Result<Vec<Duration>, ComparisonError> {
    let timed = |_| {
        let start = Instant::now();
        let _ = runner.step(step)?;
        Ok(start.elapsed())
    };
    (0..count).map(timed).collect()
}

#[allow(clippy::cast_sign_loss, reason = "negative values become 0")]
fn floor_to_usize(value: f64) -> usize {
    value as usize
}

/// The median, s.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}
