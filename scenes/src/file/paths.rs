//! Tables `path` and `spin` of obstacles and guided groups.

use serde::Deserialize;
use taut_world::{ModelError, Path, Spin};

use super::values::Vector;

/// The parameters of a [`Path`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum PathTable<const D: usize> {
    Linear { velocity: Vector<D, f64> },
    Oscillating { amplitude: Vector<D, f64>, period: f64 },
    Elliptical { radii: [Vector<D, f64>; 2], period: f64 },
    Keyframed { keys: Vec<(f64, Vector<D, f64>)> },
}

impl<const D: usize> From<PathTable<D>> for Path<D> {
    fn from(table: PathTable<D>) -> Self {
        match table {
            PathTable::Linear { velocity } => Self::Linear { velocity: velocity.into() },
            PathTable::Oscillating { amplitude, period } => {
                Self::Oscillating { amplitude: amplitude.into(), period }
            }
            PathTable::Elliptical { radii, period } => {
                Self::Elliptical { radii: radii.map(Into::into), period }
            }
            PathTable::Keyframed { keys } => {
                let keys = keys.into_iter().map(|(time, position)| (time, position.into()));
                Self::Keyframed { keys: keys.collect() }
            }
        }
    }
}

/// The parameters of [`Spin::in_plane`], and with the key `period` also of [`Spin::oscillating`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpinTable<const D: usize> {
    plane: [Vector<D, f64>; 2],
    centre: Vector<D, f64>,
    rate: f64,
    period: Option<f64>,
}

impl<const D: usize> SpinTable<D> {
    pub(super) fn spin(self) -> Result<Spin<D>, ModelError> {
        let spin = Spin::in_plane(self.plane.map(Into::into), self.centre.into(), self.rate)?;
        self.period.map_or(Ok(spin), |period| spin.oscillating(period))
    }
}
