//! Packets of independent sticks from a local window.

use alloc::vec::Vec;

use super::Builder;
use crate::real::Real;
use crate::sticks::Sticks;

/// The number of sticks of a full packet: enough arithmetic to hide the latency of the stores of the
/// previous packet. Packets of 128 sticks were not faster.
pub const PACKET_STICKS: usize = 64;
/// The maximum number of open packets: the size of the window. It must be at most 64, because each
/// open packet has a bit in a mask of 64 bits.
pub const OPEN_PACKETS: usize = 48;

/// An open packet.
struct Packet<'a, const N: usize> {
    /// The bit of this packet in the masks of particles ([`Packer::open_packets_of`]).
    bit: u64,
    /// The members: for each, its `N` sticks.
    members: Vec<&'a [u32; N]>,
}

/// Scratch memory for packing groups of sticks. Every mask is 0 again after a group, so the cost of a
/// group is proportional to its sticks.
pub(super) struct Packer {
    /// For each particle, a mask of the open packets in which it occurs.
    open_packets_of: Vec<u64>,
}

impl Packer {
    pub(super) fn new(particles: usize) -> Self {
        Self { open_packets_of: alloc::vec![0; particles] }
    }

    /// Puts `members`, in that order, into packets whose members share no particle. A member is `N`
    /// sticks: one stick, or the sticks of a star. Passes a packet to `emit` when it has
    /// [`PACKET_STICKS`] members, when the window is full and it is the oldest packet, or at the end.
    pub(super) fn pack<S: Real, const N: usize>(
        &mut self,
        sticks: &Sticks<S>,
        members: &[[u32; N]],
        mut emit: impl FnMut(&[&[u32; N]]),
    ) {
        let ends = |member: &[u32; N]| {
            let ends = member.map(|stick| sticks.ends()[stick as usize]);
            ends.into_iter().flatten().map(|end| end as usize)
        };
        let open_packets_of = &mut self.open_packets_of[..];
        // The oldest packet is first.
        let mut open: Vec<Packet<'_, N>> = Vec::with_capacity(OPEN_PACKETS);
        // The bits that no open packet has.
        let mut free_bits = u64::MAX >> (u64::BITS as usize - OPEN_PACKETS);
        // Emits a packet and returns its bit, which is then free.
        let mut close = |packet: &Packet<'_, N>, open_packets_of: &mut [u64]| {
            for end in packet.members.iter().flat_map(|member| ends(member)) {
                open_packets_of[end] &= !packet.bit;
            }
            emit(&packet.members);
            packet.bit
        };
        for member in members {
            let taken = ends(member).fold(0, |taken, end| taken | open_packets_of[end]);
            let index =
                open.iter().position(|packet| packet.bit & taken == 0).unwrap_or_else(|| {
                    if open.len() == OPEN_PACKETS {
                        let oldest = open.remove(0);
                        free_bits |= close(&oldest, open_packets_of);
                    }
                    let bit = free_bits & free_bits.wrapping_neg();
                    free_bits ^= bit;
                    open.push(Packet { bit, members: Vec::with_capacity(PACKET_STICKS) });
                    open.len() - 1
                });
            let packet = &mut open[index];
            packet.members.push(member);
            for end in ends(member) {
                open_packets_of[end] |= packet.bit;
            }
            if packet.members.len() == PACKET_STICKS {
                let full = open.remove(index);
                free_bits |= close(&full, open_packets_of);
            }
        }
        for packet in &open {
            close(packet, open_packets_of);
        }
    }

    /// Adds a batch to `builder` for each packet of the sticks of `group`.
    pub(super) fn pack_sticks<S: Real>(
        &mut self,
        sticks: &Sticks<S>,
        group: &[u32],
        builder: &mut Builder,
    ) {
        self.pack(sticks, group.as_chunks::<1>().0, |packet| {
            builder.add_batch(packet.iter().map(|&&[stick]| stick));
        });
    }
}
