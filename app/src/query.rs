//! What a visitor asks of the board, read from the address and written back into it.

use std::collections::HashSet;

use leptos_router::location::{RequestUrl, Url};
use leptos_router::params::ParamsMap;
use model::{Event, EventId, SECONDS_PER_HOUR, Snapshot};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Events on one page of the board.
pub(crate) const PAGE_SIZE: usize = 50;
/// Offered lengths of the period, in hours; the window itself is the longest.
pub(crate) const PERIODS: [u32; 4] = [6, 12, 24, 72];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    Heat,
    Newsrooms,
    Newest,
}

impl Sort {
    pub const ALL: [Self; 3] = [Self::Heat, Self::Newsrooms, Self::Newest];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::Newsrooms => "newsrooms",
            Self::Newest => "newest",
        }
    }
}

/// The board's filters; what is unknown or out of range counts as not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoardQuery {
    pub text: String,
    pub language: Option<String>,
    pub country: Option<String>,
    /// Hours back from the board's moment in which the event was mentioned.
    pub period: Option<u32>,
    /// Key of a topic.
    pub topic: Option<String>,
    pub sort: Sort,
    /// Also events of one newsroom.
    pub single: bool,
    /// From 1.
    pub page: usize,
}

impl BoardQuery {
    pub fn parse(params: &ParamsMap) -> Self {
        let given = |name| params.get(name).filter(|value| !value.trim().is_empty());
        let sort = given("sort");
        Self {
            text: given("q")
                .map(|text| text.trim().chars().take(200).collect())
                .unwrap_or_default(),
            language: given("lang"),
            country: given("country"),
            period: given("period")
                .and_then(|hours| hours.parse().ok())
                .filter(|hours| PERIODS.contains(hours)),
            topic: given("topic"),
            sort: Sort::ALL
                .into_iter()
                .find(|known| sort.as_deref() == Some(known.as_str()))
                .unwrap_or_default(),
            single: given("single").is_some_and(|value| value == "1"),
            page: given("page")
                .and_then(|page| page.parse().ok())
                .filter(|&page| page > 0)
                .unwrap_or(1),
        }
    }

    /// The parameters that give this query again, without those that say nothing.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        let mut params = Vec::new();
        if !self.text.is_empty() {
            params.push(("q", self.text.clone()));
        }
        params.extend(self.language.clone().map(|value| ("lang", value)));
        params.extend(self.country.clone().map(|value| ("country", value)));
        params.extend(self.period.map(|hours| ("period", hours.to_string())));
        params.extend(self.topic.clone().map(|value| ("topic", value)));
        if self.single {
            params.push(("single", "1".to_owned()));
        }
        if self.sort != Sort::default() {
            params.push(("sort", self.sort.as_str().to_owned()));
        }
        if self.page > 1 {
            params.push(("page", self.page.to_string()));
        }
        params
    }

    /// Some events may be hidden by a filter.
    pub fn filters(&self) -> bool {
        !self.text.is_empty()
            || self.language.is_some()
            || self.country.is_some()
            || self.period.is_some()
            || self.topic.is_some()
    }

    /// The events asked for, in the order asked for, on all pages.
    pub fn select<'a>(&self, snapshot: &'a Snapshot) -> Vec<&'a Event> {
        let words: Vec<String> = fold(&self.text).split_whitespace().map(str::to_owned).collect();
        let topic: Option<HashSet<EventId>> = self.topic.as_ref().map(|key| {
            let topics = snapshot.topics.iter().filter(|topic| topic.key == *key);
            topics.flat_map(|topic| topic.events.iter().copied()).collect()
        });
        let mut events: Vec<&Event> = snapshot
            .board
            .events
            .iter()
            .filter(|event| topic.as_ref().is_none_or(|topic| topic.contains(&event.id)))
            .filter(|event| self.single || event.newsrooms() > 1)
            .filter(|event| self.admits(event, snapshot))
            .filter(|event| words.is_empty() || says(event, &words))
            .collect();
        match self.sort {
            Sort::Heat => {}
            Sort::Newsrooms => events.sort_by_key(|event| std::cmp::Reverse(event.newsrooms())),
            Sort::Newest => events.sort_by_key(|event| std::cmp::Reverse(event.first_mention())),
        }
        events
    }

    fn admits(&self, event: &Event, snapshot: &Snapshot) -> bool {
        let language = self.language.as_ref().is_none_or(|language| event.language == *language);
        let period = self.period.is_none_or(|hours| {
            event.last_mention() > snapshot.board.at - i64::from(hours) * SECONDS_PER_HOUR
        });
        let country = self.country.as_ref().is_none_or(|country| {
            event.mentions.iter().any(|mention| {
                snapshot.newsroom(mention.newsroom).is_some_and(|n| n.country == *country)
            })
        });
        language && period && country
    }
}

/// Every word stands in the event's title or in one of its items' titles.
fn says(event: &Event, words: &[String]) -> bool {
    let mut texts = vec![fold(&event.title)];
    texts.extend(event.items.iter().map(|item| fold(&item.title)));
    words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
}

/// The parameters of an address's query.
pub(crate) fn params_of(query: &str) -> ParamsMap {
    let url: Url = RequestUrl::new(&format!("/?{query}")).parse().unwrap_or_default();
    url.search_params().clone()
}

/// Lower case without diacritics, so that "rim" finds "Řím".
pub(crate) fn fold(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn parse(query: &[(&'static str, &str)]) -> BoardQuery {
        BoardQuery::parse(&query.iter().map(|&(name, value)| (name, value)).collect())
    }

    fn titles(query: &[(&'static str, &str)]) -> Vec<String> {
        let snapshot = fixture::snapshot();
        parse(query).select(&snapshot).iter().map(|event| event.title.clone()).collect()
    }

    #[test]
    fn a_query_survives_the_way_through_the_address() {
        let query = [
            ("q", "most"),
            ("lang", "cs"),
            ("country", "CZ"),
            ("period", "24"),
            ("topic", "voda-cs"),
            ("single", "1"),
            ("sort", "newest"),
            ("page", "3"),
        ];
        let expected: Vec<_> = query.iter().map(|&(n, v)| (n, v.to_owned())).collect();
        assert_eq!(parse(&query).params(), expected);
        assert_eq!(parse(&[]).params(), []);
    }

    #[test]
    fn nonsense_counts_as_not_asked() {
        let nonsense = parse(&[
            ("period", "7"),
            ("sort", "x"),
            ("page", "-1"),
            ("single", "yes"),
            ("q", "  "),
        ]);
        assert_eq!(nonsense, BoardQuery { page: 1, ..BoardQuery::default() });
    }

    #[test]
    fn filters_select_and_sorts_order() {
        let bridge = "Povodeň strhla most u Lhoty";
        let strike = "Drivers' strike halts night trains";
        let lone = "Lone report nobody else carries";
        assert_eq!(titles(&[]), [bridge, strike]);
        assert_eq!(titles(&[("single", "1")]), [bridge, strike, lone]);
        assert_eq!(titles(&[("sort", "newest")]), [strike, bridge]);
        assert_eq!(titles(&[("q", "POVODEN lhoty")]), [bridge]);
        assert_eq!(titles(&[("q", "nikde")]), [""; 0]);
        assert_eq!(titles(&[("lang", "en")]), [strike]);
        assert_eq!(titles(&[("country", "SK")]), [bridge]);
        assert_eq!(titles(&[("period", "6")]), [strike]);
        assert_eq!(titles(&[("topic", "voda-cs")]), [bridge]);
        assert_eq!(titles(&[("topic", "nic-cs")]), [""; 0]);
    }
}
