import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { proto } from "baileys";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { NUMBER } from "../../../../test/support/whatsapp-device.js";
import {
  ANN,
  BOB,
  GROUP,
  OUR_LID,
  type WebPerson,
  WhatsAppWeb,
} from "../../../../test/support/whatsapp-web.js";
import { identityOf } from "../../../session/access.js";
import { buildSessionKey } from "../../../session/session-key.js";
import type { AdapterFixture, Trouble, Written } from "../../../testing/adapter/fixture.js";
import { adapterContract } from "../../../testing/adapter-contract.js";
import { KeptAdapter, type KeptSetting } from "../../../testing/kept-adapter.js";
import type { InboundMessage, Line, Receive } from "../../adapter.js";
import { formatText } from "../format.js";
import { BaileysAdapter } from "./adapter.js";
import { messageIdOf, messageRefOf, ourId } from "./ids.js";

const OUR_DIGITS = OUR_LID.replace("@lid", "");

/** Files are uploaded by TLS; the server on loopback has signed for itself. */
beforeAll(() => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** WhatsApp is told before we hear of a message: what was dealt with is all that there is to wait for. */
class Watched extends BaileysAdapter {
  #done = new Set<string>();
  #waiting = new Map<string, () => void>();
  #isOn = false;

  override async serve(line: Line): Promise<void> {
    const receive: Receive = async (message) => {
      try {
        return await line.receive(message);
      } finally {
        this.#done.add(message.messageId);
        this.#waiting.get(message.messageId)?.();
      }
    };
    const up: Line["up"] = (speaker) => {
      this.#isOn = true;
      line.up(speaker);
    };
    line.end.addEventListener("abort", () => {
      this.#isOn = false;
    });
    await super.serve({ ...line, receive, up });
  }

  forget(messageId: string): void {
    this.#done.delete(messageId);
  }

  async dealtWith(messageId: string): Promise<void> {
    if (!this.#isOn) throw new Error("Nobody listens.");
    if (!this.#done.has(messageId))
      await new Promise<void>((resolve) => this.#waiting.set(messageId, resolve));
  }
}

const TROUBLES: Readonly<Record<Exclude<Trouble, "revoked token">, string>> = {
  "rate limited": "429",
  "server error": "503",
  refused: "479",
  swallowed: "silent",
};

function textOf({ message }: { readonly message: proto.IMessage }): string {
  const { conversation, extendedTextMessage, documentMessage, imageMessage } = message;
  return conversation || extendedTextMessage?.text || documentMessage?.caption || imageMessage?.caption || "";
}

function contextIn({ extendedTextMessage }: proto.IMessage): proto.IContextInfo | null {
  return extendedTextMessage?.contextInfo ?? null;
}

/** What a message says of the one that it answers. */
function quoting(replyTo: string | undefined, world: WhatsAppWeb): proto.IContextInfo {
  const ref = replyTo ? messageRefOf(replyTo) : null;
  if (!ref) return {};
  const author = [ANN, BOB].find(({ number }) => number === ref.author);
  const ours = world.sent.find(({ id }) => id === ref.id);
  return {
    stanzaId: ref.id,
    participant: author ? `${author.number}@s.whatsapp.net` : OUR_LID,
    ...(ours ? { quotedMessage: ours.message } : {}),
  };
}

async function messageOf(written: Written, world: WhatsAppWeb): Promise<proto.IMessage> {
  const [file] = written.files ?? [];
  if (file) {
    const kind = file.mediaType.startsWith("image/") ? "image" : "document";
    const media = await world.keepFile(kind, file);
    return { [`${kind}Message`]: { ...media, ...(written.text ? { caption: written.text } : {}) } };
  }
  const mention = written.mentions ? { mentionedJid: [OUR_LID] } : {};
  const contextInfo = { ...quoting(written.replyTo, world), ...mention };
  const text = written.mentions ? `@${OUR_DIGITS} ${written.text}` : written.text;
  if (Object.keys(contextInfo).length > 0) return { extendedTextMessage: { text, contextInfo } };
  return { conversation: text };
}

async function fixture(): Promise<AdapterFixture> {
  const world = await WhatsAppWeb.open();
  const make = () => new Watched(world.settings);
  let adapter = make();
  let last = "";
  const address = { platform: "whatsapp", chatId: ANN.number };
  const write = async (written: Written) => {
    const person = written.from === "bob" ? BOB : ANN;
    const from: WebPerson = { ...person, name: written.name ?? person.name };
    const where = written.in === "group" ? { group: GROUP } : {};
    const id = world.write(await messageOf(written, world), { from, ...where });
    last = messageIdOf({ id, author: from.number });
    await adapter.dealtWith(last);
    await vi.waitUntil(() => world.receipts.includes(id), { interval: 5, timeout: 10_000 });
    return { messageId: last };
  };
  return {
    adapter,
    address,
    group: { platform: "whatsapp", chatId: GROUP },
    lacks: {
      bots: "WhatsApp has no bots among its people.",
      "empty texts": "Nobody can send an empty text, and there is nothing to wait for.",
      pages: "Messages go by a WebSocket.",
    },
    again: () => {
      adapter = make();
      return adapter;
    },
    write,
    amend: async (messageId, text) => {
      const { id = "" } = messageRefOf(messageId) ?? {};
      adapter.forget(messageId);
      const key = { id, fromMe: true, remoteJid: `${ANN.number}@s.whatsapp.net` };
      world.write({ protocolMessage: { type: 14, key, editedMessage: { conversation: text } } });
      await adapter.dealtWith(messageId);
    },
    react: async (id, text, { in: where, from } = {}) => {
      // As whoever reacts sees it: the message is of another, and the chat is with us.
      const place = where === "group" ? { group: GROUP } : {};
      const key = {
        id,
        fromMe: false,
        ...(place.group ? { remoteJid: GROUP, participant: OUR_LID } : { remoteJid: OUR_LID }),
      };
      world.write({ reactionMessage: { text, key } }, { from: from === "bob" ? BOB : ANN, ...place });
    },
    takeOff: (id) =>
      world.write({ reactionMessage: { text: "", key: { id, fromMe: false, remoteJid: OUR_LID } } }),
    redeliver: async () => {
      adapter.forget(last);
      world.writeAgain();
      await adapter.dealtWith(last);
    },
    shown: (where = address) =>
      world
        .sentTo(where.chatId)
        .map(textOf)
        .filter((text) => text !== ""),
    answeredBy: (messageId) => {
      const sent = world.sent.find(({ id }) => id === messageId);
      const { stanzaId, participant } = (sent && contextIn(sent.message)) ?? {};
      const author = participant?.split("@")[0];
      return stanzaId && author ? messageIdOf({ id: stanzaId, author }) : null;
    },
    files: async (where = address) =>
      (await Promise.all(world.sentTo(where.chatId).map((sent) => world.filesOf(sent)))).flat(),
    typed: () => world.typed,
    marks: (messageId) =>
      world.marks.filter(({ id }) => id === messageRefOf(messageId)?.id).map(({ text }) => text),
    trouble: async (what) => {
      if (what !== "revoked token") return world.failNext(TROUBLES[what]);
      world.refusedLogin = "401";
      await world.end("401");
    },
    way: (fault) => world.play(fault),
    door: (fault) => world.faultAtDoor(fault),
    cut: () => world.cut(),
    asShown: formatText,
    dispose: () => world.close(),
  };
}

adapterContract("whatsapp, by Baileys", fixture);

describe("whatsapp, by Baileys", () => {
  let world: WhatsAppWeb;
  let adapter: KeptAdapter;
  let received: InboundMessage[];
  const told: unknown[] = [];
  const surroundings: KeptSetting = {
    memory: { read: async () => null, write: async () => {} },
    commands: [{ name: "status", description: "" }],
    tell: (state) => told.push(state),
  };
  const receive: Receive = async (message) => {
    received.push(message);
    return "accepted";
  };
  const until = (holds: () => boolean) => vi.waitUntil(holds, { interval: 5, timeout: 10_000 });
  const address = { platform: "whatsapp", chatId: ANN.number };
  const send = (text: string, deliveryId = "1") => adapter.send({ address, text, deliveryId });

  beforeEach(async () => {
    world = await WhatsAppWeb.open();
    adapter = new KeptAdapter(new BaileysAdapter(world.settings));
    received = [];
    told.length = 0;
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
  });

  describe("is not connected", () => {
    it("before this machine was linked, and says by which command it is", async () => {
      adapter = new KeptAdapter(
        new BaileysAdapter({ ...world.settings, folder: join(world.settings.folder, "other") }),
      );
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("baton gateway link whatsapp"),
      });
    });

    it.each([
      ["+15559999999", "WHATSAPP_NUMBER"],
      ["my phone", "WHATSAPP_NUMBER"],
    ])("with another number than it was linked with: %s", async (number, words) => {
      adapter = new KeptAdapter(new BaileysAdapter({ ...world.settings, number }));
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining(words),
      });
      expect(world.logins).toBe(0);
    });

    it.each([
      ["401", "permanent", "link whatsapp"],
      ["403", "permanent", "banned"],
      ["405", "permanent", "update"],
      ["503", "retryable", "ended"],
    ])("where WhatsApp refuses the login: %s", async (reason, outcome, words) => {
      world.refusedLogin = reason;
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
        outcome,
        message: expect.stringContaining(words),
      });
    });

    it("where nobody is there", async () => {
      adapter = new KeptAdapter(new BaileysAdapter({ ...world.settings, baseUrl: "http://127.0.0.1:1/ws" }));
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({ outcome: "retryable" });
    });

    it("with credentials that are damaged, which are left as they are", async () => {
      const file = join(world.settings.folder, "credentials.json");
      await writeFile(file, '{"noiseKey":');
      await expect(adapter.connect(receive, surroundings)).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("damaged"),
      });
      expect(await readFile(file, "utf8")).toBe('{"noiseKey":');
    });
  });

  describe("once WhatsApp ends the connection", () => {
    beforeEach(() => adapter.connect(receive, surroundings));

    it("is back at once where WhatsApp asks for it, and says nothing of it", async () => {
      await world.end("515");
      await until(() => world.logins === 2);
      await until(() => adapter.speaker !== null);
      expect(told).toEqual([]);
      await send("still here");
      expect(world.sent.map(textOf)).toEqual(["still here"]);
    });

    it.each([
      ["401", "link whatsapp"],
      ["440", "another program"],
    ])("does not come back where somebody has to mend it: %s", async (code, words) => {
      await world.end(code);
      await until(() => told.length > 0);
      expect(told).toEqual([{ failed: expect.stringContaining(words) }]);
      await expect(send("no")).rejects.toMatchObject({ outcome: "retryable" });
      expect(world.logins).toBe(1);
    });

    it("comes back from anything else, and says both", async () => {
      await world.end("500");
      await until(() => told.length > 1);
      expect(told).toEqual([{ lost: expect.stringContaining("ended") }, "connected"]);
    });
  });

  describe("receives", () => {
    it("a text that crabline delivers", async () => {
      await adapter.connect(receive, surroundings);
      const id = await world.writePlain("by way of crabline");
      await until(() => received.length > 0);
      expect(received[0]).toMatchObject({
        kind: "message",
        messageId: `${id}.${ANN.number}`,
        text: "by way of crabline",
        source: { chatId: ANN.number, chatType: "dm", userName: "Ann" },
      });
    });

    it("a person under one key, by whichever id WhatsApp names them", async () => {
      await adapter.connect(receive, surroundings);
      const lid = `${ANN.lid}@lid`;
      world.write({ conversation: "by number, LID beside it" });
      world.write(
        { conversation: "by LID, number beside it" },
        { attrs: { from: lid, sender_pn: `${ANN.number}@s.whatsapp.net`, sender_lid: "" } },
      );
      await until(() => received.length === 2);
      world.write(
        { conversation: "by LID alone, known from before" },
        { attrs: { from: lid, sender_lid: "" } },
      );
      await until(() => received.length === 3);
      const keys = received.map(({ source }) => buildSessionKey(source));
      expect(new Set(keys)).toEqual(new Set([`agent:main:whatsapp:dm:${ANN.number}`]));
      expect(new Set(received.map(({ source }) => identityOf(source)))).toEqual(
        new Set([`whatsapp:${ANN.number}`]),
      );
    });

    it("what waited while nobody was connected, unless it is older than a day", async () => {
      const old = `${Math.floor(Date.now() / 1_000) - 25 * 60 * 60}`;
      world.write({ conversation: "long ago" }, { attrs: { t: old } });
      world.write({ conversation: "just before" });
      await adapter.connect(receive, surroundings);
      await until(() => received.length > 0);
      world.write({ conversation: "now" });
      await until(() => received.length > 1);
      await until(() => world.receipts.length > 2); // The old one's, too: it is not to come again.
      expect(received.map(({ text }) => text)).toEqual(["just before", "now"]);
      expect(world.receipts).toHaveLength(3);
    });

    it("nothing of our own, of somebody's status, or of a channel", async () => {
      await adapter.connect(receive, surroundings);
      const us = `${NUMBER}@s.whatsapp.net`;
      for (const attrs of <Record<string, string>[]>[
        { from: us, recipient: `${ANN.number}@s.whatsapp.net` },
        { from: "status@broadcast", participant: `${ANN.number}@s.whatsapp.net` },
        { from: GROUP, participant: OUR_LID },
        { from: "120363000000000009@newsletter" },
      ])
        world.write({ conversation: "not for us" }, { attrs: { sender_lid: "", ...attrs } });
      world.write({ conversation: "after" });
      await until(() => received.length > 0);
      expect(received.map(({ text }) => text)).toEqual(["after"]);
    });

    it("a message that could not be kept until it was, in order", async () => {
      let failures = 0;
      await adapter.connect(async (message) => {
        if (failures-- > 0) throw new Error("no room");
        return receive(message);
      }, surroundings);
      world.write({ conversation: "hello" });
      await until(() => received.length === 1); // Baileys may swap the first messages of somebody new.
      failures = 2;
      world.write({ conversation: "one" });
      world.write({ conversation: "two" });
      await until(() => received.length === 3);
      expect(received.map(({ text }) => text)).toEqual(["hello", "one", "two"]);
    });

    it("a file only from where it may lie, and only as it was sealed", async () => {
      await adapter.connect(receive, surroundings);
      const bytes = new Uint8Array([1, 2, 3]);
      const media = await world.keepFile("image", { name: "", mediaType: "image/png", bytes });
      const broken = await world.keepFile("image", { name: "", mediaType: "image/png", bytes });
      const sealed = world.files.get(broken.directPath) ?? new Uint8Array();
      sealed[0] = (sealed[0] ?? 0) ^ 1; // Whatever it was, it is another byte.
      const elsewhere = { directPath: "//169.254.169.254/latest", url: "http://169.254.169.254/latest" };
      const changes = [{}, elsewhere, { directPath: broken.directPath, mediaKey: broken.mediaKey }];
      for (const [n, changed] of changes.entries()) {
        world.write({ imageMessage: { ...media, ...changed } });
        await until(() => received.length === n + 1); // Baileys may swap the first messages of somebody new.
      }
      const [good, foreign, forged] = received.map(({ files }) => files?.[0]);
      expect(await good?.read(3, new AbortController().signal)).toEqual(Buffer.from(bytes));
      await expect(good?.read(2, new AbortController().signal)).rejects.toThrow("larger");
      await expect(foreign?.read(100, new AbortController().signal)).rejects.toThrow("not WhatsApp's");
      await expect(forged?.read(100, new AbortController().signal)).rejects.toThrow("not what was sent");
    });

    it("nobody's change of what another wrote", async () => {
      await adapter.connect(receive, surroundings);
      const id = world.write({ conversation: "by Ann" }, { group: GROUP });
      await until(() => received.length === 1);
      const change = { type: 14, key: { id, fromMe: true }, editedMessage: { conversation: "by Bob" } };
      world.write({ protocolMessage: change }, { group: GROUP, from: BOB });
      await until(() => received.length === 2);
      expect(received[1]?.kind).toBe("edit");
      expect(received[1]?.messageId).not.toBe(received[0]?.messageId);
    });
  });

  describe("sends", () => {
    beforeEach(() => adapter.connect(receive, surroundings));

    it("a delivery under the same id each time, in whichever process", async () => {
      world.failNext("silent");
      await expect(send("once", "d1")).rejects.toMatchObject({ outcome: "unknown" });
      await adapter.disconnect();
      adapter = new KeptAdapter(new BaileysAdapter(world.settings));
      await adapter.connect(receive, surroundings);
      expect(await send("once", "d1")).toEqual({ messageId: ourId(NUMBER, "d1") });
      expect(world.sent.map(({ id }) => id)).toEqual([ourId(NUMBER, "d1")]);
    });

    it("and does not know where the line is cut before it is acknowledged", async () => {
      world.failNext("silent");
      const sending = send("lost?");
      sending.catch(() => {});
      await until(() => world.sent.length === 1);
      world.cut();
      await expect(sending).rejects.toMatchObject({ outcome: "unknown" });
    });

    it("nothing to nobody: where a person's devices are not told, it is tried again", async () => {
      await adapter.disconnect();
      adapter = new KeptAdapter(new BaileysAdapter({ ...world.settings, timeoutMs: 500 }));
      await adapter.connect(receive, surroundings);
      world.isMute = true;
      await expect(send("to whom?")).rejects.toMatchObject({ outcome: "retryable" });
      expect(world.sent).toEqual([]);
      world.isMute = false;
      await adapter.disconnect();
      adapter = new KeptAdapter(new BaileysAdapter(world.settings));
      await adapter.connect(receive, surroundings);
      await send("to whom?");
      expect(world.sent.map(textOf)).toEqual(["to whom?"]);
    });

    it("no preview: no address in a text is looked at", async () => {
      const looked = vi.spyOn(globalThis, "fetch");
      await send("see https://example.com/private");
      expect(looked).not.toHaveBeenCalled();
      looked.mockRestore();
      expect(world.sent[0]?.message.extendedTextMessage?.matchedText).toBeFalsy();
    });

    it("nothing to what is no chat of WhatsApp's", async () => {
      for (const chatId of ["", "ann", "1@g.us.evil", "status@broadcast", "12345@newsletter"])
        await expect(
          adapter.send({ address: { platform: "whatsapp", chatId }, text: "hi", deliveryId: "1" }),
        ).rejects.toMatchObject({ outcome: "permanent" });
    });

    it("no edit that every app would drop", async () => {
      const { messageId } = await send("one");
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60 * 1_000 });
      await expect(adapter.edit({ address, text: "two", deliveryId: "1" }, messageId)).rejects.toMatchObject({
        outcome: "permanent",
      });
      vi.useRealTimers();
    });
  });

  it("keeps its credentials to the owner, and whole", async () => {
    await adapter.connect(receive, surroundings);
    await send("a session is made");
    await adapter.disconnect();
    const { folder } = world.settings;
    const names = await readdir(folder);
    expect(names).toContain("credentials.json");
    expect(names.some((name) => name.startsWith("session-"))).toBe(true);
    for (const name of names) {
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
      JSON.parse(await readFile(join(folder, name), "utf8"));
    }
  });
});
