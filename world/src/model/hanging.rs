//! Hanging models on which kernels are compared.

use core::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_core::{Duplicates, Particles, Sheet, Sticks};

use super::checks::check_rectangle;
use super::cloth::{Diagonals, bending_of, faces};
use super::mesh::{bending_among, highest};
use super::{Model, ModelError, StickSet};

/// The distance between neighbours in the sheet, in the lattice of the disc, and along the equator of
/// the sphere, m.
const SPACING: f64 = 0.05;

impl Model {
    /// A triangle mesh that hangs from its highest particles
    /// ([`PINNED_FRACTION`](super::PINNED_FRACTION) of all, at least one; of equally high particles,
    /// those with the lowest indices). `positions` are in m, with y up; all masses are 1 kg. A regular
    /// grid is recognized as by [`from_triangles`](Self::from_triangles).
    ///
    /// # Errors
    /// If a position or triangle is not valid, or there are no sticks.
    pub fn hanging(
        positions: &[[f32; 3]],
        triangles: &[[u32; 3]],
        set: StickSet,
    ) -> Result<Self, ModelError> {
        let mut inverse_masses = vec![1.0; positions.len()];
        for particle in highest(positions) {
            inverse_masses[particle as usize] = 0.0;
        }
        let particles = Particles::new(positions, &inverse_masses)?;
        let sticks = Sticks::from_triangles(&particles, triangles, set.bending())?;
        if sticks.is_empty() {
            return Err(ModelError::NoSticks { particles: particles.len() });
        }
        let bending = bending_among(&sticks, triangles);
        let faces = triangles.to_vec().into();
        Ok(Self { faces, bending, ..Self::new(particles, sticks) }.recognize_sheet())
    }

    /// `drape`: a square sheet of `size` by `size` particles that hangs from its top row, with a
    /// slight waviness: the standard model of kernel comparisons. Particle (i, j) has the index
    /// `j size + i` and is at (0.05 i, -0.05 j, 0.001 sin(0.37 i + 0.71 j)) m. The particles of the top
    /// row are pinned, the others have a mass of 1 kg. Sticks are numbered as [`Sheet`] numbers them, with the
    /// rest lengths of the flat sheet.
    ///
    /// # Errors
    /// If `size` is below 2 (there are no sticks then) or above 4096.
    pub fn drape(size: usize, set: StickSet) -> Result<Self, ModelError> {
        check_rectangle(size, size)?;
        let mut points = Vec::with_capacity(size * size);
        let mut inverse_masses = Vec::with_capacity(size * size);
        for j in 0..size {
            for i in 0..size {
                let (column, row) = (i as f64, j as f64);
                let z = 1e-3 * libm::sin(0.37 * column + 0.71 * row);
                points.push([SPACING * column, -SPACING * row, z].map(|x| x as f32));
                inverse_masses.push(if j == 0 { 0.0 } else { 1.0 });
            }
        }
        let sheet = Sheet::new(size, size, set.families());
        let rests: Vec<f32> = sheet
            .stick_locations()
            .map(|(family, _, _)| {
                let [across, down] = family.span().map(|cells| cells as f64);
                (SPACING * libm::sqrt(across * across + down * down)) as f32
            })
            .collect();
        if rests.is_empty() {
            return Err(ModelError::NoSticks { particles: points.len() });
        }
        let particles = Particles::new(&points, &inverse_masses)?;
        let sticks = Sticks::with_rests(points.len(), &sheet.pairs(), &rests, Duplicates::Keep)?;
        let faces = faces(size, size, Diagonals::Parallel).into();
        let bending = bending_of(&sheet);
        Ok(Self { sheet: Some(sheet), faces, bending, ..Self::new(particles, sticks) })
    }

