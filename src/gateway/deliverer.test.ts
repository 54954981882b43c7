/** What was being sent when a process ended: found, sent once more, or given up; never sent twice blindly. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endedHolder } from "../../test/support/ended-holder.js";
import { type FoundMessage, type LocalFile, SendError } from "../adapter/adapter.js";
import { openDb } from "../open-sessions.js";
import { deliveryIdOf, type RunId } from "../session/ids.js";
import type { Attachment } from "../session/transcript.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter, type ScriptedOptions } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import type { ProblemDetails } from "../util/problem.js";
import { Deliverer } from "./deliverer.js";
import type { Surface } from "./surface.js";

const ENDED = endedHolder();
let now = 1_000;

let store: Awaited<ReturnType<typeof openSqlStore>>;
const open: Deliverer[] = [];
let problems: string[] = [];
let details: (ProblemDetails | undefined)[] = [];
let failed: string[] = [];
beforeEach(async () => {
  problems = [];
  failed = [];
  details = [];
  store = await openSqlStore(await openDb("sqlite::memory:"), 0);
});
afterEach(async () => {
  for (const deliverer of open.splice(0)) await deliverer.stop();
  await store.close();
});

const deliverer = (
  surface: Surface,
  findFile: (file: Attachment) => Promise<LocalFile | null> = async () => null,
): Deliverer => {
  const made = new Deliverer({
    surface,
    outbox: store.outbox,
    holder: processHolder(),
    clock: () => now,
    steady: () => now,
    onProblem: (problem, about) => {
      problems.push(problem);
      details.push(about);
    },
    isReady: () => true,
    findFile,
    giveUpAfterMs: 86_400_000,
    onFailed: (delivery) => failed.push(delivery.text),
    pause: async () => {},
  });
  open.push(made);
  return made;
};

/** A process ended while it was sending, before or after the platform had it; the next one goes on. */
async function interrupted(options: ScriptedOptions, arrived: boolean, holder = ENDED) {
  const before = new ScriptedAdapter(options);
  const address = { platform: before.platform, chatId: "ann" };
  const delivery = { deliveryId: deliveryIdOf("d1"), address, text: "hello" };
  await store.outbox.add(
    [{ ...delivery, account: before.account, holder, purpose: "reply", sessionId: null, shown: false }],
    now,
  );
  const [pending] = await store.outbox.pending(before, 10);
  await store.outbox.sending(pending?.id ?? 0, holder);
  await before.connect(async () => "accepted");
  if (arrived) await before.send(delivery);
  await before.disconnect();

  const adapter = new ScriptedAdapter({ ...options, on: before.there });
  await adapter.connect(async () => "accepted");
  const next = deliverer(adapter);
  await next.recover();
  await next.wake();
  await next.idle();
  return {
    adapter,
    shown: [...adapter.shown.values()],
    sentAgain: adapter.sent.length,
    isOver: (await store.outbox.interrupted(adapter)).length === 0,
    left: (await store.outbox.pending(adapter, 10)).length,
  };
}

it("leaves the result of a job to a surface with a person at it", async () => {
  const script = new ScriptedAdapter();
  await script.connect(async () => "accepted");
  const address = { platform: script.platform, chatId: "ann" };
  const to = { account: script.account, holder: "", address, purpose: "reply", sessionId: null } as const;
  await store.outbox.add(
    [
      { ...to, deliveryId: deliveryIdOf("result"), text: "the digest", runId: 7 as RunId, shown: false },
      { ...to, deliveryId: deliveryIdOf("answer"), text: "an answer", shown: false },
    ],
    now,
  );
  const capabilities = { ...script.capabilities, isUnattended: true };
  const unattended = deliverer({ ...script, capabilities, speaker: script });
  await unattended.wake();
  await unattended.idle();
  expect(script.sent.map(({ text }) => text)).toEqual(["an answer"]);
  const attended = deliverer(script);
  await attended.wake();
  await attended.idle();
  expect(script.sent.map(({ text }) => text)).toEqual(["an answer", "the digest"]);
});

