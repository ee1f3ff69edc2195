//! Convergence of cloth.

use taut::world::{Model, StickSet};
use taut::{Formula, Kernel, Plan, ScalarKernel, Schedule, Step, Stretch};

use super::run::{one_substep, rms_after};
use super::{Bound, Check, Claim, ClaimError, Scale, Source, VerdictRule};
use crate::precision_pair::{in_double, relaxation};

/// The bound for "nicely looking", that is, still like cloth: an rms residual of at most 10 %.
const NICE: Bound = Bound::AtMost(0.1);

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "one-iteration",
        quote: "for most pieces of cloth only one iteration is necessary to obtain nicely looking \
                animation",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("rms residual, 8 x 8, edges and diagonals, authored order", NICE),
            Check::dimensionless(
                "rms residual, 16 x 16, edges and diagonals, authored order",
                NICE,
            ),
            Check::dimensionless(
                "rms residual, 32 x 32, edges and diagonals, authored order",
                NICE,
            ),
            Check::dimensionless("rms residual, 16 x 16, all sticks, order `sheet`", NICE),
            Check::dimensionless("rms residual, 32 x 32, all sticks, order `sheet`", NICE),
            Check::dimensionless("rms residual, 64 x 64, all sticks, order `sheet`", NICE),
        ],
        rule: VerdictRule::All,
        measure: one_iteration,
        method: "Sheets that hang from a side, one iteration per frame of 1/60 s with `newton`, \
              after 300 frames: with the sticks and the order of the article, and with all sticks \
              in the best order. The bound for \"nice\" is an rms residual of 10 %. Only small \
              pieces meet it.",
        command: "taut stability --sizes 8,16,32,64 --sticks shear,all --formulas newton \
                  --schedules authored,sheet --frames 300",
    },
    Claim {
        name: "converges-over-frames",
        quote: "the constraints are not satisfied after one iteration only, but the system will \
                quickly converge to the correct state over some frames",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless(
                "share of the rms residual left after 60 frames, no gravity",
                Bound::AtMost(0.1),
            ),
            Check::dimensionless("rms residual after 300 frames, gravity", Bound::AtMost(0.01)),
        ],
        rule: VerdictRule::All,
        measure: converges_over_frames,
        method: "One iteration per frame with `newton` in the authored order: a disc of about 16 x \
              16 particles with a stick for each edge, enlarged by 10 %, without gravity; and a \
              hanging sheet of 8 x 8 with edges and diagonals. Gravity stretches it again in every \
              frame, so some stretch stays.",
        command: "taut accuracy --size 8 --sticks shear --iterations 1 --frames 300 --parts frames \
                  --formulas newton --schedules authored",
    },
    Claim {
        name: "removes-stiffness",
        quote: "using only one iteration and approximating the square root removes the stiffness \
                that appears otherwise",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless(
                "rms residual over that of 64 iterations of `exact`",
                Bound::AtLeast(2.0),
            ),
            Check::dimensionless("rms residual", NICE),
        ],
        rule: VerdictRule::All,
        measure: removes_stiffness,
        method: "A hanging sheet of 8 x 8 with edges and diagonals in the authored order, after \
              300 frames of one iteration with `newton`. The remaining stretch makes it soft; it \
              should still look like cloth.",
        command: "taut accuracy --size 8 --sticks shear --iterations 1 --frames 300 --parts frames \
                  --formulas newton,exact --schedules authored",
    },
    Claim {
        name: "closer-each-iteration",
        quote: "each time we reiterate, the set of links become closer and closer to all being \
                solved",
        source: Source::Ragdolls,
        section: "Step 5: Link Constraints",
        checks: &[
            Check::dimensionless(
                "largest ratio of the rms residuals after and before an iteration",
                Bound::AtMost(1.0),
            ),
            Check::dimensionless(
                "share of the rms residual left after 64 iterations",
                Bound::AtMost(0.1),
            ),
        ],
        rule: VerdictRule::All,
        measure: closer_each_iteration,
        method: "A sheet of 16 x 16 with all sticks, enlarged by 10 %, relaxed in the authored \
              order with `exact`, in f64, without motion.",
        command: "taut accuracy --size 16 --parts iterations --formulas exact --schedules authored",
    },
    Claim {
        name: "order-decides",
        quote: "some orders blow up: with one iteration per frame, the order `sheet` is stable, \
                and the articles' order blows up",
        source: Source::Taut,
        section: "README; Schedule::authored",
        checks: &[
            Check::dimensionless("rms residual, authored order", Bound::AtLeast(10.0)),
            Check::dimensionless("rms residual, order `sheet`", Bound::AtMost(1.0)),
        ],
        rule: VerdictRule::All,
        measure: order_decides,
        method: "A hanging sheet of 64 x 64 with all sticks, `exact`, one iteration per frame, \
              after 360 frames.",
        command: "taut stability --sizes 64 --sticks all --formulas exact \
                  --schedules authored,sheet",
    },
    Claim {
        name: "small-steps",
        quote: "n substeps of one iteration leave less stretch than one step of n iterations",
        source: Source::Taut,
        section: "docs/method.md",
        checks: &[Check::dimensionless(
            "rms residual with 8 iterations over that with 8 substeps",
            Bound::AtLeast(2.0),
        )],
        rule: VerdictRule::All,
        measure: small_steps,
        method: "A hanging sheet with all sticks in the order `sheet` with `halley`, after 120 \
              frames.",
        command: "taut compare --size 32 --warmup 0 --frames 120 --formulas halley \
                  --schedules sheet",
    },
];

