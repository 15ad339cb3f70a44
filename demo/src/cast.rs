//! Who publishes: the newsrooms, their owners, feeds, and how each treats robots.

use crate::{Language, Topic};

/// One invented newsroom; its host is `<slug>.localhost`.
#[derive(Clone, Debug)]
pub struct Newsroom {
    pub slug: &'static str,
    pub name: &'static str,
    pub owner: Option<&'static str>,
    /// ISO 3166-1 alpha-2.
    pub country: &'static str,
    pub language: Language,
    /// IANA time zone.
    pub timezone: &'static str,
    /// Share of what happens that it reports, in (0, 1].
    pub appetite: f64,
    /// Factor on the time it needs.
    pub slowness: f64,
    /// Chance that it reprints the agency instead of writing.
    pub reprints: f64,
    /// Writes for effect.
    pub popular: bool,
    /// Topics it leans to; empty for all alike.
    pub beat: &'static [Topic],
    pub robots: Robots,
    pub feeds: Vec<Feed>,
    /// Beside them, for readers who pick whom to follow.
    pub channel: Option<Feed>,
}

impl Newsroom {
    /// Its feeds, then its channel.
    pub fn sources(&self) -> impl Iterator<Item = &Feed> {
        self.feeds.iter().chain(&self.channel)
    }

    /// Name of the host and path of a source: its own, or those of the service that hosts it.
    #[must_use]
    pub fn place_of(&self, feed: &Feed) -> (&'static str, String) {
        if feed.hosted {
            (CHANNEL_SERVICE, format!("{CHANNEL_SERVICE_PATH}{}", self.slug))
        } else {
            (self.slug, feed.path.to_owned())
        }
    }

    /// The wire agency, whose copy others reprint.
    #[must_use]
    pub fn is_agency(&self) -> bool {
        self.slug == AGENCY
    }
}

/// Host of the service that has several newsrooms' channels, and the path before their names.
pub(crate) const CHANNEL_SERVICE: &str = "kanaly";
pub(crate) const CHANNEL_SERVICE_PATH: &str = "/channels/";
/// Slug of the wire agency.
pub(crate) const AGENCY: &str = "agentura-pramen";
/// How a reprint credits it.
pub(crate) const AGENCY_CREDIT: &str = "(Pramen)";

/// What a newsroom answers to a robot that asks whether it may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robots {
    /// 404.
    None,
    Allow,
    /// Every fetch but the first must wait this many seconds.
    CrawlDelay(u32),
    /// Only a different robot is shut out.
    OtherAgent,
    /// An HTML page with status 200.
    HtmlPage,
    /// Allows, after a third of a second.
    Slow,
    DisallowFeeds,
    DisallowAll,
    /// Allows, but `/.well-known/tdmrep.json` reserves text and data mining.
    TdmFile,
    /// Allows, but the feed's own answer carries `tdm-reservation: 1`.
    TdmHeader,
    /// 503.
    Unavailable,
}

impl Robots {
    /// Whether it is known before the first request to a feed that there may be none.
    #[must_use]
    pub fn forbids(self) -> bool {
        matches!(self, Self::DisallowFeeds | Self::DisallowAll | Self::TdmFile | Self::Unavailable)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Rss2,
    Rss1,
    Atom,
    JsonFeed,
    /// RSS 2.0 with Media RSS statistics.
    Video,
    /// A page of short posts in JSON.
    Channel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Newest,
    /// As on a front page: importance, fading with age.
    Importance,
    /// Newest first below the most important story of the last hours.
    Pinned,
}

/// A defect or oddity as found in the wild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    None,
    Windows1250,
    /// Ampersands in links are not escaped.
    BareAmpersand,
    /// Every fifth version breaks off before its end.
    Truncated,
    /// Dates two hours ahead.
    FutureDates,
    NoDates,
    /// Dates without a zone.
    ZonelessDates,
    /// A comma behind the last of a list, which JSON does not know.
    TrailingComma,
}

/// Which validators a feed's answers carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validators {
    Both,
    Etag,
    WeakEtag,
    LastModified,
}

#[derive(Clone, Debug)]
pub struct Feed {
    /// Empty for a newsroom's only feed.
    pub section: &'static str,
    pub path: &'static str,
    /// At the service for channels, under its newsroom's slug, instead of at `path`.
    pub hosted: bool,
    pub format: Format,
    pub order: Order,
    /// Longest listing, in items.
    pub length: usize,
    /// Topics it lists; empty for all.
    pub topics: &'static [Topic],
    /// Whoever follows it; 0 where views are not counted.
    pub subscribers: u32,
    pub quirk: Quirk,
    pub validators: Validators,
}

