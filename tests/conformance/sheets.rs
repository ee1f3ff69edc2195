//! The grid kernel rejects a set of particles that is too small for its sheet.

use taut::{AnyKernel, Duplicates, Family, Formula, Kernel, Particles, PlanError, Sheet, Sticks};

/// The required number of particles includes those without sticks, because the kernel moves them.
#[test]
fn fewer_particles_than_the_sheet_has_are_rejected() {
    let sheets = [
        (Sheet::new(2, 2, &[Family::Antidiagonal]), 3),
        (Sheet::new(1, 1, &[]), 0),
        (Sheet::new(5, 1, &[Family::Column]), 4),
    ];
    for (sheet, count) in sheets {
        let particles: Particles<3> =
            Particles::new(&vec![[0.0; 3]; count], &vec![1.0; count]).unwrap();
        let enough = Particles::<3>::new(&[[0.0; 3]; 5], &[1.0; 5]).unwrap();
        let rests = vec![1.0; sheet.pairs().len()];
        let needed = sheet.width() * sheet.height();
        let sticks = |particles| {
            Sticks::with_rests(particles, &sheet.pairs(), &rests, Duplicates::Keep).unwrap()
        };
        let schedule = sheet.schedule(&sticks(needed)).unwrap();
        let sticks = sticks(count);
        for kernel in AnyKernel::available().into_iter().filter(|kernel| kernel.runs(&schedule)) {
            let plan = |particles| kernel.plan(particles, &sticks, &schedule, Formula::Halley);
            if Kernel::<3>::name(&kernel) == "grid" {
                let expected = PlanError::TooFewParticles { needed, particles: count };
                assert_eq!(plan(&particles).err(), Some(expected), "{sheet:?}");
            }
            assert!(plan(&enough).is_ok(), "{sheet:?}");
        }
    }
}
