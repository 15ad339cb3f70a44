//! A source of ours as a page: what its newsroom publishes, as it was collected.

use bytes::Bytes;
use model::{Newsroom, SECONDS_PER_HOUR, Source, SourceReport, Trouble, UnixSeconds, Verdict};
use serde::Serialize;
use store::{Post, Store};

use crate::poll::NoPage;

/// Older items are not offered.
const OFFERED_SECONDS: i64 = 7 * 24 * SECONDS_PER_HOUR;
const POSTS: u32 = 100;

/// Why nothing may have been collected of a source; `None` where there is no reason.
pub(super) fn trouble(report: &SourceReport) -> Option<NoPage> {
    let Some(check) = &report.check else {
        return Some(NoPage::new(Trouble::Unreachable, "it was not asked yet"));
    };
    if check.verdict != Verdict::Allowed {
        return Some(NoPage::new(Trouble::Refused, &*check.reason));
    }
    if let Some(reason) = &report.stopped {
        return Some(NoPage::new(Trouble::Unreachable, &**reason));
    }
    let Some(newest) = report.fetches.first() else {
        return Some(NoPage::new(Trouble::Unreachable, "it was not asked yet"));
    };
    Some(NoPage::of_failure(newest.status, newest.error.as_deref()?))
}

/// The JSON of the page of `source` as it stands in the store, or `without` posts what is the trouble.
pub(super) async fn page(
    store: &Store,
    source: &Source,
    newsroom: &Newsroom,
    without: Option<NoPage>,
    now: UnixSeconds,
) -> Result<Bytes, NoPage> {
    let posts = store.posts(source.id, now - OFFERED_SECONDS, POSTS).await?;
    if let Some(trouble) = without.filter(|_| posts.is_empty()) {
        return Err(trouble);
    }
    let written = serde_json::to_vec(&Written::of(source, newsroom, posts));
    Ok(written.map_err(|error| NoPage::new(Trouble::Unreadable, error.to_string()))?.into())
}

#[derive(Serialize)]
struct Written<'a> {
    channel: Channel<'a>,
    content: Content,
}

#[derive(Serialize)]
struct Channel<'a> {
    username: &'a str,
    title: String,
    url: &'a str,
    language: &'a str,
}

#[derive(Serialize)]
struct Content {
    posts: Vec<WrittenPost>,
}

#[derive(Serialize)]
struct WrittenPost {
    id: i64,
    url: String,
    language: String,
    content: Said,
    footer: Footer,
}

#[derive(Serialize)]
struct Said {
    text: Text,
}

#[derive(Serialize)]
struct Text {
    string: String,
}

#[derive(Serialize)]
struct Footer {
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<i64>,
    edited: bool,
    date: Date,
}

#[derive(Serialize)]
struct Date {
    unix: UnixSeconds,
}

impl<'a> Written<'a> {
    fn of(source: &'a Source, newsroom: &'a Newsroom, posts: Vec<Post>) -> Self {
        let title = match source.section.as_str() {
            "" => newsroom.name.clone(),
            section => format!("{} – {section}", newsroom.name),
        };
        Self {
            channel: Channel {
                username: &source.slug,
                title,
                url: &newsroom.homepage,
                language: &newsroom.language,
            },
            content: Content { posts: posts.into_iter().map(WrittenPost::from).collect() },
        }
    }
}

impl From<Post> for WrittenPost {
    /// The title is the text's first line.
    fn from(post: Post) -> Self {
        let string = match post.lede.as_str() {
            "" => post.title,
            lede => format!("{}\n{lede}", post.title),
        };
        Self {
            id: post.item.0,
            url: post.link,
            language: post.language,
            content: Said { text: Text { string } },
            footer: Footer {
                views: post.views,
                edited: post.edited,
                date: Date { unix: post.mention_at },
            },
        }
    }
}
