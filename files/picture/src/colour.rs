//! Colours, in linear light and in sRGB (IEC 61966-2-1).

use std::str::FromStr;
use std::sync::LazyLock;

use glam::Vec3;

/// The background of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// Almost white.
    #[default]
    Light,
    /// Almost black.
    Dark,
}

impl FromStr for Background {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            _ => Err("expected light or dark".into()),
        }
    }
}

impl Background {
    /// The colours at the top and at the bottom of a picture, in sRGB.
    fn gradient(self) -> [[u8; 3]; 2] {
        match self {
            Self::Light => [[0xf4, 0xf5, 0xf7], [0xd9, 0xde, 0xe5]],
            Self::Dark => [[0x2b, 0x32, 0x3d], [0x3c, 0x45, 0x52]],
        }
    }

    /// The colour in linear light, at a fraction of the height from the top.
    pub(crate) fn at(self, fraction: f32) -> Vec3 {
        let [top, bottom] = self.gradient().map(|colour| colour.map(f32::from));
        let mixed = Vec3::from(top).lerp(bottom.into(), fraction) / 255.0;
        Vec3::from(mixed.to_array().map(component_to_linear))
    }
}

/// Converts a component of sRGB, 0 to 1, to linear light.
fn component_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Converts sRGB to linear light.
pub(crate) fn linear(colour: [u8; 3]) -> Vec3 {
    Vec3::from(colour.map(|c| component_to_linear(f32::from(c) / 255.0)))
}

/// A table of sRGB values: entry `n` is that of the linear light `n / 4095`.
static TO_SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let to_srgb = |c: f32| {
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        byte(c * 255.0)
    };
    (0..4096).map(|step| to_srgb(step as f32 / 4095.0)).collect()
});

/// Rounds to the nearest byte, clamped to 0 to 255.
#[allow(clippy::cast_sign_loss, reason = "clamped")]
pub(crate) fn byte(value: f32) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

/// Converts linear light to sRGB, clamped to 0 to 1.
#[allow(clippy::cast_sign_loss, reason = "clamped")]
pub(crate) fn srgb(linear_colour: Vec3) -> [u8; 3] {
    linear_colour.to_array().map(|c| TO_SRGB[(c.clamp(0.0, 1.0) * 4095.0 + 0.5) as usize])
}

/// The colour of the back of a cloth with this colour, in linear light: mixed with pale beige, so that
/// the two sides can be told apart.
pub(crate) fn faded(colour: Vec3) -> Vec3 {
    colour.lerp(Vec3::new(0.86, 0.80, 0.70), 0.45)
}
