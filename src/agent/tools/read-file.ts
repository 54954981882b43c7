/**
 * The tool `read_file`: lines of a text file, unchanged, under a line that says which ones they are. They are not
 * numbered, so that they can be passed to `edit_file` as they are.
 */
import { shorten } from "../../util/text.js";
import { grouped } from "../../util/words.js";
import type { Tool } from "../agent.js";
import type { Confined } from "./confined.js";
import { fileDanger } from "./file-danger.js";
import { readableBy } from "./given-files.js";
import { LONGEST_ARGUMENT, PATH_PARAMETER } from "./parameters.js";
import { answering } from "./refused.js";
import { readText, sizeText, type TextFile } from "./text-file.js";

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 50_000;

const DESCRIPTION =
  `Reads a text file: up to ${grouped(MOST_LINES)} lines or ` +
  `${grouped(MOST_CHARACTERS)} characters at a time. The first line of the result says which lines they are.`;

const PARAMETERS = {
  type: "object",
  properties: {
    path: PATH_PARAMETER,
    offset: { type: "integer", description: "The first line to read; 1 by default." },
    limit: { type: "integer", description: `How many lines to read; ${MOST_LINES} by default and at most.` },
  },
  required: ["path"],
  additionalProperties: false,
};

export function readFileTool(confined: Confined): Tool {
  return {
    name: "read_file",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    danger: (args) => fileDanger(confined, "read", args),
    run: answering(async (args, context) => {
      const path = args.words("path", LONGEST_ARGUMENT);
      const offset = Math.floor(args.optionalNumber("offset", 1) ?? 1);
      const limit = Math.floor(Math.min(args.optionalNumber("limit", 1) ?? MOST_LINES, MOST_LINES));
      const readable = await readableBy(confined, context, path);
      const file = await readable.confined.openFile(path, readable.check);
      return excerpt(await readText(file), offset, limit);
    }),
  };
}

function excerpt({ path, text, size, faithful }: TextFile, offset: number, limit: number): string {
  if (text === "") return `${path}: empty.`;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > lines.length) return `${path} has only ${lines.length} lines; there is no line ${offset}.`;
  const chosen = fitting(lines.slice(offset - 1, offset - 1 + limit));
  const last = offset - 1 + chosen.length;
  const notes = [
    last < lines.length ? `; continue with offset ${last + 1}` : "",
    chosen[0] !== lines[offset - 1] ? `; line ${offset} is too long and was cut` : "",
    faithful ? "" : "; bytes that are not UTF-8 are shown as \ufffd",
  ];
  const title = `${path}, lines ${offset} to ${last} of ${lines.length}, ${sizeText(size)}`;
  return `${title}${notes.join("")}:\n${chosen.join("\n")}`;
}

/** As many lines as fit; if the first does not fit alone, it is cut. */
function fitting(lines: readonly string[]): string[] {
  const chosen: string[] = [];
  let room = MOST_CHARACTERS;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    chosen.push(line);
  }
  return chosen.length > 0 ? chosen : [shorten(lines[0] ?? "", MOST_CHARACTERS)];
}
