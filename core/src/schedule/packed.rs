//! Packets of independent sticks from a local window.

use alloc::vec::Vec;

use crate::real::Real;
use crate::sticks::Sticks;

/// How many sticks a full packet has: enough that the packets' own sums keep the widest
/// registers busy while the last stores are under way; 128 gained nothing.
pub const PACKET_STICKS: usize = 64;
/// How many packets may be open at once: the width of the window.
pub const OPEN_PACKETS: usize = 48;

struct Packet<'a, const N: usize> {
    /// Its bit in the masks of the particles it touches.
    bit: u64,
    members: Vec<&'a [u32; N]>,
}

/// Packs `members`, each `N` sticks, in that order, and gives each packet of members that share
/// no particle to `emit` when it has [`PACKET_STICKS`] of them, when the window is full, or at
/// the end.
pub(super) fn pack<S: Real, const N: usize>(
    sticks: &Sticks<S>,
    members: &[[u32; N]],
    mut emit: impl FnMut(&[&[u32; N]]),
) {
    let ends = |member: &[u32; N]| {
        let ends = member.map(|stick| sticks.ends()[stick as usize]);
        ends.into_iter().flatten().map(|end| end as usize)
    };
    // For each particle, the open packets in which it occurs.
    let mut occurs = alloc::vec![0_u64; sticks.particles()];
    // Oldest first.
    let mut open: Vec<Packet<'_, N>> = Vec::with_capacity(OPEN_PACKETS);
    let mut free_bits = u64::MAX >> (u64::BITS as usize - OPEN_PACKETS);
    let mut close = |packet: &Packet<'_, N>, occurs: &mut [u64]| {
        for end in packet.members.iter().flat_map(|member| ends(member)) {
            occurs[end] &= !packet.bit;
        }
        emit(&packet.members);
        packet.bit
    };
    for member in members {
        let taken = ends(member).fold(0, |taken, end| taken | occurs[end]);
        let at = open.iter().position(|packet| packet.bit & taken == 0).unwrap_or_else(|| {
            if open.len() == OPEN_PACKETS {
                let oldest = open.remove(0);
                free_bits |= close(&oldest, &mut occurs);
            }
            let bit = free_bits & free_bits.wrapping_neg();
            free_bits ^= bit;
            open.push(Packet { bit, members: Vec::with_capacity(PACKET_STICKS) });
            open.len() - 1
        });
        let packet = &mut open[at];
        packet.members.push(member);
        for end in ends(member) {
            occurs[end] |= packet.bit;
        }
        if packet.members.len() == PACKET_STICKS {
            let full = open.remove(at);
            free_bits |= close(&full, &mut occurs);
        }
    }
    for packet in &open {
        close(packet, &mut occurs);
    }
}
