//! One file per page.

mod board;
mod desk;
mod docs;
mod embed;
mod event;
mod feed;
mod methodology;
mod missing;
mod models;
mod newsrooms;
mod search;
mod source;
mod sources;
mod status;
mod videos;

pub(crate) use board::BoardPage;
pub(crate) use desk::{DeskPage, DeskQuery};
pub(crate) use docs::DocsPage;
pub(crate) use embed::{EmbeddedBoard, EmbeddedEvent};
pub(crate) use event::EventPage;
pub(crate) use feed::FeedPage;
pub use feed::FeedQuery;
pub(crate) use methodology::MethodologyPage;
pub(crate) use missing::{NotFoundPage, RefusedPage};
pub(crate) use models::ModelsPage;
pub(crate) use newsrooms::{NewsroomsPage, NewsroomsQuery};
pub(crate) use search::SearchPage;
pub use search::SearchQuery;
pub(crate) use source::SourcePage;
pub(crate) use sources::{SourcesPage, verdict_name};
pub(crate) use status::StatusPage;
pub(crate) use videos::VideosPage;
