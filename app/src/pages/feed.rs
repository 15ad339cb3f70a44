//! The personalised feed: the posts of chosen channels in one ranking. The address alone remembers
//! what was chosen.

mod picker;
mod posts;
mod query;

use engine::feed::{duplicates, place};
use leptos::prelude::*;

use crate::context::{Lookup, Visit};
use crate::parts::{Head, frame};

pub use query::FeedQuery;

#[component]
pub(crate) fn FeedPage() -> impl IntoView {
    let v = Visit::here();
    let t = &v.t.feed_page;
    let query = FeedQuery::parse(v.params());
    let offers = picker::Offer::all(&v);
    let starts = query.channels.is_empty().then(|| picker::starts(&v, &offers));
    let posts = match &v.lookup {
        Lookup::Feed(feed) => Some(posts::posts(&v, &query, feed, &offers)),
        _ => None,
    };
    let how = (t.how_text)(place::WINDOW, place::CHANNEL_WINDOW, duplicates::LEAST_WORDS);
    let how = how.into_iter().map(|text| view! { <p>{text}</p> });
    let content = view! {
        <h1>{t.title}</h1>
        <p class="lede">{t.lede}</p>
        {picker::left_out(&v, &query)}
        {starts}
        {picker::picker(&v, &query, &offers)}
        {posts}
        <section aria-labelledby="how">
            <h2 id="how">{t.how}</h2>
            {how.collect_view()}
        </section>
    };
    let indexed = query.channels.is_empty();
    let content = content.into_any();
    frame(&v, Head { indexed, ..Head::new(t.title, t.lede) }, content)
}
