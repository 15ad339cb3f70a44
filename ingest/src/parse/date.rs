//! Dates as feeds write them: W3CDTF, RFC 822 and what people type, in the languages of our sources.
//!
//! A date is read whole or not at all: a word that means nothing makes it unknown, since a wrong time
//! is worse than none.

use chrono::{DateTime, Duration, LocalResult, NaiveDate, NaiveDateTime, TimeZone};
use chrono_tz::Tz;
use model::UnixSeconds;
use unicode_normalization::UnicodeNormalization;

/// Longer texts are no dates.
const LONGEST: usize = 120;

/// The instant that `text` means. A time without a zone is one of `timezone`; a date without a time
/// is its midnight.
pub fn parse(text: &str, timezone: Tz) -> Option<UnixSeconds> {
    if text.len() > LONGEST {
        return None;
    }
    let plain = text.replace("\\n", " ");
    let plain = without_brackets(plain.trim());
    let date = iso(&plain).or_else(|| compact(&plain)).or_else(|| spoken(&plain))?;
    date.instant(timezone)
}

/// A calendar date with the time of day and the zone, as far as they are given.
#[derive(Clone, Copy, Debug)]
struct Parts {
    date: NaiveDate,
    /// Seconds since midnight; up to a day and a second, for 24:00 and leap seconds.
    seconds: i64,
    zone: Option<Zone>,
}

#[derive(Clone, Copy, Debug)]
enum Zone {
    /// Seconds east of Greenwich.
    Offset(i64),
    Named(Tz),
}

impl Parts {
    fn instant(self, timezone: Tz) -> Option<UnixSeconds> {
        let local =
            self.date.and_hms_opt(0, 0, 0)?.checked_add_signed(Duration::seconds(self.seconds))?;
        match self.zone {
            Some(Zone::Offset(east)) => local.and_utc().timestamp().checked_sub(east),
            Some(Zone::Named(zone)) => in_zone(local, zone),
            None => in_zone(local, timezone),
        }
    }
}

/// Of a time that a clock shows twice, the first; of one that it skips, as if it had not.
fn in_zone(local: NaiveDateTime, zone: Tz) -> Option<UnixSeconds> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time.timestamp()),
        LocalResult::None => {
            let before = zone.from_local_datetime(&(local - Duration::hours(1))).earliest()?;
            Some(before.timestamp() + 3_600)
        }
    }
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    let outside = |character: &char| {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    text.chars().filter(outside).collect::<String>().trim().to_owned()
}

/// W3CDTF and RFC 3339, `2026-03-02T08:15:00+01:00`, with or without its later parts.
fn iso(text: &str) -> Option<Parts> {
    let split = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, time) = text.split_at(split);
    let mut numbers = date.split('-');
    let year = numbers.next()?;
    if year.len() != 4 {
        return None;
    }
    let year = number(year)?;
    let mut part = || match numbers.next() {
        // A superfluous zero in front is a slip; more digits are something else.
        Some(part) if part.len() <= 3 => number(part),
        Some(_) => None,
        None => Some(1),
    };
    let (month, day) = (part()?, part()?);
    if numbers.next().is_some() {
        return None;
    }
    let date = ymd(year, month, day)?;
    let Some(time) = time.get(1..).map(str::trim).filter(|time| !time.is_empty()) else {
        return Some(Parts { date, seconds: 0, zone: None });
    };
    let end = time
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ',')))
        .unwrap_or(time.len());
    let (clock, zone) = time.split_at(end);
    let seconds = clock_seconds(clock)?;
    let zone = zone.trim();
    let zone = match zone {
        "" => None,
        // "-05:00Z": what the writer computed, then what the template added.
        zone => Some(self::zone(zone).or_else(|| self::zone(zone.strip_suffix(['Z', 'z'])?))?),
    };
    Some(Parts { date, seconds, zone })
}

