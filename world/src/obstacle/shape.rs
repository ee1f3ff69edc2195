//! Analytic shapes.

use core::fmt::Debug;

use super::side::Side;
use crate::drawing::ObstacleFigure;
use crate::path::Pose;

/// An analytic shape: its distance from a point has a closed form. (A mesh is not one.)
///
/// ```
/// use taut_core::Lane;
/// use taut_world::{Nearest, Pose, Shape, Side, Solid};
///
/// /// Everything below a height, m.
/// #[derive(Clone, Copy, Debug)]
/// struct Sea(f32);
///
/// impl Shape for Sea {
///     type Side = Self;
///     fn sides(&self, pose: &Pose) -> impl AsRef<[Self]> {
///         let [_, height, _] = pose.point([0.0, self.0.into(), 0.0]);
///         [Self(height as f32)]
///     }
/// }
///
/// impl Side<3> for Sea {
///     #[inline(always)]
///     fn nearest<L: Lane>(&self, [_, y, _]: [L; 3]) -> Nearest<3, L> {
///         let normal = [0.0, 1.0, 0.0].map(|along| y.constant(along));
///         Nearest { distance: y - y.constant(self.0.into()), normal }
///     }
/// }
///
/// let sea = Solid::new(Sea(0.5));
/// ```
pub trait Shape<const D: usize = 3>: Debug + Send + Sync {
    /// The type of its sides.
    type Side: Side<D>;

    /// Its sides at a pose, as an array. Each is resolved on its own.
    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]>;

    /// Its figure at a pose, for renderers. By default it is not drawn.
    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        let _ = pose;
        None
    }
}
