//! `/graphql` beside `/v1`: the same answers, and questions that are refused.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;
use store::Store;

use crate::site::{Answer, HOUR, START, Site};

impl Site {
    async fn post(&self, path: &str, kind: &str, body: String) -> Answer {
        let request = Request::post(path).header("content-type", kind).body(Body::from(body));
        self.send(request.unwrap()).await
    }

    /// The answer to a question, with its status.
    async fn asked(&self, query: &str, variables: Value) -> (StatusCode, Value) {
        let question = json!({ "query": query, "variables": variables }).to_string();
        let answer = self.post("/graphql", "application/json", question).await;
        let kind = answer.header("content-type");
        assert_eq!(kind, "application/graphql-response+json; charset=utf-8", "{query}");
        assert_eq!(answer.header("cache-control"), "no-store", "{query}");
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    async fn data(&self, query: &str, variables: Value) -> Value {
        let (status, mut answer) = self.asked(query, variables).await;
        assert_eq!((status, &answer["errors"]), (StatusCode::OK, &Value::Null), "{query}");
        answer["data"].take()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

const EVENTS: &str = "query($at: UnixSeconds, $model: String) {
    events(limit: 5, newsrooms: 2, language: \"cs\", at: $at, model: $model) {
        at model demo total events { ...whole }
    }
}
fragment whole on Event {
    id title language heat firstAt lastAt owners texts
    factors { breadth velocity priority persistence decay }
    mentions { newsroom { name } at backfill }
    items { id newsroom { name } title lede link language at copy }
}";

#[sqlx::test(migrations = "../migrations")]
async fn events_are_those_of_v1(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let newsrooms = site.json("/v1/sources").await["newsrooms"].take();
    let named = |id: &Value| {
        let newsroom = list(&newsrooms).iter().find(|newsroom| newsroom["id"] == *id).unwrap();
        json!({ "name": newsroom["name"] })
    };
    for (variables, query) in [
        (json!({}), String::new()),
        (json!({ "at": START + HOUR, "model": "v2" }), format!("&at={}&model=v2", START + HOUR)),
    ] {
        let path = format!("/v1/events?limit=5&newsrooms=2&language=cs{query}");
        let (listed, asked) = (site.json(&path).await, site.data(EVENTS, variables).await);
        let asked = &asked["events"];
        for field in ["at", "model", "demo", "total"] {
            assert_eq!(asked[field], listed[field], "{path}");
        }
        let expected: Vec<Value> = list(&listed["events"])
            .iter()
            .map(|event| {
                let mentions = list(&event["mentions"]);
                json!({
                    "id": event["id"].to_string(),
                    "title": event["title"],
                    "language": event["language"],
                    "heat": event["heat"],
                    "firstAt": mentions.first().unwrap()["at"],
                    "lastAt": mentions.last().unwrap()["at"],
                    "owners": event["owners"],
                    "texts": event["texts"],
                    "factors": event["factors"],
                    "mentions": mentions.iter().map(|mention| json!({
                        "newsroom": named(&mention["newsroom"]),
                        "at": mention["at"],
                        "backfill": mention["backfill"],
                    })).collect::<Vec<_>>(),
                    "items": list(&event["items"]).iter().map(|item| json!({
                        "id": item["id"].to_string(),
                        "newsroom": named(&item["newsroom"]),
                        "title": item["title"],
                        "lede": item["lede"],
                        "link": item["link"],
                        "language": item["language"],
                        "at": item["mention_at"],
                        "copy": item["copy"],
                    })).collect::<Vec<_>>(),
                })
            })
            .collect();
        assert_eq!(expected.len(), 5, "{path}");
        assert_eq!(list(&asked["events"]), expected, "{path}");
        let rest = "query($at: UnixSeconds, $model: String) {
            events(offset: 1, limit: 4, newsrooms: 2, language: \"cs\", at: $at, model: $model) {
                events { id }
            }
        }";
        let rest = site.data(rest, json!({ "at": asked["at"], "model": asked["model"] })).await;
        let ids: Vec<Value> =
            expected[1..].iter().map(|event| json!({ "id": event["id"] })).collect();
        assert_eq!(list(&rest["events"]["events"]), ids, "{path}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn one_event_is_found_under_its_younger_ids_too(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let event = site.json("/v1/events?limit=1").await["events"][0].take();
    let query = "query($id: ID!) { event(id: $id) { id title items { title } } }";
    let found = site.data(query, json!({ "id": event["id"].to_string() })).await;
    assert_eq!(found["event"]["title"], event["title"]);
    assert_eq!(list(&found["event"]["items"]).len(), list(&event["items"]).len());
    let nobody = site.data(query, json!({ "id": "987654321" })).await;
    assert_eq!(nobody, json!({ "event": null }));

    // As the redirects of /v1 do, the id of an event that was merged leads to the older.
    sqlx::query(
        "INSERT INTO events SELECT model, 987654322, first_at, last_at, title, newsrooms, id
        FROM events WHERE model = 'v1' AND id = $1",
    )
    .bind(event["id"].as_i64())
    .execute(site.store.pool())
    .await
    .unwrap();
    let merged = site.data(query, json!({ "id": "987654322" })).await;
    assert_eq!(merged, found);
}

#[sqlx::test(migrations = "../migrations")]
async fn sources_and_newsrooms_are_those_of_v1(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let listed = site.json("/v1/sources").await;
    let asked = site
        .data(
            "{
                newsrooms { slug name homepage owner country language weight weightReason }
                sources(limit: 500) {
                    slug section url kind newsroom { slug }
                    verdict { verdict reason matchedRule at validUntil }
                    lastFetch { at status outcome items newItems error }
                }
                slovak: sources(country: \"SK\", language: \"sk\", offset: 1, limit: 3) {
                    newsroom { country }
                }
            }",
            json!({}),
        )
        .await;
    let newsrooms = list(&listed["newsrooms"]);
    assert_eq!(list(&asked["newsrooms"]).len(), newsrooms.len());
    for (asked, listed) in list(&asked["newsrooms"]).iter().zip(newsrooms) {
        assert_eq!(asked["weightReason"], listed["weight_reason"]);
        for field in ["slug", "name", "homepage", "owner", "country", "language", "weight"] {
            assert_eq!(asked[field], listed[field], "{listed}");
        }
    }
    let word =
        |value: &Value| value.as_str().map(str::to_uppercase).map_or(Value::Null, Value::from);
    assert_eq!(list(&asked["sources"]).len(), list(&listed["sources"]).len());
    for (asked, report) in list(&asked["sources"]).iter().zip(list(&listed["sources"])) {
        let (source, check, fetch) = (&report["source"], &report["check"], &report["fetches"][0]);
        let newsroom = newsrooms.iter().find(|it| it["id"] == source["newsroom"]).unwrap();
        let expected = json!({
            "slug": source["slug"],
            "section": source["section"],
            "url": source["url"],
            "kind": word(&source["kind"]),
            "newsroom": { "slug": newsroom["slug"] },
            "verdict": check.is_object().then(|| json!({
                "verdict": word(&check["verdict"]),
                "reason": check["reason"],
                "matchedRule": check["matched_rule"],
                "at": check["at"],
                "validUntil": check["valid_until"],
            })),
            "lastFetch": fetch.is_object().then(|| json!({
                "at": fetch["at"],
                "status": fetch["status"],
                "outcome": word(&fetch["outcome"]),
                "items": fetch["items"],
                "newItems": fetch["new_items"],
                "error": fetch["error"],
            })),
        });
        assert_eq!(*asked, expected);
    }
    let slovak = json!({ "newsroom": { "country": "SK" } });
    assert_eq!(list(&asked["slovak"]), vec![slovak; 3]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_feed_is_ranked_as_in_v1(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let channels = json!(["denik-obzor-kanal", "hlas-dne-kanal", "infopult-kanal", "nobody"]);
    let question = json!({ "channels": channels, "diversity": 0.2, "limit": 20 }).to_string();
    let listed = site.post("/v1/feed", "application/json", question).await;
    let listed: Value = serde_json::from_str(&listed.body).unwrap();
    let query = "query($channels: [String!]!) {
        feed(channels: $channels, diversity: 0.2, limit: 20) {
            at channels
            entries {
                post {
                    channel id url text at score freshness
                    quality { reach reactions text media care total }
                }
                duplicates { channel id score }
                topic { id keywords }
            }
            topics { id keywords }
            failures { channel trouble reason }
        }
    }";
    let asked = site.data(query, json!({ "channels": channels })).await["feed"].take();
    assert_eq!(asked["at"], listed["at"]);
    let usernames: Vec<&Value> =
        list(&listed["channels"]).iter().map(|it| &it["username"]).collect();
    assert_eq!(list(&asked["channels"]).iter().collect::<Vec<_>>(), usernames);
    let (entries, posts) = (list(&asked["entries"]), list(&listed["posts"]));
    assert_eq!((entries.len(), posts.len()), (20, 20));
    for (entry, listed) in entries.iter().zip(posts) {
        let post = &entry["post"];
        assert_eq!((&post["channel"], &post["id"]), (&listed["channel"], &listed["id"]));
        assert_eq!(
            (&post["url"], &post["at"]),
            (&listed["url"], &listed["footer"]["date"]["unix"])
        );
        assert_eq!(post["text"], listed["content"]["text"]["string"]);
        let difference = post["score"].as_f64().unwrap() - listed["_score"].as_f64().unwrap();
        assert!(difference.abs() < 0.001, "{post} {listed}");
        let repeats = listed["_duplicates"].as_array().map_or(0, Vec::len);
        assert_eq!(list(&entry["duplicates"]).len(), repeats);
        assert_eq!(entry["topic"]["keywords"], listed["_topic"]["keywords"]);
        assert!((0.0..=1.0).contains(&post["quality"]["total"].as_f64().unwrap()), "{post}");
    }
    assert!(!list(&asked["topics"]).is_empty());
    // One whose page was none is left alone at the second question, and in its trouble.
    for (failure, (channel, trouble)) in list(&asked["failures"])
        .iter()
        .zip([("infopult-kanal", "UNREADABLE"), ("nobody", "UNKNOWN")])
    {
        assert_eq!((&failure["channel"], &failure["trouble"]), (&json!(channel), &json!(trouble)));
        assert_ne!(failure["reason"], "");
    }
    assert_eq!(list(&asked["failures"]).len(), 2);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_variable_that_is_left_out_leaves_the_default(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let usual = site
        .data(
            "{
                feed(channels: [\"denik-obzor-kanal\"]) { entries { post { id score } } }
                events { events { id } }
                sources { slug }
            }",
            json!({}),
        )
        .await;
    let query = "query(
        $half: Float, $diversity: Float, $collapse: Boolean, $posts: Int, $language: String
        $offset: Int, $limit: Int
    ) {
        feed(
            channels: [\"denik-obzor-kanal\"], halfLifeHours: $half, diversity: $diversity
            collapse: $collapse, limit: $posts, language: $language
        ) { entries { post { id score } } }
        events(offset: $offset, limit: $limit) { events { id } }
        sources(offset: $offset, limit: $limit) { slug }
    }";
    assert_eq!(site.data(query, json!({})).await, usual);
    assert_eq!(site.data(query, json!({ "half": null, "limit": null })).await, usual);
    let few = site.data(query, json!({ "posts": 3, "limit": 2 })).await;
    assert_eq!(list(&few["feed"]["entries"]).len(), 3);
    assert_eq!((list(&few["events"]["events"]).len(), list(&few["sources"]).len()), (2, 2));

    // What was left out costs as much as the default.
    let entry =
        "entries { post { id url text at score freshness } duplicates { id url text at score } }";
    let feeds = |limit: &str| {
        let feeds = (0..30).map(|n| format!("f{n}: feed(channels: [\"a\"]{limit}) {{ {entry} }} "));
        format!("query($posts: Int) {{ {} }}", feeds.collect::<String>())
    };
    for (limit, variables, status) in [
        ("", json!({}), StatusCode::BAD_REQUEST),
        (", limit: $posts", json!({}), StatusCode::BAD_REQUEST),
        (", limit: $posts", json!({ "posts": 1 }), StatusCode::OK),
    ] {
        let (answered, answer) = site.asked(&feeds(limit), variables).await;
        assert_eq!(answered, status, "{limit}: {}", answer["errors"]);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn what_cannot_be_answered_is_said_clearly(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    let feed = |arguments: &str| format!("{{ feed({arguments}) {{ at }} }}");
    let many = format!("channels: {}", json!(vec!["a"; 101]));
    let nested =
        format!("{{ __schema {{ types {}name{} }} }}", "{ ofType ".repeat(14), " }".repeat(14));
    let whole = "events(limit: 100) { events {
        mentions { newsroom { slug name owner country language } at backfill }
        items { title lede link at newsroom { slug name } }
    } }";
    let wide = format!("{{ a: {whole} b: {whole} c: {whole} d: {whole} }}");
    let past: String =
        (0..60).map(|n| format!("a{n}: events(limit: 1, at: {n}) {{ at }} ")).collect();
    for (query, said) in [
        (String::new(), "expected"),
        ("{ events { events { title }".to_owned(), "expected"),
        (
            "{ events { events { headline } } }".to_owned(),
            "Unknown field \"headline\" on type \"Event\"",
        ),
        ("mutation { events { at } }".to_owned(), "not configured for mutations"),
        (nested.clone(), "nested too deep"),
        (wide, "too complex"),
        (format!("{{ {past} }}"), "too complex"),
        ("{a".repeat(10_000), "pairs of brackets"),
        ("{ events(limit: 101) { at } }".to_owned(), "must be 1 to 100"),
        ("{ events(limit: 0) { at } }".to_owned(), "must be 1 to 100"),
        ("{ sources(limit: 501) { url } }".to_owned(), "must be 1 to 500"),
        ("{ events(at: \"yesterday\") { at } }".to_owned(), "UnixSeconds"),
        ("{ events(at: 99999999999) { at } }".to_owned(), "after the newest board"),
        ("{ events(model: \"none\") { at } }".to_owned(), "known: v1"),
        (feed("channels: []"), "must be 1 to 100"),
        (feed(&many), "must be 1 to 100"),
        (feed("channels: [\"a\"], limit: 501"), "must be 1 to 500"),
        (feed("channels: [\"a\"], halfLifeHours: 0.5"), "must be 1 to 720"),
        (feed("channels: [\"a\"], diversity: 2"), "must be 0 to 1"),
        (feed("channels: [\"a\"], language: \"\""), "two or three lower-case letters"),
    ] {
        let (status, answer) = site.asked(&query, json!({})).await;
        let shown: String = query.chars().take(100).collect();
        assert_eq!((status, &answer["data"]), (StatusCode::BAD_REQUEST, &Value::Null), "{shown}");
        let error = &answer["errors"][0];
        assert!(error["message"].as_str().unwrap().contains(said), "{shown}: {error}");
        assert_eq!(error["extensions"]["status"], 400, "{shown}");
    }
    // What fails keeps nothing else from its answer.
    let (status, answer) =
        site.asked("{ event(id: \"x\") { id } newsrooms { slug } }", json!({})).await;
    assert_eq!((status, &answer["data"]["newsrooms"]), (StatusCode::OK, &json!([])));
    assert!(answer["data"]["event"].is_null());
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("ids are numbers"));
    assert_eq!(answer["errors"][0]["path"], json!(["event"]));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_short_text_cannot_cost_much(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    // Each fragment uses the next as often as it can.
    let multiplied = |each: usize, levels: usize| {
        let uses = |level: usize| format!("...f{level} ").repeat(each);
        let fragments: String = (1..levels)
            .map(|level| format!("fragment f{} on Query {{ {} }} ", level - 1, uses(level)))
            .collect();
        format!(
            "{{ {} }} {fragments} fragment f{} on Query {{ newsrooms {{ slug }} }}",
            uses(0),
            levels - 1
        )
    };
    for (query, said) in [
        (multiplied(2, 30), "may select 10000 fields"),
        (multiplied(3, 9), "may select 10000 fields"),
        (multiplied(2, 10), "too complex"),
        (format!("{{ {} }}", "nobody ".repeat(9_000)), "Unknown field"),
        (format!("{{ newsrooms {{ {} }} }}", "slug ".repeat(9_000)), "too complex"),
    ] {
        let begun = Instant::now();
        let (status, answer) = site.asked(&query, json!({})).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(
            answer["errors"][0]["message"].as_str().unwrap().contains(said),
            "{}",
            answer["errors"][0]
        );
        assert!(answer.to_string().len() < 10_000);
        assert!(begun.elapsed() < Duration::from_secs(5), "{said}: {:?}", begun.elapsed());
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn only_one_question_in_json_is_taken(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    let question = r#"{"query": "{ newsrooms { slug } }"}"#;
    for (kind, body, status) in [
        ("application/json", question.to_owned(), StatusCode::OK),
        ("application/json", format!("[{question}]"), StatusCode::UNPROCESSABLE_ENTITY),
        ("application/json", "{".to_owned(), StatusCode::BAD_REQUEST),
        ("text/plain", question.to_owned(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (
            "multipart/form-data; boundary=x",
            question.to_owned(),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        ("application/json", " ".repeat(70_000), StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let answer = site.post("/graphql", kind, body).await;
        assert_eq!(answer.status, status, "{kind}: {}", answer.body);
        assert!(!answer.body.contains('<'), "{kind}: {}", answer.body);
        if status.is_client_error() {
            let said: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(said["errors"][0]["extensions"]["status"], status.as_u16(), "{said}");
        }
        let batch = status == StatusCode::UNPROCESSABLE_ENTITY;
        assert_eq!(answer.body.contains("batches are not taken"), batch, "{}", answer.body);
    }
    let deleted = site.send(Request::delete("/graphql").body(Body::empty()).unwrap()).await;
    assert_eq!(deleted.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_schema_is_served_and_can_be_asked_for(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    for path in ["/graphql", "/graphql?query=%7Bnewsrooms%7Bslug%7D%7D"] {
        let schema = site.get_with(path, &[("accept", "text/html")]).await;
        assert_eq!(schema.status, StatusCode::OK);
        assert_eq!(schema.header("content-type"), "text/plain; charset=utf-8");
        for line in [
            "type Query {",
            "scalar UnixSeconds",
            "type Event {",
            "\tfirstAt: UnixSeconds!",
            "\tmentions: [Mention!]!",
            "halfLifeHours: Float = 24",
            "collapse: Boolean = true",
            "offset: Int = 0",
            "enum Verdict {",
        ] {
            assert!(schema.body.contains(line), "{line} is missing: {}", schema.body);
        }
    }
    // As deep as tools ask, with nine wrappers around a type.
    let wrapped =
        (0..9).fold("kind name".to_owned(), |inner, _| format!("kind name ofType {{ {inner} }}"));
    let query = format!(
        "{{ __schema {{
            queryType {{ name }}
            types {{ kind name fields {{ name args {{ name type {{ {wrapped} }} }} type {{ {wrapped} }} }} }}
            directives {{ name locations }}
        }} }}"
    );
    let schema = site.data(&query, json!({})).await;
    assert_eq!(schema["__schema"]["queryType"]["name"], "Query");
    let names: Vec<&Value> =
        list(&schema["__schema"]["types"]).iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&json!("Event")), "{names:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_documented_question_is_answered(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let page = site.get("/en/docs").await.body;
    let (_, section) = page.split_once("id=\"graphql\"").expect(&page);
    let (_, code) = section.split_once("<pre").expect(section);
    let (example, _) = code.split_once("</pre>").expect(code);
    let example = example.replace("<code>", "").replace("</code>", "").replace("<!>", "");
    let answer = site.data(example.trim_start_matches('>'), json!({})).await;
    let events = list(&answer["events"]["events"]);
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|event| list(&event["mentions"]).len() >= 2));
}
