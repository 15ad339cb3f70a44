// What a run leaves behind to be looked at.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = fileURLToPath(new URL("../artefacts/", import.meta.url));

/** Path of a file among the artefacts. */
export function artefact(name) {
  mkdirSync(directory, { recursive: true });
  return directory + name;
}
