use serde::{Deserialize, Serialize};

use crate::{SourceId, UnixSeconds};

/// The gate's recorded answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Allowed,
    /// robots.txt has a rule against it.
    Disallowed,
    /// A text-and-data-mining reservation stands.
    Reserved,
    /// robots.txt could not be read: nothing may be fetched until it can.
    Unreachable,
}

impl Verdict {
    pub const ALL: [Self; 4] = [Self::Allowed, Self::Disallowed, Self::Reserved, Self::Unreachable];

    /// The word used in the database and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Disallowed => "disallowed",
            Self::Reserved => "reserved",
            Self::Unreachable => "unreachable",
        }
    }
}

impl std::str::FromStr for Verdict {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text).ok_or(())
    }
}

/// One answer of the gate about one address, as it is recorded and shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GateCheck {
    pub source: SourceId,
    pub at: UnixSeconds,
    /// The address that was to be fetched.
    pub url: String,
    pub user_agent: String,
    pub robots_url: String,
    /// HTTP status of robots.txt; `None` when no answer came.
    pub robots_status: Option<u16>,
    /// SHA-256 of the robots.txt body, lower-case hexadecimal.
    pub robots_sha256: Option<String>,
    /// The very line that decided, such as `Disallow: /feeds/`.
    pub matched_rule: Option<String>,
    /// The reservation signal found, such as `tdmrep.json: tdm-reservation 1`.
    pub tdm_signal: Option<String>,
    pub verdict: Verdict,
    /// The reason in one English sentence.
    pub reason: String,
    pub valid_until: UnixSeconds,
}

/// An answer of the gate that differs from the one before it about the same address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VerdictChange {
    /// The verdict before; `None` at the first question.
    #[serde(default)]
    pub before: Option<Verdict>,
    /// The verdict since, with its time, rule and the hash of the document that it rests on. Its fields
    /// stand beside `before`, where they stood alone once: so both versions read each other's snapshots.
    #[serde(flatten)]
    pub check: GateCheck,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_and_the_bare_check_of_older_snapshots_are_read_as_each_other() {
        let check = GateCheck {
            source: SourceId(1),
            at: 7,
            url: "https://a.example/rss".into(),
            user_agent: "Ohlas".into(),
            robots_url: "https://a.example/robots.txt".into(),
            robots_status: Some(200),
            robots_sha256: None,
            matched_rule: Some("Disallow: /".into()),
            tdm_signal: None,
            verdict: Verdict::Disallowed,
            reason: "A rule is against it.".into(),
            valid_until: 8,
        };
        let bare = serde_json::to_string(&check).unwrap();
        let change: VerdictChange = serde_json::from_str(&bare).unwrap();
        assert_eq!(change, VerdictChange { before: None, check: check.clone() });
        let change = VerdictChange { before: Some(Verdict::Allowed), check };
        let written = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<GateCheck>(&written).unwrap(), change.check);
        assert_eq!(serde_json::from_str::<VerdictChange>(&written).unwrap(), change);
    }
}
