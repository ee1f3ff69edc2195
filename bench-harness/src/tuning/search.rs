//! The search of a tuning: first times, then residual checks, then successive halving.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use taut::world::{Arranged, Arrangement};
use taut::{AnyKernel, Fingerprint, Kernel, Step, Tuned};

use crate::comparison::{
    Comparison, ComparisonError, Configuration, EARLY_FRAME, Progress, all_copies,
};
use crate::machine::MachineInfo;
use crate::runner::Runner;
use crate::stability::{BOUND, Watched};

use super::{
    Candidate, Choice, Fate, JUDGED_FRAMES, NOISE, Trial, Tuning, TuningError, better_half,
};

/// An order that is not the one to keep may leave this much more stretch, if no limit is given.
const SLACK: f64 = 1.1;
/// Frames of a runner in a turn. The first one has cold caches, which the median ignores.
const FRAMES_A_TURN: usize = 4;
/// The number of candidates in the final comparison.
const FINALISTS: usize = 3;
/// The number of plans that are kept at a time, because those of large meshes are large.
const HEAT: usize = 8;
/// Short turns are taken several at a time, until the measure works so long, s, or so many.
const TURN: f64 = 5e-3;
const TURNS_AT_ONCE: f64 = 16.0;
/// Minimum and maximum number of frames of the final comparison.
const FINAL_FRAMES: [usize; 2] = [8, 160];
/// Short frames are repeated for so long, s, if the budget has it.
const FINAL_SECONDS: f64 = 3.0;
/// Until which share of the budget candidates are sifted, judged, and halved.
const SIFTED: f64 = 0.4;
const JUDGED: f64 = 0.6;
const HALVED: f64 = 0.75;

/// The state of a search.
pub(super) struct Search<'a, P> {
    tuning: &'a Tuning,
    progress: P,
    start: Instant,
    arranged: BTreeMap<Arrangement, Arranged>,
    /// What [`AnyKernel::best_for`] picks for the order to keep; times are relative to it.
    default_kernel: AnyKernel,
    trials: Vec<Trial>,
    /// A frame of the measure, and of the textbook loop, s.
    frame: f64,
    textbook_frame: f64,
    /// The remaining candidates.
    field: Vec<usize>,
    /// The best candidate that is not allowed.
    other: Option<usize>,
}

