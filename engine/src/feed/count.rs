//! Counters as people write them: `1.2K`, `1,2 тыс.`, `15 400`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The number that a counter shows; `None` where it is none, or negative.
///
/// Groups of three digits may be set apart by a space of any kind, a comma, a dot or an apostrophe.
/// A single comma or dot is a decimal one before a unit, and where no group of three follows it.
#[must_use]
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(_, c)| c.is_alphabetic() || matches!(c, '-' | '+'))
        .map_or(text.len(), |(at, _)| at);
    let (digits, unit) = text.split_at(end);
    let digits: String = digits
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\'' | '’' | '\u{2060}'))
        .map(|c| if c == ',' { '.' } else { c })
        .collect();
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let factor = unit_factor(unit)?;
    let groups = digits.split('.').skip(1);
    let grouped =
        groups.clone().all(|group| group.len() == 3) && (unit.is_empty() || groups.count() > 1);
    let plain = if grouped {
        digits.replace('.', "")
    } else {
        // The last mark is the decimal one.
        let (whole, part) = digits.rsplit_once('.').unwrap_or((&digits, "0"));
        format!("{}.{part}", whole.replace('.', ""))
    };
    let number = plain.parse::<f64>().ok()? * factor;
    number.is_finite().then_some(number)
}

fn unit_factor(unit: &str) -> Option<f64> {
    Some(match unit.trim_end().to_lowercase().as_str() {
        "" => 1.0,
        "k" | "к" | "тыс" | "тыс." | "тис" | "тис." | "tis" | "tis." | "tys" | "tys." | "tsd"
        | "tsd." | "mil" | "mila" => 1e3,
        // Czech and Slovak write `mil.` for a million, Spanish `mil` for a thousand.
        "m" | "м" | "млн" | "млн." | "mil." | "mln" | "mln." | "mio" | "mio." => 1e6,
        "b" | "млрд" | "млрд." | "mld" | "mld." | "mrd" | "mrd." | "md" => 1e9,
        _ => return None,
    })
}

/// A counter in JSON: a number or a text; anything else is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count(pub Option<f64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a counter")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Count, E> {
                Ok(Count(Some(number as f64)))
            }

            fn visit_i64<E>(self, _negative: i64) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Count, E> {
                Ok(Count((number >= 0.0).then_some(number)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Count, E> {
                Ok(Count(parse(text)))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_unit<E>(self) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Count, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Count(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Count(None))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
