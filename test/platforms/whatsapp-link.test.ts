/** A person links their number from the command line, and the gateway serves it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { takeHome } from "../../src/gateway/home-lock.js";
import { baton, makeHome } from "../support/baton.js";
import { NUMBER } from "../support/whatsapp-device.js";
import { ANN, WhatsAppWeb } from "../support/whatsapp-web.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const ENV = { WHATSAPP_MODE: "baileys", WHATSAPP_NUMBER: `+${NUMBER}` };

class Command {
  said = "";
  readonly #child: ChildProcess;

  constructor(home: string, words: readonly string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...words], {
      env: { PATH: process.env.PATH ?? "", HOME: home, BATON_HOME: home, ...ENV },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.said += text;
      });
  }

  async until(holds: (said: string) => boolean): Promise<void> {
    await vi.waitUntil(() => holds(this.said), { interval: 20, timeout: 40_000 });
  }

  async ended(signal?: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.#child, "exit");
    if (signal) this.#child.kill(signal);
    if (this.#child.exitCode === null) await ended;
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

describe("baton gateway link", () => {
  let world: WhatsAppWeb;
  let home: string;
  const commands: Command[] = [];
  const run = (...words: string[]): Command => {
    const command = new Command(home, words);
    commands.push(command);
    return command;
  };

  beforeEach(async () => {
    world = await WhatsAppWeb.open();
    home = makeHome();
    mkdirSync(home, { recursive: true });
    const { baseUrl } = world.settings;
    const people = `people:\n  allow:\n    whatsapp: ["${ANN.number}"]\n`;
    writeFileSync(
      join(home, "config.yaml"),
      `platforms:\n  whatsapp:\n    baseUrl: "${baseUrl}"\nagent:\n  provider: offline\n${people}`,
    );
  });
  afterEach(async () => {
    for (const command of commands.splice(0)) command.kill();
    await world.close();
  });

  test("shows the code, ends when the phone has it, and the gateway answers from then on", async () => {
    const unlinked = run("gateway");
    await unlinked.until((said) => said.includes("baton gateway link whatsapp"));
    expect(await unlinked.ended("SIGTERM")).toBe(0);

    const link = run("gateway", "link", "whatsapp");
    await link.until((said) => /\w{4}-\w{4}\n/.test(said));
    await vi.waitUntil(() => world.phone.asked !== null, { timeout: 20_000 });
    const [, first = "", second = ""] = /^ {4}(\w{4})-(\w{4})$/m.exec(link.said) ?? [];
    await world.phone.type(first + second);
    expect(await link.ended()).toBe(0);
    expect(link.said).toContain("Linked.");

    const gateway = run("gateway");
    await vi.waitUntil(() => world.logins >= 2, { timeout: 40_000 });
    await gateway.until((said) => /connected|serv/i.test(said));
    world.write({ conversation: "/whoami" });
    await vi.waitUntil(() => world.sent.length > 0, { timeout: 40_000 });
    expect(world.sent[0]?.message.extendedTextMessage?.text).toContain("WhatsApp");
    expect(await gateway.ended("SIGTERM")).toBe(0);

    // Neither what links nor what was linked is in the log.
    const { noiseKey, advSecretKey } = JSON.parse(
      readFileSync(join(home, "whatsapp", "credentials.json"), "utf8"),
    );
    const log = gateway.said + link.said;
    for (const secret of [noiseKey.private.data, advSecretKey]) expect(log).not.toContain(secret);
  });

  test("says what is missing, who runs already, and which platforms are linked at all", async () => {
    const { stderr, code } = await baton(home, ["gateway", "link", "telegram"], { env: ENV });
    expect([code, stderr]).toEqual([1, expect.stringContaining("whatsapp")]);
    const cloud = await baton(home, ["gateway", "link", "whatsapp"]);
    expect([cloud.code, cloud.stderr]).toEqual([1, expect.stringContaining("WHATSAPP_MODE=baileys")]);
    const nameless = await baton(home, ["gateway", "link", "whatsapp"], {
      env: { WHATSAPP_MODE: "baileys" },
    });
    expect([nameless.code, nameless.stderr]).toEqual([1, expect.stringContaining("WHATSAPP_NUMBER")]);
    takeHome(home, Date.now());
    const taken = await baton(home, ["gateway", "link", "whatsapp"], { env: ENV });
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining("Stop it first")]);
  });
});
