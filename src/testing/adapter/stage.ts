/** What a case of the adapter's contract stands on: a fresh fixture, what came in, and the usual moves. */
import { afterEach, beforeEach, expect, vi } from "vitest";
import {
  fitsInto,
  type InboundMessage,
  type Letter,
  lengthIn,
  type Receive,
  type Speaker,
} from "../../adapter/adapter.js";
import type { PieceRoom } from "../../delivery/split.js";
import type { Address } from "../../session/source.js";
import { KeptAdapter, type LineNews, memoryOf } from "../kept-adapter.js";
import type { AdapterFixture, Trouble, Unplayable, Written } from "./fixture.js";

const PATIENCE_MS = 10_000;

/** A text of each kind that has broken a platform, a shell or a screen. */
export const HOSTILE = [
  "\u001b]0;title\u0007 and \u001b[2J and \u009b31m",
  "<b>bold</b> &amp; <script>alert(1)</script>",
  "*a* _b_ `c` [d](http://example.com) ~e~ ||f||",
  "@everyone @here <@123> <!channel> /stop",
  '"quoted", \\escaped\\, {"json": true}, $(sh) %s %00',
  "אב \u202egnp.exe\u202c 👩‍👩‍👧 e\u0301",
];

export class Stage {
  received: InboundMessage[] = [];
  /** What the adapter said of its connection. */
  told: LineNews[] = [];
  adapter!: KeptAdapter;
  fixture!: AdapterFixture;
  /** What the account remembers: it outlives an adapter. */
  #remembered = new Map<string, string>();
  #deliveries = 0;

  constructor(createFixture: () => Promise<AdapterFixture>) {
    beforeEach(async () => {
      this.fixture = await createFixture();
      this.adapter = new KeptAdapter(this.fixture.adapter);
      this.received = [];
      this.told = [];
      this.#remembered = new Map();
    });
    afterEach(async () => {
      await this.adapter.disconnect();
      await this.fixture.dispose?.();
    });
  }

  /** Connects; what comes in is kept and accepted, unless told. */
  readonly connect = async (receive?: Receive): Promise<void> => {
    const accept: Receive = async (message) => {
      this.received.push(message);
      return "accepted";
    };
    await this.adapter.connect(typeof receive === "function" ? receive : accept, {
      memory: memoryOf(this.#remembered),
      commands: [
        { name: "new", description: "start a new session" },
        { name: "status", description: 'show <b>the</b> session & "all"' },
      ],
      reactions: true,
      tell: (told) => void this.told.push(told),
    });
  };

  /** The process ends, and the next one is about to connect. */
  async nextProcess(): Promise<void> {
    await this.adapter.disconnect();
    this.adapter = new KeptAdapter(this.fixture.again?.() ?? this.fixture.adapter);
  }

  /** What the platform is spoken by, once it is connected. */
  get speaker(): Speaker {
    if (!this.adapter.speaker) throw new Error("There is no line.");
    return this.adapter.speaker;
  }

  /** Somebody writes, and it is here. */
  async hear(written: Written): Promise<InboundMessage> {
    const before = this.received.length;
    await this.fixture.write(written);
    await this.until(() => this.received.length > before);
    return this.received[before] as InboundMessage;
  }

  outbound(text: string, more: Partial<Letter> = {}): Letter {
    this.#deliveries += 1;
    return {
      address: this.fixture.address,
      text,
      deliveryId: `delivery-${process.pid}-${this.#deliveries}`,
      ...more,
    };
  }

  async send(text: string, more: Partial<Letter> = {}): Promise<string> {
    return (await this.adapter.send(this.outbound(text, more))).messageId;
  }

  async sendAll(texts: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const text of texts) ids.push(await this.send(text));
    return ids;
  }

  get room(): PieceRoom {
    const { capabilities } = this.adapter;
    return { max: capabilities.maxText, lengthOf: (text) => lengthIn(capabilities, text) };
  }

  fits(text: string): boolean {
    return fitsInto(this.adapter.capabilities, text);
  }

  /** The chat shows these, and nothing else. */
  async expectShown(texts: readonly string[], address?: Address): Promise<void> {
    expect(await this.fixture.shown(address)).toEqual(texts.flatMap((text) => this.asShown(text)));
  }

  /** The messages that the platform makes of a text. */
  asShown(text: string): readonly string[] {
    return [this.fixture.asShown?.(text) ?? text].flat();
  }

  asWritten(text: string): string {
    return this.fixture.asWritten?.(text) ?? text;
  }

  /** Why that cannot be played here; undefined where it can. */
  lacks(what: Unplayable): string | undefined {
    return this.fixture.lacks?.[what];
  }

  /** Why this trouble cannot be played here. */
  spares(trouble: Trouble): string | undefined {
    return this.fixture.trouble ? this.lacks(trouble) : "The server cannot play trouble.";
  }

  /** Waits until that is so, and fails where it never is. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    await vi.waitUntil(holds, { interval: 5, timeout: PATIENCE_MS });
  }
}

/** For people: words on one line, no trace of where in the code it was. */
export function expectSentence(message: string): void {
  expect(message).toMatch(/\S+ \S+/);
  expect(message).not.toMatch(/\n\s+at /);
}
