//! Czech.

use model::{FeedParams, Quality, Trouble};

use super::{DeskTexts, FeedTexts, NewsroomsTexts, SearchTexts, VideosTexts};
use crate::feeds::OpmlError;
use crate::i18n::Locale;
use crate::i18n::format::{out_of_cs, plural_cs};

fn of(part: u32, whole: u32) -> String {
    format!(
        "{} {} {}",
        Locale::Cs.integer(part.into()),
        out_of_cs(whole),
        Locale::Cs.integer(whole.into())
    )
}

pub(in crate::i18n) const NEWSROOMS: NewsroomsTexts = NewsroomsTexts {
    title: "Redakce",
    lede: "Kdo přichází první, kdo o kolik později, kdo přebírá a kdo kolik událostí pokryje. Počty, žádné známky.",
    by_newsroom: "po redakcích",
    by_owner: "po vlastnících",
    view: "Sčítat",
    window: |hours, from, to| {
        format!("Události prvně zmíněné za posledních {hours}: od {from} do {to}.")
    },
    name: "redakce",
    owner_name: "vlastník",
    events: "události",
    coverage: "pokrytí",
    first: "první",
    lag: "medián zpoždění",
    copies: "jen kopie",
    of,
    few: "málo",
    few_text: |n| format!("Méně než {n} událostí: podíl i medián jsou náhoda, ne zvyk."),
    nothing: "V tomto období nesdílely dvě redakce žádnou událost.",
    definitions: "Co sloupce znamenají",
    definitions_list: &[
        (
            "události",
            "Kolik událostí, které mají aspoň dvě redakce, měla i tato. Událost jediné redakce se nepočítá: není s kým srovnávat.",
        ),
        (
            "pokrytí",
            "Podíl z událostí, které mít mohla: ze všech sdílených událostí v jejím jazyce a z cizojazyčných, které měla.",
        ),
        (
            "první",
            "Kolikrát nebyl nikdo před ní, z událostí, u nichž známe její čas i čas první zmínky. Kde známe jen horní mez času, událost se sem nepočítá. Dvě redakce v téže vteřině jsou první obě.",
        ),
        (
            "medián zpoždění",
            "Prostřední ze zpoždění za první zmínkou, jen z událostí, kde první nebyla.",
        ),
        (
            "jen kopie",
            "Kolikrát měla jen texty, které jiná redakce zveřejnila dřív. Přepsanou agenturní zprávu nepoznáme, číslo je tedy dolní odhad.",
        ),
    ],
    open_desk: "desk",
    newsrooms_of: |n| plural_cs(n, "redakce", "redakce", "redakcí"),
};

pub(in crate::i18n) const DESK: DeskTexts = DeskTexts {
    title: "Desk",
    lede: "Pro editory: co zvedají jiní a vy ne, kde jste byli první a kde o kolik později.",
    of: |name| format!("Desk: {name}"),
    choose: "Redakce",
    at_least: "Nejméně jiných redakcí",
    show: "Ukázat",
    nothing_chosen: "Vyberte redakci; adresa pak povede rovnou na její desk.",
    unknown: |slug| format!("Redakci „{slug}“ neznáme."),
    missing: "Mají jiní, my ne",
    missing_text: |language, n| {
        format!(
            "Jazyk: {language}. Události aspoň {n} jiných redakcí, v nichž tato nemá v kanálech žádnou položku; od nejžhavější."
        )
    },
    missing_none: "Nic takového: co zvedly jiné redakce, má i tato.",
    late: "Kde jsme byli později",
    late_text: "O kolik po první redakci; od největšího zpoždění.",
    late_none: "Nikde.",
    first: "Kde jsme byli první",
    first_text: "S jakým náskokem před druhou redakcí; od největšího.",
    first_none: "Nikde.",
    event: "událost",
    behind: "zpoždění",
    ahead: "náskok",
    rank: "pořadí",
    others: "redakcí",
    untimed: |n| {
        format!(
            "Dalších sdílených událostí, kde známe jen horní mez času: {n}. V obou seznamech chybějí."
        )
    },
    shown_of: |shown, all| {
        format!(
            "{} {} {}",
            Locale::Cs.integer(shown),
            out_of_cs(all as u32),
            Locale::Cs.integer(all)
        )
    },
    keys: "Klávesy",
    keys_text: "Zkratky jedním písmenem platí jen na této stránce. Dají se změnit i vypnout; nastavení zůstává v tomto prohlížeči.",
    keys_on: "zkratky zapnuté",
    key_next: "další událost",
    key_previous: "předchozí událost",
    key_open: "otevřít událost",
    key_help: "tato nápověda",
};

