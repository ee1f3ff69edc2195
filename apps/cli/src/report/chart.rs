//! Line charts, with marks and two logarithmic axes, and bar charts.
//!
//! Each chart is drawn twice, for wide and for narrow screens, in colours that a style sheet
//! replaces in dark mode. The legend is below the chart, so that it hides no lines.

use std::error::Error;

use maud::{Markup, PreEscaped, html};
use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// CSS class of each drawing of a chart; its width and height, and its font size, in pixels.
const DRAWING_SIZES: [(&str, (u32, u32), u32); 2] =
    [("wide", (860, 440), 16), ("narrow", (400, 400), 15)];

/// Colours of series in light and dark mode. They are distinguishable with most colour vision
/// deficiencies.
pub(crate) const SERIES_COLOURS: [(RGBColor, RGBColor); 7] = [
    (RGBColor(0, 106, 178), RGBColor(94, 180, 240)),
    (RGBColor(205, 80, 0), RGBColor(255, 146, 72)),
    (RGBColor(0, 121, 92), RGBColor(70, 205, 165)),
    (RGBColor(140, 64, 140), RGBColor(222, 150, 215)),
    (RGBColor(102, 102, 102), RGBColor(165, 165, 165)),
    (RGBColor(176, 0, 58), RGBColor(255, 122, 150)),
    (RGBColor(120, 100, 0), RGBColor(214, 190, 70)),
];
/// The colour of text and axes, in light and dark mode.
pub(crate) const TEXT_COLOUR: (RGBColor, RGBColor) =
    (RGBColor(40, 40, 41), RGBColor(226, 226, 227));
/// The colour of grid lines, in light and dark mode.
pub(crate) const GRID_COLOUR: (RGBColor, RGBColor) =
    (RGBColor(221, 221, 222), RGBColor(62, 62, 63));

/// Outlines of the marks at points of a series, relative to the point, in pixels; y points down. An octagon, a
/// triangle, a square, a diamond, and a triangle that points down.
const MARKS: [&[(i32, i32)]; 5] = [
    &[(-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2), (-5, -2)],
    &[(0, -6), (6, 5), (-6, 5)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -5), (-6, -5)],
];

/// Points with a line through them.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) style: Style,
}

/// Indices of a colour in [`SERIES_COLOURS`] and of a mark in [`MARKS`], modulo their lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) colour: usize,
    pub(crate) mark: usize,
}

/// What a legend entry explains: a series, or all series of one colour or mark.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LegendKey {
    Series(Style),
    Colour(usize),
    Mark(usize),
    /// The broad line behind the series.
    BroadLine,
}

/// The label and ticks of an axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The label, with the unit.
    pub(crate) label: &'static str,
    /// The ticks; if empty, they are chosen automatically.
    pub(crate) ticks: Vec<f64>,
}

/// A line chart with two logarithmic axes.
#[derive(Clone, Debug)]
pub(crate) struct LineChart {
    /// Alternative text for screen readers.
    pub(crate) alt_text: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// A broad line behind the series.
    pub(crate) background: Vec<(f64, f64)>,
    /// Points that are not drawn, but that the axes must include, so that several charts have the same axes.
    pub(crate) extra_points: Vec<(f64, f64)>,
    pub(crate) legend: Vec<(String, LegendKey)>,
}

/// A grouped bar chart.
#[derive(Clone, Debug)]
pub(crate) struct BarChart {
    /// Alternative text for screen readers.
    pub(crate) alt_text: String,
    /// The label of the vertical axis, with the unit.
    pub(crate) y_label: &'static str,
    /// The labels of the groups.
    pub(crate) groups: Vec<String>,
    /// The name of each series, and the height of its bar in each group.
    pub(crate) series: Vec<(String, Vec<f64>)>,
}

/// Whether a point fits on logarithmic axes: its coordinates are positive and not extreme.
fn is_drawable(&(x, y): &(f64, f64)) -> bool {
    let is_in_range = |value: f64| (1e-30..1e30).contains(&value);
    is_in_range(x) && is_in_range(y)
}

