//! Union-find.

/// Disjoint sets of indices from 0; the root of a set is its lowest index. Holds the parent of each
/// index, which for a root is the root itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// `count` sets of one index each.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Makes `count` sets of one index each, in the same memory.
    pub(crate) fn reset(&mut self, count: usize) {
        self.0.clear();
        self.0.extend(0..count as u32);
    }

    /// The root of the set that contains an index. Shortens the path to it (path halving).
    pub(crate) fn root(&mut self, mut index: u32) -> u32 {
        while self.0[index as usize] != index {
            let grandparent = self.0[self.0[index as usize] as usize];
            self.0[index as usize] = grandparent;
            index = grandparent;
        }
        index
    }

    /// Unites the sets of two indices.
    pub(crate) fn unite(&mut self, [a, b]: [u32; 2]) {
        let [a, b] = [a, b].map(|index| self.root(index));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
