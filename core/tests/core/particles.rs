//! Particles: the layout of their columns, errors, and the hash of their bits.

use taut_core::{PADDING, ParticleError, Particles, Real, Renumbering};

use crate::meshes::{Random, Recipe, particles_at, unit_sticks};

fn random_points<const D: usize, S: Real>(count: usize) -> Vec<[S; D]> {
    let mut random = Random::new(count as u64);
    let mut x = || S::from_f64(random.between(-9.0, 9.0));
    (0..count).map(|_| std::array::from_fn(|_| x())).collect()
}

/// Checks that columns are aligned, padded with zeros, and hold `points`.
fn assert_layout<const D: usize, S: Real>(mut particles: Particles<D, S>, points: &[[S; D]]) {
    let len = points.len();
    assert_eq!((particles.len(), particles.is_empty()), (len, len == 0));
    for axis in 0..D {
        let column: Vec<S> = points.iter().map(|point| point[axis]).collect();
        assert_eq!(particles.positions(axis), column);
        assert_eq!(particles.previous(axis), column);
    }
    assert_eq!(particles.inverse_masses().len(), len);
    let columns = particles.columns();
    let coordinates = columns.position.into_iter().chain(columns.previous).map(|column| &*column);
    for column in coordinates.chain([columns.inverse_mass]) {
        assert_eq!(column.as_ptr().addr() % 64, 0, "not aligned to 64 bytes");
        assert_eq!(column.len(), len.next_multiple_of(PADDING));
        assert!(column[len..].iter().all(|x| x.canonical_bits() == 0), "the padding is not zero");
    }
}

#[test]
fn columns_are_aligned_and_padded_however_they_are_made() {
    fn check<const D: usize, S: Real>() {
        for count in [0, 1, 15, 16, 17, 100] {
            let points: Vec<[S; D]> = random_points(count);
            let made = particles_at(&points);
            assert_layout(made.clone(), &points);
            let mut grown = Particles::new_generic(&[], &[]).unwrap();
            for (index, &point) in points.iter().enumerate() {
                assert_eq!(grown.push(point, S::ONE), Ok(index as u32));
            }
            assert_layout(grown, &points);
            assert_layout(made.convert::<f64>().convert::<S>(), &points);

            let reversed = Renumbering::from_order((0..count as u32).rev().collect()).unwrap();
            let renumbered = reversed.apply(&made, &unit_sticks(count, &[]).convert()).0;
            assert_layout(renumbered, &points.iter().copied().rev().collect::<Vec<_>>());
        }
    }
    check::<2, f32>();
    check::<3, f32>();
    check::<3, f64>();
    check::<4, f32>();
}

#[test]
fn invalid_particles_are_reported_and_nothing_is_added() {
    let particles_with = |x: f64, inverse_mass: f64| {
        let points = [[0.0; 2], [1.0, x]];
        Particles::new_generic(&points, &[1.0, inverse_mass])
    };
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.001e12, -1.001e12] {
        let Err(ParticleError::Coordinate { particle: 1, axis: 1, value }) = particles_with(x, 1.0)
        else {
            panic!("no error for a coordinate of {x}");
        };
        assert_eq!(value.to_bits(), x.to_bits());
    }
    for w in [f64::NAN, f64::INFINITY, -1.0, -1e-300, 0.999e-9, 1.001e9, 1e-300] {
        let Err(ParticleError::InverseMass { particle: 1, value }) = particles_with(0.0, w) else {
            panic!("no error for an inverse mass of {w}");
        };
        assert_eq!(value.to_bits(), w.to_bits());
    }
    assert_eq!(
        Particles::<1>::new(&[[0.0]; 3], &[1.0; 2]).unwrap_err(),
        ParticleError::UnequalCounts { points: 3, inverse_masses: 2 }
    );

    let mut particles = particles_at(&[[1.0_f32, 2.0]]);
    let before = particles.hash();
    assert!(particles.push([f32::NAN, 0.0], 1.0).is_err());
    assert!(particles.push([0.0, 0.0], -1.0).is_err());
    assert!(particles.set_position(0, [3.0, f32::INFINITY]).is_err());
    assert!(particles.set_inverse_mass(0, f32::NAN).is_err());
    let unknown = ParticleError::NoSuchParticle { particle: 1, particles: 1 };
    assert_eq!(particles.set_position(1, [0.0; 2]), Err(unknown.clone()));
    assert_eq!(particles.set_inverse_mass(1, 1.0), Err(unknown));
    assert_eq!((particles.len(), particles.hash()), (1, before));
    assert_eq!(particles.inverse_masses(), [1.0]);
}

