//! Edits of a JSON document, so that an input which differs in some values from a valid one is not
//! rejected by the parser.

use arbitrary::Arbitrary;
use serde_json::Value;

/// An edit at a place in a document.
#[derive(Arbitrary, Debug)]
pub struct Edit {
    /// At each level the index of a child, modulo the number of children; 255 ends the path.
    path: [u8; 8],
    change: Change,
}

/// What an edit does. The first four replace a value of another type by null.
#[derive(Arbitrary, Debug)]
enum Change {
    /// Removes the last element of a list, or the first key of a table.
    Remove,
    /// Appends a copy of the first element of a list.
    Repeat,
    /// Empties a list or a text.
    Clear,
    /// Swaps the first two elements of a list.
    Swap,
    Null,
    Flag(bool),
    Small(u8),
    Integer(i64),
    /// The bits of a float, as snapshots store it.
    Bits(f32),
    /// Adds this to an integer, or replaces another value by it.
    Near(i8),
    Float(f64),
    /// The index of a word in `WORDS`.
    Word(u8),
}

/// Words that have a meaning in snapshots.
const WORDS: [&str; 6] = ["halley", "quick", "TwoSided", "Minimum", "cloth", ""];

impl Edit {
    /// Edits the document.
    pub fn apply(&self, mut value: &mut Value) {
        for &child in self.path.iter().take_while(|&&child| child != 255) {
            let child = usize::from(child);
            let count = match &*value {
                Value::Array(list) => list.len(),
                Value::Object(table) => table.len(),
                _ => 0,
            };
            if count == 0 {
                break;
            }
            value = match value {
                Value::Array(list) => &mut list[child % count],
                Value::Object(table) => match table.values_mut().nth(child % count) {
                    Some(value) => value,
                    None => return,
                },
                _ => return,
            };
        }
        self.change.apply(value);
    }
}

impl Change {
    fn apply(&self, value: &mut Value) {
        match (self, &mut *value) {
            (Self::Remove, Value::Array(list)) => drop(list.pop()),
            (Self::Remove, Value::Object(table)) => {
                let first = table.keys().next().cloned();
                first.and_then(|key| table.remove(&key));
            }
            (Self::Repeat, Value::Array(list)) => {
                list.first().cloned().into_iter().for_each(|first| list.push(first));
            }
            (Self::Swap, Value::Array(list)) if list.len() > 1 => list.swap(0, 1),
            (Self::Clear, Value::Array(list)) => list.clear(),
            (Self::Clear, Value::String(text)) => text.clear(),
            (Self::Near(offset), Value::Number(number)) => {
                let near = number.as_i64().map(|integer| integer.wrapping_add(i64::from(*offset)));
                near.into_iter().for_each(|near| *value = near.into());
            }
            (Self::Remove | Self::Repeat | Self::Swap | Self::Clear | Self::Null, _) => {
                *value = Value::Null;
            }
            (Self::Near(offset), _) => *value = i64::from(*offset).into(),
            (Self::Flag(flag), _) => *value = (*flag).into(),
            (Self::Small(number), _) => *value = (*number).into(),
            (Self::Integer(number), _) => *value = (*number).into(),
            (Self::Bits(number), _) => *value = number.to_bits().into(),
            (Self::Float(number), _) => *value = (*number).into(),
            (Self::Word(index), _) => *value = WORDS[usize::from(*index) % WORDS.len()].into(),
        }
    }
}
