/**
 * What every adapter must do, as a vitest suite over the rules of the port. An adapter of a real platform is given a
 * server that plays it: `adapterContract("my adapter", () => myFixture())`. The suite's texts are single lines.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Adapter,
  type InboundMessage,
  type OutboundMessage,
  SendError,
  type Surroundings,
} from "../adapter/adapter.js";
import { platforms } from "../session/platform.js";
import type { Address } from "../session/source.js";

/** What somebody writes, and where. */
export interface Written {
  readonly text: string;
  /** In the chat of two, unless told. */
  readonly in?: "dm" | "group" | "thread";
  /** Who writes: the usual person unless told. */
  readonly from?: string;
  /** In a group: it names the bot. */
  readonly mentions?: boolean;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string;
  readonly files?: readonly {
    readonly name: string;
    readonly mediaType: string;
    readonly bytes: Uint8Array;
  }[];
  readonly isBot?: boolean;
}

/** What the platform does to the next call that sends. `swallowed`: it takes the message and does not answer. */
export type Trouble = "rate limited" | "server error" | "refused" | "swallowed" | "revoked token";

/**
 * An adapter that is not connected yet, and both ends of its platform. What a platform does not have, or its server
 * cannot play, is left out: those cases are skipped, with that reason.
 */
export interface AdapterFixture {
  readonly adapter: Adapter;
  /** A chat of two that can be sent to. */
  readonly address: Address;
  readonly group?: Address;
  /** Another adapter for the same account, as the next process makes it; the first one is not used any more. */
  again?(): Adapter;
  /** Somebody writes. Settles when the platform was told that it arrived, or that it did not. */
  write(written: Written): Promise<{ readonly messageId: string }>;
  /** Whoever wrote it changes it. */
  amend?(messageId: string, text: string): Promise<unknown>;
  /** The platform delivers the last message again; left out where it never does. */
  redeliver?(): Promise<unknown>;
  /** What a chat shows of what was sent to it, oldest first; the chat of two unless told. */
  shown(address?: Address): readonly string[] | Promise<readonly string[]>;
  /** The files that were sent there. */
  files?(address?: Address): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]>;
  /** How often the chat was shown that somebody types. */
  typed?(): number | Promise<number>;
  /** The marks on a message of a person's. */
  marks?(messageId: string): readonly string[] | Promise<readonly string[]>;
  trouble?(what: Trouble): void | Promise<void>;
  /** The line is cut, and can be had again at once. */
  cut?(): void | Promise<void>;
  /** What the platform makes of a text; unchanged where it takes all of them as they are. */
  asShown?(text: string): string;
  dispose?(): Promise<void>;
}

/** An account that remembers for as long as the test runs. */
function surroundings(): Surroundings {
  const remembered = new Map<string, string>();
  return {
    memory: {
      read: async (name) => remembered.get(name) ?? null,
      write: async (name, value) => void remembered.set(name, value),
    },
    commands: [],
    tell: () => {},
  };
}

const HOSTILE = [
  "\u001b]0;title\u0007 and \u001b[2J and \u009b31m",
  "<b>bold</b> &amp; <script>alert(1)</script>",
  "*a* _b_ `c` [d](http://example.com) ~e~ ||f||",
  "@everyone @here <@123> <!channel> /stop",
  '"quoted", \\escaped\\, {"json": true}, $(sh) %s %00',
  "אב \u202egnp.exe\u202c 👩‍👩‍👧 e\u0301",
];

