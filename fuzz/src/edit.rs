//! Edits of a JSON document. An edited document is still JSON, so the parser does not reject it, as it
//! would reject most changes of its bytes.

use arbitrary::Arbitrary;
use serde_json::Value;

/// A change of one value of a document.
#[derive(Arbitrary, Debug)]
pub struct Edit {
    /// The path to the value: at each level the index of a child, modulo the number of children. 255
    /// ends the path.
    path: [u8; 8],
    change: Change,
}

/// What an edit does with a value. The first four replace it by null if they do not apply to its type.
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
    /// Replaces the value by null.
    Null,
    /// Replaces the value by this boolean.
    Flag(bool),
    /// Replaces the value by this number.
    Small(u8),
    /// Replaces the value by this number.
    Integer(i64),
    /// Replaces the value by the bits of this float, as an integer: snapshots store floats in this form.
    Bits(f32),
    /// Adds this to an integer. Other numbers stay; any other value is replaced by this.
    Near(i8),
    /// Replaces the value by this number.
    Float(f64),
    /// Replaces the value by the word of `WORDS` with this index, modulo their number.
    Word(u8),
}

/// Words that have a meaning in snapshots.
const WORDS: [&str; 6] = ["halley", "quick", "TwoSided", "Minimum", "cloth", ""];

impl Edit {
    /// Edits the document `value`.
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
