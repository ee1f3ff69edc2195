//! Files that were cut, rotted or forged: an answer every time, soon, and without much memory (see
//! the allocator in `main.rs`).

use std::fmt::Write as _;
use std::fs;
use std::panic::catch_unwind;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use taut_mesh::{
    FileNameError, FileNameFault, LoadOptions, Problem, load, path_below, read_gltf, read_obj,
    read_ply,
};

use crate::make::{complaint, cube, patch, read};

/// All three readers answer, whatever the bytes; what they accept is a mesh.
fn survive(what: &str, bytes: &[u8]) {
    let options =
        LoadOptions { max_vertices: 1 << 12, max_triangles: 1 << 12, ..LoadOptions::default() };
    let answers = catch_unwind(|| {
        [read_obj(bytes, &options), read_ply(bytes, &options), read_gltf(bytes, None, &options)]
    });
    let Ok(answers) = answers else {
        panic!("{what}: panicked at {:?}", String::from_utf8_lossy(bytes));
    };
    for answer in answers {
        match answer {
            Ok(loaded) => {
                let mesh = loaded.mesh;
                assert!(mesh.positions.as_flattened().iter().all(|x| x.is_finite()), "{what}");
                let vertices = mesh.positions.len() as u32;
                assert!(
                    mesh.triangles.as_flattened().iter().all(|corner| *corner < vertices),
                    "{what}"
                );
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{what}: {error}"),
        }
    }
}

#[test]
fn cut_at_every_byte() {
    for shape in [cube(), patch(2)] {
        for (name, bytes) in shape.files() {
            for length in 0..bytes.len() {
                survive(&format!("{name} cut to {length}"), &bytes[..length]);
                // Text may lack its last digits or lines and still be a mesh; binary and JSON may not.
                if !["cube.obj", "ascii.ply"].contains(&name) {
                    assert!(
                        read(name, &bytes[..length], &LoadOptions::default()).is_err(),
                        "{name} cut to {length}"
                    );
                }
            }
        }
    }
}

#[test]
fn rotten() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let words: [&[u8]; 12] = [
        b"-1",
        b"0",
        b"4294967295",
        b"18446744073709551615",
        b"1e39",
        b"nan",
        b"\n",
        b" ",
        b"\0",
        b"\xff\xff\xff\xff",
        b"\"",
        b"{",
    ];
    for (name, bytes) in cube().files() {
        for round in 0..3_000 {
            let mut bytes = bytes.clone();
            for _ in 0..random.random_range(1..=4) {
                let at = random.random_range(0..bytes.len());
                match random.random_range(0..5) {
                    0 => bytes[at] ^= 1 << random.random_range(0..8),
                    1 => bytes[at] = random.random(),
                    2 => drop(bytes.splice(
                        at..=at,
                        words[random.random_range(0..words.len())].iter().copied(),
                    )),
                    3 => bytes.truncate(at + 1),
                    _ => {
                        let end = random.random_range(at..bytes.len()).min(at + 40);
                        let piece = bytes[at..end].to_vec();
                        let to = random.random_range(0..bytes.len());
                        drop(bytes.splice(to..to, piece));
                    }
                }
            }
            survive(&format!("{name}, round {round}"), &bytes);
        }
    }
}

/// Numbers in text, replaced one after the other by ones that invite overflow.
#[test]
fn every_number_forged() {
    for (name, bytes) in cube().files() {
        let numbers: Vec<_> = (0..bytes.len())
            .filter(|at| {
                bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_alphanumeric())
            })
            .collect();
        for at in numbers {
            let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            for forged in [
                "0",
                "1",
                "3",
                "255",
                "4000000000",
                "4294967296",
                "9223372036854775807",
                "18446744073709551615",
                "-1",
            ] {
                let mut bytes = bytes.clone();
                bytes.splice(at..end, forged.bytes());
                survive(&format!("{name}, {forged} at byte {at}"), &bytes);
            }
        }
    }
}

