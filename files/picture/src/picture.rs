//! A picture, and the rectangle in which two pictures differ.

/// A picture without transparency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The pixels in sRGB, row by row from the top.
    pub pixels: Vec<[u8; 3]>,
}

/// A rectangle of pixels; `left` and `top` are counted from the upper left corner of the picture.
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
        assert!(x < self.width, "x is {x}, but the width is {}", self.width);
        self.pixels[(y * self.width + x) as usize]
    }

    /// The whole picture.
    pub(crate) fn whole_patch(&self) -> Patch {
        Patch { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// The smallest rectangle that contains all pixels that differ from `before`, a picture of the
    /// same size. A single pixel if none differs, because formats have no empty rectangles.
    pub(crate) fn changed_patch(&self, before: &Self) -> Patch {
        let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
        let pairs = self.pixels.iter().zip(&before.pixels).enumerate();
        for (index, _) in pairs.filter(|(_, (now, then))| now != then) {
            let pixel = [index as u32 % self.width, index as u32 / self.width];
            for axis in 0..2 {
                low[axis] = low[axis].min(pixel[axis]);
                high[axis] = high[axis].max(pixel[axis]);
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

    /// The indices of the pixels of a rectangle, row by row.
    pub(crate) fn indices(&self, patch: Patch) -> impl Iterator<Item = usize> + use<> {
        let width = self.width;
        (patch.top..patch.top + patch.height).flat_map(move |y| {
            (patch.left..patch.left + patch.width).map(move |x| (y * width + x) as usize)
        })
    }
}
