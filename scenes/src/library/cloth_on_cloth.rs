//! Cloth and ropes in contact with themselves and each other.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{
    Axes, Cloth, Cuboid, HalfSpace, Model, ModelError, Path, Rope, Scene, SceneError,
    SelfCollision, Solid, Sphere, Spin, Surface,
};

use super::LibraryScene;
use crate::AnyScene;

/// Number of sheets in the stack of [`LAYERS_ON_A_BALL`].
const LAYERS: usize = 5;
/// The angle between one sheet and the next, rad.
const LAYER_ANGLE: f32 = 0.2;

pub(super) const LAYERS_ON_A_BALL: LibraryScene = LibraryScene {
    name: "layers",
    description: "five sheets fall on a ball on a table, and on each other",
    size: 24,
    size_unit: "particles along a side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: layers_on_a_ball,
};

fn layers_on_a_ball(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: size,
        width: 1.0,
        height: 1.0,
        axes: Axes::HORIZONTAL,
        density: 0.3,
        ..Cloth::default()
    };
    let sheet = Model::cloth(&cloth)?.self_colliding(SelfCollision::default())?;
    let mut scene = Scene::<3>::new();
    for layer in 0..LAYERS {
        let turned = sheet.clone().turned([0.0, 1.0, 0.0], LAYER_ANGLE * layer as f32)?;
        let height = 1.25 + 0.06 * layer as f32;
        scene.add(format!("sheet {layer}"), turned.moved([0.0, height, 0.0]))?;
    }
    let surface = Surface { friction: 0.5, thickness: 0.01, ..Surface::default() };
    let ball = Sphere::new([0.0, 0.95, 0.0], 0.2)?;
    let table = Cuboid::new([-0.6, 0.7, -0.6], [0.6, 0.75, 0.6])?;
    scene.obstacles.push(Arc::new(Solid::new(ball).with(surface)?));
    scene.obstacles.push(Arc::new(Solid::new(table).with(surface)?));
    add_floor(&mut scene, surface)?;
    // The damping rate, here and below, takes 2 % of the velocity per frame of 1/60 s.
    scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
    Ok(scene.into())
}

pub(super) const FOLDED: LibraryScene = LibraryScene {
    name: "folded",
    description: "a long cloth falls on the floor, in folds on itself",
    size: 60,
    size_unit: "particles along the length",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: folded,
};

fn folded(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: (size / 4).max(2),
        rows: size,
        width: 0.5,
        height: 2.0,
        density: 0.3,
        ..Cloth::default()
    };
    let mut model = Model::cloth(&cloth)?.moved([0.0, 2.1, 0.0]);
    // The cloth is slightly wavy: a flat one would stand on its lower edge.
    for particle in 0..model.particles.len() {
        let [x, y, z] = model.particles.position(particle);
        let wave = 0.01 * libm::sin(9.0 * f64::from(y)) as f32;
        model.particles.set_position(particle, [x, y, z + wave]).map_err(ModelError::from)?;
    }
    let mut scene = Scene::<3>::new();
    scene.add("cloth", model.self_colliding(SelfCollision::default())?)?;
    let surface = Surface { friction: 0.5, thickness: 0.005, ..Surface::default() };
    add_floor(&mut scene, surface)?;
    scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
    Ok(scene.into())
}

pub(super) const TWIST: LibraryScene = LibraryScene {
    name: "twist",
    description: "the ends of a cloth turn against each other by three turns, and back",
    size: 20,
    size_unit: "particles across",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.2,
    build: twist,
};

