//! Counters of videos, from a feed and from YouTube's API to observations.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::Request;
use axum::http::StatusCode;
use axum::{Json, Router};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use ingest::youtube::Youtube;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use store::Store;
use tokio::net::TcpListener;

use crate::site::{HOUR, START, Site};

#[sqlx::test(migrations = "../migrations")]
async fn the_counters_of_a_video_feed_are_observations(pool: PgPool) {
    Site::after(pool.clone(), 3).await;
    let counted: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT s.kind, count(*), count(o.views)
        FROM observations o JOIN sources s ON s.id = o.source_id GROUP BY 1 ORDER BY 1",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let kinds: Vec<&str> = counted.iter().map(|(kind, ..)| kind.as_str()).collect();
    assert_eq!(kinds, ["feed", "video"]);
    let ((_, places, of_texts), (_, of_videos, with_views)) = (&counted[0], &counted[1]);
    assert!(*places > 1_000 && *of_videos > 20, "{counted:?}");
    assert_eq!((*of_texts, with_views), (0, of_videos), "{counted:?}");

    let grown: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT item_id FROM observations WHERE views IS NOT NULL
            GROUP BY 1 HAVING max(views) > min(views)) AS grown",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert!(grown > 5, "only {grown} counters have grown");
}

const KEY: &str = "AIza-a-key-of-the-tests";

/// The documented API on loopback: two playlists of three uploads each, one of them not public.
#[derive(Default)]
struct Api {
    /// Views of every video.
    views: AtomicI64,
    exhausted: AtomicBool,
    asked: Mutex<Vec<String>>,
}

impl Api {
    async fn start() -> (Arc<Self>, String) {
        let api = Arc::new(Self::default());
        let answering = Arc::clone(&api);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/youtube/v3/", listener.local_addr().unwrap());
        let site = Router::new().fallback(move |request: Request| {
            let answer = answering.answer(&request);
            async move { answer }
        });
        tokio::spawn(async move { axum::serve(listener, site).await });
        (api, base)
    }

    fn answer(&self, request: &Request) -> (StatusCode, Json<Value>) {
        self.asked.lock().unwrap().push(request.uri().to_string());
        let error = |status: StatusCode, reason: &str| {
            let errors = json!([{"message": KEY, "domain": "youtube", "reason": reason}]);
            let code = status.as_u16();
            (status, Json(json!({"error": {"code": code, "message": KEY, "errors": errors}})))
        };
        if request.headers().get("x-goog-api-key").is_none_or(|key| key != KEY) {
            return error(StatusCode::BAD_REQUEST, "keyInvalid");
        }
        if self.exhausted.load(Ordering::Relaxed) {
            return error(StatusCode::FORBIDDEN, "quotaExceeded");
        }
        let query: HashMap<String, String> = axum::extract::Query::try_from_uri(request.uri())
            .map(|axum::extract::Query(query)| query)
            .unwrap();
        let items: Vec<Value> = match request.uri().path() {
            "/youtube/v3/playlistItems" => {
                assert_eq!(query["part"], "snippet,contentDetails");
                assert_eq!(query["maxResults"], "50");
                if query["playlistId"] == "UUgone" {
                    return error(StatusCode::NOT_FOUND, "playlistNotFound");
                }
                ["3", "2", "1"].map(|number| self.item(&query["playlistId"], number)).into()
            }
            "/youtube/v3/videos" => {
                assert_eq!(query["part"], "statistics");
                let ids = query["id"].split(',').filter(|id| !id.ends_with("-2"));
                ids.map(|id| self.video(id)).collect()
            }
            _ => return error(StatusCode::NOT_FOUND, "notFound"),
        };
        (StatusCode::OK, Json(json!({"kind": "youtube#listResponse", "items": items})))
    }

    fn item(&self, playlist: &str, number: &str) -> Value {
        json!({
            "kind": "youtube#playlistItem",
            "etag": "e",
            "snippet": {
                "publishedAt": "2026-08-14T05:30:00Z",
                "title": format!("Video {number} ze Skalice"),
                "description": "Krátký popis.",
                "position": 0,
                "resourceId": {"kind": "youtube#video", "videoId": format!("{playlist}-{number}")}
            },
            "contentDetails": {
                "videoId": format!("{playlist}-{number}"),
                "videoPublishedAt": "2026-08-14T05:00:00Z"
            }
        })
    }

