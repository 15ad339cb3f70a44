//! Charts as SVG, drawn on the server.
//!
//! Colours are drawn as sentinels and become custom properties of the stylesheet, so that one
//! drawing fits the light, the dark and the printed page. Each chart carries its title and what it
//! shows in words.

mod scores;
mod tempos;

use std::collections::HashSet;

use model::{
    Day, Event, EventItem, Factor, Newsroom, NewsroomId, Place, UnixSeconds, hours_between,
};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::i18n::Locale;
use crate::parts::Explained;

pub use scores::scores;
pub use tempos::tempos;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

const WIDTH: u32 = 640;
const TEXT_SIZE: u32 = 17;
/// Newsrooms that get a colour of their own; the others share one.
pub(crate) const COLOURS: usize = 8;
/// An item that was away for longer has left the feed: its line breaks.
const ABSENCE_HOURS: f64 = 3.0;

/// A colour of the stylesheet, as its sentinel.
const fn colour(index: u8) -> RGBColor {
    RGBColor(0x01, 0xFE, index)
}

const INK: RGBColor = colour(0);
const MUTED: RGBColor = colour(1);
const LINE: RGBColor = colour(2);
const ACCENT: RGBColor = colour(3);
const LESS: RGBColor = colour(4);
const SOFT: RGBColor = colour(5);
const BAD: RGBColor = colour(6);
const PAPER: RGBColor = colour(7);
const FIRST_SERIES: u8 = 16;

/// Custom properties in the order of the sentinels.
const NAMES: [&str; 8] = ["ink", "muted", "line", "accent", "less", "soft", "bad", "paper"];

fn series(index: usize) -> RGBColor {
    colour(FIRST_SERIES + index as u8)
}

/// Family under which the fonts for measuring and drawing text are registered.
pub(crate) const FONT: &str = "sans-serif";

/// Registers the fonts, once. A font that cannot be read is missed where text is drawn.
pub(crate) fn fonts() {
    static FONTS: std::sync::Once = std::sync::Once::new();
    let regular = include_bytes!("../fonts/IBMPlexSans-Regular.ttf");
    let bold = include_bytes!("../fonts/IBMPlexSans-SemiBold.ttf");
    FONTS.call_once(|| {
        let _ = register_font(FONT, FontStyle::Normal, regular);
        let _ = register_font(FONT, FontStyle::Bold, bold);
    });
}

/// Draws, names and colours a chart. `name` is its id within the page.
fn chart(
    name: &str,
    height: u32,
    title: &str,
    description: &str,
    draw: impl FnOnce(&Area) -> Drawn,
) -> String {
    fonts();
    let mut svg = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area).and_then(|()| Ok(area.present()?))
    };
    // A string takes whatever is written; only an empty range could fail, and none is drawn.
    let Some((_, body)) = drawn.ok().and_then(|()| svg.split_once('>')) else {
        return String::new();
    };
    let mut body = body.replace(" opacity=\"1\"", "").replace(" font-family=\"sans-serif\"", "");
    for (index, name) in NAMES.iter().enumerate() {
        body = body.replace(&format!("#01FE{index:02X}"), &format!("var(--{name})"));
    }
    for index in 0..COLOURS {
        let sentinel = format!("#01FE{:02X}", FIRST_SERIES as usize + index);
        body = body.replace(&sentinel, &format!("var(--c{})", index + 1));
    }
    format!(
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" \
         aria-labelledby=\"{name}-title\" aria-describedby=\"{name}-desc\">\
         <title id=\"{name}-title\">{}</title><desc id=\"{name}-desc\">{}</desc>{body}",
        escape(title),
        escape(description),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn text(colour: RGBColor, horizontal: HPos) -> TextStyle<'static> {
    (FONT, TEXT_SIZE).into_font().color(&colour).pos(Pos::new(horizontal, VPos::Center))
}

