//! The form: the chosen channels, those that can be added, and how posts are ranked.

use std::collections::{BTreeMap, HashMap, HashSet};

use leptos::prelude::*;
use model::{FeedParams, Newsroom, SourceKind, SourceReport, Verdict};

use super::query::{FeedQuery, LeftOut, OfferQuery};
use crate::context::{Visit, address};
use crate::feeds::source_name;
use crate::islands::RangeValues;
use crate::pages::sources::verdict;
use crate::query::fold;

/// Channels that are offered at once; filters find the others.
const OFFERED: usize = 60;
/// Channels of a ready selection, and selections of each kind.
const START_CHANNELS: usize = 50;
const STARTS: usize = 6;
/// The slider's end, in hours; the address may ask for more.
const LONGEST_HALF_LIFE: f64 = 168.0;
const LIMITS: [u32; 5] = [20, 50, 100, 200, 500];

/// A source as a channel that can be chosen.
pub(super) struct Offer<'a> {
    pub report: &'a SourceReport,
    pub newsroom: Option<&'a Newsroom>,
    pub name: String,
}

impl<'a> Offer<'a> {
    /// All sources, by name.
    pub fn all(v: &'a Visit) -> Vec<Self> {
        let newsrooms: HashMap<_, &Newsroom> =
            v.snapshot.newsrooms.iter().map(|newsroom| (newsroom.id, newsroom)).collect();
        let mut offers: Vec<Self> = v
            .snapshot
            .sources
            .iter()
            .map(|report| {
                let newsroom = newsrooms.get(&report.source.newsroom).copied();
                Self { report, newsroom, name: source_name(report, newsroom) }
            })
            .collect();
        offers.sort_by_cached_key(|offer| fold(&offer.name));
        offers
    }

    pub fn slug(&self) -> &'a str {
        &self.report.source.slug
    }

    fn owner(&self) -> Option<&'a str> {
        self.newsroom?.owner.as_deref()
    }

    /// The gate's answer where it forbids the source.
    fn refused(&self) -> Option<Verdict> {
        let check = self.report.check.as_ref()?;
        (check.verdict != Verdict::Allowed).then_some(check.verdict)
    }

    fn matches(&self, query: &OfferQuery, words: &[String]) -> bool {
        let is = |asked: &Option<String>, own: Option<&str>| {
            asked.as_deref().is_none_or(|asked| own == Some(asked))
        };
        let newsroom = self.newsroom;
        let text = || fold(&format!("{} {}", self.name, self.owner().unwrap_or_default()));
        is(&query.country, newsroom.map(|newsroom| newsroom.country.as_str()))
            && is(&query.language, newsroom.map(|newsroom| newsroom.language.as_str()))
            && is(&query.owner, self.owner())
            && (words.is_empty() || {
                let text = text();
                words.iter().all(|word| text.contains(word))
            })
    }
}

pub(super) fn picker(v: &Visit, query: &FeedQuery, offers: &[Offer]) -> AnyView {
    let t = &v.t.feed_page;
    let asked = OfferQuery::parse(v.params());
    let open = query.channels.is_empty() || asked != OfferQuery::default();
    let count = query.channels.len() as i64;
    let count = (count > 0).then(|| view! { " " <small>{(t.channels)(count)}</small> });
    let action = v.locale.path("/feed");
    let hidden = v
        .kept()
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    view! {
        <details class="picker" open=open>
            <summary>{t.picker} {count}</summary>
            // A browser must not restore boxes that the address does not ask for.
            <form action=action.clone() autocomplete="off">
                {chosen(v, query, offers)} {addable(v, query, &asked, offers)}
                {ranking(v, &query.params, offers)} {hidden.collect_view()}
                <p>
                    <button type="submit" class="main" formaction=format!("{action}#posts")>
                        {t.submit}
                    </button>
                </p>
            </form>
            {upload(v)}
        </details>
    }
    .into_any()
}

