// The site in a real browser, over the real binary and a day of the demo's newsrooms.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, describe, test } from "node:test";

import { launch, Reader, sizes } from "./support/browser.mjs";
import { Instance } from "./support/instance.mjs";

/** A4 within its margins, at 96 dots per inch. */
const PAPER = { width: 718, height: 1047 };

const LANGUAGES = {
  cs: { prefix: "", skip: "Přeskočit na obsah" },
  en: { prefix: "/en", skip: "Skip to content" },
};

let instance;
let browser;
/** Addresses that depend on what the demo invented. */
let broadest;
let lone;
let past;
let refused;
/** Channels that the gate permits. */
let permitted;
/** A word of the broadest event's title, and the address of the greatest topic. */
let word;
let topic;
/** Opened first and left alone, so that a real recompute comes while it is read. */
let listener;
/** Every address of the site that a page was seen to link to. */
const linked = new Set();

before(async () => {
  [instance, browser] = await Promise.all([Instance.start(), launch()]);
  listener = await Reader.come(browser, instance.origin);
  await listener.open("/");
  const { at, events } = await instance.json("/v1/events?limit=500");
  broadest = events.reduce((a, b) => (b.mentions.length > a.mentions.length ? b : a));
  lone = events.find((event) => event.mentions.length === 1);
  assert.ok(broadest.mentions.length > 5 && lone);
  const { newsrooms, sources } = await instance.json("/v1/sources");
  const { source } = sources.find(({ check }) => check?.verdict === "disallowed");
  refused = { slug: source.slug, name: newsrooms.find(({ id }) => id === source.newsroom).name };
  permitted = sources.filter(({ check }) => check?.verdict === "allowed").map(({ source }) => source.slug);
  word = broadest.title.match(/\p{L}{5,}/u)[0];
  const board = await (await fetch(`${instance.origin}/`)).text();
  topic = board.match(/href="(\/\?topic=[^"]+)"/)[1];
  past = new Date((at - 6 * 3600) * 1000).toISOString().replace(".000", "");
});

after(async () => {
  await browser?.close();
  await instance?.kill();
});

/** "/" and "/?at=…" are "/en" and "/en?at=…" in English. */
const localised = (path, prefix) => (prefix ? prefix + path.replace(/^\/(?=$|\?)/, "") : path);

const chosen = (slugs) => slugs.map((slug) => `channel=${slug}`).join("&");

const come = (options) => Reader.come(browser, instance.origin, options);

const PAGES = [
  {
    name: "board",
    path: () => "/",
    cs: "Co redakce zvedají",
    en: "What newsrooms lift",
    shows: ".board > li",
  },
  {
    name: "past board",
    path: () => `/?at=${past}`,
    cs: "Co redakce zvedají",
    en: "What newsrooms lift",
    shows: ".board > li",
  },
  { name: "event", path: () => `/event/${broadest.id}`, h1: () => broadest.title, shows: "svg.chart" },
  { name: "lone event", path: () => `/event/${lone.id}`, h1: () => lone.title },
  {
    name: "topic",
    path: () => topic,
    cs: "Co redakce zvedají",
    en: "What newsrooms lift",
    shows: ".topics [aria-current]",
  },
  { name: "search", path: () => "/search", cs: "Hledání", en: "Search" },
  { name: "found", path: () => `/search?q=${encodeURIComponent(word)}`, cs: "Hledání", en: "Search", shows: "mark" },
  { name: "not found", path: () => "/search?q=xyzzy", cs: "Hledání", en: "Search", shows: ".empty" },
  { name: "newsrooms", path: () => "/newsrooms", cs: "Redakce", en: "Newsrooms", shows: ".figures tbody tr" },
  { name: "owners", path: () => "/newsrooms?by=owner&sort=coverage", cs: "Redakce", en: "Newsrooms", shows: "[aria-sort]" },
  { name: "desk unchosen", path: () => "/desk", cs: "Desk", en: "Desk", shows: ".empty" },
  { name: "desk", path: () => "/desk?newsroom=agentura-pramen&n=2", h1: () => "Desk: Agentura Pramen", shows: ".desk tbody tr" },
  { name: "videos", path: () => "/videos", cs: "Videa", en: "Videos", shows: ".figures tbody tr" },
  { name: "feed unchosen", path: () => "/feed", cs: "Feed", en: "Feed", shows: ".starts a" },
  {
    name: "feed",
    path: () => `/feed?${chosen(permitted.slice(0, 4))}`,
    cs: "Feed",
    en: "Feed",
    shows: ".posts > li",
  },
  {
    name: "feed that lacks",
    path: () => `/feed?${chosen([permitted[0], refused.slug, "nobody"])}&q=e`,
    cs: "Feed",
    en: "Feed",
    shows: "#posts .warn li",
  },
  { name: "sources", path: () => "/sources", cs: "Zdroje", en: "Sources", shows: ".sources tbody tr" },
  { name: "source", path: () => "/source/agentura-pramen", h1: () => "Agentura Pramen" },
  { name: "refused source", path: () => `/source/${refused.slug}`, h1: () => refused.name },
  { name: "status", path: () => "/status", cs: "Stav sběru", en: "State of collecting", shows: ".notice.good" },
  {
    name: "methodology",
    path: () => "/methodology",
    cs: "Jak se to měří",
    en: "How it is measured",
  },
  {
    name: "models",
    path: () => "/methodology/models",
    cs: "Dva modely vedle sebe",
    en: "Two models side by side",
    shows: ".tiles",
  },
  {
    name: "docs",
    path: () => "/docs",
    cs: "Rozhraní pro\u00a0stroje",
    en: "Interface for machines",
    shows: "main table",
  },
  {
    name: "missing",
    path: () => "/event/999999999",
    cs: "Tady nic není",
    en: "Nothing is here",
    status: 404,
  },
  {
    name: "refused",
    path: () => "/?at=nonsense",
    cs: "Tomu nerozumíme",
    en: "We do not understand",
    status: 400,
  },
];

