//! Search over all items and their former wordings, by event.

use std::collections::HashMap;

use model::{EventId, Found, FoundEvent, FoundItem, ItemId, NewsroomId, UnixSeconds};

use crate::{Error, Store, instant, seconds};

/// Matching items that are ranked: the newest. Common words match more than anybody would read.
const RANKED: i64 = 2_000;
/// Words of a query that count.
const WORDS: usize = 12;
/// Items listed of an event.
const LISTED: i64 = 3;

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Search {
    pub text: String,
    /// ISO 639-1; of the items.
    pub language: Option<String>,
    /// Newest events first, instead of the best.
    pub newest: bool,
    /// What was recorded later does not exist.
    pub at: UnixSeconds,
    pub offset: u32,
    pub limit: u32,
}

impl Store {
    /// Events under the model of which an item holds all the words. A word finds its forms: what
    /// begins with its stem matches, the word itself counts more.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn search(&self, model: &str, search: &Search) -> Result<Found, Error> {
        let folded = sqlx::query_scalar!(r#"SELECT search_fold($1) AS "folded!""#, search.text)
            .fetch_one(&self.pool)
            .await?;
        let words = words(&folded);
        if words.is_empty() {
            return Ok(Found::default());
        }
        let stems: Vec<String> = words.iter().map(|word| stem(word).to_owned()).collect();
        let near = query(stems.iter().map(|stem| format!("'{stem}':*")));
        let exact = query(words.iter().map(|word| format!("'{word}'")));
        let at = instant(search.at)?;

        let rows = sqlx::query!(
            r#"WITH asked AS (
                SELECT $2::text::tsquery AS near, $3::text::tsquery AS exact
            ), matching AS (
                SELECT i.id, i.id AS item_id, i.title, i.lede,
                    ts_rank(i.words, near) + ts_rank(i.words, exact) AS rank
                FROM items i, asked
                WHERE i.words @@ near AND i.at <= $4 AND ($5::text IS NULL OR i.language = $5)
                UNION ALL
                SELECT r.id, r.item_id, r.title, r.lede,
                    ts_rank(r.words, near) + ts_rank(r.words, exact)
                FROM item_revisions r JOIN items i ON i.id = r.item_id, asked
                WHERE r.words @@ near AND r.at <= $4 AND ($5::text IS NULL OR i.language = $5)
                ORDER BY 2 DESC LIMIT $6
            ), wording AS (
                SELECT DISTINCT ON (item_id) item_id, title, lede, rank
                FROM matching ORDER BY item_id, rank DESC, id DESC
            ), placed AS (
                SELECT w.*, coalesce((
                    SELECT event_id FROM event_items e
                    WHERE e.model = $1 AND e.item_id = w.item_id AND e.at <= $4
                    ORDER BY e.at DESC LIMIT 1
                ), w.item_id) AS event_id
                FROM wording w
            ), ranked AS (
                SELECT *, row_number() OVER (PARTITION BY event_id ORDER BY rank DESC, item_id) AS n
                FROM placed
            ), found AS (
                SELECT p.event_id, count(*) AS matches,
                    coalesce(max(e.newsrooms), 1) AS newsrooms, max(e.title) AS title,
                    coalesce(max(e.first_at), min(i.mention_at)) AS first_at,
                    coalesce(max(e.last_at), max(i.mention_at)) AS last_at,
                    max(p.rank) * (1 + ln(coalesce(max(e.newsrooms), 1))) AS rank
                FROM placed p JOIN items i ON i.id = p.item_id
                LEFT JOIN events e ON e.model = $1 AND e.id = p.event_id
                GROUP BY p.event_id
            ), page AS (
                SELECT *, count(*) OVER () AS total,
                    row_number() OVER (ORDER BY CASE WHEN $7 THEN 0 ELSE rank END DESC,
                        last_at DESC, event_id) AS place
                FROM found ORDER BY place OFFSET $8 LIMIT $9
            )
            SELECT p.event_id AS "event_id!", p.total AS "total!", p.matches AS "matches!",
                p.newsrooms AS "newsrooms!", p.title AS event_title, p.first_at AS "first_at!",
                p.last_at AS "last_at!", (SELECT count(*) FROM matching) AS "read!",
                r.item_id AS "item_id!", r.title AS "title!", r.lede AS "lede!", i.newsroom_id,
                i.link, i.language, i.mention_at
            FROM page p JOIN ranked r ON r.event_id = p.event_id AND r.n <= $10
            JOIN items i ON i.id = r.item_id
            ORDER BY p.place, r.n"#,
            model,
            near,
            exact,
            at,
            search.language,
            RANKED,
            search.newest,
            i64::from(search.offset),
            i64::from(search.limit),
            LISTED,
        )
        .fetch_all(&self.pool)
        .await?;