/// Digits only: Unix time, `20260302T081500Z`, and the truncated dates of ISO 8601:1988.
fn compact(text: &str) -> Option<Parts> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let utc = |time: DateTime<chrono::Utc>| Parts {
        date: time.date_naive(),
        seconds: time.timestamp().rem_euclid(86_400),
        zone: Some(Zone::Offset(0)),
    };
    let (head, rest) = text.split_at(text.find(['T', 't', 'Z', 'z']).unwrap_or(text.len()));
    if head.len() == 8 && digits(head) {
        let date = ymd(number(head.get(..4)?)?, number(head.get(4..6)?)?, number(head.get(6..)?)?)?;
        let clock = rest.trim_start_matches(['T', 't']);
        let zone = clock.trim_start_matches(|c: char| c.is_ascii_digit());
        let clock = &clock[..clock.len() - zone.len()];
        let two = |from: usize| clock.get(from..from + 2).map_or(Some(0), number);
        let seconds = time_of_day(two(0)?, two(2)?, two(4)?)?;
        let zone = if zone.is_empty() { None } else { Some(self::zone(zone)?) };
        return Some(Parts { date, seconds, zone });
    }
    if digits(text) && matches!(text.len(), 9 | 10) {
        return DateTime::from_timestamp(text.parse().ok()?, 0).map(utc);
    }
    if digits(text) && text.len() == 13 {
        return DateTime::from_timestamp_millis(text.parse().ok()?).map(utc);
    }
    let date = match (text.strip_prefix('-'), text.len()) {
        (Some(rest), _) => {
            let rest = rest.replace('-', "");
            let valid = rest.len() == 4 && digits(&rest);
            valid.then(|| ymd(century(number(&rest[..2])?), number(&rest[2..])?, 1))??
        }
        (None, 6) if digits(text) => {
            ymd(century(number(&text[..2])?), number(&text[2..4])?, number(&text[4..])?)?
        }
        (None, 8) if text.matches('-').count() == 2 => {
            let mut parts = text.split('-').map(number);
            ymd(century(parts.next()??), parts.next()??, parts.next()??)?
        }
        // Year and day of the year; with zeros in front it could be any number.
        (None, 5) if digits(text) && number(&text[2..])? >= 100 => NaiveDate::from_yo_opt(
            i32::try_from(century(number(&text[..2])?)).ok()?,
            u32::try_from(number(&text[2..])?).ok()?,
        )?,
        _ => return None,
    };
    Some(Parts { date, seconds: 0, zone: None })
}

/// What was collected of a spoken date.
#[derive(Default)]
struct Spoken {
    month: Option<i64>,
    /// The month's word stood before all numbers.
    month_leads: bool,
    /// Days and years, in their order; whether they were written with four digits.
    numbers: Vec<(i64, bool)>,
    date: Option<NaiveDate>,
    seconds: Option<i64>,
    afternoon: Option<bool>,
    zone: Option<Zone>,
}

/// Words and numbers in almost any order: RFC 822 and its relatives.
fn spoken(text: &str) -> Option<Parts> {
    const KOREAN_UNITS: [char; 3] = ['년', '월', '일'];
    let mut spoken = Spoken::default();
    if text.contains(KOREAN_UNITS) {
        spoken.zone = Some(Zone::Named(Tz::Asia__Seoul));
    }
    let plain = text.to_lowercase().replace(KOREAN_UNITS, " ").replace([',', ';'], " ");
    for word in plain.split_whitespace() {
        spoken.take(word)?;
    }
    spoken.finish()
}

impl Spoken {
    fn take(&mut self, word: &str) -> Option<()> {
        let started = self.month.is_some() || !self.numbers.is_empty() || self.date.is_some();
        match word {
            "at" if self.seconds.is_none() => return Some(()),
            "-" | "–" | "|" | "um" | "uhr" | "à" | "alle" | "ore" | "o" | "v" | "de" | "of" => {
                return Some(());
            }
            "am" | "a.m." => return self.half_day(false),
            "pm" | "p.m." => return self.half_day(true),
            "오전" | "오후" => {
                self.zone.get_or_insert(Zone::Named(Tz::Asia__Seoul));
                return self.half_day(word == "오후");
            }
            _ => {}
        }
        if word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(':') {
            return self.clock(word);
        }
        if self.seconds.is_some()
            && let Some(zone) = zone(word)
        {
            // Behind its own offset a zone's name is only a comment.
            self.zone.get_or_insert(zone);
            return Some(());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(word);
        }
        let word = word.trim_matches('.');
        if let Some(month) = month(word) {
            // "mar." is Tuesday or March in French: before the number it was the day after all.
            let was_a_day = std::mem::replace(&mut self.month_leads, self.numbers.is_empty());
            return (self.month.replace(month).is_none() || was_a_day).then_some(());
        }
        // The name of a day says nothing that the date does not.
        let is_day = word.chars().all(char::is_alphabetic) && !started;
        if is_day || DAYS.contains(&word) {
            return Some(());
        }
        if let Some(zone) = zone(word) {
            self.zone.get_or_insert(zone);
            return Some(());
        }
        self.joined(word)
    }

