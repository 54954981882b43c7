import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CrablineMatrix, crablineFixture } from "../../../test/support/matrix-room.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter, memoryOf } from "../../testing/kept-adapter.js";
import type { InboundMessage, Receive } from "../adapter.js";
import { MatrixAdapter } from "./adapter.js";

adapterContract("Matrix, with crabline's homeserver", crablineFixture);

describe("the Matrix adapter", () => {
  let matrix: CrablineMatrix;
  let adapter: KeptAdapter;
  let told: unknown[];
  const memory = new Map<string, string>();

  const make = (settings: object = {}) =>
    new KeptAdapter(
      new MatrixAdapter({ homeserver: matrix.homeserver, accessToken: () => matrix.token, ...settings }),
    );
  const connect = (receive: Receive = async () => "accepted"): Promise<void> => {
    return adapter.connect(receive, { memory: memoryOf(memory), tell: (state) => told.push(state) });
  };
  const thread = async (...asked: Parameters<KeptAdapter["createThread"]>) =>
    (await adapter.createThread(...asked)) ?? expect.unreachable("No thread was made.");
  const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), 10_000);

  beforeEach(async () => {
    matrix = await CrablineMatrix.start();
    adapter = make();
    memory.clear();
    told = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await matrix.close();
  });

  it("tries again what could not be received, and keeps the order", async () => {
    const texts: string[] = [];
    let failures = 1;
    await connect(async ({ text }) => {
      if (text === "two" && failures-- > 0) throw new Error("The disk is full.");
      texts.push(text);
      return "accepted";
    });
    for (const text of ["one", "two", "three"]) await matrix.write({ text });
    await until(() => texts.includes("three"));
    expect(texts).toEqual(["one", "two", "three"]);
    expect(told).toEqual([]); // The homeserver is there; the gateway says what is wrong.
  });

  it("leaves to the next process what it could not receive", async () => {
    let tries = 0;
    await connect(async () => {
      tries += 1;
      throw new Error("The process is about to end.");
    });
    await matrix.write({ text: "hello" });
    await until(() => tries > 0);
    await adapter.disconnect();
    const received: InboundMessage[] = [];
    adapter = make();
    await connect(async (message) => {
      received.push(message);
      return "accepted";
    });
    await until(() => received.length > 0);
    expect(received.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("does not answer what was said before it first came", async () => {
    await matrix.write({ text: "long ago" });
    const texts: string[] = [];
    await connect(async ({ text }) => {
      texts.push(text);
      return "accepted";
    });
    await matrix.write({ text: "now" });
    await until(() => texts.length > 0);
    expect(texts).toEqual(["now"]);
  });

  it("lets nobody change what another wrote", async () => {
    const received: InboundMessage[] = [];
    await connect(async (message) => {
      received.push(message);
      return "accepted";
    });
    const theirs = await matrix.write({ text: "from Bob", in: "group", from: "bob", mentions: true });
    await matrix.amend(theirs, "from Ann", { in: "group" });
    await matrix.amend(theirs, "from Bob again", { in: "group", from: "bob" });
    await until(() => received.length > 1);
    expect(received.map(({ kind, text }) => [kind, text])).toEqual([
      ["message", "from Bob"],
      ["edit", "from Bob again"],
    ]);
  });

  it.each([
    ["a token that is not known", { accessToken: () => "nobody's" }, "MATRIX_ACCESS_TOKEN"],
    ["another user's token", { userId: "@else:matrix.test" }, "@else:matrix.test"],
    ["no URL", { homeserver: "matrix.test" }, "MATRIX_HOMESERVER"],
  ])("says of %s what to mend", async (_, settings, word) => {
    adapter = make(settings);
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining(word),
    });
  });

  it("tries again where nobody answers", async () => {
    adapter = make({ homeserver: "http://127.0.0.1:9" });
    await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
  });

  it("goes without encryption where the homeserver has none", async () => {
    adapter = make({ folder: "/nonexistent/never-made" });
    await connect();
    const { messageId } = await adapter.send({ address: matrix.dm, text: "hello", deliveryId: "d" });
    expect(messageId).toMatch(/^\$/);
  });

  it("answers in the room if the homeserver does not take it for the thread, unless it is true only there", async () => {
    await connect();
    const { threadId = "" } = await thread(matrix.group, "Plans", null, "once");
    const letter = { address: { ...matrix.group, threadId }, text: "an answer", deliveryId: "d" };
    const refusal = { errcode: "M_UNKNOWN", error: "Can't send relation to missing event?" };
    matrix.front.refuseSend = (body) => (body.includes("m.thread") ? [400, refusal] : null);
    await expect(adapter.send({ ...letter, onlyThere: true })).rejects.toMatchObject({
      outcome: "permanent",
      message: "That thread is not there any more.",
    });
    const { messageId } = await adapter.send(letter);
    expect(await adapter.send(letter)).toEqual({ messageId }); // Also there the same twice is one.
    const { event } = matrix.front.sent.at(-1) ?? {};
    expect(event).toMatchObject({ event_id: messageId, content: { body: "an answer" } });
    expect(event?.content).not.toHaveProperty("m.relates_to");
  });

  it("is one account for a user, whatever the token, and else one for the token", () => {
    expect(make({ userId: "@bot:matrix.test" }).account).toBe("@bot:matrix.test");
    expect(make().account).toBe(make().account);
    expect(make().account).not.toContain(matrix.token);
    expect(make({ accessToken: () => "another" }).account).not.toBe(make().account);
  });

  describe("tells of a place", () => {
    const place = (chatId: string, threadId?: string) =>
      adapter.place({ platform: "matrix", chatId, ...(threadId === undefined ? {} : { threadId }) });

    it("in a room of two with the other one, also in its threads", async () => {
      await connect();
      const { chatId } = matrix.dm;
      const ann = { ...matrix.dm, chatType: "dm", userId: "@ann:matrix.test", userName: "ann" };
      expect(await place(chatId)).toEqual({ ...ann, chatName: chatId });
      const made = await thread(matrix.dm, "Plans", null, "once");
      expect(await place(chatId, made.threadId)).toMatchObject({ ...ann, threadId: made.threadId });
    });

    it("not where there is none, and not of a message in a thread", async () => {
      await connect();
      const { chatId } = matrix.group;
      const { threadId = "" } = await thread(matrix.group, "Plans", null, "once");
      const address = { ...matrix.group, threadId };
      const { messageId } = await adapter.send({ address, text: "in it", deliveryId: "d" });
      for (const missing of [messageId, "$nothing", "nothing"])
        expect(await place(chatId, missing)).toBeNull();
      for (const missing of ["#alias:matrix.test", "!nothing:matrix.test"])
        expect(await place(missing)).toBeNull();
    });

    it("and begins no thread where the person cannot be", async () => {
      await connect();
      const { chatId } = matrix.group;
      await adapter.createThread(matrix.group, "Plans", "@carol:matrix.test", "for Carol");
      expect(matrix.front.invited).toEqual([`${chatId} @carol:matrix.test`]);
      matrix.front.invited = null;
      const before = (await matrix.sent(matrix.group)).length;
      for (const [where, reason] of [
        [matrix.group, /^You are not in that room, and I cannot invite you: The homeserver says 403/],
        [
          { platform: "matrix", chatId: "!nothing:matrix.test" },
          /^I am not in that room, or it is not there\.$/,
        ],
      ] as const)
        await expect(
          adapter.createThread(where, "Plans", "@dave:matrix.test", "for Dave"),
        ).rejects.toMatchObject({
          outcome: "permanent",
          message: expect.stringMatching(reason),
        });
      expect(await matrix.sent(matrix.group)).toHaveLength(before);
    });

    it("later, where the homeserver does not answer", async () => {
      await connect();
      await matrix.close();
      await expect(place(matrix.dm.chatId)).rejects.toMatchObject({ outcome: "retryable" });
      matrix = await CrablineMatrix.start();
    });
  });
});
