//! A user's choice of kernels, as tools parse and print it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

#[cfg(feature = "colour")]
use taut_colour::PoolError;

use taut_core::{LimitError, check_limit};

use crate::{KernelSet, SheetsAndCopies};

/// The name of a kernel.
///
/// ```
/// use taut_any::KernelName;
///
/// assert_eq!("grid".parse(), Ok(KernelName::Grid));
/// let error = "abacus".parse::<KernelName>().unwrap_err();
/// assert!(error.to_string().contains("scalar, wide, pulp, grid, copies, colour"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelName {
    /// One stick at a time.
    Scalar,
    /// 8 lanes, instruction set chosen at compile time.
    Wide,
    /// Instruction set chosen at run time.
    Pulp,
    /// Regular sheets.
    Grid,
    /// Copies of one mesh.
    Copies,
    /// Any of the other kernels, on several threads.
    Colour,
}

impl KernelName {
    /// All kernels.
    pub const ALL: [Self; 6] =
        [Self::Scalar, Self::Wide, Self::Pulp, Self::Grid, Self::Copies, Self::Colour];

    /// The name that [`Kernel::name`](taut_core::Kernel::name) returns.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Wide => "wide",
            Self::Pulp => "pulp",
            Self::Grid => "grid",
            Self::Copies => "copies",
            Self::Colour => "colour",
        }
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no kernel of the given name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kernel '{name}'; the kernels are {}", list(KernelName::ALL.map(KernelName::name)))]
pub struct UnknownKernelName {
    /// The name given.
    pub name: String,
}

impl FromStr for KernelName {
    type Err = UnknownKernelName;

    fn from_str(name: &str) -> Result<Self, UnknownKernelName> {
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == name);
        found.ok_or_else(|| UnknownKernelName { name: name.into() })
    }
}

/// A user's choice of kernels for a world: name, instruction set and threads. `None` selects the
/// best on this machine.
///
/// ```
/// use taut_any::{KernelChoice, KernelName};
///
/// let best = KernelChoice::default().find()?;
/// println!("{best}");
///
/// let scalar = KernelChoice { kernel: Some(KernelName::Scalar), ..KernelChoice::default() };
/// assert_eq!(scalar.find()?.name(), "scalar");
///
/// let wrong = KernelChoice { isa: Some("abacus".to_owned()), ..KernelChoice::default() };
/// assert!(wrong.find().unwrap_err().to_string().contains("'abacus'"));
/// # Ok::<(), taut_any::KernelChoiceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelChoice {
    /// The kernel. `grid` relaxes only regular sheets that are [wide
    /// enough](crate::AnyKernel::suits_grid), and `copies` only copies of one mesh, if there are
    /// [enough](crate::AnyKernel::suits_copies). Their
    /// [`KernelSet`] also has the best general kernel on the same instruction set; the set of `grid`
    /// has the copies kernel, too. `scalar`, `wide` and `pulp` relax everything. `colour` is an
    /// error: choose another kernel and several [`threads`](Self::threads).
    pub kernel: Option<KernelName>,
    /// The instruction set, as returned by [`Kernel::isa`](taut_core::Kernel::isa).
    pub isa: Option<String>,
    /// The number of threads; 1 is the calling thread alone, and 0 (with the feature `colour`)
    /// stands for one thread per logical processor that the process may use.
    pub threads: usize,
}

impl Default for KernelChoice {
    /// The best kernels, on one thread.
    fn default() -> Self {
        Self { kernel: None, isa: None, threads: 1 }
    }
}

/// Why the chosen kernels are not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelChoiceError {
    /// This build does not have the kernel, or this machine cannot run it.
    #[error("this build has no kernel '{kernel}' on this machine; available: {available}")]
    Kernel {
        /// The chosen kernel.
        kernel: KernelName,
        /// The available kernels, separated by commas.
        available: String,
    },
    /// `colour` was chosen, which is not a kernel of its own.
    #[error(
        "the kernel 'colour' runs another kernel on several threads: choose that kernel, and a number \
         of threads other than 1"
    )]
    Colour,
    /// No kernel uses the instruction set.
    #[error(
        "no kernel of this build uses the instruction set '{isa}' on this machine; available: \
         {available}"
    )]
    Isa {
        /// The chosen instruction set.
        isa: String,
        /// The available instruction sets, separated by commas.
        available: String,
    },
    /// The kernel does not use the instruction set, but another kernel does.
    #[error("the kernel '{kernel}' does not use the instruction set '{isa}'; it uses: {available}")]
    KernelOnIsa {
        /// The chosen kernel.
        kernel: KernelName,
        /// The chosen instruction set.
        isa: String,
        /// The instruction sets of the kernel, separated by commas.
        available: String,
    },
    /// More than 1024 threads.
    #[error(transparent)]
    TooManyThreads(#[from] LimitError),
    /// The threads cannot be started.
    #[cfg(feature = "colour")]
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// This build has no support for several threads.
    #[cfg(not(feature = "colour"))]
    #[error(
        "the number of threads is {threads}: without the feature `colour` this build supports only 1"
    )]
    Threads {
        /// The chosen number of threads.
        threads: usize,
    },
}

/// The distinct names, separated by commas.
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct.join(", ")
}

impl KernelChoice {
    /// The maximum number of threads.
    pub const THREADS_MAX: usize = 1024;

    /// The chosen kernels, on the chosen number of threads.
    ///
    /// # Errors
    /// If this build does not have these kernels on this machine, if `colour` is chosen, if the threads
    /// cannot be started (without the feature `colour`: if the number of threads is not 1), or if there
    /// are more than [`THREADS_MAX`](Self::THREADS_MAX).
    pub fn find(&self) -> Result<KernelSet, KernelChoiceError> {
        let Self { kernel, ref isa, threads } = *self;
        // The number is checked first: the system would refuse too many threads only after it has
        // started many.
        check_limit("threads", threads as u128, Self::THREADS_MAX)?;
        let all = KernelSet::available(SheetsAndCopies::ALL);
        let list_isas = |sets: &[KernelSet]| list(sets.iter().map(KernelSet::isa));
        let mut sets = all.clone();
        if kernel == Some(KernelName::Colour) {
            return Err(KernelChoiceError::Colour);
        }
        if let Some(kernel) = kernel {
            let available = list(sets.iter().map(KernelSet::name));
            sets.retain(|set| set.name() == kernel.name());
            if sets.is_empty() {
                return Err(KernelChoiceError::Kernel { kernel, available });
            }
        }
        if let Some(isa) = isa {
            let is_isa_known = all.iter().any(|set| set.isa() == isa);
            let available = list_isas(&sets);
            sets.retain(|set| set.isa() == isa);
            match kernel {
                _ if !sets.is_empty() => {}
                Some(kernel) if is_isa_known => {
                    let isa = isa.clone();
                    return Err(KernelChoiceError::KernelOnIsa { kernel, isa, available });
                }
                _ => {
                    return Err(KernelChoiceError::Isa {
                        isa: isa.clone(),
                        available: list_isas(&all),
                    });
                }
            }
        }
        // `available` returns at least one set, and the filters above return an error if none is left.
        let best = sets.swap_remove(0);
        #[cfg(feature = "colour")]
        {
            Ok(best.on_threads(threads)?)
        }
        #[cfg(not(feature = "colour"))]
        {
            if threads == 1 { Ok(best) } else { Err(KernelChoiceError::Threads { threads }) }
        }
    }
}
