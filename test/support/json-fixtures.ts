/** The payloads in a folder, by name. */
import { readdirSync, readFileSync } from "node:fs";

export function fixturesIn(folder: URL): Readonly<Record<string, unknown>> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(new URL(name, folder), "utf8"))]),
  );
}
