//! The mesh that is attached to a body's four particles (figure 6 of Jakobsen 2001).

use std::ops::Range;

use taut_core::Particles;

use super::Bodies;
use crate::drawing::resize_vector;

impl<const D: usize> Bodies<D> {
    /// The positions of all vertices of all bodies, m, body by body.
    pub fn vertices(&self, particles: &Particles<D>) -> Vec<[f32; D]> {
        let mut rows = vec![[0.0; D]; self.vertex_count()];
        self.copy_vertices(particles, &mut rows);
        rows
    }

    /// Copies the positions of all vertices of all bodies, m, body by body, to `rows`. Of the `N`
    /// coordinates of a row, those beyond the dimensions of the bodies are 0. A vertex is a weighted
    /// mean of the particles of its body, computed as
    /// `x1 + c2 (x2 - x1) + c3 (x3 - x1) + c4 (x4 - x1)`, which is accurate far from the origin, too.
    ///
    /// # Panics
    /// If the number of rows is not the number of vertices.
    pub fn copy_vertices<const N: usize>(&self, particles: &Particles<D>, rows: &mut [[f32; N]]) {
        self.copy_vertices_of(0..self.all.len(), particles, rows);
    }

    /// Like [`copy_vertices`](Self::copy_vertices), for a range of bodies.
    pub(crate) fn copy_vertices_of<const N: usize>(
        &self,
        bodies: Range<usize>,
        particles: &Particles<D>,
        rows: &mut [[f32; N]],
    ) {
        let count: usize = self.all[bodies.clone()].iter().map(|body| body.vertices.len()).sum();
        assert_eq!(rows.len(), count, "each vertex needs a row");
        let [_, c2, c3, c4] = &self.weights;
        let mut rows = rows.iter_mut();
        for body in &self.all[bodies] {
            let [x1, x2, x3, x4] =
                body.particles.map(|particle| particles.position(particle as usize));
            let from_first = |x: [f32; D]| -> [f32; D] { core::array::from_fn(|i| x[i] - x1[i]) };
            let [x2, x3, x4] = [x2, x3, x4].map(from_first);
            let range = body.vertices.clone();
            let weights = c2[range.clone()].iter().zip(&c3[range.clone()]).zip(&c4[range]);
            for (((c2, c3), c4), vertex) in weights.zip(&mut rows) {
                *vertex = resize_vector::<_, D, N>(core::array::from_fn(|axis| {
                    ((c2 * x2[axis] + c3 * x3[axis]) + c4 * x4[axis]) + x1[axis]
                }));
            }
        }
    }

    /// The triangles of a range of bodies; the first vertex of the first body has the index 0.
    pub(crate) fn triangles_of(
        &self,
        bodies: Range<usize>,
    ) -> impl ExactSizeIterator<Item = [u32; 3]> {
        let all = &self.all[bodies];
        let first = all.first().map_or(0, |body| body.vertices.start as u32);
        let range = match all {
            [] => 0..0,
            [one] => one.triangles(),
            [one, .., last] => one.triangles.start..last.triangles.end,
        };
        self.triangles[range].iter().map(move |corners| corners.map(|corner| corner - first))
    }

    /// Number of vertices of all meshes.
    pub(crate) fn vertex_count(&self) -> usize {
        self.weights[0].len()
    }
}
