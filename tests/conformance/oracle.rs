//! A reference simulation in `f64`, one stick at a time, written from the documentation, not from
//! the code.

use taut::{Formula, Kind, Particles, Real, Schedule, Step, Sticks};

use crate::meshes::Mesh;

/// The positions of the particles of a mesh after some steps.
pub(crate) fn positions_after<const D: usize>(
    mesh: &Mesh<D>,
    schedule: &Schedule,
    formula: Formula,
    step: &Step<D>,
    steps: usize,
) -> Vec<[f64; D]> {
    let Mesh { particles, sticks, .. } = mesh;
    let mut position: Vec<[f64; D]> =
        (0..particles.len()).map(|particle| particles.position(particle).map(f64::from)).collect();
    let mut previous: Vec<[f64; D]> = (0..particles.len())
        .map(|particle| std::array::from_fn(|axis| f64::from(particles.previous(axis)[particle])))
        .collect();
    // The length of a substep, s.
    let h = f64::from(step.dt) / f64::from(step.substeps);
    for _ in 0..steps * step.substeps as usize {
        for particle in 0..particles.len() {
            let before = position[particle];
            if particles.inverse_masses()[particle] > 0.0 {
                for axis in 0..D {
                    let displacement = before[axis] - previous[particle][axis];
                    position[particle][axis] += displacement
                        * (-f64::from(step.damping_rate) * h).exp()
                        + f64::from(step.acceleration[axis]) * h * h;
                }
            }
            previous[particle] = before;
        }
        for _ in 0..step.iterations {
            for &stick in schedule.order() {
                relax(particles, sticks, stick as usize, formula, h, &mut position);
            }
        }
    }
    position
}

/// Relaxes one stick, in a substep of `h` s.
fn relax<const D: usize>(
    particles: &Particles<D>,
    sticks: &Sticks,
    stick: usize,
    formula: Formula,
    h: f64,
    position: &mut [[f64; D]],
) {
    let [a, b] = sticks.ends()[stick].map(|end| end as usize);
    let [wa, wb] = [a, b].map(|end| f64::from(particles.inverse_masses()[end]));
    let d: [f64; D] = std::array::from_fn(|axis| position[b][axis] - position[a][axis]);
    let length = d.iter().map(|component| component * component).sum::<f64>().sqrt();
    let rest = f64::from(sticks.rest(stick));
    let acts = match sticks.kind(stick) {
        Kind::TwoSided => true,
        Kind::Minimum => length < rest,
        Kind::Maximum => length > rest,
    };
    let has_direction = length * length >= f64::from(f32::MIN_POSITIVE);
    if sticks.is_torn(stick) || !acts || !has_direction || wa + wb == 0.0 {
        return;
    }
    let relative_correction = (length - new_length(formula, length, rest)) / length;
    let compliance_term = f64::from(sticks.compliance(stick)) / (h * h);
    // The correction of an end is `d` times `g` times the inverse mass of the end.
    let g = f64::from(sticks.stiffness(stick)) * relative_correction / (wa + wb + compliance_term);
    for axis in 0..D {
        position[a][axis] += d[axis] * wa * g;
        position[b][axis] -= d[axis] * wb * g;
    }
}

/// The length of a plain stick of length `l` and rest length `r` after one relaxation.
fn new_length(formula: Formula, l: f64, r: f64) -> f64 {
    match formula {
        Formula::Exact | Formula::Quick => r,
        Formula::Newton => 2.0 * r * r * l / (l * l + r * r),
        Formula::Halley => l * (l * l + 3.0 * r * r) / (r * r + 3.0 * l * l),
    }
}

/// The largest error of a coordinate; infinite if a position is not finite.
pub(crate) fn largest_error<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    expected: &[[f64; D]],
) -> f64 {
    let errors = expected.iter().enumerate().flat_map(|(particle, point)| {
        let position = particles.position(particle);
        (0..D).map(move |axis| (position[axis].to_f64() - point[axis]).abs())
    });
    errors.map(|error| if error.is_nan() { f64::INFINITY } else { error }).fold(0.0, f64::max)
}
