/** The Matrix adapter against a real Synapse (scripts/synapse.sh), where one is given in BATON_TEST_SYNAPSE. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { InboundMessage, Receive } from "../../src/adapter/adapter.js";
import { MatrixAdapter } from "../../src/adapter/matrix/adapter.js";
import { adapterContract } from "../../src/testing/adapter-contract.js";
import { KeptAdapter, memoryOf } from "../../src/testing/kept-adapter.js";
import { MatrixFront } from "../support/matrix-front.js";
import { type JourneyRoom, matrixJourney } from "../support/matrix-journey.js";
import { MatrixPerson } from "../support/matrix-person.js";
import { shownTexts } from "../support/matrix-room.js";
import { SynapseUser } from "../support/synapse.js";
import { synapseFixture } from "../support/synapse-fixture.js";

const homeserver = process.env.BATON_TEST_SYNAPSE;

if (homeserver === "later") {
  skipped("all of it", "Synapse is still being built: this file runs by itself after the others.");
} else if (homeserver) {
  if (process.env.CI)
    skipped("its contract", "It takes minutes, and CI's time is short: it runs where CI is not set.");
  else adapterContract("Matrix, with Synapse", () => synapseFixture(homeserver));
  matrixJourney("a room of a real Synapse", () => journeyRoom(homeserver));
  matrixJourney("an encrypted room of a real Synapse", () => encryptedJourneyRoom(homeserver));
  describe("a room of a real Synapse", () => rooms(homeserver));
  describe("an encrypted room of a real Synapse", () => encryptedRooms(homeserver));
} else {
  skipped("all of it", "BATON_TEST_SYNAPSE is not set: no Synapse is there (scripts/synapse.sh makes one).");
}

function skipped(what: string, reason: string): void {
  console.warn(`Matrix with Synapse, ${what}, is skipped. ${reason}`);
  describe.skip(`Matrix, with Synapse, ${what}: ${reason}`, () => it("is skipped", () => {}));
}

async function journeyRoom(at: string): Promise<JourneyRoom> {
  const ann = await SynapseUser.register(at, "ann");
  const bot = await SynapseUser.register(at, "bot");
  const room = await ann.createRoom([bot.userId]);
  return {
    homeserver: at,
    token: bot.token,
    person: ann.userId,
    write: (body) => ann.send(room, { msgtype: "m.text", body }),
    read: async () => shownTexts((await ann.events(room)).filter(({ sender }) => sender === bot.userId)),
    close: async () => {},
  };
}

async function encryptedJourneyRoom(at: string): Promise<JourneyRoom> {
  const user = await SynapseUser.register(at, "ann");
  const bot = await SynapseUser.register(at, "bot");
  const ann = await MatrixPerson.start(user);
  const room = await ann.createEncryptedRoom([bot.userId]);
  const folder = await mkdtemp(join(tmpdir(), "baton-matrix-keys-"));
  return {
    homeserver: at,
    token: bot.token,
    person: user.userId,
    folder,
    write: async (body) => {
      await ann.sees(room, bot.userId); // What is written before that is not encrypted for it.
      await ann.write(room, { msgtype: "m.text", body });
    },
    read: async () => ann.texts(room),
    close: async () => {
      ann.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A bot over one account's memory, which outlives its adapters. */
class Bot {
  readonly user: SynapseUser;
  readonly received: InboundMessage[] = [];
  readonly problems: string[] = [];
  readonly memory = new Map<string, string>();
  readonly #folder: string | undefined;
  adapter: KeptAdapter;

  constructor(user: SynapseUser, folder?: string) {
    this.user = user;
    this.#folder = folder;
    this.adapter = this.#make();
  }

  #make(): KeptAdapter {
    const { homeserver: at, token } = this.user;
    return new KeptAdapter(
      new MatrixAdapter({
        homeserver: at,
        accessToken: () => token,
        ...(this.#folder ? { folder: this.#folder } : {}),
      }),
    );
  }

  async connect(receive: Receive = async () => "accepted"): Promise<void> {
    this.adapter = this.#make();
    await this.adapter.connect(
      async (message) => {
        const received = await receive(message);
        this.received.push(message);
        return received;
      },
      { memory: memoryOf(this.memory), problem: (sentence) => this.problems.push(sentence) },
    );
  }

  async has(text: string): Promise<InboundMessage> {
    return vi.waitFor(
      () => {
        const found = this.received.find((message) => message.text === text);
        if (!found)
          throw new Error(`It has ${JSON.stringify(this.received.map((message) => message.text))}.`);
        return found;
      },
      { timeout: 30_000, interval: 20 },
    );
  }
}

