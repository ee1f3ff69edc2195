//! Why models cannot be tied.

use core::fmt;

use taut_core::LimitError;

use crate::error::ModelError;

/// Why a [`Tie`](crate::Tie) cannot be attached.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("tie {tie} (counted from 0, ties of a group as one){}: {problem}", EndSuffix(*end))]
pub struct TieError {
    /// The number of the call of [`Scene::attach`](crate::Scene::attach), counted from 0, without
    /// calls that failed before. (One call may make several ties.)
    pub tie: usize,
    /// The end of the tie that is invalid, if only one is.
    pub end: Option<WhichEnd>,
    /// What is wrong.
    pub problem: TieProblem,
}

/// An end of a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichEnd {
    /// The first.
    From,
    /// The second.
    To,
}

impl WhichEnd {
    /// Both ends, in order.
    pub(super) const BOTH: [Self; 2] = [Self::From, Self::To];

    /// The name of the end in messages and scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::To => "to",
        }
    }
}

/// Displays the invalid end of a tie, if any, after the number of the tie.
struct EndSuffix(Option<WhichEnd>);

impl fmt::Display for EndSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |end| write!(f, ", '{}'", end.name()))
    }
}

/// What is wrong with a tie.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TieProblem {
    /// The scene has no such model.
    #[error("there is no model '{model}'")]
    NoSuchModel {
        /// The name of the missing model.
        model: String,
    },
    /// The model has no such group.
    #[error("the model '{model}' has no group '{group}'")]
    NoSuchGroup {
        /// The name of the model.
        model: String,
        /// The name of the group.
        group: String,
    },
    /// The group has no particles.
    #[error("the group '{group}' of the model '{model}' has no particles")]
    EmptyGroup {
        /// The name of the model.
        model: String,
        /// The name of the group.
        group: String,
    },
    /// The model has no such particle, stick, limb, face or body.
    #[error("the model '{model}' has no {part} {number} (counted from 0); it has {count}")]
    NoSuchPart {
        /// The name of the model.
        model: String,
        /// Which kind of part, as in "particle".
        part: &'static str,
        /// The number of the part.
        number: u32,
        /// How many the model has.
        count: usize,
    },
    /// An emitter moves the particle to its source.
    #[error("particle {particle} of the model '{model}' is emitted, and cannot be tied")]
    Emitted {
        /// The name of the model.
        model: String,
        /// The number of the particle in the model.
        particle: u32,
    },
    /// A place on a body has no point, and the other end cannot define one: it is a body without a
    /// point, too, or the body has no volume.
    #[error("body {body} of the model '{model}' needs a 'point', in body coordinates")]
    NoBodyPoint {
        /// The name of the model.
        model: String,
        /// The number of the body in the model.
        body: u32,
    },
    /// The ends have different numbers of points, and neither has exactly one.
    #[error("its ends have {from} and {to} points; the numbers must be equal, or one must be 1")]
    DifferentCounts {
        /// Number of points of the first end.
        from: usize,
        /// Number of points of the second end.
        to: usize,
    },
    /// Both points move the same particle.
    #[error("both ends move particle {particle} of the model '{model}'")]
    SharedParticle {
        /// The name of the model.
        model: String,
        /// The number of the particle in the model.
        particle: u32,
    },
    /// The same two points are tied already.
    #[error("its two points are already joined by tie {first}")]
    Duplicate {
        /// The number of the call that tied them.
        first: usize,
    },
    /// A value is out of range.
    #[error(transparent)]
    Value(#[from] ModelError),
    /// A scene would have too many ties.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
