/**
 * The same conversations from five programs, compared record by record with what was said: with every kind of text, with
 * damage in between, and twice; into both kinds of store. Random conversations against the same oracle.
 */
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import "../../src/adapter/platforms.js";
import { OWNER } from "../../src/session/access.js";
import type { SessionId } from "../../src/session/ids.js";
import { asSessionKey } from "../../src/session/session-key.js";
import type { Sessions } from "../../src/session/sessions.js";
import type { Message, StoredMessage } from "../../src/session/transcript.js";
import { exportSession } from "../../src/store/jsonl/export.js";
import { importSessions } from "../../src/store/jsonl/import.js";
import { storableText } from "../../src/util/text.js";
import { type Postgres, startPostgres } from "../support/postgres.js";
import { folder, store } from "../support/session-files.js";
import {
  type Conversation,
  CUT_OFF,
  DAMAGE,
  START,
  write,
  writeClaude,
  writeHermes,
  writeNanobot,
  writeOpenClaw,
} from "./formats.js";

const HUGE = "0123456789abcdef".repeat(200_000);

const AWKWARD: readonly Message[] = [
  { role: "user", content: "Zażółć 日本語 עברית 👩‍👩‍👧‍👦 e\u0301 \u202e\ufeff" },
  {
    role: "assistant",
    content: "I look.",
    reasoning: "hm \u2028 hm",
    toolCalls: [
      { id: "c1", name: "look", arguments: '{"a":"\\u0000 ü"}' },
      { id: "c2", name: "look", arguments: "{}" },
    ],
  },
  { role: "tool", toolCallId: "c1", name: "look", content: "one\ttwo\r\nthree\u0085four" },
  { role: "tool", toolCallId: "c2", name: "look", content: "" },
  { role: "assistant", content: "A NUL: \0, and a broken half: \ud83d." },
  { role: "user", content: '\0json:[{"type":"text","text":"in parts"},{"type":"image_url","image_url":{}}]' },
  { role: "assistant", content: HUGE },
  { role: "user", content: '</script>\u001b[31m{"role":"user"}\\n' },
  { role: "user", content: '</script>\u001b[31m{"role":"user"}\\n' },
  { role: "assistant", content: "ok" },
];

interface Program {
  readonly write: (root: string, conversation: Conversation, isDamaged: boolean) => void;
  readonly keyOf: (conversation: Conversation) => string | null;
  /** Problems that the damage of `formats.ts` makes, besides the line that is cut off and the empty file. */
  readonly problems: number;
  /** It keeps content that is not plain text as JSON behind a mark. */
  readonly marks: boolean;
}

const telegramKey = ({ chat }: Conversation) => `agent:main:telegram:dm:${chat}`;

const PROGRAMS: Readonly<Record<string, Program>> = {
  hermes: { write: writeHermes, keyOf: telegramKey, problems: 1, marks: true },
  nanobot: { write: writeNanobot, keyOf: telegramKey, problems: DAMAGE.length, marks: true },
  openclaw: { write: writeOpenClaw, keyOf: telegramKey, problems: DAMAGE.length + 1, marks: false },
  claude: { write: writeClaude, keyOf: () => null, problems: DAMAGE.length + 1, marks: false },
};

/** What a record must be: every text as a store keeps it, and what Hermes marks as JSON as the words that it means. */
function expected({ marks }: Program): (message: Message, place: number) => StoredMessage {
  return (message, place) => {
    const json = JSON.stringify(message);
    const mended = JSON.parse(json, (_, value) => (typeof value === "string" ? storableText(value) : value));
    const content = marks && message.content.startsWith("\0json:") ? "in parts\n[image_url]" : mended.content;
    return { ...mended, content, seq: place + 1, at: START + place * 1_000 };
  };
}

async function sessionOf(
  sessions: Sessions,
  conversation: Conversation,
  key: string | null,
): Promise<SessionId> {
  if (key === null) return conversation.id as SessionId;
  return (await sessions.current(asSessionKey(key)))?.sessionId as SessionId;
}

/** Every file with its bytes and time. */
function everything(path: string): string[] {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((file) => {
      const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
      return `${file} ${statSync(file).mtimeMs} ${hash}`;
    });
}

const CONVERSATION: Conversation = {
  id: "0a1b2c3d-0000-4000-8000-00000000000a",
  chat: "42",
  messages: AWKWARD,
};

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());

const STORES: readonly (readonly [name: string, open: () => Promise<Sessions>])[] = [
  ["SQLite", () => store()],
  ["PostgreSQL", async () => store({ url: await server.createDatabase() })],
];

