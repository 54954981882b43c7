/** What a program in plain JavaScript may pass by mistake is named at once, and leaves nothing behind. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { openSessions } from "../open-sessions.js";
import { OWNER } from "./access.js";
import { InputError } from "./errors.js";
import { asSessionId } from "./ids.js";
import { buildSessionKey } from "./session-key.js";
import type { Sessions } from "./sessions.js";

// biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it.
type Careless = any;

const ann = { platform: "telegram", chatId: "1", chatType: "dm", userId: "1" } as const;
const key = buildSessionKey(ann);
const circle: Record<string, unknown> = {};
circle.circle = circle;
let sessions: Sessions;

beforeAll(async () => {
  sessions = await openSessions({ url: "sqlite::memory:" });
  await sessions.receive(ann, { role: "user", content: "hello" });
});
afterAll(() => sessions.close());

const METADATA = [circle, { big: 1n }, [], null, "text", 1n, () => {}, { toJSON: () => undefined }];
const NO_TEXT = [undefined, null, 7, 7n, {}, circle, [], Symbol("id")];
const NO_LIST = [undefined, null, "text", {}, 7];
const NO_KEY = [
  ...NO_TEXT,
  "",
  "nonsense",
  "agent:main",
  "agent:main:telegram:nothing:1",
  "agent:main::dm:1",
];

it.each<[string, string, readonly unknown[], (wrong: Careless) => Promise<unknown>]>([
  ["update, metadata", "invalid_metadata", METADATA, (metadata) => sessions.update(key, { metadata })],
  ["update, key", "invalid_session_key", NO_KEY, (wrong) => sessions.update(wrong, {})],
  ["reset", "invalid_session_key", NO_KEY, (wrong) => sessions.reset(wrong)],
  ["current", "invalid_session_key", NO_KEY, (wrong) => sessions.current(wrong)],
  ["explain", "invalid_session_key", NO_KEY, (wrong) => sessions.explain(wrong)],
  ["get", "invalid_session_id", NO_TEXT, (wrong) => sessions.get(wrong)],
  ["a view's get", "invalid_session_id", NO_TEXT, (wrong) => sessions.as(OWNER).get(wrong)],
  ["find", "invalid_session_id", NO_TEXT, (wrong) => sessions.find(wrong, OWNER)],
  ["load", "invalid_session_id", NO_TEXT, (wrong) => sessions.load(wrong)],
  ["history", "invalid_session_id", NO_TEXT, (wrong) => sessions.history(wrong)],
  ["end", "invalid_session_id", NO_TEXT, (wrong) => sessions.end(wrong)],
  ["setTitle", "invalid_session_id", NO_TEXT, (wrong) => sessions.setTitle(wrong, "Garden")],
  ["switchTo", "invalid_session_id", NO_TEXT, (wrong) => sessions.switchTo(key, wrong)],
  ["record", "invalid_session_id", NO_TEXT, (wrong) => sessions.record(wrong, [])],
  ["rewrite", "invalid_session_id", NO_TEXT, (wrong) => sessions.rewrite(wrong, [])],
  ["requestHandoff", "invalid_session_id", NO_TEXT, (wrong) => sessions.requestHandoff(wrong, "local")],
  ["getHandoff", "invalid_message", NO_TEXT, (wrong) => sessions.getHandoff(wrong)],
  ["failHandoff", "invalid_message", NO_TEXT, (wrong) => sessions.failHandoff(wrong, { error: "no" })],
  ["record, messages", "invalid_message", NO_LIST, (wrong) => sessions.record(asSessionId("one"), wrong)],
  ["rewrite, messages", "invalid_message", NO_LIST, (wrong) => sessions.rewrite(asSessionId("one"), wrong)],
  [
    "receive, message",
    "invalid_message",
    [undefined, null, "hi", 7n],
    (wrong) => sessions.receive(ann, wrong),
  ],
  [
    "append, message",
    "invalid_message",
    [undefined, null, "hi", 7n],
    (wrong) => sessions.append(asSessionId("one"), wrong),
  ],
  [
    "a role",
    "unknown_role",
    [7n, circle, null],
    (role) => sessions.append(asSessionId("one"), { role, content: "hi" }),
  ],
])("%s is refused as %s", async (_what, code, wrongs, call) => {
  for (const wrong of wrongs) {
    const error = await Promise.resolve()
      .then(() => call(wrong))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S+ \S+.*\./) });
  }
  const { items } = await sessions.list({}, OWNER);
  expect(items).toMatchObject([{ key, messageCount: 1, metadata: {} }]);
});

it("a key of a platform that is registered elsewhere is a key", async () => {
  expect(await sessions.current("agent:main:pigeon:dm:99" as Careless)).toBeNull();
});
