//! Schedules: the properties of every builder's schedule, and errors.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use taut_core::{
    BLOCK_PARTICLES, Family, OPEN_PACKETS, PACKET_STICKS, RUN_STICKS, Renumbering, STAR_STICKS,
    Schedule, ScheduleError, Sticks,
};

use crate::meshes::{Mesh, Part, Random, Recipe, for_all, joined, sheet};

/// Phases of blocks of batches of sticks.
type Phases = Vec<Vec<Vec<Vec<u32>>>>;

fn phases(schedule: &Schedule) -> Phases {
    let blocks = schedule.phases().map(|phase| {
        phase.blocks().map(|block| block.batches().map(<[u32]>::to_vec).collect()).collect()
    });
    blocks.collect()
}

fn particles_of(sticks: &Sticks, of: &[u32]) -> Vec<u32> {
    of.iter().flat_map(|&stick| sticks.ends()[stick as usize]).collect()
}

/// The definition of a schedule, word by word.
fn is_valid(sticks: &Sticks, phases: &Phases) -> bool {
    let mut order: Vec<u32> = phases.iter().flatten().flatten().flatten().copied().collect();
    order.sort_unstable();
    let each_once = (0..sticks.len() as u32).eq(order);
    let all_differ = |particles: Vec<u32>| {
        let count = particles.len();
        particles.into_iter().collect::<HashSet<_>>().len() == count
    };
    let batches_independent = || {
        let mut batches = phases.iter().flatten().flatten();
        batches.all(|batch| all_differ(particles_of(sticks, batch)))
    };
    let blocks_independent = || {
        phases.iter().all(|blocks| {
            let of_block = |block: &Vec<Vec<u32>>| -> BTreeSet<u32> {
                block.iter().flat_map(|batch| particles_of(sticks, batch)).collect()
            };
            all_differ(blocks.iter().flat_map(of_block).collect())
        })
    };
    each_once && batches_independent() && blocks_independent()
}

/// The promises of every schedule.
fn assert_sound(name: &str, schedule: &Schedule, sticks: &Sticks) {
    let phases = phases(schedule);
    assert!(is_valid(sticks, &phases), "{name} is no schedule");
    assert_eq!((schedule.sticks(), schedule.particles()), (sticks.len(), sticks.particles()));
    let flat: Vec<&[u32]> = phases.iter().flatten().flatten().map(Vec::as_slice).collect();
    assert!(schedule.batches().eq(flat.iter().copied()), "{name}: the flat view is another");
    assert_eq!(schedule.order(), flat.concat(), "{name}: the order is another");
    let not_empty = |batch: &&[u32]| !batch.is_empty();
    assert!(flat.iter().all(not_empty), "{name}: an empty batch");
    assert!(phases.iter().flatten().all(|block| !block.is_empty()), "{name}: an empty block");
    assert!(phases.iter().all(|phase| !phase.is_empty()), "{name}: an empty phase");
    assert_eq!(Schedule::new(sticks, &phases).as_ref(), Ok(schedule), "{name} written out");
}

/// No batch has both plain sticks and others.
fn assert_pure(name: &str, schedule: &Schedule, sticks: &Sticks) {
    for batch in schedule.batches() {
        let plain = batch.iter().filter(|&&stick| sticks.is_plain(stick as usize)).count();
        assert!(plain == 0 || plain == batch.len(), "{name} mixes plain sticks with others");
    }
}

