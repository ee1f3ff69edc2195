//! Every kernel gives the bits of the scalar kernel on the same schedule.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use taut::{
    AnyKernel, BAND_WIDTH_MAX, ColourKernel, Duplicates, Family, Formula, GridKernel, Kernel, Kind,
    LimitError, Particles, Plan, PlanError, Pool, ScalarKernel, Schedule, Sheet, Step, Sticks,
    WideKernel, WideMachine,
};

use crate::configurations::{configurations, reference};
use crate::meshes::{Mesh, Pattern, Recipe, Shape};
use crate::oracle;
use crate::runner::{Setup, any_step, for_all, rows};
use crate::values::Values;

/// The largest allowed distance from the naive `f64` simulation, m, after [`short_step`] on a mesh
/// of moderate values and up to 100 m: a few units in the last place of its coordinates.
const TOLERANCE: f64 = 1e-4;

/// Several substeps of several iterations, which run every part of a kernel.
fn short_step<const D: usize>() -> Step<D> {
    Step { substeps: 2, iterations: 2, ..Step::default() }
}

/// Asserts that all kernels agree on every schedule of a mesh with every formula.
fn assert_agree_on<const D: usize>(name: &str, mesh: &Mesh<D>)
where
    AnyKernel: Kernel<D>,
{
    for (order, schedule) in &mesh.schedules() {
        for formula in Formula::ALL {
            let setup = Setup { mesh, schedule, formula };
            let case = format!("{name}, D = {D}, {order}, {formula}");
            setup.assert_all_agree(&case, |start| start.steps(&short_step(), 1));
        }
    }
}

/// Asserts that all kernels agree on one schedule of a mesh with every formula.
fn assert_agree_in_order<const D: usize>(order: &str, recipe: &Recipe)
where
    AnyKernel: Kernel<D>,
{
    let mesh: Mesh<D> = recipe.mesh();
    let schedule = mesh.schedule(order);
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let case = format!("{recipe:?}, D = {D}, {formula}");
        setup.assert_all_agree(&case, |start| start.steps(&short_step(), 2));
    }
}

#[test]
fn kernels_agree_at_every_size_around_the_lane_counts() {
    let sizes = (0..=3 * 16 + 1).chain(63..=65).chain(127..=129);
    for (non_plain, size) in [0, 20, 100].into_iter().cycle().zip(sizes) {
        let shapes = [Shape::Pairs, Shape::Chain, Shape::Star, Shape::Unconnected];
        for shape in shapes.map(|shape| shape(size)) {
            let recipe = Recipe::of(shape, non_plain, Values::Moderate);
            let name = format!("{shape:?}, {non_plain} % not plain");
            assert_agree_on::<2>(&name, &recipe.mesh());
            assert_agree_on::<3>(&name, &recipe.mesh());
        }
    }
}

/// All formulas on the sheet's own schedule, for kernels whose lanes are columns of a sheet: widths
/// around multiples of the lanes of a register and around those at which a row takes another
/// register, heights around those of bands.
#[test]
fn kernels_agree_on_sheets_of_every_width_and_height() {
    let widths = (0..=25).chain([31, 32, 33, 34, 40, 41, 47, 48, 49, 63, 64, 65, 66, 79, 80, 81]);
    let widths = widths.chain([95, 96, 97, 98, 127, 128, 129, 1024]);
    let heights = [1, 2, 3, 9, 7, 8, 17, 4, 0, 5, 16].into_iter().cycle();
    let value_kinds =
        [Values::Uniform, Values::Moderate, Values::Uniform, Values::Extreme].into_iter().cycle();
    let non_plain_percentages = [0, 1, 30].into_iter().cycle();
    for (((width, height), values), non_plain) in
        widths.zip(heights).zip(value_kinds).zip(non_plain_percentages)
    {
        let height = if width > 100 { height.min(4) } else { height };
        for families in [Family::STRUCTURAL, Family::SHEAR, Family::BEND, &[Family::Row2]] {
            assert_agree_in_order::<2>(
                "sheet",
                &Recipe::sheet([width, height], families, non_plain, values),
            );
            assert_agree_in_order::<3>(
                "sheet",
                &Recipe::sheet([width, height], families, non_plain, values),
            );
        }
    }
    // Rows that fill their registers, with few or no sticks that are not plain.
    for values in [Values::Uniform, Values::Moderate, Values::Extreme] {
        assert_agree_in_order::<3>("sheet", &Recipe::sheet([64, 18], Family::BEND, 1, values));
        assert_agree_in_order::<3>("sheet", &Recipe::sheet([128, 3], Family::BEND, 0, values));
    }
    // Several blocks of rows; the last block has a single row, or fewer rows than a stick spans.
    for [width, height] in [[3, 65], [18, 66], [5, 140], [70, 130]] {
        assert_agree_in_order::<3>(
            "sheet",
            &Recipe::sheet([width, height], Family::BEND, 2, Values::Moderate),
        );
    }
}

