//! Czech.

use model::Interval;

use super::format::{out_of_cs, plural_cs};
use super::{Locale, Methodology, Models, Texts, pages};

pub(super) static TEXTS: Texts = Texts {
    site: "Ohlas",
    skip: "Přeskočit na obsah",
    main_navigation: "Hlavní navigace",
    nav_board: "Žebříček",
    nav_newsrooms: "Redakce",
    nav_desk: "Desk",
    nav_videos: "Videa",
    nav_feed: "Feed",
    nav_sources: "Zdroje",
    nav_status: "Stav",
    nav_methodology: "Jak se to měří",
    other_language: "English",
    theme: "Vzhled",
    theme_auto: "auto",
    theme_light: "světlý",
    theme_dark: "tmavý",
    demo: "Ukázka: tyto redakce i jejich titulky jsou smyšlené.",
    past_board: "Stav k okamžiku",
    other_model: |name| format!("Pořadí podle modelu {name}."),
    back_to_now: "Zpět na současný stav",
    live_news: "Jsou nové výsledky.",
    live_show: "Zobrazit",
    live_pause: "Pozastavit novinky",
    live_resume: "Sledovat novinky",
    state_at: "Stav k",
    model: "model",
    chain_head: "hlava řetězu",
    privacy: "Bez cookies, bez sledování, bez požadavků na cizí servery.",
    machine_data: "Data pro stroje:",
    untitled: "(bez titulku)",
    none: "nic",

    og_locale: "cs_CZ",
    verdict_feed: "Změny verdiktů brány",
    demo_short: "Ukázka, smyšlené redakce",
    docs: "Rozhraní pro stroje",
    docs_lede: "Všechno, co je na stránkách, je i v datech: bez klíče a bez registrace.",
    docs_document: "tento popis jako OpenAPI 3.1, vytvořený z kódu",
    docs_rules: "Časy jsou v sekundách od roku 1970 (UTC). V rámci verze pole jen přibývají. Na příliš mnoho dotazů z jedné adresy odpovídáme 429 a v hlavičce Retry-After řekneme, kdy se vrátit. Popisy polí jsou anglicky, jak stojí v kódu.",
    docs_graphql: "Kdo chce jen některá pole nebo několik odpovědí najednou, zeptá se jazykem GraphQL. Dotaz se posílá jako JSON, v poli query. Dotaz, jehož odpověď by byla příliš velká, odmítneme dřív, než ji začneme hledat.",
    docs_schema: "schéma se všemi poli a jejich popisy",
    docs_example: "Příklad dotazu",
    docs_shapes: "Tvary odpovědí",
    docs_parameter: "Parametr",
    docs_answer: "Odpověď",
    docs_field: "Pole",
    docs_type: "Typ",
    docs_meaning: "Význam",
    docs_in_path: "v cestě",
    docs_in_query: "v dotazu",
    newsrooms: |n| plural_cs(n, "redakce", "redakce", "redakcí"),
    newsrooms_word: |n| match n {
        1..=4 => "redakce",
        _ => "redakcí",
    },
    owners: |n| plural_cs(n, "vlastník", "vlastníci", "vlastníků"),
    texts: |n| plural_cs(n, "text", "různé texty", "různých textů"),
    and_more: |n| match n {
        1..=4 => format!("a {n} další"),
        _ => format!("a {n} dalších"),
    },
    place_of: |place, length| format!("{place}. {} {length}", out_of_cs(length)),

    board: "Co redakce zvedají",
    board_lede: "Události seřazené podle toho, kolik redakcí o nich píše, jak rychle přibývají a jak vysoko je samy řadí.",
    showing: |shown, all| {
        if shown == all {
            plural_cs(all, "událost", "události", "událostí")
        } else {
            format!(
                "zobrazeno {} z {} událostí",
                Locale::Cs.integer(shown),
                Locale::Cs.integer(all)
            )
        }
    },
    filters: "Filtry a hledání",
    search: "Hledat v titulcích",
    language: "Jazyk",
    any_language: "všechny jazyky",
    country: "Země",
    any_country: "všechny země",
    period: "Období",
    any_period: "celé okno",
    last_hours: |hours| format!("posledních {hours}"),
    also_lone: "i události jediné redakce",
    apply: "Použít",
    sort: "Řadit",
    by_newsrooms: "redakce",
    by_newest: "nejnovější",
    previous: "Předchozí",
    next: "Další",
    pages: "Stránky",
    topics: "Témata",
    events: |n| plural_cs(n, "událost", "události", "událostí"),
    other_moments: "Jiný okamžik",
    stale: |ago| format!("Poslední odpověď zdrojů přišla {ago}: žebříček stárne."),
    no_data: "Zatím tu nejsou data",
    no_data_text: |sources| {
        if sources == 0 {
            "Nezkoumá se žádný zdroj. To neznamená, že se nic neděje.".to_owned()
        } else {
            format!(
                "Sleduje se {}, ale žádný zatím neodpověděl. To neznamená, že se nic neděje.",
                plural_cs(sources.into(), "zdroj", "zdroje", "zdrojů")
            )
        }
    },
    no_events: "V okně není žádná událost",
    no_events_text: |window| {
        format!("Sběr běží, ale za posledních {window} redakce nezveřejnily žádnou položku.")
    },
    no_events_shown: "Nic k zobrazení",
    nothing_found: "Filtrům neodpovídá žádná událost. Data jsou, jen jsou jinde.",
    nothing_shared: "Žádnou událost teď nezvedly aspoň dvě redakce.",
    show_lone: |n| {
        format!("Zobrazit i {} jediné redakce", plural_cs(n, "událost", "události", "událostí"))
    },
    without_filters: "Zobrazit bez filtrů",
    language_name: |code| {
        match code {
            "ar" => "arabština",
            "cs" => "čeština",
            "de" => "němčina",
            "en" => "angličtina",
            "es" => "španělština",
            "fr" => "francouzština",
            "hu" => "maďarština",
            "it" => "italština",
            "pl" => "polština",
            "pt" => "portugalština",
            "ru" => "ruština",
            "sk" => "slovenština",
            "sl" => "slovinština",
            "uk" => "ukrajinština",
            "zh" => "čínština",
            "" => "neznámý jazyk",
            other => other,
        }
        .to_owned()
    },
    country_name: |code| {
        match code {
            "AT" => "Rakousko",
            "CH" => "Švýcarsko",
            "CZ" => "Česko",
            "DE" => "Německo",
            "ES" => "Španělsko",
            "FR" => "Francie",
            "GB" => "Spojené království",
            "HU" => "Maďarsko",
            "IE" => "Irsko",
            "IT" => "Itálie",
            "PL" => "Polsko",
            "SI" => "Slovinsko",
            "SK" => "Slovensko",
            "UA" => "Ukrajina",
            "US" => "Spojené státy",
            other => other,
        }
        .to_owned()
    },

    heat: "heat",
    breadth: "šíře",
    velocity: "rychlost",
    priority: "priorita",
    persistence: "vytrvalost",
    decay: "útlum",
    breadth_sentence: "Součet vah redakcí, které událost mají; každá redakce se počítá jednou.",
    velocity_sentence: "Kolik šíře přibylo za hodinu mezi první a poslední zmínkou.",
    priority_sentence: "Jak vysoko událost řadí redakce samy; 1 je první místo.",
    persistence_sentence: "Jak dlouho položky události v kanálech stojí; roste s logaritmem času.",
    decay_sentence: "Jak dávno přišla poslední zmínka; bez nových zmínek událost chladne.",
    velocity_formula: |breadth, hours, floor| format!("({breadth} − 1) / max({hours}; {floor})"),
    priority_formula: |best, newsrooms| {
        let all = if newsrooms == 1 { "redakce" } else { "redakcí" };
        format!("vážený průměr {newsrooms} {all}, nejlepší místo {best}")
    },
    factor: "činitel",
    numbers_put_in: "čísla ve vzorci",
    value: "hodnota",
    meaning: "co říká",

    spread: "rozpětí",
    owners_label: "vlastníků",
    texts_label: "různých textů",
    first_mention: "první zmínka",
    last_mention: "poslední zmínka",
    data_csv: "Data (CSV)",
    data_json: "Data události (JSON)",
    heat_heading: "Proč tolik heatu",
    no_heat: "Událost jediné redakce má heat nula: nemá jak rychle se šířit.",
    heat_chart: "Jak se činitele násobí",
    heat_chart_caption: "Každý pruh vede od součinu předchozích činitelů k součinu s tímto; osa je logaritmická. Pruh doleva heat snižuje.",
    heat_chart_text: |factors, heat| {
        format!("Součin činitelů: {}. Heat {heat}.", factors.join(", "))
    },
    scores_heading: "Heat a šíře v čase",
    scores_chart: "Jak se heat a šíře měnily",
    scores_chart_caption: "Plocha je heat (osa vlevo), čára šíře (osa vpravo), přepočet po přepočtu. Heat klesá i tehdy, když se nic neděje: to je útlum.",
    scores_chart_text: |peak, at, now, breadth| {
        format!("Nejvyšší heat {peak}: {at}. Poslední heat {now}, šíře {breadth}.")
    },
    scores_short: "Průběh v čase půjde ukázat po druhém přepočtu.",
    mentions_heading: "Kdo ji zvedl a kdy",
    breadth_chart: "Redakce a texty v čase",
    breadth_chart_caption: "Počet redakcí a mezi nimi různých textů od první zmínky.",
    breadth_chart_text: |newsrooms, texts, first, last| {
        format!(
            "Od {first} do {last} přibylo {} a {}.",
            plural_cs(newsrooms.into(), "redakce", "redakce", "redakcí"),
            plural_cs(texts.into(), "text", "různé texty", "různých textů")
        )
    },
    time: "čas",
    after_first: "po první",
    newsroom: "redakce",
    owner: "vlastník",
    unknown_owner: "vlastník neznámý",
    best_place: "nejlepší místo",
    standing: "v kanálu",
    weight: "váha",
    copy: "kopie",
    backfill_note: "Známa je jen horní mez: položka v kanálu stála už při prvním dotazu.",
    mentions_note: "Znak ≤ značí, že známe jen horní mez času. Kopie opakuje text, který jiná redakce měla dřív.",
    positions_heading: "Místo v kanálech redakcí",
    positions_chart: "Místo v kanálech v čase",
    positions_chart_caption: "Nahoře je první místo v kanálu; každá čára je jedna položka.",
    positions_chart_text: |best| format!("Nejlepší místa: {}.", best.join("; ")),
    others_grey: |n| format!("Šedě: další {}.", plural_cs(n, "redakce", "redakce", "redakcí")),
    items_heading: "Položky podle redakcí",
    text_no: |n| format!("text č. {n}"),
    copy_of_text: |n| format!("kopie textu č. {n}"),
    credits: |agency| format!("uvádí {agency}"),
    agencies: |agencies| format!("Agentury, které texty samy uvádějí: {agencies}."),
    together_heading: "Proč patří k sobě",
    together_text: |threshold| {
        format!(
            "Položky spojují vzácná slova, která sdílejí; čím vzácnější slovo, tím větší váha. Skupiny se slučují, když jejich průměrná podobnost dosáhne {threshold}."
        )
    },
    word_weight: |weight, times| format!("{weight} × {times}"),
    ties: "Nejsilnější pouto každé položky",
    item: "položka",
    closest_item: "nejbližší položka",
    similarity: "podobnost",
    shared_words: "sdílená slova s vahami",
    item_no: |id| format!("položka {id}"),
    changes_heading: "Co se v události změnilo",
    no_changes: "Událost se dosud neslučovala ani nedělila.",
    merged_from: |id| format!("sloučena s událostí {id}, která sem odkazuje."),
    split_to: |n| {
        let verb = match n {
            1 => "oddělila",
            2..=4 => "oddělily",
            _ => "oddělilo",
        };
        format!("{verb} se {}:", plural_cs(n, "položka", "položky", "položek"))
    },
    split_from: |id| format!("oddělena z události {id}."),
    event_no: |id| format!("událost {id}"),
    moved_from: |id| format!("přesunuto z události {id}."),
    because_of: "Rozhodla dvojice",
    similarity_is: |value| format!("podobnost {value}"),
    citation_heading: "Citace a trvalý odkaz",
    permalink: "Trvalý odkaz na tento stav",
    leaves_window: "Událost brzy opustí okno; trvalý odkaz ji ukáže i potom.",
    citation: |title, newsrooms, moment, model, link| {
        format!(
            "Ohlas: „{title}“, {}, stav k {moment}, model {model}. {link}",
            plural_cs(newsrooms.into(), "redakce", "redakce", "redakcí")
        )
    },

    sources: "Zdroje",
    sources_lede: "Každému dotazu na zdroj předchází brána: čte robots.txt a výhrady k vytěžování a její verdikt rozhoduje. Tady je celý její záznam.",
    no_sources: "Zatím žádné zdroje",
    no_sources_text: "Žádný zdroj není nastaven, nebo se ho brána ještě nezeptala.",
    source: "zdroj",
    verdict: "verdikt",
    allowed: "povoleno",
    disallowed: "zakázáno",
    reserved: "vyhrazeno",
    unreachable: "nedostupné",
    validity: "přečteno, platí do",
    until: "do",
    last_fetch: "poslední dotaz",
    unchanged_share: "beze změny",
    bytes_saved: "ušetřeno",
    defects: "vady",
    ninety_days: "90 dní",
    stopped: "zastaven",
    no_answer: "bez odpovědi",
    listed: "přečteno",
    unchanged: "beze změny",
    failed: "selhalo",
    exclusion: "Jak zdroj vyřadit",
    exclusion_text: |agent| {
        let agent =
            agent.map(|agent| format!(" (představuje se jako „{agent}“)")).unwrap_or_default();
        format!(
            "Stačí v robots.txt zakázat našeho robota{agent}, nebo vyhradit vytěžování textů a dat \
             strojově čitelným signálem. Verdikt platí nejvýš 24 hodin, pak se čte znovu; od té chvíle \
             se zdroje už neptáme a je to tu vidět."
        )
    },
    country_and_language: "země a jazyk",
    address: "adresa",
    kind_feed: "kanál",
    kind_video: "videokanál",
    kind_channel: "stránka příspěvků",
    items_recorded: "zaznamenaných položek",
    next_check: "další dotaz",
    moved_to: "trvale přesměrováno na",
    stopped_text: "Zdroje se neptáme, dokud o tom nerozhodne člověk:",
    gate_heading: "Co říká brána",
    no_check: "Brána se tohoto zdroje ještě neptala.",
    rule: "rozhodující pravidlo",
    tdm_signal: "výhrada k vytěžování",
    read_at: "přečteno",
    valid_until: "platí do",
    user_agent: "náš robot",
    verdict_log: "Změny verdiktu",
    verdict_changes: "Změny verdiktů",
    no_verdict_changes: "Za posledních 90 dní se žádný verdikt nezměnil.",
    fetch_log: "Dotazy na zdroj",
    no_fetches: "Zdroje jsme se zatím neptali.",
    no_fetches_refused: "Zdroje se neptáme: brána to nedovoluje.",
    answer: "odpověď",
    transferred: "přeneseno",
    took: "trvalo",
    strip_legend: "Vysoký pruh: den s odpověďmi; nižší: potíže u víc než desetiny dotazů; nízký: jen selhání, nebo jen odmítnutí branou; mezera: žádný dotaz.",
    strip_label: |days, answered, mixed, failed, refused| {
        format!(
            "Dny se záznamem: {days}; s odpověďmi {answered}, smíšené {mixed}, jen selhání {failed}, \
             jen odmítnutí {refused}."
        )
    },

    status: "Stav sběru",
    status_lede: "Kolik položek a pozorování máme a kdy proběhl poslední sběr.",
    state_no_data: "Zatím neodpověděl žádný zdroj: nejsou data.",
    state_still: |ago| format!("Sběr stojí: poslední odpověď přišla {ago}."),
    state_running: |ago| format!("Sběr běží: poslední odpověď přišla {ago}."),
    sources_label: "zdroje",
    newsrooms_label: "redakce",
    items: "položky",
    observations: "pozorování",
    fetches: "dotazy",
    gate_checks: "verdikty brány",
    events_in_window: "události v okně",
    shared_events: "z toho dvou a více redakcí",
    last_answer: "poslední odpověď",
    lag: "zpoždění",
    lag_text: |overdue, lag| {
        if overdue == 0 {
            "žádný dotaz se neopožďuje".to_owned()
        } else {
            format!(
                "opožďuje se {}, nejvíc o {lag}",
                plural_cs(overdue.into(), "zdroj", "zdroje", "zdrojů")
            )
        }
    },
    snapshot: "snímek",
    chain_length: "délka řetězu",
    chain_text: "Každá dávka záznamů nese otisk dávky předchozí a svých řádků. Kdo si hlavu řetězu poznamená, pozná, kdyby někdo historii přepsal.",
    history: "Historie",
    no_history: "Zatím není den, o němž by bylo co říct.",
    days_chart: "Dotazy po dnech",
    days_legend: "Odspodu: beze změny, s novým obsahem, selhání, odmítnutí branou. Dny podle UTC.",
    days_chart_text: |days, answered, failed, refused| {
        format!(
            "Za {}: odpovědí {answered}, selhání {failed}, odmítnutí {refused}.",
            Locale::Cs.days(days.into())
        )
    },
    days_table: "Dny v číslech",
    day_utc: "den (UTC)",
    answered: "odpovědi",
    of_which_unchanged: "z toho beze změny",
    refused: "odmítla brána",
    new_items: "nové položky",

    not_found: "Tady nic není",
    not_found_text: "Na této adrese není žádná stránka. Událost mohla opustit okno; ukáže ji její trvalý odkaz.",
    bad_request: "Tomu nerozumíme",
    bad_moment: "Parametr „at“ není okamžik, který umíme ukázat. Zapisuje se jako 2026-08-14T14:00:00Z a nesmí ležet v budoucnosti.",
    bad_model: "Parametr „model“ nejmenuje žádný známý model.",
    to_board: "Na žebříček",

    newsrooms_page: pages::cs::NEWSROOMS,
    desk: pages::cs::DESK,
    videos_page: pages::cs::VIDEOS,
    search_page: pages::cs::SEARCH,
    feed_page: pages::cs::FEED,
    methodology: Methodology {
        title: "Jak se to měří",
        lede: "Hlavní číslo je počet redakcí. Vše ostatní jen rozhoduje o pořadí a dá se přepočítat rukou. Čísla na této stránce čte program ze svého vlastního nastavení.",
        counting: "Co se počítá",
        counting_text: &[
            "Redakce je jedna novinářská jednotka a počítá se jednou, ať má kanálů, kolik chce. Vedle počtu redakcí stojí počet vlastníků a počet různých textů: deset přetištěných zpráv jedné agentury je deset redakcí, ale jeden text.",
            "Neznámého vlastníka nehádáme: taková redakce je svým vlastním vlastníkem. Váha redakce je jedna; jiná váha má veřejně uvedený důvod.",
            "Zmínka je okamžik, kdy o položce redakce prvně víme. Uvedený čas držíme v mezích toho, co jsme viděli: nikdy dřív než poslední dotaz, při němž položka chyběla, nikdy později než dotaz, který ji ukázal.",
        ],
        words: "Váha slova je jeho vzácnost",
        words_text: |g| {
            let (number, capital) =
                (Locale::Cs.exact(g.number_factor), Locale::Cs.exact(g.capital_factor));
            vec![
                "Shoda na slově, které se v toku zpráv skoro nevyskytuje, je silnější důkaz než shoda na \
                 slově, které je všude. Váha slova se proto počítá z jeho vzácnosti mezi všemi ostatními \
                 položkami v okně."
                    .to_owned(),
                format!(
                    "Porovnává se titulek a prvních {} znaků popisku. Co web na konci popisků opakuje, se \
                     vynechává. Váha čísla se násobí {number}, čísla o jedné či dvou číslicích {small}, \
                     slova s velkým písmenem uprostřed věty {capital}.",
                    g.lede_chars,
                    small = Locale::Cs.exact(g.small_number_factor),
                ),
                format!(
                    "Vedle slova stojí jeho začátek s váhou {}, aby se potkala slova skloňovaná a příbuzná. \
                     Slovo, které má n z N ostatních položek, váží ln((N + {s}) / (n + {s})).",
                    Locale::Cs.exact(g.kin_factor),
                    s = Locale::Cs.exact(g.smoothing),
                ),
            ]
        },
        groups: "Jak vzniká událost",
        groups_text: |g, window| {
            let (threshold, decay, window) = (
                Locale::Cs.exact(g.threshold),
                Locale::Cs.hours(g.decay_hours),
                Locale::Cs.hours(window),
            );
            vec![
                format!(
                    "Podobnost dvou položek je vážený překryv jejich slov, tlumený časem mezi nimi: \
                     exp(−Δt / {decay}). Položky vzdálené víc než {} a dvojice pod {} se počítají jako \
                     nepodobné. Bere se okno posledních {window}.",
                    Locale::Cs.hours(g.reach_hours),
                    Locale::Cs.exact(g.floor),
                ),
                format!(
                    "Skupiny se slučují oběma směry, když jejich průměrná podobnost dosáhne prahu \
                     {threshold}. Průměr brání tomu, aby řetěz náhodných shod spojil nesouvisející zprávy. \
                     Práh je jeden pro všechny jazyky."
                ),
                format!(
                    "Větší skupiny smějí být o něco méně podobné: průměr se násobí střední velikostí skupin, \
                     nejvýše {}, umocněnou na {}. A aby nestačilo společné jméno nebo místo, musí být aspoň \
                     jedna položka druhé skupině tak podobná jako {} průměru uvnitř volnější z obou, který \
                     se počítá nejvýše do {}.",
                    Locale::Cs.exact(g.size_limit),
                    Locale::Cs.exact(g.size_exponent),
                    Locale::Cs.percent(g.cohesion_share),
                    Locale::Cs.exact(g.cohesion_limit),
                ),
                "Událost nese číslo své nejstarší položky. Když se dvě události sloučí, mladší číslo navždy \
                 odkazuje na starší a záznam změn řekne, která dvojice rozhodla a proč."
                    .to_owned(),
            ]
        },
        copies: "Kopie a agenturní texty",
        copies_text: |g| {
            vec![format!(
                "Dvě položky jsou kopiemi jednoho textu, když kratší z nich sdílí s delší aspoň {} svých \
                 trojic po sobě jdoucích slov. Kopie se k redakcím počítají, k různým textům ne.",
                Locale::Cs.percent(g.copy_containment)
            )]
        },
        topics: "Témata",
        topics_text: |words, events, share| {
            vec![
                format!(
                    "Témata nikdo nevybírá ani nepojmenovává. U každé události se vezme {words} slov, která \
                     její položky nejsilněji spojují a která mají v titulku aspoň dvě redakce: titulek \
                     říká, o čem zpráva je. Slova pro čas, míru, počet a druh zprávy se vynechávají, protože \
                     říkají kdy, kolik a jak, ne co; z němčiny se berou jen slova s velkým písmenem. \
                     Slovo, na němž stojí aspoň {events} události dvou a více redakcí, je téma; tvary \
                     téhož slova se počítají dohromady."
                ),
                format!(
                    "Slovo, které má víc než {} sdílených událostí svého jazyka, nic neříká a tématem není. \
                     Rubriky redakcí nepoužíváme: jmenuje si je každá jinak a mnohé kanály žádnou nemají.",
                    Locale::Cs.percent(share)
                ),
            ]
        },
        heat: "Co je heat",
        heat_text: |_| {
            vec![
                "Heat řadí, nesděluje. Je to součin pěti činitelů a každý z nich je na stránce události \
                 rozepsán s čísly. Událost jediné redakce má heat nula a řadí se podle času pod ostatními."
                    .to_owned(),
            ]
        },
        breadth_formula: "Σ w",
        velocity_formula: |floor| format!("(Σ w − 1) / max(rozpětí v hodinách; {floor})"),
        velocity_of_copies: |weight| {
            format!("redakce, která má jen kopii cizího textu, se tu počítá jako {weight} w")
        },
        priority_formula: "vážený průměr z 1 − (nejlepší místo − 1) / délka kanálu",
        persistence_formula: |unit| format!("1 + log₂(1 + průměr hodin v kanálu / {unit})"),
        decay_formula: |half, life| format!("{half}^(hodiny od poslední zmínky / {life})"),
        spread_text: |heat| {
            let minutes = Locale::Cs.duration((heat.spread_floor_hours * 3_600.0) as i64);
            vec![format!(
                "Rozpětí má podlahu {minutes}: jemnější čas kanály nedávají, přesnější číslo by bylo \
                 vymyšlené. Proto se píše „do {minutes}“; delší rozpětí se zaokrouhluje na půlhodiny, od \
                 šesti hodin na hodiny a od dvou dnů na dny."
            )]
        },
        history: "Historie se nepřepisuje",
        history_text: &[
            "Tabulka pozorování se jen doplňuje; databáze změnu i smazání odmítne. Události, heat i žebříček jsou odvozené a dají se kdykoli přepočítat, i podle jiného modelu.",
            "Žebříček libovolného minulého okamžiku se počítá jen z toho, co bylo v tu chvíli známo.",
        ],
        gate: "Brána: před každým zdrojem se ptáme",
        gate_text: |lede| {
            vec![
                "Brána je v kódu, ne v předsevzetí: dotaz na zdroj nelze poslat bez jejího povolení. Čte \
                 robots.txt podle RFC 9309 a strojově čitelné výhrady k vytěžování textů a dat (směrnice \
                 (EU) 2019/790, čl. 4; § 39c autorského zákona). Když robots.txt neexistuje, omezení \
                 není. Když se nedá přečíst, neptáme se."
                    .to_owned(),
                format!(
                    "Ukládá se odkaz, titulek, popisek zkrácený na {lede} znaků, časy, místo a počítadla. Dotazy \
                     jsou podmíněné: kanál, který se nezměnil, nepřenese obsah znovu."
                ),
            ]
        },
        signals: "Signály výhrad a co s nimi brána dělá",
        signal: "signál",
        effect: "účinek",
        reason: "důvod",
        blocks: "blokuje",
        only_shown: "jen se ukazuje",
        models: "Modely a jejich konstanty",
        models_text: "Model je pojmenovaná sada konstant. Žebříček ukazuje první z nich; jiný se vyžádá parametrem ?model=.",
        models_link: "Jak se liší pořadí podle dvou modelů",
        model_hash: "otisk (SHA-256 zápisu v JSON)",
        parameter: "konstanta",
        window_hours: "okno (h)",
        threshold: "práh průměrné podobnosti",
        decay_hours: "útlum podobnosti časem (h)",
        lede_chars: "porovnávané znaky popisku",
        number_factor: "činitel čísel",
        small_number_factor: "činitel čísel o jedné či dvou číslicích",
        capital_factor: "činitel velkých písmen",
        reach_hours: "nejdelší odstup podobných položek (h)",
        floor: "nejmenší podobnost, která se počítá",
        size_exponent: "mocnitel velikosti skupiny",
        size_limit: "velikost skupiny, do které se počítá",
        cohesion_share: "podíl vnitřní podobnosti potřebný ke spojení",
        cohesion_limit: "vnitřní podobnost, do které se počítá",
        smoothing: "vyhlazení vzácnosti",
        kin_factor: "činitel začátku slova",
        copy_containment: "podíl shodných trojic slov u kopie",
        spread_floor: "podlaha rozpětí (h)",
        persistence_unit: "jednotka vytrvalosti (h)",
        half_life: "poločas útlumu (h)",
        copy_weight: "váha kopie v rychlosti",
        accuracy: "Naměřená přesnost",
        accuracy_text: |accuracy| {
            let n = |value| Locale::Cs.decimal(value, 3);
            let Interval { low, high } = accuracy.mean_interval;
            vec![
                format!(
                    "Shoda spočítaných událostí s událostmi, které označili lidé. Měřeno na verzi {}, \
                     s jedním prahem {} pro všechny sady; 1 je úplná shoda. Průměr hlavních sad je {} \
                     (95% interval {} až {}).",
                    accuracy.engine,
                    Locale::Cs.exact(accuracy.threshold),
                    n(accuracy.mean),
                    n(low),
                    n(high),
                ),
                "BCubed F1 hodnotí u každé položky, jak čistá a jak úplná je událost, ve které stojí. F1 \
                 dvojic hodnotí každou dvojici položek: patří k sobě, nebo ne? Výsledek sady je průměr \
                 obou."
                    .to_owned(),
                "Interval říká, jak by se číslo mohlo změnit na jiných zprávách téhož druhu: označené \
                 události se tisíckrát losují s opakováním (bootstrap). U malých sad je proto široký."
                    .to_owned(),
            ]
        },
        accuracy_sets: &[
            "OG2021: titulky v devíti jazycích z roku 2021; události zkontrolovali lidé.",
            "UCI: anglické titulky z března 2014, seskupené podle Google News.",
            "RSS 2026 a jeden český den: titulky s popisky; události označil jeden člověk, dřív než se cokoli měřilo.",
            "Vlastní sada: smyšlené titulky s těžkými sousedy (totéž místo nebo osoba, jiná událost). Není v průměru.",
        ],
        set_name: |set| {
            match set {
                "og2021" => "OG2021",
                "uci" => "UCI",
                "rss_csen" => "RSS 2026",
                "csday" => "jeden český den",
                "own" => "vlastní sada",
                other => other,
            }
            .to_owned()
        },
        labelled_set: "označená sada",
        labelled_events: "události",
        set_figure: "výsledek",
        in_mean: "v průměru",
        pair_f1: "F1 dvojic",
        limits: "Meze",
        limits_list: &[
            "Vidíme jen titulek a krátký popisek. Přepsaná agenturní zpráva vypadá jako vlastní text, takže počet různých textů je horní odhad.",
            "Místo v kanálu je rozhodnutí redakce jen tam, kde kanál není řazen podle času.",
            "Co redakce nedá do kanálu, neexistuje. Co brána nepovolí, nevíme.",
            "Tutéž událost v různých jazycích spojí jen jména a čísla, která se píší stejně.",
            "Počet redakcí není míra důležitosti ani pravdivosti.",
        ],
        not: "Co neděláme",
        not_list: &[
            "Nestahujeme stránky webů a neobcházíme robots.txt.",
            "Neukládáme plné texty, obrázky ani jména autorů.",
            "Nevytváříme profily osob, ani čtenářů, ani novinářů.",
            "Nepoužíváme cizí statistiky ani nic, k čemu nemáme mít přístup.",
            "Nepíšeme vlastní shrnutí: titulky jsou redakcí.",
        ],
    },

    models: Models {
        title: "Dva modely vedle sebe",
        lede: "Model je pojmenovaná sada konstant. Tady je vidět, co jeho volba udělá s pořadím téhož žebříčku.",
        first: "první model",
        second: "druhý model",
        compare: "Porovnat",
        tau: "shoda pořadí (Kendallovo τ)",
        tau_text: &[
            "Kendallovo τ je podíl dvojic událostí, které oba modely řadí stejně, bez podílu těch, které řadí opačně: 1 je totéž pořadí, −1 opačné, 0 žádná souvislost.",
            "Porovnávají se události, které stojí na obou žebříčcích a aspoň na jednom mají heat.",
        ],
        events: "porovnané události",
        movers: "Největší posuny",
        movers_text: "Události, jejichž místo se mezi modely liší nejvíc, a činitel, který se liší největším poměrem.",
        same_order: "Oba modely řadí všechny porovnané události stejně.",
        event: "událost",
        rank_in: |model| format!("místo podle {model}"),
        heat_in: |model| format!("heat podle {model}"),
        why: "proč",
        differs: |factor, a, b| format!("{factor} {a} → {b}"),
        others_moved: "činitelé jsou stejní, posunuly se jiné události",
        formula_of: |model| format!("Heat podle {model}"),
        hash_text: "Otisk je SHA-256 zápisu modelu v JSON: stejný otisk znamená stejné konstanty.",
    },
};