function rooms(at: string): void {
  let ann: SynapseUser;
  let bot: Bot;

  beforeEach(async () => {
    ann = await SynapseUser.register(at, "ann");
    bot = new Bot(await SynapseUser.register(at, "bot"));
  });
  afterEach(() => bot.adapter.disconnect());

  it("is entered when somebody invites, and what was said since the invitation is received", async () => {
    await bot.connect();
    const room = await ann.createRoom([bot.user.userId], { name: "Team", topic: "Plans" });
    await ann.send(room, { msgtype: "m.text", body: "are you there?" });
    expect(await bot.has("are you there?")).toMatchObject({
      isAddressed: true,
      source: { chatId: room, chatType: "dm", userId: ann.userId, chatName: "Team", chatTopic: "Plans" },
    });
  });

  it("that was said much in is read from where the last process stopped, all of it", async () => {
    await bot.connect();
    const room = await ann.createRoom([bot.user.userId]);
    await ann.send(room, { msgtype: "m.text", body: "before" });
    await bot.has("before");
    await bot.adapter.disconnect();
    const missed = Array.from({ length: 70 }, (_, index) => `missed ${index}`);
    for (const body of missed) await ann.send(room, { msgtype: "m.text", body });
    await bot.connect();
    await bot.has("missed 69");
    expect(bot.received.map(({ text }) => text)).toEqual(["before", ...missed]);
  });

  it("is read again from there when something could not be received", async () => {
    let failures = 2;
    await bot.connect(async ({ text }) => {
      if (text === "second" && failures-- > 0) throw new Error("the disk is full");
      return "accepted";
    });
    const room = await ann.createRoom([bot.user.userId]);
    await bot.user.join(room);
    for (const body of ["first", "second", "third"]) await ann.send(room, { msgtype: "m.text", body });
    await bot.has("third");
    const texts = bot.received.map(({ text }) => text);
    expect(texts.filter((text) => text === "second")).toHaveLength(1);
    expect(texts.indexOf("second")).toBeLessThan(texts.indexOf("third"));
  });

  it("has threads: one that is made has the key of what is later written in it", async () => {
    await bot.connect();
    const room = await ann.createRoom([bot.user.userId]);
    await bot.user.join(room);
    const thread = await bot.adapter.createThread(
      { platform: "matrix", chatId: room },
      "Plans for *today*",
      ann.userId,
      "once",
    );
    if (!thread) return expect.unreachable("No thread was made.");
    const relation = { rel_type: "m.thread", event_id: thread.threadId, is_falling_back: true };
    await ann.send(room, { msgtype: "m.text", body: "in it", "m.relates_to": relation });
    expect((await bot.has("in it")).source).toMatchObject({ chatId: room, threadId: thread.threadId });
    const [root] = (await ann.events(room)).filter(({ event_id }) => event_id === thread.threadId);
    expect(root?.content).toMatchObject({ "m.mentions": { user_ids: [ann.userId] } });
    expect(root?.content.formatted_body).toContain("<strong>Plans for *today*</strong>");
  });

  it("lets nobody change what another wrote", async () => {
    const bob = await SynapseUser.register(at, "bob");
    await bot.connect();
    const room = await ann.createRoom([bot.user.userId, bob.userId]);
    await bob.join(room);
    await bot.user.join(room);
    const original = await ann.send(room, { msgtype: "m.text", body: `${bot.user.userId}: pay Ann` });
    await bot.has("pay Ann");
    const edit = (body: string) => ({
      msgtype: "m.text",
      body: `* ${body}`,
      "m.new_content": { msgtype: "m.text", body },
      "m.relates_to": { rel_type: "m.replace", event_id: original },
    });
    await bob.send(room, edit("pay Bob"));
    await ann.send(room, edit("pay Ann twice"));
    expect(await bot.has("pay Ann twice")).toMatchObject({ kind: "edit", messageId: original });
    expect(bot.received.map(({ text }) => text)).not.toContain("pay Bob");
  });

  it("is refused with a sentence where the token is not known", async () => {
    const { homeserver: place } = bot.user;
    const stranger = new KeptAdapter(new MatrixAdapter({ homeserver: place, accessToken: () => "nobody" }));
    await expect(stranger.connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("MATRIX_ACCESS_TOKEN"),
    });
  });
}