#[test]
fn a_count_is_not_believed() {
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for element in ["vertex", "face", "dust"] {
            let count = |name| if name == element { u64::MAX } else { 1 };
            let header = format!(
                "ply\nformat {format} 1.0\nelement dust {}\nproperty uchar d\nelement vertex {}\nproperty float x\n\
                 property float y\nproperty float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
                count("dust"),
                count("vertex"),
                count("face"),
            );
            let rows = if format == "ascii" { &b"1\n0 0 0\n3 0 0 0\n"[..] } else { &[0; 26] };
            let sentence = complaint("lie.ply", &[header.as_bytes(), rows].concat());
            let start = format!(
                "declares 18446744073709551615 of element `{element}`, which take at least "
            );
            assert!(sentence.starts_with(&start), "{format}: {sentence}");
        }
    }
}

#[test]
fn a_list_length_is_not_believed() {
    for (format, length) in [("ascii", &b"4294967295 "[..]), ("binary_little_endian", &[0xff; 4])] {
        let header = format!(
            "ply\nformat {format} 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uint double weights\nproperty list uint int vertex_indices\nend_header\n"
        );
        let sentence = complaint("lie.ply", &[header.as_bytes(), length, b"1 2 3 4 "].concat());
        assert!(sentence.contains("face"), "{sentence}");
    }
}

/// An element without properties takes no bytes, so its count cannot exceed the file; reading must not
/// loop over it.
#[test]
fn huge_counts_of_empty_elements_take_no_time() {
    for format in ["ascii", "binary_big_endian"] {
        let text = cube().ply_ascii();
        let (_, body) =
            text.split_at(text.windows(11).position(|at| at == b"end_header\n").unwrap() + 11);
        let header = format!(
            "ply\nformat {format} 1.0\nelement void 18446744073709551615\nelement vertex 8\nproperty float x\n\
             property float y\nproperty float z\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n"
        );
        let answer = read_ply(&[header.as_bytes(), body].concat(), &LoadOptions::default());
        assert_eq!(answer.is_ok(), format == "ascii", "{format}");
    }
}

