//! Checks of meshes that were read from an input.

use std::sync::Arc;

use taut::world::{AnyScene, Facing, Model, Scene, Solid, StickSet, TriMesh};
use taut_export::{DrawnScene, Frame, Material, Part, obj, ply};
use taut_mesh::{LoadOptions, Loaded, MeshError, Problem, TriangleMesh, read_obj, read_ply};

/// Options that clean a mesh, with limits for small files.
const LIMITED: LoadOptions = LoadOptions {
    weld: true,
    keep_unreferenced: false,
    number_grids: true,
    max_vertices: 1 << 12,
    max_triangles: 1 << 13,
    max_buffer_bytes: 1 << 20,
};

/// Options that keep a mesh as its file has it, except that degenerate triangles are dropped.
const AS_WRITTEN: LoadOptions =
    LoadOptions { weld: false, keep_unreferenced: true, number_grids: false, ..LIMITED };

/// The largest mesh of which a scene is made, so that an input takes about a millisecond.
const VERTICES_MAX: usize = 48;

/// Reads a mesh as its file has it, and cleaned, and checks both meshes. Writes the mesh as its file has
/// it, and reads it back. Simulates the cleaned mesh.
pub fn check(read: impl Fn(&LoadOptions) -> Result<Loaded, MeshError>) {
    let (as_written, cleaned) = (read(&AS_WRITTEN), read(&LIMITED));
    match (&as_written, &cleaned) {
        (Ok(as_written), Ok(_)) => check_written(&as_written.mesh),
        // Formatting an error must not panic.
        (Err(one), Err(other)) => drop((one.to_string(), other.to_string())),
        // Triangles can become degenerate by welding.
        (Ok(_), Err(MeshError { problem: Problem::AllDegenerate { .. }, .. })) => {}
        (one, other) => panic!("a mesh is valid with some options only: {one:?}, {other:?}"),
    }
    for loaded in [&as_written, &cleaned].into_iter().flatten() {
        check_loaded(loaded);
    }
    if let Ok(Loaded { mesh, .. }) = cleaned
        && mesh.positions.len() <= VERTICES_MAX
    {
        simulate(&mesh);
    }
}

/// Checks what the docs of [`TriangleMesh`], of its report and of its vertex map state.
fn check_loaded(loaded: &Loaded) {
    let Loaded { mesh: TriangleMesh { positions, triangles }, vertex_map, report } = loaded;
    // 1 << 31 are the bits of -0.0.
    assert!(positions.as_flattened().iter().all(|x| x.is_finite() && x.to_bits() != 1 << 31));
    for &[a, b, c] in triangles {
        assert!([a, b, c].iter().all(|&corner| (corner as usize) < positions.len()));
        assert!(a != b && b != c && c != a, "a degenerate triangle");
    }
    let dropped = if report.unreferenced_kept { 0 } else { report.unreferenced };
    assert_eq!(report.vertices, positions.len() + report.welded + dropped);
    assert_eq!(report.triangles, triangles.len() + report.degenerate);
    assert_eq!(vertex_map.vertices.len(), report.vertices);
    assert_eq!(vertex_map.triangles.len(), triangles.len());
    for (of_file, of_mesh) in vertex_map.triangles.iter().zip(triangles) {
        let mapped = of_file.map(|corner| vertex_map.vertices[corner as usize]);
        assert_eq!(mapped, of_mesh.map(Some));
    }
    assert!(!report.to_string().is_empty());
}

/// Checks that a mesh that the exporters write is read back equal.
fn check_written(mesh: &TriangleMesh) {
    let TriangleMesh { positions, triangles } = mesh;
    let part = Part {
        name: "mesh".to_owned(),
        material: Material::Cloth,
        vertices: 0..positions.len(),
        faces: 0..triangles.len(),
        sticks: 0..0,
        radius: 0.0,
    };
    let scene = DrawnScene {
        vertices: positions.len(),
        faces: triangles.clone(),
        parts: vec![part],
        ..DrawnScene::default()
    };
    scene.check().expect("the indices of a mesh are valid");
    let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
    let frame = Frame { positions: positions.clone(), normals, ..Frame::default() };
    let mut bytes = Vec::new();
    obj::write(&mut bytes, &scene, &frame).expect("a Vec accepts all writes");
    assert_eq!(&read_obj(&bytes, &AS_WRITTEN).expect("OBJ is read back").mesh, mesh);
    bytes.clear();
    ply::write(&mut bytes, &scene, &frame).expect("a Vec accepts all writes");
    assert_eq!(&read_ply(&bytes, &AS_WRITTEN).expect("PLY is read back").mesh, mesh);
}

/// Steps a scene of the mesh as cloth and as a rigid body, with the mesh as an obstacle.
fn simulate(TriangleMesh { positions, triangles }: &TriangleMesh) {
    let mut scene = Scene::new();
    if let Ok(cloth) = Model::hanging(positions, triangles, StickSet::All) {
        scene.add("cloth", cloth).expect("a small mesh can be added");
    }
    if let Ok(body) = Model::rigid_mesh(positions, triangles, 500.0) {
        scene.add("body", body).expect("a small body can be added");
    }
    if let Ok(obstacle) = TriMesh::new(positions, triangles, Facing::Both) {
        scene.obstacles.push(Arc::new(Solid::mesh(obstacle)));
    }
    scene.settings.step.substeps = 2;
    crate::world::check_any_scene(AnyScene::from(scene));
}
