//! Serde support for arrays of any length, for `#[serde(with = "crate::array")]`.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(crate) fn serialize<T: Serialize, S: Serializer, const N: usize>(
    array: &[T; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    array.as_slice().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<[T; N], D::Error> {
    let values = Vec::deserialize(deserializer)?;
    let len = values.len();
    values
        .try_into()
        .map_err(|_| D::Error::custom(format_args!("expected {N} numbers, found {len}")))
}
