//! Which snapshot a request means: the newest, or that of `?at=` and `?model=`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use chrono::DateTime;
use model::{Event, EventId, Model, Snapshot, UnixSeconds};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::ApiError;
use crate::state::AppState;

/// `?at=` and `?model=` as they stand in the address.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// A past moment, in RFC 3339 or in Unix seconds; by default the newest board's.
    at: Option<String>,
    /// Name of the model; by default the board's.
    #[param(example = "v2")]
    model: Option<String>,
}

impl Asked {
    /// The same question as the query of another address; empty when nothing was asked.
    #[must_use]
    pub fn query(&self) -> String {
        let at = self.at.as_ref().map(|at| format!("at={}", at.replace('+', "%2B")));
        let model = self.model.as_ref().map(|model| format!("model={model}"));
        match (at, model) {
            (None, None) => String::new(),
            (Some(one), None) | (None, Some(one)) => format!("?{one}"),
            (Some(at), Some(model)) => format!("?{at}&{model}"),
        }
    }

    #[must_use]
    pub fn new(at: Option<String>, model: Option<String>) -> Self {
        Self { at, model }
    }

    /// An instant in RFC 3339 or in Unix seconds.
    fn at(&self) -> Result<Option<UnixSeconds>, ApiError> {
        let Some(text) = self.at.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let instant = text
            .parse()
            .ok()
            .or_else(|| DateTime::parse_from_rfc3339(text).ok().map(|at| at.timestamp()));
        match instant {
            Some(at) => Ok(Some(at)),
            None => Err(ApiError::BadMoment(format!(
                "at={text:?} is no moment: write it as 2026-08-14T12:00:00Z or in Unix seconds"
            ))),
        }
    }

    fn model(&self) -> Result<Model, ApiError> {
        let Some(name) = self.model.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(Model::v1());
        };
        Model::named(name).ok_or_else(|| {
            let known: Vec<String> = Model::all().into_iter().map(|model| model.name).collect();
            ApiError::BadModel(format!("model={name:?} is unknown; known: {}", known.join(", ")))
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Query::try_from_uri(&parts.uri)
            .map(|Query(asked)| asked)
            .map_err(|error| ApiError::BadRequest(error.to_string()))
    }
}

/// The snapshot that a request means.
#[derive(Clone)]
pub struct Moment {
    pub snapshot: Arc<Snapshot>,
    /// A past moment was asked for.
    pub at: Option<UnixSeconds>,
}

/// Where an event is to be read.
pub enum Place {
    Here(Event),
    /// Merged into an older event, or last seen at a past moment.
    Elsewhere {
        id: EventId,
        at: Option<UnixSeconds>,
    },
    Nowhere,
}

impl AppState {
    /// # Errors
    ///
    /// When `at` or `model` cannot be read, `at` lies outside history, or the store fails.
    pub async fn moment(&self, asked: &Asked) -> Result<Moment, ApiError> {
        let (at, model) = (asked.at()?, asked.model()?);
        let newest = Arc::clone(&self.newest.borrow());
        if at.is_none() && model.name == newest.model.name {
            return Ok(Moment { snapshot: newest, at });
        }
        if let Some(at) = at.filter(|at| *at > newest.board.at) {
            return Err(ApiError::BadMoment(format!(
                "at={at} is after the newest board, of {}",
                newest.board.at
            )));
        }
        let key = (at.unwrap_or(newest.board.at), model.name.clone());
        if let Some(snapshot) = self.past.get(&key) {
            return Ok(Moment { snapshot, at });
        }
        let _turn = self.past.computing.lock().await;
        if let Some(snapshot) = self.past.get(&key) {
            return Ok(Moment { snapshot, at });
        }
        let snapshot =
            ingest::recompute::snapshot_at(&self.store, key.0, model, newest.demo).await?;
        let snapshot = Arc::new(snapshot);
        self.past.put(key, Arc::clone(&snapshot));
        Ok(Moment { snapshot, at })
    }

    /// Finds an event on the moment's board, behind a merge, or at the last moment it was seen.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn place(&self, moment: &Moment, id: EventId) -> Result<Place, ApiError> {
        let snapshot = &moment.snapshot;
        if let Some(event) = snapshot.board.events.iter().find(|event| event.id == id) {
            return Ok(Place::Here(event.clone()));
        }
        let model = &snapshot.model.name;
        let Some(current) = self.store.resolve_event(model, id).await? else {
            return Ok(Place::Nowhere);
        };
        if current != id {
            return Ok(Place::Elsewhere { id: current, at: moment.at });
        }
        match self.store.event_last_at(model, id).await? {
            Some(at) if moment.at != Some(at) => Ok(Place::Elsewhere { id, at: Some(at) }),
            _ => Ok(Place::Nowhere),
        }
    }
}

/// The last few boards that were computed for a past moment or another model.
#[derive(Default)]
pub struct PastBoards {
    kept: Mutex<VecDeque<(Key, Arc<Snapshot>)>>,
    /// One is computed at a time, so that questions about the past cannot take all of the machine.
    computing: tokio::sync::Mutex<()>,
}

type Key = (UnixSeconds, String);

impl PastBoards {
    const KEPT: usize = 16;

    fn get(&self, key: &Key) -> Option<Arc<Snapshot>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(kept, _)| kept == key).map(|(_, snapshot)| Arc::clone(snapshot))
    }

    fn put(&self, key: Key, snapshot: Arc<Snapshot>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, snapshot));
        kept.truncate(Self::KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Result<Option<UnixSeconds>, ApiError> {
        Asked { at: Some(text.to_owned()), model: None }.at()
    }

    #[test]
    fn moments_are_read_in_both_spellings() {
        assert_eq!(at("1786708859").ok().flatten(), Some(1_786_708_859));
        assert_eq!(at("2026-08-14T12:00:59Z").ok().flatten(), Some(1_786_708_859));
        assert_eq!(at("2026-08-14T14:00:00+02:00").ok().flatten(), Some(1_786_708_800));
        assert!(matches!(at(""), Ok(None)));
        assert!(matches!(at("yesterday"), Err(ApiError::BadMoment(_))));
    }
}
