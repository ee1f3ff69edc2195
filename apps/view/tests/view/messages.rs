//! Messages to pages: their order, and that they are consistent.

use taut::world::LibraryScene;
use taut_view::{Host, Options};

use crate::page::{Frame, Page, REMOVED, Received, messages_of};

/// A size at which a scene can be built quickly.
fn small(scene: &LibraryScene) -> usize {
    (scene.size / 4).max(4)
}

#[test]
fn a_new_page_receives_the_whole_scene() {
    for listed in LibraryScene::ALL {
        let mut page = Page::new(listed.name, small(listed));
        let messages = page.send(r#"{"do":"next"}"#).steps(30).messages();
        let [
            Received::State(state),
            Received::Mesh(1, mesh),
            Received::Indices { epoch: 1, faces, sticks },
            Received::Rests(1, rests),
            Received::Frame(frame @ Frame { epoch: 1, .. }),
            Received::Figures(figures),
        ] = &messages[..]
        else {
            panic!("{}: {messages:?}", listed.name)
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
        assert_eq!(frame.poses.len(), mesh["obstacles"].as_array().unwrap().len());
        assert_eq!(frame.step as usize, count(&figures["steps"]));

        // The ranges of the parts are adjacent.
        let mut next = [0; 3];
        let mut grains = Vec::new();
        for part in mesh["parts"].as_array().unwrap() {
            for (next, key) in next.iter_mut().zip(["particles", "sticks", "faces"]) {
                assert_eq!(count(&part[key][0]), *next, "{}: {part}", listed.name);
                *next += count(&part[key][1]);
            }
            if part["kind"] == "grains" {
                let first = count(&part["particles"][0]);
                grains.extend(first..first + count(&part["particles"][1]));
            }
        }
        assert_eq!(next, [particles, own.len(), faces.len()]);

        // All indices are valid, and only grains may have positions that are not finite.
        let (vertices, is_removed) = (frame.vertices.len() as u32, |it: &u32| *it == REMOVED);
        assert!(faces.iter().flatten().all(|it| *it < vertices || is_removed(it)));
        assert!(sticks.iter().flatten().all(|it| (*it as usize) < particles || is_removed(it)));
        for (vertex, point) in frame.vertices.iter().enumerate() {
            let is_finite = point.iter().all(|it| it.is_finite());
            assert!(is_finite || grains.contains(&vertex), "{}: {vertex}", listed.name);
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
fn frames_have_the_poses_of_obstacles() {
    let mut page = Page::new("curtain", 12);
    let frame = page.steps(1).frame();
    let ball = |frame: &Frame| frame.poses[0];
    assert!((ball(&frame)[0] - 1.55).abs() < 0.01, "its path is a circle that starts at the right");
    let later = page.steps(60).frame();
    assert!(ball(&later)[0] < ball(&frame)[0] - 0.1);
}

#[test]
fn each_request_gives_one_frame_the_newest() {
    let mut page = Page::new("drape", 8);
    let frames = |messages: &[Received]| {
        messages.iter().filter(|it| matches!(it, Received::Frame(_))).count()
    };
    assert_eq!(frames(&page.steps(3).messages()), 0, "no frame was requested");
    assert_eq!(page.steps(7).frame().step, 10);
    assert_eq!(frames(&page.steps(2).messages()), 0);
    assert_eq!(frames(&page.send(r#"{"do":"next"}"#).send(r#"{"do":"next"}"#).messages()), 1);

    // A waiting request is answered as soon as there is a newer frame.
    page.send(r#"{"do":"pause","on":true}"#).send(r#"{"do":"next"}"#);
    assert_eq!(frames(&page.steps(5).messages()), 0, "a frame was sent while paused");
    assert_eq!(frames(&page.send(r#"{"do":"step"}"#).messages()), 1);
}

#[test]
fn a_page_that_does_not_take_its_messages_gets_the_newest_of_each() {
    let mut page = Page::new("drape", 8);
    page.messages();
    for _ in 0..100 {
        page.send("nonsense").send(r#"{"do":"gravity","on":false}"#).steps(12);
    }
    page.send(r#"{"do":"next"}"#);
    let messages = page.messages();
    let count = |matches: fn(&Received) -> bool| messages.iter().filter(|it| matches(it)).count();
    assert_eq!(count(|it| matches!(it, Received::State(_))), 1);
    assert_eq!(count(|it| matches!(it, Received::Figures(_))), 1);
    assert_eq!(count(|it| matches!(it, Received::Frame(frame) if frame.step == 1200)), 1);
    assert_eq!(count(|it| matches!(it, Received::Error(_))), 16, "the newest errors");
}

#[test]
fn each_page_is_sent_a_cut_once() {
    let mut page = Page::new("curtain", 24);
    let late = page.host.connect();
    let of_late = |page: &mut Page| messages_of(&mut page.host, late);
    page.steps(2).messages();
    of_late(&mut page);
    let removed = |messages: Vec<Received>| {
        messages.into_iter().find_map(|it| match it {
            Received::Removed { epoch: 1, faces, sticks } => Some((faces, sticks)),
            _ => None,
        })
    };
    let vertical_cut =
        |x: f32| format!(r#"{{"do":"cut","from":[[{x},-9,0],[0,0,0]],"to":[[{x},9,0],[0,0,0]]}}"#);
    page.send(&vertical_cut(0.01));
    let (faces, sticks) = removed(page.messages()).unwrap();
    assert_eq!(sticks.len(), 16, "one stick in each row");
    assert!(removed(page.messages()).is_none());
    page.send(&vertical_cut(0.31));
    let (more_faces, more) = removed(page.messages()).unwrap();
    assert_eq!(more.len(), 16);

    // The late page receives both cuts in one message; a new page receives them in the indices.
    let both = ([faces, more_faces].concat(), [sticks, more].concat());
    assert_eq!(removed(of_late(&mut page)).unwrap(), both);
    let new = page.host.connect();
    let messages = messages_of(&mut page.host, new);
    let sorted = |ids: Vec<u32>| -> Vec<u32> {
        let mut ids = ids;
        ids.sort_unstable();
        ids
    };
    let Some(Received::Indices { faces, sticks, .. }) =
        messages.iter().find(|it| matches!(it, Received::Indices { .. }))
    else {
        panic!("the new page received no indices")
    };
    let ids_where = |is_removed: Vec<bool>| -> Vec<u32> {
        (0..is_removed.len() as u32).filter(|&id| is_removed[id as usize]).collect()
    };
    assert_eq!(ids_where(faces.iter().map(|it| it.contains(&REMOVED)).collect()), sorted(both.0));
    assert_eq!(ids_where(sticks.iter().map(|it| it.contains(&REMOVED)).collect()), sorted(both.1));
    assert!(removed(messages_of(&mut page.host, new)).is_none());

    // A reset restores all sticks, in a new epoch.
    page.send(r#"{"do":"reset"}"#);
    let messages = page.messages();
    assert!(messages.iter().any(|it| matches!(it, Received::Mesh(2, _))));
    let is_whole = messages.iter().any(|it| match it {
        Received::Indices { epoch: 2, sticks, .. } => {
            !sticks.iter().flatten().any(|it| *it == REMOVED)
        }
        _ => false,
    });
    assert!(is_whole);
}

#[test]
fn the_simulation_pauses_without_pages() {
    let mut host = Host::new(Options::default()).unwrap();
    assert_eq!(host.due(), None);
    host.advance(1.0);
    let page = host.connect();
    assert!(host.due().unwrap() > 0.0);
    host.receive(page, r#"{"do":"next"}"#);
    let messages = messages_of(&mut host, page);
    assert!(messages.iter().any(|it| matches!(it, Received::Frame(frame) if frame.step == 0)));
    host.disconnect(page);
    assert_eq!(host.due(), None);
}
