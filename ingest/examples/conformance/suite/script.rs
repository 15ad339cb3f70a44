//! `case.json`: exchanges that were had with a site.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use chrono::DateTime;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::find;

#[derive(Clone, Debug, Deserialize)]
pub struct Script {
    #[serde(default)]
    pub kind: String,
    now: String,
    pub user_agent: String,
    #[serde(default)]
    pub product_token: String,
    #[serde(default)]
    pub source_config: SourceConfig,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct SourceConfig {
    pub language: Option<String>,
    pub timezone: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    pub at: Option<String>,
    pub request: Asked,
    pub response: Answered,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Asked {
    pub url: Url,
    /// `null`: the header must not be sent.
    #[serde(default)]
    pub must_send: HashMap<String, Option<String>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Answered {
    pub status: u16,
    #[serde(default)]
    headers: HashMap<String, Value>,
    /// The name of a file beside `case.json`.
    #[serde(default, rename = "body")]
    file: Option<String>,
    #[serde(skip)]
    pub body: Vec<u8>,
}

impl Answered {
    /// Name and value, once per value.
    pub fn fields(&self) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (name, value) in &self.headers {
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let texts =
                values.iter().map(|text| text.as_str().map_or(text.to_string(), str::to_owned));
            fields.extend(texts.map(|text| (name.clone(), text)));
        }
        fields
    }
}

impl Script {
    pub fn read(folder: &Path) -> Result<Self> {
        let mut script: Self = find::json(&folder.join("case.json"))?;
        ensure!(!script.steps.is_empty(), "there are no exchanges");
        for step in &mut script.steps {
            if let Some(file) = &step.response.file {
                step.response.body = find::bytes(&folder.join(file))?;
            }
        }
        Ok(script)
    }

    /// One feed, asked for once.
    pub fn of_one_feed(url: &str, headers: &[(String, String)], body: Vec<u8>) -> Result<Self> {
        let headers =
            headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let response = Answered { status: 200, headers: headers.collect(), file: None, body };
        let request = Asked { url: url.parse()?, must_send: HashMap::new() };
        Ok(Self {
            kind: "feed".to_owned(),
            now: "2026-03-10T12:00:00Z".to_owned(),
            user_agent: "ExampleNewsBot/1.0".to_owned(),
            product_token: "ExampleNewsBot".to_owned(),
            source_config: SourceConfig { language: Some(String::new()), timezone: None },
            steps: vec![Step { at: None, request, response }],
        })
    }

    /// A lone robots.txt is that of the site in question, under whatever name it was recorded.
    pub fn lend_robots(&mut self, url: &Url) {
        if let [Step { request: Asked { url: robots, .. }, .. }] = self.steps.as_mut_slice()
            && robots.path() == "/robots.txt"
            && robots.origin() != url.origin()
            && !is_within(robots, url)
            && !is_within(url, robots)
            && let Ok(own) = url.join("/robots.txt")
        {
            *robots = own;
        }
    }

    pub fn now(&self) -> Result<i64> {
        instant(&self.now)
    }

    /// What is answered at an address that ends so, in the end.
    pub fn answer(&self, ends: &str) -> Option<&Answered> {
        let mut steps = self.steps.iter().filter(|step| step.request.url.as_str().ends_with(ends));
        steps.find(|step| step.response.status == 200).map(|step| &step.response)
    }
}

/// The same host, or a part of its domain: which has a robots.txt of its own.
fn is_within(host: &Url, domain: &Url) -> bool {
    let (Some(host), Some(domain)) = (host.host_str(), domain.host_str()) else { return false };
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// An instant as cases write it.
pub fn instant(text: &str) -> Result<i64> {
    let instant = DateTime::parse_from_rfc3339(text).with_context(|| text.to_owned())?;
    Ok(instant.timestamp())
}