function encryptedRooms(at: string): void {
  let ann: MatrixPerson;
  let bot: Bot;
  let folder: string;
  let front: MatrixFront;

  beforeAll(async () => {
    ann = await MatrixPerson.start(await SynapseUser.register(at, "ann"));
  });
  afterAll(() => ann.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "baton-matrix-keys-"));
    front = new MatrixFront(at, { plays: false });
    bot = new Bot(await SynapseUser.register(await front.open(), "bot"), join(folder, "matrix"));
  });
  afterEach(async () => {
    await bot.adapter.disconnect();
    await front.close();
    await rm(folder, { recursive: true, force: true });
  });

  const enter = async (): Promise<string> => {
    await bot.connect();
    const room = await ann.createEncryptedRoom([bot.user.userId]);
    await ann.sees(room, bot.user.userId);
    return room;
  };
  const send = (chatId: string, text: string, deliveryId: string) =>
    bot.adapter.send({ address: { platform: "matrix", chatId }, text, deliveryId });

  it("is read and written in, across a restart, and its keys are private", async () => {
    const room = await enter();
    await ann.write(room, { msgtype: "m.text", body: "before" });
    await bot.has("before");
    const { messageId } = await send(room, "an **answer**", "d1");
    expect(await ann.reads("an **answer**")).toMatchObject({ isEncrypted: true });
    await bot.adapter.edit(
      { address: { platform: "matrix", chatId: room }, text: "another", deliveryId: "d1" },
      messageId,
    );
    expect(await ann.reads("another")).toMatchObject({ isEncrypted: true });

    await bot.adapter.disconnect();
    await ann.write(room, { msgtype: "m.text", body: "meanwhile" });
    await bot.connect();
    await bot.has("meanwhile");
    await send(room, "and here again", "d2");
    expect(await ann.reads("and here again")).toMatchObject({ isEncrypted: true });
    expect(bot.received.map(({ text }) => text)).toEqual(["before", "meanwhile"]);

    expect((await stat(join(folder, "matrix"))).mode & 0o777).toBe(0o700);
    expect((await stat((await keysIn(folder)).path)).mode & 0o777).toBe(0o600);
  }, 60_000);

  it("goes on with the keys as they are on the disk at any moment, as after a kill", async () => {
    const room = await enter();
    await ann.write(room, { msgtype: "m.text", body: "before" });
    await bot.has("before");
    for (const text of ["one", "two", "three"]) {
      // What a process leaves behind that is killed when its message has just left; what it does after that is undone.
      let left = { path: "", bytes: new Uint8Array() };
      front.onSend = async () => {
        left = await keysIn(folder);
      };
      const memory = [...bot.memory];
      await send(room, text, `of ${text}`);
      await bot.adapter.disconnect();
      await writeFile(left.path, left.bytes);
      bot.memory.clear();
      for (const [name, value] of memory) bot.memory.set(name, value);
      await ann.write(room, { msgtype: "m.text", body: `after ${text}` });
      await bot.connect();
      await bot.has(`after ${text}`);
      expect(await ann.reads(text)).toMatchObject({ isEncrypted: true });
    }
    // No key of a session was used for two messages.
    const used = (await bot.user.events(room))
      .filter(({ type, sender }) => type === "m.room.encrypted" && sender === bot.user.userId)
      .map(({ content }) => `${content.session_id} ${messageIndex(String(content.ciphertext))}`);
    expect(used).toHaveLength(3);
    expect(new Set(used).size).toBe(3);
  }, 60_000);

  it("carries files, encrypted, both ways", async () => {
    const room = await enter();
    const path = join(folder, "file");
    await writeFile(path, "what is in it");
    await bot.adapter.send({
      address: { platform: "matrix", chatId: room },
      text: "",
      deliveryId: "d1",
      files: [{ path, name: "notes.txt", mediaType: "text/plain" }],
    });
    const { isEncrypted, content } = await ann.reads("notes.txt");
    expect(isEncrypted).toBe(true);
    expect(content.url).toBeUndefined();
    // The same file comes back from a person, with the keys that it was sent with.
    await ann.write(room, { ...content, "m.relates_to": undefined });
    const received = await vi.waitFor(() => {
      const found = bot.received.find(({ files }) => files !== undefined);
      if (!found?.files?.[0]) throw new Error("No file has come.");
      return found.files[0];
    }, 15_000);
    expect(received).toMatchObject({ name: "notes.txt", mediaType: "text/plain" });
    expect(Buffer.from(await received.read(1_000, new AbortController().signal)).toString()).toBe(
      "what is in it",
    );
    await expect(received.read(5, new AbortController().signal)).rejects.toThrow("larger");
  }, 60_000);

  it("is left closed, and nothing is said in it in the clear, where the keys are elsewhere", async () => {
    const room = await enter();
    await bot.adapter.disconnect();
    await rm(folder, { recursive: true, force: true });
    await bot.connect();
    expect(bot.problems).toEqual([expect.stringContaining("MATRIX_ACCESS_TOKEN")]);
    await expect(send(room, "in the clear?", "d1")).rejects.toMatchObject({ outcome: "permanent" });
  }, 60_000);
}

async function keysIn(folder: string): Promise<{ path: string; bytes: Uint8Array<ArrayBuffer> }> {
  const [file = ""] = await readdir(join(folder, "matrix"));
  const path = join(folder, "matrix", file);
  return { path, bytes: new Uint8Array(await readFile(path)) };
}

/** Which key of its session a message was encrypted with: a small number after two bytes. */
function messageIndex(ciphertext: string): number {
  const [version, tag, index = -1] = Buffer.from(ciphertext, "base64");
  expect([version, tag]).toEqual([3, 8]);
  return index;
}
