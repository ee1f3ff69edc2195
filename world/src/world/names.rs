//! What particles and sticks are called in a world and in its islands.

/// No number: what it names is gone.
const GONE: u32 = u32::MAX;

/// The numbers of a world's particles, or of its sticks, and those that they have in the islands.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// For each number of the world the island and the number there, if it is still there.
    places: Vec<[u32; 2]>,
    /// For each island and number there the number of the world.
    names: Vec<Vec<u32>>,
}

impl Names {
    /// `len` numbers of a world, in no island yet.
    pub(super) fn new(len: usize) -> Self {
        Self { places: vec![[GONE; 2]; len], names: Vec::new() }
    }

    /// Adds an island whose numbers `0..` are called `names` in the world.
    pub(super) fn add(&mut self, names: Vec<u32>) {
        self.names.push(names);
        self.rename(self.names.len() - 1);
    }

    /// Keeps, of the numbers of an island, those given, which are `0..` from now on.
    pub(super) fn keep(&mut self, island: usize, kept: &[u32]) {
        for &name in &self.names[island] {
            self.places[name as usize][1] = GONE;
        }
        self.names[island] = kept.iter().map(|&old| self.names[island][old as usize]).collect();
        self.rename(island);
    }

    fn rename(&mut self, island: usize) {
        for (number, &name) in self.names[island].iter().enumerate() {
            self.places[name as usize] = [island as u32, number as u32];
        }
    }

    /// How many numbers the world has.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The island and the number there, if it is still there. Panics if the world has no such
    /// number.
    pub(super) fn locate(&self, name: usize) -> Option<(usize, usize)> {
        let [island, number] = self.places[name];
        (number != GONE).then_some((island as usize, number as usize))
    }

    /// The same of a number that may be nonsense.
    pub(super) fn locate_if_any(&self, name: usize) -> Option<(usize, usize)> {
        (name < self.len()).then(|| self.locate(name)).flatten()
    }

    /// The numbers of the world, by those of an island.
    pub(super) fn of(&self, island: usize) -> &[u32] {
        &self.names[island]
    }
}
