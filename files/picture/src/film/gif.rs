//! GIF: of each frame the rectangle that has changed, in the colours that suit those pixels best (by
//! the neural network of Dekker, "Kohonen neural networks for optimal colour quantization", 1994).

use std::fs::File;
use std::io::{BufWriter, Write};

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use taut_export::{InFile, Problem, Result};

use super::Drawn;
use crate::Picture;
use crate::picture::Patch;

/// The fewest colours that the network makes.
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
    // What differs by less than colours do is not worth a change.
    let just_seen = u8::MAX / colours + 1;
    let mut shown: Option<Picture> = None;
    let mut nth = 0;
    all.each(|picture| {
        let mut picture = settled(picture, shown.as_ref(), just_seen);
        let patch = shown.as_ref().map_or_else(|| picture.whole(), |it| picture.changed(it));
        let mut frame = quantised(&mut picture, shown.as_ref(), patch, colours);
        // Hundredths of a second, that add up to the right time.
        #[allow(clippy::cast_sign_loss, reason = "time goes on")]
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

/// The same, where it differs from what is shown by more than is seen.
fn settled(mut picture: Picture, shown: Option<&Picture>, just_seen: u8) -> Picture {
    let Some(shown) = shown else { return picture };
    for (now, then) in picture.pixels.iter_mut().zip(&shown.pixels) {
        if now.iter().zip(then).all(|(a, b)| a.abs_diff(*b) <= just_seen) {
            *now = *then;
        }
    }
    picture
}

/// A patch of a picture as a frame. The picture becomes what is shown then, so that what came out too
/// far off is done again in the next frame: what moves would leave a trail otherwise.
fn quantised(
    picture: &mut Picture,
    shown: Option<&Picture>,
    patch: Patch,
    colours: u8,
) -> Frame<'static> {
    // One number more is for what has not changed.
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
    // The network wants more pixels than it has colours.
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
