//! The fastest videos.

use model::Video;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::{ACCENT, INK, WIDTH, chart, text};
use crate::i18n::Locale;

const SHOWN: usize = 10;
const ROW: u32 = 44;
const TITLE_CHARS: usize = 62;

/// Views per hour of the fastest videos whose tempo is reliable, as bars under their titles. Empty
/// where there is none.
#[must_use]
pub fn tempos(videos: &[Video], locale: Locale) -> String {
    let t = &locale.texts().videos_page;
    let rows: Vec<(String, f64)> = videos
        .iter()
        .filter_map(|video| {
            Some((short(&video.title), video.tempo.filter(|tempo| tempo.reliable)?))
        })
        .map(|(title, tempo)| (title, tempo.per_hour))
        .filter(|(_, per_hour)| *per_hour > 0.0)
        .take(SHOWN)
        .collect();
    let Some(most) = rows.iter().map(|(_, per_hour)| *per_hour).reduce(f64::max) else {
        return String::new();
    };
    let said: Vec<String> = rows
        .iter()
        .map(|(title, per_hour)| format!("{title} {}", locale.figure(*per_hour)))
        .collect();
    let height = ROW * rows.len() as u32 + 8;
    chart("tempo-chart", height, t.chart, &(t.chart_text)(&said), |area| {
        // Beside the longest bar its number has to stand as well.
        let room = f64::from(WIDTH - 100);
        for (index, (title, per_hour)) in rows.iter().enumerate() {
            let top = (index as u32 * ROW + 6) as i32;
            let length = (per_hour / most * room).max(2.0) as i32;
            let bar = [(0, top + 20), (length, top + 34)];
            area.draw(&Text::new(title.clone(), (0, top + 9), text(INK, HPos::Left)))?;
            area.draw(&Rectangle::new(bar, ACCENT.filled()))?;
            let number = locale.figure(*per_hour);
            area.draw(&Text::new(number, (length + 6, top + 27), text(INK, HPos::Left)))?;
        }
        Ok(())
    })
}

/// Without control marks, and no longer than the chart is wide.
fn short(title: &str) -> String {
    let title = crate::parts::plain(title);
    if title.chars().count() <= TITLE_CHARS {
        return title;
    }
    let cut: String = title.chars().take(TITLE_CHARS - 1).collect();
    format!("{}…", cut.trim_end())
}
