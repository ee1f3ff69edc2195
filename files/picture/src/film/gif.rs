//! GIF: each frame stores the rectangle that has changed, with a palette for those pixels (by the
//! neural network of Dekker, "Kohonen neural networks for optimal colour quantization", 1994).

use std::fs::File;
use std::io::{BufWriter, Write};

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use taut_export::{InFile, Problem, Result};

use super::Drawn;
use crate::Picture;
use crate::picture::Patch;

/// The smallest palette that the network makes.
const FEWEST: u8 = 64;

pub(super) fn write(file: &File, all: &mut Drawn<'_>, fps: f64) -> Result<()> {
    let path = all.path;
    let say = |error: EncodingError| match error {
        EncodingError::Io(error) => Problem::Io(error).of(path),
        error => Problem::Encoding(error.to_string()).of(path),
    };
    let (Ok(width), Ok(height)) =
        (u16::try_from(all.options.width), u16::try_from(all.options.height))
    else {
        return Err(Problem::Unfit("a GIF is at most 65,535 pixels wide and high").of(path));
    };
    let mut encoder = Encoder::new(BufWriter::new(file), width, height, &[]).map_err(say)?;
    encoder.set_repeat(Repeat::Infinite).map_err(say)?;
    let colours = all.options.colours.max(FEWEST);
    // Differences smaller than those between colours of the palette are ignored.
    let tolerance = u8::MAX / colours + 1;
    let mut shown: Option<Picture> = None;
    let mut nth = 0;
    all.each(|picture| {
        let mut picture = without_small_changes(picture, shown.as_ref(), tolerance);
        let patch = shown.as_ref().map_or_else(|| picture.whole(), |it| picture.changed(it));
        let mut frame = quantised(&mut picture, shown.as_ref(), patch, colours);
        // Delays are in hundredths of a second; rounding must not add up.
        #[allow(clippy::cast_sign_loss, reason = "time is not negative")]
        let until = |nth: u32| (100.0 * f64::from(nth) / fps).round() as u64;
        frame.delay = (until(nth + 1) - until(nth)).min(65535) as u16;
        nth += 1;
        encoder.write_frame(&frame).map_err(say)?;
        shown = Some(picture);
        Ok(())
    })?;
    let mut file = encoder.into_inner().map_err(say)?;
    file.flush().in_file(path)
}

/// The picture, with the shown colour where the difference is within a tolerance.
fn without_small_changes(mut picture: Picture, shown: Option<&Picture>, tolerance: u8) -> Picture {
    let Some(shown) = shown else { return picture };
    for (now, then) in picture.pixels.iter_mut().zip(&shown.pixels) {
        if now.iter().zip(then).all(|(a, b)| a.abs_diff(*b) <= tolerance) {
            *now = *then;
        }
    }
    picture
}

/// Quantises a patch of a picture to a frame. The picture takes the quantised colours, so that the
/// next frame corrects those that are too far off; otherwise moving things would leave trails.
fn quantised(
    picture: &mut Picture,
    shown: Option<&Picture>,
    patch: Patch,
    colours: u8,
) -> Frame<'static> {
    // One more index, for unchanged pixels.
    let (unchanged, colours) = (colours, usize::from(colours));
    let is_new = |at: usize| shown.is_none_or(|it| it.pixels[at] != picture.pixels[at]);
    let pixels = picture.within(patch).filter(|&at| is_new(at)).flat_map(|at| {
        let [r, g, b] = picture.pixels[at];
        [r, g, b, 255]
    });
    let mut pixels: Vec<u8> = pixels.collect();
    if pixels.is_empty() {
        pixels.extend([0, 0, 0, 255]);
    }
    // The network needs more pixels than it has colours.
    let sample = pixels.repeat((4 * colours).div_ceil(pixels.len() / 4));
    let network = NeuQuant::new(10, colours, &sample);
    let mut known = std::collections::HashMap::new();
    let buffer: Vec<u8> = picture
        .within(patch)
        .map(|at| {
            if !is_new(at) {
                return unchanged;
            }
            let [r, g, b] = picture.pixels[at];
            *known.entry([r, g, b]).or_insert_with(|| network.index_of(&[r, g, b, 255]) as u8)
        })
        .collect();
    let mut palette = network.color_map_rgb();
    let places: Vec<usize> = picture.within(patch).collect();
    for (at, &colour) in places.into_iter().zip(&buffer).filter(|(_, colour)| **colour != unchanged)
    {
        let first = 3 * usize::from(colour);
        picture.pixels[at].copy_from_slice(&palette[first..first + 3]);
    }
    palette.resize(3 * (colours + 1), 0);
    let Patch { left, top, width, height } = patch;
    let [left, top, width, height] = [left, top, width, height].map(|it| it as u16);
    Frame {
        left,
        top,
        width,
        height,
        dispose: DisposalMethod::Keep,
        transparent: Some(unchanged),
        palette: Some(palette),
        buffer: buffer.into(),
        ..Frame::default()
    }
}
