import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ANN, json, sign, VERIFY_TOKEN, WhatsAppWorld } from "../../../test/support/whatsapp-world.js";
import type { AdapterFixture, DoorFault, Fault, Trouble, Written } from "../../testing/adapter/fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { KeptAdapter } from "../../testing/kept-adapter.js";
import type { InboundMessage, Line, Receive } from "../adapter.js";
import { WhatsAppAdapter } from "./adapter.js";
import { formatText } from "./format.js";

const TROUBLES: Readonly<
  Record<Exclude<Trouble, "revoked token">, Parameters<WhatsAppWorld["failNext"]>[0]>
> = {
  "rate limited": json(429, { error: { code: 130429, message: "(#130429) Rate limit hit" } }),
  "server error": json(500, { error: { code: 131000, message: "Something went wrong" } }),
  refused: json(400, { error: { code: 131026, message: "Message undeliverable" } }),
  swallowed: "swallow",
};

/** Tells the world where its webhook is. */
class Reachable extends WhatsAppAdapter {
  readonly #world: WhatsAppWorld;

  constructor(world: WhatsAppWorld) {
    super(world.settings);
    this.#world = world;
  }

  override serve(line: Line): Promise<void> {
    const up: Line["up"] = (speaker) => {
      line.up(speaker);
      this.#world.port = this.port;
      void this.#world.deliverMissed();
    };
    return super.serve({ ...line, up });
  }
}

async function fixture(): Promise<AdapterFixture> {
  const world = await WhatsAppWorld.open();
  const address = { platform: "whatsapp", chatId: ANN };
  const people = ["15551234567", "15557654321", "15550001111"];
  const names: string[] = [];
  const numberOf = (name = "ann"): string => {
    if (name !== "ann" && !names.includes(name)) names.push(name);
    return people[names.indexOf(name) + 1] ?? ANN;
  };
  const fixture = {
    adapter: new Reachable(world),
    address,
    nowhere: { platform: "whatsapp", chatId: "1203630000@g.us" },
    again: () => new Reachable(world),
    write: async ({ text, from, replyTo, files = [], ...more }: Written & { readonly name?: string }) => {
      const name = more.name ?? "Ann";
      const [file] = files;
      if (!file) {
        const context = replyTo ? { context: replyTo } : {};
        return { messageId: await world.write(text, { from: numberOf(from), name, ...context }) };
      }
      const id = `${world.media.size + 1}00`;
      world.media.set(id, { ...file, bytes: Buffer.from(file.bytes) });
      const media = {
        id,
        mime_type: file.mediaType,
        filename: file.name,
        ...(text ? { caption: text } : {}),
      };
      return { messageId: await world.writeMessage({ type: "document", document: media }) };
    },
    press: (messageId: string, label: string) => {
      const { interactive } = (world.sent.find(({ id }) => id === messageId)?.body ?? {}) as {
        interactive?: { action: { buttons: { reply: { id: string; title: string } }[] } };
      };
      const pressed = interactive?.action.buttons.find(({ reply }) => reply.title === label);
      return world.writeMessage({
        type: "interactive",
        context: { id: messageId },
        interactive: { type: "button_reply", button_reply: pressed?.reply },
      });
    },
    react: (message_id: string, emoji: string) =>
      world.writeMessage({ type: "reaction", reaction: { message_id, emoji } }),
    takeOff: (message_id: string) =>
      world.writeMessage({ type: "reaction", reaction: { message_id, emoji: "" } }),
    redeliver: () => world.deliver(),
    isAcknowledged: (messageId: string) => world.acknowledged.has(messageId),
    shown: (where = address) =>
      world.sent
        .filter(({ body }) => body.to === where.chatId)
        .flatMap(({ body }) => {
          const content = body[String(body.type)] as { body?: string | { text: string }; caption?: string };
          return (
            (typeof content.body === "object" ? content.body.text : content.body) ?? content.caption ?? []
          );
        }),
    answeredBy: (messageId: string) => {
      const sent = world.sent.find(({ id }) => id === messageId);
      return (sent?.body.context as { message_id: string } | undefined)?.message_id ?? null;
    },
    files: async () =>
      world.sent.flatMap(({ body }) => {
        const { id = "", voice } = body[String(body.type)] as { id?: string; voice?: boolean };
        const file = world.media.get(id);
        return file ? [{ name: file.name, bytes: new Uint8Array(file.bytes), voice: voice ?? false }] : [];
      }),
    marks: (messageId: string) =>
      world.reactions.filter(({ message_id }) => message_id === messageId).map(({ emoji }) => String(emoji)),
    trouble: (what: Trouble) => {
      if (what === "revoked token") world.isRevoked = true;
      else world.failNext(TROUBLES[what]);
    },
    way: (fault: Fault) => world.between.faults.play(fault),
    door: (fault: DoorFault) => world.between.faults.door(fault),
    asShown: formatText,
    dispose: () => world.close(),
  };
  return fixture;
}

