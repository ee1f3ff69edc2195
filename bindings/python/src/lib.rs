//! The extension module `taut._taut`: worlds for Python. The package `taut` re-exports its contents and has
//! type stubs for them. The doc comments of public classes and functions are their docstrings.

mod arguments;
mod arrays;
mod create;
mod world;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    taut,
    TautError,
    PyValueError,
    "A call failed, or a number is out of range; the message says what is wrong."
);

/// The exception of a call that failed.
fn exception(error: impl ToString) -> PyErr {
    TautError::new_err(error.to_string())
}

#[pymodule(name = "_taut")]
mod module {
    #[pymodule_export]
    use super::TautError;
    #[pymodule_export]
    use super::create::scenes;
    #[pymodule_export]
    use super::world::{Outcome, World};
}
