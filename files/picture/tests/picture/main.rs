//! What pictures show, pixel by pixel where it matters, and that films read back to it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use taut_export::{Frame, Look, Mesh, Part, Pose, Schedule, Solid, Stage};
use taut_picture::{Bounds, Options, Painter, Picture, View, film};

const SMALL: Options = Options {
    width: 120,
    height: 90,
    view: View { azimuth: 20.0, elevation: 30.0, zoom: 1.0 },
    background: taut_picture::Background::Light,
    colours: 255,
};
const FRAMES: usize = 4;
const FPS: f64 = 12.5;

/// A square sheet of cloth above a ball, both 1 m wide.
fn stage(flat: bool) -> Stage {
    Stage {
        flat,
        vertices: 4,
        faces: vec![[0, 1, 2], [0, 2, 3]],
        sticks: if flat { vec![[0, 1], [1, 2], [2, 3], [3, 0]] } else { Vec::new() },
        pinned: Vec::new(),
        balls: Vec::new(),
        parts: vec![Part {
            name: "sheet".into(),
            look: Look::Cloth,
            vertices: 0..4,
            faces: 0..2,
            sticks: if flat { 0..4 } else { 0..0 },
            radius: 0.0,
        }],
        solids: vec![Solid {
            name: "ball".into(),
            look: Look::Collider,
            mesh: Mesh::sphere(0.4),
            endless: false,
        }],
    }
}

/// The ball goes to the right, and from the second frame on the sheet sinks: first a small part of
/// the picture changes, then most of it.
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

fn bounds(stage: &Stage) -> Bounds {
    let mut bounds = Bounds::default();
    for nth in 0..FRAMES {
        bounds.add(stage, &frame(nth));
    }
    bounds
}

#[allow(clippy::cast_sign_loss, reason = "it is in the picture, or there is no such pixel")]
fn at(picture: &Picture, painter: &Painter, place: [f32; 3]) -> [i32; 3] {
    let [x, y] = painter.pixel_of(place);
    picture.pixel(x as u32, y as u32).map(i32::from)
}

/// Whether it is nearer to the one colour than to the other.
fn is_red([r, g, b]: [i32; 3]) -> bool {
    r > g + 40 && r > b + 40
}

#[test]
fn cloth_is_where_its_vertices_are_seen_and_not_elsewhere() {
    for flat in [false, true] {
        let stage = stage(flat);
        let painter = Painter::new(&stage, &bounds(&stage), SMALL);
        for nth in 0..FRAMES {
            let frame = frame(nth);
            let picture = painter.paint(&stage, &frame);
            let [a, .., c, _] = frame.positions[..] else { panic!("there are four") };
            let middle = [0, 1, 2].map(|axis| a[axis].midpoint(c[axis]));
            for place in [middle, [-0.45, a[1] + 0.05, 0.0], [0.45, c[1] - 0.05, 0.0]] {
                assert!(is_red(at(&picture, &painter, place)), "flat {flat}, frame {nth}");
            }
            let ball = at(&picture, &painter, frame.poses[0].position);
            let above = at(&picture, &painter, [0.0, a[1] - 0.15, 0.0]);
            assert!(!is_red(ball) && !is_red(above), "flat {flat}, frame {nth}");
        }
    }
}

#[test]
fn a_torn_face_is_not_seen_and_everything_fits_the_picture() {
    let stage = stage(false);
    let painter = Painter::new(&stage, &bounds(&stage), SMALL);
    let whole = frame(0);
    let torn = Frame { gone_faces: vec![true, false], ..frame(0) };
    let place = [0.3, 1.7, 0.0]; // of the first face
    assert!(is_red(at(&painter.paint(&stage, &whole), &painter, place)));
    assert!(!is_red(at(&painter.paint(&stage, &torn), &painter, place)));
    for nth in 0..FRAMES {
        for point in stage.points(&frame(nth)) {
            let [x, y] = painter.pixel_of(point);
            assert!((0.0..120.0).contains(&x) && (0.0..90.0).contains(&y), "{point:?}: {x} {y}");
        }
    }
}