impl Feed {
    #[must_use]
    pub fn lists(&self, topic: Topic) -> bool {
        self.topics.is_empty() || self.topics.contains(&topic)
    }

    fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    fn quirk(mut self, quirk: Quirk) -> Self {
        self.quirk = quirk;
        self
    }

    fn validators(mut self, validators: Validators) -> Self {
        self.validators = validators;
        self
    }

    fn subscribers(mut self, count: u32) -> Self {
        self.subscribers = count;
        self
    }

    fn section(mut self, section: &'static str, topics: &'static [Topic]) -> Self {
        self.section = section;
        self.topics = topics;
        self
    }
}

fn feed(path: &'static str, format: Format, length: usize) -> Feed {
    Feed {
        section: "",
        path,
        hosted: false,
        format,
        order: Order::Newest,
        length,
        topics: &[],
        subscribers: 0,
        quirk: Quirk::None,
        validators: Validators::Both,
    }
}

/// A newsroom that differs from the plain one of its language only where the table says so.
fn newsroom(
    language: Language,
    slug: &'static str,
    name: &'static str,
    owner: &'static str,
    appetite: f64,
    robots: Robots,
    feeds: impl Into<Vec<Feed>>,
) -> Newsroom {
    let (country, timezone) = match language {
        Language::Czech => ("CZ", "Europe/Prague"),
        Language::Slovak => ("SK", "Europe/Bratislava"),
        Language::English => ("GB", "Europe/London"),
        Language::German => ("DE", "Europe/Berlin"),
    };
    Newsroom {
        slug,
        name,
        owner: Some(owner).filter(|owner| !owner.is_empty()),
        country,
        language,
        timezone,
        appetite,
        slowness: 1.0,
        reprints: 0.0,
        popular: false,
        beat: &[],
        robots,
        feeds: feeds.into(),
        channel: None,
    }
}

impl Newsroom {
    fn slow(mut self, factor: f64) -> Self {
        self.slowness = factor;
        self
    }

    fn reprinting(mut self, chance: f64) -> Self {
        self.reprints = chance;
        self
    }

    fn popular(mut self) -> Self {
        self.popular = true;
        self
    }

    fn beat(mut self, topics: &'static [Topic]) -> Self {
        self.beat = topics;
        self
    }

    fn channel(mut self, subscribers: u32, quirk: Quirk) -> Self {
        let (path, section) = match self.language {
            Language::Czech | Language::Slovak => ("/kanal.json", "Kanál"),
            Language::English => ("/channel.json", "Channel"),
            Language::German => ("/kanal.json", "Kanal"),
        };
        let page = feed(path, Format::Channel, 30).section(section, &[]);
        self.channel = Some(page.subscribers(subscribers).quirk(quirk));
        self
    }

    fn hosted_channel(self, subscribers: u32) -> Self {
        let mut newsroom = self.channel(subscribers, Quirk::None);
        if let Some(channel) = &mut newsroom.channel {
            channel.hosted = true;
        }
        newsroom
    }

    fn of(mut self, country: &'static str, timezone: &'static str) -> Self {
        self.country = country;
        self.timezone = timezone;
        self
    }
}

const NEWS: &[Topic] = &[
    Topic::Home,
    Topic::Regional,
    Topic::World,
    Topic::Business,
    Topic::Health,
    Topic::Science,
    Topic::Tech,
];
const HOME: &[Topic] = &[Topic::Home, Topic::Regional, Topic::Health];
const WORLD: &[Topic] = &[Topic::World, Topic::Business];
const ARTS: &[Topic] = &[Topic::Culture, Topic::Soft, Topic::Science, Topic::Health, Topic::Tech];
const ECONOMY: &[Topic] = &[Topic::Business, Topic::Tech];
const SPORT: &[Topic] = &[Topic::Sport];
const CULTURE: &[Topic] = &[Topic::Culture, Topic::Soft];
const KNOWLEDGE: &[Topic] =
    &[Topic::Science, Topic::Tech, Topic::Health, Topic::World, Topic::Culture];
const LOCAL: &[Topic] =
    &[Topic::Regional, Topic::Home, Topic::Sport, Topic::Culture, Topic::Health, Topic::Soft];
const MONEY: &[Topic] = &[Topic::Business, Topic::Tech, Topic::Home, Topic::World];

