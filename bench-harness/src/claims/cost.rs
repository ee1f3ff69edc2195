//! The cost of a frame.

use taut::world::{Arrangement, Model, StickSet};
use taut::{AnyKernel, Formula, ScalarKernel, Tally};

use super::run::{one_substep, rms_after};
use super::{Bound, Check, Claim, ClaimError, Scale, Source, VerdictRule};
use crate::comparison::{Baselines, Comparison, Configuration};
use crate::row::Row;
use crate::scenario::kernels_for;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "exact-cost",
        quote: "the time usage is N square root operations and N divisions, N the number of edges",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("divisions per stick and iteration", Bound::Exactly(1.0)),
            Check::dimensionless("square roots per stick and iteration", Bound::Exactly(1.0)),
        ],
        rule: VerdictRule::All,
        measure: |scale| operations_per_stick(scale, Formula::Exact),
        method: "The source of the formula, run on numbers that count their operations.",
        command: "taut compare --size 64 --iterations 1 --formulas exact --schedules sheet",
    },
    Claim {
        name: "n-divisions",
        quote: "a clever trick makes it possible to reduce this to N divisions per frame update: \
                per constraint zero square roots and one division only",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("divisions per stick and iteration", Bound::Exactly(1.0)),
            Check::dimensionless("square roots per stick and iteration", Bound::Exactly(0.0)),
        ],
        rule: VerdictRule::All,
        measure: |scale| operations_per_stick(scale, Formula::Newton),
        method: "The source of the formula, run on numbers that count their operations.",
        command: "taut compare --size 64 --iterations 1 --formulas newton --schedules sheet",
    },
    Claim {
        name: "zero-divisions",
        quote: "`quick` has neither division nor root, and the length of `exact`",
        source: Source::Taut,
        section: "Formula",
        checks: &[
            Check::dimensionless("divisions per stick and iteration", Bound::Exactly(0.0)),
            Check::dimensionless("square roots per stick and iteration", Bound::Exactly(0.0)),
            Check::dimensionless(
                "rms residual of a sheet over that by `exact`",
                Bound::Between(0.99, 1.01),
            ),
        ],
        rule: VerdictRule::All,
        measure: zero_divisions,
        method: "Counted as for `exact-cost`; then the same sheet with each formula, 120 frames of \
              8 iterations.",
        command: "taut compare --size 32 --formulas quick,exact --schedules sheet",
    },
    Claim {
        name: "time-is-divisions",
        quote: "the time usage in the cloth simulation depends mostly on the N square root \
                operations and the N divisions performed",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless(
                "share of the time saved by a formula without divisions and roots, authored order",
                Bound::AtLeast(0.5),
            ),
            Check::dimensionless(
                "share of the time saved by another order alone, with all divisions and roots",
                Bound::AtMost(0.1),
            ),
        ],
        rule: VerdictRule::All,
        measure: time_is_divisions,
        method: "The scalar kernel three times, interleaved: `exact` and `quick` in the authored \
              order, and `exact` in the order `coloured`. The time is mostly latency: each stick \
              waits for the result of the previous one.",
        command: "taut compare --size 64 --kernels scalar --formulas exact,quick \
                  --schedules authored,coloured",
    },
    Claim {
        name: "trick-pays",
        quote: "getting rid of the square root operation is a speed-up",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("time of `exact` over `newton`, scalar", Bound::AtLeast(1.05)),
            Check::dimensionless(
                "time of `exact` over `newton`, the fastest kernel",
                Bound::AtLeast(1.05),
            ),
        ],
        rule: VerdictRule::All,
        measure: trick_pays,
        method: "Both formulas, interleaved: the scalar kernel in the authored order, and the \
              fastest kernel in the order `sheet`. A difference below 5 % counts as noise.",
        command: "taut compare --size 64 --formulas exact,newton --schedules authored,sheet",
    },
    Claim {
        name: "not-much-faster",
        quote: "N divisions per frame: one might argue that it probably can't get much faster",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("speedup, the same formula on a sheet", Bound::AtMost(2.0)),
            Check::dimensionless("speedup, the same formula on any mesh", Bound::AtMost(2.0)),
        ],
        rule: VerdictRule::All,
        measure: not_much_faster,
        method: "One thread, `newton`, so N divisions in every case: the fastest kernel in a good \
              order against the scalar kernel in the authored order. Much faster is more than \
              twice as fast.",
        command: "taut compare --size 128 --formulas newton",
    },
    Claim {
        name: "same-bits",
        quote: "every kernel gives the same bits on the same schedule",
        source: Source::Taut,
        section: "README",
        checks: &[Check::dimensionless(
            "number of different results of all kernels",
            Bound::Exactly(1.0),
        )],
        rule: VerdictRule::All,
        measure: same_bits,
        method: "A sheet in the order `sheet` on every kernel and instruction set of this machine; \
              the number of different hashes of the final positions.",
        command: "taut compare --size 64 --schedules sheet",
    },
];

