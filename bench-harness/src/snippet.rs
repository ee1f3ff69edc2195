//! Turns a tuning into lines of Cargo.toml and Rust.

use std::fmt::Write as _;

use taut::world::{Numbering, Order};
use taut::{AnyKernel, Family, Sheet, Tuned};

/// The line of Cargo.toml with exactly the features that a tuning needs.
pub fn dependency(tuned: &Tuned) -> String {
    let mut features = vec!["std", &*tuned.kernel];
    // These kernels run on the registers of `pulp` or `wide`, and compile only with that feature.
    features.extend(match AnyKernel::named(&tuned.kernel) {
        Ok(AnyKernel::Grid(_) | AnyKernel::Copies(_)) => Some("pulp"),
        Ok(AnyKernel::WideGrid(_) | AnyKernel::WideCopies(_)) => Some("wide"),
        _ => None,
    });
    if tuned.threads > 1 {
        features.push("colour");
    }
    let features = list(&features, |feature| format!("\"{feature}\""));
    format!("taut = {{ path = \"taut\", default-features = false, features = [{features}] }}")
}

/// The Rust code that builds the plan of a tuning and runs a step. It uses the variables
/// `particles` and `sticks`, which are those of one copy.
pub fn usage(tuned: &Tuned, sheet: Option<&Sheet>) -> String {
    let Tuned { kernel, threads, copies, schedule, formula, substeps, iterations, .. } = tuned;
    let order = match schedule.order {
        Order::Authored => "Schedule::authored(&sticks)",
        Order::Coloured => "Schedule::coloured(&sticks)",
        Order::Packed => "Schedule::packed(&sticks)",
        Order::Starred => "Schedule::starred(&sticks)",
        Order::Banded => "Schedule::banded(&sticks)",
        Order::Blocked => "Schedule::blocked(&particles, &sticks)",
        Order::Sheet => "sheet.schedule(&sticks)?",
    };
    let order = format!("let schedule = {order};\n");
    let mut_keyword = if *copies > 1 { "" } else { "mut " };
    let renumber = match schedule.numbering {
        Numbering::Given => "", // `renumber` is not printed
        Numbering::Rcm | Numbering::RcmAfter => "reverse_cuthill_mckee(&sticks)",
        Numbering::Hilbert | Numbering::HilbertAfter => "hilbert(&particles)",
    };
    let renumber = format!(
        "let renumbering = Renumbering::{renumber};\n\
         let ({mut_keyword}particles, sticks) = renumbering.apply(&particles, &sticks);\n"
    );
    let mut text = String::new();
    if *copies > 1 {
        text += "use std::iter::repeat_n;\n";
    }
    text += "use taut::prelude::*;\n\n";
    if let (Order::Sheet, Some(sheet)) = (schedule.order, sheet) {
        let (width, height, families) = (sheet.width(), sheet.height(), families(sheet));
        let _ = writeln!(text, "let sheet = Sheet::new({width}, {height}, {families});");
    }
    text += &match schedule.numbering {
        Numbering::Given => order,
        Numbering::Rcm | Numbering::Hilbert => renumber + &order,
        Numbering::RcmAfter | Numbering::HilbertAfter => {
            order + &renumber + "let schedule = schedule.renumbered(&sticks)?;\n"
        }
    };
    if *copies > 1 {
        let _ = write!(
            text,
            "let mut particles = Particles::side_by_side(repeat_n(&particles, {copies}))?;\n\
             let sticks = Sticks::side_by_side(repeat_n(&sticks, {copies}))?;\n\
             let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, {copies}))?;\n"
        );
    }
    let pool = match threads {
        1 => String::new(),
        _ => format!(".on_threads(taut::Pool::new({threads})?)"),
    };
    let _ = write!(
        text,
        "let kernel = AnyKernel::named(\"{kernel}\")?{pool};\n\
         let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::{formula:?})?;\n\
         let step = Step {{ substeps: {substeps}, iterations: {iterations}, ..Step::default() }};\n\
         let status = plan.step(&mut particles, &sticks, &step)?;\n"
    );
    text
}

fn families(sheet: &Sheet) -> String {
    match sheet.families() {
        Family::STRUCTURAL => "Family::STRUCTURAL".to_owned(),
        Family::SHEAR => "Family::SHEAR".to_owned(),
        Family::BEND => "Family::BEND".to_owned(),
        others => format!("&[{}]", list(others, |family| format!("Family::{family:?}"))),
    }
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}
