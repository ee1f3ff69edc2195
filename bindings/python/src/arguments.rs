//! Arguments that are counts, indices and arrays of indices.

use std::fmt::Display;

use numpy::{
    AllowTypeChange, Element, PyArrayDescrMethods, PyArrayLike2, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods, get_array_module,
};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::exception;

/// A count or an index.
///
/// For integers out of range PyO3 raises an OverflowError. Here they raise a `TautError`, as all other
/// numbers out of range do. PyO3 adds the name of the argument as a note.
pub(crate) fn unsigned<T: TryFrom<u32>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let out_of_range =
        || exception(format!("expected an integer from 0 to {}, found {value}", u32::MAX));
    match value.extract::<u32>() {
        Ok(number) => T::try_from(number).map_err(|_| out_of_range()),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Err(out_of_range()),
        Err(error) => Err(error),
    }
}

/// A count or an index, or None.
pub(crate) fn optional_unsigned<T: TryFrom<u32>>(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { unsigned(value).map(Some) }
}

/// A point, some points, or None.
///
/// For a wrong number of coordinates PyO3 raises a ValueError, and for an integer that is too large an
/// OverflowError. Here both raise a `TautError`.
pub(crate) fn points<'py, T: FromPyObjectOwned<'py>>(value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let (error, py) = (Into::<PyErr>::into(error), value.py());
        let is_invalid_point =
            error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyOverflowError>(py);
        if is_invalid_point { exception(error.value(py)) } else { error }
    })
}

/// The rows of an array of shape (n, 3).
pub(crate) fn triples<T: Element + Copy>(
    name: &str,
    array: &PyReadonlyArray2<'_, T>,
) -> PyResult<Vec<[T; 3]>> {
    if array.shape()[1] != 3 {
        return Err(exception(format!(
            "the shape of {name} is {:?}, expected (n, 3)",
            array.shape()
        )));
    }
    // A field of a packed structured array, for example, is not aligned: its strides are no multiples of the size
    // of its numbers.
    if !array.is_aligned() {
        return Err(exception(format!(
            "{name} is not aligned: pass numpy.ascontiguousarray({name})"
        )));
    }
    Ok(array.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect())
}

/// The corners of triangles, from an array of any integer type.
///
/// The array is not simply cast to `u32`: that would wrap negative numbers and truncate floats.
pub(crate) fn corners(triangles: &Bound<'_, PyAny>, vertices: usize) -> PyResult<Vec<[u32; 3]>> {
    let array = get_array_module(triangles.py())?.call_method1("asarray", (triangles,))?;
    let dtype = array.cast::<PyUntypedArray>()?.dtype();
    match dtype.kind() {
        b'i' => {
            let array: PyArrayLike2<'_, i64, AllowTypeChange> = array.extract()?;
            indices(&triples("triangles", &array)?, vertices)
        }
        b'u' => {
            let array: PyArrayLike2<'_, u64, AllowTypeChange> = array.extract()?;
            indices(&triples("triangles", &array)?, vertices)
        }
        _ => Err(PyTypeError::new_err(format!("triangles must be integers, found {dtype}"))),
    }
}

/// Checks that the corners of triangles are indices of vertices.
fn indices<T>(triangles: &[[T; 3]], vertices: usize) -> PyResult<Vec<[u32; 3]>>
where
    T: Copy + Display,
    u32: TryFrom<T>,
{
    let index = |triangle: usize, corner: usize| {
        let found = triangles[triangle][corner];
        let index = u32::try_from(found).ok().filter(|&index| (index as usize) < vertices);
        index.ok_or_else(|| {
            exception(format!(
                "triangles[{triangle}, {corner}] is {found}, expected the index of one of the \
                 {vertices} vertices"
            ))
        })
    };
    let row = |row: usize| Ok([index(row, 0)?, index(row, 1)?, index(row, 2)?]);
    (0..triangles.len()).map(row).collect()
}
