//! Finds the position of a number in a scene file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The byte range of a number in a table or an entry of a list of tables (`[[model]]` and so on);
/// None unless it occurs exactly once.
pub(super) fn place_of(text: &str, key: &str, nth: usize, number: f64) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let entry = table.get_ref().get(key)?;
    let entry = if entry.get_ref().is_array() { entry.get_ref().get(nth)? } else { entry };
    let mut places = Vec::new();
    find(entry, number, &mut places);
    let [place] = <[_; 1]>::try_from(places).ok()?;
    Some(place)
}

fn find(value: &Spanned<DeValue<'_>>, number: f64, places: &mut Vec<Range<usize>>) {
    let is = |text: &str| {
        let Ok(written) = text.replace('_', "").parse::<f64>() else { return false };
        // It was read as one of them.
        #[allow(clippy::float_cmp, reason = "the very same")]
        let same = written == number || f64::from(written as f32) == number;
        same || (written.is_nan() && number.is_nan())
    };
    let here = match value.get_ref() {
        DeValue::Integer(integer) => integer.radix() == 10 && is(integer.as_str()),
        DeValue::Float(float) => is(float.as_str()),
        DeValue::Array(all) => return all.iter().for_each(|it| find(it, number, places)),
        DeValue::Table(all) => return all.iter().for_each(|(_, it)| find(it, number, places)),
        _ => false,
    };
    if here {
        places.push(value.span());
    }
}
