//! Converts a world to the drawn scene and frames that the export and picture crates expect.

use taut::AnyWorld;
use taut::world::{
    Drawing, DrawnBody, FigureShape, ModelKind, ObstacleFigure, REMOVED, TieState, normals,
};
use taut_export::{DrawnScene, Frame, Material, Mesh, Part, Pose, RigidShape};
use taut_mesh::VertexMap;

/// The number of segments around a capsule.
const CAPSULE_SEGMENTS: u32 = 48;

/// The drawn scene of a world, and its current frame.
pub(super) struct ExportedWorld {
    pub(super) scene: DrawnScene,
    pub(super) frame: Frame,
    /// For each vertex of the drawn scene, its index in `positions`.
    source_of_vertex: Vec<u32>,
    /// For each stick of the world, its index in the drawn scene, if it is drawn.
    sticks: Vec<Option<u32>>,
    /// For each triangle of the world, the index of its face in the drawn scene, if it is drawn.
    faces: Vec<Option<u32>>,
    /// The version of the world's drawing whose removed triangles and torn sticks the frame hides.
    drawing_version: u64,
    /// Three particles of each rigid body, which determine its axes. The bodies are the first rigid shapes of
    /// the drawn scene.
    bodies: Vec<[usize; 3]>,
    /// Indices of the obstacles that are rigid shapes of the drawn scene; they follow the bodies.
    obstacles: Vec<usize>,
    /// The index of the first stick of the drawn scene that is a tie; the other ties follow it. `None` if
    /// ties are not drawn.
    first_tie: Option<usize>,
    /// The positions of the particles of the world, then of the vertices of its rigid bodies, then of
    /// the ends of its ties, m.
    positions: Vec<[f32; 3]>,
    /// The unit normals at `positions`, except at the ends of ties.
    normals: Vec<[f32; 3]>,
}

impl ExportedWorld {
    /// Creates the drawn scene of a world. If `vertex_map` is given, the drawn scene has the vertices and
    /// faces of the mesh file instead of those of the world.
    pub(super) fn new(world: &AnyWorld, vertex_map: Option<&VertexMap>) -> anyhow::Result<Self> {
        let (drawing, particles, flat) =
            (world.drawing(), world.particles(), world.dimensions() == 2);
        let ties = world.ties();
        let mut this = Self {
            scene: DrawnScene { flat, vertices: particles, ..DrawnScene::default() },
            frame: Frame::default(),
            source_of_vertex: (0..particles as u32).collect(),
            sticks: vec![None; drawing.sticks.len()],
            faces: vec![None; drawing.triangles.len()],
            drawing_version: world.drawing_version(),
            bodies: Vec::new(),
            obstacles: Vec::new(),
            first_tie: None,
            positions: vec![[0.0; 3]; drawing.vertices + 2 * ties.len()],
            normals: vec![[0.0; 3]; drawing.vertices],
        };
        this.copy_positions(world, &ties)?;
        this.scene.ball_radii = vec![0.0; particles];
        for model in &drawing.models {
            let (first_face, first_stick) = (this.scene.faces.len(), this.scene.sticks.len());
            for triangle in model.triangles.clone() {
                let corners = drawing.triangles[triangle];
                if corners.iter().all(|&corner| model.particles.contains(&(corner as usize))) {
                    this.faces[triangle] = Some(this.scene.faces.len() as u32);
                    this.scene.faces.push(corners);
                }
            }
            let has_faces = this.scene.faces.len() > first_face;
            let has_drawn_sticks = match model.kind {
                ModelKind::Body => false,
                ModelKind::Cloth => flat || !has_faces, // in three dimensions, the faces hide them
                _ => true,
            };
            for stick in model.sticks.clone() {
                let ends = drawing.sticks[stick];
                let hidden = drawing.hidden_sticks.binary_search(&(stick as u32)).is_ok();
                if has_drawn_sticks && ends[0] != REMOVED && !hidden {
                    this.sticks[stick] = Some(this.scene.sticks.len() as u32);
                    this.scene.sticks.push(ends);
                }
            }
            // Springs are drawn as sticks in models without faces. They do not tear, so they need no entry
            // in `sticks`.
            if !has_faces {
                this.scene.sticks.extend(&drawing.springs[model.springs.clone()]);
            }
            if model.kind == ModelKind::Ragdoll {
                let particles = model.particles.clone();
                this.scene.ball_radii[particles.clone()].copy_from_slice(&drawing.radii[particles]);
            }
            let sticks = first_stick..this.scene.sticks.len();
            // The meshes of rigid bodies become rigid shapes, in `add_body`.
            if model.kind != ModelKind::Body || has_faces || !sticks.is_empty() {
                let radius = this.drawing_radius(model.kind, &this.scene.sticks[sticks.clone()]);
                this.scene.parts.push(Part {
                    name: model.name.clone(),
                    material: material_of(model.kind),
                    vertices: model.particles.clone(),
                    faces: first_face..this.scene.faces.len(),
                    sticks,
                    radius,
                });
            }
        }
        // Pins are drawn in two dimensions only.
        for particle in if flat { 0..particles } else { 0..0 } {
            if world.inverse_mass(particle)? == 0.0 {
                this.scene.pinned.push(particle as u32);
            }
        }
        match vertex_map {
            Some(vertex_map) => this.use_file_vertices(vertex_map),
            None if !ties.is_empty() => this.add_ties(&drawing.sticks, drawing.vertices),
            None => {}
        }
        for model in &drawing.models {
            for body in &model.bodies {
                this.add_body(world, body, &model.name)?;
            }
        }
        this.add_obstacles(world);
        this.hide_removed(drawing); // faces of a mesh file that are removed when a simulation resumes
        Ok(this)
    }

