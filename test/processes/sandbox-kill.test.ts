/** A command in a sandbox is killed at any moment of its start: nothing of it may be left. */
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { openSandbox } from "../../src/agent/sandbox/open-sandbox.js";
import { launchHere } from "../../src/agent/tools/command-launch.js";
import { makeWorld, type World } from "../sandbox/world.js";
import { type HostWorld, hostWorld } from "../support/process-host.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const SIZE = { cols: 80, rows: 24 };

async function sandboxAround({ home, work, own, inner, temporary }: World) {
  const hidden = [own, inner];
  const found = await openSandbox({ folders: [work], hidden, home, path: PATH, temporary, network: false });
  return found.sandbox;
}

const tried =
  process.platform === "linux"
    ? await makeWorld().then((place) => sandboxAround(place).finally(() => place.close()))
    : null;
if (!tried) console.warn("SKIPPED: kills in a sandbox, because there is none here");

let place: World;
let host: HostWorld;
afterEach(async () => {
  await host.remove();
  await place.close();
});

/** Whether something still runs with this word in its command line. */
function isRunning(word: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false; // It has ended.
    }
  });
}

test.skipIf(!tried).each(["pipes", "terminal"] as const)("at any moment, with %s", async (kind) => {
  place = await makeWorld();
  host = hostWorld();
  const sandbox = await sandboxAround(place);
  const { work, home } = place;
  for (let round = 0; round < 32; round++) {
    const word = `600.${process.pid}${round}`;
    const environment = { PATH, HOME: home };
    const { file, args, ...rest } = launchHere(
      `sleep ${word}; true`,
      { path: work, way: work, environment, sandbox },
      kind === "pipes" ? "background" : "terminal",
    );
    const { id } = await host.spawn("", {
      file,
      args,
      cwd: work,
      environment: rest.environment,
      pty: kind === "pipes" ? null : SIZE,
      hasOwnProcesses: true,
    });
    for (let n = 0; n < (round >> 1) * 3; n++) await host.client.request("status", { id }); // A moment later each time.
    // Without any grace, nobody waits until it has started.
    const graceMs = round % 2 === 0 ? 0 : 2_000;
    const { end } = await host.client.request("kill", { id, by: "agent", graceMs });
    expect(end).toMatchObject({ kind: "exited", by: "agent", leftBehind: false });
    expect(isRunning(word)).toBe(false);
  }
});