export function adapterContract(name: string, createFixture: () => Promise<AdapterFixture>): void {
  describe(`adapter: ${name}`, () => {
    let fixture: AdapterFixture;
    let adapter: Adapter;
    let received: InboundMessage[];
    let deliveries = 0;

    beforeEach(async () => {
      fixture = await createFixture();
      adapter = fixture.adapter;
      received = [];
    });
    afterEach(async () => {
      await adapter.disconnect();
      await fixture.dispose?.();
    });

    const connect = () =>
      adapter.connect(async (message) => {
        received.push(message);
        return "accepted";
      }, surroundings());
    const outbound = (text: string): OutboundMessage => {
      deliveries += 1;
      return { address: fixture.address, text, deliveryId: `delivery-${deliveries}` };
    };
    const sendAll = async (texts: readonly string[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const text of texts) ids.push((await adapter.send(outbound(text))).messageId);
      return ids;
    };
    const expectShown = async (texts: readonly string[]): Promise<void> => {
      const { asShown = (text: string) => text } = fixture;
      expect(await fixture.shown()).toEqual(texts.map((text) => asShown(text)));
    };

    it("says what it is, and can do what it says", () => {
      const { platform, account, capabilities } = adapter;
      expect(platforms()).toContain(platform);
      expect(account).toMatch(/\S/);
      expect(Number.isSafeInteger(capabilities.maxText) && capabilities.maxText > 0).toBe(true);
      expect(["utf16", "bytes"]).toContain(capabilities.unit);
      expect(capabilities.edit).toBe(adapter.edit !== undefined);
      expect(capabilities.threads).toBe(adapter.createThread !== undefined);
    });

    describe("receives", () => {
      it("what is written, in order, and says from where", async () => {
        await connect();
        for (const text of ["one", "two", "three"]) await fixture.write({ text });
        expect(received.map(({ kind, text }) => [kind, text])).toEqual([
          ["message", "one"],
          ["message", "two"],
          ["message", "three"],
        ]);
        expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(3);
        for (const { source, messageId } of received) {
          expect(messageId).toMatch(/\S/);
          expect(source).toMatchObject({ platform: adapter.platform, chatId: fixture.address.chatId });
        }
      });

      it("before the platform is told", async () => {
        const order: string[] = [];
        let accept: () => void = () => {};
        const mayReturn = new Promise<void>((resolve) => {
          accept = resolve;
        });
        let arrive: () => void = () => {};
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        await adapter.connect(async () => {
          arrive();
          await mayReturn;
          order.push("kept");
          return "accepted";
        }, surroundings());
        const told = fixture.write({ text: "hello" }).then(() => order.push("told"));
        await arrived;
        await new Promise((resolve) => setImmediate(resolve));
        expect(order).toEqual([]);
        accept();
        await told;
        expect(order).toEqual(["kept", "told"]);
      });

      it("a redelivery under the same id", async ({ skip }) => {
        if (!fixture.redeliver) return skip("The platform delivers once.");
        await connect();
        await fixture.write({ text: "again" });
        await fixture.redeliver();
        expect(received).toHaveLength(2);
        expect(received[1]).toEqual(received[0]);
      });

      it("nothing any more once it was disconnected, however often", async () => {
        await connect();
        await fixture.write({ text: "in time" });
        await adapter.disconnect();
        await adapter.disconnect();
        await fixture.write({ text: "too late" }).catch(() => {});
        expect(received.map(({ text }) => text)).toEqual(["in time"]);
      });
    });

    describe("sends", () => {
      beforeEach(connect);

      it("in order, and says under which ids", async () => {
        const ids = await sendAll(["one", "two", "three"]);
        expect(new Set(ids).size).toBe(3);
        for (const id of ids) expect(id).toMatch(/\S/);
        await expectShown(["one", "two", "three"]);
      });

      it.each(HOSTILE)("%j as the platform wants it", async (text) => {
        await sendAll([text]);
        await expectShown([text]);
      });

      it("a text of the greatest length", async () => {
        const text = "x".repeat(adapter.capabilities.maxText);
        await sendAll([text]);
        await expectShown([text]);
      });

      it("nothing once it was disconnected, and says so", async () => {
        await adapter.disconnect();
        await expect(adapter.send(outbound("too late"))).rejects.toBeInstanceOf(SendError);
        await expectShown([]);
      });
    });

    describe("edits", () => {
      beforeEach(connect);

      it("a message in its place", async ({ skip }) => {
        if (!adapter.edit) return skip("The platform cannot edit.");
        const [, second = ""] = await sendAll(["one", "two", "three"]);
        await adapter.edit(outbound("two, or so"), second);
        await expectShown(["one", "two, or so", "three"]);
        for (const text of HOSTILE) await adapter.edit(outbound(text), second);
        await expectShown(["one", HOSTILE.at(-1) ?? "", "three"]);
      });

      it("nothing that is not there, nor once it was disconnected", async ({ skip }) => {
        if (!adapter.edit) return skip("The platform cannot edit.");
        const [id = ""] = await sendAll(["one"]);
        await expect(adapter.edit(outbound("two"), `${id}0`)).rejects.toBeInstanceOf(SendError);
        await adapter.disconnect();
        await expect(adapter.edit(outbound("two"), id)).rejects.toBeInstanceOf(SendError);
        await expectShown(["one"]);
      });
    });
  });
}
