//! `taut claims`: measures the claims of the articles, and reports for each whether it holds.

use std::io::{self, IsTerminal};

use anyhow::Context;
use clap::Args;
use comfy_table::{Cell, Color, ContentArrangement};
use serde::Serialize;
use taut_bench::MachineInfo;
use taut_bench::claims::{
    self, Bound, Claim, Finding, MeasuredValue, NOT_MEASURED, Scale, Verdict,
};

use crate::Failure;
use crate::output::{OutputOptions, machine_sentence, with_progress};
use crate::table;

/// The width of the table, in characters, if the standard output is not a terminal (a terminal has its own width).
const WIDTH: u16 = 160;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// Show one claim in detail, by its number or its name.
    #[arg(long, value_name = "N")]
    show: Option<String>,
    /// Smoke test: measure tiny sizes. The verdicts are then meaningless.
    #[arg(long)]
    small: bool,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    small: bool,
    claims: &'a [Finding],
    not_measured: Vec<NotMeasured>,
}

/// A claim that is not measured.
#[derive(Serialize)]
struct NotMeasured {
    quote: &'static str,
    why: &'static str,
}

/// One row of the CSV output: a measured value of a claim.
#[derive(Serialize)]
struct Row<'a> {
    /// The number of the claim.
    number: usize,
    name: &'a str,
    source: &'a str,
    section: &'a str,
    verdict: Verdict,
    /// What was measured, such as `rms stretch`.
    what: &'a str,
    unit: &'a str,
    value: f64,
    bound: String,
    holds: bool,
}

/// Measures the claims and prints the verdicts.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let claims = arguments.claims()?;
    let outputs = arguments.output.open()?;
    let scale = if arguments.small { Scale::Smoke } else { Scale::Full };
    let findings = with_progress(|progress| Ok(claims::measure(&claims, scale, progress)?))?;
    let machine = MachineInfo::current();
    let mut lines = vec![machine_sentence(&machine)];
    if arguments.small {
        lines.push("Small sizes: the verdicts are meaningless.".to_owned());
    }
    if arguments.show.is_some() {
        lines.extend(findings.iter().map(detail));
    } else {
        lines.push(render(&findings));
        lines.push(summary(&findings));
        lines.push("\nNot measured:".to_owned());
        lines.extend(NOT_MEASURED.iter().map(|(quote, why)| format!("  {quote}: {why}.")));
    }
    let not_measured =
        NOT_MEASURED.iter().map(|&(quote, why)| NotMeasured { quote, why }).collect();
    let report =
        Report { machine: &machine, small: arguments.small, claims: &findings, not_measured };
    let text = lines.join("\n") + "\n";
    outputs.write(&report, &rows(&findings), &text).map_err(Failure::Error)
}

impl Arguments {
    /// The claim that `--show` names, or all claims; each with its number.
    fn claims(&self) -> anyhow::Result<Vec<(usize, &'static Claim)>> {
        let Some(wanted) = &self.show else { return Ok(claims::all().collect()) };
        let wanted_number = wanted.parse::<usize>().ok();
        let claim = claims::all()
            .find(|(number, claim)| wanted_number == Some(*number) || claim.name == wanted)
            .with_context(|| {
                format!(
                    "unknown claim '{wanted}': expected a number from 1 to {}, or the name of a \
                     claim",
                    claims::all().count()
                )
            })?;
        Ok(vec![claim])
    }
}

fn rows(findings: &[Finding]) -> Vec<Row<'_>> {
    let rows_of = |finding: &Finding| {
        let Finding { number, name, source, section, verdict, .. } = *finding;
        let to_row = move |&MeasuredValue { what, unit, value, bound, holds }: &MeasuredValue| {
            let bound = bound.to_string();
            Row { number, name, source, section, verdict, what, unit, value, bound, holds }
        };
        finding.values.iter().map(to_row).collect::<Vec<_>>()
    };
    findings.iter().flat_map(rows_of).collect()
}

fn render(findings: &[Finding]) -> String {
    let mut table = table::plain();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if !io::stdout().is_terminal() {
        table.set_width(WIDTH);
    }
    table.set_header([
        "#",
        "claim",
        "source",
        "measured (expected)",
        "values\nwithin bounds",
        "verdict",
        "command",
    ]);
    for finding in findings {
        let Finding { number, quote, source, section, values, verdict, command, .. } = finding;
        let within_bounds = values.iter().filter(|measured| measured.holds).count();
        table.add_row([
            Cell::new(number),
            Cell::new(quote),
            Cell::new(format!("{source}, {section}")),
            // The first value that is out of its bound or, if all are within, the first value.
            Cell::new(finding.decisive().map(measured_text).unwrap_or_default()),
            Cell::new(format!("{within_bounds} of {}", values.len())),
            Cell::new(verdict).fg(colour(*verdict)),
            Cell::new(command),
        ]);
    }
    table.to_string()
}

const fn colour(verdict: Verdict) -> Color {
    match verdict {
        Verdict::Holds => Color::Green,
        Verdict::HoldsInPart => Color::Yellow,
        Verdict::DoesNotHold | Verdict::Misprint => Color::Red,
    }
}

/// Formats a measured value, its bound and its name: `0.180 (at most 0.1) rms stretch`.
fn measured_text(measured: &MeasuredValue) -> String {
    let MeasuredValue { what, bound, .. } = measured;
    format!("{} ({bound}) {what}", value_text(measured))
}

/// Formats a value and its unit. A whole number that must be exact is written in full; other values
/// are rounded.
fn value_text(measured: &MeasuredValue) -> String {
    let MeasuredValue { unit, value, bound, .. } = *measured;
    let exact = matches!(bound, Bound::Exactly(_));
    let digits = match value {
        _ if value.is_nan() => "not a number".to_owned(),
        _ if value.is_infinite() => "infinite".to_owned(),
        _ if exact && value.fract() == 0.0 => format!("{value:.0}"),
        _ if value == 0.0 => "0".to_owned(),
        _ if (1e-3..1e4).contains(&value.abs()) => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    };
    if unit.is_empty() { digits } else { format!("{digits} {unit}") }
}

/// A sentence with the number of claims for each verdict.
fn summary(findings: &[Finding]) -> String {
    let count =
        |wanted: Verdict| findings.iter().filter(|finding| finding.verdict == wanted).count();
    format!(
        "{} claims: {} hold, {} hold in part, {} do not hold, {} are misprints. The table shows \
         one measured value per claim: the first that is out of its bound or, if none is, the \
         first; taut claims --show N shows all values of claim N and how they are measured.",
        findings.len(),
        count(Verdict::Holds),
        count(Verdict::HoldsInPart),
        count(Verdict::DoesNotHold),
        count(Verdict::Misprint)
    )
}

/// The lines about one claim, with all its measured values.
fn detail(finding: &Finding) -> String {
    let Finding { number, name, quote, source, section, verdict, method, command, .. } = finding;
    let mut lines = vec![
        format!("\nClaim {number}, {name}"),
        format!("  claim     {quote}"),
        format!("  source    {source}, {section}"),
    ];
    for measured in &finding.values {
        let mark = if measured.holds { "holds" } else { "fails" };
        lines.push(format!("  {mark}     {}", measured_text(measured)));
    }
    lines.push(format!("  verdict   {verdict}"));
    lines.push(format!("  method    {method}"));
    lines.push(format!("  command   {command}"));
    lines.join("\n")
}
