/** Files that are slow, at a real gateway over a real store: they hold up nothing but what must come after them. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { InboundMessage, Received, RemoteFile } from "../adapter/adapter.js";
import type { InboxId, SessionId } from "../session/ids.js";
import { Arrivals, type ArrivalsSetting } from "./arrivals.js";
import type { Entered } from "./entrance.js";
import { messageOf } from "./inbound-text.js";
import { Media } from "./media.js";
import type { Inbox, InboxItem } from "./store.js";

const ROOM = { chatId: "room", chatType: "group" as const };
let folder: string;
let world: World;
let boss: Chat;
let eve: Chat;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-arrivals-"));
  const people = {
    allow: {},
    owners: { telegram: ["boss"] },
    guests: { telegram: ["eve", "mallory"] },
  };
  const busy = { default: "queue" as const, byPlatform: {}, byChat: {} };
  world = await World.open({
    people,
    mediaFolder: join(folder, "media"),
    gateway: { busy, leaseMs: 3_600_000 },
  });
  boss = world.chat("boss", ROOM);
  eve = world.chat("eve", ROOM);
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

/** A file that comes when it is told to. */
class SlowFile implements RemoteFile {
  readonly mediaType = "text/plain";
  readonly name: string;
  reads = 0;
  signal: AbortSignal | undefined;
  come: () => void = () => {};

  constructor(name = "slow.txt") {
    this.name = name;
  }

  read(_maxBytes: number, end: AbortSignal): Promise<Uint8Array> {
    this.reads += 1;
    this.signal = end;
    return new Promise((resolve) => {
      this.come = () => resolve(Buffer.from("late"));
    });
  }
}

const write = (chat: Chat, text: string, more: Partial<InboundMessage> = {}): Promise<Received> =>
  world.adapter.write({ ...chat.source, userId: chat.source.userId ?? "" }, text, more);
const send = async (chat: Chat, text: string, file = new SlowFile(), more = {}): Promise<SlowFile> => {
  expect(await write(chat, text, { files: [file], ...more })).toBe("accepted");
  await until(() => file.reads > 0);
  return file;
};
const answers = (chat: Chat): string[] =>
  chat.told.filter((text) => / \(\d+\)$/.test(text)).map((text) => text.replace(/^\[[^\]]*\] /, ""));
const waiting = async (): Promise<string[]> =>
  (await world.store.inbox.waiting(world.adapter)).map(({ item }) => messageOf(item, null).content);

const bring = (sessionId: SessionId, { source }: Chat) =>
  world.gateway.handoffs.bring(sessionId, { source, account: world.adapter.account }, world.gateway.holder);

/** Once that method has done its work, and before anybody hears of it, something else is waited for. */
function holding<Home extends object>(home: Home, name: keyof Home, work: () => Promise<void>): void {
  const method = home[name] as (...args: unknown[]) => Promise<unknown>;
  const held = async (...args: unknown[]): Promise<unknown> => {
    Object.assign(home, { [name]: method });
    const done = await method.apply(home, args);
    await work();
    return done;
  };
  Object.assign(home, { [name]: held });
}

/** When that method has next done its work. */
function after<Home extends object>(home: Home, name: keyof Home): Promise<void> {
  return new Promise((resolve) => holding(home, name, async () => resolve()));
}

it("the owner's commands in a group pass a guest's file; ordinary messages keep their order", async () => {
  await boss.begin("wait");
  const file = await send(eve, "look");
  expect(await boss.ask("/status")).toContain("Session");
  await write(boss, "after it");
  expect(await boss.ask("/stop")).toMatch(/^(waiting|waited|Stopped)/);
  await until(() => world.gateway.lane(boss.key).run === undefined);
  expect(answers(boss)).toEqual([]);
  file.come();
  await until(() => answers(boss).length === 2);
  expect(answers(boss)).toEqual([
    expect.stringMatching(/^look\n\[attached: slow\.txt \(text\/plain\)\] /),
    expect.stringMatching(/^after it /),
  ]);
});

it("a file holds up no other lane, and one person's files are fetched one message at a time, limited or not", async () => {
  const patience = vi.spyOn(Media.prototype, "patience");
  onTestFinished(() => patience.mockRestore());
  const first = await send(world.chat("boss"), "first");
  const second = new SlowFile();
  expect(await write(boss, "second", { files: [second] })).toBe("accepted");
  const guests = await send(world.chat("eve"), "mine");
  expect(second.reads).toBe(0);
  expect(patience).toHaveBeenCalledTimes(2); // Its time has not begun.
  guests.come();
  expect(await world.chat("eve").next(0)).toContain("mine");
  first.come();
  await until(() => second.reads === 1);
  second.come();
  expect(await boss.next(0)).toContain("second\n[attached");
});

