//! A channel's page, asked for when a reader or the refresher wants it: permit → fetch → page → observe.
//! What stands on a page is kept for minutes and never stored; that it was asked for is history.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bytes::Bytes;
use engine::feed::page;
use model::{Outcome, Trouble, UnixSeconds};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use store::{ChannelState, Failure, SourceState};
use url::Url;

use super::{Answered, Line, Unanswered, begun, hex, refused, unreadable};
use crate::cpu;
use crate::fetch::{FetchOutcome, Validators};
use crate::gate::Answer;
use crate::observe::Seen;
use crate::pages::Page;
use crate::schedule::{Hints, MAX_DELAY_SECONDS};

/// A channel is asked at most this often, whatever it allows.
pub const MIN_CHANNEL_SECONDS: i64 = 30;

/// What asking for a page came to.
pub(crate) enum Asked {
    /// The page, under the channel's own name here.
    Page(Page),
    /// It is as it was.
    Unchanged,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPage {
    pub trouble: Trouble,
    /// One English sentence.
    pub reason: String,
}

impl NoPage {
    pub(crate) fn new(trouble: Trouble, reason: impl Into<String>) -> Self {
        Self { trouble, reason: reason.into() }
    }

    /// After a request that failed: what was answered is unreadable, all else was no answer.
    pub(crate) fn of_failure(status: Option<u16>, reason: impl Into<String>) -> Self {
        let answered = status.is_some_and(|status| (200..300).contains(&status));
        let trouble = if answered { Trouble::Unreadable } else { Trouble::Unreachable };
        Self::new(trouble, reason)
    }
}

impl From<store::Error> for NoPage {
    fn from(error: store::Error) -> Self {
        tracing::warn!(%error, "a page cannot be read or recorded");
        Self::new(Trouble::Unreachable, "the database does not answer; try again in a moment")
    }
}

impl Line {
    /// Asks for a channel's page, if the gate permits it. Who has a page says by `known` what it was read
    /// from: if that is the newest that anybody got, the channel may answer that it is unchanged, and is
    /// not asked before it wants to be.
    pub(crate) async fn channel_page(
        &self,
        slug: &str,
        known: Option<&str>,
    ) -> Result<Asked, NoPage> {
        let now = self.clock.now();
        let channel = self.store.channel(slug, now).await?;
        let Some(ChannelState { state, next_check_at, stopped, refusal }) = channel else {
            return Err(NoPage::new(Trouble::Unknown, format!("no channel is called {slug:?}")));
        };
        let source = &state.source;
        if let Some(reason) = stopped {
            return Err(NoPage::new(Trouble::Unreachable, reason));
        }
        if let Some(check) = refusal {
            return Err(NoPage::new(Trouble::Refused, check.reason));
        }
        let known = state.listing.as_ref().is_some_and(|newest| known == Some(&*newest.sha256));
        if next_check_at > now && state.failures > 0 {
            let failure = self.store.newest_failure(source.id).await?;
            return Err(left_alone(failure, next_check_at - now));
        }
        if next_check_at > now && known {
            return Ok(Asked::Unchanged);
        }
        let url = Url::parse(&source.url).map_err(|error| {
            let reason = format!("{} is not an address: {error}", source.url);
            NoPage::new(Trouble::Unreachable, reason)
        })?;
        self.recall_holds().await?;
        let turn = self.turns.at(&url).await;
        if let Some(free_at) = self.gate.held_until(&url, now) {
            return Err(waits(free_at - now));
        }

        let Answer { check, permit } = self.permit(&state, &url, now).await?;
        let Some(permit) = permit else {
            self.append(&state, Seen::nothing(refused(&state, &check, now)), now).await?;
            return Err(NoPage::new(Trouble::Refused, check.reason));
        };
        let validators = match known {
            true => {
                Validators { etag: state.etag.clone(), last_modified: state.last_modified.clone() }
            }
            false => Validators::default(),
        };
        let (mut seen, asked) = match self.ask(&state, &url, permit, &validators, now).await? {
            ControlFlow::Continue(answered) => self.read_page(&state, answered, now).await,
            ControlFlow::Break(Unanswered { refused, seen }) => {
                let trouble = if refused { Trouble::Refused } else { Trouble::Unreachable };
                let reason = seen.fetch.as_ref().and_then(|fetch| fetch.error.clone());
                (seen, Err(NoPage::new(trouble, reason.unwrap_or_default())))
            }
        };
        drop(turn);
        seen.next.host_free_at = self.gate.held_until(&url, now);
        self.append(&state, seen, now).await?;
        asked
    }