fn one_iteration(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let cases = [
        (8, StickSet::Shear, "authored"),
        (16, StickSet::Shear, "authored"),
        (32, StickSet::Shear, "authored"),
        (16, StickSet::All, "sheet"),
        (32, StickSet::All, "sheet"),
        (64, StickSet::All, "sheet"),
    ];
    let rms = |(size, sticks, order): (usize, StickSet, &str)| {
        let model = Model::drape(scale.pick(size, 6), sticks)?;
        rms_after(&model, order, Formula::Newton, &one_substep(1), scale.pick(300, 10))
    };
    cases.into_iter().map(rms).collect()
}

/// The relative enlargement of a model.
const ENLARGED: f64 = 0.1;

/// The model without pins and larger than at rest.
fn enlarged(mut model: Model) -> Result<Model, ClaimError> {
    for particle in 0..model.particles.len() {
        let position = model.particles.position(particle);
        model.particles.set_inverse_mass(particle, 1.0)?;
        let larger = position.map(|x| (f64::from(x) * (1.0 + ENLARGED)) as f32);
        model.particles.set_position(particle, larger)?;
    }
    Ok(model)
}

fn converges_over_frames(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let free = enlarged(Model::disc(scale.pick(16, 6), StickSet::Structural)?)?;
    let step = one_substep(1);
    let weightless = Step { acceleration: [0.0; 3], ..step };
    // At the start, the rms residual is `ENLARGED`: every stick is stretched by it.
    let fraction_left = rms_after(&free, "authored", Formula::Newton, &weightless, 60)? / ENLARGED;
    let hanging = Model::drape(8, StickSet::Shear)?;
    let stretched = rms_after(&hanging, "authored", Formula::Newton, &step, scale.pick(300, 20))?;
    Ok(vec![fraction_left, stretched])
}

fn removes_stiffness(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let model = Model::drape(8, StickSet::Shear)?;
    let frames = scale.pick(300, 20);
    let soft = rms_after(&model, "authored", Formula::Newton, &one_substep(1), frames)?;
    let stiff = rms_after(&model, "authored", Formula::Exact, &one_substep(64), frames)?;
    Ok(vec![soft / stiff, soft])
}

fn closer_each_iteration(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let Model { particles, sticks, .. } =
        enlarged(Model::drape(scale.pick(16, 6), StickSet::All)?)?;
    let (mut particles, sticks) = (particles.convert::<f64>(), sticks.convert::<f64>());
    let schedule = Schedule::authored(&sticks);
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, Formula::Exact)?;
    let (start, mut largest) = (Stretch::of(&particles, &sticks).residual_rms(), 0.0_f64);
    let mut before = start;
    for _ in 0..64 {
        let _ = plan.step(&mut particles, &sticks, &in_double(&relaxation(1)))?;
        let now = Stretch::of(&particles, &sticks).residual_rms();
        largest = largest.max(now / before);
        before = now;
    }
    Ok(vec![largest, before / start])
}

fn order_decides(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((64, 360), (8, 10));
    let model = Model::drape(size, StickSet::All)?;
    let rms = |order| rms_after(&model, order, Formula::Exact, &one_substep(1), frames);
    Ok(vec![rms("authored")?, rms("sheet")?])
}

fn small_steps(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((32, 120), (8, 10));
    let model = Model::drape(size, StickSet::All)?;
    let rms = |step| rms_after(&model, "sheet", Formula::Halley, &step, frames);
    Ok(vec![rms(one_substep(8))? / rms(Step { substeps: 8, ..one_substep(1) })?])
}
