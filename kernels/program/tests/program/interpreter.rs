//! An interpreter of programs, and the reference, which relaxes one stick after the other.

use std::ops::Range;

use taut_core::{
    Factor, Formula, Kind, PACKET_STICKS, Particles, Real, Response, STAR_STICKS, Schedule, Sticks,
    WithFactor, relax, weight,
};
use taut_program::{Access, Program, Slots};

use crate::meshes::Mesh;
use crate::one_stick::Stick;

/// `1 / h²` of the substeps, 1/s².
pub(crate) const INVERSE_H2: f64 = 3600.0;
/// The factor by which the programs multiply particle indices.
pub(crate) const STRIDE: u32 = 3;

fn points<const D: usize, S: Real>(particles: &Particles<D, S>) -> Vec<[S; D]> {
    (0..particles.len()).map(|particle| particles.position(particle)).collect()
}

/// The arguments of one relaxation of stick `stick`, with its ends at `ends`.
fn stick_of<const D: usize, S: Real>(
    sticks: &Sticks<S>,
    stick: usize,
    ends: [[S; D]; 2],
    inverse_masses: [S; 2],
    inverse_h2: S,
) -> Stick<D, S> {
    let (kind, stiffness) = (sticks.kind(stick), sticks.stiffness(stick));
    let response = Response {
        stretched: if kind == Kind::Minimum { S::ZERO } else { stiffness },
        compressed: if kind == Kind::Maximum { S::ZERO } else { stiffness },
    };
    Stick {
        ends,
        inverse_masses,
        rest: sticks.rest(stick),
        compliance: sticks.compliance(stick),
        inverse_h2,
        response: (!sticks.is_plain(stick)).then_some(response),
    }
}

/// The reference: relaxes the sticks one by one in the order of the schedule.
pub(crate) fn relax_one_by_one<const D: usize, S: Real>(
    mesh: &Mesh<D, S>,
    schedule: &Schedule,
    formula: Formula,
    inverse_h2: f64,
) -> Vec<[S; D]> {
    let mut points = points(&mesh.particles);
    for &stick in schedule.order() {
        let ends = mesh.sticks.ends()[stick as usize].map(|end| end as usize);
        if !mesh.sticks.is_torn(stick as usize) {
            let inverse_masses = ends.map(|end| mesh.particles.inverse_masses()[end]);
            let inverse_h2 = S::from_f64(inverse_h2);
            let positions = ends.map(|end| points[end]);
            let stick =
                stick_of(&mesh.sticks, stick as usize, positions, inverse_masses, inverse_h2);
            [points[ends[0]], points[ends[1]]] = stick.relaxed(formula);
        }
    }
    points
}

/// An operation that relaxes one register: it reads all ends before it writes any.
struct RelaxRegister<'a, const D: usize, S> {
    slots: Slots<'a, S>,
    /// The indices of the register in `slots`.
    register: Range<usize>,
    /// The inverse masses of all particles.
    inverse_masses: &'a [S],
    inverse_h2: S,
    points: &'a mut [[S; D]],
}

impl<const D: usize, S: Real> WithFactor for RelaxRegister<'_, D, S> {
    type Output = ();

    fn with<F: Factor>(self) {
        let Self { slots, register, inverse_masses, inverse_h2, points } = self;
        let ends = |slot: usize| [slots.a[slot], slots.b[slot]].map(|end| (end / STRIDE) as usize);
        let relaxed: Vec<_> = register
            .clone()
            .map(|slot| {
                let [wa, wb] = ends(slot).map(|end| inverse_masses[end]);
                let non_plain = slots.non_plain.as_ref();
                let compliance = non_plain.map_or(S::ZERO, |non_plain| non_plain.compliance[slot]);
                let weight_term = match slots.weight_term {
                    [] => F::weight_term(weight([wa, wb], compliance, inverse_h2)),
                    stored => stored[slot],
                };
                let response = non_plain.map(|non_plain| Response {
                    stretched: non_plain.stretched[slot],
                    compressed: non_plain.compressed[slot],
                });
                let [a, b] = ends(slot).map(|end| points[end]);
                relax::<F, S, D>(a, b, [wa, wb], slots.rest_term[slot], weight_term, response)
            })
            .collect();
        for (slot, (a, b)) in register.zip(relaxed) {
            let [end_a, end_b] = ends(slot);
            points[end_a] = a;
            points[end_b] = b;
        }
    }
}

/// Runs a program once, with the tasks of each phase in reverse order: their order must not affect
/// the result.
pub(crate) fn run<const D: usize, S: Real>(
    program: &Program<S>,
    particles: &Particles<D, S>,
) -> Vec<[S; D]> {
    let mut points = points(particles);
    for phase in program.phases() {
        for task in phase.rev() {
            for slots in program.task(task) {
                let len = slots.a.len();
                assert_eq!(len % program.lanes(), 0, "the slots are not whole registers");
                assert_eq!([slots.b.len(), slots.rest_term.len()], [len; 2]);
                assert_eq!(slots.weight_term.is_empty(), program.formula() != Formula::Quick);
                for first in (0..len).step_by(program.lanes()) {
                    check_access(&slots, first, program.lanes(), particles);
                    program.formula().dispatch(RelaxRegister {
                        slots,
                        register: first..first + program.lanes(),
                        inverse_masses: particles.inverse_masses(),
                        inverse_h2: program.inverse_h2(),
                        points: &mut points,
                    });
                }
            }
        }
    }
    points
}

