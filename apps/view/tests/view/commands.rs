//! The effects of commands.

use serde_json::Value;
use taut::world::{AnyScene, LibraryScene};
use taut_view::{Host, Options};

use crate::page::{Frame, Page, ReceivedMessage, STEP, messages_of};

/// Whether each coordinate of two points differs by at most `tolerance`, m.
fn is_near(one: [f32; 3], other: [f32; 3], tolerance: f32) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= tolerance)
}

#[test]
fn a_dragged_particle_follows_and_keeps_its_velocity_when_released() {
    let mut page = Page::new("drape", 8);
    page.run_steps(2).send(r#"{"do":"grab","particle":63}"#);
    for step in 1..=10 {
        let to = [0.35, -0.35, 0.01 * step as f32];
        page.send(&format!(
            r#"{{"do":"drag","particle":63,"to":[{},{},{}]}}"#,
            to[0], to[1], to[2]
        ));
        assert_eq!(page.run_steps(1).frame().vertices[63], to);
    }
    // Without further drags, the particle stays where it was dragged.
    let held = page.run_steps(5).frame().vertices[63];
    assert_eq!(held, [0.35, -0.35, 0.01 * 10.0]);
    // Dragged on by 0.02 m in one step, it moves farther after its release.
    let drag = r#"{"do":"drag","particle":63,"to":[0.35,-0.35,0.12]}"#;
    page.send(drag).run_steps(1).send(r#"{"do":"release","particle":63}"#);
    assert!(page.run_steps(1).frame().vertices[63][2] > 0.12);
    assert!(page.errors().is_empty());
}

#[test]
fn dragging_works_in_2d() {
    let mut page = Page::new("curtain", 12);
    page.send(r#"{"do":"grab","particle":90}"#);
    page.send(r#"{"do":"drag","particle":90,"to":[0.25,-0.5,7]}"#);
    assert_eq!(page.run_steps(1).frame().vertices[90], [0.25, -0.5, 0.0]);
}

#[test]
fn disconnecting_releases_particles_that_no_other_page_holds() {
    let mut page = Page::new("drape", 8);
    let [one, other] = [page.host.connect(), page.host.connect()];
    for id in [one, other] {
        page.host.receive(id, r#"{"do":"grab","particle":63}"#);
    }
    let position = page.run_steps(10).frame().vertices[63];
    page.host.disconnect(one);
    assert_eq!(page.run_steps(10).frame().vertices[63], position, "another page holds it");
    // A page that does not hold a particle cannot drag or release it.
    page.send(r#"{"do":"drag","particle":63,"to":[0,0,0]}"#)
        .send(r#"{"do":"release","particle":63}"#);
    assert_eq!(page.run_steps(10).frame().vertices[63], position);
    page.host.disconnect(other);
    assert_ne!(page.run_steps(10).frame().vertices[63], position);
}

#[test]
fn a_curtain_tears_when_it_is_pulled_too_far() {
    let mut page = Page::new("curtain", 24);
    page.run_steps(6);
    assert_eq!(page.figures()["torn"], 0);
    page.send(r#"{"do":"grab","particle":200}"#);
    for step in 0..30 {
        let x = 0.05 * f64::from(step);
        page.send(&format!(r#"{{"do":"drag","particle":200,"to":[{x},-1,0]}}"#)).run_steps(1);
    }
    let messages = page.messages();
    let removed_sticks = messages.iter().find_map(|message| match message {
        ReceivedMessage::Removed { sticks, .. } => Some(sticks.len()),
        _ => None,
    });
    let torn = page.run_steps(12).figures()["torn"].as_u64().unwrap() as usize;
    assert!(removed_sticks.unwrap() > 3 && torn >= removed_sticks.unwrap());

    // With a large tear factor nothing tears. The factor of the scene is 2.
    page.send(r#"{"do":"reset"}"#).send(r#"{"do":"set","tear":1000000}"#).messages();
    page.send(r#"{"do":"drag","particle":200,"to":[1.5,-1,0]}"#);
    assert_eq!(page.run_steps(30).figures()["torn"], 0);
    assert_eq!(page.send(r#"{"do":"set","tear":null}"#).state()["settings"]["tear"], 2.0);
}

#[test]
fn settings_change_without_a_restart() {
    for (change, expected) in [
        (r#""formula":"newton""#, r#""formula":"newton""#),
        (r#""substeps":4,"iterations":2"#, r#""substeps":4,"iterations":2"#),
        (r#""passes":3"#, r#""passes":3"#),
        (r#""damping_rate":0.5"#, r#""damping_rate":0.5"#),
        (r#""stiffness":0.25,"compliance":0.001"#, r#""compliance":0.001,"stiffness":0.25"#),
        (r#""schedule":"banded""#, r#""schedule":"banded""#),
        (r#""threads":2"#, r#""threads":2"#),
        (r#""kernel":"scalar""#, r#""kernel":"scalar","instructions":"scalar""#),
    ] {
        let mut page = Page::new("drape", 24);
        let before = page.run_steps(30).frame();
        let defaults = page.send(r#"{"do":"set"}"#).state()["settings"].clone();
        page.send(&format!(r#"{{"do":"set",{change}}}"#));
        let settings = page.state()["settings"].clone();
        let expected_settings: serde_json::Value =
            serde_json::from_str(&format!("{{{expected}}}")).unwrap();
        for (name, value) in expected_settings.as_object().unwrap() {
            let is_equal = match (value.as_f64(), settings[name].as_f64()) {
                (Some(value), Some(setting)) => (value - setting).abs() < 1e-6,
                _ => *value == settings[name],
            };
            assert!(is_equal, "{change}: {name} is {}", settings[name]);
        }
        let after = page.run_steps(1).frame();
        assert_eq!(after.step, before.step + 1, "{change}");
        let pairs = before.vertices.iter().zip(&after.vertices);
        assert!(pairs.clone().all(|(one, other)| is_near(*one, *other, 0.05)), "{change}");
        assert!(pairs.clone().any(|(one, other)| one != other), "{change}");

        // Null resets a setting to the value of the scene.
        let names: Vec<String> = expected_settings
            .as_object()
            .unwrap()
            .keys()
            .map(|key| format!(r#""{key}":null"#))
            .collect();
        page.send(&format!(r#"{{"do":"set",{}}}"#, names.join(",")));
        assert_eq!(page.state()["settings"], defaults, "{change}");
        assert!(page.errors().is_empty());
    }
}

#[test]
fn the_result_depends_on_settings_but_not_on_the_kernel() {
    let kernels = Page::new("drape", 24).state()["kernels"].clone();
    let run = |command: &str| {
        let mut page = Page::new("drape", 24);
        page.send(r#"{"do":"wind","on":true}"#).run_steps(20).send(command).run_steps(20);
        assert!(page.errors().is_empty(), "{command}");
        page.frame().vertices
    };
    let reference = run(r#"{"do":"set"}"#);
    for kernel in kernels.as_array().unwrap() {
        // The scene is a single sheet, so all kernels except copies suit it.
        assert_eq!(kernel["reason"].is_null(), kernel["name"] != "copies", "{kernel}");
        if !kernel["reason"].is_null() {
            continue;
        }
        for isa in kernel["instructions"].as_array().unwrap() {
            let name = &kernel["name"];
            let other = run(&format!(r#"{{"do":"set","kernel":{name},"instructions":{isa}}}"#));
            assert_eq!(reference, other, "{name} on {isa}");
        }
    }
    assert_ne!(reference, run(r#"{"do":"set","formula":"exact"}"#));
    assert_ne!(reference, run(r#"{"do":"set","schedule":"blocked"}"#));
}

#[test]
fn gravity_and_wind_can_be_switched_and_a_reset_restarts_the_scene() {
    let mean_x_and_y = |commands: &[&str]| {
        let mut page = Page::new("tablecloth", 12);
        for command in commands {
            page.send(command);
        }
        let frame = page.run_steps(12).frame();
        let mean = |axis: usize| {
            frame.vertices.iter().map(|vertex| vertex[axis]).sum::<f32>()
                / frame.vertices.len() as f32
        };
        [mean(0), mean(1)]
    };
    let [x, y] = mean_x_and_y(&[]);
    // The cloth falls from y = 1, and nothing moves it sideways.
    assert!(y < 0.95 && x.abs() < 1e-3);
    let [_, without_gravity] = mean_x_and_y(&[r#"{"do":"gravity","on":false}"#]);
    assert!((without_gravity - 1.0).abs() < 1e-6);
    // In a scene without forces, the default wind can be switched on.
    let mean_z = |wind: bool| {
        let mut page = Page::new("drape", 12);
        page.send(&format!(r#"{{"do":"wind","on":{wind}}}"#));
        let vertices = page.run_steps(30).frame().vertices;
        vertices.iter().map(|vertex| vertex[2]).sum::<f32>() / vertices.len() as f32
    };
    assert!(mean_z(true) > mean_z(false) + 1e-3);

    // The wind of the scene can be switched off.
    let mut page = Page::new("flag", 12);
    assert_eq!(page.state()["wind"], true);
    assert_eq!(page.send(r#"{"do":"wind","on":false}"#).state()["wind"], false);
    let calm = page.run_steps(60).frame();
    let start = page.send(r#"{"do":"reset"}"#).frame();
    assert_eq!((start.step, start.epoch), (0, calm.epoch + 1));
    assert_eq!(page.send(r#"{"do":"wind","on":true}"#).state()["wind"], true);
    assert_ne!(page.run_steps(60).frame().vertices, calm.vertices);
}

#[test]
fn tethers_can_be_switched_and_shorten_hanging_cloth() {
    let mut page = Page::new("drape", 24);
    page.send(r#"{"do":"set","substeps":1,"iterations":2}"#);
    page.send(r#"{"do":"tethers","on":false}"#);
    let lowest = |frame: Frame| frame.vertices.iter().map(|vertex| vertex[1]).fold(0.0, f32::min);
    let without = lowest(page.run_steps(120).frame());
    assert_eq!(page.send(r#"{"do":"tethers","on":true}"#).state()["tethers"], true);
    let tethered = page.run_steps(120).frame();
    assert_eq!(tethered.step, 240, "the simulation restarted");
    let with = lowest(tethered);
    assert!(with > without + 0.01, "lowest y: {with} with tethers, {without} without");
    assert_eq!(page.send(r#"{"do":"tethers","on":false}"#).state()["tethers"], false);
    let again = lowest(page.run_steps(240).frame());
    assert!((again - without).abs() < 0.01, "lowest y without tethers: {without}, again {again}");
    assert!(page.errors().is_empty());
}

#[test]
fn self_collision_can_be_switched_and_keeps_sheets_apart() {
    let mut page = Page::new("layers", 10);
    assert_eq!(page.send(r#"{"do":"collisions","on":false}"#).state()["collisions"], false);
    let highest = |frame: Frame| frame.vertices.iter().map(|vertex| vertex[1]).fold(0.0, f32::max);
    let without = highest(page.run_steps(120).frame());
    assert_eq!(page.send(r#"{"do":"collisions","on":true}"#).state()["collisions"], true);
    assert_eq!(page.run_steps(10).frame().step, 130, "the simulation restarted");
    page.send(r#"{"do":"reset"}"#);
    let with = highest(page.run_steps(120).frame());
    assert!(with > without + 0.1, "highest y: {with} with self-collision, {without} without");
    assert!(page.errors().is_empty());
}

#[test]
fn thickness_and_friction_of_contacts_can_be_set() {
    let mut page = Page::new("layers", 10);
    let defaults = page.state()["settings"].clone();
    assert!(defaults["thickness"].is_number() && defaults["friction"].is_number());
    page.run_steps(60).messages();
    let changed = page.send(r#"{"do":"set","thickness":0.05,"friction":1.0}"#).state();
    let value = |name: &str| changed["settings"][name].as_f64().unwrap();
    assert!((value("thickness") - 0.05).abs() < 1e-6 && (value("friction") - 1.0).abs() < 1e-6);
    assert_eq!(page.run_steps(1).frame().step, 61, "the simulation restarted");
    let reset = page.send(r#"{"do":"set","thickness":null,"friction":null}"#).state();
    assert_eq!(reset["settings"], defaults);
    assert!(page.errors().is_empty());
    page.send(r#"{"do":"set","thickness":-1}"#);
    assert_eq!(page.errors(), ["thickness must be from 0.0001 to 1.0, found -1.0"]);
    let without = page.send(r#"{"do":"collisions","on":false}"#).state();
    assert!(without["settings"].get("thickness").is_none(), "a thickness without self-collision");
}

#[test]
fn collision_filters_decide_which_models_collide() {
    let mut page = Page::new("layers", 10);
    let defaults = page.state()["settings"]["filters"].as_array().cloned().unwrap();
    assert_eq!(defaults.len(), 5, "the number of sheets");
    let highest = |page: &mut Page| {
        page.send(r#"{"do":"reset"}"#);
        let frame = page.run_steps(120).frame();
        frame.vertices.iter().map(|vertex| vertex[1]).fold(0.0, f32::max)
    };
    let with = highest(&mut page);
    for sheet in &defaults {
        let alone = serde_json::json!({ "categories": 1, "mask": 0 });
        let filters = serde_json::json!({ sheet["model"].as_str().unwrap(): alone });
        page.send(&serde_json::json!({ "do": "set", "filters": filters }).to_string());
    }
    let changed = page.state()["settings"]["filters"].as_array().cloned().unwrap();
    assert!(changed.iter().all(|filter| filter["mask"] == 0 && filter["categories"] == 1));
    let alone = highest(&mut page);
    assert!(with > alone + 0.1, "highest y: {with} with the filters of the scene, {alone} alone");
    assert!(page.errors().is_empty());
    let reset = page.send(r#"{"do":"set","filters":null}"#).state();
    assert_eq!(reset["settings"]["filters"].as_array(), Some(&defaults));
    page.send(r#"{"do":"set","filters":{"rug":{"categories":1,"mask":1}}}"#);
    assert_eq!(page.errors(), ["the scene has no model 'rug'"]);
    let off = page.send(r#"{"do":"collisions","on":false}"#).state();
    assert!(off["settings"].get("filters").is_none(), "filters without self-collision");
}

#[test]
fn filters_of_models_that_another_size_lacks_do_no_harm() {
    let mut page = Page::new("boxes", 3);
    page.send(r#"{"do":"collisions","on":true}"#);
    let filters = page.state()["settings"]["filters"].as_array().cloned().unwrap();
    let last = filters.last().unwrap()["model"].as_str().unwrap();
    let filter = serde_json::json!({ last: { "categories": 2, "mask": 2 } });
    page.send(&serde_json::json!({ "do": "set", "filters": filter }).to_string());
    let smaller = page.send(r#"{"do":"scene","scene":"boxes","size":1}"#).state();
    let left = smaller["settings"]["filters"].as_array().unwrap().len();
    assert!(left < filters.len(), "{left} of {} models", filters.len());
    page.send(r#"{"do":"set","substeps":5}"#);
    assert_eq!(page.state()["settings"]["substeps"], 5);
    assert!(page.errors().is_empty());
}

#[test]
fn models_sleep_if_that_is_switched_on_and_the_figures_count_them() {
    let mut page = Page::new("tablecloth", 12);
    assert_eq!(page.state()["sleep"], false);
    assert_eq!(page.send(r#"{"do":"sleep","on":true}"#).state()["sleep"], true);
    assert_eq!(page.run_steps(1).frame().step, 1, "the simulation did not restart");
    let figures = page.run_steps(900).figures();
    assert_eq!((&figures["models"], &figures["asleep"]), (&1.into(), &1.into()));
    page.send(r#"{"do":"grab","particle":0}"#);
    assert_eq!(page.run_steps(10).figures()["asleep"], 0);
    assert!(page.errors().is_empty());
}

#[test]
fn loading_a_scene_of_another_dimension_keeps_the_kernel() {
    let mut page = Page::new("curtain", 12);
    page.send(r#"{"do":"set","kernel":"scalar","substeps":7}"#)
        .send(r#"{"do":"grab","particle":50}"#);
    page.run_steps(3).messages();
    page.send(r#"{"do":"scene","scene":"rope-bridge"}"#);
    let state = page.state();
    assert_eq!((&state["dimensions"], &state["size"]), (&3.into(), &24.into()));
    assert_eq!(state["settings"]["kernel"], "scalar", "the kernel is not kept");
    assert_eq!(state["settings"]["substeps"], 8, "substeps are not those of the scene");
    assert_eq!(
        page.send(r#"{"do":"drag","particle":50,"to":[0,0,0]}"#).run_steps(1).frame().step,
        1
    );
    assert!(page.errors().is_empty(), "dragging a released particle gave an error");
}

#[test]
fn a_kernel_that_does_not_suit_the_next_scene_does_not_block_other_changes() {
    let mut page = Page::new("drape", 24);
    page.send(r#"{"do":"set","kernel":"grid"}"#).send(r#"{"do":"scene","scene":"ragdolls"}"#);
    let state = page.send(r#"{"do":"set","threads":2}"#).state();
    assert_eq!(state["settings"]["threads"], 2);
    page.send(r#"{"do":"set","kernel":"scalar"}"#).messages();
    let errors = page.send(r#"{"do":"set","kernel":"grid"}"#).errors();
    assert_eq!(errors.len(), 1, "a kernel that does not suit the scene cannot be chosen");
}

#[test]
fn copies_keep_their_state_when_tethers_are_switched() {
    let text = r#"
        [[model]]
        name = "banner"
        cloth = { columns = 17, rows = 12 }
        pinned = ["top"]
        copies = { grid = [6, 1, 1], spacing = [2.0, 0.0, 0.0] }
    "#;
    let file = Some(("banners".to_owned(), AnyScene::from_toml(text).unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    page.run_steps(20).messages();
    for on in [true, false] {
        page.send(&format!(r#"{{"do":"tethers","on":{on}}}"#));
        assert_eq!(page.state()["tethers"], on);
        assert!(page.frame().step >= 20, "the scene was restarted");
    }
}

#[test]
fn the_order_of_a_scene_file_is_shown_and_decides_which_kernels_can_run() {
    let text = "order = 'coloured'\n[[model]]\nname = 'sheet'\ndrape = { size = 32 }";
    let file = Some(("a sheet".to_owned(), AnyScene::from_toml(text).unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    let has_reason = |state: &Value| {
        let kernels = state["kernels"].as_array().unwrap();
        !kernels.iter().find(|kernel| kernel["name"] == "grid").unwrap()["reason"].is_null()
    };
    let state = page.state();
    assert!(state["settings"]["schedule"] == "coloured" && has_reason(&state), "{state}");
    assert_eq!(page.send(r#"{"do":"set","kernel":"grid"}"#).errors().len(), 1);
    let state = page.send(r#"{"do":"set","schedule":"sheet"}"#).state();
    assert!(state["settings"]["schedule"] == "sheet" && !has_reason(&state), "{state}");
    assert!(page.send(r#"{"do":"set","kernel":"grid"}"#).errors().is_empty());
}

/// If the size of a scene is a number of copies, the scene has that many models, which the kernel copies can
/// simulate together.
#[test]
fn scenes_of_copies_can_be_loaded_with_any_number_of_copies() {
    for library_scene in LibraryScene::ALL {
        let mut page = Page::new(library_scene.name, (library_scene.size / 4).max(6));
        let state = page.state();
        let kernels = state["kernels"].as_array().unwrap();
        let copies = kernels.iter().find(|kernel| kernel["name"] == "copies").unwrap();
        assert_eq!(
            copies["reason"].is_null(),
            library_scene.size_is_copies,
            "{}: {copies}",
            library_scene.name
        );
        assert_eq!(
            state["copies_max"].is_number(),
            library_scene.size_is_copies,
            "{}",
            library_scene.name
        );
    }
    let mut page = Page::new("plants", 3);
    let particles = |state: &Value| state["counts"]["particles"].as_u64().unwrap();
    let three = page.state();
    let thirteen = page.send(r#"{"do":"scene","scene":"plants","size":13}"#).state();
    assert_eq!((&thirteen["size"], 3 * particles(&thirteen)), (&13.into(), 13 * particles(&three)));
}

#[test]
fn operations_depend_on_the_formula() {
    let mut page = Page::new("drape", 8);
    let mut divisions_and_roots = |formula: &str| {
        page.send(&format!(r#"{{"do":"set","formula":"{formula}"}}"#));
        let figures = page.run_steps(7).figures();
        [figures["divisions"].as_u64().unwrap(), figures["roots"].as_u64().unwrap()]
    };
    let exact = divisions_and_roots("exact");
    assert_eq!(exact[0], exact[1]);
    assert_eq!(exact[0] % 4, 0, "four substeps");
    assert_eq!(divisions_and_roots("halley"), [exact[0], 0]);
    assert_eq!(divisions_and_roots("quick"), [0, 0]);
    let sticks = page.send(r#"{"do":"set"}"#).state()["counts"]["sticks"].as_u64().unwrap();
    assert_eq!(exact[0], 4 * sticks);
}

#[test]
fn dropped_time_is_reported() {
    let mut page = Page::new("drape", 8);
    // Of the 60 steps that are due, 4 run at once; the time of the other 56 is dropped.
    page.host.advance(60.5 * STEP);
    let figures = page.figures();
    assert_eq!(figures["steps"], 4);
    assert!((figures["behind"].as_f64().unwrap() - 56.0 * STEP).abs() < 1e-6);
    // A page that connects later receives figures, too.
    let other = page.host.connect();
    assert!(
        messages_of(&mut page.host, other)
            .iter()
            .any(|message| matches!(message, ReceivedMessage::Figures(_)))
    );
}
