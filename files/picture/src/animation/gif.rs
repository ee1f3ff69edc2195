//! GIF: each frame stores the rectangle that has changed, with a palette for the changed pixels.
//! Palettes are made by the neural network of Dekker, "Kohonen neural networks for optimal colour
//! quantization" (1994).

use std::fs::File;
use std::io::{BufWriter, Write};

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use taut_export::{InFile, Problem, Result};

use super::AnimationFrames;
use crate::picture::Patch;
use crate::{Options, Picture};

/// The minimum number of colours that the crate `color_quant` supports.
const COLOURS_MIN: u8 = 64;

/// Checks that a GIF can have frames of this size and rate.
pub(super) fn check(options: &Options, fps: f64) -> Result<(), Problem> {
    if options.width.max(options.height) > u32::from(u16::MAX) {
        return Err(Problem::Unsupported("a GIF is at most 65,535 pixels wide and high"));
    }
    // Delays are in hundredths of a second, and programs show a frame with a delay of 1 for longer.
    if fps > 50.0 {
        let problem = "a GIF has at most 50 frames per second: reduce the frame rate";
        return Err(Problem::Unsupported(problem));
    }
    Ok(())
}

/// Writes the frames of a recording. Their size must be one that [`check`] allows.
pub(super) fn write(file: &File, frames: &mut AnimationFrames<'_>, fps: f64) -> Result<()> {
    let path = frames.path;
    let to_export_error = |error: EncodingError| match error {
        EncodingError::Io(error) => Problem::Io(error).of(path),
        error => Problem::Encoding(error.to_string()).of(path),
    };
    let [width, height] = [frames.options.width, frames.options.height].map(|it| it as u16);
    let mut encoder =
        Encoder::new(BufWriter::new(file), width, height, &[]).map_err(to_export_error)?;
    encoder.set_repeat(Repeat::Infinite).map_err(to_export_error)?;
    let colours = frames.options.colours.max(COLOURS_MIN);
    // Differences of up to 255 / colours + 1 levels per channel are ignored: with a palette of shades of
    // one colour, they are about as large as the steps of the palette.
    let tolerance = u8::MAX / colours + 1;
    let mut shown: Option<Picture> = None;
    let mut nth = 0;
    frames.for_each(|picture| {
        let mut picture = without_small_changes(picture, shown.as_ref(), tolerance);
        let patch = shown
            .as_ref()
            .map_or_else(|| picture.whole_patch(), |shown| picture.changed_patch(shown));
        let mut frame = quantized(&mut picture, shown.as_ref(), patch, colours);
        // Delays are in hundredths of a second. Rounding the times of frames, not the delays, keeps
        // errors from adding up.
        #[allow(clippy::cast_sign_loss, reason = "time is not negative")]
        let start_hundredths = |nth: u32| (100.0 * f64::from(nth) / fps).round() as u64;
        frame.delay = (start_hundredths(nth + 1) - start_hundredths(nth)).min(65535) as u16;
        nth += 1;
        encoder.write_frame(&frame).map_err(to_export_error)?;
        shown = Some(picture);
        Ok(())
    })?;
    let mut file = encoder.into_inner().map_err(to_export_error)?;
    file.flush().in_file(path)
}

/// Replaces colours by those shown before where the difference is within a tolerance.
fn without_small_changes(mut picture: Picture, shown: Option<&Picture>, tolerance: u8) -> Picture {
    let Some(shown) = shown else { return picture };
    for (now, then) in picture.pixels.iter_mut().zip(&shown.pixels) {
        if now.iter().zip(then).all(|(a, b)| a.abs_diff(*b) <= tolerance) {
            *now = *then;
        }
    }
    picture
}

/// Quantizes a patch of a picture to a frame. The changed pixels of the picture get the quantized
/// colours, so that the next frame corrects large errors. Without this, moving objects would leave
/// trails.
fn quantized(
    picture: &mut Picture,
    shown: Option<&Picture>,
    patch: Patch,
    colours: u8,
) -> Frame<'static> {
    // Colours have the palette indices from 0; the index after the last colour marks unchanged pixels.
    let (unchanged, colours) = (colours, usize::from(colours));
    let is_changed =
        |index: usize| shown.is_none_or(|shown| shown.pixels[index] != picture.pixels[index]);
    let pixels = picture.indices(patch).filter(|&index| is_changed(index)).flat_map(|index| {
        let [r, g, b] = picture.pixels[index];
        [r, g, b, 255]
    });
    let mut pixels: Vec<u8> = pixels.collect();
    if pixels.is_empty() {
        pixels.extend([0, 0, 0, 255]);
    }
    // The network needs several pixels per colour: those of a small patch are repeated.
    let sample = pixels.repeat((4 * colours).div_ceil(pixels.len() / 4));
    // The network learns from every 10th pixel.
    let network = NeuQuant::new(10, colours, &sample);
    let mut palette_index_of = std::collections::HashMap::new();
    let buffer: Vec<u8> = picture
        .indices(patch)
        .map(|index| {
            if !is_changed(index) {
                return unchanged;
            }
            let [r, g, b] = picture.pixels[index];
            *palette_index_of
                .entry([r, g, b])
                .or_insert_with(|| network.index_of(&[r, g, b, 255]) as u8)
        })
        .collect();
    let mut palette = network.color_map_rgb();
    for (index, &palette_index) in picture.indices(patch).zip(&buffer) {
        if palette_index != unchanged {
            let first = 3 * usize::from(palette_index);
            picture.pixels[index].copy_from_slice(&palette[first..first + 3]);
        }
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
