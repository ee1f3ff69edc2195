//! Poses of obstacles as functions of time, computed in `f64` with the crate `libm`.

use core::f64::consts::TAU;

use taut_core::{COORDINATE_MAX, Lane};

use crate::drawing::{FigureShape, ObstacleFigure, rotation_of};
use crate::error::ModelError;
use crate::vector::{constants, cross, difference, dot, length, perpendicular};

/// The displacement of an obstacle as a function of time.
///
/// ```
/// use taut_world::Path;
///
/// // The ball of Mosegaard's tutorial moves back and forth through the cloth.
/// let path = Path::Oscillating { amplitude: [0.0, 0.0, 7.0], period: 5.0 };
/// assert_eq!(path.offset(0.0), [0.0; 3]);
/// assert!((path.offset(1.25)[2] - 7.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Path<const D: usize = 3> {
    /// No motion.
    #[default]
    Still,
    /// `velocity t`.
    Linear {
        /// Velocity, m/s.
        velocity: [f64; D],
    },
    /// `amplitude sin(2 π t / period)`.
    Oscillating {
        /// Amplitude, m.
        amplitude: [f64; D],
        /// Period, s, from 1e-9 to 1e12.
        period: f64,
    },
    /// `a cos(2 π t / period) + b sin(2 π t / period)`: a circle or an ellipse around the position
    /// that the obstacle has without a path.
    Elliptical {
        /// `a` and `b`, m.
        radii: [[f64; D]; 2],
        /// Period, s, from 1e-9 to 1e12.
        period: f64,
    },
    /// Linear interpolation between keys; constant before the first and after the last.
    Keyframed {
        /// Ascending times, s, with offsets, m. At least one key.
        keys: Vec<(f64, [f64; D])>,
    },
}

/// Checks that a value is finite, and at most 1e12 in magnitude.
fn check_magnitude(key: &'static str, what: &'static str, value: f64) -> Result<(), ModelError> {
    ModelError::check(key, what, value, -COORDINATE_MAX..=COORDINATE_MAX, "from -1e12 to 1e12")?;
    Ok(())
}

/// Checks that the coordinates of a point, or the components of a vector, are finite and at most
/// 1e12 in magnitude.
pub(crate) fn check_point<const D: usize>(
    key: &'static str,
    what: &'static str,
    point: [f64; D],
) -> Result<(), ModelError> {
    point.into_iter().try_for_each(|x| check_magnitude(key, what, x))
}

impl<const D: usize> Path<D> {
    /// The displacement at `time`, s, in m.
    pub fn offset(&self, time: f64) -> [f64; D] {
        match self {
            Self::Still => [0.0; D],
            Self::Linear { velocity } => velocity.map(|v| v * time),
            Self::Oscillating { amplitude, period } => {
                let sine = libm::sin(TAU * (time / period));
                amplitude.map(|a| a * sine)
            }
            Self::Elliptical { radii: [a, b], period } => {
                let (sine, cosine) = libm::sincos(TAU * (time / period));
                core::array::from_fn(|axis| a[axis] * cosine + b[axis] * sine)
            }
            Self::Keyframed { keys } => {
                let next = keys.partition_point(|(key_time, _)| *key_time <= time);
                let (before, after) = (next.checked_sub(1).map(|i| keys[i]), keys.get(next));
                match (before, after) {
                    (Some((from, a)), Some(&(to, b))) => {
                        let fraction = (time - from) / (to - from);
                        core::array::from_fn(|axis| a[axis] + (b[axis] - a[axis]) * fraction)
                    }
                    (Some((_, nearest)), None) | (None, Some(&(_, nearest))) => nearest,
                    (None, None) => [0.0; D],
                }
            }
        }
    }

