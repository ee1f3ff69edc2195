//! A smooth noise: numbers at the corners of a cubic lattice, blended between them.

/// Numbers at the corners of a cubic lattice, somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) strength: f32,
    pub(super) per_size: f32,
    /// Where its origin is, in cells: whole ones, and the rest.
    pub(super) whole: [u32; 3],
    pub(super) rest: [f32; 3],
    pub(super) salt: u32,
}

/// Added to a number of less than 2²² in magnitude, it rounds it to the nearest whole one, which is
/// then in the last bits.
const ROUND: f32 = 12_582_912.0;

/// Places in the lattice: the cell of each, and how far along each axis of the cell it is, smoothly
/// from 0 to 1.
struct Located<const N: usize> {
    cell: [[u32; N]; 3],
    along: [[f32; N]; 3],
}

impl Lattice {
    /// By what gusts multiply the wind at a place, m.
    pub(super) fn factor(&self, place: [f32; 3]) -> f32 {
        let Located { cell, along } = self.locate(place.map(|x| [x]).each_ref());
        self.blended(cell.map(|[cell]| cell), along.map(|[along]| along))
    }

    /// The same at the places of a block.
    ///
    /// Most blocks are in one cell, or in two that are neighbours: then they have twelve corners at
    /// most, whose numbers are kept from block to block, and not eight a place to hash.
    #[inline(always)]
    pub(super) fn factors<const N: usize>(
        &self,
        corners: &mut Corners,
        places: [&[f32; N]; 3],
    ) -> [f32; N] {
        let Located { cell, along } = self.locate(places);
        let [x, y, z] = cell.map(spread_of);
        match (x, y, z) {
            (Spread::Two(x), Spread::One(y), Spread::One(z)) => {
                self.in_two::<0, N>(corners, [x, y, z], &cell, &along)
            }
            (Spread::One(x), Spread::Two(y), Spread::One(z)) => {
                self.in_two::<1, N>(corners, [x, y, z], &cell, &along)
            }
            (Spread::One(x), Spread::One(y), Spread::Two(z) | Spread::One(z)) => {
                self.in_two::<2, N>(corners, [x, y, z], &cell, &along)
            }
            _ => {
                let mut factors = [0.0; N];
                for (lane, factor) in factors.iter_mut().enumerate() {
                    let [x, y, z] = cell;
                    let [u, v, w] = along;
                    *factor =
                        self.blended([x[lane], y[lane], z[lane]], [u[lane], v[lane], w[lane]]);
                }
                factors
            }
        }
    }

    #[inline(always)]
    fn locate<const N: usize>(&self, places: [&[f32; N]; 3]) -> Located<N> {
        let mut located = Located { cell: [[0; N]; 3], along: [[0.0; N]; 3] };
        for (axis, places) in places.into_iter().enumerate() {
            for (lane, place) in places.iter().enumerate() {
                let x = place * self.per_size + self.rest[axis];
                let nearest = (x + ROUND) - ROUND;
                let floor = if nearest > x { nearest - 1.0 } else { nearest };
                // Every NaN counts as the same cell: its bits differ between instruction sets.
                let cell = floor + ROUND;
                let cell = if cell.is_nan() { 0 } else { cell.to_bits() };
                located.cell[axis][lane] = cell.wrapping_add(self.whole[axis]);
                // Where a coordinate has no fraction any more, far away, there are no gusts between.
                let f = x - floor;
                let f = if (0.0..=1.0).contains(&f) { f } else { 0.0 };
                located.along[axis][lane] = (f * f) * (3.0 - 2.0 * f);
            }
        }
        located
    }

