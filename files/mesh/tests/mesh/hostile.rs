//! Truncated, corrupted and forged files: every reader returns quickly and takes little memory (see
//! the allocator in `main.rs`).

use std::fmt::Write as _;
use std::fs;
use std::panic::catch_unwind;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use taut_mesh::{
    FileNameError, FileNameFault, LoadOptions, Problem, load, path_in_folder, read_gltf, read_obj,
    read_ply,
};

use crate::shapes::{cube, error_message, patch, read};

/// Asserts that no reader panics on these bytes, and that each returns a valid mesh or a one-line
/// error. `label` describes the file in messages.
fn assert_handled(label: &str, bytes: &[u8]) {
    let options =
        LoadOptions { max_vertices: 1 << 12, max_triangles: 1 << 12, ..LoadOptions::default() };
    let results = catch_unwind(|| {
        [read_obj(bytes, &options), read_ply(bytes, &options), read_gltf(bytes, None, &options)]
    });
    let Ok(results) = results else {
        panic!("{label}: a reader panicked on {:?}", String::from_utf8_lossy(bytes));
    };
    for result in results {
        match result {
            Ok(loaded) => {
                let mesh = loaded.mesh;
                assert!(mesh.positions.as_flattened().iter().all(|x| x.is_finite()), "{label}");
                let vertices = mesh.positions.len() as u32;
                assert!(
                    mesh.triangles.as_flattened().iter().all(|corner| *corner < vertices),
                    "{label}"
                );
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{label}: {error}"),
        }
    }
}

#[test]
fn files_truncated_at_any_byte_are_handled() {
    for shape in [cube(), patch(2)] {
        for (name, bytes) in shape.files() {
            for length in 0..bytes.len() {
                assert_handled(&format!("{name} truncated to {length}"), &bytes[..length]);
                // An OBJ or ASCII PLY file without its last digits or lines may still be a mesh. A
                // truncated binary or JSON file is always invalid.
                if !["cube.obj", "ascii.ply"].contains(&name) {
                    assert!(
                        read(name, &bytes[..length], &LoadOptions::default()).is_err(),
                        "{name} truncated to {length}"
                    );
                }
            }
        }
    }
}

#[test]
fn randomly_corrupted_files_are_handled() {
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
            assert_handled(&format!("{name}, round {round}"), &bytes);
        }
    }
}

/// Replaces each number in text by numbers that may overflow.
#[test]
fn files_with_one_forged_number_are_handled() {
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
                assert_handled(&format!("{name}, {forged} at byte {at}"), &bytes);
            }
        }
    }
}

#[test]
fn declared_counts_are_not_trusted() {
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for element in ["vertex", "face", "dust"] {
            let count = |name| if name == element { u64::MAX } else { 1 };
            let header = format!(
                "ply\nformat {format} 1.0\nelement dust {}\nproperty uchar d\n\
                 element vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
                 element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                count("dust"),
                count("vertex"),
                count("face"),
            );
            // A row has 1 byte for `dust`, 12 for `vertex` and 13 for `face`.
            let rows = if format == "ascii" { &b"1\n0 0 0\n3 0 0 0\n"[..] } else { &[0; 26] };
            let message = error_message("forged.ply", &[header.as_bytes(), rows].concat());
            let start = format!(
                "declares 18446744073709551615 rows of element `{element}`, which take at least "
            );
            assert!(message.starts_with(&start), "{format}: {message}");
        }
    }
}

#[test]
fn declared_list_lengths_are_not_trusted() {
    for (format, length) in [("ascii", &b"4294967295 "[..]), ("binary_little_endian", &[0xff; 4])] {
        let header = format!(
            "ply\nformat {format} 1.0\n\
             element vertex 0\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uint double weights\n\
             property list uint int vertex_indices\nend_header\n"
        );
        let bytes = [header.as_bytes(), length, b"1 2 3 4 "].concat();
        let message = error_message("forged.ply", &bytes);
        assert!(message.contains("face"), "{message}");
    }
}

