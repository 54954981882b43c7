/** The same conversation as five programs keep it, written from what is known of their formats. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Message } from "../../src/session/transcript.js";

/** When the first message was written; each next one is a second later. */
export const START = Date.UTC(2025, 0, 1, 12);

export interface Conversation {
  readonly id: string;
  /** The number of a private chat on Telegram. */
  readonly chat: string;
  readonly messages: readonly Message[];
}

/** Lines that every reader must leave out, and name. */
export const DAMAGE = ["{ torn", '"only a text"', "[1, 2]", "\u0000\u0001"];
/** A last line that nobody finished. */
export const CUT_OFF = '{"role":"user","content":"cut of';

type Json = Record<string, unknown>;

export function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A damaged transcript also ends in the middle of a line, and has an empty one beside it. */
function writeTranscript(path: string, lines: readonly unknown[], isDamaged: boolean): void {
  write(path, isDamaged ? jsonl(lines) + CUT_OFF : jsonl(lines));
  if (isDamaged) write(join(dirname(path), "empty.jsonl"), "");
}

export function jsonl(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

const at = (place: number) => START + place * 1_000;
const iso = (place: number) => new Date(at(place)).toISOString();

/** The damage after the first line that is not metadata. */
function damaged(lines: readonly unknown[], head: number, isDamaged: boolean): unknown[] {
  return isDamaged ? [...lines.slice(0, head + 1), ...DAMAGE, ...lines.slice(head + 1)] : [...lines];
}

/** OpenAI's form, which Hermes and nanobot write. */
function plain(message: Message, place: number): Json {
  const base = { role: message.role, content: message.content, timestamp: iso(place) };
  if (message.role === "tool")
    return { ...base, tool_call_id: message.toolCallId, ...(message.name ? { name: message.name } : {}) };
  if (message.role !== "assistant") return base;
  const calls = message.toolCalls?.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  return {
    ...base,
    ...(calls ? { tool_calls: calls } : {}),
    ...(message.reasoning ? { reasoning_content: message.reasoning } : {}),
  };
}

export function writeNanobot(root: string, { chat, messages }: Conversation, isDamaged: boolean): void {
  const head = {
    _type: "metadata",
    key: `telegram:${chat}`,
    created_at: iso(0),
    updated_at: iso(messages.length),
    metadata: {},
    last_consolidated: 0,
  };
  const lines = damaged([head, ...messages.map(plain)], 1, isDamaged);
  writeTranscript(join(root, "workspace", "sessions", `telegram_${chat}.jsonl`), lines, isDamaged);
}

const TABLES = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT, chat_type TEXT,
  thread_id TEXT, origin_json TEXT, display_name TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,
  end_reason TEXT, title TEXT, input_tokens INTEGER, output_tokens INTEGER, last_activity_at REAL);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT, active INTEGER DEFAULT 1);
