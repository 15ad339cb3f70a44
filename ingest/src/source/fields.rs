//! A TOML document read field by field, so that each fault is told with its line.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SourceError;

/// What is wrong with a file, as it is found.
pub struct Faults<'a> {
    pub file: &'a str,
    pub text: &'a str,
    pub found: Vec<(usize, String)>,
}

impl Faults<'_> {
    pub fn add(&mut self, span: Range<usize>, reason: impl Into<String>) {
        self.found.push((self.line(&span), reason.into()));
    }

    pub fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().iter().take(span.start);
        before.filter(|byte| **byte == b'\n').count() + 1
    }

    pub fn into_result(mut self) -> Result<(), SourceError> {
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_by_key(|(line, _)| *line);
        let lines =
            self.found.into_iter().map(|(line, reason)| format!("{}:{line}: {reason}", self.file));
        Err(SourceError(lines.collect()))
    }
}

/// A table and what errors call it.
pub struct Fields<'t, 'i> {
    pub what: String,
    pub table: &'t DeTable<'i>,
    pub span: Range<usize>,
}

impl<'t, 'i> Fields<'t, 'i> {
    pub fn of(
        value: &'t Spanned<DeValue<'i>>,
        what: String,
        faults: &mut Faults<'_>,
    ) -> Option<Self> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            faults.add(value.span(), format!("{what} is not a table"));
        }
        Some(Self { what, table: table?, span: value.span() })
    }

    pub fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.table.get(key)
    }

    pub fn fault(&self, span: &Range<usize>, reason: String, faults: &mut Faults<'_>) {
        faults.add(span.clone(), format!("{}: {reason}", self.what));
    }

    pub fn check(
        &self,
        holds: bool,
        span: &Range<usize>,
        reason: impl FnOnce() -> String,
        faults: &mut Faults<'_>,
    ) {
        if !holds {
            self.fault(span, reason(), faults);
        }
    }

    pub fn only(&self, known: &[&str], faults: &mut Faults<'_>) {
        for key in self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let reason =
                format!("unknown key \"{}\"; known are {}", key.get_ref(), known.join(", "));
            self.fault(&key.span(), reason, faults);
        }
    }

    pub fn text(&self, key: &str, faults: &mut Faults<'_>) -> Option<(String, Range<usize>)> {
        let value = self.get(key)?;
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Some((text.trim().to_owned(), value.span())),
            Some(_) => {
                self.fault(&value.span(), format!("{key} is empty"), faults);
                None
            }
            None => {
                self.fault(&value.span(), format!("{key} is not a text"), faults);
                None
            }
        }
    }

    pub fn required(&self, key: &str, faults: &mut Faults<'_>) -> Option<(String, Range<usize>)> {
        if self.get(key).is_none() {
            self.fault(&self.span, format!("{key} is missing"), faults);
        }
        self.text(key, faults)
    }

    pub fn number(&self, key: &str, faults: &mut Faults<'_>) -> Option<(f64, Range<usize>)> {
        let value = self.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.fault(&value.span(), format!("{key} is not a number"), faults);
        }
        Some((number?, value.span()))
    }

    pub fn tables(&self, key: &str, faults: &mut Faults<'_>) -> Vec<&'t Spanned<DeValue<'i>>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        match value.get_ref().as_array() {
            Some(array) => array.iter().collect(),
            None => {
                self.fault(&value.span(), format!("{key} is not a list: write [[{key}]]"), faults);
                Vec::new()
            }
        }
    }
}

/// Tells a value that `seen`, which keeps lines, holds already.
pub fn once(
    seen: &mut HashMap<String, usize>,
    value: &str,
    span: &Range<usize>,
    what: &str,
    faults: &mut Faults<'_>,
) {
    let line = faults.line(span);
    if let Some(first) = seen.insert(value.to_owned(), line) {
        faults.add(span.clone(), format!("{what} is listed twice, first in line {first}"));
    }
}