fn all_builders(mesh: &Mesh) -> [(&'static str, Schedule); 6] {
    [
        ("authored", Schedule::authored(&mesh.sticks)),
        ("coloured", Schedule::coloured(&mesh.sticks)),
        ("packed", Schedule::packed(&mesh.sticks)),
        ("starred", Schedule::starred(&mesh.sticks)),
        ("banded", Schedule::banded(&mesh.sticks)),
        ("blocked", Schedule::blocked(&mesh.particles, &mesh.sticks)),
    ]
}

fn assert_builders_sound(mesh: &Mesh) {
    for (name, schedule) in all_builders(mesh) {
        assert_sound(name, &schedule, &mesh.sticks);
        assert_pure(name, &schedule, &mesh.sticks);
    }
}

#[test]
fn every_builder_makes_a_schedule_of_any_mesh() {
    for_all(150, Recipe::any(), |recipe| assert_builders_sound(&recipe.mesh()));
    for special in [0, 30] {
        assert_builders_sound(&Recipe::large(special).mesh());
    }
}

#[test]
fn every_builder_does_the_same_again() {
    let check = |recipe: &Recipe| {
        let [one, other] = [recipe.mesh(), recipe.mesh()];
        assert_eq!(all_builders(&one), all_builders(&one.clone()));
        assert_eq!(all_builders(&one), all_builders(&other));
    };
    for_all(40, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(10));
}

/// FNV-1a over the bytes of the stick numbers, least significant first, with the number of
/// the batch before each batch.
fn hash(schedule: &Schedule) -> u64 {
    let numbered = (0_u32..).zip(schedule.batches());
    let numbers = numbered.flat_map(|(number, batch)| [&[number], batch].concat());
    numbers.flat_map(u32::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn the_orders_are_those_of_version_1() {
    // The order decides the answer, so another order is another version of all results.
    const VERSION_1: [u64; 6] = [
        0x7098_ab90_2755_2365,
        0x81ba_9182_189b_bb7b,
        0xc545_0d6e_fc3c_740f,
        0x3ba1_4419_8e51_dee2,
        0x81ba_9182_189b_bb7b,
        0x9754_f1d3_4980_d38e,
    ];
    let built = all_builders(&Recipe::large(30).mesh());
    assert_eq!(built.map(|(_, schedule)| hash(&schedule)), VERSION_1);
    // That mesh has no runs: bands of it are colours.
    let sheet = sheet(70, 60, Family::ALL).1;
    assert_eq!(hash(&Schedule::banded(&sheet.sticks)), 0x525e_51b6_dd67_6484);
}

#[test]
fn renumbered_meshes_get_schedules_too() {
    let check = |recipe: &Recipe| {
        let Mesh { particles, sticks } = recipe.mesh::<3, f32>();
        let renumberings =
            [Renumbering::reverse_cuthill_mckee(&sticks), Renumbering::hilbert(&particles)];
        for renumbering in renumberings {
            let (particles, sticks) = renumbering.apply(&particles, &sticks);
            assert_builders_sound(&Mesh { particles, sticks });
        }
    };
    for_all(40, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(10));
}

/// The largest number of those sticks at one particle.
fn largest_degree(sticks: &Sticks, wanted: impl Fn(usize) -> bool) -> usize {
    let mut degrees = vec![0; sticks.particles()];
    for (stick, ends) in sticks.ends().iter().enumerate() {
        if wanted(stick) {
            for &end in ends {
                degrees[end as usize] += 1;
            }
        }
    }
    degrees.into_iter().max().unwrap_or(0)
}

#[test]
fn colours_are_phases_and_at_most_twice_the_largest_degree_less_one() {
    let check = |recipe: &Recipe| {
        let sticks = recipe.mesh::<3, f32>().sticks;
        let schedule = Schedule::coloured(&sticks);
        let phases = phases(&schedule);
        assert!(phases.iter().all(|phase| phase.len() == 1 && phase[0].len() == 1));
        for plain in [true, false] {
            let of_group = |stick: usize| sticks.is_plain(stick) == plain;
            let colours = schedule.batches().filter(|batch| of_group(batch[0] as usize)).count();
            let bound = (2 * largest_degree(&sticks, of_group)).saturating_sub(1);
            assert!(colours <= bound, "{colours} colours, not {bound}");
        }
    };
    for_all(100, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(30));
}

#[test]
fn colours_of_sheets_are_few_and_even() {
    for (families, size) in [(Family::STRUCTURAL, 63), (Family::SHEAR, 64), (Family::ALL, 64)] {
        let sticks = sheet(size, size, families).1.sticks;
        let sizes: Vec<usize> = Schedule::coloured(&sticks).batches().map(<[u32]>::len).collect();
        let degree = largest_degree(&sticks, |_| true);
        assert!((degree..=degree + 2).contains(&sizes.len()), "{} colours", sizes.len());
        let mean = sticks.len() / sizes.len();
        assert!(sizes.iter().all(|&size| 100 * size > 95 * mean), "{sizes:?}");
    }
}

#[test]
fn the_authored_order_is_that_of_the_numbers() {
    let sticks = Recipe::large(30).mesh::<3, f32>().sticks;
    let schedule = Schedule::authored(&sticks);
    assert!(schedule.order().iter().copied().eq(0..sticks.len() as u32));
    assert!(schedule.batches().all(|batch| batch.len() == 1));
    assert_eq!(phases(&schedule).len(), 1);
}

#[test]
fn packets_have_at_most_64_sticks_and_those_of_sheets_are_nearly_all_full() {
    for recipe in [Recipe::large(0), Recipe::large(30)] {
        let sticks = recipe.mesh::<3, f32>().sticks;
        assert!(Schedule::packed(&sticks).batches().all(|packet| packet.len() <= PACKET_STICKS));
    }
    for families in [Family::STRUCTURAL, Family::SHEAR, Family::ALL] {
        let sticks = sheet(100, 100, families).1.sticks;
        let schedule = Schedule::packed(&sticks);
        let [packets, full] = [1, PACKET_STICKS]
            .map(|least| schedule.batches().filter(|packet| packet.len() >= least).count());
        assert!(100 * full >= 98 * packets, "{full} of {packets} are full");
        assert_eq!(phases(&schedule).len(), 1);
    }
}

/// Packets by their definition, with sets and without windows of bits.
fn packets_as_defined(sticks: &Sticks) -> Vec<Vec<u32>> {
    let mut packets = Vec::new();
    for plain in [true, false] {
        let mut open: Vec<Vec<u32>> = Vec::new();
        for stick in sticks.by_ends() {
            if sticks.is_plain(stick as usize) != plain {
                continue;
            }
            let ends = sticks.ends()[stick as usize];
            let fits = |packet: &Vec<u32>| {
                !particles_of(sticks, packet).iter().any(|particle| ends.contains(particle))
            };
            let at = open.iter().position(fits).unwrap_or_else(|| {
                if open.len() == OPEN_PACKETS {
                    packets.push(open.remove(0));
                }
                open.push(Vec::new());
                open.len() - 1
            });
            open[at].push(stick);
            if open[at].len() == PACKET_STICKS {
                packets.push(open.remove(at));
            }
        }
        packets.append(&mut open);
    }
    packets
}

#[test]
fn packets_are_drawn_as_defined() {
    let check = |recipe: &Recipe| {
        let sticks = recipe.mesh::<3, f32>().sticks;
        let expected = packets_as_defined(&sticks);
        assert!(Schedule::packed(&sticks).batches().eq(expected.iter().map(Vec::as_slice)));
    };
    for_all(60, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(30));
}

/// The stars that begin these batches: ends in common, nothing else.
fn stars_of(sticks: &Sticks, ranks: [&[u32]; STAR_STICKS]) -> Option<Vec<u32>> {
    let mut names = Vec::new();
    for at in 0..ranks[0].len() {
        let star: Vec<u32> =
            ranks.iter().map(|rank| rank.get(at).copied()).collect::<Option<_>>()?;
        let of_star: BTreeSet<u32> = particles_of(sticks, &star).into_iter().collect();
        names.extend((of_star.len() == STAR_STICKS + 1).then_some(of_star)?);
    }
    let once: BTreeSet<u32> = names.iter().copied().collect();
    (once.len() == names.len()).then_some(names)
}

#[test]
fn stars_of_a_packet_share_no_particle_and_have_nearly_all_sticks() {
    for families in [Family::STRUCTURAL, Family::SHEAR, Family::ALL] {
        let sticks = sheet(100, 100, families).1.sticks;
        let schedule = Schedule::starred(&sticks);
        let batches: Vec<&[u32]> = schedule.batches().collect();
        assert!(batches.iter().all(|batch| batch.len() <= PACKET_STICKS));
        let packets = batches.as_chunks().0.iter();
        let packets = packets.map_while(|&ranks| stars_of(&sticks, ranks));
        let stars: usize = packets.map(|names| names.len() / (STAR_STICKS + 1)).sum();
        let share = (stars * STAR_STICKS) as f64 / sticks.len() as f64;
        assert!(share > 0.95, "only {share} of the sticks are in stars");
        assert_eq!(phases(&schedule).len(), 1);
    }
}

#[test]
fn packets_stay_in_a_local_window() {
    // However the sticks are listed: the walk is in the order of their ends.
    let mut random = Random::new(8);
    let sheet = sheet(128, 128, Family::ALL).1;
    let mut pairs = sheet.sticks.ends().to_vec();
    random.shuffle(&mut pairs);
    let sticks = joined(sheet.particles.len(), &pairs);
    for packet in Schedule::packed(&sticks).batches() {
        let names = particles_of(&sticks, packet);
        let width = names.iter().max().unwrap() - names.iter().min().unwrap();
        assert!(width <= 3 * 128, "a packet spans {width} particles");
    }
}

#[test]
fn blocks_are_small_and_many_and_phases_few() {
    for families in [Family::STRUCTURAL, Family::ALL] {
        let Mesh { particles, sticks } = sheet(128, 128, families).1;
        let phases = phases(&Schedule::blocked(&particles, &sticks));
        let share = phases[0].iter().flatten().flatten().count() as f64 / sticks.len() as f64;
        assert!(phases.len() <= 4, "{} phases", phases.len());
        assert_eq!(phases[0].len(), 128 * 128 / BLOCK_PARTICLES);
        assert!(share > 0.8, "only {share} of the sticks are in the first phase");
        for block in phases.iter().take(3).flatten() {
            let names: BTreeSet<u32> =
                block.iter().flat_map(|batch| particles_of(&sticks, batch)).collect();
            assert!(names.len() <= BLOCK_PARTICLES, "{} particles", names.len());
        }
    }
    // Sticks from anywhere to anywhere are in no block of the three cuts.
    let Mesh { particles, sticks } = Recipe::large(0).mesh::<3, f32>();
    let phases = phases(&Schedule::blocked(&particles, &sticks));
    assert_eq!((phases.len(), phases[3].len()), (4, 1), "the last seams are one block");
}

/// The particles of each block of the schedule, phase by phase.
fn particles_of_blocks(schedule: &Schedule, sticks: &Sticks) -> Vec<Vec<BTreeSet<u32>>> {
    let of_block = |block: &Vec<Vec<u32>>| {
        block.iter().flat_map(|batch| particles_of(sticks, batch)).collect::<BTreeSet<u32>>()
    };
    phases(schedule).iter().map(|blocks| blocks.iter().map(of_block).collect()).collect()
}

#[test]
fn bands_are_consecutive_particles_and_directions_follow_each_other() {
    let Mesh { sticks, .. } = sheet(128, 128, Family::ALL).1;
    let schedule = Schedule::banded(&sticks);
    let phases = phases(&schedule);
    assert_eq!(phases.len(), 2, "all seams are in the bands cut elsewhere");
    let share = phases[0].iter().flatten().flatten().count() as f64 / sticks.len() as f64;
    assert!(phases[0].len() >= 8 && share > 0.85, "{} bands, {share}", phases[0].len());
    for bands in particles_of_blocks(&schedule, &sticks) {
        for pair in bands.windows(2) {
            assert!(pair[0].last() < pair[1].first(), "bands overlap");
        }
    }
    // In a band, a direction is one stretch of batches.
    let direction = |&stick: &u32| {
        let [a, b] = sticks.ends()[stick as usize];
        b.wrapping_sub(a)
    };
    for band in phases.iter().flatten() {
        let mut directions: Vec<u32> = Vec::new();
        for batch in band {
            let first = direction(&batch[0]);
            if batch.len() >= RUN_STICKS && batch.iter().all(|stick| direction(stick) == first) {
                directions.push(first);
            }
        }
        directions.dedup();
        let all = directions.len();
        directions.sort_unstable();
        directions.dedup();
        assert_eq!(directions.len(), all, "a direction comes back");
    }
}

#[test]
fn the_default_is_bands_where_there_are_runs_and_blocks_elsewhere() {
    for (width, height) in [(128, 128), (300, 200), (40, 10)] {
        let Mesh { particles, sticks } = sheet(width, height, Family::SHEAR).1;
        assert_eq!(Schedule::for_mesh(&particles, &sticks), Schedule::banded(&sticks));
        let mut order: Vec<u32> = (0..particles.len() as u32).collect();
        Random::new(9).shuffle(&mut order);
        let (particles, sticks) =
            Renumbering::from_order(order).unwrap().apply(&particles, &sticks);
        let default = Schedule::for_mesh(&particles, &sticks);
        assert_eq!(default, Schedule::blocked(&particles, &sticks));
    }
    let Mesh { particles, sticks } = Recipe::large(0).mesh::<3, f32>();
    let default = Schedule::for_mesh(&particles, &sticks);
    assert_eq!(default, Schedule::blocked(&particles, &sticks));
}

#[test]
fn small_meshes_are_one_block() {
    let Mesh { particles, sticks } = sheet(32, 32, Family::SHEAR).1;
    for schedule in [Schedule::blocked(&particles, &sticks), Schedule::banded(&sticks)] {
        let phases = phases(&schedule);
        assert_eq!((phases.len(), phases[0].len()), (1, 1));
    }
}

#[test]
fn blocks_are_the_same_however_particles_are_numbered() {
    let Mesh { particles, sticks } = sheet(80, 70, Family::SHEAR).1;
    let mut order: Vec<u32> = (0..particles.len() as u32).collect();
    Random::new(9).shuffle(&mut order);
    let shuffled = Renumbering::from_order(order).unwrap().apply(&particles, &sticks);
    let blocks = |schedule: &Schedule| -> Vec<BTreeSet<BTreeSet<u32>>> {
        let of_block = |block: Vec<Vec<u32>>| block.into_iter().flatten().collect();
        let of_phase = |blocks: Vec<_>| blocks.into_iter().map(of_block).collect();
        phases(schedule).into_iter().map(of_phase).collect()
    };
    assert_eq!(
        blocks(&Schedule::blocked(&particles, &sticks)),
        blocks(&Schedule::blocked(&shuffled.0, &shuffled.1)),
    );
}

#[test]
fn a_star_of_a_hundred_thousand_rays_is_scheduled() {
    let rays = 100_000;
    let mesh = Recipe::plain(vec![Part::Bipartite(1, rays)]).mesh();
    let built = all_builders(&mesh);
    for (name, schedule) in &built {
        assert_eq!(schedule.batches().count(), rays, "{name}: each ray by itself");
    }
}

#[test]
fn orders_that_are_no_schedules_are_refused_by_name() {
    // A chain of four particles, and one stick apart.
    let sticks = joined(6, &[[0, 1], [1, 2], [2, 3], [4, 5]]);
    let refused = |phases: &[Vec<Vec<Vec<u32>>>]| Schedule::new(&sticks, phases).unwrap_err();
    assert_eq!(
        refused(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![4]]]]),
        ScheduleError::NotOnce { stick: 4, batch: 3, sticks: 4 },
        "unknown"
    );
    assert_eq!(
        refused(&[vec![vec![vec![0, 2], vec![1]]], vec![vec![vec![3], vec![2]]]]),
        ScheduleError::NotOnce { stick: 2, batch: 3, sticks: 4 },
        "twice"
    );
    assert_eq!(
        refused(&[vec![vec![vec![0, 2]]], vec![vec![vec![3]]]]),
        ScheduleError::Missing { ordered: 3, sticks: 4 }
    );
    assert_eq!(refused(&[]), ScheduleError::Missing { ordered: 0, sticks: 4 });
    assert_eq!(
        refused(&[vec![vec![vec![3], vec![0, 1]]], vec![vec![vec![2]]]]),
        ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 1 }
    );
    assert_eq!(
        refused(&[vec![vec![vec![3]]], vec![vec![vec![0]], vec![vec![2]], vec![vec![1]]]]),
        ScheduleError::DependentBlocks { block: 3, particle: 1, phase: 1 }
    );
    let duplicate = joined(2, &[[0, 1], [1, 0]]);
    assert_eq!(
        Schedule::new(&duplicate, &[vec![vec![vec![0, 1]]]]),
        Err(ScheduleError::DependentBatch { stick: 1, particle: 1, batch: 0 })
    );
}

