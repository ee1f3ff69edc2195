//! The numbers of particles and sticks in a world, and in its islands.

/// In place of a number in an island: the particle or stick was removed.
const GONE: u32 = u32::MAX;

/// Maps the numbers of a world's particles (or sticks), here *names*, to numbers in islands, and
/// back.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// For each name the island and the number there, or [`GONE`].
    places: Vec<[u32; 2]>,
    /// For each island and number there the name.
    names: Vec<Vec<u32>>,
}

impl Names {
    /// `len` names, in no island yet.
    pub(super) fn new(len: usize) -> Self {
        Self { places: vec![[GONE; 2]; len], names: Vec::new() }
    }

    /// Adds an island whose numbers `0..` have these names.
    pub(super) fn add(&mut self, names: Vec<u32>) {
        self.names.push(names);
        self.update_places(self.names.len() - 1);
    }

    /// Removes from an island all numbers but `kept`, which become `0..`.
    pub(super) fn keep(&mut self, island: usize, kept: &[u32]) {
        for &name in &self.names[island] {
            self.places[name as usize][1] = GONE;
        }
        self.names[island] = kept.iter().map(|&old| self.names[island][old as usize]).collect();
        self.update_places(island);
    }

    fn update_places(&mut self, island: usize) {
        for (number, &name) in self.names[island].iter().enumerate() {
            self.places[name as usize] = [island as u32, number as u32];
        }
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The island and the number there, if not removed. Panics if the name does not exist.
    pub(super) fn locate(&self, name: usize) -> Option<(usize, usize)> {
        let [island, number] = self.places[name];
        (number != GONE).then_some((island as usize, number as usize))
    }

    /// As [`locate`](Self::locate); None if the name does not exist.
    pub(super) fn try_locate(&self, name: usize) -> Option<(usize, usize)> {
        (name < self.len()).then(|| self.locate(name)).flatten()
    }

    /// The names in an island, by number.
    pub(super) fn of(&self, island: usize) -> &[u32] {
        &self.names[island]
    }
}
