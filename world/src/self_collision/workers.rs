//! Threads that find contacts.

use taut_core::Executor;
use taut_lanes::Team;

use super::clusters::{CLUSTER, PART};

/// The minimum number of clusters per thread for which several threads are faster: a search in
/// this many takes some 10 µs or more, about as long as waking a thread.
const CLUSTERS_PER_THREAD_MIN: usize = 1024 / CLUSTER;

/// The threads that find contacts, each in some parts of the balls. Parts do not depend on the
/// number of threads, so the result does not either.
pub(crate) struct Workers<'a>(Option<SeveralThreads<'a>>);

/// More than one thread.
struct SeveralThreads<'a> {
    team: &'a mut Team,
    executor: &'a dyn Executor,
    threads: usize,
}

impl<'a> Workers<'a> {
    /// The calling thread alone.
    pub(crate) fn caller() -> Self {
        Self(None)
    }

    /// As many threads of the executor as are worthwhile for a number of clusters.
    pub(crate) fn new(team: &'a mut Team, executor: &'a dyn Executor, clusters: usize) -> Self {
        let threads = executor.threads().min(clusters / CLUSTERS_PER_THREAD_MIN);
        Self((threads > 1).then_some(SeveralThreads { team, executor, threads }))
    }

    /// Runs `work` once for each part, with its index.
    pub(crate) fn for_each<T: Send>(
        &mut self,
        parts: &mut [T],
        work: impl Fn(usize, &mut T) + Sync,
    ) {
        match &mut self.0 {
            Some(SeveralThreads { team, executor, threads }) => {
                team.for_each(*executor, *threads, parts, work);
            }
            None => parts.iter_mut().enumerate().for_each(|(index, part)| work(index, part)),
        }
    }
}

/// Makes a value for each part of a number of clusters.
pub(crate) fn by_part<T>(clusters: usize, mut new: impl FnMut() -> T) -> Vec<T> {
    (0..clusters.div_ceil(PART)).map(|_| new()).collect()
}

/// Searches again the parts that have found `limit` items, with a greater limit. What all parts together
/// have left unused of their limits is added to the limit of the first of these parts; what that part
/// leaves unused of it, to the limit of the next one; and so on. `count` returns how many items a part
/// has found; `find` searches a part, given its index, up to a limit.
pub(crate) fn share_unused<T>(
    parts: &mut [T],
    limit: usize,
    count: impl Fn(&T) -> usize,
    find: impl Fn(usize, &mut T, usize),
) {
    let found: usize = parts.iter().map(&count).sum();
    let mut unused = (limit * parts.len()).saturating_sub(found);
    for (index, part) in parts.iter_mut().enumerate() {
        let before = count(part);
        if before >= limit && unused > 0 {
            find(index, part, before + unused);
            unused = unused.saturating_sub(count(part) - before);
        }
    }
}