/// Checks that the register from slot `first` on has the layout that its access states, and that
/// the inverse mass stated for it is that of all its ends.
fn check_access<const D: usize, S: Real>(
    slots: &Slots<'_, S>,
    first: usize,
    lanes: usize,
    particles: &Particles<D, S>,
) {
    // The slot of stick `index` of the register, in memory order: kernels load consecutive particles
    // as rows and transpose them, so stick `q * (lanes / 4) + i` is in lane `4 * i + q`.
    let slot = |index: usize| first + 4 * (index % (lanes / 4)) + index / (lanes / 4);
    // The offset of an end of stick `index` from the same end of stick 0, in particles.
    let offset: Option<fn(u32) -> u32> = match slots.access {
        Access::Scattered | Access::TwoScattered | Access::Stars => None,
        Access::Runs => Some(|index| index),
        Access::Pairs => Some(|index| 2 * index),
        Access::InterleavedPairs => Some(|index| index / 2 * 4 + index % 2),
    };
    if let Some(offset) = offset {
        for index in 0..lanes as u32 {
            for ends in [slots.a, slots.b] {
                assert_eq!(ends[slot(index as usize)], ends[first] + STRIDE * offset(index));
            }
        }
        let difference = slots.b[first].wrapping_sub(slots.a[first]);
        assert!(slots.access != Access::Pairs || difference == STRIDE);
        assert!(
            slots.access != Access::InterleavedPairs || (difference == 2 * STRIDE && lanes >= 8)
        );
    }
    if slots.access == Access::Stars {
        // A packet of stars is one batch for each of the sticks of a star; each batch has one stick
        // of every star.
        let star_packet_slots = STAR_STICKS * PACKET_STICKS;
        assert!(
            slots.a.len().is_multiple_of(star_packet_slots),
            "the slots are not whole packets of stars"
        );
        let begin = first / star_packet_slots * star_packet_slots;
        let centres = &slots.a[begin..][..PACKET_STICKS];
        let own_centres = &centres[first % PACKET_STICKS..][..lanes];
        assert_eq!(own_centres, &slots.a[first..][..lanes], "a star has different centres");
        assert!(
            slots.b[first..][..lanes].iter().all(|end| !centres.contains(end)),
            "a second end is a centre"
        );
        let mut ends = [centres, &slots.b[begin..begin + star_packet_slots]].concat();
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(
            ends.len(),
            PACKET_STICKS + star_packet_slots,
            "stars of a packet share a particle"
        );
    }
    if slots.access == Access::TwoScattered {
        assert!(slots.a.len().is_multiple_of(2 * lanes), "a register has no partner");
        let pair_begin = first / (2 * lanes) * 2 * lanes;
        let ends = |slot: usize| {
            let slots_of_register = slot..slot + lanes;
            [&slots.a[slots_of_register.clone()], &slots.b[slots_of_register]].concat()
        };
        let (first_ends, second_ends) = (ends(pair_begin), ends(pair_begin + lanes));
        assert!(
            first_ends.iter().all(|end| !second_ends.contains(end)),
            "two registers that are relaxed together share a particle"
        );
    }
    if let Some(expected) = slots.inverse_mass {
        assert!(slots.non_plain.is_none(), "not plain, but with one inverse mass");
        for ends in [slots.a, slots.b] {
            for end in &ends[first..first + lanes] {
                assert!(particles.inverse_masses()[(end / STRIDE) as usize] == expected);
            }
        }
    }
}

/// Checks that the positions have equal [`Real::canonical_bits`].
pub(crate) fn assert_same<const D: usize, S: Real>(
    actual: &[[S; D]],
    expected: &[[S; D]],
    label: &str,
) {
    assert_eq!(actual.len(), expected.len(), "{label}: number of particles");
    for (particle, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        let same = actual.map(Real::canonical_bits) == expected.map(Real::canonical_bits);
        assert!(same, "{label}: particle {particle} is at {actual:?}, expected {expected:?}");
    }
}

/// A program with [`STRIDE`] and [`INVERSE_H2`].
pub(crate) fn program_of<const D: usize, S: Real>(
    mesh: &Mesh<D, S>,
    schedule: &Schedule,
    lanes: usize,
    formula: Formula,
) -> Program<S> {
    let Mesh { particles, sticks } = mesh;
    let mut program = Program::new(lanes, STRIDE, particles, sticks, schedule, formula).unwrap();
    program.set_inverse_h2(particles, S::from_f64(INVERSE_H2));
    program
}

/// A schedule by index: 0 authored, 1 coloured, 2 packed, 3 banded, 4 blocked, 5 starred.
pub(crate) fn schedule_of<const D: usize, S: Real>(mesh: &Mesh<D, S>, index: usize) -> Schedule {
    match index {
        0 => Schedule::authored(&mesh.sticks),
        1 => Schedule::coloured(&mesh.sticks),
        2 => Schedule::packed(&mesh.sticks),
        3 => Schedule::banded(&mesh.sticks),
        5 => Schedule::starred(&mesh.sticks),
        _ => Schedule::blocked(&mesh.particles, &mesh.sticks),
    }
}

/// Compares programs of all formulas with [`relax_one_by_one`].
pub(crate) fn check_against_reference<const D: usize, S: Real>(
    mesh: &Mesh<D, S>,
    schedule: &Schedule,
    lanes: usize,
) {
    for formula in Formula::ALL {
        let program = program_of(mesh, schedule, lanes, formula);
        assert_eq!((program.formula(), program.lanes()), (formula, lanes));
        assert_eq!(program.particles(), mesh.sticks.particles());
        let expected = relax_one_by_one(mesh, schedule, formula, INVERSE_H2);
        let label = format!("{formula}, {lanes} lanes");
        assert_same(&run(&program, &mesh.particles), &expected, &label);
    }
}
