//! Pictures show the expected colours, and animations decode to the painted pictures.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use taut_export::{DrawnScene, Frame, Material, Mesh, Part, Pose, RigidShape, Timeline};
use taut_picture::{Bounds, Options, Painter, Picture, View, picture_sink};

const SMALL: Options = Options {
    width: 120,
    height: 90,
    view: View { azimuth: 20.0, elevation: 30.0, zoom: 1.0 },
    background: taut_picture::Background::Light,
    colours: 255,
};
const FRAMES: usize = 4;
const FPS: f64 = 12.5;

/// A square sheet of cloth with sides of 1 m above a ball with a diameter of 0.8 m.
fn scene(flat: bool) -> DrawnScene {
    DrawnScene {
        flat,
        vertices: 4,
        faces: vec![[0, 1, 2], [0, 2, 3]],
        sticks: if flat { vec![[0, 1], [1, 2], [2, 3], [3, 0]] } else { Vec::new() },
        pinned: Vec::new(),
        ball_radii: Vec::new(),
        parts: vec![Part {
            name: "sheet".into(),
            material: Material::Cloth,
            vertices: 0..4,
            faces: 0..2,
            sticks: if flat { 0..4 } else { 0..0 },
            radius: 0.0,
        }],
        rigid_shapes: vec![RigidShape {
            name: "ball".into(),
            material: Material::Obstacle,
            mesh: Mesh::sphere(0.4),
            unbounded: false,
        }],
    }
}

