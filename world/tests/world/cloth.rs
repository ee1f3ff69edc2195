//! Properties of sheets and meshes match values computed by hand.

use std::collections::BTreeMap;

use taut_core::{Bending, Family, Stretch};
use taut_world::{Axes, Cloth, Diagonals, HexSheet, Model, ModelError};

use crate::models::{minus, norm};

/// The normal of a face. Its length is twice the area of the face.
fn normal(model: &Model, face: [u32; 3]) -> [f64; 3] {
    let [a, b, c] = face.map(|corner| model.particles.position(corner as usize));
    let [u, v] = [minus(b, a), minus(c, a)];
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

#[test]
fn a_cloth_is_a_regular_sheet_at_rest_that_weighs_density_times_area() {
    let axes = Axes { across: [1.0, 0.0, 1.0], down: [0.3, -2.0, 0.0] };
    for families in [Family::STRUCTURAL, Family::SHEAR, Family::BEND, &[Family::Diagonal2]] {
        let families = families.to_vec();
        let cloth = Cloth {
            columns: 7,
            rows: 5,
            width: 1.8,
            height: 0.8,
            density: 0.5,
            axes,
            families,
            ..Cloth::default()
        };
        let model = Model::cloth(&cloth).unwrap();
        let sheet = model.sheet.as_ref().unwrap();
        assert!(sheet.schedule(&model.sticks).is_ok());
        assert!(Stretch::of(&model.particles, &model.sticks).max < 1e-6);
        assert!((model.mass() - 0.5 * 1.8 * 0.8).abs() < 1e-6);
        let middle: [f32; 3] =
            core::array::from_fn(|axis| model.particles.positions(axis).iter().sum::<f32>() / 35.0);
        assert!(norm(minus(middle, [0.0; 3])) < 1e-6);
    }
}

#[test]
fn faces_cover_a_cloth_once_and_face_the_front() {
    for diagonals in [Diagonals::Alternating, Diagonals::Parallel] {
        for (axes, front) in
            [(Axes::default(), [0.0, 0.0, 1.0]), (Axes::HORIZONTAL, [0.0, 1.0, 0.0])]
        {
            let cloth =
                Cloth { columns: 6, rows: 4, width: 2.0, diagonals, axes, ..Cloth::default() };
            let model = Model::cloth(&cloth).unwrap();
            let mut area = 0.0;
            for &face in &model.faces {
                // The normal points to the front.
                let normal = normal(&model, face);
                let component: f64 = normal.iter().zip(front).map(|(n, front)| n * front).sum();
                assert!(component > 0.99 * norm(normal));
                area += norm(normal) / 2.0;
            }
            assert!((area - 2.0).abs() < 1e-6);
        }
    }
}

#[test]
fn the_sides_of_a_cloth_are_named_groups() {
    let model = Model::<2>::cloth(&Cloth::spaced(4, 3, 0.5)).unwrap();
    let group = |name: &str| model.groups[name].clone();
    assert_eq!(group("top"), [0, 1, 2, 3]);
    assert_eq!(group("bottom"), [8, 9, 10, 11]);
    assert_eq!(group("left"), [0, 4, 8]);
    assert_eq!(group("right"), [3, 7, 11]);
    assert_eq!(group("corners"), [0, 3, 8, 11]);
    assert_eq!(model.particles.position(0), [-0.75, 0.5]);
    assert_eq!(model.particles.position(11), [0.75, -0.5]);
    let curtain = Model::<2>::curtain(&Cloth::spaced(4, 3, 0.5)).unwrap();
    let pinned: Vec<bool> = curtain.particles.inverse_masses().iter().map(|&w| w == 0.0).collect();
    assert_eq!(pinned, [[true; 4], [false; 4], [false; 4]].concat());
}

#[test]
fn a_hexagonal_sheet_consists_of_equilateral_triangles() {
    let sheet = HexSheet { columns: 9, rows: 8, spacing: 0.07, ..HexSheet::default() };
    let free = Model::hex_sheet(&HexSheet { bending: Bending::Free, ..sheet }).unwrap();
    assert!(free.sticks.rests().iter().all(|&rest| rest == 0.07));
    assert!(Stretch::of(&free.particles, &free.sticks).max < 1e-6);
    let mut edges_at = BTreeMap::new();
    for end in free.sticks.ends().as_flattened() {
        *edges_at.entry(*end).or_insert(0) += 1;
    }
    // Six triangles meet at each inner particle.
    for row in 1..7 {
        for column in 1..8 {
            assert_eq!(edges_at[&(9 * row + column)], 6);
        }
    }
    let triangle = 0.07 * 0.07 * 3.0_f64.sqrt() / 4.0;
    assert!((free.mass() - 0.2 * triangle * f64::from(2 * 8 * 7)).abs() < 1e-6);
    assert!(free.faces.iter().all(|&face| normal(&free, face)[2] > 0.0));

    let stiff = Model::hex_sheet(&sheet).unwrap();
    assert!(Stretch::of(&stiff.particles, &stiff.sticks).max < 1e-6);
    // Bending sticks join the far corners of two adjacent triangles.
    let long = (0.07 * 3.0_f64.sqrt()) as f32; // twice the height of a triangle
    assert!(stiff.sticks.rests().iter().all(|&rest| rest == 0.07 || rest == long));
    assert!(stiff.sticks.len() > free.sticks.len());
}

#[test]
fn the_mass_of_a_mesh_is_density_times_area_and_its_rim_is_a_group() {
    // A fan of six triangles around particle 0, open between the particles 7 and 1.
    let angles = (0..7).map(|i| f64::from(i) * 0.8);
    let fan: Vec<[f32; 3]> = core::iter::once([0.0; 3])
        .chain(angles.map(|angle| [angle.cos() as f32, angle.sin() as f32, 0.0]))
        .collect();
    let triangles: Vec<[u32; 3]> = (1..7).map(|i| [0, i, i + 1]).collect();
    let model = Model::from_triangles(&fan, &triangles, Bending::Sticks, 2.0).unwrap();
    assert!((model.mass() - 2.0 * 6.0 * 0.8_f64.sin() / 2.0).abs() < 1e-5);
    assert_eq!(model.groups["rim"], [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(model.sticks.len(), 7 + 6 + 5); // spokes, outer edges, bending across inner spokes
    // A particle without triangles has no mass.
    let stray: Vec<[f32; 3]> = fan.iter().copied().chain([[9.0; 3]]).collect();
    assert!(matches!(
        Model::from_triangles(&stray, &triangles, Bending::Sticks, 2.0),
        Err(ModelError::Mass { particle: 8, mass: 0.0 })
    ));
    assert!(matches!(
        Model::from_triangles(&fan, &[], Bending::Sticks, 2.0),
        Err(ModelError::NoSticks { particles: 8 })
    ));
}
