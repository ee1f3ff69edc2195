//! Formulas as printed in the articles, **wrong on purpose**: each function has the error of its
//! source, so that the claims in [`misprint`](super) can show its effect. Do not use them.
//!
//! The corrected forms are Taut's own: [`relax`](taut::relax) and [`verlet`](taut::verlet).

/// A point, m.
pub type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn plus(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

fn times(a: Point, by: f64) -> Point {
    a.map(|x| x * by)
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross([ax, ay, az]: Point, [bx, by, bz]: Point) -> Point {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// Jakobsen's stick with a square root. Wrong: both signs; the ends move apart.
pub fn stick_with_root([x1, x2]: [Point; 2], restlength: f64) -> [Point; 2] {
    let delta = minus(x2, x1);
    let deltalength = dot(delta, delta).sqrt();
    let diff = (deltalength - restlength) / deltalength;
    [minus(x1, times(delta, 0.5 * diff)), plus(x2, times(delta, 0.5 * diff))]
}

/// Jakobsen's stick with masses. Wrong: both signs.
pub fn stick_with_masses(
    [x1, x2]: [Point; 2],
    [invmass1, invmass2]: [f64; 2],
    restlength: f64,
) -> [Point; 2] {
    let delta = minus(x2, x1);
    let deltalength = dot(delta, delta).sqrt();
    let diff = (deltalength - restlength) / (deltalength * (invmass1 + invmass2));
    [minus(x1, times(delta, invmass1 * diff)), plus(x2, times(delta, invmass2 * diff))]
}

/// The approximated stick of the book chapter, a reprint of Jakobsen's article. Wrong: the signs of
/// `x1 += d; x2 -= d` suit the form with a square root, whose factor is positive for a stretched
/// stick; the factor of this form is negative. (The signs in the article itself are right.)
pub fn approximated_stick([x1, x2]: [Point; 2], r: f64) -> [Point; 2] {
    let d = minus(x2, x1);
    let d = times(d, r * r / (dot(d, d) + r * r) - 0.5);
    [plus(x1, d), minus(x2, d)]
}

/// The stick with masses of the book chapter. Wrong: it divides by `dl`, which is never set; the
/// length is in `dlen`. Here `dl` is 0.
pub fn chapter_stick_with_masses(
    [x1, x2]: [Point; 2],
    [invmass1, invmass2]: [f64; 2],
    r: f64,
) -> [Point; 2] {
    let d = minus(x2, x1);
    let dlen = dot(d, d).sqrt();
    let dl = 0.0;
    let f = (dlen - r) / (dl * (invmass1 + invmass2));
    [plus(x1, times(d, invmass1 * f)), minus(x2, times(d, invmass2 * f))]
}

/// The number of steps of 16 ms that are due, and the time left over, ms. Wrong: the elapsed time
/// is `lastTime - currentTime`, which is negative.
pub fn backward_clock(last_time: f64, current_time: f64, left_over: f64) -> (f64, f64) {
    let elapsed = last_time - current_time + left_over;
    let timesteps = (elapsed / 16.0).floor();
    (timesteps, elapsed - timesteps * 16.0)
}

/// The number of steps of 16 ms that are due, and the time left over, ms. Wrong: it subtracts the
/// number of steps from the elapsed time, not their length.
pub fn clock_subtracting_step_count(
    last_time: f64,
    current_time: f64,
    left_over: f64,
) -> (f64, f64) {
    let elapsed = current_time - last_time + left_over;
    let timesteps = (elapsed / 16.0).floor();
    (timesteps, elapsed - timesteps)
}

/// A coordinate after a Verlet step. Wrong: it adds half of the acceleration, which is right for
/// the velocity at the start of the step; but the difference of two positions is the velocity half
/// a step earlier, and needs the whole acceleration.
pub fn verlet_with_half(x: f64, last_x: f64, acc: f64, timestep_squared: f64) -> f64 {
    let vel = x - last_x;
    x + vel + 0.5 * acc * timestep_squared
}

/// The wind's force on the three particles of a triangle. Wrong: each gets the force of the
/// whole triangle.
pub fn wind_forces([p1, p2, p3]: [Point; 3], direction: Point) -> [Point; 3] {
    let normal = cross(minus(p2, p1), minus(p3, p1));
    let d = times(normal, 1.0 / dot(normal, normal).sqrt());
    let force = times(normal, dot(d, direction));
    [force, force, force]
}
