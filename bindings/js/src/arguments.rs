//! Arguments that wasm-bindgen would convert, or take away from the caller, without an error.

use js_sys::Reflect;
use taut::{Bending, MeshCloth};
use wasm_bindgen::prelude::*;

use crate::exception;

#[wasm_bindgen]
extern "C" {
    /// A count or an index, as JavaScript passes it: [`unsigned`] checks it. With the type `u32` for the
    /// argument, `undefined` and -1 would become 0 and 4294967295 without an error.
    #[wasm_bindgen(typescript_type = "number")]
    #[derive(Clone, Debug)]
    pub type Unsigned;

    /// A [`Cloth`] that stays usable in JavaScript. With the type `Option<Cloth>`, the first call
    /// would take the object, and a second call with the same object would get `None`: the default cloth.
    #[wasm_bindgen(typescript_type = "Cloth")]
    #[derive(Clone, Debug)]
    pub type ClothObject;
}

impl From<u32> for Unsigned {
    fn from(number: u32) -> Self {
        JsValue::from(number).unchecked_into()
    }
}

/// The value of an argument that is a count or an index.
pub(crate) fn unsigned<T: TryFrom<u32>>(name: &str, value: &Unsigned) -> Result<T, JsError> {
    let number = value.as_f64();
    let is_unsigned = |x: &f64| x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(x);
    #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
    let checked = number.filter(is_unsigned).and_then(|x| T::try_from(x as u32).ok());
    checked.ok_or_else(|| {
        let found = number.map_or_else(
            || format!("of type {}", value.js_typeof().as_string().unwrap_or_default()),
            |x| x.to_string(),
        );
        exception(format!("{name} is {found}, expected an integer from 0 to {}", u32::MAX))
    })
}

/// The value of an optional argument that is a count or an index.
pub(crate) fn optional_unsigned<T: TryFrom<u32>>(
    name: &str,
    value: Option<Unsigned>,
) -> Result<Option<T>, JsError> {
    value.map(|value| unsigned(name, &value)).transpose()
}

/// The numbers in groups of three. The error names the array by `name`.
pub(crate) fn triples<T: Copy>(name: &str, values: &[T]) -> Result<Vec<[T; 3]>, JsError> {
    let (triples, rest) = values.as_chunks();
    if rest.is_empty() {
        return Ok(triples.to_vec());
    }
    Err(exception(format!("the length of {name} is {}, not a multiple of 3", values.len())))
}

/// Properties of the cloth that a mesh becomes.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub struct Cloth {
    /// Mass per area, kg/m². Default: 0.2.
    pub density: f32,
    /// Whether it resists bending. Default: true.
    #[wasm_bindgen(js_name = resistsBending)]
    pub resists_bending: bool,
    /// Whether its particles are tethered to pinned ones, which keeps it stiff. Default: true.
    pub tethered: bool,
}

#[wasm_bindgen]
impl Cloth {
    /// Cloth with default properties.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "it is called from JavaScript")]
    #[must_use]
    pub fn new() -> Self {
        let MeshCloth { density, bending, tethered } = MeshCloth::default();
        Self { density, resists_bending: bending == Bending::Sticks, tethered }
    }
}

impl ClothObject {
    /// Reads the properties of the object.
    pub(crate) fn read(&self) -> Result<MeshCloth, JsError> {
        let bending = if self.property("resistsBending", JsValue::as_bool)? {
            Bending::Sticks
        } else {
            Bending::Free
        };
        Ok(MeshCloth {
            density: self.property("density", JsValue::as_f64)? as f32,
            bending,
            tethered: self.property("tethered", JsValue::as_bool)?,
        })
    }

    /// Reads one property. `read` returns `None` for a value of a wrong type.
    fn property<T>(&self, name: &str, read: fn(&JsValue) -> Option<T>) -> Result<T, JsError> {
        // `Reflect::get` fails if `free()` was called on the object, or if the argument is not an object.
        let value = Reflect::get(self, &name.into()).ok();
        value.as_ref().and_then(read).ok_or_else(|| {
            exception(format!(
                "cloth.{name} is missing or has a wrong type: expected a Cloth that is not freed"
            ))
        })
    }
}