/// The ball moves to the right. After the second frame, the sheet sinks: first a small part of the
/// picture changes, then most of it.
fn frame(nth: usize) -> Frame {
    let y = 1.5 - 0.1 * nth.saturating_sub(1) as f32;
    Frame {
        time: nth as f64 / FPS,
        positions: vec![[-0.5, y, 0.0], [0.5, y, 0.0], [0.5, y + 1.0, 0.0], [-0.5, y + 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        poses: vec![Pose { position: [0.2 * nth as f32, 0.4, 0.0], ..Pose::REST }],
        ..Frame::default()
    }
}

fn bounds(scene: &DrawnScene) -> Bounds {
    let mut bounds = Bounds::default();
    for nth in 0..FRAMES {
        bounds.add(scene, &frame(nth));
    }
    bounds
}

/// The colour of the picture at a position.
#[allow(clippy::cast_sign_loss, reason = "all tested positions are in the picture")]
fn colour_at(picture: &Picture, painter: &Painter, position: [f32; 3]) -> [i32; 3] {
    let [x, y] = painter.pixel_of(position);
    picture.pixel(x as u32, y as u32).map(i32::from)
}

/// An unbounded plane; at rest it is at height 0 and faces up.
fn ground() -> RigidShape {
    RigidShape {
        name: "ground".into(),
        material: Material::Ground,
        mesh: Mesh::floor(20.0),
        unbounded: true,
    }
}

/// Whether a colour is that of the sheet, which is red.
fn is_red([r, g, b]: [i32; 3]) -> bool {
    r > g + 40 && r > b + 40
}

#[test]
fn cloth_is_drawn_between_its_vertices_and_not_elsewhere() {
    for flat in [false, true] {
        let scene = scene(flat);
        let painter = Painter::new(&scene, &bounds(&scene), SMALL);
        for nth in 0..FRAMES {
            let frame = frame(nth);
            let picture = painter.paint(&scene, &frame);
            let [a, .., c, _] = frame.positions[..] else { panic!("expected four vertices") };
            let middle = [0, 1, 2].map(|axis| a[axis].midpoint(c[axis]));
            for position in [middle, [-0.45, a[1] + 0.05, 0.0], [0.45, c[1] - 0.05, 0.0]] {
                let colour = colour_at(&picture, &painter, position);
                assert!(is_red(colour), "flat {flat}, frame {nth}");
            }
            let ball = colour_at(&picture, &painter, frame.poses[0].position);
            let below_sheet = colour_at(&picture, &painter, [0.0, a[1] - 0.15, 0.0]);
            assert!(!is_red(ball) && !is_red(below_sheet), "flat {flat}, frame {nth}");
        }
    }
}

#[test]
fn grains_are_completely_in_the_picture() {
    let grain = Part {
        name: "grain".into(),
        material: Material::Grains,
        vertices: 0..1,
        faces: 0..0,
        sticks: 0..0,
        radius: 2.0,
    };
    let scene = DrawnScene { vertices: 1, parts: vec![grain], ..DrawnScene::default() };
    let frame = Frame { positions: vec![[0.0; 3]], normals: vec![[0.0; 3]], ..Frame::default() };
    let mut bounds = Bounds::default();
    bounds.add(&scene, &frame);
    let painter = Painter::new(&scene, &bounds, SMALL);
    let is_blue = |[r, _, b]: [i32; 3]| b > r + 40;
    let picture = painter.paint(&scene, &frame);
    assert!(is_blue(colour_at(&picture, &painter, [0.0, 0.0, 0.0])));
    let Options { width, height, .. } = SMALL;
    let left_and_right = (0..height).flat_map(|y| [[0, y], [width - 1, y]]);
    let top_and_bottom = (0..width).flat_map(|x| [[x, 0], [x, height - 1]]);
    for [x, y] in left_and_right.chain(top_and_bottom) {
        assert!(!is_blue(picture.pixel(x, y).map(i32::from)), "the grain is cut off");
    }
}

#[test]
fn more_than_65536_rigid_shapes_keep_their_colours() {
    let mut scene = scene(false);
    let ball = scene.rigid_shapes.pop().unwrap();
    // A red shape, so that an index that wraps to one of these gives the ball a wrong colour.
    let empty = RigidShape { mesh: Mesh::default(), material: Material::Cloth, ..ball.clone() };
    scene.rigid_shapes = vec![empty; 1 << 16];
    scene.rigid_shapes.push(ball);
    let poses = vec![Pose { position: [0.0, 0.4, 0.0], ..Pose::REST }; scene.rigid_shapes.len()];
    let frame = Frame { poses, ..frame(0) };
    let mut bounds = Bounds::default();
    bounds.add(&scene, &frame);
    let painter = Painter::new(&scene, &bounds, SMALL);
    let picture = painter.paint(&scene, &frame);
    assert!(!is_red(colour_at(&picture, &painter, [0.0, 0.4, 0.0])));
    assert!(is_red(colour_at(&picture, &painter, [0.0, 2.0, 0.0])));
}

#[test]
fn a_ceiling_is_not_taken_for_the_floor() {
    let with_planes = |planes: &[Pose]| {
        let (mut scene, mut frame) = (scene(false), frame(0));
        for &pose in planes {
            scene.rigid_shapes.push(ground());
            frame.poses.push(pose);
        }
        let mut bounds = Bounds::default();
        bounds.add(&scene, &frame);
        let painter = Painter::new(&scene, &bounds, SMALL);
        painter.paint(&scene, &frame)
    };
    let floor = Pose { position: [0.0, -0.5, 0.0], ..Pose::REST };
    // Turned about x by half a turn.
    let ceiling = Pose { position: [0.0, 5.0, 0.0], rotation: [1.0, 0.0, 0.0, 0.0] };
    let expected = with_planes(&[floor]);
    assert!(with_planes(&[]).pixels != expected.pixels, "the floor is not in the picture");
    assert!(with_planes(&[floor, ceiling]).pixels == expected.pixels);
    assert!(with_planes(&[ceiling]).pixels == with_planes(&[]).pixels);
}

#[test]
fn the_ground_of_a_flat_scene_is_a_line_at_any_angle_and_does_not_extend_the_bounds() {
    let without_ground = scene(true);
    let painter = Painter::new(&without_ground, &bounds(&without_ground), SMALL);
    for degrees in [0.0_f32, 30.0, -45.0, 90.0] {
        let mut scene = scene(true);
        scene.rigid_shapes.push(ground());
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        // Between the ball, which ends at a height of 0.8 m, and the sheet.
        let position = [-0.45, 1.0, 0.0];
        let ground = Pose { position, rotation: [0.0, 0.0, sine, cosine] };
        let mut frame = frame(0);
        let background = painter.paint(&without_ground, &frame);
        frame.poses.push(ground);
        let picture = painter.paint(&scene, &frame);
        let is_drawn_at = |along: f32, above: f32| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let [x, y, z] = position;
            let at = [x + along * cosine - above * sine, y + along * sine + above * cosine, z];
            colour_at(&picture, &painter, at) != colour_at(&background, &painter, at)
        };
        for along in [-0.1, 0.0, 0.1, 0.2] {
            assert!(is_drawn_at(along, 0.0), "{degrees}°, {along} m from the position");
            assert!(!is_drawn_at(along, 0.1), "{degrees}°, 0.1 m above the ground");
        }
        let mut bounds = Bounds::default();
        bounds.add(&scene, &frame);
        let mut expected = Bounds::default();
        frame.poses.pop();
        expected.add(&without_ground, &frame);
        assert_eq!(bounds, expected, "{degrees}°");
    }
}

#[test]
fn removed_faces_are_not_drawn_and_everything_fits_into_the_picture() {
    let scene = scene(false);
    let painter = Painter::new(&scene, &bounds(&scene), SMALL);
    let whole = frame(0);
    let torn = Frame { removed_faces: vec![true, false], ..frame(0) };
    let position = [0.3, 1.7, 0.0]; // in the first face
    assert!(is_red(colour_at(&painter.paint(&scene, &whole), &painter, position)));
    assert!(!is_red(colour_at(&painter.paint(&scene, &torn), &painter, position)));
    for nth in 0..FRAMES {
        for point in scene.points(&frame(nth)) {
            let [x, y] = painter.pixel_of(point);
            assert!((0.0..120.0).contains(&x) && (0.0..90.0).contains(&y), "{point:?}: {x} {y}");
        }
    }
}

#[test]
fn rigid_shapes_cast_shadows_on_the_floor() {
    let scene = scene(false);
    let painter = Painter::new(&scene, &bounds(&scene), SMALL);
    let brightness =
        |picture: &Picture, position| colour_at(picture, &painter, position).iter().sum::<i32>();
    let mut far_away = frame(0);
    far_away.poses[0].position = [100.0, 100.0, 0.0];
    let (with, without) = (painter.paint(&scene, &frame(0)), painter.paint(&scene, &far_away));
    // Just above the floor, which the painter adds slightly below the scene; in the ball's shadow.
    let shadow = [0.0, -0.08, 0.1];
    assert!(brightness(&with, shadow) + 60 < brightness(&without, shadow));
}

/// Writes all frames to a file, or to one file each if `path` has a pattern like `%02d`. Returns
/// the drawn scene and the painted pictures.
fn written(path: &Path) -> (DrawnScene, Vec<Picture>) {
    let scene = scene(false);
    let timeline = Timeline { frames: FRAMES as u64, fps: FPS };
    let mut sink = picture_sink(path, &scene, timeline, SMALL).unwrap();
    for nth in 0..FRAMES {
        sink.frame(&scene, &frame(nth)).unwrap();
    }
    let mut progress = Vec::new();
    sink.finish(&scene, &mut |fraction| progress.push(fraction)).unwrap();
    assert!(progress.is_sorted());
    let painter = Painter::new(&scene, &bounds(&scene), SMALL);
    let pictures = (0..FRAMES).map(|nth| painter.paint(&scene, &frame(nth))).collect();
    (scene, pictures)
}

/// A reader of a PNG file, and a buffer for a decoded picture.
fn open_png(path: &Path) -> (png::Reader<BufReader<File>>, Vec<u8>) {
    let reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let size = reader.output_buffer_size().unwrap();
    (reader, vec![0; size])
}

#[test]
fn a_png_sequence_has_the_painted_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pictures) = written(&folder.path().join("%02d.png"));
    assert_ne!(pictures[0], pictures[1]);
    for (nth, picture) in pictures.iter().enumerate() {
        let (mut reader, mut bytes) = open_png(&folder.path().join(format!("{nth:02}.png")));
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (SMALL.width, SMALL.height));
        assert_eq!(bytes, picture.pixels.as_flattened());
    }
}

