//! Which counts an input may request. The limits of the library allow 16 million particles, which
//! would take seconds; a target skips such inputs, and still tests counts above all limits, which
//! must be rejected without allocating memory for them.

/// The largest count that is taken as small.
const SMALL: i64 = 16;

/// All counts from this one on are above every limit of the library.
const HUGE: i64 = 1 << 33;

/// Whether a count is small, or so large that the library must reject it.
pub fn is_allowed(count: i64) -> bool {
    count <= SMALL || count >= HUGE
}

/// Whether all numbers in a text are allowed; true if the text is not TOML. Floats are checked, too,
/// because a count can follow from two floats: from the length of a rope and its spacing, or from a
/// rate and a lifetime.
pub fn has_allowed_counts(text: &str) -> bool {
    text.parse::<toml::Table>().map_or(true, |table| table.values().all(is_allowed_value))
}

fn is_allowed_value(value: &toml::Value) -> bool {
    match value {
        toml::Value::Integer(integer) => is_allowed(*integer),
        toml::Value::Float(float) => {
            // Ordinary magnitudes and extreme ones, so that the ratio of two floats is mostly small or
            // above all limits.
            let magnitude = float.abs();
            magnitude == 0.0
                || (0.01..=100.0).contains(&magnitude)
                || !(1e-7..=1e10).contains(&magnitude)
        }
        toml::Value::Array(values) => values.iter().all(is_allowed_value),
        toml::Value::Table(table) => table.values().all(is_allowed_value),
        _ => true,
    }
}
