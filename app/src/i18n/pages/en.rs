//! English.

use model::{FeedParams, Quality, Trouble};

use super::{DeskTexts, FeedTexts, NewsroomsTexts, SearchTexts, VideosTexts};
use crate::feeds::OpmlError;
use crate::i18n::Locale;
use crate::i18n::format::plural_en;

fn of(part: u32, whole: u32) -> String {
    format!("{} of {}", Locale::En.integer(part.into()), Locale::En.integer(whole.into()))
}

pub(in crate::i18n) const NEWSROOMS: NewsroomsTexts = NewsroomsTexts {
    title: "Newsrooms",
    lede: "Who comes first, who how much later, who carries over and who covers how many events. Counts, not grades.",
    by_newsroom: "by newsroom",
    by_owner: "by owner",
    view: "Count",
    window: |hours, from, to| {
        format!("Events first mentioned in the last {hours}: from {from} to {to}.")
    },
    name: "newsroom",
    owner_name: "owner",
    events: "events",
    coverage: "coverage",
    first: "first",
    lag: "median lag",
    copies: "copies only",
    of,
    few: "few",
    few_text: |n| format!("Fewer than {n} events: share and median are chance, not habit."),
    nothing: "No two newsrooms shared an event in this period.",
    definitions: "What the columns mean",
    definitions_list: &[
        (
            "events",
            "How many of the events that two newsrooms or more have it had as well. An event of one newsroom does not count: there is nobody to compare with.",
        ),
        (
            "coverage",
            "The share of the events that it could have had: of all shared events in its language, and of those in other languages that it had.",
        ),
        (
            "first",
            "How often nobody was before it, out of the events in which its own time and that of the first mention are known. Where only the upper bound of a time is known, the event is left out here. Two newsrooms within one second are both first.",
        ),
        (
            "median lag",
            "The middle one of its delays behind the first mention, over the events in which it was not first.",
        ),
        (
            "copies only",
            "How often it only had texts that another newsroom had published before. Rewritten agency copy is not recognised, so the figure is a lower bound.",
        ),
    ],
    open_desk: "desk",
    newsrooms_of: |n| plural_en(n, "newsroom", "newsrooms"),
};

pub(in crate::i18n) const DESK: DeskTexts = DeskTexts {
    title: "Desk",
    lede: "For editors: what others lift and you do not, where you were first, and where you were late and by how much.",
    of: |name| format!("Desk: {name}"),
    choose: "Newsroom",
    at_least: "At least so many others",
    show: "Show",
    nothing_chosen: "Choose a newsroom; the address then leads straight to its desk.",
    unknown: |slug| format!("There is no newsroom “{slug}”."),
    missing: "Others have it, we do not",
    missing_text: |language, n| {
        format!(
            "Language: {language}. Events of at least {n} other newsrooms of which this one has no item in its feeds; the hottest first."
        )
    },
    missing_none: "None: what others lift, this newsroom has.",
    late: "Where we were late",
    late_text: "How long after the first newsroom; the longest lag first.",
    late_none: "Nowhere.",
    first: "Where we were first",
    first_text: "How far ahead of the second newsroom; the longest lead first.",
    first_none: "Nowhere.",
    event: "event",
    behind: "behind",
    ahead: "ahead",
    rank: "rank",
    others: "newsrooms",
    untimed: |n| {
        format!(
            "Further shared events of which only the upper bound of a time is known: {n}. They are in neither list."
        )
    },
    shown_of: |shown, all| format!("{} of {}", Locale::En.integer(shown), Locale::En.integer(all)),
    keys: "Keys",
    keys_text: "Shortcuts of a single letter work on this page only. They can be changed and switched off; the choice stays in this browser.",
    keys_on: "shortcuts on",
    key_next: "next event",
    key_previous: "previous event",
    key_open: "open the event",
    key_help: "this help",
};