/// Sheets of few and of many bands, tall and wide, for time-skewed sweeps of any depth.
#[test]
fn kernels_agree_on_sheets_after_any_number_of_substeps_and_iterations() {
    for size in [[6, 70], [16, 9], [17, 140], [40, 40], [90, 33], [BAND_WIDTH_MAX + 1, 14]] {
        let mesh: Mesh<3> = Recipe::sheet(size, Family::BEND, 3, Values::Moderate).mesh();
        let schedule = mesh.schedule("sheet");
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::default() };
        for (substeps, iterations) in
            [(1, 1), (1, 9), (2, 1), (3, 1), (9, 1), (17, 1), (5, 2), (3, 3)]
        {
            let step = Step { substeps, iterations, ..short_step() };
            let case = format!("{size:?}, {substeps} x {iterations}");
            setup.assert_all_agree(&case, |start| start.steps(&step, 2));
        }
    }
}

#[test]
fn kernels_agree_on_sheets_in_any_order() {
    for size in [[1, 1], [2, 1], [1, 9], [3, 17], [16, 8], [17, 9], [64, 3]] {
        let recipe = Recipe::sheet(size, Family::BEND, 3, Values::Uniform);
        assert_agree_on::<2>(&format!("{recipe:?}"), &recipe.mesh());
        assert_agree_on::<3>(&format!("{recipe:?}"), &recipe.mesh());
    }
}

fn assert_agree_on_any<const D: usize>(values: Values)
where
    AnyKernel: Kernel<D>,
{
    let formula = select(&Formula::ALL[..]);
    let cases = (Recipe::any(values), any::<Index>(), formula, any_step::<D>(), 1..4_usize);
    for_all(200, cases, |(recipe, index, formula, step, steps)| {
        let mesh = recipe.mesh();
        let (order, schedule) = mesh.any_schedule(index);
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        setup.assert_all_agree(order, |start| start.steps(&step, steps));
    });
}

#[test]
fn kernels_agree_on_random_meshes_of_moderate_values() {
    assert_agree_on_any::<2>(Values::Moderate);
    assert_agree_on_any::<3>(Values::Moderate);
}

#[test]
fn kernels_agree_on_random_meshes_of_extreme_values() {
    assert_agree_on_any::<2>(Values::Extreme);
    assert_agree_on_any::<3>(Values::Extreme);
}

#[test]
fn kernels_agree_on_each_type_of_stick() {
    type Change = fn(&mut Sticks, usize);
    let types: [(&str, Change); 7] = [
        ("plain", |_, _| {}),
        ("minimum", |sticks, stick| sticks.set_kind(stick, Kind::Minimum).unwrap()),
        ("maximum", |sticks, stick| sticks.set_kind(stick, Kind::Maximum).unwrap()),
        ("not stiff", |sticks, stick| sticks.set_stiffness(stick, 0.3).unwrap()),
        ("compliant", |sticks, stick| sticks.set_compliance(stick, 1e-4).unwrap()),
        ("torn", |sticks, stick| sticks.tear(stick).unwrap()),
        ("maximum, not stiff, compliant", |sticks, stick| {
            sticks.set_kind(stick, Kind::Maximum).unwrap();
            sticks.set_stiffness(stick, 0.3).unwrap();
            sticks.set_compliance(stick, 1e-4).unwrap();
        }),
    ];
    for plain in [
        Recipe::of(Shape::Graph(60, 150), 0, Values::Moderate),
        Recipe::sheet([17, 9], Family::SHEAR, 0, Values::Uniform),
    ] {
        let plain: Mesh = plain.mesh();
        let mut final_rows = Vec::new();
        for (name, change) in types {
            let mut mesh = plain.clone();
            for stick in (0..mesh.sticks.len()).filter(|stick| stick % 3 != 0) {
                change(&mut mesh.sticks, stick);
            }
            assert_agree_on(name, &mesh);
            let schedule = Schedule::coloured(&plain.sticks);
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
            let outcome = setup.start(&reference()).unwrap().steps(&short_step(), 1);
            final_rows.push(rows(&outcome.particles));
        }
        final_rows.sort_unstable();
        final_rows.dedup();
        assert_eq!(final_rows.len(), types.len(), "two types of stick give the same positions");
    }
}