/** What holds of every page, however it is looked at. */
async function check(reader, page, code) {
  const facts = await reader.page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
    const anchors = [...document.querySelectorAll("a[href]")];
    return {
      lang: document.documentElement.lang,
      h1: [...document.querySelectorAll("h1")].map((it) => it.textContent.trim()),
      title: document.title,
      text: document.body.innerText,
      twice: ids.filter((id, index) => ids.indexOf(id) !== index),
      dangling: anchors
        .map((it) => it.getAttribute("href"))
        .filter((href) => href.startsWith("#") && !document.getElementById(href.slice(1))),
      own: anchors.map((it) => it.href).filter((href) => href.startsWith(location.origin)),
      broken: [...document.querySelectorAll(".count, .tiles dd, .verdict, button")]
        .filter((it) => it.offsetWidth && /^[^ ]+$/.test(it.lastChild?.textContent.trim() ?? ""))
        .filter((it) => {
          const range = document.createRange();
          range.selectNodeContents(it.lastChild);
          return range.getClientRects().length > 1;
        })
        .map((it) => it.textContent),
      nameless: [...document.querySelectorAll("svg[role=img]")].filter(
        (it) => !it.getAttribute("aria-label") && !it.querySelector("title")?.textContent,
      ).length,
    };
  });
  assert.equal(facts.lang, code);
  if (page.shows) assert.notEqual(await reader.page.locator(page.shows).count(), 0, page.shows);
  assert.deepEqual(facts.h1, [page.h1?.() ?? page[code]]);
  assert.match(facts.title, / – Ohlas$/);
  assert.doesNotMatch(facts.text, /\bNaN\b|undefined|Infinity|\binf\b|\{\}/);
  assert.deepEqual(facts.twice, []);
  assert.deepEqual(facts.dangling, []);
  assert.equal(facts.nameless, 0);
  assert.deepEqual(facts.broken, [], "words are broken");
  for (const href of facts.own) linked.add(href.split("#")[0]);
}

describe("every page", { concurrency: 2 }, () => {
  for (const page of PAGES) {
    for (const [code, { prefix }] of Object.entries(LANGUAGES)) {
      const address = () => localised(page.path(), prefix);
      const file = `${page.name.replace(" ", "-")}-${code}`;

      test(`${page.name}, ${code}`, async () => {
        const reader = await come();
        await reader.open(address(), page.status);
        await reader.alive();
        await check(reader, page, code);
        await reader.accessible("desktop");
        await reader.screenshot(`${file}-desktop`);
        await reader.page.emulateMedia({ colorScheme: "dark" });
        await reader.accessible("dark", ["color-contrast"]);
        if (code === "cs") await reader.screenshot(`${file}-dark`);
        await reader.page.emulateMedia({ colorScheme: "light" });
        await reader.fits(sizes.PHONE);
        await check(reader, page, code);
        await reader.accessible("phone");
        await reader.screenshot(`${file}-phone`);
        await reader.fits(sizes.NARROW);
        await reader.leave();
      });

      test(`${page.name}, ${code}, without JavaScript`, async () => {
        const reader = await come({ javaScriptEnabled: false });
        await reader.open(address(), page.status);
        await check(reader, page, code);
        assert.equal(await reader.page.locator(".tools button:visible").count(), 0);
        if (code === "cs") await reader.screenshot(`${file}-nojs`);
        await reader.fits(sizes.PHONE);
        await reader.leave();
      });
    }
  }
});

/** Events on all pages of the board, as it says itself: the last number of "50 of 188 events". */
async function counted(page) {
  const text = await page.locator(".bar b").innerText();
  return Number(text.replace(/(\d)[\s,](?=\d{3})/g, "$1").match(/\d+/g).at(-1));
}

const newsrooms = (page) =>
  page.locator(".board .count b").evaluateAll((all) => all.map((it) => Number(it.textContent)));

