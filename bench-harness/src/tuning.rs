//! The fastest way to relax a scene on this machine, found within a budget of time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::world::{Arranged, Arrangement, Model, Numbering, Order};
use taut::{AnyKernel, Fingerprint, Formula, Kernel, KernelName, Pool, PoolError, Step, Tuned};

use crate::contest::{Contest, ContestError, Contestant, EARLY_FRAME, Progress};
use crate::machine::MachineInfo;
use crate::row::Row;
use crate::runner::Runner;
use crate::stability::{BOUND, Watched};

/// After how many frames an order is judged by the stretch that is left. A number of frames and
/// not a time, so that the judgement is the same on every machine.
pub const JUDGED_FRAMES: usize = 120;
/// Times closer than this cannot be told apart on a machine that does other things, too; then the
/// plainer is chosen.
pub const NOISE: f64 = 0.03;
/// An order that is not the one to keep may leave this much more stretch, if no limit is given.
const SLACK: f64 = 1.1;
/// How many frames a runner does before it is another's turn; the first finds cold caches, and
/// the median does not mind.
const FRAMES_A_TURN: usize = 4;
/// How many get as far as the last contest.
const FINALISTS: usize = 3;
/// How many plans are held at a time: those of a large mesh are large.
const HEAT: usize = 8;
/// Short turns are taken several at a time, until the measure works so long, s, or so many.
const TURN: f64 = 5e-3;
const TURNS_AT_ONCE: f64 = 16.0;
/// Least and most frames of the last contest.
const FINAL_FRAMES: [usize; 2] = [8, 160];
/// Short frames are repeated for so long, s, if the budget has it.
const FINAL_SECONDS: f64 = 3.0;

/// Until which share of the budget candidates are sifted, judged, and halved.
const SIFTED: f64 = 0.4;
const JUDGED: f64 = 0.6;
const HALVED: f64 = 0.75;

/// A scene, an answer, and who may give it.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// What is relaxed.
    pub scene: Model,
    /// How.
    pub step: Step<3>,
    /// With which formula.
    pub formula: Formula,
    /// The order whose answer is kept, and to whose time all others are compared.
    pub keep: Arrangement,
    /// Whether another order may be chosen, which is another answer.
    pub any_answer: bool,
    /// The root mean square stretch that may be left after [`JUDGED_FRAMES`]. If none is given,
    /// an order that is not the one to keep may leave 10 % more than that one.
    pub max_stretch: Option<f64>,
    /// Who may be chosen, those of one arrangement one after the other; see
    /// [`Tuning::candidates`].
    pub candidates: Vec<Candidate>,
    /// How long it may take. What must be done for an answer at all is done in any case.
    pub budget: Duration,
}

/// A kernel on some threads, and an arrangement.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kernel, on its threads.
    pub kernel: AnyKernel,
    /// Order and numbering.
    pub arrangement: Arrangement,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// There was no time for it.
    NotReached,
    /// Its order does not stay bounded.
    NotBounded,
    /// Its order leaves too much stretch.
    TooSlack,
    /// Another was faster.
    Slower,
    /// It was in the last contest.
    Finalist,
}

/// How a candidate fared.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// The kernel, also if threads are around it.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Its threads.
    pub threads: usize,
    /// The arrangement.
    pub schedule: String,
    /// Whether it gives the answer to keep, to the bit.
    pub same_answer: bool,
    /// Its time over that of what [`AnyKernel::best_for`] picks for the order to keep, both
    /// measured in turn; the last that was measured.
    pub time_ratio: Option<f64>,
    /// Root mean square residual (stretch and compression together) after [`JUDGED_FRAMES`], if its
    /// order was judged.
    pub stretch_rms: Option<f64>,
    /// What became of it.
    pub fate: Fate,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What to use.
    pub tuned: Tuned,
    /// The last contest: the textbook loop, then the finalists; after them what
    /// [`AnyKernel::best_for`] picks, if it is none of them.
    pub rows: Vec<Row>,
    /// Which of the trials each finalist is.
    pub finalists: Vec<usize>,
    /// Which of the rows is chosen.
    pub chosen: usize,
    /// The next best that might have been chosen.
    pub runner_up: Option<usize>,
    /// What [`AnyKernel::best_for`] picks for the order to keep.
    pub unasked: usize,
    /// The fastest one found that gives another answer, if it was not to be chosen.
    pub other_answer: Option<usize>,
    /// Whether the choice gives the answer to keep, to the bit.
    pub same_answer: bool,
    /// How every candidate fared.
    pub trials: Vec<Trial>,
}

