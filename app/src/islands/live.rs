//! Says that newer results exist. It never moves what is being read: showing them is a link.

use leptos::prelude::*;

/// Listens to `/live` (`event: snapshot`, `data: <id>`) until it is paused. The element around it
/// says in `data-newest` which snapshot the page shows, and in `data-news`, `data-show`,
/// `data-pause` and `data-resume` what to say.
#[island]
pub fn Live() -> impl IntoView {
    // Nothing to operate without the browser's script: the button appears with it.
    let ready = RwSignal::new(false);
    let paused = RwSignal::new(false);
    let newer = RwSignal::new(false);
    let texts = RwSignal::new(Texts::default());

    #[cfg(feature = "hydrate")]
    browser::listen(texts, ready, paused, newer);

    view! {
        <p role="status">
            {move || {
                newer
                    .get()
                    .then(|| {
                        view! {
                            {texts.read().news.clone()}
                            " "
                            <a href="">{texts.read().show.clone()}</a>
                        }
                    })
            }}
        </p>
        <button
            type="button"
            hidden=move || !ready.get()
            on:click=move |_| paused.update(|paused| *paused = !*paused)
        >
            {move || {
                let texts = texts.read();
                if paused.get() { texts.resume.clone() } else { texts.pause.clone() }
            }}
        </button>
    }
}

#[derive(Clone, Default)]
struct Texts {
    news: String,
    show: String,
    pause: String,
    resume: String,
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::prelude::Closure;
    use web_sys::{EventSource, MessageEvent};

    use super::Texts;
    use crate::islands::surrounding;

    /// Opens the stream while not paused; the browser reconnects it by itself.
    pub fn listen(
        texts: RwSignal<Texts>,
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
            let said = surrounding("data-newest")?;
            let say = |name: &str| said.get_attribute(name).unwrap_or_default();
            let newest = say("data-newest").parse::<i64>().ok()?;
            texts.set(Texts {
                news: say("data-news"),
                show: say("data-show"),
                pause: say("data-pause"),
                resume: say("data-resume"),
            });
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
