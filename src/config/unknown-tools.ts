/**
 * Names in lists of tools that can be nobody's: a misspelt one would give or take nothing, and say nothing. What a server
 * calls its tools is known only while it runs, so a name that begins like one of its tools passes.
 */
import { didYouMean } from "../util/nearest.js";
import { OWN_TOOLS } from "../util/own-tools.js";
import { leavesOf, type Tree } from "./layer.js";
import type { Mistake } from "./mistakes.js";
import type { HomeFile } from "./schema.js";

/** `content` is a file that the schema has taken. */
export function unknownTools(content: unknown): Mistake[] {
  const { tools = {}, mcp = {} } = content as HomeFile;
  const { guests, members, byPlatform, byPerson, ask } = tools;
  const servers = Object.keys(mcp.servers ?? {}).map((server) => `${server}_`);
  const isKnown = (name: string) =>
    OWN_TOOLS.includes(name) || servers.some((start) => name.startsWith(start) && name !== start);
  const lists: Tree = { guests, members, ask, byPlatform: { ...byPlatform }, byPerson: { ...byPerson } };
  return leavesOf(lists).flatMap(({ path, value }) =>
    (Array.isArray(value) ? (value as string[]) : []).flatMap((name, index) =>
      isKnown(name) ? [] : [{ path: ["tools", ...path, String(index)], message: unknown(name, servers) }],
    ),
  );
}

function unknown(name: string, servers: readonly string[]): string {
  const known = [...OWN_TOOLS, ...servers.map((start) => `${start}<tool>`)];
  return `unknown tool "${name}".${didYouMean(name, known) || ` Known here: ${known.join(", ")}.`}`;
}
