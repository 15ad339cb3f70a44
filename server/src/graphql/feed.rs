//! Readers' feeds.
//!
//! An argument that has a default may be null: so comes a variable that was left out.

use async_graphql::{Context, Enum, ID, Object, Result, SimpleObject};
use model::{FeedParams, RankedFeed, RankedPost};

use super::UnixSeconds;
use crate::state::AppState;

/// A channel's page may have to be fetched, and is ranked whole.
const CHANNEL_COST: usize = 100;
/// Posts that repeat another, where one does.
const DUPLICATES: usize = 3;

#[derive(Default)]
pub struct FeedFields;

#[Object]
impl FeedFields {
    /// The posts of chosen channels in one ranking, as `POST /v1/feed` orders them. A channel that cannot
    /// be had is told of in `failures`, beside the posts of the others.
    #[graphql(
        complexity = "CHANNEL_COST * channels.len() + posts(limit) as usize * child_complexity"
    )]
    #[expect(clippy::too_many_arguments, reason = "the field has as many")]
    async fn feed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Slugs of 1 to 100 sources; one that is named twice counts once.")]
        channels: Vec<String>,
        #[graphql(
            default_with = "Some(FeedParams::default().half_life_hours)",
            desc = "Time in which a post loses half of its freshness, 1 to 720."
        )]
        half_life_hours: Option<f64>,
        #[graphql(
            default_with = "Some(FeedParams::default().diversity)",
            desc = "How much posts like the last ones are held back; from 0, the plain order of score, to 1."
        )]
        diversity: Option<f64>,
        #[graphql(
            default_with = "Some(FeedParams::default().collapse)",
            desc = "Show one post of those that repeat each other's text."
        )]
        collapse: Option<bool>,
        #[graphql(
            default_with = "Some(FeedParams::default().limit)",
            desc = "Posts in the answer, 1 to 500."
        )]
        limit: Option<u32>,
        #[graphql(
            desc = "Only posts in this language (ISO 639: two or three lower-case letters), and those that do not say theirs."
        )]
        language: Option<String>,
    ) -> Result<Feed> {
        let usual = FeedParams::default();
        let params = FeedParams {
            half_life_hours: half_life_hours.unwrap_or(usual.half_life_hours),
            diversity: diversity.unwrap_or(usual.diversity),
            collapse: collapse.unwrap_or(usual.collapse),
            limit: posts(limit),
            language,
        };
        Ok(context.data::<AppState>()?.feed(&channels, &params).await?.into())
    }
}

fn posts(limit: Option<u32>) -> u32 {
    limit.unwrap_or(FeedParams::default().limit)
}

/// The posts of chosen channels in one ranking.
#[derive(SimpleObject)]
struct Feed {
    /// The moment for which freshness was computed.
    at: UnixSeconds,
    /// Those that were read, in the order asked for.
    channels: Vec<String>,
    entries: Vec<Entry>,
    /// What two posts or more are about.
    topics: Vec<Topic>,
    failures: Vec<ChannelFailure>,
}

/// A post in its place.
#[derive(SimpleObject)]
struct Entry {
    post: Post,
    /// Those that repeat its text, the best first.
    #[graphql(complexity = "DUPLICATES * child_complexity")]
    duplicates: Vec<Post>,
    topic: Option<Topic>,
}

/// A post and why it has its score.
#[derive(SimpleObject)]
struct Post {
    channel: String,
    /// Its identity on its channel's page; empty where it has none.
    id: ID,
    url: Option<String>,
    text: String,
    at: Option<UnixSeconds>,
    /// In [0, 10].
    score: f64,
    /// In [0, 1].
    freshness: f64,
    quality: Quality,
}

/// The parts of a post's quality, each in [0, 1]; one half is neutral.
#[derive(SimpleObject)]
struct Quality {
    /// Views for the channel's size.
    reach: f64,
    /// How readers reacted.
    reactions: f64,
    /// How much it says.
    text: f64,
    media: f64,
    /// Whether it was edited after it was published.
    care: f64,
    /// The weighted mean of the parts.
    total: f64,
}

/// What posts are about.
#[derive(Clone, SimpleObject)]
struct Topic {
    /// Number among the feed's topics.
    id: usize,
    keywords: Vec<String>,
}

/// A channel that was asked for and is not in the feed.
#[derive(SimpleObject)]
struct ChannelFailure {
    /// As it was asked for.
    channel: String,
    trouble: Trouble,
    /// One English sentence.
    reason: String,
}

/// Why a channel is not in a feed.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Trouble")]
enum Trouble {
    /// No source has this name.
    Unknown,
    /// The gate does not permit it.
    Refused,
    /// It did not answer, or wants to be left alone for a while.
    Unreachable,
    /// What it answered is no page.
    Unreadable,
}

impl From<RankedFeed> for Feed {
    fn from(feed: RankedFeed) -> Self {
        let topics: Vec<Topic> =
            (0..).zip(feed.topics).map(|(id, keywords)| Topic { id, keywords }).collect();
        let post = |post| Post::new(post, &feed.channels);
        let entries = feed.entries.into_iter().map(|entry| Entry {
            post: post(entry.post),
            duplicates: entry.duplicates.into_iter().map(post).collect(),
            topic: entry.topic.and_then(|topic| topics.get(topic as usize)).cloned(),
        });
        let failures = feed.failures.into_iter().map(|failure| ChannelFailure {
            channel: failure.channel,
            trouble: failure.trouble.into(),
            reason: failure.reason,
        });
        Self {
            at: UnixSeconds(feed.at),
            entries: entries.collect(),
            channels: feed.channels,
            topics,
            failures: failures.collect(),
        }
    }
}

impl Post {
    fn new(post: RankedPost, channels: &[String]) -> Self {
        let quality = post.quality;
        Self {
            channel: channels.get(post.channel as usize).cloned().unwrap_or_default(),
            id: post.id.into(),
            url: post.url,
            text: post.text,
            at: post.at.map(UnixSeconds),
            score: post.score,
            freshness: post.freshness,
            quality: Quality {
                total: quality.total(),
                reach: quality.reach,
                reactions: quality.reactions,
                text: quality.text,
                media: quality.media,
                care: quality.care,
            },
        }
    }
}
