//! Events, and where newsrooms mention them.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result, SimpleObject};
use model::{EventId, Snapshot};

use super::sources::Newsroom;
use super::{BOARD_COST, UnixSeconds, asked};
use crate::api::matching;
use crate::error::{ApiError, within};
use crate::moment::Place;
use crate::state::AppState;

/// Events of one answer, where it is not said how many.
const LIMIT: u32 = 50;
/// Events of one answer.
const MOST: u32 = 100;
/// What an event has in the middle of many: mentions, and items.
const MENTIONS: usize = 10;
/// An event that was merged, and then left the board, is two steps away.
const STEPS: usize = 3;

#[derive(Default)]
pub struct BoardFields;

#[Object]
impl BoardFields {
    /// Events of a board, hottest first, page by page.
    #[graphql(complexity = "BOARD_COST + limit.unwrap_or(LIMIT) as usize * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "the field has as many")]
    async fn events(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Some(0)", desc = "Events to leave out at the start.")]
        offset: Option<u32>,
        #[graphql(default_with = "Some(LIMIT)", desc = "Events in this answer, 1 to 100.")]
        limit: Option<u32>,
        #[graphql(desc = "Smallest number of newsrooms.")] newsrooms: Option<u32>,
        #[graphql(desc = "ISO 639-1.")] language: Option<String>,
        #[graphql(desc = "A past moment; by default the newest board's.")] at: Option<UnixSeconds>,
        #[graphql(desc = "Name of the model; by default the board's.")] model: Option<String>,
    ) -> Result<Events> {
        let limit = within("limit", limit.unwrap_or(LIMIT), 1..=MOST)? as usize;
        let state = context.data::<AppState>()?;
        let snapshot = state.moment(&asked(at, model)).await?.snapshot;
        let found = matching(&snapshot, newsrooms, language.as_deref());
        let events = found.iter().skip(offset.unwrap_or_default() as usize).take(limit);
        Ok(Events {
            at: UnixSeconds(snapshot.board.at),
            model: snapshot.model.name.clone(),
            demo: snapshot.demo,
            total: found.len(),
            events: events.map(|event| Event::new(&snapshot, (*event).clone())).collect(),
        })
    }

    /// One event; `null` where there never was one of this id. One that was merged answers as the older
    /// event, one that has left the board as it last stood there.
    #[graphql(complexity = "BOARD_COST + child_complexity")]
    async fn event(
        &self,
        context: &Context<'_>,
        id: ID,
        #[graphql(desc = "A past moment; by default the newest board's.")] at: Option<UnixSeconds>,
        #[graphql(desc = "Name of the model; by default the board's.")] model: Option<String>,
    ) -> Result<Option<Event>> {
        let mut id: EventId = id
            .parse()
            .map_err(|_| ApiError::BadRequest(format!("id {:?}: ids are numbers", *id)))?;
        let state = context.data::<AppState>()?;
        let mut moment = state.moment(&asked(at, model.clone())).await?;
        for _ in 0..STEPS {
            match state.place(&moment, id).await? {
                Place::Here(event) => return Ok(Some(Event::new(&moment.snapshot, event))),
                Place::Elsewhere { id: older, at } => {
                    id = older;
                    moment = state.moment(&asked(at.map(UnixSeconds), model.clone())).await?;
                }
                Place::Nowhere => break,
            }
        }
        Ok(None)
    }
}

/// Events of a board, and how many there are in all.
#[derive(SimpleObject)]
struct Events {
    at: UnixSeconds,
    /// Name of the model.
    model: String,
    /// The newsrooms are invented.
    demo: bool,
    /// Events that match, on all pages.
    total: usize,
    events: Vec<Event>,
}

struct Event {
    snapshot: Arc<Snapshot>,
    event: model::Event,
}

impl Event {
    fn new(snapshot: &Arc<Snapshot>, event: model::Event) -> Self {
        Self { snapshot: Arc::clone(snapshot), event }
    }
}