    fn video(&self, id: &str) -> Value {
        let views = self.views.load(Ordering::Relaxed).to_string();
        let statistics = match id.ends_with("-1") {
            true => json!({"likeCount": "1"}),
            false => json!({"viewCount": views, "likeCount": "1"}),
        };
        json!({"kind": "youtube#video", "etag": "e", "id": id, "statistics": statistics})
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// A line over the playlists, as after a start of the worker.
async fn line(store: &Store, playlists: &[&str], youtube: Option<Youtube>) -> Line {
    let newsrooms = playlists.iter().map(|list| {
        let slug = list.to_lowercase();
        format!(
            "[[newsroom]]\nslug = \"{slug}\"\nname = \"Kanál\"\ncountry = \"CZ\"\nlanguage = \"cs\"\n\
             homepage = \"https://{slug}.example/\"\n[[newsroom.source]]\nkind = \"video\"\n\
             url = \"https://www.youtube.com/playlist?list={list}\"\n"
        )
    });
    let catalogue = Catalogue::parse("f", &newsrooms.collect::<String>()).unwrap();
    let config = HttpConfig { allow_private: true, ..HttpConfig::default() };
    let (web, clock) = (Arc::new(Http::new(&config).unwrap()), Clock::virtual_at(START));
    let line = Line::new(store.clone(), web, "Ohlas/0.1", clock, &catalogue, 600).await.unwrap();
    match youtube {
        Some(youtube) => line.with_youtube(youtube),
        None => line,
    }
}

async fn walk(line: &Line, from: i64, to: i64) {
    line.replay(from, to, async |_| Ok::<_, store::Error>(())).await.unwrap();
}

#[sqlx::test(migrations = "../migrations")]
async fn a_playlist_is_listed_with_its_counters_and_without_the_key(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(START, START + HOUR).await.unwrap();
    let (api, base) = Api::start().await;
    let youtube = Youtube::new(&base, KEY.to_owned(), 10_000).unwrap();
    let line = line(&store, &["UUa", "UUgone"], Some(youtube)).await;
    for (number, views) in (0..).zip([1_000, 1_500]) {
        api.views.store(views, Ordering::Relaxed);
        walk(&line, START + number * HOUR, START + number * HOUR + 60).await;
    }

    let seen: Vec<(String, String, Option<i64>)> = sqlx::query_as(
        "SELECT i.title, i.link, o.views FROM observations o JOIN items i ON i.id = o.item_id
        ORDER BY o.at, o.position",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let video = |number: &str, views| {
        let link = format!("https://www.youtube.com/watch?v=UUa-{number}");
        (format!("Video {number} ze Skalice"), link, views)
    };
    assert_eq!(
        seen,
        [video("3", Some(1_000)), video("1", None), video("3", Some(1_500)), video("1", None),]
    );
    let claimed: Vec<i64> =
        sqlx::query_scalar("SELECT DISTINCT extract(epoch FROM claimed_at)::bigint FROM items")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(claimed, [START - HOUR]);

    let error: String = sqlx::query_scalar("SELECT error FROM fetches WHERE status = 404 LIMIT 1")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(error, "the API answers 404 (playlistNotFound)");
    let unpermitted: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM fetches f LEFT JOIN gate_checks c ON c.id = f.check_id
            AND c.verdict = 'allowed' AND c.at <= f.at AND c.valid_until > f.at
        WHERE c.id IS NULL",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(unpermitted, 0);
    for table in ["fetches", "gate_checks", "items", "observations", "sources", "source_state"] {
        let query = format!("SELECT count(*) FROM {table} t WHERE t::text LIKE '%{KEY}%'");
        let holding: i64 = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&pool).await.unwrap();
        assert_eq!(holding, 0, "{table} holds the key");
    }
    assert!(!api.asked.lock().unwrap().iter().any(|address| address.contains(KEY)));
}

/// 14 August 2026, 07:00 UTC: midnight in Pacific time, an hour after the start.
const QUOTA_DAY: i64 = START + HOUR;

#[sqlx::test(migrations = "../migrations")]
async fn the_units_of_a_day_are_not_exceeded_whatever_is_restarted(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(START, START + 48 * HOUR).await.unwrap();
    let (api, base) = Api::start().await;
    let youtube = Youtube::new(&base, KEY.to_owned(), 7).unwrap();
    let playlists = ["UUa", "UUb", "UUc", "UUd", "UUe"];
    for restart in 0..3 {
        let line = line(&store, &playlists, Some(youtube.clone())).await;
        walk(&line, START + restart * 900, START + restart * 900 + 60).await;
        assert_eq!(api.asked(), 6, "three listings are what 7 units pay for");
    }
    let line = line(&store, &playlists, Some(youtube)).await;
    walk(&line, QUOTA_DAY - 300, QUOTA_DAY - 1).await;
    assert_eq!(api.asked(), 6);
    walk(&line, QUOTA_DAY, QUOTA_DAY + 24 * HOUR - 1).await;
    assert_eq!(api.asked(), 12, "the next day has its own units");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_exhausted_quota_is_left_alone_until_the_next_day(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(START, START + 48 * HOUR).await.unwrap();
    let (api, base) = Api::start().await;
    api.exhausted.store(true, Ordering::Relaxed);
    let youtube = Youtube::new(&base, KEY.to_owned(), 10_000).unwrap();
    let line = line(&store, &["UUa", "UUb"], Some(youtube)).await;
    walk(&line, START, QUOTA_DAY - 1).await;
    assert_eq!(api.asked(), 1, "once told, neither playlist is asked for");
    let error: String =
        sqlx::query_scalar("SELECT error FROM fetches").fetch_one(&pool).await.unwrap();
    assert_eq!(error, "the API's units of this day are used up");

    api.exhausted.store(false, Ordering::Relaxed);
    walk(&line, QUOTA_DAY, QUOTA_DAY + 590).await;
    assert_eq!(api.asked(), 5);
}

#[sqlx::test(migrations = "../migrations")]
async fn without_a_key_a_playlist_is_not_asked(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(START, START + HOUR).await.unwrap();
    let line = line(&store, &["UUa"], None).await;
    walk(&line, START, START + 1_800).await;
    let fetches: i64 =
        sqlx::query_scalar("SELECT count(*) FROM fetches").fetch_one(&pool).await.unwrap();
    assert_eq!(fetches, 0);
}
