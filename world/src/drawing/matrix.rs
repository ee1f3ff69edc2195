//! Poses of bodies and obstacles as matrices, for renderers.

use super::{ObstacleFigure, resize_vector};
use crate::pose::BodyPose;

/// The transform from local to world coordinates, column-major as GPUs expect it: the axes, then
/// the origin. `rotation` is row-major; its columns are the axes.
fn matrix(rotation: &[[f64; 3]; 3], origin: [f64; 3]) -> [[f64; 4]; 4] {
    let axis = |j: usize| [rotation[0][j], rotation[1][j], rotation[2][j], 0.0];
    let [x, y, z] = origin;
    [axis(0), axis(1), axis(2), [x, y, z, 1.0]]
}

impl BodyPose {
    /// The pose as a column-major matrix: the axes, then the centre, m.
    ///
    /// ```
    /// use taut_world::Model;
    ///
    /// let die = Model::rigid_box([0.02; 3], 1400.0)?.moved([1.0, 2.0, 3.0]);
    /// let pose = die.bodies.all()[0].pose(&die.particles);
    /// assert_eq!(pose.matrix()[3].map(|x| x as f32), [1.0, 2.0, 3.0, 1.0]);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    #[must_use]
    pub fn matrix(&self) -> [[f64; 4]; 4] {
        matrix(&self.rotation, self.centre)
    }
}

impl<const D: usize> ObstacleFigure<'_, D> {
    /// The pose as a column-major matrix: the axes, then the origin, m. In two dimensions
    /// the matrix leaves z unchanged.
    #[must_use]
    pub fn matrix(&self) -> [[f64; 4]; 4] {
        let [x, y, z, w] = self.rotation;
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        matrix(&rotation, resize_vector(self.position))
    }
}

#[cfg(feature = "glam")]
impl From<BodyPose> for glam::DMat4 {
    fn from(pose: BodyPose) -> Self {
        Self::from_cols_array_2d(&pose.matrix())
    }
}

#[cfg(feature = "glam")]
impl<const D: usize> From<ObstacleFigure<'_, D>> for glam::DMat4 {
    fn from(figure: ObstacleFigure<'_, D>) -> Self {
        Self::from_cols_array_2d(&figure.matrix())
    }
}

#[cfg(feature = "mint")]
impl From<BodyPose> for mint::ColumnMatrix4<f64> {
    fn from(pose: BodyPose) -> Self {
        pose.matrix().into()
    }
}

#[cfg(feature = "mint")]
impl<const D: usize> From<ObstacleFigure<'_, D>> for mint::ColumnMatrix4<f64> {
    fn from(figure: ObstacleFigure<'_, D>) -> Self {
        figure.matrix().into()
    }
}
