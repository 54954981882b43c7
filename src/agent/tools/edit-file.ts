/**
 * The tool `edit_file` replaces a piece of a file's text. The old text must occur exactly, and once unless all
 * occurrences are meant; if it does not, the result says what is there instead.
 */
import type { Tool } from "../agent.js";
import type { Confined } from "./confined.js";
import { approvedOnly, fileDanger } from "./file-danger.js";
import { lineOf, nearestLines } from "./nearest-lines.js";
import { LONGEST_ARGUMENT, PATH_PARAMETER } from "./parameters.js";
import { answering, Refused } from "./refused.js";
import { MOST_BYTES, readText } from "./text-file.js";

const MOST_PLACES = 10;

const PARAMETERS = {
  type: "object",
  properties: {
    path: PATH_PARAMETER,
    old_text: {
      type: "string",
      description:
        "The text to replace, exactly as in the file, with enough text around it to occur only once.",
    },
    new_text: { type: "string", description: "The text to put there instead." },
    all: { type: "boolean", description: "Replace every occurrence; false by default." },
  },
  required: ["path", "old_text", "new_text"],
  additionalProperties: false,
};

export function editFileTool(confined: Confined): Tool {
  return {
    name: "edit_file",
    description:
      "Replaces text in a file. The file must contain the text exactly, and only once unless `all` is set.",
    parameters: PARAMETERS,
    danger: (args) => fileDanger(confined, "edit", args),
    run: answering(async (args, context) => {
      const path = args.words("path", LONGEST_ARGUMENT);
      const wanted = args.text("old_text", MOST_BYTES);
      const instead = args.text("new_text", MOST_BYTES).toWellFormed();
      const all = args.flag("all");
      if (wanted === "")
        throw new Refused("`old_text` is empty. Give the text to replace, or use write_file.");
      if (wanted === instead)
        throw new Refused("`old_text` and `new_text` are the same, so there is nothing to do.");
      const check = approvedOnly(confined, "edit", context);
      const file = await readText(await confined.openFile(path, check));
      if (!file.faithful)
        throw new Refused(`${file.path} contains bytes that are not UTF-8, and an edit would lose them.`);
      const edit = inLineEndsOf(file.text, wanted, instead);
      const places = placesOf(edit.wanted, file.text);
      checkPlaces(file.path, file.text, edit.wanted, places, all);
      const content = Buffer.from(file.text.split(edit.wanted).join(edit.instead));
      if (content.length > MOST_BYTES) throw new Refused(`${file.path} would become too large.`);
      await confined.replaceFile(path, content, check, file.stats);
      const lines = places.slice(0, MOST_PLACES).map((place) => lineOf(file.text, place));
      const what = places.length === 1 ? "1 replacement" : `${places.length} replacements`;
      const more = places.length > MOST_PLACES ? " …" : "";
      return `${what} in ${file.path}, at line ${lines.join(", ")}${more}.`;
    }),
  };
}

/** Models write \n; in a file with \r\n line ends, they mean that. */
function inLineEndsOf(text: string, wanted: string, instead: string): { wanted: string; instead: string } {
  if (text.includes(wanted) || !text.includes("\r\n")) return { wanted, instead };
  const withReturns = (part: string) => part.replace(/\r?\n/g, "\r\n");
  return { wanted: withReturns(wanted), instead: withReturns(instead) };
}

/** Where the text occurs, in order. */
function placesOf(wanted: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function checkPlaces(
  path: string,
  text: string,
  wanted: string,
  places: readonly number[],
  all: boolean,
): void {
  if (places.length === 0) {
    const near = nearestLines(text, wanted);
    const hint = near ? `Nearest:\n${near}` : "Read the file again.";
    throw new Refused(`${path} does not contain \`old_text\`; white space matters. ${hint}`);
  }
  if (places.length > 1 && !all) {
    const lines = places.slice(0, MOST_PLACES).map((place) => lineOf(text, place));
    const more = places.length > MOST_PLACES ? " …" : "";
    throw new Refused(
      `${path} contains \`old_text\` ${places.length} times, at lines ${lines.join(", ")}${more}. Give more of the text around it, or set \`all\`.`,
    );
  }
}