/// Why there is no choice.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// Nobody may be chosen.
    #[error(
        "nothing that may be chosen is bounded and accurate enough: '{schedule}' comes nearest and \
         leaves a stretch of {stretch:.4} rms after {JUDGED_FRAMES} frames"
    )]
    NothingAccepted {
        /// The order that came nearest.
        schedule: String,
        /// What it leaves.
        stretch: f64,
    },
    /// A kernel, an order or a step that does not do.
    #[error(transparent)]
    Contest(#[from] ContestError),
}

/// Halves a field of numbers and times: the numbers of the faster half, or of the `least` fastest
/// if that is more, fastest first.
pub fn better_half(field: &[(usize, f64)], least: usize) -> Vec<usize> {
    let mut field = field.to_vec();
    field.sort_by(|one, other| one.1.total_cmp(&other.1));
    field.truncate(field.len().div_ceil(2).max(least));
    field.into_iter().map(|(at, _)| at).collect()
}

impl Choice {
    /// As [`Row::name`], but for kernels on threads, which go by their own name.
    pub fn name(&self, row: usize) -> String {
        let trial = row.checked_sub(1).and_then(|at| self.finalists.get(at));
        trial.map_or_else(
            || self.rows[row].name(),
            |&at| {
                let Trial { kernel, isa, threads, schedule, .. } = &self.trials[at];
                format!("{kernel}/{isa}/t{threads} {} {schedule}", self.tuned.formula)
            },
        )
    }
}

impl Tuning {
    /// Who may take part: every kernel of this build on the best instruction set that it has on
    /// this machine, on these numbers of threads, in every order that it runs with profit, on
    /// every numbering; those that keep the answer first.
    ///
    /// # Errors
    /// If the system does not give the threads.
    pub fn candidates(
        scene: &Model,
        keep: Arrangement,
        threads: &[usize],
    ) -> Result<Vec<Candidate>, PoolError> {
        let mut kernels = Vec::new();
        for name in [KernelName::Grid, KernelName::Pulp, KernelName::Wide, KernelName::Scalar] {
            for &threads in threads {
                if let Ok(kernel) = AnyKernel::named(name.name()) {
                    kernels.push(match threads {
                        1 => kernel,
                        threads => kernel.on_threads(Pool::new(threads)?),
                    });
                }
            }
        }
        let mut all = Vec::new();
        for arrangement in arrangements(scene, keep) {
            let candidates =
                kernels.iter().map(|kernel| Candidate { kernel: kernel.clone(), arrangement });
            all.extend(candidates.filter(|it| it.may_be_of_use(keep)));
        }
        Ok(all)
    }

