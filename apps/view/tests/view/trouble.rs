//! Nonsense, and simulations that blow up.

use taut::world::{AnyScene, LibraryScene};
use taut_view::protocol::{HELD_MAX, TIMES_OWN_SIZE_MAX};
use taut_view::{Host, Options};

use crate::hear::{Heard, Visit};

#[test]
fn nonsense_is_answered_and_changes_nothing() {
    let mut visit = Visit::new("plants", 2);
    visit.say(r#"{"do":"set"}"#);
    let before = visit.state();
    for nonsense in [
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
        visit.say(nonsense);
        let heard = visit.hear();
        let [Heard::Error(sentence)] = &heard[..] else { panic!("{nonsense}: {heard:?}") };
        assert!(!sentence.contains('\n') && sentence.len() > 10, "{sentence}");
    }
    visit.say(r#"{"do":"set"}"#);
    assert_eq!(visit.state(), before);
    assert_eq!(visit.steps(3).look().step, 3);
}

#[test]
fn a_particle_is_not_dragged_to_nowhere() {
    let mut visit = Visit::new("drape", 8);
    visit.say(r#"{"do":"grab","particle":20}"#).hear();
    visit.say(r#"{"do":"drag","particle":20,"to":[1e300,0,0]}"#);
    assert_eq!(visit.errors().len(), 1);
    assert!(visit.steps(3).look().vertices.iter().flatten().all(|it| it.is_finite()));
}

#[test]
fn a_blown_up_simulation_stops_until_a_reset() {
    for listed in LibraryScene::ALL {
        let mut visit = Visit::new(listed.name, (listed.size / 4).max(4));
        visit.say(r#"{"do":"grab","particle":3}"#);
        visit.say(r#"{"do":"drag","particle":3,"to":[9e11,-9e11,0]}"#);
        visit.steps(30).hear();
        let other = visit.host.connect();
        let figures = crate::hear::hear(&mut visit.host, other);
        let Some(Heard::Figures(figures)) = figures.last() else { panic!("{figures:?}") };
        assert_eq!(figures["blown"], true, "{}", listed.name);
        assert!(figures["steps"].as_u64().unwrap() < 30);
        assert_eq!(visit.host.due(), None);
        // Further commands are answered, and it stays stopped.
        for command in [
            r#"{"do":"step"}"#,
            r#"{"do":"set","schedule":"coloured"}"#,
            r#"{"do":"race","kernel":"scalar"}"#,
            r#"{"do":"cut","from":[[0,0,0],[0,0,1]],"to":[[0,1,0],[0,1,1]]}"#,
            r#"{"do":"release","particle":3}"#,
        ] {
            visit.say(command).steps(1).hear();
        }
        visit.say(r#"{"do":"reset"}"#).hear();
        assert_eq!(visit.steps(3).look().step, 3, "{}", listed.name);
    }
}

#[test]
fn wild_settings_crash_nothing() {
    for listed in LibraryScene::ALL {
        let mut visit = Visit::new(listed.name, (listed.size / 4).max(4));
        for command in [
            r#"{"do":"set","damping_rate":0,"iterations":1,"substeps":1,"formula":"exact"}"#,
            r#"{"do":"set","schedule":"authored","compliance":100}"#,
            r#"{"do":"wind","on":true}"#,
            r#"{"do":"set","stiffness":0.001,"tear":1}"#,
            r#"{"do":"cut","from":[[-9,0,-9],[-9,0,9]],"to":[[9,0,-9],[9,0,9]]}"#,
            r#"{"do":"set","damping_rate":60,"iterations":0}"#,
            r#"{"do":"set","iterations":40,"passes":4,"stiffness":null,"damping_rate":0}"#,
        ] {
            visit.say(command).steps(6);
        }
        // Springs say which substeps they bear; what blew up is restarted with another order.
        let expected = |it: &String| it.contains("Restarted: ") || it.contains("spring");
        let errors = visit.errors();
        assert!(errors.iter().all(expected), "{}: {errors:?}", listed.name);
        visit.say(r#"{"do":"reset"}"#);
        assert!(visit.errors().is_empty());
    }
}

#[test]
fn a_scene_of_a_file_has_no_size() {
    let text = "[[model]]\nname = \"sheet\"\ndrape = { size = 8 }\n";
    let file = || Some(("a sheet".to_owned(), AnyScene::from_toml(text).unwrap()));
    let options = |size| Options { scene: "file".into(), size, file: file(), ..Options::default() };
    assert!(Host::new(options(Some(3))).is_err());
    let mut host = Host::new(options(None)).unwrap();
    let page = host.connect();
    let mut visit = Visit { host, page };
    let state = visit.state();
    assert!(state["size"].is_null() && state["sizes"].is_null());
    assert_eq!(state["scenes"].as_array().unwrap().last().unwrap()["name"], "file");
    assert_eq!(visit.steps(2).look().vertices.len(), 64);
    assert!(Host::new(Options { scene: "nowhere".into(), ..Options::default() }).is_err());
}

#[test]
fn an_error_changes_nothing_even_where_something_held_hides_it() {
    // One substep is too long for the spring; held, its free end has no mass that could swing.
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
    let page = host.connect();
    let mut visit = Visit { host, page };
    visit.say(r#"{"do":"race","kernel":"scalar"}"#).say(r#"{"do":"grab","particle":1}"#);
    let before = visit.steps(3).state();
    for refused in [
        r#"{"do":"set","substeps":1}"#,
        r#"{"do":"set","substeps":1,"schedule":"coloured"}"#,
        r#"{"do":"set","substeps":1,"schedule":"coloured","formula":"newton","kernel":"scalar"}"#,
    ] {
        let errors = visit.say(refused).errors();
        assert!(matches!(&errors[..], [it] if it.contains("spring")), "{refused}: {errors:?}");
        assert_eq!(visit.say(r#"{"do":"set"}"#).state(), before, "{refused}");
    }
    assert_eq!(visit.steps(3).look().step, 6);
    visit.say(r#"{"do":"reset"}"#);
    assert_eq!(visit.errors(), [""; 0]);
    assert_eq!(visit.say(r#"{"do":"set"}"#).state(), before);
}

#[test]
fn a_scene_of_nothing_has_bounds() {
    let file = Some(("nothing".to_owned(), AnyScene::from_toml("").unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let page = host.connect();
    let mut visit = Visit { host, page };
    assert_eq!(visit.state()["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]));
}

#[test]
fn a_page_holds_so_many_particles_and_no_more() {
    let mut visit = Visit::new("drape", 12);
    for particle in 0..=HELD_MAX {
        visit.say(&format!(r#"{{"do":"grab","particle":{particle}}}"#));
    }
    let errors = visit.errors();
    assert!(matches!(&errors[..], [it] if it.contains("at most 64 particles")), "{errors:?}");
    // One that it holds already, and another in place of one.
    visit.say(r#"{"do":"grab","particle":3}"#);
    visit.say(r#"{"do":"release","particle":3}"#).say(r#"{"do":"grab","particle":100}"#);
    assert!(visit.errors().is_empty());
}

#[test]
fn a_scene_is_not_made_much_larger_than_it_is() {
    let mut visit = Visit::new("plants", 2); // its own size is 8
    let size = |size: usize| format!(r#"{{"do":"scene","scene":"plants","size":{size}}}"#);
    assert!(visit.say(&size(8 * TIMES_OWN_SIZE_MAX)).errors().is_empty());
    let errors = visit.say(&size(8 * TIMES_OWN_SIZE_MAX + 1)).errors();
    assert!(matches!(&errors[..], [it] if it.contains("from 1 to 64")), "{errors:?}");
}

#[test]
fn a_restart_with_other_substeps_keeps_the_velocities_of_the_scene() {
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
    let page = host.connect();
    let mut visit = Visit { host, page };
    for substeps in [4, 1, 16] {
        visit.say(&format!(r#"{{"do":"set","substeps":{substeps}}}"#)).say(r#"{"do":"reset"}"#);
        let [_, y, _] = visit.steps(30).look().vertices[0];
        assert!((y - 1.5).abs() < 1e-3, "{substeps} substeps: {y} m in half a second");
    }
}
