//! The mesh that is fastened to a body's four particles (figure 6 of Jakobsen 2001).

use taut_core::Particles;

use super::Bodies;

/// Where the vertices of all bodies are, m: columns, body by body.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    columns: [Vec<f32>; 3],
}

impl Vertices {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns[0].is_empty()
    }

    /// One column, m.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn along(&self, axis: usize) -> &[f32] {
        &self.columns[axis]
    }

    /// Where a vertex is, m.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn position(&self, vertex: usize) -> [f32; 3] {
        self.columns.each_ref().map(|column| column[vertex])
    }
}

impl Bodies {
    /// Where all vertices of all bodies are.
    pub fn vertices(&self, particles: &Particles<3>) -> Vertices {
        let mut vertices = Vertices::default();
        self.recompute(particles, &mut vertices);
        vertices
    }

    /// Where all vertices of all bodies are now, in one pass; takes no memory if there were as many
    /// before. A vertex is `x1 + c2 (x2 - x1) + c3 (x3 - x1) + c4 (x4 - x1)`: `c1 x1 + c2 x2 +
    /// c3 x3 + c4 x4` for weights whose sum is 1, and as exact far from the origin.
    pub fn recompute(&self, particles: &Particles<3>, vertices: &mut Vertices) {
        let [_, c2, c3, c4] = &self.weights;
        for (axis, column) in vertices.columns.iter_mut().enumerate() {
            column.resize(c2.len(), 0.0);
            let x = particles.positions(axis);
            for body in &self.all {
                let [x1, x2, x3, x4] = body.particles.map(|particle| x[particle as usize]);
                let [x2, x3, x4] = [x2 - x1, x3 - x1, x4 - x1];
                let of = body.vertices.clone();
                let weights = c2[of.clone()].iter().zip(&c3[of.clone()]).zip(&c4[of.clone()]);
                for (vertex, ((c2, c3), c4)) in column[of].iter_mut().zip(weights) {
                    *vertex = ((c2 * x2 + c3 * x3) + c4 * x4) + x1;
                }
            }
        }
    }
}
