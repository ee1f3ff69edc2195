//! A picture, and the rectangle in which two differ.

/// A picture without transparency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// In sRGB, row by row from the top.
    pub pixels: Vec<[u8; 3]>,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Picture {
    /// The colour of a pixel.
    ///
    /// # Panics
    /// If there is no such pixel.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width, "there is no pixel {x} in a row");
        self.pixels[(y * self.width + x) as usize]
    }

    /// The whole picture.
    pub(crate) fn whole(&self) -> Patch {
        Patch { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// The smallest rectangle with all pixels that differ from a picture of the same size; one pixel if
    /// none differ.
    pub(crate) fn changed(&self, before: &Self) -> Patch {
        let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
        let both = self.pixels.iter().zip(&before.pixels).enumerate();
        for (at, _) in both.filter(|(_, (now, then))| now != then) {
            let at = [at as u32 % self.width, at as u32 / self.width];
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        if low[0] == u32::MAX {
            return Patch { left: 0, top: 0, width: 1, height: 1 };
        }
        Patch {
            left: low[0],
            top: low[1],
            width: high[0] - low[0] + 1,
            height: high[1] - low[1] + 1,
        }
    }

    /// The numbers of the pixels of a rectangle, row by row.
    pub(crate) fn within(&self, patch: Patch) -> impl Iterator<Item = usize> + use<> {
        let width = self.width;
        (patch.top..patch.top + patch.height).flat_map(move |y| {
            (patch.left..patch.left + patch.width).map(move |x| (y * width + x) as usize)
        })
    }
}
