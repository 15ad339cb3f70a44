//! How an event's heat rose and fell.

use model::{Factors, UnixSeconds};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::{ACCENT, INK, LINE, MUTED, SOFT, TimeAxis, chart, text};
use crate::i18n::Locale;

/// Recomputes that are drawn: more than there are pixels to tell apart would only weigh.
const DRAWN: usize = 200;

/// Heat as an area and breadth as a line, each on its own axis, recompute by recompute. Empty
/// where fewer than two recomputes are on record.
#[must_use]
pub fn scores(scores: &[(UnixSeconds, Factors, u32)], locale: Locale) -> String {
    let t = locale.texts();
    let ([(start, _, _), .., (end, last, _)], Some(&(peak_at, peak, _))) =
        (scores, scores.iter().max_by(|(_, a, _), (_, b, _)| a.heat().total_cmp(&b.heat())))
    else {
        return String::new();
    };
    let step = scores.len().div_ceil(DRAWN);
    let drawn: Vec<_> =
        scores[..scores.len() - 1].iter().step_by(step).chain(scores.last()).collect();
    let axis = TimeAxis::new(*start, *end, locale);
    let hottest = peak.heat().max(1e-6) * 1.1;
    let broadest = scores.iter().map(|(_, factors, _)| factors.breadth).fold(1.0, f64::max) * 1.1;
    let description = (t.scores_chart_text)(
        &locale.figure(peak.heat()),
        &locale.moment(peak_at),
        &locale.figure(last.heat()),
        &locale.figure(last.breadth),
    );
    chart("scores-chart", 260, t.scores_chart, &description, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_top(32)
            .x_label_area_size(28)
            .y_label_area_size(64)
            .right_y_label_area_size(48)
            .build_cartesian_2d(axis.range(), 0.0..hottest)?
            .set_secondary_coord(axis.range(), 0.0..broadest);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(8)
            .y_labels(5)
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .x_label_style(text(MUTED, HPos::Center))
            .y_label_style(text(ACCENT, HPos::Right))
            .x_label_formatter(&|x| axis.label(*x, locale))
            .y_label_formatter(&|value| locale.figure(*value))
            .draw()?;
        chart
            .configure_secondary_axes()
            .y_labels(5)
            .axis_style(LINE)
            .label_style(text(INK, HPos::Left))
            .y_label_formatter(&|value: &f64| locale.figure(*value))
            .draw()?;
        let heat: Vec<(f64, f64)> =
            drawn.iter().map(|(at, factors, _)| (axis.at(*at), factors.heat())).collect();
        chart.draw_series(AreaSeries::new(heat.iter().copied(), 0.0, SOFT))?;
        chart.draw_series(LineSeries::new(heat, ACCENT.stroke_width(2)))?;
        let mut breadth = Vec::with_capacity(drawn.len() * 2);
        for (at, factors, _) in &drawn {
            // It holds until the next recompute says otherwise.
            if let Some(&(_, before)) = breadth.last() {
                breadth.push((axis.at(*at), before));
            }
            breadth.push((axis.at(*at), factors.breadth));
        }
        chart.draw_secondary_series(LineSeries::new(breadth, INK.stroke_width(2)))?;
        area.draw(&Text::new(t.heat.to_owned(), (8, 9), text(ACCENT, HPos::Left)))?;
        let (width, _) = area.dim_in_pixel();
        let right = (width as i32 - 8, 9);
        area.draw(&Text::new(t.breadth.to_owned(), right, text(INK, HPos::Right)))?;
        Ok(())
    })
}