    /// Finds the fastest.
    ///
    /// All candidates do a few frames each, arrangement by arrangement, in turn with the one
    /// whose time is the measure. The orders are judged, fastest first. Then the better half of
    /// those that are left does more frames, and the better half of these, until few are left
    /// for a [`Contest`].
    ///
    /// # Errors
    /// If a candidate cannot be set up, or nobody may be chosen.
    pub fn run(&self, progress: impl FnMut(Progress<'_>)) -> Result<Choice, TuningError> {
        let mut search = Search::new(self, progress)?;
        search.sift()?;
        search.judge()?;
        search.halve()?;
        search.last_contest()
    }
}

/// The one to keep and its numberings, then the others.
fn arrangements(scene: &Model, keep: Arrangement) -> Vec<Arrangement> {
    let mut all = vec![keep];
    let orders = [
        Order::Sheet,
        Order::Banded,
        Order::Blocked,
        Order::Packed,
        Order::Starred,
        Order::Coloured,
        Order::Authored,
    ];
    for order in [keep.order].into_iter().chain(orders) {
        for numbering in [
            Numbering::Given,
            Numbering::HilbertAfter,
            Numbering::RcmAfter,
            Numbering::Hilbert,
            Numbering::Rcm,
        ] {
            let on_other_numbers = matches!(numbering, Numbering::Hilbert | Numbering::Rcm);
            let possible = order != Order::Sheet || (scene.sheet.is_some() && !on_other_numbers);
            // Numbering after the order is for keeping an answer.
            let after = matches!(numbering, Numbering::HilbertAfter | Numbering::RcmAfter);
            let of_use = !after || (order, Numbering::Given) == (keep.order, keep.numbering);
            let one = Arrangement { order, numbering };
            if possible && of_use && !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

impl Candidate {
    fn may_be_of_use(&self, keep: Arrangement) -> bool {
        let Self { kernel, arrangement } = self;
        let (lanes, threads) = (Kernel::<3>::lanes(kernel), Kernel::<3>::threads(kernel));
        let of_sheets = Arrangement { order: Order::Sheet, numbering: Numbering::Given };
        match (kernel.inside().kernel_name(), arrangement.order) {
            (KernelName::Grid, _) if *arrangement != of_sheets => false,
            // For machines that have no lanes, and for orders that leave all but one empty.
            (KernelName::Scalar, order) => {
                threads == 1 && (*arrangement == keep || order == Order::Authored)
            }
            (_, order) => lanes > 1 && order != Order::Authored,
        }
    }
}

/// A tuning at work.
struct Search<'a, P> {
    tuning: &'a Tuning,
    progress: P,
    start: Instant,
    arranged: BTreeMap<Arrangement, Arranged>,
    /// What [`AnyKernel::best_for`] picks for the order to keep: the measure of times.
    unasked: AnyKernel,
    trials: Vec<Trial>,
    /// A frame of the measure, and of the textbook loop, s.
    frame: f64,
    textbook_frame: f64,
    /// Those that may be chosen.
    field: Vec<usize>,
    /// The best of the others.
    other: Option<usize>,
}

impl<'a, P: FnMut(Progress<'_>)> Search<'a, P> {
    fn new(tuning: &'a Tuning, mut progress: P) -> Result<Self, ContestError> {
        let start = Instant::now();
        tuning.step.motion()?;
        progress(Progress { share: 0.0, doing: "arranging the scene" });
        let kept = tuning.keep.of(&tuning.scene)?;
        let unasked = AnyKernel::best_for(&kept.schedule);
        let trial = |it: &Candidate| Trial {
            kernel: Kernel::<3>::name(it.kernel.inside()),
            isa: Kernel::<3>::isa(&it.kernel),
            threads: Kernel::<3>::threads(&it.kernel),
            schedule: it.arrangement.to_string(),
            same_answer: it.arrangement.answer() == tuning.keep.answer(),
            time_ratio: None,
            stretch_rms: None,
            fate: Fate::NotReached,
        };
        let mut textbook = Runner::textbook(&tuning.scene);
        let textbook_frame = median(frames(&mut textbook, &tuning.step, 2)?);
        Ok(Self {
            tuning,
            progress,
            start,
            arranged: BTreeMap::from([(tuning.keep, kept)]),
            unasked,
            trials: tuning.candidates.iter().map(trial).collect(),
            frame: textbook_frame,
            textbook_frame,
            field: Vec::new(),
            other: None,
        })
    }

    /// Whether that share of the budget is spent.
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

    /// A few frames of everybody.
    fn sift(&mut self) -> Result<(), ContestError> {
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
            self.tell(&format!("sifting: {arrangement}"));
            let arranged = arrangement.of(&self.tuning.scene)?;
            // Orders of different names can come to the same.
            let same_answer = arranged.schedule.order() == self.kept().schedule.order();
            self.arranged.insert(arrangement, arranged);
            for &member in &members {
                self.trials[member].same_answer = same_answer;
            }
            self.heat(&members, 1)?;
        }
        Ok(())
    }

