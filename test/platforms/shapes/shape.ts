/**
 * What people can send on a platform, and what the agent is given for it. A platform has a list of shapes, written from its
 * documentation and from public payloads, and reads each as its adapter does. The table of a platform's page is made of
 * it (`npm run docs`): a shape is one entry here and one row there.
 */
import type { InboundMessage } from "../../../src/adapter/adapter.js";
import { inboundText } from "../../../src/gateway/inbound-text.js";
import { attachmentLine } from "../../../src/session/attachments.js";

export interface Shape {
  /** In a few words, as in "sticker without an emoji". */
  readonly name: string;
  readonly payload: unknown;
  /** No person's words: Baton reads nothing of it. Every other shape gives the agent something. */
  readonly ignored?: true;
}

export interface PlatformShapes {
  /** In docs/platforms/, without `.md`. A page may have several tables. */
  readonly page: string;
  /** Names the table within its page. */
  readonly table: string;
  readonly shapes: readonly Shape[];
  /** As the adapter reads it; files need no `read` that works. */
  read(payload: unknown): InboundMessage | null;
}

const IGNORED = "(ignored)";

const LEGEND = `Each row is a message as the platform sends it to Baton. A test makes this table.
\`(ignored)\`: no person's words. \`(not to the bot)\`: Baton reads it only if the bot answers everything there. \`(spoken)\`: the
agent reads the words if [voice messages are transcribed](../config.md). \`(edit)\`: changes the message if it still waits.`;

/** What the agent is given for a message, line by line. */
export function givenLines(message: InboundMessage): readonly string[] {
  const { kind, files = [], replyTo } = message;
  if (kind === "deletion") return [];
  const text = inboundText(message);
  const answered = (replyTo?.files ?? []).map((file) => ({ ...file, answered: true as const }));
  return [...(text === "" ? [] : text.split("\n")), ...[...files, ...answered].map(attachmentLine)];
}

/** Of a table: the words before what the agent is given. */
function remarkOn({ kind, isAddressed, files = [], album }: InboundMessage): string {
  return [
    ...(kind === "message" ? [] : [kind === "deletion" ? "the message is not answered if it waits" : kind]),
    ...(isAddressed === false ? ["not to the bot"] : []),
    ...(files.some(({ voice }) => voice) ? ["spoken"] : []),
    ...(album === undefined ? [] : ["one turn with the rest of its album"]),
  ].join(", ");
}

/** The cell of a shape: `(edit)` and the lines that the agent reads. */
function givenCell(message: InboundMessage | null): string {
  if (!message) return IGNORED;
  const remark = remarkOn(message);
  return [...(remark ? [`(${remark})`] : []), ...givenLines(message).map(asCode)].join("<br>");
}

/** In a table a bar would end the cell, also in code. */
function asCode(line: string): string {
  const fence = line.includes("`") ? "``" : "`";
  const pad = fence.length > 1 ? " " : "";
  return line.trim() === "" ? "" : `${fence}${pad}${line.replaceAll("|", "\\|")}${pad}${fence}`;
}

function shapesTable({ shapes, read }: PlatformShapes): string {
  const rows = shapes.map(({ name, payload }) => `| ${name} | ${givenCell(read(payload))} |`);
  return [LEGEND, "", "| what somebody sends | what the agent is given |", "| --- | --- |", ...rows].join(
    "\n",
  );
}

/** The page with its tables as they are now. Fails if it has no place for one. */
export function withTables(page: string, tables: readonly PlatformShapes[]): string {
  return tables.reduce((text, each) => {
    const [begin, end] = [`<!-- shapes: ${each.table} -->`, `<!-- end of shapes: ${each.table} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/platforms/${each.page}.md has no place for ${begin}`);
    return `${text.slice(0, from)}${begin}\n\n${shapesTable(each)}\n\n${text.slice(to)}`;
  }, page);
}
