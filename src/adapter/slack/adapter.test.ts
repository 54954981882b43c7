import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { slackFixture, slackSettings } from "../../../test/support/slack-fixture.js";
import { SlackServer } from "../../../test/support/slack-server.js";
import { buildSessionKey } from "../../session/session-key.js";
import type { Address } from "../../session/source.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter, type KeptSetting, type LineNews } from "../../testing/kept-adapter.js";
import type { InboundMessage, Received, SendError } from "../adapter.js";
import { SlackAdapter } from "./adapter.js";
import type { SlackSettings } from "./config.js";

adapterContract("slack", () => slackFixture());

describe("slack", () => {
  let server: SlackServer;
  let adapter: KeptAdapter;
  let received: InboundMessage[];
  let told: LineNews[];
  let deliveries = 0;
  const opened = async (settings: SlackSettings) => new KeptAdapter(new SlackAdapter(settings));

  beforeEach(async () => {
    server = await SlackServer.start();
    adapter = await opened(slackSettings(server));
    received = [];
    told = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await server.close();
  });

  const connect = (
    receive?: (message: InboundMessage) => Promise<Received>,
    more: Pick<KeptSetting, "knows"> = {},
  ) =>
    adapter.connect(
      async (message) => {
        received.push(message);
        return (await receive?.(message)) ?? "accepted";
      },
      {
        commands: [
          { name: "new", description: "" },
          { name: "status", description: "" },
        ],
        tell: (state) => told.push(state),
        ...more,
      },
    );
  const outbound = (text: string, chatId: string, more: object = {}) => {
    deliveries += 1;
    return { address: { platform: "slack", chatId }, text, deliveryId: `d-${deliveries}`, ...more };
  };
  const failure = (promise: Promise<unknown>): Promise<SendError> =>
    promise.then(
      () => expect.unreachable("It was taken."),
      (error: SendError) => error,
    );

  describe("opens", () => {
    it("as the bot that the token names, whatever comes after; else as the token, without telling it", async () => {
      const accountWith = async (token: string) =>
        new SlackAdapter({ ...slackSettings(server), botToken: () => token }).account;
      expect(await accountWith("xoxb-1234567890-9876543210-aaa")).toBe("1234567890.9876543210");
      expect(await accountWith("xoxb-1234567890-9876543210-bbb")).toBe("1234567890.9876543210");
      expect(adapter.account).toMatch(/^#[0-9a-f]{16}$/);
      expect(await accountWith("xoxb-another")).not.toBe(adapter.account);
    });

    it("not as another bot than at first", async () => {
      let token = server.botToken;
      adapter = await opened({ ...slackSettings(server), botToken: () => token });
      token = "xoxb-another";
      await expect(connect()).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("of another bot than before"),
      });
    });

    it("not with a wrong token, and says which one to mend", async () => {
      const wrong = { ...slackSettings(server), botToken: () => "xoxb-nobody" };
      adapter = await opened(wrong);
      await expect(connect()).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("SLACK_BOT_TOKEN"),
      });
      const other = await opened({ ...slackSettings(server), appToken: () => "xapp-nobody" });
      const connecting = other.connect();
      await expect(connecting).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("SLACK_APP_TOKEN"),
      });
      await other.disconnect();
    });

    it("later, where Slack is not there or says nothing", async () => {
      const nowhere = { ...slackSettings(server), baseUrl: "http://127.0.0.1:9/api/" };
      const unreached = adapter;
      adapter = await opened(nowhere);
      await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
      adapter = unreached;
      server.isMute = true;
      await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
      await adapter.disconnect();
      await vi.waitUntil(() => server.lines === 0, { timeout: 20_000 });
    });
  });

  describe("receives", () => {
    it("what could not be kept until it is, acknowledges it then, and keeps the order of its channel", async () => {
      let isFull = true;
      const kept: string[] = [];
      await connect(async ({ text }) => {
        if (isFull) throw new Error("The store is full.");
        kept.push(text);
        return "accepted";
      });
      const { messageId } = await server.write({ text: "first" });
      expect(server.isAcknowledged(messageId)).toBe(false);
      const second = server.write({ text: "second" });
      isFull = false;
      await second;
      await vi.waitUntil(() => server.isAcknowledged(messageId), { timeout: 20_000 });
      expect(kept).toEqual(["first", "second"]);
    });

    it("what came while nobody acknowledged, once more", async () => {
      let hangs = true;
      await connect(async () => {
        if (hangs) await new Promise<void>(() => {});
        return "accepted";
      });
      await server.write({ text: "keep this" });
      expect(received).toHaveLength(1);
      hangs = false;
      void adapter.disconnect(); // As if the process had ended: nobody waits for it.
      adapter = await opened(slackSettings(server));
      await connect();
      await vi.waitUntil(() => received.length === 2, { timeout: 20_000 });
      expect(received[1]).toEqual(received[0]);
    });

    it("a mention in a channel twice, as one message in a thread of its own", async () => {
      await connect();
      const { messageId } = await server.write({ text: "hi there", in: "group", mentions: true });
      expect(received).toHaveLength(2);
      expect(received[1]).toEqual(received[0]);
      expect(received[0]).toMatchObject({ kind: "message", messageId, text: "hi there", isAddressed: true });
      expect(received[0]?.source).toEqual({
        platform: "slack",
        chatId: server.channel,
        chatType: "thread",
        threadId: messageId,
        userId: server.idOf("ann"),
        userName: "ann",
        chatName: "team",
        chatTopic: "Work",
      });
    });

    it("what a stranger writes without a single request about them, their place or their thread", async () => {
      const ann = server.idOf("ann");
      await connect(undefined, { knows: async ({ userId }) => userId === ann });
      const asked = (): string[] =>
        server.calls.map(({ method }) => method).filter((method) => /\.(info|replies|members)$/.test(method));
      const { messageId: root } = await server.write({ text: "a beginning", in: "group", from: "bob" });
      const before = asked().length;
      await server.write({ text: "let me in", from: "bob" });
      const reply = { channel: server.channel, replyTo: root, mentions: true };
      for (let n = 0; n < 20; n += 1) await server.write({ ...reply, text: `again ${n}`, from: "bob" });
      await server.command("/new", "", { from: "bob", channel: server.channel });
      expect(received.length).toBeGreaterThan(20); // The gate refuses them.
      expect(received.every(({ source }) => source.userName === undefined)).toBe(true);
      expect(asked().slice(before)).toEqual([]);
      await server.write({ ...reply, text: "and now?" });
      expect(new Set(asked())).toEqual(
        new Set(["users.info", "conversations.info", "conversations.replies"]),
      );
    });

    it("the beginning of a thread that it was not told of, once", async () => {
      await connect();
      const { messageId: root } = await server.write({
        text: "who has <b> time?",
        in: "group",
        from: "bob",
      });
      const reply = { channel: server.channel, replyTo: root, mentions: true };
      await server.write({ ...reply, text: "what is this about?" });
      await server.write({ ...reply, text: "and this?" });
      const heard = received.filter(({ replyTo }) => replyTo).map(({ text, replyTo }) => [text, replyTo]);
      expect(heard).toEqual([
        ["what is this about?", { messageId: root, text: "who has <b> time?", from: "bob" }],
        ["what is this about?", { messageId: root }], // Its mention: known to the gateway by its id.
        ["and this?", { messageId: root }],
        ["and this?", { messageId: root }],
      ]);
      const { messageId } = await server.write({ text: "hello", in: "group", mentions: true });
      await server.write({ text: "more", channel: server.channel, replyTo: messageId, mentions: true });
      expect(received.at(-1)?.replyTo).toEqual({ messageId }); // It was told of that one.
    });

    it("people and channels by their names, and that a message is gone", async () => {
      await connect();
      const { messageId } = await server.write({ text: "hello" });
      const channel = received[0]?.source.chatId;
      const event = {
        type: "message",
        channel,
        channel_type: "im",
        user: server.idOf("ann"),
        ts: "1715187600.1",
      };
      await server.emit({
        ...event,
        text: `ask <@${server.idOf("bob")}> in <#${server.channel}>, not <@U0NOBODY1>`,
      });
      await server.emit({ ...event, subtype: "message_deleted", deleted_ts: messageId });
      expect(received.slice(1)).toMatchObject([
        { kind: "message", text: "ask @bob in #team, not @U0NOBODY1" },
        { kind: "deletion", messageId, text: "", source: { chatId: channel, chatType: "dm" } },
      ]);
    });

    it("slash commands, also those that Slack keeps for itself, and says where it cannot answer", async () => {
      await connect();
      await server.command("/new", "plans");
      await server.command("/baton", "status now");
      await server.command("/baton", "what is up?");
      expect(received.map(({ kind, text }) => [kind, text])).toEqual([
        ["command", "/new plans"],
        ["command", "/status now"],
        ["message", "what is up?"],
      ]);
      expect(received[0]?.source).toMatchObject({
        chatType: "dm",
        userId: server.idOf("ann"),
        userName: "ann",
      });
      const elsewhere = (await server.api("conversations.open", { users: server.idOf("bob") })) as {
        channel: { id: string };
      };
      const { answer } = await server.command("/new", "", { channel: elsewhere.channel.id });
      expect(answer).toMatchObject({
        text: expect.stringContaining("not in this conversation"),
      });
      expect(received).toHaveLength(3);
    });

    it("a press of a button, where it is, and takes the buttons away in a chat of two", async () => {
      await connect();
      const buttons = [{ label: "Deny", command: "/deny 1503" }];
      const dm = await server.dm();
      const send = (chatId: string, threadId?: string) =>
        adapter.send({
          address: { platform: "slack", chatId, ...(threadId ? { threadId } : {}) },
          text: "May I?",
          deliveryId: "d1",
          buttons,
        });
      const updates = () => server.calls.filter(({ method }) => method === "chat.update");
      const { messageId: root } = await server.write({ text: "hi", in: "group", mentions: true });
      await server.press((await send(server.channel, root)).messageId, "Deny", { channel: server.channel });
      expect(received.at(-1)).toMatchObject({
        kind: "button",
        text: "/deny 1503",
        source: { chatType: "thread", chatId: server.channel, threadId: root, userId: server.idOf("ann") },
      });
      expect(updates()).toEqual([]);
      const { messageId } = await send(dm);
      await server.press(messageId, "Deny");
      expect(received.at(-1)).toMatchObject({ kind: "button", source: { chatType: "dm", chatId: dm } });
      expect(updates()).toMatchObject([{ args: { ts: messageId, text: "May I?", blocks: "[]" } }]);
    });

    it("files with the bot's token, within the limit, and from nowhere else", async () => {
      await connect();
      const bytes = new TextEncoder().encode("a,b\n1,2\n");
      await server.write({ text: "look", files: [{ name: "table.csv", mediaType: "text/csv", bytes }] });
      const [file] = received[0]?.files ?? [];
      expect(file).toMatchObject({ name: "table.csv" });
      expect(Buffer.from((await file?.read(100, new AbortController().signal)) ?? [])).toEqual(
        Buffer.from(bytes),
      );
      await expect(file?.read(3, new AbortController().signal)).rejects.toThrow("larger");

      const asked = vi.spyOn(globalThis, "fetch");
      const url_private = "https://files.slack.com.evil.example/x";
      const dm = { channel: await server.dm(), channel_type: "im", user: server.idOf("ann") };
      await server.emit({
        type: "message",
        subtype: "file_share",
        ts: "1.1",
        ...dm,
        files: [{ url_private }],
      });
      await expect(received[1]?.files?.[0]?.read(100, new AbortController().signal)).rejects.toThrow(
        "not kept by Slack",
      );
      expect(asked.mock.calls.filter(([where]) => String(where).includes("evil"))).toEqual([]);
      asked.mockRestore();
    });

    it("on, whatever comes over the line", async () => {
      await connect();
      for (const frame of [
        "{",
        "null",
        '{"type":"events_api"}',
        '{"type":"events_api","payload":{"event":1}}',
        "[]",
      ])
        server.raw(frame);
      await server.write({ text: "still there?" });
      expect(received.map(({ text }) => text)).toEqual(["still there?"]);
    });
  });

  describe("the line", () => {
    it("is had again when it is cut, and tells", async () => {
      await connect();
      server.cut();
      await vi.waitUntil(() => told.length === 2, { timeout: 20_000 });
      expect(told).toEqual([{ lost: "The line to Slack was cut." }, "connected"]);
      await server.write({ text: "back" });
      expect(received.map(({ text }) => text)).toEqual(["back"]);
    });

    it("is renewed when Slack asks for it, which is nothing to be told", async () => {
      await connect();
      server.recall();
      await vi.waitUntil(() => server.opened === 2 && server.lines === 1, { timeout: 20_000 });
      await server.write({ text: "as before" });
      expect(received.map(({ text }) => text)).toEqual(["as before"]);
      expect(told).toEqual([]);
    });

    it("is closed for good", async () => {
      await connect();
      server.cut();
      await adapter.disconnect();
      await vi.waitUntil(() => server.lines === 0, { timeout: 20_000 });
      expect(told.filter((state) => state === "connected")).toEqual([]);
    });
  });

  describe("sends", () => {
    beforeEach(() => connect());

    it("in a thread, without previews, names or calls to everybody", async () => {
      const { messageId } = await server.write({ text: "hello?", in: "group", mentions: true });
      const address = { platform: "slack", chatId: server.channel, threadId: messageId };
      await adapter.send(outbound("@here https://example.com <!channel>", server.channel, { address }));
      const [said] = await server.said(server.channel);
      expect(said).toMatchObject({
        thread_ts: messageId,
        text: "@here <https://example.com/> &lt;!channel&gt;",
      });
      expect(server.calls.findLast(({ method }) => method === "chat.postMessage")?.args).toMatchObject({
        parse: "none",
        link_names: "false",
        unfurl_links: "false",
        unfurl_media: "false",
      });
    });

    it("and finds what is there by its delivery id, in a chat and in a thread", async () => {
      const { messageId: root } = await server.write({ text: "hello?", in: "group", mentions: true });
      for (const address of [
        { platform: "slack", chatId: await server.dm() },
        { platform: "slack", chatId: server.channel, threadId: root },
      ]) {
        const message = { address, text: "an answer", deliveryId: `turn.${address.chatId}` };
        expect(await adapter.find(message)).toBe("not there");
        const sent = await adapter.send(message);
        expect(await adapter.find(message)).toEqual(sent);
        await adapter.edit({ ...message, deliveryId: "another" }, sent.messageId);
        expect(await adapter.find(message)).toBe("not there");
        expect(await adapter.find({ ...message, deliveryId: "another" })).toEqual(sent);
      }
    });

    it("and says whether it is worth trying again", async () => {
      const dm = await server.dm();
      server.trouble("rate limited");
      expect(await failure(adapter.send(outbound("x", dm)))).toMatchObject({
        outcome: "retryable",
        retryAfterMs: 1_000,
      });
      server.trouble("server error");
      expect(await failure(adapter.send(outbound("x", dm)))).toMatchObject({ outcome: "unknown" });
      server.trouble("refused");
      expect(await failure(adapter.send(outbound("x", dm)))).toMatchObject({ outcome: "permanent" });
      server.trouble("swallowed");
      expect(await failure(adapter.send(outbound("x", dm)))).toMatchObject({ outcome: "unknown" });
      expect(await failure(adapter.send(outbound("x", "C0NOWHERE")))).toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("/invite"),
      });
      expect(await server.said(dm)).toHaveLength(1); // The one that was swallowed.
      server.trouble("revoked token");
      expect(await failure(adapter.send(outbound("x", dm)))).toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("SLACK_BOT_TOKEN"),
      });
    });

    it.each(["reset after", "page after", "half an answer"] as const)(
      "and finds what was taken: %s",
      async (fault) => {
        const letter = outbound("x", await server.dm(), { writtenAt: Date.now() });
        await server.faults.play(fault);
        expect(await failure(adapter.send(letter))).toMatchObject({ outcome: "unknown" });
        const [said] = await server.said(letter.address.chatId);
        expect(await adapter.find(letter)).toEqual({ messageId: said?.ts });
      },
    );

    it("and does not say that a message is missing if Slack hides what messages carry, or cannot be asked", async () => {
      const dm = await server.dm();
      await adapter.send(outbound("x", dm));
      server.answers = ({ method }, body) =>
        method.startsWith("conversations.")
          ? body.replace(/"metadata":\{"event_type"/g, '"hidden":{"event_type"')
          : body;
      expect(await adapter.find(outbound("y", dm))).toBeNull();
      server.answers = () => JSON.stringify({ ok: false, error: "missing_scope", needed: "im:history" });
      expect(await failure(adapter.find(outbound("y", dm)))).toMatchObject({ outcome: "permanent" });
    });

    it.each(["thread_not_found", "restricted_action_thread_locked"])(
      "to the channel what nobody can say in its thread: %s",
      async (error) => {
        const { messageId: root } = await server.write({ text: "hello?", in: "group", mentions: true });
        const address = { platform: "slack", chatId: server.channel, threadId: root };
        server.answers = ({ args }, body) =>
          "thread_ts" in args ? JSON.stringify({ ok: false, error }) : body;
        const letter = outbound("an answer", server.channel, { address });
        await expect(adapter.send({ ...letter, onlyThere: true })).rejects.toMatchObject({
          outcome: "permanent",
          message: "That thread is locked, or not there any more.",
        });
        const { messageId } = await adapter.send(letter);
        const said = await server.said(server.channel);
        expect(said.find(({ ts }) => ts === messageId)?.thread_ts).toBeUndefined();
      },
    );

    it("waits as usual if Slack asks to wait and does not say how long", async () => {
      server.status = 429;
      expect(await failure(adapter.send(outbound("x", await server.dm())))).toMatchObject({
        outcome: "retryable",
        retryAfterMs: undefined,
      });
    });

    it("files, after the text that goes with them", async () => {
      const folder = await mkdtemp(join(tmpdir(), "baton-slack-"));
      const path = join(folder, "kept");
      await writeFile(path, "some bytes");
      const file = { path, name: "notes.txt", mediaType: "text/plain" };
      await adapter.send(outbound("as asked", await server.dm()));
      await adapter.send(outbound("", await server.dm(), { files: [file] }));
      const [text, shared] = await server.said(await server.dm());
      expect(text?.text).toBe("as asked");
      expect(shared?.files?.map(({ name }) => name)).toEqual(["notes.txt"]);
      const bytes = await server.download(shared?.files?.[0]?.url_private ?? "");
      expect(Buffer.from(bytes).toString()).toBe("some bytes");
      await rm(folder, { recursive: true });
    });

    it("what it is doing in the line of a thread, and nowhere else", async () => {
      await connect();
      const { messageId } = await server.write({ text: "hello", in: "group", mentions: true });
      const thread = { platform: "slack", chatId: server.channel, threadId: messageId };
      const asked = () => server.calls.filter(({ method }) => method === "assistant.threads.setStatus");
      expect(await adapter.status(thread, "is running <!channel> & more")).toBe(true);
      expect([...server.statuses.values()].join()).toBe("is running &lt;!channel&gt; &amp; more");
      expect(await adapter.status({ platform: "slack", chatId: server.channel }, "is running")).toBe(false);
      expect(asked()).toHaveLength(1);
      expect(await adapter.status({ ...thread, threadId: "1.000001" }, "is running")).toBe(false);
      expect(await adapter.status(thread, "")).toBe(true); // Only that thread has none.
      expect([...server.statuses]).toEqual([]);
    });

    it.each(["missing_scope", "unknown_method", "access_denied"])(
      "not what it is doing if Slack declines that (%s), and asks once",
      async (error) => {
        await connect();
        const { messageId } = await server.write({ text: "hello", in: "group", mentions: true });
        const thread = { platform: "slack", chatId: server.channel, threadId: messageId };
        server.declinesStatus = error;
        for (let n = 0; n < 3; n += 1) expect(await adapter.status(thread, "is running")).toBe(false);
        const asked = server.calls.filter(({ method }) => method === "assistant.threads.setStatus");
        expect(asked).toHaveLength(1);
      },
    );

    it("no more of what it is doing for now if Slack asks to wait", async () => {
      await connect();
      const thread = { platform: "slack", chatId: server.channel, threadId: "1.000001" };
      server.declinesStatus = "ratelimited";
      const { outcome } = await failure(adapter.status(thread, "is running"));
      expect(outcome).toBe("retryable");
    });

    it("marks on what people wrote", async () => {
      const { messageId } = await server.write({ text: "hello?" });
      const address = { platform: "slack", chatId: await server.dm() };
      await adapter.react(address, messageId, "seen");
      await adapter.react(address, messageId, "seen");
      await adapter.react(address, messageId, "failed");
      const [asked] = await server.messages(address.chatId);
      expect(asked?.reactions?.map(({ name }) => name)).toEqual(["eyes", "x"]);
    });
  });

  describe("makes threads", () => {
    beforeEach(() => connect());

    it("whose key is that of what people write in them", async () => {
      const person = server.idOf("ann");
      for (const [chatId, chatType] of [
        [server.channel, "thread"],
        [await server.dm(), "dm"],
      ] as const) {
        const parent = { platform: "slack", chatId };
        const thread = await adapter.createThread(
          parent,
          "Plans <!here>\nfor *May* and June",
          person,
          `in ${chatId}`,
        );
        const seed = (await server.said(chatId)).find(({ ts }) => ts === thread?.threadId);
        expect(seed?.text).toBe(
          `*Plans &lt;!here&gt; for \u2060*\u2060May\u2060*\u2060 and June*\n<@${person}>`,
        );
        received = [];
        await server.write({ text: "here I am", channel: chatId, replyTo: thread?.threadId ?? "" });
        const [message] = received;
        expect(message).toMatchObject({ isAddressed: true, text: "here I am" });
        const expected = { platform: "slack", chatId, chatType, threadId: thread?.threadId ?? "" };
        expect(buildSessionKey(message?.source ?? expected)).toBe(buildSessionKey(expected));
      }
    });

    it("only where the person sees them", async () => {
      const hidden = await server.privateChannel("hidden", ["bob"]);
      const parent = { platform: "slack", chatId: hidden };
      const error = await failure(
        adapter.createThread(parent, "Plans", server.idOf("ann"), "for Ann") as Promise<unknown>,
      );
      expect(error).toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("not in the channel"),
      });
      expect(await server.said(hidden)).toEqual([]);
      expect(await adapter.createThread(parent, "Plans", server.idOf("bob"), "for Bob")).toMatchObject({
        chatId: hidden,
      });
    });
  });

  describe("tells of a place", () => {
    const slack = (chatId: string, threadId?: string): Address => ({
      platform: "slack",
      chatId,
      ...(threadId === undefined ? {} : { threadId }),
    });
    const place = (chatId: string, threadId?: string) => adapter.place(slack(chatId, threadId));
    const channelOf = async (method: string, args: Record<string, string>, user = "ann") =>
      String(((await server.api(method, args, user)).channel as { id: string }).id);

    it("with its names, and in a chat of two with the other one", async () => {
      await connect();
      const [dm, hidden] = [await server.dm(), await server.privateChannel("hidden", ["bob"])];
      expect(await place(dm)).toEqual({
        ...slack(dm),
        chatType: "dm",
        userId: server.idOf("ann"),
        userName: "ann",
      });
      const team = { ...slack(server.channel), chatName: "team", chatTopic: "Work" };
      expect(await place(server.channel)).toEqual({ ...team, chatType: "channel" });
      expect(await place(hidden)).toEqual({ ...slack(hidden), chatName: "hidden", chatType: "group" });
      const users = `${server.botId},${server.idOf("bob")}`;
      const several = await channelOf("conversations.open", { users });
      expect(await place(several)).toMatchObject({ chatType: "group" });
    });

    it("as a thread only where a message begins it, in a chat of two beside it", async () => {
      await connect();
      for (const [chatId, chatType] of [
        [server.channel, "thread"],
        [await server.dm(), "dm"],
      ] as const) {
        const { messageId } = await server.write({ text: "root", channel: chatId });
        const reply = await server.write({ text: "reply", channel: chatId, replyTo: messageId });
        const source = received.at(-1)?.source ?? expect.unreachable("It was not heard.");
        const told = (await place(chatId, messageId)) ?? expect.unreachable("There is no such place.");
        expect(told).toMatchObject({ chatType, threadId: messageId });
        expect(buildSessionKey(told)).toBe(buildSessionKey(source));
        for (const threadId of [reply.messageId, "1.000001", "not a time"])
          expect(await place(chatId, threadId)).toBeNull();
      }
    });

    it("only where the bot is", async () => {
      await connect();
      const others = await channelOf("conversations.open", { users: server.idOf("bob") });
      const elsewhere = await channelOf("conversations.create", { name: "elsewhere" });
      for (const chatId of [others, elsewhere, server.idOf("ann"), "../users"])
        expect(await place(chatId)).toBeNull();
    });

    it("later, where Slack does not answer", async () => {
      await connect();
      const dm = await server.dm();
      server.trouble("revoked token");
      expect(await failure(place(dm) as Promise<unknown>)).toMatchObject({ outcome: "permanent" });
      await server.close();
      expect(await failure(place(dm) as Promise<unknown>)).toMatchObject({ outcome: "retryable" });
      server = await SlackServer.start();
    });
  });
});
