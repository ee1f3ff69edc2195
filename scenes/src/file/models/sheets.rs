//! Tables of cloth and triangle meshes.

use taut_world::{Cloth, HexSheet, Model};

use super::builder;
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::{TriangleReader, triangles};
use crate::file::values::{AxesTable, BendingWord, DiagonalsWord, FamiliesWord, StickSetWord};

builder! {
    /// The parameters of [`Model::drape`].
    DrapeTable { size: usize, sticks: Option<StickSetWord> }
    => Model::drape(size, sticks.map(Into::into).unwrap_or_default())
}

builder! {
    /// The parameters of [`Model::disc`].
    DiscTable { size: usize, sticks: Option<StickSetWord> }
    => Model::disc(size, sticks.map(Into::into).unwrap_or_default())
}

builder! {
    /// The parameters of [`Model::sphere`]. Its key is `ball`, because `sphere` is the key of an
    /// obstacle.
    BallTable { size: usize, sticks: Option<StickSetWord> }
    => Model::sphere(size, sticks.map(Into::into).unwrap_or_default())
}

options! {
    /// The parameters of [`Model::cloth`].
    ClothTable<const D: usize> => Cloth<D> {
        columns: usize,
        rows: usize,
        width: f32,
        height: f32,
        axes: AxesTable<D>,
        families: FamiliesWord,
        density: f32,
        diagonals: DiagonalsWord,
    }
}

builder! { <D> ClothTable<D> => |table, _| Model::cloth(&table.options()) }

options! {
    /// The parameters of [`Model::hex_sheet`].
    HexSheetTable<const D: usize> => HexSheet<D> {
        columns: usize,
        rows: usize,
        spacing: f32,
        axes: AxesTable<D>,
        bending: BendingWord,
        density: f32,
    }
}

builder! { <D> HexSheetTable<D> => |table, _| Model::hex_sheet(&table.options()) }

triangles! {
    /// The parameters of [`Model::from_triangles`].
    MeshTable { bending: Option<BendingWord>, density: f32 }
}

builder! {
    3, MeshTable => |table, files| {
        let (positions, triangles) = table.read(files)?;
        let bending = table.bending.map(Into::into).unwrap_or_default();
        Model::from_triangles(&positions, &triangles, bending, table.density)
    }
}
