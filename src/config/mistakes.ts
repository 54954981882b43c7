/** What the schema refuses, as sentences for people: which key, what is wrong, and the nearest known key. */
import type { z } from "zod";
import { platformInName } from "../session/further-bot.js";
import { platformTraits } from "../session/platform.js";
import { nearest } from "../util/nearest.js";
import type { Group, Node } from "./groups.js";
import { childOf, keysOf, namesIn } from "./keys.js";
import { homeFile, projectFile } from "./schema.js";

export interface Mistake {
  readonly path: readonly string[];
  /** Without the key. */
  readonly message: string;
}

/** So many keys of a group are named that nobody knows; looking for what each could mean takes a while. */
const MOST_UNKNOWN = 10;

/** The mistakes in what stands at `base` of a file; `base` is empty for the whole file. */
export function mistakesIn(error: z.ZodError, file: Group, base: readonly string[] = []): Mistake[] {
  return error.issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map(String)];
    if (issue.code === "unrecognized_keys") {
      const named = issue.keys
        .slice(0, MOST_UNKNOWN)
        .map((key) => ({ path: [...path, key], message: unknownKey(file, [...path, key]) }));
      const more = issue.keys.length - named.length;
      return more > 0 ? [...named, { path, message: `${more} more unknown keys.` }] : named;
    }
    const node = groupAt(file, path);
    if (issue.code === "invalid_type" && node && "takes" in node && node.takes.is === "secret")
      return [{ path, message: openSecret(file, path) }];
    if (path.length === 0) return [{ path, message: "a config file is a list of `key: value` lines." }];
    const message = (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined) ?? issue.message;
    return [{ path, message: /[.?!…]$/.test(message) ? message : `${message}.` }];
  });
}

/** For somebody who wrote a secret where a file should be named. */
function openSecret(file: Group, path: readonly string[]): string {
  const key = path.join(".");
  const variable = keysOf(file).find((known) => known.path.join(".") === key)?.variable ?? null;
  const orVariable = variable === null ? "" : `, or set the variable ${variable}`;
  return `do not write a secret into this file. Put it into a file of its own (chmod 600) and write \`${path.at(-1)}: { file: <path> }\`${orVariable}.`;
}

/** Why there is no key of this path, and what could be meant. */
export function unknownKey(file: Group, path: readonly string[]): string {
  const name = path.at(-1) ?? "";
  if (file === projectFile && groupAt(homeFile, path)) {
    return "a project's file cannot set who gets in or where data is stored. Set this in config.yaml in Baton's home folder.";
  }
  const known = namesIn(groupAt(file, path.slice(0, -1)));
  if (known.length === 0) return `unknown key. Set ${path.slice(0, -1).join(".")} as a whole.`;
  const like = path.length === 2 && path[0] === "platforms" ? platformInName(name) : null;
  if (like !== null)
    return `unknown platform. For another ${platformTraits(like).title} bot, write "like: ${like}" below it.`;
  if (path.length === 1 && namesIn(groupAt(file, ["platforms"])).includes(name))
    return `unknown key. Write it below "platforms:", as platforms.${name}.`;
  const meant = nearest(name, known) ?? (path.length === 1 ? elsewhere(file, name) : null);
  return `unknown key. ${meant === null ? `Known here: ${known.join(", ")}.` : `Did you mean "${meant}"?`}`;
}

/** A key further down that is called like this. */
function elsewhere(file: Group, name: string): string | null {
  const keys = keysOf(file);
  const meant = nearest(
    name,
    keys.map(({ path }) => path.at(-1) ?? ""),
  );
  return keys.find(({ path }) => path.at(-1) === meant)?.path.join(".") ?? null;
}

function groupAt(file: Group, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((group, name) => group && childOf(group, name), file);
}
