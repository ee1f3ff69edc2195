//! Reads the tables of a scene file from a parsed TOML document.
//!
//! `toml::from_str` reads the same files, but instantiates the code of each table also for maps that scene files do not have
//! (dates, `Spanned`): with it `cargo build --release -p taut-scenes --features toml,parry` took 1.3 times as much CPU time.

use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeString, DeTable, DeValue};

use super::error::SceneFileError;

/// A value in the text, with its byte range.
pub(super) type TomlValue<'de> = Spanned<DeValue<'de>>;

/// Why a value cannot be read into a table of a scene file.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct ReadError {
    message: String,
    /// The byte range of the value, or of the unknown key or word. `None` until a caller adds it.
    span: Option<Range<usize>>,
}

impl ReadError {
    pub(super) fn span(&self) -> Option<Range<usize>> {
        self.span.clone()
    }

    /// Adds the byte range of the value that is being read, unless the error has a range inside it.
    fn within<T>(mut self, value: &Spanned<T>) -> Self {
        self.span.get_or_insert_with(|| value.span());
        self
    }
}

impl Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

/// Parses a document. Its root is a table.
///
/// # Errors
/// Invalid TOML, with the line that the parser reports.
pub(super) fn parse(text: &str) -> Result<TomlValue<'_>, SceneFileError> {
    let root = DeTable::parse(text)
        .map_err(|error| SceneFileError::new(text, error.message(), error.span()))?;
    Ok(Spanned::new(root.span(), DeValue::Table(root.into_inner())))
}

/// Reads a value.
pub(super) fn read<'de, T: Deserialize<'de>>(value: &'de TomlValue<'de>) -> Result<T, ReadError> {
    read_seed(PhantomData, value)
}

fn read_seed<'de, T: DeserializeSeed<'de>>(
    seed: T,
    value: &'de TomlValue<'de>,
) -> Result<T::Value, ReadError> {
    seed.deserialize(ValueDeserializer(value.get_ref())).map_err(|error| error.within(value))
}

#[derive(Clone, Copy)]
struct ValueDeserializer<'de>(&'de DeValue<'de>);

/// An integer, as the type whose `visit` method is called.
enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl<'de> ValueDeserializer<'de> {
    /// The error for a value of another type than `expected`.
    fn invalid_type(self, expected: &dyn Expected) -> ReadError {
        let found = match self.0 {
            DeValue::String(text) => Unexpected::Str(text),
            DeValue::Integer(digits) => match integer(digits) {
                Ok(Integer::Signed(value)) => Unexpected::Signed(value),
                Ok(Integer::Unsigned(value)) => Unexpected::Unsigned(value),
                Err(error) => return error,
            },
            DeValue::Float(digits) => match float(digits) {
                Ok(value) => Unexpected::Float(value),
                Err(error) => return error,
            },
            DeValue::Boolean(value) => Unexpected::Bool(*value),
            DeValue::Datetime(_) => Unexpected::Other("date or time"),
            DeValue::Array(_) => Unexpected::Other("list"),
            DeValue::Table(_) => Unexpected::Other("table"),
        };
        Error::invalid_type(found, expected)
    }

    fn read_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::Integer(digits) = self.0 else { return Err(self.invalid_type(&visitor)) };
        match integer(digits)? {
            Integer::Signed(value) => visitor.visit_i64(value),
            Integer::Unsigned(value) => visitor.visit_u64(value),
        }
    }

    fn read_float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::Float(digits) = self.0 else { return self.read_integer(visitor) };
        visitor.visit_f64(float(digits)?)
    }
}

fn integer(digits: &DeInteger) -> Result<Integer, ReadError> {
    let (text, radix) = (digits.as_str(), digits.radix());
    let signed = i64::from_str_radix(text, radix).map(Integer::Signed);
    let parsed = signed.or_else(|_| u64::from_str_radix(text, radix).map(Integer::Unsigned));
    parsed.map_err(|_| {
        let hint = "write a larger number with an exponent, as in 1e20";
        Error::custom(format!("the integer {digits} has more than 64 bits; {hint}"))
    })
}

fn float(digits: &DeFloat) -> Result<f64, ReadError> {
    let text = digits.as_str();
    let value: f64 = text.parse().map_err(Error::custom)?;
    if value.is_infinite() && !text.contains("inf") {
        return Err(Error::custom(format!("the number {text} is too large")));
    }
    Ok(value)
}