fn chosen(v: &Visit, query: &FeedQuery, offers: &[Offer]) -> Option<AnyView> {
    let t = &v.t.feed_page;
    let known: HashMap<&str, &Offer> = offers.iter().map(|offer| (offer.slug(), offer)).collect();
    let boxes = query.channels.iter().map(|slug| match known.get(slug.as_str()) {
        Some(offer) => choice(v, offer, true),
        None => view! {
            <li>
                <label class="check">
                    <input type="checkbox" name="channel" value=slug.clone() checked/>
                    <span>{slug.clone()} " " <span class="mark">{t.unknown_channel}</span></span>
                </label>
            </li>
        }
        .into_any(),
    });
    (!query.channels.is_empty()).then(|| {
        view! {
            <fieldset>
                <legend>{(t.chosen)(query.channels.len() as i64)}</legend>
                <p class="small">{t.chosen_hint}</p>
                <ul class="channels">{boxes.collect_view()}</ul>
            </fieldset>
        }
        .into_any()
    })
}

fn addable(v: &Visit, query: &FeedQuery, asked: &OfferQuery, offers: &[Offer]) -> AnyView {
    let t = &v.t.feed_page;
    let words: Vec<String> = fold(&asked.text).split_whitespace().map(str::to_owned).collect();
    let taken: HashSet<&str> = query.channels.iter().map(String::as_str).collect();
    let matching: Vec<&Offer> = offers
        .iter()
        .filter(|offer| !taken.contains(offer.slug()) && offer.matches(asked, &words))
        .collect();
    let shown = matching.len().min(OFFERED);
    let newsrooms = || offers.iter().filter_map(|offer| offer.newsroom);
    let countries = newsrooms().map(|newsroom| newsroom.country.as_str());
    let languages = newsrooms().map(|newsroom| newsroom.language.as_str());
    let owners = newsrooms().filter_map(|newsroom| newsroom.owner.as_deref());
    let list = if matching.is_empty() {
        view! { <p>{t.nothing_offered}</p> }.into_any()
    } else {
        let boxes = matching.iter().take(OFFERED).map(|offer| choice(v, offer, false));
        view! {
            <p class="small">{(t.offered)(shown as i64, matching.len() as i64)}</p>
            <ul class="channels">{boxes.collect_view()}</ul>
        }
        .into_any()
    };
    view! {
        <fieldset>
            <legend>{t.add}</legend>
            <div class="controls">
                <label class="wide">
                    <span>{t.search}</span>
                    <input type="search" name="q" maxlength="200" value=asked.text.clone()/>
                </label>
                <label>
                    <span>{v.t.country}</span>
                    <select name="country">
                        <option value="">{v.t.any_country}</option>
                        {options(countries, v.t.country_name, asked.country.as_deref())}
                    </select>
                </label>
                <label>
                    <span>{t.owner}</span>
                    <select name="owner">
                        <option value="">{t.any_owner}</option>
                        {options(owners, str::to_owned, asked.owner.as_deref())}
                    </select>
                </label>
                <label>
                    <span>{t.newsroom_language}</span>
                    <select name="in">
                        <option value="">{v.t.any_language}</option>
                        {options(languages, v.t.language_name, asked.language.as_deref())}
                    </select>
                </label>
                <button type="submit">{t.find}</button>
            </div>
            {list}
        </fieldset>
    }
    .into_any()
}

/// The distinct values, in the order of their names.
fn options<'a>(
    values: impl Iterator<Item = &'a str>,
    name: fn(&str) -> String,
    chosen: Option<&str>,
) -> AnyView {
    let distinct: HashSet<&str> = values.collect();
    let mut options: Vec<(String, &str)> =
        distinct.into_iter().map(|value| (name(value), value)).collect();
    options.sort_by_cached_key(|(name, _)| fold(name));
    options
        .into_iter()
        .map(|(name, value)| {
            let selected = chosen == Some(value);
            view! { <option value=value.to_owned() selected=selected>{name}</option> }
        })
        .collect_view()
        .into_any()
}

