//! Numbers, times and lengths as each language writes them.

use std::ops::RangeInclusive;

use chrono::{DateTime, Datelike, Offset, TimeZone, Utc};
use chrono_tz::Europe::Prague;
use model::{SpreadLabel, UnixSeconds};

use super::Locale;

const NBSP: char = '\u{a0}';
const MONTHS_EN: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The years that RFC 3339 can write: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
const WRITABLE: RangeInclusive<UnixSeconds> = -62_167_219_200..=253_402_300_799;

/// The time, or the nearest one that can be written.
pub(crate) fn utc(at: UnixSeconds) -> DateTime<Utc> {
    let at = at.clamp(*WRITABLE.start(), *WRITABLE.end());
    DateTime::from_timestamp(at, 0).unwrap_or_default()
}

/// RFC 3339 in UTC, to the second; the form of `?at=` and of machine-readable times.
pub(crate) fn iso(at: UnixSeconds) -> String {
    utc(at).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn local(at: UnixSeconds) -> DateTime<chrono_tz::Tz> {
    Prague.from_utc_datetime(&utc(at).naive_utc())
}

/// Czech plural: one, two to four, five and more (and none).
pub(crate) fn plural_cs(n: i64, one: &str, few: &str, many: &str) -> String {
    let form = match n {
        1 => one,
        2..=4 => few,
        _ => many,
    };
    format!("{}{NBSP}{form}", Locale::Cs.integer(n))
}

/// „z“ or „ze“ before a number, as its first spoken word begins: ze tří, ze čtyřiceti, ze sta.
pub(crate) fn out_of_cs(n: u32) -> &'static str {
    let first = match n {
        0..=19 => n,
        20..=99 => n / 10,
        100..=199 => return "ze",
        200..=999 => n / 100,
        _ => return "z",
    };
    if matches!(first, 3 | 4 | 6 | 7 | 14 | 16 | 17) { "ze" } else { "z" }
}

pub(crate) fn plural_en(n: i64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", Locale::En.integer(n), if n == 1 { one } else { many })
}

