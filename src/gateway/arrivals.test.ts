/** Files that are slow, at a real gateway over a real store: they hold up nothing but what must come after them. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { InboundMessage, Received, RemoteFile } from "../adapter/adapter.js";
import { Media } from "./media.js";

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
  world = await World.open({ people, mediaFolder: join(folder, "media"), gateway: { busy } });
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
  (await world.store.inbox.waiting(world.adapter)).map(({ item }) => item.text);

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

it("a gateway that stops leaves the message, which says what is missing, and stops the fetching", async () => {
  const file = await send(eve, "look");
  await world.restart();
  expect(file.signal?.aborted).toBe(true);
  expect(await eve.next(0)).toMatch(/look\n\[not taken: slow\.txt: Baton stopped before it was fetched\]/);
});

it("a gateway that is killed leaves the message, which says what is missing", async () => {
  const file = await send(eve, "look");
  expect(await waiting()).toEqual([
    "look\n[not taken: slow.txt: it was not fetched in time; ask for it again]",
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
  expect(world.problems).toEqual(["The files of a message could not be kept: The disk is full."]);
});
