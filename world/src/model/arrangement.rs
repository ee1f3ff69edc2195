//! Arrangements: numberings of particles and orders of sticks.

use std::fmt;
use std::iter::repeat_n;
use std::str::FromStr;

use taut_core::{MeshOrder, Particles, Renumbering, Schedule, SheetError, Sticks};

use super::Model;
use crate::error::ModelError;

/// The name of a way to order sticks. A [`Schedule`] is the order itself, made for the sticks of one
/// model; an [`Arrangement`] is an `Order` with a numbering of the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// By the numbers of the sticks: [`Schedule::authored`].
    Authored,
    /// Colours that span the whole mesh: [`Schedule::coloured`].
    Coloured,
    /// Packets of sticks from a local window: [`Schedule::packed`].
    Packed,
    /// Packets of stars: [`Schedule::starred`].
    Starred,
    /// Bands of consecutive particles, in each one direction after the other: [`Schedule::banded`].
    Banded,
    /// Blocks of particles that lie near each other: [`Schedule::blocked`].
    Blocked,
    /// Bands of rows, for regular sheets only: [`Sheet::schedule`](taut_core::Sheet::schedule).
    Sheet,
}

/// How particles are renumbered: before the schedule is made, which changes it and the result, or
/// after, which changes only the memory layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numbering {
    /// That of the model: nothing is renumbered.
    Given,
    /// [`Renumbering::reverse_cuthill_mckee`], before the schedule is made.
    Rcm,
    /// [`Renumbering::hilbert`], before the schedule is made.
    Hilbert,
    /// Like [`Rcm`](Self::Rcm), after the schedule is made.
    RcmAfter,
    /// Like [`Hilbert`](Self::Hilbert), after the schedule is made.
    HilbertAfter,
}

/// An order of the sticks and a numbering of the particles. As text it is `packed` (particles not
/// renumbered), `packed/rcm` (renumbered before the order is made) or `packed+rcm` (renumbered after
/// it). Like an [`Order`] it is a name; [`of`](Self::of) makes the [`Schedule`] of a model from it.
///
/// The same formula and arrangement give the same bits, and `packed+rcm` gives those of `packed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct Arrangement {
    /// The order of the sticks.
    pub order: Order,
    /// The numbering of the particles.
    pub numbering: Numbering,
}

/// Why an arrangement is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrangementError {
    /// An unknown name.
    #[error(
        "unknown schedule '{name}': expected authored, coloured, packed, starred, banded, blocked \
         or sheet, optionally with a numbering that is applied before the order is made \
         (packed/rcm) or after it (blocked+hilbert)"
    )]
    Unknown {
        /// The name.
        name: String,
    },
    /// The order of a regular sheet for a model that is not one.
    #[error(
        "the schedule 'sheet' needs a regular sheet, numbered row by row; this model is not one"
    )]
    NotASheet,
    /// More particles or sticks than 32-bit indices allow.
    #[error("{copies} copies have more particles or sticks than 32-bit indices allow")]
    TooManyCopies {
        /// How many copies.
        copies: usize,
    },
    /// The sticks are not those of the sheet.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// Sticks refer to particles that the model does not have.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// All orders with their names.
const ORDERS: [(Order, &str); 7] = [
    (Order::Authored, "authored"),
    (Order::Coloured, "coloured"),
    (Order::Packed, "packed"),
    (Order::Starred, "starred"),
    (Order::Banded, "banded"),
    (Order::Blocked, "blocked"),
    (Order::Sheet, "sheet"),
];

/// All numberings with the suffixes that follow the name of an order.
const NUMBERINGS: [(Numbering, &str); 5] = [
    (Numbering::Given, "/given"),
    (Numbering::Rcm, "/rcm"),
    (Numbering::Hilbert, "/hilbert"),
    (Numbering::RcmAfter, "+rcm"),
    (Numbering::HilbertAfter, "+hilbert"),
];