it("a guest's slow file does not take the time of the file behind it", async () => {
  const slow = await send(eve, "slow");
  const quick = await send(world.chat("mallory", ROOM), "quick");
  quick.come();
  await until(() => readdirSync(folder, { recursive: true }).some((name) => `${name}`.endsWith(".txt")));
  slow.come();
  await until(() => answers(eve).length === 2);
  expect(answers(eve).map((text) => text.split("\n")[0])).toEqual(["slow", "quick"]);
});

it("the same again while its file is fetched is fetched once", async () => {
  const file = await send(eve, "look", new SlowFile(), { messageId: "same" });
  expect(await write(eve, "look", { files: [file], messageId: "same" })).toBe("duplicate");
  file.come();
  expect(await eve.next(0)).toContain("[attached: slow.txt");
  expect(file.reads).toBe(1);
});

it("is not begun without its file by what is asked behind it", async () => {
  const file = await send(eve, "look");
  await write(boss, "/queue and then this"); // It looks for what came before it.
  await world.gateway.people.access(boss.source);
  expect(answers(boss)).toEqual([]);
  file.come();
  await until(() => answers(boss).length === 2);
  expect(answers(boss).map((text) => text.split("\n")[0])).toEqual([
    "look",
    expect.stringContaining("and then this"),
  ]);
  expect(answers(boss)[0]).toContain("[attached: slow.txt");
});

it("what is changed while files are fetched stays changed, with the files, also behind one", async () => {
  const file = await send(eve, "lok", new SlowFile(), { messageId: "1" });
  await write(eve, "befor", { messageId: "2" });
  await write(eve, "look", { kind: "edit", messageId: "1" });
  await write(eve, "before", { kind: "edit", messageId: "2" });
  file.come();
  await until(() => answers(eve).length === 2);
  expect(answers(eve)).toEqual([
    expect.stringMatching(/^look\n\[attached: slow\.txt \(text\/plain\)\] \(1\)$/),
    expect.stringMatching(/^before \(3\)$/),
  ]);
});

it("files that are fetched while their conversation moves, twice, arrive where it is", async () => {
  const [first, second, third] = ["boss", "second", "third"].map((chatId) => world.chat("boss", { chatId }));
  if (!first || !second || !third) throw new Error("There are three chats.");
  await first.ask("hello");
  const { sessionId } = await first.session();
  const file = await send(first, "look");
  await write(first, "and this");
  for (const chat of [second, third]) await bring(sessionId, chat);
  await world.gateway.people.access(boss.source);
  expect(third.told).toEqual([]);
  file.come();
  await until(() => third.told.length === 2);
  expect(third.told).toEqual([
    expect.stringMatching(/^look\n\[attached: slow\.txt \(text\/plain\)\] \(3\)$/),
    expect.stringMatching(/^and this \(5\)$/),
  ]);
  expect([...answers(first).slice(1), ...second.told]).toEqual([]);
  expect(file.reads).toBe(1);
});

it.each(["is moved", "has its file"])(
  "a message that %s a moment before the other is heard of is answered with its file",
  async (what) => {
    const own = world.chat("boss");
    const there = world.chat("boss", { chatId: "there" });
    await own.ask("hello");
    const { sessionId } = await own.session();
    const file = await send(own, "look");
    const { routes, inbox } = world.store;
    if (what === "is moved") {
      const done = after(inbox, "complete");
      holding(routes, "bind", async () => {
        file.come();
        await done;
      });
      await bring(sessionId, there);
    } else {
      const done = after(routes, "bind");
      holding(inbox, "complete", async () => {
        void bring(sessionId, there);
        await done;
      });
      file.come();
    }
    await until(() => there.told.length > 0);
    expect(there.told).toEqual([
      expect.stringMatching(/^look\n\[attached: slow\.txt \(text\/plain\)\] \(3\)$/),
    ]);
    expect(own.told).toHaveLength(1);
  },
);

const item = (id: number, key: string): InboxItem =>
  ({ id, kind: "message", key, messageId: `m${id}` }) as Partial<InboxItem> as InboxItem;
const movedTo = (key: string, was: InboxItem, id: number): InboxItem => ({
  ...was,
  id: id as InboxId,
  key: key as InboxItem["key"],
  made: "moved",
  messageId: `${was.id}`,
});
/** Arrivals without a gateway: the test decides what `complete` returns and what `join` does. */
const alone = (complete: (id: number) => InboxItem, join: ArrivalsSetting["runner"]["join"]): Arrivals =>
  new Arrivals({
    inbox: { complete: async (id) => complete(id) } as Partial<Inbox> as Inbox,
    media: new Media(`${folder}/media`, world.store.files, () => 0),
    texts: null,
    notices: { about: async () => [] },
    clock: () => 0,
    busy: { default: "queue", byPlatform: {}, byChat: {} },
    allowance: world.gateway.allowance,
    holder: "me",
    requests: { authorOf: ({ source }) => world.gateway.people.access(source) },
    reach: async () => null,
    runner: { join, queue: () => {} },
    onProblem: () => {},
  });
