//! The frames whose instructions are counted.

use std::fmt;
use std::str::FromStr;

use taut::world::{Arrangement, Model, ModelError, StickSet};
use taut::{
    AnyKernel, BoxedPlan, Engine, Formula, Inline, Kernel, PaddedSheet, Particles, Plan, Schedule,
    Step, Sticks, Substeps, Tally,
};

use crate::comparison::{ComparisonError, all_copies};
use crate::instructions::Executed;

/// The number of iterations of the counted frame.
pub const ITERATIONS: u32 = 8;

/// A pattern that matches the symbol of [`counted_frame`], the function whose instructions are counted:
/// one frame, including the integration, the copying of particles back from the plan and, with kernels
/// that use records, into it.
pub const COUNTED_FRAME: &str = "*counted_frame*";

/// A kernel with a formula on a fixed small model with structural, shear and bending sticks: a sheet of
/// 32 by 32 or 64 by 64 in the order `sheet`, a disc of about 1,000 particles in the order `blocked`,
/// one of about 4,000 in the order `starred`, or 18 copies of a disc of about 150 particles, where one
/// particle of one copy has a different mass.
///
/// It is displayed and parsed as four words: `drape-64 pulp avx2 halley`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// The name of the scene.
    pub scene: &'static str,
    /// The name of the kernel.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// The name of the formula.
    pub formula: &'static str,
}

/// Why a case cannot be run.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The text names no case that this machine can run.
    #[error("unknown case '{text}' on this machine")]
    Unknown {
        /// The text.
        text: String,
    },
    /// The model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The frame cannot be set up.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

const SCENES: [&str; 5] = ["drape-32", "drape-64", "disc-32", "stars-64", COPIES];
/// The scene of the kernel `copies`: 18 copies, more than the 16 that it relaxes as a group.
const COPIES: &str = "copies-18";