/// A renumbered model with its schedule.
#[derive(Clone, Debug)]
pub struct Arranged {
    /// The particles.
    pub particles: Particles<3>,
    /// The sticks.
    pub sticks: Sticks,
    /// The schedule.
    pub schedule: Schedule,
    /// The renumbering from the indices of the model; `None` if particles keep their numbers.
    pub renumbering: Option<Renumbering>,
}

impl Arrangement {
    /// The arrangements that are tried by default: orders on the given numbering or on a numbering
    /// with better memory locality; the order of the sheet is last, if the model is one.
    pub fn defaults(model: &Model) -> Vec<Self> {
        let mut names = vec![
            "authored",
            "coloured",
            "packed",
            "packed/rcm",
            "starred/rcm",
            "banded",
            "blocked/hilbert",
        ];
        if model.sheet.is_some() {
            names.push("sheet");
        }
        names.into_iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// Every order on the given numbering; [`Order::Sheet`] is last.
    pub fn orders() -> impl Iterator<Item = Self> {
        ORDERS.into_iter().map(|(order, _)| Self { order, numbering: Numbering::Given })
    }

    /// The default arrangement of a model: the order of its sheet if it is one, else that of
    /// [`Schedule::for_mesh`], with a numbering that suits it. A world uses it, too, unless
    /// [`Scene::order`](crate::Scene::order) is set.
    ///
    /// ```
    /// use taut_world::{Arrangement, Model, StickSet};
    ///
    /// let name = |disc: Model| Arrangement::default_of(&disc.shuffled(1)).to_string();
    /// assert_eq!(name(Model::disc(20, StickSet::All)?), "blocked");
    /// assert_eq!(name(Model::disc(80, StickSet::All)?), "starred/rcm");
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    pub fn default_of<const D: usize>(model: &Model<D>) -> Self {
        let given = |order| Self { order, numbering: Numbering::Given };
        match (&model.sheet, MeshOrder::of(&model.sticks)) {
            (Some(_), _) => given(Order::Sheet),
            (None, MeshOrder::Banded) => given(Order::Banded),
            (None, MeshOrder::Blocked) => given(Order::Blocked),
            (None, MeshOrder::Starred) => Self { order: Order::Starred, numbering: Numbering::Rcm },
        }
    }

    /// The simplest arrangement with the same result: without the renumbering after the schedule is
    /// made, if there is one.
    pub fn canonical(self) -> Self {
        match self.numbering {
            Numbering::Given | Numbering::Rcm | Numbering::Hilbert => self,
            Numbering::RcmAfter | Numbering::HilbertAfter => {
                Self { numbering: Numbering::Given, ..self }
            }
        }
    }

    /// Arranges copies of a model side by side, each with the schedule of a single one. One copy is
    /// arranged as by [`of`](Self::of).
    ///
    /// # Errors
    /// Same as [`of`](Self::of), or if there are more particles or sticks than 32-bit indices
    /// allow.
    ///
    /// # Panics
    /// Never: copies share no particle.
    pub fn of_copies(self, model: &Model, copies: usize) -> Result<Arranged, ArrangementError> {
        if copies == 1 {
            return self.of(model);
        }
        let too_many = ArrangementError::TooManyCopies { copies };
        let Arranged { particles, sticks, schedule, renumbering } = self.of(model)?;
        let particles = Particles::side_by_side(repeat_n(&particles, copies));
        let sticks = Sticks::side_by_side(repeat_n(&sticks, copies));
        let (Ok(particles), Ok(sticks)) = (particles, sticks) else { return Err(too_many) };
        let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, copies));
        Ok(Arranged {
            particles,
            sticks,
            schedule: schedule.expect("copies share no particle"),
            renumbering: renumbering.map(|renumbering| renumbering.repeated(copies)),
        })
    }

    /// Arranges a model.
    ///
    /// # Errors
    /// If the order is [`Order::Sheet`], and the model is not a sheet, its sticks are not those of the
    /// sheet, or the numbering is applied before the order is made. If sticks refer to particles that the
    /// model does not have.
    ///
    /// # Panics
    /// Never: renumbering keeps batches free of shared particles.
    pub fn of(self, model: &Model) -> Result<Arranged, ArrangementError> {
        let model = &*model.complete()?;
        let renumbering = match self.numbering {
            Numbering::Given => None,
            Numbering::Rcm | Numbering::RcmAfter => {
                Some(Renumbering::reverse_cuthill_mckee(&model.sticks))
            }
            Numbering::Hilbert | Numbering::HilbertAfter => {
                Some(Renumbering::hilbert(&model.particles))
            }
        };
        let (particles, sticks) = match &renumbering {
            None => (model.particles.clone(), model.sticks.clone()),
            Some(renumbering) => renumbering.apply(&model.particles, &model.sticks),
        };
        let schedule = match self.numbering {
            Numbering::Given => self.order.schedule(model)?,
            Numbering::Rcm | Numbering::Hilbert => {
                let renumbered = Model::new(particles.clone(), sticks.clone());
                self.order.schedule(&renumbered)?
            }
            Numbering::RcmAfter | Numbering::HilbertAfter => {
                let schedule = self.order.schedule(model)?.renumbered(&sticks);
                schedule.expect("renumbering keeps batches free of shared particles")
            }
        };
        Ok(Arranged { particles, sticks, schedule, renumbering })
    }
}

