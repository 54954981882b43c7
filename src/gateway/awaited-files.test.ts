/** A process that ends before the files of a message are here leaves them to the next one. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { until, World, type WorldOptions } from "../../test/support/gateway-world.js";
import {
  ConnectError,
  type FileReference,
  type InboundMessage,
  type RemoteFile,
} from "../adapter/adapter.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { messageOf } from "./inbound-text.js";

let folder: string;
let world: World;
/** What was fetched again, and what becomes of it. */
let asked: FileReference[];
let give: (ref: string, end: AbortSignal) => Promise<Uint8Array>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-awaited-"));
  asked = [];
  give = async (ref) => Buffer.from(`what is in ${ref}`);
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const fetch = async (file: FileReference, _maxBytes: number, end: AbortSignal): Promise<Uint8Array> => {
  asked.push(file);
  return give(file.ref, end);
};
const open = async (options: WorldOptions = {}, leaseMs = 3_600_000): Promise<void> => {
  const busy = { default: "queue" as const, byPlatform: {}, byChat: {} };
  world = await World.open({
    fetch,
    mediaFolder: join(folder, "media"),
    ...options,
    gateway: { busy, leaseMs },
  });
};

/** Never comes by itself. */
const stuck = (more: Partial<RemoteFile> = {}) => {
  const file = {
    name: "slow.txt",
    mediaType: "text/plain",
    ref: "f1",
    reads: 0,
    read: () => {
      file.reads += 1;
      return new Promise<never>(() => {});
    },
    ...more,
  };
  return file;
};
const send = async (text: string, file = stuck(), more: Partial<InboundMessage> = {}): Promise<void> => {
  expect(await world.adapter.write({ userId: "ann" }, text, { files: [file], ...more })).toBe("accepted");
  await until(() => file.reads > 0);
};
const answers = (): string[] => world.chat("ann").told;
const WITH_FILE = /^look\n\[attached: slow\.txt \(text\/plain\)\] \(\d+\)$/;
const WITHOUT =
  /^look\n\[not taken: slow\.txt: it could not be downloaded in time; ask for it again\] \(\d+\)$/;

/** What is in the files of the conversation, in order. */
async function contents(): Promise<string[]> {
  const { sessionId } = await world.chat("ann").session();
  const messages = await world.sessions.load(sessionId);
  const files = messages.flatMap((message) => (message.role === "user" ? (message.attachments ?? []) : []));
  return files.map(({ file }) => readFileSync(join(folder, "media", file), "utf8"));
}

it("the next process fetches them, and answers once and in order", async () => {
  await open();
  await send("look");
  await world.adapter.write({ userId: "ann" }, "and then");
  await world.restart();
  await until(() => answers().length === 2);
  expect(answers()).toEqual([expect.stringMatching(WITH_FILE), "and then (3)"]);
  expect(await contents()).toEqual(["what is in f1"]);
  expect(asked).toEqual([{ ref: "f1", name: "slow.txt", mediaType: "text/plain" }]);
  expect(world.problems).toEqual([]);
});

it("what the message answers is fetched again as that", async () => {
  await open();
  await send("look", stuck({ voice: true }), {
    replyTo: { messageId: "m0", files: [stuck({ ref: "f0", name: "old.txt" })] },
  });
  await world.restart();
  await until(() => answers().length === 1);
  expect(await contents()).toEqual(["what is in f1", "what is in f0"]);
  expect(asked).toMatchObject([
    { ref: "f1", voice: true },
    { ref: "f0", answered: true },
  ]);
});

it.each([
  ["the platform does not have it any more", () => (give = () => Promise.reject(new Error("it is gone")))],
  ["its reference is not known", null],
])("says what is missing if %s", async (_, prepare) => {
  await open();
  prepare?.();
  await send("look", stuck(prepare ? {} : { ref: undefined as never }));
  await world.restart();
  await until(() => answers().length === 1);
  const why = prepare ? "it is gone" : "Baton stopped before it was fetched";
  expect(answers()).toEqual([`look\n[not taken: slow.txt: ${why}] (1)`]);
  expect(asked).toHaveLength(prepare ? 1 : 0);
});

