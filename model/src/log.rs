use serde::{Deserialize, Serialize};

use crate::UnixSeconds;

/// The newest batch of history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChainHead {
    /// From 1, without gaps.
    pub position: i64,
    /// SHA-256, lower-case hexadecimal.
    pub hash: String,
}

/// One batch of history: what was appended in one transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Batch {
    /// From 1, without gaps.
    pub position: i64,
    pub at: UnixSeconds,
    pub rows: BatchRows,
    /// SHA-256, lower-case hexadecimal.
    pub hash: String,
    /// Hash of the batch before it; 64 zeros before the first.
    pub previous: String,
}

/// Rows of a batch by table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchRows {
    pub gate_checks: i64,
    pub fetches: i64,
    pub items: i64,
    pub item_keys: i64,
    pub item_revisions: i64,
    pub observations: i64,
}