/// The whole cast, in a fixed order.
#[must_use]
pub fn newsrooms() -> Vec<Newsroom> {
    let mut all = czech();
    all.extend(slovak());
    all.extend(english());
    all.extend(german());
    all
}

#[rustfmt::skip]
fn czech() -> Vec<Newsroom> {
    use Format::{Atom, JsonFeed, Rss1, Rss2, Video};
    let new = |slug, name, owner, appetite, robots, feeds: Vec<Feed>| {
        newsroom(Language::Czech, slug, name, owner, appetite, robots, feeds)
    };
    vec![
        new(AGENCY, "Agentura Pramen", "Pramen, z. s.", 1.0, Robots::Allow,
            vec![feed("/zpravy/rss.xml", Rss2, 40)]).slow(0.5),
        new("denik-obzor", "Deník Obzor", "Obzor Media", 0.95, Robots::Allow, vec![
            feed("/rss/hlavni.xml", Rss2, 30).order(Order::Importance).section("Hlavní zprávy", &[]),
            feed("/rss/domaci.xml", Rss2, 25).section("Domácí", HOME),
            feed("/rss/sport.xml", Rss2, 20).section("Sport", SPORT),
        ]).slow(0.7).reprinting(0.15).channel(48_000, Quirk::None),
        new("hlas-dne", "Hlas dne", "Obzor Media", 0.9, Robots::Allow,
            vec![feed("/feed", Rss2, 30).order(Order::Pinned)]).popular().reprinting(0.2).channel(61_000, Quirk::None),
        new("vecerni-zpravodaj", "Večerní zpravodaj", "Obzor Media", 0.8, Robots::None,
            vec![feed("/rss", Rss2, 25)]).popular().reprinting(0.3),
        new("narodni-kuryr", "Národní kurýr", "Mlýnská vydavatelská", 0.9, Robots::CrawlDelay(10), vec![
            feed("/rss/zpravy", Atom, 30).section("Zprávy", NEWS),
            feed("/rss/ekonomika", Atom, 20).section("Ekonomika", ECONOMY),
        ]).reprinting(0.2),
        new("ceska-stopa", "Česká stopa", "Mlýnská vydavatelská", 0.8, Robots::Allow,
            vec![feed("/atom.xml", Atom, 25)]).reprinting(0.1),
        new("radio-trasa", "Rádio Trasa", "Veřejné vysílání Trasa", 0.9, Robots::Allow, vec![
            feed("/feeds/zpravy.xml", Rss2, 30).section("Zprávy", NEWS).order(Order::Importance),
            feed("/feeds/svet.xml", Rss2, 15).section("Svět", WORLD),
            feed("/feeds/kultura.xml", Rss2, 15).section("Kultura a věda", ARTS),
        ]).slow(0.8).channel(35_000, Quirk::None),
        new("zpravy-na-dlani", "Zprávy na dlani", "Digitální sešit", 0.85, Robots::OtherAgent,
            vec![feed("/feed.json", JsonFeed, 30)]).reprinting(0.45).slow(0.7),
        new("infopult", "Infopult", "Digitální sešit", 0.75, Robots::HtmlPage,
            vec![feed("/rss.php", Rss2, 40).validators(Validators::Etag)]).reprinting(0.5).channel(9_000, Quirk::TrailingComma),
        new("trzni-list", "Tržní list", "Florián a synové", 0.65, Robots::Allow,
            vec![feed("/rss/vse.xml", Rss2, 25)]).beat(MONEY),
        new("kapital-plus", "Kapitál plus", "Florián a synové", 0.55, Robots::TdmFile,
            vec![feed("/feed/", Rss2, 20)]).beat(MONEY),
        new("sportovni-ring", "Sportovní ring", "Ring a Branka", 0.75, Robots::Allow,
            vec![feed("/rss/clanky.xml", Rss2, 40).order(Order::Importance)]).beat(SPORT).popular().channel(27_000, Quirk::None),
        new("gol-denne", "Gól denně", "Ring a Branka", 0.6, Robots::Slow,
            vec![feed("/rss.xml", Rss1, 20)]).beat(SPORT),
        new("kramarsky-denik", "Kramářský deník", "Sever Tisk", 0.65, Robots::Allow,
            vec![feed("/rss", Rss2, 20).quirk(Quirk::Windows1250)]).beat(LOCAL).reprinting(0.3),
        new("olsavske-noviny", "Olšavské noviny", "Sever Tisk", 0.6, Robots::None,
            vec![feed("/rss.xml", Rss2, 15).quirk(Quirk::Windows1250).validators(Validators::LastModified)])
            .beat(LOCAL).reprinting(0.35).slow(1.6),
        new("vranohradske-listy", "Vranohradské listy", "Sever Tisk", 0.6, Robots::Allow,
            vec![feed("/rss", Rss2, 15)]).beat(LOCAL).reprinting(0.3).slow(1.5),
        new("lidovy-hled", "Lidový hled", "", 0.7, Robots::DisallowFeeds,
            vec![feed("/export/rss.xml", Rss2, 30)]).popular(),
        new("technik-dnes", "Technik dnes", "Digitální sešit", 0.5, Robots::Allow,
            vec![feed("/index.rdf", Rss1, 15)]).beat(KNOWLEDGE).slow(1.8),
        new("zdravi-a-my", "Zdraví a my", "Mlýnská vydavatelská", 0.45, Robots::Allow,
            vec![feed("/feed/", Rss2, 12).quirk(Quirk::NoDates)]).beat(&[Topic::Health, Topic::Soft]).slow(2.0),
        new("tyden-v-kostce", "Týden v kostce", "", 0.5, Robots::Unavailable,
            vec![feed("/rss", Rss2, 20)]).slow(2.5),
        new("kulturni-sklep", "Kulturní sklep", "", 0.45, Robots::CrawlDelay(5),
            vec![feed("/atom", Atom, 12).validators(Validators::WeakEtag)]).beat(CULTURE).slow(2.0),
        new("rychlik24", "Rychlík 24", "Ring a Branka", 0.85, Robots::Allow,
            vec![feed("/rss/aktualne.xml", Rss2, 40).quirk(Quirk::FutureDates)]).slow(0.6).popular().reprinting(0.4).channel(54_000, Quirk::None),
        new("kanal-mozaika", "Kanál Mozaika", "Veřejné vysílání Trasa", 0.55, Robots::Allow,
            vec![feed("/feeds/videos.xml", Video, 15).subscribers(54_000)]).slow(1.4),
    ]
}