it("waits for the platform to come back", async () => {
  await open();
  await send("look");
  const { there } = world.adapter;
  const serve = there.serve.bind(there);
  there.serve = () =>
    Promise.reject(new ConnectError("retryable", "It is out of order.", { retryAfterMs: 0 }));
  await world.restart();
  await until(() => world.problems.some((problem) => problem.includes("out of order")));
  expect(asked).toEqual([]);
  there.serve = serve;
  await until(() => answers().length === 1);
  expect(answers()).toEqual([expect.stringMatching(WITH_FILE)]);
});

it("is stopped while it waits for the platform, and leaves them to the next process again", async () => {
  await open();
  await send("look");
  const { there } = world.adapter;
  const serve = there.serve.bind(there);
  there.serve = () => Promise.reject(new ConnectError("permanent", "It is out of order."));
  await world.restart();
  there.serve = serve;
  await world.restart();
  await until(() => answers().length === 1);
  expect(answers()).toEqual([expect.stringMatching(WITH_FILE)]);
});

it("a file that ends every process is given up after the third", async () => {
  await open();
  await send("look");
  const never = new Promise<never>(() => {});
  give = () => never;
  for (const tries of [2, 3]) {
    await world.restart();
    await until(() => asked.length === tries - 1);
  }
  await world.restart();
  await until(() => answers().length === 1);
  expect(answers()).toEqual([expect.stringMatching(WITHOUT)]);
  expect(asked).toHaveLength(2);
});

it("nothing is fetched for somebody who has no access any more", async () => {
  const people = { allow: {}, guests: { telegram: ["ann"] } };
  await open({ people });
  await send("look");
  people.guests.telegram = [];
  await world.restart();
  await world.gateway.answered(world.chat("ann").key);
  expect([asked, answers()]).toEqual([[], []]);
});

it("those of a conversation that moved are fetched from the platform that has them", async () => {
  const beside = new ScriptedAdapter({ platform: "discord", shared: true });
  await open({ beside: [beside] });
  const first = world.chat("ann");
  await first.ask("hello");
  const { sessionId } = await first.session();
  await send("look");
  const there = world.chat("ann", {}, beside);
  const to = { source: there.source, account: beside.account };
  await world.gateway.handoffs.bring(sessionId, to, world.gateway.holder);
  expect((await world.store.inbox.waiting(beside)).map(({ item }) => messageOf(item, null).content)).toEqual([
    expect.stringContaining("not taken"),
  ]);
  await world.restart();
  expect(await there.next(0)).toMatch(WITH_FILE);
  expect(asked).toMatchObject([{ ref: "f1" }]);
});

it("one that was fetched while somebody read what waits keeps its files", async () => {
  await open({}, 500);
  const ann = world.chat("ann");
  await ann.begin("wait");
  let come = (): void => {};
  const file = stuck();
  file.read = () => {
    file.reads += 1;
    return new Promise<never>((resolve) => {
      come = () => resolve(Buffer.from("here") as never);
    });
  };
  await send("look", file);
  const { inbox } = world.store;
  const read = inbox.waiting.bind(inbox);
  const whatWaits = async () => (await read(world.adapter)).map(({ item }) => messageOf(item, null).content);
  const before = await read(world.adapter);
  come();
  await until(() => world.gateway.lane(ann.key).waiting === 1);
  const complete = vi.spyOn(inbox, "complete");
  // Whoever began to read before that hears only now what waited then.
  inbox.waiting = async () => before;
  await until(() => complete.mock.results.length > 0);
  inbox.waiting = read;
  await Promise.all(complete.mock.results.map(({ value }) => value));
  expect(await whatWaits()).toEqual([expect.stringContaining("[attached: slow.txt")]);
  expect(asked).toEqual([]);
});
