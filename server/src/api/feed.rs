//! `/v1/feed` and `/v1/channels`.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::{ChannelFailure, FeedParams, SourceKind, UnixSeconds, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::MomentErrors;
use crate::error::{ApiError, ErrorBody};
use crate::feed::FeedJson;
use crate::moment::Asked;
use crate::question::{Object, Question};
use crate::state::AppState;

/// A choice is its reader's own: no proxy keeps it.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(feed)).routes(routes!(channels))
}

/// The channels of a feed and how they are ranked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FeedRequest {
    /// Usernames from `/v1/channels`; one that is named twice counts once.
    #[schema(min_items = 1, max_items = 100)]
    channels: Vec<String>,
    /// Time in which a post loses half of its freshness.
    #[schema(minimum = 1, maximum = 720, default = 24)]
    half_life_hours: Option<f64>,
    /// How much posts like the last ones are held back; 0 is the plain order of score.
    #[schema(minimum = 0, maximum = 1, default = 0.5)]
    diversity: Option<f64>,
    /// Show one post of those that repeat each other's text.
    #[schema(default = true)]
    collapse: Option<bool>,
    /// Posts in the answer.
    #[schema(minimum = 1, maximum = 500, default = 100)]
    limit: Option<u32>,
    /// Only posts in this language (ISO 639: two or three lower-case letters), and those that do not say
    /// theirs.
    #[schema(pattern = "^[a-z]{2,3}$", example = "cs")]
    language: Option<String>,
}

impl FeedRequest {
    fn params(&self) -> FeedParams {
        let usual = FeedParams::default();
        FeedParams {
            half_life_hours: self.half_life_hours.unwrap_or(usual.half_life_hours),
            diversity: self.diversity.unwrap_or(usual.diversity),
            collapse: self.collapse.unwrap_or(usual.collapse),
            limit: self.limit.unwrap_or(usual.limit),
            language: self.language.clone(),
        }
    }
}

/// A ranked feed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the engine writes it; only its description is used")]
struct FeedAnswer {
    /// The full minute for which freshness was computed.
    at: UnixSeconds,
    /// Those that were read, as their pages have them.
    #[schema(value_type = Vec<Object>)]
    channels: Vec<Value>,
    /// In order, each as its page has it, with `channel` (a username), `_score` (0 to 10), and where
    /// they apply `_duplicates` (`channel`, `id`, `url` and `_score` of each that repeats its text) and
    /// `_topic` (`id` and `keywords`).
    #[schema(value_type = Vec<Object>)]
    posts: Vec<Value>,
    /// Channels that are not in it, and why.
    failures: Vec<ChannelFailure>,
}

/// A feed of chosen channels
///
/// Ranked, with repeated texts folded, like kept apart from like, and topics. A channel that cannot be
/// had is told of in `failures`, beside the posts of the others.
#[utoipa::path(
    post,
    path = "/v1/feed",
    tag = "feed",
    request_body(
        content = FeedRequest,
        example = json!({"channels": ["agentura-pramen", "denik-obzor-domaci"], "diversity": 0.5, "limit": 20}),
    ),
    responses(
        (status = 200, description = "The feed", body = FeedAnswer),
        (status = 400, description = "No JSON, no or too many channels, or a value out of its range",
            body = ErrorBody),
        (status = 413, description = "The question is longer than 64 KiB"),
        (status = 415, description = "The question does not call itself JSON", body = ErrorBody),
        (status = 422, description = "The question is no object, or a field is unknown, missing or of another type", body = ErrorBody),
        (status = 429, description = "Too many requests from one address", body = ErrorBody),
        (status = 500, description = "The feed could not be ranked", body = ErrorBody),
        (status = 503, description = "Too many feeds are being ranked", body = ErrorBody),
    ),
)]
async fn feed(
    State(state): State<AppState>,
    question: Question<FeedRequest>,
) -> Result<Response, ApiError> {
    let Json(Object(question)) = question?;
    let FeedJson { at, json, failures } =
        state.feed_json(&question.channels, &question.params()).await?;
    // Set around the ranking, which stays as the engine wrote it.
    let failures = serde_json::to_string(&failures).unwrap_or_default();
    let start = format!("{{\"at\":{at},\"failures\":{failures},");
    let ranking = json.strip_prefix(b"{").unwrap_or(&json);
    let body = [start.as_bytes(), ranking].concat();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CACHE_CONTROL, PRIVATE),
    ];
    Ok((headers, body).into_response())
}

/// What a feed can be made of.
#[derive(Serialize, ToSchema)]
struct Channels {
    at: UnixSeconds,
    channels: Vec<Channel>,
}

/// A source, as a channel.
#[derive(Serialize, ToSchema)]
struct Channel {
    /// Its name in `/v1/feed`.
    username: String,
    newsroom: String,
    /// Empty for a newsroom's only source.
    section: String,
    owner: Option<String>,
    /// ISO 3166-1 alpha-2.
    country: String,
    /// ISO 639-1.
    language: String,
    kind: SourceKind,
    /// The gate's newest answer about it.
    verdict: Option<Verdict>,
}

/// Channels that a feed can be made of
#[utoipa::path(
    get,
    path = "/v1/channels",
    tag = "feed",
    params(Asked),
    responses((status = 200, description = "All of them", body = Channels), MomentErrors),
)]
async fn channels(State(state): State<AppState>, asked: Asked) -> Result<Json<Channels>, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    let channels = snapshot.sources.iter().filter_map(|report| {
        let source = &report.source;
        let newsroom = snapshot.newsroom(source.newsroom)?;
        Some(Channel {
            username: source.slug.clone(),
            newsroom: newsroom.name.clone(),
            section: source.section.clone(),
            owner: newsroom.owner.clone(),
            country: newsroom.country.clone(),
            language: newsroom.language.clone(),
            kind: source.kind,
            verdict: report.check.as_ref().map(|check| check.verdict),
        })
    });
    Ok(Json(Channels { at: snapshot.board.at, channels: channels.collect() }))
}
