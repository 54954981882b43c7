/**
 * A process of one conversation prints without end while Baton watches its output, through a real `baton gateway` with
 * Telegram and a model on loopback. The process stops only when it is told to: so whatever is answered is answered
 * meanwhile.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { processFolder } from "../../src/process/places.js";
import type { ProcessStatus } from "../../src/process/process.js";
import { makeHome } from "../support/baton.js";
import { memoryOf } from "../support/memory-of.js";
import { ModelServer, type Script } from "../support/model-server.js";
import { endHost, type HostWorld, helloOf, hostWorld } from "../support/process-host.js";
import { TelegramServer } from "../support/telegram-server.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const [ANN, BOB] = [100001, 100002];
const MB = 1024 * 1024;
const GIGABYTES = process.env.BATON_TEST_FULL ? 10 : 1;
/** They are asked while it prints, one after each part. */
const QUESTIONS = 20;
/**
 * In megabytes. The process host cuts the file when it sees more than 16, and keeps 8 of them at most. It looks every ten
 * milliseconds, so what is printed in between comes on top: on a very busy machine that was 100 in all.
 */
const MOST_KEPT = 400;
/** Lines of 100 bytes. */
const FLOOD = `while [ ! -e enough ]; do yes "$(printf '%099d')" | head -c 50000000; done
while [ ! -e over ]; do sleep 0.1; done; echo the end`;

let telegram: TelegramServer;
let model: ModelServer;
let gateway: ChildProcess | undefined;
let home: string;
let looking: NodeJS.Timeout | undefined;
let host: HostWorld;

afterEach(async () => {
  clearInterval(looking);
  if (gateway?.exitCode === null && gateway.kill("SIGKILL")) await once(gateway, "close");
  for (const { pid, end } of await host.client.request("list", {}))
    if (end === null) process.kill(-pid, "SIGKILL");
  await endHost(home);
  await host.remove();
  await Promise.all([telegram.close(), model.close()]);
});

/** Runs in the background what it is asked to; anything else it repeats. */
const answer: Script = ({ body }) => {
  const { role, content } = body.messages.at(-1) as { role: string; content: string };
  const said = content.split("\n\n").at(-1) ?? "";
  if (role !== "user" || !said.startsWith("sh ")) return { text: `heard: ${said}` };
  const args = { command: said, background: true, notifyOnComplete: true, watchPatterns: ["the end"] };
  return { calls: [{ name: "terminal", arguments: JSON.stringify(args) }] };
};

async function open(): Promise<void> {
  [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start(answer)]);
  home = makeHome();
  host = hostWorld(processFolder(home));
  const work = join(home, "..", "work");
  writeFileSync(join(work, "flood.sh"), FLOOD);
  writeFileSync(join(home, "key"), "key-of-the-model\n", { mode: 0o600 });
  const config = {
    agent: {
      ...{ provider: "openai", baseUrl: model.url, model: "model-a", apiKey: { file: join(home, "key") } },
      workdir: work,
    },
    people: { owners: { telegram: [String(ANN)] }, allow: { telegram: [String(BOB)] } },
    platforms: { telegram: { baseUrl: telegram.url } },
    tools: { terminal: { sandbox: "off" } },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  gateway = spawn(process.execPath, [MAIN, "gateway"], {
    cwd: work,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home },
      TELEGRAM_BOT_TOKEN: telegram.token,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await telegram.until(() => telegram.menu.length > 0); // It is connected.
}

/** The process stops printing once there is a file `enough`, and ends once there is one `over`. */
const sign = (name: string) => join(home, "..", "work", name);

const told = (who: number) => telegram.sentTo(String(who)).map(({ text }) => text);

async function ask(who: number, text: string, reply = `heard: ${text}`): Promise<void> {
  await telegram.deliver({ chatId: String(who), fromId: who, text });
  await telegram.until(() => told(who).some((one) => one.includes(reply)));
}

/** The longest output that there is. */
async function flood(): Promise<ProcessStatus> {
  const known = await host.client.request("list", {});
  return known.reduce((one, other) => (one.output.to > other.output.to ? one : other));
}

/** How much is in these files, in megabytes. */
function sizeOf(names: RegExp): number {
  const folder = processFolder(home);
  const sizes = readdirSync(folder).map((file) =>
    names.test(file) ? (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0) : 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / MB;
}

test.runIf(process.platform === "linux")(
  `a process prints ${GIGABYTES} GB: memory and files stay bounded, and other chats are answered`,
  { timeout: 600_000 },
  async () => {
    await open();
    const signs = [sign("enough"), sign("over")];
    for (const file of signs) writeFileSync(file, ""); // First a small one, so that everything is loaded.
    await ask(ANN, "sh flood.sh", "exited with code 0");
    for (let n = 1; n <= QUESTIONS; n++) await ask(BOB, `greeting ${n}.`);
    for (const file of signs) rmSync(file);
    const { pid: hostPid } = await helloOf(host.client);
    const [before, hostBefore] = [memoryOf(gateway?.pid), memoryOf(hostPid)];
    let [most, hostMost, kept] = [0, 0, 0];
    looking = setInterval(() => {
      kept = Math.max(kept, sizeOf(/\.out/));
      most = Math.max(most, memoryOf(gateway?.pid));
      hostMost = Math.max(hostMost, memoryOf(hostPid));
    }, 2);
    await telegram.deliver({ chatId: String(ANN), fromId: ANN, text: "sh flood.sh" });
    for (let n = 1; n <= QUESTIONS; n++) {
      await ask(BOB, `question ${n}.`);
      await expect
        .poll(async () => (await flood()).output.to, { timeout: 600_000 })
        .toBeGreaterThan((GIGABYTES * 1e9 * n) / QUESTIONS);
    }
    writeFileSync(sign("enough"), "");
    await expect.poll(() => sizeOf(/\.out$/)).toBeLessThan(5); // In this pause the file is cut.
    writeFileSync(sign("over"), "");
    await telegram.until(() => told(ANN).filter((text) => text.includes("exited with code 0")).length === 2);
    await telegram.until(() => told(ANN).filter((text) => text.includes("printed a line")).length === 2);
    clearInterval(looking);
    const grown = most - before;
    console.log(
      `${GIGABYTES} GB: gateway +${grown.toFixed(0)} MB, host +${(hostMost - hostBefore).toFixed(0)} MB, files at most ${kept.toFixed(0)} MB`,
    );
    expect(grown).toBeLessThan(30);
    expect(hostMost).toBeLessThan(100);
    expect(kept).toBeLessThan(MOST_KEPT);
    expect(sizeOf(/\.out/)).toBeLessThan(16);
    const { text } = await host.client.request("read", {
      id: (await flood()).id,
      from: -1_000,
      limit: 1_000,
    });
    expect(text).toMatch(/\n0{99}\nthe end\n$/);
  },
);
