import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { idNamed } from "../../../test/support/mattermost-ids.js";
import { ANN, DM, MattermostWorld, TOWN } from "../../../test/support/mattermost-world.js";
import type { AdapterFixture, Trouble, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter } from "../../testing/kept-adapter.js";
import type { Adapter, InboundMessage, Receive } from "../adapter.js";
import { MattermostAdapter } from "./adapter.js";
import { formatText } from "./format.js";

const TROUBLES: Readonly<
  Record<Exclude<Trouble, "revoked token">, Parameters<MattermostWorld["failNext"]>[0]>
> = {
  "rate limited": { status: 429, headers: { "X-RateLimit-Reset": "7" } },
  "server error": { status: 500 },
  refused: { status: 400, body: JSON.stringify({ message: "Invalid or missing channel_id" }) },
  swallowed: "swallow",
};

/** Nobody tells the server what arrived: what was dealt with is all that there is to wait for. */
function watched(adapter: Adapter) {
  const done = new Set<string>();
  const waiting = new Map<string, () => void>();
  let isOn = false;
  const serve: Adapter["serve"] = (line) => {
    const receive: Receive = async (message) => {
      try {
        return await line.receive(message);
      } finally {
        done.add(message.messageId);
        waiting.get(message.messageId)?.();
      }
    };
    line.end.addEventListener("abort", () => {
      isOn = false;
    });
    const up: typeof line.up = (speaker) => {
      isOn = true;
      line.up(speaker);
    };
    return adapter.serve({ ...line, receive, up });
  };
  return {
    adapter: {
      platform: adapter.platform,
      account: adapter.account,
      capabilities: adapter.capabilities,
      serve,
    },
    forget: (messageId: string) => done.delete(messageId),
    dealtWith: async (messageId: string) => {
      if (!isOn) throw new Error("Nobody listens.");
      if (!done.has(messageId)) await new Promise<void>((resolve) => waiting.set(messageId, resolve));
    },
  };
}

/** Whom the server would notify: it reads the words that are not code. */
function namesIn(message: string): readonly string[] {
  const words = message.replace(/```[\s\S]*?```|`[^`]*`/g, " ").replace(/[*_~]/g, "");
  return words.match(/(?<![\p{L}\p{N}])@[\p{L}\p{N}][\w.-]*/gu) ?? [];
}

async function fixture(): Promise<AdapterFixture> {
  const world = await MattermostWorld.open();
  const make = () => watched(new MattermostAdapter(world.settings));
  let now = make();
  const address = { platform: "mattermost", chatId: DM };
  let threadId = "";
  return {
    adapter: now.adapter,
    address,
    group: { platform: "mattermost", chatId: TOWN },
    nowhere: { platform: "mattermost", chatId: idNamed("nowhere") },
    lacks: {
      replies: "In Mattermost an answer is a post in a thread.",
      names: "A username is one person's.",
      commands: "The server takes commands for itself.",
      "empty texts": "The server refuses posts without text.",
    },
    again: () => {
      now = make();
      return now.adapter;
    },
    write: async (written: Written) => {
      const { text, from, mentions, isBot } = written;
      const inThread = written.in === "thread";
      threadId = written.threadId ?? world.sent.at(-1)?.id ?? threadId;
      const senderId = from ? idNamed(from) : ANN;
      const said = mentions ? `@baton ${text}` : text;
      if (isBot) {
        const messageId = idNamed(`bot's ${text}`);
        const post = {
          id: messageId,
          channel_id: DM,
          user_id: senderId,
          message: said,
          props: { from_bot: "true" },
        };
        world.speak("posted", post, { channel_type: "D" });
        await now.dealtWith(messageId);
        return { messageId };
      }
      if (written.files) {
        const messageId = idNamed(`files with ${text}`);
        const files = written.files.map(({ name, mediaType, bytes }) => {
          const id = idNamed(`a file ${name}`);
          world.pages.set(`/api/v4/files/${id}`, { status: 200, body: Buffer.from(bytes) });
          return { id, name, mime_type: mediaType };
        });
        const file_ids = files.map(({ id }) => id);
        const post = { id: messageId, channel_id: DM, user_id: senderId, message: said, file_ids };
        now.forget(messageId);
        world.speak("posted", { ...post, metadata: { files } }, { channel_type: "D" });
        await now.dealtWith(messageId);
        return { messageId };
      }
      const messageId = await world.write({
        senderId,
        text: said,
        channelId: written.in && written.in !== "dm" ? TOWN : DM,
        ...(inThread ? { rootId: threadId } : {}),
      });
      await now.dealtWith(messageId);
      return { messageId };
    },
    amend: async (messageId, text) => {
      now.forget(messageId);
      world.speak("post_edited", { id: messageId, channel_id: DM, user_id: ANN, message: text, edit_at: 1 });
      await now.dealtWith(messageId);
    },
    shown: (where = address) =>
      world.sent
        .filter((post) => post.channel_id === where.chatId && (post.root_id || undefined) === where.threadId)
        .filter(({ message, file_ids }) => message !== "" || !file_ids)
        .map(({ message }) => message),
    react: async (messageId, emoji, { in: where = "dm", from } = {}) =>
      world.react("reaction_added", messageId, emoji, {
        userId: from ? idNamed(from) : ANN,
        channelId: where === "dm" ? DM : TOWN,
      }),
    takeOff: (messageId, emoji) =>
      world.react("reaction_removed", messageId, emoji, { userId: ANN, channelId: DM }),
    notified: () => world.sent.flatMap(({ message }) => namesIn(message)),
    files: async () =>
      world.sent.flatMap(({ file_ids = [] }) => file_ids.flatMap((id) => world.files.get(id) ?? [])),
    typed: () => world.typed,
    threads: ({ chatId }) => world.sent.filter((post) => post.channel_id === chatId && !post.root_id).length,
    trouble: (what) => {
      if (what === "revoked token") world.isRevoked = true;
      else world.failNext(TROUBLES[what]);
    },
    way: (fault) => world.between.faults.play(fault),
    door: (fault) => world.between.faults.door(fault),
    cut: () => world.between.cut(),
    asShown: formatText,
    dispose: () => world.close(),
  };
}