describe("the board", { concurrency: 2 }, () => {
  test("filters and search are plain forms", async () => {
    const reader = await come({ javaScriptEnabled: false, viewport: sizes.PHONE });
    const { page } = reader;
    await reader.open("/");
    const all = await counted(page);
    await page.locator(".filters summary").click();
    await page.getByLabel("Hledat v titulcích").fill(word.toUpperCase());
    await page.getByRole("button", { name: "Použít" }).click();
    assert.equal(new URL(page.url()).searchParams.get("q"), word.toUpperCase());
    const found = await counted(page);
    assert.ok(found >= 1 && found < all, `${found} of ${all}`);
    assert.ok(await page.locator(`.board a[href="/event/${broadest.id}"]`).isVisible());
    assert.equal(await page.getByLabel("Hledat v titulcích").inputValue(), word.toUpperCase());

    await page.getByLabel("Hledat v titulcích").fill("");
    await page.getByLabel("Jazyk").selectOption("sk");
    await page.getByLabel("Období").selectOption("12");
    await page.getByRole("button", { name: "Použít" }).click();
    const slovak = await counted(page);
    assert.ok(slovak >= 1 && slovak < all, `${slovak} of ${all}`);
    const languages = await page.locator(".board h2 bdi").evaluateAll((all) => all.map((it) => it.lang));
    assert.deepEqual([...new Set(languages)], ["sk"]);

    await page.getByLabel("Jazyk").selectOption("");
    await page.getByLabel("Období").selectOption("");
    await page.getByLabel("i události jediné redakce").check();
    await page.getByRole("button", { name: "Použít" }).click();
    assert.ok((await counted(page)) > all);
    // Without heat they come last.
    await page.goto(`${page.url()}&page=999`);
    assert.equal((await newsrooms(page)).at(-1), 1);
    await reader.leave();
  });

  test("filters that match nothing say so and lead back", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/en?q=xyzzy");
    assert.equal(await page.locator(".board").count(), 0);
    assert.match(await page.locator(".empty").innerText(), /No event matches the filters/);
    await page.getByRole("link", { name: "Show without filters" }).click();
    assert.ok((await page.locator(".board > li").count()) > 0);
    await reader.leave();
  });

  test("sorts are links that keep the filters", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/?lang=cs");
    const all = await counted(page);
    const sorts = page.getByRole("navigation", { name: "Řadit" });
    await sorts.getByRole("link", { name: "redakce" }).click();
    assert.equal(new URL(page.url()).search, "?lang=cs&sort=newsrooms");
    const counts = await newsrooms(page);
    assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
    await sorts.getByRole("link", { name: "nejnovější" }).click();
    const firsts = await page
      .locator(".board .facts")
      .evaluateAll((all) => all.map((it) => it.querySelector("time").dateTime));
    assert.deepEqual(firsts, [...firsts].sort().reverse());
    assert.equal(await counted(page), all);
    assert.equal(await sorts.locator("[aria-current]").innerText(), "nejnovější");
    await reader.leave();
  });

  test("pages of fifty follow each other", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/en");
    const titles = () => page.locator(".board h2").allInnerTexts();
    const first = await titles();
    assert.equal(first.length, 50);
    await page.getByRole("link", { name: "Next" }).click();
    assert.equal(new URL(page.url()).searchParams.get("page"), "2");
    const second = await titles();
    assert.ok(second.length > 0 && second.length <= 50);
    const current = page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]");
    assert.equal(await current.innerText(), "2");
    await page.getByRole("link", { name: "Previous" }).click();
    assert.equal(new URL(page.url()).search, "");
    await reader.leave();
  });

  test("the five factors open without JavaScript and multiply to the heat", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/en");
    const row = page.locator(".board > li").first();
    assert.equal(await row.locator("dl").isVisible(), false);
    await row.locator("summary").click();
    assert.deepEqual(await row.locator("dt").allInnerTexts(), [
      "breadth",
      "velocity",
      "priority",
      "persistence",
      "decay",
    ]);
    const number = (text) => Number(text.replace(/,/g, ""));
    const factors = (await row.locator("dd").allInnerTexts()).map(number);
    const heat = number(await row.locator("summary b").innerText());
    const product = factors.reduce((product, factor) => product * factor);
    assert.ok(Math.abs(product / heat - 1) < 0.03, `${factors.join(" × ")} = ${product}, not ${heat}`);
    await reader.leave();
  });

  test("an event is read from the board", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/");
    const link = page.locator(".board h2 a").first();
    const [title, count] = [await link.innerText(), (await newsrooms(page))[0]];
    await link.click();
    assert.equal(await page.locator("h1").innerText(), title);
    assert.equal(await page.locator(".event .count b").innerText(), String(count));
    await reader.leave();
  });

  test("another moment is one link away, and the way back too", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/");
    const moment = () => page.locator(".bar time").getAttribute("datetime");
    const now = Date.parse(await moment());
    await page.getByRole("link", { name: "− 6 h" }).click();
    assert.ok(new URL(page.url()).searchParams.has("at"));
    assert.ok(Math.abs(now - Date.parse(await moment()) - 6 * 3_600_000) <= 60_000);
    // What is read from a past board stays in the past.
    await page.locator(".board h2 a").first().click();
    assert.ok(new URL(page.url()).searchParams.has("at"));
    await page.getByRole("link", { name: "Zpět na současný stav" }).click();
    assert.equal(new URL(page.url()).search, "");
    await reader.leave();
  });

  test("before history there is no data, which is not the same as no events", async () => {
    const reader = await come({ javaScriptEnabled: false });
    await reader.open("/en?at=2020-02-02T00:00:00Z");
    assert.match(await reader.page.locator(".empty").innerText(), /There is no data yet/);
    await reader.open(`/en/status?at=${past}`);
    assert.match(await reader.page.locator(".notice.good").innerText(), /Collecting runs/);
    await reader.leave();
  });

  test("moves nothing once it is shown", async () => {
    for (const viewport of [sizes.DESKTOP, sizes.PHONE]) {
      const reader = await come({ viewport });
      // The islands start when the page stands: what is still being parsed may be shown in parts.
      await reader.page.route("**/*.wasm", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      await reader.open("/");
      const shown = await reader.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
      );
      await reader.alive();
      await reader.page.getByRole("slider").waitFor();
      const shifts = await reader.page.evaluate(
        (shown) =>
          new Promise((resolve) => {
            const shifts = [];
            const observer = new PerformanceObserver((list) => {
              for (const { startTime, value, sources } of list.getEntries()) {
                if (startTime <= shown) continue;
                shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 120))]);
              }
            });
            observer.observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(shifts), 1_000);
          }),
        shown,
      );
      assert.deepEqual(shifts, [], `${viewport.width} px`);
      await reader.leave();
    }
  });

  test("is light: HTML and stylesheet within 45 KB on the wire", async () => {
    let bytes = 0;
    for (const path of ["/", "/pkg/ohlas.css"]) {
      const request = http.get(instance.origin + path, { headers: { "accept-encoding": "gzip" } });
      const [answer] = await once(request, "response");
      assert.equal(answer.headers["content-encoding"], "gzip", path);
      for await (const chunk of answer) bytes += chunk.length;
    }
    assert.ok(bytes <= 45_000, `${bytes} bytes`);
  });
});

