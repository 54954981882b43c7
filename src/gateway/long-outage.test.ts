/** A platform that is down for minutes or hours: every answer arrives once, in order, and nobody hammers. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Letter, SendError } from "../adapter/adapter.js";
import { openDb } from "../open-sessions.js";
import { deliveryIdOf } from "../session/ids.js";
import type { Db } from "../store/db.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Deliverer } from "./deliverer.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CHATS = ["ann", "bob", "cid", "dan"];

let now: number;
let db: Db;
let store: Awaited<ReturnType<typeof openSqlStore>>;
let deliverer: Deliverer;
let adapter: ScriptedAdapter;
let calls: Letter[];
let problems: string[];
let trouble: () => void;

beforeEach(async () => {
  now = 1_000_000;
  calls = [];
  problems = [];
  trouble = () => {};
  db = await openDb("sqlite::memory:");
  store = await openSqlStore(db, 0);
});
afterEach(async () => {
  await deliverer.stop();
  await store.close();
});

function begin(options: ScriptedOptions = {}, giveUpAfterMs?: number): Promise<void> {
  const onSend = (letter: Letter) => {
    calls.push(letter);
    trouble();
  };
  return serve(new ScriptedAdapter({ ...options, onSend }), giveUpAfterMs);
}

async function serve(scripted: ScriptedAdapter, giveUpAfterMs = 72 * HOUR_MS): Promise<void> {
  adapter = scripted;
  await adapter.connect(async () => "accepted");
  deliverer = new Deliverer({
    surface: adapter,
    outbox: store.outbox,
    holder: processHolder(),
    clock: () => now,
    steady: () => now,
    onProblem: (problem) => problems.push(problem),
    isReady: () => true,
    findFile: async () => null,
    giveUpAfterMs,
    onFailed: () => {},
    pause: async (ms) => {
      now += ms;
    },
  });
}

let said = 0;
async function say(chatId: string, text: string): Promise<void> {
  const address = { platform: adapter.platform, chatId };
  const row = { account: adapter.account, holder: processHolder(), address, purpose: "reply" } as const;
  const deliveryId = deliveryIdOf("d", ++said);
  await store.outbox.add([{ ...row, deliveryId, text, sessionId: null, shown: false }], now);
  await look();
}

async function look(): Promise<void> {
  await deliverer.wake();
  await deliverer.idle();
}

/** So long, looked at every few seconds. */
async function pass(ms: number, stepMs = 10_000): Promise<void> {
  for (const end = now + ms; now < end; ) {
    now += stepMs;
    await look();
  }
}

const refused = () => {
  throw new SendError("retryable", "It cannot be reached.");
};

const states = async () =>
  (await db.all("SELECT DISTINCT state FROM outbox ORDER BY state")).map(({ state }) => state);

