//! Simulated newsrooms on loopback: invented owners, newsrooms and happenings in four languages,
//! for a first look, end-to-end and load tests. Nothing here names a real newsroom, company or
//! person.
//!
//! [`Plan`] is the invented world, a pure function of seed and start that goes on for ever, a day
//! at a time. [`Newsrooms`] serves it over HTTP and keeps a log of every request; [`Faults`] is what
//! may go wrong on the way.

mod cast;
mod faults;
mod grammar;
mod happening;
mod listing;
mod plan;
mod render;
mod server;
mod sources;

pub use cast::{Feed, Format, Newsroom, Order, Quirk, Robots, Validators, newsrooms};
pub use faults::{Fault, Faults, is_gate_document};
pub use plan::{Plan, Story, Wording};
pub use server::{LoggedRequest, Newsrooms};
pub use sources::{forbidden_feeds, sources_toml};

/// Language in which a newsroom writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Czech,
    Slovak,
    English,
    German,
}

impl Language {
    pub const ALL: [Self; 4] = [Self::Czech, Self::Slovak, Self::English, Self::German];

    /// ISO 639-1.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Czech => "cs",
            Self::Slovak => "sk",
            Self::English => "en",
            Self::German => "de",
        }
    }
}

/// What a story is about; section feeds select by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    Home,
    Regional,
    World,
    Business,
    Sport,
    Culture,
    Science,
    Tech,
    Health,
    Soft,
}

impl std::str::FromStr for Topic {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "home" => Self::Home,
            "regional" => Self::Regional,
            "world" => Self::World,
            "business" => Self::Business,
            "sport" => Self::Sport,
            "culture" => Self::Culture,
            "science" => Self::Science,
            "tech" => Self::Tech,
            "health" => Self::Health,
            "soft" => Self::Soft,
            _ => return Err(()),
        })
    }
}