describe("an event", { concurrency: 2 }, () => {
  test("gives the data of every chart as CSV", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open(`/event/${broadest.id}`);
    const links = page.locator('a[href*=".csv"]');
    const addresses = await links.evaluateAll((all) => all.map((it) => it.href));
    assert.equal(addresses.length, await page.locator("svg.chart").count());
    const tables = {};
    for (const address of addresses) {
      const answer = await fetch(address);
      assert.equal(answer.status, 200, address);
      assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
      const lines = (await answer.text()).trimEnd().split("\r\n");
      tables[address.match(/(\w+)\.csv/)[1]] = lines.slice(1);
    }
    assert.deepEqual(Object.keys(tables), ["heat", "scores", "mentions", "positions"]);
    const count = Number(await page.locator(".event .count b").innerText());
    assert.equal(tables.mentions.length, count);
    assert.ok(tables.positions.length >= count);
    const values = tables.heat.map((line) => Number(line.split(",").at(-1)));
    const product = values.slice(0, 5).reduce((product, factor) => product * factor);
    assert.ok(Math.abs(product / values[5] - 1) < 1e-9);
    await reader.leave();
  });

  test("draws charts whose every word can be read", async () => {
    const reader = await come();
    for (const path of [broadest, lone]
      .flatMap(({ id }) => [`/event/${id}`, `/en/event/${id}`])
      .concat("/status", "/videos")) {
      await reader.open(path);
      const { charts, bad } = await reader.page.evaluate(() => {
        const svgs = [...document.querySelectorAll("svg.chart")];
        const meet = (a, b) =>
          a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        const bad = svgs.flatMap((svg) => {
          const frame = svg.getBoundingClientRect();
          // Numbers in discs mark lines, which may start at one place.
          const texts = [...svg.querySelectorAll("text")].filter((it) => it.textContent.trim());
          const boxes = texts.map((it) => it.getBoundingClientRect());
          return texts.flatMap((text, index) => {
            const box = boxes[index];
            const out =
              box.left < frame.left - 1 ||
              box.right > frame.right + 1 ||
              box.top < frame.top - 1 ||
              box.bottom > frame.bottom + 1;
            const over = texts.slice(0, index).filter(
              (other, before) => meet(boxes[before], box) && !/^\d$/.test(text.textContent.trim()),
            );
            const name = svg.querySelector("title").textContent;
            return [
              ...(out ? [`${name}: ${text.textContent} is cut`] : []),
              ...over.map((other) => `${name}: ${text.textContent} over ${other.textContent}`),
            ];
          });
        });
        return { charts: svgs.length, bad };
      });
      assert.ok(charts >= 1, path);
      assert.deepEqual(bad, [], path);
    }
    await reader.leave();
  });

  test("is shown by its permalink as it was cited", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open(`/en/event/${broadest.id}`);
    const said = async () => [
      await page.locator("h1").innerText(),
      await page.locator(".event .count").innerText(),
      ...(await page.locator(".event .tiles div").allInnerTexts()),
      await page.locator(".factors").innerText(),
    ];
    const now = await said();
    const link = page.locator("section[aria-labelledby=citation] a").first();
    const address = await link.getAttribute("href");
    assert.equal(await link.innerText(), address);
    await link.click();
    assert.equal(page.url(), address);
    const shown = await page.locator(".notice time").getAttribute("datetime");
    assert.equal(shown, new URL(address).searchParams.get("at"));
    assert.deepEqual(await said(), now);
    await reader.leave();
  });

  test("leads to the newsroom's article, which says that it is invented", async () => {
    const { page } = await come();
    await page.goto(`/event/${broadest.id}`);
    await page.locator(".items a").first().click();
    await page.waitForURL((url) => url.hostname.endsWith(".localhost"));
    assert.match(await page.locator("main").innerText(), /smyšlené|vymyslené|invented|erfunden/);
    await page.context().close();
  });
});

