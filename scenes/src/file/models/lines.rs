//! Tables of ropes, bridges and plants.

use taut_world::{Bridge, Model, Plant, Rope};

use super::make;
use crate::file::error::BuildError;
use crate::file::options::options;
use crate::file::triangles::TriangleReader;
use crate::file::values::{KindWord, Vector, points};

options! {
    /// [`Model::rope`].
    RopeText<const D: usize> => Rope {
        spacing: f32,
        density: f32,
        kind: KindWord,
        bending: f32,
    }
    extra { path: Vec<Vector<D>> }
}

make! { <D> RopeText<D> => |text, _| Model::rope(&points(&text.path), &text.options()) }

options! {
    /// [`Model::bridge`].
    BridgeText => Bridge {
        planks: usize,
        ropes: usize,
        width: f32,
        sag: f32,
        rails: f32,
        plank_mass: f32,
        density: f32,
    }
    extra { from: Vector<3>, to: Vector<3> }
}

make! {
    3, BridgeText => |text, _| Model::bridge(text.from.into(), text.to.into(), &text.options())
}

options! {
    /// [`Model::plant`].
    PlantText => Plant {
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

make! { <D> PlantText => |text, _| Model::plant(&text.options()) }