    /// The radius with which the sticks or grains of a model are drawn, m: constant for grains,
    /// proportional to the mean stick length for other models. It affects only how the model looks.
    fn drawing_radius(&self, kind: ModelKind, sticks: &[[u32; 2]]) -> f32 {
        let factor = match kind {
            ModelKind::Grains => return 0.02,
            ModelKind::Ragdoll => 0.2,
            ModelKind::Plant => 0.1,
            _ => 0.09,
        };
        let length = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a, b].map(|end| self.positions[end as usize]);
            (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f32>().sqrt()
        };
        factor * sticks.iter().map(length).sum::<f32>() / sticks.len().max(1) as f32
    }

    /// Adds all ties as one part. `sticks` are the sticks of the world. The ties are as thick as a rope that
    /// consists of the sticks that are not torn or, if there are none, of the ties themselves. The ends of
    /// the ties begin at `first_end` in `positions`.
    fn add_ties(&mut self, sticks: &[[u32; 2]], first_end: usize) {
        let mut lines: Vec<[u32; 2]> =
            sticks.iter().copied().filter(|ends| ends[0] != REMOVED).collect();
        if lines.is_empty() {
            lines.extend(
                (first_end as u32..self.positions.len() as u32)
                    .step_by(2)
                    .map(|end| [end, end + 1]),
            );
        }
        let radius = self.drawing_radius(ModelKind::Rope, &lines);
        let (first_vertex, first_tie) = (self.scene.vertices, self.scene.sticks.len());
        self.source_of_vertex.extend(first_end as u32..self.positions.len() as u32);
        self.scene.vertices = self.source_of_vertex.len();
        let vertices = first_vertex..self.scene.vertices;
        let pairs = vertices.clone().step_by(2).map(|vertex| [vertex as u32, vertex as u32 + 1]);
        self.scene.sticks.extend(pairs);
        self.scene.ball_radii.resize(self.scene.vertices, 0.0);
        self.scene.parts.push(Part {
            name: "ties".to_owned(),
            material: Material::Rope,
            vertices,
            faces: self.scene.faces.len()..self.scene.faces.len(),
            sticks: first_tie..self.scene.sticks.len(),
            radius,
        });
        self.first_tie = Some(first_tie);
    }

    /// Copies the current positions of all vertices and of the ends of ties to `positions`.
    fn copy_positions(&mut self, world: &AnyWorld, ties: &[TieState]) -> anyhow::Result<()> {
        let (vertices, tie_ends) = self.positions.split_at_mut(world.vertices());
        world.copy_positions(vertices.as_flattened_mut())?;
        for (ends, tie) in tie_ends.as_chunks_mut().0.iter_mut().zip(ties) {
            *ends = tie.ends;
            if tie.broken {
                ends[1] = ends[0]; // a point, for formats that cannot hide a line
            }
        }
        Ok(())
    }

    /// Replaces the vertices and faces of the drawn scene by those of the mesh file.
    fn use_file_vertices(&mut self, vertex_map: &VertexMap) {
        // A vertex without a particle has no face, so its position does not matter.
        self.source_of_vertex =
            vertex_map.vertices.iter().map(|particle| particle.unwrap_or(0)).collect();
        self.scene.vertices = self.source_of_vertex.len();
        self.scene.faces.clone_from(&vertex_map.triangles);
        self.faces = (0..self.faces.len() as u32).map(Some).collect();
        self.scene.ball_radii.clear();
        self.scene.pinned.clear();
        for part in &mut self.scene.parts {
            part.vertices = 0..self.source_of_vertex.len();
            part.faces = 0..self.scene.faces.len();
        }
    }

    /// Adds a rigid body of the model `name`, if it has a mesh.
    fn add_body(&mut self, world: &AnyWorld, body: &DrawnBody, name: &str) -> anyhow::Result<()> {
        if body.vertices.is_empty() {
            return Ok(()); // it is not drawn
        }
        let particles = body.particles.map(|particle| particle as usize);
        let [a, b, c, _] = particles;
        let world_to_body = self.body_pose([a, b, c]).inverse();
        let vertices = self.positions[body.vertices.clone()].iter();
        let local_vertices: Vec<_> = vertices.map(|&vertex| world_to_body.point(vertex)).collect();
        let start = body.vertices.start as u32;
        let corners = world.drawing().triangles[body.triangles.clone()].iter();
        let corners: Vec<[u32; 3]> =
            corners.map(|corners| corners.map(|corner| corner - start)).collect();
        let mut is_pinned = true;
        for particle in particles {
            is_pinned &= world.inverse_mass(particle)? == 0.0;
        }
        self.scene.rigid_shapes.push(RigidShape {
            name: name.to_owned(),
            material: if is_pinned { Material::Obstacle } else { Material::Body },
            mesh: Mesh::faceted(&local_vertices, &corners),
            unbounded: false,
        });
        self.bodies.push([a, b, c]);
        Ok(())
    }

    /// The current pose of a body, given by three of its particles.
    fn body_pose(&self, particles: [usize; 3]) -> Pose {
        Pose::of_triangle(particles.map(|particle| self.positions[particle]))
    }

    /// Adds the obstacles that have a drawable shape.
    fn add_obstacles(&mut self, world: &AnyWorld) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for point in &self.positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        // The longest side of the bounding box of the positions, m, and at least 1.
        let extent = (0..3).fold(1.0_f32, |extent, axis| extent.max(high[axis] - low[axis]));
        let flat = self.scene.flat;
        for (index, figure) in world.obstacles().into_iter().enumerate() {
            let Some(ObstacleFigure { shape, position, .. }) = figure else { continue };
            let (mesh, name, unbounded) = match shape {
                FigureShape::Sphere { radius } => (Mesh::sphere(radius as f32), "ball", false),
                FigureShape::Capsule { radius, half } => {
                    (Mesh::capsule(radius as f32, half as f32, CAPSULE_SEGMENTS), "capsule", false)
                }
                FigureShape::Cuboid { half } => {
                    (Mesh::cuboid(half_extents(half, flat)), "box", false)
                }
                FigureShape::HalfSpace => (Mesh::floor(10.0 * extent), "ground", true),
                FigureShape::Bounds { half } => {
                    let half = half_extents(half, flat);
                    let floor = position[1] as f32 - half[1];
                    // In two dimensions the walls are as high as the scene, in three 15 % of the mean width of the
                    // room.
                    let wall_height =
                        if flat { high[1] - floor } else { 0.15 * (half[0] + half[2]) };
                    (Mesh::room(half, wall_height.min(2.0 * half[1])), "room", true)
                }
                FigureShape::Mesh { points, triangles } => {
                    (Mesh::faceted(points, triangles), "mesh", false)
                }
                _ => continue,
            };
            let material = if unbounded { Material::Ground } else { Material::Obstacle };
            let name = format!("{name} {index}");
            self.scene.rigid_shapes.push(RigidShape { name, material, mesh, unbounded });
            self.obstacles.push(index);
        }
    }

    /// Hides a stick or tie of the drawn scene in the frame.
    fn mark_torn(&mut self, stick: usize) {
        self.frame.torn_sticks.resize(self.scene.sticks.len(), false);
        self.frame.torn_sticks[stick] = true;
    }

    /// Hides the removed triangles and torn sticks of the world's drawing in the frame.
    fn hide_removed(&mut self, drawing: &Drawing) {
        for (face, corners) in self.faces.iter().zip(&drawing.triangles) {
            if let (&Some(face), [REMOVED, ..]) = (face, corners) {
                self.frame.removed_faces.resize(self.scene.faces.len(), false);
                self.frame.removed_faces[face as usize] = true;
            }
        }
        for stick in 0..self.sticks.len() {
            if let (Some(line), [REMOVED, _]) = (self.sticks[stick], drawing.sticks[stick]) {
                self.mark_torn(line as usize);
            }
        }
    }

    /// Updates the frame to the current state of the world.
    pub(super) fn update(&mut self, world: &AnyWorld) -> anyhow::Result<()> {
        if self.drawing_version != world.drawing_version() {
            self.drawing_version = world.drawing_version();
            self.hide_removed(world.drawing());
        }
        let ties = world.ties();
        if let Some(first_tie) = self.first_tie {
            for (index, _) in ties.iter().enumerate().filter(|(_, tie)| tie.broken) {
                self.mark_torn(first_tie + index);
            }
        }
        self.copy_positions(world, &ties)?;
        let triangles = &world.drawing().triangles;
        normals(&self.positions[..self.normals.len()], triangles, &mut self.normals);

        let frame = &mut self.frame;
        frame.time = world.time();
        // Copies values, indexed as `positions`, to the vertices of the drawn scene.
        let gather = |values: &[[f32; 3]], of_vertices: &mut Vec<[f32; 3]>| {
            of_vertices.clear();
            // The ends of ties have no normal: zero.
            let value_at = |&source: &u32| values.get(source as usize).copied().unwrap_or_default();
            of_vertices.extend(self.source_of_vertex.iter().map(value_at));
        };
        gather(&self.positions, &mut frame.positions);
        gather(&self.normals, &mut frame.normals);
        frame.hidden_vertices.clear();
        let hidden_particles = world.hidden_particles();
        if !hidden_particles.is_empty() {
            let mut is_hidden = vec![false; self.positions.len()];
            for particle in hidden_particles {
                is_hidden[particle] = true;
            }
            let sources = self.source_of_vertex.iter();
            frame.hidden_vertices.extend(sources.map(|&source| is_hidden[source as usize]));
        }
        let mut poses: Vec<Pose> = self.bodies.iter().map(|&body| self.body_pose(body)).collect();
        let figures = world.obstacles();
        poses.extend(self.obstacles.iter().map(|&index| {
            figures[index].map_or(Pose::REST, |ObstacleFigure { position, rotation, .. }| Pose {
                position: position.map(|x| x as f32),
                rotation: rotation.map(|x| x as f32),
            })
        }));
        self.frame.poses = poses;
        Ok(())
    }
}

fn material_of(kind: ModelKind) -> Material {
    match kind {
        ModelKind::Cloth => Material::Cloth,
        ModelKind::Rope => Material::Rope,
        ModelKind::Plant => Material::Plant,
        ModelKind::Body => Material::Body,
        ModelKind::Ragdoll => Material::Ragdoll,
        ModelKind::Grains => Material::Grains,
    }
}

/// Half extents in three dimensions, m; a box in the plane gets a depth of a tenth of its shorter side.
fn half_extents(half: [f64; 3], flat: bool) -> [f32; 3] {
    let [x, y, z] = half;
    [x, y, if flat { 0.1 * x.min(y) } else { z }].map(|x| x as f32)
}