pub(in crate::i18n) const VIDEOS: VideosTexts = VideosTexts {
    title: "Videa",
    lede: "Jak rychle se na videa redakcí lidé dívají: zhlédnutí za hodinu, z našich dvou měření.",
    showing: |shown, all| {
        if shown == all {
            plural_cs(all, "video", "videa", "videí")
        } else {
            format!(
                "zobrazeno {} {} {} videí",
                Locale::Cs.integer(shown),
                out_of_cs(all as u32),
                Locale::Cs.integer(all)
            )
        }
    },
    none: "Žádná videa k měření",
    none_text: |sources, refused| match (sources, refused) {
        (0, _) => "Mezi zdroji není žádný videokanál.".to_owned(),
        (all, refused) if all == refused => format!(
            "Sleduje se {}, ale brána dotaz nedovoluje.",
            plural_cs(all.into(), "videokanál", "videokanály", "videokanálů")
        ),
        (all, _) => format!(
            "Sleduje se {}, v okně ale žádný neukázal video s počítadlem.",
            plural_cs(all.into(), "videokanál", "videokanály", "videokanálů")
        ),
    },
    video: "video",
    tempo: "tempo",
    per_hour: |n| format!("{n} za h"),
    window: "měřeno přes",
    views: "zhlédnutí",
    measured: "poslední měření",
    published: "zveřejněno",
    unreliable: "nespolehlivé",
    unreliable_text: "Měření jsou od sebe méně než hodinu: platformy počítají po dávkách a krátký odstup ukazuje náhodu.",
    absent: "bez tempa",
    absent_text: "Máme jediné měření; z jednoho čísla se rychlost nepozná.",
    still: "stojí",
    measurements: |n| plural_cs(n, "měření", "měření", "měření"),
    chart: "Nejrychlejší videa",
    chart_caption: "Zhlédnutí za hodinu; jen spolehlivá tempa.",
    chart_text: |videos| format!("Zhlédnutí za hodinu: {}.", videos.join("; ")),
    how: "Jak se tempo měří",
    how_text: &[
        "Tempo = (zhlédnutí při posledním měření − zhlédnutí při nejbližším měření, které je aspoň o hodinu starší) / hodiny mezi nimi. Číslo je naše, platforma ho nedává.",
        "Kde hodinu staré měření není, je tempo nespolehlivé; kde je měření jediné, žádné tempo není. Počítadlo, které stojí nebo klesá, se ukazuje, jak je.",
        "Měří se jen tam, kde to brána dovolí a kanál počítadlo sám zveřejňuje.",
    ],
};

pub(in crate::i18n) const SEARCH: SearchTexts = SearchTexts {
    title: "Hledání",
    lede: "V celé historii: v titulcích a popiscích všech položek, i v jejich dřívějších zněních.",
    label: "Hledat v událostech",
    submit: "Hledat",
    titled: |text| format!("Hledání: {text}"),
    found: |n| plural_cs(n, "událost", "události", "událostí"),
    page: |page, pages| format!("strana {page} {} {pages}", out_of_cs(pages as u32)),
    searched: "Hledáno v tom, co bylo zaznamenáno do posledního přepočtu:",
    capped: |n| {
        format!(
            "Slova jsou příliš běžná: prohledáno nejnovějších {} položek. Přidejte další slovo.",
            Locale::Cs.integer(n)
        )
    },
    nothing: |text| format!("Nic jsme nenašli pro „{text}“."),
    nothing_hint: "Musí se najít všechna slova. Zkuste jich míň, jiný tvar nebo jiný jazyk.",
    by_relevance: "nejlepší shoda",
    and_items: |n| match n {
        1..=4 => format!("a {} další položky", Locale::Cs.integer(n)),
        _ => format!("a {} dalších položek", Locale::Cs.integer(n)),
    },
    how: "Jak se hledá",
    how_text: &[
        "Velikost písmen a háčky nerozhodují. Slovo najde i své tvary: koncovka se odtrhne a hledá se začátek. Přesná shoda a shoda v titulku váží víc.",
        "Musí se najít všechna slova, stačí každé v jiné části položky. Výsledky jsou události; pod každou stojí položky, které odpovídají.",
    ],
};

