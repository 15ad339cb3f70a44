//! Czech.

use super::{DeskTexts, NewsroomsTexts, SearchTexts, VideosTexts};
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
