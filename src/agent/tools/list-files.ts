/** The tool `list_files`: the entries of a folder with kinds and sizes, and what was skipped. */

import { kindOf } from "../../util/file-problem.js";
import { counted, grouped } from "../../util/words.js";
import type { Tool, ToolContext } from "../agent.js";
import type { Confined } from "./confined.js";
import { fileDanger } from "./file-danger.js";
import { type FolderEntry, walkFolder } from "./folder-walk.js";
import { readableBy } from "./given-files.js";
import { LONGEST_ARGUMENT } from "./parameters.js";
import { answering } from "./refused.js";
import { sizeText } from "./text-file.js";

const MOST_ENTRIES = 1_000;
const DEEPEST = 10;
const MOST_NOTES = 20;

const PARAMETERS = {
  type: "object",
  properties: {
    path: { type: "string", description: "Path of the folder; the working folder by default." },
    depth: {
      type: "integer",
      description: `How many levels to list: 1 (the default) lists only the folder itself; at most ${DEEPEST}.`,
    },
  },
  additionalProperties: false,
};

export function listFilesTool(confined: Confined): Tool {
  return {
    name: "list_files",
    description: `Lists a folder: names, sizes, and links with their targets. At most ${grouped(MOST_ENTRIES)} entries, the nearest first, including hidden ones.`,
    parameters: PARAMETERS,
    danger: (args) => fileDanger(confined, "read", args),
    run: answering(async (args, context) => {
      const start = args.optionalText("path", LONGEST_ARGUMENT) || ".";
      const depth = Math.min(args.optionalNumber("depth", 1) ?? 1, DEEPEST);
      return await list(confined, start, depth, context);
    }),
  };
}

async function list(confined: Confined, start: string, depth: number, context: ToolContext): Promise<string> {
  const { signal } = context;
  const readable = await readableBy(confined, context, start);
  const lines: { way: string; line: string }[] = [];
  const notes: string[] = [];
  let seen = 0;
  const root = await walkFolder(readable.confined, start, {
    check: readable.check,
    visit: async (entry) => {
      seen++;
      if (seen <= MOST_ENTRIES) lines.push({ way: entry.way, line: await lineFor(entry) });
      return seen <= MOST_ENTRIES && !signal.aborted;
    },
    enter: (_entry, level) => level < depth,
    leftOut: (what) => notes.push(what),
  });
  if (seen > MOST_ENTRIES) notes.push(`everything after ${MOST_ENTRIES} entries; list a folder further down`);
  if (signal.aborted) notes.push("the rest, because the turn was stopped");
  lines.sort((a, b) => (a.way < b.way ? -1 : 1));
  const shown = lines.map(({ line }) => line).join("\n") || "(empty)";
  const more = notes.length > MOST_NOTES ? [`and ${counted(notes.length - MOST_NOTES, "thing")} more`] : [];
  const rest = [...notes.slice(0, MOST_NOTES), ...more].map((note) => `\nNot listed: ${note}`).join("");
  return `${root}, ${lines.length === 1 ? "1 entry" : `${lines.length} entries`}:\n${shown}${rest}`;
}

async function lineFor({ name, way, stats, folder }: FolderEntry): Promise<string> {
  const shown = /[\p{Cc}\p{Cf}\u2028\u2029\ufffd]/u.test(way) ? JSON.stringify(way) : way;
  if (stats.isDirectory()) return `${shown}/`;
  if (stats.isFile()) return `${shown}  ${sizeText(stats.size)}`;
  if (!stats.isSymbolicLink()) return `${shown}  (${kindOf(stats)})`;
  const target = await folder.linkTarget(name).catch(() => "?");
  return `${shown} -> ${JSON.stringify(target)}`;
}
