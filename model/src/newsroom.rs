use serde::{Deserialize, Serialize};

use crate::id;

id!(
    /// One editorial unit.
    NewsroomId,
    i32
);
id!(
    /// One feed of one newsroom.
    SourceId,
    i32
);

/// An editorial unit. It is always counted once, however many sources it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Newsroom {
    pub id: NewsroomId,
    /// Stable name in `sources.toml` and in addresses, such as `denik-obzor`.
    pub slug: String,
    pub name: String,
    pub homepage: String,
    /// The company or group that publishes it; `None` is unknown and counts as its own owner.
    pub owner: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// ISO 639-1.
    pub language: String,
    /// Weight in breadth; 1 unless `weight_reason` says why not.
    pub weight: f64,
    pub weight_reason: Option<String>,
}

/// What a source publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    Feed,
    Video,
    /// A page of posts, asked for by readers' feeds and not by the schedule.
    Channel,
}

/// One feed of one newsroom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Source {
    pub id: SourceId,
    pub newsroom: NewsroomId,
    /// Stable name in `sources.toml` and in addresses, such as `denik-obzor-sport`.
    pub slug: String,
    /// What a reader calls it, such as `Sport`; empty for a newsroom's only feed.
    pub section: String,
    pub url: String,
    pub kind: SourceKind,
}