fn operations_per_stick(scale: Scale, formula: Formula) -> Result<Vec<f64>, ClaimError> {
    let Model { particles, sticks, .. } = Model::drape(scale.pick(64, 8), StickSet::All)?;
    let Tally { divisions, square_roots, .. } =
        taut_scalar::count_operations(&particles, &sticks, formula);
    Ok([divisions, square_roots].map(|count| count as f64 / sticks.len() as f64).to_vec())
}

fn zero_divisions(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let mut values = operations_per_stick(scale, Formula::Quick)?;
    let model = Model::drape(scale.pick(32, 8), StickSet::All)?;
    let rms = |formula| rms_after(&model, "sheet", formula, &one_substep(8), scale.pick(120, 20));
    values.push(rms(Formula::Quick)? / rms(Formula::Exact)?);
    Ok(values)
}

/// Runs the configurations on a model; returns their rows, in the same order.
fn compare(
    scale: Scale,
    model: Model,
    configurations: &[(AnyKernel, Formula, &str)],
) -> Result<Vec<Row>, ClaimError> {
    let configuration = |(kernel, formula, arrangement): &(AnyKernel, Formula, &str)| {
        let arrangement: Arrangement = arrangement.parse()?;
        Ok(Configuration { kernel: kernel.clone(), formula: *formula, arrangement })
    };
    let comparison = Comparison {
        model,
        copies: 1,
        step: one_substep(8),
        warmup: scale.pick(8, 1),
        frames: scale.pick(24, 2),
        repeats: 1,
        configurations: configurations
            .iter()
            .map(configuration)
            .collect::<Result<_, ClaimError>>()?,
        baselines: Baselines::default(),
    };
    // Without the textbook loop, which is always the first row.
    Ok(comparison.run(|_| ())?.split_off(1))
}

fn scalar() -> AnyKernel {
    AnyKernel::Scalar(ScalarKernel)
}

fn time_is_divisions(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let model = Model::drape(scale.pick(64, 8), StickSet::All)?;
    let configurations = [
        (scalar(), Formula::Exact, "authored"),
        (scalar(), Formula::Quick, "authored"),
        (scalar(), Formula::Exact, "coloured"),
    ];
    let rows = compare(scale, model, &configurations)?;
    let fraction_saved = |row: &Row| 1.0 - row.frame_us_median / rows[0].frame_us_median;
    Ok(rows[1..].iter().map(fraction_saved).collect())
}

fn trick_pays(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let model = Model::drape(scale.pick(64, 8), StickSet::All)?;
    let configurations = |formula| {
        let mut configurations = vec![(scalar(), formula, "authored")];
        let kernels = kernels_for(crate::Order::Sheet);
        configurations.extend(kernels.into_iter().map(|kernel| (kernel, formula, "sheet")));
        configurations
    };
    let (exact, newton) = (configurations(Formula::Exact), configurations(Formula::Newton));
    let rows = compare(scale, model, &[exact.clone(), newton].concat())?;
    let (exact, newton) = rows.split_at(exact.len());
    let fastest = |rows: &[Row]| {
        rows.iter().map(|row| row.frame_us_median).min_by(f64::total_cmp).unwrap_or(f64::NAN)
    };
    let scalar_ratio = exact[0].frame_us_median / newton[0].frame_us_median;
    Ok(vec![scalar_ratio, fastest(&exact[1..]) / fastest(&newton[1..])])
}

fn not_much_faster(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let size = scale.pick(128, 8);
    let models = [
        (Model::drape(size, StickSet::All)?, "sheet"),
        (Model::disc(size, StickSet::All)?, "starred/rcm"),
    ];
    let mut values = Vec::new();
    for (model, arrangement) in models {
        let order = arrangement.parse::<Arrangement>()?.order;
        let mut configurations = vec![(scalar(), Formula::Newton, "authored")];
        let kernels = kernels_for(order).into_iter();
        configurations.extend(kernels.map(|kernel| (kernel, Formula::Newton, arrangement)));
        let rows = compare(scale, model, &configurations)?;
        let speedups = rows.iter().map(|row| rows[0].frame_us_median / row.frame_us_median);
        values.push(speedups.max_by(f64::total_cmp).unwrap_or(f64::NAN));
    }
    Ok(values)
}

fn same_bits(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let model = Model::drape(scale.pick(64, 9), StickSet::All)?;
    let kernels = AnyKernel::available().into_iter().filter(|kernel| !kernel.is_for_copies());
    let configurations: Vec<_> = kernels.map(|kernel| (kernel, Formula::Halley, "sheet")).collect();
    let rows = compare(scale, model, &configurations)?;
    let mut hashes: Vec<u64> = rows.iter().map(|row| row.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    Ok(vec![hashes.len() as f64])
}