fn twist(size: usize) -> Result<AnyScene, SceneError> {
    /// The period of the rotation of the ends, s: in one direction, back, in the other direction, and
    /// back.
    const PERIOD: f64 = 16.0;
    /// The largest angle of each end, rad: one and a half turns. The ends turn in opposite directions.
    const ANGLE_MAX: f64 = 3.0 * core::f64::consts::PI;
    /// The number of periods, 68 minutes; afterwards the ends turn in place.
    const PERIODS: i32 = 256;
    /// How far each end moves towards the other while it turns to its largest angle, m: a twisted
    /// cloth is shorter. If the ends turn in place, it is stretched so much that it stays tangled.
    const INWARDS: f64 = 0.25;
    let cloth =
        Cloth { columns: size, rows: 3 * size, width: 0.4, height: 1.2, ..Cloth::default() };
    let mut model = Model::cloth(&cloth)?.moved([0.0, 1.0, 0.0]);
    for (end, side) in [("top", 1.0), ("bottom", -1.0)] {
        let rate = side * ANGLE_MAX * core::f64::consts::TAU / PERIOD;
        let spin = Spin::about([0.0, 1.0, 0.0], [0.0; 3], rate)?.oscillating(PERIOD)?;
        // Displaced after the quarters 1 and 3 of a period; back after the quarters 2 and 4.
        let offset = |quarter: i32| [0.0, -side * INWARDS * f64::from(quarter % 2), 0.0];
        let quarters = 0..=4 * PERIODS;
        let keys = quarters.map(|quarter| (f64::from(quarter) * PERIOD / 4.0, offset(quarter)));
        model = model.guided(end, Path::Keyframed { keys: keys.collect() }, Some(spin))?;
    }
    let mut scene = Scene::<3>::new();
    scene.add("cloth", model.self_colliding(SelfCollision::default())?)?;
    scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
    Ok(scene.into())
}

pub(super) const KNOT: LibraryScene = LibraryScene {
    name: "knot",
    description: "a knot in a rope is pulled tight",
    size: 80,
    size_unit: "particles along the rope",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.2,
    build: knot,
};

fn knot(size: usize) -> Result<AnyScene, SceneError> {
    /// Half the height of the loose knot, a trefoil, m.
    const SCALE: f64 = 0.03;
    /// The horizontal length of each end beside the knot, m. It also rises or falls by half of that.
    const END: f64 = 0.24;
    /// How far each end is pulled, m.
    const PULL: f64 = 0.42;
    /// How long the ends are pulled, s.
    const DURATION: f64 = 6.0;
    /// The length of the trefoil, as a multiple of `SCALE`.
    const LENGTH: f64 = 31.9;
    // At least 16 particles, whatever the size.
    let spacing = (SCALE * LENGTH + 2.0 * END) / size.max(16) as f64;
    // The points of a trefoil, which is cut where it is widest, so that its ends pass each other. The
    // parameter `t` goes once around it.
    let mut path = Vec::new();
    let mut t = 0.0;
    while t < core::f64::consts::TAU {
        let (sine, cosine) = libm::sincos(2.0 * t);
        let (sine_3, cosine_3) = libm::sincos(3.0 * t);
        let radius = 2.0 + cosine_3;
        path.push([radius * sine, sine_3, radius * cosine].map(|x| (SCALE * x) as f32));
        // Advances by one spacing along the trefoil: the root is the speed of its point in `t`.
        t += spacing / (SCALE * libm::sqrt(4.0 * radius * radius + 9.0));
    }
    let ([x, y, z], [last_x, last_y, last_z]) = (path[0], path[path.len() - 1]);
    let [along, up] = [END, END / 2.0].map(|x| x as f32);
    path.insert(0, [x - along, y - up, z]);
    path.push([last_x + along, last_y + up, last_z]);
    // The spacing is longer than the segments of the trefoil, so each segment becomes one stick.
    let rope = Rope { spacing: 1.1 * spacing as f32, bending: 0.05, ..Rope::default() };
    let mut model = Model::rope(&path, &rope)?.moved([0.0, 1.0, 0.0]);
    for (end, side) in [("start", -1.0), ("end", 1.0)] {
        let keys = vec![(0.0, [0.0; 3]), (DURATION, [side * PULL, 0.0, 0.0])];
        model = model.guided(end, Path::Keyframed { keys }, None)?;
    }
    let mut scene = Scene::<3>::new();
    scene.add("rope", model.self_colliding(SelfCollision::default())?)?;
    scene.settings.step = Step { substeps: 64, damping_rate: 1.2, ..Step::default() };
    Ok(scene.into())
}

/// Adds a horizontal floor at height 0.
fn add_floor(scene: &mut Scene, surface: Surface) -> Result<(), SceneError> {
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?;
    scene.obstacles.push(Arc::new(Solid::new(floor).with(surface)?));
    Ok(())
}
