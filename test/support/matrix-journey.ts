/** What a person has of a gateway on Matrix, from the first word to the answer that outlives a kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const CHILD = fileURLToPath(new URL("./matrix-child.mjs", import.meta.url));

/** A room of two on some homeserver, seen from the person's side. */
export interface JourneyRoom {
  readonly homeserver: string;
  readonly token: string;
  readonly person: string;
  /** The bot's, for rooms that are encrypted. */
  readonly folder?: string;
  write(text: string): Promise<unknown>;
  /** What the person reads of the bot's, oldest first. */
  read(): Promise<readonly string[]>;
  /** The next message is taken, and nobody says so. */
  swallow?(): void;
  /** What is in the files that the person was sent. */
  files?(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function matrixJourney(name: string, open: () => Promise<JourneyRoom>): void {
  describe(`a journey on Matrix: ${name}`, () => {
    let room: JourneyRoom;
    let home: string;
    let gateway: GatewayChild;

    const start = async (slowMs = 0): Promise<GatewayChild> => {
      const { homeserver, token, person, folder } = room;
      const url = `sqlite:${join(home, "baton.db")}`;
      gateway = new GatewayChild({
        url,
        homeserver,
        token,
        people: [person],
        slowMs,
        ...(folder ? { folder } : {}),
      });
      await gateway.said("ready");
      return gateway;
    };
    const readsUntil = (isThere: (texts: readonly string[]) => boolean): Promise<readonly string[]> =>
      vi.waitFor(
        async () => {
          const texts = await room.read();
          if (!isThere(texts))
            throw new Error(`The person reads ${JSON.stringify(texts.map((text) => text.slice(0, 100)))}.`);
          return texts;
        },
        { timeout: 20_000, interval: 50 },
      );
    const reads = (text: string) => readsUntil((texts) => texts.includes(text));

    beforeEach(async () => {
      room = await open();
      home = await mkdtemp(join(tmpdir(), "baton-matrix-home-"));
    });
    afterEach(async () => {
      await gateway.kill();
      await room.close();
      await rm(home, { recursive: true, force: true });
    });

    it("is answered, with a tool, at length, in a session that is left and found again; and ends without a word", async () => {
      await start();
      await room.write("hello");
      await reads("Answer 1 to hello");
      await room.write("use the tool");
      await reads("Answer 2 to use the tool: the sky is blue");
      await room.write("a long one");
      const long = `Answer 3 to a long one\n\n${"All is well, **and more** of it. ".repeat(900)}`.trim();
      const texts = await readsUntil(
        (all) => all.slice(2).join(" ").replace(/\s+/g, " ") === long.replace(/\s+/g, " "),
      );
      expect(texts.length).toBeGreaterThan(3);
      await room.write("/new");
      await readsUntil((all) => all.length > texts.length);
      await room.write("who am I?");
      await reads("Answer 1 to who am I?");
      await room.write("/sessions");
      await readsUntil((all) => /2\./.test(all.at(-1) ?? ""));
      await room.write("/resume 2");
      await readsUntil((all) => all.at(-1)?.startsWith("Back in") === true);
      await room.write("and now?");
      await reads("Answer 4 to and now?");
      expect(await gateway.leave()).toEqual({ code: 0, output: "" });
      expect(gateway.problems).toEqual([]);
    }, 60_000);

    it("is answered once, also when the gateway is killed in the middle of it", async () => {
      const killed = await start(60_000);
      await room.write("something slow");
      await killed.said("begun");
      await killed.kill();
      await room.write("and while nobody was there");
      await start();
      await reads("Answer 1 to something slow");
      const texts = await readsUntil((all) =>
        all.some((text) => text.endsWith("to and while nobody was there")),
      );
      expect(texts.filter((text) => text.endsWith("to something slow"))).toHaveLength(1);
      expect(texts.filter((text) => text.endsWith("nobody was there"))).toHaveLength(1);
      expect(await gateway.leave()).toEqual({ code: 0, output: "" });
    }, 60_000);

    it("has a file once, also when the gateway is killed while it is sent", async ({ skip }) => {
      const { swallow, files } = room;
      if (!swallow || !files) return skip("This room plays no such trouble.");
      const killed = await start();
      swallow();
      await room.write("the file");
      await vi.waitUntil(async () => (await files()).length === 1, { timeout: 20_000, interval: 20 });
      await killed.kill();
      await start();
      await reads("Answer 1 to the file");
      expect(await files()).toEqual(["what is in it\n"]);
      expect(gateway.problems).toEqual([]);
    }, 60_000);
  });
}

class GatewayChild {
  readonly problems: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #said = new Set<string>();
  #listeners: (() => void)[] = [];
  #output = "";

  constructor(options: object) {
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    this.#child.on("message", ({ kind, problem }: { kind: string; problem?: string }) => {
      if (problem !== undefined) this.problems.push(problem);
      this.#said.add(kind);
      for (const look of this.#listeners.splice(0)) look();
    });
    this.#ended = once(this.#child, "close").then(() => {
      for (const look of this.#listeners.splice(0)) look();
    });
  }

  async said(kind: string): Promise<void> {
    while (!this.#said.has(kind)) {
      if (this.#child.exitCode !== null) throw new Error(`It ended: ${this.#output}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Asks it to end, and does nothing to make it: how it ended, and all that it ever printed. */
  async leave(): Promise<{ readonly code: number | null; readonly output: string }> {
    this.#child.send({});
    await this.#ended;
    return { code: this.#child.exitCode, output: this.#output };
  }
}
