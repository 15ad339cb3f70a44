//! Pages rendered from the fixture, as the server renders them.

use std::sync::Arc;

use leptos::config::LeptosOptions;
use leptos::prelude::*;
use leptos_router::location::RequestUrl;
use model::{
    Change, ChangeKind, EventId, Factor, Found, FoundEvent, FoundItem, ItemId, Model, NewsroomId,
    Snapshot, hours_between,
};

use crate::feeds::{Asked, OpmlError, feed_atom, feed_json};
use crate::parts::Explained;
use crate::{FeedQuery, Locale, Lookup, PageContext, Refusal, fixture, shell};

fn render(path: &str, snapshot: Snapshot, page: PageContext) -> String {
    look_up(path, snapshot, page, Lookup::Nothing)
}

fn look_up(path: &str, snapshot: Snapshot, page: PageContext, lookup: Lookup) -> String {
    let owner = Owner::new();
    owner.set();
    provide_context(lookup);
    provide_context(RequestUrl::new(path));
    provide_context(Arc::new(snapshot));
    provide_context(page);
    let options = LeptosOptions::builder().output_name("ohlas").build();
    shell(options).to_html()
}

fn visit(path: &str) -> String {
    render(path, fixture::snapshot(), fixture::page())
}

/// The text that a reader sees, white space folded.
fn text(html: &str) -> String {
    let body = html.split_once("<body>").map_or(html, |(_, body)| body);
    let mut out = String::new();
    let mut inside = false;
    for c in body.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                out.push(' ');
            }
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn assert_says(html: &str, expected: &[&str]) {
    let text = text(html);
    for phrase in expected {
        assert!(text.contains(phrase), "{phrase:?} is missing in: {text}");
    }
}

const PAGES: [&str; 13] = [
    "/",
    "/event/1",
    "/search",
    "/newsrooms",
    "/desk",
    "/desk?newsroom=denik-b",
    "/videos",
    "/feed",
    "/sources",
    "/source/zdroj-1",
    "/status",
    "/methodology",
    "/methodology/models",
];