CREATE TABLE gateway_routing (scope TEXT, session_key TEXT, entry_json TEXT, updated_at REAL);`;

/** Text as Python's driver binds it: with its NUL characters, which ours would cut. */
const TEXT = "CAST(? AS TEXT)";
const bytes = (text: string | undefined) => (text === undefined ? null : Buffer.from(text, "utf8"));

export function writeHermes(root: string, conversation: Conversation, isDamaged: boolean): void {
  const { id, chat, messages } = conversation;
  mkdirSync(join(root, "sessions"), { recursive: true });
  const db = new DatabaseSync(join(root, "state.db"));
  db.exec(TABLES);
  const key = `agent:main:telegram:dm:${chat}`;
  const origin = { platform: "telegram", chat_id: chat, chat_type: "dm", user_id: chat };
  db.prepare(
    "INSERT INTO sessions (id, source, user_id, session_key, chat_id, chat_type, origin_json, started_at) VALUES (?,?,?,?,?,?,?,?)",
  ).run(id, "telegram", chat, key, chat, "dm", JSON.stringify(origin), START / 1000);
  db.prepare("INSERT INTO gateway_routing VALUES ('', ?, ?, ?)").run(
    key,
    JSON.stringify({ session_key: key, session_id: id, origin }),
    START / 1000,
  );
  const insert = db.prepare(
    `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, reasoning)
     VALUES (?, ?, ${TEXT}, ${TEXT}, ${TEXT}, ${TEXT}, ?, ${TEXT})`,
  );
  messages.forEach((message, place) => {
    const { tool_calls } = plain(message, place);
    insert.run(
      id,
      message.role,
      bytes(message.content),
      bytes(message.role === "tool" ? message.toolCallId : undefined),
      bytes(tool_calls ? JSON.stringify(tool_calls) : undefined),
      bytes(message.role === "tool" ? message.name : undefined),
      at(place) / 1000,
      bytes(message.role === "assistant" ? message.reasoning : undefined),
    );
    if (isDamaged && place === 0)
      insert.run(id, "wizard", bytes("?"), null, null, null, at(place) / 1000, null);
  });
  db.close();
  const index = { _README: "where to find them", [key]: { session_key: key, session_id: id, origin } };
  write(join(root, "sessions", "sessions.json"), JSON.stringify(index));
  // As an older version left it: the beginning once more.
  if (isDamaged)
    writeTranscript(join(root, "sessions", `${id}.jsonl`), messages.slice(0, 2).map(plain), true);
}

/** The parts of one message, as an agent of OpenClaw's keeps them. */
function entry(message: Message, place: number): Json {
  const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
  const timestamp = at(place);
  if (message.role === "tool") {
    return {
      role: "toolResult",
      toolCallId: message.toolCallId,
      toolName: message.name,
      content: text,
      timestamp,
    };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.content, timestamp };
  const thoughts = message.reasoning ? [{ type: "thinking", thinking: message.reasoning }] : [];
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    type: "toolCall",
    id,
    name,
    arguments: JSON.parse(args),
  }));
  return {
    role: "assistant",
    content: [...thoughts, ...text, ...calls],
    usage: { input: 10, output: 2, cost: { total: 0.5 } },
    timestamp,
  };
}

export function openClawLines({ id, messages }: Conversation): unknown[] {
  const header = { type: "session", version: 3, id, timestamp: iso(0), cwd: "/home/ann" };
  const lines = messages.map((message, place) => ({
    type: "message",
    id: `e${place}`,
    parentId: place === 0 ? null : `e${place - 1}`,
    timestamp: iso(place),
    message: entry(message, place),
  }));
  return [header, ...lines];
}

export function writeOpenClaw(root: string, conversation: Conversation, isDamaged: boolean): void {
  const { id, chat } = conversation;
  const folder = join(root, "agents", "main", "sessions");
  const index = { [`agent:main:telegram:direct:${chat}`]: { sessionId: id, updatedAt: at(500) } };
  write(join(folder, "sessions.json"), JSON.stringify(index));
  const lines = openClawLines(conversation);
  // A line twice, as after a write that was tried again.
  const twice = isDamaged && lines.length > 2 ? [...lines.slice(0, 3), lines[2], ...lines.slice(3)] : lines;
  writeTranscript(join(folder, `${id}.jsonl`), damaged(twice, 1, isDamaged), isDamaged);
}

/** One line for each part of an answer, as Claude Code keeps it. */
export function claudeLines({ id, messages }: Conversation): Json[] {
  const lines: Json[] = [];
  const add = (place: number, fields: Json) => {
    const parentUuid = lines.findLast(({ uuid }) => uuid !== undefined)?.uuid ?? null;
    const uuid = `u${lines.length}`;
    lines.push({
      uuid,
      parentUuid,
      sessionId: id,
      isSidechain: false,
      cwd: "/home/ann/garden",
      timestamp: iso(place),
      ...fields,
    });
  };
  messages.forEach((message, place) => {
    if (message.role === "tool") {
      const block = { type: "tool_result", tool_use_id: message.toolCallId, content: message.content };
      add(place, { type: "user", message: { role: "user", content: [block] } });
      return;
    }
    if (message.role !== "assistant") {
      add(place, { type: "user", message: { role: "user", content: message.content } });
      return;
    }
    const blocks = [
      ...(message.reasoning ? [{ type: "thinking", thinking: message.reasoning }] : []),
      ...(message.content ? [{ type: "text", text: message.content }] : []),
      ...(message.toolCalls ?? []).map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: JSON.parse(call.arguments),
      })),
    ];
    for (const block of blocks) {
      const usage = { input_tokens: 10, output_tokens: 2 };
      add(place, {
        type: "assistant",
        message: { id: `m${place}`, role: "assistant", content: [block], usage },
      });
    }
  });
  return lines;
}

export function writeClaude(root: string, conversation: Conversation, isDamaged: boolean): void {
  const lines: unknown[] = claudeLines(conversation);
  const [first] = lines;
  const snapshot = { type: "file-history-snapshot", messageId: "x", snapshot: {} };
  const all = [
    snapshot,
    ...(isDamaged ? [...lines.slice(0, 1), ...DAMAGE, first, ...lines.slice(1)] : lines),
  ];
  writeTranscript(join(root, "projects", "-home-ann-garden", `${conversation.id}.jsonl`), all, isDamaged);
}
