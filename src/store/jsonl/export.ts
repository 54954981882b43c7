/** Writes one session out, page by page: as JSON lines that an import reads back, as one JSON object, or to be read. */
import type { SessionEntry } from "../../session/session.js";
import type { Sessions } from "../../session/sessions.js";
import type { ExportFormat, Write } from "../../session/transfer.js";
import { markdownHead, markdownMessage } from "./markdown.js";
import { jsonLine, messageJson } from "./message-json.js";
import { metadataLine, sessionFileName, sessionJson, standingOf } from "./session-json.js";

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { jsonl: "jsonl", markdown: "md", json: "json" };

export async function exportSession(
  sessions: Sessions,
  entry: SessionEntry,
  format: ExportFormat,
  write: Write,
): Promise<void> {
  switch (format) {
    case "jsonl":
      return writeJsonLines(sessions, entry, write);
    case "markdown":
      return writeMarkdown(sessions, entry, write);
    case "json":
      return writeJson(sessions, entry, write);
    default:
      return format satisfies never;
  }
}

/** What to call the file of an export. */
export function exportFileName(entry: SessionEntry, format: ExportFormat): string {
  return sessionFileName(entry.sessionId, EXTENSIONS[format]);
}

async function writeJsonLines(sessions: Sessions, entry: SessionEntry, write: Write): Promise<void> {
  await write(`${jsonLine(metadataLine(entry, await standingOf(sessions, entry)))}\n`);
  for await (const page of sessions.pages(entry.sessionId)) {
    await write(page.map((message) => `${jsonLine(messageJson(message))}\n`).join(""));
  }
}

async function writeJson(sessions: Sessions, entry: SessionEntry, write: Write): Promise<void> {
  await write(`{"session":${jsonLine(sessionJson(entry, await standingOf(sessions, entry)))},\n"messages":[`);
  let between = "\n";
  for await (const page of sessions.pages(entry.sessionId)) {
    await write(between + page.map((message) => jsonLine(messageJson(message))).join(",\n"));
    between = ",\n";
  }
  await write("\n]}\n");
}

async function writeMarkdown(sessions: Sessions, entry: SessionEntry, write: Write): Promise<void> {
  await write(markdownHead(entry));
  for await (const page of sessions.pages(entry.sessionId)) await write(page.map(markdownMessage).join(""));
}
