//! Arbitrary graphs of sticks, and their schedules by every builder.

use arbitrary::Arbitrary;
use taut::{Duplicates, Family, Kind, Particles, Schedule, Sheet, Sticks};

/// How to make particles and sticks. Its values are small integers, so that every graph is valid.
#[derive(Arbitrary, Debug)]
pub struct Graph {
    shape: Shape,
    particles: Vec<Particle>,
    sticks: Vec<Stick>,
}

#[derive(Arbitrary, Debug)]
enum Shape {
    /// The listed sticks alone.
    Free,
    /// A number of particles, and three distances. For each distance, sticks join each particle to the
    /// one whose number is larger by the distance plus one. The listed sticks come after them.
    Runs(u8, [u8; 3]),
    /// A regular sheet: columns (modulo 24, plus 1), rows (modulo 10, plus 1), and a bit for each
    /// family.
    Sheet(u8, u8, u16),
    /// This many copies (modulo 18, plus 2) of the first listed particles and sticks.
    Copies(u8),
}

#[derive(Arbitrary, Debug)]
struct Particle {
    /// 16ths of a metre.
    position: [i8; 3],
    /// Position minus previous position, 256ths of a metre.
    displacement: [i8; 3],
    inverse_mass: InverseMass,
}

/// An inverse mass: pinned, ordinary, or at a limit of the valid range.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum InverseMass {
    Pinned,
    One,
    Light,
    Heavy,
    /// In 16ths of 1/kg, minus one: 0 is 1/16.
    Other(u8),
}

