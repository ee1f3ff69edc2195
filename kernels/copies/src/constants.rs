//! The constants of the sticks, and which masses the copies have in common.

use alloc::vec::Vec;

use taut_core::{Column, Copies, Factor, Formula, Particles, Response, Sticks, WithFactor};
use taut_lanes::slots::Changed;

use crate::layout::{GROUP, Layout};

/// The constants of all sticks of all copies.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub(crate) formula: Formula,
    pub(crate) layout: Layout,
    /// The ends of the sticks of one copy in the order of its schedule, as offsets in a group:
    /// each is below [`Layout::group_len`], and a multiple of [`GROUP`].
    ends: Vec<[u32; 2]>,
    /// The number in its copy of each stick in that order.
    order: Vec<u32>,
    /// The index in that order of each number in a copy.
    index_of: Vec<u32>,
    pub(crate) groups: Vec<GroupConstants>,
    pub(crate) inverse_h2: f32,
}

/// The constants of a group of copies.
#[derive(Clone, Debug)]
pub(crate) struct GroupConstants {
    pub(crate) sticks: StickColumns,
    /// For each particle, its inverse mass in all copies of the group; NaN if they differ.
    pub(crate) masses: Vec<f32>,
    /// The value of most of these masses; if none has a majority, any of them, or [`NO_MASS`] if
    /// there is none. It affects only the speed.
    pub(crate) usual_mass: f32,
}

/// Columns of constants, in the order of the schedule.
#[derive(Clone, Debug)]
pub(crate) struct StickColumns {
    /// Whether each stick has [`GROUP`] numbers, one per copy; otherwise it has one for all copies.
    pub(crate) by_copy: bool,
    pub(crate) rest_term: Column<f32>,
    /// Compliance, stretched and compressed; `None` while all sticks are plain and none is torn.
    pub(crate) non_plain: Option<[Column<f32>; 3]>,
    /// Whether some compliance is not 0.
    pub(crate) compliant: bool,
}

/// Stands for no inverse mass, which is never negative.
const NO_MASS: f32 = -1.0;

/// The constants of a stick: rest term, compliance, stretched and compressed.
type Values = [f32; 4];

/// Compliance, stretched and compressed of a plain stick.
const PLAIN: [f32; 3] = [0.0, 1.0, 1.0];

impl Constants {
    /// Constants without values: [`refresh`](Self::refresh) reads them.
    pub(crate) fn new(copies: &Copies, layout: Layout, formula: Formula) -> Self {
        let one = copies.one();
        let order = one.order().to_vec();
        let mut index_of = alloc::vec![0; order.len()];
        for (index, &number) in order.iter().enumerate() {
            index_of[number as usize] = index as u32;
        }
        let ends = order.iter().map(|&number| {
            one.ends()[number as usize].map(|end| {
                let offset = end as usize * GROUP;
                assert!(offset < layout.group_len(), "every end is a particle");
                offset as u32
            })
        });
        let group = GroupConstants {
            sticks: StickColumns::empty(),
            masses: Vec::new(),
            usual_mass: NO_MASS,
        };
        Self {
            formula,
            layout,
            ends: ends.collect(),
            order,
            index_of,
            groups: alloc::vec![group; layout.groups()],
            inverse_h2: 0.0,
        }
    }

