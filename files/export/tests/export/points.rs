//! OBJ, PLY and point caches: the points that are read back are bit-identical.

use std::fs;

use taut_export::{DrawnScene, Frame};
use taut_mesh::{LoadOptions, load};

use crate::{FRAMES, HIDDEN_DROP, REMOVED_FACE, file_names, folder, frame, write};

/// Loads the mesh as it is in the file.
const UNCHANGED: LoadOptions = LoadOptions {
    weld: false,
    keep_unreferenced: true,
    number_grids: false,
    max_vertices: 1 << 20,
    max_triangles: 1 << 20,
    max_buffer_bytes: 1 << 20,
};

fn bits<'a>(points: impl IntoIterator<Item = &'a [f32; 3]>) -> Vec<[u32; 3]> {
    // Readers may convert -0.0 to 0.0.
    points.into_iter().map(|point| point.map(|x| (x + 0.0).to_bits())).collect()
}

/// The bits of the points of a frame, and the number of its triangles. Asserts that the hidden drop
/// has the position of the visible one.
fn expected(scene: &DrawnScene, frame: &Frame, nth: usize) -> (Vec<[u32; 3]>, usize) {
    let points: Vec<[f32; 3]> = scene.points(frame).collect();
    let (drop, first_hidden) = HIDDEN_DROP;
    // The vertex whose position the drop has in files.
    let shown = if nth >= first_hidden { drop - 1 } else { drop };
    assert_eq!(points.len(), scene.point_count());
    let rigid_shapes =
        scene.rigid_shapes.iter().filter(|it| !it.unbounded).map(|it| it.mesh.triangles.len());
    let removed = usize::from(nth >= REMOVED_FACE.1);
    assert_eq!(bits(&points[drop..=drop]), bits(&frame.positions[shown..=shown]));
    assert_eq!(bits(&points[..drop]), bits(&frame.positions[..drop]));
    (bits(&points), scene.faces.len() - removed + rigid_shapes.sum::<usize>())
}

#[test]
fn a_sequence_of_obj_files_reads_back_to_the_same_bits() {
    let folder = folder();
    let scene = write(&folder.path().join("cloth-%03d.obj"));
    assert_eq!(file_names(folder.path())[FRAMES - 1], "cloth-005.obj");
    for nth in 0..FRAMES {
        let path = folder.path().join(format!("cloth-{nth:03}.obj"));
        let mesh = load(&path, &UNCHANGED).unwrap().mesh;
        let (points, triangles) = expected(&scene, &frame(&scene, nth), nth);
        assert_eq!(bits(&mesh.positions), points, "frame {nth}");
        assert_eq!(mesh.triangles.len(), triangles, "frame {nth}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\ng old_rope\nl 21 22\nl 22 23\n"), "{text}");
    }
}

#[test]
fn ply_contains_the_last_frame_and_reads_back_to_the_same_bits() {
    let folder = folder();
    let path = folder.path().join("last.PLY");
    let scene = write(&path);
    let mesh = load(&path, &UNCHANGED).unwrap().mesh;
    let (points, triangles) = expected(&scene, &frame(&scene, FRAMES - 1), FRAMES - 1);
    assert_eq!(bits(&mesh.positions), points);
    assert_eq!(mesh.triangles.len(), triangles);
    assert_eq!(file_names(folder.path()), ["last.PLY"], "another file was left");
}

#[test]
fn a_point_cache_reads_back_to_the_same_bits() {
    let folder = folder();
    let path = folder.path().join("cloth.pc2");
    let scene = write(&path);
    let bytes = fs::read(&path).unwrap();
    let (header, samples) = bytes.split_at(32);
    assert_eq!(&header[..12], b"POINTCACHE2\0");
    let word = |offset: usize| <[u8; 4]>::try_from(&header[offset..offset + 4]).unwrap();
    assert_eq!(u32::from_le_bytes(word(12)), 1);
    assert_eq!(u32::from_le_bytes(word(16)) as usize, scene.point_count());
    assert_eq!([word(20), word(24)], [0.0_f32, 1.0].map(f32::to_le_bytes));
    assert_eq!(u32::from_le_bytes(word(28)) as usize, FRAMES);
    let coordinates: Vec<f32> =
        samples.chunks(4).map(|it| f32::from_le_bytes(it.try_into().unwrap())).collect();
    assert_eq!(coordinates.len(), 3 * FRAMES * scene.point_count());
    for (nth, sample) in coordinates.chunks(3 * scene.point_count()).enumerate() {
        let points: Vec<[f32; 3]> = sample.chunks(3).map(|it| it.try_into().unwrap()).collect();
        assert_eq!(bits(&points), expected(&scene, &frame(&scene, nth), nth).0, "sample {nth}");
    }
}
