//! Loops over all particles: integration, stages, and copies between columns and records.

use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{Motion, PADDING, ParticleView, SlotLayout, Stage, arrays, integrate};

use crate::machine::Operation;
use crate::record::Record;
use crate::team::SharedPtr;
use crate::vector::Vector;

/// Particles per call of a stage: their columns fit the L1 cache.
const STAGE_PARTICLES: usize = 256;
const _: () = assert!(STAGE_PARTICLES.is_multiple_of(PADDING));

/// The positions, by axis, of the particles of one call of a stage, aligned to registers.
#[repr(align(64))]
struct StagePositions<const D: usize>([[f32; STAGE_PARTICLES]; D]);

/// What a loop does with each particle.
#[derive(Clone, Copy)]
pub(crate) enum ParticleLoop<'a, const D: usize> {
    /// Copies columns to records.
    Fill,
    /// Integrates one substep: reads positions from the columns or the records, and writes the new
    /// ones to the records and the old ones to the columns of previous positions.
    Integrate(Source, &'a Motion<D>),
    /// Copies records to columns; sets the flag to false if a position is not finite.
    WriteBack(&'a AtomicBool),
    /// Runs a stage on the records.
    Visit(&'a dyn Stage<D>),
}

/// Where a loop reads positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Columns,
    Records,
}

/// The addresses of the particles' columns and records.
pub(crate) struct RawParticles<'a, const D: usize> {
    pub(crate) position: [SharedPtr<f32>; D],
    pub(crate) previous: [SharedPtr<f32>; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) records: SharedPtr<Record>,
}

/// The operation that runs a loop on a range of particles.
pub(crate) struct RunParticleLoop<'a, const D: usize> {
    particles: &'a RawParticles<'a, D>,
    range: Range<usize>,
    particle_loop: ParticleLoop<'a, D>,
}

impl<'a, const D: usize> RunParticleLoop<'a, D> {
    /// # Safety
    /// While the operation runs,
    /// - all columns and records are valid for reading and writing in `range`, whose
    ///   length is a multiple of [`PADDING`],
    /// - and no other code accesses that part of them.
    pub(crate) unsafe fn new(
        particles: &'a RawParticles<'a, D>,
        range: Range<usize>,
        particle_loop: ParticleLoop<'a, D>,
    ) -> Self {
        Self { particles, range, particle_loop }
    }
}

impl<const D: usize> Operation for RunParticleLoop<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        const { assert!(PADDING.is_multiple_of(V::LANES)) };
        match self.particle_loop {
            ParticleLoop::Fill => self.fill::<V>(cpu),
            ParticleLoop::Integrate(Source::Columns, motion) => {
                self.integrate::<V, false>(cpu, motion);
            }
            ParticleLoop::Integrate(Source::Records, motion) => {
                self.integrate::<V, true>(cpu, motion);
            }
            ParticleLoop::WriteBack(finite) => self.write_back::<V>(cpu, finite),
            ParticleLoop::Visit(stage) => self.visit::<V>(cpu, stage),
        }
    }
}

