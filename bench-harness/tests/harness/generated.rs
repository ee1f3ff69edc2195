//! Made by the test `snippets`, which says how: what a tuning prints, as functions.

use taut::{Particles, Sticks};

use crate::snippets::{Instance, Outcome};

pub(crate) const INSTANCES: [Instance; 9] = [
    scalar_1_authored_exact,
    wide_1_coloured_rcm_newton,
    pulp_1_packed_hilbert_quick,
    wide_2_banded_rcm_halley,
    pulp_2_blocked_hilbert_halley,
    grid_1_sheet_halley,
    pulp_1_sheet_hilbert_halley,
    copies_1_blocked_quick,
    copies_2_packed_rcm_halley,
];

fn scalar_1_authored_exact(mut particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let schedule = Schedule::authored(&sticks);
    let kernel = AnyKernel::named("scalar")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Exact)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(particles.hash())
}

fn wide_1_coloured_rcm_newton(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
    let (mut particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = Schedule::coloured(&sticks);
    let kernel = AnyKernel::named("wide")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Newton)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.undo(&particles).hash())
}

fn pulp_1_packed_hilbert_quick(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let renumbering = Renumbering::hilbert(&particles);
    let (mut particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = Schedule::packed(&sticks);
    let kernel = AnyKernel::named("pulp")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Quick)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.undo(&particles).hash())
}

fn wide_2_banded_rcm_halley(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let schedule = Schedule::banded(&sticks);
    let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
    let (mut particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = schedule.renumbered(&sticks)?;
    let kernel = AnyKernel::named("wide")?.on_threads(taut::Pool::new(2)?);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.undo(&particles).hash())
}

fn pulp_2_blocked_hilbert_halley(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let schedule = Schedule::blocked(&particles, &sticks);
    let renumbering = Renumbering::hilbert(&particles);
    let (mut particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = schedule.renumbered(&sticks)?;
    let kernel = AnyKernel::named("pulp")?.on_threads(taut::Pool::new(2)?);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.undo(&particles).hash())
}

fn grid_1_sheet_halley(mut particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let sheet = Sheet::new(12, 12, Family::ALL);
    let schedule = sheet.schedule(&sticks)?;
    let kernel = AnyKernel::named("grid")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(particles.hash())
}

fn pulp_1_sheet_hilbert_halley(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use taut::prelude::*;

    let sheet = Sheet::new(12, 12, Family::ALL);
    let schedule = sheet.schedule(&sticks)?;
    let renumbering = Renumbering::hilbert(&particles);
    let (mut particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = schedule.renumbered(&sticks)?;
    let kernel = AnyKernel::named("pulp")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.undo(&particles).hash())
}

fn copies_1_blocked_quick(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use std::iter::repeat_n;
    use taut::prelude::*;

    let schedule = Schedule::blocked(&particles, &sticks);
    let mut particles = Particles::side_by_side(repeat_n(&particles, 5))?;
    let sticks = Sticks::side_by_side(repeat_n(&sticks, 5))?;
    let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, 5))?;
    let kernel = AnyKernel::named("copies")?;
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Quick)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(particles.hash())
}

fn copies_2_packed_rcm_halley(particles: Particles<3>, sticks: Sticks) -> Outcome {
    use std::iter::repeat_n;
    use taut::prelude::*;

    let schedule = Schedule::packed(&sticks);
    let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
    let (particles, sticks) = renumbering.apply(&particles, &sticks);
    let schedule = schedule.renumbered(&sticks)?;
    let mut particles = Particles::side_by_side(repeat_n(&particles, 18))?;
    let sticks = Sticks::side_by_side(repeat_n(&sticks, 18))?;
    let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, 18))?;
    let kernel = AnyKernel::named("copies")?.on_threads(taut::Pool::new(2)?);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley)?;
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    let status = plan.step(&mut particles, &sticks, &step)?;
    assert!(status.finite);
    Ok(renumbering.repeated(18).undo(&particles).hash())
}
