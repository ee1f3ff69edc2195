//! What pages are told, in which order, and that it fits together.

use taut::world::LibraryScene;
use taut_view::{Host, Options};

use crate::hear::{Frame, GONE, Heard, Visit, hear};

/// A size at which a scene is made quickly.
fn small(scene: &LibraryScene) -> usize {
    (scene.size / 4).max(4)
}

#[test]
fn every_scene_is_told_as_a_whole() {
    for listed in LibraryScene::ALL {
        let mut visit = Visit::new(listed.name, small(listed));
        let heard = visit.say(r#"{"do":"next"}"#).steps(30).hear();
        let [
            Heard::State(state),
            Heard::Mesh(1, mesh),
            Heard::Indices { epoch: 1, faces, sticks },
            Heard::Rests(1, rests),
            Heard::Frame(frame @ Frame { epoch: 1, .. }),
            Heard::Figures(figures),
        ] = &heard[..]
        else {
            panic!("{}: {heard:?}", listed.name)
        };
        let count = |of: &serde_json::Value| of.as_u64().unwrap() as usize;
        let counts = &state["counts"];
        let particles = count(&counts["particles"]);
        assert_eq!(state["scene"], listed.name);
        assert_eq!(state["dimensions"], listed.dimensions);
        assert_eq!(particles, count(&mesh["particles"]), "{}", listed.name);
        let (own, springs) = sticks.split_at(count(&counts["sticks"]));
        assert_eq!(faces.len(), count(&counts["faces"]));
        assert_eq!(springs.is_empty(), listed.name != "springs");
        assert_eq!(rests.len(), sticks.len());
        assert!(rests.iter().all(|&it| it > 0.0));
        assert_eq!(frame.vertices.len(), count(&mesh["vertices"]));
        assert_eq!(frame.poses.len(), mesh["colliders"].as_array().unwrap().len());
        assert_eq!(frame.step as usize, count(&figures["steps"]));

        // Parts lie one behind the other.
        let mut next = [0; 3];
        let mut grains = Vec::new();
        for part in mesh["parts"].as_array().unwrap() {
            for (next, what) in next.iter_mut().zip(["particles", "sticks", "faces"]) {
                assert_eq!(count(&part[what][0]), *next, "{}: {part}", listed.name);
                *next += count(&part[what][1]);
            }
            if part["look"] == "grains" {
                let first = count(&part["particles"][0]);
                grains.extend(first..first + count(&part["particles"][1]));
            }
        }
        assert_eq!(next, [particles, own.len(), faces.len()]);

        // Nothing names what is not there, and only grains may have no place.
        let (vertices, gone) = (frame.vertices.len() as u32, |it: &u32| *it == GONE);
        assert!(faces.iter().flatten().all(|it| *it < vertices || gone(it)));
        assert!(sticks.iter().flatten().all(|it| (*it as usize) < particles || gone(it)));
        for (vertex, point) in frame.vertices.iter().enumerate() {
            let is_there = point.iter().all(|it| it.is_finite());
            assert!(is_there || grains.contains(&vertex), "{}: {vertex}", listed.name);
            assert!(listed.dimensions == 3 || point[2] == 0.0);
        }
        for [.., x, y, z, w] in &frame.poses {
            let square: f32 = [x, y, z, w].iter().map(|it| **it * **it).sum();
            assert!((square - 1.0).abs() < 1e-5);
        }
        let kernels = state["kernels"].as_array().unwrap();
        assert!(kernels.iter().any(|it| it["name"] == state["settings"]["kernel"]));
    }
}

#[test]
fn obstacles_are_told_with_where_they_are() {
    let mut visit = Visit::new("curtain", 12);
    let frame = visit.steps(1).look();
    let ball = |frame: &Frame| frame.poses[0];
    assert!((ball(&frame)[0] - 1.55).abs() < 0.01, "it goes in circles, and begins at the right");
    let later = visit.steps(60).look();
    assert!(ball(&later)[0] < ball(&frame)[0] - 0.1);
}

#[test]
fn a_frame_comes_for_each_next_and_is_the_newest() {
    let mut visit = Visit::new("drape", 8);
    let frames = |heard: &[Heard]| heard.iter().filter(|it| matches!(it, Heard::Frame(_))).count();
    assert_eq!(frames(&visit.steps(3).hear()), 0, "no frame was requested");
    assert_eq!(visit.steps(7).look().step, 10);
    assert_eq!(frames(&visit.steps(2).hear()), 0);
    assert_eq!(frames(&visit.say(r#"{"do":"next"}"#).say(r#"{"do":"next"}"#).hear()), 1);

    // What waits is sent as soon as there is a newer one.
    visit.say(r#"{"do":"pause","on":true}"#).say(r#"{"do":"next"}"#);
    assert_eq!(frames(&visit.steps(5).hear()), 0, "time stands still");
    assert_eq!(frames(&visit.say(r#"{"do":"step"}"#).hear()), 1);
}

#[test]
fn a_page_that_does_not_take_its_messages_gets_the_newest_of_each() {
    let mut visit = Visit::new("drape", 8);
    visit.hear();
    for _ in 0..100 {
        visit.say("nonsense").say(r#"{"do":"gravity","on":false}"#).steps(12);
    }
    visit.say(r#"{"do":"next"}"#);
    let heard = visit.hear();
    let count = |of: fn(&Heard) -> bool| heard.iter().filter(|it| of(it)).count();
    assert_eq!(count(|it| matches!(it, Heard::State(_))), 1);
    assert_eq!(count(|it| matches!(it, Heard::Figures(_))), 1);
    assert_eq!(count(|it| matches!(it, Heard::Frame(frame) if frame.step == 1200)), 1);
    assert_eq!(count(|it| matches!(it, Heard::Error(_))), 16, "the last ones");
}

#[test]
fn each_page_is_sent_a_cut_once() {
    let mut visit = Visit::new("curtain", 24);
    let late = visit.host.connect();
    let of_late = |visit: &mut Visit| hear(&mut visit.host, late);
    visit.steps(2).hear();
    of_late(&mut visit);
    let removed = |heard: Vec<Heard>| {
        heard.into_iter().find_map(|it| match it {
            Heard::Removed { epoch: 1, faces, sticks } => Some((faces, sticks)),
            _ => None,
        })
    };
    let down =
        |x: f32| format!(r#"{{"do":"cut","from":[[{x},-9,0],[0,0,0]],"to":[[{x},9,0],[0,0,0]]}}"#);
    visit.say(&down(0.01));
    let (faces, sticks) = removed(visit.hear()).unwrap();
    assert_eq!(sticks.len(), 16, "one in each row");
    assert!(removed(visit.hear()).is_none());
    visit.say(&down(0.31));
    let (more_faces, more) = removed(visit.hear()).unwrap();
    assert_eq!(more.len(), 16);

    // Together, to the other page; and among the indices, to a new one.
    let both = ([faces, more_faces].concat(), [sticks, more].concat());
    assert_eq!(removed(of_late(&mut visit)).unwrap(), both);
    let new = visit.host.connect();
    let heard = hear(&mut visit.host, new);
    let gone = |names: Vec<u32>| -> Vec<u32> {
        let mut names = names;
        names.sort_unstable();
        names
    };
    let Some(Heard::Indices { faces, sticks, .. }) =
        heard.iter().find(|it| matches!(it, Heard::Indices { .. }))
    else {
        panic!("a new page is told all")
    };
    let lost = |is_gone: Vec<bool>| -> Vec<u32> {
        (0..is_gone.len() as u32).filter(|&it| is_gone[it as usize]).collect()
    };
    assert_eq!(lost(faces.iter().map(|it| it.contains(&GONE)).collect()), gone(both.0));
    assert_eq!(lost(sticks.iter().map(|it| it.contains(&GONE)).collect()), gone(both.1));
    assert!(removed(hear(&mut visit.host, new)).is_none());

    // From the beginning everything is whole again, in a new epoch.
    visit.say(r#"{"do":"reset"}"#);
    let heard = visit.hear();
    assert!(heard.iter().any(|it| matches!(it, Heard::Mesh(2, _))));
    let whole = heard.iter().any(|it| match it {
        Heard::Indices { epoch: 2, sticks, .. } => !sticks.iter().flatten().any(|it| *it == GONE),
        _ => false,
    });
    assert!(whole);
}

#[test]
fn the_simulation_stops_without_pages() {
    let mut host = Host::new(Options::default()).unwrap();
    assert_eq!(host.due(), None);
    host.advance(1.0);
    let page = host.connect();
    assert!(host.due().unwrap() > 0.0);
    host.receive(page, r#"{"do":"next"}"#);
    let heard = hear(&mut host, page);
    assert!(heard.iter().any(|it| matches!(it, Heard::Frame(frame) if frame.step == 0)));
    host.disconnect(page);
    assert_eq!(host.due(), None);
}
