//! Gusts: noise that modulates wind.

use crate::error::ModelError;

/// Modulation of the wind by smooth noise that moves with the wind (frozen turbulence: G. I.
/// Taylor, "The Spectrum of Turbulence", 1938). It is a stateless function of position and time,
/// and gives the same bits on every machine.
///
/// It is value noise: each corner of a cubic lattice has a value in [-1, 1), a hash of its
/// coordinates and the seed. In a cell, the values of its eight corners are interpolated smoothly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gusts {
    /// The largest change of the wind, as a fraction of the wind without gusts. Above 1, the wind can
    /// also reverse.
    pub strength: f32,
    /// The cell size of the lattice, m; a gust is about twice as long. A smaller value than
    /// [`MIN_SIZE`](Self::MIN_SIZE) is treated as `MIN_SIZE`.
    pub size: f32,
    /// The seed of the noise.
    pub seed: u64,
}

impl Gusts {
    /// The smallest size, m. (The inverse of a smaller size could be infinite, and infinity times 0
    /// is NaN.)
    pub const MIN_SIZE: f32 = 1e-6;

    /// Gusts with a strength, a size (m) and a seed.
    ///
    /// # Errors
    /// If the strength is not from 0 to 1e6, or the size is below [`MIN_SIZE`](Self::MIN_SIZE)
    /// or not finite.
    pub fn new(strength: f32, size: f32, seed: u64) -> Result<Self, ModelError> {
        let (range, expected) = (0.0..=1e6, "from 0 to 1e6");
        ModelError::check("strength", "the strength of gusts", strength.into(), range, expected)?;
        let (min, what) = (f64::from(Self::MIN_SIZE), "the size of gusts, m,");
        ModelError::check("size", what, size.into(), min.., "at least 1e-6 and finite")?;
        Ok(Self { strength, size, seed })
    }

    /// The factor by which gusts multiply the wind at a position, m, and a time, s. `velocity` is
    /// the wind velocity, m/s; the gusts move with it.
    ///
    /// ```
    /// let gusts = taut_world::Gusts { strength: 0.5, size: 2.0, seed: 1 };
    /// let now = gusts.at([1.0, 2.0, 3.0], [4.0, 0.0, 0.0], 10.0);
    /// assert!((0.5..=1.5).contains(&now));
    /// // After 1 s, the wind has moved the gust by 4 m.
    /// let later = gusts.at([5.0, 2.0, 3.0], [4.0, 0.0, 0.0], 11.0);
    /// assert!((now - later).abs() < 1e-5);
    /// ```
    pub fn at(&self, position: [f32; 3], velocity: [f32; 3], time: f64) -> f32 {
        self.lattice(velocity, time).factor(position)
    }

    /// The lattice as the wind has moved it since time 0; `velocity` in m/s, `time` in s.
    #[allow(clippy::cast_sign_loss, reason = "the lowest 32 bits identify a cell")]
    pub(super) fn lattice(&self, velocity: [f32; 3], time: f64) -> Lattice {
        let size = f64::from(self.size.max(Self::MIN_SIZE));
        let offset = velocity.map(|speed| -f64::from(speed) * time / size);
        let whole = offset.map(libm::floor);
        Lattice {
            strength: self.strength,
            inverse_size: (1.0 / size) as f32,
            whole: whole.map(|whole| whole as i64 as u32),
            fraction: core::array::from_fn(|axis| (offset[axis] - whole[axis]) as f32),
            seed_hash: mix((self.seed as u32) ^ mix((self.seed >> 32) as u32)),
        }
    }
}

/// A translated cubic lattice with a value at each corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// As in [`Gusts`].
    strength: f32,
    /// 1 / cell size, 1/m.
    inverse_size: f32,
    /// The whole part, modulo 2³², of the offset from world to lattice coordinates, in cells.
    whole: [u32; 3],
    /// The fractional part of that offset, in cells.
    fraction: [f32; 3],
    /// The hash of the seed.
    seed_hash: u32,
}

/// 1.5 · 2²³: adding it to a number of magnitude below 2²² rounds the number to an integer, which is
/// then in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;

impl Lattice {
    /// The factor of the wind at a position, m.
    #[inline(always)]
    pub(super) fn factor(&self, position: [f32; 3]) -> f32 {
        let (mut low, mut high, mut weight) = ([0; 3], [0; 3], [0.0; 3]);
        for axis in 0..3 {
            let x = position[axis] * self.inverse_size + self.fraction[axis];
            let nearest = (x + ROUND) - ROUND;
            let floor = if nearest > x { nearest - 1.0 } else { nearest };
            // A NaN gets cell 0, because the bits of NaNs differ between instruction sets.
            let cell = floor + ROUND;
            let cell = if cell.is_nan() { 0 } else { cell.to_bits() };
            let cell = cell.wrapping_add(self.whole[axis]);
            low[axis] = cell.wrapping_mul(AXIS_FACTORS[axis]);
            high[axis] = cell.wrapping_add(1).wrapping_mul(AXIS_FACTORS[axis]);
            // For a coordinate so large that `f32` has no fractional bits, or NaN, the value is that of
            // a corner.
            let f = x - floor;
            let f = if (0.0..=1.0).contains(&f) { f } else { 0.0 };
            weight[axis] = (f * f) * (3.0 - 2.0 * f);
        }
        let [x0, y0, z0] = low;
        let [x1, y1, z1] = high;
        let [x, y, z] = weight;
        let lerp = |from: f32, to: f32, weight: f32| from + (to - from) * weight;
        let corner_value = |x: u32, y: u32, z: u32| hash_to_float(self.seed_hash ^ x ^ y ^ z);
        let on_edge = |y: u32, z: u32| lerp(corner_value(x0, y, z), corner_value(x1, y, z), x);
        let noise = lerp(
            lerp(on_edge(y0, z0), on_edge(y1, z0), y),
            lerp(on_edge(y0, z1), on_edge(y1, z1), y),
            z,
        );
        1.0 + self.strength * noise
    }
}

/// Odd multipliers with irregular bits, one per axis.
const AXIS_FACTORS: [u32; 3] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];

/// A permutation of the 32-bit numbers in which each output bit depends on each input bit (the
/// finalizer of `MurmurHash3`, Appleby 2011, public domain).
#[inline(always)]
fn mix(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 13;
    bits = bits.wrapping_mul(0xc2b2_ae35);
    bits ^ (bits >> 16)
}

/// Hashes to a number in [-1, 1).
#[inline(always)]
fn hash_to_float(bits: u32) -> f32 {
    // The hash becomes the mantissa of a number in [2, 4).
    f32::from_bits((mix(bits) >> 9) | 0x4000_0000) - 3.0
}
