//! One file per page.

mod board;
mod docs;
mod embed;
mod event;
mod methodology;
mod missing;
mod models;
mod source;
mod sources;
mod status;

pub(crate) use board::BoardPage;
pub(crate) use docs::DocsPage;
pub(crate) use embed::{EmbeddedBoard, EmbeddedEvent};
pub(crate) use event::EventPage;
pub(crate) use methodology::MethodologyPage;
pub(crate) use missing::{NotFoundPage, RefusedPage};
pub(crate) use models::ModelsPage;
pub(crate) use source::SourcePage;
pub(crate) use sources::{SourcesPage, verdict_name};
pub(crate) use status::StatusPage;
