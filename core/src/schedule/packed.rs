//! Packets of independent sticks from a local window.

use alloc::vec::Vec;

use crate::real::Real;
use crate::sticks::Sticks;

/// How many sticks a full packet has: enough that the packets' own sums keep the widest
/// registers busy while the last stores are under way; 128 gained nothing.
pub const PACKET_STICKS: usize = 64;
/// How many packets may be open at once: the width of the window.
pub const OPEN_PACKETS: usize = 48;

struct Packet {
    /// Its bit in the masks of the particles it touches.
    bit: u64,
    sticks: Vec<u32>,
}

/// Packs the sticks of `group`, in that order, and gives each packet to `emit` when it is
/// full, when the window is, or at the end.
pub(super) fn pack<S: Real>(sticks: &Sticks<S>, group: &[u32], emit: &mut dyn FnMut(&[u32])) {
    // For each particle, the open packets in which it occurs.
    let mut occurs = alloc::vec![0_u64; sticks.particles()];
    // Oldest first.
    let mut open: Vec<Packet> = Vec::with_capacity(OPEN_PACKETS);
    let mut free_bits = u64::MAX >> (u64::BITS as usize - OPEN_PACKETS);
    let mut close = |packet: &Packet, occurs: &mut [u64]| {
        for &stick in &packet.sticks {
            for end in sticks.ends()[stick as usize] {
                occurs[end as usize] &= !packet.bit;
            }
        }
        emit(&packet.sticks);
        packet.bit
    };
    for &stick in group {
        let [a, b] = sticks.ends()[stick as usize].map(|end| end as usize);
        let taken = occurs[a] | occurs[b];
        let at = open.iter().position(|packet| packet.bit & taken == 0).unwrap_or_else(|| {
            if open.len() == OPEN_PACKETS {
                let oldest = open.remove(0);
                free_bits |= close(&oldest, &mut occurs);
            }
            let bit = free_bits & free_bits.wrapping_neg();
            free_bits ^= bit;
            open.push(Packet { bit, sticks: Vec::with_capacity(PACKET_STICKS) });
            open.len() - 1
        });
        let packet = &mut open[at];
        packet.sticks.push(stick);
        occurs[a] |= packet.bit;
        occurs[b] |= packet.bit;
        if packet.sticks.len() == PACKET_STICKS {
            let full = open.remove(at);
            free_bits |= close(&full, &mut occurs);
        }
    }
    for packet in &open {
        close(packet, &mut occurs);
    }
}
