//! Serde support for arrays of any length, for `#[serde(with = "crate::array")]`.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(crate) fn serialize<T: Serialize, S: Serializer, const D: usize>(
    array: &[T; D],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    array.as_slice().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Deserialize<'de>, S: Deserializer<'de>, const D: usize>(
    deserializer: S,
) -> Result<[T; D], S::Error> {
    let values = Vec::deserialize(deserializer)?;
    let len = values.len();
    values
        .try_into()
        .map_err(|_| S::Error::custom(format_args!("expected {D} numbers, found {len}")))
}
