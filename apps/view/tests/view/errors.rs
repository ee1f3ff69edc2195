//! Invalid commands, extreme settings, and simulations that blow up.

use taut::world::{AnyScene, LibraryScene};
use taut_view::protocol::{HELD_MAX, SIZE_FACTOR_MAX};
use taut_view::{Host, Options};

use crate::page::{Page, ReceivedMessage};

#[test]
fn an_invalid_command_gives_an_error_and_changes_nothing() {
    let mut page = Page::new("plants", 2);
    // An empty change makes the host send the state.
    page.send(r#"{"do":"set"}"#);
    let before = page.state();
    for command in [
        "",
        "{",
        "[]",
        "7",
        r#"{"say":"next"}"#,
        r#"{"do":"dance"}"#,
        r#"{"do":"scene"}"#,
        r#"{"do":"scene","scene":"nowhere"}"#,
        r#"{"do":"scene","scene":"file"}"#,
        r#"{"do":"scene","scene":"drape","size":0}"#,
        r#"{"do":"scene","scene":"drape","size":-4}"#,
        r#"{"do":"scene","scene":"drape","size":100000000}"#,
        r#"{"do":"grab","particle":1000000000}"#,
        r#"{"do":"grab","particle":-1}"#,
        r#"{"do":"drag","particle":1,"to":[1,2]}"#,
        r#"{"do":"cut","from":[[0,0,0],[0,0,0]]}"#,
        r#"{"do":"set","kernel":"abacus"}"#,
        r#"{"do":"set","kernel":"grid"}"#,
        r#"{"do":"set","kernel":"scalar","instructions":"avx512"}"#,
        r#"{"do":"set","formula":"alchemy"}"#,
        r#"{"do":"set","schedule":"sheet"}"#,
        r#"{"do":"set","schedule":"packed/rcm"}"#,
        r#"{"do":"set","threads":0}"#,
        r#"{"do":"set","threads":3}"#,
        r#"{"do":"set","substeps":0}"#,
        r#"{"do":"set","substeps":1000,"iterations":1000}"#,
        r#"{"do":"set","damping_rate":1e10}"#,
        r#"{"do":"set","damping_rate":-0.1}"#,
        r#"{"do":"set","damping":0.5}"#,
        r#"{"do":"set","stiffness":0}"#,
        r#"{"do":"set","stiffness":1e300}"#,
        r#"{"do":"set","compliance":1000}"#,
        r#"{"do":"set","tear":0.5}"#,
        r#"{"do":"set","colour":"red"}"#,
        r#"{"do":"race","kernel":"grid"}"#,
        r#"{"do":"race","kernel":"nobody"}"#,
    ] {
        page.send(command);
        let messages = page.messages();
        let [ReceivedMessage::Error(error)] = &messages[..] else {
            panic!("{command}: {messages:?}")
        };
        assert!(!error.contains('\n') && error.len() > 10, "{error}");
    }
    page.send(r#"{"do":"set"}"#);
    assert_eq!(page.state(), before);
    assert_eq!(page.run_steps(3).frame().step, 3);
}

#[test]
fn a_drag_target_that_is_not_finite_is_rejected() {
    let mut page = Page::new("drape", 8);
    page.send(r#"{"do":"grab","particle":20}"#).messages();
    page.send(r#"{"do":"drag","particle":20,"to":[1e300,0,0]}"#);
    assert_eq!(page.errors().len(), 1);
    assert!(
        page.run_steps(3)
            .frame()
            .vertices
            .iter()
            .flatten()
            .all(|coordinate| coordinate.is_finite())
    );
}

#[test]
fn a_blown_up_simulation_stops_until_a_reset() {
    for library_scene in LibraryScene::ALL {
        let mut page = Page::new(library_scene.name, (library_scene.size / 4).max(4));
        page.send(r#"{"do":"grab","particle":3}"#);
        page.send(r#"{"do":"drag","particle":3,"to":[9e11,-9e11,0]}"#);
        page.run_steps(30).messages();
        // A new page receives the current figures as its last message.
        let other = page.host.connect();
        let messages = crate::page::messages_of(&mut page.host, other);
        let Some(ReceivedMessage::Figures(figures)) = messages.last() else {
            panic!("{messages:?}")
        };
        assert_eq!(figures["blown"], true, "{}", library_scene.name);
        assert!(figures["steps"].as_u64().unwrap() < 30);
        assert_eq!(page.host.seconds_until_step(), None);
        // These commands cause no panic.
        for command in [
            r#"{"do":"step"}"#,
            r#"{"do":"set","schedule":"coloured"}"#,
            r#"{"do":"race","kernel":"scalar"}"#,
            r#"{"do":"cut","from":[[0,0,0],[0,0,1]],"to":[[0,1,0],[0,1,1]]}"#,
            r#"{"do":"release","particle":3}"#,
        ] {
            page.send(command).run_steps(1).messages();
        }
        page.send(r#"{"do":"reset"}"#).messages();
        assert_eq!(page.run_steps(3).frame().step, 3, "{}", library_scene.name);
    }
}

#[test]
fn extreme_settings_do_not_panic() {
    for library_scene in LibraryScene::ALL {
        let mut page = Page::new(library_scene.name, (library_scene.size / 4).max(4));
        for command in [
            r#"{"do":"set","damping_rate":0,"iterations":1,"substeps":1,"formula":"exact"}"#,
            r#"{"do":"set","schedule":"authored","compliance":100}"#,
            r#"{"do":"wind","on":true}"#,
            r#"{"do":"set","stiffness":0.001,"tear":1}"#,
            r#"{"do":"cut","from":[[-9,0,-9],[-9,0,9]],"to":[[9,0,-9],[9,0,9]]}"#,
            r#"{"do":"set","damping_rate":60,"iterations":0}"#,
            r#"{"do":"set","iterations":40,"passes":4,"stiffness":null,"damping_rate":0}"#,
        ] {
            page.send(command).run_steps(6);
        }
        // Two errors are expected: substeps with which springs are unstable are rejected, and a scene with a
        // position that is not finite restarts when its order changes.
        let is_expected =
            |error: &String| error.contains("Restarted: ") || error.contains("spring");
        let errors = page.errors();
        assert!(errors.iter().all(is_expected), "{}: {errors:?}", library_scene.name);
        page.send(r#"{"do":"reset"}"#);
        assert!(page.errors().is_empty());
    }
}

#[test]
fn a_scene_from_a_file_has_no_size() {
    let text = "[[model]]\nname = \"sheet\"\ndrape = { size = 8 }\n";
    let file = || Some(("a sheet".to_owned(), AnyScene::from_toml(text).unwrap()));
    let options = |size| Options { scene: "file".into(), size, file: file(), ..Options::default() };
    assert!(Host::new(options(Some(3))).is_err());
    let mut host = Host::new(options(None)).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    let state = page.state();
    assert!(state["size"].is_null() && state["sizes"].is_null());
    assert_eq!(state["scenes"].as_array().unwrap().last().unwrap()["name"], "file");
    assert_eq!(page.run_steps(2).frame().vertices.len(), 64);
    assert!(Host::new(Options { scene: "nowhere".into(), ..Options::default() }).is_err());
}

#[test]
fn an_unstable_spring_is_rejected_although_its_end_is_held() {
    // With one substep the spring is unstable, unless its free end, particle 1, is held.
    let text = r#"
        [step]
        substeps = 8
        [[model]]
        name = "swing"
        groups = { hand = [0] }
        pinned = ["hand"]
        [model.particles]
        positions = [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
        masses = [1.0, 1.0, 1.0]
        sticks = [[1, 2]]
        springs = [{ ends = [0, 1], rest = 0.5, stiffness = 40000.0, damping = 0.0 }]
    "#;
    let file = Some(("a swing".to_owned(), AnyScene::from_toml(text).unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    page.send(r#"{"do":"race","kernel":"scalar"}"#).send(r#"{"do":"grab","particle":1}"#);
    let before = page.run_steps(3).state();
    for command in [
        r#"{"do":"set","substeps":1}"#,
        r#"{"do":"set","substeps":1,"schedule":"coloured"}"#,
        r#"{"do":"set","substeps":1,"schedule":"coloured","formula":"newton","kernel":"scalar"}"#,
    ] {
        let errors = page.send(command).errors();
        assert!(
            matches!(&errors[..], [error] if error.contains("spring")),
            "{command}: {errors:?}"
        );
        assert_eq!(page.send(r#"{"do":"set"}"#).state(), before, "{command}");
    }
    assert_eq!(page.run_steps(3).frame().step, 6);
    page.send(r#"{"do":"reset"}"#);
    assert_eq!(page.errors(), [""; 0]);
    assert_eq!(page.send(r#"{"do":"set"}"#).state(), before);
}

#[test]
fn an_empty_scene_has_bounds() {
    let file = Some(("nothing".to_owned(), AnyScene::from_toml("").unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    assert_eq!(page.state()["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]));
}

#[test]
fn a_page_can_hold_a_limited_number_of_particles() {
    let mut page = Page::new("drape", 12);
    for particle in 0..=HELD_MAX {
        page.send(&format!(r#"{{"do":"grab","particle":{particle}}}"#));
    }
    let errors = page.errors();
    assert!(matches!(&errors[..], [error] if error.contains("at most 64 particles")), "{errors:?}");
    // The page may grab a held particle again, and another particle after a release.
    page.send(r#"{"do":"grab","particle":3}"#);
    page.send(r#"{"do":"release","particle":3}"#).send(r#"{"do":"grab","particle":100}"#);
    assert!(page.errors().is_empty());
}

#[test]
fn the_size_of_a_scene_is_limited() {
    let mut page = Page::new("plants", 2); // the default size is 8
    let load = |size: usize| format!(r#"{{"do":"scene","scene":"plants","size":{size}}}"#);
    assert_eq!(page.state()["copies_max"], 8 * SIZE_FACTOR_MAX);
    assert!(page.send(&load(8 * SIZE_FACTOR_MAX)).errors().is_empty());
    let errors = page.send(&load(8 * SIZE_FACTOR_MAX + 1)).errors();
    assert!(matches!(&errors[..], [error] if error.contains("from 1 to 64")), "{errors:?}");
}

#[test]
fn a_restart_with_other_substeps_keeps_initial_velocities() {
    let text = r#"
        [step]
        substeps = 4
        gravity = [0, 0, 0]
        damping_rate = 0
        [[model]]
        name = "rope"
        rope = { path = [[0, 0, 0], [1, 0, 0]] }
        velocity = [0, 3, 0]
    "#;
    let file = Some(("a rope".to_owned(), AnyScene::from_toml(text).unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    for substeps in [4, 1, 16] {
        page.send(&format!(r#"{{"do":"set","substeps":{substeps}}}"#)).send(r#"{"do":"reset"}"#);
        let [_, y, _] = page.run_steps(30).frame().vertices[0];
        assert!((y - 1.5).abs() < 1e-3, "{substeps} substeps: {y} m in half a second");
    }
}
