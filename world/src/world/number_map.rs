//! Maps the numbers of particles and sticks in a world to their numbers in its islands, and back.

/// Marks a particle or stick that was removed, or is in no island yet.
const REMOVED: u32 = u32::MAX;

/// Maps the numbers of a world's particles (or sticks), its *world numbers*, to numbers in islands,
/// and back.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberMap {
    /// For each world number, the island and the number in it; the latter is [`REMOVED`] if it is in
    /// none.
    locations: Vec<[u32; 2]>,
    /// For each island and number in it, the world number.
    world_numbers: Vec<Vec<u32>>,
}

impl NumberMap {
    /// World numbers `0..len`, in no island yet.
    pub(super) fn new(len: usize) -> Self {
        Self { locations: vec![[REMOVED; 2]; len], world_numbers: Vec::new() }
    }

    /// Adds an island. `world_numbers[i]` is the world number of its particle (or stick) `i`.
    pub(super) fn add_island(&mut self, world_numbers: Vec<u32>) {
        self.world_numbers.push(world_numbers);
        self.update_locations(self.world_numbers.len() - 1);
    }

    /// Removes from an island all numbers but `kept`, which are renumbered from 0.
    pub(super) fn keep_only(&mut self, island: usize, kept: &[u32]) {
        let before = &self.world_numbers[island];
        for &world_number in before {
            self.locations[world_number as usize][1] = REMOVED;
        }
        self.world_numbers[island] = kept.iter().map(|&old| before[old as usize]).collect();
        self.update_locations(island);
    }

    /// Moves the numbers `moved` of an island to a new island. They are renumbered from 0, and so
    /// are the others, `kept`.
    pub(super) fn split(&mut self, island: usize, kept: &[u32], moved: &[u32]) {
        let before = &self.world_numbers[island];
        let moved = moved.iter().map(|&old| before[old as usize]).collect();
        self.keep_only(island, kept);
        self.add_island(moved);
    }

    /// Updates the locations of all particles (or sticks) of an island.
    fn update_locations(&mut self, island: usize) {
        for (number, &world_number) in self.world_numbers[island].iter().enumerate() {
            self.locations[world_number as usize] = [island as u32, number as u32];
        }
    }

    /// Count of world numbers, including those of removed particles (or sticks).
    pub(super) fn len(&self) -> usize {
        self.locations.len()
    }

    /// The island of a particle (or stick) and its number there; None if it was removed. Panics if the
    /// world number does not exist.
    pub(super) fn locate(&self, world_number: usize) -> Option<(usize, usize)> {
        let [island, number] = self.locations[world_number];
        (number != REMOVED).then_some((island as usize, number as usize))
    }

    /// Like [`locate`](Self::locate); None if the world number does not exist.
    pub(super) fn try_locate(&self, world_number: usize) -> Option<(usize, usize)> {
        (world_number < self.len()).then(|| self.locate(world_number)).flatten()
    }

    /// The world numbers of the particles (or sticks) of an island, by their numbers in it.
    pub(super) fn in_island(&self, island: usize) -> &[u32] {
        &self.world_numbers[island]
    }
}