#[test]
fn things_throw_shadows_on_the_floor() {
    let stage = stage(false);
    let painter = Painter::new(&stage, &bounds(&stage), SMALL);
    let bright = |picture: &Picture, place| at(picture, &painter, place).iter().sum::<i32>();
    let mut away = frame(0);
    away.poses[0].position = [100.0, 100.0, 0.0];
    let (with, without) = (painter.paint(&stage, &frame(0)), painter.paint(&stage, &away));
    // Before the ball, which is lit from before the scene: its own foot is dark.
    let foot = [0.0, -0.08, 0.1];
    assert!(bright(&with, foot) + 60 < bright(&without, foot));
}

fn written(path: &Path) -> (Stage, Vec<Picture>) {
    let stage = stage(false);
    let schedule = Schedule { frames: FRAMES as u64, fps: FPS };
    let mut film = film(path, &stage, schedule, SMALL).unwrap();
    for nth in 0..FRAMES {
        film.frame(&stage, &frame(nth)).unwrap();
    }
    let mut told = Vec::new();
    film.finish(&stage, &mut |share| told.push(share)).unwrap();
    assert!(told.is_sorted());
    let painter = Painter::new(&stage, &bounds(&stage), SMALL);
    let pictures = (0..FRAMES).map(|nth| painter.paint(&stage, &frame(nth))).collect();
    (stage, pictures)
}

fn decoded(path: &Path) -> (png::Reader<BufReader<File>>, Vec<u8>) {
    let reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let size = reader.output_buffer_size().unwrap();
    (reader, vec![0; size])
}

#[test]
fn a_sequence_of_png_files_is_what_was_painted() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pictures) = written(&folder.path().join("%02d.png"));
    assert_ne!(pictures[0], pictures[1]);
    for (nth, picture) in pictures.iter().enumerate() {
        let (mut reader, mut bytes) = decoded(&folder.path().join(format!("{nth:02}.png")));
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (SMALL.width, SMALL.height));
        assert_eq!(bytes, picture.pixels.as_flattened());
    }
}

#[test]
fn an_apng_put_together_is_what_was_painted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.apng");
    let (_, pictures) = written(&path);
    let (mut reader, mut bytes) = decoded(&path);
    assert_eq!(reader.info().animation_control().unwrap().num_frames as usize, FRAMES);
    let mut canvas = vec![[0; 3]; pictures[0].pixels.len()];
    for picture in &pictures {
        reader.next_frame(&mut bytes).unwrap();
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (80, 1000));
        for (nth, pixel) in
            bytes.chunks(4).take((control.width * control.height) as usize).enumerate()
        {
            let (x, y) = (nth as u32 % control.width, nth as u32 / control.width);
            if pixel[3] == 255 {
                let at = (control.y_offset + y) * SMALL.width + control.x_offset + x;
                canvas[at as usize] = [pixel[0], pixel[1], pixel[2]];
            }
        }
        assert_eq!(canvas, picture.pixels);
    }
}

#[test]
fn a_gif_put_together_is_nearly_what_was_painted_and_lasts_as_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
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
        let far = |(a, b): (&[u8; 3], &[u8; 3])| {
            a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>()
        };
        let off: u32 = canvas.iter().zip(&pictures[frames].pixels).map(far).sum();
        assert!(f64::from(off) / (canvas.len() as f64) < 6.0, "frame {frames}: {off}");
        frames += 1;
    }
    assert_eq!((frames, hundredths), (FRAMES, 32));
}

#[test]
fn complaints_are_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(false);
    let schedule = Schedule { frames: 1, fps: FPS };
    let say = |name: &str| {
        let path = folder.path().join(name);
        film(&path, &stage, schedule, SMALL).err().unwrap().to_string()
    };
    assert!(
        say("a.jpeg").ends_with("a.jpeg: unknown extension: expected one of .png, .apng, .gif")
    );
    assert!(say("no/a.gif").contains("no/a.gif: there is no folder"));
    assert!(say("%d.gif").contains("holds all frames in one file"));
    for view in ["1", "1,2,3,4", "a,b", "0,90", "0,0,0"] {
        assert!(view.parse::<View>().is_err(), "{view}");
    }
    assert_eq!("-30, 10".parse(), Ok(View { azimuth: -30.0, elevation: 10.0, zoom: 1.0 }));
}
