//! `/v1/openapi.json`: the API's own description, made from the code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use app::reference::{Answer, Field, Operation, Parameter, Reference, Shape};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::described;
use crate::state::AppState;

#[derive(OpenApi)]
#[openapi(info(
    title = "Ohlas",
    description = "What newsrooms lift, how fast it spreads and why the ranking says so. \
        Instants are Unix seconds in UTC. Fields are only ever added within a version.",
    contact(),
))]
struct Info;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(described().into_openapi()).unwrap_or_default();
    name_instants(&mut document);
    join_fields(&mut document);
    document
});

/// A document without routes.
pub fn empty() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Info::openapi())
}

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(openapi))
}

/// This document
#[utoipa::path(
    get,
    path = "/v1/openapi.json",
    tag = "about",
    responses((status = 200, description = "OpenAPI 3.1", body = Object)),
)]
async fn openapi() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(|| DOCUMENT.to_string());
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// An alias has no name in the macros' eyes: what they call `i64` are our instants.
fn name_instants(document: &mut Value) {
    fn rename(value: &mut Value) {
        match value {
            Value::String(text) if text == "#/components/schemas/i64" => {
                *text = "#/components/schemas/UnixSeconds".to_owned();
            }
            Value::Array(values) => values.iter_mut().for_each(rename),
            Value::Object(fields) => fields.values_mut().for_each(rename),
            _ => {}
        }
    }
    rename(document);
    if let Some(shapes) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
        && shapes.remove("i64").is_some()
    {
        let instant = json!({
            "type": "integer",
            "format": "int64",
            "description": "Seconds since 1970-01-01T00:00:00Z.",
        });
        shapes.insert("UnixSeconds".to_owned(), instant);
    }
}

/// A shape that has another's fields beside its own says so by `allOf`. It gets them all itself, so
/// that the page lists them, and that an answer may be held to exactly these.
fn join_fields(document: &mut Value) {
    let Some(shapes) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
    else {
        return;
    };
    let known = shapes.clone();
    let of = |part: &Value| {
        let name = part["$ref"].as_str().and_then(|name| name.rsplit('/').next());
        name.and_then(|name| known.get(name)).unwrap_or(part).clone()
    };
    for shape in shapes.values_mut().filter(|shape| shape["allOf"].is_array()) {
        let (mut fields, mut required) = (Map::new(), Vec::new());
        for part in list(shape, "allOf").iter().map(of) {
            fields.extend(part["properties"].as_object().cloned().unwrap_or_default());
            required.extend_from_slice(list(&part, "required"));
        }
        *shape = json!({
            "type": "object",
            "description": shape["description"],
            "properties": fields,
            "required": required,
        });
    }
}

/// The document as the page `/docs` shows it.
#[must_use]
pub fn reference() -> Reference {
    let none = Map::new();
    let object = |pointer| DOCUMENT.pointer(pointer).and_then(Value::as_object).unwrap_or(&none);
    let operations = object("/paths")
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, described)| operation(path, method, described))
        })
        .collect();
    let shapes = object("/components/schemas")
        .iter()
        .map(|(name, shape)| Shape {
            name: name.clone(),
            description: text(shape, "description"),
            kind: kind(shape),
            fields: fields(shape),
        })
        .collect();
    Reference { operations, shapes }
}

fn operation(path: &str, method: &str, described: &Value) -> Operation {
    let parameters = list(described, "parameters").iter().map(|parameter| Parameter {
        name: text(parameter, "name"),
        in_path: parameter["in"] == "path",
        kind: kind(&parameter["schema"]),
        description: text(parameter, "description"),
    });
    let answers = described["responses"].as_object().into_iter().flatten();
    let answers = answers.map(|(status, answer)| {
        let content = answer["content"].as_object().and_then(|content| content.iter().next());
        Answer {
            status: status.clone(),
            media: content.map(|(media, _)| media.clone()).unwrap_or_default(),
            kind: content.map(|(_, content)| kind(&content["schema"])).unwrap_or_default(),
            description: text(answer, "description"),
        }
    });
    Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(described, "summary"),
        description: text(described, "description"),
        parameters: parameters.collect(),
        answers: answers.collect(),
    }
}

fn fields(shape: &Value) -> Vec<Field> {
    let alternatives = list(shape, "oneOf");
    let mut fields: BTreeMap<&str, Field> = BTreeMap::new();
    for shape in std::iter::once(shape).chain(alternatives) {
        for (name, field) in shape["properties"].as_object().into_iter().flatten() {
            let kind = kind(field);
            match fields.get_mut(name.as_str()) {
                Some(known) if known.kind != kind => known.kind += &format!(" | {kind}"),
                Some(_) => {}
                None => {
                    let description = text(field, "description");
                    fields.insert(name, Field { name: name.clone(), kind, description });
                }
            }
        }
    }
    fields.into_values().collect()
}

/// A type in words: `integer`, `[Event]`, `Tie | null`, `"feed" | "video"`.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or(name).to_owned();
    }
    let joined = |kinds: &[Value]| kinds.iter().map(kind).collect::<Vec<_>>().join(" | ");
    if let [_, ..] = list(schema, "oneOf") {
        return joined(list(schema, "oneOf"));
    }
    if let [_, ..] = list(schema, "enum") {
        return list(schema, "enum").iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let name = |kind: &Value| match kind.as_str() {
        Some("array") => format!("[{}]", self::kind(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None => String::new(),
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" | "),
        kind => name(kind),
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
