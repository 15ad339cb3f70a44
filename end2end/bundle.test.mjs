// The bundle as it is served: complete and small.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";

const pkg = join(process.env.OHLAS_SITE, "pkg");
const app = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../app/src");

/** Names of the functions behind `#[island]`, in every Rust file. */
function islands() {
  return readdirSync(app, { recursive: true })
    .filter((file) => file.endsWith(".rs"))
    .flatMap((file) => [
      ...readFileSync(join(app, file), "utf8").matchAll(
        /^\s*#\[island[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*pub(?:\([^)]*\))? fn (\w+)/gm,
      ),
    ])
    .map(([, name]) => name);
}

// A crate that nothing mentions is dropped by the linker, and its islands silently with it.
test("every island of the pages is in the bundle", () => {
  const javascript = readFileSync(join(pkg, "ohlas.js"), "utf8");
  const exported = [...javascript.matchAll(/^export function (\w+)_\d+\(/gm)].map(([, it]) => it);
  const names = islands();
  assert.notEqual(names.length, 0);
  for (const name of names) {
    assert.ok(exported.includes(name), `${name} is missing, there are: ${exported.join(", ")}`);
  }
});

test("the bundle is at most 90 KB on the wire", () => {
  const bytes = ["ohlas_bg.wasm", "ohlas.js"]
    .map((file) => gzipSync(readFileSync(join(pkg, file)), { level: 9 }).length)
    .reduce((sum, length) => sum + length);
  assert.ok(bytes <= 90_000, `${bytes} bytes`);
});
