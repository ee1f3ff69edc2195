//! Messages to pages: their order, and whether they are consistent with each other.

use taut::world::{AnyScene, LibraryScene};
use taut_view::{Host, Options};

use crate::page::{Frame, Page, REMOVED, ReceivedMessage, messages_of};

/// A size in which a scene can be built quickly.
fn small_size(scene: &LibraryScene) -> usize {
    (scene.size / 4).max(4)
}

#[test]
fn a_new_page_receives_the_whole_scene() {
    for library_scene in LibraryScene::ALL {
        let mut page = Page::new(library_scene.name, small_size(library_scene));
        let messages = page.send(r#"{"do":"next"}"#).run_steps(30).messages();
        let [
            ReceivedMessage::State(state),
            ReceivedMessage::Mesh(1, mesh),
            ReceivedMessage::Indices { epoch: 1, faces, sticks },
            ReceivedMessage::Rests(1, rests),
            ReceivedMessage::Frame(frame @ Frame { epoch: 1, .. }),
            ReceivedMessage::Figures(figures),
        ] = &messages[..]
        else {
            panic!("{}: {messages:?}", library_scene.name)
        };
        let count = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
        let counts = &state["counts"];
        let particles = count(&counts["particles"]);
        assert_eq!(state["scene"], library_scene.name);
        assert_eq!(state["dimensions"], library_scene.dimensions);
        assert_eq!(particles, count(&mesh["particles"]), "{}", library_scene.name);
        let (model_sticks, springs) = sticks.split_at(count(&counts["sticks"]));
        assert_eq!(faces.len(), count(&counts["faces"]));
        // Only this scene has springs, and no scene of the library has ties.
        assert_eq!(springs.is_empty(), library_scene.name != "springs");
        assert_eq!(rests.len(), sticks.len());
        assert!(rests.iter().all(|&rest| rest > 0.0));
        assert_eq!(frame.vertices.len(), count(&mesh["vertices"]));
        assert_eq!(frame.poses.len(), mesh["obstacles"].as_array().unwrap().len());
        assert_eq!(frame.step as usize, count(&figures["steps"]));

        // The ranges of the parts are adjacent, for particles, sticks and faces.
        let mut expected_starts = [0; 3];
        let mut grains = Vec::new();
        for part in mesh["parts"].as_array().unwrap() {
            for (expected, key) in expected_starts.iter_mut().zip(["particles", "sticks", "faces"])
            {
                assert_eq!(count(&part[key][0]), *expected, "{}: {part}", library_scene.name);
                *expected += count(&part[key][1]);
            }
            if part["kind"] == "grains" {
                let first = count(&part["particles"][0]);
                grains.extend(first..first + count(&part["particles"][1]));
            }
        }
        assert_eq!(expected_starts, [particles, model_sticks.len(), faces.len()]);

        // All indices are valid, and only grains may have positions that are not finite.
        let (vertices, is_removed) = (frame.vertices.len() as u32, |index: &u32| *index == REMOVED);
        assert!(faces.iter().flatten().all(|index| *index < vertices || is_removed(index)));
        assert!(
            sticks.iter().flatten().all(|index| (*index as usize) < particles || is_removed(index))
        );
        for (vertex, point) in frame.vertices.iter().enumerate() {
            let is_finite = point.iter().all(|coordinate| coordinate.is_finite());
            assert!(is_finite || grains.contains(&vertex), "{}: {vertex}", library_scene.name);
            assert!(library_scene.dimensions == 3 || point[2] == 0.0);
        }
        for [.., x, y, z, w] in &frame.poses {
            let squared_norm: f32 =
                [x, y, z, w].iter().map(|component| **component * **component).sum();
            assert!((squared_norm - 1.0).abs() < 1e-5);
        }
        let kernels = state["kernels"].as_array().unwrap();
        assert!(kernels.iter().any(|kernel| kernel["name"] == state["settings"]["kernel"]));
    }
}

#[test]
fn frames_have_the_poses_of_obstacles() {
    let mut page = Page::new("curtain", 12);
    let frame = page.run_steps(1).frame();
    let ball = |frame: &Frame| frame.poses[0];
    assert!(
        (ball(&frame)[0] - 1.55).abs() < 0.01,
        "the ball starts at the right of its elliptical path"
    );
    let later = page.run_steps(60).frame();
    assert!(ball(&later)[0] < ball(&frame)[0] - 0.1);
}

#[test]
fn requests_are_answered_with_the_newest_frame_once() {
    let mut page = Page::new("drape", 8);
    let frame_count = |messages: &[ReceivedMessage]| {
        messages.iter().filter(|message| matches!(message, ReceivedMessage::Frame(_))).count()
    };
    assert_eq!(frame_count(&page.run_steps(3).messages()), 0, "no frame was requested");
    assert_eq!(page.run_steps(7).frame().step, 10);
    assert_eq!(frame_count(&page.run_steps(2).messages()), 0);
    // Requests that are not answered yet count as one.
    assert_eq!(frame_count(&page.send(r#"{"do":"next"}"#).send(r#"{"do":"next"}"#).messages()), 1);

    // A waiting request is answered as soon as there is a newer frame.
    page.send(r#"{"do":"pause","on":true}"#).send(r#"{"do":"next"}"#);
    assert_eq!(frame_count(&page.run_steps(5).messages()), 0, "a frame was sent while paused");
    assert_eq!(frame_count(&page.send(r#"{"do":"step"}"#).messages()), 1);
    // Figures follow each command, although no time passes.
    for _ in 0..2 {
        let steps = |figures: &serde_json::Value| figures["steps"].as_u64().unwrap();
        let before = steps(&page.send(r#"{"do":"step"}"#).figures());
        assert_eq!(steps(&page.send(r#"{"do":"step"}"#).figures()), before + 1);
    }
}

#[test]
fn a_page_that_does_not_take_its_messages_gets_the_newest_of_each_kind() {
    let mut page = Page::new("drape", 8);
    page.messages();
    for number in 0..100 {
        page.send(&format!(r#"{{"do":"nonsense {number}"}}"#))
            .send(r#"{"do":"gravity","on":false}"#)
            .run_steps(12);
    }
    page.send(r#"{"do":"next"}"#);
    let messages = page.messages();
    let count = |matches: fn(&ReceivedMessage) -> bool| {
        messages.iter().filter(|message| matches(message)).count()
    };
    assert_eq!(count(|message| matches!(message, ReceivedMessage::State(_))), 1);
    assert_eq!(count(|message| matches!(message, ReceivedMessage::Figures(_))), 1);
    assert_eq!(
        count(|message| matches!(message, ReceivedMessage::Frame(frame) if frame.step == 1200)),
        1
    );
    let errors = messages.iter().filter_map(|message| match message {
        ReceivedMessage::Error(error) => Some(error),
        _ => None,
    });
    let newest = (84..100).map(|number| format!("nonsense {number}"));
    assert!(errors.zip(newest).filter(|(error, of)| error.contains(of)).count() == 16);
    assert_eq!(count(|message| matches!(message, ReceivedMessage::Error(_))), 16);
}

#[test]
fn each_page_is_sent_a_cut_once() {
    let mut page = Page::new("curtain", 24);
    // This page takes no messages between the two cuts.
    let late_page = page.host.connect();
    let late_messages = |page: &mut Page| messages_of(&mut page.host, late_page);
    page.run_steps(2).messages();
    late_messages(&mut page);
    let removed = |messages: Vec<ReceivedMessage>| {
        messages.into_iter().find_map(|message| match message {
            ReceivedMessage::Removed { epoch: 1, faces, sticks } => Some((faces, sticks)),
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
    let (more_faces, more_sticks) = removed(page.messages()).unwrap();
    assert_eq!(more_sticks.len(), 16);

    // The late page receives both cuts in one message; a new page receives them in the indices.
    let both = ([faces, more_faces].concat(), [sticks, more_sticks].concat());
    assert_eq!(removed(late_messages(&mut page)).unwrap(), both);
    let new_page = page.host.connect();
    let messages = messages_of(&mut page.host, new_page);
    let sorted = |ids: Vec<u32>| -> Vec<u32> {
        let mut ids = ids;
        ids.sort_unstable();
        ids
    };
    let Some(ReceivedMessage::Indices { faces, sticks, .. }) =
        messages.iter().find(|message| matches!(message, ReceivedMessage::Indices { .. }))
    else {
        panic!("the new page received no indices")
    };
    let ids_where = |is_removed: Vec<bool>| -> Vec<u32> {
        (0..is_removed.len() as u32).filter(|&id| is_removed[id as usize]).collect()
    };
    assert_eq!(
        ids_where(faces.iter().map(|face| face.contains(&REMOVED)).collect()),
        sorted(both.0)
    );
    assert_eq!(
        ids_where(sticks.iter().map(|stick| stick.contains(&REMOVED)).collect()),
        sorted(both.1)
    );
    assert!(removed(messages_of(&mut page.host, new_page)).is_none());

    // A reset restores all sticks, in a new epoch.
    page.send(r#"{"do":"reset"}"#);
    let messages = page.messages();
    assert!(messages.iter().any(|message| matches!(message, ReceivedMessage::Mesh(2, _))));
    let has_all_sticks = messages.iter().any(|message| match message {
        ReceivedMessage::Indices { epoch: 2, sticks, .. } => {
            !sticks.iter().flatten().any(|index| *index == REMOVED)
        }
        _ => false,
    });
    assert!(has_all_sticks);
}

#[test]
fn the_simulation_pauses_without_pages() {
    let mut host = Host::new(Options::default()).unwrap();
    assert_eq!(host.seconds_until_step(), None);
    host.advance(1.0);
    let page = host.connect();
    assert!(host.seconds_until_step().unwrap() > 0.0);
    host.receive(page, r#"{"do":"next"}"#);
    let messages = messages_of(&mut host, page);
    assert!(
        messages
            .iter()
            .any(|message| matches!(message, ReceivedMessage::Frame(frame) if frame.step == 0))
    );
    host.disconnect(page);
    assert_eq!(host.seconds_until_step(), None);
}

#[test]
fn a_tie_is_drawn_between_its_ends_until_it_breaks() {
    let text = r#"
        [[model]]
        name = "hook"
        particles = { positions = [[0.0, 2.0, 0.0]], masses = [1.0] }
        groups = { all = [0] }
        pinned = ["all"]
        [[model]]
        name = "stone"
        particles = { positions = [[0.0, 1.0, 0.0]], masses = [1.0] }
        [[tie]]
        from = { model = "hook", particle = 0 }
        to = { model = "stone", particle = 0 }
        distance = 1.0
        breaking_force = 5.0
    "#;
    let file = Some(("a stone".to_owned(), AnyScene::from_toml(text).unwrap()));
    let mut host = Host::new(Options { scene: "file".into(), file, ..Options::default() }).unwrap();
    let id = host.connect();
    let mut page = Page { host, id };
    page.send(r#"{"do":"next"}"#);
    let (mut ties, mut tie_ends, mut rests) = (Vec::new(), Vec::new(), Vec::new());
    for message in page.messages() {
        match message {
            ReceivedMessage::Mesh(_, mesh) => {
                assert_eq!(mesh["vertices"], 4);
                let is_tie = |part: &&serde_json::Value| part["kind"] == "tie";
                ties = mesh["parts"].as_array().unwrap().iter().filter(is_tie).cloned().collect();
            }
            ReceivedMessage::Indices { sticks, .. } => tie_ends = sticks,
            ReceivedMessage::Rests(_, received) => rests = received,
            ReceivedMessage::Frame(frame) => {
                assert_eq!(frame.vertices[2..], [[0.0, 2.0, 0.0], [0.0, 1.0, 0.0]]);
            }
            _ => {}
        }
    }
    assert_eq!(ties.len(), 1);
    assert_eq!(ties[0]["sticks"], serde_json::json!([0, 1]));
    // In this message ties have a rest length of 0.
    assert_eq!((&*tie_ends, &*rests), (&[[2, 3]][..], &[0.0][..]));
    let frame = page.run_steps(5).frame();
    assert!(frame.vertices[2..].as_flattened().iter().all(|x| x.is_nan()), "{frame:?}");
    assert!(frame.vertices[1][1] < 1.0, "the stone falls");
}
