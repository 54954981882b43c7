/**
 * A process of one conversation prints without end while Baton watches its output, through a real `baton gateway` with
 * Telegram and a model on loopback. The process stops only when it is told to: so whatever is answered is answered
 * meanwhile.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { processFolder } from "../../src/process/places.js";
import type { ProcessStatus } from "../../src/process/process.js";
import { memoryOf } from "../support/memory-of.js";
import { MEMBER, type ModelGateway, OWNER, openModelGateway } from "../support/model-gateway.js";
import { helloOf } from "../support/process-host.js";

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

const WISH = { command: "sh flood.sh", notifyOnComplete: true, watchPatterns: ["the end"] };
const START = `start ${JSON.stringify(WISH)}`;

let gateway: ModelGateway;
let looking: NodeJS.Timeout | undefined;

afterEach(async () => {
  clearInterval(looking);
  await gateway.close();
});

/** The process stops printing once there is a file `enough`, and ends once there is one `over`. */
const sign = (name: string) => join(gateway.work, name);

/** The longest output that there is. */
async function flood(): Promise<ProcessStatus> {
  const known = await gateway.host.client.request("list", {});
  return known.reduce((one, other) => (one.output.to > other.output.to ? one : other));
}

/** How much is in these files, in megabytes. */
function sizeOf(names: RegExp): number {
  const folder = processFolder(gateway.home);
  const sizes = readdirSync(folder).map((file) =>
    names.test(file) ? (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0) : 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / MB;
}

test.runIf(process.platform === "linux")(
  `a process prints ${GIGABYTES} GB: memory and files stay bounded, and other chats are answered`,
  { timeout: 600_000 },
  async () => {
    gateway = await openModelGateway();
    const { ask, told, telegram } = gateway;
    writeFileSync(join(gateway.work, "flood.sh"), FLOOD);
    const signs = [sign("enough"), sign("over")];
    for (const file of signs) writeFileSync(file, ""); // First a small one, so that everything is loaded.
    await ask(OWNER, START, "exited with code 0");
    for (let n = 1; n <= QUESTIONS; n++) await ask(MEMBER, `greeting ${n}.`);
    for (const file of signs) rmSync(file);
    const { pid: hostPid } = await helloOf(gateway.host.client);
    const [before, hostBefore] = [memoryOf(gateway.pid), memoryOf(hostPid)];
    let [most, hostMost, kept] = [0, 0, 0];
    looking = setInterval(() => {
      kept = Math.max(kept, sizeOf(/\.out/));
      most = Math.max(most, memoryOf(gateway.pid));
      hostMost = Math.max(hostMost, memoryOf(hostPid));
    }, 2);
    await gateway.write(OWNER, START);
    for (let n = 1; n <= QUESTIONS; n++) {
      await ask(MEMBER, `question ${n}.`);
      await expect
        .poll(async () => (await flood()).output.to, { timeout: 600_000 })
        .toBeGreaterThan((GIGABYTES * 1e9 * n) / QUESTIONS);
    }
    writeFileSync(sign("enough"), "");
    await expect.poll(() => sizeOf(/\.out$/)).toBeLessThan(5); // In this pause the file is cut.
    writeFileSync(sign("over"), "");
    await telegram.until(
      () => told(OWNER).filter((text) => text.includes("exited with code 0")).length === 2,
    );
    await telegram.until(() => told(OWNER).filter((text) => text.includes("printed a line")).length === 2);
    clearInterval(looking);
    const grown = most - before;
    console.log(
      `${GIGABYTES} GB: gateway +${grown.toFixed(0)} MB, host +${(hostMost - hostBefore).toFixed(0)} MB, files at most ${kept.toFixed(0)} MB`,
    );
    expect(grown).toBeLessThan(30);
    expect(hostMost).toBeLessThan(100);
    expect(kept).toBeLessThan(MOST_KEPT);
    expect(sizeOf(/\.out/)).toBeLessThan(16);
    const { text } = await gateway.host.client.request("read", {
      id: (await flood()).id,
      from: -1_000,
      limit: 1_000,
    });
    expect(text).toMatch(/\n0{99}\nthe end\n$/);
  },
);
