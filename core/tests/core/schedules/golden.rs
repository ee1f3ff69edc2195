//! The orders of all builders for some meshes, as hashes in `golden.txt`.
//!
//! The order decides the result, so a changed order requires a new golden version (see
//! `docs/releasing.md`). If the environment variable `TAUT_BLESS` is set, the test first overwrites
//! `golden.txt` with the orders that it finds.

use std::iter::repeat_n;
use std::path::Path;
use std::{env, fs};

use super::*;
use crate::particles::fnv1a;

/// The hash of the numbers of the sticks, with `u32::MAX` before each batch, `u32::MAX - 1` before each
/// block and `u32::MAX - 2` before each phase.
fn hash(schedule: &Schedule) -> u64 {
    let mut numbers = Vec::new();
    for phase in schedule.phases() {
        numbers.push(u32::MAX - 2);
        for block in phase.blocks() {
            numbers.push(u32::MAX - 1);
            for batch in block.batches() {
                numbers.push(u32::MAX);
                numbers.extend(batch);
            }
        }
    }
    fnv1a(numbers.into_iter().flat_map(u32::to_le_bytes))
}

/// Named meshes with sizes around those at which builders change what they do: a band of 1024
/// particles, runs of 16 sticks, reaches of 64, blocks, and a mesh so large that windows of it are
/// sampled.
fn meshes() -> Vec<(String, Mesh)> {
    let mut meshes = Vec::new();
    let sizes = [
        [2, 2],
        [1, 40],
        [40, 1],
        [15, 9],
        [16, 64],
        [17, 13],
        [18, 60],
        [41, 25],
        [63, 33],
        [64, 48],
        [65, 40],
        [128, 128],
        [700, 6],
    ];
    for [width, height] in sizes {
        for (name, families) in [("shear", Family::SHEAR), ("all", Family::BEND)] {
            let mesh = sheet_mesh(width, height, families).1;
            meshes.push((format!("sheet-{width}x{height}-{name}"), mesh));
        }
    }
    let large = sheet_mesh(257, 256, Family::STRUCTURAL).1;
    meshes.push(("sheet-257x256-structural".to_owned(), large));
    for non_plain in [0, 30, 100] {
        meshes.push((format!("large-{non_plain}"), Recipe::large(non_plain).mesh()));
    }
    let components = [
        ("chain", Component::Chain(2000)),
        ("complete", Component::Complete(70)),
        ("bipartite", Component::Bipartite(3, 400)),
        ("grid", Component::Grid(45, 44)),
    ];
    for (name, component) in components {
        meshes.push((name.to_owned(), Recipe::plain(vec![component]).mesh()));
    }
    // Sticks of a sheet that are not plain, and second sticks between the same ends.
    let Mesh { particles, sticks } = sheet_mesh(70, 60, Family::BEND).1;
    let mut pairs = sticks.ends().to_vec();
    pairs.extend(sticks.ends().iter().step_by(7).map(|&[a, b]| [b, a]));
    let mut sticks = Sticks::joining(&particles, &pairs, Duplicates::Keep).unwrap();
    let mut random = Random::new(3);
    for stick in (0..sticks.len()).step_by(5) {
        make_non_plain(&mut random, &mut sticks, stick);
    }
    meshes.push(("doubled".to_owned(), Mesh { particles, sticks }));
    meshes
}

/// The lines of `golden.txt`.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for (name, mesh) in meshes() {
        for (builder, schedule) in schedules_of_all_builders(&mesh) {
            lines.push(format!("{name} {builder} {:016x}", hash(&schedule)));
        }
        let for_mesh = hash(&Schedule::for_mesh(&mesh.particles, &mesh.sticks));
        lines.push(format!("{name} for_mesh {for_mesh:016x}"));
        let (rcm, hilbert) = (
            Renumbering::reverse_cuthill_mckee(&mesh.sticks),
            Renumbering::hilbert(&mesh.particles),
        );
        for (numbering, renumbering) in [("rcm", rcm), ("hilbert", hilbert)] {
            let (particles, sticks) = renumbering.apply(&mesh.particles, &mesh.sticks);
            let schedule = Schedule::blocked(&particles, &sticks);
            lines.push(format!("{name} blocked/{numbering} {:016x}", hash(&schedule)));
        }
    }
    // Columns, rows and the number of families, around the widths and heights at which bands and
    // blocks change.
    let sheets = [
        [5, 7, 2],
        [16, 16, 4],
        [40, 90, 12],
        [3, 500, 3],
        [260, 40, 6],
        [512, 66, 4],
        [513, 66, 4],
        [9, 64, 8],
        [9, 65, 8],
        [9, 129, 8],
    ];
    for [width, height, families] in sheets {
        let (sheet, mesh) = sheet_mesh(width, height, &Family::ALL[..families]);
        let schedule = sheet.schedule(&mesh.sticks).unwrap();
        lines.push(format!("sheet-{width}x{height}-{families} sheet {:016x}", hash(&schedule)));
        let mut order: Vec<u32> = (0..mesh.sticks.len() as u32).collect();
        Random::new(5).shuffle(&mut order);
        let shuffled = mesh.sticks.reordered(&order).unwrap();
        let found = Sheet::find(&shuffled).map(|(sheet, order)| {
            let order = fnv1a(order.into_iter().flat_map(u32::to_le_bytes));
            format!("{}x{}-{} {order:016x}", sheet.width(), sheet.height(), sheet.families().len())
        });
        let found = found.as_deref().unwrap_or("nothing");
        lines.push(format!("sheet-{width}x{height}-{families} find {found}"));
    }
    // Several cloths: equal ones, small ones, and ones of several blocks.
    let small: Vec<Mesh> = vec![
        Recipe::plain(vec![Component::Chain(30)]).mesh(),
        Recipe::plain(vec![Component::Grid(6, 5)]).mesh(),
        sheet_mesh(20, 20, Family::BEND).1,
        Recipe::large(20).mesh(),
    ];
    let one = &small[1];
    let cases: [(&str, Vec<&Mesh>); 3] = [
        ("equal", repeat_n(one, 20).collect()),
        ("mixed", small.iter().collect()),
        ("large", vec![&small[3], one, &small[3], &small[2]]),
    ];
    for (name, meshes) in cases {
        let sticks = Sticks::side_by_side(meshes.iter().map(|mesh| &mesh.sticks)).unwrap();
        let of_meshes: Vec<_> = meshes.into_iter().map(schedules_of_all_builders).collect();
        for (index, (builder, _)) in of_meshes[0].iter().enumerate() {
            let schedules = of_meshes.iter().map(|schedules| &schedules[index].1);
            let schedule = Schedule::side_by_side(&sticks, schedules).unwrap();
            let copies = schedule.copies().map_or(0, Copies::count);
            lines.push(format!("{name} {builder} {:016x}, {copies} copies", hash(&schedule)));
        }
    }
    lines
}

#[test]
fn every_builder_makes_the_golden_orders() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/core/schedules/golden.txt");
    let lines = lines();
    if env::var_os("TAUT_BLESS").is_some() {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    let different = |(found, golden): &(&String, &str)| found.as_str() != *golden;
    let differing: Vec<_> = lines.iter().zip(golden.lines()).filter(different).collect();
    assert!(differing.is_empty(), "orders differ (found, golden): {differing:#?}");
    assert_eq!(lines.len(), golden.lines().count(), "number of orders");
}