impl Case {
    /// All cases on this machine: every kernel on the instruction sets that valgrind supports (not
    /// AVX-512), and the scalar kernel.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for scene in SCENES {
            for kernel in AnyKernel::available() {
                let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
                let fits = match scene {
                    COPIES => kernel.is_for_copies(),
                    _ => {
                        kernel.is_general() || kernel.is_for_sheets() && scene.starts_with("drape")
                    }
                };
                if fits && isa != "avx512" && !kernel.is_fallback() {
                    let case = |formula: &Formula| Self {
                        scene,
                        kernel: name,
                        isa,
                        formula: formula.name(),
                    };
                    all.extend(Formula::ALL.iter().map(case));
                }
            }
        }
        all
    }

    /// The model and the schedule of its scene.
    ///
    /// # Errors
    /// If they cannot be built.
    pub fn scene(&self) -> Result<(Model, Schedule), CaseError> {
        let (model, order, copies) = match self.scene {
            "drape-32" => (Model::drape(32, StickSet::All)?, "sheet", 1),
            "drape-64" => (Model::drape(64, StickSet::All)?, "sheet", 1),
            "disc-32" => (Model::disc(32, StickSet::All)?, "blocked", 1),
            COPIES => (Model::disc(12, StickSet::All)?, "blocked", 18),
            _ => (Model::disc(64, StickSet::All)?, "starred", 1),
        };
        let arrangement: Arrangement = order.parse().map_err(ComparisonError::from)?;
        let arranged = arrangement.of_copies(&model, copies).map_err(ComparisonError::from)?;
        let mut whole_model = all_copies(&model, copies)?.into_owned();
        if copies > 1 {
            let last = whole_model.particles.len() - 1;
            whole_model.particles.set_inverse_mass(last, 0.5).map_err(ComparisonError::from)?;
        }
        Ok((whole_model, arranged.schedule))
    }

    /// Prepares the frame that is counted, the second one. The first frame runs here, because it
    /// includes work that a plan does only once.
    ///
    /// # Errors
    /// If the frame cannot be set up.
    pub fn frame(&self) -> Result<Frame, CaseError> {
        let (Model { mut particles, sticks, .. }, schedule) = self.scene()?;
        let formula = self.formula.parse().map_err(|_| self.unknown())?;
        let step = Step { substeps: 1, iterations: ITERATIONS, ..Step::default() };
        let plan = self.kernel()?.plan(&particles, &sticks, &schedule, formula);
        let mut plan = plan.map_err(ComparisonError::from)?;
        let substeps = step.to_substeps().map_err(ComparisonError::from)?;
        let _ = plan.step(&mut particles, &sticks, &step).map_err(ComparisonError::from)?;
        Ok(Frame { plan, particles, sticks, substeps })
    }

    /// The divisions and square roots of the frame, counted by running the formula on a number type
    /// that counts.
    ///
    /// # Errors
    /// If the scene cannot be built, or there is no such formula.
    pub fn formula_operations(&self) -> Result<Executed, CaseError> {
        let (Model { particles, sticks, .. }, _) = self.scene()?;
        let formula = self.formula.parse().map_err(|_| self.unknown())?;
        let Tally { divisions, square_roots, .. } =
            taut_scalar::count_operations(&particles, &sticks, formula);
        let iterations = u64::from(ITERATIONS);
        Ok(Executed {
            divisions: divisions * iterations,
            square_roots: square_roots * iterations,
            estimates: 0,
        })
    }

    /// The number of lanes that the frame relaxes minus its stick relaxations. A batch, a row of the
    /// grid kernel ([`PaddedSheet`]) and the copies of a stick are padded to whole registers. With
    /// one lane the difference is 0 or negative: nothing is padded, and sticks between pinned ends
    /// are skipped.
    ///
    /// # Errors
    /// If the scene cannot be built, or there is no such kernel.
    pub fn padding(&self) -> Result<i64, CaseError> {
        let (model, schedule) = self.scene()?;
        let lanes = Kernel::<3>::lanes(&self.kernel()?);
        let relaxed_lanes: usize = if let ("grid", Some(sheet)) = (self.kernel, &model.sheet) {
            PaddedSheet::new(sheet, lanes).relaxed_lanes
        } else if let ("copies", Some(copies)) = (self.kernel, schedule.copies()) {
            copies.one().sticks() * copies.count().next_multiple_of(lanes)
        } else {
            let padded: usize =
                schedule.batches().map(|batch| batch.len().next_multiple_of(lanes)).sum();
            let pinned = |end: u32| model.particles.inverse_masses()[end as usize] == 0.0;
            let both_pinned = |ends: &&[u32; 2]| ends.iter().all(|&end| pinned(end));
            let skipped = model.sticks.ends().iter().filter(both_pinned).count();
            if lanes == 1 { padded - skipped } else { padded }
        };
        Ok((relaxed_lanes.cast_signed() - model.sticks.len().cast_signed()) as i64
            * i64::from(ITERATIONS))
    }

    /// The number of stick relaxations in the frame: sticks times iterations.
    ///
    /// # Errors
    /// If the scene cannot be built.
    pub fn relaxations(&self) -> Result<f64, CaseError> {
        let (model, _) = self.scene()?;
        Ok(model.sticks.len() as f64 * f64::from(ITERATIONS))
    }

    fn kernel(&self) -> Result<AnyKernel, CaseError> {
        let matches = |kernel: &AnyKernel| {
            (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel)) == (self.kernel, self.isa)
        };
        AnyKernel::available().into_iter().find(matches).ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> CaseError {
        CaseError::Unknown { text: self.to_string() }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, kernel, isa, formula } = self;
        f.pad(&format!("{scene} {kernel} {isa} {formula}"))
    }
}

impl FromStr for Case {
    type Err = CaseError;

    fn from_str(text: &str) -> Result<Self, CaseError> {
        let unknown = || CaseError::Unknown { text: text.to_owned() };
        Self::all().into_iter().find(|case| case.to_string() == text).ok_or_else(unknown)
    }
}

/// A frame, ready to be run.
#[derive(Debug)]
pub struct Frame {
    plan: BoxedPlan,
    particles: Particles<3>,
    sticks: Sticks,
    substeps: Substeps<'static, 3>,
}

/// Runs a frame: one step, whose motion constants are computed beforehand, so that only the formula
/// divides.
#[inline(never)]
pub fn counted_frame(frame: &mut Frame) {
    let Frame { plan, particles, sticks, substeps } = frame;
    let _ = plan.advance_and_write_back(&Inline, particles, sticks, substeps);
}
