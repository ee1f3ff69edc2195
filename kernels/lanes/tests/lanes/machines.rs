//! Kernels check the number of lanes that a machine reports, and give the same bits with every
//! number of lanes.

use taut_core::Kernel;
use taut_lanes::{IndexedKernel, Machine, OneLane, Operation};

use crate::array::{ArrayMachine, step_a_sheet};

/// Reports four lanes and runs operations with one.
#[derive(Clone, Copy)]
struct WrongLanes;

impl Machine for WrongLanes {
    fn name(self) -> &'static str {
        "wrong"
    }
    fn isa(self) -> &'static str {
        "scalar"
    }
    fn lanes(self) -> usize {
        4
    }
    fn run(self, operation: impl Operation) {
        operation.run::<f32>(());
    }
}

#[test]
#[should_panic(expected = "laid out for another number of lanes")]
fn a_machine_that_reports_wrong_lanes_is_rejected() {
    step_a_sheet(&IndexedKernel::on(WrongLanes));
}

#[test]
fn registers_of_any_width_give_the_same_bits() {
    let one_lane = IndexedKernel::on(OneLane);
    let name = (Kernel::<3>::name(&one_lane), Kernel::<3>::isa(&one_lane));
    assert_eq!(name, ("one-lane", "scalar"));
    let expected = step_a_sheet(&one_lane);
    assert_eq!(expected, step_a_sheet(&IndexedKernel::on(ArrayMachine::<4>)));
    assert_eq!(expected, step_a_sheet(&IndexedKernel::on(ArrayMachine::<8>)));
    assert_eq!(expected, step_a_sheet(&IndexedKernel::on(ArrayMachine::<16>)));
}