describe("what was about to be sent when the store did not answer", () => {
  it.each([
    ["at once", true],
    ["only when it is asked again", false],
  ])("is sent once, before what comes after it; it was committed %s", async (_, atOnce) => {
    const adapter = new ScriptedAdapter();
    await adapter.connect(async () => "accepted");
    const address = { platform: adapter.platform, chatId: "ann" };
    const to = { account: adapter.account, holder: "", address, purpose: "reply" } as const;
    const texts = ["first", "second", "third"];
    await store.outbox.add(
      texts.map((text) => ({ ...to, deliveryId: deliveryIdOf(text), text, sessionId: null, shown: false })),
      now,
    );
    const sending = store.outbox.sending.bind(store.outbox);
    let late: (() => Promise<boolean>) | undefined;
    vi.spyOn(store.outbox, "sending")
      .mockImplementationOnce(async (...call) => {
        if (atOnce) await sending(...call);
        else late = () => sending(...call);
        throw new Error("The connection was lost."); // It is committed all the same.
      })
      .mockImplementation(async (...call) => {
        await late?.();
        late = undefined;
        return sending(...call);
      });
    const made = deliverer(adapter);
    await made.wake();
    await vi.waitUntil(() => adapter.sent.length === 3, { timeout: 60_000 });
    await made.idle();
    expect(adapter.textsTo("ann")).toEqual(texts);
  });
});

it("what the next holder of the account is sending is left alone by one that has lost it", async () => {
  const adapter = new ScriptedAdapter({ can: ["idempotent"] });
  await adapter.connect(async () => "accepted");
  const next = "elsewhere 1 1 x";
  const address = { platform: adapter.platform, chatId: "ann" };
  const to = { account: adapter.account, address, purpose: "reply", sessionId: null, shown: false } as const;
  await store.accounts.take(adapter, { holder: next, leaseMs: 60_000 }, null, now);
  await store.outbox.add([{ ...to, holder: next, deliveryId: deliveryIdOf("theirs"), text: "theirs" }], now);
  const [theirs] = await store.outbox.pending(adapter, 10);
  expect(await store.outbox.sending(theirs?.id ?? 0, next)).toBe(true);
  await store.outbox.add(
    [{ ...to, holder: processHolder(), deliveryId: deliveryIdOf("ours"), text: "ours" }],
    now,
  );
  const made = deliverer(adapter);
  for (let look = 0; look < 2; look++) {
    await made.wake();
    await made.idle();
  }
  expect(adapter.sent).toEqual([]);
  expect((await store.outbox.interrupted(adapter)).map(({ holder }) => holder)).toEqual([next]);
});