#[test]
fn cloths_in_one_buffer_move_as_each_alone() {
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let cloths: [Mesh; 4] = [[9, 7], [17, 20], [2, 2], [33, 5]]
        .map(|size| Recipe::sheet(size, Family::BEND, 0, Values::Moderate).mesh());
    let mut buffer = Particles::with_capacity(0);
    let (mut pairs, mut rests, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in &cloths {
        let (first_particle, first_stick) = (buffer.len() as u32, pairs.len() as u32);
        let renumbered = |batch: &[u32]| batch.iter().map(|stick| first_stick + stick).collect();
        blocks.push(mesh.schedule("sheet").batches().map(renumbered).collect());
        let Mesh { particles, sticks, .. } = mesh;
        pairs.extend(sticks.ends().iter().map(|ends| ends.map(|end| first_particle + end)));
        rests.extend(sticks.rests());
        for (particle, &inverse_mass) in particles.inverse_masses().iter().enumerate() {
            buffer.push(particles.position(particle), inverse_mass).unwrap();
        }
    }
    let sticks = Sticks::with_rests(buffer.len(), &pairs, &rests, Duplicates::Keep).unwrap();
    let schedule = Schedule::new(&sticks, &[blocks]).unwrap();
    let all = Mesh { particles: buffer, sticks, sheet: None, copies: 1 };
    for formula in Formula::ALL {
        let mut alone = Vec::new();
        for mesh in &cloths {
            let setup = Setup { mesh, schedule: &mesh.schedule("sheet"), formula };
            alone.extend(rows(&setup.start(&reference()).unwrap().steps(&step, 5).particles));
        }
        let setup = Setup { mesh: &all, schedule: &schedule, formula };
        let together =
            setup.assert_all_agree("cloths in one buffer", |start| start.steps(&step, 5));
        assert!(rows(&together.particles) == alone, "{formula}");
    }
}

/// All formulas, for the kernel with one copy per lane: numbers of copies around multiples of the
/// lanes of a register and of a group of registers, copies with equal and with different masses and
/// rest lengths, meshes of fewer and of more particles than the kernel transposes together.
#[test]
fn kernels_agree_on_any_number_of_copies() {
    let shapes = [Shape::Chain(1), Shape::Chain(9), Shape::Grid(5, 7), Shape::Chain(2)];
    let value_kinds = [Values::Uniform, Values::Moderate, Values::Extreme].into_iter().cycle();
    let non_plain_percentages = [0, 0, 0, 0, 2, 30].into_iter().cycle();
    let counts = (2..=18).chain([23, 24, 25, 31, 32, 33, 47, 48, 49, 65, 129]);
    let choices = shapes.into_iter().cycle().zip(value_kinds).zip(non_plain_percentages);
    for (copies, ((shape, values), non_plain)) in counts.zip(choices) {
        assert_agree_in_order::<2>("copies", &Recipe::copies(shape, copies, non_plain, values));
        assert_agree_in_order::<3>("copies", &Recipe::copies(shape, copies, non_plain, values));
    }
}

#[test]
fn copies_move_as_each_alone() {
    let step = Step { substeps: 3, iterations: 2, ..Step::default() };
    let copies = 21;
    for values in [Values::Uniform, Values::Moderate] {
        let all: Mesh = Recipe::copies(Shape::Grid(6, 5), copies, 5, values).mesh();
        let schedule = all.schedule("copies");
        let schedule_of_one = schedule.copies().unwrap().one();
        let setup = Setup { mesh: &all, schedule: &schedule, formula: Formula::Halley };
        let together =
            rows(&setup.assert_all_agree("copies", |start| start.steps(&step, 4)).particles);
        let [particles, sticks] =
            [all.particles.len(), all.sticks.len()].map(|total| total / copies);
        for copy in 0..copies {
            let own: Vec<u32> =
                (copy * sticks..(copy + 1) * sticks).map(|stick| stick as u32).collect();
            let mesh = Mesh { sticks: all.sticks.selected(&own).unwrap(), ..all.clone() };
            let schedule = Schedule::new(&mesh.sticks, &schedule_of_one.to_phases()).unwrap();
            let setup = Setup { mesh: &mesh, schedule: &schedule, ..setup };
            let alone = rows(&setup.start(&reference()).unwrap().steps(&step, 4).particles);
            let range = copy * particles..(copy + 1) * particles;
            assert!(alone[range.clone()] == together[range], "copy {copy}");
        }
    }
}

#[test]
fn kernels_are_close_to_the_naive_oracle() {
    fn check<const D: usize>()
    where
        AnyKernel: Kernel<D>,
    {
        let cases = (Recipe::any(Values::Moderate), any::<Index>());
        for_all(60, cases, |(recipe, order)| {
            let mesh: Mesh<D> = recipe.mesh();
            let (order, schedule) = mesh.any_schedule(order);
            for formula in Formula::ALL {
                let expected = oracle::positions_after(&mesh, &schedule, formula, &short_step(), 2);
                let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
                let outcome = setup.assert_all_agree(order, |start| start.steps(&short_step(), 2));
                let error = oracle::largest_error(&outcome.particles, &expected);
                assert!(error <= TOLERANCE, "{formula}, {order}: off by {error} m");
            }
        });
    }
    check::<2>();
    check::<3>();
}

#[test]
fn the_scalar_kernel_in_f64_equals_the_oracle_except_for_rounding() {
    for recipe in [
        Recipe::sheet([9, 8], Family::BEND, 0, Values::Moderate),
        Recipe::of(Shape::Graph(50, 120), 100, Values::Moderate),
    ] {
        let mesh: Mesh = recipe.mesh();
        let schedule = Schedule::coloured(&mesh.sticks);
        let step = short_step::<3>();
        let step64 = Step::<3, f64> {
            dt: f64::from(step.dt),
            acceleration: step.acceleration.map(f64::from),
            damping_rate: f64::from(step.damping_rate),
            substeps: step.substeps,
            iterations: step.iterations,
        };
        for formula in Formula::ALL {
            let expected = oracle::positions_after(&mesh, &schedule, formula, &step, 5);
            let (mut particles, sticks) =
                (mesh.particles.convert::<f64>(), mesh.sticks.convert::<f64>());
            let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, formula).unwrap();
            for _ in 0..5 {
                assert!(plan.step(&mut particles, &sticks, &step64).unwrap().finite);
            }
            let error = oracle::largest_error(&particles, &expected);
            // The square root of `Quick` is approximate in any number type.
            let tolerance = if formula == Formula::Quick { 3e-5 } else { 1e-12 };
            assert!(error <= tolerance, "{formula}: off by {error} m");
        }
    }
}