    /// The path itself, if its values are valid.
    pub(crate) fn checked(self) -> Result<Self, ModelError> {
        match &self {
            Self::Still => {}
            Self::Linear { velocity } => {
                check_point("velocity", "the velocity of a path, m/s,", *velocity)?;
            }
            Self::Oscillating { amplitude, period } => {
                check_point("amplitude", "the amplitude of a path, m,", *amplitude)?;
                check_period(*period)?;
            }
            Self::Elliptical { radii, period } => {
                for &radius in radii {
                    check_point("radii", "a radius of a path, m,", radius)?;
                }
                check_period(*period)?;
            }
            Self::Keyframed { keys } => {
                let keys_of_path = "the number of keys of a path";
                ModelError::check("keys", keys_of_path, keys.len() as f64, 1.0.., "at least 1")?;
                let mut last = f64::NEG_INFINITY;
                for &(time, offset) in keys {
                    let must = "finite and after the previous key";
                    let what = "the time of a key of a path, s,";
                    if time <= last {
                        let key = "keys";
                        return Err(ModelError::OutOfRange { key, what, value: time, must });
                    }
                    ModelError::check("keys", what, time, .., must)?;
                    check_point("keys", "the offset of a key of a path, m,", offset)?;
                    last = time;
                }
            }
        }
        Ok(self)
    }
}

fn check_period(period: f64) -> Result<(), ModelError> {
    let what = "the period of a path or spin, s,";
    ModelError::check("period", what, period, 1e-9..=1e12, "from 1e-9 to 1e12")?;
    Ok(())
}

/// A rotation of an obstacle at a constant rate, or back and forth.
///
/// ```
/// use taut_world::Spin;
///
/// // Half a turn a second about the vertical through the origin.
/// let spin = Spin::about([0.0, 1.0, 0.0], [0.0; 3], core::f64::consts::PI)?;
/// // In two dimensions: from the x axis towards the y axis, at 2 rad/s.
/// let wheel = Spin::in_plane([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], 2.0)?;
/// // Back and forth in 4 s.
/// let swing = wheel.oscillating(4.0)?;
/// assert_eq!(wheel.angle(0.5), 1.0);
/// assert!(swing.angle(2.0).abs() < 1e-12 && swing.angle(3.0) < -1.0);
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin<const D: usize = 3> {
    /// Perpendicular unit vectors: the rotation is from the first towards the second.
    plane: [[f64; D]; 2],
    /// The centre of rotation, m.
    centre: [f64; D],
    /// The angular velocity at time 0, rad/s.
    rate: f64,
    /// The period of a rotation back and forth, s; None if the rate is constant.
    period: Option<f64>,
}

/// The unit vector along `a`, or an error if `a` is not finite, shorter than 1e-12 or longer than 1e12.
/// `what` names the length of `a`.
pub(crate) fn checked_unit<const D: usize>(
    key: &'static str,
    what: &'static str,
    a: [f64; D],
) -> Result<[f64; D], ModelError> {
    let length = ModelError::check(key, what, length(a), ..=COORDINATE_MAX, "at most 1e12")?;
    ModelError::check(key, what, length, 1e-12.., "at least 1e-12")?;
    Ok(a.map(|x| x / length))
}

/// The coordinate axes.
pub(crate) fn coordinate_axes<const D: usize>() -> [[f64; D]; D] {
    core::array::from_fn(|row| core::array::from_fn(|axis| f64::from(u8::from(row == axis))))
}

/// Orthonormal axes, of which y (index 1) is the unit vector `up`.
pub(crate) fn axes_along<const D: usize>(up: [f64; D]) -> [[f64; D]; D] {
    // Replaces the coordinate axis nearest to `up` by `up`, and orthogonalizes the other axes
    // (Gram-Schmidt).
    let mut axes: [[f64; D]; D] = coordinate_axes();
    axes.sort_by(|a, b| dot(*b, up).abs().total_cmp(&dot(*a, up).abs()));
    axes[0] = up;
    for index in 1..D {
        let mut axis = axes[index];
        for other in &axes[..index] {
            axis = perpendicular(axis, *other);
        }
        let length = length(axis);
        axes[index] = axis.map(|x| x / length);
    }
    axes.swap(0, 1);
    axes
}