pub(in crate::i18n) const VIDEOS: VideosTexts = VideosTexts {
    title: "Videos",
    lede: "How fast newsrooms’ videos are being watched: views per hour, from two measurements of ours.",
    showing: |shown, all| {
        if shown == all {
            plural_en(all, "video", "videos")
        } else {
            format!("showing {} of {} videos", Locale::En.integer(shown), Locale::En.integer(all))
        }
    },
    none: "No videos to measure",
    none_text: |sources, refused| match (sources, refused) {
        (0, _) => "There is no video feed among the sources.".to_owned(),
        (all, refused) if all == refused => format!(
            "{} on the list, but the gate does not permit a request.",
            plural_en(all.into(), "video feed is", "video feeds are")
        ),
        (all, _) => format!(
            "{} on the list, but none has shown a video with a counter within the window.",
            plural_en(all.into(), "video feed is", "video feeds are")
        ),
    },
    video: "video",
    tempo: "tempo",
    per_hour: |n| format!("{n} per h"),
    window: "measured over",
    views: "views",
    measured: "last measured",
    published: "published",
    unreliable: "unreliable",
    unreliable_text: "The measurements lie less than an hour apart: platforms count in batches, and a short distance shows chance.",
    absent: "no tempo",
    absent_text: "There is a single measurement; one number has no speed.",
    still: "stands still",
    measurements: |n| plural_en(n, "measurement", "measurements"),
    chart: "Fastest videos",
    chart_caption: "Views per hour; reliable tempos only.",
    chart_text: |videos| format!("Views per hour: {}.", videos.join("; ")),
    how: "How tempo is measured",
    how_text: &[
        "Tempo = (views at the last measurement − views at the latest measurement that is at least an hour older) / hours between the two. The figure is ours; the platform does not give it.",
        "Where no measurement is an hour old, the tempo is unreliable; where there is only one measurement, there is none. A counter that stands still or falls is shown as it is.",
        "Only what the gate permits is measured, and only where the feed itself publishes a counter.",
    ],
};

pub(in crate::i18n) const SEARCH: SearchTexts = SearchTexts {
    title: "Search",
    lede: "All of history: the titles and descriptions of all items, and their former wordings.",
    label: "Search events",
    submit: "Search",
    titled: |text| format!("Search: {text}"),
    found: |n| plural_en(n, "event", "events"),
    page: |page, pages| format!("page {page} of {pages}"),
    searched: "Searched was what had been recorded until the last recompute:",
    capped: |n| {
        format!(
            "The words are too common: the newest {} items were searched. Add another word.",
            Locale::En.integer(n)
        )
    },
    nothing: |text| format!("Nothing was found for “{text}”."),
    nothing_hint: "All words have to be found. Try fewer, another form or another language.",
    by_relevance: "best match",
    and_items: |n| format!("and {}", plural_en(n, "more item", "more items")),
    how: "How the search works",
    how_text: &[
        "Case and accents do not matter. A word finds its forms as well: the ending is cut and the beginning is looked for. Exact matches and matches in titles weigh more.",
        "All words have to be found, each in any part of an item. Results are events; the items that match stand below each.",
    ],
};