describe.each(Object.entries(PROGRAMS))("%s", (name, program) => {
  it.each(STORES)("brings in every record to %s, past all damage, and nothing twice", async (_, open) => {
    const root = folder();
    program.write(root, CONVERSATION, true);
    const before = everything(root);
    const sessions = await open();
    const dry = await importSessions(root, sessions, { dryRun: true });
    expect((await sessions.list({}, OWNER)).items).toEqual([]);
    const report = await importSessions(root, sessions);
    expect(everything(root)).toEqual(before);
    expect(dry).toEqual({ ...report, dryRun: true });
    expect(report.totals).toMatchObject({
      sessions: 1,
      new: 1,
      added: AWKWARD.length,
      problems: program.problems + 2,
    });
    const reasons = report.problems.map(({ reason }) => reason);
    expect(reasons).toContain("The last line is cut off.");
    expect(reasons).toContainEqual(expect.stringMatching(/^(It is empty|There is no message in it)\.$/));
    for (const { file, reason } of report.problems)
      expect([file !== "", reason.endsWith(".")]).toEqual([true, true]);

    const key = program.keyOf(CONVERSATION);
    const id = await sessionOf(sessions, CONVERSATION, key);
    expect(await sessions.load(id)).toEqual(AWKWARD.map(expected(program)));
    // What is said there next goes on with it.
    if (key !== null) {
      const source = { platform: "telegram", chatId: "42", chatType: "dm", userId: "42" } as const;
      expect((await sessions.getOrCreate(source)).sessionId).toBe(id);
    }

    const again = await importSessions(root, sessions);
    expect(again.totals).toMatchObject({ sessions: 1, present: 1, added: 0 });
    expect(again.sessions[0]?.note ?? "").not.toContain("went on");
    expect(await sessions.load(id)).toEqual(AWKWARD.map(expected(program)));
  });

  it("brings in any conversation as it was", async () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).filter((each) => each !== "");
    const spoken = fc.record({ user: text, answer: text, call: fc.option(text) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(spoken, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (turns, isDamaged) => {
          const messages = turns.flatMap(({ user, answer, call }, turn): Message[] => [
            { role: "user", content: user },
            ...(call === null
              ? []
              : ([
                  {
                    role: "assistant",
                    content: "",
                    toolCalls: [{ id: `c${turn}`, name: "t", arguments: "{}" }],
                  },
                  { role: "tool", toolCallId: `c${turn}`, name: "t", content: call },
                ] as const)),
            { role: "assistant", content: answer },
          ]);
          fc.pre(!messages.some(({ content }) => /^[\0\u0001]json:/.test(content)));
          const conversation = { ...CONVERSATION, messages };
          const root = folder();
          program.write(root, conversation, isDamaged);
          const sessions = await store();
          await importSessions(root, sessions);
          const id = await sessionOf(sessions, conversation, program.keyOf(conversation));
          expect(await sessions.load(id)).toEqual(messages.map(expected(program)));
        },
      ),
      { numRuns: name === "hermes" ? 5 : 15 },
    );
  });
});

it.each(STORES)("reads Baton's own export from %s record by record", async (_, open) => {
  const here = await open();
  const source = { platform: "telegram", chatId: "42", chatType: "dm", userId: "42" } as const;
  const { entry } = await here.receive(source, AWKWARD[0] as Message);
  await here.appendMany(
    entry.sessionId,
    AWKWARD.slice(1).map((message, n) => ({ ...message, at: START + n })),
  );
  let text = "";
  await exportSession(here, entry, "jsonl", (piece) => {
    text += piece;
  });
  const root = folder();
  const [head = "", ...rest] = text.split("\n");
  write(join(root, "backup.jsonl"), [head, ...DAMAGE, ...rest].join("\n"));
  appendFileSync(join(root, "backup.jsonl"), CUT_OFF);
  write(join(root, "empty.jsonl"), "");
  const there = await open();
  const report = await importSessions(root, there);
  expect(report.problems.map(({ file, line }) => [file, line])).toEqual([
    ["empty.jsonl", null],
    ...DAMAGE.map((_, n) => ["backup.jsonl", n + 2]),
    ["backup.jsonl", rest.length + DAMAGE.length + 1],
  ]);
  expect(await there.load(entry.sessionId)).toEqual(await here.load(entry.sessionId));
  expect((await importSessions(root, there)).totals).toMatchObject({ present: 1, added: 0 });
});