    async fn read_page(
        &self,
        state: &SourceState,
        answered: Answered,
        now: UnixSeconds,
    ) -> (Seen, Result<Asked, NoPage>) {
        let Answered { fetched, hints, elapsed_ms } = answered;
        let (mut row, mut next) = begun(state, &fetched, elapsed_ms, now);
        next.next_check_at = now + wait(hints);
        let body = match fetched.outcome {
            FetchOutcome::Body(body) => body,
            FetchOutcome::NotModified if state.listing.is_some() => {
                return (Seen::of(row, next), Ok(Asked::Unchanged));
            }
            FetchOutcome::NotModified => {
                (next.etag, next.last_modified) = (None, None);
                let reason = "304 to a request without validators";
                let none = NoPage::new(Trouble::Unreadable, reason);
                return (unreadable(state, reason, row, next, now), Err(none));
            }
        };
        next.etag.clone_from(&fetched.etag);
        next.last_modified.clone_from(&fetched.last_modified);
        let sha256 = hex(&Sha256::digest(&body));
        let username = state.source.slug.clone();
        let renamed = cpu::run(move || renamed(&body, &username)).await;
        let read = match renamed.unwrap_or_else(|| Err("the reader gave up on it".to_owned())) {
            Ok(json) => Page::read(json, now, Some(sha256.clone())).await,
            Err(reason) => Err(reason),
        };
        match read {
            Ok(page) => {
                if state.listing.as_ref().is_none_or(|listing| listing.sha256 != sha256) {
                    row.outcome = Outcome::Listed;
                    row.same_as = None;
                    row.sha256 = Some(sha256);
                }
                (Seen::of(row, next), Ok(Asked::Page(page)))
            }
            Err(reason) => {
                let none = NoPage::new(Trouble::Unreadable, reason.clone());
                (unreadable(state, &reason, row, next, now), Err(none))
            }
        }
    }
}

/// After a failure the channel waits, and is in the same trouble for so long.
fn left_alone(failure: Option<Failure>, seconds: i64) -> NoPage {
    let Some(Failure { status, reason }) = failure else { return waits(seconds) };
    NoPage::of_failure(status, format!("{reason}; it is left alone for another {seconds} s"))
}

fn waits(seconds: i64) -> NoPage {
    let reason = format!("it is left alone for another {seconds} s");
    NoPage::new(Trouble::Unreachable, reason)
}

fn wait(hints: Hints) -> i64 {
    hints.longest().clamp(MIN_CHANNEL_SECONDS, MAX_DELAY_SECONDS)
}

/// The page with its channel called `username`, since services have names of their own for them. Its
/// posts stay the text that they came as.
fn renamed(body: &[u8], username: &str) -> Result<Bytes, String> {
    #[derive(Deserialize)]
    struct Parts<'a> {
        #[serde(borrow)]
        channel: BTreeMap<Cow<'a, str>, &'a RawValue>,
        #[serde(borrow)]
        content: &'a RawValue,
    }
    // A mark of the byte order says nothing in UTF-8.
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let no_page = |error| page::told(&error);
    let page: Parts<'_> = serde_json::from_slice(body).map_err(no_page)?;
    let mut channel = page.channel;
    let username = serde_json::value::to_raw_value(username).map_err(no_page)?;
    channel.insert(Cow::Borrowed("username"), &username);
    let channel = serde_json::to_string(&channel).map_err(no_page)?;
    Ok(format!("{{\"channel\":{channel},\"content\":{}}}", page.content.get()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_goes_by_our_name_and_its_posts_stay_as_they_came() {
        let post = r#"{"id": 7,  "content": {"text": {"string": "Řím \u0061"}}}"#;
        let body = format!(
            "\u{feff}{{\"channel\": {{\"username\": \"Their_Name\", \"n\": 1e999}}, \
             \"content\": {{\"posts\": [{post}]}}}}"
        );
        let page = renamed(body.as_bytes(), "ours").unwrap();
        let page = String::from_utf8(page.to_vec()).unwrap();
        assert!(page.contains(post), "{page}");
        assert!(page.starts_with(r#"{"channel":{"n":1e999,"username":"ours"},"#), "{page}");
    }

    #[tokio::test]
    async fn what_is_no_page_says_why() {
        let long = "x".repeat(100_000);
        let long = [
            format!(r#"{{"channel": "{long}", "content": {{}}}}"#),
            format!(r#"{{"channel": {{}}, "content": "{long}"}}"#),
            format!(r#"{{"channel": {{}}, "content": {{"posts": "{long}"}}}}"#),
        ];
        let short =
            ["", "[]", r#"{"channel": {}}"#, r#"{"channel": {}, "content": {}}"#, "{\"a\":"];
        for body in short.into_iter().chain(long.iter().map(String::as_str)) {
            let reason = match renamed(body.as_bytes(), "ours") {
                Ok(json) => Page::read(json, 0, None).await.map(drop).unwrap_err(),
                Err(reason) => reason,
            };
            assert!(reason.starts_with("it is no page: ") && reason.len() < 400, "{reason}");
        }
    }
}
