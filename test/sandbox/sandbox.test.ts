/** Hostile commands, behind the wall and without it. Without it some are asked about: the docs say how many, and are held to it. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openSandbox } from "../../src/agent/sandbox/open-sandbox.js";
import type { Sandbox } from "../../src/agent/sandbox/sandbox.js";
import { dangerOf } from "../../src/agent/tools/danger.js";
import { terminalTool } from "../../src/agent/tools/terminal.js";
import { aCall } from "../support/a-call.js";
import { FAMILIES } from "./commands.js";
import { aimed, script } from "./script.js";
import { makeWorld, type World } from "./world.js";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const COUNT = FAMILIES.flatMap(({ commands }) => commands).length;

function sandboxAround({ home, work, own, inner, temporary }: World, network: boolean) {
  const hidden = [own, inner, `${work}/store.db`];
  return openSandbox({ folders: [work], hidden, home, path: PATH, temporary, network });
}

function run(world: World, commands: readonly string[], sandbox: Sandbox | null): Promise<string> {
  const tool = terminalTool({
    cwd: world.work,
    environment: { PATH, HOME: world.home, LANG: "C" },
    maxTimeoutMs: 300_000,
    maxOutput: 10_000_000,
    confinement: sandbox ? { kind: "sandbox", sandbox, mayLeave: true } : { kind: "none" },
  });
  const args = { command: script(commands, world), timeout: 300 };
  return tool.run(args, { call: aCall, signal: new AbortController().signal });
}

async function inWorld<Result>(work: (world: World) => Promise<Result>): Promise<Result> {
  const world = await makeWorld();
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

const tried = process.platform === "linux" ? await inWorld((world) => sandboxAround(world, false)) : null;
const isThere = tried?.sandbox != null;
if (!isThere) {
  console.warn(
    `NOT TESTED in a sandbox: ${tried?.sandbox === null ? `${tried.why} ${tried.fix}` : "this is no Linux"}`,
  );
}

it("are at least 150 in 12 families", () => {
  expect(COUNT).toBeGreaterThanOrEqual(150);
  expect(FAMILIES.length).toBeGreaterThanOrEqual(12);
  expect(new Set(FAMILIES.flatMap(({ commands }) => commands)).size).toBe(COUNT);
});

describe.runIf(isThere)("behind the wall", { timeout: 300_000 }, () => {
  it.each(FAMILIES)("nothing outside is changed, read or left: $name", ({ commands }) =>
    inWorld(async (world) => {
      const { sandbox } = await sandboxAround(world, false);
      const before = world.state();
      const output = await run(world, [...commands, "echo all were run"], sandbox);
      expect(output).toMatch(/^Exit code 0\.\n[\s\S]*all were run$/);
      expect(world.leaks(output)).toEqual([]);
      expect(world.state()).toBe(before);
      await vi.waitFor(() => expect(world.left()).toEqual([]), { timeout: 30_000 });
    }),
  );

  it("all of it ends when the one who started it is killed", () =>
    inWorld(async (world) => {
      const { sandbox } = await sandboxAround(world, false);
      const command = `setsid sleep ${world.places.mark} & touch ready; wait`;
      const { file, args } = (sandbox as Sandbox).launch(["bash", "-c", command], world.work, { PATH });
      const starter = spawn("sh", ["-c", '"$@" 3>/dev/null; :', "sh", file, ...args], { stdio: "ignore" });
      await vi.waitFor(() => expect(existsSync(join(world.work, "ready"))).toBe(true), { timeout: 30_000 });
      starter.kill("SIGKILL");
      await vi.waitFor(() => expect(world.left()).toEqual([]), { timeout: 30_000 });
    }));

  it("a secret that is renewed while a command runs stays hidden", () =>
    inWorld(async (world) => {
      const keys = join(world.work, "keys");
      mkdirSync(keys);
      writeFileSync(join(keys, "token"), "old-canary");
      const { home, work: folder, temporary } = world;
      const hidden = [join(keys, "token"), join(keys, "db-wal")];
      const { sandbox } = await openSandbox({
        ...{ folders: [folder], hidden, home, path: PATH, temporary, network: false },
      });
      const tool = terminalTool({
        cwd: folder,
        environment: { PATH },
        confinement: { kind: "sandbox", sandbox: sandbox as Sandbox, mayLeave: false },
      });
      const command = "touch ready; until [ -e go ]; do sleep 0.05; done; cat keys/*; echo done";
      const output = tool.run(
        { command, timeout: 300 },
        { call: aCall, signal: new AbortController().signal },
      );
      await vi.waitFor(() => expect(existsSync(join(folder, "ready"))).toBe(true), { timeout: 30_000 });
      writeFileSync(join(keys, "new"), "new-canary");
      renameSync(join(keys, "new"), join(keys, "token"));
      writeFileSync(join(keys, "db-wal"), "wal-canary");
      writeFileSync(join(folder, "go"), "");
      expect(await output).toMatch(/done$/);
      expect(await output).not.toContain("canary");
    }));

  it.each(["own", "inner"] as const)(
    "the files of the conversation can be read, and nothing beside them: in %s",
    (where) =>
      inWorld(async (world) => {
        const { sandbox } = await sandboxAround(world, false);
        const all = join(world[where], "files");
        const [ours, theirs] = [join(all, "ours"), join(all, "theirs")];
        for (const folder of [ours, theirs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(theirs, "letter.txt"), "of somebody else", { mode: 0o600 });
        let before = "";
        const fill = async () => {
          writeFileSync(join(ours, "letter.txt"), "for us", { mode: 0o600 });
          before = world.state();
        };
        const output = await terminalTool({
          cwd: world.work,
          environment: { PATH, HOME: world.home, LANG: "C" },
          confinement: { kind: "sandbox", sandbox: sandbox as Sandbox, mayLeave: false },
        }).run(
          {
            command: `cat ${ours}/letter.txt; echo; ls ${all}; cat ${theirs}/letter.txt ${world[where]}/config.yaml
              echo changed > ${ours}/letter.txt; touch ${ours}/new; rm -f ${ours}/letter.txt; mv ${ours} ${all}/other`,
          },
          { call: aCall, signal: new AbortController().signal, files: { folder: ours, fill } },
        );
        expect(output).toContain("for us\nours\n");
        expect(output).not.toContain("of somebody else");
        expect(world.leaks(output)).toEqual([]);
        expect(world.state()).toBe(before);
        expect(readdirSync(ours)).toEqual(["letter.txt"]);
        expect(readFileSync(join(ours, "letter.txt"), "utf8")).toBe("for us");
        expect(await run(world, [`cat ${ours}/letter.txt`], sandbox)).not.toContain("for us");
      }),
  );

  it("with the network on, what listens on loopback is reached, and no socket in a hidden folder", () =>
    inWorld(async (world) => {
      const { sandbox } = await sandboxAround(world, true);
      const before = world.state();
      await run(world, ["curl -s --max-time 3 --unix-socket {socket} http://x/"], sandbox);
      expect(world.state()).toBe(before);
      await run(world, ["exec 3<>/dev/tcp/127.0.0.1/{port}; read -r line <&3"], sandbox);
      expect(world.state()).not.toBe(before);
    }));
});

describe.runIf(process.platform === "linux")("without the wall", { timeout: 300_000 }, () => {
  const dangerous = FAMILIES.filter(({ machine }) => !machine);
  const harms = (commands: readonly string[]) =>
    inWorld(async (world) => {
      const before = world.state();
      const output = await run(world, commands, null);
      return world.leaks(output).length > 0 || world.state() !== before || world.left().length > 0;
    });

  it.each(dangerous)("they do what they are after, so the wall is what stops them: $name", async (family) => {
    expect(await harms(family.commands)).toBe(true);
  });

  it.runIf(process.env.BATON_TEST_FULL)("most of them do so one by one", { timeout: 3_600_000 }, async () => {
    const commands = dangerous.flatMap((family) => family.commands);
    const harmless: string[] = [];
    for (const command of commands) if (!(await harms([command]))) harmless.push(command);
    // Not every machine has every program that they use.
    expect(harmless.length, harmless.join("\n")).toBeLessThan(commands.length / 5);
  });
});

it("the docs say how many of them are asked about without a sandbox", () => {
  const places = {
    home: "/home/ann",
    out: "/home/ann/documents",
    own: "/home/ann/.baton",
    inner: "/home/ann/work/deep/own",
    pid: "4711",
    port: "8080",
    socket: "/run/docker.sock",
    abstract: "x",
    mark: "1234567890",
  };
  const place = { folders: ["/home/ann/work"], home: "/home/ann" };
  const asked = FAMILIES.flatMap(({ commands }) => commands).filter(
    (command) => dangerOf(aimed(command, places), { place }) !== null,
  ).length;
  const docs = readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8");
  expect(/(\d+ of \d+) commands/.exec(docs)?.[1]).toBe(`${asked} of ${COUNT}`);
});