impl<const D: usize> RunParticleLoop<'_, D> {
    /// The positions of a register of particles from the columns, with -0.0 turned into +0.0.
    ///
    /// # Safety
    /// - `first..first + LANES` is in the range.
    #[inline(always)]
    unsafe fn load_columns<V: Vector>(&self, cpu: V::Cpu, first: usize) -> [V; 4] {
        let zero = V::splat(cpu, 0.0);
        let mut fields = [zero; 4];
        for (field, column) in fields.iter_mut().zip(&self.particles.position) {
            // SAFETY: by contract, and by that of `new`.
            *field = unsafe { V::load(cpu, column.0.add(first)) } + zero;
        }
        fields
    }

    /// The address of a record.
    #[inline(always)]
    fn record(&self, particle: usize) -> *mut [f32; 4] {
        self.particles.records.0.wrapping_add(particle).cast()
    }

    /// The inverse masses of a register of particles.
    ///
    /// # Safety
    /// - `first..first + LANES` is in the range.
    #[inline(always)]
    unsafe fn load_inverse_masses<V: Vector>(&self, cpu: V::Cpu, first: usize) -> V {
        // SAFETY: by contract, and by that of `new`.
        unsafe { V::load(cpu, self.particles.inverse_mass.as_ptr().add(first)) }
    }

    #[inline(always)]
    fn fill<V: Vector>(&self, cpu: V::Cpu) {
        for first in self.range.clone().step_by(V::LANES) {
            // SAFETY: `LANES` divides `PADDING`, so `first..first + LANES` is within the range,
            // which is within the columns and not accessed elsewhere, by the contract of `new`.
            unsafe {
                let mut fields = self.load_columns::<V>(cpu, first);
                fields[D] = self.load_inverse_masses(cpu, first);
                V::scatter(fields, |lane| self.record(first + lane));
            }
        }
    }

    /// Integrates one substep; reads positions from the records or, if `FROM_RECORDS` is false,
    /// from the columns.
    #[inline(always)]
    fn integrate<V: Vector, const FROM_RECORDS: bool>(&self, cpu: V::Cpu, motion: &Motion<D>) {
        let retention = V::splat(cpu, motion.retention);
        let displacement = arrays::map(motion.displacement, |component| V::splat(cpu, component));
        for first in self.range.clone().step_by(V::LANES) {
            // SAFETY: as in `fill`.
            unsafe {
                let inverse_mass: V = self.load_inverse_masses(cpu, first);
                let mut fields = if FROM_RECORDS {
                    V::gather(cpu, |lane| self.record(first + lane).cast_const())
                } else {
                    self.load_columns(cpu, first)
                };
                for axis in 0..D {
                    let column = self.particles.previous[axis].0.add(first);
                    let (position, previous) = (fields[axis], V::load(cpu, column));
                    fields[axis] =
                        integrate(position, previous, inverse_mass, retention, displacement[axis]);
                    position.store(column);
                }
                fields[D] = inverse_mass;
                V::scatter(fields, |lane| self.record(first + lane));
            }
        }
    }

    #[inline(always)]
    fn write_back<V: Vector>(&self, cpu: V::Cpu, finite: &AtomicBool) {
        let zero = V::splat(cpu, 0.0);
        let mut nan_or_zero = zero;
        for first in self.range.clone().step_by(V::LANES) {
            // SAFETY: as in `fill`.
            unsafe {
                let fields: [V; 4] = V::gather(cpu, |lane| self.record(first + lane).cast_const());
                for (field, column) in fields.into_iter().zip(&self.particles.position) {
                    // Becomes NaN at the first coordinate that is not finite, and stays NaN.
                    nan_or_zero = nan_or_zero + field * zero;
                    field.store(column.0.add(first));
                }
            }
        }
        let mut lanes = [0.0; PADDING];
        // SAFETY: no register has more lanes than `PADDING`.
        unsafe { nan_or_zero.store(lanes.as_mut_ptr()) };
        if lanes.iter().any(|lane| lane.is_nan()) {
            finite.store(false, Ordering::Relaxed);
        }
    }

    /// Copies positions from the records to a buffer by axis, runs the stage on the buffer, and
    /// copies the positions back.
    #[inline(always)]
    fn visit<V: Vector>(&self, cpu: V::Cpu, stage: &dyn Stage<D>) {
        let mut positions = StagePositions([[0.0; STAGE_PARTICLES]; D]);
        let StagePositions(position) = &mut positions;
        for first in self.range.clone().step_by(STAGE_PARTICLES) {
            let range = first..self.range.end.min(first + STAGE_PARTICLES);
            for particle in range.clone().step_by(V::LANES) {
                // SAFETY: as in `fill`; `range` has at most `STAGE_PARTICLES` particles.
                unsafe {
                    let fields: [V; 4] =
                        V::gather(cpu, |lane| self.record(particle + lane).cast_const());
                    for (field, column) in fields.into_iter().zip(&mut *position) {
                        field.store(column.as_mut_ptr().add(particle - first));
                    }
                }
            }
            // SAFETY: the range is within the columns, valid and not accessed elsewhere, by the
            // contract of `new`.
            let slice_of = |column: &SharedPtr<f32>| unsafe {
                slice::from_raw_parts_mut(column.0.add(first), range.len())
            };
            stage.run(ParticleView {
                position: position.each_mut().map(|column| &mut column[..range.len()]),
                previous: self.particles.previous.each_ref().map(slice_of),
                inverse_mass: &self.particles.inverse_mass[range.clone()],
                layout: SlotLayout::Run(first),
            });
            for particle in range.step_by(V::LANES) {
                // SAFETY: as above.
                unsafe {
                    let mut fields = [V::splat(cpu, 0.0); 4];
                    for (field, column) in fields.iter_mut().zip(&*position) {
                        *field = V::load(cpu, column.as_ptr().add(particle - first));
                    }
                    fields[D] = self.load_inverse_masses(cpu, particle);
                    V::scatter(fields, |lane| self.record(particle + lane));
                }
            }
        }
    }
}