impl<const D: usize> Spin<D> {
    /// A rotation in the plane of two directions, from the first towards the second, about
    /// `centre`, m, at `rate`, rad/s.
    ///
    /// # Errors
    /// A value that is not finite or above 1e12 in magnitude; directions that are shorter than 1e-12,
    /// longer than 1e12 or parallel (the sine of the angle between them is below 1e-6).
    pub fn in_plane(
        [a, b]: [[f64; D]; 2],
        centre: [f64; D],
        rate: f64,
    ) -> Result<Self, ModelError> {
        check_point("centre", "the centre of a spin, m,", centre)?;
        check_magnitude("rate", "the rate of a spin, rad/s,", rate)?;
        let a = checked_unit("plane", "the length of the first direction of a spin", a)?;
        let b = checked_unit("plane", "the length of the second direction of a spin", b)?;
        let cosine = dot(a, b);
        let perpendicular_part = core::array::from_fn(|axis| b[axis] - a[axis] * cosine);
        // With a smaller sine, rounding would leave an angle that is not a right one.
        let what = "the sine of the angle between the directions of a spin";
        let sine = length(perpendicular_part);
        let sine = ModelError::check("plane", what, sine, 1e-6.., "at least 1e-6")?;
        let b = perpendicular_part.map(|x| x / sine);
        Ok(Self { plane: [a, b], centre, rate, period: None })
    }

    /// The same rotation back and forth with a period, s: the angle is
    /// `rate period / (2 π) sin(2 π t / period)`. The rate is then the largest angular velocity,
    /// which the rotation has at time 0.
    ///
    /// # Errors
    /// A period that is not from 1e-9 to 1e12 s.
    pub fn oscillating(self, period: f64) -> Result<Self, ModelError> {
        check_period(period)?;
        Ok(Self { period: Some(period), ..self })
    }

    /// The angle at a time, s, in rad.
    pub fn angle(&self, time: f64) -> f64 {
        match self.period {
            None => self.rate * time,
            Some(period) => self.rate * (period / TAU) * libm::sin(TAU * (time / period)),
        }
    }
}

impl Spin {
    /// A rotation about an axis through `centre`, m, counter-clockwise as seen from the tip of the
    /// axis, at `rate`, rad/s.
    ///
    /// # Errors
    /// A value that is not finite or above 1e12 in magnitude; an axis that is shorter than 1e-12 or
    /// longer than 1e12.
    pub fn about(axis: [f64; 3], centre: [f64; 3], rate: f64) -> Result<Self, ModelError> {
        let [x, y, z] = checked_unit("axis", "the length of the axis of a spin", axis)?;
        // Perpendicular to the axis and to the coordinate axis farthest from it.
        let a = if x.abs() <= y.abs() && x.abs() <= z.abs() {
            [0.0, z, -y]
        } else if y.abs() <= z.abs() {
            [-z, 0.0, x]
        } else {
            [y, -x, 0.0]
        };
        let b = cross([x, y, z], a);
        Self::in_plane([a, b], centre, rate)
    }
}

/// The pose of an obstacle at a time: a rotation about a centre, then a translation.
///
/// ```
/// use taut_world::{Path, Pose};
///
/// let path = Path::Linear { velocity: [2.0, 0.0, 0.0] };
/// let pose = Pose::new(&path, None, 0.5);
/// assert_eq!(pose.point([0.0, 1.0, 0.0]), [1.0, 1.0, 0.0]);
/// assert_eq!(pose.point_to_local([1.0, 1.0, 0.0]), [0.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize = 3> {
    /// Rotation matrix, by rows.
    rotation: [[f64; D]; D],
    /// Centre of rotation before the translation, m.
    centre: [f64; D],
    /// Translation after the rotation, m.
    translation: [f64; D],
}

impl<const D: usize> Pose<D> {
    /// The pose at a time, s.
    pub fn new(path: &Path<D>, spin: Option<&Spin<D>>, time: f64) -> Self {
        let identity = |row, column| f64::from(u8::from(row == column));
        let matrix = |entry: &dyn Fn(usize, usize) -> f64| {
            core::array::from_fn(|row| core::array::from_fn(|column| entry(row, column)))
        };
        let (rotation, centre) = match spin {
            None => (matrix(&identity), [0.0; D]),
            Some(spin @ Spin { plane: [a, b], centre, .. }) => {
                let (sine, cosine) = libm::sincos(spin.angle(time));
                let entry = |row: usize, column: usize| {
                    let symmetric = a[row] * a[column] + b[row] * b[column];
                    let antisymmetric = b[row] * a[column] - a[row] * b[column];
                    (identity(row, column) + symmetric * (cosine - 1.0)) + antisymmetric * sine
                };
                (matrix(&entry), *centre)
            }
        };
        Self { rotation, centre, translation: path.offset(time) }
    }

