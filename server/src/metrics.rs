//! `/metrics` in Prometheus' text format: what an operator's alarm needs to know.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new().route("/metrics", get(metrics))
}

/// Upper bounds of the times that are told apart.
const BOUNDS: [Duration; 7] = [
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(5),
];

/// Counts since the process started.
#[derive(Default)]
pub struct Counts {
    /// By first digit of the status, 1 to 5.
    statuses: [AtomicU64; 5],
    /// Answers within each bound, and the slower ones.
    times: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Counts {
    fn count(&self, status: u16, time: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.statuses[class].fetch_add(1, Ordering::Relaxed);
        let bound = BOUNDS.iter().position(|bound| time <= *bound).unwrap_or(BOUNDS.len());
        self.times[bound].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    }
}

/// Counts every answer, and the time until its first byte.
pub async fn counted(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let response = next.run(request).await;
    state.counts.count(response.status().as_u16(), began.elapsed());
    response
}

async fn metrics(State(state): State<AppState>) -> Response {
    let snapshot = Arc::clone(&state.newest.borrow());
    let stats = &snapshot.stats;
    let mut text = String::new();
    let now = chrono::Utc::now().timestamp();
    for (name, help, value) in [
        ("snapshot_id", "Id of the newest snapshot", snapshot.id),
        ("snapshot_age_seconds", "Age of the newest board", now - snapshot.board.at),
        (
            "last_fetch_age_seconds",
            "Since any source last answered",
            now - stats.last_fetch_at.unwrap_or(0),
        ),
        ("overdue_sources", "Sources whose next check is overdue", stats.overdue_sources.into()),
        ("lag_seconds", "By how much the latest is overdue", stats.lag_seconds),
        ("sources", "Sources asked", stats.sources.into()),
        ("items", "Items on record", stats.items),
        ("observations", "Observations on record", stats.observations),
        ("events", "Events in the window", stats.events.into()),
        ("shared_events", "Events of two newsrooms or more", stats.shared_events.into()),
        ("chain_length", "Batches in the chain", stats.chain_length),
        ("kept_bytes", "Memory of kept answers", state.kept.bytes()),
    ] {
        let _ = writeln!(
            text,
            "# HELP ohlas_{name} {help}.\n# TYPE ohlas_{name} gauge\nohlas_{name} {value}"
        );
    }
    let counts = &state.counts;
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    text += "# HELP ohlas_answers_total Answers by class of their status.\n# TYPE ohlas_answers_total counter\n";
    for (class, count) in (1..).zip(&counts.statuses) {
        let _ = writeln!(text, "ohlas_answers_total{{status=\"{class}xx\"}} {}", of(count));
    }
    text += "# HELP ohlas_answer_seconds Time until an answer begins.\n# TYPE ohlas_answer_seconds histogram\n";
    let mut within = 0;
    let bounds = BOUNDS.iter().map(|bound| bound.as_secs_f64().to_string());
    for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(&counts.times) {
        within += of(count);
        let _ = writeln!(text, "ohlas_answer_seconds_bucket{{le=\"{bound}\"}} {within}");
    }
    let sum = Duration::from_micros(of(&counts.microseconds)).as_secs_f64();
    let _ = writeln!(text, "ohlas_answer_seconds_sum {sum}\nohlas_answer_seconds_count {within}");
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, text).into_response()
}
