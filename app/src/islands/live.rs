//! Says that newer results exist. It never moves what is being read: showing them is a link.

use leptos::prelude::*;

/// Listens to `/live` (`event: snapshot`, `data: <id>`) until it is paused.
#[island]
pub fn Live(
    /// Id of the snapshot that the page shows.
    newest: i64,
    news: String,
    show: String,
    pause: String,
    resume: String,
) -> impl IntoView {
    // Nothing to operate without the browser's script: the button appears with it.
    let ready = RwSignal::new(false);
    let paused = RwSignal::new(false);
    let newer = RwSignal::new(false);

    #[cfg(feature = "hydrate")]
    listen::to_snapshots(newest, ready, paused, newer);
    #[cfg(not(feature = "hydrate"))]
    let _ = newest;

    view! {
        <div class="live">
            <p role="status">
                {move || {
                    newer
                        .get()
                        .then(|| {
                            view! {
                                {news.clone()}
                                " "
                                <a href="">{show.clone()}</a>
                            }
                        })
                }}
            </p>
            <button
                type="button"
                hidden=move || !ready.get()
                on:click=move |_| paused.update(|paused| *paused = !*paused)
            >
                {move || if paused.get() { resume.clone() } else { pause.clone() }}
            </button>
        </div>
    }
}

#[cfg(feature = "hydrate")]
mod listen {
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::prelude::Closure;
    use web_sys::{EventSource, MessageEvent};

    /// Opens the stream while not paused; the browser reconnects it by itself.
    pub fn to_snapshots(
        newest: i64,
        ready: RwSignal<bool>,
        paused: RwSignal<bool>,
        newer: RwSignal<bool>,
    ) {
        Effect::new(move |stream: Option<Option<EventSource>>| {
            if let Some(Some(stream)) = stream {
                stream.close();
            }
            if paused.get() {
                return None;
            }
            let stream = EventSource::new("/live").ok()?;
            let heard = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
                let id = message.data().as_string().and_then(|id| id.parse::<i64>().ok());
                if id.is_some_and(|id| id > newest) {
                    newer.set(true);
                }
            });
            stream
                .add_event_listener_with_callback("snapshot", heard.as_ref().unchecked_ref())
                .ok()?;
            // The stream may call it for as long as the page stands.
            heard.forget();
            ready.set(true);
            Some(stream)
        });
    }
}
