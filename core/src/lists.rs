//! Lists of items, grouped by the owner of each item.

use alloc::vec::Vec;
use core::ops::Range;

/// A list of items for each owner, such as the sticks at each particle, stored in one vector
/// (as the rows of a compressed sparse matrix).
#[derive(Clone, Debug)]
pub struct GroupedLists<T = u32> {
    /// Where the list of each owner starts in `items`, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> GroupedLists<T> {
    /// Groups (owner, item) pairs by owner. The items of an owner keep their order (a stable
    /// counting sort).
    ///
    /// ```
    /// use taut_core::GroupedLists;
    ///
    /// let lists = GroupedLists::new(3, [(2, 'a'), (0, 'b'), (2, 'c')].into_iter());
    /// assert_eq!((lists.of(0), lists.of(1), lists.of(2)), (&['b'][..], &[][..], &['a', 'c'][..]));
    /// ```
    ///
    /// # Panics
    /// If an owner is not below `owners`. There must be fewer than 2³² pairs.
    pub fn new(owners: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        // The count of `owner` goes to entry `owner + 2`. After the prefix sum, entry `owner + 1`
        // is where the list of `owner` starts; filling the lists moves it to where that list ends.
        let mut starts = alloc::vec![0_u32; owners + 2];
        for (owner, _) in pairs.clone() {
            starts[owner as usize + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut items = Vec::new();
        if let Some((_, filler)) = pairs.clone().next() {
            items.resize(starts[owners + 1] as usize, filler);
        }
        for (owner, item) in pairs {
            let next = &mut starts[owner as usize + 1];
            items[*next as usize] = item;
            *next += 1;
        }
        starts.pop();
        Self { starts, items }
    }

    /// How many owners there are.
    pub fn owners(&self) -> usize {
        self.starts.len() - 1
    }

    /// The range of an owner's items in [`items`](Self::items).
    ///
    /// # Panics
    /// If there is no such owner.
    pub fn range(&self, owner: u32) -> Range<usize> {
        self.starts[owner as usize] as usize..self.starts[owner as usize + 1] as usize
    }

    /// The items of an owner.
    ///
    /// # Panics
    /// If there is no such owner.
    pub fn of(&self, owner: u32) -> &[T] {
        &self.items[self.range(owner)]
    }

    /// The list of each owner.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.owners() as u32).map(|owner| self.of(owner))
    }

    /// All items, grouped by owner.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// All items, grouped by owner, mutable.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// All items, grouped by owner, as one vector.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}

/// The range of list `index`, if consecutive lists end at `ends` and the first begins at 0.
///
/// ```
/// use taut_core::item_range;
///
/// assert_eq!([item_range(&[3, 5], 0), item_range(&[3, 5], 1)], [0..3, 3..5]);
/// ```
///
/// # Panics
/// If there is no such list.
#[inline]
pub fn item_range(ends: &[u32], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    start..ends[index] as usize
}