describe("embeds", { concurrency: 2 }, () => {
  test("stand in a page of another origin, which nothing else may", async () => {
    const reader = await come({ viewport: sizes.PHONE });
    const { page } = reader;
    const frames = ["/embed/board", `/en/embed/event/${broadest.id}?theme=dark`, "/"];
    const html = frames.map((path) => `<iframe src="${instance.origin}${path}"></iframe>`).join("");
    const elsewhere = http
      .createServer((_, answer) => answer.setHeader("content-type", "text/html").end(html))
      .listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const origin = `http://127.0.0.1:${elsewhere.address().port}`;
    await page.goto(origin, { waitUntil: "load" });
    const [board, event, whole] = page.frames().slice(1);
    assert.ok((await board.locator("li").count()) > 1);
    assert.equal(await event.locator("h2").innerText(), broadest.title);
    assert.equal(await event.locator("html").getAttribute("data-theme"), "dark");
    assert.match(whole.url(), /^chrome-error:/);
    // The whole site in a frame is what the browser complains of, and nothing else.
    const complaints = reader.troubles.filter((it) => it !== `request to ${origin}`);
    assert.equal(complaints.length, 1, complaints.join("\n"));
    assert.match(complaints[0], /frame-ancestors/);
    await reader.context.close();
    elsewhere.close();
  });

  for (const [code, { prefix }] of Object.entries(LANGUAGES)) {
    test(`are accessible and run nothing, ${code}`, async () => {
      for (const [name, path] of [
        ["board", "/embed/board"],
        ["event", `/embed/event/${broadest.id}`],
        ["missing", "/embed/event/999999999"],
      ]) {
        const reader = await come({ viewport: sizes.PHONE });
        await reader.open(prefix + path, name === "missing" ? 404 : 200);
        assert.equal(await reader.page.locator("script").count(), 0);
        assert.equal(await reader.page.locator("html").getAttribute("lang"), code);
        await reader.accessible("light");
        await reader.screenshot(`embed-${name}-${code}-phone`);
        await reader.page.emulateMedia({ colorScheme: "dark" });
        await reader.accessible("dark", ["color-contrast"]);
        await reader.screenshot(`embed-${name}-${code}-dark`);
        await reader.fits(sizes.NARROW);
        await reader.leave();
      }
    });
  }
});

describe("on paper", () => {
  test("stands what is to be read and nothing to operate", async () => {
    const reader = await come();
    await reader.page.emulateMedia({ media: "print", colorScheme: "dark" });
    await reader.page.addInitScript(() => localStorage.setItem("theme", "dark"));
    for (const [name, path] of [
      ["board", "/"],
      ["event", `/event/${broadest.id}`],
      ["desk", "/desk?newsroom=agentura-pramen&n=2"],
      ["methodology", "/methodology"],
    ]) {
      await reader.open(path);
      await reader.page.locator("h1").waitFor();
      assert.equal(await reader.page.locator("nav:visible, button:visible, input:visible").count(), 0, name);
      assert.equal(await reader.page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
      await reader.fits(PAPER);
      await reader.screenshot(`${name}-print`);
    }
    await reader.leave();
  });
});

describe("pictures of links", () => {
  test("are drawn for an event and for the site", async () => {
    const reader = await come({ javaScriptEnabled: false, viewport: { width: 1200, height: 630 } });
    for (const [name, path] of [
      ["event", `/event/${broadest.id}/og.png`],
      ["board", "/en/og.png"],
    ]) {
      await reader.open(path);
      const size = await reader.page.locator("img").evaluate((it) => [it.naturalWidth, it.naturalHeight]);
      assert.deepEqual(size, [1200, 630]);
      await reader.screenshot(`picture-${name}`);
    }
    await reader.context.close();
  });
});

describe("languages", { concurrency: 2 }, () => {
  test("switch on the page that is being read", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    for (const [path, status] of [
      [`/?sort=newest&at=${past}`],
      [`/event/${broadest.id}`],
      ["/sources"],
      ["/source/agentura-pramen"],
      ["/methodology"],
      ["/nowhere", 404],
    ]) {
      await reader.open(path, status);
      await page.getByRole("link", { name: "English" }).click();
      const english = new URL(page.url());
      const expected = new URL(localised(path, "/en"), instance.origin);
      assert.equal(english.pathname, expected.pathname);
      assert.deepEqual([...english.searchParams], [...expected.searchParams]);
      assert.equal(await page.locator("html").getAttribute("lang"), "en");
      await page.getByRole("link", { name: "Česky" }).click();
      assert.equal(await page.locator("html").getAttribute("lang"), "cs");
      assert.equal(new URL(page.url()).pathname, path.split("?")[0]);
    }
    await reader.leave();
  });
});

