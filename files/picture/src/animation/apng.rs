//! Animated PNG: each frame stores the rectangle that has changed, with transparent pixels where
//! nothing has changed.

use std::fs::File;
use std::io::BufWriter;

use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder, EncodingError, Writer};
use taut_export::Result;

use super::{AnimationFrames, export_error};
use crate::Picture;
use crate::picture::Patch;

pub(super) fn write(file: &File, frames: &mut AnimationFrames<'_>, fps: f64) -> Result<()> {
    let path = frames.path;
    let to_export_error = |error: EncodingError| export_error(path, &error);
    let (width, height) = (frames.options.width, frames.options.height);
    let frame_count = frames.recording.len() as u32;
    let mut encoder = Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    encoder.set_animated(frame_count, 0).map_err(to_export_error)?;
    let (numerator, denominator) = delay(fps);
    encoder.set_frame_delay(numerator, denominator).map_err(to_export_error)?;
    let mut writer = encoder.write_header().map_err(to_export_error)?;
    let mut before: Option<Picture> = None;
    frames.for_each(|picture| {
        write_frame(&mut writer, &picture, before.as_ref()).map_err(to_export_error)?;
        before = Some(picture);
        Ok(())
    })?;
    writer.finish().map_err(to_export_error)
}

/// The time of a frame as a fraction, s. All frames have this time, so errors add up: the fraction has the
/// largest numerator for which both numbers have 16 bits, of the powers of 10, so that usual rates such as
/// 29.97 frames per second are exact.
#[allow(clippy::cast_sign_loss, reason = "a rate is above 0")]
fn delay(fps: f64) -> (u16, u16) {
    let max = f64::from(u16::MAX);
    let fits = |numerator: &f64| (numerator * fps).round() <= max;
    let numerator = [1e4, 1e3, 100.0, 10.0].into_iter().find(fits).unwrap_or(1.0);
    (numerator as u16, (numerator * fps).round().clamp(1.0, max) as u16)
}

fn write_frame(
    writer: &mut Writer<BufWriter<&File>>,
    picture: &Picture,
    before: Option<&Picture>,
) -> std::result::Result<(), EncodingError> {
    let patch =
        before.map_or_else(|| picture.whole_patch(), |before| picture.changed_patch(before));
    let Patch { left, top, width, height } = patch;
    // Reset first, because the encoder rejects a size that does not fit at the previous position.
    writer.reset_frame_position()?;
    writer.set_frame_dimension(width, height)?;
    writer.set_frame_position(left, top)?;
    writer.set_blend_op(BlendOp::Over)?;
    writer.set_dispose_op(DisposeOp::None)?;
    let pixels = picture.indices(patch).map(|index| {
        let [r, g, b] = picture.pixels[index];
        match before {
            Some(before) if before.pixels[index] == picture.pixels[index] => [0; 4],
            _ => [r, g, b, 255],
        }
    });
    let pixels: Vec<[u8; 4]> = pixels.collect();
    writer.write_image_data(pixels.as_flattened())
}

#[cfg(test)]
mod tests {
    use super::delay;

    #[test]
    fn delays_are_exact_at_usual_rates() {
        for (fps, expected) in [
            (0.01, (10_000, 100)),
            (24.0, (1000, 24_000)),
            (29.97, (1000, 29_970)),
            (59.94, (1000, 59_940)),
            (60.0, (1000, 60_000)),
            (1000.0, (10, 10_000)),
            (65_535.0, (1, 65_535)),
        ] {
            assert_eq!(delay(fps), expected, "{fps}");
        }
    }
}