#[test]
fn an_apng_decodes_to_the_painted_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("animation.apng");
    let (_, pictures) = written(&path);
    let (mut reader, mut bytes) = open_png(&path);
    assert_eq!(reader.info().animation_control().unwrap().num_frames as usize, FRAMES);
    let mut canvas = vec![[0; 3]; pictures[0].pixels.len()];
    for picture in &pictures {
        reader.next_frame(&mut bytes).unwrap();
        let control = *reader.info().frame_control().unwrap();
        let delay = (control.delay_num, control.delay_den);
        assert_eq!(delay, (1000, 12_500), "12.5 frames per second");
        for (nth, pixel) in
            bytes.chunks(4).take((control.width * control.height) as usize).enumerate()
        {
            let (x, y) = (nth as u32 % control.width, nth as u32 / control.width);
            if pixel[3] == 255 {
                let index = (control.y_offset + y) * SMALL.width + control.x_offset + x;
                canvas[index as usize] = [pixel[0], pixel[1], pixel[2]];
            }
        }
        assert_eq!(canvas, picture.pixels);
    }
}

#[test]
fn a_gif_decodes_to_nearly_the_painted_pictures_with_the_same_duration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("animation.gif");
    let (_, pictures) = written(&path);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    let mut canvas = vec![[0_u8; 3]; pictures[0].pixels.len()];
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        hundredths += u32::from(frame.delay);
        for (nth, pixel) in frame.buffer.chunks(4).enumerate() {
            let (x, y) = (nth % usize::from(frame.width), nth / usize::from(frame.width));
            if pixel[3] == 255 {
                let row = usize::from(frame.top) + y;
                canvas[row * SMALL.width as usize + usize::from(frame.left) + x] =
                    [pixel[0], pixel[1], pixel[2]];
            }
        }
        let difference = |(a, b): (&[u8; 3], &[u8; 3])| {
            a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>()
        };
        // The palette limits the precision: a mean difference per pixel, summed over three channels, of 6.
        let sum: u32 = canvas.iter().zip(&pictures[frames].pixels).map(difference).sum();
        assert!(f64::from(sum) / (canvas.len() as f64) < 6.0, "frame {frames}: {sum}");
        frames += 1;
    }
    assert_eq!((frames, hundredths), (FRAMES, 32), "4 frames at 12.5 per second take 0.32 s");
}

#[test]
fn invalid_names_and_views_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(false);
    let timeline = Timeline { frames: 1, fps: FPS };
    let error_message = |name: &str| {
        let path = folder.path().join(name);
        picture_sink(&path, &scene, timeline, SMALL).err().unwrap().to_string()
    };
    assert!(
        error_message("a.jpeg")
            .ends_with("a.jpeg: unknown extension: expected one of .png, .apng, .gif")
    );
    assert!(error_message("no/a.gif").contains("no/a.gif: there is no folder"));
    assert!(error_message("%d.gif").contains("contains all frames"));
    let fast = Timeline { frames: 1, fps: 60.0 };
    let fast_gif = picture_sink(&folder.path().join("a.gif"), &scene, fast, SMALL);
    assert!(fast_gif.err().unwrap().to_string().contains("at most 50 frames per second"));
    for view in ["1", "1,2,3,4", "a,b", "0,90", "0,0,0"] {
        assert!(view.parse::<View>().is_err(), "{view}");
    }
    assert_eq!("-30, 10".parse(), Ok(View { azimuth: -30.0, elevation: 10.0, zoom: 1.0 }));
}
