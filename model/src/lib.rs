//! Plain data that the server and the browser share: no clock, no I/O, no platform-sized integers.
//!
//! Every instant is [`UnixSeconds`] in UTC, every duration says its unit in its name.

mod accuracy;
mod board;
mod feed;
mod figures;
mod gate;
mod item;
mod log;
mod newsroom;
mod params;
mod search;
mod snapshot;

pub use accuracy::*;
pub use board::*;
pub use feed::*;
pub use figures::*;
pub use gate::*;
pub use item::*;
pub use log::*;
pub use newsroom::*;
pub use params::*;
pub use search::*;
pub use snapshot::*;

/// Seconds since 1970-01-01T00:00:00Z.
pub type UnixSeconds = i64;

pub const SECONDS_PER_HOUR: i64 = 3_600;

/// Hours between two instants; negative when `to` is before `from`.
#[must_use]
pub fn hours_between(from: UnixSeconds, to: UnixSeconds) -> f64 {
    to.saturating_sub(from) as f64 / SECONDS_PER_HOUR as f64
}

/// A row's identity that cannot be mistaken for another table's.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $repr:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(pub $repr);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}
pub(crate) use id;