    /// Maps a direction from obstacle to world coordinates.
    #[must_use]
    #[inline]
    pub fn direction(&self, d: [f64; D]) -> [f64; D] {
        self.rotation.map(|row| dot(row, d))
    }

    /// Maps a direction from world to obstacle coordinates.
    #[must_use]
    #[inline]
    pub fn direction_to_local(&self, d: [f64; D]) -> [f64; D] {
        core::array::from_fn(|column| dot(self.rotation.map(|row| row[column]), d))
    }

    /// Maps a point from obstacle to world coordinates, m.
    #[must_use]
    #[inline]
    pub fn point(&self, p: [f64; D]) -> [f64; D] {
        let from_centre = core::array::from_fn(|axis| p[axis] - self.centre[axis]);
        let rotated = self.direction(from_centre);
        let centre = self.world_centre();
        core::array::from_fn(|axis| rotated[axis] + centre[axis])
    }

    /// Maps a point from world to obstacle coordinates, m.
    #[must_use]
    #[inline]
    pub fn point_to_local(&self, x: [f64; D]) -> [f64; D] {
        let centre = self.world_centre();
        let rotated = self.direction_to_local(core::array::from_fn(|axis| x[axis] - centre[axis]));
        core::array::from_fn(|axis| rotated[axis] + self.centre[axis])
    }

    /// The figure of a shape; `origin`, m, and the orthonormal `axes` are those of the shape in obstacle
    /// coordinates.
    pub(crate) fn figure<'a>(
        &self,
        shape: FigureShape<'a, D>,
        origin: [f64; D],
        axes: [[f64; D]; D],
    ) -> ObstacleFigure<'a, D> {
        let rotation = rotation_of(axes.map(|axis| self.direction(axis)));
        ObstacleFigure { shape, position: self.point(origin), rotation }
    }

    /// The centre of rotation in world coordinates, m.
    fn world_centre(&self) -> [f64; D] {
        core::array::from_fn(|axis| self.centre[axis] + self.translation[axis])
    }
}

/// The displacement of the points of an obstacle in a substep: `matrix (x - centre) + translation`,
/// m, for the point that is at `x` at the end of the substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displacement<const D: usize> {
    /// None if the obstacle does not rotate.
    matrix: Option<[[f32; D]; D]>,
    /// Centre of rotation at the end of the substep, m.
    centre: [f32; D],
    /// Displacement of the centre of rotation in the substep, m.
    translation: [f32; D],
}

impl<const D: usize> Displacement<D> {
    /// The displacement of an obstacle that has the pose `before` at the beginning of a substep and
    /// `after` at its end.
    pub(crate) fn between(before: &Pose<D>, after: &Pose<D>) -> Self {
        // The point of the obstacle that is at x after the substep was at `before(after⁻¹(x))`.
        let entry = |row: usize, column: usize| {
            let identity = f64::from(u8::from(row == column));
            (identity - dot(before.rotation[row], after.rotation[column])) as f32
        };
        let matrix =
            || core::array::from_fn(|row| core::array::from_fn(|column| entry(row, column)));
        let translation = |axis: usize| (after.translation[axis] - before.translation[axis]) as f32;
        Self {
            matrix: (before.rotation != after.rotation).then(matrix),
            centre: after.world_centre().map(|x| x as f32),
            translation: core::array::from_fn(translation),
        }
    }

    /// Whether all points have the same displacement.
    pub(crate) fn is_uniform(&self) -> bool {
        self.matrix.is_none()
    }

    /// The displacement, m, of the point that is at `x` after the substep.
    #[inline(always)]
    pub(crate) fn at<L: Lane>(&self, x: [L; D]) -> [L; D] {
        let mut displacement = constants(x[0], self.translation);
        if let Some(matrix) = self.matrix {
            let from_centre = difference(x, constants(x[0], self.centre));
            for (component, row) in displacement.iter_mut().zip(matrix) {
                *component = dot(constants(x[0], row), from_centre) + *component;
            }
        }
        displacement
    }
}