impl InverseMass {
    /// The inverse mass, 1/kg.
    pub fn value(self) -> f32 {
        match self {
            Self::Pinned => 0.0,
            Self::One => 1.0,
            Self::Light => 1e9,
            Self::Heavy => 1e-9,
            Self::Other(sixteenths) => (f32::from(sixteenths) + 1.0) / 16.0,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Stick {
    ends: [u8; 2],
    /// The rest length in 16ths of a metre, minus one: 0 is 1/16 m.
    rest: u8,
    change: StickChange,
}

/// A change of a stick; most make it non-plain.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum StickChange {
    None,
    /// In 256ths, minus one: 0 is 1/256.
    Stiffness(u8),
    /// mm/N.
    Compliance(u8),
    Maximum,
    Minimum,
    TwoSided,
    Tear,
    Mend,
}

impl StickChange {
    /// Changes a stick.
    pub fn apply(self, sticks: &mut Sticks, stick: usize) {
        let result = match self {
            Self::None => Ok(()),
            Self::Stiffness(x) => sticks.set_stiffness(stick, (f32::from(x) + 1.0) / 256.0),
            Self::Compliance(x) => sticks.set_compliance(stick, 0.001 * f32::from(x)),
            Self::Maximum => sticks.set_kind(stick, Kind::Maximum),
            Self::Minimum => sticks.set_kind(stick, Kind::Minimum),
            Self::TwoSided => sticks.set_kind(stick, Kind::TwoSided),
            Self::Tear => sticks.tear(stick),
            Self::Mend => sticks.mend(stick),
        };
        result.expect("the values are valid");
    }
}

/// Particles and sticks.
#[derive(Debug)]
pub struct Mesh {
    pub particles: Particles<3>,
    pub sticks: Sticks,
    sheet: Option<Sheet>,
    /// The number of copies that the particles and the sticks consist of; 1: no copies.
    copies: usize,
}

/// The largest number of particles, so that an input takes less than a millisecond.
const PARTICLES_MAX: usize = 256;
/// The largest number of listed sticks.
const STICKS_MAX: usize = 1024;

impl Graph {
    /// The particles and the sticks.
    pub fn mesh(&self) -> Mesh {
        let (mut sheet, mut copies) = (None, 1);
        let count = self.particles.len().min(PARTICLES_MAX);
        let (count, pairs) = match self.shape {
            Shape::Free => (count, self.listed_pairs(count)),
            Shape::Runs(count, distances) => {
                let count = usize::from(count);
                let run = |distance: u8| {
                    let distance = 1 + u32::from(distance);
                    (0..(count as u32).saturating_sub(distance))
                        .map(move |first| [first, first + distance])
                };
                let mut pairs: Vec<[u32; 2]> = distances.into_iter().flat_map(run).collect();
                pairs.extend(self.listed_pairs(count));
                (count, pairs)
            }
            Shape::Sheet(columns, rows, families) => {
                let [columns, rows] = [columns % 24, rows % 10].map(|count| 1 + usize::from(count));
                let has = |nth: &usize| families >> nth & 1 == 1;
                let families = (0..Family::ALL.len()).filter(has);
                let families: Vec<Family> = families.map(|nth| Family::ALL[nth]).collect();
                let new_sheet = Sheet::new(columns, rows, &families);
                let pairs = new_sheet.pairs();
                sheet = Some(new_sheet);
                (columns * rows, pairs)
            }
            Shape::Copies(extra) => {
                copies = 2 + usize::from(extra % 18);
                let count = count.min(PARTICLES_MAX / copies);
                let pairs = self.listed_pairs(count);
                let pairs = &pairs[..pairs.len().min(STICKS_MAX / copies)];
                let copy = |nth: usize| {
                    pairs.iter().map(move |ends| ends.map(|end| end + (nth * count) as u32))
                };
                (copies * count, (0..copies).flat_map(copy).collect())
            }
        };
        let particles = self.make_particles(count);
        // 16ths of a metre, minus one; 1 m if no stick is listed.
        let rest = |nth: usize| {
            (self.listed_stick(nth).map_or(15.0, |stick| stick.rest.into()) + 1.0) / 16.0
        };
        let rests: Vec<f32> = (0..pairs.len()).map(rest).collect();
        let sticks = Sticks::with_rests(count, &pairs, &rests, Duplicates::Keep);
        let mut sticks = sticks.expect("the ends are valid");
        for stick in 0..sticks.len() {
            let change = self.listed_stick(stick).map_or(StickChange::None, |stick| stick.change);
            change.apply(&mut sticks, stick);
        }
        Mesh { particles, sticks, sheet, copies }
    }

    /// The ends of the listed sticks, modulo `count`, without sticks whose ends are the same particle.
    fn listed_pairs(&self, count: usize) -> Vec<[u32; 2]> {
        let ends = |stick: &Stick| stick.ends.map(|end| u32::from(end) % (count as u32).max(1));
        let sticks = self.sticks.iter().take(STICKS_MAX).map(ends);
        sticks.filter(|[a, b]| a != b).collect()
    }

    /// The listed stick from which stick `nth` takes its values; the list is repeated. `None` if no
    /// stick is listed.
    fn listed_stick(&self, nth: usize) -> Option<&Stick> {
        self.sticks.get(nth % self.sticks.len().max(1))
    }

    fn make_particles(&self, count: usize) -> Particles<3> {
        let mut particles = Particles::with_capacity(count);
        let default =
            Particle { position: [0; 3], displacement: [0; 3], inverse_mass: InverseMass::One };
        for nth in 0..count {
            let listed = self.particles.get(nth % self.particles.len().max(1)).unwrap_or(&default);
            let mut position = listed.position.map(|x| f32::from(x) / 16.0);
            // Repetitions of the list are shifted along x.
            position[0] += (nth / self.particles.len().max(1)) as f32;
            particles.push(position, listed.inverse_mass.value()).expect("the values are valid");
            for axis in 0..3 {
                particles.previous_mut(axis)[nth] -= f32::from(listed.displacement[axis]) / 256.0;
            }
        }
        particles
    }
}

impl Mesh {
    /// The schedules of all builders that can order the sticks.
    pub fn schedules(&self) -> Vec<Schedule> {
        let Self { particles, sticks, .. } = self;
        let mut all = vec![
            Schedule::authored(sticks),
            Schedule::coloured(sticks),
            Schedule::packed(sticks),
            Schedule::starred(sticks),
            Schedule::banded(sticks),
            Schedule::blocked(particles, sticks),
            Schedule::for_mesh(particles, sticks),
        ];
        all.extend(self.schedule_of_sheet_or_copies());
        all
    }

    /// One of [`schedules`](Self::schedules), counted from the last: 0 selects the schedule of the sheet
    /// or of the copies, if there is one.
    pub fn schedule(&self, which: u8) -> Schedule {
        let mut all = self.schedules();
        all.reverse();
        all.swap_remove(usize::from(which) % all.len())
    }

    /// The schedule of the sheet or of the copies; `None` for other shapes.
    fn schedule_of_sheet_or_copies(&self) -> Option<Schedule> {
        let Self { sticks, sheet, copies, .. } = self;
        if let Some(sheet) = sheet {
            return Some(sheet.schedule(sticks).expect("the sticks are those of the sheet"));
        }
        if *copies == 1 {
            return None;
        }
        let pairs = &sticks.ends()[..sticks.len() / copies];
        let rests = &sticks.rests()[..pairs.len()];
        let count = sticks.particles() / copies;
        let one = Sticks::with_rests(count, pairs, rests, Duplicates::Keep);
        let one_schedule = Schedule::coloured(&one.expect("the ends are valid"));
        let parts = std::iter::repeat_n(&one_schedule, *copies);
        Some(Schedule::side_by_side(sticks, parts).expect("the copies are equal"))
    }
}
