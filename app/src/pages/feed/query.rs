//! What the address asks of the personalised feed.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use leptos_router::params::ParamsMap;
use model::{FeedEntry, FeedParams, RankedFeed};

use crate::query::params_of;

/// The chosen channels and how their posts are ranked; what is out of range counts as not asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedQuery {
    /// Usernames in the order asked for, each once.
    pub channels: Vec<String>,
    /// Channels that were asked for above the number that one feed may have.
    pub above: usize,
    pub params: FeedParams,
    /// First keyword of the topic whose posts are shown alone.
    pub topic: Option<String>,
}

impl FeedQuery {
    /// From the query of an address.
    #[must_use]
    pub fn of_address(query: &str) -> Self {
        Self::parse(&params_of(query))
    }

    pub(crate) fn parse(params: &ParamsMap) -> Self {
        let number = |name, range: RangeInclusive<f64>| {
            let number = given(params, name).and_then(|number| number.parse().ok());
            number.filter(|number| range.contains(number))
        };
        let default = FeedParams::default();
        let mut known = HashSet::new();
        let channels = params.get_all("channel").unwrap_or_default().into_iter();
        let channels = channels
            .map(|channel| channel.trim().to_owned())
            .filter(|channel| !channel.is_empty() && known.insert(channel.clone()));
        let mut channels: Vec<String> = channels.collect();
        let above = channels.len().saturating_sub(*FeedParams::CHANNELS.end());
        channels.truncate(*FeedParams::CHANNELS.end());
        Self {
            channels,
            above,
            params: FeedParams {
                half_life_hours: number("half_life", FeedParams::HALF_LIFE_HOURS)
                    .unwrap_or(default.half_life_hours),
                diversity: number("diversity", FeedParams::DIVERSITY).unwrap_or(default.diversity),
                collapse: given(params, "collapse").is_none_or(|collapse| collapse != "0"),
                limit: given(params, "limit")
                    .and_then(|limit| limit.parse().ok())
                    .filter(|limit| FeedParams::LIMIT.contains(limit))
                    .unwrap_or(default.limit),
                language: given(params, "lang").filter(|code| FeedParams::is_language(code)),
            },
            topic: given(params, "topic"),
        }
    }

    /// The parameters that give this query again, without those that say nothing.
    pub(crate) fn params(&self) -> Vec<(&'static str, String)> {
        let (asked, default) = (&self.params, FeedParams::default());
        let channels = self.channels.iter();
        let mut params: Vec<_> = channels.map(|channel| ("channel", channel.clone())).collect();
        if asked.half_life_hours != default.half_life_hours {
            params.push(("half_life", asked.half_life_hours.to_string()));
        }
        if asked.diversity != default.diversity {
            params.push(("diversity", asked.diversity.to_string()));
        }
        if !asked.collapse {
            params.push(("collapse", "0".to_owned()));
        }
        if asked.limit != default.limit {
            params.push(("limit", asked.limit.to_string()));
        }
        params.extend(asked.language.clone().map(|language| ("lang", language)));
        params.extend(self.topic.clone().map(|topic| ("topic", topic)));
        params
    }

    /// Whether an entry is of the topic that was asked for.
    pub(crate) fn admits(&self, entry: &FeedEntry, feed: &RankedFeed) -> bool {
        self.topic.as_deref().is_none_or(|topic| topic_word(entry, feed) == Some(topic))
    }
}

/// The word that stands for an entry's topic.
pub(super) fn topic_word<'a>(entry: &FeedEntry, feed: &'a RankedFeed) -> Option<&'a str> {
    Some(feed.topics.get(entry.topic? as usize)?.first()?.as_str())
}

/// Which of the channels are offered to be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OfferQuery {
    pub text: String,
    pub country: Option<String>,
    pub owner: Option<String>,
    /// Of the newsroom.
    pub language: Option<String>,
}

impl OfferQuery {
    pub fn parse(params: &ParamsMap) -> Self {
        let text = given(params, "q").unwrap_or_default();
        Self {
            text: text.trim().chars().take(200).collect(),
            country: given(params, "country"),
            owner: given(params, "owner"),
            language: given(params, "in"),
        }
    }
}

/// What was left out of an uploaded list of feeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// Feeds that are not collected here.
    pub unknown: u32,
    /// Channels above the number that one feed may have.
    pub above: u32,
}

impl LeftOut {
    pub fn parse(params: &ParamsMap) -> Self {
        let count =
            |name| given(params, name).and_then(|count| count.parse().ok()).unwrap_or_default();
        Self { unknown: count("unknown"), above: count("above") }
    }
}

fn given(params: &ParamsMap, name: &str) -> Option<String> {
    params.get(name).filter(|value| !value.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::address;

    #[test]
    fn a_query_survives_the_way_through_the_address() {
        let written = "channel=b&channel=a&half_life=12.5&diversity=0.05&collapse=0&limit=20&lang=cs&topic=%C5%98%C3%ADm";
        let query = FeedQuery::of_address(written);
        assert_eq!(query.channels, ["b", "a"]);
        assert_eq!(query.topic.as_deref(), Some("Řím"));
        assert_eq!((query.params.half_life_hours, query.params.collapse), (12.5, false));
        assert_eq!(address("", &query.params()), format!("?{written}"));
        assert_eq!(FeedQuery::of_address("").params(), []);
    }

    #[test]
    fn nonsense_counts_as_not_asked() {
        for nonsense in [
            "half_life=0&diversity=1.1&limit=0&collapse=",
            "half_life=NaN&diversity=NaN&limit=501&collapse=maybe",
            "half_life=inf&diversity=-0.1&limit=1e2&lang=CS",
            "channel=&channel=+&lang=c&topic=+&channels=a",
        ] {
            assert_eq!(FeedQuery::of_address(nonsense), FeedQuery::default(), "{nonsense}");
        }
    }

    #[test]
    fn a_channel_counts_once_and_a_hundred_are_enough() {
        let asked = "channel=x&channel=x&".to_owned();
        let asked = (0..200).fold(asked, |asked, n| format!("{asked}channel=c{n}&"));
        let query = FeedQuery::of_address(&asked);
        assert_eq!((query.channels.len(), query.above), (100, 101));
        assert_eq!(query.channels[..3], ["x", "c0", "c1"]);
    }
}
