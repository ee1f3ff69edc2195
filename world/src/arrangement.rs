//! How a scene is laid out before a kernel gets it: numbering and order.

use std::fmt;
use std::str::FromStr;

use taut_core::{Particles, Renumbering, Schedule, SheetError, Sticks};

use crate::scene::Scene;

/// A builder of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// [`Schedule::authored`].
    Authored,
    /// [`Schedule::coloured`].
    Coloured,
    /// [`Schedule::packed`].
    Packed,
    /// [`Schedule::banded`].
    Banded,
    /// [`Schedule::blocked`].
    Blocked,
    /// [`Sheet::schedule`](taut_core::Sheet::schedule): regular sheets only.
    Sheet,
}

/// How particles are numbered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numbering {
    /// As they came.
    Given,
    /// [`Renumbering::reverse_cuthill_mckee`].
    Rcm,
    /// [`Renumbering::hilbert`].
    Hilbert,
}

/// An order of the sticks after a numbering of the particles: `packed`, `packed/rcm`, ...
/// Two rows of the same formula and arrangement have the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arrangement {
    /// The order of the sticks.
    pub order: Order,
    /// The numbering of the particles.
    pub numbering: Numbering,
}

/// Why there is no such arrangement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrangementError {
    /// A name that is none.
    #[error(
        "there is no schedule '{name}': choose authored, coloured, packed, banded, blocked or sheet, \
         and if you like a numbering after it: packed/rcm, blocked/hilbert"
    )]
    Unknown {
        /// The name.
        name: String,
    },
    /// The order of a regular sheet for something else.
    #[error("'sheet' is the order of a regular sheet, numbered row by row; this scene is none")]
    NotASheet,
    /// The sticks are not those of the sheet.
    #[error(transparent)]
    Sheet(#[from] SheetError),
}

const ORDERS: [(Order, &str); 6] = [
    (Order::Authored, "authored"),
    (Order::Coloured, "coloured"),
    (Order::Packed, "packed"),
    (Order::Banded, "banded"),
    (Order::Blocked, "blocked"),
    (Order::Sheet, "sheet"),
];

const NUMBERINGS: [(Numbering, &str); 3] =
    [(Numbering::Given, "given"), (Numbering::Rcm, "rcm"), (Numbering::Hilbert, "hilbert")];

/// A scene by its new numbers, with its schedule.
#[derive(Clone, Debug)]
pub struct Arranged {
    /// The particles.
    pub particles: Particles<3>,
    /// The sticks.
    pub sticks: Sticks,
    /// Their order.
    pub schedule: Schedule,
    /// The way back to the numbers of the scene, if they changed.
    pub renumbering: Option<Renumbering>,
}

impl Arrangement {
    /// What is tried when nothing else is said: orders on the numbering given, and those that
    /// a good numbering helps, on it.
    pub fn usual(scene: &Scene) -> Vec<Self> {
        let mut names =
            vec!["authored", "coloured", "packed", "packed/rcm", "banded", "blocked/hilbert"];
        if scene.sheet.is_some() {
            names.push("sheet");
        }
        names.into_iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// Every order on the numbering given, that of a sheet last.
    pub fn orders() -> impl Iterator<Item = Self> {
        ORDERS.into_iter().map(|(order, _)| Self { order, numbering: Numbering::Given })
    }

    /// Arranges a scene.
    ///
    /// # Errors
    /// If it is the order of a sheet and the scene is none.
    pub fn of(self, scene: &Scene) -> Result<Arranged, ArrangementError> {
        let renumbering = match self.numbering {
            Numbering::Given => None,
            Numbering::Rcm => Some(Renumbering::reverse_cuthill_mckee(&scene.sticks)),
            Numbering::Hilbert => Some(Renumbering::hilbert(&scene.particles)),
        };
        let (particles, sticks) = match &renumbering {
            None => (scene.particles.clone(), scene.sticks.clone()),
            Some(renumbering) => renumbering.apply(&scene.particles, &scene.sticks),
        };
        let schedule = match self.order {
            Order::Authored => Schedule::authored(&sticks),
            Order::Coloured => Schedule::coloured(&sticks),
            Order::Packed => Schedule::packed(&sticks),
            Order::Banded => Schedule::banded(&sticks),
            Order::Blocked => Schedule::blocked(&particles, &sticks),
            Order::Sheet => match (&scene.sheet, &renumbering) {
                (Some(sheet), None) => sheet.schedule(&sticks)?,
                _ => return Err(ArrangementError::NotASheet),
            },
        };
        Ok(Arranged { particles, sticks, schedule, renumbering })
    }
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = ORDERS.iter().find(|(order, _)| *order == self.order);
        let numbering = NUMBERINGS.iter().find(|(numbering, _)| *numbering == self.numbering);
        let (order, numbering) = (order.map_or("", |it| it.1), numbering.map_or("", |it| it.1));
        match self.numbering {
            Numbering::Given => f.pad(order),
            _ => f.pad(&format!("{order}/{numbering}")),
        }
    }
}

impl FromStr for Arrangement {
    type Err = ArrangementError;

    fn from_str(name: &str) -> Result<Self, ArrangementError> {
        let unknown = || ArrangementError::Unknown { name: name.to_owned() };
        let (order, numbering) = name.split_once('/').unwrap_or((name, "given"));
        let &(order, _) = ORDERS.iter().find(|(_, name)| *name == order).ok_or_else(unknown)?;
        let &(numbering, _) =
            NUMBERINGS.iter().find(|(_, name)| *name == numbering).ok_or_else(unknown)?;
        Ok(Self { order, numbering })
    }
}