    /// `disc`: an upright disc of triangles with about `size²` particles, numbered row by row. Its
    /// inner particles are moved at random in x and in y, each by up to a quarter of their spacing, so
    /// that the mesh is irregular. It hangs from its highest particles.
    ///
    /// # Errors
    /// If `size` is too small for a triangle, or above 4096.
    pub fn disc(size: usize, set: StickSet) -> Result<Self, ModelError> {
        check_rectangle(size, size)?;
        // A triangular lattice, in units of `SPACING`: rows at a distance of `sqrt(3) / 2`, every
        // other row moved by half a spacing.
        let row_height = libm::sqrt(3.0) / 2.0;
        // A disc of this radius contains about `size²` points.
        let radius = size as f64 * libm::sqrt(row_height * 2.0 / TAU);
        let rows_to_rim = libm::ceil(radius / row_height) as i64 + 1;
        let mut random = ChaCha8Rng::seed_from_u64(0);
        // A random number from -0.25 to 0.25.
        let mut jitter = || (f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5) / 2.0;
        let mut indices = std::collections::BTreeMap::new();
        let mut points: Vec<[f32; 3]> = Vec::new();
        for row in -rows_to_rim..=rows_to_rim {
            for column in -rows_to_rim..=rows_to_rim {
                let x = column as f64 + 0.5 * (row & 1) as f64;
                let y = row as f64 * row_height;
                let from_centre = libm::hypot(x, y);
                if from_centre <= radius {
                    // The rim stays round.
                    let jitter_scale = if from_centre < radius - 1.0 { 1.0 } else { 0.0 };
                    let [x, y] = [x + jitter_scale * jitter(), y + jitter_scale * jitter()];
                    indices.insert((row, column), points.len() as u32);
                    // All particles are also moved out of the plane, by up to 0.5 % of the spacing.
                    points.push([x, y, 0.02 * jitter()].map(|x| (SPACING * x) as f32));
                }
            }
        }
        let mut triangles = Vec::new();
        for &(row, column) in indices.keys() {
            let upper_left = column - 1 + (row & 1);
            let particle_at = |row, column| indices.get(&(row, column)).copied();
            let [corner, right, up_left, up_right] = [
                particle_at(row, column),
                particle_at(row, column + 1),
                particle_at(row + 1, upper_left),
                particle_at(row + 1, upper_left + 1),
            ];
            triangles.extend(triangle(corner, right, up_right));
            triangles.extend(triangle(corner, up_right, up_left));
        }
        Self::hanging(&points, &triangles, set)
    }

    /// `sphere`: a closed sphere of `size` rings of `2 size` particles (at least 3) between its poles,
    /// with triangles of many sizes. It hangs from its highest particles.
    ///
    /// # Errors
    /// If `size` is below 1 or above 2896.
    pub fn sphere(size: usize, set: StickSet) -> Result<Self, ModelError> {
        if size == 0 {
            return Err(ModelError::NoSticks { particles: 0 });
        }
        check_rectangle(size, size.saturating_mul(2))?;
        // Number of particles of a ring.
        let around = (2 * size).max(3);
        // The length of the equator is `around` spacings.
        let radius = SPACING * around as f64 / TAU;
        let mut points: Vec<[f32; 3]> = vec![[0.0, radius as f32, 0.0]];
        for ring in 1..=size {
            let polar_angle = TAU / 2.0 * ring as f64 / (size + 1) as f64;
            for spoke in 0..around {
                let azimuth = TAU * spoke as f64 / around as f64;
                let ring_radius = radius * libm::sin(polar_angle);
                let point = [
                    ring_radius * libm::cos(azimuth),
                    radius * libm::cos(polar_angle),
                    ring_radius * libm::sin(azimuth),
                ];
                points.push(point.map(|x| x as f32));
            }
        }
        points.push([0.0, -radius as f32, 0.0]);
        let particle_at = |ring: usize, spoke: usize| match ring {
            0 => 0,
            ring if ring > size => points.len() as u32 - 1,
            ring => (1 + (ring - 1) * around + spoke % around) as u32,
        };
        let mut triangles = Vec::new();
        for ring in 0..=size {
            for spoke in 0..around {
                let [corner, right] = [particle_at(ring, spoke), particle_at(ring, spoke + 1)];
                let [below, below_right] =
                    [particle_at(ring + 1, spoke), particle_at(ring + 1, spoke + 1)];
                if ring > 0 {
                    triangles.push([corner, right, below]);
                }
                if ring < size {
                    triangles.push([right, below_right, below]);
                }
            }
        }
        Self::hanging(&points, &triangles, set)
    }
}

/// The triangle, if all its corners exist.
fn triangle(a: Option<u32>, b: Option<u32>, c: Option<u32>) -> Option<[u32; 3]> {
    Some([a?, b?, c?])
}
