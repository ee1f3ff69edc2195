//! Packets of sticks and packets of stars.

use super::*;

#[test]
fn packets_have_at_most_64_sticks_and_those_of_sheets_are_nearly_all_full() {
    for recipe in [Recipe::large(0), Recipe::large(30)] {
        let sticks = recipe.mesh::<3, f32>().sticks;
        assert!(Schedule::packed(&sticks).batches().all(|packet| packet.len() <= PACKET_STICKS));
    }
    for families in [Family::STRUCTURAL, Family::SHEAR, Family::BEND] {
        let sticks = sheet_mesh(100, 100, families).1.sticks;
        let schedule = Schedule::packed(&sticks);
        let [packets, full] = [1, PACKET_STICKS]
            .map(|minimum| schedule.batches().filter(|packet| packet.len() >= minimum).count());
        assert!(
            100 * full >= 98 * packets,
            "{full} of {packets} packets are full, expected at least 98 %"
        );
        assert_eq!(phases(&schedule).len(), 1);
    }
}

/// Packets by their definition, without bit masks.
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
            let index = open.iter().position(fits).unwrap_or_else(|| {
                if open.len() == OPEN_PACKETS {
                    packets.push(open.remove(0));
                }
                open.push(Vec::new());
                open.len() - 1
            });
            open[index].push(stick);
            if open[index].len() == PACKET_STICKS {
                packets.push(open.remove(index));
            }
        }
        packets.append(&mut open);
    }
    packets
}

#[test]
fn packets_match_their_definition() {
    let check = |recipe: &Recipe| {
        let sticks = recipe.mesh::<3, f32>().sticks;
        let expected = packets_as_defined(&sticks);
        assert!(Schedule::packed(&sticks).batches().eq(expected.iter().map(Vec::as_slice)));
    };
    for_all(60, Recipe::any(), |recipe| check(&recipe));
    check(&Recipe::large(30));
}

/// The particles of the stars of a packet, which has these batches. The sticks at the same index of
/// all batches must be a star. `None` if they are not, or if two stars share a particle.
fn particles_of_stars(sticks: &Sticks, batches: [&[u32]; STAR_STICKS]) -> Option<Vec<u32>> {
    let mut particles = Vec::new();
    for index in 0..batches[0].len() {
        let star: Vec<u32> =
            batches.iter().map(|batch| batch.get(index).copied()).collect::<Option<_>>()?;
        let of_star: BTreeSet<u32> = particles_of(sticks, &star).into_iter().collect();
        particles.extend((of_star.len() == STAR_STICKS + 1).then_some(of_star)?);
    }
    let distinct: BTreeSet<u32> = particles.iter().copied().collect();
    (distinct.len() == particles.len()).then_some(particles)
}

#[test]
fn stars_of_a_packet_share_no_particle_and_hold_most_sticks() {
    for (families, expected) in
        [(Family::STRUCTURAL, 0.75), (Family::SHEAR, 0.8), (Family::BEND, 0.8)]
    {
        let sticks = sheet_mesh(100, 100, families).1.sticks;
        let schedule = Schedule::starred(&sticks);
        assert!(schedule.batches().all(|batch| batch.len() <= PACKET_STICKS));
        let fraction = fraction_in_stars(&sticks, &schedule);
        assert!(
            fraction > expected,
            "{fraction} of the sticks are in stars, expected above {expected}"
        );
        // Bands, their seams, and perhaps sticks left over.
        assert!((2..=3).contains(&phases(&schedule).len()));
    }
}

/// The fraction of the sticks that are in full packets of stars.
fn fraction_in_stars(sticks: &Sticks, schedule: &Schedule) -> f64 {
    let mut in_stars = 0;
    for block in phases(schedule).iter().flatten() {
        let batches: Vec<&[u32]> = block.iter().map(Vec::as_slice).collect();
        let mut remaining = &batches[..];
        while let Some((&star_packet, others)) = remaining.split_first_chunk() {
            let is_full = star_packet[0].len() == PACKET_STICKS;
            remaining = if is_full && particles_of_stars(sticks, star_packet).is_some() {
                in_stars += STAR_STICKS * PACKET_STICKS;
                others
            } else {
                &remaining[1..]
            };
        }
    }
    in_stars as f64 / sticks.len() as f64
}

#[test]
fn packets_stay_in_a_local_window() {
    // Sticks are packed in the order of their ends, so it does not matter how they are listed.
    let mut random = Random::new(8);
    let sheet = sheet_mesh(128, 128, Family::BEND).1;
    let mut pairs = sheet.sticks.ends().to_vec();
    random.shuffle(&mut pairs);
    let sticks = unit_sticks(sheet.particles.len(), &pairs);
    for packet in Schedule::packed(&sticks).batches() {
        let particles = particles_of(&sticks, packet);
        let width = particles.iter().max().unwrap() - particles.iter().min().unwrap();
        assert!(width <= 3 * 128, "a packet spans {width} particles, expected at most 3 rows");
    }
}
