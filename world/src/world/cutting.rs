//! Cutting: tearing sticks that a blade crosses.

use super::World;

impl World<2> {
    /// Tears all sticks that cross the blade, a segment given by its ends, m; returns how many. If a
    /// particle lies on the blade, only its sticks to one side are torn.
    ///
    /// ```
    /// use taut_core::{Duplicates, Particles, Sticks};
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, World};
    ///
    /// let rope = Particles::new(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[1.0; 3])?;
    /// let sticks = Sticks::joining(&rope, &[[0, 1], [1, 2]], Duplicates::Keep)?;
    /// let mut scene = Scene::<2>::new();
    /// scene.add("rope", Model::new(rope, sticks))?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    ///
    /// assert_eq!(world.cut([[1.5, -1.0], [1.5, 1.0]]), 1);
    /// assert!(!world.is_torn(0) && world.is_torn(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut(&mut self, blade: [[f32; 2]; 2]) -> usize {
        let [p, q] = blade.map(|point| point.map(f64::from));
        let crosses = |[a, b]: [[f64; 2]; 2]| {
            left_of([p, q], a) != left_of([p, q], b) && left_of([a, b], p) != left_of([a, b], q)
        };
        self.tear_where(crosses)
    }
}

/// Whether a point lies on or to the left of a line through two points.
fn left_of([p, q]: [[f64; 2]; 2], a: [f64; 2]) -> bool {
    (q[0] - p[0]) * (a[1] - p[1]) - (q[1] - p[1]) * (a[0] - p[0]) >= 0.0
}

impl World<3> {
    /// Tears all sticks that a moving blade crosses; returns how many. The blade is a segment, given
    /// by its ends, m, before and after the motion. It sweeps two triangles: one of both ends before
    /// the motion and the second end after it, and one of both ends after the motion and the first
    /// end before it. (For a cut by mouse the blade is a view ray.)
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::Structural)?)?; // 0.35 m wide and high
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// // Straight down between the fourth column and the fifth, through all eight rows.
    /// let torn = world.cut_swept([[0.175, 0.1, -1.0], [0.175, 0.1, 1.0]], [[0.175, -1.0, -1.0], [0.175, -1.0, 1.0]]);
    /// assert_eq!(torn, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut_swept(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize {
        let [[p, q], [r, s]] = [from, to].map(|blade| blade.map(|point| point.map(f64::from)));
        let is_cut = |ends| crosses([p, q, s], ends) || crosses([p, s, r], ends);
        self.tear_where(is_cut)
    }
}

/// Whether a segment crosses a triangle, including the edges of the triangle.
fn crosses([p, q, r]: [[f64; 3]; 3], [a, b]: [[f64; 3]; 2]) -> bool {
    let above = |point| volume([p, q, r, point]) >= 0.0;
    if above(a) == above(b) {
        return false;
    }
    let sides = [volume([a, b, p, q]), volume([a, b, q, r]), volume([a, b, r, p])];
    sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0)
}

/// Six times the signed volume of a tetrahedron, m³: positive if the first three points are
/// counter-clockwise as seen from the last.
fn volume([p, q, r, a]: [[f64; 3]; 4]) -> f64 {
    let from = |x: [f64; 3]| [x[0] - p[0], x[1] - p[1], x[2] - p[2]];
    let [[qx, qy, qz], [rx, ry, rz], [ax, ay, az]] = [from(q), from(r), from(a)];
    ax * (qy * rz - qz * ry) + ay * (qz * rx - qx * rz) + az * (qx * ry - qy * rx)
}
