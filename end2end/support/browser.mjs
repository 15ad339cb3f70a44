// Chromium, and what must hold wherever it goes on this site.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

import { artefact } from "./artefacts.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** 1280 pixels at 400 % (WCAG 2.2, 1.4.10). */
const NARROW = { width: 320, height: 640 };
export const sizes = { DESKTOP, PHONE, NARROW };

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    // Chromium refuses its sandbox to root.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}

/** A reader with a browser profile of their own, all of whose troubles are written down. */
export class Reader {
  static async come(browser, origin, options = {}) {
    const reader = new Reader();
    reader.origin = origin;
    reader.troubles = [];
    reader.context = await browser.newContext({
      baseURL: origin,
      locale: "cs-CZ",
      viewport: DESKTOP,
      reducedMotion: "reduce",
      ...options,
    });
    reader.context.setDefaultTimeout(15_000);
    reader.context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin) reader.troubles.push(`request to ${url.origin}`);
    });
    reader.context.on("response", (response) => {
      if ("set-cookie" in response.headers()) reader.troubles.push(`cookie: ${response.url()}`);
    });
    reader.page = await reader.context.newPage();
    reader.page.on("pageerror", (error) => reader.troubles.push(`page error: ${error.message}`));
    reader.page.on("console", (message) => {
      // The browser reports a page's own status as an error, and that one is asserted.
      const own = message.location().url === reader.page.url() && /status of 4/.test(message.text());
      // Without JavaScript, or on a busy machine, what was preloaded waits longer than it likes.
      const early = /was preloaded using link preload but not used/.test(message.text());
      if (["error", "warning"].includes(message.type()) && !own && !early) {
        reader.troubles.push(`console: ${message.text()} (${message.location().url})`);
      }
    });
    return reader;
  }

  /** Opens a page, which is to answer with this status. */
  async open(path, status = 200) {
    const answer = await this.page.goto(path, { waitUntil: "load" });
    assert.equal(answer.status(), status, path);
    return answer;
  }

  /** The islands have started: their buttons are shown. */
  async alive() {
    await this.page.locator(".tools button:visible").first().waitFor();
  }

  async screenshot(name, { fullPage = true } = {}) {
    const taken = () => this.page.screenshot({ path: artefact(`${name}.png`), fullPage });
    // A busy Chromium cannot draw a very long page at times, and can a moment later.
    await taken().catch(taken);
  }

  /** Nothing sticks out at the right. */
  async fits(size) {
    await this.page.setViewportSize(size);
    const { reach, wide } = await this.page.evaluate(() => ({
      reach: document.documentElement.scrollWidth,
      wide: [...document.querySelectorAll("body *")]
        .filter((it) => it.getBoundingClientRect().right > innerWidth + 1)
        .filter((it) => !it.closest(".scroll"))
        .map((it) => it.outerHTML.slice(0, 120)),
    }));
    assert.ok(reach <= size.width, `${reach} px at ${size.width} px: ${wide.slice(0, 3).join("\n")}`);
    assert.deepEqual(wide, [], `sticks out at ${size.width} px`);
  }

  /** WCAG 2.2 AA, as far as a machine can tell; or some of its rules only. */
  async accessible(when, rules) {
    await this.page.evaluate(`window.axe || (() => { ${axe} })()`);
    const violations = await this.page.evaluate(async (rules) => {
      const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
      const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
      const { violations } = await window.axe.run(document, { runOnly, resultTypes: ["violations"] });
      return violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 5).map((node) => `${id}: ${node.target} ${node.failureSummary}`),
      );
    }, rules);
    assert.deepEqual(violations, [], when);
  }

  /** No errors, no cookies, nothing asked of anyone else. */
  async leave() {
    const cookies = await this.context.cookies();
    await this.context.close();
    assert.deepEqual(cookies, []);
    assert.deepEqual(this.troubles, []);
  }
}