#[test]
fn literals_are_f32_unless_another_type_is_given() {
    // The size of a coordinate, in bytes.
    fn bytes<const D: usize, S: Real>(_: &Particles<D, S>) -> usize {
        size_of::<S>()
    }
    assert_eq!(bytes(&Particles::new(&[[0.1, 0.2]], &[1.0]).unwrap()), 4);
    assert_eq!(bytes(&Particles::from_points([[0.1, 0.2]], &[1.0]).unwrap()), 4);
    let mut grown = Particles::with_capacity(1);
    grown.push([0.1, 0.2], 1.0).unwrap();
    assert_eq!(bytes(&grown), 4);
    assert_eq!(bytes(&Particles::<2, f64>::new_generic(&[[0.1, 0.2]], &[1.0]).unwrap()), 8);
}

#[test]
fn the_limits_of_the_valid_ranges_are_valid_in_both_types() {
    fn check<S: Real>() {
        let real = S::from_f64;
        for x in [-1e12, 1e12] {
            for w in [0.0, 1e-9, 1e9] {
                let made = Particles::new_generic(&[[real(x)]], &[real(w)]);
                assert!(made.is_ok(), "{x} m, {w} 1/kg");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn negative_zeros_become_positive_on_input() {
    let mut particles = Particles::new(&[[-0.0, 1.0], [3.0, 3.0], [4.0, 4.0]], &[-0.0; 3]).unwrap();
    particles.push([2.0, -0.0], 1.0).unwrap();
    particles.set_position(1, [-0.0, -0.0]).unwrap();
    particles.displace(2, [-0.0, -0.0]);
    particles.set_inverse_mass(3, -0.0).unwrap();
    let positions = [0, 1].map(|axis| particles.positions(axis)).concat();
    let previous = [0, 1].map(|axis| particles.previous(axis)).concat();
    for x in [&positions[..], &previous, particles.inverse_masses()].concat() {
        assert!(x.is_sign_positive());
    }
}

#[test]
fn set_position_leaves_no_velocity() {
    let mut particles = particles_at(&[[1.0_f32, 2.0], [3.0, 4.0]]);
    particles.previous_mut(0)[1] = 2.5;
    particles.positions_mut(1)[1] = 4.5;
    assert_eq!((particles.previous(0)[1], particles.position(1)), (2.5, [3.0, 4.5]));
    particles.set_position(1, [7.0, 8.0]).unwrap();
    assert_eq!(particles.position(1), [7.0, 8.0]);
    assert_eq!([particles.previous(0)[1], particles.previous(1)[1]], [7.0, 8.0]);
    assert_eq!(particles.position(0), [1.0, 2.0]);
}

#[test]
fn converting_to_f64_and_back_changes_no_bits() {
    let mut particles = Recipe::large(0).mesh::<3, f32>().particles;
    particles.previous_mut(2)[5] = 0.1;
    let in_f64 = particles.convert::<f64>();
    assert_eq!(in_f64.positions(1)[9], f64::from(particles.positions(1)[9]));
    let back = in_f64.convert::<f32>();
    assert_eq!(back.hash(), particles.hash());
    assert_eq!(back.previous(2), particles.previous(2));
    assert_eq!(back.inverse_masses(), particles.inverse_masses());
    assert_eq!(particles_at(&[[0.1_f64]]).convert::<f32>().position(0), [0.1_f32], "rounded once");
}

#[test]
fn converted_inverse_masses_are_valid() {
    let particles = Particles::new(&[[0.0]; 3], &[0.0, 1e-9, 1e9]).unwrap();
    let in_f64 = particles.convert::<f64>();
    assert_eq!(in_f64.inverse_masses(), [0.0, 1e-9, 1e9]);
    assert!(Particles::new_generic(&[[0.0]; 3], in_f64.inverse_masses()).is_ok());
    assert_eq!(in_f64.convert::<f32>().inverse_masses(), particles.inverse_masses());
}

/// FNV-1a, 64 bits, written again for the tests.
pub(crate) fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn the_hash_is_fnv_1a_of_the_positions_bits() {
    // The first value is FNV-1a of no bytes. Below, each coordinate is 8 bytes: the bytes of 1.0 are
    // 00 00 80 3f 00 00 00 00.
    assert_eq!(particles_at::<3, f32>(&[]).hash(), 0xcbf2_9ce4_8422_2325);
    let points = [[1.0, -2.5, 0.0], [1e-3, 7.0, -1e12]];
    let particles = particles_at::<3, f32>(&points.map(|point| point.map(|x: f64| x as f32)));
    let in_f64 = particles_at::<3, f64>(&points);
    let coordinates = points.as_flattened().iter();
    let bits = coordinates.clone().map(|&x| u64::from((x as f32).to_bits()));
    assert_eq!(particles.hash(), fnv1a(bits.flat_map(u64::to_le_bytes)));
    assert_eq!(in_f64.hash(), fnv1a(coordinates.flat_map(|x| x.to_bits().to_le_bytes())));
    assert_eq!(particles.hash(), GOLDEN_HASH);
}

/// The hash of the particles in the test above, computed once by a separate program. If the hash
/// function changes, the hashes in every golden file change.
const GOLDEN_HASH: u64 = 0xdbdd_509b_8514_02a0;

#[test]
fn the_hash_depends_on_every_bit_of_positions_and_on_nothing_else() {
    let mut particles = particles_at(&random_points::<3, f32>(20));
    let hash = particles.hash();
    particles.previous_mut(0)[3] = 9.0;
    particles.set_inverse_mass(4, 0.0).unwrap();
    let columns = particles.columns();
    let padding = columns.position.into_iter().chain(columns.previous);
    padding.for_each(|column| column[20..].fill(5.0));
    assert_eq!(particles.hash(), hash, "depends on previous positions, inverse masses or padding");
    for particle in 0..20 {
        for axis in 0..3 {
            let x = particles.positions(axis)[particle];
            particles.positions_mut(axis)[particle] = x.next_up();
            assert_ne!(particles.hash(), hash, "particle {particle}, axis {axis}");
            particles.positions_mut(axis)[particle] = x;
        }
    }
}

#[test]
fn all_nans_have_the_same_hash() {
    let mut particles = particles_at(&[[1.0_f32, 2.0]]);
    let mut hash_with = |bits| {
        particles.positions_mut(1)[0] = f32::from_bits(bits);
        particles.hash()
    };
    let quiet = hash_with(0x7fc0_0000);
    for other in [0xffc0_0000, 0x7f80_0001, 0x7fff_ffff, 0xff80_1234] {
        assert_eq!(hash_with(other), quiet);
    }
    assert_ne!(hash_with(0x7f80_0000), quiet, "infinity is not NaN");
    assert_eq!(f64::from_bits(0xfff0_0000_0000_0001).canonical_bits(), 0x7ff8_0000_0000_0000);
}

#[test]
fn positions_are_read_by_particle_and_copied_to_rows() {
    let mut particles = Particles::new(&[[1.0, 2.0], [3.0, 4.0]], &[1.0, 0.0]).unwrap();
    particles.displace(1, [5.0, 6.0]);
    assert_eq!(
        [0, 1].map(|particle| particles.previous_position(particle)),
        [[1.0, 2.0], [3.0, 4.0]]
    );
    let mut rows = [[9.0; 3]; 2];
    particles.copy_positions(&mut rows);
    assert_eq!(rows, [[1.0, 2.0, 0.0], [5.0, 6.0, 0.0]]);
}
