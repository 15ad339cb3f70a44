//! Search in all of history.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use model::{Found, FoundEvent, FoundItem};

use crate::context::{Lookup, Visit, address};
use crate::parts::{Head, frame, moment, near, outward, pagination, title, visible};
use crate::query::fold;

/// Events on one page.
const PAGE_SIZE: u32 = 20;
/// Languages that can be asked for.
const LANGUAGES: [&str; 13] =
    ["cs", "sk", "en", "de", "fr", "it", "es", "pt", "pl", "hu", "sl", "uk", "ru"];

/// What the address asks to be found; what is unknown counts as not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    pub text: String,
    pub language: Option<String>,
    pub newest: bool,
    /// From 1.
    page: u32,
}

impl SearchQuery {
    /// From the query of an address.
    #[must_use]
    pub fn of_address(query: &str) -> Self {
        Self::parse(&crate::query::params_of(query))
    }

    fn parse(params: &ParamsMap) -> Self {
        let given = |name| params.get(name).filter(|value| !value.trim().is_empty());
        Self {
            text: given("q")
                .map(|text| text.trim().chars().take(200).collect())
                .unwrap_or_default(),
            language: given("lang").filter(|language| LANGUAGES.contains(&language.as_str())),
            newest: given("sort").is_some_and(|sort| sort == "newest"),
            page: given("page")
                .and_then(|page| page.parse().ok())
                .filter(|page| (1..=1_000).contains(page))
                .unwrap_or(1),
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let mut params = vec![("q", self.text.clone())];
        params.extend(self.language.clone().map(|language| ("lang", language)));
        if self.newest {
            params.push(("sort", "newest".to_owned()));
        }
        if self.page > 1 {
            params.push(("page", self.page.to_string()));
        }
        params
    }

    #[must_use]
    pub fn offset(&self) -> u32 {
        (self.page - 1) * PAGE_SIZE
    }

    #[must_use]
    pub fn limit(&self) -> u32 {
        PAGE_SIZE
    }
}

#[component]
pub(crate) fn SearchPage() -> impl IntoView {
    let v = Visit::here();
    let t = &v.t.search_page;
    let query = SearchQuery::parse(v.params());
    let results = match &v.lookup {
        Lookup::Search(found) => results(&v, &query, found),
        _ => ().into_any(),
    };
    let how = t.how_text.iter().map(|text| view! { <p>{*text}</p> });
    let heading = if query.text.is_empty() { t.title.to_owned() } else { (t.titled)(&query.text) };
    let content = view! {
        <h1>{t.title}</h1>
        <p class="lede">{t.lede}</p>
        {form(&v, &query)}
        {results}
        <section aria-labelledby="how">
            <h2 id="how">{t.how}</h2>
            {how.collect_view()}
        </section>
    };
    let indexed = query.text.is_empty();
    frame(&v, Head { indexed, ..Head::new(&heading, t.lede) }, content.into_any())
}

fn to(v: &Visit, query: &SearchQuery) -> String {
    let mut params = query.params();
    params.extend(v.kept());
    address(&v.locale.path("/search"), &params)
}

fn form(v: &Visit, query: &SearchQuery) -> AnyView {
    let t = &v.t.search_page;
    let mut languages: Vec<(String, &str)> =
        LANGUAGES.into_iter().map(|code| ((v.t.language_name)(code), code)).collect();
    languages.sort_by_cached_key(|(name, _)| fold(name));
    let languages = languages.into_iter().map(|(name, code)| {
        let selected = query.language.as_deref() == Some(code);
        view! { <option value=code selected=selected>{name}</option> }
    });
    let mut hidden = v.kept();
    if query.newest {
        hidden.push(("sort", "newest".to_owned()));
    }
    let hidden = hidden
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    view! {
        <form class="controls" action=v.locale.path("/search")>
            <label class="wide">
                <span>{t.label}</span>
                <input type="search" name="q" maxlength="200" value=query.text.clone()/>
            </label>
            <label>
                <span>{v.t.language}</span>
                <select name="lang">
                    <option value="">{v.t.any_language}</option>
                    {languages.collect_view()}
                </select>
            </label>
            {hidden.collect_view()}
            <button type="submit">{t.submit}</button>
        </form>
    }
    .into_any()
}

fn results(v: &Visit, query: &SearchQuery, found: &Found) -> AnyView {
    let t = &v.t.search_page;
    let searched = view! {
        <p class="small">{t.searched} " " {moment(v, v.snapshot.board.at)} "."</p>
    };
    if found.events.is_empty() {
        return view! {
            <section class="empty">
                <h2>{(t.nothing)(&query.text)}</h2>
                <p>{t.nothing_hint}</p>
                {searched}
            </section>
        }
        .into_any();
    }
    let sorts = [(false, t.by_relevance), (true, v.t.by_newest)].map(|(newest, name)| {
        let current = (query.newest == newest).then_some("true");
        let href = to(v, &SearchQuery { newest, page: 1, ..query.clone() });
        view! { <a href=href aria-current=current>{name}</a> }
    });
    let capped = found.capped.map(|ranked| {
        view! { <p class="notice">{(t.capped)(ranked.into())}</p> }
    });
    let pages = found.total.div_ceil(PAGE_SIZE).max(1);
    let events = found.events.iter().map(|event| event_view(v, event, &found.stems));
    let place = (pages > 1).then(|| format!(", {}", (t.page)(query.page.into(), pages.into())));
    view! {
        <div class="bar">
            <p role="status"><b>{(t.found)(found.total.into())}</b> {place}</p>
            <nav class="tabs" aria-label=v.t.sort>
                <span aria-hidden="true">{v.t.sort} ":"</span>
                {sorts.into_iter().collect_view()}
            </nav>
        </div>
        {searched} {capped}
        <ol class="found">{events.collect_view()}</ol>
        {pagination(v, query.page as usize, pages as usize, |page| {
            to(v, &SearchQuery { page: page as u32, ..query.clone() })
        })}
    }
    .into_any()
}

fn event_view(v: &Visit, event: &FoundEvent, stems: &[String]) -> AnyView {
    let t = &v.t.search_page;
    let more = i64::from(event.matches) - event.items.len() as i64;
    let more = (more > 0).then(|| view! { <li class="small">{(t.and_items)(more)}</li> });
    let language = event.items.first().map_or("", |item| item.language.as_str());
    let times = if event.first_at == event.last_at {
        near(v, event.first_at)
    } else {
        view! { {near(v, event.first_at)} " – " {near(v, event.last_at)} }.into_any()
    };
    // The title of the newest moment stands as it is; where the words are, the items below show.
    view! {
        <li>
            <h2>
                <a href=v.href(&format!("/event/{}", event.event))>
                    {title(v, &event.title, language)}
                </a>
            </h2>
            <p class="facts">{(v.t.newsrooms)(event.newsrooms.into())} " · " {times}</p>
            <ul>
                {event.items.iter().map(|item| item_view(v, item, stems)).collect_view()}
                {more}
            </ul>
        </li>
    }
    .into_any()
}

fn item_view(v: &Visit, item: &FoundItem, stems: &[String]) -> AnyView {
    let newsroom = v.snapshot.newsroom(item.newsroom).map(|newsroom| newsroom.name.clone());
    let lang = (item.language != v.locale.code()).then(|| item.language.clone());
    let heading = if visible(&item.title) {
        view! { <bdi lang=lang.clone()>{marked(&item.title, stems)}</bdi> }.into_any()
    } else {
        title(v, "", "")
    };
    let lede = (!item.lede.is_empty()).then(|| {
        view! { <p class="perex"><bdi lang=lang>{marked(&item.lede, stems)}</bdi></p> }
    });
    view! {
        <li>
            <small>{newsroom} ", " {near(v, item.mention_at)}</small> <br/>
            {outward(heading, &item.link)} {lede}
        </li>
    }
    .into_any()
}

/// The text with the words that were looked for marked.
fn marked(text: &str, stems: &[String]) -> AnyView {
    pieces(text, stems)
        .into_iter()
        .map(|(piece, hit)| {
            if hit {
                view! { <mark>{piece.to_owned()}</mark> }.into_any()
            } else {
                piece.to_owned().into_any()
            }
        })
        .collect_view()
        .into_any()
}

/// The text cut at its words, each piece with whether it begins with a stem.
fn pieces<'a>(text: &'a str, stems: &[String]) -> Vec<(&'a str, bool)> {
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    let mut from = 0;
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let word = &rest[start..];
        let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let at = text.len() - rest.len() + start;
        let folded = fold(&word[..end]);
        if stems.iter().any(|stem| folded.starts_with(stem.as_str())) {
            if from < at {
                pieces.push((&text[from..at], false));
            }
            pieces.push((&text[at..at + end], true));
            from = at + end;
        }
        rest = &word[end..];
    }
    if from < text.len() {
        pieces.push((&text[from..], false));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_as_they_are_written() {
        let stems = ["povod".to_owned(), "rim".to_owned()];
        assert_eq!(
            pieces("Povodně: po povodni u Říma, <b>", &stems),
            [
                ("Povodně", true),
                (": po ", false),
                ("povodni", true),
                (" u ", false),
                ("Říma", true),
                (", <b>", false),
            ]
        );
        assert_eq!(pieces("", &stems), []);
        assert_eq!(pieces("nic", &stems), [("nic", false)]);
    }

    #[test]
    fn a_query_survives_the_way_through_the_address() {
        let query = SearchQuery::of_address("q=%C5%98%C3%ADm+most&lang=cs&sort=newest&page=3");
        assert_eq!((query.text.as_str(), query.offset(), query.newest), ("Řím most", 40, true));
        let written = address("/search", &query.params());
        assert_eq!(SearchQuery::of_address(written.split_once('?').map_or("", |(_, q)| q)), query);
        let nonsense = SearchQuery::of_address("q=&lang=xx&page=0");
        assert_eq!(nonsense, SearchQuery { page: 1, ..SearchQuery::default() });
    }
}
