/**
 * What is no text but has many parts, or parts within parts: messages with lists, patterns, settings, files. Each is made
 * of about so many characters, and read by what reads it in the program.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEvent as parseMatrix } from "../../src/adapter/matrix/parse.js";
import { LineSplitter } from "../../src/adapter/signal/line-splitter.js";
import { parseEvent as parseSignal } from "../../src/adapter/signal/parse.js";
import { parseUpdate } from "../../src/adapter/telegram/parse.js";
import { toolCallText } from "../../src/adapter/terminal/tool-text.js";
import { parseMessage as parseWeb } from "../../src/adapter/whatsapp/baileys/parse.js";
import { streamStep } from "../../src/agent/ai-sdk/stream-step.js";
import { MessageLines } from "../../src/agent/mcp/message-lines.js";
import { resultText } from "../../src/agent/mcp/result-text.js";
import { toolsListed } from "../../src/agent/mcp/tool-list.js";
import { globMatcher } from "../../src/agent/tools/glob.js";
import { checkText } from "../../src/config/read-file.js";
import { homeFile } from "../../src/config/schema.js";
import { readMessage } from "../../src/store/jsonl/message-json.js";
import { Problems } from "../../src/store/jsonl/problems.js";
import { readTranscript } from "../../src/store/jsonl/transcript-file.js";
import { matches, parseQuery } from "../../src/store/search/query.js";
import { termsOf } from "../../src/store/search/terms.js";
import { Redactor } from "../../src/util/redact.js";
import { filled, nested } from "./hostile-text.js";
import { fixture } from "./inbound-readers.js";

const read = async (): Promise<Uint8Array> => new Uint8Array();
const file = ({ mediaType }: { mediaType: string }) => ({ mediaType, read });
const commands = new Set(["new"]);
const US = "15550000000";
/** As deep as folders are searched, with the longest name that a file can have. */
export const LONGEST_PATH = `${"a/".repeat(32)}${"a".repeat(255)}`;
const many = <T>(length: number, each: string, make: (n: number) => T): T[] =>
  Array.from({ length: Math.ceil(length / each.length) }, (_, n) => make(n));

const redactor = new Redactor();
redactor.know(() => ["sk-aa11aa11aa", "abababababababab"]);
function streamed(text: string): void {
  const stream = redactor.stream();
  for (const piece of text) stream.push(piece);
  stream.end();
}

