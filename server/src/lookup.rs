//! What a page shows beside the snapshot: looked up before it is rendered, since rendering waits
//! for nothing.

use app::{FeedQuery, Locale, Lookup, SearchQuery};
use axum::http::Uri;
use model::{EventId, UnixSeconds};
use store::Search;

use crate::error::ApiError;
use crate::moment::Moment;
use crate::state::AppState;

impl AppState {
    /// # Errors
    ///
    /// When the store fails.
    pub async fn lookup(&self, uri: &Uri, moment: &Moment) -> Result<Lookup, ApiError> {
        let path = Locale::strip(uri.path());
        if let Some(id) = path.strip_prefix("/event/").and_then(|id| id.parse().ok()) {
            return Ok(Lookup::Scores(self.scores(moment, id).await?.into()));
        }
        match path {
            "/search" => self.found(uri, moment).await,
            "/feed" => self.chosen(uri).await,
            _ => Ok(Lookup::Nothing),
        }
    }

    /// The event's course up to the moment.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn scores(
        &self,
        moment: &Moment,
        event: EventId,
    ) -> Result<Vec<(UnixSeconds, model::Factors, u32)>, ApiError> {
        let snapshot = &moment.snapshot;
        let mut scores = self.store.score_history(&snapshot.model.name, event).await?;
        scores.retain(|(at, _, _)| *at <= snapshot.board.at);
        Ok(scores)
    }

    async fn chosen(&self, uri: &Uri) -> Result<Lookup, ApiError> {
        let query = FeedQuery::of_address(uri.query().unwrap_or_default());
        if query.channels.is_empty() {
            return Ok(Lookup::Nothing);
        }
        Ok(Lookup::Feed(self.feed(&query.channels, &query.params).await?.into()))
    }

    async fn found(&self, uri: &Uri, moment: &Moment) -> Result<Lookup, ApiError> {
        let query = SearchQuery::of_address(uri.query().unwrap_or_default());
        if query.text.is_empty() {
            return Ok(Lookup::Nothing);
        }
        let search = Search {
            text: query.text.clone(),
            language: query.language.clone(),
            newest: query.newest,
            // What was collected since stands in no event yet, and the answer is kept with the snapshot.
            at: moment.snapshot.board.at,
            offset: query.offset(),
            limit: query.limit(),
        };
        let found = self.store.search(&moment.snapshot.model.name, &search).await?;
        Ok(Lookup::Search(found.into()))
    }
}