adapterContract("whatsapp", fixture);

describe("whatsapp", () => {
  let world: WhatsAppWorld;
  let adapter: KeptAdapter<WhatsAppAdapter>;
  let received: InboundMessage[];
  const address = { platform: "whatsapp", chatId: ANN };
  const receive: Receive = async (message) => {
    received.push(message);
    return "accepted";
  };
  const connect = async (how: Receive = receive): Promise<void> => {
    await adapter.connect(how);
    world.port = adapter.adapter.port;
  };

  beforeEach(async () => {
    world = await WhatsAppWorld.open();
    adapter = new KeptAdapter(new WhatsAppAdapter(world.settings));
    received = [];
  });
  afterEach(async () => {
    await adapter.disconnect();
    await world.close();
  });

  it("sends a text that is too long for buttons without them", async () => {
    await connect();
    const buttons = [{ label: "Deny", command: "/deny 1503" }];
    for (const text of ["x".repeat(1_024), "x".repeat(1_025)])
      await adapter.send({ address, text, deliveryId: `d${text.length}`, buttons });
    expect(world.sent.map(({ body }) => body.type)).toEqual(["interactive", "text"]);
    expect(world.sent[0]?.body.interactive).toMatchObject({
      type: "button",
      action: { buttons: [{ type: "reply", reply: { id: "baton /deny 1503", title: "Deny" } }] },
    });
  });

  describe("its webhook", () => {
    const verify = async (query: Record<string, string>) => {
      const response = await fetch(`${world.webhookUrl}?${new URLSearchParams(query)}`);
      return [response.status, await response.text()];
    };

    it("gives the challenge back to whoever knows the token, and to nobody else", async () => {
      await connect();
      const asked = {
        "hub.mode": "subscribe",
        "hub.challenge": "1158201444",
        "hub.verify_token": VERIFY_TOKEN,
      };
      expect(await verify(asked)).toEqual([200, "1158201444"]);
      for (const wrong of [
        { "hub.verify_token": "" },
        { "hub.verify_token": `${VERIFY_TOKEN}x` },
        { "hub.mode": "unsubscribe" },
        { "hub.challenge": "<script>" },
      ])
        expect(await verify({ ...asked, ...wrong })).toEqual([403, ""]);
    });

    it("opens to nobody where the token is not set", async () => {
      adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, verifyToken: () => "" }));
      await connect();
      expect(await verify({ "hub.mode": "subscribe", "hub.challenge": "1", "hub.verify_token": "" })).toEqual(
        [403, ""],
      );
    });

    it("takes nothing that is not signed with the secret", async () => {
      await connect();
      await world.write("signed");
      for (const signature of [null, "", "sha256=", sign("{}"), sign("{}", "another"), "sha1=abc"])
        expect(await world.deliver(signature)).toBe(401);
      expect(received.map(({ text }) => text)).toEqual(["signed"]);
    });

    it("does not listen where there is no secret to check with", async () => {
      adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, appSecret: () => "" }));
      await expect(connect()).rejects.toMatchObject({
        outcome: "permanent",
        message: expect.stringContaining("WHATSAPP_APP_SECRET"),
      });
    });

    it("takes nothing that is signed with an empty secret, whatever becomes of the secret", async () => {
      let { appSecret } = world.settings;
      adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, appSecret: () => appSecret() }));
      await connect();
      const body = "{}";
      const post = (signature: string) =>
        fetch(world.webhookUrl, { method: "POST", headers: { "x-hub-signature-256": signature }, body });
      expect((await post(sign(body))).status).toBe(200);
      appSecret = () => "";
      expect((await post(sign(body, ""))).status).toBe(401);
    });

    it("says no to what is too long, and goes on", async () => {
      await connect();
      const body = JSON.stringify({ long: "x".repeat(1024 * 1024) });
      const headers = { "x-hub-signature-256": sign(body) };
      const status = await fetch(world.webhookUrl, { method: "POST", headers, body }).then(
        (response) => response.status,
        () => "cut off",
      );
      expect([413, "cut off"]).toContain(status);
      await world.write("after");
      expect(received.map(({ text }) => text)).toEqual(["after"]);
    });

    it("has one path, and two methods", async () => {
      await connect();
      const { port } = adapter.adapter;
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
      expect((await fetch(world.webhookUrl, { method: "PUT" })).status).toBe(405);
    });

    it("takes what is signed but no JSON, and what is not for us, without a word", async () => {
      await connect();
      for (const body of ["not json", "[]", "null", '{"entry":[{"changes":[{"value":1}]}]}']) {
        const headers = { "x-hub-signature-256": sign(body) };
        expect((await fetch(world.webhookUrl, { method: "POST", headers, body })).status).toBe(200);
      }
      expect(received).toEqual([]);
    });

    it("has Meta post all of it again where one message was not received", async () => {
      let full = true;
      await connect(async (message) => {
        if (full && message.text === "two") throw new Error("no room");
        return receive(message);
      });
      const value = (text: string) => ({
        from: ANN,
        id: `wamid.${text}`,
        type: "text",
        text: { body: text },
      });
      const metadata = { phone_number_id: adapter.account };
      const messages = [value("one"), value("two"), value("three")];
      const changes = [{ field: "messages", value: { metadata, messages } }];
      await world.post({ object: "whatsapp_business_account", entry: [{ changes }] }, "wamid.two");
      expect(world.acknowledged.has("wamid.two")).toBe(false);
      full = false;
      expect(await world.deliver()).toBe(200);
      expect(received.map(({ text }) => text)).toEqual(["one", "one", "two", "three"]);
    });

    it("says which setting to mend where the port is taken", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await vi.waitUntil(() => other.listening, { timeout: 20_000 });
      const { port } = other.address() as AddressInfo;
      adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, webhook: { port } }));
      await expect(connect()).rejects.toMatchObject({
        outcome: "retryable",
        message: expect.stringContaining("WHATSAPP_WEBHOOK_PORT"),
      });
      other.close();
    });
  });

  it("names the token where Meta does not take it", async () => {
    adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, accessToken: () => "wrong" }));
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("WHATSAPP_ACCESS_TOKEN"),
    });
  });

  it("names the number where Meta does not know it", async () => {
    adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, phoneNumberId: "15550000000" }));
    await expect(connect()).rejects.toMatchObject({
      outcome: "permanent",
      message: expect.stringContaining("WHATSAPP_PHONE_NUMBER_ID"),
    });
  });

  it("takes a proxy's page for no word of Meta's", async () => {
    vi.spyOn(world, "answer").mockReturnValue({ status: 404, body: "<html>Not found</html>" });
    await expect(connect()).rejects.toMatchObject({
      outcome: "retryable",
      message: expect.stringMatching(/^A web page answered instead of Meta \(status 404\)\./),
    });
  });

  it("sends an answer as a message of its own where Meta does not take what it answers", async () => {
    await connect();
    world.failNext(json(400, { error: { code: 131009, message: "Parameter value is not valid" } }));
    await adapter.send({ address, text: "noon", deliveryId: "d1", replyTo: "wamid.gone" });
    expect(world.sent.map(({ body }) => body.context)).toEqual([undefined]);
  });

  it("can wait for Meta to be reached", async () => {
    adapter = new KeptAdapter(new WhatsAppAdapter({ ...world.settings, baseUrl: "http://127.0.0.1:1" }));
    await expect(connect()).rejects.toMatchObject({ outcome: "retryable" });
  });

  it("sends text without a preview, as an answer", async () => {
    await connect();
    await adapter.send({ address, text: "**hi**", deliveryId: "d1", replyTo: "wamid.1" });
    expect(world.sent[0]?.body).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: ANN,
      type: "text",
      text: { body: "*hi*", preview_url: false },
      context: { message_id: "wamid.1" },
      biz_opaque_callback_data: "d1",
    });
  });

  it("knows what somebody answers, if it was said in that chat while this process ran", async () => {
    await connect();
    world.media.set("77", { name: "a", mediaType: "image/png", bytes: Buffer.from("abc") });
    const picture = await world.writeMessage({ type: "image", image: { id: "77", mime_type: "image/png" } });
    const { messageId: ours } = await adapter.send({ address, text: "Shall I?", deliveryId: "d1" });
    await world.write("this one", { context: picture });
    await world.write("yes", { context: ours });
    await world.write("what?", { context: picture, from: "15557654321", name: "Eve" });
    const [, first, second, third] = received;
    expect(first?.replyTo).toMatchObject({
      messageId: picture,
      from: "Ann",
      files: [{ mediaType: "image/png" }],
    });
    expect(second?.replyTo).toEqual({ messageId: ours, text: "Shall I?" });
    expect(third?.replyTo).toMatchObject({ messageId: picture, parts: [{ kind: "unsupported" }] });
    expect(third?.replyTo).not.toHaveProperty("files");
  });

  it("quotes nothing that was deleted", async () => {
    await connect();
    const original_message_id = await world.write("a secret");
    await world.writeMessage({ type: "revoke", revoke: { original_message_id } });
    await world.write("this one", { context: original_message_id });
    expect(received[1]).toMatchObject({ kind: "deletion", messageId: original_message_id });
    expect(received[2]?.replyTo?.text).toBeUndefined();
  });

  it("writes to somebody whose number is hidden by their id", async () => {
    await connect();
    const hidden = { platform: "whatsapp", chatId: "US.13491208655302741918" };
    await adapter.send({ address: hidden, text: "hi", deliveryId: "d1" });
    expect(world.sent[0]?.body).toMatchObject({ recipient: hidden.chatId, text: { body: "hi" } });
    expect(world.sent[0]?.body).not.toHaveProperty("to");
    expect(await adapter.place(hidden)).toEqual({ ...hidden, chatType: "dm", userId: hidden.chatId });
  });

  it.each([
    [json(400, { error: { code: 131047, message: "Re-engagement message" } }), "permanent", "24 hours"],
    [json(400, { error: { code: 131056, message: "too many" } }), "retryable", "wait"],
    [json(400, { error: { code: 4, message: "too many" } }), "retryable", "wait"],
    [json(403, { error: { code: 10, message: "no" } }), "permanent", "WHATSAPP_ACCESS_TOKEN"],
    [json(400, { error: { code: 100, message: "Invalid parameter" } }), "permanent", "Invalid parameter"],
    [json(503, {}), "unknown", "503"],
    [json(200, {}), "unknown", "did not say"],
  ] as const)("knows what Meta's answers mean: %j", async (answer, outcome, words) => {
    await connect();
    world.failNext(answer);
    await expect(adapter.send({ address, text: "hi", deliveryId: "1" })).rejects.toMatchObject({
      outcome,
      message: expect.stringContaining(words),
    });
  });

  it("knows by the webhook that a message arrived which nobody answered for", async () => {
    await connect();
    world.tells = true;
    world.failNext("swallow");
    const message = { address, text: "hi", deliveryId: "d7" };
    const { messageId } = await adapter.send(message);
    expect(world.sent.map(({ id }) => id)).toEqual([messageId]);
    expect(await adapter.find(message)).toEqual({ messageId });
    expect(await adapter.find({ ...message, deliveryId: "d8" })).toBeNull();
  });

  it("shows that it types in answer to the last message, which is read by it", async () => {
    await connect();
    await adapter.typing(address); // Nobody wrote yet.
    await world.write("one");
    const message_id = await world.write("two");
    await adapter.typing(address);
    expect(world.signs).toEqual([
      { messaging_product: "whatsapp", status: "read", message_id, typing_indicator: { type: "text" } },
    ]);
  });

  it("takes word of a failure for no sighting", async () => {
    await connect();
    await world.tell({ id: "wamid.9", status: "failed", biz_opaque_callback_data: "d9" });
    expect(await adapter.find({ address, text: "hi", deliveryId: "d9" })).toBeNull();
  });

  it("says of a message that was taken and did not arrive why, and goes on", async () => {
    const problems: string[] = [];
    await adapter.connect(async () => "accepted", { problem: (sentence) => problems.push(sentence) });
    world.port = adapter.adapter.port;
    const errors = [{ code: 131026, title: "Message undeliverable" }];
    await world.tell({ id: "wamid.9", status: "failed", recipient_id: ANN, errors });
    await world.tell({ id: "wamid.8", status: "failed", errors: "?".repeat(9) });
    expect(problems).toEqual([
      `a message to ${ANN} was taken and then not delivered: Message undeliverable`,
      "a message to somebody was taken and then not delivered: Meta does not say why.",
    ]);
    expect(await world.deliver()).toBe(200);
  });

  it("shows the token to no other host", async () => {
    await connect();
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.end("x");
    }).listen(0, "127.0.0.1");
    await vi.waitUntil(() => other.listening, { timeout: 20_000 });
    world.mediaRoot = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    world.media.set("77", { name: "a", mediaType: "image/png", bytes: Buffer.from("abc") });
    await world.writeMessage({ type: "image", image: { id: "77", mime_type: "image/png" } });
    await expect(received[0]?.files?.[0]?.read(100, new AbortController().signal)).rejects.toThrow(
      "not its own",
    );
    expect(seen).toEqual([]);
    other.close();
    world.mediaRoot = null;
    expect(await received[0]?.files?.[0]?.read(3, new AbortController().signal)).toEqual(Buffer.from("abc"));
    await expect(received[0]?.files?.[0]?.read(2, new AbortController().signal)).rejects.toThrow("larger");
  });

  it("keeps the port to this machine", async () => {
    await connect();
    const outside = Object.values((await import("node:os")).networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === "IPv4");
    if (!outside) return;
    await expect(fetch(`http://${outside.address}:${adapter.adapter.port}/whatsapp`)).rejects.toThrow();
  });

  it("tells of a chat with any number, in whichever way it is written, but our own", async () => {
    await connect();
    const place = (chatId: string, threadId?: string) =>
      adapter.place({ platform: "whatsapp", chatId, ...(threadId === undefined ? {} : { threadId }) });
    const chat = { ...address, chatType: "dm", userId: ANN };
    for (const chatId of [ANN, `+${ANN}`, `${ANN}@s.whatsapp.net`]) expect(await place(chatId)).toEqual(chat);
    expect(await place("+15550000000")).toBeNull();
    expect(await place(ANN, "1")).toBeNull();
    await expect(place("120363@g.us")).rejects.toMatchObject({ outcome: "permanent" });
  });
});