/// How the five factors multiply to heat: each bar leads from the product before it to the product
/// after it, on a logarithmic axis. Empty for an event without heat, which has no logarithm.
#[must_use]
pub fn heat_factors(event: &Event, locale: Locale) -> String {
    let t = locale.texts();
    let mut product = 1.0;
    let steps: Vec<(f64, f64)> = Factor::ALL
        .iter()
        .map(|factor| {
            let before = product;
            product *= factor.of(&event.factors);
            (before, product)
        })
        .collect();
    if !(product.is_finite() && product > 0.0) {
        return String::new();
    }
    let reach = steps.iter().flat_map(|&(before, after)| [before, after]);
    let (low, high) =
        reach.fold((1.0, 10.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
    let description = (t.heat_chart_text)(
        &Factor::ALL.map(|factor| {
            format!("{} {}", factor.name(t), locale.figure(factor.of(&event.factors)))
        }),
        &locale.figure(event.heat),
    );
    chart("heat-chart", 250, t.heat_chart, &description, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(80)
            .x_label_area_size(28)
            .y_label_area_size(96)
            .build_cartesian_2d((low * 0.8..high * 1.2).log_scale(), 0.0..6.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .x_labels(6)
            .y_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_label_style(text(MUTED, HPos::Center))
            .x_label_formatter(&|value| locale.figure(*value))
            .draw()?;
        let plot = chart.plotting_area();
        let rows = Factor::ALL
            .iter()
            .zip(&steps)
            .map(|(factor, &(from, to))| {
                let value = factor.of(&event.factors);
                (
                    factor.name(t),
                    format!("× {}", locale.figure(value)),
                    from,
                    to,
                    if value < 1.0 { LESS } else { ACCENT },
                )
            })
            .chain([(t.heat, format!("= {}", locale.figure(product)), 1.0, product, INK)]);
        for (index, (name, label, from, to, colour)) in rows.enumerate() {
            let top = 6.0 - index as f64;
            // A factor of one moves nothing: a hair keeps its place.
            let (left, right) = if from.max(to) / from.min(to) < 1.02 {
                (from / 1.01, from * 1.01)
            } else {
                (from.min(to), from.max(to))
            };
            plot.draw(&Rectangle::new([(left, top - 0.18), (right, top - 0.82)], colour.filled()))?;
            let (_, y) = plot.map_coordinate(&(1.0, top - 0.5));
            area.draw(&Text::new(name.to_owned(), (96, y), text(INK, HPos::Right)))?;
            let (x, _) = plot.map_coordinate(&(right, top - 0.5));
            area.draw(&Text::new(label, (x + 6, y), text(INK, HPos::Left)))?;
        }
        Ok(())
    })
}

/// Newsrooms, and among them distinct texts, from the first mention on.
#[must_use]
pub fn breadth_over_time(event: &Event, locale: Locale) -> String {
    let t = locale.texts();
    let (start, last) = (event.first_mention(), event.last_mention());
    // A newsroom that is counted already may still bring another text.
    let newest = event.items.iter().map(|item| item.mention_at).max().unwrap_or(last).max(last);
    let axis = TimeAxis::new(start, newest + ((newest - start) / 12).max(600), locale);
    let newsrooms: Vec<f64> = event.mentions.iter().map(|mention| axis.at(mention.at)).collect();
    let texts = text_times(&event.items, &axis);
    let description = (t.breadth_chart_text)(
        event.newsrooms(),
        event.texts,
        &locale.moment(start),
        &locale.moment(last),
    );
    chart("breadth-chart", 260, t.breadth_chart, &description, |area| {
        let top = newsrooms.len().max(texts.len()) as f64;
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(130)
            .x_label_area_size(28)
            .y_label_area_size(40)
            .build_cartesian_2d(axis.range(), 0.0..top * 1.08)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(8)
            .y_labels(5)
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_label_style(text(MUTED, HPos::Center))
            .y_label_style(text(MUTED, HPos::Right))
            .x_label_formatter(&|x| axis.label(*x, locale))
            .y_label_formatter(&|value| {
                if value.fract() == 0.0 { locale.figure(*value) } else { String::new() }
            })
            .draw()?;
        let line = steps(&newsrooms, &axis);
        chart.draw_series(AreaSeries::new(line.iter().copied(), 0.0, SOFT))?;
        chart.draw_series(LineSeries::new(line, ACCENT.stroke_width(2)))?;
        chart.draw_series(LineSeries::new(steps(&texts, &axis), INK.stroke_width(2)))?;
        let plot = chart.plotting_area();
        // Labels of counts that lie close to one another step aside, the greater one upwards.
        let (count, distinct) = (newsrooms.len(), texts.len());
        let close = (count.abs_diff(distinct) as f64) <= top * 0.08;
        let (up, down) = if close { (-9, 9) } else { (0, 0) };
        let (shift, other) = if count >= distinct { (up, down) } else { (down, up) };
        for (count, label, colour, shift) in [
            (count, (t.newsrooms)(count as i64), ACCENT, shift),
            (distinct, (t.texts)(distinct as i64), INK, other),
        ] {
            let (x, y) = plot.map_coordinate(&(axis.range().end, count as f64));
            area.draw(&Text::new(label, (x + 6, y + shift), text(colour, HPos::Left)))?;
        }
        Ok(())
    })
}

/// When each distinct text appeared.
fn text_times(items: &[EventItem], axis: &TimeAxis) -> Vec<f64> {
    let mut seen = HashSet::new();
    items
        .iter()
        .filter(|item| seen.insert(item.origin))
        .map(|item| axis.at(item.mention_at.clamp(axis.start, axis.end)))
        .collect()
}

/// A count that goes up by one at each of the times, which ascend.
fn steps(times: &[f64], axis: &TimeAxis) -> Vec<(f64, f64)> {
    let mut points = vec![(axis.range().start, 0.0)];
    for (index, &time) in times.iter().enumerate() {
        points.push((time, index as f64));
        points.push((time, index as f64 + 1.0));
    }
    points.push((axis.range().end, times.len() as f64));
    points
}

/// A time axis whose unit is one tick, and whose ticks are whole local times.
struct TimeAxis {
    /// A whole local time at or before the start.
    origin: UnixSeconds,
    step: i64,
    start: UnixSeconds,
    end: UnixSeconds,
}

impl TimeAxis {
    const STEPS: [i64; 11] =
        [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];
    const TICKS: i64 = 6;

    fn new(start: UnixSeconds, end: UnixSeconds, locale: Locale) -> Self {
        let end = end.max(start + 60);
        let fits = |step: &i64| (end - start) / step <= Self::TICKS;
        let step = Self::STEPS.into_iter().find(fits).unwrap_or(86_400);
        Self { origin: locale.whole(start, step), step, start, end }
    }

    fn at(&self, time: UnixSeconds) -> f64 {
        (time - self.origin) as f64 / self.step as f64
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.at(self.start)..self.at(self.end)
    }

    fn label(&self, x: f64, locale: Locale) -> String {
        if (x - x.round()).abs() > 1e-6 {
            return String::new();
        }
        let time = self.origin + x.round() as i64 * self.step;
        let midnight = locale.whole(time, 86_400) == time;
        if midnight { locale.day(time) } else { locale.clock(time) }
    }
}

/// Newsrooms whose places are known, in order of mention: the order of the chart's numbers.
#[must_use]
pub fn placed_newsrooms(event: &Event) -> Vec<NewsroomId> {
    let placed: HashSet<NewsroomId> = event
        .items
        .iter()
        .filter(|item| !item.places.is_empty())
        .map(|item| item.newsroom)
        .collect();
    let in_order = event.mentions.iter().map(|mention| mention.newsroom);
    in_order.filter(|newsroom| placed.contains(newsroom)).collect()
}

/// Where each newsroom kept the event in its feed, the first place on top. Lines carry the numbers
/// of [`placed_newsrooms`]. Empty when no place is known.
#[must_use]
pub fn positions(event: &Event, newsrooms: &[Newsroom], locale: Locale) -> String {
    let t = locale.texts();
    let placed = placed_newsrooms(event);
    let places = || event.items.iter().flat_map(|item| &item.places);
    let (Some(start), Some(end), Some(lowest)) = (
        places().map(|place| place.from).min(),
        places().map(|place| place.until).max(),
        places().map(|place| place.position).max(),
    ) else {
        return String::new();
    };
    let axis = TimeAxis::new(start, end, locale);
    let best: Vec<String> = event
        .mentions
        .iter()
        .filter_map(|mention| {
            let newsroom = newsrooms.iter().find(|newsroom| newsroom.id == mention.newsroom)?;
            Some(format!(
                "{} {}",
                newsroom.name,
                (t.place_of)(mention.best_position, mention.feed_length)
            ))
        })
        .collect();
    let description = (t.positions_chart_text)(&best);
    chart("positions-chart", 340, t.positions_chart, &description, |area| {
        // Places are drawn as negative numbers: the first place belongs on top.
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(28)
            .x_label_area_size(28)
            .y_label_area_size(44)
            .build_cartesian_2d(axis.range(), -(f64::from(lowest.max(5)) + 0.8)..-0.2)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(8)
            .y_labels(6)
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_label_style(text(MUTED, HPos::Center))
            .y_label_style(text(MUTED, HPos::Right))
            .x_label_formatter(&|x| axis.label(*x, locale))
            .y_label_formatter(&|place| {
                if *place < 0.0 { locale.figure(-place) } else { String::new() }
            })
            .draw()?;
        for (index, &newsroom) in placed.iter().enumerate().rev() {
            let own = || event.items.iter().filter(|item| item.newsroom == newsroom);
            for line in own().flat_map(|item| stretches(item, &axis)) {
                let style = if index < COLOURS {
                    series(index).stroke_width(2)
                } else {
                    MUTED.mix(0.35).stroke_width(1)
                };
                chart.draw_series(LineSeries::new(line, style))?;
            }
            let first = own().flat_map(|item| &item.places).min_by_key(|place| place.from);
            if let (Some(place), true) = (first, index < COLOURS) {
                let at = (axis.at(place.from), -f64::from(place.position));
                let (x, y) = chart.plotting_area().map_coordinate(&at);
                area.draw(&Circle::new((x + 8, y), 8, series(index).filled()))?;
                let number = (index + 1).to_string();
                area.draw(&Text::new(number, (x + 8, y + 1), text(PAPER, HPos::Center)))?;
            }
        }
        Ok(())
    })
}

/// The item's places in each feed as lines, broken where it was away.
fn stretches(item: &EventItem, axis: &TimeAxis) -> Vec<Vec<(f64, f64)>> {
    let mut lines: Vec<(&Place, Vec<(f64, f64)>)> = Vec::new();
    for place in &item.places {
        let height = -f64::from(place.position);
        let points = [place.from, place.until.max(place.from + 60)].map(|at| (axis.at(at), height));
        let left = lines.iter_mut().rfind(|(last, _)| {
            last.source == place.source && hours_between(last.until, place.from) <= ABSENCE_HOURS
        });
        match left {
            Some((last, line)) => {
                *last = place;
                line.extend(points);
            }
            None => lines.push((place, points.to_vec())),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Requests per day: unchanged listings, changed ones, failures and refusals on top of each other.
#[must_use]
pub fn days(days: &[Day], locale: Locale) -> String {
    let t = locale.texts();
    let total = |day: &Day| day.answered + day.failed + day.refused;
    let Some(most) = days.iter().map(total).max().filter(|&most| most > 0) else {
        return String::new();
    };
    let sum = |pick: fn(&Day) -> u32| days.iter().map(|day| i64::from(pick(day))).sum::<i64>();
    let description = (t.days_chart_text)(
        days.len() as u32,
        sum(|day| day.answered),
        sum(|day| day.failed),
        sum(|day| day.refused),
    );
    chart("days-chart", 220, t.days_chart, &description, |area| {
        let slots = days.len().max(10) as f64;
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(28)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..slots, 0.0..f64::from(most) * 1.05)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_labels(4)
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .y_label_style(text(MUTED, HPos::Right))
            .y_label_formatter(&|value| locale.figure(*value))
            .draw()?;
        for (index, day) in days.iter().enumerate() {
            let left = index as f64;
            let mut floor = 0.0;
            for (count, colour) in [
                (day.unchanged, SOFT),
                (day.answered.saturating_sub(day.unchanged), ACCENT),
                (day.failed, BAD),
                (day.refused, MUTED),
            ] {
                let top = floor + f64::from(count);
                if count > 0 {
                    let bar = [(left + 0.1, floor), (left + 0.9, top)];
                    chart.plotting_area().draw(&Rectangle::new(bar, colour.filled()))?;
                }
                floor = top;
            }
        }
        for index in [0, days.len() - 1].into_iter().take(days.len()) {
            let middle = (index as f64 + 0.5, 0.0);
            let (x, y) = chart.plotting_area().map_coordinate(&middle);
            let label = locale.day(days[index].at);
            area.draw(&Text::new(label, (x, y + 16), text(MUTED, HPos::Center)))?;
        }
        Ok(())
    })
}

/// Newsrooms over the 24 hours before `at`, as the data of one small path (96 × 24, filled): lean
/// enough for fifty of them on a page, and on one axis, so that rows can be compared.
#[must_use]
pub fn sparkline(event: &Event, at: UnixSeconds) -> String {
    const QUARTER: i64 = 900;
    let total = event.mentions.len().max(1) as i64;
    let mut path = "M0 24".to_owned();
    for (index, mention) in event.mentions.iter().enumerate() {
        let x = (96 - (at - mention.at).div_euclid(QUARTER)).clamp(0, 95);
        let y = 24 - 23 * (index as i64 + 1) / total;
        path.push_str(&format!("H{x}V{y}"));
    }
    path.push_str("H96V24z");
    path
}
