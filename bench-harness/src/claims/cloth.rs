//! What many sticks do together.

use taut::world::{Scene, StickSet};
use taut::{Formula, Step};

use super::run::{iterations, or_infinite, rms_after, run};
use super::{Bound, Check, Claim, ClaimError, Judge, Scale, Source};
use crate::twins::relaxation;

/// What looks like cloth, not like rubber: an rms stretch of 10 %.
const NICE: Bound = Bound::AtMost(0.1);

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "one-iteration",
        said: "for most pieces of cloth only one iteration is necessary to obtain nicely looking \
               animation",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::pure("rms stretch, 8 x 8, articles' order", NICE),
            Check::pure("rms stretch, 16 x 16, articles' order", NICE),
            Check::pure("rms stretch, 32 x 32, articles' order", NICE),
            Check::pure("rms stretch, 64 x 64, articles' order", NICE),
            Check::pure("rms stretch, 64 x 64, the sheet's own order", NICE),
        ],
        judge: Judge::All,
        measure: one_iteration,
        how: "Hanging sheets with all sticks and the articles' approximation, one iteration a \
              frame of 1/60 s, after 300 frames. Nice is an rms stretch of 10 % at most.",
        command: "taut stability --sizes 8,16,32,64 --sticks all --formulas newton \
                  --schedules authored,sheet",
    },
    Claim {
        name: "converges-over-frames",
        said: "the constraints are not satisfied after one iteration only, but the system will \
               quickly converge to the correct state over some frames",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::pure(
                "share of the rms stretch left after 30 frames, no gravity",
                Bound::AtMost(0.1),
            ),
            Check::pure("rms stretch after 300 frames, gravity", Bound::AtMost(0.01)),
        ],
        judge: Judge::All,
        measure: converges_over_frames,
        how: "A sheet of 16 x 16 with all sticks in the articles' order, the approximation, one \
              iteration a frame: once blown up by 20 % and left alone, once hanging. What pulls \
              on it in every frame is never quite caught up with.",
        command: "taut accuracy --size 16 --iterations 1 --frames 300 --parts frames \
                  --formulas newton --schedules authored",
    },
    Claim {
        name: "removes-stiffness",
        said: "using only one iteration and approximating the square root removes the stiffness \
               that appears otherwise",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[Check::pure(
            "rms stretch, one iteration of `newton` over 64 of `exact`",
            Bound::AtLeast(2.0),
        )],
        judge: Judge::All,
        measure: removes_stiffness,
        how: "A hanging sheet of 16 x 16 with all sticks after 300 frames, either way. The \
              softness is the stretch that is left.",
        command: "taut accuracy --size 16 --parts effort --formulas exact,newton",
    },
    Claim {
        name: "closer-each-iteration",
        said: "each time we reiterate, the set of links become closer and closer to all being \
               solved",
        source: Source::Ragdolls,
        section: "Step 5: Link Constraints",
        checks: &[
            Check::pure(
                "largest ratio of the rms stretch to that an iteration before",
                Bound::AtMost(1.0),
            ),
            Check::pure("share of the rms stretch left after 64 iterations", Bound::AtMost(0.1)),
        ],
        judge: Judge::All,
        measure: closer_each_iteration,
        how: "A sheet of 16 x 16 blown up by 20 %, relaxed in the articles' order by `exact`; \
              nothing moves but by its sticks.",
        command: "taut accuracy --size 16 --parts iterations --formulas exact --schedules authored",
    },
    Claim {
        name: "order-decides",
        said: "some orders explode: one iteration a frame that the sheet's own order bears blows \
               up in the articles' order",
        source: Source::Taut,
        section: "README; Schedule::authored",
        checks: &[
            Check::pure("rms stretch, articles' order", Bound::AtLeast(10.0)),
            Check::pure("rms stretch, the sheet's own order", Bound::AtMost(1.0)),
        ],
        judge: Judge::All,
        measure: order_decides,
        how: "A hanging sheet of 64 x 64 with all sticks, `exact`, one iteration a frame, after \
              360 frames.",
        command: "taut stability --sizes 64 --sticks all --formulas exact \
                  --schedules authored,sheet",
    },
    Claim {
        name: "small-steps",
        said: "n substeps of one iteration leave less stretch than one step of n iterations",
        source: Source::Taut,
        section: "docs/method.md",
        checks: &[Check::pure("rms stretch, 8 iterations over 8 substeps", Bound::AtLeast(2.0))],
        judge: Judge::All,
        measure: small_steps,
        how: "A hanging sheet with all sticks in its own order by `halley`, after 120 frames.",
        command: "taut accuracy --parts effort --formulas halley --schedules sheet",
    },
];

fn one_iteration(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let cases =
        [(8, "authored"), (16, "authored"), (32, "authored"), (64, "authored"), (64, "sheet")];
    let rms = |(size, order): (usize, &str)| {
        let scene = Scene::drape(scale.pick(size, 8), StickSet::All)?;
        rms_after(&scene, order, Formula::Newton, &iterations(1), scale.pick(300, 10))
    };
    cases.into_iter().map(rms).collect()
}

/// A sheet without pins, larger than at rest by a fifth.
fn blown_up(size: usize) -> Result<Scene, ClaimError> {
    let mut scene = Scene::drape(size, StickSet::All)?;
    for particle in 0..scene.particles.len() {
        let place = scene.particles.position(particle);
        scene.particles.set_inverse_mass(particle, 1.0)?;
        scene.particles.set_position(particle, place.map(|x| 1.2 * x))?;
    }
    Ok(scene)
}

fn converges_over_frames(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, once) = (scale.pick(16, 6), iterations(1));
    let alone = Step { acceleration: [0.0; 3], ..once };
    let left = rms_after(&blown_up(size)?, "authored", Formula::Newton, &alone, 30)? / 0.2;
    let hanging = Scene::drape(size, StickSet::All)?;
    let pulled = rms_after(&hanging, "authored", Formula::Newton, &once, scale.pick(300, 20))?;
    Ok(vec![left, pulled])
}

fn removes_stiffness(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((16, 300), (6, 20));
    let scene = Scene::drape(size, StickSet::All)?;
    let soft = rms_after(&scene, "authored", Formula::Newton, &iterations(1), frames)?;
    let stiff = rms_after(&scene, "authored", Formula::Exact, &iterations(64), frames)?;
    Ok(vec![soft / stiff])
}

fn closer_each_iteration(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (mut before, mut largest) = (0.2, 0.0_f64);
    let scene = blown_up(scale.pick(16, 6))?;
    run(&scene, "authored", Formula::Exact, &relaxation(1), 64, |_, stretch| {
        largest = largest.max(stretch.rms / before);
        before = stretch.rms;
    })?;
    Ok(vec![or_infinite(largest), or_infinite(before / 0.2)])
}

fn order_decides(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((64, 360), (8, 10));
    let scene = Scene::drape(size, StickSet::All)?;
    let rms = |order| rms_after(&scene, order, Formula::Exact, &iterations(1), frames);
    Ok(vec![rms("authored")?, rms("sheet")?])
}

fn small_steps(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((32, 120), (8, 10));
    let scene = Scene::drape(size, StickSet::All)?;
    let rms = |step| rms_after(&scene, "sheet", Formula::Halley, &step, frames);
    Ok(vec![rms(iterations(8))? / rms(Step { substeps: 8, ..iterations(1) })?])
}
