use serde::{Deserialize, Serialize};

/// How well computed events agree with events that people labelled; all figures in [0, 1].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Accuracy {
    /// Version of the engine that was measured.
    pub engine: String,
    /// [`Model::hash`](crate::Model::hash) of the model that was measured.
    pub model: String,
    /// The one threshold for all sets.
    pub threshold: f64,
    /// Mean of the quoted sets' figures.
    pub mean: f64,
    pub mean_interval: Interval,
    pub sets: Vec<SetAccuracy>,
}

/// Agreement on one labelled set of one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetAccuracy {
    pub set: String,
    /// ISO 639-1.
    pub lang: String,
    pub items: u32,
    /// Labelled events, those of a single item among them.
    pub events: u32,
    /// Its figure is part of the mean.
    pub quoted: bool,
    pub bcubed: Agreement,
    pub pairs: Agreement,
    /// (BCubed F1 + pair F1) / 2.
    pub figure: f64,
    pub figure_interval: Interval,
}

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Agreement {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
    /// Of `f1`.
    pub interval: Interval,
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}