#[rustfmt::skip]
fn slovak() -> Vec<Newsroom> {
    use Format::{Atom, JsonFeed, Rss2};
    let new = |slug, name, owner, appetite, robots, feeds: Vec<Feed>| {
        newsroom(Language::Slovak, slug, name, owner, appetite, robots, feeds)
    };
    vec![
        new("dennik-brehy", "Denník Brehy", "Brehy Press", 0.95, Robots::Allow, vec![
            feed("/rss/hlavne.xml", Rss2, 30).order(Order::Importance).section("Hlavné správy", &[]),
            feed("/rss/ekonomika.xml", Rss2, 15).section("Ekonomika", ECONOMY),
        ]).slow(0.7).channel(22_000, Quirk::None),
        new("rimnianske-spravy", "Rimnianske správy", "Brehy Press", 0.7, Robots::None,
            vec![feed("/feed", Rss2, 20)]).beat(LOCAL),
        new("slovo-dna", "Slovo dňa", "Obzor Media", 0.85, Robots::Allow,
            vec![feed("/rss", Rss2, 30).order(Order::Pinned)]).popular().hosted_channel(31_000),
        new("radio-jasen", "Rádio Jaseň", "Verejná stanica Jaseň", 0.85, Robots::Slow,
            vec![feed("/spravy/atom.xml", Atom, 25)]).slow(0.8),
        new("trhovnik", "Trhovník", "Brehy Press", 0.55, Robots::TdmHeader,
            vec![feed("/rss.xml", Rss2, 20)]).beat(MONEY),
        new("sport-pod-tatranskom", "Šport pod Tatranským", "Ring a Branka", 0.6, Robots::Allow,
            vec![feed("/feed.json", JsonFeed, 20)]).beat(SPORT),
        new("rychle-info", "Rýchle info", "Digitální sešit", 0.85, Robots::HtmlPage,
            vec![feed("/rss/vsetko", Rss2, 40).quirk(Quirk::Truncated)]).slow(0.6).popular(),
        new("tyzdenna-revue", "Týždenná revue", "", 0.5, Robots::DisallowAll,
            vec![feed("/rss", Rss2, 15)]).slow(2.0).channel(4_000, Quirk::None),
        new("kraj-a-ludia", "Kraj a ľudia", "", 0.6, Robots::Allow,
            vec![feed("/feed", Rss2, 15)]).beat(LOCAL).slow(1.5),
    ]
}

