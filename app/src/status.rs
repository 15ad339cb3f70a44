//! The one place where a page sets the HTTP status of its answer.

use axum::http::StatusCode;
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

/// Nothing stands at this address.
pub(crate) fn not_found() {
    set(StatusCode::NOT_FOUND);
}

/// The address asks for what cannot be answered.
pub(crate) fn bad_request() {
    set(StatusCode::BAD_REQUEST);
}

fn set(status: StatusCode) {
    if let Some(response) = use_context::<ResponseOptions>() {
        response.set_status(status);
    }
}