#[test]
fn empty_phases_blocks_and_batches_leave_no_trace() {
    let sticks = joined(4, &[[0, 1], [2, 3]]);
    let holes = [
        vec![],
        vec![vec![], vec![vec![], vec![1]], vec![vec![]]],
        vec![vec![]],
        vec![vec![vec![0], vec![]]],
    ];
    let schedule = Schedule::new(&sticks, &holes).unwrap();
    assert_eq!(phases(&schedule), [vec![vec![vec![1]]], vec![vec![vec![0]]]]);
    for (name, schedule) in all_builders(&Recipe::plain(vec![Part::Dust(3)]).mesh()) {
        assert_eq!(phases(&schedule), Phases::new(), "{name}");
    }
}

/// One small change to an order, that may make it wrong or leave it right.
fn edit(random: &mut Random, phases: &mut Phases) {
    let Some(phase) = (!phases.is_empty()).then(|| random.below(phases.len())) else { return };
    let block = random.below(phases[phase].len());
    let batch = random.below(phases[phase][block].len());
    let place = random.below(phases[phase][block][batch].len());
    match random.below(7) {
        0 => {
            phases[phase][block][batch].remove(place);
        }
        1 => {
            let stick = phases[phase][block][batch][place];
            phases[phase][block][batch].push(stick + random.below(3) as u32);
        }
        2 => phases[phase][block][batch][place] ^= 1,
        3 if batch > 0 => {
            let moved = phases[phase][block].remove(batch);
            phases[phase][block][batch - 1].extend(moved);
        }
        4 => {
            let split = phases[phase][block].split_off(batch);
            phases[phase].push(split);
        }
        5 if phase > 0 => {
            let moved = phases.remove(phase);
            phases[phase - 1].extend(moved);
        }
        6 => phases[phase][block].reverse(),
        _ => phases[phase].reverse(),
    }
}

