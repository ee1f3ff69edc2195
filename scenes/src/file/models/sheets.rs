//! The TOML tables (`…Text`) of cloth and triangle meshes.

use taut_world::{Cloth, HexSheet, Model};

use super::make;
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::{TriangleReader, triangles};
use crate::file::values::{AxesText, BendingWord, DiagonalsWord, FamiliesWord, StickSetWord};

make! {
    /// [`Model::drape`].
    DrapeText { size: usize, sticks: Option<StickSetWord> }
    => Model::drape(size, sticks.map(Into::into).unwrap_or_default())
}

make! {
    /// [`Model::disc`].
    DiscText { size: usize, sticks: Option<StickSetWord> }
    => Model::disc(size, sticks.map(Into::into).unwrap_or_default())
}

make! {
    /// [`Model::sphere`]. Its key is `ball`; `sphere` is an obstacle.
    BallText { size: usize, sticks: Option<StickSetWord> }
    => Model::sphere(size, sticks.map(Into::into).unwrap_or_default())
}

options! {
    /// [`Model::cloth`].
    ClothText<const D: usize> => Cloth<D> {
        columns: usize,
        rows: usize,
        width: f32,
        height: f32,
        axes: AxesText<D>,
        families: FamiliesWord,
        density: f32,
        diagonals: DiagonalsWord,
    }
}

make! { <D> ClothText<D> => |text, _| Model::cloth(&text.options()) }

options! {
    /// [`Model::hex_sheet`].
    HexSheetText<const D: usize> => HexSheet<D> {
        columns: usize,
        rows: usize,
        spacing: f32,
        axes: AxesText<D>,
        bending: BendingWord,
        density: f32,
    }
}

make! { <D> HexSheetText<D> => |text, _| Model::hex_sheet(&text.options()) }

triangles! {
    /// [`Model::from_triangles`].
    MeshText { bending: Option<BendingWord>, density: f32 }
}

make! {
    3, MeshText => |text, files| {
        let (positions, triangles) = text.read(files)?;
        let bending = text.bending.map(Into::into).unwrap_or_default();
        Model::from_triangles(&positions, &triangles, bending, text.density)
    }
}