#[rustfmt::skip]
fn english() -> Vec<Newsroom> {
    use Format::{Atom, JsonFeed, Rss1, Rss2};
    let new = |slug, name, owner, appetite, robots, feeds: Vec<Feed>| {
        newsroom(Language::English, slug, name, owner, appetite, robots, feeds)
    };
    vec![
        new("marlshire-courier", "The Marlshire Courier", "Tarnside Newspapers", 0.95, Robots::Allow,
            vec![feed("/feeds/rss.xml", Rss2, 30).order(Order::Importance)]).slow(0.7).hosted_channel(18_000),
        new("saltmere-bell", "Saltmere Evening Bell", "Tarnside Newspapers", 0.75, Robots::None,
            vec![feed("/rss", Rss2, 20)]).popular(),
        new("netherwick-mail-post", "Netherwick Mail-Post", "Tarnside Newspapers", 0.7, Robots::Allow,
            vec![feed("/feed.atom", Atom, 15)]).beat(LOCAL),
        new("lantern-world", "Lantern World", "Lantern Trust", 0.9, Robots::CrawlDelay(15),
            vec![feed("/index.rdf", Rss1, 30)]).slow(0.6).beat(NEWS).channel(40_000, Quirk::None),
        new("the-ledgerman", "The Ledgerman", "Lantern Trust", 0.6, Robots::OtherAgent,
            vec![feed("/feed.json", JsonFeed, 20)]).beat(MONEY),
        new("touchline-daily", "Touchline Daily", "Ring a Branka", 0.6, Robots::Allow,
            vec![feed("/rss.xml", Rss2, 25)]).beat(SPORT),
        new("kilderry-messenger", "Kilderry Messenger", "", 0.8, Robots::Allow,
            vec![feed("/feed/", Rss2, 20).quirk(Quirk::ZonelessDates)]).of("IE", "UTC"),
        new("quire-and-beaker", "Quire & Beaker", "Lantern Trust", 0.5, Robots::TdmFile,
            vec![feed("/rss", Rss2, 12)]).beat(KNOWLEDGE).slow(2.0),
    ]
}

#[rustfmt::skip]
fn german() -> Vec<Newsroom> {
    use Format::{Atom, JsonFeed, Rss1, Rss2};
    let new = |slug, name, owner, appetite, robots, feeds: Vec<Feed>| {
        newsroom(Language::German, slug, name, owner, appetite, robots, feeds)
    };
    vec![
        new("esterland-bote", "Esterland-Bote", "Estermark Verlag", 0.95, Robots::Allow, vec![
            feed("/rss/aktuell.xml", Rss2, 30).order(Order::Importance).section("Aktuell", &[]),
            feed("/rss/sport.xml", Rss2, 15).section("Sport", SPORT),
        ]).slow(0.7).hosted_channel(26_000),
        new("lohtaler-rundblick", "Lohtaler Rundblick", "Estermark Verlag", 0.75, Robots::Allow,
            vec![feed("/feed", Rss2, 20).validators(Validators::LastModified)]).beat(LOCAL),
        new("steinach-umschau", "Steinach-Umschau", "Estermark Verlag", 0.7, Robots::None,
            vec![feed("/rss", Rss2, 20).quirk(Quirk::BareAmpersand)]).beat(LOCAL),
        new("nordmark-abend", "Nordmark am Abend", "Haus Federkiel", 0.85, Robots::Allow,
            vec![feed("/rss.xml", Rss1, 30)]).popular(),
        new("tagesfaden", "Tagesfaden", "Haus Federkiel", 0.85, Robots::Slow,
            vec![feed("/atom.xml", Atom, 25)]).slow(0.8).hosted_channel(15_000),
        new("marktfenster", "Marktfenster", "Haus Federkiel", 0.55, Robots::Allow,
            vec![feed("/feed.json", JsonFeed, 20)]).beat(MONEY),
        new("kurvenblatt", "Kurvenblatt", "Ring a Branka", 0.6, Robots::DisallowFeeds,
            vec![feed("/export/feed.xml", Rss2, 25)]).beat(SPORT),
        new("donauwinkel-heute", "Donauwinkel heute", "", 0.75, Robots::HtmlPage,
            vec![feed("/rss", Rss2, 20)]).of("AT", "Europe/Vienna"),
        new("bergseite", "Bergseite", "", 0.7, Robots::Allow,
            vec![feed("/feed/", Rss2, 15).quirk(Quirk::NoDates)]).of("CH", "Europe/Zurich").slow(1.3),
    ]
}
