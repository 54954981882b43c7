/** `baton sessions show`: a session and its last messages. */

import { nameOf, placeOf } from "../gateway/session-names.js";
import { OWNER } from "../session/access.js";
import { readableText } from "../session/attachments.js";
import type { SessionId } from "../session/ids.js";
import type { SessionEntry } from "../session/session.js";
import type { Sessions } from "../session/sessions.js";
import type { StoredMessage } from "../session/transcript.js";
import { cleanLine, printableText } from "../util/text.js";
import { counted, grouped, relativeTime } from "../util/words.js";
import { type Cli, withSessions } from "./cli.js";
import type { Terminal } from "./terminal.js";
import { timeIn } from "./time.js";

interface ShowOptions {
  readonly limit: number;
  readonly cursor?: number;
  readonly all?: boolean;
  readonly superseded?: boolean;
  readonly json?: boolean;
}

/** Longer tool results are cut; an export has all of them. */
const TOOL_LINES = 12;

export function show(cli: Cli, which: string, options: ShowOptions): Promise<void> {
  return withSessions(cli, "look", async (sessions) => {
    const { terminal } = cli;
    const entry = await sessions.find(which, OWNER);
    const page = {
      limit: options.all ? Number.POSITIVE_INFINITY : options.limit,
      before: options.cursor ?? Number.POSITIVE_INFINITY,
      superseded: options.superseded ?? false,
    };
    const { messages, nextCursor } = await lastMessages(sessions, entry, page);
    if (options.json) return terminal.json({ session: entry, messages, nextCursor });
    if (options.cursor === undefined) printEntry(terminal, entry, sessions.timezone);
    printMessages(terminal, messages, sessions.timezone);
    if (nextCursor !== null) {
      const next = `baton sessions show ${cleanLine(entry.sessionId)} --cursor ${nextCursor}`;
      terminal.line(`\n${terminal.paint.dim(`Earlier: ${next}`)}`);
    }
  });
}

/**
 * The last messages before a place, oldest first. The n-th active message has a `seq` of n or more, so those before the
 * first one wanted need not be read.
 */
async function lastMessages(
  sessions: Sessions,
  entry: SessionEntry,
  page: { limit: number; before: number; superseded: boolean },
): Promise<{ messages: StoredMessage[]; nextCursor: number | null }> {
  const { limit, before, superseded } = page;
  const afterSeq = Number.isFinite(before) ? 0 : Math.max(0, entry.messageCount - limit);
  let last: StoredMessage[] = [];
  let more = afterSeq > 0;
  for await (const read of sessions.pages(entry.sessionId, { superseded, afterSeq })) {
    const wanted = [...last, ...read.filter(({ seq }) => seq < before)];
    more ||= wanted.length > limit;
    last = wanted.slice(-limit);
    if ((read.at(-1)?.seq ?? 0) >= before) break;
  }
  return { messages: last, nextCursor: more ? (last[0]?.seq ?? null) : null };
}

function printEntry(terminal: Terminal, entry: SessionEntry, timeZone: string): void {
  const { paint } = terminal;
  const now = Date.now();
  const moment = (at: number) => `${timeIn(timeZone, at)} (${relativeTime(at, now)})`;
  const fields: [string, string][] = [
    ["id", entry.sessionId],
    ["key", entry.key],
    ["from", placeOf(entry)],
    ["created", moment(entry.createdAt)],
    ["last activity", moment(entry.updatedAt)],
    ["messages", grouped(entry.messageCount)],
    ["tokens", tokensOf(entry)],
    ...(entry.cost > 0
      ? ([["cost", `$${entry.cost.toFixed(entry.cost < 1 ? 4 : 2)}`]] as [string, string][])
      : []),
    ["state", entry.endedAt === null ? "open" : `ended (${entry.endReason}) ${moment(entry.endedAt)}`],
    ...(entry.parentId === null
      ? []
      : ([["follows", followed(entry, entry.parentId)]] as [string, string][])),
  ];
  terminal.row(paint.bold(nameOf(entry)));
  for (const [name, value] of fields) terminal.line(`  ${paint.dim(name.padEnd(15))}${cleanLine(value)}`);
}

function tokensOf(entry: SessionEntry): string {
  const cached = entry.cacheReadTokens + entry.cacheWriteTokens;
  const parts = `${grouped(entry.inputTokens)} in, ${grouped(entry.outputTokens)} out`;
  return `${grouped(entry.totalTokens)} (${parts}${cached > 0 ? `, ${grouped(cached)} cached` : ""})`;
}

function followed(entry: SessionEntry, parentId: SessionId): string {
  return entry.resetReason === null ? parentId : `${parentId} (${entry.resetReason} reset)`;
}

function printMessages(terminal: Terminal, messages: readonly StoredMessage[], timeZone: string): void {
  const { paint } = terminal;
  if (messages.length === 0) terminal.line(`\n${paint.dim("No messages yet.")}`);
  for (const message of messages) {
    const gone = message.supersededAt === undefined ? "" : " (superseded)";
    const head = `${paint.bold(speakerOf(message))}  ${paint.dim(timeIn(timeZone, message.at) + gone)}`;
    terminal.line(`\n${head}`);
    for (const line of linesOf(message)) terminal.row(line === "" ? "" : `  ${line}`);
  }
}

function speakerOf(message: StoredMessage): string {
  const name = "name" in message && message.name ? cleanLine(message.name) : "";
  return name ? `${message.role} ${name}` : message.role;
}

function linesOf(message: StoredMessage): string[] {
  const text = printableText(readableText(message)).trimEnd();
  const lines = text === "" ? [] : text.split("\n");
  if (message.role === "tool" && lines.length > TOOL_LINES) {
    return [...lines.slice(0, TOOL_LINES), `… ${counted(lines.length - TOOL_LINES, "more line")}`];
  }
  if (message.role !== "assistant") return lines;
  const calls = message.toolCalls ?? [];
  return [...lines, ...calls.map((call) => `→ ${cleanLine(call.name)}(${cleanLine(call.arguments)})`)];
}