    /// The ends of the sticks of one copy: see the field `ends`.
    pub(crate) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    pub(crate) fn refresh<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
        changed: Changed<'_>,
    ) {
        match changed {
            Changed::Listed { masses, sticks: changed } => {
                let mut groups: Vec<usize> = masses
                    .iter()
                    .map(|&particle| particle as usize / self.layout.particles / GROUP)
                    .filter(|&group| group < self.groups.len())
                    .collect();
                groups.sort_unstable();
                groups.dedup();
                for group in groups {
                    self.refresh_masses(particles, group);
                }
                for &stick in changed {
                    let (copy, number) =
                        (stick as usize / self.ends.len(), stick as usize % self.ends.len());
                    let index = self.index_of[number] as usize;
                    self.refresh_stick(sticks, copy / GROUP, index);
                }
            }
            Changed::Everything => {
                for group in 0..self.groups.len() {
                    self.refresh_masses(particles, group);
                    let columns = &mut self.groups[group].sticks;
                    *columns = StickColumns::empty();
                    columns.rest_term.resize(self.ends.len(), 0.0);
                    for index in 0..self.ends.len() {
                        self.refresh_stick(sticks, group, index);
                    }
                }
            }
        }
    }

    fn refresh_masses<const D: usize>(&mut self, particles: &Particles<D>, group: usize) {
        let len = self.layout.particles;
        let all = particles.inverse_masses();
        let copies = self.copies(group);
        let GroupConstants { masses, usual_mass, .. } = &mut self.groups[group];
        masses.clear();
        masses.extend((0..len).map(|particle| {
            let mut of_copies = copies.clone().map(|copy| all[copy * len + particle]);
            let first = of_copies.next().unwrap_or(f32::NAN);
            let same = of_copies.all(|mass| mass.to_bits() == first.to_bits());
            if same { first } else { f32::NAN }
        }));
        // The majority, if there is one (Boyer and Moore, "MJRTY", 1981).
        *usual_mass = NO_MASS;
        let mut votes = 0_usize;
        for &mass in masses.iter().filter(|mass| !mass.is_nan()) {
            if votes == 0 {
                *usual_mass = mass;
            }
            let agrees = mass.to_bits() == usual_mass.to_bits();
            votes = if agrees { votes + 1 } else { votes - 1 };
        }
    }

    /// The numbers of the copies of a group.
    fn copies(&self, group: usize) -> core::ops::Range<usize> {
        let first = group * GROUP;
        first..first + self.layout.copies_in(group)
    }

    /// Reads the constants of the stick at an index of the order in all copies of a group.
    fn refresh_stick(&mut self, sticks: &Sticks, group: usize, index: usize) {
        let (len, number, formula) = (self.ends.len(), self.order[index] as usize, self.formula);
        let values = |copy: usize| values(sticks, copy * len + number, formula);
        let mut copies = self.copies(group);
        let columns = &mut self.groups[group].sticks;
        let first = values(copies.start);
        if !columns.by_copy {
            if copies.clone().all(|copy| values(copy).map(f32::to_bits) == first.map(f32::to_bits))
            {
                columns.set(index, first);
                return;
            }
            columns.expand();
        }
        for lane in 0..GROUP {
            // Lanes without a copy get the constants of the first copy.
            columns.set(index * GROUP + lane, copies.next().map_or(first, values));
        }
    }
}

impl StickColumns {
    fn empty() -> Self {
        Self { by_copy: false, rest_term: Column::new(0), non_plain: None, compliant: false }
    }

    fn set(&mut self, at: usize, [rest_term, non_plain @ ..]: Values) {
        self.rest_term[at] = rest_term;
        if self.non_plain.is_none() && non_plain != PLAIN {
            let len = self.rest_term.len();
            self.non_plain = Some(PLAIN.map(|value| filled(len, value)));
        }
        self.compliant |= non_plain[0] != 0.0;
        for (column, value) in self.non_plain.iter_mut().flatten().zip(non_plain) {
            column[at] = value;
        }
    }

    /// Repeats each number for every copy, so that copies may differ.
    fn expand(&mut self) {
        self.by_copy = true;
        let expand = |column: &mut Column<f32>| {
            let expanded = column.iter().flat_map(|&value| [value; GROUP]);
            *column = Column::from_iter(0, expanded);
        };
        expand(&mut self.rest_term);
        self.non_plain.iter_mut().flatten().for_each(expand);
    }
}

fn filled(len: usize, value: f32) -> Column<f32> {
    let mut column = Column::new(0);
    column.resize(len, value);
    column
}

fn values(sticks: &Sticks, stick: usize, formula: Formula) -> Values {
    struct RestTerm(f32);
    impl WithFactor for RestTerm {
        type Output = f32;
        fn with<F: Factor>(self) -> f32 {
            F::rest_term(self.0)
        }
    }
    let Response { stretched, compressed } = sticks.response(stick);
    let rest_term = formula.dispatch(RestTerm(sticks.rest(stick)));
    [rest_term, sticks.compliance(stick), stretched, compressed]
}