    fn half_day(&mut self, afternoon: bool) -> Option<()> {
        self.afternoon.replace(afternoon).is_none().then_some(())
    }

    fn clock(&mut self, word: &str) -> Option<()> {
        if self.seconds.is_some() {
            return None;
        }
        // Attached to the time: "3:09pm", "08:15:00z", "08:15:00+01:00".
        let end = word
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.')))
            .unwrap_or(word.len());
        let (clock, rest) = word.split_at(end);
        self.seconds = Some(clock_seconds(clock.trim_end_matches('.'))?);
        match rest {
            "" => Some(()),
            "am" | "a.m." => self.half_day(false),
            "pm" | "p.m." => self.half_day(true),
            rest => {
                self.zone = Some(zone(rest)?);
                Some(())
            }
        }
    }

    fn number(&mut self, word: &str) -> Option<()> {
        let word = word.trim_end_matches('.');
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        match &word[digits..] {
            "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "°" => {
                self.numbers.push((number(&word[..digits])?, digits == 4));
                (digits <= 4 && self.numbers.len() <= 3).then_some(())
            }
            "am" | "pm" if self.seconds.is_none() => {
                self.seconds = Some(time_of_day(number(&word[..digits])?, 0, 0)?);
                self.half_day(word.ends_with("pm"))
            }
            _ => self.joined(word),
        }
    }

    /// Parts joined by a sign: `02.03.2026`, `2016/6/29`, `03/30/2020`, `2-Mar-2026`,
    /// `2004-július-13t9:15-05:00`.
    fn joined(&mut self, word: &str) -> Option<()> {
        let sign = word.chars().find(|sign| matches!(sign, '.' | '/' | '-'))?;
        let (date, time) = match word.split_once('t') {
            Some((date, time)) if time.contains(':') => (date, Some(time)),
            _ => (word, None),
        };
        if let Some(time) = time {
            self.clock(time)?;
        }
        let parts: Vec<&str> = date.split(sign).filter(|part| !part.is_empty()).collect();
        let [first, second, third] = parts[..] else { return None };
        if self.date.is_some() || self.month.is_some() || !self.numbers.is_empty() {
            return None;
        }
        if let Some(month) = month(second) {
            let (day, year) = if first.len() == 4 { (third, first) } else { (first, third) };
            self.date = Some(ymd(full_year(year)?, month, number(day)?)?);
            return Some(());
        }
        let numbers = [number(first)?, number(second)?, number(third)?];
        self.date = Some(match (sign, numbers) {
            (_, [year, month, day]) if first.len() == 4 => ymd(year, month, day)?,
            // Strokes are American unless the numbers say otherwise.
            ('/', [month, day, _]) if month <= 12 => ymd(full_year(third)?, month, day)?,
            (_, [day, month, _]) => ymd(full_year(third)?, month, day)?,
        });
        Some(())
    }

    fn finish(self) -> Option<Parts> {
        let date = match (self.date, self.month, &self.numbers[..]) {
            (Some(date), None, []) => date,
            (None, Some(month), [(day, false), (year, four)]) => {
                ymd(if *four { *year } else { century(*year) }, month, *day)?
            }
            (None, Some(month), [(year, true), (day, false)]) => ymd(*year, month, *day)?,
            (None, Some(month), [(year, true)]) => ymd(*year, month, 1)?,
            (None, None, [(day, false), (month, false), (year, true)]) => ymd(*year, *month, *day)?,
            (None, None, [(year, true), (month, false), (day, false)]) => ymd(*year, *month, *day)?,
            _ => return None,
        };
        let mut seconds = self.seconds.unwrap_or(0);
        // A clock of 24 hours with "PM" behind it is a template's mistake.
        match self.afternoon {
            Some(true) if seconds < 43_200 => seconds += 43_200,
            Some(false) if (43_200..46_800).contains(&seconds) => seconds -= 43_200,
            _ => {}
        }
        Some(Parts { date, seconds, zone: self.zone })
    }
}

fn number(text: &str) -> Option<i64> {
    let valid =
        !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| text.parse().ok())?
}