#[test]
fn every_page_stands_in_both_languages() {
    for path in PAGES {
        let czech = visit(path);
        assert!(czech.contains(r#"<html lang="cs">"#), "{path}");
        assert_says(
            &czech,
            &["Žebříček", "tyto redakce i jejich titulky jsou smyšlené", "English"],
        );
        let english = visit(&Locale::En.path(path));
        assert!(english.contains(r#"<html lang="en">"#), "{path}");
        assert_says(
            &english,
            &["Board", "these newsrooms and their headlines are invented", "Česky"],
        );
        assert!(czech.contains(&format!(r#"href="{}""#, Locale::En.path(path))), "{path}");
        for html in [czech, english] {
            assert!(!html.contains("style="), "{path}");
            assert_eq!(html.matches("<h1").count(), 1, "{path}");
        }
    }
}

#[test]
fn pages_without_demo_do_not_claim_to_be_one() {
    let html = render("/", Snapshot { demo: false, ..fixture::snapshot() }, fixture::page());
    assert!(!text(&html).contains("smyšlené"));
}

#[test]
fn the_board_says_counts_spread_and_factors() {
    let html = visit("/");
    assert_says(
        &html,
        &[
            "2 události",
            "4 redakce Povodeň strhla most u Lhoty rozpětí 2 h · 3 vlastníci · 3 různé texty",
            "2 redakce Drivers",
            "rozpětí do 30 min",
            "dnes 13:05 – 13:20",
            "Agentura A, Deník B, Deník C, Noviny D",
            "heat 5,40 šíře 4 rychlost 1,50 priorita 0,90 vytrvalost 2 útlum 0,50",
        ],
    );
    assert!(!text(&html).contains("Lone report"));
    assert_says(&visit("/?single=1"), &["1 redakce Lone report"]);
}

#[test]
fn links_keep_the_moment_and_the_filters() {
    let mut page = fixture::page();
    page.at = Some(fixture::AT);
    let html = render("/?at=2026-08-14T14:05:00Z&sort=newest&lang=en", fixture::snapshot(), page);
    assert!(html.contains("/event/5?at=2026-08-14T14:05:00Z"), "{html}");
    assert!(html.contains(r#"<input type="hidden" name="at" value="2026-08-14T14:05:00Z""#));
    assert!(html.contains(r#"<input type="hidden" name="sort" value="newest""#));
    assert_says(&html, &["Stav k okamžiku 14. 8. 2026 16:05 SELČ", "Zpět na současný stav"]);
    assert!(!html.contains("data-component=\"Live"), "a past board does not change");
}

#[test]
fn empty_boards_say_why() {
    let empty = Snapshot::empty(Model::v1());
    assert_says(&render("/", empty, fixture::page()), &["Zatím tu nejsou data"]);
    let mut calm = fixture::snapshot();
    calm.board.events.clear();
    assert_says(&render("/", calm, fixture::page()), &["V okně není žádná událost", "72 h"]);
    assert_says(&visit("/?q=nikde"), &["Filtrům neodpovídá žádná událost", "Zobrazit bez filtrů"]);
    assert_says(&visit("/?q=lone"), &["Zobrazit i 1 událost jediné redakce"]);
    let mut late = fixture::page();
    late.now += 3 * 3_600;
    assert_says(&render("/", fixture::snapshot(), late), &["před 3 h: žebříček stárne"]);
}

#[test]
fn long_boards_are_paged_and_say_so() {
    let mut snapshot = fixture::snapshot();
    let event = snapshot.board.events[0].clone();
    snapshot.board.events = vec![event; 120];
    let page = |path: &str| render(path, snapshot.clone(), fixture::page());
    let first = page("/");
    assert_says(&first, &["zobrazeno 50 z 120 událostí"]);
    assert!(first.contains(r#"<a rel="next" href="/?page=2">"#), "{first}");
    let last = page("/?page=99");
    assert_says(&last, &["zobrazeno 20 z 120 událostí"]);
    let current = |link: &str| link.contains("aria-current=\"page\"") && link.contains(">3<");
    assert!(last.split("<a ").any(current), "{last}");
}

#[test]
fn hostile_titles_stay_text() {
    let hostile = "<script>alert(1)</script> \u{202e}gnp.exe\" onload=\"x";
    let mut snapshot = fixture::snapshot();
    let event = &mut snapshot.board.events[0];
    event.title = hostile.into();
    event.items[0].title = hostile.into();
    event.items[0].link = "javascript:alert(1)".into();
    event.items[1].title = "x".repeat(10_000);
    for path in ["/", "/event/1"] {
        let html = render(path, snapshot.clone(), fixture::page());
        assert!(!html.contains("<script>alert"), "{path}");
        assert!(!html.contains("javascript:"), "{path}");
        assert!(html.contains("<bdi>&lt;script&gt;"), "{path}");
        for head in html.split("<title>").skip(1).filter_map(|rest| rest.split_once("</title>")) {
            assert!(!head.0.contains('\u{202e}'), "{path}");
        }
    }
}

#[test]
fn an_event_puts_its_numbers_into_the_formula() {
    let html = visit("/event/1");
    assert_says(
        &html,
        &[
            "heat = 4 × 1,50 × 0,90 × 2 × 0,50 ≐ 5,40",
            "4 × 1",
            "(4 − 1) / max(2; 0,5)",
            "1 + log₂(1 + 2 / 2)",
            "0,5^(8 / 8)",
            "kopie textu č. 1",
            "1. ze 30",
            "podobnost 0,41",
            "Lhoty 6,40",
            "sloučena s událostí 3, která sem odkazuje.",
            "https://ohlas.example/event/1?at=2026",
        ],
    );
    assert_eq!(html.matches(r#"role="img""#).count(), 3);
    for name in ["heat", "mentions", "positions"] {
        assert!(html.contains(&format!(r#"href="/event/1/{name}.csv""#)), "{name}");
    }
    assert!(html.contains(r#"href="https://n2.example/2" rel="noopener nofollow""#));
}

#[test]
fn both_halves_of_a_split_say_so() {
    let mut snapshot = fixture::snapshot();
    let (event, to, items) = (EventId(1), EventId(5), vec![ItemId(5), ItemId(6)]);
    snapshot.changes =
        vec![Change { at: fixture::AT, event, kind: ChangeKind::Split { to, items } }];
    let render = |path| render(path, snapshot.clone(), fixture::page());
    assert_says(&render("/event/1"), &["oddělily se 2 položky: událost 5"]);
    assert_says(&render("/event/5"), &["oddělena z události 1."]);
    assert_says(&render("/event/9"), &["Událost se dosud neslučovala ani nedělila."]);
}

#[test]
fn formulas_give_the_factors_again() {
    let snapshot = fixture::snapshot();
    let event = &snapshot.board.events[0];
    assert_eq!(
        Factor::ALL.map(|factor| factor.of(&event.factors)).iter().product::<f64>(),
        event.heat
    );
    let age = hours_between(event.last_mention(), snapshot.board.at);
    assert_eq!(0.5_f64.powf(age / snapshot.model.heat.half_life_hours), event.factors.decay);
    let mut copies = snapshot.model.clone();
    copies.heat.copy_weight = 0.25;
    let formula = Factor::ALL[1].formula(event, snapshot.board.at, &copies, Locale::En);
    assert_eq!(formula, "(3.25 − 1) / max(2, 0.5)");
}

#[test]
fn charts_are_named_coloured_by_the_stylesheet_and_closed() {
    let snapshot = fixture::snapshot();
    let event = &snapshot.board.events[0];
    for svg in [
        crate::charts::heat_factors(event, Locale::Cs),
        crate::charts::breadth_over_time(event, Locale::Cs),
        crate::charts::positions(event, &snapshot.newsrooms, Locale::En),
        crate::charts::days(&snapshot.stats.days, Locale::En),
        crate::charts::tempos(&snapshot.videos, Locale::Cs),
        crate::charts::scores(&[(1, event.factors, 2), (9_999, event.factors, 3)], Locale::Cs),
    ] {
        assert!(svg.contains("<title id="), "{svg}");
        assert!(svg.contains("<desc id="), "{svg}");
        assert!(svg.contains("var(--"), "{svg}");
        assert!(!svg.contains("01FE"), "a sentinel is left: {svg}");
        assert!(svg.trim_end().ends_with("</svg>"), "{svg}");
    }
    assert_eq!(crate::charts::heat_factors(&snapshot.board.events[2], Locale::Cs), "");
    let minutes: Vec<_> = (0..5_000).map(|minute| (minute * 60, event.factors, 2)).collect();
    let long = crate::charts::scores(&minutes, Locale::Cs);
    assert!(long.len() < 20_000, "a long course is drawn in {} bytes", long.len());
    assert_eq!(
        crate::charts::sparkline(event, snapshot.board.at),
        "M0 24H56V19H58V13H60V7H64V1H96V24z"
    );
}

#[test]
fn sources_show_the_verdict_its_rule_and_its_time() {
    assert_says(
        &visit("/sources"),
        &[
            "zakázáno Disallow: /feeds/",
            "vyhrazeno tdmrep.json: tdm-reservation 1",
            "304, beze změny",
            "4,6 MB",
        ],
    );
    assert_says(
        &visit("/source/zdroj-2"),
        &["Deník B – Sport", "Zdroje se neptáme: brána to nedovoluje."],
    );
    assert_says(&visit("/en/source/zdroj-1"), &["Item 3 has no link.", "owner Agentura"]);
}

#[test]
fn newsrooms_and_owners_are_counted_and_sorted() {
    let html = visit("/newsrooms");
    assert_says(
        &html,
        &[
            "Agentura A Agentura · desk 1 100 % málo 1 z 1",
            "Deník B Vydavatel X · desk 2 100 % málo 2 z 2 0 málo 0 z 2 , 0 % 15 min málo",
            "kopie",
            "Méně než 10 událostí",
        ],
    );
    assert!(html.contains(r#"href="/desk?newsroom=denik-b""#), "{html}");
    assert!(html.contains(r#"href="/newsrooms.csv""#));
    let order = |path: &str, first: &str, second: &str| {
        let text = text(&visit(path));
        let table = text.split_once("jen kopie").map(|(_, table)| table.to_owned()).unwrap();
        table.find(first).unwrap() < table.find(second).unwrap()
    };
    assert!(order("/newsrooms?sort=events", "Deník B", "Agentura A"));
    assert!(order("/newsrooms?sort=name", "Agentura A", "Deník B"));
    let owners = visit("/newsrooms?by=owner&sort=events");
    assert_says(&owners, &["Vydavatel X 2 redakce", "Noviny D vlastník neznámý"]);
    assert!(owners.contains(r#"aria-sort="descending""#));
    let csv = crate::csv::newsrooms(&fixture::snapshot(), "by=owner&sort=events");
    assert!(csv.lines().nth(1).unwrap().contains(",Vydavatel X,,2,2,2,1,2,"), "{csv}");
}

#[test]
fn a_desk_lists_what_others_have_and_who_was_first() {
    let html = visit("/desk?newsroom=denik-b&n=2");
    assert_says(
        &html,
        &[
            "Desk: Deník B",
            "Nic takového: co zvedly jiné redakce, má i tato.",
            "Kde jsme byli později O kolik po první redakci; od největšího zpoždění. zpoždění redakcí událost 30 min 4 Povodeň",
            "15 min 2 Drivers",
        ],
    );
    let lacking = visit("/desk?newsroom=evening-e&n=2&lang=");
    assert_says(&lacking, &["1. 4 Povodeň strhla most u Lhoty Agentura A, Deník B"]);
    assert_says(&visit("/desk?newsroom=evening-e&n=2&lang=en"), &["Nic takového"]);
    assert_says(&visit("/desk?newsroom=nikdo"), &["Redakci „nikdo“ neznáme."]);
    // Without a script there are no keys to be told of.
    assert!(html.contains(r#"<details data-keys hidden class="keys">"#), "{html}");
    let csv = crate::csv::desk(&fixture::snapshot(), "newsroom=evening-e&n=2&lang=").unwrap();
    assert!(csv.contains("missing,1,Povodeň strhla most u Lhoty,4,"), "{csv}");
    assert!(csv.contains(",900\r\n"), "{csv}");
    assert_eq!(crate::csv::desk(&fixture::snapshot(), "newsroom=nikdo"), None);
}

#[test]
fn videos_say_over_what_they_were_measured_and_what_is_not_known() {
    let html = visit("/videos");
    assert_says(
        &html,
        &[
            "Voda pod mostem Agentura A 1 234 za h 75 min 9 měření 15 400",
            "Krátké měření Agentura A 80 za h nespolehlivé 30 min",
            "0 za h stojí",
            "Jediné měření Agentura A bez tempa –",
        ],
    );
    let mut none = fixture::snapshot();
    none.videos.clear();
    assert_says(
        &render("/videos", none, fixture::page()),
        &["Žádná videa k měření", "Mezi zdroji není žádný videokanál."],
    );
    let csv = crate::csv::videos(&fixture::snapshot());
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn what_was_found_is_marked_and_stays_text() {
    let item = FoundItem {
        item: ItemId(1),
        newsroom: NewsroomId(2),
        title: "Povodeň <script>alert(1)</script>".into(),
        lede: "Po povodni.".into(),
        link: "https://n2.example/1".into(),
        language: "cs".into(),
        mention_at: fixture::AT,
    };
    let event = FoundEvent {
        event: EventId(1),
        title: "Povodeň strhla most u Lhoty".into(),
        newsrooms: 4,
        first_at: fixture::AT - 3_600,
        last_at: fixture::AT,
        matches: 3,
        items: vec![item],
    };
    let found =
        Found { total: 41, capped: Some(2_000), stems: vec!["povod".into()], events: vec![event] };
    let visit = |path: &str, found: Found| {
        look_up(path, fixture::snapshot(), fixture::page(), Lookup::Search(Arc::new(found)))
    };
    let html = visit("/search?q=povode%C5%88&page=2", found);
    assert!(html.contains("<mark>Povodeň"), "{html}");
    assert!(!html.contains("<script>alert"));
    assert_says(
        &html,
        &[
            "41 událostí , strana 2 ze 3",
            "do posledního přepočtu: 14. 8. 2026",
            "nejnovějších 2 000 položek",
            "4 redakce",
            "a 2 další",
        ],
    );
    assert!(html.contains(r#"href="/search?q=povode%C5%88""#), "{html}");
    assert_says(&visit("/search?q=nikde", Found::default()), &["Nic jsme nenašli pro „nikde“."]);
}

#[test]
fn an_event_shows_its_course_and_its_agencies() {
    let mut snapshot = fixture::snapshot();
    snapshot.board.events[0].items[1].lede = "Praha (ČTK) – Voda stoupá.".into();
    let factors = snapshot.board.events[0].factors;
    let scores: Vec<_> =
        (0..5).map(|hour| (fixture::AT - (5 - hour) * 3_600, factors, hour as u32)).collect();
    let lookup = Lookup::Scores(scores.into());
    let html = look_up("/event/1", snapshot, fixture::page(), lookup);
    assert_says(&html, &["Heat a šíře v čase", "Nejvyšší heat 5,40", "uvádí ČTK"]);
    assert!(html.contains(r#"href="/event/1/scores.csv""#));
}

#[test]
fn a_topic_narrows_the_board_and_leads_back() {
    let html = visit("/?topic=voda-cs");
    assert_says(&html, &["1 událost", "Témata : voda 1"]);
    assert!(!text(&html).contains("Drivers"));
    assert!(html.contains(r#"<a href="/" aria-current="true" title="1 událost">"#), "{html}");
    assert!(visit("/").contains(r#"href="/?topic=voda-cs""#));
}

#[test]
fn a_verdict_that_changed_is_listed_with_the_one_before() {
    let mut snapshot = fixture::snapshot();
    snapshot.sources[1].verdict_changes[0].before = Some(model::Verdict::Allowed);
    let html = render("/sources", snapshot.clone(), fixture::page());
    assert_says(&html, &["Deník B – Sport : povoleno → zakázáno Disallow: /feeds/"]);
    let html = render("/source/zdroj-2", snapshot, fixture::page());
    assert_says(&html, &["povoleno → zakázáno Disallow: /feeds/ The reason"]);
    assert_says(&visit("/sources"), &["žádný verdikt nezměnil"]);
}

#[test]
fn the_methodology_prints_the_models_own_constants() {
    let mut snapshot = fixture::snapshot();
    snapshot.model.grouping.threshold = 0.17;
    snapshot.model.heat.half_life_hours = 9.5;
    let html = render("/methodology", snapshot, fixture::page());
    assert_says(
        &html,
        &[
            "dosáhne prahu 0,17",
            "0,5^(hodiny od poslední zmínky / 9,5)",
            "tdmrep.json blokuje",
            "noai jen se ukazuje",
        ],
    );
}

#[test]
fn measured_accuracy_stands_with_its_intervals() {
    assert_says(
        &visit("/methodology"),
        &[
            "Měřeno na verzi 0.1.0, s jedním prahem 0,155",
            "Průměr hlavních sad je 0,847 (95% interval 0,801 až 0,893)",
            "OG2021 angličtina 1 931 318 0,956 0,93–0,98 0,739 0,51–0,91 0,847 0,80–0,89 ✓",
        ],
    );
    let without = PageContext { accuracy: None, ..fixture::page() };
    let html = render("/methodology", fixture::snapshot(), without);
    assert!(!text(&html).contains("Naměřená přesnost"));
}

#[test]
fn two_models_stand_side_by_side() {
    let html = visit("/methodology/models");
    assert_says(
        &html,
        &[
            "shoda pořadí (Kendallovo τ) −1,000",
            "Povodeň strhla most u Lhoty 1 2 5,40 0,90 rychlost 1,50 → 0,25",
            "Drivers' strike halts night trains 2 1 1,92 1,92 činitelé jsou stejní",
            "Heat podle v2",
            "počítá jako 0,25 w",
            &Model::v1().hash(),
            &Model::v2().hash(),
        ],
    );
    assert!(html.contains(r#"<option value="v2" selected"#), "{html}");
    assert_eq!(html.matches("počítá jako").count(), 1, "under v1 a copy counts in full");
    let mut page = fixture::page();
    let mut comparison = (*page.comparison.unwrap()).clone();
    comparison.movers.clear();
    page.comparison = Some(Arc::new(comparison));
    let html = render("/methodology/models", fixture::snapshot(), page);
    assert_says(&html, &["Oba modely řadí všechny porovnané události stejně."]);
}

#[test]
fn unknown_addresses_and_refusals_are_pages() {
    for path in ["/event/77", "/event/x", "/source/none", "/nowhere", "/en/nowhere/at/all"] {
        let html = visit(path);
        let expected = if path.starts_with("/en") { "Nothing is here" } else { "Tady nic není" };
        assert_says(&html, &[expected]);
    }
    let refused = Some(Refusal::Opml(OpmlError::Unreadable));
    let page = PageContext { refusal: refused, ..fixture::page() };
    let html = render("/en/feed/opml", fixture::snapshot(), page);
    assert_says(&html, &["The file holds no list of feeds", "Back to the choice of channels"]);
    let page = PageContext { refusal: Some(Refusal::Moment), ..fixture::page() };
    assert_says(
        &render("/?at=x", fixture::snapshot(), page),
        &["Tomu nerozumíme", "2026-08-14T14:00:00Z"],
    );
}

fn fed(path: &str, feed: model::RankedFeed) -> String {
    look_up(path, fixture::snapshot(), fixture::page(), Lookup::Feed(Arc::new(feed)))
}

const CHOSEN: &str = "/feed?channel=zdroj-1&channel=zdroj-3&channel=zdroj-2&channel=nikdo";

#[test]
fn a_feed_is_offered_before_it_is_chosen() {
    let html = visit("/feed");
    assert_says(
        &html,
        &[
            "Čím začít",
            "čeština 1 kanál",
            "Přidat kanály",
            "3 kanály",
            "Deník B – Sport zakázáno Vydavatel X",
            "Poločas čerstvosti : 24 h",
            "Pestrost : 0,5",
            "Skóre = 10 · kvalita · (0,1 + 0,9 · čerstvost)",
        ],
    );
    assert!(html.contains(r#"<a href="/feed?channel=zdroj-1">"#), "{html}");
    assert!(html.contains(r#"<details open class="picker">"#), "{html}");
    assert!(!html.contains("/feed.atom"), "{html}");
    let offered = |path: &str| visit(path).matches(r#"name="channel""#).count();
    for (filter, count) in [
        ("q=SPORT", 1),
        ("q=vydavatel+denik", 1),
        ("q=nikde", 0),
        ("country=SK", 1),
        ("owner=Agentura", 1),
        ("in=cs", 3),
        ("in=en", 0),
        ("country=CZ&owner=Vydavatel+X", 1),
    ] {
        assert_eq!(offered(&format!("/feed?{filter}")), count, "{filter}");
    }
    assert_says(
        &visit("/feed?unknown=2&above=5"),
        &["2 kanály ze souboru tu nesbíráme. 5 kanálů se nevešlo: výběr má nejvýš 100."],
    );
    assert_says(&visit("/en/feed?unknown=1"), &["1 feed of the file is not collected here."]);
    let many: String = (0..102).map(|n| format!("channel=c{n}&")).collect();
    assert_says(
        &visit(&format!("/en/feed?{many}above=5")),
        &["7 channels did not fit: a selection has at most 100."],
    );
}

#[test]
fn a_chosen_feed_shows_posts_with_the_reasons_for_their_places() {
    let html = fed(&format!("{CHOSEN}&half_life=24&diversity=0.35&collapse=0"), fixture::feed());
    assert_says(
        &html,
        &[
            "3 příspěvky z 2 kanálů , 14. 8. 2026 16:05 SELČ",
            "Povodeň strhla most u Lhoty Voda stoupá. Agentura A · dnes 04:05",
            "skóre 3,68 dosah 0,35 × 0,50",
            "kvalita ≐ 0,500 čerstvost 0,5^(12,00 / 24) ≐ 0,707",
            "skóre 10 × 0,500 × (0,1 + 0,9 × 0,707) ≐ 3,68",
            "také v kanálu Noviny D",
            "0,00 (čas neznáme)",
            "Deník B – Sport : brána dotaz nedovoluje. robots.txt has a rule against it.",
            "Témata : voda 2",
            "Vybrané kanály: 4",
            "nikdo neznámý",
            "Pestrost : 0,35",
        ],
    );
    assert_eq!(html.matches(r#"name="channel""#).count(), 4, "none of the chosen is offered again");
    assert!(html.contains(r#"name="collapse" value="0" checked"#), "{html}");
    let selection = CHOSEN.split_once('?').unwrap().1.replace('&', "&amp;");
    for format in ["atom", "json", "opml"] {
        let href =
            format!(r#"href="/feed.{format}?{selection}&amp;diversity=0.35&amp;collapse=0""#);
        assert!(html.contains(&href), "{format}: {html}");
    }
    assert!(html.contains(r#"<a href="https://n1.example/post/1" rel="noopener nofollow">"#));
    let english = fed(&Locale::En.path(CHOSEN), fixture::feed());
    assert_says(&english, &["3 posts from 2 channels", "also in Noviny D", "0.5^(12.00 / 24)"]);
}

#[test]
fn a_topic_narrows_the_feed_and_leads_back() {
    let html = fed("/feed?channel=zdroj-1&channel=zdroj-3&topic=voda", fixture::feed());
    assert_says(&html, &["2 příspěvky", "Povodeň strhla most u Lhoty"]);
    assert!(!text(&html).contains("Bez adresy"));
    assert!(
        html.contains(r#"<a href="/feed?channel=zdroj-1&amp;channel=zdroj-3" aria-current="true""#),
        "{html}"
    );
    let none = fed("/feed?channel=zdroj-1&topic=nic", fixture::feed());
    assert_says(
        &none,
        &["Žádné příspěvky", "ve zvoleném jazyce nebo tématu", "Zobrazit bez filtrů"],
    );
}

#[test]
fn a_feed_without_posts_speaks_of_filters_only_where_there_are_some() {
    let empty = model::RankedFeed { entries: Vec::new(), ..fixture::feed() };
    for (filters, says) in [
        ("", "The chosen channels have no posts now."),
        ("&limit=20", "The chosen channels have no posts now."),
        (
            "&lang=sk",
            "nothing now in the chosen language or of the chosen topic. Show without filters",
        ),
        ("&topic=nic&lang=sk", "nothing now in the chosen language or of the chosen topic."),
    ] {
        let html = fed(&format!("/en/feed?channel=zdroj-1{filters}"), empty.clone());
        assert_says(&html, &[says]);
        let back = html.contains(r#"<a href="/en/feed?channel=zdroj-1">"#);
        assert_eq!(back, filters.contains("lang"), "{filters}: {html}");
    }
}

#[test]
fn a_slider_stands_at_the_value_that_was_asked_for() {
    for (asked, half_life, diversity) in [
        ("", ("1", "24"), ("0.05", "0.5")),
        ("half_life=13&diversity=0.35", ("1", "13"), ("0.05", "0.35")),
        ("half_life=12.5&diversity=0.33", ("0.1", "12.5"), ("0.01", "0.33")),
        ("half_life=1.0625&diversity=0.001", ("0.0001", "1.0625"), ("0.001", "0.001")),
        ("half_life=500.25", ("0.01", "500.25"), ("0.05", "0.5")),
    ] {
        let html = visit(&format!("/feed?{asked}"));
        for (name, (step, value)) in [("half_life", half_life), ("diversity", diversity)] {
            let (_, slider) = html.split_once(&format!("name=\"{name}\"")).unwrap();
            let (slider, _) = slider.split_once('>').unwrap();
            let expected = format!("step=\"{step}\" value=\"{value}\"");
            assert!(slider.contains(&expected), "{asked}: {slider}");
        }
    }
}

#[test]
fn a_title_that_nobody_could_see_is_none() {
    let mut feed = fixture::feed();
    feed.entries[0].post.text = "\u{200b}".into();
    assert_says(&fed(CHOSEN, feed.clone()), &["(bez titulku) Agentura A"]);
    let (atom, json) = written(CHOSEN, &feed);
    let atom: atom_syndication::Feed = atom.parse().unwrap();
    assert_eq!(atom.entries[0].title.value, "(bez titulku)");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["items"][0]["title"], "(bez titulku)");
    let mut snapshot = fixture::snapshot();
    snapshot.board.events[0].title = "\u{2060}".into();
    assert_says(&render("/", snapshot, fixture::page()), &["4 redakce (bez titulku)"]);
}

#[test]
fn hostile_posts_stay_text() {
    let mut feed = fixture::feed();
    feed.entries[0].post.text = "<script>alert(1)</script>\n\u{202e}\"onload=\"x".into();
    feed.entries[0].post.url = Some("javascript:alert(1)".into());
    feed.entries[0].duplicates[0].text = "x".repeat(10_000);
    feed.entries[1].post.channel = 7;
    feed.entries[1].topic = Some(9);
    feed.failures[0].channel = "<script>alert(2)".into();
    feed.topics[0][0] = "<script>alert(3)".into();
    let html = fed(CHOSEN, feed.clone());
    assert!(!html.contains("<script>alert") && !html.contains("javascript:"), "{html}");
    assert!(html.contains("<bdi>&lt;script&gt;alert(1)"), "{html}");
    let (atom, json) = written(CHOSEN, &feed);
    assert!(
        !atom.contains("<script") && !atom.contains("javascript:") && !atom.contains('\u{202e}')
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["items"][0]["title"], "<script>alert(1)</script>");
    assert_eq!(json["items"][0]["url"], serde_json::Value::Null);
}

/// The feed as Atom and as JSON Feed.
fn written(path: &str, feed: &model::RankedFeed) -> (String, String) {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let origin = "https://ohlas.example";
    let asked = Asked { origin, locale: Locale::of_path(path), query };
    let (query, snapshot) = (FeedQuery::of_address(query), fixture::snapshot());
    (feed_atom(&asked, &query, feed, &snapshot), feed_json(&asked, &query, feed, &snapshot))
}

#[test]
fn a_post_stays_one_entry_whatever_is_chosen() {
    let mut other = fixture::feed();
    other.channels.reverse();
    for entry in &mut other.entries {
        entry.post.channel = 1 - entry.post.channel;
        entry.post.score /= 2.0;
    }
    other.entries.reverse();
    let ids = |path: &str, feed: &model::RankedFeed| {
        let (atom, json) = written(path, feed);
        let atom: atom_syndication::Feed = atom.parse().unwrap();
        let ids: Vec<String> = atom.entries.iter().map(|entry| entry.id.clone()).collect();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let items = json["items"].as_array().unwrap();
        assert_eq!(items.iter().map(|it| it["id"].as_str().unwrap()).collect::<Vec<_>>(), ids);
        ids
    };
    let first = ids(CHOSEN, &fixture::feed());
    assert_eq!(
        first,
        [
            "https://n1.example/post/1",
            "https://n1.example/post/3",
            "tag:ohlas.example,2026:feed/zdroj-3/4"
        ]
    );
    let mut again = ids("/en/feed?channel=zdroj-3&channel=zdroj-1&diversity=0", &other);
    again.reverse();
    assert_eq!(again, first);
}

#[test]
fn an_article_of_several_sections_is_one_entry() {
    let mut feed = fixture::feed();
    let mut again = feed.entries[0].clone();
    again.post = model::RankedPost { channel: 1, id: "again".into(), score: 1.0, ..again.post };
    feed.entries.push(again);
    feed.entries.push(feed.entries[2].clone());
    // Posts that have neither a name nor a time are not one post.
    for text in ["Voda", "Oheň"] {
        let mut nameless = feed.entries[2].clone();
        nameless.post = model::RankedPost { id: String::new(), text: text.into(), ..nameless.post };
        feed.entries.push(nameless);
    }
    let (atom, json) = written(CHOSEN, &feed);
    let atom: atom_syndication::Feed = atom.parse().unwrap();
    let ids: Vec<&str> = atom.entries.iter().map(|entry| entry.id.as_str()).collect();
    let expected = [
        "https://n1.example/post/1",
        "https://n1.example/post/3",
        "tag:ohlas.example,2026:feed/zdroj-3/4",
        "tag:ohlas.example,2026:feed/zdroj-3/Voda",
        "tag:ohlas.example,2026:feed/zdroj-3/Ohe%C5%88",
    ];
    assert_eq!(ids, expected);
    assert_eq!(atom.entries[0].authors[0].name, "Agentura A");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let items = json["items"].as_array().unwrap();
    assert_eq!(items.iter().map(|it| it["id"].as_str().unwrap()).collect::<Vec<_>>(), expected);
    assert_eq!(items[0]["_ohlas"]["score"], feed.entries[0].post.score);
}

#[test]
fn addresses_that_are_none_are_written_as_they_should_be() {
    for (address, expected) in [
        ("https://x.example/a bc", Some("https://x.example/a%20bc")),
        ("https://x.example/\"a'<b>", Some("https://x.example/%22a'%3Cb%3E")),
        (
            "https://x.example/?q=\"a|b\"{c}#d`e^",
            Some("https://x.example/?q=%22a%7Cb%22%7Bc%7D#d%60e%5E"),
        ),
        (" https://x.example/a%20b?c=d&amp;e\n", Some("https://x.example/a%20b?c=d&amp;e")),
        ("HTTPS://řeka.example/voda/řeka", Some("https://xn--eka-2ya.example/voda/%C5%99eka")),
        ("https://[::1]/a[0]", Some("https://[::1]/a%5B0%5D")),
        ("https://", None),
        ("http://a b/", None),
        ("//x.example/a", None),
        ("javascript:alert(1)", None),
    ] {
        let mut feed = fixture::feed();
        feed.entries[0].post.url = Some(address.into());
        feed.entries[0].duplicates[0].url = Some(address.into());
        let (atom, json) = written(CHOSEN, &feed);
        let atom: atom_syndication::Feed = atom.parse().unwrap();
        let entry = &atom.entries[0];
        assert_eq!(entry.links.first().map(|link| link.href.as_str()), expected, "{address}");
        assert_eq!(entry.id, expected.unwrap_or("tag:ohlas.example,2026:feed/zdroj-1/1"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let item = &json["items"][0];
        assert_eq!(
            (item["url"].as_str(), item["id"].as_str()),
            (expected, Some(entry.id.as_str()))
        );
        assert_eq!(item["_ohlas"]["duplicates"][0].as_str(), expected);
    }
}

#[test]
fn a_feed_says_where_it_is_and_when_its_posts_are_from() {
    let (atom, json) = written(&format!("{CHOSEN}&topic=voda"), &fixture::feed());
    let atom: atom_syndication::Feed = atom.parse().unwrap();
    let entry = &atom.entries[0];
    assert_eq!(atom.entries.len(), 2);
    assert_eq!(entry.updated.timestamp(), fixture::AT - 12 * 3_600);
    assert_eq!(entry.title.value, "Povodeň strhla most u Lhoty");
    assert_eq!(entry.summary.as_ref().unwrap().value, "Voda stoupá.");
    assert_eq!(entry.authors[0].name, "Agentura A");
    let own = "https://ohlas.example/feed.atom?channel=zdroj-1&channel=zdroj-3&channel=zdroj-2&channel=nikdo&topic=voda";
    assert_eq!((atom.id.as_str(), atom.links[0].href.as_str()), (own, own));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["version"], "https://jsonfeed.org/version/1.1");
    let item = &json["items"][0];
    assert_eq!(item["date_published"], "2026-08-14T02:05:00Z");
    assert_eq!(item["_ohlas"]["channel"], "zdroj-1");
    assert_eq!(item["_ohlas"]["score"], fixture::feed().entries[0].post.score);
    assert_eq!(item["_ohlas"]["duplicates"][0], "https://n1.example/post/2");
    assert_eq!(item["tags"][0], "voda");
}