adapterContract("mattermost", fixture);

describe("mattermost", () => {
  let world: MattermostWorld;
  let adapter: KeptAdapter;
  let received: InboundMessage[];

  beforeEach(async () => {
    world = await MattermostWorld.open();
    adapter = new KeptAdapter(new MattermostAdapter(world.settings));
    received = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
  });

  const connect = () =>
    adapter.connect(async (message) => {
      received.push(message);
      return "accepted";
    });

  it("names the setting if the server does not take the token", async () => {
    world.isRevoked = true;
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("MATTERMOST_BOT_TOKEN"),
    });
  });

  it("wakes no whole channel", async () => {
    await connect();
    const message = { address: { platform: "mattermost", chatId: TOWN }, deliveryId: "1" };
    await adapter.speaker?.send({ ...message, text: "@all, @Channel and @here: mail a@allan.example" });
    expect(world.sent[0]?.message).toBe("@\u200ball, @\u200bChannel and @\u200bhere: mail a@allan.example");
  });

  it("finds what was taken, by what each post carries, also after an edit", async () => {
    await connect();
    const letter = { address: { platform: "mattermost", chatId: DM }, text: "once", deliveryId: "turn-1.0" };
    expect(await adapter.find(letter)).toBe("not there");
    await world.between.faults.play("reset after");
    await expect(adapter.send(letter)).rejects.toMatchObject({ outcome: "unknown" });
    const [post] = world.sent;
    expect(await adapter.find(letter)).toEqual({ messageId: post?.id });
    await adapter.edit({ ...letter, text: "changed" }, post?.id ?? "");
    expect(await adapter.find(letter)).toEqual({ messageId: post?.id });
    expect(await adapter.find({ ...letter, deliveryId: "turn-2.0" })).toBe("not there");
    if (post) post.props = {};
    expect(await adapter.find({ ...letter, deliveryId: "turn-2.0" })).toBeNull(); // Somebody took away what it carried.
    const later = Date.now() + 20 * 60_000;
    expect(await adapter.find({ ...letter, deliveryId: "turn-2.0", writtenAt: later })).toBe("not there");
  });

  it("answers in the channel if the first post of a thread is gone, unless it is true only there", async () => {
    await connect();
    const address = { platform: "mattermost", chatId: TOWN, threadId: idNamed("gone") };
    const letter = { address, text: "an answer", deliveryId: "1" };
    await expect(adapter.send({ ...letter, onlyThere: true })).rejects.toMatchObject({
      outcome: "permanent",
      message: "That thread is not there any more.",
    });
    world.failNext({ status: 400, body: JSON.stringify({ id: "api.post.create_post.root_id.app_error" }) });
    await adapter.send(letter);
    expect(world.sent).toMatchObject([{ channel_id: TOWN, message: "an answer", root_id: "" }]);
  });

  it("takes a proxy's page for no answer about a place", async () => {
    await connect();
    world.failAll = { status: 404, body: "<html>Not found</html>" };
    await expect(adapter.place({ platform: "mattermost", chatId: TOWN })).rejects.toMatchObject({
      outcome: "retryable",
    });
  });

  it("hears a thread by its first post, and takes the mention out", async () => {
    await connect();
    const root = await world.write({ senderId: ANN, text: "lunch?", channelId: TOWN });
    await world.write({ senderId: ANN, text: "@Baton: where?", channelId: TOWN, rootId: root });
    await expect.poll(() => received.length).toBe(2);
    expect(received).toMatchObject([
      { text: "lunch?", isAddressed: false, source: { chatType: "channel", chatName: "town" } },
      { text: "where?", isAddressed: true, source: { chatType: "thread", threadId: root, userName: "ann" } },
    ]);
  });

  it("quotes the beginning of a thread once, with its file and its author, and not for strangers", async () => {
    let isKnown = false;
    const receive: Receive = async (message) => {
      received.push(message);
      return "accepted";
    };
    await adapter.connect(receive, { knows: async () => isKnown });
    const [root, file] = [idNamed("root"), idNamed("file")];
    const files = [{ id: file, name: "plan.txt", mime_type: "text/plain" }];
    const post = {
      id: root,
      channel_id: TOWN,
      user_id: idNamed("bob"),
      message: "lunch?",
      metadata: { files },
    };
    world.pages.set(`/api/v4/posts/${root}`, { status: 200, body: JSON.stringify(post) });
    world.pages.set(`/api/v4/users/${idNamed("bob")}`, { status: 200, body: '{"username":"bob"}' });
    world.pages.set(`/api/v4/files/${file}`, { status: 200, body: "the plan" });
    const write = async (text: string): Promise<void> => {
      const count = received.length;
      await world.write({ senderId: ANN, text, channelId: TOWN, rootId: root });
      await expect.poll(() => received.length).toBe(count + 1);
    };
    await write("@baton who?");
    expect(received[0]?.replyTo).toEqual({ messageId: root });
    isKnown = true;
    await write("@baton");
    expect(received[1]).toMatchObject({
      text: "",
      isAddressed: true,
      replyTo: { messageId: root, text: "lunch?", from: "bob", files: [{ name: "plan.txt" }] },
    });
    const [plan] = received[1]?.replyTo?.files ?? [];
    const { signal } = new AbortController();
    expect(Buffer.from((await plan?.read(100, signal)) ?? []).toString()).toBe("the plan");
    await expect(plan?.read(3, signal)).rejects.toThrow();
    await write("@baton and then?");
    expect(received[2]?.replyTo).toEqual({ messageId: root });
  });

  it("shows nobody the post of another channel as the beginning of a thread", async () => {
    await connect();
    const root = idNamed("elsewhere");
    const post = { id: root, channel_id: DM, user_id: ANN, message: "a secret" };
    world.pages.set(`/api/v4/posts/${root}`, { status: 200, body: JSON.stringify(post) });
    const said = {
      id: idNamed("new"),
      channel_id: TOWN,
      user_id: ANN,
      message: "@baton what?",
      root_id: root,
    };
    world.speak("posted", said, { channel_type: "O" });
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.replyTo).toEqual({ messageId: root });
  });
});