const arrive = async (arrivals: Arrivals, what: InboxItem, files: readonly RemoteFile[] = []) => {
  const who = await world.gateway.people.access(boss.source);
  const message = { source: {}, messageId: what.messageId } as InboundMessage;
  const entered = { kind: "new", item: what, who, files } as never as Entered;
  await arrivals.receive({ platform: "x", account: "y" }, message, async () => entered);
};

it("a message that moves while it joins its lane joins the other one", async () => {
  let joined: (() => void) | undefined;
  const first = item(1, "a");
  const second = movedTo("b", first, 2);
  const arrivals = alone(
    () => second,
    () =>
      new Promise<void>((resolve) => {
        joined = resolve;
      }),
  );
  const file = new SlowFile();
  await arrive(arrivals, first, [file]);
  await until(() => file.reads > 0);
  file.come();
  await until(() => joined !== undefined);
  expect(arrivals.follow(second)).toBe(true); // It is the one that joins.
  expect(arrivals.follow(movedTo("c", second, 3))).toBe(false);
  joined?.();
  await arrivals.idle();
  expect(arrivals.follow(second)).toBe(false);
});

it("messages in the new lane join after the one that moved there; those in the old lane do not wait", async () => {
  const joined: number[] = [];
  const [first, behind, anew] = [item(1, "a"), item(4, "b"), item(3, "a")];
  const second = movedTo("b", first, 2);
  const all = [first, second, anew, behind];
  const arrivals = alone(
    (id) => all.find((each) => each.id === id) ?? first,
    async ({ id }) => joined.push(id),
  );
  const file = new SlowFile();
  await arrive(arrivals, first, [file]);
  expect(arrivals.follow(second)).toBe(true);
  await arrive(arrivals, anew);
  await arrive(arrivals, behind);
  expect(joined).toEqual([3]);
  await until(() => file.reads > 0);
  file.come();
  await arrivals.idle();
  expect(joined).toEqual([3, 2, 4]);
});

it("a gateway that stops leaves the message, which says what is missing, and stops the fetching", async () => {
  const file = await send(eve, "look");
  await world.restart();
  expect(file.signal?.aborted).toBe(true);
  expect(await eve.next(0)).toMatch(/look\n\[not taken: slow\.txt: Baton stopped before it was fetched\]/);
});

it("a gateway that is killed leaves the message, which says what is missing", async () => {
  const file = await send(eve, "look");
  expect(await waiting()).toEqual([
    "look\n[not taken: slow.txt: it could not be downloaded in time; ask for it again]",
  ]);
  file.come();
});

it.each([
  ["fails meanwhile", false],
  ["does not say that it has kept them", true],
])("a store that %s costs neither the message nor its file, which it names once", async (_, isCommitted) => {
  const file = await send(eve, "look");
  let failures = 0;
  world.store.inbox.complete = async (...call) => {
    failures += 1;
    delete (world.store.inbox as Partial<typeof world.store.inbox>).complete; // The one of its class is left.
    if (isCommitted) await world.store.inbox.complete(...call);
    throw new Error("The disk is full.");
  };
  file.come();
  expect((await eve.next(0)).match(/\[attached: slow.txt/g)).toHaveLength(1);
  expect([failures, file.reads]).toEqual([1, 1]);
  expect(world.problems).toEqual(["Could not save the files of a message: The disk is full."]);
});

it("what is cancelled ends only its own files, and later ones come", async () => {
  const mine = await send(eve, "look");
  const other = await send(world.chat("mallory"), "mine");
  expect(await world.gateway.cancel(eve.key)).toEqual(["look"]);
  expect([mine.signal?.aborted, other.signal?.aborted]).toEqual([true, false]);
  other.come();
  expect(await world.chat("mallory").next(0)).toContain("mine\n[attached: slow.txt");

  const later = await send(eve, "again");
  later.come();
  expect(await eve.next(0)).toContain("again\n[attached: slow.txt");
});

it("a store that fails after something was cancelled does not cost the next message", async () => {
  await send(eve, "look");
  await world.gateway.cancel(eve.key);
  const { inbox } = world.store;
  inbox.complete = async () => {
    delete (inbox as Partial<typeof inbox>).complete; // The one of its class is left.
    throw new Error("The disk is full.");
  };
  const later = await send(eve, "again");
  later.come();
  expect(await eve.next(0)).toContain("again\n[attached: slow.txt");
  expect(world.problems).toEqual(["Could not save the files of a message: The disk is full."]);
});