describe("search", { concurrency: 2 }, () => {
  test("finds from every page, marks what it found and leads to the event", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/status");
    const box = page.getByRole("search").getByLabel("Hledat v událostech");
    await box.fill(broadest.title.normalize("NFD").replace(/\p{M}/gu, "").toUpperCase());
    await box.press("Enter");
    assert.equal(new URL(page.url()).pathname, "/search");
    const best = page.locator(".found > li").first();
    assert.notEqual(await best.locator("mark").count(), 0);
    await page.locator(`.found a[href="/event/${broadest.id}"]`).click();
    assert.equal(await page.locator("h1").innerText(), broadest.title);
    await reader.leave();
  });

  test("keeps the words through language, order and page", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open(`/en/search?q=${encodeURIComponent(word)}`);
    await page.locator("main").getByLabel("Language").selectOption("cs");
    await page.locator("main").getByRole("button", { name: "Search" }).click();
    const asked = new URL(page.url()).searchParams;
    assert.deepEqual([asked.get("q"), asked.get("lang")], [word, "cs"]);
    await page.getByRole("link", { name: "newest" }).click();
    assert.equal(new URL(page.url()).searchParams.get("sort"), "newest");
    const last = await page
      .locator(".found .facts")
      .evaluateAll((all) => all.map((it) => [...it.querySelectorAll("time")].at(-1).dateTime));
    assert.deepEqual(last, [...last].sort().reverse());
    await reader.leave();
  });
});

describe("newsrooms", { concurrency: 2 }, () => {
  test("are sorted by links and lead to their desks", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/en/newsrooms");
    await page.getByRole("link", { name: "events", exact: true }).click();
    assert.equal(new URL(page.url()).search, "?sort=events");
    const heading = page.locator("[aria-sort]");
    assert.equal(await heading.getAttribute("aria-sort"), "descending");
    const counts = (await page.locator(".figures tbody tr > :nth-child(2)").allInnerTexts()).map(Number);
    assert.ok(counts[0] > 0);
    assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
    const csv = await page.locator('main a[href*=".csv"]').getAttribute("href");
    const rows = (await (await fetch(instance.origin + csv)).text()).trimEnd().split("\r\n");
    assert.equal(rows.length, counts.length + 1);
    const name = await page.locator(".figures tbody th").first().evaluate((it) => it.firstChild.textContent);
    await page.locator(".figures tbody th a").first().click();
    assert.equal(await page.locator("h1").innerText(), `Desk: ${name}`);
    await reader.leave();
  });
});

describe("the desk", { concurrency: 2 }, () => {
  test("is a plain form", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/desk");
    await page.getByLabel("Redakce").selectOption("agentura-pramen");
    await page.getByLabel("Nejméně jiných redakcí").selectOption("2");
    await page.getByRole("button", { name: "Ukázat" }).click();
    assert.equal(await page.locator("h1").innerText(), "Desk: Agentura Pramen");
    assert.equal(await page.locator(".keys").isVisible(), false);
    const counts = await page
      .locator("section[aria-labelledby=missing] tbody tr > :nth-child(2)")
      .allInnerTexts();
    assert.ok(counts.every((count) => Number(count) >= 2), counts.join());
    await reader.leave();
  });

  test("is walked with single keys, which can be changed and switched off", async () => {
    const reader = await come();
    const { page } = reader;
    const path = "/desk?newsroom=agentura-pramen&n=2";
    await reader.open(path);
    const keys = page.locator(".keys");
    await keys.waitFor();
    const rows = page.locator("[data-row]");
    const at = () => page.evaluate(() => [...document.querySelectorAll("[data-row]")].indexOf(document.activeElement));
    await page.keyboard.press("j");
    assert.equal(await at(), 0);
    await page.keyboard.press("j");
    assert.equal(await at(), 1);
    await page.keyboard.press("k");
    assert.equal(await at(), 0);

    await page.keyboard.press("?");
    assert.equal(await keys.getAttribute("open"), "");
    await keys.getByLabel("další událost").fill("n");
    await keys.getByLabel("další událost").press("Tab");
    await reader.open(path);
    await keys.waitFor();
    await page.keyboard.press("j");
    assert.equal(await at(), -1);
    await page.keyboard.press("n");
    assert.equal(await at(), 0);

    await page.keyboard.press("?");
    await keys.getByLabel("zkratky zapnuté").uncheck();
    await keys.locator("summary").focus();
    await page.keyboard.press("n");
    assert.equal(await at(), -1);
    await keys.getByLabel("zkratky zapnuté").check();
    const href = await rows.first().getAttribute("href");
    await keys.locator("summary").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("o");
    await page.waitForURL(`**${href}`);
    await reader.leave();
  });
});