pub(in crate::i18n) const FEED: FeedTexts = FeedTexts {
    title: "Feed",
    lede: "Příspěvky z kanálů, které si vyberete, v jednom pořadí. Bez účtu a bez cookies: celý výběr je v adrese, kterou si můžete uložit nebo poslat.",
    start: "Čím začít",
    start_text: "Hotový výběr je jen odkaz. Kanály v něm pak přidáte nebo uberete níže.",
    by_language: "Podle jazyka",
    by_country: "Podle země",
    channels: |n| plural_cs(n, "kanál", "kanály", "kanálů"),
    picker: "Kanály a řazení",
    chosen: |n| format!("Vybrané kanály: {}", Locale::Cs.integer(n)),
    chosen_hint: "Co odškrtnete, ve feedu nebude.",
    unknown_channel: "neznámý",
    add: "Přidat kanály",
    search: "Název nebo vlastník",
    owner: "Vlastník",
    any_owner: "všichni vlastníci",
    newsroom_language: "Jazyk redakce",
    find: "Najít kanály",
    offered: |shown, all| {
        if shown == all {
            plural_cs(all, "kanál", "kanály", "kanálů")
        } else {
            format!(
                "zobrazeno {} {} {} kanálů; ostatní najdete filtrem",
                Locale::Cs.integer(shown),
                out_of_cs(all as u32),
                Locale::Cs.integer(all)
            )
        }
    },
    nothing_offered: "Žádný další kanál filtrům neodpovídá.",
    ranking: "Řazení",
    half_life: "Poločas čerstvosti",
    half_life_hint: "Za jak dlouho ztratí příspěvek polovinu čerstvosti.",
    diversity: "Pestrost",
    diversity_hint: "Jak moc se odsouvá to, co se podobá předchozímu; 0 řadí jen podle skóre.",
    limit: "Příspěvků nejvýš",
    language: "Jazyk příspěvků",
    unfolded: "opakované texty zvlášť",
    submit: "Ukázat feed",
    upload: "Výběr z jiné čtečky (OPML)",
    upload_submit: "Nahrát",
    upload_hint: "Soubor se jen přečte, neukládá se; nejvýš 1 MiB.",
    unknown_feeds: |n| {
        format!("{} ze souboru tu nesbíráme.", plural_cs(n, "kanál", "kanály", "kanálů"))
    },
    above_feeds: |n| {
        let fitted = match n {
            1 => "se nevešel",
            2..=4 => "se nevešly",
            _ => "se nevešlo",
        };
        format!(
            "{} {fitted}: výběr má nejvýš {}.",
            plural_cs(n, "kanál", "kanály", "kanálů"),
            FeedParams::CHANNELS.end()
        )
    },
    opml_refused: |error| match error {
        OpmlError::Missing => "Nepřišel žádný soubor. Vyberte soubor OPML ze své čtečky.",
        OpmlError::Large => "Soubor je větší než 1 MiB.",
        OpmlError::Long => "Seznam má víc než 5 000 položek.",
        OpmlError::Empty => "V seznamu není žádná adresa kanálu.",
        OpmlError::Unreadable => "V souboru není seznam kanálů ve formátu OPML.",
    },
    to_feed: "Zpět na výběr kanálů",
    ranked: "Seřazené příspěvky",
    posts: |n| plural_cs(n, "příspěvek", "příspěvky", "příspěvků"),
    from_channels: |n| {
        let word = if n == 1 { "kanálu" } else { "kanálů" };
        format!("{} {} {word}", out_of_cs(n), Locale::Cs.integer(n.into()))
    },
    subscribe: "Odebírat",
    nothing: "Žádné příspěvky",
    nothing_text: |filtered| match filtered {
        true => "Vybrané kanály teď nemají nic ve zvoleném jazyce nebo tématu.",
        false => "Vybrané kanály teď nemají žádný příspěvek.",
    },
    failures: "Co ve feedu chybí",
    trouble: |trouble| match trouble {
        Trouble::Unknown => "takový kanál tu není.",
        Trouble::Refused => "brána dotaz nedovoluje.",
        Trouble::Unreachable => "neodpovídá, nebo chce mít chvíli klid.",
        Trouble::Unreadable => "odpověď nejde přečíst.",
    },
    also_in: |n| if n == 1 { "také v kanálu" } else { "také v kanálech" },
    score: "skóre",
    quality: "kvalita",
    freshness: "čerstvost",
    untimed: "čas neznáme",
    reach: "dosah",
    reactions: "reakce",
    text: "text",
    media: "obrázky a videa",
    care: "opraveno",
    how: "Jak se řadí",
    how_text: |similar, same, words| {
        let n = |value| Locale::Cs.exact(value);
        let (params, weights) = (FeedParams::default(), Quality::WEIGHTS);
        vec![
            format!(
                "Skóre = 10 · kvalita · ({} + {} · čerstvost), čerstvost = {}^(stáří / poločas). Poločas je {}, pokud ho nezměníte: tak starý příspěvek má poloviční čerstvost, dvakrát starší čtvrtinovou. Desetinu toho, co mu dává kvalita, si nechá i ten nejstarší.",
                n(0.1),
                n(0.9),
                n(0.5),
                Locale::Cs.hours(params.half_life_hours)
            ),
            format!(
                "Kvalita je vážený průměr: dosah (zhlédnutí na odběratele) {}, reakce {}, délka textu {}, obrázky a videa {}, oprava po vydání {}. Co o sobě příspěvek neříká, počítá se za polovinu. Žádné počítadlo nezmůže víc než svou váhu.",
                n(weights.reach),
                n(weights.reactions),
                n(weights.text),
                n(weights.media),
                n(weights.care)
            ),
            format!(
                "Pestrost odsouvá příspěvek, který se podobá některému z posledních {similar} nebo má kanál společný s některým z posledních {same}. Skóre tím nemění, jen pořadí."
            ),
            format!(
                "Texty aspoň {words} slov, které se z větší části opakují, se skládají pod ten s nejvyšším skóre. Krátká a výplňová slova, čísla a adresy se za slova nepočítají. Téma je skupina příspěvků se společnými vzácnými slovy; jmenuje se podle nich."
            ),
            "Počítáme, kolikrát byl který kanál žádán, aby byly žádané kanály čerstvé. Kdo o něj žádal, nezaznamenáváme."
                .to_owned(),
        ]
    },
};