impl LineChart {
    /// The chart as HTML with its legend, or a message if it has no points to draw.
    pub(crate) fn figure(mut self) -> Markup {
        for points in self.series.iter_mut().map(|series| &mut series.points) {
            points.retain(is_drawable);
        }
        self.background.retain(is_drawable);
        self.extra_points.retain(is_drawable);
        if self.points().next().is_none() {
            return html! { p.missing { "No data." } };
        }
        let legend = self.legend.iter().map(|(name, key)| (name.as_str(), key.swatch()));
        figure(&self.alt_text, |size, font_size| self.draw(size, font_size), legend)
    }

    /// The points of all lines, including the background.
    pub(crate) fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.series.iter().flat_map(|series| &series.points).chain(&self.background)
    }

    /// Draws the chart as SVG, in this size and with this font size, pixels.
    fn draw(&self, size: (u32, u32), font_size: u32) -> Result<String, Box<dyn Error>> {
        let points: Vec<_> = self.points().chain(&self.extra_points).collect();
        let x = AxisRange::of(points.iter().map(|point| point.0), &self.x.ticks);
        let y = AxisRange::of(points.iter().map(|point| point.1), &self.y.ticks);
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let mut chart = ChartBuilder::on(&area)
                .margin(4)
                .margin_top(12)
                .margin_right(20)
                .x_label_area_size(font_size * 3)
                .y_label_area_size(font_size * 4)
                .build_cartesian_2d(
                    (x.from..x.to).log_scale().with_key_points(x.ticks),
                    (y.from..y.to).log_scale().with_key_points(y.ticks),
                )?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(GRID_COLOUR.0)
                .axis_style(TEXT_COLOUR.0)
                .label_style(("sans-serif", font_size, &TEXT_COLOUR.0))
                .axis_desc_style(("sans-serif", font_size, &TEXT_COLOUR.0))
                .x_desc(self.x.label)
                .y_desc(self.y.label)
                .x_label_formatter(&|value| short_number(*value))
                .y_label_formatter(&|value| short_number(*value))
                .draw()?;
            chart.draw_series([PathElement::new(self.background.clone(), broad_stroke())])?;
            for Series { points, style } in &self.series {
                let stroke = style.stroke();
                chart.draw_series([PathElement::new(points.clone(), stroke)])?;
                let mark = |&point: &(f64, f64)| EmptyElement::at(point) + style.mark();
                chart.draw_series(points.iter().map(mark))?;
            }
            area.present()?;
        }
        Ok(svg)
    }
}

impl BarChart {
    /// The chart as HTML with its legend, or a message if no bar has a height.
    pub(crate) fn figure(&self) -> Markup {
        let max_height = self.max_height();
        if !(max_height.is_finite() && max_height > 0.0) {
            return html! { p.missing { "No data." } };
        }
        let legend = self.series.iter().enumerate().map(|(index, (name, _))| {
            (name.as_str(), colour_swatch(SERIES_COLOURS[index % SERIES_COLOURS.len()].0))
        });
        figure(&self.alt_text, |size, font_size| self.draw(size, font_size), legend)
    }

    /// The height of the highest bar, at least 0.
    fn max_height(&self) -> f64 {
        self.series.iter().flat_map(|(_, heights)| heights).copied().fold(0.0, f64::max)
    }

