//! What a renderer reads from a world in two or three dimensions.

use alloc::vec::Vec;

use taut_world::{
    Drawing, FigureShape, ObstacleFigure, REMOVED, Removed, TieState, normals, resize_vector,
};

use super::{AnyWorld, AnyWorldError, Inner, with_inner};

impl AnyWorld {
    /// Number of vertices: the particles, then the vertices of the meshes of rigid bodies.
    pub fn vertices(&self) -> usize {
        self.drawing.vertices
    }

    /// The models, triangles, sticks and springs. Removed triangles and torn sticks keep their
    /// numbers, and their corners or ends are [`REMOVED`].
    pub fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// See [`World::removed`](taut_world::World::removed).
    pub fn removed(&self) -> &Removed {
        with_inner!(&self.inner, inner => inner.world.removed())
    }

    /// Increases whenever [`triangles`](Self::triangles) or [`lines`](Self::lines) change.
    pub fn drawing_version(&self) -> u64 {
        self.drawing_version
    }

    /// The remaining triangles, as the numbers of their vertices, counter-clockwise from outside.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.drawing.triangles.iter().copied().filter(|corners| corners[0] != REMOVED)
    }

    /// The untorn sticks that should be drawn, then the springs, as the numbers of the particles at
    /// their ends.
    pub fn lines(&self) -> impl Iterator<Item = [u32; 2]> {
        let Drawing { sticks, springs, hidden_sticks, .. } = &self.drawing;
        let mut hidden = hidden_sticks.iter().copied().peekable();
        let drawn = sticks.iter().enumerate().filter(move |(stick, ends)| {
            // The numbers of sticks ascend in both `sticks` and `hidden_sticks`.
            hidden.next_if_eq(&(*stick as u32)).is_none() && ends[0] != REMOVED
        });
        drawn.map(|(_, ends)| *ends).chain(springs.iter().copied())
    }

    /// The current state of all ties: see [`World::ties`](taut_world::World::ties).
    pub fn ties(&self) -> Vec<TieState> {
        with_inner!(&self.inner, inner => inner.world.ties().map(tie_in_3d).collect())
    }

    /// The numbers of the particles that are currently hidden: see
    /// [`World::hidden_particles`](taut_world::World::hidden_particles).
    pub fn hidden_particles(&self) -> Vec<usize> {
        with_inner!(&self.inner, inner => inner.world.hidden_particles().collect())
    }

    /// The shape and current pose of each obstacle; `None` if the obstacle cannot be drawn. In two
    /// dimensions third coordinates and extents are 0.
    ///
    /// ```
    /// use taut::world::FigureShape;
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let world = AnyWorld::from_library("layers", Some(16), &KernelChoice::default())?;
    /// let is_ball = |shape: FigureShape<'_>| matches!(shape, FigureShape::Sphere { .. });
    /// assert!(world.obstacles().into_iter().flatten().any(|figure| is_ball(figure.shape)));
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    pub fn obstacles(&self) -> Vec<Option<ObstacleFigure<'_>>> {
        match &self.inner {
            Inner::TwoD(inner) => {
                let time = inner.world.time();
                let figures = inner.world.obstacles().iter().map(|it| it.figure(time));
                figures.map(|figure| in_3d(figure?)).collect()
            }
            Inner::ThreeD(inner) => {
                let time = inner.world.time();
                inner.world.obstacles().iter().map(|it| it.figure(time)).collect()
            }
        }
    }

    /// Copies the positions of all vertices, m: three numbers each.
    ///
    /// # Errors
    /// The slice does not have three numbers per vertex.
    pub fn copy_positions(&self, to: &mut [f32]) -> Result<(), AnyWorldError> {
        let rows = rows_of("positions", to, self.vertices())?;
        with_inner!(&self.inner, inner => inner.world.copy_vertices(rows));
        Ok(())
    }

    /// Computes the unit normal of each vertex, three numbers each: see [`normals`]. Nothing is
    /// allocated after the first call.
    ///
    /// # Errors
    /// The slice does not have three numbers per vertex.
    pub fn copy_normals(&mut self, to: &mut [f32]) -> Result<(), AnyWorldError> {
        let to = rows_of("normals", to, self.vertices())?;
        let positions = &mut self.positions_and_normals[0];
        positions.resize(self.drawing.vertices, [0.0; 3]);
        with_inner!(&self.inner, inner => inner.world.copy_vertices(positions));
        normals(positions, &self.drawing.triangles, to);
        Ok(())
    }

    /// Copies the position and the unit normal of each vertex: six numbers each, as a vertex buffer
    /// has them.
    ///
    /// # Errors
    /// The slice does not have six numbers per vertex.
    pub fn copy_positions_and_normals(&mut self, to: &mut [f32]) -> Result<(), AnyWorldError> {
        let expected = 6 * self.vertices();
        if to.len() != expected {
            return Err(AnyWorldError::Length { what: "vertices", found: to.len(), expected });
        }
        let [positions, normal_rows] = &mut self.positions_and_normals;
        for rows in [&mut *positions, &mut *normal_rows] {
            rows.resize(self.drawing.vertices, [0.0; 3]);
        }
        with_inner!(&self.inner, inner => inner.world.copy_vertices(positions));
        normals(positions, &self.drawing.triangles, normal_rows);
        let (vertices, _) = to.as_chunks_mut::<6>();
        for ((vertex, position), normal) in vertices.iter_mut().zip(positions).zip(normal_rows) {
            vertex[..3].copy_from_slice(position);
            vertex[3..].copy_from_slice(normal);
        }
        Ok(())
    }

    /// Same as [`copy_positions_and_normals`](Self::copy_positions_and_normals), but into a buffer of
    /// the world, which is returned.
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut world = AnyWorld::from_library("drape", Some(16), &KernelChoice::default())?;
    /// let vertices = world.interleaved_vertices();
    /// assert_eq!(vertices.len(), 6 * 256);
    /// assert!((vertices[5].abs() - 1.0).abs() < 0.01); // the sheet hangs in the plane of x and y
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    pub fn interleaved_vertices(&mut self) -> &[f32] {
        let mut buffer = core::mem::take(&mut self.interleaved);
        buffer.resize(6 * self.vertices(), 0.0);
        let copied = self.copy_positions_and_normals(&mut buffer);
        debug_assert!(copied.is_ok(), "the buffer has the right length");
        self.interleaved = buffer;
        &self.interleaved
    }

    /// Reads the whole drawing from the world again.
    pub(super) fn reload_drawing(&mut self) {
        with_inner!(&self.inner, inner => {
            self.drawing = inner.world.drawing();
            let removed = inner.world.removed();
            self.removed = [removed.triangles.len(), removed.sticks.len()];
        });
        self.drawing_version += 1;
    }

    /// Marks the triangles and sticks that were removed from the world since the last call of this
    /// function or of [`reload_drawing`](Self::reload_drawing).
    pub(super) fn update_drawing(&mut self) {
        let removed = with_inner!(&self.inner, inner => inner.world.removed());
        let [seen_triangles, seen_sticks] = self.removed;
        self.removed = [removed.triangles.len(), removed.sticks.len()];
        for &triangle in &removed.triangles[seen_triangles..] {
            self.drawing.triangles[triangle as usize] = [REMOVED; 3];
        }
        for &stick in &removed.sticks[seen_sticks..] {
            self.drawing.sticks[stick as usize] = [REMOVED; 2];
        }
        if self.removed != [seen_triangles, seen_sticks] {
            self.drawing_version += 1;
        }
    }
}