/// A thousand nodes that show a mesh of a thousand cubes, all of them the same eight vertices.
#[test]
fn a_scene_may_not_outgrow_the_limits() {
    let mut primitives = String::new();
    let mut nodes = String::new();
    for _ in 0..1000 {
        write!(primitives, r#"{{"attributes": {{"POSITION": 0}}, "indices": 1}},"#).unwrap();
        write!(nodes, r#"{{"mesh": 0}},"#).unwrap();
    }
    let scene: Vec<_> = (0..1000).map(|n: u32| n.to_string()).collect();
    let shown = String::from_utf8(cube().gltf()).unwrap();
    let bomb = shown
        .replace(
            r#"{"attributes": {"POSITION": 0}, "indices": 1}"#,
            primitives.trim_end_matches(','),
        )
        .replace(r#""nodes": [0]"#, &format!(r#""nodes": [{}]"#, scene.join(",")))
        .replace(r#"{"mesh": 0}"#, nodes.trim_end_matches(','));
    let options =
        LoadOptions { max_vertices: 100_000, max_triangles: 200_000, ..LoadOptions::default() };
    let error = read_gltf(bomb.as_bytes(), None, &options).unwrap_err();
    assert!(
        matches!(error.problem, Problem::TooLarge { what: "vertices", limit: 100_000 }),
        "{error}"
    );
    let points = bomb.replace(r#""indices": 1"#, r#""mode": 0"#);
    let error = read_gltf(points.as_bytes(), None, &options).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { what: "points and lines", .. }), "{error}");
}

/// The file that each of these addresses names is there, and holds the buffer.
#[test]
fn a_buffer_is_in_the_folder_of_its_document_or_below() {
    let all = tempfile::tempdir().unwrap();
    let (outside, folder) = (all.path().join("secret.bin"), all.path().join("scene"));
    fs::create_dir_all(folder.join("data")).unwrap();
    let inside = folder.join("data/cube.bin");
    for file in [&outside, &inside] {
        fs::write(file, cube().gltf_buffer()).unwrap();
    }
    let read = |uri: &str| {
        let path = folder.join("cube.gltf");
        fs::write(&path, cube().gltf_json(&format!(r#""uri": "{uri}", "#))).unwrap();
        load(&path, &LoadOptions::default())
    };
    for uri in ["data/cube.bin", "./data//cube.bin", "%64ata%2Fcube.bin", "data%5Ccube.bin"] {
        assert_eq!(read(uri).unwrap().mesh.triangles, cube().triangles(), "{uri}");
    }
    let rooted = outside.to_str().unwrap().replace('/', "%2F");
    for (uri, fault) in [
        (&*rooted, FileNameFault::Absolute),
        ("/etc/hostname", FileNameFault::Absolute),
        ("%2Fetc%2Fhostname", FileNameFault::Absolute),
        (r"\\\\host\\share\\x.bin", FileNameFault::Absolute),
        ("%5C%5C%3F%5CC%3A%5Cx.bin", FileNameFault::Absolute),
        ("../secret.bin", FileNameFault::Up),
        ("%2e%2e/secret.bin", FileNameFault::Up),
        ("data%2F..%2F..%2Fsecret.bin", FileNameFault::Up),
        ("data/../data/cube.bin", FileNameFault::Up),
        (r"..\\secret.bin", FileNameFault::Up),
        (".. /secret.bin", FileNameFault::Up),
        ("C%3A%5Csecret.bin", FileNameFault::Drive),
        ("c%3Asecret.bin", FileNameFault::Drive),
        (".", FileNameFault::Empty),
        ("%2E%2F", FileNameFault::Empty),
        ("", FileNameFault::Empty),
    ] {
        let error = read(uri).expect_err(uri);
        let Problem::FileName { buffer: 0, error: name } = &error.problem else {
            panic!("{uri}: {error}");
        };
        assert_eq!(name.fault, fault, "{uri}");
    }
    let sentence = read("%2E%2E/secret.bin").unwrap_err().problem.to_string();
    assert_eq!(
        sentence,
        "buffer 0 cannot be read: the file name `../secret.bin` leads up; expected a path in or below \
         the folder of the file that holds it"
    );
    let name = "a/../b".to_owned();
    assert_eq!(path_below(&folder, &name), Err(FileNameError { name, fault: FileNameFault::Up }));
}

/// Any number of buffers may name one file, and each is read on its own.
#[test]
fn one_file_is_not_read_into_any_number_of_buffers() {
    let folder = tempfile::tempdir().unwrap();
    let buffer = cube().gltf_buffer();
    fs::write(folder.path().join("cube.bin"), &buffer).unwrap();
    let uri = r#""uri": "cube.bin", "#;
    let length = buffer.len() as u64;
    let json = cube()
        .gltf_json(uri)
        .replace(r#"{"buffer": 0, "byteOffset""#, r#"{"buffer": 1, "byteOffset""#)
        .replace(r#""buffers": ["#, &format!(r#""buffers": [{{{uri}"byteLength": {length}}}, "#));
    let read = |max_buffer_bytes| {
        let options = LoadOptions { max_buffer_bytes, ..LoadOptions::default() };
        read_gltf(json.as_bytes(), Some(folder.path()), &options)
    };
    assert_eq!(read(2 * length).unwrap().mesh.triangles, cube().triangles());
    for limit in [2 * length - 1, length, length - 1, 0] {
        let error = read(limit).unwrap_err();
        let what = "bytes in buffers of their own files";
        assert!(
            matches!(error.problem, Problem::TooLarge { what: it, limit: of } if (it, of) == (what, limit)),
            "{error}"
        );
    }
}

/// Deep nesting must not use up the stack: neither JSON's own, nor that of the nodes.
#[test]
fn depth_is_harmless() {
    let deep = format!(r#"{{"accessors": [{{"min": {}"#, "[".repeat(100_000));
    assert!(complaint("deep.gltf", deep.as_bytes()).contains("recursion limit exceeded"));
    let mut nodes = String::new();
    for n in 1..20_000 {
        write!(nodes, r#"{{"children": [{n}]}},"#).unwrap();
    }
    let chain = String::from_utf8(cube().gltf())
        .unwrap()
        .replace(r#"{"mesh": 0}"#, &format!(r#"{nodes}{{"mesh": 0}}"#));
    assert_eq!(
        read_gltf(chain.as_bytes(), None, &LoadOptions::default()).unwrap().mesh.triangles,
        cube().triangles()
    );
}