    /// Draws the chart as SVG. A bar chart has three quarters of the height in `size`.
    fn draw(&self, size: (u32, u32), font_size: u32) -> Result<String, Box<dyn Error>> {
        let mut svg = String::new();
        {
            let size = (size.0, size.1 * 3 / 4);
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let groups = &self.groups;
            // The vertical axis ends 8 % above the highest bar.
            let axis_end = self.max_height() * 1.08;
            let mut chart = ChartBuilder::on(&area)
                .margin(4)
                .margin_top(12)
                .margin_right(20)
                .x_label_area_size(font_size * 2)
                .y_label_area_size(font_size * 4)
                .build_cartesian_2d(0.0..groups.len() as f64, 0.0..axis_end)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels(0)
                .light_line_style(TRANSPARENT)
                .bold_line_style(GRID_COLOUR.0)
                .axis_style(TEXT_COLOUR.0)
                .label_style(("sans-serif", font_size, &TEXT_COLOUR.0))
                .axis_desc_style(("sans-serif", font_size, &TEXT_COLOUR.0))
                .y_desc(self.y_label)
                .y_labels(6)
                .y_label_formatter(&|value| short_number(*value))
                .draw()?;
            let style = ("sans-serif", font_size).into_font().color(&TEXT_COLOUR.0);
            let style = style.pos(Pos::new(HPos::Center, VPos::Top));
            chart.draw_series(groups.iter().enumerate().map(|(group, name)| {
                EmptyElement::at((group as f64 + 0.5, 0.0))
                    + Text::new(name.clone(), (0, 8), style.clone())
            }))?;
            // A group has the width 1: its bars, and a margin of 0.1 on each side. A bar fills 90 % of its
            // part of the width, which leaves a gap between bars.
            let bar_width = 0.8 / self.series.len() as f64;
            for (index, (_, heights)) in self.series.iter().enumerate() {
                let colour = SERIES_COLOURS[index % SERIES_COLOURS.len()].0.filled();
                let bar = |(group, &height): (usize, &f64)| {
                    let left = group as f64 + 0.1 + index as f64 * bar_width;
                    Rectangle::new([(left, 0.0), (left + bar_width * 0.9, height)], colour)
                };
                chart.draw_series(heights.iter().enumerate().map(bar))?;
            }
            area.present()?;
        }
        Ok(svg)
    }
}

/// The stroke of the broad line behind the series.
fn broad_stroke() -> ShapeStyle {
    TEXT_COLOUR.0.mix(0.25).stroke_width(9)
}

impl Style {
    fn colour(self) -> RGBColor {
        SERIES_COLOURS[self.colour % SERIES_COLOURS.len()].0
    }

    fn stroke(self) -> ShapeStyle {
        self.colour().stroke_width(2)
    }

    fn mark(self) -> Polygon<(i32, i32)> {
        Polygon::new(MARKS[self.mark % MARKS.len()].to_vec(), self.colour())
    }
}

/// The range of a logarithmic axis, which is larger than that of the values by a factor of 1.15 at each end, and its
/// ticks.
struct AxisRange {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl AxisRange {
    /// The range for positive values. If `ticks` is empty, ticks are chosen automatically.
    fn of(values: impl Iterator<Item = f64> + Clone, ticks: &[f64]) -> Self {
        let from = values.clone().fold(f64::INFINITY, f64::min) / 1.15;
        let to = values.fold(0.0, f64::max) * 1.15;
        let ticks = if ticks.is_empty() { round_ticks(from, to) } else { ticks.to_vec() };
        Self { from, to, ticks }
    }
}

/// Ticks between two values: 1, 2, 5, 10 and so on. If there would be more than nine, at most nine powers of ten at
/// equal distances instead.
fn round_ticks(from: f64, to: f64) -> Vec<f64> {
    let decades = |from: f64, to: f64| (from.log10().floor() as i32)..=(to.log10().ceil() as i32);
    let in_range = |value: &f64| (from..=to).contains(value);
    let fine: Vec<f64> = decades(from, to)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)))
        .filter(in_range)
        .collect();
    if fine.len() <= 9 {
        return fine;
    }
    let coarse: Vec<f64> =
        decades(from, to).map(|power| 10f64.powi(power)).filter(in_range).collect();
    coarse.iter().copied().step_by(coarse.len().div_ceil(9)).collect()
}

