//! Sheets of cloth.

use std::sync::Arc;

use taut_core::{Family, Step};
use taut_world::{
    Axes, Bounds, Cloth, Cuboid, Gusts, HalfSpace, HexSheet, Model, ModelError, Path, Scene,
    SceneError, Solid, Sphere, StickSet, Surface, Tethers, Wind, WindLaw,
};

use super::LibraryScene;
use crate::AnyScene;

/// Angle of the circular arc in which a hammock starts, rad. With this angle, the distance between the
/// ends is 2 % shorter than the cloth.
const ARC_ANGLE: f64 = 0.7;

/// Thickness of obstacle surfaces, m. Without it, obstacles would protrude through the cloth between
/// its particles.
const THICKNESS: f32 = 0.01;

/// `size * numerator / denominator`, at least 2.
fn scaled(size: usize, numerator: usize, denominator: usize) -> usize {
    (size.saturating_mul(numerator) / denominator).max(2)
}

pub(super) const DRAPE: LibraryScene = LibraryScene {
    name: "drape",
    description: "a square sheet that hangs from its top row",
    size: 64,
    size_unit: "particles along a side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: drape,
};

fn drape(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<3>::new();
    scene.add("sheet", Model::drape(size, StickSet::All)?.tethered(Tethers::default())?)?;
    scene.settings.step = Step { substeps: 4, ..Step::default() };
    Ok(scene.into())
}

/// The scene of Mosegaard's tutorial, scaled by 1/10, so that lengths are in metres. One step of
/// the tutorial is one frame of 1/60 s.
pub(super) const MOSEGAARD: LibraryScene = LibraryScene {
    name: "mosegaard",
    description: "Mosegaard's tutorial: a ball moves back and forth through a sheet in the wind",
    size: 55,
    size_unit: "particles across",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.2,
    build: mosegaard,
};

fn mosegaard(size: usize) -> Result<AnyScene, SceneError> {
    let rows = scaled(size, 45, 55);
    let cloth = Cloth { columns: size, rows, width: 1.4, ..Cloth::default() };
    let mut scene = Scene::<3>::new();
    let cloth = Model::cloth(&cloth)?.pinned("top corners");
    scene.add("cloth", cloth.tethered(Tethers::default())?)?;
    let law = WindLaw::Normal { pressure: 0.05 };
    scene.forces.push(Arc::new(Wind { law, ..Wind::new([0.5, 0.0, 0.2]) }));
    let ball = Solid::new(Sphere::new([0.0; 3], 0.2)?)
        .with(Surface { friction: 0.0, thickness: THICKNESS, ..Surface::default() })?
        // The tutorial moves the ball by 7 cos(n / 50) in frame n: the period is 100 π frames.
        .along(Path::Elliptical { radii: [[0.0, 0.0, 0.7], [0.0; 3]], period: 5.236 })?;
    scene.obstacles.push(Arc::new(ball));
    scene.settings.step = Step { substeps: 13, ..Step::default() };
    Ok(scene.into())
}

pub(super) const FLAG: LibraryScene = LibraryScene {
    name: "flag",
    description: "a flag in gusts of wind",
    size: 48,
    size_unit: "particles across",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: flag,
};

fn flag(size: usize) -> Result<AnyScene, SceneError> {
    let rows = scaled(size, 2, 3);
    let cloth = Cloth { columns: size, rows, width: 1.5, ..Cloth::default() };
    let mut scene = Scene::<3>::new();
    let flag = Model::cloth(&cloth)?.pinned("left");
    scene.add("flag", flag.tethered(Tethers::default())?)?;
    let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed: 1 });
    scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([7.0, 0.0, 2.0]) }));
    // The damping rate, here and in most scenes below, takes 4 % of the velocity per frame of 1/60 s.
    scene.settings.step = Step { substeps: 12, damping_rate: 2.412, ..Step::default() };
    Ok(scene.into())
}

pub(super) const HAMMOCK: LibraryScene = LibraryScene {
    name: "hammock",
    description: "a sheet held at its corners; a ball is lowered into it and lifted out",
    size: 48,
    size_unit: "particles along the length",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: hammock,
};

fn hammock(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: scaled(size, 1, 2),
        width: 2.4,
        height: 1.2,
        axes: Axes::HORIZONTAL,
        density: 0.5,
        ..Cloth::default()
    };
    let mut hammock = Model::cloth(&cloth)?.pinned("corners");
    bend(&mut hammock, size)?;
    let mut scene = Scene::<3>::new();
    scene.add("hammock", hammock.tethered(Tethers::default())?)?;
    let ball = Solid::new(Sphere::new([0.0, 0.3, 0.0], 0.25)?)
        .with(Surface { thickness: THICKNESS, ..Surface::default() })?
        .along(Path::Oscillating { amplitude: [0.0, -0.3, 0.0], period: 8.0 })?;
    scene.obstacles.push(Arc::new(ball));
    scene.settings.step = Step { substeps: 8, damping_rate: 2.412, ..Step::default() };
    Ok(scene.into())
}