impl Locale {
    /// Digits in groups of three.
    pub(crate) fn integer(self, n: i64) -> String {
        let digits = n.unsigned_abs().to_string();
        let group = match self {
            Self::Cs => NBSP,
            Self::En => ',',
        };
        let mut text = if n < 0 { "−".to_owned() } else { String::new() };
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(group);
            }
            text.push(digit);
        }
        text
    }

    /// Rounded to `places` decimals, all of them written.
    pub(crate) fn decimal(self, value: f64, places: usize) -> String {
        let text = format!("{:.places$}", value.abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let mut out = self.integer(whole.parse().unwrap_or(i64::MAX));
        if value < 0.0 {
            out.insert(0, '−');
        }
        if !fraction.is_empty() {
            out.push(match self {
                Self::Cs => ',',
                Self::En => '.',
            });
            out.push_str(fraction);
        }
        out
    }

    /// Two or three significant digits down to 0.0001, whole numbers without decimals.
    pub(crate) fn figure(self, value: f64) -> String {
        let places = match value.abs() {
            v if v >= 99.95 || (v - v.round()).abs() < 1e-9 => 0,
            v if v >= 9.995 => 1,
            v if v >= 0.0995 => 2,
            v if v >= 0.00995 => 3,
            _ => 4,
        };
        self.decimal(value, places)
    }

    /// A constant, with as many decimals as it has.
    pub(crate) fn exact(self, value: f64) -> String {
        let text = value.to_string();
        self.decimal(value, text.split_once('.').map_or(0, |(_, decimals)| decimals.len()))
    }

    /// A share in [0, 1] as per cent.
    pub(crate) fn percent(self, share: f64) -> String {
        let number = self.decimal(share * 100.0, usize::from(share > 0.0 && share < 0.1));
        match self {
            Self::Cs => format!("{number}{NBSP}%"),
            Self::En => format!("{number}%"),
        }
    }

    pub(crate) fn bytes(self, bytes: i64) -> String {
        let (value, unit) = match bytes {
            ..1_000 => return format!("{}{NBSP}B", self.integer(bytes)),
            1_000..1_000_000 => (bytes as f64 / 1e3, "kB"),
            1_000_000..1_000_000_000 => (bytes as f64 / 1e6, "MB"),
            _ => (bytes as f64 / 1e9, "GB"),
        };
        format!("{}{NBSP}{unit}", self.decimal(value, usize::from(value < 10.0)))
    }

    /// A length of time in its largest unit, rounded: minutes, hours, days.
    pub(crate) fn duration(self, seconds: i64) -> String {
        match seconds.abs() {
            s @ 0..60 => format!("{s}{NBSP}s"),
            s @ 60..5_400 => format!("{}{NBSP}min", (s + 30) / 60),
            s @ 5_400..172_800 => format!("{}{NBSP}h", (s + 1_800) / 3_600),
            s => self.days((s + 43_200) / 86_400),
        }
    }

    pub(crate) fn days(self, days: i64) -> String {
        match self {
            Self::Cs => plural_cs(days, "den", "dny", "dní"),
            Self::En => plural_en(days, "day", "days"),
        }
    }

    /// Hours with one decimal, such as "3,5 h".
    pub(crate) fn hours(self, hours: f64) -> String {
        let places = usize::from((hours - hours.round()).abs() > 0.05);
        format!("{}{NBSP}h", self.decimal(hours, places))
    }

    /// The spread in words that never claim more than the data.
    pub(crate) fn spread(self, label: SpreadLabel) -> String {
        match (label, self) {
            (SpreadLabel::WithinHalfHour, Self::Cs) => format!("do{NBSP}30{NBSP}min"),
            (SpreadLabel::WithinHalfHour, Self::En) => format!("within 30{NBSP}min"),
            (SpreadLabel::HalfHours(n), _) => self.hours(f64::from(n) / 2.0),
            (SpreadLabel::Hours(n), _) => self.hours(f64::from(n)),
            (SpreadLabel::Days(n), _) => self.days(i64::from(n)),
        }
    }

    pub(crate) fn date(self, at: UnixSeconds) -> String {
        let at = local(at);
        let (day, month, year) = (at.day(), at.month(), at.year());
        match self {
            Self::Cs => format!("{day}.{NBSP}{month}.{NBSP}{year}"),
            Self::En => {
                let month = MONTHS_EN[at.month0() as usize];
                format!("{day}{NBSP}{month}{NBSP}{year}")
            }
        }
    }

    /// Without the year: "14. 8.", "14 Aug".
    pub(crate) fn day(self, at: UnixSeconds) -> String {
        let at = local(at);
        match self {
            Self::Cs => format!("{}.{NBSP}{}.", at.day(), at.month()),
            Self::En => format!("{}{NBSP}{}", at.day(), MONTHS_EN[at.month0() as usize]),
        }
    }

    pub(crate) fn clock(self, at: UnixSeconds) -> String {
        local(at).format("%H:%M").to_string()
    }

    /// Date, time and time zone: unmistakable.
    pub(crate) fn moment(self, at: UnixSeconds) -> String {
        let zone = match (self, local(at).format("%Z").to_string().as_str()) {
            (Self::Cs, "CEST") => "SELČ".to_owned(),
            (Self::Cs, _) => "SEČ".to_owned(),
            (Self::En, zone) => zone.to_owned(),
        };
        format!("{} {}{NBSP}{zone}", self.date(at), self.clock(at))
    }

    /// As short as it is unmistakable beside a board of `now`: "dnes 14:05", "12. 8. 14:05".
    pub(crate) fn near(self, at: UnixSeconds, now: UnixSeconds) -> String {
        let (day, today) = (local(at), local(now));
        let clock = self.clock(at);
        let ahead = (today.date_naive() - day.date_naive()).num_days();
        match (ahead, self) {
            (0, Self::Cs) => format!("dnes{NBSP}{clock}"),
            (0, Self::En) => format!("today{NBSP}{clock}"),
            (1, Self::Cs) => format!("včera{NBSP}{clock}"),
            (1, Self::En) => format!("yesterday{NBSP}{clock}"),
            (-1, Self::Cs) => format!("zítra{NBSP}{clock}"),
            (-1, Self::En) => format!("tomorrow{NBSP}{clock}"),
            (-300..300, _) => format!("{}{NBSP}{clock}", self.day(at)),
            _ => format!("{} {clock}", self.date(at)),
        }
    }

    /// The last whole `step` of local time at or before `at`.
    pub(crate) fn whole(self, at: UnixSeconds, step: i64) -> UnixSeconds {
        let offset = i64::from(local(at).offset().fix().local_minus_utc());
        (at + offset).div_euclid(step) * step - offset
    }

    pub(crate) fn ago(self, at: UnixSeconds, now: UnixSeconds) -> String {
        let seconds = (now - at).max(0);
        match self {
            // The instrumental has one plural form for days; shorter units are abbreviated.
            Self::Cs if seconds >= 172_800 => {
                format!("před{NBSP}{}{NBSP}dny", self.integer((seconds + 43_200) / 86_400))
            }
            Self::Cs => format!("před{NBSP}{}", self.duration(seconds)),
            Self::En => format!("{} ago", self.duration(seconds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::HeatParams;

    use super::*;

    const AUGUST: i64 = 1_786_716_300; // 2026-08-14T14:05:00Z

    #[test]
    fn czech_counts_in_three_forms() {
        for (n, text) in [
            (0, "0 redakcí"),
            (1, "1 redakce"),
            (2, "2 redakce"),
            (4, "4 redakce"),
            (5, "5 redakcí"),
            (22, "22 redakcí"),
            (1_234, "1 234 redakcí"),
        ] {
            let expected = text.replace(' ', "\u{a0}");
            assert_eq!(plural_cs(n, "redakce", "redakce", "redakcí"), expected);
        }
        assert_eq!(plural_en(1, "newsroom", "newsrooms"), "1\u{a0}newsroom");
        assert_eq!(plural_en(1_234, "newsroom", "newsrooms"), "1,234\u{a0}newsrooms");
    }

    #[test]
    fn numbers_are_written_as_each_language_writes_them() {
        assert_eq!(Locale::Cs.decimal(1234.567, 2), "1\u{a0}234,57");
        assert_eq!(Locale::En.decimal(1234.567, 2), "1,234.57");
        assert_eq!(Locale::En.decimal(-0.5, 1), "−0.5");
        for (value, text) in [
            (0.0, "0"),
            (0.0042, "0,0042"),
            (0.042, "0,042"),
            (0.914, "0,91"),
            (9.994, "9,99"),
            (44.04, "44,0"),
            (2160.7, "2\u{a0}161"),
        ] {
            assert_eq!(Locale::Cs.figure(value), text);
        }
        assert_eq!(Locale::Cs.exact(0.5), "0,5");
        assert_eq!(Locale::En.exact(72.0), "72");
        assert_eq!(Locale::Cs.percent(0.914), "91\u{a0}%");
        assert_eq!(Locale::En.percent(0.034), "3.4%");
        assert_eq!(Locale::Cs.bytes(1_530_000), "1,5\u{a0}MB");
        assert_eq!(Locale::Cs.bytes(-3), "−3\u{a0}B");
    }

    #[test]
    fn a_spread_never_claims_more_than_the_data() {
        let heat = model::Model::v1().heat;
        let label = |hours: f64, heat: &HeatParams| Locale::Cs.spread(SpreadLabel::of(hours, heat));
        for (hours, text) in [
            (0.0, "do 30 min"),
            (0.5, "do 30 min"),
            (0.6, "0,5 h"),
            (1.3, "1,5 h"),
            (5.0, "5 h"),
            (7.4, "7 h"),
            (50.0, "2 dny"),
            (130.0, "5 dní"),
        ] {
            assert_eq!(label(hours, &heat), text.replace(' ', "\u{a0}"), "{hours}");
        }
        assert_eq!(Locale::En.spread(SpreadLabel::WithinHalfHour), "within 30\u{a0}min");
    }

    #[test]
    fn times_are_local_and_name_their_zone() {
        assert_eq!(iso(AUGUST), "2026-08-14T14:05:00Z");
        assert_eq!(Locale::Cs.moment(AUGUST), "14.\u{a0}8.\u{a0}2026 16:05\u{a0}SELČ");
        assert_eq!(Locale::En.moment(AUGUST), "14\u{a0}Aug\u{a0}2026 16:05\u{a0}CEST");
        assert_eq!(Locale::Cs.near(AUGUST, AUGUST + 600), "dnes\u{a0}16:05");
        // Midnight in Prague lies between the two, midnight in UTC does not.
        assert_eq!(Locale::Cs.near(AUGUST, AUGUST + 8 * 3_600), "včera\u{a0}16:05");
        assert_eq!(Locale::En.near(AUGUST, AUGUST + 5 * 86_400), "14\u{a0}Aug\u{a0}16:05");
        assert_eq!(Locale::Cs.near(AUGUST + 86_400, AUGUST), "zítra\u{a0}16:05");
        assert_eq!(Locale::Cs.near(AUGUST + 600, AUGUST), "dnes\u{a0}16:15");
    }

    #[test]
    fn any_time_is_written_as_one_that_can_be_read() {
        for (at, written) in [
            (i64::MIN, "0000-01-01T00:00:00Z"),
            (-62_167_219_201, "0000-01-01T00:00:00Z"),
            (-1_000_000_000, "1938-04-24T22:13:20Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "9999-12-31T23:59:59Z"),
            (1_000_000_000_000_000_000, "9999-12-31T23:59:59Z"),
            (i64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(iso(at), written, "{at}");
            assert_eq!(DateTime::parse_from_rfc3339(&utc(at).to_rfc3339()).unwrap(), utc(at));
            for locale in [Locale::Cs, Locale::En] {
                assert!(!locale.moment(at).contains("1970"), "{at}");
                assert!(!locale.near(at, AUGUST).contains("1970"), "{at}");
            }
        }
    }

    #[test]
    fn lengths_of_time_take_their_largest_unit() {
        for (seconds, text) in
            [(5, "5 s"), (720, "12 min"), (5_399, "90 min"), (7_300, "2 h"), (300_000, "3 dny")]
        {
            assert_eq!(Locale::Cs.duration(seconds), text.replace(' ', "\u{a0}"));
        }
    }

    #[test]
    fn a_number_takes_the_preposition_of_its_first_word() {
        for n in [3, 4, 6, 7, 14, 16, 17, 30, 40, 45, 60, 77, 100, 120, 300, 400] {
            assert_eq!(out_of_cs(n), "ze", "{n}");
        }
        for n in [1, 2, 5, 8, 9, 10, 13, 15, 20, 25, 50, 80, 90, 200, 500, 1_000] {
            assert_eq!(out_of_cs(n), "z", "{n}");
        }
    }
}