describe("what was being sent when a process ended", () => {
  it.each([true, false])("is found where the platform can be asked (arrived: %s)", async (arrived) => {
    const { shown, sentAgain, isOver, left } = await interrupted({ can: ["find"] }, arrived);
    expect(shown).toEqual(["hello"]);
    expect(sentAgain).toBe(arrived ? 0 : 1);
    expect([isOver, left]).toEqual([true, 0]);
  });

  it.each([true, false])("is sent again where that does no harm (arrived: %s)", async (arrived) => {
    const { shown, sentAgain, isOver, left } = await interrupted({ can: ["idempotent"] }, arrived);
    expect(shown).toEqual(["hello"]);
    expect(sentAgain).toBe(1);
    expect([isOver, left]).toEqual([true, 0]);
  });

  it.each([true, false])(
    "is unknown where nobody can tell, and not sent again; the chat and the log are told (arrived: %s)",
    async (arrived) => {
      const { shown, isOver, left } = await interrupted({}, arrived);
      const doubt = expect.stringMatching(/begins "hello" may be missing/);
      expect(shown).toEqual(arrived ? ["hello", doubt] : [doubt]);
      expect([isOver, left]).toEqual([true, 0]);
      expect(problems).toEqual([
        expect.stringMatching(/ann may not have arrived \(unknown\): the process ended/),
      ]);
    },
  );

  describe("on a platform that does not answer", () => {
    let find: () => Promise<FoundMessage>;
    let adapter: ScriptedAdapter;
    const rowTo = (chatId: string, text: string) =>
      ({
        deliveryId: deliveryIdOf(text),
        account: "bot",
        holder: ENDED,
        address: { platform: adapter.platform, chatId },
        purpose: "reply",
        text,
        sessionId: null,
        shown: false,
      }) as const;
    beforeEach(async () => {
      class Asked extends ScriptedAdapter {
        override readonly find = () => find();
      }
      adapter = new Asked();
      await store.outbox.add([rowTo("ann", "x")], now);
      const [pending] = await store.outbox.pending(adapter, 10);
      await store.outbox.sending(pending?.id ?? 0, ENDED);
      await adapter.connect(async () => "accepted");
    });
    const texts = () => adapter.sent.map(({ text }) => text);

    it("is unknown if the answer is nonsense", async () => {
      find = async () => {
        throw new Error("nonsense");
      };
      const next = deliverer(adapter);
      await next.recover();
      await next.idle();
      expect(await store.outbox.interrupted(adapter)).toEqual([]);
      expect(problems).toEqual([expect.stringMatching(/may not have arrived \(unknown\)/)]);
      expect(texts()).not.toContain("x");
    });

    it.each<[string, FoundMessage, string[]]>([
      ["was there", { messageId: "m9" }, ["to bob", "after it"]],
      ["was not there", "not there", ["to bob", "x", "after it"]],
    ])("is asked for again, and nothing overtakes it in its chat: it %s", async (_, answer, sent) => {
      let answers: (found: FoundMessage) => void = () => {};
      const answered = new Promise<FoundMessage>((resolve) => {
        answers = resolve;
      });
      let asked = 0;
      find = async () => {
        asked++;
        if (asked <= 3) throw new SendError("retryable", "too many requests", { retryAfterMs: 5_000 });
        return answered;
      };
      await store.outbox.add([rowTo("ann", "after it"), rowTo("bob", "to bob")], now);
      const next = deliverer(adapter);
      await next.recover();
      await next.wake();
      await adapter.until(() => texts().length > 0 && asked === 4);
      await next.recover(); // As the gateway does again and again.
      expect([texts(), problems, asked]).toEqual([["to bob"], [], 4]);
      answers(answer);
      await next.idle();
      expect([texts(), problems]).toEqual([sent, []]);
      expect(await store.outbox.pending(adapter, 10)).toEqual([]);
    });

    it("is left to the next process if this one stops before the answer", async () => {
      find = async () => {
        void next.stop();
        throw new SendError("retryable", "too many requests");
      };
      const next = deliverer(adapter);
      await next.recover();
      await next.idle();
      expect((await store.outbox.interrupted(adapter)).map(({ text }) => text)).toEqual(["x"]);
      expect(problems).toEqual([]);
    });
  });

  it("is told once for all of a chat, and not of what was telling it", async () => {
    const adapter = new ScriptedAdapter({
      onSend: () => {
        throw new SendError("unknown", "no answer");
      },
    });
    await adapter.connect(async () => "accepted");
    const address = { platform: adapter.platform, chatId: "ann" };
    const row = {
      account: "bot",
      holder: ENDED,
      address,
      purpose: "reply",
      sessionId: null,
      shown: false,
    } as const;
    const texts = ["one", "two", "three"];
    await store.outbox.add(
      texts.map((text) => ({ ...row, deliveryId: deliveryIdOf(text), text })),
      now,
    );
    for (const { id } of await store.outbox.pending(adapter, 10)) await store.outbox.sending(id, ENDED);
    const next = deliverer(adapter);
    await next.recover();
    await next.idle();
    expect(await store.outbox.pending(adapter, 10)).toEqual([]); // That is in doubt too, and enough was said.
    expect((await store.outbox.doubtful(adapter, address, 0)).count).toBe(4);
  });

  it("is left alone where its process is still there, and shares the account", async () => {
    const shared = { can: ["idempotent"], shared: true } as const;
    const { sentAgain, isOver } = await interrupted(shared, false, processHolder());
    expect([sentAgain, isOver]).toEqual([0, false]);
  });

  it("goes with the account where that is this process's now, also of one that stands still", async () => {
    const { sentAgain, isOver } = await interrupted({ can: ["idempotent"] }, false, processHolder());
    expect([sentAgain, isOver]).toEqual([1, true]);
  });
});