#[test]
fn in_other_dimensions_kernels_agree_or_return_a_typed_error() {
    fn outcome<const D: usize>(kernel: &impl Kernel<D>) -> Result<Particles<D>, PlanError> {
        let mesh: Mesh<D> = Recipe::sheet([5, 4], Family::BEND, 20, Values::Extreme).mesh();
        let schedule = mesh.schedule("sheet");
        let Mesh { mut particles, sticks, .. } = mesh;
        let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
        for _ in 0..2 {
            let _ = plan.step(&mut particles, &sticks, &short_step()).unwrap();
        }
        Ok(particles)
    }
    fn assert_agree<const D: usize>(kernel: &impl Kernel<D>) {
        match outcome(kernel) {
            Ok(particles) => assert!(rows(&particles) == rows(&outcome(&ScalarKernel).unwrap())),
            Err(error) => assert_eq!(error, PlanError::Dimensions { dimensions: D }),
        }
    }
    // One machine is enough, because kernels reject these dimensions before they use it; each further
    // one would add half a minute to the build of these tests.
    fn check<const D: usize>() {
        let wide = WideKernel::on(WideMachine);
        assert_agree::<D>(&wide);
        assert_agree::<D>(&ColourKernel::new(wide, Pool::new(2).unwrap()));
        assert_agree::<D>(&GridKernel::on(WideMachine));
    }
    check::<1>();
    check::<4>();
}

