//! Two models' orders of one moment's board: `?a=` and `?b=`.

use ingest::{cpu, recompute};
use model::{Model, ModelComparison};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

/// The models to compare, and when, as they stand in the address.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Pair {
    /// Name of the first model; by default the board's.
    #[param(example = "v1")]
    a: Option<String>,
    /// Name of the second model; by default the one after the board's.
    #[param(example = "v2")]
    b: Option<String>,
    /// A past moment, in RFC 3339 or in Unix seconds; by default the newest board's.
    at: Option<String>,
}

impl AppState {
    /// # Errors
    ///
    /// When a model or the moment cannot be read, or the store fails.
    pub async fn comparison(&self, Pair { a, b, at }: Pair) -> Result<ModelComparison, ApiError> {
        let b = b.filter(|name| !name.is_empty()).unwrap_or_else(|| Model::v2().name);
        let a = self.moment(&Asked::new(at.clone(), a)).await?.snapshot;
        let b = self.moment(&Asked::new(at, Some(b))).await?.snapshot;
        let compared = cpu::run(move || engine::compare(&a.board, &b.board)).await;
        Ok(compared.ok_or(recompute::Error::Engine)?)
    }
}