        let mut found = Found { stems, ..Found::default() };
        let mut places: HashMap<i64, usize> = HashMap::new();
        for row in rows {
            found.total = row.total as u32;
            found.capped = (row.read >= RANKED).then_some(RANKED as u32);
            let item = FoundItem {
                item: ItemId(row.item_id),
                newsroom: NewsroomId(row.newsroom_id),
                title: row.title,
                lede: row.lede,
                link: row.link,
                language: row.language,
                mention_at: seconds(row.mention_at),
            };
            let place = *places.entry(row.event_id).or_insert(found.events.len());
            match found.events.get_mut(place) {
                Some(event) => event.items.push(item),
                None => found.events.push(FoundEvent {
                    event: EventId(row.event_id),
                    title: row.event_title.unwrap_or_else(|| item.title.clone()),
                    newsrooms: row.newsrooms as u32,
                    first_at: seconds(row.first_at),
                    last_at: seconds(row.last_at),
                    matches: row.matches as u32,
                    items: vec![item],
                }),
            }
        }
        Ok(found)
    }
}

/// The words of a folded text, each once. Nothing but letters and digits is left in them, so that
/// they can stand in a query between quotes.
fn words(folded: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if words.len() < WORDS && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

fn query(terms: impl Iterator<Item = String>) -> String {
    terms.collect::<Vec<_>>().join(" & ")
}

/// Letters that a stem keeps.
const KEPT: usize = 3;

/// What the forms of a folded word begin with: without one case ending, as Czech and its neighbours
/// decline, and without the vowel that comes and goes before it (povodeň, povodně).
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 36] = [
        "ovych", "oveho", "ovymi", "atech", "iach", "iami", "ami", "ach", "ech", "ich", "ych",
        "eho", "emu", "imi", "ymi", "iho", "imu", "ovi", "ove", "ova", "ovy", "ou", "em", "um",
        "am", "im", "ym", "om", "mi", "es", "a", "e", "i", "o", "u", "y",
    ];
    if word.chars().all(char::is_numeric) {
        return word;
    }
    let keeps = |rest: &str| rest.chars().count() >= KEPT;
    let cut = ENDINGS.iter().find_map(|end| word.strip_suffix(end).filter(|rest| keeps(rest)));
    let bare = cut.unwrap_or(word);
    // A fleeting e: "odeň" and "odně" share what stands before it.
    let mut last = bare.char_indices().rev();
    match (cut, last.next(), last.next()) {
        (None, Some((_, consonant)), Some((at, 'e')))
            if "cknlrm".contains(consonant) && bare[..at].chars().count() > KEPT =>
        {
            &bare[..at]
        }
        _ => bare,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_its_stem() {
        for (asked, others) in [
            ("povoden", &["povodne", "povodni", "povodnemi"][..]),
            ("tovarna", &["tovarnou", "tovarny", "tovarne"]),
            ("vlada", &["vlady", "vladu", "vladou"]),
            ("prezident", &["prezidenta", "prezidentovi", "prezidentem"]),
            ("rim", &["rima", "rime"]),
            ("domacich", &["domaci", "domaceho"]),
            ("2026", &["2026"]),
        ] {
            let stem = stem(asked);
            for form in others {
                assert!(form.starts_with(stem), "{form} does not begin with {stem}");
            }
        }
    }

    #[test]
    fn a_stem_is_no_single_letter_and_a_number_is_whole() {
        for (word, expected) in
            [("a", "a"), ("eu", "eu"), ("usa", "usa"), ("19", "19"), ("den", "den")]
        {
            assert_eq!(stem(word), expected);
        }
    }

    #[test]
    fn a_query_holds_words_and_nothing_else() {
        assert_eq!(words("  most' | !x :* most "), ["most", "x"]);
        assert_eq!(words("() & ! 'x"), ["x"]);
        assert_eq!(words(&"a ".repeat(50)).len(), 1);
        let many: String = (0..50).map(|n| format!("w{n} ")).collect();
        assert_eq!(words(&many).len(), WORDS);
    }
}