/// Formats a number with at most four decimals, with an SI prefix or with an exponent: `0.25`,
/// `12.5k`, `3e9`.
pub(crate) fn short_number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e4 => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        1e4..1e6 => format!("{}k", short_number(value / 1e3)),
        1e6..1e9 => format!("{}M", short_number(value / 1e6)),
        _ => format!("{value:.0e}"),
    }
}

/// A `figure` element: the drawings of a chart in all [`DRAWING_SIZES`], and its legend.
fn figure<'a>(
    alt_text: &str,
    draw: impl Fn((u32, u32), u32) -> Result<String, Box<dyn Error>>,
    legend: impl Iterator<Item = (&'a str, String)>,
) -> Markup {
    html! {
        figure {
            @for (class, size, font_size) in DRAWING_SIZES {
                @match draw(size, font_size) {
                    Ok(svg) => (inline_svg(&svg, class, Some(alt_text))),
                    Err(error) => p.missing { "Drawing failed: " (error) "." },
                }
            }
            figcaption {
                ul.legend {
                    @for (name, swatch) in legend {
                        li { (inline_svg(&swatch, "swatch", None)) (name) }
                    }
                }
            }
        }
    }
}

/// An `svg` element that embeds a drawing in the page. Without alternative text, screen readers skip the drawing.
fn inline_svg(svg: &str, class: &str, alt_text: Option<&str>) -> Markup {
    let attribute = |name: &str| {
        let start = svg.find(name)? + name.len() + 2; // after `="`
        svg[start..].split('"').next()
    };
    let content = svg.split_once('>').map_or("", |(_, content)| content);
    let content = content.trim().trim_end_matches("</svg>");
    html! {
        svg class=(class) viewBox=[attribute(" viewBox")] role=[alt_text.map(|_| "img")]
            aria-label=[alt_text] aria-hidden=[alt_text.is_none().then_some("true")] {
            (PreEscaped(content))
        }
    }
}

impl LegendKey {
    /// The small drawing beside a legend entry, as SVG.
    fn swatch(self) -> String {
        match self {
            Self::Series(style) => render_svg((36, 16), |area| {
                area.draw(&PathElement::new([(0, 8), (36, 8)], style.stroke()))?;
                area.draw(&(EmptyElement::at((18, 8)) + style.mark()))
            }),
            Self::BroadLine => render_svg((36, 16), |area| {
                area.draw(&PathElement::new([(0, 8), (36, 8)], broad_stroke()))
            }),
            Self::Colour(colour) => colour_swatch(SERIES_COLOURS[colour % SERIES_COLOURS.len()].0),
            Self::Mark(mark) => render_svg((36, 16), |area| {
                let outline = MARKS[mark % MARKS.len()].to_vec();
                area.draw(&(EmptyElement::at((18, 8)) + Polygon::new(outline, TEXT_COLOUR.0)))
            }),
        }
    }
}

/// A small rectangle of this colour, as SVG.
fn colour_swatch(colour: RGBColor) -> String {
    render_svg((36, 16), |area| area.draw(&Rectangle::new([(4, 2), (32, 14)], colour.filled())))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type DrawResult<'a> =
    Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// Draws an image with `draw`, and returns it as SVG.
fn render_svg(size: (u32, u32), draw: impl for<'a> Fn(&Area<'a>) -> DrawResult<'a>) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // Writing to a string cannot fail.
        let _ = draw(&area).and_then(|()| area.present());
    }
    svg
}

/// CSS rules that replace the colours of drawings in dark mode.
pub(crate) fn dark_mode_rules() -> String {
    let hex = |RGBColor(r, g, b): RGBColor| format!("#{r:02X}{g:02X}{b:02X}");
    let rule = |&(light, dark): &(RGBColor, RGBColor)| {
        let (light, dark) = (hex(light), hex(dark));
        format!(
            "svg [fill=\"{light}\"] {{ fill: {dark} }} \
             svg [stroke=\"{light}\"] {{ stroke: {dark} }}\n"
        )
    };
    SERIES_COLOURS.iter().chain([&TEXT_COLOUR, &GRID_COLOUR]).map(rule).collect()
}