describe("the feed", { concurrency: 2 }, () => {
  test("is put together by a plain form and remembered by the address", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/feed");
    const form = page.locator(".picker form").first();
    await form.getByLabel("Jazyk redakce").selectOption("sk");
    await form.getByRole("button", { name: "Najít kanály" }).click();
    assert.equal(new URL(page.url()).searchParams.get("in"), "sk");
    const boxes = page.locator(".channels input:not(:checked)");
    const slugs = [await boxes.nth(0).inputValue(), await boxes.nth(1).inputValue()];
    // A box that is ticked is no longer among those that are not.
    await boxes.nth(0).check();
    await boxes.nth(0).check();
    await form.getByRole("button", { name: "Ukázat feed" }).click();
    const address = new URL(page.url());
    assert.deepEqual(address.searchParams.getAll("channel"), slugs);
    assert.equal(address.hash, "#posts");
    assert.deepEqual(
      await page.locator(".channels input:checked").evaluateAll((all) => all.map((it) => it.value)),
      slugs,
    );

    // What the address asks for survives the sliders.
    const turned = { half_life: "12.5", diversity: "0.33" };
    for (const [name, value] of Object.entries(turned)) address.searchParams.set(name, value);
    await reader.open(address.pathname + address.search);
    await form.getByRole("button", { name: "Ukázat feed" }).click();
    for (const [name, value] of Object.entries(turned)) {
      assert.equal(new URL(page.url()).searchParams.get(name), value, name);
    }

    // What is unticked is gone, and the filters find what is not shown.
    await page.locator(".channels input:checked").first().uncheck();
    await form.getByLabel("Název nebo vlastník").fill("xyzzy");
    await form.getByRole("button", { name: "Ukázat feed" }).click();
    assert.deepEqual(new URL(page.url()).searchParams.getAll("channel"), slugs.slice(1));
    assert.equal(await page.locator(".channels input").count(), 1);
    await reader.leave();
  });

  test("starts with a ready selection and says why a post stands where it does", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    await reader.open("/en/feed");
    await page.locator(".starts a").first().click();
    const row = page.locator(".posts > li").first();
    assert.equal(await row.locator("dl").isVisible(), false);
    await row.locator("summary").first().click();
    const formula = await row.locator("dd").last().innerText();
    const [ten, quality, tenth, most, fresh, score] = formula.match(/[\d.]+/g).map(Number);
    assert.deepEqual([ten, tenth, most], [10, 0.1, 0.9]);
    assert.ok(Math.abs(10 * quality * (0.1 + 0.9 * fresh) - score) < 0.0051, formula);
    assert.equal(Number(await row.locator("summary b").first().innerText()), score);
    for (const name of ["Atom", "JSON Feed", "OPML"]) {
      const link = page.locator(".bar").getByRole("link", { name, exact: true });
      const answer = await fetch(instance.origin + (await link.getAttribute("href")));
      assert.equal(answer.status, 200, name);
      assert.ok((await answer.text()).length > 500, name);
    }
    await reader.leave();
  });

  test("takes a selection from another reader's file", async () => {
    const reader = await come({ javaScriptEnabled: false });
    const { page } = reader;
    const slugs = permitted.slice(0, 3);
    const list = await (await fetch(`${instance.origin}/feed.opml?${chosen(slugs)}`)).text();
    const more = '<outline text="x" xmlUrl="https://nowhere.example/rss"/></body>';
    const send = async (text) => {
      const file = { name: "feeds.opml", mimeType: "text/x-opml", buffer: Buffer.from(text) };
      await page.getByLabel("OPML").setInputFiles(file);
      await page.getByRole("button", { name: "Nahrát" }).click();
    };
    await reader.open("/feed");
    await send(list.replace("</body>", more));
    assert.deepEqual(new URL(page.url()).searchParams.getAll("channel"), slugs);
    assert.match(await page.locator(".notice[role=status]").innerText(), /^1\s+kanál ze souboru/);
    await page.locator(".picker > summary").click();
    await send("no list");
    assert.match(await page.locator("main").innerText(), /není seznam kanálů/);
    await page.getByRole("link", { name: "Zpět na výběr kanálů" }).click();
    assert.equal(new URL(page.url()).pathname, "/feed");
    await reader.leave();
  });
});

