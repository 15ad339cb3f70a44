//! The picture that messengers and social networks show beside a link to an event (PNG).

use model::{Event, Snapshot, SpreadLabel};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::charts::{self, FONT};
use crate::i18n::Locale;
use crate::parts::plain;

/// What the readers of OpenGraph ask for.
pub const SIZE: (u32, u32) = (1200, 630);

const PAPER: RGBColor = RGBColor(0xfc, 0xfc, 0xfa);
const INK: RGBColor = RGBColor(0x17, 0x20, 0x2a);
const MUTED: RGBColor = RGBColor(0x56, 0x61, 0x6d);
const ACCENT: RGBColor = RGBColor(0x0b, 0x5c, 0x6e);
const SOFT: RGBColor = RGBColor(0xb9, 0xdb, 0xe0);

/// Drawn twice as large and then averaged, since the backend sets letters on whole pixels. All
/// lengths below are of the drawing.
const DRAWN: (i32, i32) = (2 * SIZE.0 as i32, 2 * SIZE.1 as i32);
const MARGIN: i32 = 128;
const RIGHT: i32 = DRAWN.0 - MARGIN;
const TITLE_LEFT: i32 = 700;
const TITLE_LINES: usize = 4;
/// Top and bottom of the curve of breadth over the day before.
const CURVE: (i32, i32) = (860, 1_040);

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("drawing failed: {0}")]
    Draw(String),
    #[error(transparent)]
    Encode(#[from] png::EncodingError),
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for Error {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Draw(error.to_string())
    }
}

/// The event's count, title, spread and curve.
///
/// # Errors
///
/// When the font cannot be read or the picture cannot be encoded.
pub fn event(event: &Event, snapshot: &Snapshot, locale: Locale) -> Result<Vec<u8>, Error> {
    let t = locale.texts();
    let mut facts = Vec::new();
    if event.newsrooms() > 1 {
        let label = SpreadLabel::of(event.spread_hours, &snapshot.model.heat);
        facts.push(format!("{} {}", t.spread, locale.spread(label)));
    }
    facts.push((t.owners)(event.owners.into()));
    facts.push((t.texts)(event.texts.into()));
    draw(|area| {
        frame(area, snapshot, locale)?;
        let count = locale.integer(event.newsrooms().into());
        text(area, &count, (MARGIN, 260), Type { size: 340, bold: true, colour: ACCENT })?;
        let word = (t.newsrooms_word)(event.newsrooms());
        text(area, word, (MARGIN, 500), Type { size: 88, bold: false, colour: INK })?;
        let title = Type { size: 112, bold: true, colour: INK };
        let lines = lines(&plain(&event.title), title, RIGHT - TITLE_LEFT);
        for (line, y) in lines.iter().zip((270..).step_by(140)) {
            text(area, line, (TITLE_LEFT, y), title)?;
        }
        curve(area, event, snapshot)?;
        let small = Type { size: 68, bold: false, colour: MUTED };
        text(area, &facts.join(" · "), (MARGIN, DRAWN.1 - 160), small)
    })
}

/// The site's own picture, for pages that are about no single event.
///
/// # Errors
///
/// As [`event`].
pub fn board(snapshot: &Snapshot, locale: Locale) -> Result<Vec<u8>, Error> {
    let t = locale.texts();
    draw(|area| {
        frame(area, snapshot, locale)?;
        let title = Type { size: 168, bold: true, colour: INK };
        let small = Type { size: 76, bold: false, colour: MUTED };
        let mut y = 360;
        for (content, style) in [(t.board, title), (t.board_lede, small)] {
            for line in lines(content, style, RIGHT - MARGIN) {
                text(area, &line, (MARGIN, y), style)?;
                y += style.size * 5 / 4;
            }
            y += style.size / 3;
        }
        Ok(())
    })
}

fn draw(content: impl FnOnce(&Area) -> Result<(), Error>) -> Result<Vec<u8>, Error> {
    charts::fonts();
    let (width, height) = (DRAWN.0.unsigned_abs(), DRAWN.1.unsigned_abs());
    let mut pixels = vec![0; (width * height * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        area.fill(&PAPER)?;
        content(&area)?;
        area.present()?;
    }
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&halved(&pixels, 3 * width as usize))?;
    writer.finish()?;
    Ok(png)
}

