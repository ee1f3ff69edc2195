//! Pins: particles that stay in place or follow an entity.

use std::fmt;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3, Vec4};

use crate::error::TautError;

/// A particle of a cloth or rope that [`Pins::where_`] can select, with its first vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinCandidate {
    /// The index of the particle. Vertices at the same position share one particle.
    pub particle: usize,
    /// The index of its first vertex in the mesh. For sheets and ropes, the index of the particle.
    pub vertex: usize,
    /// The initial position in the space of the entity, multiplied by the scale of the entity, m.
    pub position: Vec3,
    /// The texture coordinates, if the mesh has any: for a sheet (0, 0) at the upper left and (1, 1)
    /// at the lower right.
    pub uv: Option<Vec2>,
    /// The linear colour of the vertex, if the mesh has vertex colours: for pins that an artist paints.
    pub color: Option<Vec4>,
}

/// How pinned particles are selected.
#[derive(Clone)]
enum Selection {
    Particles(Arc<[usize]>),
    Vertices(Arc<[usize]>),
    Group(Arc<str>),
    Where(Arc<dyn Fn(&PinCandidate) -> bool + Send + Sync>),
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Particles(particles) => f.debug_tuple("Particles").field(particles).finish(),
            Self::Vertices(vertices) => f.debug_tuple("Vertices").field(vertices).finish(),
            Self::Group(group) => f.debug_tuple("Group").field(group).finish(),
            Self::Where(_) => f.write_str("Where(..)"),
        }
    }
}

/// Some pinned particles, and the entity that they follow.
#[derive(Clone, Debug)]
struct PinSet {
    selection: Selection,
    follow: Option<Entity>,
}

/// The particles of a [`Cloth`](crate::Cloth) or [`Rope`](crate::Rope) that are pinned: they stay
/// where they are, or follow an entity. Add it beside the cloth, and change or remove it at any time:
/// particles that are no longer pinned start at rest.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_taut::Pins;
///
/// # let pole = Entity::PLACEHOLDER;
/// let by_index = Pins::particles([0, 31]);
/// let by_group = Pins::group("left").following(pole);
/// let by_position = Pins::where_(|candidate| candidate.position.y > 0.9);
/// let painted = Pins::where_(|candidate| candidate.color.is_some_and(|color| color.x > 0.5));
/// // The left side follows the pole, except particle 0. Particles 0 and 31 stay in place.
/// let both = by_group.and(by_index);
/// ```
#[derive(Component, Clone, Debug, Default)]
pub struct Pins(Vec<PinSet>);

impl Pins {
    fn of(selection: Selection) -> Self {
        Self(vec![PinSet { selection, follow: None }])
    }

    /// Pins particles by index.
    pub fn particles(particles: impl IntoIterator<Item = usize>) -> Self {
        Self::of(Selection::Particles(particles.into_iter().collect()))
    }

    /// Pins particles by the indices of vertices of the mesh. All vertices at the position of such a vertex are
    /// pinned with it. For sheets and ropes, these are the indices of particles.
    pub fn vertices(vertices: impl IntoIterator<Item = usize>) -> Self {
        Self::of(Selection::Vertices(vertices.into_iter().collect()))
    }

    /// Pins a group by name. A sheet has `top`, `bottom`, `left`, `right`, `corners` and `top corners`; a
    /// mesh has `top` (the highest 2 % of its particles, at least one) and `rim`; a rope has `start`, `end`
    /// and `ends`.
    pub fn group(name: &str) -> Self {
        Self::of(Selection::Group(name.into()))
    }

    /// Pins the particles for which a function returns true. It is called for every particle when the
    /// cloth is added, and again when the pins change.
    pub fn where_(selects: impl Fn(&PinCandidate) -> bool + Send + Sync + 'static) -> Self {
        Self::of(Selection::Where(Arc::new(selects)))
    }

    /// Makes these pins follow an entity: each keeps its position in the local space of the entity,
    /// including its scale. The entity may be that of the cloth itself. If it is despawned, the pins
    /// stay in place. Pins that are to follow an entity that no longer exists stay in place, too, and an
    /// error is reported.
    #[must_use]
    pub fn following(mut self, entity: Entity) -> Self {
        for set in &mut self.0 {
            set.follow = Some(entity);
        }
        self
    }

    /// Adds `others` to these pins. If both pin a particle, `others` decides what the particle follows.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// For each particle, whether it is pinned and the entity that it follows.
    pub(crate) fn resolve(&self, shape: &PinCandidates<'_>) -> Result<Vec<Pinned>, TautError> {
        let mut pinned = vec![None; shape.positions.len()];
        for PinSet { selection, follow } in &self.0 {
            for particle in shape.selected(selection)? {
                pinned[particle] = Some(*follow);
            }
        }
        Ok(pinned)
    }
}

/// `None`: the particle is free. `Some(None)`: it is pinned. `Some(Some(entity))`: it is pinned and follows the
/// entity.
pub(crate) type Pinned = Option<Option<Entity>>;

/// The positions, groups and vertices by which pins are selected.
pub(crate) struct PinCandidates<'a> {
    /// Positions of the particles, m.
    pub(crate) positions: &'a [[f32; 3]],
    pub(crate) groups: &'a std::collections::BTreeMap<String, Vec<u32>>,
    /// The first vertex of each particle; empty if their indices are equal.
    pub(crate) vertex_of: &'a [u32],
    /// The particle of each vertex; empty if their indices are equal.
    pub(crate) particle_of: &'a [u32],
    /// Texture coordinates of the vertices; may be empty.
    pub(crate) uvs: &'a [[f32; 2]],
    /// Colours of the vertices; may be empty.
    pub(crate) colors: &'a [[f32; 4]],
}

impl PinCandidates<'_> {
    fn selected(&self, selection: &Selection) -> Result<Vec<usize>, TautError> {
        let particles = self.positions.len();
        match selection {
            Selection::Particles(list) => {
                match list.iter().find(|particle| **particle >= particles) {
                    None => Ok(list.to_vec()),
                    Some(&particle) => Err(TautError::NoSuchPinnedParticle { particle, particles }),
                }
            }
            Selection::Vertices(list) => {
                if self.particle_of.is_empty() {
                    // Of a sheet or a rope, they are the indices of particles.
                    return self.selected(&Selection::Particles(list.clone()));
                }
                let vertices = self.particle_of.len();
                let particle = |&vertex: &usize| {
                    let particle = self.particle_of.get(vertex).map(|it| *it as usize);
                    let error = TautError::NoSuchPinnedVertex { vertex, vertices };
                    particle.filter(|particle| *particle < particles).ok_or(error)
                };
                list.iter().map(particle).collect()
            }
            Selection::Group(name) => {
                let groups = || self.groups.keys().cloned().collect::<Vec<_>>().join(", ");
                let group = self.groups.get(&**name);
                let group = group.ok_or_else(|| TautError::NoSuchGroup {
                    group: name.to_string(),
                    groups: groups(),
                })?;
                Ok(group.iter().map(|particle| *particle as usize).collect())
            }
            Selection::Where(selects) => {
                Ok((0..particles).filter(|&particle| selects(&self.candidate(particle))).collect())
            }
        }
    }

    fn candidate(&self, particle: usize) -> PinCandidate {
        let vertex = self.vertex_of.get(particle).map_or(particle, |vertex| *vertex as usize);
        PinCandidate {
            particle,
            vertex,
            position: self.positions[particle].into(),
            uv: self.uvs.get(vertex).copied().map(Vec2::from),
            color: self.colors.get(vertex).copied().map(Vec4::from),
        }
    }
}
