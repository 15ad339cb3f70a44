//! The API's document against the API: every operation it names is asked, every answer is held
//! against the shape it promises, and no route is missing in it.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::site::{Answer, HOUR, START, Site};

/// Questions that must be refused, as the document says.
const NONSENSE: [(&str, &str); 5] = [
    ("at", "yesterday"),
    ("at", "99999999999"),
    ("model", "none"),
    ("limit", "0"),
    ("offset", "many"),
];

#[sqlx::test(migrations = "../migrations")]
async fn every_answer_is_as_the_document_says(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let document = site.json("/v1/openapi.json").await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut asked = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let plain = fill(&site, &path).await;
        let examples = query(&operation).filter_map(|(name, schema, example)| {
            Some((name, example.or_else(|| schema.get("example").cloned())?))
        });
        let mut questions = vec![plain.clone()];
        questions.extend(examples.map(|(name, value)| {
            format!("{plain}?{name}={}", value.as_str().map_or(value.to_string(), str::to_owned))
        }));
        if query(&operation).any(|(name, ..)| name == "at") {
            questions.push(format!("{plain}?at={}", START + HOUR));
        }
        let names: BTreeSet<String> = query(&operation).map(|(name, ..)| name).collect();
        for (name, value) in NONSENSE {
            if names.contains(name) {
                questions.push(format!("{plain}?{name}={value}"));
            }
        }
        if path.contains('{') {
            questions.push(path.replace(['{', '}'], "nobody-"));
        }
        for question in questions {
            let answer = site.ask(&method, &question, operation.get("requestBody")).await;
            check(&document, &operation, &question, &answer);
            asked.insert((path.clone(), answer.status));
        }
    }
    for (path, status) in [
        ("/v1/events", StatusCode::OK),
        ("/v1/events", StatusCode::BAD_REQUEST),
        ("/v1/events/{id}", StatusCode::NOT_FOUND),
        ("/v1/openapi.json", StatusCode::OK),
    ] {
        assert!(asked.contains(&(path.to_owned(), status)), "{path} {status} in {asked:?}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn no_route_is_missing_in_the_document(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let document = site.json("/v1/openapi.json").await;
    let described: BTreeSet<&str> =
        document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    // The router says its addresses nowhere but in its debugging output.
    let router = format!("{:?}", site.router);
    let served: BTreeSet<&str> =
        router.split('"').filter(|text| text.starts_with("/v1/") && !text.contains("{*")).collect();
    assert!(served.len() > 3, "{router}");
    assert_eq!(served, described);
}

#[sqlx::test(migrations = "../migrations")]
async fn unknown_addresses_and_methods_are_errors_of_the_api(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for (method, path, status) in [
        ("get", "/v1/nothing", StatusCode::NOT_FOUND),
        ("delete", "/v1/events", StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let answer = site.ask(method, path, None).await;
        assert_eq!(answer.status, status, "{path}");
        let body: Value = serde_json::from_str(&answer.body).expect(path);
        assert_eq!(body["error"]["status"], status.as_u16(), "{path}");
    }
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap();
        methods.iter().map(|(method, it)| (path.clone(), method.clone(), it.clone()))
    });
    all.collect()
}

/// Name, schema and example of each parameter in the query.
fn query(operation: &Value) -> impl Iterator<Item = (String, &Value, Option<Value>)> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters.filter(|parameter| parameter["in"] == "query").map(|parameter| {
        let name = parameter["name"].as_str().unwrap().to_owned();
        (name, &parameter["schema"], parameter.get("example").cloned())
    })
}

/// The address with its parameters taken from what the demo published.
async fn fill(site: &Site, path: &str) -> String {
    if !path.contains('{') {
        return path.to_owned();
    }
    let events = site.json("/v1/events?limit=1").await;
    let sources = site.json("/v1/sources").await;
    let known = [
        ("{id}", events["events"][0]["id"].to_string()),
        ("{slug}", sources["sources"][0]["source"]["slug"].as_str().unwrap().to_owned()),
    ];
    let filled =
        known.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
    assert!(!filled.contains('{'), "say here what stands for the parameter of {path}");
    filled
}

/// The status is described, and the body has the shape that belongs to it, with no other fields.
fn check(document: &Value, operation: &Value, question: &str, answer: &Answer) {
    let status = answer.status.as_str();
    let described = &operation["responses"][status];
    assert!(described.is_object(), "{question}: {status} is not described: {}", answer.body);
    let Some(content) = described["content"].as_object() else {
        return assert!(answer.body.is_empty(), "{question}: {status} has a body");
    };
    let media = answer.headers["content-type"].to_str().unwrap();
    let Some(content) = content.get(media.split(';').next().unwrap()) else {
        return assert_eq!(media, "", "{question}: {media} is not described");
    };
    let schema = &content["schema"];
    if !media.starts_with("application/json") {
        return;
    }
    let mut schema = json!({ "allOf": [schema], "components": document["components"] });
    close(&mut schema["components"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{question}: {errors:#?}");
}

/// Fields that the document does not know are errors.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

impl Site {
    /// Asks with the body that the document gives as an example.
    async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let example = body.map(|body| {
            let example = &body["content"]["application/json"]["example"];
            assert!(!example.is_null(), "{path}: its body has no example");
            example.to_string()
        });
        let request = Request::builder()
            .method(method.to_uppercase().as_str())
            .uri(path)
            .header("content-type", "application/json")
            .body(example.map_or_else(Body::empty, Body::from));
        self.send(request.unwrap()).await
    }
}