/// The mean of every four pixels; `row` is the length of a line in bytes.
fn halved(pixels: &[u8], row: usize) -> Vec<u8> {
    let lines = pixels.chunks_exact(2 * row).map(|lines| lines.split_at(row));
    let squares = lines.flat_map(|(upper, lower)| upper.chunks_exact(6).zip(lower.chunks_exact(6)));
    let mean = |a: &[u8], b: &[u8], at: usize| {
        let sum = [a[at], a[at + 3], b[at], b[at + 3]].into_iter().map(u16::from).sum::<u16>();
        ((sum + 2) / 4) as u8
    };
    squares.flat_map(|(upper, lower)| [0, 1, 2].map(|at| mean(upper, lower, at))).collect()
}

/// Site, moment, and that newsrooms are invented where they are.
fn frame(area: &Area, snapshot: &Snapshot, locale: Locale) -> Result<(), Error> {
    let t = locale.texts();
    area.draw(&Rectangle::new([(0, 0), (DRAWN.0, 24)], ACCENT.filled()))?;
    text(area, t.site, (MARGIN, 88), Type { size: 88, bold: true, colour: ACCENT })?;
    let small = Type { size: 60, bold: false, colour: MUTED };
    let moment = locale.moment(snapshot.board.at);
    let moment = if snapshot.demo { format!("{} · {moment}", t.demo_short) } else { moment };
    text(area, &moment, (RIGHT - small.width(&moment), 104), small)
}

fn curve(area: &Area, event: &Event, snapshot: &Snapshot) -> Result<(), Error> {
    let (top, bottom) = CURVE;
    let width = f64::from(RIGHT - TITLE_LEFT);
    let day = (24 * model::SECONDS_PER_HOUR) as f64;
    let total = event.mentions.len().max(1) as i32;
    let mut points = vec![(TITLE_LEFT, bottom)];
    for (mention, count) in event.mentions.iter().zip(1..) {
        let age = ((snapshot.board.at - mention.at) as f64 / day).clamp(0.0, 1.0);
        let x = RIGHT - (age * width) as i32;
        let before = points.last().map_or(bottom, |&(_, y)| y);
        points.push((x, before));
        points.push((x, bottom - (bottom - top) * count / total));
    }
    points.push((RIGHT, points.last().map_or(bottom, |&(_, y)| y)));
    let line = PathElement::new(points.clone(), ACCENT.stroke_width(6));
    points.push((RIGHT, bottom));
    area.draw(&Polygon::new(points, SOFT.filled()))?;
    Ok(area.draw(&line)?)
}

#[derive(Clone, Copy)]
struct Type {
    size: i32,
    bold: bool,
    colour: RGBColor,
}

impl Type {
    fn font(self) -> FontDesc<'static> {
        let style = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        FontDesc::new(FontFamily::Name(FONT), f64::from(self.size), style)
    }

    fn width(self, text: &str) -> i32 {
        self.font().box_size(text).map_or(0, |(width, _)| width as i32)
    }
}

fn text(area: &Area, text: &str, at: (i32, i32), style: Type) -> Result<(), Error> {
    Ok(area.draw(&Text::new(text.to_owned(), at, style.font().color(&style.colour)))?)
}

/// Breaks a text into lines that fit, in the middle of a word where one alone does not. What is left
/// after the last line is an ellipsis.
fn lines(text: &str, style: Type, width: i32) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut words: Vec<&str> = text.split_whitespace().rev().collect();
    while let Some(word) = words.pop() {
        let line = lines.last().map_or("", String::as_str);
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if style.width(&longer) <= width {
            lines.pop();
            lines.push(longer);
            continue;
        }
        if lines.len() == TITLE_LINES {
            let mut last = longer;
            while style.width(&format!("{last}…")) > width && last.pop().is_some() {}
            lines.pop();
            lines.push(format!("{}…", last.trim_end()));
            break;
        }
        if line.is_empty() {
            // At least one character goes, so that this ends.
            let fits = |end: usize| end == 0 || style.width(&word[..end]) <= width;
            let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
            let first = word.chars().next().map_or(0, char::len_utf8);
            let end = ends.take_while(|&end| fits(end)).last().unwrap_or(first);
            lines.pop();
            lines.push(word[..end].to_owned());
            if end < word.len() {
                words.push(&word[end..]);
                lines.push(String::new());
            }
        } else {
            words.push(word);
            lines.push(String::new());
        }
    }
    lines
}
