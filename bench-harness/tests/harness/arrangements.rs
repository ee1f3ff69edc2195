//! Arrangements and their names.

use taut::Schedule;
use taut::world::{Model, StickSet};
use taut_bench::{Arrangement, ArrangementError, Numbering, Order};

use crate::fixtures::{arrangement, arrangements, sheet, shuffled_disc};

#[test]
fn a_displayed_name_parses_to_the_same_arrangement() {
    let orders = [
        Order::Authored,
        Order::Coloured,
        Order::Packed,
        Order::Starred,
        Order::Banded,
        Order::Blocked,
        Order::Sheet,
    ];
    let mut names = Vec::new();
    for order in orders {
        for numbering in [
            Numbering::Given,
            Numbering::Rcm,
            Numbering::Hilbert,
            Numbering::RcmAfter,
            Numbering::HilbertAfter,
        ] {
            let one = Arrangement { order, numbering };
            assert_eq!(arrangement(&one.to_string()), one);
            names.push(one.to_string());
        }
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 35, "7 orders in 5 numberings each");
}

#[test]
fn the_given_numbering_is_left_out_of_names() {
    assert_eq!(arrangement("packed/given"), arrangement("packed"));
    assert_eq!(arrangement("packed/given").to_string(), "packed");
    assert_eq!(format!("[{:>12}]", arrangement("packed/rcm")), "[  packed/rcm]");
}

#[test]
fn the_error_of_an_unknown_name_quotes_it_and_lists_the_known_ones() {
    for name in [
        "",
        "random",
        "packed/",
        "packed+",
        "packed/random",
        "packed+given",
        "+rcm",
        "rcm",
        "packed/rcm+rcm",
        "Packed",
    ] {
        let error = name.parse::<Arrangement>().unwrap_err();
        assert_eq!(error, ArrangementError::Unknown { name: name.to_owned() });
        let message = error.to_string();
        assert!(message.contains(&format!("'{name}'")), "{message}");
        for known in [
            "authored", "coloured", "packed", "starred", "banded", "blocked", "sheet", "rcm",
            "hilbert",
        ] {
            assert!(message.contains(known), "{message}");
        }
    }
}

#[test]
fn default_arrangements_suit_the_model_and_include_sheet_only_for_a_sheet() {
    for (model, is_sheet) in
        [(sheet(), true), (sheet().shuffled(1), false), (shuffled_disc(), false)]
    {
        let defaults = Arrangement::defaults(&model);
        assert!(defaults.len() >= 5, "{defaults:?}");
        assert_eq!(defaults.iter().any(|it| it.order == Order::Sheet), is_sheet);
        for arrangement in defaults {
            assert!(arrangement.of(&model).is_ok(), "{arrangement}");
        }
    }
}

#[test]
fn the_order_sheet_is_rejected_for_models_that_are_not_sheets() {
    let error = |name: &str, model| arrangement(name).of(&model).unwrap_err();
    for error in [
        error("sheet", shuffled_disc()),
        error("sheet", sheet().shuffled(1)),
        error("sheet/rcm", sheet()),
    ] {
        assert_eq!(error, ArrangementError::NotASheet);
    }
}

#[test]
fn an_arrangement_schedules_all_sticks_and_its_numbering_can_be_undone() {
    for model in [sheet(), shuffled_disc()] {
        for arrangement in arrangements(&model) {
            let arranged = arrangement.of(&model).unwrap();
            assert_eq!(arranged.schedule.sticks(), model.sticks.len(), "{arrangement}");
            assert_eq!(
                arranged.renumbering.is_none(),
                arrangement.numbering == Numbering::Given,
                "{arrangement}"
            );
            if let Some(renumbering) = arranged.renumbering {
                let undone = renumbering.undo(&arranged.particles);
                assert_eq!(undone.hash(), model.particles.hash(), "{arrangement}");
                assert_eq!(undone.inverse_masses(), model.particles.inverse_masses());
            }
        }
    }
}

#[test]
fn the_default_order_is_that_of_the_sheet_or_mesh() {
    let large = Model::disc(40, StickSet::All).unwrap().shuffled(3);
    assert_eq!(Arrangement::default_of(&large), arrangement("starred/rcm"));
    for model in [sheet(), sheet().shuffled(1), shuffled_disc(), large] {
        let default = Arrangement::default_of(&model);
        let schedule = default.of(&model).unwrap().schedule.renumbered(&model.sticks).unwrap();
        match &model.sheet {
            Some(sheet) => assert_eq!(schedule, sheet.schedule(&model.sticks).unwrap()),
            None => assert_eq!(schedule, Schedule::for_mesh(&model.particles, &model.sticks)),
        }
    }
    let numbered_by_rows = Model { sheet: None, ..Model::drape(64, StickSet::All).unwrap() };
    assert_eq!(Arrangement::default_of(&numbered_by_rows), arrangement("banded"));
}

#[test]
fn renumbering_after_scheduling_keeps_the_order_of_the_sticks() {
    for model in [sheet(), shuffled_disc()] {
        for name in ["authored", "coloured", "packed", "starred", "banded", "blocked", "sheet"] {
            let Ok(given) = arrangement(name).of(&model) else { continue };
            for numbering in ["rcm", "hilbert"] {
                let one = arrangement(&format!("{name}+{numbering}"));
                assert_eq!(one.canonical(), arrangement(name));
                let after = one.of(&model).unwrap();
                assert_eq!(after.schedule.order(), given.schedule.order());
                assert_ne!(after.sticks.ends(), given.sticks.ends());
                assert!(after.schedule.check(&after.sticks).is_ok());
                assert!(after.schedule.sheet().is_none());
            }
        }
    }
    assert_eq!(arrangement("packed/rcm").canonical(), arrangement("packed/rcm"));
}
