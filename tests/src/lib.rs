//! What golden hashes are hashes of: shared by the conformance tests, which compare them with
//! `golden.txt`, and by the example `hashes`, which prints them on any target.
#![forbid(unsafe_code)]

use taut::world::{Arranged, Arrangement, Model, Order, StickSet};
use taut::{Formula, Step};

/// After how many [steps](step) the positions are hashed.
pub const STEPS: usize = 8;

/// What each exhibit does [`STEPS`] times.
pub fn step() -> Step<3> {
    Step { iterations: 4, ..Step::default() }
}

/// A scene in an order, by a formula.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// Model, order and formula.
    pub name: String,
    /// The scene with its order, in its own numbering.
    pub arranged: Arranged,
    /// The formula.
    pub formula: Formula,
}

/// Scenes of a sheet, a disc and a sphere, each in colours, stars, bands and blocks, and as a sheet if
/// it is one, by every formula.
///
/// # Panics
/// Never: these scenes can be made, and arranged so.
pub fn exhibits() -> impl Iterator<Item = Exhibit> {
    let scenes = [
        ("drape-64-all", Model::drape(64, StickSet::All)),
        ("disc-40-all", Model::disc(40, StickSet::All)),
        ("sphere-28-all", Model::sphere(28, StickSet::All)),
    ];
    scenes.into_iter().flat_map(|(name, scene)| {
        let scene = scene.expect("such scenes can be made");
        let fits = |order: &Arrangement| match order.order {
            Order::Authored | Order::Packed => false,
            Order::Coloured | Order::Starred | Order::Banded | Order::Blocked => true,
            Order::Sheet => scene.sheet.is_some(),
        };
        let orders: Vec<Arrangement> = Arrangement::orders().filter(fits).collect();
        orders.into_iter().flat_map(move |order| {
            let arranged = order.of(&scene).expect("such scenes can be arranged so");
            Formula::ALL.into_iter().map(move |formula| Exhibit {
                name: format!("{name} {order} {formula}"),
                arranged: arranged.clone(),
                formula,
            })
        })
    })
}
