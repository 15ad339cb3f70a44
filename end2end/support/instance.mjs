// The real binary over its invented newsrooms, on ports of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { artefact } from "./artefacts.mjs";

const START_SECONDS = 180;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export class Instance {
  #process;
  #exited;
  #dataDir;

  /** Replays one day of the demo and waits until it answers. */
  static async start() {
    const instance = new Instance();
    const [port, newsrooms] = [await freePort(), await freePort()];
    instance.origin = `http://127.0.0.1:${port}`;
    instance.#dataDir = mkdtempSync(join(tmpdir(), "ohlas-end2end-"));
    // Run by root, PostgreSQL is another user's and must get in.
    chmodSync(instance.#dataDir, 0o755);
    const args = [
      ["--listen", `127.0.0.1:${port}`],
      ["--newsrooms", `127.0.0.1:${newsrooms}`],
      ["--days", "1"],
      ["--site", process.env.OHLAS_SITE],
      // Unused where DATABASE_URL names a server.
      ["--data-dir", instance.#dataDir],
    ];
    const child = spawn(process.env.OHLAS_BIN, ["demo", ...args.flat()], {
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    instance.#process = child;
    instance.#exited = once(child, "exit").then(([code, signal]) => code ?? signal);
    instance.log = "";
    const file = createWriteStream(artefact("ohlas.log"));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        instance.log += chunk;
        file.write(chunk);
      });
    }
    await instance.#ready();
    return instance;
  }

  async #ready() {
    for (let waited = 0; waited < START_SECONDS; waited += 1) {
      if (this.#process.exitCode !== null) break;
      const answer = await fetch(`${this.origin}/readyz`, {
        signal: AbortSignal.timeout(START_SECONDS * 1000),
      }).catch(() => null);
      if (answer?.ok) return;
      await sleep(1000);
    }
    await this.kill();
    throw new Error(`ohlas did not get ready:\n${this.log}`);
  }

  async json(path) {
    const answer = await fetch(this.origin + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  /** Asks it to stop. Its exit code, or "too slow". */
  async stop(seconds) {
    this.#process.kill("SIGTERM");
    const late = new AbortController();
    const timer = sleep(seconds * 1000, "too slow", { signal: late.signal }).catch(() => null);
    const outcome = await Promise.race([this.#exited, timer]);
    late.abort();
    return outcome;
  }

  async kill() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      // A private database stops with it only when it is asked politely.
      if ((await this.stop(20)) === "too slow") this.#process.kill("SIGKILL");
      await this.#exited;
    }
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}
