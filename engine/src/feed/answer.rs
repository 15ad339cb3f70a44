//! A feed as JSON: what is known of a post is set behind its own members, which stay as they are.

use serde::Serialize;

use super::{Entry, Feed, Ranked};

impl Feed<'_> {
    /// `{"channels": […], "posts": […]}`: the channels as their pages have them, and the posts in order,
    /// each as its page has it, with `channel` (a username), `_score`, and where they apply
    /// `_duplicates` (`channel`, `id`, `url`, `_score` of each) and `_topic` (`id`, `keywords`).
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let bytes: usize = self.entries.iter().map(|entry| entry.ranked.post.raw.len() + 128).sum();
        let mut json = Vec::with_capacity(bytes);
        json.extend_from_slice(b"{\"channels\":[");
        for (number, channel) in self.channels.iter().enumerate() {
            comma(&mut json, number);
            json.extend_from_slice(channel.raw.as_bytes());
        }
        json.extend_from_slice(b"],\"posts\":[");
        for (number, entry) in self.entries.iter().enumerate() {
            comma(&mut json, number);
            self.write_entry(&mut json, entry);
        }
        json.extend_from_slice(b"]}");
        json
    }

    fn write_entry(&self, json: &mut Vec<u8>, entry: &Entry<'_>) {
        let raw = entry.ranked.post.raw;
        let open = raw.strip_suffix('}').unwrap_or(raw);
        json.extend_from_slice(open.as_bytes());
        if open.trim_end() != "{" {
            json.push(b',');
        }
        self.write_place(json, &entry.ranked);
        if !entry.duplicates.is_empty() {
            json.extend_from_slice(b",\"_duplicates\":[");
            for (number, duplicate) in entry.duplicates.iter().enumerate() {
                comma(json, number);
                json.push(b'{');
                self.write_place(json, duplicate);
                for (name, raw) in [("id", duplicate.post.id), ("url", duplicate.post.url)] {
                    if let Some(raw) = raw {
                        json.extend_from_slice(format!(",\"{name}\":{raw}").as_bytes());
                    }
                }
                json.push(b'}');
            }
            json.push(b']');
        }
        if let Some((topic, keywords)) =
            entry.topic.and_then(|topic| Some((topic, self.topics.get(topic as usize)?)))
        {
            json.extend_from_slice(
                format!(",\"_topic\":{{\"id\":{topic},\"keywords\":").as_bytes(),
            );
            write(json, keywords);
            json.push(b'}');
        }
        json.push(b'}');
    }

    /// `"channel":…,"_score":…`, the score to three places.
    fn write_place(&self, json: &mut Vec<u8>, ranked: &Ranked<'_>) {
        json.extend_from_slice(b"\"channel\":");
        write(json, &self.channels[ranked.channel as usize].username);
        json.extend_from_slice(b",\"_score\":");
        write(json, &((ranked.score * 1e3).round() / 1e3));
    }
}

fn comma(json: &mut Vec<u8>, number: usize) {
    if number > 0 {
        json.push(b',');
    }
}

/// Texts and numbers: nothing that could fail.
fn write(json: &mut Vec<u8>, value: &impl Serialize) {
    let start = json.len();
    if serde_json::to_writer(&mut *json, value).is_err() {
        json.truncate(start);
        json.extend_from_slice(b"null");
    }
}
