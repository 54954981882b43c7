/** What a terminal hears of its session while it is there, and while it is elsewhere. */
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { makeHome } from "../test/support/baton.js";
import { offlineAgent } from "./agent/offline.js";
import { laneFor } from "./cli/lane-choice.js";
import { openChat } from "./open-chat.js";
import { openGatewayOver } from "./open-gateway.js";
import { openSessions } from "./open-sessions.js";
import { localSource } from "./session/source.js";
import { ScriptedAdapter } from "./testing/scripted-adapter.js";

it("hears others in its session, but not while that is in another chat", async () => {
  const url = join(makeHome(), "baton.db");
  const elsewhere = await openSessions({ url });
  const { entry } = await elsewhere.receive(localSource(), { role: "user", content: "Garden" });
  const { sessionId } = entry;
  const source = localSource();
  const words: string[] = [];
  const taken: (string | undefined)[] = [];
  const adapter = new ScriptedAdapter({ platform: source.platform, account: source.chatId });
  const lane = laneFor({ kind: "usual" }, { isScript: false, isShared: false, named: null });
  const chat = await openChat(
    { isScript: false, make: async () => ({ adapter, lane }) },
    {
      onOthers: (messages) => words.push(...messages.map(({ content }) => content)),
      onTaken: (now) => taken.push(now?.origin.platform),
      onProblem: () => {},
    },
    (text) => text,
    async (adapters) => ({
      ...(await openGatewayOver(adapters, { url, agent: offlineAgent(), commands: [] })),
      agent: "offline",
    }),
  );
  const say = (content: string) => elsewhere.append(sessionId, { role: "user", content });
  const heard = (word: string) => vi.waitFor(() => expect(words).toContain(word), { timeout: 30_000 });
  try {
    await chat.begin();
    await say("roses");
    await heard("roses");
    await elsewhere.switchTo({ platform: "telegram", chatId: "1", chatType: "dm", userId: "1" }, sessionId);
    await vi.waitFor(() => expect(taken).toEqual(["telegram"]), { timeout: 30_000 });
    await say("on the phone");
    await chat.sessions.switchTo(source, sessionId);
    await vi.waitFor(
      async () => {
        await say("tulips");
        expect(words).toContain("tulips");
      },
      { timeout: 30_000 },
    );
    expect(words).not.toContain("on the phone");
  } finally {
    await chat.close();
    await elsewhere.close();
  }
});

it("brings back the session that it was opened for, if a script ended it a moment before", async () => {
  const url = join(makeHome(), "baton.db");
  const elsewhere = await openSessions({ url });
  const { entry } = await elsewhere.receive(localSource(), { role: "user", content: "Garden" });
  const taken: unknown[] = [];
  const named = { entry, isMeetingTaken: false, lane: { kind: "terminal" } } as const;
  const lane = laneFor({ kind: "session", which: "" }, { isScript: false, isShared: true, named });
  const adapter = new ScriptedAdapter({ platform: entry.platform, account: entry.origin.chatId });
  const chat = await openChat(
    { isScript: false, make: async () => ({ adapter, lane }) },
    { onTaken: (now) => taken.push(now), onProblem: (problem) => expect.fail(problem) },
    (text) => text,
    async (adapters) => ({
      ...(await openGatewayOver(adapters, { url, agent: offlineAgent(), commands: [] })),
      agent: "offline",
    }),
  );
  try {
    await elsewhere.end(entry.sessionId);
    await chat.begin();
    expect(await elsewhere.current(chat.key)).toMatchObject({ sessionId: entry.sessionId, endedAt: null });
    expect(taken).toEqual([]);
  } finally {
    await chat.close();
    await elsewhere.close();
  }
});