/// An element without properties takes no bytes, so the length of the file does not limit its
/// count. The reader must not loop over its rows.
#[test]
fn huge_counts_of_empty_elements_take_no_time() {
    for format in ["ascii", "binary_big_endian"] {
        let text = cube().ply_ascii();
        let (_, body) = text
            .split_at(text.windows(11).position(|window| window == b"end_header\n").unwrap() + 11);
        let header = format!(
            "ply\nformat {format} 1.0\nelement void 18446744073709551615\n\
             element vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
             element face 6\nproperty list uchar int vertex_indices\nend_header\n"
        );
        let result = read_ply(&[header.as_bytes(), body].concat(), &LoadOptions::default());
        // The body is text, so only the ASCII file is a valid mesh.
        assert_eq!(result.is_ok(), format == "ascii", "{format}");
    }
}

/// A thousand nodes instantiate a mesh of a thousand cubes, which all share eight vertices.
#[test]
fn instances_do_not_exceed_the_limits() {
    let mut primitives = String::new();
    let mut nodes = String::new();
    for _ in 0..1000 {
        write!(primitives, r#"{{"attributes": {{"POSITION": 0}}, "indices": 1}},"#).unwrap();
        write!(nodes, r#"{{"mesh": 0}},"#).unwrap();
    }
    let scene: Vec<_> = (0..1000).map(|n: u32| n.to_string()).collect();
    let document = String::from_utf8(cube().gltf()).unwrap();
    let bomb = document
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

/// The files in the folder and `secret.bin` outside it all contain the buffer, so that a reader that
/// followed a rejected path to `secret.bin` would succeed.
#[test]
fn buffers_are_read_only_from_the_folder_of_the_document() {
    let parent = tempfile::tempdir().unwrap();
    let (outside, folder) = (parent.path().join("secret.bin"), parent.path().join("scene"));
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
    let absolute = outside.to_str().unwrap().replace('/', "%2F");
    for (uri, fault) in [
        (&*absolute, FileNameFault::Absolute),
        ("/etc/hostname", FileNameFault::Absolute),
        ("%2Fetc%2Fhostname", FileNameFault::Absolute),
        (r"\\\\host\\share\\x.bin", FileNameFault::Absolute),
        ("%5C%5C%3F%5CC%3A%5Cx.bin", FileNameFault::Absolute),
        ("../secret.bin", FileNameFault::ParentFolder),
        ("%2e%2e/secret.bin", FileNameFault::ParentFolder),
        ("data%2F..%2F..%2Fsecret.bin", FileNameFault::ParentFolder),
        ("data/../data/cube.bin", FileNameFault::ParentFolder),
        (r"..\\secret.bin", FileNameFault::ParentFolder),
        (".. /secret.bin", FileNameFault::ParentFolder),
        ("C%3A%5Csecret.bin", FileNameFault::Drive),
        ("c%3Asecret.bin", FileNameFault::Drive),
        (".", FileNameFault::Empty),
        ("%2E%2F", FileNameFault::Empty),
        ("", FileNameFault::Empty),
    ] {
        let error = read(uri).expect_err(uri);
        let Problem::FileName { buffer: 0, error: name_error } = &error.problem else {
            panic!("{uri}: {error}");
        };
        assert_eq!(name_error.fault, fault, "{uri}");
    }
    let message = read("%2E%2E/secret.bin").unwrap_err().problem.to_string();
    assert_eq!(
        message,
        "buffer 0 cannot be read: the file name `../secret.bin` contains `..`; expected a path in \
         or below the folder of the referring file"
    );
    let name = "a/../b".to_owned();
    let error = FileNameError { name: name.clone(), fault: FileNameFault::ParentFolder };
    assert_eq!(path_in_folder(&folder, &name), Err(error));
}

/// Several buffers may refer to one file, and each is read separately.
#[test]
fn a_file_counts_once_for_each_buffer_that_refers_to_it() {
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
        let what = "bytes of buffer files";
        assert!(
            matches!(
                error.problem,
                Problem::TooLarge { what: found, limit: stated }
                    if (found, stated) == (what, limit)
            ),
            "{error}"
        );
    }
}

/// Deep nesting, of JSON values or of nodes, must not overflow the stack.
#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!(r#"{{"accessors": [{{"min": {}"#, "[".repeat(100_000));
    assert!(error_message("deep.gltf", deep.as_bytes()).contains("recursion limit exceeded"));
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
