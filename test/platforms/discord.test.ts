/** A person on Discord and a gateway in a process of its own: the whole way, over discord.js and crabline's server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ANN, CHANNEL, DiscordServer, GUILD } from "../support/discord-server.js";

const CHILD = fileURLToPath(new URL("../support/discord-child.mjs", import.meta.url));

let server: DiscordServer;
let folder: string;
let dm: string;
let gateway: GatewayChild;

beforeAll(async () => {
  server = await DiscordServer.start();
  folder = await mkdtemp(join(tmpdir(), "baton-discord-journey-"));
  dm = await server.directChannel(ANN);
  gateway = await GatewayChild.start({ isPatient: true });
});
afterAll(async () => {
  await gateway.kill();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const write = (content: string) => server.inject({ channelId: dm, content });

/** What the bot has said there since, as soon as it is that. */
async function answer(since: number, channelId = dm): Promise<string> {
  const said = await server.shows(channelId, (messages) => messages.length > since);
  return said[since]?.content ?? "";
}

test("a person writes, and the agent answers with a tool call", async () => {
  const { id } = await write("ask the tool");
  expect(await answer(0)).toBe("It is **sunny**.");
  const asked = (await server.messages(dm)).find((message) => message.id === id);
  expect(asked?.reactions).toEqual([]); // Typing would be the sign.
});

test("a long answer comes in pieces that Discord takes", async () => {
  await write("something long");
  const pieces = (
    await server.shows(dm, (said) => said.some(({ content }) => content.includes("Paragraph 119 ")))
  )
    .slice(1)
    .map(({ content }) => content);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(2_000);
  const numbers = [...pieces.join("\n").matchAll(/Paragraph (\d+) of snake\\_case \*words\*/g)].map(([, n]) =>
    Number(n),
  );
  expect(numbers).toEqual(Array.from({ length: 120 }, (_, n) => n));
});

test("/new begins afresh and /resume brings the conversation back", async () => {
  let said = (await server.sent(dm)).length;
  const ask = async (text: string): Promise<string> => {
    await write(text);
    const answered = await answer(said);
    said += 1;
    return answered;
  };
  expect(await ask("count")).toBe("I know 3.");
  expect(await ask("/new holiday")).toMatch(/holiday/);
  expect(await ask("count")).toBe("I know 1.");
  expect(await ask("/resume")).toMatch(/holiday/);
  expect(await ask("/resume 2")).toMatch(/^Back in/);
  expect(await ask("count")).toBe("I know 4.");
});

test("in a channel it answers who names it, as a reply, and nobody else", async () => {
  await server.inject({ channelId: CHANNEL, guildId: GUILD, content: "just us" });
  await server.inject({
    channelId: CHANNEL,
    guildId: GUILD,
    senderId: "135000000000000099",
    content: `<@${server.botId}> me!`,
  });
  const { id } = await server.inject({
    channelId: CHANNEL,
    guildId: GUILD,
    content: `<@${server.botId}> and me?`,
  });
  expect(await answer(0, CHANNEL)).toMatch(/^You said: \\\[Ann #[0-9a-f]{10} member\\\] and me\?$/);
  const [reply, ...others] = await server.sent(CHANNEL);
  expect(reply?.message_reference?.message_id).toBe(id);
  expect(others).toEqual([]);
});

test("killed with -9 in the middle of a turn, it answers once, and what was written meanwhile too", async () => {
  const before = (await server.sent(dm)).length;
  await write("slow");
  await gateway.says("begun");
  await vi.waitUntil(() => server.calls.some(({ path }) => path.endsWith(`/channels/${dm}/typing`)), 30_000);
  await gateway.kill();
  await write("still there?");
  gateway = await GatewayChild.start({ isPatient: false });
  const said = await server.shows(dm, (all) => all.some(({ content }) => content.includes("still there")));
  expect(said.slice(before).map(({ content }) => content)).toEqual([
    "Slow, but there.",
    "You said: still there?",
  ]);
});

test("killed with -9 while a file is sent, it is found by the next process, and there once", async () => {
  const before = (await server.sent(dm)).length;
  const usual = server.answer;
  let held = 0;
  server.answer = ({ method, body }) =>
    method === "POST" && body.includes("notes.txt") && held++ === 0 ? "swallowed" : null;
  await write("the file");
  await server.shows(dm, (said) => said.some(({ attachments }) => attachments.length > 0));
  await gateway.kill();
  server.answer = usual;
  gateway = await GatewayChild.start({ isPatient: false });
  const said = await server.shows(dm, (all) => all.some(({ content }) => content === "You said: the file"));
  expect(said.slice(before).map(({ content }) => content)).toEqual(["the notes", "You said: the file"]);
  const url = said.flatMap(({ attachments }) => attachments)[0]?.url ?? "";
  expect(await (await fetch(url)).text()).toBe("what is in it\n");
});

test("told to stop, it ends by itself, and has printed nothing", async () => {
  const { code, printed } = await gateway.stop();
  expect({ code, printed }).toEqual({ code: 0, printed: "" });
  expect(gateway.problems).toEqual([]);
});

class GatewayChild {
  readonly problems: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #said: string[] = [];
  #printed = "";
  #waiting: (() => void)[] = [];

  static async start({ isPatient }: { isPatient: boolean }): Promise<GatewayChild> {
    const { token, baseUrl } = server;
    const url = `sqlite:${join(folder, "store.db")}`;
    const child = new GatewayChild({ url, token, baseUrl, person: ANN, isPatient });
    await child.says("ready");
    return child;
  }

  private constructor(options: object) {
    this.#child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    this.#child.on("message", (said: { kind: string; problem?: string }) => {
      if (said.problem) this.problems.push(said.problem);
      this.#said.push(said.kind);
      this.#stir();
    });
    this.#ended = once(this.#child, "close").then(([code]) => {
      this.#stir();
      return code as number | null;
    });
  }

  async says(kind: string): Promise<void> {
    while (!this.#said.includes(kind)) {
      if (this.#child.exitCode !== null) throw new Error(`It ended: ${this.#printed}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async stop(): Promise<{ code: number | null; printed: string }> {
    this.#child.send("stop");
    return { code: await this.#ended, printed: this.#printed };
  }

  #stir(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
