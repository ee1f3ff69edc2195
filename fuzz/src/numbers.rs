//! Arbitrary numbers: most are ordinary, some are at or beyond a limit of the library.

use arbitrary::Arbitrary;

/// A float: mostly a multiple of 1/4096 from -8 to 8.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Number(i16);

impl Number {
    /// Values at or beyond limits of the library or of the type.
    const EXTREMES: [f32; 16] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -0.0,
        1.0,
        1e-9,
        1e9,
        1e12,
        -1e12,
        2e12,
        1e20,
        -1e30,
        1e3,
    ];

    /// The value.
    pub fn value(self) -> f32 {
        if self.0 < 0x7e00 {
            f32::from(self.0) / 4096.0
        } else {
            Self::EXTREMES[usize::from(self.0 as u16) % Self::EXTREMES.len()]
        }
    }
}

/// The index of an item in a list; rarely an index beyond its end.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Index(u16);

impl Index {
    /// The index for a list of this length; from `length` on there is no item.
    pub fn of(self, length: usize) -> usize {
        match self.0 {
            0xfff0..=0xfff7 => length,
            0xfff8..=0xfffb => length + 1,
            0xfffc | 0xfffd => 1 << 32,
            0xfffe => usize::MAX / 2,
            0xffff => usize::MAX,
            other => usize::from(other) % length.max(1),
        }
    }
}

/// A small count; rarely one above all limits of the library.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Count(u8);

impl Count {
    /// The count: 1 to `most`, or rarely a huge one.
    pub fn up_to(self, most: u8) -> usize {
        match self.0 {
            254 => 1 << 40,
            255 => usize::MAX,
            other => 1 + usize::from(other % most),
        }
    }
}
