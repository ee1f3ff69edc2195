//! Small sheets get the same bits on the grid kernel and on the scalar kernel. These sheets are
//! small enough for Miri (`scripts/miri.sh`), which checks that raw pointers follow the aliasing
//! rules. The conformance tests compare more sizes, on every instruction set and on several threads.

use taut_core::{
    Duplicates, Family, Formula, Kernel, Particles, Plan, Schedule, Sheet, Step, Sticks,
};
use taut_grid::GridKernel;
use taut_lanes::OneLane;
use taut_scalar::ScalarKernel;

const ROWS: usize = 4;

/// A sheet of all families that is pinned at one corner.
fn cloth(columns: usize) -> (Particles<3>, Sticks, Schedule) {
    let points: Vec<[f32; 3]> = (0..columns * ROWS)
        .map(|p| [0.1 * (p % columns) as f32, -0.1 * (p / columns) as f32, 0.01 * p as f32])
        .collect();
    let inverse_masses: Vec<f32> =
        (0..columns * ROWS).map(|p| f32::from(u8::from(p > 0))).collect();
    let particles = Particles::new(&points, &inverse_masses).unwrap();
    let sheet = Sheet::new(columns, ROWS, Family::BEND);
    let sticks = Sticks::joining(&particles, &sheet.pairs(), Duplicates::Keep).unwrap();
    let schedule = sheet.schedule(&sticks).unwrap();
    (particles, sticks, schedule)
}

/// Runs a step, a session that moves a particle, and a step after the change of a mass. Returns the
/// bits of the positions.
fn run(kernel: &impl Kernel<3>, columns: usize) -> Vec<[u32; 3]> {
    let (mut particles, sticks, schedule) = cloth(columns);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley).unwrap();
    let step = Step { substeps: 3, ..Step::default() };
    assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);

    let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
    session.integrate();
    let moved = session.position(5).map(|x| x + 0.05);
    session.set_position(5, moved);
    session.relax(2);
    assert!(session.finish().finite);

    particles.set_inverse_mass(7, 0.5).unwrap();
    assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
    (0..particles.len()).map(|p| particles.position(p).map(f32::to_bits)).collect()
}

#[test]
fn a_huge_sheet_without_columns_takes_no_memory() {
    let mut particles = Particles::<3>::new(&[], &[]).unwrap();
    let sticks = Sticks::with_rests(0, &[], &[], Duplicates::Keep).unwrap();
    let schedule = Sheet::new(0, usize::MAX, Family::BEND).schedule(&sticks).unwrap();
    let plan = GridKernel::on(OneLane).plan(&particles, &sticks, &schedule, Formula::Halley);
    assert!(plan.unwrap().step(&mut particles, &sticks, &Step::default()).unwrap().finite);
}

/// A narrow sheet, with rows of 3 registers, and a wide one, with rows padded from 7 registers to
/// 8.
#[test]
fn small_sheets_have_the_bits_of_the_scalar_kernel() {
    for columns in [3, 7] {
        assert_eq!(
            run(&GridKernel::on(OneLane), columns),
            run(&ScalarKernel, columns),
            "{columns} columns"
        );
    }
}