/// A channel as a box to tick, with what is to be known of it before.
fn choice(v: &Visit, offer: &Offer, chosen: bool) -> AnyView {
    let kind = match offer.report.source.kind {
        SourceKind::Feed => None,
        SourceKind::Video => Some(v.t.kind_video),
        SourceKind::Channel => Some(v.t.kind_channel),
    };
    let kind = kind.map(|kind| view! { " " <span class="mark own">{kind}</span> });
    let refused = offer.refused().map(|refused| view! { " " {verdict(v, refused)} });
    let owner = offer.owner().map(|owner| view! { " " <small>{owner.to_owned()}</small> });
    view! {
        <li>
            <label class="check">
                <input type="checkbox" name="channel" value=offer.slug().to_owned() checked=chosen/>
                <span>{offer.name.clone()} {kind} {refused} {owner}</span>
            </label>
        </li>
    }
    .into_any()
}

fn ranking(v: &Visit, params: &FeedParams, offers: &[Offer]) -> AnyView {
    let (t, l) = (&v.t.feed_page, v.locale);
    let mut limits = LIMITS.to_vec();
    if !limits.contains(&params.limit) {
        limits.push(params.limit);
        limits.sort_unstable();
    }
    let limits = limits.into_iter().map(|limit| {
        view! { <option value=limit selected=limit == params.limit>{l.integer(limit.into())}</option> }
    });
    let asked = params.language.as_deref();
    let languages = offers.iter().filter_map(|offer| Some(offer.newsroom?.language.as_str()));
    let half_life = Range {
        name: "half_life",
        label: t.half_life,
        hint: t.half_life_hint,
        bounds: (
            *FeedParams::HALF_LIFE_HOURS.start(),
            LONGEST_HALF_LIFE.max(params.half_life_hours),
        ),
        steps_per_unit: 1.0,
        value: params.half_life_hours,
        unit: "\u{a0}h",
    };
    let diversity = Range {
        name: "diversity",
        label: t.diversity,
        hint: t.diversity_hint,
        bounds: (*FeedParams::DIVERSITY.start(), *FeedParams::DIVERSITY.end()),
        steps_per_unit: 20.0,
        value: params.diversity,
        unit: "",
    };
    view! {
        <fieldset data-ranges>
            <legend>{t.ranking}</legend>
            <div class="controls">
                {half_life.view(v)} {diversity.view(v)}
                <label>
                    <span>{t.limit}</span>
                    <select name="limit">{limits.collect_view()}</select>
                </label>
                <label>
                    <span>{t.language}</span>
                    <select name="lang">
                        <option value="">{v.t.any_language}</option>
                        {options(languages.chain(asked), v.t.language_name, asked)}
                    </select>
                </label>
                <label class="check">
                    <input type="checkbox" name="collapse" value="0" checked=!params.collapse/>
                    <span>{t.unfolded}</span>
                </label>
            </div>
            <RangeValues/>
        </fieldset>
    }
    .into_any()
}

/// A slider with its value in the label.
struct Range {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    bounds: (f64, f64),
    steps_per_unit: f64,
    value: f64,
    unit: &'static str,
}

impl Range {
    /// A browser moves a value to the nearest step: one that was asked for between two gets finer ones.
    fn step(&self) -> f64 {
        if (self.value * self.steps_per_unit).round() / self.steps_per_unit == self.value {
            return self.steps_per_unit.recip();
        }
        let written = self.value.to_string();
        let places = written.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        10_f64.powi(places as i32).recip()
    }