describe("what is said with files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "baton-letters-"));
    for (const name of ["a.txt", "b.txt"]) await writeFile(join(folder, name), name);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const findFile = async ({ file, mediaType, name = file }: Attachment): Promise<LocalFile | null> =>
    file === "gone" ? null : { path: join(folder, file), mediaType, name };
  /** A text and files are rows of their own, of one transaction. */
  const say = (adapter: ScriptedAdapter, text: string, ...files: string[]): Promise<void> => {
    const address = { platform: adapter.platform, chatId: "ann" };
    const head = { account: adapter.account, holder: "", address, purpose: "reply" } as const;
    const row = { ...head, sessionId: null, shown: false };
    const letters = files.map((file) => ({
      ...row,
      deliveryId: deliveryIdOf(file),
      text: "",
      files: [{ file, mediaType: "text/plain" }],
    }));
    return store.outbox.add([{ ...row, deliveryId: deliveryIdOf(text), text }, ...letters], now);
  };
  const shown = ({ there }: ScriptedAdapter) =>
    [...there.messages.values()].map(({ text, files }) => files?.[0]?.name ?? text);
  const settled = async (made: Deliverer): Promise<void> => {
    await made.wake();
    await made.idle();
  };

  it("goes on at the file that had to wait, in order, and repeats none", async () => {
    let refusals = 1;
    const adapter = new ScriptedAdapter({
      can: ["files"],
      onSend: ({ files }) => {
        if (files && refusals-- > 0) throw new SendError("retryable", "wait", { retryAfterMs: 5 });
      },
    });
    await adapter.connect();
    await say(adapter, "two files", "a.txt", "b.txt");
    const made = deliverer(adapter, findFile);
    await settled(made);
    expect(shown(adapter)).toEqual(["two files"]);
    now += 5;
    await settled(made);
    expect(shown(adapter)).toEqual(["two files", "a.txt", "b.txt"]);
    expect(problems).toEqual([]);
  });

  it("is gone on with by the next process, where the last one had ended", async () => {
    const first = new ScriptedAdapter({ can: ["files", "find"] });
    await first.connect();
    await say(first, "two files", "a.txt", "b.txt");
    const [text, file] = await store.outbox.pending(first, 10);
    if (!text || !file) return expect.unreachable("Nothing is to be sent.");
    await store.outbox.sending(text.id, ENDED);
    await first.send({ address: text.address, text: text.text, deliveryId: text.deliveryId });
    await store.outbox.sent({ id: text.id, holder: ENDED }, "m1", now);
    await store.outbox.sending(file.id, ENDED); // It ended before the platform had it.
    await first.disconnect();
    const next = new ScriptedAdapter({ can: ["files", "find"], on: first.there });
    await next.connect();
    const made = deliverer(next, findFile);
    await made.recover();
    await settled(made);
    expect(shown(next)).toEqual(["two files", "a.txt", "b.txt"]);
  });

  it("loses only the file that is gone, and says so; nobody waits for it", async () => {
    const adapter = new ScriptedAdapter({ can: ["files"] });
    await adapter.connect();
    await say(adapter, "two files", "gone", "b.txt");
    await settled(deliverer(adapter, findFile));
    expect(shown(adapter)).toEqual(["two files", "b.txt"]);
    expect(problems).toEqual([expect.stringMatching(/was not sent: The file gone no longer exists\.$/)]);
    expect(details).toEqual([{ delivery: expect.stringMatching(/./) }]);
  });

  it("is its text alone on a platform that takes no files, and says so", async () => {
    const adapter = new ScriptedAdapter();
    await adapter.connect();
    await say(adapter, "two files", "a.txt");
    await settled(deliverer(adapter, findFile));
    expect(shown(adapter)).toEqual(["two files"]);
    expect(problems).toEqual([expect.stringContaining("takes no files")]);
  });

  it("names the file of which nobody knows whether it arrived", async () => {
    const adapter = new ScriptedAdapter({
      can: ["files"],
      onSend: ({ files }) => {
        if (files) throw new SendError("unknown", "no answer");
      },
    });
    await adapter.connect();
    await say(adapter, "look", "a.txt");
    const made = deliverer(adapter, findFile);
    await settled(made);
    await settled(made);
    expect(shown(adapter)).toEqual(["look", expect.stringMatching(/^My file "a\.txt" may be missing here:/)]);
  });
});