pub(in crate::i18n) const FEED: FeedTexts = FeedTexts {
    title: "Feed",
    lede: "Posts of the channels that you choose, in one order. Without an account and without cookies: the whole selection stands in the address, which you may keep or send.",
    start: "Where to start",
    start_text: "A ready selection is only a link. Add channels to it or take them away below.",
    by_language: "By language",
    by_country: "By country",
    channels: |n| plural_en(n, "channel", "channels"),
    picker: "Channels and order",
    chosen: |n| format!("Chosen channels: {}", Locale::En.integer(n)),
    chosen_hint: "What you untick will not be in the feed.",
    unknown_channel: "unknown",
    add: "Add channels",
    search: "Name or owner",
    owner: "Owner",
    any_owner: "all owners",
    newsroom_language: "Newsroom’s language",
    find: "Find channels",
    offered: |shown, all| {
        if shown == all {
            plural_en(all, "channel", "channels")
        } else {
            format!(
                "showing {} of {} channels; filters find the others",
                Locale::En.integer(shown),
                Locale::En.integer(all)
            )
        }
    },
    nothing_offered: "No other channel matches the filters.",
    ranking: "Order",
    half_life: "Half-life of freshness",
    half_life_hint: "How long a post takes to lose half of its freshness.",
    diversity: "Diversity",
    diversity_hint: "How much is held back what resembles the posts before; 0 orders by score alone.",
    limit: "Posts at most",
    language: "Language of posts",
    unfolded: "repeated texts separately",
    submit: "Show the feed",
    upload: "Selection from another reader (OPML)",
    upload_submit: "Upload",
    upload_hint: "The file is only read, not kept; at most 1 MiB.",
    unknown_feeds: |n| {
        let verb = if n == 1 { "is" } else { "are" };
        format!("{} of the file {verb} not collected here.", plural_en(n, "feed", "feeds"))
    },
    above_feeds: |n| {
        format!(
            "{} did not fit: a selection has at most {}.",
            plural_en(n, "channel", "channels"),
            FeedParams::CHANNELS.end()
        )
    },
    opml_refused: |error| match error {
        OpmlError::Missing => "No file arrived. Choose an OPML file from your reader.",
        OpmlError::Large => "The file is larger than 1 MiB.",
        OpmlError::Long => "The list has more than 5,000 entries.",
        OpmlError::Empty => "The list has no address of a feed.",
        OpmlError::Unreadable => "The file holds no list of feeds in the format OPML.",
    },
    to_feed: "Back to the choice of channels",
    ranked: "Ranked posts",
    posts: |n| plural_en(n, "post", "posts"),
    from_channels: |n| format!("from {}", plural_en(n.into(), "channel", "channels")),
    subscribe: "Subscribe",
    nothing: "No posts",
    nothing_text: |filtered| match filtered {
        true => {
            "The chosen channels have nothing now in the chosen language or of the chosen topic."
        }
        false => "The chosen channels have no posts now.",
    },
    failures: "What is missing in the feed",
    trouble: |trouble| match trouble {
        Trouble::Unknown => "there is no such channel here.",
        Trouble::Refused => "the gate does not permit it.",
        Trouble::Unreachable => "it does not answer, or wants to be left alone for a while.",
        Trouble::Unreadable => "its answer cannot be read.",
    },
    also_in: |_| "also in",
    score: "score",
    quality: "quality",
    freshness: "freshness",
    untimed: "time unknown",
    reach: "reach",
    reactions: "reactions",
    text: "text",
    media: "pictures and videos",
    care: "corrected",
    how: "How it is ordered",
    how_text: |similar, same, words| {
        let n = |value| Locale::En.exact(value);
        let (params, weights) = (FeedParams::default(), Quality::WEIGHTS);
        vec![
            format!(
                "Score = 10 · quality · ({} + {} · freshness), freshness = {}^(age / half-life). The half-life is {} unless you change it: a post of that age has half of its freshness, one twice as old a quarter. Even the oldest keeps a tenth of what its quality is worth.",
                n(0.1),
                n(0.9),
                n(0.5),
                Locale::En.hours(params.half_life_hours)
            ),
            format!(
                "Quality is a weighted mean: reach (views per subscriber) {}, reactions {}, length of the text {}, pictures and videos {}, correction after publishing {}. What a post does not say of itself counts as one half. No counter achieves more than its weight.",
                n(weights.reach),
                n(weights.reactions),
                n(weights.text),
                n(weights.media),
                n(weights.care)
            ),
            format!(
                "Diversity holds back a post that resembles one of the last {similar} or shares its channel with one of the last {same}. It changes the order alone, not the score."
            ),
            format!(
                "Texts of {words} words or more that repeat each other for the greater part are folded under the one with the highest score. Short words, stop words, numbers and addresses do not count as words. A topic is a group of posts with rare words in common, and is named by them."
            ),
            "We count how often a channel is asked for, so that those in demand are fresh. Who asked is not recorded."
                .to_owned(),
        ]
    },
};