fn ymd(year: i64, month: i64, day: i64) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(
        i32::try_from(year).ok()?,
        u32::try_from(month).ok()?,
        u32::try_from(day).ok()?,
    )
}

/// A year of two digits, as in RFC 2822.
fn century(year: i64) -> i64 {
    match year {
        0..50 => year + 2_000,
        50..100 => year + 1_900,
        _ => year,
    }
}

fn full_year(text: &str) -> Option<i64> {
    let year = number(text)?;
    match text.len() {
        4 => Some(year),
        2 => Some(century(year)),
        _ => None,
    }
}

/// `8:15`, `08:15:00`, `08:15:00.123`.
fn clock_seconds(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':');
    let hours = number(parts.next()?)?;
    let minutes = parts.next().map_or(Some(0), number)?;
    let seconds = match parts.next() {
        Some(seconds) => number(seconds.split(['.', ',']).next()?)?,
        None => 0,
    };
    if parts.next().is_some() {
        return None;
    }
    time_of_day(hours, minutes, seconds)
}

/// 24:00 is the next midnight, a leap second the next minute.
fn time_of_day(hours: i64, minutes: i64, seconds: i64) -> Option<i64> {
    let valid =
        (hours < 24 || (hours, minutes, seconds) == (24, 0, 0)) && minutes < 60 && seconds <= 60;
    valid.then_some(hours * 3_600 + minutes * 60 + seconds)
}

fn zone(word: &str) -> Option<Zone> {
    if let Some(offset) = offset(word) {
        return Some(Zone::Offset(offset));
    }
    let lower = word.to_lowercase();
    let mut zones = ZONES.split(' ').filter_map(|zone| zone.split_once('='));
    if let Some((_, hours)) = zones.find(|(name, _)| *name == lower) {
        return hours.parse::<f64>().ok().map(|hours| Zone::Offset((hours * 3_600.0) as i64));
    }
    // "GMT+0200", "UTC-07:00", "GMT+2"
    for name in ["gmt", "utc", "ut"] {
        if let Some(offset) = lower.strip_prefix(name).and_then(offset) {
            return Some(Zone::Offset(offset));
        }
    }
    let named =
        || chrono_tz::TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(word));
    word.contains('/').then(named).flatten().map(|zone| Zone::Named(*zone))
}

/// `+0200`, `-01:01`, `+02`, `+2`.
fn offset(word: &str) -> Option<i64> {
    let (sign, digits) = match word.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => (-1, word.strip_prefix(['-', '−'])?),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (number(hours)?, number(minutes)?),
        Some(_) => return None,
        None if digits.len() <= 2 => (number(digits)?, 0),
        None if matches!(digits.len(), 3 | 4) => {
            let (hours, minutes) = digits.split_at_checked(digits.len() - 2)?;
            (number(hours)?, number(minutes)?)
        }
        None => return None,
    };
    (hours <= 15 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Names of zones in hours east of Greenwich; of names with several meanings, the one that feeds use.
const ZONES: &str = "z=0 ut=0 utc=0 gmt=0 wet=0 west=1 bst=1 cet=1 met=1 mez=1 sec=1 cest=2 mest=2 \
    mesz=2 selc=2 eet=2 eest=3 msk=3 trt=3 ist=5.5 sgt=8 hkt=8 awst=8 jst=9 kst=9 aest=10 aedt=11 \
    nzst=12 nzdt=13 at=-4 ast=-4 adt=-3 et=-5 est=-5 edt=-4 ct=-6 cst=-6 cdt=-5 mt=-7 mst=-7 mdt=-6 \
    pt=-8 pst=-8 pdt=-7 akst=-9 akdt=-8 hst=-10 art=-3 brt=-3";

/// Short names of days that may stand behind the date or are months elsewhere.
const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn month(word: &str) -> Option<i64> {
    let plain: String = word.nfd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}')).collect();
    let plain = plain.replace('ł', "l");
    let plain = plain.trim_matches('.');
    let numbered = || (1..).zip(MONTHS);
    if let Some((month, _)) =
        numbered().find(|(_, names)| names.split(' ').any(|name| name == plain))
    {
        return Some(month);
    }
    // An abbreviation that only one month begins with.
    if plain.chars().count() < 3 {
        return None;
    }
    let mut begun =
        numbered().filter(|(_, names)| names.split(' ').any(|name| name.starts_with(plain)));
    let (month, _) = begun.next()?;
    begun.next().is_none().then_some(month)
}

