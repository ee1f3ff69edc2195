//! Scene files from the grammar of `docs/scenes.md`: all keys are valid, and most values are. So these
//! files reach the builders of models, which random text rarely does.

mod keys;

use std::fmt::Write;

use arbitrary::{Arbitrary, Result, Unstructured};

use keys::{BUILDERS, BUILDERS_3D, FORCES, FORCES_3D, MODEL, OBSTACLE, SCENE, SHAPES, SHAPES_3D};

/// The type of the value of a key.
enum Value {
    /// A number of particles, rows and so on.
    Count,
    /// Any number.
    Real,
    /// A number above 0, as a length or a mass is.
    Positive,
    /// True or false.
    Flag,
    /// As many numbers as the scene has dimensions.
    Point,
    /// Three numbers.
    Point3,
    /// As many counts as the scene has dimensions.
    Counts,
    /// The name of a model.
    Model,
    /// The name of a group, or of a file.
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A table with some of these keys.
    Table(&'static [Key]),
    /// A table with exactly one of these keys.
    One(&'static [Key]),
    /// A list of up to this many values.
    List(&'static Value, u8),
    /// A list of exactly this many values.
    Array(&'static Value, u8),
    /// A list of a time and a point.
    Timed,
    /// An angle; in 3D a table of an axis and an angle.
    Rotation,
}

/// A key, and the type of its value.
struct Key {
    name: &'static str,
    value: Value,
    /// Whether the key is written almost always: see [`usual`] and [`rare`].
    is_usual: bool,
}

/// A key that is written 63 times out of 64 on average: scene files require it, or it is the size of a
/// model, whose default is large for a fuzz input.
const fn usual(name: &'static str, value: Value) -> Key {
    Key { name, value, is_usual: true }
}

/// A key that is written once in 4 times on average.
const fn rare(name: &'static str, value: Value) -> Key {
    Key { name, value, is_usual: false }
}

/// Names of groups, and the name of the mesh file.
const NAMES: &[&str] = &[
    "top",
    "left",
    "right",
    "corners",
    "start",
    "end",
    "ends",
    "body",
    "root",
    "rim",
    "particles",
    "head",
    "left hand",
    "g",
    "square.obj",
];

/// The text of a scene.
#[derive(Debug)]
pub struct SceneText(pub String);

impl<'a> Arbitrary<'a> for SceneText {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let is_flat = input.ratio(1, 4)?;
        let mut writer = Writer { input, text: String::new(), is_flat };
        writer.write_scene()?;
        Ok(Self(writer.text))
    }
}

/// Writes the text of a scene, with choices from the fuzz input.
struct Writer<'a, 'b> {
    input: &'a mut Unstructured<'b>,
    text: String,
    /// Whether the scene is in 2D.
    is_flat: bool,
}

impl Writer<'_, '_> {
    fn write_scene(&mut self) -> Result<()> {
        if self.is_flat {
            self.text += "dimensions = 2\n";
        }
        for key in SCENE {
            self.write_key(key, " = ", "\n")?;
        }
        let builders = if self.is_flat { BUILDERS } else { BUILDERS_3D };
        for nth in 0..self.input.int_in_range(1..=3)? {
            let _ = writeln!(self.text, "[[model]]\nname = \"m{nth}\"");
            self.write_entry(builders, MODEL)?;
        }
        for _ in 0..self.input.int_in_range(0..=2)? {
            self.text += "[[tie]]\n";
            for key in keys::TIE {
                self.write_key(key, " = ", "\n")?;
            }
        }
        let forces = if self.is_flat { FORCES } else { FORCES_3D };
        for _ in 0..self.input.int_in_range(0..=2)? {
            self.text += "[[force]]\n";
            self.write_entry(forces, keys::FORCE)?;
        }
        let shapes = if self.is_flat { SHAPES } else { SHAPES_3D };
        for _ in 0..self.input.int_in_range(0..=2)? {
            self.text += "[[obstacle]]\n";
            self.write_entry(shapes, OBSTACLE)?;
        }
        Ok(())
    }

    /// Writes one of `kinds`, and some of the keys that all kinds have in common.
    fn write_entry(&mut self, kinds: &'static [Key], common: &'static [Key]) -> Result<()> {
        let kind = self.input.choose(kinds)?;
        let _ = write!(self.text, "{} = ", kind.name);
        self.write_value(&kind.value)?;
        self.text.push('\n');
        let mut last = "";
        for key in common {
            // `common` may list a key twice in succession, with different types of value. The key is
            // written at most once, because TOML rejects duplicate keys.
            if key.name != last && self.write_key(key, " = ", "\n")? {
                last = key.name;
            }
        }
        Ok(())
    }

    /// Writes a key and its value, or leaves it out. Returns whether it was written.
    fn write_key(&mut self, key: &'static Key, between: &str, after: &str) -> Result<bool> {
        let is_written =
            if key.is_usual { !self.input.ratio(1, 64)? } else { self.input.ratio(1, 4)? };
        if is_written {
            let _ = write!(self.text, "{}{between}", key.name);
            self.write_value(&key.value)?;
            self.text += after;
        }
        Ok(is_written)
    }

    fn write_value(&mut self, value: &'static Value) -> Result<()> {
        match value {
            Value::Count => self.write_count()?,
            Value::Real => self.write_real()?,
            Value::Positive => self.write_positive()?,
            Value::Flag => {
                let _ = write!(self.text, "{}", self.input.arbitrary::<bool>()?);
            }
            Value::Point => self.write_list(&Value::Real, if self.is_flat { 2 } else { 3 })?,
            Value::Point3 => self.write_list(&Value::Real, 3)?,
            Value::Counts => self.write_list(&Value::Count, if self.is_flat { 2 } else { 3 })?,
            Value::Model => {
                let _ = write!(self.text, "\"m{}\"", self.input.int_in_range(0..=3)?);
            }
            Value::Name => self.write_word(NAMES)?,
            Value::Word(words) => self.write_word(words)?,
            Value::Table(keys) => {
                self.text.push('{');
                let mut is_first = true;
                for key in *keys {
                    let before = self.text.len();
                    let separator = if is_first { "" } else { ", " };
                    self.text += separator;
                    if self.write_key(key, " = ", "")? {
                        is_first = false;
                    } else {
                        self.text.truncate(before);
                    }
                }
                self.text.push('}');
            }
            Value::One(keys) => {
                let key = self.input.choose(keys)?;
                let _ = write!(self.text, "{{ {} = ", key.name);
                self.write_value(&key.value)?;
                self.text += " }";
            }
            Value::List(of, max_len) => {
                let len = self.input.int_in_range(0..=*max_len)?;
                self.write_list(of, len)?;
            }
            Value::Array(of, len) => self.write_list(of, *len)?,
            Value::Timed => {
                self.text.push('[');
                self.write_positive()?;
                self.text += ", ";
                self.write_value(&Value::Point)?;
                self.text.push(']');
            }
            Value::Rotation if self.is_flat => self.write_real()?,
            Value::Rotation => {
                self.text += "{ axis = ";
                self.write_list(&Value::Real, 3)?;
                self.text += ", angle = ";
                self.write_real()?;
                self.text += " }";
            }
        }
        Ok(())
    }

    fn write_list(&mut self, of: &'static Value, len: u8) -> Result<()> {
        self.text.push('[');
        for nth in 0..len {
            if nth > 0 {
                self.text += ", ";
            }
            self.write_value(of)?;
        }
        self.text.push(']');
        Ok(())
    }

    fn write_word(&mut self, words: &[&str]) -> Result<()> {
        let _ = write!(self.text, "\"{}\"", self.input.choose(words)?);
        Ok(())
    }

    /// Writes a count: small, or rarely negative or so large that the library must reject it.
    fn write_count(&mut self) -> Result<()> {
        let count = match self.input.arbitrary::<u8>()? {
            255 => -1,
            254 => 1 << 40,
            253 => i64::MAX,
            other => i64::from(other % 9),
        };
        let _ = write!(self.text, "{count}");
        Ok(())
    }

    /// Writes a multiple of 1/64 from -2 to 2, or rarely an extreme value.
    fn write_real(&mut self) -> Result<()> {
        const EXTREMES: &[&str] = &[
            "-0.0", "1e-30", "1e-12", "1e9", "1e12", "-1e12", "2e12", "1e30", "3.4e38", "1e300",
            "inf", "-inf", "nan", "0", "1",
        ];
        if self.input.ratio(1, 48)? {
            self.text += self.input.choose(EXTREMES)?;
        } else {
            let _ = write!(self.text, "{:?}", f32::from(self.input.arbitrary::<i8>()?) / 64.0);
        }
        Ok(())
    }

    /// Writes a multiple of 1/128 from 0.03 to 2.02, or rarely any number.
    fn write_positive(&mut self) -> Result<()> {
        if self.input.ratio(1, 32)? {
            return self.write_real();
        }
        let _ = write!(self.text, "{:?}", (f32::from(self.input.arbitrary::<u8>()?) + 4.0) / 128.0);
        Ok(())
    }
}