    /// Lets these do some frames in turn with the measure, and notes their ratios.
    fn heat(&mut self, members: &[usize], turns: usize) -> Result<(), ContestError> {
        let Tuning { formula, step, candidates, .. } = self.tuning;
        let at_once = TURN / (FRAMES_A_TURN as f64 * self.frame);
        let turns = turns * whole(at_once.clamp(1.0, TURNS_AT_ONCE));
        for members in members.chunks(HEAT) {
            let mut runners = vec![Runner::kernel(&self.unasked, self.kept(), *formula)?];
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

    /// Those that have a time and whatever else is wanted, with their times.
    fn timed(&self, wanted: impl Fn(&Trial) -> bool) -> Vec<(usize, f64)> {
        let timed = |(at, trial): (usize, &Trial)| {
            trial.time_ratio.filter(|_| wanted(trial)).map(|ratio| (at, ratio))
        };
        self.trials.iter().enumerate().filter_map(timed).collect()
    }

    /// Judges the orders: the one to keep, then the others, fastest first.
    fn judge(&mut self) -> Result<(), TuningError> {
        let Tuning { keep, any_answer, max_stretch, candidates, .. } = self.tuning;
        let kept = self.watch(*keep, &self.unasked.clone())?;
        let to_keep = self.timed(|trial| trial.same_answer);
        self.settle(&to_keep, &kept, max_stretch.unwrap_or(f64::INFINITY));
        // What is not bounded is no measure.
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
                self.settle(&alike, &watched, limit);
            }
            if self.trials[at].fate == Fate::Slower && !any_answer {
                // One is enough to tell of.
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
    ) -> Result<Watched, ContestError> {
        self.tell(&format!("judging: {arrangement}"));
        let Tuning { formula, step, .. } = self.tuning;
        Watched::run(&self.arranged[&arrangement], kernel, *formula, step, JUDGED_FRAMES, BOUND)
    }

    /// What has been seen of one of these holds for all.
    fn settle(&mut self, members: &[(usize, f64)], seen: &Watched, limit: f64) {
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

    /// More frames for the better half, and again.
    fn halve(&mut self) -> Result<(), ContestError> {
        let mut turns = 2;
        while self.field.len() > FINALISTS && !self.spent(HALVED) {
            self.tell(&format!("halving: the best of {}", self.field.len()));
            let in_field = |at: usize| (at, self.trials[at].time_ratio.unwrap_or(f64::INFINITY));
            let field: Vec<(usize, f64)> = self.field.iter().copied().map(in_field).collect();
            let better = better_half(&field, FINALISTS);
            self.heat(&better, turns)?;
            self.field = better;
            turns *= 2;
        }
        let ratio = |at: &usize| self.trials[*at].time_ratio.unwrap_or(f64::INFINITY);
        self.field.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        self.field.truncate(FINALISTS);
        Ok(())
    }

    /// How many frames the rest of the budget is good for, of the textbook loop and those who
    /// take that many times as long as the measure; and how often to repeat them if they are short.
    fn final_frames(&self, ratios: impl Iterator<Item = f64>) -> (usize, usize) {
        let left = self.tuning.budget.saturating_sub(self.start.elapsed()).as_secs_f64();
        // The distance from `f64` is found by a loop about as fast as the textbook's, for each.
        let (frame, references) =
            ratios.fold((self.textbook_frame, 0.0), |(frame, references), ratio| {
                (frame + ratio * self.frame, references + self.textbook_frame)
            });
        let left = left - references * EARLY_FRAME as f64;
        let frames = whole(left / frame).clamp(FINAL_FRAMES[0], FINAL_FRAMES[1]);
        let repeats = left.min(FINAL_SECONDS) / (frames as f64 * frame);
        (frames, whole(repeats).max(1))
    }

    fn last_contest(mut self) -> Result<Choice, TuningError> {
        let Tuning { scene, step, formula, keep, candidates, .. } = self.tuning;
        let formula = *formula;
        let finalists: Vec<usize> = self.field.iter().copied().chain(self.other).collect();
        let mut contestants: Vec<Contestant> = finalists
            .iter()
            .map(|&at| {
                let Candidate { kernel, arrangement, .. } = candidates[at].clone();
                Contestant { kernel, formula, arrangement }
            })
            .collect();
        let is_unasked = |it: &Contestant| {
            let who = |kernel| (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel));
            it.arrangement == *keep && who(&it.kernel) == who(&self.unasked)
        };
        let unasked = contestants.iter().position(is_unasked).unwrap_or_else(|| {
            let kernel = self.unasked.clone();
            contestants.push(Contestant { kernel, formula, arrangement: *keep });
            contestants.len() - 1
        });
        let ratios = finalists.iter().filter_map(|&at| self.trials[at].time_ratio);
        let (frames, repeats) = self.final_frames(ratios.chain([1.0]));
        let warmup = frames / 4;
        let (scene, frames) = (scene.clone(), frames - warmup);
        let contest = Contest { scene, step: *step, warmup, frames, repeats, contestants };
        let start = self.start.elapsed().as_secs_f64() / self.tuning.budget.as_secs_f64();
        let start = start.min(1.0);
        let rows = contest.run(|Progress { share, doing }| {
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
                mesh: Fingerprint::of(&self.tuning.scene.sticks),
                substeps: step.substeps,
                iterations: step.iterations,
                stretch_rms: trial.stretch_rms.unwrap_or(f64::NAN),
                ns_per_stick: rows[chosen].ns_per_stick_median,
                machine: MachineInfo::current().cpu,
            },
            chosen,
            runner_up: field.into_iter().find(|&at| at != chosen),
            unasked: 1 + unasked,
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
) -> Result<Vec<Duration>, ContestError> {
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
