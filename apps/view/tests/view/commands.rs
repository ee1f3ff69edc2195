//! What commands do.

use crate::hear::{Frame, Heard, STEP, Visit, hear};

fn near(one: [f32; 3], other: [f32; 3], by: f32) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= by)
}

#[test]
fn a_particle_goes_where_it_is_dragged_and_flies_on() {
    let mut visit = Visit::new("drape", 8);
    visit.steps(2).say(r#"{"do":"grab","particle":63}"#);
    for step in 1..=10 {
        let to = [0.35, -0.35, 0.01 * step as f32];
        visit
            .say(&format!(r#"{{"do":"drag","particle":63,"to":[{},{},{}]}}"#, to[0], to[1], to[2]));
        assert_eq!(visit.steps(1).look().vertices[63], to);
    }
    let held = visit.steps(5).look().vertices[63];
    assert_eq!(held, [0.35, -0.35, 0.01 * 10.0]);
    let to = r#"{"do":"drag","particle":63,"to":[0.35,-0.35,0.12]}"#;
    visit.say(to).steps(1).say(r#"{"do":"release","particle":63}"#);
    assert!(visit.steps(1).look().vertices[63][2] > 0.12);
    assert!(visit.errors().is_empty());
}

#[test]
fn in_the_plane_too() {
    let mut visit = Visit::new("curtain", 12);
    visit.say(r#"{"do":"grab","particle":90}"#);
    visit.say(r#"{"do":"drag","particle":90,"to":[0.25,-0.5,7]}"#);
    assert_eq!(visit.steps(1).look().vertices[90], [0.25, -0.5, 0.0]);
}

#[test]
fn a_page_that_goes_lets_go_of_what_it_alone_holds() {
    let mut visit = Visit::new("drape", 8);
    let [one, other] = [visit.host.connect(), visit.host.connect()];
    for page in [one, other] {
        visit.host.receive(page, r#"{"do":"grab","particle":63}"#);
    }
    let place = visit.steps(10).look().vertices[63];
    visit.host.disconnect(one);
    assert_eq!(visit.steps(10).look().vertices[63], place, "another holds it");
    // What one does not hold, one does not drag, nor lets go of.
    visit
        .say(r#"{"do":"drag","particle":63,"to":[0,0,0]}"#)
        .say(r#"{"do":"release","particle":63}"#);
    assert_eq!(visit.steps(10).look().vertices[63], place);
    visit.host.disconnect(other);
    assert_ne!(visit.steps(10).look().vertices[63], place);
}

#[test]
fn a_curtain_tears_where_it_is_pulled_too_far() {
    let mut visit = Visit::new("curtain", 24);
    visit.steps(6);
    assert_eq!(visit.figures()["torn"], 0);
    visit.say(r#"{"do":"grab","particle":200}"#);
    for step in 0..30 {
        let x = 0.05 * f64::from(step);
        visit.say(&format!(r#"{{"do":"drag","particle":200,"to":[{x},-1,0]}}"#)).steps(1);
    }
    let heard = visit.hear();
    let sticks = heard.iter().find_map(|it| match it {
        Heard::Removed { sticks, .. } => Some(sticks.len()),
        _ => None,
    });
    let torn = visit.steps(12).figures()["torn"].as_u64().unwrap() as usize;
    assert!(sticks.unwrap() > 3 && torn >= sticks.unwrap());

    // Never again: the scene's own factor is 2.
    visit.say(r#"{"do":"reset"}"#).say(r#"{"do":"set","tear":1000000}"#).hear();
    visit.say(r#"{"do":"drag","particle":200,"to":[1.5,-1,0]}"#);
    assert_eq!(visit.steps(30).figures()["torn"], 0);
    assert_eq!(visit.say(r#"{"do":"set","tear":null}"#).state()["settings"]["tear"], 2.0);
}

#[test]
fn settings_change_at_once_and_the_state_stays() {
    for (change, is) in [
        (r#""formula":"newton""#, r#""formula":"newton""#),
        (r#""substeps":4,"iterations":2"#, r#""substeps":4,"iterations":2"#),
        (r#""passes":3"#, r#""passes":3"#),
        (r#""damping_rate":0.5"#, r#""damping_rate":0.5"#),
        (r#""stiffness":0.25,"compliance":0.001"#, r#""compliance":0.001,"stiffness":0.25"#),
        (r#""schedule":"banded""#, r#""schedule":"banded""#),
        (r#""threads":2"#, r#""threads":2"#),
        (r#""kernel":"scalar""#, r#""kernel":"scalar","instructions":"scalar""#),
    ] {
        let mut visit = Visit::new("drape", 24);
        let before = visit.steps(30).look();
        let own = visit.say(r#"{"do":"set"}"#).state()["settings"].clone();
        visit.say(&format!(r#"{{"do":"set",{change}}}"#));
        let settings = visit.state()["settings"].clone();
        let wanted: serde_json::Value = serde_json::from_str(&format!("{{{is}}}")).unwrap();
        for (name, value) in wanted.as_object().unwrap() {
            let same = match (value.as_f64(), settings[name].as_f64()) {
                (Some(value), Some(is)) => (value - is).abs() < 1e-6,
                _ => *value == settings[name],
            };
            assert!(same, "{change}: {name} is {}", settings[name]);
        }
        let after = visit.steps(1).look();
        assert_eq!(after.step, before.step + 1, "{change}");
        let moved = before.vertices.iter().zip(&after.vertices);
        assert!(moved.clone().all(|(one, other)| near(*one, *other, 0.05)), "{change}");
        assert!(moved.clone().any(|(one, other)| one != other), "{change}");

        // And back.
        let names: Vec<String> =
            wanted.as_object().unwrap().keys().map(|it| format!(r#""{it}":null"#)).collect();
        visit.say(&format!(r#"{{"do":"set",{}}}"#, names.join(",")));
        assert_eq!(visit.state()["settings"], own, "{change}");
        assert!(visit.errors().is_empty());
    }
}

#[test]
fn the_answer_is_that_of_the_settings_and_not_of_the_kernel() {
    let kernels = Visit::new("drape", 24).state()["kernels"].clone();
    let run = |between: &str| {
        let mut visit = Visit::new("drape", 24);
        visit.say(r#"{"do":"wind","on":true}"#).steps(20).say(between).steps(20);
        assert!(visit.errors().is_empty(), "{between}");
        visit.look().vertices
    };
    let same = run(r#"{"do":"set"}"#);
    for kernel in kernels.as_array().unwrap() {
        // It is a sheet.
        assert_eq!(kernel["reason"].is_null(), kernel["name"] != "copies", "{kernel}");
        if !kernel["reason"].is_null() {
            continue;
        }
        for isa in kernel["instructions"].as_array().unwrap() {
            let name = &kernel["name"];
            let other = run(&format!(r#"{{"do":"set","kernel":{name},"instructions":{isa}}}"#));
            assert_eq!(same, other, "{name} on {isa}");
        }
    }
    assert_ne!(same, run(r#"{"do":"set","formula":"exact"}"#));
    assert_ne!(same, run(r#"{"do":"set","schedule":"blocked"}"#));
}

#[test]
fn gravity_wind_and_reset() {
    let fallen = |commands: &[&str]| {
        let mut visit = Visit::new("table-cloth", 12);
        for command in commands {
            visit.say(command);
        }
        let frame = visit.steps(12).look();
        let mean = |axis: usize| {
            frame.vertices.iter().map(|it| it[axis]).sum::<f32>() / frame.vertices.len() as f32
        };
        [mean(0), mean(1)]
    };
    let [x, down] = fallen(&[]);
    assert!(down < 0.95 && x.abs() < 1e-3);
    let [_, still] = fallen(&[r#"{"do":"gravity","on":false}"#]);
    assert!((still - 1.0).abs() < 1e-6);
    // A breeze, where the scene has no forces of its own.
    let sway = |wind: bool| {
        let mut visit = Visit::new("drape", 12);
        visit.say(&format!(r#"{{"do":"wind","on":{wind}}}"#));
        let vertices = visit.steps(30).look().vertices;
        vertices.iter().map(|it| it[2]).sum::<f32>() / vertices.len() as f32
    };
    assert!(sway(true) > sway(false) + 1e-3);

    // The scene's own wind can be stopped.
    let mut visit = Visit::new("flag", 12);
    assert_eq!(visit.state()["wind"], true);
    assert_eq!(visit.say(r#"{"do":"wind","on":false}"#).state()["wind"], false);
    let calm = visit.steps(60).look();
    let begin = visit.say(r#"{"do":"reset"}"#).look();
    assert_eq!((begin.step, begin.epoch), (0, calm.epoch + 1));
    assert_eq!(visit.say(r#"{"do":"wind","on":true}"#).state()["wind"], true);
    assert_ne!(visit.steps(60).look().vertices, calm.vertices);
}

#[test]
fn tethers_can_be_switched_and_cloth_becomes_shorter() {
    let mut visit = Visit::new("drape", 24);
    visit.say(r#"{"do":"set","substeps":1,"iterations":2}"#);
    visit.say(r#"{"do":"tethers","on":false}"#);
    let lowest = |frame: Frame| frame.vertices.iter().map(|it| it[1]).fold(0.0, f32::min);
    let without = lowest(visit.steps(120).look());
    assert_eq!(visit.say(r#"{"do":"tethers","on":true}"#).state()["tethers"], true);
    let on = visit.steps(120).look();
    assert_eq!(on.step, 240, "it goes on from where it was");
    let with = lowest(on);
    assert!(with > without + 0.01, "{with} {without}");
    assert_eq!(visit.say(r#"{"do":"tethers","on":false}"#).state()["tethers"], false);
    let again = lowest(visit.steps(240).look());
    assert!((again - without).abs() < 0.01, "{again} {without}");
    assert!(visit.errors().is_empty());
}

#[test]
fn another_scene_in_another_dimension() {
    let mut visit = Visit::new("curtain", 12);
    visit
        .say(r#"{"do":"set","kernel":"scalar","substeps":7}"#)
        .say(r#"{"do":"grab","particle":50}"#);
    visit.steps(3).hear();
    visit.say(r#"{"do":"scene","scene":"rope-bridge"}"#);
    let state = visit.state();
    assert_eq!((&state["dimensions"], &state["size"]), (&3.into(), &24.into()));
    assert_eq!(state["settings"]["kernel"], "scalar", "the machine's settings stay");
    assert_eq!(state["settings"]["substeps"], 8, "those of the scene are its own");
    assert_eq!(visit.say(r#"{"do":"drag","particle":50,"to":[0,0,0]}"#).steps(1).look().step, 1);
    assert!(visit.errors().is_empty(), "nothing is held any more, and there is no error");
}

#[test]
fn operations_are_those_of_the_formula() {
    let mut visit = Visit::new("drape", 8);
    let mut counted = |formula: &str| {
        visit.say(&format!(r#"{{"do":"set","formula":"{formula}"}}"#));
        let figures = visit.steps(7).figures();
        [figures["divisions"].as_u64().unwrap(), figures["roots"].as_u64().unwrap()]
    };
    let exact = counted("exact");
    assert_eq!(exact[0], exact[1]);
    assert_eq!(exact[0] % 4, 0, "four substeps");
    assert_eq!(counted("halley"), [exact[0], 0]);
    assert_eq!(counted("quick"), [0, 0]);
    let sticks = visit.say(r#"{"do":"set"}"#).state()["counts"]["sticks"].as_u64().unwrap();
    assert_eq!(exact[0], 4 * sticks);
}

#[test]
fn time_that_cannot_be_caught_up_is_said() {
    let mut visit = Visit::new("drape", 8);
    visit.host.advance(60.5 * STEP);
    let figures = visit.figures();
    assert_eq!(figures["steps"], 4);
    assert!((figures["behind"].as_f64().unwrap() - 56.0 * STEP).abs() < 1e-6);
    let other = visit.host.connect();
    assert!(hear(&mut visit.host, other).iter().any(|it| matches!(it, Heard::Figures(_))));
}
