//! English.

use model::Interval;

use super::format::plural_en;
use super::{Locale, Methodology, Models, Texts, pages};

pub(super) static TEXTS: Texts = Texts {
    site: "Ohlas",
    skip: "Skip to content",
    main_navigation: "Main navigation",
    nav_board: "Board",
    nav_newsrooms: "Newsrooms",
    nav_desk: "Desk",
    nav_videos: "Videos",
    nav_feed: "Feed",
    nav_sources: "Sources",
    nav_status: "Status",
    nav_methodology: "How it is measured",
    other_language: "Česky",
    theme: "Theme",
    theme_auto: "auto",
    theme_light: "light",
    theme_dark: "dark",
    demo: "Demonstration: these newsrooms and their headlines are invented.",
    past_board: "As it stood at",
    other_model: |name| format!("Ordered by model {name}."),
    back_to_now: "Back to the present",
    live_news: "There are new results.",
    live_show: "Show them",
    live_pause: "Pause updates",
    live_resume: "Resume updates",
    state_at: "As of",
    model: "model",
    chain_head: "chain head",
    privacy: "No cookies, no tracking, no requests to other servers.",
    machine_data: "Data for machines:",
    untitled: "(untitled)",
    none: "none",

    og_locale: "en_GB",
    verdict_feed: "Changes of the gate’s verdicts",
    demo_short: "Demo, invented newsrooms",
    docs: "Interface for machines",
    docs_lede: "Everything on the pages is in the data as well: without a key and without registration.",
    docs_document: "this description as OpenAPI 3.1, made from the code",
    docs_rules: "Times are seconds since 1970 (UTC). Within a version fields are only added. Too many requests from one address are answered with 429, and Retry-After says when to come back. The descriptions are the code's own.",
    docs_graphql: "Whoever wants some fields only, or several answers at once, asks in GraphQL. A question is sent as JSON, in the field query. One whose answer would be too large is refused before anything is looked up.",
    docs_schema: "the schema with every field and its description",
    docs_example: "An example of a question",
    docs_shapes: "Shapes of the answers",
    docs_parameter: "Parameter",
    docs_answer: "Answer",
    docs_field: "Field",
    docs_type: "Type",
    docs_meaning: "Meaning",
    docs_in_path: "in the path",
    docs_in_query: "in the query",
    newsrooms: |n| plural_en(n, "newsroom", "newsrooms"),
    newsrooms_word: |n| if n == 1 { "newsroom" } else { "newsrooms" },
    owners: |n| plural_en(n, "owner", "owners"),
    texts: |n| plural_en(n, "text", "distinct texts"),
    and_more: |n| format!("and {n} more"),
    place_of: |place, length| format!("{place} of {length}"),

    board: "What newsrooms lift",
    board_lede: "Events ordered by how many newsrooms carry them, how fast they spread and how high newsrooms place them.",
    showing: |shown, all| {
        if shown == all {
            plural_en(all, "event", "events")
        } else {
            format!("showing {} of {} events", Locale::En.integer(shown), Locale::En.integer(all))
        }
    },
    filters: "Filters and search",
    search: "Search headlines",
    language: "Language",
    any_language: "all languages",
    country: "Country",
    any_country: "all countries",
    period: "Period",
    any_period: "whole window",
    last_hours: |hours| format!("last {hours}"),
    also_lone: "also events of one newsroom",
    apply: "Apply",
    sort: "Sort by",
    by_newsrooms: "newsrooms",
    by_newest: "newest",
    previous: "Previous",
    next: "Next",
    pages: "Pages",
    topics: "Topics",
    events: |n| plural_en(n, "event", "events"),
    other_moments: "Another moment",
    stale: |ago| format!("The last answer of any source came {ago}: this board is ageing."),
    no_data: "There is no data yet",
    no_data_text: |sources| {
        if sources == 0 {
            "No source is being watched. It does not mean that nothing is happening.".to_owned()
        } else {
            format!(
                "{} watched, but none has answered yet. It does not mean that nothing is happening.",
                plural_en(sources.into(), "source is", "sources are")
            )
        }
    },
    no_events: "There is no event in the window",
    no_events_text: |window| {
        format!("Collecting works, but newsrooms published no item in the last {window}.")
    },
    no_events_shown: "Nothing to show",
    nothing_found: "No event matches the filters. There is data, but elsewhere.",
    nothing_shared: "No event is carried by two newsrooms or more right now.",
    show_lone: |n| format!("Show also {} of one newsroom", plural_en(n, "event", "events")),
    without_filters: "Show without filters",
    language_name: |code| {
        match code {
            "ar" => "Arabic",
            "cs" => "Czech",
            "de" => "German",
            "en" => "English",
            "es" => "Spanish",
            "fr" => "French",
            "hu" => "Hungarian",
            "it" => "Italian",
            "pl" => "Polish",
            "pt" => "Portuguese",
            "ru" => "Russian",
            "sk" => "Slovak",
            "sl" => "Slovenian",
            "uk" => "Ukrainian",
            "zh" => "Chinese",
            "" => "unknown language",
            other => other,
        }
        .to_owned()
    },
    country_name: |code| {
        match code {
            "AT" => "Austria",
            "CH" => "Switzerland",
            "CZ" => "Czechia",
            "DE" => "Germany",
            "ES" => "Spain",
            "FR" => "France",
            "GB" => "United Kingdom",
            "HU" => "Hungary",
            "IE" => "Ireland",
            "IT" => "Italy",
            "PL" => "Poland",
            "SI" => "Slovenia",
            "SK" => "Slovakia",
            "UA" => "Ukraine",
            "US" => "United States",
            other => other,
        }
        .to_owned()
    },

    heat: "heat",
    breadth: "breadth",
    velocity: "velocity",
    priority: "priority",
    persistence: "persistence",
    decay: "decay",
    breadth_sentence: "The sum of the weights of the newsrooms that carry the event; each newsroom counts once.",
    velocity_sentence: "How much breadth was gained per hour between the first and the last mention.",
    priority_sentence: "How high newsrooms themselves place the event; 1 is the top place.",
    persistence_sentence: "How long the event’s items stand in the feeds; it grows with the logarithm of time.",
    decay_sentence: "How long ago the last mention came; without new ones the event cools.",
    velocity_formula: |breadth, hours, floor| format!("({breadth} − 1) / max({hours}, {floor})"),
    priority_formula: |best, newsrooms| {
        format!("weighted mean over {newsrooms}, best place {best}")
    },
    factor: "factor",
    numbers_put_in: "numbers in the formula",
    value: "value",
    meaning: "what it says",

    spread: "spread",
    owners_label: "owners",
    texts_label: "distinct texts",
    first_mention: "first mention",
    last_mention: "last mention",
    data_csv: "Data (CSV)",
    data_json: "The event’s data (JSON)",
    heat_heading: "Why this heat",
    no_heat: "An event of one newsroom has no heat: it has not spread.",
    heat_chart: "How the factors multiply",
    heat_chart_caption: "Each bar leads from the product of the factors above to the product with this one; the axis is logarithmic. A bar to the left lowers heat.",
    heat_chart_text: |factors, heat| {
        format!("Product of the factors: {}. Heat {heat}.", factors.join(", "))
    },
    scores_heading: "Heat and breadth over time",
    scores_chart: "How heat and breadth changed",
    scores_chart_caption: "The area is heat (left axis), the line is breadth (right axis), recompute by recompute. Heat falls even when nothing happens: that is decay.",
    scores_chart_text: |peak, at, now, breadth| {
        format!("Highest heat {peak}: {at}. Last heat {now}, breadth {breadth}.")
    },
    scores_short: "Its course can be shown after the second recompute.",
    mentions_heading: "Who lifted it and when",
    breadth_chart: "Newsrooms and texts over time",
    breadth_chart_caption: "Number of newsrooms, and of distinct texts among them, from the first mention on.",
    breadth_chart_text: |newsrooms, texts, first, last| {
        format!(
            "From {first} to {last}: {} and {}.",
            plural_en(newsrooms.into(), "newsroom", "newsrooms"),
            plural_en(texts.into(), "text", "distinct texts")
        )
    },
    time: "time",
    after_first: "after the first",
    newsroom: "newsroom",
    owner: "owner",
    unknown_owner: "owner unknown",
    best_place: "best place",
    standing: "in the feed",
    weight: "weight",
    copy: "copy",
    backfill_note: "Only the upper bound is known: the item stood in the feed at our first request.",
    mentions_note: "The sign ≤ means that only the upper bound of the time is known. A copy repeats a text that another newsroom had before.",
    positions_heading: "Place in the newsrooms’ feeds",
    positions_chart: "Place in the feeds over time",
    positions_chart_caption: "The top is the first place in the feed; each line is one item.",
    positions_chart_text: |best| format!("Best places: {}.", best.join("; ")),
    others_grey: |n| format!("Grey: {} more.", plural_en(n, "newsroom", "newsrooms")),
    items_heading: "Items by newsroom",
    text_no: |n| format!("text no. {n}"),
    copy_of_text: |n| format!("copy of text no. {n}"),
    credits: |agency| format!("credits {agency}"),
    agencies: |agencies| format!("Agencies that the texts themselves credit: {agencies}."),
    together_heading: "Why these belong together",
    together_text: |threshold| {
        format!(
            "Items are joined by the rare words that they share; the rarer the word, the greater its weight. Groups merge when their average similarity reaches {threshold}."
        )
    },
    word_weight: |weight, times| format!("{weight} × {times}"),
    ties: "The strongest tie of each item",
    item: "item",
    closest_item: "closest item",
    similarity: "similarity",
    shared_words: "shared words with weights",
    item_no: |id| format!("item {id}"),
    changes_heading: "What changed in this event",
    no_changes: "The event has not been merged or split so far.",
    merged_from: |id| format!("merged with event {id}, which now leads here."),
    split_to: |n| format!("{} split off:", plural_en(n, "item", "items")),
    split_from: |id| format!("split off from event {id}."),
    event_no: |id| format!("event {id}"),
    moved_from: |id| format!("moved here from event {id}."),
    because_of: "The deciding pair:",
    similarity_is: |value| format!("similarity {value}"),
    citation_heading: "Citation and permalink",
    permalink: "Permalink to this state",
    leaves_window: "The event will soon leave the window; the permalink will still show it.",
    citation: |title, newsrooms, moment, model, link| {
        format!(
            "Ohlas: “{title}”, {}, as of {moment}, model {model}. {link}",
            plural_en(newsrooms.into(), "newsroom", "newsrooms")
        )
    },

    sources: "Sources",
    sources_lede: "A gate stands before every request to a source: it reads robots.txt and text-mining reservations, and its verdict decides. This is its whole record.",
    no_sources: "No sources yet",
    no_sources_text: "No source is configured, or the gate has not asked any yet.",
    source: "source",
    verdict: "verdict",
    allowed: "allowed",
    disallowed: "disallowed",
    reserved: "reserved",
    unreachable: "unreachable",
    validity: "read, valid until",
    until: "until",
    last_fetch: "last request",
    unchanged_share: "unchanged",
    bytes_saved: "saved",
    defects: "defects",
    ninety_days: "90 days",
    stopped: "stopped",
    no_answer: "no answer",
    listed: "read",
    unchanged: "unchanged",
    failed: "failed",
    exclusion: "How to be left out",
    exclusion_text: |agent| {
        let agent = agent.map(|agent| format!(" (it calls itself “{agent}”)")).unwrap_or_default();
        format!(
            "Disallow our robot in robots.txt{agent}, or reserve text and data mining by a \
             machine-readable signal. A verdict holds for 24 hours at most, then it is read again; \
             from then on the source is not asked any more, and this page says so."
        )
    },
    country_and_language: "country and language",
    address: "address",
    kind_feed: "feed",
    kind_video: "video feed",
    kind_channel: "page of posts",
    items_recorded: "items recorded",
    next_check: "next request",
    moved_to: "permanently moved to",
    stopped_text: "The source is not asked until a person decides:",
    gate_heading: "What the gate says",
    no_check: "The gate has not asked about this source yet.",
    rule: "deciding rule",
    tdm_signal: "text-mining reservation",
    read_at: "read at",
    valid_until: "valid until",
    user_agent: "our robot",
    verdict_log: "Changes of the verdict",
    verdict_changes: "Changes of verdicts",
    no_verdict_changes: "No verdict has changed within the last 90 days.",
    fetch_log: "Requests to the source",
    no_fetches: "The source has not been asked yet.",
    no_fetches_refused: "The source is not asked: the gate does not permit it.",
    answer: "answer",
    transferred: "transferred",
    took: "took",
    strip_legend: "Tall bar: a day with answers; lower: trouble with more than a tenth of the requests; low: failures only, or refused by the gate only; gap: no request.",
    strip_label: |days, answered, mixed, failed, refused| {
        format!(
            "Days on record: {days}; answered {answered}, mixed {mixed}, only failures {failed}, only \
             refusals {refused}."
        )
    },

    status: "State of collecting",
    status_lede: "How many items and observations there are, and when collecting last ran.",
    state_no_data: "No source has answered yet: there is no data.",
    state_still: |ago| format!("Collecting stands still: the last answer came {ago}."),
    state_running: |ago| format!("Collecting runs: the last answer came {ago}."),
    sources_label: "sources",
    newsrooms_label: "newsrooms",
    items: "items",
    observations: "observations",
    fetches: "requests",
    gate_checks: "gate verdicts",
    events_in_window: "events in the window",
    shared_events: "of two newsrooms or more",
    last_answer: "last answer",
    lag: "lag",
    lag_text: |overdue, lag| {
        if overdue == 0 {
            "no request is overdue".to_owned()
        } else {
            format!("{} overdue, at most by {lag}", plural_en(overdue.into(), "source", "sources"))
        }
    },
    snapshot: "snapshot",
    chain_length: "chain length",
    chain_text: "Every batch of records carries the hash of the batch before it and of its own rows. Whoever notes the chain’s head can tell if history was rewritten.",
    history: "History",
    no_history: "There is no day to speak of yet.",
    days_chart: "Requests by day",
    days_legend: "From the bottom: unchanged, with new content, failures, refused by the gate. Days are UTC.",
    days_chart_text: |days, answered, failed, refused| {
        format!(
            "In {}: {answered} answers, {failed} failures, {refused} refusals.",
            Locale::En.days(days.into())
        )
    },
    days_table: "The days in numbers",
    day_utc: "day (UTC)",
    answered: "answers",
    of_which_unchanged: "of which unchanged",
    refused: "refused by the gate",
    new_items: "new items",

    not_found: "Nothing is here",
    not_found_text: "There is no page at this address. An event may have left the window; its permalink still shows it.",
    bad_request: "We do not understand",
    bad_moment: "The parameter “at” is no moment that can be shown. It is written as 2026-08-14T14:00:00Z and must not lie in the future.",
    bad_model: "The parameter “model” names no known model.",
    to_board: "To the board",

    newsrooms_page: pages::en::NEWSROOMS,
    desk: pages::en::DESK,
    videos_page: pages::en::VIDEOS,
    search_page: pages::en::SEARCH,
    feed_page: pages::en::FEED,
    methodology: Methodology {
        title: "How it is measured",
        lede: "The headline figure is the number of newsrooms. Everything else only decides the order and can be recomputed by hand. The program reads the numbers on this page from its own settings.",
        counting: "What is counted",
        counting_text: &[
            "A newsroom is one editorial unit and counts once, however many feeds it has. Beside the number of newsrooms stand the number of owners and the number of distinct texts: ten reprints of one agency report are ten newsrooms but one text.",
            "An unknown owner is never guessed: such a newsroom is its own owner. A newsroom’s weight is one; any other weight has a public reason.",
            "A mention is the moment at which we first know of a newsroom’s item. The claimed time is held within what was seen: never before the last request at which the item was absent, never after the request that showed it.",
        ],
        words: "A word weighs what it is rare",
        words_text: |g| {
            let (number, capital) =
                (Locale::En.exact(g.number_factor), Locale::En.exact(g.capital_factor));
            vec![
                "Sharing a word that hardly ever occurs in the news is stronger evidence than sharing one \
                 that is everywhere. A word’s weight is therefore computed from its rarity among all other \
                 items in the window."
                    .to_owned(),
                format!(
                    "Compared are the title and the first {} characters of the description. What a site \
                     repeats at the end of its descriptions is left out. A number weighs {number} times \
                     as much, one of one or two digits {small} times, a word capitalised in mid-sentence \
                     {capital} times.",
                    g.lede_chars,
                    small = Locale::En.exact(g.small_number_factor),
                ),
                format!(
                    "Beside a word stands its beginning, at {} of the weight, so that inflected and kindred \
                     words meet. A word that n of N other items have weighs ln((N + {s}) / (n + {s})).",
                    Locale::En.exact(g.kin_factor),
                    s = Locale::En.exact(g.smoothing),
                ),
            ]
        },
        groups: "How an event comes about",
        groups_text: |g, window| {
            let (threshold, decay, window) = (
                Locale::En.exact(g.threshold),
                Locale::En.hours(g.decay_hours),
                Locale::En.hours(window),
            );
            vec![
                format!(
                    "The similarity of two items is the weighted overlap of their words, damped by the \
                     time between them: exp(−Δt / {decay}). Items more than {} apart and pairs below {} \
                     count as not similar at all. The window is the last {window}.",
                    Locale::En.hours(g.reach_hours),
                    Locale::En.exact(g.floor),
                ),
                format!(
                    "Groups merge in both directions when their average similarity reaches {threshold}. \
                     The average keeps a chain of chance matches from joining unrelated reports. There is \
                     one threshold for all languages."
                ),
                format!(
                    "Larger groups may be a little less alike: the average is multiplied by the groups’ mean \
                     size, up to {}, to the power of {}. And so that a shared name or place is not enough, \
                     one item at least must be as similar to the other group as {} of the average within the \
                     looser of the two, which counts up to {}.",
                    Locale::En.exact(g.size_limit),
                    Locale::En.exact(g.size_exponent),
                    Locale::En.percent(g.cohesion_share),
                    Locale::En.exact(g.cohesion_limit),
                ),
                "An event bears the number of its earliest item. When two events merge, the younger number \
                 leads to the older one for ever, and the change log says which pair decided and why."
                    .to_owned(),
            ]
        },
        copies: "Copies and agency texts",
        copies_text: |g| {
            vec![format!(
                "Two items are copies of one text when the shorter shares at least {} of its three-word \
                 sequences with the longer. Copies count as newsrooms but not as distinct texts.",
                Locale::En.percent(g.copy_containment)
            )]
        },
        topics: "Topics",
        topics_text: |words, events, share| {
            vec![
                format!(
                    "Nobody chooses topics or names them. Of each event the {words} words are taken that tie \
                     its items together most, of those that two newsrooms have in their titles: a title says \
                     what a report is about. Words for times, units, numbers and kinds of reports are left out, \
                     since they say when, how much and how, not what; of German only words with a capital \
                     are taken. A word on which at least {events} events of two newsrooms or more turn is a \
                     topic; forms of one word count together."
                ),
                format!(
                    "A word of more than {} of the shared events of its language says nothing and is no topic. \
                     The newsrooms’ own sections are not used: each names them as it likes, and many feeds have \
                     none.",
                    Locale::En.percent(share)
                ),
            ]
        },
        heat: "What heat is",
        heat_text: |_| {
            vec![
                "Heat orders; it is no message of its own. It is the product of five factors, and each is \
                 shown with its numbers on the event’s page. An event of one newsroom has heat zero and \
                 stands below the others, ordered by time."
                    .to_owned(),
            ]
        },
        breadth_formula: "Σ w",
        velocity_formula: |floor| format!("(Σ w − 1) / max(spread in hours, {floor})"),
        velocity_of_copies: |weight| {
            format!("a newsroom that has only a copy of another’s text counts as {weight} w here")
        },
        priority_formula: "weighted mean of 1 − (best place − 1) / feed length",
        persistence_formula: |unit| format!("1 + log₂(1 + mean hours in the feed / {unit})"),
        decay_formula: |half, life| format!("{half}^(hours since the last mention / {life})"),
        spread_text: |heat| {
            let minutes = Locale::En.duration((heat.spread_floor_hours * 3_600.0) as i64);
            vec![format!(
                "The spread has a floor of {minutes}: feeds give no finer time, and a more exact number \
                 would be invented. Hence “within {minutes}”; longer spreads are rounded to half hours, \
                 from six hours to hours, from two days to days."
            )]
        },
        history: "History is not rewritten",
        history_text: &[
            "The table of observations is only added to; the database refuses changes and deletions. Events, heat and the board are derived and can be recomputed at any time, also under another model.",
            "The board of any past moment is computed only from what was known at that moment.",
        ],
        gate: "The gate: we ask before every source",
        gate_text: |lede| {
            vec![
                "The gate is in the code, not in an intention: no request to a source can be sent without \
                 its permit. It reads robots.txt by RFC 9309 and machine-readable reservations of text and \
                 data mining (Directive (EU) 2019/790, art. 4). Where robots.txt does not exist there is no \
                 restriction. Where it cannot be read, we do not ask."
                    .to_owned(),
                format!(
                    "Stored are the link, the title, a description cut to {lede} characters, times, places and \
                     counters. Requests are conditional: a feed that has not changed does not transfer its \
                     content again."
                ),
            ]
        },
        signals: "Reservation signals and what the gate does about them",
        signal: "signal",
        effect: "effect",
        reason: "reason",
        blocks: "blocks",
        only_shown: "only shown",
        models: "Models and their constants",
        models_text: "A model is a named set of constants. The board shows the first; another is asked for by ?model=.",
        models_link: "How the orders of two models differ",
        model_hash: "hash (SHA-256 of its JSON)",
        parameter: "constant",
        window_hours: "window (h)",
        threshold: "threshold of average similarity",
        decay_hours: "decay of similarity with time (h)",
        lede_chars: "characters of the description compared",
        number_factor: "factor of numbers",
        small_number_factor: "factor of numbers of one or two digits",
        capital_factor: "factor of capitals",
        reach_hours: "longest time between similar items (h)",
        floor: "least similarity that counts",
        size_exponent: "exponent of group size",
        size_limit: "group size up to which it counts",
        cohesion_share: "share of inner similarity that a link needs",
        cohesion_limit: "inner similarity up to which it counts",
        smoothing: "smoothing of rarity",
        kin_factor: "factor of a word’s beginning",
        copy_containment: "share of equal word triples in a copy",
        spread_floor: "floor of the spread (h)",
        persistence_unit: "unit of persistence (h)",
        half_life: "half-life of decay (h)",
        copy_weight: "weight of a copy in velocity",
        accuracy: "Measured accuracy",
        accuracy_text: |accuracy| {
            let n = |value| Locale::En.decimal(value, 3);
            let Interval { low, high } = accuracy.mean_interval;
            vec![
                format!(
                    "Agreement of computed events with events labelled by people. Measured on version {}, \
                     with one threshold of {} for all sets; 1 is full agreement. The mean of the main sets \
                     is {} (95% interval {} to {}).",
                    accuracy.engine,
                    Locale::En.exact(accuracy.threshold),
                    n(accuracy.mean),
                    n(low),
                    n(high),
                ),
                "BCubed F1 asks of every item how pure and how complete the event is in which it stands. \
                 Pair F1 asks of every pair of items whether they belong together. A set’s figure is the \
                 mean of the two."
                    .to_owned(),
                "The interval says how the figure might change on other news of the same kind: labelled \
                 events are drawn a thousand times with replacement (bootstrap). It is therefore wide for \
                 small sets."
                    .to_owned(),
            ]
        },
        accuracy_sets: &[
            "OG2021: headlines of 2021 in nine languages; people reviewed the events.",
            "UCI: English headlines of March 2014, grouped as Google News had them.",
            "RSS 2026 and one Czech day: headlines with descriptions; one person labelled the events before anything was measured.",
            "Our own set: invented headlines with hard neighbours (same place or person, another event). It is not in the mean.",
        ],
        set_name: |set| {
            match set {
                "og2021" => "OG2021",
                "uci" => "UCI",
                "rss_csen" => "RSS 2026",
                "csday" => "one Czech day",
                "own" => "our own set",
                other => other,
            }
            .to_owned()
        },
        labelled_set: "labelled set",
        labelled_events: "events",
        set_figure: "figure",
        in_mean: "in the mean",
        pair_f1: "pair F1",
        limits: "Limits",
        limits_list: &[
            "Only the title and a short description are seen. Rewritten agency copy looks like a text of its own, so the number of distinct texts is an upper bound.",
            "The place in a feed is an editorial decision only where the feed is not ordered by time.",
            "What a newsroom does not put in its feed does not exist here. What the gate refuses is not known.",
            "The same event in different languages is joined only by names and numbers that are written alike.",
            "The number of newsrooms measures neither importance nor truth.",
        ],
        not: "What we do not do",
        not_list: &[
            "We do not download web pages and do not go around robots.txt.",
            "We do not store full texts, pictures or authors’ names.",
            "We do not build profiles of people, readers or journalists.",
            "We do not use others’ statistics or anything that is not open to us.",
            "We do not write summaries: the headlines are the newsrooms’ own.",
        ],
    },

    models: Models {
        title: "Two models side by side",
        lede: "A model is a named set of constants. This is what choosing another does to the order of the same board.",
        first: "first model",
        second: "second model",
        compare: "Compare",
        tau: "agreement of orders (Kendall’s τ)",
        tau_text: &[
            "Kendall’s τ is the share of pairs of events that both models put in the same order, less the share of those they put in opposite order: 1 is the same order, −1 the reverse, 0 no relation.",
            "Compared are the events that stand on both boards and have heat on at least one.",
        ],
        events: "events compared",
        movers: "Largest moves",
        movers_text: "The events whose places differ most between the models, and the factor that differs by the largest ratio.",
        same_order: "Both models put all compared events in the same order.",
        event: "event",
        rank_in: |model| format!("place under {model}"),
        heat_in: |model| format!("heat under {model}"),
        why: "why",
        differs: |factor, a, b| format!("{factor} {a} → {b}"),
        others_moved: "the factors are equal, other events moved",
        formula_of: |model| format!("Heat under {model}"),
        hash_text: "The hash is the SHA-256 of the model written as JSON: equal hashes mean equal constants.",
    },
};
