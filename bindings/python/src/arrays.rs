//! NumPy arrays that are filled from a world.

use numpy::{
    BorrowError, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
    ToPyArray,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use taut::AnyWorldError;

use crate::exception;

/// An array with three numbers per vertex.
pub(crate) type Rows<'py> = Bound<'py, PyArrayDyn<f32>>;

/// Fills `out`, or a new array if it is `None`. `out` must have the given shape.
pub(crate) fn filled<'py>(
    py: Python<'py>,
    shape: &[usize],
    out: Option<Bound<'py, PyAny>>,
    fill: impl FnOnce(&mut [f32]) -> Result<(), AnyWorldError>,
) -> PyResult<Rows<'py>> {
    let out = match out {
        None => PyArrayDyn::zeros(py, shape, false),
        Some(out) => float32(out)?,
    };
    if out.shape() != shape {
        return Err(exception(format!(
            "the shape of out is {:?}, expected {shape:?}",
            out.shape()
        )));
    }
    if !out.is_c_contiguous() {
        return Err(exception("out is not C-contiguous"));
    }
    let mut writable = out.try_readwrite().map_err(|error| match error {
        BorrowError::AlreadyBorrowed => exception("out is in use by another call"),
        _ => exception("out is not writable"),
    })?;
    let values = writable.as_slice_mut().map_err(|_| exception("out is not aligned"))?;
    fill(values).map_err(exception)?;
    drop(writable);
    Ok(out)
}

/// An argument that must be an array of float32.
fn float32(out: Bound<'_, PyAny>) -> PyResult<Rows<'_>> {
    out.cast_into().map_err(|error| {
        let out = error.into_inner();
        let found = match out.cast::<PyUntypedArray>() {
            Ok(array) => array.dtype().to_string(),
            Err(_) => out.get_type().to_string(),
        };
        PyTypeError::new_err(format!("out must be a float32 array, found {found}"))
    })
}

/// Rows of N indices as an array of shape (n, N).
pub(crate) fn lists<const N: usize>(
    py: Python<'_>,
    rows: impl Iterator<Item = [u32; N]>,
) -> PyResult<Bound<'_, PyArray2<u32>>> {
    let indices: Vec<u32> = rows.flatten().collect();
    indices.to_pyarray(py).reshape([indices.len() / N, N])
}