#[test]
fn an_order_is_accepted_exactly_if_it_meets_the_definition() {
    let verdicts = std::cell::Cell::new([0, 0]);
    let values = (Recipe::any(), 0..4_usize, 0..3_usize, any::<u64>());
    for_all(600, values, |(recipe, builder, edits, seed)| {
        let recipe = Recipe { parts: recipe.parts.into_iter().take(2).collect(), ..recipe };
        let mesh = recipe.mesh();
        let mut phases = phases(&all_builders(&mesh)[builder].1);
        let mut random = Random::new(seed);
        for _ in 0..edits {
            edit(&mut random, &mut phases);
            for phase in &mut phases {
                for block in &mut *phase {
                    block.retain(|batch| !batch.is_empty());
                }
                phase.retain(|block| !block.is_empty());
            }
            phases.retain(|phase| !phase.is_empty());
        }
        let valid = is_valid(&mesh.sticks, &phases);
        assert_eq!(Schedule::new(&mesh.sticks, &phases).is_ok(), valid, "{phases:?}");
        let mut count = verdicts.get();
        count[usize::from(valid)] += 1;
        verdicts.set(count);
    });
    let [wrong, right] = verdicts.get();
    assert!(wrong > 100 && right > 100, "{wrong} wrong orders, {right} right ones");
}