/// A group of items about the same happening.
#[Object]
impl Event {
    /// The id of its earliest recorded item.
    async fn id(&self) -> ID {
        self.event.id.0.into()
    }

    /// Title of the item that is most like all the others.
    async fn title(&self) -> &str {
        &self.event.title
    }

    /// ISO 639-1, of most items.
    async fn language(&self) -> &str {
        &self.event.language
    }

    /// The ordering quantity: the product of the five factors.
    async fn heat(&self) -> f64 {
        self.event.heat
    }

    async fn factors(&self) -> Factors {
        self.event.factors.into()
    }

    /// The first newsroom's mention.
    async fn first_at(&self) -> UnixSeconds {
        UnixSeconds(self.event.first_mention())
    }

    /// The last newsroom's mention.
    async fn last_at(&self) -> UnixSeconds {
        UnixSeconds(self.event.last_mention())
    }

    /// Number of distinct owners; a newsroom of unknown owner is its own.
    async fn owners(&self) -> u32 {
        self.event.owners
    }

    /// Number of distinct texts.
    async fn texts(&self) -> u32 {
        self.event.texts
    }

    /// One per newsroom, in order of time.
    #[graphql(complexity = "MENTIONS * child_complexity")]
    async fn mentions(&self) -> Vec<Mention<'_>> {
        let snapshot = &self.snapshot;
        self.event.mentions.iter().map(|mention| Mention { snapshot, mention }).collect()
    }

    /// In order of mention.
    #[graphql(complexity = "MENTIONS * child_complexity")]
    async fn items(&self) -> Vec<Item<'_>> {
        let snapshot = &self.snapshot;
        self.event.items.iter().map(|item| Item { snapshot, item }).collect()
    }
}

/// The five factors whose product is heat.
#[derive(SimpleObject)]
struct Factors {
    /// Σ of the newsrooms' weights.
    breadth: f64,
    /// (breadth − 1) / spread hours, the spread held at its floor; per hour.
    velocity: f64,
    /// How high newsrooms place it, in (0, 1].
    priority: f64,
    /// 1 + log2(1 + mean standing hours / unit).
    persistence: f64,
    /// 0.5 ^ (hours since the last mention / half-life), in (0, 1].
    decay: f64,
}

impl From<model::Factors> for Factors {
    fn from(factors: model::Factors) -> Self {
        let model::Factors { breadth, velocity, priority, persistence, decay } = factors;
        Self { breadth, velocity, priority, persistence, decay }
    }
}

struct Mention<'a> {
    snapshot: &'a Snapshot,
    mention: &'a model::Mention,
}

/// The first time that a newsroom is known to have an item of the event.
#[Object]
impl Mention<'_> {
    async fn newsroom(&self) -> Option<Newsroom> {
        self.snapshot.newsroom(self.mention.newsroom).map(Newsroom::from)
    }

    async fn at(&self) -> UnixSeconds {
        UnixSeconds(self.mention.at)
    }

    /// Only the upper bound of `at` is known.
    async fn backfill(&self) -> bool {
        self.mention.backfill
    }
}

struct Item<'a> {
    snapshot: &'a Snapshot,
    item: &'a model::EventItem,
}

/// An entry of a newsroom's feed.
#[Object]
impl Item<'_> {
    async fn id(&self) -> ID {
        self.item.id.0.into()
    }

    async fn newsroom(&self) -> Option<Newsroom> {
        self.snapshot.newsroom(self.item.newsroom).map(Newsroom::from)
    }

    async fn title(&self) -> &str {
        &self.item.title
    }

    /// The short description; empty when its feed gave none.
    async fn lede(&self) -> &str {
        &self.item.lede
    }

    async fn link(&self) -> &str {
        &self.item.link
    }

    /// ISO 639-1.
    async fn language(&self) -> &str {
        &self.item.language
    }

    /// When its newsroom first had it.
    async fn at(&self) -> UnixSeconds {
        UnixSeconds(self.item.mention_at)
    }

    /// The text repeats an earlier item's of the event.
    async fn copy(&self) -> bool {
        self.item.copy
    }
}