/// Without accents; English, Czech, Slovak, Polish, German, French, Italian, Spanish, Portuguese, Dutch,
/// Hungarian, Ukrainian, Russian, Greek.
const MONTHS: [&str; 12] = [
    "january jan leden ledna led januar januara styczen stycznia sty janner jan januari \
     janvier janv gennaio gen enero ene janeiro januar січень сiчня январь января янв \
     ιανουαριος ιανουαριου ιαν",
    "february feb unor unora februar februara luty lutego lut feber fevrier fev febbraio \
     febrero fevereiro februari лютии лютого февраль февраля фев φεβρουαριος φεβρουαριου \
     φεβ",
    "march mar brezen brezna bre marec marca marzec marz mrz mars marzo marco maart marcius \
     березень березня март марта μαρτιος μαρτιου μαρ",
    "april apr duben dubna dub aprila kwiecien kwietnia kwi avril avr aprile abril abr \
     aprilis квитень квитня апрель апреля απριλιος απριλιου απρ",
    "may kveten kvetna kve maj maja mai maggio mag mayo maio mei majus травень травня маи \
     мая μαιος μαιου μαι",
    "june jun cerven cervna cvn juna czerwiec czerwca cze juni juin giugno giu junio junho \
     junius червень червня июнь июня ιουνιος ιουνιου ιουν",
    "july jul cervenec cervence cvc jula lipiec lipca lip juli juillet juil luglio lug \
     julio julho julius липень липня июль июля ιουλιος ιουλιου ιουλ",
    "august aug srpen srpna srp augusta sierpien sierpnia sie aout agosto ago augustus \
     augusztus серпень серпня август августа αυγουστος αυγουστου αυγ",
    "september sep sept zari septembra wrzesien wrzesnia wrz septembre settembre set \
     septiembre setembro szeptember вересень вересня сентябрь сентября σεπτεμβριος \
     σεπτεμβριου σεπ",
    "october oct rijen rijna rij oktober okt oktobra pazdziernik pazdziernika paz octobre \
     ottobre ott octubre outubro out жовтень жовтня октябрь октября οκτωβριος οκτωβριου οκτ",
    "november nov listopad listopadu lis novembra novembre noviembre novembro листопад \
     листопада ноябрь ноября νοεμβριος νοεμβριου νοε",
    "december dec prosinec prosince pro decembra grudzien grudnia gru dezember dez decembre \
     dicembre dic diciembre dezembro грудень грудня декабрь декабря δεκεμβριος δεκεμβριου \
     δεκ",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str, timezone: Tz) -> Option<String> {
        let instant = DateTime::from_timestamp(parse(text, timezone)?, 0).unwrap();
        Some(instant.format("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    #[test]
    fn a_time_without_a_zone_is_the_sources() {
        for (text, expected) in [
            ("2025-07-01 14:20:00", "2025-07-01T12:20:00Z"),
            ("2025-12-01T14:20:00", "2025-12-01T13:20:00Z"),
            ("Mo, 25 Jun 2018 11:41:36", "2018-06-25T09:41:36Z"),
            ("02.03.2026 08:15", "2026-03-02T07:15:00Z"),
            ("2026-03-02", "2026-03-01T23:00:00Z"),
            // The clock goes from 2:00 to 3:00, and from 3:00 back to 2:00.
            ("2026-03-29 02:30:00", "2026-03-29T01:30:00Z"),
            ("2026-10-25 02:30:00", "2026-10-25T00:30:00Z"),
        ] {
            assert_eq!(utc(text, Tz::Europe__Prague).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn months_are_not_taken_for_their_neighbours() {
        for (text, expected) in [
            ("3. června 2025 12:00 +0200", Some("2025-06-03T10:00:00Z")),
            ("3. července 2025 12:00 +0200", Some("2025-07-03T10:00:00Z")),
            ("3. Červenec 2025 12:00 +0200", Some("2025-07-03T10:00:00Z")),
            ("mar., 03 juil. 2020 15:09:58 +0000", Some("2020-07-03T15:09:58Z")),
            ("mer, 9 avr 2018 00:00:00 +0200", Some("2018-04-08T22:00:00Z")),
            ("5 jui 2020 10:00 GMT", None),
            ("včera", None),
            ("12", None),
        ] {
            assert_eq!(utc(text, Tz::UTC).as_deref(), expected, "{text}");
        }
    }
}