describe("islands", { concurrency: 2 }, () => {
  test("the value of a slider is printed while it moves", async () => {
    const reader = await come();
    const { page } = reader;
    await reader.open("/feed");
    await reader.alive();
    for (const [name, key, said] of [
      ["half_life", "ArrowRight", "25\u00a0h"],
      ["diversity", "ArrowLeft", "0,45"],
    ]) {
      const slider = page.locator(`[name=${name}]`);
      const label = page.locator("label.turn").filter({ has: slider });
      await slider.focus();
      await page.keyboard.press(key);
      assert.equal(await label.locator("b").textContent(), said);
      assert.equal(await slider.getAttribute("aria-valuetext"), said);
    }
    await reader.leave();
  });

  test("the time slider opens nothing by itself and leads to its hour", async () => {
    const reader = await come();
    const { page } = reader;
    await reader.open("/?lang=cs");
    const slider = page.getByRole("slider");
    await slider.waitFor();
    const now = await slider.inputValue();
    await slider.focus();
    for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowLeft");
    assert.equal(Number(await slider.inputValue()), Number(now) - 5);
    assert.equal(new URL(page.url()).search, "?lang=cs");
    await page.locator(".range a").click();
    const asked = new URL(page.url()).searchParams;
    assert.equal(asked.get("lang"), "cs");
    assert.match(asked.get("at"), /^\d{4}-\d\d-\d\dT\d\d:00:00Z$/);
    assert.equal(await page.locator(".bar time").getAttribute("datetime"), asked.get("at"));
    await reader.leave();
  });

  test("the theme is chosen, kept in the browser alone and given back", async () => {
    const reader = await come({ colorScheme: "light" });
    const { page } = reader;
    await reader.open("/methodology");
    const theme = () => page.locator("html").getAttribute("data-theme");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const button = page.getByRole("button", { name: "Vzhled" });
    assert.equal(await theme(), null);
    const light = await paper();
    await button.click();
    assert.equal(await theme(), "light");
    assert.equal(await button.innerText(), "Vzhled: světlý");
    await button.click();
    assert.equal(await theme(), "dark");
    assert.notEqual(await paper(), light);
    await reader.accessible("chosen dark", ["color-contrast"]);

    await reader.open("/");
    assert.equal(await theme(), "dark");
    assert.notEqual(await paper(), light);
    assert.equal(await button.innerText(), "Vzhled: tmavý");
    await button.click();
    assert.equal(await theme(), null);
    assert.equal(await paper(), light);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await reader.leave();
  });

  test("news is announced and moves nothing", async () => {
    for (const viewport of [sizes.DESKTOP, sizes.PHONE]) {
      const reader = await come({ viewport });
      const { page } = reader;
      let publish;
      const published = new Promise((resolve) => (publish = resolve));
      await page.route("**/live", async (route) => {
        await published;
        const body = "event: snapshot\ndata: 999999999\n\n";
        await route.fulfill({ contentType: "text/event-stream", body });
      });
      await reader.open("/");
      await reader.alive();
      const places = () =>
        page.evaluate(() => [
          scrollY,
          document.documentElement.scrollHeight,
          ...[...document.querySelectorAll("h1, h2, .tools > *")].map(
            (it) => it.getBoundingClientRect().top,
          ),
        ]);
      await page.evaluate(() => scrollTo(0, 700));
      const status = page.locator(".live [role=status]");
      assert.equal(await status.innerText(), "");
      const before = await places();
      publish();
      await status.getByText("Jsou nové výsledky.").waitFor();
      assert.deepEqual(await places(), before);
      await reader.accessible("announced", ["color-contrast", "target-size"]);
      await reader.screenshot(`announced-${viewport.width}`, { fullPage: false });
      await reader.leave();
    }
  });

  test("a reader may pause the news", async () => {
    const reader = await come();
    const { page } = reader;
    let streams = 0;
    page.on("request", (request) => (streams += request.url().endsWith("/live") ? 1 : 0));
    await reader.open("/");
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/live"));
    await page.getByRole("button", { name: "Pozastavit novinky" }).click();
    await ended;
    const again = page.waitForRequest("**/live");
    await page.getByRole("button", { name: "Sledovat novinky" }).click();
    await again;
    assert.equal(streams, 2);
    await reader.leave();
  });
});

describe("the keyboard", { concurrency: 2 }, () => {
  test("meets the skip link first and sees where it is", async () => {
    for (const [code, { prefix, skip }] of Object.entries(LANGUAGES)) {
      const reader = await come();
      const { page } = reader;
      await reader.open(prefix || "/");
      await reader.alive();
      await page.keyboard.press("Tab");
      const first = page.locator(":focus");
      assert.equal(await first.innerText(), skip, code);
      const box = await first.boundingBox();
      assert.ok(box.x >= 0 && box.y >= 0 && box.width > 40 && box.height >= 24, JSON.stringify(box));
      for (let step = 0; step < 25; step += 1) {
        const seen = await page.locator(":focus").evaluate((it) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(it);
          const box = it.getBoundingClientRect();
          const shown = box.top >= 0 && box.bottom <= innerHeight + 1 && box.left >= 0;
          return [outlineStyle, parseFloat(outlineWidth) >= 2, shown, it.outerHTML.slice(0, 100)];
        });
        assert.deepEqual(seen.slice(0, 3), ["solid", true, true], seen[3]);
        await page.keyboard.press("Tab");
      }
      await page.evaluate(() => scrollTo(0, 0));
      await page.locator(".skip").focus();
      await page.keyboard.press("Enter");
      assert.equal(await page.locator(":focus").getAttribute("id"), "main");
      await reader.leave();
    }
  });
});

describe("at last", () => {
  test("every kind of link that was met leads somewhere", async () => {
    const kinds = new Map();
    for (const href of linked) {
      const kind = href
        .replace(/(topic|newsroom|channel)=[^&]+/g, "$1=0")
        .replace(/\d+/g, "0")
        .replace(/\/source\/[^/?]+/, "/source/0");
      const known = kinds.get(kind) ?? [];
      if (known.length < 2) kinds.set(kind, [...known, href]);
    }
    assert.ok(kinds.size > 20, `${kinds.size}`);
    const addresses = [...kinds.values()].flat().filter((href) => !/nonsense|999999999/.test(href));
    for (const address of addresses) {
      const answer = await fetch(address);
      await answer.text();
      assert.equal(answer.status, 200, address);
    }
  });

  test("a recompute reaches the reader who has been here all the time", async () => {
    const status = listener.page.locator(".live [role=status]");
    await status.getByText("Jsou nové výsledky.").waitFor({ timeout: 90_000 });
    const board = await listener.page.locator(".bar time").getAttribute("datetime");
    await status.getByRole("link", { name: "Zobrazit" }).click();
    await listener.page.waitForLoadState();
    await listener.alive();
    assert.ok((await listener.page.locator(".bar time").getAttribute("datetime")) > board);
    assert.equal(await status.innerText(), "");
    assert.deepEqual(listener.troubles, []);
  });

  test("it stops in time though a reader listens, and has nothing to regret", async () => {
    assert.equal(await instance.stop(15), 0);
    assert.doesNotMatch(instance.log, /panicked| ERROR /);
  });
});
