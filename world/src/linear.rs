//! 3 x 3 matrices in `f64`. They use only + - * / and square roots, in a fixed order, so that
//! bodies have the same bits on every machine.

use crate::vector::{add_scaled, cross, dot, length};

/// A vector.
pub(crate) type Vector = [f64; 3];
/// A matrix, by rows.
pub(crate) type Matrix = [[f64; 3]; 3];

/// Maximum number of sweeps of [`symmetric_eigen`], which converges quadratically, in about 6.
const SWEEPS_MAX: usize = 32;

/// The values of `f` for axes 0, 1 and 2.
#[inline(always)]
pub(crate) fn per_axis<T>(f: impl FnMut(usize) -> T) -> [T; 3] {
    core::array::from_fn(f)
}

/// The unit vector along `a`; None if `a` is not longer than the smallest normal number, or is NaN.
#[inline(always)]
pub(crate) fn direction(a: Vector) -> Option<Vector> {
    let length = length(a);
    (length > f64::MIN_POSITIVE).then(|| a.map(|x| x / length))
}

/// The matrix with the entries `f(row, column)`.
#[inline(always)]
pub(crate) fn matrix(mut f: impl FnMut(usize, usize) -> f64) -> Matrix {
    per_axis(|row| per_axis(|column| f(row, column)))
}

/// `a v`.
#[inline(always)]
pub(crate) fn apply(a: &Matrix, v: Vector) -> Vector {
    per_axis(|row| dot(a[row], v))
}

/// The transpose.
#[inline(always)]
pub(crate) fn transposed(a: &Matrix) -> Matrix {
    matrix(|row, column| a[column][row])
}

/// `fraction tr(a) I - a`, where tr is the trace and I the identity matrix: a `fraction` of ½ turns an
/// inertia tensor into a covariance, and 1 turns a covariance into an inertia tensor.
#[inline(always)]
pub(crate) fn trace_minus(a: &Matrix, fraction: f64) -> Matrix {
    let trace = fraction * ((a[0][0] + a[1][1]) + a[2][2]);
    matrix(|row, column| if row == column { trace - a[row][column] } else { -a[row][column] })
}

/// The inverse, by cofactors; None if the determinant is not a normal number.
pub(crate) fn inverse(a: &Matrix) -> Option<Matrix> {
    let cofactors = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    let determinant = dot(a[0], cofactors[0]);
    determinant.is_normal().then(|| matrix(|row, column| cofactors[column][row] / determinant))
}

/// Eigenvalues, largest first, and a matrix whose rows are the unit eigenvectors, right-handed. By
/// Jacobi rotations (Golub and Van Loan, "Matrix Computations", 8.5): accurate to a few ulps of the
/// largest eigenvalue.
pub(crate) fn symmetric_eigen(a: &Matrix) -> (Vector, Matrix) {
    let mut a = *a;
    let mut vectors = matrix(|row, column| if row == column { 1.0 } else { 0.0 });
    for _ in 0..SWEEPS_MAX {
        let off_diagonal = (a[0][1] * a[0][1] + a[0][2] * a[0][2]) + a[1][2] * a[1][2];
        let diagonal = (a[0][0] * a[0][0] + a[1][1] * a[1][1]) + a[2][2] * a[2][2];
        // The off-diagonal entries are at most 1e-20 of the diagonal (these are squares): rounding
        // hides them.
        if off_diagonal <= 1e-40 * diagonal {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] != 0.0 {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let [first, second] = [vectors[order[0]], vectors[order[1]]];
    (order.map(|i| a[i][i]), [first, second, cross(first, second)])
}

/// Applies to `a` and `vectors` the Jacobi rotation that makes `a[p][q]` zero.
fn rotate(a: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = 1.0 / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta < 0.0 { -t } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let rotated = |(x, y): (f64, f64)| (c * x - s * y, s * x + c * y);
    for row in a.iter_mut() {
        (row[p], row[q]) = rotated((row[p], row[q]));
    }
    for i in 0..3 {
        (a[p][i], a[q][i]) = rotated((a[p][i], a[q][i]));
        (vectors[p][i], vectors[q][i]) = rotated((vectors[p][i], vectors[q][i]));
    }
    (a[p][q], a[q][p]) = (0.0, 0.0);
}

/// The rotation nearest to `a` (least squares): its polar factor, or the best-fitting rotation if
/// `a` contains a reflection. For a zero matrix it is the identity.
pub(crate) fn nearest_rotation(a: &Matrix) -> Matrix {
    // a = U S Vᵀ with right-handed U and V: a reflection makes the smallest entry of S negative.
    let (_, v) = symmetric_eigen(&matrix(|i, j| {
        (a[0][i] * a[0][j] + a[1][i] * a[1][j]) + a[2][i] * a[2][j]
    }));
    let first = direction(apply(a, v[0])).unwrap_or(v[0]);
    let image = apply(a, v[1]);
    let orthogonal = |image: Vector| direction(add_scaled(image, -dot(image, first), first));
    // For rank 1 any rotation about `first` fits.
    let second = orthogonal(image)
        .or_else(|| orthogonal(v[1]))
        .or_else(|| orthogonal(v[2]))
        .unwrap_or([0.0; 3]);
    let u = [first, second, cross(first, second)];
    matrix(|row, column| {
        (u[0][row] * v[0][column] + u[1][row] * v[1][column]) + u[2][row] * v[2][column]
    })
}