#[test]
fn a_plan_rejects_a_schedule_of_other_sticks() {
    // Both meshes have 25 particles.
    for (recipe, order) in [
        (Recipe::sheet([5, 5], Family::SHEAR, 0, Values::Uniform), "sheet"),
        (Recipe::copies(Shape::Chain(4), 5, 0, Values::Uniform), "copies"),
    ] {
        let mesh: Mesh = recipe.mesh();
        let schedule = mesh.schedule(order);
        let Mesh { particles, sticks, .. } = mesh;
        let mut pairs = sticks.ends().to_vec();
        pairs[7].reverse();
        let different = Sticks::with_rests(25, &pairs, sticks.rests(), Duplicates::Keep).unwrap();
        let too_few = Particles::new(&[[0.0; 3]; 24], &[1.0; 24]).unwrap();
        for configuration in
            configurations().iter().filter(|configuration| configuration.kernel.runs(&schedule))
        {
            let error_of = |particles, sticks| {
                configuration.kernel.plan(particles, sticks, &schedule, Formula::Halley).err()
            };
            assert_eq!(error_of(&particles, &sticks), None, "{order}");
            assert_eq!(
                error_of(&particles, &different),
                Some(PlanError::OtherSchedule { stick: 7 })
            );
            let expected = PlanError::TooFewParticles { needed: 25, particles: 24 };
            assert_eq!(error_of(&too_few, &sticks), Some(expected));
        }
    }
}

/// The grid pads each row to a multiple of 16 slots. Above 1 << 22 slots, it accepts at most four
/// per particle.
#[test]
fn the_grid_rejects_a_sheet_that_is_mostly_padding() {
    let error_of = |width: usize, height: usize| {
        let points: Vec<[f32; 2]> =
            (0..width * height).map(|i| [(i % width) as f32, (i / width) as f32]).collect();
        let particles = Particles::new(&points, &vec![1.0; points.len()]).unwrap();
        let sheet = Sheet::new(width, height, &[Family::Column]);
        let sticks = Sticks::joining(&particles, &sheet.pairs(), Duplicates::Keep).unwrap();
        let schedule = sheet.schedule(&sticks).unwrap();
        let grid = AnyKernel::named("grid").unwrap();
        grid.plan(&particles, &sticks, &schedule, Formula::Halley).err()
    };
    let rows_max = (1 << 22) / 16;
    assert_eq!(error_of(1, rows_max), None);
    let error = error_of(1, rows_max + 1);
    let Some(error @ PlanError::Limit(LimitError { requested, limit, .. })) = error else {
        panic!("a sheet of one column and too many rows is not rejected");
    };
    assert_eq!((requested, limit), (16 * (rows_max as u128 + 1), 1 << 22));
    assert!(error.to_string().ends_with("at most 4194304; use another kernel"), "{error}");
    assert_eq!(
        error_of(4, rows_max + 1),
        None,
        "a sheet with at most four slots per particle was rejected"
    );
}

#[test]
fn the_kernel_for_copies_rejects_few_copies_of_a_large_mesh() {
    let error_of = |particles: usize| {
        let shapes = vec![Shape::Chain(1), Shape::Unconnected(particles - 2)];
        let of_one_stick = Recipe::copies(Shape::Chain(1), 2, 0, Values::Uniform);
        let recipe = Recipe { pattern: Pattern::Copies(shapes, 2), ..of_one_stick };
        let mesh: Mesh = recipe.mesh();
        let copies = AnyKernel::named("copies").unwrap();
        let schedule = mesh.schedule("copies");
        copies.plan(&mesh.particles, &mesh.sticks, &schedule, Formula::Halley).err()
    };
    let particles_max = (1 << 22) / 16;
    assert_eq!(error_of(particles_max), None);
    let Some(PlanError::Limit(LimitError { requested, limit, .. })) = error_of(particles_max + 1)
    else {
        panic!("two copies of a large mesh are not rejected");
    };
    assert_eq!((requested, limit), (16 * (particles_max as u128 + 1), 1 << 22));
}
