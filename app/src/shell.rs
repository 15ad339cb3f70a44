//! The document and the routes.

use leptos::prelude::*;
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::components::Outlet;
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::path;

use crate::context::{PageContext, request_url};
use crate::i18n::Locale;
use crate::pages::{
    BoardPage, DeskPage, DocsPage, EmbeddedBoard, EmbeddedEvent, EventPage, FeedPage,
    MethodologyPage, ModelsPage, NewsroomsPage, NotFoundPage, RefusedPage, SearchPage, SourcePage,
    SourcesPage, StatusPage, VideosPage,
};

/// The whole document of one answer.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let url = request_url();
    let locale = Locale::of_path(url.path());
    let embedded = Locale::strip(url.path()).starts_with("/embed/");
    let (pkg, name) = (options.site_pkg_dir.clone(), options.output_name.clone());
    // An embed has nothing to operate, and shows the theme of the page around it when that says so.
    let theme = url
        .search_params()
        .get("theme")
        .filter(|theme| embedded && matches!(theme.as_str(), "light" | "dark"));
    let scripts = (!embedded).then(|| {
        view! {
            <script src="/theme.js"></script>
            <AutoReload options=options.clone()/>
            <HydrationScripts options islands=true/>
        }
    });
    view! {
        <!DOCTYPE html>
        <html lang=locale.code() data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                {scripts}
                <link rel="stylesheet" href=format!("/{pkg}/{name}.css")/>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// The pages by address: Czech at the root, English under `/en`.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let refusal = use_context::<PageContext>().and_then(|page| page.refusal);
    if let Some(refusal) = refusal {
        return view! { <RefusedPage refusal/> }.into_any();
    }
    view! {
        <Router>
            <Routes fallback=NotFoundPage>
                <Route path=path!("/") view=BoardPage/>
                <Route path=path!("/event/:id") view=EventPage/>
                <Route path=path!("/search") view=SearchPage/>
                <Route path=path!("/newsrooms") view=NewsroomsPage/>
                <Route path=path!("/desk") view=DeskPage/>
                <Route path=path!("/videos") view=VideosPage/>
                <Route path=path!("/feed") view=FeedPage/>
                <Route path=path!("/sources") view=SourcesPage/>
                <Route path=path!("/source/:slug") view=SourcePage/>
                <Route path=path!("/status") view=StatusPage/>
                <Route path=path!("/methodology") view=MethodologyPage/>
                <Route path=path!("/docs") view=DocsPage/>
                <Route path=path!("/methodology/models") view=ModelsPage/>
                <Route path=path!("/embed/board") view=EmbeddedBoard/>
                <Route path=path!("/embed/event/:id") view=EmbeddedEvent/>
                <ParentRoute path=path!("/en") view=Outlet>
                    <Route path=path!("") view=BoardPage/>
                    <Route path=path!("/event/:id") view=EventPage/>
                    <Route path=path!("/search") view=SearchPage/>
                    <Route path=path!("/newsrooms") view=NewsroomsPage/>
                    <Route path=path!("/desk") view=DeskPage/>
                    <Route path=path!("/videos") view=VideosPage/>
                    <Route path=path!("/feed") view=FeedPage/>
                    <Route path=path!("/sources") view=SourcesPage/>
                    <Route path=path!("/source/:slug") view=SourcePage/>
                    <Route path=path!("/status") view=StatusPage/>
                    <Route path=path!("/methodology") view=MethodologyPage/>
                    <Route path=path!("/docs") view=DocsPage/>
                    <Route path=path!("/methodology/models") view=ModelsPage/>
                    <Route path=path!("/embed/board") view=EmbeddedBoard/>
                    <Route path=path!("/embed/event/:id") view=EmbeddedEvent/>
                </ParentRoute>
            </Routes>
        </Router>
    }
    .into_any()
}