/// The slice as rows of three numbers, one for each vertex. `what` names the slice in the error.
fn rows_of<'a>(
    what: &'static str,
    slice: &'a mut [f32],
    vertices: usize,
) -> Result<&'a mut [[f32; 3]], AnyWorldError> {
    let (found, expected) = (slice.len(), 3 * vertices);
    if found != expected {
        return Err(AnyWorldError::Length { what, found, expected });
    }
    Ok(slice.as_chunks_mut().0)
}

/// The same figure in three dimensions; `None` for a mesh.
fn in_3d(figure: ObstacleFigure<'_, 2>) -> Option<ObstacleFigure<'static>> {
    let shape = match figure.shape {
        FigureShape::Sphere { radius } => FigureShape::Sphere { radius },
        FigureShape::Capsule { radius, half } => FigureShape::Capsule { radius, half },
        FigureShape::Cuboid { half } => FigureShape::Cuboid { half: resize_vector(half) },
        FigureShape::HalfSpace => FigureShape::HalfSpace,
        FigureShape::Bounds { half } => FigureShape::Bounds { half: resize_vector(half) },
        _ => return None,
    };
    let ObstacleFigure { position, rotation, .. } = figure;
    Some(ObstacleFigure { shape, position: resize_vector(position), rotation })
}

/// The same tie in three dimensions.
fn tie_in_3d<const D: usize>(tie: TieState<D>) -> TieState {
    let TieState { ends, distance, kind, broken, force } = tie;
    TieState { ends: ends.map(resize_vector), distance, kind, broken, force }
}
