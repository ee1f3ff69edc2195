//! Tables of ropes, bridges and plants.

use taut_world::{Bridge, Model, Plant, Rope};

use super::builder; // expands to code that names `BuildError` and `TriangleReader`
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::TriangleReader;
use crate::file::values::{KindWord, Vector, points};

options! {
    /// The parameters of [`Model::rope`].
    RopeTable<const D: usize> => Rope {
        spacing: f32,
        density: f32,
        kind: KindWord,
        bending: f32,
    }
    required { path: Vec<Vector<D>> }
}

builder! { <D> RopeTable<D> => |table, _| Model::rope(&points(&table.path), &table.options()) }

options! {
    /// The parameters of [`Model::bridge`].
    BridgeTable => Bridge {
        planks: usize,
        ropes: usize,
        width: f32,
        sag: f32,
        rails: f32,
        plank_mass: f32,
        density: f32,
    }
    required { from: Vector<3>, to: Vector<3> }
}

builder! {
    3, BridgeTable => |table, _| Model::bridge(table.from.into(), table.to.into(), &table.options())
}

options! {
    /// The parameters of [`Model::plant`].
    PlantTable => Plant {
        height: f32,
        pieces: usize,
        levels: u32,
        angle: f32,
        leaf: f32,
        thickness: f32,
        wood_density: f32,
        leaf_density: f32,
        stiffness: f32,
        seed: u64,
    }
}

builder! { <D> PlantTable => |table, _| Model::plant(&table.options()) }