    /// The factor between the corners of a cell.
    #[inline(always)]
    fn blended(&self, [x, y, z]: [u32; 3], along: [f32; 3]) -> f32 {
        let at = |dx: u32, dy: u32, dz: u32| {
            self.at([x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)])
        };
        let [x, y, z] = along;
        let row = |y: u32, z: u32| blend(at(0, y, z), at(1, y, z), x);
        let noise = blend(blend(row(0, 0), row(1, 0), y), blend(row(0, 1), row(1, 1), y), z);
        1.0 + self.strength * noise
    }

    /// The factors at places in the cell `first` and the next one along axis `A`: the same
    /// operations as [`blended`](Self::blended), with each place's own corners selected.
    #[inline(always)]
    fn in_two<const A: usize, const N: usize>(
        &self,
        corners: &mut Corners,
        first: [u32; 3],
        cell: &[[u32; N]; 3],
        along: &[[f32; N]; 3],
    ) -> [f32; N] {
        let numbers = corners.from(first, self);
        let mut factors = [0.0; N];
        for (lane, factor) in factors.iter_mut().enumerate() {
            let second = cell[A][lane] != first[A];
            let two = |first: f32, middle: f32, last: f32| {
                if second { [middle, last] } else { [first, middle] }
            };
            let [x, y, z] = [along[0][lane], along[1][lane], along[2][lane]];
            let row = |a: usize, b: usize| {
                let [one, other] = match A {
                    0 => two(numbers[a][b][0], numbers[a][b][1], numbers[a][b][2]),
                    _ => [numbers[a][b][0], numbers[a][b][1]],
                };
                blend(one, other, x)
            };
            let plane = |a: usize| {
                let [one, other] = match A {
                    1 => two(row(a, 0), row(a, 1), row(a, 2)),
                    _ => [row(a, 0), row(a, 1)],
                };
                blend(one, other, y)
            };
            let [one, other] = match A {
                2 => two(plane(0), plane(1), plane(2)),
                _ => [plane(0), plane(1)],
            };
            *factor = 1.0 + self.strength * blend(one, other, z);
        }
        factors
    }

    /// The numbers from a corner on.
    #[inline(never)]
    fn numbers(&self, [x, y, z]: [u32; 3]) -> Numbers {
        let from = |corner: u32, by: usize| corner.wrapping_add(by as u32);
        core::array::from_fn(|dz| {
            core::array::from_fn(|dy| {
                core::array::from_fn(|dx| self.at([from(x, dx), from(y, dy), from(z, dz)]))
            })
        })
    }

    /// The number at a corner.
    #[inline(always)]
    fn at(&self, [x, y, z]: [u32; 3]) -> f32 {
        let [x, y, z] =
            [x.wrapping_mul(SPREAD[0]), y.wrapping_mul(SPREAD[1]), z.wrapping_mul(SPREAD[2])];
        number(self.salt ^ x ^ y ^ z)
    }
}

/// In how many cells places are along an axis.
#[derive(Clone, Copy)]
enum Spread {
    /// In this one.
    One(u32),
    /// In this one and the next.
    Two(u32),
    /// In any.
    More,
}

#[inline(always)]
fn spread_of<const N: usize>(cell: [u32; N]) -> Spread {
    let first = cell.iter().fold(u32::MAX, |least, &cell| least.min(cell));
    let mut beyond = 0;
    for cell in cell {
        beyond |= cell.wrapping_sub(first);
    }
    match beyond {
        0 => Spread::One(first),
        1 => Spread::Two(first),
        _ => Spread::More,
    }
}

/// The numbers at three corners along each axis, by z, y and x.
type Numbers = [[[f32; 3]; 3]; 3];

/// How many cells have their numbers kept: a row of triangles passes some, and the next row the same.
const KEPT: usize = 8;

/// The numbers around cells that were asked for before. They are those of one lattice: use them for no
/// other.
#[derive(Clone, Copy)]
pub(super) struct Corners([Option<([u32; 3], Numbers)>; KEPT]);

impl Default for Corners {
    fn default() -> Self {
        Self([None; KEPT])
    }
}

impl Corners {
    /// The numbers from the first corner of a cell on.
    #[inline(always)]
    fn from(&mut self, first: [u32; 3], lattice: &Lattice) -> &Numbers {
        let [x, y, z] = first;
        let place = x.wrapping_add(y.wrapping_mul(3)).wrapping_add(z.wrapping_mul(5));
        let kept = &mut self.0[place as usize % KEPT];
        if kept.is_none_or(|(cell, _)| cell != first) {
            *kept = None;
        }
        let (_, numbers) = kept.get_or_insert_with(|| (first, lattice.numbers(first)));
        numbers
    }
}

#[inline(always)]
fn blend(one: f32, other: f32, along: f32) -> f32 {
    one + (other - one) * along
}

/// Odd numbers without pattern, to tell the axes apart.
const SPREAD: [u32; 3] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];

/// A permutation of the 32-bit numbers in which each bit depends on each (the finaliser of
/// `MurmurHash3`, Appleby 2011, public domain).
#[inline(always)]
pub(super) fn mixed(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 13;
    bits = bits.wrapping_mul(0xc2b2_ae35);
    bits ^ (bits >> 16)
}

/// A number in [-1, 1) of a hash.
#[inline(always)]
fn number(bits: u32) -> f32 {
    // The mantissa of a number in [2, 4).
    f32::from_bits((mixed(bits) >> 9) | 0x4000_0000) - 3.0
}