impl<'a, P: FnMut(Progress<'_>)> Search<'a, P> {
    pub(super) fn new(tuning: &'a Tuning, mut progress: P) -> Result<Self, ComparisonError> {
        let start = Instant::now();
        tuning.step.motion()?;
        progress(Progress { share: 0.0, doing: "arranging the model" });
        let whole = all_copies(&tuning.model, tuning.copies)?;
        let kept = tuning.keep.of_copies(&tuning.model, tuning.copies)?;
        let default_kernel = AnyKernel::best_for(&kept.schedule);
        let trial = |it: &Candidate| Trial {
            kernel: Kernel::<3>::name(it.kernel.inside()),
            isa: Kernel::<3>::isa(&it.kernel),
            threads: Kernel::<3>::threads(&it.kernel),
            schedule: it.arrangement.to_string(),
            same_answer: it.arrangement.canonical() == tuning.keep.canonical(),
            time_ratio: None,
            stretch_rms: None,
            fate: Fate::NotReached,
        };
        let mut textbook = Runner::textbook(&whole);
        let textbook_frame = median(frames(&mut textbook, &tuning.step, 2)?);
        Ok(Self {
            tuning,
            progress,
            start,
            arranged: BTreeMap::from([(tuning.keep, kept)]),
            default_kernel,
            trials: tuning.candidates.iter().map(trial).collect(),
            frame: textbook_frame,
            textbook_frame,
            field: Vec::new(),
            other: None,
        })
    }

    /// Whether that share of the budget is used up.
    fn spent(&self, share: f64) -> bool {
        self.start.elapsed() >= self.tuning.budget.mul_f64(share)
    }

    fn tell(&mut self, doing: &str) {
        let share = self.start.elapsed().as_secs_f64() / self.tuning.budget.as_secs_f64();
        (self.progress)(Progress { share: share.clamp(0.0, 1.0), doing });
    }

    fn kept(&self) -> &Arranged {
        &self.arranged[&self.tuning.keep]
    }

    /// Runs a few frames of all candidates.
    pub(super) fn time_all(&mut self) -> Result<(), ComparisonError> {
        let same_arrangement =
            |one: &Candidate, other: &Candidate| one.arrangement == other.arrangement;
        let mut first = 0;
        for group in self.tuning.candidates.chunk_by(same_arrangement) {
            let members: Vec<usize> = (first..first + group.len()).collect();
            first += group.len();
            let arrangement = group[0].arrangement;
            if self.spent(SIFTED) && !self.trials[members[0]].same_answer {
                continue;
            }
            self.tell(&format!("timing: {arrangement}"));
            let arranged = arrangement.of_copies(&self.tuning.model, self.tuning.copies)?;
            // Different arrangements can give the same order.
            let same_answer = arranged.schedule.order() == self.kept().schedule.order();
            self.arranged.insert(arrangement, arranged);
            for &member in &members {
                self.trials[member].same_answer = same_answer;
            }
            self.time_in_turns(&members, 1)?;
        }
        Ok(())
    }

    /// Runs some frames of candidates in turns with the default kernel, and stores their ratios.
    fn time_in_turns(&mut self, members: &[usize], turns: usize) -> Result<(), ComparisonError> {
        let Tuning { formula, step, candidates, .. } = self.tuning;
        let at_once = TURN / (FRAMES_A_TURN as f64 * self.frame);
        let turns = turns * whole(at_once.clamp(1.0, TURNS_AT_ONCE));
        for members in members.chunks(HEAT) {
            let mut runners = vec![Runner::kernel(&self.default_kernel, self.kept(), *formula)?];
            for &member in members {
                let Candidate { kernel, arrangement, .. } = &candidates[member];
                runners.push(Runner::kernel(kernel, &self.arranged[arrangement], *formula)?);
            }
            let mut times = vec![Vec::new(); runners.len()];
            for _ in 0..turns {
                for (runner, times) in runners.iter_mut().zip(&mut times) {
                    times.extend(frames(runner, step, FRAMES_A_TURN)?);
                }
            }
            let medians: Vec<f64> = times.into_iter().map(median).collect();
            self.frame = medians[0];
            for (&member, time) in members.iter().zip(&medians[1..]) {
                self.trials[member].time_ratio = Some(time / medians[0]);
            }
        }
        Ok(())
    }

    /// The trials that have a time and satisfy `wanted`, with their times.
    fn timed(&self, wanted: impl Fn(&Trial) -> bool) -> Vec<(usize, f64)> {
        let timed = |(at, trial): (usize, &Trial)| {
            trial.time_ratio.filter(|_| wanted(trial)).map(|ratio| (at, ratio))
        };
        self.trials.iter().enumerate().filter_map(timed).collect()
    }

    /// Checks the residuals of the orders: the one to keep, then the others, fastest first.
    pub(super) fn check_residuals(&mut self) -> Result<(), TuningError> {
        let Tuning { keep, any_answer, max_stretch, candidates, .. } = self.tuning;
        let kept = self.watch(*keep, &self.default_kernel.clone())?;
        let to_keep = self.timed(|trial| trial.same_answer);
        self.set_fates(&to_keep, &kept, max_stretch.unwrap_or(f64::INFINITY));
        // An unbounded residual is no reference.
        let slack = if kept.left_bounds_at.is_none() { SLACK } else { f64::INFINITY };
        let limit = max_stretch.unwrap_or(slack * kept.stretch.residual_rms().max(0.0));

        let others = better_half(&self.timed(|trial| !trial.same_answer), usize::MAX);
        for &at in &others {
            if self.spent(JUDGED) {
                break;
            }
            if self.trials[at].fate == Fate::NotReached {
                let Candidate { kernel, arrangement, .. } = &candidates[at];
                let watched = self.watch(*arrangement, kernel)?;
                let alike = self.trials[at].schedule.clone();
                let alike = self.timed(|trial| !trial.same_answer && trial.schedule == alike);
                self.set_fates(&alike, &watched, limit);
            }
            if self.trials[at].fate == Fate::Slower && !any_answer {
                // Only the fastest one is reported.
                self.other = Some(at);
                break;
            }
        }
        if self.other.is_some() {
            for &at in &others {
                let fate = &mut self.trials[at].fate;
                *fate = if *fate == Fate::NotReached { Fate::Slower } else { *fate };
            }
        }
        let may_be_chosen =
            |trial: &Trial| trial.fate == Fate::Slower && (*any_answer || trial.same_answer);
        self.field = better_half(&self.timed(may_be_chosen), usize::MAX);
        if self.field.is_empty() { Err(self.nothing_accepted()) } else { Ok(()) }
    }

    fn watch(
        &mut self,
        arrangement: Arrangement,
        kernel: &AnyKernel,
    ) -> Result<Watched, ComparisonError> {
        self.tell(&format!("checking the residual: {arrangement}"));
        let Tuning { formula, step, .. } = self.tuning;
        Watched::run(&self.arranged[&arrangement], kernel, *formula, step, JUDGED_FRAMES, BOUND)
    }

    /// Stores the result of one order for all candidates of that order.
    fn set_fates(&mut self, members: &[(usize, f64)], seen: &Watched, limit: f64) {
        let fate = match seen.left_bounds_at {
            Some(_) => Fate::NotBounded,
            None if seen.stretch.residual_rms() > limit => Fate::TooSlack,
            None => Fate::Slower,
        };
        for &(at, _) in members {
            self.trials[at].fate = fate;
            self.trials[at].stretch_rms = Some(seen.stretch.residual_rms());
        }
    }

    fn nothing_accepted(&self) -> TuningError {
        let judged = self.trials.iter().filter(|it| self.tuning.any_answer || it.same_answer);
        let stretch = |trial: &Trial| trial.stretch_rms.unwrap_or(f64::INFINITY);
        let nearest = judged.min_by(|one, other| stretch(one).total_cmp(&stretch(other)));
        TuningError::NothingAccepted {
            schedule: nearest.map_or(String::new(), |it| it.schedule.clone()),
            stretch: nearest.map_or(f64::INFINITY, stretch),
        }
    }

    /// Runs more frames of the better half, repeatedly.
    pub(super) fn halve(&mut self) -> Result<(), ComparisonError> {
        let mut turns = 2;
        while self.field.len() > FINALISTS && !self.spent(HALVED) {
            self.tell(&format!("halving: the best of {}", self.field.len()));
            let in_field = |at: usize| (at, self.trials[at].time_ratio.unwrap_or(f64::INFINITY));
            let field: Vec<(usize, f64)> = self.field.iter().copied().map(in_field).collect();
            let better = better_half(&field, FINALISTS);
            self.time_in_turns(&better, turns)?;
            self.field = better;
            turns *= 2;
        }
        let ratio = |at: &usize| self.trials[*at].time_ratio.unwrap_or(f64::INFINITY);
        self.field.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        self.field.truncate(FINALISTS);
        Ok(())
    }

    /// The number of frames that fit into the rest of the budget, for the textbook loop and
    /// configurations with these time ratios; and how often to repeat them if they are short.
    fn final_frames(&self, ratios: impl Iterator<Item = f64>) -> (usize, usize) {
        let left = self.tuning.budget.saturating_sub(self.start.elapsed()).as_secs_f64();
        // The `f64` reference of each takes about as long as the textbook loop.
        let (frame, references) =
            ratios.fold((self.textbook_frame, 0.0), |(frame, references), ratio| {
                (frame + ratio * self.frame, references + self.textbook_frame)
            });
        let left = left - references * EARLY_FRAME as f64;
        let frames = whole(left / frame).clamp(FINAL_FRAMES[0], FINAL_FRAMES[1]);
        let repeats = left.min(FINAL_SECONDS) / (frames as f64 * frame);
        (frames, whole(repeats).max(1))
    }

    pub(super) fn final_comparison(mut self) -> Result<Choice, TuningError> {
        let Tuning { model, copies, step, formula, keep, candidates, .. } = self.tuning;
        let (copies, formula) = (*copies, *formula);
        let finalists: Vec<usize> = self.field.iter().copied().chain(self.other).collect();
        let mut configurations: Vec<Configuration> = finalists
            .iter()
            .map(|&at| {
                let Candidate { kernel, arrangement, .. } = candidates[at].clone();
                Configuration { kernel, formula, arrangement }
            })
            .collect();
        let is_default = |it: &Configuration| {
            let who = |kernel| (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel));
            it.arrangement == *keep && who(&it.kernel) == who(&self.default_kernel)
        };
        let default = configurations.iter().position(is_default).unwrap_or_else(|| {
            let kernel = self.default_kernel.clone();
            configurations.push(Configuration { kernel, formula, arrangement: *keep });
            configurations.len() - 1
        });
        let ratios = finalists.iter().filter_map(|&at| self.trials[at].time_ratio);
        let (frames, repeats) = self.final_frames(ratios.chain([1.0]));
        let warmup = frames / 4;
        let (model, frames) = (model.clone(), frames - warmup);
        let comparison =
            Comparison { model, copies, step: *step, warmup, frames, repeats, configurations };
        let start = self.start.elapsed().as_secs_f64() / self.tuning.budget.as_secs_f64();
        let start = start.min(1.0);
        let rows = comparison.run(|Progress { share, doing }| {
            (self.progress)(Progress { share: start + share * (1.0 - start), doing });
        })?;

        // The first row is the textbook's.
        let time = |at: usize| rows[at].frame_us_median;
        let mut field: Vec<usize> = (1..=self.field.len()).collect();
        field.sort_by(|&one, &other| time(one).total_cmp(&time(other)));
        let fastest = time(field[0]);
        let as_fast = field.iter().filter(|&&at| time(at) <= fastest * (1.0 + NOISE));
        let plainness = |at: &&usize| {
            let Candidate { kernel, arrangement, .. } = &candidates[finalists[**at - 1]];
            (Kernel::<3>::threads(kernel), arrangement.numbering)
        };
        let chosen = as_fast.min_by_key(plainness).copied().unwrap_or(field[0]);
        for &at in &finalists {
            self.trials[at].fate = Fate::Finalist;
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
                stretch_rms: trial.stretch_rms.unwrap_or(f64::NAN),
                ns_per_stick: rows[chosen].ns_per_stick_median,
                machine: MachineInfo::current().cpu,
            },
            chosen,
            runner_up: field.into_iter().find(|&at| at != chosen),
            unasked: 1 + default,
            other_answer: self.other.map(|_| 1 + self.field.len()),
            same_answer: trial.same_answer,
            trials: self.trials,
            rows,
            finalists,
        })
    }
}

fn frames(
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

#[allow(clippy::cast_sign_loss, reason = "what is negative becomes 0")]
fn whole(number: f64) -> usize {
    number as usize
}

/// In s.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}