/// Implements methods of [`Deserializer`] that read a number.
macro_rules! numbers {
    ($($method:ident => $read:ident;)*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.$read(visitor)
        }
    )* };
}

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            DeValue::String(_) => self.deserialize_str(visitor),
            DeValue::Integer(_) | DeValue::Float(_) => self.read_float(visitor),
            DeValue::Boolean(_) => self.deserialize_bool(visitor),
            DeValue::Datetime(_) => Err(self.invalid_type(&visitor)),
            DeValue::Array(_) => self.deserialize_seq(visitor),
            DeValue::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::Boolean(value) = self.0 else { return Err(self.invalid_type(&visitor)) };
        visitor.visit_bool(*value)
    }

    numbers! {
        deserialize_i8 => read_integer;
        deserialize_i16 => read_integer;
        deserialize_i32 => read_integer;
        deserialize_i64 => read_integer;
        deserialize_u8 => read_integer;
        deserialize_u16 => read_integer;
        deserialize_u32 => read_integer;
        deserialize_u64 => read_integer;
        deserialize_f32 => read_float;
        deserialize_f64 => read_float;
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::String(text) = self.0 else { return Err(self.invalid_type(&visitor)) };
        visitor.visit_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    /// A key without a value is not valid TOML, so each value is `Some`.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::Array(values) = self.0 else { return Err(self.invalid_type(&visitor)) };
        visitor.visit_seq(Elements(values.iter()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            DeValue::Array(values) if values.len() != len => {
                Err(Error::invalid_length(values.len(), &visitor))
            }
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let DeValue::Table(table) = self.0 else { return Err(self.invalid_type(&visitor)) };
        visitor.visit_map(Entries { rest: table.iter(), value: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let variant = match self.0 {
            DeValue::String(name) => Variant { name, key: None, parameters: None },
            DeValue::Table(table) => {
                let mut entries = table.iter();
                let (Some((key, parameters)), None) = (entries.next(), entries.next()) else {
                    let message = format!("expected a table of one key, found {}", table.len());
                    return Err(Error::custom(message));
                };
                Variant { name: key.get_ref(), key: Some(key), parameters: Some(parameters) }
            }
            _ => return Err(self.invalid_type(&visitor)),
        };
        visitor.visit_enum(variant)
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}

/// The values of an array.
struct Elements<'de>(slice::Iter<'de, TomlValue<'de>>);

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        self.0.next().map(|value| read_seed(seed, value)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The keys and values of a table.
struct Entries<'de, I> {
    rest: I,
    /// The value of the key that was read last.
    value: Option<&'de TomlValue<'de>>,
}

impl<'de, I> MapAccess<'de> for Entries<'de, I>
where
    I: Iterator<Item = (&'de Spanned<DeString<'de>>, &'de TomlValue<'de>)>,
{
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        let name: &str = key.get_ref();
        seed.deserialize(name.into_deserializer())
            .map(Some)
            .map_err(|error: ReadError| error.within(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let value = self.value.take();
        read_seed(seed, value.ok_or_else(|| ReadError::custom("a value without a key"))?)
    }
}

/// A variant of an enum: a string, or a table of one key, whose value has the parameters.
struct Variant<'de> {
    name: &'de str,
    /// The name in the text, if it is a key.
    key: Option<&'de Spanned<DeString<'de>>>,
    parameters: Option<&'de TomlValue<'de>>,
}

impl<'de> Variant<'de> {
    fn required_parameters(&self) -> Result<&'de TomlValue<'de>, ReadError> {
        let name = self.name;
        self.parameters.ok_or_else(|| {
            Error::custom(format!("'{name}' needs parameters, as in {{ {name} = ... }}"))
        })
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let read = seed.deserialize(self.name.into_deserializer());
        match (read, self.key) {
            (Ok(value), _) => Ok((value, self)),
            (Err(error), Some(key)) => Err(ReadError::within(error, key)),
            (Err(error), None) => Err(error),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.parameters {
            None => Ok(()),
            Some(parameters) => {
                let error = ReadError::custom(format!("'{}' takes no parameters", self.name));
                Err(error.within(parameters))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        read_seed(seed, self.required_parameters()?)
    }

    /// No table has such a variant; the trait requires the method.
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, ReadError> {
        let parameters = self.required_parameters()?;
        ValueDeserializer(parameters.get_ref())
            .deserialize_tuple(len, visitor)
            .map_err(|error| error.within(parameters))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let parameters = self.required_parameters()?;
        ValueDeserializer(parameters.get_ref())
            .deserialize_map(visitor)
            .map_err(|error| error.within(parameters))
    }
}