describe("an outage", () => {
  it.each([
    ["10 minutes", 10 * MINUTE_MS, 10_000],
    ["20 hours", 20 * HOUR_MS, MINUTE_MS],
  ])("of %s delays every answer, and loses none", async (_, ms, stepMs) => {
    await begin();
    await say("ann", "before");
    trouble = refused;
    for (const text of ["1", "2"]) for (const chat of CHATS) await say(chat, text);
    calls = [];
    await pass(ms / 2, stepMs);
    for (const chat of CHATS) await say(chat, "3");
    await pass(ms / 2, stepMs);
    // One call a minute for all chats together, after some quick ones.
    expect(calls.length).toBeLessThanOrEqual(ms / MINUTE_MS + 10);
    expect(adapter.sent).toHaveLength(1);
    trouble = () => {};
    await pass(5 * MINUTE_MS);
    for (const chat of CHATS)
      expect(adapter.textsTo(chat)).toEqual([...(chat === "ann" ? ["before"] : []), "1", "2", "3"]);
    expect([await states(), problems]).toEqual([["sent"], []]);
  });

  it("is tried by one chat at a time, and all go on as soon as one message is sent", async () => {
    await begin();
    trouble = refused;
    for (const chat of CHATS) await say(chat, "x");
    await pass(3 * MINUTE_MS, 1_000);
    calls = [];
    trouble = () => {};
    await pass(MINUTE_MS, 1_000);
    const [probe, ...others] = calls.map(({ address }) => address.chatId);
    expect(others).not.toContain(probe);
    expect(adapter.sent.length).toBeGreaterThan(1);
  });

  it("of one chat holds up no other", async () => {
    await begin();
    trouble = () => {
      if (calls.at(-1)?.address.chatId === "ann") refused();
    };
    await say("ann", "lost");
    await pass(10 * MINUTE_MS);
    for (const text of ["1", "2", "3"]) {
      await say("bob", text);
      expect(adapter.textsTo("bob")).toContain(text);
      await pass(5 * MINUTE_MS);
    }
  });

  it("that lasts longer than is set fails what waits, and says why; the next message is tried", async () => {
    await begin({}, HOUR_MS);
    trouble = refused;
    await say("ann", "old");
    await pass(2 * HOUR_MS, MINUTE_MS);
    expect(problems).toEqual([
      expect.stringMatching(/ann was not sent: Baton gave up after \d\d min: It cannot be reached\.$/),
    ]);
    trouble = () => {};
    await say("ann", "new");
    expect([adapter.textsTo("ann"), await states()]).toEqual([["new"], ["failed", "sent"]]);
  });

  it("with a time to come again is over at that time, not before", async () => {
    await begin();
    trouble = () => {
      throw new SendError("retryable", "429", { retryAfterMs: 20 * MINUTE_MS });
    };
    await say("ann", "later");
    trouble = () => {};
    await pass(20 * MINUTE_MS - 10_000);
    expect(calls).toHaveLength(1);
    await pass(10_000);
    expect(adapter.textsTo("ann")).toEqual(["later"]);
  });
});

describe("a connection that broke while a message was sent", () => {
  const broke = () => {
    throw new SendError("unknown", "The connection was reset.");
  };
  const shown = () => [...adapter.shown.values()];

  it("is looked up: what is there counts as sent", async () => {
    await begin({ can: ["find"] });
    await say("ann", "first");
    adapter.there.trouble = "swallowed";
    await say("ann", "second");
    expect([shown(), await states(), problems]).toEqual([["first", "second"], ["sent"], []]);
  });

  it("is looked up: what is certainly not there is sent, before what comes after it", async () => {
    await begin({ can: ["find"] });
    trouble = broke;
    await say("ann", "first");
    trouble = () => {};
    await say("ann", "second");
    await pass(MINUTE_MS);
    expect([shown(), await states(), problems]).toEqual([["first", "second"], ["sent"], []]);
  });

  it("is looked up when the platform can be asked again", async () => {
    class Silent extends ScriptedAdapter {
      asked = 0;
      override readonly find = async (letter: Letter) => {
        this.asked += 1;
        if (this.asked < 20) throw new SendError("unknown", "no answer");
        return this.there.find(letter) ?? ("not there" as const);
      };
    }
    const silent = new Silent();
    await serve(silent);
    silent.there.trouble = "swallowed";
    await say("ann", "once");
    expect([silent.asked, shown(), await states()]).toEqual([20, ["once"], ["sent"]]);
  });

  it("is sent again where that does no harm", async () => {
    await begin({ can: ["idempotent"] });
    adapter.there.trouble = "swallowed";
    await say("ann", "once");
    await pass(MINUTE_MS);
    expect([shown(), await states(), problems]).toEqual([["once"], ["sent"], []]);
  });

  it("is unknown where nobody can tell", async () => {
    await begin();
    trouble = broke;
    await say("ann", "lost?");
    trouble = () => {};
    await pass(MINUTE_MS);
    expect(shown()).toEqual([expect.stringMatching(/begins "lost\?" may be missing here/)]);
    expect(await states()).toEqual(["sent", "unknown"]);
  });
});
