/** Reads mrkdwn as Slack does, and refuses what would call somebody or is not escaped. */
import { withoutMarks } from "./word-marks.js";

const LINK = /<((?:https?:\/\/|mailto:)[^<>|\s]+)(?:\|([^<>|\n]+))?>/g;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

export function readSlackMarkup(mrkdwn: string): string {
  if (/[<>]/.test(mrkdwn.replace(LINK, "").replace(/^(?:>(?: |$)|\s|• |[☐☑] |\d+\. |\[[^\]]*\] )+/gm, "")))
    throw new Error("An angle bracket is not escaped.");
  if (/&(?!(?:amp|lt|gt);)/.test(mrkdwn)) throw new Error("An ampersand is not escaped.");
  // A quote is one however its sign is written, but not in code.
  const unquoted = mrkdwn
    .split(/(```[\s\S]*?```)/)
    .map((part, n) => (n % 2 === 1 ? part : part.replace(/^[ \t]*(?:>|&gt;)/gm, "")))
    .join("");
  const text = withoutMarks(
    unquoted,
    LINK,
    // The words of a link cannot have the one sign that stands before them.
    ([, url = "", label]) => label?.replaceAll("¦", "|") ?? url.replace(/^mailto:/, ""),
  );
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? "");
}