export const LISTS: Readonly<Record<string, (length: number, folder: string) => unknown>> = {
  "Telegram, names of the bot": (length) => {
    const name = "@baton_bot x";
    const entities = many(length, name, (n) => ({ type: "mention", offset: n * name.length, length: 10 }));
    const { dm } = fixture("telegram/fixtures/updates.json") as { dm: { message: object } };
    const message = { ...dm.message, text: filled(name, length), entities };
    return parseUpdate({ ...dm, message }, { id: "42", username: "baton_bot", commands, read });
  },
  "Matrix, links to the bot": (length) => {
    const pill = '<a href="https://matrix.to/#/@baton:example.org">x</a>';
    const content = {
      msgtype: "m.text",
      body: filled("y ", length),
      formatted_body: filled(pill, length),
    };
    const { text } = fixture("matrix/fixtures/events.json") as { text: object };
    const room = { roomId: "!room:example.org", chatType: "dm", nameOf: () => undefined } as const;
    return parseMatrix({ ...text, content }, room, { userId: "@baton:example.org", commands });
  },
  "Signal, mentions": (length) => {
    const { envelope } = fixture("signal/fixtures/message.json") as { envelope: object };
    const mentions = many(length, "@x", (n) => ({ name: "x", number: `+${US}`, start: 2 * n, length: 1 }));
    const dataMessage = { timestamp: 1, message: filled("@x", length), mentions };
    return parseSignal({ envelope: { ...envelope, dataMessage } }, { account: `+${US}`, commands, file });
  },
  "WhatsApp Web, mentions": (length) => {
    const mentionedJid = many(length, `${US}@lid`, () => `${US}@lid`);
    const extendedTextMessage = { text: filled("@1", length), contextInfo: { mentionedJid } };
    const message = { ...fixture("whatsapp/baileys/fixtures/text.json"), message: { extendedTextMessage } };
    return parseWeb(message, { us: [`${US}@lid`], commands, numberOf: () => undefined, file });
  },
  "WhatsApp Web, wrapped": (length) => {
    const [open, close] = ['{"ephemeralMessage":{"message":', "}}"];
    const content = JSON.parse(`${open.repeat(length / 33)}{}${close.repeat(length / 33)}`);
    const message = { ...fixture("whatsapp/baileys/fixtures/text.json"), message: content };
    return parseWeb(message, { us: [US], commands, numberOf: () => undefined, file });
  },
  "a search, one phrase": (length) =>
    matches(parseQuery(`"${filled("a ", 1_900)}b"`), termsOf(filled("a ", length))),
  "a search, many words": (length) =>
    matches(parseQuery(filled("a b ", length)), termsOf(filled("a ", length))),
  "a pattern, deep": (length) => globMatcher(nested("{", "}", length / 2)),
  "a pattern, braces": (length) => globMatcher(`${"{a,b}".repeat(6)}${filled("{a}", length)}`)?.("aaa"),
  "a pattern, folders": (length) => globMatcher(filled("**/a/", length))?.(LONGEST_PATH),
  "a pattern, stars": (length) => globMatcher(`{a,b,c,d}${filled("*a", length / 20)}`)?.(LONGEST_PATH),
  "a stream, blank lines in a secret": (length) => streamed(filled("s\n\n\n\n", 5) + filled("\n", length)),
  "a stream, beginnings of secrets": (length) => streamed(filled("sk-aa11 ab", length)),
  "settings, unknown": (length) =>
    checkText(many(length, "key10: 1\n", (n) => `key${n}: 1\n`).join(""), "x.yaml", homeFile),
  "settings, many": (length) => {
    const lines = many(length, "    telegram:1000: queue\n", (n) => `    telegram:${1_000 + n}: queue\n`);
    return checkText(`busy:\n  byChat:\n${lines.join("")}`, "x.yaml", homeFile);
  },
  "settings, aliases": (length) =>
    checkText(
      `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${many(length, "a10: &a10 [*a9,*a9,*a9,*a9]\n", (n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n},*a${n},*a${n}]\n`).join("")}`,
      "x.yaml",
      homeFile,
    ),
  "MCP, a result of many parts": (length) =>
    resultText({ content: many(length, "{}", () => ({})) }, redactor.hide),
  "MCP, a deep result": (length) =>
    resultText({ content: [], structuredContent: JSON.parse(nested("[", "]", length / 2)) }, redactor.hide),
  "MCP, many tools": (length) =>
    toolsListed(
      many(length, "{}", () => ({})),
      null,
    ),
  "MCP, a deep schema": (length) =>
    toolsListed(
      [{ name: "x", inputSchema: { properties: { x: JSON.parse(nested("[", "]", length / 2)) } } }],
      null,
    ),
  "MCP, lines in pieces": (length) => {
    const lines = new MessageLines();
    for (const piece of filled('{"jsonrpc":"2.0","method":"x"}\n', length))
      [...lines.take(Buffer.from(piece))];
  },
  "Signal, lines in pieces": (length) => {
    const lines = new LineSplitter(1_000);
    for (const piece of filled("{}x\n\n\n\n\n\n\n\n", length)) lines.push(Buffer.from(piece));
  },
  "the terminal, a call with deep arguments": (length) =>
    toolCallText({ id: "1", name: "x", arguments: `{"x":${nested("[", "]", length / 2)}}` }),
  "an import, a deep message": (length) =>
    readMessage({ role: "user", content: { x: JSON.parse(nested("[", "]", length / 2)) } }),
  "an import, many calls": (length) =>
    readMessage({ role: "assistant", tool_calls: many(length, "{}", () => ({})) }),
  "an import, many lines": async (length, folder) => {
    const path = join(folder, "lines.jsonl");
    writeFileSync(path, filled('{"role":"user","content":[{},[]]}\n[[\n{}\n', length));
    return await readTranscript({ path, name: "lines.jsonl" }, new Problems());
  },
  "a model, word by word": async (length) => {
    const parts = many(length, "x", (n) =>
      n % 2
        ? { type: "text-delta", id: "1", delta: "\ud83d" }
        : { type: "reasoning-delta", id: "2", delta: "x" },
    );
    const stream = ReadableStream.from([...parts, { type: "finish", finishReason: { unified: "stop" } }]);
    const model = { doStream: async () => ({ stream }) } as unknown as Parameters<typeof streamStep>[0];
    const limits = { firstWordMs: 60_000, silenceMs: 60_000, maxCharacters: 10 * length };
    const pieces = streamStep(model, { prompt: [] }, new AbortController().signal, limits);
    while (!(await pieces.next()).done);
  },
};
