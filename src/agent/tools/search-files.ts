/**
 * The tool `search_files`: lines that contain a text or match an expression, with file and number. Time, files, bytes
 * and hits are bounded, and the result says what was not searched.
 */
import { performance } from "node:perf_hooks";
import { shorten } from "../../util/text.js";
import { counted } from "../../util/words.js";
import type { Tool, ToolContext } from "../agent.js";
import { type Check, type Confined, checked } from "./confined.js";
import { fileDanger } from "./file-danger.js";
import { type FolderEntry, walkFolder } from "./folder-walk.js";
import { readableBy } from "./given-files.js";
import { globMatcher } from "./glob.js";
import { expressionMatcher, type LineMatcher, plainMatcher } from "./line-matcher.js";
import { LONGEST_ARGUMENT } from "./parameters.js";
import { answering, Refused } from "./refused.js";
import { binaryKind, boundedBytes, sizeText } from "./text-file.js";

export interface SearchLimits {
  readonly timeMs: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly hits: number;
}

const LIMITS: SearchLimits = { timeMs: 10_000, files: 20_000, fileBytes: 2_000_000, hits: 200 };
const LONGEST_LINE = 300;
const LONGEST_QUERY = 1_000;
const DEEPEST = 32;
const STOPPED = "the turn was stopped";
/** Large, and rarely meant. */
const NOT_ENTERED = [".git", "node_modules"];

const PARAMETERS = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description: "What to find within a line: plain text, or a regular expression if `regex` is true.",
    },
    regex: {
      type: "boolean",
      description: "True if `query` is a JavaScript regular expression; false by default.",
    },
    ignore_case: { type: "boolean", description: "True to ignore upper and lower case; false by default." },
    glob: {
      type: "string",
      description: "Search only files whose path matches, such as `*.ts`, `src/**/*.md` or `*.{js,ts}`.",
    },
    path: { type: "string", description: "The folder to search; the working folder by default." },
  },
  required: ["query"],
  additionalProperties: false,
};

export function searchFilesTool(confined: Confined, limits: SearchLimits = LIMITS): Tool {
  return {
    name: "search_files",
    description: `Finds lines in the text files of a folder and its subfolders: at most ${limits.hits} lines. ${NOT_ENTERED.join(" and ")} are searched only if \`path\` leads into them; links are not followed.`,
    parameters: PARAMETERS,
    danger: (args) => fileDanger(confined, "read", args),
    run: answering(async (args, context) => {
      const query = args.text("query", LONGEST_QUERY);
      if (query === "") throw new Refused("`query` is empty. Say what to find.");
      const glob = args.optionalText("glob", LONGEST_QUERY);
      const isWanted = glob ? globMatcher(glob) : () => true;
      if (!isWanted) throw new Refused("`glob` has too many braces or alternatives.");
      const until = performance.now() + limits.timeMs;
      const ignoreCase = args.flag("ignore_case");
      const start = args.optionalText("path", LONGEST_ARGUMENT) || ".";
      const matcher = args.flag("regex")
        ? expressionMatcher(query, ignoreCase, { timeMs: limits.timeMs, signal: context.signal })
        : plainMatcher(query, ignoreCase);
      try {
        const readable = await readableBy(confined, context, start);
        const search = new Search(matcher, isWanted, readable.check, until, limits, context);
        return search.report(await walkFolder(readable.confined, start, search));
      } finally {
        await matcher.close();
      }
    }),
  };
}

/** One search, as a walk through the folders. */
class Search {
  readonly check: Check;
  readonly #matcher: LineMatcher;
  readonly #isWanted: (path: string) => boolean;
  readonly #until: number;
  readonly #limits: SearchLimits;
  readonly #context: ToolContext;
  readonly #hits: string[] = [];
  readonly #notes = new Map<string, number>();
  #files = 0;
  /** Why it ended before everything was searched. */
  #ended: string | null = null;

  constructor(
    matcher: LineMatcher,
    isWanted: (path: string) => boolean,
    check: Check,
    until: number,
    limits: SearchLimits,
    context: ToolContext,
  ) {
    this.check = check;
    this.#matcher = matcher;
    this.#isWanted = isWanted;
    this.#until = until;
    this.#limits = limits;
    this.#context = context;
  }

  readonly visit = async (entry: FolderEntry): Promise<boolean> => {
    if (this.#context.signal.aborted) this.#ended = STOPPED;
    else if (performance.now() > this.#until) this.#ended = `${this.#limits.timeMs / 1_000} s passed`;
    else if (entry.stats.isSymbolicLink()) this.leftOut("links");
    else if (entry.stats.isFile() && this.#isWanted(entry.way)) await this.#searchFile(entry);
    return this.#ended === null;
  };

  readonly enter = ({ name, stats }: FolderEntry, depth: number): boolean => {
    if (!stats.isDirectory()) return false;
    if (NOT_ENTERED.includes(name)) this.leftOut(`folders named ${name}`);
    else if (depth >= DEEPEST) this.leftOut(`folders more than ${DEEPEST} deep`);
    else return true;
    return false;
  };

  readonly leftOut = (what: string): void => {
    this.#notes.set(what, (this.#notes.get(what) ?? 0) + 1);
  };

  report(root: string): string {
    const notes = [...this.#notes]
      .slice(0, 20)
      .map(([what, count]) => `${what}${count > 1 ? ` (${count})` : ""}`);
    return [
      `${counted(this.#hits.length, "matching line")} in ${root}; ${counted(this.#files, "file")} searched.`,
      ...this.#hits,
      ...(this.#ended === null
        ? []
        : [`Stopped early: ${this.#ended}. Narrow the search with \`path\`, \`glob\` or \`query\`.`]),
      ...(notes.length === 0 ? [] : [`Not searched: ${notes.join(", ")}.`]),
    ].join("\n");
  }

  async #searchFile({ name, way, folder }: FolderEntry): Promise<void> {
    if (this.#files === this.#limits.files) {
      this.#ended = `${this.#limits.files} files were searched`;
      return;
    }
    const lines = await this.#linesOf(folder, name);
    if (lines === null) return;
    this.#files++;
    const found = await this.#matcher.match(lines);
    if (found === null) {
      const stopped = this.#context.signal.aborted;
      this.#ended = stopped ? STOPPED : `the expression took too long in ${way}; write a simpler one`;
      return;
    }
    for (const index of found) {
      if (this.#hits.length === this.#limits.hits) {
        this.#ended = `${this.#limits.hits} lines were found`;
        return;
      }
      this.#hits.push(`${way}:${index + 1}: ${shorten(lines[index] ?? "", LONGEST_LINE)}`);
    }
  }

  async #linesOf(folder: FolderEntry["folder"], name: string): Promise<string[] | null> {
    try {
      const file = await checked(await folder.openFile(name), this.check);
      try {
        const bytes = await boundedBytes(file, this.#limits.fileBytes);
        if (bytes === null) this.leftOut(`files over ${sizeText(this.#limits.fileBytes)}`);
        else if (binaryKind(bytes)) this.leftOut("files that are not text");
        else return bytes.toString("utf8").split(/\r?\n/);
        return null;
      } finally {
        await file.handle.close();
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.leftOut(error.message);
      return null;
    }
  }
}
