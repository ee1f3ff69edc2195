//! Models with springs instead of sticks.

use taut_core::{Duplicates, Sticks};

use super::Model;
use crate::springs::{SpringError, Springs};

impl<const D: usize> Model<D> {
    /// Replaces every stick that is not torn by a spring with a stiffness, N/m, and a damping, N s/m. The
    /// rest length of the spring is the current distance between the ends of the stick. The model is
    /// then not a sheet, nothing in it tears, and springs of hidden sticks are drawn.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// let rubber = Model::rope(&[[0.0, 1.0], [0.0, 0.0]], &Rope::default())?.sprung(500.0, 0.1)?;
    /// assert_eq!((rubber.sticks.len(), rubber.springs.get(0).stiffness), (0, 500.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A value that is negative or not finite. (Creating a world checks that the step is short
    /// enough for the springs.)
    ///
    /// # Panics
    /// Never: an empty list of sticks is valid for any number of particles.
    pub fn sprung(mut self, stiffness: f32, damping: f32) -> Result<Self, SpringError> {
        let len = self.particles.len();
        let ends = self.sticks.ends().iter().enumerate();
        let ends = ends.filter(|&(stick, _)| !self.sticks.is_torn(stick)).map(|(_, &ends)| ends);
        let ends: Vec<[u32; 2]> = ends.collect();
        let springs = Springs::between(&self.particles, &ends, stiffness, damping)?;
        self.springs.extend(&springs, 0);
        self.sticks = Sticks::with_rests(len, &[], &[], Duplicates::Keep)
            .expect("an empty list of sticks is valid");
        self.sheet = None;
        self.tear_factors.clear();
        self.hidden_sticks.clear();
        self.bending.clear();
        Ok(self)
    }
}