pub(super) const TABLE_CLOTH: LibraryScene = LibraryScene {
    name: "tablecloth",
    description: "a sheet that falls on a table and hangs over its edges",
    size: 48,
    size_unit: "particles along a side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: table_cloth,
};

fn table_cloth(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: size,
        width: 1.4,
        height: 1.4,
        axes: Axes::HORIZONTAL,
        density: 0.3,
        ..Cloth::default()
    };
    let mut scene = Scene::<3>::new();
    scene.add("cloth", Model::cloth(&cloth)?.moved([0.0, 1.0, 0.0]))?;
    let surface = Surface { friction: 0.6, thickness: THICKNESS, ..Surface::default() };
    let table = Cuboid::new([-0.5, 0.7, -0.5], [0.5, 0.75, 0.5])?;
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?;
    scene.obstacles.push(Arc::new(Solid::new(table).with(surface)?));
    for [x, z] in [[-0.44, -0.44], [0.44, -0.44], [-0.44, 0.44], [0.44, 0.44]] {
        let leg = Cuboid::new([x - 0.03, 0.0, z - 0.03], [x + 0.03, 0.7, z + 0.03])?;
        scene.obstacles.push(Arc::new(Solid::new(leg).with(surface)?));
    }
    scene.obstacles.push(Arc::new(Solid::new(floor).with(surface)?));
    scene.settings.step = Step { substeps: 17, damping_rate: 2.412, ..Step::default() };
    Ok(scene.into())
}

pub(super) const HEX_SHEET: LibraryScene = LibraryScene {
    name: "hex-sheet",
    description: "Jakobsen's cloth: a sheet of equilateral triangles that hangs by its upper \
                  corners",
    size: 40,
    size_unit: "particles along a side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: hex_sheet,
};

fn hex_sheet(size: usize) -> Result<AnyScene, SceneError> {
    let sheet = HexSheet { columns: size, rows: size, ..HexSheet::default() };
    let mut scene = Scene::<3>::new();
    let sheet = Model::hex_sheet(&sheet)?.pinned("top corners");
    scene.add("sheet", sheet.tethered(Tethers::default())?)?;
    let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed: 2 });
    scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([0.0, 0.0, 1.5]) }));
    scene.settings.step = Step { substeps: 12, damping_rate: 2.412, ..Step::default() };
    Ok(scene.into())
}

pub(super) const CURTAIN: LibraryScene = LibraryScene {
    name: "curtain",
    description: "a 2D curtain that tears when pulled; a ball pushes against its edge",
    size: 60,
    size_unit: "particles across",
    size_is_copies: false,
    dimensions: 2,
    residual_rms_max: 0.3,
    build: curtain,
};

fn curtain(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: scaled(size, 2, 3),
        width: 1.8,
        height: 1.2,
        families: Family::STRUCTURAL.to_vec(),
        ..Cloth::default()
    };
    let mut scene = Scene::<2>::new();
    let curtain = Model::cloth(&cloth)?.pinned("top").tearing_at(2.0);
    scene.add("curtain", curtain.tethered(Tethers::default())?)?;
    let ball = Solid::new(Sphere::new([1.0, -0.75], 0.12)?)
        .along(Path::Elliptical { radii: [[0.55, 0.0], [0.0, 0.4]], period: 8.0 })?;
    let room = Bounds::new([-1.7, -1.3], [1.7, 0.75])?;
    scene.obstacles.push(Arc::new(ball));
    scene.obstacles.push(Arc::new(Solid::new(room)));
    // The damping brings torn parts to rest. Its rate takes 2 % of the velocity per frame of 1/60 s.
    scene.settings.step = Step { substeps: 7, damping_rate: 1.206, ..Step::default() };
    Ok(scene.into())
}

/// Bends a horizontal sheet of this number of columns into an arc that hangs between its left and
/// right side, without stretching a stick. (A ball that is lowered into a flat sheet would have to
/// stretch it.)
pub(super) fn bend(sheet: &mut Model, columns: usize) -> Result<(), SceneError> {
    let segments = (columns - 1) as f64;
    let length =
        f64::from(sheet.particles.position(columns - 1)[0] - sheet.particles.position(0)[0]);
    let mut arc = vec![[0.0, 0.0]];
    for segment in 0..columns - 1 {
        let angle = ARC_ANGLE * ((segment as f64 + 0.5) / segments - 0.5);
        let [x, y] = arc[segment];
        let spacing = length / segments;
        arc.push([x + spacing * libm::cos(angle), y + spacing * libm::sin(angle)]);
    }
    let middle = 0.5 * arc[columns - 1][0];
    for particle in 0..sheet.particles.len() {
        let [_, _, z] = sheet.particles.position(particle);
        let [x, y] = arc[particle % columns];
        let position = [(x - middle) as f32, y as f32, z];
        sheet.particles.set_position(particle, position).map_err(ModelError::from)?;
    }
    Ok(())
}