    fn view(self, v: &Visit) -> AnyView {
        let value = format!("{}{}", v.locale.exact(self.value), self.unit);
        let point = v.locale.decimal(0.0, 1).replace('0', "");
        view! {
            <label class="turn" title=self.hint data-unit=self.unit data-point=point>
                <span>{self.label} ": " <b>{value.clone()}</b></span>
                <input
                    type="range"
                    name=self.name
                    min=self.bounds.0.to_string()
                    max=self.bounds.1.to_string()
                    step=self.step().to_string()
                    value=self.value.to_string()
                    aria-valuetext=value
                />
            </label>
        }
        .into_any()
    }
}

fn upload(v: &Visit) -> AnyView {
    let t = &v.t.feed_page;
    view! {
        <form
            class="controls"
            method="post"
            action=v.locale.path("/feed/opml")
            enctype="multipart/form-data"
        >
            <label>
                <span>{t.upload}</span>
                <input type="file" name="opml" accept=".opml,.xml,text/x-opml,text/xml" required/>
            </label>
            <button type="submit">{t.upload_submit}</button>
            <p class="small">{t.upload_hint}</p>
        </form>
    }
    .into_any()
}

/// What of an uploaded list or of the address is not in the selection.
pub(super) fn left_out(v: &Visit, query: &FeedQuery) -> Option<AnyView> {
    let t = &v.t.feed_page;
    let LeftOut { unknown, above } = LeftOut::parse(v.params());
    let above = i64::from(above) + query.above as i64;
    let unknown = (unknown > 0).then(|| (t.unknown_feeds)(unknown.into()));
    let above = (above > 0).then(|| (t.above_feeds)(above));
    let texts: Vec<String> = unknown.into_iter().chain(above).collect();
    (!texts.is_empty())
        .then(|| view! { <p class="notice" role="status">{texts.join(" ")}</p> }.into_any())
}

/// Ready selections for who has chosen nothing yet.
pub(super) fn starts(v: &Visit, offers: &[Offer]) -> Option<AnyView> {
    let t = &v.t.feed_page;
    let by = |group: fn(&Newsroom) -> &str| {
        let mut groups = BTreeMap::<&str, Vec<&Offer>>::new();
        for offer in offers.iter().filter(|offer| offer.refused().is_none()) {
            if let Some(newsroom) = offer.newsroom {
                groups.entry(group(newsroom)).or_default().push(offer);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, offers)| std::cmp::Reverse(offers.len()));
        groups.truncate(STARTS);
        groups
    };
    let lists = [
        (t.by_language, by(|newsroom| &newsroom.language), v.t.language_name),
        (t.by_country, by(|newsroom| &newsroom.country), v.t.country_name),
    ]
    .map(|(label, groups, name)| {
        let links = groups.into_iter().map(|(code, offers)| {
            view! { <li>{start(v, &name(code), offers)}</li> }
        });
        view! {
            <h3>{label}</h3>
            <ul class="starts">{links.collect_view()}</ul>
        }
    });
    offers.iter().any(|offer| offer.refused().is_none()).then(|| {
        view! {
            <section aria-labelledby="start">
                <h2 id="start">{t.start}</h2>
                <p>{t.start_text}</p>
                {lists.into_iter().collect_view()}
            </section>
        }
        .into_any()
    })
}

fn start(v: &Visit, name: &str, mut offers: Vec<&Offer>) -> AnyView {
    // A newsroom's main feed says more than its sections.
    offers.sort_by_key(|offer| !offer.report.source.section.is_empty());
    offers.truncate(START_CHANNELS);
    let count = offers.len() as i64;
    let channels = offers.into_iter().map(|offer| offer.slug().to_owned()).collect();
    let query = FeedQuery { channels, ..FeedQuery::default() };
    let href = to(v, &query);
    view! { <a href=href>{name.to_owned()} " " <small>{(v.t.feed_page.channels)(count)}</small></a> }
        .into_any()
}

pub(super) fn to(v: &Visit, query: &FeedQuery) -> String {
    let mut params = query.params();
    params.extend(v.kept());
    address(&v.locale.path("/feed"), &params)
}