impl Order {
    fn schedule<const D: usize>(self, model: &Model<D>) -> Result<Schedule, ArrangementError> {
        let Model { particles, sticks, sheet, .. } = model;
        Ok(match self {
            Self::Authored => Schedule::authored(sticks),
            Self::Coloured => Schedule::coloured(sticks),
            Self::Packed => Schedule::packed(sticks),
            Self::Starred => Schedule::starred(sticks),
            Self::Banded => Schedule::banded(sticks),
            Self::Blocked => Schedule::blocked(particles, sticks),
            Self::Sheet => sheet.as_ref().ok_or(ArrangementError::NotASheet)?.schedule(sticks)?,
        })
    }
}

/// The schedule of a model, which depends on that model only: in the requested order if possible,
/// else in the order of its sheet, else [`Schedule::for_mesh`]. A request for the default order is no
/// request, because [`Order::Starred`] is the default in another numbering than the model's.
pub(crate) fn schedule_of<const D: usize>(model: &Model<D>, order: Option<Order>) -> Schedule {
    let requested = order.filter(|order| *order != Arrangement::default_of(model).order);
    let mut orders = [requested, Some(Order::Sheet)].into_iter().flatten();
    orders
        .find_map(|order| order.schedule(model).ok())
        .unwrap_or_else(|| Schedule::for_mesh(&model.particles, &model.sticks))
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = ORDERS.iter().find(|(order, _)| *order == self.order);
        let numbering = NUMBERINGS.iter().find(|(numbering, _)| *numbering == self.numbering);
        let (order, numbering) =
            (order.map_or("", |(_, name)| name), numbering.map_or("", |(_, name)| name));
        match self.numbering {
            Numbering::Given => f.pad(order),
            _ => f.pad(&format!("{order}{numbering}")),
        }
    }
}

impl FromStr for Arrangement {
    type Err = ArrangementError;

    fn from_str(name: &str) -> Result<Self, ArrangementError> {
        let unknown = || ArrangementError::Unknown { name: name.to_owned() };
        let (order, numbering) = match name.find(['/', '+']) {
            Some(separator) => name.split_at(separator),
            None => (name, "/given"),
        };
        let &(order, _) = ORDERS.iter().find(|(_, name)| *name == order).ok_or_else(unknown)?;
        let &(numbering, _) =
            NUMBERINGS.iter().find(|(_, name)| *name == numbering).ok_or_else(unknown)?;
        Ok(Self { order, numbering })
    }
}

impl From<Arrangement> for String {
    fn from(arrangement: Arrangement) -> Self {
        arrangement.to_string()
    }
}

impl TryFrom<String> for Arrangement {
    type Error = ArrangementError;

    fn try_from(name: String) -> Result<Self, ArrangementError> {
        name.parse()
    }
}
